/* Assigns each track of a trace the process and thread ids of Chrome's JSON. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

#define HIR_CHROME_PIDS_A_RANK 1000

typedef struct
{
  char *pid;         /* JSON; unique per (host or device, rank, device), or process of the source */
  char *tid;         /* JSON */
  gboolean is_first; /* first track of its process */
  gboolean is_host;  /* in the process of the host of its rank */
  guint counter;     /* number of earlier counters with the same name and rank */
} HirChromePlace;

/* Returns one entry per track; free with hir_chrome_places_free(). The ids are those of the source.
 * If it has none, or another rank has its process id, the pid of a device is its number, as in
 * Kineto. If several ranks use the same device number, each further rank adds
 * HIR_CHROME_PIDS_A_RANK, and @ranks_moved is set. If that pid is taken, a free one is used.
 * O(tracks). */
HirChromePlace *hir_chrome_places_new (const HirTrace *trace, gboolean *ranks_moved);
/* Frees the @places of @trace. */
void hir_chrome_places_free (HirChromePlace *places, const HirTrace *trace);

G_END_DECLS
