/* Where a debugged program is to stop: instructions, and what else must be so. Plain data. */
#pragma once

#include "container.h"
#include "debugger/debug-expr.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_BREAK,
  HIR_WATCH, /* after an instruction that writes a tensor */
} HirBreakKind;

typedef struct
{
  guint number;    /* from 1 */
  HirBreakKind kind;
  char *text;      /* as it was asked for: "Communication iteration 5 rank 1" */
  GHashTable *ids; /* nullable: guint64* ids of the instructions; NULL: any */
  int tensor;      /* of a watch; -1 */
  gint64 iteration; /* -1: any */
  gint64 rank;      /* -1: any */
  char *stream;     /* nullable: name of the current stream */
  HirDebugExpr *condition; /* nullable */
  gboolean is_temporary, is_disabled;
  guint n_hits;
} HirBreakpoint;

/* Reads `WHERE [iteration N] [rank N] [stream N] [if EXPR]`; of WHERE and the rest either may be
 * left out. WHERE: the number of an instruction in the first of @programs, as
 * hir_instruction_numbers() counts; T5; a kind, an op or a collective ("Communication", "matmul",
 * "Allgather"); FILE:LINE; @ and the id of an instruction in hex, whose number then stands in
 * `text`. A watch takes a tensor. @programs: HirContainer*, one a rank. @names: who knows the names
 * in conditions. Errors: HIR_ERROR_SYNTAX, HIR_ERROR_INPUT with the column in @text. */
HirBreakpoint *hir_breakpoint_new (HirBreakKind kind,
                                   const char *text,
                                   HirContainer *const *programs,
                                   guint n_programs,
                                   const HirDebugNames *names,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
void hir_breakpoint_free (HirBreakpoint *breakpoint);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirBreakpoint, hir_breakpoint_free)

/* Exprs of a host program (HirExpr*) in the order of its text: number n is entry n - 1. */
GPtrArray *hir_instruction_numbers (HirContainer *program);
/* 0 where it is not there. */
guint hir_instruction_find (const GPtrArray *numbers, guint64 id);

G_END_DECLS
