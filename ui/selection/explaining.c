#include "selection/explaining.h"

#include "predict/explain-run.h"
#include "selection/gain-place.h"
#include "testing/hold.h"

#define PROGRESS_MS 100

struct _HirExplaining
{
  GObject parent_instance;

  HirSelection *selection;
  HirExplain *explain;       /* of the trace, or NULL */
  GCancellable *cancellable; /* of the running computation, or NULL */
  HirTrace *computed;        /* its trace */
  GCancellable *simulation;  /* of the simulation of the gains, or NULL */
  gboolean is_simulated;     /* the gains of the explanation were simulated, or cannot be */
  char *problem;
  guint timer; /* runs during the computation */
  int percent; /* set by its thread */
  gboolean shows_path;
  guint shades;
  GArray *pieces; /* HirLostSpan, of the loss that was selected, or NULL */
  int waiting;    /* 1 or -1: hir_explaining_go() continues after the computation */
};

static guint changed, shown;

G_DEFINE_FINAL_TYPE (HirExplaining, hir_explaining, G_TYPE_OBJECT)

typedef struct
{
  HirTrace *trace;
  HirProgram *program; /* NULL: without gains */
  int *percent;        /* nullable */
  HirExplain *explain;
  GError *error;
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;

  g_clear_pointer (&job->explain, hir_explain_free);
  g_clear_error (&job->error);
  g_clear_pointer (&job->program, hir_program_unref);
  hir_trace_unref (job->trace);
  g_free (job);
}

static void
emit (HirExplaining *self)
{
  g_signal_emit (self, changed, 0);
}

static void
compute (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  Job *job = task_data;

  if (job->program == NULL)
    hir_test_hold ("HIRSCOPE_TEST_EXPLAIN_HOLD", cancellable);
  job->explain = hir_explain_run (job->trace, job->program, cancellable, job->percent, &job->error);
  g_task_return_boolean (task, TRUE);
}

static gboolean
on_progress (gpointer user_data)
{
  emit (user_data);
  return G_SOURCE_CONTINUE;
}

static void
end (HirExplaining *self)
{
  g_clear_handle_id (&self->timer, g_source_remove);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->computed, hir_trace_unref);
}

static void simulate (HirExplaining *self);

/* Displays the explanation with the gains instead of the one without. */
static void
on_simulated (GObject *source, GAsyncResult *result, gpointer user_data)
{
  HirExplaining *self = HIR_EXPLAINING (source);
  Job *job = g_task_get_task_data (G_TASK (result));
  gboolean is_current = self->explain != NULL && self->explain->trace == job->trace &&
                        !g_cancellable_is_cancelled (self->simulation);
  HirExplain *before = self->explain;

  g_clear_object (&self->simulation);
  if (is_current)
    {
      self->is_simulated = TRUE;
      if (job->explain != NULL)
        self->explain = g_steal_pointer (&job->explain);
      emit (self);
      if (self->explain != before)
        hir_explain_free (before);
    }
  simulate (self);
}

/* Simulates the gains, once at a time: a growing trace may cancel a simulation, which then still
 * runs for a while. Computes the explanation again, because another thread must not change the
 * displayed one; traces that are too large for this are not simulated either. */
static void
simulate (HirExplaining *self)
{
  HirProgram *program;
  g_autoptr (GTask) task = NULL;
  Job *job;

  if (self->explain == NULL || self->is_simulated || self->simulation != NULL)
    return;
  program = hir_selection_get_program (self->selection);
  self->is_simulated = program == NULL || program->request == NULL;
  if (self->is_simulated)
    return;
  job = g_new0 (Job, 1);
  job->trace = hir_trace_ref (self->explain->trace);
  job->program = hir_program_ref (program);
  self->simulation = g_cancellable_new ();
  task = g_task_new (self, self->simulation, on_simulated, NULL);
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, compute);
}

