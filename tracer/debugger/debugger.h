/* The debugger: runs a host program on all ranks, step by step, forward and backward.
 *
 * The parts of this folder, from the bottom up:
 *   run         debug-run*.c, debug-workers.c, debug-quiesce.c, debug-checkpoint.c, debug-back.c:
 *               one execution of all ranks, in rounds; going back; inspection in debug-look.c,
 *               debug-names.c and debug-compare.c
 *   expression  debug-expr*.c: conditions and print, in C syntax
 *   debugger    debugger*.c, breakpoint.c: breakpoints and moves (step, next, continue, back ...)
 *   program     debug-program.c: creates the sessions for a lowered or printed program
 *   console     console*.c: gdb's commands; a line in, text out
 *   state       state.c, state-read.c: the paused program as data, for another process
 *   server      debug-server.c: serves console lines and value queries over the control protocol
 *
 * Moves block. One thread uses a debugger; only hir_debugger_request_stop() may be called from
 * another thread or a signal handler. */
#pragma once

#include "debugger/breakpoint.h"
#include "debugger/debug-look.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_MOVE_STEP,   /* to the next instruction, into loops */
  HIR_MOVE_NEXT,   /* to the next instruction at this loop depth or above, over loops */
  HIR_MOVE_FINISH, /* to the next instruction above this loop depth */
  HIR_MOVE_UNTIL,  /* like HIR_MOVE_NEXT, but only forward in the text: leaves a loop at its end */
  HIR_MOVE_CONTINUE, /* to the next breakpoint */
  /* Backward moves. They stop at the last earlier state that satisfies the condition. */
  HIR_MOVE_BACK,
  HIR_MOVE_REVERSE_NEXT,
  HIR_MOVE_REVERSE_FINISH,
  HIR_MOVE_REVERSE_CONTINUE,
  HIR_MOVE_BACK_ITERATION, /* to the start of this iteration; from there, of the previous one */
  HIR_MOVE_BACK_WRITE,     /* to before the last write to a tensor */
} HirDebugMove;

typedef enum
{
  HIR_STOP_STEPPED,
  HIR_STOP_BREAK,
  HIR_STOP_WATCH,
  HIR_STOP_ASKED, /* hir_debugger_request_stop() was called */
  HIR_STOP_ENDED, /* all ranks have ended, and all work that they issued has finished */
  HIR_STOP_HELD,  /* the selected ranks have ended or wait for ranks that are held */
  HIR_STOP_BEGIN, /* at the start of the program; only backward moves stop here */
  HIR_STOP_FAILED,
} HirStopKind;

/* Why a move stopped. */
typedef struct
{
  HirStopKind kind;
  guint i;                 /* index of the rank that caused the stop */
  guint breakpoint;        /* number of the breakpoint; 0: none */
  const HirExpr *writer;   /* the instruction that wrote; NULL if the stop is not after a write */
  gint32 writer_iteration; /* iteration of the writer */
  char *error;             /* nullable: the failure, or why the condition had no value */
  HirPos error_pos;
  gboolean went_back;
  HirRewindMethod method; /* method of a backward move */
  guint64 n_replayed;     /* replayed rounds of a backward move */
} HirDebugStop;

/* Frees the members of @stop. */
void hir_debug_stop_clear (HirDebugStop *stop);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HirDebugStop, hir_debug_stop_clear)

/* Default size of the undo log. */
#define HIR_DEBUG_UNDO_BYTES ((gsize) 256 << 20)

typedef struct _HirDebugger HirDebugger;

/**
 * hir_debugger_new:
 * @programs: (array length=n_programs): one program per rank; referenced
 * @make: creates the session to debug; called at each start and when a replay needs a new session
 *
 * Creates a debugger. The program does not run before hir_debugger_start().
 */
HirDebugger *hir_debugger_new (HirContainer *const *programs,
                               guint n_programs,
                               HirDebugMake make,
                               gpointer user_data);
/* Sets the extents of inputs and numberOfStreams of the later runs (takes ownership), for the check
 * of breakpoints. */
