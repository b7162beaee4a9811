#include "trace/text/text-source-private.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diagnostic.h"
#include "file-error.h"

#define PIECE_BYTES (64 * 1024)
/* Reading ahead pays if the next pieces of text are at most this far apart. */
#define CLOSE_BYTES 4096

static void
point_free (gpointer data)
{
  HirGzipPoint *point = data;

  g_free (point->window);
  g_free (point);
}

HirTextSource *
hir_text_source_new (HirTextKind kind, const char *name)
{
  HirTextSource *source = g_new0 (HirTextSource, 1);

  g_atomic_ref_count_init (&source->ref_count);
  g_mutex_init (&source->mutex);
  source->kind = kind;
  source->name = g_strdup (name);
  source->fd = -1;
  source->points = g_ptr_array_new_with_free_func (point_free);
  return source;
}

HirTextSource *
hir_text_source_ref (HirTextSource *source)
{
  g_atomic_ref_count_inc (&source->ref_count);
  return source;
}

void
hir_text_source_unref (HirTextSource *source)
{
  if (source == NULL || !g_atomic_ref_count_dec (&source->ref_count))
    return;
  if (source->fd >= 0)
    close (source->fd);
  for (guint i = 0; i < HIR_TEXT_PIECES; i++)
    g_free (source->pieces[i].text);
  g_ptr_array_unref (source->points);
  g_mutex_clear (&source->mutex);
  g_free (source->name);
  g_free (source);
}

const char *
hir_text_source_get_name (HirTextSource *source)
{
  return source->name;
}

gsize
hir_text_source_get_size_bytes (HirTextSource *source)
{
  gsize size = sizeof *source;

  g_mutex_lock (&source->mutex);
  for (guint i = 0; i < source->points->len; i++)
    size +=
        sizeof (HirGzipPoint) + ((HirGzipPoint *) g_ptr_array_index (source->points, i))->n_window;
  for (guint i = 0; i < HIR_TEXT_PIECES; i++)
    size += source->pieces[i].length;
  g_mutex_unlock (&source->mutex);
  return size;
}

void
hir_text_source_seal (HirTextSource *source)
{
  struct stat st;

  if (source->fd < 0 || fstat (source->fd, &st) != 0)
    return;
  source->file_size = (guint64) st.st_size;
  source->changed_s = st.st_mtim.tv_sec;
  source->changed_ns = st.st_mtim.tv_nsec;
}

static gboolean
check_unchanged (HirTextSource *source, GError **error)
{
  struct stat st;

  if (source->kind == HIR_TEXT_MEMORY || source->is_ours)
    return TRUE;
  if (fstat (source->fd, &st) == 0 && (guint64) st.st_size == source->file_size &&
      st.st_mtim.tv_sec == source->changed_s && st.st_mtim.tv_nsec == source->changed_ns)
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s has changed since it was loaded; load it again",
                 source->name);
  return FALSE;
}

static gboolean
read_file (
    HirTextSource *source, guint64 offset, char *buffer, gsize size, gsize *n_read, GError **error)
{
  *n_read = 0;
  while (*n_read < size)
    {
      gssize n = pread (source->fd, buffer + *n_read, size - *n_read, (goffset) (offset + *n_read));

      if (n == 0)
        return TRUE;
      if (n < 0 && errno != EINTR)
        {
          hir_set_file_error (error, "read", source->name, errno);
          return FALSE;
        }
      *n_read += (gsize) MAX (n, 0);
    }
  return TRUE;
}

/* Serves a read from the bytes that were read ahead. Returns FALSE if they do not contain all. */
static gboolean
read_piece (HirTextSource *source, guint64 offset, char *buffer, gsize size, gsize *n_read)
{
  const HirTextPiece *piece = &source->pieces[0];

  if (source->kind != HIR_TEXT_FILE || piece->length == 0 || offset < piece->offset ||
      offset - piece->offset + size > piece->length)
    return FALSE;
  memcpy (buffer, piece->text + (offset - piece->offset), size);
  *n_read = size;
  return TRUE;
}

