/* Internal declarations of the recording writer and its tests. */
#pragma once

#include "trace/baseline.h"
#include "trace/intern.h"
#include "trace/recording/recording-args.h"
#include "trace/recording/recording-db.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_WRITER_META,
  HIR_WRITER_STRINGS,
  HIR_WRITER_TRACKS,
  HIR_WRITER_CHUNKS,
  HIR_WRITER_ACCOUNT,
  HIR_WRITER_MEETINGS,
  HIR_WRITER_EDGES,
  HIR_WRITER_FLOWS,
  HIR_WRITER_VALUES,
  HIR_WRITER_ARGS,
  HIR_WRITER_BASELINE,
  HIR_N_WRITER_TABLES,
} HirWriterTable;

struct _HirRecordingWriter
{
  GMutex lock;
  char *path;       /* the file that is written */
  char *final_path; /* its path after closing */
  char *source_path;
  sqlite3 *db;
  sqlite3_stmt *insert[HIR_N_WRITER_TABLES];

  HirStringTable strings; /* strings of the file */
  guint32 n_strings_written;
  HirIdTable instructions;
  GArray *instruction_strings; /* guint32: index in instructions -> string */
  GArray *sink_strings;        /* guint32: string of the recorder -> string of the file */
  guint n_tracks, n_views;

  HirArgsPacker args;
  GArray *samples;     /* HirBaselineSample; names are those of the file */
  GPtrArray *tracks;   /* HirTrack*: copies of the tracks of the file */
  gboolean share_gpus; /* ranks of the run may share GPUs */
  guint64 n_sampled;   /* events of baseline repetitions, which are not written */
  HirEvent *pending;   /* HIR_RECORDING_CHUNK events; names and ids are those of the caller */
  guint n_pending;
  guint64 n_written;
  gint64 last_flush_ns;
  guint64 *values; /* buffer for packing a column */
  guint8 *blobs[HIR_N_CHUNK_COLUMNS];
};

/* The functions below require writer->lock. They set HIR_ERROR_IO or
 * HIR_ERROR_LIMIT if the file cannot be written or memory is short. */

/* Prepares the statements that insert rows. */
gboolean hir_writer_prepare (HirRecordingWriter *writer, GError **error);
/* Begins a row of @table. */
void hir_writer_begin_row (const HirRecordingWriter *writer, HirWriterTable table, HirRow *row);
/* Begins a transaction. */
gboolean hir_writer_begin (HirRecordingWriter *writer, GError **error);
/* Commits the transaction, or reverts it if @is_good is FALSE. Returns TRUE if it was committed. */
gboolean hir_writer_end (HirRecordingWriter *writer, gboolean is_good, GError **error);
/* Fails if the recording is closed. */
gboolean hir_writer_check_open (HirRecordingWriter *writer, GError **error);
/* Inserts or replaces a metadata value. */
gboolean hir_writer_insert_meta (HirRecordingWriter *writer,
                                 const char *key,
                                 const char *value,
                                 GError **error);
/* Inserts a line of the account of what was recorded. */
gboolean hir_writer_insert_account (HirRecordingWriter *writer, const char *text, GError **error);

/* Returns the string @text of the file in @index. */
gboolean
hir_writer_intern (HirRecordingWriter *writer, const char *text, guint32 *index, GError **error);
/* Inserts the next track. */
gboolean hir_writer_insert_track (HirRecordingWriter *writer, const HirTrack *info, GError **error);
/* Takes an event, whose name is a string of the file. It is written with the next chunk; one of a
 * baseline repetition becomes a sample instead. */
gboolean hir_writer_take_event (HirRecordingWriter *writer, const HirEvent *event, GError **error);
/* Writes the strings and events taken so far, in a transaction. */
gboolean hir_writer_write_pending (HirRecordingWriter *writer, GError **error);

/* Inserts rows; the caller has begun a transaction. @key, @op, @name: texts of the numbers in the
 * records. */
gboolean hir_writer_insert_meeting (HirRecordingWriter *writer,
                                    const HirCommRecord *record,
                                    const char *key,
                                    const char *op,
                                    GError **error);
gboolean hir_writer_insert_edge (HirRecordingWriter *writer, const HirEdge *edge, GError **error);
gboolean
hir_writer_insert_value (HirRecordingWriter *writer, const HirTraceValue *value, GError **error);
gboolean hir_writer_insert_baseline (HirRecordingWriter *writer,
                                     const HirBaseline *baseline,
                                     const char *name,
                                     GError **error);

/* Writes a snapshot. The caller has opened a transaction. @file is the path of the script
 * (nullable). */
gboolean hir_recording_write_view (sqlite3 *db,
                                   const char *path,
                                   guint index,
                                   const HirProgramView *view,
                                   const char *file,
                                   GError **error);

G_END_DECLS
