#include "inspector.h"

#include <string.h>

#include "event-facts.h"

struct _HirInspector
{
  GtkWidget parent_instance;

  HirSelection *selection;
  GtkWidget *scroller;
  GtkBox *content;
  guint idle; /* rebuilding is put off until the main loop is idle: several signals, one rebuild */
};

G_DEFINE_FINAL_TYPE (HirInspector, hir_inspector, GTK_TYPE_WIDGET)

static void
add_heading (HirInspector *self, const char *text)
{
  g_autofree char *upper = g_utf8_strup (text, -1);
  GtkWidget *label = gtk_label_new (upper);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (label, "pane-heading");
  gtk_widget_add_css_class (label, "dim-label");
  gtk_box_append (self->content, label);
}

static GtkGrid *
add_card (HirInspector *self)
{
  GtkWidget *grid = gtk_grid_new ();

  gtk_grid_set_column_spacing (GTK_GRID (grid), 12);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 4);
  gtk_widget_add_css_class (grid, "card");
  gtk_widget_add_css_class (grid, "facts");
  gtk_box_append (self->content, grid);
  return GTK_GRID (grid);
}

static gboolean
on_link (GtkLabel *label, const char *uri, gpointer user_data)
{
  HirInspector *self = user_data;
  guint64 id;
  const char *hex = strchr (uri, '/');

  if (hex != NULL && hir_id_from_hex (hex + 1, &id))
    {
      if (g_str_has_prefix (uri, "step"))
        hir_selection_set_step (self->selection, (guint) g_ascii_strtoull (uri + 4, NULL, 10));
      hir_selection_set_node (self->selection, id);
    }
  return TRUE;
}

/* @id (0: none) makes a link of the value; @step is where the node is, -1 for the step on show. */
static void
add_fact (HirInspector *self,
          GtkGrid *grid,
          int row,
          const char *name,
          const char *value,
          guint64 id,
          int step)
{
  GtkWidget *label = NULL;
  GtkWidget *text = gtk_label_new (NULL);

  if (name != NULL)
    {
      label = gtk_label_new (name);
      gtk_label_set_xalign (GTK_LABEL (label), 0);
      gtk_label_set_yalign (GTK_LABEL (label), 0);
      gtk_widget_add_css_class (label, "dim-label");
      gtk_grid_attach (grid, label, 0, row, 1, 1);
    }
  gtk_label_set_xalign (GTK_LABEL (text), 0);
  gtk_label_set_wrap (GTK_LABEL (text), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (text), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_selectable (GTK_LABEL (text), id == 0);
  gtk_widget_set_focusable (text, id != 0);
  gtk_widget_set_hexpand (text, TRUE);
  if (id != 0)
    {
      char hex[17];
      g_autofree char *uri = NULL;
      g_autofree char *markup = NULL;

      hir_id_to_hex (id, hex);
      uri = step >= 0 ? g_strdup_printf ("step%d/%s", step, hex) : g_strdup_printf ("node/%s", hex);
      markup = g_markup_printf_escaped ("<a href=\"%s\">%s</a>", uri, value);
      gtk_label_set_markup (GTK_LABEL (text), markup);
      g_signal_connect (text, "activate-link", G_CALLBACK (on_link), self);
    }
  else
    {
      gtk_label_set_text (GTK_LABEL (text), value);
    }
  gtk_grid_attach (grid, text, name != NULL ? 1 : 0, row, name != NULL ? 1 : 2, 1);
}

static void
add_node (HirInspector *self, const HirNodeInfo *info)
{
  GtkGrid *grid;
  g_autofree char *title = NULL;
  int row = 0;

  title = g_strdup_printf ("%s", info->kind);
  add_heading (self, title);
  grid = add_card (self);
  add_fact (self, grid, row++, NULL, info->label, 0, -1);
  for (guint i = 0; i < info->facts->len; i++)
    {
      const HirFact *fact = &g_array_index (info->facts, HirFact, i);

      add_fact (self, grid, row++, fact->name, fact->value, fact->id, -1);
    }
}

/* The chain through the passes: the script line, then each snapshot in which the node's
 * counterparts first look as they do. */
static void
add_provenance (HirInspector *self)
{
  HirProgram *program = hir_selection_get_program (self->selection);
  HirPos pos = hir_selection_get_script_pos (self->selection);
  GtkGrid *grid;
  g_autoptr (GHashTable) seen = g_hash_table_new (g_int64_hash, g_int64_equal);
  int row = 0;

  add_heading (self, "Where it came from");
  grid = add_card (self);
  if (pos.line > 0 && program->request != NULL)
    {
      g_autofree char *base = g_path_get_basename (program->request->source->path);
      g_autofree char *where = g_strdup_printf ("%s:%u", base, pos.line);

      add_fact (self, grid, row++, "script", where, 0, -1);
    }
  for (guint step = 0; step < program->views->len; step++)
    {
      HirProgramView *view = program->views->pdata[step];
      GArray *ids = hir_selection_get_nodes_at (self->selection, step);
      guint n_shown = 0;

      for (guint i = 0; i < ids->len; i++)
        {
          guint64 *id = &g_array_index (ids, guint64, i);
          const HirNodeInfo *info = hir_program_view_lookup (view, *id);

          if (info == NULL || !g_hash_table_add (seen, id))
            continue;
          /* A loop of many origins would fill the pane: the first few tell. */
          if (n_shown++ < 6)
            add_fact (self, grid, row++, n_shown == 1 ? view->pass_name : "", info->label, *id,
                      (int) step);
        }
      if (n_shown > 6)
        {
          g_autofree char *more = g_strdup_printf ("and %u more", n_shown - 6);

          add_fact (self, grid, row++, "", more, 0, -1);
        }
    }
}

static void
add_event (HirInspector *self)
{
  HirTrace *trace = hir_selection_get_trace (self->selection);
  g_autoptr (GArray) facts = NULL;
  g_autofree char *title = NULL;
  GtkGrid *grid;
  guint track, index;

  if (!hir_selection_get_event (self->selection, &track, &index))
    return;

  facts = hir_event_dup_facts (trace, track, index, &title);
  add_heading (self, title);
  grid = add_card (self);
  for (guint i = 0; i < facts->len; i++)
    {
      const HirFact *fact = &g_array_index (facts, HirFact, i);

      add_fact (self, grid, (int) i, fact->name, fact->value, 0, -1);
    }
}

static void
add_instances (HirInspector *self)
{
  HirTrace *trace = hir_selection_get_trace (self->selection);
  g_autoptr (GArray) facts = NULL;
  GtkGrid *grid;

  if (trace == NULL || hir_trace_get_n_events (trace) == 0)
    return;
  facts = hir_instances_dup_facts (trace, self->selection);
  if (facts->len == 0)
    return;
  add_heading (self, "All instances");
  grid = add_card (self);
  for (guint i = 0; i < facts->len; i++)
    {
      const HirFact *fact = &g_array_index (facts, HirFact, i);

      add_fact (self, grid, (int) i, fact->name, fact->value, 0, -1);
    }
}

static void
add_empty_state (HirInspector *self)
{
  GtkWidget *label = gtk_label_new ("Select a line, a box of the graph or a bar of the timeline: "
                                    "what belongs to it lights up everywhere, and is told here.");

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_justify (GTK_LABEL (label), GTK_JUSTIFY_CENTER);
  gtk_widget_add_css_class (label, "dim-label");
  gtk_widget_set_margin_top (label, 48);
  gtk_widget_set_margin_start (label, 12);
  gtk_widget_set_margin_end (label, 12);
  gtk_box_append (self->content, label);
}

static gboolean
rebuild (gpointer user_data)
{
  HirInspector *self = user_data;
  HirProgramView *view = hir_selection_get_view (self->selection);
  GArray *ids;
  guint64 first = 0;
  guint track, index;
  GtkWidget *child;

  self->idle = 0;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->content))) != NULL)
    gtk_box_remove (self->content, child);

  ids = hir_selection_get_nodes_at (self->selection, hir_selection_get_step (self->selection));
  if (ids->len > 0)
    first = g_array_index (ids, guint64, 0);
  if (view != NULL && first != 0 && hir_program_view_lookup (view, first) != NULL)
    add_node (self, hir_program_view_lookup (view, first));
  if (hir_selection_get_node (self->selection) != 0 && view != NULL)
    add_provenance (self);
  add_event (self);
  if (hir_selection_get_node (self->selection) != 0)
    add_instances (self);
  else if (!hir_selection_get_event (self->selection, &track, &index))
    add_empty_state (self);
  return G_SOURCE_REMOVE;
}

