/* Rows of the timeline: the cursor that the keys act on, changes (pin, hide, fold, move), the
 * labels under the pointer, and dragging a track. */
#include "base/long-text.h"
#include "base/names.h"
#include "config.h"
#include "draw/timeline/ticks.h"
#include "draw/timeline/timeline-arrange.h"
#include "draw/timeline/timeline-tools.h"
#include "timeline/timeline-private.h"

#define MOST_TITLE 40 /* characters of a menu's title */
#define MAX_UNFOLDED_RANKS 2
#define EDGE_PX                                                                                    \
  5.0 /* pixels around an end of the time range in which it can be dragged at the                  \
         ruler */

/* Returns the index of the cursor's row, or -1 if it is not visible. */
static int
find_cursor (HirTimelineView *self)
{
  for (guint i = 0; self->has_cursor && i < self->rows->rows->len; i++)
    {
      const HirTimelineRow *row = &g_array_index (self->rows->rows, HirTimelineRow, i);

      if (row->is_header == self->cursor_is_header &&
          (row->is_header ? row->rank == self->cursor_rank : row->track == self->cursor_track))
        return (int) i;
    }
  return -1;
}

static const HirTimelineRow *
get_cursor_row (HirTimelineView *self)
{
  int i = self->rows != NULL ? find_cursor (self) : -1;

  return i >= 0 ? &g_array_index (self->rows->rows, HirTimelineRow, i) : NULL;
}

