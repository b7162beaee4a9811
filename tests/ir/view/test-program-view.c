#include "view/program-view.h"

#include "structural-hash.h"
#include "test-core.h"
#include "test-programs.h"

static const HirFact *
find_fact (const HirNodeInfo *info, const char *name, guint nth)
{
  for (guint i = 0; i < info->facts->len; i++)
    {
      const HirFact *fact = &g_array_index (info->facts, HirFact, i);

      if (g_str_equal (fact->name, name) && nth-- == 0)
        return fact;
    }
  return NULL;
}

static void
assert_fact (const HirNodeInfo *info, const char *name, const char *value, guint64 id)
{
  const HirFact *fact = find_fact (info, name, 0);

  g_assert_nonnull (fact);
  g_assert_cmpstr (fact->value, ==, value);
  g_assert_cmpuint (fact->id, ==, id);
}

static HirExpr *
body_nth (HirContainer *c, guint loop, guint i)
{
  HirExpr *expr = c->top.exprs.items[loop];

  return expr->u.loop.body.exprs.items[i];
}

/* Checks that every id in the text, the graph or a fact can be looked up. */
static void
assert_closed (const HirProgramView *view)
{
  GHashTableIter iter;
  gpointer value;

  for (guint i = 0; i < view->spans->len; i++)
    {
      const HirSpan *span = &g_array_index (view->spans, HirSpan, i);
      const HirNodeInfo *info = hir_program_view_lookup (view, span->id);

      g_assert_nonnull (info);
      g_assert_cmpint (info->is_expr, ==, span->is_expr);
    }
  for (guint i = 0; i < view->graph->nodes->len; i++)
    g_assert_nonnull (
        hir_program_view_lookup (view, g_array_index (view->graph->nodes, HirGraphNode, i).id));
  for (guint i = 0; i < view->graph->groups->len; i++)
    g_assert_nonnull (
        hir_program_view_lookup (view, g_array_index (view->graph->groups, HirGraphGroup, i).id));
  g_hash_table_iter_init (&iter, view->nodes);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const HirNodeInfo *info = value;

      g_assert_true (info->kind != NULL && info->label != NULL && *info->label != '\0');
      g_assert_null (strchr (info->label, '\n'));
      for (guint i = 0; i < info->facts->len; i++)
        {
          const HirFact *fact = &g_array_index (info->facts, HirFact, i);

          g_assert_true (fact->name != NULL && fact->value != NULL);
          if (fact->id != 0)
            g_assert_nonnull (hir_program_view_lookup (view, fact->id));
        }
    }
}

static void
test_facts (void)
{
  g_autoptr (HirContainer) c = test_program_ag_matmul ();
  HirTensor **t = (HirTensor **) c->tensors.items;
  HirExpr *matmul = body_nth (c, 4, 7), *select = body_nth (c, 4, 1), *set = body_nth (c, 4, 0);
  const HirNodeInfo *info;
  g_autoptr (HirProgramView) view = NULL;

  t[1]->script_name = "weight";
  view = hir_program_view_new (c, HIR_FORMAT_2025);
  assert_closed (view);
  g_assert_true (view->is_host);
  g_assert_cmpuint (view->hash, ==, hir_container_hash (c));

  info = hir_program_view_lookup (view, matmul->node.id);
  g_assert_cmpstr (info->kind, ==, "MatmulOp");
  g_assert_cmpstr (info->label, ==, "T6 = matmul(T5, T1)");
  g_assert_true (info->is_expr);
  assert_fact (info, "op", "matmul", 0);
  assert_fact (info, "output", "T6 [i1, i2, i5, r i3]", t[6]->base.node.id);
  assert_fact (info, "reads", "T5 [i1, i2, i3]", t[5]->base.node.id);
  g_assert_cmpuint (find_fact (info, "reads", 1)->id, ==, t[1]->base.node.id);
  assert_fact (info, "stream", "Stream StreamIdx % numberOfStreams", set->node.id);
  g_assert_cmpuint (find_fact (info, "inside", 0)->id, ==,
                    ((HirExpr *) c->top.exprs.items[4])->node.id);
  g_assert_null (find_fact (info, "inside", 1));

  info = hir_program_view_lookup (view, select->node.id);
  assert_fact (info, "axis", "iS0{i0}", t[0]->logical.ids[0]->base.node.id);
  assert_fact (info, "index", "StreamIdx", 0);

  info = hir_program_view_lookup (view, t[1]->base.node.id);
  g_assert_cmpstr (info->kind, ==, "TensorView");
  g_assert_cmpstr (info->label, ==, "T1 [i4, i5]");
  assert_fact (info, "script variable", "weight", 0);
  assert_fact (info, "role", "input", 0);
  assert_fact (info, "type", "float", 0);
  assert_fact (info, "size", "i4·i5 × 4 B", 0);
  assert_fact (info, "memory", "global", 0);
  assert_fact (info, "mesh", "DeviceMesh{0 1 2 3 4 5 6 7}", 0);
  assert_fact (info, "logical domain", "[iS4{i4}, iS5{i5}]", 0);
  assert_fact (info, "axis 1", "iS5{i5}", t[1]->loop.ids[1]->base.node.id);
  assert_fact (info, "used by", "T6 = matmul(T5, T1)", matmul->node.id);

  info = hir_program_view_lookup (view, t[6]->base.node.id);
  assert_fact (info, "definition", "T6 = matmul(T5, T1)", matmul->node.id);
  g_assert_nonnull (find_fact (info, "bound by", 0));

  info = hir_program_view_lookup (view, t[2]->loop.ids[0]->base.node.id);
  g_assert_cmpstr (info->kind, ==, "IterDomain");
  assert_fact (info, "parallel type", "stream", 0);
  assert_fact (info, "extent", "i0", 0);
}

