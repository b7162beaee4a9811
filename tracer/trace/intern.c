#include "trace/intern.h"

#include <string.h>

#include "trace/headroom.h"

#define ROOM_FROM (64 * 1024) /* bytes; smaller tables grow without a memory check */

static guint32
hash_text (const char *text, gsize length)
{
  guint64 hash = 0xcbf29ce484222325u ^ length;

  for (gsize i = 0; i < length; i++)
    hash = (hash ^ (guchar) text[i]) * 0x100000001b3u;
  return (guint32) (hash ^ (hash >> 32));
}

static guint32
hash_id (guint64 id)
{
  id *= 0x9e3779b97f4a7c15u;
  return (guint32) (id >> 32);
}

static gboolean
grow (gpointer *data, gsize capacity, gsize item_size)
{
  gpointer bigger = NULL;

  if (capacity * item_size < ROOM_FROM || hir_has_headroom ())
    bigger = g_try_realloc_n (*data, capacity, item_size);
  if (bigger == NULL)
    return FALSE;
  *data = bigger;
  return TRUE;
}

/* Allocates a slot table twice as large as the old one, at most half full. */
static guint32 *
new_slots (guint32 n_old, guint32 *n_slots)
{
  if (n_old > G_MAXUINT32 / 4)
    return NULL;
  *n_slots = n_old == 0 ? 64 : n_old * 2;
  return g_try_new0 (guint32, *n_slots);
}

/* Doubles a slot table. @hash: returns the hash of item @i of @table. */
static gboolean
rehash (guint32 **slots,
        guint32 *n_slots,
        guint32 n,
        guint32 (*hash) (gconstpointer table, guint32 i),
        gconstpointer table)
{
  guint32 n_new;
  guint32 *bigger = new_slots (*n_slots, &n_new);

  if (bigger == NULL)
    return FALSE;
  for (guint32 i = 0; i < n; i++)
    {
      guint32 slot = hash (table, i) & (n_new - 1);

      while (bigger[slot] != 0)
        slot = (slot + 1) & (n_new - 1);
      bigger[slot] = i + 1;
    }
  g_free (*slots);
  *slots = bigger;
  *n_slots = n_new;
  return TRUE;
}

static guint32
hash_string_at (gconstpointer table, guint32 i)
{
  const char *text = hir_string_table_get (table, i);

  return hash_text (text, strlen (text));
}

static guint32
hash_id_at (gconstpointer table, guint32 i)
{
  return hash_id (((const HirIdTable *) table)->ids[i]);
}

static gboolean
reserve_string (HirStringTable *table, gsize length)
{
  if ((gsize) table->n * 2 >= table->n_slots &&
      !rehash (&table->slots, &table->n_slots, table->n, hash_string_at, table))
    return FALSE;
  if (table->n == table->capacity)
    {
      guint32 capacity = MAX (64, table->capacity + table->capacity / 2);

      if (!grow ((gpointer *) &table->offsets, capacity, sizeof (gsize)))
        return FALSE;
      table->capacity = capacity;
    }
  if (table->bytes_capacity - table->n_bytes <= length)
    {
      gsize capacity =
          MAX (table->bytes_capacity + table->bytes_capacity / 2, table->n_bytes + length + 1024);

      if (!grow ((gpointer *) &table->bytes, capacity, 1))
        return FALSE;
      table->bytes_capacity = capacity;
    }
  return TRUE;
}

gboolean
hir_string_table_intern (HirStringTable *table, const char *text, guint32 *index)
{
  gsize length = strlen (text);
  guint32 slot;

  if (!reserve_string (table, length))
    return FALSE;
  slot = hash_text (text, length) & (table->n_slots - 1);
  while (table->slots[slot] != 0)
    {
      guint32 i = table->slots[slot] - 1;

      if (strcmp (table->bytes + table->offsets[i], text) == 0)
        {
          *index = i;
          return TRUE;
        }
      slot = (slot + 1) & (table->n_slots - 1);
    }
  memcpy (table->bytes + table->n_bytes, text, length + 1);
  table->offsets[table->n] = table->n_bytes;
  table->n_bytes += length + 1;
  table->slots[slot] = table->n + 1;
  *index = table->n++;
  return TRUE;
}

const char *
hir_string_table_get (const HirStringTable *table, guint32 index)
{
  return index < table->n ? table->bytes + table->offsets[index] : "";
}

gsize
hir_string_table_get_size_bytes (const HirStringTable *table)
{
  return table->bytes_capacity + table->capacity * sizeof (gsize) +
         table->n_slots * sizeof (guint32);
}

void
hir_string_table_clear (HirStringTable *table)
{
  g_free (table->bytes);
  g_free (table->offsets);
  g_free (table->slots);
  memset (table, 0, sizeof *table);
}

/* Returns the slot that holds @id, or the free slot for it. */
static guint32
find_id_slot (const HirIdTable *table, guint64 id)
{
  guint32 slot = hash_id (id) & (table->n_slots - 1);

  while (table->slots[slot] != 0 && table->ids[table->slots[slot] - 1] != id)
    slot = (slot + 1) & (table->n_slots - 1);
  return slot;
}

gboolean
hir_id_table_find (const HirIdTable *table, guint64 id, guint32 *index)
{
  guint32 slot;

  if (table->n == 0)
    return FALSE;
  slot = find_id_slot (table, id);
  if (table->slots[slot] == 0)
    return FALSE;
  *index = table->slots[slot] - 1;
  return TRUE;
}

gboolean
hir_id_table_intern (HirIdTable *table, guint64 id, guint32 *index)
{
  guint32 slot;

  if ((gsize) table->n * 2 >= table->n_slots &&
      !rehash (&table->slots, &table->n_slots, table->n, hash_id_at, table))
    return FALSE;
  if (table->n == table->capacity)
    {
      guint32 capacity = MAX (64, table->capacity + table->capacity / 2);

      if (!grow ((gpointer *) &table->ids, capacity, sizeof (guint64)))
        return FALSE;
      table->capacity = capacity;
    }
  slot = find_id_slot (table, id);
  if (table->slots[slot] == 0)
    {
      table->ids[table->n] = id;
      table->slots[slot] = ++table->n;
    }
  *index = table->slots[slot] - 1;
  return TRUE;
}

void
hir_id_table_clear (HirIdTable *table)
{
  g_free (table->ids);
  g_free (table->slots);
  memset (table, 0, sizeof *table);
}
