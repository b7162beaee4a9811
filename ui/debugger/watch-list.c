#include "debugger/watch-list.h"

#include "base/focus.h"
#include "base/names.h"
#include "debugger/debug-watches.h"

struct _HirWatchList
{
  GtkWidget parent_instance;

  GtkWidget *box;
  GtkListBox *list;
  GtkEditable *entry;
  char *shown; /* content of the list; it is rebuilt only if this changes */
};

G_DEFINE_FINAL_TYPE (HirWatchList, hir_watch_list, GTK_TYPE_WIDGET)

static void
on_delete (GtkWidget *widget)
{
  gtk_widget_activate_action (widget, "win.watch-delete", "s",
                              g_object_get_data (G_OBJECT (widget), "text"));
}

static void
set_text (GtkWidget *widget, const HirWatch *watch)
{
  g_object_set_data_full (G_OBJECT (widget), "text", g_strdup (watch->text), g_free);
}

static GtkWidget *
label_new (const char *text, const char *tooltip)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  hir_names_set_tooltip (label, tooltip);
  return label;
}

/* A dot before the value marks a change, for those who do not see the color. */
static GtkWidget *
row_new (const HirWatch *watch)
{
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *remove = gtk_button_new_from_icon_name ("window-close-symbolic");
  g_autofree char *away = g_strdup_printf ("Remove %s", watch->text);
  g_autofree char *value = g_strdup_printf ("%s%s", watch->is_changed ? "\xe2\x97\x8f " : "",
                                            watch->value != NULL ? watch->value : "not running");
  GtkWidget *name = label_new (watch->text, watch->text);
  GtkWidget *text =
      label_new (value, watch->detail != NULL && *watch->detail != '\0' ? watch->detail : value);

  gtk_label_set_width_chars (GTK_LABEL (name), 12);
  gtk_label_set_max_width_chars (GTK_LABEL (name), 24);
  gtk_widget_add_css_class (name, "watch-name");
  gtk_widget_set_hexpand (text, TRUE);
  if (watch->is_error || watch->value == NULL)
    gtk_widget_add_css_class (text, "dim-label");
  if (watch->is_changed)
    gtk_widget_add_css_class (text, "watch-changed");
  gtk_widget_add_css_class (remove, "flat");
  gtk_widget_set_tooltip_text (remove, away);
  set_text (remove, watch);
  set_text (row, watch);
  g_signal_connect (remove, "clicked", G_CALLBACK (on_delete), NULL);
  gtk_box_append (GTK_BOX (box), name);
  gtk_box_append (GTK_BOX (box), text);
  gtk_box_append (GTK_BOX (box), remove);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  return row;
}

static char *
describe (const GPtrArray *watches)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < watches->len; i++)
    {
      const HirWatch *watch = watches->pdata[i];

      g_string_append_printf (out, "%s|%d%d|%s|%s\n", watch->text, watch->is_changed,
                              watch->is_error, watch->value != NULL ? watch->value : "",
                              watch->detail != NULL ? watch->detail : "");
    }
  return g_string_free (out, FALSE);
}

/* Returns the index of the row with the focus, or -1. */
static int
find_focus (HirWatchList *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  GtkListBoxRow *row;

  for (int i = 0; (row = gtk_list_box_get_row_at_index (self->list, i)) != NULL; i++)
    if (focus != NULL &&
        (focus == GTK_WIDGET (row) || gtk_widget_is_ancestor (focus, GTK_WIDGET (row))))
      return i;
  return -1;
}

void
hir_watch_list_set (HirWatchList *self, const GPtrArray *watches)
{
  g_autofree char *shown = describe (watches);
  int index = find_focus (self);
  GtkListBoxRow *row;

  if (g_strcmp0 (shown, self->shown) == 0)
    return;
  g_free (self->shown);
  self->shown = g_steal_pointer (&shown);
  hir_focus_leave (GTK_WIDGET (self->list), GTK_WIDGET (self->entry));
  while ((row = gtk_list_box_get_row_at_index (self->list, 0)) != NULL)
    gtk_list_box_remove (self->list, GTK_WIDGET (row));
  for (guint i = 0; i < watches->len; i++)
    gtk_list_box_append (self->list, row_new (watches->pdata[i]));
  if (index >= 0 && watches->len > 0)
    gtk_widget_grab_focus (GTK_WIDGET (
        gtk_list_box_get_row_at_index (self->list, MIN (index, (int) watches->len - 1))));
}

