/* Tests the drafts of unsaved texts: what a killed process leaves, limits, damaged files. */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "document/draft.h"
#include "tracer-fixture.h"

static HirRequest *
make (const char *path, const char *text)
{
  g_autoptr (HirSource) source = hir_source_new (path, text, -1);

  return hir_request_new (source, "f");
}

/* Stores a draft in a process that ends without deleting it. */
static void
leave (const char *folder, const char *text, const char *file)
{
  pid_t child = fork ();
  int status;

  if (child == 0)
    {
      HirRequest *request = make ("/there/a.py", text);

      hir_draft_set (hir_draft_new (folder), request, file, file != NULL ? "base" : NULL);
      _exit (0);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
}

static guint
count_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

/* Stores the draft of a text without a file in a process that ends. */
static void
leave_other (const char *folder, const char *path)
{
  pid_t child = fork ();
  int status;

  if (child == 0)
    {
      hir_draft_set (hir_draft_new (folder), make (path, "text"), NULL, "base");
      _exit (0);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
}

static char *
dup_text (const char *folder, const char *file)
{
  g_autoptr (HirLeftDraft) left = hir_left_draft_find (folder, file, NULL);

  return left != NULL ? g_strdup (left->request->source->text) : NULL;
}

static void
assert_text (const char *folder, const char *file, const char *wanted)
{
  g_autofree char *text = dup_text (folder, file);

  g_assert_cmpstr (text, ==, wanted);
}

static void
test_own (void)
{
  char *parent = fix_make_folder ();
  g_autofree char *folder = g_build_filename (parent, "drafts", NULL);
  g_autoptr (HirRequest) request = make ("/there/a.py", "x = 'a\\b'\n\xc3\xa9");
  g_autoptr (HirRequest) large = NULL;
  g_autofree char *text = g_strnfill (5 << 20, 'x');
  HirDraft *one = hir_draft_new (folder), *other = hir_draft_new (folder);

  /* Without changes, there is no file. */
  hir_draft_set (one, NULL, NULL, NULL);
  g_assert_false (g_file_test (folder, G_FILE_TEST_EXISTS));
  /* Two windows with the same file have two drafts; none is offered while they are open. */
  hir_draft_set (one, request, "/there/a.py", NULL);
  hir_draft_set (one, request, "/there/a.py", NULL);
  hir_draft_set (other, request, "/there/a.py", NULL);
  g_assert_cmpuint (count_files (folder), ==, 4);
  assert_text (folder, "/there/a.py", NULL);
  hir_draft_set (other, NULL, NULL, NULL);
  g_assert_cmpuint (count_files (folder), ==, 3);
  large = make ("/there/a.py", text);
  hir_draft_set (one, large, "/there/a.py", NULL);
  g_assert_cmpuint (count_files (folder), ==, 2);
  hir_draft_free (one);
  hir_draft_free (other);
  g_assert_cmpuint (count_files (folder), ==, 0);
  g_rmdir (folder);
  fix_remove_folder (parent);
}

static void
test_left (void)
{
  char *folder = fix_make_folder ();
  g_autoptr (HirLeftDraft) left = NULL;
  const char *text = "x = 'a\\b'\n\xc3\xa9\"";

  leave (folder, text, "/there/a.py");
  assert_text (folder, "/there/b.py", NULL);
  assert_text (folder, NULL, text);
  leave (folder, "without a file", NULL);
  assert_text (folder, NULL, "without a file");
  left = hir_left_draft_find (folder, "/there/a.py", NULL);
  g_assert_cmpstr (left->request->source->text, ==, text);
  g_assert_cmpstr (left->request->source->path, ==, "/there/a.py");
  g_assert_cmpstr (left->request->function, ==, "f");
  g_assert_cmpstr (left->base, ==, "base");
  g_assert_cmpint (ABS (g_get_real_time () - left->time_us), <, 600 * (gint64) G_USEC_PER_SEC);
  /* The newest one comes first. */
  leave (folder, "newer", "/there/a.py");
  assert_text (folder, "/there/a.py", "newer");
  hir_left_draft_delete (left);
  assert_text (folder, "/there/a.py", "newer");
  g_assert_cmpuint (count_files (folder), ==, 4);
  fix_remove_folder (folder);
}

/* The newest draft of each document is offered, one after the other. */
static void
test_next (void)
{
  char *folder = fix_make_folder ();
  g_autofree char *gone = g_strdup (folder);
  g_autoptr (HirLeftDraft) first = NULL, next = NULL, last = NULL, again = NULL, none = NULL;

  leave (folder, "oldest", "/there/a.py");
  leave_other (folder, "copy.ir.txt");
  leave (folder, "newest", "/there/a.py");
  leave_other (folder, "example.py");
  first = hir_left_draft_find (folder, NULL, NULL);
  g_assert_cmpstr (first->request->source->path, ==, "example.py");
  g_assert_cmpuint (first->n_others, ==, 2);
  g_assert_cmpuint (first->n_older, ==, 0);
  next = hir_left_draft_find_next (folder, first);
  g_assert_cmpstr (next->request->source->text, ==, "newest");
  g_assert_cmpuint (next->n_others, ==, 2);
  g_assert_cmpuint (next->n_older, ==, 1);
  last = hir_left_draft_find_next (folder, next);
  g_assert_cmpstr (last->request->source->path, ==, "copy.ir.txt");
  again = hir_left_draft_find_next (folder, last);
  g_assert_cmpstr (again->path, ==, first->path);
  hir_left_draft_delete (first);
  hir_left_draft_delete (last);
  g_clear_pointer (&again, hir_left_draft_free);
  again = hir_left_draft_find_next (folder, next);
  g_assert_cmpstr (again->path, ==, next->path);
  g_assert_cmpuint (again->n_others, ==, 0);
  fix_remove_folder (folder);
  none = hir_left_draft_find_next (gone, next);
  g_assert_null (none);
}

/* Damaged drafts and locks without a draft are deleted, and other files are not. */
static void
test_damaged (void)
{
  static const char *const texts[] = {
    "",
    "{",
    "{'time-us': <int64 1>}",
    "{'request': <{'path': <'a'>}>, 'time-us': <int64 1>}",
    "{'request': <@a{sv} {}>, 'time-us': <'late'>}",
  };
  char *folder = fix_make_folder ();
  g_autofree char *mine = g_build_filename (folder, "mine", NULL);

  g_assert_true (g_file_set_contents (mine, "", 0, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autofree char *draft = g_strdup_printf ("%s/%u.draft", folder, i);
      g_autofree char *lock = g_strdup_printf ("%s/%u.lock", folder, i);

      g_assert_true (g_file_set_contents (draft, texts[i], -1, NULL));
      g_assert_true (g_file_set_contents (lock, "", 0, NULL));
    }
  assert_text (folder, NULL, NULL);
  g_assert_cmpuint (count_files (folder), ==, 1);
  g_unlink (mine);
  fix_remove_folder (folder);
}

static void
test_limit (void)
{
  char *folder = fix_make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.draft", NULL);
  g_autofree char *lock = g_build_filename (folder, "a.lock", NULL);

  /* Of 1970. */
  g_assert_true (
      g_file_set_contents (path,
                           "{'request': <{'path': <'a'>, 'text': <'old'>}>, 'time-us': <int64 1>}",
                           -1, NULL));
  g_assert_true (g_file_set_contents (lock, "", 0, NULL));
  assert_text (folder, NULL, "old");
  for (guint i = 0; i < 23; i++)
    leave (folder, "new", "/there/a.py");
  assert_text (folder, NULL, "new");
  /* The last one was added to 20 others. */
  g_assert_cmpuint (count_files (folder), ==, 42);
  fix_remove_folder (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/draft/own", test_own);
  g_test_add_func ("/draft/left", test_left);
  g_test_add_func ("/draft/next", test_next);
  g_test_add_func ("/draft/damaged", test_damaged);
  g_test_add_func ("/draft/limit", test_limit);
  return g_test_run ();
}
