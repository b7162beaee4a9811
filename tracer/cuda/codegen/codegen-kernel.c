/* Decides which ops can form one kernel, and chooses its iteration space. */
#include <string.h>

#include "cuda/codegen/codegen-private.h"

/* Larger element numbers need 64 bits. The margin prevents an overflow when the stride of the grid
 * is added. */
#define NARROW_LIMIT ((gint64) G_MAXINT32 - (1 << 26))

void
hir_unit_part_free (HirUnitPart *part)
{
  g_free (part->name);
  g_free (part->source);
  g_clear_pointer (&part->args, g_array_unref);
  g_free (part);
}

gboolean
hir_gen_is_stored (const HirGenUnit *unit, guint call, guint to)
{
  const HirBuffer *buffer = unit->calls[call]->output->buffer;

  if (buffer->data != NULL)
    return TRUE;
  for (guint i = to; i < unit->n; i++)
    for (guint k = 0; k < unit->calls[i]->n_inputs; k++)
      if (!unit->calls[i]->inputs[k]->is_scalar && unit->calls[i]->inputs[k]->buffer == buffer)
        return TRUE;
  return FALSE;
}

static gboolean
is_product (const HirOpCall *call)
{
  return call->expr->kind == HIR_EXPR_MATMUL || call->expr->kind == HIR_EXPR_LINEAR;
}

/* Sorts the axes of @space by their stride in @walked, largest first. */
static void
order_space (HirGenSpace *space, const HirValue *walked)
{
  for (guint i = 0; i < space->n; i++)
    {
      guint k = i;

      for (; k > 0 && walked->strides[space->order[k - 1]] < walked->strides[i]; k--)
        space->order[k] = space->order[k - 1];
      space->order[k] = i;
    }
}

/* Returns FALSE unless all reductions have the same input shape and reduce the same axes. */
static gboolean
set_reduction_space (HirGen *gen)
{
  const HirOpCall *first = gen->unit->calls[g_array_index (gen->reductions, guint, 0)];
  const HirValue *in = first->inputs[0];

  if (in->n_dims != first->n_params)
    return FALSE;
  gen->space.n = in->n_dims;
  gen->outer.n = 0;
  for (guint i = 0; i < in->n_dims; i++)
    {
      gen->space.sizes[i] = in->sizes[i];
      gen->space.reduced[i] = first->params[i] != 0;
      if (!first->params[i])
        gen->outer.at[gen->outer.n++] = in->sizes[i] == 1 ? "0" : hir_gen_string (gen, "i%u", i);
    }
  if (gen->outer.n != first->output->n_dims)
    return FALSE;
  order_space (&gen->space, in);
  for (guint k = 1; k < gen->reductions->len; k++)
    {
      const HirOpCall *other = gen->unit->calls[g_array_index (gen->reductions, guint, k)];

      if (!hir_value_same_sizes (other->inputs[0], in) || other->n_params != first->n_params ||
          memcmp (other->params, first->params, sizeof (gint64) * first->n_params) != 0)
        return FALSE;
    }
  return TRUE;
}

static void
set_map_space (HirGen *gen, const HirValue *out)
{
  gen->space.n = out->n_dims;
  for (guint i = 0; i < out->n_dims; i++)
    {
      gen->space.sizes[i] = out->sizes[i];
      gen->space.reduced[i] = FALSE;
    }
  order_space (&gen->space, out);
}

/* Matches the axes of @out with those of the space (all axes if @full, otherwise the kept ones), in
 * order and without axes of size 1. Sets @index. Returns FALSE if they differ. */
static gboolean
match_store (HirGen *gen, const HirValue *out, gboolean full, HirGenIndex *index)
{
  const HirGenSpace *space = &gen->space;
  guint axis = 0;

  index->n = out->n_dims;
  for (guint d = 0; d < out->n_dims; d++)
    {
      index->at[d] = "0";
      if (out->sizes[d] == 1)
        continue;
      while (axis < space->n && (space->sizes[axis] == 1 || (!full && space->reduced[axis])))
        axis++;
      if (axis >= space->n || space->sizes[axis] != out->sizes[d])
        return FALSE;
      index->at[d] = hir_gen_string (gen, "i%u", axis++);
    }
  while (axis < space->n && (space->sizes[axis] == 1 || (!full && space->reduced[axis])))
    axis++;
  return axis == space->n;
}

