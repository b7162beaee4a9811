/* Matrix products: floating point by OpenBLAS on the calling thread, integers by loops. */
#include <cblas.h>
#include <string.h>

#include "run/cpu/cpu-lanes.h"
#include "run/cpu/cpu-ops.h"
#include "run/values/odometer.h"

/* A matrix in a tensor; strides in elements. */
typedef struct
{
  guint8 *data;
  HirDType dtype;
  gint64 rows, cols, row_stride, col_stride;
} Matrix;

typedef struct
{
  HirComputeClass klass;
  HirDType lane_type;
  GPtrArray *scratch; /* freed after the call */
} Product;

static gpointer
scratch (Product *product, gint64 n, GError **error)
{
  gsize size = hir_compute_class_get_size_bytes (product->klass);
  gpointer memory = g_try_malloc0_n ((gsize) MAX (n, 1), size);

  if (memory == NULL)
    hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                   "not enough memory to copy a matrix of %" G_GINT64_FORMAT " elements", n);
  else
    g_ptr_array_add (product->scratch, memory);
  return memory;
}

static gboolean
is_rows (const Matrix *m)
{
  return (m->col_stride == 1 || m->cols <= 1) && m->row_stride >= MAX (m->cols, 1);
}

static gboolean
is_columns (const Matrix *m)
{
  return (m->row_stride == 1 || m->rows <= 1) && m->col_stride >= MAX (m->rows, 1);
}

static Matrix
transpose (const Matrix *m)
{
  return (Matrix){ m->data, m->dtype, m->cols, m->rows, m->col_stride, m->row_stride };
}

static void
convert (const Matrix *to, const Matrix *from, HirComputeClass klass)
{
  gdouble lanes[HIR_LANE_COUNT];
  Matrix columns_to = transpose (to), columns_from = transpose (from);

  if (to->row_stride < to->col_stride)
    {
      to = &columns_to;
      from = &columns_from;
    }

  gsize from_size = hir_dtype_get_size_bytes (from->dtype);
  gsize to_size = hir_dtype_get_size_bytes (to->dtype);
  for (gint64 r = 0; r < from->rows; r++)
    for (gint64 c = 0; c < from->cols; c += HIR_LANE_COUNT)
      {
        gsize n = (gsize) MIN (from->cols - c, HIR_LANE_COUNT);
        hir_lanes_load (klass, from->dtype,
                        from->data +
                            (r * from->row_stride + c * from->col_stride) * (gint64) from_size,
                        from->col_stride, n, lanes);
        hir_lanes_store (klass, to->dtype,
                         to->data + (r * to->row_stride + c * to->col_stride) * (gint64) to_size,
                         to->col_stride, n, lanes);
      }
}

/* Converts @m to the lane type in row-major order, or, if @columns_do, in column-major order if it
 * has this order. Does nothing if it has this form already. */
static gboolean
lay_out (Product *product, Matrix *m, gboolean columns_do, gboolean copy, GError **error)
{
  Matrix rows = { NULL, product->lane_type, m->rows, m->cols, MAX (m->cols, 1), 1 };

  if (m->dtype == product->lane_type && (is_rows (m) || (columns_do && is_columns (m))))
    return TRUE;
  if (columns_do && !is_rows (m) && is_columns (m))
    {
      rows.row_stride = 1;
      rows.col_stride = MAX (m->rows, 1);
    }
  rows.data = scratch (product, m->rows * m->cols, error);
  if (rows.data == NULL)
    return FALSE;
  if (copy)
    convert (&rows, m, product->klass);
  *m = rows;
  return TRUE;
}

static gboolean
fits_blas (const Matrix *m)
{
  return m->rows <= G_MAXINT32 && m->cols <= G_MAXINT32 && m->row_stride <= G_MAXINT32 &&
         m->col_stride <= G_MAXINT32;
}

static void
multiply_blas (
    const Product *product, const Matrix *a, const Matrix *b, const Matrix *c, gboolean add)
{
  CBLAS_TRANSPOSE ta = is_rows (a) ? CblasNoTrans : CblasTrans;
  CBLAS_TRANSPOSE tb = is_rows (b) ? CblasNoTrans : CblasTrans;
  blasint m = (blasint) c->rows, n = (blasint) c->cols, k = (blasint) a->cols;
  blasint lda = (blasint) (ta == CblasNoTrans ? a->row_stride : a->col_stride);
  blasint ldb = (blasint) (tb == CblasNoTrans ? b->row_stride : b->col_stride);
  blasint ldc = (blasint) c->row_stride;

  if (product->klass == HIR_CLASS_F32)
    cblas_sgemm (CblasRowMajor, ta, tb, m, n, k, 1, (const float *) a->data, lda,
                 (const float *) b->data, ldb, add ? 1 : 0, (float *) c->data, ldc);
  else
    cblas_dgemm (CblasRowMajor, ta, tb, m, n, k, 1, (const double *) a->data, lda,
                 (const double *) b->data, ldb, add ? 1 : 0, (double *) c->data, ldc);
}

