/* Iteration over several strided tensors. */
#include "run/cpu/cpu-iter.h"

#include <string.h>

/* Sorts the axes by stride of the written operand, outermost first, so that rows are contiguous in
 * memory. */
static void
sort_axes (HirCpuIter *iter)
{
  for (guint i = 1; i < iter->n_dims; i++)
    for (guint j = i; j > 0 && iter->strides[0][j - 1] < iter->strides[0][j]; j--)
      {
        gint64 size = iter->sizes[j];
        iter->sizes[j] = iter->sizes[j - 1];
        iter->sizes[j - 1] = size;
        for (guint k = 0; k < iter->n_operands; k++)
          {
            gint64 stride = iter->strides[k][j];
            iter->strides[k][j] = iter->strides[k][j - 1];
            iter->strides[k][j - 1] = stride;
          }
      }
}

static gboolean
can_join (const HirCpuIter *iter, guint outer, guint inner)
{
  for (guint k = 0; k < iter->n_operands; k++)
    if (iter->strides[k][outer] != iter->strides[k][inner] * iter->sizes[inner])
      return FALSE;
  return TRUE;
}

static void
join_axes (HirCpuIter *iter)
{
  guint n_kept = 0;

  for (guint i = 1; i < iter->n_dims; i++)
    if (can_join (iter, n_kept, i))
      {
        iter->sizes[n_kept] *= iter->sizes[i];
        for (guint k = 0; k < iter->n_operands; k++)
          iter->strides[k][n_kept] = iter->strides[k][i];
      }
    else
      {
        n_kept++;
        iter->sizes[n_kept] = iter->sizes[i];
        for (guint k = 0; k < iter->n_operands; k++)
          iter->strides[k][n_kept] = iter->strides[k][i];
      }
  iter->n_dims = n_kept + 1;
}

gboolean
hir_cpu_iter_init (HirCpuIter *iter, const HirValue *const *operands, guint n)
{
  const HirValue *out = operands[0];

  g_assert (n >= 1 && n <= HIR_ITER_MAX_OPERANDS);
  memset (iter, 0, sizeof *iter);
  iter->n_operands = n;
  for (guint k = 0; k < n; k++)
    {
      if (operands[k]->n_dims != out->n_dims)
        return FALSE;
      iter->data[k] = hir_value_get_data (operands[k]);
      iter->element[k] = hir_dtype_get_size_bytes (operands[k]->dtype);
    }
  for (guint i = 0; i < out->n_dims; i++)
    {
      gint64 size = out->sizes[i];

      iter->is_empty |= size == 0;
      for (guint k = 0; k < n; k++)
        if (operands[k]->sizes[i] != size && operands[k]->sizes[i] != 1)
          return FALSE;
      if (size == 1)
        continue;
      for (guint k = 0; k < n; k++)
        iter->strides[k][iter->n_dims] = operands[k]->sizes[i] == 1 ? 0 : operands[k]->strides[i];
      iter->sizes[iter->n_dims++] = size;
    }
  if (iter->n_dims == 0)
    iter->sizes[iter->n_dims++] = 1;
  sort_axes (iter);
  join_axes (iter);
  return TRUE;
}

static gboolean
run_row (const HirCpuIter *iter,
         guint8 *const *row,
         gsize max_row,
         HirCpuIterBody body,
         gpointer user_data)
{
  guint inner = iter->n_dims - 1;
  gint64 strides[HIR_ITER_MAX_OPERANDS];
  guint8 *data[HIR_ITER_MAX_OPERANDS];

  for (guint k = 0; k < iter->n_operands; k++)
    {
      strides[k] = iter->strides[k][inner];
      data[k] = row[k];
    }
  for (gint64 done = 0; done < iter->sizes[inner];)
    {
      gsize n = MIN ((gsize) (iter->sizes[inner] - done), max_row);

      if (!body (data, strides, n, user_data))
        return FALSE;
      done += (gint64) n;
      for (guint k = 0; k < iter->n_operands; k++)
        data[k] += (gint64) n * strides[k] * (gint64) iter->element[k];
    }
  return TRUE;
}

gboolean
hir_cpu_iter_run (const HirCpuIter *iter, gsize max_row, HirCpuIterBody body, gpointer user_data)
{
  gint64 index[HIR_MAX_DIMS] = { 0 };
  guint8 *row[HIR_ITER_MAX_OPERANDS];
  guint outer = iter->n_dims - 1;

  if (iter->is_empty)
    return TRUE;
  memcpy (row, iter->data, sizeof row);
  for (;;)
    {
      guint d = outer;

      if (!run_row (iter, row, max_row, body, user_data))
        return FALSE;
      while (d > 0)
        {
          d--;
          for (guint k = 0; k < iter->n_operands; k++)
            row[k] += iter->strides[k][d] * (gint64) iter->element[k];
          if (++index[d] < iter->sizes[d])
            break;
          index[d] = 0;
          for (guint k = 0; k < iter->n_operands; k++)
            row[k] -= iter->sizes[d] * iter->strides[k][d] * (gint64) iter->element[k];
          if (d == 0)
            return TRUE;
        }
      if (outer == 0)
        return TRUE;
    }
}
