#include "graph/graph-pane.h"

#include "config.h"

#include <string.h>

#include "base/focus.h"
#include "canvas/scaler.h"
#include "graph/graph-card.h"
#include "graph/graph-legend.h"

struct _HirGraphPane
{
  GtkWidget parent_instance;

  HirSelection *selection;
  GtkWidget *box; /* highlights above, then the graph with the legend beside or below it */
  GtkWidget *overlay;
  HirGraphView *view;
  HirGraphCard *card;
  GtkWidget *legend;
  GtkWidget *legend_beside; /* parent of the legend in a wide pane */
  GtkWidget *legend_below;  /* parent of the legend in a narrow pane */
  gboolean has_legend, is_narrow;
  guint n_columns; /* number of legend columns that fit below */
  guint restack;
  GtkWidget *marks; /* one chip per highlight */
  GtkLabel *note;
  GtkWidget *progress; /* progress of a slow layout: spinner, text, Cancel button */
  GtkLabel *progress_label;
  GArray *listed;            /* HirGraphMark: highlights with a chip */
  gconstpointer listed_view; /* snapshot that the names of the chips are from */
  guint idle;
};

G_DEFINE_FINAL_TYPE (HirGraphPane, hir_graph_pane, GTK_TYPE_WIDGET)

/* Width in pixels of the map at the lower edge. */
#define NOTE_MARGIN 160
/* If the legend needs a larger share of the pane's width, it is placed below the graph, in
 * columns. */
#define LEGEND_SHARE 0.28
#define MAX_COLUMNS 4

/* --- note at the lower edge --- */

static void
append_part (GString *out, const char *text)
{
  g_string_append_printf (out, "%s%s", out->len > 0 ? " \xc2\xb7 " : "", text);
}

static void
append_near (HirGraphPane *self, GString *out, const HirPicture *picture)
{
  static const char *const ways[] = { "around", "before", "after" };
  HirProgramView *view = picture->choice->view;
  const HirNodeInfo *info =
      hir_program_view_lookup (view, g_array_index (picture->choice->near, guint64, 0));
  g_autofree char *name = hir_text_dup_line (info != NULL ? info->label : "the selection");
  g_autofree char *text =
      g_strdup_printf ("%u of %u boxes: %u %s %s %s", picture->graph->nodes->len, picture->n_all,
                       picture->choice->n_hops, picture->choice->n_hops == 1 ? "edge" : "edges",
                       ways[picture->choice->direction], name);

  append_part (out, text);
}

static char *
dup_note (HirGraphPane *self)
{
  GString *out = g_string_new (NULL);
  HirPicture *picture = hir_graph_view_get_picture (self->view);

  if (picture == NULL)
    {
      if (hir_graph_view_is_stopped (self->view))
        append_part (out, "Layout stopped: this is the previous graph (0 resumes)");
      else if (hir_selection_get_view (self->selection) != NULL)
        append_part (out, "Laying out\xe2\x80\xa6");
      return g_string_free (out, FALSE);
    }
  if (hir_graph_view_lacks_lanes (self->view))
    append_part (out, "No lanes: the program of this step uses no streams");
  if (picture->choice->base != NULL)
    {
      const char *name = hir_selection_get_base_name (self->selection);
      g_autofree char *text =
          g_strdup_printf ("%s against %s", picture->choice->view->pass_name, name);

      append_part (out, text);
    }
  else if (hir_graph_view_get_diff (self->view))
    append_part (out, "The first step has no previous step; press c to choose another one");
  if (picture->is_near)
    append_near (self, out, picture);
  else if (picture->choice->near->len > 0)
    append_part (out, "The selection has no box in this graph; the whole graph is displayed");
  else if (hir_graph_view_get_near (self->view))
    append_part (out, "Select a box to see its neighborhood");
  if (hir_graph_view_has_better (self->view))
    append_part (out, "A better layout is available; press 0 to show it");
  if (picture->layout->note != NULL)
    append_part (out, picture->layout->note);
  return g_string_free (out, FALSE);
}

