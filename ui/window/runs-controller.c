#include "window/runs-controller.h"

#include "document/document-edit.h"
#include "program/run-differences.h"
#include "stats/compare-window.h"
#include "window/outdated-strip.h"

/* What "Run Both and Compare" is doing. */
typedef enum
{
  BOTH_IDLE,
  BOTH_FIRST,  /* the earlier program runs again */
  BOTH_SECOND, /* the current program runs */
} BothState;

struct _HirRunsController
{
  HirWindow *window;        /* borrowed */
  HirRunEntry *deleted;     /* nullable: the last one */
  gboolean is_new_deletion; /* since the list was opened */
  AdwToast *undo_toast;     /* nullable: the offer to undo it */
  BothState both;
  guint first;    /* number of the earlier run */
  char *declined; /* nullable: the offer that was hidden */
  guint idle;
};

/* Two runs to compare, while they are read from disk. */
typedef struct
{
  HirWindow *window;
  guint numbers[2]; /* older one first */
} Pair;

static void
pair_free (Pair *pair)
{
  g_object_unref (pair->window);
  g_free (pair);
}

static HirRunHistory *
get_runs (HirWindow *window)
{
  return hir_document_get_runs (window->document);
}

static HirRunEntry *
find (HirWindow *window, GVariant *parameter)
{
  return hir_run_history_find (get_runs (window), g_variant_get_uint32 (parameter));
}

/* --- comparison --- */

/* Returns "Run 2 (2 streams)": the title with what differs from @other. */
static char *
dup_name (const HirRunEntry *entry, const HirRunEntry *other)
{
  g_autofree char *title = hir_run_entry_dup_long_title (entry);
  g_autofree char *differences =
      hir_run_dup_differences (entry->request, entry->has_settings ? &entry->settings : NULL,
                               other->request, other->has_settings ? &other->settings : NULL);

  return *differences != '\0' ? g_strdup_printf ("%s (%s)", title, differences)
                              : g_steal_pointer (&title);
}

static void
present_comparison (HirWindow *window, const HirRunEntry *a, const HirRunEntry *b)
{
  g_autofree char *name_a = dup_name (a, b);
  g_autofree char *name_b = dup_name (b, a);
  HirOpened *opened = g_new0 (HirOpened, 1);

  opened->program = hir_program_ref (b->program);
  opened->ranks = b->ranks != NULL ? hir_rank_programs_ref (b->ranks) : NULL;
  opened->trace = hir_trace_ref (b->trace);
  gtk_menu_button_popdown (window->run_list);
  gtk_window_present (
      GTK_WINDOW (hir_compare_window_new_of_runs (GTK_WINDOW (window), a->program, a->trace, name_a,
                                                  opened, name_b)));
}

static void compare_loaded (Pair *pair);

static void
on_loaded (GObject *source, GAsyncResult *result, gpointer user_data)
{
  /* The window has shown the error: signal `lost`. */
  if (hir_run_history_load_finish (HIR_RUN_HISTORY (source), result, NULL))
    compare_loaded (user_data);
  else
    pair_free (user_data);
}

/* Takes @pair. Reads the runs that are only on disk, one after the other. */
static void
compare_loaded (Pair *pair)
{
  HirRunHistory *runs = get_runs (pair->window);
  HirRunEntry *entries[2];

  for (guint i = 0; i < 2; i++)
    {
      entries[i] = hir_run_history_find (runs, pair->numbers[i]);
      if (entries[i] == NULL)
        {
          pair_free (pair);
          return;
        }
      if (entries[i]->trace == NULL)
        {
          hir_run_history_load_async (runs, entries[i], on_loaded, pair);
          return;
        }
    }
  present_comparison (pair->window, entries[0], entries[1]);
  hir_run_history_update (runs);
  pair_free (pair);
}

static void
compare (HirWindow *window, const HirRunEntry *one, const HirRunEntry *other)
{
  Pair *pair = g_new0 (Pair, 1);

  pair->window = g_object_ref (window);
  pair->numbers[0] = hir_run_entry_is_before (one, other) ? one->number : other->number;
  pair->numbers[1] = hir_run_entry_is_before (one, other) ? other->number : one->number;
  compare_loaded (pair);
}

