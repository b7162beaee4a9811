/* Where Chrome's JSON has each track of a trace: the process and the thread that a viewer groups by. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

#define HIR_CHROME_PIDS_A_RANK 1000

typedef struct
{
  int pid; /* no two of (host or device, rank, device) have the same */
  gint64 tid;
  gboolean is_first; /* track of its process */
  guint counter; /* of a counter: how many of the same name and rank come before it */
} HirChromePlace;

/* One a track, to be freed by g_free(). A device is the process of its own number, as in Kineto; of a further rank that uses
 * a device of the same number, HIR_CHROME_PIDS_A_RANK times its place among those more, and @ranks_moved is set. Where
 * that number is another's, any that is free. O(tracks). */
HirChromePlace *hir_chrome_places_new (const HirTrace *trace, gboolean *ranks_moved);

G_END_DECLS
