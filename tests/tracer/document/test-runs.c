/* Tests the history of runs: order, limits of memory and disk, broken caches; and that a document
 * loses no run. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include <utime.h>

#include "document/document-edit.h"
#include "document/run-kept.h"
#include "program/program-effect.h"
#include "program/request-edit.h"
#include "program/run-differences.h"
#include "tracer-fixture.h"

/* --- history --- */

typedef struct
{
  HirRunHistory *runs;
  char *folder; /* the folder of the test */
  char *cache;  /* inside of it */
  HirProgram *program;
  HirTrace *trace;
  guint n_lost;
  char *lost; /* the last message */
} Fixture;

static void
set_flag (gpointer unused, gpointer user_data)
{
  *(gboolean *) user_data = TRUE;
}

static void
on_run_finished (HirDocument *document, const HirRunOutcome *outcome, gpointer user_data)
{
  g_assert_nonnull (outcome->summary);
  *(gboolean *) user_data = TRUE;
}

static void
on_lost (HirRunHistory *runs, const char *text, gpointer user_data)
{
  Fixture *fixture = user_data;

  fixture->n_lost++;
  g_free (fixture->lost);
  fixture->lost = g_strdup (text);
}

/* Returns a document with a program that has run once. */
static HirDocument *
new_document (void)
{
  HirDocument *document = hir_document_new ();
  g_autoptr (HirRequest) request = fix_request ("single_device.py", "matmul_m");
  gboolean has_program = FALSE;

  g_signal_connect (document, "program-changed", G_CALLBACK (set_flag), &has_program);
  hir_document_open (document, request);
  fix_wait (&has_program);
  g_signal_handlers_disconnect_by_data (document, &has_program);
  return document;
}

static void
run (HirDocument *document, gint64 n_streams)
{
  g_auto (HirRunSettings) settings = { 0 };
  gboolean is_finished = FALSE;

  hir_run_settings_init (&settings);
  settings.n_streams = n_streams;
  settings.model_clock = TRUE;
  settings.check = TRUE;
  g_signal_connect (document, "run-finished", G_CALLBACK (on_run_finished), &is_finished);
  hir_document_run (document, &settings);
  g_assert_true (hir_document_get_is_running (document));
  fix_wait (&is_finished);
  g_signal_handlers_disconnect_by_data (document, &is_finished);
}

static void
fixture_start (Fixture *fixture, HirRunLimits limits)
{
  HirDocument *document = new_document ();

  *fixture = (Fixture){ 0 };
  run (document, 2);
  fixture->program = hir_program_ref (hir_document_get_program (document));
  fixture->trace = hir_trace_ref (hir_document_get_trace (document));
  g_object_unref (document);
  fixture->folder = fix_make_folder ();
  fixture->cache = g_build_filename (fixture->folder, "runs", NULL);
  fixture->runs = hir_run_history_new (fixture->cache, limits);
  g_signal_connect (fixture->runs, "lost", G_CALLBACK (on_lost), fixture);
}

static void
delete_tree (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *inside = g_build_filename (path, name, NULL);

      delete_tree (inside);
    }
  g_remove (path);
}

static void
fixture_clear (Fixture *fixture)
{
  if (fixture->runs != NULL)
    g_object_run_dispose (G_OBJECT (fixture->runs));
  g_clear_object (&fixture->runs);
  delete_tree (fixture->cache);
  hir_program_unref (fixture->program);
  hir_trace_unref (fixture->trace);
  fix_remove_folder (fixture->folder);
  g_free (fixture->cache);
  g_free (fixture->lost);
}

static HirRunEntry *
add (Fixture *fixture, const char *name)
{
  HirRunEntry *entry = hir_run_entry_new (HIR_RUN_KIND_RUN, fixture->program, NULL, NULL);

  entry->verdict = HIR_RUN_CORRECT;
  entry->name = g_strdup (name);
  hir_run_entry_set_trace (entry, fixture->trace);
  hir_run_history_add (fixture->runs, entry);
  return entry;
}

static gsize
get_memory_bytes (HirRunHistory *runs)
{
  gsize sum = 0;

  for (guint i = 0; i < hir_run_history_get_n (runs); i++)
    if (hir_run_history_get (runs, i)->trace != NULL)
      sum += hir_run_entry_get_size_bytes (hir_run_history_get (runs, i));
  return sum;
}

static gboolean
is_idle (Fixture *fixture)
{
  for (guint i = 0; i < hir_run_history_get_n (fixture->runs); i++)
    if (hir_run_history_get (fixture->runs, i)->is_writing)
      return FALSE;
  return TRUE;
}

static void
wait_idle (Fixture *fixture)
{
  gint64 end_us = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;

  while (!is_idle (fixture))
    {
      g_assert_cmpint (g_get_monotonic_time (), <, end_us);
      fix_iterate (5);
    }
}

