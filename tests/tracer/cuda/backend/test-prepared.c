/* Tests that prepared loop bodies (run/evaluator-prepare.c) and single steps make the same driver
 * calls in the same order, with the same values and errors. The driver is a fake.
 * tests/app/test-comm-cuda.py tests errors on devices. */
#include <dlfcn.h>

#include "cuda/provider.h"
#include "fake-cuda.h"
#include "program/program.h"
#include "run/session-access.h"
#include "run/session/session.h"

typedef struct
{
  const char *script, *function;
  guint n_ranks;
  const char *inputs[4];
  /* Upper bound of prepared steps of rank 0 per repetition: all iterations of a loop except the
   * first. Fewer if streams are new; 0 if the body cannot be prepared. */
  guint64 n_walked;
} Row;

/* Slices of at least 256 bytes keep the alignment of addresses; smaller ones change it. */
static const Row rows[] = {
  { "single_device.py", "single_set_op", 1, { "24x64" }, 3 * 23 },
  { "single_device.py", "single_binary_op", 1, { "24x64", "24x64" }, 3 * 23 },
  { "single_device.py", "single_binary_op", 1, { "24x5", "24x5" }, 3 * 23 },
  { "single_device.py", "two_set_ops", 1, { "24x64" }, 3 * 23 },
  { "single_device.py", "three_set_ops_disjoint_loops", 1, { "24x64" }, 6 * 23 },
  { "single_device.py", "reduction", 1, { "24x64x3" }, 3 * 23 },
  { "single_device.py", "matmul_m", 1, { "24x64", "64x64" }, 3 * 23 },
  { "single_device.py", "matmul_m", 1, { "24x3", "3x5" }, 3 * 23 },
  { "single_device.py", "matmul_n", 1, { "64x64", "64x24" }, 3 * 23 },
  { "single_device.py", "batched_matmul", 1, { "24x8x8", "8x8" }, 3 * 23 },
  { "multi_device.py", "ag_matmul", 1, { "24x1x16x64", "64x64" }, 2 * 23 },
  { "multi_device.py", "ag_matmul", 2, { "24x2x16x64", "64x64" }, 2 * 23 },
  { "multi_device.py", "allgather", 2, { "24x2" }, 2 * 23 },
  { "multi_device.py", "reduce_scatter", 2, { "24x2x2x64" }, 2 * 23 },
  { "multi_device.py", "allreduce", 2, { "24x2x4" }, 2 * 23 },
  { "multi_device.py", "allgather_p2p", 2, { "2x4" }, 0 },
};

#define N_STREAMS 5
#define N_REPEATS 3

typedef struct
{
  GThread *thread;     /* of rank 0 */
  GString *calls;      /* driver calls of that thread, one per line */
  gsize record;        /* start of the last line if it records an event; otherwise 0 */
  GHashTable *streams; /* CUPTI's stream id -> number in order of appearance, from 1 */
} Log;

/* Global, because callbacks of the observer have no user data. Tests run one after another. */
static Log *
get_log (void)
{
  static Log log;

  return &log;
}

static guint
get_stream (GHashTable *streams, guint32 stream)
{
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (streams, GUINT_TO_POINTER (stream)));

  if (number > 0)
    return number;
  number = g_hash_table_size (streams) + 1;
  g_hash_table_insert (streams, GUINT_TO_POINTER (stream), GUINT_TO_POINTER (number));
  return number;
}

static void
called (const FakeActivity *activity)
{
  Log *log = get_log ();
  gboolean records = activity->kind == FAKE_EVENT_RECORD;

  if (log->calls == NULL || g_thread_self () != log->thread)
    return;
  /* Keep only the last of consecutive records. The pool records events for freed blocks, in the
   * varying order of a hash table of addresses. A record of the program is followed by its wait. */
  if (records && log->record > 0)
    g_string_truncate (log->calls, log->record);
  log->record = records ? log->calls->len : 0;
  g_string_append_printf (log->calls, "%s %s stream %u bytes %" G_GUINT64_FORMAT "\n",
                          activity->call, activity->name != NULL ? activity->name : "",
                          get_stream (log->streams, activity->stream), activity->bytes);
}

