/* Steps are identified by their number among the steps that changes do not move. */
#include "program/repair-effect.h"

#define RELEASE_BIT (1u << 31)
#define WAIT_ID G_MAXUINT
#define MAX_HAZARDS 64

/* Returns the identity of each step (transfer full): its number among all steps except waits and
 * releases; of a release, its number among the releases. */
static guint *
dup_ids (const HirSyncTrace *trace)
{
  guint *ids = g_new (guint, trace->steps->len + 1), n = 0, n_releases = 0;

  for (guint i = 0; i < trace->steps->len; i++)
    {
      guint8 kind = hir_sync_trace_get_step (trace, i)->kind;

      ids[i] = kind == HIR_SYNC_WAIT      ? WAIT_ID
               : kind == HIR_SYNC_RELEASE ? RELEASE_BIT | n_releases++
                                          : n++;
    }
  return ids;
}

static guint64
make_key (const guint *ids, const HirSyncPair *pair)
{
  return (guint64) ids[pair->first] << 32 | ids[pair->second];
}

void
hir_repair_pairs_init (HirRepairPairs *pairs, const HirSyncCheck *base)
{
  g_autofree guint *ids = dup_ids (base->trace);

  pairs->base = base;
  pairs->known = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  pairs->hazards = g_array_new (FALSE, FALSE, sizeof (guint));
  pairs->same = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < base->missing->len; i++)
    {
      const HirSyncMissing *missing = &g_array_index (base->missing, HirSyncMissing, i);

      for (guint k = 0; k < missing->pairs->len; k++)
        {
          guint64 key = make_key (ids, &g_array_index (missing->pairs, HirSyncPair, k));
          guint same = GPOINTER_TO_UINT (g_hash_table_lookup (pairs->known, &key));

          g_array_append_val (pairs->hazards, i);
          g_array_append_val (pairs->same, same);
          g_hash_table_insert (pairs->known, g_memdup2 (&key, sizeof key),
                               GUINT_TO_POINTER (pairs->hazards->len));
        }
    }
}

void
hir_repair_pairs_clear (HirRepairPairs *pairs)
{
  g_clear_pointer (&pairs->known, g_hash_table_unref);
  g_clear_pointer (&pairs->hazards, g_array_unref);
  g_clear_pointer (&pairs->same, g_array_unref);
}

static gboolean
has_bit (const guint64 *bits, guint i)
{
  return bits != NULL && (bits[i / 64] >> i % 64 & 1) != 0;
}

/* Clears the bits of the pairs that are still unordered. Returns FALSE if there is a new one. */
static gboolean
clear_unordered (HirRepairEffect *effect,
                 const HirRepairPairs *pairs,
                 const HirSyncCheck *check,
                 const guint *ids)
{
  for (guint i = 0; i < check->missing->len; i++)
    {
      const HirSyncMissing *missing = &g_array_index (check->missing, HirSyncMissing, i);

      for (guint k = 0; k < missing->pairs->len; k++)
        {
          guint64 key = make_key (ids, &g_array_index (missing->pairs, HirSyncPair, k));
          guint known = GPOINTER_TO_UINT (g_hash_table_lookup (pairs->known, &key));

          if (known == 0)
            return FALSE;
          for (; known != 0; known = g_array_index (pairs->same, guint, known - 1))
            effect->ordered[(known - 1) / 64] &= ~(G_GUINT64_CONSTANT (1) << (known - 1) % 64);
        }
    }
  return TRUE;
}

static guint
find_step (const HirSyncTrace *trace, const guint *ids, guint id)
{
  for (guint i = 0; i < trace->steps->len; i++)
    if (ids[i] == id)
      return i;
  return HIR_SYNC_NONE;
}

/* Finds out whether the waits of @edit are after the first or before the second step of the first
 * pair of @hazard. */
static void
follow_pair (HirRepairEffect *effect,
             const HirSyncOrder *order,
             const HirRepairEdit *edit,
             guint first,
             guint second,
             guint hazard)
{
  const HirSyncTrace *trace = order->trace;
  guint line = (guint) (edit->at + 1 - (edit->gone >= 0 && edit->gone < edit->at));
  guint64 bit = G_GUINT64_CONSTANT (1) << hazard;

  if (first == HIR_SYNC_NONE || second == HIR_SYNC_NONE)
    return;
  for (guint i = 0; i < trace->steps->len; i++)
    {
      const HirSyncStep *step = hir_sync_trace_get_step (trace, i);

      if (step->kind != HIR_SYNC_WAIT || step->expr == NULL || step->expr->node.pos.line < line ||
          step->expr->node.pos.line >= line + edit->n_lines)
        continue;
      effect->starts |= hir_sync_order_is_before (order, first, i) ? bit : 0;
      effect->ends |= hir_sync_order_is_before (order, i, second) ? bit : 0;
    }
}

