/* fuzz-join N [SEED]: random programs with random traces. A program is one of tests/data with lines
 * lost, doubled or moved. A trace is what the host of that program or of another one does, with
 * events lost, added, moved and damaged, or random events only. Each pair is joined: all device
 * events are accounted for, and the result is written in each form. A crash or a hang names the
 * run. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "input.h"
#include "join/join-private.h"
#include "join/join-shape.h"

#define SECONDS_PER_RUN 20 /* a usual one takes some milliseconds */
#define MAX_EVENTS 200

typedef struct
{
  GRand *rand;
  GPtrArray *seeds; /* char* */
  guint n_unread, n_refused, n_tied, n_untied;
  double slowest_s; /* processor time of a run */
  guint32 slowest;  /* its seed */
} Fuzzer;

static guint
below (Fuzzer *fuzzer, guint n)
{
  return n == 0 ? 0 : fuzz_below (fuzzer->rand, n);
}

/* Returns TRUE once in @n calls. */
static gboolean
once_in (Fuzzer *fuzzer, guint n)
{
  return below (fuzzer, n) == 0;
}

/* Loses, doubles or swaps lines, but not the first and last ones, without which nothing is read. */
static char *
dup_changed (Fuzzer *fuzzer, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint n = g_strv_length (lines);
  g_autoptr (GString) changed = g_string_new (NULL);

  for (guint i = 0; n > 6 && i < 1 + below (fuzzer, 3); i++)
    {
      guint a = 2 + below (fuzzer, n - 4), b = 2 + below (fuzzer, n - 4);
      char *line = lines[a];

      switch (below (fuzzer, 3))
        {
        case 0:
          lines[a] = g_strdup ("");
          g_free (line);
          break;
        case 1:
          lines[a] = lines[b];
          lines[b] = line;
          break;
        default:
          lines[a] = g_strconcat (line, "\n", lines[b], NULL);
          g_free (line);
        }
    }
  for (guint i = 0; i < n; i++)
    g_string_append_printf (changed, "%s\n", lines[i]);
  return g_string_free (g_steal_pointer (&changed), FALSE);
}

/* Returns NULL if none of a few texts is a program. */
static HirProgram *
read_program (Fuzzer *fuzzer)
{
  for (guint i = 0; i < 20; i++)
    {
      const char *text = fuzzer->seeds->pdata[below (fuzzer, fuzzer->seeds->len)];
      g_autofree char *changed = once_in (fuzzer, 2) ? dup_changed (fuzzer, text) : g_strdup (text);
      HirSource *source = hir_source_new ("input.txt", changed, -1);
      g_autoptr (HirRequest) request = hir_request_new (source, NULL);
      g_autoptr (HirProgram) program = hir_program_new (request, NULL, NULL, NULL);

      hir_source_unref (source);
      if (program != NULL && program->error == NULL)
        return g_steal_pointer (&program);
    }
  return NULL;
}

/* Sets the shapes: mostly of one size, because most programs need equal ones. */
static void
set_inputs (Fuzzer *fuzzer, HirProgram *program)
{
  static const char *const sizes[] = { "2", "4", "8", "6", "1", "?", "0", "16", "-1", "x" };
  guint size = below (fuzzer, 4);
  const HirContainer *fusion = program->fusion != NULL ? program->fusion : program->printed;
  GPtrArray *inputs = g_ptr_array_new ();

  for (guint i = 0; fusion != NULL && i < fusion->inputs.len && !once_in (fuzzer, 60); i++)
    {
      GString *text = g_string_new (NULL);
      guint n = 1;

      if (HIR_IS_TENSOR (fusion->inputs.items[i]))
        g_free (hir_tensor_dup_no_reductions (HIR_TENSOR (fusion->inputs.items[i]), &n));
      for (guint k = 0; k < n; k++)
        g_string_append_printf (text, "%s%s", k > 0 ? "x" : "",
                                sizes[once_in (fuzzer, 40) ? below (fuzzer, 10) : size]);
      g_ptr_array_add (inputs, g_string_free (text, FALSE));
    }
  g_ptr_array_add (inputs, NULL);
  g_strfreev (program->request->inputs);
  program->request->inputs = (char **) g_ptr_array_free (inputs, FALSE);
}

typedef struct
{
  Fuzzer *fuzzer;
  HirTraceBuilder *builder;
  guint n_tracks, n_streams; /* of a rank: tracks of the host, then streams */
  guint n_hosts, first;      /* the first track of the rank */
  gint64 now_ns;
  guint32 correlation;
  guint32 replay; /* correlation of the launch of a CUDA graph that runs all; 0: none */
  guint damage;   /* one event of so many is damaged */
  guint n_events;
} Recorder;

