/* Compares all accesses of each buffer, then tries to remove each wait. */
#include "analysis/sync-cost.h"

/* An access and its step. */
typedef struct
{
  guint buffer, step, access;
} Touch;

/* The bytes from the first to the last of an access. */
typedef struct
{
  gint64 from, to;
  guint touch, queue; /* @touch: index in touches */
  gboolean is_write;
} Span;

typedef struct
{
  HirSyncCheck *check;
  HirSyncOrder *order;
  GArray *touches;   /* Touch */
  GArray *pairs;     /* HirSyncPair: steps that must remain ordered */
  GHashTable *known; /* hazard and instructions (char*) -> index of missing + 1 */
} Search;

const char *
hir_hazard_get_name (HirHazard hazard)
{
  static const char *const names[] = { "RAW", "WAR", "WAW" };

  return names[hazard];
}

static int
compare_touches (gconstpointer a, gconstpointer b)
{
  const Touch *x = a, *y = b;

  if (x->buffer != y->buffer)
    return x->buffer < y->buffer ? -1 : 1;
  return x->access < y->access ? -1 : x->access > y->access;
}

static void
collect_touches (Search *search)
{
  const HirSyncTrace *trace = search->check->trace;

  for (guint i = 0; i < trace->steps->len; i++)
    {
      const HirSyncStep *step = hir_sync_trace_get_step (trace, i);

      for (guint k = step->first_access; k < step->first_access + step->n_accesses; k++)
        {
          Touch touch = { hir_sync_trace_get_access (trace, k)->buffer, i, k };

          g_array_append_val (search->touches, touch);
        }
    }
  g_array_sort (search->touches, compare_touches);
}

/* Returns the id of the instruction, or the kind of a step without one (the caller, a release). */
static guint64
identify (const HirSyncStep *step)
{
  return step->expr != NULL ? step->expr->node.id : step->kind;
}

static HirHazard
get_hazard (const HirSyncAccess *first, const HirSyncAccess *second)
{
  if (!second->is_write)
    return HIR_HAZARD_RAW;
  return first->is_write ? HIR_HAZARD_WAW : HIR_HAZARD_WAR;
}

static void
add_missing (Search *search, const Touch *first, const Touch *second, HirByteRange bytes)
{
  const HirSyncTrace *trace = search->check->trace;
  const HirSyncStep *a = hir_sync_trace_get_step (trace, first->step);
  const HirSyncStep *b = hir_sync_trace_get_step (trace, second->step);
  HirHazard hazard = get_hazard (hir_sync_trace_get_access (trace, first->access),
                                 hir_sync_trace_get_access (trace, second->access));
  char *key = g_strdup_printf ("%d %" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x", hazard,
                               identify (a), identify (b));
  guint known = GPOINTER_TO_UINT (g_hash_table_lookup (search->known, key));
  HirSyncPair pair = { first->step, second->step };
  HirSyncMissing *missing;

  if (known == 0)
    {
      HirSyncMissing fresh = {
        hazard, first->step, second->step, first->access, second->access, bytes, 0, 1, a->rank, NULL
      };

      fresh.pairs = g_array_new (FALSE, FALSE, sizeof (HirSyncPair));

      g_array_append_val (search->check->missing, fresh);
      known = search->check->missing->len;
      g_hash_table_insert (search->known, g_strdup (key), GUINT_TO_POINTER (known));
    }
  missing = &g_array_index (search->check->missing, HirSyncMissing, known - 1);
  missing->n++;
  g_array_append_val (missing->pairs, pair);
  if (a->rank != missing->last_rank)
    {
      missing->n_ranks++;
      missing->last_rank = a->rank;
    }
  g_free (key);
}

static void
compare (Search *search, const Touch *first, const Touch *second)
{
  const HirSyncTrace *trace = search->check->trace;
  HirSyncPair pair = { first->step, second->step };
  HirByteRange bytes;

  if (!hir_sync_trace_overlaps (trace, hir_sync_trace_get_access (trace, first->access),
                                hir_sync_trace_get_access (trace, second->access), &bytes))
    return;
  search->check->n_pairs++;
  if (hir_sync_order_is_before (search->order, first->step, second->step) ||
      hir_sync_order_is_before (search->order, second->step, first->step))
    g_array_append_val (search->pairs, pair);
  else
    add_missing (search, first, second, bytes);
}

