/* Labels, events and communication records of the evaluator. */
#include "print/print.h"
#include "record/replay-filter.h"
#include "run/comm-facts.h"
#include "run/evaluator-private.h"
#include "run/undo-log-private.h"

char *
hir_evaluator_dup_expr_label (const HirExpr *expr)
{
  const HirTensor *result = hir_expr_get_result (expr);
  const char *name = hir_expr_kind_get_info (expr->kind)->name;

  switch (expr->kind)
    {
    case HIR_EXPR_SET:
      return g_strdup_printf ("Set T%d", result->base.name);
    case HIR_EXPR_ALLOCATE:
    case HIR_EXPR_DEALLOCATE:
    case HIR_EXPR_ALIAS_SELECT:
      return result != NULL ? g_strdup_printf ("%s T%d", name, result->base.name) : g_strdup (name);
    case HIR_EXPR_LAUNCH_KERNEL:
      return g_strdup_printf ("kernel %d", expr->u.post.group);
    case HIR_EXPR_SCALAR:
      return g_strdup_printf ("i%d", expr->outputs[0]->name);
    case HIR_EXPR_POST_ON_STREAM:
      return g_strdup_printf ("HostUnit%d", expr->u.post.unit->index);
    case HIR_EXPR_COMMUNICATION:
      return g_strdup_printf ("%s T%d", hir_comm_type_get_name (expr->u.comm.type),
                              expr->outputs[0]->name);
    case HIR_EXPR_P2P:
      return g_strdup_printf ("%s T%d", expr->u.p2p.is_send ? "send" : "recv",
                              expr->u.p2p.buffer->base.name);
    case HIR_EXPR_WAIT:
      {
        g_autofree char *of =
            expr->u.wait.of != NULL ? hir_evaluator_dup_expr_label (expr->u.wait.of) : NULL;
        return g_strdup_printf ("Wait%s%s", of != NULL ? " " : "", of != NULL ? of : "");
      }
    default:
      if (hir_expr_kind_get_info (expr->kind)->is_tensor_op && result != NULL)
        return g_strdup_printf ("T%d_%s", result->base.name, hir_expr_get_op_name (expr));
      return g_strdup (name);
    }
}

char *
hir_evaluator_get_label (HirEvaluator *evaluator, const HirExpr *expr)
{
  char *label = g_hash_table_lookup (evaluator->labels, expr);
  g_autofree char *text = NULL;
  g_autofree char *longer = NULL;

  if (label != NULL)
    return label;
  text = hir_evaluator_dup_expr_label (expr);
  /* Creates the plan, so that a HostUnit has the same label before its first execution, after it,
   * and after going back. */
  if (hir_expr_posts_unit (expr))
    longer = g_strdup_printf ("%s_%s", text,
                              hir_unit_plans_get (evaluator->plans, expr->u.post.unit)->shape);
  label = g_ref_string_new (longer != NULL ? longer : text);
  g_hash_table_insert (evaluator->labels, (gpointer) expr, label);
  return label;
}

gint32
hir_evaluator_get_iteration (HirEvaluator *evaluator)
{
  for (guint i = evaluator->frames->len; i-- > 0;)
    {
      const HirFrame *frame = &g_array_index (evaluator->frames, HirFrame, i);
      if (frame->owner != NULL && frame->owner->kind == HIR_EXPR_FOR)
        return (gint32) CLAMP (frame->i, 0, G_MAXINT32);
    }
  return -1;
}

/* Returns the recorder's number of the label of @expr. */
static guint32
get_name (HirEvaluator *evaluator, const HirExpr *expr)
{
  HirInstructionCache *cache = evaluator->cache;
  guint32 name;

  if (cache != NULL && cache->expr == expr && cache->has_name)
    return cache->name;
  name =
      hir_recorder_intern (evaluator->options.recorder, hir_evaluator_get_label (evaluator, expr));
  if (cache != NULL && cache->expr == expr)
    {
      cache->name = name;
      cache->has_name = TRUE;
    }
  return name;
}

/* Returns the stamp of the current step, or 0 if events have none. */
static guint64
get_stamp (const HirEvaluator *evaluator)
{
  return evaluator->epoch > 0 ? hir_replay_filter_stamp (evaluator->epoch, evaluator->options.rank,
                                                         evaluator->n_steps)
                              : 0;
}

static void
fill_event (HirEvaluator *evaluator, HirEvent *event, const HirExpr *expr, gint32 iteration)
{
  event->phase = (guint8) evaluator->phase;
  /* Only events of the program itself belong to instructions, and those that give times alone. */
  event->instruction =
      evaluator->phase == HIR_PHASE_PROGRAM || evaluator->phase == HIR_PHASE_BASELINE
          ? expr->node.id
          : 0;
  event->iteration = iteration;
  event->source = get_stamp (evaluator);
}

