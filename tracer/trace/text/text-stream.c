#include "trace/text/text-stream.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diagnostic.h"
#include "file-error.h"
#include "trace/text/text-source-private.h"
#include "trace/text/text-unpack.h"

#define IN_BYTES (256 * 1024)
#define POINT_BYTES (4 * 1024 * 1024) /* text between two restart points */

struct _HirTextStream
{
  HirTextSource *source;
  int fd;       /* borrowed from the source, except for a pipe */
  int spool_fd; /* temporary copy of a pipe; -1: none */
  gboolean is_regular;
  char *in; /* bytes read but not delivered */
  gsize n_in, in_at;
  guint64 total;         /* size of the file; 0: unknown */
  gsize done;            /* bytes read from the file; atomic */
  guint64 out;           /* bytes of text delivered or decompressed */
  HirTextUnpack *unpack; /* of zstd and xz; NULL: none */
  HirUnpackIn packed;
  z_stream z;
  gboolean in_member, at_end;
  guint64 point_out; /* position of the last restart point */
  char *problem;
};

/* --- raw bytes
 * --------------------------------------------------------------------------------- */

/* Creates an unlinked temporary file. */
static int
open_spool (void)
{
  g_autofree char *name = NULL;
  int fd = g_file_open_tmp ("hirscope-XXXXXX", &name, NULL);

  if (fd >= 0)
    g_unlink (name);
  return fd;
}

static void
drop_spool (HirTextStream *self)
{
  /* Another thread may be reading from it. */
  g_mutex_lock (&self->source->mutex);
  if (self->spool_fd >= 0)
    close (self->spool_fd);
  self->spool_fd = self->source->fd = -1;
  g_mutex_unlock (&self->source->mutex);
}

static void
keep (HirTextStream *self, const char *bytes, gsize n)
{
  while (n > 0 && self->spool_fd >= 0)
    {
      gssize written = write (self->spool_fd, bytes, n);

      if (written < 0 && errno != EINTR)
        drop_spool (self);
      if (written > 0)
        {
          bytes += written;
          n -= (gsize) written;
        }
    }
}

static gboolean
read_raw (HirTextStream *self, char *buffer, gsize size, gsize *n_read, GError **error)
{
  gssize n;

  do
    n = read (self->fd, buffer, size);
  while (n < 0 && errno == EINTR);
  if (n < 0)
    {
      hir_set_file_error (error, "read", self->source->name, errno);
      return FALSE;
    }
  *n_read = (gsize) n;
  g_atomic_pointer_add (&self->done, n);
  return TRUE;
}

/* Reads what zstd or xz decompresses; 0 bytes at the end. */
static gboolean
read_packed (HirTextStream *self, char *buffer, gsize size, gsize *n_read, GError **error)
{
  HirUnpackIn *packed = &self->packed;
  gboolean is_last = FALSE;
  const char *problem = NULL;

  for (*n_read = 0; *n_read == 0 && problem == NULL && !is_last;)
    {
      if (packed->at == packed->n)
        {
          packed->at = 0;
          if (!read_raw (self, (char *) packed->bytes, IN_BYTES, &packed->n, error))
            return FALSE;
          is_last = packed->n == 0;
        }
      *n_read = hir_text_unpack_run (self->unpack, packed, is_last, buffer, size, &problem);
    }
  if (problem != NULL && self->problem == NULL)
    self->problem = g_strdup_printf ("the compressed file is damaged or truncated: %s", problem);
  /* Damaged data ends here. */
  if (problem != NULL)
    packed->at = packed->n;
  return TRUE;
}

static gboolean
read_some (HirTextStream *self, char *buffer, gsize size, gsize *n_read, GError **error)
{
  if (self->unpack != NULL ? !read_packed (self, buffer, size, n_read, error)
                           : !read_raw (self, buffer, size, n_read, error))
    return FALSE;
  if (!self->is_regular)
    keep (self, buffer, *n_read);
  return TRUE;
}

static gboolean
fill_in (HirTextStream *self, GError **error)
{
  self->in_at = 0;
  return read_some (self, self->in, IN_BYTES, &self->n_in, error);
}

/* --- opening -----------------------------------------------------------------------------------
 */

static gboolean
look_at_file (HirTextStream *self, GError **error)
{
  struct stat st;

  if (fstat (self->fd, &st) != 0)
    st.st_mode = 0;
  if (S_ISDIR (st.st_mode))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s is a folder; give the files in it",
                     self->source->name);
      return FALSE;
    }
  self->is_regular = S_ISREG (st.st_mode);
  if (self->is_regular)
    {
      self->total = (guint64) st.st_size;
      self->source->fd = self->fd;
      hir_text_source_seal (self->source);
      return TRUE;
    }
  self->source->is_ours = TRUE;
  self->source->fd = self->spool_fd = open_spool ();
  return TRUE;
}

