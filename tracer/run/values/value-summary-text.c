/* Summaries of values as text. */
#include <math.h>
#include <string.h>

#include "diagnostic.h"
#include "run/values/value-summary.h"

char *
hir_value_summary_dup_number (const HirValueSummary *summary, double number)
{
  if (!hir_dtype_is_floating_point (summary->dtype) && number == floor (number) &&
      fabs (number) < 1e15)
    return g_strdup_printf ("%.0f", number);
  return g_strdup_printf ("%.4g", number);
}

char *
hir_value_summary_dup_slice (const HirValueSummary *summary)
{
  GString *text = g_string_new (summary->n_dims > 0 ? "[" : "");

  for (guint i = 0; i < summary->n_dims; i++)
    {
      if (i > 0)
        g_string_append (text, ", ");
      if (summary->at[i] < 0)
        g_string_append_c (text, ':');
      else
        g_string_append_printf (text, "%" G_GINT64_FORMAT, summary->at[i]);
    }
  if (summary->n_dims > 0)
    g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

/* A colon, or an index of an axis of @size. */
static gboolean
parse_axis (const char *word, guint axis, gint64 size, gint64 *at, GError **error)
{
  gint64 index;

  if (g_str_equal (word, ":"))
    {
      *at = -1;
      return TRUE;
    }
  if (!g_ascii_string_to_signed (word, 10, -size, size - 1, &index, NULL))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "'%s' is not an index of axis %u, which has %" G_GINT64_FORMAT
                     " elements; use a number, or : for the whole axis",
                     word, axis, size);
      return FALSE;
    }
  *at = index < 0 ? index + size : index;
  return TRUE;
}

gboolean
hir_value_query_parse (
    HirValueQuery *query, const char *text, guint n_dims, const gint64 *sizes, GError **error)
{
  g_autofree char *inner = g_strstrip (g_strdup (text));
  gsize length = strlen (inner);
  gboolean has_brackets = length >= 2 && inner[0] == '[' && inner[length - 1] == ']';
  gint64 at[HIR_MAX_DIMS];

  if (has_brackets)
    inner[length - 1] = '\0';
  g_auto (GStrv) words = g_strsplit (g_strstrip (inner + has_brackets), ",", -1);
  if (g_strv_length (words) != n_dims)
    {
      hir_set_error (
          error, HIR_ERROR_INPUT, NULL,
          "the tensor has %u axes, but %u indices are given; use one number or : per axis", n_dims,
          g_strv_length (words));
      return FALSE;
    }
  for (guint i = 0; i < n_dims; i++)
    if (!parse_axis (g_strstrip (words[i]), i, sizes[i], &at[i], error))
      return FALSE;
  for (guint i = 0; i < n_dims; i++)
    query->at[i] = at[i];
  return TRUE;
}

static void
append_sizes (GString *text, const gint64 *sizes, guint n)
{
  g_string_append_c (text, '[');
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", sizes[i]);
  g_string_append_c (text, ']');
}

static void
append_numbers (GString *text, const HirValueSummary *summary)
{
  g_autofree char *min = hir_value_summary_dup_number (summary, summary->min);
  g_autofree char *max = hir_value_summary_dup_number (summary, summary->max);
  g_autofree char *mean = g_strdup_printf ("%.4g", summary->mean);
  g_autofree char *deviation = g_strdup_printf ("%.4g", summary->deviation);

  /* Otherwise no element was ever written. */
  if (!isnan (summary->min) || summary->n_nan + summary->n_inf > 0)
    g_string_append_printf (text, "min %s, max %s, mean %s, deviation %s\n", min, max, mean,
                            deviation);
  g_string_append_printf (text,
                          "%" G_GUINT64_FORMAT " elements: %" G_GUINT64_FORMAT
                          " NaN, %" G_GUINT64_FORMAT " Inf, %" G_GUINT64_FORMAT " zero\n",
                          hir_value_summary_get_n_elements (summary), summary->n_nan,
                          summary->n_inf, summary->n_zero);
}

