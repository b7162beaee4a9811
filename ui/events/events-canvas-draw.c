/* Cells of the events table, the widths of its columns, and the painting of a row. */
#include <string.h>

#include "canvas/canvas.h"
#include "config.h"
#include "events/events-canvas-private.h"
#include "trace/duration.h"

#define PAD 7.0 /* at both sides of a cell */
#define TEXT_PX 11.5
#define CHIP 8.0 /* color of the event before its name */
#define MIN_WIDTH 36.0
#define MAX_WIDTH 340.0
#define MIN_NAME 130.0     /* smallest limit of a column */
#define NAME_SHARE 0.45    /* of the widget, that a column may take */
#define N_MEASURED 60      /* rows that determine the widths */
#define PRECISION_NS 10000 /* start times are shown to a hundredth of it */
#define LONG_US 999900     /* nanoseconds whose texts are among the longest ones */
#define LONG_MS 999900000

/* --- cells -------------------------------------------------------------------------------- */

/* Whether a column has positions in the trace. */
static gboolean
is_place (const char *name)
{
  return g_str_equal (name, "start_ns") || g_str_equal (name, "end_ns");
}

/* Whether a column has the names of tracks, instead of the numbers of streams: those of
 * communicators are not known to the user. */
static gboolean
has_track_names (HirEventsCanvas *self, guint column)
{
  return !self->is_raw && hir_events_options_get_group (self->options) == HIR_LISTING_NO_GROUP &&
         g_str_equal (hir_events_model_get_name (self->model, column), "stream");
}

/* Returns the name of a track, without that of the stream of the GPU before it. */
static const char *
get_track_name (const HirTrace *trace, guint track)
{
  const char *name = hir_trace_get_track (trace, track)->name;
  const char *of_program = strstr (name, " = ");

  return of_program != NULL ? of_program + strlen (" = ") : name;
}

/* Returns the displayed text of a value of @row, which is row @at of @result. */
static char *
dup_value (HirEventsCanvas *self, const HirQueryResult *result, gint64 row, guint at, guint column)
{
  const HirTrace *trace = hir_selection_get_trace (self->selection);
  guint track, index;
  const char *name = hir_events_model_get_name (self->model, column);
  gboolean is_stream = g_str_equal (name, "stream"); /* -1: of the host */
  gint64 value, zero_ns, end_ns;
  char *text;

  if (self->is_raw || hir_query_result_get_type (result, at, column) != HIR_QUERY_INTEGER ||
      (!is_stream && !g_str_has_suffix (name, "_ns")))
    {
      text = hir_query_result_dup_text (result, at, column);
      return text != NULL ? text : g_strdup (self->is_raw ? "NULL" : "");
    }
  value = hir_query_result_get_integer (result, at, column);
  if (value >= 0 && has_track_names (self, column) &&
      hir_events_model_get_event (self->model, (guint) row, &track, &index))
    return g_strdup (get_track_name (trace, track));
  if (is_stream)
    return value < 0 ? g_strdup ("host") : g_strdup_printf ("%" G_GINT64_FORMAT, value);
  if (!is_place (name))
    return hir_format_duration (value);
  hir_trace_get_span (trace, &zero_ns, &end_ns);
  return hir_format_range_end (value - zero_ns, PRECISION_NS);
}

char *
hir_events_canvas_dup_link (HirEventsCanvas *self, gint64 row, guint column)
{
  static const struct
  {
    const char *column, *kind;
  } links[] = { { "instruction", "node" }, { "script_line", "line" }, { "rank", "rank" },
                { "peer", "rank" },        { "stream", "stream" },    { "track", "track" } };
  const char *name = hir_events_model_get_name (self->model, column), *kind = NULL;
  const HirQueryResult *result;
  g_autofree char *text = NULL;
  guint at, track, index;

  /* A click on the key of a group selects the group. */
  if (column == 0 && !self->is_raw &&
      hir_events_options_get_group (self->options) != HIR_LISTING_NO_GROUP)
    return NULL;
  for (guint i = 0; row >= 0 && i < G_N_ELEMENTS (links); i++)
    if (g_str_equal (name, links[i].column))
      kind = links[i].kind;
  result = kind != NULL ? hir_events_model_lookup (self->model, (guint) row, &at) : NULL;
  if (result == NULL || hir_query_result_get_type (result, at, column) == HIR_QUERY_NULL)
    return NULL;
  text = hir_query_result_dup_text (result, at, column);
  if (text == NULL || text[0] == '-')
    return NULL;
  /* The number of a stream belongs to a rank; the row has it. */
  if (g_str_equal (name, "stream") &&
      hir_events_model_get_event (self->model, (guint) row, &track, &index))
    return g_strdup_printf ("track/%u", track);
  return g_strdup_printf ("%s/%s", kind, text);
}