static gboolean
collect_stores (HirGen *gen, GArray *stores)
{
  for (guint i = gen->from; i < gen->to; i++)
    {
      const HirOpCall *call = gen->unit->calls[i];
      HirGenStore store = { .call = i };

      if (!hir_gen_is_stored (gen->unit, i, gen->to))
        continue;
      if (stores->len == 0 && gen->reductions->len == 0)
        set_map_space (gen, call->output);
      /* A reduction has one result per kept element, even if all reduced axes have size 1. */
      store.is_full = call->expr->kind != HIR_EXPR_REDUCTION &&
                      match_store (gen, call->output, TRUE, &store.index);
      if (!store.is_full &&
          (gen->reductions->len == 0 || !match_store (gen, call->output, FALSE, &store.index)))
        return FALSE;
      g_array_append_val (stores, store);
    }
  return stores->len > 0;
}

static gboolean
collect_reductions (HirGen *gen)
{
  for (guint i = gen->from; i < gen->to; i++)
    {
      const HirOpCall *call = gen->unit->calls[i];

      if ((is_product (call) && gen->to - gen->from > 1) || call->split != NULL)
        return FALSE;
      if (call->expr->kind == HIR_EXPR_REDUCTION)
        g_array_append_val (gen->reductions, i);
    }
  return gen->reductions->len == 0 || set_reduction_space (gen);
}

/* Returns TRUE if the kernel would write memory that another argument accesses: the ops must then
 * run in order, in separate kernels. */
static gboolean
has_hazard (const HirGen *gen)
{
  for (guint i = 0; gen->to - gen->from > 1 && i < gen->args->len; i++)
    for (guint k = 0; k < gen->args->len; k++)
      {
        const HirKernelArg *a = &g_array_index (gen->args, HirKernelArg, i);
        const HirKernelArg *b = &g_array_index (gen->args, HirKernelArg, k);

        if (i != k && a->kind == HIR_ARG_OPERAND && b->kind == HIR_ARG_OPERAND &&
            g_array_index (gen->written, gboolean, i) &&
            hir_gen_get_operand (gen, a->call, a->operand)->buffer ==
                hir_gen_get_operand (gen, b->call, b->operand)->buffer)
          return TRUE;
      }
  return FALSE;
}

static gboolean
exceeds (const HirValue *value)
{
  gint64 last = 0;

  if (value == NULL || value->is_scalar)
    return FALSE;
  for (guint i = 0; i < value->n_dims; i++)
    last += (value->sizes[i] - 1) * value->strides[i];
  return last > NARROW_LIMIT || hir_value_get_n_elements (value) > NARROW_LIMIT;
}

static gboolean
needs_wide (const HirGen *gen)
{
  for (guint i = gen->from; i < gen->to; i++)
    {
      const HirOpCall *call = gen->unit->calls[i];

      if (exceeds (call->output))
        return TRUE;
      for (guint k = 0; k < call->n_inputs; k++)
        if (exceeds (call->inputs[k]))
          return TRUE;
    }
  return FALSE;
}

static void
gen_init (HirGen *gen, HirGenUnit *unit, guint from, guint to)
{
  memset (gen, 0, sizeof *gen);
  gen->unit = unit;
  gen->from = from;
  gen->to = to;
  gen->args = g_array_new (FALSE, TRUE, sizeof (HirKernelArg));
  gen->written = g_array_new (FALSE, TRUE, sizeof (gboolean));
  gen->body = g_string_new (NULL);
  gen->strings = g_string_chunk_new (4096);
  gen->memo = g_ptr_array_new ();
  gen->reductions = g_array_new (FALSE, FALSE, sizeof (guint));
  gen->vector = 1;
}

