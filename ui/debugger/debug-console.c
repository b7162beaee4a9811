#include "debugger/debug-console.h"

#include "base/control-words.h"
#include "config.h"

#include <string.h>

/* Older output is removed. */
#define MAX_OUTPUT_CHARS 200000
#define MAX_LINES 500

struct _HirDebugConsole
{
  GtkWidget parent_instance;

  GtkWidget *box;
  GtkTextView *output;
  GtkEditable *line;
  GPtrArray *lines; /* char *: command history */
  guint at;         /* displayed entry of the history; lines->len if none */
  char *typed;      /* nullable: text typed before the history was opened */
};

G_DEFINE_FINAL_TYPE (HirDebugConsole, hir_debug_console, GTK_TYPE_WIDGET)

/* Returns whether the line is part of a table, for example "     3:  0.5  0.25" or "-0.7 |# ##|
 * 0.6". */
static gboolean
is_table (const char *line)
{
  const char *digits = line + strspn (line, " ");
  const char *colon = digits + strspn (digits, "0123456789");

  return (digits > line && colon > digits && *colon == ':') ||
         (strchr (line, '|') != NULL && strchr (line, '|') != strrchr (line, '|'));
}

/* Inserts text; sentences wrap, rows of tables do not. */
static void
insert (GtkTextBuffer *buffer, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  GtkTextIter end;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      gtk_text_buffer_get_end_iter (buffer, &end);
      gtk_text_buffer_insert_with_tags_by_name (buffer, &end, lines[i], -1,
                                                is_table (lines[i]) ? "table" : NULL, NULL);
      gtk_text_buffer_get_end_iter (buffer, &end);
      if (lines[i + 1] != NULL)
        gtk_text_buffer_insert (buffer, &end, "\n", 1);
    }
}

static void
append (HirDebugConsole *self, const char *text)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->output);
  GtkTextIter start, end;

  insert (buffer, text);
  if (gtk_text_buffer_get_char_count (buffer) > MAX_OUTPUT_CHARS)
    {
      gtk_text_buffer_get_start_iter (buffer, &start);
      gtk_text_buffer_get_iter_at_offset (buffer, &end, MAX_OUTPUT_CHARS / 4);
      gtk_text_buffer_delete (buffer, &start, &end);
    }
  gtk_text_buffer_get_end_iter (buffer, &end);
  gtk_text_buffer_place_cursor (buffer, &end);
  gtk_text_view_scroll_to_mark (self->output, gtk_text_buffer_get_insert (buffer), 0, TRUE, 0, 1);
}

void
hir_debug_console_add_answer (HirDebugConsole *self,
                              const char *line,
                              const char *text,
                              const char *error)
{
  g_autofree char *words = hir_control_words_dup (text);
  g_autofree char *answer =
      g_strdup_printf ("> %s\n%s%s%s%s", line, words, error != NULL ? "error: " : "",
                       error != NULL ? error : "", error != NULL ? "\n" : "");

  append (self, answer);
}

/* Returns the text before the cursor. */
static char *
dup_before (HirDebugConsole *self)
{
  return gtk_editable_get_chars (self->line, 0, gtk_editable_get_position (self->line));
}

/* Returns the length of the common prefix of @words, ignoring case. */
static gsize
get_shared (char *const *words)
{
  gsize n = strlen (words[0]);

  for (guint i = 1; words[i] != NULL; i++)
    for (gsize k = 0; k < n; k++)
      if (g_ascii_tolower (words[i][k]) != g_ascii_tolower (words[0][k]))
        n = k;
  return n;
}

void
hir_debug_console_complete (HirDebugConsole *self, const char *line, const char *words)
{
  g_autofree char *before = dup_before (self);
  g_auto (GStrv) all = NULL;
  const char *space = strrchr (line, ' ');
  const char *start = space != NULL ? space + 1 : line;
  int at = gtk_editable_get_position (self->line);
  g_autofree char *stem = g_strchomp (g_strdup (words));
  g_autofree char *insertion = NULL;
  gsize n;

  if (*stem == '\0' || g_strcmp0 (before, line) != 0)
    return;
  all = g_strsplit (stem, "\n", -1);
  n = get_shared (all);
  insertion = g_strdup_printf ("%.*s%s", (int) n, all[0], all[1] == NULL ? " " : "");
  if (n >= strlen (start))
    {
      gtk_editable_delete_text (self->line, at - (int) g_utf8_strlen (start, -1), at);
      at -= (int) g_utf8_strlen (start, -1);
      gtk_editable_insert_text (self->line, insertion, -1, &at);
      gtk_editable_set_position (self->line, at);
    }
  if (all[1] != NULL && n <= strlen (start))
    {
      g_autofree char *list = g_strjoinv ("  ", all);
      g_autofree char *shown = g_strdup_printf ("%s\n", list);

      append (self, shown);
    }
}

#if HIR_TESTING
char *
hir_debug_console_dup_said (HirDebugConsole *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->output);
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  return gtk_text_buffer_get_text (buffer, &start, &end, TRUE);
}
#endif

