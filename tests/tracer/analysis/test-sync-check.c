/* Tests the synchronization check against possible orders of streams, on goldens and examples,
 * and on mutants with a Synchronize, Wait or SetCurrentStream removed or moved. */
#include "analysis/sync-check.h"
#include "program/request-edit.h"
#include "script/script.h"

#include <string.h>

#include "session-access.h"
#include "sync-schedule.h"
#include "tracer-fixture.h"

/* With sanitizers, use fewer orders and numbers of streams. */
#ifdef __SANITIZE_ADDRESS__
#define DEFAULT_ORDERS 1
#define MORE_STREAMS 4
#define N_STREAM_COUNTS 2
#else
#define DEFAULT_ORDERS 4
#define MORE_STREAMS 2
#define N_STREAM_COUNTS 4
#endif

#define SHARED_BUFFER "row_parallel_linear.2026.txt"

typedef enum
{
  EDIT_DELETE,
  EDIT_LATER,   /* after the next instruction of its scope */
  EDIT_EARLIER, /* before the previous instruction */
} Edit;

typedef struct
{
  guint n_programs, n_mutants, n_missing, n_wrong_outputs, n_redundant, n_orders;
} Counts;

static guint
get_n_random (void)
{
  const char *text = g_getenv ("HIR_SYNC_ORDERS");

  return text != NULL ? (guint) g_ascii_strtoull (text, NULL, 10) : DEFAULT_ORDERS;
}

static HirSyncCheck *
run_check (HirContainer *fusion, GPtrArray *hosts, gint64 n_streams)
{
  const HirSyncOptions options = { .n_streams = n_streams, .parts = HIR_SYNC_USES };
  g_autoptr (GError) error = NULL;
  HirSyncCheck *check = hir_sync_check_new (fusion, (HirContainer *const *) hosts->pdata,
                                            hosts->len, &options, NULL, &error);

  g_assert_no_error (error);
  return check;
}

/* Returns TRUE if a step sees other data in some order than in host order. */
static gboolean
any_order_differs (const HirSyncTrace *trace, GRand *rand, Counts *counts, gboolean *wrong_output)
{
  g_autoptr (SyncSchedule) schedule = sync_schedule_new (trace);
  SyncResult right = sync_schedule_run_in_order (schedule);
  guint n_random = get_n_random (), n_queues = trace->queues->len;
  gboolean differs = FALSE;

  *wrong_output = FALSE;
  for (guint i = 0; i < n_queues + n_random; i++)
    {
      SyncResult result = i < n_queues ? sync_schedule_run_delaying (schedule, i)
                                       : sync_schedule_run_random (schedule, rand);

      differs |= result.seen != right.seen;
      *wrong_output |= result.outputs != right.outputs;
      counts->n_orders++;
    }
  return differs;
}

static HirScope *
find_scope (HirScope *scope, guint64 id, guint *at)
{
  for (guint i = 0; i < scope->exprs.len; i++)
    {
      HirExpr *expr = scope->exprs.items[i];
      HirScope *inner, *found;

      if (expr->node.id == id)
        {
          *at = i;
          return scope;
        }
      for (guint k = 0; (inner = hir_expr_get_scope (expr, k)) != NULL; k++)
        if ((found = find_scope (inner, id, at)) != NULL)
          return found;
    }
  return NULL;
}

/* Returns FALSE if the move is impossible; a Wait stays after its communication. */
static gboolean
edit (HirContainer *host, guint64 id, Edit how)
{
  guint at;
  HirScope *scope = find_scope (&host->top, id, &at);
  gpointer expr;

  if (scope == NULL)
    return TRUE; /* of another rank */
  if (how == EDIT_LATER && at + 1 >= scope->exprs.len)
    return FALSE;
  expr = scope->exprs.items[at];
  if (how == EDIT_EARLIER &&
      (at == 0 || (((const HirExpr *) expr)->kind == HIR_EXPR_WAIT &&
                   ((const HirExpr *) expr)->u.wait.of == scope->exprs.items[at - 1])))
    return FALSE;
  if (how == EDIT_DELETE)
    hir_vec_remove (&scope->exprs, at);
  else
    {
      guint other = how == EDIT_LATER ? at + 1 : at - 1;

      scope->exprs.items[at] = scope->exprs.items[other];
      scope->exprs.items[other] = expr;
    }
  return TRUE;
}

