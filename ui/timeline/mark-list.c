#include "timeline/mark-list.h"

#include "base/names.h"
#include "base/undo-keys.h"
#include "trace/duration.h"

#define KEY_VIEW "hir-view"
#define KEY_DOCUMENT "hir-document"
#define KEY_INDEX "hir-index"
#define NAME_CHARS 24

static HirTimelineView *
get_view (gpointer button)
{
  return g_object_get_data (G_OBJECT (button), KEY_VIEW);
}

/* Returns the index of the mark whose row has @widget. */
static guint
get_index (GtkWidget *widget)
{
  return GPOINTER_TO_UINT (
      g_object_get_data (G_OBJECT (gtk_widget_get_parent (widget)), KEY_INDEX));
}

static void
on_name (GtkEditable *entry, gpointer button)
{
  hir_timeline_view_rename_mark (get_view (button), get_index (GTK_WIDGET (entry)),
                                 gtk_editable_get_text (entry));
}

static void
on_done (GtkEntry *entry, gpointer button)
{
  gtk_menu_button_popdown (button);
}

static void
on_go (GtkButton *time, gpointer button)
{
  guint i = get_index (GTK_WIDGET (time));

  gtk_menu_button_popdown (button);
  hir_timeline_view_go_to_mark (get_view (button), i);
}

static void fill (GtkWidget *button);

static GtkWidget *
get_rows (GtkWidget *button)
{
  GtkPopover *popover = gtk_menu_button_get_popover (GTK_MENU_BUTTON (button));

  return gtk_viewport_get_child (GTK_VIEWPORT (
      gtk_scrolled_window_get_child (GTK_SCROLLED_WINDOW (gtk_popover_get_child (popover)))));
}

static GtkWidget *
get_row (GtkWidget *button, int i)
{
  GtkWidget *row = gtk_widget_get_first_child (get_rows (button));

  for (; i > 0 && row != NULL; i--)
    row = gtk_widget_get_next_sibling (row);
  return row;
}

/* The focus must stay in the list so that Escape closes it. A name would handle the keys of undo.
 */
static void
focus_delete (GtkWidget *button, int i)
{
  gtk_widget_grab_focus (gtk_widget_get_last_child (get_row (button, i)));
}

static void
on_delete (GtkButton *remove, gpointer button)
{
  HirTimelineView *view = get_view (button);
  guint i = get_index (GTK_WIDGET (remove)), n = hir_timeline_view_get_marks (view)->len - 1;

  hir_timeline_view_delete_mark (view, i, g_object_get_data (button, KEY_DOCUMENT));
  if (n > 0)
    focus_delete (button, (int) MIN (i, n - 1));
}

static GtkWidget *
row_new (GtkWidget *button, guint i, const HirTimelineMark *mark)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);
  GtkWidget *name = gtk_entry_new ();
  g_autofree char *time = hir_format_duration (mark->time_ns);
  GtkWidget *go = gtk_button_new_with_label (time);
  GtkWidget *remove = gtk_button_new_from_icon_name ("user-trash-symbolic");

  g_object_set_data (G_OBJECT (row), KEY_INDEX, GUINT_TO_POINTER (i));
  /* Undo in the entry restores this name. */
  gtk_editable_set_enable_undo (GTK_EDITABLE (name), FALSE);
  gtk_editable_set_text (GTK_EDITABLE (name), mark->name);
  gtk_editable_set_enable_undo (GTK_EDITABLE (name), TRUE);
  gtk_editable_set_width_chars (GTK_EDITABLE (name), NAME_CHARS);
  gtk_widget_set_hexpand (name, TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (name), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Name of the mark", -1);
  gtk_widget_add_css_class (go, "flat");
  hir_names_set_tooltip (go, "Show this time in the timeline");
  gtk_widget_add_css_class (remove, "flat");
  hir_names_set_tooltip (remove, "Delete the mark");
  g_signal_connect_object (name, "changed", G_CALLBACK (on_name), button, 0);
  g_signal_connect_object (name, "activate", G_CALLBACK (on_done), button, 0);
  g_signal_connect_object (go, "clicked", G_CALLBACK (on_go), button, 0);
  g_signal_connect_object (remove, "clicked", G_CALLBACK (on_delete), button, 0);
  gtk_box_append (GTK_BOX (row), name);
  gtk_box_append (GTK_BOX (row), go);
  gtk_box_append (GTK_BOX (row), remove);
  return row;
}

