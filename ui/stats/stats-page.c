#include "stats/stats-page.h"

#include "base/control-words.h"
#include "canvas/scaler.h"
#include "canvas/scroller.h"
#include "config.h"
#include "testing/hold.h"
#include "timeline/event-find.h"
#include "trace/duration.h"
#include "trace/track-set.h"

/* No progress is displayed before this time: dragging a range would make it flicker. */
#define PROGRESS_DELAY_MS 300
#define PROGRESS_MS 100

struct _HirStatsPage
{
  GtkWidget parent_instance;

  HirSelection *selection;
  GtkWidget *box;
  GtkLabel *title;
  GtkSpinner *spinner;
  GtkLabel *note;    /* progress, or "Cancelled" */
  GtkButton *cancel; /* cancels the computation, or restarts it */
  HirStatsCanvas *canvas;
  GCancellable *cancellable; /* of the running computation, or NULL */
  gboolean is_partial;
  gboolean is_stale;     /* the displayed or currently computed numbers are outdated */
  gboolean is_cancelled; /* cancelled by the user: nothing is computed until the user
                            requests it or the input changes */
  guint timer;           /* runs during the computation */
  int percent;           /* progress of the running computation; set by its thread */
};

typedef struct
{
  HirTrace *trace;
  HirStatsOptions options;
  GArray *tracks;      /* nullable: those of the options */
  gboolean is_partial; /* the trace is still being loaded */
  HirStats *stats;     /* NULL if cancelled or failed */
  GError *error;
} Job;

G_DEFINE_FINAL_TYPE (HirStatsPage, hir_stats_page, GTK_TYPE_WIDGET)

static void
job_free (gpointer data)
{
  Job *job = data;

  g_clear_pointer (&job->stats, hir_stats_free);
  g_clear_pointer (&job->tracks, g_array_unref);
  g_clear_error (&job->error);
  hir_trace_unref (job->trace);
  g_free (job);
}

static void
compute (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  Job *job = task_data;

  hir_test_hold ("HIRSCOPE_TEST_STATS_HOLD", cancellable);
  if (hir_stats_check_room (job->trace, &job->error))
    job->stats = hir_stats_new (job->trace, &job->options);
  g_task_return_boolean (task, TRUE);
}

/* @wraps: do not cut the text, because it is an error or has the caveat of the run. */
static void
set_title (HirStatsPage *self, const char *text, gboolean wraps)
{
  gtk_label_set_wrap (self->title, wraps);
  gtk_label_set_ellipsize (self->title, wraps ? PANGO_ELLIPSIZE_NONE : PANGO_ELLIPSIZE_END);
  gtk_label_set_text (self->title, text);
}

static void
show_title (HirStatsPage *self, const Job *job)
{
  gboolean is_whole = hir_trace_get_meta (job->trace, HIR_META_STOPPED) == NULL;
  gint64 zero_ns, last_ns;
  g_autofree char *length = NULL, *text = NULL, *caveat = hir_trace_dup_caveat (job->trace);

  hir_trace_get_span (job->trace, &zero_ns, &last_ns);
  if (job->options.has_range)
    {
      gint64 length_ns = job->options.range_end_ns - job->options.range_start_ns;
      g_autofree char *from =
          hir_format_range_end (job->options.range_start_ns - zero_ns, length_ns);
      g_autofree char *to = hir_format_range_end (job->options.range_end_ns - zero_ns, length_ns);

      length = hir_format_duration (length_ns);
      text =
          g_strdup_printf ("Range %s \u2013 %s, %s long. Events cut at its ends", from, to, length);
    }
  else
    {
      length = hir_format_duration (last_ns - zero_ns);
      text = g_strdup_printf (job->is_partial ? "Loaded so far, %s"
                              : is_whole      ? "Whole trace, %s"
                                              : "The part that ran, %s",
                              length);
    }
  if (job->tracks != NULL)
    {
      g_autofree char *tracks = hir_track_set_dup_text (job->tracks, job->trace);
      char *longer = g_strdup_printf ("%s; %s", text, tracks);

      g_free (text);
      text = longer;
    }
  if (caveat != NULL)
    {
      char *longer = g_strdup_printf ("%s. %s", text, caveat);

      g_free (text);
      text = longer;
    }
  set_title (self, text, caveat != NULL);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->title),
                               job->options.has_range ? HIR_STATS_RANGE_NOTE : NULL);
}

static void begin (HirStatsPage *self);

static void
show_work (HirStatsPage *self, const char *note, const char *button)
{
  gtk_label_set_text (self->note, note != NULL ? note : "");
  gtk_widget_set_visible (GTK_WIDGET (self->note), note != NULL);
  if (button != NULL)
    gtk_button_set_label (self->cancel, button);
  gtk_widget_set_visible (GTK_WIDGET (self->cancel), button != NULL);
}

static gboolean
show_progress (gpointer user_data)
{
  HirStatsPage *self = user_data;
  g_autofree char *text = g_strdup_printf ("%d%%", g_atomic_int_get (&self->percent));

  show_work (self, text, "Cancel");
  return G_SOURCE_CONTINUE;
}

