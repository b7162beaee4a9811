#include "text/fold-gutter.h"

/* Of the strip, and from the middle of a triangle to its edge; pixels. */
#define WIDTH 16
#define REACH 4

struct _HirFoldGutter
{
  GtkSourceGutterRenderer parent_instance;

  HirCodeFolds *folds;
};

G_DEFINE_FINAL_TYPE (HirFoldGutter, hir_fold_gutter, GTK_SOURCE_TYPE_GUTTER_RENDERER)

static void
draw_triangle (cairo_t *cairo, double x, double y, gboolean is_folded)
{
  if (is_folded)
    {
      cairo_move_to (cairo, x - REACH / 2., y - REACH);
      cairo_line_to (cairo, x - REACH / 2., y + REACH);
      cairo_line_to (cairo, x + REACH, y);
    }
  else
    {
      cairo_move_to (cairo, x - REACH, y - REACH / 2.);
      cairo_line_to (cairo, x + REACH, y - REACH / 2.);
      cairo_line_to (cairo, x, y + REACH);
    }
  cairo_close_path (cairo);
  cairo_fill (cairo);
}

static void
hir_fold_gutter_snapshot_line (GtkSourceGutterRenderer *renderer,
                               GtkSnapshot *snapshot,
                               GtkSourceGutterLines *lines,
                               guint line)
{
  HirFoldGutter *self = HIR_FOLD_GUTTER (renderer);
  const HirFoldRegion *region = hir_code_folds_get_at (self->folds, line);
  gboolean is_folded;
  int y, height;
  GdkRGBA color;
  cairo_t *cairo;

  /* One whose head is hidden stands for nothing that is seen. */
  if (region == NULL || hir_code_folds_get_seen_line (self->folds, line) != line)
    return;
  is_folded = hir_code_folds_get_is_folded (self->folds, region);
  /* Its successor came with GtkSourceView 5.16. */
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  gtk_source_gutter_lines_get_line_yrange (lines, line,
                                           GTK_SOURCE_GUTTER_RENDERER_ALIGNMENT_MODE_CELL, &y,
                                           &height);
  G_GNUC_END_IGNORE_DEPRECATIONS
  if (is_folded)
    height -= hir_code_folds_get_row_height (self->folds);
  gtk_style_context_get_color (gtk_widget_get_style_context (
                                   GTK_WIDGET (gtk_source_gutter_lines_get_view (lines))),
                               &color);
  color.alpha *= gtk_source_gutter_lines_is_prelit (lines, line) || is_folded ? 0.9f : 0.5f;
  cairo = gtk_snapshot_append_cairo (snapshot,
                                     &GRAPHENE_RECT_INIT (0, (float) y, WIDTH, (float) height));
  gdk_cairo_set_source_rgba (cairo, &color);
  draw_triangle (cairo, WIDTH / 2., y + height / 2., is_folded);
  cairo_destroy (cairo);
}

static gboolean
hir_fold_gutter_query_activatable (GtkSourceGutterRenderer *renderer,
                                   GtkTextIter *iter,
                                   GdkRectangle *area)
{
  return hir_code_folds_get_at (HIR_FOLD_GUTTER (renderer)->folds,
                                (guint) gtk_text_iter_get_line (iter)) != NULL;
}

static void
hir_fold_gutter_measure (GtkWidget *widget,
                         GtkOrientation orientation,
                         int for_size,
                         int *minimum,
                         int *natural,
                         int *minimum_baseline,
                         int *natural_baseline)
{
  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? WIDTH : 0;
  *minimum_baseline = *natural_baseline = -1;
}

static void
hir_fold_gutter_class_init (HirFoldGutterClass *klass)
{
  GtkSourceGutterRendererClass *renderer_class = GTK_SOURCE_GUTTER_RENDERER_CLASS (klass);

  renderer_class->snapshot_line = hir_fold_gutter_snapshot_line;
  renderer_class->query_activatable = hir_fold_gutter_query_activatable;
  GTK_WIDGET_CLASS (klass)->measure = hir_fold_gutter_measure;
}

static void
hir_fold_gutter_init (HirFoldGutter *self)
{
}

GtkSourceGutterRenderer *
hir_fold_gutter_new (HirCodeFolds *folds)
{
  HirFoldGutter *self = g_object_new (HIR_TYPE_FOLD_GUTTER, NULL);

  self->folds = folds;
  return GTK_SOURCE_GUTTER_RENDERER (self);
}
