/* Fake CUPTI on top of the fake driver: writes records of its activity to the buffers of the
 * caller, in the layout of the real library. Environment variables:
 *
 *   FAKE_CUPTI_VERSION=24     cuptiGetVersion(), and the layout of records (default 130001)
 *   FAKE_CUPTI_FAIL=39        enabling returns this error (39: another tool is attached)
 *   FAKE_CUPTI_DROP=5         reports five dropped records
 *   FAKE_CUPTI_UNTIMED=3      every third kernel has no times
 *   FAKE_CUPTI_LOSE=Set       no records of kernels whose name contains "Set"
 *   FAKE_CUPTI_CLOCK_OFF=5000 cuptiGetTimestamp() is ahead of the given clock by 5000 ns
 *   FAKE_CUPTI_CLOCK_SLOW=1   every second clock reading returns late, as if the thread had been
 *                             preempted after reading */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "fake-cuda.h"
#include "fake-cupti-walk.h"

#define FAKE_EXPORT __attribute__ ((visibility ("default")))
#define DECLARE(field, symbol, parameters) FAKE_EXPORT HirCuptiResult symbol parameters;
HIR_CUPTI_FUNCTIONS (DECLARE)
HIR_CUPTI_NEWER_FUNCTIONS (DECLARE)
#undef DECLARE

#define MAX_CALLS 1024
#define MAX_KINDS 64

typedef struct
{
  GMutex lock; /* not held while the callbacks run */
  guint32 version;
  HirCuptiRequest request;
  HirCuptiComplete complete;
  HirCuptiClock clock;
  gboolean kinds[MAX_KINDS];
  gboolean calls[2][MAX_CALLS]; /* driver, runtime */
  guint8 *buffer;
  gsize size, used;
  guint n_kernels;
  gint n_readings; /* number of clock readings */
  gsize n_dropped;
  GPtrArray *names; /* char*, referenced by records */
} FakeCupti;

static guint
get_number (const char *name, guint otherwise)
{
  const char *text = g_getenv (name);

  return text != NULL ? (guint) atoi (text) : otherwise;
}

static FakeCupti *
new_state (void)
{
  FakeCupti *cupti = g_new0 (FakeCupti, 1);

  g_mutex_init (&cupti->lock);
  cupti->version = get_number ("FAKE_CUPTI_VERSION", 130001);
  cupti->n_dropped = get_number ("FAKE_CUPTI_DROP", 0);
  cupti->names = g_ptr_array_new ();
  return cupti;
}

static FakeCupti *
get_cupti (void)
{
  static gsize state;

  if (g_once_init_enter (&state))
    g_once_init_leave (&state, (gsize) new_state ());
  return (FakeCupti *) state;
}

