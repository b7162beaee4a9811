/* Reductions, matmul and linear: ops with many terms per element. */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "run/reference/reference-private.h"
#include "run/values/odometer.h"

static void
combine (
    HirBinaryOp op, const HirRefCell *x, gboolean is_unsigned, HirRefCell *total, double *terms)
{
  guint64 a = (guint64) total->i, b = (guint64) x->i;
  gboolean greater = is_unsigned ? b > a : x->i > total->i;

  switch (op)
    {
    case HIR_BINARY_ADD:
      total->v += x->v;
      total->e += x->e;
      total->i = (gint64) (a + b);
      *terms += fabs (x->v);
      break;
    case HIR_BINARY_MUL:
      total->e = fabs (total->v) * x->e + fabs (x->v) * total->e + total->e * x->e;
      total->v *= x->v;
      total->i = (gint64) (a * b);
      *terms = fabs (total->v);
      break;
    default:
      total->e = fmax (total->e, x->e);
      if (isnan (x->v))
        total->v = x->v;
      else if (!isnan (total->v))
        total->v = op == HIR_BINARY_MAX ? fmax (total->v, x->v) : fmin (total->v, x->v);
      if ((op == HIR_BINARY_MAX) == greater && x->i != total->i)
        total->i = x->i;
      break;
    }
}

static HirRefCell
neutral (HirBinaryOp op, HirComputeClass klass)
{
  HirRefCell cell = { 0 };

  if (op == HIR_BINARY_MUL)
    {
      cell.v = 1;
      cell.i = 1;
    }
  else if (op != HIR_BINARY_ADD)
    {
      cell.v = op == HIR_BINARY_MAX ? -INFINITY : INFINITY;
      if (klass == HIR_CLASS_U64)
        cell.i = op == HIR_BINARY_MAX ? 0 : (gint64) G_MAXUINT64;
      else
        cell.i = op == HIR_BINARY_MAX ? G_MININT64 : G_MAXINT64;
    }
  return cell;
}

static void
finish_reduction (
    const HirRefRounding *rounding, HirBinaryOp op, gint64 k, double terms, HirRefCell *total)
{
  gboolean sums = op == HIR_BINARY_ADD || op == HIR_BINARY_MUL;

  if (hir_dtype_is_floating_point (rounding->out))
    hir_ref_round (rounding, total, sums ? (double) k : -1, terms);
  else
    {
      if (rounding->klass == HIR_CLASS_F32 || rounding->klass == HIR_CLASS_F64)
        total->i = hir_dtype_saturate (rounding->out, total->v);
      total->i = hir_dtype_wrap (rounding->out, total->i);
      total->e = total->e > 0 ? INFINITY : 0;
    }
}

gboolean
hir_ref_reduce (const HirExpr *expr,
                const HirRefTensor *in,
                const gboolean *reduced,
                HirRefTensor *out,
                GError **error)
{
  return hir_ref_reduce_by (expr, expr->u.reduction.op, in, reduced, out, error);
}

gboolean
hir_ref_reduce_by (const HirExpr *expr,
                   HirBinaryOp op,
                   const HirRefTensor *in,
                   const gboolean *reduced,
                   HirRefTensor *out,
                   GError **error)
{
  HirRefRounding rounding;
  gint64 strides[HIR_MAX_DIMS], kept_strides[HIR_MAX_DIMS], sizes[HIR_MAX_DIMS], own[HIR_MAX_DIMS];
  guint n_kept = 0, n_reduced = 0;
  gint64 k = 1;

  hir_ref_rounding_init (&rounding, hir_compute_class_for (&in->dtype, 1, out->dtype, FALSE),
                         out->dtype);
  if (out->in_parts)
    rounding.u_partial = rounding.u_out;
  hir_sizes_contiguous_strides (in->sizes, in->n_dims, strides);
  for (guint i = 0; i < in->n_dims; i++)
    if (reduced[i])
      {
        sizes[n_reduced] = in->sizes[i];
        own[n_reduced++] = strides[i];
        k *= in->sizes[i];
      }
    else
      kept_strides[n_kept++] = strides[i];
  if (n_kept != out->n_dims)
    return hir_ref_misfit (expr, error);
  for (gint64 at = 0; at < out->count; at++)
    {
      gint64 base = hir_odometer_locate (at, out->sizes, kept_strides, out->n_dims);
      HirRefCell total = neutral (op, rounding.klass);
      double terms = 0;

      for (gint64 r = 0; r < k; r++)
        {
          HirRefCell x;
          hir_ref_tensor_get (in, base + hir_odometer_locate (r, sizes, own, n_reduced), &x);
          hir_ref_enter (&rounding, in->dtype, &x);
          combine (op, &x, rounding.klass == HIR_CLASS_U64, &total, &terms);
        }
      finish_reduction (&rounding, op, k, terms, &total);
      if (!hir_ref_tensor_set (out, at, &total))
        return hir_ref_misfit (expr, error);
    }
  return TRUE;
}

