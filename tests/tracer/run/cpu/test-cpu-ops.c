/* Tests every op with every supported type, with contiguous, strided and broadcast operands,
 * against the reference; and the reference against tabulated numbers, so that both are not wrong in
 * the same way. */
#include <math.h>

#include "run-fixture.h"
#include "run/op-call.h"
#include "run/values/special.h"

static const HirDType all_types[] = { HIR_DTYPE_BOOL,  HIR_DTYPE_DOUBLE,   HIR_DTYPE_FLOAT,
                                      HIR_DTYPE_HALF,  HIR_DTYPE_BFLOAT16, HIR_DTYPE_CHAR,
                                      HIR_DTYPE_SHORT, HIR_DTYPE_INT32,    HIR_DTYPE_INT,
                                      HIR_DTYPE_BYTE,  HIR_DTYPE_UINT16,   HIR_DTYPE_UINT32,
                                      HIR_DTYPE_UINT64 };

static HirTensor *
input_of (HirContainer *fusion, HirDType dtype)
{
  return fix_input_of (fusion, (gint64[]){ 5, 37 }, 2, dtype);
}

/* Runs the fusion and counts it, unless the op rejects it. */
static void
finish (HirContainer *fusion, HirTensor *out, guint *n)
{
  HirRunOptions options = run_options ();

  if (out == NULL)
    return;
  hir_container_add_output (fusion, HIR_VAL (out));
  assert_passes (fusion, &options);
  (*n)++;
}

static void
test_unary (void)
{
  guint n = 0;

  for (HirUnaryOp op = 0; op < HIR_N_UNARY_OPS; op++)
    for (guint t = 0; t < G_N_ELEMENTS (all_types); t++)
      {
        g_autoptr (HirContainer) fusion = fix_fusion ();
        HirTensor *in = input_of (fusion, all_types[t]);

        if (op != HIR_UNARY_CAST)
          finish (fusion, hir_op_unary (fusion, op, in, NULL), &n);
      }
  /* All ops support float types, most also integers. */
  g_assert_cmpuint (n, >, (HIR_N_UNARY_OPS - 2) * 8);
}

static void
test_binary (void)
{
  guint n = 0;

  for (HirBinaryOp op = 0; op < HIR_N_BINARY_OPS; op++)
    for (guint t = 0; t < G_N_ELEMENTS (all_types); t++)
      {
        g_autoptr (HirContainer) fusion = fix_fusion ();
        HirTensor *a = input_of (fusion, all_types[t]), *b = input_of (fusion, all_types[t]);

        finish (fusion, hir_op_binary (fusion, op, HIR_VAL (a), HIR_VAL (b), NULL), &n);
      }
  g_assert_cmpuint (n, >, 17 * 13);
}

static void
test_binary_of_two_types (void)
{
  static const HirBinaryOp ops[] = { HIR_BINARY_ADD, HIR_BINARY_MUL, HIR_BINARY_MAX,
                                     HIR_BINARY_LT };
  guint n = 0;

  for (guint a = 0; a < G_N_ELEMENTS (all_types); a++)
    for (guint b = 0; b < G_N_ELEMENTS (all_types); b++)
      for (guint k = 0; k < G_N_ELEMENTS (ops); k++)
        {
          g_autoptr (HirContainer) fusion = fix_fusion ();
          HirTensor *x = input_of (fusion, all_types[a]), *y = input_of (fusion, all_types[b]);

          finish (fusion, hir_op_binary (fusion, ops[k], HIR_VAL (x), HIR_VAL (y), NULL), &n);
        }
  g_assert_cmpuint (n, >, 500);
}

