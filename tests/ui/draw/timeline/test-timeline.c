#include "diagnostic.h"
#include "draw/paint-pixels.h"
#include "draw/timeline/timeline-legend.h"
#include "draw/timeline/timeline-marks.h"
#include "draw/timeline/timeline-pointer.h"
#include "draw/timeline/timeline-scene.h"
#include "sample.h"
#include "timeline-rig.h"
#include "trace/edge.h"
#include "trace/track-set.h"

#include <math.h>
#include <string.h>

#define WIDTH RIG_WIDTH
#define HEADER 100

static void
test_rows (void)
{
  TimelineRig f;

  timeline_rig_set_up (&f, sample_trace_ag_matmul (), HEADER);
  g_assert_cmpuint (f.rows->rows->len, ==, 14);
  const HirTimelineRow *rows = (const HirTimelineRow *) (gpointer) f.rows->rows->data;
  g_assert_true (rows[0].is_header && rows[7].is_header);
  /* The streams of a rank are above its host thread. */
  for (guint i = 1; i < 7; i++)
    g_assert_cmpint (hir_trace_get_track (f.trace, rows[i].track)->kind == HIR_TRACK_HOST, ==,
                     i == 6);
  for (guint i = 0; i < f.rows->rows->len; i++)
    {
      g_assert_true (hir_timeline_rows_get_at (f.rows, rows[i].y) == &rows[i]);
      g_assert_true (hir_timeline_rows_get_at (f.rows, rows[i].y + rows[i].height - 0.5) ==
                     &rows[i]);
      g_assert_cmpuint (rows[i].n_lanes, ==, rows[i].is_header ? 0 : 1);
    }
  g_assert_null (hir_timeline_rows_get_at (f.rows, f.rows->height));
  g_assert_null (hir_timeline_rows_get_at (f.rows, -1));
  hir_timeline_rows_set_collapsed (f.rows, 0, TRUE);
  g_assert_cmpuint (f.rows->rows->len, ==, 8);
  hir_timeline_rows_set_collapsed (f.rows, 0, FALSE);
  g_assert_cmpuint (f.rows->rows->len, ==, 14);
  timeline_rig_tear_down (&f);
}

static void
test_glob (void)
{
  g_autoptr (HirTrace) trace = sample_trace_ag_matmul ();
  static const char *const globs[] = { "Stream*", "1/*", NULL };
  static const char *const nothing[] = { "nothing", NULL };
  g_autoptr (GArray) both = NULL, rank1 = NULL, none = NULL;
  g_autoptr (HirTimelineRows) rows = NULL, rows_of_rank1 = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (hir_track_set_find (trace, globs, &both, NULL));
  g_assert_true (hir_track_set_find (trace, globs + 1, &rank1, NULL));
  rows = hir_timeline_rows_new (trace, both);
  rows_of_rank1 = hir_timeline_rows_new (trace, rank1);
  g_assert_cmpuint (rows->rows->len, ==, 2 + 4 + 6);
  g_assert_cmpuint (rows_of_rank1->rows->len, ==, 1 + 6);
  g_assert_false (hir_track_set_find (trace, nothing, &none, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "\"nothing\""));
}

/* The cover of a selected track differs from that of the others, and the ruler counts them. */
static void
test_selected (void)
{
  TimelineRig f;
  g_autoptr (GArray) tracks = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree char *text = NULL;
  const HirTimelineRow *row;
  HirRect label;
  guint n[2] = { 0, 0 };

  timeline_rig_set_up (&f, sample_trace_ag_matmul (), HEADER);
  row = &g_array_index (f.rows->rows, HirTimelineRow, 2);
  label = hir_rect (0, hir_timeline_scene_get_row_y (&f.scene, row), HEADER, row->height);
  for (guint i = 0; i < 2; i++)
    {
      timeline_rig_draw (&f);
      for (guint s = 0; s < f.list->items->len; s++)
        n[i] += memcmp (&hir_display_list_get_item (f.list, s)->rect, &label, sizeof label) == 0;
      g_array_append_val (tracks, row->track);
      g_array_append_val (tracks, row->track);
      f.scene.tracks = hir_track_set_new_take (tracks);
    }
  g_assert_cmpuint (n[0], ==, 0);
  g_assert_cmpuint (n[1], ==, 1);
  text = hir_track_set_dup_text (tracks, f.trace);
  g_assert_true (g_str_has_prefix (text, "1 track of rank 0: "));
  timeline_rig_tear_down (&f);
}

