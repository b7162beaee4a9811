/* The window's actions that are about the graph and about comparing. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* As GtkWidgetActionActivateFunc; @name says which of `win.graph-*` it is. */
void hir_window_graph_action (GtkWidget *widget, const char *name, GVariant *parameter);
/* Switches the setting: boxes glide, or nothing does. */
void hir_window_animate (GtkWidget *widget, const char *name, GVariant *parameter);
/* `win.text-fold` and `win.text-unfold-all`: in the program text. */
void hir_window_text_fold (GtkWidget *widget, const char *name, GVariant *parameter);
/* Asks what to compare with; `win.compare-end`: with the step before again. */
void hir_window_compare (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_compare_end (GtkWidget *widget, const char *name, GVariant *parameter);
/* `win.next-difference` or previous, in the text. */
void hir_window_go_difference (GtkWidget *widget, const char *name, GVariant *parameter);
/* The difference beside each other, or in one. */
void hir_window_side_by_side (GtkWidget *widget, const char *name, GVariant *parameter);

G_END_DECLS