static void
worked (const FakeActivity *activity)
{
}

static gint64
now_ns (void)
{
  return 1;
}

static void
observe (gboolean on)
{
  static const FakeObserver observer = { now_ns, called, worked };
  void *handle = dlopen ("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  FakeSetObserver set;

  g_assert_nonnull (handle);
  *(void **) &set = dlsym (handle, "fake_cuda_set_observer");
  g_assert_nonnull (set);
  set (on ? &observer : NULL);
  dlclose (handle);
}

static HirProgram *
open_program (const Row *row)
{
  g_autofree char *path =
      g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "app", "examples", row->script, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirSource) source = hir_source_load (path, &error);
  g_autoptr (HirRequest) request = NULL;
  HirProgram *program;

  g_assert_no_error (error);
  request = hir_request_new (source, row->function);
  request->n_devices = row->n_ranks;
  request->rank = 0;
  program = hir_program_new (request, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_no_error (program->error);
  return program;
}

/* Result of a run. */
typedef struct
{
  char *calls;
  HirCudaCounts counts;
  guint64 n_steps, n_walked;
  char *values; /* bound values at the end, as text */
  char *error;  /* nullable */
} Result;

static void
result_clear (Result *result)
{
  g_free (result->calls);
  g_free (result->values);
  g_free (result->error);
}

static void
describe_value (const HirVal *val, HirValue *value, gpointer user_data)
{
  g_autofree char *text = hir_value_describe (value);

  g_ptr_array_add (user_data,
                   g_strdup_printf ("%c%d %s at %" G_GINT64_FORMAT, HIR_IS_TENSOR (val) ? 'T' : 's',
                                    val->name, text, value->is_scalar ? 0 : value->offset));
}

static int
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static char *
dup_values (HirEvaluator *evaluator)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);

  hir_env_foreach (hir_evaluator_get_env (evaluator), describe_value, lines);
  g_ptr_array_sort (lines, by_text);
  g_ptr_array_add (lines, NULL);
  return g_strjoinv ("\n", (char **) lines->pdata);
}

typedef struct
{
  gboolean step_by_step;
  guint64 max_steps;
  guint cancel_at; /* number of instructions; 0: never */
} How;

static void
run_session (HirSession *session, GCancellable *cancellable, const How *how, Result *result)
{
  HirEvaluator *evaluator = session_get_evaluator (session);
  g_autoptr (GError) error = NULL;
  HirStep step = HIR_STEP_MORE;

  while (step == HIR_STEP_MORE)
    {
      step = hir_session_step (session, &error);
      if (step == HIR_STEP_MORE && hir_evaluator_get_n_steps (evaluator) > 0)
        result->n_steps = hir_evaluator_get_n_steps (evaluator);
      if (how->cancel_at > 0 && result->n_steps >= how->cancel_at)
        g_cancellable_cancel (cancellable);
    }
  result->n_walked = hir_evaluator_get_n_walked (evaluator);
  result->error = error != NULL ? g_strdup (error->message) : NULL;
  result->values = dup_values (evaluator);
  hir_cuda_backend_get_counts (session_get_backend (session), &result->counts);
}

