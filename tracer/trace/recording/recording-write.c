#include "diagnostic.h"
#include "record/clock.h"
#include "trace/recording/recording-file.h"
#include "trace/recording/recording-mark.h"
#include "trace/recording/recording-write-private.h"

#include <glib/gstdio.h>
#include <string.h>

gboolean
hir_recording_writer_begin (HirRecordingWriter *writer, GError **error)
{
  return hir_db_exec (writer->db, writer->path, "BEGIN IMMEDIATE", error);
}

gboolean
hir_recording_writer_end (HirRecordingWriter *writer, gboolean is_good, GError **error)
{
  if (is_good && hir_db_exec (writer->db, writer->path, "COMMIT", error))
    return TRUE;
  if (!sqlite3_get_autocommit (writer->db))
    sqlite3_exec (writer->db, "ROLLBACK", NULL, NULL, NULL);
  return FALSE;
}

static gboolean
open_db (HirRecordingWriter *writer, GError **error)
{
  int code = sqlite3_open_v2 (writer->path, &writer->db,
                              SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX, NULL);

  if (code != SQLITE_OK)
    {
      hir_db_set_error (error, writer->db, code, writer->path, TRUE);
      return FALSE;
    }
  /* somebody may look at it while it is written */
  sqlite3_busy_timeout (writer->db, 5000);
  return hir_db_create_schema (writer->db, writer->path, error) &&
         (writer->insert_meta = hir_db_prepare_insert (writer->db, writer->path, "meta", error)) &&
         (writer->insert_string =
              hir_db_prepare_insert (writer->db, writer->path, "strings", error)) &&
         (writer->insert_track =
              hir_db_prepare_insert (writer->db, writer->path, "tracks", error)) &&
         (writer->insert_chunk =
              hir_db_prepare_insert (writer->db, writer->path, "chunks", error)) &&
         (writer->insert_account =
              hir_db_prepare_insert (writer->db, writer->path, "account", error)) &&
         (writer->insert_meeting =
              hir_db_prepare_insert (writer->db, writer->path, "meetings", error)) &&
         (writer->insert_edge = hir_db_prepare_insert (writer->db, writer->path, "edges", error)) &&
         (writer->insert_value =
              hir_db_prepare_insert (writer->db, writer->path, "tensor_values", error)) &&
         (writer->insert_args = hir_db_prepare_insert (writer->db, writer->path, "args", error));
}

/* See recording-mark.h. */
static gboolean
write_id (HirRecordingWriter *writer, GError **error)
{
  g_autofree char *id = g_uuid_string_random ();

  return hir_recording_writer_insert_meta (writer, HIR_META_FILE_ID, id, error);
}

static void
close_db (HirRecordingWriter *writer)
{
  g_clear_pointer (&writer->insert_meta, sqlite3_finalize);
  g_clear_pointer (&writer->insert_string, sqlite3_finalize);
  g_clear_pointer (&writer->insert_track, sqlite3_finalize);
  g_clear_pointer (&writer->insert_chunk, sqlite3_finalize);
  g_clear_pointer (&writer->insert_account, sqlite3_finalize);
  g_clear_pointer (&writer->insert_meeting, sqlite3_finalize);
  g_clear_pointer (&writer->insert_edge, sqlite3_finalize);
  g_clear_pointer (&writer->insert_value, sqlite3_finalize);
  g_clear_pointer (&writer->insert_args, sqlite3_finalize);
  if (writer->db != NULL)
    sqlite3_close (writer->db);
  writer->db = NULL;
}

static void
writer_clear (HirRecordingWriter *writer)
{
  close_db (writer);
  for (guint c = 0; c < HIR_N_CHUNK_COLUMNS; c++)
    g_free (writer->blobs[c]);
  g_free (writer->values);
  g_free (writer->pending);
  hir_args_packer_clear (&writer->args);
  hir_string_table_clear (&writer->strings);
  hir_id_table_clear (&writer->instructions);
  g_array_unref (writer->instruction_strings);
  g_array_unref (writer->sink_strings);
  g_mutex_clear (&writer->lock);
  g_free (writer->source_path);
  g_free (writer->final_path);
  g_free (writer->path);
  g_free (writer);
}

