#include "stats/compare-window.h"

#include "base/control-words.h"
#include "base/focus.h"
#include "base/names.h"
#include "config.h"
#include "program/program-compare.h"
#include "stats/compare-table.h"
#include "timeline/event-find.h"
#include "trace/duration.h"

#define WIDTH 1180
#define HEIGHT 800
#define OF_PARENT 0.92 /* share of the parent's size, if the parent is large */
#define PROGRESS_MS 100

typedef struct
{
  HirProgram *program; /* nullable: of A */
  HirTrace *a;
  char *path_b;         /* NULL if b is given */
  HirTraceRules *rules; /* nullable */
  HirOpened *b;
  HirTrace *both;
  HirOpTable *ops; /* nullable: of different programs of one script */
  HirComparison *comparison;
  gint percent; /* atomic: percentage of B that was read; -1 if unknown */
} Job;

struct _HirCompareWindow
{
  AdwWindow parent_instance;

  char *name_a, *name_b;
  HirSelection *selection; /* selection in the merged trace */
  GCancellable *cancellable;
  GtkStack *pages; /* reading, failed, comparison */
  AdwStatusPage *failed;
  char *failure; /* displayed error; NULL if nothing failed */
  GtkWidget *paned;
  GtkWidget *table;    /* NULL until the comparison is finished */
  GtkProgressBar *bar; /* progress of reading */
  GTask *task;         /* the reading task; NULL if it has finished */
  guint timer;
  HirTimelinePane *pane;
  Job *job; /* nullable: the comparison by ops that is displayed */
};

G_DEFINE_FINAL_TYPE (HirCompareWindow, hir_compare_window, ADW_TYPE_WINDOW)

static void
job_clear (gpointer data)
{
  Job *job = data;

  g_clear_pointer (&job->comparison, hir_comparison_free);
  g_clear_pointer (&job->both, hir_trace_unref);
  g_clear_pointer (&job->ops, hir_op_table_free);
  g_clear_pointer (&job->b, hir_opened_free);
  g_clear_pointer (&job->program, hir_program_unref);
  g_clear_pointer (&job->rules, hir_trace_rules_unref);
  hir_trace_unref (job->a);
  g_free (job->path_b);
}

static void
job_unref (gpointer job)
{
  g_atomic_rc_box_release_full (job, job_clear);
}

/* A row of an op or of an instruction. */
typedef struct
{
  const Job *job;
  const HirTrace *trace; /* of both */
  const HirCompareRow *row;
} OfOp;

/* Returns whether @event, which has the kind of a row without op, belongs to it. */
static gboolean
is_of_row (const HirTrace *trace, const HirEvent *event, const HirCompareRow *row)
{
  return (row->instruction == 0 || event->instruction == row->instruction) &&
         (row->has_other_names ||
          g_strcmp0 (hir_trace_get_string (trace, event->name), row->name) == 0);
}

static gboolean
is_of_instruction (guint track, const HirEvent *event, gpointer user_data)
{
  const OfOp *self = user_data;

  return event->kind == self->row->kind && is_of_row (self->trace, event, self->row);
}

/* The tracks of A come first. */
static gboolean
is_of_op (guint track, const HirEvent *event, gpointer user_data)
{
  const OfOp *self = user_data;
  guint side = track < hir_trace_get_n_tracks (self->job->a) ? 0 : 1;
  const GPtrArray *groups = hir_op_table_get_groups (self->job->ops);
  int group = hir_op_table_find (self->job->ops, side, event->instruction);

  return group >= 0 && event->kind == self->row->kind &&
         g_strcmp0 (((const HirOpGroup *) groups->pdata[group])->label, self->row->name) == 0;
}

/* The event of B with the largest slowdown of a row. */
typedef struct
{
  const HirTrace *trace;
  const HirCompareRow *row;
  int rank;
} Slowest;

