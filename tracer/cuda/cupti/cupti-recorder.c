#include "cuda/cupti/cupti-recorder.h"

#include "cuda/cupti/cupti-buffers.h"
#include "record/clock.h"

#define FLUSH_INTERVAL_NS (G_GINT64_CONSTANT (500) * 1000 * 1000)
#define POP_TIMEOUT_US (100 * 1000)
/* Age at which launches are discarded; longer than a kernel may run (--timeout). */
#define LAUNCH_AGE_NS (G_GINT64_CONSTANT (20) * 1000 * 1000 * 1000)
#define MAX_CLOCK_ERROR_NS 1000
/* Number of CUPTI's device buffers. Further ones would block the launching threads. */
#define N_DEVICE_BUFFERS 8

struct _HirCuptiRecorder
{
  HirCudaLibs *libs;
  const HirCuptiApi *api;
  HirCuptiLevel level;
  HirCuptiBuffers *buffers;
  HirCuptiLaunches *launches;
  HirCuptiCorrelator *correlator;
  HirCuptiSummary summary;
  HirCuptiLaunched launched;
  gint has_zero, is_stopping; /* atomic */
  gboolean is_finished;
  GThread *thread;
};

/* Ids of calls that only record events, wait or synchronize, traced only at the full level. The
 * calls that launch work are always traced, because only their records map work to launch numbers.
 */
static const guint32 driver_sync_calls[] = { 17, 119, 121, 126, 295, 0 };
static const guint32 runtime_sync_calls[] = { 131, 135, 137, 147, 165, 370, 0 };

static gboolean
check_result (const HirCuptiApi *api, HirCuptiResult result, const char *what, GError **error)
{
  const char *text = NULL;

  if (result == HIR_CUPTI_SUCCESS)
    return TRUE;
  if (result == HIR_CUPTI_ERROR_MULTIPLE_SUBSCRIBERS)
    hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                   "another tool (Nsight, a framework's profiler) traces this process already, and "
                   "CUPTI supports one tool at a time; run without it, or with --trace off");
  else if (result == HIR_CUPTI_ERROR_INSUFFICIENT_PRIVILEGES)
    hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                   "this user may not trace GPUs; ask an administrator to set "
                   "NVreg_RestrictProfilingToAdminUsers=0, or run with --trace off");
  else
    hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                   "CUPTI failed while %s: %s; to run without a trace, use --trace off", what,
                   api->get_result_string (result, &text) == HIR_CUPTI_SUCCESS && text != NULL
                       ? text
                       : "an unknown error");
  return FALSE;
}

static uint64_t
read_clock (void)
{
  return (uint64_t) hir_clock_now_ns ();
}

/* Sets clock and buffer callbacks once per process. CUPTI converts device times when records are
 * requested, so changing the clock would distort the times of pending records. */
static gboolean
register_for_life (const HirCuptiApi *api, GError **error)
{
  static gsize is_done;
  gboolean done;

  if (!g_once_init_enter (&is_done))
    return check_result (api, is_done == 1 ? HIR_CUPTI_SUCCESS : HIR_CUPTI_ERROR_INVALID_KIND,
                         "setting its clock and buffers", error);
  done =
      check_result (api, api->register_clock (read_clock), "setting its clock", error) &&
      check_result (api,
                    api->register_callbacks (hir_cupti_buffers_request, hir_cupti_buffers_complete),
                    "registering buffers", error);
  g_once_init_leave (&is_done, done ? 1 : 2);
  return done;
}

/* Checks that CUPTI uses our clock: its reading must lie between two readings of ours. Of several
 * attempts, the one with the closest pair counts, because a thread that is preempted between its
 * readings would accept any value. */
