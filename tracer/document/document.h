/* The document: the open program, its request, its latest trace, and the operations in progress.
 * The window is a view of it. Work is done on worker threads and in the run process; use the
 * document, and receive its signals, on the thread that created it. */
#pragma once

#include <gio/gio.h>

#include "debugger/state.h"
#include "document/run-history.h"
#include "job/run-child.h"
#include "join/join.h"
#include "program/program.h"
#include "program/rank-programs.h"
#include "trace/export-progress.h"
#include "trace/trace-rules.h"
#include "trace/trace.h"

G_BEGIN_DECLS

#define HIR_TYPE_DOCUMENT (hir_document_get_type ())
G_DECLARE_FINAL_TYPE (HirDocument, hir_document, HIR, DOCUMENT, GObject)

/* Signals:
 *   program-changed   another program, or none; also emitted for new diagnostics
 *   ranks-changed     the programs of the other ranks became known or unknown
 *   trace-changed     another trace, or more events of the run in progress
 *   state-changed     is_lowering, is_running or the status text changed
 *   run-finished (HirRunOutcome *)   borrowed
 *   value (guint number, const HirValueSummary *, const GError *)   the answer to
 *     hir_document_ask_value(); either summary or error is set, both borrowed
 *   debugged (guint number, const HirDebugState *)   the line was executed or rejected; borrowed
 *   failed (const char *what, const char *why)   an error to show; nothing else changed
 *   attached (const char *const *paths, const char *why)   trace and program were tied, or, if @why
 * is not NULL, could not be; nothing else changed then. @paths are those of the trace; borrowed
 *   edited            the request was changed, or a change has failed; see document-edit.h
 */
HirDocument *hir_document_new (void);

/* Lowers @request. Cancels the operations in progress, including a run. If the script cannot be
 * read, there is no program, and the diagnostics have the errors. */
void hir_document_open (HirDocument *self, HirRequest *request);
/* Loads a .hirs file. Cancels the operations in progress. On failure, the document is unchanged. */
void hir_document_open_recording (HirDocument *self, const char *path);
/* Like hir_document_open_recording(), but loads one trace from all @paths (NULL-terminated), one
 * file per rank; see hir_trace_open(). */
void hir_document_open_recordings (HirDocument *self, const char *const *paths);
/* Sets the rules that classify the work of traces opened from now on (nullable: the built-in ones).
 */
void hir_document_set_rules (HirDocument *self, HirTraceRules *rules);
/* Returns TRUE if hir_document_attach_traces() works: a program with its fusion or text is open. */
gboolean hir_document_can_attach_trace (HirDocument *self);
/* Loads the trace of another profiler from @paths (NULL-terminated), ties it to the program and
 * displays it as the trace of the program. Ends with the signal `attached`. */
void hir_document_attach_traces (HirDocument *self, const char *const *paths);
/* Returns TRUE if hir_document_attach_program() works: a trace without a program is open. */
gboolean hir_document_can_attach_program (HirDocument *self);
/* Reads the program of @request, ties the trace to it and opens the program with this trace. Ends
 * with the signal `attached`. */
void hir_document_attach_program (HirDocument *self, HirRequest *request);
/* Returns TRUE while a trace and a program are being tied. */
gboolean hir_document_get_is_attaching (HirDocument *self);
/* Returns how the displayed trace was tied to the program (nullable, borrowed). */
HirJoin *hir_document_get_join (HirDocument *self);
/* Returns TRUE while loading. Sets @paths (borrowed), and the number of bytes read and in total;
 * the total is 0 if it is not known. */
gboolean hir_document_get_loading (HirDocument *self,
                                   const char *const **paths,
                                   guint64 *done,
                                   guint64 *total);
/* Returns TRUE while the displayed trace is the loaded part of a file that is still being read. */
gboolean hir_document_get_is_partial (HirDocument *self);
/* Cancels loading and restores the previous content. */
void hir_document_cancel_loading (HirDocument *self);
/* Returns TRUE while lowering. Sets the current step @what (borrowed), "" before the first one, and
 * the number of steps; @n_steps is 0 if it is not known yet. */
gboolean
hir_document_get_lowering (HirDocument *self, const char **what, guint *n_done, guint *n_steps);
/* Cancels lowering; the displayed program stays. If a script was being opened, its request is
 * dropped. If a change was being lowered, its text stays and hir_document_is_outdated() is TRUE. */
void hir_document_cancel_lowering (HirDocument *self);
/* Stops loading and keeps the events read so far. The account of the trace records that loading was
 * stopped. */
void hir_document_stop_loading (HirDocument *self);

