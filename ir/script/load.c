/* Decodes the bytes of a script as Python does: byte order mark, coding line, line ends. */
#include "script/script.h"

#include "file-error.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#define MAX_FILE_BYTES (64u << 20)

/* Returns the encoding named by a comment in the first two lines (PEP 263), newly allocated, or
 * NULL. */
static char *
find_coding (const char *bytes, gsize length)
{
  const char *line = bytes, *end = bytes + length;

  for (int i = 0; i < 2 && line < end; i++)
    {
      const char *stop = line, *p;

      while (stop < end && *stop != '\n' && *stop != '\r')
        stop++;
      for (p = line; p < stop && (*p == ' ' || *p == '\t' || *p == '\f'); p++)
        ;
      if (p < stop && *p != '#')
        return NULL;
      for (; p + 7 <= stop; p++)
        if (memcmp (p, "coding", 6) == 0 && (p[6] == ':' || p[6] == '='))
          {
            const char *name = p + 7, *name_end;

            while (name < stop && (*name == ' ' || *name == '\t'))
              name++;
            for (name_end = name;
                 name_end < stop &&
                 (g_ascii_isalnum (*name_end) || strchr ("-_.", *name_end) != NULL) &&
                 *name_end != '\0';)
              name_end++;
            if (name_end > name)
              return g_strndup (name, name_end - name);
          }
      line = stop + 1;
      if (stop + 1 < end && stop[0] == '\r' && stop[1] == '\n')
        line++;
    }
  return NULL;
}

/* Converts Python's name of an encoding to that of iconv: lower case, '-' for '_', and aliases. */
static char *
to_iconv_name (const char *coding)
{
  static const char *const names[][2] = {
    { "latin-1", "iso-8859-1" },
    { "latin1", "iso-8859-1" },
    { "l1", "iso-8859-1" },
    { "iso8859-1", "iso-8859-1" },
    { "iso-latin-1", "iso-8859-1" },
    { "latin-1-unix", "iso-8859-1" },
    { "utf8", "utf-8" },
    { "u8", "utf-8" },
    { "cp65001", "utf-8" },
  };
  char *name = g_strdelimit (g_ascii_strdown (coding, -1), "_", '-');

  if (g_str_has_prefix (name, "utf-8-"))
    name[5] = '\0';
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (name, names[i][0]) == 0)
      {
        g_free (name);
        return g_strdup (names[i][1]);
      }
  return name;
}

/* With a byte order mark, Python accepts only these names. */
static gboolean
is_plain_utf8 (const char *coding)
{
  g_autofree char *name = g_strdelimit (g_ascii_strdown (coding, -1), "_", '-');

  return strcmp (name, "utf-8") == 0 || g_str_has_prefix (name, "utf-8-");
}

/* Validation also stops at a NUL byte. */
static void
set_bad_byte (const char *bytes, const char *bad, GError **error)
{
  HirPos pos = { 1, 1 };

  for (const char *p = bytes; p < bad; p++)
    pos.line += *p == '\n';
  if (*bad == '\0')
    hir_set_error (error, HIR_ERROR_INPUT, &pos,
                   "this line holds a NUL byte; is the file a script?");
  else
    hir_set_error (error, HIR_ERROR_INPUT, &pos,
                   "this line is not UTF-8; save the file as UTF-8, or name its encoding in the "
                   "first "
                   "line (# coding: latin-1)");
}

static char *
decode (const char *bytes, gsize length, gsize *out_length, GError **error)
{
  gboolean has_mark = length >= 3 && memcmp (bytes, "\xef\xbb\xbf", 3) == 0;
  g_autofree char *coding = NULL, *name = NULL;
  g_autoptr (GError) failure = NULL;
  char *text;

  if (has_mark)
    {
      bytes += 3;
      length -= 3;
    }
  coding = find_coding (bytes, length);
  if (has_mark && coding != NULL && !is_plain_utf8 (coding))
    {
      hir_set_error (error, HIR_ERROR_INPUT, &(HirPos){ 1, 1 },
                     "the file has a UTF-8 mark and names the encoding '%s'; write utf-8, as "
                     "Python "
                     "demands of such a file",
                     coding);
      return NULL;
    }
  name = coding != NULL ? to_iconv_name (coding) : g_strdup ("utf-8");
  if (strcmp (name, "utf-8") == 0)
    {
      const char *bad = NULL;

      if (!g_utf8_validate_len (bytes, length, &bad))
        {
          set_bad_byte (bytes, bad, error);
          return NULL;
        }
      *out_length = length;
      return g_strndup (bytes, length);
    }
  if (memchr (bytes, '\0', length) != NULL)
    {
      set_bad_byte (bytes, memchr (bytes, '\0', length), error);
      return NULL;
    }
  text = g_convert (bytes, length, "UTF-8", name, NULL, out_length, &failure);
  if (text == NULL)
    hir_set_error (error, HIR_ERROR_INPUT, &(HirPos){ 1, 1 },
                   "the encoding '%s' that the file names cannot be read (%s); save it as UTF-8",
                   coding,
                   g_error_matches (failure, G_CONVERT_ERROR, G_CONVERT_ERROR_NO_CONVERSION)
                       ? "unknown encoding"
                       : "the bytes do not fit it");
  return text;
}

HirSource *
hir_script_source_from_bytes (const char *path, const char *bytes, gsize length, GError **error)
{
  g_autofree char *text = NULL;
  HirSource *source;
  gsize n = 0, out = 0;

  if (length > MAX_FILE_BYTES)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "the file is larger than 64 MB, which no script is");
      return NULL;
    }
  text = decode (bytes, length, &n, error);
  if (text == NULL)
    return NULL;
  for (gsize i = 0; i < n; i++)
    {
      if (text[i] == '\r' && i + 1 < n && text[i + 1] == '\n')
        continue;
      text[out++] = text[i] == '\r' ? '\n' : text[i];
    }
  source = hir_source_new (path, text, out);
  return source;
}

HirSource *
hir_script_load (const char *path, GError **error)
{
  g_autofree char *bytes = NULL;
  g_autoptr (GError) failure = NULL;
  gsize length = 0;
  GStatBuf info;

  if (g_stat (path, &info) != 0)
    {
      hir_set_file_error (error, "read", path, errno);
      return NULL;
    }
  if (!S_ISREG (info.st_mode))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s is not a regular file; specify a script",
                     path);
      return NULL;
    }
  if (info.st_size > MAX_FILE_BYTES)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s is larger than 64 MB, which no script is",
                     path);
      return NULL;
    }
  if (!g_file_get_contents (path, &bytes, &length, &failure))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "cannot read the script: %s", failure->message);
      return NULL;
    }
  return hir_script_source_from_bytes (path, bytes, length, error);
}
