#include "window/run-controls.h"

#include "program/run-engine.h"

static const int stream_numbers[] = { 1, 2, 3, 4, 6, 8 };
static const char *const stream_choices[] = { "1 stream",  "2 streams", "3 streams", "4 streams",
                                              "6 streams", "8 streams", NULL };
static const char *const clock_choices[] = { "Modelled clock", "Wall clock", NULL };

/* A GPU run always uses the clock of the GPU. */
static GtkToggleButton *
create_gpu_button (GtkDropDown *clock)
{
  GtkWidget *button = gtk_toggle_button_new_with_label ("GPU");
  g_autofree char *missing = hir_run_engine_dup_missing (HIR_BACKEND_CUDA);

  gtk_widget_set_sensitive (button, missing == NULL);
  gtk_widget_set_tooltip_text (button,
                               missing != NULL
                                   ? missing
                                   : "Run on GPUs, which devices share if there are fewer; times "
                                     "are measured");
  g_object_bind_property (button, "active", clock, "sensitive",
                          G_BINDING_INVERT_BOOLEAN | G_BINDING_SYNC_CREATE);
  return GTK_TOGGLE_BUTTON (button);
}

static GtkToggleButton *
create_baseline_button (void)
{
  GtkWidget *button = gtk_toggle_button_new_with_label ("Baseline");

  gtk_widget_set_tooltip_text (
      button, "Measure each instruction alone after the run, so that Explain knows "
              "what it takes with nothing beside it");
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Measure Each Instruction Alone", -1);
  return GTK_TOGGLE_BUTTON (button);
}

void
hir_run_controls_init (HirRunControls *self)
{
  self->streams = GTK_DROP_DOWN (gtk_drop_down_new_from_strings (stream_choices));
  gtk_drop_down_set_selected (self->streams, 3);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->streams), "numberOfStreams of the next run");
  self->clock = GTK_DROP_DOWN (gtk_drop_down_new_from_strings (clock_choices));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->clock),
                               "Modelled: times from bytes and flops, the same on every machine. "
                               "Wall: as measured here.");
  self->baseline = create_baseline_button ();
  self->gpu = create_gpu_button (self->clock);
}

void
hir_run_controls_restore (HirRunControls *self, HirSettings *settings)
{
  guint streams = 0;

  for (guint i = 0; i < G_N_ELEMENTS (stream_numbers); i++)
    if (stream_numbers[i] <= hir_settings_get (settings, HIR_SETTING_STREAMS))
      streams = i;
  gtk_drop_down_set_selected (self->streams, streams);
  gtk_drop_down_set_selected (self->clock,
                              hir_settings_get (settings, HIR_SETTING_MODEL_CLOCK) ? 0 : 1);
  if (gtk_widget_get_sensitive (GTK_WIDGET (self->gpu)))
    gtk_toggle_button_set_active (self->gpu, hir_settings_get (settings, HIR_SETTING_ON_GPU) != 0);
}

/* Offers @n streams behind the usual numbers, or none if it is 0. */
static void
set_extra (HirRunControls *self, gint64 n, const char *note)
{
  GtkStringList *list = GTK_STRING_LIST (gtk_drop_down_get_model (self->streams));
  g_autofree char *label =
      g_strdup_printf ("%" G_GINT64_FORMAT " stream%s%s", n, n == 1 ? "" : "s", note);
  const char *const labels[] = { label, NULL };

  gtk_string_list_splice (list, G_N_ELEMENTS (stream_numbers), self->extra > 0 ? 1 : 0,
                          n > 0 ? labels : NULL);
  self->extra = n;
}

void
hir_run_controls_follow (HirRunControls *self, const HirScriptExecutor *script)
{
  gint64 before = self->script.n_streams;

  self->script = *script;
  if (script->n_streams == before)
    return;
  if (before == 0)
    self->chosen = gtk_drop_down_get_selected (self->streams);
  else
    gtk_drop_down_set_selected (self->streams, self->chosen);
  set_extra (self, script->n_streams, " (script)");
  if (script->n_streams > 0)
    gtk_drop_down_set_selected (self->streams, G_N_ELEMENTS (stream_numbers));
}

void
hir_run_controls_select (HirRunControls *self, const HirRunSettings *settings)
{
  gboolean on_gpu = settings->backend == HIR_BACKEND_CUDA;
  guint streams = G_N_ELEMENTS (stream_numbers);

  for (guint i = 0; i < G_N_ELEMENTS (stream_numbers); i++)
    if (stream_numbers[i] == settings->n_streams)
      streams = i;
  if (streams == G_N_ELEMENTS (stream_numbers) && self->extra != settings->n_streams)
    set_extra (self, settings->n_streams, "");
  gtk_drop_down_set_selected (self->streams, streams);
  gtk_drop_down_set_selected (self->clock, settings->model_clock ? 0 : 1);
  gtk_toggle_button_set_active (self->baseline, settings->baseline);
  gtk_toggle_button_set_active (self->gpu,
                                on_gpu && gtk_widget_get_sensitive (GTK_WIDGET (self->gpu)));
}

void
hir_run_controls_set_visible (HirRunControls *self, gboolean is_visible)
{
  gtk_widget_set_visible (GTK_WIDGET (self->streams), is_visible);
  gtk_widget_set_visible (GTK_WIDGET (self->clock), is_visible);
  gtk_widget_set_visible (GTK_WIDGET (self->baseline), is_visible);
  gtk_widget_set_visible (GTK_WIDGET (self->gpu), is_visible);
}

int
hir_run_controls_get_n_streams (const HirRunControls *self)
{
  guint selected = gtk_drop_down_get_selected (self->streams);

  return selected < G_N_ELEMENTS (stream_numbers) ? stream_numbers[selected] : (int) self->extra;
}

void
hir_run_controls_get_settings (const HirRunControls *self, HirRunSettings *settings)
{
  hir_run_settings_init (settings);
  settings->n_streams = hir_run_controls_get_n_streams (self);
  settings->backend = gtk_toggle_button_get_active (self->gpu) ? HIR_BACKEND_CUDA : HIR_BACKEND_CPU;
  settings->share_gpus = settings->backend == HIR_BACKEND_CUDA;
  settings->model_clock =
      settings->backend == HIR_BACKEND_CPU && gtk_drop_down_get_selected (self->clock) == 0;
  settings->baseline = gtk_toggle_button_get_active (self->baseline);
  settings->check = TRUE;
  if (hir_settings_get_default () != NULL)
    settings->timeout_s = hir_settings_get (hir_settings_get_default (), HIR_SETTING_TIME_LIMIT);
  if (settings->backend == HIR_BACKEND_CUDA && self->script.transport != NULL)
    hir_comm_transport_lookup (self->script.transport, &settings->comm.way);
}
