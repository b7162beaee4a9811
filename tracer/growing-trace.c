#include "growing-trace.h"

#include "diagnostic.h"

/* A new picture at most so often, and only when there is that much more to see: each costs all
 * events. */
#define INTERVAL_MS 250
#define GROWTH 1.25

/* All that has come, as a worker needs it. */
typedef struct
{
  GArray *tracks;     /* HirTrack, names owned */
  GPtrArray *strings; /* char* */
  GArray *events;     /* HirEvent */
  GHashTable *meta;   /* char* -> char* */
  gboolean is_last;
} Content;

struct _HirGrowingTrace
{
  HirGrowingTraceFunc func;
  gpointer user_data;
  Content content;
  GCancellable *cancellable; /* cancelled: the object has gone */
  gboolean is_building;
  gboolean has_ended;
  gsize n_built; /* events of the last trace */
  guint timeout;
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
  content->strings = g_ptr_array_new_with_free_func (g_free);
  content->events = g_array_new (FALSE, FALSE, sizeof (HirEvent));
  content->meta = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
}

static void
content_clear (Content *content)
{
  g_array_unref (content->tracks);
  g_ptr_array_unref (content->strings);
  g_array_unref (content->events);
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
    g_ptr_array_add (copy->strings, g_strdup (from->strings->pdata[i]));
  g_array_append_vals (copy->events, from->events->data, from->events->len);
  g_hash_table_iter_init (&iter, from->meta);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_hash_table_insert (copy->meta, g_strdup (key), g_strdup (value));
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
  self->cancellable = g_cancellable_new ();
  content_init (&self->content);
  return self;
}

void
hir_growing_trace_free (HirGrowingTrace *self)
{
  if (self == NULL)
    return;

  g_cancellable_cancel (self->cancellable);
  g_clear_handle_id (&self->timeout, g_source_remove);
  g_object_unref (self->cancellable);
  content_clear (&self->content);
  g_free (self);
}

/* Events with a track or a string that never came are dropped and told of by the builder's account;
 * their strings are mapped here, for a builder numbers its own. */
static void
build_in_thread (GTask *task, gpointer source_object, gpointer task_data, GCancellable *cancellable)
{
  const Content *content = task_data;
  HirTraceBuilder *builder = hir_trace_builder_new ();
  g_autofree guint32 *strings = g_new0 (guint32, content->strings->len + 1);
  GError *error = NULL;
  GHashTableIter iter;
  gpointer key, value;

  for (guint i = 0; i < content->tracks->len; i++)
    hir_trace_builder_add_track (builder, &g_array_index (content->tracks, HirTrack, i));
  for (guint i = 0; i < content->strings->len; i++)
    strings[i] = hir_trace_builder_intern (builder, content->strings->pdata[i]);
  g_hash_table_iter_init (&iter, content->meta);
  while (g_hash_table_iter_next (&iter, &key, &value))
    hir_trace_builder_set_meta (builder, key, value);
  for (guint i = 0; i < content->events->len; i++)
    {
      HirEvent event = g_array_index (content->events, HirEvent, i);

      event.name = event.name < content->strings->len ? strings[event.name] : 0;
      if (!hir_trace_builder_add (builder, &event, &error))
        {
          hir_trace_builder_free (builder);
          g_task_return_error (task, error);
          return;
        }
    }
  g_task_return_pointer (task, hir_trace_builder_finish (builder),
                         (GDestroyNotify) hir_trace_unref);
}

static void build (HirGrowingTrace *self);

static void
on_built (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HirTrace) trace = NULL;
  HirGrowingTrace *self;
  gboolean is_last = ((Content *) g_task_get_task_data (G_TASK (result)))->is_last;

  /* Then user_data points nowhere. */
  if (g_cancellable_is_cancelled (g_task_get_cancellable (G_TASK (result))))
    return;

  self = user_data;
  self->is_building = FALSE;
  trace = g_task_propagate_pointer (G_TASK (result), &error);
  if (trace == NULL)
    {
      /* No memory for more: the last picture is an empty trace that ends the waiting. */
      HirTraceBuilder *builder = hir_trace_builder_new ();

      g_warning ("the trace can't be shown: %s", error->message);
      trace = hir_trace_builder_finish (builder);
    }
  if (self->has_ended && !is_last)
    build (self);
  self->func (trace, is_last, self->user_data);
}

static void
build (HirGrowingTrace *self)
{
  g_autoptr (GTask) task = g_task_new (NULL, self->cancellable, on_built, self);

  self->is_building = TRUE;
  self->n_built = self->content.events->len;
  self->content.is_last = self->has_ended;
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, content_dup (&self->content), (GDestroyNotify) content_free);
  g_task_run_in_thread (task, build_in_thread);
}

static gboolean
on_timeout (gpointer user_data)
{
  HirGrowingTrace *self = user_data;

  self->timeout = 0;
  if (!self->is_building && !self->has_ended &&
      self->content.events->len > (gsize) ((double) self->n_built * GROWTH))
    build (self);
  return G_SOURCE_REMOVE;
}

void
hir_growing_trace_set_meta (HirGrowingTrace *self, const char *key, const char *value)
{
  g_hash_table_replace (self->content.meta, g_strdup (key), g_strdup (value));
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
  if (index != self->content.tracks->len || kind < HIR_TRACK_STREAM || kind > HIR_TRACK_LINK)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "the control stream is broken: track %u", index);
      return FALSE;
    }
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
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "the control stream is broken: string %u",
                     index);
      return FALSE;
    }
  g_ptr_array_add (self->content.strings, g_strdup (text));
  return TRUE;
}

void
hir_growing_trace_add_events (HirGrowingTrace *self, const HirEvent *events, gsize n)
{
  g_array_append_vals (self->content.events, events, (guint) n);
  if (self->timeout == 0)
    self->timeout = g_timeout_add (INTERVAL_MS, on_timeout, self);
}

void
hir_growing_trace_end (HirGrowingTrace *self)
{
  if (self->has_ended)
    return;
  self->has_ended = TRUE;
  g_clear_handle_id (&self->timeout, g_source_remove);
  if (!self->is_building)
    build (self);
}
