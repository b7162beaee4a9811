#include "window/window-open.h"

#include "base/opened-memory.h"
#include "base/recent.h"
#include "trace/load/import.h"
#include "window/text-file-controller.h"

static void
begin (HirWindow *self)
{
  g_autoptr (HirTraceRules) rules = hir_window_dup_rules (self);

  hir_document_set_rules (self->document, rules);
  self->has_shown_program = FALSE;
  hir_window_leave_draft (self);
  hir_text_pane_set_editing (self->text, FALSE);
  g_clear_pointer (&self->opening_path, g_free);
}

static void
restore_options (const char *path, HirRequest *request)
{
  HirDocumentMemory *memory = hir_opened_memory_new ();

  hir_opened_memory_restore (memory, path, request);
  hir_document_memory_free (memory);
}

static void
open_spec (HirWindow *self, const char *spec, gboolean restores)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HirRequest) request = NULL;

  if (!hir_window_may_open (self, spec))
    return;
  begin (self);
  if (g_str_has_suffix (spec, ".hirs") || hir_trace_sniff (spec))
    {
      hir_document_open_recording (self->document, spec);
    }
  else
    {
      request = self->host->open (spec, self->host->user_data, &error);
      if (request == NULL)
        {
          hir_window_alert (self, "Cannot Open This", error->message);
          return;
        }
      /* The path of an example is not a file. */
      if (!g_str_has_prefix (spec, "example:") && g_path_is_absolute (request->source->path))
        self->opening_path = g_strdup (request->source->path);
      else if (!g_str_has_prefix (spec, "example:") &&
               g_file_test (request->source->path, G_FILE_TEST_EXISTS))
        self->opening_path = g_canonicalize_filename (request->source->path, NULL);
      if (self->opening_path != NULL && restores)
        restore_options (self->opening_path, request);
      hir_document_open (self->document, request);
    }
  hir_recent_add (self->opening_path != NULL ? self->opening_path : spec);
}

void
hir_window_open (HirWindow *self, const char *spec)
{
  open_spec (self, spec, FALSE);
}

void
hir_window_reopen (HirWindow *self, const char *spec)
{
  open_spec (self, spec, TRUE);
}

HirWindow *
hir_window_new_beside (HirWindow *self)
{
  HirWindow *other = NULL;

  g_signal_emit_by_name (self, "new-window", &other);
  g_object_unref (other); /* the application holds a reference */
  return other;
}

/* Opens @request for editing, without asking about changes. */
static void
open_request (HirWindow *self, HirRequest *request)
{
  begin (self);
  self->edits_when_shown = TRUE;
  hir_document_open (self->document, request);
}

HirWindow *
hir_window_open_copy (HirWindow *self, HirRequest *request, const char *what)
{
  HirWindow *copy = hir_window_new_beside (self);

  open_request (copy, request);
  hir_window_toast (copy, what);
  return copy;
}

void
hir_window_restore_draft (HirWindow *self, GVariant *parameter, int argument)
{
  g_autofree char *path = hir_window_dup_draft_file (self);
  g_autoptr (HirRequest) request = path == NULL ? hir_window_begin_restoring (self) : NULL;

  if (path != NULL)
    {
      hir_window_reopen (self, path);
      hir_window_restore_when_opened (self);
    }
  else if (request != NULL)
    open_request (self, request);
}

void
hir_window_open_ranks (HirWindow *self, const char *const *paths)
{
  if (!hir_window_may_open (self, paths[0]))
    return;
  begin (self);
  hir_document_open_recordings (self->document, paths);
}

void
hir_window_open_paths (HirWindow *self, const char *const *paths)
{
  if (paths[1] != NULL)
    hir_window_open_ranks (self, paths);
  else
    hir_window_reopen (self, paths[0]);
}

void
hir_window_open_path (HirWindow *self, GVariant *parameter, int argument)
{
  hir_window_reopen (self, g_variant_get_string (parameter, NULL));
}

static void
on_open_response (GtkNativeDialog *dialog, int response, gpointer user_data)
{
  HirWindow *self = user_data;
  g_auto (GStrv) paths = hir_window_take_chosen_paths (self, response);

  if (paths[0] != NULL)
    hir_window_open_paths (self, (const char *const *) paths);
  else if (response == GTK_RESPONSE_ACCEPT)
    hir_window_alert (self, "Cannot Open This", "The location is not a local file.");
}

void
hir_window_choose_file (HirWindow *self, GVariant *parameter, int argument)
{
  static const char *const patterns[] = {
    "*.py", "*.hirs", "*.json", "*.json.gz", "*.sqlite", NULL
  };
  GtkFileChooser *chooser =
      hir_window_create_chooser (self, "Open a Script or a Recording", GTK_FILE_CHOOSER_ACTION_OPEN,
                                 "_Open", G_CALLBACK (on_open_response), self);

  gtk_file_chooser_set_select_multiple (chooser, TRUE);
  hir_window_show_open_chooser (self, "Scripts and traces", patterns);
}