static void
begin_backend_issue (HirEvaluator *evaluator, const HirExpr *expr)
{
  HirBackend *backend = evaluator->options.backend;
  HirEvent event = { .kind = HIR_EVENT_ISSUE, .track = (guint16) evaluator->host_track };

  if (evaluator->options.recorder == NULL || !evaluator->options.trace_issue ||
      backend->klass->begin_instruction == NULL || !evaluator->cache->calls_device)
    return;
  fill_event (evaluator, &event, expr, hir_evaluator_get_iteration (evaluator));
  event.name = get_name (evaluator, expr);
  backend->klass->begin_instruction (backend, &event);
  evaluator->is_issue_begun = TRUE;
}

void
hir_evaluator_begin_issue (HirEvaluator *evaluator, const HirExpr *expr)
{
  begin_backend_issue (evaluator, expr);
  evaluator->issue_correlation = 0;
  if (evaluator->options.model != NULL)
    hir_model_log_issue (evaluator->options.model, expr->node.id, evaluator->cache->launches);
  else if (evaluator->options.recorder != NULL)
    evaluator->issue_start_ns = hir_clock_now_ns () - evaluator->options.zero_ns;
}

void
hir_evaluator_end_issue (HirEvaluator *evaluator, const HirExpr *expr, gint32 iteration)
{
  HirEvent event = { .kind = HIR_EVENT_ISSUE };

  if (evaluator->is_issue_begun)
    evaluator->options.backend->klass->end_instruction (evaluator->options.backend);
  evaluator->is_issue_begun = FALSE;
  if (evaluator->options.recorder == NULL || !evaluator->options.trace_issue)
    return;
  if (evaluator->options.model == NULL)
    evaluator->issue_end_ns = hir_clock_now_ns () - evaluator->options.zero_ns;
  fill_event (evaluator, &event, expr, iteration);
  if (evaluator->options.model == NULL)
    {
      event.start_ns = evaluator->issue_start_ns;
      event.end_ns = evaluator->issue_end_ns;
    }
  event.name = get_name (evaluator, expr);
  event.correlation = evaluator->issue_correlation;
  event.track = (guint16) evaluator->host_track;
  if (evaluator->options.model != NULL)
    hir_model_log_issued (evaluator->options.model, &event);
  else
    hir_recorder_add (evaluator->options.recorder, &event);
}

void
hir_evaluator_describe_fill (HirEvaluator *evaluator,
                             HirEvent *event,
                             const HirBuffer *buffer,
                             const HirExpr *expr)
{
  *event = (HirEvent){ .kind = HIR_EVENT_MEMSET,
                       .iteration = -1,
                       .phase = HIR_PHASE_CHECK,
                       .bytes = (gint64) buffer->size_bytes,
                       .source = get_stamp (evaluator),
                       .track = hir_evaluator_get_current_slot (evaluator)->track };
  if (expr != NULL)
    fill_event (evaluator, event, expr, hir_evaluator_get_iteration (evaluator));
  if (evaluator->options.recorder != NULL)
    event->name =
        hir_recorder_intern (evaluator->options.recorder,
                             expr != NULL ? hir_evaluator_get_label (evaluator, expr) : "poison");
}

static void
begin_task (HirEvaluator *evaluator, HirTask *task, HirEventKind kind)
{
  fill_event (evaluator, &task->event, task->expr, hir_evaluator_get_iteration (evaluator));
  task->event.kind = (guint8) kind;
  task->event.track = hir_evaluator_get_current_slot (evaluator)->track;
  task->event.correlation = ++evaluator->correlation;
  task->event.name = hir_recorder_intern (evaluator->options.recorder, task->label);
  evaluator->issue_correlation = task->event.correlation;
}

void
hir_evaluator_trace_task (
    HirEvaluator *evaluator, HirTask *task, HirEventKind kind, gint64 bytes, gint64 flops)
{
  HirModelLog *model = evaluator->options.model;

  /* The iteration is part of error messages, so it is set even if nothing is recorded. */
  task->event.iteration = hir_evaluator_get_iteration (evaluator);
  if (evaluator->options.recorder != NULL)
    {
      begin_task (evaluator, task, kind);
      task->event.bytes = bytes;
      task->event.flops = flops;
    }
  /* Without a model, the back end measures and records the task. */
  if (model != NULL)
    hir_model_log_run (model, evaluator->current, bytes, flops, &task->event);
}

HirTask *
hir_evaluator_new_wait (HirEvaluator *evaluator,
                        const HirExpr *expr,
                        char *label,
                        HirModelMark *mark)
{
  HirTask *task;

  if (evaluator->options.recorder == NULL && evaluator->options.model == NULL &&
      !evaluator->is_debugged)
    return NULL;
  task = hir_task_new (expr, label);
  task->event.iteration = hir_evaluator_get_iteration (evaluator);
  if (evaluator->options.recorder != NULL)
    begin_task (evaluator, task, HIR_EVENT_SYNC);
  if (evaluator->options.model != NULL)
    hir_model_log_wait (evaluator->options.model, evaluator->current, mark, &task->event);
  return task;
}

