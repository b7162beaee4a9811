/* Reductions, matmul and linear: ops with many terms per element. */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "run/reference/reference-round.h"
#include "run/values/odometer.h"

/* A reduction of some terms. */
typedef struct
{
  HirRefCell total;
  double terms;       /* sum of magnitudes; for products, the last partial product */
  double squares;     /* sum of the squares of the terms */
  double path;        /* sum of the squares of the partial sums or products */
  double own, shared; /* sum of squares of own norms; sum of shared norms; relative for products */
} Sum;

static void
add_term (Sum *sum, const HirRefCell *x)
{
  sum->total.v += x->v;
  sum->total.e += x->e;
  sum->terms += fabs (x->v);
  sum->squares += x->v * x->v;
  sum->path += sum->total.v * sum->total.v;
  sum->own += x->norm.own * x->norm.own;
  sum->shared += x->norm.shared;
}

static void
multiply_term (Sum *sum, const HirRefCell *x)
{
  HirRefCell *total = &sum->total;
  double size = fabs (x->v);

  total->e = fabs (total->v) * x->e + size * total->e + total->e * x->e;
  total->v *= x->v;
  sum->terms = fabs (total->v);
  if (x->e == 0)
    return;
  sum->own += size > 0 ? x->norm.own / size * (x->norm.own / size) : INFINITY;
  sum->shared += size > 0 ? x->norm.shared / size : INFINITY;
}

static void
choose_term (HirBinaryOp op, const HirRefCell *x, gboolean is_unsigned, Sum *sum)
{
  HirRefCell *total = &sum->total;
  gboolean greater = is_unsigned ? (guint64) x->i > (guint64) total->i : x->i > total->i;

  total->e = fmax (total->e, x->e);
  sum->shared = fmax (sum->shared, x->norm.own + x->norm.shared);
  if (isnan (x->v))
    total->v = x->v;
  else if (!isnan (total->v))
    total->v = op == HIR_BINARY_MAX ? fmax (total->v, x->v) : fmin (total->v, x->v);
  if ((op == HIR_BINARY_MAX) == greater && x->i != total->i)
    total->i = x->i;
}

static void
combine (HirBinaryOp op, const HirRefCell *x, gboolean is_unsigned, Sum *sum)
{
  guint64 a = (guint64) sum->total.i, b = (guint64) x->i;

  switch (op)
    {
    case HIR_BINARY_ADD:
      add_term (sum, x);
      sum->total.i = (gint64) (a + b);
      break;
    case HIR_BINARY_MUL:
      multiply_term (sum, x);
      sum->total.i = (gint64) (a * b);
      break;
    default:
      choose_term (op, x, is_unsigned, sum);
      break;
    }
}

HirRefCell
hir_ref_neutral (HirBinaryOp op, HirComputeClass klass)
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

/* Returns the root of the sum of the squares of the partial sums of @k terms, for any order: the
 * expected value in a random order. A given order may be worse; blocks and lanes are better. */
static double
expect_path (double k, double squares, double value)
{
  return sqrt ((k + 1) * (squares / 6 + value * value / 3));
}

static void
round_reduction (
    const HirRefRounding *rounding, HirBinaryOp op, gint64 k, double n_distinct, Sum *sum)
{
  HirRefCell *total = &sum->total;
  double n = (double) k, path = -1, scale = op == HIR_BINARY_MUL ? fabs (total->v) : 1;

  /* Equal terms have equal errors, apart from those that count as shared already. */
  total->norm.own = scale * sqrt (sum->own * fmax (n / n_distinct, 1));
  total->norm.shared = scale * sum->shared;
  if (op == HIR_BINARY_MUL && sum->own + sum->shared > 0 && total->v == 0)
    total->norm.own = total->e; /* relative errors say nothing */
  /* One term, or none, is not rounded. */
  if ((op != HIR_BINARY_ADD && op != HIR_BINARY_MUL) || (k <= 1 && rounding->keeps_type))
    {
      hir_ref_tighten (total);
      hir_ref_round (rounding, total, -1, 0);
      return;
    }
  if (op == HIR_BINARY_ADD && n_distinct >= HIR_REF_MIN_TERMS)
    path = fmax (sqrt (sum->path), expect_path (n, sum->squares, total->v));
  else if (op == HIR_BINARY_MUL && n_distinct >= HIR_REF_MIN_TERMS && n > 1)
    path = sqrt (n) * fabs (total->v);
  hir_ref_round_sum (rounding, total, n, sum->terms, path);
}

