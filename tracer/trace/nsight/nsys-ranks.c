#include "trace/nsight/nsys-ranks.h"

#include "trace/nsight/nsys-tables.h"

#define MAX_RANK 1000000

static gpointer
dup_int64 (gint64 value)
{
  return g_memdup2 (&value, sizeof value);
}

void
hir_nsys_ranks_init (HirNsysRanks *ranks)
{
  *ranks = (HirNsysRanks){
    .devices = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL),
    .ranks = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL),
  };
}

void
hir_nsys_ranks_clear (HirNsysRanks *ranks)
{
  g_clear_pointer (&ranks->devices, g_hash_table_unref);
  g_clear_pointer (&ranks->ranks, g_hash_table_unref);
}

static gboolean
take_process (sqlite3_stmt *row, gpointer user_data, GError **error)
{
  HirNsysRanks *self = user_data;
  gint64 process = HIR_NSYS_PROCESS (sqlite3_column_int64 (row, 0));
  gint64 device = sqlite3_column_int64 (row, 1) & 0x7fffffff;
  gpointer known;

  if (!g_hash_table_lookup_extended (self->devices, &process, NULL, &known))
    g_hash_table_insert (self->devices, dup_int64 (process), GINT_TO_POINTER ((int) device));
  else if (GPOINTER_TO_INT (known) != device)
    g_hash_table_replace (self->devices, dup_int64 (process), GINT_TO_POINTER (-1));
  return TRUE;
}

static int
compare_ids (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

/* globalPid, rank */
static gboolean
take_rank (sqlite3_stmt *row, gpointer user_data, GError **error)
{
  GHashTable *ranks = user_data;
  gint64 rank = sqlite3_column_int64 (row, 1);

  if (rank >= 0 && rank <= MAX_RANK)
    g_hash_table_replace (ranks, dup_int64 (HIR_NSYS_PROCESS (sqlite3_column_int64 (row, 0))),
                          GINT_TO_POINTER ((int) rank));
  return TRUE;
}

/* Returns whether @ranks has a rank of its own for each process that used a device. */
static gboolean
are_ranks_complete (GHashTable *ranks, const GArray *processes)
{
  g_autoptr (GHashTable) taken = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < processes->len; i++)
    {
      gpointer rank;

      if (!g_hash_table_lookup_extended (ranks, &g_array_index (processes, gint64, i), NULL,
                                         &rank) ||
          !g_hash_table_add (taken, rank))
        return FALSE;
    }
  return processes->len > 0;
}

static GArray *
list_processes (HirNsysRanks *self)
{
  GArray *processes = g_array_new (FALSE, FALSE, sizeof (gint64));
  GHashTableIter iter;
  gpointer process;

  g_hash_table_iter_init (&iter, self->devices);
  while (g_hash_table_iter_next (&iter, &process, NULL))
    g_array_append_val (processes, *(gint64 *) process);
  g_array_sort (processes, compare_ids);
  return processes;
}

gboolean
hir_nsys_ranks_find (HirNsysRanks *self, HirNsysDb *db, const GArray *sources, GError **error)
{
  static const char *const columns[] = { "globalPid", "deviceId", NULL };
  static const char *const rank_columns[] = { "globalPid", "rank", NULL };
  g_autoptr (GHashTable) mpi = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autoptr (GArray) processes = NULL;

  for (guint i = 0; i < sources->len; i++)
    {
      const HirNsysSource *source = &g_array_index (sources, HirNsysSource, i);

      if (source->table->is_work &&
          !hir_nsys_db_each (db, source->name, columns, take_process, self, error))
        return FALSE;
    }
  if (!hir_nsys_db_each (db, "MPI_RANKS", rank_columns, take_rank, mpi, error))
    return FALSE;
  processes = list_processes (self);
  self->is_stated = are_ranks_complete (mpi, processes);
  for (guint i = 0; i < processes->len; i++)
    {
      gint64 process = g_array_index (processes, gint64, i);
      int rank = self->is_stated ? GPOINTER_TO_INT (g_hash_table_lookup (mpi, &process)) : (int) i;

      g_hash_table_insert (self->ranks, dup_int64 (process), GINT_TO_POINTER (rank));
      self->next_rank = MAX (self->next_rank, rank + 1);
    }
  return TRUE;
}

int
hir_nsys_ranks_ensure (HirNsysRanks *self, gint64 process)
{
  gpointer rank;

  if (g_hash_table_lookup_extended (self->ranks, &process, NULL, &rank))
    return GPOINTER_TO_INT (rank);
  rank = GINT_TO_POINTER (g_hash_table_size (self->devices) == 1 ? self->next_rank - 1
                                                                 : self->next_rank++);
  g_hash_table_insert (self->ranks, dup_int64 (process), rank);
  return GPOINTER_TO_INT (rank);
}

gint64
hir_nsys_ranks_get_only_device (const HirNsysRanks *self, gint64 process, gint64 device)
{
  gpointer only;

  return g_hash_table_lookup_extended (self->devices, &process, NULL, &only) &&
                 GPOINTER_TO_INT (only) >= 0
             ? GPOINTER_TO_INT (only)
             : device;
}
