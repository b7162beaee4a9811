#include "passes/rank-switch.h"

struct _HirRankSwitch
{
  GtkWidget parent_instance;

  HirSelection *selection;
  GtkWidget *box;
  GtkMenuButton *button;
  GtkLabel *label;
  GSimpleAction *action; /* ranks.show; its state is the displayed entry */
  guint idle;            /* id of the GSource that updates the label; 0: none */
};

G_DEFINE_FINAL_TYPE (HirRankSwitch, hir_rank_switch, GTK_TYPE_WIDGET)

static gboolean
sync_now (gpointer user_data)
{
  HirRankSwitch *self = user_data;
  HirRankPrograms *ranks = hir_selection_get_ranks (self->selection);
  int shown = hir_selection_get_rank_program (self->selection);
  g_autofree char *label = NULL;

  self->idle = 0;
  if (shown < 0)
    return G_SOURCE_REMOVE;
  label = hir_rank_program_dup_label (hir_rank_programs_get (ranks, (guint) shown));
  gtk_label_set_text (self->label, label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  label, -1);
  g_simple_action_set_state (self->action, g_variant_new_int32 (shown));
  return G_SOURCE_REMOVE;
}

/* Must not run in the frame in which the program text is replaced: a text view that is allocated in
 * that frame lays itself out during the allocation, and GTK warns about that. */
static void
sync_shown (HirRankSwitch *self)
{
  if (self->idle == 0)
    self->idle = g_idle_add (sync_now, self);
}

static void
rebuild (HirRankSwitch *self)
{
  HirRankPrograms *ranks = hir_selection_get_ranks (self->selection);
  g_autoptr (GMenu) menu = g_menu_new ();
  guint n = ranks != NULL ? ranks->programs->len : 0;

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *label = hir_rank_program_dup_label (hir_rank_programs_get (ranks, i));
      g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);

      g_menu_item_set_action_and_target (item, "ranks.show", "i", (gint32) i);
      g_menu_append_item (menu, item);
    }
  gtk_menu_button_set_menu_model (self->button, G_MENU_MODEL (menu));
  gtk_widget_set_visible (GTK_WIDGET (self), n > 1);
  sync_shown (self);
}

static void
on_show (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  HirRankSwitch *self = user_data;
  HirRankPrograms *ranks = hir_selection_get_ranks (self->selection);
  gint32 i = g_variant_get_int32 (parameter);

  if (ranks != NULL && i >= 0 && (guint) i < ranks->programs->len)
    hir_selection_set_rank_program (self->selection, (guint) i);
}

static void
hir_rank_switch_dispose (GObject *object)
{
  HirRankSwitch *self = HIR_RANK_SWITCH (object);

  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  g_clear_object (&self->selection);
  if (self->action != NULL)
    g_signal_handlers_disconnect_by_data (self->action, self);
  g_clear_object (&self->action);
  g_clear_handle_id (&self->idle, g_source_remove);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS (hir_rank_switch_parent_class)->dispose (object);
}

static void
hir_rank_switch_class_init (HirRankSwitchClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_rank_switch_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "rankswitch");
}

static void
hir_rank_switch_init (HirRankSwitch *self)
{
  GtkWidget *heading = gtk_label_new ("PROGRAM OF");
  GtkWidget *button = gtk_menu_button_new ();
  GtkWidget *label = gtk_label_new (NULL);
  g_autoptr (GSimpleActionGroup) actions = g_simple_action_group_new ();

  self->box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  self->button = GTK_MENU_BUTTON (button);
  self->label = GTK_LABEL (label);
  /* The label is shortened so that the row does not widen the list of passes. */
  gtk_label_set_xalign (self->label, 0);
  gtk_label_set_ellipsize (self->label, PANGO_ELLIPSIZE_END);
  gtk_menu_button_set_child (self->button, label);
  gtk_menu_button_set_always_show_arrow (self->button, TRUE);
  gtk_widget_add_css_class (heading, "pane-heading");
  gtk_widget_add_css_class (heading, "dim-label");
  gtk_widget_set_margin_start (heading, 12);
  gtk_widget_set_hexpand (button, TRUE);
  gtk_widget_set_margin_end (button, 8);
  gtk_widget_set_margin_top (button, 6);
  gtk_widget_set_tooltip_text (button, "Select the ranks whose program is displayed (r, Shift+R)");
  gtk_box_append (GTK_BOX (self->box), heading);
  gtk_box_append (GTK_BOX (self->box), button);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
  self->action =
      g_simple_action_new_stateful ("show", G_VARIANT_TYPE_INT32, g_variant_new_int32 (0));
  g_signal_connect (self->action, "activate", G_CALLBACK (on_show), self);
  g_action_map_add_action (G_ACTION_MAP (actions), G_ACTION (self->action));
  gtk_widget_insert_action_group (GTK_WIDGET (self), "ranks", G_ACTION_GROUP (actions));
}

GtkWidget *
hir_rank_switch_new (HirSelection *selection)
{
  HirRankSwitch *self = g_object_new (HIR_TYPE_RANK_SWITCH, NULL);

  self->selection = g_object_ref (selection);
  g_signal_connect_swapped (selection, "ranks-changed", G_CALLBACK (rebuild), self);
  g_signal_connect_swapped (selection, "program-changed", G_CALLBACK (sync_shown), self);
  rebuild (self);
  return GTK_WIDGET (self);
}
