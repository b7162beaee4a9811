/* Tensor ops: the text after `T3_l_float[...] =` (docs/host-ir.md#tensor-ops). */
#include "dump/read-dump-internal.h"

#include <string.h>

static HirScalar **
dup_scalars (HirDumpReader *reader, const GPtrArray *scalars)
{
  return hir_arena_memdup (reader->program->arena, scalars->pdata,
                           sizeof (HirScalar *) * scalars->len);
}

/* Reads `{1, i0, 3}`. */
static gboolean
read_list (HirDumpReader *reader, GPtrArray *scalars)
{
  guint before = scalars->len;

  if (!hir_dump_expect (reader, "{"))
    return FALSE;
  while (!hir_dump_accept (reader, "}"))
    {
      HirScalar *scalar;

      if (scalars->len > before && !hir_dump_accept (reader, ","))
        return hir_dump_fail_expected (reader, "`,` or `}`");
      scalar = hir_dump_read_inline (reader);
      if (scalar == NULL)
        return FALSE;
      g_ptr_array_add (scalars, scalar);
    }
  return TRUE;
}

static HirExpr *
read_set (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start, const char *word)
{
  HirTensor *in;
  gboolean streaming = FALSE;
  HirExpr *expr;

  if (!hir_dump_expect (reader, "("))
    return NULL;
  in = hir_dump_read_tensor (reader);
  if (in == NULL)
    return NULL;
  if (hir_dump_accept (reader, ","))
    {
      if (!hir_dump_expect (reader, "cache_op = Streaming"))
        return NULL;
      streaming = TRUE;
    }
  if (!hir_dump_expect (reader, ")"))
    return NULL;
  expr =
      hir_dump_new_expr (reader, start, NULL, HIR_EXPR_SET, (HirVal *[]){ HIR_VAL (in) }, 1, out);
  expr->u.set.kind = g_str_equal (word, "SegmenterSet") ? HIR_SET_SEGMENTER : HIR_SET_SET;
  expr->u.set.streaming = streaming;
  if (g_str_equal (word, "Set.Permute"))
    g_hash_table_add (reader->permuted, out);
  return expr;
}

static HirExpr *
read_product (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start, HirExprKind kind)
{
  g_autoptr (GPtrArray) operands = g_ptr_array_new ();
  guint max = kind == HIR_EXPR_LINEAR ? 3 : 2;
  const HirDumpToken *start_token = hir_dump_peek (reader);

  if (!hir_dump_read_operands (reader, operands))
    return NULL;
  for (guint i = 0; i < operands->len; i++)
    if (!HIR_IS_TENSOR (g_ptr_array_index (operands, i)))
      operands->len = 0;
  if (operands->len < 2 || operands->len > max)
    {
      hir_dump_fail (reader, start_token, HIR_ERROR_SYNTAX, "expected %s",
                     max == 2 ? "two tensors" : "two or three tensors");
      return NULL;
    }
  return hir_dump_new_expr (reader, start, NULL, kind, (HirVal *const *) operands->pdata,
                            operands->len, out);
}

static HirExpr *
read_reduction (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start)
{
  HirScalar *init;
  HirBinaryOp op;
  gboolean allreduce;
  HirTensor *in;
  HirExpr *expr;
  g_autofree char *word = NULL;

  if (!hir_dump_expect (reader, "("))
    return NULL;
  in = hir_dump_read_tensor (reader);
  if (in == NULL || !hir_dump_expect (reader, ", op ="))
    return NULL;
  word = g_strndup (hir_dump_peek (reader)->text, hir_dump_peek (reader)->length);
  if (!hir_dump_lookup_function (word, &op) && !hir_binary_op_lookup (word, &op))
    {
      hir_dump_fail_expected (reader, "a reduction op (add, mul, max, min)");
      return NULL;
    }
  if (op != HIR_BINARY_ADD && op != HIR_BINARY_MUL && op != HIR_BINARY_MAX && op != HIR_BINARY_MIN)
    {
      g_autofree char *what = g_strdup_printf ("a reduction by %s", word);

      hir_dump_refuse (reader, hir_dump_peek (reader), what);
      return NULL;
    }
  hir_dump_next (reader);
  if (!hir_dump_expect (reader, ", initial value ="))
    return NULL;
  init = hir_dump_read_scalar (reader);
  if (init == NULL || !hir_dump_expect (reader, ", allreduce =") ||
      !hir_dump_read_bool (reader, &allreduce) || !hir_dump_expect (reader, ")"))
    return NULL;
  expr = hir_dump_new_expr (reader, start, NULL, HIR_EXPR_REDUCTION, (HirVal *[]){ HIR_VAL (in) },
                            1, out);
  expr->u.reduction.op = op;
  expr->u.reduction.init = init;
  expr->u.reduction.allreduce = allreduce;
  return expr;
}