void
hir_watch_list_focus (HirWatchList *self, const char *text)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->entry));
  if (text == NULL || *gtk_editable_get_text (self->entry) != '\0')
    return;
  gtk_editable_set_text (self->entry, text);
  gtk_editable_select_region (self->entry, 0, -1);
}

static void
on_entry (HirWatchList *self)
{
  g_autofree char *text = g_strdup (gtk_editable_get_text (self->entry));

  gtk_editable_set_text (self->entry, "");
  gtk_widget_activate_action (GTK_WIDGET (self), "win.watch-add", "s", text);
}

/* Up goes from the entry to the last watch. */
static gboolean
on_entry_key (GtkEventControllerKey *controller,
              guint key,
              guint code,
              GdkModifierType modifiers,
              gpointer user_data)
{
  HirWatchList *self = user_data;
  GtkListBoxRow *row, *last = NULL;

  for (int i = 0; (row = gtk_list_box_get_row_at_index (self->list, i)) != NULL; i++)
    last = row;
  if (key != GDK_KEY_Up || last == NULL)
    return FALSE;
  gtk_widget_grab_focus (GTK_WIDGET (last));
  return TRUE;
}

static gboolean
on_key (GtkEventControllerKey *controller,
        guint key,
        guint code,
        GdkModifierType modifiers,
        gpointer user_data)
{
  GtkWidget *focus = gtk_root_get_focus (gtk_widget_get_root (GTK_WIDGET (user_data)));

  if (!GTK_IS_LIST_BOX_ROW (focus) || key != GDK_KEY_Delete)
    return FALSE;
  on_delete (focus);
  return TRUE;
}

static void
hir_watch_list_dispose (GObject *object)
{
  g_clear_pointer (&HIR_WATCH_LIST (object)->box, gtk_widget_unparent);
  g_clear_pointer (&HIR_WATCH_LIST (object)->shown, g_free);
  G_OBJECT_CLASS (hir_watch_list_parent_class)->dispose (object);
}

static void
hir_watch_list_class_init (HirWatchListClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_watch_list_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
hir_watch_list_init (HirWatchList *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkWidget *entry = gtk_entry_new ();
  GtkWidget *hint = gtk_label_new ("Expressions that are added below are evaluated at each stop.");
  GtkEventController *keys = gtk_event_controller_key_new ();
  GtkEventController *entry_keys = gtk_event_controller_key_new ();

  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  self->list = GTK_LIST_BOX (gtk_list_box_new ());
  gtk_list_box_set_selection_mode (self->list, GTK_SELECTION_NONE);
  gtk_widget_add_css_class (GTK_WIDGET (self->list), "watches");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Watched expressions", -1);
  gtk_label_set_xalign (GTK_LABEL (hint), 0);
  gtk_label_set_wrap (GTK_LABEL (hint), TRUE);
  gtk_widget_add_css_class (hint, "dim-label");
  gtk_list_box_set_placeholder (self->list, hint);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (GTK_WIDGET (self->list), keys);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (self->list));
  gtk_widget_set_vexpand (scroller, TRUE);
  self->entry = GTK_EDITABLE (entry);
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), "T5[0, :]   StreamIdx   max(T5)   /g T5");
  gtk_widget_set_tooltip_text (entry, "New watch: an expression of the command print; /a before it "
                                      "for all devices, /g for the gathered value");
  g_signal_connect (entry_keys, "key-pressed", G_CALLBACK (on_entry_key), self);
  gtk_event_controller_set_propagation_phase (entry_keys, GTK_PHASE_CAPTURE);
  gtk_widget_add_controller (entry, entry_keys);
  g_signal_connect_swapped (entry, "activate", G_CALLBACK (on_entry), self);
  gtk_box_append (GTK_BOX (self->box), scroller);
  gtk_box_append (GTK_BOX (self->box), entry);
  gtk_widget_add_css_class (self->box, "debug-status");
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
}

GtkWidget *
hir_watch_list_new (void)
{
  return g_object_new (HIR_TYPE_WATCH_LIST, NULL);
}