/* Returns the number of files with @suffix in @folder and its folders. */
static guint
count_files (const char *folder, const char *suffix)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      n += g_str_has_suffix (name, suffix);
      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        n += count_files (path, suffix);
    }
  return n;
}

/* Waits until @n files with @suffix are in the cache: a thread that has just read or written a run
 * may still hold references. */
static void
await_files (const char *folder, const char *suffix, guint n)
{
  for (guint i = 0; i < 12000 && count_files (folder, suffix) != n; i++)
    fix_iterate (5);
  g_assert_cmpuint (count_files (folder, suffix), ==, n);
}

typedef struct
{
  gboolean is_done, succeeded;
} Load;

static void
on_loaded (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Load *load = user_data;
  g_autoptr (GError) error = NULL;

  load->succeeded = hir_run_history_load_finish (HIR_RUN_HISTORY (source), result, &error);
  g_assert_cmpint (load->succeeded, ==, error == NULL);
  load->is_done = TRUE;
}

static gboolean
read_entry (Fixture *fixture, HirRunEntry *entry)
{
  Load done = { 0 };

  hir_run_history_load_async (fixture->runs, entry, on_loaded, &done);
  fix_wait (&done.is_done);
  return done.succeeded;
}

static void
test_order (void)
{
  Fixture fixture;
  g_autoptr (HirRunEntry) second = NULL;
  g_autofree char *title = NULL;

  fixture_start (&fixture, hir_run_limits_get_default ());
  for (guint i = 0; i < 3; i++)
    add (&fixture, NULL);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpuint (hir_run_history_get (fixture.runs, i)->number, ==, i + 1);
  second = hir_run_entry_ref (hir_run_history_find (fixture.runs, 2));
  title = hir_run_entry_dup_title (second);
  g_assert_cmpstr (title, ==, "Run 2");
  hir_run_history_remove (fixture.runs, second);
  g_assert_null (hir_run_history_find (fixture.runs, 2));
  hir_run_history_restore (fixture.runs, second);
  hir_run_history_restore (fixture.runs, second);
  g_assert_cmpuint (hir_run_history_get_n (fixture.runs), ==, 3);
  g_assert_true (hir_run_history_get (fixture.runs, 1) == second);
  g_assert_true (hir_run_history_find_program (fixture.runs, second->end_hash) ==
                 hir_run_history_get (fixture.runs, 2));
  g_assert_null (hir_run_history_find_unsaved (fixture.runs));
  hir_run_history_rename (fixture.runs, second, "fast");
  g_assert_true (hir_run_history_find_unsaved (fixture.runs) == second);
  hir_run_history_rename (fixture.runs, second, "");
  g_assert_null (second->name);
  /* Nothing was written. */
  g_assert_false (g_file_test (fixture.cache, G_FILE_TEST_EXISTS));
  fixture_clear (&fixture);
}

/* Tests that runs beyond the limit move to disk, oldest first, and come back. */
static void
test_memory (void)
{
  Fixture fixture;
  HirRunLimits limits = hir_run_limits_get_default ();
  gsize size;

  fixture_start (&fixture, limits);
  size = hir_run_entry_get_size_bytes (add (&fixture, NULL));
  g_assert_cmpuint (get_memory_bytes (fixture.runs), ==, size);
  fixture_clear (&fixture);

  limits.memory_bytes = 2 * size;
  fixture_start (&fixture, limits);
  for (guint i = 0; i < 5; i++)
    {
      add (&fixture, NULL);
      wait_idle (&fixture);
      g_assert_cmpuint (get_memory_bytes (fixture.runs), <=, 2 * size);
    }
  for (guint i = 0; i < 5; i++)
    {
      HirRunEntry *entry = hir_run_history_get (fixture.runs, i);

      g_assert_cmpint (entry->trace == NULL, ==, i < 3);
      g_assert_cmpint (entry->path != NULL, ==, i < 3);
      g_assert_true (hir_run_entry_has_events (entry));
    }
  await_files (fixture.cache, ".hirs", 3);
  g_assert_true (read_entry (&fixture, hir_run_history_get (fixture.runs, 0)));
  g_assert_cmpuint (hir_trace_get_n_events (hir_run_history_get (fixture.runs, 0)->trace), ==,
                    hir_trace_get_n_events (fixture.trace));
  /* The program is recognized as the one that was run. */
  g_assert_cmpuint (hir_program_get_end_hash (hir_run_history_get (fixture.runs, 0)->program), ==,
                    hir_program_get_end_hash (fixture.program));
  g_assert_cmpuint (fixture.n_lost, ==, 0);
  /* A displayed run stays in memory. */
  hir_run_history_set_shown (fixture.runs, hir_run_history_get (fixture.runs, 0)->trace);
  wait_idle (&fixture);
  g_assert_nonnull (hir_run_history_get (fixture.runs, 0)->trace);
  hir_run_history_set_shown (fixture.runs, NULL);
  wait_idle (&fixture);
  g_assert_null (hir_run_history_get (fixture.runs, 0)->trace);
  g_object_run_dispose (G_OBJECT (fixture.runs));
  await_files (fixture.cache, ".hirs", 0);
  fixture_clear (&fixture);
}

