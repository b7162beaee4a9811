/* Lets the ranks of one process run their instructions one at a time, in baseline repetitions. A
 * turn is of one rank, or of all members of a collective together. Host threads of the ranks. */
#pragma once

#include "run/backend.h"

G_BEGIN_DECLS

typedef struct _HirTurns HirTurns;

/* Creates the turns of a run. @cancellable is nullable. @timeout_us limits the wait for the other
 * members of a collective; 0: no limit. It starts again while ranks compute (@computations). */
HirTurns *
hir_turns_new (GCancellable *cancellable, gint64 timeout_us, HirComputations *computations);
void hir_turns_free (HirTurns *turns);
/* Makes all waiting and later calls fail: a rank has failed. Any thread. */
void hir_turns_abort (HirTurns *turns);
/* Starts a repetition: forgets unfinished turns. No rank may be in a turn. */
void hir_turns_reset (HirTurns *turns);

/* Waits for the turn of this rank. */
gboolean hir_turns_begin (HirTurns *turns, GError **error);
/* Waits until @n members have called this with @key as often as rank @rank, and for their turn. */
gboolean
hir_turns_begin_together (HirTurns *turns, const char *key, guint n, int rank, GError **error);
/* Ends the turn of this rank, or its part of one. The turn ends with the last part. */
void hir_turns_end (HirTurns *turns);

G_END_DECLS
