/* Internal declarations of the debugger's controller. */
#pragma once

#include "base/document-memory.h"
#include "debugger/debug-breaks.h"
#include "debugger/debug-watches.h"
#include "debugger/state.h"
#include "window/debug-controller.h"

G_BEGIN_DECLS

/* A line that was sent to the program and has no answer yet. */
typedef struct
{
  guint number;
  guint key; /* of the breakpoint that the line sets, or 0 */
  char *text;
} HirDebugSent;

struct _HirDebugController
{
  HirWindow *window; /* borrowed */
  HirDebugPage *page;
  GPtrArray *breaks; /* HirBreak* */
  HirDebugWatches *watches;
  HirDocumentMemory *memory; /* breakpoints and watches of all documents */
  char *document;            /* nullable: key of the current document in memory */
  GQueue *sent;              /* HirDebugSent*, oldest first */
  gboolean is_debugging;
  gboolean restarts;  /* debug again when the run has ended */
  gboolean has_state; /* the program has been paused since it was started */
  guint64 pointer;    /* the next instruction, or 0 */
  guint64 round;
  guint64 last_round; /* the highest round so far: earlier ones are recorded */
  guint n_answers;
  char *place;      /* nullable: "Stopped on rank 1 before program line 12, ..." */
  guint slow;       /* timeout that sets is_slow, or 0 */
  gboolean is_slow; /* the oldest answer is overdue, so that the status shows its line */
};

/* debug-session.c */

/* Frees @sent. */
void hir_debug_sent_free (HirDebugSent *sent);

/* Sends @line to the debugged program. @key is that of the breakpoint that the line sets, or 0. */
void hir_debug_controller_send (HirDebugController *self, const char *line, guint key);

/* Starts or stops the timeout of the oldest line without an answer. */
void hir_debug_controller_update_slow (HirDebugController *self);

/* Stores the breakpoints and watched expressions for the current document. */
void hir_debug_controller_store (HirDebugController *self);

/* Sends all watched expressions to a program that is about to start. */
void hir_debug_watches_send (HirDebugController *self);

/* Shows the watched expressions in the panel. */
void hir_debug_watches_show (HirDebugController *self);

/* Takes over the watched expressions of @state, the answer to @line (nullable). */
void hir_debug_watches_answer (HirDebugController *self,
                               const char *line,
                               const HirDebugState *state,
                               gboolean has_moved);

/* debug-breakpoints.c */

/* Restores the breakpoints and watched expressions of the document that was opened. */
void hir_debug_breakpoints_open (HirDebugController *self);

/* Finds the instructions of all breakpoints in the current programs. */
void hir_debug_breakpoints_bind (HirDebugController *self);

/* Shows the breakpoints in the panel, in the text and in the graph. */
void hir_debug_breakpoints_show (HirDebugController *self);

/* Sends all breakpoints to a program that is about to start. */
void hir_debug_breakpoints_send (HirDebugController *self);

/* Takes over the breakpoints of @state. @key is that of the breakpoint whose line @state answers,
 * or 0. */
void hir_debug_breakpoints_take (HirDebugController *self, guint key, const HirDebugState *state);

G_END_DECLS
