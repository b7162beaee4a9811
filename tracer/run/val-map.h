/* Hash table from vals to values with open addressing, for lookups that happen several times per
 * instruction. Cheaper than GHashTable. Not thread-safe. */
#pragma once

#include "run/values/value.h"
#include "val.h"

G_BEGIN_DECLS

typedef struct
{
  const HirVal *val; /* NULL: free */
  HirValue *value;   /* owned; NULL if removed: the slot remains part of probe chains */
} HirValSlot;

typedef struct
{
  HirValSlot *slots;
  guint n_bits;  /* 2^n_bits slots */
  guint n_taken; /* slots whose val is set */
} HirValMap;

/* Initializes @map. Free its contents with hir_val_map_clear(). */
void hir_val_map_init (HirValMap *map);
/* Frees the contents of @map. */
void hir_val_map_clear (HirValMap *map);
/* Removes all values and keeps the capacity. */
void hir_val_map_reset (HirValMap *map);
/* Sets the value of @val, with a reference, and releases the previous value. */
void hir_val_map_set (HirValMap *map, const HirVal *val, HirValue *value);
/* Removes the value of @val. */
void hir_val_map_remove (HirValMap *map, const HirVal *val);

/* Returns the slot of @val, or NULL if it was never set. */
static inline HirValSlot *
hir_val_map_find (const HirValMap *map, const HirVal *val)
{
  guint mask = (1u << map->n_bits) - 1;
  guint i = (guint) (((guintptr) val >> 4) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) >> 32) & mask;

  while (map->slots[i].val != val)
    {
      if (map->slots[i].val == NULL)
        return NULL;
      i = (i + 1) & mask;
    }
  return &map->slots[i];
}

/* Returns the value of @val (borrowed), or NULL. */
static inline HirValue *
hir_val_map_lookup (const HirValMap *map, const HirVal *val)
{
  const HirValSlot *slot = hir_val_map_find (map, val);

  return slot != NULL ? slot->value : NULL;
}

G_END_DECLS
