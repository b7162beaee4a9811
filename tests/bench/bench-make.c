#include "bench-make.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static double
read_clock (clockid_t clock)
{
  struct timespec now;

  clock_gettime (clock, &now);
  return (double) now.tv_sec + (double) now.tv_nsec / 1e9;
}

double
bench_cpu_s (void)
{
  return read_clock (CLOCK_PROCESS_CPUTIME_ID);
}

double
bench_wall_s (void)
{
  return read_clock (CLOCK_MONOTONIC);
}

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

double
bench_quantile (GArray *values, double fraction)
{
  guint at = (guint) (fraction * values->len);

  g_array_sort (values, compare_doubles);
  return g_array_index (values, double, MIN (at, values->len - 1));
}

char *
bench_make_folder (void)
{
  g_autoptr (GError) error = NULL;
  char *folder = g_dir_make_tmp ("hirscope-bench-XXXXXX", &error);

  if (folder == NULL)
    g_error ("%s", error->message);
  return folder;
}

void
bench_remove_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_unlink (path);
    }
  g_rmdir (folder);
}

/* Returns an evenly distributed number that depends only on @i. */
static guint32
scatter (guint64 i)
{
  i = (i ^ (i >> 31)) * 0x9e3779b97f4a7c15u;
  i = (i ^ (i >> 29)) * 0xbf58476d1ce4e5b9u;
  return (guint32) (i >> 32);
}

const char *
bench_name (guint i)
{
  static const char *const names[] = {
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, "
    "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, "
    "3ul>)",
    "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NTT",
    "Memcpy DtoD (Device -> Device)",
    "cudaLaunchKernel",
    "aten::matmul",
    "matmul",
    "Set",
    "Allgather",
    "Synchronize",
  };

  return names[i % G_N_ELEMENTS (names)];
}

void
bench_track (guint t, guint n_tracks, HirTrack *track, char *name, gsize size)
{
  gboolean is_host = t % 4 == 3;
  guint per_rank = MAX (n_tracks / 8, 4);

  g_snprintf (name, size, is_host ? "host %u" : "Stream %u", t % per_rank);
  *track = (HirTrack){ .kind = is_host ? HIR_TRACK_HOST : HIR_TRACK_STREAM,
                       .rank = (int) (t / per_rank),
                       .device = (int) (t / per_rank),
                       .stream = is_host ? -1 : (gint64) (t % per_rank),
                       .name = name };
}

void
bench_event (guint64 i, guint n_tracks, const guint32 *names, HirEvent *event)
{
  guint32 r = scatter (i);
  guint t = (guint) (i % n_tracks);
  gboolean is_host = t % 4 == 3;
  gint64 start = (gint64) (i / n_tracks) * 10000 + r % 900;
  static const guint8 kinds[] = { HIR_EVENT_KERNEL, HIR_EVENT_COMMUNICATION, HIR_EVENT_KERNEL,
                                  HIR_EVENT_MEMCPY, HIR_EVENT_KERNEL,        HIR_EVENT_SYNC };

  *event = (HirEvent){
    .start_ns = start,
    .end_ns = start + 1000 + (r >> 10) % 8000,
    .bytes = is_host ? 0 : (gint64) (r % 4096) << 12,
    .instruction = (guint64) (r % 12) * 0x9e3779b97f4a7c15u,
    .name = names[r % BENCH_N_NAMES],
    .correlation = (guint32) (i + 1),
    .iteration = (gint32) (i / n_tracks % 64),
    .track = (guint16) t,
    .kind = is_host ? HIR_EVENT_ISSUE : kinds[(r >> 5) % G_N_ELEMENTS (kinds)],
  };
}

HirTrace *
bench_trace_new (guint64 n_events, guint n_tracks)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  g_autoptr (GError) error = NULL;
  guint32 names[BENCH_N_NAMES];
  HirTrace *trace;

  for (guint i = 0; i < BENCH_N_NAMES; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s%s%u", bench_name (i), i < 10 ? "" : "_", i);

      names[i] = hir_trace_builder_intern (builder, name);
    }
  for (guint t = 0; t < n_tracks; t++)
    {
      HirTrack track;
      char name[32];

      bench_track (t, n_tracks, &track, name, sizeof name);
      hir_trace_builder_add_track (builder, &track);
    }
  for (guint64 i = 0; i < n_events; i++)
    {
      HirEvent event;

      bench_event (i, n_tracks, names, &event);
      if (!hir_trace_builder_add (builder, &event, &error))
        g_error ("%s", error->message);
    }
  trace = hir_trace_builder_try_finish (builder, &error);
  if (trace == NULL)
    g_error ("%s", error->message);
  return trace;
}

