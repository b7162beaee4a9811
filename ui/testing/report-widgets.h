/* The half of the report that knows nothing of Hirscope: widgets, their words and places, as JSON. */
#pragma once

#include <gtk/gtk.h>

#include "window/window.h"

G_BEGIN_DECLS

/* @text (nullable) as a JSON string. */
void hir_report_append_string (GString *out, const char *text);
/* A point of @widget in pixels of the toplevel's X window; FALSE where the widget is not in one. */
gboolean hir_report_get_place (GtkWidget *widget, double x, double y, double *out_x, double *out_y);
/* Every button, entry, row and view of @window that is on show: what it is, what it says, its rectangle,
 * whether it can be used and has the focus. An array of objects. */
void hir_report_append_controls (GString *out, GtkWidget *window);
/* What can have the focus in @window and has no name or no role for a screen reader: kinds of widgets, strings. Empty unless
 * GTK_A11Y is "test". */
void hir_report_append_silent (GString *out, GtkWidget *window);
/* The lines of @view, an HirCodeView, that are on show: number (from 1), text, middle, names of its marks. */
void hir_report_append_lines (GString *out, GtkTextView *view);

/* "inspector": what is written there, a string a label; "clipboard": its formats; "panes": which are shown; "text_size". */
void hir_report_append_home (GString *out, HirWindow *window);

G_END_DECLS
