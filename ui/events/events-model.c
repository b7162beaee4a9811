#include "events/events-model.h"

#include "events/events-connection.h"

#define MAX_BYTES ((gsize) 256 * 1024 * 1024) /* of the rows of a query */
#define PAGE 128                              /* rows that are read at once */
#define MAX_PAGES 32                          /* kept in memory */

struct _HirEventsModel
{
  GObject parent_instance;

  HirSelection *selection;
  GCancellable *cancellable; /* of the running query, or NULL */
  GCancellable *saving;      /* of the file that is written, or NULL */
  GError *error;
  /* The rows. */
  HirEventsConnection *connection; /* nullable */
  HirQueryResult *result;          /* nullable */
  char *table, *columns;           /* nullable */
  char **names;                    /* nullable: the columns */
  gint64 n_events;
  guint serial;
  GHashTable *pages;         /* number of a page -> HirQueryResult */
  GCancellable *page_reader; /* of the page that is read, or NULL */
};

static guint changed, loaded;

G_DEFINE_FINAL_TYPE (HirEventsModel, hir_events_model, G_TYPE_OBJECT)

/* A task: a query, a page, a copy or a file. */
typedef struct
{
  HirEventsConnection *connection;
  char *sql, *table, *columns, *path;
  guint page;
  gint64 n_events;
  HirQueryResult *result;
  GError *error;
  HirEventsCopied copied;
  gpointer copied_data;
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;

  g_clear_pointer (&job->result, hir_query_result_free);
  g_clear_error (&job->error);
  hir_events_connection_unref (job->connection);
  g_free (job->sql);
  g_free (job->table);
  g_free (job->columns);
  g_free (job->path);
  g_free (job);
}

static void
run_job (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  Job *job = task_data;

  if (job->path != NULL)
    (void) hir_events_connection_save (job->connection, job->sql, job->path, cancellable,
                                       &job->error);
  else
    job->result =
        hir_events_connection_run (job->connection, job->sql, MAX_BYTES, cancellable, &job->error);
  if (job->result != NULL && job->table != NULL)
    job->n_events = hir_events_connection_count (job->connection, job->table, cancellable);
  g_task_return_boolean (task, TRUE);
}

/* Takes @job. */
static void
start (HirEventsModel *self, Job *job, GCancellable *cancellable, GAsyncReadyCallback done)
{
  g_autoptr (GTask) task = g_task_new (self, cancellable, done, NULL);

  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, run_job);
}

static Job *
job_new (HirEventsConnection *connection, char *sql)
{
  Job *job = g_new0 (Job, 1);

  job->connection = hir_events_connection_ref (connection);
  job->sql = sql;
  return job;
}

/* --- query -------------------------------------------------------------------------------- */

static void
drop_pages (HirEventsModel *self)
{
  g_hash_table_remove_all (self->pages);
  if (self->page_reader != NULL)
    g_cancellable_cancel (self->page_reader);
  g_clear_object (&self->page_reader);
}

static void
drop_rows (HirEventsModel *self)
{
  drop_pages (self);
  g_clear_pointer (&self->result, hir_query_result_free);
  g_clear_pointer (&self->table, g_free);
  g_clear_pointer (&self->columns, g_free);
  g_clear_pointer (&self->names, g_strfreev);
  self->n_events = 0;
  self->serial++;
}

void
hir_events_model_clear (HirEventsModel *self)
{
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  drop_rows (self);
  g_clear_pointer (&self->connection, hir_events_connection_unref);
  g_clear_error (&self->error);
  g_signal_emit (self, changed, 0);
}

static void
take_rows (HirEventsModel *self, Job *job)
{
  drop_rows (self);
  g_clear_pointer (&self->connection, hir_events_connection_unref);
  self->connection = hir_events_connection_ref (job->connection);
  self->result = g_steal_pointer (&job->result);
  self->table = g_steal_pointer (&job->table);
  self->columns = g_steal_pointer (&job->columns);
  self->n_events = job->n_events;
  if (self->columns != NULL)
    self->names = g_strsplit (self->columns, ", ", -1);
}

