/* Builds the graph of a host program in one walk in program order, as if it ran: tracks the source
 * of each tensor's elements, the current stream, and the events that streams wait for. */
#include "brief.h"
#include "usage.h"
#include "view/graph-flow.h"

static void
append_index (GArray *indices, guint node)
{
  int index = (int) node;

  g_array_append_val (indices, index);
}

static void
note_work (HirGraphWalk *walk, guint node)
{
  GArray *pending = walk->current->pending;

  for (guint i = 0; i < pending->len; i++)
    hir_graph_add_edge (walk->builder, g_array_index (pending, int, i), node, HIR_EDGE_SYNC, 0);
  g_array_set_size (pending, 0);
  g_array_set_size (walk->current->last, 0);
  append_index (walk->current->last, node);
}

static void
connect_operands (HirGraphWalk *walk, const HirExpr *expr, guint node)
{
  g_autoptr (GPtrArray) scalars = hir_expr_dup_scalars (expr);

  g_array_set_size (walk->accesses, 0);
  hir_expr_collect_accesses (expr, walk->accesses);
  for (guint i = 0; i < walk->accesses->len; i++)
    {
      HirAccess *access = &g_array_index (walk->accesses, HirAccess, i);

      if (access->kind == HIR_ACCESS_READ || access->kind == HIR_ACCESS_FREE)
        hir_graph_walk_read (walk, access->tensor, node);
    }
  for (guint i = 0; i < scalars->len; i++)
    {
      const HirVal *scalar = g_ptr_array_index (scalars, i);
      guint place = GPOINTER_TO_UINT (g_hash_table_lookup (walk->scalars, scalar));

      if (place > 0)
        hir_graph_add_edge (walk->builder, (int) place - 1, node, HIR_EDGE_DATA, scalar->node.id);
    }
  for (guint i = 0; i < walk->accesses->len; i++)
    {
      HirAccess *access = &g_array_index (walk->accesses, HirAccess, i);

      if (access->kind == HIR_ACCESS_WRITE)
        hir_graph_walk_write (walk, access->tensor, node);
      else if (access->kind == HIR_ACCESS_BIND)
        hir_graph_walk_bind (walk, access->tensor, node, NULL);
    }
}

static void
add_stream_op (HirGraphWalk *walk, const HirExpr *expr)
{
  guint node = hir_graph_add_expr (walk->builder, expr);
  HirStream *stream = expr->u.stream.stream;
  guint64 id = stream->base.node.id;
  HirStreamFlow *state;

  hir_graph_add_edge (walk->builder, walk->last_stream_op, node, HIR_EDGE_ORDER, 0);
  walk->last_stream_op = (int) node;
  switch (expr->kind)
    {
    case HIR_EXPR_GET_CURRENT_STREAM:
      /* From now on, the value denotes the current stream. */
      walk->current->got = (int) node;
      g_hash_table_insert (walk->streams, stream, walk->current);
      break;
    case HIR_EXPR_SET_CURRENT_STREAM:
      walk->current = hir_graph_walk_stream (walk, stream);
      break;
    default:
      state = hir_graph_walk_stream (walk, stream);
      for (guint i = 0; i < state->last->len; i++)
        hir_graph_add_edge (walk->builder, g_array_index (state->last, int, i), node, HIR_EDGE_SYNC,
                            id);
      if (state->last->len == 0)
        hir_graph_add_edge (walk->builder, state->got, node, HIR_EDGE_SYNC, id);
      append_index (walk->current->pending, node);
      break;
    }
}

static void
add_comm_op (HirGraphWalk *walk, HirExpr *expr)
{
  guint node = hir_graph_add_expr (walk->builder, expr);

  g_hash_table_insert (walk->posted, expr, GUINT_TO_POINTER (node + 1));
  switch (expr->kind)
    {
    case HIR_EXPR_WAIT:
      hir_graph_add_edge (walk->builder,
                          (int) GPOINTER_TO_UINT (
                              g_hash_table_lookup (walk->posted, expr->u.wait.of)) -
                              1,
                          node, HIR_EDGE_SYNC, 0);
      /* The stream blocks here: waiting for the stream includes waiting for this node. */
      g_array_set_size (walk->current->last, 0);
      append_index (walk->current->last, node);
      append_index (walk->current->pending, node);
      break;
    case HIR_EXPR_START_COALESCING:
      walk->group_start = (int) node;
      break;
    case HIR_EXPR_END_COALESCING:
      hir_graph_add_edge (walk->builder, walk->group_start, node, HIR_EDGE_ORDER, 0);
      walk->group_start = -1;
      break;
    default:
      connect_operands (walk, expr, node);
      note_work (walk, node);
      /* A group is a chain from its start to its end. */
      if (expr->kind == HIR_EXPR_P2P && expr->backend == HIR_COMM_BACKEND_CUDA)
        hir_graph_add_edge (walk->builder, walk->handles, node, HIR_EDGE_ORDER, 0);
      if (expr->kind == HIR_EXPR_P2P && walk->group_start >= 0)
        {
          hir_graph_add_edge (walk->builder, walk->group_start, node, HIR_EDGE_ORDER, 0);
          walk->group_start = (int) node;
        }
      break;
    }
}

