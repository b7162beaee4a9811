/* What the files of the document share. */
#pragma once

#include "document/document-edit.h"
#include "document/edit-history.h"
#include "document/open-job.h"

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

/* What was open, while a part of what is being loaded is on show. */
typedef struct
{
  HirRequest *request;
  HirProgram *program;
  HirRankPrograms *ranks;
  HirTrace *trace;
  GPtrArray *diagnostics;
  char *recording_path;
  HirDocumentEdits *edits;
  HirRunChild *kept;
} HirDocumentContent;

struct _HirDocument
{
  GObject parent_instance;

  HirRequest *request;
  HirProgram *program;
  HirRankPrograms *ranks; /* NULL: not known yet */
  HirTrace *trace;
  GPtrArray *diagnostics;
  char *recording_path;

  GCancellable *opening;      /* NULL: nothing is being read or lowered */
  HirOpenJob *loading;        /* NULL: no recording is being read; else opening is its */
  HirLoweringProgress *lowering;   /* NULL: nothing is being lowered; else opening is its */
  HirDocumentContent *replaced; /* NULL: a change is being lowered, or nothing; else what was asked for before what is
                                 * being opened: the program is still on show, and not in here */
  HirDocumentContent *before; /* NULL: what is loading is not on show */
  GCancellable *ranking;      /* NULL: no rank is being lowered for */
  HirRunChild *child;         /* NULL: nothing runs */
  HirDocumentEdits *edits;
  HirRunChild *kept; /* nullable: of the last run, which is over; answers questions for values */
  char *status;
};

/* Cancels what is under way; the cancellable of what comes. */
GCancellable *hir_document_begin_opening (HirDocument *self);
/* All are nullable and borrowed, but @diagnostics, which is taken; signals come when all is there. */
void hir_document_replace (HirDocument *self,
                           HirProgram *program,
                           GPtrArray *diagnostics,
                           HirRankPrograms *ranks,
                           HirTrace *trace);
/* @request: nullable. */
void hir_document_set_request (HirDocument *self, HirRequest *request);
void hir_document_set_trace (HirDocument *self, HirTrace *trace);
/* "Lowered in 3 steps", or the error. */
char *hir_document_describe_program (const HirProgram *program);
void hir_document_emit_failed (HirDocument *self, const char *what, const char *why);

/* No more is loaded, and no picture comes; what is on show stays. */
void hir_document_drop_loading (HirDocument *self);
/* Moves all that is open out of the document, which is empty then. */
HirDocumentContent *hir_document_take_content (HirDocument *self);
/* What was open before is no longer of use. */
void hir_document_forget_before (HirDocument *self);
/* Puts it on show again, if something else is. */
void hir_document_put_back (HirDocument *self);

/* Another thing was opened: its request, or NULL where there is none to change. */
void hir_document_edits_begin (HirDocumentEdits *edits, HirRequest *request);
/* Drops the programs of a change that failed. */
void hir_document_forget_edited (HirDocumentEdits *edits);

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