static void
add (Recorder *it, guint track, HirEventKind kind, const char *name, gint64 length_ns, guint32 id)
{
  Fuzzer *fuzzer = it->fuzzer;
  HirEvent event = { .start_ns = it->now_ns,
                     .end_ns = it->now_ns + length_ns,
                     .bytes = kind == HIR_EVENT_MEMCPY ? 4 << below (fuzzer, 4) : 0,
                     .correlation = id,
                     .iteration = -1,
                     .track = (guint16) track,
                     .kind = (guint8) kind };

  it->n_events++;
  if (once_in (fuzzer, it->damage))
    switch (below (fuzzer, 6))
      {
      case 0:
        return;
      case 1:
        event.correlation = below (fuzzer, 2) ? 0 : g_rand_int (fuzzer->rand);
        break;
      case 2:
        event.start_ns -= below (fuzzer, 100000);
        break;
      case 3:
        event.end_ns += below (fuzzer, 100000);
        break;
      case 4:
        event.track = (guint16) (it->first + below (fuzzer, it->n_tracks));
        break;
      default:
        event.kind = (guint8) below (fuzzer, HIR_N_EVENT_KINDS);
        event.phase = (guint8) below (fuzzer, HIR_PHASE_BASELINE);
      }
  event.name = hir_trace_builder_intern (it->builder, name);
  g_assert_true (hir_trace_builder_add (it->builder, &event, NULL));
}

static void
add_call (Recorder *it, const char *name)
{
  add (it, it->first, HIR_EVENT_ISSUE, name, 800, ++it->correlation);
  it->now_ns += 1000;
}

static void
add_random (Recorder *it)
{
  static const char *const names[] = {
    "aten::matmul",
    "aten::copy_",
    "aten::add",
    "aten::",
    "aten::empty",
    "aten::select",
    "cudaLaunchKernel",
    "cudaMemcpyAsync",
    "cudaMemsetAsync",
    "cudaGraphLaunch",
    "cudaEventRecord",
    "cudaStreamWaitEvent",
    "cuLaunchKernelEx",
    "cu",
    "record_param_comms",
    "nccl:all_reduce",
    "c10d::allreduce_",
    "ncclDevKernel_AllGather_RING_LL",
    "nvfuser_pointwise_f0_c1_r0_g3",
    "nvfuser__g99999999999",
    "cudaStreamBeginCapture",
    "cudaStreamEndCapture",
    "CUDA graph",
    "Memcpy DtoD (Device -> Device)",
    "Memset (Device)",
    "splitKreduce_kernel",
    "void at::native::reduce_kernel<512>()",
    "HostIrEvaluator::dispatch hir::ForLoop",
    "HostIrEvaluator::dispatch MatmulOp",
    "Synchronize",
    "Synchronize Stream 0",
    "Wait",
    "Stream Wait Event",
    "ALLOCATE ",
    "",
  };
  guint track = it->first + below (it->fuzzer, it->n_tracks);
  guint32 id = below (it->fuzzer, 3) ? it->correlation + below (it->fuzzer, 3) : 0;

  add (it, track, (HirEventKind) below (it->fuzzer, HIR_N_EVENT_KINDS),
       names[below (it->fuzzer, G_N_ELEMENTS (names))], below (it->fuzzer, 3000), id);
  it->now_ns += below (it->fuzzer, 2000);
}

/* Adds what the host does for @step. */
static void
add_step (Recorder *it, const HirJoinStep *step)
{
  static const char *const kernels[] = { "a kernel",
                                         "nvjet_sm90_tst",
                                         "Memcpy DtoD (Device -> Device)",
                                         "void at::native::vectorized_elementwise_kernel<4>()",
                                         "void at::native::reduce_kernel<512>()",
                                         "FillFunctor",
                                         "ncclDevKernel_AllReduce",
                                         "nvfuser_pointwise_f0_c1_r0_g0",
                                         "",
                                         "" };
  g_autofree char *op = g_strconcat ("aten::", step->op, NULL);
  guint key = step->key == HIR_JOIN_NONE ? 0 : step->key;
  guint stream = it->first + it->n_hosts + key % MAX (it->n_streams, 1);
  gboolean is_copy = step->class == HIR_JOIN_COPY;

  if (it->replay != 0)
    {
      if (step->kind == HIR_JOIN_OP)
        add (it, stream, is_copy ? HIR_EVENT_MEMCPY : HIR_EVENT_KERNEL, kernels[step->class], 700,
             it->replay);
      it->now_ns += 1000;
      return;
    }
  switch (step->kind)
    {
    case HIR_JOIN_RECORD:
      add_call (it, "cudaEventRecord");
      return;

    case HIR_JOIN_WAIT:
    case HIR_JOIN_DONE:
      add_call (it, "cudaStreamWaitEvent");
      return;

    case HIR_JOIN_PREPARE:
      add (it, it->first, HIR_EVENT_HOST, op, 500, 0);
      it->now_ns += 1000;
      return;

    default:
      add (it, it->first, HIR_EVENT_HOST, step->class == HIR_JOIN_COMM ? "record_param_comms" : op,
           1800, 0);
      add_call (it, is_copy ? "cudaMemcpyAsync" : "cudaLaunchKernel");
      add (it, stream, is_copy ? HIR_EVENT_MEMCPY : HIR_EVENT_KERNEL, kernels[step->class], 700,
           it->correlation);
      it->now_ns += 1000;
    }
}

