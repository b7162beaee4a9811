/* A run in a child process, from the parent's side: this binary as `hirscope run --control FD`.
 * If the run crashes, hangs or aborts, only the child process ends. */
#pragma once

#include "debugger/state.h"
#include "program/program.h"
#include "program/run-settings.h"
#include "run/values/value-summary.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean is_done;              /* the program has finished */
  HirCheckOutcome check_outcome; /* RIGHT also if nothing was checked */
  gboolean is_stopped;           /* ended by hir_run_child_stop() */
  gboolean has_values;           /* hir_run_child_ask() works until the child is freed */
  char *summary;                 /* one line for the status, or the error; never NULL */
  char *inputs;                  /* nullable: given and chosen input shapes, one per line */
  char *check;                   /* nullable: report of the check */
  char *errors;                  /* nullable: end of the standard error of the process */
} HirRunOutcome;

/* Called in the thread-default main context of the caller of hir_run_child_new(). Each callback may
 * free the child. */
typedef struct
{
  void (*trace) (HirTrace *trace, gpointer user_data); /* all events so far; borrowed */
  void (*status) (const char *text, gpointer user_data);
  void (*finished) (const HirRunOutcome *outcome,
                    gpointer user_data); /* once; only value() may follow */
  /* The answer to query @number: either @summary or @error is set, both borrowed. */
  void (*value) (guint number,
                 const HirValueSummary *summary,
                 const GError *error,
                 gpointer user_data);
  /* Nullable. Line @number was executed, or rejected (state->error). @state is borrowed. */
  void (*debugged) (guint number, const HirDebugState *state, gpointer user_data);
} HirRunChildCallbacks;

typedef struct _HirRunChild HirRunChild;

/**
 * hir_run_child_new:
 * @executable: (nullable): path of the program; NULL: this program
 *
 * Starts a child process that runs the request of @program. Does not block.
 *
 * Returns: (transfer full): NULL with HIR_ERROR_RUN if the process cannot be started, or
 *   HIR_ERROR_LIMIT if the script is too large
 */
HirRunChild *hir_run_child_new (HirProgram *program,
                                const HirRunSettings *settings,
                                const char *executable,
                                const HirRunChildCallbacks *callbacks,
                                gpointer user_data,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Stops the run, and kills the process if it does not end within 2 s. finished() is called in any
 * case, also if the process dies, violates the protocol, or sends no handshake within 30 s. */
void hir_run_child_stop (HirRunChild *child);
/* Returns TRUE if a debugged program has been started, so that hir_run_child_ask() works. */
gboolean hir_run_child_has_stood (const HirRunChild *child);
/**
 * hir_run_child_ask:
 *
 * Queries the value of a tensor on rank @rank, after the run or while the debugger is paused.
 * value() is called later, never from this function. One query is in progress at a time; of those
 * made meanwhile, only the last one is answered.
 *
 * Returns: the number of the query, or 0 if the process is gone
 */
guint
hir_run_child_ask (HirRunChild *child, int rank, guint64 tensor_id, const HirValueQuery *query);
/**
 * hir_run_child_debug:
 * @line: a command of debugger/console.h
 *
 * Executes a debugger command after the previous ones; for runs with HirRunSettings.debug.
 * debugged() is called later, never from this function. The program starts with "run" or "start";
 * "quit" ends the process, like hir_run_child_stop().
 *
 * Returns: the number of the line, or 0 if the process is gone or the line is too long
 */
guint hir_run_child_debug (HirRunChild *child, const char *line);
/* Ends the current move soon. The debugged() of its line reports the position. */
void hir_run_child_pause (HirRunChild *child);
/* Kills the process if it is running. No callback is called afterwards. */
void hir_run_child_free (HirRunChild *child);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRunChild, hir_run_child_free)

G_END_DECLS
