/* Interface of the shared module hirscope-mpi.so: the few MPI operations that the program needs, as
 * a table, so that nothing else includes MPI headers or links MPI. Tests replace it by threads. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define HIR_MPI_WIRE_VERSION 1
/* Name of the function that returns the table: HirMpiWire *hir_mpi_wire_get (void). */
#define HIR_MPI_WIRE_SYMBOL "hir_mpi_wire_get"
#define HIR_MPI_MODULE_FILE "hirscope-mpi.so"
/* Largest data tag; every MPI supports it. Data tags start at 1. */
#define HIR_MPI_WIRE_MAX_TAG 32767

typedef struct _HirMpiWire HirMpiWire;
typedef struct _HirMpiWireOp HirMpiWireOp;

/* Call all functions on the thread that called start(). */
struct _HirMpiWire
{
  guint32 version;
  const char *built_for; /* MPI of the build: "Open MPI 4.1" */
  /* Starts MPI. Returns NULL, or an error message (newly allocated). */
  char *(*start) (HirMpiWire *self, int *rank, int *size);
  /* Start a transfer. The bytes must stay valid until test() reports its end. Never NULL. */
  HirMpiWireOp *(*send) (HirMpiWire *self, gconstpointer data, gsize size, int to, int tag);
  HirMpiWireOp *(*receive) (HirMpiWire *self, gpointer data, gsize size, int from, int tag);
  /* Returns 1 if @op is done, -1 if it failed (both free it), or 0 if it is in progress. */
  int (*test) (HirMpiWire *self, HirMpiWireOp *op);
  /* Cancels a receive and frees it. */
  void (*cancel) (HirMpiWire *self, HirMpiWireOp *op);
  /* Returns TRUE if a message without a matching receive has arrived, with tag 0 or with another
   * tag. */
  gboolean (*probe) (HirMpiWire *self, gboolean tag_zero, int *from, int *tag, gsize *size);
  /* Ends MPI. Waits for the other ranks to do the same. */
  void (*stop) (HirMpiWire *self);
};

typedef HirMpiWire *(*HirMpiWireGetFunc) (void);

G_END_DECLS
