/* Changing what is open and lowering it again: the script, passes, options; back and forth in what was changed.
 * What fails never takes away what was lowered before. All in the document's thread; the lowering is not. */
#pragma once

#include "document/document.h"

G_BEGIN_DECLS

/* The request that changes are made from: as it was asked for, with what is chosen by itself left open. NULL
 * where there is nothing to change: nothing is open, or a recording without a script. Borrowed. */
HirRequest *hir_document_get_edit (HirDocument *self);

/* Lowers @request, a changed hir_document_get_edit(), in a worker; what was being lowered is cancelled. @what
 * names the change: "StreamParallelType off". When it is there, one of:
 *   - a program: it replaces the one on show (`program-changed`), with a status that says what the change did;
 *     a run goes on, and a trace stays, where the last program is the same;
 *   - a failure: the program on show stays, the diagnostics say why (`edited`); what a pass refused can be
 *     looked at, see below.
 * `edited` also comes at once, for the request is another one. */
void hir_document_edit (HirDocument *self, HirRequest *request, const char *what);
/* Takes another request for the one in force without a step of Undo: after a save under another name. */
void hir_document_replace_edit (HirDocument *self, HirRequest *request);

/* FALSE where there is nothing to go to. */
gboolean hir_document_undo (HirDocument *self);
gboolean hir_document_redo (HirDocument *self);
/* What it would change; NULL: nothing. Borrowed. */
const char *hir_document_get_undo (HirDocument *self);
const char *hir_document_get_redo (HirDocument *self);

/* TRUE from a change that failed until one that does not: what is on show is of before. */
gboolean hir_document_is_outdated (HirDocument *self);
/* Of a change that a pass refused: the program up to there; NULL where the script itself is wrong. Borrowed. */
HirProgram *hir_document_get_rejected (HirDocument *self);
/* Puts that on show, or what was lowered before it (`program-changed`). Nothing where there is none. */
void hir_document_show_rejected (HirDocument *self, gboolean rejected);
gboolean hir_document_shows_rejected (HirDocument *self);
/* What the program on show was before the last change that did something; NULL: none. Borrowed. */
HirProgram *hir_document_get_before (HirDocument *self);

G_END_DECLS