static gboolean
is_slowest_event (guint track, const HirEvent *event, gpointer user_data)
{
  const Slowest *self = user_data;
  const HirCompareRow *row = self->row;

  if (hir_trace_get_track (self->trace, track)->rank != self->rank ||
      event->start_ns != row->slowest_start_ns || event->kind != row->kind)
    return FALSE;
  return row->is_op || is_of_row (self->trace, event, row);
}

/* Ranks of B are numbered after those of A. */
static void
select_slowest (HirCompareWindow *self, const HirCompareRow *row)
{
  const HirTrace *trace = hir_selection_get_trace (self->selection);
  int n_ranks = (int) g_ascii_strtoll (hir_trace_get_meta (trace, "ranks_of_a"), NULL, 10);
  Slowest slowest = { trace, row, n_ranks + row->slowest_rank };

  hir_event_select_next_match (self->selection, is_slowest_event, &slowest, row->slowest_start_ns,
                               row->slowest_start_ns + 1);
}

/* Selects the next event of this work after the selected one, in A or B. */
static void
on_row (const HirCompareRow *row, gboolean is_slowest, gpointer user_data)
{
  HirCompareWindow *self = user_data;
  OfOp of_op = { self->job, hir_selection_get_trace (self->selection), row };

  if (is_slowest)
    select_slowest (self, row);
  else if (row->is_op)
    hir_event_select_next_match (self->selection, is_of_op, &of_op, G_MININT64, G_MAXINT64);
  else if (row->instruction != 0)
    hir_event_select_next_match (self->selection, is_of_instruction, &of_op, G_MININT64,
                                 G_MAXINT64);
  else
    hir_event_select_next (self->selection, row->name, row->kind, G_MININT64, G_MAXINT64);
}

static void
on_progress (guint64 done, guint64 total, gpointer user_data)
{
  Job *job = user_data;

  g_atomic_int_set (&job->percent, total > 0 ? (gint) ((double) done / (double) total * 100) : -1);
}

static void
work (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  Job *job = task_data;
  const char *const paths[] = { job->path_b, NULL };
  HirImportOptions options = {
    .cancellable = cancellable, .progress = on_progress, .user_data = job, .rules = job->rules
  };
  GError *error = NULL;

  if (job->b == NULL)
    job->b = hir_opened_new_from (paths, &options, NULL, &error);
  if (job->b != NULL && job->program != NULL)
    job->ops = hir_program_dup_ops (job->program, job->b->program);
  if (job->b != NULL && !g_cancellable_set_error_if_cancelled (cancellable, &error))
    {
      job->comparison =
          hir_program_compare (job->program, job->a, job->b, job->ops, cancellable, &error);
      if (job->comparison != NULL)
        job->both = hir_comparison_merge (job->a, job->b->trace, NULL, cancellable, &error);
    }
  if (job->both != NULL)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

typedef struct
{
  const char *head;
  gsize offset; /* offset of a gint64 in HirGpuStats; 0: length of the trace */
} Total;

static gint64
get_mean (const HirStats *stats, gint64 span_ns, const Total *total)
{
  gint64 sum = 0;

  if (total->offset == 0)
    return span_ns;
  for (guint i = 0; i < stats->gpus->len; i++)
    sum += G_STRUCT_MEMBER (gint64, &g_array_index (stats->gpus, HirGpuStats, i), total->offset);
  return stats->gpus->len > 0 ? sum / stats->gpus->len : 0;
}

static void
attach (GtkGrid *grid, const char *text, int column, int row, const char *css_class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), column == 0 ? 0 : 1);
  if (column == 0)
    gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_hexpand (label, column == 0);
  if (css_class != NULL)
    gtk_widget_add_css_class (label, css_class);
  gtk_grid_attach (grid, label, column, row, 1, 1);
}

/* Adds a sentence below the totals, unless @text is NULL. */
static void
attach_note (GtkGrid *grid, const char *text, int row, int n_columns)
{
  GtkWidget *label;

  if (text == NULL)
    return;
  label = gtk_label_new (text);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_grid_attach (grid, label, 0, row, n_columns, 1);
}