static void
queue_rebuild (HirInspector *self)
{
  if (self->idle == 0)
    self->idle = g_idle_add (rebuild, self);
}

static void
hir_inspector_dispose (GObject *object)
{
  HirInspector *self = HIR_INSPECTOR (object);

  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  g_clear_object (&self->selection);
  g_clear_handle_id (&self->idle, g_source_remove);
  g_clear_pointer (&self->scroller, gtk_widget_unparent);
  G_OBJECT_CLASS (hir_inspector_parent_class)->dispose (object);
}

static void
hir_inspector_class_init (HirInspectorClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_inspector_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "inspector");
}

static void
hir_inspector_init (HirInspector *self)
{
  self->content = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 6));
  gtk_widget_set_margin_start (GTK_WIDGET (self->content), 8);
  gtk_widget_set_margin_end (GTK_WIDGET (self->content), 8);
  gtk_widget_set_margin_bottom (GTK_WIDGET (self->content), 12);
  self->scroller = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (self->scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroller), GTK_WIDGET (self->content));
  gtk_widget_set_parent (self->scroller, GTK_WIDGET (self));
}

GtkWidget *
hir_inspector_new (HirSelection *selection)
{
  HirInspector *self = g_object_new (HIR_TYPE_INSPECTOR, NULL);

  self->selection = g_object_ref (selection);
  g_signal_connect_swapped (selection, "step-changed", G_CALLBACK (queue_rebuild), self);
  g_signal_connect_swapped (selection, "node-changed", G_CALLBACK (queue_rebuild), self);
  g_signal_connect_swapped (selection, "event-changed", G_CALLBACK (queue_rebuild), self);
  queue_rebuild (self);
  return GTK_WIDGET (self);
}
