/* Tests stepping random programs forward and backward, on all ranks or one: a state has the same
 * bits regardless of the path to it, the end equals that of a straight run, and undo log and
 * checkpoints stay within their bound. HIR_RANDOM_COUNT and HIR_RANDOM_SEED select the programs. */
#include "build-random.h"
#include "debugger/debug-run.h"
#include "run-fixture.h"
#include "run/env.h"
#include "session-access.h"

#if defined(__SANITIZE_ADDRESS__)
#define RANDOM_COUNT 25
#else
#define RANDOM_COUNT 120
#endif

#define MOVES 24

typedef struct
{
  HirContainer *fusion;
  GPtrArray *programs;
  HirRunOptions options;
  guint n_made;
} Maker;

typedef struct
{
  guint n, rejected, ran, by_log, by_checkpoint, by_running, compared, full, kept;
} Counts;

static guint64
get_number (const char *name, guint64 otherwise)
{
  const char *text = g_getenv (name);

  return text != NULL ? g_ascii_strtoull (text, NULL, 10) : otherwise;
}

static HirSession *
make (gpointer user_data, GError **error)
{
  Maker *maker = user_data;

  maker->n_made++;
  return hir_session_new_ranks (maker->fusion, (HirContainer *const *) maker->programs->pdata,
                                maker->programs->len, &maker->options, NULL, NULL, error);
}

typedef struct
{
  guint64 sum;
} Digest;

static void
mix (Digest *digest, gconstpointer data, gsize n)
{
  const guint8 *bytes = data;

  for (gsize i = 0; i < n; i++)
    digest->sum = (digest->sum ^ bytes[i]) * G_GUINT64_CONSTANT (1099511628211);
}

/* A sum of hashes, independent of the order of bindings. */
static void
digest_value (const HirVal *val, HirValue *value, gpointer user_data)
{
  Digest *total = user_data, own = { val->node.id };

  if (value->is_scalar)
    mix (&own, &value->i, sizeof value->i);
  else if (value->buffer->data != NULL)
    mix (&own, value->buffer->data, value->buffer->size_bytes);
  total->sum += own.sum;
}

/* Hashes the position and all values of each rank. */
static guint64
digest_run (HirDebugRun *run)
{
  Digest digest = { 0 };

  g_assert_true (hir_debug_run_quiesce (run));
  for (guint i = 0; i < hir_debug_run_get_n_ranks (run); i++)
    {
      HirEvaluator *evaluator = hir_debug_run_get_evaluator (run, i);
      Digest own = { i + 1 };
      gint64 host_ns;
      HirProgramPoint point;

      hir_env_foreach (hir_evaluator_get_env (evaluator), digest_value, &own);
      if (hir_debug_run_peek (run, i, &point))
        {
          mix (&own, &point.expr->node.id, sizeof point.expr->node.id);
          mix (&own, &point.iteration, sizeof point.iteration);
        }
      /* At the end, waits for the streams. */
      if (!hir_debug_run_is_over (run) && hir_debug_run_get_modelled_ns (run, i, &host_ns))
        mix (&own, &host_ns, sizeof host_ns);
      mix (&digest, &own.sum, sizeof own.sum);
    }
  return digest.sum;
}

static char *
dup_key (HirDebugRun *run)
{
  GString *key = g_string_new (NULL);

  for (guint i = 0; i < hir_debug_run_get_n_ranks (run); i++)
    g_string_append_printf (key, "%" G_GUINT64_FORMAT " ",
                            hir_evaluator_get_n_steps (hir_debug_run_get_evaluator (run, i)));
  return g_string_free (key, FALSE);
}

/* Checks that the state is the same as at an earlier visit of this position. */
static void
compare_state (HirDebugRun *run, GHashTable *seen, Counts *counts)
{
  char *key = dup_key (run);
  guint64 digest = digest_run (run);
  guint64 *before = g_hash_table_lookup (seen, key);

  if (before == NULL)
    {
      g_hash_table_insert (seen, key, g_memdup2 (&digest, sizeof digest));
      return;
    }
  g_assert_cmphex (digest, ==, *before);
  counts->compared++;
  g_free (key);
}