static void
set_cursor (HirTimelineView *self, const HirTimelineRow *row)
{
  self->has_cursor = row != NULL;
  if (row != NULL)
    {
      self->cursor_is_header = row->is_header;
      self->cursor_rank = row->rank;
      self->cursor_track = row->track;
    }
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

char *
hir_timeline_dup_document (HirTimelineView *self)
{
  HirProgram *program = hir_selection_get_program (self->selection);
  const HirRequest *request = program != NULL ? program->request : NULL;

  if (request == NULL)
    return g_strdup (self->document != NULL ? self->document : "");
  return g_strdup_printf ("%s::%s", request->source->path,
                          request->function != NULL ? request->function : "");
}

void
hir_timeline_remember_tracks (HirTimelineView *self)
{
  g_autofree char *document = hir_timeline_dup_document (self);
  g_autofree char *group = hir_document_memory_dup_group (document);

  hir_timeline_rows_save_arrangement (self->rows, hir_document_memory_get_file (self->memory),
                                      group);
  hir_document_memory_keep (self->memory, document);
}

void
hir_timeline_restore_tracks (HirTimelineView *self)
{
  g_autofree char *document = hir_timeline_dup_document (self);
  g_autofree char *group = hir_document_memory_dup_group (document);

  if (hir_timeline_rows_load_arrangement (self->rows, hir_document_memory_get_file (self->memory),
                                          group) ||
      hir_timeline_rows_show_both (self->rows) ||
      hir_timeline_rows_get_n_ranks (self->rows) <= MAX_UNFOLDED_RANKS)
    return;
  hir_timeline_rows_set_all_collapsed (self->rows, TRUE);
  hir_timeline_rows_set_collapsed (self->rows, hir_selection_get_rank (self->selection), FALSE);
}

/* Puts the cursor on the row of the selected event if no row has it. */
static void
place_cursor (HirTimelineView *self)
{
  guint track, index;
  const HirTimelineRow *row = NULL;

  if (find_cursor (self) >= 0)
    return;
  if (hir_selection_get_event (self->selection, &track, &index))
    row = hir_timeline_rows_get_track (self->rows, track);
  if (row == NULL && self->rows->rows->len > 0)
    row = &g_array_index (self->rows->rows, HirTimelineRow, 0);
  set_cursor (self, row);
}

/* If an event is selected, selects the event of the new row at the same time. */
static void
select_beside (HirTimelineView *self, const HirTimelineRow *row)
{
  gint64 start_ns, end_ns;
  guint track, index;

  if (row->is_header || !hir_selection_get_event (self->selection, &track, &index) ||
      track == row->track)
    return;
  hir_trace_get_interval (self->trace, track, index, &start_ns, &end_ns);
  if (hir_trace_lookup_at (self->trace, row->track, start_ns + (end_ns - start_ns) / 2,
                           self->end_ns - self->start_ns, &index))
    hir_selection_set_event (self->selection, row->track, index);
}

void
hir_timeline_move_cursor (HirTimelineView *self, int by, gboolean extends)
{
  int i, before;

  if (self->rows == NULL || self->rows->rows->len == 0)
    return;
  i = find_cursor (self);
  if (i < 0)
    place_cursor (self);
  before = find_cursor (self);
  i = before + (i < 0 ? 0 : by);
  if (i < 0 || i >= (int) self->rows->rows->len)
    return;
  if (extends)
    hir_timeline_choose_to (self, (guint) before, (guint) i);
  const HirTimelineRow row = g_array_index (self->rows->rows, HirTimelineRow, i);
  set_cursor (self, &row);
  hir_timeline_scroll_to_row (self, &row);
  select_beside (self, &row);
}

static void
go_to (HirTimelineView *self, const HirTimelineRow *row)
{
  if (row == NULL)
    return;
  set_cursor (self, row);
  hir_timeline_scroll_to_row (self, row);
  gtk_widget_grab_focus (GTK_WIDGET (self));
}

void
hir_timeline_view_go_to_rank (HirTimelineView *self, int rank)
{
  if (self->rows != NULL)
    go_to (self, hir_timeline_rows_get_header (self->rows, rank));
}

void
hir_timeline_view_go_to_track (HirTimelineView *self, guint track)
{
  if (self->rows == NULL || track >= hir_trace_get_n_tracks (self->trace))
    return;
  if (hir_timeline_rows_get_track (self->rows, track) == NULL)
    {
      hir_timeline_rows_set_flag (self->rows, track, HIR_TRACK_HIDDEN, FALSE);
      hir_timeline_rows_set_collapsed (self->rows, hir_trace_get_track (self->trace, track)->rank,
                                       FALSE);
      hir_timeline_remember_tracks (self);
    }
  go_to (self, hir_timeline_rows_get_track (self->rows, track));
}

static void
after_change (HirTimelineView *self)
{
  const HirTimelineRow *row;

  hir_timeline_remember_tracks (self);
  row = get_cursor_row (self);
  hir_timeline_scroll_to (self, self->scroll_y);
  if (row != NULL)
    hir_timeline_scroll_to_row (self, row);
  hir_timeline_hover (self);
}

/* A track with a single lane cannot be folded. A folded track can always be unfolded. */
static gboolean
can_fold (HirTimelineView *self, const HirTimelineRow *row)
{
  return row->is_folded || hir_trace_get_n_lanes (self->trace, row->track) > 1;
}

static void
toggle (HirTimelineView *self, guint track, HirTrackFlags flag)
{
  hir_timeline_rows_set_flag (self->rows, track, flag,
                              !hir_timeline_rows_get_flag (self->rows, track, flag));
}

/* Hides a track. The next row gets the cursor; after the last row, the previous one. */
static void
hide (HirTimelineView *self, const HirTimelineRow *row)
{
  guint track = row->track, n;
  int i = find_cursor (self);

  toggle (self, track, HIR_TRACK_HIDDEN);
  n = self->rows->rows->len;
  if (n > 0)
    set_cursor (self, &g_array_index (self->rows->rows, HirTimelineRow, MIN ((guint) i, n - 1)));
}

void
hir_timeline_change_track (HirTimelineView *self, HirTrackChange change)
{
  const HirTimelineRow *row;

  if (self->rows == NULL)
    return;
  place_cursor (self);
  row = get_cursor_row (self);
  if (change == HIR_TRACK_SHOW_ALL)
    hir_timeline_rows_clear_flag (self->rows, HIR_TRACK_HIDDEN);
  else if (change == HIR_TRACK_UNFOLD_ALL)
    {
      hir_timeline_rows_clear_flag (self->rows, HIR_TRACK_FOLDED);
      hir_timeline_rows_set_all_collapsed (self->rows, FALSE);
    }
  else if (row == NULL)
    return;
  else if (change == HIR_TRACK_CHOOSE)
    hir_timeline_toggle_chosen (self, row);
  else if (change == HIR_TRACK_UP || change == HIR_TRACK_DOWN)
    {
      int by = change == HIR_TRACK_UP ? -1 : 1;

      if (row->is_header)
        hir_timeline_rows_move_rank (self->rows, row->rank, by);
      else
        hir_timeline_rows_move_track (self->rows, row->track, by);
    }
  else if (row->is_header)
    {
      if (change == HIR_TRACK_FOLD)
        hir_timeline_rows_set_collapsed (self->rows, row->rank,
                                         !hir_timeline_rows_get_collapsed (self->rows, row->rank));
    }
  else if (change == HIR_TRACK_HIDE)
    hide (self, row);
  else if (change == HIR_TRACK_HEIGHT)
    hir_timeline_toggle_height (self, row->track);
  else
    toggle (self, row->track, change == HIR_TRACK_PIN ? HIR_TRACK_PINNED : HIR_TRACK_FOLDED);
  after_change (self);
}

static const struct
{
  const char *action;
  HirTrackChange change;
} actions[] = {
  { "track.pin", HIR_TRACK_PIN },
  { "track.hide", HIR_TRACK_HIDE },
  { "track.fold", HIR_TRACK_FOLD },
  { "track.height", HIR_TRACK_HEIGHT },
  { "track.up", HIR_TRACK_UP },
  { "track.down", HIR_TRACK_DOWN },
  { "track.show-all", HIR_TRACK_SHOW_ALL },
  { "track.choose", HIR_TRACK_CHOOSE },
  { "track.unfold-all", HIR_TRACK_UNFOLD_ALL },
};

static void
on_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    if (g_str_equal (actions[i].action, name))
      hir_timeline_change_track (HIR_TIMELINE_VIEW (widget), actions[i].change);
}

