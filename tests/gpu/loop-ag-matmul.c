/* Measures the host cost of the evaluator: ag_matmul runs in a session and in a C loop that makes
 * the same calls of the driver, NCCL and cuBLASLt, alternately.
 *
 *   loop-ag-matmul MULTI_DEVICE.py [RANKS [CHUNKS [STREAMS [ROUNDS [GPUS [BODY]]]]]]
 *
 * With fewer GPUS than RANKS, ranks share GPUs and copy. BODY "steps" disables prepared loop bodies
 * on rank 0, whose host time is measured, to decide whether they are worth their code.
 *
 * Prints the median host time per iteration of rank 0 for both, their ratio and difference, and the
 * number of memory allocations per iteration. On the fake libraries with FAKE_CUDA_IDLE=1, calls
 * take almost no time, so the difference is the cost of the evaluator (tests/bench). */
#include <stdlib.h>
#include <string.h>

#include "../bench/count-allocations.h"
#include "cuda/backend/matmul.h"
#include "cuda/provider.h"
#include "gpu-program.h"
#include "record/clock.h"
#include "run/session/session.h"

#define M 16
#define K 64
#define N 64
#define MAX_RANKS 8
#define MAX_STREAMS 64

typedef struct _Rank
{
  HirCudaLibs *libs;
  HirCudaDevice *device;
  HirNcclComm comm;
  HirCuStream main, channel, streams[MAX_STREAMS];
  HirCuEvent events[4];
  HirCuEvent ready, done; /* of the copies of ranks that share GPUs */
  struct _Rank *all;      /* all ranks; NULL if they use NCCL */
  HirCuAddress in, gathered, weight, out, workspace;
  HirLtHandle lt;
  HirCudaMatmul *matmul;
  guint n_ranks, n_chunks, n_streams;
  gint64 issue_ns;
  guint number;
  gint n_reached; /* number of meetings that this rank has reached; atomic */
} Rank;

static void
must (const HirCudaLibs *libs, HirCuResult result)
{
  g_autoptr (GError) error = NULL;

  if (!hir_cu_check (libs, result, &error, "the loop in C"))
    g_error ("%s", error->message);
}

static HirCuAddress
memory (Rank *rank, gsize floats)
{
  HirCuAddress address = 0;

  must (rank->libs, rank->libs->cuda.mem_alloc (&address, floats * sizeof (float)));
  must (rank->libs, rank->libs->cuda.memset_d8_async (address, 0, floats * sizeof (float), NULL));
  return address;
}

/* Creates the matmul of the session's instruction: [ranks, M, K] x [K, N]. */
static void
make_matmul (Rank *rank, HirContainer *fusion)
{
  const gint64 sizes[3][3] = { { rank->n_ranks, M, K }, { K, N, 0 }, { rank->n_ranks, M, N } };
  const HirCuAddress addresses[] = { rank->gathered, rank->weight, rank->out };
  const HirExpr *expr = NULL;
  HirValue *inputs[2], *values[3];
  HirOpCall call = { .n_inputs = 2, .inputs = inputs };
  GError *error = NULL;

  for (guint i = 0; i < fusion->exprs.len; i++)
    if (((const HirExpr *) fusion->exprs.items[i])->kind == HIR_EXPR_MATMUL)
      expr = fusion->exprs.items[i];
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (HirBuffer) buffer =
          hir_buffer_new_device ((gpointer) (guintptr) addresses[i], 0,
                                 (void (*) (gpointer, gpointer)) abort, NULL);

      values[i] = hir_value_new_tensor (HIR_DTYPE_FLOAT, i == 1 ? 2 : 3, sizes[i], NULL, buffer);
    }
  call.expr = expr;
  inputs[0] = values[0];
  inputs[1] = values[1];
  call.output = values[2];
  rank->matmul = hir_cuda_matmul_new (rank->libs, rank->lt, &call, addresses, &error);
  if (rank->matmul == NULL)
    g_error ("no algorithm: %s", error != NULL ? error->message : "");
}

