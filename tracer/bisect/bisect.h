/* Which pass made the numbers wrong: the program after each pass is evaluated and compared with the
 * fusion. */
#pragma once

#include "program/program.h"
#include "program/run-settings.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_BISECT_SAME,        /* the program is the one before */
  HIR_BISECT_RIGHT,
  HIR_BISECT_WRONG,
  HIR_BISECT_NOT_CHECKED, /* it can't be run by itself; see text */
} HirBisectVerdict;

typedef struct
{
  char *pass_name;
  HirBisectVerdict verdict;
  char *text; /* the largest error over its bound, or why it was not checked; never NULL */
} HirBisectStep;

typedef struct
{
  GPtrArray *steps; /* HirBisectStep*, in pass order, to the first that is wrong */
  int guilty;       /* index of that; -1: none is */
  int last_right;   /* index of the last one before that was right */
  char *inputs;     /* shapes, a line each */
} HirBisect;

/* Before each pass is checked: its name, which of how many. */
typedef void (*HirBisectProgress) (const char *pass_name, guint index, guint n, gpointer user_data);

/* A fusion is evaluated in double as --check does for the reference; a host program is run on the
 * CPU back end, on all its devices. NULL and @error where there is no fusion to compare with (a
 * printed program), or where the inputs make no sense. A pass that fails ends the list; its error is
 * @program's. Blocks; any thread, on which @progress (nullable) is called. */
HirBisect *hir_bisect_new (HirProgram *program,
                           const HirRunSettings *settings,
                           HirBisectProgress progress,
                           gpointer user_data,
                           GCancellable *cancellable,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same in a worker thread; @progress and @callback come in the main context of the caller, @progress never after
 * @callback. */
void hir_bisect_new_async (HirProgram *program,
                           const HirRunSettings *settings,
                           HirBisectProgress progress,
                           GCancellable *cancellable,
                           GAsyncReadyCallback callback,
                           gpointer user_data);
HirBisect *hir_bisect_new_finish (GAsyncResult *result, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Instead of the numbers, the structure: a step is right while its text matches @pattern (a regular expression, of
 * several lines) where the first one's does, and does not where that does not; the guilty one is the first that
 * differs in that. A text of a step says how often. HIR_ERROR_INPUT: @pattern is none. */
HirBisect *hir_bisect_new_by_text (HirProgram *program,
                                   const char *pattern,
                                   GCancellable *cancellable,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same in a worker thread; hir_bisect_new_finish(). */
void hir_bisect_new_by_text_async (HirProgram *program,
                                   const char *pattern,
                                   GCancellable *cancellable,
                                   GAsyncReadyCallback callback,
                                   gpointer user_data);

void hir_bisect_free (HirBisect *bisect);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirBisect, hir_bisect_free)

G_END_DECLS
