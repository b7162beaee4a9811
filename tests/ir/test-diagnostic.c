#include <string.h>

#include "diagnostic.h"

#include <glib/gstdio.h>

static void
test_position_travels (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) copy = NULL;
  HirPos pos = { 2, 5 };

  hir_set_error (&error, HIR_ERROR_REFUSED, &pos, "T%d is unfit", 1);
  copy = g_error_copy (error);
  g_assert_error (copy, HIR_ERROR, HIR_ERROR_REFUSED);
  g_assert_cmpuint (hir_error_get_pos (copy).line, ==, 2);
  g_assert_cmpuint (hir_error_get_pos (copy).column, ==, 5);
  g_assert_cmpuint (hir_error_get_pos (NULL).line, ==, 0);
}

static void
check_format (const char *text, HirPos pos, const char *expected)
{
  g_autoptr (HirSource) source = text != NULL ? hir_source_new ("a.py", text, -1) : NULL;
  g_autoptr (HirDiagnostic) diagnostic = hir_diagnostic_new (HIR_ERROR_INPUT, pos, "bad");
  g_autofree char *out = hir_diagnostic_format (diagnostic, source);

  g_assert_cmpstr (out, ==, expected);
}

static void
test_format (void)
{
  check_format ("one\ntwo three\n", (HirPos){ 2, 5 },
                "a.py:2:5: error: bad\n  two three\n      ^\n");
  check_format ("\tx = 1\r\n", (HirPos){ 1, 2 }, "a.py:1:2: error: bad\n  \tx = 1\n  \t^\n");
  /* Columns count characters; a wide character takes two columns of the terminal. */
  check_format ("é = 漢字 + 1", (HirPos){ 1, 8 },
                "a.py:1:8: error: bad\n  é = 漢字 + 1\n           ^\n");
  check_format ("one", (HirPos){ 9, 1 }, "a.py:9:1: error: bad\n");
  check_format ("one", (HirPos){ 0, 0 }, "a.py: error: bad\n");
  check_format (NULL, (HirPos){ 1, 1 }, "error: bad\n");
  /* A column past the end points to the end of the line. */
  check_format ("ab", (HirPos){ 1, 40 }, "a.py:1:40: error: bad\n  ab\n    ^\n");
}

/* A minified file must not flood the terminal. */
static void
test_long_line_is_cut (void)
{
  g_autofree char *line = g_strnfill (100000, 'x');
  g_autoptr (HirSource) source = hir_source_new ("a.py", line, -1);
  g_autoptr (HirDiagnostic) diagnostic =
      hir_diagnostic_new (HIR_ERROR_INPUT, (HirPos){ 1, 50000 }, "bad");
  g_autofree char *out = hir_diagnostic_format (diagnostic, source);

  g_assert_cmpuint (strlen (out), <, 400);
  g_assert_nonnull (strchr (out, '^'));
}

static void
test_load (void)
{
  g_autofree char *folder = g_dir_make_tmp ("hirscope-XXXXXX", NULL);
  g_autofree char *good = g_build_filename (folder, "good.py", NULL);
  g_autofree char *empty = g_build_filename (folder, "empty.py", NULL);
  g_autofree char *binary = g_build_filename (folder, "binary.py", NULL);
  g_autofree char *missing = g_build_filename (folder, "missing.py", NULL);
  g_autoptr (HirSource) source = NULL;
  g_autoptr (HirSource) nothing = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (good, "a\nb\n", -1, NULL));
  g_assert_true (g_file_set_contents (empty, "", 0, NULL));
  g_assert_true (g_file_set_contents (binary, "a\xff", 2, NULL));

  source = hir_source_load (good, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (source->text, ==, "a\nb\n");
  nothing = hir_source_load (empty, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (nothing->length, ==, 0);

  g_assert_null (hir_source_load (binary, &error));
  g_assert_nonnull (strstr (error->message, "not UTF-8"));
  g_clear_error (&error);
  g_assert_null (hir_source_load (missing, &error));
  g_assert_nonnull (strstr (error->message, "No such file"));
  g_clear_error (&error);
  g_assert_null (hir_source_load (folder, &error));
  g_assert_nonnull (strstr (error->message, "folder"));

  g_unlink (good);
  g_unlink (empty);
  g_unlink (binary);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/diagnostic/position-travels", test_position_travels);
  g_test_add_func ("/diagnostic/format", test_format);
  g_test_add_func ("/diagnostic/long-line-is-cut", test_long_line_is_cut);
  g_test_add_func ("/diagnostic/load", test_load);
  return g_test_run ();
}
