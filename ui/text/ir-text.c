#include "text/ir-text.h"

#include <gtksourceview/gtksource.h>
#include <string.h>

#include "base/names.h"
#include "canvas/scroller.h"
#include "graph/axis-menu.h"
#include "text/break-gutter.h"
#include "text/code-style.h"
#include "text/ir-folds.h"
#include "text/text-fill.h"

/* Byte offsets of a line in the text of the snapshot, without the newline. */
typedef struct
{
  guint start, end;
} Line;

struct _HirIrText
{
  GtkWidget parent_instance;

  HirSelection *selection;
  /* Updates are deferred while the widget is not visible. */
  gboolean is_stale, is_node_stale;
  HirProgramView *shown; /* nullable: the snapshot in the buffer */
  GtkWidget *scroller;
  GtkTextView *text;
  GtkSourceBuffer *buffer;
  HirTextFill *fill;
  gboolean abbreviates;
  HirBreakGutter *gutter;
  GArray *lines;         /* Line, per line of the buffer */
  int awaited_line;      /* scroll to this line when it is in the buffer; -1 for none */
  HirCodeFolds *folds;   /* borrowed from the view */
  guint64 revealed_node; /* node that was unfolded when it was selected; later folds are kept */
};

G_DEFINE_FINAL_TYPE (HirIrText, hir_ir_text, GTK_TYPE_WIDGET)

/* Returns the line that contains byte @offset of the text, or -1. */
static int
find_line (HirIrText *self, guint offset)
{
  guint low = 0, high = self->lines->len;

  /* The last line that starts at or before the byte. */
  while (high - low > 1)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (self->lines, Line, middle).start <= offset)
        low = middle;
      else
        high = middle;
    }
  return low < self->lines->len && offset >= g_array_index (self->lines, Line, low).start &&
                 offset <= g_array_index (self->lines, Line, low).end
             ? (int) low
             : -1;
}

/* Returns FALSE if the byte is not in the buffer yet, or not part of the listing. */
static gboolean
get_iter_at_byte (HirIrText *self, guint offset, GtkTextIter *iter)
{
  int line = find_line (self, offset);

  return line >= 0 && line < gtk_text_buffer_get_line_count (GTK_TEXT_BUFFER (self->buffer)) &&
         gtk_text_buffer_get_iter_at_line_index (GTK_TEXT_BUFFER (self->buffer), iter, line,
                                                 (int) (offset -
                                                        g_array_index (self->lines, Line, line)
                                                            .start));
}

/* Converts a buffer position to a byte offset in the text. Returns FALSE after the end. */
static gboolean
get_byte_at_iter (HirIrText *self, const GtkTextIter *iter, guint *offset)
{
  guint row = (guint) gtk_text_iter_get_line (iter);
  int column = gtk_text_iter_get_line_index (iter);
  const Line *line;

  if (row >= self->lines->len)
    return FALSE;
  line = &g_array_index (self->lines, Line, row);
  *offset = line->start + (guint) MAX (column, 0);
  return TRUE;
}

static void
apply_span (HirIrText *self, const HirSpan *span, const char *tag)
{
  GtkTextIter start, end;

  if (get_iter_at_byte (self, span->start, &start) && get_iter_at_byte (self, span->end, &end))
    gtk_text_buffer_apply_tag_by_name (GTK_TEXT_BUFFER (self->buffer), tag, &start, &end);
}

/* Marks all lines of an Expr. */
static void
mark_lines (HirIrText *self, const HirSpan *span, HirMark mark)
{
  int first = find_line (self, span->start), last = find_line (self, span->end);

  if (first >= 0 && last >= first)
    hir_code_view_mark (HIR_CODE_VIEW (self->text), first, last, mark);
}

/* Scrolls to the start of the line, because lines are long. */
static void
show_line (HirIrText *self, const GtkTextIter *iter)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  GtkTextMark *mark = gtk_text_buffer_get_mark (buffer, "shown");
  GtkTextIter start = *iter;

  gtk_text_iter_set_line_offset (&start, 0);
  if (mark == NULL)
    mark = gtk_text_buffer_create_mark (buffer, "shown", &start, TRUE);
  else
    gtk_text_buffer_move_mark (buffer, mark, &start);
  gtk_text_view_scroll_to_mark (self->text, mark, 0.1, FALSE, 0, 0);
}