static void
test_all_closed (void)
{
  HirContainer *(*const makers[]) (void) = { test_program_single_set, test_program_allgather_p2p,
                                             test_program_unit };

  for (guint i = 0; i < G_N_ELEMENTS (makers); i++)
    {
      g_autoptr (HirContainer) c = makers[i]();
      g_autoptr (HirProgramView) view = hir_program_view_new (c, HIR_FORMAT_2025);

      assert_closed (view);
    }
}

/* Instructions inside a unit have a fact for it, and enclosing branches have facts too. */
static void
test_places (void)
{
  g_autoptr (HirContainer) unit = test_program_unit (), p2p = test_program_allgather_p2p ();
  g_autoptr (HirProgramView) unit_view = hir_program_view_new (unit, HIR_FORMAT_2025);
  g_autoptr (HirProgramView) p2p_view = hir_program_view_new (p2p, HIR_FORMAT_2025);
  HirHostUnit *host_unit = unit->units.items[0];
  HirExpr *op = host_unit->fusion->exprs.items[0], *post = unit->top.exprs.items[0];
  HirExpr *branch = body_nth (p2p, 3, 2), *recv = branch->u.branch.else_body.exprs.items[1], *own;
  const HirNodeInfo *info = hir_program_view_lookup (unit_view, op->node.id);

  assert_fact (info, "inside", "HostUnit0", host_unit->node.id);
  g_assert_null (find_fact (info, "stream", 0));
  info = hir_program_view_lookup (unit_view, post->node.id);
  assert_fact (info, "stream", "Default stream", 0);
  info = hir_program_view_lookup (p2p_view, recv->node.id);
  assert_fact (info, "inside", "ELSE of IF StreamIdx == deviceIdx.x", branch->node.id);
  g_assert_nonnull (find_fact (info, "inside", 1));
  own = branch->u.branch.then_body.exprs.items[0];
  info = hir_program_view_lookup (p2p_view, own->node.id);
  assert_fact (info, "inside", "IF StreamIdx == deviceIdx.x", branch->node.id);
}