static void
on_line (HirDebugConsole *self)
{
  g_autofree char *line = g_strdup (gtk_editable_get_text (self->line));
  const char *last = self->lines->len > 0 ? self->lines->pdata[self->lines->len - 1] : NULL;

  gtk_editable_set_text (self->line, "");
  if (*line != '\0' && g_strcmp0 (line, last) != 0)
    g_ptr_array_add (self->lines, g_strdup (line));
  if (self->lines->len > MAX_LINES)
    g_ptr_array_remove_index (self->lines, 0);
  self->at = self->lines->len;
  gtk_widget_activate_action (GTK_WIDGET (self), "win.debug-line", "s", line);
}

/* Moves through the history. The unfinished text is restored after the last entry. */
static void
go (HirDebugConsole *self, int by)
{
  guint to = (guint) CLAMP ((int) self->at + by, 0, (int) self->lines->len);
  const char *text;

  if (to == self->at)
    return;
  if (self->at == self->lines->len)
    {
      g_free (self->typed);
      self->typed = g_strdup (gtk_editable_get_text (self->line));
    }
  self->at = to;
  text = to < self->lines->len ? self->lines->pdata[to] : self->typed;
  gtk_editable_set_text (self->line, text != NULL ? text : "");
  gtk_editable_set_position (self->line, -1);
}

static gboolean
on_key (GtkEventControllerKey *controller,
        guint key,
        guint code,
        GdkModifierType modifiers,
        gpointer user_data)
{
  HirDebugConsole *self = user_data;
  g_autofree char *before = NULL;

  if ((modifiers & (GDK_SHIFT_MASK | GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0)
    return FALSE;
  if (key == GDK_KEY_Up || key == GDK_KEY_Down)
    {
      go (self, key == GDK_KEY_Up ? -1 : 1);
      return TRUE;
    }
  before = dup_before (self);
  /* Without text to complete, Tab moves the focus. */
  if (key != GDK_KEY_Tab || *before == '\0')
    return FALSE;
  return gtk_widget_activate_action (GTK_WIDGET (self), "win.debug-complete", "s", before);
}

static void
hir_debug_console_dispose (GObject *object)
{
  HirDebugConsole *self = HIR_DEBUG_CONSOLE (object);

  g_clear_pointer (&self->box, gtk_widget_unparent);
  g_clear_pointer (&self->lines, g_ptr_array_unref);
  g_clear_pointer (&self->typed, g_free);
  G_OBJECT_CLASS (hir_debug_console_parent_class)->dispose (object);
}

/* The tooltip would cover the answers while the pointer rests in the entry. */
static void
on_focus (GtkEventControllerFocus *controller, GParamSpec *spec, gpointer user_data)
{
  GtkWidget *entry = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (controller));

  gtk_widget_set_has_tooltip (entry, !gtk_event_controller_focus_contains_focus (controller));
}

static void
hir_debug_console_class_init (HirDebugConsoleClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_debug_console_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
hir_debug_console_init (HirDebugConsole *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkWidget *entry = gtk_entry_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();
  GtkEventController *focus = gtk_event_controller_focus_new ();

  self->lines = g_ptr_array_new_with_free_func (g_free);
  self->line = GTK_EDITABLE (entry);
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), "print T5, info streams, help");
  gtk_widget_set_tooltip_text (entry, "Debugger command, as in hirscope debug; Tab completes, "
                                      "Up and Down recall earlier commands");
  g_signal_connect_swapped (entry, "activate", G_CALLBACK (on_line), self);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (entry, keys);
  g_signal_connect (focus, "notify::contains-focus", G_CALLBACK (on_focus), NULL);
  gtk_widget_add_controller (entry, focus);
  self->output = GTK_TEXT_VIEW (gtk_text_view_new ());
  gtk_text_view_set_editable (self->output, FALSE);
  gtk_text_view_set_monospace (self->output, TRUE);
  gtk_text_view_set_wrap_mode (self->output, GTK_WRAP_WORD_CHAR);
  gtk_text_buffer_create_tag (gtk_text_view_get_buffer (self->output), "table", "wrap-mode",
                              GTK_WRAP_NONE, NULL);
  gtk_text_view_set_right_margin (self->output, 12);
  gtk_text_view_set_top_margin (self->output, 5);
  gtk_widget_add_css_class (GTK_WIDGET (self->output), "debug-said");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->output), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Debugger output", -1);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (self->output));
  gtk_widget_set_vexpand (scroller, TRUE);
  /* The left margin of a text view is scrolled away with the alignment of append(). */
  gtk_widget_set_margin_start (scroller, 8);
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_box_append (GTK_BOX (self->box), scroller);
  gtk_box_append (GTK_BOX (self->box), entry);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
}

GtkWidget *
hir_debug_console_new (void)
{
  return g_object_new (HIR_TYPE_DEBUG_CONSOLE, NULL);
}
