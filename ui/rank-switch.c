#include "rank-switch.h"

struct _HirRankSwitch
{
  GtkWidget parent_instance;

  HirSelection *selection;
  GtkWidget *box;
  GtkDropDown *list;
  gboolean is_syncing; /* the selection moves the list, not the other way round */
};

G_DEFINE_FINAL_TYPE (HirRankSwitch, hir_rank_switch, GTK_TYPE_WIDGET)

static void
sync_shown (HirRankSwitch *self)
{
  int shown = hir_selection_get_rank_program (self->selection);

  if (shown < 0 || !gtk_widget_get_visible (GTK_WIDGET (self)))
    return;
  self->is_syncing = TRUE;
  gtk_drop_down_set_selected (self->list, (guint) shown);
  self->is_syncing = FALSE;
}

static void
rebuild (HirRankSwitch *self)
{
  HirRankPrograms *ranks = hir_selection_get_ranks (self->selection);
  g_autoptr (GtkStringList) labels = gtk_string_list_new (NULL);
  guint n = ranks != NULL ? ranks->programs->len : 0;

  for (guint i = 0; i < n; i++)
    gtk_string_list_take (labels, hir_rank_program_dup_label (hir_rank_programs_get (ranks, i)));
  self->is_syncing = TRUE;
  gtk_drop_down_set_model (self->list, G_LIST_MODEL (labels));
  self->is_syncing = FALSE;
  gtk_widget_set_visible (GTK_WIDGET (self), n > 1);
  sync_shown (self);
}

static void
on_selected (HirRankSwitch *self)
{
  guint selected = gtk_drop_down_get_selected (self->list);

  if (!self->is_syncing && selected != GTK_INVALID_LIST_POSITION)
    hir_selection_set_rank_program (self->selection, selected);
}

static void
hir_rank_switch_dispose (GObject *object)
{
  HirRankSwitch *self = HIR_RANK_SWITCH (object);

  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  g_clear_object (&self->selection);
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

/* A label that gives way: the row is never wider than the list of passes is made. */
static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer user_data)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_list_item_set_child (item, label);
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer user_data)
{
  GtkStringObject *text = gtk_list_item_get_item (item);

  gtk_label_set_text (GTK_LABEL (gtk_list_item_get_child (item)),
                      gtk_string_object_get_string (text));
}

static void
hir_rank_switch_init (HirRankSwitch *self)
{
  GtkWidget *heading = gtk_label_new ("PROGRAM OF");
  GtkWidget *list = gtk_drop_down_new (NULL, NULL);
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();

  self->box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  self->list = GTK_DROP_DOWN (list);
  gtk_widget_add_css_class (heading, "pane-heading");
  gtk_widget_add_css_class (heading, "dim-label");
  gtk_widget_set_margin_start (heading, 12);
  gtk_widget_set_hexpand (list, TRUE);
  gtk_widget_set_margin_end (list, 8);
  gtk_widget_set_margin_top (list, 6);
  gtk_widget_set_tooltip_text (list, "The ranks' programs differ: whose is shown (r, Shift+R)");
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), NULL);
  gtk_drop_down_set_factory (self->list, factory);
  gtk_box_append (GTK_BOX (self->box), heading);
  gtk_box_append (GTK_BOX (self->box), list);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
  g_signal_connect_swapped (list, "notify::selected", G_CALLBACK (on_selected), self);
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
