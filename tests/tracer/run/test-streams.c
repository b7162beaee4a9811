/* Tests streams of the CPU back end: order by events with delays; failures, hangs, stops. */
#include <math.h>

#include "program-builder.h"
#include "run-fixture.h"
#include "run/cpu/cpu.h"

#define N_ROUNDS 8

/* In each iteration: a copy on stream i, then a copy of the copy on the default stream. */
static HirContainer *
relay (gboolean with_wait, HirTensor **out)
{
  HirContainer *program = build_program ();
  const gint64 shape[] = { N_ROUNDS, 16 };
  HirTensor *in = build_tensor (program, 2, shape), *middle = build_tensor (program, 2, shape);
  HirTensor *a = build_tensor (program, 1, shape + 1), *b = build_tensor (program, 1, shape + 1);
  HirTensor *c = build_tensor (program, 1, shape + 1);
  HirStream *original;
  HirScope *body;

  *out = build_tensor (program, 2, shape);
  hir_container_add_input (program, HIR_VAL (in));
  hir_container_add_output (program, HIR_VAL (*out));
  build_allocate (program, NULL, middle);
  build_allocate (program, NULL, *out);
  original = build_stream_op (program, NULL, HIR_EXPR_GET_CURRENT_STREAM, NULL)->u.stream.stream;
  body = &build_loop (program, NULL, N_ROUNDS)->u.loop.body;
  build_stream_op (program, body, HIR_EXPR_SET_CURRENT_STREAM, NULL);
  build_select (program, body, a, in, 0, build_index (program));
  build_select (program, body, b, middle, 0, build_index (program));
  build_set (program, body, b, a);
  build_stream_op (program, body, HIR_EXPR_SET_CURRENT_STREAM, original);
  if (with_wait)
    build_stream_op (program, body, HIR_EXPR_SYNCHRONIZE, NULL);
  build_select (program, body, c, *out, 0, build_index (program));
  build_set (program, body, c, b);
  return program;
}

static HirValue *
counting (void)
{
  double elements[N_ROUNDS * 16];

  for (guint i = 0; i < G_N_ELEMENTS (elements); i++)
    elements[i] = i;
  return value_of (HIR_DTYPE_FLOAT, 2, (gint64[]){ N_ROUNDS, 16 }, elements);
}

static gboolean
relay_is_right (gboolean with_wait, guint32 seed)
{
  HirTensor *out;
  g_autoptr (HirContainer) program = relay (with_wait, &out);
  g_autoptr (HirValue) value = counting ();
  HirBackendOptions options = { .max_delay_us = 2000, .delay_seed = seed };
  Machine machine = machine_new (program, &options);
  HirValue *result;
  gboolean right = TRUE;

  g_assert_no_error (machine_run (&machine, &value, 1));
  result = hir_evaluator_lookup (machine.evaluator, HIR_VAL (out));
  for (gint64 i = 0; i < N_ROUNDS * 16; i++)
    right = right && element_of (result, i) == (double) i;
  machine_clear (&machine);
  return right;
}

static void
test_events_order_streams (void)
{
  for (guint32 seed = 0; seed < 20; seed++)
    g_assert_true (relay_is_right (TRUE, seed));
}

/* The test above can fail: without the wait, the data is read before it is written. */
static void
test_a_missing_wait_shows (void)
{
  guint n_wrong = 0;

  for (guint32 seed = 0; seed < 20; seed++)
    n_wrong += !relay_is_right (FALSE, seed);
  g_assert_cmpuint (n_wrong, >, 0);
}

static void
test_many_tasks (void)
{
  g_autoptr (HirContainer) program = build_program ();
  HirTensor *in = build_tensor (program, 1, (gint64[]){ 4 }),
            *out = build_tensor (program, 1, (gint64[]){ 4 });
  g_autoptr (HirValue) value =
      value_of (HIR_DTYPE_FLOAT, 1, (gint64[]){ 4 }, (double[]){ 1, 2, 3, 4 });
  HirExpr *loop;

  hir_container_add_input (program, HIR_VAL (in));
  build_allocate (program, NULL, out);
  loop = build_loop (program, NULL, 20000); /* more than the queue limit */
  build_stream_op (program, &loop->u.loop.body, HIR_EXPR_SET_CURRENT_STREAM, NULL);
  build_set (program, &loop->u.loop.body, out, in);

  Machine machine = machine_new (program, NULL);
  g_assert_no_error (machine_run (&machine, &value, 1));
  g_assert_cmpfloat (element_of (hir_evaluator_lookup (machine.evaluator, HIR_VAL (out)), 3), ==,
                     4);
  machine_clear (&machine);
}

static GError *
run_with (HirContainer *program, const HirBackendOptions *options)
{
  g_autoptr (HirValue) value = counting ();
  Machine machine = machine_new (program, options);
  GError *error = machine_run (&machine, &value, 1);

  machine_clear (&machine);
  return error;
}

static void
test_a_hang_is_named (void)
{
  HirTensor *out;
  g_autoptr (HirContainer) program = relay (TRUE, &out);
  HirBackendOptions options = { .timeout_us = 100000, .hang_on = "set", .rank = 3 };
  g_autoptr (GError) error = run_with (program, &options);

  g_assert_error (error, HIR_ERROR, HIR_ERROR_RUN);
  g_assert_nonnull (strstr (error->message, "Set T3"));
  g_assert_nonnull (strstr (error->message, "rank 3"));
  g_assert_nonnull (strstr (error->message, "--timeout"));
}

static gpointer
end_computation (gpointer data)
{
  HirComputations *computations = data;

  g_usleep (400000);
  g_atomic_int_inc (&computations->n_ended);
  return NULL;
}

