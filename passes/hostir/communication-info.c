#include "hostir/communication-info.h"

#include "label.h"
#include "logical-map.h"
#include "print/print.h"
#include "schedule/axis-index.h"
#include "sharding/convert-op-to-communication-private.h"

/* Operand, result and their axes. */
typedef struct
{
  HirExpr *expr;
  HirTensor *in, *out;
  HirIterDomain **in_ids;
  HirIterDomain **out_ids; /* related axes of the result's root domain, or NULL */
  guint n;
} Pair;

static void
pair_clear (Pair *pair)
{
  g_free (pair->in_ids);
  g_free (pair->out_ids);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pair, pair_clear)

static HirIterDomain *
get_out_axis (const Pair *pair, const HirIterDomain *in_axis)
{
  for (guint i = 0; i < pair->n; i++)
    {
      if (in_axis != NULL && pair->in_ids[i] == in_axis)
        return pair->out_ids[i];
    }
  return NULL;
}

static HirIterDomain *
get_in_axis (const Pair *pair, const HirIterDomain *out_axis)
{
  for (guint i = 0; i < pair->n; i++)
    {
      if (out_axis != NULL && pair->out_ids[i] == out_axis)
        return pair->in_ids[i];
    }
  return NULL;
}

/* Returns the axis of the shape that loop axis @id belongs to. */
static HirIterDomain *
get_logical (const HirTensor *tensor, HirIterDomain *id)
{
  return id != NULL ? hir_axis_find_outermost_base (&tensor->logical, id) : NULL;
}

/* Rejects @axis (nullable) of @tensor. */
static void
refuse (const Pair *pair,
        const HirTensor *tensor,
        const HirIterDomain *axis,
        const char *why,
        GError **error)
{
  g_autofree char *of = hir_comm_dup_axis_label (tensor, axis);

  hir_comm_refuse (pair->expr, tensor, axis, error, "%s %s", of, why);
}

/* Returns TRUE if @id is the outermost part of an axis of @tensor's shape. */
static gboolean
is_outermost (const HirTensor *tensor, const HirIterDomain *id)
{
  while (hir_domain_find (&tensor->logical, id) < 0 && id->definition != NULL)
    {
      if (id != id->definition->out[0])
        return FALSE;
      id = id->definition->in[0];
    }
  return TRUE;
}

/* In each iteration, one device has the shard that is needed. */
static gboolean
check_shards (const Pair *pair, const HirIterDomain *p, const HirIterDomain *stream, GError **error)
{
  gint64 size = hir_mesh_get_axis_size (pair->in->mesh, p->parallel_type);

  if (!hir_mesh_equal (pair->in->mesh, pair->out->mesh))
    refuse (
        pair, pair->in, p,
        "becomes a stream axis on another mesh; copy the operand to the mesh of the result with "
        "a set first",
        error);
  else if (!hir_scalar_is_const_int (stream->extent, size) || !is_outermost (pair->in, p) ||
           !is_outermost (pair->out, stream))
    refuse (
        pair, pair->in, p,
        "becomes a stream axis, but the streams are not one per device; outer_split both by the "
        "number of devices, or gather the operand with a set first",
        error);
  else
    return TRUE;
  return FALSE;
}

/* Each device sends a part of its shard to every other one. */
static gboolean
check_all_to_all (const Pair *pair,
                  const HirIterDomain *p,
                  const HirIterDomain *stream_axis,
                  GError **error)
{
  const char *why = NULL;

  if (!hir_mesh_equal (pair->in->mesh, pair->out->mesh))
    why = "becomes another axis over devices of another mesh; copy the operand to the mesh of the "
          "result with a set first";
  else if (pair->in->mesh->n_dims != 1)
    why =
        "becomes another axis over devices of a mesh with several axes; gather the operand with a "
        "set first";
  else if (stream_axis != NULL)
    why = "becomes a stream axis, and another axis is over devices; gather the operand with a set "
          "first";
  if (why != NULL)
    refuse (pair, pair->in, p, why, error);
  return why == NULL;
}

static gboolean
describe_set (
    const Pair *pair, HirCommInfo *info, HirIterDomain *p, HirIterDomain *c, GError **error)
{
  HirIterDomain *p_axis = get_logical (pair->in, p), *c_axis = get_logical (pair->out, c);
  HirIterDomain *stream = hir_domain_lookup_type (&pair->out->loop, HIR_PARALLEL_STREAM);
  HirIterDomain *stream_axis = get_logical (pair->out, stream);

  info->in_axis = p_axis != NULL ? p_axis : get_in_axis (pair, c_axis);
  info->out_axis = c_axis != NULL ? c_axis : get_out_axis (pair, p_axis);
  if (p_axis != NULL && c_axis != NULL && get_out_axis (pair, p_axis) != c_axis)
    {
      info->form = HIR_COMM_FORM_ALL_TO_ALL;
      return check_all_to_all (pair, p,
                               stream_axis == get_out_axis (pair, p_axis) ? stream_axis : NULL,
                               error);
    }
  if (p_axis == NULL || c_axis != NULL || stream_axis == NULL ||
      stream_axis != get_out_axis (pair, p_axis))
    return TRUE;
  if (!check_shards (pair, p, stream, error))
    return FALSE;
  info->form = stream->definition != NULL && stream->definition->kind == HIR_TRANSFORM_SWIZZLE
                   ? HIR_COMM_FORM_COLLECTIVE_PERMUTE
                   : HIR_COMM_FORM_BROADCAST;
  return TRUE;
}

