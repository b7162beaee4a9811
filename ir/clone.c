#include "clone.h"

struct _HirCloner
{
  HirContainer *to;
  GHashTable *vals;       /* source HirVal* -> copy */
  GHashTable *transforms; /* source HirTransform* -> copy */
  GHashTable *exprs;
  GHashTable *units;
};

HirCloner *
hir_cloner_new (HirContainer *to)
{
  HirCloner *cloner = g_new0 (HirCloner, 1);

  cloner->to = to;
  cloner->vals = g_hash_table_new (NULL, NULL);
  cloner->transforms = g_hash_table_new (NULL, NULL);
  cloner->exprs = g_hash_table_new (NULL, NULL);
  cloner->units = g_hash_table_new (NULL, NULL);
  return cloner;
}

void
hir_cloner_free (HirCloner *cloner)
{
  if (cloner == NULL)
    return;

  g_hash_table_unref (cloner->vals);
  g_hash_table_unref (cloner->transforms);
  g_hash_table_unref (cloner->exprs);
  g_hash_table_unref (cloner->units);
  g_free (cloner);
}

void
hir_cloner_substitute (HirCloner *cloner, const HirVal *val, HirVal *copy)
{
  g_hash_table_insert (cloner->vals, (gpointer) val, copy);
}

static void
copy_node (HirCloner *cloner, HirNode *to, const HirNode *from)
{
  *to = *from;
  if (from->n_origins > 0)
    to->origins =
        hir_arena_memdup (cloner->to->arena, from->origins, sizeof (guint64) * from->n_origins);
}

static void
copy_base (HirCloner *cloner, HirVal *to, const HirVal *from)
{
  int *counter = &cloner->to->val_counter[from->kind];

  *to = *from;
  to->container = cloner->to;
  copy_node (cloner, &to->node, &from->node);
  *counter = MAX (*counter, from->name + 1);
  g_hash_table_insert (cloner->vals, (gpointer) from, to);
}

static HirVal *
clone_scalar (HirCloner *cloner, const HirScalar *from)
{
  HirScalar *to;

  if (from->kind == HIR_SCALAR_NAMED)
    {
      to = hir_scalar_get_named (cloner->to, from->named, from->base.dtype);
      g_hash_table_insert (cloner->vals, (gpointer) from, to);
      return HIR_VAL (to);
    }

  to = hir_arena_memdup (cloner->to->arena, from, sizeof *from);
  copy_base (cloner, &to->base, &from->base);
  to->a = hir_cloner_scalar (cloner, from->a);
  to->b = hir_cloner_scalar (cloner, from->b);
  return HIR_VAL (to);
}

static HirTransform *
clone_transform (HirCloner *cloner, const HirTransform *from)
{
  HirTransform *to;

  if (from == NULL)
    return NULL;
  to = g_hash_table_lookup (cloner->transforms, from);
  if (to != NULL)
    return to;

  to = hir_arena_memdup (cloner->to->arena, from, sizeof *from);
  g_hash_table_insert (cloner->transforms, (gpointer) from, to);
  copy_node (cloner, &to->node, &from->node);
  for (int i = 0; i < 2; i++)
    {
      to->in[i] = hir_cloner_iter_domain (cloner, from->in[i]);
      to->out[i] = hir_cloner_iter_domain (cloner, from->out[i]);
    }
  to->factor = hir_cloner_scalar (cloner, from->factor);
  to->left = hir_cloner_scalar (cloner, from->left);
  to->right = hir_cloner_scalar (cloner, from->right);
  return to;
}

static HirVal *
clone_iter_domain (HirCloner *cloner, const HirIterDomain *from)
{
  HirIterDomain *to = hir_arena_memdup (cloner->to->arena, from, sizeof *from);

  copy_base (cloner, &to->base, &from->base);
  to->start = hir_cloner_scalar (cloner, from->start);
  to->extent = hir_cloner_scalar (cloner, from->extent);
  to->expanded_extent = hir_cloner_scalar (cloner, from->expanded_extent);
  to->definition = clone_transform (cloner, from->definition);
  return HIR_VAL (to);
}

static HirDomain
clone_domain (HirCloner *cloner, const HirDomain *from)
{
  HirDomain to = { hir_arena_array0 (cloner->to->arena, HirIterDomain *, from->n), from->n };

  for (guint i = 0; i < from->n; i++)
    to.ids[i] = hir_cloner_iter_domain (cloner, from->ids[i]);
  return to;
}

