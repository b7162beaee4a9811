/* The ranks of the processes of an Nsight export. */
#pragma once

#include "trace/nsight/nsys-db.h"

G_BEGIN_DECLS

/* A global id contains the hardware, the process and the thread. The last two have 24 bits each. */
#define HIR_NSYS_PROCESS(global) ((global) >> 24)
#define HIR_NSYS_THREAD(global) ((global) &0xffffff)

typedef struct
{
  GHashTable *devices; /* gint64 process -> device that it used; -1 if several */
  GHashTable *ranks;   /* gint64 process -> rank */
  int next_rank;
  gboolean is_stated; /* the database states the ranks */
} HirNsysRanks;

void hir_nsys_ranks_init (HirNsysRanks *ranks);
void hir_nsys_ranks_clear (HirNsysRanks *ranks);
/* Assigns ranks to the processes that used a device: those of MPI, otherwise by machine and process
 * id. @sources: array of HirNsysSource. Errors: see hir_import_nsys(). */
gboolean hir_nsys_ranks_find (HirNsysRanks *ranks,
                              HirNsysDb *db,
                              const GArray *sources,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Returns the rank of @process. If a single process used devices, others are its helpers, for
 * example loaders of data; otherwise they get ranks of their own. */
int hir_nsys_ranks_ensure (HirNsysRanks *ranks, gint64 process);
/* Returns the device that @process used if it is the only one, otherwise @device. */
gint64 hir_nsys_ranks_get_only_device (const HirNsysRanks *ranks, gint64 process, gint64 device);

G_END_DECLS
