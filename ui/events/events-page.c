#include "events/events-page.h"

#include <string.h>

#include "canvas/scaler.h"
#include "canvas/scroller.h"
#include "config.h"
#include "diagnostic.h"
#include "events/events-options.h"

#define RANGE_DELAY_MS 100 /* dragging a range changes it with each frame */

struct _HirEventsPage
{
  GtkWidget parent_instance;

  HirSelection *selection;
  HirEventsModel *model;
  HirEventsOptions *options;
  GtkWidget *box;
  GtkEditable *filter;
  GtkWidget *view; /* button of the menu */
  GtkToggleButton *show_sql;
  GtkRevealer *sql_room;
  HirEventsSql *sql;
  GtkLabel *title;
  GtkSpinner *spinner;
  GtkButton *cancel;
  HirEventsCanvas *canvas;
  char *order; /* column; nullable */
  gboolean is_descending;
  char *written;     /* nullable: the SQL of the user whose rows are listed */
  char *shown;       /* nullable: SQL of all columns of the rows that are listed */
  char *problem;     /* nullable: why the filter is incorrect */
  gboolean is_stale; /* the rows are of an earlier trace, range or choice */
  guint serial;      /* of the rows that the current row was looked up in */
  guint timer;       /* waits until the range stays */
};

enum
{
  SHOW_EVENT,
  MESSAGE,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (HirEventsPage, hir_events_page, GTK_TYPE_WIDGET)

static gboolean
has_events (HirEventsPage *self)
{
  HirTrace *trace = hir_selection_get_trace (self->selection);

  return trace != NULL && hir_trace_get_n_events (trace) > 0;
}

static gboolean
is_sql (HirEventsPage *self)
{
  return gtk_toggle_button_get_active (self->show_sql);
}

/* --- title -------------------------------------------------------------------------------- */

/* Returns "3 of 17 events", or how many groups or rows there are. */
static char *
dup_counts (HirEventsPage *self)
{
  guint n_rows = hir_events_model_get_n_rows (self->model);
  gint64 n_all = hir_events_model_get_n_events (self->model), n = n_rows;
  const char *cut = hir_events_model_is_cut (self->model) ? "the first " : "", *range = "";
  gint64 start_ns, end_ns;

  if (self->written != NULL)
    return g_strdup_printf ("%s%u row%s", cut, n_rows, n_rows == 1 ? "" : "s");
  if (hir_selection_get_range (self->selection, &start_ns, &end_ns))
    range = ", those in the range";
  if (hir_events_options_get_group (self->options) == HIR_LISTING_NO_GROUP)
    return g_strdup_printf ("%s%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " event%s%s", cut, n,
                            n_all, n_all == 1 ? "" : "s", range);
  n = hir_events_model_sum (self->model, "n");
  return g_strdup_printf ("%s%u group%s, %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " event%s%s",
                          cut, n_rows, n_rows == 1 ? "" : "s", n, n_all, n_all == 1 ? "" : "s",
                          range);
}

/* Returns a message with its position. */
static char *
dup_error (const GError *error)
{
  HirPos pos = { 0, 0 };

  if (error->domain == HIR_ERROR)
    pos = hir_error_get_pos (error);
  return pos.line > 0 ? g_strdup_printf ("%u:%u: %s", pos.line, pos.column, error->message)
                      : g_strdup (error->message);
}

static char *
dup_title (HirEventsPage *self)
{
  const GError *error = hir_events_model_get_error (self->model);

  if (!has_events (self))
    return g_strdup ("No recording: run the program first");
  if (self->problem != NULL)
    return g_strdup (self->problem);
  if (error != NULL)
    return dup_error (error);
  if (hir_events_model_get_n_columns (self->model) == 0)
    return g_strdup (hir_events_model_is_busy (self->model) ? "Reading the events"
                                                            : "Write one SELECT and run it");
  return dup_counts (self);
}

static void
update (HirEventsPage *self)
{
  g_autofree char *title = dup_title (self);
  gboolean is_busy = hir_events_model_is_busy (self->model);

  gtk_label_set_text (self->title, title);
  gtk_spinner_set_spinning (self->spinner, is_busy);
  if (!is_busy && gtk_widget_has_focus (GTK_WIDGET (self->cancel)))
    gtk_widget_grab_focus (GTK_WIDGET (self->canvas));
  gtk_widget_set_visible (GTK_WIDGET (self->cancel), is_busy);
  if (self->problem != NULL)
    gtk_widget_add_css_class (GTK_WIDGET (self->filter), "error");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->filter), "error");
}