/* Tests the limits of disk and number; a pinned run is never dropped. */
static void
test_dropped (void)
{
  Fixture fixture;
  HirRunLimits limits = { 1, 1, 200 };

  fixture_start (&fixture, limits);
  add (&fixture, "pinned");
  wait_idle (&fixture);
  for (guint i = 0; i < 3; i++)
    {
      add (&fixture, NULL);
      wait_idle (&fixture);
    }
  g_assert_cmpuint (hir_run_history_get_n (fixture.runs), ==, 1);
  g_assert_cmpstr (hir_run_history_get (fixture.runs, 0)->name, ==, "pinned");
  await_files (fixture.cache, ".hirs", 1);
  g_assert_true (read_entry (&fixture, hir_run_history_get (fixture.runs, 0)));
  fixture_clear (&fixture);

  limits = (HirRunLimits){ G_MAXSIZE, G_MAXUINT64, 2 };
  fixture_start (&fixture, limits);
  for (guint i = 0; i < 5; i++)
    add (&fixture, i == 1 ? "pinned" : NULL);
  g_assert_cmpuint (hir_run_history_get_n (fixture.runs), ==, 3);
  g_assert_cmpuint (hir_run_history_get (fixture.runs, 0)->number, ==, 2);
  g_assert_cmpuint (hir_run_history_get (fixture.runs, 1)->number, ==, 4);
  fixture_clear (&fixture);
}

/* Tests that a broken recording is removed from the list with a message, and no other one. */
static void
test_broken (void)
{
  Fixture fixture;
  HirRunLimits limits = { 1, G_MAXUINT64, 200 };
  HirRunEntry *entry;

  fixture_start (&fixture, limits);
  for (guint i = 0; i < 3; i++)
    {
      add (&fixture, NULL);
      wait_idle (&fixture);
    }
  entry = hir_run_history_get (fixture.runs, 1);
  g_assert_true (g_file_set_contents (entry->path, "SQLite format 3", -1, NULL));
  g_assert_false (read_entry (&fixture, entry));
  g_assert_cmpuint (fixture.n_lost, ==, 1);
  g_assert_nonnull (strstr (fixture.lost, "Run 2 was removed from the list"));
  g_assert_cmpuint (hir_run_history_get_n (fixture.runs), ==, 2);
  g_unlink (hir_run_history_get (fixture.runs, 0)->path);
  g_assert_false (read_entry (&fixture, hir_run_history_get (fixture.runs, 0)));
  g_assert_true (read_entry (&fixture, hir_run_history_get (fixture.runs, 0)));
  g_assert_cmpuint (hir_run_history_get (fixture.runs, 0)->number, ==, 3);
  fixture_clear (&fixture);
}

/* Tests a cache that cannot be created: a file is in its place. */
static void
test_no_cache (void)
{
  Fixture fixture;
  HirRunLimits limits = { 1, G_MAXUINT64, 200 };

  fixture_start (&fixture, limits);
  g_assert_true (g_file_set_contents (fixture.cache, "", -1, NULL));
  add (&fixture, "pinned");
  wait_idle (&fixture);
  g_assert_cmpuint (fixture.n_lost, ==, 0);
  add (&fixture, NULL);
  wait_idle (&fixture);
  g_assert_cmpuint (fixture.n_lost, ==, 1);
  g_assert_nonnull (strstr (fixture.lost, "Run 2 was dropped"));
  g_assert_cmpuint (hir_run_history_get_n (fixture.runs), ==, 1);
  g_assert_nonnull (hir_run_history_get (fixture.runs, 0)->trace);
  fixture_clear (&fixture);
}

/* Tests that folders of ended processes are deleted, and those in use are not. */
static void
test_leftovers (void)
{
  static const char *const names[] = { "1-dead", "2-alive" };
  Fixture fixture;
  HirRunLimits limits = { 1, G_MAXUINT64, 200 };
  g_autofree char *lock = NULL;
  int fd = -1;

  fixture_start (&fixture, limits);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *folder = g_build_filename (fixture.cache, names[i], NULL);
      g_autofree char *file = g_build_filename (folder, "1.hirs", NULL);

      g_free (lock);
      lock = g_strconcat (folder, ".lock", NULL);
      g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
      g_assert_true (g_file_set_contents (file, "x", -1, NULL));
      g_assert_true (g_file_set_contents (lock, "", -1, NULL));
    }
  fd = open (lock, O_RDWR | O_CLOEXEC);
  g_assert_cmpint (flock (fd, LOCK_EX | LOCK_NB), ==, 0);
  add (&fixture, NULL);
  wait_idle (&fixture);
  g_assert_cmpuint (count_files (fixture.cache, "1-dead"), ==, 0);
  g_assert_cmpuint (count_files (fixture.cache, "2-alive"), ==, 1);
  await_files (fixture.cache, ".hirs", 2);
  g_object_run_dispose (G_OBJECT (fixture.runs));
  g_clear_object (&fixture.runs);
  await_files (fixture.cache, ".lock", 1);
  await_files (fixture.cache, ".hirs", 1);
  close (fd);
  fixture_clear (&fixture);
}