/* Overlapping kernels of one stream are drawn below each other, and a click finds each of them. */
static void
test_lanes (void)
{
  TimelineRig f;

  timeline_rig_set_up (&f, sample_trace_regular (20, 100, 150), HEADER);
  g_assert_cmpuint (g_array_index (f.rows->rows, HirTimelineRow, 1).n_lanes, ==, 2);
  for (guint i = 0; i < 20; i++)
    g_assert_cmpuint (hir_timeline_rows_get_lane (f.rows, 0, i), ==, i % 2);
  for (guint i = 0; i < 20; i++)
    {
      HirTimelineHit hit;
      HirRect rect;

      g_assert_true (hir_timeline_scene_get_rect (&f.scene, 0, i, &rect));
      hir_timeline_scene_hit (&f.scene, rect.x + rect.width / 2, rect.y + rect.height / 2, &hit);
      g_assert_cmpint (hit.part, ==, HIR_TIMELINE_EVENT);
      g_assert_cmpuint (hit.index, ==, i);
    }
  timeline_rig_tear_down (&f);
}

/* A bar has the longest label that fits: without arguments, then without iteration, then without
 * the ends of the name, or abbreviated. */
static void
test_short_labels (void)
{
  static const struct
  {
    const char *name;
    HirEventKind kind;
    gint32 iteration;
    double width;
    const char *label;
  } rows[] = {
    { "Allgather T5", HIR_EVENT_COMMUNICATION, 12, 200, "Allgather T5 \302\267 12" },
    { "Allgather T5", HIR_EVENT_COMMUNICATION, 12, 90, "Allgather \302\267 12" },
    { "Allgather T5", HIR_EVENT_COMMUNICATION, 12, 50, "AG \302\267 12" },
    { "Allgather T5", HIR_EVENT_COMMUNICATION, 12, 30, "AG" },
    { "T6_matmul", HIR_EVENT_KERNEL, 3, 36, "MM" },
    { "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", HIR_EVENT_COMMUNICATION,
      -1, 160, "ncclDevKernel_AllGather" },
    { "ampere_sgemm_128x64_tn", HIR_EVENT_KERNEL, -1, 105, "ampere_sgemm" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      HirTraceBuilder *builder = hir_trace_builder_new ();
      HirTrack track = { HIR_TRACK_STREAM, 0, 0, 0, (char *) "Stream 0" };
      HirEvent event = { .end_ns = 1000,
                         .name = hir_trace_builder_intern (builder, rows[i].name),
                         .iteration = rows[i].iteration,
                         .kind = rows[i].kind };
      TimelineRig f;

      hir_trace_builder_add_track (builder, &track);
      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
      timeline_rig_set_up (&f, hir_trace_builder_finish (builder), HEADER);
      f.scene.end_ns = (gint64) (1000 * (WIDTH - HEADER) / rows[i].width);
      timeline_rig_draw (&f);
      if (!list_has_text (f.list, rows[i].label))
        g_error ("'%s' has no label '%s' in %g pixels", rows[i].name, rows[i].label, rows[i].width);
      timeline_rig_tear_down (&f);
    }
}

static void
test_labels_and_hits (void)
{
  HirTimelineHit hit;
  TimelineRig f;

  timeline_rig_set_up (&f, sample_trace_ag_matmul (), HEADER);
  hir_timeline_scene_draw (&f.scene, f.list);
  g_assert_true (list_has_text (f.list, "matmul · 5"));
  g_assert_true (list_has_text (f.list, "rank 1"));
  g_assert_true (list_has_text (f.list, "0.50 ms"));
  g_assert_true (list_has_text (f.list, "modelled time"));
  for (guint track = 0; track < hir_trace_get_n_tracks (f.trace); track++)
    for (guint i = 0; i < hir_trace_get_track_n_events (f.trace, track); i++)
      {
        HirRect rect;

        g_assert_true (hir_timeline_scene_get_rect (&f.scene, track, i, &rect));
        hir_timeline_scene_hit (&f.scene, rect.x + rect.width / 2, rect.y + 4, &hit);
        g_assert_cmpint (hit.part, ==, HIR_TIMELINE_EVENT);
        g_assert_cmpuint (hit.track, ==, track);
        g_assert_cmpuint (hit.index, ==, i);
      }
  hir_timeline_scene_hit (&f.scene, 300, 5, &hit);
  g_assert_cmpint (hit.part, ==, HIR_TIMELINE_RULER);
  hir_timeline_scene_hit (&f.scene, 300, HIR_TIMELINE_RULER_HEIGHT + 5, &hit);
  g_assert_cmpint (hit.part, ==, HIR_TIMELINE_RANK);
  hir_timeline_scene_hit (&f.scene, 30, HIR_TIMELINE_RULER_HEIGHT + 30, &hit);
  g_assert_cmpint (hit.part, ==, HIR_TIMELINE_TRACK);
  hir_timeline_scene_hit (&f.scene, 300, 4000, &hit);
  g_assert_cmpint (hit.part, ==, HIR_TIMELINE_NOTHING);
  timeline_rig_tear_down (&f);
}

/* A selected range leaves the times of the ruler readable, except below its own label. */
static void
test_ruler_in_range (void)
{
  TimelineRig f;
  gboolean has_ground = FALSE;

  timeline_rig_set_up (&f, sample_trace_regular (10, 100, 50), HEADER);
  f.scene.start_ns = 0;
  f.scene.end_ns = f.scene.band_end_ns = 1000;
  timeline_rig_draw (&f);
  g_assert_true (list_has_text (f.list, "0 ns \u2013 1.00 \u00b5s  \u00b7  1.00 \u00b5s"));
  g_assert_true (list_has_text (f.list, "0.2 µs"));
  g_assert_true (list_has_text (f.list, "0.8 µs"));
  g_assert_false (list_has_text (f.list, "0.5 µs"));
  /* After the highlighted part of the ruler, which is drawn first. */
  for (guint i = 0; i < f.list->items->len; i++)
    {
      const HirDrawItem *item = hir_display_list_get_item (f.list, i);

      has_ground |= item->fill == f.scene.theme->accent_fill && item->rect.y == 0;
      g_assert_true (has_ground || item->kind != HIR_DRAW_TEXT ||
                     strcmp (hir_display_list_get_text (f.list, item), "0.2 µs") != 0);
    }
  timeline_rig_tear_down (&f);
}

/* A label of the ruler is above the flag of a mark, and others keep their place. */
static void
test_ruler_above_mark (void)
{
  HirTimelineMark mark = { 510, (char *) "slow" };
  g_autoptr (GArray) marks = g_array_new (FALSE, FALSE, sizeof mark);
  TimelineRig f;
  guint n = 0;

  timeline_rig_set_up (&f, sample_trace_regular (10, 100, 50), HEADER);
  g_array_append_val (marks, mark);
  f.scene.marks = marks;
  f.scene.start_ns = 0;
  f.scene.end_ns = 1000;
  timeline_rig_draw (&f);
  for (guint i = 0; i < f.list->items->len; i++)
    {
      const HirDrawItem *item = hir_display_list_get_item (f.list, i);
      gboolean is_above;

      if (item->kind != HIR_DRAW_TEXT || item->rect.y != 0 ||
          !g_str_has_suffix (hir_display_list_get_text (f.list, item), " µs"))
        continue;
      is_above = strcmp (hir_display_list_get_text (f.list, item), "0.5 µs") == 0;
      g_assert_cmpfloat (item->rect.height, ==,
                         HIR_TIMELINE_RULER_HEIGHT - (is_above ? HIR_TIMELINE_FLAG_HEIGHT : 0));
      n++;
    }
  g_assert_cmpuint (n, >, 3);
  timeline_rig_tear_down (&f);
}

/* The label of a range is above the flag of a mark in it, whose name stays readable. */
static void
test_range_above_mark (void)
{
  HirTimelineMark mark = { 500, (char *) "slow" };
  g_autoptr (GArray) marks = g_array_new (FALSE, FALSE, sizeof mark);
  TimelineRig f;

  timeline_rig_set_up (&f, sample_trace_regular (10, 100, 50), HEADER);
  g_array_append_val (marks, mark);
  f.scene.start_ns = 0;
  f.scene.end_ns = f.scene.band_end_ns = 1000;
  for (guint with = 0; with < 2; with++)
    {
      guint n = 0;

      f.scene.marks = with ? marks : NULL;
      timeline_rig_draw (&f);
      for (guint i = 0; i < f.list->items->len; i++)
        {
          const HirDrawItem *item = hir_display_list_get_item (f.list, i);
          double end = item->rect.y + item->rect.height;

          if (item->kind != HIR_DRAW_TEXT ||
              strstr (hir_display_list_get_text (f.list, item), "\u2013 1.00 \u00b5s") == NULL)
            continue;
          g_assert_true (with == (end <= HIR_TIMELINE_RULER_HEIGHT - HIR_TIMELINE_FLAG_HEIGHT));
          n++;
        }
      g_assert_cmpuint (n, ==, 1);
    }
  timeline_rig_tear_down (&f);
}

/* An arrow from a distant event starts near its end and crosses nothing else. */
static void
test_flow_from_outside (void)
{
  HirTimelineLink link = { 0, 0, 0, 9 };
  g_autoptr (GArray) none = g_array_new (FALSE, FALSE, sizeof (HirTimelineLink));
  TimelineRig f;
  gboolean found = FALSE;

  timeline_rig_set_up (&f, sample_trace_regular (10, 100, 50), HEADER);
  f.scene.start_ns = 500;
  f.scene.end_ns = 1000;
  f.scene.flows = none;
  f.scene.links = &link;
  f.scene.n_links = 1;
  timeline_rig_draw (&f);
  for (guint i = 0; i < f.list->items->len; i++)
    {
      const HirDrawItem *item = hir_display_list_get_item (f.list, i);

      if (item->kind != HIR_DRAW_BEZIER)
        continue;
      g_assert_cmpfloat (hir_display_list_get_points (f.list, item)[0].x, >, HEADER + 400);
      found = TRUE;
    }
  g_assert_true (found);
  timeline_rig_tear_down (&f);
}

static void
test_position (void)
{
  TimelineRig f;

  timeline_rig_set_up (&f, sample_trace_ag_matmul (), HEADER);
  /* Times of an old clock keep their last digits. */
  f.scene.start_ns = G_GINT64_CONSTANT (1700000000000000000);
  f.scene.end_ns = f.scene.start_ns + (WIDTH - HEADER) * 10;
  g_assert_cmpfloat (hir_timeline_scene_get_x (&f.scene, f.scene.start_ns), ==, HEADER);
  g_assert_cmpfloat (hir_timeline_scene_get_x (&f.scene, f.scene.end_ns), ==, WIDTH);
  g_assert_cmpfloat (hir_timeline_scene_get_x (&f.scene, f.scene.start_ns + 20), ==, HEADER + 2);
  g_assert_cmpint (hir_timeline_scene_get_time (&f.scene, HEADER + 2), ==, f.scene.start_ns + 20);
  timeline_rig_tear_down (&f);
}

/* Checks that the texts of the ruler are inside the view, do not overlap and differ. Returns their
 * number. */
static guint
check_ruler (TimelineRig *f, gboolean *has_base)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  double end = 0;
  guint n = 0;

  *has_base = FALSE;
  timeline_rig_draw (f);
  for (guint i = 0; i < f->list->items->len; i++)
    {
      const HirDrawItem *item = hir_display_list_get_item (f->list, i);
      const char *text;

      if (item->kind != HIR_DRAW_TEXT || item->rect.y != 0)
        continue;
      text = hir_display_list_get_text (f->list, item);
      g_assert_cmpfloat (item->rect.x, >=, end);
      end = item->rect.x + hir_measure_get_width (f->measure, HIR_FONT_SANS, item->radius, text);
      g_assert_cmpfloat (end, <=, f->scene.width);
      g_assert_true (g_hash_table_add (seen, (gpointer) text));
      *has_base |= g_str_has_suffix (text, "+");
      n++;
    }
  return n;
}

