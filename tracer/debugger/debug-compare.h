/* Compares a debugged run with the same program executed in sequence. */
#pragma once

#include "debugger/debug-run.h"

G_BEGIN_DECLS

/* The first instruction whose result differs by more than the error bound. */
typedef struct
{
  guint64 n_compared;  /* number of compared results */
  gint *progress;      /* nullable; atomic: n_compared while the comparison runs */
  const HirExpr *expr; /* NULL: no mismatch */
  guint number;        /* line of the instruction in the text, from 1 */
  gint32 iteration;
  int rank;
  char *report; /* nullable: text of hir_check_report_format() */
} HirDebugMismatch;

/* Frees the members of @mismatch. */
void hir_debug_mismatch_clear (HirDebugMismatch *mismatch);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HirDebugMismatch, hir_debug_mismatch_clear)

/**
 * hir_debug_run_find_mismatch:
 * @run: a run at its start, with host memory and a session that checks
 * @n_streams: numberOfStreams
 * @mismatch: (inout): the mismatch; set @progress before the call
 *
 * Steps @run together with the reference evaluation (reference-host.h) and compares each result as
 * soon as it must be complete; the result of a communication after its Wait. Blocks.
 *
 * Returns: FALSE and sets @error if the run or the reference fails, or with HIR_ERROR_CANCELLED
 */
gboolean hir_debug_run_find_mismatch (HirDebugRun *run,
                                      gint64 n_streams,
                                      GCancellable *cancellable,
                                      HirDebugMismatch *mismatch,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * hir_debug_run_dup_difference:
 * @run: a run at any position, with host memory and a session that checks; not moved
 * @note: (out) (transfer full): whether the value is correct, and its first incorrect element
 *
 * Computes the value of @tensor on rank @i minus its value in the sequential program at the same
 * position. Evaluates the sequential program up to this position, starting from the position of the
 * previous call unless the run has gone back since. Blocks.
 *
 * Returns: (transfer full): doubles in host memory, row-major; or NULL with HIR_ERROR_RUN if the
 *   tensor has no value here, HIR_ERROR_UNSUPPORTED on a GPU, or an error of the reference
 */
HirValue *hir_debug_run_dup_difference (HirDebugRun *run,
                                        guint i,
                                        const HirTensor *tensor,
                                        gint64 n_streams,
                                        GCancellable *cancellable,
                                        char **note,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