static gboolean
move (HirDebugRun *run, GRand *rand, Counts *counts, GError **error)
{
  guint n = (guint) g_rand_int_range (rand, 1, 6);
  guint32 ranks = g_rand_boolean (rand)
                      ? HIR_DEBUG_ALL_RANKS
                      : 1u << g_rand_int_range (rand, 0, (gint32) hir_debug_run_get_n_ranks (run));
  HirRewindMethod way;

  switch (g_rand_int_range (rand, 0, 8))
    {
    case 0:
    case 1:
    case 2:
      {
        guint64 round = hir_debug_run_get_round (run);

        if (round == 0)
          return TRUE;
        if (!hir_debug_run_go_back (run, round - MIN (round, n), &way, NULL, error))
          return FALSE;
        counts->by_log += way == HIR_DEBUG_BY_LOG;
        counts->by_checkpoint += way == HIR_DEBUG_BY_CHECKPOINT;
        counts->by_running += way == HIR_DEBUG_BY_RUNNING;
        return TRUE;
      }
    case 3:
      return g_rand_int_range (rand, 0, 4) > 0 ||
             hir_debug_run_go (run, ranks, error) != HIR_STEP_FAILED;
    case 4:
      return !hir_debug_run_is_over (run) || hir_debug_run_finish (run, error);
    default:
      while (n-- > 0)
        if (hir_debug_run_step (run, ranks, error) == HIR_STEP_FAILED)
          return FALSE;
      return TRUE;
    }
}

static GPtrArray *
dup_outputs (HirSession *session, guint n_ranks)
{
  GPtrArray *outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  for (guint rank = 0; rank < n_ranks; rank++)
    for (guint i = 0; i < 8; i++)
      {
        g_autoptr (GBytes) bytes = NULL;

        if (i < session_get_n_outputs (session, rank))
          bytes = session_dup_output (session, rank, i, NULL);
        if (bytes != NULL)
          g_ptr_array_add (outputs, g_steal_pointer (&bytes));
      }
  return outputs;
}

static void
compare_ends (Maker *maker, HirDebugRun *run)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HirSession) straight = make (maker, &error);
  g_autoptr (GPtrArray) a = NULL;
  g_autoptr (GPtrArray) b = NULL;

  g_assert_true (hir_session_run (straight, &error));
  g_assert_no_error (error);
  a = dup_outputs (straight, maker->programs->len);
  b = dup_outputs (hir_debug_run_get_session (run), maker->programs->len);
  g_assert_cmpuint (a->len, ==, b->len);
  for (guint i = 0; i < a->len; i++)
    g_assert_true (g_bytes_equal (g_ptr_array_index (a, i), g_ptr_array_index (b, i)));
}

static void
step_about (Maker *maker, guint64 seed, Counts *counts)
{
  static const gsize bounds[] = { 1 << 20, 1 << 12, 1 << 15, 300, 0 };
  static const guint64 every[] = { 1, 3, 8, 0, 2, 5, 13 };
  gboolean is_logged = seed % 3 != 0;
  gsize bound = is_logged ? bounds[seed % G_N_ELEMENTS (bounds)] : (gsize) 1 << (17 + seed % 4);
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) seed);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirDebugRun) run = hir_debug_run_new (make, maker, bound, &error);
  gboolean ok = TRUE;

  g_assert_no_error (error);
  /* Often disable the log, so that checkpoints are used. */
  if (!is_logged)
    hir_debug_run_set_keeps (run, FALSE);
  hir_debug_run_set_checkpoints (run, TRUE, every[seed % G_N_ELEMENTS (every)]);
  for (guint i = 0; i < MOVES && ok; i++)
    {
      guint64 first, last;
      gsize n_bytes;

      counts->kept += hir_debug_run_get_n_checkpoints (run, &first, &last, &n_bytes);
      g_assert_cmpuint (n_bytes, <=, bound / 2);
      g_assert_cmpuint (last, <=, hir_debug_run_get_round (run));
      if (g_rand_int_range (rand, 0, 3) > 0)
        compare_state (run, seen, counts);
      ok = move (run, rand, counts, &error);
    }
  while (ok && !hir_debug_run_is_over (run))
    ok = hir_debug_run_step (run, HIR_DEBUG_ALL_RANKS, &error) != HIR_STEP_FAILED;
  ok = ok && hir_debug_run_finish (run, &error);
  if (g_error_matches (error, HIR_ERROR, HIR_ERROR_REFUSED) ||
      g_error_matches (error, HIR_ERROR, HIR_ERROR_UNSUPPORTED))
    {
      counts->rejected++;
      return;
    }
  g_assert_no_error (error);
  g_assert_cmpuint (hir_undo_log_get_peak_bytes (hir_debug_run_get_log (run)), <=, bound);
  counts->full += hir_undo_log_get_peak_bytes (hir_debug_run_get_log (run)) * 2 > bound;
  g_assert_true (
      hir_check_report_passed (hir_session_get_report (hir_debug_run_get_session (run))));
  compare_ends (maker, run);
  counts->ran++;
}

