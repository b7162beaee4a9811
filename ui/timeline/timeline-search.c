#include "timeline/timeline-search.h"

#include "config.h"
#include "timeline/event-find.h"

/* Further events are counted, but cannot be stepped through. */
#define MAX_FOUND 1000000

struct _HirTimelineSearch
{
  GtkWidget parent_instance;

  HirSelection *selection;
  GtkWidget *after;
  GtkSearchBar *bar;
  GtkEditable *entry;
  GtkLabel *count;
  GArray *found; /* HirFoundEvent; NULL without a search or while it is running */
  guint64 n_found;
  HirTrace *searched; /* the trace that `found` refers to */
  GCancellable *cancellable;
  gboolean goes_to_first; /* select the first event found, unless the selected event matches */
};

typedef struct
{
  HirTrace *trace;
  char *words;
  guint64 n;
} Job;

static guint found_changed;

G_DEFINE_FINAL_TYPE (HirTimelineSearch, hir_timeline_search, GTK_TYPE_WIDGET)

static void
job_free (gpointer data)
{
  Job *job = data;

  hir_trace_unref (job->trace);
  g_free (job->words);
  g_free (job);
}

/* Returns the selected event, or FALSE if no event is selected. */
static gboolean
get_selected (HirTimelineSearch *self, HirFoundEvent *event)
{
  gint64 end_ns;

  if (!hir_selection_get_event (self->selection, &event->track, &event->index))
    return FALSE;
  hir_trace_get_interval (hir_selection_get_trace (self->selection), event->track, event->index,
                          &event->start_ns, &end_ns);
  return TRUE;
}

/* Returns the index of the selected event among the found ones, or -1. */
static int
get_index (HirTimelineSearch *self)
{
  HirFoundEvent selected;
  const HirFoundEvent *at;
  guint i;

  if (self->found == NULL || self->found->len == 0 || !get_selected (self, &selected))
    return -1;
  /* The index before the next event. */
  i = (hir_event_find_step (self->found, &selected, TRUE) + self->found->len - 1) %
      self->found->len;
  at = &g_array_index (self->found, HirFoundEvent, i);
  return at->track == selected.track && at->index == selected.index ? (int) i : -1;
}

static void
show_count (HirTimelineSearch *self)
{
  int index = get_index (self);
  g_autofree char *text = NULL;

  if (self->found == NULL)
    text = g_strdup ("");
  else if (self->n_found == 0)
    text = g_strdup ("none");
  else if (index >= 0)
    text = g_strdup_printf ("%d of %" G_GUINT64_FORMAT, index + 1, self->n_found);
  else
    text = g_strdup_printf ("%" G_GUINT64_FORMAT, self->n_found);
  gtk_label_set_text (self->count, text);
}

static void
step (HirTimelineSearch *self, gboolean forward)
{
  const HirFoundEvent *to;
  HirFoundEvent selected;
  gboolean has_event;

  if (self->found == NULL || self->found->len == 0 ||
      self->searched != hir_selection_get_trace (self->selection))
    return;
  has_event = get_selected (self, &selected);
  to = &g_array_index (self->found, HirFoundEvent,
                       hir_event_find_step (self->found, has_event ? &selected : NULL, forward));
  hir_selection_set_event (self->selection, to->track, to->index);
  show_count (self);
}

static void
on_next (HirTimelineSearch *self)
{
  step (self, TRUE);
}

static void
on_previous (HirTimelineSearch *self)
{
  step (self, FALSE);
}

static void
search_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  Job *job = task_data;

  g_task_return_pointer (task,
                         hir_event_find_all (job->trace, job->words, MAX_FOUND, cancellable,
                                             &job->n),
                         (GDestroyNotify) g_array_unref);
}

static void
on_found (GObject *source, GAsyncResult *result, gpointer user_data)
{
  HirTimelineSearch *self = HIR_TIMELINE_SEARCH (source);
  Job *job = g_task_get_task_data (G_TASK (result));
  GArray *found = g_task_propagate_pointer (G_TASK (result), NULL);

  if (found == NULL || self->selection == NULL ||
      g_task_get_cancellable (G_TASK (result)) != self->cancellable)
    {
      g_clear_pointer (&found, g_array_unref);
      return;
    }
  g_clear_object (&self->cancellable);
  self->found = found;
  self->n_found = job->n;
  self->searched = hir_trace_ref (job->trace);
  if (self->goes_to_first && get_index (self) < 0)
    step (self, TRUE);
  self->goes_to_first = FALSE;
  show_count (self);
  g_signal_emit (self, found_changed, 0);
}

/* Searches on a worker thread, because a trace can have millions of events. */
static void
begin (HirTimelineSearch *self)
{
  HirTrace *trace = hir_selection_get_trace (self->selection);
  const char *words = gtk_editable_get_text (self->entry);
  g_autoptr (GTask) task = NULL;
  Job *job;

  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->found, g_array_unref);
  g_clear_pointer (&self->searched, hir_trace_unref);
  show_count (self);
  g_signal_emit (self, found_changed, 0);
  if (trace == NULL || *words == '\0' || !gtk_search_bar_get_search_mode (self->bar))
    return;
  job = g_new0 (Job, 1);
  job->trace = hir_trace_ref (trace);
  job->words = g_strdup (words);
  self->cancellable = g_cancellable_new ();
  task = g_task_new (self, self->cancellable, on_found, NULL);
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, search_in_thread);
}

