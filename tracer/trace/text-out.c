#include "trace/text-out.h"
#include "diagnostic.h"
#include "trace/out-file.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gunixoutputstream.h>
#include <glib/gstdio.h>
#include <string.h>

#define PIECE_BYTES (64 * 1024)
/* On traces, this takes half the time of level 6 and gives 10% more bytes. */
#define GZIP_LEVEL 3

void
hir_text_out_init (HirTextOut *out, GOutputStream *stream, HirExportProgress *progress)
{
  out->stream = stream;
  out->progress = progress;
  out->pending = g_string_sized_new (PIECE_BYTES + 4096);
  out->json = (HirJsonOut){ .out = out->pending };
  out->error = NULL;
}

static void
write_pending (HirTextOut *out)
{
  if (out->error == NULL)
    g_output_stream_write_all (out->stream, out->pending->str, out->pending->len, NULL,
                               hir_export_progress_get_cancellable (out->progress), &out->error);
  g_string_truncate (out->pending, 0);
}

static void
write_if_full (HirTextOut *out)
{
  if (out->pending->len >= PIECE_BYTES)
    write_pending (out);
}

void
hir_text_out_add (HirTextOut *out, const char *text)
{
  g_string_append (out->pending, text);
  write_if_full (out);
}

void
hir_text_out_printf (HirTextOut *out, const char *format, ...)
{
  char small[512]; /* Avoids the allocation that each g_string_append_printf() makes. */
  va_list args;
  int n;

  va_start (args, format);
  n = g_vsnprintf (small, sizeof small, format, args);
  va_end (args);
  if (n >= 0 && (gsize) n < sizeof small)
    g_string_append_len (out->pending, small, n);
  else
    {
      va_start (args, format);
      g_string_append_vprintf (out->pending, format, args);
      va_end (args);
    }
  write_if_full (out);
}

void
hir_text_out_add_padded (HirTextOut *out, const char *text, int width)
{
  int n_more_bytes = (int) strlen (text) - (int) g_utf8_strlen (text, -1);

  hir_text_out_printf (out, "%*s", width + n_more_bytes, text);
}

void
hir_text_out_add_csv_field (HirTextOut *out, const char *text)
{
  if (strpbrk (text, ",\"\r\n") == NULL)
    {
      hir_text_out_add (out, text);
      return;
    }
  g_string_append_c (out->pending, '"');
  for (const char *at = text; *at != '\0'; at++)
    {
      if (*at == '"')
        g_string_append_c (out->pending, '"');
      g_string_append_c (out->pending, *at);
    }
  g_string_append_c (out->pending, '"');
  write_if_full (out);
}

/* printf() takes several times as long. */
void
hir_text_out_add_us (HirTextOut *out, gint64 ns)
{
  guint64 rest = ns < 0 ? -(guint64) ns : (guint64) ns;
  char digits[32], *end = digits + sizeof digits, *at = end;

  for (guint n = 0; n < 5 || rest > 0; n++)
    if (n == 3)
      *--at = '.';
    else
      {
        *--at = (char) ('0' + rest % 10);
        rest /= 10;
      }
  if (ns < 0)
    *--at = '-';
  g_string_append_len (out->pending, at, end - at);
  write_if_full (out);
}

void
hir_text_out_step (HirTextOut *out)
{
  if (out->error == NULL && !hir_export_progress_step (out->progress, &out->error))
    g_string_truncate (out->pending, 0);
  write_if_full (out);
}

void
hir_text_out_fail (HirTextOut *out, GError *error)
{
  if (out->error == NULL)
    out->error = error;
  else
    g_error_free (error);
}

gboolean
hir_text_out_finish (HirTextOut *out, GError **error)
{
  gboolean done;

  write_pending (out);
  g_string_free (out->pending, TRUE);
  out->pending = NULL;
  done = out->error == NULL;
  if (!done)
    g_propagate_error (error, g_steal_pointer (&out->error));
  return done;
}

