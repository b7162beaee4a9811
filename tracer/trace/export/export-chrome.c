#include "trace/export/export-chrome.h"
#include "trace/chrome/chrome-places.h"
#include "trace/event-names.h"
#include "trace/event-source.h"
#include "trace/export/export-args.h"
#include "trace/flow.h"
#include "trace/intern.h"
#include "trace/text-out.h"
#include "trace/trace-header.h"
#include "trace/track-ids.h"

#include "diagnostic.h"

#include <string.h>

#define GPU_SORT_INDEX 16777216 /* sorts devices after the host, as Kineto does */
/* Flow ids are unique per file and category, but ranks may use the same correlations. The id
 * combines rank and correlation and fits into a reader's double. If the file has one rank, the id
 * is the correlation: TraceLens finds launches by it. */
#define FLOW_ID_MASK ((G_GUINT64_CONSTANT (1) << 52) - 1)

typedef struct
{
  const HirTrace *trace;
  HirTextOut out;
  HirChromePlace *places; /* one entry per track */
  GArray *ids;            /* HirTrackIds per track */
  HirExportArgs args;     /* of the current event */
  HirIdTable launch_keys; /* rank and correlation, in the order of launches */
  GArray *launches;       /* Launch: issue spans from which flows start */
  gboolean ranks_moved;
  guint64 flow_id_mask;
} Export;

typedef struct
{
  HirChromePlace place;
  gint64 start_ns;
  gboolean is_used; /* the start of the flow was written */
} Launch;

static guint64
launch_key (const HirTrack *track, const HirEvent *event)
{
  return (guint64) (guint32) track->rank << 32 | event->correlation;
}

/* Opens the next object of an array or of the root, on a new line. */
static HirJsonOut *
begin_item (Export *self)
{
  HirJsonOut *json = &self->out.json;

  hir_json_out_break (json);
  hir_json_out_begin (json, NULL, '{');
  return json;
}

static void
add_us (Export *self, const char *key, gint64 ns)
{
  hir_json_out_add_raw (&self->out.json, key, "");
  hir_text_out_add_us (&self->out, ns);
}

/* Opens a metadata event and its args. */
static HirJsonOut *
begin_metadata (Export *self, const char *name, const char *pid, const char *tid)
{
  HirJsonOut *json = begin_item (self);

  hir_json_out_add_string (json, "name", name);
  hir_json_out_add_string (json, "ph", "M");
  hir_json_out_add_raw (json, "ts", "0.000");
  hir_json_out_add_raw (json, "pid", pid);
  hir_json_out_add_raw (json, "tid", tid);
  hir_json_out_begin (json, "args", '{');
  return json;
}

static void
end_item (HirJsonOut *json)
{
  hir_json_out_end (json, '}');
  hir_json_out_end (json, '}');
}

static void
write_metadata (Export *self,
                const HirChromePlace *place,
                gboolean whole_process,
                const char *what,
                const char *key,
                const char *text,
                int number)
{
  HirJsonOut *json = begin_metadata (self, what, place->pid, whole_process ? "0" : place->tid);

  if (text != NULL)
    hir_json_out_add_string (json, key, text);
  else
    hir_json_out_add_int (json, key, number);
  end_item (json);
}

/* Includes what Chrome's format cannot express, so that an import restores the track. */
static void
write_thread_name (Export *self, guint t)
{
  const HirTrack *track = hir_trace_get_track (self->trace, t);
  const HirChromePlace *place = &self->places[t];
  const HirTrackIds *ids = &g_array_index (self->ids, HirTrackIds, t);
  static const char *const kinds[HIR_N_TRACK_KINDS] = { "stream", "host", "link", "counter" };
  HirJsonOut *json = begin_metadata (self, "thread_name", place->pid, place->tid);

  if (ids->thread != NULL)
    hir_json_out_add_raw (json, "name", ids->thread);
  else
    hir_json_out_add_string (json, "name", track->name);
  if (ids->thread != NULL)
    {
      hir_json_out_begin (json, HIR_EVENT_OWN_ARGS, '{');
      hir_json_out_add_string (json, "name", track->name);
      hir_json_out_end (json, '}');
    }
  hir_json_out_add_string (json, "kind", kinds[track->kind]);
  hir_json_out_add_int (json, "rank", track->rank);
  hir_json_out_add_int (json, "device", track->device);
  hir_json_out_add_int (json, "stream", track->stream);
  end_item (json);
}

