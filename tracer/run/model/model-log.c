/* Logs of the modelled clock, and the computation of their times. */
#include "run/model/model-log-private.h"

HirModelGroup *
hir_model_group_new (void)
{
  HirModelGroup *group = g_new0 (HirModelGroup, 1);

  g_mutex_init (&group->lock);
  group->logs = g_ptr_array_new ();
  group->meetings = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return group;
}

HirModelGroup *
hir_model_group_new_deferred (void)
{
  HirModelGroup *group = hir_model_group_new ();

  group->is_deferred = TRUE;
  return group;
}

void
hir_model_group_free (HirModelGroup *group)
{
  g_assert (group->logs->len == 0);
  g_ptr_array_unref (group->logs);
  g_hash_table_unref (group->meetings);
  g_mutex_clear (&group->lock);
  g_free (group);
}

HirModelMark *
hir_model_mark_ref (HirModelMark *mark)
{
  g_atomic_ref_count_inc (&mark->ref_count);
  return mark;
}

void
hir_model_mark_unref (HirModelMark *mark)
{
  if (g_atomic_ref_count_dec (&mark->ref_count))
    g_free (mark);
}

HirModelMark *
hir_model_mark_new (void)
{
  HirModelMark *mark = g_new0 (HirModelMark, 1);

  g_atomic_ref_count_init (&mark->ref_count);
  return mark;
}

void
hir_model_entry_free (gpointer data)
{
  HirModelEntry *entry = data;

  g_clear_pointer (&entry->mark, hir_model_mark_unref);
  g_clear_pointer (&entry->meetings, g_ptr_array_unref);
  g_clear_pointer (&entry->wanted, g_array_unref);
  g_free (entry);
}

HirModelLog *
hir_model_log_new (HirModel *model, HirRecorder *recorder, HirModelGroup *group)
{
  HirModelLog *log = g_new0 (HirModelLog, 1);

  log->model = model;
  log->recorder = recorder;
  log->group = group;
  g_queue_init (&log->entries);
  g_queue_init (&log->posted);
  log->n_posted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_mutex_lock (&group->lock);
  g_ptr_array_add (group->logs, log);
  g_mutex_unlock (&group->lock);
  return log;
}

void
hir_model_log_free (HirModelLog *log)
{
  g_mutex_lock (&log->group->lock);
  g_ptr_array_remove_fast (log->group->logs, log);
  g_mutex_unlock (&log->group->lock);
  g_queue_clear_full (&log->entries, hir_model_entry_free);
  g_queue_clear_full (&log->posted, hir_model_entry_free);
  g_hash_table_unref (log->n_posted);
  g_clear_pointer (&log->spans, g_array_unref);
  g_free (log);
}

void
hir_model_log_push (HirModelLog *log, const HirModelEntry *entry, const HirEvent *event)
{
  HirModelEntry *copy = g_memdup2 (entry, sizeof *entry);

  copy->has_event = event != NULL && log->recorder != NULL;
  if (copy->has_event)
    copy->event = *event;
  g_mutex_lock (&log->group->lock);
  g_queue_push_tail (&log->entries, copy);
  g_mutex_unlock (&log->group->lock);
}

void
hir_model_log_issue (HirModelLog *log, guint64 instruction, gboolean launches)
{
  hir_model_log_push (log,
                      &(HirModelEntry){ .kind = HIR_MODEL_ENTRY_ISSUE,
                                        .instruction = instruction,
                                        .launches = launches },
                      NULL);
}

void
hir_model_log_issued (HirModelLog *log, const HirEvent *event)
{
  hir_model_log_push (log, &(HirModelEntry){ .kind = HIR_MODEL_ENTRY_ISSUED }, event);
}

void
hir_model_log_run (
    HirModelLog *log, guint stream, gint64 bytes, gint64 flops, const HirEvent *event)
{
  hir_model_log_push (log,
                      &(HirModelEntry){ .kind = HIR_MODEL_ENTRY_RUN,
                                        .stream = stream,
                                        .bytes = bytes,
                                        .flops = flops },
                      event);
}

HirModelMark *
hir_model_log_record (HirModelLog *log, guint stream)
{
  HirModelMark *mark = hir_model_mark_new ();

  hir_model_log_push (log,
                      &(HirModelEntry){ .kind = HIR_MODEL_ENTRY_RECORD,
                                        .stream = stream,
                                        .mark = hir_model_mark_ref (mark) },
                      NULL);
  return mark;
}

void
hir_model_log_wait (HirModelLog *log, guint stream, HirModelMark *mark, const HirEvent *event)
{
  hir_model_log_push (log,
                      &(HirModelEntry){ .kind = HIR_MODEL_ENTRY_WAIT,
                                        .stream = stream,
                                        .mark = hir_model_mark_ref (mark) },
                      event);
}

