/* Tests broken input: invalid text between events, arguments that are not JSON, a byte order mark,
 * compressed files, and formats that are only recognized. */
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>

#include "analysis/stats.h"
#include "config.h"
#include "diagnostic.h"
#include "test-folder.h"
#include "trace/event-args.h"
#include "trace/json-strict.h"
#include "trace/load/import.h"

static HirTrace *
open_blocks (const char *path, gsize block_bytes, guint n_threads)
{
  const char *const paths[] = { path, NULL };
  const HirImportOptions options = { .n_threads = n_threads, .block_bytes = block_bytes };
  g_autoptr (GError) error = NULL;
  HirTrace *trace = hir_trace_open (paths, &options, &error);

  g_assert_no_error (error);
  return trace;
}

static gboolean
account_says (HirTrace *trace, const char *words)
{
  const char *const *account = hir_trace_get_account (trace);

  for (guint i = 0; account[i] != NULL; i++)
    if (strstr (account[i], words) != NULL)
      return TRUE;
  return FALSE;
}

static char *
dup_case (const char *name)
{
  return g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "tests", "data", "cases", "traces", name,
                           NULL);
}

/* --- invalid text ----------------------------------------------------------------------------- */

#define GOOD(name)                                                                                 \
  "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name                                              \
  "\",\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":2,\"args\":{\"device\":0,\"stream\":7}}"

#define TIMED(start, duration)                                                                     \
  "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":" #start             \
  ",\"dur\":" #duration ",\"args\":{\"device\":0,\"stream\":7}}"

/* Each has four valid events. */
static const struct
{
  const char *text;
  guint n_lost;
} broken[] = {
  { GOOD ("a\"b") "," GOOD ("c") "," GOOD ("d") "," GOOD ("e") "," GOOD ("f"), 1 },
  { GOOD ("a") "," GOOD ("b\"x\"y") "," GOOD ("c") ",\n " GOOD ("d") "," GOOD ("e"), 1 },
  { GOOD ("a") "," GOOD ("b") "," GOOD ("c") "," GOOD ("d") "," GOOD ("e\"e"), 1 },
  { GOOD ("a") "," GOOD ("b") GOOD ("c") "," GOOD ("d"), 0 },
  { GOOD ("a") ",{\"ph\":\"X\",\"name\":\"q\",\"args\":{\"x\":{\"y\":[\"q\"uo\"]}}}," GOOD (
        "b") "," GOOD ("c") "," GOOD ("d"),
    1 },
  { GOOD ("a") ",{\"ph\":\"X\",\"name\":\"no end," GOOD ("b") "," GOOD ("c") "," GOOD ("d"), 1 },
  { GOOD ("a") ",{\"ph\" \"X\"}," GOOD ("b") ",{\"ph\":}," GOOD ("c") "," GOOD ("d"), 2 },
};

/* What follows an invalid event is read, whatever the blocks and threads. */
static void
test_invalid (TestFolder *fixture, gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (broken); i++)
    for (gsize block = 16; block <= 4096; block *= 4)
      {
        g_autofree char *text =
            g_strdup_printf ("{\"traceEvents\":[%s], \"distributedInfo\": {\"rank\": 5}}",
                             broken[i].text);
        g_autofree char *path = test_folder_write (fixture->folder, "broken.json", text, -1);
        g_autofree char *lost = g_strdup_printf (", %u event%s lost", broken[i].n_lost,
                                                 broken[i].n_lost == 1 ? "" : "s");
        g_autoptr (HirTrace) trace = open_blocks (path, block, block == 64 ? 3 : 1);

        g_test_message ("text %u, blocks of %u", i, (guint) block);
        g_assert_cmpuint (hir_trace_get_n_events (trace), ==, 4);
        g_assert_true (account_says (trace, lost));
        /* The root after the events is read, too. */
        g_assert_cmpint (hir_trace_get_track (trace, 0)->rank, ==, 5);
      }
}