/* Returns NULL if the edit is impossible. */
static GPtrArray *
dup_edited (GPtrArray *hosts, const guint64 *ids, guint n_ids, Edit how)
{
  g_autoptr (GPtrArray) edited =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hir_container_unref);

  for (guint i = 0; i < hosts->len; i++)
    {
      HirContainer *host = hir_container_clone (hosts->pdata[i]);

      g_ptr_array_add (edited, host);
      for (guint k = 0; k < n_ids; k++)
        if (!edit (host, ids[k], how))
          return NULL;
    }
  return g_steal_pointer (&edited);
}

static gboolean
add_id (HirExpr *expr, guint depth, gpointer user_data)
{
  GArray *ids = user_data;
  gboolean known = FALSE;

  for (guint i = 0; i < ids->len; i++)
    known |= g_array_index (ids, guint64, i) == expr->node.id;
  if (!known && (expr->kind == HIR_EXPR_SYNCHRONIZE || expr->kind == HIR_EXPR_WAIT ||
                 expr->kind == HIR_EXPR_SET_CURRENT_STREAM))
    g_array_append_val (ids, expr->node.id);
  return TRUE;
}

/* Checks that the result agrees with the orders. */
static void
compare (HirContainer *fusion, GPtrArray *hosts, gint64 n_streams, GRand *rand, Counts *counts)
{
  g_autoptr (HirSyncCheck) check = run_check (fusion, hosts, n_streams);
  gboolean wrong_output;
  gboolean differs = any_order_differs (check->trace, rand, counts, &wrong_output);

  if (differs != (check->missing->len > 0))
    {
      g_autofree char *text = hir_sync_check_format (check);

      g_test_message ("some order differs: %d\n%s", differs, text);
    }
  /* A deleted or moved Wait may leave a communication without one. */
  g_assert_cmpuint (check->trace->faults->len, ==,
                    hir_sync_faults_count (check->trace->faults, HIR_SYNC_FAULT_NOT_WAITED));
  g_assert_cmpint (differs, ==, check->missing->len > 0);
  counts->n_mutants++;
  counts->n_missing += check->missing->len > 0;
  counts->n_wrong_outputs += wrong_output;
}

/* All reported instructions can be removed together, and each alone. */
static void
test_redundant (
    HirContainer *fusion, GPtrArray *hosts, const HirSyncCheck *check, GRand *rand, Counts *counts)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint64));

  for (guint i = 0; i < check->uses->len; i++)
    {
      const HirSyncUse *use = &g_array_index (check->uses, HirSyncUse, i);

      if (use->is_redundant)
        g_array_append_val (ids, use->expr->node.id);
    }
  for (guint i = 0; i <= ids->len && ids->len > 0; i++)
    {
      const guint64 *all = (const guint64 *) (gconstpointer) ids->data;
      g_autoptr (GPtrArray) edited = i < ids->len ? dup_edited (hosts, all + i, 1, EDIT_DELETE)
                                                  : dup_edited (hosts, all, ids->len, EDIT_DELETE);
      g_autoptr (HirSyncCheck) without = run_check (fusion, edited, check->n_streams);
      gboolean wrong_output;

      g_assert_cmpuint (without->missing->len, ==, 0);
      g_assert_false (any_order_differs (without->trace, rand, counts, &wrong_output));
    }
  counts->n_redundant += ids->len;
}

/* With sanitizers, only some numbers of streams, to limit the time. */
static gboolean
moves_earlier (gint64 n_streams)
{
  return N_STREAM_COUNTS == 4 || n_streams == MORE_STREAMS || g_getenv ("HIR_SYNC_ORDERS") != NULL;
}

