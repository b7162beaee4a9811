/* Generates kernels that compute element by element. */
#include <string.h>

#include "cuda/codegen/codegen-private.h"

#define MAX_VECTOR 8
#define VECTOR_BYTES 16

guint
hir_gen_ceil_div (gint64 a, gint64 b, guint most)
{
  return (guint) MIN ((a + b - 1) / b, (gint64) most);
}

void
hir_gen_write_store (HirGen *gen, const HirGenStore *store)
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

char *
hir_gen_finish (HirGen *gen, const char *name, const char *before)
{
  g_autofree char *params = hir_gen_dup_parameters (gen);

  return g_strdup_printf ("typedef %s ix;\n%sHIR_KERNEL void\n%s (%s)\n{\n%s}\n",
                          gen->wide ? "long long" : "int", before, name, params, gen->body->str);
}

/* Returns the number of elements per vector: 16 bytes of the narrowest stored type, or 1 if the
 * count is not divisible or the vector of the widest type would be too long. */
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

/* Returns TRUE if the body accesses argument @i as a vector, which its text shows. */
static gboolean
is_vector_arg (const HirGen *gen, guint i, gboolean is_written)
{
  g_autofree char *name = g_strdup_printf ("%s_p%u.e[k]", is_written ? "out" : "in", i);

  return strstr (gen->body->str, name) != NULL;
}

static gboolean
is_aligned (const HirGen *gen, const HirKernelArg *arg, gsize alignment)
{
  const HirValue *value = hir_gen_get_operand (gen, arg->call, arg->operand);

  if (arg->kind == HIR_ARG_SCRATCH)
    return arg->offset_bytes % alignment == 0;
  return (gsize) hir_value_get_data (value) % alignment == 0;
}

/* Returns a kernel that loads and stores vectors around the body of one element, or NULL if an
 * address is not aligned. */
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

/* Writes the computation of one element to gen->body. */
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
    hir_gen_write_store (gen, &g_array_index (stores, HirGenStore, i));
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
      part->grid = hir_gen_ceil_div (count / vector, part->block, options->max_blocks);
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
  part->grid = hir_gen_ceil_div (count, part->block, options->max_blocks);
  return hir_gen_finish (gen, part->name, "");
}
