/* Tests growing traces: all events in any chunks, reports of broken ones, and no callback after
 * the end. */
#include <string.h>

#include "job/growing-trace.h"
#include "tracer-fixture.h"

typedef struct
{
  HirGrowingTrace *growing;
  HirTrace *trace; /* the latest trace */
  guint n_calls;
  gboolean is_last;
  gboolean frees; /* free in the callback */
} Watch;

static void
on_trace (HirTrace *trace, gboolean is_last, const GError *error, gpointer user_data)
{
  Watch *watch = user_data;

  g_assert_no_error (error);
  g_assert_false (watch->is_last);
  if (watch->trace != NULL)
    {
      g_assert_cmpuint (hir_trace_get_n_events (trace), >=, hir_trace_get_n_events (watch->trace));
      hir_trace_unref (watch->trace);
    }
  watch->trace = hir_trace_ref (trace);
  watch->n_calls++;
  watch->is_last = is_last;
  if (watch->frees)
    g_clear_pointer (&watch->growing, hir_growing_trace_free);
}

static void
watch_start (Watch *watch)
{
  *watch = (Watch){ 0 };
  watch->growing = hir_growing_trace_new (on_trace, watch);
}

static void
watch_clear (Watch *watch)
{
  g_clear_pointer (&watch->growing, hir_growing_trace_free);
  g_clear_pointer (&watch->trace, hir_trace_unref);
}

static gboolean
add_track (Watch *watch, guint index, int kind, GError **error)
{
  g_autoptr (GVariant) payload =
      g_variant_ref_sink (g_variant_new ("(uiiixs)", index, kind, 0, 0, (gint64) index, "a track"));

  return hir_growing_trace_add_track (watch->growing, payload, error);
}

static gboolean
add_string (Watch *watch, guint index, const char *text, GError **error)
{
  g_autoptr (GVariant) payload = g_variant_ref_sink (g_variant_new ("(us)", index, text));

  return hir_growing_trace_add_string (watch->growing, payload, error);
}

static gboolean
add_bytes (Watch *watch, gconstpointer data, gsize size, GError **error)
{
  g_autoptr (GVariant) payload =
      g_variant_ref_sink (g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, data, size, 1));

  return hir_growing_trace_add_events (watch->growing, payload, error);
}

static void
add_events (Watch *watch, guint from, guint to)
{
  g_autofree HirEvent *events = g_new0 (HirEvent, to - from + 1);
  g_autoptr (GError) error = NULL;

  for (guint i = from; i < to; i++)
    {
      events[i - from].start_ns = i * 10;
      events[i - from].end_ns = i * 10 + 5;
      events[i - from].instruction = i;
      events[i - from].name = 1 + i % 2;
      events[i - from].track = (guint16) (i % 2);
      events[i - from].iteration = -1;
    }
  g_assert_true (add_bytes (watch, events, (to - from) * sizeof (HirEvent), &error));
  g_assert_no_error (error);
}

static void
add_names (Watch *watch)
{
  g_assert_true (add_track (watch, 0, HIR_TRACK_STREAM, NULL));
  g_assert_true (add_track (watch, 1, HIR_TRACK_HOST, NULL));
  g_assert_true (add_string (watch, 0, "", NULL));
  g_assert_true (add_string (watch, 1, "matmul", NULL));
  g_assert_true (add_string (watch, 2, "Set", NULL));
}

static void
assert_events (const HirTrace *trace, guint n)
{
  g_assert_cmpuint (hir_trace_get_n_events (trace), ==, n);
  for (guint i = 0; i < n; i++)
    {
      HirEvent event;

      hir_trace_get_event (trace, i % 2, i / 2, &event);
      g_assert_cmpint (event.start_ns, ==, i * 10);
      g_assert_cmpuint (event.instruction, ==, i);
      g_assert_cmpstr (hir_trace_get_string (trace, event.name), ==, i % 2 ? "Set" : "matmul");
    }
}