static void
test_hosts (HirContainer *fusion, GPtrArray *hosts, gint64 n_streams, Counts *counts)
{
  g_autoptr (HirSyncCheck) check = run_check (fusion, hosts, n_streams);
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint64));
  GRand *rand = g_rand_new_with_seed ((guint32) (n_streams * 100 + hosts->len));
  gboolean wrong_output;

  if (!hir_sync_check_passed (check))
    {
      g_autofree char *text = hir_sync_check_format (check);

      g_test_message ("%s", text);
    }
  g_assert_true (hir_sync_check_passed (check));
  g_assert_false (any_order_differs (check->trace, rand, counts, &wrong_output));
  counts->n_programs++;
  for (guint i = 0; i < hosts->len; i++)
    hir_container_foreach_expr (hosts->pdata[i], add_id, ids);
  for (guint i = 0; i < ids->len; i++)
    for (int how = EDIT_DELETE; how <= (moves_earlier (n_streams) ? EDIT_EARLIER : EDIT_LATER);
         how++)
      {
        g_autoptr (GPtrArray) edited =
            dup_edited (hosts, &g_array_index (ids, guint64, i), 1, (Edit) how);

        if (edited != NULL)
          compare (fusion, edited, n_streams, rand, counts);
      }
  test_redundant (fusion, hosts, check, rand, counts);
  g_rand_free (rand);
}

static void
test_program (HirProgram *program, Counts *counts)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) hosts = hir_program_dup_rank_hosts (program, NULL, &error);

  g_assert_no_error (error);
  for (gint64 n_streams = 1; n_streams <= 8; n_streams *= MORE_STREAMS)
    test_hosts (program->fusion != NULL ? program->fusion : program->printed, hosts, n_streams,
                counts);
}

static void
report (const Counts *counts)
{
  g_test_message (
      "%u programs clean; %u mutants, %u of them miss synchronization, %u have incorrect "
      "outputs; %u redundant; %u orders",
      counts->n_programs, counts->n_mutants, counts->n_missing, counts->n_wrong_outputs,
      counts->n_redundant, counts->n_orders);
}

static HirProgram *
lower (const char *file, const char *function, gint64 n_devices, const char *set)
{
  g_autoptr (HirRequest) request = fix_request (file, function);
  g_autoptr (GError) error = NULL;
  HirProgram *program;

  request->n_devices = n_devices;
  if (set != NULL)
    request->set = g_strsplit (set, " ", -1);
  program = hir_program_new (request, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_no_error (program->error);
  return program;
}

static void
test_single_device (void)
{
  static const char *const names[] = { "single_set_op",    "single_set_op_non_outermost",
                                       "single_binary_op", "two_set_ops",
                                       "reduction",        "three_set_ops_disjoint_loops",
                                       "matmul_m",         "matmul_n",
                                       "batched_matmul" };
  static const char *const sets[] = { "StreamParallelType.initial_sync=in_loop",
                                      "StreamParallelType.initial_sync=separate" };
  Counts counts = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (names) * 2; i++)
    {
      g_autoptr (HirProgram) program = lower ("single_device.py", names[i / 2], 1, sets[i % 2]);

      test_program (program, &counts);
    }
  report (&counts);
  g_assert_cmpuint (counts.n_missing, >, 50);
  g_assert_cmpuint (counts.n_mutants, >, counts.n_missing);
  g_assert_cmpuint (counts.n_redundant, >, 0);
}

static void
test_multi_device (gconstpointer data)
{
  static const char *const names[] = { "ag_matmul",     "allgather",
                                       "allreduce",     "reduce_scatter",
                                       "allgather_p2p", "matmul_AR",
                                       "AG_matmul_P2p", "matmul_RS_through_bcast" };
  Counts counts = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (HirProgram) program =
          lower ("multi_device.py", names[i], GPOINTER_TO_INT (data), NULL);

      test_program (program, &counts);
    }
  report (&counts);
  g_assert_cmpuint (counts.n_missing, >, 50);
  g_assert_cmpuint (counts.n_mutants, >, counts.n_missing);
}

