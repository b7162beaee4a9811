/* Tests previews during loading: a prefix of the trace that equals the complete trace. */
#include "trace/preview.h"

#include <string.h>
#include <zlib.h>

#include "test-folder.h"
#include "trace-dump.h"
#include "trace/export/export-nsight.h"
#include "trace/load/import.h"
#include "trace/recording/recording.h"
#include "trace/trace-builder-private.h"

#define N_EVENTS 30000  /* several blocks of text */
#define N_CHUNKS 140000 /* more than two chunks of a recording */

/* --- copies ----------------------------------------------------------------------------------- */

static void
add_random (HirTraceBuilder *builder, GRand *rand)
{
  g_autofree char *name = g_strdup_printf ("name %d", g_rand_int_range (rand, 0, 40));
  gint64 start_ns = g_rand_int_range (rand, -1000, 100000);
  HirEvent event = {
    .start_ns = start_ns,
    .end_ns = start_ns + (g_rand_int_range (rand, 0, 20) == 0 ? G_GINT64_CONSTANT (5000000000)
                                                              : g_rand_int_range (rand, 0, 3000)),
    .bytes = g_rand_int_range (rand, 0, 3),
    .instruction = g_rand_int_range (rand, 0, 4) == 0 ? g_rand_int (rand) : 0,
    .name = hir_trace_builder_intern (builder, name),
    .correlation = (guint32) g_rand_int_range (rand, 0, 1000),
    .iteration = g_rand_int_range (rand, -1, 5),
    .track = (guint16) g_rand_int_range (rand, 0, 4),
    .kind = (guint8) g_rand_int_range (rand, 0, HIR_N_EVENT_KINDS + 1),
  };
  HirCommRecord record = { .key = event.name,
                           .sequence = (guint32) g_rand_int_range (rand, 0, 100),
                           .correlation = event.correlation,
                           .op = event.name };

  g_assert_true (hir_trace_builder_add (builder, &event, NULL));
  if (event.kind == HIR_EVENT_COMMUNICATION)
    hir_trace_builder_add_comm_record (builder, &record);
}

static char *
finish (HirTraceBuilder *builder)
{
  g_autoptr (HirTrace) trace = hir_trace_builder_finish (builder);

  return test_dup_trace_text (trace);
}

static HirTraceBuilder *
begin (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();

  hir_trace_builder_set_meta (builder, "clock", "wall");
  for (int i = 0; i < 4; i++)
    hir_trace_builder_add_track (builder,
                                 &(const HirTrack){ HIR_TRACK_STREAM, 0, i, i, (char *) "s" });
  return builder;
}

/* Creates @n events from a seed. */
static HirTraceBuilder *
fill (guint seed, guint n)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  HirTraceBuilder *builder = begin ();

  for (guint i = 0; i < n; i++)
    add_random (builder, rand);
  return builder;
}

/* A copy does not change if the original gets more events. */
static void
test_copy (void)
{
  for (guint seed = 0; seed < 20; seed++)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
      guint n = seed * 150;
      HirTraceBuilder *builder = begin (), *copy = NULL;
      g_autofree char *wanted = finish (fill (seed, n)),
                      *all_wanted = finish (fill (seed, n + 500));
      g_autofree char *text = NULL, *all = NULL;

      for (guint i = 0; i < n + 500; i++)
        {
          if (i == n)
            copy = hir_trace_builder_copy (builder);
          add_random (builder, rand);
        }
      g_assert_nonnull (copy);
      text = finish (copy);
      all = finish (builder);
      g_assert_cmpstr (text, ==, wanted);
      g_assert_cmpstr (all, ==, all_wanted);
    }
}

/* --- during loading --------------------------------------------------------------------------- */

typedef struct
{
  const char *hold;
  GCancellable *enough, *cancel; /* nullable; cancelled at the first preview */
  HirTrace *picture;             /* the first preview */
} Look;

/* Called in another thread while loading is blocked. */
static void
look (HirTrace *trace, gpointer user_data)
{
  Look *self = user_data;

  if (self->picture == NULL)
    self->picture = hir_trace_ref (trace);
  g_cancellable_cancel (self->enough);
  g_cancellable_cancel (self->cancel);
  g_unlink (self->hold);
}

