#include "time-range.h"

#include <math.h>
#include <string.h>

#include "diagnostic.h"

static gboolean
parse_time (const char *text, gint64 missing_ns, gint64 *time_ns)
{
  static const struct
  {
    const char *unit;
    double ns;
  } units[] = { { "", 1 }, { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
  char *end;
  double value;

  if (*text == '\0')
    {
      *time_ns = missing_ns;
      return TRUE;
    }
  value = g_ascii_strtod (text, &end);
  if (end == text || !isfinite (value) || value < 0)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    if (strcmp (end, units[i].unit) == 0 && value * units[i].ns < 9e18)
      {
        *time_ns = (gint64) floor (value * units[i].ns + 0.5);
        return TRUE;
      }
  return FALSE;
}

gboolean
hir_time_range_parse (
    const char *text, gint64 length_ns, gint64 *start_ns, gint64 *end_ns, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ":", -1);

  if (g_strv_length (parts) != 2 || !parse_time (parts[0], 0, start_ns) ||
      !parse_time (parts[1], length_ns, end_ns))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "--range takes A:B, times from the start of the trace such as 10us:2.5ms, not "
                     "'%s'",
                     text);
      return FALSE;
    }
  if (*end_ns <= *start_ns)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "--range %s is empty: B must be greater than A; the trace is %" G_GINT64_FORMAT
                     " ns long",
                     text, length_ns);
      return FALSE;
    }
  return TRUE;
}
