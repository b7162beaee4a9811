#include "window/window-save.h"

#include "document/document-edit.h"
#include "program/request-edit.h"
#include "program/script-file.h"
#include "window/window-export.h"

/* What of the window is about files, freed with it. */
struct _HirWindowFile
{
  HirSource *saved; /* nullable: as it was opened or saved last */
  char *path;       /* nullable: the file of it */
  gboolean closes;  /* after the save that is under way */
  char *opens;      /* nullable: likewise */
};

static HirWindowFile *
get_file (HirWindow *self)
{
  if (self->file == NULL)
    self->file = g_new0 (HirWindowFile, 1);
  return self->file;
}

void
hir_window_save_clear (HirWindow *self)
{
  HirWindowFile *file = g_steal_pointer (&self->file);

  if (file == NULL)
    return;
  g_clear_pointer (&file->saved, hir_source_unref);
  g_free (file->path);
  g_free (file->opens);
  g_free (file);
}

static void
set_saved (HirWindow *self, HirSource *source, const char *path)
{
  HirWindowFile *file = get_file (self);
  char *copy = g_strdup (path);

  if (source != NULL)
    hir_source_ref (source);
  g_clear_pointer (&file->saved, hir_source_unref);
  file->saved = source;
  g_free (file->path);
  file->path = copy;
  hir_window_show_title (self);
}

void
hir_window_begin_text (HirWindow *self, const char *path)
{
  HirRequest *request = hir_document_get_edit (self->document);

  set_saved (self, request != NULL ? request->source : NULL, path);
}

/* Of what is open: a copy of a program is another text than the script that it was made from. */
static gboolean
is_of_file (HirWindow *self, const HirRequest *request)
{
  const HirWindowFile *file = get_file (self);

  return file->saved != NULL && g_str_equal (file->saved->path, request->source->path);
}

static gboolean
is_changed (HirWindow *self)
{
  HirRequest *request = hir_document_get_edit (self->document);
  const HirWindowFile *file = get_file (self);

  return request != NULL && file->saved != NULL &&
         (!is_of_file (self, request) || !g_str_equal (file->saved->text, request->source->text));
}

gboolean
hir_window_has_changes (HirWindow *self)
{
  hir_script_text_flush (hir_text_pane_get_script (self->text));
  return is_changed (self);
}

void
hir_window_show_title (HirWindow *self)
{
  const char *title = adw_window_title_get_title (self->title);
  const char *bare =
      g_str_has_prefix (title, "\xe2\x80\xa2 ") ? title + strlen ("\xe2\x80\xa2 ") : title;
  g_autofree char *text =
      is_changed (self) ? g_strconcat ("\xe2\x80\xa2 ", bare, NULL) : g_strdup (bare);

  if (!g_str_equal (text, title))
    adw_window_title_set_title (self->title, text);
}

static gboolean
close_now (gpointer user_data)
{
  gtk_window_close (user_data);
  return G_SOURCE_REMOVE;
}

/* What waited for the save. Not from within the answer of a dialog that would go with the window. */
static void
go_on (HirWindow *self)
{
  HirWindowFile *file = get_file (self);
  g_autofree char *spec = g_steal_pointer (&file->opens);
  gboolean closes = file->closes;

  file->closes = FALSE;
  if (closes || spec != NULL)
    set_saved (self, NULL, NULL); /* nothing to ask for any more */
  if (closes)
    g_idle_add_full (G_PRIORITY_DEFAULT, close_now, g_object_ref (self), g_object_unref);
  else if (spec != NULL)
    hir_window_open (self, spec);
}

static void
stay (HirWindow *self)
{
  HirWindowFile *file = get_file (self);

  file->closes = FALSE;
  g_clear_pointer (&file->opens, g_free);
}

static void
write_text (HirWindow *self, const char *path)
{
  HirRequest *request = hir_document_get_edit (self->document);
  g_autoptr (GError) error = NULL;
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *text = g_strdup_printf ("Saved %s", name);

  if (!hir_script_file_save (path, request->source->text, &error))
    {
      stay (self);
      hir_window_alert (self, "The text could not be saved", error->message);
      return;
    }
  hir_window_toast (self, text);
  if (!g_str_equal (path, request->source->path))
    {
      g_autoptr (HirRequest) renamed = hir_request_with_text (request, path, request->source->text);

      hir_document_replace_edit (self->document, renamed);
      request = hir_document_get_edit (self->document);
    }
  set_saved (self, request->source, path);
  go_on (self);
}

static void
on_overwrite (AdwMessageDialog *dialog, const char *response, gpointer user_data)
{
  HirWindow *self = user_data;

  if (g_str_equal (response, "overwrite"))
    write_text (self, get_file (self)->path);
  else
    stay (self);
}