/* Returns the head of a column, with the arrow of the order. Times are shown with their unit. */
static char *
dup_head (HirEventsCanvas *self, guint column)
{
  const char *name = hir_events_model_get_name (self->model, column);
  g_autofree char *head = g_strdup (name);

  if (!self->is_raw && g_str_has_suffix (head, "_ns"))
    head[strlen (head) - strlen ("_ns")] = '\0';
  if (g_strcmp0 (name, self->order) != 0)
    return g_steal_pointer (&head);
  return g_strdup_printf ("%s %s", head, self->is_descending ? "\u25be" : "\u25b4");
}

static gboolean
is_name (HirEventsCanvas *self, guint column)
{
  guint track, index;

  return g_str_equal (hir_events_model_get_name (self->model, column), "name") &&
         hir_events_model_get_event (self->model, 0, &track, &index);
}

/* A long name leaves room for other columns. */
static double
get_max_width (HirEventsCanvas *self)
{
  return CLAMP (gtk_widget_get_width (GTK_WIDGET (self)) * NAME_SHARE, MIN_NAME, MAX_WIDTH);
}

/* Widens a column for one more text. */
static void
measure (HirEventsCanvas *self, guint column, const char *text, gboolean is_head)
{
  double *width = &g_array_index (self->widths, double, column);
  HirFont font = is_head ? HIR_FONT_SANS_BOLD : HIR_FONT_SANS;
  double wanted = hir_measure_get_width (self->measure, font, TEXT_PX, text) + 2 * PAD + 2;

  if (!is_head && is_name (self, column))
    wanted += CHIP + PAD;
  *width = MAX (MIN (wanted, get_max_width (self)), *width);
}

/* Widens a column of times for the rows that are not measured. */
static void
measure_times (HirEventsCanvas *self, guint column)
{
  const char *name = hir_events_model_get_name (self->model, column);
  gint64 zero_ns, end_ns;

  if (self->is_raw || !g_str_has_suffix (name, "_ns"))
    return;
  hir_trace_get_span (hir_selection_get_trace (self->selection), &zero_ns, &end_ns);
  const gint64 places_ns[] = { LONG_US, LONG_MS, end_ns - zero_ns };

  for (guint i = 0; i < G_N_ELEMENTS (places_ns); i++)
    {
      gint64 place_ns = MIN (places_ns[i], end_ns - zero_ns);
      g_autofree char *text = is_place (name) ? hir_format_range_end (place_ns, PRECISION_NS)
                                              : hir_format_duration (LONG_MS);

      /* Other places with as many digits can be wider: not all digits have one width. */
      for (char *at = text; *at != '\0'; at++)
        if (g_ascii_isdigit (*at))
          *at = '0';
      measure (self, column, text, FALSE);
    }
}

/* Widens a column for the names of all tracks: the first rows may be of few. */
static void
measure_tracks (HirEventsCanvas *self, guint column)
{
  const HirTrace *trace = hir_selection_get_trace (self->selection);

  for (guint i = 0; has_track_names (self, column) && i < hir_trace_get_n_tracks (trace); i++)
    if (hir_track_is_of_device (hir_trace_get_track (trace, i)))
      measure (self, column, get_track_name (trace, i), FALSE);
}

/* Returns the width that the user chose, or 0. */
static int
get_chosen_width (HirEventsCanvas *self, guint column)
{
  return hir_events_options_get_width (self->options,
                                       hir_events_model_get_name (self->model, column));
}