/* What is done to the text at one place. */
static const struct
{
  const char *inserted;
  gsize n_inserted, n_removed;
} changes[] = {
  { "\"", 1, 0 },   { "\001", 1, 0 }, { "]", 1, 0 },        { "[", 1, 0 },        { "}", 1, 0 },
  { "{", 1, 0 },    { ",", 1, 0 },    { ":", 1, 0 },        { "\\", 1, 0 },       { "\0", 1, 0 },
  { "\xc3", 1, 0 }, { "]}", 2, 0 },   { "null ", 5, 0 },    { "\0\0\0\0", 4, 0 }, { "", 0, 1 },
  { "", 0, 2 },     { "", 0, 9 },     { "]", 1, 1 },        { "[", 1, 1 },        { "}", 1, 1 },
  { "\"", 1, 1 },   { "\0", 1, 1 },   { "\xe2\x82", 2, 1 },
};

/* Broken text at any place loses at most the event that contains it and one next to it. The account
 * tells a loss, and the root after the events is read. Each place has a fifth of the changes. */
static void
test_one_place (TestFolder *fixture, gconstpointer data)
{
  static const char *const events[] = { GOOD ("void a<int, 2>(b)"), GOOD ("c"), GOOD ("d, [e]"),
                                        GOOD ("f"), GOOD ("g") };
  static const char start[] = "{\"traceEvents\":[";
  g_autofree char *joined =
      g_strdup_printf ("%s%s, %s,\n%s,%s,%s], \"distributedInfo\": {\"rank\": 5}}", start,
                       events[0], events[1], events[2], events[3], events[4]);
  gsize last = (gsize) (strstr (joined, "], \"dist") - joined);

  for (gsize at = strlen (start); at <= last; at++)
    for (gsize k = at % 5; k < G_N_ELEMENTS (changes); k += 5)
      {
        g_autoptr (GString) text = g_string_new (joined);
        g_autofree char *path = NULL;
        g_autoptr (HirTrace) trace = NULL;
        guint64 n;

        if (at + changes[k].n_removed <= last - 2)
          g_string_erase (text, (gssize) at, (gssize) changes[k].n_removed);
        g_string_insert_len (text, (gssize) at, changes[k].inserted,
                             (gssize) changes[k].n_inserted);
        path = test_folder_write (fixture->folder, "one.json", text->str, (gssize) text->len);
        trace = open_blocks (path, at % 2 == 0 ? 64 : 0, 1);
        n = hir_trace_get_n_events (trace);
        if (n < G_N_ELEMENTS (events) - 2 || n > G_N_ELEMENTS (events) ||
            (hir_trace_get_track (trace, 0)->rank != 5 && at < last) ||
            (n < G_N_ELEMENTS (events) && !account_says (trace, " lost") &&
             !account_says (trace, " left out")))
          g_error ("change %u at %u, %s: %u events of rank %d", (guint) k, (guint) at, text->str,
                   (guint) n, hir_trace_get_track (trace, 0)->rank);
        /* An existing file would be replaced with fsync(), which takes long. */
        g_unlink (path);
      }
}

/* A file that ends within an event keeps its message. */
static void
test_cut (TestFolder *fixture, gconstpointer data)
{
  const char text[] = "{\"traceEvents\":[" GOOD ("a") "," GOOD ("b") ",{\"ph\":\"X\",\"na";
  g_autofree char *path = test_folder_write (fixture->folder, "cut.json", text, -1);
  g_autoptr (HirTrace) trace = open_blocks (path, 0, 1);

  g_assert_cmpuint (hir_trace_get_n_events (trace), ==, 2);
  g_assert_true (account_says (trace, "the 2 events before are shown"));
}

static void
test_mark (void)
{
  g_autofree char *path = dup_case ("bom.json");
  g_autoptr (HirTrace) trace = open_blocks (path, 0, 1);

  g_assert_cmpuint (hir_trace_get_n_events (trace), ==, 1);
  g_assert_cmpstr (hir_trace_get_account (trace)[0], ==, NULL);
  g_assert_true (hir_trace_sniff (path));
}

/* --- arguments -------------------------------------------------------------------------------- */

