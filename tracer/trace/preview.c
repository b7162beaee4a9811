#include "trace/preview.h"

#include <string.h>
#include <time.h>

#include "trace/headroom.h"
#include "trace/trace-builder-private.h"

#define FIRST_US (300 * G_TIME_SPAN_MILLISECOND) /* faster loads need no preview */
#define INTERVAL_US (300 * G_TIME_SPAN_MILLISECOND)
/* Share of the CPU time of loading. Not of wall time, which also passes while other processes use
 * the machine. */
#define SHARE 0.02
/* A trace that has grown by this factor gets a preview regardless of cost. All such previews
 * together cost a third of one of the whole trace. */
#define GROWTH 4
#define BYTES_AN_EVENT 48
/* A copy, the previous preview, and temporary memory for sorting. */
#define COPIES 3

typedef struct
{
  HirTraceBuilder *copy;
  const HirTraceBuilder *ended; /* nullable */
  gboolean has_begun, is_in_round, is_wanted;
  guint64 n_events;
  gpointer extra;
} Part;

struct _HirPreview
{
  HirPreviewClass class;
  gint64 begun_cpu_us; /* of the process */

  GMutex mutex; /* guards the fields below */
  GCond changed;
  Part *parts;
  GThread *thread; /* NULL until the first preview is due */
  gboolean is_gathering, is_making, is_forced, is_over;
  gint64 next_us;
  gint64 spent_us;        /* CPU time of all previews */
  gint64 round_us;        /* CPU time of the current preview */
  gint64 last_us;         /* CPU time of the previous preview */
  guint64 n_last, n_made; /* events of the previous and of the current preview */
};

static gint64
read_cpu_us (clockid_t clock)
{
  struct timespec now;

  if (clock_gettime (clock, &now) != 0)
    return 0;
  return (gint64) now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

static gint64
thread_cpu_us (void)
{
  return read_cpu_us (CLOCK_THREAD_CPUTIME_ID);
}

HirPreview *
hir_preview_new (const HirPreviewClass *klass)
{
  HirPreview *self = g_new0 (HirPreview, 1);

  g_return_val_if_fail (klass->n_parts > 0 && (klass->make != NULL || klass->n_parts == 1), NULL);
  self->class = *klass;
  self->parts = g_new0 (Part, klass->n_parts);
  for (guint i = 0; i < klass->n_parts; i++)
    self->parts[i].extra = g_malloc0 (MAX (klass->extra_bytes, 1));
  self->begun_cpu_us = read_cpu_us (CLOCK_PROCESS_CPUTIME_ID);
  self->next_us = g_get_monotonic_time () + FIRST_US;
  g_mutex_init (&self->mutex);
  g_cond_init (&self->changed);
  return self;
}

void
hir_preview_free (HirPreview *self)
{
  if (self == NULL)
    return;
  g_mutex_lock (&self->mutex);
  self->is_over = TRUE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->mutex);
  if (self->thread != NULL)
    g_thread_join (self->thread);
  for (guint i = 0; i < self->class.n_parts; i++)
    {
      hir_trace_builder_free (self->parts[i].copy);
      g_free (self->parts[i].extra);
    }
  g_free (self->parts);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->changed);
  g_free (self);
}

/* --- making previews
 * --------------------------------------------------------------------------- */

/* Takes the copied parts of the round, and copies parts that have ended. Called with the mutex
 * held; releases it while copying, because no thread adds to an ended part. Returns FALSE if a copy
 * failed, because the preview would be incomplete. */
