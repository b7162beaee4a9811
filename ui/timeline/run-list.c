#include "timeline/run-list.h"

#include <adwaita.h>

#include "base/focus.h"
#include "base/names.h"
#include "base/undo-keys.h"
#include "document/document-edit.h"
#include "document/run-kept.h"
#include "program/program-inputs.h"
#include "program/run-command.h"
#include "trace/duration.h"

#define WIDTH 520
#define MAX_HEIGHT 380

typedef struct
{
  HirDocument *document; /* borrowed */
  GtkMenuButton *button;
  GtkListBox *list;
  GtkWidget *empty;
  GtkWidget *compare;
  GtkWidget *delete_kept; /* visible if a run of an earlier session is listed */
  char *key;              /* nullable: of the document whose earlier runs were listed */
  guint idle;
} RunList;

static guint
get_number (gpointer widget)
{
  return GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (widget), "hir-run"));
}

static void
set_number (gpointer widget, guint number)
{
  g_object_set_data (G_OBJECT (widget), "hir-run", GUINT_TO_POINTER (number));
}

static void
on_row (GtkListBox *list, GtkListBoxRow *row)
{
  gtk_widget_activate_action (GTK_WIDGET (list), "win.run-show", "u", get_number (row));
}

static void
on_compare (GtkWidget *button)
{
  gtk_widget_activate_action (button, "win.run-compare", "u", get_number (button));
}

static void
on_delete (GtkWidget *button)
{
  gtk_widget_activate_action (button, "win.run-delete", "u", get_number (button));
}

/* Replaces the title by an entry for the name. */
static void
begin_name (GtkWidget *row)
{
  GtkWidget *stack = g_object_get_data (G_OBJECT (row), "hir-stack");
  GtkWidget *entry = gtk_stack_get_child_by_name (GTK_STACK (stack), "entry");

  gtk_stack_set_visible_child_name (GTK_STACK (stack), "entry");
  gtk_widget_grab_focus (entry);
  gtk_editable_select_region (GTK_EDITABLE (entry), 0, -1);
}

static void
end_name (GtkWidget *row)
{
  GtkWidget *stack = g_object_get_data (G_OBJECT (row), "hir-stack");

  gtk_widget_grab_focus (row);
  gtk_stack_set_visible_child_name (GTK_STACK (stack), "title");
}

static void
rename_run (GtkWidget *row, const char *name)
{
  gtk_widget_activate_action (row, "win.run-rename", "(us)", get_number (row), name);
}

static void
on_name (GtkEntry *entry, GtkWidget *row)
{
  g_autofree char *name = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (entry))));

  end_name (row);
  rename_run (row, name);
}

static gboolean
on_entry_key (GtkEventControllerKey *controller,
              guint keyval,
              guint keycode,
              GdkModifierType state,
              gpointer row)
{
  if (keyval != GDK_KEY_Escape)
    return FALSE;
  end_name (row);
  return TRUE;
}

static void
on_pin (GtkToggleButton *button, GtkWidget *row)
{
  if (gtk_toggle_button_get_active (button))
    begin_name (row);
  else
    rename_run (row, "");
}

static gboolean
on_row_key (GtkEventControllerKey *controller,
            guint keyval,
            guint keycode,
            GdkModifierType state,
            gpointer user_data)
{
  GtkWidget *row = user_data;
  GtkWidget *focus = gtk_root_get_focus (gtk_widget_get_root (row));

  if ((state & gtk_accelerator_get_default_mod_mask ()) != 0 || focus == NULL ||
      GTK_IS_EDITABLE (focus))
    return FALSE;
  switch (keyval)
    {
    case GDK_KEY_c:
      on_compare (row);
      return TRUE;
    case GDK_KEY_Delete:
      on_delete (row);
      return TRUE;
    case GDK_KEY_F2:
    case GDK_KEY_p:
      begin_name (row);
      return TRUE;
    default:
      return FALSE;
    }
}

static GtkWidget *
create_label (const char *text, const char *css_class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  if (css_class != NULL)
    gtk_widget_add_css_class (label, css_class);
  return label;
}

