/* Sessions: creation, steps and repetitions. */
#include "run/reference/reference-host.h"
#include "run/reference/team-check.h"
#include "run/session/session-private.h"

/* Each rank has one thread per stream. */
#define MAX_RANKS 32

void
hir_run_options_init (HirRunOptions *options)
{
  *options =
      (HirRunOptions){ .n_streams = 4, .n_repeats = 1, .timeout_s = 10, .trace_issue = TRUE };
}

gboolean
hir_run_options_check (const HirRunOptions *options, GError **error)
{
  const char *problem = NULL;

  if (options->n_streams < 1 || options->n_streams > 64)
    problem = "--streams must be from 1 to 64";
  else if (options->n_repeats < 1)
    problem = "--repeat must be at least 1";
  else if (!(options->timeout_s >= 0) || options->timeout_s > 1e6)
    problem = "--timeout must be a number of seconds from 0 (none) to 1e6";
  if (problem != NULL)
    hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s", problem);
  return problem == NULL;
}

/* Creates one rank per program. */
static gboolean
make_ranks (HirSession *session, HirContainer *const *programs, guint n, GError **error)
{
  gboolean is_single = n == 1;

  for (guint i = 0; i < n; i++)
    {
      int number = is_single ? session->options.rank : (int) i;
      HirRank *rank = hir_rank_new (&session->team, number, programs[i], session->inputs, error);

      if (rank == NULL)
        return FALSE;
      g_ptr_array_add (session->ranks, rank);
      if (number == session->options.rank)
        session->shown = rank;
    }
  for (guint i = 0; i < n; i++)
    {
      HirRank *rank = g_ptr_array_index (session->ranks, i);
      HirCommunicator *communicator = rank->communicator;

      if (communicator != NULL && communicator->klass->prepare != NULL &&
          !communicator->klass->prepare (communicator, rank->program, error))
        return FALSE;
    }
  return TRUE;
}

/* Wakes host threads that wait for each other in issue() of a device's communicator. */
static void
abort_issuing (HirRank *rank)
{
  g_autoptr (GError) error = NULL;

  if (rank->communicator == NULL || rank->communicator->klass->issue == NULL)
    return;
  hir_set_error (&error, HIR_ERROR_CANCELLED, NULL, "the run was stopped");
  rank->communicator->klass->abort (rank->communicator, error);
}

static gboolean
check_ranks (HirContainer *fusion, guint n, guint n_here, int shown, GError **error)
{
  if (n_here > MAX_RANKS)
    {
      hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                     "%u devices are too many; one process runs at most %d", n_here, MAX_RANKS);
      return FALSE;
    }
  if (n > 1 && (shown < 0 || (guint) shown >= n))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "rank %d is out of range: there are %u devices",
                     shown, n);
      return FALSE;
    }
  for (guint i = 0; n > 1 && i < fusion->tensors.len; i++)
    {
      const HirTensor *tensor = fusion->tensors.items[i];

      for (gint64 k = 0; tensor->mesh != NULL && k < tensor->mesh->size; k++)
        if (tensor->mesh->devices[k] >= (gint64) n)
          {
            hir_set_error (error, HIR_ERROR_INPUT, &tensor->base.node.pos,
                           "T%d is on device %" G_GINT64_FORMAT
                           ", but there are %u devices; run it with -d %" G_GINT64_FORMAT,
                           tensor->base.name, tensor->mesh->devices[k], n,
                           tensor->mesh->devices[k] + 1);
            return FALSE;
          }
    }
  return TRUE;
}

/* Returns the number of ranks in all processes. */
static guint
count_ranks (const HirRunOptions *options, guint n_here)
{
  return options->mpi != NULL ? (guint) options->mpi->size : n_here;
}

/* The reference of a printed program needs the programs of all ranks in one process. */
static gboolean
check_printed (const HirContainer *fusion, const HirRunOptions *options, GError **error)
{
  if (fusion->kind != HIR_CONTAINER_HOST || !options->check || options->mpi == NULL)
    return TRUE;
  hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                 "checking a printed program needs all devices in one process; omit mpirun "
                 "or "
                 "--check");
  return FALSE;
}

/* Returns FALSE and sets @error if @val has a type that no back end computes with. */
static gboolean
check_type (const HirVal *val, GError **error)
{
  if (!HIR_IS_TENSOR (val) || hir_dtype_is_executable (val->dtype))
    return TRUE;
  hir_set_error (error, HIR_ERROR_UNSUPPORTED, &val->node.pos,
                 "T%d has type %s, which cannot be computed with; use --dtype, or hirscope check",
                 val->name, hir_dtype_get_short_name (val->dtype));
  return FALSE;
}

