#include "text/break-gutter.h"

#include "config.h"

#include <adwaita.h>
#include <math.h>

/* Width of the gutter and center of a dot, in pixels. The first six pixels belong to the divider
 * next to it. */
#define WIDTH 22
#define MIDDLE 13
#define NUMBER_ALPHA 0.5

struct _HirBreakGutter
{
  GtkSourceGutterRenderer parent_instance;

  HirSelection *selection;
  const HirCodeFolds *folds; /* nullable; borrowed from the view */
  GArray *ids;               /* nullable: guint64, the instruction that starts in each line */
  guint n_lines;
};

G_DEFINE_FINAL_TYPE (HirBreakGutter, hir_break_gutter, GTK_SOURCE_TYPE_GUTTER_RENDERER)

static guint64
get_id (HirBreakGutter *self, guint line)
{
  return self->ids != NULL && line < self->ids->len ? g_array_index (self->ids, guint64, line) : 0;
}

/* Returns whether the lines folded behind @line contain a breakpoint. */
static gboolean
hides_break (HirBreakGutter *self, guint line)
{
  const HirFoldRegion *region =
      self->folds != NULL ? hir_code_folds_get_at (self->folds, line) : NULL;

  if (region == NULL || !hir_code_folds_get_is_folded (self->folds, region))
    return FALSE;
  for (guint i = region->head + 1; i <= region->last; i++)
    if (hir_selection_has_break (self->selection, get_id (self, i), FALSE) ||
        hir_selection_has_break (self->selection, get_id (self, i), TRUE))
      return TRUE;
  return FALSE;
}

static void
draw_dot (cairo_t *cr, double middle, gboolean is_off, gboolean is_hidden)
{
  cairo_set_source_rgb (cr, 0.88, 0.2, 0.22);
  cairo_set_line_width (cr, 1.5);
  cairo_arc (cr, MIDDLE, middle, is_off || is_hidden ? 4.75 : 5.5, 0, 2 * G_PI);
  if (!is_off && !is_hidden)
    {
      cairo_fill (cr);
      return;
    }
  cairo_stroke (cr);
  /* A small dot inside the ring: the breakpoint is inside the fold. */
  if (is_hidden)
    {
      cairo_arc (cr, MIDDLE, middle, 1.75, 0, 2 * G_PI);
      cairo_fill (cr);
    }
}

static PangoLayout *
create_number (GtkWidget *view, guint number)
{
  g_autofree char *text = g_strdup_printf ("%u", number);

  return gtk_widget_create_pango_layout (view, text);
}

/* Draws the number of @line at the right edge, on the base line of the text. */
static void
draw_number (HirBreakGutter *self, GtkSnapshot *snapshot, GtkWidget *view, guint line, int top)
{
  g_autoptr (PangoLayout) layout = create_number (view, line + 1);
  GdkRGBA color;
  int width;

  pango_layout_get_pixel_size (layout, &width, NULL);
  gtk_style_context_get_color (gtk_widget_get_style_context (view), &color);
  color.alpha *= NUMBER_ALPHA;
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot,
                          &GRAPHENE_POINT_INIT ((float) (gtk_widget_get_width (GTK_WIDGET (self)) -
                                                         width),
                                                (float) top));
  gtk_snapshot_append_layout (snapshot, layout, &color);
  gtk_snapshot_restore (snapshot);
}

static void
hir_break_gutter_snapshot_line (GtkSourceGutterRenderer *renderer,
                                GtkSnapshot *snapshot,
                                GtkSourceGutterLines *lines,
                                guint line)
{
  HirBreakGutter *self = HIR_BREAK_GUTTER (renderer);
  guint64 id = get_id (self, line);
  gboolean dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  gboolean has_break = hir_selection_has_break (self->selection, id, FALSE);
  gboolean is_off = !has_break && hir_selection_has_break (self->selection, id, TRUE);
  gboolean is_hidden = !has_break && !is_off && hides_break (self, line);
  gboolean is_next = id != 0 && id == hir_selection_get_pointer (self->selection);
  double middle;
  cairo_t *cr;

  {
    GtkTextIter iter;
    GtkTextView *view = GTK_TEXT_VIEW (gtk_source_gutter_renderer_get_view (renderer));
    int y, height, top;

    gtk_text_buffer_get_iter_at_line (gtk_text_view_get_buffer (view), &iter, (int) line);
    gtk_text_view_get_line_yrange (view, &iter, &y, &height);
    /* Folded lines have no height. */
    if (height == 0)
      return;
    gtk_text_view_buffer_to_window_coords (view, GTK_TEXT_WINDOW_LEFT, 0, y, NULL, &top);
    middle = top + MIN (height, 18) / 2.0;
    draw_number (self, snapshot, GTK_WIDGET (view), line, top);
  }
  if (!has_break && !is_off && !is_hidden && !is_next)
    return;
  cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, (float) middle - 9, WIDTH, 18));
  if (has_break || is_off || is_hidden)
    draw_dot (cr, middle, is_off, is_hidden);
  if (is_next)
    {
      cairo_set_source_rgb (cr, dark ? 0.96 : 0.78, dark ? 0.77 : 0.53, dark ? 0.18 : 0.0);
      cairo_move_to (cr, MIDDLE - 3, middle - 5);
      cairo_line_to (cr, MIDDLE + 6, middle);
      cairo_line_to (cr, MIDDLE - 3, middle + 5);
      cairo_close_path (cr);
      cairo_fill (cr);
    }
  cairo_destroy (cr);
}

