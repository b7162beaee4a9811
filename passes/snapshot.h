/* Making snapshots, and the hooks that measure them: what the pipeline hangs on itself. */
#pragma once

#include "pipeline.h"

G_BEGIN_DECLS

/* Takes @program; not measured yet. @pass NULL: the fusion as it came. */
HirSnapshot *hir_snapshot_new (const HirPass *pass, HirContainer *program);

/* Measures what each pass did against the snapshot before: for one run of a pipeline. */
typedef struct _HirPassMeasure HirPassMeasure;

HirPassMeasure *hir_pass_measure_new (void);
void hir_pass_measure_free (HirPassMeasure *measure);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirPassMeasure, hir_pass_measure_free)

/* Hooks that fill in duration_ns; hash, changed and the counts. */
HirPassHooks hir_pass_measure_get_timing_hooks (HirPassMeasure *measure);
HirPassHooks hir_pass_measure_get_change_hooks (HirPassMeasure *measure);
/* Hooks that make a pass fail whose program the verifier finds broken. */
HirPassHooks hir_verifier_get_hooks (void);

G_END_DECLS
