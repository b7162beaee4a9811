#include "explain/predict-window.h"

#include <glib/gstdio.h>

#include "base/control-words.h"
#include "base/names.h"
#include "config.h"
#include "diagnostic.h"
#include "predict/predict-options.h"
#include "testing/hold.h"
#include "trace/duration.h"

#define WIDTH 560
#define MAX_STREAMS 64
#define MAX_LINE 100000000

typedef enum
{
  FIELD_STREAMS,
  FIELD_COMM_SCALE,
  FIELD_KERNELS,
  FIELD_DROPS,
  FIELD_SET,
  N_ENTRIES,
  FIELD_COMM = N_ENTRIES,
  FIELD_INTERFERENCE,
  N_FIELDS,
} Field;

static const struct
{
  const char *title, *placeholder, *tooltip;
} texts[N_FIELDS] = {
  [FIELD_STREAMS] = { "Streams", "as recorded", "Number of streams, 1 to 64" },
  [FIELD_COMM_SCALE] = { "Communication", "1 (unchanged)", "Transfers take this times as long" },
  [FIELD_KERNELS] = { "Kernels", "such as T6_matmul=0.5, matmul=0.9",
                      "Work of an instruction or op takes this times as long" },
  [FIELD_DROPS] = { "Omitted Program Lines", "none",
                    "Lines of a Synchronize or Wait, as numbered in the tab Program" },
  [FIELD_SET] = { "Pass Options", "such as StreamParallelType.initial_sync=separate",
                  "Options of passes that the program is lowered with" },
  [FIELD_COMM] = { "Method", NULL, "How GPUs communicate" },
  [FIELD_INTERFERENCE] = { "No Interference", NULL,
                           "Communication and kernels do not slow each other down" },
};

static const char *const methods[] = { "As Recorded", "NCCL Collectives", "NCCL Sends and Receives",
                                       "Copy Engines", NULL };
static const char *const method_names[] = { NULL, "nccl", "p2p", "copy" };

struct _HirPredictWindow
{
  AdwWindow parent_instance;

  HirProgram *program;
  HirTrace *trace;
  HirPredictedFunc predicted;
  gpointer user_data;
  GtkEditable *entries[N_ENTRIES];
  GtkDropDown *method;
  GtkSwitch *interference;
  gboolean has_errors;
  GtkLabel *result; /* or the errors, which must not move the fields */
  GtkSpinner *spinner;
  GtkButton *start;          /* predicts, or cancels */
  GCancellable *cancellable; /* of the running prediction, or NULL */
};

G_DEFINE_FINAL_TYPE (HirPredictWindow, hir_predict_window, ADW_TYPE_WINDOW)

typedef struct
{
  HirProgram *program;
  HirTrace *trace;
  HirPredictOptions options;
  char *path;    /* of the recording */
  char *changes; /* in words */
  HirTrace *measured;
  gint64 measured_ns, unchanged_ns, predicted_ns;
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;

  hir_predict_options_clear (&job->options);
  hir_program_unref (job->program);
  hir_trace_unref (job->trace);
  g_clear_pointer (&job->measured, hir_trace_unref);
  g_free (job->path);
  g_free (job->changes);
  g_free (job);
}

static GtkWidget *
get_widget (HirPredictWindow *self, Field field)
{
  return field < N_ENTRIES     ? GTK_WIDGET (self->entries[field])
         : field == FIELD_COMM ? GTK_WIDGET (self->method)
                               : GTK_WIDGET (self->interference);
}

/* Marks @field and adds "TITLE: text" to the errors, or @text alone for N_FIELDS. */
static void
show_error (HirPredictWindow *self, Field field, const char *text)
{
  const char *before = self->has_errors ? gtk_label_get_text (self->result) : "";
  g_autofree char *words = hir_control_words_dup (text);
  g_autofree char *all = g_strdup_printf ("%s%s%s%s%s", before, *before != '\0' ? "\n" : "",
                                          field < N_FIELDS ? texts[field].title : "",
                                          field < N_FIELDS ? ": " : "", words);

  self->has_errors = TRUE;
  gtk_label_set_text (self->result, all);
  gtk_widget_add_css_class (GTK_WIDGET (self->result), "error");
  if (field < N_FIELDS)
    gtk_widget_add_css_class (get_widget (self, field), "error");
}

