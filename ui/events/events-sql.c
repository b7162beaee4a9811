#include "events/events-sql.h"

#include "canvas/scroller.h"
#include "config.h"

#define HEIGHT 74 /* about four lines */

struct _HirEventsSql
{
  GtkWidget parent_instance;

  GtkWidget *box;
  GtkTextView *view;
  GtkTextTag *mark; /* of an error */
  gboolean is_edited;
  gboolean is_filling; /* the text changes, but not by the user */
};

static guint run;

G_DEFINE_FINAL_TYPE (HirEventsSql, hir_events_sql, GTK_TYPE_WIDGET)

char *
hir_events_sql_dup_text (HirEventsSql *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->view);
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  return gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
}

void
hir_events_sql_suggest (HirEventsSql *self, const char *text)
{
  if (self->is_edited)
    return;
  self->is_filling = TRUE;
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->view), text, -1);
  self->is_filling = FALSE;
}

void
hir_events_sql_mark_error (HirEventsSql *self, const HirPos *pos)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->view);
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  gtk_text_buffer_remove_tag (buffer, self->mark, &start, &end);
  if (pos == NULL || pos->line == 0 ||
      !gtk_text_buffer_get_iter_at_line_offset (buffer, &start, (int) pos->line - 1,
                                                (int) pos->column - 1))
    return;
  end = start;
  if (!gtk_text_iter_forward_word_end (&end) && gtk_text_iter_is_end (&start))
    gtk_text_iter_backward_char (&start);
  gtk_text_buffer_apply_tag (buffer, self->mark, &start, &end);
  gtk_text_buffer_place_cursor (buffer, &start);
}

#if HIR_TESTING
char *
hir_events_sql_dup_marked (HirEventsSql *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->view);
  GtkTextIter start, end;

  gtk_text_buffer_get_start_iter (buffer, &start);
  if (!gtk_text_iter_starts_tag (&start, self->mark) &&
      !gtk_text_iter_forward_to_tag_toggle (&start, self->mark))
    return NULL;
  end = start;
  gtk_text_iter_forward_to_tag_toggle (&end, self->mark);
  return gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
}
#endif

static void
on_text (HirEventsSql *self)
{
  self->is_edited |= !self->is_filling;
  hir_events_sql_mark_error (self, NULL);
}

static void
on_run (HirEventsSql *self)
{
  g_signal_emit (self, run, 0);
}

static gboolean
on_run_key (GtkWidget *widget, GVariant *arguments, gpointer user_data)
{
  on_run (user_data);
  return TRUE;
}

static gboolean
hir_events_sql_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (HIR_EVENTS_SQL (widget)->view));
}

static void
hir_events_sql_dispose (GObject *object)
{
  g_clear_pointer (&HIR_EVENTS_SQL (object)->box, gtk_widget_unparent);
  G_OBJECT_CLASS (hir_events_sql_parent_class)->dispose (object);
}

static void
hir_events_sql_class_init (HirEventsSqlClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hir_events_sql_dispose;
  widget_class->grab_focus = hir_events_sql_grab_focus;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  run = g_signal_new ("run", HIR_TYPE_EVENTS_SQL, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                      G_TYPE_NONE, 0);
}

static void
add_run_key (HirEventsSql *self)
{
  GtkEventController *keys = gtk_shortcut_controller_new ();
  GtkShortcutTrigger *trigger =
      gtk_shortcut_trigger_parse_string ("<Control>Return|<Control>KP_Enter");

  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (keys),
                                        gtk_shortcut_new (trigger,
                                                          gtk_callback_action_new (on_run_key, self,
                                                                                   NULL)));
  gtk_widget_add_controller (GTK_WIDGET (self->view), keys);
}

static void
hir_events_sql_init (HirEventsSql *self)
{
  GtkWidget *view = gtk_text_view_new ();
  GtkWidget *scroller = hir_scroller_new ();
  GtkWidget *button = gtk_button_new_with_label ("Run SQL");
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));

  self->view = GTK_TEXT_VIEW (view);
  self->mark = gtk_text_buffer_create_tag (buffer, NULL, "underline", PANGO_UNDERLINE_ERROR, NULL);
  gtk_text_view_set_monospace (self->view, TRUE);
  gtk_text_view_set_wrap_mode (self->view, GTK_WRAP_WORD_CHAR);
  gtk_text_view_set_accepts_tab (self->view, FALSE);
  gtk_text_view_set_left_margin (self->view, 4);
  gtk_accessible_update_property (GTK_ACCESSIBLE (view), GTK_ACCESSIBLE_PROPERTY_LABEL, "SQL", -1);
  gtk_widget_set_tooltip_text (view, "One SELECT on the tables of the recording; a column id "
                                     "links rows to events");
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), view);
  gtk_widget_set_size_request (scroller, -1, HEIGHT);
  gtk_widget_set_hexpand (scroller, TRUE);
  gtk_widget_add_css_class (scroller, "events-sql");
  gtk_widget_set_tooltip_text (button, "Run the query (Ctrl+Enter)");
  gtk_widget_set_valign (button, GTK_ALIGN_START);
  gtk_widget_set_focus_on_click (button, FALSE);
  g_signal_connect_swapped (button, "clicked", G_CALLBACK (on_run), self);
  g_signal_connect_swapped (buffer, "changed", G_CALLBACK (on_text), self);
  self->box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  gtk_box_append (GTK_BOX (self->box), scroller);
  gtk_box_append (GTK_BOX (self->box), button);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  add_run_key (self);
}

GtkWidget *
hir_events_sql_new (void)
{
  return g_object_new (HIR_TYPE_EVENTS_SQL, NULL);
}