static void
ask_to_overwrite (HirWindow *self)
{
  g_autofree char *name = g_path_get_basename (get_file (self)->path);
  GtkWidget *dialog = adw_message_dialog_new (GTK_WINDOW (self), NULL, NULL);

  adw_message_dialog_format_heading (ADW_MESSAGE_DIALOG (dialog), "%s was changed elsewhere", name);
  adw_message_dialog_set_body (ADW_MESSAGE_DIALOG (dialog),
                               "Another program has written to the file since it was opened here. "
                               "Saving now replaces what it wrote.");
  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "cancel", "_Cancel", "overwrite",
                                    "_Replace", NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "overwrite",
                                              ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  g_signal_connect (dialog, "response", G_CALLBACK (on_overwrite), self);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
on_chosen (GtkNativeDialog *dialog, int response, gpointer user_data)
{
  HirWindow *self = user_data;
  g_autoptr (GFile) file = NULL;
  g_autofree char *path = NULL;

  if (response == GTK_RESPONSE_ACCEPT)
    {
      file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
      path = g_file_get_path (file);
    }
  g_clear_object (&self->chooser);
  if (path != NULL)
    write_text (self, path);
  else
    stay (self);
}

void
hir_window_save_text_as (GtkWidget *widget, const char *action, GVariant *parameter)
{
  HirWindow *self = HIR_WINDOW (widget);
  HirRequest *request = hir_document_get_edit (self->document);
  g_autofree char *name = NULL;

  if (request == NULL)
    return;
  hir_script_text_flush (hir_text_pane_get_script (self->text));
  request = hir_document_get_edit (self->document);
  name = g_path_get_basename (request->source->path);
  g_clear_object (&self->chooser);
  self->chooser = gtk_file_chooser_native_new ("Save the Text", GTK_WINDOW (self),
                                               GTK_FILE_CHOOSER_ACTION_SAVE, "_Save", "_Cancel");
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (self->chooser), name);
  if (is_of_file (self, request) && get_file (self)->path != NULL)
    {
      g_autoptr (GFile) file = g_file_new_for_path (get_file (self)->path);

      gtk_file_chooser_set_file (GTK_FILE_CHOOSER (self->chooser), file, NULL);
    }
  g_signal_connect (self->chooser, "response", G_CALLBACK (on_chosen), self);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->chooser));
}

void
hir_window_save_text (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *self = HIR_WINDOW (widget);
  HirWindowFile *file = get_file (self);
  HirRequest *request;

  hir_script_text_flush (hir_text_pane_get_script (self->text));
  request = hir_document_get_edit (self->document);
  if (request == NULL)
    return;
  if (file->path == NULL || !is_of_file (self, request))
    hir_window_save_text_as (widget, NULL, NULL);
  else if (hir_script_file_differs (file->path, file->saved->text))
    ask_to_overwrite (self);
  else
    write_text (self, file->path);
}

void
hir_window_save_any (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *self = HIR_WINDOW (widget);

  if (hir_window_has_changes (self))
    hir_window_save_text (widget, NULL, NULL);
  else if (hir_document_get_trace (self->document) != NULL &&
           !hir_document_get_is_running (self->document))
    hir_window_save (widget, NULL, NULL);
  else
    hir_window_toast (self, "There is nothing to save: no text was changed, nothing recorded");
}

static void
on_answer (AdwMessageDialog *dialog, const char *response, gpointer user_data)
{
  HirWindow *self = user_data;

  if (g_str_equal (response, "save"))
    hir_window_save_text (GTK_WIDGET (self), NULL, NULL);
  else if (g_str_equal (response, "discard"))
    go_on (self);
  else
    stay (self);
}

static void
ask (HirWindow *self)
{
  HirRequest *request = hir_document_get_edit (self->document);
  g_autofree char *name = g_path_get_basename (request->source->path);
  GtkWidget *dialog = adw_message_dialog_new (GTK_WINDOW (self), NULL, NULL);

  adw_message_dialog_format_heading (ADW_MESSAGE_DIALOG (dialog), "Save the changes of %s?", name);
  adw_message_dialog_set_body (ADW_MESSAGE_DIALOG (dialog),
                               "What was changed in the text is in no file yet.");
  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "cancel", "_Cancel", "discard",
                                    "_Discard", "save", "_Save", NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "discard",
                                              ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "save",
                                              ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "save");
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  g_signal_connect (dialog, "response", G_CALLBACK (on_answer), self);
  gtk_window_present (GTK_WINDOW (dialog));
}

gboolean
hir_window_may_open (HirWindow *self, const char *spec)
{
  HirWindowFile *file = get_file (self);

  if (!hir_window_has_changes (self))
    return TRUE;
  g_free (file->opens);
  file->opens = g_strdup (spec);
  ask (self);
  return FALSE;
}

static gboolean
on_close_request (HirWindow *self)
{
  if (!hir_window_has_changes (self))
    return FALSE;
  get_file (self)->closes = TRUE;
  ask (self);
  return TRUE;
}

void
hir_window_save_connect (HirWindow *self)
{
  g_signal_connect (self, "close-request", G_CALLBACK (on_close_request), NULL);
}