static void
test_scalar_operands (void)
{
  guint n = 0;

  for (HirBinaryOp op = 0; op < HIR_N_BINARY_OPS; op++)
    for (guint t = 0; t < G_N_ELEMENTS (all_types); t++)
      for (int kind = 0; kind < 4; kind++)
        {
          g_autoptr (HirContainer) fusion = fix_fusion ();
          HirTensor *x = input_of (fusion, all_types[t]);
          HirScalar *s = kind % 2 == 0 ? hir_scalar_new_double (fusion, 0.3, HIR_DTYPE_DOUBLE)
                                       : hir_scalar_new_int (fusion, 3, HIR_DTYPE_INT);
          HirVal *a = kind < 2 ? HIR_VAL (x) : HIR_VAL (s),
                 *b = kind < 2 ? HIR_VAL (s) : HIR_VAL (x);

          finish (fusion, hir_op_binary (fusion, op, a, b, NULL), &n);
        }
  g_assert_cmpuint (n, >, 800);
}

static void
test_ternary (void)
{
  guint n = 0;

  for (HirTernaryOp op = 0; op < HIR_N_TERNARY_OPS; op++)
    for (guint t = 0; t < G_N_ELEMENTS (all_types); t++)
      {
        g_autoptr (HirContainer) fusion = fix_fusion ();
        HirDType dtype = all_types[t];
        HirTensor *x = input_of (fusion, op == HIR_TERNARY_WHERE ? HIR_DTYPE_BOOL : dtype);
        HirTensor *y = input_of (fusion, dtype), *z = input_of (fusion, dtype);
        HirScalar *half = hir_dtype_is_floating_point (dtype)
                              ? hir_scalar_new_double (fusion, 0.3, HIR_DTYPE_DOUBLE)
                              : hir_scalar_new_int (fusion, 2, HIR_DTYPE_INT);
        HirScalar *low = hir_scalar_new_int (fusion, -1, HIR_DTYPE_INT);
        HirVal *operands[4] = { HIR_VAL (x), HIR_VAL (y), HIR_VAL (z), HIR_VAL (half) };

        if (op == HIR_TERNARY_CLAMP || op == HIR_TERNARY_THRESHOLD)
          {
            operands[1] = HIR_VAL (low);
            operands[2] = HIR_VAL (half);
          }
        finish (fusion,
                hir_op_ternary (fusion, op, operands, op == HIR_TERNARY_ADDCMUL ? 4 : 3, NULL), &n);
      }
  g_assert_cmpuint (n, >, 25);
}

static void
test_casts (void)
{
  guint n = 0;

  for (guint a = 0; a < G_N_ELEMENTS (all_types); a++)
    for (guint b = 0; b < G_N_ELEMENTS (all_types); b++)
      {
        g_autoptr (HirContainer) fusion = fix_fusion ();
        HirTensor *out = hir_op_cast (fusion, input_of (fusion, all_types[a]), all_types[b], NULL);

        if (out != NULL && out->definition != NULL)
          finish (fusion, out, &n);
      }
  g_assert_cmpuint (n, >, 140);
}

static void
test_reductions (void)
{
  static const HirBinaryOp ops[] = { HIR_BINARY_ADD, HIR_BINARY_MUL, HIR_BINARY_MAX,
                                     HIR_BINARY_MIN };
  static const gint64 dims[][3] = {
    { 0 }, { 1 }, { 2 }, { 0, 1 }, { 0, 2 }, { 1, 2 }, { 0, 1, 2 }
  };
  static const guint n_dims[] = { 1, 1, 1, 2, 2, 2, 3 };
  guint n = 0;

  for (guint k = 0; k < G_N_ELEMENTS (ops); k++)
    for (guint t = 0; t < G_N_ELEMENTS (all_types); t++)
      for (guint d = 0; d < G_N_ELEMENTS (dims); d++)
        for (int turned = 0; turned < 2; turned++)
          {
            g_autoptr (HirContainer) fusion = fix_fusion ();
            HirTensor *in = fix_input_of (fusion, (gint64[]){ 3, 7, 40 }, 3, all_types[t]);

            if (turned)
              in = hir_op_permute (fusion, in, (gint64[]){ 2, 0, 1 }, 3, NULL);
            finish (fusion,
                    hir_op_reduction (fusion, ops[k], in, dims[d], n_dims[d], (t + d) % 2 == 0,
                                      HIR_DTYPE_NULL, NULL),
                    &n);
          }
  g_assert_cmpuint (n, >, 4 * 7 * 2 * 10);
}

