#include "text/script-text.h"

#include <gtksourceview/gtksource.h>

#include "base/undo-keys.h"
#include "canvas/scroller.h"
#include "text/buffer-text.h"
#include "text/code-style.h"
#include "text/script-errors.h"

/* Longer than the time between two keys. */
#define DEBOUNCE_MS 200

/* Attempts to scroll a view that has no size yet. */
#define ALLOCATION_MS 20
#define MAX_ATTEMPTS 250

#define BOTTOM_MARGIN 6 /* without errors */
/* Where a line is scrolled to, see gtk_text_view_scroll_to_iter(). */
#define MARGIN 0.1
#define ALIGNMENT 0.2

struct _HirScriptText
{
  GtkWidget parent_instance;

  HirSelection *selection;
  HirSource *source;
  char *path, *function; /* nullable: where the view scrolled to last */
  GtkWidget *box;
  HirScriptErrors *errors; /* borrowed: the box owns it */
  GtkTextView *text;
  GtkSourceBuffer *buffer;
  const char *language_id;     /* nullable: the requested language */
  GtkSourceLanguage *language; /* borrowed from the manager; NULL until it is looked up */
  guint coloring;              /* id of the idle GSource that sets the language; 0: none */
  guint scroll;                /* id of the idle GSource that scrolls; 0: none */
  guint scroll_line;
  guint n_attempts; /* to scroll a view without a size */
  gboolean scroll_aligned;
  guint debounce; /* id of the GSource that emits "changed"; 0: nothing to emit */
  gboolean is_replacing;
};

enum
{
  CHANGED,
  LEAVE,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (HirScriptText, hir_script_text, GTK_TYPE_WIDGET)

static void
mark_line (HirScriptText *self, guint line, HirMark mark)
{
  if (line > 0)
    hir_code_view_mark (HIR_CODE_VIEW (self->text), (int) line - 1, (int) line - 1, mark);
}

static gboolean
is_typing (HirScriptText *self)
{
  return gtk_text_view_get_editable (self->text) && gtk_widget_has_focus (GTK_WIDGET (self->text));
}

/* Scrolls to @iter at once, to the same place as gtk_text_view_scroll_to_mark(), which would then
 * start an animation: the text that was displayed before has nothing to do with the new one. */
static void
jump_to (HirScriptText *self, const GtkTextIter *iter)
{
  GtkAdjustment *adjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (self->text));
  GdkRectangle line, visible;
  int height, y;

  gtk_text_view_get_iter_location (self->text, iter, &line);
  gtk_text_view_get_visible_rect (self->text, &visible);
  height = visible.height - 2 * (int) (visible.height * MARGIN);
  y = (int) (line.y + line.height * ALIGNMENT - height * ALIGNMENT);
  gtk_adjustment_set_value (adjustment, gtk_adjustment_get_value (adjustment) + y - visible.y);
}

static gboolean
scroll_now (gpointer user_data)
{
  HirScriptText *self = user_data;
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  GtkTextIter iter;

  self->scroll = 0;
  /* GTK would forget the scrolling when it allocates the view for the first time. */
  if (gtk_widget_get_mapped (GTK_WIDGET (self->text)) &&
      gtk_widget_get_height (GTK_WIDGET (self->text)) == 0 && ++self->n_attempts < MAX_ATTEMPTS)
    {
      self->scroll = g_timeout_add_full (G_PRIORITY_LOW, ALLOCATION_MS, scroll_now, self, NULL);
      return G_SOURCE_REMOVE;
    }
  /* If the user has started to type, do not move the cursor, nor scroll to another line. */
  if (is_typing (self))
    {
      gtk_text_buffer_get_iter_at_mark (buffer, &iter, gtk_text_buffer_get_insert (buffer));
      if (gtk_text_iter_get_line (&iter) + 1 == (int) self->scroll_line)
        gtk_text_view_scroll_to_mark (self->text, gtk_text_buffer_get_insert (buffer), MARGIN,
                                      FALSE, 0, 0);
      return G_SOURCE_REMOVE;
    }
  gtk_text_buffer_get_iter_at_line (buffer, &iter, (int) self->scroll_line - 1);
  gtk_text_buffer_place_cursor (buffer, &iter);
  if (self->scroll_aligned)
    jump_to (self, &iter);
  gtk_text_view_scroll_to_mark (self->text, gtk_text_buffer_get_insert (buffer), MARGIN,
                                self->scroll_aligned, 0, ALIGNMENT);
  return G_SOURCE_REMOVE;
}

/* Scrolls after all lines are measured, because positions are estimates before. Only the last call
 * has an effect. @aligned: scroll @line near the top even if it is visible. */
