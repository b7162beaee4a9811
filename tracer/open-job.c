#include "open-job.h"

struct _HirOpenJob
{
  gatomicrefcount ref_count;
  char **paths;
  GMutex mutex;
  guint64 done, total;
};

HirOpenJob *
hir_open_job_new (const char *const *paths)
{
  HirOpenJob *job = g_new0 (HirOpenJob, 1);

  g_atomic_ref_count_init (&job->ref_count);
  g_mutex_init (&job->mutex);
  job->paths = g_strdupv ((char **) paths);
  return job;
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

HirOpened *
hir_open_job_run (HirOpenJob *job, GCancellable *cancellable, GError **error)
{
  const HirImportOptions options = { .cancellable = cancellable,
                                     .progress = on_progress,
                                     .user_data = job };

  return hir_opened_new_from ((const char *const *) job->paths, &options, error);
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

/* "1,321" */
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

/* The notes themselves stand in the account. */
char *
hir_opened_describe (const HirOpened *opened)
{
  guint n_notes = g_strv_length ((char **) hir_trace_get_account (opened->trace));
  guint64 n_events = hir_trace_get_n_events (opened->trace);
  guint n_tracks = hir_trace_get_n_tracks (opened->trace);
  GString *text = g_string_new (NULL);

  append_count (text, n_events);
  g_string_append (text, n_events == 1 ? " event of " : " events of ");
  append_count (text, n_tracks);
  g_string_append (text, n_tracks == 1 ? " track" : " tracks");
  if (n_notes > 0)
    g_string_append_printf (text, "; %u note%s", n_notes, n_notes == 1 ? "" : "s");
  return g_string_free (text, FALSE);
}
