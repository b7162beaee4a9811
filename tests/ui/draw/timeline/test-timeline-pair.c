/* Tests the pair of two instances without an order: the highlighted bars, the edge between them,
 * and the note if they are missing. */
#include "timeline-rig.h"

#define HEADER 120
#define WRITER 11
#define READER 22

/* Two ranks, each with a host and two streams. Iterations 0..3 of the writer are on Stream i % 2; a
 * reader of each starts 30 ns later on the other stream. Everything is repeated, the second time 10
 * ns later. A warm-up precedes. */
static HirTrace *
new_trace (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();

  for (int rank = 0; rank < 2; rank++)
    {
      HirTrack host = { HIR_TRACK_HOST, rank, rank, -1, (char *) "host" };
      HirTrack streams[] = { { HIR_TRACK_STREAM, rank, rank, 1, (char *) "Stream 0" },
                             { HIR_TRACK_STREAM, rank, rank, 2, (char *) "Stream 1" } };
      guint16 tracks[3];

      tracks[2] = (guint16) hir_trace_builder_add_track (builder, &host);
      for (guint i = 0; i < 2; i++)
        tracks[i] = (guint16) hir_trace_builder_add_track (builder, &streams[i]);
      for (int n = 0; n < 12; n++)
        {
          gint64 start_ns = n * 100 + rank;
          HirEvent event = { .start_ns = start_ns,
                             .end_ns = start_ns + 20,
                             .instruction = WRITER,
                             .iteration = n % 4,
                             .kind = HIR_EVENT_KERNEL,
                             .phase = n < 4 ? HIR_PHASE_WARMUP : HIR_PHASE_PROGRAM,
                             .track = tracks[n % 2] };

          event.name = hir_trace_builder_intern (builder, "Set");
          hir_trace_builder_add (builder, &event, NULL);
          event.instruction = READER;
          event.track = tracks[1 - n % 2];
          event.start_ns += n >= 8 ? 40 : 30;
          event.end_ns += 50;
          hir_trace_builder_add (builder, &event, NULL);
          event.kind = HIR_EVENT_ISSUE;
          event.track = tracks[2];
          hir_trace_builder_add (builder, &event, NULL);
        }
    }
  return hir_trace_builder_finish (builder);
}

typedef struct
{
  TimelineRig rig;
  HirTimelinePair pair;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  timeline_rig_set_up (&f->rig, new_trace (), HEADER);
  f->rig.scene.start_ns = 300;
  f->rig.scene.end_ns = 900;
  f->rig.scene.height = 1000;
  f->rig.scene.pair = &f->pair;
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  timeline_rig_tear_down (&f->rig);
}

/* Counts frames and curves in the color of the missing edge, and checks whether @text is drawn. */
static void
draw (Fixture *f, guint *n_frames, guint *n_edges, const char *text, gboolean *has_text)
{
  HirColor red = f->rig.scene.theme->removed;

  *n_frames = *n_edges = 0;
  *has_text = FALSE;
  timeline_rig_draw (&f->rig);
  for (guint i = 0; i < f->rig.list->items->len; i++)
    {
      const HirDrawItem *item = hir_display_list_get_item (f->rig.list, i);

      *n_frames += item->kind == HIR_DRAW_ROUND_RECT && item->stroke == red;
      *n_edges += item->kind == HIR_DRAW_BEZIER && item->stroke == red;
      *has_text |= item->kind == HIR_DRAW_TEXT &&
                   g_str_equal (hir_display_list_get_text (f->rig.list, item), text);
    }
}

static void
assert_event (
    Fixture *f, guint which, guint64 instruction, int rank, gint32 iteration, gint64 start_ns)
{
  HirEvent event;

  g_assert_true (f->pair.has[which]);
  hir_trace_get_event (f->rig.trace, f->pair.at[which].track, f->pair.at[which].index, &event);
  g_assert_cmpuint (event.instruction, ==, instruction);
  g_assert_cmpint (event.iteration, ==, iteration);
  g_assert_cmpint (event.start_ns, ==, start_ns);
  g_assert_cmpint (hir_trace_get_track (f->rig.trace, f->pair.at[which].track)->rank, ==, rank);
}

/* Finds the instances of the repetition with the smallest distance, not those of other iterations
 * or ranks. */
