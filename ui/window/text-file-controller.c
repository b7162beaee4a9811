#include "window/text-file-controller.h"

#include "base/file-watch.h"
#include "base/opened-memory.h"
#include "base/recent.h"
#include "document/document-edit.h"
#include "document/draft.h"
#include "program/request-edit.h"
#include "program/script-file.h"
#include "text/buffer-text.h"
#include "text/draft-strip.h"
#include "text/offer-strip.h"
#include "window/export-controller.h"
#include "window/runs-controller.h"

#define DRAFT_DELAY_MS 500

struct _HirTextFileController
{
  HirDocumentMemory *memory;
  HirSource *saved;         /* nullable: the text as it was opened or saved last */
  char *path;               /* nullable: the file of saved */
  char *base;               /* nullable: what restored changes were made to, if not to saved */
  gboolean closes;          /* close the window after saving */
  gboolean discards_runs;   /* the user has agreed to lose the pinned runs */
  char *opens;              /* nullable: what to open after saving */
  HirDraft *draft;          /* of the changes */
  guint storing;            /* timeout that stores the draft; 0: none */
  HirLeftDraft *left;       /* nullable: the draft of an earlier session that is offered */
  gboolean restores;        /* left is being opened */
  GtkWidget *draft_strip;   /* borrowed: offers left */
  HirFileWatch *watch;      /* of path */
  GtkWidget *changed_strip; /* borrowed: asks which text to keep */
};

static gboolean is_changed (HirWindow *self);
static gboolean is_of_file (HirWindow *self, const HirRequest *request);

/* Stores the changes, so that they survive a crash. Deletes the draft if there are none. */
static gboolean
store_draft (gpointer user_data)
{
  HirWindow *self = user_data;
  HirTextFileController *file = self->text_file;
  HirRequest *request = is_changed (self) ? hir_document_get_edit (self->document) : NULL;
  gboolean has_base = request != NULL && is_of_file (self, request);

  g_clear_handle_id (&file->storing, g_source_remove);
  hir_draft_set (file->draft, request, has_base ? file->path : NULL,
                 !has_base            ? NULL
                 : file->base != NULL ? file->base
                                      : file->saved->text);
  return G_SOURCE_REMOVE;
}

static void
queue_draft (HirWindow *self)
{
  HirTextFileController *file = self->text_file;

  if (!is_changed (self))
    store_draft (self);
  else if (file->storing == 0)
    file->storing = g_timeout_add (DRAFT_DELAY_MS, store_draft, self);
}

/* Offers @left (taken, nullable) instead of the draft that was offered before. */
static void
offer (HirTextFileController *file, HirLeftDraft *left)
{
  g_clear_pointer (&file->left, hir_left_draft_free);
  file->left = left;
  hir_draft_strip_set (file->draft_strip, left);
}

static void
set_saved (HirWindow *self, HirSource *source, const char *path)
{
  HirTextFileController *file = self->text_file;
  char *copy = g_strdup (path);

  if (source != NULL)
    hir_source_ref (source);
  g_clear_pointer (&file->saved, hir_source_unref);
  g_clear_pointer (&file->base, g_free);
  file->saved = source;
  g_free (file->path);
  file->path = copy;
  if (hir_file_watch_set_path (file->watch, source != NULL ? copy : NULL))
    hir_offer_strip_set (file->changed_strip, NULL);
  hir_window_show_title (self);
}

/* Sets @text as that of the file. */
static void
set_saved_text (HirWindow *self, const char *text)
{
  HirTextFileController *file = self->text_file;
  g_autoptr (HirSource) source = hir_source_new (file->saved->path, text, -1);

  set_saved (self, source, file->path);
}

/* The changes of the offered draft are those of this window now. */
static void
end_restoring (HirWindow *self)
{
  HirTextFileController *file = self->text_file;

  file->restores = FALSE;
  store_draft (self);
  hir_left_draft_delete (file->left);
  offer (file, NULL);
}

static gboolean
restore_now (gpointer user_data)
{
  gtk_widget_activate_action (user_data, "win.draft-restore", NULL);
  return G_SOURCE_REMOVE;
}

