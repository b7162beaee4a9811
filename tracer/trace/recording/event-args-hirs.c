#include <string.h>
#include <zlib.h>

#include "diagnostic.h"
#include "trace/recording/column-pack.h"
#include "trace/recording/recording-args.h"
#include "trace/recording/recording-file.h"
#include "trace/recording/recording-mark.h"

#define MAX_TEXT_BYTES (512 * 1024 * 1024)
/* The maximum compression ratio of zlib. It limits the memory that a small file can request. */
#define MAX_RATIO 1032

typedef struct
{
  HirEventSource base;
  GMutex mutex; /* guards the fields below */
  char *path;
  gboolean ignore_digests;
  HirFileStamp stamp;
  sqlite3 *recording;
  HirRecordingMark mark;
  sqlite3_stmt *args; /* NULL until hir_event_source_open_recording() */
  /* The most recently read row of the table `args`. */
  guint64 first;
  guint n;
  guint64 *ends; /* of each event in text */
  char *text;
} RecordingSource;

static sqlite3_stmt *
prepare (sqlite3 *db)
{
  sqlite3_stmt *stmt = NULL;

  if (db != NULL &&
      sqlite3_prepare_v2 (db, "SELECT * FROM args WHERE id<=? ORDER BY id DESC LIMIT 1", -1, &stmt,
                          NULL) != SQLITE_OK)
    return NULL;
  return stmt;
}

void
hir_event_source_open_recording (HirEventSource *base)
{
  RecordingSource *source = (RecordingSource *) base;

  g_mutex_lock (&source->mutex);
  if (hir_file_stamp_read (&source->stamp, source->path))
    source->recording = hir_recording_file_open_again (source->path);
  if (source->recording != NULL)
    hir_recording_mark_read (&source->mark, source->recording, source->path);
  source->args = prepare (source->recording);
  g_mutex_unlock (&source->mutex);
}

/* Reopens the file after a write. Returns TRUE if only notes were written. The file must be
 * reopened because a connection assumes that it never changes. */
static gboolean
take_notes (RecordingSource *source)
{
  sqlite3 *db = hir_recording_file_open_again (source->path);
  sqlite3_stmt *args = prepare (db);
  HirRecordingMark mark = { 0 };
  gboolean is_same;

  if (db != NULL)
    hir_recording_mark_read (&mark, db, source->path);
  is_same = args != NULL && hir_recording_mark_is_same (&source->mark, &mark);
  if (is_same)
    {
      sqlite3_finalize (source->args);
      sqlite3_close (source->recording);
      hir_recording_mark_clear (&source->mark);
      source->recording = db;
      source->args = args;
      source->mark = mark;
      return TRUE;
    }
  sqlite3_finalize (args);
  sqlite3_close (db);
  hir_recording_mark_clear (&mark);
  return FALSE;
}

/* A different file with this name does no harm, because the loaded one is open. */
static gboolean
check_unchanged (RecordingSource *source, GError **error)
{
  HirFileStamp now;

  if (source->args == NULL)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "%s: the args cannot be read yet; the recording is still being loaded or "
                     "written",
                     source->path);
      return FALSE;
    }
  if (!hir_file_stamp_read (&now, source->path) || now.device != source->stamp.device ||
      now.inode != source->stamp.inode || hir_file_stamp_equal (&now, &source->stamp))
    return TRUE;
  if (take_notes (source))
    {
      source->stamp = now;
      return TRUE;
    }
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s has changed since it was loaded; load it again",
                 source->path);
  return FALSE;
}

static gboolean
set_damaged (const RecordingSource *source, GError **error)
{
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "%s: the recording is damaged (args of events); save it again", source->path);
  return FALSE;
}