static void
clear_errors (HirPredictWindow *self)
{
  self->has_errors = FALSE;
  for (guint i = 0; i < N_FIELDS; i++)
    gtk_widget_remove_css_class (get_widget (self, (Field) i), "error");
  gtk_label_set_text (self->result, "");
  gtk_widget_remove_css_class (GTK_WIDGET (self->result), "error");
}

static void
update (HirPredictWindow *self)
{
  gboolean is_busy = self->cancellable != NULL;

  gtk_spinner_set_spinning (self->spinner, is_busy);
  gtk_button_set_label (self->start, is_busy ? "Cancel" : "Predict");
}

/* Returns the words of an entry without spaces around them, or NULL if it is empty. */
static char **
dup_words (HirPredictWindow *self, Field field, const char *separators)
{
  const char *text = gtk_editable_get_text (self->entries[field]);
  g_auto (GStrv) parts = g_strsplit_set (text, separators, -1);
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();
  guint n = 0;

  for (guint i = 0; parts[i] != NULL; i++)
    if (*g_strstrip (parts[i]) != '\0')
      {
        g_strv_builder_add (words, parts[i]);
        n++;
      }
  return n > 0 ? g_strv_builder_end (words) : NULL;
}

static gboolean
read_numbers (HirPredictWindow *self, HirPredictOptions *options)
{
  g_auto (GStrv) streams = dup_words (self, FIELD_STREAMS, " ");
  g_auto (GStrv) lines = dup_words (self, FIELD_DROPS, ", ");
  gboolean ok = TRUE;

  if (streams != NULL &&
      (streams[1] != NULL ||
       !g_ascii_string_to_signed (streams[0], 10, 1, MAX_STREAMS, &options->n_streams, NULL)))
    {
      show_error (self, FIELD_STREAMS, "Enter a number from 1 to 64");
      ok = FALSE;
    }
  options->drop_lines = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; lines != NULL && lines[i] != NULL; i++)
    {
      guint64 number;
      guint line;

      if (!g_ascii_string_to_unsigned (lines[i], 10, 1, MAX_LINE, &number, NULL))
        {
          show_error (self, FIELD_DROPS, "Enter numbers of lines, such as 12, 15");
          return FALSE;
        }
      line = (guint) number;
      g_array_append_val (options->drop_lines, line);
    }
  return ok;
}

/* Reads all fields. Returns FALSE after showing the errors at their fields. */
static gboolean
read_fields (HirPredictWindow *self, HirPredictOptions *options)
{
  g_auto (GStrv) scale = dup_words (self, FIELD_COMM_SCALE, " ");
  g_auto (GStrv) kernels =
      hir_predict_split_scales (gtk_editable_get_text (self->entries[FIELD_KERNELS]));
  const char *method = method_names[gtk_drop_down_get_selected (self->method)];
  g_autoptr (GError) error = NULL;
  gboolean ok;

  hir_predict_options_init (options);
  ok = read_numbers (self, options);
  if (scale != NULL &&
      (scale[1] != NULL || !hir_predict_parse_factor ("", scale[0], &options->comm_scale, NULL)))
    {
      show_error (self, FIELD_COMM_SCALE, "Enter a factor from 0 to 1e6");
      ok = FALSE;
    }
  options->scales = hir_predict_parse_scales (kernels, &error);
  if (options->scales == NULL)
    show_error (self, FIELD_KERNELS, "Enter NAME=FACTOR, such as T6_matmul=0.5");
  options->set = dup_words (self, FIELD_SET, " ");
  options->no_interference = gtk_switch_get_active (self->interference);
  if (method != NULL)
    hir_comm_transport_lookup (method, &options->transport);
  return ok && options->scales != NULL;
}