static void
try_one (guint64 seed, gboolean sharded, Counts *counts)
{
  static const gint64 streams[] = { 1, 2, 4, 7 };
  g_autoptr (HirRandomFusion) random =
      sharded ? hir_random_fusion_new_sharded (seed) : hir_random_fusion_new (seed);
  g_auto (GStrv) shapes = hir_random_fusion_dup_input_shapes (random);
  g_autoptr (HirContainer) fusion = hir_random_fusion_build (random, NULL);
  g_autoptr (HirPipeline) pipeline = hir_pipeline_new (HIR_PIPELINE_EXECUTOR);
  g_autoptr (GPtrArray) programs =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hir_container_unref);
  guint n_devices = sharded ? random->n_devices : 1;
  Maker maker = { fusion, programs, run_options (), 0 };

  counts->n++;
  for (guint rank = 0; fusion != NULL && rank < n_devices; rank++)
    {
      g_autoptr (HirLowering) lowering = hir_pipeline_run (pipeline, fusion, rank, n_devices, NULL);

      if (lowering->error != NULL)
        break;
      g_ptr_array_add (programs, hir_container_ref (hir_lowering_get_last (lowering)->program));
    }
  if (programs->len < n_devices)
    {
      counts->rejected++;
      return;
    }
  maker.options.n_streams = streams[seed % G_N_ELEMENTS (streams)];
  maker.options.seed = seed;
  maker.options.timeout_s = 60;
  maker.options.inputs = (const char *const *) shapes;
  maker.options.model_clock = seed % 4 == 3;
  maker.options.max_delay_us = seed % 7 == 0 ? 100 : 0;
  g_test_message ("%s seed %" G_GUINT64_FORMAT, sharded ? "sharded" : "plain", seed);
  step_about (&maker, seed, counts);
}

static void
test_random (gconstpointer data)
{
  gboolean sharded = GPOINTER_TO_INT (data);
  guint64 n = get_number ("HIR_RANDOM_COUNT", RANDOM_COUNT),
          seed = get_number ("HIR_RANDOM_SEED", 1);
  Counts counts = { 0 };

  for (guint64 i = 0; i < n; i++)
    try_one (seed + i, sharded, &counts);
  g_test_message (
      "%u random programs: %u rejected, %u ended as a straight run does; %u times back "
      "by "
      "the log, %u by a checkpoint, %u by running again from the start; %u states seen "
      "twice were the same; %u logs were more than half full; %u checkpoints at %u moves",
      counts.n, counts.rejected, counts.ran, counts.by_log, counts.by_checkpoint, counts.by_running,
      counts.compared, counts.full, counts.kept, counts.n * MOVES);
  if (n < 20)
    return;
  g_assert_cmpuint (counts.ran * 3, >=, counts.n);
  g_assert_cmpuint (counts.by_log, >, 0);
  /* Ranks that wait for each other have no checkpoints. */
  g_assert_true (n < 100 || counts.by_checkpoint > 0);
  g_assert_cmpuint (counts.by_running, >, 0);
  g_assert_cmpuint (counts.compared, >, counts.ran);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/run/debug-run/random", GINT_TO_POINTER (FALSE), test_random);
  g_test_add_data_func ("/run/debug-run/random-sharded", GINT_TO_POINTER (TRUE), test_random);
  return g_test_run ();
}
