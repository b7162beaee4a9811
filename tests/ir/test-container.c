#include "test-core.h"

static void
test_exprs_in_order (void)
{
  g_autoptr (HirContainer) fusion = hir_container_new (HIR_CONTAINER_FUSION, NULL);
  HirTensor *in = test_input (fusion, 1);
  HirTensor *a = test_set (fusion, in);
  HirTensor *dead = test_set (fusion, in);
  HirTensor *b = test_set (fusion, a);
  HirTensor *c = test_set (fusion, in);
  g_autoptr (GPtrArray) exprs = NULL;
  g_autoptr (GHashTable) uses = NULL;

  /* c is the first output; a is an output from which b is computed, so the walk does not start
   * there. */
  hir_container_add_output (fusion, HIR_VAL (c));
  hir_container_add_output (fusion, HIR_VAL (a));
  hir_container_add_output (fusion, HIR_VAL (b));
  hir_container_add_output (fusion, HIR_VAL (b));
  g_assert_cmpuint (fusion->outputs.len, ==, 3);

  exprs = hir_fusion_dup_exprs (fusion);
  g_assert_cmpuint (exprs->len, ==, 3);
  g_assert_true (exprs->pdata[0] == c->definition);
  g_assert_true (exprs->pdata[1] == a->definition);
  g_assert_true (exprs->pdata[2] == b->definition);
  uses = hir_fusion_dup_uses (fusion);
  g_assert_cmpuint (((GPtrArray *) g_hash_table_lookup (uses, in))->len, ==, 2);
  g_assert_null (g_hash_table_lookup (uses, dead));
}

/* Iterative: a chain of any length is safe. */
static void
test_long_chain (void)
{
  g_autoptr (HirContainer) fusion = hir_container_new (HIR_CONTAINER_FUSION, NULL);
  g_autoptr (HirContainer) copy = NULL;
  g_autoptr (GPtrArray) exprs = NULL;
  HirTensor *tensor = test_input (fusion, 1);

  for (guint i = 0; i < 50000; i++)
    tensor = test_set (fusion, tensor);
  hir_container_add_output (fusion, HIR_VAL (tensor));
  copy = hir_container_clone (fusion);
  exprs = hir_fusion_dup_exprs (copy);
  g_assert_cmpuint (exprs->len, ==, 50000);
}

static void
test_lookup (void)
{
  g_autoptr (HirContainer) host = hir_container_new (HIR_CONTAINER_HOST, NULL);
  HirTensor *in = test_input (host, 2);
  HirExpr *loop =
      hir_expr_new_for (host, in->loop.ids[0],
                        hir_scalar_get_named (host, HIR_NAME_STREAM_IDX, HIR_DTYPE_INDEX));
  HirExpr *inner = hir_expr_new_stream_op (host, HIR_EXPR_GET_CURRENT_STREAM, NULL);

  hir_container_add_expr (host, loop);
  hir_vec_push (host->arena, &loop->u.loop.body.exprs, inner);
  g_assert_true (hir_container_lookup_expr (host, inner->node.id) == inner);
  g_assert_true (hir_container_lookup_tensor (host, in->base.node.id) == in);
  g_assert_null (hir_container_lookup_expr (host, 12345));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/container/exprs-in-order", test_exprs_in_order);
  g_test_add_func ("/container/long-chain", test_long_chain);
  g_test_add_func ("/container/lookup", test_lookup);
  return g_test_run ();
}
