#include "diagnostic.h"

#include "print/printable.h"

#include <errno.h>
#include <string.h>

#define MAX_SOURCE_BYTES (64 * 1024 * 1024)
/* Of longer lines (minified or binary files), only the part around the column is shown. */
#define MAX_SHOWN_CHARS 120

typedef struct
{
  HirPos pos;
} HirErrorPrivate;

static void
hir_error_private_init (HirErrorPrivate *self)
{
  self->pos = (HirPos){ 0, 0 };
}

static void
hir_error_private_copy (const HirErrorPrivate *from, HirErrorPrivate *to)
{
  *to = *from;
}

static void
hir_error_private_clear (HirErrorPrivate *self)
{
}

G_DEFINE_EXTENDED_ERROR (HirError, hir_error)

void
hir_set_error (GError **error, HirErrorCode code, const HirPos *pos, const char *format, ...)
{
  va_list args;
  GError *made;

  if (error == NULL)
    return;

  va_start (args, format);
  made = g_error_new_valist (HIR_ERROR, code, format, args);
  va_end (args);

  if (pos != NULL)
    hir_error_get_private (made)->pos = *pos;
  g_propagate_error (error, made);
}

HirPos
hir_error_get_pos (const GError *error)
{
  if (error == NULL || error->domain != HIR_ERROR)
    return (HirPos){ 0, 0 };
  return hir_error_get_private ((GError *) error)->pos;
}

GError *
hir_error_copy (const GError *error)
{
  GError *copy = NULL;

  if (error->domain == HIR_ERROR)
    return g_error_copy (error);
  hir_set_error (&copy, HIR_ERROR_RUN, NULL, "%s", error->message);
  return copy;
}

HirSource *
hir_source_new (const char *path, const char *text, gssize length)
{
  HirSource *source = g_new0 (HirSource, 1);

  source->path = g_strdup (path != NULL ? path : "<text>");
  source->length = length < 0 ? strlen (text) : (gsize) length;
  source->text = g_strndup (text, source->length);
  source->length = strlen (source->text);
  g_atomic_ref_count_init (&source->ref_count);
  return source;
}

HirSource *
hir_source_load (const char *path, GError **error)
{
  g_autoptr (GMappedFile) file = NULL;
  g_autoptr (GError) local = NULL;
  const char *bad;

  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s is a folder; name a file in it", path);
      return NULL;
    }
  file = g_mapped_file_new (path, FALSE, &local);
  if (file == NULL)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "cannot read %s: %s; check its name and permissions", path,
                     g_strerror (local->code == G_FILE_ERROR_NOENT ? ENOENT : errno));
      return NULL;
    }
  if (g_mapped_file_get_length (file) > MAX_SOURCE_BYTES)
    {
      hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                     "%s is larger than 64 MB; give a script or a dump", path);
      return NULL;
    }
  if (g_mapped_file_get_length (file) == 0)
    return hir_source_new (path, "", 0);
  if (!g_utf8_validate (g_mapped_file_get_contents (file), (gssize) g_mapped_file_get_length (file),
                        &bad))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "%s is not UTF-8 text (byte %" G_GSIZE_FORMAT "); convert it first", path,
                     (gsize) (bad - g_mapped_file_get_contents (file)));
      return NULL;
    }
  return hir_source_new (path, g_mapped_file_get_contents (file),
                         (gssize) g_mapped_file_get_length (file));
}

HirSource *
hir_source_ref (HirSource *source)
{
  g_atomic_ref_count_inc (&source->ref_count);
  return source;
}

void
hir_source_unref (HirSource *source)
{
  if (source == NULL || !g_atomic_ref_count_dec (&source->ref_count))
    return;

  g_free (source->path);
  g_free (source->text);
  g_free (source);
}

char *
hir_source_dup_line (const HirSource *source, guint line)
{
  const char *at = source->text;
  const char *end;

  if (line == 0)
    return NULL;
  for (guint i = 1; i < line; i++)
    {
      at = strchr (at, '\n');
      if (at == NULL)
        return NULL;
      at++;
    }
  end = strchrnul (at, '\n');
  if (end > at && end[-1] == '\r')
    end--;
  return g_strndup (at, (gsize) (end - at));
}

HirDiagnostic *
hir_diagnostic_new (HirErrorCode code, HirPos pos, const char *format, ...)
{
  HirDiagnostic *diagnostic = g_new0 (HirDiagnostic, 1);
  va_list args;

  va_start (args, format);
  diagnostic->message = g_strdup_vprintf (format, args);
  va_end (args);
  diagnostic->code = code;
  diagnostic->pos = pos;
  return diagnostic;
}

HirDiagnostic *
hir_diagnostic_new_from_error (const GError *error)
{
  return hir_diagnostic_new (error->domain == HIR_ERROR ? (HirErrorCode) error->code
                                                        : HIR_ERROR_INPUT,
                             hir_error_get_pos (error), "%s", error->message);
}

void
hir_diagnostic_free (HirDiagnostic *diagnostic)
{
  if (diagnostic == NULL)
    return;

  g_free (diagnostic->message);
  g_free (diagnostic);
}

/* Appends the line at @pos, shortened around the column, and a caret below it. Tabs are copied to
 * the caret line, so that the caret is aligned for any tab width. */
static void
append_line (GString *out, const HirSource *source, HirPos pos)
{
  g_autofree char *line = hir_source_dup_line (source, pos.line);
  const char *at, *end;
  glong length, column, from, to;

  if (line == NULL || !g_utf8_validate (line, -1, NULL))
    return;

  length = g_utf8_strlen (line, -1);
  column = CLAMP ((glong) pos.column - 1, 0, length);
  from = column > MAX_SHOWN_CHARS - 20 ? column - (MAX_SHOWN_CHARS - 20) : 0;
  to = MIN (length, from + MAX_SHOWN_CHARS);
  at = g_utf8_offset_to_pointer (line, from);
  end = g_utf8_offset_to_pointer (line, to);

  g_string_append (out, "  ");
  g_string_append_len (out, at, end - at);
  g_string_append (out, "\n  ");
  for (glong i = from; i < column; i++, at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);

      g_string_append (out, c == '\t' ? "\t" : g_unichar_iswide (c) ? "  " : " ");
    }
  g_string_append (out, "^\n");
}

char *
hir_diagnostic_format (const HirDiagnostic *diagnostic, const HirSource *source)
{
  g_autoptr (GString) out = g_string_new (NULL);

  if (source != NULL && diagnostic->pos.line > 0)
    g_string_append_printf (out, "%s:%u:%u: error: %s\n", source->path, diagnostic->pos.line,
                            MAX (diagnostic->pos.column, 1), diagnostic->message);
  else if (source != NULL)
    g_string_append_printf (out, "%s: error: %s\n", source->path, diagnostic->message);
  else
    g_string_append_printf (out, "error: %s\n", diagnostic->message);

  if (source != NULL && diagnostic->pos.line > 0)
    append_line (out, source, diagnostic->pos);
  /* File names and lines may contain control characters. */
  return hir_printable_dup_lines (out->str);
}

char *
hir_error_format (const GError *error, const HirSource *source)
{
  g_autoptr (HirDiagnostic) diagnostic = hir_diagnostic_new_from_error (error);

  return hir_diagnostic_format (diagnostic, source);
}
