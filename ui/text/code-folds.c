#include "text/code-folds.h"

#include "config.h"

#include <string.h>

struct _HirCodeFolds
{
  GtkSourceView *view; /* borrowed; owns this object */
  GArray *regions;     /* HirFoldRegion, sorted by head */
  GHashTable *folded;  /* set of gint64* keys */
  GtkWidget *gutter;   /* the gutter with the triangles */
  GtkTextTag *hidden;  /* of folded lines */
  GtkTextTag *head;    /* leaves space for the row below a head */
  int row_height;
};

static GtkTextBuffer *
get_buffer (const HirCodeFolds *folds)
{
  return gtk_text_view_get_buffer (GTK_TEXT_VIEW (folds->view));
}

/* --- the gutter
 * -------------------------------------------------------------------------------- */

/* Width of the gutter, and half the size of a triangle, in pixels. */
#define GUTTER_WIDTH 16
#define REACH 4

G_DECLARE_FINAL_TYPE (HirFoldGutter, hir_fold_gutter, HIR, FOLD_GUTTER, GtkSourceGutterRenderer)

/* Draws a triangle at each fold: it points down if the fold is open, right if it is folded. */
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

  /* The head is hidden inside another fold. */
  if (region == NULL || hir_code_folds_get_visible_line (self->folds, line) != line)
    return;
  is_folded = hir_code_folds_get_is_folded (self->folds, region);
  /* The replacement needs GtkSourceView 5.16. */
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
  cairo = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, (float) y, GUTTER_WIDTH,
                                                                    (float) height));
  gdk_cairo_set_source_rgba (cairo, &color);
  draw_triangle (cairo, GUTTER_WIDTH / 2., y + height / 2., is_folded);
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
  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? GUTTER_WIDTH : 0;
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

static GtkSourceGutterRenderer *
fold_gutter_new (HirCodeFolds *folds)
{
  HirFoldGutter *self = g_object_new (hir_fold_gutter_get_type (), NULL);

  self->folds = folds;
  return GTK_SOURCE_GUTTER_RENDERER (self);
}

/* --- folds
 * ------------------------------------------------------------------------------------- */

/* Handles clicks on triangles before the view does, and claims them. */
static void
on_pressed (GtkGestureClick *gesture, int n_press, double x, double y, gpointer user_data)
{
  HirCodeFolds *folds = user_data;
  GtkTextView *view = GTK_TEXT_VIEW (folds->view);
  const HirFoldRegion *region;
  GtkTextIter iter;
  double left;
  int bx, by;

  if (!gtk_widget_translate_coordinates (folds->gutter, GTK_WIDGET (view), 0, 0, &left, NULL) ||
      x < left || x >= left + gtk_widget_get_width (folds->gutter))
    return;
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  gtk_text_view_window_to_buffer_coords (view, GTK_TEXT_WINDOW_WIDGET, (int) x, (int) y, &bx, &by);
  gtk_text_view_get_line_at_y (view, &iter, by, NULL);
  region = hir_code_folds_get_at (folds, (guint) gtk_text_iter_get_line (&iter));
  if (region == NULL)
    return;
  /* Keys continue at the pointer. */
  gtk_widget_grab_focus (GTK_WIDGET (view));
  gtk_text_iter_set_line_offset (&iter, 0);
  gtk_text_buffer_place_cursor (get_buffer (folds), &iter);
  hir_code_folds_toggle (folds, region);
}