/* Writes the name that the source gives the process, or @other. */
static void
write_process_name (Export *self, guint t, const char *other)
{
  const HirTrackIds *ids = &g_array_index (self->ids, HirTrackIds, t);
  HirJsonOut *json = begin_metadata (self, "process_name", self->places[t].pid, "0");

  if (ids->process != NULL)
    hir_json_out_add_raw (json, "name", ids->process);
  else
    hir_json_out_add_string (json, "name", other);
  end_item (json);
}

static int
get_number (const char *id)
{
  int number = 0;

  return hir_track_id_to_int (id, &number) ? number % GPU_SORT_INDEX : 0;
}

/* Writes the names and the order of processes and threads. */
static void
write_track_metadata (Export *self, guint t)
{
  const HirTrack *track = hir_trace_get_track (self->trace, t);
  const HirChromePlace *place = &self->places[t];
  gboolean is_host = place->is_host;
  g_autofree char *process =
      is_host ? g_strdup_printf ("host, rank %d", track->rank)
              : g_strdup_printf ("device %d, rank %d", track->device, track->rank);
  /* Devices of the CPU back end are not GPUs. */
  gboolean is_cpu = is_host || g_strcmp0 (hir_trace_get_meta (self->trace, "backend"), "cpu") == 0;
  g_autofree char *label = is_cpu ? g_strdup ("CPU") : g_strdup_printf ("GPU %d", track->device);

  if (place->is_first)
    {
      write_process_name (self, t, process);
      write_metadata (self, place, TRUE, "process_labels", "labels", label, 0);
      write_metadata (self, place, TRUE, "process_sort_index", "sort_index", NULL,
                      is_host ? track->rank : GPU_SORT_INDEX + get_number (place->pid));
    }
  /* A counter is identified by its name and has no thread. */
  if (track->kind == HIR_TRACK_COUNTER)
    return;
  write_thread_name (self, t);
  write_metadata (self, place, FALSE, "thread_sort_index", "sort_index", NULL, (int) t);
}

/* Writes one series of a counter as a separate event. */
static void
write_sample (Export *self, guint t, const HirEvent *event)
{
  const HirTrack *track = hir_trace_get_track (self->trace, t);
  const char *name = hir_trace_get_string (self->trace, event->name);
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  HirJsonOut *json = begin_item (self);

  hir_json_out_add_string (json, "ph", "C");
  hir_json_out_add_string (json, "name", name);
  hir_json_out_add_raw (json, "pid", self->places[t].pid);
  add_us (self, "ts", event->start_ns);
  if (self->places[t].counter > 0)
    hir_json_out_add_int (json, "id", self->places[t].counter);
  hir_json_out_begin (json, "args", '{');
  hir_json_out_add_key (json, hir_counter_get_series (track->name, name));
  hir_json_out_add_raw (json, NULL,
                        g_ascii_dtostr (number, sizeof number, hir_event_get_value (event)));
  hir_json_out_begin (json, HIR_EVENT_OWN_ARGS, '{');
  hir_json_out_add_int (json, "rank", track->rank);
  hir_json_out_add_int (json, "device", track->device);
  hir_json_out_end (json, '}');
  end_item (json);
}

static void
write_event (Export *self, guint t, guint index, const HirEvent *event)
{
  HirExportArgs *args = &self->args;
  GError *error = NULL;
  HirJsonOut *json;

  if (event->kind == HIR_EVENT_COUNTER)
    {
      write_sample (self, t, event);
      return;
    }
  if (!hir_export_args_read (args, self->trace, t, index, event, &error))
    {
      hir_text_out_fail (&self->out, error);
      return;
    }
  json = begin_item (self);
  hir_json_out_add_string (json, "ph", args->instant != 0 ? "i" : "X");
  hir_json_out_add_string (json, "cat", args->category);
  hir_json_out_add_string (json, "name", hir_trace_get_string (self->trace, event->name));
  hir_json_out_add_raw (json, "pid", self->places[t].pid);
  hir_json_out_add_raw (json, "tid", self->places[t].tid);
  add_us (self, "ts", event->start_ns);
  if (args->instant != 0)
    hir_json_out_add_string (json, "s", (const char[]){ args->instant, '\0' });
  else
    add_us (self, "dur", event->end_ns - event->start_ns);
  hir_json_out_begin (json, "args", '{');
  hir_export_args_write (args, json, self->trace, t, index, event);
  end_item (json);
}

