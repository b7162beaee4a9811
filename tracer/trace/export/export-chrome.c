#include "trace/export/export-chrome.h"
#include "trace/chrome/chrome-collective.h"
#include "trace/chrome/chrome-event.h"
#include "trace/chrome/chrome-places.h"
#include "trace/event-args.h"
#include "trace/event-names.h"
#include "trace/text-out.h"

#include "identity.h"

#include <string.h>

#define GPU_SORT_INDEX 16777216 /* as Kineto: devices come after the host */
/* Flow ids are unique a file and category, but ranks may use the same correlations. An id is the
 * correlation with the rank above it, in what a reader's double holds. */
#define FLOW_ID_MASK ((G_GUINT64_CONSTANT (1) << 52) - 1)

typedef struct
{
  const HirTrace *trace;
  HirTextOut out;
  HirChromePlace *places; /* one a track */
  GHashTable *launches; /* rank and correlation -> Launch*: issue spans that flows start from */
  gboolean has_items;   /* of the array that is being written */
  gboolean ranks_moved;
} Export;

typedef struct
{
  guint64 key;
  HirChromePlace place;
  gint64 start_ns;
  gboolean is_used; /* the flow's start is written */
} Launch;

static guint64
launch_key (const HirTrack *track, const HirEvent *event)
{
  return (guint64) (guint32) track->rank << 32 | event->correlation;
}

static void
begin_item (Export *self)
{
  hir_text_out_add (&self->out, self->has_items ? ",\n" : "\n");
  self->has_items = TRUE;
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
  begin_item (self);
  hir_text_out_printf (&self->out,
                       "{\"name\":\"%s\",\"ph\":\"M\",\"ts\":0.000,\"pid\":%d,\"tid\":"
                       "%" G_GINT64_FORMAT ",\"args\":{\"%s\":",
                       what, place->pid, whole_process ? 0 : place->tid, key);
  if (text != NULL)
    hir_text_out_add_json_string (&self->out, text);
  else
    hir_text_out_printf (&self->out, "%d", number);
  hir_text_out_add (&self->out, "}}");
}

/* With what Chrome's format has no word for, so that the export reads back as it was. */
static void
write_thread_name (Export *self, const HirChromePlace *place, const HirTrack *track)
{
  static const char *const kinds[HIR_N_TRACK_KINDS] = { "stream", "host", "link", "counter" };

  begin_item (self);
  hir_text_out_printf (&self->out,
                       "{\"name\":\"thread_name\",\"ph\":\"M\",\"ts\":0.000,\"pid\":%d,\"tid\":"
                       "%" G_GINT64_FORMAT ",\"args\":{\"name\":",
                       place->pid, place->tid);
  hir_text_out_add_json_string (&self->out, track->name);
  hir_text_out_printf (&self->out,
                       ",\"kind\":\"%s\",\"rank\":%d,\"device\":%d,\"stream\":%" G_GINT64_FORMAT
                       "}}",
                       kinds[track->kind], track->rank, track->device, track->stream);
}

/* Names and order of processes and threads. */
static void
write_track_metadata (Export *self, guint t)
{
  const HirTrack *track = hir_trace_get_track (self->trace, t);
  const HirChromePlace *place = &self->places[t];
  gboolean is_host = !hir_track_is_of_device (track);
  g_autofree char *process =
      is_host ? g_strdup_printf ("host, rank %d", track->rank)
              : g_strdup_printf ("device %d, rank %d", track->device, track->rank);
  /* The CPU back end's devices are no GPUs, whatever the viewer likes to hear. */
  gboolean is_cpu = is_host || g_strcmp0 (hir_trace_get_meta (self->trace, "backend"), "cpu") == 0;
  g_autofree char *label = is_cpu ? g_strdup ("CPU") : g_strdup_printf ("GPU %d", track->device);

  if (place->is_first)
    {
      write_metadata (self, place, TRUE, "process_name", "name", process, 0);
      write_metadata (self, place, TRUE, "process_labels", "labels", label, 0);
      write_metadata (self, place, TRUE, "process_sort_index", "sort_index", NULL,
                      is_host ? track->rank : GPU_SORT_INDEX + place->pid);
    }
  /* A counter is known by its name, and has no thread. */
  if (track->kind == HIR_TRACK_COUNTER)
    return;
  write_thread_name (self, place, track);
  write_metadata (self, place, FALSE, "thread_sort_index", "sort_index", NULL, (int) t);
}