/* From 1 ns to an hour at any position in a trace of an hour, with and without space in the
 * corner. */
static void
test_ruler (void)
{
  const gint64 hour = G_GINT64_CONSTANT (3600000000000);
  TimelineRig f;

  timeline_rig_set_up (&f, sample_trace_regular (2, hour - 10, 10), HEADER);
  for (int narrow = 0; narrow < 2; narrow++)
    for (double range = 1; range <= (double) hour; range *= 1.37)
      for (int place = 0; place < 8; place++)
        {
          gboolean has_base;
          guint n;

          f.scene.header_width = narrow ? 60 : HEADER;
          f.scene.start_ns =
              (gint64) ((double) hour / 7 * place) - (place == 0 ? (gint64) range / 2 : 0);
          f.scene.end_ns = f.scene.start_ns + (gint64) range;
          n = check_ruler (&f, &has_base);
          g_assert_cmpuint (n, >=, range < 4 ? 1 : 2);
          if (place > 0 && range * 10000 < (double) f.scene.start_ns)
            g_assert_true (has_base);
          if (range > (double) hour / 100)
            g_assert_false (has_base);
        }
  timeline_rig_tear_down (&f);
}

static guint
count_outlines (const TimelineRig *f, HirColor color)
{
  guint n = 0;

  for (guint i = 0; i < f->list->items->len; i++)
    n += hir_display_list_get_item (f->list, i)->stroke == color &&
         hir_display_list_get_item (f->list, i)->kind == HIR_DRAW_ROUND_RECT;
  return n;
}