static void
test_args (void)
{
  g_autofree char *path = dup_case ("argsbad.json");
  g_autoptr (HirTrace) trace = open_blocks (path, 0, 1);
  g_autofree char *first = hir_trace_dup_event_json (trace, 0, 0, NULL, NULL);
  g_autofree char *second = hir_trace_dup_event_json (trace, 0, 1, NULL, NULL);

  g_assert_cmpstr (first, ==, "\"bytes\":64,\"memory bandwidth (GB/s)\":\"inf\",\"correlation\":1");
  g_assert_cmpstr (second, ==, "\"correlation\":2,\"x\":\"-nan\",\"a\":2");
  g_assert_true (account_says (trace, "2 events with arguments that are not JSON"));
  g_assert_true (account_says (trace, "1 event with two members of one name"));
}

/* Errors inside nested arguments and numbers are repaired and counted, too. */
static void
test_nested_args (TestFolder *fixture, gconstpointer data)
{
  static const char text[] =
      "[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1,\"args\":"
      "{\"d\":{\"x\":1,\"y\":[true],\"x\":2}}},"
      "{\"ph\":\"X\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":2,\"dur\":1,\"args\":"
      "{\"l\":[1,[nan]],\"m\":[{\"x\":1,\"x\":2}]}},"
      "{\"ph\":\"X\",\"name\":\"c\",\"pid\":1,\"tid\":1,\"ts\":3,\"dur\":1,\"args\":"
      "{\"l\":[[1,null],{\"x\":{\"x\":1}}]}},"
      "{\"ph\":\"X\",\"name\":\"d\",\"pid\":1,\"tid\":1,\"ts\":4,\"dur\":1,\"args\":{\"n\":0x1F}}]";
  g_autofree char *path = test_folder_write (fixture->folder, "nested.json", text, -1);
  g_autoptr (HirTrace) trace = open_blocks (path, 0, 1);
  g_autofree char *first = hir_trace_dup_event_json (trace, 0, 0, NULL, NULL);
  g_autofree char *second = hir_trace_dup_event_json (trace, 0, 1, NULL, NULL);

  g_assert_cmpstr (first, ==, "\"d\":{\"y\":[true],\"x\":2}");
  g_assert_cmpstr (second, ==, "\"l\":[1,[\"nan\"]],\"m\":[{\"x\":2}]");
  g_assert_true (account_says (trace, "2 events with arguments that are not JSON"));
  g_assert_true (account_says (trace, "2 events with two members of one name"));
}

static void
test_strict (void)
{
  static const struct
  {
    const char *text, *strict;
  } cases[] = {
    { "1", "1" },
    { "-0.5e+3", "-0.5e+3" },
    { "[ 1,\n2 ]", "[ 1,\n2 ]" },
    { "{\"a\" : true}", "{\"a\" : true}" },
    { "\"a\\u00e9\\\"\"", "\"a\\u00e9\\\"\"" },
    { "nan", "\"nan\"" },
    { "-Infinity", "\"-Infinity\"" },
    { "NaN", "\"NaN\"" },
    { "01", "\"01\"" },
    { "+1", "\"+1\"" },
    { "1.", "\"1.\"" },
    { "1e", "\"1e\"" },
    { "0x10", "\"0x10\"" },
    { "1e308", "1e308" },
    { "1e400", "\"1e400\"" },
    { "-1E999", "\"-1E999\"" },
    { "1e-400", "1e-400" },
    { "[1,{\"a\":2e308}]", "[1,{\"a\":\"2e308\"}]" },
    { "[1, inf, {\"x\":-nan}]", "[1,\"inf\",{\"x\":\"-nan\"}]" },
    { "[1,]", "[1]" },
    { "{\"a\":1,}", "{\"a\":1}" },
    { "\"a\tb\001c\"", "\"a\\u0009b\\u0001c\"" },
    { "\"a\\x\"", "\"ax\"" },
    { "\"\xff\"", "\"\357\277\275\"" },
    { "[1 2]", "\"[1 2]\"" },
    { "{1:2}", "\"{1:2}\"" },
    { "{\"a\":1,\"b\":2,\"a\":3}", "{\"b\":2,\"a\":3}" },
    { "[{\"a\":{\"x\":1, \"x\":[2]},\"a\":{\"x\":1,\"x\":nan}}]", "[{\"a\":{\"x\":\"nan\"}}]" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GString) out = g_string_new (NULL);

      hir_json_append_strict (out, cases[i].text, strlen (cases[i].text));
      g_assert_cmpstr (out->str, ==, cases[i].strict);
    }
  {
    g_autoptr (GString) out = g_string_new (NULL);

    /* A NUL after a backslash */
    hir_json_append_strict (out, "\"a\\\0b\"", 6);
    g_assert_cmpstr (out->str, ==, "\"a b\"");
    g_assert_cmpuint (out->len, ==, 5);
  }
}

