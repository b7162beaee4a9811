/* Finds the first instruction of a host program with an incorrect result. Compares the program with
 * its fusion (against.h), then its run with its own sequential execution (debug-compare.h), and
 * checks its synchronization, because a race may break only some runs. */
#pragma once

#include "program/program.h"
#include "program/run-settings.h"

G_BEGIN_DECLS

typedef struct
{
  gatomicrefcount ref_count;
  gint n_compared; /* atomic: number of compared results so far */
  char *inputs;    /* nullable: input shapes, one per line. The members below are set at the end */
  char *races;     /* nullable: the report of `check`, if it finds something */
  char *no_check;  /* nullable: why the synchronization could not be checked */
  char *outputs;   /* nullable: outputs that differ from the fusion, lines */
  char *failure;   /* nullable: why the program ends early */
  guint64 id;      /* id of the instruction; 0: all are correct, or see outputs */
  guint number;    /* its line in the text, from 1 */
  guint line;      /* its line in the source; 0: unknown */
  gint32 iteration;
  int rank;
  char *label;  /* nullable: "T5 = matmul(T3, T4)" */
  char *report; /* nullable: how the result differs, lines */
} HirProgramBisect;

/* Creates an empty result. */
HirProgramBisect *hir_program_bisect_new (void);
/* Releases a reference. */
void hir_program_bisect_unref (HirProgramBisect *bisect);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirProgramBisect, hir_program_bisect_unref)

/**
 * hir_program_bisect_find:
 * @fusion: (nullable): what @program should compute; NULL compares its run only with its sequential
 *   execution
 * @bisect: an empty result; members are set even on an error, as far as they are known
 *
 * Finds the first incorrect instruction, and races. Runs on the CPU, regardless of the back end in
 * @settings. Blocks; any thread.
 *
 * Returns: FALSE and sets @error if the program cannot run or be compared
 */
gboolean hir_program_bisect_find (HirProgram *program,
                                  HirContainer *fusion,
                                  const HirRunSettings *settings,
                                  GCancellable *cancellable,
                                  HirProgramBisect *bisect,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * hir_program_bisect_new_async:
 *
 * Like hir_program_bisect_find(), on a worker thread. The first program of a pass log is its
 * fusion; a script's program is compared only with its sequential execution. @callback is called in
 * the thread-default main context of the caller.
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
