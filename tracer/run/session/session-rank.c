/* One device of a session. */
#include "run/session/session-rank.h"

#include "run/cpu/cpu-ops.h"
#include "run/cpu/cpu.h"
#include "run/mpi/comm-mpi.h"

#define START_SPIN_US 2000

static void
on_stopped (const GError *error, gpointer user_data)
{
  HirRank *rank = user_data;

  /* The communicator is created after the back end. */
  if (rank->communicator != NULL)
    rank->communicator->klass->abort (rank->communicator, error);
  hir_rank_team_abort_turns (rank->team);
  hir_rank_team_set_open (rank->team, TRUE);
}

/* Creates the back end and, if needed, the communicator. */
static gboolean
make_backend (HirRank *rank, const HirBackendOptions *options, GError **error)
{
  HirBackendProvider *provider = rank->team->options->provider;
  HirCommWorld *world = rank->team->world;
  gboolean has_communicator = provider != NULL && provider->klass->new_communicator != NULL;

  rank->backend = provider != NULL ? provider->klass->new_backend (provider, options, error)
                                   : hir_cpu_backend_new (options, error);
  if (rank->backend == NULL)
    return FALSE;
  if (rank->team->options->mpi != NULL && !has_communicator)
    rank->communicator = hir_comm_mpi_new (rank->team->options->mpi);
  if (world == NULL && (rank->team->options->mpi == NULL || !has_communicator))
    return TRUE;
  rank->communicator =
      has_communicator
          ? provider->klass->new_communicator (provider, world, rank->rank, rank->backend, error)
          : hir_comm_local_new (world, rank->rank);
  if (rank->communicator == NULL)
    return FALSE;
  if (world != NULL)
    hir_comm_world_set_backend (world, rank->rank, rank->backend);
  return TRUE;
}

static gboolean
make_engine (HirRank *rank, GError **error)
{
  HirRankTeam *team = rank->team;
  const HirRunOptions *options = team->options;
  gboolean modelled = team->group != NULL;
  /* Over MPI, the communicator times out first, because it knows the missing ranks. */
  double timeout_s = options->timeout_s * (options->mpi != NULL ? 1.25 : 1);
  HirBackendOptions backend = { .recorder = modelled ? NULL : team->recorder,
                                .zero_ns = team->zero_ns,
                                .timeout_us = (gint64) (timeout_s * G_USEC_PER_SEC),
                                .computations = &team->computations,
                                .cancellable = team->cancellable,
                                .rank = rank->rank,
                                .stopped =
                                    team->world != NULL || options->mpi != NULL ? on_stopped : NULL,
                                .user_data = rank,
                                .max_delay_us = options->max_delay_us,
                                .delay_seed = options->delay_seed + (guint32) rank->rank * 1000,
                                .hang_on = options->hang_on };
  HirEvaluatorOptions evaluator = { .recorder = team->recorder,
                                    .zero_ns = team->zero_ns,
                                    .n_streams = options->n_streams,
                                    .rank = rank->rank,
                                    .poison = options->check,
                                    .trace_issue = options->trace_issue,
                                    .allow_missing_waits = options->is_dry,
                                    .plant_op = options->plant_op,
                                    .plant_scale =
                                        options->plant_scale > 0 ? options->plant_scale : 0.125 };

  if (!make_backend (rank, &backend, error))
    return FALSE;
  if (modelled)
    {
      rank->model = hir_model_new ();
      rank->log = hir_model_log_new (rank->model, team->recorder, team->group);
    }
  evaluator.symbols = rank->symbols;
  evaluator.max_steps = options->max_steps;
  evaluator.backend = rank->backend;
  evaluator.model = rank->log;
  evaluator.communicator = rank->communicator;
  evaluator.turns = team->turns;
  rank->evaluator = hir_evaluator_new (rank->program, &evaluator, error);
  return rank->evaluator != NULL;
}

/* Binds the extents of the whole tensor. */
static void
bind_extents (HirEnv *env, const HirTensor *tensor, const HirValue *whole)
{
  guint n;
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (tensor, &n);

  for (guint i = 0; i < n && i < whole->n_dims; i++)
    {
      const HirScalar *extent = hir_env_get_extent (ids[i]);
      g_autoptr (HirValue) size = hir_value_new_int (whole->sizes[i], HIR_DTYPE_INDEX);

      if (extent->kind == HIR_SCALAR_SYMBOL)
        hir_env_bind (env, HIR_VAL (extent), size);
    }
}

static gboolean
take_block (HirValue *whole, HirValue *part)
{
  return hir_cpu_copy (part, whole);
}

/* Returns the rank's part of an input in private memory. A device outside of the mesh gets poisoned
 * memory of the right shape. */
