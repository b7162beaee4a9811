#include "test-ops.h"

static HirScalar *
size (HirContainer *f, gint64 n)
{
  return n == -1 ? NULL : hir_scalar_new_int (f, n, HIR_DTYPE_INDEX);
}

static HirTensor *
reshape (HirContainer *f, HirTensor *in, const gint64 *shape, guint n, GError **error)
{
  HirScalar *sizes[8];

  for (guint i = 0; i < n; i++)
    sizes[i] = size (f, shape[i]);
  return hir_op_reshape (f, in, sizes, n, error);
}

/* Returns the sizes only: `[8, ( i0 * 4 )]`. */
static char *
dup_shape (const HirTensor *tensor)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < tensor->logical.n; i++)
    {
      g_string_append (text, i > 0 ? ", " : "");
      hir_scalar_print_inline (tensor->logical.ids[i]->extent, text);
    }
  return g_string_free (text, FALSE);
}

static void
test_split_and_merge (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *t0 = INPUT (f, 4, 6);
  HirTensor *t1 = reshape (f, t0, SHAPE (2, 2, 6), NULL);
  HirTensor *t2 = reshape (f, t0, SHAPE (24), NULL);
  HirTensor *t3 = reshape (f, t0, SHAPE (8, 3), NULL);

  test_assert_exprs (f, "T1=view(T0) T2=view(T0) T3=view(T0)");
  test_assert_tensor (t1, "T1_l_float[iS4{2}rf, iS5{2}rf, iS3{6}]");
  g_assert_cmpuint (t1->root.n, ==, 2);
  g_assert_true (t1->root.ids[1] == t1->logical.ids[2]);
  test_assert_tensor (t2, "T2_l_float[iS8{24}rf]");
  g_assert_cmpint (t2->logical.ids[0]->definition->kind, ==, HIR_TRANSFORM_MERGE);
  test_assert_tensor (t3, "T3_l_float[iS12{8}rf, iS13{3}rf]");
}

static void
test_symbolic (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *t0 = INPUT (f, -1, -1, 8);
  HirScalar *i0 = t0->logical.ids[0]->extent;
  HirScalar *i2 = t0->logical.ids[1]->extent;
  HirScalar *pass[] = { i0, NULL };
  HirScalar *cut[] = { i0, i2, size (f, 2), NULL };
  HirScalar *merged[] = { hir_scalar_new_op (f, HIR_SCALAR_OP_MUL, i0, i2), size (f, 8) };
  HirTensor *t1 = hir_op_reshape (f, t0, pass, 2, NULL);
  HirTensor *t2 = hir_op_reshape (f, t0, cut, 4, NULL);
  HirTensor *t3 = hir_op_reshape (f, t0, merged, 2, NULL);
  HirTensor *back = hir_op_reshape (f, t3, (HirScalar *[]){ i0, i2, size (f, 8) }, 3, NULL);
  HirTensor *flat = reshape (f, t0, SHAPE (-1), NULL);
  HirTensor *fours = reshape (f, t0, SHAPE (-1, 4), NULL);
  HirTensor *outer = reshape (f, t0, SHAPE (2, -1, 4), NULL);
  HirTensor *three = INPUT (f, -1, -1, -1);
  HirScalar *tail[] = { NULL,
                        hir_scalar_new_op (f, HIR_SCALAR_OP_MUL, three->logical.ids[1]->extent,
                                           three->logical.ids[2]->extent) };
  HirTensor *from_right = hir_op_reshape (f, three, tail, 2, NULL);
  const HirTensor *tensors[] = { t1, t2, t3, back, flat, fours, outer, from_right };
  g_autofree char *t_shape = dup_shape (three);
  const char *const shapes[] = {
    "i0, ( i2 * 8 )",
    "i0, i2, 2, 4",
    "( i0 * i2 ), 8",
    "i0, i2, 8",
    "( ( i0 * i2 ) * 8 )",
    "( ceilDiv(( ( i0 * i2 ) * 8 ), 4) ), 4",
    "2, ( ceilDiv(( ceilDiv(( ( i0 * i2 ) * 8 ), 2) ), 4) ), 4",
    NULL, /* those of `three` with the last two merged */
  };
  g_auto (GStrv) t_sizes = g_strsplit (t_shape, ", ", 3);
  g_autofree char *merged_tail =
      g_strdup_printf ("%s, ( %s * %s )", t_sizes[0], t_sizes[1], t_sizes[2]);

  for (guint i = 0; i < G_N_ELEMENTS (tensors); i++)
    {
      g_autofree char *shape = dup_shape (tensors[i]);

      g_assert_cmpstr (shape, ==, shapes[i] != NULL ? shapes[i] : merged_tail);
      g_assert_cmpint (tensors[i]->definition->kind, ==, HIR_EXPR_RESHAPE);
    }
}