static int
compare_spans (gconstpointer a, gconstpointer b)
{
  const Span *x = a, *y = b;

  if (x->from != y->from)
    return x->from < y->from ? -1 : 1;
  return x->touch < y->touch ? -1 : x->touch > y->touch;
}

static int
compare_pairs (gconstpointer a, gconstpointer b)
{
  const HirSyncPair *x = a, *y = b;

  if (x->first != y->first)
    return x->first < y->first ? -1 : 1;
  return x->second < y->second ? -1 : x->second > y->second;
}

/* Appends the pairs of @span and the spans of @open on other queues to @pairs (of indices in
 * touches). Removes the spans that end before it starts: all later ones start there or after. */
static void
meet (const Span *span, GArray *open, GArray *pairs)
{
  guint n = 0;

  for (guint i = 0; i < open->len; i++)
    {
      const Span *other = &g_array_index (open, Span, i);
      HirSyncPair pair = { MIN (span->touch, other->touch), MAX (span->touch, other->touch) };

      if (other->to <= span->from)
        continue;
      if (other->queue != span->queue)
        g_array_append_val (pairs, pair);
      g_array_index (open, Span, n++) = *other;
    }
  g_array_set_size (open, n);
}

/* Compares the touches [@first, @end) of one buffer, of which at least one of two is a write. Sorts
 * them by their first byte, so that the time grows with the number of overlapping pairs only. */
static void
compare_buffer (Search *search, guint first, guint end)
{
  const HirSyncTrace *trace = search->check->trace;
  const HirByteRange *ranges = (const HirByteRange *) (gconstpointer) trace->ranges->data;
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (Span));
  g_autoptr (GArray) reads = g_array_new (FALSE, FALSE, sizeof (Span));
  g_autoptr (GArray) writes = g_array_new (FALSE, FALSE, sizeof (Span));
  g_autoptr (GArray) pairs = g_array_new (FALSE, FALSE, sizeof (HirSyncPair));

  for (guint i = first; i < end; i++)
    {
      const Touch *touch = &g_array_index (search->touches, Touch, i);
      const HirSyncAccess *access = hir_sync_trace_get_access (trace, touch->access);
      Span span = { .touch = i, .queue = hir_sync_trace_get_step (trace, touch->step)->queue };

      if (access->n_ranges == 0)
        continue;
      span.from = ranges[access->first_range].from;
      span.to = ranges[access->first_range + access->n_ranges - 1].to;
      span.is_write = access->is_write;
      g_array_append_val (spans, span);
    }
  g_array_sort (spans, compare_spans);
  for (guint i = 0; i < spans->len; i++)
    {
      const Span *span = &g_array_index (spans, Span, i);

      meet (span, writes, pairs);
      if (span->is_write)
        meet (span, reads, pairs);
      g_array_append_vals (span->is_write ? writes : reads, span, 1);
    }
  g_array_sort (pairs, compare_pairs);
  for (guint i = 0; i < pairs->len; i++)
    {
      const HirSyncPair *pair = &g_array_index (pairs, HirSyncPair, i);

      compare (search, &g_array_index (search->touches, Touch, pair->first),
               &g_array_index (search->touches, Touch, pair->second));
    }
}

static void
find_missing (Search *search)
{
  const GArray *touches = search->touches;
  guint first = 0;

  for (guint i = 1; i <= touches->len; i++)
    if (i == touches->len ||
        g_array_index (touches, Touch, i).buffer != g_array_index (touches, Touch, first).buffer)
      {
        compare_buffer (search, first, i);
        first = i;
      }
}

static int
compare_missing (gconstpointer a, gconstpointer b)
{
  const HirSyncMissing *x = a, *y = b;

  if (x->second != y->second)
    return x->second < y->second ? -1 : 1;
  return x->first < y->first ? -1 : x->first > y->first;
}

static gboolean
is_work (const HirSyncStep *step)
{
  return step->kind == HIR_SYNC_WORK || step->kind == HIR_SYNC_GIVE || step->kind == HIR_SYNC_TAKE;
}

/* Adds the pairs that the exit orders now: the caller may reuse inputs and released memory
 * afterwards, so its stream must still follow the same work, whether or not more work was queued
 * behind it. Losing only waits, posts and releases is harmless. */