static gboolean
begin_progress (gpointer user_data)
{
  HirStatsPage *self = user_data;

  gtk_spinner_set_spinning (self->spinner, TRUE);
  show_progress (self);
  self->timer = g_timeout_add (PROGRESS_MS, show_progress, self);
  return G_SOURCE_REMOVE;
}

static void
end_work (HirStatsPage *self)
{
  g_clear_handle_id (&self->timer, g_source_remove);
  gtk_spinner_set_spinning (self->spinner, FALSE);
  if (self->is_cancelled)
    show_work (self, "Cancelled", "Compute");
  else
    show_work (self, NULL, NULL);
}

/* Clears the numbers if they belong to another trace. */
static void
clear_others (HirStatsPage *self, const char *title)
{
  HirStatsScene scene;

  if (hir_stats_canvas_get_scene (self->canvas, &scene) &&
      scene.trace == hir_selection_get_trace (self->selection))
    return;
  set_title (self, title, FALSE);
  hir_stats_canvas_set_stats (self->canvas, NULL, NULL);
}

gboolean
hir_stats_page_cancel (HirStatsPage *self)
{
  if (self->cancellable == NULL || self->is_cancelled || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return FALSE;
  self->is_cancelled = TRUE;
  self->is_stale = FALSE;
  g_cancellable_cancel (self->cancellable);
  clear_others (self, "Not computed");
  end_work (self);
  return TRUE;
}

/* Clears the numbers, because they may belong to another range. */
static void
show_failure (HirStatsPage *self, const char *message)
{
  g_autofree char *words = hir_control_words_dup (message);

  set_title (self, words, TRUE);
  hir_stats_canvas_set_stats (self->canvas, NULL, NULL);
  show_work (self, NULL, "Try Again");
}

/* Moves the focus first: the button disappears, and without a focus keys would be lost. */
static void
on_cancel (HirStatsPage *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->canvas));
  if (!hir_stats_page_cancel (self))
    begin (self);
}

static void
on_computed (GObject *source, GAsyncResult *result, gpointer user_data)
{
  HirStatsPage *self = HIR_STATS_PAGE (source);
  Job *job = g_task_get_task_data (G_TASK (result));
  gboolean is_dropped = g_cancellable_is_cancelled (g_task_get_cancellable (G_TASK (result)));

  g_clear_object (&self->cancellable);
  if (self->selection == NULL)
    return;
  if (!self->is_stale)
    end_work (self);
  if (!is_dropped && job->stats != NULL)
    {
      show_title (self, job);
      hir_stats_canvas_set_stats (self->canvas, job->trace, g_steal_pointer (&job->stats));
    }
  else if (!is_dropped && job->error != NULL)
    show_failure (self, job->error->message);
  if (self->is_stale)
    begin (self);
}

/* Starts the computation if none is running. While a range is dragged or a trace grows, the next
 * computation starts when the current one has finished. */
static void
begin (HirStatsPage *self)
{
  HirTrace *trace = hir_selection_get_trace (self->selection);
  GArray *tracks = hir_selection_get_tracks (self->selection);
  g_autoptr (GTask) task = NULL;
  Job *job;

  self->is_stale = TRUE;
  self->is_cancelled = FALSE;
  if (self->cancellable != NULL || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  self->is_stale = FALSE;
  if (trace == NULL || hir_trace_get_n_events (trace) == 0)
    {
      end_work (self);
      set_title (self, hir_selection_get_advice (self->selection), TRUE);
      hir_stats_canvas_set_stats (self->canvas, NULL, NULL);
      return;
    }
  job = g_new0 (Job, 1);
  job->trace = hir_trace_ref (trace);
  job->is_partial = self->is_partial;
  job->options.has_range = hir_selection_get_range (self->selection, &job->options.range_start_ns,
                                                    &job->options.range_end_ns);
  job->tracks = tracks != NULL ? g_array_ref (tracks) : NULL;
  job->options.tracks = job->tracks;
  self->cancellable = g_cancellable_new ();
  job->options.cancellable = self->cancellable;
  job->options.percent = &self->percent;
  self->percent = 0;
  show_work (self, NULL, NULL);
  if (self->timer == 0)
    self->timer = g_timeout_add (PROGRESS_DELAY_MS, begin_progress, self);
  task = g_task_new (self, self->cancellable, on_computed, NULL);
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, compute);
}

void
hir_stats_page_set_is_partial (HirStatsPage *self, gboolean is_partial)
{
  if (self->is_partial == is_partial)
    return;
  self->is_partial = is_partial;
  begin (self);
}

