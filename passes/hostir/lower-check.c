/* Which tensors can be cut into pieces of streams. */
#include "hostir/lower-private.h"
#include "label.h"
#include "print/print.h"

static gboolean
refuse (const HirTensor *tensor, const HirIterDomain *axis, const char *why, GError **error)
{
  g_autofree char *label = hir_tensor_dup_label (tensor);
  g_autofree char *text = hir_iter_domain_to_string (axis);
  HirPos pos = hir_axis_get_pos (tensor, axis);

  if (pos.line == 0)
    pos = tensor->base.node.pos;
  hir_set_error (error, HIR_ERROR_REFUSED, &pos, "axis %s of %s %s", text, label, why);
  return FALSE;
}

/* Returns the axis in whose parts @id lies: the outer part of the split that made @id or an axis
 * that it derives from, unless it has the parallel type @except or one element. */
static const HirIterDomain *
find_outside (const HirIterDomain *id, gboolean (*except) (const HirIterDomain *))
{
  for (; id->definition != NULL; id = id->definition->in[0])
    {
      const HirTransform *split = id->definition;

      if (split->kind == HIR_TRANSFORM_SPLIT && split->out[1] == id && !except (split->out[0]) &&
          !hir_scalar_is_const_int (split->out[0]->extent, 1))
        return split->out[0];
    }
  return NULL;
}

gboolean
hir_lower_check_piece (const HirTensor *source, const HirTensor *view, GError **error)
{
  const HirIterDomain *stream = hir_domain_lookup_type (&view->loop, HIR_PARALLEL_STREAM);
  const HirIterDomain *outside = find_outside (stream, hir_iter_domain_is_device);
  g_autofree char *axis = NULL, *why = NULL;

  if (outside == NULL)
    return TRUE;
  axis = hir_iter_domain_to_string (stream);
  why =
      g_strdup_printf ("is cut over streams as %s, whose parts are not contiguous; outer_split the "
                       "axis over streams first, or make it two axes",
                       axis);
  return refuse (source, outside, why, error);
}

static gboolean
is_no_stream (const HirIterDomain *id)
{
  return !hir_iter_domain_is_stream (id);
}

gboolean
hir_lower_check_whole (const HirTensor *tensor, GError **error)
{
  for (guint i = 0; i < tensor->loop.n; i++)
    {
      const HirIterDomain *id = tensor->loop.ids[i];

      if (hir_iter_domain_is_device (id) && !hir_iter_domain_is_reduction (id) &&
          find_outside (id, is_no_stream) != NULL)
        return refuse (
            tensor, id,
            "lies inside its stream axis, so that each device would have a piece of every "
            "part of it; split the axis over devices first, or make it two axes",
            error);
    }
  return TRUE;
}
