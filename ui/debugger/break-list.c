#include "debugger/break-list.h"

#include "base/focus.h"
#include "base/names.h"
#include "config.h"
#include "debugger/break-editor.h"

struct _HirBreakList
{
  GtkWidget parent_instance;

  GtkWidget *box;
  GtkListBox *list;
  GtkEditable *entry;
  GtkLabel *why;
  HirBreakEditor *editor; /* nullable: the open editor (borrowed) */
  char *shown;            /* content of the list; it is rebuilt only if this changes */
};

G_DEFINE_FINAL_TYPE (HirBreakList, hir_break_list, GTK_TYPE_WIDGET)

static guint
get_key (gpointer widget)
{
  return GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (widget), "key"));
}

static void
set_key (gpointer widget, guint key)
{
  g_object_set_data (G_OBJECT (widget), "key", GUINT_TO_POINTER (key));
}

static void
on_delete (GtkWidget *button)
{
  gtk_widget_activate_action (button, "win.break-delete", "u", get_key (button));
}

static void
on_enable (GtkCheckButton *check)
{
  gtk_widget_activate_action (GTK_WIDGET (check), "win.break-enable", "(ub)", get_key (check),
                              gtk_check_button_get_active (check));
}

static void
on_closed (HirBreakEditor *editor, gpointer user_data)
{
  HirBreakList *self = user_data;

  if (self->editor == editor)
    self->editor = NULL;
}

static void
take_editor (HirBreakList *self, GtkMenuButton *button, GtkWidget *editor)
{
  self->editor = HIR_BREAK_EDITOR (editor);
  g_signal_connect_object (editor, "closed", G_CALLBACK (on_closed), self, 0);
  gtk_menu_button_set_popover (button, editor);
}

/* Creates the editor on demand, from the copy of the breakpoint that is stored with the button. */
static void
create_editor (GtkMenuButton *button, gpointer user_data)
{
  take_editor (user_data, button,
               hir_break_editor_new (g_object_get_data (G_OBJECT (button), "item")));
}

static HirBreak *
copy (const HirBreak *item)
{
  HirBreak *made = g_memdup2 (item, sizeof *item);

  made->where = g_strdup (item->where);
  made->iteration = g_strdup (item->iteration);
  made->rank = g_strdup (item->rank);
  made->stream = g_strdup (item->stream);
  made->condition = g_strdup (item->condition);
  made->label = g_strdup (item->label);
  made->why = g_strdup (item->why);
  made->ids = g_array_ref (item->ids);
  return made;
}

static GtkWidget *
small_button (GtkWidget *button, const char *tooltip, guint key)
{
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  set_key (button, key);
  return button;
}

/* For example "12 iteration 5   T5 = matmul (T3, T4)": the breakpoint, then its instruction. */
static GtkWidget *
label_new (const HirBreak *item, const char *text)
{
  GtkWidget *label = gtk_label_new (NULL);
  gboolean has_label = item->label != NULL && *item->where != '\0';
  g_autofree char *what =
      g_markup_printf_escaped (has_label ? "<b>%s</b>  <span alpha=\"70%%\">%s</span>"
                                         : "<b>%s</b>%s",
                               *text != '\0' ? text : "anywhere", has_label ? item->label : "");
  g_autofree char *tooltip =
      g_strdup_printf ("%s%s%s%s%s", text, has_label ? "\n" : "", has_label ? item->label : "",
                       item->why != NULL ? "\nInactive: " : "", item->why != NULL ? item->why : "");

  gtk_label_set_markup (GTK_LABEL (label), what);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  hir_names_set_tooltip (label, tooltip);
  gtk_widget_set_hexpand (label, TRUE);
  if (item->is_disabled || item->why != NULL)
    gtk_widget_add_css_class (label, "dim-label");
  return label;
}

