#include "hasher.h"

#include "transforms.h"

#include <string.h>

void
hir_hasher_init (HirHasher *hasher, gboolean by_id)
{
  hasher->by_id = by_id;
  hasher->numbers = g_hash_table_new (NULL, NULL);
  hasher->scalars = g_hash_table_new_full (NULL, NULL, NULL, g_free);
}

void
hir_hasher_clear (HirHasher *hasher)
{
  g_clear_pointer (&hasher->numbers, g_hash_table_unref);
  g_clear_pointer (&hasher->scalars, g_hash_table_unref);
}

guint64
hir_hasher_token (HirHasher *hasher, gconstpointer thing, guint64 id, gboolean *is_new)
{
  guint number;

  if (is_new != NULL)
    *is_new = TRUE;
  if (thing == NULL)
    return 0;
  if (hasher->by_id)
    return id;
  number = GPOINTER_TO_UINT (g_hash_table_lookup (hasher->numbers, thing));
  if (number == 0)
    {
      number = g_hash_table_size (hasher->numbers) + 1;
      g_hash_table_insert (hasher->numbers, (gpointer) thing, GUINT_TO_POINTER (number));
    }
  else if (is_new != NULL)
    *is_new = FALSE;
  return number;
}

static guint64
double_bits (double value)
{
  guint64 bits;

  memcpy (&bits, &value, sizeof bits);
  return bits;
}

/* Equal constants, names and computations have equal hashes, wherever they come from. A symbol
 * equals only itself. */
static guint64
leaf_hash (HirHasher *hasher, const HirScalar *scalar)
{
  guint64 hash;

  if (scalar == NULL)
    return 0;
  hash = hir_hash_mix (scalar->kind, scalar->base.dtype);
  switch (scalar->kind)
    {
    case HIR_SCALAR_CONST:
      hash = hir_hash_mix (hir_hash_mix (hash, (guint64) scalar->i), double_bits (scalar->d));
      return scalar->imaginary == 0 ? hash : hir_hash_mix (hash, double_bits (scalar->imaginary));
    case HIR_SCALAR_NAMED:
      return hir_hash_text (hash, scalar->named != NULL ? scalar->named : "");
    case HIR_SCALAR_SYMBOL:
    case HIR_SCALAR_OP:
    default:
      return hir_hash_mix (hash, hir_hasher_token (hasher, scalar, scalar->base.node.id, NULL));
    }
}

/* Returns TRUE and *@hash if @scalar is a leaf or was hashed before. */
static gboolean
known_hash (HirHasher *hasher, const HirScalar *scalar, guint64 *hash)
{
  const guint64 *stored;

  if (scalar == NULL || scalar->kind != HIR_SCALAR_OP)
    {
      *hash = leaf_hash (hasher, scalar);
      return TRUE;
    }
  stored = g_hash_table_lookup (hasher->scalars, scalar);
  if (stored != NULL)
    *hash = *stored;
  return stored != NULL;
}

static guint64
hash_scalar (HirHasher *hasher, HirScalar *scalar)
{
  g_autoptr (GPtrArray) stack = NULL;
  g_autoptr (GHashTable) open = NULL;
  guint64 hash = 0;

  if (known_hash (hasher, scalar, &hash))
    return hash;

  /* Explicit stack, because scripts can build chains of any length. */
  stack = g_ptr_array_new ();
  open = g_hash_table_new (NULL, NULL);
  g_ptr_array_add (stack, scalar);
  while (stack->len > 0)
    {
      HirScalar *top = g_ptr_array_index (stack, stack->len - 1);
      guint64 a = 0, b = 0;
      gboolean is_first = g_hash_table_add (open, top);
      gboolean has_a = known_hash (hasher, top->a, &a);
      gboolean has_b = has_a && known_hash (hasher, top->b, &b);

      if (is_first && !has_a)
        g_ptr_array_add (stack, top->a);
      else if (has_a && !has_b && !g_hash_table_contains (open, top->b))
        g_ptr_array_add (stack, top->b);
      else
        {
          /* An operand that is still open derives from itself (broken program) and contributes 0.
           */
          hash = hir_hash_mix (hir_hash_mix (hir_hash_mix (top->op, top->base.dtype), a), b);
          g_hash_table_insert (hasher->scalars, top, g_memdup2 (&hash, sizeof hash));
          g_ptr_array_set_size (stack, (int) stack->len - 1);
        }
    }
  return hash;
}