/* --- later sessions --- */

/* Ends the session of @fixture and starts another one with the same cache. */
static void
restart (Fixture *fixture)
{
  const HirRunLimits limits = hir_run_limits_get_default ();

  if (fixture->runs != NULL)
    g_object_run_dispose (G_OBJECT (fixture->runs));
  g_clear_object (&fixture->runs);
  fixture->runs = hir_run_history_new (fixture->cache, limits);
  hir_run_history_set_keeps (fixture->runs);
  g_signal_connect (fixture->runs, "lost", G_CALLBACK (on_lost), fixture);
}

static void
wait_kept (Fixture *fixture, const HirRunEntry *entry)
{
  gint64 end_us = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;

  while (entry->path == NULL || entry->is_writing)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, end_us);
      fix_iterate (5);
    }
}

static void
on_changed (HirRunHistory *runs, gpointer user_data)
{
  *(gboolean *) user_data = TRUE;
}

static guint
list_kept (Fixture *fixture, HirRunHistory *runs, const HirRequest *request)
{
  gboolean is_listed = FALSE;

  g_signal_connect (runs, "changed", G_CALLBACK (on_changed), &is_listed);
  hir_run_history_list_kept (runs, request);
  fix_wait (&is_listed);
  g_signal_handlers_disconnect_by_data (runs, &is_listed);
  return hir_run_history_get_n (runs);
}

/* A session may still hold its lock: a thread that has just written a run has a reference. */
static void
list_until (Fixture *fixture, guint n)
{
  for (guint i = 0; i < 500 && list_kept (fixture, fixture->runs, fixture->program->request) != n;
       i++)
    g_usleep (10 * 1000);
  g_assert_cmpuint (hir_run_history_get_n (fixture->runs), ==, n);
}

/* Tests that runs are listed by a later session of the same document, and only by it. */
static void
test_kept (void)
{
  Fixture fixture;
  HirRequest *request;
  g_autoptr (HirRequest) edited = NULL, copy = NULL;
  g_autofree char *long_title = NULL;
  HirRunHistory *other;
  HirRunEntry *entry, *first;

  fixture_start (&fixture, hir_run_limits_get_default ());
  restart (&fixture);
  request = fixture.program->request;
  entry = add (&fixture, NULL);
  wait_kept (&fixture, entry);
  g_assert_nonnull (entry->trace);
  entry = add (&fixture, NULL);
  entry->verdict = HIR_RUN_INCORRECT;
  wait_kept (&fixture, entry);
  /* Another window lists nothing while the session lasts. */
  other = hir_run_history_new (fixture.cache, hir_run_limits_get_default ());
  g_assert_cmpuint (list_kept (&fixture, other, request), ==, 0);

  restart (&fixture);
  add (&fixture, NULL);
  list_until (&fixture, 3);
  list_until (&fixture, 3); /* not twice */
  first = hir_run_history_get (fixture.runs, 0);
  entry = hir_run_history_get (fixture.runs, 1);
  g_assert_true (first->is_kept && entry->is_kept);
  g_assert_false (hir_run_history_get (fixture.runs, 2)->is_kept);
  g_assert_true (hir_run_entry_is_before (first, hir_run_history_get (fixture.runs, 2)));
  g_assert_true (hir_run_entry_is_before (first, entry));
  g_assert_cmpint (entry->verdict, ==, HIR_RUN_INCORRECT);
  g_assert_cmpuint (entry->end_hash, ==, hir_program_get_end_hash (fixture.program));
  g_assert_cmpint (entry->total_ns, >, 0);
  g_assert_null (entry->trace);
  g_assert_true (read_entry (&fixture, entry));
  g_assert_cmpuint (hir_trace_get_n_events (entry->trace), ==,
                    hir_trace_get_n_events (fixture.trace));

  /* A text without a file is another document; a changed file is the same. */
  copy = hir_request_with_text (request, "/absent/copy.txt", "# changed");
  g_assert_cmpuint (list_kept (&fixture, other, copy), ==, 0);
  edited = hir_request_with_text (request, NULL, "# changed");
  g_assert_cmpuint (list_kept (&fixture, other, edited), ==, 2);
  /* A deleted run is gone for later sessions; a restored one is not. */
  hir_run_entry_ref (entry);
  hir_run_history_remove (fixture.runs, entry);
  g_assert_null (entry->trace); /* the recording is enough */
  hir_run_history_restore (fixture.runs, entry);
  hir_run_entry_unref (entry);
  g_assert_true (hir_run_history_get (fixture.runs, 1) == entry);
  hir_run_history_remove (fixture.runs, first);
  wait_kept (&fixture, hir_run_history_get (fixture.runs, 1));
  restart (&fixture);
  list_until (&fixture, 2);

  /* Undo displays a run of an earlier session only if the user has displayed it before. */
  entry = hir_run_history_get (fixture.runs, 0);
  g_assert_null (hir_run_history_find_program (fixture.runs, entry->end_hash));
  entry->shown_order = 1;
  g_assert_true (hir_run_history_find_program (fixture.runs, entry->end_hash) == entry);
  long_title = hir_run_entry_dup_long_title (entry);
  g_assert_true (g_str_has_suffix (long_title, " of an earlier session"));
  entry = hir_run_entry_ref (hir_run_history_get (fixture.runs, 0));
  hir_run_history_remove (fixture.runs, entry);
  hir_run_history_delete_kept (fixture.runs);
  g_assert_cmpuint (hir_run_history_get_n (fixture.runs), ==, 0);
  await_files (fixture.cache, ".hirs", 0);
  await_files (fixture.cache, ".run", 0);
  g_assert_null (fixture.lost);
  hir_run_history_restore (fixture.runs, entry);
  g_assert_nonnull (strstr (fixture.lost, "cannot be restored: its recording was deleted"));
  g_assert_cmpuint (hir_run_history_get_n (fixture.runs), ==, 0);
  hir_run_entry_unref (entry);
  g_object_unref (other);
  fixture_clear (&fixture);
}

