/* Expressions that are typed at a debugger: conditions of breakpoints, what print shows. C's
 * operators and precedence on numbers; names of scalars; tensors as T5, T5[1, 0], and functions of
 * them. Parsing takes any text. */
#pragma once

#include "run/values/value-summary.h"

G_BEGIN_DECLS

/* A whole number or a floating-point one. */
typedef struct
{
  gboolean is_int;
  gint64 i; /* where it is whole */
  double d; /* in either case */
} HirDebugNumber;

/* Whom it asks. Each gives FALSE and HIR_ERROR_INPUT where there is no such name, and HIR_ERROR_RUN
 * where it has no value now. */
typedef struct
{
  gboolean (*scalar) (const char *name,
                      HirDebugNumber *number,
                      gpointer user_data,
                      GError **error);
  /* @look: which part of T<name>; the summary is the caller's. */
  HirValueSummary *(*tensor) (int name,
                              const HirValueQuery *look,
                              gpointer user_data,
                              GError **error);
  gpointer user_data;
} HirDebugNames;

typedef struct _HirDebugExpr HirDebugExpr;

/* HIR_ERROR_SYNTAX, whose position is line 1 and the column in @text. */
HirDebugExpr *hir_debug_expr_parse (const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void hir_debug_expr_free (HirDebugExpr *expr);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirDebugExpr, hir_debug_expr_free)

/* As C would: && and || look at the right side only where they need it; a comparison gives 0 or 1.
 * HIR_ERROR_INPUT, HIR_ERROR_RUN: those of @names, a division of whole numbers by 0, an element that
 * is not there; with the column. */
gboolean hir_debug_expr_evaluate (const HirDebugExpr *expr,
                                  const HirDebugNames *names,
                                  HirDebugNumber *number,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Asks for each name, and drops what it is: HIR_ERROR_INPUT where there is none such. */
gboolean hir_debug_expr_check (const HirDebugExpr *expr,
                               const HirDebugNames *names,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Where the whole expression is T5 or a part of it, `T5[0:2, 3]`: its name, and *@look the part (the
 * rest of it as it was). A range that is not whole has its first index in @first and what is behind
 * its last in @stop (-1: the end), one an axis; both arrays of HIR_MAX_DIMS. -1: it is something
 * else. */
int hir_debug_expr_get_tensor (const HirDebugExpr *expr,
                               const HirDebugNames *names,
                               HirValueQuery *look,
                               gint64 *first,
                               gint64 *stop,
                               GError **error);

/* "5", "0.25". Newly allocated. */
char *hir_debug_number_format (const HirDebugNumber *number);

G_END_DECLS
