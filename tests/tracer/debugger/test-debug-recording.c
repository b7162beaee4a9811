/* Tests the recording of a debugged program: after any sequence of moves, each event is recorded
 * once, and the events equal those of a straight run. On the CPU and on fake GPUs. */
#include <string.h>

#include "debugger/debug-look.h"
#include "debugger/debug-program.h"
#include "record/trace-sink.h"
#include "tracer-fixture.h"

typedef struct
{
  HirProgram *program;
  HirRunSettings settings;
  HirTraceBuilder *builder;
  HirTraceSink *sink;
  HirRecorder *recorder;
  HirDebugProgram *debug;
  HirDebugger *debugger;
} Debugged;

typedef struct
{
  HirBackendKind backend;
  const char *function, *inputs;
} Case;

static void
set_up (Debugged *it, const Case *test)
{
  g_autoptr (HirRequest) request = fix_request ("multi_device.py", test->function);
  g_autoptr (GError) error = NULL;
  HirRecorderSink sink;

  request->n_devices = 2;
  request->inputs = g_strsplit (test->inputs, " ", -1);
  it->program = hir_program_new (request, NULL, NULL, &error);
  g_assert_no_error (error);
  hir_run_settings_init (&it->settings);
  it->settings.backend = test->backend;
  it->settings.check = TRUE;
  it->settings.trace = HIR_TRACE_FULL;
  it->builder = hir_trace_builder_new ();
  it->sink = hir_trace_sink_new (it->builder, &sink);
  it->recorder = hir_recorder_new ();
  hir_recorder_set_once (it->recorder);
  hir_recorder_add_sink (it->recorder, &sink);
  it->debug = hir_debug_program_new (it->program, &it->settings, it->recorder, &error);
  g_assert_no_error (error);
  it->debugger = hir_debug_program_get_debugger (it->debug);
  g_assert_true (hir_debugger_start (it->debugger, &error));
  g_assert_no_error (error);
}

static HirTrace *
tear_down (Debugged *it)
{
  g_autoptr (GError) error = NULL;
  HirTrace *trace;

  hir_debug_program_free (it->debug);
  hir_recorder_flush (it->recorder);
  g_assert_no_error (hir_recorder_get_error (it->recorder));
  hir_recorder_free (it->recorder);
  hir_trace_sink_free (it->sink);
  trace = hir_trace_builder_try_finish (it->builder, &error);
  g_assert_no_error (error);
  hir_run_settings_clear (&it->settings);
  hir_program_unref (it->program);
  return trace;
}

