/* Tests the host-IR pipeline against programs of 2026 (tests/data/cases/host_ir_2026). */
#include <string.h>

#include "fixture.h"
#include "script/script.h"

typedef struct
{
  const char *script, *function;
  gint64 n_devices;
} Row;

/* On device 0. */
static const Row rows[] = {
  { "collectives", "allgather", 2 },
  { "collectives", "allgather_of_a_dp_tp_mesh", 4 },
  { "collectives", "allreduce", 2 },
  { "collectives", "broadcast", 2 },
  { "collectives", "reduce_scatter", 2 },
  { "collectives", "scatter", 3 },
  { "collectives", "send_recv", 3 },
  { "layers", "allgather_then_matmul", 2 },
  { "layers", "column_parallel_linear", 2 },
  { "layers", "pointwise", 2 },
  { "layers", "row_parallel_linear", 2 },
  { "overlap", "column_parallel_linear_collective_permute", 2 },
  { "overlap", "row_parallel_linear_forward", 2 },
  { "streams", "matmul", 0 },
  { "streams", "two_matmuls_inlinable", 0 },
};

static char *
dup_path (const char *name, const char *suffix)
{
  g_autofree char *file = g_strconcat (name, suffix, NULL);

  return g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "tests", "data", "cases", "host_ir_2026",
                           file, NULL);
}

static HirContainer *
read_fusion (const Row *row)
{
  g_autofree char *path = dup_path (row->script, ".py");
  g_autofree char *devices = g_strdup_printf ("num_devices=%" G_GINT64_FORMAT, row->n_devices);
  const char *const args[] = { devices, NULL };
  const HirScriptOptions options = { .args = args };
  GError *error = NULL;
  HirSource *source = hir_script_load (path, &error);
  HirScript *script;
  HirContainer *fusion;

  g_assert_no_error (error);
  script = hir_script_parse (source, NULL);
  hir_source_unref (source);
  fusion =
      hir_script_run (script, row->function, row->n_devices > 0 ? &options : NULL, NULL, &error);
  g_assert_no_error (error);
  hir_script_free (script);
  return fusion;
}

static gint
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* Neighboring Deallocate blocks have no order. */
static char *
sort_frees (const char *dump)
{
  g_auto (GStrv) lines = g_strsplit (dump, "\n", -1);
  GString *sorted = g_string_new (NULL);
  guint n = g_strv_length (lines);

  for (guint i = 0; i < n;)
    {
      g_autoptr (GPtrArray) blocks = g_ptr_array_new_with_free_func (g_free);

      for (; i + 2 < n && strstr (lines[i], "Deallocate {") != NULL; i += 3)
        g_ptr_array_add (blocks, g_strjoin ("\n", lines[i], lines[i + 1], lines[i + 2], "", NULL));
      g_ptr_array_sort (blocks, compare_texts);
      for (guint k = 0; k < blocks->len; k++)
        g_string_append (sorted, blocks->pdata[k]);
      if (blocks->len == 0)
        g_string_append_printf (sorted, "%s\n", lines[i++]);
    }
  return g_string_free (sorted, FALSE);
}

static char *
dup_replaced (const char *text, const char *pattern, const char *by)
{
  g_autoptr (GRegex) regex = g_regex_new (pattern, 0, 0, NULL);

  return g_regex_replace_literal (regex, text, -1, 0, by, 0, NULL);
}

/* All programs have one stream without an index, and one CollectivePermute at most. */
static char *
dup_canonical (const char *dump)
{
  g_autofree char *numbered = fix_canonical (dump);
  g_autofree char *single = dup_replaced (numbered, "(?<=\\S) +", " ");
  g_autofree char *streams = dup_replaced (single, "0x[0-9a-f]+", "0x");
  g_autofree char *permutes = dup_replaced (streams, "CollectivePermute \\d+", "CollectivePermute");

  return sort_frees (permutes);
}

static void
test_program (gconstpointer data)
{
  const Row *row = data;
  g_autoptr (HirContainer) fusion = read_fusion (row);
  g_autoptr (HirPipeline) pipeline = hir_pipeline_new (HIR_PIPELINE_HOSTIR);
  g_autoptr (HirLowering) lowering =
      hir_pipeline_run (pipeline, fusion, 0, MAX (row->n_devices, 1), NULL);
  g_autofree char *path = dup_path (row->function, ".txt");
  g_autofree char *golden = NULL;
  g_autofree char *text = NULL;
  g_autofree char *expected = NULL;
  g_autofree char *got = NULL;
  GError *error = NULL;

  g_assert_no_error (lowering->error);
  text = hir_container_print (hir_lowering_get_last (lowering)->program, HIR_FORMAT_2026, NULL);
  g_file_get_contents (path, &golden, NULL, &error);
  g_assert_no_error (error);
  expected = dup_canonical (golden);
  got = dup_canonical (text);
  g_assert_cmpstr (got, ==, expected);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *name = g_strconcat ("/hostir/programs/", rows[i].function, NULL);

      g_test_add_data_func (name, &rows[i], test_program);
    }
  return g_test_run ();
}