/* Scrolls to the awaited line when it is in the buffer: long texts are inserted in slices. */
static void
show_awaited (HirIrText *self)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  GtkTextIter start;

  if (self->awaited_line < 0 || (!hir_text_fill_get_is_done (self->fill) &&
                                 self->awaited_line + 1 >= gtk_text_buffer_get_line_count (buffer)))
    return;
  gtk_text_buffer_get_iter_at_line (buffer, &start,
                                    (int) hir_code_folds_get_visible_line (self->folds,
                                                                           (guint)
                                                                               self->awaited_line));
  self->awaited_line = -1;
  gtk_text_buffer_place_cursor (buffer, &start);
  show_line (self, &start);
}

/* Tags selected tensors from line @first to before @end. Exprs are marked as whole lines. */
static void
tag_selected (HirIrText *self, guint first, guint end)
{
  guint step = hir_selection_get_step (self->selection);
  guint from, to;

  if (self->shown == NULL || hir_selection_get_node (self->selection) == 0 || first >= end ||
      first >= self->lines->len)
    return;
  from = g_array_index (self->lines, Line, first).start;
  to = g_array_index (self->lines, Line, MIN (end, self->lines->len) - 1).end;
  for (guint i = 0; i < self->shown->spans->len; i++)
    {
      const HirSpan *span = &g_array_index (self->shown->spans, HirSpan, i);

      if (span->start >= to)
        break;
      if (!span->is_expr && span->start >= from &&
          hir_selection_has_node_at (self->selection, step, span->id))
        apply_span (self, span, "selected");
    }
}

static void
sync_node (HirIrText *self)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  guint step = hir_selection_get_step (self->selection);
  GtkTextIter start, end;

  self->is_node_stale = FALSE;
  self->awaited_line = -1;
  gtk_text_buffer_get_bounds (buffer, &start, &end);
  gtk_text_buffer_remove_tag_by_name (buffer, "selected", &start, &end);
  hir_code_view_unmark (HIR_CODE_VIEW (self->text), HIR_MARK_SELECTED);
  if (hir_selection_get_node (self->selection) == 0)
    self->revealed_node = 0;
  if (self->shown == NULL || hir_selection_get_node (self->selection) == 0)
    return;

  for (guint i = 0; i < self->shown->spans->len; i++)
    {
      const HirSpan *span = &g_array_index (self->shown->spans, HirSpan, i);

      if (!hir_selection_has_node_at (self->selection, step, span->id))
        continue;
      if (span->is_expr)
        mark_lines (self, span, HIR_MARK_SELECTED);
      if (self->awaited_line < 0)
        self->awaited_line = find_line (self, span->start);
    }
  tag_selected (self, 0, (guint) gtk_text_buffer_get_line_count (buffer));
  if (self->awaited_line >= 0 && self->revealed_node != hir_selection_get_node (self->selection))
    {
      self->revealed_node = hir_selection_get_node (self->selection);
      hir_code_folds_reveal (self->folds, (guint) self->awaited_line);
    }
  show_awaited (self);
}

static void
on_filled (guint first, guint end, gpointer user_data)
{
  HirIrText *self = user_data;

  hir_code_style_apply (self->buffer, first, end);
  if (self->abbreviates)
    hir_code_style_abbreviate (self->buffer, first, end);
  hir_code_folds_fill (self->folds, first, end);
  tag_selected (self, first, end);
  show_awaited (self);
}

static gboolean
starts_line (const char *text, guint at)
{
  while (at > 0 && text[at - 1] == ' ')
    at--;
  return at == 0 || text[at - 1] == '\n';
}

/* Marks the lines that this step created or changed: of instructions, and of tensors in the lists
 * of inputs and outputs. */
static void
mark_changes (HirIrText *self)
{
  HirProgramView *before = hir_selection_get_previous_view (self->selection);
  guint end = 0; /* of the last instruction */

  if (before == NULL || !self->shown->changed)
    return;
  for (guint i = 0; i < self->shown->spans->len; i++)
    {
      const HirSpan *span = &g_array_index (self->shown->spans, HirSpan, i);
      HirChange change;

      if (!span->is_expr && (span->start < end || !starts_line (self->shown->text, span->start)))
        continue;
      end = span->is_expr ? MAX (end, span->end) : end;
      change = hir_program_view_get_line_change (before, self->shown, span->id);
      if (change == HIR_CHANGE_CREATED)
        mark_lines (self, span, HIR_MARK_MADE);
      else if (change == HIR_CHANGE_CHANGED)
        mark_lines (self, span, HIR_MARK_CHANGED);
    }
}

