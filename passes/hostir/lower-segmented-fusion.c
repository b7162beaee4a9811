/* Segmentation of 2026 and lowerSegmentedFusionToHostIr
 * (docs/hostir.md#lowersegmentedfusiontohostir). */
#include "hostir/alias.h"
#include "hostir/lower-private.h"
#include "label.h"
#include "print/print.h"
#include "schedule/id-map.h"
#include "segment/segment-unit.h"
#include "sharding/convert-op-to-communication-private.h"
#include "sharding/finalize-private.h"
#include "usage.h"

/* Ops that nvFuser runs as they are (its scheduler ExprEval), and communications. */
static gboolean
is_standalone (const HirExpr *expr)
{
  gboolean resharding;

  if (!hir_expr_is_resharding (expr, &resharding, NULL))
    return TRUE;
  return resharding || expr->kind == HIR_EXPR_MATMUL || expr->kind == HIR_EXPR_LINEAR ||
         expr->kind == HIR_EXPR_OPAQUE;
}

static const HirSegmentRules rules = { is_standalone, TRUE };

/* Returns TRUE if the segment needs no kernel. */
static gboolean
is_evaluated (const HirSegment *segment)
{
  if (segment->standalone)
    return TRUE;
  for (guint i = 0; i < segment->exprs->len; i++)
    {
      if (!hir_expr_is_alias (segment->exprs->pdata[i]))
        return FALSE;
    }
  return TRUE;
}

static guint
count_parallel (const HirTensor *tensor)
{
  guint n = 0;

  for (guint i = 0; i < tensor->loop.n; i++)
    n += hir_iter_domain_is_parallelized (tensor->loop.ids[i]);
  return n;
}

/* Returns the result whose loop domain decides which loop the segment is in. */
static HirTensor *
get_reference (const HirSegment *segment)
{
  HirTensor *reference = NULL;

  for (guint i = 0; i < segment->exprs->len; i++)
    {
      HirTensor *out = hir_expr_get_most_parallel_output (segment->exprs->pdata[i]);

      if (out != NULL && (reference == NULL || count_parallel (out) > count_parallel (reference)))
        reference = out;
    }
  return reference;
}

static gboolean
is_same_step (const HirTransform *a, const HirTransform *b)
{
  if (a == NULL || b == NULL || a->kind != b->kind)
    return FALSE;
  if (a->kind == HIR_TRANSFORM_SPLIT)
    return a->inner_split == b->inner_split && hir_scalar_equal (a->factor, b->factor);
  return a->kind == HIR_TRANSFORM_SWIZZLE && a->mesh_axis == b->mesh_axis;
}

/* Returns TRUE if the two axes are the same part of axes that ops relate. */
static gboolean
are_mapped (HirIdMap *map, const HirIterDomain *a, const HirIterDomain *b)
{
  while (!hir_id_map_are_mapped (map, a, b))
    {
      if (!is_same_step (a->definition, b->definition) ||
          (a == a->definition->out[0]) != (b == b->definition->out[0]))
        return FALSE;
      a = a->definition->in[0];
      b = b->definition->in[0];
    }
  return hir_iter_domain_is_broadcast (a) == hir_iter_domain_is_broadcast (b);
}

static gboolean
refuse_stream (const HirTensor *tensor,
               const HirIterDomain *stream,
               const char *why,
               GError **error)
{
  g_autofree char *label = hir_tensor_dup_label (tensor);
  g_autofree char *axis = hir_iter_domain_to_string (stream);
  HirPos pos = hir_axis_get_pos (tensor, stream);

  hir_set_error (error, HIR_ERROR_REFUSED, &pos, "axis %s of %s cannot be a stream axis: %s", axis,
                 label, why);
  return FALSE;
}

/* The pieces of a stream axis are equally long: ShardByStream has no shorter last one. */
static gboolean
check_pieces (const HirTensor *tensor, const HirIterDomain *stream, GError **error)
{
  const HirTransform *split = stream->definition;
  g_autofree char *why = NULL;

  while (split != NULL && split->kind == HIR_TRANSFORM_SWIZZLE)
    split = split->in[0]->definition;
  if (split == NULL || split->kind != HIR_TRANSFORM_SPLIT ||
      !hir_scalar_is_const (split->in[0]->extent) || !hir_scalar_is_const (split->factor) ||
      split->factor->i == 0 || split->in[0]->extent->i % split->factor->i == 0)
    return TRUE;
  why = g_strdup_printf ("%" G_GINT64_FORMAT
                         " elements cannot be split into equal pieces by %" G_GINT64_FORMAT
                         "; use a factor that divides them",
                         split->in[0]->extent->i, split->factor->i);
  return refuse_stream (tensor, stream, why, error);
}

