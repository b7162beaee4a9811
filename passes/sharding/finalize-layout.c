/* Memory layout of tensors while FinalizeMultideviceDomains computes it. */
#include "label.h"
#include "sharding/finalize-private.h"
#include "transforms.h"

void
hir_axis_layout_init (HirAxisLayout *layout, const HirTensor *tensor)
{
  const HirDomain *domain = hir_tensor_get_maybe_allocation (tensor);

  layout->ids = g_ptr_array_new ();
  layout->contiguity = g_array_new (FALSE, FALSE, sizeof (gint8));
  for (guint i = 0; i < domain->n; i++)
    {
      g_ptr_array_add (layout->ids, domain->ids[i]);
      g_array_append_val (layout->contiguity, tensor->contiguity[i]);
    }
}

void
hir_axis_layout_clear (HirAxisLayout *layout)
{
  g_clear_pointer (&layout->ids, g_ptr_array_unref);
  g_clear_pointer (&layout->contiguity, g_array_unref);
}

/* Replaces the axis at @at by the two axes that @transform splits it into. The outer one is
 * contiguous with the inner one, which has the contiguity of the whole axis. */
static void
split (HirAxisLayout *layout, guint at, const HirTransform *transform)
{
  gint8 whole = g_array_index (layout->contiguity, gint8, at);
  gint8 outer = whole == HIR_CONTIGUITY_NONE ? HIR_CONTIGUITY_NONE : HIR_CONTIGUITY_TRUE;

  layout->ids->pdata[at] = transform->out[0];
  g_ptr_array_insert (layout->ids, (int) at + 1, transform->out[1]);
  g_array_insert_val (layout->contiguity, at, outer);
}

static gboolean
refuse_merge (const HirTensor *tensor, const HirTransform *transform, GError **error)
{
  g_autofree char *label = hir_tensor_dup_label (tensor);
  g_autofree char *text = hir_transform_to_string (transform);

  hir_set_error (error, HIR_ERROR_REFUSED, &transform->node.pos,
                 "%s is on a mesh, but its axes are not only split (%s), so its memory layout does "
                 "not follow from them; use only splits, or call set_allocation_as_loop on it",
                 label, text);
  return FALSE;
}

gboolean
hir_axis_layout_follow (HirAxisLayout *layout,
                        const HirTensor *tensor,
                        const HirDomain *domain,
                        GError **error)
{
  g_autoptr (GPtrArray) transforms = hir_domain_dup_transforms (&tensor->logical, domain);

  for (guint i = 0; i < transforms->len; i++)
    {
      const HirTransform *transform = transforms->pdata[i];
      guint at;

      /* An allocation domain set by the script is already split. */
      if (!g_ptr_array_find (layout->ids, transform->in[0], &at))
        continue;
      if (transform->kind == HIR_TRANSFORM_SPLIT)
        split (layout, at, transform);
      else if (transform->kind == HIR_TRANSFORM_SWIZZLE)
        layout->ids->pdata[at] = transform->out[0];
      else
        return refuse_merge (tensor, transform, error);
    }
  return TRUE;
}

gboolean
hir_axis_layout_is_of (const HirAxisLayout *layout, const HirTensor *tensor)
{
  const HirDomain *allocation = hir_tensor_get_maybe_allocation (tensor);

  if (layout->ids->len != allocation->n)
    return FALSE;
  for (guint i = 0; i < layout->ids->len; i++)
    {
      if (layout->ids->pdata[i] != allocation->ids[i])
        return FALSE;
    }
  return TRUE;
}

void
hir_axis_layout_apply (const HirAxisLayout *layout, HirTensor *tensor)
{
  hir_tensor_set_allocation (tensor, (HirIterDomain *const *) layout->ids->pdata, layout->ids->len);
  for (guint i = 0; i < layout->contiguity->len; i++)
    tensor->contiguity[i] = g_array_index (layout->contiguity, gint8, i);
}