/* Wraps like the stored type: the low bits of sums and products depend only on low bits. */
static void
multiply_ints (const Matrix *a, const Matrix *b, const Matrix *c, gboolean add)
{
  const guint64 *x = (const guint64 *) a->data, *y = (const guint64 *) b->data;
  guint64 *z = (guint64 *) c->data;

  for (gint64 i = 0; i < c->rows; i++)
    {
      guint64 *row = z + i * c->row_stride;
      if (!add)
        memset (row, 0, sizeof (guint64) * (gsize) c->cols);
      for (gint64 k = 0; k < a->cols; k++)
        {
          guint64 factor = x[i * a->row_stride + k * a->col_stride];
          for (gint64 j = 0; j < c->cols; j++)
            row[j] += factor * y[k * b->row_stride + j * b->col_stride];
        }
    }
}

/* Computes c = a b, or c = a b + bias (one row for all rows). */
static gboolean
multiply (Product *product, Matrix a, Matrix b, Matrix c, const Matrix *bias, GError **error)
{
  Matrix out;
  guint before = product->scratch->len;
  gboolean is_int = product->klass == HIR_CLASS_I64;

  if (c.rows == 0 || c.cols == 0)
    return TRUE;
  /* A single row may have any stride: use one that BLAS accepts. */
  if (a.rows == 1)
    a.row_stride = MAX (a.cols, 1);
  if (c.rows == 1)
    c.row_stride = c.cols;
  out = c;
  if (!lay_out (product, &a, TRUE, TRUE, error) || !lay_out (product, &b, TRUE, TRUE, error) ||
      !lay_out (product, &out, FALSE, FALSE, error))
    return FALSE;
  if (!is_int && !(fits_blas (&a) && fits_blas (&b) && fits_blas (&out)))
    {
      hir_set_error (error, HIR_ERROR_LIMIT, NULL, "a matrix has more than 2^31 rows or columns");
      return FALSE;
    }
  if (bias != NULL || a.cols == 0)
    {
      /* A row stride of 0 repeats the bias. Without terms to sum, the result is the bias, or
       * zero. */
      const Matrix zero = { (guint8 *) &(gint64){ 0 }, product->lane_type, c.rows, c.cols, 0, 0 };
      convert (&out, bias != NULL ? bias : &zero, product->klass);
    }
  if (a.cols > 0 && is_int)
    multiply_ints (&a, &b, &out, bias != NULL);
  else if (a.cols > 0)
    multiply_blas (product, &a, &b, &out, bias != NULL);
  if (out.data != c.data)
    convert (&c, &out, product->klass);
  g_ptr_array_set_size (product->scratch, (int) before);
  return TRUE;
}

static Matrix
matrix_at (const HirValue *tensor,
           gint64 offset,
           gint64 rows,
           gint64 cols,
           gint64 row_stride,
           gint64 col_stride)
{
  gint64 size = (gint64) hir_dtype_get_size_bytes (tensor->dtype);

  return (Matrix){ (guint8 *) hir_value_get_data (tensor) + offset * size,
                   tensor->dtype,
                   rows,
                   cols,
                   row_stride,
                   col_stride };
}

static void
product_init (Product *product, const HirOpCall *call)
{
  HirDType types[3];
  guint n = MIN (call->n_inputs, 3);

  for (guint i = 0; i < n; i++)
    types[i] = call->inputs[i]->dtype;
  product->klass = hir_compute_class_for (types, n, call->output->dtype, FALSE);
  if (product->klass == HIR_CLASS_U64)
    product->klass = HIR_CLASS_I64; /* the same bits */
  product->lane_type = product->klass == HIR_CLASS_F32   ? HIR_DTYPE_FLOAT
                       : product->klass == HIR_CLASS_F64 ? HIR_DTYPE_DOUBLE
                                                         : HIR_DTYPE_INT;
  product->scratch = g_ptr_array_new_with_free_func (g_free);
}

