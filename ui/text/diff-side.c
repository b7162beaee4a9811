#include "text/diff-side.h"

#include <gtksourceview/gtksource.h>
#include <string.h>

#include "canvas/scroller.h"
#include "text/code-style.h"
#include "text/text-fill.h"

/* Length of "+ " or "- " before each line. */
#define MARGIN 2

/* A line of the buffer. It has no text next to a line that only the other side has. */
typedef struct
{
  guint row;
  gboolean has_text, is_old;
  guint start, end; /* byte offsets in the text of the snapshot */
} Line;

struct _HirDiffSide
{
  GtkWidget parent_instance;

  HirSelection *selection;
  HirSide side;
  HirProgramDiff *diff; /* nullable */
  GtkWidget *scroller;
  GtkTextView *text;
  GtkTextBuffer *buffer;
  HirTextFill *fill;
  GArray *lines; /* Line */
};

G_DEFINE_FINAL_TYPE (HirDiffSide, hir_diff_side, GTK_TYPE_WIDGET)

static const HirDiffRow *
get_row (HirDiffSide *self, const Line *line)
{
  return &g_array_index (self->diff->rows, HirDiffRow, line->row);
}

static const Line *
get_line (HirDiffSide *self, int index)
{
  return index >= 0 && index < (int) self->lines->len ? &g_array_index (self->lines, Line, index)
                                                      : NULL;
}

static void
add_line (HirDiffSide *self, guint index, const HirDiffRow *row, gboolean is_old, gboolean has_text)
{
  Line line = { .row = index, .has_text = has_text, .is_old = is_old };

  line.start = !has_text ? 0 : is_old ? row->old_start : row->new_start;
  line.end = !has_text ? 0 : is_old ? row->old_end : row->new_end;
  g_array_append_val (self->lines, line);
}

static gboolean
is_reworded (const HirDiffSide *self, const HirDiffRow *row)
{
  guint n = row->old_end - row->old_start;

  return row->old_line >= 0 && row->new_line >= 0 &&
         (n != row->new_end - row->new_start ||
          memcmp (self->diff->before->text + row->old_start,
                  self->diff->after->text + row->new_start, n) != 0);
}

/* Skips the empty line at the start of a printed host program, and one that moved. */
static gboolean
is_blank (const HirDiffRow *row)
{
  return (row->kind == HIR_ROW_MOVED || (row->old_line <= 0 && row->new_line <= 0)) &&
         row->old_start == row->old_end && row->new_start == row->new_end;
}

static void
make_lines (HirDiffSide *self)
{
  g_array_set_size (self->lines, 0);
  for (guint i = 0; i < self->diff->rows->len; i++)
    {
      const HirDiffRow *row = &g_array_index (self->diff->rows, HirDiffRow, i);
      gboolean has_old = row->old_line >= 0 && (row->is_departure || !row->is_moved);
      gboolean has_new = row->new_line >= 0 && !row->is_departure;

      if (is_blank (row))
        continue;
      if (self->side == HIR_SIDE_OLD)
        add_line (self, i, row, TRUE, has_old);
      else if (self->side == HIR_SIDE_NEW)
        add_line (self, i, row, FALSE, has_new);
      else if (!row->is_departure)
        {
          /* Changed rows show both texts; moved rows appear only at their new position. */
          if (row->old_line >= 0 && (row->new_line < 0 || ((row->kind == HIR_ROW_CHANGED ||
                                                            row->kind == HIR_ROW_REWORDED) &&
                                                           is_reworded (self, row))))
            add_line (self, i, row, TRUE, TRUE);
          if (row->new_line >= 0)
            add_line (self, i, row, FALSE, TRUE);
        }
    }
}

static const char *
get_sign (const HirDiffRow *row, gboolean is_old)
{
  switch (row->kind)
    {
    case HIR_ROW_MOVED:
      return "> ";
    case HIR_ROW_CHANGED:
      return is_old ? "- " : row->old_line < 0 || row->new_line < 0 ? "+ " : "~ ";
    case HIR_ROW_REMOVED:
      return "- ";
    case HIR_ROW_ADDED:
      return "+ ";
    case HIR_ROW_REWORDED: /* not counted as changed; the words are underlined */
      return is_old ? "- " : "= ";
    case HIR_ROW_SAME:
    default:
      return "  ";
    }
}