static gboolean
visit_types (HirExpr *expr, guint depth, gpointer error)
{
  for (guint i = 0; i < expr->n_outputs; i++)
    if (!check_type (expr->outputs[i], error))
      return FALSE;
  for (guint i = 0; i < expr->n_inputs; i++)
    if (HIR_IS_SCALAR (expr->inputs[i]) && hir_dtype_is_complex (expr->inputs[i]->dtype))
      {
        hir_set_error (
            error, HIR_ERROR_UNSUPPORTED, &expr->node.pos,
            "%s takes a complex number, which cannot be computed with; hirscope check gives its "
            "modelled time",
            hir_expr_get_op_name (expr));
        return FALSE;
      }
  return TRUE;
}

/* A dry run needs the sizes of elements only. */
static gboolean
check_types (HirContainer *fusion, const HirRunOptions *options, GError **error)
{
  GError *local = NULL;

  if (options->is_dry)
    return TRUE;
  for (guint i = 0; i < fusion->inputs.len && local == NULL; i++)
    check_type (fusion->inputs.items[i], &local);
  if (local == NULL)
    hir_container_foreach_expr (fusion, visit_types, &local);
  for (guint i = 0; i < fusion->units.len && local == NULL; i++)
    hir_container_foreach_expr (((HirHostUnit *) fusion->units.items[i])->fusion, visit_types,
                                &local);
  if (local == NULL)
    return TRUE;
  g_propagate_error (error, local);
  return FALSE;
}

static void
init_team (HirSession *session, HirRecorder *recorder, guint n_ranks)
{
  HirRankTeam *team = &session->team;

  g_mutex_init (&team->lock);
  g_cond_init (&team->open_cond);
  team->n_ranks = n_ranks;
  team->options = &session->options;
  team->recorder = recorder;
  team->cancellable = session->cancellable;
  team->is_printed = session->fusion->kind == HIR_CONTAINER_HOST;
  team->has_part_references = team->is_printed && session->against == NULL;
  team->zero_ns = session->options.zero_ns != 0 ? session->options.zero_ns : hir_clock_now_ns ();
  /* A program of one device may communicate with itself. */
  if (session->options.mpi == NULL && (n_ranks > 1 || session->options.rank == 0))
    team->world = hir_comm_world_new ((int) n_ranks);
  if (session->options.model_clock)
    team->group = session->options.mpi != NULL || session->options.is_dry
                      ? hir_model_group_new_deferred ()
                      : hir_model_group_new ();
  if (session->options.n_baselines > 0 && session->options.mpi == NULL)
    team->turns =
        hir_turns_new (session->cancellable, (gint64) (session->options.timeout_s * G_USEC_PER_SEC),
                       &team->computations);
}

static HirRunInputs *
make_run_inputs (HirContainer *fusion, const HirRunOptions *options, GError **error)
{
  if (options->is_dry)
    return hir_run_inputs_new_dry (fusion, options->inputs, options->seed, error);
  if (options->against == NULL)
    return hir_run_inputs_new (fusion, options->inputs, options->seed, error);
  return hir_run_inputs_new_like (fusion, options->against, options->inputs, options->seed, error);
}

HirSession *
hir_session_new_ranks (HirContainer *fusion,
                       HirContainer *const *programs,
                       guint n_ranks,
                       const HirRunOptions *options,
                       HirRecorder *recorder,
                       GCancellable *cancellable,
                       GError **error)
{
  g_autoptr (HirSession) session = NULL;

  g_return_val_if_fail (n_ranks > 0, NULL);
  if (!hir_run_options_check (options, error) ||
      !check_ranks (fusion, count_ranks (options, n_ranks), n_ranks, options->rank, error) ||
      !check_printed (fusion, options, error) || !check_types (fusion, options, error) ||
      (count_ranks (options, n_ranks) > 1 &&
       !hir_teams_check (programs, n_ranks, n_ranks == 1 ? options->rank : 0, error)))
    return NULL;
  session = g_new0 (HirSession, 1);
  session->fusion = hir_container_ref (fusion);
  session->against = options->against != NULL ? hir_container_ref (options->against) : NULL;
  session->options = *options;
  session->cancellable = cancellable != NULL ? g_object_ref (cancellable) : NULL;
  session->ranks = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_rank_free);
  init_team (session, recorder, count_ranks (options, n_ranks));
  if (options->provider != NULL && options->provider->klass->prepare != NULL &&
      !options->provider->klass->prepare (options->provider, n_ranks, error))
    return NULL;
  session->inputs = make_run_inputs (fusion, options, error);
  if (session->inputs == NULL || !make_ranks (session, programs, n_ranks, error))
    return NULL;
  if (options->check)
    session->report = hir_check_report_new (fusion);
  /* These belong to the caller; the back end has copies by now. */
  session->options.inputs = NULL;
  session->options.plant_op = NULL;
  session->options.hang_on = NULL;
  return g_steal_pointer (&session);
}