static void
on_trace (HirStatsPage *self)
{
  if (hir_selection_get_trace (self->selection) == NULL && self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  begin (self);
}

static void
on_map (HirStatsPage *self)
{
  if (self->is_stale)
    begin (self);
}

/* Selects the next event of this name after the selected one, within the selected time range. */
static void
on_kernel (HirStatsCanvas *canvas, guint row, gpointer user_data)
{
  HirStatsPage *self = user_data;
  const HirKernelStats *kernel;
  HirStatsScene scene;
  gint64 start_ns, end_ns;

  if (!hir_stats_canvas_get_scene (canvas, &scene) ||
      scene.trace != hir_selection_get_trace (self->selection))
    return;
  kernel = &g_array_index (scene.stats->kernels, HirKernelStats, row);
  if (!hir_selection_get_range (self->selection, &start_ns, &end_ns))
    {
      start_ns = G_MININT64;
      end_ns = G_MAXINT64;
    }
  hir_event_select_next (self->selection, kernel->name, kernel->kind, start_ns, end_ns);
}

/* Selects the event of the latest rank in an iteration. */
static void
on_iteration (HirStatsCanvas *canvas, guint column, gpointer user_data)
{
  HirStatsPage *self = user_data;
  const HirIterationStats *iteration;
  HirStatsScene scene;

  if (!hir_stats_canvas_get_scene (canvas, &scene) ||
      scene.trace != hir_selection_get_trace (self->selection))
    return;
  iteration = &g_array_index (scene.stats->iterations, HirIterationStats, column);
  hir_selection_set_event (self->selection, iteration->track, iteration->index);
}

#if HIR_TESTING
const char *
hir_stats_page_get_title (HirStatsPage *self)
{
  return gtk_label_get_text (self->title);
}

gboolean
hir_stats_page_get_is_busy (HirStatsPage *self)
{
  return self->is_stale || self->cancellable != NULL;
}

HirStatsCanvas *
hir_stats_page_get_canvas (HirStatsPage *self)
{
  return self->canvas;
}
#endif

static void
hir_stats_page_dispose (GObject *object)
{
  HirStatsPage *self = HIR_STATS_PAGE (object);

  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_handle_id (&self->timer, g_source_remove);
  g_clear_object (&self->selection);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS (hir_stats_page_parent_class)->dispose (object);
}

static void
hir_stats_page_class_init (HirStatsPageClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_stats_page_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "statspage");
}

static void
hir_stats_page_init (HirStatsPage *self)
{
  GtkWidget *strip = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *tables = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *title = gtk_label_new ("No recording");
  GtkWidget *canvas = hir_stats_canvas_new ();

  self->is_stale = TRUE;
  self->title = GTK_LABEL (title);
  self->spinner = GTK_SPINNER (gtk_spinner_new ());
  self->canvas = HIR_STATS_CANVAS (canvas);
  gtk_label_set_xalign (self->title, 0);
  gtk_label_set_ellipsize (self->title, PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (title, TRUE);
  gtk_widget_add_css_class (strip, "stats-strip");
  gtk_box_append (GTK_BOX (strip), title);
  gtk_box_append (GTK_BOX (strip), GTK_WIDGET (self->spinner));
  self->note = GTK_LABEL (gtk_label_new (NULL));
  gtk_widget_add_css_class (GTK_WIDGET (self->note), "dim-label");
  gtk_box_append (GTK_BOX (strip), GTK_WIDGET (self->note));
  self->cancel = GTK_BUTTON (gtk_button_new_with_label ("Cancel"));
  gtk_widget_add_css_class (GTK_WIDGET (self->cancel), "small-button");
  gtk_box_append (GTK_BOX (strip), GTK_WIDGET (self->cancel));
  g_signal_connect_swapped (self->cancel, "clicked", G_CALLBACK (on_cancel), self);
  show_work (self, NULL, NULL);
  gtk_widget_set_hexpand (canvas, TRUE);
  gtk_widget_set_vexpand (canvas, TRUE);
  gtk_box_append (GTK_BOX (tables), hir_scaler_new (canvas));
  gtk_box_append (GTK_BOX (tables),
                  hir_scrollbar_new (hir_stats_canvas_get_adjustment (self->canvas)));
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_box_append (GTK_BOX (self->box), strip);
  gtk_box_append (GTK_BOX (self->box), tables);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  g_signal_connect (canvas, "kernel-activated", G_CALLBACK (on_kernel), self);
  g_signal_connect (canvas, "iteration-activated", G_CALLBACK (on_iteration), self);
  g_signal_connect (self, "map", G_CALLBACK (on_map), NULL);
}

static void
on_advice (HirStatsPage *self)
{
  HirTrace *trace = hir_selection_get_trace (self->selection);

  if (trace == NULL || hir_trace_get_n_events (trace) == 0)
    begin (self);
}

GtkWidget *
hir_stats_page_new (HirSelection *selection)
{
  HirStatsPage *self = g_object_new (HIR_TYPE_STATS_PAGE, NULL);

  self->selection = g_object_ref (selection);
  g_signal_connect_swapped (selection, "trace-changed", G_CALLBACK (on_trace), self);
  g_signal_connect_swapped (selection, "range-changed", G_CALLBACK (begin), self);
  g_signal_connect_swapped (selection, "advice-changed", G_CALLBACK (on_advice), self);
  return GTK_WIDGET (self);
}
