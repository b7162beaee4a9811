#include "clone.h"
#include "label.h"
#include "pass.h"
#include "schedule/sharding.h"
#include "segment/segment-unit.h"
#include "segment/segmenter.h"

static gboolean
check_segment (const HirSegment *segment, GError **error)
{
  if (segment->exprs->len == 0)
    {
      hir_set_error (error, HIR_ERROR_INVALID_IR, NULL,
                     "internal error: the segmentation of this fusion contains a segment without "
                     "ops");
      return FALSE;
    }
  if (segment->standalone && segment->exprs->len != 1)
    {
      hir_set_error (error, HIR_ERROR_INVALID_IR, &segment->first->node.pos,
                     "internal error: %s runs separately on the host, but the segmentation of this "
                     "fusion put it into a segment with other ops",
                     hir_expr_get_op_name (segment->first));
      return FALSE;
    }
  return TRUE;
}

/* Ops inside a HostUnit do not communicate. */
static gboolean
check_unit (const HirSegment *segment, GError **error)
{
  for (guint i = 0; i < segment->exprs->len; i++)
    {
      const HirExpr *expr = segment->exprs->pdata[i];
      g_autofree char *label = NULL;
      gboolean resharding;

      if (!hir_expr_is_resharding (expr, &resharding, error))
        return FALSE;
      if (!resharding)
        continue;
      label = hir_tensor_dup_label (HIR_TENSOR (expr->outputs[0]));
      hir_set_error (error, HIR_ERROR_REFUSED, &expr->node.pos,
                     "%s gives %s a different sharding than its operands have, but nothing "
                     "communicates inside a HostUnit; enable InsertReshardings, or insert a set",
                     hir_expr_get_op_name (expr), label);
      return FALSE;
    }
  return TRUE;
}

static gboolean
add_segment (HirContainer *host, HirCloner *cloner, const HirSegment *segment, GError **error)
{
  HirExpr *expr;

  if (!check_segment (segment, error))
    return FALSE;
  if (segment->standalone)
    expr = hir_cloner_expr (cloner, segment->first);
  else
    expr = check_unit (segment, error)
               ? hir_segment_to_post_on_stream (segment, host, cloner, error)
               : NULL;
  if (expr == NULL)
    return FALSE;
  hir_container_add_expr (host, expr);
  return TRUE;
}

static gboolean
fill_host (HirContainer *host,
           HirContainer *fusion,
           GPtrArray *segments,
           const HirPassContext *context,
           GError **error)
{
  g_autoptr (HirCloner) cloner = hir_cloner_new (host);

  for (guint i = 0; i < fusion->inputs.len; i++)
    hir_container_add_input (host, hir_cloner_val (cloner, fusion->inputs.items[i]));
  for (guint i = 0; i < segments->len; i++)
    {
      if (hir_pass_context_is_cancelled (context, i, error))
        return FALSE;
      if (hir_segment_involves (segments->pdata[i], context->rank) &&
          !add_segment (host, cloner, segments->pdata[i], error))
        return FALSE;
    }
  for (guint i = 0; i < fusion->outputs.len; i++)
    hir_container_add_output (host, hir_cloner_val (cloner, fusion->outputs.items[i]));
  for (guint i = 0; i < host->tensors.len; i++)
    ((HirTensor *) host->tensors.items[i])->memory = HIR_MEMORY_GLOBAL;
  return TRUE;
}

static HirContainer *
run (HirContainer *program, const HirPassContext *context, GError **error)
{
  g_autoptr (HirContainer) fusion = program;
  g_autoptr (HirContainer) host = NULL;
  g_autoptr (GPtrArray) segments = NULL;

  if (!hir_pass_context_check_fusion (context, fusion, error))
    return NULL;
  segments = hir_segment_fusion (fusion, &hir_segment_rules_2025, context->cancellable, error);
  if (segments == NULL)
    return NULL;
  host = hir_segment_host_new (fusion, hir_pass_segment_fusion.name);
  if (!fill_host (host, fusion, segments, context, error))
    return NULL;
  return g_steal_pointer (&host);
}

const HirPass hir_pass_segment_fusion = {
  .name = "SegmentFusion",
  .summary = "Cuts the fusion into segments and builds the host program that runs them",
  .help =
      "Sets, binary ops, reductions, matmul, linear, slice and select run directly on the host, "
      "one per segment. All other ops are fused with their neighbors as far as no cycle results; "
      "such a segment becomes a HostUnit, which PostOnStream runs.\n\nAn input that is read only "
      "by one unary op is forwarded: each segment that reads the result of that op computes it "
      "again. For a segment that runs directly on the host, a separate HostUnit before it does so. "
      "The order of segments is that of nvFuser of 2025: repeated sweeps over its list.\n\nDiffers "
      "from nvFuser: for a cast to a wider type that one op reads, nvFuser of 2025 throws, because "
      "a heuristic needs sizes that are not known yet. Here casts are ordinary ops and are not "
      "duplicated for their readers. Numbers of axes created inside a HostUnit never equal numbers "
      "outside.\n\nA device that is on none of the meshes of a segment's first op omits that "
      "segment; --rank selects the displayed program. A tensor on no mesh belongs to device 0.",
  .options = NULL,
  .default_on = TRUE,
  .run = run,
};
