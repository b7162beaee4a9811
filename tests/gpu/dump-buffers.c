/* Writes CUPTI's buffers of a small run to a file, for tests of the decoder without a GPU.
 *
 *   gcc dump-buffers.c -I$CUDA_HOME/include -L$CUDA_HOME/lib64 -lcupti -lcuda -o dump-buffers
 *   dump-buffers OUT.bin
 *
 * The file has "HIRCUPT1", the result of cuptiGetVersion() and the number of names (32 bits each),
 * the number of bytes (64 bits), the bytes, and the names (each with a final 0). A record has the
 * number of its name, counted from 1, in place of the pointer. */
#include <cupti.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES (1 << 20)
#define MAX_NAMES 256

static unsigned char bytes[MAX_BYTES];
static size_t n_bytes;
static char *names[MAX_NAMES];
static unsigned n_names;

static void
request (uint8_t **buffer, size_t *size, size_t *max)
{
  *buffer = calloc (1, *size = 1 << 16);
  *max = 0;
}

static const char *
number_name (const char *name)
{
  size_t i = 0;

  if (name == NULL)
    return NULL;
  while (i < n_names && strcmp (names[i], name) != 0)
    i++;
  if (i == n_names && n_names < MAX_NAMES)
    names[n_names++] = strdup (name);
  return (const char *) (i + 1);
}

static void
complete (CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
  CUpti_Activity *record = NULL;

  while (cuptiActivityGetNextRecord (buffer, valid, &record) == CUPTI_SUCCESS)
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
      {
        CUpti_ActivityKernel10 *kernel = (CUpti_ActivityKernel10 *) record;
        kernel->name = number_name (kernel->name);
      }
    else if (record->kind == CUPTI_ACTIVITY_KIND_OVERHEAD)
      ((CUpti_ActivityOverhead3 *) record)->overheadData = NULL;
  if (n_bytes + valid <= MAX_BYTES)
    {
      memcpy (bytes + n_bytes, buffer, valid);
      n_bytes += valid;
    }
  free (buffer);
}

static void
start (void)
{
  static const CUpti_ActivityKind kinds[] = { CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                              CUPTI_ACTIVITY_KIND_MEMCPY,
                                              CUPTI_ACTIVITY_KIND_MEMCPY2,
                                              CUPTI_ACTIVITY_KIND_MEMSET,
                                              CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                                              CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
                                              CUPTI_ACTIVITY_KIND_CUDA_EVENT,
                                              CUPTI_ACTIVITY_KIND_OVERHEAD };
  static const unsigned calls[] = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,    CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync,     CUPTI_DRIVER_TRACE_CBID_cuMemcpyPeerAsync,
    CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async,   CUPTI_DRIVER_TRACE_CBID_cuEventRecord,
    CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent, CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize
  };

  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    cuptiActivityEnable (kinds[i]);
  cuptiActivityRegisterCallbacks (request, complete);
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    cuptiActivityEnableDriverApi (calls[i], 1);
  cuptiActivityEnableCudaEventDeviceTimestamps (1);
}

/* Runs one iteration with launch numbers from @id: a kernel and a copy, then a wait of another
 * stream for them, a fill and a kernel. */
static void
iterate (
    CUfunction function, CUstream *streams, CUdeviceptr memory, CUevent event, unsigned long id)
{
#define PUSH(i) cuptiActivityPushExternalCorrelationId (CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, i)
#define POP() cuptiActivityPopExternalCorrelationId (CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, NULL)
  PUSH (id);
  cuLaunchKernel (function, 1, 1, 1, 1, 1, 1, 0, streams[0], NULL, NULL);
  POP ();
  PUSH (id + 1);
  cuMemcpyAsync (memory, memory + (1 << 20), 1 << 20, streams[0]);
  POP ();
  cuEventRecord (event, streams[0]);
  PUSH (id + 2);
  cuStreamWaitEvent (streams[1], event, 0);
  POP ();
  PUSH (id + 3);
  cuMemsetD8Async (memory, 1, 4096, streams[1]);
  cuLaunchKernel (function, 1, 1, 1, 1, 1, 1, 0, streams[1], NULL, NULL);
  POP ();
}

int
main (int argc, char *argv[])
{
  static const char ptx[] = ".version 7.0\n.target sm_52\n.address_size 64\n"
                            ".visible .entry T5_matmul() { ret; }\n";
  static char host[4096];
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CUstream streams[2];
  CUevent event;
  CUdeviceptr memory;
  uint32_t version = 0;
  uint64_t total;
  FILE *file;

  start ();
  if (cuInit (0) != 0 || cuDevicePrimaryCtxRetain (&context, 0) != 0)
    return 2;
  cuCtxSetCurrent (context);
  cuModuleLoadData (&module, ptx);
  cuModuleGetFunction (&function, module, "T5_matmul");
  for (int i = 0; i < 2; i++)
    cuStreamCreateWithPriority (&streams[i], CU_STREAM_NON_BLOCKING, 0);
  cuEventCreate (&event, CU_EVENT_DISABLE_TIMING);
  cuMemAlloc (&memory, 2 << 20);
  cuMemcpyHtoD (memory, host, sizeof host); /* belongs to no launch */
  for (unsigned long i = 0; i < 8; i++)
    iterate (function, streams, memory, event, 1 + 4 * i);
  cuCtxSynchronize ();
  cuptiActivityFlushAll (1);
  cuptiGetVersion (&version);
  file = fopen (argv[1], "wb");
  if (file == NULL)
    return 1;
  total = n_bytes;
  fwrite ("HIRCUPT1", 8, 1, file);
  fwrite (&version, 4, 1, file);
  fwrite (&n_names, 4, 1, file);
  fwrite (&total, 8, 1, file);
  fwrite (bytes, n_bytes, 1, file);
  for (unsigned i = 0; i < n_names; i++)
    fwrite (names[i], strlen (names[i]) + 1, 1, file);
  printf ("%zu bytes, %u names, CUPTI %u\n", n_bytes, n_names, version);
  return fclose (file);
}