static guint
count_beziers (const TimelineRig *f)
{
  guint n = 0;

  for (guint i = 0; i < f->list->items->len; i++)
    n += hir_display_list_get_item (f->list, i)->kind == HIR_DRAW_BEZIER;
  return n;
}

static void
test_selection (void)
{
  guint n_shining = 0;
  TimelineRig f;

  timeline_rig_set_up (&f, sample_trace_ag_matmul (), HEADER);
  hir_timeline_scene_draw (&f.scene, f.list);
  g_assert_cmpuint (count_outlines (&f, f.scene.theme->text), ==, 0);
  hir_display_list_clear (f.list);
  f.scene.has_selection = TRUE;
  f.scene.selected_track = 1;
  f.scene.selected_index = 1;
  f.scene.related = SAMPLE_MATMUL;
  hir_timeline_scene_draw (&f.scene, f.list);
  /* The selected bar is drawn again above its neighbors. */
  g_assert_cmpuint (count_outlines (&f, f.scene.theme->text), ==, 2);
  /* Eight matmuls on each of two ranks, except the selected one. Their issues are too thin for an
   * outline and are highlighted as a whole. */
  g_assert_cmpuint (count_outlines (&f, f.scene.theme->accent), ==, 15);
  for (guint i = 0; i < f.list->items->len; i++)
    n_shining += hir_display_list_get_item (f.list, i)->kind == HIR_DRAW_RECT &&
                 hir_display_list_get_item (f.list, i)->fill == f.scene.theme->accent;
  g_assert_cmpuint (n_shining, ==, 16);
  /* The issue on the same rank. */
  g_assert_cmpuint (count_beziers (&f), ==, 1);
  timeline_rig_tear_down (&f);
}