static void
scroll_to_line (HirScriptText *self, guint line, gboolean aligned)
{
  self->scroll_line = line;
  self->scroll_aligned = aligned;
  self->n_attempts = 0;
  if (self->scroll == 0)
    self->scroll = g_idle_add_full (G_PRIORITY_LOW, scroll_now, self, NULL);
}

static guint line_of_program (HirScriptText *self, guint line, gboolean to_program);

static void
sync_node (HirScriptText *self)
{
  HirPos pos = hir_selection_get_script_pos (self->selection);
  guint line = pos.line > 0 ? line_of_program (self, pos.line, FALSE) : 0;

  hir_code_view_unmark (HIR_CODE_VIEW (self->text), HIR_MARK_SELECTED);
  if (line == 0)
    return;
  mark_line (self, line, HIR_MARK_SELECTED);
  /* Do not scroll while the user types. */
  if (!is_typing (self))
    scroll_to_line (self, line, FALSE);
}

/* Returns the line of @function, or 0 if the function is not found. */
static guint
find_function (HirSource *source, const char *function)
{
  g_autofree char *escaped = NULL;
  g_autofree char *pattern = NULL;
  g_autoptr (GRegex) regex = NULL;
  g_autoptr (GMatchInfo) match = NULL;
  guint line = 1;
  int start;

  if (source == NULL || function == NULL)
    return 0;
  escaped = g_regex_escape_string (function, -1);
  pattern = g_strdup_printf ("^[ \\t]*(async[ \\t]+)?(def|class)[ \\t]+%s\\b", escaped);
  regex = g_regex_new (pattern, G_REGEX_MULTILINE, 0, NULL);
  if (regex == NULL || !g_regex_match (regex, source->text, 0, &match))
    return 0;
  g_match_info_fetch_pos (match, 0, &start, NULL);
  for (int i = 0; i < start; i++)
    line += source->text[i] == '\n';
  return line;
}

/* Scrolls to @function if the script or the function is a new one. */
static void
go_to_function (HirScriptText *self, const char *path, const char *function)
{
  guint line = find_function (self->source, function);

  if (g_strcmp0 (path, self->path) == 0 && g_strcmp0 (function, self->function) == 0)
    return;
  g_free (self->path);
  g_free (self->function);
  self->path = g_strdup (path);
  self->function = g_strdup (function);
  scroll_to_line (self, MAX (line, 1), TRUE);
}

/* Searching for all languages takes about 10 ms the first time, and reading one takes 20 ms. */
static gboolean
advance_language (gpointer user_data)
{
  HirScriptText *self = user_data;

  if (self->language == NULL)
    {
      self->language = hir_code_style_get_language (self->language_id);
      if (self->language != NULL)
        return G_SOURCE_CONTINUE;
    }
  self->coloring = 0;
  gtk_source_buffer_set_language (self->buffer, self->language);
  return G_SOURCE_REMOVE;
}

/* Sets the language in several idle callbacks, so that input is handled in between. */
static void
set_language (HirScriptText *self, const char *path, int priority)
{
  gboolean is_script = path == NULL || g_str_has_suffix (path, ".py");
  const char *id = is_script ? "hirscope-script" : "hirscope-host-ir";

  if (g_strcmp0 (self->language_id, id) == 0)
    return;
  self->language_id = id;
  self->language = NULL;
  g_clear_handle_id (&self->coloring, g_source_remove);
  self->coloring = g_idle_add_full (priority, advance_language, self, NULL);
}

void
hir_script_text_set_source (HirScriptText *self,
                            HirSource *source,
                            const char *function,
                            GPtrArray *diagnostics)
{
  const HirDiagnostic *first =
      diagnostics != NULL && diagnostics->len > 0 ? diagnostics->pdata[0] : NULL;

  /* The text in the view is newer and will be lowered soon. */
  if (self->debounce != 0)
    return;
  if (source != NULL)
    hir_source_ref (source);
  g_clear_pointer (&self->source, hir_source_unref);
  self->source = source;
  self->is_replacing = TRUE;
  hir_buffer_set_text (GTK_TEXT_BUFFER (self->buffer), source != NULL ? source->text : "");
  self->is_replacing = FALSE;
  set_language (self, source != NULL ? source->path : NULL, G_PRIORITY_HIGH_IDLE + 10);
  go_to_function (self, source != NULL ? source->path : NULL, function);
  hir_script_errors_show (self->errors, diagnostics);
  /* The last lines can be scrolled above the errors at the lower edge. */
  gtk_text_view_set_bottom_margin (self->text,
                                   MAX (hir_script_errors_get_bottom_height (self->errors),
                                        BOTTOM_MARGIN));
  if (first != NULL && first->pos.line > 0 && !is_typing (self))
    scroll_to_line (self, first->pos.line, TRUE);
  sync_node (self);
}

