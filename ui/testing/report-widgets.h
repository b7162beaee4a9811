/* Reports widgets as JSON: their texts, states and positions. */
#pragma once

#include <gtk/gtk.h>

#include "window/window.h"

G_BEGIN_DECLS

/* Appends @text (nullable) as a JSON string. */
void hir_report_append_string (GString *out, const char *text);

/* Converts a point of @widget to pixels of the X window. Returns FALSE if @widget is not in a
 * window. */
gboolean hir_report_get_place (GtkWidget *widget, double x, double y, double *out_x, double *out_y);

/* Appends an array with all visible buttons, entries, rows and views of @window: kind, name,
 * rectangle, whether the control is usable and has the focus. */
void hir_report_append_controls (GString *out, GtkWidget *window);

/* Appends an array of strings with all focusable widgets of @window that lack an accessible name or
 * role. Empty unless GTK_A11Y is "test". */
void hir_report_append_silent (GString *out, GtkWidget *window);

/* Appends the visible lines of @view, a HirCodeView: number (from 1), text, center, names of the
 * marks. */
void hir_report_append_lines (GString *out, GtkTextView *view);

/* Appends "inspector" (one string per label), "clipboard" (its formats), "panes" (which are
 * visible) and "text_size". */
void hir_report_append_home (GString *out, HirWindow *window);

G_END_DECLS