/* Text that zstd or xz compressed is copied to a temporary file, as from a pipe. */
static gboolean
begin_unpacking (HirTextStream *self, HirUnpackKind kind, GError **error)
{
  if (kind == HIR_UNPACK_NONE)
    return TRUE;
  self->unpack = hir_text_unpack_new (kind, self->source->name, error);
  if (self->unpack == NULL)
    return FALSE;
  self->packed = (HirUnpackIn){ self->in, 0, self->n_in };
  self->in = g_try_malloc (IN_BYTES);
  if (self->in == NULL)
    {
      hir_set_error (error, HIR_ERROR_LIMIT, NULL, "%s: out of memory before the first event",
                     self->source->name);
      return FALSE;
    }
  self->n_in = self->in_at = 0;
  self->source->is_ours = TRUE;
  if (self->spool_fd < 0)
    self->source->fd = self->spool_fd = open_spool ();
  else if (ftruncate (self->spool_fd, 0) != 0 || lseek (self->spool_fd, 0, SEEK_SET) != 0)
    drop_spool (self);
  self->is_regular = FALSE;
  return TRUE;
}

static gboolean
begin (HirTextStream *self, GError **error)
{
  if (!look_at_file (self, error))
    return FALSE;
  self->in = g_try_malloc (IN_BYTES);
  if (self->in == NULL)
    {
      hir_set_error (error, HIR_ERROR_LIMIT, NULL, "%s: out of memory before the first event",
                     self->source->name);
      return FALSE;
    }
  if (!fill_in (self, error))
    return FALSE;
  if (self->n_in == 0)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s is empty; record the trace again",
                     self->source->name);
      return FALSE;
    }
  /* A pipe may deliver a single byte first. */
  if (self->n_in == 1 && (guint8) *self->in == 0x1f)
    {
      gsize n;

      if (!read_some (self, self->in + 1, IN_BYTES - 1, &n, error))
        return FALSE;
      self->n_in += n;
    }
  if (self->n_in >= 2 && (guint8) self->in[0] == 0x1f && (guint8) self->in[1] == 0x8b)
    self->source->kind = HIR_TEXT_GZIP;
  return begin_unpacking (self, hir_text_unpack_sniff (self->in, self->n_in), error);
}

HirTextStream *
hir_text_stream_open (const char *path, GError **error)
{
  g_autoptr (HirTextStream) self = g_new0 (HirTextStream, 1);

  self->spool_fd = -1;
  self->source = hir_text_source_new (HIR_TEXT_FILE, path);
  self->fd = g_open (path, O_RDONLY | O_CLOEXEC, 0);
  if (self->fd < 0)
    {
      hir_set_file_error (error, "read", path, errno);
      return NULL;
    }
  return begin (self, error) ? g_steal_pointer (&self) : NULL;
}

HirTextStream *
hir_text_stream_new_for_memory (const char *name, const char *text, gsize length)
{
  HirTextStream *self = g_new0 (HirTextStream, 1);

  self->fd = self->spool_fd = -1;
  self->source = hir_text_source_new (HIR_TEXT_MEMORY, name);
  self->source->text = text;
  self->source->length = self->total = length;
  return self;
}

void
hir_text_stream_free (HirTextStream *self)
{
  if (self == NULL)
    return;
  if (self->in_member)
    inflateEnd (&self->z);
  if (self->fd >= 0 && self->fd != self->source->fd)
    close (self->fd);
  hir_text_source_unref (self->source);
  hir_text_unpack_free (self->unpack);
  g_free ((char *) self->packed.bytes);
  g_free (self->in);
  g_free (self->problem);
  g_free (self);
}

/* --- gzip --------------------------------------------------------------------------------------
 */

/* Adds a restart point. Without memory for it, there is one fewer. */
static void
add_point (HirTextStream *self)
{
  HirGzipPoint *point;

  if (self->source->points->len > 0 && self->out - self->point_out < POINT_BYTES)
    return;
  point = g_new0 (HirGzipPoint, 1);
  point->out = self->out;
  point->in = self->done - (self->n_in - self->in_at);
  point->bits = (guint8) (self->z.data_type & 7);
  if (self->z.total_out != 0)
    {
      point->window = g_try_malloc (HIR_GZIP_WINDOW);
      if (point->window == NULL ||
          inflateGetDictionary (&self->z, point->window, &point->n_window) != Z_OK)
        {
          g_free (point->window);
          g_free (point);
          return;
        }
    }
  g_mutex_lock (&self->source->mutex);
  g_ptr_array_add (self->source->points, point);
  /* The text can be reread up to this position. */
  self->source->length = self->out;
  g_mutex_unlock (&self->source->mutex);
  self->point_out = self->out;
}

static gboolean
begin_member (HirTextStream *self)
{
  memset (&self->z, 0, sizeof self->z);
  if (inflateInit2 (&self->z, 15 + 16) != Z_OK)
    return FALSE;
  self->in_member = TRUE;
  add_point (self);
  return TRUE;
}

static void
set_gzip_problem (HirTextStream *self, const char *what)
{
  self->at_end = TRUE;
  self->problem = g_strdup_printf ("the gzip file is damaged or truncated: %s", what);
}

