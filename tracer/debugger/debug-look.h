/* What a debugged run looks like at a moment: values, loops, streams, memory, communications. Of
 * the thread that moves the run, after hir_debug_run_quiesce(). */
#pragma once

#include "run/comm/comm-local.h"
#include "debugger/debug-expr.h"
#include "debugger/debug-run.h"

G_BEGIN_DECLS

/* Whom names are asked of: rank @i of @run, or, before there is a run, of @programs alone. */
typedef struct
{
  HirDebugRun *run; /* nullable */
  guint i;
  HirContainer *const *programs; /* one a rank */
  guint n_programs;
} HirDebugView;

/* For expressions: scalars of the program, rank, iteration, depth; tensors. @view must stay. */
void hir_debug_view_init_names (const HirDebugView *view, HirDebugNames *names);
/* T<name> of the rank's program; NULL and HIR_ERROR_INPUT. Borrowed. */
HirTensor *hir_debug_view_find_tensor (const HirDebugView *view, int name, GError **error);
/* Its value in host memory; HIR_ERROR_RUN where it has none now. */
HirValue *hir_debug_view_dup_value (const HirDebugView *view, int name, GError **error);
/* The whole of a tensor that is cut over devices, put together from all of them; of another one the
 * value of rank @i. */
HirValue *hir_debug_view_dup_gathered (const HirDebugView *view, int name, GError **error);

/* A loop or a branch that the rank is in. */
typedef struct
{
  const HirExpr *expr;
  gint64 index, stop, step; /* of a loop */
} HirDebugFrame;

/* From the outermost; of the top level there is none. */
GArray *hir_debug_run_dup_frames (HirDebugRun *run, guint i);

/* A stream of a rank. */
typedef struct
{
  char *name; /* "Default stream", "Stream 1", "comm {0 1}" */
  gboolean is_current, is_known; /* is_known: what follows can be seen */
  HirStreamState doing;
  char *label;         /* nullable: what runs, or the wait */
  const HirExpr *expr; /* nullable */
  gint32 iteration;
  char *waits_for;     /* nullable: name of a stream */
  guint n_queued;
} HirDebugStream;

/* Array of HirDebugStream*: the streams of the program, then those of communications. */
GPtrArray *hir_debug_run_dup_streams (HirDebugRun *run, guint i);

/* Memory, and the tensors that are in it. */
typedef struct
{
  const HirBuffer *buffer;
  gsize size_bytes;
  GArray *names;    /* int: numbers of tensors, ascending */
  gboolean is_input; /* one of them is */
} HirDebugBuffer;

/* Array of HirDebugBuffer*, in the order of the lowest tensor. */
GPtrArray *hir_debug_run_dup_buffers (HirDebugRun *run, guint i);

/* Communications that rank @i has posted and not waited for (const HirExpr*, in order). */
GPtrArray *hir_debug_run_dup_pending (HirDebugRun *run, guint i);

/* "iteration 2 of the loop over StreamIdx ..."; what stands in front of the rank: "before #12
 * Allgather T5 in iteration 2", "at its end". */
char *hir_debug_run_describe_place (HirDebugRun *run, guint i);
/* hir_comm_world_look() of this run: of a device's own streams, where a host thread waits. Never NULL. */
GPtrArray *hir_debug_run_look_at_comms (HirDebugRun *run);
/* Lines, one a stream or host that waits in a communication for ranks that have not come; "" where there is
 * none. */
char *hir_debug_run_describe_waits (HirDebugRun *run);

G_END_DECLS
