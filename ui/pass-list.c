#include "pass-list.h"

struct _HirPassList
{
  GtkWidget parent_instance;

  HirSelection *selection;
  GtkWidget *scroller;
  GtkListBox *list;
  guint idle;          /* rows are brought up to date; 0: they are */
  gboolean is_syncing; /* the selection moves the list, not the other way round */
};

G_DEFINE_FINAL_TYPE (HirPassList, hir_pass_list, GTK_TYPE_WIDGET)

/* "+9, 3 changed", "no change", "3 tensors, 2 ops": what the pass did, in a line. */
static char *
describe (const HirProgramView *view, guint step)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);

  if (step == 0)
    {
      guint n_tensors = 0, n_exprs = 0;
      GHashTableIter iter;
      gpointer info;

      g_hash_table_iter_init (&iter, view->nodes);
      while (g_hash_table_iter_next (&iter, NULL, &info))
        {
          if (((HirNodeInfo *) info)->is_expr)
            n_exprs++;
          else if (g_str_equal (((HirNodeInfo *) info)->kind, "TensorView"))
            n_tensors++;
        }
      return g_strdup_printf ("%u tensor%s, %u op%s", n_tensors, n_tensors == 1 ? "" : "s", n_exprs,
                              n_exprs == 1 ? "" : "s");
    }
  if (!view->changed)
    return g_strdup ("no change");
  if (view->n_created > 0)
    g_ptr_array_add (parts, g_strdup_printf ("+%u", view->n_created));
  if (view->n_removed > 0)
    g_ptr_array_add (parts, g_strdup_printf ("\xe2\x88\x92%u", view->n_removed));
  if (view->n_changed > 0)
    g_ptr_array_add (parts, g_strdup_printf ("%u changed", view->n_changed));
  g_ptr_array_add (parts, NULL);
  return parts->len > 1 ? g_strjoinv (", ", (char **) parts->pdata) : g_strdup ("changed");
}

static char *
format_duration (gint64 duration_ns)
{
  double ms = (double) duration_ns / 1e6;

  return ms < 0.1 ? g_strdup ("<0.1 ms") : g_strdup_printf (ms < 10 ? "%.1f ms" : "%.0f ms", ms);
}

static GtkWidget *
add_label (GtkWidget *box, const char *text, const char *const *classes)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_css_classes (label, (const char **) classes);
  gtk_box_append (GTK_BOX (box), label);
  return label;
}

static GtkWidget *
row_new (const char *dot_class, const char *title, const char *subtitle, const char *time)
{
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 10);
  GtkWidget *dot = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *texts = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *notes = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *label;

  gtk_widget_add_css_class (dot, "pass-dot");
  gtk_widget_add_css_class (dot, dot_class);
  gtk_widget_set_valign (dot, GTK_ALIGN_CENTER);
  gtk_widget_set_hexpand (texts, TRUE);
  label = add_label (texts, title, (const char *const[]){ "pass-title", NULL });
  gtk_widget_set_tooltip_text (label, title);
  label = add_label (notes, subtitle, (const char *const[]){ "dim-label", "pass-note", NULL });
  gtk_widget_set_tooltip_text (label, subtitle);
  gtk_widget_set_hexpand (label, TRUE);
  g_object_set_data_full (G_OBJECT (row), "title", g_strdup (title), g_free);
  g_object_set_data (G_OBJECT (row), "dot", dot);
  g_object_set_data (G_OBJECT (row), "note", label);
  if (time != NULL)
    label =
        add_label (notes, time, (const char *const[]){ "dim-label", "pass-note", "numeric", NULL });
  g_object_set_data (G_OBJECT (row), "time", time != NULL ? label : NULL);
  gtk_box_append (GTK_BOX (texts), notes);
  gtk_box_append (GTK_BOX (box), dot);
  gtk_box_append (GTK_BOX (box), texts);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
  return row;
}

static void
sync_step (HirPassList *self)
{
  GtkListBoxRow *row =
      gtk_list_box_get_row_at_index (self->list, (int) hir_selection_get_step (self->selection));

  self->is_syncing = TRUE;
  gtk_list_box_select_row (self->list, row);
  /* Or else Up and Down would go on from another row than the one that is seen. */
  if (row != NULL && gtk_widget_get_focus_child (GTK_WIDGET (self->list)) != NULL)
    gtk_widget_grab_focus (GTK_WIDGET (row));
  self->is_syncing = FALSE;
}

static const char *
get_dot_class (const HirProgramView *view, guint step)
{
  return step == 0 ? "source" : view->changed ? "changed" : "unchanged";
}

/* The same passes as before, of another rank: the rows stay, and with them keys and scrolling. */
static gboolean
can_update (HirPassList *self, const HirProgram *program)
{
  guint n = program != NULL && program->failed_pass == NULL ? program->views->len : 0;

  if (n == 0 || gtk_list_box_get_row_at_index (self->list, (int) n) != NULL)
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      GtkListBoxRow *row = gtk_list_box_get_row_at_index (self->list, (int) i);
      const HirProgramView *view = program->views->pdata[i];

      if (row == NULL ||
          g_strcmp0 (g_object_get_data (G_OBJECT (row), "title"), view->pass_name) != 0)
        return FALSE;
    }
  return TRUE;
}