static gboolean
check_clock (HirCuptiRecorder *self, GError **error)
{
  gint64 nearest = G_MAXINT64, off = 0;

  for (guint i = 0; i < 8; i++)
    {
      uint64_t time = 0;
      gint64 before = hir_clock_now_ns (), after;
      HirCuptiResult result = self->api->get_timestamp (&time);

      after = hir_clock_now_ns ();
      if (!check_result (self->api, result, "reading its clock", error))
        return FALSE;
      if (after - before >= nearest)
        continue;
      nearest = after - before;
      off = MAX (0, MAX (before - (gint64) time, (gint64) time - after));
    }
  self->summary.clock_error_ns = off;
  if (off <= MAX_CLOCK_ERROR_NS)
    return TRUE;
  hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                 "CUPTI's clock is %" G_GINT64_FORMAT
                 " ns off ours, so host and device times cannot be compared; "
                 "to run without a trace, use --trace off",
                 off);
  return FALSE;
}

/* Sets attributes that only affect speed, so failures are ignored. */
static void
set_attributes (HirCuptiRecorder *self)
{
  uint8_t zeroed = 1;
  size_t n = N_DEVICE_BUFFERS, size = sizeof zeroed;

  if (self->api->set_attribute (HIR_CUPTI_ATTRIBUTE_ZEROED_OUT_BUFFER, &size, &zeroed) !=
      HIR_CUPTI_SUCCESS)
    g_debug ("CUPTI zeroes its buffers itself");
  size = sizeof n;
  if (self->api->set_attribute (HIR_CUPTI_ATTRIBUTE_DEVICE_BUFFER_PRE_ALLOCATE, &size, &n) !=
      HIR_CUPTI_SUCCESS)
    g_debug ("CUPTI makes its device buffers as it needs them");
}

static gboolean
is_in (const guint32 *calls, guint32 call)
{
  while (*calls != 0)
    if (*calls++ == call)
      return TRUE;
  return FALSE;
}

/* Enables only the calls that launch work or wait, if the library can enable single calls. */
static gboolean
enable_calls (HirCuptiRecorder *self, GError **error)
{
#define ROW(id, name, constant) id,
  static const guint32 driver[] = { HIR_CUPTI_DRIVER_CALLS (ROW) };
  static const guint32 runtime[] = { HIR_CUPTI_RUNTIME_CALLS (ROW) };
#undef ROW
  const HirCuptiApi *api = self->api;
  gboolean full = self->level == HIR_CUPTI_LEVEL_FULL;

  if (api->enable_driver_call == NULL || api->enable_runtime_call == NULL)
    return check_result (api, api->enable (HIR_CUPTI_KIND_DRIVER), "tracing calls", error) &&
           check_result (api, api->enable (HIR_CUPTI_KIND_RUNTIME), "tracing calls", error);
  for (guint i = 0; i < G_N_ELEMENTS (driver); i++)
    if ((full || !is_in (driver_sync_calls, driver[i])) &&
        !check_result (api, api->enable_driver_call (driver[i], 1), "tracing driver calls", error))
      return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (runtime); i++)
    if ((full || !is_in (runtime_sync_calls, runtime[i])) &&
        !check_result (api, api->enable_runtime_call (runtime[i], 1), "tracing runtime calls",
                       error))
      return FALSE;
  return TRUE;
}

static const guint kernel_kinds[] = { HIR_CUPTI_KIND_CONCURRENT_KERNEL, HIR_CUPTI_KIND_MEMCPY,
                                      HIR_CUPTI_KIND_MEMCPY2, HIR_CUPTI_KIND_MEMSET,
                                      HIR_CUPTI_KIND_EXTERNAL_CORRELATION };
static const guint full_kinds[] = { HIR_CUPTI_KIND_SYNCHRONIZATION, HIR_CUPTI_KIND_CUDA_EVENT,
                                    HIR_CUPTI_KIND_OVERHEAD, HIR_CUPTI_KIND_MARKER };

