/* Tests comparing traces: matching by instruction or name, pairs by rank and order. */
#include "analysis/compare.h"
#include "diagnostic.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static HirTraceBuilder *
begin (guint n_ranks)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();

  for (guint rank = 0; rank < n_ranks; rank++)
    {
      HirTrack track = { HIR_TRACK_STREAM, (int) rank, (int) rank, 1, (char *) "Stream 1" };

      hir_trace_builder_add_track (builder, &track);
    }
  return builder;
}

static void
add (HirTraceBuilder *builder,
     guint rank,
     HirEventKind kind,
     const char *name,
     guint64 instruction,
     gint64 start_ns,
     gint64 duration_ns)
{
  HirEvent event = {
    .start_ns = start_ns,
    .end_ns = start_ns + duration_ns,
    .instruction = instruction,
    .name = hir_trace_builder_intern (builder, name),
    .iteration = -1,
    .track = (guint16) rank,
    .kind = kind,
  };

  g_assert_true (hir_trace_builder_add (builder, &event, NULL));
}

static const HirCompareRow *
find (const HirComparison *comparison, const char *name)
{
  for (guint i = 0; i < comparison->rows->len; i++)
    {
      const HirCompareRow *row = &g_array_index (comparison->rows, HirCompareRow, i);

      if (strcmp (row->name, name) == 0)
        return row;
    }
  g_error ("no row %s", name);
}

static void
make_pair (HirTrace **a, HirTrace **b)
{
  HirTraceBuilder *x = begin (2), *y = begin (2);

  add (x, 0, HIR_EVENT_KERNEL, "T2_matmul", 7, 1000, 100);
  add (x, 1, HIR_EVENT_KERNEL, "T2_matmul", 7, 1000, 100);
  add (x, 0, HIR_EVENT_KERNEL, "old", 8, 1200, 10);
  add (x, 0, HIR_EVENT_KERNEL, "both", 0, 1300, 30);
  add (x, 0, HIR_EVENT_SYNC, "wait", 7, 900, 500);

  /* Renamed, one slower by 20 and one faster by 5, in another order, and the same name with
   * another kind. */
  add (y, 1, HIR_EVENT_KERNEL, "T9_matmul", 7, 50, 120);
  add (y, 0, HIR_EVENT_KERNEL, "T9_matmul", 7, 60, 95);
  add (y, 0, HIR_EVENT_KERNEL, "both", 0, 10, 40);
  add (y, 0, HIR_EVENT_MEMCPY, "both", 0, 20, 3);
  add (y, 0, HIR_EVENT_KERNEL, "new", 9, 200, 2);
  *a = hir_trace_builder_finish (x);
  *b = hir_trace_builder_finish (y);
}

static void
test_rows (void)
{
  g_autoptr (HirTrace) a = NULL, b = NULL;
  g_autoptr (HirComparison) comparison = NULL;
  const HirCompareRow *row;

  make_pair (&a, &b);
  comparison = hir_comparison_new (a, b, NULL, NULL, NULL);
  g_assert_cmpuint (comparison->rows->len, ==, 5);
  row = &g_array_index (comparison->rows, HirCompareRow, 0);
  g_assert_cmpstr (row->name, ==, "T2_matmul");
  g_assert_cmpuint (row->instruction, ==, 7);
  g_assert_cmpuint (row->count_a, ==, 2);
  g_assert_cmpuint (row->count_b, ==, 2);
  g_assert_cmpint (row->sum_a_ns, ==, 200);
  g_assert_cmpint (row->sum_b_ns, ==, 215);
  g_assert_cmpuint (row->n_pairs, ==, 2);
  g_assert_cmpint (row->max_slower_ns, ==, 20);
  g_assert_cmpint (row->max_faster_ns, ==, 5);
  g_assert_cmpuint (find (comparison, "old")->count_b, ==, 0);
  g_assert_cmpuint (find (comparison, "new")->count_a, ==, 0);
  g_assert_cmpuint (comparison->n_only_a, ==, 1);
  g_assert_cmpuint (comparison->n_only_b, ==, 2);
  g_assert_cmpint (comparison->span_a_ns, ==, 500);
}

