/* Tests many ranks: folded groups with their summary, and relations across them. */
#include "draw/timeline/timeline-scene.h"
#include "draw/timeline/timeline-summary.h"
#include "timeline-rig.h"
#include "trace/comm-records.h"

#include <string.h>

#define WIDTH RIG_WIDTH
#define HEADER 120
#define N_RANKS 8

/* Eight ranks with a stream and a channel: computation [0, 60), communication [40, 100), each rank
 * 2 later than the previous one. Then each rank sends a message to the next one at [200, 210),
 * received at [205, 230). */
static HirTrace *
new_trace (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();

  hir_trace_builder_set_meta (builder, "backend", "cuda");
  hir_trace_builder_set_meta (builder, "device_name", "Some GPU");
  for (int rank = 0; rank < N_RANKS; rank++)
    {
      HirTrack stream = { HIR_TRACK_STREAM, rank, rank, 1, (char *) "Stream 0" };
      HirTrack link = { HIR_TRACK_LINK, rank, rank, 1000, (char *) "comm" };
      HirEvent event = { .iteration = -1, .kind = HIR_EVENT_KERNEL };
      HirCommRecord record = { .rank = rank };
      g_autofree char *right = hir_comm_record_dup_pair_key (rank, (rank + 1) % N_RANKS);
      g_autofree char *left = hir_comm_record_dup_pair_key ((rank + N_RANKS - 1) % N_RANKS, rank);

      event.track = (guint16) hir_trace_builder_add_track (builder, &stream);
      event.start_ns = 2 * rank;
      event.end_ns = 60 + 2 * rank;
      event.name = hir_trace_builder_intern (builder, "matmul");
      hir_trace_builder_add (builder, &event, NULL);
      event.kind = HIR_EVENT_SYNC; /* a wait is not work */
      event.start_ns = 110;
      event.end_ns = 190;
      hir_trace_builder_add (builder, &event, NULL);
      event.track = (guint16) hir_trace_builder_add_track (builder, &link);
      event.kind = HIR_EVENT_COMMUNICATION;
      for (guint32 n = 0; n < 3; n++)
        {
          static const gint64 starts[] = { 40, 200, 205 }, ends[] = { 100, 210, 230 };

          event.name = hir_trace_builder_intern (builder, n == 0 ? "Allgather" : "send");
          event.start_ns = starts[n] + (n == 0 ? 2 * rank : 0);
          event.end_ns = ends[n] + (n == 0 ? 2 * rank : 0);
          event.correlation = record.correlation = n + 1;
          hir_trace_builder_add (builder, &event, NULL);
          record.side = n == 0   ? HIR_COMM_SIDE_TEAM
                        : n == 1 ? HIR_COMM_SIDE_SEND
                                 : HIR_COMM_SIDE_RECV;
          record.key = hir_trace_builder_intern (builder, n == 0 ? "team" : n == 1 ? right : left);
          hir_trace_builder_add_comm_record (builder, &record);
        }
    }
  return hir_trace_builder_finish (builder);
}

static void
set_up (TimelineRig *f, gconstpointer data)
{
  timeline_rig_set_up (f, new_trace (), HEADER);
  f->scene.start_ns = 0;
  f->scene.end_ns = 240;
  f->scene.height = 1000;
}

static void
tear_down (TimelineRig *f, gconstpointer data)
{
  timeline_rig_tear_down (f);
}

static guint
count (TimelineRig *f, HirDrawKind kind)
{
  guint n = 0;

  timeline_rig_draw (f);
  for (guint i = 0; i < f->list->items->len; i++)
    n += hir_display_list_get_item (f->list, i)->kind == kind;
  return n;
}

static guint
count_text (TimelineRig *f, const char *text)
{
  guint n = 0;

  timeline_rig_draw (f);
  for (guint i = 0; i < f->list->items->len; i++)
    {
      const HirDrawItem *item = hir_display_list_get_item (f->list, i);

      n += item->kind == HIR_DRAW_TEXT &&
           g_str_equal (hir_display_list_get_text (f->list, item), text);
    }
  return n;
}