/* A product of row-major matrices, [m, k] x [k, n]; B may be [n, k] (transposed). */
typedef struct
{
  const HirRefTensor *a, *b, *bias; /* bias: nullable, one per column */
  gint64 a_at, b_at, out_at, bias_at;
  gint64 m, n, k, out_row;
  gboolean b_transposed;
  HirRefTensor *out;
} Product;

static void
gemm (const Product *p, const double *a, const double *b, double scale, double *c)
{
  if (p->m > 0 && p->n > 0 && p->k > 0)
    cblas_dgemm (CblasRowMajor, CblasNoTrans, p->b_transposed ? CblasTrans : CblasNoTrans,
                 (blasint) p->m, (blasint) p->n, (blasint) p->k, 1, a, (blasint) p->k, b,
                 (blasint) (p->b_transposed ? p->k : p->n), scale, c, (blasint) p->n);
}

static double *
dup_magnitudes (const double *values, const double *errors, gint64 n)
{
  double *result = g_new (double, MAX (n, 1));

  for (gint64 i = 0; i < n; i++)
    result[i] = fabs (values[i]) + (errors != NULL ? errors[i] : 0);
  return result;
}

static gboolean
multiply_floats (const Product *p, const HirRefRounding *rounding)
{
  gint64 count = p->m * p->n;
  const double *a = p->a->values + p->a_at, *b = p->b->values + p->b_at;
  const double *ea = p->a->errors != NULL ? p->a->errors + p->a_at : NULL;
  const double *eb = p->b->errors != NULL ? p->b->errors + p->b_at : NULL;
  g_autofree double *values = g_new0 (double, MAX (count, 1));
  g_autofree double *terms = g_new0 (double, MAX (count, 1));
  g_autofree double *carried = g_new0 (double, MAX (count, 1));
  g_autofree double *a_size = dup_magnitudes (a, ea, p->m * p->k);
  g_autofree double *b_size = dup_magnitudes (b, NULL, p->k * p->n);

  gemm (p, a, b, 0, values);
  gemm (p, a_size, b_size, 0, terms); /* includes the error of A, which makes it only larger */
  if (eb != NULL)
    gemm (p, a_size, eb, 0, carried); /* (|a| + ea) eb */
  if (ea != NULL)
    gemm (p, ea, b_size, 1, carried); /* ea |b| */
  for (gint64 i = 0; i < count; i++)
    {
      HirRefCell cell = { values[i], carried[i], 0 };
      double k = (double) p->k;

      if (p->bias != NULL)
        {
          HirRefCell bias;
          hir_ref_tensor_get (p->bias, p->bias_at + i % p->n, &bias);
          cell.v += bias.v;
          cell.e += bias.e;
          terms[i] += fabs (bias.v);
          k++;
        }
      hir_ref_round (rounding, &cell, k, terms[i]);
      if (!hir_ref_tensor_set (p->out, p->out_at + i / p->n * p->out_row + i % p->n, &cell))
        return FALSE;
    }
  return TRUE;
}

static gboolean
multiply_ints (const Product *p)
{
  for (gint64 i = 0; i < p->m; i++)
    for (gint64 j = 0; j < p->n; j++)
      {
        HirRefCell cell = { 0 };
        guint64 sum = p->bias != NULL ? (guint64) p->bias->ints[p->bias_at + j] : 0;
        for (gint64 k = 0; k < p->k; k++)
          sum += (guint64) p->a->ints[p->a_at + i * p->k + k] *
                 (guint64) p->b->ints[p->b_at + (p->b_transposed ? j * p->k + k : k * p->n + j)];
        cell.i = hir_dtype_wrap (p->out->dtype, (gint64) sum);
        if (p->a->errors != NULL || p->b->errors != NULL)
          cell.e = INFINITY;
        if (!hir_ref_tensor_set (p->out, p->out_at + i * p->out_row + j, &cell))
          return FALSE;
      }
  return TRUE;
}

