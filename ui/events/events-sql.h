/* Editor of the SQL of the events table. */
#pragma once

#include <gtk/gtk.h>

#include "diagnostic.h"

G_BEGIN_DECLS

#define HIR_TYPE_EVENTS_SQL (hir_events_sql_get_type ())
G_DECLARE_FINAL_TYPE (HirEventsSql, hir_events_sql, HIR, EVENTS_SQL, GtkWidget)

/* Signal `run`, without arguments: the user wants the rows of the text. */
GtkWidget *hir_events_sql_new (void);
/* Returns the text (transfer full). */
char *hir_events_sql_dup_text (HirEventsSql *self);
/* Replaces the text, unless the user has written one. */
void hir_events_sql_suggest (HirEventsSql *self, const char *text);
/* Underlines the word at @pos (nullable), and moves the cursor there; NULL removes the line. */
void hir_events_sql_mark_error (HirEventsSql *self, const HirPos *pos);
/* Returns the underlined text (transfer full), or NULL. For tests. */
char *hir_events_sql_dup_marked (HirEventsSql *self);

G_END_DECLS
