#include "trace/duration.h"

#include <math.h>

typedef struct
{
  const char *name;
  gint64 ns;
} Unit;

static const Unit units[] = { { "ns", 1 }, { "µs", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };

static const Unit *
get_unit (gint64 ns)
{
  const Unit *unit = &units[0];

  for (guint i = 1; i < G_N_ELEMENTS (units); i++)
    if (ABS (ns) >= units[i].ns)
      unit = &units[i];
  return unit;
}

/* Returns the number of decimals that shows @n_digits digits of @ns, two at most. */
static int
get_n_decimals (gint64 ns, const Unit *unit, int n_digits)
{
  double value = fabs ((double) ns / (double) unit->ns);
  int n_whole = value >= 999.95 ? 4 : value >= 100 ? 3 : value >= 10 ? 2 : 1;

  return CLAMP (n_digits - n_whole, 0, 2);
}

static char *
format (gint64 ns, const Unit *unit, int n_decimals, const char *space)
{
  char pattern[] = "%.0f", number[G_ASCII_DTOSTR_BUF_SIZE];

  if (unit->ns == 1)
    return g_strdup_printf ("%" G_GINT64_FORMAT "%sns", ns, space);
  pattern[2] = (char) ('0' + n_decimals);
  g_ascii_formatd (number, sizeof number, pattern, (double) ns / (double) unit->ns);
  return g_strconcat (number, space, unit->name, NULL);
}

char *
hir_format_duration (gint64 ns)
{
  const Unit *unit = get_unit (ns);

  return format (ns, unit, get_n_decimals (ns, unit, 4), " ");
}

char *
hir_format_short_duration (gint64 ns)
{
  const Unit *unit = get_unit (ns);

  return format (ns, unit, get_n_decimals (ns, unit, 3), "\302\240");
}

char *
hir_format_range_end (gint64 ns, gint64 length_ns)
{
  const Unit *unit = get_unit (ns);
  int n_decimals = get_n_decimals (ns, unit, 4);
  gint64 step_ns = unit->ns;

  for (int i = 0; i < n_decimals; i++)
    step_ns /= 10;
  for (; step_ns > 1 && step_ns > length_ns / 100; step_ns /= 10)
    n_decimals++;
  return format (ns, unit, n_decimals, " ");
}
