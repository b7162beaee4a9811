#include "test-core.h"

static HirContainer *
build (guint n_sets)
{
  HirContainer *fusion = hir_container_new (HIR_CONTAINER_FUSION, NULL);
  HirTensor *tensor;

  hir_maker_begin (fusion, "script", 1);
  tensor = test_input (fusion, 2);
  for (guint i = 0; i < n_sets; i++)
    tensor = test_set (fusion, tensor);
  hir_container_add_output (fusion, HIR_VAL (tensor));
  return fusion;
}

/* The first tensors and Exprs keep their ids, whatever follows. */
static void
test_stable (void)
{
  g_autoptr (HirContainer) a = build (2);
  g_autoptr (HirContainer) b = build (3);

  for (guint i = 0; i < a->tensors.len; i++)
    g_assert_cmphex (HIR_TENSOR (a->tensors.items[i])->base.node.id, ==,
                     HIR_TENSOR (b->tensors.items[i])->base.node.id);
  for (guint i = 0; i < a->exprs.len; i++)
    g_assert_cmphex (((HirExpr *) a->exprs.items[i])->node.id, ==,
                     ((HirExpr *) b->exprs.items[i])->node.id);
}

static void
test_unique (void)
{
  g_autoptr (HirContainer) fusion = build (200);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_int64_hash, g_int64_equal);

  for (guint i = 0; i < fusion->tensors.len; i++)
    {
      HirTensor *tensor = fusion->tensors.items[i];

      g_assert_true (g_hash_table_add (seen, &tensor->base.node.id));
      for (guint j = 0; j < tensor->loop.n; j++)
        g_assert_true (g_hash_table_add (seen, &tensor->loop.ids[j]->base.node.id));
    }
  for (guint i = 0; i < fusion->exprs.len; i++)
    g_assert_true (g_hash_table_add (seen, &((HirExpr *) fusion->exprs.items[i])->node.id));
}

static void
test_origins (void)
{
  g_autoptr (HirContainer) fusion = build (1);
  HirExpr *set = fusion->exprs.items[0];
  HirTensor *in = fusion->tensors.items[0];
  HirTensor *made, *again;

  set->node.pos = (HirPos){ 12, 3 };
  hir_maker_begin (fusion, "SomePass", 0);
  hir_maker_set_origins (fusion, (const HirNode *[]){ &in->base.node, &set->node }, 2);
  made = hir_tensor_new (fusion, HIR_DTYPE_FLOAT, NULL, 0);
  again = hir_tensor_new (fusion, HIR_DTYPE_FLOAT, NULL, 0);
  g_assert_cmpuint (made->base.node.n_origins, ==, 2);
  g_assert_cmphex (made->base.node.origins[1], ==, set->node.id);
  g_assert_cmpuint (made->base.node.pos.line, ==, 12);
  /* The ordinal distinguishes two nodes of the same kind with the same origins. */
  g_assert_cmphex (made->base.node.id, !=, again->base.node.id);
}

static void
test_hex (void)
{
  char hex[17];
  guint64 id = 0;

  hir_id_to_hex (G_GUINT64_CONSTANT (0x0123456789abcdef), hex);
  g_assert_cmpstr (hex, ==, "0123456789abcdef");
  g_assert_true (hir_id_from_hex (hex, &id));
  g_assert_cmphex (id, ==, G_GUINT64_CONSTANT (0x0123456789abcdef));
  g_assert_false (hir_id_from_hex ("0123", &id));
  g_assert_false (hir_id_from_hex ("0123456789abcdef0", &id));
  g_assert_false (hir_id_from_hex ("0123456789abcdeg", &id));
}

/* Recordings contain ids, so the function must never change. */
static void
test_hash_is_fixed (void)
{
  g_assert_cmphex (hir_hash_text (0, "StreamParallelType"), ==,
                   G_GUINT64_CONSTANT (0xbfd8b06968facb54));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/identity/stable", test_stable);
  g_test_add_func ("/identity/unique", test_unique);
  g_test_add_func ("/identity/origins", test_origins);
  g_test_add_func ("/identity/hex", test_hex);
  g_test_add_func ("/identity/hash-is-fixed", test_hash_is_fixed);
  return g_test_run ();
}