static void
finish_reduction (
    const HirRefRounding *rounding, HirBinaryOp op, gint64 k, double n_distinct, Sum *sum)
{
  HirRefCell *total = &sum->total;

  if (rounding->to_float)
    round_reduction (rounding, op, k, n_distinct, sum);
  else
    {
      if (rounding->klass == HIR_CLASS_F32 || rounding->klass == HIR_CLASS_F64)
        total->i = hir_dtype_saturate (rounding->out, total->v);
      total->i = hir_dtype_wrap (rounding->out, total->i);
      total->e = total->e > 0 ? INFINITY : 0;
      total->norm = (HirRefNorm){ 0, total->e };
    }
}

/* Returns the effective number of distinct terms, of @k, of the element at @base. */
static double
count_distinct_terms (const HirRefTensor *in,
                      gint64 base,
                      const gint64 *sizes,
                      const gint64 *strides,
                      guint n_dims,
                      gint64 k)
{
  double sample[HIR_REF_SAMPLE];
  gint64 step = MAX (k / HIR_REF_SAMPLE, 1) | 1;
  guint n = 0;

  for (gint64 r = 0; in->values != NULL && r < k && n < HIR_REF_SAMPLE; r += step)
    sample[n++] = in->values[base + hir_odometer_locate (r, sizes, strides, n_dims)];
  return hir_ref_sample_count_distinct (sample, n);
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

/* Results that are computed at once: adjacent ones often have adjacent terms. */
#define BLOCK 16

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
  rounding.n_extra = out->n_extra;
  rounding.keeps_type = in->dtype == out->dtype;
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
  for (gint64 at = 0; at < out->count; at += BLOCK)
    {
      gint64 base[BLOCK];
      Sum sums[BLOCK];
      guint n = (guint) MIN (out->count - at, BLOCK);
      HirRefWalk walk;

      for (guint i = 0; i < n; i++)
        {
          base[i] = hir_odometer_locate (at + i, out->sizes, kept_strides, out->n_dims);
          sums[i] = (Sum){ .total = hir_ref_neutral (op, rounding.klass) };
        }
      hir_ref_walk_init (&walk, n_reduced, sizes, 0);
      memcpy (walk.strides, own, n_reduced * sizeof *own);
      for (gint64 r = 0; r < k; r++, hir_ref_walk_next (&walk))
        for (guint i = 0; i < n; i++)
          {
            HirRefCell x;
            hir_ref_tensor_get (in, base[i] + walk.at, &x);
            hir_ref_enter (&rounding, in->dtype, &x);
            combine (op, &x, rounding.klass == HIR_CLASS_U64, &sums[i]);
          }
      for (guint i = 0; i < n; i++)
        {
          finish_reduction (&rounding, op, k,
                            count_distinct_terms (in, base[i], sizes, own, n_reduced, k), &sums[i]);
          if (!hir_ref_tensor_set (out, at + i, &sums[i].total))
            return hir_ref_misfit (expr, error);
        }
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

/* Adds the product with the first @n columns of B, @b, to @c times @scale. */
static void
gemm (const Product *p, gint64 n, const double *a, const double *b, double scale, double *c)
{
  if (p->m > 0 && n > 0 && p->k > 0)
    cblas_dgemm (CblasRowMajor, CblasNoTrans, p->b_transposed ? CblasTrans : CblasNoTrans,
                 (blasint) p->m, (blasint) n, (blasint) p->k, 1, a, (blasint) p->k, b,
                 (blasint) (p->b_transposed ? p->k : p->n), scale, c, (blasint) p->n);
}

/* What take_part() takes from an operand. */
typedef enum
{
  PART_SIZE,       /* |value| */
  PART_SIZE_BOUND, /* |value| + error */
  PART_SQUARE,     /* value^2 */
  PART_ERROR,
  PART_OWN_SQUARE, /* own norm^2 */
  PART_SHARED      /* shared norm */
} Part;

#define TAKE(X)                                                                                    \
  for (gint64 i = 0; i < n; i++)                                                                   \
    result[i] = (X);                                                                               \
  break;

static void
take_part (const HirRefTensor *tensor, gint64 at, gint64 n, Part part, double *result)
{
  const double *values = tensor->values + at;
  const double *errors = tensor->errors != NULL ? tensor->errors + at : NULL;
  const HirRefNorm *norms = tensor->norms != NULL ? tensor->norms + at : NULL;

  switch (part)
    {
    case PART_SIZE:
      TAKE (fabs (values[i]))
    case PART_SIZE_BOUND:
      TAKE (fabs (values[i]) + (errors != NULL ? errors[i] : 0))
    case PART_SQUARE:
      TAKE (values[i] * values[i])
    case PART_ERROR:
      TAKE (errors != NULL ? errors[i] : 0)
    case PART_OWN_SQUARE:
      TAKE (norms != NULL ? norms[i].own * norms[i].own : 0)
    case PART_SHARED:
      TAKE (norms != NULL ? norms[i].shared : 0)
    }
}

/* Elements of B taken at once, about: new memory for all of them would cost more than the product.
 */
#define BLOCK_ELEMENTS (1 << 21)

/* Adds the product of parts of both operands to @c. */
static void
add_product (const Product *p, Part of_a, Part of_b, double *c)
{
  gint64 block = p->b_transposed ? MAX (BLOCK_ELEMENTS / MAX (p->k, 1) / 64, 1) * 64 : p->n, n;
  g_autofree double *a = g_new (double, MAX (p->m * p->k, 1));
  g_autofree double *b = g_new (double, MAX (MIN (block, p->n) * p->k, 1));

  take_part (p->a, p->a_at, p->m * p->k, of_a, a);
  for (gint64 j = 0; j < p->n; j += n)
    {
      n = MIN (block, p->n - j);
      take_part (p->b, p->b_at + j * p->k, n * p->k, of_b, b);
      gemm (p, n, a, b, 1, c + j);
    }
}

/* Errors of an operand reach a whole row or column of the result. Where the elements of the other
 * operand have one sign, they are the same there: adds, for each of @n_rows rows (of A) or columns
 * (of B), the norm of the error that meets the mean of the other operand to @shared. */
static void
add_common (const HirRefTensor *tensor,
            gint64 at,
            gint64 n_rows,
            gint64 row_stride,
            gint64 k_stride,
            const double *mean,
            gint64 k,
            double *common)
{
  for (gint64 i = 0; i < n_rows; i++)
    {
      double sum = 0;

      for (gint64 r = 0; r < k; r++)
        {
          double own = tensor->norms[at + i * row_stride + r * k_stride].own * mean[r];
          sum += own * own;
        }
      common[i] = sqrt (sum);
    }
}

static double *
dup_mean (const double *values, gint64 n, gint64 stride, gint64 k, gint64 k_stride)
{
  double *mean = g_new0 (double, MAX (k, 1));

  for (gint64 r = 0; r < k; r++)
    {
      for (gint64 i = 0; i < n; i++)
        mean[r] += values[i * stride + r * k_stride];
      mean[r] /= (double) MAX (n, 1);
    }
  return mean;
}

/* The errors of the operands in the result. */
typedef struct
{
  double *worst, *own, *shared; /* elements: bound; square of the own norm; shared norm */
  double *rows, *columns;       /* what the elements of a row, or column, share */
} Carried;

static void
carried_clear (Carried *carried)
{
  g_free (carried->worst);
  g_free (carried->own);
  g_free (carried->shared);
  g_free (carried->rows);
  g_free (carried->columns);
}

static void
carry_product (const Product *p, Carried *carried)
{
  gsize count = (gsize) MAX (p->m * p->n, 1);
  gint64 b_row = p->b_transposed ? 1 : p->n, b_column = p->b_transposed ? p->k : 1;

  carried->worst = g_new0 (double, count);
  carried->own = g_new0 (double, count);
  carried->shared = g_new0 (double, count);
  carried->rows = g_new0 (double, (gsize) MAX (p->m, 1));
  carried->columns = g_new0 (double, (gsize) MAX (p->n, 1));
  if (p->b->errors != NULL)
    {
      g_autofree double *mean = dup_mean (p->a->values + p->a_at, p->m, p->k, p->k, 1);

      add_product (p, PART_SIZE_BOUND, PART_ERROR, carried->worst);
      add_product (p, PART_SQUARE, PART_OWN_SQUARE, carried->own);
      add_product (p, PART_SIZE, PART_SHARED, carried->shared);
      if (p->m > 1)
        add_common (p->b, p->b_at, p->n, b_column, b_row, mean, p->k, carried->columns);
    }
  if (p->a->errors != NULL)
    {
      g_autofree double *mean = dup_mean (p->b->values + p->b_at, p->n, b_column, p->k, b_row);

      add_product (p, PART_ERROR, PART_SIZE, carried->worst);
      add_product (p, PART_OWN_SQUARE, PART_SQUARE, carried->own);
      add_product (p, PART_SHARED, PART_SIZE, carried->shared);
      if (p->n > 1)
        add_common (p->a, p->a_at, p->m, p->k, 1, mean, p->k, carried->rows);
    }
}

/* Returns the effective number of distinct terms of a sum: of the operand that has more along k. */
static double
count_distinct_products (const Product *p)
{
  double n_rows = INFINITY, n_columns = INFINITY;
  gint64 b_row = p->b_transposed ? 1 : p->n, b_column = p->b_transposed ? p->k : 1;

  for (gint64 i = 0; i < MIN (p->m, 4); i++)
    n_rows = fmin (n_rows, hir_ref_count_distinct (p->a->values + p->a_at + i * p->k, p->k, 1));
  for (gint64 j = 0; j < MIN (p->n, 4); j++)
    n_columns = fmin (n_columns,
                      hir_ref_count_distinct (p->b->values + p->b_at + j * b_column, p->k, b_row));
  return fmax (n_rows, n_columns);
}

/* cuBLASLt may round the product to half or bfloat16 before it adds the bias. */
static void
add_bias (const Product *p,
          const HirRefRounding *rounding,
          gint64 column,
          HirRefCell *cell,
          double *terms,
          double *squares)
{
  HirRefCell bias;
  double fresh = rounding->u_out > rounding->u_acc ? rounding->u_out * fabs (cell->v) : 0;

  cell->e += fresh;
  cell->norm.own = hir_ref_hypot (cell->norm.own, HIR_REF_ROUNDING * fresh);

  hir_ref_tensor_get (p->bias, p->bias_at + column, &bias);
  cell->v += bias.v;
  cell->e += bias.e;
  cell->norm.shared += bias.norm.own + bias.norm.shared; /* the same in all rows */
  *terms += fabs (bias.v);
  *squares += bias.v * bias.v;
}

static gboolean
multiply_floats (const Product *p, const HirRefRounding *rounding)
{
  gint64 count = p->m * p->n;
  double n_distinct = count_distinct_products (p);
  gboolean repeats = n_distinct < HIR_REF_MIN_TERMS, needs_terms = repeats || p->k <= 32;
  gboolean has_errors = p->a->errors != NULL || p->b->errors != NULL, ok = TRUE;
  g_autofree double *values = g_new0 (double, MAX (count, 1));
  g_autofree double *terms = g_new0 (double, MAX (count, 1));
  g_autofree double *squares = g_new0 (double, MAX (count, 1));
  Carried carried = { 0 };

  gemm (p, p->n, p->a->values + p->a_at, p->b->values + p->b_at, 0, values);
  add_product (p, PART_SQUARE, PART_SQUARE, squares);
  if (needs_terms) /* else the norm gives the smaller bound */
    add_product (p, PART_SIZE, PART_SIZE, terms);
  if (has_errors)
    carry_product (p, &carried);
  for (gint64 i = 0; i < count && ok; i++)
    {
      HirRefCell cell = { .v = values[i] };
      double k = (double) p->k, sum = needs_terms ? terms[i] : INFINITY;

      if (has_errors)
        {
          cell.e = carried.worst[i];
          cell.norm.own = sqrt (carried.own[i] * fmax (k / n_distinct, 1));
          cell.norm.shared = carried.shared[i] + carried.rows[i / p->n] + carried.columns[i % p->n];
          if (needs_terms)
            sum += cell.e;
        }
      if (p->bias != NULL)
        {
          add_bias (p, rounding, i % p->n, &cell, &sum, &squares[i]);
          k++;
        }
      hir_ref_round_sum (rounding, &cell, k, sum,
                         repeats ? -1 : expect_path (k, squares[i], cell.v));
      ok = hir_ref_tensor_set (p->out, p->out_at + i / p->n * p->out_row + i % p->n, &cell);
    }
  carried_clear (&carried);
  return ok;
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
          {
            cell.e = INFINITY;
            cell.norm.shared = INFINITY;
          }
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
  rounding.n_extra = p->out->n_extra;
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