static void
on_computed (GObject *source, GAsyncResult *result, gpointer user_data)
{
  HirExplaining *self = HIR_EXPLAINING (source);
  Job *job = g_task_get_task_data (G_TASK (result));
  int waiting = self->waiting;

  /* Cancelled, or of an earlier trace. */
  if (g_task_get_cancellable (G_TASK (result)) != self->cancellable)
    return;
  end (self);
  self->explain = g_steal_pointer (&job->explain);
  if (job->error != NULL)
    self->problem = g_strdup (job->error->message);
  self->waiting = 0;
  self->is_simulated = FALSE;
  simulate (self);
  emit (self);
  if (waiting != 0 && self->explain != NULL)
    hir_explaining_go (self, waiting > 0);
}

void
hir_explaining_request (HirExplaining *self)
{
  HirTrace *trace = hir_selection_get_trace (self->selection);
  g_autoptr (GTask) task = NULL;
  Job *job;

  if (trace == NULL || hir_trace_get_n_events (trace) == 0 || self->explain != NULL ||
      self->cancellable != NULL || self->problem != NULL)
    return;
  job = g_new0 (Job, 1);
  job->trace = hir_trace_ref (trace);
  job->percent = &self->percent;
  self->percent = 0;
  self->computed = hir_trace_ref (trace);
  self->cancellable = g_cancellable_new ();
  self->timer = g_timeout_add (PROGRESS_MS, on_progress, self);
  task = g_task_new (self, self->cancellable, on_computed, NULL);
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, compute);
  emit (self);
}

void
hir_explaining_retry (HirExplaining *self)
{
  g_clear_pointer (&self->problem, g_free);
  hir_explaining_request (self);
}

gboolean
hir_explaining_cancel (HirExplaining *self)
{
  if (self->cancellable == NULL)
    return FALSE;
  g_cancellable_cancel (self->cancellable);
  end (self);
  self->waiting = 0;
  self->problem = g_strdup ("Cancelled");
  emit (self);
  return TRUE;
}

const HirExplain *
hir_explaining_get (HirExplaining *self)
{
  return self->explain;
}

gboolean
hir_explaining_get_progress (HirExplaining *self, int *percent)
{
  *percent = g_atomic_int_get (&self->percent);
  return self->cancellable != NULL;
}

gboolean
hir_explaining_is_simulating (HirExplaining *self)
{
  return self->explain != NULL && self->simulation != NULL &&
         !g_cancellable_is_cancelled (self->simulation);
}

const char *
hir_explaining_get_problem (HirExplaining *self)
{
  return self->problem;
}

static void
request_for_timeline (HirExplaining *self)
{
  if (self->shows_path || self->shades != 0)
    hir_explaining_request (self);
}

void
hir_explaining_set_shows_path (HirExplaining *self, gboolean shows_path)
{
  if (self->shows_path == shows_path)
    return;
  self->shows_path = shows_path;
  if (shows_path)
    hir_explaining_retry (self);
  emit (self);
}

gboolean
hir_explaining_get_shows_path (HirExplaining *self)
{
  return self->shows_path;
}

void
hir_explaining_set_shades (HirExplaining *self, guint shades)
{
  if (self->shades == shades)
    return;
  self->shades = shades;
  g_clear_pointer (&self->pieces, g_array_unref);
  if (shades != 0)
    hir_explaining_retry (self);
  emit (self);
}

guint
hir_explaining_get_shades (HirExplaining *self)
{
  return self->shades;
}

/* A place in the order of all spans: by start, then by the order of devices and kinds. */
typedef struct
{
  gint64 start_ns;
  guint number; /* of device and kind */
} Place;

static int
compare_places (Place a, Place b)
{
  if (a.start_ns != b.start_ns)
    return a.start_ns < b.start_ns ? -1 : 1;
  return (a.number > b.number) - (a.number < b.number);
}