static void
on_rows (GObject *source, GAsyncResult *result, gpointer user_data)
{
  HirEventsModel *self = HIR_EVENTS_MODEL (source);
  Job *job = g_task_get_task_data (G_TASK (result));

  /* Cancelled, or replaced by a later query. */
  if (g_task_get_cancellable (G_TASK (result)) != self->cancellable)
    return;
  g_clear_object (&self->cancellable);
  if (job->result != NULL)
    take_rows (self, job);
  else
    {
      /* The earlier rows are not those of this query. */
      drop_rows (self);
      self->error = g_steal_pointer (&job->error);
    }
  g_signal_emit (self, changed, 0);
}

void
hir_events_model_run (HirEventsModel *self, const HirEventsRequest *request)
{
  HirEventsConnection *connection;
  Job *job;

  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_error (&self->error);
  if (self->connection != NULL && hir_events_connection_is_of (self->connection, self->selection))
    connection = hir_events_connection_ref (self->connection);
  else
    connection = hir_events_connection_new (self->selection);
  job = job_new (connection, g_strdup (request->sql));
  hir_events_connection_unref (connection);
  job->table = g_strdup (request->table);
  job->columns = g_strdup (request->columns);
  self->cancellable = g_cancellable_new ();
  start (self, job, self->cancellable, on_rows);
  g_signal_emit (self, changed, 0);
}

gboolean
hir_events_model_cancel (HirEventsModel *self)
{
  if (self->cancellable == NULL && self->saving == NULL)
    return FALSE;
  if (self->saving != NULL)
    g_cancellable_cancel (self->saving);
  if (self->cancellable != NULL)
    {
      g_cancellable_cancel (self->cancellable);
      g_clear_object (&self->cancellable);
      g_clear_error (&self->error);
      self->error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, "Cancelled");
    }
  g_signal_emit (self, changed, 0);
  return TRUE;
}

/* --- rows --------------------------------------------------------------------------------- */

gboolean
hir_events_model_is_busy (HirEventsModel *self)
{
  return self->cancellable != NULL || self->saving != NULL;
}

const GError *
hir_events_model_get_error (HirEventsModel *self)
{
  return self->error;
}

gboolean
hir_events_model_is_current (HirEventsModel *self)
{
  return self->connection != NULL &&
         hir_events_connection_is_of (self->connection, self->selection);
}

guint
hir_events_model_get_serial (HirEventsModel *self)
{
  return self->serial;
}

guint
hir_events_model_get_n_rows (HirEventsModel *self)
{
  return self->result != NULL ? hir_query_result_get_n_rows (self->result) : 0;
}

guint
hir_events_model_get_n_columns (HirEventsModel *self)
{
  if (self->names != NULL)
    return g_strv_length (self->names);
  return self->result != NULL ? hir_query_result_get_n_columns (self->result) : 0;
}

gint64
hir_events_model_get_n_events (HirEventsModel *self)
{
  return self->n_events;
}

gboolean
hir_events_model_is_cut (HirEventsModel *self)
{
  return self->result != NULL && hir_query_result_is_cut (self->result);
}

const char *
hir_events_model_get_name (HirEventsModel *self, guint column)
{
  return self->names != NULL ? self->names[column]
                             : hir_query_result_get_name (self->result, column);
}

/* Returns the SQL that reads the columns of @n rows in their order. */
static char *
dup_rows_sql (HirEventsModel *self, guint first, guint n)
{
  GString *sql = g_string_new ("WITH page(n, i) AS (VALUES ");

  for (guint i = 0; i < n; i++)
    g_string_append_printf (sql, "%s(%u,%" G_GINT64_FORMAT ")", i > 0 ? "," : "", i,
                            hir_query_result_get_integer (self->result, first + i, 0));
  g_string_append_printf (sql,
                          ") SELECT %s FROM page CROSS JOIN %s AS e ON e.id = page.i "
                          "ORDER BY page.n",
                          self->columns, self->table);
  return g_string_free (sql, FALSE);
}