/* --- impossible times ------------------------------------------------------------------------- */

static HirStats *
open_stats (const char *name, const HirStatsOptions *options, HirTrace **trace)
{
  g_autofree char *path = dup_case (name);

  *trace = open_blocks (path, 0, 1);
  return hir_stats_new (*trace, options);
}

/* A kernel of 1.6 s with others inside it does not count, but is still there. */
static void
test_duration (void)
{
  const HirStatsOptions range = { .has_range = TRUE, .range_end_ns = 2000000000 };
  g_autoptr (HirTrace) trace = NULL, again = NULL;
  g_autoptr (HirStats) stats = open_stats ("overflow.json", NULL, &trace);
  g_autoptr (HirStats) in_range = open_stats ("overflow.json", &range, &again);
  gint64 start_ns, end_ns;

  hir_trace_get_span (trace, &start_ns, &end_ns);
  g_assert_cmpint (start_ns, ==, 0);
  g_assert_cmpint (end_ns, ==, 219000);
  g_assert_cmpint (g_array_index (stats->gpus, HirGpuStats, 0).busy_ns, ==, 190000);
  g_assert_cmpint (g_array_index (stats->gpus, HirGpuStats, 0).total_ns, ==, 219000);
  g_assert_cmpuint (stats->n_left_out, ==, 1);
  g_assert_true (account_says (trace, "1 event with an impossible duration"));
  g_assert_true (account_says (trace, "fmha_bwd"));
  g_assert_cmpint (g_array_index (in_range->gpus, HirGpuStats, 0).busy_ns, >, 1600000000);
}

static void
test_far (void)
{
  g_autoptr (HirTrace) trace = NULL;
  g_autoptr (HirStats) stats = open_stats ("zerots_dur.json", NULL, &trace);
  gint64 start_ns, end_ns;

  hir_trace_get_span (trace, &start_ns, &end_ns);
  g_assert_cmpint (end_ns - start_ns, ==, 30000);
  g_assert_cmpint (g_array_index (stats->gpus, HirGpuStats, 0).total_ns, ==, 30000);
  g_assert_cmpuint (hir_trace_get_n_events (trace), ==, 3);
  g_assert_true (account_says (trace, "1 event far away from all others"));
}

/* A long kernel beside shorter ones, and two groups of the same size, are possible. */
static void
test_possible (TestFolder *fixture, gconstpointer data)
{
  static const char *const texts[] = {
    "[" TIMED (0, 900000) "," TIMED (10, 100000) "," TIMED (200000, 100000) "]",
    "[" TIMED (0, 900000) "," TIMED (10, 5) "," TIMED (899999, 5) "]",
    "[" TIMED (0, 5) "," TIMED (7000000000, 5) "]",
    "[" TIMED (0, 5000000000) "," TIMED (5000000000, 5) "," TIMED (9000000000, 5) "]",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autofree char *path = test_folder_write (fixture->folder, "long.json", texts[i], -1);
      g_autoptr (HirTrace) trace = open_blocks (path, 0, 1);

      g_assert_cmpstr (hir_trace_get_account (trace)[0], ==, NULL);
    }
}

/* --- compression ------------------------------------------------------------------------------ */