/* Ends the threads of the other ranks. Returns FALSE and sets the first error if one failed. */
static gboolean
join_ranks (HirSession *session, GError **error)
{
  gboolean ok = TRUE;

  hir_rank_team_set_open (&session->team, TRUE);
  hir_rank_team_start (&session->team);
  for (guint i = 0; i < session->ranks->len; i++)
    ok &= hir_rank_end_thread (g_ptr_array_index (session->ranks, i),
                               ok && error != NULL ? error : NULL);
  return ok;
}

void
hir_session_free (HirSession *session)
{
  g_atomic_int_set (&session->team.stopping, 1);
  hir_rank_team_abort_turns (&session->team);
  if (session->started && session->shown->communicator != NULL)
    {
      for (guint i = 0; i < session->ranks->len; i++)
        {
          HirRank *rank = g_ptr_array_index (session->ranks, i);
          rank->backend->klass->cancel (rank->backend);
          abort_issuing (rank);
        }
      join_ranks (session, NULL);
    }
  g_clear_pointer (&session->ranks, g_ptr_array_unref);
  g_clear_pointer (&session->team.world, hir_comm_world_free);
  g_clear_pointer (&session->team.group, hir_model_group_free);
  g_clear_pointer (&session->team.turns, hir_turns_free);
  g_mutex_clear (&session->team.lock);
  g_cond_clear (&session->team.open_cond);
  g_clear_pointer (&session->inputs, hir_run_inputs_free);
  g_clear_pointer (&session->reference, g_ptr_array_unref);
  g_clear_error (&session->reference_error);
  g_clear_error (&session->start_error);
  g_clear_pointer (&session->report, hir_check_report_free);
  g_clear_object (&session->cancellable);
  hir_container_unref (session->against);
  hir_container_unref (session->fusion);
  g_free (session);
}

void
hir_session_add_hooks (HirSession *session, const HirEvaluatorHooks *hooks)
{
  hir_evaluator_add_hooks (session->shown->evaluator, hooks);
}

const char *
hir_session_get_inputs_text (HirSession *session)
{
  return session->inputs->text;
}

/* Returns the phase of the current repetition. */
static HirPhase
get_phase (const HirSession *session)
{
  if (session->n_done < session->options.n_warmups)
    return HIR_PHASE_WARMUP;
  return session->n_done < session->options.n_warmups + session->options.n_repeats
             ? HIR_PHASE_PROGRAM
             : HIR_PHASE_BASELINE;
}

static gboolean
all_done (const HirSession *session)
{
  return get_phase (session) == HIR_PHASE_BASELINE &&
         session->n_baselines_done >= session->options.n_baselines;
}

gint64
hir_session_now_ns (const HirSession *session)
{
  gint64 last_ns = 0;

  if (session->shown->model == NULL)
    return hir_clock_now_ns ();
  for (guint i = 0; i < session->ranks->len; i++)
    {
      const HirRank *rank = g_ptr_array_index (session->ranks, i);

      last_ns = MAX (last_ns, hir_model_get_host_ns (rank->model));
    }
  return last_ns;
}

/* Starts the threads of the other ranks. */
static gboolean
begin_others (HirSession *session, HirPhase phase, GError **error)
{
  guint n = 0;

  hir_rank_team_set_open (&session->team, FALSE);
  session->team.n_ready = 0;
  session->team.going = 0;
  for (guint i = 0; i < session->ranks->len; i++)
    {
      HirRank *rank = g_ptr_array_index (session->ranks, i);

      if (rank == session->shown)
        continue;
      if (!hir_rank_begin_thread (rank, phase, error))
        return FALSE;
      n++;
    }
  hir_rank_team_await_ready (&session->team, n);
  return TRUE;
}

