/* Generates kernels with reductions. If few elements are kept and many are reduced, only a few
 * blocks would work; the reduction is then split. The first kernel reduces pieces and stores one
 * value per piece and kept element in scratch memory. The second kernel reduces these values,
 * always in the same order, and computes the consumers. */
#include "cuda/codegen/codegen-private.h"

/* Threads of a block: @x kept elements in parallel, @y threads per kept element. */
typedef struct
{
  guint x, y;
} Layout;

static guint
power_of_two_above (gint64 n, guint most)
{
  guint p = 1;

  while (p < most && (gint64) p < n)
    p *= 2;
  return p;
}

/* Adjacent threads access adjacent memory: along the @inner reduced elements if the fastest axis is
 * a reduced one, otherwise along the kept elements. */
static Layout
choose_layout (const HirGen *gen, guint threads, gint64 kept, gint64 inner)
{
  const HirGenSpace *space = &gen->space;
  guint fastest = 0;
  Layout layout;

  for (guint k = 0; k < space->n; k++)
    if (space->sizes[space->order[k]] > 1)
      fastest = space->order[k];
  if (space->n > 0 && space->reduced[fastest])
    layout.y = power_of_two_above (inner, threads);
  else
    {
      guint x = power_of_two_above (kept, MIN (32, threads));

      layout.y = power_of_two_above (inner, threads / x);
    }
  layout.x = threads / layout.y;
  return layout;
}

static HirComputeClass
class_of (const HirOpCall *call)
{
  return hir_compute_class_for (&call->inputs[0]->dtype, 1, call->output->dtype, FALSE);
}

/* Emits a tree reduction over the threads of a kept element. All of them receive the result. */
static void
write_tree (HirGen *gen, guint number, HirComputeClass klass, Layout layout)
{
  HirBinaryOp op = gen->unit->calls[number]->expr->u.reduction.op;
  const char *memory = hir_gen_string (gen, "sm_%s", hir_gen_class_name (klass));
  const char *mine = hir_gen_string (gen, "%s[HIR_TID]", memory);
  const char *other = hir_gen_string (gen, "%s[HIR_TID + s * %u]", memory, layout.x);
  g_autofree char *text = hir_gen_combine (klass, op, mine, other);

  if (layout.y == 1)
    return;
  hir_gen_line (gen, "%s = a%u;", mine, number);
  hir_gen_line (gen, "HIR_SYNC ();");
  hir_gen_line (gen, "for (int s = %u; s > 0; s /= 2)", layout.y / 2);
  hir_gen_open (gen);
  hir_gen_line (gen, "if (y < s)");
  hir_gen_line (gen, "  %s = %s;", mine, text);
  hir_gen_line (gen, "HIR_SYNC ();");
  hir_gen_close (gen);
  hir_gen_line (gen, "a%u = %s[x];", number, memory);
  hir_gen_line (gen, "HIR_SYNC ();");
}

/* Returns the number of values to reduce per kept element in this stage: all elements, one piece,
 * or the results of the pieces. */
static gint64
count_inner (const HirGen *gen)
{
  gint64 inner = hir_gen_space_count (&gen->space, TRUE, FALSE);

  switch (gen->stage)
    {
    case HIR_GEN_PIECES:
      return gen->split.length;
    case HIR_GEN_REST:
      return gen->split.n;
    default:
      return inner;
    }
}

static void
open_inner (HirGen *gen, Layout layout)
{
  gint64 inner = hir_gen_space_count (&gen->space, TRUE, FALSE);

  if (gen->stage == HIR_GEN_PIECES)
    {
      hir_gen_line (gen,
                    "const ix end = (c + 1) * %" G_GINT64_FORMAT " < %" G_GINT64_FORMAT
                    " ? (c + 1) * %" G_GINT64_FORMAT " : %" G_GINT64_FORMAT ";",
                    gen->split.length, inner, gen->split.length, inner);
      hir_gen_line (gen, "for (ix n = c * %" G_GINT64_FORMAT " + y; n < end; n += %u)",
                    gen->split.length, layout.y);
    }
  else
    hir_gen_line (gen, "for (ix n = y; n < %" G_GINT64_FORMAT "; n += %u)", count_inner (gen),
                  layout.y);
  hir_gen_open (gen);
  if (gen->stage != HIR_GEN_REST)
    hir_gen_decode (gen, TRUE, FALSE, "n");
}

