/* Evaluates the debugger's expressions. */
#include <math.h>

#include "debugger/debug-expr-private.h"
#include "diagnostic.h"

static gboolean evaluate (const HirDebugNode *node,
                          const HirDebugNames *names,
                          HirDebugNumber *number,
                          GError **error);

static const HirDebugNode *
get_child (const HirDebugNode *node, guint i)
{
  return g_ptr_array_index (node->children, i);
}

static void
set_whole (HirDebugNumber *number, gint64 i)
{
  *number = (HirDebugNumber){ TRUE, i, (double) i };
}

static void
set_real (HirDebugNumber *number, double d)
{
  *number = (HirDebugNumber){ FALSE, 0, d };
}

static gboolean
fail_at (const HirDebugNode *node, HirErrorCode code, GError **error, const char *what)
{
  const HirPos pos = { 1, node->column };

  hir_set_error (error, code, &pos, "%s", what);
  return FALSE;
}

/* Takes @cause and sets @error with the column of @node. Returns FALSE. */
static gboolean
locate (const HirDebugNode *node, GError *cause, GError **error)
{
  const HirPos pos = { 1, node->column };

  hir_set_error (error, (HirErrorCode) cause->code, &pos, "%s", cause->message);
  g_error_free (cause);
  return FALSE;
}

static gboolean
evaluate_index (const HirDebugNode *node, const HirDebugNames *names, gint64 *index, GError **error)
{
  HirDebugNumber number;

  if (!evaluate (node, names, &number, error))
    return FALSE;
  *index = number.i;
  if (number.is_int && number.i >= 0)
    return TRUE;
  return fail_at (node, HIR_ERROR_INPUT, error, "an index must be an integer, 0 or more");
}

/* Evaluates the range of one axis. Stores a single index in @query. */
static gboolean
evaluate_range (const HirDebugNode *node,
                const HirDebugNames *names,
                guint axis,
                HirValueQuery *query,
                gint64 *first,
                gint64 *stop,
                GError **error)
{
  const HirDebugNode *begin = get_child (node, 0);

  if (begin->kind != HIR_DEBUG_NOTHING && !evaluate_index (begin, names, &first[axis], error))
    return FALSE;
  if (node->children->len == 1)
    {
      query->at[axis] = first[axis];
      return TRUE;
    }
  if (get_child (node, 1)->kind != HIR_DEBUG_NOTHING &&
      !evaluate_index (get_child (node, 1), names, &stop[axis], error))
    return FALSE;
  return stop[axis] < 0 || stop[axis] > first[axis] ||
         fail_at (node, HIR_ERROR_INPUT, error, "empty range; use FIRST:END, with END exclusive");
}

static gboolean
evaluate_query (const HirDebugNode *node,
                const HirDebugNames *names,
                HirValueQuery *query,
                gint64 *first,
                gint64 *stop,
                GError **error)
{
  for (guint i = 0; i < HIR_MAX_DIMS; i++)
    {
      first[i] = 0;
      stop[i] = -1;
    }
  for (guint i = 0; i < node->children->len; i++)
    if (!evaluate_range (get_child (node, i), names, i, query, first, stop, error))
      return FALSE;
  return TRUE;
}

/* Returns the summary of a tensor or of a part with whole axes and single indices. Other ranges are
 * an error. */
static HirValueSummary *
summarise (const HirDebugNode *node, const HirDebugNames *names, GError **error)
{
  gint64 first[HIR_MAX_DIMS], stop[HIR_MAX_DIMS];
  HirValueQuery query;
  HirValueSummary *summary;
  GError *cause = NULL;

  hir_value_query_init (&query);
  query.map_rows = query.map_columns = 0;
  query.page_rows = query.page_columns = 1;
  if (!evaluate_query (node, names, &query, first, stop, error))
    return NULL;
  for (guint i = 0; i < HIR_MAX_DIMS; i++)
    if (query.at[i] < 0 && (first[i] != 0 || stop[i] >= 0))
      {
        fail_at (node, HIR_ERROR_INPUT, error,
                 "ranges are only allowed in print; use a single index or the whole axis");
        return NULL;
      }
  summary = names->tensor (node->tensor, &query, names->user_data, &cause);
  if (summary == NULL)
    {
      locate (node, cause, error);
      return NULL;
    }
  if (node->children->len <= summary->n_dims)
    return summary;
  hir_value_summary_free (summary);
  fail_at (node, HIR_ERROR_INPUT, error, "the tensor has fewer axes");
  return NULL;
}