static void
assert_same_document (const HirRequest *a, const HirRequest *b, gboolean wanted)
{
  g_autofree char *key_a = hir_run_kept_dup_key (a);
  g_autofree char *key_b = hir_run_kept_dup_key (b);

  g_assert_cmpint (g_str_equal (key_a, key_b), ==, wanted);
}

/* Tests that the runs of an edited text are listed with those of the text before, also without a
 * file and after the text was restored from a draft. */
static void
test_kept_edited (void)
{
  static const char *const paths[] = { "example.py", "matmul-Pass.ir.txt" };

  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_autoptr (HirSource) source = hir_source_new (paths[i], "text", -1);
      g_autoptr (HirSource) other_source = hir_source_new (paths[i], "other", -1);
      g_autoptr (HirRequest) request = hir_request_new (source, "f");
      g_autoptr (HirRequest) other = hir_request_new (other_source, "f");
      g_autoptr (HirRequest) edited = NULL, stored = NULL, restored = NULL, base = NULL;
      g_autoptr (GVariant) variant = NULL;

      request->is_example = i == 0;
      edited = hir_request_with_text (request, NULL, "other");
      assert_same_document (request, edited, TRUE);
      assert_same_document (other, edited, FALSE);
      variant = g_variant_ref_sink (hir_request_to_variant (edited));
      stored = hir_request_new_from_variant (variant, NULL);
      base = hir_request_with_text (stored, NULL, "text");
      assert_same_document (request, base, TRUE);
      restored = hir_request_with_text (base, NULL, "another");
      assert_same_document (request, restored, TRUE);
    }
}

