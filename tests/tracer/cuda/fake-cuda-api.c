/* Fake CUDA driver: devices, contexts, streams, copies and launches. */
#include "fake-cuda-private.h"

#include <stdlib.h>
#include <string.h>

#define ENTER()                                                                                    \
  G_STMT_START                                                                                     \
  {                                                                                                \
    HirCuResult entered = fake_cuda_enter (__func__);                                              \
    if (entered != HIR_CU_SUCCESS)                                                                 \
      return entered;                                                                              \
  }                                                                                                \
  G_STMT_END

/* Delay between the return of cuMemcpyHtoD and the arrival of the data. */
#define STAGED_US 2000
#define INVALID_VALUE 1u
#define INVALID_DEVICE 101u
#define INVALID_CONTEXT 201u
#define ALREADY_ENABLED HIR_CU_ERROR_PEER_ACCESS_ALREADY_ENABLED

/* Declares each function with its prototype in abi-cuda.h. */
#define DECLARE(field, symbol, parameters) FAKE_EXPORT HirCuResult symbol parameters;
HIR_CU_FUNCTIONS (DECLARE)
#undef DECLARE

static GPrivate *
get_current (void)
{
  static GPrivate current;

  return &current;
}

HirCuContext
fake_cuda_get_current (void)
{
  return g_private_get (get_current ());
}

HirCuResult
cuInit (unsigned int flags)
{
  ENTER ();
  return fake_cuda_get ()->n_devices > 0 ? HIR_CU_SUCCESS : HIR_CU_ERROR_NO_DEVICE;
}

HirCuResult
cuDriverGetVersion (int *version)
{
  ENTER ();
  *version = 13000;
  return HIR_CU_SUCCESS;
}

HirCuResult
cuGetErrorName (HirCuResult result, const char **name)
{
  *name = result == HIR_CU_SUCCESS               ? "CUDA_SUCCESS"
          : result == HIR_CU_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
          : result == 700                        ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : result == 719                        ? "CUDA_ERROR_LAUNCH_FAILED"
                                                 : "CUDA_ERROR_OTHER";
  return HIR_CU_SUCCESS;
}

HirCuResult
cuGetErrorString (HirCuResult result, const char **text)
{
  *text = result == HIR_CU_ERROR_OUT_OF_MEMORY ? "out of memory"
          : result == 700                      ? "an illegal memory access was encountered"
                                               : "an error of the driver for tests";
  return HIR_CU_SUCCESS;
}

HirCuResult
cuDeviceGetCount (int *count)
{
  ENTER ();
  *count = (int) fake_cuda_get ()->n_devices;
  return HIR_CU_SUCCESS;
}

HirCuResult
cuDeviceGet (HirCuDevice *device, int ordinal)
{
  ENTER ();
  if (ordinal < 0 || ordinal >= (int) fake_cuda_get ()->n_devices)
    return INVALID_DEVICE;
  *device = ordinal;
  return HIR_CU_SUCCESS;
}

HirCuResult
cuDeviceGetName (char *name, int length, HirCuDevice device)
{
  ENTER ();
  g_snprintf (name, (gulong) length, "Fake GPU %d", device);
  return HIR_CU_SUCCESS;
}

HirCuResult
cuDeviceGetAttribute (int *value, unsigned int attribute, HirCuDevice device)
{
  ENTER ();
  *value = attribute == HIR_CU_ATTRIBUTE_SM_COUNT        ? 132
           : attribute == HIR_CU_ATTRIBUTE_CC_MAJOR      ? 9
           : attribute == HIR_CU_ATTRIBUTE_PCI_DEVICE_ID ? device
                                                         : 0;
  return HIR_CU_SUCCESS;
}

HirCuResult
cuDeviceCanAccessPeer (int *can, HirCuDevice device, HirCuDevice peer)
{
  ENTER ();
  *can = device != peer && g_getenv ("FAKE_CUDA_NO_PEERS") == NULL;
  return HIR_CU_SUCCESS;
}