static const char *
get_meaning (const char *sign)
{
  static const char *const meanings[][2] = {
    { "> ", "Moved here, with the same text" },
    { "~ ", "Changed" },
    { "= ", "Not changed: an operand has changed or has another name" },
    { "- ", "Before: removed, or as in the line below now" },
    { "+ ", "Added" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (meanings); i++)
    if (g_str_equal (meanings[i][0], sign))
      return meanings[i][1];
  return NULL;
}

/* Explains the sign under the pointer. */
static gboolean
on_query_tooltip (
    GtkWidget *text, int x, int y, gboolean by_key, GtkTooltip *tooltip, HirDiffSide *self)
{
  const char *meaning = NULL;
  GtkTextIter iter;
  const Line *line;
  int at_x, at_y;

  gtk_text_view_window_to_buffer_coords (self->text, GTK_TEXT_WINDOW_WIDGET, x, y, &at_x, &at_y);
  gtk_text_view_get_iter_at_location (self->text, &iter, at_x, at_y);
  line = get_line (self, gtk_text_iter_get_line (&iter));
  if (self->diff != NULL && line != NULL && line->has_text &&
      gtk_text_iter_get_line_offset (&iter) < MARGIN)
    meaning = get_meaning (get_sign (get_row (self, line), line->is_old));
  if (meaning != NULL)
    gtk_tooltip_set_text (tooltip, meaning);
  return meaning != NULL;
}

static char *
dup_text (HirDiffSide *self)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < self->lines->len; i++)
    {
      const Line *line = &g_array_index (self->lines, Line, i);
      const HirDiffRow *row = get_row (self, line);
      const char *from = line->is_old ? self->diff->before->text : self->diff->after->text;

      if (line->has_text)
        {
          g_string_append (text, get_sign (row, line->is_old));
          g_string_append_len (text, from + line->start, line->end - line->start);
        }
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}

static HirMark
get_mark (const HirDiffRow *row, const Line *line)
{
  if (!line->has_text)
    return 0;
  switch (row->kind)
    {
    case HIR_ROW_MOVED:
      return HIR_MARK_MOVED;
    case HIR_ROW_CHANGED:
      return HIR_MARK_CHANGED;
    case HIR_ROW_REMOVED:
      return HIR_MARK_REMOVED;
    case HIR_ROW_ADDED:
      return HIR_MARK_ADDED;
    case HIR_ROW_REWORDED:
    case HIR_ROW_SAME:
    default:
      return 0;
    }
}

/* Tags the words that differ: the text between the common prefix and the common suffix. */
static void
tag_words (HirDiffSide *self, int index, const Line *line, const HirDiffRow *row)
{
  const char *old = self->diff->before->text + row->old_start;
  const char *new = self->diff->after->text + row->new_start;
  guint n_old = row->old_end - row->old_start, n_new = row->new_end - row->new_start;
  guint begin = 0, end = 0, n = line->is_old ? n_old : n_new;
  GtkTextIter from, to;

  while (begin < MIN (n_old, n_new) && old[begin] == new[begin])
    begin++;
  while (end < MIN (n_old, n_new) - begin && old[n_old - 1 - end] == new[n_new - 1 - end])
    end++;
  /* Not in the middle of a character. */
  while (begin > 0 && ((line->is_old ? old : new)[begin] & 0xc0) == 0x80)
    begin--;
  while (end > 0 && ((line->is_old ? old : new)[n - end] & 0xc0) == 0x80)
    end--;
  if (begin + end >= n)
    return;
  gtk_text_buffer_get_iter_at_line_index (self->buffer, &from, index, (int) begin + MARGIN);
  gtk_text_buffer_get_iter_at_line_index (self->buffer, &to, index, (int) (n - end) + MARGIN);
  gtk_text_buffer_apply_tag_by_name (self->buffer, "wording", &from, &to);
}

static void
on_filled (guint first, guint end, gpointer user_data)
{
  HirDiffSide *self = user_data;

  hir_code_style_apply (GTK_SOURCE_BUFFER (self->buffer), first, end);
  for (guint i = first; i < MIN (end, self->lines->len); i++)
    {
      const Line *line = &g_array_index (self->lines, Line, i);
      const HirDiffRow *row = get_row (self, line);
      HirMark mark = get_mark (row, line);

      if (mark != 0)
        hir_code_view_mark (HIR_CODE_VIEW (self->text), (int) i, (int) i, mark);
      if (line->has_text && (row->kind == HIR_ROW_CHANGED || row->kind == HIR_ROW_REWORDED) &&
          row->old_line >= 0 && row->new_line >= 0)
        tag_words (self, (int) i, line, row);
    }
}

