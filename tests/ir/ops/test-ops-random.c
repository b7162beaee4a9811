/* Tests random fusions of all ops: the verifier finds nothing, and the axes of the ops agree with
 * the logical map. */
#include "logical-map.h"
#include "test-ops.h"

#include <string.h>

#include "verify/verify.h"

#define N_FUSIONS 400
#define N_OPS 25
/* Linear can add axes without limit. */
#define MAX_RANK 6

typedef struct
{
  HirContainer *fusion;
  GPtrArray *tensors;
  GRand *rand;
} Maker;

static guint
pick (Maker *m, guint n)
{
  return (guint) g_rand_int_range (m->rand, 0, (gint32) MAX (n, 1));
}

static HirTensor *
pick_tensor (Maker *m)
{
  return m->tensors->pdata[pick (m, m->tensors->len)];
}

static guint
get_rank (const HirTensor *tensor)
{
  guint n;

  g_free (hir_tensor_dup_no_reductions (tensor, &n));
  return n;
}

static HirScalar *
size (Maker *m, gint64 n)
{
  return hir_scalar_new_int (m->fusion, n, HIR_DTYPE_INDEX);
}

static HirTensor *
define_input (Maker *m)
{
  static const HirDType dtypes[] = { HIR_DTYPE_FLOAT, HIR_DTYPE_FLOAT, HIR_DTYPE_BFLOAT16,
                                     HIR_DTYPE_INT, HIR_DTYPE_BOOL };
  static const gint64 sizes[] = { -1, -1, 1, 4, 6 };
  gint64 shape[4];
  guint n = pick (m, 5);

  for (guint i = 0; i < n; i++)
    shape[i] = sizes[pick (m, G_N_ELEMENTS (sizes))];
  return test_define (m->fusion, dtypes[pick (m, G_N_ELEMENTS (dtypes))], shape, n);
}

static HirTensor *
make_reduction (Maker *m, GError **error)
{
  static const HirBinaryOp ops[] = { HIR_BINARY_ADD, HIR_BINARY_MUL, HIR_BINARY_MAX,
                                     HIR_BINARY_MIN };
  HirTensor *in = pick_tensor (m);
  gint64 dim = (gint64) pick (m, get_rank (in));

  return hir_op_reduction (m->fusion, ops[pick (m, 4)], in, &dim, pick (m, 2), pick (m, 2) == 1,
                           HIR_DTYPE_NULL, error);
}

static HirTensor *
make_broadcast (Maker *m, GError **error)
{
  HirTensor *in = pick_tensor (m);
  gboolean flags[8] = { FALSE };
  guint rank = get_rank (in);

  if (rank < MAX_RANK)
    flags[pick (m, rank + 1)] = TRUE;
  return hir_op_broadcast (m->fusion, in, flags, rank < MAX_RANK ? rank + 1 : rank, error);
}

static HirTensor *
make_permute (Maker *m, GError **error)
{
  HirTensor *in = pick_tensor (m);
  gint64 dims[8];
  guint n = get_rank (in);

  for (guint i = 0; i < n; i++)
    {
      guint at = pick (m, i + 1);

      dims[i] = dims[at];
      dims[at] = i;
    }
  return hir_op_permute (m->fusion, in, dims, n, error);
}

static HirTensor *
make_slice (Maker *m, GError **error)
{
  HirTensor *in = pick_tensor (m);
  gint64 start[8], stop[8];
  guint n = get_rank (in);

  for (guint i = 0; i < n; i++)
    {
      start[i] = (gint64) pick (m, 4) - 1;
      stop[i] = pick (m, 2) == 0 ? G_MAXINT64 : (gint64) pick (m, 6) - 1;
    }
  return hir_op_slice (m->fusion, in, start, stop, NULL, n, error);
}

static HirTensor *
make_pad (Maker *m, GError **error)
{
  HirTensor *in = pick_tensor (m);
  gint64 widths[4];

  for (guint i = 0; i < 4; i++)
    widths[i] = (gint64) pick (m, 3) - 1;
  return hir_op_pad (m->fusion, in, widths, MIN (get_rank (in), pick (m, 3)) * 2, NULL, error);
}

static HirTensor *
make_reshape (Maker *m, GError **error)
{
  HirTensor *in = pick_tensor (m);
  HirScalar *flat[] = { NULL };
  HirScalar *halves[] = { NULL, size (m, 2) };
  HirScalar *split[] = { size (m, 2), NULL, size (m, 1) };

  switch (pick (m, 3))
    {
    case 0:
      return hir_op_reshape (m->fusion, in, flat, 1, error);
    case 1:
      return hir_op_reshape (m->fusion, in, halves, 2, error);
    default:
      return hir_op_reshape (m->fusion, in, split, 3, error);
    }
}

static HirTensor *
make_expand (Maker *m, GError **error)
{
  HirTensor *in = pick_tensor (m);
  HirScalar *shape[8] = { NULL };
  guint n = get_rank (in);

  if (n > 0)
    shape[pick (m, n)] = size (m, 4);
  return hir_op_expand (m->fusion, in, shape, n, error);
}