/* A collective and its copies, and kernels of one instruction, are different work. A kernel that
 * was renamed is compared with the one that no other name matches. */
static void
test_works_of_instruction (void)
{
  HirTraceBuilder *x = begin (1), *y = begin (1);
  g_autoptr (HirTrace) a = NULL, b = NULL;
  g_autoptr (HirComparison) comparison = NULL;
  const HirCompareRow *row;

  add (x, 0, HIR_EVENT_MEMCPY, "copy for Allreduce", 7, 0, 40);
  add (x, 0, HIR_EVENT_COMMUNICATION, "Allreduce", 7, 40, 100);
  add (x, 0, HIR_EVENT_KERNEL, "kept", 8, 200, 10);
  add (x, 0, HIR_EVENT_KERNEL, "old", 8, 300, 20);
  add (y, 0, HIR_EVENT_COMMUNICATION, "Allreduce", 7, 0, 100);
  add (y, 0, HIR_EVENT_MEMCPY, "copy for Allreduce", 7, 100, 45);
  add (y, 0, HIR_EVENT_KERNEL, "new", 8, 200, 26);
  add (y, 0, HIR_EVENT_KERNEL, "kept", 8, 300, 10);
  a = hir_trace_builder_finish (x);
  b = hir_trace_builder_finish (y);
  comparison = hir_comparison_new (a, b, NULL, NULL, NULL);
  g_assert_cmpuint (comparison->rows->len, ==, 4);
  row = find (comparison, "Allreduce");
  g_assert_cmpuint (row->instruction, ==, 7);
  g_assert_cmpint (row->sum_a_ns, ==, 100);
  g_assert_cmpint (row->max_slower_ns, ==, 0);
  row = find (comparison, "copy for Allreduce");
  g_assert_cmpint (row->kind, ==, HIR_EVENT_MEMCPY);
  g_assert_cmpint (row->sum_b_ns, ==, 45);
  g_assert_cmpint (row->max_slower_ns, ==, 5);
  g_assert_cmpint (find (comparison, "kept")->sum_b_ns, ==, 10);
  row = find (comparison, "old");
  g_assert_true (row->has_other_names);
  g_assert_cmpint (row->sum_b_ns, ==, 26);
  g_assert_cmpuint (comparison->n_only_a + comparison->n_only_b, ==, 0);
}

/* Creates a run with a warm-up. Repetition i has a gap of 100 - 30 i ns, and 3000 ns precede the
 * next one. */
static HirTrace *
new_repeated (guint n, guint n_recorded, const char *check)
{
  HirTraceBuilder *builder = begin (1);
  g_autofree char *run = g_strdup_printf ("{'repeat': <int64 %u>}", n);
  const HirEvent warmup = { .start_ns = -9000,
                            .end_ns = -8000,
                            .name = hir_trace_builder_intern (builder, "warm-up only"),
                            .phase = HIR_PHASE_WARMUP };

  hir_trace_builder_add (builder, &warmup, NULL);
  hir_trace_builder_set_meta (builder, "run", run);
  hir_trace_builder_set_meta (builder, HIR_META_CHECK, check);
  for (guint i = 0; i < n_recorded; i++)
    {
      add (builder, 0, HIR_EVENT_KERNEL, "work", 7, 4000 * i, 400 + 30 * i);
      add (builder, 0, HIR_EVENT_KERNEL, "work", 7, 4000 * i + 500, 500);
    }
  return hir_trace_builder_finish (builder);
}

