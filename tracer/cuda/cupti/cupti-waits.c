#include "cuda/cupti/cupti-waits.h"

#define MAX_ITEMS (4u * 1024 * 1024)

typedef struct
{
  guint32 context, stream, correlation;
  guint32 event_correlation;
  gint64 start_ns, end_ns;
  guint16 track;
} Work;

typedef struct
{
  guint64 sync;      /* CUPTI's number of the record; 0 if unknown */
  gint64 reached_ns; /* time at which the device reached the event; 0 if unknown */
  guint32 context, stream, correlation, event;
} Record;

typedef struct
{
  guint64 sync;
  gint64 asked_ns;
  guint32 context, stream, correlation, event;
  guint16 track;
  gboolean has_launch;
  HirCuptiLaunch launch;
} Wait;

struct _HirCuptiWaits
{
  GArray *works, *records, *waits;
  GHashTable *edges; /* set of HirEdge* that were recorded */
  guint64 n_left_out;
};

HirCuptiWaits *
hir_cupti_waits_new (void)
{
  HirCuptiWaits *self = g_new0 (HirCuptiWaits, 1);

  self->works = g_array_new (FALSE, FALSE, sizeof (Work));
  self->records = g_array_new (FALSE, FALSE, sizeof (Record));
  self->waits = g_array_new (FALSE, FALSE, sizeof (Wait));
  self->edges = g_hash_table_new_full (hir_edge_hash, hir_edge_equal, g_free, NULL);
  return self;
}

void
hir_cupti_waits_free (HirCuptiWaits *self)
{
  g_array_unref (self->works);
  g_array_unref (self->records);
  g_array_unref (self->waits);
  g_hash_table_unref (self->edges);
  g_free (self);
}

static gboolean
has_room (HirCuptiWaits *self, const GArray *array)
{
  if (array->len < MAX_ITEMS)
    return TRUE;
  self->n_left_out++;
  return FALSE;
}

void
hir_cupti_waits_add_work (HirCuptiWaits *self, const HirCuptiRecord *record, const HirEvent *event)
{
  Work work = { record->context, record->stream, record->correlation, event->correlation,
                event->start_ns, event->end_ns,  event->track };

  if (has_room (self, self->works))
    g_array_append_val (self->works, work);
}

void
hir_cupti_waits_add_record (HirCuptiWaits *self, const HirCuptiRecord *from)
{
  Record record = { from->id,     from->start_ns,    from->context,
                    from->stream, from->correlation, from->event };

  if (has_room (self, self->records))
    g_array_append_val (self->records, record);
}

void
hir_cupti_waits_add_wait (HirCuptiWaits *self,
                          const HirCuptiRecord *from,
                          guint16 track,
                          const HirCuptiLaunch *launch)
{
  Wait wait = { .sync = from->id,
                .asked_ns = from->start_ns,
                .context = from->context,
                .stream = from->stream,
                .correlation = from->correlation,
                .event = from->event,
                .track = track,
                .has_launch = launch != NULL };

  if (launch != NULL)
    wait.launch = *launch;
  if (has_room (self, self->waits))
    g_array_append_val (self->waits, wait);
}

#define COMPARE(a, b) ((a) < (b) ? -1 : (a) > (b))

static int
compare_works (gconstpointer a, gconstpointer b)
{
  const Work *x = a, *y = b;
  int order = COMPARE (x->context, y->context);

  if (order == 0)
    order = COMPARE (x->stream, y->stream);
  return order != 0 ? order : COMPARE (x->correlation, y->correlation);
}

/* Orders by event, then by issue, because CUDA's event numbers are not unique. */
static int
compare_records (gconstpointer a, gconstpointer b)
{
  const Record *x = a, *y = b;
  int order = COMPARE (x->context, y->context);

  if (order == 0)
    order = COMPARE (x->event, y->event);
  return order != 0 ? order : COMPARE (x->correlation, y->correlation);
}