/* --- highlights --- */

static void
on_mark_clicked (GtkButton *button, gpointer user_data)
{
  HirGraphPane *self = user_data;
  const guint64 *id = g_object_get_data (G_OBJECT (button), "id");

  hir_selection_set_node (self->selection, *id);
}

static void
on_unmark_clicked (GtkButton *button, gpointer user_data)
{
  HirGraphPane *self = user_data;
  const guint64 *id = g_object_get_data (G_OBJECT (button), "id");

  hir_graph_view_unmark (self->view, *id);
}

/* Returns the node's name in the displayed snapshot, otherwise in any snapshot that has the
 * node. */
static const char *
get_mark_name (HirGraphPane *self, guint64 id)
{
  HirProgram *program = hir_selection_get_program (self->selection);
  HirProgramView *view = hir_selection_get_view (self->selection);
  const HirNodeInfo *info = view != NULL ? hir_program_view_lookup (view, id) : NULL;

  for (guint i = program != NULL ? program->views->len : 0; i-- > 0 && info == NULL;)
    info = hir_program_view_lookup (program->views->pdata[i], id);
  return info != NULL ? info->label : "(not in this program)";
}

static GtkWidget *
create_mark_row (HirGraphPane *self, const HirGraphMark *mark)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);
  GtkWidget *name = gtk_button_new ();
  GtkWidget *label = gtk_label_new (NULL);
  GtkWidget *remove = gtk_button_new_from_icon_name ("window-close-symbolic");
  g_autofree char *line = hir_text_dup_line (get_mark_name (self, mark->id));
  g_autofree char *markup =
      g_markup_printf_escaped ("<span foreground=\"#%06x\">\xe2\x97\x8f</span>  %s",
                               mark->color & 0xffffff, line);
  g_autofree char *tooltip = g_strdup_printf ("Remove highlight of %s", line);

  gtk_label_set_markup (GTK_LABEL (label), markup);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 28);
  gtk_widget_set_overflow (label, GTK_OVERFLOW_HIDDEN);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_button_set_child (GTK_BUTTON (name), label);
  gtk_widget_set_tooltip_text (name, line);
  gtk_widget_set_hexpand (name, TRUE);
  gtk_widget_set_tooltip_text (remove, tooltip);
  gtk_widget_add_css_class (name, "flat");
  gtk_widget_add_css_class (remove, "flat");
  g_object_set_data_full (G_OBJECT (name), "id", g_memdup2 (&mark->id, sizeof mark->id), g_free);
  g_object_set_data_full (G_OBJECT (remove), "id", g_memdup2 (&mark->id, sizeof mark->id), g_free);
  g_signal_connect (name, "clicked", G_CALLBACK (on_mark_clicked), self);
  g_signal_connect (remove, "clicked", G_CALLBACK (on_unmark_clicked), self);
  gtk_box_append (GTK_BOX (row), name);
  gtk_box_append (GTK_BOX (row), remove);
  return row;
}

static void
rebuild_marks (HirGraphPane *self)
{
  const GArray *marks = hir_graph_view_get_marks (self->view);
  HirProgramView *view = hir_selection_get_view (self->selection);
  GtkWidget *child;

  /* Do not rebuild unchanged chips: one of them may have the focus. */
  if (marks->len == self->listed->len && self->listed_view == view &&
      (marks->len == 0 ||
       memcmp (marks->data, self->listed->data, marks->len * sizeof (HirGraphMark)) == 0))
    return;
  g_array_set_size (self->listed, 0);
  g_array_append_vals (self->listed, marks->data, marks->len);
  self->listed_view = view;
  hir_focus_leave (self->marks, GTK_WIDGET (self->view));
  while ((child = gtk_widget_get_first_child (self->marks)) != NULL)
    gtk_flow_box_remove (GTK_FLOW_BOX (self->marks), child);
  for (guint i = 0; i < marks->len; i++)
    gtk_flow_box_append (GTK_FLOW_BOX (self->marks),
                         create_mark_row (self, &g_array_index (marks, HirGraphMark, i)));
  gtk_widget_set_visible (self->marks, marks->len > 0);
}

