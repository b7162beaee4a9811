/* Runs a session with logs as back ends, and merges the logs of all ranks. */
#include "analysis/sync-check.h"
#include "analysis/sync-trace-private.h"
#include "print/print.h"
#include "run/reference/team-check.h"

#define MAX_STEPS 1000000
/* Places of one stale expression. */
#define MAX_STALE 64

/* A provider whose back ends are logs. */
typedef struct
{
  HirBackendProvider provider;
  HirContainer *const *programs;
  guint n_ranks;
  GPtrArray *logs; /* HirSyncLog* */
} Logger;

static HirBackend *
new_backend (HirBackendProvider *provider, const HirBackendOptions *options, GError **error)
{
  Logger *logger = (Logger *) provider;
  HirSyncLog *log =
      hir_sync_log_new (logger->programs[logger->logs->len], options->rank, (int) logger->n_ranks);

  g_ptr_array_add (logger->logs, log);
  return &log->backend;
}

/* Called once per rank, after new_backend(). */
static HirCommunicator *
new_communicator (HirBackendProvider *provider,
                  HirCommWorld *world,
                  int rank,
                  HirBackend *backend,
                  GError **error)
{
  Logger *logger = (Logger *) provider;
  HirSyncLog *log = g_ptr_array_index (logger->logs, logger->logs->len - 1);

  return &log->communicator;
}

static const HirBackendProviderClass logger_class = {
  .new_backend = new_backend,
  .new_communicator = new_communicator,
};

static gboolean
before (const HirProgramPoint *point, gpointer user_data, GError **error)
{
  HirSyncLog *log = user_data;
  HirSyncInstance instance = { log->rank, point->expr, point->iteration, log->steps->len, 0 };

  g_array_append_val (log->instances, instance);
  log->expr = point->expr;
  log->iteration = point->iteration;
  if (log->evaluator != NULL)
    hir_sync_held_before (log, point->expr);
  return TRUE;
}

/* An expression of a loop index is not evaluated again. */
static void
add_stale (HirSyncLog *log, const HirProgramPoint *place, const HirStaleValue *stale)
{
  g_autofree char *label = hir_sync_dup_label (place->expr);
  g_autofree char *scalar = hir_scalar_to_string (stale->scalar);
  g_autofree char *message = g_strdup_printf (
      "%s uses %s, which keeps its first value: FOR .. from computes it again only "
      "if the loop has an instruction for it",
      label, scalar);
  g_autofree char *text = g_strdup_printf ("has %" G_GINT64_FORMAT " instead of %" G_GINT64_FORMAT,
                                           stale->kept, stale->fresh);
  HirSyncFault *fault =
      hir_sync_faults_add (log->faults, HIR_SYNC_FAULT_STALE, place->expr->node.pos, -1, message);

  if (fault->places->len < MAX_STALE)
    hir_sync_fault_add_place (fault, log->rank, place->expr, place->iteration, text);
}

static void
after (const HirProgramPoint *point, gpointer user_data)
{
  HirSyncLog *log = user_data;
  HirSyncInstance *instance =
      &g_array_index (log->instances, HirSyncInstance, log->instances->len - 1);
  HirStaleValue stale;

  instance->n_steps = log->steps->len - instance->first_step;
  if (log->evaluator != NULL && hir_env_take_stale (hir_evaluator_get_env (log->evaluator), &stale))
    add_stale (log, point, &stale);
  if (log->evaluator != NULL)
    hir_sync_held_after (log, point->expr);
  log->expr = NULL;
  log->iteration = -1;
}

static void
open_logs (HirSession *session, GPtrArray *logs)
{
  for (guint i = 0; i < logs->len; i++)
    {
      HirRank *rank = g_ptr_array_index (session->ranks, i);
      HirSyncLog *log = g_ptr_array_index (logs, i);
      const HirEvaluatorHooks hooks = { before, after, log };

      log->evaluator = rank->evaluator;
      log->open = TRUE;
      hir_evaluator_add_hooks (rank->evaluator, &hooks);
    }
}

/* Adds a fault for output @val, which has no value at the end. */
static void
add_lost_output (HirSyncLog *log, HirRank *rank, const HirVal *val, GPtrArray *faults)
{
  const HirExpr *freed = hir_evaluator_lookup_free (rank->evaluator, val);
  g_autofree char *message =
      freed != NULL
          ? g_strdup_printf ("T%d is an output, but is freed here; remove this Deallocate",
                             val->name)
          : g_strdup_printf ("nothing computes output T%d", val->name);
  HirSyncFault *fault =
      hir_sync_faults_add (faults, freed != NULL ? HIR_SYNC_FAULT_FREED : HIR_SYNC_FAULT_UNWRITTEN,
                           freed != NULL ? freed->node.pos : val->node.pos, val->name, message);

  hir_sync_fault_add_place (fault, log->rank, freed, -1, freed != NULL ? "freed" : "no memory");
}

