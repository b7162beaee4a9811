#include "events/events-page.h"

#include "canvas/scaler.h"
#include "canvas/scroller.h"
#include "config.h"
#include "diagnostic.h"
#include "events/events-page-private.h"
#include "events/events-row.h"

#define RANGE_DELAY_MS 100 /* dragging a range changes it with each frame */

enum
{
  SHOW_EVENT,
  MESSAGE,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (HirEventsPage, hir_events_page, GTK_TYPE_WIDGET)

static gboolean
is_sql (HirEventsPage *self)
{
  return gtk_toggle_button_get_active (self->show_sql);
}

/* --- selection ---------------------------------------------------------------------------- */

static gboolean
get_row_event (HirEventsPage *self, guint *track, guint *index)
{
  gint64 row = hir_events_canvas_get_current (self->canvas);

  return row >= 0 && hir_events_model_get_event (self->model, (guint) row, track, index);
}

/* Makes the selected event the current row. */
static void
follow_event (HirEventsPage *self)
{
  guint track, index, row_track, row_index;

  if (!gtk_widget_get_mapped (GTK_WIDGET (self)) || hir_events_model_get_n_rows (self->model) == 0)
    return;
  /* Rows that are linked in another way are not found by their event. */
  if (!hir_events_model_has_ids (self->model))
    return;
  if (!hir_selection_get_event (self->selection, &track, &index))
    {
      if (get_row_event (self, &row_track, &row_index))
        hir_events_canvas_set_current (self->canvas, -1);
      return;
    }
  if (!get_row_event (self, &row_track, &row_index) || row_track != track || row_index != index)
    hir_events_canvas_set_current (self->canvas,
                                   hir_events_model_find_event (self->model, track, index));
}

/* Follows the link of the current row of the user's SQL. Otherwise the title says what the row
 * lacks. Returns FALSE if the row is not that of an event. */
static gboolean
follow_row (HirEventsPage *self)
{
  gint64 row = hir_events_canvas_get_current (self->canvas);
  const HirTrace *trace = hir_selection_get_trace (self->selection);
  g_autofree char *link = NULL;

  self->hint = NULL;
  if (row >= 0 && trace != NULL && self->written != NULL &&
      hir_events_model_is_current (self->model))
    link = hir_events_row_dup_link (self->model, trace, (guint) row, &self->hint);
  hir_events_page_update (self);
  if (link != NULL)
    gtk_widget_activate_action (GTK_WIDGET (self), "win.link", "s", link);
  return link != NULL && g_str_has_prefix (link, "event/");
}

static void
on_moved (HirEventsPage *self)
{
  guint track, index;

  if (get_row_event (self, &track, &index))
    hir_selection_set_event (self->selection, track, index);
  else
    follow_row (self);
}

/* Lists the events of the current group. */
static void
open_group (HirEventsPage *self, HirListingGroup group)
{
  static const char *const keys[] = {
    [HIR_LISTING_BY_NAME] = "name",
    [HIR_LISTING_BY_STREAM] = "track",
    [HIR_LISTING_BY_RANK] = "rank",
    [HIR_LISTING_BY_INSTRUCTION] = "instruction",
  };
  guint row = (guint) hir_events_canvas_get_current (self->canvas), at;
  const HirQueryResult *result = hir_events_model_lookup (self->model, row, &at);
  int column = hir_query_result_find_column (result, keys[group]);
  g_autofree char *key =
      column >= 0 ? hir_query_result_dup_text (result, at, (guint) column) : NULL;
  g_autofree char *word = NULL, *text = NULL;
  const char *typed = gtk_editable_get_text (self->filter);

  if (column < 0)
    return;
  word = group == HIR_LISTING_BY_NAME && key != NULL
             ? hir_listing_dup_name_word (key)
             : g_strdup_printf ("%s=%s", keys[group], key != NULL ? key : "none");
  text = g_strdup_printf ("%s%s%s", typed, *typed != '\0' ? " " : "", word);
  gtk_editable_set_text (self->filter, text);
  hir_events_options_set_group (self->options, HIR_LISTING_NO_GROUP);
}

static void
on_activated (HirEventsPage *self)
{
  HirListingGroup group = hir_events_options_get_group (self->options);
  guint track, index;

  if (get_row_event (self, &track, &index))
    {
      hir_selection_set_event (self->selection, track, index);
      g_signal_emit (self, signals[SHOW_EVENT], 0);
    }
  else if (self->written == NULL && group != HIR_LISTING_NO_GROUP)
    open_group (self, group);
  else if (follow_row (self))
    g_signal_emit (self, signals[SHOW_EVENT], 0);
}

/* --- changes ------------------------------------------------------------------------------ */

static void
on_model (HirEventsPage *self)
{
  const GError *error = hir_events_model_get_error (self->model);

  if (self->serial != hir_events_model_get_serial (self->model))
    {
      self->serial = hir_events_model_get_serial (self->model);
      self->hint = NULL;
      hir_events_canvas_set_current (self->canvas, -1);
      follow_event (self);
    }
  if (error != NULL && error->domain == HIR_ERROR && self->written != NULL && self->order == NULL)
    {
      HirPos pos = hir_error_get_pos (error);

      hir_events_sql_mark_error (self->sql, &pos);
    }
  hir_events_page_update (self);
  if (self->is_stale && !hir_events_model_is_busy (self->model))
    hir_events_page_refresh (self);
}

/* The order remains if its column is still listed. */
static void
on_options (HirEventsPage *self)
{
  g_autofree char *columns = hir_events_options_dup_columns (self->options);
  g_auto (GStrv) names = g_strsplit (columns, ", ", -1);

  if (self->written != NULL || self->order == NULL ||
      hir_events_options_get_group (self->options) != HIR_LISTING_NO_GROUP ||
      !g_strv_contains ((const char *const *) names, self->order))
    hir_events_page_leave_written (self);
  hir_events_page_refresh (self);
}

/* The order of the user's rows does not apply to events. */
static void
on_filter (HirEventsPage *self)
{
  if (self->written != NULL)
    hir_events_page_leave_written (self);
  hir_events_page_refresh (self);
}

/* A growing trace is listed after the query on its earlier part. */
static void
on_trace (HirEventsPage *self)
{
  if (hir_events_model_is_current (self->model))
    return;
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)) || !hir_events_page_has_events (self))
    {
      self->is_stale = TRUE;
      hir_events_model_clear (self->model);
    }
  else if (hir_events_model_is_busy (self->model))
    self->is_stale = TRUE;
  else
    hir_events_page_refresh (self);
}

