#include "base/names.h"

#include "config.h"

#include <string.h>

#include "base/long-text.h"

#define KEY "hir-named"
#define QUEUED "hir-names-queued"

/* Names of widgets that contain no label. */
static const struct
{
  const char *type, *name;
} own_names[] = {
  { "HirGraphView", "Graph of the program" },
  { "HirTimelineView", "Timeline of the recording" },
  { "HirTimelineMinimap", "All of the recording" },
  { "HirStatsCanvas", "Statistics of the recording" },
  { "HirExplainCanvas", "Explanation" },
  { "HirEventsCanvas", "Events table" },
  { "HirGraphCard", "Card of a box of the graph" },
  { "HirCodeView", "Text" },
};

static const char *
get_own_name (GtkWidget *widget)
{
  for (guint i = 0; i < G_N_ELEMENTS (own_names); i++)
    if (g_str_equal (own_names[i].type, G_OBJECT_TYPE_NAME (widget)))
      return own_names[i].name;
  return NULL;
}

/* Returns whether the user operates @widget, for example a button, an entry, a row or a view. */
static gboolean
is_control (GtkWidget *widget)
{
  const char *type = G_OBJECT_TYPE_NAME (widget);

  return GTK_IS_BUTTON (widget) || GTK_IS_EDITABLE (widget) || GTK_IS_DROP_DOWN (widget) ||
         GTK_IS_MENU_BUTTON (widget) || GTK_IS_LIST_BOX_ROW (widget) || GTK_IS_SWITCH (widget) ||
         GTK_IS_CHECK_BUTTON (widget) ||
         (GTK_IS_LABEL (widget) && *gtk_label_get_text (GTK_LABEL (widget)) != '\0' &&
          (gtk_widget_get_focusable (widget) || gtk_widget_has_css_class (widget, "fact-name") ||
           gtk_widget_has_css_class (widget, "fact-value"))) ||
         GTK_IS_TEXT_VIEW (widget) || g_str_equal (type, "HirSceneCard") ||
         g_str_equal (type, "GtkModelButton") || g_str_equal (type, "GtkMenuSectionBox") ||
         get_own_name (widget) != NULL;
}

/* Returns whether @widget needs a name: it is a control, or can get the focus. Scrolled windows
 * need none, because screen readers do not announce them. */
static gboolean
wants_name (GtkWidget *widget)
{
  return is_control (widget) ||
         (gtk_widget_get_focusable (widget) && !GTK_IS_SCROLLED_WINDOW (widget));
}

/* Returns the name of a container, which must not be named by its contents, or NULL. */
static const char *
get_container_name (GtkWidget *widget)
{
  return GTK_IS_PANED (widget)                                      ? "Divider"
         : GTK_IS_LIST_VIEW (widget) || GTK_IS_COLUMN_VIEW (widget) ? "Choices"
                                                                    : NULL;
}

static const char *
find_words (GtkWidget *widget)
{
  /* The labels inside a drop-down belong to all its choices. */
  if (GTK_IS_DROP_DOWN (widget))
    {
      GObject *item = gtk_drop_down_get_selected_item (GTK_DROP_DOWN (widget));

      return GTK_IS_STRING_OBJECT (item) ? gtk_string_object_get_string (GTK_STRING_OBJECT (item))
                                         : NULL;
    }
  if (GTK_IS_LABEL (widget) && *gtk_label_get_text (GTK_LABEL (widget)) != '\0')
    return gtk_label_get_text (GTK_LABEL (widget));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      const char *words = gtk_widget_get_visible (child) ? find_words (child) : NULL;

      if (words != NULL)
        return words;
    }
  return gtk_widget_get_tooltip_text (widget);
}

/* Returns the text that identifies @widget: the current choice, the text on it, its tooltip, or
 * that of the button that contains it; NULL if there is none. */
