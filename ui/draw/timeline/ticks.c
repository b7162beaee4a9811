#include "draw/timeline/ticks.h"

#include <math.h>
#include <string.h>

typedef struct
{
  const char *name;
  gint64 ns;
} Unit;

#define S G_GINT64_CONSTANT (1000000000)

static const Unit units[] = {
  { "ns", 1 },
  { "µs", 1000 },
  { "ms", 1000000 },
  { "s", S },
};

/* Used only if the step of the axis is a multiple of half a unit. */
static const Unit long_units[] = {
  { "min", 60 * S },
  { "h", 3600 * S },
};

/* Steps above 20 s. */
static const gint64 long_steps[] = {
  30 * S,   60 * S,   120 * S,  300 * S,   600 * S,   900 * S,
  1800 * S, 3600 * S, 7200 * S, 10800 * S, 21600 * S, 43200 * S,
};

/* Returns the smallest of 1, 2, 2.5 and 5 times a power of ten times @unit that is at least
 * @least. */
static gint64
get_decimal_step (gint64 unit, double least)
{
  for (gint64 power = unit; power < G_MAXINT64 / 100; power *= 10)
    {
      gint64 steps[] = { power, 2 * power, power >= 10 ? power / 10 * 25 : 3 * power, 5 * power };

      for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
        if ((double) steps[i] >= least && (power >= 10 || i != 2))
          return steps[i];
    }
  return G_MAXINT64 / 4;
}

gint64
hir_ticks_get_step (gint64 range_ns, double n_most)
{
  double least = (double) range_ns / MAX (n_most, 1);

  if (least <= 20.0 * S)
    return get_decimal_step (1, least);
  for (guint i = 0; i < G_N_ELEMENTS (long_steps); i++)
    if ((double) long_steps[i] >= least)
      return long_steps[i];
  return get_decimal_step (24 * 3600 * S, least);
}

gint64
hir_ticks_get_first (gint64 time_ns, gint64 step_ns)
{
  gint64 rest = time_ns % step_ns;

  if (rest == 0)
    return time_ns;
  return rest > 0 ? time_ns - rest + step_ns : time_ns - rest;
}

static gint64
floor_to (gint64 time_ns, gint64 each_ns)
{
  gint64 rest = time_ns % each_ns;

  return time_ns - rest - (rest < 0 ? each_ns : 0);
}

gint64
hir_ticks_get_base (gint64 start_ns, gint64 end_ns)
{
  gint64 largest = MAX (ABS (start_ns), ABS (end_ns)), round = 1;

  while (round < end_ns - start_ns && round < G_MAXINT64 / 10)
    round *= 10;
  return largest / 1000 >= round ? floor_to (start_ns, round) : 0;
}

static const Unit *
choose_unit (gint64 step_ns, gint64 largest_ns)
{
  const Unit *unit = &units[0];

  for (guint i = 1; i < G_N_ELEMENTS (units); i++)
    if (largest_ns >= units[i].ns)
      unit = &units[i];
  for (guint i = 0; i < G_N_ELEMENTS (long_units); i++)
    if (largest_ns >= 10 * long_units[i].ns && step_ns % (long_units[i].ns / 2) == 0)
      unit = &long_units[i];
  return unit;
}

char *
hir_ticks_dup_label (gint64 time_ns, gint64 step_ns, gint64 largest_ns)
{
  const Unit *unit = choose_unit (step_ns, largest_ns);
  gint64 scale;
  int decimals = 0;

  for (scale = unit->ns; scale > 1 && step_ns % scale != 0; scale /= 10)
    decimals++;
  /* Exact: a double would lose the last digits of a long trace. */
  gint64 whole = time_ns / unit->ns, part = ABS (time_ns % unit->ns) / scale;
  const char *sign = time_ns < 0 && whole == 0 ? "-" : "";
  if (decimals == 0)
    return g_strdup_printf ("%s%" G_GINT64_FORMAT " %s", sign, whole, unit->name);
  return g_strdup_printf ("%s%" G_GINT64_FORMAT ".%0*" G_GINT64_FORMAT " %s", sign, whole, decimals,
                          part, unit->name);
}

char *
hir_ticks_dup_base (gint64 base_ns)
{
  GString *text = g_string_new (base_ns < 0 ? "-" : "");
  gint64 rest = ABS (base_ns) % S;
  char digits[16];

  g_string_append_printf (text, "%" G_GINT64_FORMAT, ABS (base_ns) / S);
  g_snprintf (digits, sizeof digits, "%09" G_GINT64_FORMAT, rest);
  /* Appends groups of three digits until only zeros remain. */
  for (guint i = 0; rest != 0 && i < 9 && strspn (digits + i, "0") < 9 - i; i += 3)
    g_string_append_printf (text, "%s%.3s", i == 0 ? "." : "\342\200\211", digits + i);
  g_string_append (text, " s +");
  return g_string_free (text, FALSE);
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
  /* Up to 9999, a prefix would not make the number shorter. */
  while (size >= 9999.5 && scaled >= 999.95 && power + 1 < G_N_ELEMENTS (powers))
    {
      scaled /= 1000;
      power++;
    }
  return g_strdup_printf ("%.4g%s", copysign (scaled, value), powers[power]);
}