/* Returns a trace with two streams: work, and work after a wait for it. */
static HirTrace *
new_edge_trace (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  const HirEdge edge = { 1, 2, 0, 1 };

  for (guint i = 0; i < 2; i++)
    {
      HirTrack track = { HIR_TRACK_STREAM, 0, 0, i, (char *) "Stream" };
      HirEvent event = { .start_ns = 1000 * i, .end_ns = 1000 * i + 900, .correlation = i + 1 };

      event.track = (guint16) hir_trace_builder_add_track (builder, &track);
      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  hir_trace_builder_add_edge (builder, &edge);
  return hir_trace_builder_finish (builder);
}

static void
test_edges (void)
{
  TimelineRig f;

  timeline_rig_set_up (&f, new_edge_trace (), HEADER);
  hir_timeline_scene_draw (&f.scene, f.list);
  g_assert_cmpuint (count_beziers (&f), ==, 0);
  f.scene.has_selection = TRUE;
  for (guint track = 0; track < 2; track++)
    {
      hir_display_list_clear (f.list);
      f.scene.selected_track = track;
      hir_timeline_scene_draw (&f.scene, f.list);
      g_assert_cmpuint (count_beziers (&f), ==, 1);
    }
  timeline_rig_tear_down (&f);
}

/* With any number of events per pixel, the cost does not grow, and each column with an event is
 * visible. */
static void
test_every_event_leaves_ink (void)
{
  const guint n = 400000;
  guint items_of_many;
  cairo_surface_t *surface;
  const guint32 *pixels;
  int stride, y, plot = WIDTH - HEADER;
  TimelineRig f;

  timeline_rig_set_up (&f, sample_trace_regular (n, 1000, 3), HEADER);
  hir_timeline_scene_draw (&f.scene, f.list);
  items_of_many = f.list->items->len;
  g_assert_cmpuint (items_of_many, <, 3 * WIDTH);

  /* One event, shorter than a hundredth of a pixel, in each 20th column. */
  timeline_rig_tear_down (&f);
  timeline_rig_set_up (&f, sample_trace_regular ((guint) plot / 20, 20000000, 1000), HEADER);
  f.scene.start_ns = -10000000;
  f.scene.end_ns = f.scene.start_ns + plot * G_GINT64_CONSTANT (1000000);
  hir_timeline_scene_draw (&f.scene, f.list);
  surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, WIDTH, (int) f.scene.height);
  hir_paint_pixels (f.list, surface, 1, 0, 0, NULL);
  cairo_surface_flush (surface);
  pixels = (const guint32 *) (gconstpointer) cairo_image_surface_get_data (surface);
  stride = cairo_image_surface_get_stride (surface) / 4;
  y = (int) (HIR_TIMELINE_RULER_HEIGHT + g_array_index (f.rows->rows, HirTimelineRow, 1).y + 8);
  for (int i = 0; i < plot / 20; i++)
    {
      guint ink = 0;

      for (int dx = 0; dx < 2; dx++)
        ink = MAX (ink, pixels[y * stride + HEADER + 10 + i * 20 + dx] & 255);
      g_assert_cmpuint (ink, >, 0x60);
      g_assert_cmpuint (pixels[y * stride + HEADER + 20 + i * 20] & 255, <, 0x50);
    }
  cairo_surface_destroy (surface);
  timeline_rig_tear_down (&f);
}

