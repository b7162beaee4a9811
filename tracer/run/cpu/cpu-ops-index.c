/* Ops of the CPU back end that take elements by index: gather, take_along_axis, index_select and
 * scatter. */
#include "run/cpu/cpu-iter.h"
#include "run/cpu/cpu-ops.h"
#include "run/values/odometer.h"
#include "run/values/shard.h"

#include <string.h>

static gpointer
element_at (const HirValue *value, const gint64 *at)
{
  gint64 offset = hir_odometer_offset (at, value->strides, value->n_dims);

  return (guint8 *) hir_value_get_data (value) +
         offset * (gint64) hir_dtype_get_size_bytes (value->dtype);
}

/* Reads the index at @at and checks it against the operand's axis. */
static gboolean
read_index (const HirOpCall *call, const gint64 *at, gint64 *index, GError **error)
{
  const HirValue *in = call->inputs[0], *indices = call->inputs[1];
  guint dim = call->expr->u.opaque.dim;

  *index = hir_element_get_int (indices->dtype, element_at (indices, at));
  if (*index >= 0 && *index < in->sizes[dim])
    return TRUE;
  hir_set_error (error, HIR_ERROR_RUN, &call->expr->node.pos,
                 "%s: index %" G_GINT64_FORMAT " is out of range; axis %u of the operand has "
                 "%" G_GINT64_FORMAT " elements",
                 call->expr->u.opaque.name, *index, dim, in->sizes[dim]);
  return FALSE;
}

/* out[i][j] = in[index[i][j]][j], for an index along the first axis. Axes of size 1 are
 * broadcast. */
static gboolean
gather (const HirOpCall *call, GError **error)
{
  const HirValue *in = call->inputs[0], *out = call->output;
  gint64 at[HIR_MAX_DIMS] = { 0 }, from[HIR_MAX_DIMS], index;
  gsize size = hir_dtype_get_size_bytes (out->dtype);

  if (in->n_dims != out->n_dims || call->inputs[1]->n_dims != out->n_dims)
    return hir_cpu_fail (call, "the shapes do not match", error);
  if (hir_value_get_n_elements (out) == 0)
    return TRUE;
  do
    {
      if (!read_index (call, at, &index, error))
        return FALSE;
      for (guint i = 0; i < out->n_dims; i++)
        {
          from[i] = i == call->expr->u.opaque.dim ? index : in->sizes[i] == 1 ? 0 : at[i];
          if (from[i] >= in->sizes[i])
            return hir_cpu_fail (call, "the shapes do not match", error);
        }
      memcpy (element_at (out, at), element_at (in, from), size);
    }
  while (hir_odometer_next (at, out->sizes, out->n_dims));
  return TRUE;
}

/* Copies one slice of the operand per index. */
static gboolean
index_select (const HirOpCall *call, GError **error)
{
  const HirValue *indices = call->inputs[1];
  guint dim = call->expr->u.opaque.dim;
  gint64 at[HIR_MAX_DIMS] = { 0 }, index;

  if (indices->n_dims > 1 || call->inputs[0]->n_dims != call->output->n_dims ||
      hir_value_get_n_elements (indices) != call->output->sizes[dim])
    return hir_cpu_fail (call, "the shapes do not match", error);
  for (gint64 i = 0; i < call->output->sizes[dim]; i++)
    {
      g_autoptr (HirValue) from = NULL;
      g_autoptr (HirValue) to = NULL;

      at[0] = i;
      if (!read_index (call, at, &index, error))
        return FALSE;
      from = hir_value_slice (call->inputs[0], dim, index, 1, 1);
      to = hir_value_slice (call->output, dim, i, 1, 1);
      if (!hir_cpu_copy (to, from))
        return hir_cpu_fail (call, "the shapes do not match", error);
    }
  return TRUE;
}

/* A copy of the operand with out[index[i][j]][j] = source[i][j], in the order of the indices. */
static gboolean
scatter (const HirOpCall *call, GError **error)
{
  const HirValue *indices = call->inputs[1], *source = call->inputs[2], *out = call->output;
  gint64 at[HIR_MAX_DIMS] = { 0 }, to[HIR_MAX_DIMS], index;
  g_autoptr (HirValue) part = NULL;

  if (indices->n_dims != out->n_dims || (!source->is_scalar && source->n_dims != out->n_dims) ||
      !hir_cpu_copy (out, call->inputs[0]))
    return hir_cpu_fail (call, "the shapes do not match", error);
  if (hir_value_get_n_elements (indices) == 0)
    return TRUE;
  do
    {
      g_autoptr (HirValue) target = NULL;

      if (!read_index (call, at, &index, error))
        return FALSE;
      for (guint i = 0; i < out->n_dims; i++)
        {
          to[i] = i == call->expr->u.opaque.dim ? index : at[i];
          if (to[i] >= out->sizes[i] || (!source->is_scalar && at[i] >= source->sizes[i]))
            return hir_cpu_fail (call, "the shapes do not match", error);
        }
      if (!source->is_scalar)
        memcpy (element_at (out, to), element_at (source, at),
                hir_dtype_get_size_bytes (out->dtype));
      else if (hir_dtype_is_floating_point (out->dtype))
        hir_element_set_double (out->dtype, element_at (out, to),
                                hir_dtype_is_floating_point (source->dtype) ? source->d
                                                                            : (double) source->i);
      else
        hir_element_set_int (out->dtype, element_at (out, to), source->i);
    }
  while (hir_odometer_next (at, indices->sizes, indices->n_dims));
  return TRUE;
}

gboolean
hir_cpu_index (const HirOpCall *call, GError **error)
{
  const char *name = call->expr->u.opaque.name;

  if (hir_shard_is_sharded (HIR_TENSOR (call->expr->outputs[0])))
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, &call->expr->node.pos,
                     "%s into T%d, which is distributed over devices, is not supported yet", name,
                     call->expr->outputs[0]->name);
      return FALSE;
    }
  if (strcmp (name, "index_select") == 0)
    return index_select (call, error);
  return strcmp (name, "scatter") == 0 ? scatter (call, error) : gather (call, error);
}
