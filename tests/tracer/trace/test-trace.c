#include "diagnostic.h"
#include "trace/trace-private.h"

static HirTraceBuilder *
new_builder (guint n_tracks)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();

  for (guint t = 0; t < n_tracks; t++)
    {
      HirTrack track = { HIR_TRACK_STREAM, 1, 2, t, (char *) "Stream" };

      g_assert_cmpuint (hir_trace_builder_add_track (builder, &track), ==, t);
    }
  return builder;
}

static void
add (HirTraceBuilder *builder, guint16 track, gint64 start, gint64 end)
{
  HirEvent event = { .start_ns = start, .end_ns = end, .track = track, .iteration = -1 };
  g_autoptr (GError) error = NULL;

  g_assert_true (hir_trace_builder_add (builder, &event, &error));
  g_assert_no_error (error);
}

static void
test_empty (void)
{
  g_autoptr (HirTrace) trace = hir_trace_builder_finish (hir_trace_builder_new ());
  gint64 start = 1, end = 1;

  g_assert_cmpuint (hir_trace_get_n_tracks (trace), ==, 0);
  g_assert_cmpuint (hir_trace_get_n_events (trace), ==, 0);
  hir_trace_get_span (trace, &start, &end);
  g_assert_cmpint (start, ==, 0);
  g_assert_cmpint (end, ==, 0);
  g_assert_nonnull (hir_trace_get_account (trace));
  g_assert_null (hir_trace_get_account (trace)[0]);
  g_assert_null (hir_trace_get_meta (trace, "clock"));
}

/* Every field of an event is restored, including extreme values. */
static void
test_fields (void)
{
  HirTraceBuilder *builder = new_builder (2);
  guint32 name = hir_trace_builder_intern (builder, "matmul");
  HirEvent events[] = {
    { 10, 20, 30, 40, 0xfedcba9876543210u, name, 7, 3, 1, HIR_EVENT_COMMUNICATION,
      HIR_PHASE_PROGRAM },
    { 20, 20 + (gint64) G_MAXUINT32, G_MAXINT64, G_MAXINT64, G_MAXUINT64, 0, G_MAXUINT32,
      G_MAXINT32, 1, HIR_EVENT_ISSUE, HIR_PHASE_CHECK },
    { 30, 30 + G_GINT64_CONSTANT (5000000000), -1, 0, 0, name, 0, -1, 1, HIR_EVENT_SYNC,
      HIR_PHASE_WARMUP },
    { 40, 40 + G_GINT64_CONSTANT (6000000000), 0, 0, 1, name, 0, 0, 1, HIR_EVENT_MEMSET,
      HIR_PHASE_SETUP },
  };
  g_autoptr (HirTrace) trace = NULL;

  for (int i = G_N_ELEMENTS (events) - 1; i >= 0; i--)
    g_assert_true (hir_trace_builder_add (builder, &events[i], NULL));
  hir_trace_builder_set_meta (builder, "clock", "model");
  trace = hir_trace_builder_finish (builder);
  g_assert_cmpuint (hir_trace_get_track_n_events (trace, 0), ==, 0);
  g_assert_cmpuint (hir_trace_get_track_n_events (trace, 1), ==, G_N_ELEMENTS (events));
  for (guint i = 0; i < G_N_ELEMENTS (events); i++)
    {
      HirEvent event;

      hir_trace_get_event (trace, 1, i, &event);
      g_assert_cmpmem (&event, sizeof event, &events[i], sizeof event);
    }
  g_assert_cmpstr (hir_trace_get_string (trace, name), ==, "matmul");
  g_assert_cmpstr (hir_trace_get_string (trace, 999), ==, "");
  g_assert_cmpstr (hir_trace_get_meta (trace, "clock"), ==, "model");
  g_assert_cmpint (hir_trace_get_track (trace, 1)->stream, ==, 1);
}

static void
test_sorted (void)
{
  HirTraceBuilder *builder = new_builder (3);
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  g_autoptr (HirTrace) trace = NULL;
  guint64 n = 0, sum = 0, sum_after = 0;

  for (guint i = 0; i < 5000; i++)
    {
      gint64 start = g_rand_int_range (rand, -1000, 1000);
      gint64 end = start + g_rand_int_range (rand, 0, 50);

      add (builder, (guint16) g_rand_int_range (rand, 0, 3), start, end);
      sum += (guint64) (start * 31 + end);
    }
  trace = hir_trace_builder_finish (builder);
  for (guint t = 0; t < 3; t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++, n++)
      {
        HirEvent before, event;

        hir_trace_get_event (trace, t, i, &event);
        sum_after += (guint64) (event.start_ns * 31 + event.end_ns);
        if (i == 0)
          continue;
        hir_trace_get_event (trace, t, i - 1, &before);
        g_assert_cmpint (before.start_ns, <=, event.start_ns);
        if (before.start_ns == event.start_ns)
          g_assert_cmpint (before.end_ns, >=, event.end_ns);
      }
  g_assert_cmpuint (n, ==, 5000);
  g_assert_cmpuint (sum, ==, sum_after);
}