/* Returns where to start from: the span that is selected, or the selected time. */
static Place
get_place (HirExplaining *self, gboolean forward)
{
  const HirExplain *explain = self->explain;
  Place place = { forward ? G_MININT64 : G_MAXINT64, 0 };
  guint track, index;
  gint64 start_ns, end_ns;
  gboolean has_event = hir_selection_get_event (self->selection, &track, &index);

  if (!hir_selection_get_range (self->selection, &start_ns, &end_ns))
    {
      if (has_event)
        hir_trace_get_interval (explain->trace, track, index, &place.start_ns, &end_ns);
      return place;
    }
  place.start_ns = start_ns;
  for (guint i = 0; i < explain->devices->len * HIR_N_SPAN_KINDS; i++)
    {
      const HirDeviceSpans *device = g_ptr_array_index (explain->devices, i / HIR_N_SPAN_KINDS);
      const GArray *spans = device->spans[i % HIR_N_SPAN_KINDS];
      guint at = hir_spans_find (spans, start_ns);
      const HirLostSpan *span = at < spans->len ? &g_array_index (spans, HirLostSpan, at) : NULL;

      if (span != NULL && span->start_ns == start_ns && span->end_ns == end_ns && has_event &&
          span->track == track && span->index == index)
        place.number = i + 1;
    }
  return place;
}

/* Returns the nearest span after (or before) @place in one array, or NULL. */
static const HirLostSpan *
find_span (const GArray *spans, Place place, guint number, gboolean forward)
{
  guint at = place.start_ns == G_MININT64 ? 0 : hir_spans_find (spans, place.start_ns);

  if (forward)
    {
      for (; at < spans->len; at++)
        {
          const HirLostSpan *span = &g_array_index (spans, HirLostSpan, at);

          if (compare_places ((Place){ span->start_ns, number }, place) > 0)
            return span;
        }
      return NULL;
    }
  for (at = MIN (at + 1, spans->len); at-- > 0;)
    {
      const HirLostSpan *span = &g_array_index (spans, HirLostSpan, at);

      if (compare_places ((Place){ span->start_ns, number }, place) < 0)
        return span;
    }
  return NULL;
}

/* Returns the number of the selected one of @pieces, from 1, or 0. */
static guint
find_piece (HirExplaining *self, const GArray *pieces)
{
  gint64 start_ns, end_ns;
  guint track, index;

  if (!hir_selection_get_range (self->selection, &start_ns, &end_ns) ||
      !hir_selection_get_event (self->selection, &track, &index))
    return 0;
  for (guint i = 0; i < pieces->len; i++)
    {
      const HirLostSpan *piece = &g_array_index (pieces, HirLostSpan, i);

      if (piece->start_ns == start_ns && piece->end_ns == end_ns && piece->track == track &&
          piece->index == index)
        return i + 1;
    }
  return 0;
}

/* Selects an event and a range, and makes the range visible in the timeline. */
static void
show (HirExplaining *self, guint track, guint index, gint64 start_ns, gint64 end_ns)
{
  hir_selection_set_event (self->selection, track, index);
  hir_selection_set_tracks (self->selection, NULL);
  hir_selection_set_range (self->selection, start_ns, end_ns);
  g_signal_emit (self, shown, 0);
}

/* Selects the next or previous piece of the selected loss. Returns FALSE if none is selected. */
static gboolean
go_to_piece (HirExplaining *self, gboolean forward)
{
  guint number = self->pieces != NULL ? find_piece (self, self->pieces) : 0;
  const HirLostSpan *piece;

  if (number == 0)
    return FALSE;
  number = CLAMP (forward ? number + 1 : number - 1, 1, self->pieces->len);
  piece = &g_array_index (self->pieces, HirLostSpan, number - 1);
  show (self, piece->track, piece->index, piece->start_ns, piece->end_ns);
  return TRUE;
}