static void
fill (GtkWidget *button)
{
  const GArray *marks = hir_timeline_view_get_marks (get_view (button));
  GtkWidget *rows = get_rows (button), *child;

  while ((child = gtk_widget_get_first_child (rows)) != NULL)
    gtk_box_remove (GTK_BOX (rows), child);
  for (guint i = 0; i < marks->len; i++)
    gtk_box_append (GTK_BOX (rows),
                    row_new (button, i, &g_array_index (marks, HirTimelineMark, i)));
}

static void
on_show (GtkWidget *popover, gpointer button)
{
  fill (button);
}

/* The next keys are for the timeline, not for the button that has opened the list. */
static void
on_closed (GtkPopover *popover, gpointer button)
{
  gtk_widget_grab_focus (GTK_WIDGET (get_view (button)));
}

void
hir_mark_list_open (GtkWidget *button, int i)
{
  GtkWidget *row;

  gtk_menu_button_popup (GTK_MENU_BUTTON (button));
  row = get_row (button, MAX (i, 0));
  if (row != NULL)
    gtk_widget_grab_focus (gtk_widget_get_first_child (row));
}

static guint
count_rows (GtkWidget *button)
{
  guint n = 0;

  for (GtkWidget *row = gtk_widget_get_first_child (get_rows (button)); row != NULL;
       row = gtk_widget_get_next_sibling (row))
    n++;
  return n;
}

/* Without marks, the space next to the status is more useful. A row stays while its mark is
 * renamed. */
static void
on_marks (HirTimelineView *view, gpointer button)
{
  guint n = hir_timeline_view_get_marks (view)->len;
  GtkPopover *popover = gtk_menu_button_get_popover (button);

  if (gtk_widget_get_visible (GTK_WIDGET (popover)) && n == 0)
    gtk_menu_button_popdown (button);
  else if (gtk_widget_get_visible (GTK_WIDGET (popover)) && n != count_rows (button))
    {
      fill (button);
      focus_delete (button, 0);
    }
  gtk_widget_set_visible (button, n > 0);
}

GtkWidget *
hir_mark_list_new (HirTimelineView *view, HirDocument *document)
{
  GtkWidget *button = gtk_menu_button_new ();
  GtkWidget *popover = gtk_popover_new ();
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  g_object_set_data (G_OBJECT (button), KEY_VIEW, view);
  g_object_set_data (G_OBJECT (button), KEY_DOCUMENT, document);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scrolled), TRUE);
  gtk_scrolled_window_set_propagate_natural_width (GTK_SCROLLED_WINDOW (scrolled), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scrolled), 320);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled),
                                 gtk_box_new (GTK_ORIENTATION_VERTICAL, 4));
  gtk_popover_set_child (GTK_POPOVER (popover), scrolled);
  /* The button is at the right end of its line. */
  gtk_widget_set_halign (popover, GTK_ALIGN_END);
  g_signal_connect_object (popover, "show", G_CALLBACK (on_show), button, 0);
  g_signal_connect_object (popover, "closed", G_CALLBACK (on_closed), button, 0);
  hir_undo_keys_add (popover, GTK_PHASE_BUBBLE);
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (button), popover);
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (button), "user-bookmarks-symbolic");
  gtk_widget_add_css_class (button, "flat");
  g_signal_connect_object (view, "marks-changed", G_CALLBACK (on_marks), button, 0);
  on_marks (view, button);
  gtk_widget_set_tooltip_text (button, "Marks of the timeline (Ctrl+Shift+D)");
  return button;
}
