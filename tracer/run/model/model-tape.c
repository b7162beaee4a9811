/* Replay of logs of the modelled clock. */
#include "run/model/model-tape.h"

#include "run/model/model-log-private.h"

struct _HirModelTape
{
  GQueue entries; /* HirModelEntry* */
};

HirModelTape *
hir_model_tape_take (HirModelLog *log)
{
  HirModelTape *tape = g_new0 (HirModelTape, 1);

  g_return_val_if_fail (log->group->is_deferred, tape);

  g_mutex_lock (&log->group->lock);
  tape->entries = log->entries;
  g_queue_init (&log->entries);
  g_mutex_unlock (&log->group->lock);
  return tape;
}

void
hir_model_tape_free (HirModelTape *tape)
{
  g_queue_clear_full (&tape->entries, hir_model_entry_free);
  g_free (tape);
}

/* Sets @kind to that of @entry. Returns FALSE if it is no step. */
static gboolean
get_step_kind (const HirModelEntry *entry, HirModelStepKind *kind)
{
  static const HirModelStepKind kinds[] = {
    [HIR_MODEL_ENTRY_ISSUE] = HIR_MODEL_STEP_ISSUE,
    [HIR_MODEL_ENTRY_ISSUED] = HIR_MODEL_STEP_ISSUED,
    [HIR_MODEL_ENTRY_RUN] = HIR_MODEL_STEP_RUN,
    [HIR_MODEL_ENTRY_RECORD] = HIR_MODEL_STEP_RECORD,
    [HIR_MODEL_ENTRY_WAIT] = HIR_MODEL_STEP_WAIT,
    [HIR_MODEL_ENTRY_POST] = HIR_MODEL_STEP_POST,
  };

  if (entry->kind >= G_N_ELEMENTS (kinds))
    return FALSE;
  *kind = kinds[entry->kind];
  return TRUE;
}

static GArray *
dup_meetings (const HirModelEntry *entry)
{
  GArray *meetings = g_array_new (FALSE, FALSE, sizeof (HirModelMeeting));

  for (guint i = 0; entry->wanted != NULL && i < entry->wanted->len; i++)
    {
      const HirModelWanted *wanted = &g_array_index (entry->wanted, HirModelWanted, i);
      HirModelMeeting meeting = { wanted->key, wanted->side, wanted->n, wanted->bytes };

      g_array_append_val (meetings, meeting);
    }
  return meetings;
}

void
hir_model_tape_foreach (const HirModelTape *tape, HirModelStepFunc func, gpointer user_data)
{
  for (GList *link = tape->entries.head; link != NULL; link = link->next)
    {
      const HirModelEntry *entry = link->data;
      g_autoptr (GArray) meetings = dup_meetings (entry);
      HirModelStep step = { .stream = entry->stream,
                            .channel = entry->channel,
                            .launches = entry->launches,
                            .instruction = entry->instruction,
                            .event = entry->has_event ? &entry->event : NULL,
                            .mark = entry->mark,
                            .meetings = (const HirModelMeeting *) meetings->data,
                            .n_meetings = meetings->len };

      if (get_step_kind (entry, &step.kind))
        func (&step, user_data);
    }
}

/* State of copying one tape to a log. */
typedef struct
{
  HirModelLog *log;
  GHashTable *marks; /* HirModelMark of the tape -> of the log */
  guint number;      /* of the tape */
  guint n_waits;
  HirModelLeave leave;
  gpointer user_data;
} Head;

static HirModelMark *
ref_mark (Head *head, HirModelMark *mark)
{
  HirModelMark *own = g_hash_table_lookup (head->marks, mark);

  if (own == NULL)
    {
      own = hir_model_mark_new ();
      g_hash_table_insert (head->marks, mark, own);
    }
  return hir_model_mark_ref (own);
}

static void
post (Head *head, const HirModelEntry *entry)
{
  g_autoptr (GArray) meetings = dup_meetings (entry);

  g_hash_table_replace (head->marks, entry->mark,
                        hir_model_log_post (head->log, entry->stream, entry->channel,
                                            (const HirModelMeeting *) meetings->data, meetings->len,
                                            NULL));
}

static void
copy (Head *head, const HirModelEntry *entry)
{
  HirModelEntry own = *entry;

  if (entry->kind == HIR_MODEL_ENTRY_POST)
    {
      post (head, entry);
      return;
    }
  own.mark = entry->mark != NULL ? ref_mark (head, entry->mark) : NULL;
  hir_model_log_push (head->log, &own, NULL);
}

