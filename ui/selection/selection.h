/* The selection of a window: a step (snapshot), a node, an event, a time range. All views set it
 * and follow its signals, so that no view depends on another one. Main thread. */
#pragma once

#include <glib-object.h>

#include "program/program.h"
#include "program/rank-programs.h"
#include "trace/instance.h"

G_BEGIN_DECLS

#define HIR_TYPE_SELECTION (hir_selection_get_type ())
G_DECLARE_FINAL_TYPE (HirSelection, hir_selection, HIR, SELECTION, GObject)

/**
 * hir_selection_new:
 *
 * Creates an empty selection. Its signals have no arguments:
 * - "program-changed": the program was replaced
 * - "ranks-changed": the programs of the other ranks were set or cleared
 * - "trace-changed": the trace was replaced, or extended while a run is recorded
 * - "step-changed"; also emits "node-changed", because the node has other counterparts
 * - "base-changed", "node-changed", "event-changed", "range-changed", "pair-changed",
 *   "debug-changed"
 * - "advice-changed": see hir_selection_set_advice()
 * - "drawing-changed": see trace-memory.h
 */
HirSelection *hir_selection_new (void);

/* Sets the program (nullable) and takes a reference. Keeps the step with the same name, and the
 * node if it still exists. In a program of the other pipeline, selects the instruction that
 * corresponds to the selected one, otherwise the nearest common origin of the node; and the last
 * step if a host program is displayed. Clears event, range, pair and
 * ranks. */
void hir_selection_set_program (HirSelection *self, HirProgram *program);

/* Returns the program (borrowed), or NULL. */
HirProgram *hir_selection_get_program (HirSelection *self);

/* Sets the programs of all ranks and takes a reference; NULL if they are unknown. Contains the
 * program of hir_selection_set_program(), which clears them. */
void hir_selection_set_ranks (HirSelection *self, HirRankPrograms *ranks);

/* Returns the programs of all ranks (borrowed), or NULL if they are unknown. */
HirRankPrograms *hir_selection_get_ranks (HirSelection *self);

/* Displays entry @i of the ranks. Keeps step and event. Keeps the node if the program has it,
 * otherwise selects one of its origins in the last step that has one. */
void hir_selection_set_rank_program (HirSelection *self, guint i);

/* Returns the displayed entry of the ranks, or -1 if they are unknown. */
int hir_selection_get_rank_program (HirSelection *self);

/* Returns the displayed rank: that of the selected event, otherwise the rank that the program was
 * lowered for or the first that runs it. */
int hir_selection_get_rank (HirSelection *self);

/* Sets the trace (nullable) and takes a reference. Keeps the event if @trace extends the previous
 * trace. */
void hir_selection_set_trace (HirSelection *self, HirTrace *trace);

/* Returns the trace (borrowed), or NULL. */
HirTrace *hir_selection_get_trace (HirSelection *self);

/* Sets the text that views show while there is no recording: why, and what to do. */
void hir_selection_set_advice (HirSelection *self, const char *advice);
/* Returns this text (borrowed); never NULL. */
const char *hir_selection_get_advice (HirSelection *self);

/* Sets the displayed snapshot, clamped to the existing ones. */
void hir_selection_set_step (HirSelection *self, guint step);

/* Returns the index of the displayed snapshot. */
guint hir_selection_get_step (HirSelection *self);

/* Returns the view of the displayed step (borrowed), or NULL. */
HirProgramView *hir_selection_get_view (HirSelection *self);

/* Returns the view of the step before it (borrowed), or NULL. */
HirProgramView *hir_selection_get_previous_view (HirSelection *self);

/**
 * hir_selection_set_base:
 * @base: (nullable): a snapshot of any program, or NULL for the previous step
 * @name: (nullable): its name, such as "SegmentFusion, before the last change"; NULL for that of
 * its pass
 *
 * Sets the snapshot that steps are compared with, and takes a reference. It is kept when the
 * program is lowered again.
 */
void hir_selection_set_base (HirSelection *self, HirProgramView *base, const char *name);

/* Returns the base (borrowed), or NULL for the previous step. */
HirProgramView *hir_selection_get_base (HirSelection *self);

/* Returns the name of the base or of the previous step, or NULL if there is none. */
const char *hir_selection_get_base_name (HirSelection *self);

/* Returns the program before the last change (borrowed), or NULL if there is none with the same
 * function. */
HirProgram *hir_selection_get_earlier_program (HirSelection *self);

/* Selects a node of the displayed step, or none if @id is 0. Deselects an event of another node. */
void hir_selection_set_node (HirSelection *self, guint64 id);

/* Returns the selected node, or 0. It may belong to another step. */
guint64 hir_selection_get_node (HirSelection *self);

/* Selects line @line of the script: the counterparts are all nodes that the line caused, see
 * hir_program_views_follow_line(); the node is one of them. Deselects an event of another node.
 * Returns FALSE and changes nothing if the line caused no node. */