static GtkWidget *
create_button (GtkWidget *button, const char *tooltip, guint number)
{
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  set_number (button, number);
  return button;
}

/* The title, and the entry that replaces it while the user types a name. */
static GtkWidget *
create_title (const HirRunEntry *entry, GtkWidget *row)
{
  g_autofree char *text = hir_run_entry_dup_title (entry);
  GtkWidget *stack = gtk_stack_new ();
  GtkWidget *name = gtk_entry_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();

  gtk_editable_set_text (GTK_EDITABLE (name), text);
  gtk_entry_set_max_length (GTK_ENTRY (name), 80);
  gtk_widget_set_tooltip_text (name, "Name of the pinned run; empty to unpin it");
  g_signal_connect (name, "activate", G_CALLBACK (on_name), row);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_entry_key), row);
  gtk_widget_add_controller (name, keys);
  gtk_stack_add_named (GTK_STACK (stack), create_label (text, entry->name ? "heading" : NULL),
                       "title");
  gtk_stack_add_named (GTK_STACK (stack), name, "entry");
  gtk_widget_set_hexpand (stack, TRUE);
  g_object_set_data (G_OBJECT (row), "hir-stack", stack);
  return stack;
}

static GtkWidget *
create_facts (const HirRunEntry *entry)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  g_autoptr (GDateTime) start = g_date_time_new_from_unix_local (entry->start_us / G_USEC_PER_SEC);
  g_autofree char *when = start != NULL
                              ? g_date_time_format (start, entry->is_kept ? "%e %b %H:%M" : "%T")
                              : g_strdup ("");
  g_autofree char *day = start != NULL ? g_date_time_format (start, "%F %T") : NULL;
  g_autofree char *total = hir_format_duration (entry->total_ns);
  GtkWidget *verdict = create_label (hir_run_verdict_get_text (entry->verdict), "run-verdict");
  GtkWidget *time = create_label (when, "dim-label");
  GtkWidget *length =
      create_label (hir_run_entry_has_events (entry) ? total : "\342\200\223", "numeric");

  gtk_widget_set_tooltip_text (time, day);
  gtk_widget_set_tooltip_text (length, "From the first to the last event");
  gtk_label_set_width_chars (GTK_LABEL (length), 9);
  gtk_label_set_xalign (GTK_LABEL (length), 1);
  gtk_label_set_width_chars (GTK_LABEL (verdict), 9);
  if (entry->verdict == HIR_RUN_INCORRECT || entry->verdict == HIR_RUN_FAILED)
    gtk_widget_add_css_class (verdict, "error");
  gtk_widget_add_css_class (time, "numeric");
  gtk_box_append (GTK_BOX (box), time);
  gtk_box_append (GTK_BOX (box), length);
  gtk_box_append (GTK_BOX (box), verdict);
  return box;
}

static void
add_buttons (GtkWidget *box, RunList *self, HirRunEntry *entry, GtkWidget *row)
{
  GtkWidget *pin = gtk_toggle_button_new ();
  GtkWidget *compare = create_button (gtk_button_new_from_icon_name ("view-dual-symbolic"),
                                      "Compare with the displayed run (c)", entry->number);
  GtkWidget *remove = create_button (gtk_button_new_from_icon_name ("user-trash-symbolic"),
                                     "Delete this run (Delete)", entry->number);

  gtk_button_set_icon_name (GTK_BUTTON (pin), "view-pin-symbolic");
  create_button (pin, entry->name != NULL ? "Unpin; F2 renames" : "Pin under a name (p)",
                 entry->number);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (pin), entry->name != NULL);
  g_signal_connect (pin, "toggled", G_CALLBACK (on_pin), row);
  g_signal_connect (compare, "clicked", G_CALLBACK (on_compare), NULL);
  g_signal_connect (remove, "clicked", G_CALLBACK (on_delete), NULL);
  gtk_widget_set_sensitive (compare, hir_run_entry_has_events (entry) &&
                                         entry != hir_document_get_shown_run (self->document));
  gtk_widget_set_sensitive (remove, entry->verdict != HIR_RUN_RUNNING);
  gtk_box_append (GTK_BOX (box), compare);
  gtk_box_append (GTK_BOX (box), pin);
  gtk_box_append (GTK_BOX (box), remove);
}

