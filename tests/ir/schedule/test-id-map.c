#include "schedule/id-map.h"

#include "ops/ops.h"
#include "test-core.h"
#include "test-programs.h"

static void
assert_mapped (HirIdMap *map, HirTensor *a, guint i, HirTensor *b, guint j, gboolean mapped)
{
  g_assert_true (hir_id_map_are_mapped (map, a->logical.ids[i], b->logical.ids[j]) == mapped);
  g_assert_true (hir_id_map_are_mapped (map, b->logical.ids[j], a->logical.ids[i]) == mapped);
}

static void
test_sets (void)
{
  g_autoptr (HirContainer) c = hir_container_new (HIR_CONTAINER_FUSION, NULL);
  HirTensor *in = test_input (c, 2), *other = test_input (c, 2);
  HirTensor *a = test_set (c, in), *b = test_set (c, a), *d = test_set (c, other);
  g_autoptr (HirIdMap) map = NULL;

  hir_container_add_output (c, HIR_VAL (b));
  hir_container_add_output (c, HIR_VAL (d));
  map = hir_id_map_new (c);
  assert_mapped (map, in, 0, b, 0, TRUE);
  assert_mapped (map, in, 1, b, 1, TRUE);
  assert_mapped (map, in, 0, b, 1, FALSE);
  assert_mapped (map, in, 0, d, 0, FALSE);
  assert_mapped (map, in, 0, in, 0, TRUE);
}

/* Siblings are mapped through their common operand. */
static void
test_matmul (void)
{
  g_autoptr (HirContainer) c = hir_container_new (HIR_CONTAINER_FUSION, NULL);
  g_autoptr (GError) error = NULL;
  HirTensor *a = test_input (c, 2), *b = test_input (c, 2), *out, *copy;
  g_autoptr (HirIdMap) map = NULL;

  out = hir_op_matmul (c, a, b, &error);
  g_assert_no_error (error);
  copy = test_set (c, a);
  hir_container_add_output (c, HIR_VAL (out));
  hir_container_add_output (c, HIR_VAL (copy));
  map = hir_id_map_new (c);
  assert_mapped (map, a, 0, out, 0, TRUE); /* M */
  assert_mapped (map, b, 1, out, 1, TRUE); /* N */
  assert_mapped (map, a, 1, out, 2, TRUE); /* K of A */
  assert_mapped (map, a, 1, b, 0, TRUE);   /* K of both */
  assert_mapped (map, a, 0, out, 1, FALSE);
  assert_mapped (map, copy, 0, out, 0, TRUE);
}

/* A broadcast axis is in the set of the axis it is expanded to. */
static void
test_broadcast (void)
{
  g_autoptr (HirContainer) c = hir_container_new (HIR_CONTAINER_FUSION, NULL);
  g_autoptr (GError) error = NULL;
  HirTensor *row = test_input (c, 1), *full = test_input (c, 2), *wide, *sum;
  gboolean flags[] = { TRUE, FALSE };
  g_autoptr (HirIdMap) map = NULL;

  wide = hir_op_broadcast (c, row, flags, 2, &error);
  g_assert_no_error (error);
  sum = hir_op_binary (c, HIR_BINARY_ADD, HIR_VAL (wide), HIR_VAL (full), &error);
  g_assert_no_error (error);
  hir_container_add_output (c, HIR_VAL (sum));
  map = hir_id_map_new (c);
  assert_mapped (map, row, 0, wide, 1, TRUE);
  assert_mapped (map, wide, 0, full, 0, TRUE);
  assert_mapped (map, wide, 0, sum, 0, TRUE);
  assert_mapped (map, row, 0, full, 1, TRUE);
  assert_mapped (map, row, 0, full, 0, FALSE);
}

static void
test_permute (void)
{
  g_autoptr (HirContainer) c = hir_container_new (HIR_CONTAINER_FUSION, NULL);
  g_autoptr (GError) error = NULL;
  HirTensor *in = test_input (c, 2), *out;
  gint64 dims[] = { 1, 0 };
  g_autoptr (HirIdMap) map = NULL;

  out = hir_op_permute (c, in, dims, 2, &error);
  g_assert_no_error (error);
  hir_container_add_output (c, HIR_VAL (out));
  map = hir_id_map_new (c);
  assert_mapped (map, in, 0, out, 1, TRUE);
  assert_mapped (map, in, 1, out, 0, TRUE);
  assert_mapped (map, in, 0, out, 0, FALSE);
}

/* Ops in loops are included; HostUnits, slices and allocations relate nothing
 * (docs/host-ir.md#axis-map). */
static void
test_host (void)
{
  g_autoptr (HirContainer) single = test_program_single_set ();
  g_autoptr (HirContainer) unit = test_program_unit ();
  g_autoptr (HirIdMap) map = hir_id_map_new (single);
  g_autoptr (HirIdMap) unit_map = hir_id_map_new (unit);
  HirTensor **t = (HirTensor **) single->tensors.items;
  HirTensor **u = (HirTensor **) unit->tensors.items;

  assert_mapped (map, t[2], 0, t[3], 0, TRUE);
  assert_mapped (map, t[0], 1, t[2], 0, FALSE);
  assert_mapped (map, t[0], 0, t[1], 0, FALSE);
  assert_mapped (unit_map, u[0], 0, u[1], 0, FALSE);
  assert_mapped (unit_map, u[1], 0, u[2], 0, TRUE);
}

/* Any order of unions gives one set: a long chain, compared end to end. */
static void
test_long_chain (void)
{
  g_autoptr (HirContainer) c = hir_container_new (HIR_CONTAINER_FUSION, NULL);
  HirTensor *in = test_input (c, 2), *t = in;
  g_autoptr (HirIdMap) map = NULL;

  for (guint i = 0; i < 5000; i++)
    t = test_set (c, t);
  hir_container_add_output (c, HIR_VAL (t));
  map = hir_id_map_new (c);
  assert_mapped (map, in, 0, t, 0, TRUE);
  assert_mapped (map, in, 0, t, 1, FALSE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/id-map/sets", test_sets);
  g_test_add_func ("/id-map/matmul", test_matmul);
  g_test_add_func ("/id-map/broadcast", test_broadcast);
  g_test_add_func ("/id-map/permute", test_permute);
  g_test_add_func ("/id-map/host", test_host);
  g_test_add_func ("/id-map/long-chain", test_long_chain);
  return g_test_run ();
}
