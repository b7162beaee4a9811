/* fuzz-chrome N [SEED]: broken Chrome and Kineto traces. Bytes, tokens or chunks of valid texts
 * in every dialect are changed, duplicated or cut. Each input is imported and the result
 * traversed. A crash or a hang names the input. */
#include "trace/chrome/import-chrome.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"
#include "diagnostic.h"
#include "input.h"

#define SECONDS_PER_RUN 20

static const char *const seeds[] = {
  "{\"schemaVersion\":1,\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":3,\"world_size\":8},\n"
  "\"traceEvents\":[\n"
  "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":9,\"tid\":9,"
  "\"ts\":4458676522690.655,\"dur\":2.5,\"args\":{\"External id\":5,\"correlation\":77}},\n"
  "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"void gemm<float, 4>(int)\",\"pid\":1,\"tid\":7,"
  "\"ts\":4458676522695.001,\"dur\":10.25,\"args\":{\"device\":1,\"stream\":7,\"correlation\":77,"
  "\"grid\":[1,2,3],\"block\":[128,1,1]}},\n"
  "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllGather\",\"pid\":1,\"tid\":20,"
  "\"ts\":4458676522700.000,\"dur\":4,\"args\":{\"Collective name\":\"allgather\",\"Seq\":4,"
  "\"Process Group Ranks\":\"[0, 1]\",\"correlation\":78,\"In msg nelems\":100,"
  "\"Out msg nelems\":200,\"dtype\":\"BFloat16\"}},\n"
  "{\"ph\":\"s\",\"id\":77,\"pid\":9,\"tid\":9,\"ts\":4458676522690.655,\"cat\":\"ac2g\"},\n"
  "{\"ph\":\"f\",\"id\":77,\"pid\":1,\"tid\":7,\"ts\":4458676522695.001,\"cat\":\"ac2g\",\"bp\":"
  "\"e\"},\n"
  "{\"ph\":\"s\",\"id\":1,\"pid\":9,\"tid\":9,\"ts\":4458676522690.655,\"cat\":\"fwdbwd\",\"name\":"
  "\"fwdbwd\"},\n"
  "{\"ph\":\"f\",\"id\":1,\"pid\":1,\"tid\":7,\"ts\":4458676522695.001,\"cat\":\"fwdbwd\",\"name\":"
  "\"fwdbwd\",\"bp\":\"e\"},\n"
  "{\"ph\":\"X\",\"cat\":\"Trace\",\"ts\":1,\"dur\":2,\"pid\":\"Spans\",\"tid\":\"PyTorch\","
  "\"name\":\"P (0)\"},\n"
  "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":7,\"args\":{\"name\":\"stream 7 \"}}\n"
  "],\"traceName\":\"a.json\",\"baseTimeNanoseconds\":1711964646000000000}\n",
  "[{\"ph\":\"B\",\"name\":\"a\",\"ts\":0,\"pid\":1,\"tid\":1},\n"
  "{\"ph\":\"B\",\"name\":\"b \\u00e9\\ud83d\\ude00\",\"ts\":2,\"pid\":1,\"tid\":1},\n"
  "{\"ph\":\"E\",\"ts\":5,\"pid\":1,\"tid\":1},{\"ph\":\"E\",\"name\":\"a\",\"ts\":9e0,\"pid\":1,"
  "\"tid\":1},\n"
  "{\"ph\":\"b\",\"cat\":\"q\",\"id\":\"0x2\",\"name\":\"s\",\"ts\":1,\"pid\":\"p\"},\n"
  "{\"ph\":\"n\",\"cat\":\"q\",\"id\":\"0x2\",\"name\":\"s\",\"ts\":2,\"pid\":\"p\"},\n"
  "{\"ph\":\"e\",\"cat\":\"q\",\"id\":\"0x2\",\"name\":\"s\",\"ts\":3,\"pid\":\"p\"},\n"
  "{\"ph\":\"i\",\"s\":\"g\",\"name\":\"mark\",\"ts\":12},\n"
  "{\"ph\":\"C\",\"name\":\"n\",\"ts\":1,\"args\":{\"v\":1}},\n"
  "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":\"python\"}},]",
  "{\"hirscope\":{\"version\":1},\"traceEvents\":[\n"
  "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"recv T3 from 1, send T0 to 1\",\"pid\":0,\"tid\":6,"
  "\"ts\":9.4,\"dur\":5.051,\"args\":{\"rank\":0,\"device\":0,\"stream\":1003,\"correlation\":5,"
  "\"kind\":\"communication\",\"Collective name\":\"coalesced\",\"dtype\":\"Float\","
  "\"Coalesced messages\":[{\"Collective name\":\"send\",\"In msg nelems\":64,"
  "\"Out msg nelems\":0,\"dtype\":\"Float\",\"bytes\":256,\"Src Rank\":0,\"Dst Rank\":1,\"Seq\":0},"
  "{\"Collective name\":\"recv\",\"In msg nelems\":0,\"Out msg nelems\":64,\"dtype\":\"Float\","
  "\"bytes\":256,\"Src Rank\":1,\"Dst Rank\":0}]}}]}",
};