static void
on_page (GObject *source, GAsyncResult *result, gpointer user_data)
{
  HirEventsModel *self = HIR_EVENTS_MODEL (source);
  Job *job = g_task_get_task_data (G_TASK (result));

  if (g_task_get_cancellable (G_TASK (result)) != self->page_reader)
    return;
  g_clear_object (&self->page_reader);
  if (job->result == NULL)
    return;
  if (g_hash_table_size (self->pages) >= MAX_PAGES)
    g_hash_table_remove_all (self->pages);
  g_hash_table_insert (self->pages, GUINT_TO_POINTER (job->page), g_steal_pointer (&job->result));
  g_signal_emit (self, loaded, 0);
}

const HirQueryResult *
hir_events_model_lookup (HirEventsModel *self, guint row, guint *at)
{
  const HirQueryResult *page;
  guint n_rows = hir_events_model_get_n_rows (self), number = row / PAGE;
  Job *job;

  *at = row;
  if (self->columns == NULL)
    return self->result;
  page = g_hash_table_lookup (self->pages, GUINT_TO_POINTER (number));
  *at = row % PAGE;
  if (page != NULL && *at < hir_query_result_get_n_rows (page))
    return page;
  if (page != NULL || self->page_reader != NULL)
    return NULL;
  job = job_new (self->connection,
                 dup_rows_sql (self, number * PAGE, MIN (PAGE, n_rows - number * PAGE)));
  job->page = number;
  self->page_reader = g_cancellable_new ();
  start (self, job, self->page_reader, on_page);
  return NULL;
}

/* Returns the column of the result with ids of events, or -1. */
static int
find_ids (HirEventsModel *self)
{
  if (self->columns != NULL)
    return 0;
  return self->result != NULL ? hir_query_result_find_column (self->result, "id") : -1;
}

gboolean
hir_events_model_has_ids (HirEventsModel *self)
{
  return find_ids (self) >= 0;
}

gboolean
hir_events_model_get_event (HirEventsModel *self, guint row, guint *track, guint *index)
{
  const HirTrace *trace = hir_selection_get_trace (self->selection);
  int column = find_ids (self);
  guint64 id;

  if (column < 0 || trace == NULL || hir_events_connection_get_trace (self->connection) != trace ||
      row >= hir_query_result_get_n_rows (self->result) ||
      hir_query_result_get_type (self->result, row, (guint) column) != HIR_QUERY_INTEGER)
    return FALSE;
  id = (guint64) hir_query_result_get_integer (self->result, row, (guint) column);
  *track = (guint) (id >> 32);
  *index = (guint) (id & G_MAXUINT32);
  return *track < hir_trace_get_n_tracks (trace) &&
         *index < hir_trace_get_track_n_events (trace, *track);
}

gint64
hir_events_model_find_event (HirEventsModel *self, guint track, guint index)
{
  int column = find_ids (self);
  gint64 id = (gint64) ((guint64) track << 32 | index);

  return column >= 0 ? hir_query_result_find_integer (self->result, (guint) column, id) : -1;
}

gint64
hir_events_model_sum (HirEventsModel *self, const char *name)
{
  int column = self->result != NULL ? hir_query_result_find_column (self->result, name) : -1;
  gint64 sum = 0;

  for (guint row = 0; column >= 0 && row < hir_query_result_get_n_rows (self->result); row++)
    sum += hir_query_result_get_integer (self->result, row, (guint) column);
  return sum;
}

/* --- copies and files --------------------------------------------------------------------- */

static char *
dup_lines (const HirQueryResult *result, guint first, guint n)
{
  GString *text = g_string_new (NULL);
  guint n_columns = hir_query_result_get_n_columns (result);

  for (guint c = 0; c < n_columns; c++)
    g_string_append_printf (text, "%s%s", c > 0 ? "\t" : "", hir_query_result_get_name (result, c));
  for (guint row = first; row < first + n; row++)
    for (guint c = 0; c < n_columns; c++)
      {
        g_autofree char *cell = hir_query_result_dup_text (result, row, c);

        if (cell != NULL)
          g_strdelimit (cell, "\t\n\r", ' ');
        g_string_append_printf (text, "%c%s", c > 0 ? '\t' : '\n', cell != NULL ? cell : "");
      }
  g_string_append_c (text, '\n');
  return g_string_free (text, FALSE);
}