/* `printf '[EVENT]' | zstd` and `| xz -0`, where EVENT is {"ph":"X","cat":"kernel","name":"a",
 * "pid":0,"tid":7,"ts":1,"dur":2,"args":{"device":0,"stream":7,"note":"kept"}} */
static const guint8 zstd[] = {
  0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0xe5, 0x02, 0x00, 0x32, 0xc6, 0x13, 0x19, 0x70, 0x4b,
  0xd3, 0x01, 0xe4, 0x48, 0x77, 0x83, 0x10, 0xad, 0xe9, 0xc8, 0xdb, 0xd4, 0xa8, 0x81, 0x7f,
  0xf0, 0x07, 0x28, 0x96, 0xa7, 0xfa, 0x3f, 0x84, 0x86, 0x24, 0x39, 0x13, 0xe6, 0x02, 0x1d,
  0x87, 0x2a, 0x17, 0x96, 0xd3, 0x40, 0x33, 0xd2, 0xd7, 0x41, 0xdd, 0x26, 0xe8, 0x8a, 0x61,
  0xb6, 0x40, 0x5f, 0xb9, 0x0d, 0xba, 0x39, 0xb9, 0x01, 0xba, 0x39, 0x69, 0xfb, 0xee, 0x78,
  0x1c, 0xda, 0x56, 0x20, 0x52, 0x98, 0xb8, 0xe7, 0x95, 0x6d, 0xc2, 0x1d, 0x91, 0x46, 0x0a,
  0x01, 0x03, 0x04, 0x02, 0x5b, 0x20, 0x50, 0xd5, 0xd4, 0x94, 0x19, 0xd8, 0x30, 0x99, 0x56
};
static const guint8 xz[] = {
  0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02, 0x00, 0x21, 0x01,
  0x0c, 0x00, 0x00, 0x00, 0x8f, 0x98, 0x41, 0x9c, 0xe0, 0x00, 0x71, 0x00, 0x5d, 0x5d, 0x00, 0x2d,
  0x9e, 0xc0, 0x47, 0x03, 0x7b, 0xc6, 0x34, 0xf2, 0x41, 0x0b, 0x40, 0x77, 0xa4, 0x91, 0x12, 0x42,
  0xdd, 0x4e, 0x82, 0xef, 0xdc, 0x58, 0x2f, 0x8a, 0x31, 0x30, 0x11, 0x7f, 0xf8, 0x3d, 0x51, 0x22,
  0xaf, 0xa0, 0xd7, 0xca, 0xd5, 0xfa, 0x68, 0x8d, 0x8e, 0x5a, 0xe4, 0xab, 0xe9, 0x05, 0xee, 0xaa,
  0x89, 0xcf, 0xd9, 0x5d, 0xac, 0x56, 0x3c, 0x3e, 0x8d, 0xc2, 0xdd, 0xfd, 0xcb, 0xfb, 0xb8, 0xd6,
  0x25, 0xc1, 0x33, 0xe4, 0x34, 0xf0, 0x2c, 0x44, 0x39, 0x8a, 0x55, 0x7f, 0xca, 0x32, 0x78, 0x22,
  0xa5, 0xe9, 0x7c, 0x6c, 0xc3, 0x25, 0xcd, 0x5d, 0x17, 0xe4, 0x91, 0x00, 0x00, 0x00, 0x00, 0x00,
  0xfb, 0xc2, 0x85, 0xf2, 0x7c, 0x80, 0xb2, 0x7b, 0x00, 0x01, 0x79, 0x72, 0x84, 0x67, 0x70, 0x60,
  0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a
};