static gboolean
evaluate_element (const HirDebugNode *node,
                  const HirDebugNames *names,
                  HirDebugNumber *number,
                  GError **error)
{
  g_autoptr (HirValueSummary) summary = summarise (node, names, error);
  g_autofree char *what = NULL;

  if (summary == NULL)
    return FALSE;
  if (hir_value_summary_get_n_elements (summary) == 1)
    {
      /* Numbers of the page are rounded; min is exact. */
      if (hir_dtype_is_floating_point (summary->dtype))
        set_real (number, summary->n_nan + summary->n_inf == 0
                              ? summary->min
                              : g_ascii_strtod (summary->page[0], NULL));
      else
        set_whole (number, g_ascii_strtoll (summary->page[0], NULL, 10));
      return TRUE;
    }
  what = g_strdup_printf ("T%d has %" G_GUINT64_FORMAT " elements; select one, T%d[0, 0], or use a "
                          "function, max(T%d)",
                          node->tensor, hir_value_summary_get_n_elements (summary), node->tensor,
                          node->tensor);
  return fail_at (node, HIR_ERROR_INPUT, error, what);
}

static gboolean
call_of_tensor (const HirDebugNode *node,
                const HirDebugNames *names,
                HirDebugNumber *number,
                GError **error)
{
  g_autoptr (HirValueSummary) summary = summarise (get_child (node, 0), names, error);
  gint64 axis;

  if (summary == NULL)
    return FALSE;
  switch (node->function)
    {
    case HIR_DEBUG_ISNAN:
      set_whole (number, summary->n_nan > 0);
      return TRUE;
    case HIR_DEBUG_ISINF:
      set_whole (number, summary->n_inf > 0);
      return TRUE;
    case HIR_DEBUG_MIN:
      set_real (number, summary->min);
      return TRUE;
    case HIR_DEBUG_MAX:
      set_real (number, summary->max);
      return TRUE;
    case HIR_DEBUG_MEAN:
      set_real (number, summary->mean);
      return TRUE;
    case HIR_DEBUG_STD:
      set_real (number, summary->deviation);
      return TRUE;
    default:
      if (!evaluate_index (get_child (node, 1), names, &axis, error))
        return FALSE;
      if (axis >= summary->n_dims)
        return fail_at (node, HIR_ERROR_INPUT, error, "the axis is out of range");
      set_whole (number, summary->sizes[axis]);
      return TRUE;
    }
}

static gboolean
call_of_numbers (const HirDebugNode *node,
                 const HirDebugNames *names,
                 HirDebugNumber *number,
                 GError **error)
{
  HirDebugNumber a, b;

  if (!evaluate (get_child (node, 0), names, &a, error))
    return FALSE;
  if (node->children->len == 2)
    {
      if (!evaluate (get_child (node, 1), names, &b, error))
        return FALSE;
      *number = (node->function == HIR_DEBUG_MIN) == (a.d < b.d) ? a : b;
      return TRUE;
    }
  switch (node->function)
    {
    case HIR_DEBUG_ISNAN:
      set_whole (number, isnan (a.d));
      return TRUE;
    case HIR_DEBUG_ISINF:
      set_whole (number, isinf (a.d) != 0);
      return TRUE;
    case HIR_DEBUG_SQRT:
      set_real (number, sqrt (a.d));
      return TRUE;
    default:
      if (a.is_int && a.i != G_MININT64)
        set_whole (number, ABS (a.i));
      else
        set_real (number, fabs (a.d));
      return TRUE;
    }
}

