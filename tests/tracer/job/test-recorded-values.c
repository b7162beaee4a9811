/* Tests recorded tensor values: encoding, recording and reading, limits, and old recordings
 * without values. */
#include <math.h>
#include <sqlite3.h>
#include <string.h>

#include "job/recorded-values.h"
#include "job/run-job.h"
#include "program/document-recording.h"
#include "trace/recording/recording.h"
#include "tracer-fixture.h"

static HirValueSummary *
make_summary (HirDType dtype, guint rows, guint columns)
{
  gint64 sizes[] = { rows, columns };
  g_autoptr (HirBuffer) buffer =
      hir_buffer_new (MAX ((gsize) rows * columns, 1) * hir_dtype_get_size_bytes (dtype), NULL);
  g_autoptr (HirValue) value = hir_value_new_tensor (dtype, 2, sizes, NULL, buffer);
  g_autoptr (GError) error = NULL;
  HirValueSummary *summary;
  HirValueQuery query;
  guint8 *data = buffer->data;

  for (gsize i = 0; i < (gsize) rows * columns; i++)
    hir_element_set_double (dtype, data + i * hir_dtype_get_size_bytes (dtype),
                            i == 5   ? NAN
                            : i == 6 ? INFINITY
                                     : sin ((double) i) * 1e3);
  hir_value_query_init (&query);
  summary = hir_value_summary_new (value, &query, NULL, &error);
  g_assert_no_error (error);
  return summary;
}

static void
test_pack (void)
{
  static const HirDType dtypes[] = { HIR_DTYPE_FLOAT, HIR_DTYPE_DOUBLE, HIR_DTYPE_BFLOAT16 };
  static const guint shapes[][2] = { { 1, 1 }, { 3, 5 }, { 200, 300 }, { 0, 4 } };

  for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++)
    for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
      {
        g_autoptr (HirValueSummary) before = make_summary (dtypes[d], shapes[s][0], shapes[s][1]);
        g_autoptr (GBytes) data = hir_recorded_value_pack (before);
        g_autoptr (GError) error = NULL;
        g_autoptr (HirValueSummary) after = hir_recorded_value_unpack (data, &error);
        g_autofree char *text = hir_value_summary_format (before);
        g_autofree char *read = NULL;

        g_assert_no_error (error);
        read = hir_value_summary_format (after);
        g_assert_cmpstr (read, ==, text);
        g_assert_cmpuint (after->map_rows, ==, before->map_rows);
        for (gsize i = 0; i < (gsize) before->map_rows * before->map_columns; i++)
          g_assert_true (after->map[i] == (double) (float) before->map[i] ||
                         (isnan (after->map[i]) && isnan (before->map[i])));
      }
}

/* Tests that arbitrary bytes give a summary or an error. */
static void
test_garbage (void)
{
  g_autoptr (HirValueSummary) summary = make_summary (HIR_DTYPE_FLOAT, 30, 40);
  g_autoptr (GBytes) data = hir_recorded_value_pack (summary);
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  gsize n;
  const guint8 *from = g_bytes_get_data (data, &n);
  guint n_rejected = 0;

  for (guint i = 0; i < 400; i++)
    {
      g_autofree guint8 *bytes = g_memdup2 (from, n);
      gsize length = i % 3 == 0 ? (gsize) g_rand_int_range (rand, 0, (gint32) n) : n;
      g_autoptr (GBytes) broken = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (HirValueSummary) read = NULL;

      for (guint k = 0; k < i % 5; k++)
        bytes[g_rand_int_range (rand, 0, (gint32) n)] = (guint8) g_rand_int (rand);
      broken = g_bytes_new (bytes, length);
      read = hir_recorded_value_unpack (broken, &error);
      g_assert_true ((read == NULL) == (error != NULL));
      n_rejected += read == NULL;
    }
  g_assert_cmpuint (n_rejected, >, 200);
}

