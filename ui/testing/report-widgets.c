#include "testing/report-widgets.h"

#include <string.h>

#include "base/names.h"
#include "inspector/scene-card.h"
#include "text/break-gutter.h"
#include "text/code-view.h"

#define MAX_LINES 200

void
hir_report_append_string (GString *out, const char *text)
{
  g_string_append_c (out, '"');
  for (const char *at = text != NULL ? text : ""; *at != '\0'; at++)
    {
      if (*at == '"' || *at == '\\')
        g_string_append_printf (out, "\\%c", *at);
      else if ((guchar) *at < 0x20)
        g_string_append_printf (out, "\\u%04x", *at);
      else
        g_string_append_c (out, *at);
    }
  g_string_append_c (out, '"');
}

gboolean
hir_report_get_place (GtkWidget *widget, double x, double y, double *out_x, double *out_y)
{
  GtkNative *native = gtk_widget_get_native (widget);
  GdkSurface *surface;
  double dx = 0, dy = 0;

  if (native == NULL ||
      !gtk_widget_translate_coordinates (widget, GTK_WIDGET (native), x, y, out_x, out_y))
    return FALSE;
  gtk_native_get_surface_transform (native, &dx, &dy);
  *out_x += dx;
  *out_y += dy;
  /* A popover has a separate surface, whose position is relative to that of its parent. */
  for (surface = gtk_native_get_surface (native); GDK_IS_POPUP (surface);
       surface = gdk_popup_get_parent (GDK_POPUP (surface)))
    {
      *out_x += gdk_popup_get_position_x (GDK_POPUP (surface));
      *out_y += gdk_popup_get_position_y (GDK_POPUP (surface));
    }
  return TRUE;
}

/* Appends the parts of a picture with their positions, and the text of the part under the
 * pointer. */
static void
append_parts (GString *out, HirSceneCard *card)
{
  g_autofree char *text = hir_scene_card_dup_text (card);
  double x, y, at_x, at_y;

  g_string_append (out, ",\"said\":");
  hir_report_append_string (out, text);
  g_string_append (out, ",\"parts\":[");
  for (guint i = 0; hir_scene_card_get_part (card, i, &x, &y); i++)
    {
      g_autofree char *part = hir_scene_card_dup_part_text (card, (int) i);

      if (!hir_report_get_place (GTK_WIDGET (card), x, y, &at_x, &at_y))
        break;
      g_string_append_printf (out, "%s{\"x\":%d,\"y\":%d,\"text\":", i > 0 ? "," : "", (int) at_x,
                              (int) at_y);
      hir_report_append_string (out, part);
      g_string_append_c (out, '}');
    }
  g_string_append_c (out, ']');
}

/* Collects the texts of all labels. */
static void
collect_words (GtkWidget *widget, GString *words)
{
  if (!gtk_widget_get_visible (widget))
    return;
  if (GTK_IS_LABEL (widget) && *gtk_label_get_text (GTK_LABEL (widget)) != '\0')
    g_string_append_printf (words, "%s%s", words->len > 0 ? " | " : "",
                            gtk_label_get_text (GTK_LABEL (widget)));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    collect_words (child, words);
}

