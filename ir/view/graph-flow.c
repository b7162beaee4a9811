#include "view/graph-flow.h"

void
hir_tensor_flow_free (gpointer data)
{
  HirTensorFlow *state = data;

  g_array_unref (state->writers);
  g_free (state);
}

void
hir_stream_flow_free (gpointer data)
{
  HirStreamFlow *state = data;

  g_array_unref (state->pending);
  g_array_unref (state->last);
  g_free (state);
}

static HirTensor *
resolve (HirGraphWalk *walk, HirTensor *tensor)
{
  HirTensor *outer = g_hash_table_lookup (walk->bindings, tensor);

  return outer != NULL ? outer : tensor;
}

HirTensorFlow *
hir_graph_walk_tensor (HirGraphWalk *walk, HirTensor *tensor)
{
  HirTensorFlow *state = g_hash_table_lookup (walk->tensors, tensor);

  if (state == NULL)
    {
      state = g_new0 (HirTensorFlow, 1);
      state->origin = -1;
      state->writers = g_array_new (FALSE, FALSE, sizeof (int));
      g_hash_table_insert (walk->tensors, tensor, state);
    }
  return state;
}

HirStreamFlow *
hir_graph_walk_new_stream (HirGraphWalk *walk)
{
  HirStreamFlow *state = g_new0 (HirStreamFlow, 1);

  state->got = -1;
  state->last = g_array_new (FALSE, FALSE, sizeof (int));
  state->pending = g_array_new (FALSE, FALSE, sizeof (int));
  g_ptr_array_add (walk->states, state);
  return state;
}

HirStreamFlow *
hir_graph_walk_stream (HirGraphWalk *walk, HirStream *stream)
{
  HirStreamFlow *state = g_hash_table_lookup (walk->streams, stream);

  for (guint i = 0; state == NULL && stream->index != NULL && i < walk->indexed->len; i++)
    {
      HirStream *other = g_ptr_array_index (walk->indexed, i);

      if (hir_scalar_equal (other->index, stream->index))
        state = g_hash_table_lookup (walk->streams, other);
    }
  if (state == NULL)
    {
      state = hir_graph_walk_new_stream (walk);
      if (stream->index != NULL)
        g_ptr_array_add (walk->indexed, stream);
    }
  g_hash_table_insert (walk->streams, stream, state);
  return state;
}

static void
connect_from (
    HirGraphWalk *walk, const HirTensorFlow *state, guint node, HirEdgeKind kind, guint64 id)
{
  for (guint i = 0; i < state->writers->len; i++)
    hir_graph_add_edge (walk->builder, g_array_index (state->writers, int, i), node, kind, id);
}

/* Elements come from their writers, or from the storage if nothing wrote them. */
void
hir_graph_walk_read (HirGraphWalk *walk, HirTensor *tensor, guint node)
{
  HirTensor *outer = resolve (walk, tensor);
  HirTensorFlow *state = hir_graph_walk_tensor (walk, outer);

  if (state->writers->len > 0)
    connect_from (walk, state, node, HIR_EDGE_DATA, outer->base.node.id);
  else
    hir_graph_add_edge (walk->builder, state->origin, node,
                        state->is_alias ? HIR_EDGE_ALIAS : HIR_EDGE_DATA, outer->base.node.id);
}

static void
add_writer (HirTensorFlow *state, int node)
{
  for (guint i = 0; i < state->writers->len; i++)
    if (g_array_index (state->writers, int, i) == node)
      return;
  if (state->writers->len == MAX_WRITERS)
    g_array_remove_index (state->writers, 0);
  g_array_append_val (state->writers, node);
}

void
hir_graph_walk_write (HirGraphWalk *walk, HirTensor *tensor, guint node)
{
  HirTensor *outer = resolve (walk, tensor);
  HirTensorFlow *state = hir_graph_walk_tensor (walk, outer);
  guint n_bases = 0;

  if (state->is_alias)
    hir_graph_add_edge (walk->builder, state->origin, node, HIR_EDGE_ALIAS, outer->base.node.id);
  for (guint i = state->writers->len; i > 0; i--)
    {
      guint writer = (guint) g_array_index (state->writers, int, i - 1);

      if (writer < walk->kept_from || writer >= walk->kept_to)
        g_array_remove_index (state->writers, i - 1);
    }
  add_writer (state, (int) node);
  /* Data written into a slice is in the buffer, in addition to what was there. */
  for (HirTensor *base = state->base; base != NULL && n_bases < MAX_NESTING; n_bases++)
    {
      HirTensorFlow *base_state = hir_graph_walk_tensor (walk, base);

      add_writer (base_state, (int) node);
      base = base_state->base;
    }
}

void
hir_graph_walk_bind (HirGraphWalk *walk, HirTensor *tensor, guint node, HirTensor *base)
{
  HirTensorFlow *state = hir_graph_walk_tensor (walk, tensor);

  /* Allocating a bound tensor has no effect (docs/host-ir.md#memory). */
  if (base == NULL && (state->origin >= 0 || state->writers->len > 0))
    {
      hir_graph_add_edge (walk->builder, state->origin, node, HIR_EDGE_ALIAS, tensor->base.node.id);
      return;
    }
  state->origin = (int) node;
  state->is_alias = TRUE;
  state->base = base;
  g_array_set_size (state->writers, 0);
}

void
hir_graph_walk_select (HirGraphWalk *walk, const HirExpr *expr, guint node)
{
  HirTensor *in = HIR_TENSOR (expr->inputs[0]);
  HirTensorFlow *state = hir_graph_walk_tensor (walk, in);

  hir_graph_add_edge (walk->builder, state->origin, node, HIR_EDGE_ALIAS, in->base.node.id);
  if (state->origin < 0 || !state->is_alias)
    connect_from (walk, state, node, HIR_EDGE_ALIAS, in->base.node.id);
  else
    /* The buffer was filled before: the slice contains its data. */
    connect_from (walk, state, node, HIR_EDGE_DATA, in->base.node.id);
  if (hir_expr_get_result (expr) != in)
    hir_graph_walk_bind (walk, hir_expr_get_result (expr), node, in);
}