static void
set_listing (HirIrText *self)
{
  const char *text = self->shown->text;
  guint length = (guint) strlen (text);

  self->lines = g_array_new (FALSE, FALSE, sizeof (Line));
  for (guint at = 0; at < length;)
    {
      const char *newline = strchr (text + at, '\n');
      Line line = { at, newline != NULL ? (guint) (newline - text) : length };

      g_array_append_val (self->lines, line);
      at = line.end + 1;
    }
  self->awaited_line = -1;
  hir_code_folds_set_regions (self->folds, hir_ir_folds_find (self->shown));
  hir_text_fill_start (self->fill, g_strdup (text));
}

/* Marks the next instruction of the debugged program. @follows: scroll to it. */
static void
sync_pointer (HirIrText *self, gboolean follows)
{
  guint64 pointer = hir_selection_get_pointer (self->selection);

  hir_code_view_unmark (HIR_CODE_VIEW (self->text), HIR_MARK_POINTER);
  for (guint i = 0; self->shown != NULL && pointer != 0 && i < self->shown->spans->len; i++)
    {
      const HirSpan *span = &g_array_index (self->shown->spans, HirSpan, i);

      if (!span->is_expr || span->id != pointer)
        continue;
      mark_lines (self, span, HIR_MARK_POINTER);
      if (follows)
        {
          self->awaited_line = find_line (self, span->start);
          if (self->awaited_line >= 0)
            hir_code_folds_reveal (self->folds, (guint) self->awaited_line);
          show_awaited (self);
        }
      return;
    }
}

/* Passes the first line of each instruction to the gutter. Only host programs have breakpoints. */
static void
number_lines (HirIrText *self)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, TRUE, sizeof (guint64));

  if (self->shown == NULL || !self->shown->is_host)
    {
      hir_break_gutter_set_lines (self->gutter, NULL, self->lines != NULL ? self->lines->len : 0);
      return;
    }
  g_array_set_size (ids, self->lines->len);
  for (guint i = 0; i < self->shown->spans->len; i++)
    {
      const HirSpan *span = &g_array_index (self->shown->spans, HirSpan, i);
      int line = span->is_expr ? find_line (self, span->start) : -1;

      if (line >= 0 && g_array_index (ids, guint64, line) == 0)
        g_array_index (ids, guint64, line) = span->id;
    }
  hir_break_gutter_set_lines (self->gutter, ids, self->lines->len);
}

static void
rebuild (HirIrText *self)
{
  HirProgramView *view = hir_selection_get_view (self->selection);

  self->is_stale = FALSE;
  /* A new program emits both "program-changed" and "step-changed". */
  if (view != NULL && view == self->shown)
    return;
  hir_code_view_unmark (HIR_CODE_VIEW (self->text), HIR_MARK_ALL);
  g_clear_pointer (&self->shown, hir_program_view_unref);
  g_clear_pointer (&self->lines, g_array_unref);
  if (view == NULL)
    {
      hir_code_folds_set_regions (self->folds, g_array_new (FALSE, FALSE, sizeof (HirFoldRegion)));
      hir_text_fill_start (self->fill, g_strdup (""));
      number_lines (self);
      return;
    }
  self->shown = hir_program_view_ref (view);
  set_listing (self);
  mark_changes (self);
  number_lines (self);
  sync_node (self);
  sync_pointer (self, FALSE);
}

static void
on_map (HirIrText *self)
{
  if (self->is_stale)
    rebuild (self);
  else if (self->is_node_stale)
    sync_node (self);
}

static void
on_step (HirIrText *self)
{
  self->is_stale = TRUE;
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    on_map (self);
}

static void
on_node (HirIrText *self)
{
  self->is_node_stale = TRUE;
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    on_map (self);
}

static void
on_debug (HirIrText *self)
{
  if (!self->is_stale)
    sync_pointer (self, TRUE);
}

/* Returns the smallest node under the pointer, that is, a tensor rather than its Expr; 0 if there
 * is none. */
