/* Counters by name, which checkpoints save and restore. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns a copy of @counts (char* -> GUINT_TO_POINTER), including the names. */
static inline GHashTable *
hir_counts_dup (GHashTable *counts)
{
  GHashTable *copy = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GHashTableIter iter;
  gpointer key, n;

  g_hash_table_iter_init (&iter, counts);
  while (g_hash_table_iter_next (&iter, &key, &n))
    g_hash_table_insert (copy, g_strdup (key), n);
  return copy;
}

G_END_DECLS