/* Writes a launch and its device work in Kineto's format. */
static void
write_launch (FILE *file, guint64 i)
{
  guint32 r = scatter (i);
  guint64 ts = 4458676522690655u + i * 14031;
  guint dur = 900 + r % 9000, stream = 7 + r % 8;

  fprintf (file,
           "  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::matmul\", \"pid\": "
           "9120, "
           "\"tid\": 9120,\n    \"ts\": %" G_GUINT64_FORMAT
           ".%03u, \"dur\": 21.%03u,\n    \"args\": "
           "{\n      \"External id\": %" G_GUINT64_FORMAT ",\"Record function id\": 0, "
           "\"Ev Idx\": %" G_GUINT64_FORMAT "\n    }\n  },\n",
           ts / 1000, (guint) (ts % 1000), r % 1000, i, i);
  fprintf (file,
           "  {\n    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", "
           "\"pid\": 9120, \"tid\": 9120,\n    \"ts\": %" G_GUINT64_FORMAT
           ".%03u, \"dur\": 4.%03u,\n"
           "    \"args\": {\n      \"External id\": %" G_GUINT64_FORMAT ", \"cbid\": 211, "
           "\"correlation\": %" G_GUINT64_FORMAT "\n    }\n  },\n",
           (ts + 4100) / 1000, (guint) ((ts + 4100) % 1000), r % 997, i, i + 1);
  fprintf (file,
           "  {\n    \"ph\": \"s\", \"id\": %" G_GUINT64_FORMAT ", \"pid\": 9120, \"tid\": 9120, "
           "\"ts\": %" G_GUINT64_FORMAT ".%03u,\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"\n  },\n",
           i + 1, (ts + 4100) / 1000, (guint) ((ts + 4100) % 1000));
  fprintf (file,
           "  {\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"%s\", \"pid\": 0, \"tid\": "
           "%u,\n"
           "    \"ts\": %" G_GUINT64_FORMAT ".%03u, \"dur\": %u.%03u,\n    \"args\": {\n"
           "      \"External id\": %" G_GUINT64_FORMAT
           ", \"queued\": 0, \"device\": 0, \"context\": "
           "1,\n      \"stream\": %u, \"correlation\": %" G_GUINT64_FORMAT ",\n"
           "      \"registers per thread\": 168, \"shared memory\": 213248,\n"
           "      \"blocks per SM\": 0.969697, \"warps per SM\": 11.636364,\n"
           "      \"grid\": [%u, 1, 1],\n      \"block\": [384, 1, 1],\n"
           "      \"est. achieved occupancy %%\": 19\n    }\n  },\n",
           bench_name (r % 3), stream, (ts + 9000) / 1000, (guint) ((ts + 9000) % 1000), dur / 1000,
           dur % 1000, i, stream, i + 1, 1 + r % 132);
  fprintf (file,
           "  {\n    \"ph\": \"f\", \"id\": %" G_GUINT64_FORMAT
           ", \"pid\": 0, \"tid\": %u, \"ts\": "
           "%" G_GUINT64_FORMAT ".%03u,\n    \"cat\": \"ac2g\", \"name\": \"ac2g\", \"bp\": \"e\"\n"
           "  },\n",
           i + 1, stream, (ts + 9000) / 1000, (guint) ((ts + 9000) % 1000));
}

guint64
bench_write_kineto (const char *path, gsize n_bytes)
{
  FILE *file = fopen (path, "we");
  guint64 i = 0;

  if (file == NULL)
    g_error ("%s can't be written", path);
  fputs ("{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\"id\": 0, \"name\": "
         "\"GPU\"}\n"
         "  ],\n  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 0, \"world_size\": 1},\n"
         "  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": 1711964646000000000,\n"
         "  \"traceEvents\": [\n",
         file);
  for (; (gsize) ftell (file) < n_bytes; i++)
    write_launch (file, i);
  fputs ("  {\n    \"name\": \"process_name\", \"ph\": \"M\", \"ts\": 4458676522690.655, \"pid\": "
         "0, "
         "\"tid\": 0,\n    \"args\": {\n      \"name\": \"python\"\n    }\n  }\n  ],\n"
         "  \"traceName\": \"bench.json\"\n}\n",
         file);
  if (fclose (file) != 0)
    g_error ("%s can't be written", path);
  return i * 3;
}