/* Returns "A  a.hirs (2 streams)". Names of runs include the options already. */
static char *
dup_head (const char *which, const char *name, const char *options, const Job *job)
{
  if (job->path_b == NULL || options == NULL || *options == '\0')
    return g_strdup_printf ("%s  %s", which, name);
  return g_strdup_printf ("%s  %s (%s)", which, name, options);
}

/* Creates the totals: mean per device of A and B, and the change. */
static GtkWidget *
create_totals (HirCompareWindow *self, const Job *job)
{
  const HirComparison *comparison = job->comparison;
  static const Total totals[] = {
    { "one repetition", 0 },
    { "first to last work", G_STRUCT_OFFSET (HirGpuStats, total_ns) },
    { "busy", G_STRUCT_OFFSET (HirGpuStats, busy_ns) },
    { "idle between", G_STRUCT_OFFSET (HirGpuStats, idle_ns) },
    { "computation", G_STRUCT_OFFSET (HirGpuStats, computation_ns) },
    { "communication", G_STRUCT_OFFSET (HirGpuStats, total_comm_ns) },
    { "exposed communication", G_STRUCT_OFFSET (HirGpuStats, exposed_comm_ns) },
    { "exposed copies", G_STRUCT_OFFSET (HirGpuStats, exposed_memcpy_ns) },
  };
  GtkWidget *grid = gtk_grid_new ();
  g_autofree char *a = dup_head ("A", self->name_a, comparison->options_a, job);
  g_autofree char *b = dup_head ("B", self->name_b, comparison->options_b, job);
  g_autofree char *note = hir_comparison_dup_note (comparison);

  gtk_grid_set_column_spacing (GTK_GRID (grid), 24);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 2);
  gtk_widget_add_css_class (grid, "compare-totals");
  attach (GTK_GRID (grid), "mean per device", 0, 0, "dim-label");
  attach (GTK_GRID (grid), a, 0, 1, NULL);
  attach (GTK_GRID (grid), b, 0, 2, NULL);
  attach (GTK_GRID (grid), "change", 0, 3, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (totals); i++)
    {
      gint64 of_a = get_mean (comparison->a, comparison->span_a_ns, &totals[i]);
      gint64 of_b = get_mean (comparison->b, comparison->span_b_ns, &totals[i]);
      g_autofree char *text_a = hir_format_duration (of_a), *text_b = hir_format_duration (of_b);
      g_autofree char *change =
          of_a > 0 ? g_strdup_printf ("%+.1f%%", 100 * ((double) of_b / (double) of_a - 1))
                   : g_strdup ("\342\200\223");

      attach (GTK_GRID (grid), totals[i].head, (int) i + 1, 0, "dim-label");
      attach (GTK_GRID (grid), text_a, (int) i + 1, 1, "numeric");
      attach (GTK_GRID (grid), text_b, (int) i + 1, 2, "numeric");
      attach (GTK_GRID (grid), change, (int) i + 1, 3, "numeric");
    }
  attach_note (GTK_GRID (grid), note, 4, G_N_ELEMENTS (totals) + 1);
  for (guint side = 0; side < 2; side++)
    {
      g_autofree char *text =
          comparison->caveats[side] != NULL
              ? g_strdup_printf ("%s: %s", side == 0 ? "A" : "B", comparison->caveats[side])
              : NULL;

      attach_note (GTK_GRID (grid), text, 5 + (int) side, G_N_ELEMENTS (totals) + 1);
    }
  return grid;
}

/* Creates the page displayed instead of an empty table. */
static GtkWidget *
create_nothing (void)
{
  GtkWidget *page = adw_status_page_new ();

  adw_status_page_set_title (ADW_STATUS_PAGE (page), "Nothing to Compare");
  adw_status_page_set_description (
      ADW_STATUS_PAGE (page),
      "Neither trace has kernels, copies or communications, only events of host threads. "
      "Record GPU activities, or compare other traces.");
  gtk_widget_add_css_class (page, "compact");
  gtk_widget_set_vexpand (page, TRUE);
  return page;
}

