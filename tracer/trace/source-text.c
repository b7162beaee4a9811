#include "trace/source-text.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diagnostic.h"

#define FIRST_BYTES (4 * 1024 * 1024)

/* Memory that can be had or not, and grows in place. */
static gboolean
reserve (HirSourceText *source, gsize size, const char *path, GError **error)
{
  gpointer memory =
      source->memory == NULL
          ? mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
          : mremap (source->memory, source->memory_size, size, MREMAP_MAYMOVE);

  if (memory == MAP_FAILED)
    {
      hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                     "%s: out of memory after %" G_GSIZE_FORMAT " bytes of text; load a part of it",
                     path, source->length);
      return FALSE;
    }
  source->memory = memory;
  source->memory_size = size;
  source->text = memory;
  return TRUE;
}

static gboolean
ensure_room (HirSourceText *source, const char *path, GError **error)
{
  if (source->length < source->memory_size)
    return TRUE;
  return reserve (source, MAX (source->memory_size * 2, FIRST_BYTES), path, error);
}

static gboolean
is_gzip (const char *text, gsize length)
{
  return length >= 2 && (guint8) text[0] == 0x1f && (guint8) text[1] == 0x8b;
}

/* One member of a gzip file. *@in moves behind it; FALSE: an error, or (with a problem noted) what
 * follows is no gzip. */
static gboolean
unpack_member (HirSourceText *source,
               const char **in,
               const char *end,
               const char *path,
               GCancellable *cancellable,
               GError **error)
{
  g_autoptr (GConverter) unpacker =
      G_CONVERTER (g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP));
  GConverterResult result = G_CONVERTER_CONVERTED;

  while (result != G_CONVERTER_FINISHED)
    {
      g_autoptr (GError) problem = NULL;
      gsize n_in, n_out;

      if (!ensure_room (source, path, error))
        return FALSE;
      if (g_cancellable_is_cancelled (cancellable))
        {
          hir_set_error (error, HIR_ERROR_CANCELLED, NULL, "loading %s was cancelled", path);
          return FALSE;
        }
      result =
          g_converter_convert (unpacker, *in, end - *in, (char *) source->memory + source->length,
                               source->memory_size - source->length, G_CONVERTER_INPUT_AT_END,
                               &n_in, &n_out, &problem);
      if (result == G_CONVERTER_ERROR)
        {
          source->problem =
              g_strdup_printf ("the gzip file is damaged or cut off: %s", problem->message);
          *in = end;
          return TRUE;
        }
      *in += n_in;
      source->length += n_out;
    }
  return TRUE;
}

static gboolean
unpack (HirSourceText *source,
        const char *in,
        gsize length,
        const char *path,
        GCancellable *cancellable,
        GError **error)
{
  const char *end = in + length;

  source->length = 0;
  source->text = NULL;
  while (source->problem == NULL && is_gzip (in, end - in))
    if (!unpack_member (source, &in, end, path, cancellable, error))
      return FALSE;
  if (source->length == 0)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s: %s", path,
                     source->problem != NULL ? source->problem : "there is nothing in it");
      return FALSE;
    }
  return TRUE;
}

static gboolean
read_all (
    HirSourceText *source, int fd, const char *path, GCancellable *cancellable, GError **error)
{
  for (;;)
    {
      gssize n;

      if (!ensure_room (source, path, error))
        return FALSE;
      n = read (fd, (char *) source->memory + source->length, source->memory_size - source->length);
      if (n == 0)
        return TRUE;
      if (n < 0 && errno != EINTR)
        {
          hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s can't be read: %s", path,
                         g_strerror (errno));
          return FALSE;
        }
      source->length += MAX (n, 0);
      if (g_cancellable_is_cancelled (cancellable))
        {
          hir_set_error (error, HIR_ERROR_CANCELLED, NULL, "loading %s was cancelled", path);
          return FALSE;
        }
    }
}

/* Read, not mapped: a file that another program cuts while we look at a mapping of it would end
 * ours with SIGBUS. */
static gboolean
read_file (
    HirSourceText *source, int fd, const char *path, GCancellable *cancellable, GError **error)
{
  struct stat st;

  if (fstat (fd, &st) == 0 && S_ISDIR (st.st_mode))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s is a folder; give the files in it", path);
      return FALSE;
    }
  if (fstat (fd, &st) == 0 && S_ISREG (st.st_mode) && st.st_size > 0 &&
      !reserve (source, (gsize) st.st_size + 1, path, error))
    return FALSE;
  return read_all (source, fd, path, cancellable, error);
}

gboolean
hir_source_text_open (HirSourceText *source,
                      const char *path,
                      GCancellable *cancellable,
                      GError **error)
{
  g_auto (HirSourceText) packed = { 0 };
  int fd = g_open (path, O_RDONLY | O_CLOEXEC, 0);
  gboolean done;

  memset (source, 0, sizeof *source);
  if (fd < 0)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s can't be read: %s", path,
                     g_strerror (errno));
      return FALSE;
    }
  done = read_file (source, fd, path, cancellable, error);
  close (fd);
  if (done && source->length == 0)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s is empty", path);
      done = FALSE;
    }
  if (done && is_gzip (source->text, source->length))
    {
      packed = *source;
      memset (source, 0, sizeof *source);
      done = unpack (source, packed.text, packed.length, path, cancellable, error);
    }
  if (!done)
    hir_source_text_clear (source);
  return done;
}

void
hir_source_text_clear (HirSourceText *source)
{
  if (source->memory != NULL)
    munmap (source->memory, source->memory_size);
  g_free (source->problem);
  memset (source, 0, sizeof *source);
}
