/* A program: a script, the fusion that it defines, and the program after every pass; or a printed
 * program. Immutable; any thread may read it. */
#pragma once

#include <gio/gio.h>

#include "program/lowering-progress.h"
#include "program/request.h"
#include "script/script.h"
#include "view/op-table.h"

G_BEGIN_DECLS

typedef struct
{
  gatomicrefcount ref_count;
  HirRequest *request;     /* function, n_devices and rank filled in */
  GPtrArray *views;        /* HirProgramView*, one per snapshot; [0] is the fusion */
  HirLowering *lowering;   /* NULL if read from a recording or printed */
  HirContainer *fusion;    /* the fusion of the script; NULL like lowering */
  HirContainer *printed;   /* nullable: the last host program of a printed text */
  GPtrArray *dumps;        /* nullable: all dumps of a printed text, HirDump* */
  GPtrArray *rank_printed; /* nullable: of a log of all ranks, the last host program per rank */
  char *failed_pass;       /* nullable: the pass that failed */
  GError *error;           /* nullable: error of failed_pass; its position is in request->source */
  HirScriptExecutor executor; /* options of a run that the script sets */
  GPtrArray *notes;           /* HirDiagnostic*: choices and omissions of the reader, HIR_WARNING */
} HirProgram;

/**
 * hir_program_new:
 * @diagnostics: (nullable): receives the syntax errors, HirDiagnostic*, 20 at most
 *
 * Reads the script and lowers it. A printed program (program-dump.h) is read without lowering. A
 * failing pass is not an error of this function; see HirProgram.error. Blocks; any thread.
 *
 * Returns: (transfer full): the program, or NULL with @error if the script has syntax errors, is
 *   rejected, or has no matching function or several candidates
 */
HirProgram *hir_program_new (const HirRequest *request,
                             GPtrArray *diagnostics,
                             GCancellable *cancellable,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Creates a program that was read from a recording. Takes @views and @request; @request is NULL if
 * the recording has no script. */
HirProgram *hir_program_new_from_views (HirRequest *request, GPtrArray *views);
/* Returns @program, or for one from a recording a new program that was lowered from its script,
 * with the same ids (transfer full). Returns NULL and sets @error if the recording has no script or
 * this cannot be read. Blocks; any thread. */
HirProgram *hir_program_ref_lowered (HirProgram *program,
                                     GCancellable *cancellable,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
HirProgram *hir_program_ref (HirProgram *program);
void hir_program_unref (HirProgram *program);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirProgram, hir_program_unref)
/* Releases a reference without blocking. A large program is freed later on another thread, because
 * freeing 10,000 ops takes about 1 s. Requires the default main context to run. */
void hir_program_unref_async (HirProgram *program);

/* Returns the index of the snapshot after @pass_name, or of the last one for "last"; -1 if there is
 * none. */
int hir_program_find_view (const HirProgram *program, const char *pass_name);
/* Returns the host program to run (borrowed), lowered or printed, or NULL if lowering has failed or
 * stopped early, or if a printed text has only fusions. */
HirContainer *hir_program_get_host (HirProgram *program);

/**
 * hir_program_dup_rank_hosts:
 *
 * Lowers the fusion of @program for every rank, with the same options. Blocks; any thread.
 *
 * Returns: (transfer full): the host programs, HirContainer*, one per device. Equal programs share
 *   one object. There is only one entry if the fusion is on no mesh or there is one device. NULL
 *   and @error if lowering fails for some rank or there is no host program.
 */
GPtrArray *hir_program_dup_rank_hosts (HirProgram *program,
                                       GCancellable *cancellable,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Like hir_program_dup_rank_hosts(), for programs that exchange messages: returns NULL with
 * HIR_ERROR_INPUT for a printed program of one rank that would block on all ranks. */
GPtrArray *hir_program_dup_run_hosts (HirProgram *program,
                                      GCancellable *cancellable,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Relates two programs, which must outlive the result, by the ops of their script. Returns NULL
 * unless they were lowered from the same fusion by different pipelines. */
HirOpTable *hir_program_dup_ops (const HirProgram *a, const HirProgram *b);

/* Returns the program of @views[@i] (borrowed), or NULL if it was read from a recording. */
HirContainer *hir_program_get_step (const HirProgram *program, guint i);
/* Returns the fusion of a script, or the first program of a printed text if it is a fusion
 * (borrowed); otherwise NULL. */
HirContainer *hir_program_lookup_fusion (const HirProgram *program);
/* Creates a program with the options of @program from @fusion, which is not lowered yet; see
 * hir_program_dup_rank_hosts(). */
HirProgram *hir_program_new_from_fusion (const HirProgram *program, HirContainer *fusion);

/* Returns FALSE if no tensor of the fusion is on a mesh; all ranks then run the same program. */
gboolean hir_program_is_on_mesh (const HirProgram *program);
/* Lowers the fusion of @program, which must exist, for @rank with the same options. A failing
 * pass is recorded in the result. Returns NULL and sets @error if the options are invalid.
 * Blocks; any thread. */
HirLowering *hir_program_lower_for_rank (HirProgram *program,
                                         gint64 rank,
                                         GCancellable *cancellable,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Creates a program from @lowering (taken) with the source, options and fusion of @program. */
HirProgram *hir_program_new_from_lowering (HirProgram *program, gint64 rank, HirLowering *lowering);

/* Calls hir_program_new() in a worker thread. Reports progress to @progress (nullable). */
void hir_program_new_async (const HirRequest *request,
                            HirLoweringProgress *progress,
                            GCancellable *cancellable,
                            GAsyncReadyCallback callback,
                            gpointer user_data);
/* Finishes hir_program_new_async(). @diagnostics: (out) (optional) (transfer full), never NULL. */
HirProgram *hir_program_new_finish (GAsyncResult *result,
                                    GPtrArray **diagnostics,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