static guint64
node_at (HirIrText *self, double x, double y)
{
  GtkTextIter iter;
  guint offset, best_length = G_MAXUINT;
  guint64 best = 0;
  int bx, by;

  gtk_text_view_window_to_buffer_coords (self->text, GTK_TEXT_WINDOW_WIDGET, (int) x, (int) y, &bx,
                                         &by);
  gtk_text_view_get_iter_at_location (self->text, &iter, bx, by);
  if (self->shown == NULL || !get_byte_at_iter (self, &iter, &offset))
    return 0;
  for (guint i = 0; i < self->shown->spans->len; i++)
    {
      const HirSpan *span = &g_array_index (self->shown->spans, HirSpan, i);

      /* Axes cannot be selected: a click selects their tensor. */
      if (offset >= span->start && offset < span->end && span->end - span->start < best_length &&
          hir_program_view_lookup (self->shown, span->id) != NULL)
        {
          best = span->id;
          best_length = span->end - span->start;
        }
    }
  return best;
}

static void
on_released (GtkGestureClick *gesture, int n_press, double x, double y, gpointer user_data)
{
  HirIrText *self = user_data;
  const HirFoldRegion *region;
  int bx, by;

  /* The gutters handle their own clicks. */
  if (x < gtk_widget_get_width (GTK_WIDGET (
              gtk_source_view_get_gutter (GTK_SOURCE_VIEW (self->text), GTK_TEXT_WINDOW_LEFT))))
    return;
  gtk_text_view_window_to_buffer_coords (self->text, GTK_TEXT_WINDOW_WIDGET, (int) x, (int) y, &bx,
                                         &by);
  region = hir_code_folds_get_row_at (self->folds, by);
  if (region != NULL)
    hir_code_folds_toggle (self->folds, region);
  else if (self->shown != NULL &&
           !gtk_text_buffer_get_has_selection (GTK_TEXT_BUFFER (self->buffer)))
    hir_selection_set_node (self->selection, node_at (self, x, y));
}

/* Adds the schedule of the node under the pointer to the context menu, before GTK opens the
 * menu. */
static void
on_menu (GtkGestureClick *gesture, int n_press, double x, double y, gpointer user_data)
{
  HirIrText *self = user_data;
  guint64 id = node_at (self, x, y);
  g_autoptr (GMenu) menu = g_menu_new ();
  const HirNodeInfo *tensor;

  if (id != 0)
    hir_selection_set_node (self->selection, id);
  tensor = hir_axis_menu_find_tensor (self->selection);
  if (tensor != NULL)
    {
      g_autofree char *text = g_strdup_printf ("Schedule of %s\xe2\x80\xa6", tensor->label);
      g_autofree char *label = hir_names_dup_menu_label (text);

      g_menu_append (menu, label, "win.axis-menu");
    }
  gtk_text_view_set_extra_menu (self->text, G_MENU_MODEL (menu));
}

static guint
get_cursor_line (HirIrText *self)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  GtkTextIter iter;

  gtk_text_buffer_get_iter_at_mark (buffer, &iter, gtk_text_buffer_get_insert (buffer));
  return (guint) gtk_text_iter_get_line (&iter);
}

/* Returns the Expr that starts in @line, or 0. */
static guint64
get_node_of_line (HirIrText *self, guint line)
{
  const Line *place = &g_array_index (self->lines, Line, line);

  for (guint i = 0; i < self->shown->spans->len; i++)
    {
      const HirSpan *span = &g_array_index (self->shown->spans, HirSpan, i);

      if (span->is_expr && span->start >= place->start && span->start < place->end)
        return span->id;
    }
  return 0;
}

gboolean
hir_ir_text_fold (HirIrText *self)
{
  const HirFoldRegion *region = hir_code_folds_find (self->folds, get_cursor_line (self));
  gboolean is_folded;

  if (region == NULL)
    return FALSE;
  is_folded = hir_code_folds_get_is_folded (self->folds, region);
  hir_code_folds_toggle (self->folds, region);
  /* As in the graph, the same key unfolds the loop. */
  if (!is_folded)
    hir_selection_set_node (self->selection, get_node_of_line (self, region->head));
  return TRUE;
}

GArray *
hir_ir_text_dup_folded (HirIrText *self, const HirProgramView *view)
{
  GArray *regions = hir_ir_folds_find (view);
  guint n = 0;

  for (guint i = 0; i < regions->len; i++)
    {
      const HirFoldRegion region = g_array_index (regions, HirFoldRegion, i);

      if (hir_code_folds_get_is_folded (self->folds, &region) &&
          (n == 0 || region.head > g_array_index (regions, HirFoldRegion, n - 1).last))
        g_array_index (regions, HirFoldRegion, n++) = region;
    }
  g_array_set_size (regions, n);
  return regions;
}