/* Programs of the host-IR pipeline, which differ between ranks. */
static void
test_hostir (void)
{
  static const struct
  {
    const char *script, *function;
    gint64 n_devices;
  } rows[] = {
    { "collectives.py", "allgather", 2 },
    { "collectives.py", "allgather_of_a_dp_tp_mesh", 4 },
    { "collectives.py", "allreduce", 2 },
    { "collectives.py", "broadcast", 2 },
    { "collectives.py", "reduce_scatter", 2 },
    { "collectives.py", "scatter", 3 },
    { "collectives.py", "send_recv", 3 },
    { "layers.py", "allgather_then_matmul", 2 },
    { "layers.py", "pointwise", 2 },
    { "overlap.py", "column_parallel_linear_collective_permute", 2 },
    { "overlap.py", "row_parallel_linear_forward", 2 },
    { "scenarios.py", "alltoall", 2 },
    { "scenarios.py", "column_and_sequence_parallel_linear", 2 },
    { "scenarios.py", "column_parallel_linear_broadcast", 2 },
    { "scenarios.py", "copies_by_streams", 1 },
    { "scenarios.py", "gather", 3 },
    { "scenarios.py", "mlp", 2 },
    { "scenarios.py", "reduce", 3 },
    { "scenarios.py", "reduce_scatter_by_streams", 2 },
    { "scenarios.py", "row_parallel_input_grad", 2 },
    { "scenarios.py", "row_parallel_linear_with_bias", 2 },
    { "scenarios.py", "stream_from_the_weight", 1 },
    { "scenarios.py", "two_matmuls_not_inlinable", 1 },
    { "streams.py", "matmul", 1 },
    { "streams.py", "two_matmuls_inlinable", 1 },
  };
  Counts counts = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "tests", "data",
                                                "cases", "host_ir_2026", rows[i].script, NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (HirSource) source = hir_script_load (path, &error);
      g_autoptr (HirRequest) request = hir_request_new (source, rows[i].function);
      g_autoptr (HirRequest) hostir = hir_request_with_pipeline (request, HIR_PIPELINE_HOSTIR);
      g_autoptr (HirProgram) program = NULL;

      g_test_message ("%s", rows[i].function);
      hostir->n_devices = rows[i].n_devices;
      program = hir_program_new (hostir, NULL, NULL, &error);
      g_assert_no_error (error);
      g_assert_no_error (program->error);
      test_program (program, &counts);
    }
  report (&counts);
  g_assert_cmpuint (counts.n_missing, >, 50);
  g_assert_cmpuint (counts.n_mutants, >, counts.n_missing);
}

static HirProgram *
read_golden (const char *name)
{
  g_autofree char *path =
      g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "tests", "data", "golden", name, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirSource) source = hir_source_load (path, &error);
  g_autoptr (HirRequest) request = hir_request_new (source, NULL);
  HirProgram *program = hir_program_new (request, NULL, NULL, &error);

  g_assert_no_error (error);
  return program;
}

static void
test_goldens (void)
{
  g_autofree char *folder =
      g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "tests", "data", "golden", NULL);
  GDir *dir = g_dir_open (folder, 0, NULL);
  const char *name;
  Counts counts = { 0 };

  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".txt") && !g_str_equal (name, SHARED_BUFFER))
      {
        g_autoptr (HirProgram) program = read_golden (name);

        test_program (program, &counts);
      }
  g_dir_close (dir);
  report (&counts);
  g_assert_cmpuint (counts.n_programs, ==, 11 * N_STREAM_COUNTS);
  g_assert_cmpuint (counts.n_missing, >, 50);
}

/* FOR .. from does not invalidate T3, which Allocate therefore keeps: all iterations write one
 * buffer, on several streams (nvFuser #6000). */
static void
test_shared_buffer (void)
{
  g_autoptr (HirProgram) program = read_golden (SHARED_BUFFER);
  g_autoptr (GPtrArray) hosts = hir_program_dup_rank_hosts (program, NULL, NULL);
  g_autoptr (HirSyncCheck) check = run_check (program->printed, hosts, 4);

  g_assert_cmpuint (check->trace->faults->len, ==, 0);
  g_assert_cmpuint (check->missing->len, ==, 3);
  for (guint i = 0; i < check->missing->len; i++)
    {
      guint access = g_array_index (check->missing, HirSyncMissing, i).second_access;

      g_assert_cmpint (hir_sync_trace_get_access (check->trace, access)->tensor, ==, 3);
    }
}

static gboolean
find_kind (HirExpr *expr, guint depth, gpointer user_data)
{
  HirExpr **found = user_data;

  if (expr->kind != HIR_EXPR_COMMUNICATION)
    return TRUE;
  *found = expr;
  return FALSE;
}

static HirExpr *
find_communication (HirContainer *host)
{
  HirExpr *found = NULL;

  hir_container_foreach_expr (host, find_kind, &found);
  g_assert_nonnull (found);
  return found;
}

static void
remove_expr (HirContainer *host, const HirExpr *expr)
{
  guint at;
  HirScope *scope = find_scope (&host->top, expr->node.id, &at);

  hir_vec_remove (&scope->exprs, at);
}

