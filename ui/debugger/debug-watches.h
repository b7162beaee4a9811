/* Watched expressions of a window: a list that stays across steps and debug sessions, and their
 * values at the current position. In the program they are the expressions of the command display.
 * No GTK. Call on the main thread. */
#pragma once

#include "debugger/state.h"

G_BEGIN_DECLS

typedef struct
{
  char *text;   /* the expression, "T5[0, :]" */
  guint number; /* of the program's display; 0 if it has none yet */
  char *value;  /* nullable: in one line */
  char *detail; /* nullable: all that print shows */
  guint64 digest;
  gboolean is_error;   /* value is the reason why there is none */
  gboolean is_changed; /* the last move changed the value */
} HirWatch;

typedef struct _HirDebugWatches HirDebugWatches;

HirDebugWatches *hir_debug_watches_new (void);
void hir_debug_watches_free (HirDebugWatches *watches);
/* Returns all watches, HirWatch* (borrowed). */
const GPtrArray *hir_debug_watches_get (const HirDebugWatches *watches);
/* Adds @text without spaces around it. Returns the new watch (borrowed), or NULL if there is one
 * with this text or it is empty. */
const HirWatch *hir_debug_watches_add (HirDebugWatches *watches, const char *text);
/* Removes the watch @text. Returns the number of its display in the program, or 0. */
guint hir_debug_watches_remove (HirDebugWatches *watches, const char *text);
/* Removes all watches: another document was opened. */
void hir_debug_watches_clear (HirDebugWatches *watches);
/* Notes that the program rejected the watch @text. */
void hir_debug_watches_reject (HirDebugWatches *watches, const char *text, const char *why);
/* Takes the values of @state, and its displays that were added or deleted by other means. Marks
 * changed values if @has_moved. */
void
hir_debug_watches_take (HirDebugWatches *watches, const HirDebugState *state, gboolean has_moved);
/* Drops the values, because the program is no longer debugged. */
void hir_debug_watches_end (HirDebugWatches *watches);

G_END_DECLS
