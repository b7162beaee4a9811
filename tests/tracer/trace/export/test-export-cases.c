/* Tests what exports keep: the epoch, the zero of time. */
#include <string.h>

#include "test-folder.h"
#include "trace/export/export-chrome.h"
#include "trace/export/export-csv.h"
#include "trace/export/export-nsight.h"
#include "trace/load/import.h"

static HirTrace *
load (const char *first, const char *second)
{
  const char *const paths[] = { first, second, NULL };
  g_autoptr (GError) error = NULL;
  HirTrace *trace = hir_trace_open (paths, NULL, &error);

  g_assert_no_error (error);
  return trace;
}

static HirTrace *
load_case (const char *name)
{
  g_autofree char *path = g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "tests", "data", "cases",
                                            "traces", name, NULL);

  return load (path, NULL);
}

typedef gboolean (*Exporter) (const HirTrace *trace,
                              const char *path,
                              HirExportProgress *progress,
                              GError **error);

static char *
write_trace (TestFolder *fixture, const char *name, Exporter exporter, const HirTrace *trace)
{
  char *path = g_build_filename (fixture->folder, name, NULL);
  g_autoptr (GError) error = NULL;

  exporter (trace, path, NULL, &error);
  g_assert_no_error (error);
  return path;
}

/* Two ranks that are exported one by one keep the second between them. */
static void
test_epoch (TestFolder *fixture, gconstpointer data)
{
  static const struct
  {
    const char *names[2];
    Exporter exporter;
  } cases[] = {
    { { "rank0.json", "rank1.json" }, hir_export_chrome_file },
    { { "rank0.sqlite", "rank1.sqlite" }, hir_export_nsight_file },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (HirTrace) first = load_case ("abs_rank0.json");
      g_autoptr (HirTrace) second = load_case ("abs_rank1.json");
      g_autofree char *a = write_trace (fixture, cases[i].names[0], cases[i].exporter, first);
      g_autofree char *b = write_trace (fixture, cases[i].names[1], cases[i].exporter, second);
      g_autoptr (HirTrace) both = load (a, b);
      gint64 starts[2], end_ns;

      g_assert_cmpuint (hir_trace_get_n_tracks (both), ==, 2);
      for (guint t = 0; t < 2; t++)
        {
          g_assert_cmpint (hir_trace_get_track (both, t)->rank, ==, t);
          hir_trace_get_interval (both, t, 0, &starts[t], &end_ns);
        }
      g_assert_cmpint (starts[1] - starts[0], ==, 1000000000);
    }
}

/* The first event is at zero in every export, as for --range, although another is written first. */
static void
test_zero (TestFolder *fixture, gconstpointer data)
{
  g_autoptr (HirTrace) trace = load_case ("zero_mismatch.json");
  g_autofree char *csv = write_trace (fixture, "a.csv", hir_export_csv_file, trace);
  g_autofree char *chrome = write_trace (fixture, "a.json", hir_export_chrome_file, trace);
  g_autofree char *nsight = write_trace (fixture, "a.sqlite", hir_export_nsight_file, trace);
  g_autofree char *text = NULL;
  const char *const again[] = { chrome, nsight };
  gint64 start_ns, end_ns;

  hir_trace_get_span (trace, &start_ns, &end_ns);
  g_assert_cmpint (start_ns, ==, 0);
  g_assert_cmpint (end_ns, ==, 60000);
  g_assert_true (g_file_get_contents (csv, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, ",kernel,earlier,0,10000,"));
  g_assert_nonnull (strstr (text, ",kernel,written_first,50000,10000,"));
  for (guint i = 0; i < G_N_ELEMENTS (again); i++)
    {
      g_autoptr (HirTrace) read = load (again[i], NULL);

      hir_trace_get_span (read, &start_ns, &end_ns);
      g_assert_cmpint (start_ns, ==, 0);
      g_assert_cmpint (end_ns, ==, 60000);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  TEST_FOLDER_ADD ("/export-cases/epoch", test_epoch, NULL);
  TEST_FOLDER_ADD ("/export-cases/zero", test_zero, NULL);
  return g_test_run ();
}
