/* Creates snapshots, and the built-in hooks that measure and verify them. */
#pragma once

#include "pipeline.h"

G_BEGIN_DECLS

/* Creates a snapshot of @program (taken) without measurements. @pass is NULL for the input fusion.
 */
HirSnapshot *hir_snapshot_new (const HirPass *pass, HirContainer *program);

/* Measures what each pass changed compared with the previous snapshot. One per run of a pipeline.
 */
typedef struct _HirPassMeasure HirPassMeasure;

HirPassMeasure *hir_pass_measure_new (void);
void hir_pass_measure_free (HirPassMeasure *measure);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirPassMeasure, hir_pass_measure_free)

/* Returns hooks that set duration_ns. */
HirPassHooks hir_pass_measure_get_timing_hooks (HirPassMeasure *measure);
/* Returns hooks that set hash, changed and the counts. */
HirPassHooks hir_pass_measure_get_change_hooks (HirPassMeasure *measure);
/* Returns hooks that fail a pass whose result the verifier rejects. */
HirPassHooks hir_verifier_get_hooks (void);

G_END_DECLS
