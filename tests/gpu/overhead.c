/* Measures the host cost of a launch with bare CUPTI, with the kinds that `--trace kernels` or
 * `--trace full` enable and none of our code. For our recorder see overhead-ours.c.
 *
 *   gcc -O2 overhead.c -I$CUDA_HOME/include -L$CUDA_HOME/lib64 -lcupti -lcuda -o overhead-bare
 *   overhead-bare off|kernels|full SECONDS
 */
#include <cupti.h>
#include <stdlib.h>

#include "overhead-loop.h"

static unsigned long n_records;

static void
request (uint8_t **buffer, size_t *size, size_t *max)
{
  *buffer = calloc (1, *size = 1 << 20);
  *max = 0;
}

static void
complete (CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
  CUpti_Activity *record = NULL;

  while (cuptiActivityGetNextRecord (buffer, valid, &record) == CUPTI_SUCCESS)
    n_records++;
  free (buffer);
}

static void
launch (Loop *loop, unsigned i)
{
  if (loop->level > 0)
    cuptiActivityPushExternalCorrelationId (CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, i + 1);
  cuLaunchKernel (loop->function, 1, 1, 1, 1, 1, 1, 0, loop->streams[i % N_STREAMS], NULL, NULL);
  if (loop->level > 0)
    cuptiActivityPopExternalCorrelationId (CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, NULL);
}

int
main (int argc, char *argv[])
{
  static const CUpti_ActivityKind kinds[] = { CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                              CUPTI_ACTIVITY_KIND_MEMCPY,
                                              CUPTI_ACTIVITY_KIND_MEMCPY2,
                                              CUPTI_ACTIVITY_KIND_MEMSET,
                                              CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                                              CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
                                              CUPTI_ACTIVITY_KIND_CUDA_EVENT,
                                              CUPTI_ACTIVITY_KIND_OVERHEAD,
                                              CUPTI_ACTIVITY_KIND_MARKER };
  Loop loop = { .level = loop_get_level (argc, argv), .launch = launch };

  for (int i = 0; i < (loop.level == 2 ? 9 : 5) && loop.level > 0; i++)
    cuptiActivityEnable (kinds[i]);
  if (loop.level > 0)
    {
      cuptiActivityRegisterCallbacks (request, complete);
      cuptiActivityEnableDriverApi (CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, 1);
    }
  loop_run (&loop, atof (argv[2]));
  if (loop.level > 0)
    cuptiActivityFlushAll (1);
  loop_print (&loop, "bare", n_records, 0, 0);
  return 0;
}
