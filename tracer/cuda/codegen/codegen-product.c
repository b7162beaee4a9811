/* Generates matmul and linear if no library takes them, for example for integers or unusual
 * strides: one loop per element of the result. */
#include "cuda/codegen/codegen-private.h"

typedef struct
{
  HirGenIndex a, b;
  guint a_inner, b_inner; /* axes to sum over */
  gint64 n;               /* number of terms */
} Operands;

/* Aligns the batch axes of @value (all but its last @n_own axes) with those of the output from the
 * right. */
static void
align_batch (
    const HirValue *value, guint n_own, const HirGenIndex *index, guint n_batch, HirGenIndex *own)
{
  guint n = value->n_dims - n_own;

  own->n = value->n_dims;
  for (guint i = 0; i < n; i++)
    own->at[i] = value->sizes[i] == 1 || n > n_batch + i ? "0" : index->at[n_batch - n + i];
}

static const char *
at_axis (const HirValue *value, guint axis, const char *expr)
{
  return value->sizes[axis] == 1 ? "0" : expr;
}

static gboolean
place_matmul (const HirOpCall *call, const HirGenIndex *index, Operands *op)
{
  const HirValue *a = call->inputs[0], *b = call->inputs[1];
  guint a_own = MIN (a->n_dims, 2), b_own = MIN (b->n_dims, 2);
  guint out_own = (a->n_dims >= 2) + (b->n_dims >= 2);

  if (a_own == 0 || b_own == 0 || index->n < out_own)
    return FALSE;

  guint n_batch = index->n - out_own;

  if (a->n_dims - a_own > n_batch || b->n_dims - b_own > n_batch)
    return FALSE;
  align_batch (a, a_own, index, n_batch, &op->a);
  align_batch (b, b_own, index, n_batch, &op->b);
  op->a_inner = a->n_dims - 1;
  op->b_inner = b_own == 2 ? b->n_dims - 2 : 0;
  if (a_own == 2)
    op->a.at[a->n_dims - 2] = at_axis (a, a->n_dims - 2, index->at[n_batch]);
  if (b_own == 2)
    op->b.at[b->n_dims - 1] = at_axis (b, b->n_dims - 1, index->at[index->n - 1]);
  op->n = a->sizes[op->a_inner];
  return b->sizes[op->b_inner] == op->n;
}

/* The weight's axes before [N, K] come first in the output. */
static gboolean
place_linear (const HirOpCall *call, const HirGenIndex *index, Operands *op)
{
  const HirValue *in = call->inputs[0], *w = call->inputs[1];
  gboolean has_n = w->n_dims >= 2;
  guint n_batch = w->n_dims > 2 ? w->n_dims - 2 : 0;

  if (in->n_dims == 0 || w->n_dims == 0 || index->n != n_batch + in->n_dims - 1 + has_n)
    return FALSE;
  op->a.n = in->n_dims;
  for (guint i = 0; i + 1 < in->n_dims; i++)
    op->a.at[i] = at_axis (in, i, index->at[n_batch + i]);
  op->b.n = w->n_dims;
  for (guint i = 0; i < n_batch; i++)
    op->b.at[i] = at_axis (w, i, index->at[i]);
  if (has_n)
    op->b.at[n_batch] = at_axis (w, n_batch, index->at[index->n - 1]);
  op->a_inner = in->n_dims - 1;
  op->b_inner = w->n_dims - 1;
  op->n = in->sizes[op->a_inner];
  return w->sizes[op->b_inner] == op->n;
}

static char *
bias_text (HirGen *gen, guint number, const HirGenIndex *index, HirComputeClass klass)
{
  const HirOpCall *call = gen->unit->calls[number];
  const HirValue *bias = call->n_inputs > 2 ? call->inputs[2] : NULL;
  gboolean has_n = call->inputs[1]->n_dims >= 2;
  guint n_batch = call->inputs[1]->n_dims > 2 ? call->inputs[1]->n_dims - 2 : 0;
  HirGenIndex own;

  if (bias == NULL)
    return g_strdup ("0");
  if (has_n && bias->n_dims == 0)
    {
      gen->failed = TRUE;
      return g_strdup ("0");
    }
  align_batch (bias, has_n, index, n_batch, &own);
  if (has_n)
    own.at[bias->n_dims - 1] = at_axis (bias, bias->n_dims - 1, index->at[index->n - 1]);
  return g_strdup_printf ("(%s) %s", hir_gen_class_type (klass),
                          hir_gen_read (gen, number, 2, bias, &own));
}

const char *
hir_gen_product (HirGen *gen, guint number, const HirGenIndex *index)
{
  const HirOpCall *call = gen->unit->calls[number];
  HirDType types[3];
  guint n_types = MIN (call->n_inputs, 3);
  Operands op;
  gboolean ok = call->expr->kind == HIR_EXPR_MATMUL ? place_matmul (call, index, &op)
                                                    : place_linear (call, index, &op);

  if (!ok)
    {
      if (gen->error == NULL)
        hir_set_error (&gen->error, HIR_ERROR_RUN, &call->expr->node.pos,
                       "%s into T%d: the shapes do not match", hir_expr_get_op_name (call->expr),
                       call->expr->outputs[0]->name);
      gen->failed = TRUE;
      return "0";
    }
  for (guint i = 0; i < n_types; i++)
    types[i] = call->inputs[i]->dtype;

  HirComputeClass klass = hir_compute_class_for (types, n_types, call->output->dtype, FALSE);
  const char *type = hir_gen_class_type (klass);
  const char *sum = hir_gen_string (gen, "s%u", gen->n_variables);
  const char *k = hir_gen_string (gen, "k%u", gen->n_variables++);
  g_autofree char *start = bias_text (gen, number, index, klass);

  hir_gen_line (gen, "%s %s = %s;", type, sum, start);
  hir_gen_line (gen, "for (ix %s = 0; %s < %" G_GINT64_FORMAT "; %s++)", k, k, op.n, k);
  hir_gen_open (gen);
  guint mark = hir_gen_mark (gen);
  op.a.at[op.a_inner] = at_axis (call->inputs[0], op.a_inner, k);
  op.b.at[op.b_inner] = at_axis (call->inputs[1], op.b_inner, k);
  const char *x = hir_gen_read (gen, number, 0, call->inputs[0], &op.a);
  const char *y = hir_gen_read (gen, number, 1, call->inputs[1], &op.b);
  hir_gen_line (gen, "%s += (%s) %s * (%s) %s;", sum, type, x, type, y);
  hir_gen_forget (gen, mark);
  hir_gen_close (gen);
  gen->uses_index = TRUE;

  g_autofree char *text = hir_gen_from_class (klass, call->output->dtype, sum);
  return hir_gen_variable (gen, hir_gen_register_type (call->output->dtype), text);
}