static HirExpr *
read_flags (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start, HirExprKind kind)
{
  g_autoptr (GArray) flags = g_array_new (FALSE, TRUE, sizeof (gboolean));
  HirTensor *in;
  HirExpr *expr;

  if (!hir_dump_expect (reader, "("))
    return NULL;
  in = hir_dump_read_tensor (reader);
  if (in == NULL || !hir_dump_expect (reader, ", flags = {"))
    return NULL;
  while (!hir_dump_accept (reader, "}"))
    {
      gboolean flag;

      if ((flags->len > 0 && !hir_dump_expect (reader, ",")) || !hir_dump_read_bool (reader, &flag))
        return NULL;
      g_array_append_val (flags, flag);
    }
  if (!hir_dump_expect (reader, ")"))
    return NULL;
  expr = hir_dump_new_expr (reader, start, NULL, kind, (HirVal *[]){ HIR_VAL (in) }, 1, out);
  /* Squeeze has the same layout. */
  expr->u.broadcast.flags =
      hir_arena_memdup (reader->program->arena, flags->data, sizeof (gboolean) * flags->len);
  expr->u.broadcast.n = flags->len;
  return expr;
}

static HirExpr *
read_view (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start, HirExprKind kind)
{
  g_autoptr (GPtrArray) extents = g_ptr_array_new ();
  HirTensor *in;
  HirExpr *expr;

  if (!hir_dump_expect (reader, "("))
    return NULL;
  in = hir_dump_read_tensor (reader);
  if (in == NULL ||
      (kind == HIR_EXPR_EXPAND && hir_dump_accept (reader, ",") && !read_list (reader, extents)))
    return NULL;
  if (!hir_dump_expect (reader, ")"))
    return NULL;
  expr = hir_dump_new_expr (reader, start, NULL, kind, (HirVal *[]){ HIR_VAL (in) }, 1, out);
  if (kind == HIR_EXPR_EXPAND)
    {
      /* Not printed in 2026: use those of the output. */
      for (guint i = 0; extents->len == 0 && i < out->loop.n; i++)
        g_ptr_array_add (extents, out->loop.ids[i]->expanded_extent != NULL
                                      ? out->loop.ids[i]->expanded_extent
                                      : out->loop.ids[i]->extent);
      expr->u.expand.extents = dup_scalars (reader, extents);
      expr->u.expand.n = extents->len;
    }
  return expr;
}

static HirExpr *
read_slice (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start)
{
  g_autoptr (GPtrArray) scalars = g_ptr_array_new ();
  HirArena *arena = reader->program->arena;
  HirTensor *in;
  HirExpr *expr;
  guint n = 0;

  if (!hir_dump_expect (reader, "("))
    return NULL;
  in = hir_dump_read_tensor (reader);
  if (in == NULL || !hir_dump_expect (reader, ", {"))
    return NULL;
  for (; !hir_dump_accept (reader, "}"); n++)
    {
      if (!read_list (reader, scalars))
        return NULL;
      if (scalars->len != 3 * (n + 1))
        {
          hir_dump_fail_expected (reader, "three numbers per range: start, stop, step");
          return NULL;
        }
      hir_dump_accept (reader, ",");
    }
  if (!hir_dump_expect (reader, ")"))
    return NULL;
  expr =
      hir_dump_new_expr (reader, start, NULL, HIR_EXPR_SLICE, (HirVal *[]){ HIR_VAL (in) }, 1, out);
  expr->u.slice.n = n;
  expr->u.slice.start = hir_arena_array0 (arena, HirScalar *, n);
  expr->u.slice.stop = hir_arena_array0 (arena, HirScalar *, n);
  expr->u.slice.step = hir_arena_array0 (arena, HirScalar *, n);
  for (guint i = 0; i < n; i++)
    {
      expr->u.slice.start[i] = g_ptr_array_index (scalars, 3 * i);
      expr->u.slice.stop[i] = g_ptr_array_index (scalars, 3 * i + 1);
      expr->u.slice.step[i] = g_ptr_array_index (scalars, 3 * i + 2);
    }
  return expr;
}

