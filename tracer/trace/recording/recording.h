/* Reads and writes recordings (`.hirs`): SQLite databases with the snapshots of a program, the
 * origins of its nodes, and the events as column chunks.
 *
 * After a crash, everything up to the last flush is readable. A new recording is written to its
 * final path from the start. One that replaces an older recording is written to `PATH.partial` and
 * renamed when it is closed, so that one of the two is always complete. `PATH.partial` opens like
 * any other recording.
 *
 * Node ids are texts of 16 hexadecimal digits. Each row ends in a checksum of its values, so that a
 * damaged file gives an error and never an incorrect number. The SQL views `events` and `instances`
 * show the chunks as rows, for use in a database shell. */
#pragma once

#include "record/recorder.h"
#include "trace/export-progress.h"
#include "trace/load-progress.h"
#include "trace/trace.h"
#include "view/program-view.h"

G_BEGIN_DECLS

/* Keys of the meta table. Other keys are allowed; keys that start with "hirs." belong to the file
 * format. */
#define HIR_META_VERSION "version"         /* of Hirscope */
#define HIR_META_COMMAND "command"         /* command line */
#define HIR_META_INPUTS "inputs"           /* shapes and types of the inputs, in words */
#define HIR_META_SOURCE_PATH "source.path" /* as given by the user */
#define HIR_META_SOURCE_TEXT "source.text" /* text of the script when it was read */
#define HIR_META_FUNCTION "function"
#define HIR_META_OPTIONS "options" /* lowering and run options, one per line */
#define HIR_META_CLOCK "clock"     /* "wall" or "model" */
#define HIR_META_BACKEND "backend"
#define HIR_META_MACHINE "machine" /* system, architecture and processors of rank 0 */
#define HIR_META_CREATED "created" /* ISO 8601, UTC */
#define HIR_META_BASE_TIME                                                                         \
  "base_time_ns" /* wall time of the trace's zero point, in ns since                               \
                  * 1970 */

typedef struct _HirRecordingWriter HirRecordingWriter;

/* Starts a recording at @path. An existing recording is replaced when the writer is closed. Errors:
 * HIR_ERROR_INPUT with the path and the action, in particular if another kind of file exists at
 * @path. */
HirRecordingWriter *hir_recording_writer_new (const char *path, GError **error);
/* Like hir_recording_writer_new(), but always writes a partial file, and creates @path only on
 * close. For data that is still in memory, so that an incomplete file is useless. */
HirRecordingWriter *hir_recording_writer_new_beside (const char *path, GError **error);
/* Closes the writer if necessary, with a warning on failure, and frees it. Accepts NULL. */
void hir_recording_writer_free (HirRecordingWriter *writer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRecordingWriter, hir_recording_writer_free)

/* Sets a meta value. Like all functions of the writer, it may be called from any thread. Errors:
 * HIR_ERROR_RUN, for example if the disk is full; earlier data stays readable. */
gboolean hir_recording_writer_set_meta (HirRecordingWriter *writer,
                                        const char *key,
                                        const char *value,
                                        GError **error);
/* Writes snapshot @index. Indices start at 0 without gaps, and each is written once. */
gboolean hir_recording_writer_add_view (HirRecordingWriter *writer,
                                        guint index,
                                        const HirProgramView *view,
                                        GError **error);
/* Adds a line to the account: lost or inexact data. */
gboolean
hir_recording_writer_add_account (HirRecordingWriter *writer, const char *text, GError **error);
/* Initializes @sink for hir_recorder_add_sink() of a single recorder. The writer must outlive the
 * recorder. */
void hir_recording_writer_init_sink (HirRecordingWriter *writer, HirRecorderSink *sink);
/* Writes the tracks, events, args, metadata and account of @trace. Use it instead of a recorder.
 *
 * @progress: (nullable)
 * Errors: HIR_ERROR_RUN, HIR_ERROR_CANCELLED, and HIR_ERROR_INPUT if args cannot be read from the
 * file of the trace. */
gboolean hir_recording_writer_add_trace (HirRecordingWriter *writer,
                                         const HirTrace *trace,
                                         HirExportProgress *progress,
                                         GError **error);
/* Writes pending data, merges the journal and moves the file to its final path. After an error, the
 * data that could be written is at hir_recording_writer_get_path(), and the message contains this
 * path. */
gboolean hir_recording_writer_close (HirRecordingWriter *writer, GError **error);
/* Deletes the written data instead of closing. An older recording at the path stays. */
void hir_recording_writer_discard (HirRecordingWriter *writer);
/* Returns the number of events, including those that are not written yet. */
guint64 hir_recording_writer_get_n_events (HirRecordingWriter *writer);
/* Returns the current path of the data: the final path, or that of the partial file (borrowed). */
const char *hir_recording_writer_get_path (const HirRecordingWriter *writer);

/* A recording in memory. The file is closed, except for event args. */
typedef struct
{
  char *path;
  GHashTable *meta; /* char* -> char* */
  GPtrArray *views; /* HirProgramView*, in pass order */
  HirTrace *trace;
  gboolean is_complete; /* FALSE if the run crashed or is in progress; the account of the trace
                         * records this */
} HirRecording;

/* Reads a recording. Safe on any file. Also reads a journal that a crash left, and merges it into
 * the file if that is writable. Errors: HIR_ERROR_INPUT (missing, not a recording, damaged or of a
 * newer version), HIR_ERROR_LIMIT (out of memory). */
HirRecording *hir_recording_open (const char *path, GError **error);
/* Called when everything except the events is read. The metadata and views of @recording are
 * complete; its trace is NULL. */
typedef void (*HirRecordingFunc) (const HirRecording *recording, gpointer user_data);
/* Like hir_recording_open(), with progress and cancellation by @progress (nullable). @has_views is
 * optional. Errors: also HIR_ERROR_CANCELLED. */
HirRecording *hir_recording_open_watched (const char *path,
                                          HirLoadProgress *progress,
                                          HirRecordingFunc has_views,
                                          gpointer user_data,
                                          GError **error);
void hir_recording_free (HirRecording *recording);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRecording, hir_recording_free)
/* Returns the meta value of @key, or NULL. */
const char *hir_recording_get_meta (const HirRecording *recording, const char *key);
/* Returns whether the first 100 bytes of the file at @path are those of a recording. Returns FALSE
 * if it cannot be read. */
gboolean hir_recording_sniff (const char *path);

G_END_DECLS