static void
write_flow_end (
    Export *self, const char *phase, guint64 key, const HirChromePlace *place, gint64 ns)
{
  HirJsonOut *json = begin_item (self);

  hir_json_out_add_string (json, "ph", phase);
  hir_json_out_add_uint (json, "id", key & self->flow_id_mask);
  hir_json_out_add_string (json, "cat", "ac2g");
  hir_json_out_add_string (json, "name", "ac2g");
  hir_json_out_add_raw (json, "pid", place->pid);
  hir_json_out_add_raw (json, "tid", place->tid);
  add_us (self, "ts", ns);
  if (*phase == 'f')
    hir_json_out_add_string (json, "bp", "e");
  hir_json_out_end (json, '}');
}

/* Writes the flows that the trace stores. Their ids are unique per rank. */
static void
write_stored_flows (Export *self)
{
  for (guint i = 0; i < hir_trace_get_n_flow_points (self->trace); i++)
    {
      const HirFlowPoint *point = hir_trace_get_flow_point (self->trace, i);
      const HirTrack *track = hir_trace_get_track (self->trace, point->track);
      const char phase[] = { point->phase, '\0' };
      guint64 id = point->id;
      HirJsonOut *json = begin_item (self);

      if (self->flow_id_mask == FLOW_ID_MASK)
        id |= (guint64) (guint32) track->rank << 32;
      hir_json_out_add_string (json, "ph", phase);
      hir_json_out_add_uint (json, "id", id & FLOW_ID_MASK);
      hir_json_out_add_string (json, "cat", hir_trace_get_string (self->trace, point->category));
      hir_json_out_add_string (json, "name", hir_trace_get_string (self->trace, point->name));
      hir_json_out_add_raw (json, "pid", self->places[point->track].pid);
      hir_json_out_add_raw (json, "tid", self->places[point->track].tid);
      add_us (self, "ts", point->time_ns);
      if (point->is_enclosed)
        hir_json_out_add_string (json, "bp", "e");
      hir_json_out_end (json, '}');
    }
}

static gboolean
has_one_rank (const HirTrace *trace)
{
  for (guint t = 1; t < hir_trace_get_n_tracks (trace); t++)
    if (hir_trace_get_track (trace, t)->rank != hir_trace_get_track (trace, 0)->rank)
      return FALSE;
  return TRUE;
}

/* Writes Kineto's flow: one start at the issue span, one end at each device event. */
static void
write_flow (Export *self, guint t, guint index, const HirEvent *event)
{
  guint64 key = launch_key (hir_trace_get_track (self->trace, t), event);
  Launch *launch;
  guint32 i;

  if (event->correlation == 0 || !hir_id_table_find (&self->launch_keys, key, &i))
    return;
  launch = &g_array_index (self->launches, Launch, i);
  if (!launch->is_used)
    write_flow_end (self, "s", key, &launch->place, launch->start_ns);
  launch->is_used = TRUE;
  write_flow_end (self, "f", key, &self->places[t], event->start_ns);
}

typedef void (*Visit) (Export *self, guint t, guint index, const HirEvent *event);

/* Visits the events of host tracks, or of all other tracks. */
static void
foreach_event (Export *self, gboolean of_host, Visit visit)
{
  for (guint t = 0; t < hir_trace_get_n_tracks (self->trace); t++)
    {
      if (hir_track_is_of_device (hir_trace_get_track (self->trace, t)) == of_host)
        continue;
      for (guint i = 0;
           i < hir_trace_get_track_n_events (self->trace, t) && self->out.error == NULL; i++)
        {
          HirEvent event;

          hir_trace_get_event (self->trace, t, i, &event);
          visit (self, t, i, &event);
          hir_text_out_step (&self->out);
        }
    }
}

