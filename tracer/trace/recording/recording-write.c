/* The life of a recording writer, and its metadata. */
#include "diagnostic.h"
#include "record/clock.h"
#include "trace/recording/recording-file.h"
#include "trace/recording/recording-mark.h"
#include "trace/recording/recording-write-private.h"
#include "trace/track-gpu.h"

#include <glib/gstdio.h>
#include <string.h>

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
  /* other programs may read the file while it is written */
  sqlite3_busy_timeout (writer->db, 5000);
  return hir_db_create_schema (writer->db, writer->path, error) &&
         hir_writer_prepare (writer, error);
}

/* See recording-mark.h. */
static gboolean
write_id (HirRecordingWriter *writer, GError **error)
{
  g_autofree char *id = g_uuid_string_random ();

  return hir_writer_insert_meta (writer, HIR_META_FILE_ID, id, error);
}

static void
track_free (gpointer data)
{
  HirTrack *track = data;

  g_free (track->name);
  g_free (track);
}

static void
close_db (HirRecordingWriter *writer)
{
  for (guint t = 0; t < HIR_N_WRITER_TABLES; t++)
    g_clear_pointer (&writer->insert[t], sqlite3_finalize);
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
  g_array_unref (writer->samples);
  g_ptr_array_unref (writer->tracks);
  g_mutex_clear (&writer->lock);
  g_free (writer->source_path);
  g_free (writer->final_path);
  g_free (writer->path);
  g_free (writer);
}

/* Allocates all buffers at once, so that recording needs no further memory. */
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
  writer->samples = g_array_new (FALSE, FALSE, sizeof (HirBaselineSample));
  writer->tracks = g_ptr_array_new_with_free_func (track_free);
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
hir_recording_writer_set_meta (HirRecordingWriter *writer,
                               const char *key,
                               const char *value,
                               GError **error)
{
  gboolean done;

  g_mutex_lock (&writer->lock);
  done =
      hir_writer_check_open (writer, error) && hir_writer_insert_meta (writer, key, value, error);
  if (done && strcmp (key, "run") == 0)
    writer->share_gpus = hir_run_may_share_gpus (value);
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
  done = hir_writer_check_open (writer, error) && hir_writer_begin (writer, error);
  if (done)
    done = hir_writer_end (writer,
                           hir_recording_write_view (writer->db, writer->path, index, view,
                                                     writer->source_path, error),
                           error);
  if (done)
    writer->n_views++;
  g_mutex_unlock (&writer->lock);
  return done;
}

gboolean
hir_recording_writer_add_account (HirRecordingWriter *writer, const char *text, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&writer->lock);

  return hir_writer_check_open (writer, error) && hir_writer_insert_account (writer, text, error);
}

/* Reduces the events of baseline repetitions, which are then complete. */
static gboolean
write_samples (HirRecordingWriter *writer, GError **error)
{
  g_autoptr (GArray) baselines = NULL;
  gboolean is_good = TRUE;

  if (writer->samples->len == 0)
    return TRUE;
  baselines = hir_baselines_reduce (writer->samples, writer->tracks, writer->share_gpus);
  if (!hir_writer_begin (writer, error))
    return FALSE;
  for (guint i = 0; is_good && i < baselines->len; i++)
    {
      const HirBaseline *baseline = &g_array_index (baselines, HirBaseline, i);

      is_good = hir_writer_insert_baseline (writer, baseline,
                                            hir_string_table_get (&writer->strings, baseline->name),
                                            error);
    }
  return hir_writer_end (writer, is_good, error);
}

static gboolean
insert_counts (HirRecordingWriter *writer, GError **error)
{
  const struct
  {
    const char *key;
    guint64 n;
  } counts[] = {
    { "hirs.n_events", writer->n_written },    { "hirs.n_strings", writer->n_strings_written },
    { "hirs.n_tracks", writer->n_tracks },     { "hirs.n_views", writer->n_views },
    { "hirs.n_args", writer->args.n_written },
  };

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      g_autofree char *n = g_strdup_printf ("%" G_GUINT64_FORMAT, counts[i].n);

      if (!hir_writer_insert_meta (writer, counts[i].key, n, error))
        return FALSE;
    }
  return hir_writer_insert_meta (writer, "hirs.closed", "1", error);
}

/* Marks the recording as complete, then merges the journal into the file. */
static gboolean
seal (HirRecordingWriter *writer, GError **error)
{
  if (!hir_writer_begin (writer, error) ||
      !hir_writer_end (writer, insert_counts (writer, error), error))
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
  done = hir_writer_write_pending (writer, &failure) && write_samples (writer, &failure) &&
         seal (writer, &failure);
  /* Fails while another program reads the file. The journal then stays, and the next program that
   * opens the file merges it. */
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
      /* Merging a journal that is deleted would be useless. */
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
  n = writer->n_written + writer->n_pending + writer->n_sampled;
  g_mutex_unlock (&writer->lock);
  return n;
}