static void
init_rank (Rank *rank, HirCudaLibs *libs, guint number, guint n_gpus, HirContainer *fusion)
{
  const HirCudaApi *cuda = &libs->cuda;
  gsize slice = (gsize) M * K;
  GError *error = NULL;

  rank->libs = libs;
  rank->number = number;
  rank->device = hir_cuda_device_new (libs, (int) (number % n_gpus), &error);
  g_assert_no_error (error);
  must (libs, cuda->stream_create_with_priority (&rank->main, HIR_CU_STREAM_NON_BLOCKING, 0));
  must (libs, cuda->stream_create_with_priority (&rank->channel, HIR_CU_STREAM_NON_BLOCKING, 0));
  for (guint i = 0; i < rank->n_streams; i++)
    must (libs,
          cuda->stream_create_with_priority (&rank->streams[i], HIR_CU_STREAM_NON_BLOCKING, 0));
  for (guint i = 0; i < G_N_ELEMENTS (rank->events); i++)
    must (libs, cuda->event_create (&rank->events[i], HIR_CU_EVENT_DISABLE_TIMING));
  must (libs, cuda->event_create (&rank->ready, HIR_CU_EVENT_DISABLE_TIMING));
  must (libs, cuda->event_create (&rank->done, HIR_CU_EVENT_DISABLE_TIMING));
  rank->in = memory (rank, slice * rank->n_chunks);
  rank->gathered = memory (rank, slice * rank->n_chunks * rank->n_ranks);
  rank->weight = memory (rank, (gsize) K * N);
  rank->out = memory (rank, (gsize) M * N * rank->n_chunks * rank->n_ranks);
  rank->workspace = memory (rank, HIR_MATMUL_WORKSPACE_BYTES / sizeof (float));
  g_assert_cmpuint (libs->cublaslt.create (&rank->lt), ==, 0);
  make_matmul (rank, fusion);
}

static void
wait_for (Rank *rank, HirCuStream stream, HirCuStream other, guint event)
{
  must (rank->libs, rank->libs->cuda.event_record (rank->events[event], other));
  must (rank->libs, rank->libs->cuda.stream_wait_event (stream, rank->events[event], 0));
}

/* Waits until all ranks have reached this meeting. */
static void
meet (Rank *rank)
{
  gint n = g_atomic_int_add (&rank->n_reached, 1) + 1;

  for (guint i = 0; i < rank->n_ranks; i++)
    while (g_atomic_int_get (&rank->all[i].n_reached) < n)
      if (g_get_num_processors () < 2 * rank->n_ranks)
        g_thread_yield ();
}

/* Gathers chunk @chunk of all ranks at @whole by copies, like comm-copy.c. */
static void
gather_by_copies (Rank *rank, guint chunk, HirCuAddress whole)
{
  const HirCudaApi *cuda = &rank->libs->cuda;
  gsize slice = (gsize) M * K * sizeof (float);

  must (rank->libs, cuda->event_record (rank->ready, rank->channel));
  meet (rank);
  for (guint k = 1; k < rank->n_ranks; k++)
    {
      const Rank *from = &rank->all[(rank->number + k) % rank->n_ranks];

      must (rank->libs, cuda->stream_wait_event (rank->channel, from->ready, 0));
      must (rank->libs, cuda->memcpy_async (whole + from->number * slice, from->in + chunk * slice,
                                            slice, rank->channel));
    }
  must (rank->libs, cuda->event_record (rank->done, rank->channel));
  must (rank->libs, cuda->memcpy_async (whole + rank->number * slice, rank->in + chunk * slice,
                                        slice, rank->channel));
  meet (rank);
  for (guint i = 0; i < rank->n_ranks; i++)
    if (i != rank->number)
      must (rank->libs, cuda->stream_wait_event (rank->channel, rank->all[i].done, 0));
}

