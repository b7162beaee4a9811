/* The two forms of a kernel: one that computes element by element, and one whose blocks reduce. */
#include <string.h>

#include "cuda/codegen-private.h"

#define MAX_VECTOR 8
#define VECTOR_BYTES 16

static guint
ceil_div (gint64 a, gint64 b, guint most)
{
  return (guint) MIN ((a + b - 1) / b, (gint64) most);
}

static void
write_store (HirGen *gen, const HirGenStore *store)
{
  const HirValue *out = gen->unit->calls[store->call]->output;
  const char *value = hir_gen_value (gen, store->call, &store->index);
  const char *address = hir_gen_address (gen, store->call, HIR_OPERAND_OUTPUT, TRUE);
  const char *offset = hir_gen_offset (gen, out, &store->index);
  g_autofree char *text = hir_gen_to_memory (out->dtype, value);

  if (gen->vector > 1)
    hir_gen_line (gen, "out_%s.e[k] = %s;", address, text);
  else
    hir_gen_line (gen, "%s[%s] = %s;", address, offset, text);
}

static char *
finish (HirGen *gen, const char *name, const char *before)
{
  g_autofree char *params = hir_gen_dup_parameters (gen);

  return g_strdup_printf ("typedef %s ix;\n%sHIR_KERNEL void\n%s (%s)\n{\n%s}\n",
                          gen->wide ? "long long" : "int", before, name, params, gen->body->str);
}

/* Elements that a thread can do at once: their bytes are 16 of the narrowest type. */
static guint
choose_vector (const HirGen *gen, const GArray *stores)
{
  guint vector = MAX_VECTOR;
  gsize widest = 1, narrowest = 8;
  gint64 count = hir_gen_space_count (&gen->space, FALSE, TRUE);

  for (guint i = 0; i < stores->len; i++)
    {
      const HirGenStore *store = &g_array_index (stores, HirGenStore, i);
      gsize size = hir_dtype_get_size_bytes (gen->unit->calls[store->call]->output->dtype);

      widest = MAX (widest, size);
      narrowest = MIN (narrowest, size);
    }
  vector = MIN (vector, (guint) (VECTOR_BYTES / narrowest));
  return count % vector == 0 && widest * vector <= 4 * VECTOR_BYTES ? vector : 1;
}

static gsize
vector_alignment (const HirValue *value, guint vector)
{
  return MIN (VECTOR_BYTES, vector * hir_dtype_get_size_bytes (value->dtype));
}

/* Argument @i is walked in vectors: its body names say so. */
static gboolean
is_vector_arg (const HirGen *gen, guint i, gboolean is_written)
{
  g_autofree char *name = g_strdup_printf ("%s_p%u.e[k]", is_written ? "out" : "in", i);

  return strstr (gen->body->str, name) != NULL;
}

/* FALSE where its address is not a multiple of what vectors need. */
static gboolean
is_aligned (const HirGen *gen, const HirKernelArg *arg, gsize alignment)
{
  const HirValue *value = hir_gen_get_operand (gen, arg->call, arg->operand);

  if (arg->kind == HIR_ARG_SCRATCH)
    return arg->offset_bytes % alignment == 0;
  return (gsize) hir_value_get_data (value) % alignment == 0;
}

