#include "schedule/schedule.h"

#include <string.h>

#include "label.h"
#include "print/print.h"
#include "transforms.h"

static HirContainer *
get_container (const HirTensor *tensor)
{
  return tensor->base.container;
}

/* Counts a negative @axis from the end of the loop domain. */
static gboolean
normalize (HirTensor *tensor, const char *verb, gint64 axis, guint *normalized, GError **error)
{
  gint64 n = tensor->loop.n;

  if (axis < -n || axis >= n)
    {
      g_autofree char *label = hir_tensor_dup_label (tensor);

      if (n == 0)
        hir_set_error (error, HIR_ERROR_REFUSED, &get_container (tensor)->maker.pos,
                       "%s: %s has no axes, so there is no axis %" G_GINT64_FORMAT, verb, label,
                       axis);
      else
        hir_set_error (error, HIR_ERROR_REFUSED, &get_container (tensor)->maker.pos,
                       "%s: %s has %" G_GINT64_FORMAT
                       " axes now, so there is no axis %" G_GINT64_FORMAT "; use %" G_GINT64_FORMAT
                       " to %" G_GINT64_FORMAT,
                       verb, label, n, axis, -n, n - 1);
      return FALSE;
    }
  *normalized = (guint) (axis < 0 ? axis + n : axis);
  return TRUE;
}

/* Errors of axis functions contain neither tensor nor position. */
static void
prefix_axis (GError **error, HirTensor *tensor, const char *verb, guint axis)
{
  g_autofree char *label = hir_tensor_dup_label (tensor);

  g_prefix_error (error, "%s: axis %u of %s: ", verb, axis, label);
}

HirIterDomain *
hir_schedule_axis (HirTensor *tensor, gint64 axis, GError **error)
{
  guint position;

  if (!normalize (tensor, "axis", axis, &position, error))
    return NULL;
  return tensor->loop.ids[position];
}

gboolean
hir_schedule_parallelize (HirTensor *tensor, gint64 axis, HirParallelType type, GError **error)
{
  HirContainer *container = get_container (tensor);
  guint position;
  HirIterDomain *id;

  if (!normalize (tensor, "parallelize", axis, &position, error))
    return FALSE;
  id = tensor->loop.ids[position];
  id->parallel_type = type;
  /* Later errors refer to this line, not to the one that created the axis. */
  if (container->maker.pos.line > 0)
    id->base.node.pos = container->maker.pos;
  return TRUE;
}

/* Replaces the axes at @first and @second (-1: none) of the loop domain by @n_out axes. */
static void
replace_in_loop (HirTensor *tensor, guint first, int second, HirIterDomain *const *out, guint n_out)
{
  g_autofree HirIterDomain **ids = g_new (HirIterDomain *, tensor->loop.n + 1);
  guint n = 0;

  for (guint i = 0; i < tensor->loop.n; i++)
    {
      if (i == first)
        {
          for (guint j = 0; j < n_out; j++)
            ids[n++] = out[j];
        }
      else if ((int) i != second)
        ids[n++] = tensor->loop.ids[i];
    }
  hir_tensor_set_loop (tensor, ids, n);
}

gboolean
hir_schedule_split (
    HirTensor *tensor, gint64 axis, HirScalar *factor, gboolean inner_split, GError **error)
{
  HirIterDomain *out[2];
  guint position;

  if (!normalize (tensor, "split", axis, &position, error))
    return FALSE;
  if (!hir_iter_domain_split (tensor->loop.ids[position], factor, inner_split, &out[0], &out[1],
                              error))
    {
      prefix_axis (error, tensor, "split", position);
      return FALSE;
    }
  replace_in_loop (tensor, position, -1, out, 2);
  return TRUE;
}

