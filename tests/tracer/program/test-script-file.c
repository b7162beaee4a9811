/* Tests saving a script: its encoding and line endings are kept, and nothing is lost. */
#include <string.h>

#include "program/script-file.h"
#include "tracer-fixture.h"

static char *
save (const char *folder, const char *before, gsize length, const char *text)
{
  g_autofree char *path = g_build_filename (folder, "script.py", NULL);
  g_autoptr (GError) error = NULL;
  char *bytes;

  if (before != NULL)
    g_assert_true (g_file_set_contents (path, before, (gssize) length, NULL));
  g_assert_true (hir_script_file_save (path, text, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &bytes, NULL, NULL));
  g_assert_false (hir_script_file_differs (path, text));
  g_assert_true (hir_script_file_differs (path, "other"));
  return bytes;
}

static void
test_style (void)
{
  char *folder = fix_make_folder ();
  g_autofree char *plain = save (folder, NULL, 0, "a = 1\nb = 2\n");
  g_autofree char *crlf = save (folder, "a\r\n", 3, "a = 1\nb = 2\n");
  g_autofree char *bom = save (folder,
                               "\xef\xbb\xbf"
                               "a\n",
                               5, "\xc3\xa4 = 1\n");

  g_assert_cmpstr (plain, ==, "a = 1\nb = 2\n");
  g_assert_cmpstr (crlf, ==, "a = 1\r\nb = 2\r\n");
  g_assert_cmpstr (bom, ==, "\xef\xbb\xbf\xc3\xa4 = 1\n");
  fix_remove_folder (folder);
}

static void
test_rejected (void)
{
  char *folder = fix_make_folder ();
  g_autofree char *path = g_build_filename (folder, "script.py", NULL);
  g_autofree char *missing = g_build_filename (folder, "no", "such", "script.py", NULL);
  g_autofree char *kept = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (path, "# coding: latin-1\na = 1\n", -1, NULL));
  g_assert_false (hir_script_file_save (path, "# coding: latin-1\n\xc3\xa4 = 1\n", &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  g_clear_error (&error);
  g_assert_true (g_file_get_contents (path, &kept, NULL, NULL));
  g_assert_cmpstr (kept, ==, "# coding: latin-1\na = 1\n");
  g_assert_true (hir_script_file_save (path, "# coding: latin-1\nb = 1\n", &error));
  g_assert_true (hir_script_file_save (path, "# coding: utf-8\n\xc3\xa4 = 1\n", &error));
  g_assert_no_error (error);
  g_assert_false (hir_script_file_save (missing, "a\n", &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  g_assert_false (hir_script_file_differs (missing, "a\n"));
  fix_remove_folder (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/script-file/style", test_style);
  g_test_add_func ("/script-file/rejected", test_rejected);
  return g_test_run ();
}