static void
bind_unit (HirGraphWalk *walk, const HirVec *inner, HirVal *const *outer, guint n_outer)
{
  for (guint i = 0; i < inner->len && i < n_outer; i++)
    if (HIR_IS_TENSOR (inner->items[i]) && HIR_IS_TENSOR (outer[i]) &&
        !g_hash_table_contains (walk->bindings, inner->items[i]))
      g_hash_table_insert (walk->bindings, inner->items[i], outer[i]);
}

static void
add_post (HirGraphWalk *walk, HirExpr *expr)
{
  HirContainer *fusion = expr->u.post.unit->fusion;
  g_autoptr (GPtrArray) exprs = hir_fusion_dup_exprs (fusion);
  int outside = walk->builder->group;

  walk->builder->group =
      hir_graph_add_group (walk->builder, expr->node.id, expr->kind, hir_brief_expr_label (expr));
  bind_unit (walk, &fusion->inputs, expr->inputs, expr->n_inputs);
  bind_unit (walk, &fusion->outputs, expr->outputs, expr->n_outputs);
  for (guint i = 0; i < exprs->len; i++)
    {
      const HirExpr *op = g_ptr_array_index (exprs, i);
      guint node = hir_graph_add_expr (walk->builder, op);

      connect_operands (walk, op, node);
      note_work (walk, node);
    }
  if (exprs->len == 0)
    hir_graph_add_expr (walk->builder, expr);
  g_hash_table_remove_all (walk->bindings);
  walk->builder->group = outside;
}

static void add_scope (HirGraphWalk *walk, HirScope *scope);

static void
add_nested (HirGraphWalk *walk, HirExpr *expr, HirScope *scope, char *title)
{
  int outside = walk->builder->group;

  walk->builder->group = hir_graph_add_group (walk->builder, expr->node.id, expr->kind, title);
  add_scope (walk, scope);
  walk->builder->group = outside;
}

static void
assign (GArray *to, const GArray *from)
{
  g_array_set_size (to, 0);
  if (from->len > 0)
    g_array_append_vals (to, from->data, from->len);
}

static void
unite (GArray *to, const GArray *from)
{
  for (guint i = 0; i < from->len; i++)
    {
      int index = g_array_index (from, int, i);
      gboolean is_there = FALSE;

      for (guint k = 0; k < to->len; k++)
        is_there |= g_array_index (to, int, k) == index;
      if (!is_there)
        g_array_append_val (to, index);
    }
}

/* Both branches start from the same state; later nodes follow both. */
static void
add_branch (HirGraphWalk *walk, HirExpr *expr)
{
  HirStreamFlow *stream = walk->current;
  g_autoptr (GArray) last = g_array_copy (stream->last);
  g_autoptr (GArray) pending = g_array_copy (stream->pending);
  guint kept_from = walk->kept_from, kept_to = walk->kept_to;
  g_autoptr (GArray) then_last = NULL;
  g_autoptr (GArray) then_pending = NULL;
  guint first = walk->builder->graph->nodes->len;

  add_nested (walk, expr, &expr->u.branch.then_body, hir_brief_expr_label (expr));
  then_last = g_array_copy (stream->last);
  then_pending = g_array_copy (stream->pending);
  assign (stream->last, last);
  assign (stream->pending, pending);
  walk->current = stream;
  walk->kept_from = first;
  walk->kept_to = walk->builder->graph->nodes->len;
  if (expr->u.branch.else_body.exprs.len > 0)
    add_nested (walk, expr, &expr->u.branch.else_body, g_strdup ("ELSE"));
  unite (stream->last, then_last);
  unite (stream->pending, then_pending);
  walk->kept_from = kept_from;
  walk->kept_to = kept_to;
}

/* The handles of both sides precede the messages that use them. */
static void
add_handles (HirGraphWalk *walk, const HirExpr *expr)
{
  guint node = hir_graph_add_expr (walk->builder, expr);

  for (guint i = 0; i < expr->u.handles.n; i++)
    hir_graph_walk_read (walk, expr->u.handles.of[i]->u.p2p.buffer, node);
  walk->handles = (int) node;
}

