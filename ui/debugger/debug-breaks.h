/* Breakpoints of a document. They outlive runs, repeated lowering and the window. Each refers to
 * its instruction by id and is unbound while no displayed program has it. No GTK. */
#pragma once

#include "container.h"
#include "debugger/state.h"

G_BEGIN_DECLS

typedef struct
{
  guint key;    /* permanent key in its list, from 1 */
  guint number; /* number in the debugger; 0 if the debugger does not have it */
  gboolean is_watch, is_disabled;
  gboolean is_pending; /* sent to the debugger, no answer yet */
  guint64 id;          /* of its instruction; 0 if @where is not a single instruction */
  char *where;         /* "T5", "Communication"; "" means anywhere. For an instruction its current
                          number, "" if it is gone */
  char *iteration, *rank, *stream, *condition; /* as typed; "" means any */
  char *label;                                 /* nullable: last known label of the instruction */
  GArray *ids; /* guint64: its current instructions; empty means any or unknown */
  char *why;   /* nullable: reason why it is unbound */
  guint n_hits;
} HirBreak;

/* Programs of all ranks (borrowed). Instruction numbers refer to the first one. n_programs is 0
 * for a recording: its instructions are identified by id, and only the debugger can check
 * breakpoints. */
typedef struct
{
  HirContainer *const *programs;
  guint n_programs;
} HirBreakPrograms;

/* Creates a list of HirBreak * (owned). */
GPtrArray *hir_debug_breaks_new (void);
/**
 * hir_break_new:
 * @text: a breakpoint as the `break` command takes it, or "watch T5"
 * @programs: the programs
 * @error: HIR_ERROR_SYNTAX or HIR_ERROR_INPUT if @text is invalid; its position is the column in
 *   @text
 *
 * Creates a breakpoint that is not in a list yet. The number of an instruction is replaced by its
 * id.
 *
 * Returns: (transfer full): the breakpoint, or NULL
 */
HirBreak *hir_break_new (const char *text,
                         const HirBreakPrograms *programs,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Frees @item. */
void hir_break_free (HirBreak *item);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirBreak, hir_break_free)
/* Returns the displayed text, for example "12 iteration 5 if max(T5) > 1"; watchpoints start
 * with "watch ". */
char *hir_break_dup_text (const HirBreak *item);
/* Returns the debugger command that sets it. */
char *hir_break_dup_line (const HirBreak *item);

/* Adds @item (transfer full) and sets its key. */
void hir_debug_breaks_add (GPtrArray *breaks, HirBreak *item);
/* Replaces the breakpoint with @key by @item (transfer full). Position, enabled state and
 * debugger number stay. */
void hir_debug_breaks_replace (GPtrArray *breaks, guint key, HirBreak *item);
/* Removes the breakpoint with @key. Returns FALSE if there is none. */
gboolean hir_debug_breaks_remove (GPtrArray *breaks, guint key);
/* Returns the breakpoint with @key (borrowed), or NULL. */
HirBreak *hir_debug_breaks_lookup (GPtrArray *breaks, guint key);
/* Returns a breakpoint at instruction @id, whatever its conditions, or NULL. */
HirBreak *hir_debug_breaks_find (GPtrArray *breaks, guint64 id);
/* Updates numbers, instructions and bound state for @programs, which can be empty. */
void hir_debug_breaks_bind (GPtrArray *breaks, const HirBreakPrograms *programs);
/* Returns the instructions (guint64) of the enabled breakpoints, or of the disabled ones if
 * @disabled (transfer full). */
GArray *hir_debug_breaks_dup_ids (GPtrArray *breaks, gboolean disabled);

/* Handles the debugger's answer @state for breakpoint @key: stores its number or its error.
 * Returns TRUE if the debugger accepted it. */
gboolean hir_debug_breaks_answer (GPtrArray *breaks, guint key, const HirDebugState *state);
/* Updates the list from @state: breakpoints set, deleted, enabled, disabled or hit in the
 * debugger. */
void hir_debug_breaks_take (GPtrArray *breaks,
                            const HirDebugState *state,
                            const HirBreakPrograms *programs);
/* Clears all debugger numbers, because the debugger has exited. */
void hir_debug_breaks_forget_numbers (GPtrArray *breaks);

G_END_DECLS