/* Returns the newest draft of an ended session for the open text, or of all if none is open. */
static HirLeftDraft *
find_left (HirWindow *self)
{
  HirRequest *request = hir_document_get_edit (self->document);
  const char *path = self->text_file->path;

  return hir_left_draft_find (NULL, path, request != NULL ? request->source : NULL);
}

void
hir_window_begin_text (HirWindow *self, const char *path)
{
  HirTextFileController *file = self->text_file;
  HirRequest *request = hir_document_get_edit (self->document);
  HirLeftDraft *left;

  set_saved (self, request != NULL ? request->source : NULL, path);
  if (file->restores && file->left != NULL && file->left->file == NULL && request != NULL)
    {
      if (file->left->base != NULL)
        {
          g_idle_add_full (G_PRIORITY_DEFAULT, restore_now, g_object_ref (self), g_object_unref);
          return;
        }
      set_saved_text (self, ""); /* It is still unsaved. */
      end_restoring (self);
      return;
    }
  left = request != NULL ? find_left (self) : NULL;
  if (left != NULL && g_str_equal (left->request->source->text, request->source->text))
    {
      hir_left_draft_delete (left);
      g_clear_pointer (&left, hir_left_draft_free);
    }
  offer (file, left);
  if (file->restores && left != NULL)
    g_idle_add_full (G_PRIORITY_DEFAULT, restore_now, g_object_ref (self), g_object_unref);
  file->restores = FALSE;
}

void
hir_window_leave_draft (HirWindow *self)
{
  if (!self->text_file->restores)
    offer (self->text_file, NULL);
}

char *
hir_window_dup_draft_file (HirWindow *self)
{
  const HirTextFileController *file = self->text_file;
  const char *path = file->left != NULL ? file->left->file : NULL;

  if (path == NULL || g_strcmp0 (path, file->path) == 0 || !g_file_test (path, G_FILE_TEST_EXISTS))
    return NULL;
  return g_strdup (path);
}

void
hir_window_restore_when_opened (HirWindow *self)
{
  self->text_file->restores = TRUE;
}

/* Returns whether the text that @left changes is open. */
static gboolean
has_base_open (HirWindow *self, const HirLeftDraft *left)
{
  HirRequest *edit = hir_document_get_edit (self->document);

  if (left->file != NULL)
    return TRUE;
  return left->base != NULL && edit != NULL && g_str_equal (edit->source->text, left->base) &&
         g_str_equal (edit->source->path, left->request->source->path);
}

HirRequest *
hir_window_begin_restoring (HirWindow *self)
{
  HirTextFileController *file = self->text_file;
  g_autoptr (HirRequest) changed = NULL;
  HirRequest *edit;
  const char *text;
  guint line;

  if (file->left == NULL)
    return NULL;
  file->restores = TRUE;
  /* The file may have been deleted. */
  if (g_strcmp0 (file->left->file, file->path) != 0)
    g_clear_pointer (&file->left->file, g_free);
  if (!has_base_open (self, file->left))
    return hir_request_with_text (file->left->request, NULL,
                                  file->left->base != NULL ? file->left->base
                                                           : file->left->request->source->text);
  hir_script_text_flush (hir_text_pane_get_script (self->text));
  edit = hir_document_get_edit (self->document);
  text = file->left->request->source->text;
  line = hir_text_find_change (edit->source->text, text);
  changed = hir_request_with_text (edit, NULL, text);
  hir_document_edit (self->document, changed, "Restored changes");
  /* Saving asks if the file has changed since. */
  if (g_strcmp0 (file->left->base, file->saved->text) != 0)
    file->base = g_strdup (file->left->base);
  hir_text_pane_go_to (self->text, line);
  end_restoring (self);
  return NULL;
}

void
hir_window_discard_draft (HirWindow *self, GVariant *parameter, int argument)
{
  HirTextFileController *file = self->text_file;

  if (file->left == NULL)
    return;
  file->restores = FALSE;
  hir_left_draft_delete (file->left);
  offer (file, find_left (self));
}

void
hir_window_offer_next_draft (HirWindow *self, GVariant *parameter, int argument)
{
  HirTextFileController *file = self->text_file;

  if (file->left != NULL)
    offer (file, hir_left_draft_find_next (NULL, file->left));
}