static gpointer
run_by_hand (gpointer data)
{
  Rank *rank = data;
  gsize slice = (gsize) M * K * sizeof (float), part = (gsize) M * N * sizeof (float);
  gint64 start_ns;
  guint64 n = 0;
  GError *error = NULL;

  hir_cuda_device_make_current (rank->device, NULL);
  start_ns = hir_clock_now_ns ();
  for (guint i = 0; i < rank->n_chunks; i++)
    wait_for (rank, rank->streams[i % rank->n_streams], rank->main, 0);
  for (guint i = 0; i < rank->n_chunks; i++)
    {
      HirCuStream stream = rank->streams[i % rank->n_streams];
      HirCuAddress whole = rank->gathered + i * slice * rank->n_ranks;
      HirCuAddress addresses[] = { whole, rank->weight, rank->out + i * part * rank->n_ranks };

      wait_for (rank, rank->channel, stream, 1);
      if (rank->comm != NULL)
        (void) rank->libs->nccl.all_gather ((gpointer) (guintptr) (rank->in + i * slice),
                                            (gpointer) (guintptr) whole, (gsize) M * K,
                                            HIR_NCCL_FLOAT32, rank->comm, rank->channel);
      else if (rank->all != NULL)
        gather_by_copies (rank, i, whole);
      else
        must (rank->libs,
              rank->libs->cuda.memcpy_async (whole, rank->in + i * slice, slice, rank->channel));
      wait_for (rank, stream, rank->channel, 2);
      if (!hir_cuda_matmul_run (rank->matmul, addresses, rank->workspace, stream, &n, &error))
        g_error ("%s", error->message);
      wait_for (rank, rank->main, stream, 3);
    }
  rank->issue_ns = hir_clock_now_ns () - start_ns;
  must (rank->libs, rank->libs->cuda.ctx_synchronize ());
  return NULL;
}

static void
make_nccl (Rank *ranks, guint n)
{
  HirCudaLibs *libs = ranks[0].libs;
  GError *error = NULL;
  HirNcclId id;

  if (n < 2)
    return;
  if (!hir_cuda_libs_open (libs, HIR_LIB_NCCL, &error))
    g_error ("%s", error->message);
  (void) libs->nccl.get_unique_id (&id);
  (void) libs->nccl.group_start ();
  for (guint i = 0; i < n; i++)
    {
      HirNcclConfig config = { .size = sizeof config,
                               .magic = HIR_NCCL_CONFIG_MAGIC,
                               .version = HIR_NCCL_CONFIG_VERSION,
                               .blocking = 1,
                               .cga_cluster_size = HIR_NCCL_UNDEFINED,
                               .min_ctas = HIR_NCCL_UNDEFINED,
                               .max_ctas = HIR_NCCL_UNDEFINED,
                               .split_share = HIR_NCCL_UNDEFINED };

      hir_cuda_device_make_current (ranks[i].device, NULL);
      (void) libs->nccl.comm_init_rank_config (&ranks[i].comm, (int) n, id, (int) i, &config);
    }
  if (libs->nccl.group_end () != 0)
    g_error ("NCCL does not start");
}

static gint64
run_hand (Rank *ranks, guint n)
{
  GThread *threads[MAX_RANKS] = { NULL };

  for (guint i = 1; i < n; i++)
    threads[i] = g_thread_new ("rank", run_by_hand, &ranks[i]);
  run_by_hand (&ranks[0]);
  for (guint i = 1; i < n; i++)
    g_thread_join (threads[i]);
  return ranks[0].issue_ns;
}

static gint64
run_session (HirSession *session, gint64 *n_allocations)
{
  gint64 allocations = bench_count_allocations ();
  gint64 before = hir_session_get_issue_ns (session);
  guint done = hir_session_get_n_done (session);
  GError *error = NULL;

  while (hir_session_get_n_done (session) == done)
    if (hir_session_step (session, &error) == HIR_STEP_FAILED)
      g_error ("%s", error->message);
  *n_allocations += bench_count_allocations () - allocations;
  return hir_session_get_issue_ns (session) - before;
}