void
hir_diff_side_set_diff (HirDiffSide *self, HirProgramDiff *diff)
{
  if (diff != NULL)
    hir_program_diff_ref (diff);
  hir_code_view_unmark (HIR_CODE_VIEW (self->text), HIR_MARK_ALL);
  g_clear_pointer (&self->diff, hir_program_diff_unref);
  self->diff = diff;
  g_array_set_size (self->lines, 0);
  if (diff != NULL)
    make_lines (self);
  hir_text_fill_start (self->fill, diff != NULL ? dup_text (self) : g_strdup (""));
}

/* Returns the step of @view in the displayed program, or -1 if it is not one of its steps. */
static int
find_step (HirDiffSide *self, const HirProgramView *view)
{
  HirProgram *program = hir_selection_get_program (self->selection);
  guint step;

  return program != NULL && g_ptr_array_find (program->views, view, &step) ? (int) step : -1;
}

/* Returns whether the line belongs to the selected node or its counterpart. */
static gboolean
is_lit (HirDiffSide *self, const Line *line, int step)
{
  const HirDiffRow *row = get_row (self, line);

  return line->has_text && row->id != 0 &&
         ((step >= 0 && hir_selection_has_node_at (self->selection, (guint) step, row->id)) ||
          hir_selection_get_node (self->selection) == row->id);
}

/* Tags the selected tensors of @view in the lines of one side. Returns the first such line before
 * @first, which is -1 if there is none yet. */
static int
tag_tensors (HirDiffSide *self, const HirProgramView *view, gboolean is_old, int first)
{
  int step = find_step (self, view);
  GtkTextIter start, end;

  for (guint s = 0; step >= 0 && s < view->spans->len; s++)
    {
      const HirSpan *span = &g_array_index (view->spans, HirSpan, s);

      if (span->is_expr || !hir_selection_has_node_at (self->selection, (guint) step, span->id))
        continue;
      for (guint i = 0; i < self->lines->len; i++)
        {
          const Line *line = &g_array_index (self->lines, Line, i);

          if (!line->has_text || line->is_old != is_old || span->start < line->start ||
              span->end > line->end)
            continue;
          hir_text_fill_finish (self->fill);
          gtk_text_buffer_get_iter_at_line_index (self->buffer, &start, (int) i,
                                                  MARGIN + (int) (span->start - line->start));
          gtk_text_buffer_get_iter_at_line_index (self->buffer, &end, (int) i,
                                                  MARGIN + (int) (span->end - line->start));
          gtk_text_buffer_apply_tag_by_name (self->buffer, "selected", &start, &end);
          first = first < 0 || (int) i < first ? (int) i : first;
        }
    }
  return first;
}

void
hir_diff_side_sync_node (HirDiffSide *self)
{
  int first = -1, old_step, new_step;
  GtkTextIter iter, end;

  hir_code_view_unmark (HIR_CODE_VIEW (self->text), HIR_MARK_SELECTED);
  gtk_text_buffer_get_bounds (self->buffer, &iter, &end);
  gtk_text_buffer_remove_tag_by_name (self->buffer, "selected", &iter, &end);
  if (self->diff == NULL || hir_selection_get_node (self->selection) == 0)
    return;
  old_step = find_step (self, self->diff->before);
  new_step = find_step (self, self->diff->after);
  for (guint i = 0; i < self->lines->len; i++)
    {
      const Line *line = &g_array_index (self->lines, Line, i);

      if (!is_lit (self, line, line->is_old ? old_step : new_step))
        continue;
      hir_code_view_mark (HIR_CODE_VIEW (self->text), (int) i, (int) i, HIR_MARK_SELECTED);
      first = first < 0 ? (int) i : first;
    }
  first = tag_tensors (self, self->diff->before, TRUE, first);
  first = tag_tensors (self, self->diff->after, FALSE, first);
  if (first < 0)
    return;
  hir_text_fill_finish (self->fill);
  gtk_text_buffer_get_iter_at_line (self->buffer, &iter, first);
  gtk_text_buffer_place_cursor (self->buffer, &iter);
  gtk_text_view_scroll_to_mark (self->text, gtk_text_buffer_get_insert (self->buffer), 0.1, FALSE,
                                0, 0);
}

/* Returns the smallest node at byte @offset of the text, that is, a tensor rather than its Expr. */
static guint64
find_node (const HirProgramView *view, guint offset)
{
  guint best_length = G_MAXUINT;
  guint64 best = 0;

  for (guint i = 0; i < view->spans->len; i++)
    {
      const HirSpan *span = &g_array_index (view->spans, HirSpan, i);
      const HirNodeInfo *info;

      if (span->start > offset)
        break;
      if (offset >= span->end || span->end - span->start >= best_length)
        continue;
      info = hir_program_view_lookup (view, span->id);
      if (info == NULL || g_str_equal (info->kind, "IterDomain"))
        continue;
      best = span->id;
      best_length = span->end - span->start;
    }
  return best;
}