/* Adds the steps of @program, if its sizes are known, a few times. */
static void
add_program (Recorder *it, HirProgram *program, int rank)
{
  g_autoptr (GPtrArray) hosts = hir_program_dup_rank_hosts (program, NULL, NULL);
  const HirSyncOptions options = { .n_streams = 1 + below (it->fuzzer, 5),
                                   .inputs = (const char *const *) program->request->inputs,
                                   .rank = (int) program->request->rank };
  HirContainer *fusion = program->fusion != NULL ? program->fusion : program->printed;
  g_autoptr (HirSyncTrace) sync = NULL;
  g_autoptr (HirJoinExpected) expected = NULL;
  gboolean has_graphs = once_in (it->fuzzer, 6);

  if (hosts == NULL || fusion == NULL)
    return;
  sync = hir_sync_trace_new (fusion, (HirContainer *const *) hosts->pdata, hosts->len, &options,
                             NULL, NULL);
  if (sync == NULL)
    return;
  expected = hir_join_expected_new (sync, hosts->len == 1 ? options.rank : rank, TRUE);
  for (guint r = 0; r < 3 && it->n_events < MAX_EVENTS && expected->steps->len < MAX_EVENTS; r++)
    {
      if (has_graphs)
        add_call (it, "cudaGraphLaunch");
      it->replay = has_graphs ? it->correlation : 0;
      for (guint i = 0; i < expected->steps->len; i++)
        {
          add_step (it, &g_array_index (expected->steps, HirJoinStep, i));
          if (once_in (it->fuzzer, it->damage))
            add_random (it);
        }
    }
}

static HirTrace *
record (Fuzzer *fuzzer, HirProgram *program)
{
  Recorder it = { .fuzzer = fuzzer, .builder = hir_trace_builder_new () };
  guint n_ranks = 1 + once_in (fuzzer, 3);

  it.damage = once_in (fuzzer, 3) ? 1000000 : 2 + below (fuzzer, 40);
  for (guint rank = 0; rank < n_ranks; rank++)
    {
      it.first += it.n_tracks;
      it.n_hosts = below (fuzzer, 8) == 0 ? 2 : 1;
      it.n_streams = 1 + below (fuzzer, 5);
      it.n_tracks = it.n_hosts + it.n_streams;
      for (guint i = 0; i < it.n_tracks; i++)
        {
          const HirTrack track = { i < it.n_hosts ? HIR_TRACK_HOST : HIR_TRACK_STREAM, (int) rank,
                                   (int) rank, i < it.n_hosts ? -1 : 7 + (gint64) i,
                                   (char *) "track" };

          (void) hir_trace_builder_add_track (it.builder, &track);
        }
      if (program != NULL)
        add_program (&it, program, (int) rank);
      for (guint i = below (fuzzer, once_in (fuzzer, 4) ? 200 : 3); i > 0; i--)
        add_random (&it);
    }
  return hir_trace_builder_finish (it.builder);
}

static guint
count_events (const HirTrace *trace, gboolean is_tied)
{
  guint n = 0;

  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
      {
        HirEvent event;

        hir_trace_get_event (trace, t, i, &event);
        n += !is_tied || event.instruction != 0;
      }
  return n;
}

static guint
count_lines (const char *text)
{
  guint n = 0;

  for (; *text != '\0'; text++)
    n += *text == '\n';
  return n;
}

