#include "inspector/inspector.h"

#include "base/names.h"
#include "canvas/scaler.h"
#include "inspector/event-facts.h"
#include "inspector/fact-card.h"
#include "inspector/inspector-scenes.h"
#include "inspector/overview.h"
#include "inspector/scene-card.h"
#include "inspector/value-panel.h"
#include "selection/instances.h"
#include "trace/trace-values.h"

/* Limit per step. */
#define MAX_COUNTERPARTS 6
#define MAX_INSTANCES 16

#define NOT_EXECUTED "not executed yet"

struct _HirInspector
{
  GtkWidget parent_instance;

  HirSelection *selection;
  GtkWidget *scroller;
  GtkBox *content;
  GtkWidget *values; /* owned; outlives a rebuild, so that its options stay */
  guint idle; /* rebuilds when the main loop is idle, so that several signals cause one rebuild */
  guint64 shown_node; /* the selection that is shown */
  guint shown_line, shown_track, shown_index;
};

G_DEFINE_FINAL_TYPE (HirInspector, hir_inspector, GTK_TYPE_WIDGET)

static void
on_link (HirFactCard *card, const char *uri, gpointer user_data)
{
  gtk_widget_activate_action (GTK_WIDGET (user_data), "win.link", "s", uri);
}

static void
add_widget (const char *heading, GtkWidget *widget, gpointer user_data)
{
  HirInspector *self = user_data;

  if (heading != NULL)
    gtk_box_append (self->content, hir_fact_heading_new (heading));
  gtk_box_append (self->content, HIR_IS_SCENE_CARD (widget) ? hir_scaler_new (widget) : widget);
  if (HIR_IS_FACT_CARD (widget))
    g_signal_connect (widget, "activate-link", G_CALLBACK (on_link), self);
}

static HirFactCard *
add_card (HirInspector *self, const char *heading)
{
  HirFactCard *card = hir_fact_card_new ();

  add_widget (heading, GTK_WIDGET (card), self);
  return card;
}

/* Adds a link to node @id in @step; -1 means the displayed step. */
static void
add_node_fact (HirFactCard *card, const char *name, const char *value, guint64 id, int step)
{
  g_autofree char *uri = NULL;
  char hex[17];

  if (id != 0)
    {
      hir_id_to_hex (id, hex);
      uri = step >= 0 ? g_strdup_printf ("step%d/%s", step, hex) : g_strdup_printf ("node/%s", hex);
    }
  hir_fact_card_add (card, name, value, uri);
}

/* Adds the facts of an event: its track, rank and start are links. */
static void
add_event_facts (HirFactCard *card, HirTrace *trace, guint track, guint index, GArray *facts)
{
  gint64 start_ns, end_ns;

  hir_trace_get_interval (trace, track, index, &start_ns, &end_ns);
  for (guint i = 0; i < facts->len; i++)
    {
      const HirFact *fact = &g_array_index (facts, HirFact, i);
      g_autofree char *uri =
          g_str_equal (fact->name, "track") ? g_strdup_printf ("track/%u", track)
          : g_str_equal (fact->name, "rank") || g_str_equal (fact->name, "rank, device")
              ? g_strdup_printf ("rank/%d", hir_trace_get_track (trace, track)->rank)
          : g_str_equal (fact->name, "start") ? g_strdup_printf ("time/%" G_GINT64_FORMAT, start_ns)
                                              : NULL;

      hir_fact_card_add (card, fact->name, fact->value, uri);
    }
}

static void
add_facts (HirFactCard *card, GArray *facts)
{
  for (guint i = 0; i < facts->len; i++)
    {
      const HirFact *fact = &g_array_index (facts, HirFact, i);

      add_node_fact (card, fact->name, fact->value, fact->id, -1);
    }
}

/* Returns whether a drawing shows the fact better. */
static gboolean
is_drawn (const HirNodeInfo *info, const HirFact *fact)
{
  return g_str_equal (info->kind, "TensorView") &&
         (g_str_has_suffix (fact->name, " domain") || g_str_has_prefix (fact->name, "axis ") ||
          g_str_equal (fact->name, "transform") || g_str_equal (fact->name, "mesh"));
}

/* Adds the pass that created the node: that of the first snapshot with it. */
static void
add_maker (HirInspector *self, HirFactCard *card, guint64 id)
{
  HirProgram *program = hir_selection_get_program (self->selection);

  for (guint step = 0; step < program->views->len; step++)
    {
      HirProgramView *view = program->views->pdata[step];

      if (hir_program_view_lookup (view, id) == NULL)
        continue;
      add_node_fact (card, "made by", step > 0 ? view->pass_name : hir_fact_get_author (program),
                     id, (int) step);
      return;
    }
}

