#include <string.h>

#include "label.h"
#include "pass.h"
#include "print/print.h"
#include "schedule/axis-index.h"
#include "sharding/finalize-private.h"
#include "sharding/shard-like.h"
#include "transforms.h"
#include "usage.h"

static gboolean
refuse_missing_mesh (const HirTensor *without, const HirTensor *with, GError **error)
{
  g_autofree char *label = hir_tensor_dup_label (without);
  g_autofree char *other = hir_tensor_dup_label (with);
  g_autoptr (GString) mesh = g_string_new (NULL);

  hir_mesh_print (with->mesh, mesh);
  hir_set_error (error, HIR_ERROR_REFUSED, &without->base.node.pos,
                 "%s is on no mesh, but %s is on %s; give every tensor a mesh or none "
                 "(set_device_mesh), or enable PropagateShardings",
                 label, other, mesh->str);
  return FALSE;
}

/* Refusal 10 of docs/host-ir.md#refusals. */
static gboolean
check_meshes (GPtrArray *tensors, gboolean *any_mesh, GError **error)
{
  const HirTensor *with = NULL, *without = NULL;

  for (guint i = 0; i < tensors->len; i++)
    {
      const HirTensor *tensor = tensors->pdata[i];

      if (tensor->is_cpu_scalar)
        continue;
      if (tensor->mesh != NULL && with == NULL)
        with = tensor;
      if (tensor->mesh == NULL && without == NULL)
        without = tensor;
    }
  *any_mesh = with != NULL;
  return with == NULL || without == NULL || refuse_missing_mesh (without, with, error);
}

static gboolean
refuse_axis (const HirTensor *tensor, const HirIterDomain *id, const char *why, GError **error)
{
  g_autofree char *label = hir_tensor_dup_label (tensor);
  g_autofree char *axis = hir_iter_domain_to_string (id);
  HirPos pos = hir_axis_get_pos (tensor, id);

  hir_set_error (error, HIR_ERROR_REFUSED, &pos, "axis %s of %s is %s, %s", axis, label,
                 hir_parallel_type_get_script_name (id->parallel_type), why);
  return FALSE;
}

/* An axis over devices needs a mesh axis with as many devices. */
static gboolean
check_device_axis (const HirTensor *tensor, const HirIterDomain *id, GError **error)
{
  gint64 size;
  g_autofree char *why = NULL;

  if (tensor->mesh == NULL)
    return refuse_axis (tensor, id,
                        "but the tensor is on no mesh; call set_device_mesh on it, or leave the "
                        "axis serial",
                        error);
  size = hir_mesh_get_axis_size (tensor->mesh, id->parallel_type);
  if (size == 0)
    {
      why = g_strdup_printf ("but its mesh has %d dimension%s; use mesh_x for the innermost one",
                             tensor->mesh->n_dims, tensor->mesh->n_dims == 1 ? "" : "s");
      return refuse_axis (tensor, id, why, error);
    }
  if (!hir_scalar_is_const (id->extent) || id->extent->i == size ||
      hir_iter_domain_is_broadcast (id))
    return TRUE;
  why = g_strdup_printf ("but has %" G_GINT64_FORMAT " elements for %" G_GINT64_FORMAT
                         " devices; give each device one element: outer_split the axis by "
                         "%" G_GINT64_FORMAT,
                         id->extent->i, size, size);
  return refuse_axis (tensor, id, why, error);
}

static gboolean
check_device_axes (GPtrArray *tensors, GError **error)
{
  for (guint i = 0; i < tensors->len; i++)
    {
      const HirTensor *tensor = tensors->pdata[i];

      for (guint k = 0; k < tensor->loop.n; k++)
        {
          if (hir_iter_domain_is_device (tensor->loop.ids[k]) &&
              !check_device_axis (tensor, tensor->loop.ids[k], error))
            return FALSE;
        }
    }
  return TRUE;
}

/* Splits the layout like the loop domain. */
static gboolean
follow_loop (HirAxisLayout *layout, const HirTensor *tensor, GError **error)
{
  if (!hir_axis_layout_follow (layout, tensor, &tensor->loop, error))
    return FALSE;
  for (guint i = 0; i < layout->ids->len; i++)
    {
      const HirIterDomain *id = layout->ids->pdata[i];
      g_autofree char *label = NULL;
      g_autofree char *axis = NULL;

      if (layout->ids->len == tensor->loop.n && hir_domain_find (&tensor->loop, id) >= 0)
        continue;
      label = hir_tensor_dup_label (tensor);
      axis = hir_iter_domain_to_string (id);
      hir_set_error (error, HIR_ERROR_REFUSED, &tensor->base.node.pos,
                     "the memory layout of %s is split differently from its loop domain (axis %s "
                     "of its allocation domain is not in its loop domain); call "
                     "set_allocation_as_loop on it last, or split both in the same way",
                     label, axis);
      return FALSE;
    }
  return TRUE;
}

