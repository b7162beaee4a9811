/* Detects the encoding and line endings of a script file. */
#include "program/script-file.h"

#include <string.h>

#include "script/script.h"

#define BOM "\xef\xbb\xbf"

HirSource *
hir_script_file_load (const char *path, GError **error)
{
  return g_str_has_suffix (path, ".py") ? hir_script_load (path, error)
                                        : hir_source_load (path, error);
}

gboolean
hir_script_file_differs (const char *path, const char *expected)
{
  g_autoptr (HirSource) source = hir_script_file_load (path, NULL);

  if (source == NULL)
    return g_file_test (path, G_FILE_TEST_EXISTS);
  return !g_str_equal (source->text, expected);
}

/* Returns TRUE if one of the first two lines declares an encoding other than UTF-8 (PEP 263):
 * `# -*- coding: latin-1 -*-`. */
static gboolean
is_of_another_encoding (const char *text)
{
  g_autoptr (GRegex) regex =
      g_regex_new ("\\A(?:[^\\n]*\\n)?[ \\t\\f]*#.*?coding[:=][ \\t]*([-_.a-zA-Z0-9]+)", 0, 0,
                   NULL);
  g_autoptr (GMatchInfo) match = NULL;
  g_autofree char *name = NULL;

  if (!g_regex_match (regex, text, 0, &match))
    return FALSE;
  name = g_match_info_fetch (match, 1);
  return g_ascii_strcasecmp (name, "utf-8") != 0 && g_ascii_strcasecmp (name, "utf8") != 0 &&
         g_ascii_strcasecmp (name, "utf_8") != 0 && g_ascii_strcasecmp (name, "ascii") != 0;
}

/* Returns the bytes of @text with the line endings and byte order mark of the existing file. */
static char *
dup_bytes (const char *path, const char *text, gsize *length)
{
  g_autofree char *before = NULL;
  g_auto (GStrv) lines = NULL;
  GString *bytes;
  gsize n = 0;

  if (!g_file_get_contents (path, &before, &n, NULL))
    n = 0;
  bytes = g_string_new (
      n >= 3 && memcmp (before, BOM, 3) == 0 && !g_str_has_prefix (text, BOM) ? BOM : NULL);
  if (n > 0 && g_strstr_len (before, (gssize) n, "\r\n") != NULL)
    {
      g_autofree char *joined = NULL;

      lines = g_strsplit (text, "\n", -1);
      joined = g_strjoinv ("\r\n", lines);
      g_string_append (bytes, joined);
    }
  else
    {
      g_string_append (bytes, text);
    }
  *length = bytes->len;
  return g_string_free (bytes, FALSE);
}

gboolean
hir_script_file_save (const char *path, const char *text, GError **error)
{
  g_autoptr (GError) why = NULL;
  g_autofree char *bytes = NULL;
  gsize length;

  if (!g_str_is_ascii (text) && is_of_another_encoding (text))
    {
      hir_set_error (
          error, HIR_ERROR_INPUT, NULL,
          "the script declares an encoding other than UTF-8 and has non-ASCII characters; "
          "change its coding line to utf-8");
      return FALSE;
    }
  bytes = dup_bytes (path, text, &length);
  if (g_file_set_contents_full (path, bytes, (gssize) length, G_FILE_SET_CONTENTS_CONSISTENT, 0666,
                                &why))
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s", why->message);
  return FALSE;
}