/* Returns the index of the first work on the stream that was issued at or after @correlation. */
static guint
find_work (HirCuptiWaits *self, guint32 context, guint32 stream, guint32 correlation)
{
  Work key = { .context = context, .stream = stream, .correlation = correlation };
  guint low = 0, high = self->works->len;

  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (compare_works (&g_array_index (self->works, Work, middle), &key) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static const Work *
get_work (HirCuptiWaits *self, gint64 at, guint32 context, guint32 stream)
{
  const Work *work;

  if (at < 0 || at >= self->works->len)
    return NULL;
  work = &g_array_index (self->works, Work, at);
  return work->context == context && work->stream == stream ? work : NULL;
}

/* Returns the last record of the event that was issued before the wait, or NULL. */
static const Record *
find_record (HirCuptiWaits *self, const Wait *wait)
{
  Record key = { .context = wait->context, .event = wait->event, .correlation = wait->correlation };
  guint low = 0, high = self->records->len;
  const Record *record;

  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (compare_records (&g_array_index (self->records, Record, middle), &key) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  if (low == 0)
    return NULL;
  record = &g_array_index (self->records, Record, low - 1);
  return record->context == wait->context && record->event == wait->event ? record : NULL;
}

/* Returns a table of the records by CUPTI's sync number. */
static GHashTable *
dup_by_sync (HirCuptiWaits *self)
{
  GHashTable *by_sync = g_hash_table_new (g_int64_hash, g_int64_equal);

  for (guint i = 0; i < self->records->len; i++)
    {
      Record *record = &g_array_index (self->records, Record, i);

      if (record->sync != 0)
        g_hash_table_insert (by_sync, &record->sync, record);
    }
  return by_sync;
}

/* Adds an edge once: several waits can lead to the same pair of works. */
static void
add_edge (HirCuptiWaits *self,
          HirRecorder *recorder,
          const Work *from,
          guint16 to_track,
          guint32 to_correlation)
{
  HirEdge edge = { from->event_correlation, to_correlation, from->track, to_track };

  if (edge.from_correlation == 0 || to_correlation == 0 ||
      g_hash_table_contains (self->edges, &edge))
    return;
  g_hash_table_add (self->edges, g_memdup2 (&edge, sizeof edge));
  hir_recorder_add_edge (recorder, &edge);
}

/* Records the wait as an event. Returns FALSE if the wait did not block the stream. */
static gboolean
add_bar (const Wait *wait, gint64 begin_ns, gint64 end_ns, HirRecorder *recorder)
{
  HirEvent event = { .kind = HIR_EVENT_SYNC,
                     .instruction = wait->launch.instruction,
                     .iteration = wait->launch.iteration,
                     .phase = wait->launch.phase,
                     .correlation = wait->launch.correlation,
                     .source = wait->launch.source,
                     .name = wait->launch.name,
                     .track = wait->track,
                     .start_ns = begin_ns,
                     .end_ns = end_ns };

  if (!wait->has_launch || end_ns <= begin_ns)
    return FALSE;
  hir_recorder_add (recorder, &event);
  return TRUE;
}

static void
finish_wait (HirCuptiWaits *self, const Wait *wait, const Record *record, HirRecorder *recorder)
{
  guint at = find_work (self, wait->context, wait->stream, wait->correlation);
  const Work *before = get_work (self, (gint64) at - 1, wait->context, wait->stream);
  const Work *after = get_work (self, at, wait->context, wait->stream);
  guint of = find_work (self, record->context, record->stream, record->correlation);
  const Work *source = get_work (self, (gint64) of - 1, record->context, record->stream);
  gint64 begin_ns = MAX (wait->asked_ns, before != NULL ? before->end_ns : wait->asked_ns);
  gint64 end_ns = record->reached_ns != 0 ? record->reached_ns
                  : source != NULL        ? source->end_ns
                                          : begin_ns;
  gboolean has_bar;

  /* Conversion of the device clock can make the wait overlap the next work by a few ns. */
  if (after != NULL)
    end_ns = MIN (end_ns, after->start_ns);
  has_bar = add_bar (wait, begin_ns, end_ns, recorder);
  if (source == NULL)
    return;
  if (has_bar && wait->launch.correlation != 0)
    add_edge (self, recorder, source, wait->track, wait->launch.correlation);
  else if (after != NULL)
    add_edge (self, recorder, source, after->track, after->event_correlation);
}

void
hir_cupti_waits_finish (HirCuptiWaits *self, HirRecorder *recorder, guint64 *n_left_out)
{
  g_autoptr (GHashTable) by_sync = NULL;

  g_array_sort (self->works, compare_works);
  g_array_sort (self->records, compare_records);
  by_sync = dup_by_sync (self);
  for (guint i = 0; i < self->waits->len; i++)
    {
      const Wait *wait = &g_array_index (self->waits, Wait, i);
      const Record *record = wait->sync != 0 ? g_hash_table_lookup (by_sync, &wait->sync) : NULL;

      if (record == NULL)
        record = find_record (self, wait);
      if (record != NULL)
        finish_wait (self, wait, record, recorder);
    }
  *n_left_out += self->n_left_out;
}