/* Moves axes over devices, including reduced ones, to the front; the others keep their order. */
static void
move_devices_to_front (HirAxisLayout *layout)
{
  guint n_devices = 0;

  for (guint i = 0; i < layout->ids->len; i++)
    {
      HirIterDomain *id = layout->ids->pdata[i];
      gint8 contiguity = g_array_index (layout->contiguity, gint8, i);

      if (!hir_iter_domain_is_device (id))
        continue;
      g_ptr_array_remove_index (layout->ids, i);
      g_array_remove_index (layout->contiguity, i);
      g_ptr_array_insert (layout->ids, (int) n_devices, id);
      g_array_insert_val (layout->contiguity, n_devices, contiguity);
      n_devices++;
    }
}

static gboolean
is_as_before (const HirAxisLayout *layout, const HirTensor *tensor)
{
  const HirDomain *allocation = hir_tensor_get_maybe_allocation (tensor);

  if (layout->ids->len != allocation->n || layout->ids->len != tensor->loop.n)
    return FALSE;
  for (guint i = 0; i < layout->ids->len; i++)
    {
      if (layout->ids->pdata[i] != allocation->ids[i] ||
          layout->ids->pdata[i] != tensor->loop.ids[i])
        return FALSE;
    }
  return TRUE;
}

/* Makes the layout both loop and allocation domain. */
static gboolean
finalize_tensor (HirTensor *tensor, gboolean is_resharding, GError **error)
{
  g_auto (HirAxisLayout) layout = { NULL, NULL };

  hir_axis_layout_init (&layout, tensor);
  if (!follow_loop (&layout, tensor, error))
    return FALSE;
  if (!is_resharding)
    move_devices_to_front (&layout);
  if (is_as_before (&layout, tensor))
    return TRUE;
  hir_tensor_set_loop (tensor, (HirIterDomain *const *) layout.ids->pdata, layout.ids->len);
  hir_tensor_set_allocation (tensor, tensor->loop.ids, tensor->loop.n);
  for (guint i = 0; i < layout.contiguity->len; i++)
    tensor->contiguity[i] = g_array_index (layout.contiguity, gint8, i);
  return TRUE;
}

/* Refusal 11 of docs/host-ir.md#refusals. */
static gboolean
check_contiguous (const HirExpr *expr, const HirTensor *tensor, GError **error)
{
  const HirDomain *domain = hir_tensor_get_maybe_allocation (tensor);

  for (guint i = 0; i < domain->n; i++)
    {
      g_autofree char *label = NULL;
      g_autofree char *axis = NULL;
      HirPos pos;

      if (tensor->contiguity[i] != HIR_CONTIGUITY_FALSE)
        continue;
      label = hir_tensor_dup_label (tensor);
      axis = hir_iter_domain_to_string (domain->ids[i]);
      pos = tensor->base.node.pos.line > 0 ? tensor->base.node.pos : expr->node.pos;
      hir_set_error (error, HIR_ERROR_REFUSED, &pos,
                     "%s takes part in the communication of %s, but is not contiguous in memory at "
                     "axis %s; define it as contiguous, or communicate a set of it",
                     label, hir_expr_get_op_name (expr), axis);
      return FALSE;
    }
  return TRUE;
}

/* A communication requires contiguous tensors. */
static gboolean
check_expr (const HirExpr *expr, GError **error)
{
  for (guint i = 0; i < expr->n_inputs; i++)
    {
      if (HIR_IS_TENSOR (expr->inputs[i]) &&
          !check_contiguous (expr, HIR_TENSOR (expr->inputs[i]), error))
        return FALSE;
    }
  for (guint i = 0; i < expr->n_outputs; i++)
    {
      if (!check_contiguous (expr, HIR_TENSOR (expr->outputs[i]), error))
        return FALSE;
    }
  return TRUE;
}

/* @inputs: NULL if the domains are already final. */
static gboolean
finalize_expr (HirExpr *expr, GHashTable *inputs, GError **error)
{
  gboolean resharding;

  if (!hir_expr_is_resharding (expr, &resharding, error))
    return FALSE;
  for (guint i = 0; inputs != NULL && i < expr->n_inputs; i++)
    {
      if (HIR_IS_TENSOR (expr->inputs[i]) && g_hash_table_contains (inputs, expr->inputs[i]) &&
          !finalize_tensor (HIR_TENSOR (expr->inputs[i]), resharding, error))
        return FALSE;
    }
  for (guint i = 0; inputs != NULL && i < expr->n_outputs; i++)
    {
      if (HIR_IS_TENSOR (expr->outputs[i]) &&
          !finalize_tensor (HIR_TENSOR (expr->outputs[i]), resharding, error))
        return FALSE;
    }
  return !resharding || check_expr (expr, error);
}