/* Returns the numbers of one side as text (transfer full). */
static char *
dup_side (const HirComparison *comparison, guint side)
{
  const HirCompareRow *row = find (comparison, "work");
  const HirGpuStats *gpu =
      &g_array_index (side == 0 ? comparison->a->gpus : comparison->b->gpus, HirGpuStats, 0);

  return g_strdup_printf ("%u: %d of %d, total %d, busy %d, idle %d, span %d",
                          comparison->n_runs[side], (int) (side == 0 ? row->count_a : row->count_b),
                          (int) (side == 0 ? row->sum_a_ns : row->sum_b_ns), (int) gpu->total_ns,
                          (int) gpu->busy_ns, (int) gpu->idle_ns,
                          (int) (side == 0 ? comparison->span_a_ns : comparison->span_b_ns));
}

/* The numbers of a run are those of one repetition, whatever it is compared with. */
static void
test_repetitions (void)
{
  g_autoptr (HirTrace) one = new_repeated (1, 1, "right"), two = new_repeated (2, 2, "right");
  g_autoptr (HirTrace) three = new_repeated (3, 3, "wrong");
  const HirTrace *const traces[] = { one, two, three };
  const char *const numbers[] = {
    "1: 2 of 900, total 1000, busy 900, idle 100, span 1000",
    "2: 2 of 915, total 1000, busy 915, idle 85, span 1000",
    "3: 2 of 930, total 1000, busy 930, idle 70, span 1000",
  };

  for (guint i = 0; i < G_N_ELEMENTS (traces); i++)
    for (guint k = 0; k < G_N_ELEMENTS (traces); k++)
      {
        g_autoptr (HirComparison) comparison =
            hir_comparison_new (traces[i], traces[k], NULL, NULL, NULL);
        g_autofree char *a = dup_side (comparison, 0), *b = dup_side (comparison, 1);
        g_autofree char *note = hir_comparison_dup_note (comparison);

        g_assert_cmpstr (a, ==, numbers[i]);
        g_assert_cmpstr (b, ==, numbers[k]);
        g_assert_cmpuint (comparison->rows->len, ==, 1); /* without the warm-up */
        g_assert_true ((note == NULL) == (i + k == 0));
        if (i + k == 2)
          g_assert_cmpstr (note, ==,
                           i == 0   ? "A has 1 repetition, B has 3: times and counts are means of "
                                      "one repetition"
                           : i == 1 ? "A and B have 2 repetitions each: times and counts are means "
                                      "of one repetition"
                                    : "A has 3 repetitions, B has 1: times and counts are means of "
                                      "one repetition");
        g_assert_true ((comparison->caveats[1] != NULL) == (k == 2));
      }
}

/* Repetitions with different events are not separated. A run without events has none. */
static void
test_odd_repetitions (void)
{
  g_autoptr (HirTrace) one = new_repeated (1, 1, "right"), odd = new_repeated (3, 2, "wrong");
  g_autoptr (HirTrace) empty = hir_trace_builder_finish (begin (1));
  g_autoptr (HirComparison) comparison = hir_comparison_new (one, odd, NULL, NULL, NULL);
  g_autoptr (HirComparison) with_empty = hir_comparison_new (one, empty, NULL, NULL, NULL);
  g_autofree char *b = dup_side (comparison, 1), *note = hir_comparison_dup_note (comparison);
  g_autoptr (GCancellable) cancelled = g_cancellable_new ();

  /* 5000 ns, of which 1830 are busy. */
  g_assert_cmpstr (b, ==, "3: 1 of 610, total 1666, busy 610, idle 1056, span 1666");
  g_assert_nonnull (strstr (note, "; the repetitions of B have different events, so that idle "));
  g_assert_nonnull (strstr (comparison->caveats[1], "results of this run are incorrect"));
  g_assert_cmpint (with_empty->span_b_ns, ==, 0);
  g_assert_true (with_empty->is_separate[1]);
  g_cancellable_cancel (cancelled);
  g_assert_null (hir_comparison_new (one, odd, NULL, cancelled, NULL));
}

