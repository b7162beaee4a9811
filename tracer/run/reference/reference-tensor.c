/* Tensors of the reference. */
#include <math.h>
#include <string.h>

#include "run/reference/reference-private.h"

HirRefTensor *
hir_ref_tensor_ref (HirRefTensor *tensor)
{
  g_atomic_ref_count_inc (&tensor->ref_count);
  return tensor;
}

void
hir_ref_tensor_unref (HirRefTensor *tensor)
{
  if (tensor == NULL || !g_atomic_ref_count_dec (&tensor->ref_count))
    return;
  g_free (tensor->values);
  g_free (tensor->ints);
  g_free (tensor->errors);
  g_free (tensor->norms);
  g_free (tensor);
}

HirRefTensor *
hir_ref_tensor_new_empty (HirDType dtype, guint n_dims, const gint64 *sizes)
{
  HirRefTensor *tensor = g_new0 (HirRefTensor, 1);

  g_atomic_ref_count_init (&tensor->ref_count);
  tensor->dtype = dtype;
  tensor->n_dims = n_dims;
  tensor->count = 1;
  tensor->n_distinct = INFINITY;
  for (guint i = 0; i < n_dims; i++)
    {
      tensor->sizes[i] = sizes[i];
      tensor->count *= sizes[i];
    }
  return tensor;
}

gboolean
hir_ref_tensor_allocate (HirRefTensor *tensor, GError **error)
{
  if (hir_dtype_is_floating_point (tensor->dtype))
    tensor->values = g_try_new0 (double, (gsize) MAX (tensor->count, 1));
  else
    tensor->ints = g_try_new0 (gint64, (gsize) MAX (tensor->count, 1));
  if (tensor->values == NULL && tensor->ints == NULL)
    hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                   "not enough memory to check the result; use smaller --input sizes");
  return tensor->values != NULL || tensor->ints != NULL;
}

HirRefTensor *
hir_ref_tensor_new (HirDType dtype, guint n_dims, const gint64 *sizes, GError **error)
{
  g_autoptr (HirRefTensor) tensor = hir_ref_tensor_new_empty (dtype, n_dims, sizes);

  return hir_ref_tensor_allocate (tensor, error) ? g_steal_pointer (&tensor) : NULL;
}

void
hir_ref_tensor_share_elements (HirRefTensor *tensor, const HirRefTensor *donor)
{
  tensor->values = donor->values;
  tensor->ints = donor->ints;
  tensor->errors = donor->errors;
  tensor->norms = donor->norms;
}

void
hir_ref_tensor_forget_elements (HirRefTensor *tensor)
{
  tensor->values = NULL;
  tensor->ints = NULL;
  tensor->errors = NULL;
  tensor->norms = NULL;
}

gboolean
hir_ref_tensor_need_errors (HirRefTensor *tensor, GError **error)
{
  gsize n = (gsize) MAX (tensor->count, 1);

  if (tensor->errors != NULL)
    return TRUE;
  tensor->norms = g_try_new0 (HirRefNorm, n);
  if (tensor->norms != NULL)
    tensor->errors = g_try_new0 (double, n);
  if (tensor->errors == NULL)
    {
      g_clear_pointer (&tensor->norms, g_free);
      hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                     "not enough memory to check the result; use smaller --input sizes");
    }
  return tensor->errors != NULL;
}

gboolean
hir_ref_tensor_copy (
    HirRefTensor *out, gint64 to, const HirRefTensor *in, gint64 from, gint64 n, GError **error)
{
  HirRefCell cell;

  if ((in->values == NULL) != (out->values == NULL))
    {
      for (gint64 i = 0; i < n; i++)
        {
          hir_ref_tensor_get (in, from + i, &cell);
          if (!hir_ref_tensor_set (out, to + i, &cell))
            return hir_ref_tensor_need_errors (out, error);
        }
      return TRUE;
    }
  if (in->errors != NULL && !hir_ref_tensor_need_errors (out, error))
    return FALSE;
  if (out->values != NULL)
    memcpy (out->values + to, in->values + from, (gsize) n * sizeof *out->values);
  else
    memcpy (out->ints + to, in->ints + from, (gsize) n * sizeof *out->ints);
  if (in->errors == NULL)
    return TRUE;
  memcpy (out->errors + to, in->errors + from, (gsize) n * sizeof *out->errors);
  memcpy (out->norms + to, in->norms + from, (gsize) n * sizeof *out->norms);
  return TRUE;
}

