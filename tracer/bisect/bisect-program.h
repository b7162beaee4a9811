/* Finds the first instruction of a host program with an incorrect result:
 * debugger/debug-compare.h on a worker thread. */
#pragma once

#include "program/program.h"
#include "program/run-settings.h"

G_BEGIN_DECLS

typedef struct
{
  gatomicrefcount ref_count;
  gint n_compared; /* atomic: number of compared results so far */
  guint64 id;   /* id of the instruction; 0: all are correct. This and the members below are set at
                   the end */
  guint number; /* its number in the text, from 1 */
  gint32 iteration;
  int rank;
  char *label;  /* nullable: "T5 = matmul(T3, T4)" */
  char *report; /* nullable: the check report, lines */
} HirProgramBisect;

/* Releases a reference. */
void hir_program_bisect_unref (HirProgramBisect *bisect);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirProgramBisect, hir_program_bisect_unref)

/**
 * hir_program_bisect_new_async:
 *
 * Compares every instruction of @program with the sequential execution, on a worker thread. Runs on
 * the CPU, regardless of the back end in @settings. @callback is called in the thread-default main
 * context of the caller.
 *
 * Returns: (transfer full): the result, which is filled in during the search
 */
HirProgramBisect *hir_program_bisect_new_async (HirProgram *program,
                                                const HirRunSettings *settings,
                                                GCancellable *cancellable,
                                                GAsyncReadyCallback callback,
                                                gpointer user_data);
/* Finishes hir_program_bisect_new_async(). Returns FALSE and sets @error if the program cannot
 * run or be compared, or if the search was cancelled. */
gboolean hir_program_bisect_finish (GAsyncResult *result, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
