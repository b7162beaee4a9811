/* The pass manager: a choice of passes with their options, run over a fusion; every step kept as an
 * immutable snapshot. Timing, change counts, verifier and stops are hooks, not in the manager. */
#pragma once

#include "pass.h"

G_BEGIN_DECLS

/* The program after one pass, for one rank. Immutable; read from any thread. */
typedef struct
{
  gatomicrefcount ref_count;
  char *pass_name;     /* "Fusion" for the input */
  const HirPass *pass; /* NULL for the input */
  HirContainer *program;
  gboolean is_shared; /* the program is that of the snapshot before: the pass did not apply */
  guint64 hash;       /* hir_container_hash() */
  gboolean changed;   /* hash differs from the snapshot before; TRUE for the input */
  gint64 duration_ns; /* of the pass alone; 0 for the input */
  guint n_created, n_changed, n_removed; /* tensors and Exprs, against the snapshot before, by id */
} HirSnapshot;

HirSnapshot *hir_snapshot_ref (HirSnapshot *snapshot);
void hir_snapshot_unref (HirSnapshot *snapshot);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirSnapshot, hir_snapshot_unref)

/* What one run of the pipeline gave. A failing pass leaves the snapshots before it and @error. */
typedef struct
{
  GPtrArray
      *snapshots; /* HirSnapshot*, owned; [0] is the fusion, unless the fusion itself is broken */
  const HirPass *failed_pass; /* NULL: all went well, or the fusion itself is broken (see @error) */
  HirSnapshot *failed_snapshot; /* nullable: what the failing pass had before it */
  GError *error;                /* NULL: all went well */
} HirLowering;

void hir_lowering_free (HirLowering *lowering);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirLowering, hir_lowering_free)
/* Borrowed; NULL where there is none. */
HirSnapshot *hir_lowering_get_last (HirLowering *lowering);
/* By pass name, "Fusion" for the input; NULL if it was not run. Borrowed. */
HirSnapshot *hir_lowering_lookup (HirLowering *lowering, const char *pass_name);

typedef enum
{
  HIR_PASS_APPLY,
  HIR_PASS_SKIP,
  HIR_PASS_STOP, /* the pipeline ends before this pass, without an error */
} HirPassControl;

/* Optional callbacks, on the thread that runs the pipeline. after() and failed() are called in
 * order of adding, before() in reverse: the first added is the nearest to the pass. */
typedef struct
{
  HirPassControl (*before) (const HirPass *pass, HirContainer *program, gpointer user_data);
  /* @pass is NULL for the fusion as it came. An error makes the pass count as failed: that is how
   * the verifier hangs on. */
  gboolean (*after) (const HirPass *pass,
                     HirSnapshot *snapshot,
                     gpointer user_data,
                     GError **error);
  /* @program is what the pass was given, or, where an after() failed it, what it made: that may be
   * broken, so print it, do not verify it. @pass as in after(). */
  void (*failed) (const HirPass *pass,
                  HirContainer *program,
                  const GError *error,
                  gpointer user_data);
  gpointer user_data;
} HirPassHooks;

typedef struct _HirPipeline HirPipeline;

/* The default pipeline with the verifier hooked on. */
HirPipeline *hir_pipeline_new (void);
void hir_pipeline_free (HirPipeline *pipeline);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirPipeline, hir_pipeline_free)

/* HIR_ERROR_INPUT naming the passes or options there are when @name is not one of them. */
gboolean hir_pipeline_set_enabled (HirPipeline *pipeline,
                                   const char *pass_name,
                                   gboolean enabled,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean hir_pipeline_get_enabled (const HirPipeline *pipeline, const char *pass_name);
/* "StreamParallelType.initial_sync=in_loop". */
gboolean hir_pipeline_set_option (HirPipeline *pipeline,
                                  const char *assignment,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* NULL where there is no such pass or option. */
const char *
hir_pipeline_get_option (const HirPipeline *pipeline, const char *pass_name, const char *option);
void hir_pipeline_add_hooks (HirPipeline *pipeline, const HirPassHooks *hooks);

/* Lowers @fusion (not changed; cloned as snapshot 0) for @rank of @n_devices. Never NULL: failure
 * is in the result. The pipeline is not changed: one may be run by several threads at once if its
 * hooks can be. */
HirLowering *hir_pipeline_run (HirPipeline *pipeline,
                               HirContainer *fusion,
                               gint64 rank,
                               gint64 n_devices,
                               GCancellable *cancellable);

G_END_DECLS