/* @streams: use the rules of October 2025. */
static gboolean
finalize (HirContainer *fusion,
          GPtrArray *tensors,
          gboolean streams,
          const HirPassContext *context,
          GError **error)
{
  g_autoptr (GPtrArray) exprs = hir_fusion_dup_exprs (fusion);
  g_autoptr (GHashTable) inputs = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < fusion->inputs.len; i++)
    g_hash_table_add (inputs, fusion->inputs.items[i]);
  if (streams && !hir_finalize_streams (fusion, tensors, error))
    return FALSE;
  for (guint i = 0; i < exprs->len; i++)
    {
      if (hir_pass_context_is_cancelled (context, i, error) ||
          !finalize_expr (exprs->pdata[i], streams ? NULL : inputs, error))
        return FALSE;
    }
  return TRUE;
}

/* An axis over devices without a mesh must be rejected. An axis over streams matters only for
 * stream_allocation. */
static gboolean
applies (const HirContainer *program, const HirPassContext *context)
{
  gboolean streams = strcmp (hir_pass_context_get_option (context, "stream_allocation"), "on") == 0;

  return hir_sharding_applies (program, context) ||
         hir_program_has_loop_axis (program, streams ? HIR_PARALLEL_DEVICES_AND_STREAM
                                                     : HIR_PARALLEL_DEVICES);
}

static const char *const off_on[] = { "off", "on", NULL };

static const HirPassOption options[] = {
  { .name = "stream_allocation",
    .summary = "Allows stream axes in allocation domains, as nvFuser has done since October 2025",
    .default_value = "off",
    .choices = off_on },
  { .name = NULL },
};

static HirContainer *
run_with (HirContainer *taken, const HirPassContext *context, gboolean streams, GError **error)
{
  g_autoptr (HirContainer) fusion = taken;
  g_autoptr (GPtrArray) tensors = NULL;
  gboolean any_mesh;

  if (!hir_pass_context_check_fusion (context, fusion, error))
    return NULL;
  tensors = hir_container_dup_used_tensors (fusion);
  if (!check_meshes (tensors, &any_mesh, error) || !check_device_axes (tensors, error) ||
      ((any_mesh || streams) && !finalize (fusion, tensors, streams, context, error)))
    return NULL;
  return g_steal_pointer (&fusion);
}

static HirContainer *
run (HirContainer *taken, const HirPassContext *context, GError **error)
{
  gboolean streams = strcmp (hir_pass_context_get_option (context, "stream_allocation"), "on") == 0;

  return run_with (taken, context, streams, error);
}

const HirPass hir_pass_finalize_multidevice_domains = {
  .name = "FinalizeMultideviceDomains",
  .summary = "Decides the memory layout of each tensor of a program for several devices",
  .help =
      "The allocation domain of every tensor is split like its loop domain. The loop domain takes "
      "the order of the allocation domain (a reorder by the schedule is lost), and both become the "
      "same. For an op that does not reshard, axes over devices, including reduced ones, move to "
      "the front; a resharding op leaves them in place. An input that both kinds of op read is "
      "therefore moved. Stream axes stay.\n\nThe pass does nothing if no tensor of the fusion has "
      "a mesh. Rejected: a mesh on only some tensors (a scalar on the CPU needs none), a "
      "communication of a tensor that is not contiguous, merged axes, and an allocation domain "
      "that is split differently. Also rejected, because nvFuser fails only at run time: an axis "
      "over devices without a mesh, of a type that the mesh has no axis for, or of another size "
      "than that axis.\n\nstream_allocation=on selects the rules of October 2025. The allocation "
      "domain is split like the loop axes over devices. It is also split like the stream axis if "
      "the tensor is neither input nor output and every op that reads it has the same stream axis; "
      "other tensors are allocated whole. Loop domains are put in the order streams, mesh_z, "
      "mesh_y, mesh_x, others; allocation domains keep their order. PropagateShardings.streams=on "
      "is the matching propagation. StreamParallelType remains that of mid-2025: it allocates "
      "every tensor of a loop in full before the loop, so the results do not change.",
  .options = options,
  .default_on = TRUE,
  .applies = applies,
  .run = run,
};

static gboolean
applies_hostir (const HirContainer *program, const HirPassContext *context)
{
  return hir_sharding_applies (program, context) ||
         hir_program_has_loop_axis (program, HIR_PARALLEL_DEVICES_AND_STREAM);
}

static HirContainer *
run_hostir (HirContainer *taken, const HirPassContext *context, GError **error)
{
  return run_with (taken, context, TRUE, error);
}

const HirPass hir_pass_hostir_finalize_multidevice_domains = {
  .name = "FinalizeMultideviceDomains",
  .summary = "Decides which tensors are allocated for each iteration of a stream loop",
  .help = "The allocation domain of every tensor on a mesh, or with a stream axis, is split like "
          "its loop axes over devices. It is also split like the stream axis if the tensor is "
          "neither input nor output and every op that reads it has the same stream axis; other "
          "tensors are allocated whole. Loop domains are put in the order streams, mesh_z, mesh_y, "
          "mesh_x, others.\n\nRejected: a mesh on only some tensors, a communication of a tensor "
          "that is not contiguous, merged axes, and an axis over devices that its mesh does not "
          "have or that has another size.",
  .options = NULL,
  .default_on = TRUE,
  .applies = applies_hostir,
  .run = run_hostir,
};