/* Sizes of 1 are squeezed and broadcast around the view unless they keep their position. */
static void
test_ones (void)
{
  static const struct
  {
    gint64 in[4], out[5];
    guint n_in, n_out;
    const char *exprs;
    const char *shape;
  } cases[] = {
    { { 4, 1 }, { 4, 1, 1 }, 2, 3, "T1=broadcast(T0)", "4, 1, 1" },
    { { 1, 4, 1 }, { 4 }, 3, 1, "T1=squeeze(T0)", "4" },
    { { 4, 1, 6 }, { 24 }, 3, 1, "T1=squeeze(T0) T2=view(T1)", "24" },
    { { 6 }, { 2, 1, 3 }, 1, 3, "T1=view(T0) T2=broadcast(T1)", "2, 1, 3" },
    { { 1, 6 }, { 1, 2, 3 }, 2, 3, "T1=view(T0)", "1, 2, 3" },
    { { 6, 1 }, { 1, 6 }, 2, 2, "T1=squeeze(T0) T2=broadcast(T1)", "1, 6" },
    { { 4, 6 }, { 4, 6 }, 2, 2, "T1=Set(T0)", "4, 6" },
    { { 6 }, { 6, -1 }, 1, 2, "T1=broadcast(T0)", "6, 1" },
    { { 6 }, { -1, 6 }, 1, 2, "T1=broadcast(T0)", "1, 6" },
    { { 1, 1 }, { -1 }, 2, 1, "T1=squeeze(T0)", "1" },
    { { 1 }, { 0 }, 1, 0, "T1=squeeze(T0)", "" },
    { { 0, 4 }, { 4, 0 }, 0, 2, NULL, NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (HirContainer) f = test_fusion ();
      g_autoptr (GError) error = NULL;
      HirTensor *in = test_define (f, HIR_DTYPE_FLOAT, cases[i].in, cases[i].n_in);
      HirTensor *out = reshape (f, in, cases[i].out, cases[i].n_out, &error);
      g_autofree char *shape = NULL;

      if (cases[i].exprs == NULL)
        {
          g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
          continue;
        }
      g_assert_no_error (error);
      shape = dup_shape (out);
      test_assert_exprs (f, cases[i].exprs);
      g_assert_cmpstr (shape, ==, cases[i].shape);
    }
}

/* For every pair of shapes with up to 36 elements: one can be reshaped to the other exactly if
 * their numbers of elements are equal, and the result has the requested shape. */
static void
test_all_small_shapes (void)
{
  static const gint64 shapes[][4] = {
    { 36 },       { 6, 6 },    { 4, 9 },       { 9, 4 },       { 2, 18 },      { 3, 12 },
    { 2, 3, 6 },  { 3, 2, 6 }, { 6, 3, 2 },    { 2, 2, 3, 3 }, { 3, 3, 2, 2 }, { 2, 3, 2, 3 },
    { 1, 36 },    { 4, 1, 9 }, { 6, 1, 1, 6 }, { 24 },         { 4, 6 },       { 2, 2, 6 },
    { 1, 2, 12 }, { 8, 3 },    { 3, 8 },       { 12, 2 },      { 5, 7 },       { 35 },
  };

  for (guint a = 0; a < G_N_ELEMENTS (shapes); a++)
    for (guint b = 0; b < G_N_ELEMENTS (shapes); b++)
      {
        g_autoptr (HirContainer) f = test_fusion ();
        g_autoptr (GError) error = NULL;
        gint64 total_a = 1, total_b = 1;
        guint n_a = 0, n_b = 0;
        HirTensor *out;

        while (n_a < 4 && shapes[a][n_a] > 0)
          total_a *= shapes[a][n_a++];
        while (n_b < 4 && shapes[b][n_b] > 0)
          total_b *= shapes[b][n_b++];
        out = reshape (f, test_define (f, HIR_DTYPE_FLOAT, shapes[a], n_a), shapes[b], n_b, &error);
        if (total_a != total_b)
          {
            g_assert_null (out);
            g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
            continue;
          }
        g_assert_no_error (error);
        g_assert_cmpuint (out->logical.n, ==, n_b);
        for (guint i = 0; i < n_b; i++)
          g_assert_true (hir_scalar_is_const_int (out->logical.ids[i]->extent, shapes[b][i]));
      }
}

static void
test_errors (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  HirTensor *t0 = INPUT (f, 4, 6);
  HirTensor *t1 = INPUT (f, -1);
  const gint8 contiguity[] = { HIR_CONTIGUITY_NONE, HIR_CONTIGUITY_TRUE };
  HirTensor *expanded = hir_define_tensor (f, (const gint64[]){ 3, 2 }, 2, contiguity,
                                           HIR_DTYPE_FLOAT, FALSE, NULL, NULL);

  g_assert_null (reshape (f, t0, SHAPE (5, 5), &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "reshape: T0 [4, 6] cannot become [5, 5], which has a different number of "
                     "elements");
  g_assert_null (reshape (f, t0, SHAPE (5, -1), &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "reshape: T0 [4, 6] cannot become [5, -1], which has a different number of "
                     "elements");
  g_assert_null (reshape (f, t1, SHAPE (5, 2), &error));
  test_assert_error (&error, HIR_ERROR_UNSUPPORTED,
                     "reshape: whether T1 [i3] can become [5, 2] is known only at run time; use "
                     "numbers, -1, or sizes of the tensor's own axes");
  g_assert_null (reshape (f, t0, SHAPE (-1, -1), &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "reshape: the new shape has several -1; one size may be -1, the others 0 or "
                     "more");
  g_assert_null (reshape (f, t0, SHAPE (-12, -2), &error));
  g_clear_error (&error);
  g_assert_nonnull (reshape (f, expanded, SHAPE (6), &error));
  g_assert_no_error (error);
  g_assert_nonnull (reshape (f, expanded, SHAPE (3, 2), NULL));
  t0->logical.ids[0]->parallel_type = HIR_PARALLEL_STREAM;
  g_assert_null (reshape (f, t0, SHAPE (2, 2, 6), &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_REFUSED);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ops/reshape/split-and-merge", test_split_and_merge);
  g_test_add_func ("/ops/reshape/symbolic", test_symbolic);
  g_test_add_func ("/ops/reshape/ones", test_ones);
  g_test_add_func ("/ops/reshape/all-small-shapes", test_all_small_shapes);
  g_test_add_func ("/ops/reshape/errors", test_errors);
  return g_test_run ();
}