static HirVal *
clone_tensor (HirCloner *cloner, const HirTensor *from)
{
  HirArena *arena = cloner->to->arena;
  HirTensor *to = hir_arena_memdup (arena, from, sizeof *from);

  copy_base (cloner, &to->base, &from->base);
  to->definition = NULL;
  to->root = clone_domain (cloner, &from->root);
  to->logical = clone_domain (cloner, &from->logical);
  to->allocation = clone_domain (cloner, &from->allocation);
  to->loop = from->loop.ids == from->logical.ids && from->loop.n == from->logical.n
                 ? to->logical
                 : clone_domain (cloner, &from->loop);
  to->contiguity =
      hir_arena_memdup (arena, from->contiguity, hir_tensor_get_maybe_allocation (from)->n);
  if (from->mesh != NULL)
    to->mesh = hir_mesh_dup (arena, from->mesh);
  to->script_name = hir_arena_strdup (arena, from->script_name);
  hir_vec_push (arena, &cloner->to->tensors, to);
  return HIR_VAL (to);
}

static HirVal *
clone_stream (HirCloner *cloner, const HirStream *from)
{
  HirStream *to = hir_arena_memdup (cloner->to->arena, from, sizeof *from);

  copy_base (cloner, &to->base, &from->base);
  to->index = hir_cloner_scalar (cloner, from->index);
  return HIR_VAL (to);
}

HirVal *
hir_cloner_val (HirCloner *cloner, const HirVal *val)
{
  HirVal *found;

  if (val == NULL)
    return NULL;
  found = g_hash_table_lookup (cloner->vals, val);
  if (found != NULL)
    return found;

  switch (val->kind)
    {
    case HIR_VAL_SCALAR:
      return clone_scalar (cloner, (const HirScalar *) val);
    case HIR_VAL_ITER_DOMAIN:
      return clone_iter_domain (cloner, (const HirIterDomain *) val);
    case HIR_VAL_TENSOR:
      return clone_tensor (cloner, (const HirTensor *) val);
    case HIR_VAL_STREAM:
      return clone_stream (cloner, (const HirStream *) val);
    case HIR_N_VAL_KINDS:
    default:
      g_return_val_if_reached (NULL);
    }
}

static HirScalar **
clone_scalars (HirCloner *cloner, HirScalar *const *from, guint n)
{
  HirScalar **to = hir_arena_array0 (cloner->to->arena, HirScalar *, n);

  for (guint i = 0; i < n; i++)
    to[i] = hir_cloner_scalar (cloner, from[i]);
  return to;
}

static HirScope
clone_scope (HirCloner *cloner, const HirScope *from)
{
  HirScope to = { { 0 } };

  for (guint i = 0; i < from->exprs.len; i++)
    hir_vec_push (cloner->to->arena, &to.exprs, hir_cloner_expr (cloner, from->exprs.items[i]));
  return to;
}

/* Clones the attributes that are values or arrays; plain data was copied with the struct. */
static void
clone_contents (HirCloner *cloner, const HirContainer *from)
{
  HirContainer *to = cloner->to;

  for (guint i = 0; i < from->tensors.len; i++)
    hir_cloner_tensor (cloner, from->tensors.items[i]);
  for (guint i = 0; i < from->inputs.len; i++)
    hir_vec_push (to->arena, &to->inputs, hir_cloner_val (cloner, from->inputs.items[i]));
  for (guint i = 0; i < from->exprs.len; i++)
    hir_container_add_expr (to, hir_cloner_expr (cloner, from->exprs.items[i]));
  for (guint i = 0; i < from->top.exprs.len; i++)
    hir_container_add_expr (to, hir_cloner_expr (cloner, from->top.exprs.items[i]));
  for (guint i = 0; i < from->outputs.len; i++)
    hir_vec_push (to->arena, &to->outputs, hir_cloner_val (cloner, from->outputs.items[i]));

  if (from->zero != NULL)
    to->zero = hir_cloner_scalar (cloner, from->zero);
  if (from->one != NULL)
    to->one = hir_cloner_scalar (cloner, from->one);
  for (int i = 0; i < HIR_N_VAL_KINDS; i++)
    to->val_counter[i] = from->val_counter[i];
  to->expr_counter = from->expr_counter;
}

static HirHostUnit *
clone_unit (HirCloner *cloner, const HirHostUnit *from)
{
  HirHostUnit *to = g_hash_table_lookup (cloner->units, from);
  HirArena *arena = cloner->to->arena;
  g_autoptr (HirCloner) inner = NULL;

  if (to != NULL)
    return to;
  to = hir_arena_memdup (arena, from, sizeof *from);
  g_hash_table_insert (cloner->units, (gpointer) from, to);
  copy_node (cloner, &to->node, &from->node);
  to->fusion = hir_container_new_nested (cloner->to);
  hir_vec_push (arena, &cloner->to->units, to);

  inner = hir_cloner_new (to->fusion);
  clone_contents (inner, from->fusion);
  return to;
}