static gboolean
open_loop (HirLowerSegments *lower,
           const HirTensor *reference,
           const HirIterDomain *stream,
           GError **error)
{
  HirContainer *host = lower->host;
  HirExpr *loop;

  if (!hir_scalar_is_const (stream->extent))
    return refuse_stream (reference, stream,
                          "the number of streams must be a constant; use outer_split with a "
                          "constant factor and parallelize the outer axis",
                          error);
  if (!check_pieces (reference, stream, error))
    return FALSE;
  hir_maker_set_origins (host, (const HirNode *[]){ &stream->base.node, &reference->base.node }, 2);
  loop = hir_expr_new (host, HIR_EXPR_FOR, NULL, 0, NULL, 0);
  loop->u.loop.index = hir_scalar_new_symbol (host, HIR_DTYPE_INDEX);
  loop->u.loop.start = hir_scalar_get_zero (host);
  loop->u.loop.stop = hir_cloner_scalar (lower->cloner, stream->extent);
  loop->u.loop.step = hir_scalar_get_one (host);
  hir_lower_emit (lower, loop);
  lower->loop = loop;
  return TRUE;
}

/* Returns the stream axis that decides which loop @segment is in, or NULL. */
static const HirIterDomain *
get_loop_axis (const HirSegment *segment)
{
  const HirTensor *reference = get_reference (segment);
  const HirIterDomain *first =
      reference != NULL && reference->loop.n > 0 ? reference->loop.ids[0] : NULL;

  return first != NULL && hir_iter_domain_is_stream (first) ? first : NULL;
}

/* Numbers the loops from 1. Returns a table from each HirExpr* of a loop to its number. */
static GHashTable *
dup_loop_numbers (HirLowerSegments *lower, HirIdMap *map, GPtrArray *segments)
{
  GHashTable *numbers = g_hash_table_new (NULL, NULL);
  const HirIterDomain *open = NULL;
  guint n = 0;

  for (guint i = 0; i < segments->len; i++)
    {
      const HirSegment *segment = segments->pdata[i];
      const HirIterDomain *axis = get_loop_axis (segment);

      if (!hir_segment_involves (segment, lower->context->rank))
        continue;
      if (axis != NULL && (open == NULL || !are_mapped (map, open, axis)))
        n++;
      open = axis;
      for (guint k = 0; axis != NULL && k < segment->exprs->len; k++)
        g_hash_table_insert (numbers, segment->exprs->pdata[k], GUINT_TO_POINTER (n));
    }
  return numbers;
}

/* Closes the loop unless @segment continues it, and opens a new one if it needs one. A segment
 * without a stream axis closes the loop. */
static gboolean
enter_loop (HirLowerSegments *lower, HirIdMap *map, const HirSegment *segment, GError **error)
{
  const HirTensor *reference = get_reference (segment);
  const HirIterDomain *first = get_loop_axis (segment);

  if (lower->loop != NULL && (first == NULL || !are_mapped (map, lower->stream, first)))
    lower->loop = NULL;
  if (first != NULL && hir_iter_domain_is_reduction (first))
    return refuse_stream (reference, first,
                          "it is reduced, so each iteration would overwrite the result of the one "
                          "before; split another axis over streams",
                          error);
  lower->reference = reference;
  lower->stream = first;
  return first == NULL || lower->loop != NULL || open_loop (lower, reference, first, error);
}

/* Ops without a kernel, copies for example, can be in one segment although their results have
 * different stream axes. */
static gboolean
check_streams (const HirLowerSegments *lower,
               HirIdMap *map,
               const HirSegment *segment,
               GError **error)
{
  for (guint i = 0; lower->stream != NULL && i < segment->exprs->len; i++)
    {
      const HirTensor *out = hir_expr_get_most_parallel_output (segment->exprs->pdata[i]);
      const HirIterDomain *stream = out != NULL ? hir_lower_get_stream (out) : NULL;
      g_autofree char *axis = NULL, *why = NULL;

      if (stream == NULL || are_mapped (map, lower->stream, stream))
        continue;
      axis = hir_comm_dup_axis_label (lower->reference, lower->stream);
      why =
          g_strdup_printf ("%s runs in the loop over the unrelated %s; parallelize related axes of "
                           "both over as many streams",
                           hir_expr_get_op_name (out->definition), axis);
      return refuse_stream (out, stream, why, error);
    }
  return TRUE;
}