static void
on_words (HirTimelineSearch *self)
{
  self->goes_to_first = TRUE;
  begin (self);
}

static void
on_mode (HirTimelineSearch *self)
{
  begin (self);
  if (!gtk_search_bar_get_search_mode (self->bar))
    gtk_widget_grab_focus (self->after);
}

static gboolean
on_shift_enter (GtkWidget *entry, GVariant *arguments, gpointer user_data)
{
  step (user_data, FALSE);
  return TRUE;
}

static void
add_shift_enter (HirTimelineSearch *self)
{
  GtkEventController *keys = gtk_shortcut_controller_new ();

  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (keys),
                                        gtk_shortcut_new (gtk_shortcut_trigger_parse_string (
                                                              "<Shift>Return|<Shift>KP_Enter"),
                                                          gtk_callback_action_new (on_shift_enter,
                                                                                   self, NULL)));
  gtk_widget_add_controller (GTK_WIDGET (self->entry), keys);
}

void
hir_timeline_search_open (HirTimelineSearch *self)
{
  gtk_search_bar_set_search_mode (self->bar, TRUE);
  gtk_widget_grab_focus (GTK_WIDGET (self->entry));
}

void
hir_timeline_search_find (HirTimelineSearch *self, const char *words)
{
  gtk_editable_set_text (self->entry, words);
  hir_timeline_search_open (self);
}

#if HIR_TESTING
const char *
hir_timeline_search_get_count (HirTimelineSearch *self)
{
  return gtk_search_bar_get_search_mode (self->bar) ? gtk_label_get_text (self->count) : NULL;
}
#endif

GArray *
hir_timeline_search_get_found (HirTimelineSearch *self)
{
  return self->found;
}

static void
hir_timeline_search_dispose (GObject *object)
{
  HirTimelineSearch *self = HIR_TIMELINE_SEARCH (object);

  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  if (self->bar != NULL)
    g_signal_handlers_disconnect_by_data (self->bar, self);
  if (self->entry != NULL)
    g_signal_handlers_disconnect_by_data (self->entry, self);
  self->entry = NULL;
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->found, g_array_unref);
  g_clear_pointer (&self->searched, hir_trace_unref);
  g_clear_object (&self->selection);
  if (self->bar != NULL)
    gtk_widget_unparent (GTK_WIDGET (self->bar));
  self->bar = NULL;
  G_OBJECT_CLASS (hir_timeline_search_parent_class)->dispose (object);
}

static void
hir_timeline_search_class_init (HirTimelineSearchClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_timeline_search_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  found_changed = g_signal_new ("found-changed", HIR_TYPE_TIMELINE_SEARCH, G_SIGNAL_RUN_LAST, 0,
                                NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static GtkWidget *
step_button (HirTimelineSearch *self, const char *icon, const char *tooltip, GCallback callback)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);

  gtk_widget_set_tooltip_text (button, tooltip);
  g_signal_connect_swapped (button, "clicked", callback, self);
  return button;
}

static void
hir_timeline_search_init (HirTimelineSearch *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *entry = gtk_search_entry_new ();

  self->bar = GTK_SEARCH_BAR (gtk_search_bar_new ());
  self->entry = GTK_EDITABLE (entry);
  self->count = GTK_LABEL (gtk_label_new (""));
  g_object_set (entry, "placeholder-text", "Event name", NULL);
  gtk_widget_set_size_request (entry, 280, -1);
  gtk_widget_add_css_class (GTK_WIDGET (self->count), "dim-label");
  gtk_label_set_width_chars (self->count, 12);
  gtk_box_append (GTK_BOX (box), entry);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->count));
  gtk_box_append (GTK_BOX (box),
                  step_button (self, "go-up-symbolic", "Previous event (Shift+Enter)",
                               G_CALLBACK (on_previous)));
  gtk_box_append (GTK_BOX (box), step_button (self, "go-down-symbolic", "Next event (Enter)",
                                              G_CALLBACK (on_next)));
  gtk_search_bar_set_child (self->bar, box);
  gtk_search_bar_connect_entry (self->bar, self->entry);
  g_signal_connect_swapped (entry, "search-changed", G_CALLBACK (on_words), self);
  g_signal_connect_swapped (entry, "activate", G_CALLBACK (on_next), self);
  g_signal_connect_swapped (entry, "next-match", G_CALLBACK (on_next), self);
  g_signal_connect_swapped (entry, "previous-match", G_CALLBACK (on_previous), self);
  add_shift_enter (self);
  g_signal_connect_swapped (self->bar, "notify::search-mode-enabled", G_CALLBACK (on_mode), self);
  gtk_widget_set_parent (GTK_WIDGET (self->bar), GTK_WIDGET (self));
}

GtkWidget *
hir_timeline_search_new (HirSelection *selection, GtkWidget *after)
{
  HirTimelineSearch *self = g_object_new (HIR_TYPE_TIMELINE_SEARCH, NULL);

  self->selection = g_object_ref (selection);
  self->after = after;
  g_signal_connect_swapped (selection, "trace-changed", G_CALLBACK (begin), self);
  g_signal_connect_swapped (selection, "event-changed", G_CALLBACK (show_count), self);
  return GTK_WIDGET (self);
}