static HirTensor *
make_op (Maker *m, GError **error)
{
  HirTensor *a = pick_tensor (m);
  HirTensor *b = pick_tensor (m);
  HirTensor *pair[] = { a, b };

  switch (pick (m, 16))
    {
    case 0:
      return hir_op_set (m->fusion, a, error);
    case 1:
      return hir_op_unary (m->fusion, (HirUnaryOp) pick (m, HIR_UNARY_CAST), a, error);
    case 2:
    case 3:
      return hir_op_binary (m->fusion, (HirBinaryOp) pick (m, HIR_N_BINARY_OPS), HIR_VAL (a),
                            HIR_VAL (b), error);
    case 4:
      return hir_op_ternary (m->fusion, HIR_TERNARY_WHERE,
                             (HirVal *[]){ HIR_VAL (a), HIR_VAL (b), HIR_VAL (size (m, 2)) }, 3,
                             error);
    case 5:
      return make_reduction (m, error);
    case 6:
      return make_broadcast (m, error);
    case 7:
      return make_permute (m, error);
    case 8:
      return make_slice (m, error);
    case 9:
      return make_pad (m, error);
    case 10:
      return make_reshape (m, error);
    case 11:
      return make_expand (m, error);
    case 12:
      return hir_op_cat (m->fusion, pair, 2, 0, error);
    case 13:
      return hir_op_select (m->fusion, a, hir_scalar_get_zero (m->fusion), -1, error);
    case 14:
      return hir_op_matmul (m->fusion, a, b, error);
    default:
      return hir_op_linear (m->fusion, a, b, NULL, error);
    }
}

/* Mapped axes have the same size, as constants or as the same expression, unless one is expanded or
 * a constant replaced a symbol. */
static void
check_map (const HirExpr *expr, const HirTensor *producer, const HirTensor *consumer)
{
  HirIterDomain **ids = NULL;
  guint n, n_mapped = 0;
  g_autofree HirIterDomain **map = hir_expr_dup_logical_map (expr, producer, consumer, &ids, &n);
  const HirDomain *domain = hir_tensor_get_maybe_root (consumer);

  for (guint i = 0; i < n; i++)
    {
      const HirScalar *from = ids[i]->extent;

      if (map[i] == NULL)
        continue;
      n_mapped++;
      g_assert_cmpint (hir_domain_find (domain, map[i]), >=, 0);
      for (guint j = 0; j < i; j++)
        g_assert_true (map[j] != map[i]);
      if (!hir_iter_domain_is_broadcast (ids[i]) && hir_scalar_is_const (from))
        g_assert_true (hir_scalar_equal (from, map[i]->extent));
    }
  if (expr->kind != HIR_EXPR_CAT && expr->kind != HIR_EXPR_SELECT &&
      expr->kind != HIR_EXPR_SQUEEZE && expr->kind != HIR_EXPR_MATMUL &&
      expr->kind != HIR_EXPR_LINEAR)
    g_assert_cmpuint (n_mapped, ==, n);
  g_free (ids);
}

static void
check_expr (const HirExpr *expr)
{
  const HirTensor *out = HIR_TENSOR (expr->outputs[0]);

  for (guint i = 0; i < expr->n_inputs; i++)
    {
      if (HIR_IS_TENSOR (expr->inputs[i]))
        check_map (expr, HIR_TENSOR (expr->inputs[i]), out);
    }
}

static void
test_random (void)
{
  guint n_made = 0, n_refused = 0;

  for (guint seed = 0; seed < N_FUSIONS; seed++)
    {
      g_autoptr (HirContainer) fusion = test_fusion ();
      g_autoptr (GPtrArray) tensors = g_ptr_array_new ();
      g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
      g_autoptr (GError) error = NULL;
      Maker m = { fusion, tensors, rand };

      for (guint i = 0; i < 4; i++)
        g_ptr_array_add (tensors, define_input (&m));
      for (guint i = 0; i < N_OPS; i++)
        {
          HirTensor *out = make_op (&m, &error);

          /* Either a result or an error with a complete message. */
          g_assert_true ((out == NULL) == (error != NULL));
          if (out == NULL)
            {
              g_assert_true (error->domain == HIR_ERROR);
              g_assert_cmpuint (strlen (error->message), >, 10);
              n_refused++;
              g_clear_error (&error);
              continue;
            }
          n_made++;
          if (get_rank (out) <= MAX_RANK)
            g_ptr_array_add (tensors, out);
          hir_container_add_output (fusion, HIR_VAL (out));
        }
      for (guint i = 0; i < fusion->exprs.len; i++)
        check_expr (fusion->exprs.items[i]);
      if (!hir_container_verify (fusion, &error))
        g_error ("seed %u: %s", seed, error->message);
    }
  g_test_message ("%u ops made, %u refused", n_made, n_refused);
  g_assert_cmpuint (n_made, >, n_refused);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ops/random", test_random);
  return g_test_run ();
}