static gboolean
refresh_later (gpointer user_data)
{
  HirEventsPage *self = user_data;

  self->timer = 0;
  hir_events_page_refresh (self);
  return G_SOURCE_REMOVE;
}

static void
on_range (HirEventsPage *self)
{
  g_clear_handle_id (&self->timer, g_source_remove);
  if (self->written == NULL)
    self->timer = g_timeout_add (RANGE_DELAY_MS, refresh_later, self);
}

static void
on_map (HirEventsPage *self)
{
  if (self->is_stale)
    hir_events_page_refresh (self);
  else
    follow_event (self);
  hir_events_page_update (self);
}

static void
on_show_sql (HirEventsPage *self)
{
  gboolean shows = is_sql (self);

  gtk_revealer_set_reveal_child (self->sql_room, shows);
  gtk_widget_set_visible (GTK_WIDGET (self->sql_room), shows);
  gtk_widget_grab_focus (shows ? GTK_WIDGET (self->sql) : GTK_WIDGET (self->canvas));
  if (!shows && self->written != NULL)
    {
      hir_events_page_leave_written (self);
      hir_events_page_refresh (self);
    }
}

/* --- actions ------------------------------------------------------------------------------ */

void
hir_events_page_filter_name (HirEventsPage *self, const char *name)
{
  g_autofree char *word = hir_listing_dup_name_word (name);

  gtk_toggle_button_set_active (self->show_sql, FALSE);
  hir_events_page_leave_written (self);
  g_action_group_change_action_state (G_ACTION_GROUP (
                                          hir_events_options_get_actions (self->options)),
                                      "table", g_variant_new_string ("events"));
  hir_events_options_set_group (self->options, HIR_LISTING_NO_GROUP);
  gtk_editable_set_text (self->filter, word);
  hir_events_page_refresh (self);
}

