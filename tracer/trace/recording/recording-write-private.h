/* What recording-write.c and its tests know of a writer. */
#pragma once

#include "trace/intern.h"
#include "trace/recording/recording-args.h"
#include "trace/recording/recording-db.h"

G_BEGIN_DECLS

struct _HirRecordingWriter
{
  GMutex lock;
  char *path;       /* that is written */
  char *final_path; /* where it will be found */
  char *source_path;
  sqlite3 *db;
  sqlite3_stmt *insert_meta, *insert_string, *insert_track, *insert_chunk, *insert_account,
      *insert_meeting, *insert_edge, *insert_value, *insert_args;

  HirStringTable strings; /* of the file */
  guint32 n_strings_written;
  HirIdTable instructions;
  GArray *instruction_strings; /* guint32: place in instructions -> string */
  GArray *sink_strings;        /* guint32: the recorder's string -> the file's */
  guint n_tracks, n_views;

  HirArgsPacker args;
  HirEvent *pending; /* HIR_RECORDING_CHUNK of them; names and ids are the caller's */
  guint n_pending;
  guint64 n_written;
  gint64 last_flush_ns;
  guint64 *values; /* to pack a column */
  guint8 *blobs[HIR_N_CHUNK_COLUMNS];
};

/* All of these with the lock held. TRUE while it is not closed. */
gboolean hir_recording_writer_check_open (HirRecordingWriter *writer, GError **error);
gboolean hir_recording_writer_begin (HirRecordingWriter *writer, GError **error);
/* Ends what begin() began: all of it is written, or nothing where not @is_good. FALSE where it was
 * not. */
gboolean hir_recording_writer_end (HirRecordingWriter *writer, gboolean is_good, GError **error);
gboolean hir_recording_writer_insert_meta (HirRecordingWriter *writer,
                                           const char *key,
                                           const char *value,
                                           GError **error);
gboolean
hir_recording_writer_insert_account (HirRecordingWriter *writer, const char *text, GError **error);
/* Strings and events that came since the last time. What could not be written stays pending. */
gboolean hir_recording_writer_write_pending (HirRecordingWriter *writer, GError **error);

/* In a transaction of the caller's. @file: path of the script, nullable. */
gboolean hir_recording_write_view (sqlite3 *db,
                                   const char *path,
                                   guint index,
                                   const HirProgramView *view,
                                   const char *file,
                                   GError **error);
/* For tests: as if the disk had room for @n_pages of 8 kB only; 0: as many as are used now. */
void hir_recording_writer_set_max_pages (HirRecordingWriter *writer, guint n_pages);

G_END_DECLS
