#include "text/script-errors.h"

#include "base/control-words.h"

#define MAX_LISTED 20
#define GAP 20      /* after the end of a line, in pixels */
#define EDGE 6      /* to the sides of the view */
#define MIN_CUT 120 /* width of a message that is cut */
#define MIN_SIGN 28 /* the same, at the line that is edited */

/* The errors of a line, or at the lower edge. */
typedef struct
{
  GtkLabel *label;
  GtkTextMark *line; /* NULL: at the lower edge */
  guint column;      /* of the first error, from 1 */
} Message;

struct _HirScriptErrors
{
  GtkOverlay *overlay; /* borrowed: owner */
  GtkTextView *view;   /* borrowed */
  GtkTextBuffer *buffer;
  GtkAdjustment *adjustments[2];
  GPtrArray *messages; /* Message* */
  Message *whole;      /* nullable: the one that was clicked, which is not cut */
  guint idle;          /* idle source that places the messages; 0: none */
};

/* --- the text ----------------------------------------------------------------------------- */

static gboolean
is_word (gunichar c)
{
  return g_unichar_isalnum (c) || c == '_';
}

/* Returns the character at @pos, or before it at the end of a line. */
static GtkTextIter
get_iter (HirScriptErrors *self, HirPos pos)
{
  GtkTextIter iter;

  gtk_text_buffer_get_iter_at_line (self->buffer, &iter, (int) pos.line - 1);
  for (guint i = 1; i < pos.column && !gtk_text_iter_ends_line (&iter); i++)
    gtk_text_iter_forward_char (&iter);
  if (gtk_text_iter_ends_line (&iter) && !gtk_text_iter_starts_line (&iter))
    gtk_text_iter_backward_char (&iter);
  return iter;
}

/* Underlines the word or character at @pos. */
static void
underline (HirScriptErrors *self, HirPos pos)
{
  GtkTextIter start = get_iter (self, pos), end = start;

  while (!gtk_text_iter_ends_line (&end) && is_word (gtk_text_iter_get_char (&end)))
    gtk_text_iter_forward_char (&end);
  if (gtk_text_iter_equal (&start, &end))
    gtk_text_iter_forward_char (&end);
  gtk_text_buffer_apply_tag_by_name (self->buffer, "error", &start, &end);
}

static int
get_line (HirScriptErrors *self, const Message *message)
{
  GtkTextIter iter;

  gtk_text_buffer_get_iter_at_mark (self->buffer, &iter, message->line);
  return gtk_text_iter_get_line (&iter);
}

static int
get_cursor_line (HirScriptErrors *self)
{
  GtkTextIter iter;

  gtk_text_buffer_get_iter_at_mark (self->buffer, &iter, gtk_text_buffer_get_insert (self->buffer));
  return gtk_text_iter_get_line (&iter);
}

/* --- places ------------------------------------------------------------------------------- */

static void
measure (GtkLabel *label, int width, int *natural_width, int *height)
{
  int min;

  gtk_widget_measure (GTK_WIDGET (label), GTK_ORIENTATION_HORIZONTAL, -1, &min, natural_width, NULL,
                      NULL);
  *natural_width = CLAMP (*natural_width, min, MAX (width, min));
  gtk_widget_measure (GTK_WIDGET (label), GTK_ORIENTATION_VERTICAL, *natural_width, NULL, height,
                      NULL, NULL);
}

/* Converts a place of the text to the overlay. */
static void
convert (HirScriptErrors *self, int text_x, int text_y, double *x, double *y)
{
  int view_x, view_y;

  gtk_text_view_buffer_to_window_coords (self->view, GTK_TEXT_WINDOW_WIDGET, text_x, text_y,
                                         &view_x, &view_y);
  gtk_widget_translate_coordinates (GTK_WIDGET (self->view), GTK_WIDGET (self->overlay), view_x,
                                    view_y, x, y);
}

/* Places a message in a box below its line, whose top and height are given, or above it if there is
 * no room. */