/* The tooltip is the command that repeats the run. */
static void
set_command (GtkWidget *row, const HirRunEntry *entry)
{
  g_autofree char *inputs = NULL, *command = NULL, *remark = NULL, *first = NULL, *text = NULL;

  if (entry->request == NULL || entry->kind == HIR_RUN_KIND_ATTACHED)
    return;
  inputs = entry->program != NULL ? hir_program_dup_inputs_text (entry->program) : NULL;
  command = hir_run_dup_command (entry->request, entry->has_settings ? &entry->settings : NULL);
  remark = hir_run_dup_remark (entry->request);
  first = g_strconcat (command, remark, NULL);
  text = g_strjoin ("\n", first, inputs, NULL);
  hir_names_set_tooltip (row, text);
}

static void
add_row (RunList *self, HirRunEntry *entry)
{
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *lines = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *first = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 2);
  GtkEventController *keys = gtk_event_controller_key_new ();
  g_autofree char *note = hir_document_dup_run_note (self->document, entry);
  GtkWidget *second = create_label (note, "dim-label");

  set_number (row, entry->number);
  hir_names_set_tooltip (second, note);
  set_command (row, entry);
  gtk_box_append (GTK_BOX (first), create_title (entry, row));
  gtk_box_append (GTK_BOX (first), create_facts (entry));
  gtk_box_append (GTK_BOX (lines), first);
  gtk_box_append (GTK_BOX (lines), second);
  gtk_widget_set_hexpand (lines, TRUE);
  gtk_box_append (GTK_BOX (box), lines);
  add_buttons (box, self, entry, row);
  if (entry->is_kept || hir_document_is_earlier_run (self->document, entry))
    gtk_widget_add_css_class (lines, "earlier-run");
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_row_key), row);
  gtk_widget_add_controller (row, keys);
  gtk_list_box_append (self->list, row);
}

/* Keeps the focus on the run that has it. */
static void
fill (RunList *self)
{
  HirRunHistory *runs = hir_document_get_runs (self->document);
  HirRunEntry *shown = hir_document_get_shown_run (self->document);
  GtkWidget *focus = gtk_root_get_focus (gtk_widget_get_root (GTK_WIDGET (self->list)));
  GtkWidget *at = focus != NULL ? gtk_widget_get_ancestor (focus, GTK_TYPE_LIST_BOX_ROW) : NULL;
  guint focused =
      at != NULL && gtk_widget_is_ancestor (at, GTK_WIDGET (self->list)) ? get_number (at) : 0;
  /* The list was empty, and has a run again. */
  gboolean is_outside =
      focus == NULL ||
      (gtk_widget_get_ancestor (focus, GTK_TYPE_MENU_BUTTON) == GTK_WIDGET (self->button) &&
       gtk_widget_get_ancestor (focus, GTK_TYPE_POPOVER) == NULL);
  guint n = hir_run_history_get_n (runs);
  const char *obstacle = hir_document_get_obstacle (self->document);
  g_autofree char *none =
      g_strdup_printf ("No runs yet. %s", obstacle != NULL ? obstacle : "Press Run (Space)");
  gboolean has_kept = FALSE;
  GtkListBoxRow *row;

  hir_focus_leave (GTK_WIDGET (self->list), GTK_WIDGET (self->button));
  while ((row = gtk_list_box_get_row_at_index (self->list, 0)) != NULL)
    gtk_list_box_remove (self->list, GTK_WIDGET (row));
  for (guint i = n; i-- > 0;)
    {
      add_row (self, hir_run_history_get (runs, i));
      has_kept |= hir_run_history_get (runs, i)->is_kept;
    }
  gtk_widget_set_visible (self->delete_kept, has_kept);
  gtk_widget_set_visible (self->empty, n == 0);
  gtk_label_set_text (GTK_LABEL (self->empty), none);
  gtk_widget_set_visible (self->compare, n > 0);
  for (int i = 0; (row = gtk_list_box_get_row_at_index (self->list, i)) != NULL; i++)
    {
      if (shown != NULL && get_number (row) == shown->number)
        gtk_list_box_select_row (self->list, row);
      if (focused != 0 && get_number (row) == focused)
        gtk_widget_grab_focus (GTK_WIDGET (row));
    }
  if (n > 0 && (focused != 0 ? hir_run_history_find (runs, focused) == NULL : is_outside))
    gtk_widget_grab_focus (GTK_WIDGET (gtk_list_box_get_row_at_index (self->list, 0)));
  hir_names_queue (GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self->list))));
}