void
hir_timeline_class_install_track_actions (GtkWidgetClass *klass)
{
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (klass, actions[i].action, NULL, on_action);
}

/* Adds an item with its key. The key is an attribute because the timeline handles it, not an
 * application accelerator. */
static void
append (GMenu *menu, const char *label, const char *action, const char *key)
{
  g_autoptr (GMenuItem) item = g_menu_item_new (label, action);

  g_menu_item_set_attribute (item, "accel", "s", key);
  g_menu_append_item (menu, item);
}

static void
append_section (GMenu *menu, const char *title, GMenu *section)
{
  if (g_menu_model_get_n_items (G_MENU_MODEL (section)) > 0)
    g_menu_append_section (menu, title, G_MENU_MODEL (section));
}

/* The title names the track, because the menu can cover the track's label. */
static GMenuModel *
create_menu (HirTimelineView *self, const HirTimelineRow *row)
{
  g_autoptr (GMenu) first = g_menu_new ();
  g_autoptr (GMenu) second = g_menu_new ();
  g_autoptr (GMenu) third = g_menu_new ();
  guint n_hidden = hir_timeline_rows_get_n_hidden (self->rows, HIR_TIMELINE_ANY_RANK);
  g_autofree char *show = g_strdup_printf ("Show %u Hidden", n_hidden);
  g_autofree char *title = NULL;
  GMenu *menu = g_menu_new ();

  if (row->is_header)
    {
      gboolean is_folded = hir_timeline_rows_get_collapsed (self->rows, row->rank);

      title = g_strdup_printf ("Rank %d", row->rank);
      append (first, is_folded ? "Unfold" : "Fold", "track.fold", "z");
    }
  else
    {
      title =
          hir_long_text_dup (hir_trace_get_track (self->trace, row->track)->name, MOST_TITLE, NULL);
      append (first, row->is_pinned ? "Unpin" : "Pin Above All", "track.pin", "<Alt>Home");
      if (can_fold (self, row))
        append (first, row->is_folded ? "Unfold" : "Fold", "track.fold", "z");
      if (row->n_lanes > 1)
        append (first, hir_timeline_is_full_height (self, row) ? "Small Height" : "Full Height",
                "track.height", "<Shift>t");
      append (first, "Hide", "track.hide", "h");
    }
  append (second,
          hir_timeline_is_chosen (self, row) ? "Remove from Selected Tracks"
                                             : "Add to Selected Tracks",
          "track.choose", "<Shift>s");
  append (second, "Move Up", "track.up", "<Alt>Up");
  append (second, "Move Down", "track.down", "<Alt>Down");
  if (n_hidden > 0)
    append (third, show, "track.show-all", "<Shift>h");
  if (hir_timeline_rows_get_n_ranks (self->rows) > 1)
    g_menu_append (third, "Fold or Unfold All Ranks", "win.timeline-fold");
  append_section (menu, title, first);
  append_section (menu, NULL, second);
  append_section (menu, NULL, third);
  return G_MENU_MODEL (menu);
}