static void
append_control (GString *out, GtkWidget *widget, GtkWidget *focus)
{
  double x = 0, y = 0;

  if (!hir_report_get_place (widget, 0, 0, &x, &y))
    return;
  g_string_append (out, out->str[out->len - 1] == '[' ? "{\"kind\":" : ",{\"kind\":");
  hir_report_append_string (out, G_OBJECT_TYPE_NAME (widget));
  g_string_append (out, ",\"name\":");
  hir_report_append_string (out, GTK_IS_EDITABLE (widget)
                                     ? gtk_editable_get_text (GTK_EDITABLE (widget))
                                 : HIR_IS_SCENE_CARD (widget)
                                     ? hir_scene_card_get_name (HIR_SCENE_CARD (widget))
                                     : hir_names_find (widget));
  g_string_append_printf (
      out, ",\"x\":%d,\"y\":%d,\"width\":%d,\"height\":%d,\"usable\":%s,\"focus\":%s", (int) x,
      (int) y, gtk_widget_get_width (widget), gtk_widget_get_height (widget),
      gtk_widget_is_sensitive (widget) ? "true" : "false",
      focus != NULL && (focus == widget || gtk_widget_is_ancestor (focus, widget)) ? "true"
                                                                                   : "false");
  g_string_append_printf (out, ",\"named\":%s",
                          gtk_test_accessible_has_property (GTK_ACCESSIBLE (widget),
                                                            GTK_ACCESSIBLE_PROPERTY_LABEL)
                              ? "true"
                              : "false");
  g_string_append_printf (out, ",\"scrolls\":%s",
                          gtk_widget_get_ancestor (widget, GTK_TYPE_SCROLLED_WINDOW) != NULL
                              ? "true"
                              : "false");
  if (HIR_IS_SCENE_CARD (widget))
    append_parts (out, HIR_SCENE_CARD (widget));
  if (GTK_IS_TOGGLE_BUTTON (widget))
    g_string_append_printf (out, ",\"active\":%s",
                            gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (widget)) ? "true"
                                                                                      : "false");
  if (GTK_IS_CHECK_BUTTON (widget))
    g_string_append_printf (out, ",\"active\":%s",
                            gtk_check_button_get_active (GTK_CHECK_BUTTON (widget)) ? "true"
                                                                                    : "false");
  if (GTK_IS_LIST_BOX_ROW (widget) || g_str_equal (G_OBJECT_TYPE_NAME (widget), "HirGraphCard"))
    {
      g_autoptr (GString) words = g_string_new (NULL);

      collect_words (widget, words);
      g_string_append (out, ",\"text\":");
      hir_report_append_string (out, words->str);
    }
  if (GTK_IS_SWITCH (widget))
    g_string_append_printf (out, ",\"active\":%s",
                            gtk_switch_get_active (GTK_SWITCH (widget)) ? "true" : "false");
  g_string_append_c (out, '}');
}

static void
append_below (GString *out, GtkWidget *widget, GtkWidget *focus)
{
  if (!gtk_widget_get_mapped (widget))
    return;
  if (hir_names_is_control (widget))
    append_control (out, widget, focus);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    append_below (out, child, focus);
}

void
hir_report_append_controls (GString *out, GtkWidget *window)
{
  g_string_append_c (out, '[');
  append_below (out, window, gtk_root_get_focus (GTK_ROOT (window)));
  g_string_append_c (out, ']');
}

/* Screen readers ignore widgets without a role. Only widgets of Hirscope are checked. */
static gboolean
has_role (GtkWidget *widget)
{
  if (!g_str_has_prefix (G_OBJECT_TYPE_NAME (widget), "Hir"))
    return TRUE;
  switch (gtk_accessible_get_accessible_role (GTK_ACCESSIBLE (widget)))
    {
    case GTK_ACCESSIBLE_ROLE_NONE:
    case GTK_ACCESSIBLE_ROLE_WIDGET:
    case GTK_ACCESSIBLE_ROLE_GENERIC:
      return FALSE;
    default:
      return TRUE;
    }
}

/* Appends focusable widgets without name or role. */
static void
append_silent_below (GString *out, GtkWidget *widget)
{
  gboolean is_named;

  if (!gtk_widget_get_mapped (widget))
    return;
  is_named =
      gtk_test_accessible_has_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL);
  if (hir_names_wants_name (widget) && !(is_named && has_role (widget)))
    {
      g_autofree char *text =
          g_strdup_printf ("%s%s in %s", is_named ? "no role: " : "", G_OBJECT_TYPE_NAME (widget),
                           gtk_widget_get_parent (widget) != NULL
                               ? G_OBJECT_TYPE_NAME (gtk_widget_get_parent (widget))
                               : "nothing");

      g_string_append (out, out->str[out->len - 1] == '[' ? "" : ",");
      hir_report_append_string (out, text);
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    append_silent_below (out, child);
}

void
hir_report_append_silent (GString *out, GtkWidget *window)
{
  g_string_append_c (out, '[');
  if (g_strcmp0 (g_getenv ("GTK_A11Y"), "test") == 0)
    append_silent_below (out, window);
  g_string_append_c (out, ']');
}

static void
append_marks (GString *out, HirCodeView *view, int line)
{
  guint marks = hir_code_view_get_marks (view, line);

  g_string_append (out, ",\"marks\":[");
  for (guint mark = 1; mark <= HIR_MARK_ALL; mark <<= 1)
    {
      if ((marks & mark) == 0)
        continue;
      g_string_append (out, out->str[out->len - 1] == '[' ? "" : ",");
      hir_report_append_string (out, hir_mark_get_name ((HirMark) mark));
    }
  g_string_append_c (out, ']');
}

/* Appends the triangle of a fold and the row of the hidden lines. @top is that of the head, in
 * pixels of the view. */