static guint64
axis_hash (HirHasher *hasher, const HirIterDomain *id)
{
  gboolean is_new;
  guint64 hash;

  if (id == NULL)
    return 0;
  hash = hir_hasher_token (hasher, id, id->base.node.id, &is_new);
  if (!is_new)
    return hash;
  hash = hir_hash_mix (hash, hash_scalar (hasher, id->start));
  hash = hir_hash_mix (hash, hash_scalar (hasher, id->extent));
  hash = hir_hash_mix (hash, hash_scalar (hasher, id->expanded_extent));
  hash = hir_hash_mix (hash, id->iter_type);
  hash = hir_hash_mix (hash, id->parallel_type);
  return hir_hash_mix (hash, id->is_rfactor ? 1 : 0);
}

static guint64
domain_hash (HirHasher *hasher, guint64 hash, const HirDomain *domain)
{
  hash = hir_hash_mix (hash, domain->n);
  for (guint i = 0; i < domain->n; i++)
    hash = hir_hash_mix (hash, axis_hash (hasher, domain->ids[i]));
  return hash;
}

static guint64
derivation_hash (HirHasher *hasher, guint64 hash, const HirDomain *from, const HirDomain *to)
{
  g_autoptr (GPtrArray) transforms = hir_domain_dup_transforms (from, to);

  for (guint i = 0; i < transforms->len; i++)
    {
      const HirTransform *transform = g_ptr_array_index (transforms, i);

      hash = hir_hash_mix (hash, transform->kind);
      for (guint k = 0; k < 2; k++)
        {
          hash = hir_hash_mix (hash, axis_hash (hasher, transform->in[k]));
          hash = hir_hash_mix (hash, axis_hash (hasher, transform->out[k]));
        }
      hash = hir_hash_mix (hash, hash_scalar (hasher, transform->factor));
      hash = hir_hash_mix (hash, transform->inner_split ? 1 : 0);
      /* Hashes of programs without swizzles stay as they are in recordings. */
      if (transform->kind == HIR_TRANSFORM_SWIZZLE)
        hash = hir_hash_mix (hash, transform->mesh_axis);
      hash = hir_hash_mix (hash, hash_scalar (hasher, transform->left));
      hash = hir_hash_mix (hash, hash_scalar (hasher, transform->right));
    }
  return domain_hash (hasher, hash, to);
}

guint64
hir_hasher_tensor_content (HirHasher *hasher, const HirTensor *tensor)
{
  const HirDomain *allocation = hir_tensor_get_maybe_allocation (tensor);
  guint64 hash = hir_hash_mix (tensor->base.dtype, tensor->memory);

  hash = hir_hash_mix (hash, tensor->is_cpu_scalar ? 1 : 0);
  hash = hir_hash_mix (hash, tensor->mesh != NULL ? (guint64) tensor->mesh->n_dims + 1 : 0);
  for (int i = 0; tensor->mesh != NULL && i < tensor->mesh->n_dims; i++)
    hash = hir_hash_mix (hash, (guint64) tensor->mesh->shape[i]);
  for (gint64 i = 0; tensor->mesh != NULL && i < tensor->mesh->size; i++)
    hash = hir_hash_mix (hash, (guint64) tensor->mesh->devices[i]);

  hash = hir_hash_mix (hash, (tensor->has_root ? 1 : 0) | (tensor->has_allocation ? 2 : 0));
  if (tensor->has_root)
    {
      hash = domain_hash (hasher, hash, &tensor->root);
      hash = derivation_hash (hasher, hash, &tensor->root, &tensor->logical);
    }
  else
    hash = domain_hash (hasher, hash, &tensor->logical);
  if (tensor->has_allocation)
    hash = derivation_hash (hasher, hash, &tensor->logical, &tensor->allocation);
  for (guint i = 0; tensor->contiguity != NULL && i < allocation->n; i++)
    hash = hir_hash_mix (hash, (guint64) (tensor->contiguity[i] + 1));
  return derivation_hash (hasher, hash, &tensor->logical, &tensor->loop);
}