static void
follow_pairs (HirRepairEffect *effect,
              const HirRepairPairs *pairs,
              const HirSyncCheck *check,
              const HirRepairEdit *edit,
              const guint *ids)
{
  g_autoptr (HirSyncOrder) order = hir_sync_order_new (check->trace, NULL);
  g_autofree guint *base_ids = dup_ids (pairs->base->trace);

  for (guint i = 0; i < MIN (pairs->base->missing->len, MAX_HAZARDS) && order != NULL; i++)
    {
      const HirSyncMissing *missing = &g_array_index (pairs->base->missing, HirSyncMissing, i);
      const HirSyncPair *pair = &g_array_index (missing->pairs, HirSyncPair, 0);

      follow_pair (effect, order, edit, find_step (check->trace, ids, base_ids[pair->first]),
                   find_step (check->trace, ids, base_ids[pair->second]), i);
    }
}

gboolean
hir_repair_effect_init (HirRepairEffect *effect,
                        const HirRepairPairs *pairs,
                        const HirSyncCheck *check,
                        const HirRepairEdit *edit)
{
  guint n = pairs->hazards->len;
  g_autofree guint *ids = dup_ids (check->trace);

  *effect = (HirRepairEffect){ .times = check->times, .ordered = g_new0 (guint64, n / 64 + 1) };
  for (guint i = 0; i < n; i++)
    effect->ordered[i / 64] |= G_GUINT64_CONSTANT (1) << i % 64;
  if (!clear_unordered (effect, pairs, check, ids))
    return FALSE;
  if (check->missing->len > 0)
    follow_pairs (effect, pairs, check, edit, ids);
  effect->is_useful = effect->starts != 0 || effect->ends != 0;
  for (guint i = 0; i <= n / 64; i++)
    effect->is_useful |= effect->ordered[i] != 0;
  return TRUE;
}

void
hir_repair_effect_clear (HirRepairEffect *effect)
{
  g_clear_pointer (&effect->ordered, g_free);
}

/* Returns the steps that changes do not move (guint); their index is their identity. */
static GArray *
dup_fixed_steps (const HirSyncTrace *trace)
{
  GArray *steps = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree guint *ids = dup_ids (trace);

  for (guint i = 0; i < trace->steps->len; i++)
    if (ids[i] < RELEASE_BIT)
      g_array_append_val (steps, i);
  return steps;
}

/* Flags of a step: it is the first or the second one of an unordered pair. */
#define IS_FIRST 1
#define IS_SECOND 2

/* Returns the flags of the @n fixed steps. */
static guint8 *
dup_sides (const HirRepairPairs *pairs, guint n)
{
  guint8 *sides = g_new0 (guint8, n + 1);
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, pairs->known);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      guint first = (guint) (*(const guint64 *) key >> 32),
            second = (guint) * (const guint64 *) key;

      if (first < n)
        sides[first] |= IS_FIRST;
      if (second < n) /* no release */
        sides[second] |= IS_SECOND;
    }
  return sides;
}

gboolean
hir_repair_pairs_keep_order (const HirRepairPairs *pairs, const HirSyncCheck *check)
{
  g_autoptr (HirSyncOrder) old = hir_sync_order_new (pairs->base->trace, NULL);
  g_autoptr (HirSyncOrder) new = hir_sync_order_new (check->trace, NULL);
  g_autoptr (GArray) old_steps = dup_fixed_steps (pairs->base->trace);
  g_autoptr (GArray) new_steps = dup_fixed_steps (check->trace);
  g_autofree guint8 *sides = dup_sides (pairs, old_steps->len);
  const guint *x = (const guint *) (gconstpointer) old_steps->data;
  const guint *y = (const guint *) (gconstpointer) new_steps->data;

  if (old == NULL || new == NULL || old_steps->len != new_steps->len)
    return FALSE;
  for (guint a = 0; a < old_steps->len; a++)
    for (guint i = 0; i < old_steps->len && sides[a] != 0; i++)
      if (((sides[a] & IS_FIRST) != 0 && hir_sync_order_is_before (old, x[a], x[i]) !=
                                             hir_sync_order_is_before (new, y[a], y[i])) ||
          ((sides[a] & IS_SECOND) != 0 && hir_sync_order_is_before (old, x[i], x[a]) !=
                                              hir_sync_order_is_before (new, y[i], y[a])))
        return FALSE;
  return TRUE;
}

gboolean
hir_repair_effects_cover (const HirRepairPairs *pairs,
                          const HirRepairEffect *a,
                          const HirRepairEffect *b,
                          guint hazard)
{
  guint64 chains = b != NULL ? (a->starts & b->ends) | (b->starts & a->ends) : 0;

  for (guint i = 0; i < pairs->hazards->len; i++)
    {
      guint of = g_array_index (pairs->hazards, guint, i);

      if ((hazard == HIR_REPAIR_ALL_HAZARDS || of == hazard) && !has_bit (a->ordered, i) &&
          (b == NULL || !has_bit (b->ordered, i)) && (of >= MAX_HAZARDS || (chains >> of & 1) == 0))
        return FALSE;
    }
  return TRUE;
}
