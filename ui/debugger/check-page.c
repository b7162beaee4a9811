#include "debugger/check-page.h"

#include "analysis/sync-cost.h"
#include "config.h"
#include "debugger/check-row.h"
#include "program/program-check.h"
#include "program/program-repair.h"

struct _HirCheckPage
{
  GtkWidget parent_instance;

  HirSelection *selection;
  GtkWidget *box;
  GtkLabel *title;
  GtkSpinner *spinner;
  GtkWidget *start_button, *cancel;
  GtkStack *stack; /* idle, busy, clean, list */
  GtkLabel *clean; /* number of checked accesses */
  GtkListBox *list;
  GCancellable *cancellable; /* of the running task, or NULL */
  HirProgram *program;       /* nullable: the checked program */
  HirSyncCheck *check;       /* nullable */
  HirJoin *join;             /* nullable */
  gint64 n_streams;
};

/* A check, optionally followed by the search for a fix. */
typedef struct
{
  HirProgram *program;
  HirTrace *trace; /* nullable */
  gint64 n_streams;
  HirSyncCheck *check; /* result */
  gboolean is_fix;     /* fix the missing synchronization at @index; larger indices are redundant
                          synchronization to remove */
  guint index;
  HirSyncRepair *repair; /* result */
} Job;

enum
{
  CHOSEN,
  FIXED,
  FAILED,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (HirCheckPage, hir_check_page, GTK_TYPE_WIDGET)

static void
job_free (gpointer data)
{
  Job *job = data;

  g_clear_pointer (&job->check, hir_sync_check_free);
  g_clear_pointer (&job->repair, hir_sync_repair_free);
  g_clear_pointer (&job->trace, hir_trace_unref);
  hir_program_unref (job->program);
  g_free (job);
}

static void
show_page (HirCheckPage *self, const char *name)
{
  gboolean busy = g_str_equal (name, "busy");

  gtk_stack_set_visible_child_name (self->stack, name);
  gtk_spinner_set_spinning (self->spinner, busy);
  gtk_widget_set_visible (GTK_WIDGET (self->spinner), busy);
  gtk_widget_set_visible (self->cancel, busy);
  gtk_widget_set_visible (self->start_button, !busy);
}

static void
forget (HirCheckPage *self)
{
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  /* Move the focus first: GTK loses it when the focused row is removed. */
  if (gtk_widget_get_focus_child (GTK_WIDGET (self->list)) != NULL)
    (void) gtk_widget_grab_focus (self->start_button);
  while (gtk_list_box_get_row_at_index (self->list, 0) != NULL)
    gtk_list_box_remove (self->list, GTK_WIDGET (gtk_list_box_get_row_at_index (self->list, 0)));
  hir_selection_set_pair (self->selection, NULL, NULL);
  g_clear_pointer (&self->check, hir_sync_check_free);
  g_clear_pointer (&self->program, hir_program_unref);
  gtk_label_set_text (self->title, "");
  show_page (self, "idle");
}

void
hir_check_page_set_join (HirCheckPage *self, HirJoin *join)
{
  if (join == self->join)
    return;
  g_clear_pointer (&self->join, hir_join_unref);
  self->join = join != NULL ? hir_join_ref (join) : NULL;
  if (self->check != NULL)
    forget (self);
}

/* Fills the list: differences from the trace, then errors first: faults, missing synchronization,
 * redundant synchronization and notes. Returns the number of rows without notes. */
static guint
fill (HirCheckPage *self)
{
  const HirSyncCheck *check = self->check;
  guint n_redundant = 0, n_differences = self->join != NULL ? self->join->findings->len : 0;
  g_autofree char *times = hir_sync_check_dup_times (check);
  g_autofree char *differences =
      n_differences > 0 ? g_strdup_printf ("%u difference%s between program and trace; ",
                                           n_differences, n_differences == 1 ? "" : "s")
                        : NULL;
  g_autofree char *faults = hir_sync_faults_dup_counts (check->trace->faults);
  g_autofree char *held =
      check->trace->held->len > 0 ? g_strdup_printf (", %u held", check->trace->held->len) : NULL;
  g_autofree char *title = NULL;

  for (guint i = 0; i < n_differences; i++)
    gtk_list_box_append (self->list, hir_check_row_new_difference (self->join, i));
  for (guint i = 0; i < check->trace->faults->len; i++)
    gtk_list_box_append (self->list, hir_check_row_new_fault (check->trace->faults->pdata[i]));
  for (guint i = 0; i < check->missing->len; i++)
    gtk_list_box_append (self->list, hir_check_row_new_missing (check, i));
  for (guint i = 0; i < check->uses->len; i++)
    {
      const HirSyncUse *use = &g_array_index (check->uses, HirSyncUse, i);
      GtkWidget *row = hir_check_row_new_use (check, i);

      n_redundant += use->is_redundant;
      if (row != NULL)
        gtk_list_box_append (self->list, row);
    }
  for (guint i = 0; i < check->trace->held->len; i++)
    gtk_list_box_append (self->list, hir_check_row_new_fault (check->trace->held->pdata[i]));
  title = g_strdup_printf ("%s%s%u missing, %u redundant%s; %u rank%s, %" G_GINT64_FORMAT
                           " stream%s%s, %u pairs of accesses%s%s",
                           differences != NULL ? differences : "", faults, check->missing->len,
                           n_redundant, held != NULL ? held : "", check->trace->programs->len,
                           check->trace->programs->len == 1 ? "" : "s", check->n_streams,
                           check->n_streams == 1 ? "" : "s",
                           check->trace->programs->len > 1 ? " each" : "", check->n_pairs,
                           times != NULL ? " \u00b7 " : "", times != NULL ? times : "");
  gtk_label_set_text (self->title, title);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->title), title);
  return n_differences + check->trace->held->len + check->trace->faults->len + check->missing->len +
         n_redundant;
}

