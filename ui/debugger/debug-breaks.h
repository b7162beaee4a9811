/* Breakpoints of a document: they outlive a run, lowering again and the window. Each one knows its instruction by
 * id, and is unbound while no program on show has that. No GTK. */
#pragma once

#include "container.h"
#include "debugger/state.h"

G_BEGIN_DECLS

typedef struct
{
  guint key;    /* in its list, for good; from 1 */
  guint number; /* what the debugger calls it; 0: it was not told, or could not take it */
  gboolean is_watch, is_disabled;
  gboolean is_told; /* the debugger has been told, and has not answered */
  guint64 id;       /* of its instruction; 0: @where says */
  char *where;      /* "T5", "Communication", "": anywhere; of an instruction its number now, "" where it is gone */
  char *iteration, *rank, *stream, *condition; /* as typed, "": any */
  char *label;      /* nullable: of the instruction, as it was last seen */
  GArray *ids;      /* guint64: its instructions now; empty: any, or none that is known */
  char *why;        /* nullable: why it is unbound */
  guint n_hits;
} HirBreak;

/* The programs of all ranks, numbers are counted in the first one; borrowed. None: of a recording, whose instructions are known
 * by id; then nothing is checked here, but by the debugger. */
typedef struct
{
  HirContainer *const *programs;
  guint n_programs;
} HirBreakPrograms;

/* HirBreak*, owned. */
GPtrArray *hir_debug_breaks_new (void);
/* One as `break` takes it, `watch T5` too. An instruction's number is turned into its id. HIR_ERROR_SYNTAX,
 * HIR_ERROR_INPUT: it makes no sense in these programs; the position is the column in @text. Not yet in a list. */
HirBreak *hir_break_new (const char *text, const HirBreakPrograms *programs, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void hir_break_free (HirBreak *item);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirBreak, hir_break_free)
/* "12 iteration 5 if max(T5) > 1": as it is shown, and could be typed; "watch " before it where it is one. */
char *hir_break_dup_text (const HirBreak *item);
/* The line that tells a debugger of it. */
char *hir_break_dup_line (const HirBreak *item);

/* Takes @item, which gets its key. */
void hir_debug_breaks_add (GPtrArray *breaks, HirBreak *item);
/* @item instead of the one of its @key: its place, whether it is enabled, and what the debugger calls it stay. Takes @item. */
void hir_debug_breaks_replace (GPtrArray *breaks, guint key, HirBreak *item);
/* FALSE: there is none. */
gboolean hir_debug_breaks_remove (GPtrArray *breaks, guint key);
/* NULL: there is none. Borrowed. */
HirBreak *hir_debug_breaks_lookup (GPtrArray *breaks, guint key);
/* One at just instruction @id, whatever else must be so; NULL: none. */
HirBreak *hir_debug_breaks_find (GPtrArray *breaks, guint64 id);
/* What they mean in these programs, which may be none: numbers, instructions, whether they are unbound. */
void hir_debug_breaks_bind (GPtrArray *breaks, const HirBreakPrograms *programs);
/* Their instructions (guint64), those that are disabled left out or (@disabled) those alone. Newly made. */
GArray *hir_debug_breaks_dup_ids (GPtrArray *breaks, gboolean disabled);

/* @key was told to a debugger, whose answer is @state: its number, or why not. TRUE: it was taken. */
gboolean hir_debug_breaks_answer (GPtrArray *breaks, guint key, const HirDebugState *state);
/* What was set, deleted, switched and met in @state is so here. */
void hir_debug_breaks_take (GPtrArray *breaks, const HirDebugState *state, const HirBreakPrograms *programs);
/* The debugger has gone. */
void hir_debug_breaks_forget_numbers (GPtrArray *breaks);

G_END_DECLS