static void
add_exit_pairs (Search *search)
{
  const HirSyncTrace *trace = search->check->trace;
  g_autofree guint *works = g_new (guint, trace->queues->len);

  for (guint end = 0; end < trace->steps->len; end++)
    {
      int rank = hir_sync_trace_get_step (trace, end)->rank;

      if (hir_sync_trace_get_step (trace, end)->kind != HIR_SYNC_EXIT)
        continue;
      for (guint q = 0; q < trace->queues->len; q++)
        works[q] = HIR_SYNC_NONE;
      for (guint i = 0; i < end; i++)
        {
          const HirSyncStep *step = hir_sync_trace_get_step (trace, i);

          if (step->rank == rank && is_work (step) &&
              hir_sync_order_is_before (search->order, i, end))
            works[step->queue] = i;
        }
      for (guint q = 0; q < trace->queues->len; q++)
        {
          HirSyncPair pair = { works[q], end };

          if (works[q] != HIR_SYNC_NONE)
            g_array_append_val (search->pairs, pair);
        }
    }
}

/* Adds the order of successive communications of one communicator that different streams post. The
 * channel has this order, too, but a program whose streams wait for each other starts the second
 * one only after the first, so that they do not compete (inter_stream_synchronization of 2026). */
static void
add_communicator_pairs (Search *search)
{
  const HirSyncTrace *trace = search->check->trace;

  for (guint i = 0; i < trace->steps->len; i++)
    {
      const HirSyncStep *post = hir_sync_trace_get_step (trace, i);
      HirSyncPair pair = { post->previous, post->after };

      if (post->kind == HIR_SYNC_POST && pair.first != HIR_SYNC_NONE &&
          pair.second != HIR_SYNC_NONE &&
          hir_sync_trace_get_step (trace, pair.first)->current != post->current &&
          hir_sync_order_is_before (search->order, pair.first, pair.second))
        g_array_append_val (search->pairs, pair);
    }
}

static gboolean
are_ordered (const Search *search)
{
  for (guint i = 0; i < search->pairs->len; i++)
    {
      const HirSyncPair *pair = &g_array_index (search->pairs, HirSyncPair, i);

      if (!hir_sync_order_is_before (search->order, pair->first, pair->second) &&
          !hir_sync_order_is_before (search->order, pair->second, pair->first))
        return FALSE;
    }
  return TRUE;
}

/* Adds a Synchronize or Wait once; instructions of several ranks are equal if their ids are. */
static gboolean
add_use (HirExpr *expr, guint depth, gpointer user_data)
{
  GArray *uses = user_data;
  HirSyncUse use = { .expr = expr };

  if (expr->kind != HIR_EXPR_SYNCHRONIZE && expr->kind != HIR_EXPR_WAIT)
    return TRUE;
  for (guint i = 0; i < uses->len; i++)
    if (g_array_index (uses, HirSyncUse, i).expr->node.id == expr->node.id)
      return TRUE;
  g_array_append_val (uses, use);
  return TRUE;
}

static gboolean
is_wait_of (const HirSyncStep *step, const HirSyncUse *use)
{
  return step->kind == HIR_SYNC_WAIT && step->expr != NULL &&
         step->expr->node.id == use->expr->node.id;
}

static void
count_uses (Search *search)
{
  const HirSyncTrace *trace = search->check->trace;
  GArray *uses = search->check->uses;

  for (guint i = 0; i < trace->programs->len; i++)
    hir_container_foreach_expr (g_ptr_array_index (trace->programs, i), add_use, uses);
  for (guint i = 0; i < trace->steps->len; i++)
    for (guint k = 0; k < uses->len; k++)
      {
        HirSyncUse *use = &g_array_index (uses, HirSyncUse, k);

        if (!is_wait_of (hir_sync_trace_get_step (trace, i), use))
          continue;
        use->n++;
        use->n_idle += search->order->is_idle[i];
      }
}

/* Removes the waits of @use, or puts them back. */
static void
set_out (const HirSyncTrace *trace, const HirSyncUse *use, guint8 *out, guint8 is_out)
{
  for (guint i = 0; i < trace->steps->len; i++)
    if (is_wait_of (hir_sync_trace_get_step (trace, i), use))
      out[i] = is_out;
}

static gboolean
are_ordered_without (Search *search, const guint8 *out)
{
  hir_sync_order_update (search->order, out);
  return are_ordered (search);
}

