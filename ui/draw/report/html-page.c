#include "draw/report/html-page.h"

#include <math.h>
#include <string.h>

#include "draw/measure.h"
#include "trace/duration.h"

void
hir_html_add_text (HirTextOut *out, const char *text)
{
  g_autofree char *escaped = hir_text_dup_xml (text);

  hir_text_out_add (out, escaped);
}

void
hir_html_add_cell (HirTextOut *out, gboolean is_name, const char *text)
{
  hir_text_out_add (out, is_name ? "<td class=\"name\">" : "<td>");
  hir_html_add_text (out, text);
  hir_text_out_add (out, "</td>");
}

void
hir_html_add_time_cell (HirTextOut *out, double ns)
{
  g_autofree char *duration = hir_format_duration ((gint64) round (ns));
  g_auto (GStrv) parts = g_strsplit (duration, " ", -1);
  g_autofree char *text = g_strjoinv ("\u202f", parts);

  hir_html_add_cell (out, FALSE, text);
}

void
hir_html_begin_table (HirTextOut *out, const char *title, const char *names)
{
  g_auto (GStrv) parts = g_strsplit (names, "|", -1);

  hir_text_out_printf (out, "<h2>%s</h2>\n<table><thead><tr>", title);
  for (guint i = 0; parts[i] != NULL; i++)
    hir_text_out_printf (out, "<th%s>%s</th>", i == 0 ? " class=\"name\"" : "", parts[i]);
  hir_text_out_add (out, "</tr></thead><tbody>\n");
}

void
hir_html_end_table (HirTextOut *out)
{
  hir_text_out_add (out, "</tbody></table>\n");
}

void
hir_html_add_share_cell (HirTextOut *out, gint64 ns, gint64 total_ns)
{
  g_autofree char *text =
      g_strdup_printf ("%.1f\u202f%%", 100.0 * (double) ns / (double) MAX (total_ns, 1));

  hir_html_add_cell (out, FALSE, text);
}

void
hir_html_add_note (HirTextOut *out, const char *text)
{
  hir_text_out_add (out, "<p class=\"sub\">note: ");
  hir_html_add_text (out, text);
  hir_text_out_add (out, "</p>\n");
}

void
hir_html_add_figure (HirTextOut *out, const char *svg)
{
  const char *start = strstr (svg, "<svg");

  hir_text_out_add (out, "<figure>");
  hir_text_out_add (out, start != NULL ? start : "");
  hir_text_out_add (out, "</figure>\n");
}