static gboolean
enable_kinds (HirCuptiRecorder *self, GError **error)
{
  const HirCuptiApi *api = self->api;

  for (guint i = 0; i < G_N_ELEMENTS (kernel_kinds); i++)
    if (!check_result (api, api->enable (kernel_kinds[i]), "tracing device work", error))
      return FALSE;
  if (!enable_calls (self, error))
    return FALSE;
  if (self->level != HIR_CUPTI_LEVEL_FULL)
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (full_kinds); i++)
    if (!check_result (api, api->enable (full_kinds[i]), "tracing waits and overhead", error))
      return FALSE;
  if (api->enable_event_timestamps != NULL && api->enable_event_timestamps (1) != HIR_CUPTI_SUCCESS)
    g_debug ("CUPTI gives no times of events; they follow from the work before them");
  return TRUE;
}

static void
disable_all (HirCuptiRecorder *self)
{
  const HirCuptiApi *api = self->api;

  for (guint i = 0; i < G_N_ELEMENTS (kernel_kinds); i++)
    api->disable (kernel_kinds[i]);
  for (guint i = 0; i < G_N_ELEMENTS (full_kinds) && self->level == HIR_CUPTI_LEVEL_FULL; i++)
    api->disable (full_kinds[i]);
  api->disable (HIR_CUPTI_KIND_DRIVER);
  api->disable (HIR_CUPTI_KIND_RUNTIME);
}

static void
take_buffer (HirCuptiRecorder *self, const HirCuptiBuffer *buffer)
{
  size_t n_dropped = 0;

  hir_cupti_decode (self->api, self->summary.api_version, buffer->bytes, buffer->valid,
                    hir_cupti_correlator_take, self->correlator, &self->summary.decoded);
  hir_cupti_correlator_end_buffer (self->correlator);
  if (self->api->get_n_dropped (buffer->context, buffer->stream, &n_dropped) == HIR_CUPTI_SUCCESS)
    self->summary.n_dropped += n_dropped;
  hir_cupti_buffers_recycle (self->buffers, buffer);
}

static gpointer
run_decoder (gpointer data)
{
  HirCuptiRecorder *self = data;
  gint64 last_flush_ns = hir_clock_now_ns ();

  while (!g_atomic_int_get (&self->is_stopping))
    {
      HirCuptiBuffer buffer;

      if (!g_atomic_int_get (&self->has_zero))
        {
          g_usleep (1000);
          continue;
        }
      if (hir_cupti_buffers_pop (self->buffers, POP_TIMEOUT_US, &buffer))
        take_buffer (self, &buffer);
      hir_cupti_buffers_fill (self->buffers);
      hir_cupti_launches_prepare (self->launches);
      if (hir_clock_now_ns () - last_flush_ns < FLUSH_INTERVAL_NS)
        continue;
      /* Flushes complete buffers, so that their events are displayed soon and survive a crash. */
      self->api->flush_all (0);
      hir_cupti_correlator_retire (self->correlator, LAUNCH_AGE_NS);
      last_flush_ns = hir_clock_now_ns ();
    }
  return NULL;
}

static gboolean
start (HirCuptiRecorder *self, GError **error)
{
  const char *path = self->libs->libs[HIR_LIB_CUPTI].path;

  if (!check_result (self->api, self->api->get_version (&self->summary.api_version),
                     "reading its version", error))
    return FALSE;
  /* Libraries send their NVTX annotations to the library named in this variable. */
  if (self->level == HIR_CUPTI_LEVEL_FULL && path != NULL)
    g_setenv ("NVTX_INJECTION64_PATH", path, FALSE);
  set_attributes (self);
  hir_cupti_buffers_fill (self->buffers);
  hir_cupti_launches_prepare (self->launches);
  if (!register_for_life (self->api, error) || !check_clock (self, error))
    return FALSE;
  if (!enable_kinds (self, error))
    {
      disable_all (self);
      return FALSE;
    }
  self->thread = g_thread_new ("cupti", run_decoder, self);
  return TRUE;
}