static gboolean
shard_operands (HirLowerSegments *lower, HirExpr *expr, HirTensor *result, GError **error)
{
  g_autoptr (GPtrArray) done = g_ptr_array_new (); /* operand, its view, operand, ... */

  for (guint i = 0; i < expr->n_inputs; i++)
    {
      HirTensor *in = HIR_TENSOR (expr->inputs[i]), *view;
      gboolean different;
      g_autofree char *label = NULL, *axis = NULL;

      if (!HIR_IS_TENSOR (in) || g_ptr_array_find (done, in, NULL))
        continue;
      if (!hir_lower_needs_shard (lower, expr, in, result, &different, error))
        return FALSE;
      if (!different)
        continue;
      if (!hir_lower_shard (lower, in, expr, &view, error))
        return FALSE;
      if (view == NULL)
        {
          label = hir_tensor_dup_label (in);
          axis = hir_comm_dup_axis_label (lower->reference, lower->stream);
          hir_set_error (error, HIR_ERROR_REFUSED, &expr->node.pos,
                         "%s runs in a loop over %s, but its operand %s cannot be cut alike; "
                         "parallelize another axis over streams",
                         hir_expr_get_op_name (expr), axis, label);
          return FALSE;
        }
      g_ptr_array_add (done, in);
      g_ptr_array_add (done, view);
    }
  for (guint i = 0; i < done->len; i += 2)
    hir_expr_replace_input (expr, done->pdata[i], done->pdata[i + 1]);
  return TRUE;
}

/* Returns TRUE if @expr can write into a part of a tensor. A part has no root domain, which a
 * permute needs. */
static gboolean
can_write (const HirExpr *expr)
{
  return (expr->kind == HIR_EXPR_SET && !HIR_TENSOR (expr->outputs[0])->has_root) ||
         expr->kind == HIR_EXPR_MATMUL || expr->kind == HIR_EXPR_LINEAR;
}

/* A result that lies in memory whole is written piece by piece. */
static gboolean
shard_results (HirLowerSegments *lower, HirExpr *expr, GPtrArray *views, GError **error)
{
  for (guint i = 0; i < expr->n_outputs; i++)
    {
      HirTensor *out = HIR_TENSOR (expr->outputs[i]), *view = NULL;
      g_autofree char *label = NULL, *axis = NULL;

      g_ptr_array_add (views, NULL);
      if (!HIR_IS_TENSOR (out) || g_hash_table_contains (lower->pieces, out))
        continue;
      if (hir_lower_get_stream (out) == NULL || !can_write (expr))
        {
          label = hir_tensor_dup_label (out);
          axis = hir_comm_dup_axis_label (lower->reference, lower->stream);
          hir_set_error (error, HIR_ERROR_REFUSED, &expr->node.pos,
                         "%s runs in a loop over %s, but %s %s; copy it with a set that has the "
                         "stream axis",
                         hir_expr_get_op_name (expr), axis, label,
                         hir_lower_get_stream (out) == NULL
                             ? "has no stream axis"
                             : "is allocated whole, and the op cannot write a part");
          return FALSE;
        }
      hir_maker_set_origins (lower->host, (const HirNode *[]){ &out->base.node, &expr->node }, 2);
      hir_lower_emit_before_loop (lower, hir_lower_new_allocate (lower, out));
      if (!hir_lower_shard (lower, out, expr, &view, error))
        return FALSE;
      views->pdata[i] = view;
    }
  return TRUE;
}

static gboolean
lower_op (HirLowerSegments *lower, HirExpr *expr, GError **error)
{
  g_autoptr (GPtrArray) views = g_ptr_array_new ();
  HirTensor *result = hir_expr_get_most_parallel_output (expr);
  HirExpr before = *expr;
  g_autofree HirVal **inputs = g_memdup2 (expr->inputs, sizeof (HirVal *) * expr->n_inputs);

  if (lower->loop == NULL || result == NULL)
    {
      hir_lower_emit (lower, expr);
      return TRUE;
    }
  before.inputs = inputs;
  if (!shard_operands (lower, expr, result, error) || !shard_results (lower, &before, views, error))
    return FALSE;
  for (guint i = 0; i < views->len; i++)
    {
      if (views->pdata[i] == NULL)
        continue;
      expr->outputs[i] = views->pdata[i];
      ((HirTensor *) views->pdata[i])->definition = expr;
      ((HirTensor *) HIR_TENSOR (before.outputs[i]))->definition = NULL;
    }
  hir_lower_emit (lower, expr);
  return TRUE;
}