/* A call of CUDA's or HIP's own, by its name; NULL: it is none. Kineto's word for those of the
 * runtime, and for the driver's. */
static const char *
lookup_call_category (const char *name)
{
  if (g_str_has_prefix (name, "cuda") || g_str_has_prefix (name, "hip"))
    return g_ascii_isupper (name[*name == 'c' ? 4 : 3]) ? "cuda_runtime" : NULL;
  return g_str_has_prefix (name, "cu") && g_ascii_isupper (name[2]) ? "cuda_driver" : NULL;
}

/* Of work on the host: the issue of an instruction is an op, as an operator of a framework is
 * ("aten::mm"); what people or frames of Python named is not. */
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
    /* As a kernel it would count as work. */
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

/* What this trace keeps of an event. */
static void
write_own_args (Export *self, guint t, guint index, const HirEvent *event)
{
  const HirTrack *track = hir_trace_get_track (self->trace, t);
  HirTextOut *out = &self->out;
  char hex[17];

  hir_text_out_printf (out, "\"rank\":%d,\"device\":%d", track->rank, track->device);
  if (track->kind != HIR_TRACK_HOST)
    hir_text_out_printf (out, ",\"stream\":%" G_GINT64_FORMAT, track->stream);
  if (event->instruction != 0)
    {
      hir_id_to_hex (event->instruction, hex);
      hir_text_out_printf (out, ",\"instruction\":\"%s\",\"iteration\":%d", hex, event->iteration);
    }
  if (event->phase != HIR_PHASE_PROGRAM)
    hir_text_out_printf (out, ",\"phase\":\"%s\"", hir_phase_get_name (event->phase));
  if (event->correlation != 0)
    hir_text_out_printf (out, ",\"correlation\":%u,\"External id\":%u", event->correlation,
                         event->correlation);
  if (event->bytes != 0)
    hir_text_out_printf (out, ",\"bytes\":%" G_GINT64_FORMAT, event->bytes);
  if (event->flops != 0)
    hir_text_out_printf (out, ",\"flops\":%" G_GINT64_FORMAT, event->flops);
  hir_text_out_printf (out, ",\"kind\":\"%s\"", hir_event_kind_get_name (event->kind));
  if (event->kind != HIR_EVENT_COMMUNICATION ||
      hir_chrome_write_collective (out, self->trace, t, index))
    return;
  hir_text_out_add (out, ",\"Collective name\":");
  hir_text_out_add_json_string (out, hir_trace_get_string (self->trace, event->name));
  /* The event knows bytes, not elements; as bytes both are right. */
  hir_text_out_printf (out,
                       ",\"dtype\":\"Byte\",\"In msg nelems\":%" G_GINT64_FORMAT
                       ",\"Out msg nelems\":%" G_GINT64_FORMAT,
                       event->bytes, event->bytes);
}

/* Args of another profiler stay as they are, and ours go into one of them. A file that changed since
 * it was loaded ends the export: half of the args would look like all. */
static void
write_args (Export *self, guint t, guint index, const HirEvent *event)
{
  HirTextOut *out = &self->out;
  g_autofree char *args = NULL;
  GError *error = NULL;

  if (event->source != 0)
    args = hir_trace_dup_event_json (self->trace, t, index, &error);
  if (error != NULL)
    {
      hir_text_out_fail (out, error);
      return;
    }
  if (args == NULL || *args == '\0')
    {
      write_own_args (self, t, index, event);
      return;
    }
  hir_text_out_add (out, args);
  hir_text_out_add (out, ",\"" HIR_EVENT_OWN_ARGS "\":{");
  write_own_args (self, t, index, event);
  hir_text_out_add (out, "}");
}