static void
add_node (HirInspector *self, const HirNodeInfo *info)
{
  g_autofree char *heading = hir_fact_split_words (info->kind);
  HirFactCard *card = add_card (self, heading);

  hir_fact_card_add (card, NULL, info->label, NULL);
  add_maker (self, card, info->id);
  for (guint i = 0; i < info->facts->len; i++)
    {
      const HirFact *fact = &g_array_index (info->facts, HirFact, i);

      if (!is_drawn (info, fact))
        add_node_fact (card, fact->name, fact->value, fact->id, -1);
    }
}

/* Adds the script position, then each snapshot in which a counterpart of the node first appears. */
static void
add_provenance (HirInspector *self)
{
  HirProgram *program = hir_selection_get_program (self->selection);
  HirPos pos = hir_selection_get_script_pos (self->selection);
  HirFactCard *card = add_card (self, "Origin");
  g_autoptr (GHashTable) seen = g_hash_table_new (g_int64_hash, g_int64_equal);

  hir_fact_card_add_script (card, program, pos.line);
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
          if (n_shown++ == 0)
            hir_fact_card_add_note (card, view->pass_name);
          /* A loop with many origins would fill the pane. */
          if (n_shown <= MAX_COUNTERPARTS)
            add_node_fact (card, "\xe2\x86\xb3", info->label, *id, (int) step);
        }
      hir_fact_card_add_rest (card, n_shown, MAX_COUNTERPARTS);
    }
}

/* Adds a link to the launch of the event, or to the work that it launched, and the time between
 * them. */
static void
add_counterpart (HirFactCard *card, const HirTrace *trace, guint track, guint index)
{
  gboolean is_launch = hir_trace_get_track (trace, track)->kind == HIR_TRACK_HOST;
  g_autofree char *uri = NULL;
  guint other_track, other_index;
  HirEvent event, other;

  if (!hir_event_lookup_counterpart (trace, track, index, &other_track, &other_index))
    return;
  hir_trace_get_event (trace, track, index, &event);
  hir_trace_get_event (trace, other_track, other_index, &other);
  uri = g_strdup_printf ("event/%u/%u", other_track, other_index);
  hir_fact_card_add (card, is_launch ? "launched" : "launch",
                     hir_trace_get_string (trace, other.name), uri);
  const HirEvent *launch = is_launch ? &event : &other;
  const HirEvent *work = is_launch ? &other : &event;
  /* The work can start before the call returns; the delay is then 0. */
  g_autofree char *delay = hir_format_duration (MAX (work->start_ns - launch->end_ns, 0));
  hir_fact_card_add (card, "queue delay", delay, NULL);
}

static void
add_event (HirInspector *self)
{
  HirTrace *trace = hir_selection_get_trace (self->selection);
  g_autoptr (GArray) facts = NULL;
  g_autoptr (GArray) args = NULL;
  g_autofree char *title = NULL;
  HirFactCard *card;
  HirUndone undone;
  guint track, index;

  if (!hir_selection_get_event (self->selection, &track, &index))
    return;
  facts = hir_event_dup_facts (trace, track, index, &title);
  card = add_card (self, "Event");
  hir_fact_card_add (card, NULL, title, NULL);
  undone = hir_undone_find (trace, self->selection, hir_trace_get_track (trace, track)->rank);
  if (hir_undone_has (&undone, trace, track, index))
    hir_fact_card_add_note (card, NOT_EXECUTED ", recorded before going back");
  add_event_facts (card, trace, track, index, facts);
  add_counterpart (card, trace, track, index);
  args = hir_event_dup_arg_facts (trace, track, index);
  if (args != NULL)
    add_facts (add_card (self, "Arguments"), args);
}

static const char *
get_event_name (HirTrace *trace, const HirInstance *instance)
{
  HirEvent event;

  hir_trace_get_event (trace, instance->track, instance->index, &event);
  return hir_trace_get_string (trace, event.name);
}

/* Returns whether the instances are different work, such as a collective and its copies. */
static gboolean
have_names (HirTrace *trace, const GArray *instances)
{
  const char *name = get_event_name (trace, &g_array_index (instances, HirInstance, 0));

  for (guint i = 1; i < instances->len; i++)
    if (g_strcmp0 (name, get_event_name (trace, &g_array_index (instances, HirInstance, i))) != 0)
      return TRUE;
  return FALSE;
}