gboolean
hir_schedule_swizzle (HirTensor *tensor, gint64 axis, HirParallelType mesh_axis, GError **error)
{
  HirIterDomain *id, *out;
  guint position;
  g_autofree char *label = NULL;

  if (!normalize (tensor, "swizzle1d", axis, &position, error))
    return FALSE;
  id = tensor->loop.ids[position];
  if (mesh_axis <= HIR_PARALLEL_DIDZ && !hir_iter_domain_is_parallelized (id))
    {
      out = hir_iter_domain_swizzle (id, mesh_axis);
      replace_in_loop (tensor, position, -1, &out, 1);
      return TRUE;
    }
  label = hir_tensor_dup_label (tensor);
  if (mesh_axis > HIR_PARALLEL_DIDZ)
    hir_set_error (error, HIR_ERROR_REFUSED, &get_container (tensor)->maker.pos,
                   "swizzle1d: axis %u of %s cannot be rotated by %s; name an axis of the mesh: "
                   "mesh_x, mesh_y or mesh_z",
                   position, label, hir_parallel_type_get_script_name (mesh_axis));
  else
    hir_set_error (error, HIR_ERROR_REFUSED, &get_container (tensor)->maker.pos,
                   "swizzle1d: axis %u of %s is %s; swizzle it before parallelizing it", position,
                   label, hir_parallel_type_get_script_name (id->parallel_type));
  return FALSE;
}

gboolean
hir_schedule_merge (HirTensor *tensor, gint64 outer, gint64 inner, GError **error)
{
  guint outer_at, inner_at;
  HirIterDomain *merged;

  if (!normalize (tensor, "merge", outer, &outer_at, error) ||
      !normalize (tensor, "merge", inner, &inner_at, error))
    return FALSE;
  if (outer_at == inner_at)
    {
      g_autofree char *label = hir_tensor_dup_label (tensor);

      hir_set_error (error, HIR_ERROR_REFUSED, &get_container (tensor)->maker.pos,
                     "merge: axis %u of %s cannot be merged with itself; name two different "
                     "axes",
                     outer_at, label);
      return FALSE;
    }
  merged = hir_iter_domain_merge (tensor->loop.ids[outer_at], tensor->loop.ids[inner_at], error);
  if (merged == NULL)
    {
      g_autofree char *label = hir_tensor_dup_label (tensor);

      g_prefix_error (error, "merge: axes %u and %u of %s: ", outer_at, inner_at, label);
      return FALSE;
    }
  replace_in_loop (tensor, MIN (outer_at, inner_at), (int) MAX (outer_at, inner_at), &merged, 1);
  return TRUE;
}

/* Moves an axis into its new slot unless the slot is in use. */
static gboolean
place (
    HirTensor *tensor, HirIterDomain **slots, guint from, guint to, gboolean *moved, GError **error)
{
  g_autofree char *label = NULL;

  if (slots[to] == NULL && !moved[from])
    {
      slots[to] = tensor->loop.ids[from];
      moved[from] = TRUE;
      return TRUE;
    }
  label = hir_tensor_dup_label (tensor);
  if (moved[from])
    hir_set_error (error, HIR_ERROR_REFUSED, &get_container (tensor)->maker.pos,
                   "reorder: axis %u of %s is moved twice; name each axis once", from, label);
  else
    hir_set_error (error, HIR_ERROR_REFUSED, &get_container (tensor)->maker.pos,
                   "reorder: two axes of %s are moved to position %u; give each axis a different "
                   "position",
                   label, to);
  return FALSE;
}

gboolean
hir_schedule_reorder (HirTensor *tensor,
                      const gint64 *old_positions,
                      const gint64 *new_positions,
                      guint n,
                      GError **error)
{
  guint n_axes = tensor->loop.n;
  g_autofree HirIterDomain **slots = g_new0 (HirIterDomain *, MAX (n_axes, 1));
  g_autofree gboolean *moved = g_new0 (gboolean, MAX (n_axes, 1));

  for (guint i = 0; i < n; i++)
    {
      guint from, to;

      if (!normalize (tensor, "reorder", old_positions[i], &from, error) ||
          !normalize (tensor, "reorder", new_positions[i], &to, error) ||
          !place (tensor, slots, from, to, moved, error))
        return FALSE;
    }
  for (guint from = 0, to = 0; from < n_axes; from++)
    {
      if (moved[from])
        continue;
      while (slots[to] != NULL)
        to++;
      slots[to] = tensor->loop.ids[from];
    }
  hir_tensor_set_loop (tensor, slots, n_axes);
  return TRUE;
}

