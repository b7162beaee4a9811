/* Inspects a paused debugged run: values, loops, streams, memory, communications. Call on the
 * debugger's thread, after hir_debug_run_quiesce(). */
#pragma once

#include "debugger/debug-expr.h"
#include "debugger/debug-run.h"
#include "run/comm/comm-local.h"

G_BEGIN_DECLS

/* Where names are resolved: on rank @i of @run, or in @programs alone if there is no run. */
typedef struct
{
  HirDebugRun *run; /* nullable */
  guint i;
  HirContainer *const *programs; /* one per rank */
  guint n_programs;
} HirDebugView;

/* Initializes @names with the scalars of the program, `rank`, `iteration`, `depth`, and tensors.
 * @view must outlive @names. */
void hir_debug_view_init_names (const HirDebugView *view, HirDebugNames *names);
/* Returns T<name> of the rank's program (borrowed), or NULL with HIR_ERROR_INPUT. */
HirTensor *hir_debug_view_find_tensor (const HirDebugView *view, int name, GError **error);
/* Returns the value of T<name> in host memory, or NULL with HIR_ERROR_RUN if it has none now. */
HirValue *hir_debug_view_dup_value (const HirDebugView *view, int name, GError **error);
/* Returns the global value of a tensor that is sharded over devices, gathered from all ranks. For
 * other tensors returns the value of rank @i. */
HirValue *hir_debug_view_dup_gathered (const HirDebugView *view, int name, GError **error);
/* Returns a bool tensor of the same shape as the value of T@name that is true for each element that
 * the program has never written, or NULL, without @error, if there is none. */
HirValue *hir_debug_view_dup_missing (const HirDebugView *view, int name, GError **error);
/* Like hir_debug_view_dup_missing(), for the gathered value. */
HirValue *hir_debug_view_dup_missing_gathered (const HirDebugView *view, int name, GError **error);

/* Elements of a tensor. */
typedef struct
{
  const HirValueQuery *query; /* single indices */
  const gint64 *first, *stop; /* nullable: range of each axis, as of hir_debug_expr_get_tensor() */
} HirDebugSlice;

/* Returns the elements of @value (transfer full), with all axes, or NULL if they are out of bounds.
 * If @takes_indices is FALSE, axes with a single index remain whole. */
HirValue *
hir_debug_dup_slice (const HirValue *value, const HirDebugSlice *slice, gboolean takes_indices);
/* Returns a sentence (transfer full) if a communication that was not waited for writes memory of
 * the elements @slice of T<name>; if @is_gathered and T<name> is sharded, of T<name> on any rank.
 * Returns NULL otherwise. */
char *hir_debug_view_dup_transfer_note (const HirDebugView *view,
                                        int name,
                                        const HirDebugSlice *slice,
                                        gboolean is_gathered);

/* A loop or branch that contains the current position. */
typedef struct
{
  const HirExpr *expr;
  gint64 index, stop, step; /* of a loop */
  gboolean is_else;         /* of a branch: the position is in its ELSE */
} HirDebugFrame;

/* Returns the frames of rank @i (HirDebugFrame), outermost first. The top level has no frame. */
GArray *hir_debug_run_dup_frames (HirDebugRun *run, guint i);

/* A stream of a rank. */
typedef struct
{
  char *name;                    /* "Default stream", "Stream 1", "comm {0 1}" */
  gboolean is_current, is_known; /* is_known: the members below are valid */
  HirStreamState doing;
  char *label;         /* nullable: the running task or the wait */
  const HirExpr *expr; /* nullable */
  gint32 iteration;
  char *waits_for; /* nullable: name of a stream */
  guint n_queued;
} HirDebugStream;

/* Returns the streams of rank @i (HirDebugStream*): those of the program, then channels. */
GPtrArray *hir_debug_run_dup_streams (HirDebugRun *run, guint i);

/* A memory buffer and the tensors in it. */
typedef struct
{
  const HirBuffer *buffer;
  gsize size_bytes;
  GArray *names;     /* int: names of tensors, ascending */
  gboolean is_input; /* one of the tensors is an input */
} HirDebugBuffer;

/* Returns the buffers of rank @i (HirDebugBuffer*), ordered by their lowest tensor. */
GPtrArray *hir_debug_run_dup_buffers (HirDebugRun *run, guint i);

/* Returns the communications that rank @i has posted and not waited for (const HirExpr*), in
 * order. */
GPtrArray *hir_debug_run_dup_pending (HirDebugRun *run, guint i);

/* Describes the position of rank @i (transfer full): "before program line 12, Allgather T5 in
 * iteration 2", "at its end". */
char *hir_debug_run_describe_place (HirDebugRun *run, guint i);
/* Returns hir_comm_world_look() of this run, never NULL. For streams that cannot be inspected,
 * is_waited_in tells that a host thread waits. */
GPtrArray *hir_debug_run_look_at_comms (HirDebugRun *run);
/* Describes each communication in which a stream or host thread waits for other ranks, one per
 * line (transfer full); "" if there is none. */
char *hir_debug_run_describe_waits (HirDebugRun *run);

G_END_DECLS