static gboolean
refuse_kernel_in_loop (const HirSegment *segment, GError **error)
{
  const HirTensor *reference = get_reference (segment);
  const HirIterDomain *stream = hir_lower_get_stream (reference);
  g_autofree char *why = g_strdup_printf (
      "%s becomes a kernel, and nvFuser launches kernels in a stream loop without the loop index; "
      "parallelize a matmul, linear or communication instead, or use the executor pipeline",
      hir_expr_get_op_name (reference->definition));

  return refuse_stream (reference, stream, why, error);
}

static gboolean
lower_kernel (HirLowerSegments *lower, const HirSegment *segment, GError **error)
{
  HirExpr *launch;

  if (lower->loop != NULL)
    return refuse_kernel_in_loop (segment, error);
  launch = hir_segment_to_launch_kernel (segment, lower->host, lower->cloner, error);
  if (launch == NULL)
    return FALSE;
  for (guint i = 0; i < launch->n_outputs; i++)
    {
      HirTensor *out = HIR_TENSOR (launch->outputs[i]);

      hir_maker_set_origins (lower->host, (const HirNode *[]){ &out->base.node, &launch->node }, 2);
      hir_lower_emit (lower, hir_lower_new_allocate (lower, out));
    }
  hir_lower_emit (lower, launch);
  return TRUE;
}

static gboolean
lower_segment (HirLowerSegments *lower, const HirSegment *segment, GError **error)
{
  gboolean resharding;

  if (!is_evaluated (segment))
    return lower_kernel (lower, segment, error);
  if (!hir_expr_is_resharding (segment->first, &resharding, error))
    return FALSE;
  if (resharding)
    return hir_lower_communication (lower, hir_cloner_expr (lower->cloner, segment->first), error);
  for (guint i = 0; i < segment->exprs->len; i++)
    {
      if (!lower_op (lower, hir_cloner_expr (lower->cloner, segment->exprs->pdata[i]), error))
        return FALSE;
    }
  return TRUE;
}

/* Tensors that cross a border between segments lie in global memory. */
static void
make_global (HirLowerSegments *lower, GPtrArray *segments)
{
  for (guint i = 0; i < segments->len; i++)
    {
      const HirSegment *segment = segments->pdata[i];

      for (guint k = 0; k < segment->exprs->len; k++)
        {
          const HirExpr *expr = segment->exprs->pdata[k];

          for (guint j = 0; j < expr->n_outputs; j++)
            {
              HirTensor *out = HIR_TENSOR (expr->outputs[j]);

              if (HIR_IS_TENSOR (out) && out->memory != HIR_MEMORY_SYMMETRIC &&
                  (is_evaluated (segment) || g_ptr_array_find (segment->outputs, out, NULL)))
                out->memory = HIR_MEMORY_GLOBAL;
            }
        }
    }
}

/* Returns TRUE if all readers of @tensor are in the loop that computes it. */
static gboolean
stays_in_loop (const HirTensor *tensor, GHashTable *uses, GHashTable *loops)
{
  gpointer loop = g_hash_table_lookup (loops, tensor->definition);
  GPtrArray *readers = g_hash_table_lookup (uses, tensor);

  for (guint i = 0; readers != NULL && i < readers->len; i++)
    {
      if (g_hash_table_lookup (loops, readers->pdata[i]) != loop)
        return FALSE;
    }
  return TRUE;
}