static void
on_released (GtkGestureClick *gesture, int n_press, double x, double y, gpointer user_data)
{
  HirDiffSide *self = user_data;
  const Line *line;
  GtkTextIter iter;
  int bx, by, column;

  if (self->diff == NULL || gtk_text_buffer_get_has_selection (self->buffer))
    return;
  gtk_text_view_window_to_buffer_coords (self->text, GTK_TEXT_WINDOW_WIDGET, (int) x, (int) y, &bx,
                                         &by);
  gtk_text_view_get_iter_at_location (self->text, &iter, bx, by);
  line = get_line (self, gtk_text_iter_get_line (&iter));
  if (line == NULL || !line->has_text)
    return;
  column = MAX (gtk_text_iter_get_line_index (&iter) - MARGIN, 0);
  hir_selection_set_node (self->selection,
                          find_node (line->is_old ? self->diff->before : self->diff->after,
                                     MIN (line->start + (guint) column, line->end)));
}

int
hir_diff_side_find_change (HirDiffSide *self, int line, gboolean forward)
{
  int by = forward ? 1 : -1;

  for (int i = line + by; i >= 0 && i < (int) self->lines->len; i += by)
    {
      const HirDiffRow *row = get_row (self, get_line (self, i));
      const Line *before = get_line (self, i - 1);

      /* Adjacent changed rows count once. */
      if (row->kind != HIR_ROW_SAME && row->kind != HIR_ROW_REWORDED &&
          (before == NULL || get_row (self, before)->kind == HIR_ROW_SAME ||
           get_row (self, before)->kind == HIR_ROW_REWORDED))
        return i;
    }
  return -1;
}

GtkTextView *
hir_diff_side_get_text_view (HirDiffSide *self)
{
  return self->text;
}

GtkScrolledWindow *
hir_diff_side_get_scroller (HirDiffSide *self)
{
  return GTK_SCROLLED_WINDOW (self->scroller);
}

static void
hir_diff_side_dispose (GObject *object)
{
  HirDiffSide *self = HIR_DIFF_SIDE (object);

  g_clear_pointer (&self->fill, hir_text_fill_free);
  g_clear_pointer (&self->diff, hir_program_diff_unref);
  g_clear_pointer (&self->lines, g_array_unref);
  g_clear_object (&self->selection);
  g_clear_pointer (&self->scroller, gtk_widget_unparent);
  G_OBJECT_CLASS (hir_diff_side_parent_class)->dispose (object);
}

static void
hir_diff_side_class_init (HirDiffSideClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_diff_side_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
hir_diff_side_init (HirDiffSide *self)
{
  GtkSourceBuffer *buffer = gtk_source_buffer_new (NULL);
  GtkGesture *click = gtk_gesture_click_new ();

  self->buffer = GTK_TEXT_BUFFER (buffer);
  self->lines = g_array_new (FALSE, FALSE, sizeof (Line));
  self->text = GTK_TEXT_VIEW (hir_code_style_create_view (buffer));
  gtk_text_buffer_create_tag (self->buffer, "wording", "weight", PANGO_WEIGHT_BOLD, "underline",
                              PANGO_UNDERLINE_SINGLE, NULL);
  self->fill = hir_text_fill_new (self->buffer, on_filled, self);
  g_signal_connect (click, "released", G_CALLBACK (on_released), self);
  gtk_widget_add_controller (GTK_WIDGET (self->text), GTK_EVENT_CONTROLLER (click));
  self->scroller = hir_scroller_new ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroller), GTK_WIDGET (self->text));
  gtk_widget_set_parent (self->scroller, GTK_WIDGET (self));
  gtk_widget_set_has_tooltip (GTK_WIDGET (self->text), TRUE);
  g_signal_connect (self->text, "query-tooltip", G_CALLBACK (on_query_tooltip), self);
}

GtkWidget *
hir_diff_side_new (HirSelection *selection, HirSide side)
{
  static const char *const names[] = { "Difference", "Before", "After" };
  HirDiffSide *self = g_object_new (HIR_TYPE_DIFF_SIDE, NULL);

  self->selection = g_object_ref (selection);
  self->side = side;
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->text), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  names[side], -1);
  return GTK_WIDGET (self);
}
