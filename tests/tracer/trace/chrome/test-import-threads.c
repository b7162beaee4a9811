/* Checks that a trace is identical for any number of threads and any cuts of its text, from a plain
 * file, a gzip file or a pipe. */
#include "trace/load/import.h"

#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#include "diagnostic.h"
#include "trace-dump.h"

#ifdef __SANITIZE_ADDRESS__
#define RANDOM_COUNT 20
#else
#define RANDOM_COUNT 200
#endif

static char *
load (const char *path, guint n_threads, gsize block_bytes)
{
  const char *const paths[] = { path, NULL };
  const HirImportOptions options = { .n_threads = n_threads, .block_bytes = block_bytes };
  g_autoptr (GError) error = NULL;
  g_autoptr (HirTrace) trace = hir_trace_open (paths, &options, &error);

  if (trace == NULL)
    return g_strdup (error->message);
  return test_dup_trace_text (trace);
}

static void
assert_same_cuts (const char *path, guint n_rounds, gsize largest, GRand *rand)
{
  g_autofree char *whole = load (path, 1, 0);

  for (guint i = 0; i < n_rounds; i++)
    {
      guint n_threads = (guint) g_rand_int_range (rand, 1, 5);
      gsize block_bytes = (gsize) g_rand_int_range (rand, 1, (gint32) largest);
      g_autofree char *cut = load (path, n_threads, block_bytes);

      if (strcmp (cut, whole) != 0)
        g_error ("%s: %u threads, blocks of %zu bytes: another trace", path, n_threads,
                 block_bytes);
    }
}

/* --- texts that are hard to cut --------------------------------------------------------------- */

static const char *
pick (GRand *rand, const char *const *from, guint n)
{
  return from[g_rand_int_range (rand, 0, (gint32) n)];
}

/* Adds strings that look like the border between two events, objects in args, and all kinds of
 * white space. */
static void
append_event (GString *text, GRand *rand)
{
  static const char *const names[] = {
    "gemm", "a\\\"},{\\\"ph\\\":\\\"X", "}, {\\\"ph\\\"", "", "ncclKernel", "\\\\", "\u00e9\\u00e9"
  };
  static const char *const args[] = { "", ",\"args\":{\"correlation\":7}",
                                      ",\"args\":{\"x\":[{\"a\":1},{\"ph\":\"X\"}]}",
                                      ",\"args\":{\"x\":{\"y\":\"},\\n {\"},\"z\":1}",
                                      ",\"args\":[{\"ph\":\"X\"},{\"name\":2}]" };
  static const char *const spaces[] = { "", " ", "\n", "\r\n\t  " };
  static const char *const phases[] = { "X", "X", "X", "B", "E", "b", "e", "i", "M", "C" };

  g_string_append_printf (text, "{%s\"ph\":%s\"%s\",\"name\":\"%s\",\"cat\":\"kernel\",\"pid\":%d,",
                          pick (rand, spaces, 4), pick (rand, spaces, 4), pick (rand, phases, 10),
                          pick (rand, names, 7), g_rand_int_range (rand, 0, 3));
  g_string_append_printf (text, "\"tid\":%d,\"ts\":%d.%03d,\"dur\":%d%s}%s",
                          g_rand_int_range (rand, 0, 4), g_rand_int_range (rand, 0, 100000),
                          g_rand_int_range (rand, 0, 1000), g_rand_int_range (rand, 0, 100),
                          pick (rand, args, 5), pick (rand, spaces, 4));
}