/* same layout as BROADCAST */
static void
clone_math_attributes (HirCloner *cloner, HirExpr *to, const HirExpr *from)
{
  HirArena *arena = cloner->to->arena;

  switch (from->kind)
    {
    case HIR_EXPR_REDUCTION:
      to->u.reduction.init = hir_cloner_scalar (cloner, from->u.reduction.init);
      break;
    case HIR_EXPR_BROADCAST:
    case HIR_EXPR_SQUEEZE: /* the same layout */
      to->u.broadcast.flags = hir_arena_memdup (arena, from->u.broadcast.flags,
                                                sizeof (gboolean) * from->u.broadcast.n);
      break;
    case HIR_EXPR_EXPAND:
      to->u.expand.extents = clone_scalars (cloner, from->u.expand.extents, from->u.expand.n);
      break;
    case HIR_EXPR_SLICE:
      to->u.slice.start = clone_scalars (cloner, from->u.slice.start, from->u.slice.n);
      to->u.slice.stop = clone_scalars (cloner, from->u.slice.stop, from->u.slice.n);
      to->u.slice.step = clone_scalars (cloner, from->u.slice.step, from->u.slice.n);
      break;
    case HIR_EXPR_PAD:
      to->u.pad.widths = clone_scalars (cloner, from->u.pad.widths, from->u.pad.n);
      to->u.pad.value = hir_cloner_scalar (cloner, from->u.pad.value);
      break;
    case HIR_EXPR_SELECT:
      to->u.select.axis = hir_cloner_iter_domain (cloner, from->u.select.axis);
      to->u.select.index = hir_cloner_scalar (cloner, from->u.select.index);
      break;
    case HIR_EXPR_FULL:
      to->u.full.shape = clone_scalars (cloner, from->u.full.shape, from->u.full.n);
      to->u.full.value = hir_cloner_scalar (cloner, from->u.full.value);
      break;
    case HIR_EXPR_IOTA:
      to->u.iota.length = hir_cloner_scalar (cloner, from->u.iota.length);
      to->u.iota.start = hir_cloner_scalar (cloner, from->u.iota.start);
      to->u.iota.step = hir_cloner_scalar (cloner, from->u.iota.step);
      break;
    case HIR_EXPR_OPAQUE:
      to->u.opaque.name = hir_arena_strdup (arena, from->u.opaque.name);
      to->u.opaque.map = hir_arena_memdup (arena, from->u.opaque.map,
                                           MAX (from->n_inputs, 1) * HIR_OPAQUE_MAX_AXES);
      break;
    default:
      break;
    }
}