/* Shows the progress of a slow layout. While preliminary rows are displayed, only a text says
 * that a better layout follows; there is no spinner. */
static void
update_progress (HirGraphPane *self)
{
  guint n_boxes = 0;
  HirPicture *picture = hir_graph_view_get_picture (self->view);
  gboolean is_busy = hir_graph_view_get_busy (self->view, &n_boxes);
  gboolean has_rows = picture != NULL && picture->is_preview;
  GtkWidget *spinner = gtk_widget_get_first_child (self->progress);

  if (is_busy)
    {
      g_autofree char *text = has_rows
                                  ? g_strdup_printf ("Rows for now; laying out %u boxes", n_boxes)
                                  : g_strdup_printf ("Laying out %u boxes\xe2\x80\xa6", n_boxes);

      gtk_label_set_text (self->progress_label, text);
    }
  else
    {
      hir_focus_leave (self->progress, GTK_WIDGET (self->view));
    }
  gtk_spinner_set_spinning (GTK_SPINNER (spinner), is_busy && !has_rows);
  gtk_widget_set_visible (spinner, !has_rows);
  gtk_widget_set_visible (self->progress, is_busy);
}

static gboolean
update (gpointer user_data)
{
  HirGraphPane *self = user_data;
  const HirPicture *picture = hir_graph_view_get_picture (self->view);
  g_autofree char *note = dup_note (self);

  self->idle = 0;
  gtk_label_set_text (self->note, note);
  /* Leave space for the map. */
  gtk_widget_set_margin_end (GTK_WIDGET (self->note),
                             hir_graph_view_get_map (self->view) ? NOTE_MARGIN : 0);
  if (picture != NULL)
    hir_graph_view_set_has_note (self->view, *note != '\0');
  gtk_widget_set_visible (GTK_WIDGET (self->note), *note != '\0');
  update_progress (self);
  rebuild_marks (self);
  hir_graph_legend_set_rows (HIR_GRAPH_LEGEND (self->legend),
                             picture != NULL
                                 ? hir_graph_scene_get_legend (picture->graph, picture->changes,
                                                               picture->choice->base != NULL)
                                 : 0);
  return G_SOURCE_REMOVE;
}

/* Deferred because the view emits "changed" while it is drawn, too. */
static void
queue_update (HirGraphPane *self)
{
  if (self->idle == 0)
    self->idle = g_idle_add (update, self);
}

/* --- legend: next to the graph or below it, never over it --- */

static void
place_legend (HirGraphPane *self)
{
  GtkWidget *place = self->is_narrow ? self->legend_below : self->legend_beside;
  GtkWidget *parent = gtk_widget_get_parent (self->legend);

  if (parent != place)
    {
      g_object_ref (self->legend);
      gtk_box_remove (GTK_BOX (parent), self->legend);
      gtk_box_append (GTK_BOX (place), self->legend);
      g_object_unref (self->legend);
    }
  hir_graph_legend_set_columns (HIR_GRAPH_LEGEND (self->legend),
                                self->is_narrow ? self->n_columns : 1);
  gtk_widget_set_visible (self->legend_beside, self->has_legend && !self->is_narrow);
  gtk_widget_set_visible (self->legend_below, self->has_legend && self->is_narrow);
}

static gboolean
restack (gpointer user_data)
{
  HirGraphPane *self = user_data;

  self->restack = 0;
  place_legend (self);
  return G_SOURCE_REMOVE;
}

/* Moves the legend if the pane's new @width requires it. Deferred because the widget tree must
 * not change during size allocation. */
