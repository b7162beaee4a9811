/* Describes losses in words. */
#include "explain/explain-private.h"
#include "trace/duration.h"
#include "trace/short-names.h"

#define MAX_NAME 48

static const char *const cause_names[] = {
  [HIR_LOSS_COMPUTE] = "compute",         [HIR_LOSS_FIRST] = "first_communication",
  [HIR_LOSS_LAST] = "last_communication", [HIR_LOSS_LATE] = "late_communication",
  [HIR_LOSS_SYNC] = "synchronization",    [HIR_LOSS_SLOWEST] = "slowest_rank",
  [HIR_LOSS_TRANSFER] = "transfer",       [HIR_LOSS_COPY] = "copy",
  [HIR_LOSS_BESIDE] = "interference",     [HIR_LOSS_SLOW] = "slow_execution",
  [HIR_LOSS_SLOW_RANK] = "slow_rank",     [HIR_LOSS_HOST] = "host",
  [HIR_LOSS_LAUNCH] = "launch",           [HIR_LOSS_DEVICE] = "multiprocessors",
  [HIR_LOSS_RESUME] = "resume",           [HIR_LOSS_START] = "start",
  [HIR_LOSS_UNEXPLAINED] = "unexplained", [HIR_LOSS_ORDER] = "order",
  [HIR_LOSS_LIMIT] = "communication",     [HIR_LOSS_FEED] = "host_feeds",
  [HIR_LOSS_FIRST_COPY] = "first_copy",   [HIR_LOSS_LAST_COPY] = "last_copy",
  [HIR_LOSS_LATE_COPY] = "late_copy",     [HIR_LOSS_LIMIT_COPY] = "copy_on_path",
};
G_STATIC_ASSERT (G_N_ELEMENTS (cause_names) == HIR_N_LOSSES);

const char *
hir_loss_cause_get_name (HirLossCause cause)
{
  return cause_names[cause];
}

const char *
hir_alone_source_get_name (HirAloneSource source)
{
  static const char *const names[] = { "median", "executions", "baseline" };

  return names[source];
}

static void
add_names (const HirTrace *trace, const GArray *losses, GPtrArray *names)
{
  for (guint i = 0; i < losses->len; i++)
    {
      const HirLoss *loss = &g_array_index (losses, HirLoss, i);

      g_ptr_array_add (names, (gpointer) hir_trace_get_string (trace, loss->name));
      g_ptr_array_add (names, (gpointer) hir_trace_get_string (trace, loss->by));
    }
}

GHashTable *
hir_losses_dup_names (const HirExplain *explain)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < explain->repetitions->len; i++)
    {
      const HirRepetition *repetition = &g_array_index (explain->repetitions, HirRepetition, i);

      add_names (explain->trace, repetition->losses, names);
      add_names (explain->trace, repetition->waits, names);
    }
  return hir_dup_short_names (names, MAX_NAME);
}

char *
hir_loss_dup_name (const HirExplain *explain, guint32 name)
{
  const char *full = hir_trace_get_string (explain->trace, name);

  return g_strdup (g_hash_table_lookup (explain->short_names, full));
}

static char *
dup_mean (gint64 sum_ns, guint n)
{
  return hir_format_duration (n > 0 ? sum_ns / n : 0);
}

/* Returns "", or " (means of 4 executions)". */
static char *
dup_means (const HirLoss *loss)
{
  return loss->n_events > 1 ? g_strdup_printf (" (means of %u executions)", loss->n_events)
                            : g_strdup ("");
}

/* Returns "2.4 ms", or "2.4 ms in 6 executions". */
static char *
dup_sum (const HirLoss *loss)
{
  g_autofree char *sum = hir_format_duration (loss->sum_ns);

  return loss->n_events > 1 ? g_strdup_printf ("%s in %u executions", sum, loss->n_events)
                            : g_steal_pointer (&sum);
}

static char *
dup_wait (const HirLoss *loss, const char *name, const char *by)
{
  g_autofree char *mean = dup_mean (loss->sum_ns, loss->n_events);
  g_autofree char *work = dup_mean (loss->sum_alone_ns, loss->n_events);
  g_autofree char *means = dup_means (loss);

  return g_strdup_printf ("%s waits for multiprocessors (SMs) that %s occupies: it ends %s after "
                          "it is ready, for %s of work%s",
                          name, by, mean, work, means);
}

/* Communication or a copy beside which no kernel runs. */
static char *
dup_bare (const char *name, const char *by, double percent, const char *sum)
{
  g_autofree char *start =
      *by != '\0'
          ? g_strdup_printf ("%s starts when %s ends, and no kernel runs beside it", name, by)
          : g_strdup_printf ("no kernel runs beside %s", name);

  return g_strdup_printf (
      "%s: %.0f %% of its %s are on the path; start it earlier, or run kernels that "
      "do not need it on another stream",
      start, percent, sum);
}