/* Called when the rows have been created. */
static gboolean
focus_table (gpointer user_data)
{
  HirCompareWindow *self = user_data;

  if (self->selection != NULL)
    gtk_widget_child_focus (gtk_scrolled_window_get_child (GTK_SCROLLED_WINDOW (self->table)),
                            GTK_DIR_TAB_FORWARD);
  return G_SOURCE_REMOVE;
}

static gboolean
show_progress (gpointer user_data)
{
  HirCompareWindow *self = user_data;
  gint percent = -1;

  if (self->task != NULL)
    percent = g_atomic_int_get (&((Job *) g_task_get_task_data (self->task))->percent);
  if (percent >= 0 && percent < 100)
    gtk_progress_bar_set_fraction (self->bar, percent / 100.0);
  else
    gtk_progress_bar_pulse (self->bar);
  return G_SOURCE_CONTINUE;
}

static void
stop_progress (HirCompareWindow *self)
{
  g_clear_handle_id (&self->timer, g_source_remove);
  g_clear_object (&self->task);
}

static void
on_read (GObject *source, GAsyncResult *result, gpointer user_data)
{
  HirCompareWindow *self = HIR_COMPARE_WINDOW (source);
  Job *job = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autofree char *document = NULL;
  GtkWidget *top;

  stop_progress (self);
  hir_focus_leave (GTK_WIDGET (self->pages), NULL);
  if (!g_task_propagate_boolean (G_TASK (result), &error))
    {
      if (self->selection == NULL)
        return;
      /* The description is markup, and the message contains file names. */
      g_autofree char *words = hir_control_words_dup (error->message);
      g_autofree char *markup = g_markup_escape_text (words, -1);

      adw_status_page_set_description (self->failed, markup);
      g_free (self->failure);
      self->failure = g_steal_pointer (&words);
      gtk_stack_set_visible_child_name (self->pages, "failed");
      return;
    }
  if (self->selection == NULL)
    return;
  top = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  if (job->ops != NULL)
    self->job = g_atomic_rc_box_acquire (job);
  self->table = hir_compare_table_new (job->comparison, on_row, self);
  gtk_box_append (GTK_BOX (top), create_totals (self, job));
  gtk_box_append (GTK_BOX (top), self->table);
  if (job->comparison->rows->len == 0)
    {
      gtk_widget_set_visible (self->table, FALSE);
      gtk_box_append (GTK_BOX (top), create_nothing ());
    }
  gtk_paned_set_start_child (GTK_PANED (self->paned), top);
  document = g_strdup_printf ("compare:%s|%s", self->name_a,
                              job->path_b != NULL ? job->path_b : self->name_b);
  hir_timeline_view_set_document (hir_timeline_pane_get_view (self->pane), document);
  hir_selection_set_trace (self->selection, job->both);
  gtk_stack_set_visible_child_name (self->pages, "comparison");
  hir_names_queue (GTK_WINDOW (self));
  g_idle_add_full (G_PRIORITY_LOW, focus_table, g_object_ref (self), g_object_unref);
}

#if HIR_TESTING
const char *
hir_compare_window_get_name_b (HirCompareWindow *self)
{
  return self->name_b;
}

gboolean
hir_compare_window_get_is_ready (HirCompareWindow *self)
{
  return self->table != NULL;
}

gboolean
hir_compare_window_get_is_empty (HirCompareWindow *self)
{
  return self->table != NULL && !gtk_widget_get_visible (self->table);
}

GPtrArray *
hir_compare_window_dup_cells (HirCompareWindow *self, guint max)
{
  return self->table != NULL ? hir_compare_table_dup_cells (self->table, max)
                             : g_ptr_array_new_with_free_func (g_free);
}