static gboolean
take_parts (HirPreview *self, HirPreviewPart *parts, char *extras)
{
  g_autofree const HirTraceBuilder **ended = g_new0 (const HirTraceBuilder *, self->class.n_parts);
  gboolean is_whole = TRUE;

  for (guint i = 0; i < self->class.n_parts; i++)
    {
      Part *part = &self->parts[i];

      parts[i].builder = g_steal_pointer (&part->copy);
      ended[i] = part->is_in_round ? part->ended : NULL;
      is_whole = is_whole && (parts[i].builder != NULL || ended[i] != NULL || !part->is_in_round);
      if (!part->is_in_round)
        continue;
      parts[i].extra = extras + i * self->class.extra_bytes;
      memcpy (extras + i * self->class.extra_bytes, part->extra, self->class.extra_bytes);
    }
  g_mutex_unlock (&self->mutex);
  for (guint i = 0; i < self->class.n_parts && is_whole; i++)
    if (parts[i].builder == NULL && ended[i] != NULL)
      {
        parts[i].builder = hir_trace_builder_copy (ended[i]);
        is_whole = parts[i].builder != NULL;
      }
  g_mutex_lock (&self->mutex);
  return is_whole;
}

/* Called with the mutex held; releases it while working. */
static HirTrace *
make_picture (HirPreview *self)
{
  g_autofree HirPreviewPart *parts = g_new0 (HirPreviewPart, self->class.n_parts);
  g_autofree char *extras = g_malloc0 (self->class.n_parts * self->class.extra_bytes + 1);
  gboolean is_whole = take_parts (self, parts, extras);
  HirTrace *trace = NULL;

  g_mutex_unlock (&self->mutex);
  if (!is_whole)
    for (guint i = 0; i < self->class.n_parts; i++)
      hir_trace_builder_free (parts[i].builder);
  else if (self->class.make != NULL)
    trace = self->class.make (parts, self->class.user_data);
  else
    trace = hir_trace_builder_try_finish (parts[0].builder, NULL);
  g_mutex_lock (&self->mutex);
  return trace;
}

static void
make_and_show (HirPreview *self)
{
  gint64 start_us = thread_cpu_us ();
  HirTrace *trace = make_picture (self);

  g_mutex_unlock (&self->mutex);
  if (trace != NULL)
    {
      self->class.show (trace, self->class.user_data);
      hir_trace_unref (trace);
    }
  g_mutex_lock (&self->mutex);
  self->last_us = self->round_us + thread_cpu_us () - start_us;
  self->spent_us += self->last_us;
  self->n_last = self->n_made;
  self->next_us = g_get_monotonic_time () + INTERVAL_US;
  self->is_making = FALSE;
  g_cond_broadcast (&self->changed);
}

static gpointer
make_in_thread (gpointer data)
{
  HirPreview *self = data;

  g_mutex_lock (&self->mutex);
  while (!self->is_over)
    if (self->is_making)
      make_and_show (self);
    else
      g_cond_wait (&self->changed, &self->mutex);
  g_mutex_unlock (&self->mutex);
  return NULL;
}

/* --- gathering ---------------------------------------------------------------------------------
 * The functions below are called with the mutex held. */

/* Returns TRUE if the system does not report its memory. */
static gboolean
has_memory_for (guint64 n_events)
{
  g_autofree char *text = NULL;
  const char *line;
  guint64 available;

  if (!hir_has_headroom ())
    return FALSE;
  if (!g_file_get_contents ("/proc/meminfo", &text, NULL, NULL) ||
      (line = strstr (text, "MemAvailable:")) == NULL)
    return TRUE;
  available = g_ascii_strtoull (line + strlen ("MemAvailable:"), NULL, 10) * 1024;
  return n_events * BYTES_AN_EVENT * COPIES < available;
}

static guint64
count_events (const HirPreview *self)
{
  guint64 n = 0;

  for (guint i = 0; i < self->class.n_parts; i++)
    n += self->parts[i].n_events;
  return n;
}

static gboolean
is_due (HirPreview *self, gint64 now_us)
{
  guint64 n = count_events (self);
  double cost_us;
  gint64 loading_us;

  if (self->is_forced)
    return n > 0;
  if (now_us < self->next_us || n <= self->n_last)
    return FALSE;
  if (self->n_last > 0 && n / GROWTH < self->n_last)
    {
      cost_us = (double) self->last_us * (double) n / (double) self->n_last;
      loading_us = read_cpu_us (CLOCK_PROCESS_CPUTIME_ID) - self->begun_cpu_us - self->spent_us;
      if ((double) self->spent_us + cost_us > SHARE * (double) loading_us)
        return FALSE;
    }
  if (has_memory_for (n))
    return TRUE;
  self->next_us = now_us + INTERVAL_US;
  return FALSE;
}

