/* Stores payloads by reference, and rebuilds the trace by a timer. */
#include "job/growing-trace.h"

#include "diagnostic.h"
#include "run/session/control.h"
#include "trace/baseline.h"

/* A trace is rebuilt at most this often, and only if the number of events has grown by this
 * factor or no event arrives for an interval: each rebuild processes all events. */
#define INTERVAL_MS 250
#define GROWTH 1.25
#define MAX_TRACKS 65535 /* the limit of HirEvent.track */

enum
{
  EVENTS,
  MEETINGS,
  EDGES,
  VALUES,
  N_PAYLOADS,
};

/* Everything that was received. Events stay in their payloads, so that a copy for a worker only
 * takes references. */
typedef struct
{
  GArray *tracks;                  /* HirTrack, names owned */
  GPtrArray *strings;              /* GRefString */
  GPtrArray *payloads[N_PAYLOADS]; /* GVariant*, by type of frame */
  gsize n_events;
  GHashTable *meta; /* char* -> char* */
  gboolean is_last;
} Content;

struct _HirGrowingTrace
{
  HirGrowingTraceFunc func;
  gpointer user_data;
  GMainContext *context;
  Content content;
  GCancellable *cancellable; /* cancelled when the object is freed */
  HirTrace *latest;          /* nullable */
  gboolean is_building;
  gboolean has_ended;
  gsize n_built;  /* events of the last trace */
  gsize n_ticked; /* events at the last tick */
  GSource *timer; /* nullable */
};

static void
clear_track (gpointer data)
{
  g_free (((HirTrack *) data)->name);
}

static void
content_init (Content *content)
{
  content->tracks = g_array_new (FALSE, FALSE, sizeof (HirTrack));
  g_array_set_clear_func (content->tracks, clear_track);
  content->strings = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ref_string_release);
  for (guint k = 0; k < N_PAYLOADS; k++)
    content->payloads[k] = g_ptr_array_new_with_free_func ((GDestroyNotify) g_variant_unref);
  content->meta = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
}

static void
content_clear (Content *content)
{
  g_array_unref (content->tracks);
  g_ptr_array_unref (content->strings);
  for (guint k = 0; k < N_PAYLOADS; k++)
    g_ptr_array_unref (content->payloads[k]);
  g_hash_table_unref (content->meta);
}

static Content *
content_dup (const Content *from)
{
  Content *copy = g_new0 (Content, 1);
  GHashTableIter iter;
  gpointer key, value;

  content_init (copy);
  for (guint i = 0; i < from->tracks->len; i++)
    {
      HirTrack track = g_array_index (from->tracks, HirTrack, i);

      track.name = g_strdup (track.name);
      g_array_append_val (copy->tracks, track);
    }
  for (guint i = 0; i < from->strings->len; i++)
    g_ptr_array_add (copy->strings, g_ref_string_acquire (from->strings->pdata[i]));
  for (guint k = 0; k < N_PAYLOADS; k++)
    for (guint i = 0; i < from->payloads[k]->len; i++)
      g_ptr_array_add (copy->payloads[k], g_variant_ref (from->payloads[k]->pdata[i]));
  g_hash_table_iter_init (&iter, from->meta);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_hash_table_insert (copy->meta, g_strdup (key), g_strdup (value));
  copy->n_events = from->n_events;
  copy->is_last = from->is_last;
  return copy;
}

static void
content_free (Content *content)
{
  content_clear (content);
  g_free (content);
}

HirGrowingTrace *
hir_growing_trace_new (HirGrowingTraceFunc func, gpointer user_data)
{
  HirGrowingTrace *self = g_new0 (HirGrowingTrace, 1);

  self->func = func;
  self->user_data = user_data;
  self->context = g_main_context_ref_thread_default ();
  self->cancellable = g_cancellable_new ();
  content_init (&self->content);
  return self;
}

static void
stop_timer (HirGrowingTrace *self)
{
  if (self->timer == NULL)
    return;
  g_source_destroy (self->timer);
  g_clear_pointer (&self->timer, g_source_unref);
}

void
hir_growing_trace_free (HirGrowingTrace *self)
{
  if (self == NULL)
    return;

  g_cancellable_cancel (self->cancellable);
  stop_timer (self);
  g_object_unref (self->cancellable);
  g_clear_pointer (&self->latest, hir_trace_unref);
  content_clear (&self->content);
  g_main_context_unref (self->context);
  g_free (self);
}

/* Adds events to the builder, which numbers strings itself. An unknown string gets a number that is
 * invalid for the builder too, so that it counts the event as broken. */