static Result
run (const Row *row, const How *how)
{
  g_autoptr (HirProgram) program = open_program (row);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  HirCudaProviderOptions cuda = { .recorder = NULL };
  HirBackendProvider *provider = hir_cuda_provider_new (&cuda, &error);
  g_autoptr (GPtrArray) hosts = NULL;
  Log *log = get_log ();
  HirRunOptions options;
  HirSession *session;
  Result result = { 0 };

  g_assert_no_error (error);
  hir_run_options_init (&options);
  options.n_streams = N_STREAMS;
  options.n_repeats = N_REPEATS;
  options.inputs = row->inputs;
  options.provider = provider;
  options.max_steps = how->max_steps;
  /* Error injection disables prepared bodies; no op has this name. */
  options.plant_op = how->step_by_step ? "nothing" : NULL;
  hosts = hir_program_dup_rank_hosts (program, NULL, &error);
  g_assert_no_error (error);
  session = hir_session_new_ranks (program->fusion, (HirContainer *const *) hosts->pdata,
                                   row->n_ranks, &options, NULL, cancellable, &error);
  g_assert_no_error (error);
  log->calls = g_string_new ("calls\n");
  log->thread = g_thread_self ();
  log->record = 0;
  log->streams = g_hash_table_new (NULL, NULL);
  observe (TRUE);
  run_session (session, cancellable, how, &result);
  observe (FALSE);
  g_clear_pointer (&log->streams, g_hash_table_unref);
  result.calls = g_string_free (g_steal_pointer (&log->calls), FALSE);
  hir_session_free (session);
  hir_cuda_provider_free (provider);
  return result;
}

static void
test_row (gconstpointer data)
{
  const Row *row = data;
  Result ready = run (row, &(How){ 0 });
  Result steps = run (row, &(How){ .step_by_step = TRUE });

  g_assert_null (ready.error);
  g_assert_null (steps.error);
  g_assert_cmpuint (steps.n_walked, ==, 0);
  /* In the first repetition, the first iteration on each stream is not prepared. */
  g_assert_cmpuint (ready.n_walked, <=, N_REPEATS * row->n_walked);
  g_assert_cmpuint (ready.n_walked, >=, N_REPEATS * row->n_walked * 3 / 5);
  g_assert_cmpuint (ready.n_steps, ==, steps.n_steps);
  g_assert_cmpstr (ready.calls, ==, steps.calls);
  g_assert_cmpstr (ready.values, ==, steps.values);
  g_assert_cmpuint (ready.counts.n_kernels, ==, steps.counts.n_kernels);
  g_assert_cmpuint (ready.counts.n_matmuls, ==, steps.counts.n_matmuls);
  g_assert_cmpuint (ready.counts.n_memcpys, ==, steps.counts.n_memcpys);
  g_assert_cmpuint (ready.counts.n_waits, ==, steps.counts.n_waits);
  g_assert_cmpuint (ready.counts.n_blocks, ==, steps.counts.n_blocks);
  result_clear (&ready);
  result_clear (&steps);
}

/* A step limit stops prepared bodies at the same instruction as single steps. */
static void
test_limit (void)
{
  const Row *row = &(Row){ "multi_device.py", "allgather", 1, { "24x1" }, 2 * 23 };
  Result all = run (row, &(How){ .step_by_step = TRUE });

  for (guint64 n = 1; n <= all.n_steps + 1; n += 7)
    {
      Result ready = run (row, &(How){ .max_steps = n });
      Result steps = run (row, &(How){ .step_by_step = TRUE, .max_steps = n });

      g_assert_cmpstr (ready.error, ==, steps.error);
      g_assert_cmpint (ready.error != NULL, ==, n < all.n_steps);
      g_assert_cmpstr (ready.calls, ==, steps.calls);
      result_clear (&ready);
      result_clear (&steps);
    }
  result_clear (&all);
}

/* Cancellation stops a prepared body within an iteration. */
static void
test_cancel (void)
{
  const Row *row = &(Row){ "multi_device.py", "allgather", 2, { "24x2" }, 2 * 23 };
  How how = { .cancel_at = 100 };
  Result ready = run (row, &how);

  g_assert_cmpstr (ready.error, ==, "the run was stopped");
  g_assert_cmpuint (ready.n_steps, >=, 100);
  g_assert_cmpuint (ready.n_steps, <, 100 + 12);
  result_clear (&ready);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strdup_printf ("/cuda/ready/%s-%s-on-%u", rows[i].function,
                                               rows[i].inputs[0], rows[i].n_ranks);

      g_test_add_data_func (path, &rows[i], test_row);
    }
  g_test_add_func ("/cuda/ready/limit", test_limit);
  g_test_add_func ("/cuda/ready/cancel", test_cancel);
  return g_test_run ();
}