static void
check_packed (TestFolder *fixture, const char *name, const guint8 *bytes, gsize n, gboolean is_read)
{
  g_autofree char *path = test_folder_write (fixture->folder, name, (const char *) bytes, n);
  const char *const paths[] = { path, NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (HirTrace) trace = hir_trace_open (paths, NULL, &error);
  g_autofree char *args = NULL;

  g_assert_true (hir_trace_sniff (path));
  if (!is_read)
    {
      g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
      g_assert_nonnull (strstr (error->message, "decompress it with"));
      return;
    }
  g_assert_no_error (error);
  g_assert_cmpuint (hir_trace_get_n_events (trace), ==, 1);
  args = hir_trace_dup_event_json (trace, 0, 0, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (args, "\"note\":\"kept\""));
}

static void
test_packed (TestFolder *fixture, gconstpointer data)
{
  check_packed (fixture, "a.json.zst", zstd, sizeof zstd, HIR_HAVE_ZSTD);
  check_packed (fixture, "a.json.xz", xz, sizeof xz, HIR_HAVE_LZMA);
}

/* What could be decompressed is shown, or the error tells that the file is damaged. */
static void
test_packed_cut (TestFolder *fixture, gconstpointer data)
{
#if HIR_HAVE_ZSTD && HIR_HAVE_LZMA
  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *path = test_folder_write (fixture->folder, "cut.json.x",
                                                 (const char *) (i == 0 ? zstd : xz), 40);
      const char *const paths[] = { path, NULL };
      g_autoptr (GError) error = NULL;

      g_assert_null (hir_trace_open (paths, NULL, &error));
      g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
      g_assert_nonnull (strstr (error->message, "damaged or truncated"));
    }
#else
  g_test_skip ("built without zstd or xz");
#endif
}

/* --- other formats ---------------------------------------------------------------------------- */

/* The bytes of a literal without its end, and their number. */
#define BYTES(literal) literal, sizeof (literal) - 1

static void
test_formats (TestFolder *fixture, gconstpointer data)
{
  static const struct
  {
    const char *name, *bytes;
    gsize n;
    const char *what, *command;
  } cases[] = {
    { "a.nsys-rep", BYTES ("\x01\x02\x03 report"), "Nsight Systems", "nsys export --type sqlite" },
    { "a.qdrep", BYTES ("x"), "Nsight Systems", "nsys export --type sqlite" },
    { "a.zip", BYTES ("PK\003\004 and more"), "zip", "unzip" },
    { "a.pftrace", BYTES ("\n\x05\x08\x01"), "Perfetto", "traceconv json" },
    { "a.bin", BYTES ("\n\x05\x08\x01\x10\x02\x18\0\0\0"), "Perfetto", "traceconv json" },
    /* xprof returns text. */
    { "a.xplane.pb", BYTES ("\n\x05"), "XPlane", "xprof.convert import raw_to_tool_data" },
    { "a.xplane.pb", BYTES ("\n\x05"), "XPlane", "open(\"trace.json\", \"w\")" },
    { "a.pb", BYTES ("\n\x20\x08\x01\x12\x0d/device:GPU:0\0\0"), "XPlane", "xprof" },
    { "a.bz2", BYTES ("BZh91AY&SY"), "bzip2", "bunzip2" },
    { "a.json", BYTES ("\xff\xfe[\0]\0"), "UTF-16", "iconv" },
    { "a.json", BYTES ("[\0]\0"), "UTF-16", "iconv -f UTF-16LE" },
    { "a.json", BYTES ("\0[\0]"), "UTF-16", "iconv -f UTF-16BE" },
    { "a.json", BYTES ("\xff\xfe\0\0[\0\0\0"), "UTF-32", "iconv -f UTF-32" },
    { "a.zip", BYTES ("PK\005\006\0\0"), "an empty zip archive", "create the archive again" },
    { "a.lzma", BYTES ("\x5d\0\0\x80\0"), "lzma", "xz -dk --format=lzma" },
    { "a.Z", BYTES ("\x1f\x9d\x90"), "compress", "uncompress" },
    { "a.h5", BYTES ("\x89HDF\r\n\x1a\n"), "HDF5", "nsys export --type sqlite REPORT" },
    { "a.parquet", BYTES ("PAR1\0\0"), "Parquet", "nsys export --type sqlite REPORT" },
    { "a.arrow", BYTES ("ARROW1\0\0"), "Arrow", "nsys export --type sqlite REPORT" },
    { "a.otf2", BYTES ("OTF2\0"), "OTF2", "otf2-print" },
    { "perf.data", BYTES ("PERFILE2\0"), "perf", "torch.profiler" },
    { "a.pickle", BYTES ("\x80\x04\x95\0"), "pickle", "export_chrome_trace()" },
    { "a.json", BYTES ("version https://git-lfs.github.com/spec/v1\n"), "Git LFS", "git lfs pull" },
    { "a.html", BYTES ("<!DOCTYPE html>"), "HTML", "save the trace" },
    { "a.json", BYTES ("{\"ph\":\"X\"}\n{\"ph\":\"X\"}\n"), "one per line", "jq -s ." },
    { "a.json", BYTES ("{\"ph\":\"X\"}\r\n{\"ph\":\"X\"}\r\n"), "one per line", "jq -s ." },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path =
          test_folder_write (fixture->folder, cases[i].name, cases[i].bytes, (gssize) cases[i].n);
      const char *const paths[] = { path, NULL };
      g_autoptr (GError) error = NULL;

      g_assert_null (hir_trace_open (paths, NULL, &error));
      g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, cases[i].what));
      g_assert_nonnull (strstr (error->message, cases[i].command));
    }
}