static HirScalar *
new_zero (HirDumpReader *reader, HirDType dtype)
{
  HirContainer *container = reader->names->container;

  return hir_dtype_is_floating_point (dtype) || hir_dtype_is_complex (dtype)
             ? hir_scalar_new_double (container, 0, dtype)
             : hir_scalar_new_int (container, 0, dtype);
}

static HirExpr *
read_pad (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start)
{
  g_autoptr (GPtrArray) widths = g_ptr_array_new ();
  HirScalar *value;
  HirTensor *in;
  HirExpr *expr;

  if (!hir_dump_expect (reader, "("))
    return NULL;
  in = hir_dump_read_tensor (reader);
  if (in == NULL || !hir_dump_expect (reader, ",") || !read_list (reader, widths) ||
      !hir_dump_expect (reader, ")"))
    return NULL;
  value = new_zero (reader, in->base.dtype);
  expr = hir_dump_new_expr (reader, start, NULL, HIR_EXPR_PAD,
                            (HirVal *[]){ HIR_VAL (in), HIR_VAL (value) }, 2, out);
  expr->u.pad.value = value;
  expr->u.pad.widths = dup_scalars (reader, widths);
  expr->u.pad.n = widths->len;
  return expr;
}

static HirExpr *
read_cat (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  HirExpr *expr;
  gint64 dim;

  if (!hir_dump_expect (reader, "("))
    return NULL;
  while (hir_dump_at_tensor (reader))
    {
      HirTensor *in = hir_dump_read_tensor (reader);

      if (in == NULL || !hir_dump_expect (reader, ","))
        return NULL;
      g_ptr_array_add (inputs, in);
    }
  if (!hir_dump_read_int (reader, &dim) || !hir_dump_expect (reader, ")"))
    return NULL;
  expr = hir_dump_new_expr (reader, start, NULL, HIR_EXPR_CAT, (HirVal *const *) inputs->pdata,
                            inputs->len, out);
  expr->u.cat.dim = dim < 0 || dim > 1000 ? -1 : (int) dim;
  return expr;
}

/* Reads `select`: in a loop the old name of HirAliasSelect, otherwise a SelectOp. */
static HirExpr *
read_select (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start)
{
  HirIterDomain *axis;
  HirScalar *index;
  HirTensor *in;
  HirExpr *expr;

  if (!hir_dump_expect (reader, "("))
    return NULL;
  in = hir_dump_read_tensor (reader);
  if (in == NULL || !hir_dump_expect (reader, ", axis ="))
    return NULL;
  axis = hir_dump_read_axis (reader);
  if (axis == NULL || !hir_dump_expect (reader, ", index ="))
    return NULL;
  index = hir_dump_read_scalar (reader);
  if (index == NULL || !hir_dump_expect (reader, ")"))
    return NULL;
  expr = hir_dump_new_expr (reader, start, NULL, HIR_EXPR_SELECT,
                            (HirVal *[]){ HIR_VAL (in), HIR_VAL (index) }, 2, out);
  expr->u.select.axis = axis;
  expr->u.select.index = index;
  return expr;
}

static HirExpr *
read_full (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start)
{
  g_autoptr (GPtrArray) shape = g_ptr_array_new ();
  HirScalar *value;
  HirExpr *expr;

  if (!hir_dump_expect (reader, "(") || !read_list (reader, shape) ||
      !hir_dump_expect (reader, ","))
    return NULL;
  value = hir_dump_read_scalar (reader);
  if (value == NULL || !hir_dump_expect (reader, ")"))
    return NULL;
  g_ptr_array_add (shape, value);
  expr = hir_dump_new_expr (reader, start, NULL, HIR_EXPR_FULL, (HirVal *const *) shape->pdata,
                            shape->len, out);
  expr->u.full.shape = dup_scalars (reader, shape);
  expr->u.full.n = shape->len - 1;
  expr->u.full.value = value;
  return expr;
}