static GtkWidget *
row_new (HirBreakList *self, const HirBreak *item)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);
  GtkWidget *check = gtk_check_button_new ();
  GtkWidget *edit = gtk_menu_button_new ();
  GtkWidget *remove = gtk_button_new_from_icon_name ("window-close-symbolic");
  GtkWidget *row = gtk_list_box_row_new ();
  g_autofree char *text = hir_break_dup_text (item);
  g_autofree char *hits = item->n_hits > 0 ? g_strdup_printf ("%u\xc3\x97", item->n_hits) : NULL;
  g_autofree char *on_off = g_strdup_printf ("Stop at %s", text);
  g_autofree char *change = g_strdup_printf ("Edit %s", text);
  g_autofree char *away = g_strdup_printf ("Delete %s", text);

  gtk_check_button_set_active (GTK_CHECK_BUTTON (check), !item->is_disabled);
  small_button (check, on_off, item->key);
  small_button (edit, change, item->key);
  small_button (remove, away, item->key);
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (edit), "document-edit-symbolic");
  g_object_set_data_full (G_OBJECT (edit), "item", copy (item), (GDestroyNotify) hir_break_free);
  gtk_menu_button_set_create_popup_func (GTK_MENU_BUTTON (edit), create_editor, self, NULL);
  g_signal_connect (check, "toggled", G_CALLBACK (on_enable), NULL);
  g_signal_connect (remove, "clicked", G_CALLBACK (on_delete), NULL);
  gtk_box_append (GTK_BOX (box), check);
  if (item->why != NULL)
    {
      GtkWidget *icon = gtk_image_new_from_icon_name ("dialog-warning-symbolic");

      gtk_widget_add_css_class (icon, "warning");
      hir_names_set_tooltip (icon, item->why);
      gtk_box_append (GTK_BOX (box), icon);
    }
  gtk_box_append (GTK_BOX (box), label_new (item, text));
  if (hits != NULL)
    {
      GtkWidget *times = gtk_label_new (hits);

      gtk_widget_add_css_class (times, "dim-label");
      gtk_widget_set_tooltip_text (times, "Number of hits");
      gtk_box_append (GTK_BOX (box), times);
    }
  gtk_box_append (GTK_BOX (box), edit);
  gtk_box_append (GTK_BOX (box), remove);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  if (item->is_disabled)
    gtk_widget_add_css_class (row, "off");
  g_object_set_data (G_OBJECT (row), "edit", edit);
  set_key (row, item->key);
  return row;
}

static char *
describe (const GPtrArray *breaks)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < breaks->len; i++)
    {
      const HirBreak *item = breaks->pdata[i];
      g_autofree char *text = hir_break_dup_text (item);

      g_string_append_printf (out, "%u %u %d %s|%s|%s\n", item->key, item->n_hits,
                              item->is_disabled, text, item->label != NULL ? item->label : "",
                              item->why != NULL ? item->why : "");
    }
  return g_string_free (out, FALSE);
}

void
hir_break_list_set (HirBreakList *self, const GPtrArray *breaks)
{
  g_autofree char *shown = describe (breaks);
  GtkListBoxRow *row;
  GtkListBoxRow *focused;
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  int index = -1;

  if (g_strcmp0 (shown, self->shown) == 0)
    return;
  g_free (self->shown);
  self->shown = g_steal_pointer (&shown);
  for (int i = 0; (row = gtk_list_box_get_row_at_index (self->list, i)) != NULL; i++)
    if (focus != NULL &&
        (focus == GTK_WIDGET (row) || gtk_widget_is_ancestor (focus, GTK_WIDGET (row))))
      index = i;
  hir_focus_leave (GTK_WIDGET (self->list), GTK_WIDGET (self->entry));
  while ((row = gtk_list_box_get_row_at_index (self->list, 0)) != NULL)
    gtk_list_box_remove (self->list, GTK_WIDGET (row));
  for (guint i = 0; i < breaks->len; i++)
    gtk_list_box_append (self->list, row_new (self, breaks->pdata[i]));
  focused = index >= 0 && breaks->len > 0
                ? gtk_list_box_get_row_at_index (self->list, MIN (index, (int) breaks->len - 1))
                : NULL;
  if (focused != NULL)
    gtk_widget_grab_focus (GTK_WIDGET (focused));
}

void
hir_break_list_accept (HirBreakList *self)
{
  if (self->editor != NULL)
    {
      gtk_popover_popdown (GTK_POPOVER (self->editor));
      return;
    }
  gtk_editable_set_text (self->entry, "");
}

void
hir_break_list_refuse (HirBreakList *self, const char *why, guint column)
{
  if (self->editor != NULL)
    {
      hir_break_editor_refuse (self->editor, why);
      return;
    }
  gtk_label_set_text (self->why, why);
  hir_names_set_tooltip (GTK_WIDGET (self->why), why);
  gtk_widget_set_visible (GTK_WIDGET (self->why), TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->entry), "error");
  if (column > 0)
    gtk_editable_set_position (self->entry, (int) column - 1);
}

#if HIR_TESTING
const char *
hir_break_list_get_why (HirBreakList *self)
{
  if (self->editor != NULL)
    return hir_break_editor_get_why (self->editor);
  return gtk_widget_get_visible (GTK_WIDGET (self->why)) ? gtk_label_get_text (self->why) : "";
}
#endif

