#include "segment/segmenter.h"

#include "segment/segment-graph.h"

static GHashTable *
set_of (const HirVec *vals)
{
  GHashTable *set = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < vals->len; i++)
    g_hash_table_add (set, vals->items[i]);
  return set;
}

static void
graph_init (HirGroupGraph *graph,
            HirContainer *fusion,
            const HirSegmentRules *rules,
            GCancellable *cancellable)
{
  *graph = (HirGroupGraph){ .fusion = fusion, .rules = rules, .cancellable = cancellable };
  graph->arena = hir_arena_new ();
  graph->exprs = hir_fusion_dup_exprs (fusion);
  graph->uses = hir_fusion_dup_uses (fusion);
  graph->expr_index = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < graph->exprs->len; i++)
    g_hash_table_insert (graph->expr_index, graph->exprs->pdata[i], GUINT_TO_POINTER (i));
  graph->inputs = set_of (&fusion->inputs);
  graph->outputs = set_of (&fusion->outputs);
  graph->forwarded_exprs = g_hash_table_new (NULL, NULL);
  graph->forwarded = g_ptr_array_new ();
  graph->values = g_hash_table_new (NULL, NULL);
  graph->list = g_ptr_array_new ();
  graph->input_groups = g_ptr_array_new ();
}

static void
graph_clear (HirGroupGraph *graph)
{
  g_ptr_array_unref (graph->exprs);
  g_hash_table_unref (graph->uses);
  g_hash_table_unref (graph->expr_index);
  g_hash_table_unref (graph->inputs);
  g_hash_table_unref (graph->outputs);
  g_hash_table_unref (graph->forwarded_exprs);
  g_ptr_array_unref (graph->forwarded);
  g_hash_table_unref (graph->values);
  g_ptr_array_unref (graph->list);
  g_ptr_array_unref (graph->input_groups);
  hir_arena_free (graph->arena);
}

static void
add_value (HirGroupGraph *graph, HirTensor *tensor, HirGroup *producer)
{
  HirGroupValue *value = hir_arena_new0 (graph->arena, HirGroupValue);

  value->tensor = tensor;
  value->producer = producer;
  value->is_output = g_hash_table_contains (graph->outputs, tensor);
  value->is_border = graph->rules->is_2026 && hir_group_is_segmenter_set (tensor->definition);
  g_hash_table_insert (graph->values, tensor, value);
}

static void
add_input_group (HirGroupGraph *graph, HirTensor *tensor)
{
  HirGroup *group = hir_arena_new0 (graph->arena, HirGroup);

  group->is_input = TRUE;
  g_ptr_array_add (graph->input_groups, group);
  add_value (graph, tensor, group);
}

/* Step 2: creates one group per Expr, and one edge per operand. */
static void
add_group (HirGroupGraph *graph, HirExpr *expr)
{
  HirGroup *group = hir_group_new (graph);

  hir_group_list_push (graph, &group->exprs, expr);
  group->standalone = graph->rules->is_standalone (expr);
  for (guint i = 0; i < expr->n_inputs; i++)
    {
      HirGroupValue *value;

      if (g_hash_table_contains (graph->inputs, expr->inputs[i]))
        hir_group_list_push (graph, &group->inputs, expr->inputs[i]);
      value = g_hash_table_lookup (graph->values, expr->inputs[i]);
      if (value != NULL)
        hir_group_edge_new (graph, value->producer, group, value);
    }
  for (guint i = 0; i < expr->n_outputs; i++)
    {
      if (g_hash_table_contains (graph->outputs, expr->outputs[i]))
        hir_group_list_push (graph, &group->outputs, expr->outputs[i]);
      add_value (graph, HIR_TENSOR (expr->outputs[i]), group);
    }
}

static void
add_groups (HirGroupGraph *graph)
{
  for (guint i = 0; i < graph->fusion->inputs.len; i++)
    {
      HirVal *input = graph->fusion->inputs.items[i];

      if (HIR_IS_TENSOR (input))
        add_input_group (graph, HIR_TENSOR (input));
    }
  for (guint i = 0; i < graph->forwarded->len; i++)
    add_input_group (graph, graph->forwarded->pdata[i]);
  for (guint i = 0; i < graph->exprs->len; i++)
    {
      if (!g_hash_table_contains (graph->forwarded_exprs, graph->exprs->pdata[i]))
        add_group (graph, graph->exprs->pdata[i]);
    }
}

