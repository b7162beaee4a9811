/* Reports widgets as JSON: their texts, states and positions. */
#pragma once

#include <gtk/gtk.h>

#include "trace/json-out.h"
#include "window/window.h"

G_BEGIN_DECLS

/* Adds a string, "" if @text is NULL. */
void hir_report_add_string (HirJsonOut *json, const char *key, const char *text);

/* Adds the family of the font of @widget. */
void hir_report_add_font (HirJsonOut *json, const char *key, GtkWidget *widget);

/* Adds the id of a node. */
void hir_report_add_id (HirJsonOut *json, const char *key, guint64 id);

/* Adds "x" and "y", rounded towards 0. */
void hir_report_add_place (HirJsonOut *json, double x, double y);

/* Converts a point of @widget to pixels of the X window. Returns FALSE if @widget is not in a
 * window. */
gboolean hir_report_get_place (GtkWidget *widget, double x, double y, double *out_x, double *out_y);

/* Adds "controls", all visible buttons, entries, rows and views of @window: kind, name, rectangle,
 * whether the control is usable and has the focus. */
void hir_report_add_controls (HirJsonOut *json, GtkWidget *window);

/* Adds "silent", the names of all focusable widgets of @window that lack an accessible name or
 * role. Empty unless GTK_A11Y is "test". */
void hir_report_add_silent (HirJsonOut *json, GtkWidget *window);

/* Adds the visible lines of @view, a HirCodeView, to an array: number (from 1), text, its
 * displayed part, height, center, names of the marks. */
void hir_report_add_lines (HirJsonOut *json, GtkTextView *view);

/* Adds the texts of the visible labels below @widget, from top to bottom. */
void hir_report_add_labels (HirJsonOut *json, GtkWidget *widget);

/* Adds "inspector" (one string per label), "clipboard" (its formats), "runs", "outdated" (the strip
 * above the text, one string per label), "bisect", "pass_labels" and "toasts" (likewise), "toast_s"
 * (time of the last one), "panes" (which are visible) and "text_size". */
void hir_report_add_home (HirJsonOut *json, HirWindow *window);

G_END_DECLS
