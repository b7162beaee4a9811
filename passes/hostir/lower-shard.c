/* Views of the shard of one iteration: ShardByStream. */
#include "hostir/hostir-copy.h"
#include "hostir/lower-private.h"
#include "label.h"
#include "schedule/replay.h"
#include "sharding/finalize-private.h"

HirIterDomain *
hir_lower_get_stream (const HirTensor *tensor)
{
  return hir_domain_lookup_type (&tensor->loop, HIR_PARALLEL_STREAM);
}

gboolean
hir_lower_needs_shard (HirLowerSegments *lower,
                       const HirExpr *expr,
                       HirTensor *in,
                       HirTensor *out,
                       gboolean *different,
                       GError **error)
{
  const HirDomain whole = { NULL, 0 };
  const HirDomain *domain = g_hash_table_contains (lower->pieces, in) ? &in->loop : &whole;

  return hir_expr_have_different_domains (expr, in, domain, out, &out->loop,
                                          HIR_PARALLEL_BIT (HIR_PARALLEL_STREAM), different, error);
}

/* Creates a tensor like @source without its reduced axes. */
static HirTensor *
view_new (HirContainer *host, const HirTensor *source)
{
  g_autoptr (GPtrArray) ids = g_ptr_array_new ();
  HirTensor *view;

  for (guint i = 0; i < source->logical.n; i++)
    {
      const HirIterDomain *id = source->logical.ids[i];
      HirIterDomain *copy;

      if (hir_iter_domain_is_reduction (id))
        continue;
      copy = hir_iter_domain_dup (host, id, FALSE);
      copy->is_rfactor = id->is_rfactor;
      g_ptr_array_add (ids, copy);
    }
  view = hir_tensor_new (host, source->base.dtype, (HirIterDomain *const *) ids->pdata, ids->len);
  view->mesh = source->mesh;
  hir_copy_schedule (source, view);
  return view;
}

/* An operand is cut like the result of @expr. */
static gboolean
stream_like_result (const HirExpr *expr, const HirTensor *source, HirTensor *view, GError **error)
{
  HirExpr with_view = *expr;
  g_autofree HirVal **inputs = g_memdup2 (expr->inputs, sizeof (HirVal *) * expr->n_inputs);

  for (guint i = 0; i < expr->n_inputs; i++)
    {
      if (inputs[i] == HIR_VAL (source))
        inputs[i] = HIR_VAL (view);
    }
  with_view.inputs = inputs;
  hir_unshard_types (view, HIR_PARALLEL_BIT (HIR_PARALLEL_STREAM));
  return hir_shard_loop_like (&with_view, hir_expr_get_most_parallel_output (expr), view,
                              HIR_PARALLEL_BIT (HIR_PARALLEL_STREAM), error);
}

/* The stream axis is cut in memory, so the axis in front of it no longer continues it. */
static gboolean
allocate_piece (HirTensor *view, GError **error)
{
  HirIterDomain *stream = hir_lower_get_stream (view);
  HirDomain wanted = { &stream, 1 };
  g_auto (HirAxisLayout) layout = { NULL, NULL };
  gboolean behind_stream = FALSE;

  hir_axis_layout_init (&layout, view);
  if (!hir_axis_layout_follow (&layout, view, &wanted, error))
    return FALSE;
  for (guint i = layout.ids->len; i > 0; i--)
    {
      const HirIterDomain *id = layout.ids->pdata[i - 1];
      gint8 *contiguity = &g_array_index (layout.contiguity, gint8, i - 1);

      if (hir_iter_domain_is_broadcast (id) || hir_iter_domain_is_reduction (id))
        *contiguity = HIR_CONTIGUITY_NONE;
      else if (behind_stream)
        {
          *contiguity = HIR_CONTIGUITY_FALSE;
          behind_stream = FALSE;
        }
      behind_stream = behind_stream || hir_iter_domain_is_stream (id);
    }
  hir_axis_layout_apply (&layout, view);
  return TRUE;
}

gboolean
hir_lower_shard (HirLowerSegments *lower,
                 HirTensor *source,
                 const HirExpr *expr,
                 HirTensor **view,
                 GError **error)
{
  const HirNode *origins[] = { &source->base.node, &expr->node };
  gboolean is_operand = FALSE;
  HirTensor *made;

  *view = NULL;
  for (guint i = 0; i < expr->n_inputs; i++)
    is_operand = is_operand || expr->inputs[i] == HIR_VAL (source);
  hir_maker_set_origins (lower->host, origins, 2);
  if (expr->node.pos.line != 0)
    hir_maker_set_pos (lower->host, expr->node.pos);
  made = view_new (lower->host, source);
  if (is_operand && !stream_like_result (expr, source, made, error))
    return FALSE;
  if (hir_lower_get_stream (made) == NULL)
    return TRUE;
  if (!hir_lower_check_piece (source, made, error) || !allocate_piece (made, error))
    return FALSE;
  hir_lower_emit (lower, hir_expr_new_shard_by_stream (lower->host, source, made,
                                                       lower->loop->u.loop.index));
  *view = made;
  return TRUE;
}
