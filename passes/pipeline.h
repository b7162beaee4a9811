/* Pass manager: runs selected passes with options over a fusion and stores each step as an
 * immutable snapshot. Timing, change counts and the verifier are hooks, not part of the manager. */
#pragma once

#include "pass.h"

G_BEGIN_DECLS

/* The program after one pass, for one rank. Immutable; any thread may read it. */
typedef struct
{
  gatomicrefcount ref_count;
  char *pass_name;     /* "Fusion" for the input */
  const HirPass *pass; /* NULL for the input */
  HirContainer *program;
  gboolean is_shared; /* same program as the previous snapshot: the pass did not apply */
  guint64 hash;       /* hir_container_hash() */
  gboolean changed;   /* hash differs from the previous snapshot; TRUE for the input */
  gint64 duration_ns; /* time of the pass alone; 0 for the input */
  /* tensors and Exprs, compared by id with the previous snapshot */
  guint n_created, n_changed, n_removed;
} HirSnapshot;

HirSnapshot *hir_snapshot_ref (HirSnapshot *snapshot);
void hir_snapshot_unref (HirSnapshot *snapshot);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirSnapshot, hir_snapshot_unref)

/* Result of one run of the pipeline. If a pass fails, contains the snapshots before it and the
 * error. */
typedef struct
{
  /* HirSnapshot*, owned; [0] is the fusion unless the fusion is invalid */
  GPtrArray *snapshots;
  const HirPass *failed_pass; /* NULL on success, or if the fusion itself is invalid (see error) */
  HirSnapshot *failed_snapshot; /* snapshot that the failing pass started from (nullable) */
  GError *error;                /* NULL on success */
} HirLowering;

void hir_lowering_free (HirLowering *lowering);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirLowering, hir_lowering_free)
/* Returns the last snapshot (borrowed), or NULL. */
HirSnapshot *hir_lowering_get_last (HirLowering *lowering);
/* Returns the snapshot after pass @pass_name, "Fusion" for the input (borrowed); NULL if the pass
 * did not run. */
HirSnapshot *hir_lowering_lookup (HirLowering *lowering, const char *pass_name);

typedef enum
{
  HIR_PASS_APPLY,
  HIR_PASS_SKIP,
  HIR_PASS_STOP, /* end the pipeline before this pass, without an error */
} HirPassControl;

/* Optional callbacks on the thread that runs the pipeline. after() and failed() are called in the
 * order of registration, before() in reverse order: the hooks added first are closest to the pass.
 */
typedef struct
{
  HirPassControl (*before) (const HirPass *pass, HirContainer *program, gpointer user_data);
  /* @pass is NULL for the input fusion. If the hook sets an error, the pass counts as failed; the
   * verifier uses this. */
  gboolean (*after) (const HirPass *pass,
                     HirSnapshot *snapshot,
                     gpointer user_data,
                     GError **error);
  /* @program is the input of the pass, or its output if an after() hook rejected it. The output may
   * be broken: print it, but do not verify it. @pass as in after(). */
  void (*failed) (const HirPass *pass,
                  HirContainer *program,
                  const GError *error,
                  gpointer user_data);
  gpointer user_data;
} HirPassHooks;

typedef struct _HirPipeline HirPipeline;

/* Creates a pipeline with the passes of @kind and their default options. */
HirPipeline *hir_pipeline_new (HirPipelineKind kind);
void hir_pipeline_free (HirPipeline *pipeline);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirPipeline, hir_pipeline_free)

/* Enables or disables a pass. @error: HIR_ERROR_INPUT, with the names of all passes, if @pass_name
 * is unknown. */
gboolean hir_pipeline_set_enabled (HirPipeline *pipeline,
                                   const char *pass_name,
                                   gboolean enabled,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Returns TRUE if the pass exists and is enabled. */
gboolean hir_pipeline_get_enabled (const HirPipeline *pipeline, const char *pass_name);
/* Sets an option: "StreamParallelType.initial_sync=in_loop". @error: HIR_ERROR_INPUT, with the
 * valid names or values. */
gboolean hir_pipeline_set_option (HirPipeline *pipeline,
                                  const char *assignment,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Returns the value of an option, or NULL if there is no such pass or option. */
const char *
hir_pipeline_get_option (const HirPipeline *pipeline, const char *pass_name, const char *option);
/* Adds hooks (copied). */
void hir_pipeline_add_hooks (HirPipeline *pipeline, const HirPassHooks *hooks);

/* Lowers @fusion (unchanged; cloned as snapshot 0) for @rank of @n_devices. Never returns NULL:
 * failures are part of the result. Does not change @pipeline, so that several threads may run it if
 * its hooks allow this. */
HirLowering *hir_pipeline_run (HirPipeline *pipeline,
                               HirContainer *fusion,
                               gint64 rank,
                               gint64 n_devices,
                               GCancellable *cancellable);

G_END_DECLS