static const char *const tokens[] = {
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  "\"",
  "\\",
  "\\u",
  "\\ud800",
  "null",
  "true",
  "-",
  "1e999",
  "-1e999",
  "1e-9",
  "0.5",
  "\"\"",
  "\0",
  "\xff",
  "\"B\"",
  "\"E\"",
  "\"b\"",
  "\"e\"",
  "\"kernel\"",
  "18446744073709551615",
  "-9223372036854775808",
  "9223372036854775807",
  "\"ts\":",
  "\"dur\":-1,",
  "\"pid\":\"x\",",
  "\"traceEvents\":",
  "\n",
  " ",
};

static void
insert (GByteArray *bytes, guint at, const void *data, guint length)
{
  guint tail = bytes->len - at;

  g_byte_array_set_size (bytes, bytes->len + length);
  memmove (bytes->data + at + length, bytes->data + at, tail);
  memcpy (bytes->data + at, data, length);
}

static void
mutate (GRand *rand, GByteArray *bytes)
{
  guint at = fuzz_below (rand, bytes->len), wanted = 1 + fuzz_below (rand, 80);
  guint length = MIN (wanted, bytes->len - at);
  const char *token = tokens[fuzz_below (rand, G_N_ELEMENTS (tokens))];
  g_autofree guint8 *copy = NULL;

  switch (fuzz_below (rand, 7))
    {
    case 0:
      bytes->data[at] = (guint8) fuzz_below (rand, 256);
      break;
    case 1:
      bytes->data[at] ^= (guint8) (1 << fuzz_below (rand, 8));
      break;
    case 2:
      g_byte_array_remove_range (bytes, at, length);
      break;
    case 3:
      copy = g_memdup2 (bytes->data + at, length);
      insert (bytes, fuzz_below (rand, bytes->len), copy, length);
      break;
    case 4:
      if (fuzz_below (rand, 4) == 0)
        g_byte_array_set_size (bytes, at);
      break;
    default:
      insert (bytes, at, token, (guint) MAX (strlen (token), 1));
      break;
    }
}

static void
walk (const HirTrace *trace)
{
  g_autoptr (HirStats) stats = hir_stats_new (trace, NULL);

  for (guint i = 0; i < stats->gpus->len; i++)
    {
      const HirGpuStats *gpu = &g_array_index (stats->gpus, HirGpuStats, i);

      g_assert_cmpint (gpu->idle_ns, >=, 0);
      g_assert_cmpint (gpu->exposed_comm_ns, <=, gpu->total_comm_ns);
    }
  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    {
      g_assert_true (g_utf8_validate (hir_trace_get_track (trace, t)->name, -1, NULL));
      for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
        {
          HirEvent event;

          hir_trace_get_event (trace, t, i, &event);
          g_assert_cmpint (event.start_ns, <=, event.end_ns);
          g_assert_cmpint (event.kind, <, HIR_N_EVENT_KINDS);
          g_assert_true (g_utf8_validate (hir_trace_get_string (trace, event.name), -1, NULL));
        }
    }
}

/* Imports an input with a random number of threads and random block sizes. Returns TRUE if it
 * was accepted. */
static gboolean
try_text (GRand *rand, const GByteArray *bytes)
{
  const HirChromeImport options = { .n_threads = 1 + fuzz_below (rand, 3),
                                    .block_bytes = 1 + fuzz_below (rand, 300) };
  HirTraceBuilder *builder = hir_trace_builder_new ();
  g_autofree char *text = g_memdup2 (bytes->data, bytes->len);
  g_autoptr (HirTextStream) stream = hir_text_stream_new_for_memory ("input", text, bytes->len);
  g_autoptr (HirTrace) trace = NULL;
  g_autoptr (GError) error = NULL;
  HirChromeHeader header;
  gint64 zero_ns;

  if (!hir_import_chrome (builder, stream, &options, &header, &zero_ns, &error))
    {
      g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
      /* Every error has a position: "input:LINE:COLUMN: ". */
      g_assert_true (g_regex_match_simple ("^input:[0-9]+:[0-9]+: .", error->message, 0, 0));
      hir_trace_builder_free (builder);
      return FALSE;
    }
  trace = hir_trace_builder_try_finish (builder, &error);
  g_assert_no_error (error);
  walk (trace);
  return TRUE;
}

int
main (int argc, char **argv)
{
  guint n = argc > 1 ? (guint) atoi (argv[1]) : 1000;
  guint32 seed = argc > 2 ? (guint32) atoi (argv[2]) : 1;
  guint n_accepted = 0;

  for (guint i = 0; i < n; i++)
    {
      GRand *rand = g_rand_new_with_seed (seed + i);
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      const char *good = seeds[fuzz_below (rand, G_N_ELEMENTS (seeds))];
      guint n_changes = 1 + fuzz_below (rand, 6);

      fuzz_input_begin (SECONDS_PER_RUN, "fuzz-chrome: input of seed %u", seed + i);
      g_byte_array_append (bytes, (const guint8 *) good, strlen (good));
      for (guint k = 0; k < n_changes && bytes->len > 0; k++)
        mutate (rand, bytes);
      n_accepted += try_text (rand, bytes);
      g_rand_free (rand);
    }
  fuzz_input_end ();
  g_print ("%u inputs: %u rejected, %u read, no crash, no hang\n", n, n - n_accepted, n_accepted);
  return 0;
}