/* All buffers at once, so that recording later needs no memory that might be missing. */
static gboolean
allocate (HirRecordingWriter *writer, GError **error)
{
  guint32 none;
  gboolean done;

  writer->pending = g_try_new (HirEvent, HIR_RECORDING_CHUNK);
  writer->values = g_try_new (guint64, HIR_RECORDING_CHUNK);
  done = writer->pending != NULL && writer->values != NULL &&
         hir_string_table_intern (&writer->strings, "", &none) &&
         hir_id_table_intern (&writer->instructions, 0, &none);
  for (guint c = 0; done && c < HIR_N_CHUNK_COLUMNS; c++)
    {
      writer->blobs[c] = g_try_malloc_n (HIR_RECORDING_CHUNK, sizeof (guint64));
      done = writer->blobs[c] != NULL;
    }
  none = 0;
  g_array_append_val (writer->instruction_strings, none);
  if (!done)
    hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                   "out of memory for a recording; close other programs");
  return done;
}

static HirRecordingWriter *
create (const char *path, gboolean beside, GError **error)
{
  HirRecordingWriter *writer = g_new0 (HirRecordingWriter, 1);

  g_mutex_init (&writer->lock);
  hir_args_packer_init (&writer->args);
  writer->instruction_strings = g_array_new (FALSE, FALSE, sizeof (guint32));
  writer->sink_strings = g_array_new (FALSE, FALSE, sizeof (guint32));
  writer->last_flush_ns = hir_clock_now_ns ();
  if (allocate (writer, error))
    writer->path = hir_recording_file_create (path, beside, &writer->final_path, error);
  if (writer->path != NULL && open_db (writer, error) && write_id (writer, error))
    return writer;
  close_db (writer);
  if (writer->path != NULL)
    hir_recording_file_remove (writer->path);
  writer_clear (writer);
  return NULL;
}

HirRecordingWriter *
hir_recording_writer_new (const char *path, GError **error)
{
  return create (path, FALSE, error);
}

HirRecordingWriter *
hir_recording_writer_new_beside (const char *path, GError **error)
{
  return create (path, TRUE, error);
}

void
hir_recording_writer_free (HirRecordingWriter *writer)
{
  g_autoptr (GError) error = NULL;

  if (writer == NULL)
    return;
  if (writer->db != NULL && !hir_recording_writer_close (writer, &error))
    g_warning ("%s", error->message);
  writer_clear (writer);
}

const char *
hir_recording_writer_get_path (const HirRecordingWriter *writer)
{
  return writer->path;
}

gboolean
hir_recording_writer_insert_meta (HirRecordingWriter *writer,
                                  const char *key,
                                  const char *value,
                                  GError **error)
{
  HirRow row;

  hir_row_begin (&row, writer->insert_meta, writer->path, "meta");
  hir_row_put_text (&row, key);
  hir_row_put_text (&row, value);
  return hir_row_insert (&row, error);
}

gboolean
hir_recording_writer_check_open (HirRecordingWriter *writer, GError **error)
{
  if (writer->db != NULL)
    return TRUE;
  hir_set_error (error, HIR_ERROR_RUN, NULL, "%s: the recording is closed already", writer->path);
  return FALSE;
}

gboolean
hir_recording_writer_set_meta (HirRecordingWriter *writer,
                               const char *key,
                               const char *value,
                               GError **error)
{
  gboolean done;

  g_mutex_lock (&writer->lock);
  done = hir_recording_writer_check_open (writer, error) &&
         hir_recording_writer_insert_meta (writer, key, value, error);
  if (done && strcmp (key, HIR_META_SOURCE_PATH) == 0)
    {
      g_free (writer->source_path);
      writer->source_path = g_strdup (value);
    }
  g_mutex_unlock (&writer->lock);
  return done;
}

gboolean
hir_recording_writer_add_view (HirRecordingWriter *writer,
                               guint index,
                               const HirProgramView *view,
                               GError **error)
{
  gboolean done;

  g_mutex_lock (&writer->lock);
  done =
      hir_recording_writer_check_open (writer, error) && hir_recording_writer_begin (writer, error);
  if (done)
    done = hir_recording_writer_end (writer,
                                     hir_recording_write_view (writer->db, writer->path, index,
                                                               view, writer->source_path, error),
                                     error);
  if (done)
    writer->n_views++;
  g_mutex_unlock (&writer->lock);
  return done;
}

gboolean
hir_recording_writer_insert_account (HirRecordingWriter *writer, const char *text, GError **error)
{
  HirRow row;

  hir_row_begin (&row, writer->insert_account, writer->path, "account");
  hir_row_put_text (&row, text);
  return hir_row_insert (&row, error);
}