static void
queue_restack (HirGraphPane *self, int width)
{
  int one = hir_graph_legend_get_width (HIR_GRAPH_LEGEND (self->legend), 1);
  gboolean is_narrow = one > LEGEND_SHARE * width;
  guint n_columns = 1;

  while (n_columns < MAX_COLUMNS &&
         hir_graph_legend_get_width (HIR_GRAPH_LEGEND (self->legend), n_columns + 1) <= width)
    n_columns++;
  if (is_narrow == self->is_narrow && (!is_narrow || n_columns == self->n_columns))
    return;
  self->is_narrow = is_narrow;
  self->n_columns = n_columns;
  if (self->restack == 0)
    self->restack = g_idle_add_full (G_PRIORITY_HIGH_IDLE, restack, self, NULL);
}

static void
create_legend (HirGraphPane *self)
{
  self->legend = hir_graph_legend_new ();
  self->legend_beside = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  self->legend_below = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_widget_add_css_class (self->legend_beside, "graph-legend-beside");
  gtk_widget_add_css_class (self->legend_below, "graph-legend-below");
  gtk_box_append (GTK_BOX (self->legend_beside), self->legend);
  place_legend (self);
}

void
hir_graph_pane_set_legend (HirGraphPane *self, gboolean has_legend)
{
  self->has_legend = has_legend;
  place_legend (self);
}

#if HIR_TESTING
gboolean
hir_graph_pane_get_legend (HirGraphPane *self)
{
  return self->has_legend;
}

GtkWidget *
hir_graph_pane_get_legend_shown (HirGraphPane *self)
{
  return gtk_widget_get_mapped (self->legend) ? self->legend : NULL;
}
#endif

void
hir_graph_pane_toggle_card (HirGraphPane *self)
{
  hir_graph_card_toggle (self->card);
}

#if HIR_TESTING
const char *
hir_graph_pane_get_note (HirGraphPane *self)
{
  return gtk_label_get_text (self->note);
}

const char *
hir_graph_pane_get_progress (HirGraphPane *self)
{
  return gtk_widget_get_visible (self->progress) ? gtk_label_get_text (self->progress_label) : "";
}
#endif

HirGraphView *
hir_graph_pane_get_view (HirGraphPane *self)
{
  return self->view;
}

static void
hir_graph_pane_dispose (GObject *object)
{
  HirGraphPane *self = HIR_GRAPH_PANE (object);

  g_clear_handle_id (&self->idle, g_source_remove);
  g_clear_handle_id (&self->restack, g_source_remove);
  self->view = NULL;
  g_clear_pointer (&self->box, gtk_widget_unparent);
  g_clear_object (&self->selection);
  g_clear_pointer (&self->listed, g_array_unref);
  G_OBJECT_CLASS (hir_graph_pane_parent_class)->dispose (object);
}

static void
hir_graph_pane_measure (GtkWidget *widget,
                        GtkOrientation orientation,
                        int for_size,
                        int *minimum,
                        int *natural,
                        int *minimum_baseline,
                        int *natural_baseline)
{
  gtk_widget_measure (HIR_GRAPH_PANE (widget)->box, orientation, for_size, minimum, natural,
                      minimum_baseline, natural_baseline);
}

static void
hir_graph_pane_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  HirGraphPane *self = HIR_GRAPH_PANE (widget);

  queue_restack (self, width);
  gtk_widget_allocate (self->box, width, height, baseline, NULL);
}

static void
hir_graph_pane_class_init (HirGraphPaneClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_graph_pane_dispose;
  GTK_WIDGET_CLASS (klass)->measure = hir_graph_pane_measure;
  GTK_WIDGET_CLASS (klass)->size_allocate = hir_graph_pane_size_allocate;
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "graphpane");
}

static void
hir_graph_pane_init (HirGraphPane *self)
{
  self->listed = g_array_new (FALSE, FALSE, sizeof (HirGraphMark));
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
}

