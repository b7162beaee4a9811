/* The loop of both measurements: batches of launches of an empty kernel on a few streams. Each
 * batch is smaller than the driver's queue, so that the host never waits for the device while it is
 * timed. The including file provides the functions of the driver. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N_STREAMS 4
#define BATCH 400
#define MAX_BATCHES 2000000

#ifdef OVERHEAD_OURS
#define CU(name) loop->cu->name
typedef HirCuContext LoopContext;
typedef HirCuStream LoopStream;
typedef HirCuModule LoopModule;
typedef HirCuFunction LoopFunction;
#else
#define CU(name) LOOP_##name
#define LOOP_init cuInit
#define LOOP_primary_ctx_retain cuDevicePrimaryCtxRetain
#define LOOP_ctx_set_current cuCtxSetCurrent
#define LOOP_ctx_synchronize cuCtxSynchronize
#define LOOP_stream_create_with_priority cuStreamCreateWithPriority
#define LOOP_module_load_data cuModuleLoadData
#define LOOP_module_get_function cuModuleGetFunction
typedef CUcontext LoopContext;
typedef CUstream LoopStream;
typedef CUmodule LoopModule;
typedef CUfunction LoopFunction;
#endif

typedef struct Loop Loop;
struct Loop
{
  int level; /* 0: off, 1: kernels, 2: full */
  void (*launch) (Loop *loop, unsigned i);
  void (*started) (Loop *loop); /* nullable; called after the streams are created */
#ifdef OVERHEAD_OURS
  const HirCudaApi *cu;
#endif
  void *data;
  LoopContext context;
  LoopStream streams[N_STREAMS];
  LoopFunction function;
  unsigned long n_launches;
  double *batches; /* ns per launch, one per batch */
  size_t n_batches;
};

static double
loop_now_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e9 + now.tv_nsec;
}

static int
loop_get_level (int argc, char *argv[])
{
  if (argc < 3)
    {
      fprintf (stderr, "usage: %s off|kernels|full SECONDS\n", argv[0]);
      exit (2);
    }
  return strcmp (argv[1], "full") == 0 ? 2 : strcmp (argv[1], "kernels") == 0;
}

static void
loop_batch (Loop *loop)
{
  double start_ns = loop_now_ns ();

  for (unsigned i = 0; i < BATCH; i++)
    loop->launch (loop, (unsigned) loop->n_launches++);
  if (loop->n_batches < MAX_BATCHES)
    loop->batches[loop->n_batches++] = (loop_now_ns () - start_ns) / BATCH;
  CU (ctx_synchronize) ();
}

/* Creates context, streams and kernel. */
static void
loop_open (Loop *loop)
{
  static const char ptx[] = ".version 7.0\n.target sm_52\n.address_size 64\n"
                            ".visible .entry tiny() { ret; }\n";
  LoopModule module;

  loop->batches = malloc (sizeof (double) * MAX_BATCHES);
  if (CU (init) (0) != 0 || CU (primary_ctx_retain) (&loop->context, 0) != 0)
    {
      fprintf (stderr, "no GPU\n");
      exit (2);
    }
  CU (ctx_set_current) (loop->context);
  for (unsigned i = 0; i < N_STREAMS; i++)
    CU (stream_create_with_priority) (&loop->streams[i], 1, 0);
  if (CU (module_load_data) (&module, ptx) != 0 ||
      CU (module_get_function) (&loop->function, module, "tiny") != 0)
    {
      fprintf (stderr, "cannot load the kernel\n");
      exit (2);
    }
}

static void
loop_time (Loop *loop, double seconds)
{
  double end_ns;

  if (loop->started != NULL)
    loop->started (loop);
  loop_batch (loop);
  loop_batch (loop);
  loop->n_batches = 0; /* the first batches also load code, which is not the cost of a launch */
  end_ns = loop_now_ns () + seconds * 1e9;
  while (loop_now_ns () < end_ns)
    loop_batch (loop);
}

static void
loop_run (Loop *loop, double seconds)
{
  loop_open (loop);
  loop_time (loop, seconds);
}

static int
loop_compare (const void *a, const void *b)
{
  return *(const double *) a < *(const double *) b ? -1 : 1;
}

static void
loop_print (Loop *loop,
            const char *who,
            unsigned long n_records,
            unsigned long n_dropped,
            unsigned long n_events)
{
  static const char *const levels[] = { "off", "kernels", "full" };
  size_t n = loop->n_batches;

  qsort (loop->batches, n, sizeof (double), loop_compare);
  printf ("{\"who\":\"%s\",\"level\":\"%s\",\"launches\":%lu,\"records\":%lu,\"dropped\":%lu,"
          "\"events\":%lu,\"ns_median\":%.1f,\"ns_p10\":%.1f,\"ns_p90\":%.1f}\n",
          who, levels[loop->level], loop->n_launches, n_records, n_dropped, n_events,
          loop->batches[n / 2], loop->batches[n / 10], loop->batches[n * 9 / 10]);
}
