#include "draw/report/html-explain.h"

#include "draw/report/html-page.h"
#include "trace/duration.h"

#define MAX_REPETITIONS 4
#define MAX_LOSSES 20 /* of a repetition */

static void
write_losses (HirTextOut *out, const HirExplain *explain, const GArray *losses, gint64 total_ns)
{
  for (guint i = 0; i < MIN (losses->len, MAX_LOSSES); i++)
    {
      const HirLoss *loss = &g_array_index (losses, HirLoss, i);
      g_autofree char *sentence = hir_loss_dup_sentence (explain, loss);
      g_autofree char *iterations = hir_loss_dup_iterations (loss);
      g_autofree char *ranks = hir_loss_dup_ranks (loss);

      hir_text_out_add (out, "<tr>");
      hir_html_add_cell (out, TRUE, sentence);
      hir_html_add_time_cell (out, (double) loss->ns);
      hir_html_add_share_cell (out, loss->ns, total_ns);
      hir_html_add_cell (out, FALSE, iterations);
      hir_html_add_cell (out, FALSE, ranks);
      hir_text_out_add (out, "</tr>\n");
    }
  if (losses->len > MAX_LOSSES)
    hir_text_out_printf (out, "<tr><td class=\"name\">and %u more</td></tr>\n",
                         losses->len - MAX_LOSSES);
}

static void
write_repetition (HirTextOut *out, const HirExplain *explain, guint number)
{
  const HirRepetition *repetition = &g_array_index (explain->repetitions, HirRepetition, number);
  gint64 total_ns = repetition->end_ns - repetition->start_ns;
  g_autofree char *total = hir_format_duration (total_ns);
  g_autofree char *title = g_strdup_printf (
      "Where the time went: repetition %u of %u, %s, rank %d ends last; " HIR_EXPLAIN_SUM_NOTE,
      number + 1, explain->repetitions->len, total, repetition->last_rank);

  hir_html_begin_table (out, title, "cause|time|share|iterations|ranks");
  write_losses (out, explain, repetition->losses, total_ns);
  hir_html_end_table (out);
  if (repetition->waits->len == 0)
    return;
  hir_html_begin_table (out, "Not part of the total, because other work may hide it",
                        "cause|time|share|iterations|ranks");
  write_losses (out, explain, repetition->waits, total_ns);
  hir_html_end_table (out);
}

static void
write_gains (HirTextOut *out, const HirExplain *explain)
{
  const GArray *gains = explain->gains;
  g_autofree char *total = hir_format_duration (explain->simulated_ns);
  g_autofree char *title =
      g_strdup_printf ("What would help, of %s in the simulation, each change alone", total);

  if (gains == NULL)
    return;
  hir_html_begin_table (out, title, "if|gain|share");
  for (guint i = 0; i < MIN (gains->len, MAX_LOSSES); i++)
    {
      const HirGain *gain = &g_array_index (gains, HirGain, i);

      if (hir_gains_start_breaking (gains, i))
        hir_text_out_add (out, "<tr><td class=\"name\" colspan=\"3\"><b>" HIR_GAINS_BREAKING_TITLE
                               "</b></td></tr>\n");
      hir_text_out_add (out, "<tr>");
      hir_html_add_cell (out, TRUE, gain->text);
      hir_html_add_time_cell (out, (double) gain->gain_ns);
      hir_html_add_share_cell (out, gain->gain_ns, explain->simulated_ns);
      hir_text_out_add (out, "</tr>\n");
    }
  hir_html_end_table (out);
  if (gains->len == 0)
    hir_text_out_add (out, "<p class=\"sub\">no simulated change makes the run shorter</p>\n");
}

void
hir_html_write_explanation (HirTextOut *out, const HirExplain *explain, const char *path_svg)
{
  guint n = explain->repetitions->len;

  if (path_svg != NULL)
    {
      hir_text_out_add (out, "<h2>Critical path of repetition 1</h2>\n");
      hir_html_add_figure (out, path_svg);
    }
  for (guint i = 0; i < MIN (n, MAX_REPETITIONS); i++)
    write_repetition (out, explain, i);
  if (n > MAX_REPETITIONS)
    hir_text_out_printf (out, "<p class=\"sub\">and %u more repetitions</p>\n",
                         n - MAX_REPETITIONS);
  write_gains (out, explain);
  for (guint i = 0; i < explain->notes->len; i++)
    hir_html_add_note (out, g_ptr_array_index (explain->notes, i));
}