void
hir_ir_text_unfold_all (HirIrText *self)
{
  hir_code_folds_open_all (self->folds);
}

gboolean
hir_ir_text_reveal_words (HirIrText *self, const char *words)
{
  return hir_code_folds_reveal_words (self->folds, words);
}

static void
hir_ir_text_dispose (GObject *object)
{
  HirIrText *self = HIR_IR_TEXT (object);

  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  g_clear_pointer (&self->fill, hir_text_fill_free);
  g_clear_object (&self->selection);
  g_clear_pointer (&self->shown, hir_program_view_unref);
  g_clear_pointer (&self->lines, g_array_unref);
  g_clear_pointer (&self->scroller, gtk_widget_unparent);
  G_OBJECT_CLASS (hir_ir_text_parent_class)->dispose (object);
}

static void
hir_ir_text_class_init (HirIrTextClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_ir_text_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
hir_ir_text_init (HirIrText *self)
{
  GtkGesture *click = gtk_gesture_click_new ();
  GtkGesture *menu = gtk_gesture_click_new ();

  self->buffer = gtk_source_buffer_new (NULL);
  self->text = GTK_TEXT_VIEW (hir_code_style_create_view (self->buffer));
  /* The gutter provides the rest of the margin. */
  gtk_text_view_set_left_margin (self->text, 2);
  self->folds = hir_code_view_get_folds (HIR_CODE_VIEW (self->text));
  self->fill = hir_text_fill_new (GTK_TEXT_BUFFER (self->buffer), on_filled, self);
  self->awaited_line = -1;
  g_signal_connect (click, "released", G_CALLBACK (on_released), self);
  gtk_widget_add_controller (GTK_WIDGET (self->text), GTK_EVENT_CONTROLLER (click));
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (menu), GDK_BUTTON_SECONDARY);
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (menu), GTK_PHASE_CAPTURE);
  g_signal_connect (menu, "pressed", G_CALLBACK (on_menu), self);
  gtk_widget_add_controller (GTK_WIDGET (self->text), GTK_EVENT_CONTROLLER (menu));
  self->scroller = hir_scroller_new ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroller), GTK_WIDGET (self->text));
  gtk_widget_set_parent (self->scroller, GTK_WIDGET (self));
}

void
hir_ir_text_set_abbreviates (HirIrText *self, gboolean abbreviates)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  GtkTextIter start, end;

  if (self->abbreviates == abbreviates)
    return;
  self->abbreviates = abbreviates;
  gtk_text_buffer_get_bounds (buffer, &start, &end);
  gtk_text_buffer_remove_tag_by_name (buffer, "abbreviated", &start, &end);
  if (abbreviates)
    hir_code_style_abbreviate (self->buffer, 0, (guint) gtk_text_buffer_get_line_count (buffer));
}

void
hir_ir_text_set_searching (HirIrText *self, gboolean is_searching)
{
  hir_code_style_show_hidden (self->buffer, is_searching);
}

GtkTextView *
hir_ir_text_get_text_view (HirIrText *self)
{
  return self->text;
}

GtkWidget *
hir_ir_text_new (HirSelection *selection)
{
  HirIrText *self = g_object_new (HIR_TYPE_IR_TEXT, NULL);

  self->selection = g_object_ref (selection);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->text), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Program text", -1);
  g_signal_connect_swapped (selection, "program-changed", G_CALLBACK (on_step), self);
  g_signal_connect_swapped (selection, "step-changed", G_CALLBACK (on_step), self);
  g_signal_connect_swapped (selection, "node-changed", G_CALLBACK (on_node), self);
  g_signal_connect_swapped (selection, "debug-changed", G_CALLBACK (on_debug), self);
  g_signal_connect (self, "map", G_CALLBACK (on_map), NULL);
  self->gutter = HIR_BREAK_GUTTER (hir_break_gutter_new (selection));
  hir_break_gutter_set_folds (self->gutter, self->folds);
  gtk_source_gutter_insert (gtk_source_view_get_gutter (GTK_SOURCE_VIEW (self->text),
                                                        GTK_TEXT_WINDOW_LEFT),
                            GTK_SOURCE_GUTTER_RENDERER (self->gutter), 0);
  self->is_stale = TRUE;
  return GTK_WIDGET (self);
}
