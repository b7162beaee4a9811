#include "cuda/cupti/cupti-correlate.h"

#include "cuda/cupti/cupti-ids.h"
#include "cuda/cupti/cupti-labels.h"
#include "cuda/cupti/cupti-tracks.h"
#include "cuda/cupti/cupti-waits.h"
#include "record/clock.h"

#define MAX_HELD_CALLS 100000
/* Correlation numbers of the program count from 1. Work without a launch gets CUPTI's number with
 * this bit set, so that host calls and their device work can still be matched. */
#define FOREIGN_CORRELATION 0x80000000u
#define MAX_ACCOUNT_LINES 8
/* Call ids below this are cached, per interface. Higher ids are rare. */
#define MAX_CALLS 1024u
#define MAX_COPY_KINDS 16u

typedef struct
{
  gint64 time_ns;
  guint64 n; /* number of launches at that time */
} Sample;

typedef struct
{
  guint32 name;
  gint64 start_ns;
} Note;

struct _HirCuptiCorrelator
{
  HirRecorder *recorder;
  HirCuptiLaunches *launches;
  gboolean full;
  gint64 zero_ns;
  HirCuptiIds *ids;
  HirCuptiTracks *tracks;
  HirCuptiLabels *labels;
  HirCuptiWaits *waits;
  GArray *parked;           /* HirCuptiRecord, launch not known yet; `id` is the interned name */
  GArray *held;             /* HirCuptiRecord, calls of threads whose rank is not known yet */
  GHashTable *thread_ranks; /* thread -> rank + 1 */
  gpointer last_thread;     /* key and value of the last entry of thread_ranks */
  int last_rank;
  GHashTable *notes;   /* marker number -> Note */
  GArray *samples;     /* Sample */
  guint32 *call_names; /* string + 1 per call, driver's first; 0 if not interned yet */
  guint32 fill_name;   /* likewise */
  guint32 copy_names[MAX_COPY_KINDS];
  GHashTable *silent; /* string -> number of launches without device work */
  HirCuptiCounts counts;
};

HirCuptiCorrelator *
hir_cupti_correlator_new (HirRecorder *recorder, HirCuptiLaunches *launches, gboolean full)
{
  HirCuptiCorrelator *self = g_new0 (HirCuptiCorrelator, 1);

  self->recorder = recorder;
  self->launches = launches;
  self->full = full;
  self->ids = hir_cupti_ids_new (hir_clock_now_ns ());
  self->tracks = hir_cupti_tracks_new (recorder);
  self->labels = hir_cupti_labels_new (recorder);
  self->waits = hir_cupti_waits_new ();
  self->parked = g_array_new (FALSE, FALSE, sizeof (HirCuptiRecord));
  self->held = g_array_new (FALSE, FALSE, sizeof (HirCuptiRecord));
  self->thread_ranks = g_hash_table_new (NULL, NULL);
  self->notes = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  self->samples = g_array_new (FALSE, FALSE, sizeof (Sample));
  self->silent = g_hash_table_new (NULL, NULL);
  self->call_names = g_new0 (guint32, 2 * MAX_CALLS);
  return self;
}

void
hir_cupti_correlator_free (HirCuptiCorrelator *self)
{
  hir_cupti_ids_free (self->ids);
  hir_cupti_tracks_free (self->tracks);
  hir_cupti_labels_free (self->labels);
  hir_cupti_waits_free (self->waits);
  g_array_unref (self->parked);
  g_array_unref (self->held);
  g_hash_table_unref (self->thread_ranks);
  g_hash_table_unref (self->notes);
  g_array_unref (self->samples);
  g_hash_table_unref (self->silent);
  g_free (self->call_names);
  g_free (self);
}

void
hir_cupti_correlator_set_zero (HirCuptiCorrelator *self, gint64 zero_ns)
{
  self->zero_ns = zero_ns;
}

void
hir_cupti_correlator_set_stream (
    HirCuptiCorrelator *self, guint32 context, guint32 stream, guint track, int rank)
{
  hir_cupti_tracks_set_stream (self->tracks, context, stream, track, rank);
}

