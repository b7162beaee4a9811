/* bench-frames [EVENTS [TRACKS]]: measures the time of a timeline frame. Zooms and pans over a
 * trace of 10 million events on 256 tracks, in two view sizes. Each frame is converted to a
 * display list and painted, by the window's painter and by cairo. Prints CPU time, p50 and p99.
 * Checks nothing. */
#include <math.h>
#include <stdlib.h>

#include "bench-make.h"
#include "draw/paint-cairo.h"
#include "draw/paint-pixels.h"
#include "draw/timeline/timeline-scene.h"

#define N_FRAMES 400

typedef struct
{
  const HirTimelineRows *rows;
  HirMeasure *measure;
  HirDisplayList *list;
  HirTextCache *texts;
  double width, height;
  GArray *scene_ms, *pixels_ms, *cairo_ms; /* double, one per frame */
} Bench;

/* Frame @i: zooms from the whole trace to 1 µs, pans at each of eight levels, and zooms out
 * again, while the rows scroll. */
static void
place (const Bench *bench, guint i, HirTimelineScene *scene)
{
  gint64 first, last;
  guint depth = i / 25 % 16, step = i % 25;
  double zoom = (depth < 8 ? depth : 15 - depth) + (step < 12 ? step / 12.0 : 1);
  double length, shift, middle;

  hir_trace_get_span (bench->rows->trace, &first, &last);
  length = MAX ((double) (last - first) * pow (0.11, zoom), 1000);
  shift = step < 12 ? 0 : (step - 12) * 0.06 * length;
  middle = (double) first + (double) (last - first) * 0.43 + shift;
  scene->start_ns = (gint64) (middle - length / 2);
  scene->end_ns = MAX ((gint64) (middle + length / 2), scene->start_ns + 1);
  scene->scroll_y = MAX (bench->rows->height - bench->height, 0) * (i % 50) / 50;
}

static void
add (GArray *values, double *since)
{
  double now = bench_cpu_s (), ms = (now - *since) * 1000;

  g_array_append_val (values, ms);
  *since = now;
}

static void
run_frames (Bench *bench)
{
  cairo_surface_t *surface =
      cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int) bench->width, (int) bench->height);

  for (guint i = 0; i < N_FRAMES; i++)
    {
      HirTimelineScene scene = { .rows = bench->rows,
                                 .theme = hir_theme_get (FALSE),
                                 .measure = bench->measure,
                                 .width = bench->width,
                                 .height = bench->height };
      double since;
      cairo_t *cr;

      scene.header_width = hir_timeline_scene_get_header_width (bench->rows, bench->measure);
      place (bench, i, &scene);
      since = bench_cpu_s ();
      hir_display_list_clear (bench->list);
      hir_timeline_scene_draw (&scene, bench->list);
      add (bench->scene_ms, &since);
      hir_paint_pixels (bench->list, surface, 1, 0, 0, bench->texts);
      add (bench->pixels_ms, &since);
      cr = cairo_create (surface);
      hir_paint_cairo (bench->list, cr, NULL);
      cairo_destroy (cr);
      add (bench->cairo_ms, &since);
    }
  cairo_surface_destroy (surface);
}

static GArray *
add_columns (const GArray *a, const GArray *b)
{
  GArray *sum = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; i < a->len; i++)
    {
      double both = g_array_index (a, double, i) + g_array_index (b, double, i);

      g_array_append_val (sum, both);
    }
  return sum;
}

static void
print_row (const char *name, GArray *values)
{
  g_print ("  %-28s %8.2f %8.2f %8.2f\n", name, bench_quantile (values, 0.5),
           bench_quantile (values, 0.99), bench_quantile (values, 1));
}

static void
measure_view (const HirTimelineRows *rows, double width, double height)
{
  g_autoptr (HirMeasure) measure = hir_measure_new ();
  g_autoptr (HirDisplayList) list = hir_display_list_new ();
  Bench bench = { rows,
                  measure,
                  list,
                  hir_text_cache_new (),
                  width,
                  height,
                  g_array_new (FALSE, FALSE, sizeof (double)),
                  g_array_new (FALSE, FALSE, sizeof (double)),
                  g_array_new (FALSE, FALSE, sizeof (double)) };
  g_autoptr (GArray) by_pixels = NULL, by_cairo = NULL;

  run_frames (&bench);
  by_pixels = add_columns (bench.scene_ms, bench.pixels_ms);
  by_cairo = add_columns (bench.scene_ms, bench.cairo_ms);
  g_print ("\n%.0f x %.0f pixels, %u frames, ms of CPU     p50      p99      max   (goal p99 "
           "8.3)\n",
           width, height, N_FRAMES);
  print_row ("display list", bench.scene_ms);
  print_row ("window's painter", bench.pixels_ms);
  print_row ("cairo painter", bench.cairo_ms);
  print_row ("list + window's painter", by_pixels);
  print_row ("list + cairo painter", by_cairo);
  g_array_unref (bench.scene_ms);
  g_array_unref (bench.pixels_ms);
  g_array_unref (bench.cairo_ms);
  hir_text_cache_free (bench.texts);
}

int
main (int argc, char **argv)
{
  guint64 n = argc > 1 ? g_ascii_strtoull (argv[1], NULL, 10) : 10000000;
  guint n_tracks = argc > 2 ? (guint) atoi (argv[2]) : 256;
  double start = bench_cpu_s ();
  g_autoptr (HirTrace) trace = bench_trace_new (n, n_tracks);
  g_autoptr (HirTimelineRows) rows = NULL;

  g_print ("%.1f M events on %u tracks, made in %.1f s; %.1f bytes of memory per event (goal 48)\n",
           (double) n / 1e6, n_tracks, bench_cpu_s () - start,
           (double) hir_trace_get_size_bytes (trace) / (double) n);
  start = bench_cpu_s ();
  rows = hir_timeline_rows_new (trace, NULL);
  hir_timeline_indexes_make_all (rows->indexes, NULL);
  start = bench_cpu_s () - start;
  g_print (
      "indexes built by a worker: %.3f s of CPU and %.1f bytes per event; total %.1f (goal 48)\n",
      start, (double) hir_timeline_indexes_get_size_bytes (rows->indexes) / (double) n,
      (double) (hir_trace_get_size_bytes (trace) +
                hir_timeline_indexes_get_size_bytes (rows->indexes)) /
          (double) n);
  measure_view (rows, 1920, 1080);
  measure_view (rows, 3840, 2160);
  return 0;
}