static void
begin_round (HirPreview *self)
{
  self->is_gathering = TRUE;
  self->round_us = 0;
  for (guint i = 0; i < self->class.n_parts; i++)
    {
      self->parts[i].is_in_round = self->parts[i].has_begun;
      self->parts[i].is_wanted = self->parts[i].has_begun && self->parts[i].ended == NULL;
    }
  g_cond_broadcast (&self->changed);
}

static void
end_round_if_complete (HirPreview *self)
{
  if (!self->is_gathering)
    return;
  for (guint i = 0; i < self->class.n_parts; i++)
    if (self->parts[i].is_wanted)
      return;
  self->is_gathering = self->is_forced = FALSE;
  self->n_made = count_events (self);
  if (self->thread == NULL)
    self->thread = g_thread_try_new ("hir-preview", make_in_thread, self, NULL);
  self->is_making = self->thread != NULL;
  g_cond_broadcast (&self->changed);
}

static void
offer (HirPreview *self, Part *part, const HirTraceBuilder *builder, gconstpointer extra)
{
  part->n_events = hir_trace_builder_get_n_events (builder);
  part->has_begun = part->has_begun || part->n_events > 0;
  if (!self->is_gathering && !self->is_making && is_due (self, g_get_monotonic_time ()))
    begin_round (self);
  if (part->is_wanted)
    {
      gint64 start_us = thread_cpu_us ();

      /* Other parts continue meanwhile. */
      g_mutex_unlock (&self->mutex);
      hir_trace_builder_free (part->copy);
      part->copy = hir_trace_builder_copy (builder);
      g_mutex_lock (&self->mutex);
      if (extra != NULL)
        memcpy (part->extra, extra, self->class.extra_bytes);
      self->round_us += thread_cpu_us () - start_us;
      part->is_wanted = FALSE;
      end_round_if_complete (self);
    }
}

void
hir_preview_offer (HirPreview *self,
                   guint part,
                   const HirTraceBuilder *builder,
                   gconstpointer extra)
{
  if (self == NULL)
    return;
  g_mutex_lock (&self->mutex);
  offer (self, &self->parts[part], builder, extra);
  g_mutex_unlock (&self->mutex);
}

void
hir_preview_force (HirPreview *self,
                   guint part,
                   const HirTraceBuilder *builder,
                   gconstpointer extra)
{
  if (self == NULL)
    return;
  g_mutex_lock (&self->mutex);
  while (self->is_making)
    g_cond_wait (&self->changed, &self->mutex);
  self->is_forced = TRUE;
  offer (self, &self->parts[part], builder, extra);
  /* Another part may start a round that includes this part. */
  while (self->is_gathering || self->is_making)
    if (self->parts[part].is_wanted)
      offer (self, &self->parts[part], builder, extra);
    else
      g_cond_wait (&self->changed, &self->mutex);
  g_mutex_unlock (&self->mutex);
}

void
hir_preview_end (HirPreview *self, guint part, const HirTraceBuilder *builder, gconstpointer extra)
{
  Part *ended;

  if (self == NULL)
    return;
  ended = &self->parts[part];
  g_mutex_lock (&self->mutex);
  ended->is_wanted = FALSE;
  ended->ended = builder;
  ended->has_begun = builder != NULL;
  ended->is_in_round = ended->is_in_round && builder != NULL;
  ended->n_events = builder != NULL ? hir_trace_builder_get_n_events (builder) : 0;
  if (builder != NULL && extra != NULL)
    memcpy (ended->extra, extra, self->class.extra_bytes);
  end_round_if_complete (self);
  g_mutex_unlock (&self->mutex);
}
