#include "testing/report-widgets.h"

#include <adwaita.h>
#include <string.h>

#include "base/names.h"
#include "inspector/scene-card.h"
#include "text/break-gutter.h"
#include "text/code-view.h"

#define MAX_LINES 200

void
hir_report_add_string (HirJsonOut *json, const char *key, const char *text)
{
  hir_json_out_add_string (json, key, text != NULL ? text : "");
}

void
hir_report_add_font (HirJsonOut *json, const char *key, GtkWidget *widget)
{
  hir_report_add_string (json, key,
                         pango_font_description_get_family (pango_context_get_font_description (
                             gtk_widget_get_pango_context (widget))));
}

void
hir_report_add_id (HirJsonOut *json, const char *key, guint64 id)
{
  char hex[17];

  hir_id_to_hex (id, hex);
  hir_json_out_add_string (json, key, hex);
}

void
hir_report_add_place (HirJsonOut *json, double x, double y)
{
  hir_json_out_add_int (json, "x", (int) x);
  hir_json_out_add_int (json, "y", (int) y);
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

/* Adds the parts of a picture with their positions, and the text of the part under the pointer. */
static void
add_parts (HirJsonOut *json, HirSceneCard *card)
{
  g_autofree char *text = hir_scene_card_dup_part_text (card, -1);
  double x, y, at_x, at_y;

  hir_report_add_string (json, "said", text);
  hir_json_out_begin (json, "parts", '[');
  for (guint i = 0; hir_scene_card_get_part (card, i, &x, &y); i++)
    {
      g_autofree char *part = hir_scene_card_dup_part_text (card, (int) i);

      if (!hir_report_get_place (GTK_WIDGET (card), x, y, &at_x, &at_y))
        break;
      hir_json_out_begin (json, NULL, '{');
      hir_report_add_place (json, at_x, at_y);
      hir_report_add_string (json, "text", part);
      hir_json_out_end (json, '}');
    }
  hir_json_out_end (json, ']');
}

static gboolean
is_named (GtkWidget *widget)
{
  return gtk_test_accessible_has_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL);
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

/* Adds the labels in front of an entry that are not shortened. */
static void
add_whole_labels (HirJsonOut *json, GtkWidget *entry)
{
  g_autoptr (GString) words = g_string_new (NULL);

  for (GtkWidget *at = gtk_widget_get_prev_sibling (entry); at != NULL;
       at = gtk_widget_get_prev_sibling (at))
    if (GTK_IS_LABEL (at) && !pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (at))))
      g_string_append_printf (words, "%s%s", words->len > 0 ? " | " : "",
                              gtk_label_get_text (GTK_LABEL (at)));
  hir_report_add_string (json, "labels", words->str);
}

static void
add_control (HirJsonOut *json, GtkWidget *widget, const char *name, GtkWidget *focus)
{
  double x = 0, y = 0;

  if (!hir_report_get_place (widget, 0, 0, &x, &y))
    return;
  hir_json_out_begin (json, NULL, '{');
  hir_report_add_string (json, "kind", G_OBJECT_TYPE_NAME (widget));
  hir_report_add_string (json, "name",
                         GTK_IS_EDITABLE (widget) ? gtk_editable_get_text (GTK_EDITABLE (widget))
                         : HIR_IS_SCENE_CARD (widget)
                             ? hir_scene_card_get_name (HIR_SCENE_CARD (widget))
                             : name);
  hir_report_add_place (json, x, y);
  hir_json_out_add_int (json, "width", gtk_widget_get_width (widget));
  hir_json_out_add_int (json, "height", gtk_widget_get_height (widget));
  hir_json_out_add_bool (json, "usable", gtk_widget_is_sensitive (widget));
  hir_json_out_add_bool (json, "focus",
                         focus != NULL &&
                             (focus == widget || gtk_widget_is_ancestor (focus, widget)));
  hir_json_out_add_bool (json, "named", is_named (widget));
  if (ADW_IS_PREFERENCES_ROW (widget))
    hir_report_add_string (json, "title",
                           adw_preferences_row_get_title (ADW_PREFERENCES_ROW (widget)));
  if (GTK_IS_ENTRY (widget))
    add_whole_labels (json, widget);
  if (gtk_widget_has_css_class (widget, "script-error"))
    hir_json_out_add_bool (json, "message", TRUE);
  hir_json_out_add_bool (json, "scrolls",
                         gtk_widget_get_ancestor (widget, GTK_TYPE_SCROLLED_WINDOW) != NULL);
  if (HIR_IS_SCENE_CARD (widget))
    add_parts (json, HIR_SCENE_CARD (widget));
  if (GTK_IS_TOGGLE_BUTTON (widget) || GTK_IS_CHECK_BUTTON (widget) || GTK_IS_SWITCH (widget))
    {
      gboolean is_active;

      g_object_get (widget, "active", &is_active, NULL);
      hir_json_out_add_bool (json, "active", is_active);
    }
  if (GTK_IS_LIST_BOX_ROW (widget) || g_str_equal (G_OBJECT_TYPE_NAME (widget), "HirGraphCard"))
    {
      g_autoptr (GString) words = g_string_new (NULL);

      collect_words (widget, words);
      hir_report_add_string (json, "text", words->str);
      hir_report_add_string (json, "tooltip", gtk_widget_get_tooltip_text (widget));
    }
  hir_json_out_end (json, '}');
}

static void
add_controls_below (HirJsonOut *json, GtkWidget *widget, GtkWidget *focus)
{
  HirNameFacts facts;

  if (!gtk_widget_get_mapped (widget))
    return;
  facts = hir_names_inspect (widget);
  if (facts.is_control || gtk_widget_has_css_class (widget, "script-error"))
    add_control (json, widget, facts.words, focus);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    add_controls_below (json, child, focus);
}