const char *
hir_compare_window_get_failure (HirCompareWindow *self)
{
  return self->failure;
}

HirTimelinePane *
hir_compare_window_get_pane (HirCompareWindow *self)
{
  return self->pane;
}

HirSelection *
hir_compare_window_get_selection (HirCompareWindow *self)
{
  return self->selection;
}
#endif

static void
hir_compare_window_dispose (GObject *object)
{
  HirCompareWindow *self = HIR_COMPARE_WINDOW (object);

  stop_progress (self);
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_object (&self->selection);
  g_clear_pointer (&self->name_a, g_free);
  g_clear_pointer (&self->name_b, g_free);
  g_clear_pointer (&self->failure, g_free);
  g_clear_pointer (&self->job, job_unref);
  G_OBJECT_CLASS (hir_compare_window_parent_class)->dispose (object);
}

static void
find (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hir_timeline_search_open (hir_timeline_pane_get_search (HIR_COMPARE_WINDOW (widget)->pane));
}

static void
fold (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hir_timeline_view_fold_all (hir_timeline_pane_get_view (HIR_COMPARE_WINDOW (widget)->pane));
}

/* Without a selection, closes the window. */
static void
clear (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirCompareWindow *self = HIR_COMPARE_WINDOW (widget);
  gint64 start_ns, end_ns;
  guint track, index;

  if (hir_selection_get_node (self->selection) == 0 &&
      !hir_selection_get_event (self->selection, &track, &index) &&
      !hir_selection_get_range (self->selection, &start_ns, &end_ns))
    {
      gtk_window_close (GTK_WINDOW (self));
      return;
    }
  hir_selection_clear_range (self->selection);
  hir_selection_clear (self->selection);
}

/* The window of the keys belongs to the main window. */
static gboolean
show_keys (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  GtkWindow *parent = gtk_window_get_transient_for (GTK_WINDOW (widget));

  return parent != NULL && gtk_widget_activate_action (GTK_WIDGET (parent), "win.shortcuts", NULL);
}

static void
hir_compare_window_class_init (HirCompareWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hir_compare_window_dispose;
  /* The same names as in the main window, because the timeline's menu uses them. */
  gtk_widget_class_install_action (widget_class, "win.find", NULL, find);
  gtk_widget_class_install_action (widget_class, "win.timeline-fold", NULL, fold);
  gtk_widget_class_install_action (widget_class, "win.clear-selection", NULL, clear);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_f, GDK_CONTROL_MASK, "win.find", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_e, 0, "win.timeline-fold", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "win.clear-selection",
                                       NULL);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_F1, 0, show_keys, NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_w, GDK_CONTROL_MASK, "window.close",
                                       NULL);
}

static GtkWidget *
create_reading (HirCompareWindow *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  GtkWidget *bar = gtk_progress_bar_new ();
  GtkWidget *cancel = gtk_button_new_with_label ("Cancel");
  g_autofree char *text = g_strdup_printf ("Reading %s\342\200\246", self->name_b);

  self->bar = GTK_PROGRESS_BAR (bar);
  gtk_widget_set_size_request (bar, 320, -1);
  gtk_widget_set_halign (box, GTK_ALIGN_CENTER);
  gtk_widget_set_halign (cancel, GTK_ALIGN_CENTER);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (cancel), "window.close");
  gtk_widget_set_valign (box, GTK_ALIGN_CENTER);
  gtk_widget_set_vexpand (box, TRUE);
  gtk_box_append (GTK_BOX (box), gtk_label_new (text));
  gtk_box_append (GTK_BOX (box), bar);
  gtk_box_append (GTK_BOX (box), cancel);
  return box;
}

