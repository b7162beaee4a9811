/* Ops of the reference that take elements by index (docs/host-ir.md#ops). */
#include <string.h>

#include "run/reference/reference-round.h"

typedef struct
{
  const HirExpr *expr;
  const HirRefTensor *in, *indices;
  gint64 strides[HIR_MAX_DIMS]; /* of the tensor that is indexed */
  guint dim;
} Indexing;

/* Reads index @k, and checks it. */
static gboolean
read_index (const Indexing *x, gint64 k, gint64 *index, GError **error)
{
  HirRefCell cell;

  hir_ref_tensor_get (x->indices, k, &cell);
  *index = cell.i;
  if (*index >= 0 && *index < x->in->sizes[x->dim])
    return TRUE;
  hir_set_error (error, HIR_ERROR_RUN, &x->expr->node.pos,
                 "%s: index %" G_GINT64_FORMAT " is out of range; axis %u of the operand has "
                 "%" G_GINT64_FORMAT " elements",
                 x->expr->u.opaque.name, *index, x->dim, x->in->sizes[x->dim]);
  return FALSE;
}

/* Returns the place in the indexed tensor that element @k of @like, at @index along the axis,
 * belongs to. */
static gint64
place_of (const Indexing *x, const HirRefTensor *like, gint64 k, gint64 index)
{
  gint64 place = index * x->strides[x->dim];

  for (guint i = like->n_dims; i-- > 0;)
    {
      gint64 at = k % like->sizes[i];

      k /= like->sizes[i];
      if (i != x->dim && x->in->sizes[i] > 1)
        place += at * x->strides[i];
    }
  return place;
}

static gboolean
put (HirRefTensor *out, gint64 at, const HirRefCell *cell, GError **error)
{
  return hir_ref_tensor_set (out, at, cell) || hir_ref_tensor_need_errors (out, error);
}

/* gather and index_select: one element of the operand for each element of the result. */
static gboolean
take (const Indexing *x, HirRefTensor *out, GError **error)
{
  gboolean selects = strcmp (x->expr->u.opaque.name, "index_select") == 0;
  gint64 inner = 1;

  for (guint i = x->dim + 1; i < out->n_dims; i++)
    inner *= out->sizes[i];
  if (selects ? x->indices->count != out->sizes[x->dim] : x->indices->count != out->count)
    return hir_ref_misfit (x->expr, error);
  for (gint64 k = 0; k < out->count; k++)
    {
      HirRefCell cell;
      gint64 index, place;

      if (!read_index (x, selects ? k / inner % out->sizes[x->dim] : k, &index, error))
        return FALSE;
      place = place_of (x, out, k, index);
      if (place >= x->in->count)
        return hir_ref_misfit (x->expr, error);
      hir_ref_tensor_get (x->in, place, &cell);
      if (!put (out, k, &cell, error))
        return FALSE;
    }
  out->is_copy = x->in->is_copy;
  return TRUE;
}

/* Reads element @k of @source, or the scalar. */
static gboolean
read_source (HirReference *ref, const Indexing *x, gint64 k, HirRefCell *cell, GError **error)
{
  const HirVal *val = x->expr->inputs[2];
  const HirRefTensor *source = hir_reference_lookup (ref, val);
  g_autoptr (HirValue) value = NULL;
  gint64 at = 0, stride = 1;

  if (HIR_IS_SCALAR (val))
    {
      value = hir_env_evaluate (ref->env, HIR_SCALAR (val), error);
      if (value == NULL)
        return FALSE;
      *cell = (HirRefCell){ .v = value->d, .i = value->i };
      if (!hir_dtype_is_floating_point (value->dtype))
        cell->v = (double) value->i;
      return TRUE;
    }
  if (source == NULL || source->n_dims != x->indices->n_dims)
    return hir_ref_misfit (x->expr, error);
  for (guint i = source->n_dims; i-- > 0; stride *= source->sizes[i])
    {
      if (k % x->indices->sizes[i] >= source->sizes[i])
        return hir_ref_misfit (x->expr, error);
      at += k % x->indices->sizes[i] * stride;
      k /= x->indices->sizes[i];
    }
  hir_ref_tensor_get (source, at, cell);
  return TRUE;
}

static gboolean
scatter (HirReference *ref, const Indexing *x, HirRefTensor *out, GError **error)
{
  HirRefRounding rounding;

  hir_ref_rounding_init (&rounding, hir_compute_class_for (&out->dtype, 1, out->dtype, FALSE),
                         out->dtype);
  if (x->in->count != out->count)
    return hir_ref_misfit (x->expr, error);
  for (gint64 k = 0; k < out->count; k++)
    {
      HirRefCell cell;

      hir_ref_tensor_get (x->in, k, &cell);
      if (!put (out, k, &cell, error))
        return FALSE;
    }
  for (gint64 k = 0; k < x->indices->count; k++)
    {
      HirRefCell cell;
      gint64 index, place;

      if (!read_index (x, k, &index, error) || !read_source (ref, x, k, &cell, error))
        return FALSE;
      place = place_of (x, x->indices, k, index);
      if (place >= out->count)
        return hir_ref_misfit (x->expr, error);
      if (HIR_IS_SCALAR (x->expr->inputs[2]))
        hir_ref_round (&rounding, &cell, -1, 0);
      if (!put (out, place, &cell, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
hir_ref_index (HirReference *ref, const HirExpr *expr, HirRefTensor *out, GError **error)
{
  Indexing x = { .expr = expr,
                 .in = hir_reference_lookup (ref, expr->inputs[0]),
                 .indices = hir_reference_lookup (ref, expr->inputs[1]),
                 .dim = expr->u.opaque.dim };

  if (x.in == NULL || x.indices == NULL || x.in->n_dims != out->n_dims || x.dim >= out->n_dims)
    return hir_ref_misfit (expr, error);
  hir_sizes_contiguous_strides (x.in->sizes, x.in->n_dims, x.strides);
  return strcmp (expr->u.opaque.name, "scatter") == 0 ? scatter (ref, &x, out, error)
                                                      : take (&x, out, error);
}
