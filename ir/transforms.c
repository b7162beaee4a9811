#include "transforms.h"

#include "print/print.h"

typedef struct
{
  GHashTable *base;  /* axes where the search stops */
  GHashTable *state; /* HirTransform* -> itself while open, the Walk when closed */
  GPtrArray *stack;
} Walk;

static void
push_definition (Walk *walk, const HirIterDomain *id)
{
  if (id != NULL && id->definition != NULL && !g_hash_table_contains (walk->base, id) &&
      !g_hash_table_contains (walk->state, id->definition))
    g_ptr_array_add (walk->stack, id->definition);
}

static void
drain (Walk *walk, GPtrArray *out)
{
  while (walk->stack->len > 0)
    {
      HirTransform *top = g_ptr_array_index (walk->stack, walk->stack->len - 1);
      gpointer state = g_hash_table_lookup (walk->state, top);

      if (state == NULL)
        {
          g_hash_table_insert (walk->state, top, top);
          push_definition (walk, top->in[1]);
          push_definition (walk, top->in[0]);
          continue;
        }
      g_ptr_array_set_size (walk->stack, (int) walk->stack->len - 1);
      if (state == top)
        {
          g_hash_table_insert (walk->state, top, walk);
          g_ptr_array_add (out, top);
        }
    }
}

GPtrArray *
hir_domain_dup_transforms (const HirDomain *from, const HirDomain *to)
{
  g_autoptr (GHashTable) base = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) state = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  Walk walk = { base, state, stack };
  GPtrArray *out = g_ptr_array_new ();

  for (guint i = 0; i < from->n; i++)
    g_hash_table_add (base, from->ids[i]);
  for (guint i = 0; i < to->n; i++)
    {
      push_definition (&walk, to->ids[i]);
      drain (&walk, out);
    }
  return out;
}

static void
print_axis (GString *out, const char *before, const HirIterDomain *id)
{
  g_string_append (out, before);
  if (id != NULL)
    hir_iter_domain_print (id, out);
  else
    g_string_append (out, "(null)");
}

static void
print_scalar (GString *out, const char *before, const HirScalar *scalar)
{
  g_string_append (out, before);
  hir_scalar_print_inline (scalar, out);
}

char *
hir_transform_to_string (const HirTransform *transform)
{
  GString *out = g_string_new (NULL);

  switch (transform->kind)
    {
    case HIR_TRANSFORM_SPLIT:
      print_axis (out, transform->inner_split ? "Split: " : "Outer split: ", transform->in[0]);
      print_scalar (out, " by factor ", transform->factor);
      print_axis (out, " -> ", transform->out[0]);
      print_axis (out, ", ", transform->out[1]);
      break;
    case HIR_TRANSFORM_MERGE:
      print_axis (out, "Merge: ", transform->in[0]);
      print_axis (out, " and ", transform->in[1]);
      print_axis (out, " -> ", transform->out[0]);
      break;
    case HIR_TRANSFORM_SWIZZLE:
      print_axis (out, "Swizzle1D: ", transform->in[0]);
      g_string_append_printf (out, " by %s", hir_parallel_type_get_text (transform->mesh_axis));
      print_axis (out, " -> ", transform->out[0]);
      break;
    case HIR_TRANSFORM_RESIZE:
    default:
      print_axis (out, "Resize: ", transform->in[0]);
      print_scalar (out, " by ", transform->left);
      print_scalar (out, " and ", transform->right);
      print_axis (out, " -> ", transform->out[0]);
      break;
    }
  return g_string_free (out, FALSE);
}