static gboolean
emit_pending (gpointer user_data)
{
  HirScriptText *self = user_data;
  g_autofree char *text = hir_buffer_dup_text (GTK_TEXT_BUFFER (self->buffer));

  self->debounce = 0;
  if (self->source == NULL || !g_str_equal (text, self->source->text))
    g_signal_emit (self, signals[CHANGED], 0, text);
  return G_SOURCE_REMOVE;
}

void
hir_script_text_flush (HirScriptText *self)
{
  if (self->debounce == 0)
    return;
  g_clear_handle_id (&self->debounce, g_source_remove);
  emit_pending (self);
}

static void
on_changed (HirScriptText *self)
{
  if (self->is_replacing || self->source == NULL)
    return;
  g_clear_handle_id (&self->debounce, g_source_remove);
  self->debounce = g_timeout_add (DEBOUNCE_MS, emit_pending, self);
}

static gboolean
on_escape (GtkWidget *text, GVariant *arguments, gpointer user_data)
{
  HirScriptText *self = user_data;

  if (!hir_script_text_get_editable (self))
    return FALSE;
  g_signal_emit (self, signals[LEAVE], 0);
  return TRUE;
}

/* Only a focused text: GTK 4.8 does not stop the blinking of another one, and then aborts. */
static void
sync_cursor (HirScriptText *self)
{
  if (gtk_widget_has_focus (GTK_WIDGET (self->text)))
    gtk_text_view_set_cursor_visible (self->text, gtk_text_view_get_editable (self->text));
}

void
hir_script_text_set_editable (HirScriptText *self, gboolean editable)
{
  gtk_text_view_set_editable (self->text, editable);
  sync_cursor (self);
  gtk_text_view_set_accepts_tab (self->text, editable);
  if (!editable)
    hir_script_text_flush (self);
}

gboolean
hir_script_text_get_editable (HirScriptText *self)
{
  return gtk_text_view_get_editable (self->text);
}

/* Maps a line between the text and the displayed program. They differ while the text has errors,
 * because the program then belongs to an earlier text. */
static guint
line_of_program (HirScriptText *self, guint line, gboolean to_program)
{
  HirProgram *program = hir_selection_get_program (self->selection);
  const char *theirs, *ours;

  if (program == NULL || program->request == NULL || self->source == NULL)
    return line;
  theirs = program->request->source->text;
  ours = self->source->text;
  return to_program ? hir_text_map_line (ours, theirs, line)
                    : hir_text_map_line (theirs, ours, line);
}

static gboolean
is_blank (const GtkTextIter *at)
{
  GtkTextIter start = *at, end = *at;
  g_autofree char *text = NULL;

  gtk_text_iter_set_line_offset (&start, 0);
  if (!gtk_text_iter_ends_line (&end))
    gtk_text_iter_forward_to_line_end (&end);
  text = g_strstrip (gtk_text_iter_get_text (&start, &end));
  return *text == '\0' || *text == '#';
}

/* A click on a line selects all that it caused. */
static void
on_released (GtkGestureClick *gesture, int n_press, double x, double y, gpointer user_data)
{
  HirScriptText *self = user_data;
  GtkTextIter iter;
  int bx, by;
  guint line;
  g_autofree char *link = NULL;

  if (gtk_text_buffer_get_has_selection (GTK_TEXT_BUFFER (self->buffer)))
    return;
  gtk_text_view_window_to_buffer_coords (self->text, GTK_TEXT_WINDOW_WIDGET, (int) x, (int) y, &bx,
                                         &by);
  gtk_text_view_get_iter_at_location (self->text, &iter, bx, by);
  line = line_of_program (self, (guint) gtk_text_iter_get_line (&iter) + 1, TRUE);
  link = g_strdup_printf ("line/%u", line);
  /* The link says so if the line caused nothing, but not to somebody who edits. */
  if (!hir_selection_set_line (self->selection, line) && !is_blank (&iter) &&
      !gtk_text_view_get_editable (self->text))
    gtk_widget_activate_action (GTK_WIDGET (self), "win.link", "s", link);
}

static void
hir_script_text_dispose (GObject *object)
{
  HirScriptText *self = HIR_SCRIPT_TEXT (object);

  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  g_clear_object (&self->selection);
  g_clear_handle_id (&self->scroll, g_source_remove);
  g_clear_handle_id (&self->coloring, g_source_remove);
  g_clear_handle_id (&self->debounce, g_source_remove);
  g_clear_pointer (&self->path, g_free);
  g_clear_pointer (&self->function, g_free);
  g_clear_pointer (&self->source, hir_source_unref);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS (hir_script_text_parent_class)->dispose (object);
}

