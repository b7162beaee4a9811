#include "code-view.h"

#include <string.h>

#include <adwaita.h>

struct _HirCodeView
{
  GtkSourceView parent_instance;

  GByteArray *marks; /* one a line; lines past its end have none */
};

static const struct
{
  const char *name;
  const char *dark, *light;
} papers[] = {
  { "made", "#1b2820", "#ebf6ee" },  { "changed", "#332d19", "#fbf3d6" },
  { "moved", "#20293a", "#e4ecfb" },
  { "added", "#1d3a2a", "#d9f2e0" }, { "removed", "#45222a", "#fbdde0" },
  { "error", "#5a1f27", "#f8c9ce" }, { "selected", "#2b4a7d", "#cfe1fb" },
  { "pointer", "#5c4a10", "#fbe39a" },
};

G_DEFINE_FINAL_TYPE (HirCodeView, hir_code_view, GTK_SOURCE_TYPE_VIEW)

const char *
hir_mark_get_name (HirMark mark)
{
  for (guint i = 0; i < G_N_ELEMENTS (papers); i++)
    {
      if (mark == 1u << i)
        return papers[i].name;
    }
  return "";
}

static void
hir_code_view_snapshot_layer (GtkTextView *view, GtkTextViewLayer layer, GtkSnapshot *snapshot)
{
  HirCodeView *self = HIR_CODE_VIEW (view);
  gboolean dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  GdkRectangle visible;
  GtkTextIter iter;

  if (layer == GTK_TEXT_VIEW_LAYER_BELOW_TEXT)
    {
      gtk_text_view_get_visible_rect (view, &visible);
      gtk_text_view_get_line_at_y (view, &iter, visible.y, NULL);
      do
        {
          guint marks = hir_code_view_get_marks (self, gtk_text_iter_get_line (&iter));
          int top, height;
          GdkRGBA color;

          gtk_text_view_get_line_yrange (view, &iter, &top, &height);
          if (top > visible.y + visible.height)
            break;
          if (marks != 0)
            {
              guint last = g_bit_storage (marks) - 1;

              gdk_rgba_parse (&color, dark ? papers[last].dark : papers[last].light);
              gtk_snapshot_append_color (snapshot, &color,
                                         &GRAPHENE_RECT_INIT (visible.x, top, visible.width,
                                                              height));
            }
        }
      while (gtk_text_iter_forward_line (&iter));
    }
  GTK_TEXT_VIEW_CLASS (hir_code_view_parent_class)->snapshot_layer (view, layer, snapshot);
}

static void
hir_code_view_finalize (GObject *object)
{
  g_byte_array_unref (HIR_CODE_VIEW (object)->marks);
  G_OBJECT_CLASS (hir_code_view_parent_class)->finalize (object);
}

static void
hir_code_view_class_init (HirCodeViewClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = hir_code_view_finalize;
  GTK_TEXT_VIEW_CLASS (klass)->snapshot_layer = hir_code_view_snapshot_layer;
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

guint
hir_code_view_get_marks (HirCodeView *self, int line)
{
  return line >= 0 && (guint) line < self->marks->len ? self->marks->data[line] : 0;
}