/* Computes the strides of the batch axes of @tensor (all but its last @n_own) for @n_batch axes of
 * the output, aligned from the right. Returns FALSE if the sizes do not match. */
static gboolean
batch_strides (
    const HirValue *tensor, guint n_own, const gint64 *sizes, guint n_batch, gint64 *strides)
{
  guint own = tensor->n_dims > n_own ? tensor->n_dims - n_own : 0;

  if (own > n_batch)
    return FALSE;
  for (guint i = 0; i < n_batch; i++)
    {
      guint skipped = n_batch - own;
      strides[i] = 0;
      if (i < skipped)
        continue;
      if (tensor->sizes[i - skipped] == sizes[i])
        strides[i] = tensor->strides[i - skipped];
      else if (tensor->sizes[i - skipped] != 1)
        return FALSE;
    }
  return TRUE;
}

gboolean
hir_cpu_matmul (const HirOpCall *call, GError **error)
{
  const HirValue *a = call->inputs[0], *b = call->inputs[1], *out = call->output;
  guint a_own = MIN (a->n_dims, 2), b_own = MIN (b->n_dims, 2);
  guint out_own = (a->n_dims >= 2) + (b->n_dims >= 2);
  gint64 index[HIR_MAX_DIMS] = { 0 }, as[HIR_MAX_DIMS], bs[HIR_MAX_DIMS];

  if (a->n_dims == 0 || b->n_dims == 0 || out->n_dims < out_own)
    return hir_cpu_fail (call, "the shapes do not match", error);

  guint n_batch = out->n_dims - out_own, ad = a->n_dims, bd = b->n_dims, od = out->n_dims;
  gint64 m = a_own == 2 ? a->sizes[ad - 2] : 1, k = a->sizes[ad - 1];
  gint64 n = b_own == 2 ? b->sizes[bd - 1] : 1;
  gint64 bk = b_own == 2 ? b->sizes[bd - 2] : b->sizes[0];
  gint64 out_m = a_own == 2 ? out->sizes[n_batch] : 1, out_n = b_own == 2 ? out->sizes[od - 1] : 1;

  if (k != bk || m != out_m || n != out_n || !batch_strides (a, a_own, out->sizes, n_batch, as) ||
      !batch_strides (b, b_own, out->sizes, n_batch, bs))
    return hir_cpu_fail (call, "the shapes do not match", error);
  if (hir_value_get_n_elements (out) == 0)
    return TRUE;

  Product product;
  gboolean ok = TRUE;
  product_init (&product, call);
  do
    {
      Matrix am = matrix_at (a, hir_odometer_offset (index, as, n_batch), m, k,
                             a_own == 2 ? a->strides[ad - 2] : k, a->strides[ad - 1]);
      Matrix bm =
          matrix_at (b, hir_odometer_offset (index, bs, n_batch), k, n,
                     b->strides[b_own == 2 ? bd - 2 : 0], b_own == 2 ? b->strides[bd - 1] : 1);
      Matrix cm =
          matrix_at (out, hir_odometer_offset (index, out->strides, n_batch), m, n,
                     a_own == 2 ? out->strides[n_batch] : n, b_own == 2 ? out->strides[od - 1] : 1);
      ok = multiply (&product, am, bm, cm, NULL, error);
    }
  while (ok && hir_odometer_next (index, out->sizes, n_batch));
  g_ptr_array_unref (product.scratch);
  return ok;
}

/* Returns TRUE and one stride if axes @first to @last (exclusive) can be merged in memory. */
static gboolean
joined_stride (const HirValue *tensor, guint first, guint last, gint64 *stride)
{
  gint64 expected = 0;
  gboolean found = FALSE;

  *stride = 0;
  for (guint i = last; i-- > first;)
    {
      if (tensor->sizes[i] == 1)
        continue;
      if (!found)
        *stride = tensor->strides[i];
      else if (tensor->strides[i] != expected)
        return FALSE;
      found = TRUE;
      expected = tensor->strides[i] * tensor->sizes[i];
    }
  return TRUE;
}