/* Fewer distinct elements share their errors. */
#define MIN_DISTINCT 8

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

double
hir_ref_sample_count_distinct (double *sample, guint n)
{
  guint n_kept = 0;
  double n_equal = 0, n_run = 0;

  for (guint i = 0; i < n; i++)
    if (sample[i] != 0 && isfinite (sample[i]))
      sample[n_kept++] = sample[i];
  qsort (sample, n_kept, sizeof *sample, compare_doubles);
  for (guint i = 1; i < n_kept; i++)
    {
      n_run = sample[i] == sample[i - 1] ? n_run + 1 : 0;
      n_equal += n_run;
    }
  return n_equal > 0 ? n_kept * (n_kept - 1.0) / 2 / n_equal : INFINITY;
}

double
hir_ref_count_distinct (const double *values, gint64 n, gint64 stride)
{
  double sample[HIR_REF_SAMPLE];
  gint64 step = MAX (n / HIR_REF_SAMPLE, 1) | 1; /* odd: it does not follow a power of two */
  guint n_sample = 0;

  for (gint64 i = 0; i < n && n_sample < HIR_REF_SAMPLE; i += step)
    sample[n_sample++] = values[i * stride];
  return hir_ref_sample_count_distinct (sample, n_sample);
}

static double
round_to_type (HirDType dtype, double value)
{
  guint64 element;

  hir_element_set_double (dtype, &element, value);
  return hir_element_get_double (dtype, &element);
}

/* Returns TRUE if all elements along axis @dim are equal, in a sample. */
static gboolean
repeats_along (const HirRefTensor *tensor, guint dim)
{
  gint64 strides[HIR_MAX_DIMS], step = MAX (tensor->count / 32, 1) | 1;
  guint n_compared = 0;

  if (tensor->sizes[dim] < 2)
    return FALSE;
  hir_sizes_contiguous_strides (tensor->sizes, tensor->n_dims, strides);
  for (gint64 at = 0; at < tensor->count; at += step)
    {
      gint64 first = at - at / strides[dim] % tensor->sizes[dim] * strides[dim];
      double a = tensor->values[first], b = tensor->values[first + strides[dim]];

      if (a != b)
        return FALSE;
      n_compared += a != 0;
    }
  return n_compared > 0;
}

double
hir_ref_tensor_count_distinct (const HirRefTensor *tensor)
{
  double sample[HIR_REF_SAMPLE];
  gint64 step = MAX (tensor->count / HIR_REF_SAMPLE, 1) | 1;
  guint n_sample = 0;

  for (gint64 i = 0; tensor->values != NULL && i < tensor->count && n_sample < HIR_REF_SAMPLE;
       i += step)
    sample[n_sample++] = round_to_type (tensor->dtype, tensor->values[i]);
  return hir_ref_sample_count_distinct (sample, n_sample);
}

void
hir_ref_tensor_share_repeated (HirRefTensor *tensor)
{
  gboolean repeats;

  if (tensor->norms == NULL || tensor->values == NULL)
    return;
  repeats = hir_ref_tensor_count_distinct (tensor) < MIN_DISTINCT;
  for (guint d = 0; d < tensor->n_dims && !repeats; d++)
    repeats = repeats_along (tensor, d);
  for (gint64 i = 0; repeats && i < tensor->count; i++)
    tensor->norms[i] = (HirRefNorm){ 0, tensor->norms[i].own + tensor->norms[i].shared };
}

gboolean
hir_ref_misfit (const HirExpr *expr, GError **error)
{
  hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                 "the sizes of the operands of T%d = %s do not match", expr->outputs[0]->name,
                 hir_expr_get_op_name (expr));
  return FALSE;
}
