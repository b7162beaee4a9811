#include "base/file-watch.h"

/* An editor may write a file in several steps. */
#define SETTLE_MS 200

struct _HirFileWatch
{
  HirFileWatchFunc func;
  gpointer user_data;
  char *path;            /* nullable */
  GFileMonitor *monitor; /* nullable */
  guint settling;        /* timeout after a change; 0: none */
};

static gboolean
on_settled (gpointer user_data)
{
  HirFileWatch *self = user_data;

  self->settling = 0;
  self->func (self->user_data);
  return G_SOURCE_REMOVE;
}

static void
on_changed (HirFileWatch *self)
{
  g_clear_handle_id (&self->settling, g_source_remove);
  self->settling = g_timeout_add (SETTLE_MS, on_settled, self);
}

gboolean
hir_file_watch_set_path (HirFileWatch *self, const char *path)
{
  g_autoptr (GFile) file = path != NULL ? g_file_new_for_path (path) : NULL;

  if (g_strcmp0 (path, self->path) == 0)
    return FALSE;
  g_clear_handle_id (&self->settling, g_source_remove);
  g_clear_object (&self->monitor);
  g_free (self->path);
  self->path = g_strdup (path);
  if (file != NULL) /* An error only means that changes are not reported. */
    self->monitor = g_file_monitor_file (file, G_FILE_MONITOR_NONE, NULL, NULL);
  if (self->monitor != NULL)
    g_signal_connect_swapped (self->monitor, "changed", G_CALLBACK (on_changed), self);
  return TRUE;
}

HirFileWatch *
hir_file_watch_new (HirFileWatchFunc func, gpointer user_data)
{
  HirFileWatch *self = g_new0 (HirFileWatch, 1);

  self->func = func;
  self->user_data = user_data;
  return self;
}

void
hir_file_watch_free (HirFileWatch *self)
{
  g_clear_handle_id (&self->settling, g_source_remove);
  g_clear_object (&self->monitor);
  g_free (self->path);
  g_free (self);
}