/* Equal intervals keep the order in which they were added. */
static void
test_stable (void)
{
  HirTraceBuilder *builder = new_builder (1);
  g_autoptr (HirTrace) trace = NULL;

  add (builder, 0, 50, 60);
  for (guint i = 0; i < 100; i++)
    {
      HirEvent event = { .start_ns = 10, .end_ns = 20, .correlation = i };

      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  trace = hir_trace_builder_finish (builder);
  for (guint i = 0; i < 100; i++)
    {
      HirEvent event;

      hir_trace_get_event (trace, 0, i, &event);
      g_assert_cmpuint (event.correlation, ==, i);
    }
}

static void
test_rejected (void)
{
  HirTraceBuilder *builder = new_builder (1);
  g_autoptr (HirTrace) trace = NULL;
  g_autofree char *account = NULL;
  HirEvent bad_kind = { .kind = HIR_N_EVENT_KINDS };
  HirEvent bad_phase = { .phase = HIR_PHASE_BASELINE };
  HirEvent bad_name = { .name = 77 };

  add (builder, 0, 10, 9);
  add (builder, 1, 10, 20);
  add (builder, 0, G_MININT64, G_MAXINT64);
  g_assert_true (hir_trace_builder_add (builder, &bad_kind, NULL));
  g_assert_true (hir_trace_builder_add (builder, &bad_phase, NULL));
  g_assert_true (hir_trace_builder_add (builder, &bad_name, NULL));
  hir_trace_builder_add_account (builder, "%d records lost", 3);
  trace = hir_trace_builder_finish (builder);
  g_assert_cmpuint (hir_trace_get_n_events (trace), ==, 1);
  account = g_strjoinv ("|", (char **) hir_trace_get_account (trace));
  g_assert_cmpstr (account, ==,
                   "3 records lost|1 event rejected: it ends before it starts|1 event rejected: it "
                   "is on no track|2 events rejected: their kind is unknown|1 event rejected: its "
                   "time is more than 73 years from zero|1 event without a name: the name is "
                   "missing");
}

static void
test_lanes (void)
{
  HirTraceBuilder *builder = new_builder (2);
  g_autoptr (HirTrace) trace = NULL;
  const guint lanes[] = { 0, 1, 2, 1, 0 };

  add (builder, 0, 0, 100);
  add (builder, 0, 10, 50);
  add (builder, 0, 20, 120);
  add (builder, 0, 50, 60);
  add (builder, 0, 100, 110);
  add (builder, 1, 0, 10);
  add (builder, 1, 10, 20);
  trace = hir_trace_builder_finish (builder);
  g_assert_cmpuint (hir_trace_get_n_lanes (trace, 0), ==, 3);
  g_assert_cmpuint (hir_trace_get_n_lanes (trace, 1), ==, 1);
  for (guint i = 0; i < G_N_ELEMENTS (lanes); i++)
    g_assert_cmpuint (hir_trace_get_lane (trace, 0, i), ==, lanes[i]);
}

static void
test_next_of (void)
{
  HirTraceBuilder *builder = new_builder (3);
  g_autoptr (HirTrace) trace = NULL;
  guint track = 0, index = HIR_NO_EVENT, n = 0;

  for (guint i = 0; i < 30; i++)
    {
      HirEvent event = { .start_ns = i,
                         .end_ns = i + 1,
                         .track = i % 2 ? 2 : 0,
                         .instruction = 100 + i % 3,
                         .correlation = i / 2 };

      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  trace = hir_trace_builder_finish (builder);
  while (hir_trace_next_of_instruction (trace, 101, &track, &index))
    {
      HirEvent event;

      hir_trace_get_event (trace, track, index, &event);
      g_assert_cmpuint (event.instruction, ==, 101);
      n++;
    }
  g_assert_cmpuint (n, ==, 10);
  track = 0, index = HIR_NO_EVENT;
  g_assert_false (hir_trace_next_of_instruction (trace, 99, &track, &index));
  track = 0, index = HIR_NO_EVENT;
  g_assert_true (hir_trace_next_of_correlation (trace, 7, &track, &index));
  g_assert_cmpuint (track, ==, 0);
  g_assert_true (hir_trace_next_of_correlation (trace, 7, &track, &index));
  g_assert_cmpuint (track, ==, 2);
  g_assert_false (hir_trace_next_of_correlation (trace, 7, &track, &index));
}

/* The memory limit of the store in the worst case: every column used, overlapping events. */
static void
test_size (void)
{
  HirTraceBuilder *builder = new_builder (1);
  guint32 name = hir_trace_builder_intern (builder, "matmul");
  const guint n = 200000;
  g_autoptr (HirTrace) trace = NULL;

  for (guint i = 0; i < n; i++)
    {
      HirEvent event = { i * 10, i * 10 + 15, i, i, i % 100, name, i, i, 0, HIR_EVENT_KERNEL, 0 };

      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  trace = hir_trace_builder_finish (builder);
  /* The index for drawing takes 5.4 bytes more, or 9.4 if events overlap: 48 in total, except in
   * that worst case. */
  g_assert_cmpuint (hir_trace_get_size_bytes (trace), <=, n * 40);
  g_assert_cmpuint (hir_trace_get_size_bytes (trace), >, n * 38);
}

/* Amounts near the limits of a column, added in an order that is sorted later. Equal amounts are
 * stored once. */
static void
test_large_amounts (void)
{
  static const gint64 amounts[] = { 0,          1,          0x7fffffff,
                                    0x80000000, 0xffffffff, G_GINT64_CONSTANT (0x100000000),
                                    G_MAXINT64, -1,         G_MININT64 };
  HirTraceBuilder *builder = new_builder (1);
  const guint n = 200000;
  g_autoptr (HirTrace) trace = NULL;
  HirEvent event;

  for (guint i = 0; i < n; i++)
    {
      HirEvent next = { .start_ns = n - i,
                        .end_ns = n - i + 1,
                        .bytes = amounts[i % G_N_ELEMENTS (amounts)],
                        .flops = amounts[(i + 4) % G_N_ELEMENTS (amounts)] };

      if (i % 1000 == 7)
        next.flops = G_MAXINT64 - i;
      g_assert_true (hir_trace_builder_add (builder, &next, NULL));
    }
  trace = hir_trace_builder_finish (builder);
  for (guint i = 0; i < n; i++)
    {
      guint was = n - 1 - i;

      hir_trace_get_event (trace, 0, i, &event);
      g_assert_cmpint (event.start_ns, ==, i + 1);
      g_assert_cmpint (event.bytes, ==, amounts[was % G_N_ELEMENTS (amounts)]);
      g_assert_cmpint (event.flops, ==,
                       was % 1000 == 7 ? G_MAXINT64 - was
                                       : amounts[(was + 4) % G_N_ELEMENTS (amounts)]);
    }
  g_assert_cmpuint (hir_trace_get_size_bytes (trace), <=, n * 26);
}

static void
test_strings (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  g_autoptr (HirTrace) trace = NULL;
  guint32 broken;

  for (guint i = 0; i < 3000; i++)
    {
      g_autofree char *text = g_strdup_printf ("name %u", i % 1000);

      g_assert_cmpuint (hir_trace_builder_intern (builder, text), ==, i % 1000 + 1);
    }
  g_assert_cmpuint (hir_trace_builder_intern (builder, ""), ==, 0);
  broken = hir_trace_builder_intern (builder, "a\xff");
  trace = hir_trace_builder_finish (builder);
  g_assert_cmpuint (hir_trace_get_n_strings (trace), ==, 1002);
  g_assert_cmpstr (hir_trace_get_string (trace, 500), ==, "name 499");
  g_assert_true (g_utf8_validate (hir_trace_get_string (trace, broken), -1, NULL));
  g_assert_nonnull (hir_trace_get_account (trace)[0]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace/empty", test_empty);
  g_test_add_func ("/trace/fields", test_fields);
  g_test_add_func ("/trace/sorted", test_sorted);
  g_test_add_func ("/trace/stable", test_stable);
  g_test_add_func ("/trace/rejected", test_rejected);
  g_test_add_func ("/trace/lanes", test_lanes);
  g_test_add_func ("/trace/next-of", test_next_of);
  g_test_add_func ("/trace/size", test_size);
  g_test_add_func ("/trace/large-amounts", test_large_amounts);
  g_test_add_func ("/trace/strings", test_strings);
  return g_test_run ();
}
