#include "label.h"

#include "container.h"
#include "print/print.h"

/* Passes cut slices of slices; no chain is longer. */
#define MAX_STEPS 8

/* Returns the tensor that a pass derived @tensor from, or NULL. */
static const HirTensor *
find_origin (const HirTensor *tensor)
{
  const HirNode *node = &tensor->base.node;

  for (guint i = 0; i < node->n_origins; i++)
    {
      const HirTensor *from =
          hir_container_lookup_tensor (tensor->base.container, node->origins[i]);

      if (from != NULL && from != tensor)
        return from;
    }
  return NULL;
}

char *
hir_tensor_dup_label (const HirTensor *tensor)
{
  g_autofree char *number = g_strdup_printf ("T%d", tensor->base.name);
  const HirTensor *named = tensor;

  for (guint i = 0; i < MAX_STEPS && named != NULL && named->script_name == NULL; i++)
    named = find_origin (named);
  if (named == NULL || named->script_name == NULL || g_str_equal (named->script_name, number))
    return g_steal_pointer (&number);
  return named == tensor ? g_strdup_printf ("%s (%s)", tensor->script_name, number)
                         : g_strdup_printf ("%s (from %s)", number, named->script_name);
}

char *
hir_tensor_dup_shape_text (const HirTensor *tensor)
{
  GString *text = g_string_new ("[");

  for (guint i = 0; i < tensor->logical.n; i++)
    {
      const HirIterDomain *id = tensor->logical.ids[i];

      if (hir_iter_domain_is_reduction (id))
        continue;
      if (text->len > 1)
        g_string_append (text, ", ");
      hir_scalar_print_inline (id->expanded_extent != NULL ? id->expanded_extent : id->extent,
                               text);
    }
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

HirPos
hir_axis_get_pos (const HirTensor *tensor, const HirIterDomain *id)
{
  if (id->base.node.pos.line != 0)
    return id->base.node.pos;
  if (id->definition != NULL && id->definition->node.pos.line != 0)
    return id->definition->node.pos;
  return tensor->base.node.pos;
}