/* --- queries ------------------------------------------------------------------------------ */

/* Returns the SQL of the user in the chosen order. */
static char *
dup_ordered (HirEventsPage *self)
{
  g_autofree char *text = NULL;
  gsize n = strlen (self->written);

  if (self->order == NULL)
    return g_strdup (self->written);
  while (n > 0 && (g_ascii_isspace (self->written[n - 1]) || self->written[n - 1] == ';'))
    n--;
  text = g_strndup (self->written, n);
  return g_strdup_printf ("SELECT * FROM (\n%s\n) ORDER BY \"%s\"%s", text, self->order,
                          self->is_descending ? " DESC" : "");
}

static void
list_written (HirEventsPage *self)
{
  HirEventsRequest request = { 0 };

  g_free (self->shown);
  self->shown = dup_ordered (self);
  request.sql = self->shown;
  hir_events_model_run (self->model, &request);
}

static void
list_events (HirEventsPage *self)
{
  HirListing listing = { hir_events_options_get_table (self->options),
                         gtk_editable_get_text (self->filter),
                         0,
                         0,
                         hir_events_options_get_group (self->options),
                         self->order,
                         self->is_descending };
  g_autofree char *columns = hir_events_options_dup_columns (self->options);
  g_autofree char *ids = NULL, *all = NULL;
  g_autoptr (GError) error = NULL;
  HirEventsRequest request = { .table = listing.table };

  g_clear_pointer (&self->problem, g_free);
  (void) hir_selection_get_range (self->selection, &listing.start_ns, &listing.end_ns);
  all = hir_listing_dup_sql (&listing, columns, &error);
  if (all == NULL)
    {
      self->problem = g_strdup (error->message);
      update (self);
      return;
    }
  ids = hir_listing_dup_sql (&listing, "id", NULL);
  request.sql = ids;
  if (listing.group == HIR_LISTING_NO_GROUP)
    request.columns = columns;
  hir_events_sql_suggest (self->sql, all);
  g_free (self->shown);
  self->shown = g_steal_pointer (&all);
  hir_events_model_run (self->model, &request);
}

/* Lists the rows again if the page is displayed, otherwise when it is displayed. */
static void
refresh (HirEventsPage *self)
{
  self->is_stale = TRUE;
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  self->is_stale = FALSE;
  if (!has_events (self))
    hir_events_model_clear (self->model);
  else if (self->written != NULL)
    list_written (self);
  else
    list_events (self);
}

static void
set_order (HirEventsPage *self, const char *column, gboolean is_descending)
{
  char *copy = g_strdup (column);

  g_free (self->order);
  self->order = copy;
  self->is_descending = is_descending;
  hir_events_canvas_set_order (self->canvas, column, is_descending, self->written != NULL);
}

/* Lists events instead of the rows of the user's SQL. */
static void
leave_written (HirEventsPage *self)
{
  g_clear_pointer (&self->written, g_free);
  set_order (self, NULL, FALSE);
}

static void
on_run_sql (HirEventsPage *self)
{
  char *text = hir_events_sql_dup_text (self->sql);

  hir_events_sql_mark_error (self->sql, NULL);
  g_free (self->written);
  self->written = text;
  set_order (self, NULL, FALSE);
  refresh (self);
}

static void
on_options (HirEventsPage *self)
{
  leave_written (self);
  refresh (self);
}

static void
on_filter (HirEventsPage *self)
{
  g_clear_pointer (&self->written, g_free);
  hir_events_canvas_set_order (self->canvas, self->order, self->is_descending, FALSE);
  refresh (self);
}