GtkWidget *
hir_text_file_controller_get_draft_strip (HirTextFileController *self)
{
  return self->draft_strip;
}

GtkWidget *
hir_text_file_controller_get_changed_strip (HirTextFileController *self)
{
  return self->changed_strip;
}

/* Returns whether @request has the text that was opened. A copy of a printed program is a different
 * text. */
static gboolean
is_of_file (HirWindow *self, const HirRequest *request)
{
  const HirTextFileController *file = self->text_file;

  return file->saved != NULL && g_str_equal (file->saved->path, request->source->path);
}

void
hir_window_keep_opened (HirWindow *self)
{
  HirRequest *request = hir_document_get_edit (self->document);
  const HirTextFileController *file = self->text_file;

  if (request != NULL && file->path != NULL && is_of_file (self, request))
    hir_opened_memory_keep (file->memory, file->path, request);
}

static gboolean
is_changed (HirWindow *self)
{
  HirRequest *request = hir_document_get_edit (self->document);
  const HirTextFileController *file = self->text_file;

  return request != NULL && file->saved != NULL &&
         (!is_of_file (self, request) || !g_str_equal (file->saved->text, request->source->text));
}

static gboolean
has_changes (HirWindow *self)
{
  hir_script_text_flush (hir_text_pane_get_script (self->text));
  return is_changed (self);
}

void
hir_window_answer_changed_file (HirWindow *self, GVariant *parameter, int argument)
{
  HirTextFileController *file = self->text_file;
  g_autoptr (GError) error = NULL;
  g_autoptr (HirSource) theirs = NULL;

  if (file->path == NULL || file->saved == NULL)
    return;
  hir_offer_strip_set (file->changed_strip, NULL);
  theirs = hir_script_file_load (file->path, &error);
  if (theirs == NULL)
    {
      hir_window_alert (self, "Could Not Read the File", error->message);
      return;
    }
  if (argument)
    {
      g_autofree char *name = g_path_get_basename (file->path);
      g_autofree char *what = g_strdup_printf ("%s changed on disk", name);
      g_autoptr (HirRequest) request =
          hir_request_with_text (hir_document_get_edit (self->document), file->saved->path,
                                 theirs->text);

      hir_document_edit (self->document, request, what);
    }
  set_saved_text (self, theirs->text);
}

/* Another program has changed the file. */
static void
on_file_changed (gpointer user_data)
{
  HirWindow *self = user_data;
  HirTextFileController *file = self->text_file;
  g_autoptr (HirSource) theirs = hir_script_file_load (file->path, NULL);
  g_autofree char *name = g_path_get_basename (file->path);
  g_autofree char *text = g_strdup_printf ("%s was changed by another program", name);

  if (theirs == NULL) /* It was deleted, or is being replaced. */
    return;
  if (g_str_equal (theirs->text, file->saved->text))
    hir_offer_strip_set (file->changed_strip, NULL);
  else if (has_changes (self))
    hir_offer_strip_set (file->changed_strip, text);
  else
    hir_window_answer_changed_file (self, NULL, TRUE);
}

/* Sets the title for lists of windows: "layer - two.py - Hirscope". */
static void
name_for_system (HirWindow *self)
{
  const char *title = adw_window_title_get_title (self->title);
  const char *subtitle = adw_window_title_get_subtitle (self->title);
  g_autofree char *text = subtitle != NULL && *subtitle != '\0'
                              ? g_strdup_printf ("%s - %s - Hirscope", title, subtitle)
                              : g_strdup (title);

  gtk_window_set_title (GTK_WINDOW (self), text);
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
  name_for_system (self);
  queue_draft (self);
}

static gboolean
close_now (gpointer user_data)
{
  gtk_window_close (user_data);
  return G_SOURCE_REMOVE;
}

/* Executes what the user requested before saving. Closes the window in an idle callback, because
 * the caller can be a dialog of the window. */
