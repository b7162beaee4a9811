#include "draw/report/explain-scene.h"

#include <math.h>

#include "trace/duration.h"

#define EDGE 12.0
#define TIMES 78.0 /* width of time and share */
#define LINE 16.0
#define PAD 5.0 /* above and below the lines of a row */
#define TITLE_PX 12.5
#define TEXT_PX 11.5
#define DETAIL_PX 10.5
#define SHARE_BAR 3.0
#define CHIP 9.0
#define PREDICT 58.0 /* width of "Predict" in the row of a gain */
#define MAX_ROWS 2000
#define MAX_LINES 6 /* of a sentence */

static void
row_clear (gpointer data)
{
  HirExplainRow *row = data;

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

gboolean
hir_explain_row_is_selectable (const HirExplainRow *row)
{
  return row->loss != NULL || row->gain != NULL;
}

static void
add_row (HirExplainLayout *layout, HirExplainRow *row)
{
  guint n = g_strv_length (row->lines) + (row->detail != NULL);

  row->y = layout->height;
  row->height = MAX (n, hir_explain_row_is_selectable (row) ? 2u : 1u) * LINE + 2 * PAD;
  layout->height += row->height;
  g_array_append_val (layout->rows, *row);
}

static void
add_text (HirExplainLayout *layout, HirMeasure *measure, const char *text, gboolean is_title)
{
  HirExplainRow row = { .is_title = is_title };

  row.lines = dup_lines (measure, is_title ? HIR_FONT_SANS_BOLD : HIR_FONT_SANS,
                         is_title ? TITLE_PX : TEXT_PX, text, layout->width - 2 * EDGE);
  add_row (layout, &row);
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
add_loss (HirExplainLayout *layout,
          const HirExplain *explain,
          HirMeasure *measure,
          const HirLoss *loss,
          gint64 total_ns)
{
  g_autofree char *sentence = hir_loss_dup_sentence (explain, loss);
  HirExplainRow row = { .loss = loss, .share = (double) loss->ns / (double) MAX (total_ns, 1) };

  row.time = hir_format_duration (loss->ns);
  row.percent = g_strdup_printf ("%.1f %%", 100 * row.share);
  row.detail = dup_detail (loss);
  row.lines =
      dup_lines (measure, HIR_FONT_SANS, TEXT_PX, sentence, layout->width - 2 * EDGE - TIMES);
  add_row (layout, &row);
}

static void
add_repetition (HirExplainLayout *layout,
                const HirExplain *explain,
                HirMeasure *measure,
                guint number)
{
  const HirRepetition *repetition = &g_array_index (explain->repetitions, HirRepetition, number);
  gint64 total_ns = repetition->end_ns - repetition->start_ns;
  g_autofree char *total = hir_format_duration (total_ns);
  g_autofree char *which =
      explain->repetitions->len > 1
          ? g_strdup_printf ("Repetition %u of %u", number + 1, explain->repetitions->len)
          : g_strdup ("The run");
  g_autofree char *title =
      g_strdup_printf ("%s: %s, rank %d ends last", which, total, repetition->last_rank);

  add_text (layout, measure, title, TRUE);
  for (guint i = 0; i < repetition->losses->len; i++)
    add_loss (layout, explain, measure, &g_array_index (repetition->losses, HirLoss, i), total_ns);
  if (repetition->waits->len > 0)
    add_text (layout, measure, "Not part of the total, because other work may hide it", TRUE);
  for (guint i = 0; i < repetition->waits->len; i++)
    add_loss (layout, explain, measure, &g_array_index (repetition->waits, HirLoss, i), total_ns);
}

static char *
dup_gain_detail (const HirGain *gain)
{
  g_auto (GStrv) kind = g_strsplit (gain->kind, "_", -1);
  g_autofree char *words = g_strjoinv (" ", kind);
  GString *text = g_string_new (words);

  if (gain->line > 0)
    g_string_append_printf (text, " \u00b7 line %u", gain->line);
  if (gain->rank >= 0)
    g_string_append_printf (text, " \u00b7 rank %d", gain->rank);
  return g_string_free (text, FALSE);
}

static void
add_gains (HirExplainLayout *layout, const HirExplain *explain, HirMeasure *measure)
{
  g_autofree char *total = hir_format_duration (explain->simulated_ns);
  g_autofree char *title =
      g_strdup_printf ("What would help, of %s, each change simulated alone", total);

  if (explain->gains == NULL)
    return;
  add_text (layout, measure, title, TRUE);
  if (explain->gains->len == 0)
    add_text (layout, measure, "no simulated change makes the run shorter", FALSE);
  for (guint i = 0; i < explain->gains->len; i++)
    {
      const HirGain *gain = &g_array_index (explain->gains, HirGain, i);
      g_autofree char *text = g_strconcat ("if ", gain->text, NULL);
      HirExplainRow row = {
        .gain = gain,
        .share = (double) gain->gain_ns / (double) MAX (explain->simulated_ns, 1),
      };

      row.time = hir_format_duration (gain->gain_ns);
      row.percent = g_strdup_printf ("%.1f %%", 100 * row.share);
      row.detail = dup_gain_detail (gain);
      row.can_predict = hir_gain_has_options (gain);
      row.lines =
          dup_lines (measure, HIR_FONT_SANS, TEXT_PX, text, layout->width - 2 * EDGE - TIMES);
      add_row (layout, &row);
    }
}

HirExplainLayout *
hir_explain_layout_new (const HirExplain *explain, HirMeasure *measure, double width)
{
  HirExplainLayout *layout = g_new0 (HirExplainLayout, 1);
  guint n = 0;

  layout->rows = g_array_new (FALSE, FALSE, sizeof (HirExplainRow));
  g_array_set_clear_func (layout->rows, row_clear);
  layout->width = width;
  for (; n < explain->repetitions->len && layout->rows->len < MAX_ROWS; n++)
    add_repetition (layout, explain, measure, n);
  add_gains (layout, explain, measure);
  if (explain->notes->len > 0 || n < explain->repetitions->len)
    add_text (layout, measure, "Notes", TRUE);
  if (n < explain->repetitions->len)
    add_text (layout, measure, "later repetitions are left out; the command \"explain\" has all",
              FALSE);
  for (guint i = 0; i < explain->notes->len; i++)
    add_text (layout, measure, g_ptr_array_index (explain->notes, i), FALSE);
  return layout;
}

void
hir_explain_layout_free (HirExplainLayout *layout)
{
  g_array_unref (layout->rows);
  g_free (layout);
}

/* Draws time and share of a loss or a gain. */
static void
draw_times (const HirExplainScene *scene, HirDisplayList *list, const HirExplainRow *row, double y)
{
  const HirTheme *theme = scene->theme;
  HirEvent event;
  HirColor color = row->gain != NULL ? theme->created : theme->dim_text;
  double width = TIMES - 22;
  HirRect bar = hir_rect (EDGE + CHIP + 3, y + PAD + 2 * LINE, width, SHARE_BAR);

  if (row->loss != NULL && row->loss->name != 0)
    {
      hir_trace_get_event (scene->trace, row->loss->track, row->loss->index, &event);
      color = hir_theme_get_event_color (theme, (HirEventKind) event.kind,
                                         hir_trace_get_string (scene->trace, event.name));
    }
  hir_display_list_add_round_rect (list, hir_rect (EDGE, y + PAD + (LINE - CHIP) / 2, CHIP, CHIP),
                                   2, color, 0, 0, HIR_DASH_NONE);
  hir_display_list_add_text (list, hir_rect (bar.x, y + PAD, width, LINE), row->time, HIR_FONT_MONO,
                             TEXT_PX, theme->text, HIR_ALIGN_END);
  hir_display_list_add_text (list, hir_rect (bar.x, y + PAD + LINE, width, LINE), row->percent,
                             HIR_FONT_MONO, DETAIL_PX, theme->dim_text, HIR_ALIGN_END);
  hir_display_list_add_rect (list, bar, theme->line);
  bar.width = (float) (width * MIN (row->share, 1));
  hir_display_list_add_rect (list, bar,
                             row->gain != NULL                      ? theme->created
                             : row->loss->cause == HIR_LOSS_COMPUTE ? theme->accent
                                                                    : theme->removed);
}

static void
draw_row (const HirExplainScene *scene, HirDisplayList *list, int i, double y)
{
  const HirExplainRow *row = &g_array_index (scene->layout->rows, HirExplainRow, i);
  const HirTheme *theme = scene->theme;
  double x = EDGE + (hir_explain_row_is_selectable (row) ? TIMES : 0),
         width = MAX (scene->width - EDGE - x, 1);
  guint n = 0;

  if (i == scene->selected || i == scene->hovered)
    hir_display_list_add_round_rect (list,
                                     hir_rect (EDGE - 6, y + 1, scene->width - 2 * EDGE + 12,
                                               row->height - 2),
                                     4, i == scene->selected ? theme->accent_fill : theme->panel, 0,
                                     0, HIR_DASH_NONE);
  if (hir_explain_row_is_selectable (row))
    draw_times (scene, list, row, y);
  for (; row->lines[n] != NULL; n++)
    hir_display_list_add_text (list, hir_rect (x, y + PAD + n * LINE, width, LINE), row->lines[n],
                               row->is_title ? HIR_FONT_SANS_BOLD : HIR_FONT_SANS,
                               row->is_title ? TITLE_PX : TEXT_PX,
                               row->is_title || hir_explain_row_is_selectable (row)
                                   ? theme->text
                                   : theme->dim_text,
                               HIR_ALIGN_START);
  if (row->detail != NULL)
    hir_display_list_add_text (list,
                               hir_rect (x, y + PAD + n * LINE,
                                         MAX (width - (row->can_predict ? PREDICT : 0), 1), LINE),
                               row->detail, HIR_FONT_SANS, DETAIL_PX, theme->dim_text,
                               HIR_ALIGN_START);
  if (row->can_predict)
    hir_display_list_add_text (list,
                               hir_rect (scene->width - EDGE - PREDICT, y + PAD + n * LINE, PREDICT,
                                         LINE),
                               "Predict\u2026", HIR_FONT_SANS, DETAIL_PX, theme->accent,
                               HIR_ALIGN_END);
}

gboolean
hir_explain_scene_hits_predict (const HirExplainScene *scene, int i, double x, double y)
{
  const HirExplainRow *row = &g_array_index (scene->layout->rows, HirExplainRow, i);
  double top = row->y + PAD + g_strv_length (row->lines) * LINE - scene->scroll_y;

  return row->can_predict && x >= scene->width - EDGE - PREDICT && y >= top;
}

/* Returns the first row that ends below @y of the layout. */
static int
find_row (const HirExplainLayout *layout, double y)
{
  guint low = 0, high = layout->rows->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      const HirExplainRow *row = &g_array_index (layout->rows, HirExplainRow, middle);

      if (row->y + row->height <= y)
        low = middle + 1;
      else
        high = middle;
    }
  return (int) low;
}

void
hir_explain_scene_draw (const HirExplainScene *scene, HirDisplayList *list)
{
  int n = (int) scene->layout->rows->len;

  hir_display_list_push_clip (list, hir_rect (0, 0, scene->width, scene->height));
  for (int i = find_row (scene->layout, scene->scroll_y); i < n; i++)
    {
      double y = g_array_index (scene->layout->rows, HirExplainRow, i).y - scene->scroll_y;

      if (y >= scene->height)
        break;
      draw_row (scene, list, i, y);
    }
  hir_display_list_pop_clip (list);
}

int
hir_explain_scene_hit (const HirExplainScene *scene, double y)
{
  int i = find_row (scene->layout, y + scene->scroll_y);

  if (y < 0 || i >= (int) scene->layout->rows->len ||
      !hir_explain_row_is_selectable (&g_array_index (scene->layout->rows, HirExplainRow, i)))
    return -1;
  return i;
}