/* Returns the newest run with events that is older than @later (nullable), or NULL. */
static HirRunEntry *
find_before (HirWindow *window, const HirRunEntry *later)
{
  HirRunHistory *runs = get_runs (window);

  for (guint i = hir_run_history_get_n (runs); i-- > 0;)
    {
      HirRunEntry *entry = hir_run_history_get (runs, i);

      if ((later == NULL || hir_run_entry_is_before (entry, later)) &&
          hir_run_entry_has_events (entry))
        return entry;
    }
  return NULL;
}

void
hir_window_compare_run (HirWindow *window, GVariant *parameter, int argument)
{
  HirRunEntry *entry = find (window, parameter);
  HirRunEntry *shown = hir_document_get_shown_run (window->document);

  if (shown == NULL || !hir_run_entry_has_events (shown))
    shown = find_before (window, NULL);
  if (entry != NULL && shown != NULL && entry != shown && hir_run_entry_has_events (entry))
    compare (window, entry, shown);
  else
    hir_window_toast (window, "Show another run first, to compare this one with it");
}

void
hir_window_compare_previous (HirWindow *window, GVariant *parameter, int argument)
{
  HirRunEntry *shown = hir_document_get_shown_run (window->document);
  HirRunEntry *before;

  if (shown == NULL || !hir_run_entry_has_events (shown))
    shown = find_before (window, NULL);
  before = shown != NULL ? find_before (window, shown) : NULL;
  if (before != NULL)
    compare (window, before, shown);
  else
    hir_window_toast (window, "No earlier run to compare with; change an option and run again");
}

/* --- list --- */

void
hir_window_show_runs (HirWindow *window, GVariant *parameter, int argument)
{
  gtk_menu_button_popup (window->run_list);
}

void
hir_window_show_run (HirWindow *window, GVariant *parameter, int argument)
{
  hir_script_text_flush (hir_text_pane_get_script (window->text));
  hir_text_pane_set_editing (window->text, FALSE);
  hir_document_show_run (window->document, g_variant_get_uint32 (parameter));
}

void
hir_window_leave_run (HirWindow *window, GVariant *parameter, int argument)
{
  hir_document_leave_run (window->document);
}

void
hir_window_rename_run (HirWindow *window, GVariant *parameter, int argument)
{
  HirRunEntry *entry;
  const char *name;
  guint number;

  g_variant_get (parameter, "(u&s)", &number, &name);
  entry = hir_run_history_find (get_runs (window), number);
  if (entry != NULL)
    hir_run_history_rename (get_runs (window), entry, name);
}

/* Offers to undo the last deletion, unless the list is open, which has a button for that: the first
 * click outside of the list only closes it. */
static void
offer_undo (HirRunsController *self)
{
  g_autofree char *title = NULL;
  g_autofree char *markup = NULL;
  AdwToast *toast;

  if (!hir_runs_controller_can_restore (self) ||
      gtk_widget_get_mapped (GTK_WIDGET (gtk_menu_button_get_popover (self->window->run_list))))
    return;
  title = hir_run_entry_dup_long_title (self->deleted);
  markup = g_markup_printf_escaped ("Deleted %s", title);
  toast = adw_toast_new (markup);
  adw_toast_set_timeout (toast, 10);
  adw_toast_set_button_label (toast, "Undo");
  adw_toast_set_action_name (toast, "win.run-restore");
  adw_toast_overlay_add_toast (self->window->toasts, g_object_ref (toast));
  g_set_object (&self->undo_toast, toast);
  g_object_unref (toast);
}

static void
on_list_closed (HirRunsController *self)
{
  if (self->is_new_deletion)
    offer_undo (self);
  self->is_new_deletion = FALSE;
}

void
hir_window_delete_run (HirWindow *window, GVariant *parameter, int argument)
{
  HirRunsController *self = window->runs;
  HirRunEntry *entry = find (window, parameter);

  if (entry == NULL || entry->verdict == HIR_RUN_RUNNING)
    return;
  g_clear_pointer (&self->deleted, hir_run_entry_unref);
  self->deleted = hir_run_entry_ref (entry);
  hir_document_delete_run (window->document, entry);
  self->is_new_deletion = TRUE;
  offer_undo (self);
}

