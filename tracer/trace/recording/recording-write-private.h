/* Internal declarations of the recording writer and its tests. */
#pragma once

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

/* Writes a snapshot. The caller has opened a transaction. @file is the path of the script
 * (nullable). */
gboolean hir_recording_write_view (sqlite3 *db,
                                   const char *path,
                                   guint index,
                                   const HirProgramView *view,
                                   const char *file,
                                   GError **error);

G_END_DECLS
