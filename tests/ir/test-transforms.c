#include "transforms.h"

#include "test-core.h"
#include "test-programs.h"

static void
assert_text (GPtrArray *transforms, guint i, const char *want)
{
  g_autofree char *text = hir_transform_to_string (g_ptr_array_index (transforms, i));

  g_assert_cmpstr (text, ==, want);
}

/* One axis split, one of its parts split again, the other merged with the second axis. */
static void
test_order (void)
{
  g_autoptr (HirContainer) c = hir_container_new (HIR_CONTAINER_FUSION, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) transforms = NULL, none = NULL;
  HirTensor *t = test_input (c, 2);
  HirScalar *four = hir_scalar_new_int (c, 4, HIR_DTYPE_INDEX);
  HirScalar *two = hir_scalar_new_int (c, 2, HIR_DTYPE_INDEX);
  HirIterDomain *outer, *inner, *inner_outer, *inner_inner, *merged;

  g_assert_true (hir_iter_domain_split (t->logical.ids[0], four, TRUE, &outer, &inner, &error));
  g_assert_true (hir_iter_domain_split (inner, two, FALSE, &inner_outer, &inner_inner, &error));
  merged = hir_iter_domain_merge (outer, t->logical.ids[1], &error);
  g_assert_no_error (error);
  hir_tensor_set_loop (t, (HirIterDomain *[]){ merged, inner_inner, inner_outer }, 3);
  transforms = hir_domain_dup_transforms (&t->logical, &t->loop);
  g_assert_cmpuint (transforms->len, ==, 3);
  assert_text (transforms, 0, "Split: iS0{i0} by factor 4 -> iS2{( ceilDiv(i0, 4) )}, iS3{4}");
  assert_text (transforms, 1,
               "Merge: iS2{( ceilDiv(i0, 4) )} and iS1{i2} -> iS6{( ( ceilDiv(i0, 4) ) * i2 )}");
  assert_text (transforms, 2, "Outer split: iS3{4} by factor 2 -> iS4{2}, iS5{2}");
  none = hir_domain_dup_transforms (&t->loop, &t->loop);
  g_assert_cmpuint (none->len, ==, 0);
}

/* A long chain needs no recursion, and a cycle ends. */
static void
test_depth_and_cycle (void)
{
  g_autoptr (HirContainer) c = hir_container_new (HIR_CONTAINER_FUSION, NULL);
  g_autoptr (GPtrArray) chain = NULL, cycle = NULL;
  HirTensor *t = test_input (c, 1);
  HirScalar *one = hir_scalar_get_one (c);
  HirIterDomain *at = t->logical.ids[0], *inner;
  HirDomain nothing = { NULL, 0 };

  for (guint i = 0; i < 50000; i++)
    g_assert_true (hir_iter_domain_split (at, one, TRUE, &at, &inner, NULL));
  hir_tensor_set_loop (t, &at, 1);
  chain = hir_domain_dup_transforms (&t->logical, &t->loop);
  g_assert_cmpuint (chain->len, ==, 50000);
  g_assert_true (((HirTransform *) chain->pdata[0])->in[0] == t->logical.ids[0]);

  at->definition->in[0] = at;
  cycle = hir_domain_dup_transforms (&nothing, &t->loop);
  g_assert_cmpuint (cycle->len, ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/transforms/order", test_order);
  g_test_add_func ("/transforms/depth-and-cycle", test_depth_and_cycle);
  return g_test_run ();
}