/* Returns what the command notes on each Synchronize and Wait, in lines. */
static char *
dup_notes (const HirSyncCheck *check)
{
  GString *notes = g_string_new (NULL);

  for (guint i = 0; i < check->uses->len; i++)
    {
      g_autofree char *note =
          hir_sync_check_dup_use (check, &g_array_index (check->uses, HirSyncUse, i));

      if (note != NULL)
        g_string_append_printf (notes, "\n%s", note);
    }
  return g_string_free (notes, FALSE);
}

static void
show_check (HirCheckPage *self)
{
  g_autofree char *counts = NULL;
  g_autofree char *notes = NULL;

  if (fill (self) > 0)
    {
      show_page (self, "list");
      gtk_list_box_select_row (self->list, gtk_list_box_get_row_at_index (self->list, 0));
      gtk_widget_grab_focus (GTK_WIDGET (gtk_list_box_get_row_at_index (self->list, 0)));
      return;
    }
  notes = dup_notes (self->check);
  counts = g_strdup_printf ("All %u pairs of accesses to the same memory are ordered, on %u "
                            "rank%s with %" G_GINT64_FORMAT
                            " stream%s%s, by %u Synchronize and Wait instructions%s",
                            self->check->n_pairs, self->check->trace->programs->len,
                            self->check->trace->programs->len == 1 ? "" : "s",
                            self->check->n_streams, self->check->n_streams == 1 ? "" : "s",
                            self->check->trace->programs->len > 1 ? " each" : "",
                            self->check->uses->len, notes);
  gtk_label_set_text (self->clean, counts);
  show_page (self, "clean");
}

/* The program of a recording has no instructions, only texts. */
static gboolean
lower (Job *job, GCancellable *cancellable, GError **error)
{
  HirProgram *lowered = hir_program_ref_lowered (job->program, cancellable, error);

  if (lowered == NULL)
    return FALSE;
  hir_program_unref (job->program);
  job->program = lowered;
  return TRUE;
}

static void
compute (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  Job *job = task_data;
  GError *error = NULL;
  gboolean ok = TRUE;

  if (lower (job, cancellable, &error))
    job->check =
        hir_program_check_sync (job->program, job->n_streams, job->trace,
                                job->is_fix ? HIR_SYNC_USES : HIR_SYNC_ALL, cancellable, &error);
  if (job->check != NULL && !job->is_fix)
    ok = hir_program_suggest_repairs (job->program, job->check, NULL, cancellable, &error) &&
         hir_program_explain_kept (job->program, job->check, cancellable, &error);
  if (job->check != NULL && job->is_fix)
    job->repair =
        job->index < job->check->missing->len
            ? hir_program_find_repair (job->program, job->check, job->index, cancellable, &error)
            : hir_program_find_removal (job->program, job->check,
                                        job->index - job->check->missing->len, cancellable, &error);
  if (error != NULL)
    g_task_return_error (task, error);
  else
    g_task_return_boolean (task, ok);
}

static void
on_computed (GObject *source, GAsyncResult *result, gpointer user_data)
{
  HirCheckPage *self = HIR_CHECK_PAGE (source);
  Job *job = g_task_get_task_data (G_TASK (result));
  gboolean is_dropped = g_task_get_cancellable (G_TASK (result)) != self->cancellable;
  g_autoptr (GError) error = NULL;

  g_task_set_check_cancellable (G_TASK (result), FALSE);
  if (is_dropped || self->selection == NULL)
    return;
  g_clear_object (&self->cancellable);
  if (!g_task_propagate_boolean (G_TASK (result), &error))
    {
      show_page (self, self->check != NULL ? "list" : "idle");
      g_signal_emit (self, signals[FAILED], 0,
                     job->is_fix ? "Could not apply the suggestion"
                                 : "Could not check synchronization",
                     error->message);
      return;
    }
  if (job->is_fix)
    {
      show_page (self, "list");
      g_signal_emit (self, signals[FIXED], 0, job->repair->request, job->repair->log);
      return;
    }
  self->check = g_steal_pointer (&job->check);
  show_check (self);
}