/* Around the body of one element: the loads and stores of several. */
static char *
write_vectors (HirGen *gen, const char *name, const char *loop)
{
  g_autoptr (GString) types = g_string_new (NULL);
  g_autoptr (GString) loads = g_string_new (NULL);
  g_autoptr (GString) stores = g_string_new (NULL);
  g_autofree char *params = NULL;

  for (guint i = 0; i < gen->args->len; i++)
    {
      const HirKernelArg *arg = &g_array_index (gen->args, HirKernelArg, i);
      const HirValue *value = hir_gen_get_operand (gen, arg->call, arg->operand);
      gboolean reads = is_vector_arg (gen, i, FALSE), writes = is_vector_arg (gen, i, TRUE);
      gsize alignment = value->is_scalar ? 1 : vector_alignment (value, gen->vector);

      if (!reads && !writes)
        continue;
      if (!is_aligned (gen, arg, alignment))
        return NULL;
      g_string_append_printf (types,
                              "typedef struct HIR_ALIGN (%" G_GSIZE_FORMAT
                              ") { %s e[%u]; } vec%u;\n",
                              alignment, hir_gen_memory_type (value->dtype), gen->vector, i);
      if (reads)
        g_string_append_printf (loads, "      const vec%u in_p%u = ((const vec%u *) p%u)[at];\n", i,
                                i, i, i);
      if (writes)
        {
          g_string_append_printf (loads, "      vec%u out_p%u;\n", i, i);
          g_string_append_printf (stores, "      ((vec%u *) p%u)[at] = out_p%u;\n", i, i, i);
        }
    }
  params = hir_gen_dup_parameters (gen);
  return g_strdup_printf ("typedef %s ix;\n%sHIR_KERNEL void\n%s (%s)\n{\n%s    {\n%s"
                          "#pragma unroll\n      for (int k = 0; k < %u; k++)\n        {\n%s"
                          "        }\n%s    }\n}\n",
                          gen->wide ? "long long" : "int", types->str, name, params, loop,
                          loads->str, gen->vector, gen->body->str, stores->str);
}

/* The body of one element, in gen->body. */
static void
write_element (HirGen *gen, const GArray *stores, guint vector)
{
  gen->vector = vector;
  gen->indent = vector > 1 ? 5 : 3;
  gen->uses_index = FALSE;
  gen->n_variables = 0;
  g_string_truncate (gen->body, 0);
  hir_gen_forget (gen, 0);
  g_array_set_size (gen->args, 0);
  g_array_set_size (gen->written, 0);
  for (guint i = 0; i < stores->len && !gen->failed; i++)
    write_store (gen, &g_array_index (stores, HirGenStore, i));
}

static char *
loop_text (const char *counter, gint64 count, guint threads)
{
  return g_strdup_printf ("  for (ix %s = (ix) HIR_BID * %u + HIR_TID; %s < %" G_GINT64_FORMAT
                          "; %s += (ix) HIR_GRID * %u)\n",
                          counter, threads, counter, count, counter, threads);
}

char *
hir_gen_write_map (HirGen *gen, const GArray *stores, HirUnitPart *part)
{
  const HirCodegenOptions *options = gen->unit->options;
  gint64 count = hir_gen_space_count (&gen->space, FALSE, TRUE);
  guint vector = choose_vector (gen, stores);
  g_autofree char *loop = NULL;
  g_autofree char *body = NULL;
  char *text = NULL;

  part->block = options->block_threads;
  if (vector > 1)
    {
      write_element (gen, stores, vector);
      loop = loop_text ("at", count / vector, part->block);
      if (!gen->failed && !gen->uses_index)
        text = write_vectors (gen, part->name, loop);
      part->grid = ceil_div (count / vector, part->block, options->max_blocks);
      if (text != NULL || gen->failed)
        return text;
      g_clear_pointer (&loop, g_free);
    }
  write_element (gen, stores, 1);
  body = g_strdup (gen->body->str);
  loop = loop_text ("lin", count, part->block);
  g_string_assign (gen->body, loop);
  g_string_append (gen->body, "    {\n");
  gen->indent = 3;
  if (gen->uses_index)
    hir_gen_decode (gen, FALSE, TRUE, "lin");
  g_string_append_printf (gen->body, "%s    }\n", body);
  part->grid = ceil_div (count, part->block, options->max_blocks);
  return finish (gen, part->name, "");
}

/* How a block's threads are laid out: @x kept elements side by side, @y threads for each. */
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