static void
move (Debugged *it, HirDebugMove what, guint64 count)
{
  g_auto (HirDebugStop) stop = { 0 };
  g_autoptr (GError) error = NULL;

  g_assert_true (hir_debugger_move (it->debugger, what, count, -1, &stop, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (stop.error, ==, NULL);
}

/* Returns TRUE for events to compare. Waits depend on timing and may be absent; work of checks
 * and libraries belongs to no instruction. */
static gboolean
is_compared (const HirEvent *event)
{
  return event->kind != HIR_EVENT_SYNC && event->kind != HIR_EVENT_HOST && event->instruction != 0;
}

static GHashTable *
count_events (const HirTrace *trace, guint *n)
{
  GHashTable *counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  *n = 0;
  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
      {
        HirEvent event;
        char *key;

        hir_trace_get_event (trace, t, i, &event);
        g_assert_cmpuint (event.source, ==, 0);
        if (!is_compared (&event))
          continue;
        (*n)++;
        key = g_strdup_printf ("rank %d kind %d #%" G_GINT64_MODIFIER "x iteration %d %s",
                               hir_trace_get_track (trace, t)->rank, event.kind, event.instruction,
                               event.iteration, hir_trace_get_string (trace, event.name));
        g_hash_table_insert (counts, key,
                             GUINT_TO_POINTER (
                                 GPOINTER_TO_UINT (g_hash_table_lookup (counts, key)) + 1));
      }
  return counts;
}

static void
compare_events (const HirTrace *straight, const HirTrace *about)
{
  guint n_straight, n_about;
  g_autoptr (GHashTable) wanted = count_events (straight, &n_straight);
  g_autoptr (GHashTable) got = count_events (about, &n_about);
  GHashTableIter iter;
  gpointer key, n;

  g_hash_table_iter_init (&iter, wanted);
  while (g_hash_table_iter_next (&iter, &key, &n))
    if (g_hash_table_lookup (got, key) != n)
      {
        g_test_message ("%s: %u, and not %u", (const char *) key,
                        GPOINTER_TO_UINT (g_hash_table_lookup (got, key)), GPOINTER_TO_UINT (n));
        g_test_fail ();
      }
  g_assert_cmpuint (n_about, ==, n_straight);
  g_assert_cmpuint (n_straight, >, 200);
}

/* Returns the instructions of @rank in order of time, and checks that they do not overlap: all
 * events use one clock. */
static GArray *
dup_issued (const HirTrace *trace, int rank)
{
  GArray *issued = g_array_new (FALSE, FALSE, sizeof (guint64));
  gint64 end_ns = G_MININT64;

  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
      {
        HirEvent event;

        hir_trace_get_event (trace, t, i, &event);
        if (event.kind != HIR_EVENT_ISSUE || hir_trace_get_track (trace, t)->rank != rank)
          continue;
        g_assert_cmpint (event.start_ns, >=, end_ns);
        end_ns = event.end_ns;
        event.instruction += (guint64) event.iteration;
        g_array_append_val (issued, event.instruction);
      }
  return issued;
}

static void
compare_order (const HirTrace *straight, const HirTrace *about)
{
  for (int rank = 0; rank < 2; rank++)
    {
      g_autoptr (GArray) wanted = dup_issued (straight, rank);
      g_autoptr (GArray) got = dup_issued (about, rank);

      g_assert_cmpuint (wanted->len, >, 50);
      g_assert_cmpmem (got->data, got->len * sizeof (guint64), wanted->data,
                       wanted->len * sizeof (guint64));
    }
}

static void
compare_comm_records (const HirTrace *straight, const HirTrace *about)
{
  g_assert_cmpuint (hir_trace_get_n_comm_records (straight), >=, 16);
  g_assert_cmpuint (hir_trace_get_n_comm_records (about), ==,
                    hir_trace_get_n_comm_records (straight));
  for (guint i = 0; i < hir_trace_get_n_comm_records (about); i++)
    {
      guint track, index;

      g_assert_cmpuint (hir_trace_get_comm_record (about, i)->sequence, ==,
                        hir_trace_get_comm_record (straight, i)->sequence);
      g_assert_true (hir_trace_get_comm_record_event (about, i, &track, &index));
    }
}

typedef enum
{
  BY_LOG,
  BY_RUNNING,
  ALONE, /* events in flight while going back arrive later */
} Way;

/* Steps over the first two instructions and back. The label of a HostUnit is the same before it was
 * ever executed. */
static void
test_place (Debugged *it)
{
  g_autofree char *before = hir_debug_run_describe_place (hir_debugger_get_run (it->debugger), 0);
  g_autofree char *after = NULL;

  move (it, HIR_MOVE_STEP, 2);
  move (it, HIR_MOVE_BACK, 2);
  after = hir_debug_run_describe_place (hir_debugger_get_run (it->debugger), 0);
  g_assert_cmpstr (after, ==, before);
  if (strstr (before, "HostUnit") != NULL)
    g_assert_cmpstr (before, ==, "before program line 2, HostUnit0_copy");
}

static void
go_about (Debugged *it, Way way)
{
  if (way != BY_LOG)
    hir_debugger_set_undo_bytes (it->debugger, 0);
  if (way == ALONE)
    {
      hir_debugger_set_alone (it->debugger, TRUE);
      hir_debugger_set_rank (it->debugger, 1);
      move (it, HIR_MOVE_STEP, 24);
      move (it, HIR_MOVE_BACK, 3);
      hir_debugger_set_alone (it->debugger, FALSE);
    }
  test_place (it);
  move (it, HIR_MOVE_STEP, 40);
  move (it, HIR_MOVE_BACK, 7);
  move (it, HIR_MOVE_STEP, 3);
  move (it, HIR_MOVE_BACK, 21);
  move (it, HIR_MOVE_CONTINUE, 1);
  move (it, HIR_MOVE_BACK, 9);
  move (it, HIR_MOVE_CONTINUE, 1);
}

static void
test_backend (gconstpointer data)
{
  const Case *test = data;
  HirBackendKind backend = test->backend;
  Debugged it = { 0 };
  g_autoptr (HirTrace) straight = NULL;

  set_up (&it, test);
  move (&it, HIR_MOVE_CONTINUE, 1);
  straight = tear_down (&it);
  /* Fake collectives block the host thread, so a single rank would never return. */
  for (Way way = BY_LOG; way <= (backend == HIR_BACKEND_CPU ? ALONE : BY_RUNNING); way++)
    {
      g_autoptr (HirTrace) about = NULL;

      g_test_message ("way %d", way);
      set_up (&it, test);
      go_about (&it, way);
      about = tear_down (&it);
      compare_events (straight, about);
      compare_comm_records (straight, about);
      compare_order (straight, about);
      if (backend == HIR_BACKEND_CPU)
        g_assert_cmpuint (hir_trace_get_n_tracks (about), ==, hir_trace_get_n_tracks (straight));
    }
}

/* The second program starts with a HostUnit, whose label must survive going back. */
static const Case cases[] = {
  { HIR_BACKEND_CPU, "ag_matmul", "8x2x4x4 4x8" },
  { HIR_BACKEND_CUDA, "ag_matmul", "8x2x4x4 4x8" },
  { HIR_BACKEND_CPU, "matmul_RS_through_bcast", "8x2x2x2x4 2x4x8" },
  { HIR_BACKEND_CUDA, "matmul_RS_through_bcast", "8x2x2x2x4 2x4x8" },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/debug-recording/cpu", &cases[0], test_backend);
  g_test_add_data_func ("/debug-recording/cuda", &cases[1], test_backend);
  g_test_add_data_func ("/debug-recording/host-unit/cpu", &cases[2], test_backend);
  g_test_add_data_func ("/debug-recording/host-unit/cuda", &cases[3], test_backend);
  return g_test_run ();
}
