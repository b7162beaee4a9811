/* Who waits for whom in a debugged program: one row a communication in which a stream stands because a rank has not come.
 * No GTK. */
#pragma once

#include "debugger/state.h"

G_BEGIN_DECLS

typedef struct
{
  char *waits;         /* "Rank 0 waits in Allgather T5 in iteration 1" */
  guint64 instruction; /* that it stands in */
  char *awaited;       /* "for rank 1, which stands before #12 Allgather T5 in iteration 1" */
  int rank;            /* the first that is awaited */
} HirDebugWait;

/* HirDebugWait*, owned; empty: nobody waits. *@title (newly allocated) says what is wrong: a circle, a rank that has ended,
 * or one that is held. */
GPtrArray *hir_debug_waits_new (const HirDebugState *state, char **title);

G_END_DECLS
