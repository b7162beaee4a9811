/* What the shared module hirscope-mpi.so is asked to do: the few calls of MPI that the program
 * needs, as a table, so that nothing else includes MPI's header or links it. A test puts a table of
 * its own in its place, whose ranks are threads. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define HIR_MPI_WIRE_VERSION 1
/* Of the function that gives the table: HirMpiWire *hir_mpi_wire_get (void). */
#define HIR_MPI_WIRE_SYMBOL "hir_mpi_wire_get"
#define HIR_MPI_MODULE_FILE "hirscope-mpi.so"
/* Tags of data go from 1 to this; any MPI has as many. */
#define HIR_MPI_WIRE_MAX_TAG 32767

typedef struct _HirMpiWire HirMpiWire;
typedef struct _HirMpiWireOp HirMpiWireOp;

/* All functions on one thread, the one that called start(). */
struct _HirMpiWire
{
  guint32 version;
  const char *built_for; /* "Open MPI 4.1": what it was built with */
  /* NULL, or why not (newly allocated). @self is ready to be used then. */
  char *(*start) (HirMpiWire *self, int *rank, int *size);
  /* Begin; the bytes must stay until test() says that they are needed no more. Never NULL. */
  HirMpiWireOp *(*send) (HirMpiWire *self, gconstpointer data, gsize size, int to, int tag);
  HirMpiWireOp *(*receive) (HirMpiWire *self, gpointer data, gsize size, int from, int tag);
  /* 1: done, and @op is freed; 0: not yet; -1: failed, and freed. */
  int (*test) (HirMpiWire *self, HirMpiWireOp *op);
  /* A receive that nothing will come for; frees it. */
  void (*cancel) (HirMpiWire *self, HirMpiWireOp *op);
  /* Whether a message lies here that no receive was begun for; tags that are 0 only, or others
   * only. */
  gboolean (*probe) (HirMpiWire *self, gboolean tag_zero, int *from, int *tag, gsize *size);
  /* Waits for the others to come here, too. */
  void (*stop) (HirMpiWire *self);
};

typedef HirMpiWire *(*HirMpiWireGetFunc) (void);

G_END_DECLS