static char *
dup_random_text (GRand *rand)
{
  gboolean is_object = g_rand_boolean (rand);
  guint n = (guint) g_rand_int_range (rand, 1, 60);
  g_autoptr (GString) text = g_string_new (NULL);

  if (is_object && g_rand_boolean (rand))
    g_string_append (text, "{\"distributedInfo\":{\"rank\":3},\"long\":[1,2,[3,{\"a\":\"]\"}]],");
  else if (is_object)
    g_string_append (text, "{");
  g_string_append (text, is_object ? "\"traceEvents\": [" : " [");
  for (guint i = 0; i < n; i++)
    {
      append_event (text, rand);
      if (g_rand_int_range (rand, 0, 30) == 0)
        g_string_append (text, ",12345,\"text},{\\\"ph\\\"\",null,[{\"ph\":1},{\"ph\":2}]");
      if (i + 1 < n || g_rand_int_range (rand, 0, 4) == 0)
        g_string_append_c (text, ',');
    }
  g_string_append (text, is_object ? "],\"baseTimeNanoseconds\":77,\"traceEvents\":[" : "]");
  if (is_object)
    {
      append_event (text, rand);
      g_string_append (text, "]}");
    }
  if (g_rand_int_range (rand, 0, 4) == 0)
    g_string_truncate (text, (gsize) g_rand_int_range (rand, 1, (gint32) text->len));
  else if (g_rand_int_range (rand, 0, 4) == 0)
    text->str[g_rand_int_range (rand, 0, (gint32) text->len)] =
        "{}[],:\"x"[g_rand_int_range (rand, 0, 8)];
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
dup_temporary_path (void)
{
  g_autoptr (GError) error = NULL;
  char *path = NULL;
  int fd = g_file_open_tmp ("hir-threads-XXXXXX.json", &path, &error);

  g_assert_no_error (error);
  close (fd);
  return path;
}

static void
test_random_texts (void)
{
  const char *count = g_getenv ("HIR_RANDOM_COUNT");
  guint n = count != NULL ? (guint) atoi (count) : RANDOM_COUNT;
  g_autofree char *path = dup_temporary_path ();

  for (guint seed = 0; seed < n; seed++)
    {
      GRand *rand = g_rand_new_with_seed (seed);
      g_autofree char *text = dup_random_text (rand);

      g_assert_true (g_file_set_contents (path, text, -1, NULL));
      assert_same_cuts (path, 6, strlen (text) + 10, rand);
      g_rand_free (rand);
    }
  g_unlink (path);
}

/* --- gzip and pipes --------------------------------------------------------------------------- */

static void
write_packed (const char *path, const char *text, gsize piece)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  gsize length = strlen (text);

  g_unlink (path);
  for (gsize at = 0; at < length; at += piece)
    {
      g_autoptr (GFileOutputStream) plain = g_file_append_to (file, G_FILE_CREATE_NONE, NULL, NULL);
      g_autoptr (GConverter) packer =
          G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, 1));
      g_autoptr (GOutputStream) packed =
          g_converter_output_stream_new (G_OUTPUT_STREAM (plain), packer);

      g_assert_true (g_output_stream_write_all (packed, text + at, MIN (piece, length - at), NULL,
                                                NULL, NULL));
      g_assert_true (g_output_stream_close (packed, NULL, NULL));
    }
}

typedef struct
{
  const char *path, *text;
} Feed;

static gpointer
feed_pipe (gpointer data)
{
  const Feed *feed = data;
  int fd = open (feed->path, O_WRONLY);
  const char *at = feed->text;

  while (*at != '\0')
    {
      gssize n = write (fd, at, MIN (strlen (at), 777));

      g_assert_cmpint (n, >, 0);
      at += n;
    }
  close (fd);
  return NULL;
}

/* All transports give the same events and args. The pipe has the name of the file. */
static void
test_transports (void)
{
  g_autofree char *path = dup_temporary_path ();
  GRand *rand = g_rand_new_with_seed (5);
  g_autoptr (GString) text = g_string_new ("[");
  g_autofree char *plain = NULL, *packed = NULL, *members = NULL, *piped = NULL;
  Feed feed = { path, NULL };
  GThread *thread;

  for (guint i = 0; i < 3000; i++)
    {
      append_event (text, rand);
      g_string_append_c (text, ',');
    }
  g_string_append_c (text, ']');
  g_assert_true (g_file_set_contents (path, text->str, -1, NULL));
  plain = load (path, 2, 10000);
  write_packed (path, text->str, text->len);
  packed = load (path, 2, 10000);
  g_assert_cmpstr (packed, ==, plain);
  write_packed (path, text->str, 5000);
  members = load (path, 2, 10000);
  g_assert_cmpstr (members, ==, plain);
  g_unlink (path);
  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  feed.text = text->str;
  thread = g_thread_new ("feed", feed_pipe, &feed);
  piped = load (path, 2, 10000);
  g_thread_join (thread);
  g_assert_cmpstr (piped, ==, plain);
  g_unlink (path);
  g_rand_free (rand);
}

/* --- data folder ------------------------------------------------------------------------------ */

static void
test_real_files (void)
{
  static const char *const folders[] = { "kineto", "malformed", "oracle" };
  g_autofree char *top =
      g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "..", "shared", "data", "traces", NULL);
  GRand *rand = g_rand_new_with_seed (1);

  for (guint f = 0; f < G_N_ELEMENTS (folders); f++)
    {
      g_autofree char *folder = g_build_filename (top, folders[f], NULL);
      g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
      const char *name;

      if (dir == NULL)
        {
          g_test_skip ("the folder of real traces is not there");
          continue;
        }
      while ((name = g_dir_read_name (dir)) != NULL)
        {
          g_autofree char *path = g_build_filename (folder, name, NULL);
          GStatBuf st;

          if (strstr (name, ".json") == NULL || g_stat (path, &st) != 0)
            continue;
          assert_same_cuts (path, st.st_size > 300000 ? 1 : 4, st.st_size > 3000 ? 200000 : 200,
                            rand);
        }
    }
  g_rand_free (rand);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/import-threads/random-texts", test_random_texts);
  g_test_add_func ("/import-threads/transports", test_transports);
  g_test_add_func ("/import-threads/real-files", test_real_files);
  return g_test_run ();
}
