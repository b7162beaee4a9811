/* What the files of the document share. */
#pragma once

#include "document-edit.h"
#include "edit-history.h"

G_BEGIN_DECLS

typedef struct
{
  HirEditHistory *history;
  HirProgram *good;     /* nullable: what is not on show while the rejected one is */
  HirProgram *rejected; /* nullable */
  HirProgram *before;   /* nullable: the program before the last change */
  HirTrace *good_trace; /* nullable, as good */
  gboolean is_behind;
} HirDocumentEdits;

HirDocumentEdits *hir_document_edits_new (void);
void hir_document_edits_free (HirDocumentEdits *edits);
/* Another thing was opened: its request, or NULL where there is none to change. */
void hir_document_edits_begin (HirDocumentEdits *edits, HirRequest *request);

HirDocumentEdits *hir_document_get_edits (HirDocument *self);
/* A cancellable for a lowering of @request, which is now what was asked for last; the lowering before it is
 * cancelled, a run is not. */
GCancellable *hir_document_begin_edit (HirDocument *self, HirRequest *request);
/* The lowering that @cancellable is of has ended; FALSE where another one took its place. */
gboolean hir_document_end_edit (HirDocument *self, GCancellable *cancellable);
/* Takes @program and @diagnostics, which are put on show; @trace (nullable) is true of @program. */
void hir_document_show (HirDocument *self,
                        HirProgram *program,
                        GPtrArray *diagnostics,
                        HirTrace *trace,
                        gboolean keeps_run);
/* Takes it; no signal. */
void hir_document_set_diagnostics (HirDocument *self, GPtrArray *diagnostics);
/* Takes @status; `state-changed`. */
void hir_document_set_status (HirDocument *self, char *status);
void hir_document_emit_edited (HirDocument *self);

G_END_DECLS