static void
hir_break_gutter_measure (GtkWidget *widget,
                          GtkOrientation orientation,
                          int for_size,
                          int *minimum,
                          int *natural,
                          int *minimum_baseline,
                          int *natural_baseline)
{
  HirBreakGutter *self = HIR_BREAK_GUTTER (widget);
  GtkSourceView *view = gtk_source_gutter_renderer_get_view (GTK_SOURCE_GUTTER_RENDERER (self));
  int width = 0;

  if (orientation == GTK_ORIENTATION_HORIZONTAL && view != NULL)
    {
      g_autoptr (PangoLayout) layout = create_number (GTK_WIDGET (view), MAX (self->n_lines, 1));

      pango_layout_get_pixel_size (layout, &width, NULL);
    }
  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? WIDTH + width : 0;
}

static gboolean
hir_break_gutter_query_activatable (GtkSourceGutterRenderer *renderer,
                                    GtkTextIter *iter,
                                    GdkRectangle *area)
{
  return get_id (HIR_BREAK_GUTTER (renderer), (guint) gtk_text_iter_get_line (iter)) != 0;
}

static void
hir_break_gutter_activate (GtkSourceGutterRenderer *renderer,
                           GtkTextIter *iter,
                           GdkRectangle *area,
                           guint button,
                           GdkModifierType state,
                           int n_presses)
{
  guint64 id = get_id (HIR_BREAK_GUTTER (renderer), (guint) gtk_text_iter_get_line (iter));

  if (button == GDK_BUTTON_PRIMARY && id != 0)
    gtk_widget_activate_action (GTK_WIDGET (renderer), "win.break-at", "t", id);
}

static void
hir_break_gutter_dispose (GObject *object)
{
  HirBreakGutter *self = HIR_BREAK_GUTTER (object);

  g_clear_object (&self->selection);
  g_clear_pointer (&self->ids, g_array_unref);
  G_OBJECT_CLASS (hir_break_gutter_parent_class)->dispose (object);
}

static void
hir_break_gutter_class_init (HirBreakGutterClass *klass)
{
  GtkSourceGutterRendererClass *renderer = GTK_SOURCE_GUTTER_RENDERER_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hir_break_gutter_dispose;
  GTK_WIDGET_CLASS (klass)->measure = hir_break_gutter_measure;
  renderer->snapshot_line = hir_break_gutter_snapshot_line;
  renderer->query_activatable = hir_break_gutter_query_activatable;
  renderer->activate = hir_break_gutter_activate;
}

static void
hir_break_gutter_init (HirBreakGutter *self)
{
}

GtkSourceGutterRenderer *
hir_break_gutter_new (HirSelection *selection)
{
  HirBreakGutter *self = g_object_new (HIR_TYPE_BREAK_GUTTER, NULL);

  self->selection = g_object_ref (selection);
  g_signal_connect_object (selection, "debug-changed", G_CALLBACK (gtk_widget_queue_draw), self,
                           G_CONNECT_SWAPPED);
  return GTK_SOURCE_GUTTER_RENDERER (self);
}

void
hir_break_gutter_set_lines (HirBreakGutter *self, GArray *ids, guint n_lines)
{
  self->n_lines = n_lines;
  gtk_widget_queue_resize (GTK_WIDGET (self));
  g_clear_pointer (&self->ids, g_array_unref);
  self->ids = ids != NULL ? g_array_ref (ids) : NULL;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

#if HIR_TESTING
HirBreakGutter *
hir_break_gutter_find (GtkSourceView *view)
{
  GtkWidget *child = gtk_widget_get_first_child (
      GTK_WIDGET (gtk_source_view_get_gutter (view, GTK_TEXT_WINDOW_LEFT)));

  while (child != NULL && !HIR_IS_BREAK_GUTTER (child))
    child = gtk_widget_get_next_sibling (child);
  return child != NULL ? HIR_BREAK_GUTTER (child) : NULL;
}
#endif

void
hir_break_gutter_set_folds (HirBreakGutter *self, const HirCodeFolds *folds)
{
  self->folds = folds;
}

#if HIR_TESTING
gboolean
hir_break_gutter_get_dot (
    HirBreakGutter *self, guint line, double *x, gboolean *is_set, gboolean *is_hidden)
{
  guint64 id = get_id (self, line);

  *x = MIDDLE;
  *is_set = hir_selection_has_break (self->selection, id, FALSE);
  *is_hidden = hides_break (self, line);
  return id != 0;
}
#endif
