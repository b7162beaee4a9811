/* Lists blocked communications of a debugged program: one row per communication that blocks a
 * stream because a rank has not posted it. No GTK. */
#pragma once

#include "debugger/state.h"

G_BEGIN_DECLS

typedef struct
{
  char *waits;         /* for example "Rank 0 waits in Allgather T5 in iteration 1" */
  guint64 instruction; /* the blocked instruction */
  char *awaited;       /* for example "for rank 1, stopped before program line 12, Allgather T5 in
                          iteration 1" */
  int rank;            /* first awaited rank */
} HirDebugWait;

/**
 * hir_debug_waits_new:
 * @state: state of the debugged program
 * @title: (out): what is wrong: a deadlock, a rank that has ended, or one that is held; "" if no
 *   rank waits
 *
 * Returns: (transfer full): array of HirDebugWait *, one per blocked communication
 */
GPtrArray *hir_debug_waits_new (const HirDebugState *state, char **title);

G_END_DECLS
