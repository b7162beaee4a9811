/* Sums that devices compute in parts. */
#include "run/reference/reference-private.h"
#include "schedule/id-map.h"
#include "transforms.h"

/* Collects the logical axes from which @id derives. */
static void
add_bases (GPtrArray *axes, const HirDomain *logical, HirIterDomain *id)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();

  g_ptr_array_add (stack, id);
  while (stack->len > 0)
    {
      HirIterDomain *piece = g_ptr_array_steal_index_fast (stack, stack->len - 1);

      if (hir_domain_find (logical, piece) >= 0)
        g_ptr_array_add (axes, piece);
      else if (piece->definition != NULL)
        for (guint i = 0;
             i < G_N_ELEMENTS (piece->definition->in) && piece->definition->in[i] != NULL; i++)
          g_ptr_array_add (stack, piece->definition->in[i]);
    }
}

/* Returns the logical axes of which only a part is over devices. */
static GPtrArray *
dup_split_axes (HirContainer *fusion)
{
  GPtrArray *axes = g_ptr_array_new ();

  for (guint i = 0; i < fusion->tensors.len; i++)
    {
      const HirTensor *tensor = fusion->tensors.items[i];

      for (guint k = 0; k < tensor->loop.n; k++)
        if (hir_iter_domain_is_device (tensor->loop.ids[k]) &&
            hir_domain_find (&tensor->logical, tensor->loop.ids[k]) < 0)
          add_bases (axes, &tensor->logical, tensor->loop.ids[k]);
    }
  return axes;
}

static gboolean
reduces_one_of (HirIdMap *map, const GPtrArray *axes, const HirTensor *tensor)
{
  for (guint i = 0; i < tensor->logical.n; i++)
    for (guint k = 0; hir_iter_domain_is_reduction (tensor->logical.ids[i]) && k < axes->len; k++)
      if (hir_id_map_are_mapped (map, tensor->logical.ids[i], axes->pdata[k]))
        return TRUE;
  return FALSE;
}

GHashTable *
hir_ref_find_sums_in_parts (HirContainer *fusion)
{
  GHashTable *sums = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) axes = dup_split_axes (fusion);
  gint64 n_parts = 1;
  g_autoptr (HirIdMap) map = NULL;

  if (axes->len == 0)
    return sums;
  map = hir_id_map_new (fusion);
  for (guint i = 0; i < fusion->tensors.len; i++)
    {
      const HirMesh *mesh = HIR_TENSOR (fusion->tensors.items[i])->mesh;

      if (mesh != NULL)
        n_parts = MAX (n_parts, mesh->size);
    }
  for (guint i = 0; i < fusion->tensors.len; i++)
    {
      HirTensor *tensor = fusion->tensors.items[i];

      if (tensor->definition != NULL && reduces_one_of (map, axes, tensor))
        g_hash_table_insert (sums, tensor, GINT_TO_POINTER ((gint) (2 * n_parts - 2)));
    }
  return sums;
}
