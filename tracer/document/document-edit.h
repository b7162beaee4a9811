/* Edits of the open script, passes and options, each followed by a lowering; with undo and redo.
 * A failed change never removes the last valid program. Call on the document's thread; lowering
 * runs on a worker thread. */
#pragma once

#include "document/document.h"
#include "document/edit-history.h"

G_BEGIN_DECLS

/* Returns the request to edit (borrowed), without automatic choices. Returns NULL if nothing is
 * open or the open recording has no script. */
HirRequest *hir_document_get_edit (HirDocument *self);

/**
 * hir_document_edit:
 * @request: a changed copy of hir_document_get_edit()
 * @what: the change: "StreamParallelType off"
 *
 * Emits edited and lowers @request. Cancels a lowering in progress. On success, the new program is
 * displayed (program-changed), and the status describes the effect of the change; if the last
 * program is unchanged, the run continues and the trace stays. On failure, the displayed program
 * stays, the diagnostics have the error (edited), and hir_document_get_rejected() may have a
 * program.
 */
void hir_document_edit (HirDocument *self, HirRequest *request, const char *what);
/* Gives the edited text the new @path, also in the history, after saving under another name. */
void hir_document_rename_edit (HirDocument *self, const char *path);

/* Adds a change that is not one of the request, see hir_edit_history_add_other(). @func is called
 * with the document. */
void hir_document_add_other (HirDocument *self,
                             const char *what,
                             HirEditFunc func,
                             gpointer data,
                             GDestroyNotify free,
                             gsize size_bytes);
/* Removes @entry from the history of runs, which can be undone. */
void hir_document_delete_run (HirDocument *self, HirRunEntry *entry);
/* Restores the deleted run @entry, but undoes no later changes. */
void hir_document_restore_run (HirDocument *self, HirRunEntry *entry);

/* Undoes the last change. Returns FALSE if there is none. */
gboolean hir_document_undo (HirDocument *self);
/* Replaces a status that reports an undone change by that of the program. */
void hir_document_forget_undone (HirDocument *self);
/* Redoes the last undone change. Returns FALSE if there is none. */
gboolean hir_document_redo (HirDocument *self);
/* Returns the change that undo would revert (nullable, borrowed). */
const char *hir_document_get_undo (HirDocument *self);
/* Returns the change that redo would apply (nullable, borrowed). */
const char *hir_document_get_redo (HirDocument *self);

/* Returns TRUE after a failed change, until one succeeds: the displayed program is older than the
 * request. */
gboolean hir_document_is_outdated (HirDocument *self);
/* Returns the program up to the pass that has rejected the last change (borrowed). Returns NULL if
 * the script itself is invalid. */
HirProgram *hir_document_get_rejected (HirDocument *self);
/* Displays the rejected program or the last valid one (program-changed). Does nothing if there
 * is no rejected program. */
void hir_document_show_rejected (HirDocument *self, gboolean rejected);
/* Returns TRUE if the rejected program is displayed. */
gboolean hir_document_shows_rejected (HirDocument *self);
/* Returns the program before the last effective change (nullable, borrowed). */
HirProgram *hir_document_get_before (HirDocument *self);

G_END_DECLS