/* Reads the index: one single event, and 100,000 events elsewhere. */
static void
test_lone_event_in_summary (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  char name[] = "Stream 0";
  HirTrack track = { HIR_TRACK_STREAM, 0, 0, 0, name };
  HirEvent event = { .kind = HIR_EVENT_KERNEL, .iteration = -1 };
  gboolean found = FALSE;
  TimelineRig f;

  hir_trace_builder_add_track (builder, &track);
  event.name = hir_trace_builder_intern (builder, "matmul");
  for (int i = 0; i < 100000; i++)
    {
      event.start_ns = i * 10;
      event.end_ns = i * 10 + 9;
      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  event.start_ns = event.end_ns = 1500000;
  g_assert_true (hir_trace_builder_add (builder, &event, NULL));
  timeline_rig_set_up (&f, hir_trace_builder_finish (builder), HEADER);
  f.scene.end_ns = 2000000;
  hir_timeline_scene_draw (&f.scene, f.list);
  for (guint i = 0; i < f.list->items->len; i++)
    {
      const HirDrawItem *item = hir_display_list_get_item (f.list, i);
      double x = HEADER + 0.75 * (WIDTH - HEADER) - item->rect.x;

      if (item->kind != HIR_DRAW_COLUMNS || x < 0 || x >= item->rect.width)
        continue;
      /* One opaque column, because the event is the only one there. */
      found |= hir_display_list_get_columns (f.list, item)[(guint) x] ==
               hir_theme_get_event_color (f.scene.theme, HIR_EVENT_KERNEL, "matmul");
      g_assert_cmpuint (hir_display_list_get_columns (f.list, item)[(guint) x - 20], ==, 0);
    }
  g_assert_true (found);
  timeline_rig_tear_down (&f);
}

static void
test_empty (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  TimelineRig f;

  timeline_rig_set_up (&f, hir_trace_builder_finish (builder), HEADER);
  f.scene.end_ns = f.scene.start_ns + 1;
  f.scene.height = 100;
  hir_timeline_scene_draw (&f.scene, f.list);
  g_assert_true (list_has_text (f.list, "no events were recorded"));
  timeline_rig_tear_down (&f);
}

/* In a comparison, the ranks of B follow those of A, and both are named. */
static void
test_names_of_traces (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  TimelineRig f;

  for (int rank = 0; rank < 2; rank++)
    {
      HirTrack track = { HIR_TRACK_STREAM, rank, 0, HIR_DEFAULT_STREAM,
                         (char *) HIR_DEFAULT_STREAM_NAME };
      HirEvent event = { .end_ns = 10, .iteration = -1 };

      event.track = (guint16) hir_trace_builder_add_track (builder, &track);
      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  hir_trace_builder_set_meta (builder, "ranks_of_a", "1");
  hir_trace_builder_set_meta (builder, "name_of_a", "old");
  hir_trace_builder_set_meta (builder, "name_of_b", "new");
  timeline_rig_set_up (&f, hir_trace_builder_finish (builder), HEADER);
  hir_timeline_scene_draw (&f.scene, f.list);
  g_assert_true (list_has_text (f.list, "A old · rank 0"));
  g_assert_true (list_has_text (f.list, "B new · rank 0"));
  g_assert_true (list_has_text (f.list, HIR_DEFAULT_STREAM_NAME));
  g_assert_false (list_has_text (f.list, "#999"));
  timeline_rig_tear_down (&f);
}

static HirTrace *
new_waiting_trace (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  HirTrack track = { .rank = 0, .kind = HIR_TRACK_STREAM, .name = (char *) "Stream 0" };
  guint index = hir_trace_builder_add_track (builder, &track);
  HirEvent work = { .start_ns = 0,
                    .end_ns = 300,
                    .kind = HIR_EVENT_KERNEL,
                    .iteration = 5,
                    .name = hir_trace_builder_intern (builder, "T4_matmul") };
  HirEvent wait = work;

  work.track = wait.track = index;
  wait.start_ns = 400;
  wait.end_ns = 1000;
  wait.kind = HIR_EVENT_SYNC;
  g_assert_true (hir_trace_builder_add (builder, &work, NULL));
  g_assert_true (hir_trace_builder_add (builder, &wait, NULL));
  return hir_trace_builder_finish (builder);
}

static const HirDrawItem *
find_widest_bar (const HirDisplayList *list)
{
  const HirDrawItem *best = NULL;

  for (guint i = 0; i < list->items->len; i++)
    {
      const HirDrawItem *item = hir_display_list_get_item (list, i);

      if (item->kind == HIR_DRAW_ROUND_RECT &&
          (best == NULL || item->rect.width > best->rect.width))
        best = item;
    }
  return best;
}

/* Waits differ from work not only by color: they have an outline, and a fill close to the
 * background. */
static void
test_waiting_is_hollow (void)
{
  TimelineRig f;
  const HirDrawItem *bar;
  HirColor ground, fill, stroke;
  guint n_hollow = 0;

  timeline_rig_set_up (&f, new_waiting_trace (), HEADER);
  ground = f.scene.theme->background;
  hir_timeline_scene_draw (&f.scene, f.list);
  bar = find_widest_bar (f.list);
  g_assert_cmpfloat (bar->rect.width, >, 0.55 * (WIDTH - HEADER));
  g_assert_cmpfloat (hir_color_contrast (bar->fill, ground), <,
                     hir_color_contrast (bar->stroke, ground) / 1.3);
  g_assert_true (list_has_text (f.list, "T4_matmul · 5"));
  /* So does the legend. */
  fill = bar->fill;
  stroke = bar->stroke;
  hir_display_list_clear (f.list);
  hir_timeline_legend_draw (&f.scene, f.list, 0, 0, WIDTH);
  for (guint i = 0; i < f.list->items->len; i++)
    {
      const HirDrawItem *item = hir_display_list_get_item (f.list, i);

      n_hollow += item->fill == fill && item->stroke == stroke;
    }
  g_assert_cmpuint (n_hollow, ==, 1);
  f.scene.end_ns = 350;
  hir_display_list_clear (f.list);
  hir_timeline_scene_draw (&f.scene, f.list);
  bar = find_widest_bar (f.list);
  g_assert_cmpuint (bar->stroke >> 24, ==, 0);
  g_assert_cmpfloat (hir_color_contrast (bar->fill, ground), >, 2);
  /* If the whole name does not fit, the operation is shown. Its iteration is the last part that is
   * left out before the operation, so that no "T4_matmul" reads like iteration 4. */
  f.scene.end_ns = 300 * (WIDTH - HEADER) / 80;
  hir_display_list_clear (f.list);
  hir_timeline_scene_draw (&f.scene, f.list);
  g_assert_true (list_has_text (f.list, "matmul · 5"));
  for (int px = 20; px < 140; px++)
    {
      f.scene.end_ns = 300 * (WIDTH - HEADER) / px;
      hir_display_list_clear (f.list);
      hir_timeline_scene_draw (&f.scene, f.list);
      g_assert_false (list_has_text (f.list, "T4_matmul"));
    }
  timeline_rig_tear_down (&f);
}

/* Bars are on whole pixels on screen, and exact in a figure. */
static void
test_whole_pixels (void)
{
  TimelineRig f;

  for (guint exact = 0; exact < 2; exact++)
    {
      guint n_whole = 0, n_bars = 0;

      timeline_rig_set_up (&f, sample_trace_regular (40, 1003, 710), HEADER);
      f.scene.exact = exact;
      hir_timeline_scene_draw (&f.scene, f.list);
      for (guint i = 0; i < f.list->items->len; i++)
        {
          const HirDrawItem *item = hir_display_list_get_item (f.list, i);

          if (item->kind != HIR_DRAW_ROUND_RECT || item->rect.x < HEADER)
            continue;
          n_bars++;
          n_whole += item->rect.x == floorf (item->rect.x) &&
                     item->rect.width == floorf (item->rect.width);
        }
      g_assert_cmpuint (n_bars, >=, 30);
      if (exact)
        g_assert_cmpuint (n_whole, <, n_bars / 2);
      else
        g_assert_cmpuint (n_whole, ==, n_bars);
      timeline_rig_tear_down (&f);
    }
}

/* At the end of the recording or, after going back, at the event; drawn over the row of the
 * host. */
static void
test_pointer (void)
{
  g_autoptr (HirTrace) trace = sample_trace_ag_matmul ();
  guint track, n, n_items;
  gint64 front, back;
  HirEvent event;
  TimelineRig f;

  g_assert_false (hir_timeline_find_pointer (NULL, 0, 1, -1, FALSE, &track, &front));
  g_assert_false (hir_timeline_find_pointer (trace, 77, 1, -1, FALSE, &track, &front));
  g_assert_true (hir_timeline_find_pointer (trace, 0, 1, -1, FALSE, &track, &front));
  g_assert_cmpint (hir_trace_get_track (trace, track)->kind, ==, HIR_TRACK_HOST);
  n = hir_trace_get_track_n_events (trace, track);
  hir_trace_get_event (trace, track, n - 1, &event);
  g_assert_cmpint (front, ==, event.end_ns);
  g_assert_true (hir_timeline_find_pointer (trace, 0, event.instruction, event.iteration, TRUE,
                                            &track, &back));
  g_assert_cmpint (back, ==, event.start_ns);
  g_assert_true (hir_timeline_find_pointer (trace, 0, 424242, 3, TRUE, &track, &back));
  g_assert_cmpint (back, ==, front);
  timeline_rig_set_up (&f, hir_trace_ref (trace), HEADER);
  hir_display_list_clear (f.list);
  hir_timeline_scene_draw (&f.scene, f.list);
  n_items = f.list->items->len;
  f.scene.has_pointer = TRUE;
  f.scene.pointer_track = track;
  f.scene.pointer_ns = front;
  hir_display_list_clear (f.list);
  hir_timeline_scene_draw (&f.scene, f.list);
  g_assert_cmpuint (f.list->items->len, ==, n_items + 2);
  f.scene.pointer_ns = f.scene.end_ns + 10 * (f.scene.end_ns - f.scene.start_ns);
  hir_display_list_clear (f.list);
  hir_timeline_scene_draw (&f.scene, f.list);
  g_assert_cmpuint (f.list->items->len, ==, n_items);
  timeline_rig_tear_down (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/timeline/rows", test_rows);
  g_test_add_func ("/timeline/glob", test_glob);
  g_test_add_func ("/timeline/selected", test_selected);
  g_test_add_func ("/timeline/lanes", test_lanes);
  g_test_add_func ("/timeline/ruler-in-range", test_ruler_in_range);
  g_test_add_func ("/timeline/flow-from-outside", test_flow_from_outside);
  g_test_add_func ("/timeline/names-of-traces", test_names_of_traces);
  g_test_add_func ("/timeline/labels-and-hits", test_labels_and_hits);
  g_test_add_func ("/timeline/short-labels", test_short_labels);
  g_test_add_func ("/timeline/position", test_position);
  g_test_add_func ("/timeline/ruler-above-mark", test_ruler_above_mark);
  g_test_add_func ("/timeline/range-above-mark", test_range_above_mark);
  g_test_add_func ("/timeline/ruler", test_ruler);
  g_test_add_func ("/timeline/selection", test_selection);
  g_test_add_func ("/timeline/edges", test_edges);
  g_test_add_func ("/timeline/ink", test_every_event_leaves_ink);
  g_test_add_func ("/timeline/lone-event", test_lone_event_in_summary);
  g_test_add_func ("/timeline/empty", test_empty);
  g_test_add_func ("/timeline/waiting", test_waiting_is_hollow);
  g_test_add_func ("/timeline/whole-pixels", test_whole_pixels);
  g_test_add_func ("/timeline/pointer", test_pointer);
  return g_test_run ();
}