static gboolean
add_chunk (HirTraceBuilder *builder,
           GVariant *chunk,
           const guint32 *strings,
           guint n_strings,
           GError **error)
{
  const HirEvent *events;
  gsize n;

  if (!hir_control_get_events (chunk, &events, &n, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      HirEvent event = events[i];

      event.name = event.name < n_strings ? strings[event.name] : G_MAXUINT32;
      if (event.phase == HIR_PHASE_BASELINE)
        hir_trace_builder_add_sample (builder, &event);
      else if (!hir_trace_builder_add (builder, &event, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
add_meetings (HirTraceBuilder *builder,
              GVariant *payload,
              const guint32 *strings,
              guint n_strings,
              GError **error)
{
  const HirCommRecord *meetings;
  gsize n;

  if (!hir_control_get_comm_records (payload, &meetings, &n, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      HirCommRecord record = meetings[i];

      record.key = record.key < n_strings ? strings[record.key] : 0;
      record.op = record.op < n_strings ? strings[record.op] : 0;
      hir_trace_builder_add_comm_record (builder, &record);
    }
  return TRUE;
}

/* Adds edges. Track numbers are the same in the builder. */
static gboolean
add_edges (HirTraceBuilder *builder, GVariant *payload, GError **error)
{
  const HirEdge *edges;
  gsize n;

  if (!hir_control_get_edges (payload, &edges, &n, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    hir_trace_builder_add_edge (builder, &edges[i]);
  return TRUE;
}

static void
add_value (HirTraceBuilder *builder, GVariant *payload)
{
  g_autoptr (GVariant) data = NULL;
  g_autoptr (GBytes) bytes = NULL;
  guint64 tensor_id;
  gint32 rank;

  g_variant_get (payload, "(ti@ay)", &tensor_id, &rank, &data);
  bytes = g_variant_get_data_as_bytes (data);
  hir_trace_builder_add_value (builder, tensor_id, rank, bytes);
}

static void
build_in_thread (GTask *task, gpointer source_object, gpointer task_data, GCancellable *cancellable)
{
  const Content *content = task_data;
  HirTraceBuilder *builder = hir_trace_builder_new ();
  g_autofree guint32 *strings = g_new0 (guint32, content->strings->len + 1);
  GError *error = NULL;
  HirTrace *trace = NULL;
  GHashTableIter iter;
  gpointer key, value;

  for (guint i = 0; i < content->tracks->len; i++)
    hir_trace_builder_add_track (builder, &g_array_index (content->tracks, HirTrack, i));
  for (guint i = 0; i < content->strings->len; i++)
    strings[i] = hir_trace_builder_intern (builder, content->strings->pdata[i]);
  g_hash_table_iter_init (&iter, content->meta);
  while (g_hash_table_iter_next (&iter, &key, &value))
    hir_trace_builder_set_meta (builder, key, value);
  for (guint i = 0; i < content->payloads[EVENTS]->len && error == NULL; i++)
    {
      if (g_cancellable_set_error_if_cancelled (cancellable, &error) ||
          !add_chunk (builder, content->payloads[EVENTS]->pdata[i], strings, content->strings->len,
                      &error))
        break;
    }
  for (guint i = 0; i < content->payloads[MEETINGS]->len && error == NULL; i++)
    add_meetings (builder, content->payloads[MEETINGS]->pdata[i], strings, content->strings->len,
                  &error);
  for (guint i = 0; i < content->payloads[EDGES]->len && error == NULL; i++)
    add_edges (builder, content->payloads[EDGES]->pdata[i], &error);
  for (guint i = 0; i < content->payloads[VALUES]->len && error == NULL; i++)
    add_value (builder, content->payloads[VALUES]->pdata[i]);
  if (error == NULL)
    trace = hir_trace_builder_try_finish (builder, &error);
  else
    hir_trace_builder_free (builder);
  if (trace != NULL)
    g_task_return_pointer (task, trace, (GDestroyNotify) hir_trace_unref);
  else
    g_task_return_error (task, error);
}

static void build (HirGrowingTrace *self);

static void
on_built (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HirTrace) trace = NULL;
  HirGrowingTrace *self;
  gboolean is_last = ((Content *) g_task_get_task_data (G_TASK (result)))->is_last;

  /* If cancelled, user_data is dangling. */
  if (g_cancellable_is_cancelled (g_task_get_cancellable (G_TASK (result))))
    return;

  self = user_data;
  self->is_building = FALSE;
  trace = g_task_propagate_pointer (G_TASK (result), &error);
  if (trace == NULL && self->latest != NULL)
    trace = hir_trace_ref (self->latest);
  g_clear_pointer (&self->latest, hir_trace_unref);
  self->latest = trace != NULL ? hir_trace_ref (trace) : NULL;
  if (self->has_ended && !is_last)
    build (self);
  /* If memory is short, a later rebuild may succeed; only the last call reports the error. The
   * callback may free self. */
  if (is_last || error == NULL)
    self->func (trace, is_last, error, self->user_data);
}

static void
build (HirGrowingTrace *self)
{
  g_autoptr (GTask) task = g_task_new (NULL, self->cancellable, on_built, self);

  self->is_building = TRUE;
  self->n_built = self->content.n_events;
  self->content.is_last = self->has_ended;
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, content_dup (&self->content), (GDestroyNotify) content_free);
  g_task_run_in_thread (task, build_in_thread);
}

/* Runs as long as some events are not in the last trace. */
static gboolean
on_tick (gpointer user_data)
{
  HirGrowingTrace *self = user_data;
  gsize n = self->content.n_events;
  gboolean has_grown = n > (gsize) ((double) self->n_built * GROWTH);
  gboolean is_quiet = n == self->n_ticked;

  self->n_ticked = n;
  if (!self->is_building && n > self->n_built && (has_grown || is_quiet))
    build (self);
  if (n > self->n_built)
    return G_SOURCE_CONTINUE;
  g_clear_pointer (&self->timer, g_source_unref);
  return G_SOURCE_REMOVE;
}

static void
start_timer (HirGrowingTrace *self)
{
  if (self->timer != NULL)
    return;
  self->timer = g_timeout_source_new (INTERVAL_MS);
  g_source_set_callback (self->timer, on_tick, self, NULL);
  g_source_attach (self->timer, self->context);
}

void
hir_growing_trace_set_meta (HirGrowingTrace *self, const char *key, const char *value)
{
  g_hash_table_replace (self->content.meta, g_strdup (key), g_strdup (value));
}

static gboolean
set_broken (GError **error, const char *what, guint index)
{
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "the control stream is malformed: %s %u", what,
                 index);
  return FALSE;
}

gboolean
hir_growing_trace_add_track (HirGrowingTrace *self, GVariant *payload, GError **error)
{
  HirTrack track = { 0 };
  guint32 index;
  gint32 kind;
  const char *name;

  g_variant_get (payload, "(uiiix&s)", &index, &kind, &track.rank, &track.device, &track.stream,
                 &name);
  if (index != self->content.tracks->len || index >= MAX_TRACKS || kind < HIR_TRACK_STREAM ||
      kind >= HIR_N_TRACK_KINDS)
    return set_broken (error, "track", index);
  track.kind = (HirTrackKind) kind;
  track.name = g_strdup (name);
  g_array_append_val (self->content.tracks, track);
  return TRUE;
}

gboolean
hir_growing_trace_add_string (HirGrowingTrace *self, GVariant *payload, GError **error)
{
  guint32 index;
  const char *text;

  g_variant_get (payload, "(u&s)", &index, &text);
  if (index != self->content.strings->len)
    return set_broken (error, "string", index);
  g_ptr_array_add (self->content.strings, g_ref_string_new (text));
  return TRUE;
}

gboolean
hir_growing_trace_add_events (HirGrowingTrace *self, GVariant *payload, GError **error)
{
  const HirEvent *events;
  gsize n;

  if (!hir_control_get_events (payload, &events, &n, error))
    return FALSE;
  if (n == 0)
    return TRUE;
  g_ptr_array_add (self->content.payloads[EVENTS], g_variant_ref (payload));
  self->content.n_events += n;
  start_timer (self);
  return TRUE;
}

gboolean
hir_growing_trace_add_comm_records (HirGrowingTrace *self, GVariant *payload, GError **error)
{
  const HirCommRecord *meetings;
  gsize n;

  if (!hir_control_get_comm_records (payload, &meetings, &n, error))
    return FALSE;
  if (n > 0)
    g_ptr_array_add (self->content.payloads[MEETINGS], g_variant_ref (payload));
  return TRUE;
}

gboolean
hir_growing_trace_add_edges (HirGrowingTrace *self, GVariant *payload, GError **error)
{
  const HirEdge *edges;
  gsize n;

  if (!hir_control_get_edges (payload, &edges, &n, error))
    return FALSE;
  if (n > 0)
    g_ptr_array_add (self->content.payloads[EDGES], g_variant_ref (payload));
  return TRUE;
}

void
hir_growing_trace_add_value (HirGrowingTrace *self, GVariant *payload)
{
  if (self->content.payloads[VALUES]->len < HIR_TRACE_MAX_VALUES)
    g_ptr_array_add (self->content.payloads[VALUES], g_variant_ref (payload));
}

void
hir_growing_trace_end (HirGrowingTrace *self)
{
  if (self->has_ended)
    return;
  self->has_ended = TRUE;
  stop_timer (self);
  if (!self->is_building)
    build (self);
}