static guint64
stream_hash (HirHasher *hasher, const HirStream *stream)
{
  if (stream == NULL)
    return 0;
  if (stream->index != NULL)
    return hir_hash_mix (1, hash_scalar (hasher, stream->index));
  return hir_hash_mix (2, hir_hasher_token (hasher, stream, stream->base.node.id, NULL));
}

guint64
hir_hasher_operand (HirHasher *hasher, HirVal *val)
{
  gboolean is_new;
  guint64 hash;

  if (val == NULL)
    return 0;
  if (HIR_IS_SCALAR (val))
    return hash_scalar (hasher, HIR_SCALAR (val));
  if (HIR_IS_ITER_DOMAIN (val))
    return axis_hash (hasher, HIR_ITER_DOMAIN (val));
  if (HIR_IS_STREAM (val))
    return stream_hash (hasher, HIR_STREAM (val));
  hash = hir_hasher_token (hasher, val, val->node.id, &is_new);
  if (is_new && !hasher->by_id)
    hash = hir_hash_mix (hash, hir_hasher_tensor_content (hasher, HIR_TENSOR (val)));
  return hash;
}

static guint64
scalars_hash (HirHasher *hasher, guint64 hash, HirScalar *const *scalars, guint n)
{
  hash = hir_hash_mix (hash, n);
  for (guint i = 0; i < n; i++)
    hash = hir_hash_mix (hash, hash_scalar (hasher, scalars[i]));
  return hash;
}

static guint64
flags_hash (guint64 hash, const gboolean *flags, guint n)
{
  hash = hir_hash_mix (hash, n);
  for (guint i = 0; i < n; i++)
    hash = hir_hash_mix (hash, flags[i] ? 1 : 0);
  return hash;
}

