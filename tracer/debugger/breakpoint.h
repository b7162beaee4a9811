/* Breakpoints and watchpoints as plain data: the instructions and further conditions. */
#pragma once

#include "debugger/breakpoint-limits.h"
#include "debugger/debug-expr.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_BREAK, /* stops before an instruction, except if is_after */
  HIR_WATCH, /* stops after an instruction that writes a tensor */
} HirBreakKind;

typedef struct
{
  guint number; /* from 1 */
  HirBreakKind kind;
  char *text;       /* as entered: "Communication iteration 5 rank 1" */
  GHashTable *ids;  /* nullable: set of guint64*, ids of the instructions; NULL: all instructions */
  int tensor;       /* of WHERE; -1: none */
  gint64 iteration; /* -1: any */
  gint64 rank;      /* -1: any */
  char *stream;     /* nullable: name of the current stream */
  HirDebugExpr *condition; /* nullable */
  gboolean is_temporary, is_disabled;
  gboolean is_after; /* stops after writes to `tensor`: HIR_WATCH, and "T5 if max(T5) > 1" */
  guint n_hits;
  char *failure; /* nullable: why the condition had no value at the last hit */
} HirBreakpoint;

/**
 * hir_breakpoint_new:
 * @text: `WHERE [iteration N] [rank N] [stream N] [if EXPR]`; WHERE or the rest may be omitted
 * @scope: the programs of all ranks
 * @names: resolves the names in the condition
 *
 * Parses a breakpoint. WHERE is one of: the line of an instruction of the first program (see
 * hir_instruction_numbers()); a tensor, T5, for the instructions that write it; a kind, an op or a
 * collective ("Communication", "matmul", "Allgather"); FILE:LINE; `@` and an instruction id in hex,
 * which `text` then shows as a line. A watchpoint requires a tensor. A breakpoint at a tensor whose
 * condition reads this tensor stops after the write, where the condition has its value. A rank,
 * stream or iteration that the programs do not have is an error.
 *
 * Returns: (transfer full): the breakpoint, or NULL with HIR_ERROR_SYNTAX or HIR_ERROR_INPUT and
 *   the column in @text
 */
HirBreakpoint *hir_breakpoint_new (HirBreakKind kind,
                                   const char *text,
                                   const HirBreakScope *scope,
                                   const HirDebugNames *names,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
void hir_breakpoint_free (HirBreakpoint *breakpoint);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirBreakpoint, hir_breakpoint_free)

/* Returns the instructions of a host program (HirExpr*) by the line of its text in which they
 * start: line n is entry n - 1, which is NULL if no instruction starts there. */
GPtrArray *hir_instruction_numbers (HirContainer *program);
/* Returns the line of instruction @id, or 0 if it is not in @numbers. */
guint hir_instruction_find (const GPtrArray *numbers, guint64 id);

G_END_DECLS