void
hir_model_log_synchronize (HirModelLog *log)
{
  hir_model_log_push (log, &(HirModelEntry){ .kind = HIR_MODEL_ENTRY_SYNCHRONIZE }, NULL);
}

void
hir_model_log_begin_count (HirModelLog *log)
{
  hir_model_log_push (log, &(HirModelEntry){ .kind = HIR_MODEL_ENTRY_COUNT_BEGIN }, NULL);
}

void
hir_model_log_end_count (HirModelLog *log)
{
  hir_model_log_push (log, &(HirModelEntry){ .kind = HIR_MODEL_ENTRY_COUNT_END }, NULL);
}

gint64
hir_model_log_get_counted_ns (HirModelLog *log)
{
  gint64 counted_ns;

  g_mutex_lock (&log->group->lock);
  counted_ns = log->counted_ns;
  g_mutex_unlock (&log->group->lock);
  return counted_ns;
}

static void
clear_wanted (gpointer data)
{
  g_free (((HirModelWanted *) data)->key);
}

static GArray *
copy_wanted (const HirModelMeeting *meetings, guint n)
{
  GArray *wanted = g_array_new (FALSE, FALSE, sizeof (HirModelWanted));

  g_array_set_clear_func (wanted, clear_wanted);
  for (guint i = 0; i < n; i++)
    {
      HirModelWanted one = { g_strdup (meetings[i].key), meetings[i].side, meetings[i].n,
                             meetings[i].bytes };
      g_array_append_val (wanted, one);
    }
  return wanted;
}

/* Returns the rendezvous of this post in the group, and counts the post. */
static HirModelRendezvous *
enter_rendezvous (HirModelLog *log, const HirModelMeeting *wanted)
{
  char *side = g_strdup_printf ("%s/%c", wanted->key, wanted->side);
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (log->n_posted, side));
  char *key = g_strdup_printf ("%s#%u", wanted->key, number);
  HirModelRendezvous *meeting;

  g_hash_table_replace (log->n_posted, side, GUINT_TO_POINTER (number + 1));
  g_mutex_lock (&log->group->lock);
  meeting = g_hash_table_lookup (log->group->meetings, key);
  if (meeting == NULL)
    {
      meeting = g_new0 (HirModelRendezvous, 1);
      meeting->n = wanted->n;
      g_hash_table_insert (log->group->meetings, key, meeting);
    }
  else
    g_free (key);
  meeting->bytes = MAX (meeting->bytes, wanted->bytes);
  g_mutex_unlock (&log->group->lock);
  return meeting;
}

HirModelMark *
hir_model_log_post (HirModelLog *log,
                    guint stream,
                    guint channel,
                    const HirModelMeeting *meetings,
                    guint n_meetings,
                    const HirEvent *event)
{
  HirModelMark *mark = hir_model_mark_new ();
  HirModelEntry entry = { .kind = HIR_MODEL_ENTRY_POST,
                          .stream = stream,
                          .channel = channel,
                          .mark = hir_model_mark_ref (mark),
                          .meetings = g_ptr_array_new () };

  if (log->group->is_deferred)
    entry.wanted = copy_wanted (meetings, n_meetings);
  for (guint i = 0; !log->group->is_deferred && i < n_meetings; i++)
    g_ptr_array_add (entry.meetings, enter_rendezvous (log, &meetings[i]));
  hir_model_log_push (log, &entry, event);
  return mark;
}

static void
record (HirModelLog *log, HirModelEntry *entry, gint64 start_ns, gint64 end_ns)
{
  if (!entry->has_event)
    return;
  entry->event.start_ns = start_ns;
  entry->event.end_ns = end_ns;
  hir_recorder_add (log->recorder, &entry->event);
}

static void
record_work (HirModelLog *log, HirModelEntry *entry, gint64 start_ns, gint64 end_ns)
{
  HirModelSpan span = { start_ns, end_ns };

  if (log->spans != NULL)
    g_array_append_val (log->spans, span);
  record (log, entry, start_ns, end_ns);
}

static gboolean
is_channel_free (HirModelLog *log, guint channel)
{
  for (GList *link = log->posted.head; link != NULL; link = link->next)
    if (((HirModelEntry *) link->data)->channel == channel)
      return FALSE;
  return TRUE;
}

/* Computes the times of @entry, the next of the log. Returns FALSE if it depends on unknown times.
 */
