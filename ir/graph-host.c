/* A host program as a graph. It is walked once, in program order, as if it ran: what a tensor's
 * elements come from at each point, which stream is current, and what the streams wait for. */
#include "brief.h"
#include "graph-internal.h"
#include "usage.h"

#define MAX_NESTING 512
/* Slices of one buffer are written in loops; a later reader shows that many of them. */
#define MAX_WRITERS 12

typedef struct
{
  int origin;        /* node that gives the storage: an input, Allocate, alias select; -1 */
  gboolean is_alias; /* the storage is memory that an Expr has bound, not an input */
  GArray *writers;   /* int: nodes that wrote its elements, latest last */
  HirTensor *base;   /* nullable: the tensor that it is a slice of */
} TensorState;

typedef struct
{
  int got;         /* the GetCurrentStream that put it there, -1 */
  int last_work;   /* -1 */
  GArray *pending; /* int: Synchronize and Wait nodes that the next work comes after */
} StreamState;

typedef struct
{
  HirGraphBuilder *builder;
  GHashTable *tensors;  /* HirTensor* -> TensorState* */
  GHashTable *scalars;  /* HirScalar* -> node + 1: inputs */
  GHashTable *bindings; /* a HostUnit's tensor -> the program's */
  GHashTable *posted;   /* HirExpr* -> node + 1: what a Wait may name */
  GHashTable *streams;  /* HirStream* -> StreamState*, shared where they are one stream */
  GPtrArray *indexed;   /* HirStream*: with an index, all different */
  GPtrArray *states;    /* owns the StreamStates */
  StreamState *current;
  GArray *accesses; /* scratch */
  int last_stream_op;
  int group_start; /* the StartCoalescing that is open */
  guint depth;
} Walk;

static void
tensor_state_free (gpointer data)
{
  TensorState *state = data;

  g_array_unref (state->writers);
  g_free (state);
}

static void
stream_state_free (gpointer data)
{
  StreamState *state = data;

  g_array_unref (state->pending);
  g_free (state);
}

static HirTensor *
resolve (Walk *walk, HirTensor *tensor)
{
  HirTensor *outer = g_hash_table_lookup (walk->bindings, tensor);

  return outer != NULL ? outer : tensor;
}

static TensorState *
tensor_state (Walk *walk, HirTensor *tensor)
{
  TensorState *state = g_hash_table_lookup (walk->tensors, tensor);

  if (state == NULL)
    {
      state = g_new0 (TensorState, 1);
      state->origin = -1;
      state->writers = g_array_new (FALSE, FALSE, sizeof (int));
      g_hash_table_insert (walk->tensors, tensor, state);
    }
  return state;
}

static StreamState *
stream_state_new (Walk *walk)
{
  StreamState *state = g_new0 (StreamState, 1);

  state->got = -1;
  state->last_work = -1;
  state->pending = g_array_new (FALSE, FALSE, sizeof (int));
  g_ptr_array_add (walk->states, state);
  return state;
}

/* Two streams are one where they are one object or have equal indices (reference 2.2). */
static StreamState *
stream_state (Walk *walk, HirStream *stream)
{
  StreamState *state = g_hash_table_lookup (walk->streams, stream);

  for (guint i = 0; state == NULL && stream->index != NULL && i < walk->indexed->len; i++)
    {
      HirStream *other = g_ptr_array_index (walk->indexed, i);

      if (hir_scalar_equal (other->index, stream->index))
        state = g_hash_table_lookup (walk->streams, other);
    }
  if (state == NULL)
    {
      state = stream_state_new (walk);
      if (stream->index != NULL)
        g_ptr_array_add (walk->indexed, stream);
    }
  g_hash_table_insert (walk->streams, stream, state);
  return state;
}

static void
connect_from (Walk *walk, const TensorState *state, guint node, HirEdgeKind kind, guint64 id)
{
  for (guint i = 0; i < state->writers->len; i++)
    hir_graph_add_edge (walk->builder, g_array_index (state->writers, int, i), node, kind, id);
}

/* Elements come from who wrote them; where nobody has, from the storage. */
static void
read_tensor (Walk *walk, HirTensor *tensor, guint node)
{
  HirTensor *outer = resolve (walk, tensor);
  TensorState *state = tensor_state (walk, outer);

  if (state->writers->len > 0)
    connect_from (walk, state, node, HIR_EDGE_DATA, outer->base.node.id);
  else
    hir_graph_add_edge (walk->builder, state->origin, node,
                        state->is_alias ? HIR_EDGE_ALIAS : HIR_EDGE_DATA, outer->base.node.id);
}

static void
add_writer (TensorState *state, int node)
{
  for (guint i = 0; i < state->writers->len; i++)
    if (g_array_index (state->writers, int, i) == node)
      return;
  if (state->writers->len == MAX_WRITERS)
    g_array_remove_index (state->writers, 0);
  g_array_append_val (state->writers, node);
}

