/* Finds the first pass that breaks the results: evaluates the program after each pass and
 * compares it with the fusion. */
#pragma once

#include "program/program.h"
#include "program/run-settings.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_BISECT_SAME, /* the pass changed nothing */
  HIR_BISECT_RIGHT,
  HIR_BISECT_WRONG,
  HIR_BISECT_UNDECIDED,   /* see HIR_CHECK_UNDECIDED; skipped */
  HIR_BISECT_NOT_CHECKED, /* the program cannot run on its own; see text */
  HIR_BISECT_MATCH,       /* of hir_bisect_new_by_text() */
  HIR_BISECT_NO_MATCH,    /* likewise */
} HirBisectVerdict;

typedef struct
{
  char *pass_name;
  HirBisectVerdict verdict;
  char *text; /* the largest error relative to its bound, or why it was not checked; never NULL */
} HirBisectStep;

typedef struct
{
  GPtrArray *steps;  /* HirBisectStep*, in pass order, up to the first incorrect one */
  int guilty;        /* index of the first incorrect step, or of the first one that does not match
                        the pattern as step 0 does; -1: none */
  int last_right;    /* index of the last other step before it */
  guint n_undecided; /* including steps at the end that could not be checked */
  char *inputs;      /* nullable: input shapes, one per line */
  char *races; /* nullable: the report of `check` of the last program, if it finds something */
  /* nullable: why the last program is incorrect although no enabled pass is: the pass that creates
   * communications is disabled. Its steps can then be incorrect although guilty is -1 */
  char *lost_transfer;
} HirBisect;

/* Called before each pass is checked, with its name and index. */
typedef void (*HirBisectProgress) (const char *pass_name, guint index, guint n, gpointer user_data);

/**
 * hir_bisect_new:
 * @fusion: (nullable): what each step should compute; NULL: the first step
 * @progress: (nullable): called on the same thread
 *
 * Checks the program after each pass, of a script or a pass log. Fusions are evaluated in double,
 * like the reference of --check. Host programs run on the CPU back end, on all devices; those of a
 * log are evaluated in sequence. A failing pass ends the list; its error is in @program. Blocks;
 * any thread.
 *
 * Returns: (transfer full): NULL and sets @error if there is nothing to compare with (a single
 *   printed program) or the inputs are invalid
 */
HirBisect *hir_bisect_new (HirProgram *program,
                           HirContainer *fusion,
                           const HirRunSettings *settings,
                           HirBisectProgress progress,
                           gpointer user_data,
                           GCancellable *cancellable,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Like hir_bisect_new(), but on a worker thread. @progress and @callback are called in the
 * thread-default main context of the caller, @progress never after @callback. */
void hir_bisect_new_async (HirProgram *program,
                           const HirRunSettings *settings,
                           HirBisectProgress progress,
                           GCancellable *cancellable,
                           GAsyncReadyCallback callback,
                           gpointer user_data);
/* Finishes hir_bisect_new_async() or hir_bisect_new_by_text_async(). */
HirBisect *hir_bisect_new_finish (GAsyncResult *result, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * hir_bisect_new_by_text:
 * @pattern: a regular expression, in multiline mode
 *
 * Finds the first step whose text matches @pattern although that of the first step does not, or the
 * other way round. The text of a step has the number of matches. Blocks; any thread.
 *
 * Returns: (transfer full): NULL with HIR_ERROR_INPUT if @pattern is invalid
 */
HirBisect *hir_bisect_new_by_text (HirProgram *program,
                                   const char *pattern,
                                   GCancellable *cancellable,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Like hir_bisect_new_by_text(), but on a worker thread. Call hir_bisect_new_finish() in
 * @callback. */
void hir_bisect_new_by_text_async (HirProgram *program,
                                   const char *pattern,
                                   GCancellable *cancellable,
                                   GAsyncReadyCallback callback,
                                   gpointer user_data);

/* Returns the name of the guilty pass, or @prefix and "A, B" if passes before it could not be
 * checked (transfer full). */
char *hir_bisect_dup_suspects (const HirBisect *bisect, const char *prefix);

/* Frees @bisect. */
void hir_bisect_free (HirBisect *bisect);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirBisect, hir_bisect_free)

G_END_DECLS