#undef BYTES

static void
test_tar (TestFolder *fixture, gconstpointer data)
{
  char bytes[512] = "trace.json";
  g_autofree char *path = NULL;
  const char *paths[] = { NULL, NULL };
  g_autoptr (GError) error = NULL;

  memcpy (bytes + 257, "ustar", 5);
  paths[0] = path = test_folder_write (fixture->folder, "a.tar", bytes, sizeof bytes);
  g_assert_null (hir_trace_open (paths, NULL, &error));
  g_assert_nonnull (strstr (error->message, "tar -xf"));
}

static void
test_databases (TestFolder *fixture, gconstpointer data)
{
  static const struct
  {
    const char *sql, *what;
  } cases[] = {
    { "CREATE TABLE rocpd_kernel (a)", "rocpd" },
    { "CREATE TABLE StringTable (a)", "nvprof" },
    { "CREATE TABLE StringTable (a); CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (a)", "nvprof" },
    { "CREATE TABLE notes (a)", "SQLite database of another program" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = test_folder_write (fixture->folder, "a.db", "", 0);
      const char *const paths[] = { path, NULL };
      g_autoptr (GError) error = NULL;
      sqlite3 *db = NULL;

      g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
      g_assert_cmpint (sqlite3_exec (db, cases[i].sql, NULL, NULL, NULL), ==, SQLITE_OK);
      sqlite3_close (db);
      g_assert_null (hir_trace_open (paths, NULL, &error));
      g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
      g_assert_nonnull (strstr (error->message, cases[i].what));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  TEST_FOLDER_ADD ("/broken-cases/invalid", test_invalid, NULL);
  TEST_FOLDER_ADD ("/broken-cases/one-place", test_one_place, NULL);
  TEST_FOLDER_ADD ("/broken-cases/cut", test_cut, NULL);
  g_test_add_func ("/broken-cases/byte-order-mark", test_mark);
  g_test_add_func ("/broken-cases/args", test_args);
  TEST_FOLDER_ADD ("/broken-cases/nested-args", test_nested_args, NULL);
  g_test_add_func ("/broken-cases/strict", test_strict);
  g_test_add_func ("/broken-cases/duration", test_duration);
  g_test_add_func ("/broken-cases/far", test_far);
  TEST_FOLDER_ADD ("/broken-cases/possible", test_possible, NULL);
  TEST_FOLDER_ADD ("/broken-cases/packed", test_packed, NULL);
  TEST_FOLDER_ADD ("/broken-cases/packed-cut", test_packed_cut, NULL);
  TEST_FOLDER_ADD ("/broken-cases/formats", test_formats, NULL);
  TEST_FOLDER_ADD ("/broken-cases/tar", test_tar, NULL);
  TEST_FOLDER_ADD ("/broken-cases/databases", test_databases, NULL);
  return g_test_run ();
}
