/* Edits the schedule of one tensor in the text of a script: changes, removes or inserts one line.
 * Edits use the positions of the syntax tree and leave all other text unchanged. */
#pragma once

#include "iter-domain.h"
#include "script/script.h"

G_BEGIN_DECLS

/* Identifies a tensor of a program in its script. */
typedef struct
{
  const char *function; /* the function that was run */
  const char *variable; /* the first variable that held the tensor */
  HirPos pos;           /* position of the op that produced the tensor */
  gint64 n_axes;        /* number of axes of its final loop domain */
} HirScriptTensor;

typedef enum
{
  HIR_SCHEDULE_EDIT_PARALLELIZE, /* uses type; serial removes an existing line */
  HIR_SCHEDULE_EDIT_OUTER_SPLIT, /* uses factor */
  HIR_SCHEDULE_EDIT_INNER_SPLIT, /* uses factor */
  HIR_SCHEDULE_EDIT_MERGE,       /* merges with the next axis */
  HIR_SCHEDULE_EDIT_TO_FRONT,
} HirScheduleEditKind;

typedef struct
{
  HirScheduleEditKind kind;
  gint64 axis; /* index in the loop domain, from 0 */
  HirParallelType type;
  gint64 factor;
} HirScheduleEdit;

/**
 * hir_script_edit_schedule:
 * @line: (nullable) (out): the changed, inserted or removed line
 *
 * Returns: (transfer full): the whole text after the edit. NULL with HIR_ERROR_INPUT if the tensor
 *   has no name in the
 *   script, if several assignments match, or if no line can be inserted.
 */
char *hir_script_edit_schedule (HirScript *script,
                                const HirScriptTensor *tensor,
                                const HirScheduleEdit *edit,
                                guint *line,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