static HirValue *
new_part (const HirRank *rank, const HirTensor *tensor, HirValue *whole, GError **error)
{
  g_autoptr (HirEnv) env = hir_env_new ();
  g_autoptr (HirValue) part = NULL;
  g_autoptr (HirBuffer) buffer = NULL;
  HirShardAxis shard[HIR_MAX_DIMS];
  gsize size_bytes = hir_dtype_get_size_bytes (whole->dtype);
  gboolean is_dry = rank->team->options->is_dry;
  gboolean holds = tensor->mesh == NULL || hir_mesh_has (tensor->mesh, rank->rank);

  if (holds && !hir_shard_is_sharded (tensor))
    return hir_value_ref (whole);
  hir_env_set_device (env, rank->rank);
  hir_env_bind_symbols (env, rank->symbols);
  bind_extents (env, tensor, whole);
  if (!hir_env_get_shard (env, tensor, shard, error))
    return NULL;
  for (guint i = 0; i < whole->n_dims; i++)
    size_bytes *= (gsize) shard[i].size;
  buffer = is_dry ? hir_buffer_new_deferred (size_bytes) : hir_buffer_new (size_bytes, error);
  part = buffer != NULL ? hir_env_new_tensor (env, tensor, buffer, error) : NULL;
  if (part == NULL)
    return NULL;
  if (is_dry)
    return g_steal_pointer (&part);
  if (holds)
    hir_shard_foreach_block (whole, part, shard, take_block);
  else
    hir_poison (part->dtype, buffer->data, buffer->size_bytes);
  return g_steal_pointer (&part);
}

static gboolean
make_inputs (HirRank *rank, const HirRunInputs *inputs, GError **error)
{
  const HirVec *formal = &rank->program->inputs;

  rank->inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_value_unref);
  if (rank->team->is_printed && rank->team->options->check)
    rank->parts = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_value_unref);
  for (guint i = 0; i < inputs->values->len; i++)
    {
      HirValue *whole = g_ptr_array_index (inputs->values, i);
      HirVal *val = i < formal->len ? formal->items[i] : NULL;
      g_autoptr (HirValue) part = val != NULL && HIR_IS_TENSOR (val) && !whole->is_scalar
                                      ? new_part (rank, HIR_TENSOR (val), whole, error)
                                      : hir_value_ref (whole);
      if (part != NULL && rank->parts != NULL)
        g_ptr_array_add (rank->parts, hir_value_ref (part));

      HirValue *uploaded = part == NULL || part->is_scalar
                               ? g_steal_pointer (&part)
                               : rank->backend->klass->upload (rank->backend, part, error);

      if (uploaded == NULL)
        return FALSE;
      g_ptr_array_add (rank->inputs, uploaded);
    }
  return TRUE;
}

static gboolean
check_cancelled (const HirProgramPoint *point, gpointer user_data, GError **error)
{
  const HirRank *rank = user_data;

  if (!g_atomic_int_get (&rank->team->stopping) &&
      !g_cancellable_is_cancelled (rank->team->cancellable))
    return TRUE;
  hir_set_error (error, HIR_ERROR_CANCELLED, NULL, "the run was stopped");
  return FALSE;
}

HirRank *
hir_rank_new (HirRankTeam *team,
              int number,
              HirContainer *program,
              const HirRunInputs *inputs,
              GError **error)
{
  HirRank *rank = g_new0 (HirRank, 1);

  rank->team = team;
  rank->rank = number;
  rank->program = hir_container_ref (program);
  rank->symbols = hir_run_inputs_dup_symbols (inputs, program);
  if (make_engine (rank, error) && make_inputs (rank, inputs, error))
    {
      const HirEvaluatorHooks hooks = { check_cancelled, NULL, rank, TRUE };

      hir_evaluator_add_hooks (rank->evaluator, &hooks);
      return rank;
    }
  hir_rank_free (rank);
  return NULL;
}

void
hir_rank_free (HirRank *rank)
{
  if (rank->backend != NULL)
    rank->backend->klass->cancel (rank->backend);
  g_clear_pointer (&rank->evaluator, hir_evaluator_free);
  g_clear_pointer (&rank->kept, hir_deallocated_values_free);
  if (rank->team->world != NULL)
    hir_comm_world_set_backend (rank->team->world, rank->rank, NULL);
  g_clear_pointer (&rank->backend, hir_backend_free);
  g_clear_pointer (&rank->log, hir_model_log_free);
  g_clear_pointer (&rank->model, hir_model_free);
  g_clear_pointer (&rank->communicator, hir_communicator_free);
  g_clear_pointer (&rank->inputs, g_ptr_array_unref);
  g_clear_pointer (&rank->parts, g_ptr_array_unref);
  g_clear_pointer (&rank->symbols, g_array_unref);
  g_clear_error (&rank->error);
  hir_container_unref (rank->program);
  g_free (rank);
}

void
hir_rank_team_set_open (HirRankTeam *team, gboolean open)
{
  g_mutex_lock (&team->lock);
  team->open = open;
  g_cond_broadcast (&team->open_cond);
  g_mutex_unlock (&team->lock);
}

void
hir_rank_team_abort_turns (HirRankTeam *team)
{
  if (team->turns != NULL)
    hir_turns_abort (team->turns);
}