static HirTrace *
load (const char *const *paths, Look *self, GError **error)
{
  const HirImportOptions options = { .cancellable = self->cancel,
                                     .enough = self->enough,
                                     .picture = look,
                                     .user_data = self,
                                     .n_threads = 3 };

  self->hold = g_getenv ("HIRSCOPE_TEST_LOAD_HOLD");
  g_assert_true (g_file_set_contents (self->hold, "", 0, NULL));
  return hir_trace_open (paths, &options, error);
}

/* Event i is named i, starts at i and is on one of three streams. */
static char *
dup_json (int rank, guint n)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "{\"distributedInfo\":{\"rank\":%d},\"traceEvents\":[", rank);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text,
                            "%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"n%u\",\"pid\":0,"
                            "\"tid\":%u,\"ts\":%u,\"dur\":0.5,\"args\":{\"note\":%u}}",
                            i > 0 ? "," : "", i, 7 + i % 3, i, i);
  g_string_append (text, "]}");
  return g_string_free (text, FALSE);
}

/* Asserts that @trace has exactly the first events of each rank or, as in recordings, of each
 * track. */
static void
assert_prefix (const HirTrace *trace, int n_ranks, gboolean by_track)
{
  g_assert_cmpuint (hir_trace_get_n_events (trace), >, 0);
  for (int rank = 0; rank < n_ranks; rank++)
    {
      guint64 n = 0, last = 0;

      for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
        for (guint i = 0; hir_trace_get_track (trace, t)->rank == rank &&
                          i < hir_trace_get_track_n_events (trace, t);
             i++)
          {
            HirEvent event;
            guint64 number;

            hir_trace_get_event (trace, t, i, &event);
            number = g_ascii_strtoull (hir_trace_get_string (trace, event.name) + 1, NULL, 10);
            g_assert_cmpint (event.start_ns, ==, (gint64) number * 1000);
            g_assert_cmpint (event.end_ns - event.start_ns, ==, 500);
            g_assert_cmpuint (number / 3, ==, i);
            last = MAX (last, number);
            n++;
          }
      if (!by_track)
        g_assert_cmpuint (last + 1, ==, MAX (n, 1));
    }
}

/* Returns the number of events. */
static guint64
assert_picture (const char *const *paths, int n_ranks, gboolean by_track)
{
  g_autoptr (GError) error = NULL;
  Look self = { 0 };
  g_autoptr (HirTrace) plain = hir_trace_open (paths, NULL, &error);
  g_autoptr (HirTrace) trace = load (paths, &self, &error);
  g_autoptr (HirTrace) picture = self.picture;
  g_autofree char *text = NULL, *wanted = NULL;

  g_assert_no_error (error);
  g_assert_nonnull (picture);
  assert_prefix (picture, n_ranks, by_track);
  g_assert_cmpuint (hir_trace_get_n_events (picture), <, hir_trace_get_n_events (trace));
  text = test_dup_trace_text (trace);
  wanted = test_dup_trace_text (plain);
  g_assert_true (g_str_equal (text, wanted));
  return hir_trace_get_n_events (trace);
}

/* After a stop, the events read so far are there, and the account says so. After a cancellation,
 * there is no trace. */
static void
assert_enough (const char *const *paths, int n_ranks, gboolean by_track, guint64 n_all)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GCancellable) enough = g_cancellable_new (), cancel = g_cancellable_new ();
  Look self = { .enough = enough }, other = { .cancel = cancel };
  g_autoptr (HirTrace) trace = load (paths, &self, &error);
  g_autoptr (HirTrace) picture = self.picture;
  g_autoptr (HirTrace) none = NULL;
  gboolean is_said = FALSE;

  g_assert_no_error (error);
  assert_prefix (trace, n_ranks, by_track);
  g_assert_cmpuint (hir_trace_get_n_events (trace), >=, hir_trace_get_n_events (picture));
  g_assert_cmpuint (hir_trace_get_n_events (trace), <, n_all);
  for (const char *const *line = hir_trace_get_account (trace); *line != NULL; line++)
    is_said = is_said || strstr (*line, "loading was stopped") != NULL;
  g_assert_true (is_said);
  none = load (paths, &other, &error);
  g_assert_error (error, HIR_ERROR, HIR_ERROR_CANCELLED);
  g_assert_null (none);
  hir_trace_unref (other.picture);
}

