/* A program under a debugger: one cursor over all ranks, breakpoints, and moves by depth. A move
 * blocks; it can be stopped from any thread. Everything else is one thread's. */
#pragma once

#include "debugger/breakpoint.h"
#include "debugger/debug-look.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_MOVE_STEP,     /* into loops: to the next instruction */
  HIR_MOVE_NEXT,     /* over them: at this depth, or above */
  HIR_MOVE_FINISH,   /* out: above this depth */
  HIR_MOVE_UNTIL,    /* as next, and only farther down the text: out of a loop at its end */
  HIR_MOVE_CONTINUE,
  /* and backwards; those to the last state that one would have come from */
  HIR_MOVE_BACK,
  HIR_MOVE_REVERSE_NEXT,
  HIR_MOVE_REVERSE_FINISH,
  HIR_MOVE_REVERSE_CONTINUE,
  HIR_MOVE_BACK_ITERATION, /* to the begin of this iteration, or, there, of the one before */
  HIR_MOVE_BACK_WRITE,     /* before the last write to a tensor */
} HirDebugMove;

typedef enum
{
  HIR_STOP_STEPPED,
  HIR_STOP_BREAK,
  HIR_STOP_WATCH,
  HIR_STOP_ASKED, /* by hir_debugger_request_stop() */
  HIR_STOP_ENDED, /* all ranks are at their ends, and all they issued is done */
  HIR_STOP_HELD,  /* the ranks that are let go can't: they are at their ends, or wait for others */
  HIR_STOP_BEGIN, /* there is nothing farther back */
  HIR_STOP_FAILED,
} HirStopKind;

/* Why it stands where it stands. */
typedef struct
{
  HirStopKind kind;
  guint i;                   /* the rank (of the run, from 0) that it is about */
  guint breakpoint;          /* its number, 0: none */
  const HirExpr *writer;     /* of a watch: who wrote */
  gint32 writer_iteration;
  char *error;               /* nullable: what failed */
  HirPos error_pos;
  gboolean went_back;
  HirRewindMethod way;           /* how, if so */
  guint64 n_again;           /* rounds that were run again */
} HirDebugStop;

void hir_debug_stop_clear (HirDebugStop *stop);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HirDebugStop, hir_debug_stop_clear)

/* Of the undo log, where nothing else is said. */
#define HIR_DEBUG_UNDO_BYTES ((gsize) 256 << 20)

typedef struct _HirDebugger HirDebugger;

/* @programs: one a rank, referenced. @make: makes the session that is debugged, as often as it is
 * needed. */
HirDebugger *hir_debugger_new (HirContainer *const *programs,
                               guint n_programs,
                               HirDebugMake make,
                               gpointer user_data);
void hir_debugger_free (HirDebugger *debugger);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirDebugger, hir_debugger_free)

/* From the start, before the first instruction; what ran before is dropped. */
gboolean hir_debugger_start (HirDebugger *debugger, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* NULL: not started, or it could not be run again. Borrowed. */
HirDebugRun *hir_debugger_get_run (HirDebugger *debugger);
/* Bound of the undo log; holds from the next start too. */
void hir_debugger_set_undo_bytes (HirDebugger *debugger, gsize n_bytes);
/* Rounds between two checkpoints, as hir_debug_run_set_checkpoints(); holds from the next start too. */
void hir_debugger_set_checkpoints (HirDebugger *debugger, guint64 every);

/* Moves @count times, or until something else stops it. @tensor: for BACK_WRITE. FALSE where there
 * is no run, or it must go back first (it has failed, it is at its end). */
gboolean hir_debugger_move (HirDebugger *debugger,
                            HirDebugMove move,
                            guint64 count,
                            int tensor,
                            HirDebugStop *stop,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* TRUE: a breakpoint holds where it stands now, without a move; @stop is filled in. */
gboolean hir_debugger_stop_here (HirDebugger *debugger, HirDebugStop *stop);
/* Any thread and handlers of signals. */
void hir_debugger_request_stop (HirDebugger *debugger);
/* What was asked for while nothing moved is forgotten. */
void hir_debugger_clear_stop (HirDebugger *debugger);

/* The rank that is looked at, from 0; moves count by its depth. */
/* Why the program can't go on from here; NULL: it has not failed, or has gone back since. Borrowed. */
const char *hir_debugger_get_failure (const HirDebugger *debugger);
guint hir_debugger_get_rank (const HirDebugger *debugger);
void hir_debugger_set_rank (HirDebugger *debugger, guint i);
/* Whether moves let the rank that is looked at go alone; else all ranks go together. */
gboolean hir_debugger_get_alone (const HirDebugger *debugger);
void hir_debugger_set_alone (HirDebugger *debugger, gboolean alone);

/* Names are asked of the present state. Borrowed. */
const HirDebugView *hir_debugger_get_view (HirDebugger *debugger);
guint hir_debugger_get_n_ranks (const HirDebugger *debugger);
HirContainer *hir_debugger_get_program (const HirDebugger *debugger, guint i);
/* Instructions of rank @i (HirExpr*), see hir_instruction_numbers(). Borrowed. */
const GPtrArray *hir_debugger_get_numbers (const HirDebugger *debugger, guint i);

/* As hir_breakpoint_new(); borrowed. */
HirBreakpoint *hir_debugger_add_breakpoint (HirDebugger *debugger,
                                            HirBreakKind kind,
                                            const char *text,
                                            GError **error);
/* HirBreakpoint*; borrowed. */
const GPtrArray *hir_debugger_get_breakpoints (const HirDebugger *debugger);
/* FALSE: there is none of that number. */
gboolean hir_debugger_delete_breakpoint (HirDebugger *debugger, guint number);
/* NULL where there is none of that number. Borrowed. */
HirBreakpoint *hir_debugger_lookup_breakpoint (HirDebugger *debugger, guint number);

G_END_DECLS
