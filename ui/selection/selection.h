/* What is selected, for every view alike: a step (snapshot), a node, an event. One object a window;
 * each view sets it and listens, and none knows of another. */
#pragma once

#include <glib-object.h>

#include "program/program.h"
#include "program/rank-programs.h"
#include "trace/instance.h"

G_BEGIN_DECLS

#define HIR_TYPE_SELECTION (hir_selection_get_type ())
G_DECLARE_FINAL_TYPE (HirSelection, hir_selection, HIR, SELECTION, GObject)

/* Signals, all without arguments: `program-changed` (replaced; everything else is reset), `ranks-changed`
 * (the programs of the other ranks are known, or no longer), `trace-changed`
 * (another one, or more of the one that is being recorded: an event stays selected), `step-changed`, `base-changed`, `node-changed`, `event-changed`, `range-changed`
 * (of time). A change of step also emits node-changed, since the
 * node's counterparts are others. */
HirSelection *hir_selection_new (void);

/* Both may be NULL; the selection keeps references. Keeps the step of the same name, and the node where it
 * is still there (ids are stable), so that lowering again moves nothing. */
void hir_selection_set_program (HirSelection *self, HirProgram *program);
HirProgram *hir_selection_get_program (HirSelection *self);
/* The programs of all ranks, one of them set_program()'s; NULL: not known. Keeps a reference. set_program()
 * forgets them. */
void hir_selection_set_ranks (HirSelection *self, HirRankPrograms *ranks);
HirRankPrograms *hir_selection_get_ranks (HirSelection *self);
/* Shows entry @i of the ranks (`program-changed`). Step and event stay; the node too, where that program has
 * it, else what it was made from in the last step in which both programs have that. */
void hir_selection_set_rank_program (HirSelection *self, guint i);
/* Which entry is shown; -1: the ranks are not known. */
int hir_selection_get_rank_program (HirSelection *self);
/* The rank that is looked at: of the selected event, else the first that runs the program shown, or that it
 * was lowered for. */
int hir_selection_get_rank (HirSelection *self);
void hir_selection_set_trace (HirSelection *self, HirTrace *trace);
HirTrace *hir_selection_get_trace (HirSelection *self);

/* Index of the snapshot on show; clamped. */
void hir_selection_set_step (HirSelection *self, guint step);
guint hir_selection_get_step (HirSelection *self);
/* The view of the step, of the step before it; NULL where there is none. Borrowed. */
HirProgramView *hir_selection_get_view (HirSelection *self);
HirProgramView *hir_selection_get_previous_view (HirSelection *self);

/* What a step is compared with: any snapshot, of this program, of another rank's, or of the one before the last
 * change of options or text; NULL: the step before. @name: what it is called ("SegmentFusion, before the last
 * change"); NULL: by its pass. Keeps a reference; `base-changed`. Lowering again keeps it, by the name of its
 * pass. */
void hir_selection_set_base (HirSelection *self, HirProgramView *base, const char *name);
HirProgramView *hir_selection_get_base (HirSelection *self);
/* What the step is compared with is called; NULL where there is nothing to compare with. */
const char *hir_selection_get_base_name (HirSelection *self);
/* The program before the last change, where it is of the same function; NULL: there was none. */
HirProgram *hir_selection_get_earlier_program (HirSelection *self);

/* Selects a node of the current step; 0: none. Clears the event unless it is one of this node's. */
void hir_selection_set_node (HirSelection *self, guint64 id);
/* The node as it was selected (maybe in another step), 0: none. */
guint64 hir_selection_get_node (HirSelection *self);
/* What it corresponds to in snapshot @step: array of guint64, maybe empty; borrowed, valid until the next
 * change. */
GArray *hir_selection_get_nodes_at (HirSelection *self, guint step);
gboolean hir_selection_has_node_at (HirSelection *self, guint step, guint64 id);
/* The script line that it goes back to; line 0: none. */
HirPos hir_selection_get_script_pos (HirSelection *self);

/* Selects an event, and with it its instruction; where that is of another program, shows its rank's. */
void hir_selection_set_event (HirSelection *self, guint track, guint index);
gboolean hir_selection_get_event (HirSelection *self, guint *track, guint *index);
/* Two instances that should be ordered and are not (`pair-changed`), copied; @first NULL: none, as with another
 * program. The boxes of their instructions, in the last step, and their own bars are shown so, whatever is selected. One
 * without an instruction is the caller. */
void hir_selection_set_pair (HirSelection *self, const HirTraceInstance *first, const HirTraceInstance *second);
/* Two of them, borrowed until they are set anew; NULL: none. */
const HirTraceInstance *hir_selection_get_pair_instances (HirSelection *self);
/* Their instructions alone. */
/* FALSE, and both 0, where there is none. */
gboolean hir_selection_get_pair (HirSelection *self, guint64 *first, guint64 *second);
/* Of a program that is debugged (`debug-changed`): the instruction before which it stands, 0: none; and
 * those with a breakpoint that holds, or that is @disabled, arrays of guint64, nullable. Neither is touched by what is
 * selected. */
void hir_selection_set_debug (HirSelection *self, guint64 pointer, const GArray *breaks, const GArray *disabled);
guint64 hir_selection_get_pointer (HirSelection *self);
/* Of the same: on which rank, in which iteration (-1: in no loop), and whether it has gone back behind what was recorded. Before
 * set_debug(), which tells of both; FALSE, and all as it was, where it stands nowhere. */
void hir_selection_set_debug_place (HirSelection *self, int rank, gint32 iteration, gboolean is_behind);
gboolean hir_selection_get_debug_place (HirSelection *self, int *rank, gint32 *iteration, gboolean *is_behind);
/* Borrowed, until they are set anew; nullable. */
const GArray *hir_selection_get_breaks (HirSelection *self, gboolean disabled);
gboolean hir_selection_has_break (HirSelection *self, guint64 id, gboolean disabled);
/* Neither node nor event, nor pair; the range stays. */
void hir_selection_clear (HirSelection *self);

/* A stretch of the trace's time, in any order; equal: none. Kept while the trace grows. */
void hir_selection_set_range (HirSelection *self, gint64 start_ns, gint64 end_ns);
/* FALSE, and both 0, where there is none; else *@start_ns < *@end_ns. */
gboolean hir_selection_get_range (HirSelection *self, gint64 *start_ns, gint64 *end_ns);

G_END_DECLS
