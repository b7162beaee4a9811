#include "hostir/communication-info.h"

#include "label.h"
#include "logical-map.h"
#include "print/print.h"
#include "schedule/axis-index.h"

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

static void
refuse (const HirExpr *expr, const HirTensor *tensor, const char *why, GError **error)
{
  g_autofree char *label = hir_tensor_dup_label (HIR_TENSOR (expr->outputs[0]));

  hir_set_error (error, HIR_ERROR_REFUSED,
                 tensor != NULL && tensor->base.node.pos.line > 0 ? &tensor->base.node.pos
                                                                  : &expr->node.pos,
                 "the %s that computes %s cannot become a communication: %s",
                 hir_expr_get_op_name (expr), label, why);
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
    refuse (pair->expr, pair->out,
            "an axis over devices becomes a stream axis on another mesh; copy the operand to the "
            "mesh of the result with a set first",
            error);
  else if (!hir_scalar_is_const_int (stream->extent, size) || !is_outermost (pair->in, p) ||
           !is_outermost (pair->out, stream))
    refuse (pair->expr, pair->out,
            "an axis over devices becomes a stream axis, but the streams are not one per device; "
            "outer_split both by the number of devices, or gather the operand with a set first",
            error);
  else
    return TRUE;
  return FALSE;
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
    info->form = HIR_COMM_FORM_ALL_TO_ALL;
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

static gboolean
describe (const Pair *pair, HirParallelType type, HirCommInfo *info, GError **error)
{
  HirIterDomain *p = hir_domain_lookup_type (&pair->in->loop, type);
  HirIterDomain *c = hir_domain_lookup_type (&pair->out->loop, type);

  *info = (HirCommInfo){ .type = type };
  if (pair->expr->kind == HIR_EXPR_SET)
    return describe_set (pair, info, p, c, error);
  if (p == NULL)
    {
      refuse (pair->expr, pair->in,
              "a reduction over devices combines one shard of each device, but its operand has no "
              "axis over devices; parallelize the reduced axis over devices",
              error);
      return FALSE;
    }
  if (c == NULL)
    {
      info->in_axis = get_logical (pair->in, p);
      info->out_axis = get_out_axis (pair, info->in_axis);
    }
  else
    {
      info->out_axis = get_logical (pair->out, c);
      info->in_axis = get_in_axis (pair, info->out_axis);
    }
  return TRUE;
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
          refuse (expr, pair.out,
                  "the sharding changes along more than one axis of the mesh; change one at a "
                  "time, each with a separate set",
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