static void
add_expr (HirGraphWalk *walk, HirExpr *expr)
{
  guint node;

  switch (expr->kind)
    {
    case HIR_EXPR_FOR:
      add_nested (walk, expr, &expr->u.loop.body, hir_brief_expr_label (expr));
      break;
    case HIR_EXPR_IF:
      add_branch (walk, expr);
      break;
    case HIR_EXPR_POST_ON_STREAM:
      add_post (walk, expr);
      break;
    case HIR_EXPR_LAUNCH_KERNEL:
      if (expr->u.post.unit != NULL)
        {
          add_post (walk, expr);
          break;
        }
      node = hir_graph_add_expr (walk->builder, expr);
      connect_operands (walk, expr, node);
      note_work (walk, node);
      break;
    case HIR_EXPR_SCALAR:
      node = hir_graph_add_expr (walk->builder, expr);
      connect_operands (walk, expr, node);
      g_hash_table_insert (walk->scalars, expr->outputs[0], GUINT_TO_POINTER (node + 1));
      break;
    case HIR_EXPR_SHARE_MEM_HANDLES:
      add_handles (walk, expr);
      break;
    case HIR_EXPR_GET_CURRENT_STREAM:
    case HIR_EXPR_SET_CURRENT_STREAM:
    case HIR_EXPR_SYNCHRONIZE:
      add_stream_op (walk, expr);
      break;
    case HIR_EXPR_WAIT:
    case HIR_EXPR_COMMUNICATION:
    case HIR_EXPR_P2P:
    case HIR_EXPR_COLLECTIVE_PERMUTE:
    case HIR_EXPR_DISPATCH:
    case HIR_EXPR_COMBINE:
    case HIR_EXPR_START_COALESCING:
    case HIR_EXPR_END_COALESCING:
      add_comm_op (walk, expr);
      break;
    case HIR_EXPR_ALIAS_SELECT:
    case HIR_EXPR_SHARD_BY_STREAM:
      hir_graph_walk_select (walk, expr, hir_graph_add_expr (walk->builder, expr));
      break;
    default:
      node = hir_graph_add_expr (walk->builder, expr);
      connect_operands (walk, expr, node);
      if (hir_expr_kind_get_info (expr->kind)->is_tensor_op)
        note_work (walk, node);
      break;
    }
}

static void
add_scope (HirGraphWalk *walk, HirScope *scope)
{
  if (walk->depth >= MAX_NESTING)
    return;
  walk->depth++;
  for (guint i = 0; i < scope->exprs.len; i++)
    add_expr (walk, scope->exprs.items[i]);
  walk->depth--;
}

static void
add_inputs (HirGraphWalk *walk, const HirContainer *container)
{
  for (guint i = 0; i < container->inputs.len; i++)
    {
      HirVal *val = container->inputs.items[i];
      guint node = hir_graph_add_val (walk->builder, val);

      if (HIR_IS_TENSOR (val))
        hir_graph_walk_tensor (walk, HIR_TENSOR (val))->origin = (int) node;
      else
        g_hash_table_insert (walk->scalars, val, GUINT_TO_POINTER (node + 1));
    }
}

static void
add_outputs (HirGraphWalk *walk, const HirContainer *container)
{
  for (guint i = 0; i < container->outputs.len; i++)
    {
      HirVal *val = container->outputs.items[i];
      guint node;

      if (!HIR_IS_TENSOR (val) || hir_container_is_input (container, val))
        continue;
      node = hir_graph_add_val (walk->builder, val);
      hir_graph_walk_read (walk, HIR_TENSOR (val), node);
    }
}

void
hir_graph_add_host (HirGraphBuilder *builder, HirContainer *container)
{
  HirGraphWalk walk = {
    .builder = builder,
    .tensors = g_hash_table_new_full (NULL, NULL, NULL, hir_tensor_flow_free),
    .scalars = g_hash_table_new (NULL, NULL),
    .bindings = g_hash_table_new (NULL, NULL),
    .posted = g_hash_table_new (NULL, NULL),
    .streams = g_hash_table_new (NULL, NULL),
    .indexed = g_ptr_array_new (),
    .states = g_ptr_array_new_with_free_func (hir_stream_flow_free),
    .accesses = g_array_new (FALSE, FALSE, sizeof (HirAccess)),
    .last_stream_op = -1,
    .group_start = -1,
    .handles = -1,
  };

  walk.current = hir_graph_walk_new_stream (&walk);
  add_inputs (&walk, container);
  add_scope (&walk, &container->top);
  add_outputs (&walk, container);

  g_hash_table_unref (walk.tensors);
  g_hash_table_unref (walk.scalars);
  g_hash_table_unref (walk.bindings);
  g_hash_table_unref (walk.posted);
  g_hash_table_unref (walk.streams);
  g_ptr_array_unref (walk.indexed);
  g_ptr_array_unref (walk.states);
  g_array_unref (walk.accesses);
}