/* While another rank computes, which may take longer than the limit, a wait is not a hang. */
static void
test_a_computation_is_progress (void)
{
  HirTensor *out;
  g_autoptr (HirContainer) program = relay (TRUE, &out);
  HirComputations computations = { 1, 0 };
  HirBackendOptions options = { .timeout_us = 50000,
                                .hang_on = "set",
                                .computations = &computations };
  gint64 start_us = g_get_monotonic_time ();
  GThread *other = g_thread_new ("other rank", end_computation, &computations);
  g_autoptr (GError) error = run_with (program, &options);

  g_thread_join (other);
  g_assert_error (error, HIR_ERROR, HIR_ERROR_RUN);
  g_assert_cmpint (g_get_monotonic_time () - start_us, >=, 400000);
}

/* Ops count as computations, and all of them end. */
static void
test_ops_are_computations (void)
{
  HirTensor *out;
  g_autoptr (HirContainer) program = relay (TRUE, &out);
  HirComputations computations = { 0 };
  HirBackendOptions options = { .computations = &computations };
  g_autoptr (GError) error = run_with (program, &options);
  gint n_ended = 0;

  g_assert_no_error (error);
  g_assert_cmpint (computations.n_started, >, 0);
  g_assert_true (hir_computations_have_progressed (&computations, &n_ended));
  g_assert_cmpint (n_ended, ==, computations.n_started);
  g_assert_false (hir_computations_have_progressed (&computations, &n_ended));
}

/* With a full queue the host waits, and must detect the hang too. */
static void
test_a_hang_with_a_full_queue (void)
{
  g_autoptr (HirContainer) program = build_program ();
  HirTensor *in = build_tensor (program, 2, (gint64[]){ N_ROUNDS, 16 });
  HirTensor *out = build_tensor (program, 2, (gint64[]){ N_ROUNDS, 16 });
  HirBackendOptions options = { .timeout_us = 100000, .hang_on = "set" };
  g_autoptr (GError) error = NULL;
  HirExpr *loop;

  hir_container_add_input (program, HIR_VAL (in));
  build_allocate (program, NULL, out);
  loop = build_loop (program, NULL, 20000);
  build_set (program, &loop->u.loop.body, out, in);
  error = run_with (program, &options);
  g_assert_error (error, HIR_ERROR, HIR_ERROR_RUN);
  g_assert_nonnull (strstr (error->message, "Set T1"));
}

static gpointer
stop_soon (gpointer cancellable)
{
  g_usleep (50000);
  g_cancellable_cancel (cancellable);
  return NULL;
}

static void
test_a_stop_ends_a_hang (void)
{
  HirTensor *out;
  g_autoptr (HirContainer) program = relay (TRUE, &out);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  HirBackendOptions options = { .hang_on = "set", .cancellable = cancellable };
  GThread *thread = g_thread_new ("stop", stop_soon, cancellable);
  g_autoptr (GError) error = run_with (program, &options);

  g_assert_error (error, HIR_ERROR, HIR_ERROR_CANCELLED);
  g_thread_join (thread);
}

static void
test_a_failing_op_is_named (void)
{
  g_autoptr (HirContainer) program = build_program ();
  HirTensor *in = build_tensor (program, 2, (gint64[]){ N_ROUNDS, 16 });
  HirTensor *out = build_tensor (program, 2, (gint64[]){ N_ROUNDS, 16 });
  g_autoptr (GError) error = NULL;

  hir_container_add_input (program, HIR_VAL (in));
  build_allocate (program, NULL, out);
  build_put (program, NULL, build_op (program, HIR_EXPR_MATMUL, out, in, in)); /* 8x16 times 8x16 */
  error = run_with (program, NULL);
  g_assert_error (error, HIR_ERROR, HIR_ERROR_RUN);
  g_assert_nonnull (strstr (error->message, "T1_matmul"));
  g_assert_nonnull (strstr (error->message, "rank 0"));
  g_assert_nonnull (strstr (error->message, "float[8, 16]"));
}

/* Freed with queued work: no task runs afterwards, nothing leaks (checked by ASan). */
static void
test_free_in_flight (void)
{
  for (int i = 0; i < 20; i++)
    {
      HirTensor *out;
      g_autoptr (HirContainer) program = relay (TRUE, &out);
      g_autoptr (HirValue) value = counting ();
      HirBackendOptions options = { .max_delay_us = 500, .delay_seed = (guint32) i };
      Machine machine = machine_new (program, &options);

      g_assert_true (hir_evaluator_start (machine.evaluator, &value, 1, HIR_PHASE_PROGRAM, NULL));
      for (int k = 0; k < 10 + 3 * i; k++)
        g_assert_cmpint (hir_evaluator_step (machine.evaluator, NULL), !=, HIR_STEP_FAILED);
      machine_clear (&machine);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run/streams/events-order", test_events_order_streams);
  g_test_add_func ("/run/streams/missing-wait", test_a_missing_wait_shows);
  g_test_add_func ("/run/streams/many-tasks", test_many_tasks);
  g_test_add_func ("/run/streams/hang", test_a_hang_is_named);
  g_test_add_func ("/run/streams/computation-is-progress", test_a_computation_is_progress);
  g_test_add_func ("/run/streams/ops-are-computations", test_ops_are_computations);
  g_test_add_func ("/run/streams/hang-full-queue", test_a_hang_with_a_full_queue);
  g_test_add_func ("/run/streams/stop", test_a_stop_ends_a_hang);
  g_test_add_func ("/run/streams/failing-op", test_a_failing_op_is_named);
  g_test_add_func ("/run/streams/free-in-flight", test_free_in_flight);
  return g_test_run ();
}
