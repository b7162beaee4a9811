/* Measures bare CUPTI and our recorder alternately in one process, in one context and on the same
 * streams. A process runs at one of two speeds, so only measurements of the same process are
 * comparable. The launching thread runs alone on one processor, all other threads on the remaining
 * ones. CUPTI accepts callbacks only once, so this file registers its own, which forward to the
 * current user. Both use our clock, which CUPTI also accepts only once. */
#pragma once

#include <sched.h>
#include <sys/mman.h>

#define SLOT_SECONDS 0.04
#define BARE_BUFFER_BYTES ((size_t) 1 << 20)
#define BARE_BUFFERS 256

typedef struct
{
  HirCuptiRequest request; /* callbacks of the recorder */
  HirCuptiComplete complete;
  HirCuptiResult (*register_callbacks) (HirCuptiRequest request, HirCuptiComplete complete);
  const HirCuptiApi *api;
  guint8 *region; /* memory of the bare buffers */
  guint8 is_taken[BARE_BUFFERS];
  gint is_bare; /* bare CUPTI is measured; atomic */
  guint64 n_records;
  GMutex lock;
} Turns;

/* Global, because CUPTI's callbacks have no user data. */
static Turns *
get_turns (void)
{
  static Turns turns;

  return &turns;
}

static void
request_by_turns (uint8_t **buffer, size_t *size, size_t *max_records)
{
  Turns *turns = get_turns ();

  if (!g_atomic_int_get (&turns->is_bare))
    {
      turns->request (buffer, size, max_records);
      return;
    }
  *buffer = NULL;
  *size = *max_records = 0;
  g_mutex_lock (&turns->lock);
  for (guint i = 0; i < BARE_BUFFERS && *buffer == NULL; i++)
    if (!turns->is_taken[i])
      {
        turns->is_taken[i] = 1;
        *buffer = turns->region + i * BARE_BUFFER_BYTES;
        *size = BARE_BUFFER_BYTES;
      }
  g_mutex_unlock (&turns->lock);
}

static void
complete_by_turns (
    HirCuContext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
  Turns *turns = get_turns ();
  HirCuptiActivity *record = NULL;
  gsize at = (gsize) (buffer - turns->region);

  /* A buffer requested during the recorder's turn belongs to the recorder. */
  if (buffer < turns->region || at >= BARE_BUFFERS * BARE_BUFFER_BYTES)
    {
      turns->complete (context, stream, buffer, size, valid);
      return;
    }
  while (turns->api->get_next_record (buffer, valid, &record) == HIR_CUPTI_SUCCESS)
    turns->n_records++;
  memset (buffer, 0, size); /* CUPTI is configured for zeroed buffers */
  g_mutex_lock (&turns->lock);
  turns->is_taken[at / BARE_BUFFER_BYTES] = 0;
  g_mutex_unlock (&turns->lock);
}

static HirCuptiResult
register_by_turns (HirCuptiRequest request, HirCuptiComplete complete)
{
  Turns *turns = get_turns ();

  turns->request = request;
  turns->complete = complete;
  return turns->register_callbacks (request_by_turns, complete_by_turns);
}

/* Same kinds and calls as in overhead.c. */
static const guint bare_kinds[] = { HIR_CUPTI_KIND_CONCURRENT_KERNEL,
                                    HIR_CUPTI_KIND_MEMCPY,
                                    HIR_CUPTI_KIND_MEMCPY2,
                                    HIR_CUPTI_KIND_MEMSET,
                                    HIR_CUPTI_KIND_EXTERNAL_CORRELATION,
                                    HIR_CUPTI_KIND_SYNCHRONIZATION,
                                    HIR_CUPTI_KIND_CUDA_EVENT,
                                    HIR_CUPTI_KIND_OVERHEAD,
                                    HIR_CUPTI_KIND_MARKER };
#define DRIVER_LAUNCH_KERNEL 307u /* CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel */

static void
switch_bare (const HirCuptiApi *api, int level, gboolean on)
{
  for (guint i = 0; i < (level == 2 ? 9u : 5u); i++)
    (void) (on ? api->enable (bare_kinds[i]) : api->disable (bare_kinds[i]));
  if (on && api->enable_driver_call != NULL)
    (void) api->enable_driver_call (DRIVER_LAUNCH_KERNEL, 1);
  if (!on)
    (void) api->disable (HIR_CUPTI_KIND_DRIVER);
}