static void
take_launch (Export *self, guint t, guint index, const HirEvent *event)
{
  guint64 key = launch_key (hir_trace_get_track (self->trace, t), event);
  const Launch launch = { .place = self->places[t], .start_ns = event->start_ns };
  GError *error = NULL;
  guint32 i;

  if (event->correlation == 0)
    return;
  if (!hir_id_table_intern (&self->launch_keys, key, &i))
    {
      hir_set_error (&error, HIR_ERROR_LIMIT, NULL,
                     "out of memory for the flows of the trace; close other programs");
      hir_text_out_fail (&self->out, error);
    }
  else if (i == self->launches->len)
    g_array_append_val (self->launches, launch);
}

static void
write_devices (Export *self, const char *backend)
{
  g_autoptr (GHashTable) devices = g_hash_table_new (NULL, NULL);
  g_autofree char *stated = hir_trace_header_dup (self->trace, "deviceProperties");
  HirJsonOut *json = &self->out.json;

  hir_json_out_break (json);
  if (stated != NULL)
    {
      hir_json_out_add_raw (json, "deviceProperties", stated);
      return;
    }
  hir_json_out_begin (json, "deviceProperties", '[');
  for (guint t = 0; t < hir_trace_get_n_tracks (self->trace); t++)
    {
      const HirTrack *track = hir_trace_get_track (self->trace, t);

      if (!hir_track_is_of_device (track) ||
          !g_hash_table_add (devices, GINT_TO_POINTER (track->device)))
        continue;
      begin_item (self);
      hir_json_out_add_int (json, "id", track->device);
      hir_json_out_add_string (json, "name", backend);
      hir_json_out_end (json, '}');
    }
  hir_json_out_end (json, ']');
}

/* The source states the rank and the size of the job, but not for several files together. */
static void
write_ranks (Export *self, const char *backend)
{
  g_autoptr (GHashTable) ranks = g_hash_table_new (NULL, NULL);
  g_autofree char *stated = hir_trace_header_dup (self->trace, "distributedInfo");
  HirJsonOut *json = &self->out.json;
  int lowest = G_MAXINT;

  for (guint t = 0; t < hir_trace_get_n_tracks (self->trace); t++)
    {
      const HirTrack *track = hir_trace_get_track (self->trace, t);

      g_hash_table_add (ranks, GINT_TO_POINTER (track->rank));
      lowest = MIN (lowest, track->rank);
    }
  if (g_hash_table_size (ranks) == 0)
    return;
  hir_json_out_break (json);
  if (stated != NULL && g_hash_table_size (ranks) == 1)
    {
      hir_json_out_add_raw (json, "distributedInfo", stated);
      return;
    }
  hir_json_out_begin (json, "distributedInfo", '{');
  hir_json_out_add_string (json, "backend", backend);
  hir_json_out_add_int (json, "rank", lowest);
  hir_json_out_add_uint (json, "world_size", g_hash_table_size (ranks));
  hir_json_out_end (json, '}');
}

/* Writes the other members of the source's root. */
static void
write_stated_members (Export *self)
{
  HirJsonOut *out = &self->out.json;
  gboolean first = TRUE;
  HirJsonText key;
  HirJson json;

  if (!hir_trace_header_open (self->trace, &json))
    return;
  while (hir_json_next_member (&json, &first, &key))
    {
      g_autofree char *name = hir_json_text_dup (&key);
      g_autofree char *value = NULL;
      const char *from;

      hir_json_peek (&json);
      from = json.at;
      if (!hir_json_skip (&json) || hir_json_text_is (&key, "deviceProperties") ||
          hir_json_text_is (&key, "distributedInfo"))
        continue;
      value = g_strndup (from, (gsize) (json.at - from));
      hir_json_out_break (out);
      hir_json_out_add_key (out, name);
      hir_json_out_add_raw (out, NULL, value);
    }
}