/* Tests that runs of ended sessions have limits, and that damaged ones are not listed. */
static void
test_kept_limits (void)
{
  const struct utimbuf old = { time (NULL) - 31 * 24 * 60 * 60, time (NULL) - 31 * 24 * 60 * 60 };
  Fixture fixture;
  g_autofree char *facts = NULL, *first = NULL, *second = NULL, *third = NULL;

  fixture_start (&fixture, hir_run_limits_get_default ());
  restart (&fixture);
  for (guint i = 0; i < 3; i++)
    wait_kept (&fixture, add (&fixture, NULL));
  first = g_strdup (hir_run_history_get (fixture.runs, 0)->path);
  second = g_strdup (hir_run_history_get (fixture.runs, 1)->path);
  third = g_strdup (hir_run_history_get (fixture.runs, 2)->path);
  restart (&fixture);
  list_until (&fixture, 3);
  restart (&fixture);

  /* Damaged facts: cut, and another recording without its facts. */
  facts = g_strconcat (second, ".run", NULL);
  g_assert_cmpint (truncate (facts, 80), ==, 0);
  g_free (facts);
  facts = g_strconcat (third, ".run", NULL);
  g_assert_cmpint (g_unlink (facts), ==, 0);
  list_until (&fixture, 1);
  /* The next session that writes deletes what is too old, and recordings without facts. */
  g_assert_cmpint (utime (first, &old), ==, 0);
  restart (&fixture);
  wait_kept (&fixture, add (&fixture, NULL));
  g_assert_false (g_file_test (first, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (third, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (second, G_FILE_TEST_EXISTS));
  g_assert_cmpuint (fixture.n_lost, ==, 0);
  fixture_clear (&fixture);
}

/* Tests that a run stays in the list if it cannot be kept, for example because the disk is full. */
static void
test_kept_without_cache (void)
{
  Fixture fixture;

  fixture_start (&fixture, hir_run_limits_get_default ());
  g_assert_true (g_file_set_contents (fixture.cache, "no folder", -1, NULL));
  restart (&fixture);
  add (&fixture, NULL);
  for (guint i = 0; i < 12000 && !hir_run_history_get (fixture.runs, 0)->cannot_write; i++)
    fix_iterate (5);
  g_assert_true (hir_run_history_get (fixture.runs, 0)->cannot_write);
  g_assert_cmpuint (hir_run_history_get_n (fixture.runs), ==, 1);
  g_assert_nonnull (hir_run_history_get (fixture.runs, 0)->trace);
  g_assert_cmpuint (fixture.n_lost, ==, 0);
  fixture_clear (&fixture);
}

static void
test_differences (void)
{
  g_autoptr (HirRequest) a = fix_request ("single_device.py", "matmul_m");
  g_autoptr (HirRequest) off = hir_request_with_pass (a, "StreamParallelType", FALSE);
  g_autoptr (HirRequest) set =
      hir_request_with_option (a, "StreamParallelType", "initial_sync", "in_loop", NULL);
  g_autoptr (HirRequest) text = hir_request_with_text (a, NULL, "# other\n");
  g_autoptr (HirRequest) two_devices = hir_request_with_devices (a, 2);
  g_autoptr (HirRequest) function = hir_request_with_function (two_devices, "reduction");
  g_autofree char *from = NULL, *alone = NULL;
  const char *const eights[] = { "8x8", "8x8", NULL }, *const nines[] = { "9x8", "8x8", NULL };
  g_autoptr (HirRequest) small = hir_request_with_inputs (a, eights);
  g_autoptr (HirRequest) large = hir_request_with_inputs (a, nines);
  g_auto (HirRunSettings) two = { 0 }, four = { 0 };
  const struct
  {
    const HirRequest *request, *other;
    const HirRunSettings *settings, *other_settings;
    const char *wanted;
  } cases[] = {
    { a, a, &two, &two, "" },
    { a, a, &two, &four, "2 streams, wall clock" },
    { a, a, &four, &two, "4 streams, modelled clock" },
    { a, a, &two, NULL, "" },
    { off, a, &two, &two, "StreamParallelType off" },
    { a, off, &two, &two, "StreamParallelType on" },
    { set, a, NULL, NULL, "StreamParallelType.initial_sync=in_loop" },
    { a, set, NULL, NULL, "StreamParallelType.initial_sync default" },
    { text, a, &two, &two, "other script text" },
    { small, a, &two, &two, "inputs 8x8 8x8" },
    { two_devices, a, &two, &four, "2 devices, 2 streams, wall clock" },
    { a, two_devices, &two, &two, "default devices" },
    { function, a, &two, &two, "reduction, 2 devices" },
    { a, small, &two, &two, "default inputs" },
    { small, large, &two, &four, "2 streams, wall clock, inputs 8x8 8x8" },
  };

  hir_run_settings_init (&two);
  hir_run_settings_init (&four);
  two.n_streams = 2;
  two.model_clock = FALSE;
  four.n_streams = 4;
  four.model_clock = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *differences =
          hir_run_dup_differences (cases[i].request, cases[i].settings, cases[i].other,
                                   cases[i].other_settings);

      g_assert_cmpstr (differences, ==, cases[i].wanted);
    }
  from = hir_run_dup_differences_from (function, &two, function, &four, a);
  g_assert_cmpstr (from, ==, "reduction, 2 devices, 2 streams, wall clock");
  alone = hir_run_dup_differences_from (function, NULL, NULL, NULL, a);
  g_assert_cmpstr (alone, ==, "reduction, 2 devices");
}

/* --- document --- */

static void
wait_program (HirDocument *document)
{
  gint64 end_us = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;

  while (hir_document_get_is_lowering (document))
    {
      g_assert_cmpint (g_get_monotonic_time (), <, end_us);
      fix_iterate (5);
    }
}

static void
switch_pass (HirDocument *document, const char *pass, gboolean on)
{
  g_autoptr (HirRequest) request =
      hir_request_with_pass (hir_document_get_edit (document), pass, on);

  hir_document_edit (document, request, pass);
  wait_program (document);
}

static HirRunEntry *
get_run (HirDocument *document, guint number)
{
  return hir_run_history_find (hir_document_get_runs (document), number);
}

/* Tests that edits and undo lose no run, and that undo displays the run of the program again. */
static void
test_edit (void)
{
  g_autoptr (HirDocument) document = new_document ();
  HirRunEntry *first;
  HirTrace *trace;

  run (document, 2);
  first = get_run (document, 1);
  trace = hir_document_get_trace (document);
  g_assert_nonnull (trace);
  g_assert_true (hir_document_get_shown_run (document) == first);
  g_assert_cmpint (first->verdict, ==, HIR_RUN_CORRECT);
  g_assert_cmpint (first->total_ns, >, 0);
  g_assert_true (hir_document_has_values (document));
  switch_pass (document, "StreamParallelType", FALSE);
  g_assert_null (hir_document_get_trace (document));
  g_assert_true (hir_document_is_earlier_run (document, first));
  run (document, 2);
  g_assert_cmpuint (hir_run_history_get_n (hir_document_get_runs (document)), ==, 2);
  g_assert_true (hir_document_undo (document));
  wait_program (document);
  g_assert_true (hir_document_get_trace (document) == trace);
  g_assert_false (hir_document_is_earlier_run (document, first));
  g_assert_true (hir_document_is_earlier_run (document, get_run (document, 2)));
  g_assert_true (hir_document_redo (document));
  wait_program (document);
  g_assert_true (hir_document_get_shown_run (document) == get_run (document, 2));
}

/* Tests that a run of another function names it, whatever is displayed. */
static void
test_function (void)
{
  g_autoptr (HirDocument) document = new_document ();
  g_autoptr (HirRequest) other =
      hir_request_with_function (hir_document_get_edit (document), "reduction");
  g_autofree char *none = NULL, *displayed = NULL, *of_other = NULL, *back = NULL;
  HirRunEntry *first;

  run (document, 2);
  first = get_run (document, 1);
  hir_document_edit (document, other, "Function reduction");
  wait_program (document);
  g_assert_null (hir_document_get_shown_run (document));
  g_assert_cmpint (hir_document_get_run_program (document, first), ==,
                   HIR_RUN_PROGRAM_OTHER_FUNCTION);
  none = hir_document_dup_run_note (document, first);
  g_assert_cmpstr (none, ==, "Another function \302\267 matmul_m");
  run (document, 2);
  displayed = hir_document_dup_run_note (document, first);
  g_assert_cmpstr (displayed, ==, "Another function \302\267 matmul_m");
  hir_document_show_run (document, 1);
  back = hir_document_dup_run_note (document, first);
  g_assert_cmpstr (back, ==, "Displayed \302\267 Another function \302\267 matmul_m");
  of_other = hir_document_dup_run_note (document, get_run (document, 2));
  g_assert_cmpstr (of_other, ==, "reduction");
}

/* Tests that a debug session that has executed nothing leaves the run before it. */
static void
test_debug (void)
{
  g_autoptr (HirDocument) document = new_document ();
  g_auto (HirRunSettings) settings = { 0 };
  gboolean is_finished = FALSE;
  HirTrace *trace;

  run (document, 2);
  trace = hir_document_get_trace (document);
  hir_run_settings_init (&settings);
  settings.debug = TRUE;
  g_signal_connect (document, "run-finished", G_CALLBACK (on_run_finished), &is_finished);
  hir_document_run (document, &settings);
  g_assert_null (hir_document_get_trace (document));
  g_assert_cmpuint (hir_run_history_get_n (hir_document_get_runs (document)), ==, 2);
  hir_document_stop_run (document);
  fix_wait (&is_finished);
  g_assert_true (hir_document_get_trace (document) == trace);
  g_assert_cmpuint (hir_run_history_get_n (hir_document_get_runs (document)), ==, 1);
}

/* Tests the display of a run whose program is not the current one. */
static void
test_show_earlier (void)
{
  g_autoptr (HirDocument) document = new_document ();
  HirProgram *program;
  HirRequest *request;

  run (document, 2);
  switch_pass (document, "StreamParallelType", FALSE);
  run (document, 4);
  program = hir_document_get_program (document);
  request = hir_document_get_edit (document);
  hir_document_show_run (document, 1);
  g_assert_true (hir_document_shows_run (document));
  g_assert_true (hir_document_get_program (document) == get_run (document, 1)->program);
  g_assert_true (hir_document_get_trace (document) == get_run (document, 1)->trace);
  /* The edits stay. */
  g_assert_true (hir_document_get_edit (document) == request);
  g_assert_false (hir_document_has_values (document));
  g_assert_true (hir_document_can_run (document));
  hir_document_show_run (document, 2);
  g_assert_false (hir_document_shows_run (document));
  g_assert_true (hir_document_get_program (document) == program);
  g_assert_true (hir_document_get_trace (document) == get_run (document, 2)->trace);
  g_assert_true (hir_document_has_values (document));
  /* A change and a run are those of the current program. */
  hir_document_show_run (document, 1);
  switch_pass (document, "InsertReshardings", FALSE);
  g_assert_false (hir_document_shows_run (document));
  g_assert_true (hir_document_get_trace (document) == get_run (document, 2)->trace);
  hir_document_show_run (document, 1);
  run (document, 3);
  g_assert_cmpuint (get_run (document, 3)->end_hash, ==, get_run (document, 2)->end_hash);
  /* So is a repeated run, which does not replace what is displayed. */
  {
    gboolean is_finished = FALSE;

    g_signal_connect (document, "run-finished", G_CALLBACK (on_run_finished), &is_finished);
    hir_document_run_again (document, get_run (document, 1));
    fix_wait (&is_finished);
    g_signal_handlers_disconnect_by_data (document, &is_finished);
  }
  g_assert_cmpuint (get_run (document, 4)->end_hash, ==, get_run (document, 1)->end_hash);
  g_assert_cmpint (get_run (document, 4)->settings.n_streams, ==, 2);
  g_assert_true (hir_document_get_shown_run (document) == get_run (document, 3));
}

/* Tests that a run that is interrupted by an edit or by opening a file stays. */
static void
test_interrupted (void)
{
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (HirDocument) document = new_document ();
      g_autoptr (HirRequest) other = fix_request ("single_device.py", "reduction");
      g_auto (HirRunSettings) settings = { 0 };
      gboolean has_trace = FALSE;

      hir_run_settings_init (&settings);
      settings.n_repeat = 1000000;
      hir_document_run (document, &settings);
      g_signal_connect (document, "trace-changed", G_CALLBACK (set_flag), &has_trace);
      fix_wait (&has_trace);
      g_signal_handlers_disconnect_by_data (document, &has_trace);
      if (i == 0)
        {
          switch_pass (document, "StreamParallelType", FALSE);
        }
      else
        {
          hir_document_open (document, other);
          wait_program (document);
        }
      g_assert_false (hir_document_get_is_running (document));
      g_assert_null (hir_document_get_trace (document));
      g_assert_cmpint (get_run (document, 1)->verdict, ==, HIR_RUN_STOPPED);
      g_assert_true (hir_run_entry_has_events (get_run (document, 1)));
      hir_document_show_run (document, 1);
      g_assert_true (hir_document_get_trace (document) == get_run (document, 1)->trace);
      hir_document_leave_run (document);
      g_assert_null (hir_document_get_trace (document));
    }
}