static void
start (HirCheckPage *self, Job *job)
{
  g_autoptr (GTask) task = NULL;

  self->cancellable = g_cancellable_new ();
  show_page (self, "busy");
  task = g_task_new (self, self->cancellable, on_computed, NULL);
  g_task_set_return_on_cancel (task, FALSE);
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, compute);
}

void
hir_check_page_begin (HirCheckPage *self, gint64 n_streams)
{
  HirProgram *program = hir_selection_get_program (self->selection);
  HirTrace *trace = hir_selection_get_trace (self->selection);
  Job *job;

  forget (self);
  if (program == NULL || program->error != NULL)
    return;
  self->program = hir_program_ref (program);
  self->n_streams = n_streams;
  job = g_new0 (Job, 1);
  job->program = hir_program_ref (program);
  job->trace = trace != NULL ? hir_trace_ref (trace) : NULL;
  job->n_streams = n_streams;
  start (self, job);
}

void
hir_check_page_cancel (HirCheckPage *self)
{
  if (self->cancellable == NULL)
    return;
  if (self->check == NULL)
    {
      forget (self);
      return;
    }
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  show_page (self, "list");
}

void
hir_check_page_fix (HirCheckPage *self, int index)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row (self->list);
  guint chosen = (guint) MAX (index, 0);
  Job *job;

  if (self->check == NULL || self->cancellable != NULL ||
      (index < 0 && (row == NULL || !hir_check_row_get_change (GTK_WIDGET (row), &chosen))) ||
      chosen >= self->check->missing->len + self->check->uses->len)
    return;
  /* The task runs a separate check, because the displayed one may be freed meanwhile. */
  job = g_new0 (Job, 1);
  job->program = hir_program_ref (self->program);
  job->n_streams = self->n_streams;
  job->is_fix = TRUE;
  job->index = chosen;
  start (self, job);
}

gboolean
hir_check_page_get_is_busy (HirCheckPage *self)
{
  return self->cancellable != NULL;
}

#if HIR_TESTING
const char *
hir_check_page_get_state (HirCheckPage *self)
{
  return gtk_stack_get_visible_child_name (self->stack);
}

const char *
hir_check_page_get_title (HirCheckPage *self)
{
  return gtk_label_get_text (self->title);
}
#endif

static void
on_selected (HirCheckPage *self, GtkListBoxRow *row)
{
  HirProgram *program = hir_selection_get_program (self->selection);
  const HirTraceInstance *pair;
  guint64 node;
  guint track, index;

  if (row == NULL || program == NULL || program != self->program)
    return;
  hir_selection_set_step (self->selection, program->views->len - 1);
  node = hir_check_row_get_node (GTK_WIDGET (row));
  pair = hir_check_row_get_pair (GTK_WIDGET (row));
  if (node != 0)
    hir_selection_set_node (self->selection, node);
  if (hir_check_row_get_event (GTK_WIDGET (row), &track, &index))
    hir_selection_set_event (self->selection, track, index);
  hir_selection_set_pair (self->selection, pair, pair != NULL ? pair + 1 : NULL);
  g_signal_emit (self, signals[CHOSEN], 0);
}

/* Results refer to the previous program: drop them. If a check was in progress, restart it for
 * the new program. */
static void
on_program (HirCheckPage *self)
{
  gboolean is_checking = self->cancellable != NULL && self->check == NULL;

  if (self->program == NULL || hir_selection_get_program (self->selection) == self->program)
    return;
  forget (self);
  if (is_checking)
    hir_check_page_begin (self, self->n_streams);
}

static void
hir_check_page_dispose (GObject *object)
{
  HirCheckPage *self = HIR_CHECK_PAGE (object);

  if (self->selection != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->selection, self);
      forget (self);
    }
  g_clear_object (&self->selection);
  g_clear_pointer (&self->join, hir_join_unref);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS (hir_check_page_parent_class)->dispose (object);
}