gboolean hir_selection_set_line (HirSelection *self, guint line);

/* Returns the line of hir_selection_set_line(), or 0 if something else is selected. */
guint hir_selection_get_line (HirSelection *self);

/* Returns the counterparts of the selected node in snapshot @step: array of guint64, possibly
 * empty. Borrowed until the next change. */
GArray *hir_selection_get_nodes_at (HirSelection *self, guint step);

/* Returns whether @id is a counterpart of the selected node in @step. */
gboolean hir_selection_has_node_at (HirSelection *self, guint step, guint64 id);

/* Returns the script position of the selected node or line; line 0 if there is none. */
HirPos hir_selection_get_script_pos (HirSelection *self);

/* Selects an event and its instruction. Displays the program of the event's rank. */
void hir_selection_set_event (HirSelection *self, guint track, guint index);

/* Returns FALSE if no event is selected. */
gboolean hir_selection_get_event (HirSelection *self, guint *track, guint *index);

/**
 * hir_selection_set_pair:
 * @first: (nullable): an instance, or NULL to clear the pair
 * @second: (nullable): an instance
 *
 * Highlights two instances without the required order: their bars, and their instructions in the
 * last step. An instance without an instruction is the caller of the program. Copies both.
 */
void hir_selection_set_pair (HirSelection *self,
                             const HirTraceInstance *first,
                             const HirTraceInstance *second);

/* Returns the two instances, or NULL. Borrowed until the next hir_selection_set_pair(). */
const HirTraceInstance *hir_selection_get_pair_instances (HirSelection *self);

/* Returns the instructions of the pair. Returns FALSE and sets both to 0 if there is no pair. */
gboolean hir_selection_get_pair (HirSelection *self, guint64 *first, guint64 *second);

/**
 * hir_selection_set_debug:
 * @pointer: the next instruction of the debugged program, or 0
 * @breaks: (nullable): instructions with an enabled breakpoint, guint64
 * @disabled: (nullable): instructions with a disabled breakpoint, guint64
 *
 * Sets the state of the debugger. It is independent of the selected node.
 */
void hir_selection_set_debug (HirSelection *self,
                              guint64 pointer,
                              const GArray *breaks,
                              const GArray *disabled);

/* Returns the next instruction of the debugged program, or 0. */
guint64 hir_selection_get_pointer (HirSelection *self);

/* Where a rank of the debugged program is paused. */
typedef struct
{
  int rank;
  guint64 instruction; /* the next one; 0: the rank has ended or is inside one */
  gint32 iteration;    /* -1 outside of loops */
} HirDebugPlace;

/* Sets where the debugged program is paused: @places has a HirDebugPlace per rank, and @focus is
 * the index of the displayed rank. @is_behind: it has gone back, so that later instructions are
 * already recorded. Copies @places. Call before hir_selection_set_debug(), which emits the signal.
 */
void hir_selection_set_debug_places (HirSelection *self,
                                     const GArray *places,
                                     guint focus,
                                     gboolean is_behind);

/* Returns the position of @rank, or of the displayed rank if it is -1. Returns FALSE and leaves the
 * arguments unchanged if no debugged program is paused, or if it has no such rank. */
gboolean hir_selection_get_debug_place (HirSelection *self,
                                        int rank,
                                        HirDebugPlace *place,
                                        gboolean *is_behind);

/* Returns the instructions with an enabled or @disabled breakpoint (nullable). Borrowed until the
 * next hir_selection_set_debug(). */
const GArray *hir_selection_get_breaks (HirSelection *self, gboolean disabled);

/* Returns whether instruction @id has an enabled or @disabled breakpoint. */
gboolean hir_selection_has_break (HirSelection *self, guint64 id, gboolean disabled);

/* Clears node, event and pair, but not the range and the tracks. */
void hir_selection_clear (HirSelection *self);

/* Selects a time range of the trace; the order of the arguments does not matter. Equal times clear
 * it. Keeps the selected tracks. */
void hir_selection_set_range (HirSelection *self, gint64 start_ns, gint64 end_ns);

/* Returns the time range. Returns FALSE and sets both to 0 if there is none. */
gboolean hir_selection_get_range (HirSelection *self, gint64 *start_ns, gint64 *end_ns);

/* Selects tracks (trace/track-set.h), of the time range or of the whole trace. NULL or an empty set
 * clears them: statistics and tables count all tracks. Emits "range-changed". */
void hir_selection_set_tracks (HirSelection *self, GArray *tracks);

/* Returns the selected tracks (borrowed), or NULL if no track is selected. */
GArray *hir_selection_get_tracks (HirSelection *self);

/* Clears the time range and the tracks. */
void hir_selection_clear_range (HirSelection *self);

G_END_DECLS