static void
test_changes (void)
{
  g_autoptr (HirContainer) c = hir_container_new (HIR_CONTAINER_FUSION, NULL);
  HirTensor *in = test_input (c, 2), *mid = test_set (c, in), *out = test_set (c, mid), *added;
  g_autoptr (HirProgramView) before = NULL, same = NULL, after = NULL;
  guint created, changed, removed;
  guint64 removed_id = out->base.node.id;

  hir_container_add_output (c, HIR_VAL (out));
  before = hir_program_view_new (c, HIR_FORMAT_2025);
  same = hir_program_view_new (c, HIR_FORMAT_2025);
  hir_program_view_count_changes (before, same, &created, &changed, &removed);
  g_assert_cmpuint (created + changed + removed, ==, 0);
  hir_program_view_count_changes (NULL, before, &created, &changed, &removed);
  g_assert_cmpuint (created, ==, 5);

  /* T1 is put on a mesh; T2 and its op are replaced by another pair. */
  mid->mesh = test_mesh (c, 2);
  added = test_set (c, mid);
  c->outputs.len = 0;
  hir_container_add_output (c, HIR_VAL (added));
  after = hir_program_view_new (c, HIR_FORMAT_2025);
  hir_program_view_count_changes (before, after, &created, &changed, &removed);
  g_assert_cmpuint (created, ==, 2);
  g_assert_cmpuint (changed, ==, 1);
  g_assert_cmpuint (removed, ==, 2);
  g_assert_cmpint (hir_program_view_get_change (before, after, mid->base.node.id), ==,
                   HIR_CHANGE_CHANGED);
  g_assert_cmpint (hir_program_view_get_change (before, after, in->base.node.id), ==,
                   HIR_CHANGE_NONE);
  g_assert_cmpint (hir_program_view_get_change (before, after, added->base.node.id), ==,
                   HIR_CHANGE_CREATED);
  g_assert_cmpint (hir_program_view_get_change (before, after, removed_id), ==, HIR_CHANGE_REMOVED);
  g_assert_cmpint (hir_program_view_get_change (NULL, after, in->base.node.id), ==,
                   HIR_CHANGE_CREATED);
  g_assert_cmpint (hir_program_view_get_change (before, after, 12345), ==, HIR_CHANGE_NONE);
}

/* Creates a snapshot from rows of "id: origins". */
static HirProgramView *
snapshot (const guint64 rows[][3], guint n)
{
  HirProgramView *view = hir_program_view_new_empty ();

  for (guint i = 0; i < n; i++)
    {
      HirNodeInfo *info = hir_node_info_new (rows[i][0], TRUE);

      info->kind = g_strdup ("SetOp");
      info->label = g_strdup ("x");
      info->n_origins = rows[i][1] == 0 ? 0 : rows[i][2] == 0 ? 1 : 2;
      info->origins = g_memdup2 (&rows[i][1], sizeof (guint64) * info->n_origins);
      hir_program_view_add_node (view, info);
    }
  return view;
}

static void
assert_follows (GPtrArray *views, guint from, guint to, guint64 id, guint n, const guint64 *want)
{
  g_autoptr (GArray) got = hir_program_views_follow (views, from, to, id);

  g_assert_cmpuint (got->len, ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_cmpuint (g_array_index (got, guint64, i), ==, want[i]);
}

static void
test_follow (void)
{
  g_autoptr (GPtrArray) views =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hir_program_view_unref);

  /* 1 stays; 2 becomes 20 and 21, and 20 becomes 200; 3 disappears; 4 is merged with a descendant
   * of 1. */
  g_ptr_array_add (views, snapshot ((const guint64[][3]){ { 1 }, { 2 }, { 3 }, { 4 } }, 4));
  g_ptr_array_add (views, snapshot ((const guint64[][3]){ { 1 }, { 21, 2 }, { 20, 2 }, { 4 } }, 4));
  g_ptr_array_add (views,
                   snapshot ((const guint64[][3]){ { 1 }, { 21, 2 }, { 200, 20 }, { 40, 4, 1 } },
                             4));

  assert_follows (views, 0, 2, 1, 1, (guint64[]){ 1 });
  assert_follows (views, 0, 0, 2, 1, (guint64[]){ 2 });
  assert_follows (views, 0, 1, 2, 2, (guint64[]){ 20, 21 });
  assert_follows (views, 0, 2, 2, 2, (guint64[]){ 21, 200 });
  assert_follows (views, 0, 2, 3, 0, NULL);
  assert_follows (views, 0, 2, 4, 1, (guint64[]){ 40 });
  assert_follows (views, 2, 0, 200, 1, (guint64[]){ 2 });
  assert_follows (views, 2, 1, 200, 1, (guint64[]){ 20 });
  assert_follows (views, 2, 0, 40, 2, (guint64[]){ 4, 1 });
  assert_follows (views, 2, 0, 999, 0, NULL);
}

