#include "passes/pipeline-switch.h"

#include "program/program-dump.h"

#define N_KINDS 2

struct _HirPipelineSwitch
{
  GtkWidget parent_instance;

  HirSelection *selection;
  HirDocument *document;
  GtkWidget *box;
  GtkToggleButton *buttons[N_KINDS]; /* by HirPipelineKind */
  guint idle;                        /* id of the GSource that updates the buttons; 0: none */
  gboolean is_syncing;               /* the buttons follow the request */
};

G_DEFINE_FINAL_TYPE (HirPipelineSwitch, hir_pipeline_switch, GTK_TYPE_WIDGET)

static gboolean
sync_now (gpointer user_data)
{
  HirPipelineSwitch *self = user_data;
  HirRequest *request = hir_document_get_edit (self->document);
  HirProgram *program = hir_selection_get_program (self->selection);
  gboolean is_of_run = request != NULL && hir_document_shows_run (self->document) &&
                       program != NULL && program->request != NULL;
  gboolean has_passes;

  self->idle = 0;
  if (is_of_run)
    request = program->request;
  has_passes = request != NULL && !hir_program_is_dump (request->source);
  gtk_widget_set_sensitive (GTK_WIDGET (self), !is_of_run);
  gtk_widget_set_visible (GTK_WIDGET (self), has_passes);
  if (!has_passes)
    return G_SOURCE_REMOVE;
  self->is_syncing = TRUE;
  gtk_toggle_button_set_active (self->buttons[request->pipeline], TRUE);
  self->is_syncing = FALSE;
  return G_SOURCE_REMOVE;
}

/* Must not run in the frame in which the program text is replaced, see rank-switch.c. */
static void
sync_shown (HirPipelineSwitch *self)
{
  if (self->idle == 0)
    self->idle = g_idle_add (sync_now, self);
}

static void
on_toggled (GtkToggleButton *button, gpointer user_data)
{
  HirPipelineSwitch *self = user_data;

  if (!self->is_syncing && gtk_toggle_button_get_active (button))
    gtk_widget_activate_action (GTK_WIDGET (self), "win.pipeline", "s",
                                hir_pipeline_kind_get_name (button == self->buttons[0]
                                                                ? HIR_PIPELINE_EXECUTOR
                                                                : HIR_PIPELINE_HOSTIR));
}

static void
hir_pipeline_switch_dispose (GObject *object)
{
  HirPipelineSwitch *self = HIR_PIPELINE_SWITCH (object);

  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  if (self->document != NULL)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_clear_object (&self->selection);
  g_clear_object (&self->document);
  g_clear_handle_id (&self->idle, g_source_remove);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS (hir_pipeline_switch_parent_class)->dispose (object);
}

static void
hir_pipeline_switch_class_init (HirPipelineSwitchClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_pipeline_switch_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "pipelineswitch");
}

static void
hir_pipeline_switch_init (HirPipelineSwitch *self)
{
  static const char *const labels[N_KINDS] = { "Executor", "Host IR" };
  static const char *const tooltips[N_KINDS] = {
    "Lower as MultiDeviceExecutor of 2025 (q)",
    "Lower as host_ir_lowering of 2026 (q)",
  };

  self->box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_widget_add_css_class (self->box, "linked");
  gtk_widget_set_margin_start (self->box, 6);
  gtk_widget_set_margin_end (self->box, 6);
  gtk_widget_set_margin_top (self->box, 6);
  for (guint i = 0; i < N_KINDS; i++)
    {
      GtkWidget *button = gtk_toggle_button_new ();
      GtkWidget *label = gtk_label_new (labels[i]);

      /* Labels are shortened so that the row does not widen the list of passes. */
      gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
      gtk_button_set_child (GTK_BUTTON (button), label);
      gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      labels[i], -1);
      self->buttons[i] = GTK_TOGGLE_BUTTON (button);
      gtk_toggle_button_set_group (self->buttons[i], i > 0 ? self->buttons[0] : NULL);
      gtk_widget_set_tooltip_text (button, tooltips[i]);
      gtk_widget_set_hexpand (button, TRUE);
      gtk_widget_set_focus_on_click (button, FALSE);
      g_signal_connect (button, "toggled", G_CALLBACK (on_toggled), self);
      gtk_box_append (GTK_BOX (self->box), button);
    }
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

GtkWidget *
hir_pipeline_switch_new (HirSelection *selection, HirDocument *document)
{
  HirPipelineSwitch *self = g_object_new (HIR_TYPE_PIPELINE_SWITCH, NULL);

  self->selection = g_object_ref (selection);
  self->document = g_object_ref (document);
  g_signal_connect_swapped (selection, "program-changed", G_CALLBACK (sync_shown), self);
  g_signal_connect_swapped (document, "edited", G_CALLBACK (sync_shown), self);
  sync_shown (self);
  return GTK_WIDGET (self);
}