static void
write_tensor (Walk *walk, HirTensor *tensor, guint node)
{
  HirTensor *outer = resolve (walk, tensor);
  TensorState *state = tensor_state (walk, outer);
  guint n_bases = 0;

  if (state->is_alias)
    hir_graph_add_edge (walk->builder, state->origin, node, HIR_EDGE_ALIAS, outer->base.node.id);
  g_array_set_size (state->writers, 0);
  add_writer (state, (int) node);
  /* What is written into a slice is in the buffer, beside what was there. */
  for (HirTensor *base = state->base; base != NULL && n_bases < MAX_NESTING; n_bases++)
    {
      TensorState *base_state = tensor_state (walk, base);

      add_writer (base_state, (int) node);
      base = base_state->base;
    }
}

static void
bind_tensor (Walk *walk, HirTensor *tensor, guint node, HirTensor *base)
{
  TensorState *state = tensor_state (walk, tensor);

  /* An Allocate of what is known already does nothing (reference 2.3). */
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

static void
select_tensor (Walk *walk, const HirExpr *expr, guint node)
{
  HirTensor *in = HIR_TENSOR (expr->inputs[0]);
  TensorState *state = tensor_state (walk, in);

  hir_graph_add_edge (walk->builder, state->origin, node, HIR_EDGE_ALIAS, in->base.node.id);
  if (state->origin < 0 || !state->is_alias)
    connect_from (walk, state, node, HIR_EDGE_ALIAS, in->base.node.id);
  else
    /* A buffer that was filled before: the slice shows what is in it. */
    connect_from (walk, state, node, HIR_EDGE_DATA, in->base.node.id);
  if (expr->u.alias_select.out != in)
    bind_tensor (walk, expr->u.alias_select.out, node, in);
}

static void
note_work (Walk *walk, guint node)
{
  GArray *pending = walk->current->pending;

  for (guint i = 0; i < pending->len; i++)
    hir_graph_add_edge (walk->builder, g_array_index (pending, int, i), node, HIR_EDGE_SYNC, 0);
  g_array_set_size (pending, 0);
  walk->current->last_work = (int) node;
}

static void
note_barrier (Walk *walk, guint node)
{
  int barrier = (int) node;

  g_array_append_val (walk->current->pending, barrier);
}

static void
touch_operands (Walk *walk, const HirExpr *expr, guint node)
{
  g_array_set_size (walk->accesses, 0);
  hir_expr_collect_accesses (expr, walk->accesses);
  for (guint i = 0; i < walk->accesses->len; i++)
    {
      HirAccess *access = &g_array_index (walk->accesses, HirAccess, i);

      if (access->kind == HIR_ACCESS_READ || access->kind == HIR_ACCESS_FREE)
        read_tensor (walk, access->tensor, node);
    }
  for (guint i = 0; i < expr->n_inputs; i++)
    {
      guint place = GPOINTER_TO_UINT (g_hash_table_lookup (walk->scalars, expr->inputs[i]));

      if (place > 0)
        hir_graph_add_edge (walk->builder, (int) place - 1, node, HIR_EDGE_DATA,
                            expr->inputs[i]->node.id);
    }
  for (guint i = 0; i < walk->accesses->len; i++)
    {
      HirAccess *access = &g_array_index (walk->accesses, HirAccess, i);

      if (access->kind == HIR_ACCESS_WRITE)
        write_tensor (walk, access->tensor, node);
      else if (access->kind == HIR_ACCESS_BIND)
        bind_tensor (walk, access->tensor, node, NULL);
    }
}

static void
add_stream_op (Walk *walk, const HirExpr *expr)
{
  guint node = hir_graph_add_expr (walk->builder, expr);
  HirStream *stream = expr->u.stream.stream;
  guint64 id = stream->base.node.id;
  StreamState *state;

  hir_graph_add_edge (walk->builder, walk->last_stream_op, node, HIR_EDGE_ORDER, 0);
  walk->last_stream_op = (int) node;
  switch (expr->kind)
    {
    case HIR_EXPR_GET_CURRENT_STREAM:
      /* From here on the name is the current stream, whichever that is. */
      walk->current->got = (int) node;
      g_hash_table_insert (walk->streams, stream, walk->current);
      break;
    case HIR_EXPR_SET_CURRENT_STREAM:
      walk->current = stream_state (walk, stream);
      break;
    default:
      state = stream_state (walk, stream);
      hir_graph_add_edge (walk->builder, state->last_work >= 0 ? state->last_work : state->got,
                          node, HIR_EDGE_SYNC, id);
      note_barrier (walk, node);
      break;
    }
}

static void
add_comm_op (Walk *walk, HirExpr *expr)
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
      note_barrier (walk, node);
      break;
    case HIR_EXPR_START_COALESCING:
      walk->group_start = (int) node;
      break;
    case HIR_EXPR_END_COALESCING:
      hir_graph_add_edge (walk->builder, walk->group_start, node, HIR_EDGE_ORDER, 0);
      walk->group_start = -1;
      break;
    default:
      touch_operands (walk, expr, node);
      note_work (walk, node);
      /* A group is a chain from its start to its end. */
      if (expr->kind == HIR_EXPR_P2P && walk->group_start >= 0)
        {
          hir_graph_add_edge (walk->builder, walk->group_start, node, HIR_EDGE_ORDER, 0);
          walk->group_start = (int) node;
        }
      break;
    }
}

