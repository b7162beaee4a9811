/* What the modelled clock was told of a run, kept: played, it gives that run's times; played without some of its
 * waits, those of a program that lacks them. Nothing is computed for it. */
#pragma once

#include "run/model/model-log.h"

G_BEGIN_DECLS

/* One rank's. Immutable. */
typedef struct _HirModelTape HirModelTape;

/* All that @log was told, which is its no more. Its board must be of hir_model_group_new_deferred(), its host thread
 * done. */
HirModelTape *hir_model_tape_take (HirModelLog *log);
void hir_model_tape_free (HirModelTape *tape);

#define HIR_MODEL_NO_WAIT G_MAXUINT

/* Whether an execution of @instruction on the rank of tape @tape is left out, with the time it takes to issue. It lets
 * a stream wait, which is wait number @wait of that tape, or for nothing: HIR_MODEL_NO_WAIT. Asked of what starts no
 * work, in order. */
typedef gboolean (*HirModelLeave) (guint tape, guint64 instruction, guint wait, gpointer user_data);

typedef struct
{
  gint64 total_ns;   /* until the last rank's streams are done */
  gint64 overlap_ns; /* in which a rank did two things or more at once, summed over ranks */
} HirModelTimes;

/* All ranks' tapes together. @leave: nullable. FALSE: ranks wait for each other such that not all of it can be timed.
 * Any thread. */
gboolean hir_model_tapes_play (HirModelTape *const *tapes,
                               guint n,
                               HirModelLeave leave,
                               gpointer user_data,
                               HirModelTimes *times);

G_END_DECLS
