/* Changing the schedule of one tensor in the text of a script: a line of it is changed, taken out, or put in where it
 * takes effect. The text is edited by the positions of its syntax tree; all else in it stays as it is. */
#pragma once

#include "iter-domain.h"
#include "script/script.h"

G_BEGIN_DECLS

/* Which tensor is meant, as a program tells it. */
typedef struct
{
  const char *function; /* that was run */
  const char *variable; /* name that the script gave it first */
  HirPos pos;           /* of the op that made it */
  gint64 n_axes;        /* of its loop domain at the end */
} HirScriptTensor;

typedef enum
{
  HIR_SCHEDULE_EDIT_PARALLELIZE, /* type; serial takes a line out where there is one */
  HIR_SCHEDULE_EDIT_OUTER_SPLIT, /* factor */
  HIR_SCHEDULE_EDIT_INNER_SPLIT, /* factor */
  HIR_SCHEDULE_EDIT_MERGE,       /* with the axis behind it */
  HIR_SCHEDULE_EDIT_TO_FRONT,
} HirScheduleEditKind;

typedef struct
{
  HirScheduleEditKind kind;
  gint64 axis; /* of the loop domain, from 0 */
  HirParallelType type;
  gint64 factor;
} HirScheduleEdit;

/* The whole text with the change in it, newly allocated. *@line (nullable) is the line that was changed or put in, or
 * of what was taken out. NULL and HIR_ERROR_INPUT, with what to do, where the tensor has no name in the
 * script, where more than one assignment could be meant, or where a line can't be put in. */
char *hir_script_edit_schedule (HirScript *script,
                                const HirScriptTensor *tensor,
                                const HirScheduleEdit *edit,
                                guint *line,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
