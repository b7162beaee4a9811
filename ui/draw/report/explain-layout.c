/* Lays out the rows of an explanation: breaks sentences into lines and finds their links. */
#include <string.h>

#include "draw/link-text.h"
#include "draw/report/explain-private.h"
#include "trace/duration.h"

#define MAX_ROWS 2000
#define MAX_LINES 6 /* of a sentence */

/* What the rows are laid out from. */
typedef struct
{
  HirExplainLayout *layout;
  const HirExplain *explain;
  HirMeasure *measure;
  GRegex *pattern; /* of links */
} Maker;

static void
link_clear (gpointer data)
{
  g_free (((HirExplainLink *) data)->target);
}

static void
row_clear (gpointer data)
{
  HirExplainRow *row = data;

  g_array_unref (row->links);
  g_free (row->time);
  g_free (row->percent);
  g_free (row->detail);
  g_strfreev (row->lines);
}

/* Breaks @text at spaces into lines of at most @width. Longer words are cut when drawn. */
static char **
dup_lines (HirMeasure *measure, HirFont font, double size_px, const char *text, double width)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  double space = hir_measure_get_width (measure, font, size_px, " "), used = 0;
  GPtrArray *lines = g_ptr_array_new ();
  g_autoptr (GString) line = g_string_new (NULL);

  for (guint i = 0; words[i] != NULL; i++)
    {
      double word = hir_measure_get_width (measure, font, size_px, words[i]);

      if (line->len > 0 && used + space + word > width && lines->len + 1 < MAX_LINES)
        {
          g_ptr_array_add (lines, g_strdup (line->str));
          g_string_truncate (line, 0);
          used = 0;
        }
      g_string_append_printf (line, "%s%s", line->len > 0 ? " " : "", words[i]);
      used += (used > 0 ? space : 0) + word;
    }
  g_ptr_array_add (lines, g_strdup (line->str));
  g_ptr_array_add (lines, NULL);
  return (char **) g_ptr_array_free (lines, FALSE);
}

/* Returns the width of the first @n bytes of @text. */
static double
get_width (const Maker *maker, HirFont font, double size_px, const char *text, guint n)
{
  g_autofree char *part = g_strndup (text, n);

  return hir_measure_get_width (maker->measure, font, size_px, part);
}

/* Adds the links of a line, whose start is byte @offset of the text of @links. */
static void
add_line_links (const Maker *maker,
                HirExplainRow *row,
                const GArray *links,
                guint line,
                const char *text,
                guint offset,
                HirFont font,
                double size_px)
{
  guint n = (guint) strlen (text);

  for (guint i = 0; i < links->len; i++)
    {
      const HirLink *link = &g_array_index (links, HirLink, i);
      HirExplainLink added = { .line = line };

      if (link->end <= offset || link->start >= offset + n)
        continue;
      added.start = MAX (link->start, offset) - offset;
      added.end = MIN (link->end - offset, n);
      added.x = get_width (maker, font, size_px, text, added.start);
      added.width = get_width (maker, font, size_px, text + added.start, added.end - added.start);
      added.target = g_strdup (link->target);
      g_array_append_val (row->links, added);
    }
}

/* Adds the links of the sentence @text, which is that of the lines, and of the detail. */
static void
add_links (const Maker *maker,
           HirExplainRow *row,
           const char *text,
           const HirLinkWords *words,
           guint n_words)
{
  g_autoptr (GArray) links = hir_link_text_find (maker->pattern, text, words, n_words);
  HirFont font = row->is_title ? HIR_FONT_SANS_BOLD : HIR_FONT_SANS;
  guint n = 0, offset = 0;

  row->links = g_array_new (FALSE, FALSE, sizeof (HirExplainLink));
  g_array_set_clear_func (row->links, link_clear);
  for (; row->lines[n] != NULL; n++)
    {
      add_line_links (maker, row, links, n, row->lines[n], offset, font,
                      row->is_title ? TITLE_PX : TEXT_PX);
      offset += (guint) strlen (row->lines[n]) + 1;
    }
  if (row->detail != NULL)
    {
      g_autoptr (GArray) of_detail =
          hir_link_text_find (maker->pattern, row->detail, words, n_words);

      add_line_links (maker, row, of_detail, n, row->detail, 0, HIR_FONT_SANS, DETAIL_PX);
    }
}

gboolean
hir_explain_row_is_selectable (const HirExplainRow *row)
{
  return row->loss != NULL || row->gain != NULL;
}

double
hir_explain_row_get_text_x (const HirExplainRow *row)
{
  return EDGE + (hir_explain_row_is_selectable (row) ? TIMES : 0);
}