static void
test_matmul (void)
{
  static const struct
  {
    guint a_rank, b_rank;
    gint64 a[4], b[4];
  } shapes[] = {
    { 2, 2, { 5, 7 }, { 7, 3 } },
    { 1, 2, { 7 }, { 7, 3 } },
    { 2, 1, { 5, 7 }, { 7 } },
    { 1, 1, { 7 }, { 7 } },
    { 3, 2, { 2, 5, 7 }, { 7, 3 } },
    { 3, 3, { 2, 5, 7 }, { 2, 7, 3 } },
    { 2, 3, { 5, 7 }, { 4, 7, 3 } },
    { 4, 3, { 2, 3, 5, 7 }, { 3, 7, 2 } },
    { 3, 4, { 1, 5, 7 }, { 2, 3, 7, 2 } },
    { 2, 2, { 1, 7 }, { 7, 1 } },
    { 2, 2, { 33, 65 }, { 65, 40 } },
    { 3, 1, { 2, 5, 7 }, { 7 } },
  };
  guint n = 0;

  for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
    for (guint t = 0; t < G_N_ELEMENTS (all_types); t++)
      {
        g_autoptr (HirContainer) fusion = fix_fusion ();
        HirTensor *a = fix_input_of (fusion, shapes[s].a, shapes[s].a_rank, all_types[t]);
        HirTensor *b = fix_input_of (fusion, shapes[s].b, shapes[s].b_rank, all_types[t]);

        finish (fusion, hir_op_matmul (fusion, a, b, NULL), &n);
      }
  g_assert_cmpuint (n, >=, G_N_ELEMENTS (shapes) * 4);
}

/* Operands whose rows are not contiguous. */
static void
test_matmul_of_views (void)
{
  HirRunOptions options = run_options ();

  for (int which = 0; which < 4; which++)
    for (guint t = 0; t < 5; t++)
      {
        g_autoptr (HirContainer) fusion = fix_fusion ();
        HirDType dtype = all_types[t == 0 ? 1 : t];
        HirTensor *a = fix_input_of (fusion, (gint64[]){ 6, 9 }, 2, dtype);
        HirTensor *b = fix_input_of (fusion, (gint64[]){ 9, 5 }, 2, dtype);

        if (which & 1)
          {
            a = fix_input_of (fusion, (gint64[]){ 9, 6 }, 2, dtype);
            a = hir_op_permute (fusion, a, (gint64[]){ 1, 0 }, 2, NULL);
          }
        if (which & 2)
          b = hir_op_slice (fusion, fix_input_of (fusion, (gint64[]){ 9, 12 }, 2, dtype),
                            (gint64[]){ 0, 4 }, (gint64[]){ 9, 9 }, NULL, 2, NULL);
        hir_container_add_output (fusion, HIR_VAL (hir_op_matmul (fusion, a, b, NULL)));
        assert_passes (fusion, &options);
      }
}

static void
test_linear (void)
{
  guint n = 0;

  for (guint rank = 1; rank <= 3; rank++)
    for (int with_bias = 0; with_bias < 2; with_bias++)
      for (int row_weight = 0; row_weight < 2; row_weight++)
        for (guint t = 0; t < G_N_ELEMENTS (all_types); t++)
          {
            g_autoptr (HirContainer) fusion = fix_fusion ();
            const gint64 shape[] = { 2, 3, 11 };
            HirTensor *in = fix_input_of (fusion, shape + 3 - rank, rank, all_types[t]);
            HirTensor *weight =
                fix_input_of (fusion, row_weight ? (gint64[]){ 11, 0 } : (gint64[]){ 4, 11 },
                              row_weight ? 1 : 2, all_types[t]);
            HirTensor *bias =
                with_bias ? fix_input_of (fusion, (gint64[]){ 4 }, !row_weight, all_types[t])
                          : NULL;

            finish (fusion, hir_op_linear (fusion, in, weight, bias, NULL), &n);
          }
  g_assert_cmpuint (n, >=, 3 * 2 * 4);
}