static gboolean
update (gpointer user_data)
{
  HirPassList *self = user_data;
  const HirProgram *program = hir_selection_get_program (self->selection);
  guint n = can_update (self, program) ? program->views->len : 0;

  self->idle = 0;
  for (guint i = 0; i < n; i++)
    {
      GtkListBoxRow *row = gtk_list_box_get_row_at_index (self->list, (int) i);
      const HirProgramView *view = program->views->pdata[i];
      g_autofree char *note = describe (view, i);
      g_autofree char *time = format_duration (view->duration_ns);
      GtkWidget *dot = g_object_get_data (G_OBJECT (row), "dot");
      GtkLabel *time_label = g_object_get_data (G_OBJECT (row), "time");

      gtk_label_set_text (g_object_get_data (G_OBJECT (row), "note"), note);
      gtk_widget_set_tooltip_text (g_object_get_data (G_OBJECT (row), "note"), note);
      if (time_label != NULL)
        gtk_label_set_text (time_label, time);
      gtk_widget_set_css_classes (dot,
                                  (const char *[]){ "pass-dot", get_dot_class (view, i), NULL });
      if (i > 0 && !view->changed)
        gtk_widget_add_css_class (GTK_WIDGET (row), "pass-unchanged");
      else
        gtk_widget_remove_css_class (GTK_WIDGET (row), "pass-unchanged");
    }
  return G_SOURCE_REMOVE;
}

static void
rebuild (HirPassList *self)
{
  HirProgram *program = hir_selection_get_program (self->selection);
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  gboolean had_focus = focus != NULL && gtk_widget_is_ancestor (focus, GTK_WIDGET (self->list));
  GtkWidget *child;

  if (can_update (self, program))
    {
      /* Later than the frame in which the program text is replaced: see rank-switch.c. */
      if (self->idle == 0)
        self->idle = g_idle_add (update, self);
      sync_step (self);
      return;
    }
  /* A row that goes takes the keys along. */
  if (had_focus)
    gtk_root_set_focus (root, NULL);
  self->is_syncing = TRUE;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->list))) != NULL)
    gtk_list_box_remove (self->list, child);
  self->is_syncing = FALSE;

  for (guint i = 0; program != NULL && i < program->views->len; i++)
    {
      const HirProgramView *view = program->views->pdata[i];
      g_autofree char *subtitle = describe (view, i);
      g_autofree char *time = i > 0 ? format_duration (view->duration_ns) : NULL;
      GtkWidget *row = row_new (get_dot_class (view, i), view->pass_name, subtitle, time);

      if (i > 0 && !view->changed)
        gtk_widget_add_css_class (row, "pass-unchanged");
      gtk_list_box_append (self->list, row);
    }
  /* The failing pass is the one that is wanted: it has a row that can't be missed. */
  if (program != NULL && program->failed_pass != NULL)
    {
      GtkWidget *row = row_new ("failed", program->failed_pass,
                                program->error != NULL ? program->error->message : "failed", NULL);

      gtk_list_box_row_set_selectable (GTK_LIST_BOX_ROW (row), FALSE);
      gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), FALSE);
      gtk_widget_add_css_class (row, "pass-failed");
      gtk_list_box_append (self->list, row);
    }
  sync_step (self);
  if (had_focus)
    hir_pass_list_focus (self);
}

static void
on_row_selected (GtkListBox *list, GtkListBoxRow *row, gpointer user_data)
{
  HirPassList *self = user_data;

  if (!self->is_syncing && row != NULL)
    hir_selection_set_step (self->selection, (guint) gtk_list_box_row_get_index (row));
}

static void
hir_pass_list_dispose (GObject *object)
{
  HirPassList *self = HIR_PASS_LIST (object);

  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  g_clear_object (&self->selection);
  g_clear_handle_id (&self->idle, g_source_remove);
  g_clear_pointer (&self->scroller, gtk_widget_unparent);
  G_OBJECT_CLASS (hir_pass_list_parent_class)->dispose (object);
}

static void
hir_pass_list_class_init (HirPassListClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hir_pass_list_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "passlist");
}

static void
hir_pass_list_init (HirPassList *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *heading =
      add_label (box, "PASSES", (const char *const[]){ "pane-heading", "dim-label", NULL });

  gtk_widget_set_margin_start (heading, 12);
  self->list = GTK_LIST_BOX (gtk_list_box_new ());
  gtk_widget_add_css_class (GTK_WIDGET (self->list), "navigation-sidebar");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Passes", -1);
  g_signal_connect (self->list, "row-selected", G_CALLBACK (on_row_selected), self);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->list));
  self->scroller = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (self->scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroller), box);
  gtk_widget_set_parent (self->scroller, GTK_WIDGET (self));
}

void
hir_pass_list_focus (HirPassList *self)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row (self->list);

  if (row != NULL)
    gtk_widget_grab_focus (GTK_WIDGET (row));
}

GtkWidget *
hir_pass_list_new (HirSelection *selection)
{
  HirPassList *self = g_object_new (HIR_TYPE_PASS_LIST, NULL);

  self->selection = g_object_ref (selection);
  g_signal_connect_swapped (selection, "program-changed", G_CALLBACK (rebuild), self);
  g_signal_connect_swapped (selection, "step-changed", G_CALLBACK (sync_step), self);
  rebuild (self);
  return GTK_WIDGET (self);
}