HirCuptiRecorder *
hir_cupti_recorder_new (HirCudaLibs *libs,
                        HirRecorder *recorder,
                        HirCuptiLevel level,
                        GError **error)
{
  HirCuptiRecorder *self;

  if (!hir_cuda_libs_open (libs, HIR_LIB_CUPTI, error))
    return NULL;
  self = g_new0 (HirCuptiRecorder, 1);
  self->libs = libs;
  self->api = &libs->cupti;
  self->level = level;
  self->buffers = hir_cupti_buffers_get ();
  self->launches = hir_cupti_launches_new ();
  self->correlator =
      hir_cupti_correlator_new (recorder, self->launches, level == HIR_CUPTI_LEVEL_FULL);
  if (start (self, error))
    return self;
  self->is_finished = TRUE;
  hir_cupti_recorder_free (self);
  return NULL;
}

void
hir_cupti_recorder_free (HirCuptiRecorder *self)
{
  if (self == NULL)
    return;
  hir_cupti_recorder_finish (self);
  hir_cupti_correlator_free (self->correlator);
  hir_cupti_launches_free (self->launches);
  g_free (self);
}

void
hir_cupti_recorder_set_zero (HirCuptiRecorder *self, gint64 zero_ns)
{
  if (g_atomic_int_get (&self->has_zero))
    return;
  hir_cupti_correlator_set_zero (self->correlator, zero_ns);
  g_atomic_int_set (&self->has_zero, 1);
}

static void
push (gpointer tracer, const HirEvent *event)
{
  HirCuptiRecorder *self = tracer;
  guint64 id = hir_cupti_launches_add (self->launches, event);

  self->api->push_external (HIR_CUPTI_EXTERNAL_CUSTOM0, id != 0 ? id : G_MAXUINT64);
}

static void
pop (gpointer tracer)
{
  HirCuptiRecorder *self = tracer;
  uint64_t last;

  self->api->pop_external (HIR_CUPTI_EXTERNAL_CUSTOM0, &last);
}

static char *
dup_stream_name (gpointer tracer, int device, gpointer context, gpointer stream)
{
  HirCuptiRecorder *self = tracer;
  uint32_t id;

  return self->api->get_stream_id (context, stream, 0, &id) == HIR_CUPTI_SUCCESS
             ? g_strdup_printf ("GPU %d, stream %u", device, id)
             : NULL;
}

static void
set_stream_track (gpointer tracer, gpointer context, gpointer stream, guint track, int rank)
{
  HirCuptiRecorder *self = tracer;
  uint32_t context_id, id;

  if (self->api->get_stream_id (context, stream, 0, &id) == HIR_CUPTI_SUCCESS &&
      self->api->get_context_id (context, &context_id) == HIR_CUPTI_SUCCESS)
    hir_cupti_correlator_set_stream (self->correlator, context_id, id, track, rank);
}

const HirLaunchTracer *
hir_cupti_recorder_get_tracer (void)
{
  static const HirLaunchTracer tracer = { push, pop, dup_stream_name, set_stream_track };

  return &tracer;
}

void
hir_cupti_recorder_finish (HirCuptiRecorder *self)
{
  HirCuptiBuffer buffer;
  size_t n_dropped = 0;

  if (self->is_finished)
    return;
  self->is_finished = TRUE;
  self->api->flush_all (0);
  self->api->flush_all (HIR_CUPTI_FLUSH_FORCED);
  disable_all (self);
  g_atomic_int_set (&self->is_stopping, 1);
  hir_cupti_buffers_wake (self->buffers);
  g_thread_join (self->thread);
  while (hir_cupti_buffers_pop (self->buffers, 0, &buffer))
    take_buffer (self, &buffer);
  if (self->api->get_n_dropped (NULL, 0, &n_dropped) == HIR_CUPTI_SUCCESS)
    self->summary.n_dropped += n_dropped;
  self->summary.n_refused = hir_cupti_buffers_get_n_refused (self->buffers);
  hir_cupti_correlator_finish (self->correlator);
  hir_cupti_correlator_get_counts (self->correlator, &self->summary.events);
}

void
hir_cupti_recorder_get_summary (HirCuptiRecorder *self, HirCuptiSummary *summary)
{
  *summary = self->summary;
}

void
hir_cupti_recorder_set_launched (HirCuptiRecorder *self, const HirCuptiLaunched *launched)
{
  self->launched = *launched;
}

