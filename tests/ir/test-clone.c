#include "clone.h"
#include "test-core.h"

/* A host program with a loop, a slice, a HostUnit, a mesh and a split axis. */
static HirContainer *
build (void)
{
  HirContainer *host = hir_container_new (HIR_CONTAINER_HOST, NULL);
  HirTensor *in = test_input (host, 2);
  HirTensor *slice = hir_tensor_new (host, HIR_DTYPE_FLOAT, &in->logical.ids[1], 1);
  HirScalar *index = hir_scalar_get_named (host, HIR_NAME_STREAM_IDX, HIR_DTYPE_INDEX);
  HirExpr *loop = hir_expr_new_for (host, in->loop.ids[0], index);
  HirHostUnit *unit = hir_container_add_unit (host);
  HirTensor *unit_in = test_input (unit->fusion, 1);
  HirTensor *unit_out = test_set (unit->fusion, unit_in);
  HirIterDomain *parts[2];

  in->mesh = hir_mesh_new (host->arena, (gint64[]){ 0, 1 }, 2, (gint64[]){ 2 }, 1, NULL);
  g_assert_true (hir_iter_domain_split (in->logical.ids[1],
                                        hir_scalar_new_int (host, 2, HIR_DTYPE_INDEX), TRUE,
                                        &parts[0], &parts[1], NULL));
  hir_tensor_set_loop (in, (HirIterDomain *[]){ in->logical.ids[0], parts[0], parts[1] }, 3);
  hir_container_add_output (unit->fusion, HIR_VAL (unit_out));
  hir_container_add_expr (host, loop);
  hir_vec_push (host->arena, &loop->u.loop.body.exprs,
                hir_expr_new_alias_select (host, in, slice, 0, index));
  hir_vec_push (host->arena, &loop->u.loop.body.exprs,
                hir_expr_new_post_on_stream (host, unit, (HirVal *[]){ HIR_VAL (slice) }, 1,
                                             (HirVal *[]){ HIR_VAL (slice) }, 1));
  hir_container_add_output (host, HIR_VAL (slice));
  return host;
}

/* The copy must not point into the original: the original is freed first, and ASan detects
 * accesses. */
static void
test_deep (void)
{
  HirContainer *host = build ();
  g_autoptr (HirContainer) copy = hir_container_clone (host);
  HirTensor *in = host->tensors.items[0];
  HirTensor *in_copy = copy->tensors.items[0];
  HirExpr *loop;
  HirExpr *post;

  g_assert_true (in_copy != in);
  g_assert_cmphex (in_copy->base.node.id, ==, in->base.node.id);
  g_assert_cmpint (copy->val_counter[HIR_VAL_ITER_DOMAIN], ==,
                   host->val_counter[HIR_VAL_ITER_DOMAIN]);
  g_assert_cmpint (copy->expr_counter, ==, host->expr_counter);
  hir_container_unref (host);

  g_assert_cmpuint (in_copy->loop.n, ==, 3);
  g_assert_true (in_copy->loop.ids[1]->definition->in[0] == in_copy->logical.ids[1]);
  g_assert_true (in_copy->loop.ids[1]->definition == in_copy->loop.ids[2]->definition);
  g_assert_cmpint (in_copy->mesh->devices[1], ==, 1);
  loop = copy->top.exprs.items[0];
  g_assert_true (loop->u.loop.iter_domain == in_copy->logical.ids[0]);
  g_assert_cmpuint (loop->u.loop.body.exprs.len, ==, 2);
  post = loop->u.loop.body.exprs.items[1];
  g_assert_true (post->u.post.unit == copy->units.items[0]);
  g_assert_cmpuint (post->u.post.unit->fusion->exprs.len, ==, 1);
  g_assert_true (post->container == copy);
  g_assert_true (copy->outputs.items[0] == copy->tensors.items[1]);
}

/* New nodes of the target never take the name of a copied node. */
static void
test_names_do_not_collide (void)
{
  g_autoptr (HirContainer) fusion = hir_container_new (HIR_CONTAINER_FUSION, NULL);
  g_autoptr (HirContainer) target = hir_container_new (HIR_CONTAINER_HOST, NULL);
  g_autoptr (HirCloner) cloner = hir_cloner_new (target);
  HirTensor *in = test_input (fusion, 2);
  HirTensor *out = test_set (fusion, in);
  HirTensor *copy = hir_cloner_tensor (cloner, out);
  HirTensor *fresh;

  g_assert_true (hir_cloner_tensor (cloner, out) == copy);
  g_assert_null (copy->definition);
  fresh = hir_tensor_new (target, HIR_DTYPE_FLOAT, NULL, 0);
  g_assert_cmpint (fresh->base.name, ==, out->base.name + 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/clone/deep", test_deep);
  g_test_add_func ("/clone/names-do-not-collide", test_names_do_not_collide);
  return g_test_run ();
}
