#include "pass.h"

#include "config.h"

/* Each table is in pipeline order. Passes that shard a program over devices precede SegmentFusion;
 * passes that lower the remaining resharding to communication follow StreamParallelType. */
static const HirPass *const table[] = {
  &hir_pass_propagate_shardings,
  &hir_pass_insert_reshardings,
  &hir_pass_reorder_sharded_axis,
  &hir_pass_finalize_multidevice_domains,
  &hir_pass_segment_fusion,
  &hir_pass_stream_parallel_type,
  &hir_pass_convert_op_to_communication,
  &hir_pass_insert_deallocations,
  NULL,
};

#if HIR_TESTING
/* Like table, with an injected bug while the program is still a fusion. */
static const HirPass *const test_table[] = {
  &hir_pass_propagate_shardings,
  &hir_pass_insert_reshardings,
  &hir_pass_swap_operands,
  &hir_pass_reorder_sharded_axis,
  &hir_pass_finalize_multidevice_domains,
  &hir_pass_segment_fusion,
  &hir_pass_stream_parallel_type,
  &hir_pass_convert_op_to_communication,
  &hir_pass_insert_deallocations,
  NULL,
};
#endif

static const HirPass *const hostir_table[] = {
  &hir_pass_hostir_exact_mapped_extent_substitution,
  &hir_pass_hostir_propagate_shardings,
  &hir_pass_hostir_decompose_reshardings,
  &hir_pass_hostir_reorder_sharded_axis,
  &hir_pass_hostir_mark_aliases_prepare,
  &hir_pass_hostir_finalize_multidevice_domains,
  &hir_pass_hostir_lower_segmented_fusion,
  &hir_pass_hostir_allocate_and_deallocate,
  &hir_pass_hostir_assign_streams,
  NULL,
};

const char *
hir_pipeline_kind_get_name (HirPipelineKind kind)
{
  return kind == HIR_PIPELINE_HOSTIR ? "hostir" : "executor";
}

const HirPass *const *
hir_pass_get_table (HirPipelineKind pipeline)
{
  if (pipeline == HIR_PIPELINE_HOSTIR)
    return hostir_table;
#if HIR_TESTING
  if (g_getenv ("HIRSCOPE_TEST_PASSES") != NULL)
    return test_table;
#endif
  return table;
}

const HirPass *
hir_pass_lookup (HirPipelineKind pipeline, const char *name)
{
  const HirPass *const *passes = hir_pass_get_table (pipeline);

  for (guint i = 0; passes[i] != NULL; i++)
    {
      if (g_str_equal (passes[i]->name, name))
        return passes[i];
    }
  return NULL;
}

const char *
hir_pass_context_get_option (const HirPassContext *context, const char *name)
{
  const char *value = g_hash_table_lookup (context->options, name);

  /* A pass reads only its own options, and all of them have a value. */
  g_assert (value != NULL);
  return value;
}

gboolean
hir_pass_context_is_cancelled (const HirPassContext *context, guint round, GError **error)
{
  if (round % 64 != 0 || !g_cancellable_is_cancelled (context->cancellable))
    return FALSE;
  hir_set_error (error, HIR_ERROR_CANCELLED, NULL, "lowering was cancelled");
  return TRUE;
}

gboolean
hir_pass_context_check_fusion (const HirPassContext *context,
                               const HirContainer *program,
                               GError **error)
{
  if (program->kind == HIR_CONTAINER_FUSION)
    return TRUE;
  hir_set_error (error, HIR_ERROR_REFUSED, NULL,
                 "%s requires a fusion, but this is already a host program; disable this pass",
                 context->pass->name);
  return FALSE;
}

gboolean
hir_pass_context_check_host (const HirPassContext *context,
                             const HirContainer *program,
                             GError **error)
{
  if (program->kind == HIR_CONTAINER_HOST)
    return TRUE;
  hir_set_error (error, HIR_ERROR_REFUSED, NULL,
                 "%s requires the host program that SegmentFusion creates; enable SegmentFusion, "
                 "or disable this pass",
                 context->pass->name);
  return FALSE;
}