static void
assert_mismatch (HirProgram *program, GPtrArray *hosts, const char *const *words)
{
  g_autoptr (HirSyncCheck) check = run_check (program->fusion, hosts, 2);
  g_autofree char *text = hir_sync_check_format (check);

  g_assert_false (hir_sync_check_passed (check));
  g_assert_cmpuint (hir_sync_faults_count (check->trace->faults, HIR_SYNC_FAULT_MISMATCH), ==, 1);
  for (guint i = 0; words[i] != NULL; i++)
    {
      if (strstr (text, words[i]) == NULL)
        g_test_message ("no '%s' in: %s", words[i], text);
      g_assert_nonnull (strstr (text, words[i]));
    }
}

/* One rank posts another collective or none. */
static void
test_ranks (void)
{
  g_autoptr (HirProgram) program = lower ("multi_device.py", "allreduce", 4, NULL);
  g_autoptr (GPtrArray) hosts = hir_program_dup_rank_hosts (program, NULL, NULL);
  g_autoptr (GPtrArray) other = dup_edited (hosts, NULL, 0, EDIT_DELETE);
  g_autoptr (GPtrArray) fewer = dup_edited (hosts, NULL, 0, EDIT_DELETE);
  g_autoptr (GPtrArray) outside = dup_edited (hosts, NULL, 0, EDIT_DELETE);
  HirExpr *found = find_communication (other->pdata[2]);

  found->u.comm.op = HIR_BINARY_MAX;
  assert_mismatch (program, other,
                   (const char *const[]){ "mismatch: ", "on rank 0 does not match", "on rank 2",
                                          "use different reduction ops", "in iteration 0", NULL });

  found = find_communication (fewer->pdata[3]);
  for (guint i = 0; i < 2; i++)
    {
      guint at;
      HirContainer *host = fewer->pdata[3];
      HirScope *scope = find_scope (&host->top, found->node.id, &at);

      if (i == 0) /* its Wait, which is next */
        remove_expr (host, scope->exprs.items[at + 1]);
      else
        remove_expr (host, found);
    }
  assert_mismatch (program, fewer,
                   (const char *const[]){ "waits for rank 3, which ends without posting it",
                                          NULL });

  for (guint i = 0; i < 4; i++)
    find_communication (outside->pdata[i])->u.comm.n_team = 3;
  assert_mismatch (program, outside,
                   (const char *const[]){ "misses rank 3", "is not in the team (0 1 2)", NULL });
}

/* Returns the number of runs with incorrect results, out of at most @n runs with random delays
 * per task. Stops at @enough. */
static guint
count_wrong (HirContainer *fusion, HirContainer *host, guint n, guint enough)
{
  guint n_wrong = 0;

  for (guint seed = 0; seed < n && n_wrong < enough; seed++)
    {
      HirRunOptions options;
      g_autoptr (GError) error = NULL;
      g_autoptr (HirSession) session = NULL;

      hir_run_options_init (&options);
      options.n_streams = 2;
      options.check = TRUE;
      options.timeout_s = 300;
      options.max_delay_us = 500;
      options.delay_seed = seed;
      session = session_new (fusion, host, &options, NULL, NULL, &error);
      g_assert_no_error (error);
      g_assert_true (hir_session_run (session, &error));
      n_wrong += !hir_check_report_passed (hir_session_get_report (session));
    }
  return n_wrong;
}

/* Tests that programs that pass the check give correct results for all delays. */
static void
test_delays (void)
{
  g_autoptr (HirProgram) program =
      lower ("single_device.py", "three_set_ops_disjoint_loops", 1, NULL);
  g_autoptr (GPtrArray) hosts = hir_program_dup_rank_hosts (program, NULL, NULL);
  g_autoptr (HirSyncCheck) check = run_check (program->fusion, hosts, 2);
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autoptr (GPtrArray) edited = NULL;

  for (guint i = 0; i < check->uses->len; i++)
    if (g_array_index (check->uses, HirSyncUse, i).is_redundant)
      g_array_append_val (ids, g_array_index (check->uses, HirSyncUse, i).expr->node.id);
  g_assert_cmpuint (ids->len, >, 0);
  edited = dup_edited (hosts, (const guint64 *) (gconstpointer) ids->data, ids->len, EDIT_DELETE);
  g_assert_cmpuint (count_wrong (program->fusion, edited->pdata[0], 20, 1), ==, 0);
}

