/* Replays the modelled clock without some waits. */
#include "analysis/sync-cost.h"

#include "trace/duration.h"

#define MAX_PLAYED 4000000 /* maximum steps to replay in total: 1 to 2 s */

typedef struct
{
  const HirSyncCheck *check;
  const guint8 *is_idle;
  GPtrArray *waits;      /* one per rank: GArray of guint, its wait steps in order */
  const HirSyncUse *use; /* NULL: all redundant ones */
} Cost;

static void
collect_waits (Cost *cost)
{
  const HirSyncTrace *trace = cost->check->trace;

  for (guint i = 0; i < trace->programs->len; i++)
    g_ptr_array_add (cost->waits, g_array_new (FALSE, FALSE, sizeof (guint)));
  for (guint i = 0, rank = 0; i < trace->steps->len; i++)
    {
      const HirSyncStep *step = hir_sync_trace_get_step (trace, i);

      /* Steps of a rank are contiguous and start with its entry. */
      if (step->kind == HIR_SYNC_ENTRY)
        rank = i == 0 ? 0 : rank + 1;
      if (step->kind == HIR_SYNC_WAIT)
        g_array_append_val ((GArray *) g_ptr_array_index (cost->waits, rank), i);
    }
}

static const HirSyncUse *
find_use (const Cost *cost, guint64 instruction)
{
  const GArray *uses = cost->check->uses;

  if (cost->use != NULL)
    return cost->use->expr->node.id == instruction ? cost->use : NULL;
  for (guint i = 0; i < uses->len; i++)
    {
      const HirSyncUse *use = &g_array_index (uses, HirSyncUse, i);

      if (use->is_redundant && use->expr->node.id == instruction)
        return use;
    }
  return NULL;
}

/* Selects all executions of a redundant instruction; of another one, those that order nothing
 * new. */
static gboolean
leave (guint tape, guint64 instruction, guint wait, gpointer user_data)
{
  const Cost *cost = user_data;
  const HirSyncUse *use = find_use (cost, instruction);
  const GArray *waits = g_ptr_array_index (cost->waits, tape);

  if (use == NULL || use->is_redundant)
    return use != NULL;
  return wait < waits->len && cost->is_idle[g_array_index (waits, guint, wait)];
}

static gboolean
play (Cost *cost, const HirSyncUse *use, HirModelTimes *times)
{
  const GPtrArray *tapes = cost->check->trace->tapes;

  cost->use = use;
  return hir_model_tapes_play ((HirModelTape *const *) tapes->pdata, tapes->len, leave, cost,
                               times);
}

static void
add_costs (HirSyncCheck *check, Cost *cost)
{
  guint n_played = 2;

  if (!play (cost, NULL, &check->without))
    return;
  for (guint i = 0; i < check->uses->len; i++)
    {
      HirSyncUse *use = &g_array_index (check->uses, HirSyncUse, i);
      HirModelTimes without;

      if (!use->is_redundant && use->n_idle == 0)
        continue;
      if ((guint64) ++n_played * check->trace->steps->len > MAX_PLAYED)
        return;
      if (!play (cost, use, &without))
        continue;
      use->has_cost = TRUE;
      use->cost_ns = check->times.total_ns - without.total_ns;
      use->cost_overlap_ns = without.overlap_ns - check->times.overlap_ns;
    }
}

void
hir_sync_check_add_costs (HirSyncCheck *check, const guint8 *is_idle)
{
  Cost cost = { .check = check, .is_idle = is_idle };
  const GPtrArray *tapes = check->trace->tapes;

  if (tapes->len == 0 || !hir_model_tapes_play ((HirModelTape *const *) tapes->pdata, tapes->len,
                                                NULL, NULL, &check->times))
    return;
  check->is_timed = TRUE;
  check->without = check->times;
  if (check->uses->len == 0)
    return;
  cost.waits = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  collect_waits (&cost);
  add_costs (check, &cost);
  g_ptr_array_unref (cost.waits);
}

/* Appends @before and @ns as a duration. */
static void
append_time (GString *text, const char *before, gint64 ns)
{
  g_autofree char *time = hir_format_duration (ns);

  g_string_append_printf (text, "%s%s", before, time);
}

char *
hir_sync_use_dup_cost (const HirSyncCheck *check, const HirSyncUse *use)
{
  GString *text;

  if (!use->has_cost)
    return NULL;
  text = g_string_new (NULL);
  /* The cost may be negative: later work may be scheduled better after a wait. */
  if (use->cost_ns == 0 && use->cost_overlap_ns <= 0)
    g_string_append (text, "costs nothing");
  else
    {
      append_time (text, use->cost_ns >= 0 ? "costs " : "saves ", ABS (use->cost_ns));
      append_time (text, " of ", check->times.total_ns);
      g_string_append (text, use->cost_ns >= 0 ? "" : " by chance");
    }
  g_string_append (text, " on the modelled clock");
  if (use->cost_overlap_ns > 0)
    {
      append_time (text, ", and ", use->cost_overlap_ns);
      g_string_append (text, " of concurrency");
    }
  return g_string_free (text, FALSE);
}

char *
hir_sync_check_dup_times (const HirSyncCheck *check)
{
  GString *text;

  if (!check->is_timed)
    return NULL;
  text = g_string_new (NULL);
  append_time (text, "", check->times.total_ns);
  append_time (text, " on the modelled clock, with ", check->times.overlap_ns);
  g_string_append (text, " of concurrency (several operations at once, mean of the ranks)");
  if (check->without.total_ns != check->times.total_ns ||
      check->without.overlap_ns != check->times.overlap_ns)
    {
      append_time (text, "; without redundant synchronization ", check->without.total_ns);
      append_time (text, ", with ", check->without.overlap_ns);
    }
  return g_string_free (text, FALSE);
}