static void
segment_free (gpointer data)
{
  HirSegment *segment = data;

  g_ptr_array_unref (segment->exprs);
  g_ptr_array_unref (segment->inputs);
  g_ptr_array_unref (segment->outputs);
  g_free (segment);
}

static int
compare_exprs (gconstpointer a, gconstpointer b, gpointer user_data)
{
  HirGroupGraph *graph = user_data;
  guint i = GPOINTER_TO_UINT (g_hash_table_lookup (graph->expr_index, *(HirExpr *const *) a));
  guint j = GPOINTER_TO_UINT (g_hash_table_lookup (graph->expr_index, *(HirExpr *const *) b));

  return i < j ? -1 : i > j;
}

static void
add_once (GPtrArray *vals, GHashTable *seen, gpointer val)
{
  if (g_hash_table_add (seen, val))
    g_ptr_array_add (vals, val);
}

/* Step 6: inputs of the fusion, then tensors of incoming edges; outputs likewise; without
 * duplicates. */
static HirSegment *
segment_new (HirGroupGraph *graph, HirGroup *group)
{
  HirSegment *segment = g_new0 (HirSegment, 1);
  g_autoptr (GHashTable) read = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) given = g_hash_table_new (NULL, NULL);

  segment->exprs = g_ptr_array_new ();
  segment->inputs = g_ptr_array_new ();
  segment->outputs = g_ptr_array_new ();
  segment->standalone = group->standalone;
  for (HirGroupItem *item = group->exprs.first; item != NULL; item = item->next)
    g_ptr_array_add (segment->exprs, item->data);
  segment->first = segment->exprs->pdata[0];
  g_ptr_array_sort_with_data (segment->exprs, compare_exprs, graph);

  for (HirGroupItem *item = group->inputs.first; item != NULL; item = item->next)
    add_once (segment->inputs, read, item->data);
  for (HirGroupEdge *edge = group->first_producer; edge != NULL; edge = edge->to_next)
    add_once (segment->inputs, read, edge->value->tensor);
  for (HirGroupItem *item = group->outputs.first; item != NULL; item = item->next)
    add_once (segment->outputs, given, item->data);
  for (HirGroupEdge *edge = group->first_consumer; edge != NULL; edge = edge->from_next)
    add_once (segment->outputs, given, edge->value->tensor);
  return segment;
}

static gboolean
segment_graph_run (HirGroupGraph *graph)
{
  hir_segment_forward_inputs (graph);
  add_groups (graph);
  if (!hir_segment_merge_by_level (graph) || !hir_segment_merge_finally (graph))
    return FALSE;
  hir_segment_return_chains (graph);
  return TRUE;
}

const HirSegmentRules hir_segment_rules_2025 = { hir_expr_is_standalone, FALSE };

/* Numbers the groups as they are in the list now. */
static GHashTable *
dup_group_numbers (HirGroupGraph *graph)
{
  GHashTable *numbers = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < graph->list->len; i++)
    g_hash_table_insert (numbers, graph->list->pdata[i], GUINT_TO_POINTER (i));
  return numbers;
}

static GPtrArray *
dup_segments (HirGroupGraph *graph, GPtrArray *order)
{
  g_autoptr (GHashTable) numbers = dup_group_numbers (graph);
  GPtrArray *segments = g_ptr_array_new_with_free_func (segment_free);

  for (guint i = 0; i < order->len; i++)
    {
      HirSegment *segment = segment_new (graph, order->pdata[i]);

      segment->group = GPOINTER_TO_UINT (g_hash_table_lookup (numbers, order->pdata[i]));
      g_ptr_array_add (segments, segment);
    }
  return segments;
}

GPtrArray *
hir_segment_fusion (HirContainer *fusion,
                    const HirSegmentRules *rules,
                    GCancellable *cancellable,
                    GError **error)
{
  HirGroupGraph graph;
  GPtrArray *segments = NULL;
  g_autoptr (GPtrArray) order = NULL;

  graph_init (&graph, fusion, rules, cancellable);
  if (!segment_graph_run (&graph))
    hir_set_error (error, HIR_ERROR_CANCELLED, NULL, "lowering was cancelled");
  else if ((order = rules->is_2026 ? hir_segment_dup_queue_order (&graph)
                                   : hir_segment_dup_run_order (&graph)) == NULL)
    hir_set_error (error, HIR_ERROR_INVALID_IR, NULL,
                   "the segments of this fusion depend on each other, so none can run first; the "
                   "fusion reads a tensor before it is computed");
  else
    segments = dup_segments (&graph, order);
  graph_clear (&graph);
  return segments;
}