void
hir_predict_window_delete_file (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);

  (void) g_unlink (path);
  (void) g_rmdir (folder);
}

/* Writes the predicted run to a new temporary folder. */
static gboolean
save (Job *job, HirPrediction *prediction, const HirOpened *opened, GError **error)
{
  g_autofree char *folder = g_dir_make_tmp ("hirscope-predicted-XXXXXX", error);

  if (folder == NULL)
    return FALSE;
  job->path = g_build_filename (folder, "predicted.hirs", NULL);
  job->changes = prediction->changes->len > 0
                     ? g_strjoinv ("; ", (char *[]){ prediction->changes->pdata[0], NULL })
                     : g_strdup ("no changes");
  for (guint i = 1; i < prediction->changes->len; i++)
    {
      g_autofree char *before = job->changes;

      job->changes = g_strconcat (before, "; ", prediction->changes->pdata[i], NULL);
    }
  job->measured_ns =
      hir_prediction_get_median (prediction, G_STRUCT_OFFSET (HirPredicted, measured_ns));
  job->unchanged_ns =
      hir_prediction_get_median (prediction, G_STRUCT_OFFSET (HirPredicted, unchanged_ns));
  job->predicted_ns =
      hir_prediction_get_median (prediction, G_STRUCT_OFFSET (HirPredicted, predicted_ns));
  job->measured = hir_prediction_dup_measured (prediction, job->trace, error);
  return job->measured != NULL && hir_prediction_save (prediction, opened, job->path, error);
}