/* Fills the fields that @event has from @record and @launch (nullable). */
static void
fill_event (HirEvent *event, const HirCuptiRecord *record, const HirCuptiLaunch *launch)
{
  event->start_ns = record->start_ns;
  event->end_ns = record->end_ns;
  if (launch != NULL)
    {
      event->instruction = launch->instruction;
      event->iteration = launch->iteration;
      event->phase = launch->phase;
      event->source = launch->source;
      event->correlation = launch->correlation != 0 ? launch->correlation
                                                    : FOREIGN_CORRELATION | record->correlation;
      return;
    }
  event->iteration = -1;
  event->phase = HIR_PHASE_SETUP;
  event->correlation = FOREIGN_CORRELATION | record->correlation;
}

static guint8
get_kind (const HirCuptiRecord *record, const HirCuptiLaunch *launch)
{
  if (record->kind == HIR_CUPTI_FILL)
    return HIR_EVENT_MEMSET;
  /* NCCL makes small copies from the host for each launch. They are not part of the communicated
   * data. */
  if (record->kind == HIR_CUPTI_COPY && hir_cupti_copy_is_of_host (record->detail))
    return HIR_EVENT_MEMCPY;
  if (launch != NULL && launch->kind == HIR_EVENT_COMMUNICATION)
    return HIR_EVENT_COMMUNICATION;
  return record->kind == HIR_CUPTI_COPY ? HIR_EVENT_MEMCPY : HIR_EVENT_KERNEL;
}

/* Interns @text once. *@cached (nullable) is the string + 1. */
static guint32
intern_once (HirCuptiCorrelator *self, guint32 *cached, const char *text)
{
  guint32 name;

  if (cached != NULL && *cached > 0)
    return *cached - 1;
  name = hir_recorder_intern (self->recorder, text);
  if (cached != NULL)
    *cached = name + 1;
  return name;
}

static guint32
get_fill_name (HirCuptiCorrelator *self, const HirCuptiRecord *record)
{
  if (record->kind == HIR_CUPTI_FILL)
    return intern_once (self, &self->fill_name, "memset");
  return intern_once (self,
                      record->detail < MAX_COPY_KINDS ? &self->copy_names[record->detail] : NULL,
                      hir_cupti_copy_get_name (record->detail));
}

/* Returns the event's name. For a kernel, @record->id is the string of its name. */
static guint32
get_name (HirCuptiCorrelator *self, const HirCuptiRecord *record, const HirCuptiLaunch *launch)
{
  guint32 label = launch != NULL ? launch->name : 0;

  if (record->kind == HIR_CUPTI_KERNEL)
    return hir_cupti_labels_join (self->labels, label, (guint32) record->id);
  /* The label of a fill or copy instruction is enough. A fill or copy that a library makes for its
   * kernels also needs its own name. */
  if (label != 0 && (launch->kind == HIR_EVENT_MEMSET || launch->kind == HIR_EVENT_MEMCPY))
    return label;
  return hir_cupti_labels_join (self->labels, label, get_fill_name (self, record));
}

/* For a copy between devices CUPTI 13.0 reports another stream than that of the call. Such a copy
 * is on the track of its communication. */
static guint16
get_track (HirCuptiCorrelator *self, const HirCuptiRecord *record, const HirCuptiLaunch *launch)
{
  guint16 track;

  if (launch != NULL && launch->kind == HIR_EVENT_COMMUNICATION && record->kind == HIR_CUPTI_COPY &&
      record->detail == HIR_CUPTI_COPY_PEER &&
      !hir_cupti_tracks_lookup_stream (self->tracks, record->context, record->stream, &track))
    return launch->track;
  return hir_cupti_tracks_get_stream (self->tracks, record->context, record->stream, record->device,
                                      launch != NULL
                                          ? hir_cupti_tracks_get_rank (self->tracks, launch->track)
                                          : -1);
}