/* Starts a run in a child process. Does nothing if hir_document_can_run() is FALSE. */
void hir_document_run (HirDocument *self, const HirRunSettings *settings);
/* Repeats the run @entry, whose program is in memory. The display stays, unless the program is the
 * displayed one. */
void hir_document_run_again (HirDocument *self, HirRunEntry *entry);
/* Returns the runs of this document (borrowed). */
HirRunHistory *hir_document_get_runs (HirDocument *self);
/* Displays the run @number, and its program if this is another one than the current program. The
 * request and the edits stay. Reads the run from disk first if necessary. */
void hir_document_show_run (HirDocument *self, guint number);
/* Displays the current program again instead of that of an earlier run. */
void hir_document_leave_run (HirDocument *self);
/* Returns TRUE if the displayed program is that of an earlier run, not the current one. */
gboolean hir_document_shows_run (HirDocument *self);
/* Returns the displayed run (borrowed), or NULL. */
HirRunEntry *hir_document_get_shown_run (HirDocument *self);
/* Returns TRUE if @entry is a run of another program than the current one. */
gboolean hir_document_is_earlier_run (HirDocument *self, const HirRunEntry *entry);
/* Returns how the program of @entry differs from the current one. */
HirRunProgram hir_document_get_run_program (HirDocument *self, const HirRunEntry *entry);
/* Describes @entry relative to the current program and the displayed run (transfer full):
 * "Displayed", "Another function · ag_matmul, 8 devices, 2 streams". */
char *hir_document_dup_run_note (HirDocument *self, const HirRunEntry *entry);
/* Executes a debugger command, see hir_run_child_debug(). Returns the number that the `debugged`
 * signal will have, or 0 if no program is being debugged. */
guint hir_document_debug (HirDocument *self, const char *line);
/* Ends the current move of the debugger soon. */
void hir_document_pause (HirDocument *self);
/* Stops the run. The recorded events stay. */
void hir_document_stop_run (HirDocument *self);
/* Saves program and trace as a .hirs file on a worker thread. Requires a program. @progress
 * (nullable) is borrowed until the callback. */
void hir_document_save_async (HirDocument *self,
                              const char *path,
                              HirExportProgress *progress,
                              GAsyncReadyCallback callback,
                              gpointer user_data);
/* Finishes hir_document_save_async(). */
gboolean hir_document_save_finish (GAsyncResult *result, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Returns the displayed program (nullable, borrowed). */
HirProgram *hir_document_get_program (HirDocument *self);
/* Returns the programs of all ranks (borrowed), or NULL if they are not known yet. */
HirRankPrograms *hir_document_get_ranks (HirDocument *self);
/* Returns the trace (nullable, borrowed). */
HirTrace *hir_document_get_trace (HirDocument *self);
/* Returns the last request (nullable, borrowed), even if its script could not be read. */
HirRequest *hir_document_get_request (HirDocument *self);
/* Returns the errors of the last request (HirDiagnostic*, borrowed); never NULL. */
GPtrArray *hir_document_get_diagnostics (HirDocument *self);
/* Returns the path of the recording that was loaded (nullable, borrowed). */
const char *hir_document_get_recording_path (HirDocument *self);

/* Returns TRUE while loading or lowering. */
gboolean hir_document_get_is_lowering (HirDocument *self);
/* Returns TRUE while a run is in progress. */
gboolean hir_document_get_is_running (HirDocument *self);
/* Returns one line on the current or last operation (borrowed, never NULL): "Running: iteration
 * 3 of 8". */
const char *hir_document_get_status (HirDocument *self);
/* Sets the status (transfer full). */
void hir_document_set_status (HirDocument *self, char *status);
/* Returns TRUE if hir_document_ask_value() works: after a run of this program, or while it is being
 * debugged. */
gboolean hir_document_has_values (HirDocument *self);
/* Queries the value of a tensor at the end of the run or at the debugger's position. Returns the
 * number that the `value` signal will have, or 0 if there are no values. A later query may replace
 * this one. */
guint
hir_document_ask_value (HirDocument *self, int rank, guint64 tensor_id, const HirValueQuery *query);
/* Returns TRUE if hir_document_run() would start a run. */
gboolean hir_document_can_run (HirDocument *self);
/* Returns why hir_document_can_run() is FALSE, and what to do, or NULL if it is TRUE. */
const char *hir_document_get_obstacle (HirDocument *self);
/* Returns the text to show where there is no recording, with what to do (transfer full). */
char *hir_document_dup_no_recording (HirDocument *self);

G_END_DECLS
