#include "analysis/sync-cost.h"

#define MAX_PLAYED 4000000 /* steps, of all that is played: a second or two */

typedef struct
{
  const HirSyncCheck *check;
  const guint8 *is_idle;
  GPtrArray *waits;      /* a rank: GArray of guint, the steps that are its waits, in order */
  const HirSyncUse *use; /* NULL: all that are needless */
} Cost;

static void
unref_array (gpointer data)
{
  g_array_unref (data);
}

static void
collect_waits (Cost *cost)
{
  const HirSyncTrace *trace = cost->check->trace;

  for (guint i = 0; i < trace->programs->len; i++)
    g_ptr_array_add (cost->waits, g_array_new (FALSE, FALSE, sizeof (guint)));
  for (guint i = 0, rank = 0; i < trace->steps->len; i++)
    {
      const HirSyncStep *step = hir_sync_trace_get_step (trace, i);

      /* Steps of a rank stand together, and begin with its entry. */
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

      if (use->is_needless && use->expr->node.id == instruction)
        return use;
    }
  return NULL;
}

/* All executions of what is needless; else those that let a stream wait for what it follows anyway.
 */
static gboolean
leave (guint tape, guint64 instruction, guint wait, gpointer user_data)
{
  const Cost *cost = user_data;
  const HirSyncUse *use = find_use (cost, instruction);
  const GArray *waits = g_ptr_array_index (cost->waits, tape);

  if (use == NULL || use->is_needless)
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

      if (!use->is_needless && use->n_idle == 0)
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
  cost.waits = g_ptr_array_new_with_free_func (unref_array);
  collect_waits (&cost);
  add_costs (check, &cost);
  g_ptr_array_unref (cost.waits);
}

/* Into @text, and given back. */
static const char *
format_time (char text[24], gint64 ns)
{
  if (ns < 1000000)
    g_snprintf (text, 24, "%.4g us", (double) ns / 1000);
  else
    g_snprintf (text, 24, "%.4g ms", (double) ns / 1e6);
  return text;
}

char *
hir_sync_use_dup_cost (const HirSyncCheck *check, const HirSyncUse *use)
{
  char time[24], total[24], overlap[24];
  GString *text;

  if (!use->has_cost)
    return NULL;
  text = g_string_new (NULL);
  (void) format_time (total, check->times.total_ns);
  /* What is issued later may meet something at a better time. */
  if (use->cost_ns == 0 && use->cost_overlap_ns <= 0)
    g_string_append (text, "costs nothing");
  else if (use->cost_ns >= 0)
    g_string_append_printf (text, "costs %s of %s", format_time (time, use->cost_ns), total);
  else
    g_string_append_printf (text, "saves %s of %s by chance", format_time (time, -use->cost_ns),
                            total);
  g_string_append (text, " on the modelled clock");
  if (use->cost_overlap_ns > 0)
    g_string_append_printf (text, ", and %s of overlap",
                            format_time (overlap, use->cost_overlap_ns));
  return g_string_free (text, FALSE);
}

char *
hir_sync_check_dup_times (const HirSyncCheck *check)
{
  char time[24], overlap[24];
  GString *text;

  if (!check->is_timed)
    return NULL;
  text = g_string_new (NULL);
  g_string_append_printf (text, "%s on the modelled clock, with %s of overlap",
                          format_time (time, check->times.total_ns),
                          format_time (overlap, check->times.overlap_ns));
  if (check->without.total_ns != check->times.total_ns ||
      check->without.overlap_ns != check->times.overlap_ns)
    g_string_append_printf (text, "; without what is needless %s, with %s",
                            format_time (time, check->without.total_ns),
                            format_time (overlap, check->without.overlap_ns));
  return g_string_free (text, FALSE);
}