static void
on_sort (HirEventsPage *self, guint column)
{
  g_autofree char *name = g_strdup (hir_events_model_get_name (self->model, column));
  const char *const texts[] = { "name", "kind", "class", "phase", "label", "op", "team", NULL };
  gboolean is_same = g_strcmp0 (name, self->order) == 0;
  /* Times are listed from the first one, texts from A; other numbers from the largest. */
  gboolean is_descending = is_same
                               ? !self->is_descending
                               : !g_strv_contains (texts, name) &&
                                     !g_str_equal (name, "start_ns") && !g_str_equal (name, "rank");

  if (strchr (name, '"') != NULL)
    return;
  set_order (self, name, is_descending);
  refresh (self);
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

static void
on_moved (HirEventsPage *self)
{
  guint track, index;

  if (get_row_event (self, &track, &index))
    hir_selection_set_event (self->selection, track, index);
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

  if (key == NULL)
    return;
  word = group == HIR_LISTING_BY_NAME ? hir_listing_dup_name_word (key)
                                      : g_strdup_printf ("%s=%s", keys[group], key);
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
}

/* --- changes ------------------------------------------------------------------------------ */

static void
on_model (HirEventsPage *self)
{
  const GError *error = hir_events_model_get_error (self->model);

  if (self->serial != hir_events_model_get_serial (self->model))
    {
      self->serial = hir_events_model_get_serial (self->model);
      hir_events_canvas_set_current (self->canvas, -1);
      follow_event (self);
    }
  if (error != NULL && error->domain == HIR_ERROR && self->written != NULL && self->order == NULL)
    {
      HirPos pos = hir_error_get_pos (error);

      hir_events_sql_mark_error (self->sql, &pos);
    }
  update (self);
  if (self->is_stale && !hir_events_model_is_busy (self->model))
    refresh (self);
}

/* A growing trace is listed after the query on its earlier part. */
static void
on_trace (HirEventsPage *self)
{
  if (hir_events_model_is_current (self->model))
    return;
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)) || !has_events (self))
    {
      self->is_stale = TRUE;
      hir_events_model_clear (self->model);
    }
  else if (hir_events_model_is_busy (self->model))
    self->is_stale = TRUE;
  else
    refresh (self);
}

static gboolean
refresh_later (gpointer user_data)
{
  HirEventsPage *self = user_data;

  self->timer = 0;
  refresh (self);
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
    refresh (self);
  else
    follow_event (self);
  update (self);
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
      leave_written (self);
      refresh (self);
    }
}

/* --- actions ------------------------------------------------------------------------------ */

void
hir_events_page_filter_name (HirEventsPage *self, const char *name)
{
  g_autofree char *word = hir_listing_dup_name_word (name);

  gtk_toggle_button_set_active (self->show_sql, FALSE);
  leave_written (self);
  g_action_group_change_action_state (G_ACTION_GROUP (
                                          hir_events_options_get_actions (self->options)),
                                      "table", g_variant_new_string ("events"));
  hir_events_options_set_group (self->options, HIR_LISTING_NO_GROUP);
  gtk_editable_set_text (self->filter, word);
  refresh (self);
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
  gtk_widget_set_tooltip_text (sql, "Write SQL, as for hirscope query (Ctrl+Shift+E)");
  gtk_widget_set_focus_on_click (sql, FALSE);
  g_signal_connect_swapped (filter, "search-changed", G_CALLBACK (on_filter), self);
  g_signal_connect_swapped (filter, "stop-search", G_CALLBACK (on_stop_filter), self);
  g_signal_connect_swapped (sql, "toggled", G_CALLBACK (on_show_sql), self);
  add_key (filter, "Down|Return|KP_Enter", gtk_callback_action_new (leave_filter, self, NULL),
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
  g_signal_connect_swapped (self->sql, "run", G_CALLBACK (on_run_sql), self);
  return revealer;
}

static void
connect (HirEventsPage *self)
{
  g_signal_connect_swapped (self->canvas, "sort", G_CALLBACK (on_sort), self);
  g_signal_connect_swapped (self->canvas, "moved", G_CALLBACK (on_moved), self);
  g_signal_connect_swapped (self->canvas, "activated", G_CALLBACK (on_activated), self);
  g_signal_connect_swapped (self->options, "changed", G_CALLBACK (on_options), self);
  g_signal_connect_swapped (self->model, "changed", G_CALLBACK (on_model), self);
  g_signal_connect_swapped (self->selection, "trace-changed", G_CALLBACK (on_trace), self);
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
hir_events_page_new (HirSelection *selection)
{
  HirEventsPage *self = g_object_new (HIR_TYPE_EVENTS_PAGE, NULL);
  GtkWidget *table = gtk_grid_new (), *canvas;

  self->selection = g_object_ref (selection);
  self->model = hir_events_model_new (selection);
  self->options = hir_events_options_new ();
  canvas = hir_events_canvas_new (selection, self->model);
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
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  gtk_box_append (GTK_BOX (self->box), create_controls (self));
  gtk_box_append (GTK_BOX (self->box), create_sql (self));
  gtk_box_append (GTK_BOX (self->box), create_title (self));
  gtk_box_append (GTK_BOX (self->box), table);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  add_actions (self);
  connect (self);
  update (self);
  return GTK_WIDGET (self);
}