static gboolean
compare (HirDebugOp op, const HirDebugNumber *a, const HirDebugNumber *b)
{
  gboolean whole = a->is_int && b->is_int;

  switch (op)
    {
    case HIR_DEBUG_EQ:
      return whole ? a->i == b->i : a->d == b->d;
    case HIR_DEBUG_NE:
      return whole ? a->i != b->i : a->d != b->d;
    case HIR_DEBUG_LT:
      return whole ? a->i < b->i : a->d < b->d;
    case HIR_DEBUG_LE:
      return whole ? a->i <= b->i : a->d <= b->d;
    case HIR_DEBUG_GT:
      return whole ? a->i > b->i : a->d > b->d;
    default:
      return whole ? a->i >= b->i : a->d >= b->d;
    }
}

/* Returns FALSE if the result does not fit into 64 bits. */
static gboolean
compute_whole (HirDebugOp op, gint64 a, gint64 b, gint64 *result)
{
  switch (op)
    {
    case HIR_DEBUG_ADD:
      return !__builtin_add_overflow (a, b, result);
    case HIR_DEBUG_SUB:
      return !__builtin_sub_overflow (a, b, result);
    case HIR_DEBUG_MUL:
      return !__builtin_mul_overflow (a, b, result);
    case HIR_DEBUG_DIV:
      *result = b == -1 && a == G_MININT64 ? 0 : a / b;
      return !(b == -1 && a == G_MININT64);
    default:
      *result = b == -1 ? 0 : a % b;
      return TRUE;
    }
}

static double
compute_real (HirDebugOp op, double a, double b)
{
  switch (op)
    {
    case HIR_DEBUG_ADD:
      return a + b;
    case HIR_DEBUG_SUB:
      return a - b;
    case HIR_DEBUG_MUL:
      return a * b;
    case HIR_DEBUG_DIV:
      return a / b;
    default:
      return fmod (a, b);
    }
}

static gboolean
is_true (const HirDebugNumber *number)
{
  return number->is_int ? number->i != 0 : number->d != 0;
}

static gboolean
evaluate_binary (const HirDebugNode *node,
                 const HirDebugNames *names,
                 HirDebugNumber *number,
                 GError **error)
{
  HirDebugNumber a, b;
  gint64 whole;

  if (!evaluate (get_child (node, 0), names, &a, error))
    return FALSE;
  if (node->op == HIR_DEBUG_OR || node->op == HIR_DEBUG_AND)
    {
      if (is_true (&a) == (node->op == HIR_DEBUG_OR))
        {
          set_whole (number, node->op == HIR_DEBUG_OR);
          return TRUE;
        }
      if (!evaluate (get_child (node, 1), names, &b, error))
        return FALSE;
      set_whole (number, is_true (&b));
      return TRUE;
    }
  if (!evaluate (get_child (node, 1), names, &b, error))
    return FALSE;
  if (node->op <= HIR_DEBUG_GE)
    {
      set_whole (number, compare (node->op, &a, &b));
      return TRUE;
    }
  if (a.is_int && b.is_int && b.i == 0 && (node->op == HIR_DEBUG_DIV || node->op == HIR_DEBUG_MOD))
    return fail_at (node, HIR_ERROR_RUN, error, "integer division by 0");
  if (a.is_int && b.is_int && compute_whole (node->op, a.i, b.i, &whole))
    set_whole (number, whole);
  else
    set_real (number, compute_real (node->op, a.d, b.d));
  return TRUE;
}