void
hir_schedule_set_device_mesh (HirTensor *tensor, const HirMesh *mesh)
{
  tensor->mesh = mesh;
}

void
hir_schedule_set_allocation_as_loop (HirTensor *tensor)
{
  hir_tensor_set_allocation (tensor, tensor->loop.ids, tensor->loop.n);
}

static gboolean
refuse_allocation (HirTensor *tensor, const HirIterDomain *id, const char *why, GError **error)
{
  g_autofree char *label = hir_tensor_dup_label (tensor);
  g_autofree char *axis = hir_iter_domain_to_string (id);

  hir_set_error (error, HIR_ERROR_REFUSED, &get_container (tensor)->maker.pos,
                 "set_allocation_domain: axis %s of %s %s", axis, label, why);
  return FALSE;
}

/* Checks that @ids are exactly what remains of the logical axes after the transforms that lead to
 * @ids. */
static gboolean
check_allocation (HirTensor *tensor, HirIterDomain *const *ids, guint n, GError **error)
{
  const HirDomain to = { (HirIterDomain **) ids, n };
  g_autoptr (GPtrArray) transforms = hir_domain_dup_transforms (&tensor->logical, &to);
  g_autoptr (GPtrArray) left = g_ptr_array_new ();

  for (guint i = 0; i < tensor->logical.n; i++)
    g_ptr_array_add (left, tensor->logical.ids[i]);
  for (guint i = 0; i < transforms->len; i++)
    {
      const HirTransform *transform = transforms->pdata[i];

      for (guint k = 0; k < 2 && transform->in[k] != NULL; k++)
        {
          if (!g_ptr_array_remove (left, transform->in[k]))
            return refuse_allocation (tensor, transform->in[k],
                                      "is given both whole and in pieces; give only one of the "
                                      "two",
                                      error);
        }
      for (guint k = 0; k < 2 && transform->out[k] != NULL; k++)
        g_ptr_array_add (left, transform->out[k]);
    }
  for (guint i = 0; i < n; i++)
    {
      if (!g_ptr_array_remove (left, ids[i]))
        return refuse_allocation (tensor, ids[i],
                                  "is given twice or does not belong to this tensor; give each "
                                  "axis once",
                                  error);
    }
  return left->len == 0 ||
         refuse_allocation (tensor, left->pdata[0], "is missing; give every axis", error);
}

gboolean
hir_schedule_set_allocation (
    HirTensor *tensor, HirIterDomain *const *ids, const gint8 *contiguity, guint n, GError **error)
{
  if (!check_allocation (tensor, ids, n, error))
    return FALSE;
  for (guint i = 0; contiguity != NULL && i < n; i++)
    {
      gboolean has_none =
          hir_iter_domain_is_broadcast (ids[i]) || hir_iter_domain_is_reduction (ids[i]);

      if (has_none != (contiguity[i] == HIR_CONTIGUITY_NONE))
        return refuse_allocation (tensor, ids[i],
                                  has_none
                                      ? "is a broadcast or reduction axis and has no contiguity; "
                                        "give None for it"
                                      : "has contiguity None, which is only for broadcast and "
                                        "reduction axes; give True or False",
                                  error);
    }
  hir_tensor_set_allocation (tensor, ids, n);
  if (contiguity != NULL)
    memcpy (tensor->contiguity, contiguity, n);
  return TRUE;
}

gboolean
hir_schedule_set_memory_type (HirTensor *tensor, HirMemoryType memory, GError **error)
{
  HirContainer *container = get_container (tensor);
  gboolean is_input = hir_container_is_input (container, HIR_VAL (tensor));

  if ((is_input || hir_container_is_output (container, HIR_VAL (tensor))) &&
      memory != HIR_MEMORY_GLOBAL && memory != HIR_MEMORY_SYMMETRIC)
    {
      g_autofree char *label = hir_tensor_dup_label (tensor);

      hir_set_error (error, HIR_ERROR_REFUSED, &container->maker.pos,
                     "set_memory_type: %s is an %s of the fusion, which cannot be in %s memory; "
                     "leave it in global memory",
                     label, is_input ? "input" : "output", hir_memory_type_get_name (memory));
      return FALSE;
    }
  tensor->memory = memory;
  return TRUE;
}