static guint64
math_attributes_hash (HirHasher *hasher, guint64 hash, const HirExpr *expr)
{
  switch (expr->kind)
    {
    case HIR_EXPR_SET:
      return hir_hash_mix (hash, expr->u.set.kind * 2u + (expr->u.set.streaming ? 1 : 0));
    case HIR_EXPR_UNARY:
      return hir_hash_mix (hash, expr->u.unary.op);
    case HIR_EXPR_BINARY:
      return hir_hash_mix (hash, expr->u.binary.op);
    case HIR_EXPR_TERNARY:
      return hir_hash_mix (hash, expr->u.ternary.op);
    case HIR_EXPR_REDUCTION:
      hash = hir_hash_mix (hash, expr->u.reduction.op * 2u + (expr->u.reduction.allreduce ? 1 : 0));
      return hir_hash_mix (hash, hash_scalar (hasher, expr->u.reduction.init));
    case HIR_EXPR_BROADCAST:
      return flags_hash (hash, expr->u.broadcast.flags, expr->u.broadcast.n);
    case HIR_EXPR_SQUEEZE:
      return flags_hash (hash, expr->u.squeeze.flags, expr->u.squeeze.n);
    case HIR_EXPR_EXPAND:
      return scalars_hash (hasher, hash, expr->u.expand.extents, expr->u.expand.n);
    case HIR_EXPR_SLICE:
      hash = scalars_hash (hasher, hash, expr->u.slice.start, expr->u.slice.n);
      hash = scalars_hash (hasher, hash, expr->u.slice.stop, expr->u.slice.n);
      return scalars_hash (hasher, hash, expr->u.slice.step, expr->u.slice.n);
    case HIR_EXPR_PAD:
      hash = scalars_hash (hasher, hash, expr->u.pad.widths, expr->u.pad.n);
      return hir_hash_mix (hash, hash_scalar (hasher, expr->u.pad.value));
    case HIR_EXPR_CAT:
      return hir_hash_mix (hash, (guint64) expr->u.cat.dim);
    case HIR_EXPR_SELECT:
      hash = hir_hash_mix (hash, axis_hash (hasher, expr->u.select.axis));
      return hir_hash_mix (hash, hash_scalar (hasher, expr->u.select.index));
    case HIR_EXPR_FULL:
      hash = scalars_hash (hasher, hash, expr->u.full.shape, expr->u.full.n);
      return hir_hash_mix (hash, hash_scalar (hasher, expr->u.full.value));
    case HIR_EXPR_IOTA:
      hash = hir_hash_mix (hash, hash_scalar (hasher, expr->u.iota.length));
      hash = hir_hash_mix (hash, hash_scalar (hasher, expr->u.iota.start));
      return hir_hash_mix (hash, hash_scalar (hasher, expr->u.iota.step));
    case HIR_EXPR_OPAQUE:
      hash = hir_hash_mix (hir_hash_text (hash, expr->u.opaque.name), expr->u.opaque.output);
      return hir_hash_mix (hash, expr->u.opaque.dim);
    default:
      return hash;
    }
}

static guint64
comm_hash (HirHasher *hasher, guint64 hash, const HirExpr *expr)
{
  hash = hir_hash_mix (hash, expr->u.comm.type);
  hash = hir_hash_mix (hash, (guint64) expr->u.comm.root);
  hash = hir_hash_mix (hash, hash_scalar (hasher, expr->u.comm.root_index));
  hash = hir_hash_mix (hash, expr->u.comm.op);
  hash = hir_hash_mix (hash, expr->u.comm.n_team);
  for (guint i = 0; i < expr->u.comm.n_team; i++)
    hash = hir_hash_mix (hash, (guint64) expr->u.comm.team[i]);
  return hash;
}