/* Like read_file(), but reads ahead if the last read was close before, because exports read one
 * event after another. */
static gboolean
read_ahead (
    HirTextSource *source, guint64 offset, char *buffer, gsize size, gsize *n_read, GError **error)
{
  HirTextPiece *piece = &source->pieces[0];
  gboolean is_close =
      offset >= piece->offset && offset - piece->offset <= MAX (piece->length, size) + CLOSE_BYTES;

  *piece = (HirTextPiece){ .offset = offset, .text = piece->text };
  if (!is_close || size > PIECE_BYTES / 2)
    return read_file (source, offset, buffer, size, n_read, error);
  if (piece->text == NULL)
    piece->text = g_malloc (PIECE_BYTES);
  if (!read_file (source, offset, piece->text, PIECE_BYTES, &piece->length, error))
    {
      piece->length = 0;
      return FALSE;
    }
  *n_read = MIN (size, piece->length);
  memcpy (buffer, piece->text, *n_read);
  return TRUE;
}

/* Prepares decompression at @point. Returns FALSE if zlib fails. */
static gboolean
begin_at_point (HirTextSource *source, const HirGzipPoint *point, z_stream *z)
{
  char byte;
  gsize n;

  memset (z, 0, sizeof *z);
  if (point->window == NULL)
    return inflateInit2 (z, 15 + 16) == Z_OK;
  if (inflateInit2 (z, -15) != Z_OK)
    return FALSE;
  if (point->bits != 0 &&
      !(read_file (source, point->in - 1, &byte, 1, &n, NULL) && n == 1 &&
        inflatePrime (z, point->bits, (guint8) byte >> (8 - point->bits)) == Z_OK))
    return FALSE;
  return inflateSetDictionary (z, point->window, point->n_window) == Z_OK;
}

/* Starts the next gzip member. If the previous one was decompressed without its header, its 8-byte
 * trailer must be skipped. */
static int
begin_next_member (z_stream *z, gboolean was_raw, guint64 *at)
{
  *at -= z->avail_in;
  if (was_raw)
    *at += 8;
  inflateEnd (z);
  memset (z, 0, sizeof *z);
  return inflateInit2 (z, 15 + 16);
}

static gboolean
refill (HirTextSource *source, guint8 *in, guint64 *at, z_stream *z)
{
  gsize n;

  if (!read_file (source, *at, (char *) in, PIECE_BYTES, &n, NULL) || n == 0)
    return FALSE;
  z->next_in = in;
  z->avail_in = (guint) n;
  *at += n;
  return TRUE;
}

/* Decompresses @piece->length bytes of text starting at @point. */
static gboolean
unpack (HirTextSource *source, const HirGzipPoint *point, HirTextPiece *piece)
{
  g_autofree guint8 *in = g_malloc (PIECE_BYTES);
  char *at = piece->text, *end = piece->text + piece->length;
  guint64 in_at = point->in;
  gboolean is_raw = point->window != NULL;
  z_stream z;
  int state = begin_at_point (source, point, &z) ? Z_OK : Z_DATA_ERROR;

  while (state == Z_OK && at < end)
    {
      if (z.avail_in == 0 && !refill (source, in, &in_at, &z))
        break;
      z.next_out = (guint8 *) at;
      z.avail_out = (guint) MIN (end - at, G_MAXINT32);
      state = inflate (&z, Z_NO_FLUSH);
      at = (char *) z.next_out;
      if (state == Z_STREAM_END)
        {
          state = begin_next_member (&z, is_raw, &in_at);
          is_raw = FALSE;
        }
    }
  inflateEnd (&z);
  return at == end;
}