HirRect
hir_explain_row_get_link_rect (const HirExplainRow *row, guint i)
{
  const HirExplainLink *link = &g_array_index (row->links, HirExplainLink, i);

  return hir_rect (hir_explain_row_get_text_x (row) + link->x, PAD + link->line * LINE, link->width,
                   LINE);
}

static void
add_row (HirExplainLayout *layout, HirExplainRow *row)
{
  guint n = g_strv_length (row->lines) + (row->detail != NULL) + row->has_piece_line;

  row->y = layout->height;
  row->height = MAX (n, hir_explain_row_is_selectable (row) ? 2u : 1u) * LINE + 2 * PAD;
  layout->height += row->height;
  g_array_append_val (layout->rows, *row);
}

static void
add_text (const Maker *maker, const char *text, gboolean is_title, const HirLinkWords *words)
{
  HirExplainRow row = { .is_title = is_title };

  row.lines = dup_lines (maker->measure, is_title ? HIR_FONT_SANS_BOLD : HIR_FONT_SANS,
                         is_title ? TITLE_PX : TEXT_PX, text, maker->layout->width - 2 * EDGE);
  add_links (maker, &row, text, words, words != NULL ? 1 : 0);
  add_row (maker->layout, &row);
}

static char *
dup_detail (const HirLoss *loss)
{
  g_autofree char *iterations = hir_loss_dup_iterations (loss);
  g_autofree char *ranks = hir_loss_dup_ranks (loss);
  g_auto (GStrv) cause = g_strsplit (hir_loss_cause_get_name (loss->cause), "_", -1);
  g_autofree char *words = g_strjoinv (" ", cause);
  GString *text = g_string_new (words);

  if (*iterations != '\0')
    g_string_append_printf (text, " \u00b7 iteration%s %s",
                            loss->first_iteration < loss->last_iteration ? "s" : "", iterations);
  g_string_append_printf (text, " \u00b7 rank%s %s", loss->ranks->len == 1 ? "" : "s", ranks);
  return g_string_free (text, FALSE);
}

static void
add_loss (const Maker *maker, const HirLoss *loss, gint64 total_ns)
{
  g_autofree char *sentence = hir_loss_dup_sentence (maker->explain, loss);
  g_autofree char *node = g_strdup_printf ("node/%016" G_GINT64_MODIFIER "x", loss->instruction);
  g_autofree char *name = g_strdup_printf ("name/%u", loss->name);
  g_autofree char *by = g_strdup_printf ("name/%u", loss->by);
  g_autofree char *shown = loss->name != 0 ? hir_loss_dup_name (maker->explain, loss->name) : NULL;
  g_autofree char *shown_by = loss->by != 0 ? hir_loss_dup_name (maker->explain, loss->by) : NULL;
  const HirLinkWords words[] = { { shown, loss->instruction != 0 ? node : name },
                                 { shown_by, by } };
  HirExplainRow row = { .loss = loss, .share = (double) loss->ns / (double) MAX (total_ns, 1) };

  row.time = hir_format_duration (loss->ns);
  row.percent = g_strdup_printf ("%.1f %%", 100 * row.share);
  row.detail = dup_detail (loss);
  row.has_piece_line =
      loss->pieces->len > 1 &&
      hir_measure_get_width (maker->measure, HIR_FONT_SANS, DETAIL_PX, row.detail) + PIECE >
          maker->layout->width - 2 * EDGE - TIMES;
  row.lines = dup_lines (maker->measure, HIR_FONT_SANS, TEXT_PX, sentence,
                         maker->layout->width - 2 * EDGE - TIMES);
  add_links (maker, &row, sentence, words, G_N_ELEMENTS (words));
  add_row (maker->layout, &row);
}

static void
add_repetition (const Maker *maker, guint number)
{
  const HirExplain *explain = maker->explain;
  const HirRepetition *repetition = &g_array_index (explain->repetitions, HirRepetition, number);
  gint64 total_ns = repetition->end_ns - repetition->start_ns;
  g_autofree char *total = hir_format_duration (total_ns);
  g_autofree char *which =
      explain->repetitions->len > 1
          ? g_strdup_printf ("Repetition %u of %u", number + 1, explain->repetitions->len)
          : g_strdup (hir_trace_get_meta (explain->trace, HIR_META_STOPPED) == NULL
                          ? "The run"
                          : "The part that ran");
  g_autofree char *title = g_strdup_printf ("%s: %s, rank %d ends last; " HIR_EXPLAIN_SUM_NOTE,
                                            which, total, repetition->last_rank);
  g_autofree char *target = g_strdup_printf ("time/%" G_GINT64_FORMAT, repetition->start_ns);
  const HirLinkWords words = { which, target };

  add_text (maker, title, TRUE, &words);
  for (guint i = 0; i < repetition->losses->len; i++)
    add_loss (maker, &g_array_index (repetition->losses, HirLoss, i), total_ns);
  if (repetition->waits->len > 0)
    add_text (maker, "Not part of the total, because other work may hide it", TRUE, NULL);
  for (guint i = 0; i < repetition->waits->len; i++)
    add_loss (maker, &g_array_index (repetition->waits, HirLoss, i), total_ns);
}

