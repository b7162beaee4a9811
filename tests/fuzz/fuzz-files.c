/* fuzz-files N [SEED]: broken trace files. A third of the inputs are gzip streams with broken
 * bytes, cut, duplicated or followed by garbage. A third are two to four ranks with
 * contradictory, missing or absurd headers. A third are two broken traces that are compared and
 * merged. All are opened with hir_trace_open(), with random block sizes, on one or two threads.
 * A crash or a hang names the input. */
#include "trace/load/import.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare.h"
#include "diagnostic.h"
#include "input.h"

#define SECONDS_PER_RUN 20
#define MAX_FILES 4

typedef struct
{
  GRand *rand;
  char *folder;
  char *paths[MAX_FILES + 1]; /* NULL-terminated for hir_trace_open() */
  guint n_read, n_refused, n_compared;
} Fuzzer;

static guint
below (Fuzzer *fuzzer, guint n)
{
  return n == 0 ? 0 : g_rand_int (fuzzer->rand) % n;
}

static const char *
pick (Fuzzer *fuzzer, const char *const *texts, guint n)
{
  return texts[below (fuzzer, n)];
}

#define PICK(fuzzer, texts) pick (fuzzer, texts, G_N_ELEMENTS (texts))

/* Appends the header of a rank; sometimes none, or an impossible one. */
static void
add_header (Fuzzer *fuzzer, GString *text, guint i)
{
  static const char *const ranks[] = { "0",     "1",          "1",    "3",   "-1",
                                       "\"2\"", "4294967296", "1e99", "null" };
  static const char *const bases[] = { "1711964646000000000",  "1711964646000000500", "0",
                                       "-9223372036854775808", "9223372036854775807", "\"x\"",
                                       "1711964646.5" };

  g_string_append (text, "{\"schemaVersion\":1,");
  if (below (fuzzer, 4) > 0)
    g_string_append_printf (text,
                            "\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":%s,"
                            "\"world_size\":%s},",
                            below (fuzzer, 2) ? PICK (fuzzer, ranks)
                            : i % 2           ? "1"
                                              : "0",
                            PICK (fuzzer, ranks));
  if (below (fuzzer, 3) > 0)
    g_string_append_printf (text, "\"baseTimeNanoseconds\":%s,", PICK (fuzzer, bases));
  g_string_append (text, "\"traceEvents\":[\n");
}

/* Creates kernels, launches and collectives that match those of other ranks, or almost. */
static GString *
make_trace (Fuzzer *fuzzer, guint i)
{
  static const char *const names[] = { "gemm", "ncclDevKernel_AllGather", "relu", "", "\\u00e9" };
  static const char *const groups[] = { "[0, 1]", "[0, 1, 2, 3]", "[]", "[1]", "x", "[1, 1]" };
  GString *text = g_string_new (NULL);
  guint n = below (fuzzer, 40);
  gboolean is_numbered = below (fuzzer, 2);
  gint64 ts = (gint64) below (fuzzer, 1000) * 1000;

  add_header (fuzzer, text, i);
  for (guint k = 0; k < n; k++)
    {
      ts += below (fuzzer, 50);
      g_string_append_printf (text,
                              "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%u,\"tid\":%"
                              "u,"
                              "\"ts\":%" G_GINT64_FORMAT ".%03u,\"dur\":%d.5,\"args\":{"
                              "\"correlation\":%u,\"device\":%u,\"stream\":%u",
                              k > 0 ? ",\n" : "", below (fuzzer, 3) ? "kernel" : "cuda_runtime",
                              PICK (fuzzer, names), below (fuzzer, 2), 7 + below (fuzzer, 2), ts,
                              below (fuzzer, 1000), (int) below (fuzzer, 40) - 2, k / 2,
                              below (fuzzer, 2), 7 + below (fuzzer, 2));
      if (below (fuzzer, 2))
        g_string_append_printf (text,
                                ",\"Collective name\":\"allgather\",\"%s\":%u,\"Process Group "
                                "Ranks\":\"%s\",\"dtype\":\"Float\",\"In msg nelems\":%d,"
                                "\"Out msg nelems\":64,\"Group size\":2",
                                is_numbered ? "Seq" : "other", k / (1 + below (fuzzer, 2)),
                                PICK (fuzzer, groups), (int) below (fuzzer, 99) - 9);
      g_string_append (text, "}}");
    }
  g_string_append (text, "\n]}\n");
  return text;
}