static void
on_entry (HirBreakList *self)
{
  g_autofree char *text = g_strstrip (g_strdup (gtk_editable_get_text (self->entry)));

  if (*text != '\0')
    gtk_widget_activate_action (GTK_WIDGET (self), "win.break-add", "s", text);
}

/* Clears the error, because the text has changed. */
static void
on_typed (HirBreakList *self)
{
  gtk_widget_set_visible (GTK_WIDGET (self->why), FALSE);
  gtk_widget_remove_css_class (GTK_WIDGET (self->entry), "error");
}

static void
on_row (GtkListBox *list, GtkListBoxRow *row, gpointer user_data)
{
  gtk_menu_button_popup (g_object_get_data (G_OBJECT (row), "edit"));
}

static gboolean
on_key (GtkEventControllerKey *controller,
        guint key,
        guint code,
        GdkModifierType modifiers,
        gpointer user_data)
{
  HirBreakList *self = user_data;
  GtkWidget *focus = gtk_root_get_focus (gtk_widget_get_root (GTK_WIDGET (self)));

  if (!GTK_IS_LIST_BOX_ROW (focus) || (key != GDK_KEY_Delete && key != GDK_KEY_x))
    return FALSE;
  if (key == GDK_KEY_Delete)
    on_delete (focus);
  else
    gtk_widget_activate_action (focus, "win.break-enable", "(ub)", get_key (focus),
                                gtk_widget_has_css_class (focus, "off"));
  return TRUE;
}

static void
hir_break_list_dispose (GObject *object)
{
  g_clear_pointer (&HIR_BREAK_LIST (object)->box, gtk_widget_unparent);
  g_clear_pointer (&HIR_BREAK_LIST (object)->shown, g_free);
  G_OBJECT_CLASS (hir_break_list_parent_class)->dispose (object);
}

static void
hir_break_list_class_init (HirBreakListClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_break_list_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static GtkWidget *
create_entry (HirBreakList *self)
{
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *entry = gtk_entry_new ();
  GtkWidget *more = gtk_menu_button_new ();

  self->entry = GTK_EDITABLE (entry);
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), "T5 iteration 2 rank 1 if max(T5) > 1");
  gtk_widget_set_tooltip_text (entry, "New breakpoint: 12, T5, Allgather, Communication or watch "
                                      "T5; then iteration N, rank N, stream N, if EXPR");
  gtk_widget_set_hexpand (entry, TRUE);
  g_signal_connect_swapped (entry, "activate", G_CALLBACK (on_entry), self);
  g_signal_connect_swapped (entry, "changed", G_CALLBACK (on_typed), self);
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (more), "list-add-symbolic");
  gtk_menu_button_set_create_popup_func (GTK_MENU_BUTTON (more), create_editor, self, NULL);
  gtk_menu_button_set_direction (GTK_MENU_BUTTON (more), GTK_ARROW_UP);
  small_button (more, "Add a breakpoint with a form", 0);
  gtk_box_append (GTK_BOX (line), entry);
  gtk_box_append (GTK_BOX (line), more);
  gtk_widget_add_css_class (line, "break-line");
  return line;
}

static void
hir_break_list_init (HirBreakList *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkWidget *empty = gtk_label_new ("No breakpoints. Click the margin of the program text, press "
                                    "b on an instruction, or type one below.");
  GtkEventController *keys = gtk_event_controller_key_new ();

  self->list = GTK_LIST_BOX (gtk_list_box_new ());
  gtk_list_box_set_selection_mode (self->list, GTK_SELECTION_NONE);
  gtk_label_set_wrap (GTK_LABEL (empty), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (empty), 30);
  gtk_widget_add_css_class (empty, "dim-label");
  gtk_list_box_set_placeholder (self->list, empty);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Breakpoints", -1);
  g_signal_connect (self->list, "row-activated", G_CALLBACK (on_row), self);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (GTK_WIDGET (self->list), keys);
  self->why = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_wrap (self->why, TRUE);
  gtk_label_set_lines (self->why, 3);
  gtk_label_set_ellipsize (self->why, PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (self->why, 0);
  gtk_widget_add_css_class (GTK_WIDGET (self->why), "error");
  gtk_widget_add_css_class (GTK_WIDGET (self->why), "break-why");
  gtk_widget_set_visible (GTK_WIDGET (self->why), FALSE);
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (self->list));
  gtk_widget_set_vexpand (scroller, TRUE);
  gtk_box_append (GTK_BOX (self->box), scroller);
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->why));
  gtk_box_append (GTK_BOX (self->box), create_entry (self));
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
}

GtkWidget *
hir_break_list_new (void)
{
  return g_object_new (HIR_TYPE_BREAK_LIST, NULL);
}