/* Threads side by side go along memory: along what is reduced where that is dense. */
static Layout
choose_layout (const HirGen *gen, guint threads)
{
  const HirGenSpace *space = &gen->space;
  guint fastest = 0;
  gint64 kept = hir_gen_space_count (space, FALSE, FALSE);
  gint64 inner = hir_gen_space_count (space, TRUE, FALSE);
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

/* All threads of a kept element get the sum over their own, in a tree. */
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

static void
open_inner (HirGen *gen, Layout layout)
{
  hir_gen_line (gen, "for (ix n = y; n < %" G_GINT64_FORMAT "; n += %u)",
                hir_gen_space_count (&gen->space, TRUE, FALSE), layout.y);
  hir_gen_open (gen);
  hir_gen_decode (gen, TRUE, FALSE, "n");
}

static void
write_reduction (HirGen *gen, guint number, Layout layout)
{
  const HirOpCall *call = gen->unit->calls[number];
  HirBinaryOp op = call->expr->u.reduction.op;
  HirComputeClass klass = class_of (call);
  HirGenIndex index;
  const char *total = hir_gen_string (gen, "a%u", number);
  const char *result;

  hir_gen_line (gen, "%s %s = %s;", hir_gen_class_type (klass), total, hir_gen_neutral (klass, op));
  if (hir_gen_space_count (&gen->space, TRUE, FALSE) > 0)
    {
      guint mark = hir_gen_mark (gen);

      open_inner (gen, layout);
      hir_gen_space_index (gen, &index);
      g_autofree char *element = hir_gen_read_as (gen, number, 0, &index, klass);
      const char *name = hir_gen_variable (gen, hir_gen_class_type (klass), element);
      g_autofree char *sum = hir_gen_combine (klass, op, total, name);
      gen->failed |= sum == NULL;
      hir_gen_line (gen, "%s = %s;", total, sum != NULL ? sum : "0");
      hir_gen_close (gen);
      hir_gen_forget (gen, mark);
    }
  write_tree (gen, number, klass, layout);
  g_autofree char *rounded = hir_gen_from_class (klass, call->output->dtype, total);
  result = hir_gen_variable (gen, hir_gen_register_type (call->output->dtype), rounded);
  result = hir_gen_finish_value (gen, number, result);
  hir_gen_line (gen, "const %s r%u = %s;", hir_gen_register_type (call->output->dtype), number,
                result);
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
        write_store (gen, store);
    }
  if (full)
    hir_gen_close (gen);
  hir_gen_close (gen);
  hir_gen_forget (gen, mark);
}

static void
declare_shared (HirGen *gen, guint threads, Layout layout)
{
  gboolean declared[4] = { FALSE };

  for (guint i = 0; i < gen->reductions->len && layout.y > 1; i++)
    {
      HirComputeClass klass =
          class_of (gen->unit->calls[g_array_index (gen->reductions, guint, i)]);

      if (!declared[klass])
        hir_gen_line (gen, "HIR_SHARED %s sm_%s[%u];", hir_gen_class_type (klass),
                      hir_gen_class_name (klass), threads);
      declared[klass] = TRUE;
    }
}

char *
hir_gen_write_reductions (HirGen *gen, const GArray *stores, HirUnitPart *part)
{
  const HirCodegenOptions *options = gen->unit->options;
  Layout layout = choose_layout (gen, options->block_threads);
  gint64 kept = hir_gen_space_count (&gen->space, FALSE, FALSE);

  part->block = options->block_threads;
  part->grid = ceil_div (kept, layout.x, options->max_blocks);
  gen->indent = 1;
  declare_shared (gen, part->block, layout);
  hir_gen_line (gen, "const int x = HIR_TID %% %u, y = HIR_TID / %u;", layout.x, layout.x);
  hir_gen_line (gen,
                "for (ix b = (ix) HIR_BID * %u; b < %" G_GINT64_FORMAT "; b += (ix) HIR_GRID * %u)",
                layout.x, kept, layout.x);
  hir_gen_open (gen);
  /* All threads of a block go all the way: they meet. Those past the end do the last one again. */
  hir_gen_line (gen, "const int is_there = b + x < %" G_GINT64_FORMAT ";", kept);
  hir_gen_line (gen, "const ix o = is_there ? b + x : %" G_GINT64_FORMAT ";", kept - 1);
  hir_gen_decode (gen, FALSE, FALSE, "o");
  for (guint i = 0; i < gen->reductions->len && !gen->failed; i++)
    {
      write_reduction (gen, g_array_index (gen->reductions, guint, i), layout);
      gen->n_reduced = i + 1;
    }
  if (!gen->failed)
    write_stores (gen, stores, TRUE, layout);
  if (!gen->failed)
    write_stores (gen, stores, FALSE, layout);
  hir_gen_close (gen);
  return finish (gen, part->name, "");
}