static void
add_missing (GPtrArray *lines, guint64 n_launched, guint64 n_recorded, const char *what)
{
  if (n_recorded < n_launched)
    g_ptr_array_add (lines, g_strdup_printf ("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                                             " %s that were launched are not recorded",
                                             n_launched - n_recorded, n_launched, what));
}

static void
add_line (GPtrArray *lines, guint64 n, const char *one, const char *many)
{
  if (n > 0)
    g_ptr_array_add (lines, g_strdup_printf ("%" G_GUINT64_FORMAT " %s", n, n == 1 ? one : many));
}

char **
hir_cupti_recorder_dup_account (HirCuptiRecorder *self)
{
  const HirCuptiSummary *summary = &self->summary;
  const HirCuptiCounts *events = &summary->events;
  g_auto (GStrv) launches = hir_cupti_correlator_dup_account (self->correlator);
  GPtrArray *lines = g_ptr_array_new ();

  add_line (lines, summary->n_dropped, "record of the GPU was dropped by CUPTI",
            "records of the GPU were dropped by CUPTI");
  add_line (lines, summary->n_refused, "trace buffer was not allocated for lack of memory",
            "trace buffers were not allocated for lack of memory");
  add_line (lines, summary->decoded.n_invalid, "record of the GPU was invalid",
            "records of the GPU were invalid");
  add_line (lines, summary->decoded.n_untimed, "record of the GPU has no time and is left out",
            "records of the GPU have no time and are left out");
  add_line (lines, summary->decoded.n_unknown, "record of the GPU has an unknown kind",
            "records of the GPU have unknown kinds");
  add_line (lines, events->n_forgotten, "event came so late that its launch was already discarded",
            "events came so late that their launches were already discarded");
  add_missing (lines, self->launched.n_kernels, events->n_kernels, "kernels");
  add_missing (lines, self->launched.n_copies, events->n_copies, "copies");
  add_missing (lines, self->launched.n_fills, events->n_fills, "fills");
  for (guint i = 0; launches[i] != NULL; i++)
    g_ptr_array_add (lines, g_strdup (launches[i]));
  add_line (lines, events->n_waits_left_out, "wait of a stream left out: too many",
            "waits of streams left out: too many");
  add_line (lines, events->n_calls_left_out, "host call left out: its rank is unknown",
            "host calls left out: their ranks are unknown");
  g_ptr_array_add (lines, NULL);
  return (char **) g_ptr_array_free (lines, FALSE);
}

void
hir_cupti_recorder_foreach_meta (HirCuptiRecorder *self,
                                 void (*func) (const char *key,
                                               const char *value,
                                               gpointer user_data),
                                 gpointer user_data)
{
  const HirCuptiSummary *summary = &self->summary;
  g_autofree char *text =
      g_strdup_printf ("version %u; records %" G_GUINT64_FORMAT ", dropped %" G_GUINT64_FORMAT
                       ", invalid %" G_GUINT64_FORMAT ", without a time %" G_GUINT64_FORMAT
                       "; device events %" G_GUINT64_FORMAT ", of no launch %" G_GUINT64_FORMAT
                       "; launches %" G_GUINT64_FORMAT ", without an event %" G_GUINT64_FORMAT
                       "; clock within %" G_GINT64_FORMAT " ns",
                       summary->api_version, summary->decoded.n_records, summary->n_dropped,
                       summary->decoded.n_invalid, summary->decoded.n_untimed,
                       summary->events.n_device, summary->events.n_unowned,
                       summary->events.n_launches, summary->events.n_silent,
                       summary->clock_error_ns);
  GHashTableIter iter;
  gpointer name, symbol;

  func ("cupti", text, user_data);
  g_hash_table_iter_init (&iter, hir_cupti_correlator_get_symbols (self->correlator));
  while (g_hash_table_iter_next (&iter, &name, &symbol))
    {
      g_autofree char *key = g_strdup_printf ("symbol %s", (const char *) name);

      func (key, symbol, user_data);
    }
}
