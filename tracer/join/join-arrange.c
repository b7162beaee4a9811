/* Orders the units of each host thread, merges those of one op, and numbers them by what they fit.
 */
#include <string.h>

#include "join/join-private.h"

/* Orders by host time; of equal times, those without call follow. */
static int
compare_units (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const GArray *units = user_data;
  guint i = *(const guint *) a, k = *(const guint *) b;
  const HirJoinUnit *x = &g_array_index (units, HirJoinUnit, i);
  const HirJoinUnit *y = &g_array_index (units, HirJoinUnit, k);

  if (x->start_ns != y->start_ns)
    return x->start_ns < y->start_ns ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

/* Returns TRUE if the launch @next belongs to the same op as the launch @unit: a fill before a
 * kernel that needs it, or the second kernel of a matmul. */
static gboolean
continues (const HirJoinUnit *unit, const HirJoinUnit *next)
{
  if (unit->kind != HIR_JOIN_OP || next->kind != HIR_JOIN_OP || unit->is_op || next->is_op ||
      unit->is_own || next->is_own || unit->n_works == 0 || next->n_works == 0 ||
      unit->stream != next->stream || unit->replay != next->replay || unit->branch != next->branch)
    return FALSE;
  if (unit->class == HIR_JOIN_FILL && strstr (unit->op, "Memset") != NULL)
    return next->class == HIR_JOIN_MATMUL || next->class == HIR_JOIN_REDUCE;
  if (strstr (next->op, "_split_k_kernel") != NULL) /* of cuBLAS's xmma kernels */
    return unit->class == HIR_JOIN_MATMUL && strstr (unit->op, "_split_k_kernel") == NULL;
  return strstr (next->op, "splitK") != NULL
             ? strstr (next->op, "educe") != NULL && unit->class == HIR_JOIN_MATMUL
             : strstr (next->op, "reduce_1Block") != NULL &&
                   strstr (unit->op, "dot_kernel") != NULL;
}

/* Sorts the units, merges those of one op, and drops ops that did nothing. Fills @places with the
 * new index of each unit. */
static void
arrange (const HirJoinObserved *observed, HirJoinThread *thread, guint *places)
{
  GArray *old = thread->units, *units = g_array_new (FALSE, FALSE, sizeof (HirJoinUnit));
  g_autofree guint *order = g_new (guint, old->len + 1);

  for (guint i = 0; i < old->len; i++)
    order[i] = i;
  g_qsort_with_data (order, (gint) old->len, sizeof *order, compare_units, old);
  for (guint i = 0; i < old->len; i++)
    {
      HirJoinUnit unit = g_array_index (old, HirJoinUnit, order[i]);
      HirJoinUnit *last =
          units->len > 0 ? &g_array_index (units, HirJoinUnit, units->len - 1) : NULL;

      places[order[i]] = HIR_JOIN_NONE;
      /* A no-op like the conversion to the same type. */
      if (unit.kind == HIR_JOIN_OP && unit.n_works == 0 && unit.n_calls == 0 && observed->has_calls)
        continue;
      if (last != NULL && continues (last, &unit))
        {
          if (last->class == HIR_JOIN_FILL)
            {
              last->class = unit.class;
              last->op = unit.op;
            }
          last->n_works += unit.n_works;
          last->last_number = MAX (last->last_number, unit.last_number);
          last->bytes = 0;
        }
      else
        {
          unit.place = units->len;
          g_array_append_val (units, unit);
        }
      places[order[i]] = units->len - 1;
    }
  thread->units = units;
  g_array_unref (old);
}

static guint
hash_unit (gconstpointer data)
{
  const HirJoinUnit *unit = data;

  return g_str_hash (unit->op) + unit->kind + 8u * unit->class + 31u * g_int64_hash (&unit->bytes);
}

/* Returns whether two units fit the same steps. */
static gboolean
are_equal_units (gconstpointer a, gconstpointer b)
{
  const HirJoinUnit *x = a, *y = b;

  return x->kind == y->kind && x->class == y->class && x->is_own == y->is_own &&
         x->is_op == y->is_op && x->is_link == y->is_link && (x->n_works > 0) == (y->n_works > 0) &&
         x->is_opaque == y->is_opaque && x->bytes == y->bytes && strcmp (x->op, y->op) == 0;
}

/* Numbers the units by what they fit. */
static void
sign (HirJoinThread *thread, gboolean has_calls)
{
  g_autoptr (GHashTable) numbers = g_hash_table_new (hash_unit, are_equal_units);

  for (guint i = 0; i < thread->units->len; i++)
    {
      HirJoinUnit *unit = &g_array_index (thread->units, HirJoinUnit, i);
      guint number = GPOINTER_TO_UINT (g_hash_table_lookup (numbers, unit));

      if (number == 0)
        {
          g_array_append_val (thread->signatures, i);
          number = thread->signatures->len;
          g_hash_table_insert (numbers, unit, GUINT_TO_POINTER (number));
        }
      unit->signature = number - 1;
      thread->n_ops += unit->kind == HIR_JOIN_OP;
      /* Devices only record waits that took time. */
      thread->seen[unit->kind] |= unit->kind == HIR_JOIN_OP || has_calls;
      if (unit->is_branched && thread->places == NULL)
        thread->places = g_new (guint, thread->units->len);
    }
  for (guint i = 0; thread->places != NULL && i < thread->units->len; i++)
    thread->places[i] = i;
}

void
hir_join_observed_arrange (HirJoinObserved *observed)
{
  guint n = observed->threads->len;
  guint **places = g_new0 (guint *, n + 1);

  for (guint i = 0; i < n; i++)
    {
      HirJoinThread *thread = g_ptr_array_index (observed->threads, i);

      places[i] = g_new (guint, thread->units->len + 1);
      arrange (observed, thread, places[i]);
      sign (thread, observed->has_calls);
    }
  for (guint i = 0; i < observed->works->len; i++)
    {
      HirJoinWork *work = &g_array_index (observed->works, HirJoinWork, i);

      if (work->unit != HIR_JOIN_NONE)
        work->unit = places[work->thread][work->unit];
    }
  for (guint i = 0; i < n; i++)
    g_free (places[i]);
  g_free (places);
}