static gpointer
find_in_driver (const char *symbol)
{
  gpointer driver = dlopen ("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);

  return driver != NULL ? dlsym (driver, symbol) : NULL;
}

/* Returns the external ids pushed by this thread: GArray of guint64. */
static GArray *
get_stack (void)
{
  static GPrivate stack = G_PRIVATE_INIT ((GDestroyNotify) g_array_unref);
  GArray *array = g_private_get (&stack);

  if (array == NULL)
    {
      array = g_array_new (FALSE, FALSE, sizeof (guint64));
      g_private_set (&stack, array);
    }
  return array;
}

/* Returns a zeroed record of @kind, or NULL if there is no space. Call with the lock held, which is
 * released during callbacks. */
static gpointer
add_record (FakeCupti *cupti, guint32 kind)
{
  gsize size = fake_cupti_get_size (cupti->version, kind);
  HirCuptiActivity *record;

  if (cupti->buffer != NULL && cupti->size - cupti->used < size)
    {
      guint8 *full = cupti->buffer;
      gsize full_size = cupti->size, used = cupti->used;

      cupti->buffer = NULL;
      g_mutex_unlock (&cupti->lock);
      cupti->complete (NULL, 0, full, full_size, used);
      g_mutex_lock (&cupti->lock);
    }
  if (cupti->buffer == NULL)
    {
      size_t max_records;

      cupti->request (&cupti->buffer, &cupti->size, &max_records);
      cupti->used = 0;
    }
  if (cupti->buffer == NULL || cupti->size - cupti->used < size)
    {
      cupti->n_dropped++;
      return NULL;
    }
  record = (HirCuptiActivity *) (cupti->buffer + cupti->used);
  cupti->used += size;
  record->kind = kind;
  return record;
}

static guint32
get_call (const char *name, gboolean *is_runtime)
{
  g_autofree char *plain = g_strdup (name);
  char *version = strstr (plain, "_v2");

  if (version != NULL)
    *version = '\0';
#define ROW(id, call, constant)                                                                    \
  if (strcmp (plain, #call) == 0)                                                                  \
    return id;
  *is_runtime = FALSE;
  HIR_CUPTI_DRIVER_CALLS (ROW)
  *is_runtime = TRUE;
  HIR_CUPTI_RUNTIME_CALLS (ROW)
#undef ROW
  g_error ("the fake driver has a call that the fake CUPTI does not know: %s", name);
}

static void
add_call (FakeCupti *cupti, const FakeActivity *activity)
{
  gboolean is_runtime;
  guint32 call = get_call (activity->call, &is_runtime);
  GArray *stack = get_stack ();
  HirCuptiCall *record;

  if (!cupti->calls[is_runtime][call] &&
      !cupti->kinds[is_runtime ? HIR_CUPTI_KIND_RUNTIME : HIR_CUPTI_KIND_DRIVER])
    return;
  if (stack->len > 0 && cupti->kinds[HIR_CUPTI_KIND_EXTERNAL_CORRELATION])
    {
      HirCuptiExternal *external = add_record (cupti, HIR_CUPTI_KIND_EXTERNAL_CORRELATION);

      if (external != NULL)
        {
          external->external_kind = HIR_CUPTI_EXTERNAL_CUSTOM0;
          external->id = g_array_index (stack, guint64, stack->len - 1);
          external->correlation = activity->correlation;
        }
    }
  record = add_record (cupti, is_runtime ? HIR_CUPTI_KIND_RUNTIME : HIR_CUPTI_KIND_DRIVER);
  if (record == NULL)
    return;
  record->call = call;
  record->start = (guint64) activity->start_ns;
  record->end = (guint64) activity->end_ns;
  record->thread = (guint32) (gsize) get_stack ();
  record->correlation = activity->correlation;
}

static void
add_sync (FakeCupti *cupti, const FakeActivity *activity)
{
  HirCuptiSync *record;

  if (!cupti->kinds[HIR_CUPTI_KIND_SYNCHRONIZATION])
    return;
  record = add_record (cupti, HIR_CUPTI_KIND_SYNCHRONIZATION);
  if (record == NULL)
    return;
  record->type =
      activity->kind == FAKE_STREAM_WAIT ? HIR_CUPTI_SYNC_STREAM_WAIT : HIR_CUPTI_SYNC_CONTEXT;
  record->start = (guint64) activity->start_ns;
  record->end = (guint64) activity->end_ns;
  record->correlation = activity->correlation;
  record->context = activity->device + 1;
  record->stream = activity->stream;
  record->event = activity->event;
  if (hir_cupti_has_event_sync (cupti->version))
    ((HirCuptiSync2 *) record)->event_sync = activity->event_sync;
}

static void
add_event (FakeCupti *cupti, const FakeActivity *activity)
{
  HirCuptiEvent *record;

  if (!cupti->kinds[HIR_CUPTI_KIND_CUDA_EVENT])
    return;
  record = add_record (cupti, HIR_CUPTI_KIND_CUDA_EVENT);
  if (record == NULL)
    return;
  record->correlation = activity->correlation;
  record->context = activity->device + 1;
  record->stream = activity->stream;
  record->event = activity->event;
  if (!hir_cupti_has_event_sync (cupti->version))
    return;
  ((HirCuptiEvent2 *) record)->device = activity->device;
  ((HirCuptiEvent2 *) record)->event_sync = activity->event_sync;
}

static void
called (const FakeActivity *activity)
{
  FakeCupti *cupti = get_cupti ();

  g_mutex_lock (&cupti->lock);
  add_call (cupti, activity);
  if (activity->kind == FAKE_STREAM_WAIT || activity->kind == FAKE_SYNCHRONIZE)
    add_sync (cupti, activity);
  else if (activity->kind == FAKE_EVENT_RECORD)
    add_event (cupti, activity);
  g_mutex_unlock (&cupti->lock);
}

static void
add_kernel (FakeCupti *cupti, const FakeActivity *activity)
{
  guint untimed = get_number ("FAKE_CUPTI_UNTIMED", 0);
  const char *lose = g_getenv ("FAKE_CUPTI_LOSE");
  HirCuptiKernel *record;

  if (!cupti->kinds[HIR_CUPTI_KIND_CONCURRENT_KERNEL] ||
      (lose != NULL && strstr (activity->name, lose) != NULL))
    return;
  record = add_record (cupti, HIR_CUPTI_KIND_CONCURRENT_KERNEL);
  if (record == NULL)
    return;
  cupti->n_kernels++;
  if (untimed == 0 || cupti->n_kernels % untimed != 0)
    {
      record->start = (guint64) activity->start_ns;
      record->end = (guint64) activity->end_ns;
    }
  record->device = activity->device;
  record->context = activity->device + 1;
  record->stream = activity->stream;
  record->correlation = activity->correlation;
  record->name = g_strdup (activity->name);
  g_ptr_array_add (cupti->names, (gpointer) record->name);
}

static void
add_copy (FakeCupti *cupti, const FakeActivity *activity)
{
  gboolean is_peer = activity->kind == FAKE_MEMCPY_PEER;
  guint32 kind = is_peer ? HIR_CUPTI_KIND_MEMCPY2 : HIR_CUPTI_KIND_MEMCPY;
  HirCuptiMemcpy *record = cupti->kinds[kind] ? add_record (cupti, kind) : NULL;

  if (record == NULL)
    return;
  record->copy_kind = activity->copy_kind;
  record->bytes = activity->bytes;
  record->start = (guint64) activity->start_ns;
  record->end = (guint64) activity->end_ns;
  record->device = activity->device;
  record->context = activity->device + 1;
  /* The real CUPTI also reports a stream other than that of the call for peer copies. */
  record->stream = is_peer ? activity->stream + 1000 : activity->stream;
  if (is_peer)
    ((HirCuptiMemcpy2 *) record)->correlation = activity->correlation;
  else
    record->correlation = activity->correlation;
}

static void
add_fill (FakeCupti *cupti, const FakeActivity *activity)
{
  HirCuptiMemset *record =
      cupti->kinds[HIR_CUPTI_KIND_MEMSET] ? add_record (cupti, HIR_CUPTI_KIND_MEMSET) : NULL;

  if (record == NULL)
    return;
  record->bytes = activity->bytes;
  record->start = (guint64) activity->start_ns;
  record->end = (guint64) activity->end_ns;
  record->device = activity->device;
  record->context = activity->device + 1;
  record->stream = activity->stream;
  record->correlation = activity->correlation;
}

static void
worked (const FakeActivity *activity)
{
  FakeCupti *cupti = get_cupti ();

  g_mutex_lock (&cupti->lock);
  switch (activity->kind)
    {
    case FAKE_KERNEL:
      add_kernel (cupti, activity);
      break;
    case FAKE_MEMCPY:
    case FAKE_MEMCPY_PEER:
      add_copy (cupti, activity);
      break;
    case FAKE_MEMSET:
      add_fill (cupti, activity);
      break;
    case FAKE_EVENT_RECORD:
    case FAKE_STREAM_WAIT:
    case FAKE_SYNCHRONIZE:
    default:
      break;
    }
  g_mutex_unlock (&cupti->lock);
}

static gint64
now_ns (void)
{
  return (gint64) get_cupti ()->clock ();
}

/* Call when the driver is open. */
static void
attach (void)
{
  static const FakeObserver observer = { now_ns, called, worked };
  gpointer symbol = find_in_driver ("fake_cuda_set_observer");
  FakeSetObserver set;

  memcpy (&set, &symbol, sizeof set);
  if (set != NULL)
    set (&observer);
}

HirCuptiResult
cuptiGetVersion (uint32_t *version)
{
  *version = get_cupti ()->version;
  return HIR_CUPTI_SUCCESS;
}

HirCuptiResult
cuptiGetResultString (HirCuptiResult result, const char **text)
{
  *text = "CUPTI_ERROR_FAKE";
  return HIR_CUPTI_SUCCESS;
}

HirCuptiResult
cuptiGetTimestamp (uint64_t *time)
{
  FakeCupti *cupti = get_cupti ();
  guint off = get_number ("FAKE_CUPTI_CLOCK_OFF", 0);

  *time = cupti->clock () + off;
  if (g_atomic_int_add (&cupti->n_readings, 1) % 2 == 0 &&
      g_getenv ("FAKE_CUPTI_CLOCK_SLOW") != NULL)
    while (cupti->clock () < *time + off)
      ;
  return HIR_CUPTI_SUCCESS;
}

HirCuptiResult
cuptiGetContextId (HirCuContext context, uint32_t *id)
{
  gpointer symbol = find_in_driver ("fake_cuda_get_device");
  FakeGetDevice get;

  memcpy (&get, &symbol, sizeof get);
  *id = get (context) + 1;
  return HIR_CUPTI_SUCCESS;
}

HirCuptiResult
cuptiGetStreamIdEx (HirCuContext context, HirCuStream stream, uint8_t per_thread, uint32_t *id)
{
  gpointer symbol = find_in_driver ("fake_cuda_get_stream_id");
  FakeGetStreamId get;

  memcpy (&get, &symbol, sizeof get);
  *id = get (stream);
  return HIR_CUPTI_SUCCESS;
}

HirCuptiResult
cuptiActivityRegisterCallbacks (HirCuptiRequest request, HirCuptiComplete complete)
{
  get_cupti ()->request = request;
  get_cupti ()->complete = complete;
  return HIR_CUPTI_SUCCESS;
}

HirCuptiResult
cuptiActivityRegisterTimestampCallback (HirCuptiClock clock)
{
  get_cupti ()->clock = clock;
  return HIR_CUPTI_SUCCESS;
}

HirCuptiResult
cuptiActivitySetAttribute (unsigned int attribute, size_t *size, void *value)
{
  return HIR_CUPTI_SUCCESS;
}

HirCuptiResult
cuptiActivityEnable (unsigned int kind)
{
  guint failure = get_number ("FAKE_CUPTI_FAIL", 0);

  if (failure != 0)
    return failure;
  get_cupti ()->kinds[kind] = TRUE;
  attach ();
  return HIR_CUPTI_SUCCESS;
}

HirCuptiResult
cuptiActivityDisable (unsigned int kind)
{
  FakeCupti *cupti = get_cupti ();

  cupti->kinds[kind] = FALSE;
  if (kind == HIR_CUPTI_KIND_DRIVER || kind == HIR_CUPTI_KIND_RUNTIME)
    memset (cupti->calls[kind == HIR_CUPTI_KIND_RUNTIME], 0, sizeof cupti->calls[0]);
  return HIR_CUPTI_SUCCESS;
}

HirCuptiResult
cuptiActivityEnableDriverApi (uint32_t call, uint8_t enable)
{
  get_cupti ()->calls[0][call] = enable;
  return HIR_CUPTI_SUCCESS;
}

HirCuptiResult
cuptiActivityEnableRuntimeApi (uint32_t call, uint8_t enable)
{
  get_cupti ()->calls[1][call] = enable;
  return HIR_CUPTI_SUCCESS;
}

HirCuptiResult
cuptiActivityEnableCudaEventDeviceTimestamps (uint8_t enable)
{
  return HIR_CUPTI_SUCCESS;
}

HirCuptiResult
cuptiActivityFlushAll (uint32_t flag)
{
  FakeCupti *cupti = get_cupti ();
  guint8 *buffer;
  gsize size, used;

  g_mutex_lock (&cupti->lock);
  buffer = cupti->buffer;
  size = cupti->size;
  used = cupti->used;
  cupti->buffer = NULL;
  g_mutex_unlock (&cupti->lock);
  if (buffer != NULL)
    cupti->complete (NULL, 0, buffer, size, used);
  return HIR_CUPTI_SUCCESS;
}

HirCuptiResult
cuptiActivityGetNextRecord (uint8_t *buffer, size_t valid, HirCuptiActivity **record)
{
  return fake_cupti_walk (get_cupti ()->version, buffer, valid, record);
}

HirCuptiResult
cuptiActivityGetNumDroppedRecords (HirCuContext context, uint32_t stream, size_t *n)
{
  FakeCupti *cupti = get_cupti ();

  g_mutex_lock (&cupti->lock);
  *n = cupti->n_dropped;
  cupti->n_dropped = 0;
  g_mutex_unlock (&cupti->lock);
  return HIR_CUPTI_SUCCESS;
}

HirCuptiResult
cuptiActivityPushExternalCorrelationId (unsigned int kind, uint64_t id)
{
  guint64 copy = id;

  g_array_append_val (get_stack (), copy);
  return HIR_CUPTI_SUCCESS;
}

HirCuptiResult
cuptiActivityPopExternalCorrelationId (unsigned int kind, uint64_t *last)
{
  GArray *stack = get_stack ();

  if (stack->len == 0)
    return 1;
  *last = g_array_index (stack, guint64, stack->len - 1);
  g_array_set_size (stack, stack->len - 1);
  return HIR_CUPTI_SUCCESS;
}
