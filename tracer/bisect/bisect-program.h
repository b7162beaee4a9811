/* Which instruction of a host program is the first whose result is wrong: run/debug-compare.h in a worker thread. */
#pragma once

#include "program/program.h"
#include "program/run-settings.h"

G_BEGIN_DECLS

typedef struct
{
  gatomicrefcount ref_count;
  gint n_compared; /* atomic: results so far */
  guint64 id;      /* of the instruction; 0: none is wrong. This and the rest once it is done */
  guint number;    /* of it in the text, from 1 */
  gint32 iteration;
  int rank;
  char *label;  /* nullable: "T5 = matmul(T3, T4)" */
  char *report; /* nullable: how wrong, lines */
} HirProgramBisect;

void hir_program_bisect_unref (HirProgramBisect *bisect);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirProgramBisect, hir_program_bisect_unref)

/* Runs on the CPU, whatever @settings say of the back end. What is returned is filled in while it goes on; @callback comes in the
 * main context of the caller. The caller's reference. */
HirProgramBisect *hir_program_bisect_new_async (HirProgram *program,
                                                const HirRunSettings *settings,
                                                GCancellable *cancellable,
                                                GAsyncReadyCallback callback,
                                                gpointer user_data);
/* FALSE and @error where it can't be run or compared, or was cancelled. */
gboolean hir_program_bisect_finish (GAsyncResult *result, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