static void
write_head (Export *self)
{
  const char *base = hir_trace_get_meta (self->trace, "base_time_ns");
  const char *backend = hir_trace_get_meta (self->trace, "backend");
  HirJsonOut *json = &self->out.json;
  guint64 base_ns;

  if (backend == NULL)
    backend = "unknown";
  hir_json_out_begin (json, NULL, '{');
  hir_json_out_break (json);
  hir_json_out_add_int (json, "schemaVersion", 1);
  write_devices (self, backend);
  write_ranks (self, backend);
  write_stated_members (self);
  hir_json_out_break (json);
  if (base != NULL && g_ascii_string_to_unsigned (base, 10, 0, G_MAXINT64, &base_ns, NULL))
    {
      hir_json_out_add_uint (json, "baseTimeNanoseconds", base_ns);
      hir_json_out_break (json);
    }
  hir_json_out_add_string (json, "displayTimeUnit", "ns");
  hir_json_out_break (json);
  hir_json_out_begin (json, "traceEvents", '[');
}

/* Writes what Kineto's format cannot express: the metadata of the trace and its account. */
static void
write_tail (Export *self)
{
  g_autofree const char **keys = hir_trace_dup_meta_keys (self->trace);
  const char *const *account = hir_trace_get_account (self->trace);
  HirJsonOut *json = &self->out.json;

  hir_text_out_add (&self->out, "\n");
  hir_json_out_end (json, ']');
  hir_json_out_break (json);
  hir_json_out_begin (json, HIR_EVENT_OWN_ARGS, '{');
  hir_json_out_begin (json, "meta", '{');
  for (guint i = 0; keys[i] != NULL; i++)
    {
      /* It is in the root. */
      if (strcmp (keys[i], HIR_META_HEADER) == 0)
        continue;
      hir_json_out_break (json);
      hir_json_out_add_key (json, keys[i]);
      hir_json_out_add_string (json, NULL, hir_trace_get_meta (self->trace, keys[i]));
    }
  hir_json_out_end (json, '}');
  hir_json_out_break (json);
  hir_json_out_begin (json, "account", '[');
  for (guint i = 0; account[i] != NULL; i++)
    {
      hir_json_out_break (json);
      hir_json_out_add_string (json, NULL, account[i]);
    }
  if (self->ranks_moved)
    {
      hir_json_out_break (json);
      hir_json_out_add_string (json, NULL,
                               "several ranks have devices of the same number: "
                               "pid is 1000 * place of the rank + device");
    }
  hir_json_out_end (json, ']');
  hir_json_out_end (json, '}');
  hir_text_out_add (&self->out, "\n");
  hir_json_out_end (json, '}');
  hir_text_out_add (&self->out, "\n");
}

static gboolean
write_chrome (gconstpointer data,
              GOutputStream *stream,
              HirExportProgress *progress,
              GError **error)
{
  const HirTrace *trace = data;
  Export self = { .trace = trace };

  /* Events are visited twice: for themselves, and for their flows. */
  hir_export_progress_expect (progress,
                              2 * hir_trace_get_n_events (trace) + hir_trace_get_n_tracks (trace));
  hir_text_out_init (&self.out, stream, progress);
  self.launches = g_array_new (FALSE, FALSE, sizeof (Launch));
  hir_export_args_init (&self.args);
  self.places = hir_chrome_places_new (trace, &self.ranks_moved);
  self.ids = hir_trace_dup_track_ids (trace);
  self.flow_id_mask = has_one_rank (trace) ? G_MAXUINT32 : FLOW_ID_MASK;
  foreach_event (&self, TRUE, take_launch);
  write_head (&self);
  for (guint t = 0; t < hir_trace_get_n_tracks (trace) && self.out.error == NULL; t++)
    {
      write_track_metadata (&self, t);
      hir_text_out_step (&self.out);
    }
  foreach_event (&self, TRUE, write_event);
  foreach_event (&self, FALSE, write_event);
  foreach_event (&self, FALSE, write_flow);
  write_stored_flows (&self);
  write_tail (&self);
  hir_id_table_clear (&self.launch_keys);
  g_array_unref (self.launches);
  hir_export_args_clear (&self.args);
  hir_chrome_places_free (self.places, trace);
  g_array_unref (self.ids);
  return hir_text_out_finish (&self.out, error);
}

gboolean
hir_export_chrome_file (const HirTrace *trace,
                        const char *path,
                        HirExportProgress *progress,
                        GError **error)
{
  return hir_text_out_write_file (path, write_chrome, trace, progress, error);
}