static void
test_merge (void)
{
  g_autoptr (HirTrace) a = NULL, b = NULL, both = NULL;
  gint64 start_ns, end_ns;

  make_pair (&a, &b);
  both = hir_comparison_merge (a, b, NULL, NULL, NULL);
  g_assert_cmpuint (hir_trace_get_n_tracks (both), ==, 4);
  g_assert_cmpuint (hir_trace_get_n_events (both), ==, 10);
  g_assert_cmpint (hir_trace_get_track (both, 2)->rank, ==, 2);
  g_assert_cmpstr (hir_trace_get_track (both, 2)->name, ==, "B: Stream 1");
  for (guint t = 0; t < 4; t += 2)
    {
      hir_trace_get_interval (both, t, 0, &start_ns, &end_ns);
      g_assert_cmpint (start_ns, ==, 0);
    }
}

static void
test_same (void)
{
  g_autoptr (HirTrace) a = NULL, b = NULL;
  g_autoptr (HirComparison) comparison = NULL;

  make_pair (&a, &b);
  comparison = hir_comparison_new (a, a, NULL, NULL, NULL);
  for (guint i = 0; i < comparison->rows->len; i++)
    {
      const HirCompareRow *row = &g_array_index (comparison->rows, HirCompareRow, i);

      g_assert_cmpint (row->sum_a_ns, ==, row->sum_b_ns);
      g_assert_cmpint (row->max_slower_ns + row->max_faster_ns, ==, 0);
      g_assert_cmpuint (row->n_pairs, ==, row->count_a);
    }
}

G_GNUC_UNUSED static HirTrace *
new_long_trace (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  const HirTrack track = { HIR_TRACK_STREAM, 0, 0, 1, (char *) "s" };

  hir_trace_builder_add_track (builder, &track);
  for (guint i = 0; i < 400000; i++)
    {
      const HirEvent event = { .start_ns = i, .end_ns = i + 1, .kind = HIR_EVENT_KERNEL };

      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  return hir_trace_builder_finish (builder);
}

/* Tests that too little memory gives an error instead of aborting. */
static void
test_out_of_memory (void)
{
#if defined(__SANITIZE_ADDRESS__)
  g_test_skip ("its own memory is without bounds under ASan");
#else
  g_autoptr (HirTrace) trace = new_long_trace ();
  int status;
  pid_t pid = fork ();

  if (pid == 0)
    {
      g_autofree char *statm = NULL;
      g_autoptr (GError) error = NULL;
      struct rlimit limit;

      if (!g_file_get_contents ("/proc/self/statm", &statm, NULL, NULL))
        _exit (2);
      limit.rlim_cur = limit.rlim_max = g_ascii_strtoull (statm, NULL, 10) * 4096 + 20000000;
      setrlimit (RLIMIT_AS, &limit);
      if (hir_comparison_new (trace, trace, NULL, NULL, &error) != NULL)
        _exit (3);
      _exit (g_error_matches (error, HIR_ERROR, HIR_ERROR_LIMIT) ? 0 : 4);
    }
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_cmpint (status, ==, 0);
#endif
}

static void
test_cancelled (void)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (HirTrace) a = NULL, b = NULL;
  g_autoptr (GError) error = NULL;

  make_pair (&a, &b);
  g_cancellable_cancel (cancellable);
  g_assert_null (hir_comparison_new (a, b, NULL, cancellable, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_CANCELLED);
  g_clear_error (&error);
  g_assert_null (hir_comparison_merge (a, b, NULL, cancellable, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_CANCELLED);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/compare/rows", test_rows);
  g_test_add_func ("/compare/works-of-instruction", test_works_of_instruction);
  g_test_add_func ("/compare/repetitions", test_repetitions);
  g_test_add_func ("/compare/odd-repetitions", test_odd_repetitions);
  g_test_add_func ("/compare/merge", test_merge);
  g_test_add_func ("/compare/same", test_same);
  g_test_add_func ("/compare/out-of-memory", test_out_of_memory);
  g_test_add_func ("/compare/cancelled", test_cancelled);
  return g_test_run ();
}