/* One series of a counter: as an event of its own, whatever it came in. */
static void
write_sample (Export *self, guint t, const HirEvent *event)
{
  const HirTrack *track = hir_trace_get_track (self->trace, t);
  const char *name = hir_trace_get_string (self->trace, event->name);
  HirTextOut *out = &self->out;
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  begin_item (self);
  hir_text_out_add (out, "{\"ph\":\"C\",\"name\":");
  hir_text_out_add_json_string (out, name);
  hir_text_out_printf (out, ",\"pid\":%d,\"ts\":", self->places[t].pid);
  hir_text_out_add_us (out, event->start_ns);
  if (self->places[t].counter > 0)
    hir_text_out_printf (out, ",\"id\":%u", self->places[t].counter);
  hir_text_out_add (out, ",\"args\":{");
  hir_text_out_add_json_string (out, hir_counter_get_series (track->name, name));
  hir_text_out_printf (out, ":%s,\"" HIR_EVENT_OWN_ARGS "\":{\"rank\":%d,\"device\":%d}}}",
                       g_ascii_dtostr (number, sizeof number, hir_event_get_value (event)),
                       track->rank, track->device);
}

static void
write_event (Export *self, guint t, guint index, const HirEvent *event)
{
  const HirTrack *track = hir_trace_get_track (self->trace, t);
  const HirChromePlace *place = &self->places[t];
  const char *name = hir_trace_get_string (self->trace, event->name);
  HirTextOut *out = &self->out;

  if (event->kind == HIR_EVENT_COUNTER)
    {
      write_sample (self, t, event);
      return;
    }
  begin_item (self);
  hir_text_out_printf (out,
                       "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":",
                       get_category (track, event->kind, name));
  hir_text_out_add_json_string (out, name);
  hir_text_out_printf (out, ",\"pid\":%d,\"tid\":%" G_GINT64_FORMAT ",\"ts\":", place->pid,
                       place->tid);
  hir_text_out_add_us (out, event->start_ns);
  hir_text_out_add (out, ",\"dur\":");
  hir_text_out_add_us (out, event->end_ns - event->start_ns);
  hir_text_out_add (out, ",\"args\":{");
  write_args (self, t, index, event);
  hir_text_out_add (out, "}}");
}

static void
write_flow_end (Export *self, const char *phase, guint64 key, const HirChromePlace *place, gint64 ns)
{
  begin_item (self);
  hir_text_out_printf (&self->out,
                       "{\"ph\":\"%s\",\"id\":%" G_GUINT64_FORMAT
                       ",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"pid\":%d,"
                       "\"tid\":%" G_GINT64_FORMAT ",\"ts\":",
                       phase, key & FLOW_ID_MASK, place->pid, place->tid);
  hir_text_out_add_us (&self->out, ns);
  hir_text_out_add (&self->out, *phase == 'f' ? ",\"bp\":\"e\"}" : "}");
}

/* Kineto's flow: one start at the issue span, an end at each device event. */
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

/* Events of host tracks, or of all others. */
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
write_pair (Export *self, const char *key, const char *value)
{
  begin_item (self);
  hir_text_out_add_json_string (&self->out, key);
  hir_text_out_add (&self->out, ":");
  hir_text_out_add_json_string (&self->out, value);
}

static void
write_devices (Export *self)
{
  g_autoptr (GHashTable) devices = g_hash_table_new (NULL, NULL);
  const char *backend = hir_trace_get_meta (self->trace, "backend");

  hir_text_out_add (&self->out, "\"deviceProperties\":[");
  self->has_items = FALSE;
  for (guint t = 0; t < hir_trace_get_n_tracks (self->trace); t++)
    {
      const HirTrack *track = hir_trace_get_track (self->trace, t);

      if (!hir_track_is_of_device (track) ||
          !g_hash_table_add (devices, GINT_TO_POINTER (track->device)))
        continue;
      begin_item (self);
      hir_text_out_printf (&self->out, "{\"id\":%d,\"name\":", track->device);
      hir_text_out_add_json_string (&self->out, backend != NULL ? backend : "unknown");
      hir_text_out_add (&self->out, "}");
    }
  hir_text_out_add (&self->out, "],\n");
}