void
hir_window_restore_run (HirWindow *window, GVariant *parameter, int argument)
{
  HirRunsController *self = window->runs;

  if (!hir_runs_controller_can_restore (self))
    return;
  if (self->undo_toast != NULL)
    adw_toast_dismiss (self->undo_toast);
  g_clear_object (&self->undo_toast);
  hir_document_restore_run (window->document, self->deleted);
}

gboolean
hir_runs_controller_can_restore (HirRunsController *self)
{
  return self != NULL && self->deleted != NULL &&
         hir_run_history_find (get_runs (self->window), self->deleted->number) == NULL;
}

/* --- Run Both and Compare --- */

/* Returns the newest finished run of the open script, or NULL. */
static HirRunEntry *
find_last_run (HirWindow *window, const HirRequest *request)
{
  HirRunHistory *runs = get_runs (window);

  for (guint i = hir_run_history_get_n (runs); i-- > 0;)
    {
      HirRunEntry *entry = hir_run_history_get (runs, i);

      if (!entry->is_kept && entry->kind == HIR_RUN_KIND_RUN && entry->verdict != HIR_RUN_RUNNING &&
          entry->verdict != HIR_RUN_FAILED && entry->verdict != HIR_RUN_STOPPED &&
          g_str_equal (entry->request->source->path, request->source->path))
        return entry;
    }
  return NULL;
}

/* Returns TRUE if the current program has run with @settings. */
static gboolean
has_run (HirWindow *window, const HirRequest *request, const HirRunSettings *settings)
{
  HirRunHistory *runs = get_runs (window);

  for (guint i = 0; i < hir_run_history_get_n (runs); i++)
    {
      const HirRunEntry *entry = hir_run_history_get (runs, i);
      g_autofree char *differences =
          hir_run_dup_differences (request, settings, request, &entry->settings);

      if (!entry->is_kept && entry->kind == HIR_RUN_KIND_RUN && *differences == '\0' &&
          !hir_document_is_earlier_run (window->document, entry))
        return TRUE;
    }
  return FALSE;
}

/* Returns the text of the offer (transfer full), or NULL if nothing has changed since the last
 * run. */
static char *
dup_offer (HirWindow *window, HirRunEntry **last)
{
  HirDocument *document = window->document;
  HirRequest *request = hir_document_get_request (document);
  g_auto (HirRunSettings) settings = { 0 };
  g_autofree char *all = NULL;
  g_autofree char *title = NULL;

  *last = NULL;
  if (!hir_window_in_workspace (window) || !hir_document_can_run (document) || request == NULL ||
      hir_document_shows_run (document))
    return NULL;
  *last = find_last_run (window, request);
  if (*last == NULL)
    return NULL;
  hir_run_controls_get_settings (&window->run_controls, &settings);
  if (has_run (window, request, &settings))
    return NULL;
  title = hir_run_entry_dup_title (*last);
  all = hir_run_dup_differences (request, &settings, (*last)->request, &(*last)->settings);
  return *all != '\0' ? g_strdup_printf ("Since %s: %s", title, all)
                      : g_strdup_printf ("Changed since %s", title);
}

static gboolean
on_idle (gpointer user_data)
{
  HirRunsController *self = user_data;
  HirRunEntry *last;
  g_autofree char *offer = dup_offer (self->window, &last);

  self->idle = 0;
  if (g_strcmp0 (offer, self->declined) != 0)
    g_clear_pointer (&self->declined, g_free);
  hir_outdated_strip_set_offer (self->window->outdated,
                                self->declined == NULL && self->both == BOTH_IDLE ? offer : NULL);
  return G_SOURCE_REMOVE;
}

static void
queue_offer (HirRunsController *self)
{
  if (self->idle == 0)
    self->idle = g_idle_add (on_idle, self);
}