gboolean
hir_recording_writer_add_account (HirRecordingWriter *writer, const char *text, GError **error)
{
  gboolean done;

  g_mutex_lock (&writer->lock);
  done = hir_recording_writer_check_open (writer, error) &&
         hir_recording_writer_insert_account (writer, text, error);
  g_mutex_unlock (&writer->lock);
  return done;
}

gboolean
hir_recording_writer_flush (HirRecordingWriter *writer, GError **error)
{
  gboolean done;

  g_mutex_lock (&writer->lock);
  done = hir_recording_writer_check_open (writer, error) &&
         hir_recording_writer_write_pending (writer, error);
  g_mutex_unlock (&writer->lock);
  return done;
}

/* Says that all is there, then makes one plain file of file and journal. */
static gboolean
seal (HirRecordingWriter *writer, GError **error)
{
  g_autofree char *n_events = g_strdup_printf ("%" G_GUINT64_FORMAT, writer->n_written);
  g_autofree char *n_strings = g_strdup_printf ("%u", writer->n_strings_written);
  g_autofree char *n_tracks = g_strdup_printf ("%u", writer->n_tracks);
  g_autofree char *n_views = g_strdup_printf ("%u", writer->n_views);
  g_autofree char *n_args = g_strdup_printf ("%u", writer->args.n_written);

  if (!hir_recording_writer_begin (writer, error) ||
      !hir_recording_writer_end (writer,
                                 hir_recording_writer_insert_meta (writer, "hirs.n_events",
                                                                   n_events, error) &&
                                     hir_recording_writer_insert_meta (writer, "hirs.n_strings",
                                                                       n_strings, error) &&
                                     hir_recording_writer_insert_meta (writer, "hirs.n_tracks",
                                                                       n_tracks, error) &&
                                     hir_recording_writer_insert_meta (writer, "hirs.n_views",
                                                                       n_views, error) &&
                                     hir_recording_writer_insert_meta (writer, "hirs.n_args",
                                                                       n_args, error) &&
                                     hir_recording_writer_insert_meta (writer, "hirs.closed", "1",
                                                                       error),
                                 error))
    return FALSE;
  return hir_db_exec (writer->db, writer->path, "PRAGMA wal_checkpoint(TRUNCATE)", error);
}

gboolean
hir_recording_writer_close (HirRecordingWriter *writer, GError **error)
{
  GError *failure = NULL;
  gboolean done;

  g_mutex_lock (&writer->lock);
  if (writer->db == NULL)
    {
      g_mutex_unlock (&writer->lock);
      return TRUE;
    }
  done = hir_recording_writer_write_pending (writer, &failure) && seal (writer, &failure);
  /* Fails while somebody reads it: then the journal stays beside it, and whoever opens it next
   * folds it. */
  if (done)
    sqlite3_exec (writer->db, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL);
  close_db (writer);
  if (done && strcmp (writer->path, writer->final_path) != 0)
    {
      done = hir_recording_file_put_in_place (writer->path, writer->final_path, &failure);
      if (done)
        {
          g_free (writer->path);
          writer->path = g_strdup (writer->final_path);
        }
    }
  if (!done)
    {
      hir_set_error (error, failure->code, NULL,
                     "%s; %" G_GUINT64_FORMAT " events are kept in %s, %u are lost",
                     failure->message, writer->n_written, writer->path, writer->n_pending);
      g_clear_error (&failure);
    }
  g_mutex_unlock (&writer->lock);
  return done;
}

void
hir_recording_writer_discard (HirRecordingWriter *writer)
{
  g_mutex_lock (&writer->lock);
  if (writer->db != NULL)
    {
      /* No use in folding a journal that goes. */
      sqlite3_db_config (writer->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
      close_db (writer);
      hir_recording_file_remove (writer->path);
    }
  g_mutex_unlock (&writer->lock);
}

guint64
hir_recording_writer_get_n_events (HirRecordingWriter *writer)
{
  guint64 n;

  g_mutex_lock (&writer->lock);
  n = writer->n_written + writer->n_pending;
  g_mutex_unlock (&writer->lock);
  return n;
}

void
hir_recording_writer_set_max_pages (HirRecordingWriter *writer, guint n_pages)
{
  g_autofree char *sql = g_strdup_printf ("PRAGMA max_page_count=%u", MAX (1, n_pages));

  g_mutex_lock (&writer->lock);
  sqlite3_exec (writer->db, sql, NULL, NULL, NULL);
  g_mutex_unlock (&writer->lock);
}
