#include "graph-legend.h"

#include "canvas.h"
#include "draw/graph-scene.h"
#include "draw/text-cache.h"

struct _HirGraphLegend
{
  GtkWidget parent_instance;
  gboolean is_diff;
  HirTextCache *texts;
};

G_DEFINE_FINAL_TYPE (HirGraphLegend, hir_graph_legend, GTK_TYPE_WIDGET)

#define LEGEND_MARGIN 10

static void
hir_graph_legend_measure (GtkWidget *widget,
                          GtkOrientation orientation,
                          int for_size,
                          int *minimum,
                          int *natural,
                          int *minimum_baseline,
                          int *natural_baseline)
{
  double height = hir_graph_scene_draw_legend (hir_canvas_get_theme (), NULL,
                                               HIR_GRAPH_LEGEND (widget)->is_diff, 0, 0);

  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL
                            ? HIR_LEGEND_WIDTH + 2 * LEGEND_MARGIN
                            : (int) height + 2 * LEGEND_MARGIN;
}

static void
hir_graph_legend_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  HirGraphLegend *self = HIR_GRAPH_LEGEND (widget);
  HirDisplayList *list = hir_display_list_new ();
  const HirTheme *theme = hir_canvas_get_theme ();

  hir_graph_scene_draw_legend (theme, list, self->is_diff, LEGEND_MARGIN, LEGEND_MARGIN);
  hir_canvas_snapshot (widget, snapshot, list, self->texts, theme->panel, 1, 0, 0);
  hir_display_list_free (list);
}

static void
hir_graph_legend_finalize (GObject *object)
{
  hir_text_cache_free (HIR_GRAPH_LEGEND (object)->texts);
  G_OBJECT_CLASS (hir_graph_legend_parent_class)->finalize (object);
}

static void
hir_graph_legend_class_init (HirGraphLegendClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = hir_graph_legend_finalize;
  GTK_WIDGET_CLASS (klass)->measure = hir_graph_legend_measure;
  GTK_WIDGET_CLASS (klass)->snapshot = hir_graph_legend_snapshot;
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "graphlegend");
}

static void
hir_graph_legend_init (HirGraphLegend *self)
{
  self->texts = hir_text_cache_new ();
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, "Legend",
                                  -1);
  hir_canvas_follow_style (GTK_WIDGET (self));
}

GtkWidget *
hir_graph_legend_new (void)
{
  return g_object_new (HIR_TYPE_GRAPH_LEGEND, "valign", GTK_ALIGN_START, NULL);
}

void
hir_graph_legend_set_diff (HirGraphLegend *self, gboolean is_diff)
{
  if (self->is_diff == is_diff)
    return;
  self->is_diff = is_diff;
  gtk_widget_queue_resize (GTK_WIDGET (self));
}
