#include "segment/segment-graph.h"

/* Returns the Expr that forwards @tensor: its only reader, a unary op whose result is not an output
 * of the fusion. Returns NULL if the chain ends with @tensor. */
static HirExpr *
get_forwarding (HirGroupGraph *graph, const HirTensor *tensor)
{
  GPtrArray *readers = g_hash_table_lookup (graph->uses, tensor);
  HirExpr *reader;

  if (readers == NULL || readers->len != 1)
    return NULL;
  reader = readers->pdata[0];
  if (reader->kind != HIR_EXPR_UNARY || g_hash_table_contains (graph->outputs, reader->outputs[0]))
    return NULL;
  readers = g_hash_table_lookup (graph->uses, reader->outputs[0]);
  for (guint i = 0; graph->rules->is_2026 && readers != NULL && i < readers->len; i++)
    {
      if (hir_group_is_segmenter_set (readers->pdata[i]))
        return NULL;
    }
  return reader;
}

void
hir_segment_forward_inputs (HirGroupGraph *graph)
{
  g_auto (GQueue) to_visit = G_QUEUE_INIT;
  HirExpr *expr;

  for (guint i = 0; i < graph->fusion->inputs.len; i++)
    {
      HirVal *input = graph->fusion->inputs.items[i];

      if (HIR_IS_TENSOR (input) && (expr = get_forwarding (graph, HIR_TENSOR (input))) != NULL)
        g_queue_push_tail (&to_visit, expr);
    }
  for (guint i = 0; i < graph->exprs->len; i++)
    {
      HirExpr *full = graph->exprs->pdata[i];

      if (full->kind != HIR_EXPR_FULL || g_hash_table_contains (graph->outputs, full->outputs[0]))
        continue;
      g_hash_table_add (graph->forwarded_exprs, full);
      expr = get_forwarding (graph, HIR_TENSOR (full->outputs[0]));
      if (expr != NULL)
        g_queue_push_tail (&to_visit, expr);
      else
        g_ptr_array_add (graph->forwarded, full->outputs[0]);
    }

  while ((expr = g_queue_pop_head (&to_visit)) != NULL)
    {
      HirTensor *result = HIR_TENSOR (expr->outputs[0]);
      HirExpr *next = get_forwarding (graph, result);

      g_hash_table_add (graph->forwarded_exprs, expr);
      if (next != NULL)
        g_queue_push_tail (&to_visit, next);
      else
        g_ptr_array_add (graph->forwarded, result);
    }
}

/* Creates a group with a copy of the chain that ends with @last. */
static HirGroup *
chain_group_new (HirGroupGraph *graph, HirTensor *last)
{
  HirGroup *group = hir_group_new (graph);
  g_autoptr (GPtrArray) exprs = g_ptr_array_new ();
  HirTensor *at = last;

  while (at != NULL && at->definition != NULL)
    {
      HirExpr *expr = at->definition;

      g_ptr_array_add (exprs, expr);
      at = expr->n_inputs > 0 && HIR_IS_TENSOR (expr->inputs[0]) ? HIR_TENSOR (expr->inputs[0])
                                                                 : NULL;
    }
  for (guint i = exprs->len; i > 0; i--)
    hir_group_list_push (graph, &group->exprs, exprs->pdata[i - 1]);
  /* A chain that starts with `full` reads no tensor. */
  if (at != NULL)
    hir_group_list_push (graph, &group->inputs, at);
  return group;
}

static void
return_chain (HirGroupGraph *graph, HirGroupValue *value)
{
  g_autoptr (GPtrArray) users = g_ptr_array_new ();
  guint mark = ++graph->mark;

  for (HirGroupEdge *edge = value->producer->first_consumer; edge != NULL; edge = edge->from_next)
    {
      if (edge->to->mark == mark)
        continue;
      edge->to->mark = mark;
      g_ptr_array_add (users, edge->to);
    }
  for (guint i = 0; i < users->len; i++)
    {
      HirGroup *user = users->pdata[i];
      HirGroup *chain = chain_group_new (graph, value->tensor);

      for (HirGroupEdge *edge = user->first_producer; edge != NULL; edge = edge->to_next)
        {
          if (edge->from == value->producer)
            hir_group_edge_set_from (edge, chain);
        }
      if (!user->standalone)
        hir_group_merge (graph, chain, user);
    }
}

void
hir_segment_return_chains (HirGroupGraph *graph)
{
  for (guint i = 0; i < graph->forwarded->len; i++)
    return_chain (graph, g_hash_table_lookup (graph->values, graph->forwarded->pdata[i]));
  hir_group_graph_drop_dead (graph);
}

/* Returns when a ready group can run: the sweep, then the position in the list. */
static gint64
run_time_of (const HirGroup *group)
{
  return (gint64) group->level << 32 | group->position;
}

static int
compare_run_times (gconstpointer a, gconstpointer b, gpointer user_data)
{
  gint64 x = run_time_of (a), y = run_time_of (b);

  return x < y ? -1 : x > y;
}

/* Makes groups ready that waited only for @group. They run in the same sweep if they come later in
 * the list, otherwise in the next one. */
static void
run_group (HirGroup *group, GTree *ready)
{
  for (HirGroupEdge *edge = group->first_consumer; edge != NULL; edge = edge->from_next)
    {
      HirGroup *reader = edge->to;

      if (--reader->pending > 0)
        continue;
      reader->level = group->level + (reader->position < group->position ? 1 : 0);
      g_tree_insert (ready, reader, reader);
    }
}

GPtrArray *
hir_segment_dup_run_order (HirGroupGraph *graph)
{
  g_autoptr (GTree) ready = g_tree_new_full (compare_run_times, NULL, NULL, NULL);
  g_autoptr (GPtrArray) order = g_ptr_array_new ();
  GTreeNode *node;

  /* From here on, `level` is the sweep in which a group runs. */
  for (guint i = 0; i < graph->list->len; i++)
    {
      HirGroup *group = graph->list->pdata[i];

      group->level = 0;
      group->pending = 0;
      for (HirGroupEdge *edge = group->first_producer; edge != NULL; edge = edge->to_next)
        group->pending += edge->from->is_input ? 0 : 1;
      if (group->pending == 0)
        g_tree_insert (ready, group, group);
    }
  while ((node = g_tree_node_first (ready)) != NULL)
    {
      HirGroup *group = g_tree_node_key (node);

      g_tree_remove (ready, group);
      g_ptr_array_add (order, group);
      run_group (group, ready);
    }
  return order->len == graph->list->len ? g_steal_pointer (&order) : NULL;
}

GPtrArray *
hir_segment_dup_queue_order (HirGroupGraph *graph)
{
  g_autoptr (GPtrArray) order = g_ptr_array_new ();

  for (guint i = 0; i < graph->list->len; i++)
    {
      HirGroup *group = graph->list->pdata[i];

      group->pending = 0;
      for (HirGroupEdge *edge = group->first_producer; edge != NULL; edge = edge->to_next)
        group->pending += edge->from->is_input ? 0 : 1;
      if (group->pending == 0)
        g_ptr_array_add (order, group);
    }
  for (guint i = 0; i < order->len; i++)
    {
      HirGroup *group = order->pdata[i];

      for (HirGroupEdge *edge = group->first_consumer; edge != NULL; edge = edge->from_next)
        {
          if (--edge->to->pending == 0)
            g_ptr_array_add (order, edge->to);
        }
    }
  return order->len == graph->list->len ? g_steal_pointer (&order) : NULL;
}