static void
end_both (HirRunsController *self, const char *why)
{
  self->both = BOTH_IDLE;
  if (why != NULL)
    hir_window_toast (self->window, why);
  queue_offer (self);
}

static void
run_second (HirRunsController *self)
{
  g_auto (HirRunSettings) settings = { 0 };

  self->both = BOTH_SECOND;
  hir_run_controls_get_settings (&self->window->run_controls, &settings);
  hir_document_run (self->window->document, &settings);
  if (!hir_document_get_is_running (self->window->document))
    end_both (self, NULL);
}

static gboolean
on_run_second (gpointer user_data)
{
  HirWindow *window = user_data;

  if (window->runs != NULL && window->runs->both == BOTH_FIRST && window->document != NULL)
    run_second (window->runs);
  return G_SOURCE_REMOVE;
}

static void
on_run_finished (HirRunsController *self, const HirRunOutcome *outcome)
{
  HirRunEntry *newest = find_before (self->window, NULL);
  HirRunEntry *first;

  if (self->both == BOTH_IDLE)
    return;
  if (!outcome->is_done || newest == NULL)
    {
      end_both (self, "Nothing to compare: a run was not completed");
      return;
    }
  if (self->both == BOTH_FIRST)
    {
      self->first = newest->number;
      g_idle_add_full (G_PRIORITY_DEFAULT, on_run_second, g_object_ref (self->window),
                       g_object_unref);
      return;
    }
  end_both (self, NULL);
  first = hir_run_history_find (get_runs (self->window), self->first);
  if (first != NULL && first != newest)
    compare (self->window, first, newest);
}

static void
run_first (HirRunsController *self, HirRunEntry *last)
{
  /* The modelled clock gives the same times again. */
  if (last->settings.model_clock)
    {
      self->first = last->number;
      run_second (self);
      return;
    }
  self->both = BOTH_FIRST;
  hir_document_run_again (self->window->document, last);
  if (!hir_document_get_is_running (self->window->document))
    end_both (self, NULL);
}

static void
on_first_loaded (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HirWindow) window = user_data;
  HirRunEntry *last = NULL;
  g_autofree char *offer = NULL;

  if (hir_run_history_load_finish (HIR_RUN_HISTORY (source), result, NULL) &&
      window->runs != NULL && window->document != NULL)
    offer = dup_offer (window, &last);
  if (offer != NULL && last->program != NULL)
    run_first (window->runs, last);
}

void
hir_window_run_both (HirWindow *window, GVariant *parameter, int argument)
{
  HirRunEntry *last;
  g_autofree char *offer = dup_offer (window, &last);

  if (offer == NULL)
    hir_window_toast (window, "Nothing has changed since the last run");
  else
    hir_run_history_load_async (get_runs (window), last, on_first_loaded, g_object_ref (window));
}

void
hir_window_end_run_both (HirWindow *window, GVariant *parameter, int argument)
{
  HirRunsController *self = window->runs;
  HirRunEntry *last;

  g_free (self->declined);
  self->declined = dup_offer (window, &last);
  queue_offer (self);
}

/* --- closing --- */

char *
hir_runs_controller_dup_unsaved (HirRunsController *self)
{
  HirRunHistory *runs = get_runs (self->window);
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < hir_run_history_get_n (runs); i++)
    if (hir_run_entry_is_unsaved (hir_run_history_get (runs, i)))
      g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "",
                              hir_run_history_get (runs, i)->name);
  return g_string_free (names, names->len == 0);
}

/* Returns a path in @folder that does not exist yet. */
static char *
dup_free_path (const char *folder, const char *name)
{
  g_autofree char *base = g_strdelimit (g_strdup (name), "/\\", '-');
  char *path = g_strdup_printf ("%s/%s.hirs", folder, base);

  for (guint i = 2; g_file_test (path, G_FILE_TEST_EXISTS); i++)
    {
      g_free (path);
      path = g_strdup_printf ("%s/%s-%u.hirs", folder, base, i);
    }
  return path;
}

typedef struct
{
  HirWindow *window;
  char *folder;
} Saving;

static void save_next (Saving *saving);