static void
predict (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  Job *job = task_data;
  const HirOpened opened = { .program = job->program, .trace = job->trace };
  g_autoptr (HirPrediction) prediction = NULL;
  GError *error = NULL;

  hir_test_hold ("HIRSCOPE_TEST_PREDICT_HOLD", cancellable);
  prediction = hir_predict_new (&opened, &job->options, cancellable, &error);
  if (prediction != NULL && save (job, prediction, &opened, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

/* Shows an error of the prediction at the field that causes it. */
static void
show_failure (HirPredictWindow *self, const Job *job, const char *message)
{
  Field field = N_FIELDS;

  if (g_str_has_prefix (message, "--kernel"))
    field = FIELD_KERNELS;
  else if (g_str_has_prefix (message, "--drop-sync"))
    field = FIELD_DROPS;
  else if (g_str_has_prefix (message, "--comm "))
    field = FIELD_COMM;
  else if (job->options.set != NULL)
    field = FIELD_SET;
  show_error (self, field, message);
  if (field < N_FIELDS)
    gtk_widget_grab_focus (get_widget (self, field));
}

static void
show_result (HirPredictWindow *self, const Job *job)
{
  gint64 gain_ns = job->unchanged_ns - job->predicted_ns;
  g_autofree char *predicted = hir_format_duration (job->predicted_ns);
  g_autofree char *unchanged = hir_format_duration (job->unchanged_ns);
  g_autofree char *measured = hir_format_duration (job->measured_ns);
  g_autofree char *text =
      g_strdup_printf ("Predicted: %s; simulated without changes: %s; %s: %s. %.1f%% %s", predicted,
                       unchanged,
                       g_strcmp0 (hir_trace_get_meta (job->trace, "clock"), "model") == 0
                           ? "modelled"
                           : "measured",
                       measured,
                       100.0 * (double) ABS (gain_ns) / (double) MAX (job->unchanged_ns, 1),
                       gain_ns >= 0 ? "shorter" : "longer");

  gtk_label_set_text (self->result, text);
}

static void
on_done (GObject *source, GAsyncResult *result, gpointer user_data)
{
  HirPredictWindow *self = HIR_PREDICT_WINDOW (source);
  Job *job = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  gboolean done = g_task_propagate_boolean (G_TASK (result), &error);

  /* Cancelled, closed, or another prediction has started. */
  if (g_task_get_cancellable (G_TASK (result)) != self->cancellable)
    {
      if (done)
        hir_predict_window_delete_file (job->path);
      return;
    }
  g_clear_object (&self->cancellable);
  update (self);
  if (!done)
    {
      show_failure (self, job, error->message);
      return;
    }
  show_result (self, job);
  self->predicted (job->path, job->changes, job->measured, self->user_data);
}

static void
start (HirPredictWindow *self)
{
  g_autoptr (GTask) task = NULL;
  Job *job = g_new0 (Job, 1);

  clear_errors (self);
  job->program = hir_program_ref (self->program);
  job->trace = hir_trace_ref (self->trace);
  if (!read_fields (self, &job->options))
    {
      job_free (job);
      return;
    }
  self->cancellable = g_cancellable_new ();
  task = g_task_new (self, self->cancellable, on_done, NULL);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, predict);
  update (self);
}

static void
cancel (HirPredictWindow *self)
{
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
}

static void
on_start (HirPredictWindow *self)
{
  if (self->cancellable == NULL)
    {
      start (self);
      return;
    }
  cancel (self);
  update (self);
  gtk_label_set_text (self->result, "Cancelled");
}

/* Enter predicts; only the button cancels. */
static void
on_enter (HirPredictWindow *self)
{
  if (self->cancellable == NULL)
    start (self);
}

#if HIR_TESTING
const char *
hir_predict_window_get_result (HirPredictWindow *self)
{
  return gtk_label_get_text (self->result);
}

char *
hir_predict_window_dup_errors (HirPredictWindow *self)
{
  return g_strdup (self->has_errors ? gtk_label_get_text (self->result) : "");
}
#endif

static void
hir_predict_window_dispose (GObject *object)
{
  HirPredictWindow *self = HIR_PREDICT_WINDOW (object);

  if (self->cancellable != NULL)
    cancel (self);
  g_clear_pointer (&self->program, hir_program_unref);
  g_clear_pointer (&self->trace, hir_trace_unref);
  G_OBJECT_CLASS (hir_predict_window_parent_class)->dispose (object);
}

static void
hir_predict_window_class_init (HirPredictWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hir_predict_window_dispose;
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_w, GDK_CONTROL_MASK, "window.close",
                                       NULL);
}

static void
hir_predict_window_init (HirPredictWindow *self)
{
  gtk_window_set_title (GTK_WINDOW (self), "What If");
  gtk_window_set_default_size (GTK_WINDOW (self), WIDTH, -1);
  gtk_widget_add_css_class (GTK_WIDGET (self), "hirscope");
}

/* Creates the widget of a field. */
static GtkWidget *
create_field (HirPredictWindow *self, Field field)
{
  GtkWidget *widget;

  switch (field)
    {
    case FIELD_COMM:
      widget = gtk_drop_down_new_from_strings (methods);
      self->method = GTK_DROP_DOWN (widget);
      break;
    case FIELD_INTERFERENCE:
      widget = gtk_switch_new ();
      self->interference = GTK_SWITCH (widget);
      gtk_widget_set_halign (widget, GTK_ALIGN_START);
      break;
    default:
      widget = gtk_entry_new ();
      self->entries[field] = GTK_EDITABLE (widget);
      gtk_entry_set_placeholder_text (GTK_ENTRY (widget), texts[field].placeholder);
      g_signal_connect_swapped (widget, "activate", G_CALLBACK (on_enter), self);
      break;
    }
  gtk_widget_set_hexpand (widget, TRUE);
  gtk_widget_set_tooltip_text (widget, texts[field].tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  texts[field].title, -1);
  return widget;
}

static GtkWidget *
create_label (const char *text)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 60);
  return label;
}