static void
on_copied (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Job *job = g_task_get_task_data (G_TASK (result));
  char *text = NULL;

  if (job->result != NULL)
    text = dup_lines (job->result, 0, hir_query_result_get_n_rows (job->result));
  job->copied (text, job->copied_data);
}

void
hir_events_model_copy (
    HirEventsModel *self, guint first, guint n, HirEventsCopied done, gpointer user_data)
{
  guint n_rows = hir_events_model_get_n_rows (self);
  Job *job;

  n = MIN (n, HIR_EVENTS_MAX_COPIED);
  if (self->result == NULL || first >= n_rows)
    {
      done (NULL, user_data);
      return;
    }
  n = MIN (n, n_rows - first);
  if (self->columns == NULL)
    {
      done (dup_lines (self->result, first, n), user_data);
      return;
    }
  job = job_new (self->connection, dup_rows_sql (self, first, n));
  job->copied = done;
  job->copied_data = user_data;
  start (self, job, NULL, on_copied);
}

static void
on_saved (GObject *source, GAsyncResult *result, gpointer user_data)
{
  HirEventsModel *self = HIR_EVENTS_MODEL (source);
  g_autoptr (GTask) outer = user_data;
  Job *job = g_task_get_task_data (G_TASK (result));

  g_clear_object (&self->saving);
  if (job->error != NULL)
    g_task_return_error (outer, g_steal_pointer (&job->error));
  else
    g_task_return_boolean (outer, TRUE);
  g_signal_emit (self, changed, 0);
}

void
hir_events_model_save (HirEventsModel *self,
                       const char *sql,
                       const char *path,
                       GAsyncReadyCallback done,
                       gpointer user_data)
{
  GTask *outer = g_task_new (self, NULL, done, user_data);
  g_autoptr (GTask) task = NULL;
  Job *job;

  g_return_if_fail (self->connection != NULL && self->saving == NULL);
  job = job_new (self->connection, g_strdup (sql));
  job->path = g_strdup (path);
  self->saving = g_cancellable_new ();
  task = g_task_new (self, self->saving, on_saved, outer);
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, run_job);
  g_signal_emit (self, changed, 0);
}

gboolean
hir_events_model_save_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

/* --- object ------------------------------------------------------------------------------- */

static void
hir_events_model_dispose (GObject *object)
{
  HirEventsModel *self = HIR_EVENTS_MODEL (object);

  (void) hir_events_model_cancel (self);
  hir_events_model_clear (self);
  g_clear_object (&self->selection);
  G_OBJECT_CLASS (hir_events_model_parent_class)->dispose (object);
}

static void
hir_events_model_finalize (GObject *object)
{
  g_hash_table_unref (HIR_EVENTS_MODEL (object)->pages);
  G_OBJECT_CLASS (hir_events_model_parent_class)->finalize (object);
}

static void
hir_events_model_class_init (HirEventsModelClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_events_model_dispose;
  G_OBJECT_CLASS (klass)->finalize = hir_events_model_finalize;
  changed = g_signal_new ("changed", HIR_TYPE_EVENTS_MODEL, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                          G_TYPE_NONE, 0);
  loaded = g_signal_new ("loaded", HIR_TYPE_EVENTS_MODEL, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                         G_TYPE_NONE, 0);
}

static void
hir_events_model_init (HirEventsModel *self)
{
  self->pages = g_hash_table_new_full (g_direct_hash, g_direct_equal, NULL,
                                       (GDestroyNotify) hir_query_result_free);
}

HirEventsModel *
hir_events_model_new (HirSelection *selection)
{
  HirEventsModel *self = g_object_new (HIR_TYPE_EVENTS_MODEL, NULL);

  self->selection = g_object_ref (selection);
  return self;
}
