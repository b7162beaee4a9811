/* Passes progress and partial results from the worker thread to the main loop. */
#include "document/open-job.h"

struct _HirOpenJob
{
  gatomicrefcount ref_count;
  char **paths;
  HirTraceRules *rules; /* nullable */
  GCancellable *enough;
  GMainContext *context; /* nullable: main context of func */
  HirOpenJobFunc func;   /* nullable; used in that context only */
  gpointer user_data;
  GMutex mutex; /* guards the members below */
  HirOpened *picture;
  guint64 done, total;
};

HirOpenJob *
hir_open_job_new (const char *const *paths)
{
  HirOpenJob *job = g_new0 (HirOpenJob, 1);

  g_atomic_ref_count_init (&job->ref_count);
  g_mutex_init (&job->mutex);
  job->enough = g_cancellable_new ();
  job->paths = g_strdupv ((char **) paths);
  return job;
}

void
hir_open_job_set_rules (HirOpenJob *job, HirTraceRules *rules)
{
  job->rules = rules != NULL ? hir_trace_rules_ref (rules) : NULL;
}

HirOpenJob *
hir_open_job_ref (HirOpenJob *job)
{
  g_atomic_ref_count_inc (&job->ref_count);
  return job;
}

void
hir_open_job_unref (HirOpenJob *job)
{
  if (job == NULL || !g_atomic_ref_count_dec (&job->ref_count))
    return;
  g_strfreev (job->paths);
  g_clear_pointer (&job->rules, hir_trace_rules_unref);
  g_object_unref (job->enough);
  g_clear_pointer (&job->context, g_main_context_unref);
  hir_opened_free (job->picture);
  g_mutex_clear (&job->mutex);
  g_free (job);
}

static void
on_progress (guint64 done, guint64 total, gpointer user_data)
{
  HirOpenJob *job = user_data;

  g_mutex_lock (&job->mutex);
  job->done = done;
  job->total = total;
  g_mutex_unlock (&job->mutex);
}

void
hir_open_job_set_func (HirOpenJob *job, HirOpenJobFunc func, gpointer user_data)
{
  if (job->context == NULL)
    job->context = g_main_context_ref_thread_default ();
  job->func = func;
  job->user_data = user_data;
}

static gboolean
notify (gpointer data)
{
  HirOpenJob *job = data;

  if (job->func != NULL)
    job->func (job, job->user_data);
  return G_SOURCE_REMOVE;
}

static void
on_picture (const HirOpened *opened, gpointer user_data)
{
  HirOpenJob *job = user_data;
  HirOpened *copy = g_new0 (HirOpened, 1);
  g_autoptr (GSource) source = g_idle_source_new ();

  copy->program = hir_program_ref (opened->program);
  copy->ranks = hir_rank_programs_ref (opened->ranks);
  copy->trace = hir_trace_ref (opened->trace);
  g_mutex_lock (&job->mutex);
  hir_opened_free (job->picture);
  job->picture = copy;
  g_mutex_unlock (&job->mutex);
  if (job->context == NULL)
    return;
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, notify, hir_open_job_ref (job),
                         (GDestroyNotify) hir_open_job_unref);
  g_source_attach (source, job->context);
}

HirOpened *
hir_open_job_take_picture (HirOpenJob *job)
{
  HirOpened *picture;

  g_mutex_lock (&job->mutex);
  picture = g_steal_pointer (&job->picture);
  g_mutex_unlock (&job->mutex);
  return picture;
}

void
hir_open_job_stop (HirOpenJob *job)
{
  g_cancellable_cancel (job->enough);
}

HirOpened *
hir_open_job_run (HirOpenJob *job, GCancellable *cancellable, GError **error)
{
  const HirImportOptions options = {
    .cancellable = cancellable,
    .progress = on_progress,
    .enough = job->enough,
    .user_data = job,
    .rules = job->rules,
  };

  return hir_opened_new_from ((const char *const *) job->paths, &options,
                              job->context != NULL ? on_picture : NULL, error);
}

void
hir_open_job_get_progress (HirOpenJob *job, guint64 *done, guint64 *total)
{
  g_mutex_lock (&job->mutex);
  *done = job->done;
  *total = job->total;
  g_mutex_unlock (&job->mutex);
}

const char *const *
hir_open_job_get_paths (HirOpenJob *job)
{
  return (const char *const *) job->paths;
}

/* Appends @n with thousands separators: "1,321". */
static void
append_count (GString *text, guint64 n)
{
  if (n >= 1000)
    {
      append_count (text, n / 1000);
      g_string_append_printf (text, ",%03u", (guint) (n % 1000));
      return;
    }
  g_string_append_printf (text, "%u", (guint) n);
}

char *
hir_count_to_string (guint64 n)
{
  GString *text = g_string_new (NULL);

  append_count (text, n);
  return g_string_free (text, FALSE);
}

static void
append_size (GString *text, const HirTrace *trace)
{
  guint64 n_events = hir_trace_get_n_events (trace);
  guint n_tracks = hir_trace_get_n_tracks (trace);

  append_count (text, n_events);
  g_string_append (text, n_events == 1 ? " event of " : " events of ");
  append_count (text, n_tracks);
  g_string_append (text, n_tracks == 1 ? " track" : " tracks");
}

char *
hir_opened_describe_part (const HirOpened *opened)
{
  GString *text = g_string_new ("Opening\xe2\x80\xa6 ");

  append_size (text, opened->trace);
  g_string_append (text, " so far");
  return g_string_free (text, FALSE);
}

/* The account of the trace has the notes themselves. */
char *
hir_opened_describe (const HirOpened *opened)
{
  guint n_notes = g_strv_length ((char **) hir_trace_get_account (opened->trace));
  const char *verdict = hir_trace_get_verdict (opened->trace);
  GString *text = g_string_new (NULL);

  append_size (text, opened->trace);
  if (verdict != NULL)
    g_string_append_printf (text, "; check: %s", verdict);
  if (n_notes > 0)
    g_string_append_printf (text, "; %u note%s", n_notes, n_notes == 1 ? "" : "s");
  return g_string_free (text, FALSE);
}