static void
saving_free (Saving *saving)
{
  g_object_unref (saving->window);
  g_free (saving->folder);
  g_free (saving);
}

static void
on_saved (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Saving *saving = user_data;
  g_autoptr (GError) error = NULL;

  if (hir_run_history_save_finish (HIR_RUN_HISTORY (source), result, &error))
    {
      save_next (saving);
      return;
    }
  hir_window_alert (saving->window, "Could Not Save the Run", error->message);
  saving_free (saving);
}

/* Saves one run after the other, then closes the window. Takes @saving. */
static void
save_next (Saving *saving)
{
  HirRunHistory *runs = get_runs (saving->window);
  HirRunEntry *entry = hir_run_history_find_unsaved (runs);
  g_autofree char *path = NULL;

  if (entry == NULL)
    {
      gtk_window_close (GTK_WINDOW (saving->window));
      saving_free (saving);
      return;
    }
  path = dup_free_path (saving->folder, entry->name);
  hir_run_history_save_async (runs, entry, path, on_saved, saving);
}

static void
on_folder (GtkNativeDialog *dialog, int response, gpointer user_data)
{
  HirWindow *window = user_data;
  g_autofree char *folder = hir_window_take_chosen_path (window, response);
  Saving *saving;

  if (folder == NULL)
    return;
  saving = g_new0 (Saving, 1);
  saving->window = g_object_ref (window);
  saving->folder = g_steal_pointer (&folder);
  save_next (saving);
}

void
hir_runs_controller_save_and_close (HirRunsController *self)
{
  hir_window_create_chooser (self->window, "Save Pinned Runs In",
                             GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, "_Save", G_CALLBACK (on_folder),
                             self->window);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->window->chooser));
}

/* --- controller --- */

static void
update_restore (HirRunsController *self)
{
  gtk_widget_action_set_enabled (GTK_WIDGET (self->window), "win.run-restore",
                                 hir_runs_controller_can_restore (self));
}

HirRunsController *
hir_runs_controller_new (HirWindow *window)
{
  static const char *const signals[] = { "program-changed", "trace-changed", "state-changed",
                                         "edited" };
  HirRunsController *self = g_new0 (HirRunsController, 1);
  HirRunControls *controls = &window->run_controls;

  self->window = window;
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    g_signal_connect_swapped (window->document, signals[i], G_CALLBACK (queue_offer), self);
  g_signal_connect_swapped (window->document, "run-finished", G_CALLBACK (on_run_finished), self);
  g_signal_connect_swapped (controls->streams, "notify::selected", G_CALLBACK (queue_offer), self);
  g_signal_connect_swapped (controls->clock, "notify::selected", G_CALLBACK (queue_offer), self);
  g_signal_connect_swapped (controls->gpu, "toggled", G_CALLBACK (queue_offer), self);
  g_signal_connect_swapped (gtk_menu_button_get_popover (window->run_list), "closed",
                            G_CALLBACK (on_list_closed), self);
  g_signal_connect_swapped (get_runs (window), "changed", G_CALLBACK (update_restore), self);
  update_restore (self);
  g_signal_connect_object (get_runs (window), "lost", G_CALLBACK (hir_window_toast), window,
                           G_CONNECT_SWAPPED);
  return self;
}

void
hir_runs_controller_free (HirRunsController *self)
{
  HirRunControls *controls = &self->window->run_controls;

  GtkPopover *list = gtk_menu_button_get_popover (self->window->run_list);

  if (list != NULL)
    g_signal_handlers_disconnect_by_data (list, self);
  g_signal_handlers_disconnect_by_data (get_runs (self->window), self);
  g_signal_handlers_disconnect_by_data (self->window->document, self);
  g_signal_handlers_disconnect_by_data (controls->streams, self);
  g_signal_handlers_disconnect_by_data (controls->clock, self);
  g_signal_handlers_disconnect_by_data (controls->gpu, self);
  g_clear_pointer (&self->deleted, hir_run_entry_unref);
  g_clear_object (&self->undo_toast);
  g_clear_handle_id (&self->idle, g_source_remove);
  g_free (self->declined);
  g_free (self);
}