/* A reduction over devices adds up one shard per device, and does nothing else. */
static gboolean
describe_reduction (
    const Pair *pair, HirCommInfo *info, HirIterDomain *p, HirIterDomain *c, GError **error)
{
  const char *why = NULL;

  info->in_axis = get_logical (pair->in, p);
  info->out_axis = get_out_axis (pair, info->in_axis);
  if (c != NULL)
    {
      info->out_axis = get_logical (pair->out, c);
      info->in_axis = get_in_axis (pair, info->out_axis);
    }
  if (p == NULL)
    why =
        "is over devices, but the operand has no shards to combine; parallelize the reduced axis of "
        "the operand over devices";
  else if (!hir_expr_is_communication (pair->expr))
    why =
        "is reduced over devices, and elements within each device too; outer_split the reduced axis "
        "of the result by the number of devices, and parallelize the outer part likewise";
  else if (info->in_axis == NULL)
    why = "is over devices along the whole reduced axis, but the result along a part of it; split "
          "the axis of both in the same way";
  if (why != NULL)
    refuse (pair, p == NULL ? pair->out : pair->in, p == NULL ? c : p, why, error);
  return why == NULL;
}

/* Returns whether a loop axis of @tensor that derives from @id has several elements on a device. */
static gboolean
has_local_part (const HirTensor *tensor, const HirIterDomain *id)
{
  for (guint i = 0; i < tensor->loop.n; i++)
    {
      const HirIterDomain *leaf = tensor->loop.ids[i], *at = leaf;

      while (at != id && at->definition != NULL)
        at = at->definition->in[0];
      if (at == id && !hir_iter_domain_is_parallelized (leaf) &&
          !hir_scalar_is_const_int (leaf->extent, 1))
        return TRUE;
    }
  return FALSE;
}

/* A communication moves the shard of a device as one block of the axis. */
static gboolean
check_blocks (const Pair *pair, const HirTensor *tensor, const HirIterDomain *id, GError **error)
{
  for (const HirIterDomain *at = id; at != NULL && at->definition != NULL;
       at = at->definition->in[0])
    if (at == at->definition->out[1] && has_local_part (tensor, at->definition->out[0]))
      {
        refuse (pair, tensor, id,
                "is inside a part of its axis that each device has, so its shards are not "
                "contiguous; outer_split the axis for devices first",
                error);
        return FALSE;
      }
  return TRUE;
}

static gboolean
describe (const Pair *pair, HirParallelType type, HirCommInfo *info, GError **error)
{
  HirIterDomain *p = hir_domain_lookup_type (&pair->in->loop, type);
  HirIterDomain *c = hir_domain_lookup_type (&pair->out->loop, type);

  *info = (HirCommInfo){ .type = type };
  if ((pair->expr->kind == HIR_EXPR_SET && !check_blocks (pair, pair->in, p, error)) ||
      !check_blocks (pair, pair->out, c, error))
    return FALSE;
  if (pair->expr->kind == HIR_EXPR_SET)
    return describe_set (pair, info, p, c, error);
  return describe_reduction (pair, info, p, c, error);
}

gboolean
hir_comm_info_get (HirExpr *expr, gboolean *found, HirCommInfo *info, GError **error)
{
  g_auto (Pair) pair = { .expr = expr };
  guint n_changes = 0;

  *found = FALSE;
  if ((expr->kind != HIR_EXPR_SET && expr->kind != HIR_EXPR_REDUCTION &&
       expr->kind != HIR_EXPR_SQUEEZE) ||
      !HIR_IS_TENSOR (expr->inputs[0]))
    return TRUE;
  pair.in = HIR_TENSOR (expr->inputs[0]);
  pair.out = HIR_TENSOR (expr->outputs[0]);
  pair.out_ids = hir_expr_dup_logical_map (expr, pair.in, pair.out, &pair.in_ids, &pair.n);
  for (int type = HIR_PARALLEL_DIDX; type <= HIR_PARALLEL_DIDZ; type++)
    {
      gboolean different;

      if (!hir_expr_have_different_shardings (expr, pair.in, pair.out, HIR_PARALLEL_BIT (type),
                                              &different, error))
        return FALSE;
      if (!different)
        continue;
      if (n_changes++ > 0)
        {
          const HirIterDomain *in = hir_domain_lookup_type (&pair.in->loop, type);
          const HirIterDomain *out = hir_domain_lookup_type (&pair.out->loop, type);

          refuse (
              &pair, in != NULL ? pair.in : pair.out, in != NULL ? in : out,
              "changes together with another axis of the mesh; change one at a time, each with a "
              "separate set",
              error);
          return FALSE;
        }
      if (!describe (&pair, (HirParallelType) type, info, error))
        return FALSE;
    }
  *found = n_changes > 0;
  return TRUE;
}

gboolean
hir_expr_is_communication (const HirExpr *expr)
{
  const HirIterDomain *reduced = NULL;
  g_auto (Pair) pair = { 0 };

  if (expr->kind == HIR_EXPR_SET)
    return expr->u.set.kind == HIR_SET_SET && !HIR_TENSOR (expr->outputs[0])->has_root;
  if (expr->kind != HIR_EXPR_REDUCTION && expr->kind != HIR_EXPR_SQUEEZE)
    return FALSE;
  pair.out_ids = hir_expr_dup_logical_map (expr, HIR_TENSOR (expr->inputs[0]),
                                           HIR_TENSOR (expr->outputs[0]), &pair.in_ids, &pair.n);
  for (guint i = 0; i < pair.n; i++)
    {
      if (pair.out_ids[i] != NULL && !hir_iter_domain_is_reduction (pair.out_ids[i]))
        continue;
      if (reduced != NULL)
        return FALSE;
      reduced = pair.in_ids[i];
    }
  return reduced != NULL && hir_iter_domain_is_device (reduced);
}