/* Returns the larger of the bytes sent and received. */
static gint64
count_bytes (const HirCommPost *post)
{
  gint64 in = 0, out = 0;

  for (guint i = 0; post->messages != NULL && i < post->messages->len; i++)
    {
      const HirCommMessage *message = &g_array_index (post->messages, HirCommMessage, i);
      gint64 bytes = (gint64) hir_value_get_size_bytes (message->value);

      if (message->is_send)
        out += bytes;
      else
        in += bytes;
    }
  if (post->in != NULL)
    out = (gint64) hir_value_get_size_bytes (post->in);
  if (post->out != NULL)
    in = (gint64) hir_value_get_size_bytes (post->out);
  return MAX (in, out);
}

guint
hir_evaluator_count_posts (HirEvaluator *evaluator, const char *counter, int change)
{
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (evaluator->post_counts, counter));

  g_hash_table_insert (evaluator->post_counts, g_strdup (counter),
                       GUINT_TO_POINTER ((guint) ((int) n + change)));
  if (change > 0 && evaluator->undo != NULL)
    g_ptr_array_add (evaluator->undo->counted_posts, g_strdup (counter));
  return n;
}

/* Records part @part of @post. @counted_posts: the same part for the modelled clock. */
static void
record_communication (HirEvaluator *evaluator,
                      const HirCommPost *post,
                      guint part,
                      const HirModelMeeting *counted_posts,
                      guint32 correlation)
{
  HirRecorder *recorder = evaluator->options.recorder;
  g_autofree char *counter = g_strdup_printf ("%c %s", counted_posts->side, counted_posts->key);
  HirCommRecord meeting = {
    .key = hir_recorder_intern (recorder, counted_posts->key),
    .side = counted_posts->side == 's'   ? HIR_COMM_SIDE_SEND
            : counted_posts->side == 'r' ? HIR_COMM_SIDE_RECV
                                         : HIR_COMM_SIDE_TEAM,
    .sequence = hir_evaluator_count_posts (evaluator, counter, 1),
    .rank = evaluator->options.rank,
    .correlation = correlation,
    .bytes = counted_posts->bytes,
  };

  /* Events of baseline repetitions are not in the trace. */
  if (evaluator->phase == HIR_PHASE_BASELINE)
    return;
  meeting.op =
      hir_recorder_intern (recorder,
                           hir_comm_fill_facts (post, part, evaluator->options.rank, &meeting));
  hir_recorder_add_meeting (recorder, &meeting);
}

/* Returns the parts of @post for the modelled clock. */
static GArray *
dup_meetings (const HirCommPost *post, int rank, gint64 bytes, GStringChunk *keys)
{
  GArray *meetings = g_array_new (FALSE, TRUE, sizeof (HirModelMeeting));
  HirModelMeeting meeting = { .side = 'm', .bytes = bytes };

  for (guint i = 0; post->messages != NULL && i < post->messages->len; i++)
    {
      const HirCommMessage *message = &g_array_index (post->messages, HirCommMessage, i);
      g_autofree char *key = hir_comm_record_dup_pair_key (message->is_send ? rank : message->peer,
                                                           message->is_send ? message->peer : rank);

      meeting.key = g_string_chunk_insert (keys, key);
      meeting.side = message->is_send ? 's' : 'r';
      meeting.n = 2;
      meeting.bytes = (gint64) hir_value_get_size_bytes (message->value);
      g_array_append_val (meetings, meeting);
    }
  if (post->messages == NULL)
    {
      g_autofree gint64 *members = hir_comm_dup_members (post->expr, &meeting.n);
      g_autofree char *key = hir_comm_record_dup_team_key (members, meeting.n);

      meeting.key = g_string_chunk_insert (keys, key);
      g_array_append_val (meetings, meeting);
    }
  return meetings;
}

HirModelMark *
hir_evaluator_trace_communication (
    HirEvaluator *evaluator, HirTask *task, const HirCommPost *post, guint16 track, guint stream)
{
  HirModelLog *model = evaluator->options.model;
  GStringChunk *keys;
  g_autoptr (GArray) meetings = NULL;
  gint64 bytes;
  HirModelMark *mark = NULL;

  task->event.iteration = hir_evaluator_get_iteration (evaluator);
  if (evaluator->options.recorder == NULL && model == NULL)
    return NULL;
  bytes = count_bytes (post);
  keys = g_string_chunk_new (256);
  meetings = dup_meetings (post, evaluator->options.rank, bytes, keys);
  if (evaluator->options.recorder != NULL)
    {
      begin_task (evaluator, task, HIR_EVENT_COMMUNICATION);
      task->event.track = track;
      task->event.bytes = bytes;
      for (guint i = 0; i < meetings->len; i++)
        record_communication (evaluator, post, i, &g_array_index (meetings, HirModelMeeting, i),
                              task->event.correlation);
    }
  /* Channels have separate numbers, above those of streams. */
  if (model != NULL)
    mark =
        hir_model_log_post (model, evaluator->current, 128 + stream,
                            (const HirModelMeeting *) meetings->data, meetings->len, &task->event);
  g_string_chunk_free (keys);
  return mark;
}

HirStreamSlot *
hir_evaluator_get_current_slot (HirEvaluator *evaluator)
{
  return g_ptr_array_index (evaluator->slots, evaluator->current);
}
