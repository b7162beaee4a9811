#include "graph/graph-legend.h"

#include "canvas/canvas.h"
#include "draw/graph/graph-scene.h"
#include "draw/text-cache.h"

struct _HirGraphLegend
{
  GtkWidget parent_instance;
  guint32 rows;
  guint n_columns;
  HirTextCache *texts;
};

G_DEFINE_FINAL_TYPE (HirGraphLegend, hir_graph_legend, GTK_TYPE_WIDGET)

#define LEGEND_MARGIN 10
/* border and margins around the legend, as in style.css */
#define LEGEND_AROUND 22

static int
get_inner_width (guint n_columns)
{
  return (int) n_columns * HIR_LEGEND_WIDTH + 2 * LEGEND_MARGIN;
}

static void
hir_graph_legend_measure (GtkWidget *widget,
                          GtkOrientation orientation,
                          int for_size,
                          int *minimum,
                          int *natural,
                          int *minimum_baseline,
                          int *natural_baseline)
{
  HirGraphLegend *self = HIR_GRAPH_LEGEND (widget);
  double height = hir_graph_scene_draw_legend (hir_canvas_get_theme (), NULL, self->rows,
                                               self->n_columns, 0, 0);

  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL
                            ? get_inner_width (self->n_columns)
                            : (int) height + 2 * LEGEND_MARGIN;
}

static void
hir_graph_legend_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  HirGraphLegend *self = HIR_GRAPH_LEGEND (widget);
  HirDisplayList *list = hir_display_list_new ();
  const HirTheme *theme = hir_canvas_get_theme ();

  hir_graph_scene_draw_legend (theme, list, self->rows, self->n_columns, LEGEND_MARGIN,
                               LEGEND_MARGIN);
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
  self->n_columns = 1;
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
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
hir_graph_legend_set_rows (HirGraphLegend *self, guint32 rows)
{
  if (self->rows == rows)
    return;
  self->rows = rows;
  gtk_widget_set_visible (GTK_WIDGET (self), rows != 0);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

void
hir_graph_legend_set_columns (HirGraphLegend *self, guint n_columns)
{
  g_return_if_fail (n_columns > 0);
  if (self->n_columns == n_columns)
    return;
  self->n_columns = n_columns;
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

int
hir_graph_legend_get_width (HirGraphLegend *self, guint n_columns)
{
  return get_inner_width (n_columns) + LEGEND_AROUND;
}