void
hir_explaining_go (HirExplaining *self, gboolean forward)
{
  const HirLostSpan *best = NULL;
  Place place, found = { 0 };

  if (go_to_piece (self, forward))
    return;
  if (self->shades == 0)
    hir_explaining_set_shades (self, 1u << HIR_SPAN_EXPOSED);
  if (self->explain == NULL)
    {
      self->waiting = self->cancellable != NULL ? (forward ? 1 : -1) : 0;
      return;
    }
  place = get_place (self, forward);
  for (guint i = 0; i < self->explain->devices->len * HIR_N_SPAN_KINDS; i++)
    {
      const HirDeviceSpans *device =
          g_ptr_array_index (self->explain->devices, i / HIR_N_SPAN_KINDS);
      const HirLostSpan *span = NULL;

      if (self->shades & (1u << i % HIR_N_SPAN_KINDS))
        span = find_span (device->spans[i % HIR_N_SPAN_KINDS], place, i + 1, forward);
      if (span == NULL)
        continue;
      if (best == NULL || (compare_places ((Place){ span->start_ns, i + 1 }, found) < 0) == forward)
        {
          best = span;
          found = (Place){ span->start_ns, i + 1 };
        }
    }
  if (best == NULL)
    return;
  show (self, best->track, best->index, best->start_ns, best->end_ns);
}

void
hir_explaining_show_loss (HirExplaining *self, const HirLoss *loss)
{
  g_clear_pointer (&self->pieces, g_array_unref);
  self->pieces = g_array_ref (loss->pieces);
  show (self, loss->track, loss->index, loss->start_ns, loss->end_ns);
}

guint
hir_explaining_get_piece (HirExplaining *self, const HirLoss *loss)
{
  return find_piece (self, loss->pieces);
}

void
hir_explaining_show_gain (HirExplaining *self, const HirGain *gain)
{
  HirProgram *program = hir_selection_get_program (self->selection);
  const GPtrArray *views = program != NULL ? program->views : NULL;
  const HirProgramView *view =
      views != NULL && views->len > 0 ? g_ptr_array_index (views, views->len - 1) : NULL;
  HirGainPlace place;

  if (hir_gain_find_place (self->explain, view, gain, &place))
    show (self, place.track, place.index, place.start_ns, place.end_ns);
}

/* A growing trace is explained when the computation for its earlier part is cancelled. */
static void
on_trace (HirExplaining *self)
{
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  if (self->simulation != NULL)
    g_cancellable_cancel (self->simulation);
  end (self);
  self->waiting = 0;
  g_clear_pointer (&self->explain, hir_explain_free);
  g_clear_pointer (&self->pieces, g_array_unref);
  g_clear_pointer (&self->problem, g_free);
  emit (self);
  request_for_timeline (self);
}

static void
hir_explaining_dispose (GObject *object)
{
  HirExplaining *self = HIR_EXPLAINING (object);

  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  if (self->simulation != NULL)
    g_cancellable_cancel (self->simulation);
  g_clear_object (&self->simulation);
  end (self);
  g_clear_object (&self->selection);
  g_clear_pointer (&self->pieces, g_array_unref);
  g_clear_pointer (&self->explain, hir_explain_free);
  g_clear_pointer (&self->problem, g_free);
  G_OBJECT_CLASS (hir_explaining_parent_class)->dispose (object);
}

static void
hir_explaining_class_init (HirExplainingClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_explaining_dispose;
  changed = g_signal_new ("changed", HIR_TYPE_EXPLAINING, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                          G_TYPE_NONE, 0);
  shown = g_signal_new ("shown", HIR_TYPE_EXPLAINING, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                        G_TYPE_NONE, 0);
}

static void
hir_explaining_init (HirExplaining *self)
{
}

HirExplaining *
hir_explaining_new (HirSelection *selection)
{
  HirExplaining *self = g_object_new (HIR_TYPE_EXPLAINING, NULL);

  self->selection = g_object_ref (selection);
  g_signal_connect_swapped (selection, "trace-changed", G_CALLBACK (on_trace), self);
  return self;
}