HirCodeFolds *
hir_code_folds_new (GtkSourceView *view)
{
  HirCodeFolds *folds = g_new0 (HirCodeFolds, 1);
  GtkSourceGutter *gutter = gtk_source_view_get_gutter (view, GTK_TEXT_WINDOW_LEFT);
  GtkGesture *click = gtk_gesture_click_new ();

  folds->view = view;
  folds->regions = g_array_new (FALSE, FALSE, sizeof (HirFoldRegion));
  folds->folded = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  folds->hidden = gtk_text_buffer_create_tag (get_buffer (folds), NULL, "invisible", TRUE, NULL);
  folds->head = gtk_text_buffer_create_tag (get_buffer (folds), NULL, NULL);
  hir_code_folds_measure (folds);
  folds->gutter = GTK_WIDGET (fold_gutter_new (folds));
  /* The gutter next to the text. */
  gtk_source_gutter_insert (gutter, GTK_SOURCE_GUTTER_RENDERER (folds->gutter), 100);
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (click), GTK_PHASE_CAPTURE);
  g_signal_connect (click, "pressed", G_CALLBACK (on_pressed), folds);
  gtk_widget_add_controller (GTK_WIDGET (view), GTK_EVENT_CONTROLLER (click));
  return folds;
}

void
hir_code_folds_free (HirCodeFolds *folds)
{
  if (folds == NULL)
    return;
  g_array_unref (folds->regions);
  g_hash_table_unref (folds->folded);
  g_free (folds);
}

void
hir_code_folds_measure (HirCodeFolds *folds)
{
  GtkTextView *view = GTK_TEXT_VIEW (folds->view);
  PangoContext *context = gtk_widget_get_pango_context (GTK_WIDGET (view));
  PangoFontMetrics *metrics = pango_context_get_metrics (context, NULL, NULL);
  int height = PANGO_PIXELS_CEIL (pango_font_metrics_get_height (metrics)) +
               gtk_text_view_get_pixels_above_lines (view) +
               gtk_text_view_get_pixels_below_lines (view);

  pango_font_metrics_unref (metrics);
  if (height == folds->row_height)
    return;
  folds->row_height = height;
  g_object_set (folds->head, "pixels-below-lines",
                height + gtk_text_view_get_pixels_below_lines (view), NULL);
}

#if HIR_TESTING
GtkWidget *
hir_code_folds_get_gutter (const HirCodeFolds *folds)
{
  return folds->gutter;
}
#endif

int
hir_code_folds_get_row_height (const HirCodeFolds *folds)
{
  return folds->row_height;
}

void
hir_code_folds_set_regions (HirCodeFolds *folds, GArray *regions)
{
  g_array_unref (folds->regions);
  folds->regions = regions;
}

gboolean
hir_code_folds_get_is_folded (const HirCodeFolds *folds, const HirFoldRegion *region)
{
  return g_hash_table_contains (folds->folded, &region->key);
}

/* Removes the tags of folds from lines @head to @last of the buffer. */
static void
show_lines (HirCodeFolds *folds, guint head, guint last)
{
  GtkTextBuffer *buffer = get_buffer (folds);
  GtkTextIter start, end;

  gtk_text_buffer_get_iter_at_line (buffer, &start, (int) head);
  gtk_text_buffer_get_iter_at_line (buffer, &end, (int) last + 1);
  gtk_text_buffer_remove_tag (buffer, folds->hidden, &start, &end);
  gtk_text_buffer_remove_tag (buffer, folds->head, &start, &end);
}

static void
hide_region (HirCodeFolds *folds, const HirFoldRegion *region)
{
  GtkTextBuffer *buffer = get_buffer (folds);
  GtkTextIter start, body, end;

  if ((int) region->head >= gtk_text_buffer_get_line_count (buffer))
    return;
  gtk_text_buffer_get_iter_at_line (buffer, &start, (int) region->head);
  gtk_text_buffer_get_iter_at_line (buffer, &body, (int) region->head + 1);
  gtk_text_buffer_get_iter_at_line (buffer, &end, (int) region->last + 1);
  gtk_text_buffer_apply_tag (buffer, folds->head, &start, &body);
  gtk_text_buffer_apply_tag (buffer, folds->hidden, &body, &end);
}

