#include "container.h"

static HirContainer *fusion;

static HirScalar *
symbol (void)
{
  return hir_scalar_new_symbol (fusion, HIR_DTYPE_INDEX);
}

static HirScalar *
integer (gint64 value)
{
  return hir_scalar_new_int (fusion, value, HIR_DTYPE_INDEX);
}

static void
test_names (void)
{
  HirContainer *c = hir_container_new (HIR_CONTAINER_FUSION, NULL);
  HirScalar *first = hir_scalar_new_symbol (c, HIR_DTYPE_INDEX);
  HirIterDomain *id = hir_iter_domain_new (c, first, HIR_ITER_ITERATION);
  HirScalar *second = hir_scalar_new_symbol (c, HIR_DTYPE_INDEX);

  /* The shared zero takes the number after the first extent (docs/host-ir.md#names-and-numbers). */
  g_assert_cmpint (first->base.name, ==, 0);
  g_assert_cmpint (id->start->base.name, ==, 1);
  g_assert_cmpint (second->base.name, ==, 2);
  g_assert_true (hir_scalar_get_named (c, "rank", HIR_DTYPE_INT) ==
                 hir_scalar_get_named (c, "rank", HIR_DTYPE_INT));
  hir_container_unref (c);
}

static void
test_simplify (void)
{
  HirScalar *a = symbol ();
  HirScalar *product;

  g_assert_true (hir_scalar_new_op (fusion, HIR_SCALAR_OP_CEIL_DIV, a, integer (1)) == a);
  g_assert_true (hir_scalar_new_op (fusion, HIR_SCALAR_OP_MUL, a, integer (1)) == a);
  g_assert_true (hir_scalar_new_op (fusion, HIR_SCALAR_OP_MUL, integer (1), a) == a);
  g_assert_true (
      hir_scalar_is_const_int (hir_scalar_new_op (fusion, HIR_SCALAR_OP_MUL, a, integer (0)), 0));
  g_assert_true (hir_scalar_is_const_int (hir_scalar_new_op (fusion, HIR_SCALAR_OP_CEIL_DIV,
                                                             integer (7), integer (2)),
                                          4));
  product = hir_scalar_new_op (fusion, HIR_SCALAR_OP_MUL, integer (4), a);
  g_assert_true (product->a == a);
  g_assert_true (hir_scalar_is_const_int (product->b, 4));
}

static void
test_size (void)
{
  HirScalar *a = symbol (), *b = symbol ();
  HirScalar *one_const[] = { integer (4), a, integer (1) };
  HirScalar *two_consts[] = { integer (4), a, integer (8) };
  HirScalar *zero[] = { a, integer (0) };
  HirScalar *nested[] = { hir_scalar_new_op (fusion, HIR_SCALAR_OP_MUL, a, b), a };
  HirScalar *size;

  size = hir_scalar_new_size (fusion, one_const, 3);
  g_assert_true (hir_scalar_is_const_int (size->a, 4) && size->b == a);
  size = hir_scalar_new_size (fusion, two_consts, 3);
  g_assert_true (size->a == a && hir_scalar_is_const_int (size->b, 32));
  g_assert_true (hir_scalar_is_const_int (hir_scalar_new_size (fusion, zero, 2), 0));
  g_assert_true (hir_scalar_is_const_int (hir_scalar_new_size (fusion, NULL, 0), 1));
  size = hir_scalar_new_size (fusion, nested, 2);
  g_assert_true (size->a->a == a && size->a->b == b && size->b == a);
}

static gboolean
seven (const HirScalar *leaf, gint64 *value, gpointer user_data)
{
  *value = 7;
  return leaf == user_data;
}

static void
test_evaluate (void)
{
  HirScalar *a = symbol (), *b = symbol ();
  g_autoptr (GError) error = NULL;
  gint64 value = 0;
  HirScalar *expr =
      hir_scalar_new_op (fusion, HIR_SCALAR_OP_MOD,
                         hir_scalar_new_op (fusion, HIR_SCALAR_OP_CEIL_DIV, a, integer (2)),
                         integer (3));

  g_assert_true (hir_scalar_evaluate (expr, seven, a, &value, &error));
  g_assert_cmpint (value, ==, 1);

  g_assert_false (hir_scalar_evaluate (b, seven, a, &value, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_RUN);
  g_clear_error (&error);
  expr = hir_scalar_new_op (fusion, HIR_SCALAR_OP_DIV, a, integer (0));
  g_assert_false (hir_scalar_evaluate (expr, seven, a, &value, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_RUN);
  g_clear_error (&error);
  expr = hir_scalar_new_op (fusion, HIR_SCALAR_OP_MUL, a, integer (G_MAXINT64));
  g_assert_false (hir_scalar_evaluate (expr, seven, a, &value, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_RUN);
}

static void
test_equal (void)
{
  HirScalar *a = symbol (), *b = symbol ();
  HirScalar *x = hir_scalar_new_op (fusion, HIR_SCALAR_OP_MUL, a, b);
  HirScalar *y = hir_scalar_new_op (fusion, HIR_SCALAR_OP_MUL, a, b);

  g_assert_true (hir_scalar_equal (x, y));
  g_assert_false (hir_scalar_equal (x, hir_scalar_new_op (fusion, HIR_SCALAR_OP_MUL, b, a)));
  g_assert_true (hir_scalar_equal (integer (3), integer (3)));
  g_assert_false (hir_scalar_equal (a, b));
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  fusion = hir_container_new (HIR_CONTAINER_FUSION, NULL);
  g_test_add_func ("/scalar/names", test_names);
  g_test_add_func ("/scalar/simplify", test_simplify);
  g_test_add_func ("/scalar/size", test_size);
  g_test_add_func ("/scalar/evaluate", test_evaluate);
  g_test_add_func ("/scalar/equal", test_equal);
  status = g_test_run ();
  hir_container_unref (fusion);
  return status;
}