static void
build (HirCompareWindow *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *header = adw_header_bar_new ();
  GtkWidget *failed = adw_status_page_new ();
  g_autofree char *subtitle = g_strdup_printf ("A  %s    B  %s", self->name_a, self->name_b);

  adw_header_bar_set_title_widget (ADW_HEADER_BAR (header),
                                   adw_window_title_new ("Comparison", subtitle));
  self->failed = ADW_STATUS_PAGE (failed);
  adw_status_page_set_icon_name (self->failed, "dialog-warning-symbolic");
  adw_status_page_set_title (self->failed, "Comparison Failed");
  self->pane = HIR_TIMELINE_PANE (hir_timeline_pane_new (self->selection));
  self->paned = gtk_paned_new (GTK_ORIENTATION_VERTICAL);
  gtk_paned_set_end_child (GTK_PANED (self->paned), GTK_WIDGET (self->pane));
  gtk_paned_set_position (GTK_PANED (self->paned), 330);
  gtk_paned_set_shrink_end_child (GTK_PANED (self->paned), FALSE);
  gtk_widget_set_vexpand (self->paned, TRUE);
  self->pages = GTK_STACK (gtk_stack_new ());
  gtk_stack_add_named (self->pages, create_reading (self), "reading");
  gtk_stack_add_named (self->pages, failed, "failed");
  gtk_stack_add_named (self->pages, self->paned, "comparison");
  gtk_box_append (GTK_BOX (box), header);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->pages));
  adw_window_set_content (ADW_WINDOW (self), box);
}

static void
hir_compare_window_init (HirCompareWindow *self)
{
  gtk_window_set_title (GTK_WINDOW (self), "Comparison");
  gtk_widget_add_css_class (GTK_WIDGET (self), "hirscope");
  self->selection = hir_selection_new ();
  self->cancellable = g_cancellable_new ();
}

/* Takes @job, to which it adds A. */
static GtkWidget *
create (GtkWindow *parent,
        HirProgram *program,
        HirTrace *a,
        const char *name_a,
        Job *job,
        const char *name_b)
{
  HirCompareWindow *self = g_object_new (HIR_TYPE_COMPARE_WINDOW, "transient-for", parent,
                                         "destroy-with-parent", TRUE, NULL);
  g_autoptr (GTask) task = NULL;
  int width = (int) (OF_PARENT * gtk_widget_get_width (GTK_WIDGET (parent)));
  int height = (int) (OF_PARENT * gtk_widget_get_height (GTK_WIDGET (parent)));

  gtk_window_set_default_size (GTK_WINDOW (self), MAX (width, WIDTH), MAX (height, HEIGHT));
  self->name_a = g_strdup (name_a);
  self->name_b = g_strdup (name_b);
  build (self);
  hir_names_follow (GTK_WINDOW (self));
  job->a = hir_trace_ref (a);
  job->program = program != NULL ? hir_program_ref (program) : NULL;
  task = g_task_new (self, self->cancellable, on_read, NULL);
  g_task_set_task_data (task, job, job_unref);
  self->task = g_object_ref (task);
  self->timer = g_timeout_add (PROGRESS_MS, show_progress, self);
  g_task_run_in_thread (task, work);
  return GTK_WIDGET (self);
}

GtkWidget *
hir_compare_window_new (GtkWindow *parent,
                        HirProgram *program,
                        HirTrace *a,
                        const char *name_a,
                        const char *path_b,
                        const char *name_b,
                        HirTraceRules *rules)
{
  Job *job = g_atomic_rc_box_new0 (Job);
  g_autofree char *file_name = g_path_get_basename (path_b);

  job->path_b = g_strdup (path_b);
  job->rules = rules != NULL ? hir_trace_rules_ref (rules) : NULL;
  return create (parent, program, a, name_a, job, name_b != NULL ? name_b : file_name);
}

GtkWidget *
hir_compare_window_new_of_runs (GtkWindow *parent,
                                HirProgram *program,
                                HirTrace *a,
                                const char *name_a,
                                HirOpened *b,
                                const char *name_b)
{
  Job *job = g_atomic_rc_box_new0 (Job);

  job->b = b;
  return create (parent, program, a, name_a, job, name_b);
}
