#include "cuda/backend/matmul-shape.h"

#include <string.h>

/* Aligns the batch axes of @tensor (all but its last @n_own axes) with those of the output from the
 * right. Sets @strides, 0 for broadcast axes. Returns FALSE if a size does not match. */
static gboolean
align_batch (const HirValue *tensor, guint n_own, const HirProduct *product, gint64 *strides)
{
  guint own = tensor->n_dims - n_own;

  if (own > product->n_batch)
    return FALSE;
  for (guint i = 0; i < product->n_batch; i++)
    {
      guint skipped = product->n_batch - own;

      strides[i] = 0;
      if (i < skipped)
        continue;
      if (tensor->sizes[i - skipped] == product->batch[i])
        strides[i] = tensor->strides[i - skipped];
      else if (tensor->sizes[i - skipped] != 1)
        return FALSE;
    }
  return TRUE;
}

static gboolean
init_matmul (HirProduct *p, const HirOpCall *call)
{
  const HirValue *a = call->inputs[0], *b = call->inputs[1], *out = call->output;
  guint a_own = MIN (a->n_dims, 2), b_own = MIN (b->n_dims, 2), ad = a->n_dims, bd = b->n_dims;
  guint own = (ad >= 2) + (bd >= 2);

  if (ad == 0 || bd == 0 || out->n_dims < own)
    return FALSE;
  p->n_batch = out->n_dims - own;
  for (guint i = 0; i < p->n_batch; i++)
    {
      p->batch[i] = out->sizes[i];
      p->c.batch[i] = out->strides[i];
    }
  p->k = a->sizes[ad - 1];
  p->m = a_own == 2 ? a->sizes[ad - 2] : 1;
  p->n = b_own == 2 ? b->sizes[bd - 1] : 1;
  p->a.row = a_own == 2 ? a->strides[ad - 2] : 0;
  p->a.column = a->strides[ad - 1];
  p->b.row = b->strides[b_own == 2 ? bd - 2 : 0];
  p->b.column = b_own == 2 ? b->strides[bd - 1] : 0;
  p->c.row = a_own == 2 ? out->strides[p->n_batch] : 0;
  p->c.column = b_own == 2 ? out->strides[out->n_dims - 1] : 0;
  return b->sizes[b_own == 2 ? bd - 2 : 0] == p->k &&
         (a_own == 1 || out->sizes[p->n_batch] == p->m) &&
         (b_own == 1 || out->sizes[out->n_dims - 1] == p->n) &&
         align_batch (a, a_own, p, p->a.batch) && align_batch (b, b_own, p, p->b.batch);
}

/* The weight's axes before [N, K] come first in the output. The input's rows start as batch axes;
 * simplify() turns them into rows. */
static gboolean
init_linear (HirProduct *p, const HirOpCall *call)
{
  const HirValue *in = call->inputs[0], *w = call->inputs[1], *out = call->output;
  const HirValue *bias = call->n_inputs > 2 ? call->inputs[2] : NULL;
  gboolean has_n = w->n_dims >= 2;
  guint n_weight = w->n_dims > 2 ? w->n_dims - 2 : 0, n_rows = in->n_dims - 1;

  if (in->n_dims == 0 || w->n_dims == 0 || out->n_dims != n_weight + n_rows + has_n)
    return FALSE;
  p->n_batch = n_weight + n_rows;
  for (guint i = 0; i < p->n_batch; i++)
    {
      gboolean is_weight = i < n_weight;

      p->batch[i] = out->sizes[i];
      p->c.batch[i] = out->strides[i];
      p->a.batch[i] = is_weight ? 0 : in->strides[i - n_weight];
      p->b.batch[i] = is_weight ? w->strides[i] : 0;
      if (out->sizes[i] != (is_weight ? w->sizes[i] : in->sizes[i - n_weight]))
        return FALSE;
    }
  p->m = 1;
  p->k = in->sizes[n_rows];
  p->n = has_n ? w->sizes[n_weight] : 1;
  p->a.column = in->strides[n_rows];
  p->b.row = w->strides[w->n_dims - 1];
  p->b.column = has_n ? w->strides[n_weight] : 0;
  p->c.column = has_n ? out->strides[out->n_dims - 1] : 0;
  if (w->sizes[w->n_dims - 1] != p->k || (has_n && out->sizes[out->n_dims - 1] != p->n))
    return FALSE;
  if (bias == NULL)
    return TRUE;

  HirProduct weight_axes = *p;
  weight_axes.n_batch = n_weight;
  p->has_bias = TRUE;
  if (has_n && (bias->n_dims == 0 || bias->sizes[bias->n_dims - 1] != p->n))
    return FALSE;
  p->bias_stride = has_n ? bias->strides[bias->n_dims - 1] : 0;
  return align_batch (bias, has_n, &weight_axes, p->bias_batch);
}

static void
remove_batch (HirProduct *p, guint i)
{
  p->n_batch--;
  for (; i < p->n_batch; i++)
    {
      p->batch[i] = p->batch[i + 1];
      p->a.batch[i] = p->a.batch[i + 1];
      p->b.batch[i] = p->b.batch[i + 1];
      p->c.batch[i] = p->c.batch[i + 1];
      p->bias_batch[i] = p->bias_batch[i + 1];
    }
}

/* Turns the last batch axis into rows if the rows of its matrices have one common stride and share
 * B and the bias. */
static gboolean
fold_into_rows (HirProduct *p)
{
  guint i = p->n_batch - 1;

  if (p->b.batch[i] != 0 || p->bias_batch[i] != 0)
    return FALSE;
  if (p->m == 1)
    {
      p->a.row = p->a.batch[i];
      p->c.row = p->c.batch[i];
    }
  else if (p->a.batch[i] != p->m * p->a.row || p->c.batch[i] != p->m * p->c.row)
    return FALSE;
  p->m *= p->batch[i];
  remove_batch (p, i);
  return TRUE;
}

static gboolean
can_join (const HirProduct *p, guint i)
{
  gint64 size = p->batch[i + 1];

  return p->a.batch[i] == size * p->a.batch[i + 1] && p->b.batch[i] == size * p->b.batch[i + 1] &&
         p->c.batch[i] == size * p->c.batch[i + 1] &&
         p->bias_batch[i] == size * p->bias_batch[i + 1];
}

static void
simplify (HirProduct *p)
{
  for (guint i = p->n_batch; i-- > 0;)
    if (p->batch[i] == 1)
      remove_batch (p, i);
  while (p->n_batch > 0 && fold_into_rows (p))
    ;
  for (guint i = p->n_batch; i-- > 1;)
    if (can_join (p, i - 1))
      {
        p->batch[i] *= p->batch[i - 1];
        remove_batch (p, i - 1);
      }
}

gboolean
hir_product_init (HirProduct *product, const HirOpCall *call)
{
  gboolean ok;

  memset (product, 0, sizeof *product);
  ok = call->expr->kind == HIR_EXPR_MATMUL ? init_matmul (product, call)
                                           : init_linear (product, call);
  if (ok)
    simplify (product);
  return ok;
}
