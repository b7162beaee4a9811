#include "container.h"

static HirIterDomain *
axis (HirContainer *c, HirScalar *extent)
{
  return hir_iter_domain_new (c, extent, HIR_ITER_ITERATION);
}

static void
test_split (void)
{
  g_autoptr (HirContainer) c = hir_container_new (HIR_CONTAINER_FUSION, NULL);
  HirScalar *n = hir_scalar_new_symbol (c, HIR_DTYPE_INDEX);
  HirScalar *three = hir_scalar_new_int (c, 3, HIR_DTYPE_INDEX);
  HirIterDomain *id = axis (c, n), *outer, *inner;
  g_autoptr (GError) error = NULL;

  g_assert_true (hir_iter_domain_split (id, three, TRUE, &outer, &inner, &error));
  g_assert_true (inner->extent == three);
  g_assert_cmpint (outer->extent->op, ==, HIR_SCALAR_OP_CEIL_DIV);
  g_assert_true (outer->definition == inner->definition && outer->definition->in[0] == id);

  g_assert_true (hir_iter_domain_split (id, three, FALSE, &outer, &inner, &error));
  g_assert_true (outer->extent == three);

  outer->parallel_type = HIR_PARALLEL_STREAM;
  g_assert_false (hir_iter_domain_split (outer, three, TRUE, &outer, &inner, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_REFUSED);
  g_clear_error (&error);
  g_assert_false (
      hir_iter_domain_split (id, hir_scalar_get_zero (c), TRUE, &outer, &inner, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_REFUSED);
}

static void
test_merge (void)
{
  g_autoptr (HirContainer) c = hir_container_new (HIR_CONTAINER_FUSION, NULL);
  HirIterDomain *a = axis (c, hir_scalar_new_int (c, 4, HIR_DTYPE_INDEX));
  HirIterDomain *b = axis (c, hir_scalar_new_symbol (c, HIR_DTYPE_INDEX));
  HirIterDomain *r = hir_iter_domain_new (c, a->extent, HIR_ITER_REDUCTION);
  HirIterDomain *broadcast = hir_iter_domain_new (c, hir_scalar_get_one (c), HIR_ITER_BROADCAST);
  HirIterDomain *out;
  g_autoptr (GError) error = NULL;

  a->parallel_type = HIR_PARALLEL_DIDX;
  out = hir_iter_domain_merge (a, b, &error);
  g_assert_no_error (error);
  g_assert_cmpint (out->parallel_type, ==, HIR_PARALLEL_DIDX);
  g_assert_true (out->extent->a == b->extent); /* ( i0 * 4 ) */
  g_assert_cmpint (hir_iter_domain_merge (broadcast, b, NULL)->iter_type, ==, HIR_ITER_ITERATION);

  g_assert_null (hir_iter_domain_merge (b, r, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_REFUSED);
  g_clear_error (&error);
  b->parallel_type = HIR_PARALLEL_STREAM;
  g_assert_null (hir_iter_domain_merge (a, b, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_REFUSED);
}

static void
test_parallel_names (void)
{
  HirParallelType type;

  g_assert_true (hir_parallel_type_lookup_script_name ("mesh_x", &type));
  g_assert_cmpint (type, ==, HIR_PARALLEL_DIDX);
  g_assert_cmpstr (hir_parallel_type_get_text (HIR_PARALLEL_STREAM), ==, "StreamIdx");
  g_assert_false (hir_parallel_type_lookup_script_name ("warp", &type));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/iter-domain/split", test_split);
  g_test_add_func ("/iter-domain/merge", test_merge);
  g_test_add_func ("/iter-domain/parallel-names", test_parallel_names);
  return g_test_run ();
}