/* Adds the exit: the caller reads the outputs on this device, and may write the inputs. Buffers
 * released afterwards are not logged. */
static void
close_log (HirSyncLog *log, HirRank *rank, HirSyncTrace *trace)
{
  const HirVec *outputs = &rank->program->outputs, *inputs = &rank->program->inputs;

  log->open = FALSE;
  hir_sync_log_add_step (log, HIR_SYNC_EXIT, 0);
  for (guint i = 0; i < outputs->len; i++)
    {
      const HirVal *val = outputs->items[i];
      const HirTensor *tensor = HIR_IS_TENSOR (val) ? (const HirTensor *) val : NULL;
      HirValue *value = hir_evaluator_lookup (rank->evaluator, val);

      if (tensor == NULL || (tensor->mesh != NULL && log->communicator.n_ranks > 1 &&
                             !hir_mesh_has (tensor->mesh, log->rank)))
        continue;
      if (value == NULL)
        add_lost_output (log, rank, val, trace->faults);
      hir_sync_log_add_access (log, value, val->name, FALSE);
    }
  for (guint i = 0; i < inputs->len && i < rank->inputs->len; i++)
    hir_sync_log_add_access (log, g_ptr_array_index (rank->inputs, i),
                             ((const HirVal *) inputs->items[i])->name, TRUE);
  hir_sync_held_close (log, trace->held);
  log->evaluator = NULL;
}

static void
add_missing_waits (const HirSyncLog *log, GPtrArray *faults)
{
  const GArray *missing = hir_evaluator_get_missing_waits (log->evaluator);

  for (guint i = 0; i < missing->len; i++)
    {
      const HirMissingWait *wait = &g_array_index (missing, HirMissingWait, i);
      HirSyncFault *fault =
          hir_sync_faults_add (faults, HIR_SYNC_FAULT_NOT_WAITED, wait->pos, -1, wait->message);

      fault->n += wait->n - 1;
      if (wait->is_used)
        fault->not_waited = wait->posted;
      hir_sync_fault_add_place (fault, log->rank, wait->posted, wait->iteration, "posted");
    }
}

/* Runs one rank; nothing blocks. Sets *@ended to FALSE and adds a fault if the run of this rank
 * fails. */
static gboolean
run_rank (HirSyncLog *log, HirRank *rank, HirSyncTrace *trace, gboolean *ended, GError **error)
{
  g_autoptr (GError) local = NULL;
  GPtrArray *faults = trace->faults;
  HirPos pos;

  log->faults = faults;
  if (!hir_evaluator_start (rank->evaluator, (HirValue **) rank->inputs->pdata, rank->inputs->len,
                            HIR_PHASE_PROGRAM, error))
    return FALSE;
  *ended = hir_evaluator_finish (rank->evaluator, &local);
  pos = hir_error_get_pos (local);
  if (local != NULL &&
      (local->code != HIR_ERROR_RUN || !hir_evaluator_failed_by_order (rank->evaluator)))
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  if (local != NULL)
    hir_sync_fault_add_place (hir_sync_faults_add (faults, HIR_SYNC_FAULT_ERROR, pos, -1,
                                                   local->message),
                              log->rank, log->expr, log->iteration, "fails");
  add_missing_waits (log, faults);
  if (*ended)
    close_log (log, rank, trace);
  hir_sync_memory_report (log, faults);
  return TRUE;
}

static void
clear_queue (gpointer data)
{
  HirSyncQueue *queue = data;

  g_free (queue->name);
}

static HirSyncTrace *
trace_new (void)
{
  HirSyncTrace *trace = g_new0 (HirSyncTrace, 1);

  trace->programs = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_container_unref);
  trace->steps = g_array_new (FALSE, FALSE, sizeof (HirSyncStep));
  trace->instances = g_array_new (FALSE, FALSE, sizeof (HirSyncInstance));
  trace->accesses = g_array_new (FALSE, FALSE, sizeof (HirSyncAccess));
  trace->ranges = g_array_new (FALSE, FALSE, sizeof (HirByteRange));
  trace->needs = g_array_new (FALSE, FALSE, sizeof (guint));
  trace->queues = g_array_new (FALSE, FALSE, sizeof (HirSyncQueue));
  g_array_set_clear_func (trace->queues, clear_queue);
  trace->buffers = g_array_new (FALSE, FALSE, sizeof (HirSyncBuffer));
  trace->order = g_array_new (FALSE, FALSE, sizeof (guint));
  trace->tapes = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_model_tape_free);
  trace->faults = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_sync_fault_free);
  trace->held = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_sync_fault_free);
  trace->frees = g_array_new (FALSE, FALSE, sizeof (HirSyncFree));
  return trace;
}

