/* Tests that messages in the window have the words of the window. */
#include "base/control-words.h"

#include <gio/gio.h>
#include <string.h>

static void
check (const char *text, const char *expected)
{
  g_autofree char *words = hir_control_words_dup (text);

  g_assert_cmpstr (words, ==, expected);
}

static void
test_words (void)
{
  check (NULL, NULL);
  check ("", "");
  check ("the mesh names device 8; give more with -d",
         "the mesh names device 8; choose more devices");
  check ("--kernel: no work is named 'x'", "no work is named 'x'");
  check ("not enough memory; use smaller --input sizes", "not enough memory; use smaller inputs");
  check ("--input 2, '4x', is not a valid shape", "input 2, '4x', is not a valid shape");
  check ("it hangs; increase --timeout", "it hangs; increase Time Limit in Preferences");
  check ("it hangs; set --timeout", "it hangs; set hirscope run --timeout");
  check ("record it with --cuda-graph-trace=node", "record it with --cuda-graph-trace=node");
  check ("profile with --trace=cuda,nvtx", "profile with --trace=cuda,nvtx");
  check ("a--input-b --inputs", "a--input-b --inputs");
}

/* Returns @text without comments and with adjacent literals joined. */
static char *
dup_joined (const char *text)
{
  static const char *const patterns[][2] = {
    { "/\\*(?:[^*]|\\*(?!/))*\\*/", "" },
    { "\"\\s*(?:G_G?U?INT64_FORMAT\\s*)?\"", "" },
  };
  char *joined = g_strdup (text);

  for (guint i = 0; i < G_N_ELEMENTS (patterns); i++)
    {
      g_autoptr (GRegex) regex = g_regex_new (patterns[i][0], 0, 0, NULL);
      char *next = g_regex_replace_literal (regex, joined, -1, 0, patterns[i][1], 0, NULL);

      g_assert_nonnull (next);
      g_free (joined);
      joined = next;
    }
  return joined;
}

/* Checks the literals of @text that have a space, and therefore belong to messages. */
static guint
check_literals (const char *path, const char *text)
{
  g_autofree char *joined = dup_joined (text);
  g_autoptr (GRegex) literals = g_regex_new ("\"((?:[^\"\\\\\\n]|\\\\.)*)\"", 0, 0, NULL);
  g_autoptr (GRegex) option = g_regex_new (
      "(?<!hirscope run|hirscope query|hirscope bisect)(?:^|[ (;])(?:--[a-z][a-z-]*(?![a-z=-])|-d\\b)",
      0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  guint n = 0;

  for (g_regex_match (literals, joined, 0, &match); g_match_info_matches (match);
       g_match_info_next (match, NULL))
    {
      g_autofree char *literal = g_match_info_fetch (match, 1);
      g_autofree char *words = hir_control_words_dup (literal);

      if (strchr (literal, ' ') == NULL || !g_regex_match (option, literal, 0, NULL))
        continue;
      n++;
      if (g_regex_match (option, words, 0, NULL))
        g_error ("%s: \"%s\" has a word of the command line; add it to ui/base/control-words.c",
                 path, words);
    }
  return n;
}

static gboolean
is_of_window (const char *name)
{
  /* Only commands print these, or they write commands. */
  static const char *const others[] = { "-write.c",       "stats-text.c",      "request-edit.c",
                                        "mpi-launcher.c", "html-report.c",     "nvrtc.c",
                                        "foreign.c",      "text-unpack.c",     "run-server.c",
                                        "run-job.c",      "predict-options.c", "run-command.c" };

  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    if (g_str_has_suffix (name, others[i]))
      return FALSE;
  return g_str_has_suffix (name, ".c");
}

static guint
check_folder (const char *path)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  const char *name;
  guint n = 0;

  g_assert_nonnull (folder);
  while ((name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *file = g_build_filename (path, name, NULL);
      g_autofree char *text = NULL;

      if (g_file_test (file, G_FILE_TEST_IS_DIR))
        n += g_str_equal (name, "tune") ? 0 : check_folder (file);
      else if (is_of_window (name) && !g_str_equal (name, "control-words.c") &&
               g_file_get_contents (file, &text, NULL, NULL))
        n += check_literals (file, text);
    }
  return n;
}

static void
test_sources (void)
{
  static const char *const folders[] = { "ir", "passes", "tracer", "ui" };
  const char *root = g_getenv ("HIR_TEST_SRCDIR");
  guint n = 0;

  if (root == NULL)
    {
      g_test_skip ("HIR_TEST_SRCDIR is not set");
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *path = g_build_filename (root, folders[i], NULL);

      n += check_folder (path);
    }
  g_assert_cmpuint (n, >, 50);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/control-words/words", test_words);
  g_test_add_func ("/control-words/sources", test_sources);
  return g_test_run ();
}