HirReferenceRank *
hir_session_dup_reference_ranks (const HirSession *session, guint *n)
{
  HirReferenceRank *ranks = g_new0 (HirReferenceRank, session->ranks->len);

  *n = session->ranks->len;
  for (guint i = 0; i < session->ranks->len; i++)
    {
      const HirRank *rank = g_ptr_array_index (session->ranks, i);

      ranks[i] = (HirReferenceRank){ rank->program, rank->rank, (HirValue **) rank->parts->pdata,
                                     rank->parts->len, rank->symbols };
    }
  return ranks;
}

GPtrArray *
hir_session_get_inputs (const HirSession *session)
{
  return session->inputs->values;
}

void
hir_session_evaluate_printed (HirSession *session)
{
  g_autofree HirReferenceRank *ranks = NULL;
  guint n;

  if (session->report == NULL || !session->team.has_part_references || session->reference != NULL ||
      session->reference_error != NULL)
    return;
  ranks = hir_session_dup_reference_ranks (session, &n);
  session->reference =
      hir_reference_evaluate_host (ranks, n, session->options.n_streams, session->options.max_steps,
                                   session->cancellable, &session->reference_error);
}

static gboolean
start (HirSession *session, GError **error)
{
  HirPhase phase = get_phase (session);
  HirRank *shown = session->shown;

  hir_session_evaluate_printed (session);
  if (session->team.turns != NULL)
    hir_turns_reset (session->team.turns);
  /* Over MPI this waits for the other processes, whose time is not part of the run. */
  if (shown->communicator != NULL)
    shown->communicator->klass->begin (shown->communicator);
  if (shown->communicator != NULL)
    {
      session->started = TRUE; /* running threads are joined even after an error */
      if (!begin_others (session, phase, error))
        return FALSE;
    }
  session->start_ns = hir_session_now_ns (session);
  session->wall_start_ns = hir_clock_now_ns ();
  if (shown->log != NULL && phase == HIR_PHASE_PROGRAM)
    hir_model_log_begin_count (shown->log);
  if (!hir_evaluator_start (shown->evaluator, (HirValue **) shown->inputs->pdata,
                            shown->inputs->len, phase, error))
    return FALSE;
  session->started = TRUE;
  if (shown->communicator != NULL)
    hir_rank_team_start (&session->team);
  return TRUE;
}

/* Starts the current repetition if necessary. hir_session_peek() does not report errors, so they
 * are stored for the next step. */
static gboolean
ensure_started (HirSession *session, GError **error)
{
  if (session->start_error == NULL && (session->started || start (session, &session->start_error)))
    return TRUE;
  if (error != NULL)
    *error = g_error_copy (session->start_error);
  return FALSE;
}

gboolean
hir_session_peek (HirSession *session, HirProgramPoint *point)
{
  if (session->broken || all_done (session) || get_phase (session) == HIR_PHASE_BASELINE ||
      !ensure_started (session, NULL))
    return FALSE;
  return hir_evaluator_peek (session->shown->evaluator, point);
}

gboolean
hir_session_compare_outputs (HirSession *session, GError **error)
{
  if (session->reference_error != NULL)
    {
      g_propagate_error (error, g_error_copy (session->reference_error));
      return FALSE;
    }
  if (session->reference == NULL)
    session->reference =
        hir_reference_evaluate (session->against != NULL ? session->against : session->fusion,
                                (HirValue **) session->inputs->values->pdata,
                                session->inputs->values->len, session->cancellable, error);
  if (session->reference == NULL)
    return FALSE;
  for (guint i = 0; i < session->ranks->len; i++)
    if (!hir_rank_compare (g_ptr_array_index (session->ranks, i),
                           session->team.has_part_references
                               ? g_ptr_array_index (session->reference, i)
                               : session->reference,
                           session->report, error))
      return FALSE;
  session->report->n_runs++;
  return TRUE;
}

gboolean
hir_session_check_resolved (HirSession *session, GError **error)
{
  if (session->shown->log == NULL || hir_model_log_is_resolved (session->shown->log))
    return TRUE;
  hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                 "the modelled clock cannot time ranks that wait for two communications in "
                 "opposite order; use --clock wall");
  return FALSE;
}