/* Hooks for single instructions disable prepared bodies. */
static gboolean
before_step (const HirProgramPoint *point, gpointer user_data, GError **error)
{
  return TRUE;
}

static int
compare (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

static double
median (GArray *times)
{
  g_array_sort (times, compare);
  return (double) g_array_index (times, gint64, times->len / 2);
}

int
main (int argc, char *argv[])
{
  guint n = argc > 2 ? (guint) atoi (argv[2]) : 2, chunks = argc > 3 ? (guint) atoi (argv[3]) : 64;
  guint streams = argc > 4 ? (guint) atoi (argv[4]) : 8,
        rounds = argc > 5 ? (guint) atoi (argv[5]) : 60,
        n_gpus = argc > 6 ? (guint) atoi (argv[6]) : n;
  gboolean by_steps = argc > 7 && strcmp (argv[7], "steps") == 0;
  HirProgram *program = gpu_program_open (argv[1], n);
  g_autoptr (GArray) gpus = g_array_new (FALSE, FALSE, sizeof (gint));
  HirCudaProviderOptions cuda = { .recorder = NULL, .gpus = gpus, .share_gpus = TRUE };
  g_autofree char *shape = g_strdup_printf ("%ux%ux%dx%d", chunks, n, M, K);
  g_autofree char *weight = g_strdup_printf ("%dx%d", K, N);
  const char *const inputs[] = { shape, weight, NULL };
  g_autoptr (GArray) ours = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) hand = g_array_new (FALSE, FALSE, sizeof (gint64));
  Rank ranks[MAX_RANKS] = { 0 };
  HirCudaLibs *libs = hir_cuda_libs_new ();
  GError *error = NULL;
  HirRunOptions options;
  gint64 n_allocations = 0, n_first = 0;

  if (!hir_cuda_libs_open_backend (libs, &error))
    g_error ("%s", error->message);
  for (gint i = 0; i < (gint) n_gpus; i++)
    g_array_append_val (gpus, i);
  hir_run_options_init (&options);
  options.n_streams = streams;
  options.n_repeats = rounds + 10;
  options.inputs = inputs;
  options.provider = hir_cuda_provider_new (&cuda, &error);
  g_assert_no_error (error);

  GPtrArray *hosts = hir_program_dup_rank_hosts (program, NULL, &error);
  HirSession *session =
      hir_session_new_ranks (program->fusion, (HirContainer *const *) hosts->pdata, n, &options,
                             NULL, NULL, &error);
  g_assert_no_error (error);
  if (by_steps)
    hir_session_add_hooks (session, &(HirEvaluatorHooks){ .before = before_step });
  for (guint i = 0; i < n; i++)
    {
      ranks[i].n_ranks = n;
      ranks[i].all = n_gpus < n ? ranks : NULL;
      ranks[i].n_chunks = chunks;
      ranks[i].n_streams = streams;
      init_rank (&ranks[i], libs, i, n_gpus, program->fusion);
    }
  if (n_gpus >= n)
    make_nccl (ranks, n);
  for (guint i = 0; i < rounds + 5; i++)
    {
      gint64 a = run_session (session, i >= 5 ? &n_allocations : &n_first);
      gint64 b = run_hand (ranks, n);

      if (i >= 5)
        {
          g_array_append_val (ours, a);
          g_array_append_val (hand, b);
        }
    }

  double a = median (ours) / chunks, b = median (hand) / chunks;
  g_print (
      "ag_matmul, %u ranks on %u GPUs, %u chunks, %u streams%s: host %.2f us per iteration, C loop %.2f "
      "us, ratio %.3f, %.2f us more, %.2f allocations\n",
      n, n_gpus, chunks, streams, by_steps ? ", step by step" : "", a / 1000, b / 1000, a / b,
      (a - b) / 1000,
      bench_count_allocations () < 0 ? -1 : (double) n_allocations / rounds / chunks);
  return 0;
}