static void
clone_host_attributes (HirCloner *cloner, HirExpr *to, const HirExpr *from)
{
  switch (from->kind)
    {
    case HIR_EXPR_ALLOCATE:
      to->u.allocate.buffer = hir_cloner_tensor (cloner, from->u.allocate.buffer);
      to->u.allocate.size = hir_cloner_scalar (cloner, from->u.allocate.size);
      break;
    case HIR_EXPR_DEALLOCATE:
      to->u.deallocate.buffer = hir_cloner_tensor (cloner, from->u.deallocate.buffer);
      break;
    case HIR_EXPR_ALIAS_SELECT:
      to->u.alias_select.out = hir_cloner_tensor (cloner, from->u.alias_select.out);
      to->u.alias_select.index = hir_cloner_scalar (cloner, from->u.alias_select.index);
      break;
    case HIR_EXPR_FOR:
      to->u.loop.iter_domain = hir_cloner_iter_domain (cloner, from->u.loop.iter_domain);
      to->u.loop.index = hir_cloner_scalar (cloner, from->u.loop.index);
      to->u.loop.start = hir_cloner_scalar (cloner, from->u.loop.start);
      to->u.loop.stop = hir_cloner_scalar (cloner, from->u.loop.stop);
      to->u.loop.step = hir_cloner_scalar (cloner, from->u.loop.step);
      to->u.loop.body = clone_scope (cloner, &from->u.loop.body);
      break;
    case HIR_EXPR_IF:
      to->u.branch.condition = hir_cloner_scalar (cloner, from->u.branch.condition);
      to->u.branch.then_body = clone_scope (cloner, &from->u.branch.then_body);
      to->u.branch.else_body = clone_scope (cloner, &from->u.branch.else_body);
      break;
    case HIR_EXPR_POST_ON_STREAM:
    case HIR_EXPR_LAUNCH_KERNEL:
      if (from->u.post.unit != NULL)
        to->u.post.unit = clone_unit (cloner, from->u.post.unit);
      break;
    case HIR_EXPR_GET_CURRENT_STREAM:
    case HIR_EXPR_SET_CURRENT_STREAM:
    case HIR_EXPR_SYNCHRONIZE:
      to->u.stream.stream = HIR_STREAM (hir_cloner_val (cloner, HIR_VAL (from->u.stream.stream)));
      break;
    case HIR_EXPR_WAIT:
      to->u.wait.of = hir_cloner_expr (cloner, from->u.wait.of);
      break;
    case HIR_EXPR_SHARD_BY_STREAM:
      to->u.shard.out = hir_cloner_tensor (cloner, from->u.shard.out);
      to->u.shard.index = hir_cloner_scalar (cloner, from->u.shard.index);
      break;
    case HIR_EXPR_COLLECTIVE_PERMUTE:
      to->u.permute.team = hir_arena_memdup (cloner->to->arena, from->u.permute.team,
                                             sizeof (gint64) * from->u.permute.n_team);
      to->u.permute.send_peer = hir_cloner_scalar (cloner, from->u.permute.send_peer);
      to->u.permute.recv_peer = hir_cloner_scalar (cloner, from->u.permute.recv_peer);
      break;
    case HIR_EXPR_COMMUNICATION:
      to->u.comm.team = hir_arena_memdup (cloner->to->arena, from->u.comm.team,
                                          sizeof (gint64) * from->u.comm.n_team);
      if (from->u.comm.root_index != NULL)
        hir_comm_set_root_index (to, hir_cloner_scalar (cloner, from->u.comm.root_index));
      break;
    case HIR_EXPR_SHARE_MEM_HANDLES:
      to->u.handles.of = hir_arena_array0 (cloner->to->arena, HirExpr *, from->u.handles.n);
      for (guint i = 0; i < from->u.handles.n; i++)
        to->u.handles.of[i] = hir_cloner_expr (cloner, from->u.handles.of[i]);
      break;
    case HIR_EXPR_P2P:
      to->u.p2p.buffer = hir_cloner_tensor (cloner, from->u.p2p.buffer);
      to->u.p2p.peer = hir_cloner_scalar (cloner, from->u.p2p.peer);
      break;
    default:
      break;
    }
}

static HirVal **
clone_vals (HirCloner *cloner, HirVal *const *from, guint n)
{
  HirVal **to = hir_arena_array0 (cloner->to->arena, HirVal *, n);

  for (guint i = 0; i < n; i++)
    to[i] = hir_cloner_val (cloner, from[i]);
  return to;
}

HirExpr *
hir_cloner_expr (HirCloner *cloner, const HirExpr *expr)
{
  HirExpr *to;

  if (expr == NULL)
    return NULL;
  to = g_hash_table_lookup (cloner->exprs, expr);
  if (to != NULL)
    return to;

  to = hir_arena_memdup (cloner->to->arena, expr, sizeof *expr);
  g_hash_table_insert (cloner->exprs, (gpointer) expr, to);
  to->container = cloner->to;
  copy_node (cloner, &to->node, &expr->node);
  cloner->to->expr_counter = MAX (cloner->to->expr_counter, expr->name + 1);
  to->inputs = clone_vals (cloner, expr->inputs, expr->n_inputs);
  to->outputs = clone_vals (cloner, expr->outputs, expr->n_outputs);
  for (guint i = 0; i < to->n_outputs; i++)
    {
      if (HIR_IS_TENSOR (to->outputs[i]))
        HIR_TENSOR (to->outputs[i])->definition = to;
    }
  clone_math_attributes (cloner, to, expr);
  clone_host_attributes (cloner, to, expr);
  return to;
}

HirContainer *
hir_container_clone (HirContainer *container)
{
  HirContainer *copy = hir_container_new (container->kind, container->source);
  g_autoptr (HirCloner) cloner = hir_cloner_new (copy);

  copy->function = hir_arena_strdup (copy->arena, container->function);
  if (container->examples != NULL)
    {
      copy->examples = hir_arena_alloc (copy->arena, (container->inputs.len + 1) * sizeof (char *));
      for (guint i = 0; i < container->inputs.len; i++)
        copy->examples[i] = hir_arena_strdup (copy->arena, container->examples[i]);
      copy->examples[container->inputs.len] = NULL;
    }
  copy->prints_indices = container->prints_indices;
  clone_contents (cloner, container);
  return copy;
}
