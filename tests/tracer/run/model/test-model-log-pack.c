/* Tests that logs of the modelled clock get the same times in another process as in this one. */
#include "record/trace-sink.h"
#include "run/model/model-log.h"

#define N_RANKS 3
#define N_ROUNDS 5

/* Logs work, a collective of all ranks, a message around the ring, and waits. */
static void
note_down (HirModelLog *log, int rank, HirRecorder *recorder)
{
  HirEvent event = { .name = hir_recorder_intern (recorder, "work"), .track = (guint16) rank };
  HirModelMeeting ring[2] = { { NULL, 's', 2, 4000 }, { NULL, 'r', 2, 4000 } };
  g_autofree char *out = g_strdup_printf ("%d>%d", rank, (rank + 1) % N_RANKS);
  g_autofree char *in = g_strdup_printf ("%d>%d", (rank + 2) % N_RANKS, rank);
  HirModelMeeting team = { "team 0 1 2", 'm', N_RANKS, 9000 };

  ring[0].key = out;
  ring[1].key = in;
  hir_model_log_begin_count (log);
  for (gint32 i = 0; i < N_ROUNDS; i++)
    {
      HirModelMark *posted, *messages, *moment;

      event.iteration = i;
      hir_model_log_issue (log, 1, TRUE);
      hir_model_log_issued (log, &event);
      hir_model_log_run (log, 1, 1000 * (rank + 1), 77 * i, &event);
      moment = hir_model_log_record (log, 1);
      posted = hir_model_log_post (log, 1, 200, &team, 1, &event);
      messages = hir_model_log_post (log, 2, 201, ring, 2, &event);
      hir_model_log_wait (log, 2, moment, &event);
      hir_model_log_wait (log, 0, posted, &event);
      hir_model_log_wait (log, 1, messages, &event);
      hir_model_mark_unref (posted);
      hir_model_mark_unref (messages);
      hir_model_mark_unref (moment);
    }
  hir_model_log_synchronize (log);
  hir_model_log_end_count (log);
}

typedef struct
{
  HirRecorder *recorder;
  HirTraceBuilder *builder;
  HirTraceSink *sink;
  HirModelGroup *group;
  HirModel *models[N_RANKS];
  HirModelLog *logs[N_RANKS];
} Desk;

static void
desk_init (Desk *desk, HirModelGroup *group)
{
  HirRecorderSink sink;

  desk->recorder = hir_recorder_new ();
  desk->builder = hir_trace_builder_new ();
  desk->sink = hir_trace_sink_new (desk->builder, &sink);
  hir_recorder_add_sink (desk->recorder, &sink);
  desk->group = group;
  for (int i = 0; i < N_RANKS; i++)
    {
      HirTrack track = { HIR_TRACK_STREAM, i, i, 0, (char *) "s" };

      hir_recorder_add_track (desk->recorder, &track);
      desk->models[i] = hir_model_new ();
      desk->logs[i] = hir_model_log_new (desk->models[i], desk->recorder, group);
    }
}

static HirTrace *
desk_end (Desk *desk)
{
  for (int i = 0; i < N_RANKS; i++)
    {
      hir_model_log_free (desk->logs[i]);
      hir_model_free (desk->models[i]);
    }
  hir_model_group_free (desk->group);
  hir_recorder_free (desk->recorder);
  hir_trace_sink_free (desk->sink);
  return hir_trace_builder_finish (desk->builder);
}

static gboolean
keep (HirEvent *event, gpointer user_data)
{
  ++*(guint *) user_data;
  return event->track < N_RANKS;
}

static void
compare (const HirTrace *a, const HirTrace *b)
{
  g_assert_cmpuint (hir_trace_get_n_events (a), ==, hir_trace_get_n_events (b));
  g_assert_cmpuint (hir_trace_get_n_events (a), >, N_RANKS * N_ROUNDS * 4);
  for (guint t = 0; t < N_RANKS; t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (a, t); i++)
      {
        HirEvent x, y;

        hir_trace_get_event (a, t, i, &x);
        hir_trace_get_event (b, t, i, &y);
        g_assert_cmpint (x.start_ns, ==, y.start_ns);
        g_assert_cmpint (x.end_ns, ==, y.end_ns);
        g_assert_cmpint (x.iteration, ==, y.iteration);
      }
}

static void
test_same_times (void)
{
  Desk here, far, there;
  g_autoptr (HirTrace) a = NULL;
  g_autoptr (HirTrace) b = NULL;
  g_autoptr (HirTrace) none = NULL;
  gint64 counted[N_RANKS];
  guint n_translated = 0;

  desk_init (&here, hir_model_group_new ());
  desk_init (&far, hir_model_group_new_deferred ());
  desk_init (&there, hir_model_group_new ());
  for (int i = 0; i < N_RANKS; i++)
    {
      g_autoptr (GVariant) packed = NULL;
      g_autoptr (GError) error = NULL;

      note_down (here.logs[i], i, here.recorder);
      note_down (far.logs[i], i, far.recorder);
      hir_model_log_resolve (far.logs[i]);
      g_assert_true (hir_model_log_is_resolved (far.logs[i])); /* irrelevant here */
      packed = g_variant_ref_sink (hir_model_log_pack (far.logs[i]));
      g_assert_true (hir_model_log_unpack (there.logs[i], packed, keep, &n_translated, &error));
      g_assert_no_error (error);
    }
  hir_recorder_intern (there.recorder, "work");
  hir_model_log_resolve (here.logs[0]);
  hir_model_log_resolve (there.logs[0]);
  for (int i = 0; i < N_RANKS; i++)
    {
      g_assert_true (hir_model_log_is_resolved (there.logs[i]));
      counted[i] = hir_model_log_get_counted_ns (here.logs[i]);
      g_assert_cmpint (counted[i], >, 0);
      g_assert_cmpint (hir_model_log_get_counted_ns (there.logs[i]), ==, counted[i]);
    }
  g_assert_cmpuint (n_translated, >, N_RANKS * N_ROUNDS * 4);
  a = desk_end (&here);
  none = desk_end (&far);
  b = desk_end (&there);
  g_assert_cmpuint (hir_trace_get_n_events (none), ==, 0);
  compare (a, b);
}

/* A missing log leaves the others unresolved, which is detected. */
static void
test_missing_rank (void)
{
  Desk desk;
  g_autoptr (HirTrace) trace = NULL;

  desk_init (&desk, hir_model_group_new ());
  for (int i = 0; i < N_RANKS - 1; i++)
    note_down (desk.logs[i], i, desk.recorder);
  hir_model_log_resolve (desk.logs[0]);
  g_assert_false (hir_model_log_is_resolved (desk.logs[0]));
  trace = desk_end (&desk);
}

static void
test_not_a_log (void)
{
  g_autoptr (GVariant) wrong = g_variant_ref_sink (g_variant_new_string ("hello"));
  g_autoptr (GError) error = NULL;
  g_autoptr (HirTrace) trace = NULL;
  Desk desk;

  desk_init (&desk, hir_model_group_new ());
  g_assert_false (hir_model_log_unpack (desk.logs[0], wrong, NULL, NULL, &error));
  g_assert_nonnull (error);
  trace = desk_end (&desk);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model-log-pack/same-times", test_same_times);
  g_test_add_func ("/model-log-pack/missing-rank", test_missing_rank);
  g_test_add_func ("/model-log-pack/not-a-log", test_not_a_log);
  return g_test_run ();
}