static guint64
host_attributes_hash (HirHasher *hasher, guint64 hash, const HirExpr *expr)
{
  switch (expr->kind)
    {
    case HIR_EXPR_ALLOCATE:
      hash = hir_hash_mix (hash, hir_hasher_operand (hasher, HIR_VAL (expr->u.allocate.buffer)));
      hash = hir_hash_mix (hash, hash_scalar (hasher, expr->u.allocate.size));
      return hir_hash_mix (hash, expr->u.allocate.memory * 2u +
                                     (expr->u.allocate.zero_init ? 1 : 0) +
                                     (expr->u.allocate.always ? 64 : 0));
    case HIR_EXPR_DEALLOCATE:
      return hir_hash_mix (hash, hir_hasher_operand (hasher, HIR_VAL (expr->u.deallocate.buffer)));
    case HIR_EXPR_ALIAS_SELECT:
      hash = hir_hash_mix (hash, hir_hasher_operand (hasher, HIR_VAL (expr->u.alias_select.out)));
      hash = hir_hash_mix (hash, (guint64) expr->u.alias_select.axis);
      return hir_hash_mix (hash, hash_scalar (hasher, expr->u.alias_select.index));
    case HIR_EXPR_FOR:
      hash = hir_hash_mix (hash, axis_hash (hasher, expr->u.loop.iter_domain));
      hash = hir_hash_mix (hash, hash_scalar (hasher, expr->u.loop.index));
      hash = hir_hash_mix (hash, hash_scalar (hasher, expr->u.loop.start));
      hash = hir_hash_mix (hash, hash_scalar (hasher, expr->u.loop.stop));
      return hir_hash_mix (hash, hash_scalar (hasher, expr->u.loop.step));
    case HIR_EXPR_IF:
      return hir_hash_mix (hash, hash_scalar (hasher, expr->u.branch.condition));
    case HIR_EXPR_LAUNCH_KERNEL:
      hash = hir_hash_mix (hash, (guint64) expr->u.post.group);
      G_GNUC_FALLTHROUGH;
    case HIR_EXPR_POST_ON_STREAM:
      return expr->u.post.unit == NULL
                 ? hash
                 : hir_hash_mix (hash, hir_hasher_token (hasher, expr->u.post.unit,
                                                         expr->u.post.unit->node.id, NULL));
    case HIR_EXPR_GET_CURRENT_STREAM:
    case HIR_EXPR_SET_CURRENT_STREAM:
    case HIR_EXPR_SYNCHRONIZE:
      return hir_hash_mix (hash, stream_hash (hasher, expr->u.stream.stream));
    case HIR_EXPR_WAIT:
      return expr->u.wait.of == NULL
                 ? hash
                 : hir_hash_mix (hash, hir_hasher_token (hasher, expr->u.wait.of,
                                                         expr->u.wait.of->node.id, NULL));
    case HIR_EXPR_COMMUNICATION:
      return comm_hash (hasher, hash, expr);
    case HIR_EXPR_SHARD_BY_STREAM:
      hash = hir_hash_mix (hash, hir_hasher_operand (hasher, HIR_VAL (expr->u.shard.out)));
      return hir_hash_mix (hash, hash_scalar (hasher, expr->u.shard.index));
    case HIR_EXPR_COLLECTIVE_PERMUTE:
      for (guint i = 0; i < expr->u.permute.n_team; i++)
        hash = hir_hash_mix (hash, (guint64) expr->u.permute.team[i]);
      hash = hir_hash_mix (hash, hash_scalar (hasher, expr->u.permute.send_peer));
      return hir_hash_mix (hash, hash_scalar (hasher, expr->u.permute.recv_peer));
    case HIR_EXPR_SHARE_MEM_HANDLES:
      for (guint i = 0; i < expr->u.handles.n; i++)
        hash = hir_hash_mix (hash, hir_hasher_token (hasher, expr->u.handles.of[i],
                                                     expr->u.handles.of[i]->node.id, NULL));
      return hir_hash_mix (hash, expr->u.handles.n);
    case HIR_EXPR_DISPATCH:
      return hir_hash_mix (hash, (guint64) expr->u.moe.n_experts);
    case HIR_EXPR_P2P:
      hash = hir_hash_mix (hash, expr->u.p2p.is_send ? 1 : 0);
      hash = hir_hash_mix (hash, hir_hasher_operand (hasher, HIR_VAL (expr->u.p2p.buffer)));
      return hir_hash_mix (hash, hash_scalar (hasher, expr->u.p2p.peer));
    default:
      return hash;
    }
}

guint64
hir_hasher_expr_content (HirHasher *hasher, const HirExpr *expr)
{
  guint64 hash = hir_hash_mix (0, expr->kind);

  hash = hir_hash_mix (hash, expr->n_inputs);
  for (guint i = 0; i < expr->n_inputs; i++)
    hash = hir_hash_mix (hash, hir_hasher_operand (hasher, expr->inputs[i]));
  hash = hir_hash_mix (hash, expr->n_outputs);
  for (guint i = 0; i < expr->n_outputs; i++)
    hash = hir_hash_mix (hash, hir_hasher_operand (hasher, expr->outputs[i]));
  if (expr->backend != HIR_COMM_BACKEND_NCCL)
    hash = hir_hash_mix (hash, expr->backend);
  return host_attributes_hash (hasher, math_attributes_hash (hasher, hash, expr), expr);
}
