#include "snapshot.h"

#include <time.h>

#include "structural-hash.h"
#include "verify/verify.h"

HirSnapshot *
hir_snapshot_new (const HirPass *pass, HirContainer *program)
{
  HirSnapshot *snapshot = g_new0 (HirSnapshot, 1);

  g_atomic_ref_count_init (&snapshot->ref_count);
  snapshot->pass_name = g_strdup (pass != NULL ? pass->name : "Fusion");
  snapshot->pass = pass;
  snapshot->program = program;
  return snapshot;
}

HirSnapshot *
hir_snapshot_ref (HirSnapshot *snapshot)
{
  g_atomic_ref_count_inc (&snapshot->ref_count);
  return snapshot;
}

void
hir_snapshot_unref (HirSnapshot *snapshot)
{
  if (snapshot == NULL || !g_atomic_ref_count_dec (&snapshot->ref_count))
    return;

  g_free (snapshot->pass_name);
  hir_container_unref (snapshot->program);
  g_free (snapshot);
}

struct _HirPassMeasure
{
  gint64 start_ns;
  gboolean any; /* a snapshot was measured; the following fields describe the last one */
  guint64 hash;
  GHashTable *hashes; /* hashes of its nodes (nullable) */
};

HirPassMeasure *
hir_pass_measure_new (void)
{
  return g_new0 (HirPassMeasure, 1);
}

void
hir_pass_measure_free (HirPassMeasure *measure)
{
  if (measure == NULL)
    return;
  g_clear_pointer (&measure->hashes, g_hash_table_unref);
  g_free (measure);
}

static gint64
now_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (gint64) now.tv_sec * 1000000000 + now.tv_nsec;
}

static HirPassControl
start_clock (const HirPass *pass, HirContainer *program, gpointer user_data)
{
  HirPassMeasure *measure = user_data;

  measure->start_ns = now_ns ();
  return HIR_PASS_APPLY;
}

static gboolean
stop_clock (const HirPass *pass, HirSnapshot *snapshot, gpointer user_data, GError **error)
{
  HirPassMeasure *measure = user_data;

  if (pass != NULL)
    snapshot->duration_ns = now_ns () - measure->start_ns;
  return TRUE;
}

HirPassHooks
hir_pass_measure_get_timing_hooks (HirPassMeasure *measure)
{
  return (HirPassHooks){ .before = start_clock, .after = stop_clock, .user_data = measure };
}

static void
count_changes (HirSnapshot *snapshot, GHashTable *before, GHashTable *after)
{
  GHashTableIter iter;
  gpointer id, hash;

  g_hash_table_iter_init (&iter, after);
  while (g_hash_table_iter_next (&iter, &id, &hash))
    {
      const guint64 *old = before != NULL ? g_hash_table_lookup (before, id) : NULL;

      if (old == NULL)
        snapshot->n_created++;
      else if (*old != *(const guint64 *) hash)
        snapshot->n_changed++;
    }
  if (before == NULL)
    return;
  g_hash_table_iter_init (&iter, before);
  while (g_hash_table_iter_next (&iter, &id, NULL))
    snapshot->n_removed += !g_hash_table_contains (after, id);
}

static gboolean
measure_changes (const HirPass *pass, HirSnapshot *snapshot, gpointer user_data, GError **error)
{
  HirPassMeasure *measure = user_data;
  GHashTable *hashes;

  if (snapshot->is_shared && measure->any)
    {
      snapshot->hash = measure->hash;
      return TRUE;
    }
  hashes = hir_container_dup_node_hashes (snapshot->program);
  snapshot->hash = hir_container_hash (snapshot->program);
  snapshot->changed = !measure->any || snapshot->hash != measure->hash;
  count_changes (snapshot, measure->hashes, hashes);
  g_clear_pointer (&measure->hashes, g_hash_table_unref);
  measure->hashes = hashes;
  measure->hash = snapshot->hash;
  measure->any = TRUE;
  return TRUE;
}

HirPassHooks
hir_pass_measure_get_change_hooks (HirPassMeasure *measure)
{
  return (HirPassHooks){ .after = measure_changes, .user_data = measure };
}

static gboolean
verify (const HirPass *pass, HirSnapshot *snapshot, gpointer user_data, GError **error)
{
  return snapshot->is_shared || hir_container_verify (snapshot->program, error);
}

HirPassHooks
hir_verifier_get_hooks (void)
{
  return (HirPassHooks){ .after = verify };
}