static const char *
find_name (GtkWidget *widget)
{
  const char *container = get_container_name (widget);
  const char *words = container != NULL ? container : find_words (widget);
  GtkWidget *parent = gtk_widget_get_parent (widget);

  /* The button inside a menu button or a drop-down, and the arrow of a split button. */
  if ((words == NULL || *words == '\0' || g_str_equal (words, "(None)")) &&
      GTK_IS_BUTTON (widget) && parent != NULL &&
      (GTK_IS_MENU_BUTTON (parent) || GTK_IS_DROP_DOWN (parent)))
    words = find_name (parent);
  if (words == NULL && GTK_IS_BUTTON (widget) &&
      g_strcmp0 (gtk_button_get_icon_name (GTK_BUTTON (widget)), "edit-find-symbolic") == 0)
    return "Find";
  if (words == NULL && gtk_widget_has_css_class (widget, "close"))
    return "Close";
  if (words == NULL && gtk_widget_has_css_class (widget, "minimize"))
    return "Minimize";
  if (words == NULL && gtk_widget_has_css_class (widget, "maximize"))
    return "Maximize";
  return words != NULL && *words != '\0' ? words : get_own_name (widget);
}

#if HIR_TESTING
HirNameFacts
hir_names_inspect (GtkWidget *widget)
{
  HirNameFacts facts = { is_control (widget), wants_name (widget), NULL };

  facts.words = facts.is_control ? find_name (widget) : NULL;
  return facts;
}
#endif

/* Prefers the tooltip of a control to its current value. */
static void
give_name (GtkWidget *widget)
{
  const char *name = NULL, *given = g_object_get_data (G_OBJECT (widget), KEY);

  if (GTK_IS_ENTRY (widget))
    name = gtk_entry_get_placeholder_text (GTK_ENTRY (widget));
  if (name == NULL &&
      (GTK_IS_DROP_DOWN (widget) || GTK_IS_EDITABLE (widget) || GTK_IS_SWITCH (widget)))
    name = gtk_widget_get_tooltip_text (widget);
  /* The text widget inside an entry. */
  if (name == NULL && GTK_IS_TEXT (widget) && gtk_widget_get_parent (widget) != NULL)
    name = gtk_widget_get_tooltip_text (gtk_widget_get_parent (widget));
  if (name == NULL && GTK_IS_TEXT (widget) && GTK_IS_ENTRY (gtk_widget_get_parent (widget)))
    name = gtk_entry_get_placeholder_text (GTK_ENTRY (gtk_widget_get_parent (widget)));
  if (name == NULL && GTK_IS_TEXT (widget) && GTK_IS_SEARCH_ENTRY (gtk_widget_get_parent (widget)))
    name = "Find";
  if (name == NULL)
    name = find_name (widget);
  if (name == NULL || g_strcmp0 (name, given) == 0)
    return;
  /* The creator of the widget has set a name. */
  if (given == NULL &&
      gtk_test_accessible_has_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL))
    return;
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  g_object_set_data_full (G_OBJECT (widget), KEY, g_strdup (name), g_free);
}

void
hir_names_fill (GtkWidget *root)
{
  if (wants_name (root))
    give_name (root);
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    hir_names_fill (child);
}

static void
on_focus (GtkWindow *window, GParamSpec *pspec, gpointer user_data)
{
  GtkWidget *focus = gtk_window_get_focus (window);

  for (; focus != NULL; focus = gtk_widget_get_parent (focus))
    if (wants_name (focus))
      give_name (focus);
}

static gboolean
fill_queued (gpointer user_data)
{
  GtkWidget *window = user_data;

  g_object_set_data (G_OBJECT (window), QUEUED, NULL);
  hir_names_fill (window);
  return G_SOURCE_REMOVE;
}

void
hir_names_queue (GtkWindow *window)
{
  if (g_object_get_data (G_OBJECT (window), QUEUED) != NULL)
    return;
  g_object_set_data (G_OBJECT (window), QUEUED, window);
  g_idle_add_full (G_PRIORITY_LOW, fill_queued, g_object_ref (window), g_object_unref);
}

void
hir_names_follow (GtkWindow *window)
{
  g_signal_connect (window, "notify::focus-widget", G_CALLBACK (on_focus), NULL);
  hir_names_fill (GTK_WIDGET (window));
}

char *
hir_names_dup_menu_label (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "_", -1);

  return g_strjoinv ("__", parts);
}

void
hir_names_set_tooltip (GtkWidget *widget, const char *text)
{
  g_autofree char *cut =
      text != NULL ? hir_long_text_dup (text, HIR_TOOLTIP_MAX_CHARS, NULL) : NULL;

  gtk_widget_set_tooltip_text (widget, cut);
}