/* Returns the chunk of a gzip file's text, between two points, that contains @offset, or NULL. */
static const HirTextPiece *
find_piece (HirTextSource *source, guint64 offset)
{
  const HirGzipPoint *point, *next;
  HirTextPiece *oldest = &source->pieces[0];
  guint low = 0, high = source->points->len;

  for (guint i = 0; i < HIR_TEXT_PIECES; i++)
    {
      HirTextPiece *piece = &source->pieces[i];

      if (piece->text != NULL && offset - piece->offset < piece->length)
        {
          piece->used = ++source->n_uses;
          return piece;
        }
      if (piece->used < oldest->used)
        oldest = piece;
    }
  while (high - low > 1)
    {
      guint middle = (low + high) / 2;

      if (((HirGzipPoint *) g_ptr_array_index (source->points, middle))->out <= offset)
        low = middle;
      else
        high = middle;
    }
  point = g_ptr_array_index (source->points, low);
  next = low + 1 < source->points->len ? g_ptr_array_index (source->points, low + 1) : NULL;
  g_clear_pointer (&oldest->text, g_free);
  *oldest = (HirTextPiece){ .offset = point->out,
                            .length = (next != NULL ? next->out : source->length) - point->out,
                            .used = ++source->n_uses };
  oldest->text = g_try_malloc (oldest->length);
  if (oldest->text != NULL && unpack (source, point, oldest))
    return oldest;
  g_clear_pointer (&oldest->text, g_free);
  oldest->length = 0;
  return NULL;
}

static gboolean
read_gzip (
    HirTextSource *source, guint64 offset, char *buffer, gsize size, gsize *n_read, GError **error)
{
  *n_read = 0;
  while (*n_read < size && offset + *n_read < source->length)
    {
      const HirTextPiece *piece = find_piece (source, offset + *n_read);
      gsize from, n;

      if (piece == NULL)
        {
          hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s cannot be decompressed again",
                         source->name);
          return FALSE;
        }
      from = (gsize) (offset + *n_read - piece->offset);
      n = MIN (size - *n_read, piece->length - from);
      memcpy (buffer + *n_read, piece->text + from, n);
      *n_read += n;
    }
  return TRUE;
}

gboolean
hir_text_source_read (
    HirTextSource *source, guint64 offset, char *buffer, gsize size, gsize *n_read, GError **error)
{
  gboolean done = FALSE;

  *n_read = 0;
  g_mutex_lock (&source->mutex);
  if (source->kind == HIR_TEXT_MEMORY)
    {
      *n_read = offset < source->length ? (gsize) MIN (size, source->length - offset) : 0;
      memcpy (buffer, source->text + offset, *n_read);
      done = TRUE;
    }
  else if (source->fd < 0)
    hir_set_error (
        error, HIR_ERROR_INPUT, NULL,
        "%s is compressed or came from a pipe, and there was no space to store it in %s; give a "
        "plain file instead, or set TMPDIR to a folder with more space",
        source->name, g_get_tmp_dir ());
  else if (read_piece (source, offset, buffer, size, n_read))
    done = TRUE;
  else if (check_unchanged (source, error))
    done = source->kind == HIR_TEXT_FILE ? read_ahead (source, offset, buffer, size, n_read, error)
                                         : read_gzip (source, offset, buffer, size, n_read, error);
  g_mutex_unlock (&source->mutex);
  return done;
}

void
hir_text_source_get_position (HirTextSource *source, guint64 offset, guint64 *line, guint64 *column)
{
  g_autofree char *buffer = g_malloc (PIECE_BYTES);
  guint64 line_start = 0, at = 0, n_lines = 1;

  *line = *column = 0;
  while (at < offset)
    {
      gsize n;

      if (!hir_text_source_read (source, at, buffer, (gsize) MIN (PIECE_BYTES, offset - at), &n,
                                 NULL) ||
          n == 0)
        return;
      for (const char *p = buffer; (p = memchr (p, '\n', buffer + n - p)) != NULL; n_lines++)
        line_start = at + (guint64) (++p - buffer);
      at += n;
    }
  *line = n_lines;
  *column = offset - line_start + 1;
}