static void
on_saved (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (hir_document_save_finish (result, &error));
  *(gboolean *) user_data = TRUE;
}

/* Tests that a run of an opened recording does not lose the recording. */
static void
test_recording (void)
{
  g_autoptr (HirDocument) document = new_document ();
  char *folder = fix_make_folder ();
  g_autofree char *path = g_build_filename (folder, "one.hirs", NULL);
  gboolean is_saved = FALSE;
  HirRunEntry *entry;

  run (document, 2);
  hir_document_save_async (document, path, NULL, on_saved, &is_saved);
  fix_wait (&is_saved);
  hir_document_open_recording (document, path);
  wait_program (document);
  entry = hir_document_get_shown_run (document);
  g_assert_cmpint (entry->kind, ==, HIR_RUN_KIND_RECORDING);
  g_assert_true (entry->has_settings);
  g_assert_cmpint (entry->settings.n_streams, ==, 2);
  /* It is the recording of run 1. */
  g_assert_cmpuint (entry->end_hash, ==, get_run (document, 1)->end_hash);
  run (document, 4);
  g_assert_null (hir_document_get_recording_path (document));
  hir_document_show_run (document, entry->number);
  g_assert_cmpstr (hir_document_get_recording_path (document), ==, path);
  g_assert_true (hir_document_get_trace (document) == entry->trace);
  /* Opening it again adds no second entry, and the file is not part of the cache. */
  hir_document_open_recording (document, path);
  wait_program (document);
  g_assert_cmpuint (hir_run_history_get_n (hir_document_get_runs (document)), ==, 3);
  g_clear_object (&document);
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
  fix_remove_folder (folder);
}

int
main (int argc, char **argv)
{
  fix_act_as_hirscope (argc, argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/runs/order", test_order);
  g_test_add_func ("/runs/memory", test_memory);
  g_test_add_func ("/runs/dropped", test_dropped);
  g_test_add_func ("/runs/broken", test_broken);
  g_test_add_func ("/runs/no-cache", test_no_cache);
  g_test_add_func ("/runs/leftovers", test_leftovers);
  g_test_add_func ("/runs/kept", test_kept);
  g_test_add_func ("/runs/kept-limits", test_kept_limits);
  g_test_add_func ("/runs/kept-edited", test_kept_edited);
  g_test_add_func ("/runs/kept-without-cache", test_kept_without_cache);
  g_test_add_func ("/runs/differences", test_differences);
  g_test_add_func ("/runs/edit", test_edit);
  g_test_add_func ("/runs/function", test_function);
  g_test_add_func ("/runs/debug", test_debug);
  g_test_add_func ("/runs/show-earlier", test_show_earlier);
  g_test_add_func ("/runs/interrupted", test_interrupted);
  g_test_add_func ("/runs/recording", test_recording);
  return g_test_run ();
}