static GtkWidget *
create_fields (HirPredictWindow *self)
{
  static const Field order[] = { FIELD_STREAMS, FIELD_COMM_SCALE, FIELD_KERNELS,     FIELD_DROPS,
                                 FIELD_SET,     FIELD_COMM,       FIELD_INTERFERENCE };
  GtkWidget *grid = gtk_grid_new ();

  gtk_grid_set_row_spacing (GTK_GRID (grid), 6);
  gtk_grid_set_column_spacing (GTK_GRID (grid), 12);
  for (int i = 0; i < (int) G_N_ELEMENTS (order); i++)
    {
      Field field = order[i];

      gtk_grid_attach (GTK_GRID (grid), create_label (texts[field].title), 0, i, 1, 1);
      gtk_grid_attach (GTK_GRID (grid), create_field (self, field), 1, i, 1, 1);
    }
  return grid;
}

static void
build (HirPredictWindow *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *content = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  GtkWidget *buttons = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *result = create_label ("");

  self->result = GTK_LABEL (result);
  self->spinner = GTK_SPINNER (gtk_spinner_new ());
  self->start = GTK_BUTTON (gtk_button_new_with_label ("Predict"));
  gtk_widget_add_css_class (GTK_WIDGET (self->start), "suggested-action");
  g_signal_connect_swapped (self->start, "clicked", G_CALLBACK (on_start), self);
  gtk_widget_set_halign (buttons, GTK_ALIGN_END);
  gtk_box_append (GTK_BOX (buttons), GTK_WIDGET (self->spinner));
  gtk_box_append (GTK_BOX (buttons), GTK_WIDGET (self->start));
  gtk_box_append (GTK_BOX (content), create_fields (self));
  gtk_box_append (GTK_BOX (content), buttons);
  gtk_box_append (GTK_BOX (content), result);
  gtk_widget_set_margin_start (content, 18);
  gtk_widget_set_margin_end (content, 18);
  gtk_widget_set_margin_top (content, 6);
  gtk_widget_set_margin_bottom (content, 18);
  gtk_box_append (GTK_BOX (box), adw_header_bar_new ());
  gtk_box_append (GTK_BOX (box), content);
  adw_window_set_content (ADW_WINDOW (self), box);
}

/* Enters the change of @gain. */
static void
enter (HirPredictWindow *self, const HirGain *gain)
{
  HirPredictOptions options;

  if (!hir_gain_get_options (gain, &options))
    gtk_label_set_text (self->result, "No field of this window makes the selected change");
  if (options.scales != NULL)
    {
      g_autofree char *text = g_strdup_printf ("%s=0", gain->name);

      gtk_editable_set_text (self->entries[FIELD_KERNELS], text);
    }
  if (options.drop_lines != NULL)
    {
      g_autofree char *text = g_strdup_printf ("%u", gain->line);

      gtk_editable_set_text (self->entries[FIELD_DROPS], text);
    }
  if (options.set != NULL)
    gtk_editable_set_text (self->entries[FIELD_SET], gain->name);
  gtk_switch_set_active (self->interference, options.no_interference);
  hir_predict_options_clear (&options);
}

GtkWidget *
hir_predict_window_new (GtkWindow *parent,
                        HirProgram *program,
                        HirTrace *trace,
                        const HirGain *gain,
                        HirPredictedFunc predicted,
                        gpointer user_data)
{
  HirPredictWindow *self = g_object_new (HIR_TYPE_PREDICT_WINDOW, "transient-for", parent,
                                         "destroy-with-parent", TRUE, NULL);

  self->program = hir_program_ref (program);
  self->trace = hir_trace_ref (trace);
  self->predicted = predicted;
  self->user_data = user_data;
  build (self);
  hir_names_follow (GTK_WINDOW (self));
  gtk_widget_set_sensitive (GTK_WIDGET (self->method),
                            g_strcmp0 (hir_trace_get_meta (trace, "backend"), "cuda") == 0);
  if (gain != NULL)
    enter (self, gain);
  gtk_widget_grab_focus (
      GTK_WIDGET (gain != NULL ? GTK_WIDGET (self->start) : GTK_WIDGET (self->entries[0])));
  return GTK_WIDGET (self);
}