static void
emit_work (HirCuptiCorrelator *self, const HirCuptiRecord *record, HirCuptiLaunch *launch)
{
  HirEvent event = { 0 };

  fill_event (&event, record, launch);
  event.kind = get_kind (record, launch);
  event.name = get_name (self, record, launch);
  event.track = get_track (self, record, launch);
  event.bytes = record->bytes;
  /* Only the first kernel of a launch gets its bytes and flops. */
  if (launch != NULL && record->kind == HIR_CUPTI_KERNEL && launch->n_kernels++ == 0)
    {
      event.bytes = launch->bytes;
      event.flops = launch->flops;
    }
  if (launch != NULL)
    launch->n_events++;
  hir_recorder_add (self->recorder, &event);
  self->counts.n_device++;
  self->counts.n_kernels += event.kind == HIR_EVENT_KERNEL;
  self->counts.n_copies += event.kind == HIR_EVENT_MEMCPY;
  self->counts.n_fills += event.kind == HIR_EVENT_MEMSET;
  if (launch == NULL)
    self->counts.n_unowned++;
  if (self->full)
    hir_cupti_waits_add_work (self->waits, record, &event);
}

static void
emit_wait (HirCuptiCorrelator *self, const HirCuptiRecord *record, const HirCuptiLaunch *launch)
{
  guint16 track;

  /* Skips internal streams of libraries on which nothing ran. */
  if (hir_cupti_tracks_lookup_stream (self->tracks, record->context, record->stream, &track))
    hir_cupti_waits_add_wait (self->waits, record, track, launch);
}

/* Returns FALSE if the launch of @record is not known yet. */
static gboolean
try_emit (HirCuptiCorrelator *self, const HirCuptiRecord *record, gboolean is_last)
{
  guint64 id = hir_cupti_ids_get (self->ids, record->correlation);
  HirCuptiLaunch *launch = NULL;

  if (id == 0 && !is_last)
    return FALSE;
  if (id != 0 && id != HIR_CUPTI_NOBODY)
    {
      launch = hir_cupti_launches_lookup (self->launches, id);
      if (launch == NULL)
        self->counts.n_forgotten++;
    }
  if (record->kind == HIR_CUPTI_SYNC)
    emit_wait (self, record, launch);
  else
    emit_work (self, record, launch);
  return TRUE;
}

static void
emit_parked (HirCuptiCorrelator *self, gboolean is_last)
{
  guint n_kept = 0;

  for (guint i = 0; i < self->parked->len; i++)
    {
      HirCuptiRecord *records = (HirCuptiRecord *) self->parked->data;

      if (!try_emit (self, &records[i], is_last))
        records[n_kept++] = records[i];
    }
  g_array_set_size (self->parked, n_kept);
}

static void
take_work (HirCuptiCorrelator *self, HirCuptiRecord *record)
{
  if (record->kind == HIR_CUPTI_KERNEL)
    record->id = hir_cupti_labels_get_kernel (self->labels, record->name);
  record->name = NULL;
  if (!try_emit (self, record, FALSE))
    g_array_append_val (self->parked, *record);
}

static void
emit_call (HirCuptiCorrelator *self, const HirCuptiRecord *record, int rank)
{
  guint64 id = hir_cupti_ids_get (self->ids, record->correlation);
  guint32 *cached = record->detail < MAX_CALLS
                        ? &self->call_names[record->detail + (record->is_runtime ? MAX_CALLS : 0)]
                        : NULL;
  const char *name = cached != NULL && *cached > 0
                         ? NULL
                         : hir_cupti_call_get_name (record->is_runtime, record->detail);
  HirEvent event = { 0 };

  fill_event (&event, record, hir_cupti_launches_lookup (self->launches, id));
  event.kind = HIR_EVENT_HOST;
  event.name = intern_once (self, cached, name != NULL ? name : "CUDA call");
  event.track = hir_cupti_tracks_get_calls (self->tracks, record->thread, rank);
  hir_recorder_add (self->recorder, &event);
}

/* Returns the rank of the calling thread, or -1 if it is not known (yet). */
static int
find_rank (HirCuptiCorrelator *self, const HirCuptiRecord *record, const HirCuptiLaunch *launch)
{
  gpointer thread = GUINT_TO_POINTER (record->thread);
  int rank = launch != NULL ? hir_cupti_tracks_get_rank (self->tracks, launch->track) : -1;

  if (rank < 0)
    return GPOINTER_TO_INT (g_hash_table_lookup (self->thread_ranks, thread)) - 1;
  if (self->last_thread != thread || self->last_rank != rank)
    g_hash_table_insert (self->thread_ranks, thread, GINT_TO_POINTER (rank + 1));
  self->last_thread = thread;
  self->last_rank = rank;
  return rank;
}

