/* The run against the same program in sequence, instruction by instruction. */
#pragma once

#include "debugger/debug-run.h"

G_BEGIN_DECLS

/* The first instruction whose result leaves its bound. */
typedef struct
{
  guint64 n_compared; /* results that were looked at */
  gint *progress;     /* nullable; atomic: the same while it goes on */
  const HirExpr *expr; /* NULL: none does */
  guint number;        /* of it in the text, from 1 */
  gint32 iteration;
  int rank;
  char *report; /* nullable: how wrong, as of hir_check_report_format() */
} HirDebugMismatch;

void hir_debug_mismatch_clear (HirDebugMismatch *wrong);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HirDebugMismatch, hir_debug_mismatch_clear)

/* Runs @run, which stands at its begin, whose memory is the host's and whose session checks, in step
 * with the reference (reference-host.h), each result compared once it must be there: a communication's
 * behind its Wait. What stops it is an error: of the run, of the reference, HIR_ERROR_CANCELLED. */
gboolean hir_debug_run_find_mismatch (HirDebugRun *run,
                                   gint64 n_streams,
                                   GCancellable *cancellable,
                                   HirDebugMismatch *wrong,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* What @tensor of rank @i holds less what the program in sequence has in it where the rank stands: doubles, in host
 * memory, row-major. *@note (newly allocated): whether it is right, and where it is wrong first. @run as above, but for
 * where it stands; it is not moved. Evaluates the program in sequence up to there, on from where that was
 * asked for before, if it has not gone back since: blocks. Errors: HIR_ERROR_RUN where it has
 * no value here, HIR_ERROR_UNSUPPORTED on a GPU, those of the reference. */
HirValue *hir_debug_run_dup_difference (HirDebugRun *run,
                                        guint i,
                                        const HirTensor *tensor,
                                        gint64 n_streams,
                                        GCancellable *cancellable,
                                        char **note,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
