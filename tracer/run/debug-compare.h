/* The run against the same program in sequence, instruction by instruction. */
#pragma once

#include "run/debug-run.h"

G_BEGIN_DECLS

/* The first instruction whose result leaves its bound. */
typedef struct
{
  guint64 n_compared; /* results that were looked at */
  const HirExpr *expr; /* NULL: none does */
  guint number;        /* of it in the text, from 1 */
  gint32 iteration;
  int rank;
  char *report; /* nullable: how wrong, as of hir_check_report_format() */
} HirDebugWrong;

void hir_debug_wrong_clear (HirDebugWrong *wrong);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HirDebugWrong, hir_debug_wrong_clear)

/* Runs @run, which stands at its begin, whose memory is the host's and whose session checks, in step
 * with the reference (reference-host.h), each result compared once it must be there: a communication's
 * behind its Wait. What stops it is an error: of the run, of the reference, HIR_ERROR_CANCELLED. */
gboolean hir_debug_run_find_wrong (HirDebugRun *run,
                                   gint64 n_streams,
                                   GCancellable *cancellable,
                                   HirDebugWrong *wrong,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