static const char *
piece_address (HirGen *gen, guint k, gboolean is_written)
{
  guint number = g_array_index (gen->reductions, guint, k);

  return hir_gen_piece_address (gen, number, gen->split.scratch + k, is_written);
}

/* Emits the @k-th reduction: first the share of each thread, then the total, in variable a%u. */
static void
write_total (HirGen *gen, guint k, Layout layout)
{
  guint number = g_array_index (gen->reductions, guint, k), mark = hir_gen_mark (gen);
  const HirOpCall *call = gen->unit->calls[number];
  HirBinaryOp op = call->expr->u.reduction.op;
  HirComputeClass klass = class_of (call);
  gint64 kept = hir_gen_space_count (&gen->space, FALSE, FALSE);
  const char *total = hir_gen_string (gen, "a%u", number), *name;
  g_autofree char *element = NULL;
  g_autofree char *sum = NULL;
  HirGenIndex index;

  hir_gen_line (gen, "%s %s = %s;", hir_gen_class_type (klass), total, hir_gen_neutral (klass, op));
  if (hir_gen_space_count (&gen->space, TRUE, FALSE) > 0)
    {
      /* A separate scope, because the loops of all reductions declare the same names. */
      hir_gen_open (gen);
      open_inner (gen, layout);
      hir_gen_space_index (gen, &index);
      element = gen->stage == HIR_GEN_REST ? g_strdup_printf ("%s[n * %" G_GINT64_FORMAT " + o]",
                                                              piece_address (gen, k, FALSE), kept)
                                           : hir_gen_read_as (gen, number, 0, &index, klass);
      name = hir_gen_variable (gen, hir_gen_class_type (klass), element);
      sum = hir_gen_combine (klass, op, total, name);
      gen->failed |= sum == NULL;
      hir_gen_line (gen, "%s = %s;", total, sum != NULL ? sum : "0");
      hir_gen_close (gen);
      hir_gen_close (gen);
      hir_gen_forget (gen, mark);
    }
  write_tree (gen, number, klass, layout);
}

static void
write_reduction (HirGen *gen, guint k, Layout layout)
{
  guint number = g_array_index (gen->reductions, guint, k);
  const HirOpCall *call = gen->unit->calls[number];
  const char *type = hir_gen_register_type (call->output->dtype), *result;
  g_autofree char *rounded = NULL;

  write_total (gen, k, layout);
  if (gen->stage == HIR_GEN_PIECES)
    {
      hir_gen_line (gen, "if (is_there && y == 0)");
      hir_gen_line (gen, "  %s[c * %" G_GINT64_FORMAT " + o] = a%u;", piece_address (gen, k, TRUE),
                    hir_gen_space_count (&gen->space, FALSE, FALSE), number);
      return;
    }
  rounded = hir_gen_from_class (class_of (call), call->output->dtype,
                                hir_gen_string (gen, "a%u", number));
  result = hir_gen_finish_value (gen, number, hir_gen_variable (gen, type, rounded));
  hir_gen_line (gen, "const %s r%u = %s;", type, number, result);
  /* Consumers can use the result from here on. */
  gen->n_reduced = k + 1;
}

static void
write_stores (HirGen *gen, const GArray *stores, gboolean full, Layout layout)
{
  guint mark = hir_gen_mark (gen);
  gboolean any = FALSE;

  for (guint i = 0; i < stores->len; i++)
    any |= g_array_index (stores, HirGenStore, i).is_full == full;
  if (!any)
    return;
  hir_gen_line (gen, full ? "if (is_there)" : "if (is_there && y == 0)");
  hir_gen_open (gen);
  if (full)
    open_inner (gen, layout);
  for (guint i = 0; i < stores->len; i++)
    {
      const HirGenStore *store = &g_array_index (stores, HirGenStore, i);

      if (store->is_full == full)
        hir_gen_write_store (gen, store);
    }
  if (full)
    hir_gen_close (gen);
  hir_gen_close (gen);
  hir_gen_forget (gen, mark);
}

static gsize
get_class_bytes (HirComputeClass klass)
{
  return g_str_equal (hir_gen_class_type (klass), "float") ? 4 : 8;
}

