/* The pass manager: a choice of passes with their options, run over a fusion; every step kept as an
 * immutable snapshot. Snapshots, timing, verifier, stops hang on hooks. */
#pragma once

#include "pass.h"

G_BEGIN_DECLS

/* The program after one pass, for one rank. Immutable; read from any thread. */
typedef struct
{
  gatomicrefcount ref_count;
  char *pass_name;         /* "Fusion" for the input */
  const HirPass *pass;     /* NULL for the input */
  HirContainer *program;
  guint64 hash;            /* hir_container_hash() */
  gboolean changed;        /* hash differs from the snapshot before; TRUE for the input */
  gint64 duration_ns;      /* of the pass alone */
  guint n_created, n_changed, n_removed; /* tensors and Exprs, against the snapshot before, by id */
} HirSnapshot;

HirSnapshot *hir_snapshot_ref (HirSnapshot *snapshot);
void hir_snapshot_unref (HirSnapshot *snapshot);

/* What one run of the pipeline gave. A failing pass leaves the snapshots before it, @error, and in
 * @failed_program the program as the pass left it where that is still safe to read (else NULL). */
typedef struct
{
  GPtrArray *snapshots; /* HirSnapshot*, owned; [0] is the fusion */
  const HirPass *failed_pass; /* NULL: all went well */
  HirSnapshot *failed_snapshot; /* nullable: what the failing pass had before it */
  GError *error;              /* nullable */
} HirLowering;

void hir_lowering_free (HirLowering *lowering);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirLowering, hir_lowering_free)
HirSnapshot *hir_lowering_get_last (HirLowering *lowering);
/* By pass name; NULL if it was not run. */
HirSnapshot *hir_lowering_lookup (HirLowering *lowering, const char *pass_name);

typedef enum
{
  HIR_PASS_APPLY,
  HIR_PASS_SKIP,
  HIR_PASS_STOP, /* the pipeline ends before this pass, without an error */
} HirPassControl;

/* Optional callbacks; called on the thread that runs the pipeline, hooks in order of adding. The
 * program may be broken in failed(): print, do not verify. */
typedef struct
{
  HirPassControl (*before) (const HirPass *pass, HirContainer *program, gpointer user_data);
  /* An error makes the pass count as failed: that is how the verifier hangs on. */
  gboolean (*after) (const HirPass *pass, HirSnapshot *snapshot, gpointer user_data, GError **error);
  void (*failed) (const HirPass *pass, HirContainer *program, const GError *error, gpointer user_data);
  gpointer user_data;
} HirPassHooks;

typedef struct _HirPipeline HirPipeline;

/* The default pipeline with the verifier hooked on. */
HirPipeline *hir_pipeline_new (void);
HirPipeline *hir_pipeline_copy (const HirPipeline *pipeline); /* settings, not hooks but the verifier */
void hir_pipeline_free (HirPipeline *pipeline);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirPipeline, hir_pipeline_free)

/* HIR_ERROR_INPUT naming the passes or options there are when @name is not one of them. */
gboolean hir_pipeline_set_enabled (HirPipeline *pipeline, const char *pass_name, gboolean enabled,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean hir_pipeline_get_enabled (const HirPipeline *pipeline, const char *pass_name);
/* "StreamParallelType.initial_sync=in_loop". */
gboolean hir_pipeline_set_option (HirPipeline *pipeline, const char *assignment, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
const char *hir_pipeline_get_option (const HirPipeline *pipeline, const char *pass_name,
                                     const char *option);
void hir_pipeline_add_hooks (HirPipeline *pipeline, const HirPassHooks *hooks);

/* Lowers @fusion (not changed; cloned as snapshot 0) for @rank of @n_devices. Never NULL: failure is
 * in the result. */
HirLowering *hir_pipeline_run (HirPipeline *pipeline, HirContainer *fusion, gint64 rank,
                               gint64 n_devices, GCancellable *cancellable);

G_END_DECLS