static HirTensor *
shape_op (HirContainer *fusion, int op, HirTensor *in, HirTensor *other, HirDType dtype)
{
  HirScalar *eight = hir_scalar_new_int (fusion, 8, HIR_DTYPE_INDEX);
  HirScalar *three = hir_scalar_new_int (fusion, 3, HIR_DTYPE_INDEX);
  HirScalar *one = hir_scalar_new_int (fusion, 1, HIR_DTYPE_INT);
  HirTensor *out;

  switch (op)
    {
    case 0:
      out = hir_op_broadcast (fusion, in, (gboolean[]){ TRUE, FALSE, TRUE, FALSE }, 4, NULL);
      break;
    case 1:
      out = hir_op_permute (fusion, in, (gint64[]){ 1, 0 }, 2, NULL);
      break;
    case 2:
      out = hir_op_reshape (fusion, in, (HirScalar *[]){ three, eight }, 2, NULL);
      break;
    case 3: /* of a non-contiguous operand */
      out = hir_op_permute (fusion, in, (gint64[]){ 1, 0 }, 2, NULL);
      out = hir_op_reshape (fusion, out, (HirScalar *[]){ three, eight }, 2, NULL);
      break;
    case 4:
      out = hir_op_slice (fusion, in, (gint64[]){ 1, 2 }, (gint64[]){ 3, 6 }, NULL, 2, NULL);
      break;
    case 5:
      out = hir_op_pad (fusion, in, (gint64[]){ 1, 2, 0, 3 }, 4, NULL, NULL);
      break;
    case 6: /* negative widths crop */
      out = hir_op_pad (fusion, in, (gint64[]){ -1, 2, 2, -1 }, 4, one, NULL);
      break;
    case 7:
      out = hir_op_cat (fusion, (HirTensor *[]){ in, other, in }, 3, 1, NULL);
      break;
    case 8:
      out = hir_op_select (fusion, in, hir_scalar_new_int (fusion, 2, HIR_DTYPE_INDEX), 1, NULL);
      break;
    case 9:
      out = hir_op_broadcast (fusion, in, (gboolean[]){ FALSE, TRUE, FALSE }, 3, NULL);
      out = hir_op_expand (fusion, out, (HirScalar *[]){ NULL, three, NULL }, 3, NULL);
      break;
    case 10:
      out = hir_op_full (fusion, (HirScalar *[]){ three, eight }, 2, one, dtype, NULL);
      break;
    default:
      out = hir_op_iota (fusion, eight, three, one, dtype, NULL);
      break;
    }
  return out;
}

static void
test_shapes (void)
{
  guint n = 0;

  for (guint t = 0; t < G_N_ELEMENTS (all_types); t++)
    for (int op = 0; op < 12; op++)
      {
        g_autoptr (HirContainer) fusion = fix_fusion ();
        HirTensor *in = fix_input_of (fusion, (gint64[]){ 4, 6 }, 2, all_types[t]);
        HirTensor *other = fix_input_of (fusion, (gint64[]){ 4, 3 }, 2, all_types[t]);
        HirTensor *out;

        out = shape_op (fusion, op, in, other, all_types[t]);
        if (out != NULL && op != 10)
          finish (fusion, out, &n);
      }
  g_assert_cmpuint (n, >, 120);
}

static void
test_squeeze_and_broadcast_operands (void)
{
  HirRunOptions options = run_options ();
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *in = fix_input_of (fusion, (gint64[]){ 4, 1, 6 }, 3, HIR_DTYPE_FLOAT);
  HirTensor *row = fix_input_of (fusion, (gint64[]){ 6 }, 1, HIR_DTYPE_HALF);
  HirTensor *flat = hir_op_squeeze (fusion, in, (gint64[]){ 1 }, 1, FALSE, NULL);

  hir_container_add_output (fusion, HIR_VAL (hir_op_binary (fusion, HIR_BINARY_ADD, HIR_VAL (flat),
                                                            HIR_VAL (row), NULL)));
  hir_container_add_output (fusion, HIR_VAL (hir_op_binary (fusion, HIR_BINARY_MUL, HIR_VAL (in),
                                                            HIR_VAL (row), NULL)));
  assert_passes (fusion, &options);
}