void
hir_report_add_controls (HirJsonOut *json, GtkWidget *window)
{
  hir_json_out_begin (json, "controls", '[');
  add_controls_below (json, window, gtk_root_get_focus (GTK_ROOT (window)));
  hir_json_out_end (json, ']');
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

/* Adds focusable widgets without name or role. */
static void
add_silent_below (HirJsonOut *json, GtkWidget *widget)
{
  if (!gtk_widget_get_mapped (widget))
    return;
  if (hir_names_inspect (widget).wants_name && !(is_named (widget) && has_role (widget)))
    {
      GtkWidget *parent = gtk_widget_get_parent (widget);
      g_autofree char *text =
          g_strdup_printf ("%s%s in %s", is_named (widget) ? "no role: " : "",
                           G_OBJECT_TYPE_NAME (widget),
                           parent != NULL ? G_OBJECT_TYPE_NAME (parent) : "nothing");

      hir_report_add_string (json, NULL, text);
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    add_silent_below (json, child);
}

void
hir_report_add_silent (HirJsonOut *json, GtkWidget *window)
{
  hir_json_out_begin (json, "silent", '[');
  if (g_strcmp0 (g_getenv ("GTK_A11Y"), "test") == 0)
    add_silent_below (json, window);
  hir_json_out_end (json, ']');
}

static void
add_marks (HirJsonOut *json, HirCodeView *view, int line)
{
  g_auto (GStrv) names = hir_code_view_dup_mark_names (view, line);

  hir_json_out_begin (json, "marks", '[');
  for (char **name = names; *name != NULL; name++)
    hir_report_add_string (json, NULL, *name);
  hir_json_out_end (json, ']');
}

/* Adds the triangle of a fold and the row of the hidden lines. @top is that of the head, in
 * pixels of the view. */
static void
add_fold (HirJsonOut *json, HirCodeView *view, guint line, int top)
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
  row = hir_code_folds_dup_row_text (folds, region);
  hir_json_out_begin (json, "fold", '{');
  hir_report_add_place (json, x, y);
  hir_json_out_add_int (json, "row_height", hir_code_folds_get_row_height (folds));
  hir_report_add_string (json, "row", row);
  hir_json_out_end (json, '}');
}

/* Adds the position in the gutter where a click sets a breakpoint. @y is that of the line, in
 * pixels of the view. */
static void
add_break (HirJsonOut *json, HirCodeView *view, guint line, int y)
{
  HirBreakGutter *gutter = hir_break_gutter_find (GTK_SOURCE_VIEW (view));
  gboolean is_set, is_hidden;
  double dot, x, place_y;

  if (gutter == NULL || !hir_break_gutter_get_dot (gutter, line, &dot, &is_set, &is_hidden) ||
      !hir_report_get_place (GTK_WIDGET (gutter), dot, y, &x, &place_y))
    return;
  hir_json_out_begin (json, "break", '{');
  hir_report_add_place (json, x, place_y);
  hir_json_out_add_bool (json, "set", is_set);
  hir_json_out_add_bool (json, "hidden", is_hidden);
  hir_json_out_end (json, '}');
}

static void
add_line (HirJsonOut *json, GtkTextView *view, const GtkTextIter *start)
{
  GtkTextIter end = *start;
  g_autofree char *text = NULL;
  g_autofree char *shown = NULL;
  int line = gtk_text_iter_get_line (start), top, height, x, y;
  double at_x, at_y;

  if (!gtk_text_iter_ends_line (&end))
    gtk_text_iter_forward_to_line_end (&end);
  text = gtk_text_iter_get_text (start, &end);
  shown = gtk_text_iter_get_visible_text (start, &end);
  gtk_text_view_get_line_yrange (view, start, &top, &height);
  gtk_text_view_buffer_to_window_coords (view, GTK_TEXT_WINDOW_WIDGET, 0, top + height / 2, &x, &y);
  if (!hir_report_get_place (GTK_WIDGET (view), x, y, &at_x, &at_y))
    return;
  hir_json_out_begin (json, NULL, '{');
  hir_json_out_add_int (json, "line", line + 1);
  hir_report_add_place (json, at_x, at_y);
  hir_report_add_string (json, "text", text);
  hir_report_add_string (json, "shown", shown);
  hir_json_out_add_int (json, "height", height);
  add_marks (json, HIR_CODE_VIEW (view), line);
  add_fold (json, HIR_CODE_VIEW (view), (guint) line, y - height / 2);
  add_break (json, HIR_CODE_VIEW (view), (guint) line, y);
  hir_json_out_end (json, '}');
}

/* Does not use the height of the line, which is also 0 for new lines. */
static gboolean
is_folded (HirCodeView *view, guint line)
{
  return hir_code_view_has_folds (view) &&
         hir_code_folds_get_visible_line (hir_code_view_get_folds (view), line) != line;
}

void
hir_report_add_lines (HirJsonOut *json, GtkTextView *view)
{
  GdkRectangle visible;
  GtkTextIter iter;
  int top, height;

  gtk_text_view_get_visible_rect (view, &visible);
  gtk_text_view_get_line_at_y (view, &iter, visible.y, NULL);
  for (guint n = 0; n < MAX_LINES; n++)
    {
      gtk_text_view_get_line_yrange (view, &iter, &top, &height);
      if (top >= visible.y + visible.height)
        break;
      if (!is_folded (HIR_CODE_VIEW (view), (guint) gtk_text_iter_get_line (&iter)))
        add_line (json, view, &iter);
      if (!gtk_text_iter_forward_line (&iter))
        break;
    }
}
