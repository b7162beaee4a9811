#include "window/window-private.h"

#include "base/control-words.h"
#include "document/document-edit.h"

#define TOAST_S 4 /* shortest time */
#define NOTICE_S 2
#define CHARS_PER_S 12

GtkWidget *
hir_icon_button_new (const char *icon, const char *action, const char *tooltip)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);

  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_set_tooltip_text (button, tooltip);
  return button;
}

GtkWidget *
hir_flat_button_new (const char *icon, const char *action, const char *tooltip)
{
  GtkWidget *button = hir_icon_button_new (icon, action, tooltip);

  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_focus_on_click (button, FALSE);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  return button;
}

gboolean
hir_window_is_rejected (HirWindow *self)
{
  const HirProgram *program = hir_document_get_program (self->document);

  return hir_document_is_outdated (self->document) || program == NULL || program->error != NULL;
}

void
hir_window_dismiss_toast (HirWindow *self)
{
  AdwToast *last = g_object_get_data (G_OBJECT (self), "hir-toast");

  if (last != NULL)
    adw_toast_dismiss (last);
  g_object_set_data (G_OBJECT (self), "hir-toast", NULL);
}

void
hir_window_toast (HirWindow *self, const char *text)
{
  guint reading_s = NOTICE_S + (guint) g_utf8_strlen (text, -1) / CHARS_PER_S;
  g_autofree char *words = hir_control_words_dup (text);
  g_autofree char *markup = g_markup_escape_text (words, -1);
  AdwToast *toast = adw_toast_new (markup);

  adw_toast_set_timeout (toast, MAX (reading_s, TOAST_S));
  /* Otherwise each one would wait for the end of those before it. */
  hir_window_dismiss_toast (self);
  g_object_set_data_full (G_OBJECT (self), "hir-toast", g_object_ref (toast), g_object_unref);
  adw_toast_overlay_add_toast (self->toasts, toast);
  if (reading_s > TOAST_S && !hir_window_is_rejected (self))
    hir_document_set_status (self->document, g_strdup (text));
}

void
hir_window_alert (HirWindow *self, const char *what, const char *why)
{
  GtkWidget *dialog = adw_message_dialog_new (GTK_WINDOW (self), what, NULL);
  g_autofree char *words = hir_control_words_dup (why);

  adw_message_dialog_set_body (ADW_MESSAGE_DIALOG (dialog), words);
  adw_message_dialog_add_response (ADW_MESSAGE_DIALOG (dialog), "close", "_Close");
  gtk_window_present (GTK_WINDOW (dialog));
}

gboolean
hir_window_has_passes (HirWindow *self)
{
  HirProgram *program = hir_document_get_program (self->document);

  return program == NULL || program->views->len > 0 ||
         hir_document_get_request (self->document) != NULL;
}

gboolean
hir_window_in_workspace (HirWindow *self)
{
  return g_strcmp0 (gtk_stack_get_visible_child_name (self->pages), "workspace") == 0;
}

void
hir_window_leave_statistics (HirWindow *self)
{
  if (gtk_toggle_button_get_active (self->graph_tabs.show_stats) ||
      gtk_toggle_button_get_active (self->graph_tabs.show_explain) ||
      gtk_toggle_button_get_active (self->graph_tabs.show_events))
    gtk_toggle_button_set_active (self->graph_tabs.show_graph, TRUE);
}

void
hir_window_select_on_rank (HirWindow *self, int rank, guint64 instruction)
{
  HirRankPrograms *ranks = hir_selection_get_ranks (self->selection);
  int entry = ranks != NULL ? hir_rank_programs_find (ranks, rank) : -1;
  HirProgram *program;

  if (entry >= 0 && entry != hir_selection_get_rank_program (self->selection))
    hir_selection_set_rank_program (self->selection, (guint) entry);
  program = hir_selection_get_program (self->selection);
  if (instruction == 0 || program == NULL || program->views->len == 0)
    return;
  hir_selection_set_step (self->selection, program->views->len - 1);
  hir_selection_set_node (self->selection, instruction);
}

GtkFileChooser *
hir_window_create_chooser (HirWindow *self,
                           const char *title,
                           GtkFileChooserAction action,
                           const char *accept,
                           GCallback on_response,
                           gpointer user_data)
{
  g_clear_object (&self->chooser);
  self->chooser = gtk_file_chooser_native_new (title, GTK_WINDOW (self), action, accept, "_Cancel");
  g_signal_connect (self->chooser, "response", on_response, user_data);
  return GTK_FILE_CHOOSER (self->chooser);
}

void
hir_window_show_open_chooser (HirWindow *self, const char *known, const char *const *patterns)
{
  GtkFileChooser *chooser = GTK_FILE_CHOOSER (self->chooser);
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();
  g_autoptr (GtkFileFilter) all = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, known);
  for (guint i = 0; patterns[i] != NULL; i++)
    gtk_file_filter_add_pattern (filter, patterns[i]);
  gtk_file_filter_set_name (all, "All files");
  gtk_file_filter_add_pattern (all, "*");
  gtk_file_chooser_add_filter (chooser, filter);
  gtk_file_chooser_add_filter (chooser, all);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->chooser));
}

HirTraceRules *
hir_window_dup_rules (HirWindow *self)
{
  const char *patterns[HIR_SETTING_COPY_PATTERN + 1][2] = { 0 };
  g_autoptr (GError) error = NULL;
  HirTraceRules *rules;
  gboolean has_any = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (patterns); i++)
    {
      const char *text = hir_settings_get_text (self->settings, (HirTextSetting) i);

      patterns[i][0] = *text != '\0' ? text : NULL;
      has_any |= *text != '\0';
    }
  if (!has_any)
    return NULL;
  rules = hir_trace_rules_new (patterns[HIR_SETTING_COMM_PATTERN],
                               patterns[HIR_SETTING_COPY_PATTERN], FALSE, &error);
  if (rules == NULL)
    hir_window_toast (self, error->message);
  return rules;
}

char **
hir_window_take_chosen_paths (HirWindow *self, int response)
{
  g_autoptr (GListModel) chosen = NULL;
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  if (response == GTK_RESPONSE_ACCEPT)
    chosen = gtk_file_chooser_get_files (GTK_FILE_CHOOSER (self->chooser));
  g_clear_object (&self->chooser);
  for (guint i = 0; chosen != NULL && i < g_list_model_get_n_items (chosen); i++)
    {
      g_autoptr (GFile) file = g_list_model_get_item (chosen, i);
      g_autofree char *path = g_file_get_path (file);

      if (path != NULL)
        g_strv_builder_add (builder, path);
    }
  return g_strv_builder_end (builder);
}

char *
hir_window_take_chosen_path (HirWindow *self, int response)
{
  g_autoptr (GFile) file = NULL;

  if (response == GTK_RESPONSE_ACCEPT)
    file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (self->chooser));
  g_clear_object (&self->chooser);
  return file != NULL ? g_file_get_path (file) : NULL;
}

void
hir_window_update (HirWindow *self)
{
  g_signal_emit_by_name (self, "update");
}
