/* Accessible names for screen readers. Each control gets the text on it, its tooltip or a fixed
 * name. Main thread. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Returns whether the user operates @widget, for example a button, an entry, a row or a view. */
gboolean hir_names_is_control (GtkWidget *widget);

/* Returns whether @widget needs a name: it is a control, or can get the focus. Scrolled windows
 * need none, because screen readers do not announce them. */
gboolean hir_names_wants_name (GtkWidget *widget);

/* Returns the text that identifies @widget: the current choice, the text on it, its tooltip, or
 * that of the button that contains it; NULL if there is none. Borrowed until the widget changes. */
const char *hir_names_find (GtkWidget *widget);

/* Names @root and its descendants, except those that have a name. */
void hir_names_fill (GtkWidget *root);

/* Calls hir_names_fill() for @window in an idle callback, after its contents changed. */
void hir_names_queue (GtkWindow *window);

/* Calls hir_names_fill() for @window, and names each widget that gets the focus later. */
void hir_names_follow (GtkWindow *window);

/* Like gtk_widget_set_tooltip_text(), but shortens @text (nullable) to the size of a screen. */
void hir_names_set_tooltip (GtkWidget *widget, const char *text);

G_END_DECLS