static char *
dup_gain_detail (const HirGain *gain)
{
  g_auto (GStrv) kind = g_strsplit (gain->kind, "_", -1);
  g_autofree char *words = g_strjoinv (" ", kind);
  GString *text = g_string_new (words);

  if (gain->line > 0)
    g_string_append_printf (text, " \u00b7 program line %u", gain->line);
  if (gain->rank >= 0)
    g_string_append_printf (text, " \u00b7 rank %d", gain->rank);
  return g_string_free (text, FALSE);
}

static void
add_gain (const Maker *maker, const HirGain *gain)
{
  g_autofree char *text = g_strconcat ("if ", gain->text, NULL);
  g_autofree char *line = gain->line > 0 ? g_strdup_printf ("program line %u", gain->line) : NULL;
  g_autofree char *target = g_strdup_printf ("instruction/%u", gain->line);
  const HirLinkWords words[] = { { line, target }, { line != NULL ? gain->name : NULL, target } };
  HirExplainRow row = {
    .gain = gain,
    .share = (double) gain->gain_ns / (double) MAX (maker->explain->simulated_ns, 1),
  };

  row.time = hir_format_duration (gain->gain_ns);
  row.percent = g_strdup_printf ("%.1f %%", 100 * row.share);
  row.detail = dup_gain_detail (gain);
  row.can_predict = hir_gain_has_options (gain);
  row.lines = dup_lines (maker->measure, HIR_FONT_SANS, TEXT_PX, text,
                         maker->layout->width - 2 * EDGE - TIMES);
  add_links (maker, &row, text, words, G_N_ELEMENTS (words));
  add_row (maker->layout, &row);
}

static void
add_gains (const Maker *maker)
{
  const HirExplain *explain = maker->explain;
  g_autofree char *total = hir_format_duration (explain->simulated_ns);
  g_autofree char *title =
      g_strdup_printf ("What would help, of %s in the simulation, each change alone", total);

  if (explain->gains == NULL)
    return;
  add_text (maker, title, TRUE, NULL);
  if (explain->gains->len == 0)
    add_text (maker, "no simulated change makes the run shorter", FALSE, NULL);
  for (guint i = 0; i < explain->gains->len; i++)
    {
      if (hir_gains_start_breaking (explain->gains, i))
        add_text (maker, HIR_GAINS_BREAKING_TITLE, TRUE, NULL);
      add_gain (maker, &g_array_index (explain->gains, HirGain, i));
    }
}

HirExplainLayout *
hir_explain_layout_new (const HirExplain *explain, HirMeasure *measure, double width)
{
  HirExplainLayout *layout = g_new0 (HirExplainLayout, 1);
  g_autoptr (GRegex) pattern = hir_link_text_create_pattern ();
  const Maker maker = { layout, explain, measure, pattern };
  g_autofree char *caveat = hir_trace_dup_caveat (explain->trace);
  guint n = 0;

  layout->rows = g_array_new (FALSE, FALSE, sizeof (HirExplainRow));
  g_array_set_clear_func (layout->rows, row_clear);
  layout->width = width;
  for (guint i = 0; i < explain->n_first_notes; i++)
    add_text (&maker, g_ptr_array_index (explain->notes, i), caveat != NULL && i == 0, NULL);
  for (; n < explain->repetitions->len && layout->rows->len < MAX_ROWS; n++)
    add_repetition (&maker, n);
  add_gains (&maker);
  if (explain->notes->len > explain->n_first_notes || n < explain->repetitions->len)
    add_text (&maker, "Notes", TRUE, NULL);
  if (n < explain->repetitions->len)
    add_text (&maker, "later repetitions are left out; the command \"explain\" has all", FALSE,
              NULL);
  for (guint i = explain->n_first_notes; i < explain->notes->len; i++)
    add_text (&maker, g_ptr_array_index (explain->notes, i), FALSE, NULL);
  return layout;
}

void
hir_explain_layout_free (HirExplainLayout *layout)
{
  g_array_unref (layout->rows);
  g_free (layout);
}