static void
take_call (HirCuptiCorrelator *self, HirCuptiRecord *record)
{
  guint64 id = hir_cupti_ids_get (self->ids, record->correlation);
  int rank;

  /* CUPTI writes the external id of a call before the call itself, to the same buffer. */
  if (id == 0)
    hir_cupti_ids_set (self->ids, record->correlation, HIR_CUPTI_NOBODY);
  if (!self->full)
    return;
  rank = find_rank (self, record, hir_cupti_launches_lookup (self->launches, id));
  if (rank >= 0)
    emit_call (self, record, rank);
  else if (self->held->len < MAX_HELD_CALLS)
    g_array_append_val (self->held, *record);
  else
    self->counts.n_calls_left_out++;
}

static void
take_overhead (HirCuptiCorrelator *self, const HirCuptiRecord *record)
{
  HirEvent event = {
    .kind = HIR_EVENT_HOST, .iteration = -1, .phase = HIR_PHASE_SETUP, .start_ns = record->start_ns
  };

  event.end_ns = record->end_ns;
  event.name = hir_recorder_intern (self->recorder, hir_cupti_overhead_get_name (record->detail));
  event.track = hir_cupti_tracks_get_overhead (self->tracks);
  hir_recorder_add (self->recorder, &event);
}

/* A range is a START marker with the name and a later END marker with the same number. */
static void
take_marker (HirCuptiCorrelator *self, const HirCuptiRecord *record)
{
  Note note = { 0, record->start_ns };
  const Note *begun = g_hash_table_lookup (self->notes, &record->id);
  HirEvent event = { .kind = HIR_EVENT_HOST, .iteration = -1, .end_ns = record->start_ns };
  int rank = find_rank (self, record, NULL);

  if ((record->detail & HIR_CUPTI_MARKER_END) != 0)
    {
      if (begun == NULL)
        return;
      event.name = begun->name;
      event.start_ns = begun->start_ns;
    }
  else
    {
      g_autofree char *valid = g_utf8_make_valid (record->name != NULL ? record->name : "mark", -1);

      note.name = hir_recorder_intern (self->recorder, valid);
      if ((record->detail & HIR_CUPTI_MARKER_START) != 0)
        {
          g_hash_table_replace (self->notes, g_memdup2 (&record->id, sizeof record->id),
                                g_memdup2 (&note, sizeof note));
          return;
        }
      event.name = note.name;
      event.start_ns = record->start_ns;
    }
  event.phase = HIR_PHASE_SETUP;
  event.track =
      hir_cupti_tracks_get_notes (self->tracks, record->thread,
                                  rank >= 0 ? rank
                                            : hir_cupti_tracks_get_first_rank (self->tracks));
  hir_recorder_add (self->recorder, &event);
  g_hash_table_remove (self->notes, &record->id);
}

void
hir_cupti_correlator_take (const HirCuptiRecord *from, gpointer user_data)
{
  HirCuptiCorrelator *self = user_data;
  HirCuptiRecord record = *from;

  record.start_ns = from->start_ns != 0 ? from->start_ns - self->zero_ns : 0;
  record.end_ns = from->end_ns - self->zero_ns;
  switch (record.kind)
    {
    case HIR_CUPTI_KERNEL:
    case HIR_CUPTI_COPY:
    case HIR_CUPTI_FILL:
      take_work (self, &record);
      break;
    case HIR_CUPTI_CALL:
      take_call (self, &record);
      break;
    case HIR_CUPTI_EXTERNAL:
      if (record.detail == HIR_CUPTI_EXTERNAL_CUSTOM0)
        hir_cupti_ids_set (self->ids, record.correlation, record.id);
      break;
    case HIR_CUPTI_SYNC:
      /* Waits of the host are recorded as calls. */
      if (record.detail == HIR_CUPTI_SYNC_STREAM_WAIT)
        g_array_append_val (self->parked, record);
      break;
    case HIR_CUPTI_EVENT:
      hir_cupti_waits_add_record (self->waits, &record);
      break;
    case HIR_CUPTI_OVERHEAD:
      take_overhead (self, &record);
      break;
    case HIR_CUPTI_MARKER:
    default:
      take_marker (self, &record);
      break;
    }
}