static char *
dup_communication (const HirLoss *loss, const char *name, const char *by)
{
  g_autofree char *sum = dup_sum (loss);
  double percent = loss->sum_ns > 0 ? 100.0 * (double) loss->ns / (double) loss->sum_ns : 0;

  switch (loss->cause)
    {
    case HIR_LOSS_FIRST:
    case HIR_LOSS_FIRST_COPY:
      return g_strdup_printf ("%s: the device has no kernel yet that could hide it", name);
    case HIR_LOSS_LAST:
    case HIR_LOSS_LAST_COPY:
      return g_strdup_printf ("%s: no kernel follows that could hide it", name);
    case HIR_LOSS_LATE:
    case HIR_LOSS_LATE_COPY:
      return g_strdup_printf ("%s starts only when %s frees the device: %.0f %% of its %s are "
                              "exposed on the path",
                              name, by, percent, sum);
    case HIR_LOSS_SYNC:
      return g_strdup_printf ("%s starts only after %s: %.0f %% of its %s are exposed on the path",
                              name, by, percent, sum);
    case HIR_LOSS_DEVICE:
      return dup_wait (loss, name, by);
    case HIR_LOSS_SLOWEST:
      return g_strdup_printf ("%s waits for the last rank to start it", name);
    case HIR_LOSS_LIMIT:
    case HIR_LOSS_LIMIT_COPY:
      return g_strdup_printf ("%s determines the length: kernels run beside it, but the run waits "
                              "for it",
                              name);
    case HIR_LOSS_ORDER:
      return dup_bare (name, by, percent, sum);
    case HIR_LOSS_COPY:
      return *by != '\0' ? dup_bare (name, by, percent, sum)
                         : g_strdup_printf ("%s: %.0f %% of its %s are exposed on the path", name,
                                            percent, sum);
    default:
      return g_strdup_printf ("%s takes longer than the kernels beside it: %.0f %% of its %s are "
                              "exposed on the path",
                              name, percent, sum);
    }
}

static char *
dup_kernel (const HirLoss *loss, const char *name, const char *by)
{
  g_autofree char *mean = dup_mean (loss->sum_ns, loss->n_events);
  g_autofree char *alone = dup_mean (loss->sum_alone_ns, loss->n_events);
  g_autofree char *means = dup_means (loss);

  switch (loss->cause)
    {
    case HIR_LOSS_BESIDE:
      return g_strdup_printf ("%s takes %s beside %s, %s alone%s", name, mean, by, alone, means);
    case HIR_LOSS_SLOW:
      return g_strdup_printf (loss->alone_from == HIR_ALONE_BASELINE
                                  ? "%s takes %s, but %s alone, as measured by --baseline%s"
                                  : "%s takes %s, but %s in other executions%s",
                              name, mean, alone, means);
    case HIR_LOSS_SLOW_RANK:
      return g_strdup_printf ("%s takes %s on this rank, but %s on others%s", name, mean, alone,
                              means);
    default:
      return g_strdup_printf ("%s computes", name);
    }
}

static char *
dup_idle (const HirLoss *loss, const char *by)
{
  switch (loss->cause)
    {
    case HIR_LOSS_HOST:
      return g_strdup ("the device is idle until the host issues more work");
    case HIR_LOSS_FEED:
      return g_strdup ("the host cannot feed the streams: work ends faster than it issues more");
    case HIR_LOSS_SYNC:
      return g_strdup_printf ("the host launches more work only after %s", by);
    case HIR_LOSS_LAUNCH:
      return g_strdup ("launches, and short gaps between work");
    case HIR_LOSS_RESUME:
      return g_strdup ("streams resume after waits");
    case HIR_LOSS_START:
      return g_strdup ("this rank starts later than the first one");
    default:
      return g_strdup (
          "unexplained: the device is idle, and nothing that is known delays the work");
    }
}

char *
hir_loss_dup_sentence (const HirExplain *explain, const HirLoss *loss)
{
  g_autofree char *name = hir_loss_dup_name (explain, loss->name);
  g_autofree char *by = loss->by != 0 ? hir_loss_dup_name (explain, loss->by) : g_strdup ("");

  switch (loss->cause)
    {
    case HIR_LOSS_COMPUTE:
    case HIR_LOSS_BESIDE:
    case HIR_LOSS_SLOW:
    case HIR_LOSS_SLOW_RANK:
      return dup_kernel (loss, name, by);
    default:
      return loss->name != 0 ? dup_communication (loss, name, by) : dup_idle (loss, by);
    }
}

char *
hir_loss_dup_iterations (const HirLoss *loss)
{
  if (loss->last_iteration < 0)
    return g_strdup ("");
  if (loss->first_iteration == loss->last_iteration)
    return g_strdup_printf ("%d", loss->last_iteration);
  return g_strdup_printf ("%d-%d", MAX (loss->first_iteration, 0), loss->last_iteration);
}

char *
hir_loss_dup_ranks (const HirLoss *loss)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < loss->ranks->len; i++)
    g_string_append_printf (text, "%s%d", i > 0 ? "," : "", g_array_index (loss->ranks, int, i));
  return g_string_free (text, FALSE);
}