/* Counts and checks a finished repetition. */
static gboolean
take_repeat (HirSession *session, GError **error)
{
  HirRank *shown = session->shown;

  switch (get_phase (session))
    {
    case HIR_PHASE_BASELINE:
      session->n_baselines_done++;
      return TRUE;
    case HIR_PHASE_PROGRAM:
      session->elapsed_ns += hir_session_now_ns (session) - session->start_ns;
      if (shown->log != NULL)
        hir_model_log_end_count (shown->log);
      if (session->report != NULL && !hir_session_compare_outputs (session, error))
        return FALSE;
      break;
    default:
      break;
    }
  session->n_done++;
  return TRUE;
}

static gboolean
end_repeat (HirSession *session, GError **error)
{
  HirRank *shown = session->shown;

  if (!hir_evaluator_end (shown->evaluator, error))
    return FALSE;
  if (get_phase (session) == HIR_PHASE_PROGRAM)
    session->issue_ns += hir_clock_now_ns () - session->wall_start_ns;
  hir_rank_team_set_open (&session->team, TRUE);
  if (!hir_evaluator_finish (shown->evaluator, error) || !join_ranks (session, error))
    return FALSE;
  if (shown->communicator != NULL && shown->communicator->klass->finish != NULL &&
      !shown->communicator->klass->finish (shown->communicator, error))
    return FALSE;
  if (!hir_session_check_resolved (session, error) || !take_repeat (session, error))
    return FALSE;
  session->started = FALSE;
  return TRUE;
}

/* Takes ownership of @cause. Reports the first error of any rank. */
static HirStep
fail (HirSession *session, GError *cause, GError **error)
{
  HirRank *shown = session->shown;
  GError *first = NULL;

  session->broken = TRUE;
  g_atomic_int_set (&session->team.stopping, 1);
  hir_rank_team_abort_turns (&session->team);
  if (shown->communicator != NULL)
    {
      shown->communicator->klass->abort (shown->communicator, cause);
      join_ranks (session, NULL);
      if (shown->communicator->klass->dup_error != NULL)
        first = shown->communicator->klass->dup_error (shown->communicator);
      else if (session->team.world != NULL)
        first = hir_comm_world_dup_error (session->team.world);
    }
  if (first != NULL)
    {
      g_propagate_error (error, first);
      g_clear_error (&cause);
    }
  else
    g_propagate_error (error, cause);
  return HIR_STEP_FAILED;
}

static HirStep
step_shown (HirSession *session, GError **error)
{
  HirStep step;

  if (g_cancellable_is_cancelled (session->cancellable))
    {
      hir_set_error (error, HIR_ERROR_CANCELLED, NULL, "the run was stopped");
      return HIR_STEP_FAILED;
    }
  if (!ensure_started (session, error))
    return HIR_STEP_FAILED;
  step = hir_evaluator_step (session->shown->evaluator, error);
  if (step != HIR_STEP_DONE)
    return step;
  if (!end_repeat (session, error))
    return HIR_STEP_FAILED;
  return all_done (session) ? HIR_STEP_DONE : HIR_STEP_MORE;
}

HirStep
hir_session_step (HirSession *session, GError **error)
{
  GError *cause = NULL;
  HirStep step;

  if (session->broken)
    {
      hir_set_error (error, HIR_ERROR_RUN, NULL, "the run has failed already");
      return HIR_STEP_FAILED;
    }
  if (all_done (session))
    return HIR_STEP_DONE;
  step = step_shown (session, &cause);
  return step == HIR_STEP_FAILED ? fail (session, cause, error) : step;
}

gboolean
hir_session_run (HirSession *session, GError **error)
{
  HirStep step;

  do
    step = hir_session_step (session, error);
  while (step == HIR_STEP_MORE);
  return step == HIR_STEP_DONE;
}

guint
hir_session_get_n_done (HirSession *session)
{
  return session->n_done;
}

gint64
hir_session_get_elapsed_ns (HirSession *session)
{
  return session->elapsed_ns;
}

const HirCheckReport *
hir_session_get_report (HirSession *session)
{
  return session->report;
}

gint64
hir_session_get_zero_ns (HirSession *session)
{
  return session->team.zero_ns;
}

GVariant *
hir_session_pack_model (HirSession *session)
{
  return session->shown->log != NULL && session->options.mpi != NULL
             ? hir_model_log_pack (session->shown->log)
             : NULL;
}

gint64
hir_session_get_issue_ns (HirSession *session)
{
  return session->issue_ns;
}
