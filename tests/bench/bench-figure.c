/* bench-figure [EVENTS]: measures figures of many events. 100,000 events on 64 tracks, all in
 * the drawn range, as SVG, PDF and PNG of 180 mm, and as an SVG so wide that nothing is merged.
 * Prints CPU seconds and bytes. Checks nothing. */
#include <gio/gio.h>
#include <glib/gstdio.h>

#include "bench-make.h"
#include "draw/report/figure.h"

#define N_TRACKS 64

static void
measure (HirTrace *trace, const char *folder, HirFigureFormat format, double width_mm)
{
  static const char *const names[] = { "SVG", "PDF", "PNG" };
  const HirFigureOptions options = { .format = format, .width_mm = width_mm, .legend = TRUE };
  g_autofree char *path = g_build_filename (folder, "figure", NULL);
  g_autoptr (GError) error = NULL;
  double best = G_MAXDOUBLE;
  GStatBuf info;

  for (guint i = 0; i < 5; i++)
    {
      double start = bench_cpu_s ();

      if (!hir_figure_write_timeline (trace, &options, path, &error))
        g_error ("%s", error->message);
      best = MIN (best, bench_cpu_s () - start);
    }
  g_stat (path, &info);
  g_print ("%-4s %6.0f mm wide: %7.3f s of CPU, %7.3f MB\n", names[format], width_mm, best,
           (double) info.st_size / 1e6);
}

int
main (int argc, char **argv)
{
  guint64 n = argc > 1 ? g_ascii_strtoull (argv[1], NULL, 10) : 100000;
  g_autofree char *folder = bench_make_folder ();
  g_autoptr (HirTrace) trace = bench_trace_new (n, N_TRACKS);

  g_print ("%" G_GUINT64_FORMAT " events on %u tracks, all visible (goal of an SVG: 2 s, 5 MB)\n",
           n, N_TRACKS);
  measure (trace, folder, HIR_FIGURE_SVG, 180);
  measure (trace, folder, HIR_FIGURE_SVG, 400);
  measure (trace, folder, HIR_FIGURE_SVG, 5000);
  measure (trace, folder, HIR_FIGURE_PDF, 180);
  measure (trace, folder, HIR_FIGURE_PNG, 180);
  bench_remove_folder (folder);
  return 0;
}