/* @has_bar: whether the menu is also that of the selected event. */
static void
show_menu (HirTimelineView *self, const HirTimelineRow *row, gboolean has_bar, double x, double y)
{
  g_autoptr (GMenuModel) of_track = create_menu (self, row);
  g_autoptr (GMenu) model = g_menu_new ();

  /* Create a new popover each time: the previous one may still be closing and moving the focus. */
  g_clear_pointer (&self->menu, gtk_widget_unparent);
  if (has_bar)
    hir_timeline_add_bar_items (self, model);
  for (int i = 0; i < g_menu_model_get_n_items (of_track); i++)
    {
      g_autoptr (GMenuItem) section = g_menu_item_new_from_model (of_track, i);

      g_menu_append_item (model, section);
    }
  self->menu = gtk_popover_menu_new_from_model (G_MENU_MODEL (model));
  gtk_widget_set_parent (self->menu, GTK_WIDGET (self));
  gtk_popover_set_has_arrow (GTK_POPOVER (self->menu), FALSE);
  gtk_widget_set_halign (self->menu, GTK_ALIGN_START);
  gtk_popover_set_pointing_to (GTK_POPOVER (self->menu), &(GdkRectangle){ (int) x, (int) y, 1, 1 });
  hir_names_fill (self->menu);
  gtk_popover_popup (GTK_POPOVER (self->menu));
}

void
hir_timeline_show_menu_at (HirTimelineView *self, double x, double y)
{
  HirTimelineScene scene;
  const HirTimelineRow *row;
  HirTimelineHit hit;

  if (self->rows == NULL)
    return;
  hir_timeline_fill_scene (self, &scene);
  hir_timeline_scene_hit (&scene, x, y, &hit);
  if (hit.part == HIR_TIMELINE_EVENT)
    hir_selection_set_event (self->selection, hit.track, hit.index);
  /* Selecting an event may have scrolled. */
  hir_timeline_fill_scene (self, &scene);
  row = hit.part == HIR_TIMELINE_EVENT ? hir_timeline_rows_get_track (self->rows, hit.track)
                                       : hir_timeline_scene_get_row_at (&scene, y);
  if (row == NULL)
    return;
  set_cursor (self, row);
  show_menu (self, row, hit.part == HIR_TIMELINE_EVENT, x, y);
}

void
hir_timeline_show_menu (HirTimelineView *self)
{
  HirTimelineScene scene;
  const HirTimelineRow *row;
  guint track, index;
  gboolean has_bar;

  if (self->rows == NULL)
    return;
  place_cursor (self);
  row = get_cursor_row (self);
  if (row == NULL)
    return;
  hir_timeline_scroll_to_row (self, row);
  hir_timeline_fill_scene (self, &scene);
  has_bar = hir_selection_get_event (self->selection, &track, &index) && !row->is_header &&
            row->track == track;
  show_menu (self, row, has_bar, self->header_width / 2,
             hir_timeline_scene_get_row_y (&scene, row) + row->height);
  gtk_widget_child_focus (self->menu, GTK_DIR_TAB_FORWARD);
}

void
hir_timeline_choose_label (HirTimelineView *self, double y, gboolean extends)
{
  int to = hir_timeline_find_row (self, y), from = find_cursor (self);

  if (to < 0)
    return;
  if (extends)
    hir_timeline_choose_to (self, (guint) (from >= 0 ? from : to), (guint) to);
  else
    hir_timeline_toggle_chosen (self, &g_array_index (self->rows->rows, HirTimelineRow, to));
  set_cursor (self, &g_array_index (self->rows->rows, HirTimelineRow, to));
}

/* A click on the fold triangle folds the lanes. A click elsewhere on the label only moves the
 * cursor. */
void
hir_timeline_click_label (HirTimelineView *self, guint track, double x)
{
  const HirTimelineRow *row = hir_timeline_rows_get_track (self->rows, track);

  if (row == NULL)
    return;
  set_cursor (self, row);
  if (x < FOLD_WIDTH && !row->is_pinned && can_fold (self, row))
    hir_timeline_change_track (self, HIR_TRACK_FOLD);
}

/* --- label under the pointer --- */