/* Eighths of a character's height. */
static void
append_histogram (GString *text, const HirValueSummary *summary)
{
  static const char *const blocks[] = {
    " ",
    "\xe2\x96\x81",
    "\xe2\x96\x82",
    "\xe2\x96\x83",
    "\xe2\x96\x84",
    "\xe2\x96\x85",
    "\xe2\x96\x86",
    "\xe2\x96\x87",
    "\xe2\x96\x88",
  };
  g_autofree char *min = hir_value_summary_dup_number (summary, summary->min);
  g_autofree char *max = hir_value_summary_dup_number (summary, summary->max);
  guint64 most = 0;

  for (guint i = 0; i < HIR_VALUE_N_BINS; i++)
    most = MAX (most, summary->bins[i]);
  if (most == 0 || summary->min == summary->max)
    return;
  g_string_append_printf (text, "%s |", min);
  for (guint i = 0; i < HIR_VALUE_N_BINS; i++)
    g_string_append (text, blocks[(guint) ceil ((double) summary->bins[i] / (double) most * 8)]);
  g_string_append_printf (text, "| %s\n", max);
}

static void
append_page (GString *text, const HirValueSummary *summary)
{
  gboolean more_columns = summary->page_column + summary->page_columns < summary->n_columns;
  int width = 1;

  for (guint i = 0; summary->page[i] != NULL; i++)
    width = MAX (width, (int) g_utf8_strlen (summary->page[i], -1));
  for (guint r = 0; r < summary->page_rows; r++)
    {
      g_string_append_printf (text, "%6" G_GINT64_FORMAT ":", summary->page_row + r);
      for (guint c = 0; c < summary->page_columns; c++)
        g_string_append_printf (text, " %*s", width, summary->page[r * summary->page_columns + c]);
      g_string_append (text, more_columns ? " ...\n" : "\n");
    }
  if (summary->page_row + summary->page_rows < summary->n_rows && summary->page_rows > 0)
    g_string_append (text, "   ...\n");
}

/* Sets @sizes and @strides to those of the slice: axes with a single index are left out. Returns
 * their number. */
static guint
get_shape (const HirValueSummary *summary, gint64 *sizes, gint64 *strides)
{
  guint n = 0;

  for (guint i = 0; i < summary->n_dims; i++)
    if (summary->at[i] < 0)
      {
        sizes[n] = summary->sizes[i];
        strides[n++] = summary->strides[i];
      }
  return n;
}

char *
hir_value_summary_format (const HirValueSummary *summary)
{
  g_autoptr (GString) text = g_string_new (hir_dtype_get_short_name (summary->dtype));
  gint64 sizes[HIR_MAX_DIMS], strides[HIR_MAX_DIMS];
  guint n_dims = get_shape (summary, sizes, strides);

  append_sizes (text, sizes, n_dims);
  g_string_append (text, ", strides ");
  append_sizes (text, strides, n_dims);
  g_string_append_c (text, '\n');
  append_numbers (text, summary);
  append_histogram (text, summary);
  append_page (text, summary);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Numbers at the end of a line. */
#define MAX_LINE_NUMBERS 6

char *
hir_value_summary_dup_line (const HirValueSummary *summary)
{
  guint64 n = hir_value_summary_get_n_elements (summary);
  guint n_page = summary->page_rows * summary->page_columns;
  gint64 sizes[HIR_MAX_DIMS], strides[HIR_MAX_DIMS];
  GString *text;

  if (n == 1 && n_page == 1)
    return g_strdup (summary->page[0]);
  text = g_string_new (hir_dtype_get_short_name (summary->dtype));
  append_sizes (text, sizes, get_shape (summary, sizes, strides));
  if (!isnan (summary->min))
    {
      g_autofree char *min = hir_value_summary_dup_number (summary, summary->min);
      g_autofree char *max = hir_value_summary_dup_number (summary, summary->max);

      g_string_append_printf (text, ", %s to %s, mean %.4g", min, max, summary->mean);
    }
  if (summary->n_nan > 0)
    g_string_append_printf (text, ", %" G_GUINT64_FORMAT " NaN", summary->n_nan);
  if (summary->n_inf > 0)
    g_string_append_printf (text, ", %" G_GUINT64_FORMAT " Inf", summary->n_inf);
  for (guint i = 0; i < MIN (n_page, MAX_LINE_NUMBERS); i++)
    g_string_append_printf (text, "%s %s", i > 0 ? "," : ":", summary->page[i]);
  if (n > MIN (n_page, MAX_LINE_NUMBERS) && n_page > 0)
    g_string_append (text, ", \xe2\x80\xa6");
  return g_string_free (text, FALSE);
}
