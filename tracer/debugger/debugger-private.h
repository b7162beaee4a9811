/* Shared by the files of a debugger. */
#pragma once

#include "debugger/debugger.h"

G_BEGIN_DECLS

struct _HirDebugger
{
  GPtrArray *programs; /* HirContainer* */
  GPtrArray *numbers;  /* GPtrArray* of HirExpr*, one a rank */
  HirDebugMake make;
  gpointer user_data;
  gsize undo_bytes;
  guint64 every; /* rounds between checkpoints */
  HirDebugRun *run; /* nullable */
  HirDebugView view;
  guint rank;
  gboolean alone;
  char *failure; /* why it can't go on; NULL: it can */
  GPtrArray *breakpoints; /* HirBreakpoint* */
  guint n_breakpoints;    /* ever made: the last number */
  gint stop;              /* atomic */
};

/* debugger-break.c: the first breakpoint that rank @i, which is before an instruction, is at; NULL.
 * Counts hits where @counts. */
HirBreakpoint *hir_debugger_find_hit (HirDebugger *debugger, guint i, gboolean counts);
/* The first watch that the last step of rank @i has met; @expr is its instruction. */
HirBreakpoint *hir_debugger_find_written (HirDebugger *debugger,
                                          guint i,
                                          const HirProgramPoint *writer,
                                          gboolean counts);
/* Whether rank @i has just written to T<tensor>. */
gboolean hir_debugger_has_written (HirDebugger *debugger, guint i, int tensor);
gboolean hir_debugger_has_breakpoints (const HirDebugger *debugger, HirBreakKind kind);

/* debugger-back.c */
gboolean hir_debugger_move_back (HirDebugger *debugger,
                                 HirDebugMove move,
                                 guint64 count,
                                 int tensor,
                                 HirDebugStop *stop,
                                 GError **error);

guint32 hir_debugger_get_moving (const HirDebugger *debugger);

G_END_DECLS