static void
break_bytes (Fuzzer *fuzzer, GByteArray *bytes, guint most)
{
  for (guint n = below (fuzzer, most + 1); n > 0 && bytes->len > 0; n--)
    {
      guint at = below (fuzzer, bytes->len), length = 1 + below (fuzzer, 40);

      length = MIN (length, bytes->len - at);
      switch (below (fuzzer, 6))
        {
        case 0:
          bytes->data[at] ^= (guint8) (1 << below (fuzzer, 8));
          break;
        case 1:
          bytes->data[at] = (guint8) below (fuzzer, 256);
          break;
        case 2:
          g_byte_array_remove_range (bytes, at, length);
          break;
        case 3:
          g_byte_array_set_size (bytes, at);
          break;
        case 4:
          memset (bytes->data + at, below (fuzzer, 2) ? 0xff : 0, length);
          break;
        default:
          g_byte_array_append (bytes, (const guint8 *) "{\"ph\":\"X\"}\x1f\x8b\x08", 13);
          break;
        }
    }
}

/* Appends one member of a gzip file. */
static void
append_packed (GByteArray *bytes, const char *text, gsize length, int level)
{
  g_autoptr (GConverter) packer =
      G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, level));
  gsize n_in, n_out, at = 0, room = length + 1000, start = bytes->len, end = bytes->len;
  GConverterResult result;

  g_byte_array_set_size (bytes, (guint) (start + room));
  do
    {
      result =
          g_converter_convert (packer, text + at, length - at, bytes->data + end, bytes->len - end,
                               G_CONVERTER_INPUT_AT_END, &n_in, &n_out, NULL);
      g_assert_cmpint (result, !=, G_CONVERTER_ERROR);
      at += n_in;
      end += n_out;
    }
  while (result != G_CONVERTER_FINISHED);
  g_byte_array_set_size (bytes, (guint) end);
}

static void
write_file (Fuzzer *fuzzer, guint i, const GByteArray *bytes)
{
  g_assert_true (g_file_set_contents_full (fuzzer->paths[i], (const char *) bytes->data, bytes->len,
                                           G_FILE_SET_CONTENTS_NONE, 0600, NULL));
}

static void
make_gzip (Fuzzer *fuzzer)
{
  GByteArray *bytes = g_byte_array_new ();

  for (guint n = 1 + below (fuzzer, 2); n > 0; n--)
    {
      GString *text = make_trace (fuzzer, 0);

      append_packed (bytes, text->str, below (fuzzer, 8) ? text->len : 0, (int) below (fuzzer, 10));
      g_string_free (text, TRUE);
    }
  break_bytes (fuzzer, bytes, 3);
  write_file (fuzzer, 0, bytes);
  g_byte_array_unref (bytes);
}

static void
make_file (Fuzzer *fuzzer, guint i, guint most)
{
  GString *text = make_trace (fuzzer, i);
  GByteArray *bytes = g_byte_array_new ();

  if (below (fuzzer, 5) == 0)
    append_packed (bytes, text->str, text->len, 1);
  else
    g_byte_array_append (bytes, (const guint8 *) text->str, (guint) text->len);
  break_bytes (fuzzer, bytes, most);
  write_file (fuzzer, i, bytes);
  g_byte_array_unref (bytes);
  g_string_free (text, TRUE);
}

/* Returns NULL if the trace was rejected; the error then names a file. */
static HirTrace *
open_files (Fuzzer *fuzzer, guint from, guint n)
{
  const HirImportOptions options = { .n_threads = 1 + below (fuzzer, 2),
                                     .block_bytes =
                                         below (fuzzer, 3) ? 1 + below (fuzzer, 400) : 0 };
  const char *paths[MAX_FILES + 1] = { NULL };
  g_autoptr (GError) error = NULL;
  HirTrace *trace;
  gboolean is_named = FALSE;

  for (guint i = 0; i < n; i++)
    paths[i] = fuzzer->paths[from + i];
  trace = hir_trace_open (paths, &options, &error);
  if (trace == NULL)
    {
      g_assert_nonnull (error);
      g_assert_cmpint (error->domain, ==, HIR_ERROR);
      for (guint i = 0; i < n; i++)
        is_named |= strstr (error->message, paths[i]) != NULL;
      g_assert_true (is_named);
      fuzzer->n_refused++;
      return NULL;
    }
  fuzzer->n_read++;
  return trace;
}