/* Returns the size of the declared memory. */
static gsize
declare_shared (HirGen *gen, guint threads, Layout layout)
{
  gboolean declared[4] = { FALSE };
  gsize size_bytes = 0;

  for (guint i = 0; i < gen->reductions->len && layout.y > 1; i++)
    {
      HirComputeClass klass =
          class_of (gen->unit->calls[g_array_index (gen->reductions, guint, i)]);

      if (declared[klass])
        continue;
      hir_gen_line (gen, "HIR_SHARED %s sm_%s[%u];", hir_gen_class_type (klass),
                    hir_gen_class_name (klass), threads);
      size_bytes += (gsize) threads * get_class_bytes (klass);
      declared[klass] = TRUE;
    }
  return size_bytes;
}

/* Emits the loop over the kept elements, or pieces, of a block. */
static void
open_blocks (HirGen *gen, Layout layout)
{
  gint64 kept = hir_gen_space_count (&gen->space, FALSE, FALSE);

  hir_gen_line (gen, "const int x = HIR_TID %% %u, y = HIR_TID / %u;", layout.x, layout.x);
  if (gen->stage == HIR_GEN_PIECES)
    {
      gint64 tiles = (kept + layout.x - 1) / layout.x;

      hir_gen_line (gen, "for (ix w = HIR_BID; w < %" G_GINT64_FORMAT "; w += HIR_GRID)",
                    tiles * gen->split.n);
      hir_gen_open (gen);
      hir_gen_line (gen,
                    "const ix c = w %% %" G_GINT64_FORMAT ", b = w / %" G_GINT64_FORMAT " * %u;",
                    gen->split.n, gen->split.n, layout.x);
    }
  else
    {
      hir_gen_line (gen,
                    "for (ix b = (ix) HIR_BID * %u; b < %" G_GINT64_FORMAT
                    "; b += (ix) HIR_GRID * %u)",
                    layout.x, kept, layout.x);
      hir_gen_open (gen);
    }
  /* Every thread of a block must reach HIR_SYNC(): threads past the end repeat the last element. */
  hir_gen_line (gen, "const int is_there = b + x < %" G_GINT64_FORMAT ";", kept);
  hir_gen_line (gen, "const ix o = is_there ? b + x : %" G_GINT64_FORMAT ";", kept - 1);
  hir_gen_decode (gen, FALSE, FALSE, "o");
}

gboolean
hir_gen_choose_split (const HirGen *gen, HirGenSplit *split)
{
  const HirCodegenOptions *options = gen->unit->options;
  gint64 kept = hir_gen_space_count (&gen->space, FALSE, FALSE);
  gint64 inner = hir_gen_space_count (&gen->space, TRUE, FALSE);
  Layout layout = choose_layout (gen, options->block_threads, kept, inner);
  gint64 blocks = (kept + layout.x - 1) / layout.x;

  if (options->min_piece == 0 || blocks == 0 || inner / 4 < options->min_piece ||
      blocks * 2 > options->enough_blocks)
    return FALSE;
  split->n = MIN (inner / options->min_piece, options->enough_blocks / blocks);
  split->length = (inner + split->n - 1) / split->n;
  split->n = (inner + split->length - 1) / split->length;
  return TRUE;
}

gsize
hir_gen_get_pieces_bytes (const HirGen *gen, guint number, const HirGenSplit *split)
{
  return (gsize) (split->n * hir_gen_space_count (&gen->space, FALSE, FALSE)) *
         get_class_bytes (class_of (gen->unit->calls[number]));
}

char *
hir_gen_write_reductions (HirGen *gen, const GArray *stores, HirUnitPart *part)
{
  const HirCodegenOptions *options = gen->unit->options;
  gint64 kept = hir_gen_space_count (&gen->space, FALSE, FALSE);
  Layout layout = choose_layout (gen, options->block_threads, kept, count_inner (gen));
  gint64 n_pieces = gen->stage == HIR_GEN_PIECES ? gen->split.n : 1;

  part->block = options->block_threads;
  part->grid =
      hir_gen_ceil_div ((kept + layout.x - 1) / layout.x * n_pieces, 1, options->max_blocks);
  gen->indent = 1;
  part->shared_bytes = declare_shared (gen, part->block, layout);
  open_blocks (gen, layout);
  for (guint i = 0; i < gen->reductions->len && !gen->failed; i++)
    write_reduction (gen, i, layout);
  for (int full = TRUE; full >= FALSE && gen->stage != HIR_GEN_PIECES && !gen->failed; full--)
    write_stores (gen, stores, full, layout);
  hir_gen_close (gen);
  return hir_gen_finish (gen, part->name, "");
}