static void
resume (HirWindow *self)
{
  HirTextFileController *file = self->text_file;
  g_autofree char *spec = g_steal_pointer (&file->opens);
  gboolean closes = file->closes;
  HirRunHistory *runs = hir_document_get_runs (self->document);

  file->closes = FALSE;
  if (closes || spec != NULL)
    set_saved (self, NULL, NULL); /* do not ask again */
  if (closes && !file->discards_runs && hir_run_history_find_unsaved (runs) != NULL)
    hir_runs_controller_save_and_close (self->runs);
  else if (closes)
    g_idle_add_full (G_PRIORITY_DEFAULT, close_now, g_object_ref (self), g_object_unref);
  else if (spec != NULL)
    gtk_widget_activate_action (GTK_WIDGET (self), "win.open-path", "s", spec);
}

static void
cancel_pending (HirWindow *self)
{
  HirTextFileController *file = self->text_file;

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
  g_autofree char *before = g_canonicalize_filename (request->source->path, NULL);

  if (!hir_script_file_save (path, request->source->text, &error))
    {
      cancel_pending (self);
      hir_window_alert (self, "Could Not Save the Text", error->message);
      return;
    }
  hir_window_toast (self, text);
  /* The path of an example is not a file. */
  if (!g_str_equal (path, before) || self->text_file->path == NULL)
    hir_document_rename_edit (self->document, path);
  set_saved (self, hir_document_get_edit (self->document)->source, path);
  hir_window_keep_opened (self);
  hir_recent_add (path);
  resume (self);
}

static void
on_overwrite (AdwMessageDialog *dialog, const char *response, gpointer user_data)
{
  HirWindow *self = user_data;

  if (g_str_equal (response, "overwrite"))
    write_text (self, self->text_file->path);
  else
    cancel_pending (self);
}

static void
ask_to_overwrite (HirWindow *self)
{
  g_autofree char *name = g_path_get_basename (self->text_file->path);
  GtkWidget *dialog = adw_message_dialog_new (GTK_WINDOW (self), NULL, NULL);

  adw_message_dialog_format_heading (ADW_MESSAGE_DIALOG (dialog), "Replace %s?", name);
  adw_message_dialog_set_body (
      ADW_MESSAGE_DIALOG (dialog),
      self->text_file->base != NULL
          ? "The restored changes were made to another text than the file has now. Saving replaces "
            "the text of the file."
          : "Another program has changed the file since it was opened. Saving replaces these "
            "changes.");
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
  g_autofree char *path = hir_window_take_chosen_path (self, response);

  if (path != NULL)
    write_text (self, path);
  else
    cancel_pending (self);
}

void
hir_window_save_text_as (HirWindow *self, GVariant *parameter, int argument)
{
  HirRequest *request = hir_document_get_edit (self->document);
  g_autofree char *name = NULL;
  GtkFileChooser *chooser;

  if (request == NULL)
    return;
  hir_script_text_flush (hir_text_pane_get_script (self->text));
  request = hir_document_get_edit (self->document);
  name = g_path_get_basename (request->source->path);
  chooser = hir_window_create_chooser (self, "Save Text", GTK_FILE_CHOOSER_ACTION_SAVE, "_Save",
                                       G_CALLBACK (on_chosen), self);
  gtk_file_chooser_set_current_name (chooser, name);
  if (is_of_file (self, request) && self->text_file->path != NULL)
    {
      g_autoptr (GFile) file = g_file_new_for_path (self->text_file->path);

      gtk_file_chooser_set_file (chooser, file, NULL);
    }
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (chooser));
}

void
hir_window_save_text (HirWindow *self, GVariant *parameter, int argument)
{
  HirTextFileController *file = self->text_file;
  HirRequest *request;

  hir_script_text_flush (hir_text_pane_get_script (self->text));
  request = hir_document_get_edit (self->document);
  if (request == NULL)
    return;
  if (file->path == NULL || !is_of_file (self, request))
    hir_window_save_text_as (self, NULL, 0);
  else if (file->base != NULL || hir_script_file_differs (file->path, file->saved->text))
    ask_to_overwrite (self);
  else
    write_text (self, file->path);
}

