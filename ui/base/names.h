/* Accessible names for screen readers. Each control gets the text on it, its tooltip or a fixed
 * name. Main thread. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Names @root and its descendants, except those that have a name. */
void hir_names_fill (GtkWidget *root);

/* Calls hir_names_fill() for @window in an idle callback, after its contents changed. */
void hir_names_queue (GtkWindow *window);

/* Calls hir_names_fill() for @window, and names each widget that gets the focus later. */
void hir_names_follow (GtkWindow *window);

/* Like gtk_widget_set_tooltip_text(), but shortens @text (nullable) to the size of a screen. */
void hir_names_set_tooltip (GtkWidget *widget, const char *text);

/* Returns @text as the label of a menu entry, where an underscore would mark a key (transfer full).
 */
char *hir_names_dup_menu_label (const char *text);

/* What tests read of a widget. */
typedef struct
{
  gboolean is_control; /* the user operates it: for example a button, an entry, a row or a view */
  gboolean wants_name; /* it is a control, or can get the focus */
  const char *words;   /* nullable, borrowed: text that identifies a control, such as its label */
} HirNameFacts;

/* For tests. */
HirNameFacts hir_names_inspect (GtkWidget *widget);

G_END_DECLS