void hir_debugger_set_sizes (HirDebugger *debugger, HirEnv *sizes);
void hir_debugger_free (HirDebugger *debugger);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirDebugger, hir_debugger_free)

/* Drops the current run, creates a new one, and pauses it before its first instruction. */
gboolean hir_debugger_start (HirDebugger *debugger, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Returns the current run (borrowed), or NULL if none was started or a replay failed to start. */
HirDebugRun *hir_debugger_get_run (HirDebugger *debugger);
/* Sets the maximum size of the undo log, for this run and later ones. */
void hir_debugger_set_undo_bytes (HirDebugger *debugger, gsize n_bytes);
/* Sets the distance of checkpoints, for this run and later ones; see
 * hir_debug_run_set_checkpoints(). */
void hir_debugger_set_checkpoints (HirDebugger *debugger, guint64 every);

/**
 * hir_debugger_move:
 * @count: number of repetitions; the first stop for another reason ends the move
 * @tensor: name of the tensor, for HIR_MOVE_BACK_WRITE
 * @stop: (out): why the move stopped; clear with hir_debug_stop_clear()
 *
 * Moves forward or backward. Blocks. A failure of the program is not an error: see @stop.
 *
 * Returns: FALSE if there is no run, or if only a backward move is possible (the program has
 *   failed or ended)
 */
gboolean hir_debugger_move (HirDebugger *debugger,
                            HirDebugMove move,
                            guint64 count,
                            int tensor,
                            HirDebugStop *stop,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Returns TRUE and fills in @stop if a breakpoint matches the current position. */
gboolean hir_debugger_stop_here (HirDebugger *debugger, HirDebugStop *stop);
/* Ends the current move soon. Call from any thread or a signal handler. */
void hir_debugger_request_stop (HirDebugger *debugger);
/* Discards a stop request that arrived while no move was in progress. */
void hir_debugger_clear_stop (HirDebugger *debugger);

/* Returns the error that ended the program (borrowed), or NULL if it has not failed or a backward
 * move has left the failure. */
const char *hir_debugger_get_failure (const HirDebugger *debugger);
/* Returns the index of the displayed rank. Moves compare against the loop depth of this rank. */
guint hir_debugger_get_rank (const HirDebugger *debugger);
/* Selects the displayed rank by index. */
void hir_debugger_set_rank (HirDebugger *debugger, guint i);
/* Returns TRUE if moves step only the displayed rank, FALSE if they step all ranks. */
gboolean hir_debugger_get_alone (const HirDebugger *debugger);
/* Sets whether moves step only the displayed rank and hold the others. */
void hir_debugger_set_alone (HirDebugger *debugger, gboolean alone);

/* Returns the view of the displayed rank (borrowed), for expressions. */
const HirDebugView *hir_debugger_get_view (HirDebugger *debugger);
/* Returns the number of ranks. */
guint hir_debugger_get_n_ranks (const HirDebugger *debugger);
/* Returns the program of rank @i (borrowed). */
HirContainer *hir_debugger_get_program (const HirDebugger *debugger, guint i);
/* Returns the instructions of rank @i (HirExpr*, borrowed); see hir_instruction_numbers(). */
const GPtrArray *hir_debugger_get_numbers (const HirDebugger *debugger, guint i);

/* Adds a breakpoint; see hir_breakpoint_new(). Returns it (borrowed). */
HirBreakpoint *hir_debugger_add_breakpoint (HirDebugger *debugger,
                                            HirBreakKind kind,
                                            const char *text,
                                            GError **error);
/* Returns all breakpoints (HirBreakpoint*, borrowed). */
const GPtrArray *hir_debugger_get_breakpoints (const HirDebugger *debugger);
/* Deletes breakpoint @number. Returns FALSE if it does not exist. */
gboolean hir_debugger_delete_breakpoint (HirDebugger *debugger, guint number);
/* Returns breakpoint @number (borrowed), or NULL if it does not exist. */
HirBreakpoint *hir_debugger_lookup_breakpoint (HirDebugger *debugger, guint number);

G_END_DECLS