static void
place_box (
    HirScriptErrors *self, const Message *message, double top, int height, GdkRectangle *place)
{
  HirPos pos = { (guint) get_line (self, message) + 1, message->column };
  GtkTextIter iter = get_iter (self, pos);
  int width = gtk_widget_get_width (GTK_WIDGET (self->overlay)) - 2 * EDGE;
  GdkRectangle start;
  double x, y;

  gtk_text_view_get_iter_location (self->view, &iter, &start);
  convert (self, start.x, start.y, &x, &y);
  measure (message->label, width, &place->width, &place->height);
  place->x = (int) CLAMP (x, EDGE, MAX (EDGE, EDGE + width - place->width));
  place->y = (int) top + height;
  if (top >= place->height &&
      place->y + place->height > gtk_widget_get_height (GTK_WIDGET (self->overlay)))
    place->y = (int) top - place->height;
}

static gboolean
on_place (GtkOverlay *overlay, GtkWidget *label, GdkRectangle *place, HirScriptErrors *self)
{
  const Message *message = g_object_get_data (G_OBJECT (label), "hir-message");
  GtkTextIter iter;
  GdkRectangle end;
  int line_y, line_height, natural, height, room, min;
  double x, y, top, left;

  if (message == NULL || message->line == NULL)
    return FALSE;
  gtk_text_buffer_get_iter_at_mark (self->buffer, &iter, message->line);
  gtk_text_view_get_line_yrange (self->view, &iter, &line_y, &line_height);
  if (!gtk_text_iter_ends_line (&iter))
    gtk_text_iter_forward_to_line_end (&iter);
  gtk_text_view_get_iter_location (self->view, &iter, &end);
  convert (self, 0, line_y, &left, &top);
  convert (self, end.x, end.y, &x, &y);
  room = gtk_widget_get_width (GTK_WIDGET (overlay)) - (int) x - GAP - EDGE;
  gtk_widget_measure (label, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
  if (natural > room && message == self->whole)
    {
      place_box (self, message, top, line_height, place);
      return TRUE;
    }
  /* Over the end of a line that leaves too little room. */
  min = gtk_widget_has_focus (GTK_WIDGET (self->view)) && gtk_text_view_get_editable (self->view) &&
                get_cursor_line (self) == get_line (self, message)
            ? MIN_SIGN
            : MIN_CUT;
  measure (message->label, MAX (room, min), &place->width, &height);
  place->x = (int) MIN (x + GAP, gtk_widget_get_width (GTK_WIDGET (overlay)) - EDGE - place->width);
  place->y = (int) y + (end.height - height) / 2;
  place->height = height;
  return TRUE;
}

/* Shows the whole text of @message, or of none if it is NULL. */
static void
show_whole (HirScriptErrors *self, Message *message)
{
  self->whole = message;
  for (guint i = 0; i < self->messages->len; i++)
    {
      Message *other = self->messages->pdata[i];
      gboolean is_whole = other == message || other->line == NULL;

      gtk_label_set_wrap (other->label, is_whole);
      gtk_label_set_ellipsize (other->label, is_whole ? PANGO_ELLIPSIZE_NONE : PANGO_ELLIPSIZE_END);
    }
  if (self->messages->len > 0)
    gtk_widget_queue_allocate (GTK_WIDGET (self->overlay));
}

static void
on_cursor_moved (HirScriptErrors *self)
{
  show_whole (self, NULL);
}

/* Takes the focus, so that Escape shortens the message again. */
static void
on_clicked (GtkGestureClick *gesture, int n, double x, double y, gpointer user_data)
{
  HirScriptErrors *self = user_data;
  GtkWidget *label = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (gesture));
  Message *message = g_object_get_data (G_OBJECT (label), "hir-message");

  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
  show_whole (self, message != self->whole ? message : NULL);
}