/* Returns whether the user types a name: its entry must stay. */
static gboolean
is_naming (RunList *self)
{
  GtkWidget *focus = gtk_root_get_focus (gtk_widget_get_root (GTK_WIDGET (self->list)));

  return focus != NULL && GTK_IS_EDITABLE (focus) &&
         gtk_widget_is_ancestor (focus, GTK_WIDGET (self->list));
}

static gboolean
on_idle (gpointer user_data)
{
  RunList *self = user_data;
  guint n = hir_run_history_get_n (hir_document_get_runs (self->document));
  g_autofree char *label = n > 0 ? g_strdup_printf ("Runs (%u)", n) : g_strdup ("Runs");

  self->idle = 0;
  gtk_menu_button_set_label (self->button, label);
  if (gtk_widget_get_mapped (GTK_WIDGET (self->list)) && !is_naming (self))
    fill (self);
  return G_SOURCE_REMOVE;
}

static void
on_changed (GtkWidget *button)
{
  RunList *self = g_object_get_data (G_OBJECT (button), "hir-run-list");

  if (self->idle == 0)
    self->idle = g_idle_add (on_idle, self);
}

/* Lists the runs that earlier sessions of another document have left. */
static void
on_program_changed (GtkWidget *button)
{
  RunList *self = g_object_get_data (G_OBJECT (button), "hir-run-list");
  HirRequest *request = hir_document_get_edit (self->document);
  g_autofree char *key = request != NULL ? hir_run_kept_dup_key (request) : NULL;

  if (key == NULL || g_strcmp0 (key, self->key) == 0)
    return;
  g_free (self->key);
  self->key = g_steal_pointer (&key);
  hir_run_history_list_kept (hir_document_get_runs (self->document), request);
}

static void
on_delete_response (HirDocument *document, const char *response)
{
  if (g_str_equal (response, "delete"))
    hir_run_history_delete_kept (hir_document_get_runs (document));
}

static void
on_delete_kept (RunList *self)
{
  GtkWidget *widget =
      adw_message_dialog_new (GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self->button))),
                              "Delete Runs of Earlier Sessions?",
                              "The runs of all scripts that earlier sessions left in the cache are "
                              "deleted. Saved recordings and the runs of open windows stay.");
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG (widget);

  gtk_menu_button_popdown (self->button);
  adw_message_dialog_add_responses (dialog, "cancel", "_Cancel", "delete", "_Delete", NULL);
  adw_message_dialog_set_response_appearance (dialog, "delete", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_close_response (dialog, "cancel");
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_delete_response), self->document,
                           G_CONNECT_SWAPPED);
  hir_names_follow (GTK_WINDOW (widget));
  gtk_window_present (GTK_WINDOW (widget));
}

static void
on_shown (RunList *self)
{
  GtkListBoxRow *row;

  fill (self);
  row = gtk_list_box_get_selected_row (self->list);
  if (row == NULL)
    row = gtk_list_box_get_row_at_index (self->list, 0);
  if (row != NULL)
    gtk_widget_grab_focus (GTK_WIDGET (row));
}

static void
list_free (gpointer data)
{
  RunList *self = data;

  g_clear_handle_id (&self->idle, g_source_remove);
  g_free (self->key);
  g_free (self);
}

