/* Stream-aware allocation rules of October 2025. */
#include "schedule/sharding.h"
#include "sharding/finalize-private.h"

gboolean
hir_finalize_is_streamed (HirTensor *tensor, GHashTable *uses, gboolean *streamed, GError **error)
{
  GPtrArray *readers = g_hash_table_lookup (uses, tensor);

  *streamed = FALSE;
  for (guint i = 0; readers != NULL && i < readers->len; i++)
    {
      const HirExpr *reader = readers->pdata[i];

      for (guint k = 0; k < reader->n_outputs; k++)
        {
          gboolean different;

          if (!HIR_IS_TENSOR (reader->outputs[k]))
            continue;
          if (!hir_expr_have_different_shardings (reader, tensor, HIR_TENSOR (reader->outputs[k]),
                                                  HIR_PARALLEL_BIT (HIR_PARALLEL_STREAM),
                                                  &different, error))
            return FALSE;
          if (different)
            return TRUE;
        }
    }
  *streamed = TRUE;
  return TRUE;
}

/* Splits the layout along the path to the loop axes of @types. */
static gboolean
follow_types (HirAxisLayout *layout, const HirTensor *tensor, HirParallelSet types, GError **error)
{
  g_autoptr (GPtrArray) wanted = g_ptr_array_new ();
  HirDomain some;

  for (guint i = 0; i < tensor->loop.n; i++)
    {
      if ((types & HIR_PARALLEL_BIT (tensor->loop.ids[i]->parallel_type)) != 0)
        g_ptr_array_add (wanted, tensor->loop.ids[i]);
    }
  some = (HirDomain){ (HirIterDomain **) wanted->pdata, wanted->len };
  return hir_axis_layout_follow (layout, tensor, &some, error);
}

/* Order of loop axes: streams first, then devices from mesh_z to mesh_x, including reduced axes. */
static int
get_rank (const HirIterDomain *id)
{
  switch (id->parallel_type)
    {
    case HIR_PARALLEL_STREAM:
      return 0;
    case HIR_PARALLEL_DIDZ:
      return 1;
    case HIR_PARALLEL_DIDY:
      return 2;
    case HIR_PARALLEL_DIDX:
      return 3;
    default:
      return 4;
    }
}

static void
order_loop (HirTensor *tensor)
{
  g_autoptr (GPtrArray) loop = g_ptr_array_new ();
  gboolean moved = FALSE;

  for (int rank = 0; rank <= 4; rank++)
    {
      for (guint i = 0; i < tensor->loop.n; i++)
        {
          if (get_rank (tensor->loop.ids[i]) != rank)
            continue;
          moved = moved || i != loop->len;
          g_ptr_array_add (loop, tensor->loop.ids[i]);
        }
    }
  if (moved)
    hir_tensor_set_loop (tensor, (HirIterDomain *const *) loop->pdata, loop->len);
}

static gboolean
finalize_tensor (HirTensor *tensor, GHashTable *uses, GHashTable *boundary, GError **error)
{
  g_auto (HirAxisLayout) layout = { NULL, NULL };
  gboolean is_boundary = g_hash_table_contains (boundary, tensor);
  gboolean any = tensor->mesh != NULL;
  HirParallelSet types = HIR_PARALLEL_DEVICES;
  gboolean streamed = FALSE;

  for (guint i = 0; i < tensor->loop.n; i++)
    any = any || hir_iter_domain_is_stream (tensor->loop.ids[i]);
  if (!any)
    return TRUE;
  hir_axis_layout_init (&layout, tensor);
  if (!is_boundary && !hir_finalize_is_streamed (tensor, uses, &streamed, error))
    return FALSE;
  if (streamed)
    types |= HIR_PARALLEL_BIT (HIR_PARALLEL_STREAM);
  if (!follow_types (&layout, tensor, types, error))
    return FALSE;
  order_loop (tensor);
  /* An explicit allocation domain states the memory layout even if it equals the logical domain. */
  if (!hir_axis_layout_is_of (&layout, tensor) || !tensor->has_allocation)
    hir_axis_layout_apply (&layout, tensor);
  return TRUE;
}

gboolean
hir_finalize_streams (HirContainer *fusion, GPtrArray *tensors, GError **error)
{
  g_autoptr (GHashTable) uses = hir_fusion_dup_uses (fusion);
  g_autoptr (GHashTable) boundary = g_hash_table_new (NULL, NULL); /* inputs and outputs */

  for (guint i = 0; i < fusion->inputs.len; i++)
    g_hash_table_add (boundary, fusion->inputs.items[i]);
  for (guint i = 0; i < fusion->outputs.len; i++)
    g_hash_table_add (boundary, fusion->outputs.items[i]);
  for (guint i = 0; i < tensors->len; i++)
    {
      if (!finalize_tensor (tensors->pdata[i], uses, boundary, error))
        return FALSE;
    }
  return TRUE;
}