static void
walk (const HirTrace *trace)
{
  g_autoptr (HirStats) stats = hir_stats_new (trace, NULL);
  guint64 n_events = 0;

  for (guint i = 0; i < stats->gpus->len; i++)
    g_assert_cmpint (g_array_index (stats->gpus, HirGpuStats, i).idle_ns, >=, 0);
  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++, n_events++)
      {
        HirEvent event;

        hir_trace_get_event (trace, t, i, &event);
        g_assert_cmpint (event.start_ns, <=, event.end_ns);
        g_assert_cmpint (event.kind, <, HIR_N_EVENT_KINDS);
        g_assert_true (g_utf8_validate (hir_trace_get_string (trace, event.name), -1, NULL));
      }
  g_assert_cmpuint (n_events, ==, hir_trace_get_n_events (trace));
}

static void
compare (Fuzzer *fuzzer)
{
  g_autoptr (HirTrace) a = NULL, b = NULL, both = NULL;
  g_autoptr (HirComparison) comparison = NULL;
  g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();
  g_autoptr (GError) error = NULL;
  HirTextOut out;

  make_file (fuzzer, 0, 2);
  make_file (fuzzer, 1, 2);
  a = open_files (fuzzer, 0, 1);
  b = open_files (fuzzer, 1, 1);
  if (a == NULL || b == NULL)
    return;
  comparison = hir_comparison_new (a, b, NULL, NULL, NULL);
  hir_text_out_init (&out, stream, NULL);
  hir_comparison_write_text (comparison, 20, &out);
  hir_comparison_write_json (comparison, &out);
  g_assert_true (hir_text_out_finish (&out, &error));
  both = hir_comparison_merge (a, b, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hir_trace_get_n_events (both), ==,
                    hir_trace_get_n_events (a) + hir_trace_get_n_events (b));
  walk (both);
  fuzzer->n_compared++;
}

static void
run_one (Fuzzer *fuzzer)
{
  g_autoptr (HirTrace) trace = NULL;
  guint n = 1;

  switch (below (fuzzer, 3))
    {
    case 0:
      make_gzip (fuzzer);
      break;
    case 1:
      n = 2 + below (fuzzer, MAX_FILES - 1);
      for (guint i = 0; i < n; i++)
        make_file (fuzzer, i, 1);
      break;
    default:
      compare (fuzzer);
      return;
    }
  trace = open_files (fuzzer, 0, n);
  if (trace != NULL)
    walk (trace);
}

int
main (int argc, char **argv)
{
  guint n = argc > 1 ? (guint) atoi (argv[1]) : 1000;
  guint32 seed = argc > 2 ? (guint32) atoi (argv[2]) : 1;
  Fuzzer fuzzer = { 0 };

  /* Critical messages fail, too. */
  g_log_set_always_fatal (G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING);
  /* The files are small and numerous: use memory if possible. */
  if (g_access ("/dev/shm", W_OK) == 0)
    g_setenv ("TMPDIR", "/dev/shm", TRUE);
  fuzzer.folder = g_dir_make_tmp ("fuzz-files-XXXXXX", NULL);
  for (guint i = 0; i < MAX_FILES; i++)
    fuzzer.paths[i] = g_strdup_printf ("%s/%s%u.json", fuzzer.folder, i % 2 ? "rank" : "file", i);
  for (guint i = 0; i < n; i++)
    {
      fuzzer.rand = g_rand_new_with_seed (seed + i);
      fuzz_input_begin (SECONDS_PER_RUN, "fuzz-files: input of seed %u, in %s", seed + i,
                        fuzzer.folder);
      run_one (&fuzzer);
      g_rand_free (fuzzer.rand);
    }
  fuzz_input_end ();
  for (guint i = 0; i < MAX_FILES; i++)
    {
      g_unlink (fuzzer.paths[i]);
      g_free (fuzzer.paths[i]);
    }
  g_rmdir (fuzzer.folder);
  g_free (fuzzer.folder);
  g_print ("%u inputs: %u opens rejected, %u read, %u pairs compared; no crash, no hang\n", n,
           fuzzer.n_refused, fuzzer.n_read, fuzzer.n_compared);
  return 0;
}
