#include "window/window-check.h"

#include "document/document-edit.h"

#define PANEL_HEIGHT 150

void
hir_window_check (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *self = HIR_WINDOW (widget);

  if (hir_document_get_program (self->document) == NULL || !hir_window_has_passes (self))
    return;
  gtk_widget_set_visible (GTK_WIDGET (self->check), TRUE);
  if (gtk_toggle_button_get_active (self->show_stats))
    gtk_toggle_button_set_active (self->show_graph, TRUE);
  self->checks_when_lowered = hir_document_get_is_lowering (self->document);
  hir_check_page_begin (self->check, hir_window_get_n_streams (self));
}

void
hir_window_check_cancel (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hir_check_page_cancel (HIR_WINDOW (widget)->check);
}

void
hir_window_check_close (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *self = HIR_WINDOW (widget);

  self->checks_when_lowered = FALSE;
  hir_check_page_cancel (self->check);
  hir_selection_set_pair (self->selection, NULL, NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->check), FALSE);
}

void
hir_window_check_fix (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hir_check_page_fix (HIR_WINDOW (widget)->check, g_variant_get_int32 (parameter));
}

/* What lacks an order is best seen beside the streams. */
static void
on_chosen (HirCheckPage *page, gpointer user_data)
{
  HirWindow *self = user_data;
  guint64 first, second;

  if (hir_selection_get_pair (self->selection, &first, &second))
    {
      gtk_toggle_button_set_active (self->show_lanes, TRUE);
      hir_graph_view_fit (self->graph);
    }
}

static void
on_fixed (HirCheckPage *page, gpointer request, const char *what, gpointer user_data)
{
  HirWindow *self = user_data;

  self->runs_when_lowered = TRUE;
  hir_document_edit (self->document, request, what);
  hir_window_toast (self, what);
}

static void
on_failed (HirCheckPage *page, const char *what, const char *why, gpointer user_data)
{
  hir_window_alert (user_data, what, why);
}

void
hir_window_check_on_program (HirWindow *self)
{
  if (hir_document_get_is_lowering (self->document) || hir_document_is_outdated (self->document))
    return;
  if (self->runs_when_lowered)
    gtk_widget_activate_action (GTK_WIDGET (self), "win.run", NULL);
  if (self->runs_when_lowered || self->checks_when_lowered)
    gtk_widget_activate_action (GTK_WIDGET (self), "win.check", NULL);
  self->runs_when_lowered = self->checks_when_lowered = FALSE;
}

GtkWidget *
hir_window_create_check (HirWindow *self, GtkWidget *above)
{
  GtkWidget *paned = gtk_paned_new (GTK_ORIENTATION_VERTICAL);
  GtkWidget *page = hir_check_page_new (self->selection);

  self->check = HIR_CHECK_PAGE (page);
  gtk_widget_set_size_request (page, -1, PANEL_HEIGHT);
  gtk_widget_set_visible (page, FALSE);
  gtk_paned_set_start_child (GTK_PANED (paned), above);
  gtk_paned_set_end_child (GTK_PANED (paned), page);
  gtk_paned_set_shrink_start_child (GTK_PANED (paned), FALSE);
  gtk_paned_set_shrink_end_child (GTK_PANED (paned), FALSE);
  gtk_paned_set_resize_end_child (GTK_PANED (paned), FALSE);
  gtk_widget_set_vexpand (paned, TRUE);
  g_signal_connect (page, "chosen", G_CALLBACK (on_chosen), self);
  g_signal_connect (page, "fixed", G_CALLBACK (on_fixed), self);
  g_signal_connect (page, "failed", G_CALLBACK (on_failed), self);
  return paned;
}
