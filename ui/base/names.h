/* What screen readers call the controls: each has a name, its own or that of what is written on it or told about it. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Whether a person acts on @widget: presses, types, chooses, walks in it. */
gboolean hir_names_is_control (GtkWidget *widget);
/* Whether it is such a control, or anything else that Tab or a click can come to: a divider, a list. Not what only
 * scrolls, of which a screen reader says nothing. */
gboolean hir_names_wants_name (GtkWidget *widget);
/* The words by which a person would know it: of a list's choice or those on it, else of its tooltip, or of the button that it is part of.
 * NULL: none. Borrowed, until it changes. */
const char *hir_names_find (GtkWidget *widget);
/* Gives a name to all at and below @root that wants one and that nobody has given one. */
void hir_names_fill (GtkWidget *root);
/* The same for @window when nothing else is to be done: it has got new content. */
void hir_names_queue (GtkWindow *window);
/* The same now, and for what gets the focus. */
void hir_names_follow (GtkWindow *window);
/* As gtk_widget_set_tooltip_text(), with as much of it as a screen has room for; nullable. */
void hir_names_set_tooltip (GtkWidget *widget, const char *text);

G_END_DECLS