/* Unpacks a row of the table into @source. */
static gboolean
unpack (RecordingSource *source, HirRow *row, GError **error)
{
  guint64 first = (guint64) hir_row_get_int (row, 0, G_MAXINT64), sum = 0;
  guint n = (guint) hir_row_get_int (row, 1, HIR_RECORDING_CHUNK);
  gsize size = (gsize) hir_row_get_int (row, 0, MAX_TEXT_BYTES), n_lengths, n_text;
  const guint8 *lengths = hir_row_get_blob (row, &n_lengths);
  const guint8 *text = hir_row_get_blob (row, &n_text);
  uLongf unpacked = size;

  if (!hir_row_check (row, error))
    return FALSE;
  if (size / MAX_RATIO > n_text)
    return set_damaged (source, error);
  source->ends = g_try_new (guint64, n);
  source->text = g_try_malloc (MAX (size, 1));
  if (source->ends == NULL || source->text == NULL)
    {
      hir_set_error (error, HIR_ERROR_LIMIT, NULL, "%s: out of memory; close other programs",
                     source->path);
      return FALSE;
    }
  if (!hir_column_unpack (lengths, n_lengths, n, source->ends) ||
      uncompress ((guint8 *) source->text, &unpacked, text, n_text) != Z_OK || unpacked != size)
    return set_damaged (source, error);
  for (guint i = 0; i < n; i++)
    {
      if (source->ends[i] > size - sum)
        return set_damaged (source, error);
      sum += source->ends[i];
      source->ends[i] = sum;
    }
  source->first = first;
  source->n = n;
  return TRUE;
}

/* Reads the row that contains event @number. Sets source->n to 0 if there is none. */
static gboolean
find_row (RecordingSource *source, guint64 number, GError **error)
{
  GError *failure = NULL;
  HirRow row;

  if (source->n > 0 && number >= source->first && number - source->first < source->n)
    return TRUE;
  g_clear_pointer (&source->ends, g_free);
  g_clear_pointer (&source->text, g_free);
  source->n = 0;
  sqlite3_bind_int64 (source->args, 1, (gint64) number);
  hir_row_begin (&row, source->args, source->path, "args");
  row.ignore_digest = source->ignore_digests;
  if (hir_row_next (&row, &failure) && !unpack (source, &row, &failure))
    source->n = 0;
  sqlite3_reset (source->args);
  if (failure == NULL)
    return TRUE;
  g_propagate_error (error, failure);
  return FALSE;
}

/* Returns the args as a JSON object (transfer full), or NULL without an error if the event has
 * none. */
static char *
dup_text (RecordingSource *source, guint64 number, gsize *length, GError **error)
{
  guint64 at, n, i;
  char *text;

  if (!check_unchanged (source, error) || !find_row (source, number, error))
    return NULL;
  i = number - source->first;
  if (i >= source->n)
    return NULL;
  at = i > 0 ? source->ends[i - 1] : 0;
  n = source->ends[i] - at;
  if (n == 0)
    return NULL;
  *length = n + 2;
  text = g_try_malloc (*length);
  if (text == NULL)
    {
      hir_set_error (error, HIR_ERROR_LIMIT, NULL, "%s: out of memory; close other programs",
                     source->path);
      return NULL;
    }
  text[0] = '{';
  memcpy (text + 1, source->text + at, n);
  text[*length - 1] = '}';
  return text;
}

static gboolean
each_recorded (
    HirEventSource *base, guint64 position, HirArgFunc func, gpointer user_data, GError **error)
{
  RecordingSource *source = (RecordingSource *) base;
  GError *failure = NULL;
  g_autofree char *text = NULL;
  gsize length;
  HirJson json;

  g_mutex_lock (&source->mutex);
  text = dup_text (source, position - 1, &length, &failure);
  g_mutex_unlock (&source->mutex);
  if (failure != NULL)
    {
      g_propagate_error (error, failure);
      return FALSE;
    }
  if (text == NULL)
    return TRUE;
  if (!hir_json_is_object (text, length))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "%s: the recording is damaged (args of an event); save it again",
                     source->path);
      return FALSE;
    }
  hir_json_init (&json, text, length);
  hir_event_source_read_args (&json, func, user_data);
  return TRUE;
}

static void
free_recorded (HirEventSource *base)
{
  RecordingSource *source = (RecordingSource *) base;

  sqlite3_finalize (source->args);
  sqlite3_close (source->recording);
  g_free (source->ends);
  g_free (source->text);
  hir_recording_mark_clear (&source->mark);
  g_mutex_clear (&source->mutex);
  g_free (source->path);
  g_free (source);
}

static const HirEventSourceClass recorded_class = { each_recorded, free_recorded, NULL };

HirEventSource *
hir_event_source_new_recording (const char *path, gboolean ignore_digests)
{
  RecordingSource *source = g_new0 (RecordingSource, 1);

  hir_event_source_init (&source->base, &recorded_class);
  g_mutex_init (&source->mutex);
  source->path = g_strdup (path);
  source->ignore_digests = ignore_digests;
  return &source->base;
}