static gboolean
evaluate_unary (const HirDebugNode *node,
                const HirDebugNames *names,
                HirDebugNumber *number,
                GError **error)
{
  HirDebugNumber a;

  if (!evaluate (get_child (node, 0), names, &a, error))
    return FALSE;
  if (node->op == HIR_DEBUG_NOT)
    set_whole (number, !is_true (&a));
  else if (node->op != HIR_DEBUG_NEG)
    *number = a;
  else if (a.is_int && a.i != G_MININT64)
    set_whole (number, -a.i);
  else
    set_real (number, -a.d);
  return TRUE;
}

static gboolean
evaluate (const HirDebugNode *node,
          const HirDebugNames *names,
          HirDebugNumber *number,
          GError **error)
{
  GError *cause = NULL;

  switch (node->kind)
    {
    case HIR_DEBUG_NUMBER:
      *number = node->number;
      return TRUE;
    case HIR_DEBUG_NAME:
      return names->scalar (node->name, number, names->user_data, &cause) ||
             locate (node, cause, error);
    case HIR_DEBUG_TENSOR:
      return evaluate_element (node, names, number, error);
    case HIR_DEBUG_CALL:
      return get_child (node, 0)->kind == HIR_DEBUG_TENSOR && node->function <= HIR_DEBUG_SIZE &&
                     (node->children->len == 1 || node->function == HIR_DEBUG_SIZE)
                 ? call_of_tensor (node, names, number, error)
                 : call_of_numbers (node, names, number, error);
    case HIR_DEBUG_UNARY:
      return evaluate_unary (node, names, number, error);
    case HIR_DEBUG_BINARY:
      return evaluate_binary (node, names, number, error);
    default:
      return fail_at (node, HIR_ERROR_INPUT, error, "expected a number");
    }
}

gboolean
hir_debug_expr_evaluate (const HirDebugExpr *expr,
                         const HirDebugNames *names,
                         HirDebugNumber *number,
                         GError **error)
{
  return evaluate (expr->root, names, number, error);
}

static gboolean
check (const HirDebugNode *node, const HirDebugNames *names, GError **error)
{
  HirDebugNumber number;
  HirValueQuery query;
  GError *cause = NULL;

  if (node->kind == HIR_DEBUG_NAME)
    (void) names->scalar (node->name, &number, names->user_data, &cause);
  if (node->kind == HIR_DEBUG_TENSOR)
    {
      hir_value_query_init (&query);
      hir_value_summary_free (names->tensor (node->tensor, &query, names->user_data, &cause));
    }
  if (g_error_matches (cause, HIR_ERROR, HIR_ERROR_INPUT))
    return locate (node, cause, error);
  g_clear_error (&cause);
  for (guint i = 0; i < node->children->len; i++)
    if (!check (get_child (node, i), names, error))
      return FALSE;
  return TRUE;
}

gboolean
hir_debug_expr_check (const HirDebugExpr *expr, const HirDebugNames *names, GError **error)
{
  return check (expr->root, names, error);
}

static gboolean
reads (const HirDebugNode *node, int tensor)
{
  if (node->kind == HIR_DEBUG_TENSOR && node->tensor == tensor)
    return TRUE;
  for (guint i = 0; node->children != NULL && i < node->children->len; i++)
    if (reads (g_ptr_array_index (node->children, i), tensor))
      return TRUE;
  return FALSE;
}

gboolean
hir_debug_expr_reads (const HirDebugExpr *expr, int tensor)
{
  return reads (expr->root, tensor);
}

int
hir_debug_expr_get_tensor (const HirDebugExpr *expr,
                           const HirDebugNames *names,
                           HirValueQuery *query,
                           gint64 *first,
                           gint64 *stop,
                           GError **error)
{
  if (expr->root->kind != HIR_DEBUG_TENSOR)
    return -1;
  return evaluate_query (expr->root, names, query, first, stop, error) ? expr->root->tensor : -1;
}

char *
hir_debug_number_format (const HirDebugNumber *number)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  return number->is_int ? g_strdup_printf ("%" G_GINT64_FORMAT, number->i)
                        : g_strdup (g_ascii_formatd (text, sizeof text, "%.9g", number->d));
}