static void
append_fold (GString *out, HirCodeView *view, guint line, int top)
{
  HirCodeFolds *folds = hir_code_view_has_folds (view) ? hir_code_view_get_folds (view) : NULL;
  const HirFoldRegion *region = folds != NULL ? hir_code_folds_get_at (folds, line) : NULL;
  g_autofree char *row = NULL;
  double x, y, middle;

  if (region == NULL ||
      !hir_report_get_place (GTK_WIDGET (view), 0, top + hir_code_folds_get_row_height (folds) / 2.,
                             &x, &y) ||
      !hir_report_get_place (hir_code_folds_get_gutter (folds),
                             gtk_widget_get_width (hir_code_folds_get_gutter (folds)) / 2., 0, &x,
                             &middle))
    return;
  if (hir_code_folds_get_is_folded (folds, region))
    row = hir_fold_region_dup_text (region);
  g_string_append_printf (out, ",\"fold\":{\"x\":%d,\"y\":%d,\"row_height\":%d,\"row\":", (int) x,
                          (int) y, hir_code_folds_get_row_height (folds));
  hir_report_append_string (out, row);
  g_string_append_c (out, '}');
}

/* Appends the position in the gutter where a click sets a breakpoint. @y is that of the line, in
 * pixels of the view. */
static void
append_break (GString *out, HirCodeView *view, guint line, int y)
{
  HirBreakGutter *gutter = hir_break_gutter_find (GTK_SOURCE_VIEW (view));
  gboolean is_set, is_hidden;
  double dot, x, place_y;

  if (gutter == NULL || !hir_break_gutter_get_dot (gutter, line, &dot, &is_set, &is_hidden) ||
      !hir_report_get_place (GTK_WIDGET (gutter), dot, y, &x, &place_y))
    return;
  g_string_append_printf (out, ",\"break\":{\"x\":%d,\"y\":%d,\"set\":%s,\"hidden\":%s}", (int) x,
                          (int) place_y, is_set ? "true" : "false", is_hidden ? "true" : "false");
}

static void
append_line (GString *out, GtkTextView *view, const GtkTextIter *start)
{
  GtkTextIter end = *start;
  g_autofree char *text = NULL;
  int top, height, x, y;
  double at_x, at_y;

  if (!gtk_text_iter_ends_line (&end))
    gtk_text_iter_forward_to_line_end (&end);
  text = gtk_text_iter_get_text (start, &end);
  gtk_text_view_get_line_yrange (view, start, &top, &height);
  gtk_text_view_buffer_to_window_coords (view, GTK_TEXT_WINDOW_WIDGET, 0, top + height / 2, &x, &y);
  if (!hir_report_get_place (GTK_WIDGET (view), x, y, &at_x, &at_y))
    return;
  g_string_append_printf (out, "%s{\"line\":%d,\"x\":%d,\"y\":%d,\"text\":",
                          out->str[out->len - 1] == '[' ? "" : ",",
                          gtk_text_iter_get_line (start) + 1, (int) at_x, (int) at_y);
  hir_report_append_string (out, text);
  append_marks (out, HIR_CODE_VIEW (view), gtk_text_iter_get_line (start));
  append_fold (out, HIR_CODE_VIEW (view), (guint) gtk_text_iter_get_line (start), y - height / 2);
  append_break (out, HIR_CODE_VIEW (view), (guint) gtk_text_iter_get_line (start), y);
  g_string_append_c (out, '}');
}

/* Does not use the height of the line, which is also 0 for new lines. */
static gboolean
is_folded (HirCodeView *view, guint line)
{
  return hir_code_view_has_folds (view) &&
         hir_code_folds_get_visible_line (hir_code_view_get_folds (view), line) != line;
}

void
hir_report_append_lines (GString *out, GtkTextView *view)
{
  GdkRectangle visible;
  GtkTextIter iter;
  int top, height;

  g_string_append_c (out, '[');
  gtk_text_view_get_visible_rect (view, &visible);
  gtk_text_view_get_line_at_y (view, &iter, visible.y, NULL);
  for (guint n = 0; n < MAX_LINES; n++)
    {
      gtk_text_view_get_line_yrange (view, &iter, &top, &height);
      if (top >= visible.y + visible.height)
        break;
      if (!is_folded (HIR_CODE_VIEW (view), (guint) gtk_text_iter_get_line (&iter)))
        append_line (out, view, &iter);
      if (!gtk_text_iter_forward_line (&iter))
        break;
    }
  g_string_append_c (out, ']');
}