static void
check_join (Fuzzer *fuzzer, const HirJoin *join)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *tsv = hir_join_format_tsv (join);
  g_autofree char *text = hir_join_format (join);
  g_autofree char *json = hir_join_to_json (join);
  g_autoptr (HirTrace) tied = hir_join_dup_trace (join, &error);
  guint n_tied = 0, n_all = 0;

  for (guint i = 0; i < join->events->len; i++)
    {
      const HirJoinedEvent *event = &g_array_index (join->events, HirJoinedEvent, i);
      gboolean is_tied = event->confidence > 0;

      g_assert_true (event->is_host == (i >= join->n_device));
      g_assert_true (is_tied == (event->expr != NULL) && is_tied == (event->reason == NULL));
      g_assert_true (event->index < hir_trace_get_track_n_events (join->trace, event->track));
      g_assert_true (!is_tied || event->repetition < join->n_repetitions);
      n_tied += is_tied && !event->is_host;
      n_all += is_tied;
    }
  g_assert_cmpuint (n_tied, ==, join->n_tied);
  g_assert_true (join->n_tied + join->n_replays > 0 || join->difference != NULL);
  g_assert_cmpuint (count_lines (tsv), ==, join->n_device + 1);
  g_assert_true (*text != '\0' && json[0] == '{');
  g_assert_no_error (error);
  g_assert_cmpuint (count_events (tied, FALSE), ==, count_events (join->trace, FALSE));
  g_assert_cmpuint (count_events (tied, TRUE), ==, n_all);
  fuzzer->n_tied += n_tied;
  fuzzer->n_untied += join->n_device - n_tied;
}

static void
run_one (Fuzzer *fuzzer)
{
  g_autoptr (HirProgram) program = read_program (fuzzer);
  g_autoptr (HirProgram) other = once_in (fuzzer, 4) ? read_program (fuzzer) : NULL;
  g_autoptr (HirTrace) trace = NULL;
  g_autoptr (GError) error = NULL;
  const HirJoinOptions options = { once_in (fuzzer, 4) ? 0 : 1 + below (fuzzer, 8) };
  g_autoptr (HirJoin) join = NULL;

  if (program == NULL)
    {
      fuzzer->n_unread++;
      return;
    }
  set_inputs (fuzzer, program);
  trace = record (fuzzer, other != NULL ? other : once_in (fuzzer, 10) ? NULL : program);
  join = hir_join_new (program, trace, &options, NULL, &error);
  if (join != NULL)
    check_join (fuzzer, join);
  else
    {
      g_assert_true (error != NULL && error->domain == HIR_ERROR);
      fuzzer->n_refused++;
    }
}

static int
compare_pointers (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (*(char *const *) a, *(char *const *) b);
}

static void
load_seeds (Fuzzer *fuzzer, const char *folder)
{
  const char *root = g_getenv ("HIR_TEST_SRCDIR");
  g_autofree char *path =
      g_build_filename (root != NULL ? root : ".", "tests", "data", folder, NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".txt"))
      g_ptr_array_add (names, g_build_filename (path, name, NULL));
  g_ptr_array_sort (names, compare_pointers);
  if (names->len == 0)
    g_error ("no programs in %s; set HIR_TEST_SRCDIR to the folder of the sources", path);
  for (guint i = 0; i < names->len; i++)
    {
      char *text = NULL;

      g_assert_true (g_file_get_contents (names->pdata[i], &text, NULL, NULL));
      g_ptr_array_add (fuzzer->seeds, text);
    }
}

static double
get_processor_time (void)
{
  struct timespec now;

  (void) clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* Each run can be repeated alone with its seed. */
static void
run_limited (Fuzzer *fuzzer, guint32 seed)
{
  double start_s = get_processor_time (), taken_s;

  g_rand_set_seed (fuzzer->rand, seed);
  fuzz_input_begin (SECONDS_PER_RUN, "fuzz-join: crash or hang; again with: fuzz-join 1 %u", seed);
  run_one (fuzzer);
  taken_s = get_processor_time () - start_s;
  if (taken_s <= fuzzer->slowest_s)
    return;
  fuzzer->slowest_s = taken_s;
  fuzzer->slowest = seed;
}

int
main (int argc, char **argv)
{
  guint n = argc > 1 ? (guint) strtoul (argv[1], NULL, 10) : 1000;
  guint32 seed = argc > 2 ? (guint32) strtoul (argv[2], NULL, 10) : 1;
  Fuzzer fuzzer = { g_rand_new (), g_ptr_array_new_with_free_func (g_free) };

  load_seeds (&fuzzer, "join" G_DIR_SEPARATOR_S "programs");
  load_seeds (&fuzzer, "golden");
  for (guint i = 0; i < n; i++)
    run_limited (&fuzzer, seed + i);
  fuzz_input_end ();
  g_print (
      "join: %u pairs, %u without a program, %u refused; %u device events tied, %u not; at most "
      "%.2f s of processor time (seed %u); no crash, no hang\n",
      n, fuzzer.n_unread, fuzzer.n_refused, fuzzer.n_tied, fuzzer.n_untied, fuzzer.slowest_s,
      fuzzer.slowest);
  g_ptr_array_unref (fuzzer.seeds);
  g_rand_free (fuzzer.rand);
  return 0;
}