void
hir_code_folds_fill (HirCodeFolds *folds, guint first, guint end)
{
  for (guint i = 0; i < folds->regions->len; i++)
    {
      const HirFoldRegion *region = &g_array_index (folds->regions, HirFoldRegion, i);

      if (region->head >= end)
        break;
      if (region->last >= first && hir_code_folds_get_is_folded (folds, region))
        hide_region (folds, region);
    }
}

const HirFoldRegion *
hir_code_folds_find (const HirCodeFolds *folds, guint line)
{
  const HirFoldRegion *found = NULL;

  for (guint i = 0; i < folds->regions->len; i++)
    {
      const HirFoldRegion *region = &g_array_index (folds->regions, HirFoldRegion, i);

      if (region->head > line)
        break;
      if (region->last < line)
        continue;
      found = region;
      if (hir_code_folds_get_is_folded (folds, region))
        break;
    }
  return found;
}

const HirFoldRegion *
hir_code_folds_get_at (const HirCodeFolds *folds, guint head)
{
  guint low = 0, high = folds->regions->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (folds->regions, HirFoldRegion, middle).head < head)
        low = middle + 1;
      else
        high = middle;
    }
  return low < folds->regions->len &&
                 g_array_index (folds->regions, HirFoldRegion, low).head == head
             ? &g_array_index (folds->regions, HirFoldRegion, low)
             : NULL;
}

/* Call after the visible lines changed. */
static void
redraw (HirCodeFolds *folds)
{
  GtkSourceGutter *gutter = gtk_source_view_get_gutter (folds->view, GTK_TEXT_WINDOW_LEFT);

  gtk_widget_queue_allocate (GTK_WIDGET (folds->view));
  gtk_widget_queue_draw (GTK_WIDGET (folds->view));
  gtk_widget_queue_draw (GTK_WIDGET (gutter));
}

/* Moves a cursor in a hidden line to the head of the fold. */
static void
move_cursor (HirCodeFolds *folds)
{
  GtkTextBuffer *buffer = get_buffer (folds);
  GtkTextIter iter;
  guint line, seen;

  gtk_text_buffer_get_iter_at_mark (buffer, &iter, gtk_text_buffer_get_insert (buffer));
  line = (guint) gtk_text_iter_get_line (&iter);
  seen = hir_code_folds_get_visible_line (folds, line);
  if (seen == line)
    return;
  gtk_text_buffer_get_iter_at_line (buffer, &iter, (int) seen);
  gtk_text_buffer_place_cursor (buffer, &iter);
}

void
hir_code_folds_toggle (HirCodeFolds *folds, const HirFoldRegion *region)
{
  if (!g_hash_table_remove (folds->folded, &region->key))
    {
      g_hash_table_add (folds->folded, g_memdup2 (&region->key, sizeof region->key));
      move_cursor (folds);
      hide_region (folds, region);
    }
  else
    {
      show_lines (folds, region->head, region->last);
      /* Folds inside the region and around it stay folded. */
      hir_code_folds_fill (folds, region->head, region->last + 1);
    }
  redraw (folds);
}

void
hir_code_folds_open_all (HirCodeFolds *folds)
{
  if (g_hash_table_size (folds->folded) == 0)
    return;
  g_hash_table_remove_all (folds->folded);
  show_lines (folds, 0, (guint) gtk_text_buffer_get_line_count (get_buffer (folds)));
  redraw (folds);
}

gboolean
hir_code_folds_reveal (HirCodeFolds *folds, guint line)
{
  gboolean was_hidden = FALSE;

  for (;;)
    {
      const HirFoldRegion *region = hir_code_folds_find (folds, line);

      if (region == NULL || region->head == line || !hir_code_folds_get_is_folded (folds, region))
        return was_hidden;
      hir_code_folds_toggle (folds, region);
      was_hidden = TRUE;
    }
}