static void
check (const char *const *paths, int n_ranks, gboolean by_track)
{
  guint64 n_all = assert_picture (paths, n_ranks, by_track);

  assert_enough (paths, n_ranks, by_track, n_all);
}

static void
test_json (TestFolder *fixture, gconstpointer data)
{
  g_autofree char *text = dup_json (0, N_EVENTS);
  g_autofree char *path = test_folder_write (fixture->folder, "x.json", text, -1);
  const char *const paths[] = { path, NULL };

  check (paths, 1, FALSE);
}

/* Args in the decompressed part can be read while the rest is decompressed. */
static void
test_gzip (TestFolder *fixture, gconstpointer data)
{
  g_autofree char *text = dup_json (0, N_EVENTS);
  g_autofree char *path = g_build_filename (fixture->folder, "x.json.gz", NULL);
  const char *const paths[] = { path, NULL };
  gzFile file = gzopen (path, "wb1");
  Look self = { 0 };
  g_autoptr (HirTrace) trace = NULL;
  g_autofree char *args = NULL;

  g_assert_cmpint (gzwrite (file, text, (unsigned) strlen (text)), ==, (int) strlen (text));
  gzclose (file);
  check (paths, 1, FALSE);
  trace = load (paths, &self, NULL);
  args = hir_trace_dup_event_json (self.picture, 0, 1, NULL, NULL);
  g_assert_cmpstr (args, ==, "\"note\":3");
  hir_trace_unref (self.picture);
}

static void
test_ranks (TestFolder *fixture, gconstpointer data)
{
  g_autofree char *first = dup_json (0, N_EVENTS), *second = dup_json (1, N_EVENTS);
  g_autofree char *a = test_folder_write (fixture->folder, "a.json", first, -1);
  g_autofree char *b = test_folder_write (fixture->folder, "b.json", second, -1);
  const char *const paths[] = { a, b, NULL };

  check (paths, 2, FALSE);
}

static HirTrace *
load_json (TestFolder *fixture, guint n)
{
  g_autofree char *text = dup_json (0, n);
  g_autofree char *path = test_folder_write (fixture->folder, "x.json", text, -1);
  const char *const paths[] = { path, NULL };
  g_autoptr (GError) error = NULL;
  HirTrace *trace = hir_trace_open (paths, NULL, &error);

  g_assert_no_error (error);
  return trace;
}

static void
test_nsight (TestFolder *fixture, gconstpointer data)
{
  g_autoptr (HirTrace) trace = load_json (fixture, N_EVENTS);
  g_autofree char *path = g_build_filename (fixture->folder, "x.sqlite", NULL);
  const char *const paths[] = { path, NULL };
  g_autoptr (GError) error = NULL;

  g_assert_true (hir_export_nsight_file (trace, path, NULL, &error));
  g_assert_no_error (error);
  check (paths, 1, TRUE);
}

static void
test_recording (TestFolder *fixture, gconstpointer data)
{
  g_autoptr (HirTrace) trace = load_json (fixture, N_CHUNKS);
  g_autofree char *path = g_build_filename (fixture->folder, "x.hirs", NULL);
  const char *const paths[] = { path, NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (HirRecordingWriter) writer = hir_recording_writer_new (path, &error);

  g_assert_no_error (error);
  g_assert_true (hir_recording_writer_add_trace (writer, trace, NULL, &error));
  g_assert_true (hir_recording_writer_close (writer, &error));
  check (paths, 1, TRUE);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *hold = g_build_filename (folder, "hold", NULL);
  int code;

  g_setenv ("HIRSCOPE_TEST_LOAD_HOLD", hold, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/preview/copy", test_copy);
  TEST_FOLDER_ADD ("/preview/json", test_json, NULL);
  TEST_FOLDER_ADD ("/preview/gzip", test_gzip, NULL);
  TEST_FOLDER_ADD ("/preview/ranks", test_ranks, NULL);
  TEST_FOLDER_ADD ("/preview/nsight", test_nsight, NULL);
  TEST_FOLDER_ADD ("/preview/recording", test_recording, NULL);
  code = g_test_run ();
  test_folder_remove (folder);
  return code;
}