void
hir_sync_trace_free (HirSyncTrace *trace)
{
  g_ptr_array_unref (trace->programs);
  g_array_unref (trace->steps);
  g_array_unref (trace->instances);
  g_array_unref (trace->accesses);
  g_array_unref (trace->ranges);
  g_array_unref (trace->needs);
  g_array_unref (trace->queues);
  g_array_unref (trace->buffers);
  g_array_unref (trace->order);
  g_ptr_array_unref (trace->faults);
  g_ptr_array_unref (trace->held);
  g_array_unref (trace->frees);
  g_ptr_array_unref (trace->tapes);
  g_free (trace);
}

static void
move (guint *index, guint base)
{
  if (*index != HIR_SYNC_NONE)
    *index += base;
}

/* Appends the steps of @log and adjusts their indices. */
static void
append_log (HirSyncTrace *trace, const HirSyncLog *log)
{
  guint step_base = trace->steps->len, access_base = trace->accesses->len;
  guint range_base = trace->ranges->len, queue_base = trace->queues->len;
  guint buffer_base = trace->buffers->len;

  g_array_append_vals (trace->steps, log->steps->data, log->steps->len);
  for (guint i = 0; i < log->instances->len; i++)
    {
      HirSyncInstance instance = g_array_index (log->instances, HirSyncInstance, i);

      instance.first_step += step_base;
      g_array_append_val (trace->instances, instance);
    }
  g_array_append_vals (trace->accesses, log->accesses->data, log->accesses->len);
  g_array_append_vals (trace->ranges, log->ranges->data, log->ranges->len);
  g_array_append_vals (trace->buffers, log->buffers->data, log->buffers->len);
  for (guint i = 0; i < log->queues->len; i++)
    {
      HirSyncQueue queue = g_array_index (log->queues, HirSyncQueue, i);

      queue.name = g_strdup (queue.name);
      g_array_append_val (trace->queues, queue);
    }
  for (guint i = step_base; i < trace->steps->len; i++)
    {
      HirSyncStep *step = hir_sync_trace_get_step (trace, i);

      step->queue += queue_base;
      step->current += queue_base;
      step->first_access += access_base;
      move (&step->previous, step_base);
      move (&step->after, step_base);
    }
  for (guint i = access_base; i < trace->accesses->len; i++)
    {
      HirSyncAccess *access = hir_sync_trace_get_access (trace, i);

      access->buffer += buffer_base;
      access->first_range += range_base;
    }
  for (guint i = buffer_base; i < trace->buffers->len; i++)
    g_array_index (trace->buffers, HirSyncBuffer, i).queue += queue_base;
}

/* Edges between steps, as linked lists: the edges from a step start at first[step]. */
typedef struct
{
  guint *first, *next, *to; /* indexed by edge, except first */
  guint *n_open;            /* per step: edges from steps that are not in the order yet */
  guint n;
} Edges;

static void
add_edge (Edges *edges, guint from, guint to)
{
  if (from == HIR_SYNC_NONE)
    return;
  edges->to[edges->n] = to;
  edges->next[edges->n] = edges->first[from];
  edges->first[from] = edges->n++;
  edges->n_open[to]++;
}

static void
fill_edges (Edges *edges, const HirSyncTrace *trace)
{
  for (guint i = 0; i < trace->steps->len; i++)
    edges->first[i] = HIR_SYNC_NONE;
  for (guint i = 0; i < trace->steps->len; i++)
    {
      const HirSyncStep *step = hir_sync_trace_get_step (trace, i);

      add_edge (edges, step->previous, i);
      add_edge (edges, step->after, i);
      for (guint k = 0; k < step->n_needs; k++)
        add_edge (edges, g_array_index (trace->needs, guint, step->first_need + k), i);
    }
}

static void
make_order (HirSyncTrace *trace)
{
  guint n = trace->steps->len, max = 2 * n + trace->needs->len;
  Edges edges = { g_new (guint, n), g_new (guint, max), g_new (guint, max), g_new0 (guint, n), 0 };

  fill_edges (&edges, trace);
  for (guint i = 0; i < n; i++)
    if (edges.n_open[i] == 0)
      g_array_append_val (trace->order, i);
  for (guint i = 0; i < trace->order->len; i++)
    for (guint e = edges.first[g_array_index (trace->order, guint, i)]; e != HIR_SYNC_NONE;
         e = edges.next[e])
      if (--edges.n_open[edges.to[e]] == 0)
        g_array_append_val (trace->order, edges.to[e]);
  g_free (edges.first);
  g_free (edges.next);
  g_free (edges.to);
  g_free (edges.n_open);
}