/* Rows longer than one block of lanes, contiguous and strided. */
static void
test_long_rows (void)
{
  static const HirDType types[] = { HIR_DTYPE_FLOAT,    HIR_DTYPE_DOUBLE, HIR_DTYPE_HALF,
                                    HIR_DTYPE_BFLOAT16, HIR_DTYPE_INT32,  HIR_DTYPE_INT };
  HirRunOptions options = run_options ();

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (int which = 0; which < 8; which++)
      {
        g_autoptr (HirContainer) fusion = fix_fusion ();
        gboolean turned = which >= 4;
        const gint64 *shape = turned ? (gint64[]){ 2500, 3 } : (gint64[]){ 3, 2500 };
        HirTensor *x = fix_input_of (fusion, shape, 2, types[t]);
        HirTensor *y = fix_input_of (fusion, (gint64[]){ 2500, 2 }, 2, types[t]);

        if (turned)
          x = hir_op_permute (fusion, x, (gint64[]){ 1, 0 }, 2, NULL);
        if (which % 4 < 2)
          fix_output (fusion, fix_sum (fusion, x, which % 4));
        else if (which % 4 == 2)
          fix_output (fusion, fix_add (fusion, x, x));
        else if (hir_dtype_is_floating_point (types[t]))
          fix_output (fusion, fix_matmul (fusion, x, y));
        assert_passes (fusion, &options);
      }
}

/* Independent values, from tables. */
static void
test_known_numbers (void)
{
  g_assert_cmpfloat_with_epsilon (hir_erfinv (0.5), 0.4769362762044699, 1e-15);
  g_assert_cmpfloat_with_epsilon (hir_erfinv (-0.999), -2.326753765513525, 1e-13);
  g_assert_cmpfloat_with_epsilon (hir_erfcinv (1e-10), 4.572824967389486, 1e-13);
  g_assert_cmpfloat_with_epsilon (hir_erfcinv (1.5), -0.4769362762044699, 1e-15);
  g_assert_cmpfloat_with_epsilon (hir_gelu (1), 0.8413447460685429, 1e-15);
  g_assert_cmpfloat_with_epsilon (hir_gelu (-3), -0.004049694094890283, 1e-15);
  g_assert_cmpfloat_with_epsilon (hir_lgamma (4.5), 2.453736570842442, 1e-14);
  g_assert_true (isinf (hir_erfinv (1)) && isnan (hir_erfinv (1.1)));
  for (double x = -0.999; x < 1; x += 0.0137)
    g_assert_cmpfloat_with_epsilon (erf (hir_erfinv (x)), x, 1e-14);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run/cpu-ops/known-numbers", test_known_numbers);
  g_test_add_func ("/run/cpu-ops/unary", test_unary);
  g_test_add_func ("/run/cpu-ops/binary", test_binary);
  g_test_add_func ("/run/cpu-ops/two-types", test_binary_of_two_types);
  g_test_add_func ("/run/cpu-ops/scalars", test_scalar_operands);
  g_test_add_func ("/run/cpu-ops/ternary", test_ternary);
  g_test_add_func ("/run/cpu-ops/casts", test_casts);
  g_test_add_func ("/run/cpu-ops/reductions", test_reductions);
  g_test_add_func ("/run/cpu-ops/matmul", test_matmul);
  g_test_add_func ("/run/cpu-ops/matmul-of-views", test_matmul_of_views);
  g_test_add_func ("/run/cpu-ops/linear", test_linear);
  g_test_add_func ("/run/cpu-ops/long-rows", test_long_rows);
  g_test_add_func ("/run/cpu-ops/shapes", test_shapes);
  g_test_add_func ("/run/cpu-ops/broadcast-operands", test_squeeze_and_broadcast_operands);
  return g_test_run ();
}