void
hir_cupti_correlator_end_buffer (HirCuptiCorrelator *self)
{
  emit_parked (self, FALSE);
}

static gboolean
expects_work (const HirCuptiLaunch *launch)
{
  return launch->kind == HIR_EVENT_KERNEL || launch->kind == HIR_EVENT_MEMCPY ||
         launch->kind == HIR_EVENT_MEMSET || launch->kind == HIR_EVENT_COMMUNICATION;
}

static void
count_launch (const HirCuptiLaunch *launch, gpointer user_data)
{
  HirCuptiCorrelator *self = user_data;
  gpointer name = GUINT_TO_POINTER (launch->name);

  if (!expects_work (launch))
    return;
  self->counts.n_launches++;
  if (launch->n_events > 0)
    return;
  self->counts.n_silent++;
  g_hash_table_insert (self->silent, name,
                       GUINT_TO_POINTER (
                           GPOINTER_TO_UINT (g_hash_table_lookup (self->silent, name)) + 1));
}

void
hir_cupti_correlator_retire (HirCuptiCorrelator *self, gint64 age_ns)
{
  Sample now = { hir_clock_now_ns (), hir_cupti_launches_get_n (self->launches) };
  guint n_old = 0;

  g_array_append_val (self->samples, now);
  while (n_old < self->samples->len &&
         g_array_index (self->samples, Sample, n_old).time_ns < now.time_ns - age_ns)
    n_old++;
  hir_cupti_ids_tick (self->ids, now.time_ns, now.time_ns - age_ns);
  if (n_old == 0)
    return;
  hir_cupti_launches_retire (self->launches, g_array_index (self->samples, Sample, n_old - 1).n,
                             count_launch, self);
  g_array_remove_range (self->samples, 0, n_old);
}

void
hir_cupti_correlator_finish (HirCuptiCorrelator *self)
{
  emit_parked (self, TRUE);
  for (guint i = 0; i < self->held->len; i++)
    {
      const HirCuptiRecord *record = &g_array_index (self->held, HirCuptiRecord, i);
      int rank = find_rank (self, record, NULL);

      emit_call (self, record, rank >= 0 ? rank : hir_cupti_tracks_get_first_rank (self->tracks));
    }
  g_array_set_size (self->held, 0);
  hir_cupti_waits_finish (self->waits, self->recorder, &self->counts.n_waits_left_out);
  hir_cupti_launches_retire (self->launches, hir_cupti_launches_get_n (self->launches),
                             count_launch, self);
}

void
hir_cupti_correlator_get_counts (HirCuptiCorrelator *self, HirCuptiCounts *counts)
{
  *counts = self->counts;
}

char **
hir_cupti_correlator_dup_account (HirCuptiCorrelator *self)
{
  GPtrArray *lines = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer name, n;

  g_hash_table_iter_init (&iter, self->silent);
  while (lines->len < MAX_ACCOUNT_LINES && g_hash_table_iter_next (&iter, &name, &n))
    g_ptr_array_add (lines, g_strdup_printf ("%u launches of %s gave no event on the device",
                                             GPOINTER_TO_UINT (n),
                                             hir_recorder_get_string (self->recorder,
                                                                      GPOINTER_TO_UINT (name))));
  if (lines->len < g_hash_table_size (self->silent))
    g_ptr_array_add (lines, g_strdup_printf ("and launches of %u more instructions",
                                             g_hash_table_size (self->silent) - lines->len));
  g_ptr_array_add (lines, NULL);
  return (char **) g_ptr_array_free (lines, FALSE);
}

GHashTable *
hir_cupti_correlator_get_symbols (HirCuptiCorrelator *self)
{
  return hir_cupti_labels_get_symbols (self->labels);
}