static gboolean
resolve_entry (HirModelLog *log, HirModelEntry *entry)
{
  HirModel *model = log->model;
  gint64 start_ns, end_ns;

  switch (entry->kind)
    {
    case HIR_MODEL_ENTRY_ISSUE:
      hir_model_issue (model, entry->launches, &log->issue_start_ns, &log->issue_end_ns);
      return TRUE;
    case HIR_MODEL_ENTRY_ISSUED:
      record (log, entry, log->issue_start_ns, log->issue_end_ns);
      return TRUE;
    case HIR_MODEL_ENTRY_RUN:
      hir_model_run (model, entry->stream, entry->bytes, entry->flops, &start_ns, &end_ns);
      record_work (log, entry, start_ns, end_ns);
      return TRUE;
    case HIR_MODEL_ENTRY_RECORD:
      entry->mark->time_ns = hir_model_record (model, entry->stream);
      entry->mark->known = TRUE;
      return TRUE;
    case HIR_MODEL_ENTRY_WAIT:
      if (!entry->mark->known)
        return FALSE;
      if (hir_model_wait (model, entry->stream, entry->mark->time_ns, &start_ns, &end_ns))
        record (log, entry, start_ns, end_ns);
      return TRUE;
    case HIR_MODEL_ENTRY_POST:
      if (!is_channel_free (log, entry->channel))
        return FALSE;
      entry->start_ns = hir_model_begin_transfer (model, entry->stream, entry->channel);
      for (guint i = 0; i < entry->meetings->len; i++)
        {
          HirModelRendezvous *meeting = g_ptr_array_index (entry->meetings, i);
          meeting->n_arrived++;
          meeting->start_ns = MAX (meeting->start_ns, entry->start_ns);
        }
      return TRUE;
    case HIR_MODEL_ENTRY_SYNCHRONIZE:
      if (log->posted.length > 0)
        return FALSE;
      hir_model_synchronize (model);
      return TRUE;
    case HIR_MODEL_ENTRY_COUNT_BEGIN:
      log->count_start_ns = hir_model_get_host_ns (model);
      return TRUE;
    case HIR_MODEL_ENTRY_COUNT_END:
      log->counted_ns += hir_model_get_host_ns (model) - log->count_start_ns;
      return TRUE;
    }
  return TRUE;
}

/* Returns TRUE and the end if all participants have started. */
static gboolean
get_end (HirModelLog *log, const HirModelEntry *entry, gint64 *end_ns)
{
  *end_ns = entry->start_ns;
  for (guint i = 0; i < entry->meetings->len; i++)
    {
      const HirModelRendezvous *meeting = g_ptr_array_index (entry->meetings, i);

      if (meeting->n_arrived < meeting->n)
        return FALSE;
      *end_ns =
          MAX (*end_ns, meeting->start_ns + hir_model_get_transfer_ns (log->model, meeting->bytes));
    }
  return TRUE;
}

static gboolean
resolve_posted (HirModelLog *log)
{
  gboolean any = FALSE;
  gint64 end_ns;

  for (GList *link = log->posted.head, *next; link != NULL; link = next)
    {
      HirModelEntry *entry = link->data;

      next = link->next;
      if (!get_end (log, entry, &end_ns))
        continue;
      hir_model_end_transfer (log->model, entry->channel, end_ns);
      entry->mark->time_ns = end_ns;
      entry->mark->known = TRUE;
      record_work (log, entry, entry->start_ns, end_ns);
      hir_model_entry_free (entry);
      g_queue_delete_link (&log->posted, link);
      any = TRUE;
    }
  return any;
}

static gboolean
resolve_log (HirModelLog *log)
{
  gboolean any = resolve_posted (log);

  while (log->entries.length > 0)
    {
      HirModelEntry *entry = g_queue_peek_head (&log->entries);

      if (!resolve_entry (log, entry))
        return any;
      g_queue_pop_head (&log->entries);
      if (entry->kind == HIR_MODEL_ENTRY_POST)
        g_queue_push_tail (&log->posted, entry);
      else
        hir_model_entry_free (entry);
      resolve_posted (log);
      any = TRUE;
    }
  return any;
}

void
hir_model_log_resolve (HirModelLog *log)
{
  HirModelGroup *group = log->group;
  gboolean any;

  if (group->is_deferred)
    return;
  g_mutex_lock (&group->lock);
  do
    {
      any = FALSE;
      for (guint i = 0; i < group->logs->len; i++)
        any |= resolve_log (g_ptr_array_index (group->logs, i));
    }
  while (any);
  g_mutex_unlock (&group->lock);
}

gboolean
hir_model_log_is_resolved (HirModelLog *log)
{
  gboolean is_resolved;

  g_mutex_lock (&log->group->lock);
  is_resolved = log->group->is_deferred || (log->entries.length == 0 && log->posted.length == 0);
  g_mutex_unlock (&log->group->lock);
  return is_resolved;
}
