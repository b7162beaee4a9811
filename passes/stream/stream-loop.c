/* Steps 2 and 3 of StreamParallelType: fills the body of a loop with sliced ops. */
#include "stream/stream-private.h"

/* A device outside a tensor's mesh has no data to slice, and communicates without a buffer. */
static gboolean
has_data (const HirStreamPass *pass, const HirTensor *tensor)
{
  return tensor->mesh == NULL || hir_mesh_has (tensor->mesh, pass->context->rank);
}

/* Returns the slice of @tensor at the loop index. Emits its HirAliasSelect if the slice is new. */
static HirTensor *
get_slice (HirStreamSlicer *slicer, HirTensor *tensor, int axis, const HirExpr *reader)
{
  HirContainer *program = slicer->pass->program;
  gboolean is_new;
  HirTensor *slice =
      hir_stream_slice (program, slicer->slices, tensor, axis, slicer->index, reader, &is_new);

  if (is_new && has_data (slicer->pass, tensor))
    hir_stream_emit_select (program, slicer->body, tensor, slice, axis, slicer->index, reader);
  return slice;
}

static HirScalar **
dup_without (HirContainer *program, HirScalar *const *scalars, guint n, int position)
{
  HirScalar **kept = hir_arena_array0 (program->arena, HirScalar *, n);

  for (guint i = 0, k = 0; i < n; i++)
    {
      if ((int) i != position)
        kept[k++] = scalars[i];
    }
  return kept;
}

/* Returns the position not counting reductions, as attributes count axes. */
static int
count_kept_before (const HirDomain *domain, int position)
{
  int n = 0;

  for (int i = 0; i < position; i++)
    n += !hir_iter_domain_is_reduction (domain->ids[i]);
  return n;
}

/* Adapts attributes that refer to axes to the slice of the first operand, which lost axis
 * @position. */
static void
adapt_attributes (HirExpr *to, const HirExpr *from, int position)
{
  HirContainer *program = to->container;
  const HirTensor *whole = HIR_TENSOR (from->inputs[0]);
  const HirTensor *slice = HIR_TENSOR (to->inputs[0]);

  if (whole == slice)
    return;
  if (from->kind == HIR_EXPR_SLICE)
    {
      guint n = from->u.slice.n;
      int at = count_kept_before (&whole->logical, position);

      to->u.slice.start = dup_without (program, from->u.slice.start, n, at);
      to->u.slice.stop = dup_without (program, from->u.slice.stop, n, at);
      to->u.slice.step = dup_without (program, from->u.slice.step, n, at);
      to->u.slice.n = n - 1;
    }
  else if (from->kind == HIR_EXPR_SELECT)
    {
      int at = hir_domain_find (&whole->logical, from->u.select.axis);

      if (at >= 0 && at != position)
        to->u.select.axis = slice->logical.ids[at > position ? at - 1 : at];
    }
}

/* Finds the loop's axis in each operand of @expr and in its output. */
static gboolean
find_axes (HirStreamSlicer *slicer, const HirExpr *expr, int *positions, int *out, GError **error)
{
  HirStreamPass *pass = slicer->pass;
  const HirIterDomain *axis = slicer->item->axis;
  const HirTensor *result = HIR_TENSOR (expr->outputs[0]);

  for (guint i = 0; i < expr->n_inputs; i++)
    {
      positions[i] = -1;
      if (HIR_IS_TENSOR (expr->inputs[i]) &&
          !hir_stream_find_axis (pass, HIR_TENSOR (expr->inputs[i]), axis, &positions[i], error))
        return FALSE;
    }
  return hir_stream_find_axis (pass, result, axis, out, error) &&
         hir_stream_check_slicing (expr, result->logical.ids[*out], positions, error);
}

static void
rewrite_sliced (HirStreamSlicer *slicer, HirExpr *expr, const int *positions, int out_axis)
{
  HirContainer *program = slicer->pass->program;
  HirTensor *out = HIR_TENSOR (expr->outputs[0]);
  g_autofree HirVal **inputs = g_new (HirVal *, MAX (expr->n_inputs, 1));
  HirVal *output;
  HirExpr *rewritten;

  for (guint i = 0; i < expr->n_inputs; i++)
    inputs[i] =
        positions[i] < 0
            ? expr->inputs[i]
            : HIR_VAL (get_slice (slicer, HIR_TENSOR (expr->inputs[i]), positions[i], expr));
  output = HIR_VAL (get_slice (slicer, out, out_axis, expr));

  hir_maker_set_origin (program, &expr->node);
  rewritten = hir_expr_new (program, expr->kind, inputs, expr->n_inputs, &output, 1);
  rewritten->u = expr->u;
  if (expr->kind == HIR_EXPR_SLICE || expr->kind == HIR_EXPR_SELECT)
    adapt_attributes (rewritten, expr, positions[0]);
  hir_vec_push (program->arena, &slicer->body->exprs, rewritten);
}

/* Returns the first operand that is over devices along the axis to slice, or -1. Such a slice
 * belongs to another device. */
static int
find_sharded_operand (const HirExpr *expr, const int *positions)
{
  for (guint i = 0; i < expr->n_inputs; i++)
    {
      if (positions[i] >= 0 &&
          hir_iter_domain_is_device (HIR_TENSOR (expr->inputs[i])->logical.ids[positions[i]]))
        return (int) i;
    }
  return -1;
}

static gboolean
rewrite (HirStreamSlicer *slicer, HirExpr *expr, GError **error)
{
  g_autofree int *positions = g_new (int, MAX (expr->n_inputs, 1));
  int operand, out_axis;

  if (!find_axes (slicer, expr, positions, &out_axis, error))
    return FALSE;
  operand = find_sharded_operand (expr, positions);
  if (operand < 0)
    rewrite_sliced (slicer, expr, positions, out_axis);
  else if (!hir_stream_exchange (slicer, expr, (guint) operand, positions[operand], out_axis,
                                 error))
    return FALSE;
  /* No single op produces the whole tensor any more. */
  HIR_TENSOR (expr->outputs[0])->definition = NULL;
  return TRUE;
}

/* Results are written slice by slice, so the whole buffer is allocated before the loop. */
static void
allocate (HirContainer *program, HirTensor *tensor, HirVec *top)
{
  hir_maker_set_origin (program, &tensor->base.node);
  hir_vec_push (program->arena, top, hir_expr_new_allocate (program, tensor, HIR_MEMORY_GLOBAL));
}

gboolean
hir_stream_fill_loop (HirStreamPass *pass,
                      const HirStreamItem *item,
                      HirVec *top,
                      HirScope *body,
                      HirScalar *index,
                      GError **error)
{
  g_autoptr (GHashTable) slices = hir_stream_slices_new ();
  HirStreamSlicer slicer = { pass, item, body, index, slices };

  for (guint i = 0; i < item->exprs->len; i++)
    {
      HirTensor *result = HIR_TENSOR (((HirExpr *) item->exprs->pdata[i])->outputs[0]);

      if (has_data (pass, result))
        allocate (pass->program, result, top);
    }
  for (guint i = 0; i < item->exprs->len; i++)
    {
      if (hir_pass_context_is_cancelled (pass->context, i, error) ||
          !rewrite (&slicer, item->exprs->pdata[i], error))
        return FALSE;
    }
  return TRUE;
}