static HirExpr *
read_iota (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start)
{
  HirScalar *length, *first, *step;
  HirExpr *expr;

  if (!hir_dump_expect (reader, "(") || (length = hir_dump_read_inline (reader)) == NULL ||
      !hir_dump_expect (reader, ",") || (first = hir_dump_read_scalar (reader)) == NULL ||
      !hir_dump_expect (reader, ",") || (step = hir_dump_read_scalar (reader)) == NULL ||
      !hir_dump_expect (reader, ","))
    return NULL;
  if (!hir_dump_at (reader, hir_dtype_get_name (out->base.dtype)))
    {
      hir_dump_fail_expected (reader, "the element type of the result");
      return NULL;
    }
  hir_dump_next (reader);
  if (!hir_dump_expect (reader, ")"))
    return NULL;
  expr =
      hir_dump_new_expr (reader, start, NULL, HIR_EXPR_IOTA,
                         (HirVal *[]){ HIR_VAL (length), HIR_VAL (first), HIR_VAL (step) }, 3, out);
  expr->u.iota.length = length;
  expr->u.iota.start = first;
  expr->u.iota.step = step;
  return expr;
}

typedef struct
{
  const char *word;
  HirExprKind kind;
} Word;

static const Word words[] = {
  { "Set", HIR_EXPR_SET },
  { "Set.Permute", HIR_EXPR_SET },
  { "SegmenterSet", HIR_EXPR_SET },
  { "matmul", HIR_EXPR_MATMUL },
  { "linear", HIR_EXPR_LINEAR },
  { "reduction", HIR_EXPR_REDUCTION },
  { "broadcast", HIR_EXPR_BROADCAST },
  { "squeeze", HIR_EXPR_SQUEEZE },
  { "expand", HIR_EXPR_EXPAND },
  { "view", HIR_EXPR_RESHAPE },
  { "reshape", HIR_EXPR_RESHAPE },
  { "slice", HIR_EXPR_SLICE },
  { "pad", HIR_EXPR_PAD },
  { "cat", HIR_EXPR_CAT },
  { "select", HIR_EXPR_SELECT },
  { "full", HIR_EXPR_FULL },
  { "iota", HIR_EXPR_IOTA },
};

static HirExpr *
read_named (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start, const Word *word)
{
  switch (word->kind)
    {
    case HIR_EXPR_SET:
      return read_set (reader, out, start, word->word);
    case HIR_EXPR_MATMUL:
    case HIR_EXPR_LINEAR:
      return read_product (reader, out, start, word->kind);
    case HIR_EXPR_REDUCTION:
      return read_reduction (reader, out, start);
    case HIR_EXPR_BROADCAST:
    case HIR_EXPR_SQUEEZE:
      return read_flags (reader, out, start, word->kind);
    case HIR_EXPR_EXPAND:
    case HIR_EXPR_RESHAPE:
      return read_view (reader, out, start, word->kind);
    case HIR_EXPR_SLICE:
      return read_slice (reader, out, start);
    case HIR_EXPR_PAD:
      return read_pad (reader, out, start);
    case HIR_EXPR_CAT:
      return read_cat (reader, out, start);
    case HIR_EXPR_SELECT:
      return read_select (reader, out, start);
    case HIR_EXPR_FULL:
      return read_full (reader, out, start);
    case HIR_EXPR_IOTA:
    default:
      return read_iota (reader, out, start);
    }
}

HirExpr *
hir_dump_read_op (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start)
{
  /* Their text does not have all that they need to be computed. */
  static const char *const unread[] = { "rng_uniform",  "rng_normal",      "uniform", "normal",
                                        "rand_like",    "randn_like",      "gather",  "scatter",
                                        "index_select", "take_along_axis", "welford", "Welford" };
  const HirDumpToken *token = hir_dump_peek (reader);
  gboolean has_number = token->kind == HIR_DUMP_WORD && hir_dump_token_is (token + 1, ".") &&
                        token[2].kind == HIR_DUMP_NUMBER; /* of an output, as in topk.1(T0) */
  gboolean is_call =
      token->kind == HIR_DUMP_WORD && hir_dump_token_is (token + (has_number ? 3 : 1), "(");

  for (guint i = 0; is_call && i < G_N_ELEMENTS (words); i++)
    if (hir_dump_token_is (token, words[i].word))
      {
        hir_dump_next (reader);
        return read_named (reader, out, start, &words[i]);
      }
  for (guint i = 0; is_call && i < G_N_ELEMENTS (unread); i++)
    if (hir_dump_token_is (token, unread[i]))
      {
        hir_dump_refuse (reader, token, unread[i]);
        return NULL;
      }
  if (hir_dump_token_is (token, "("))
    return hir_dump_read_c_cast (reader, out, start);
  if (is_call)
    return hir_dump_read_function (reader, out, start, hir_dump_next (reader));
  return hir_dump_read_infix (reader, out, start);
}