static gboolean
on_key (GtkEventControllerKey *controller,
        guint keyval,
        guint keycode,
        GdkModifierType state,
        gpointer user_data)
{
  HirScriptErrors *self = user_data;

  if (keyval != GDK_KEY_Escape || self->whole == NULL)
    return FALSE;
  show_whole (self, NULL);
  return TRUE;
}

static gboolean
place_in_idle (gpointer user_data)
{
  HirScriptErrors *self = user_data;

  self->idle = 0;
  gtk_widget_queue_allocate (GTK_WIDGET (self->overlay));
  return G_SOURCE_REMOVE;
}

/* Deferred: the view measures its lines while it is allocated. */
static void
on_measured (HirScriptErrors *self)
{
  if (self->idle == 0 && self->messages->len > 0)
    self->idle = g_idle_add_full (G_PRIORITY_HIGH_IDLE, place_in_idle, self, NULL);
}

static void
on_scrolled (HirScriptErrors *self)
{
  if (self->messages->len > 0)
    gtk_widget_queue_allocate (GTK_WIDGET (self->overlay));
}

/* --- messages ----------------------------------------------------------------------------- */

/* Returns the message of the line of @pos, or at the lower edge, or NULL. */
static Message *
find (HirScriptErrors *self, HirPos pos)
{
  for (guint i = 0; i < self->messages->len; i++)
    {
      Message *message = self->messages->pdata[i];

      if (message->line == NULL ? pos.line == 0 : get_line (self, message) == (int) pos.line - 1)
        return message;
    }
  return NULL;
}

static void
add (HirScriptErrors *self, HirPos pos, const char *text, gboolean is_warning)
{
  Message *message = find (self, pos);
  g_autofree char *both = NULL;
  GtkWidget *label;
  GtkTextIter iter;

  if (message != NULL)
    {
      both = g_strdup_printf ("%s \302\267 %s", gtk_label_get_text (message->label), text);
      gtk_label_set_text (message->label, both);
      if (message->line != NULL)
        gtk_widget_set_tooltip_text (GTK_WIDGET (message->label), both);
      return;
    }
  message = g_new0 (Message, 1);
  g_ptr_array_add (self->messages, message);
  label = gtk_label_new (text);
  message->label = GTK_LABEL (label);
  message->column = pos.column;
  if (pos.line > 0)
    {
      gtk_text_buffer_get_iter_at_line (self->buffer, &iter, (int) pos.line - 1);
      message->line = gtk_text_buffer_create_mark (self->buffer, NULL, &iter, TRUE);
    }
  gtk_label_set_xalign (message->label, 0);
  gtk_label_set_wrap_mode (message->label, PANGO_WRAP_WORD_CHAR);
  gtk_widget_set_valign (label, GTK_ALIGN_END);
  if (message->line != NULL)
    {
      GtkGesture *click = gtk_gesture_click_new ();

      g_signal_connect (click, "pressed", G_CALLBACK (on_clicked), self);
      gtk_widget_add_controller (label, GTK_EVENT_CONTROLLER (click));
      gtk_widget_set_tooltip_text (label, text);
      gtk_widget_set_cursor_from_name (label, "pointer");
    }
  else
    gtk_widget_set_can_target (label, FALSE); /* clicks go to the text */
  gtk_widget_add_css_class (label, "script-error");
  if (is_warning)
    gtk_widget_add_css_class (label, "script-warning");
  g_object_set_data (G_OBJECT (label), "hir-message", message);
  gtk_overlay_add_overlay (self->overlay, label);
  gtk_overlay_set_clip_overlay (self->overlay, label, TRUE);
}

static void
clear (HirScriptErrors *self)
{
  GtkTextIter start, end;

  for (guint i = 0; i < self->messages->len; i++)
    {
      const Message *message = self->messages->pdata[i];

      gtk_overlay_remove_overlay (self->overlay, GTK_WIDGET (message->label));
      if (message->line != NULL)
        gtk_text_buffer_delete_mark (self->buffer, message->line);
    }
  g_ptr_array_set_size (self->messages, 0);
  self->whole = NULL;
  hir_code_view_unmark (HIR_CODE_VIEW (self->view), HIR_MARK_ERROR);
  gtk_text_buffer_get_bounds (self->buffer, &start, &end);
  gtk_text_buffer_remove_tag_by_name (self->buffer, "error", &start, &end);
}

