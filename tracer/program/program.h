/* One lowering, whole: a script, what it defined, and the program after every pass. Immutable; any number
 * of views and threads read it. */
#pragma once

#include <gio/gio.h>

#include "program/lowering-progress.h"
#include "view/program-view.h"
#include "program/request.h"

G_BEGIN_DECLS

typedef struct
{
  gatomicrefcount ref_count;
  HirRequest *request;   /* function, n_devices and rank filled in */
  GPtrArray *views;      /* HirProgramView*, one a snapshot; [0] is the fusion */
  HirLowering *lowering; /* nullable: read back from a recording */
  HirContainer *fusion;  /* nullable, as lowering: what the script defined */
  HirContainer *printed; /* nullable: of a printed program, the last host program of its text */
  GPtrArray *rank_printed; /* nullable: of a log of all ranks, the last one of each */
  char *failed_pass;     /* nullable: the pass that refused or failed */
  GError *error;         /* nullable: why; its position is in request->source */
  GPtrArray *notes;      /* HirDiagnostic*: what the reader chose or left out; no errors */
} HirProgram;

/* Reads the script and lowers it; a printed program (program-dump.h) is read and shown as it stands,
 * lowering and fusion NULL. NULL and @error where there is nothing to show: syntax errors (all of
 * them, to 20, in @diagnostics, HirDiagnostic*, nullable), no such function, several candidates (listed),
 * a script that is refused. A failing pass is none: see HirProgram.error. Blocks; any thread. */
HirProgram *hir_program_new (const HirRequest *request,
                             GPtrArray *diagnostics,
                             GCancellable *cancellable,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* As read back: takes @views, and @request, which may be NULL where the recording has no script. */
HirProgram *hir_program_new_from_views (HirRequest *request, GPtrArray *views);
HirProgram *hir_program_ref (HirProgram *program);
void hir_program_unref (HirProgram *program);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirProgram, hir_program_unref)
/* Gives a reference up for whoever must not stand still: to free 10,000 ops takes a second. Of a large program it is
 * given up later, in a thread, by the default main context. */
void hir_program_unref_async (HirProgram *program);

/* Index of the snapshot after @pass_name, or of the last one for "last"; -1 where there is none. */
int hir_program_find_view (const HirProgram *program, const char *pass_name);
/* The host program to run: what lowering gave, or what was printed. NULL where lowering failed or stopped
 * early, and where a text has fusions only. */
HirContainer *hir_program_get_host (HirProgram *program);

/* One host program a device, HirContainer* (each a reference; equal programs are one object), lowered as
 * @program was. Of one element where the fusion is on no mesh or there is one device: that of
 * hir_program_get_host(). NULL and @error where lowering for some rank fails, or there is no host program.
 * Blocks; any thread. */
GPtrArray *hir_program_dup_rank_hosts (HirProgram *program, GCancellable *cancellable, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* FALSE: no tensor of the fusion is on a mesh, and every rank runs the same. */
gboolean hir_program_is_on_mesh (const HirProgram *program);
/* @program's fusion, which must be there, lowered as @program was, for another rank; a failing pass is in
 * the result. NULL and @error where the options make no pipeline. Blocks; any thread. */
HirLowering *hir_program_lower_for_rank (HirProgram *program,
                                         gint64 rank,
                                         GCancellable *cancellable,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* A program of @lowering (taken): source, options and fusion are @program's. */
HirProgram *hir_program_new_from_lowering (HirProgram *program, gint64 rank, HirLowering *lowering);

/* hir_program_new() in a worker thread; @progress, nullable, is told how far it is. finish() gives the diagnostics too (transfer full, never NULL). */
void hir_program_new_async (const HirRequest *request,
                            HirLoweringProgress *progress,
                            GCancellable *cancellable,
                            GAsyncReadyCallback callback,
                            gpointer user_data);
HirProgram *hir_program_new_finish (GAsyncResult *result, GPtrArray **diagnostics, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
