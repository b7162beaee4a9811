/* Settings with their times, and the progress of the search. */
#include "tune/tune-private.h"

void
hir_tune_setting_free (gpointer data)
{
  HirTuneSetting *setting = data;

  g_clear_pointer (&setting->program, hir_program_unref);
  g_clear_pointer (&setting->request, hir_request_unref);
  g_free (setting->reason);
  g_array_unref (setting->rounds);
  g_free (setting);
}

void
hir_tune_search_report (const HirTuneSearch *search, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  if (search->options->status == NULL)
    return;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  search->options->status (text, search->options->user_data);
}

static int
compare_ns (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

gint64
hir_tune_setting_get_median (const HirTuneSetting *setting)
{
  g_autoptr (GArray) sorted = g_array_copy (setting->rounds);

  g_array_sort (sorted, compare_ns);
  return sorted->len > 0 ? g_array_index (sorted, gint64, (sorted->len - 1) / 2) : -1;
}

void
hir_tune_setting_get_range (const HirTuneSetting *setting, gint64 *least_ns, gint64 *most_ns)
{
  *least_ns = G_MAXINT64;
  *most_ns = 0;
  for (guint i = 0; i < setting->rounds->len; i++)
    {
      gint64 ns = g_array_index (setting->rounds, gint64, i);

      *least_ns = MIN (*least_ns, ns);
      *most_ns = MAX (*most_ns, ns);
    }
}

gboolean
hir_tune_is_within_spread (const HirTune *tune)
{
  const HirTuneSetting *given = g_ptr_array_index (tune->list, 0);
  const HirTuneSetting *best = tune->best > 0 ? g_ptr_array_index (tune->list, tune->best) : NULL;
  gint64 least_ns, most_ns, given_least_ns, given_most_ns;

  if (best == NULL || given->rounds->len == 0)
    return FALSE;
  hir_tune_setting_get_range (best, &least_ns, &most_ns);
  hir_tune_setting_get_range (given, &given_least_ns, &given_most_ns);
  return most_ns >= given_least_ns;
}