static HirOpened *
run_into (const char *path, const char *function, const char *inputs)
{
  g_autoptr (HirProgram) program = fix_program_with_inputs (function, inputs);
  g_auto (HirRunSettings) settings = { 0 };
  g_auto (HirRunResult) result = { 0 };
  g_autoptr (GError) error = NULL;
  HirRunJobOptions options = { .path = path };
  HirOpened *opened;

  hir_run_settings_init (&settings);
  g_assert_true (hir_run_job (program, &settings, &options, &result, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (result.n_no_value, ==, 0);
  opened = hir_opened_new (path, &error);
  g_assert_no_error (error);
  return opened;
}

static guint64
find_output (const HirProgram *program)
{
  const HirProgramView *view = program->views->pdata[program->views->len - 1];
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, view->nodes);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (g_str_has_prefix (((HirNodeInfo *) value)->label, "T2 ") &&
        !((HirNodeInfo *) value)->is_expr)
      return ((HirNodeInfo *) value)->id;
  g_assert_not_reached ();
}

static void
test_run (void)
{
  char *folder = fix_make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autofree char *copy = g_build_filename (folder, "b.hirs", NULL);
  g_autoptr (HirOpened) opened = run_into (path, "matmul_m", "8x16 16x4");
  g_autoptr (HirOpened) again = NULL;
  g_autoptr (GError) error = NULL;
  guint64 id = find_output (opened->program);
  g_autoptr (HirValueSummary) summary = hir_recorded_values_dup (opened->trace, 0, id, &error);
  g_autoptr (HirRecordingWriter) writer = NULL;

  g_assert_no_error (error);
  g_assert_nonnull (summary);
  g_assert_cmpuint (summary->n_dims, ==, 2);
  g_assert_cmpint (summary->sizes[0], ==, 8);
  g_assert_cmpint (summary->sizes[1], ==, 4);
  g_assert_cmpuint (summary->n_nan + summary->n_inf, ==, 0);
  g_assert_cmpfloat (summary->max, >, summary->min);
  g_assert_null (hir_recorded_values_dup (opened->trace, 1, id, &error));
  g_assert_null (hir_recorded_values_dup (opened->trace, 0, id + 1, &error));
  g_assert_no_error (error);

  /* Saves the opened recording again. */
  writer = hir_recording_writer_new (copy, &error);
  g_assert_no_error (error);
  g_assert_true (hir_program_write (opened->program, writer, &error) &&
                 hir_recording_writer_add_trace (writer, opened->trace, NULL, &error) &&
                 hir_recording_writer_close (writer, &error));
  again = hir_opened_new (copy, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hir_trace_get_n_values (again->trace), ==,
                    hir_trace_get_n_values (opened->trace));
  g_assert_true (g_bytes_equal (hir_trace_lookup_value (again->trace, id, 0),
                                hir_trace_lookup_value (opened->trace, id, 0)));
  fix_remove_folder (folder);
}

static void
execute (const char *path, const char *sql)
{
  sqlite3 *db;

  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (db);
}

static void
test_older_and_damaged (void)
{
  char *folder = fix_make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  HirOpened *opened = run_into (path, "matmul_m", "8x16 16x4");
  g_autoptr (GError) error = NULL;
  guint n_events = (guint) hir_trace_get_n_events (opened->trace);

  g_assert_cmpuint (hir_trace_get_n_values (opened->trace), >, 2);
  hir_opened_free (opened);
  execute (path, "UPDATE tensor_values SET summary=x'0102' WHERE rowid=1");
  g_assert_null (hir_opened_new (path, &error));
  g_assert_nonnull (strstr (error->message, "damaged"));
  g_clear_error (&error);
  execute (path, "DROP TABLE tensor_values");
  opened = hir_opened_new (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hir_trace_get_n_values (opened->trace), ==, 0);
  g_assert_cmpuint (hir_trace_get_n_events (opened->trace), ==, n_events);
  hir_opened_free (opened);
  fix_remove_folder (folder);
}

static void
test_too_large (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  g_autoptr (GBytes) small = g_bytes_new_static ("abc", 3);
  g_autoptr (GBytes) large =
      g_bytes_new_take (g_malloc0 (HIR_TRACE_MAX_VALUE_BYTES + 1), HIR_TRACE_MAX_VALUE_BYTES + 1);
  g_autoptr (HirTrace) trace = NULL;

  hir_trace_builder_add_value (builder, 1, 0, small);
  hir_trace_builder_add_value (builder, 2, 0, large);
  trace = hir_trace_builder_finish (builder);
  g_assert_cmpuint (hir_trace_get_n_values (trace), ==, 1);
  g_assert_null (hir_trace_lookup_value (trace, 2, 0));
  g_assert_cmpstr (hir_trace_get_account (trace)[0], ==,
                   "1 value left out: it is too large, or there are too many");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recorded-values/pack", test_pack);
  g_test_add_func ("/recorded-values/garbage", test_garbage);
  g_test_add_func ("/recorded-values/run", test_run);
  g_test_add_func ("/recorded-values/older-and-damaged", test_older_and_damaged);
  g_test_add_func ("/recorded-values/too-large", test_too_large);
  return g_test_run ();
}