HirCuResult
cuDevicePrimaryCtxRetain (HirCuContext *context, HirCuDevice device)
{
  FakeCuda *cuda = fake_cuda_get ();

  ENTER ();
  g_mutex_lock (&cuda->lock);
  *context = cuda->contexts[device];
  g_mutex_unlock (&cuda->lock);
  if (*context != NULL)
    return HIR_CU_SUCCESS;
  *context = g_new0 (struct CUctx_st, 1);
  (*context)->device = (guint) device;
  g_mutex_init (&(*context)->lock);
  (*context)->default_stream = fake_stream_new (*context);
  cuda->contexts[device] = *context;
  return HIR_CU_SUCCESS;
}

HirCuResult
cuDevicePrimaryCtxRelease_v2 (HirCuDevice device)
{
  ENTER ();
  return HIR_CU_SUCCESS;
}

HirCuResult
cuCtxSetCurrent (HirCuContext context)
{
  ENTER ();
  g_private_set (get_current (), context);
  return HIR_CU_SUCCESS;
}

HirCuResult
cuCtxGetCurrent (HirCuContext *context)
{
  ENTER ();
  *context = fake_cuda_get_current ();
  return HIR_CU_SUCCESS;
}

static void
tell_synchronized (const char *call, HirCuStream stream, gint64 start_ns)
{
  FakeCuda *cuda = fake_cuda_get ();
  FakeActivity activity = { .kind = FAKE_SYNCHRONIZE,
                            .call = call,
                            .device = fake_cuda_get_current ()->device,
                            .context = fake_cuda_get_current (),
                            .stream = stream != NULL ? stream->id : G_MAXUINT32,
                            .start_ns = start_ns,
                            .end_ns = fake_now_ns () };

  if (cuda->observer == NULL)
    return;
  activity.correlation = (guint32) g_atomic_int_add (&cuda->n_correlations, 1) + 1;
  cuda->observer->called (&activity);
}

HirCuResult
cuCtxSynchronize (void)
{
  FakeCuda *cuda = fake_cuda_get ();
  gint64 start_ns = fake_now_ns ();

  ENTER ();
  if (fake_cuda_get_current () == NULL)
    return INVALID_CONTEXT;
  for (guint i = 0; i < cuda->streams->len; i++)
    if (((HirCuStream) cuda->streams->pdata[i])->context == fake_cuda_get_current ())
      fake_stream_drain (cuda->streams->pdata[i]);
  tell_synchronized (__func__, NULL, start_ns);
  return HIR_CU_SUCCESS;
}

HirCuResult
cuCtxGetStreamPriorityRange (int *least, int *greatest)
{
  ENTER ();
  *least = 0;
  *greatest = -5;
  return HIR_CU_SUCCESS;
}

HirCuResult
cuCtxEnablePeerAccess (HirCuContext peer, unsigned int flags)
{
  ENTER ();
  return peer == fake_cuda_get_current () ? INVALID_CONTEXT : HIR_CU_SUCCESS;
}

HirCuResult
cuMemGetInfo_v2 (size_t *free_bytes, size_t *total_bytes)
{
  HirCuContext context = fake_cuda_get_current ();

  ENTER ();
  if (context == NULL)
    return INVALID_CONTEXT;
  *total_bytes = fake_cuda_get ()->memory_bytes;
  *free_bytes = *total_bytes - context->n_used_bytes;
  return HIR_CU_SUCCESS;
}

typedef struct
{
  void *to;
  const void *from;
  gsize bytes;
  int byte;
  gpointer staged; /* owned copy of the source, or NULL */
} Move;

static void
run_move (gpointer data)
{
  Move *move = data;

  if (move->staged != NULL && fake_cuda_get ()->is_queued)
    g_usleep (STAGED_US);
  if (move->from != NULL)
    memmove (move->to, move->from, move->bytes);
  else
    memset (move->to, move->byte, move->bytes);
}

static void
free_move (gpointer data)
{
  Move *move = data;

  g_free (move->staged);
  g_free (move);
}

static void
push_move (HirCuStream stream, const char *call, FakeKind kind, guint8 copy_kind, const Move *move)
{
  FakeWork *work = g_new0 (FakeWork, 1);

  work->activity.kind = kind;
  work->activity.call = call;
  work->activity.bytes = move->bytes;
  work->activity.copy_kind = copy_kind;
  work->run = run_move;
  work->data = g_memdup2 (move, sizeof *move);
  work->destroy = free_move;
  fake_stream_push (stream, work);
}