/* Returns the end of the entries of the instruction issued at @link. Counts its waits and finds out
 * if it starts work. */
static GList *
find_end (GList *link, guint *n_waits, gboolean *works)
{
  *n_waits = 0;
  *works = FALSE;
  for (link = link->next; link != NULL; link = link->next)
    {
      HirModelEntryKind kind = ((HirModelEntry *) link->data)->kind;

      if (kind == HIR_MODEL_ENTRY_ISSUE || kind == HIR_MODEL_ENTRY_SYNCHRONIZE ||
          kind == HIR_MODEL_ENTRY_COUNT_BEGIN || kind == HIR_MODEL_ENTRY_COUNT_END)
        break;
      *n_waits += kind == HIR_MODEL_ENTRY_WAIT;
      *works |= kind == HIR_MODEL_ENTRY_RUN || kind == HIR_MODEL_ENTRY_POST;
    }
  return link;
}

static gboolean
is_detached (Head *head, const HirModelEntry *entry, guint n_waits, gboolean works)
{
  return head->leave != NULL && !works && n_waits <= 1 &&
         head->leave (head->number, entry->instruction,
                      n_waits == 1 ? head->n_waits : HIR_MODEL_NO_WAIT, head->user_data);
}

static void
run_tape (Head *head, const HirModelTape *tape)
{
  for (GList *link = tape->entries.head; link != NULL;)
    {
      const HirModelEntry *entry = link->data;
      guint n_waits = 0;
      gboolean works = FALSE;
      GList *end =
          entry->kind == HIR_MODEL_ENTRY_ISSUE ? find_end (link, &n_waits, &works) : link->next;

      if (entry->kind == HIR_MODEL_ENTRY_ISSUE && is_detached (head, entry, n_waits, works))
        link = end;
      for (; link != end; link = link->next)
        copy (head, link->data);
      head->n_waits += n_waits;
    }
}

static int
compare_spans (gconstpointer a, gconstpointer b)
{
  const HirModelSpan *x = a, *y = b;

  return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* Returns the time with two or more of @spans running. A span that starts before the latest end so
 * far overlaps until this end or its own, except for time that was counted already. */
static gint64
get_overlap (GArray *spans)
{
  gint64 busy_to_ns = G_MININT64, shared_to_ns = G_MININT64, overlap_ns = 0;

  g_array_sort (spans, compare_spans);
  for (guint i = 0; i < spans->len; i++)
    {
      const HirModelSpan *span = &g_array_index (spans, HirModelSpan, i);
      gint64 from_ns = MAX (span->start_ns, shared_to_ns), to_ns = MIN (span->end_ns, busy_to_ns);

      if (to_ns > from_ns)
        {
          overlap_ns += to_ns - from_ns;
          shared_to_ns = to_ns;
        }
      busy_to_ns = MAX (busy_to_ns, span->end_ns);
    }
  return overlap_ns;
}

gboolean
hir_model_tapes_play (HirModelTape *const *tapes,
                      guint n,
                      HirModelLeave leave,
                      gpointer user_data,
                      HirModelTimes *times)
{
  HirModelGroup *group = hir_model_group_new ();
  g_autofree HirModel **models = g_new (HirModel *, n);
  g_autofree HirModelLog **logs = g_new (HirModelLog *, n);
  gboolean is_timed = TRUE;

  *times = (HirModelTimes){ 0 };
  for (guint i = 0; i < n; i++)
    {
      Head head = { .number = i, .leave = leave, .user_data = user_data };

      models[i] = hir_model_new ();
      logs[i] = hir_model_log_new (models[i], NULL, group);
      logs[i]->spans = g_array_new (FALSE, FALSE, sizeof (HirModelSpan));
      head.log = logs[i];
      head.marks = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) hir_model_mark_unref);
      run_tape (&head, tapes[i]);
      g_hash_table_unref (head.marks);
    }
  if (n > 0)
    hir_model_log_resolve (logs[0]);
  for (guint i = 0; i < n; i++)
    {
      is_timed = is_timed && hir_model_log_is_resolved (logs[i]);
      times->total_ns = MAX (times->total_ns, hir_model_get_host_ns (models[i]));
      times->overlap_ns += get_overlap (logs[i]->spans);
    }
  if (n > 0)
    times->overlap_ns /= n;
  for (guint i = 0; i < n; i++)
    {
      hir_model_log_free (logs[i]);
      hir_model_free (models[i]);
    }
  hir_model_group_free (group);
  return is_timed;
}