static gboolean
find_pieces (HirLowerSegments *lower, GHashTable *loops, GError **error)
{
  g_autoptr (GHashTable) uses = hir_fusion_dup_uses (lower->fusion);

  for (guint i = 0; i < lower->fusion->tensors.len; i++)
    {
      HirTensor *tensor = lower->fusion->tensors.items[i];
      gboolean streamed = FALSE;

      if (hir_lower_get_stream (tensor) == NULL)
        continue;
      if (!hir_container_is_input (lower->fusion, HIR_VAL (tensor)) &&
          !hir_container_is_output (lower->fusion, HIR_VAL (tensor)) &&
          !hir_finalize_is_streamed (tensor, uses, &streamed, error))
        return FALSE;
      if (streamed && stays_in_loop (tensor, uses, loops))
        g_hash_table_add (lower->pieces, hir_cloner_tensor (lower->cloner, tensor));
      else if (!hir_lower_check_whole (tensor, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
lower_segments (HirLowerSegments *lower, GPtrArray *segments, GError **error)
{
  g_autoptr (HirIdMap) map = hir_id_map_new (lower->fusion);
  HirContainer *fusion = lower->fusion, *host = lower->host;
  g_autoptr (GHashTable) loops = dup_loop_numbers (lower, map, segments);

  make_global (lower, segments);
  for (guint i = 0; i < fusion->inputs.len; i++)
    hir_container_add_input (host, hir_cloner_val (lower->cloner, fusion->inputs.items[i]));
  if (!find_pieces (lower, loops, error))
    return FALSE;
  for (guint i = 0; i < fusion->outputs.len; i++)
    hir_container_add_output (host, hir_cloner_val (lower->cloner, fusion->outputs.items[i]));
  for (guint i = 0; i < segments->len; i++)
    {
      if (hir_pass_context_is_cancelled (lower->context, i, error))
        return FALSE;
      if (!hir_segment_involves (segments->pdata[i], lower->context->rank))
        continue;
      if (!enter_loop (lower, map, segments->pdata[i], error) ||
          !check_streams (lower, map, segments->pdata[i], error) ||
          !lower_segment (lower, segments->pdata[i], error))
        return FALSE;
    }
  return TRUE;
}

static HirContainer *
run (HirContainer *program, const HirPassContext *context, GError **error)
{
  g_autoptr (HirContainer) fusion = program;
  g_autoptr (HirContainer) host = NULL;
  g_autoptr (GPtrArray) segments = NULL;
  g_autoptr (HirCloner) cloner = NULL;
  g_autoptr (GHashTable) pieces = g_hash_table_new (NULL, NULL);
  HirLowerSegments lower = { .context = context, .fusion = fusion, .pieces = pieces };

  if (!hir_pass_context_check_fusion (context, fusion, error))
    return NULL;
  segments = hir_segment_fusion (fusion, &rules, context->cancellable, error);
  if (segments == NULL)
    return NULL;
  host = hir_segment_host_new (fusion, context->pass->name);
  cloner = hir_cloner_new (host);
  lower.host = host;
  lower.cloner = cloner;
  return lower_segments (&lower, segments, error) ? g_steal_pointer (&host) : NULL;
}

const HirPass hir_pass_hostir_lower_segmented_fusion = {
  .name = "LowerSegmentedFusionToHostIr",
  .summary = "Cuts the fusion into segments and builds the host program that runs them",
  .help =
      "Each matmul, linear, and op that changes the sharding over devices is a segment of its own; "
      "other ops are fused as far as no cycle results and no segment reads a SegmenterSet that it "
      "makes. A segment of alias ops, and a matmul or linear, is printed as the op itself; a "
      "communication becomes an Allocate, Communications and Waits; every other segment is one "
      "kernel: an Allocate of each result and a LaunchKernel. Select the kernel in the graph to "
      "see its ops.\n\nSegments run as soon as their inputs are available, first come, first "
      "served. A segment whose result has a stream axis is in a loop over it; neighboring segments "
      "share the loop if their stream axes are the same part of axes that ops relate. In the loop, "
      "ShardByStream takes the shard of an operand that lies in memory whole, and a result that "
      "does is allocated before the loop and written shard by shard. A set of an axis over devices "
      "to the same axis over streams becomes a Broadcast of one shard per iteration, or behind "
      "swizzle1d a CollectivePermute, in which each device receives from another one.\n\nRejected: "
      "a kernel in a stream loop (nvFuser launches it with too few arguments), a stream axis of "
      "symbolic length, and one that is reduced.\n\nDiffers from nvFuser: a stream axis may be an "
      "axis of the tensor's own shape. The team is taken along the mesh axis whose sharding "
      "changes, and roots and peers are positions along that axis. A tensor that another loop reads is "
      "allocated whole. A device on none of the meshes of "
      "a segment's first op omits the segment.",
  .options = NULL,
  .default_on = TRUE,
  .run = run,
};