void
hir_rank_team_await_ready (HirRankTeam *team, guint n)
{
  g_mutex_lock (&team->lock);
  while (team->n_ready < n)
    g_cond_wait (&team->open_cond, &team->lock);
  g_mutex_unlock (&team->lock);
}

void
hir_rank_team_start (HirRankTeam *team)
{
  g_mutex_lock (&team->lock);
  g_atomic_int_set (&team->going, 1);
  g_cond_broadcast (&team->open_cond);
  g_mutex_unlock (&team->lock);
}

/* Waits at the start of the repetition for all ranks. A GPU's first collective would take as long
 * as the wake-up of a thread, so the thread spins for a while before it sleeps. */
static void
await_start (HirRankTeam *team)
{
  gboolean spins = team->options->provider != NULL && !team->options->is_dry;
  gint64 end_us = g_get_monotonic_time () + (spins ? START_SPIN_US : 0);

  g_mutex_lock (&team->lock);
  team->n_ready++;
  g_cond_broadcast (&team->open_cond);
  g_mutex_unlock (&team->lock);
  while (!g_atomic_int_get (&team->going) && g_get_monotonic_time () < end_us)
    continue;
  if (g_atomic_int_get (&team->going))
    return;
  g_mutex_lock (&team->lock);
  while (!team->going)
    g_cond_wait (&team->open_cond, &team->lock);
  g_mutex_unlock (&team->lock);
}

static gboolean
run_repeat (HirRank *rank, GError **error)
{
  HirRankTeam *team = rank->team;
  gboolean started = hir_evaluator_start (rank->evaluator, (HirValue **) rank->inputs->pdata,
                                          rank->inputs->len, rank->phase, error);

  await_start (team);
  if (!started || !hir_evaluator_end (rank->evaluator, error))
    return FALSE;
  g_mutex_lock (&team->lock);
  while (!team->open)
    g_cond_wait (&team->open_cond, &team->lock);
  g_mutex_unlock (&team->lock);
  return hir_evaluator_finish (rank->evaluator, error);
}

static gpointer
rank_thread (gpointer data)
{
  HirRank *rank = data;

  if (!run_repeat (rank, &rank->error))
    {
      rank->communicator->klass->abort (rank->communicator, rank->error);
      hir_rank_team_abort_turns (rank->team);
      /* The stepped rank fails with its next post or at its end; no thread waits for it. */
      hir_rank_team_set_open (rank->team, TRUE);
    }
  return NULL;
}

gboolean
hir_rank_begin_thread (HirRank *rank, HirPhase phase, GError **error)
{
  g_autoptr (GError) local = NULL;

  rank->phase = phase;
  rank->thread = g_thread_try_new ("hir-rank", rank_thread, rank, &local);
  if (rank->thread == NULL)
    hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                   "cannot start a thread for rank %d: %s; use fewer devices", rank->rank,
                   local->message);
  return rank->thread != NULL;
}

gboolean
hir_rank_end_thread (HirRank *rank, GError **error)
{
  if (rank->thread != NULL)
    g_thread_join (g_steal_pointer (&rank->thread));
  if (rank->error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&rank->error));
  return FALSE;
}

static gboolean
compare_output (
    HirRank *rank, guint i, const HirRefTensor *reference, HirCheckReport *report, GError **error)
{
  const HirVec *outputs = &rank->program->outputs;
  HirVal *val = i < outputs->len ? outputs->items[i] : NULL;
  HirValue *value = val != NULL ? hir_evaluator_lookup (rank->evaluator, val) : NULL;
  const HirTensor *tensor = val != NULL && HIR_IS_TENSOR (val) ? HIR_TENSOR (val) : NULL;
  g_autofree guint8 *elements = NULL;
  HirShardAxis shard[HIR_MAX_DIMS];
  gboolean is_part =
      tensor != NULL && !rank->team->has_part_references && hir_shard_is_sharded (tensor);

  if (tensor != NULL && tensor->mesh != NULL && rank->communicator != NULL &&
      !hir_mesh_has (tensor->mesh, rank->rank))
    return TRUE; /* not on this device */
  if (value != NULL && !value->is_scalar)
    {
      elements = g_try_malloc (hir_value_get_size_bytes (value) + 1);
      if (elements == NULL)
        {
          hir_set_error (error, HIR_ERROR_LIMIT, NULL, "not enough memory to check the outputs");
          return FALSE;
        }
      if (!rank->backend->klass->read (rank->backend, value, elements, error))
        return FALSE;
    }
  if (is_part && value != NULL &&
      !hir_env_get_shard (hir_evaluator_get_env (rank->evaluator), tensor, shard, error))
    return FALSE;
  hir_check_report_compare (report, i, reference, is_part ? shard : NULL,
                            rank->team->n_ranks > 1 ? rank->rank : -1, value, elements);
  return TRUE;
}

gboolean
hir_rank_compare (HirRank *rank, GPtrArray *reference, HirCheckReport *report, GError **error)
{
  for (guint i = 0; i < report->outputs->len; i++)
    if (!compare_output (rank, i, g_ptr_array_index (reference, i), report, error))
      return FALSE;
  return TRUE;
}
