/* Tests that the dump of a random fusion after every pass can be read back and printed again
 * identically, including HostUnits and scheduled domains. HIR_RANDOM_COUNT and HIR_RANDOM_SEED
 * select other fusions. */
#include "build-random.h"
#include "dump/read-dump.h"
#include "pipeline.h"
#include "usage.h"
#include "verify/verify.h"

typedef struct
{
  guint n_fusions, n_programs, n_units, n_loops, n_hidden, n_tensors, n_unlike;
} Counts;

static guint64
get_number (const char *name, guint64 otherwise)
{
  const char *text = g_getenv (name);

  return text != NULL ? g_ascii_strtoull (text, NULL, 10) : otherwise;
}

static gboolean
count_expr (HirExpr *expr, guint depth, gpointer user_data)
{
  Counts *counts = user_data;

  counts->n_loops += expr->kind == HIR_EXPR_FOR;
  return TRUE;
}

/* The dump of a tensor is incomplete if its loop domain is not its logical domain. */
static gboolean
hides_axes (HirContainer *program)
{
  for (guint i = 0; i < program->tensors.len; i++)
    {
      const HirTensor *tensor = program->tensors.items[i];

      if (tensor->loop.n != tensor->logical.n)
        return TRUE;
    }
  return FALSE;
}

static char *
dup_logical (const HirTensor *tensor)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < tensor->logical.n; i++)
    {
      const HirIterDomain *id = tensor->logical.ids[i];

      g_string_append_printf (out, "%c ", hir_iter_type_get_letter (id->iter_type));
      hir_scalar_print_inline (id->extent, out);
      g_string_append (out, ", ");
    }
  return g_string_free (out, FALSE);
}

/* The logical axes are inferred, although only loop domains are printed. */
static void
compare_logical (guint64 seed, HirContainer *program, HirContainer *read, Counts *counts)
{
  g_autoptr (GHashTable) texts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) used = hir_container_dup_used_tensors (read);
  g_autoptr (GPtrArray) wanted = hir_container_dup_used_tensors (program);

  for (guint i = 0; i < used->len; i++)
    g_hash_table_insert (texts, hir_tensor_to_string (used->pdata[i]), used->pdata[i]);
  for (guint i = 0; i < wanted->len; i++)
    {
      g_autofree char *text = hir_tensor_to_string (wanted->pdata[i]);
      HirTensor *found = g_hash_table_lookup (texts, text);
      g_autofree char *own = dup_logical (wanted->pdata[i]);
      g_autofree char *other = NULL;

      g_assert_nonnull (found);
      other = dup_logical (found);
      counts->n_tensors++;
      if (g_str_equal (own, other))
        continue;
      counts->n_unlike++;
      if (g_test_verbose ())
        g_test_message ("seed %" G_GUINT64_FORMAT ": %s: logical %s is read as %s", seed, text, own,
                        other);
    }
}

static void
check_same (guint64 seed, HirContainer *program, HirFormat format, Counts *counts)
{
  g_autofree char *printed = hir_container_print (program, format, NULL);
  HirSource *source = hir_source_new ("dump.txt", printed, -1);
  g_autoptr (GError) error = NULL;
  HirFormat found;
  g_autoptr (HirContainer) read = hir_dump_read (source, &found, &error);
  g_autofree char *again = NULL;

  if (read == NULL)
    {
      g_autofree char *text = hir_error_format (error, source);

      g_error ("seed %" G_GUINT64_FORMAT ": %s%s", seed, text, printed);
    }
  hir_source_unref (source);
  again = hir_container_print (read, format, NULL);
  if (!g_str_equal (again, printed))
    g_error ("seed %" G_GUINT64_FORMAT ":\n%sreads back to\n%s", seed, printed, again);
  g_assert_cmpuint (read->units.len, ==, program->units.len);
  g_assert_true (hir_container_verify (read, NULL));
  compare_logical (seed, program, read, counts);
  counts->n_programs++;
  counts->n_units += read->units.len > 0;
  counts->n_hidden += hides_axes (read);
  hir_container_foreach_expr (read, count_expr, counts);
}

static void
try_one (guint64 seed, Counts *counts)
{
  g_autoptr (HirRandomFusion) random = hir_random_fusion_new (seed);
  g_autoptr (HirPipeline) pipeline = hir_pipeline_new (HIR_PIPELINE_EXECUTOR);
  g_autoptr (HirContainer) fusion = hir_random_fusion_build (random, NULL);
  g_autoptr (HirLowering) lowering = NULL;

  if (fusion == NULL)
    return;
  counts->n_fusions++;
  lowering = hir_pipeline_run (pipeline, fusion, 0, 1, NULL);
  for (guint k = 0; k < lowering->snapshots->len; k++)
    {
      HirContainer *program = ((HirSnapshot *) lowering->snapshots->pdata[k])->program;

      check_same (seed, program, HIR_FORMAT_2025, counts);
      check_same (seed, program, HIR_FORMAT_2026, counts);
    }
}

static void
test_random (void)
{
  guint64 count = get_number ("HIR_RANDOM_COUNT", 300);
  guint64 seed = get_number ("HIR_RANDOM_SEED", 1);
  Counts counts = { 0 };

  for (guint64 i = 0; i < count; i++)
    try_one (seed + i, &counts);
  g_test_message ("%u fusions, %u programs: %u with HostUnits, %u with hidden axes, %u loops",
                  counts.n_fusions, counts.n_programs, counts.n_units, counts.n_hidden,
                  counts.n_loops);
  g_test_message ("%u tensors, the logical axes of %u read as others", counts.n_tensors,
                  counts.n_unlike);
  /* Merged or split constants are ambiguous. */
  g_assert_cmpuint (counts.n_unlike * 5000, <=, counts.n_tensors);
  g_assert_cmpuint (counts.n_programs, >, counts.n_fusions * 3);
  g_assert_cmpuint (counts.n_units * 10, >, counts.n_programs);
  g_assert_cmpuint (counts.n_hidden * 50, >, counts.n_programs);
  g_assert_cmpuint (counts.n_loops * 2, >, counts.n_fusions);
}

/* An axis split before other axes, axes split unevenly into constants, a merged input, the second
 * step of an rfactor: once read as others. */
static void
test_axes (void)
{
  static const guint64 seeds[] = { 413, 593, 644, 674, 789, 900, 1425 };
  Counts counts = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (seeds); i++)
    try_one (seeds[i], &counts);
  g_assert_cmpuint (counts.n_fusions, ==, G_N_ELEMENTS (seeds));
  g_assert_cmpuint (counts.n_unlike, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/passes/dump-round-trip/random", test_random);
  g_test_add_func ("/passes/dump-round-trip/axes", test_axes);
  return g_test_run ();
}