/* @words: case-folded. */
static gboolean
has_words (HirCodeFolds *folds, const HirFoldRegion *region, const char *words)
{
  GtkTextBuffer *buffer = get_buffer (folds);
  g_autofree char *text = NULL;
  g_autofree char *folded = NULL;
  GtkTextIter start, end;

  gtk_text_buffer_get_iter_at_line (buffer, &start, (int) region->head + 1);
  gtk_text_buffer_get_iter_at_line (buffer, &end, (int) region->last + 1);
  text = gtk_text_buffer_get_text (buffer, &start, &end, TRUE);
  folded = g_utf8_casefold (text, -1);
  return strstr (folded, words) != NULL;
}

gboolean
hir_code_folds_reveal_words (HirCodeFolds *folds, const char *words)
{
  g_autofree char *folded = g_utf8_casefold (words, -1);
  gboolean was_hidden = FALSE;

  for (guint i = 0; *words != '\0' && i < folds->regions->len; i++)
    {
      const HirFoldRegion *region = &g_array_index (folds->regions, HirFoldRegion, i);

      if (!hir_code_folds_get_is_folded (folds, region) || !has_words (folds, region, folded))
        continue;
      hir_code_folds_toggle (folds, region);
      was_hidden = TRUE;
    }
  return was_hidden;
}

guint
hir_code_folds_get_visible_line (const HirCodeFolds *folds, guint line)
{
  const HirFoldRegion *region = hir_code_folds_find (folds, line);

  return region != NULL && hir_code_folds_get_is_folded (folds, region) ? region->head : line;
}

const HirFoldRegion *
hir_code_folds_get_row_at (const HirCodeFolds *folds, int y)
{
  GtkTextView *view = GTK_TEXT_VIEW (folds->view);
  const HirFoldRegion *region;
  GtkTextIter iter;
  int top, height;

  gtk_text_view_get_line_at_y (view, &iter, y, NULL);
  gtk_text_view_get_line_yrange (view, &iter, &top, &height);
  region = hir_code_folds_get_at (folds, (guint) gtk_text_iter_get_line (&iter));
  return region != NULL && hir_code_folds_get_is_folded (folds, region) && y < top + height &&
                 y >= top + height - folds->row_height
             ? region
             : NULL;
}

/* Returns a text such as "... 9 lines". */
static char *
dup_row_text (const HirFoldRegion *region)
{
  guint n = region->last - region->head;

  return g_strdup_printf ("\xe2\x80\xa6 %u line%s", n, n == 1 ? "" : "s");
}

#if HIR_TESTING
char *
hir_code_folds_dup_row_text (const HirCodeFolds *folds, const HirFoldRegion *region)
{
  return hir_code_folds_get_is_folded (folds, region) ? dup_row_text (region) : NULL;
}
#endif

void
hir_code_folds_draw_row (const HirCodeFolds *folds,
                         const HirFoldRegion *region,
                         GtkSnapshot *snapshot,
                         int top,
                         int height)
{
  GtkTextView *view = GTK_TEXT_VIEW (folds->view);
  g_autofree char *text = dup_row_text (region);
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (GTK_WIDGET (view), text);
  GtkTextIter iter;
  GdkRectangle at;
  GdkRGBA color;

  /* Indented like the hidden lines: two spaces more than the head. */
  gtk_text_buffer_get_iter_at_line (get_buffer (folds), &iter, (int) region->head);
  while (gtk_text_iter_get_char (&iter) == ' ' && gtk_text_iter_forward_char (&iter))
    ;
  gtk_text_iter_forward_chars (&iter, 2);
  gtk_text_view_get_iter_location (view, &iter, &at);
  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (view)), &color);
  color.alpha *= 0.55f;
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot,
                          &GRAPHENE_POINT_INIT ((float) at.x,
                                                (float) (top + height - folds->row_height +
                                                         gtk_text_view_get_pixels_above_lines (
                                                             view))));
  gtk_snapshot_append_layout (snapshot, layout, &color);
  gtk_snapshot_restore (snapshot);
}