/* Creates the box for the chips. They wrap to the next line. */
static GtkWidget *
create_marks (void)
{
  GtkWidget *marks = gtk_flow_box_new ();

  gtk_flow_box_set_selection_mode (GTK_FLOW_BOX (marks), GTK_SELECTION_NONE);
  gtk_flow_box_set_max_children_per_line (GTK_FLOW_BOX (marks), 12);
  gtk_widget_add_css_class (marks, "graph-marks");
  gtk_widget_set_visible (marks, FALSE);
  return marks;
}

static void
create_progress (HirGraphPane *self)
{
  GtkWidget *cancel = gtk_button_new_with_label ("Cancel");

  self->progress = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  self->progress_label = GTK_LABEL (gtk_label_new (""));
  gtk_label_set_ellipsize (self->progress_label, PANGO_ELLIPSIZE_END);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (cancel), "win.graph-stop-layout");
  gtk_widget_set_tooltip_text (cancel, "Stop the layout and keep the displayed graph");
  gtk_box_append (GTK_BOX (self->progress), gtk_spinner_new ());
  gtk_box_append (GTK_BOX (self->progress), GTK_WIDGET (self->progress_label));
  gtk_box_append (GTK_BOX (self->progress), cancel);
  gtk_widget_add_css_class (self->progress, "graph-progress");
  gtk_widget_set_halign (self->progress, GTK_ALIGN_START);
  /* At the bottom, above the note: the top shows the inputs, which are read first. */
  gtk_widget_set_valign (self->progress, GTK_ALIGN_END);
  gtk_widget_set_visible (self->progress, FALSE);
  gtk_overlay_add_overlay (GTK_OVERLAY (self->overlay), self->progress);
}

GtkWidget *
hir_graph_pane_new (HirSelection *selection)
{
  HirGraphPane *self = g_object_new (HIR_TYPE_GRAPH_PANE, NULL);
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  self->selection = g_object_ref (selection);
  self->view = HIR_GRAPH_VIEW (hir_graph_view_new (selection));
  self->overlay = gtk_overlay_new ();
  gtk_overlay_set_child (GTK_OVERLAY (self->overlay), hir_scaler_new (GTK_WIDGET (self->view)));
  gtk_widget_set_hexpand (self->overlay, TRUE);
  gtk_widget_set_vexpand (self->overlay, TRUE);
  create_legend (self);
  self->marks = create_marks ();
  gtk_box_append (GTK_BOX (row), self->overlay);
  gtk_box_append (GTK_BOX (row), self->legend_beside);
  gtk_box_append (GTK_BOX (self->box), self->marks);
  gtk_box_append (GTK_BOX (self->box), row);
  gtk_box_append (GTK_BOX (self->box), self->legend_below);
  self->note = GTK_LABEL (gtk_label_new (""));
  gtk_label_set_wrap (self->note, TRUE);
  gtk_label_set_wrap_mode (self->note, PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign (self->note, 0);
  gtk_widget_add_css_class (GTK_WIDGET (self->note), "graph-note");
  gtk_widget_set_can_target (GTK_WIDGET (self->note), FALSE);
  gtk_widget_set_halign (GTK_WIDGET (self->note), GTK_ALIGN_START);
  gtk_widget_set_valign (GTK_WIDGET (self->note), GTK_ALIGN_END);
  gtk_overlay_add_overlay (GTK_OVERLAY (self->overlay), GTK_WIDGET (self->note));
  create_progress (self);
  self->card = HIR_GRAPH_CARD (hir_graph_card_new (selection, self->view));
  gtk_overlay_add_overlay (GTK_OVERLAY (self->overlay), GTK_WIDGET (self->card));
  g_signal_connect_object (self->view, "changed", G_CALLBACK (queue_update), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (selection, "program-changed", G_CALLBACK (queue_update), self,
                           G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}