void
hir_events_page_find (HirEventsPage *self)
{
  gtk_widget_grab_focus (is_sql (self) ? GTK_WIDGET (self->sql) : GTK_WIDGET (self->filter));
}

void
hir_events_page_set_is_sql (HirEventsPage *self, gboolean shows)
{
  gtk_toggle_button_set_active (self->show_sql, shows);
  if (shows)
    gtk_widget_grab_focus (GTK_WIDGET (self->sql));
}

gboolean
hir_events_page_cancel (HirEventsPage *self)
{
  return hir_events_model_cancel (self->model);
}

gboolean
hir_events_page_can_save (HirEventsPage *self)
{
  return self->shown != NULL && hir_events_model_get_n_columns (self->model) > 0 &&
         !hir_events_model_is_busy (self->model);
}

void
hir_events_page_save (HirEventsPage *self,
                      const char *path,
                      GAsyncReadyCallback done,
                      gpointer user_data)
{
  hir_events_model_save (self->model, self->shown, path, done, user_data);
}

/* Gets the text of a copy. @user_data: the page, of which it owns a reference. */
static void
on_copied (char *text, gpointer user_data)
{
  g_autoptr (HirEventsPage) self = user_data;
  g_autofree char *lines = text;
  g_autofree char *message = NULL;
  guint n = 0;

  if (lines == NULL)
    return;
  for (const char *at = lines; *at != '\0'; at++)
    n += *at == '\n';
  message = g_strdup_printf ("%u row%s copied to the clipboard", n - 1, n == 2 ? "" : "s");
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), lines);
  g_signal_emit (self, signals[MESSAGE], 0, message);
}

static void
copy (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  HirEventsPage *self = user_data;
  guint first, n;

  if (!hir_events_canvas_get_selected (self->canvas, &first, &n))
    {
      g_signal_emit (self, signals[MESSAGE], 0, "No row is selected");
      return;
    }
  hir_events_model_copy (self->model, first, n, on_copied, g_object_ref (self));
}

#if HIR_TESTING
HirEventsCanvas *
hir_events_page_get_canvas (HirEventsPage *self)
{
  return self->canvas;
}

HirEventsModel *
hir_events_page_get_model (HirEventsPage *self)
{
  return self->model;
}

HirEventsSql *
hir_events_page_get_sql (HirEventsPage *self)
{
  return self->sql;
}

const char *
hir_events_page_get_title (HirEventsPage *self)
{
  return gtk_label_get_text (self->title);
}
#endif

/* --- widget ------------------------------------------------------------------------------- */

static void
hir_events_page_dispose (GObject *object)
{
  HirEventsPage *self = HIR_EVENTS_PAGE (object);

  g_clear_handle_id (&self->timer, g_source_remove);
  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  if (self->model != NULL)
    g_signal_handlers_disconnect_by_data (self->model, self);
  if (self->options != NULL)
    g_signal_handlers_disconnect_by_data (self->options, self);
  gtk_widget_insert_action_group (GTK_WIDGET (self), "events", NULL);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  if (self->model != NULL)
    hir_events_model_clear (self->model);
  g_clear_object (&self->model);
  g_clear_object (&self->options);
  g_clear_object (&self->selection);
  g_clear_pointer (&self->order, g_free);
  g_clear_pointer (&self->written, g_free);
  g_clear_pointer (&self->shown, g_free);
  g_clear_pointer (&self->problem, g_free);
  G_OBJECT_CLASS (hir_events_page_parent_class)->dispose (object);
}

static gboolean
hir_events_page_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (HIR_EVENTS_PAGE (widget)->canvas));
}