static void
test_folding (TimelineRig *f, gconstpointer data)
{
  const HirTimelineRow *header;

  g_assert_cmpuint (hir_timeline_rows_get_n_ranks (f->rows), ==, N_RANKS);
  g_assert_cmpuint (f->rows->rows->len, ==, 3 * N_RANKS);
  hir_timeline_rows_set_all_collapsed (f->rows, TRUE);
  g_assert_cmpuint (f->rows->rows->len, ==, N_RANKS);
  /* All eight fit below each other in the timeline of a small window. */
  g_assert_cmpfloat (HIR_TIMELINE_RULER_HEIGHT + f->rows->height, <=, 250);
  for (guint i = 0; i < N_RANKS; i++)
    g_assert_cmpint (g_array_index (f->rows->rows, HirTimelineRow, i).rank, ==, i);
  header = hir_timeline_rows_get_header (f->rows, 5);
  g_assert_cmpint (header->device, ==, 5);
  g_assert_cmpuint (count_text (f, "rank 5"), ==, 1);
  g_assert_cmpuint (count_text (f, "GPU 5"), ==, 1);
  hir_timeline_rows_set_collapsed (f->rows, 5, FALSE);
  g_assert_cmpuint (count_text (f, "GPU 5 · Some GPU"), ==, 1);
  hir_timeline_rows_set_all_collapsed (f->rows, FALSE);
  g_assert_cmpuint (f->rows->rows->len, ==, 3 * N_RANKS);
}

static void
get_busy (const HirTimelineRows *rows,
          int rank,
          gint64 start_ns,
          gint64 end_ns,
          guint n,
          double *computation,
          double *communication)
{
  g_autofree float *cover = g_new (float, 2 * n);

  hir_timeline_summary_get_cover (rows, rank, start_ns, end_ns, n, cover, cover + n);
  *computation = *communication = 0;
  for (guint i = 0; i < n; i++)
    {
      g_assert_true (cover[i] >= 0 && cover[i] <= 1 && cover[n + i] >= 0 && cover[n + i] <= 1);
      *computation += (double) cover[i] * (double) (end_ns - start_ns) / n;
      *communication += (double) cover[n + i] * (double) (end_ns - start_ns) / n;
    }
}

/* A folded rank shows the work of its tracks, without waits. */
static void
test_summary (TimelineRig *f, gconstpointer data)
{
  double computation, communication;

  get_busy (f->rows, 3, 0, 240, 240, &computation, &communication);
  g_assert_cmpfloat_with_epsilon (computation, 60, 1e-3);
  g_assert_cmpfloat_with_epsilon (communication, 60 + 30, 1e-3); /* the messages overlap */
  get_busy (f->rows, 3, 50, 60, 10, &computation, &communication);
  g_assert_cmpfloat_with_epsilon (computation, 10, 1e-3);
  g_assert_cmpfloat_with_epsilon (communication, 10, 1e-3);
  /* All ranks do the same. */
  get_busy (f->rows, HIR_TIMELINE_ALL_RANKS, 0, 240, 240, &computation, &communication);
  g_assert_cmpfloat_with_epsilon (computation, 60, 1e-3);
}

/* First reductions, then gathers: the summary has the colors of the bars for any column width. */
static void
test_looks (void)
{
  static const char *const names[2] = { "Allreduce", "Allgather" };
  HirTraceBuilder *builder = hir_trace_builder_new ();
  HirTrack track = { HIR_TRACK_STREAM, 0, 0, 1, (char *) "Stream 0" };
  g_autoptr (HirTrace) trace = NULL;
  g_autoptr (HirTimelineRows) rows = NULL;
  guint32 interned[2];

  hir_trace_builder_add_track (builder, &track);
  for (guint i = 0; i < 2; i++)
    interned[i] = hir_trace_builder_intern (builder, names[i]);
  for (gint64 i = 0; i < 200000; i++)
    {
      HirEvent event = { .start_ns = 100 * i,
                         .end_ns = 100 * i + 25,
                         .name = interned[i >= 100000],
                         .kind = HIR_EVENT_COMMUNICATION };

      hir_trace_builder_add (builder, &event, NULL);
    }
  trace = hir_trace_builder_finish (builder);
  rows = hir_timeline_rows_new (trace, NULL);
  /* Around the transition, by 1% to 100%. */
  for (gint64 around = 10000000; around >= 1000; around /= 10)
    {
      HirLook computation[100], communication[100];
      float cover[200];
      const HirTheme *theme = hir_theme_get (TRUE);

      hir_timeline_summary_get_looks (rows, 0, 10000000 - around, 10000000 + around, 100,
                                      computation, communication);
      hir_timeline_summary_get_cover (rows, 0, 10000000 - around, 10000000 + around, 100, cover,
                                      cover + 100);
      for (guint c = 0; c < 100; c++)
        if (cover[100 + c] > 0 && (c < 48 || c > 51))
          g_assert_cmphex (hir_theme_get_look_color (theme, communication[c]), ==,
                           hir_theme_get_event_color (theme, HIR_EVENT_COMMUNICATION,
                                                      names[c >= 50]));
    }
}