static HirCuResult
copy (HirCuStream stream,
      const char *call,
      FakeKind kind,
      guint8 copy_kind,
      HirCuAddress to,
      HirCuAddress from,
      size_t bytes)
{
  Move move = { (gpointer) (gsize) to, (gconstpointer) (gsize) from, bytes, 0, NULL };

  stream = fake_stream_get (stream);
  if (stream == NULL)
    return INVALID_CONTEXT;
  if (bytes > 0 && !fake_cuda_is_idle ())
    push_move (stream, call, kind, copy_kind, &move);
  return HIR_CU_SUCCESS;
}

/* As for pageable memory: returns after the source was copied to staging memory. With queues, the
 * copy to the device ends later, and only the default stream waits for it. */
HirCuResult
cuMemcpyHtoD_v2 (HirCuAddress to, const void *from, size_t bytes)
{
  HirCuStream stream;
  Move move = { (gpointer) (gsize) to, NULL, bytes, 0, NULL };

  ENTER ();
  stream = fake_stream_get (NULL);
  if (stream == NULL)
    return INVALID_CONTEXT;
  if (bytes == 0 || fake_cuda_is_idle ())
    return HIR_CU_SUCCESS;
  move.from = move.staged = g_memdup2 (from, bytes);
  push_move (stream, __func__, FAKE_MEMCPY, 1, &move);
  return HIR_CU_SUCCESS;
}

HirCuResult
cuMemcpyDtoH_v2 (void *to, HirCuAddress from, size_t bytes)
{
  HirCuResult result;

  ENTER ();
  result = copy (NULL, __func__, FAKE_MEMCPY, 2, (HirCuAddress) (gsize) to, from, bytes);
  if (result == HIR_CU_SUCCESS)
    fake_stream_drain (fake_stream_get (NULL));
  return result;
}

HirCuResult
cuMemcpyAsync (HirCuAddress to, HirCuAddress from, size_t bytes, HirCuStream stream)
{
  ENTER ();
  return copy (stream, __func__, FAKE_MEMCPY, 8, to, from, bytes);
}

HirCuResult
cuMemcpyPeerAsync (HirCuAddress to,
                   HirCuContext to_context,
                   HirCuAddress from,
                   HirCuContext from_context,
                   size_t bytes,
                   HirCuStream stream)
{
  ENTER ();
  return copy (stream, __func__, FAKE_MEMCPY_PEER, 10, to, from, bytes);
}

HirCuResult
cuMemsetD8Async (HirCuAddress to, unsigned char byte, size_t count, HirCuStream stream)
{
  Move move = { (gpointer) (gsize) to, NULL, count, byte, NULL };

  ENTER ();
  stream = fake_stream_get (stream);
  if (stream == NULL)
    return INVALID_CONTEXT;
  if (count > 0 && !fake_cuda_is_idle ())
    push_move (stream, __func__, FAKE_MEMSET, 0, &move);
  return HIR_CU_SUCCESS;
}

HirCuResult
cuStreamCreateWithPriority (HirCuStream *stream, unsigned int flags, int priority)
{
  ENTER ();
  if (fake_cuda_get_current () == NULL)
    return INVALID_CONTEXT;
  *stream = fake_stream_new (fake_cuda_get_current ());
  return HIR_CU_SUCCESS;
}

HirCuResult
cuStreamDestroy_v2 (HirCuStream stream)
{
  ENTER ();
  fake_stream_free (stream);
  return HIR_CU_SUCCESS;
}

HirCuResult
cuStreamQuery (HirCuStream stream)
{
  ENTER ();
  return fake_stream_is_idle (fake_stream_get (stream)) ? HIR_CU_SUCCESS : HIR_CU_ERROR_NOT_READY;
}

HirCuResult
cuStreamSynchronize (HirCuStream stream)
{
  gint64 start_ns = fake_now_ns ();

  ENTER ();
  fake_stream_drain (fake_stream_get (stream));
  tell_synchronized (__func__, fake_stream_get (stream), start_ns);
  return HIR_CU_SUCCESS;
}