static void
hir_events_page_class_init (HirEventsPageClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_events_page_dispose;
  GTK_WIDGET_CLASS (klass)->grab_focus = hir_events_page_grab_focus;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "statspage");
  signals[SHOW_EVENT] = g_signal_new ("show-event", HIR_TYPE_EVENTS_PAGE, G_SIGNAL_RUN_LAST, 0,
                                      NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[MESSAGE] = g_signal_new ("message", HIR_TYPE_EVENTS_PAGE, G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
hir_events_page_init (HirEventsPage *self)
{
  self->is_stale = TRUE;
  g_signal_connect (self, "map", G_CALLBACK (on_map), NULL);
}

/* Leaves the filter downwards. */
static gboolean
leave_filter (GtkWidget *widget, GVariant *arguments, gpointer user_data)
{
  HirEventsPage *self = user_data;

  gtk_widget_grab_focus (GTK_WIDGET (self->canvas));
  if (hir_events_canvas_get_current (self->canvas) < 0)
    {
      hir_events_canvas_set_current (self->canvas, 0);
      on_moved (self);
    }
  return TRUE;
}

static void
add_key (GtkWidget *widget, const char *keys, GtkShortcutAction *action, GtkPropagationPhase phase)
{
  GtkEventController *controller = gtk_shortcut_controller_new ();

  gtk_event_controller_set_propagation_phase (controller, phase);
  gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (controller),
                                        gtk_shortcut_new (gtk_shortcut_trigger_parse_string (keys),
                                                          action));
  gtk_widget_add_controller (widget, controller);
}

static void
on_stop_filter (HirEventsPage *self)
{
  if (*gtk_editable_get_text (self->filter) != '\0')
    gtk_editable_set_text (self->filter, "");
  else
    gtk_widget_grab_focus (GTK_WIDGET (self->canvas));
}

static GtkWidget *
create_controls (HirEventsPage *self)
{
  GtkWidget *strip = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *filter = gtk_search_entry_new ();
  GtkWidget *sql = gtk_toggle_button_new_with_label ("SQL");

  self->filter = GTK_EDITABLE (filter);
  self->show_sql = GTK_TOGGLE_BUTTON (sql);
  self->view = hir_events_options_create_button (self->options);
  g_object_set (filter, "placeholder-text", "Filter: gemm dur>10us rank=0", NULL);
  gtk_editable_set_width_chars (self->filter, 4);
  gtk_widget_set_hexpand (filter, TRUE);
  gtk_widget_set_tooltip_text (filter, "Words of the name, \"a whole name\", or comparisons: "
                                       "dur>10us, rank=0, stream!=7");
  gtk_widget_set_tooltip_text (sql, "Write SQL (Ctrl+Shift+E)");
  gtk_widget_set_focus_on_click (sql, FALSE);
  g_signal_connect_swapped (filter, "search-changed", G_CALLBACK (on_filter), self);
  g_signal_connect_swapped (filter, "stop-search", G_CALLBACK (on_stop_filter), self);
  g_signal_connect_swapped (sql, "toggled", G_CALLBACK (on_show_sql), self);
  add_key (filter, "Down|Return|KP_Enter|Tab", gtk_callback_action_new (leave_filter, self, NULL),
           GTK_PHASE_CAPTURE);
  gtk_widget_add_css_class (strip, "events-strip");
  gtk_box_append (GTK_BOX (strip), filter);
  gtk_box_append (GTK_BOX (strip), self->view);
  gtk_box_append (GTK_BOX (strip), hir_events_options_create_columns_button (self->options));
  gtk_box_append (GTK_BOX (strip), sql);
  return strip;
}

static GtkWidget *
create_title (HirEventsPage *self)
{
  GtkWidget *strip = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *title = gtk_label_new (NULL);

  self->title = GTK_LABEL (title);
  self->spinner = GTK_SPINNER (gtk_spinner_new ());
  self->cancel = GTK_BUTTON (gtk_button_new_with_label ("Cancel"));
  gtk_label_set_xalign (self->title, 0);
  gtk_label_set_wrap (self->title, TRUE);
  gtk_label_set_wrap_mode (self->title, PANGO_WRAP_WORD_CHAR);
  gtk_widget_set_hexpand (title, TRUE);
  gtk_widget_add_css_class (strip, "stats-strip");
  gtk_widget_add_css_class (GTK_WIDGET (self->cancel), "small-button");
  gtk_widget_set_valign (GTK_WIDGET (self->cancel), GTK_ALIGN_START);
  g_signal_connect_swapped (self->cancel, "clicked", G_CALLBACK (hir_events_page_cancel), self);
  gtk_box_append (GTK_BOX (strip), title);
  gtk_box_append (GTK_BOX (strip), GTK_WIDGET (self->spinner));
  gtk_box_append (GTK_BOX (strip), GTK_WIDGET (self->cancel));
  return strip;
}

static GtkWidget *
create_sql (HirEventsPage *self)
{
  GtkWidget *revealer = gtk_revealer_new ();

  self->sql = HIR_EVENTS_SQL (hir_events_sql_new ());
  self->sql_room = GTK_REVEALER (revealer);
  gtk_revealer_set_transition_type (self->sql_room, GTK_REVEALER_TRANSITION_TYPE_NONE);
  gtk_revealer_set_child (self->sql_room, GTK_WIDGET (self->sql));
  gtk_widget_set_visible (revealer, FALSE);
  gtk_widget_add_css_class (revealer, "events-strip");
  g_signal_connect_swapped (self->sql, "run", G_CALLBACK (hir_events_page_run_sql), self);
  return revealer;
}

static void
connect (HirEventsPage *self)
{
  g_signal_connect_swapped (self->canvas, "sort", G_CALLBACK (hir_events_page_sort), self);
  g_signal_connect_swapped (self->canvas, "moved", G_CALLBACK (on_moved), self);
  g_signal_connect_swapped (self->canvas, "activated", G_CALLBACK (on_activated), self);
  g_signal_connect_swapped (self->options, "changed", G_CALLBACK (on_options), self);
  g_signal_connect_swapped (self->model, "changed", G_CALLBACK (on_model), self);
  g_signal_connect_swapped (self->selection, "trace-changed", G_CALLBACK (on_trace), self);
  g_signal_connect_swapped (self->selection, "advice-changed", G_CALLBACK (hir_events_page_update),
                            self);
  g_signal_connect_swapped (self->selection, "program-changed", G_CALLBACK (on_trace), self);
  g_signal_connect_swapped (self->selection, "ranks-changed", G_CALLBACK (on_trace), self);
  g_signal_connect_swapped (self->selection, "range-changed", G_CALLBACK (on_range), self);
  g_signal_connect_swapped (self->selection, "event-changed", G_CALLBACK (follow_event), self);
}

static void
add_actions (HirEventsPage *self)
{
  GSimpleActionGroup *actions = hir_events_options_get_actions (self->options);
  const GActionEntry entry = { .name = "copy", .activate = copy };

  g_action_map_add_action_entries (G_ACTION_MAP (actions), &entry, 1, self);
  gtk_widget_insert_action_group (GTK_WIDGET (self), "events", G_ACTION_GROUP (actions));
  add_key (GTK_WIDGET (self->canvas), "<Control>c", gtk_named_action_new ("events.copy"),
           GTK_PHASE_BUBBLE);
}

GtkWidget *
hir_events_page_new (HirSelection *selection, HirSettings *settings)
{
  HirEventsPage *self = g_object_new (HIR_TYPE_EVENTS_PAGE, NULL);
  GtkWidget *table = gtk_grid_new (), *canvas;

  self->selection = g_object_ref (selection);
  self->model = hir_events_model_new (selection);
  self->options = hir_events_options_new (settings);
  canvas = hir_events_canvas_new (selection, self->model, self->options);
  self->canvas = HIR_EVENTS_CANVAS (canvas);
  gtk_widget_set_hexpand (canvas, TRUE);
  gtk_widget_set_vexpand (canvas, TRUE);
  gtk_grid_attach (GTK_GRID (table), hir_scaler_new (canvas), 0, 0, 1, 1);
  gtk_grid_attach (GTK_GRID (table),
                   hir_scrollbar_new (
                       hir_events_canvas_get_adjustment (self->canvas, GTK_ORIENTATION_VERTICAL)),
                   1, 0, 1, 1);
  gtk_grid_attach (GTK_GRID (table),
                   hir_scrollbar_new_horizontal (
                       hir_events_canvas_get_adjustment (self->canvas, GTK_ORIENTATION_HORIZONTAL)),
                   0, 1, 1, 1);
  /* The first texts are below those of the strips. */
  gtk_widget_set_margin_start (table, 5);
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  gtk_box_append (GTK_BOX (self->box), create_controls (self));
  gtk_box_append (GTK_BOX (self->box), create_sql (self));
  gtk_box_append (GTK_BOX (self->box), create_title (self));
  gtk_box_append (GTK_BOX (self->box), table);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  add_actions (self);
  connect (self);
  hir_events_page_update (self);
  return GTK_WIDGET (self);
}