/* Applies one weight matrix [N, K] (or row [K]) to all rows of @in. */
static gboolean
apply_weight (Product *product,
              const HirValue *in,
              const Matrix *weight,
              const Matrix *bias,
              const HirValue *out,
              guint n_rows_axes,
              gboolean has_n,
              GError **error)
{
  guint last = in->n_dims - 1;
  gint64 in_stride, out_stride, rows = 1, index[HIR_MAX_DIMS] = { 0 };
  gboolean joined =
      joined_stride (in, 0, last, &in_stride) && joined_stride (out, 0, n_rows_axes, &out_stride);
  /* Without one stride for all rows, iterate over the outer axes and multiply along the last
   * one. */
  guint n_outer = joined || n_rows_axes == 0 ? 0 : n_rows_axes - 1;

  for (guint i = n_outer; i < n_rows_axes; i++)
    rows *= out->sizes[i];
  if (!joined)
    {
      in_stride = in->strides[n_rows_axes - 1];
      out_stride = out->strides[n_rows_axes - 1];
    }
  do
    {
      Matrix a = matrix_at (in, hir_odometer_offset (index, in->strides, n_outer), rows,
                            in->sizes[last], in_stride, in->strides[last]);
      Matrix c = matrix_at (out, hir_odometer_offset (index, out->strides, n_outer), rows,
                            weight->rows, out_stride, has_n ? out->strides[out->n_dims - 1] : 1);
      Matrix b = { weight->data, weight->dtype,      weight->cols,
                   weight->rows, weight->col_stride, weight->row_stride };
      Matrix repeated;
      if (bias != NULL)
        {
          repeated = *bias;
          repeated.rows = rows;
        }
      if (!multiply (product, a, b, c, bias != NULL ? &repeated : NULL, error))
        return FALSE;
    }
  while (hir_odometer_next (index, out->sizes, n_outer));
  return TRUE;
}

/* Axes before [N, K] of the weight (device axes of a sharded weight) also come first in the output.
 */
gboolean
hir_cpu_linear (const HirOpCall *call, GError **error)
{
  const HirValue *in = call->inputs[0], *w = call->inputs[1], *out = call->output;
  const HirValue *bias = call->n_inputs > 2 ? call->inputs[2] : NULL;
  gboolean has_n = w->n_dims >= 2;
  guint n_batch = w->n_dims > 2 ? w->n_dims - 2 : 0;
  guint n_rows_axes = in->n_dims > 0 ? in->n_dims - 1 : 0;
  gint64 index[HIR_MAX_DIMS] = { 0 }, bias_strides[HIR_MAX_DIMS];
  gboolean ok = in->n_dims > 0 && w->n_dims > 0 && out->n_dims == n_batch + n_rows_axes + has_n &&
                in->sizes[in->n_dims - 1] == w->sizes[w->n_dims - 1];

  for (guint i = 0; ok && i < n_batch; i++)
    ok = out->sizes[i] == w->sizes[i];
  for (guint i = 0; ok && i < n_rows_axes; i++)
    ok = out->sizes[n_batch + i] == in->sizes[i];
  gint64 n = has_n && ok ? w->sizes[w->n_dims - 2] : 1;
  ok = ok && (!has_n || out->sizes[out->n_dims - 1] == n);
  if (ok && bias != NULL)
    ok = batch_strides (bias, has_n, out->sizes, n_batch, bias_strides) &&
         (!has_n || (bias->n_dims > 0 && bias->sizes[bias->n_dims - 1] == n));
  if (!ok)
    return hir_cpu_fail (call, "the shapes do not match", error);
  if (hir_value_get_n_elements (out) == 0)
    return TRUE;

  Product product;
  product_init (&product, call);
  do
    {
      Matrix weight =
          matrix_at (w, hir_odometer_offset (index, w->strides, n_batch), n,
                     w->sizes[w->n_dims - 1], has_n ? w->strides[w->n_dims - 2] : w->sizes[0],
                     w->strides[w->n_dims - 1]);
      Matrix row;
      if (bias != NULL)
        row = matrix_at (bias, hir_odometer_offset (index, bias_strides, n_batch), 1, n, 0,
                         has_n ? bias->strides[bias->n_dims - 1] : 0);
      g_autoptr (HirValue) target = hir_value_ref (call->output);
      for (guint i = 0; i < n_batch; i++)
        {
          HirValue *inner = hir_value_select (target, 0, index[i]);
          hir_value_unref (target);
          target = inner;
        }
      ok = apply_weight (&product, in, &weight, bias != NULL ? &row : NULL, target, n_rows_axes,
                         has_n, error);
    }
  while (ok && hir_odometer_next (index, out->sizes, n_batch));
  g_ptr_array_unref (product.scratch);
  return ok;
}
