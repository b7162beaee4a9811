/* Expressions of the debugger: conditions of breakpoints and arguments of print. They have C's
 * operators and precedence on numbers, names of scalars, tensors (T5, T5[1, 0]), and functions of
 * tensors. The parser accepts arbitrary input. */
#pragma once

#include "run/values/value-summary.h"

G_BEGIN_DECLS

/* An integer or a floating-point number. */
typedef struct
{
  gboolean is_int;
  gint64 i; /* if is_int */
  double d; /* in both cases */
} HirDebugNumber;

/* Resolves names. Functions fail with HIR_ERROR_INPUT if the name does not exist, and with
 * HIR_ERROR_RUN if it has no value at the current position. */
typedef struct
{
  /* Gets a scalar. */
  gboolean (*scalar) (const char *name, HirDebugNumber *number, gpointer user_data, GError **error);
  /* Returns a summary (transfer full) of the part @query of T<name>. */
  HirValueSummary *(*tensor) (int name,
                              const HirValueQuery *query,
                              gpointer user_data,
                              GError **error);
  gpointer user_data;
} HirDebugNames;

typedef struct _HirDebugExpr HirDebugExpr;

/* Parses @text. Returns NULL and sets HIR_ERROR_SYNTAX with the column in line 1 on failure. */
HirDebugExpr *hir_debug_expr_parse (const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void hir_debug_expr_free (HirDebugExpr *expr);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirDebugExpr, hir_debug_expr_free)

/**
 * hir_debug_expr_evaluate:
 * @names: resolves the names in @expr
 * @number: (out): the value
 *
 * Evaluates @expr as C does: && and || evaluate the right side only if needed, and comparisons
 * return 0 or 1.
 *
 * Returns: FALSE and sets @error with a column: an error of @names, or HIR_ERROR_INPUT or
 *   HIR_ERROR_RUN for an integer division by 0 or an index out of range
 */
gboolean hir_debug_expr_evaluate (const HirDebugExpr *expr,
                                  const HirDebugNames *names,
                                  HirDebugNumber *number,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Checks that all names in @expr exist. Returns FALSE and sets HIR_ERROR_INPUT otherwise. */
gboolean hir_debug_expr_check (const HirDebugExpr *expr,
                               const HirDebugNames *names,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Returns TRUE if @expr reads T<tensor>. */
gboolean hir_debug_expr_reads (const HirDebugExpr *expr, int tensor);

/**
 * hir_debug_expr_get_tensor:
 * @query: (inout): receives single indices; other members are not changed
 * @first: (out) (array length=HIR_MAX_DIMS): first index of each axis
 * @stop: (out) (array length=HIR_MAX_DIMS): end of each axis, exclusive; -1: the whole axis
 *
 * Reads an expression that is a tensor or a slice of it, `T5[0:2, 3]`.
 *
 * Returns: the name of the tensor, or -1 if the expression is not a tensor or an index is invalid
 */
int hir_debug_expr_get_tensor (const HirDebugExpr *expr,
                               const HirDebugNames *names,
                               HirValueQuery *query,
                               gint64 *first,
                               gint64 *stop,
                               GError **error);

/* Formats a number, "5" or "0.25": (transfer full). */
char *hir_debug_number_format (const HirDebugNumber *number);

G_END_DECLS