static void
launch_bare (Loop *loop, unsigned i)
{
  const HirCuptiApi *api = get_turns ()->api;
  uint64_t last;

  (void) api->push_external (HIR_CUPTI_EXTERNAL_CUSTOM0, i + 1);
  loop->cu->launch_kernel (loop->function, 1, 1, 1, 1, 1, 1, 0, loop->streams[i % N_STREAMS], NULL,
                           NULL);
  (void) api->pop_external (HIR_CUPTI_EXTERNAL_CUSTOM0, &last);
}

/* Restricts the calling thread to the first processor of @all (@alone), or to all others. */
static void
stay (const cpu_set_t *all, gboolean alone)
{
  cpu_set_t set = *all;
  int first = 0;

  while (first < CPU_SETSIZE - 1 && !CPU_ISSET (first, all))
    first++;
  if (CPU_COUNT (all) > 1)
    CPU_CLR (first, &set);
  if (alone)
    {
      CPU_ZERO (&set);
      CPU_SET (first, &set);
    }
  (void) sched_setaffinity (0, sizeof set, &set);
}

static double
take_median (Loop *loop)
{
  qsort (loop->batches, loop->n_batches, sizeof (double), loop_compare);
  return loop->n_batches > 0 ? loop->batches[loop->n_batches / 2] : 0;
}

/* Returns nanoseconds per launch. Threads of the recorder inherit the CPU affinity of this thread,
 * so the affinity is set after the recorder has started. */
static double
take_turn (Loop *loop,
           Ours *ours,
           HirCudaLibs *libs,
           int level,
           gboolean bare,
           const char *path,
           const cpu_set_t *all)
{
  Turns *turns = get_turns ();
  HirRecordingWriter *writer = NULL;
  HirCuptiSummary summary = { 0 };

  loop->level = level;
  loop->launch = bare && level > 0 ? launch_bare : launch;
  loop->started = bare ? NULL : started;
  g_atomic_int_set (&turns->is_bare, bare);
  stay (all, FALSE);
  if (bare && level > 0)
    switch_bare (turns->api, level, TRUE);
  else if (level > 0)
    writer = begin (ours, libs, level, path);
  stay (all, TRUE);
  loop_time (loop, SLOT_SECONDS);
  stay (all, FALSE);
  if (bare && level > 0)
    {
      (void) turns->api->flush_all (1);
      switch_bare (turns->api, level, FALSE);
    }
  else if (level > 0)
    finish (ours, writer, &summary);
  if (summary.n_dropped > 0)
    g_printerr ("%" G_GUINT64_FORMAT " records were dropped\n", summary.n_dropped);
  return take_median (loop);
}

/* Prints {"rounds": [[off, bare kernels, our kernels, bare full, our full], ...], "records": number
 * of records of bare CUPTI}. */
static int
run_pairs (Loop *loop, Ours *ours, HirCudaLibs *libs, double seconds, const char *path)
{
  Turns *turns = get_turns ();
  g_autoptr (GError) error = NULL;
  double end_ns = loop_now_ns () + seconds * 1e9;
  cpu_set_t all;

  if (!hir_cuda_libs_open (libs, HIR_LIB_CUPTI, &error))
    {
      g_printerr ("%s\n", error->message);
      return 2;
    }
  turns->region = mmap (NULL, BARE_BUFFERS * BARE_BUFFER_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  g_assert (turns->region != MAP_FAILED);
  turns->api = &libs->cupti;
  turns->register_callbacks = libs->cupti.register_callbacks;
  libs->cupti.register_callbacks = register_by_turns;
  CPU_ZERO (&all);
  (void) sched_getaffinity (0, sizeof all, &all);
  for (unsigned round = 0; round < 2 || loop_now_ns () < end_ns; round++)
    {
      double ns[5] = { 0 };

      if (round == 0) /* warm-up; the recorder must exist before the context */
        {
          HirCuptiSummary summary;
          HirRecordingWriter *writer = begin (ours, libs, 2, path);

          loop_open (loop);
          finish (ours, writer, &summary);
        }
      ns[0] = take_turn (loop, ours, libs, 0, TRUE, path, &all);
      for (int level = 1; level <= 2; level++)
        for (unsigned k = 0; k < 2; k++)
          {
            gboolean bare = (k + round) % 2 == 0;

            ns[2 * level - (bare ? 1 : 0)] = take_turn (loop, ours, libs, level, bare, path, &all);
          }
      if (round > 0)
        printf ("%s[%.1f,%.1f,%.1f,%.1f,%.1f]", round == 1 ? "{\"rounds\":[" : ",", ns[0], ns[1],
                ns[2], ns[3], ns[4]);
    }
  printf ("],\"records\":%" G_GUINT64_FORMAT "}\n", turns->n_records);
  free (loop->batches);
  return 0;
}