static void
write_ranks (Export *self)
{
  g_autoptr (GHashTable) ranks = g_hash_table_new (NULL, NULL);
  const char *backend = hir_trace_get_meta (self->trace, "backend");
  int lowest = G_MAXINT;

  for (guint t = 0; t < hir_trace_get_n_tracks (self->trace); t++)
    {
      const HirTrack *track = hir_trace_get_track (self->trace, t);

      g_hash_table_add (ranks, GINT_TO_POINTER (track->rank));
      lowest = MIN (lowest, track->rank);
    }
  if (g_hash_table_size (ranks) == 0)
    return;
  hir_text_out_add (&self->out, "\"distributedInfo\":{\"backend\":");
  hir_text_out_add_json_string (&self->out, backend != NULL ? backend : "unknown");
  hir_text_out_printf (&self->out, ",\"rank\":%d,\"world_size\":%u},\n", lowest,
                       g_hash_table_size (ranks));
}

static void
write_head (Export *self)
{
  const char *base = hir_trace_get_meta (self->trace, "base_time_ns");
  guint64 base_ns;

  hir_text_out_add (&self->out, "{\n\"schemaVersion\":1,\n");
  write_devices (self);
  write_ranks (self);
  if (base != NULL && g_ascii_string_to_unsigned (base, 10, 0, G_MAXINT64, &base_ns, NULL))
    hir_text_out_printf (&self->out, "\"baseTimeNanoseconds\":%" G_GUINT64_FORMAT ",\n", base_ns);
  hir_text_out_add (&self->out, "\"displayTimeUnit\":\"ns\",\n\"traceEvents\":[");
}

/* What has no place in Kineto's format: where the trace comes from, and what is missing from it. */
static void
write_tail (Export *self)
{
  g_autofree const char **keys = hir_trace_dup_meta_keys (self->trace);
  const char *const *account = hir_trace_get_account (self->trace);

  hir_text_out_add (&self->out, "\n],\n\"hirscope\":{\"meta\":{");
  self->has_items = FALSE;
  for (guint i = 0; keys[i] != NULL; i++)
    write_pair (self, keys[i], hir_trace_get_meta (self->trace, keys[i]));
  hir_text_out_add (&self->out, "},\n\"account\":[");
  self->has_items = FALSE;
  for (guint i = 0; account[i] != NULL; i++)
    {
      begin_item (self);
      hir_text_out_add_json_string (&self->out, account[i]);
    }
  if (self->ranks_moved)
    {
      begin_item (self);
      hir_text_out_add_json_string (&self->out, "several ranks have devices of the same number: "
                                                "pid is 1000 * place of the rank + device");
    }
  hir_text_out_add (&self->out, "]}\n}\n");
}

static gboolean
write_chrome (gconstpointer data, GOutputStream *stream, HirExportProgress *watch, GError **error)
{
  const HirTrace *trace = data;
  Export self = { .trace = trace };

  /* All are gone through twice: for the events, and for what flows between them. */
  hir_export_progress_expect (watch, 2 * hir_trace_get_n_events (trace) + hir_trace_get_n_tracks (trace));
  hir_text_out_init (&self.out, stream, watch);
  self.launches = g_hash_table_new_full (hir_word_hash, g_int64_equal, g_free, NULL);
  self.places = hir_chrome_places_new (trace, &self.ranks_moved);
  foreach_event (&self, TRUE, take_launch);
  write_head (&self);
  self.has_items = FALSE;
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
hir_export_chrome_file (const HirTrace *trace, const char *path, HirExportProgress *watch, GError **error)
{
  return hir_text_out_write_file (path, write_chrome, trace, watch, error);
}
