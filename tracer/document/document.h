/* What is open: a source, its lowering, its latest recording, and what is under way. The window is a view on
 * it. Lives in the thread whose main context it was made in; its work is done elsewhere (worker threads,
 * the child process of a run), and its signals come in that thread. */
#pragma once

#include <gio/gio.h>

#include "program/program.h"
#include "program/rank-programs.h"
#include "debugger/state.h"
#include "job/run-child.h"
#include "trace/export-progress.h"
#include "trace/trace.h"

G_BEGIN_DECLS

#define HIR_TYPE_DOCUMENT (hir_document_get_type ())
G_DECLARE_FINAL_TYPE (HirDocument, hir_document, HIR, DOCUMENT, GObject)

/* Signals:
 *   program-changed   another program, or none; the diagnostics changed with it
 *   ranks-changed     the programs of the other ranks are known, or none are any more
 *   trace-changed     another trace, or more of the one that is being recorded
 *   state-changed     is_lowering, is_running or the status text changed
 *   run-finished (HirRunOutcome *)   borrowed
 *   value (guint number, const HirValueSummary *, const GError *)   the answer to hir_document_ask_value(); one of the
 *     two is NULL, both borrowed
 *   debugged (guint number, const HirDebugState *)   the line of that number was done, or not; borrowed
 *   failed (const char *what, const char *why)   to be told to the user; nothing else changed
 *   edited            what is asked for was changed, or a change failed: see document-edit.h
 */
HirDocument *hir_document_new (void);

/* Lowers @request; what was under way is cancelled, a run too. A script that can't be read leaves no program;
 * the diagnostics say why. */
void hir_document_open (HirDocument *self, HirRequest *request);
/* Reads a .hirs; what was under way is cancelled. Where it can't be read all else stays. */
void hir_document_open_recording (HirDocument *self, const char *path);
/* The same with one trace of all @paths (NULL-terminated), a rank a file, as hir_trace_open(). */
void hir_document_open_recordings (HirDocument *self, const char *const *paths);
/* TRUE while one of these reads: borrowed @paths, and the bytes read by now and in all; 0 in all: not known. */
gboolean hir_document_get_loading (HirDocument *self,
                                   const char *const **paths,
                                   guint64 *done,
                                   guint64 *total);
/* TRUE while what is on show is a part of what is being read: program and trace are of that, and there is more of the
 * trace to come. */
gboolean hir_document_get_is_partial (HirDocument *self);
/* Ends the reading; what was open before it is there as it was. */
void hir_document_cancel_loading (HirDocument *self);
/* TRUE while a program is being lowered: borrowed @what is done now, "" before the first step; @n_steps of 0: not known
 * yet. */
gboolean hir_document_get_lowering (HirDocument *self, const char **what, guint *n_done, guint *n_steps);
/* Ends it: what was on show stays. Of what was being opened nothing is left; of a change its text is, and
 * hir_document_is_outdated() is true. */
void hir_document_cancel_lowering (HirDocument *self);
/* Ends it soon, with what was read by then, whose account says so. */
void hir_document_stop_loading (HirDocument *self);

/* Starts the child; one run at a time. Ignored where there is nothing to run. */
void hir_document_run (HirDocument *self, const HirRunSettings *settings);
/* Where a run that was started with settings to debug goes on: @line, as hir_run_child_debug(); `debugged` comes with
 * the number that is returned. 0: nothing is being debugged. */
guint hir_document_debug (HirDocument *self, const char *line);
/* What the line that is under way has set going ends soon. */
void hir_document_pause (HirDocument *self);
/* Ends the child. What it has recorded stays. */
void hir_document_stop_run (HirDocument *self);
/* Writes program and trace as a .hirs, in a worker thread. Only where there is a program. @watch: nullable, borrowed
 * until the callback. */
void hir_document_save_async (HirDocument *self,
                              const char *path,
                              HirExportProgress *watch,
                              GAsyncReadyCallback callback,
                              gpointer user_data);
gboolean hir_document_save_finish (GAsyncResult *result, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* All nullable and borrowed. */
HirProgram *hir_document_get_program (HirDocument *self);
/* Comes some time after the program. */
HirRankPrograms *hir_document_get_ranks (HirDocument *self);
HirTrace *hir_document_get_trace (HirDocument *self);
/* What was asked for last, also where it could not be read. */
HirRequest *hir_document_get_request (HirDocument *self);
/* HirDiagnostic*: errors of the last reading; never NULL. */
GPtrArray *hir_document_get_diagnostics (HirDocument *self);
/* The file that a recording was read from. */
const char *hir_document_get_recording_path (HirDocument *self);

gboolean hir_document_get_is_lowering (HirDocument *self);
gboolean hir_document_get_is_running (HirDocument *self);
/* A line on what is under way or was done last: "Running: iteration 3 of 8". Never NULL. */
const char *hir_document_get_status (HirDocument *self);
/* Whether the last run of this program left values to be asked for, or one that is debugged stands somewhere: of a
 * recording there are none. */
gboolean hir_document_has_values (HirDocument *self);
/* Asks for a tensor's value, after the run or where the program stands; `value` comes with the number that is returned, unless another question is put
 * before. 0: there are no values. */
guint hir_document_ask_value (HirDocument *self, int rank, guint64 tensor_id, const HirValueQuery *look);
/* TRUE where hir_document_run() would run. */
gboolean hir_document_can_run (HirDocument *self);

G_END_DECLS
