/* Which pass made the numbers wrong: the program after each pass is evaluated and compared with the
 * fusion. */
#pragma once

#include "program.h"
#include "run-settings.h"

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

/* A fusion is evaluated in double as --check does for the reference; a host program is run on the
 * CPU back end, on all its devices. NULL and @error where there is no fusion to compare with (a
 * printed program), or where the inputs make no sense. A pass that fails ends the list; its error is
 * @program's. Blocks; any thread. */
HirBisect *hir_bisect_new (HirProgram *program,
                           const HirRunSettings *settings,
                           GCancellable *cancellable,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
void hir_bisect_free (HirBisect *bisect);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirBisect, hir_bisect_free)

G_END_DECLS