/* Gives unused width to the names: those below the first rows can be longer. */
static void
widen_names (HirEventsCanvas *self)
{
  double spare = gtk_widget_get_width (GTK_WIDGET (self));

  for (guint c = 0; c < self->widths->len; c++)
    spare -= g_array_index (self->widths, double, c);
  for (guint c = 0; c < self->widths->len && spare > 0; c++)
    {
      double *width = &g_array_index (self->widths, double, c);

      if (is_name (self, c) && get_chosen_width (self, c) == 0)
        *width = MAX (*width, MIN (*width + spare, get_max_width (self)));
    }
}

void
hir_events_canvas_ensure_widths (HirEventsCanvas *self)
{
  guint n_columns = hir_events_model_get_n_columns (self->model), at;
  guint n_rows = hir_events_model_get_n_rows (self->model);
  const HirQueryResult *result = NULL;

  if (self->is_measured)
    return;
  if (n_rows > 0)
    result = hir_events_model_lookup (self->model, 0, &at);
  /* Keep the widths of the previous rows, so that the table does not jump. */
  if (result == NULL && n_rows > 0 && self->widths->len == n_columns)
    return;
  g_array_set_size (self->widths, n_columns);
  g_array_set_size (self->are_numbers, n_columns);
  for (guint c = 0; c < n_columns; c++)
    {
      g_autofree char *head = dup_head (self, c);

      g_array_index (self->widths, double, c) = MIN_WIDTH;
      g_array_index (self->are_numbers, gboolean, c) = FALSE;
      measure (self, c, head, TRUE);
      for (guint row = 0; result != NULL && row < MIN (n_rows, N_MEASURED); row++)
        {
          g_autofree char *text = dup_value (self, result, row, row, c);
          HirQueryType type = hir_query_result_get_type (result, row, c);

          g_array_index (self->are_numbers, gboolean, c) |=
              (type == HIR_QUERY_INTEGER && !has_track_names (self, c)) || type == HIR_QUERY_REAL;
          measure (self, c, text, FALSE);
        }
      if (result != NULL)
        {
          measure_times (self, c);
          measure_tracks (self, c);
        }
      if (get_chosen_width (self, c) > 0)
        g_array_index (self->widths, double, c) = get_chosen_width (self, c);
    }
  if (result != NULL)
    widen_names (self);
  self->is_measured = result != NULL || n_rows == 0;
}

double
hir_events_canvas_get_full_width (HirEventsCanvas *self)
{
  double width = 0;

  hir_events_canvas_ensure_widths (self);
  for (guint c = 0; c < self->widths->len; c++)
    width += g_array_index (self->widths, double, c);
  return width;
}

/* --- drawing ------------------------------------------------------------------------------ */

/* Draws the text of a cell, or of the head if @row is -1. A link under the pointer or of the
 * current cell is underlined. */
static void
draw_text (HirEventsCanvas *self, HirRect box, const char *text, gint64 row, guint column)
{
  const HirTheme *theme = hir_canvas_get_theme ();
  gboolean is_number = g_array_index (self->are_numbers, gboolean, column);
  g_autofree char *link = hir_events_canvas_dup_link (self, row, column);
  double width;

  hir_display_list_add_text (self->list, box, text, row < 0 ? HIR_FONT_SANS_BOLD : HIR_FONT_SANS,
                             TEXT_PX,
                             row < 0        ? theme->dim_text
                             : link != NULL ? theme->accent
                                            : theme->text,
                             is_number ? HIR_ALIGN_END : HIR_ALIGN_START);
  if (link == NULL || !((row == self->hovered && (int) column == self->hovered_column) ||
                        (row == self->current && (int) column == self->column)))
    return;
  width = MIN (hir_measure_get_width (self->measure, HIR_FONT_SANS, TEXT_PX, text), box.width);
  hir_display_list_add_rect (self->list,
                             hir_rect (is_number ? box.x + box.width - width : box.x,
                                       box.y + HIR_EVENTS_ROW - 4, width, 1),
                             theme->accent);
}

/* Draws the color of the event, as in the timeline. */
static void
draw_chip (HirEventsCanvas *self, gint64 row, double x, double y)
{
  HirTrace *trace = hir_selection_get_trace (self->selection);
  guint track, index;
  HirEvent event;

  if (!hir_events_model_get_event (self->model, (guint) row, &track, &index))
    return;
  hir_trace_get_event (trace, track, index, &event);
  hir_display_list_add_round_rect (self->list,
                                   hir_rect (x, y + (HIR_EVENTS_ROW - CHIP) / 2, CHIP, CHIP), 2,
                                   hir_theme_get_event_color (hir_canvas_get_theme (),
                                                              (HirEventKind) event.kind,
                                                              hir_trace_get_string (trace,
                                                                                    event.name)),
                                   0, 0, HIR_DASH_NONE);
}

