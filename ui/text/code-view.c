#include "text/code-view.h"

#include "config.h"

#include <string.h>

#include <adwaita.h>

struct _HirCodeView
{
  GtkSourceView parent_instance;

  GByteArray *marks;   /* HirMark bits of each line; further lines have none */
  HirCodeFolds *folds; /* nullable */
};

static const struct
{
  const char *name;
  const char *dark, *light;
} papers[] = {
  { "made", "#1b2820", "#ebf6ee" },     { "changed", "#332d19", "#fbf3d6" },
  { "moved", "#20293a", "#e4ecfb" },    { "added", "#1d3a2a", "#d9f2e0" },
  { "removed", "#45222a", "#fbdde0" },  { "error", "#5a1f27", "#f8c9ce" },
  { "selected", "#2b4a7d", "#cfe1fb" }, { "pointer", "#5c4a10", "#fbe39a" },
};

G_DEFINE_FINAL_TYPE (HirCodeView, hir_code_view, GTK_SOURCE_TYPE_VIEW)

/* Returns the set of marks of @line. */
static guint
get_marks (HirCodeView *self, int line)
{
  return line >= 0 && (guint) line < self->marks->len ? self->marks->data[line] : 0;
}

#if HIR_TESTING
char **
hir_code_view_dup_mark_names (HirCodeView *self, int line)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  guint marks = get_marks (self, line);

  for (guint i = 0; i < G_N_ELEMENTS (papers); i++)
    if ((marks & 1u << i) != 0)
      g_strv_builder_add (names, papers[i].name);
  return g_strv_builder_end (names);
}
#endif

static void
draw_paper (GtkSnapshot *snapshot, guint marks, const GdkRectangle *rect)
{
  gboolean dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  guint last;
  GdkRGBA color;

  if (marks == 0)
    return;
  last = g_bit_storage (marks) - 1;
  gdk_rgba_parse (&color, dark ? papers[last].dark : papers[last].light);
  gtk_snapshot_append_color (snapshot, &color,
                             &GRAPHENE_RECT_INIT ((float) rect->x, (float) rect->y,
                                                  (float) rect->width, (float) rect->height));
}

/* The row below a folded head has the color of the hidden marks. */
static void
draw_row (HirCodeView *self,
          GtkSnapshot *snapshot,
          const HirFoldRegion *region,
          const GdkRectangle *head)
{
  int row = hir_code_folds_get_row_height (self->folds);
  GdkRectangle rect = { head->x, head->y + head->height, head->width, row };
  guint marks = 0;

  for (guint line = region->head + 1; line <= region->last; line++)
    marks |= get_marks (self, (int) line);
  draw_paper (snapshot, marks, &rect);
  hir_code_folds_draw_row (self->folds, region, snapshot, head->y, head->height + row);
}

static void
draw_line (HirCodeView *self, GtkSnapshot *snapshot, int line, GdkRectangle rect)
{
  const HirFoldRegion *region =
      self->folds != NULL ? hir_code_folds_get_at (self->folds, (guint) line) : NULL;

  if (region != NULL && !hir_code_folds_get_is_folded (self->folds, region))
    region = NULL;
  if (region != NULL)
    rect.height -= hir_code_folds_get_row_height (self->folds);
  draw_paper (snapshot, get_marks (self, line), &rect);
  if (region != NULL)
    draw_row (self, snapshot, region, &rect);
}

static void
hir_code_view_snapshot_layer (GtkTextView *view, GtkTextViewLayer layer, GtkSnapshot *snapshot)
{
  HirCodeView *self = HIR_CODE_VIEW (view);
  GdkRectangle visible;
  GtkTextIter iter;

  if (layer == GTK_TEXT_VIEW_LAYER_BELOW_TEXT)
    {
      gtk_text_view_get_visible_rect (view, &visible);
      gtk_text_view_get_line_at_y (view, &iter, visible.y, NULL);
      do
        {
          int top, height;

          gtk_text_view_get_line_yrange (view, &iter, &top, &height);
          if (top > visible.y + visible.height)
            break;
          /* Folded lines have no height. */
          if (height > 0)
            draw_line (self, snapshot, gtk_text_iter_get_line (&iter),
                       (GdkRectangle){ visible.x, top, visible.width, height });
        }
      while (gtk_text_iter_forward_line (&iter));
    }
  GTK_TEXT_VIEW_CLASS (hir_code_view_parent_class)->snapshot_layer (view, layer, snapshot);
}

/* GTK would only copy the visible text. */
static void
hir_code_view_copy_clipboard (GtkTextView *view)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (view);
  g_autofree char *text = NULL;
  GtkTextIter start, end;

  if (HIR_CODE_VIEW (view)->folds == NULL)
    {
      GTK_TEXT_VIEW_CLASS (hir_code_view_parent_class)->copy_clipboard (view);
      return;
    }
  if (!gtk_text_buffer_get_selection_bounds (buffer, &start, &end))
    return;
  text = gtk_text_buffer_get_text (buffer, &start, &end, TRUE);
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (view)), text);
}

static void
hir_code_view_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (hir_code_view_parent_class)->css_changed (widget, change);
  if (HIR_CODE_VIEW (widget)->folds != NULL)
    hir_code_folds_measure (HIR_CODE_VIEW (widget)->folds);
}

static void
hir_code_view_finalize (GObject *object)
{
  HirCodeView *self = HIR_CODE_VIEW (object);

  g_byte_array_unref (self->marks);
  g_clear_pointer (&self->folds, hir_code_folds_free);
  G_OBJECT_CLASS (hir_code_view_parent_class)->finalize (object);
}

static void
hir_code_view_class_init (HirCodeViewClass *klass)
{
  GtkTextViewClass *view_class = GTK_TEXT_VIEW_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = hir_code_view_finalize;
  GTK_WIDGET_CLASS (klass)->css_changed = hir_code_view_css_changed;
  view_class->snapshot_layer = hir_code_view_snapshot_layer;
  view_class->copy_clipboard = hir_code_view_copy_clipboard;
}

static void
hir_code_view_init (HirCodeView *self)
{
  self->marks = g_byte_array_new ();
}

GtkWidget *
hir_code_view_new (GtkSourceBuffer *buffer)
{
  return g_object_new (HIR_TYPE_CODE_VIEW, "buffer", buffer, NULL);
}

void
hir_code_view_mark (HirCodeView *self, int first, int last, HirMark mark)
{
  guint before = self->marks->len;

  g_return_if_fail (first >= 0);

  if (last >= (int) before)
    {
      g_byte_array_set_size (self->marks, (guint) last + 1);
      memset (self->marks->data + before, 0, (guint) last + 1 - before);
    }
  for (int line = first; line <= last; line++)
    self->marks->data[line] |= (guint8) mark;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
hir_code_view_unmark (HirCodeView *self, guint marks)
{
  for (guint line = 0; line < self->marks->len; line++)
    self->marks->data[line] &= (guint8) ~marks;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

HirCodeFolds *
hir_code_view_get_folds (HirCodeView *self)
{
  if (self->folds == NULL)
    self->folds = hir_code_folds_new (GTK_SOURCE_VIEW (self));
  return self->folds;
}

#if HIR_TESTING
gboolean
hir_code_view_has_folds (HirCodeView *self)
{
  return self->folds != NULL;
}
#endif
