#include "events/events-connection.h"

#include "testing/hold.h"

struct _HirEventsConnection
{
  GMutex lock; /* of query and counts */
  HirTrace *trace;
  HirProgram *program;    /* nullable */
  HirRankPrograms *ranks; /* nullable */
  HirQueryProgram *programs;
  guint n_programs;
  HirQuery *query;    /* NULL until the first use */
  GHashTable *counts; /* table -> number of events as a text */
};

/* Fills the programs, which borrow from program and ranks. */
static void
fill_programs (HirEventsConnection *self)
{
  guint n = self->ranks != NULL ? self->ranks->programs->len : 0;

  self->programs = g_new0 (HirQueryProgram, MAX (n, 1));
  self->n_programs = n > 0 ? n : self->program != NULL;
  if (self->program != NULL)
    self->programs[0].views = self->program->views;
  for (guint i = 0; i < n; i++)
    {
      const HirRankProgram *program = hir_rank_programs_get (self->ranks, i);

      self->programs[i] = (HirQueryProgram){ program->program->views, program->ranks };
    }
}

HirEventsConnection *
hir_events_connection_new (HirSelection *selection)
{
  HirEventsConnection *self = g_atomic_rc_box_new0 (HirEventsConnection);

  g_mutex_init (&self->lock);
  self->trace = hir_trace_ref (hir_selection_get_trace (selection));
  if (hir_selection_get_program (selection) != NULL)
    self->program = hir_program_ref (hir_selection_get_program (selection));
  if (hir_selection_get_ranks (selection) != NULL)
    self->ranks = hir_rank_programs_ref (hir_selection_get_ranks (selection));
  self->counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  fill_programs (self);
  return self;
}

HirEventsConnection *
hir_events_connection_ref (HirEventsConnection *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
clear (gpointer data)
{
  HirEventsConnection *self = data;

  g_clear_pointer (&self->query, hir_query_free);
  g_hash_table_unref (self->counts);
  g_free (self->programs);
  g_clear_pointer (&self->ranks, hir_rank_programs_unref);
  g_clear_pointer (&self->program, hir_program_unref);
  hir_trace_unref (self->trace);
  g_mutex_clear (&self->lock);
}

void
hir_events_connection_unref (HirEventsConnection *self)
{
  g_atomic_rc_box_release_full (self, clear);
}

gboolean
hir_events_connection_is_of (const HirEventsConnection *self, HirSelection *selection)
{
  /* Displaying the program of another rank does not change the programs of all ranks. */
  return self->trace == hir_selection_get_trace (selection) &&
         self->ranks == hir_selection_get_ranks (selection) &&
         (self->ranks != NULL || self->program == hir_selection_get_program (selection));
}

const HirTrace *
hir_events_connection_get_trace (const HirEventsConnection *self)
{
  return self->trace;
}

static gboolean
open_locked (HirEventsConnection *self, GError **error)
{
  if (self->query == NULL)
    self->query = hir_query_new (self->trace, self->programs, self->n_programs, error);
  return self->query != NULL;
}

HirQueryResult *
hir_events_connection_run (HirEventsConnection *self,
                           const char *sql,
                           gsize max_bytes,
                           GCancellable *cancellable,
                           GError **error)
{
  const HirQueryOptions options = { .cancellable = cancellable };
  HirQueryResult *result = NULL;

  hir_test_hold ("HIRSCOPE_TEST_QUERY_HOLD", cancellable);
  g_mutex_lock (&self->lock);
  if (open_locked (self, error))
    result = hir_query_run_result (self->query, sql, &options, max_bytes, error);
  g_mutex_unlock (&self->lock);
  return result;
}

typedef struct
{
  HirEventsConnection *self;
  const char *sql;
  GCancellable *cancellable;
} Saving;

static gboolean
write_csv (gconstpointer data, GOutputStream *stream, HirExportProgress *progress, GError **error)
{
  const Saving *saving = data;
  const HirQueryOptions options = { .format = HIR_QUERY_AS_CSV,
                                    .cancellable = saving->cancellable };
  HirTextOut out;
  gboolean is_done;

  hir_text_out_init (&out, stream, progress);
  is_done = hir_query_run (saving->self->query, saving->sql, &options, &out, error);
  return hir_text_out_finish (&out, is_done ? error : NULL) && is_done;
}

gboolean
hir_events_connection_save (HirEventsConnection *self,
                            const char *sql,
                            const char *path,
                            GCancellable *cancellable,
                            GError **error)
{
  const Saving saving = { self, sql, cancellable };
  gboolean is_done;

  g_mutex_lock (&self->lock);
  is_done =
      open_locked (self, error) && hir_text_out_write_file (path, write_csv, &saving, NULL, error);
  g_mutex_unlock (&self->lock);
  return is_done;
}

gint64
hir_events_connection_count (HirEventsConnection *self,
                             const char *table,
                             GCancellable *cancellable)
{
  const HirQueryOptions options = { .cancellable = cancellable };
  g_autofree char *sql = g_strdup_printf ("SELECT count(*) FROM %s", table);
  g_autoptr (HirQueryResult) result = NULL;
  const char *known;
  gint64 n = 0;

  g_mutex_lock (&self->lock);
  known = g_hash_table_lookup (self->counts, table);
  if (known != NULL)
    n = g_ascii_strtoll (known, NULL, 10);
  else if (open_locked (self, NULL) &&
           (result = hir_query_run_result (self->query, sql, &options, 1024, NULL)) != NULL)
    {
      n = hir_query_result_get_integer (result, 0, 0);
      g_hash_table_insert (self->counts, g_strdup (table),
                           hir_query_result_dup_text (result, 0, 0));
    }
  g_mutex_unlock (&self->lock);
  return n;
}