/* Runs @write on @stream, through a gzip converter if @path ends in ".gz". */
static gboolean
write_to (GOutputStream *stream,
          const char *path,
          HirTextWriter write,
          gconstpointer data,
          HirExportProgress *progress,
          GError **error)
{
  g_autoptr (GZlibCompressor) packer = NULL;
  g_autoptr (GOutputStream) packed = NULL;

  if (!g_str_has_suffix (path, ".gz"))
    return write (data, stream, progress, error);
  packer = g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, GZIP_LEVEL);
  packed = g_converter_output_stream_new (stream, G_CONVERTER (packer));
  g_filter_output_stream_set_close_base_stream (G_FILTER_OUTPUT_STREAM (packed), FALSE);
  return write (data, packed, progress, error) &&
         g_output_stream_close (packed, hir_export_progress_get_cancellable (progress), error);
}

/* Takes @failure and sets @error to it, with @path as the file. */
static void
set_write_error (GError **error, const char *path, GError *failure)
{
  if (g_error_matches (failure, HIR_ERROR, HIR_ERROR_INPUT))
    {
      g_propagate_error (error, failure);
      return;
    }
  if (g_error_matches (failure, HIR_ERROR, HIR_ERROR_CANCELLED) ||
      g_error_matches (failure, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    hir_set_error (error, HIR_ERROR_CANCELLED, NULL, "%s was not written: it was cancelled", path);
  else if (g_error_matches (failure, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    hir_set_error (error, HIR_ERROR_RUN, NULL,
                   "%s cannot be written: its folder does not exist; create it, or choose another "
                   "name",
                   path);
  else
    hir_set_error (error, HIR_ERROR_RUN, NULL,
                   "%s cannot be written (%s); choose another name, or free some space", path,
                   failure->message);
  g_error_free (failure);
}

/* Runs @write on the existing file @path, which messages call @name. */
static gboolean
fill_file (const char *path,
           const char *name,
           HirTextWriter write,
           gconstpointer data,
           HirExportProgress *progress,
           GError **error)
{
  int fd = g_open (path, O_WRONLY | O_TRUNC | O_CLOEXEC, 0);
  g_autoptr (GOutputStream) stream = NULL;
  gboolean done;

  if (fd < 0)
    {
      g_set_error_literal (error, G_FILE_ERROR, g_file_error_from_errno (errno),
                           g_strerror (errno));
      return FALSE;
    }
  stream = g_unix_output_stream_new (fd, TRUE);
  done = write_to (stream, name, write, data, progress, error);
  /* Closing can fail for lack of space. An earlier error has priority. */
  return g_output_stream_close (stream, NULL, done ? error : NULL) && done;
}

gboolean
hir_text_out_write_file (const char *path,
                         HirTextWriter write,
                         gconstpointer data,
                         HirExportProgress *progress,
                         GError **error)
{
  HirOutFile file;
  GError *failure = NULL;

  if (hir_out_file_begin (&file, path, FALSE, &failure))
    {
      if (fill_file (file.path, path, write, data, progress, &failure) &&
          hir_out_file_commit (&file, &failure))
        return TRUE;
      hir_out_file_discard (&file);
    }
  set_write_error (error, path, failure);
  return FALSE;
}

typedef struct
{
  const char *data;
  gsize size;
} Bytes;

static gboolean
write_bytes (gconstpointer data, GOutputStream *stream, HirExportProgress *progress, GError **error)
{
  const Bytes *bytes = data;

  return g_output_stream_write_all (stream, bytes->data, bytes->size, NULL,
                                    hir_export_progress_get_cancellable (progress), error);
}

gboolean
hir_text_out_write_bytes (
    const char *path, const char *data, gsize size, HirExportProgress *progress, GError **error)
{
  const Bytes bytes = { data, size };

  return hir_text_out_write_file (path, write_bytes, &bytes, progress, error);
}
