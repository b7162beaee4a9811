/* Internal declarations of the document. */
#pragma once

#include "document/document-edit.h"
#include "document/edit-history.h"
#include "document/open-job.h"
#include "document/run-history.h"
#include "join/join.h"

G_BEGIN_DECLS

typedef struct
{
  HirEditHistory *history;
  HirProgram *good;     /* nullable: the last valid program, while the rejected one or that of an
                         * earlier run is displayed */
  HirProgram *rejected; /* nullable: the program that a pass has rejected */
  HirProgram *before;   /* nullable: the program before the last effective change */
  HirTrace *good_trace; /* nullable: trace of good */
  HirRankPrograms *good_ranks; /* nullable: programs of good, while an earlier run is displayed */
  HirRunEntry *good_run;       /* nullable: entry of good_trace, likewise */
  char *good_path;             /* nullable: of the recording or trace, likewise */
  gboolean is_behind;          /* the displayed program is older than the request */
  gboolean shows_run;          /* the displayed program is that of an earlier run */
} HirDocumentEdits;

/* The previous content, while a part of the file that is being loaded is displayed. */
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

  HirTraceRules *rules; /* nullable: of the traces that are opened next */

  GCancellable *opening;         /* of the load or lowering in progress; NULL: none */
  HirOpenJob *loading;           /* NULL: no recording is being loaded */
  gboolean is_attaching;         /* loading ends with tying trace and program */
  HirLoweringProgress *lowering; /* NULL: no lowering is in progress */
  HirDocumentContent *replaced;  /* previous request, path and edits while another script is being
                                  * lowered;  its program is still displayed. Otherwise NULL */
  HirDocumentContent *before;    /* previous content; NULL: no partial trace is displayed */
  GCancellable *ranking;         /* of the lowering for other ranks; NULL: none */
  HirRunChild *child;            /* NULL: no run is in progress */
  HirDocumentEdits *edits;
  HirRunChild *kept; /* nullable: the last run, which has finished and answers value queries */
  HirRunHistory *runs;
  HirRunEntry *running;  /* of child; nullable */
  HirRunEntry *kept_run; /* of kept; nullable */
  guint wanted_run;      /* number of the run that is being read from disk; 0: none */
  guint64 end_hash;      /* of program, 0 without one */
  guint64 empty_hash;    /* end_hash of the last session that recorded nothing, or 0 */
  char *status;
};

/* Cancels loading, lowering and the run. Returns the cancellable for the next operation
 * (borrowed). */
GCancellable *hir_document_begin_opening (HirDocument *self);
/* Replaces the content, then emits the signals. All arguments are nullable and borrowed, except
 * @diagnostics, which is taken. */
void hir_document_replace (HirDocument *self,
                           HirProgram *program,
                           GPtrArray *diagnostics,
                           HirRankPrograms *ranks,
                           HirTrace *trace);
/* Sets the request (nullable). */
void hir_document_set_request (HirDocument *self, HirRequest *request);
/* Sets the trace (nullable, borrowed) and emits trace-changed. */
void hir_document_set_trace (HirDocument *self, HirTrace *trace);
/* Cancels loading, lowering and the run, and sets the cancellable of the next operation. Unlike
 * after hir_document_begin_opening(), the displayed document stays. */
void hir_document_begin_attaching (HirDocument *self);
/* Emits attached. */
void hir_document_emit_attached (HirDocument *self, const char *const *paths, const char *why);
/* Sets the status "@what: @why", or @why if it starts with a capital. */
void hir_document_set_failed_status (HirDocument *self, const char *what, const char *why);
/* Sets the status to @text (taken) with a capital. */
void hir_document_set_sentence (HirDocument *self, char *text);
/* Returns the status of an error of @pass, or of the script if @pass is NULL, with its line:
 * (transfer full). */
char *hir_document_describe_error (const GError *error, const char *pass);
/* Returns the status of a new program (transfer full): "Lowered in 3 steps", or its error. */
char *hir_document_describe_program (const HirProgram *program);
/* Emits failed. */
void hir_document_emit_failed (HirDocument *self, const char *what, const char *why);

/* Stops loading without changing the displayed content. No callback of the load follows. */
void hir_document_drop_loading (HirDocument *self);
/* Removes and returns the content (transfer full); the document is then empty. */
HirDocumentContent *hir_document_take_content (HirDocument *self);
/* Frees the previous content. */
void hir_document_forget_before (HirDocument *self);
/* Displays the previous content again, if there is one. */
void hir_document_put_back (HirDocument *self);

/* Resets the edits after opening @request (NULL if it cannot be edited). */
void hir_document_edits_begin (HirDocumentEdits *edits, HirRequest *request);
/* Drops the programs of a failed change. */
void hir_document_forget_edited (HirDocumentEdits *edits);

/* Makes @request the current one. Cancels the lowering in progress, but not a run. Returns the
 * cancellable for the new lowering (borrowed). */
GCancellable *hir_document_begin_edit (HirDocument *self, HirRequest *request);
/* Ends the lowering with @cancellable. Returns FALSE if another one has replaced it. */
gboolean hir_document_end_edit (HirDocument *self, GCancellable *cancellable);
/* Displays @program with @diagnostics (both taken). @trace (nullable) is a valid trace of @program.
 * Stops the run unless @keeps_run is TRUE. */
void hir_document_show (HirDocument *self,
                        HirProgram *program,
                        GPtrArray *diagnostics,
                        HirTrace *trace,
                        gboolean keeps_run);
/* Sets the programs of the ranks (nullable), which are known without lowering. */
void hir_document_show_ranks (HirDocument *self, HirRankPrograms *ranks);
/* Sets the verdict of the run that has ended. Returns FALSE if it is removed from the history: a
 * debug session that has executed nothing. */
gboolean hir_document_end_entry (HirDocument *self, HirRunVerdict verdict);
/* Sets the path of the recording to that of the displayed run @entry (nullable: keeps the path);
 * no path if it is not a recording. */
void hir_document_set_path_of (HirDocument *self, const HirRunEntry *entry);
/* Adds @trace, which is of the displayed program, to the history: of the recording at @path or, if
 * @path is NULL, of an attached trace with its @join (nullable). Does nothing without a script. */
void
hir_document_add_recorded (HirDocument *self, const char *path, HirTrace *trace, HirJoin *join);
/* Sets the diagnostics (taken) without a signal. */
void hir_document_set_diagnostics (HirDocument *self, GPtrArray *diagnostics);
/* Emits edited. */
void hir_document_emit_edited (HirDocument *self);

G_END_DECLS