static void
hir_check_page_class_init (HirCheckPageClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_check_page_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "checkpage");
  signals[CHOSEN] = g_signal_new ("chosen", HIR_TYPE_CHECK_PAGE, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                  NULL, G_TYPE_NONE, 0);
  signals[FIXED] = g_signal_new ("fixed", HIR_TYPE_CHECK_PAGE, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                 NULL, G_TYPE_NONE, 2, G_TYPE_POINTER, G_TYPE_STRING);
  signals[FAILED] = g_signal_new ("failed", HIR_TYPE_CHECK_PAGE, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                  NULL, G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_STRING);
}

static GtkWidget *
add_button (GtkWidget *strip, const char *label, const char *action, const char *tooltip)
{
  GtkWidget *button = gtk_button_new_with_label (label);

  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_widget_add_css_class (button, "flat");
  gtk_box_append (GTK_BOX (strip), button);
  return button;
}

static GtkWidget *
create_strip (HirCheckPage *self)
{
  GtkWidget *strip = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *heading = gtk_label_new ("Synchronization");
  GtkWidget *title = gtk_label_new ("");
  GtkWidget *close = gtk_button_new_from_icon_name ("window-close-symbolic");

  self->title = GTK_LABEL (title);
  self->spinner = GTK_SPINNER (gtk_spinner_new ());
  gtk_widget_add_css_class (strip, "stats-strip");
  gtk_widget_add_css_class (heading, "heading-small");
  gtk_label_set_xalign (self->title, 0);
  gtk_label_set_ellipsize (self->title, PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (title, TRUE);
  gtk_widget_add_css_class (title, "dim-label");
  gtk_box_append (GTK_BOX (strip), heading);
  gtk_box_append (GTK_BOX (strip), title);
  gtk_box_append (GTK_BOX (strip), GTK_WIDGET (self->spinner));
  self->cancel = add_button (strip, "Cancel", "win.check-cancel", "Cancel the check");
  self->start_button = add_button (strip, "Check", "win.check", "Check synchronization (F7)");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (close), "win.check-close");
  gtk_widget_set_tooltip_text (close, "Close");
  gtk_widget_add_css_class (close, "flat");
  gtk_box_append (GTK_BOX (strip), close);
  return strip;
}

/* Creates a small status page; AdwStatusPage would be higher than the panel. *@text is the line
 * below the title. */
static GtkWidget *
create_status (const char *icon, const char *title, GtkLabel **text)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *heading = gtk_label_new (title);
  GtkWidget *label = gtk_label_new ("");

  if (icon != NULL)
    gtk_box_append (GTK_BOX (head), gtk_image_new_from_icon_name (icon));
  gtk_box_append (GTK_BOX (head), heading);
  gtk_widget_set_halign (head, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (heading, "check-heading");
  gtk_widget_add_css_class (label, "dim-label");
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_justify (GTK_LABEL (label), GTK_JUSTIFY_CENTER);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 90);
  gtk_box_append (GTK_BOX (box), head);
  gtk_box_append (GTK_BOX (box), label);
  gtk_widget_set_valign (box, GTK_ALIGN_CENTER);
  gtk_widget_set_margin_start (box, 12);
  gtk_widget_set_margin_end (box, 12);
  *text = GTK_LABEL (label);
  return box;
}

static void
hir_check_page_init (HirCheckPage *self)
{
  GtkWidget *scroll = gtk_scrolled_window_new ();
  GtkLabel *idle, *busy;

  self->list = GTK_LIST_BOX (gtk_list_box_new ());
  self->stack = GTK_STACK (gtk_stack_new ());
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroll), GTK_WIDGET (self->list));
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroll), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_stack_add_named (self->stack, create_status (NULL, "Not Checked", &idle), "idle");
  gtk_label_set_text (idle,
                      "Press Check or F7 to find missing and redundant synchronization without "
                      "running the program.");
  gtk_stack_add_named (self->stack, create_status (NULL, "Checking\u2026", &busy), "busy");
  gtk_label_set_text (busy, "Unrolling the programs of all ranks");
  gtk_stack_add_named (self->stack,
                       create_status ("emblem-ok-symbolic", "Nothing Missing, Nothing Redundant",
                                      &self->clean),
                       "clean");
  gtk_stack_add_named (self->stack, scroll, "list");
  gtk_widget_set_vexpand (GTK_WIDGET (self->stack), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Findings", -1);
  gtk_box_append (GTK_BOX (self->box), create_strip (self));
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->stack));
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  g_signal_connect_swapped (self->list, "row-selected", G_CALLBACK (on_selected), self);
  show_page (self, "idle");
}

GtkWidget *
hir_check_page_new (HirSelection *selection)
{
  HirCheckPage *self = g_object_new (HIR_TYPE_CHECK_PAGE, NULL);

  self->selection = g_object_ref (selection);
  g_signal_connect_swapped (selection, "program-changed", G_CALLBACK (on_program), self);
  return GTK_WIDGET (self);
}