static void
bind_unit (Walk *walk, const HirVec *inner, HirVal *const *outer, guint n_outer)
{
  for (guint i = 0; i < inner->len && i < n_outer; i++)
    if (HIR_IS_TENSOR (inner->items[i]) && HIR_IS_TENSOR (outer[i]) &&
        !g_hash_table_contains (walk->bindings, inner->items[i]))
      g_hash_table_insert (walk->bindings, inner->items[i], outer[i]);
}

static void
add_post (Walk *walk, HirExpr *expr)
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

      touch_operands (walk, op, node);
      note_work (walk, node);
    }
  if (exprs->len == 0)
    hir_graph_add_expr (walk->builder, expr);
  g_hash_table_remove_all (walk->bindings);
  walk->builder->group = outside;
}

static void add_scope (Walk *walk, HirScope *scope);

static void
add_nested (Walk *walk, HirExpr *expr, HirScope *scope, char *title)
{
  int outside = walk->builder->group;

  walk->builder->group = hir_graph_add_group (walk->builder, expr->node.id, expr->kind, title);
  add_scope (walk, scope);
  walk->builder->group = outside;
}

static void
add_expr (Walk *walk, HirExpr *expr)
{
  guint node;

  switch (expr->kind)
    {
    case HIR_EXPR_FOR:
      add_nested (walk, expr, &expr->u.loop.body, hir_brief_expr_label (expr));
      break;
    case HIR_EXPR_IF:
      add_nested (walk, expr, &expr->u.branch.then_body, hir_brief_expr_label (expr));
      if (expr->u.branch.else_body.exprs.len > 0)
        add_nested (walk, expr, &expr->u.branch.else_body, g_strdup ("ELSE"));
      break;
    case HIR_EXPR_POST_ON_STREAM:
      add_post (walk, expr);
      break;
    case HIR_EXPR_GET_CURRENT_STREAM:
    case HIR_EXPR_SET_CURRENT_STREAM:
    case HIR_EXPR_SYNCHRONIZE:
      add_stream_op (walk, expr);
      break;
    case HIR_EXPR_WAIT:
    case HIR_EXPR_COMMUNICATION:
    case HIR_EXPR_P2P:
    case HIR_EXPR_START_COALESCING:
    case HIR_EXPR_END_COALESCING:
      add_comm_op (walk, expr);
      break;
    case HIR_EXPR_ALIAS_SELECT:
      select_tensor (walk, expr, hir_graph_add_expr (walk->builder, expr));
      break;
    default:
      node = hir_graph_add_expr (walk->builder, expr);
      touch_operands (walk, expr, node);
      if (hir_expr_kind_get_info (expr->kind)->is_tensor_op)
        note_work (walk, node);
      break;
    }
}

static void
add_scope (Walk *walk, HirScope *scope)
{
  if (walk->depth >= MAX_NESTING)
    return;
  walk->depth++;
  for (guint i = 0; i < scope->exprs.len; i++)
    add_expr (walk, scope->exprs.items[i]);
  walk->depth--;
}

static void
add_inputs (Walk *walk, const HirContainer *container)
{
  for (guint i = 0; i < container->inputs.len; i++)
    {
      HirVal *val = container->inputs.items[i];
      guint node = hir_graph_add_val (walk->builder, val);

      if (HIR_IS_TENSOR (val))
        tensor_state (walk, HIR_TENSOR (val))->origin = (int) node;
      else
        g_hash_table_insert (walk->scalars, val, GUINT_TO_POINTER (node + 1));
    }
}

static void
add_outputs (Walk *walk, const HirContainer *container)
{
  for (guint i = 0; i < container->outputs.len; i++)
    {
      HirVal *val = container->outputs.items[i];
      guint node;

      if (!HIR_IS_TENSOR (val) || hir_container_is_input (container, val))
        continue;
      node = hir_graph_add_val (walk->builder, val);
      read_tensor (walk, HIR_TENSOR (val), node);
    }
}

void
hir_graph_add_host (HirGraphBuilder *builder, HirContainer *container)
{
  Walk walk = {
    .builder = builder,
    .tensors = g_hash_table_new_full (NULL, NULL, NULL, tensor_state_free),
    .scalars = g_hash_table_new (NULL, NULL),
    .bindings = g_hash_table_new (NULL, NULL),
    .posted = g_hash_table_new (NULL, NULL),
    .streams = g_hash_table_new (NULL, NULL),
    .indexed = g_ptr_array_new (),
    .states = g_ptr_array_new_with_free_func (stream_state_free),
    .accesses = g_array_new (FALSE, FALSE, sizeof (HirAccess)),
    .last_stream_op = -1,
    .group_start = -1,
  };

  walk.current = stream_state_new (&walk);
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