static void
test_found (Fixture *f, gconstpointer data)
{
  const HirTraceInstance pair[] = { { WRITER, 1, 2, (char *) "Stream 0" },
                                    { READER, 1, 2, (char *) "the caller's stream" } };
  guint n_frames, n_edges;
  gboolean has_label;

  g_assert_true (hir_timeline_pair_find (&f->pair, f->rig.trace, pair));
  assert_event (f, 0, WRITER, 1, 2, 601);
  assert_event (f, 1, READER, 1, 2, 631);
  g_assert_null (hir_timeline_pair_get_note (&f->pair));
  draw (f, &n_frames, &n_edges, "no order", &has_label);
  g_assert_cmpuint (n_frames, ==, 2);
  g_assert_cmpuint (n_edges, ==, 1);
  /* The label needs a minimum distance between the bars. */
  g_assert_false (has_label);
  f->rig.scene.start_ns = 590;
  f->rig.scene.end_ns = 660;
  draw (f, &n_frames, &n_edges, "no order", &has_label);
  g_assert_true (has_label);
  /* On a folded rank, the edge leads to its summary. */
  hir_timeline_rows_set_collapsed (f->rig.rows, 1, TRUE);
  draw (f, &n_frames, &n_edges, "no order", &has_label);
  g_assert_cmpuint (n_frames, ==, 2);
  f->rig.scene.pair = NULL;
  draw (f, &n_frames, &n_edges, "no order", &has_label);
  g_assert_cmpuint (n_frames + n_edges, ==, 0);
}

static void
test_missing (Fixture *f, gconstpointer data)
{
  HirTraceInstance pair[] = { { WRITER, 0, 1, NULL }, { 33, 0, 1, NULL } };
  const char *lacks_second = "This recording does not contain the second of the two operations";
  guint n_frames, n_edges;
  gboolean is_said;

  g_assert_true (hir_timeline_pair_find (&f->pair, f->rig.trace, pair));
  g_assert_cmpstr (hir_timeline_pair_get_note (&f->pair), ==, lacks_second);
  draw (f, &n_frames, &n_edges, lacks_second, &is_said);
  g_assert_true (is_said);
  g_assert_cmpuint (n_frames, ==, 1);
  g_assert_cmpuint (n_edges, ==, 0);
  /* The caller has no bar, and none is searched. */
  pair[1].is_caller = TRUE;
  g_assert_true (hir_timeline_pair_find (&f->pair, f->rig.trace, pair));
  g_assert_null (hir_timeline_pair_get_note (&f->pair));
  pair[1].instruction = READER;
  g_assert_true (hir_timeline_pair_find (&f->pair, f->rig.trace, pair));
  g_assert_false (f->pair.has[1]);
  /* Another iteration or rank gives no pair. */
  pair[0].iteration = 4;
  pair[1] = (HirTraceInstance){ READER, 2, 1, NULL };
  g_assert_false (hir_timeline_pair_find (&f->pair, f->rig.trace, pair));
  g_assert_cmpstr (hir_timeline_pair_get_note (&f->pair), ==,
                   "This recording contains neither of the two unordered operations");
  pair[0].iteration = 1;
  pair[0].rank = 5;
  pair[1].rank = 0;
  g_assert_true (hir_timeline_pair_find (&f->pair, f->rig.trace, pair));
  g_assert_cmpstr (hir_timeline_pair_get_note (&f->pair), ==,
                   "This recording does not contain the first of the two operations");
  g_assert_false (hir_timeline_pair_find (&f->pair, NULL, pair));
}

/* Prefers work, then a wait, then the issue on the host; on the named stream, if it has any. */
static void
test_choice (void)
{
  static const struct
  {
    HirEventKind kind;
    guint track;
  } events[] = {
    { HIR_EVENT_ISSUE, 0 }, { HIR_EVENT_SYNC, 1 }, { HIR_EVENT_KERNEL, 1 }, { HIR_EVENT_KERNEL, 2 }
  };

  for (guint n = 1; n <= G_N_ELEMENTS (events); n++)
    {
      HirTraceBuilder *builder = hir_trace_builder_new ();
      const HirTrack tracks[] = { { HIR_TRACK_HOST, 0, 0, -1, (char *) "host" },
                                  { HIR_TRACK_STREAM, 0, 0, 1, (char *) "Stream 0" },
                                  { HIR_TRACK_STREAM, 0, 0, 2, (char *) "Stream 1" } };
      const HirTraceInstance instance = { WRITER, 0, -1, (char *) "Stream 1" };
      g_autoptr (HirTrace) trace = NULL;
      g_autoptr (GArray) places = NULL;

      for (guint i = 0; i < 3; i++)
        (void) hir_trace_builder_add_track (builder, &tracks[i]);
      for (guint i = 0; i < n; i++)
        {
          const HirEvent event = { .start_ns = i,
                                   .end_ns = i + 1,
                                   .instruction = WRITER,
                                   .iteration = -1,
                                   .kind = (guint8) events[i].kind,
                                   .track = (guint16) events[i].track };

          hir_trace_builder_add (builder, &event, NULL);
        }
      trace = hir_trace_builder_finish (builder);
      places = hir_trace_dup_instance_events (trace, &instance);
      g_assert_cmpuint (places->len, ==, 1);
      g_assert_cmpuint (g_array_index (places, HirEventRef, 0).track, ==, events[n - 1].track);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/timeline-pair/found", Fixture, NULL, set_up, test_found, tear_down);
  g_test_add ("/timeline-pair/missing", Fixture, NULL, set_up, test_missing, tear_down);
  g_test_add_func ("/timeline-pair/choice", test_choice);
  return g_test_run ();
}
