#include "structural-hash.h"

#include "clone.h"
#include "test-core.h"
#include "test-programs.h"

static HirContainer *
chain (guint n)
{
  HirContainer *c = hir_container_new (HIR_CONTAINER_FUSION, NULL);
  HirTensor *t = test_input (c, 2);

  for (guint i = 0; i < n; i++)
    t = test_set (c, t);
  hir_container_add_output (c, HIR_VAL (t));
  return c;
}

static void
test_names (void)
{
  g_autoptr (HirContainer) a = chain (3), b = hir_container_new (HIR_CONTAINER_FUSION, NULL);
  g_autoptr (HirContainer) longer = chain (4);
  HirTensor *t;

  /* The same program with other numbers, ids and positions. */
  hir_maker_begin (b, "another", 5);
  hir_maker_set_pos (b, (HirPos){ 3, 4 });
  for (guint i = 0; i < 7; i++)
    test_symbol (b);
  b->val_counter[HIR_VAL_TENSOR] = 40;
  b->val_counter[HIR_VAL_ITER_DOMAIN] = 90;
  b->expr_counter = 11;
  t = test_input (b, 2);
  for (guint i = 0; i < 3; i++)
    t = test_set (b, t);
  hir_container_add_output (b, HIR_VAL (t));
  t->script_name = "renamed";
  g_assert_cmpuint (hir_container_hash (a), ==, hir_container_hash (b));
  g_assert_cmpuint (hir_container_hash (a), !=, hir_container_hash (longer));
}

static void
test_clone (void)
{
  HirContainer *(*const makers[]) (void) = { test_program_single_set, test_program_ag_matmul,
                                             test_program_allgather_p2p, test_program_unit };

  for (guint i = 0; i < G_N_ELEMENTS (makers); i++)
    {
      g_autoptr (HirContainer) c = makers[i]();
      g_autoptr (HirContainer) copy = hir_container_clone (c);
      g_autoptr (GHashTable) before = hir_container_dup_node_hashes (c);
      g_autoptr (GHashTable) after = hir_container_dup_node_hashes (copy);
      GHashTableIter iter;
      gpointer id, hash;

      g_assert_cmpuint (hir_container_hash (c), ==, hir_container_hash (copy));
      g_assert_cmpuint (g_hash_table_size (before), ==, g_hash_table_size (after));
      g_hash_table_iter_init (&iter, before);
      while (g_hash_table_iter_next (&iter, &id, &hash))
        {
          const guint64 *other = g_hash_table_lookup (after, id);

          g_assert_nonnull (other);
          g_assert_cmpuint (*other, ==, *(guint64 *) hash);
        }
    }
}

/* All content must count: each edit gives a new hash. */
static void
expect_new (GHashTable *seen, HirContainer *c, const char *edit)
{
  guint64 hash = hir_container_hash (c);

  if (!g_hash_table_add (seen, g_memdup2 (&hash, sizeof hash)))
    g_error ("the hash does not see: %s", edit);
}

static void
test_tensor_edits (void)
{
  g_autoptr (HirContainer) c = chain (2);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  HirTensor *t = c->tensors.items[1];
  HirExpr *set = c->exprs.items[1];
  HirIterDomain *outer, *inner;

  expect_new (seen, c, "nothing");
  t->logical.ids[1]->parallel_type = HIR_PARALLEL_STREAM;
  expect_new (seen, c, "parallel type");
  t->base.dtype = HIR_DTYPE_HALF;
  expect_new (seen, c, "dtype");
  t->memory = HIR_MEMORY_SHARED;
  expect_new (seen, c, "memory");
  t->mesh = test_mesh (c, 2);
  expect_new (seen, c, "mesh");
  t->mesh = test_mesh (c, 4);
  expect_new (seen, c, "larger mesh");
  t->contiguity[0] = HIR_CONTIGUITY_FALSE;
  expect_new (seen, c, "contiguity");
  g_assert_true (hir_iter_domain_split (t->logical.ids[0],
                                        hir_scalar_new_int (c, 4, HIR_DTYPE_INDEX), TRUE, &outer,
                                        &inner, NULL));
  hir_tensor_set_loop (t, (HirIterDomain *[]){ outer, inner, t->logical.ids[1] }, 3);
  expect_new (seen, c, "split");
  outer->definition->inner_split = FALSE;
  expect_new (seen, c, "outer split");
  hir_tensor_set_loop (t, (HirIterDomain *[]){ inner, outer, t->logical.ids[1] }, 3);
  expect_new (seen, c, "loop order");
  hir_tensor_set_allocation (t, t->loop.ids, 3);
  expect_new (seen, c, "allocation");
  set->u.set.streaming = TRUE;
  expect_new (seen, c, "cache_op");
  set->u.set.kind = HIR_SET_SEGMENTER;
  expect_new (seen, c, "set kind");
  t->logical.ids[1]->extent = hir_scalar_new_int (c, 8, HIR_DTYPE_INDEX);
  expect_new (seen, c, "extent");
  t->logical.ids[1]->extent = hir_scalar_new_int (c, 9, HIR_DTYPE_INDEX);
  expect_new (seen, c, "constant");
  t->logical.ids[1]->iter_type = HIR_ITER_BROADCAST;
  expect_new (seen, c, "iter type");
  set->inputs[0] = c->inputs.items[0];
  expect_new (seen, c, "operand");
  hir_container_add_output (c, HIR_VAL (t));
  expect_new (seen, c, "output");
}

