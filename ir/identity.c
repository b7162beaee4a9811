#include "identity.h"

#include "container.h"

/* Finalizer of splitmix64 (Steele, Lea, Flood 2014) over a running sum: each word affects all bits,
 * and order matters. Never change it: recordings contain its results. */
guint64
hir_hash_mix (guint64 hash, guint64 word)
{
  guint64 z = (hash ^ word) + G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ (z >> 31);
}

guint64
hir_hash_text (guint64 hash, const char *text)
{
  guint64 length = 0;

  for (const char *at = text; *at != '\0'; at++, length++)
    hash = hir_hash_mix (hash, (guint8) *at);
  return hir_hash_mix (hash, length);
}

guint
hir_word_hash (gconstpointer word)
{
  return (guint) hir_hash_mix (0, *(const guint64 *) word);
}

void
hir_maker_begin (HirContainer *container, const char *name, guint64 salt)
{
  HirMaker *maker = &container->maker;

  maker->maker = hir_hash_mix (hir_hash_text (0, name), salt);
  maker->origins = NULL;
  maker->n_origins = 0;
  maker->pos = (HirPos){ 0, 0 };
  if (maker->ordinals == NULL)
    maker->ordinals = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
}

void
hir_maker_set_origins (HirContainer *container, const HirNode *const *origins, guint n_origins)
{
  HirMaker *maker = &container->maker;
  guint64 *ids = hir_arena_array0 (container->arena, guint64, n_origins);

  maker->pos = (HirPos){ 0, 0 };
  for (guint i = 0; i < n_origins; i++)
    {
      ids[i] = origins[i]->id;
      if (maker->pos.line == 0)
        maker->pos = origins[i]->pos;
    }
  maker->origins = ids;
  maker->n_origins = n_origins;
}

void
hir_maker_set_origin (HirContainer *container, const HirNode *origin)
{
  hir_maker_set_origins (container, &origin, 1);
}

void
hir_maker_set_pos (HirContainer *container, HirPos pos)
{
  container->maker.pos = pos;
}

static guint
next_ordinal (HirMaker *maker, guint64 key)
{
  gpointer found = NULL;
  guint ordinal = 0;

  if (maker->ordinals == NULL)
    maker->ordinals = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  if (g_hash_table_lookup_extended (maker->ordinals, &key, NULL, &found))
    ordinal = GPOINTER_TO_UINT (found);
  g_hash_table_insert (maker->ordinals, g_memdup2 (&key, sizeof key),
                       GUINT_TO_POINTER (ordinal + 1));
  return ordinal;
}

void
hir_maker_stamp (HirContainer *container, HirNode *node, const char *kind)
{
  HirMaker *maker = &container->maker;
  guint64 key = hir_hash_text (maker->maker, kind);

  for (guint i = 0; i < maker->n_origins; i++)
    key = hir_hash_mix (key, maker->origins[i]);

  node->id = hir_hash_mix (key, next_ordinal (maker, key));
  /* 0 means "no node" in events and edges. */
  if (node->id == 0)
    node->id = 1;
  node->origins = maker->origins;
  node->n_origins = maker->n_origins;
  node->pos = maker->pos;
}

void
hir_id_to_hex (guint64 id, char hex[17])
{
  static const char digits[] = "0123456789abcdef";

  for (int i = 15; i >= 0; i--, id >>= 4)
    hex[i] = digits[id & 15];
  hex[16] = '\0';
}

gboolean
hir_id_from_hex (const char *hex, guint64 *id)
{
  guint64 value = 0;
  int i;

  for (i = 0; hex[i] != '\0' && i < 17; i++)
    {
      int digit = g_ascii_xdigit_value (hex[i]);

      if (digit < 0)
        return FALSE;
      value = value << 4 | (guint64) digit;
    }
  if (i != 16)
    return FALSE;
  *id = value;
  return TRUE;
}
