/* A run as kept in a file (`.hirs`): an SQLite database with the snapshots of the program, what
 * each node is and came from, and the events as column chunks.
 *
 * What a crash leaves: everything up to the last flush. The new file of a run is written in its place from the
 * start; one that replaces an older recording is written beside it as `PATH.partial` and takes its
 * place when it is closed, so that at any time either the old one or the new one is whole.
 * `PATH.partial` opens like any other.
 *
 * The ids of nodes are text, 16 hex digits. Each row ends in a check sum of its values, so that a
 * damaged file is an error and never a wrong number. The SQL views `events` and `instances` show
 * the chunks as rows, for people with a database shell. */
#pragma once

#include "view/program-view.h"
#include "record/recorder.h"
#include "trace/export-progress.h"
#include "trace/load-progress.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* Keys of the meta table. Any other key may be used too; "hirs." is the file's own. */
#define HIR_META_VERSION "version"         /* of Hirscope */
#define HIR_META_COMMAND "command"         /* command line */
#define HIR_META_SOURCE_PATH "source.path" /* as given by the user */
#define HIR_META_SOURCE_TEXT "source.text" /* the script as it was read */
#define HIR_META_FUNCTION "function"
#define HIR_META_OPTIONS "options" /* lowering and run options, one a line */
#define HIR_META_CLOCK "clock"     /* "wall" or "model" */
#define HIR_META_BACKEND "backend"
#define HIR_META_CREATED "created"        /* ISO 8601, UTC */
#define HIR_META_BASE_TIME "base_time_ns" /* wall time of the trace's zero, ns since 1970 */

typedef struct _HirRecordingWriter HirRecordingWriter;

/* Begins a recording that will be found at @path. An existing recording there is replaced when the
 * writer is closed; any other file is refused. Errors: HIR_ERROR_INPUT, naming the path and what to
 * do. */
HirRecordingWriter *hir_recording_writer_new (const char *path, GError **error);
/* The same for what is in memory already, so that a part of it in a file helps nobody: it is written beside @path in any
 * case, and nothing is at @path before it is closed. */
HirRecordingWriter *hir_recording_writer_new_beside (const char *path, GError **error);
/* Closes first, if that is not done; an error is then lost to a warning. NULL is allowed. */
void hir_recording_writer_free (HirRecordingWriter *writer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRecordingWriter, hir_recording_writer_free)

/* All of these may be called from any thread. Errors: HIR_ERROR_RUN (the disk is full, ...); what
 * was written before stays whole and readable. */
gboolean hir_recording_writer_set_meta (HirRecordingWriter *writer,
                                        const char *key,
                                        const char *value,
                                        GError **error);
/* Snapshot number @index; they count from 0 without gaps, each is written once. */
gboolean hir_recording_writer_add_view (HirRecordingWriter *writer,
                                        guint index,
                                        const HirProgramView *view,
                                        GError **error);
/* A line of the account: what was lost or is not as it seems. */
gboolean
hir_recording_writer_add_account (HirRecordingWriter *writer, const char *text, GError **error);
/* *@sink is for hir_recorder_add_sink(), of one recorder only; the writer must outlive the
 * recorder. */
void hir_recording_writer_init_sink (HirRecordingWriter *writer, HirRecorderSink *sink);
/* All tracks, events, their args, meta and account of @trace: in place of a recorder. @watch: nullable. Also
 * HIR_ERROR_CANCELLED, and HIR_ERROR_INPUT where args can't be had from the file that they are in. */
gboolean hir_recording_writer_add_trace (HirRecordingWriter *writer,
                                         const HirTrace *trace,
                                         HirExportProgress *watch,
                                         GError **error);
/* Writes what is pending, folds the journal into the file and puts the file in its place. After an
 * error what could be written is at hir_recording_writer_get_path(), and the message says so. */
gboolean hir_recording_writer_close (HirRecordingWriter *writer, GError **error);
/* In place of closing: what was written goes, and an older recording stays as it was. */
void hir_recording_writer_discard (HirRecordingWriter *writer);
/* Events taken so far, those that are not written yet included. */
guint64 hir_recording_writer_get_n_events (HirRecordingWriter *writer);
/* Where the data lies now: the path, or that of the partial file. Borrowed. */
const char *hir_recording_writer_get_path (const HirRecordingWriter *writer);

/* A recording as read: all in memory, the file is closed again. */
typedef struct
{
  char *path;
  GHashTable *meta; /* char* -> char* */
  GPtrArray *views; /* HirProgramView*, in pass order */
  HirTrace *trace;
  gboolean is_complete; /* FALSE: the run crashed or goes on; the trace's account says so */
} HirRecording;

/* Reads it whole. Safe on any file. A journal that a crash left is read too, and folded into the
 * file where that may be written. Errors: HIR_ERROR_INPUT (not there, no recording, damaged, of a
 * newer version), HIR_ERROR_LIMIT (no memory). */
HirRecording *hir_recording_open (const char *path, GError **error);
/* The same, while @watch (nullable) looks on. @has_views (nullable) is called once all but the events is read: the
 * recording's meta and views are whole, its trace is NULL. Also HIR_ERROR_CANCELLED. */
typedef void (*HirRecordingFunc) (const HirRecording *recording, gpointer user_data);
HirRecording *hir_recording_open_watched (const char *path,
                                          HirLoadProgress *watch,
                                          HirRecordingFunc has_views,
                                          gpointer user_data,
                                          GError **error);
void hir_recording_free (HirRecording *recording);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRecording, hir_recording_free)
/* Nullable. */
const char *hir_recording_get_meta (const HirRecording *recording, const char *key);
/* Whether the file at @path says that it is a recording (its first 100 bytes). FALSE where it can't
 * be read. */
gboolean hir_recording_sniff (const char *path);

G_END_DECLS
