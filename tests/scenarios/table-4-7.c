/* docs/host-ir.md#table-47: whether the last op of each script reshards, and the result of the
 * passes used there. */
#include <string.h>

#include "fixture-devices.h"
#include "scenario.h"
#include "schedule/sharding.h"

#define SCRIPT "tests/data/fusions/resharding.py"

typedef struct
{
  const char *name; /* the last part except the case is the function */
  gboolean resharding;
} Row;

static const Row rows[] = {
  { "/4.7/SplittingView", FALSE },
  { "/4.7/MergingView", FALSE },
  { "/4.7/Set_SameMesh_NoParallelTypes", FALSE },
  { "/4.7/Set_DifferentMeshes", TRUE },
  { "/4.7/Set_DifferentParallelTypes", TRUE },
  { "/4.7/Set_SameMesh_SameParallelType", FALSE },
  { "/4.7/Sum_SameMesh_NoParallelTypes", FALSE },
  { "/4.7/Sum_DifferentMeshes", TRUE },
  { "/4.7/Sum_ShardedAxis_Scattered", TRUE },
  { "/4.7/Sum_UnshardedAxis", FALSE },
  { "/4.7/Sum_ShardedAxis", TRUE },
  { "/4.7/Add_SameMesh_NoParallelTypes", FALSE },
  { "/4.7/Add_DifferentMeshes", TRUE },
  { "/4.7/Add_OnlyOutputParallelized", TRUE },
  { "/4.7/Add_OnlyInputsParallelized", TRUE },
  { "/4.7/Add_AllParallelized", FALSE },
  { "/4.7/Add_SomeParallelized", TRUE },
  { "/4.7/Add_Broadcast", FALSE },
  { "/4.7/Matmul_NoResharding", FALSE },
  { "/4.7/Matmul_Resharding", TRUE },
  { "/4.7/Allgather", TRUE },
  { "/4.7/ReduceScatter", TRUE },
  { "/4.7/Allreduce", TRUE },
  { "/4.7/Allreduce_then_add", FALSE },
  { "/4.7/Broadcast", FALSE },
  { "/4.7/ReshardingSqueeze", TRUE },
  { "/4.7/Select_BeforeShardedAxis", FALSE },
  { "/4.7/Select_ShardedAxis", TRUE },
  { "/4.7/Select_ShardingLost", TRUE },
};

static HirExpr *
get_last (HirContainer *fusion)
{
  return HIR_TENSOR (fusion->outputs.items[0])->definition;
}

static gboolean
is_resharding (const HirExpr *expr)
{
  GError *error = NULL;
  gboolean resharding;

  g_assert_true (hir_expr_is_resharding (expr, &resharding, &error));
  g_assert_no_error (error);
  return resharding;
}

static void
test_row (gconstpointer data)
{
  const Row *row = data;
  g_autoptr (HirContainer) fusion = scenario_read_fusion (SCRIPT, strrchr (row->name, '/') + 1, 4);

  g_assert_cmpint (is_resharding (get_last (fusion)), ==, row->resharding);
}

/* Returns the axis over devices, or -1. */
static int
get_device_axis (const HirTensor *tensor)
{
  for (guint i = 0; i < tensor->loop.n; i++)
    if (hir_iter_domain_is_device (tensor->loop.ids[i]))
      return (int) i;
  return -1;
}

static void
test_before (void)
{
  g_autoptr (HirContainer) fusion = scenario_read_fusion (SCRIPT, "InsertResharding_Before", 4);
  g_autoptr (HirContainer) after = fix_program (fusion, "InsertReshardings", 0);
  const HirExpr *add = get_last (after);

  g_assert_cmpint (add->kind, ==, HIR_EXPR_BINARY);
  g_assert_false (is_resharding (add));
  for (guint i = 0; i < add->n_inputs; i++)
    {
      const HirTensor *in = HIR_TENSOR (add->inputs[i]);

      g_assert_true (hir_mesh_equal (in->mesh, HIR_TENSOR (add->outputs[0])->mesh));
      g_assert_cmpint (get_device_axis (in), ==, 1);
      g_assert_cmpint (in->definition->kind, ==, HIR_EXPR_SET);
    }
}

static void
test_after (void)
{
  g_autoptr (HirContainer) fusion = scenario_read_fusion (SCRIPT, "InsertResharding_After", 4);
  g_autoptr (HirContainer) after = fix_program (fusion, "InsertReshardings", 0);
  const HirExpr *set = get_last (after);
  const HirTensor *in = HIR_TENSOR (set->inputs[0]);

  g_assert_cmpint (set->kind, ==, HIR_EXPR_SET);
  g_assert_true (hir_mesh_equal (in->mesh, HIR_TENSOR (after->inputs.items[0])->mesh));
  g_assert_cmpint (get_device_axis (in), ==, 0);
  g_assert_false (is_resharding (in->definition));
}

static guint
count_inner (HirContainer *fusion)
{
  g_autoptr (GPtrArray) exprs = hir_fusion_dup_exprs (fusion);
  guint n = 0;

  for (guint i = 0; i < exprs->len; i++)
    {
      gboolean inner = FALSE;

      if (is_resharding (exprs->pdata[i]) &&
          !hir_expr_is_inner_resharding (exprs->pdata[i], &inner, NULL))
        inner = TRUE;
      n += inner;
    }
  return n;
}

static void
test_reordering (void)
{
  g_autoptr (HirContainer) fusion = scenario_read_fusion (SCRIPT, "InsertShardedAxisReordering", 2);
  g_autoptr (HirContainer) before = NULL;
  g_autoptr (HirContainer) split =
      scenario_read_fusion (SCRIPT, "InsertShardedAxisReordering_gathered", 2);
  g_autoptr (HirContainer) after = NULL;

  before = fix_program (split, "InsertReshardings", 0);
  g_assert_cmpuint (count_inner (before), >=, 1);
  after = fix_program (split, "InsertReshardings ReorderShardedAxis", 0);
  g_assert_cmpuint (count_inner (after), ==, 0);
  /* From one axis to another: an AllToAll, which nvFuser of 2025 did not have. */
  g_clear_pointer (&after, hir_container_unref);
  after = fix_program (fusion, "InsertReshardings ReorderShardedAxis", 0);
  g_assert_cmpint (get_last (after)->kind, ==, HIR_EXPR_BINARY);
}

void
add_table_4_7 (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    scenario_add_data_func (rows[i].name, &rows[i], test_row);
  scenario_add_func ("/4.7/InsertResharding_Before", test_before);
  scenario_add_func ("/4.7/InsertResharding_After", test_after);
  scenario_add_func ("/4.7/InsertShardedAxisReordering", test_reordering);
}
