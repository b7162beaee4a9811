/* Assigns each track of a trace the process and thread ids of Chrome's JSON. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

#define HIR_CHROME_PIDS_A_RANK 1000

typedef struct
{
  int pid; /* unique per (host or device, rank, device) */
  gint64 tid;
  gboolean is_first; /* first track of its process */
  guint counter;     /* number of earlier counters with the same name and rank */
} HirChromePlace;

/* Returns one entry per track (transfer full); free with g_free(). As in Kineto, the pid of a
 * device is its number. If several ranks use the same device number, each further rank adds
 * HIR_CHROME_PIDS_A_RANK, and @ranks_moved is set. If that pid is taken, a free one is used.
 * O(tracks). */
HirChromePlace *hir_chrome_places_new (const HirTrace *trace, gboolean *ranks_moved);

G_END_DECLS