void
hir_script_errors_show (HirScriptErrors *self, const GPtrArray *diagnostics)
{
  int n_lines = gtk_text_buffer_get_line_count (self->buffer);
  g_autoptr (GString) description = g_string_new (NULL);

  clear (self);
  for (guint i = 0; diagnostics != NULL && i < MIN (diagnostics->len, MAX_LISTED); i++)
    {
      const HirDiagnostic *diagnostic = diagnostics->pdata[i];
      g_autofree char *message = hir_control_words_dup (diagnostic->message);
      gboolean is_warning = diagnostic->code == HIR_WARNING;
      HirPos pos = diagnostic->pos;

      if ((int) pos.line > n_lines)
        pos = (HirPos){ 0, 0 };
      add (self, pos, message, is_warning);
      g_string_append_printf (description, "%sline %u: %s", i > 0 ? "; " : "", pos.line, message);
      if (pos.line == 0)
        continue;
      if (!is_warning)
        hir_code_view_mark (HIR_CODE_VIEW (self->view), (int) pos.line - 1, (int) pos.line - 1,
                            HIR_MARK_ERROR);
      underline (self, pos);
    }
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->view), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  description->str, -1);
  show_whole (self, NULL);
}

int
hir_script_errors_get_bottom_height (HirScriptErrors *self)
{
  const HirPos none = { 0, 0 };
  const Message *message = find (self, none);
  int width, height = 0;

  if (message != NULL)
    measure (message->label, gtk_widget_get_width (GTK_WIDGET (self->overlay)), &width, &height);
  return height;
}

static void
errors_free (gpointer data)
{
  HirScriptErrors *self = data;

  g_clear_handle_id (&self->idle, g_source_remove);
  for (guint i = 0; i < G_N_ELEMENTS (self->adjustments); i++)
    {
      g_signal_handlers_disconnect_by_data (self->adjustments[i], self);
      g_object_unref (self->adjustments[i]);
    }
  g_signal_handlers_disconnect_by_data (self->buffer, self);
  g_object_unref (self->buffer);
  g_ptr_array_unref (self->messages);
  g_free (self);
}

HirScriptErrors *
hir_script_errors_new (GtkOverlay *overlay, GtkScrolledWindow *scroller, HirCodeView *view)
{
  HirScriptErrors *self = g_new0 (HirScriptErrors, 1);
  GtkEventController *keys = gtk_event_controller_key_new ();
  GtkAdjustment *adjustments[] = { gtk_scrolled_window_get_vadjustment (scroller),
                                   gtk_scrolled_window_get_hadjustment (scroller) };

  self->overlay = overlay;
  self->view = GTK_TEXT_VIEW (view);
  self->buffer = g_object_ref (gtk_text_view_get_buffer (self->view));
  self->messages = g_ptr_array_new_with_free_func (g_free);
  g_object_set_data_full (G_OBJECT (overlay), "hir-script-errors", self, errors_free);
  g_signal_connect (overlay, "get-child-position", G_CALLBACK (on_place), self);
  g_signal_connect_swapped (self->buffer, "notify::cursor-position", G_CALLBACK (on_cursor_moved),
                            self);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (GTK_WIDGET (overlay), keys);
  for (guint i = 0; i < G_N_ELEMENTS (adjustments); i++)
    {
      g_signal_connect_swapped (adjustments[i], "value-changed", G_CALLBACK (on_scrolled), self);
      g_signal_connect_swapped (adjustments[i], "changed", G_CALLBACK (on_measured), self);
      self->adjustments[i] = g_object_ref (adjustments[i]);
    }
  return self;
}
