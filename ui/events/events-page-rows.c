/* The rows of the events table: which query lists them, and the title that counts them. */
#include <string.h>

#include "base/control-words.h"
#include "diagnostic.h"
#include "document/open-job.h"
#include "events/events-page-private.h"
#include "trace/track-set.h"

/* The end of a message of the query, and the start of a table in its schema. */
#define SEE_SCHEMA "see hirscope query --schema"
#define CREATE "CREATE TABLE "

gboolean
hir_events_page_has_events (HirEventsPage *self)
{
  HirTrace *trace = hir_selection_get_trace (self->selection);

  return trace != NULL && hir_trace_get_n_events (trace) > 0;
}

/* --- title -------------------------------------------------------------------------------- */

/* Returns which part of the trace is listed. */
static char *
dup_range (HirEventsPage *self)
{
  GArray *tracks = hir_selection_get_tracks (self->selection);
  gint64 start_ns, end_ns;
  gboolean has_range = hir_selection_get_range (self->selection, &start_ns, &end_ns);
  g_autofree char *text = NULL;

  if (tracks == NULL)
    return g_strdup (has_range ? ", those in the range" : "");
  text = hir_track_set_dup_text (tracks, hir_selection_get_trace (self->selection));
  return g_strdup_printf (", those %son %s", has_range ? "in the range " : "", text);
}

/* Returns "3 of 1,217 events", or how many groups or rows there are. */
static char *
dup_counts (HirEventsPage *self)
{
  guint n_rows = hir_events_model_get_n_rows (self->model);
  gboolean is_grouped = hir_events_options_get_group (self->options) != HIR_LISTING_NO_GROUP;
  gint64 n_all = hir_events_model_get_n_events (self->model);
  gint64 n = is_grouped ? hir_events_model_sum (self->model, "n") : n_rows;
  const char *cut = hir_events_model_is_cut (self->model) ? "the first " : "";
  g_autofree char *rows = hir_count_to_string (n_rows);
  g_autofree char *some = hir_count_to_string ((guint64) n);
  g_autofree char *all = hir_count_to_string ((guint64) n_all);
  g_autofree char *range = NULL;
  g_autofree char *events = NULL;

  if (self->written != NULL)
    return g_strdup_printf ("%s%s row%s%s%s", cut, rows, n_rows == 1 ? "" : "s",
                            self->hint != NULL ? "; " : "", self->hint != NULL ? self->hint : "");
  range = dup_range (self);
  events = g_strdup_printf ("%s of %s event%s%s", some, all, n_all == 1 ? "" : "s", range);
  return is_grouped
             ? g_strdup_printf ("%s%s group%s, %s", cut, rows, n_rows == 1 ? "" : "s", events)
             : g_strconcat (cut, events, NULL);
}

/* Returns "the tables are events, ...". */
static char *
dup_tables (void)
{
  g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();
  g_autoptr (GString) tables = g_string_new ("the tables are");
  g_autofree char *schema = NULL;
  g_auto (GStrv) lines = NULL;
  HirTextOut out;

  hir_text_out_init (&out, stream, NULL);
  hir_query_write_schema (&out);
  if (!hir_text_out_finish (&out, NULL) || !g_output_stream_close (stream, NULL, NULL))
    return NULL;
  schema = g_strndup (g_memory_output_stream_get_data (G_MEMORY_OUTPUT_STREAM (stream)),
                      g_memory_output_stream_get_data_size (G_MEMORY_OUTPUT_STREAM (stream)));
  lines = g_strsplit (schema, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    if (g_str_has_prefix (*line, CREATE))
      g_string_append_printf (tables, "%s %.*s", g_str_has_suffix (tables->str, "are") ? "" : ",",
                              (int) strcspn (*line + strlen (CREATE), " ("),
                              *line + strlen (CREATE));
  return g_string_free (g_steal_pointer (&tables), FALSE);
}

/* Returns a message with its position. In the window, it names the tables that the command prints.
 */
static char *
dup_error (const GError *error)
{
  HirPos pos = { 0, 0 };

  g_autofree char *words = hir_control_words_dup (error->message);
  g_autoptr (GString) message = g_string_new (words);
  g_autofree char *tables = strstr (message->str, SEE_SCHEMA) != NULL ? dup_tables () : NULL;

  if (tables != NULL)
    g_string_replace (message, SEE_SCHEMA, tables, 1);
  if (error->domain == HIR_ERROR)
    pos = hir_error_get_pos (error);
  return pos.line > 0 ? g_strdup_printf ("%u:%u: %s", pos.line, pos.column, message->str)
                      : g_strdup (message->str);
}

static char *
dup_title (HirEventsPage *self)
{
  const GError *error = hir_events_model_get_error (self->model);

  if (!hir_events_page_has_events (self))
    return g_strdup (hir_selection_get_advice (self->selection));
  if (self->problem != NULL)
    return g_strdup (self->problem);
  if (error != NULL)
    return dup_error (error);
  if (hir_events_model_get_n_columns (self->model) == 0)
    return g_strdup (hir_events_model_is_busy (self->model) ? "Reading the events"
                                                            : "Write one SELECT and run it");
  return dup_counts (self);
}

void
hir_events_page_update (HirEventsPage *self)
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

  /* An incorrect filter does not apply to the user's SQL. */
  g_clear_pointer (&self->problem, g_free);
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
                         hir_selection_get_tracks (self->selection),
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
      hir_events_page_update (self);
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

void
hir_events_page_refresh (HirEventsPage *self)
{
  self->is_stale = TRUE;
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  self->is_stale = FALSE;
  if (!hir_events_page_has_events (self))
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

void
hir_events_page_leave_written (HirEventsPage *self)
{
  g_clear_pointer (&self->written, g_free);
  hir_events_options_set_is_sql (self->options, FALSE);
  set_order (self, NULL, FALSE);
}

void
hir_events_page_run_sql (HirEventsPage *self)
{
  char *text = hir_events_sql_dup_text (self->sql);

  hir_events_sql_mark_error (self->sql, NULL);
  g_free (self->written);
  self->written = text;
  hir_events_options_set_is_sql (self->options, TRUE);
  set_order (self, NULL, FALSE);
  hir_events_page_refresh (self);
}

void
hir_events_page_sort (HirEventsPage *self, guint column)
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
  hir_events_page_refresh (self);
}