static void
merge (HirSyncTrace *trace, GPtrArray *logs, HirContainer *const *programs)
{
  g_autofree guint *bases = g_new (guint, logs->len);
  g_autoptr (GArray) meetings = g_array_new (FALSE, FALSE, sizeof (HirSyncMeeting));

  for (guint i = 0; i < logs->len; i++)
    {
      bases[i] = trace->steps->len;
      g_ptr_array_add (trace->programs, hir_container_ref (programs[i]));
      append_log (trace, g_ptr_array_index (logs, i));
    }
  if (trace->is_complete)
    {
      hir_sync_match (trace, logs, bases, meetings);
      hir_sync_find_deadlock (trace, meetings);
      trace->is_complete = hir_sync_faults_count (trace->faults, HIR_SYNC_FAULT_DEADLOCK) == 0;
    }
  if (!trace->is_complete)
    {
      g_ptr_array_set_size (trace->held, 0);
      return;
    }
  make_order (trace);
  for (guint i = 0; i < logs->len; i++)
    hir_sync_held_merge (trace, g_ptr_array_index (logs, i));
}

/* Returns a trace with a mismatch if a team lacks a rank, which must be found before anything is
 * posted. Returns NULL if the teams are valid. */
static HirSyncTrace *
check_teams (HirContainer *const *programs, guint n_ranks)
{
  g_autoptr (GError) error = NULL;
  HirSyncTrace *trace;

  if (n_ranks == 1 || hir_teams_check (programs, n_ranks, 0, &error))
    return NULL;
  trace = trace_new ();
  for (guint i = 0; i < n_ranks; i++)
    g_ptr_array_add (trace->programs, hir_container_ref (programs[i]));
  (void) hir_sync_faults_add (trace->faults, HIR_SYNC_FAULT_MISMATCH, hir_error_get_pos (error), -1,
                              error->message);
  return trace;
}

/* Runs the ranks one after the other. Returns a trace with their faults only. */
static HirSyncTrace *
run_ranks (HirSession *session, GPtrArray *logs, GError **error)
{
  HirSyncTrace *trace = trace_new ();

  trace->is_complete = TRUE;
  for (guint i = 0; i < logs->len; i++)
    {
      gboolean ended;

      if (!run_rank (g_ptr_array_index (logs, i), g_ptr_array_index (session->ranks, i), trace,
                     &ended, error))
        {
          hir_sync_trace_free (trace);
          return NULL;
        }
      trace->is_complete &= ended;
    }
  return trace;
}

HirSyncTrace *
hir_sync_trace_new (HirContainer *fusion,
                    HirContainer *const *programs,
                    guint n_ranks,
                    const HirSyncOptions *options,
                    GCancellable *cancellable,
                    GError **error)
{
  g_autoptr (GPtrArray) logs = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_sync_log_free);
  Logger logger = { { &logger_class }, programs, n_ranks, logs };
  HirRunOptions run;
  HirSession *session;
  HirSyncTrace *trace = check_teams (programs, n_ranks);

  if (trace != NULL)
    return trace;
  hir_run_options_init (&run);
  run.n_streams = options->n_streams;
  run.inputs = options->inputs;
  run.rank = options->rank;
  run.max_steps = options->max_steps > 0 ? options->max_steps : MAX_STEPS;
  run.provider = &logger.provider;
  run.is_dry = TRUE;
  run.model_clock = (options->parts & HIR_SYNC_TIMES) != 0;
  session = hir_session_new_ranks (fusion, programs, n_ranks, &run, options->recorder, cancellable,
                                   error);
  if (session == NULL)
    return NULL;
  open_logs (session, logs);
  trace = run_ranks (session, logs, error);
  if (trace != NULL)
    merge (trace, logs, programs);
  for (guint i = 0; i < logs->len && trace != NULL && run.model_clock; i++)
    g_ptr_array_add (trace->tapes, hir_model_tape_take (
                                       ((HirRank *) g_ptr_array_index (session->ranks, i))->log));
  for (guint i = 0; i < logs->len; i++)
    ((HirSyncLog *) g_ptr_array_index (logs, i))->open = FALSE;
  hir_session_free (session);
  return trace;
}
