/* bench-window [EVENTS [TRACKS]]: measures the timeline in a real window. Run it under Xvfb with
 * GSK_RENDERER=cairo or gl. The same zooms and pans as in bench-frames, one per frame of GTK's
 * clock. Prints the CPU time of the process from frame to frame, which includes GTK and software
 * GL; starts when the worker that builds the indexes has finished. Checks nothing. */
#include <adwaita.h>
#include <math.h>
#include <stdlib.h>

#include "bench-make.h"
#include "canvas/canvas.h"
#include "canvas/shared-pixels.h"
#include "timeline/timeline-private.h"

#define N_FRAMES 300
#define N_WARMUP 20

typedef struct
{
  HirTimelineView *view;
  HirTrace *trace;
  GMainLoop *loop;
  guint frame;
  double before_s;
  GArray *ms;
} Bench;

/* Like in bench-frames. */
static void
place (Bench *bench, guint i)
{
  gint64 first, last;
  guint depth = i / 25 % 16, step = i % 25;
  double zoom = (depth < 8 ? depth : 15 - depth) + (step < 12 ? step / 12.0 : 1);
  double length, shift, middle;

  hir_trace_get_span (bench->trace, &first, &last);
  length = MAX ((double) (last - first) * pow (0.11, zoom), 1000);
  shift = step < 12 ? 0 : (step - 12) * 0.06 * length;
  middle = (double) first + (double) (last - first) * 0.43 + shift;
  hir_timeline_set_range (bench->view, middle - length / 2, middle + length / 2);
}

/* One frame (input, snapshot, render) lies between two ticks. */
static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  Bench *bench = data;
  double now = bench_cpu_s ();

  /* Wait for the worker that builds the indexes: it is not part of a frame. */
  if (bench->view->making != NULL)
    {
      gtk_widget_queue_draw (widget);
      return G_SOURCE_CONTINUE;
    }
  if (bench->frame > N_WARMUP)
    {
      double ms = (now - bench->before_s) * 1000;

      g_array_append_val (bench->ms, ms);
    }
  if (bench->frame == N_FRAMES + N_WARMUP)
    {
      g_main_loop_quit (bench->loop);
      return G_SOURCE_REMOVE;
    }
  place (bench, bench->frame++);
  gtk_widget_queue_draw (widget);
  bench->before_s = bench_cpu_s ();
  return G_SOURCE_CONTINUE;
}

int
main (int argc, char **argv)
{
  guint64 n = argc > 1 ? g_ascii_strtoull (argv[1], NULL, 10) : 10000000;
  guint n_tracks = argc > 2 ? (guint) atoi (argv[2]) : 256;
  g_autoptr (HirSelection) selection = NULL;
  GtkWidget *window;
  Bench bench = { 0 };
  GskRenderer *renderer;

  hir_canvas_keep_memory ();
  if (!gtk_init_check ())
    {
      g_print ("no display: run it under xvfb-run\n");
      return 77;
    }
  adw_init ();
  hir_shared_pixels_keep (gdk_display_get_default ());
  bench.trace = bench_trace_new (n, n_tracks);
  bench.ms = g_array_new (FALSE, FALSE, sizeof (double));
  bench.loop = g_main_loop_new (NULL, FALSE);
  selection = hir_selection_new ();
  bench.view = HIR_TIMELINE_VIEW (hir_timeline_view_new (selection));
  hir_selection_set_trace (selection, bench.trace);
  window = gtk_window_new ();
  gtk_window_set_default_size (GTK_WINDOW (window), 1600, 900);
  gtk_window_set_child (GTK_WINDOW (window), GTK_WIDGET (bench.view));
  gtk_window_present (GTK_WINDOW (window));
  gtk_widget_add_tick_callback (GTK_WIDGET (bench.view), on_tick, &bench, NULL);
  g_main_loop_run (bench.loop);
  renderer = gtk_native_get_renderer (GTK_NATIVE (window));
  g_print ("%.1f M events on %u tracks, 1600 x 900, %s: %u frames, ms of CPU p50 %.2f, p99 %.2f, "
           "max %.2f (goal p99 8.3)\n",
           (double) n / 1e6, n_tracks, G_OBJECT_TYPE_NAME (renderer), bench.ms->len,
           bench_quantile (bench.ms, 0.5), bench_quantile (bench.ms, 0.99),
           bench_quantile (bench.ms, 1));
  return 0;
}
