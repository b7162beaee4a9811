#include "trace/export/export-chrome.h"
#include "trace/chrome/chrome-collective.h"
#include "trace/chrome/chrome-event.h"
#include "trace/chrome/chrome-places.h"
#include "trace/event-args.h"
#include "trace/event-names.h"
#include "trace/text-out.h"

#include "identity.h"

#include <string.h>

#define GPU_SORT_INDEX 16777216 /* sorts devices after the host, as Kineto does */
/* Flow ids are unique per file and category, but ranks may use the same correlations. The id
 * combines rank and correlation and fits into a reader's double. */
#define FLOW_ID_MASK ((G_GUINT64_CONSTANT (1) << 52) - 1)

typedef struct
{
  const HirTrace *trace;
  HirTextOut out;
  HirChromePlace *places; /* one entry per track */
  GHashTable *launches;   /* rank and correlation -> Launch*: issue spans from which flows start */
  gboolean ranks_moved;
} Export;

typedef struct
{
  guint64 key;
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
begin_metadata (Export *self, const char *name, int pid, gint64 tid)
{
  HirJsonOut *json = begin_item (self);

  hir_json_out_add_string (json, "name", name);
  hir_json_out_add_string (json, "ph", "M");
  hir_json_out_add_raw (json, "ts", "0.000");
  hir_json_out_add_int (json, "pid", pid);
  hir_json_out_add_int (json, "tid", tid);
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
  HirJsonOut *json = begin_metadata (self, what, place->pid, whole_process ? 0 : place->tid);

  if (text != NULL)
    hir_json_out_add_string (json, key, text);
  else
    hir_json_out_add_int (json, key, number);
  end_item (json);
}

/* Includes what Chrome's format cannot express, so that an import restores the track. */
static void
write_thread_name (Export *self, const HirChromePlace *place, const HirTrack *track)
{
  static const char *const kinds[HIR_N_TRACK_KINDS] = { "stream", "host", "link", "counter" };
  HirJsonOut *json = begin_metadata (self, "thread_name", place->pid, place->tid);

  hir_json_out_add_string (json, "name", track->name);
  hir_json_out_add_string (json, "kind", kinds[track->kind]);
  hir_json_out_add_int (json, "rank", track->rank);
  hir_json_out_add_int (json, "device", track->device);
  hir_json_out_add_int (json, "stream", track->stream);
  end_item (json);
}

/* Writes the names and the order of processes and threads. */
static void
write_track_metadata (Export *self, guint t)
{
  const HirTrack *track = hir_trace_get_track (self->trace, t);
  const HirChromePlace *place = &self->places[t];
  gboolean is_host = !hir_track_is_of_device (track);
  g_autofree char *process =
      is_host ? g_strdup_printf ("host, rank %d", track->rank)
              : g_strdup_printf ("device %d, rank %d", track->device, track->rank);
  /* Devices of the CPU back end are not GPUs. */
  gboolean is_cpu = is_host || g_strcmp0 (hir_trace_get_meta (self->trace, "backend"), "cpu") == 0;
  g_autofree char *label = is_cpu ? g_strdup ("CPU") : g_strdup_printf ("GPU %d", track->device);

  if (place->is_first)
    {
      write_metadata (self, place, TRUE, "process_name", "name", process, 0);
      write_metadata (self, place, TRUE, "process_labels", "labels", label, 0);
      write_metadata (self, place, TRUE, "process_sort_index", "sort_index", NULL,
                      is_host ? track->rank : GPU_SORT_INDEX + place->pid);
    }
  /* A counter is identified by its name and has no thread. */
  if (track->kind == HIR_TRACK_COUNTER)
    return;
  write_thread_name (self, place, track);
  write_metadata (self, place, FALSE, "thread_sort_index", "sort_index", NULL, (int) t);
}

/* Returns Kineto's category for a call of the CUDA or HIP runtime or driver with this name, or NULL
 * for other names. */
static const char *
lookup_call_category (const char *name)
{
  if (g_str_has_prefix (name, "cuda") || g_str_has_prefix (name, "hip"))
    return g_ascii_isupper (name[*name == 'c' ? 4 : 3]) ? "cuda_runtime" : NULL;
  return g_str_has_prefix (name, "cu") && g_ascii_isupper (name[2]) ? "cuda_driver" : NULL;
}

/* Returns the category of host work. The issue of an instruction is an op, like an operator of a
 * framework ("aten::mm"). Ranges and Python frames are not ops. */
static const char *
get_host_category (HirEventKind kind, const char *name)
{
  const char *call = lookup_call_category (name);

  if (call != NULL)
    return call;
  if (kind == HIR_EVENT_SYNC)
    return "cuda_runtime";
  if (kind != HIR_EVENT_HOST || strstr (name, "::") != NULL)
    return "cpu_op";
  return strstr (name, ".py(") != NULL ? "python_function" : "user_annotation";
}

static const char *
get_category (const HirTrack *track, HirEventKind kind, const char *name)
{
  if (track->kind == HIR_TRACK_HOST)
    return get_host_category (kind, name);
  switch (kind)
    {
    /* A kernel would count as work. */
    case HIR_EVENT_HOST:
      return "gpu_user_annotation";
    case HIR_EVENT_MEMCPY:
      return "gpu_memcpy";
    case HIR_EVENT_MEMSET:
      return "gpu_memset";
    case HIR_EVENT_SYNC:
      return "cuda_sync";
    case HIR_EVENT_ISSUE:
      return "cpu_op";
    default:
      return "kernel";
    }
}

/* Writes the fields of an event for our own import. */
static void
write_own_args (Export *self, guint t, guint index, const HirEvent *event)
{
  const HirTrack *track = hir_trace_get_track (self->trace, t);
  HirJsonOut *json = &self->out.json;
  char hex[17];

  hir_json_out_add_int (json, "rank", track->rank);
  hir_json_out_add_int (json, "device", track->device);
  if (track->kind != HIR_TRACK_HOST)
    hir_json_out_add_int (json, "stream", track->stream);
  if (event->instruction != 0)
    {
      hir_id_to_hex (event->instruction, hex);
      hir_json_out_add_string (json, "instruction", hex);
      hir_json_out_add_int (json, "iteration", event->iteration);
    }
  if (event->phase != HIR_PHASE_PROGRAM)
    hir_json_out_add_string (json, "phase", hir_phase_get_name (event->phase));
  if (event->correlation != 0)
    {
      hir_json_out_add_int (json, "correlation", event->correlation);
      hir_json_out_add_int (json, "External id", event->correlation);
    }
  if (event->bytes != 0)
    hir_json_out_add_int (json, "bytes", event->bytes);
  if (event->flops != 0)
    hir_json_out_add_int (json, "flops", event->flops);
  hir_json_out_add_string (json, "kind", hir_event_kind_get_name (event->kind));
  if (event->kind != HIR_EVENT_COMMUNICATION ||
      hir_chrome_write_collective (json, self->trace, t, index))
    return;
  hir_json_out_add_string (json, "Collective name",
                           hir_trace_get_string (self->trace, event->name));
  /* The event has bytes, not elements. A size in elements of one byte is correct for both. */
  hir_json_out_add_string (json, "dtype", "Byte");
  hir_json_out_add_int (json, "In msg nelems", event->bytes);
  hir_json_out_add_int (json, "Out msg nelems", event->bytes);
}

/* Keeps the args of another profiler and adds ours in a sub-object. If the file has changed since
 * it was loaded, the export fails, because missing args would not be noticed. */
static void
write_args (Export *self, guint t, guint index, const HirEvent *event)
{
  HirJsonOut *json = &self->out.json;
  g_autofree char *args = NULL;
  GError *error = NULL;

  if (event->source != 0)
    args = hir_trace_dup_event_json (self->trace, t, index, &error);
  if (error != NULL)
    {
      hir_text_out_fail (&self->out, error);
      return;
    }
  if (args == NULL || *args == '\0')
    {
      write_own_args (self, t, index, event);
      return;
    }
  hir_json_out_add_raw (json, NULL, args);
  hir_json_out_begin (json, HIR_EVENT_OWN_ARGS, '{');
  write_own_args (self, t, index, event);
  hir_json_out_end (json, '}');
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
  hir_json_out_add_int (json, "pid", self->places[t].pid);
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
  const HirTrack *track = hir_trace_get_track (self->trace, t);
  const char *name = hir_trace_get_string (self->trace, event->name);
  HirJsonOut *json;

  if (event->kind == HIR_EVENT_COUNTER)
    {
      write_sample (self, t, event);
      return;
    }
  json = begin_item (self);
  hir_json_out_add_string (json, "ph", "X");
  hir_json_out_add_string (json, "cat", get_category (track, event->kind, name));
  hir_json_out_add_string (json, "name", name);
  hir_json_out_add_int (json, "pid", self->places[t].pid);
  hir_json_out_add_int (json, "tid", self->places[t].tid);
  add_us (self, "ts", event->start_ns);
  add_us (self, "dur", event->end_ns - event->start_ns);
  hir_json_out_begin (json, "args", '{');
  write_args (self, t, index, event);
  end_item (json);
}

static void
write_flow_end (
    Export *self, const char *phase, guint64 key, const HirChromePlace *place, gint64 ns)
{
  HirJsonOut *json = begin_item (self);

  hir_json_out_add_string (json, "ph", phase);
  hir_json_out_add_uint (json, "id", key & FLOW_ID_MASK);
  hir_json_out_add_string (json, "cat", "ac2g");
  hir_json_out_add_string (json, "name", "ac2g");
  hir_json_out_add_int (json, "pid", place->pid);
  hir_json_out_add_int (json, "tid", place->tid);
  add_us (self, "ts", ns);
  if (*phase == 'f')
    hir_json_out_add_string (json, "bp", "e");
  hir_json_out_end (json, '}');
}

/* Writes Kineto's flow: one start at the issue span, one end at each device event. */
static void
write_flow (Export *self, guint t, guint index, const HirEvent *event)
{
  guint64 key = launch_key (hir_trace_get_track (self->trace, t), event);
  Launch *launch = event->correlation != 0 ? g_hash_table_lookup (self->launches, &key) : NULL;

  if (launch == NULL)
    return;
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
  Launch *launch;

  if (event->correlation == 0 || g_hash_table_contains (self->launches, &key))
    return;
  launch = g_new0 (Launch, 1);
  launch->key = key;
  launch->place = self->places[t];
  launch->start_ns = event->start_ns;
  g_hash_table_add (self->launches, launch);
}

static void
write_devices (Export *self, const char *backend)
{
  g_autoptr (GHashTable) devices = g_hash_table_new (NULL, NULL);
  HirJsonOut *json = &self->out.json;

  hir_json_out_break (json);
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

static void
write_ranks (Export *self, const char *backend)
{
  g_autoptr (GHashTable) ranks = g_hash_table_new (NULL, NULL);
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
  hir_json_out_begin (json, "distributedInfo", '{');
  hir_json_out_add_string (json, "backend", backend);
  hir_json_out_add_int (json, "rank", lowest);
  hir_json_out_add_uint (json, "world_size", g_hash_table_size (ranks));
  hir_json_out_end (json, '}');
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
  self.launches = g_hash_table_new_full (hir_word_hash, g_int64_equal, g_free, NULL);
  self.places = hir_chrome_places_new (trace, &self.ranks_moved);
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
  write_tail (&self);
  g_hash_table_unref (self.launches);
  g_free (self.places);
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
