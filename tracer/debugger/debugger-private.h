/* Internal declarations of the debugger object. */
#pragma once

#include "debugger/debugger.h"

G_BEGIN_DECLS

struct _HirDebugger
{
  GPtrArray *programs; /* HirContainer*, one per rank */
  GPtrArray *numbers;  /* GPtrArray* of HirExpr*, one per rank */
  HirDebugMake make;
  gpointer user_data;
  HirEnv *sizes; /* nullable */
  gsize undo_bytes;
  guint64 every;    /* rounds between checkpoints; 0: automatic */
  HirDebugRun *run; /* nullable */
  HirDebugView view;
  guint rank; /* index of the displayed rank */
  gboolean alone;
  char *failure;          /* nullable: why the program cannot continue */
  GPtrArray *breakpoints; /* HirBreakpoint* */
  guint n_breakpoints;    /* number of the last breakpoint that was created */
  gint stop;              /* atomic; TRUE if a stop is requested */
};

/* debugger-break.c */

/* Returns the first breakpoint that matches the next instruction of rank @i, or NULL. Counts the
 * hit if @counts is TRUE. */
HirBreakpoint *hir_debugger_find_hit (HirDebugger *debugger, guint i, gboolean counts);
/* Returns the first watchpoint or other breakpoint after writes whose tensor was written by the
 * last step of rank @i, or NULL.
 * @writer is the position of that step. */
HirBreakpoint *hir_debugger_find_written (HirDebugger *debugger,
                                          guint i,
                                          const HirProgramPoint *writer,
                                          gboolean counts);
/* Returns TRUE if the last step of rank @i wrote to memory of T<tensor>. */
gboolean hir_debugger_has_written (HirDebugger *debugger, guint i, int tensor);
/* Returns TRUE if there is an enabled breakpoint that stops after writes, or before instructions.
 */
gboolean hir_debugger_has_breakpoints (const HirDebugger *debugger, gboolean is_after);

/* Returns the positions of all ranks before a round (transfer full): the possible
 * writers. `expr` is NULL if the rank cannot step. */
HirProgramPoint *hir_debugger_dup_points (HirDebugger *debugger);
/* Fills in @stop for @breakpoint (nullable) on rank @i, after the instruction at @writer
 * (nullable). Returns FALSE if @breakpoint is NULL. */
gboolean hir_debugger_stop_at (HirDebugger *debugger,
                               const HirBreakpoint *breakpoint,
                               guint i,
                               const HirProgramPoint *writer,
                               HirDebugStop *stop);

/* debugger-back.c: the backward part of hir_debugger_move(). */
gboolean hir_debugger_move_back (HirDebugger *debugger,
                                 HirDebugMove move,
                                 guint64 count,
                                 int tensor,
                                 HirDebugStop *stop,
                                 GError **error);

/* Returns the ranks that a move steps, as bits. */
guint32 hir_debugger_get_moving (const HirDebugger *debugger);

G_END_DECLS
