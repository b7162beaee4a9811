/* A run in a process of its own, seen from the one that watches: this same binary as `hirscope run --control
 * FD`. A crash, a hang or an abort of the run ends the child, never the window. */
#pragma once

#include "debugger/state.h"
#include "program/program.h"
#include "program/run-settings.h"
#include "run/values/value-summary.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean is_done;      /* the program ran to its end */
  gboolean check_failed; /* it did, and its numbers are wrong */
  gboolean is_stopped;   /* by hir_run_child_stop() */
  gboolean has_values;   /* the process stays, and hir_run_child_ask() can be used until the child is freed */
  char *summary;         /* a line for the status: what was done, or what failed; never NULL */
  char *inputs;          /* nullable: the shapes that were given and chosen, a line each */
  char *check;           /* nullable: the report of the check */
  char *errors;          /* nullable: the end of what the process wrote to standard error */
} HirRunOutcome;

/* Called in the thread-default main context of hir_run_child_new()'s caller. The child may be freed in any of
 * them. */
typedef struct
{
  void (*trace) (HirTrace *trace, gpointer user_data); /* all that has been recorded so far; borrowed */
  void (*status) (const char *text, gpointer user_data);
  void (*finished) (const HirRunOutcome *outcome, gpointer user_data); /* once; nothing but values comes after it */
  /* The answer to question @number; both are borrowed, and one of them is NULL. */
  void (*value) (guint number, const HirValueSummary *summary, const GError *error, gpointer user_data);
  /* Nullable. The line of that number was done, or not: state->error. Borrowed. */
  void (*debugged) (guint number, const HirDebugState *state, gpointer user_data);
} HirRunChildCallbacks;

typedef struct _HirRunChild HirRunChild;

/* Starts the child with @program's request. @executable: NULL for this very program. Never blocks. Errors:
 * HIR_ERROR_RUN where it can't be started, HIR_ERROR_LIMIT where the script is too large. */
HirRunChild *hir_run_child_new (HirProgram *program,
                                const HirRunSettings *settings,
                                const char *executable,
                                const HirRunChildCallbacks *callbacks,
                                gpointer user_data,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Asks it to end; what does not within two seconds is killed. finished() comes in either case, as it does
 * for a process that dies, speaks no protocol, or says nothing for half a minute. */
void hir_run_child_stop (HirRunChild *child);
/* A program that is debugged has come to stand somewhere: hir_run_child_ask() asks what it has there. */
gboolean hir_run_child_has_stood (const HirRunChild *child);
/* Asks for a tensor of rank @rank's program, after the run: value() is called, never from within this call. One question is
 * under way at a time: of those asked meanwhile only the last is put, and the others get no answer. Returns its number; 0 where
 * the process has gone. */
guint hir_run_child_ask (HirRunChild *child, int rank, guint64 tensor_id, const HirValueQuery *look);
/* Where the settings said debug: @line, of debug/console.h, is done after those before it, and debugged() is
 * called, never from within this call. Nothing is run before "run" or "start"; "quit" ends it, as stop does. Returns its
 * number; 0 where the process has gone, or the line is too long. */
guint hir_run_child_debug (HirRunChild *child, const char *line);
/* What the line that is under way has set going ends soon; its debugged() says where. */
void hir_run_child_pause (HirRunChild *child);
/* Kills what still runs; no callback comes any more. */
void hir_run_child_free (HirRunChild *child);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRunChild, hir_run_child_free)

G_END_DECLS