/* Adds the instances of the node on the displayed rank, each with a link to its event. */
static void
add_times (HirInspector *self, HirTrace *trace)
{
  int rank = hir_selection_get_rank (self->selection);
  g_autoptr (GArray) instances = hir_instances_dup (trace, self->selection, rank);
  g_autofree char *heading = g_strdup_printf ("Instances on rank %d", rank);
  HirUndone undone = hir_undone_find (trace, self->selection, rank);
  gint64 zero_ns, end_ns;
  HirFactCard *card;
  gboolean has_names;

  if (instances->len == 0)
    return;
  has_names = have_names (trace, instances);
  hir_trace_get_span (trace, &zero_ns, &end_ns);
  card = add_card (self, heading);
  for (guint i = 0; i < instances->len && i < MAX_INSTANCES; i++)
    {
      const HirInstance *instance = &g_array_index (instances, HirInstance, i);
      g_autofree char *name = instance->iteration >= 0
                                  ? g_strdup_printf ("iteration %d", instance->iteration)
                                  : g_strdup ("once");
      g_autofree char *start = hir_format_short_duration (instance->start_ns - zero_ns);
      g_autofree char *length = hir_format_short_duration (instance->end_ns - instance->start_ns);
      g_autofree char *text =
          g_strdup_printf ("%s%s%s \xc2\xb7 %s, %s",
                           hir_trace_get_track (trace, instance->track)->name,
                           has_names ? " \xc2\xb7 " : "",
                           has_names ? get_event_name (trace, instance) : "", start, length);
      g_autofree char *uri = g_strdup_printf ("event/%u/%u", instance->track, instance->index);

      if (hir_undone_has (&undone, trace, instance->track, instance->index))
        hir_fact_card_add (card, name, NOT_EXECUTED, NULL);
      else
        hir_fact_card_add (card, name, text, uri);
    }
  hir_fact_card_add_rest (card, instances->len, MAX_INSTANCES);
}

static void
add_instances (HirInspector *self)
{
  HirTrace *trace = hir_selection_get_trace (self->selection);
  g_autoptr (GArray) facts = NULL;

  if (trace == NULL || hir_trace_get_n_events (trace) == 0)
    return;
  add_times (self, trace);
  facts = hir_instances_dup_facts (trace, self->selection);
  if (facts->len > 0)
    add_facts (add_card (self, "Durations of all ranks and repetitions"), facts);
}

/* Removes the focus from the content before its widgets are removed. Returns the name of the
 * focused card, whose successor gets the focus, or NULL. */
static const char *
take_focus (HirInspector *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  const char *name = NULL;

  if (focus == NULL || !gtk_widget_is_ancestor (focus, GTK_WIDGET (self->content)))
    return NULL;
  if (HIR_IS_SCENE_CARD (focus))
    name = hir_scene_card_get_name (HIR_SCENE_CARD (focus));
  gtk_root_set_focus (root, NULL);
  return name;
}

static void
give_focus (HirInspector *self, const char *name)
{
  GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self->content));

  for (; child != NULL && name != NULL; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *card = HIR_IS_SCALER (child) ? gtk_widget_get_first_child (child) : NULL;

      if (card != NULL && g_str_equal (hir_scene_card_get_name (HIR_SCENE_CARD (card)), name))
        gtk_widget_grab_focus (card);
    }
}

/* Adds the value of the selected tensor's counterpart in the host program. */
static void
add_values (HirInspector *self)
{
  HirProgram *program = hir_selection_get_program (self->selection);
  HirTrace *trace = hir_selection_get_trace (self->selection);
  guint last = program != NULL && program->views->len > 0 ? program->views->len - 1 : 0;
  guint64 selected = hir_selection_get_node (self->selection), found = 0;
  g_autofree char *heading = NULL;
  const HirNodeInfo *info;
  GArray *ids;

  if (program == NULL || selected == 0 ||
      (hir_program_get_host (program) == NULL &&
       (trace == NULL || hir_trace_get_n_values (trace) == 0)))
    return;
  ids = hir_selection_get_nodes_at (self->selection, last);
  for (guint i = 0; i < ids->len; i++)
    {
      guint64 id = g_array_index (ids, guint64, i);

      info = hir_program_view_lookup (program->views->pdata[last], id);
      if (info != NULL && g_str_equal (info->kind, "TensorView") && (found == 0 || id == selected))
        found = id;
    }
  if (found == 0)
    return;
  info = hir_program_view_lookup (program->views->pdata[last], found);
  heading = found != selected ? g_strdup_printf ("Value of %s", info->label) : g_strdup ("Value");
  add_widget (heading, self->values, self);
  hir_value_panel_set_tensor (HIR_VALUE_PANEL (self->values), found);
}