/* Returns the tooltip of a label: the full name, which may be cut in the label, and the possible
 * actions. */
static char *
dup_tooltip (HirTimelineView *self, const HirTimelineRow *row, HirTimelineTool tool)
{
  const HirTrack *track;
  guint n;

  if (tool == HIR_TIMELINE_MENU_TOOL)
    return g_strdup (row->is_header ? "Fold, move or show hidden tracks"
                                    : "Pin, fold, hide or move (right-click)");
  if (tool == HIR_TIMELINE_PIN_TOOL)
    return g_strdup (row->is_pinned ? "Unpin (Alt+Home)" : "Pin above all tracks (Alt+Home)");
  n = hir_timeline_rows_get_n_hidden (self->rows, row->rank);
  if (row->is_header && n > 0)
    return g_strdup_printf ("Click to fold or unfold the rank (z)\n%u hidden; Shift+H shows them",
                            n);
  if (row->is_header)
    return g_strdup ("Click to fold or unfold the rank (z)");
  track = hir_trace_get_track (self->trace, row->track);
  n = hir_trace_get_track_n_events (self->trace, row->track);
  return g_strdup_printf (
      "%s\n%u event%s\nDrag to move; Ctrl+click to select; right-click for more", track->name, n,
      n == 1 ? "" : "s");
}

/* Returns the row whose label is under the pointer, or NULL. */
static const HirTimelineRow *
get_row (HirTimelineView *self, const HirTimelineScene *scene)
{
  if (!self->has_pointer || self->pointer_x >= self->header_width || self->pointer_x < 0)
    return NULL;
  return hir_timeline_scene_get_row_at (scene, self->pointer_y);
}

static const char *
choose_cursor (HirTimelineView *self, const HirTimelineScene *scene)
{
  gint64 start_ns, end_ns;

  if (self->is_moving_track)
    return "grabbing";
  if (self->has_pointer && hir_timeline_find_edge (self, self->pointer_x, self->pointer_y) != NULL)
    return "row-resize";
  if (!self->has_pointer || self->pointer_x < self->header_width ||
      self->pointer_y >= HIR_TIMELINE_RULER_HEIGHT)
    return NULL;
  if (hir_selection_get_range (self->selection, &start_ns, &end_ns) &&
      (ABS (hir_timeline_scene_get_x (scene, start_ns) - self->pointer_x) <= EDGE_PX ||
       ABS (hir_timeline_scene_get_x (scene, end_ns) - self->pointer_x) <= EDGE_PX))
    return "ew-resize";
  return "crosshair";
}

void
hir_timeline_hover (HirTimelineView *self)
{
  HirTimelineScene scene;
  const HirTimelineRow *row;
  HirTimelineTool tool = HIR_TIMELINE_NO_TOOL;
  g_autofree char *tooltip = NULL;

  hir_timeline_fill_scene (self, &scene);
  row = get_row (self, &scene);
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), choose_cursor (self, &scene));
  if (row != NULL)
    tool = hir_timeline_tools_get_at (&scene, row, self->pointer_x);
  if (row != NULL && !self->is_moving_track)
    tooltip = dup_tooltip (self, row, tool);
  else if (self->has_pointer && self->pointer_y < HIR_TIMELINE_RULER_HEIGHT &&
           self->pointer_x >= self->header_width)
    tooltip = g_strdup ("Drag to select a range for the statistics.\n"
                        "Shift+drag over tracks selects these only.\n"
                        "z zooms to it, Escape clears it");
  self->has_hovered_label = row != NULL;
  self->hovered_tool = tool;
  if (row != NULL)
    {
      self->hovered_label_is_header = row->is_header;
      self->hovered_rank = row->rank;
      self->hovered_label_track = row->track;
    }
  if (tooltip != NULL || !self->has_hover)
    hir_names_set_tooltip (GTK_WIDGET (self), tooltip);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

gboolean
hir_timeline_click_tool (HirTimelineView *self, double x, double y)
{
  HirTimelineScene scene;
  const HirTimelineRow *row;
  HirTimelineTool tool;

  hir_timeline_fill_scene (self, &scene);
  row = hir_timeline_scene_get_row_at (&scene, y);
  tool = row != NULL ? hir_timeline_tools_get_at (&scene, row, x) : HIR_TIMELINE_NO_TOOL;
  if (tool == HIR_TIMELINE_NO_TOOL)
    return FALSE;
  if (tool == HIR_TIMELINE_MENU_TOOL)
    {
      hir_timeline_show_menu_at (self, x, y);
      return TRUE;
    }
  set_cursor (self, row);
  hir_timeline_change_track (self, HIR_TRACK_PIN);
  return TRUE;
}