void
hir_window_save_any (HirWindow *self, GVariant *parameter, int argument)
{
  if (has_changes (self))
    hir_window_save_text (self, NULL, 0);
  else if (hir_document_get_edit (self->document) != NULL)
    hir_document_set_status (self->document, g_strdup ("No changes to save"));
  else if (hir_document_get_trace (self->document) != NULL &&
           !hir_document_get_is_running (self->document))
    hir_window_save (self, NULL, 0);
  else
    hir_window_toast (self, "Nothing to save");
}

static void
on_answer (AdwMessageDialog *dialog, const char *response, gpointer user_data)
{
  HirWindow *self = user_data;

  if (g_str_equal (response, "save") && has_changes (self))
    hir_window_save_text (self, NULL, 0);
  else if (g_str_equal (response, "save"))
    resume (self);
  else if (g_str_equal (response, "discard"))
    {
      self->text_file->discards_runs = self->text_file->closes;
      resume (self);
    }
  else
    cancel_pending (self);
}

/* Asks once about everything that would be lost: the text and, if the window closes, the pinned
 * runs. */
static void
ask (HirWindow *self)
{
  HirRequest *request = hir_document_get_edit (self->document);
  g_autofree char *runs =
      self->text_file->closes ? hir_runs_controller_dup_unsaved (self->runs) : NULL;
  g_autofree char *body = NULL;
  GtkWidget *dialog = adw_message_dialog_new (GTK_WINDOW (self), NULL, NULL);

  if (is_changed (self))
    {
      g_autofree char *name = g_path_get_basename (request->source->path);

      adw_message_dialog_format_heading (ADW_MESSAGE_DIALOG (dialog), "Save Changes to %s?", name);
      body = runs != NULL ? g_strdup_printf ("Changes that you discard are lost. So are the pinned "
                                             "runs: %s.",
                                             runs)
                          : g_strdup ("Changes that you discard are lost.");
    }
  else
    {
      adw_message_dialog_set_heading (ADW_MESSAGE_DIALOG (dialog), "Save Pinned Runs?");
      body = g_strdup_printf ("Runs that you discard are lost: %s.", runs);
    }
  adw_message_dialog_set_body (ADW_MESSAGE_DIALOG (dialog), body);
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
  HirTextFileController *file = self->text_file;

  file->restores = FALSE;
  if (!has_changes (self))
    return TRUE;
  g_free (file->opens);
  file->opens = g_strdup (spec);
  ask (self);
  return FALSE;
}

static gboolean
on_close_request (HirWindow *self)
{
  gboolean has_runs = !self->text_file->discards_runs &&
                      hir_run_history_find_unsaved (hir_document_get_runs (self->document)) != NULL;

  if (!has_changes (self) && !has_runs)
    return FALSE;
  self->text_file->closes = TRUE;
  ask (self);
  return TRUE;
}

static GtkWidget *
create_changed_strip (void)
{
  static const HirOfferButton buttons[] = {
    { "Reload", "win.file-reload", "Replace your text by that of the file (Ctrl+Z undoes it)" },
    { "Keep Mine", "win.file-keep", "Continue with your text; saving replaces the file" },
  };

  return hir_offer_strip_new (buttons, G_N_ELEMENTS (buttons));
}

HirTextFileController *
hir_text_file_controller_new (HirWindow *window)
{
  HirTextFileController *self = g_new0 (HirTextFileController, 1);

  self->draft = hir_draft_new (NULL);
  self->draft_strip = hir_draft_strip_new ();
  self->changed_strip = create_changed_strip ();
  self->watch = hir_file_watch_new (on_file_changed, window);
  offer (self, hir_left_draft_find (NULL, NULL, NULL));
  self->memory = hir_opened_memory_new ();
  g_signal_connect (window, "close-request", G_CALLBACK (on_close_request), NULL);
  return self;
}

void
hir_text_file_controller_free (HirTextFileController *self)
{
  g_clear_handle_id (&self->storing, g_source_remove);
  hir_file_watch_free (self->watch);
  hir_draft_free (self->draft);
  g_clear_pointer (&self->left, hir_left_draft_free);
  hir_document_memory_free (self->memory);
  g_clear_pointer (&self->saved, hir_source_unref);
  g_free (self->path);
  g_free (self->base);
  g_free (self->opens);
  g_free (self);
}
