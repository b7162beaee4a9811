#include "timeline/timeline-pane.h"

#include "canvas/scaler.h"
#include "canvas/scroller.h"
#include "config.h"
#include "draw/timeline/minimap-scene.h"

struct _HirTimelinePane
{
  GtkWidget parent_instance;

  GtkWidget *box;
  HirTimelineView *view;
  HirTimelineSearch *search;
  HirTimelineMinimap *minimap;
};

G_DEFINE_FINAL_TYPE (HirTimelinePane, hir_timeline_pane, GTK_TYPE_WIDGET)

HirTimelineView *
hir_timeline_pane_get_view (HirTimelinePane *self)
{
  return self->view;
}

HirTimelineSearch *
hir_timeline_pane_get_search (HirTimelinePane *self)
{
  return self->search;
}

#if HIR_TESTING
HirTimelineMinimap *
hir_timeline_pane_get_minimap (HirTimelinePane *self)
{
  return self->minimap;
}
#endif

double
hir_timeline_pane_get_full_height (HirTimelinePane *self)
{
  return hir_timeline_view_get_full_height (self->view) + HIR_MINIMAP_HEIGHT;
}

static void
on_found (HirTimelinePane *self)
{
  hir_timeline_minimap_set_found (self->minimap, hir_timeline_search_get_found (self->search));
}

static void
hir_timeline_pane_dispose (GObject *object)
{
  HirTimelinePane *self = HIR_TIMELINE_PANE (object);

  if (self->search != NULL)
    g_signal_handlers_disconnect_by_data (self->search, self);
  self->search = NULL;
  g_clear_pointer (&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS (hir_timeline_pane_parent_class)->dispose (object);
}

static void
hir_timeline_pane_class_init (HirTimelinePaneClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_timeline_pane_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
hir_timeline_pane_init (HirTimelinePane *self)
{
}

GtkWidget *
hir_timeline_pane_new (HirSelection *selection)
{
  HirTimelinePane *self = g_object_new (HIR_TYPE_TIMELINE_PANE, NULL);
  GtkWidget *view = hir_timeline_view_new (selection);
  GtkWidget *pictures = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  self->view = HIR_TIMELINE_VIEW (view);
  self->search = HIR_TIMELINE_SEARCH (hir_timeline_search_new (selection, view));
  self->minimap = HIR_TIMELINE_MINIMAP (hir_timeline_minimap_new (selection, self->view));
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_widget_set_hexpand (view, TRUE);
  gtk_widget_set_vexpand (view, TRUE);
  gtk_widget_set_size_request (view, -1, 100);
  gtk_box_append (GTK_BOX (pictures), GTK_WIDGET (self->minimap));
  gtk_box_append (GTK_BOX (pictures), view);
  gtk_box_append (GTK_BOX (row), hir_scaler_new (pictures));
  gtk_box_append (GTK_BOX (row), hir_scrollbar_new (hir_timeline_view_get_adjustment (self->view)));
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->search));
  gtk_box_append (GTK_BOX (self->box), row);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  g_signal_connect_swapped (self->search, "found-changed", G_CALLBACK (on_found), self);
  return GTK_WIDGET (self);
}