static void
find_redundant (Search *search)
{
  const HirSyncTrace *trace = search->check->trace;
  g_autofree guint8 *out = g_new0 (guint8, trace->steps->len);
  g_autofree guint8 *one = g_new0 (guint8, trace->steps->len);
  gboolean has_redundant = FALSE;

  for (guint k = 0; k < search->check->uses->len; k++)
    {
      HirSyncUse *use = &g_array_index (search->check->uses, HirSyncUse, k);

      set_out (trace, use, out, 1);
      use->is_redundant = use->is_redundant_alone = are_ordered_without (search, out);
      if (!use->is_redundant)
        set_out (trace, use, out, 0);
      if (!use->is_redundant && has_redundant)
        {
          set_out (trace, use, one, 1);
          use->is_redundant_alone = are_ordered_without (search, one);
          set_out (trace, use, one, 0);
        }
      has_redundant |= use->is_redundant;
    }
}

static gboolean
search_all (HirSyncCheck *check, HirSyncParts parts, GError **error)
{
  g_autoptr (HirSyncOrder) order = hir_sync_order_new (check->trace, error);
  Search search = { check, order };
  g_autofree guint8 *is_idle = NULL;

  if (order == NULL)
    return FALSE;
  is_idle = g_memdup2 (order->is_idle, check->trace->steps->len);
  search.touches = g_array_new (FALSE, FALSE, sizeof (Touch));
  search.pairs = g_array_new (FALSE, FALSE, sizeof (HirSyncPair));
  search.known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  collect_touches (&search);
  find_missing (&search);
  g_array_sort (check->missing, compare_missing);
  add_exit_pairs (&search);
  add_communicator_pairs (&search);
  if ((parts & HIR_SYNC_USES) != 0)
    {
      count_uses (&search);
      find_redundant (&search);
    }
  hir_sync_check_add_costs (check, is_idle);
  g_array_unref (search.touches);
  g_array_unref (search.pairs);
  g_hash_table_unref (search.known);
  return TRUE;
}

static void
clear_missing (gpointer data)
{
  HirSyncMissing *missing = data;

  g_free (missing->suggestion);
  g_array_unref (missing->pairs);
}

static void
clear_use (gpointer data)
{
  g_free (((HirSyncUse *) data)->kept);
}

/* Removes faults of memory that is used before a Wait if the missing synchronization says so, too.
 */
static void
drop_known_faults (HirSyncCheck *check)
{
  const HirSyncTrace *trace = check->trace;

  for (guint i = trace->faults->len; i-- > 0;)
    {
      const HirSyncFault *fault = g_ptr_array_index (trace->faults, i);
      gboolean is_known = FALSE;

      for (guint k = 0; k < check->missing->len && fault->not_waited != NULL; k++)
        {
          const HirSyncMissing *missing = &g_array_index (check->missing, HirSyncMissing, k);

          is_known |= hir_sync_trace_get_step (trace, missing->first)->expr == fault->not_waited ||
                      hir_sync_trace_get_step (trace, missing->second)->expr == fault->not_waited;
        }
      if (is_known)
        g_ptr_array_remove_index (trace->faults, i);
    }
}

HirSyncCheck *
hir_sync_check_new (HirContainer *fusion,
                    HirContainer *const *programs,
                    guint n_ranks,
                    const HirSyncOptions *options,
                    GCancellable *cancellable,
                    GError **error)
{
  HirSyncTrace *trace = hir_sync_trace_new (fusion, programs, n_ranks, options, cancellable, error);
  g_autoptr (HirSyncCheck) check = NULL;

  if (trace == NULL)
    return NULL;
  check = g_new0 (HirSyncCheck, 1);
  check->trace = trace;
  check->n_streams = options->n_streams;
  check->missing = g_array_new (FALSE, FALSE, sizeof (HirSyncMissing));
  g_array_set_clear_func (check->missing, clear_missing);
  check->uses = g_array_new (FALSE, FALSE, sizeof (HirSyncUse));
  g_array_set_clear_func (check->uses, clear_use);
  if (trace->is_complete && !search_all (check, options->parts, error))
    return NULL;
  drop_known_faults (check);
  return g_steal_pointer (&check);
}

void
hir_sync_check_free (HirSyncCheck *check)
{
  g_array_unref (check->missing);
  g_array_unref (check->uses);
  hir_sync_trace_free (check->trace);
  g_free (check);
}

gboolean
hir_sync_check_passed (const HirSyncCheck *check)
{
  return check->missing->len == 0 && check->trace->faults->len == 0;
}