static void
test_host_edits (void)
{
  g_autoptr (HirContainer) c = test_program_allgather_p2p ();
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  HirExpr *loop = c->top.exprs.items[3], *branch = loop->u.loop.body.exprs.items[2];
  HirExpr *recv = branch->u.branch.else_body.exprs.items[1];
  gpointer swap;

  expect_new (seen, c, "nothing");
  swap = c->top.exprs.items[0];
  c->top.exprs.items[0] = c->top.exprs.items[1];
  c->top.exprs.items[1] = swap;
  expect_new (seen, c, "order");
  recv->u.p2p.is_send = TRUE;
  expect_new (seen, c, "direction");
  recv->u.p2p.peer = hir_scalar_get_zero (c);
  expect_new (seen, c, "peer");
  branch->u.branch.condition->op = HIR_SCALAR_OP_NE;
  expect_new (seen, c, "condition");
  /* Moves the last Expr of the loop behind the loop. */
  hir_container_add_expr (c, loop->u.loop.body.exprs.items[loop->u.loop.body.exprs.len - 1]);
  loop->u.loop.body.exprs.len--;
  expect_new (seen, c, "nesting");
}

static void
test_unit_edit (void)
{
  g_autoptr (HirContainer) a = test_program_unit (), b = test_program_unit ();
  HirHostUnit *unit = b->units.items[0];
  HirExpr *op = unit->fusion->exprs.items[0];

  g_assert_cmpuint (hir_container_hash (a), ==, hir_container_hash (b));
  op->u.unary.op = HIR_UNARY_SIN;
  g_assert_cmpuint (hir_container_hash (a), !=, hir_container_hash (b));
}

static void
test_node_hashes (void)
{
  g_autoptr (HirContainer) c = chain (3);
  g_autoptr (GHashTable) before = hir_container_dup_node_hashes (c);
  g_autoptr (GHashTable) after = NULL;
  HirTensor *t = c->tensors.items[2];
  guint n_differ = 0;
  GHashTableIter iter;
  gpointer id, hash;

  t->base.name = 77;
  t->mesh = test_mesh (c, 3);
  after = hir_container_dup_node_hashes (c);
  g_assert_cmpuint (g_hash_table_size (before), ==, 7);
  g_hash_table_iter_init (&iter, before);
  while (g_hash_table_iter_next (&iter, &id, &hash))
    {
      gboolean differs = *(guint64 *) hash != *(guint64 *) g_hash_table_lookup (after, id);

      g_assert_true (differs == (*(guint64 *) id == t->base.node.id));
      n_differ += differs;
    }
  g_assert_cmpuint (n_differ, ==, 1);
}

/* A shared operand is hashed once, and a chain needs no recursion. */
static void
test_deep_scalars (void)
{
  g_autoptr (HirContainer) c = chain (1);
  HirScalar *x = test_symbol (c), *y = x;
  HirTensor *t = c->tensors.items[1];
  guint64 first;

  for (guint i = 0; i < 64; i++)
    x = hir_scalar_new_op (c, HIR_SCALAR_OP_ADD, x, x);
  t->logical.ids[0]->extent = x;
  first = hir_container_hash (c);
  for (guint i = 0; i < 200000; i++)
    {
      HirScalar *next = hir_arena_new0 (c->arena, HirScalar);

      *next = *x;
      next->a = y;
      next->b = y;
      y = next;
    }
  t->logical.ids[0]->extent = y;
  g_assert_cmpuint (hir_container_hash (c), !=, first);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/structural-hash/names", test_names);
  g_test_add_func ("/structural-hash/clone", test_clone);
  g_test_add_func ("/structural-hash/tensor-edits", test_tensor_edits);
  g_test_add_func ("/structural-hash/host-edits", test_host_edits);
  g_test_add_func ("/structural-hash/unit-edit", test_unit_edit);
  g_test_add_func ("/structural-hash/node-hashes", test_node_hashes);
  g_test_add_func ("/structural-hash/deep-scalars", test_deep_scalars);
  return g_test_run ();
}
