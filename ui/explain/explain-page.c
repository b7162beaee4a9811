#include "explain/explain-page.h"

#include "base/control-words.h"
#include "canvas/scaler.h"
#include "canvas/scroller.h"
#include "config.h"

struct _HirExplainPage
{
  GtkWidget parent_instance;

  HirSelection *selection;
  HirExplaining *explaining;
  GtkWidget *box;
  GtkLabel *title;
  GtkSpinner *spinner;
  GtkLabel *note;    /* progress */
  GtkButton *cancel; /* cancels the computation, or restarts it */
  HirExplainCanvas *canvas;
};

G_DEFINE_FINAL_TYPE (HirExplainPage, hir_explain_page, GTK_TYPE_WIDGET)

static void
update (HirExplainPage *self)
{
  g_autofree char *problem = hir_control_words_dup (hir_explaining_get_problem (self->explaining));
  int percent;
  gboolean is_busy = hir_explaining_get_progress (self->explaining, &percent);
  gboolean is_simulating = !is_busy && hir_explaining_is_simulating (self->explaining);
  g_autofree char *note =
      is_simulating ? g_strdup ("Simulating what would help") : g_strdup_printf ("%d%%", percent);
  HirTrace *trace = hir_selection_get_trace (self->selection);
  gboolean is_empty = trace == NULL || hir_trace_get_n_events (trace) == 0;

  gtk_label_set_text (self->title, is_empty  ? hir_selection_get_advice (self->selection)
                                   : is_busy ? "Finding the critical path"
                                   : problem != NULL
                                       ? problem
                                       : "Where the time went; click a row to see it");
  gtk_spinner_set_spinning (self->spinner, is_busy || is_simulating);
  gtk_label_set_text (self->note, note);
  gtk_widget_set_visible (GTK_WIDGET (self->note), is_busy || is_simulating);
  gtk_button_set_label (self->cancel, is_busy ? "Cancel" : "Compute");
  gtk_widget_set_visible (GTK_WIDGET (self->cancel), is_busy || problem != NULL);
}

/* A page that is displayed needs the explanation. */
static void
on_changed (HirExplainPage *self)
{
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    hir_explaining_request (self->explaining);
  update (self);
}

/* Moves the focus first: the button disappears, and without a focus keys would be lost. */
static void
on_cancel (HirExplainPage *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->canvas));
  if (!hir_explaining_cancel (self->explaining))
    hir_explaining_retry (self->explaining);
}

const HirGain *
hir_explain_page_get_gain (HirExplainPage *self)
{
  return hir_explain_canvas_get_gain (self->canvas);
}

#if HIR_TESTING
HirExplainCanvas *
hir_explain_page_get_canvas (HirExplainPage *self)
{
  return self->canvas;
}

const char *
hir_explain_page_get_title (HirExplainPage *self)
{
  return gtk_label_get_text (self->title);
}
#endif

static void
hir_explain_page_dispose (GObject *object)
{
  HirExplainPage *self = HIR_EXPLAIN_PAGE (object);

  if (self->explaining != NULL)
    g_signal_handlers_disconnect_by_data (self->explaining, self);
  g_clear_object (&self->explaining);
  g_clear_object (&self->selection);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS (hir_explain_page_parent_class)->dispose (object);
}

static gboolean
hir_explain_page_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (HIR_EXPLAIN_PAGE (widget)->canvas));
}

static void
hir_explain_page_class_init (HirExplainPageClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_explain_page_dispose;
  GTK_WIDGET_CLASS (klass)->grab_focus = hir_explain_page_grab_focus;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "statspage");
}

static void
hir_explain_page_init (HirExplainPage *self)
{
  g_signal_connect (self, "map", G_CALLBACK (on_changed), NULL);
}

static GtkWidget *
create_strip (HirExplainPage *self)
{
  GtkWidget *strip = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *title = gtk_label_new (NULL);

  self->title = GTK_LABEL (title);
  self->spinner = GTK_SPINNER (gtk_spinner_new ());
  self->note = GTK_LABEL (gtk_label_new (NULL));
  self->cancel = GTK_BUTTON (gtk_button_new_with_label ("Cancel"));
  gtk_label_set_xalign (self->title, 0);
  gtk_label_set_wrap (self->title, TRUE);
  gtk_widget_set_hexpand (title, TRUE);
  gtk_widget_add_css_class (strip, "stats-strip");
  gtk_widget_add_css_class (GTK_WIDGET (self->note), "dim-label");
  gtk_widget_add_css_class (GTK_WIDGET (self->cancel), "small-button");
  gtk_widget_set_valign (GTK_WIDGET (self->cancel), GTK_ALIGN_START);
  g_signal_connect_swapped (self->cancel, "clicked", G_CALLBACK (on_cancel), self);
  gtk_box_append (GTK_BOX (strip), title);
  gtk_box_append (GTK_BOX (strip), GTK_WIDGET (self->spinner));
  gtk_box_append (GTK_BOX (strip), GTK_WIDGET (self->note));
  gtk_box_append (GTK_BOX (strip), GTK_WIDGET (self->cancel));
  return strip;
}

GtkWidget *
hir_explain_page_new (HirSelection *selection, HirExplaining *explaining)
{
  HirExplainPage *self = g_object_new (HIR_TYPE_EXPLAIN_PAGE, NULL);
  GtkWidget *canvas = hir_explain_canvas_new (explaining);
  GtkWidget *list = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  self->selection = g_object_ref (selection);
  self->explaining = g_object_ref (explaining);
  self->canvas = HIR_EXPLAIN_CANVAS (canvas);
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_widget_set_hexpand (canvas, TRUE);
  gtk_widget_set_vexpand (canvas, TRUE);
  gtk_box_append (GTK_BOX (list), hir_scaler_new (canvas));
  gtk_box_append (GTK_BOX (list),
                  hir_scrollbar_new (hir_explain_canvas_get_adjustment (self->canvas)));
  gtk_box_append (GTK_BOX (self->box), create_strip (self));
  gtk_box_append (GTK_BOX (self->box), list);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  g_signal_connect_swapped (explaining, "changed", G_CALLBACK (on_changed), self);
  g_signal_connect_object (selection, "advice-changed", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  update (self);
  return GTK_WIDGET (self);
}