/* A run writes inputs first and reads outputs last, so it can only show missing synchronization
 * between two instructions. */
static gboolean
misses_between_instructions (const HirSyncCheck *check)
{
  for (guint i = 0; i < check->missing->len; i++)
    {
      const HirSyncMissing *missing = &g_array_index (check->missing, HirSyncMissing, i);

      if (hir_sync_trace_get_step (check->trace, missing->first)->expr != NULL &&
          hir_sync_trace_get_step (check->trace, missing->second)->expr != NULL)
        return TRUE;
    }
  return FALSE;
}

typedef struct
{
  guint n_mutants, n_missing, n_between, n_wrong;
} Numbers;

static void
run_mutant (HirProgram *program, GPtrArray *edited, Numbers *numbers)
{
  g_autoptr (HirSyncCheck) check = NULL;
  gboolean between;
  guint wrong;

  if (edited == NULL)
    return;
  check = run_check (program->fusion, edited, 2);
  between = misses_between_instructions (check);
  wrong = count_wrong (program->fusion, edited->pdata[0], between ? 40 : 4, 1);
  numbers->n_mutants++;
  numbers->n_missing += check->missing->len > 0;
  numbers->n_between += between;
  numbers->n_wrong += wrong;
  /* Delays of up to 0.5 ms do not show every possible order. */
  if (!between)
    g_assert_cmpuint (wrong, ==, 0);
}

/* Tests mutants with one and two edits on real data: those that pass the check are correct for
 * all delays, and most of those with missing synchronization between instructions give incorrect
 * results. */
static void
test_numbers (void)
{
  static const char *const names[] = { "three_set_ops_disjoint_loops", "two_set_ops" };
  Numbers numbers = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (HirProgram) program = lower ("single_device.py", names[i], 1, NULL);
      g_autoptr (GPtrArray) hosts = hir_program_dup_rank_hosts (program, NULL, NULL);
      g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint64));

      hir_container_foreach_expr (hosts->pdata[0], add_id, ids);
      for (guint k = 0; k < ids->len; k++)
        {
          guint64 pair[2] = { g_array_index (ids, guint64, k), 0 };

          for (int how = EDIT_DELETE; how <= EDIT_EARLIER; how++)
            {
              g_autoptr (GPtrArray) edited = dup_edited (hosts, pair, 1, (Edit) how);

              run_mutant (program, edited, &numbers);
            }
          for (guint l = k + 1; l < ids->len; l++)
            {
              g_autoptr (GPtrArray) edited = NULL;

              pair[1] = g_array_index (ids, guint64, l);
              edited = dup_edited (hosts, pair, 2, EDIT_DELETE);
              run_mutant (program, edited, &numbers);
            }
        }
    }
  g_test_message (
      "%u mutants run, %u miss synchronization, %u between instructions; %u gave incorrect "
      "results",
      numbers.n_mutants, numbers.n_missing, numbers.n_between, numbers.n_wrong);
  g_assert_cmpuint (numbers.n_wrong, >, 0);
  g_assert_cmpuint (numbers.n_wrong, <=, numbers.n_between);
  g_assert_cmpuint (numbers.n_mutants, >, numbers.n_missing);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sync-check/single-device", test_single_device);
  g_test_add_data_func ("/sync-check/1-device", GINT_TO_POINTER (1), test_multi_device);
  g_test_add_data_func ("/sync-check/2-devices", GINT_TO_POINTER (2), test_multi_device);
  g_test_add_data_func ("/sync-check/4-devices", GINT_TO_POINTER (4), test_multi_device);
  g_test_add_data_func ("/sync-check/8-devices", GINT_TO_POINTER (8), test_multi_device);
  g_test_add_func ("/sync-check/hostir", test_hostir);
  g_test_add_func ("/sync-check/goldens", test_goldens);
  g_test_add_func ("/sync-check/shared-buffer", test_shared_buffer);
  g_test_add_func ("/sync-check/ranks", test_ranks);
  g_test_add_func ("/sync-check/delays", test_delays);
  g_test_add_func ("/sync-check/numbers", test_numbers);
  return g_test_run ();
}