static void
hir_script_text_class_init (HirScriptTextClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_script_text_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  signals[CHANGED] = g_signal_new ("changed", HIR_TYPE_SCRIPT_TEXT, G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[LEAVE] = g_signal_new ("leave", HIR_TYPE_SCRIPT_TEXT, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                 NULL, G_TYPE_NONE, 0);
}

static void
add_keys (HirScriptText *self)
{
  GtkEventController *controller = gtk_shortcut_controller_new ();
  GtkShortcutController *shortcuts = GTK_SHORTCUT_CONTROLLER (controller);

  gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_CAPTURE);
  gtk_shortcut_controller_add_shortcut (shortcuts,
                                        gtk_shortcut_new (gtk_shortcut_trigger_parse_string (
                                                              "Escape"),
                                                          gtk_callback_action_new (on_escape, self,
                                                                                   NULL)));
  gtk_widget_add_controller (GTK_WIDGET (self->text), controller);
  /* The history of the window also contains changes of passes and options. */
  hir_undo_keys_add (GTK_WIDGET (self->text), GTK_PHASE_CAPTURE);
}

static void
hir_script_text_init (HirScriptText *self)
{
  GtkGesture *click = gtk_gesture_click_new ();
  GtkWidget *scroller = hir_scroller_new ();

  self->buffer = gtk_source_buffer_new (NULL);
  self->text = GTK_TEXT_VIEW (hir_code_style_create_view (self->buffer));
  gtk_text_buffer_set_enable_undo (GTK_TEXT_BUFFER (self->buffer), FALSE);
  g_signal_connect_swapped (self->buffer, "changed", G_CALLBACK (on_changed), self);
  g_signal_connect_swapped (self->text, "notify::has-focus", G_CALLBACK (sync_cursor), self);
  gtk_source_view_set_auto_indent (GTK_SOURCE_VIEW (self->text), TRUE);
  gtk_source_view_set_indent_width (GTK_SOURCE_VIEW (self->text), 4);
  gtk_source_view_set_tab_width (GTK_SOURCE_VIEW (self->text), 4);
  gtk_source_view_set_insert_spaces_instead_of_tabs (GTK_SOURCE_VIEW (self->text), TRUE);
  gtk_source_view_set_smart_backspace (GTK_SOURCE_VIEW (self->text), TRUE);
  /* Home goes to the first letter: a new line at the left edge would not be indented. */
  gtk_source_view_set_smart_home_end (GTK_SOURCE_VIEW (self->text),
                                      GTK_SOURCE_SMART_HOME_END_BEFORE);
  add_keys (self);
  gtk_source_view_set_show_line_numbers (GTK_SOURCE_VIEW (self->text), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->text), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Script", -1);
  g_signal_connect (click, "released", G_CALLBACK (on_released), self);
  gtk_widget_add_controller (GTK_WIDGET (self->text), GTK_EVENT_CONTROLLER (click));
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (self->text));
  gtk_widget_set_vexpand (scroller, TRUE);

  self->box = gtk_overlay_new ();
  gtk_overlay_set_child (GTK_OVERLAY (self->box), scroller);
  self->errors = hir_script_errors_new (GTK_OVERLAY (self->box), GTK_SCROLLED_WINDOW (scroller),
                                        HIR_CODE_VIEW (self->text));
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  /* Reads the usual language while the gallery is displayed, so that opening does not wait for it.
   */
  set_language (self, NULL, G_PRIORITY_LOW);
}

void
hir_script_text_go_to (HirScriptText *self, guint line)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  GtkTextIter iter;

  gtk_text_buffer_get_iter_at_line (buffer, &iter, (int) MAX (line, 1) - 1);
  gtk_text_buffer_place_cursor (buffer, &iter);
  gtk_text_view_scroll_to_mark (self->text, gtk_text_buffer_get_insert (buffer), MARGIN, FALSE, 0,
                                0);
  /* Again after an edit, which replaces the text later. */
  scroll_to_line (self, line, FALSE);
}

GtkTextView *
hir_script_text_get_text_view (HirScriptText *self)
{
  return self->text;
}

GtkWidget *
hir_script_text_new (HirSelection *selection)
{
  HirScriptText *self = g_object_new (HIR_TYPE_SCRIPT_TEXT, NULL);

  self->selection = g_object_ref (selection);
  g_signal_connect_swapped (selection, "node-changed", G_CALLBACK (sync_node), self);
  return GTK_WIDGET (self);
}
