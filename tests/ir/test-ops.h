/* Helpers of the op tests: inputs by shape, and assertions on printed tensors and errors. */
#pragma once

#include "ops/ops.h"
#include "print/print.h"

#define TEST_LINE 7

static inline HirContainer *
test_fusion (void)
{
  HirContainer *fusion = hir_container_new (HIR_CONTAINER_FUSION, NULL);

  hir_maker_begin (fusion, "script", 1);
  hir_maker_set_pos (fusion, (HirPos){ TEST_LINE, 5 });
  return fusion;
}

/* Defines a contiguous input. In @shape, -1 is a symbolic extent, and 1 is a broadcast axis. */
static inline HirTensor *
test_define (HirContainer *fusion, HirDType dtype, const gint64 *shape, guint n)
{
  gint8 contiguity[8];
  GError *error = NULL;
  HirTensor *tensor;

  for (guint i = 0; i < n; i++)
    contiguity[i] = shape[i] == 1 ? HIR_CONTIGUITY_NONE : HIR_CONTIGUITY_TRUE;
  tensor = hir_define_tensor (fusion, shape, n, contiguity, dtype, FALSE, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (tensor);
  return tensor;
}

#define SHAPE(...) (const gint64[]){ __VA_ARGS__ }, G_N_ELEMENTS (((const gint64[]){ __VA_ARGS__ }))
#define DEFINE(fusion, dtype, ...) test_define ((fusion), HIR_DTYPE_##dtype, SHAPE (__VA_ARGS__))
#define INPUT(fusion, ...) DEFINE (fusion, FLOAT, __VA_ARGS__)

static inline void
test_assert_tensor (const HirTensor *tensor, const char *expected)
{
  g_autofree char *text = NULL;

  g_assert_nonnull (tensor);
  text = hir_tensor_to_string (tensor);
  g_assert_cmpstr (text, ==, expected);
}

/* Compares all Exprs in order: `T2 = add(T0, T1)`. */
static inline void
test_assert_exprs (const HirContainer *fusion, const char *expected)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < fusion->exprs.len; i++)
    {
      const HirExpr *expr = fusion->exprs.items[i];

      g_string_append_printf (text, "%sT%d=%s(", i > 0 ? " " : "", expr->outputs[0]->name,
                              hir_expr_get_op_name (expr));
      for (guint j = 0; j < expr->n_inputs; j++)
        {
          g_string_append (text, j > 0 ? "," : "");
          if (HIR_IS_TENSOR (expr->inputs[j]))
            g_string_append_printf (text, "T%d", expr->inputs[j]->name);
          else
            hir_scalar_print_inline (HIR_SCALAR (expr->inputs[j]), text);
        }
      g_string_append_c (text, ')');
    }
  g_assert_cmpstr (text->str, ==, expected);
}

/* Clears @error. */
static inline void
test_assert_error (GError **error, HirErrorCode code, const char *expected)
{
  g_assert_error (*error, HIR_ERROR, (int) code);
  g_assert_cmpstr ((*error)->message, ==, expected);
  g_assert_cmpuint (hir_error_get_pos (*error).line, ==, TEST_LINE);
  g_clear_error (error);
}