static GtkWidget *
create_popover (RunList *self)
{
  GtkWidget *popover = gtk_popover_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  GtkWidget *title = create_label ("Runs", "heading");
  GtkWidget *foot = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *undo = gtk_button_new_with_label ("Undo Deletion");
  GtkWidget *kept = create_label ("Small runs stay for 30 days, at most 4 GiB", "dim-label");

  self->list = GTK_LIST_BOX (gtk_list_box_new ());
  self->empty = create_label ("", "dim-label");
  gtk_label_set_ellipsize (GTK_LABEL (self->empty), PANGO_ELLIPSIZE_NONE);
  gtk_label_set_wrap (GTK_LABEL (self->empty), TRUE);
  self->compare = gtk_button_new_with_label ("Compare with Previous");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->compare), "win.compare-previous");
  gtk_widget_set_tooltip_text (self->compare,
                               "Compare the displayed run with the one before it (Ctrl+Shift+C)");
  gtk_widget_set_hexpand (title, TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->list), "run-list");
  g_signal_connect (self->list, "row-activated", G_CALLBACK (on_row), NULL);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scrolled), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scrolled), MAX_HEIGHT);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (self->list));
  gtk_box_append (GTK_BOX (head), title);
  gtk_box_append (GTK_BOX (head), self->compare);
  gtk_box_append (GTK_BOX (box), head);
  gtk_box_append (GTK_BOX (box), self->empty);
  gtk_box_append (GTK_BOX (box), scrolled);
  self->delete_kept = gtk_button_new_with_label ("Delete Earlier Sessions\342\200\246");
  gtk_widget_set_tooltip_text (self->delete_kept,
                               "Delete the runs that earlier sessions left in the cache");
  g_signal_connect_swapped (self->delete_kept, "clicked", G_CALLBACK (on_delete_kept), self);
  gtk_widget_set_tooltip_text (kept, "Runs of up to 64 MiB are listed again when the "
                                     "script is opened again");
  gtk_widget_set_hexpand (kept, TRUE);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (undo), "win.run-restore");
  gtk_widget_set_tooltip_text (undo, "Restore the run that was deleted last");
  gtk_widget_set_focus_on_click (undo, FALSE);
  g_object_bind_property (undo, "sensitive", undo, "visible", G_BINDING_SYNC_CREATE);
  gtk_box_append (GTK_BOX (foot), kept);
  gtk_box_append (GTK_BOX (foot), undo);
  gtk_box_append (GTK_BOX (foot), self->delete_kept);
  gtk_box_append (GTK_BOX (box), foot);
  gtk_widget_set_size_request (box, WIDTH, -1);
  gtk_popover_set_child (GTK_POPOVER (popover), box);
  g_signal_connect_swapped (popover, "map", G_CALLBACK (on_shown), self);
  hir_undo_keys_add (popover, GTK_PHASE_BUBBLE);
  return popover;
}

GtkMenuButton *
hir_run_list_new (HirDocument *document)
{
  RunList *self = g_new0 (RunList, 1);

  self->document = document;
  self->button = GTK_MENU_BUTTON (gtk_menu_button_new ());
  gtk_menu_button_set_label (self->button, "Runs");
  gtk_menu_button_set_popover (self->button, create_popover (self));
  /* The timeline stays visible. */
  gtk_menu_button_set_direction (self->button, GTK_ARROW_UP);
  gtk_widget_add_css_class (GTK_WIDGET (self->button), "flat");
  gtk_widget_set_valign (GTK_WIDGET (self->button), GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->button),
                               "Runs of this window: show, compare, pin (Ctrl+R)");
  g_object_set_data_full (G_OBJECT (self->button), "hir-run-list", self, list_free);
  g_signal_connect_object (hir_document_get_runs (document), "changed", G_CALLBACK (on_changed),
                           self->button, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "trace-changed", G_CALLBACK (on_changed), self->button,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "program-changed", G_CALLBACK (on_changed), self->button,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "program-changed", G_CALLBACK (on_program_changed),
                           self->button, G_CONNECT_SWAPPED);
  hir_run_history_set_keeps (hir_document_get_runs (document));
  return self->button;
}
