#include "draw/ticks.h"

#include <math.h>

typedef struct
{
  const char *name;
  gint64 ns;
} Unit;

static const Unit units[] = {
  { "ns", 1 },
  { "µs", 1000 },
  { "ms", 1000000 },
  { "s", 1000000000 },
};

gint64
hir_ticks_get_step (gint64 range_ns, double n_most)
{
  double least = (double) range_ns / MAX (n_most, 1);

  for (gint64 power = 1; power < G_MAXINT64 / 100; power *= 10)
    {
      gint64 steps[] = { power, 2 * power, power >= 10 ? power / 10 * 25 : 3 * power, 5 * power };

      for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
        if ((double) steps[i] >= least && (power >= 10 || i != 2))
          return steps[i];
    }
  return G_MAXINT64 / 4;
}

gint64
hir_ticks_get_first (gint64 time_ns, gint64 step_ns)
{
  gint64 rest = time_ns % step_ns;

  if (rest == 0)
    return time_ns;
  return rest > 0 ? time_ns - rest + step_ns : time_ns - rest;
}

char *
hir_ticks_dup_label (gint64 time_ns, gint64 step_ns, gint64 largest_ns)
{
  const Unit *unit = &units[0];
  gint64 scale;
  int decimals = 0;

  for (guint i = 1; i < G_N_ELEMENTS (units); i++)
    if (largest_ns >= 10 * units[i].ns)
      unit = &units[i];
  for (scale = unit->ns; scale > 1 && step_ns % scale != 0; scale /= 10)
    decimals++;
  /* Exact: a double would lose the last digits of a long trace. */
  gint64 whole = time_ns / unit->ns, part = ABS (time_ns % unit->ns);
  for (int i = decimals; i < 9 && unit->ns > 1; i++)
    if ((gint64) pow (10, i) < unit->ns)
      part /= 10;
  const char *sign = time_ns < 0 && whole == 0 ? "-" : "";
  if (decimals == 0)
    return g_strdup_printf ("%s%" G_GINT64_FORMAT " %s", sign, whole, unit->name);
  return g_strdup_printf ("%s%" G_GINT64_FORMAT ".%0*" G_GINT64_FORMAT " %s", sign, whole, decimals,
                          part, unit->name);
}

char *
hir_time_dup_text (gint64 time_ns)
{
  const Unit *unit = &units[0];
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  double value;

  for (guint i = 1; i < G_N_ELEMENTS (units); i++)
    if (ABS (time_ns) >= units[i].ns)
      unit = &units[i];
  value = (double) time_ns / (double) unit->ns;
  if (unit->ns == 1)
    return g_strdup_printf ("%" G_GINT64_FORMAT " ns", time_ns);
  g_ascii_formatd (number, sizeof number,
                   fabs (value) >= 999.95 ? "%.0f"
                   : fabs (value) >= 100  ? "%.1f"
                                          : "%.2f",
                   value);
  return g_strdup_printf ("%s %s", number, unit->name);
}

char *
hir_number_dup_text (double value)
{
  static const char *const powers[] = { "", " k", " M", " G", " T", " P", " E" };
  double size = fabs (value), scaled = size;
  guint power = 0;

  if (size == 0)
    return g_strdup ("0");
  if (size < 1e-3 || size >= 1e21)
    return g_strdup_printf ("%.3g", value);
  /* 9999 is as good as 9.999 k. */
  while (size >= 9999.5 && scaled >= 999.95 && power + 1 < G_N_ELEMENTS (powers))
    {
      scaled /= 1000;
      power++;
    }
  return g_strdup_printf ("%.4g%s", copysign (scaled, value), powers[power]);
}
