/* Shared by the files of the window's debugger. */
#pragma once

#include "debugger/debug-breaks.h"
#include "debugger/debug-page.h"
#include "base/document-memory.h"
#include "window/window-debug.h"

G_BEGIN_DECLS

/* Of a window, freed with it. */
typedef struct
{
  HirDebugPage *page;
  GPtrArray *breaks;         /* HirBreak* */
  HirDocumentMemory *memory; /* where they are kept */
  char *document;            /* nullable: what they are kept for */
  GQueue *sent;              /* lines that are not answered */
  gboolean is_debugging;
  gboolean has_state; /* the program stands somewhere */
  guint64 pointer;
  guint64 round;
  guint64 last_round; /* the farthest that it came: so far it is recorded */
  guint n_answers;
  char *place;      /* nullable: "Stopped on rank 1 before #12 ..." */
  guint slow;       /* the timeout that makes it so; 0: none */
  gboolean is_slow; /* what was asked for takes long enough to be told */
} HirDebugging;

HirDebugging *hir_window_get_debugging (HirWindow *self);
/* To the program that is debugged. @key: of the breakpoint that it tells of, 0: of none. */
void hir_window_debug_send (HirWindow *self, const char *line, guint key);
/* The panel comes into sight. */
void hir_window_debug_show_panel (HirWindow *self);

/* window-mismatch.c: after the panel was made. */
void hir_window_mismatch_connect (HirWindow *self);

/* window-breaks.c. Another document: its breakpoints. */
void hir_window_breaks_open (HirWindow *self);
/* Another program: what they are in it. */
void hir_window_breaks_bind (HirWindow *self);
/* Panel, margin and graph show them as they are now. */
void hir_window_breaks_show (HirWindow *self);
/* All of them, to a program that is about to start. */
void hir_window_breaks_tell (HirWindow *self);
/* @key: of the breakpoint whose line this answers, 0: of none. */
void hir_window_breaks_take (HirWindow *self, guint key, const HirDebugState *state);

G_END_DECLS