static void
gen_clear (HirGen *gen)
{
  g_clear_pointer (&gen->args, g_array_unref);
  g_array_unref (gen->written);
  g_string_free (gen->body, TRUE);
  g_string_chunk_free (gen->strings);
  g_ptr_array_unref (gen->memo);
  g_array_unref (gen->reductions);
}

/* Returns NULL if the calls cannot be one kernel in this stage. */
static HirUnitPart *
make_part (HirGen *gen, const GArray *stores, const char *name)
{
  HirUnitPart *part = g_new0 (HirUnitPart, 1);

  part->name = g_strdup (name);
  if (!gen->failed)
    part->source = gen->reductions->len > 0 ? hir_gen_write_reductions (gen, stores, part)
                                            : hir_gen_write_map (gen, stores, part);
  part->args = g_array_ref (gen->args);
  part->vector = gen->vector;
  gen->failed |= gen->error != NULL || has_hazard (gen);
  if (!gen->failed)
    return part;
  hir_unit_part_free (part);
  return NULL;
}

static gboolean
has_full (const GArray *stores)
{
  for (guint i = 0; i < stores->len; i++)
    if (g_array_index (stores, HirGenStore, i).is_full)
      return TRUE;
  return FALSE;
}

static void
gen_prepare (HirGen *gen, HirGenUnit *unit, guint from, guint to, GArray *stores)
{
  gen_init (gen, unit, from, to);
  gen->failed = !collect_reductions (gen) || !collect_stores (gen, stores);
  gen->wide = needs_wide (gen);
}

/* Returns the kernel that reduces pieces, which runs before that of @gen. Sets gen->failed if a
 * split is impossible: a result is stored for each element of the space, or a reduction needs the
 * result of another one. */
static HirUnitPart *
make_pieces (HirGen *gen, const GArray *stores, const char *name)
{
  g_autofree char *own_name = g_strconcat (name, "_pieces", NULL);
  g_autoptr (GArray) own_stores = g_array_new (FALSE, FALSE, sizeof (HirGenStore));
  GArray *scratch = gen->unit->code->scratch;
  guint first = scratch->len;
  HirUnitPart *part = NULL;
  HirGen pieces;

  gen->failed |= has_full (stores);
  if (gen->failed)
    return NULL;
  gen->stage = HIR_GEN_REST;
  gen->split.scratch = first;
  for (guint i = 0; i < gen->reductions->len; i++)
    {
      gsize bytes =
          hir_gen_get_pieces_bytes (gen, g_array_index (gen->reductions, guint, i), &gen->split);

      g_array_append_val (scratch, bytes);
    }
  gen_prepare (&pieces, gen->unit, gen->from, gen->to, own_stores);
  pieces.stage = HIR_GEN_PIECES;
  pieces.split = gen->split;
  part = make_part (&pieces, own_stores, own_name);
  if (pieces.error != NULL)
    gen->error = pieces.error;
  gen_clear (&pieces);
  gen->failed |= part == NULL;
  /* Free the scratch indices again, unless later ones are in use. */
  if (part == NULL && scratch->len == first + gen->reductions->len)
    g_array_set_size (scratch, first);
  return part;
}

HirUnitPart *
hir_gen_kernel (
    HirGenUnit *unit, guint from, guint to, const char *name, HirUnitPart **before, GError **error)
{
  g_autoptr (GArray) stores = g_array_new (FALSE, FALSE, sizeof (HirGenStore));
  HirUnitPart *part = NULL;
  HirGen gen;

  *before = NULL;
  gen_prepare (&gen, unit, from, to, stores);
  if (!gen.failed && gen.reductions->len > 0 && hir_gen_choose_split (&gen, &gen.split))
    *before = make_pieces (&gen, stores, name);
  if (!gen.failed)
    part = make_part (&gen, stores, name);
  if (part == NULL)
    g_clear_pointer (before, hir_unit_part_free);
  if (gen.error != NULL)
    g_propagate_error (error, gen.error);
  gen_clear (&gen);
  return part;
}