static void
assert_caused (GPtrArray *views, guint line, guint step, guint n, const guint64 *want)
{
  g_autoptr (GPtrArray) steps = hir_program_views_follow_line (views, line);
  const GArray *got = steps->pdata[step];

  g_assert_cmpuint (steps->len, ==, views->len);
  g_assert_cmpuint (got->len, ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_cmpuint (g_array_index (got, guint64, i), ==, want[i]);
}

/* A line causes the nodes at its position, also in later snapshots, the nodes derived from them,
 * and the tensor of an axis, but not what is derived from this tensor. */
static void
test_follow_line (void)
{
  g_autoptr (GPtrArray) views =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hir_program_view_unref);
  HirProgramView *first = snapshot ((const guint64[][3]){ { 1 }, { 2 }, { 3 } }, 3);
  HirProgramView *last = snapshot ((const guint64[][3]){ { 3 }, { 10, 1 }, { 20, 2 }, { 30 } }, 4);

  g_ptr_array_add (views, first);
  g_ptr_array_add (views, last);
  ((HirNodeInfo *) hir_program_view_lookup (first, 1))->pos.line = 7;
  hir_node_info_add_fact ((HirNodeInfo *) hir_program_view_lookup (first, 1), "axis of", "T2", 2);
  ((HirNodeInfo *) hir_program_view_lookup (first, 3))->pos.line = 8;
  ((HirNodeInfo *) hir_program_view_lookup (last, 3))->pos.line = 8;
  ((HirNodeInfo *) hir_program_view_lookup (last, 30))->pos.line = 7;
  assert_caused (views, 7, 0, 2, (guint64[]){ 1, 2 });
  assert_caused (views, 7, 1, 2, (guint64[]){ 10, 30 });
  assert_caused (views, 8, 0, 1, (guint64[]){ 3 });
  assert_caused (views, 8, 1, 1, (guint64[]){ 3 });
  assert_caused (views, 9, 0, 0, NULL);
}

/* Slices of the stream pass are mapped back to what the script created. */
static void
test_follow_programs (void)
{
  g_autoptr (GPtrArray) views =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hir_program_view_unref);
  g_autoptr (HirContainer) before = hir_container_new (HIR_CONTAINER_FUSION, NULL);
  g_autoptr (HirContainer) after = NULL;
  HirTensor *in, *out, *slice;

  hir_maker_begin (before, "script", 1);
  hir_maker_set_pos (before, (HirPos){ 12, 5 });
  in = test_input (before, 1);
  out = test_set (before, in);
  hir_container_add_output (before, HIR_VAL (out));
  g_ptr_array_add (views, hir_program_view_new (before, HIR_FORMAT_2025));
  after = hir_container_clone (before);
  hir_maker_begin (after, "Pass", 0);
  hir_maker_set_origin (after, &HIR_TENSOR (after->outputs.items[0])->base.node);
  slice = test_set (after, HIR_TENSOR (after->inputs.items[0]));
  after->outputs.len = 0;
  hir_container_add_output (after, HIR_VAL (slice));
  g_ptr_array_add (views, hir_program_view_new (after, HIR_FORMAT_2025));

  g_assert_cmpuint (hir_program_view_lookup (g_ptr_array_index (views, 1), slice->base.node.id)
                        ->pos.line,
                    ==, 12);
  assert_follows (views, 1, 0, slice->base.node.id, 1, (guint64[]){ out->base.node.id });
  assert_follows (views, 0, 1, in->base.node.id, 1, (guint64[]){ in->base.node.id });
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/program-view/facts", test_facts);
  g_test_add_func ("/program-view/all-closed", test_all_closed);
  g_test_add_func ("/program-view/places", test_places);
  g_test_add_func ("/program-view/changes", test_changes);
  g_test_add_func ("/program-view/follow", test_follow);
  g_test_add_func ("/program-view/follow-line", test_follow_line);
  g_test_add_func ("/program-view/follow-programs", test_follow_programs);
  return g_test_run ();
}