/* --- dragging a track --- */

gboolean
hir_timeline_begin_move (HirTimelineView *self, double x, double y)
{
  HirTimelineScene scene;
  const HirTimelineRow *row;

  self->is_moving_track = FALSE;
  self->may_move_track = FALSE;
  if (self->rows == NULL || x >= self->header_width)
    return FALSE;
  hir_timeline_fill_scene (self, &scene);
  row = hir_timeline_scene_get_row_at (&scene, y);
  if (row == NULL || row->is_header)
    return FALSE;
  self->may_move_track = TRUE;
  self->moved_track = row->track;
  return TRUE;
}

/* Returns the next visible row above (-1) or below (1) @row with the same rank and pinned state,
 * or NULL. */
static const HirTimelineRow *
get_neighbor (HirTimelineView *self, const HirTimelineRow *row, int by)
{
  const HirTimelineRow *first = &g_array_index (self->rows->rows, HirTimelineRow, 0);
  gint64 i = row - first + by;

  if (i < 0 || i >= self->rows->rows->len || first[i].is_header ||
      first[i].is_pinned != row->is_pinned || (!row->is_pinned && first[i].rank != row->rank))
    return NULL;
  return &first[i];
}

/* Returns the direction to move the dragged track, or 0. The track is swapped with its neighbor
 * only if it would then be under the pointer; otherwise it would be swapped back at once. */
static int
get_step (HirTimelineView *self, double y)
{
  HirTimelineScene scene;
  const HirTimelineRow *row = hir_timeline_rows_get_track (self->rows, self->moved_track);
  const HirTimelineRow *next;
  double top;

  if (row == NULL)
    return 0;
  hir_timeline_fill_scene (self, &scene);
  top = hir_timeline_scene_get_row_y (&scene, row);
  if (y < top && (next = get_neighbor (self, row, -1)) != NULL)
    return y < top - next->height + row->height ? -1 : 0;
  if (y >= top + row->height && (next = get_neighbor (self, row, 1)) != NULL)
    return y >= top + next->height ? 1 : 0;
  return 0;
}

void
hir_timeline_drag_move (HirTimelineView *self, double y)
{
  const HirTimelineRow *row;
  int by;
  guint n = self->rows->rows->len;

  self->is_moving_track = TRUE;
  while (n-- > 0 && (by = get_step (self, y)) != 0 &&
         hir_timeline_rows_move_track (self->rows, self->moved_track, by))
    continue;
  row = hir_timeline_rows_get_track (self->rows, self->moved_track);
  if (row != NULL)
    set_cursor (self, row);
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), "grabbing");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), NULL);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
hir_timeline_end_move (HirTimelineView *self)
{
  if (!self->is_moving_track)
    return;
  self->is_moving_track = FALSE;
  self->may_move_track = FALSE;
  hir_timeline_remember_tracks (self);
  hir_timeline_hover (self);
}

#if HIR_TESTING
gboolean
hir_timeline_view_get_track_place (HirTimelineView *self, guint i, HirTimelineTrackPlace *place)
{
  HirTimelineScene scene;

  for (guint r = 0; self->rows != NULL && r < self->rows->rows->len; r++)
    {
      const HirTimelineRow *row = &g_array_index (self->rows->rows, HirTimelineRow, r);

      if (row->is_header || i-- > 0)
        continue;
      hir_timeline_fill_scene (self, &scene);
      *place = (HirTimelineTrackPlace){
        .track = row->track,
        .n_lanes = row->n_lanes,
        .is_pinned = row->is_pinned,
        .is_folded = row->is_folded,
        .has_cursor = row == get_cursor_row (self),
        .is_chosen = hir_timeline_is_chosen (self, row),
        .height = row->height,
        .bottom = hir_timeline_scene_get_row_y (&scene, row) + row->height,
        .x = self->header_width / 2,
        .y = hir_timeline_scene_get_row_y (&scene, row) + MIN (row->height, 20) / 2,
      };
      return TRUE;
    }
  return FALSE;
}
#endif