/* With more events than pixels, the sums are those of the events to within a pixel. */
static void
test_dense (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  HirTrack track = { HIR_TRACK_STREAM, 0, 0, 1, (char *) "Stream 0" };
  g_autoptr (HirTrace) trace = NULL;
  g_autoptr (HirTimelineRows) rows = NULL;
  double computation, communication;

  hir_trace_builder_add_track (builder, &track);
  for (gint64 i = 0; i < 200000; i++)
    {
      HirEvent event = { .start_ns = 100 * i, .end_ns = 100 * i + 25, .kind = HIR_EVENT_KERNEL };

      hir_trace_builder_add (builder, &event, NULL);
    }
  trace = hir_trace_builder_finish (builder);
  rows = hir_timeline_rows_new (trace, NULL);
  get_busy (rows, 0, 0, 20000000, 1000, &computation, &communication);
  g_assert_cmpfloat_with_epsilon (computation, 5000000, 5000);
  g_assert_cmpfloat (communication, ==, 0);
  /* A range that ends within cells. */
  get_busy (rows, 0, 1000000, 3000000, 1000, &computation, &communication);
  g_assert_cmpfloat_with_epsilon (computation, 500000, 3000);
}

static void
test_triangle (TimelineRig *f, gconstpointer data)
{
  /* For each rank, and for its track with overlapping messages. */
  g_assert_cmpuint (count (f, HIR_DRAW_POLYGON), ==, 2 * N_RANKS);
  f->scene.exact = TRUE; /* a figure does not fold */
  g_assert_cmpuint (count (f, HIR_DRAW_POLYGON), ==, 0);
}

/* A collective is one band over its ranks, folded or not; also when hovered. */
static void
test_collective (TimelineRig *f, gconstpointer data)
{
  guint plain = count (f, HIR_DRAW_POLYGON), frames = count (f, HIR_DRAW_ROUND_RECT);

  f->scene.has_selection = TRUE;
  f->scene.selected_track = 1;
  f->scene.selected_index = 0;
  g_assert_cmpuint (count (f, HIR_DRAW_POLYGON), ==, plain + N_RANKS - 1);
  g_assert_cmpuint (count (f, HIR_DRAW_ROUND_RECT), >=, frames + 1 + N_RANKS - 1);
  f->scene.has_selection = FALSE;
  g_assert_cmpuint (count (f, HIR_DRAW_POLYGON), ==, plain);
  hir_timeline_rows_set_all_collapsed (f->rows, TRUE);
  plain = count (f, HIR_DRAW_POLYGON); /* without triangles */
  f->scene.has_selection = TRUE;
  g_assert_cmpuint (count (f, HIR_DRAW_POLYGON), ==, plain + N_RANKS - 1);
  f->scene.has_selection = FALSE;
  f->scene.has_hover = TRUE;
  f->scene.hovered_track = 5;
  f->scene.hovered_index = 0;
  g_assert_cmpuint (count (f, HIR_DRAW_POLYGON), ==, plain + N_RANKS - 1);
}

/* The arrow of a send ends at the end of its receive on the next rank. */
static void
test_message (TimelineRig *f, gconstpointer data)
{
  const HirDrawItem *curve = NULL;
  HirRect send, receive;

  f->scene.has_selection = TRUE;
  f->scene.selected_track = 1;
  f->scene.selected_index = 1;
  timeline_rig_draw (f);
  for (guint i = 0; i < f->list->items->len; i++)
    if (hir_display_list_get_item (f->list, i)->kind == HIR_DRAW_BEZIER)
      curve = hir_display_list_get_item (f->list, i);
  g_assert_nonnull (curve);
  g_assert_true (hir_timeline_scene_get_rect (&f->scene, 1, 1, &send));
  g_assert_true (hir_timeline_scene_get_rect (&f->scene, 3, 2, &receive));
  {
    const HirPoint *points = hir_display_list_get_points (f->list, curve);

    g_assert_cmpfloat (points[0].y, ==, send.y + send.height);
    g_assert_cmpfloat (points[3].y, ==, receive.y);
    g_assert_cmpfloat (points[3].x, >, receive.x);
    g_assert_cmpfloat (points[3].x, <=, receive.x + receive.width);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/timeline-groups/folding", TimelineRig, NULL, set_up, test_folding, tear_down);
  g_test_add ("/timeline-groups/summary", TimelineRig, NULL, set_up, test_summary, tear_down);
  g_test_add_func ("/timeline-groups/looks", test_looks);
  g_test_add_func ("/timeline-groups/dense", test_dense);
  g_test_add ("/timeline-groups/triangle", TimelineRig, NULL, set_up, test_triangle, tear_down);
  g_test_add ("/timeline-groups/collective", TimelineRig, NULL, set_up, test_collective, tear_down);
  g_test_add ("/timeline-groups/message", TimelineRig, NULL, set_up, test_message, tear_down);
  return g_test_run ();
}