/* Says that the cards describe the first of several selected nodes. */
static void
add_count (HirInspector *self, guint n)
{
  guint line = hir_selection_get_line (self->selection);
  g_autofree char *of = line > 0 ? g_strdup_printf (" of line %u", line) : g_strdup ("");
  g_autofree char *text = g_strdup_printf ("%u nodes%s are selected; this is the first", n, of);
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_widget_add_css_class (label, "hint");
  gtk_widget_set_margin_start (label, 12);
  gtk_widget_set_margin_end (label, 12);
  add_widget (NULL, label, self);
}

/* Scrolls to the top if another node, line or event is selected now. */
static void
follow_selection (HirInspector *self, gboolean has_focus)
{
  guint64 node = hir_selection_get_node (self->selection);
  guint line = hir_selection_get_line (self->selection);
  guint track = HIR_NO_EVENT, index = HIR_NO_EVENT;

  (void) hir_selection_get_event (self->selection, &track, &index);
  if (node == self->shown_node && line == self->shown_line && track == self->shown_track &&
      index == self->shown_index)
    return;
  self->shown_node = node;
  self->shown_line = line;
  self->shown_track = track;
  self->shown_index = index;
  /* The focused picture stays in view while keys go through its parts. */
  if (!has_focus)
    gtk_adjustment_set_value (gtk_scrolled_window_get_vadjustment (
                                  GTK_SCROLLED_WINDOW (self->scroller)),
                              0);
}

static gboolean
rebuild (gpointer user_data)
{
  HirInspector *self = user_data;
  HirProgramView *view = hir_selection_get_view (self->selection);
  const HirNodeInfo *info;
  GArray *ids;
  guint64 first = 0;
  guint track, index;
  GtkWidget *child;
  const char *focus;

  self->idle = 0;
  focus = take_focus (self);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->content))) != NULL)
    gtk_box_remove (self->content, child);

  ids = hir_selection_get_nodes_at (self->selection, hir_selection_get_step (self->selection));
  if (ids->len > 0)
    first = g_array_index (ids, guint64, 0);
  info = view != NULL && first != 0 ? hir_program_view_lookup (view, first) : NULL;
  if (ids->len > 1)
    add_count (self, ids->len);
  if (info != NULL)
    add_node (self, info);
  add_event (self);
  add_values (self);
  if (hir_selection_get_node (self->selection) != 0)
    add_instances (self);
  if (info != NULL)
    hir_inspector_scenes_add (self->selection, view, info, add_widget, self);
  if (hir_selection_get_node (self->selection) != 0 && view != NULL)
    add_provenance (self);
  else if (!hir_selection_get_event (self->selection, &track, &index))
    hir_overview_add (self->selection, add_widget, self);
  give_focus (self, focus);
  follow_selection (self, focus != NULL);
  hir_names_fill (GTK_WIDGET (self->content));
  return G_SOURCE_REMOVE;
}

static void
queue_rebuild (HirInspector *self)
{
  if (self->idle == 0)
    self->idle = g_idle_add (rebuild, self);
}

/* Only the overview depends on the drawing. */
static void
rebuild_overview (HirInspector *self)
{
  guint track, index;

  if (hir_selection_get_node (self->selection) == 0 &&
      !hir_selection_get_event (self->selection, &track, &index))
    queue_rebuild (self);
}

static void
hir_inspector_dispose (GObject *object)
{
  HirInspector *self = HIR_INSPECTOR (object);

  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  g_clear_object (&self->selection);
  g_clear_handle_id (&self->idle, g_source_remove);
  g_clear_object (&self->values);
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
  self->content = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 4));
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
hir_inspector_new (HirSelection *selection, HirDocument *document)
{
  HirInspector *self = g_object_new (HIR_TYPE_INSPECTOR, NULL);

  self->selection = g_object_ref (selection);
  self->values = g_object_ref_sink (hir_value_panel_new (selection, document));
  g_signal_connect_swapped (selection, "program-changed", G_CALLBACK (queue_rebuild), self);
  g_signal_connect_swapped (selection, "ranks-changed", G_CALLBACK (queue_rebuild), self);
  g_signal_connect_swapped (selection, "trace-changed", G_CALLBACK (queue_rebuild), self);
  g_signal_connect_swapped (selection, "step-changed", G_CALLBACK (queue_rebuild), self);
  g_signal_connect_swapped (selection, "node-changed", G_CALLBACK (queue_rebuild), self);
  g_signal_connect_swapped (selection, "event-changed", G_CALLBACK (queue_rebuild), self);
  g_signal_connect_swapped (selection, "debug-changed", G_CALLBACK (queue_rebuild), self);
  g_signal_connect_swapped (selection, "drawing-changed", G_CALLBACK (rebuild_overview), self);
  queue_rebuild (self);
  return GTK_WIDGET (self);
}