static gboolean
is_selected (HirEventsCanvas *self, gint64 row)
{
  return self->current >= 0 && row >= MIN (self->current, self->anchor) &&
         row <= MAX (self->current, self->anchor);
}

void
hir_events_canvas_draw_row (HirEventsCanvas *self, gint64 row, double y)
{
  const HirTheme *theme = hir_canvas_get_theme ();
  double x = -gtk_adjustment_get_value (self->horizontal);
  double width = gtk_widget_get_width (GTK_WIDGET (self)),
         height = row < 0 ? HIR_EVENTS_HEAD : HIR_EVENTS_ROW;
  const HirQueryResult *result = NULL;
  guint at = 0;

  if (row < 0 || is_selected (self, row) || row == self->hovered)
    hir_display_list_add_rect (self->list, hir_rect (0, y, width, height),
                               row >= 0 && is_selected (self, row) ? theme->accent_fill
                                                                   : theme->panel);
  if (row >= 0 && row == self->current)
    hir_display_list_add_rect (self->list, hir_rect (0, y, 2, height), theme->accent);
  if (row >= 0)
    result = hir_events_model_lookup (self->model, (guint) row, &at);
  for (guint c = 0; c < self->widths->len && x < width; c++)
    {
      double column_width = g_array_index (self->widths, double, c);
      HirRect box = hir_rect (x + PAD, y, column_width - 2 * PAD, height);
      g_autofree char *text = NULL;

      x += column_width;
      if (x <= 0)
        continue;
      if (row >= 0 && row == self->current && (int) c == self->column)
        hir_display_list_add_round_rect (self->list,
                                         hir_rect (x - column_width + 1, y + 1, column_width - 2,
                                                   height - 2),
                                         3, 0, theme->accent, 1, HIR_DASH_NONE);
      if (row < 0)
        text = dup_head (self, c);
      else
        text = result != NULL ? dup_value (self, result, row, at, c) : g_strdup ("\u2026");
      if (row >= 0 && is_name (self, c))
        {
          draw_chip (self, row, box.x, y);
          box.x += (float) (CHIP + PAD);
          box.width -= (float) (CHIP + PAD);
        }
      draw_text (self, box, text, row, c);
    }
}

#if HIR_TESTING
gboolean
hir_events_canvas_get_place (HirEventsCanvas *self, guint i, HirEventsPlace *place)
{
  double scroll = gtk_adjustment_get_value (self->vertical);

  if (i == 0)
    {
      *place = (HirEventsPlace){ -1, HIR_EVENTS_HEAD / 2, FALSE };
      return hir_events_model_get_n_columns (self->model) > 0;
    }
  place->row = (gint64) (scroll / HIR_EVENTS_ROW) + i - 1;
  place->y = HIR_EVENTS_HEAD + (double) place->row * HIR_EVENTS_ROW + HIR_EVENTS_ROW / 2 - scroll;
  place->is_selected = is_selected (self, place->row);
  return place->row < hir_events_model_get_n_rows (self->model) &&
         place->y < gtk_widget_get_height (GTK_WIDGET (self));
}

char *
hir_events_canvas_dup_cell (HirEventsCanvas *self, gint64 row, guint column, double *x)
{
  const HirQueryResult *result;
  guint at;

  if (column >= hir_events_model_get_n_columns (self->model))
    return NULL;
  hir_events_canvas_ensure_widths (self);
  *x = -gtk_adjustment_get_value (self->horizontal);
  for (guint c = 0; c < column; c++)
    *x += g_array_index (self->widths, double, c);
  *x += g_array_index (self->widths, double, column) / 2;
  if (row < 0)
    return dup_head (self, column);
  result = hir_events_model_lookup (self->model, (guint) row, &at);
  return result != NULL ? dup_value (self, result, row, at, column) : g_strdup ("\u2026");
}
#endif