static void
test_whole (void)
{
  Watch watch;

  watch_start (&watch);
  hir_growing_trace_set_meta (watch.growing, "clock", "model");
  add_names (&watch);
  for (guint i = 0; i < 1000; i += 10)
    add_events (&watch, i, i + 10);
  add_events (&watch, 1000, 1000);
  hir_growing_trace_end (watch.growing);
  hir_growing_trace_end (watch.growing);
  fix_wait (&watch.is_last);
  assert_events (watch.trace, 1000);
  g_assert_cmpstr (hir_trace_get_meta (watch.trace, "clock"), ==, "model");
  g_assert_cmpstr (hir_trace_get_track (watch.trace, 1)->name, ==, "a track");
  g_assert_null (hir_trace_get_account (watch.trace)[0]);
  fix_iterate (20);
  watch_clear (&watch);
}

static gboolean
add_edge_bytes (Watch *watch, gconstpointer data, gsize size, GError **error)
{
  g_autoptr (GVariant) payload =
      g_variant_ref_sink (g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, data, size, 1));

  return hir_growing_trace_add_edges (watch->growing, payload, error);
}

static void
test_edges (void)
{
  HirEvent events[2] = { { .end_ns = 5, .correlation = 1 }, { .end_ns = 9, .correlation = 2 } };
  const HirEdge edge = { 1, 2, 0, 1 };
  g_autoptr (GArray) links = NULL;
  g_autoptr (GError) error = NULL;
  Watch watch;

  events[1].track = 1;
  watch_start (&watch);
  add_names (&watch);
  g_assert_true (add_edge_bytes (&watch, &edge, sizeof edge, NULL));
  g_assert_true (add_bytes (&watch, events, sizeof events, NULL));
  g_assert_false (add_edge_bytes (&watch, &edge, sizeof edge - 1, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  hir_growing_trace_end (watch.growing);
  fix_wait (&watch.is_last);
  links = hir_trace_dup_edge_links (watch.trace, 0, 0, 8);
  g_assert_cmpuint (links->len, ==, 1);
  g_assert_cmpuint (g_array_index (links, HirEdgeLink, 0).to_track, ==, 1);
  watch_clear (&watch);
}

/* Tests that traces are built while events arrive, and for the last few after that. */
static void
test_grows (void)
{
  Watch watch;

  watch_start (&watch);
  add_names (&watch);
  add_events (&watch, 0, 1000);
  while (watch.n_calls == 0)
    g_main_context_iteration (g_main_context_get_thread_default (), TRUE);
  assert_events (watch.trace, 1000);
  add_events (&watch, 1000, 1001);
  while (hir_trace_get_n_events (watch.trace) < 1001)
    g_main_context_iteration (g_main_context_get_thread_default (), TRUE);
  g_assert_false (watch.is_last);
  add_events (&watch, 1001, 1100);
  hir_growing_trace_end (watch.growing);
  fix_wait (&watch.is_last);
  assert_events (watch.trace, 1100);
  watch_clear (&watch);
}

/* Tests that the end during a rebuild causes another one with all events. */
static void
test_end_while_building (void)
{
  Watch watch;

  watch_start (&watch);
  add_names (&watch);
  add_events (&watch, 0, 200000);
  fix_iterate (260);
  add_events (&watch, 200000, 200010);
  hir_growing_trace_end (watch.growing);
  fix_wait (&watch.is_last);
  g_assert_cmpuint (hir_trace_get_n_events (watch.trace), ==, 200010);
  watch_clear (&watch);
}

static void
test_empty (void)
{
  Watch watch;

  watch_start (&watch);
  hir_growing_trace_end (watch.growing);
  fix_wait (&watch.is_last);
  g_assert_cmpuint (hir_trace_get_n_events (watch.trace), ==, 0);
  watch_clear (&watch);
}

static void
test_broken (void)
{
  Watch watch;
  guint8 bytes[sizeof (HirEvent)] = { 0 };
  g_autoptr (GError) error = NULL;

  watch_start (&watch);
  add_names (&watch);
  g_assert_false (add_track (&watch, 1, HIR_TRACK_STREAM, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  g_clear_error (&error);
  g_assert_false (add_track (&watch, 2, HIR_N_TRACK_KINDS, &error));
  g_clear_error (&error);
  g_assert_false (add_track (&watch, 2, -1, &error));
  g_clear_error (&error);
  g_assert_false (add_string (&watch, 4, "one is left out", &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  g_clear_error (&error);
  g_assert_false (add_bytes (&watch, bytes, sizeof bytes - 1, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  watch_clear (&watch);
}

/* Tests that broken events are counted in the account. */
static void
test_account (void)
{
  Watch watch;
  HirEvent events[] = {
    { .start_ns = 1, .end_ns = 2 },                                 /* good */
    { .start_ns = 1, .end_ns = 2, .track = 9 },                     /* on no track */
    { .start_ns = 2, .end_ns = 1 },                                 /* ends before it starts */
    { .start_ns = 1, .end_ns = 2, .kind = 99 },                     /* no kind */
    { .start_ns = 1, .end_ns = 2, .name = 77 },                     /* stored without its name */
    { .start_ns = G_MAXINT64, .end_ns = G_MAXINT64, .phase = 200 }, /* no phase */
  };
  g_autofree char *account = NULL;

  watch_start (&watch);
  add_names (&watch);
  g_assert_true (add_bytes (&watch, events, sizeof events, NULL));
  hir_growing_trace_end (watch.growing);
  fix_wait (&watch.is_last);
  g_assert_cmpuint (hir_trace_get_n_events (watch.trace), ==, 2);
  account = g_strjoinv ("|", (char **) hir_trace_get_account (watch.trace));
  g_assert_nonnull (strstr (account, "1 event rejected: it is on no track"));
  g_assert_nonnull (strstr (account, "1 event rejected: it ends before it starts"));
  g_assert_nonnull (strstr (account, "2 events rejected: their kind is unknown"));
  g_assert_nonnull (strstr (account, "1 event without a name"));
  watch_clear (&watch);
}

/* Tests freeing during a rebuild and in the callback. */
static void
test_free (void)
{
  Watch watch;

  watch_start (&watch);
  add_names (&watch);
  add_events (&watch, 0, 50000);
  hir_growing_trace_end (watch.growing);
  g_clear_pointer (&watch.growing, hir_growing_trace_free);
  fix_iterate (300);
  g_assert_cmpuint (watch.n_calls, ==, 0);
  watch_clear (&watch);

  watch_start (&watch);
  add_names (&watch);
  add_events (&watch, 0, 1000);
  watch.frees = TRUE;
  while (watch.n_calls == 0)
    g_main_context_iteration (g_main_context_get_thread_default (), TRUE);
  fix_iterate (300);
  g_assert_cmpuint (watch.n_calls, ==, 1);
  watch_clear (&watch);
}

static gpointer
run_in_context (gpointer user_data)
{
  GMainContext *context = g_main_context_new ();

  g_main_context_push_thread_default (context);
  test_grows ();
  g_main_context_pop_thread_default (context);
  g_main_context_unref (context);
  return NULL;
}

/* Tests that callbacks run in the main context of the creator. */
static void
test_other_context (void)
{
  g_thread_join (g_thread_new ("other", run_in_context, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/growing-trace/whole", test_whole);
  g_test_add_func ("/growing-trace/edges", test_edges);
  g_test_add_func ("/growing-trace/grows", test_grows);
  g_test_add_func ("/growing-trace/end-while-building", test_end_while_building);
  g_test_add_func ("/growing-trace/empty", test_empty);
  g_test_add_func ("/growing-trace/broken", test_broken);
  g_test_add_func ("/growing-trace/account", test_account);
  g_test_add_func ("/growing-trace/free", test_free);
  g_test_add_func ("/growing-trace/other-context", test_other_context);
  return g_test_run ();
}
