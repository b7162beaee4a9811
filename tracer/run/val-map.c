/* Hash table from vals to values. */
#include "run/val-map.h"

#include <string.h>

#define FIRST_BITS 5

void
hir_val_map_init (HirValMap *map)
{
  map->n_bits = FIRST_BITS;
  map->n_taken = 0;
  map->slots = g_new0 (HirValSlot, (gsize) 1 << map->n_bits);
}

void
hir_val_map_clear (HirValMap *map)
{
  hir_val_map_reset (map);
  g_clear_pointer (&map->slots, g_free);
}

void
hir_val_map_reset (HirValMap *map)
{
  gsize n = (gsize) 1 << map->n_bits;

  for (gsize i = 0; i < n; i++)
    g_clear_pointer (&map->slots[i].value, hir_value_unref);
  memset (map->slots, 0, n * sizeof *map->slots);
  map->n_taken = 0;
}

static HirValSlot *
add_slot (HirValMap *map, const HirVal *val)
{
  guint mask = (1u << map->n_bits) - 1;
  guint i = (guint) (((guintptr) val >> 4) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) >> 32) & mask;

  while (map->slots[i].val != NULL)
    i = (i + 1) & mask;
  map->slots[i].val = val;
  map->n_taken++;
  return &map->slots[i];
}

/* Doubles the table, so that at most half of the slots are used. */
static void
grow (HirValMap *map)
{
  HirValSlot *before = map->slots;
  gsize n = (gsize) 1 << map->n_bits;

  map->n_bits++;
  map->n_taken = 0;
  map->slots = g_new0 (HirValSlot, (gsize) 1 << map->n_bits);
  for (gsize i = 0; i < n; i++)
    if (before[i].value != NULL)
      add_slot (map, before[i].val)->value = before[i].value;
  g_free (before);
}

void
hir_val_map_set (HirValMap *map, const HirVal *val, HirValue *value)
{
  HirValSlot *slot = hir_val_map_find (map, val);
  HirValue *before;

  if (slot == NULL)
    {
      if (2 * (map->n_taken + 1) > 1u << map->n_bits)
        grow (map);
      slot = add_slot (map, val);
    }
  before = slot->value;
  slot->value = hir_value_ref (value);
  g_clear_pointer (&before, hir_value_unref);
}

void
hir_val_map_remove (HirValMap *map, const HirVal *val)
{
  HirValSlot *slot = hir_val_map_find (map, val);

  if (slot != NULL)
    g_clear_pointer (&slot->value, hir_value_unref);
}
