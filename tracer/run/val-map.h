/* A map from vals to values, for what is looked up several times an instruction: open addressing by
 * the val's address, which costs a fraction of a GHashTable's calls. One thread. */
#pragma once

#include "run/values/value.h"
#include "val.h"

G_BEGIN_DECLS

typedef struct
{
  const HirVal *val; /* NULL: free */
  HirValue *value;   /* owned; NULL: was removed, the place is still part of chains */
} HirValSlot;

typedef struct
{
  HirValSlot *slots;
  guint n_bits;  /* 2^n_bits slots */
  guint n_taken; /* slots whose val is set */
} HirValMap;

/* @map: any memory. What it holds goes with hir_val_map_clear(). */
void hir_val_map_init (HirValMap *map);
void hir_val_map_clear (HirValMap *map);
/* All values are dropped; the room is kept. */
void hir_val_map_reset (HirValMap *map);
/* Keeps a reference on @value; what was there before is dropped. */
void hir_val_map_set (HirValMap *map, const HirVal *val, HirValue *value);
void hir_val_map_remove (HirValMap *map, const HirVal *val);

/* The slot of @val; NULL where it was never set. */
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

/* Borrowed; NULL where unknown. */
static inline HirValue *
hir_val_map_lookup (const HirValMap *map, const HirVal *val)
{
  const HirValSlot *slot = hir_val_map_find (map, val);

  return slot != NULL ? slot->value : NULL;
}

G_END_DECLS