/* Runs zlib until the end of its input, of @buffer, or of a block. */
static void
inflate_step (HirTextStream *self, char *buffer, gsize size, gsize *n_read)
{
  z_stream *z = &self->z;
  guint room = (guint) MIN (size, G_MAXINT32);
  int state;

  z->next_in = (guint8 *) self->in + self->in_at;
  z->avail_in = (guint) (self->n_in - self->in_at);
  z->next_out = (guint8 *) buffer;
  z->avail_out = room;
  state = inflate (z, Z_BLOCK);
  self->in_at = self->n_in - z->avail_in;
  *n_read = room - z->avail_out;
  self->out += *n_read;
  if (state == Z_STREAM_END)
    {
      inflateEnd (z);
      self->in_member = FALSE;
    }
  else if (state != Z_OK && state != Z_BUF_ERROR)
    set_gzip_problem (self, z->msg != NULL ? z->msg : zError (state));
  else if ((z->data_type & 128) != 0 && (z->data_type & 64) == 0 && z->total_out != 0)
    add_point (self);
}

/* Ignores data after the last gzip member. */
static gboolean
unpack (HirTextStream *self, char *buffer, gsize size, gsize *n_read, GError **error)
{
  *n_read = 0;
  while (*n_read < size && !self->at_end)
    {
      gsize n = 0;

      if (self->in_at == self->n_in && !fill_in (self, error))
        return FALSE;
      if (self->n_in == 0 && self->in_member)
        set_gzip_problem (self, "unexpected end of file");
      else if (self->n_in == 0 || (!self->in_member && (guint8) self->in[self->in_at] != 0x1f))
        self->at_end = TRUE;
      else if (!self->in_member && !begin_member (self))
        {
          hir_set_error (error, HIR_ERROR_LIMIT, NULL, "%s: out of memory", self->source->name);
          return FALSE;
        }
      if (!self->at_end)
        inflate_step (self, buffer + *n_read, size - *n_read, &n);
      *n_read += n;
    }
  return TRUE;
}

/* --- reading -----------------------------------------------------------------------------------
 */

static gboolean
read_plain (HirTextStream *self, char *buffer, gsize size, gsize *n_read, GError **error)
{
  *n_read = MIN (size, self->n_in - self->in_at);
  if (*n_read > 0)
    memcpy (buffer, self->in + self->in_at, *n_read);
  self->in_at += *n_read;
  while (*n_read < size && !self->at_end)
    {
      gsize n;

      if (!read_some (self, buffer + *n_read, size - *n_read, &n, error))
        return FALSE;
      self->at_end = n == 0;
      *n_read += n;
    }
  self->out += *n_read;
  return TRUE;
}

static void
read_memory (HirTextStream *self, char *buffer, gsize size, gsize *n_read)
{
  *n_read = (gsize) MIN (size, self->total - self->out);
  if (*n_read > 0)
    memcpy (buffer, self->source->text + self->out, *n_read);
  self->out += *n_read;
  g_atomic_pointer_add (&self->done, (gssize) *n_read);
  self->at_end = self->out == self->total;
}

/* Reports a file that another program changed while it was read. */
static void
finish (HirTextStream *self)
{
  guint64 size = self->source->file_size;
  gint64 s = self->source->changed_s, ns = self->source->changed_ns;

  g_mutex_lock (&self->source->mutex);
  self->source->length = self->out;
  if (self->is_regular)
    hir_text_source_seal (self->source);
  g_mutex_unlock (&self->source->mutex);
  if (!self->is_regular)
    return;
  if (self->problem == NULL && self->source->file_size < size)
    self->problem = g_strdup ("the file became shorter while it was being read");
  else if (self->problem == NULL &&
           (self->source->changed_s != s || self->source->changed_ns != ns))
    self->problem = g_strdup ("the file was modified while it was being read");
}

gboolean
hir_text_stream_read (HirTextStream *self, char *buffer, gsize size, gsize *n_read, GError **error)
{
  gboolean done = TRUE;

  *n_read = 0;
  if (self->at_end)
    return TRUE;
  if (self->source->kind == HIR_TEXT_MEMORY)
    read_memory (self, buffer, size, n_read);
  else if (self->source->kind == HIR_TEXT_GZIP)
    done = unpack (self, buffer, size, n_read, error);
  else
    done = read_plain (self, buffer, size, n_read, error);
  if (self->at_end)
    finish (self);
  return done;
}

void
hir_text_stream_end (HirTextStream *self)
{
  if (self->at_end)
    return;
  self->at_end = TRUE;
  finish (self);
}

void
hir_text_stream_get_progress (HirTextStream *self, guint64 *done, guint64 *total)
{
  *done = (guint64) (gsize) g_atomic_pointer_get (&self->done);
  *total = self->total;
}

const char *
hir_text_stream_get_problem (HirTextStream *self)
{
  return self->problem;
}

HirTextSource *
hir_text_stream_get_source (HirTextStream *self)
{
  return self->source;
}