static gboolean
multiply (const HirExpr *expr, const Product *p, GError **error)
{
  HirDType types[3] = { p->a->dtype, p->b->dtype, p->bias != NULL ? p->bias->dtype : p->a->dtype };
  HirRefRounding rounding;
  gboolean is_float = p->a->values != NULL && p->b->values != NULL && p->out->values != NULL;

  hir_ref_rounding_init (&rounding, hir_compute_class_for (types, 3, p->out->dtype, FALSE),
                         p->out->dtype);
  if (p->out->in_parts)
    rounding.u_partial = rounding.u_out;
  if (!is_float && (p->a->ints == NULL || p->b->ints == NULL || p->out->ints == NULL))
    return hir_ref_misfit (expr, error);
  if (!(is_float ? multiply_floats (p, &rounding) : multiply_ints (p)))
    {
      hir_set_error (error, HIR_ERROR_LIMIT, NULL, "not enough memory to check %s",
                     hir_expr_get_op_name (expr));
      return FALSE;
    }
  return TRUE;
}

/* Computes the strides of the batch axes (all but the last @n_own), aligned with the output from
 * the right. */
static gboolean
batch_strides (
    const HirRefTensor *t, guint n_own, const gint64 *sizes, guint n_batch, gint64 *strides)
{
  gint64 all[HIR_MAX_DIMS];
  guint own = t->n_dims - MIN (n_own, t->n_dims);

  hir_sizes_contiguous_strides (t->sizes, t->n_dims, all);
  if (own > n_batch)
    return FALSE;
  for (guint i = 0; i < n_batch; i++)
    {
      guint from = i - (n_batch - own);
      strides[i] = 0;
      if (i < n_batch - own || t->sizes[from] == 1)
        continue;
      if (t->sizes[from] != sizes[i])
        return FALSE;
      strides[i] = all[from];
    }
  return TRUE;
}

gboolean
hir_ref_matmul (const HirExpr *expr,
                const HirRefTensor *a,
                const HirRefTensor *b,
                HirRefTensor *out,
                GError **error)
{
  Product p = { .a = a, .b = b, .out = out };
  guint a_own = MIN (a->n_dims, 2), b_own = MIN (b->n_dims, 2),
        out_own = (a_own == 2) + (b_own == 2);
  gint64 as[HIR_MAX_DIMS], bs[HIR_MAX_DIMS], batches = 1;

  if (a_own == 0 || b_own == 0 || out->n_dims < out_own)
    return hir_ref_misfit (expr, error);
  p.m = a_own == 2 ? a->sizes[a->n_dims - 2] : 1;
  p.k = a->sizes[a->n_dims - 1];
  p.n = b_own == 2 ? b->sizes[b->n_dims - 1] : 1;
  p.out_row = p.n;

  guint n_batch = out->n_dims - out_own;
  if (p.k != b->sizes[b->n_dims - b_own] || !batch_strides (a, a_own, out->sizes, n_batch, as) ||
      !batch_strides (b, b_own, out->sizes, n_batch, bs))
    return hir_ref_misfit (expr, error);
  for (guint i = 0; i < n_batch; i++)
    batches *= out->sizes[i];
  if (batches * p.m * p.n != out->count)
    return hir_ref_misfit (expr, error);
  for (gint64 batch = 0; batch < batches; batch++)
    {
      p.a_at = hir_odometer_locate (batch, out->sizes, as, n_batch);
      p.b_at = hir_odometer_locate (batch, out->sizes, bs, n_batch);
      p.out_at = batch * p.m * p.n;
      if (!multiply (expr, &p, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
hir_ref_linear (const HirExpr *expr,
                const HirRefTensor *in,
                const HirRefTensor *weight,
                const HirRefTensor *bias,
                HirRefTensor *out,
                GError **error)
{
  Product p = { .a = in, .b = weight, .bias = bias, .out = out, .b_transposed = TRUE };
  guint w_own = MIN (weight->n_dims, 2), n_batch = weight->n_dims - w_own;
  gint64 batches = 1;

  if (in->n_dims == 0 || w_own == 0)
    return hir_ref_misfit (expr, error);
  p.k = in->sizes[in->n_dims - 1];
  p.n = w_own == 2 ? weight->sizes[weight->n_dims - 2] : 1;
  p.m = 1;
  for (guint i = 0; i + 1 < in->n_dims; i++)
    p.m *= in->sizes[i];
  p.out_row = p.n;
  for (guint i = 0; i < n_batch; i++)
    batches *= weight->sizes[i];
  if (p.k != weight->sizes[weight->n_dims - 1] || batches * p.m * p.n != out->count ||
      (bias != NULL && bias->count != batches * p.n))
    return hir_ref_misfit (expr, error);
  for (gint64 batch = 0; batch < batches; batch++)
    {
      p.b_at = batch * p.n * p.k;
      p.out_at = batch * p.m * p.n;
      p.bias_at = batch * p.n;
      if (!multiply (expr, &p, error))
        return FALSE;
    }
  return TRUE;
}
