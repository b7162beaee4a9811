#include "script-text.h"

#include <gtksourceview/gtksource.h>

#include "code-style.h"

#define MAX_LISTED 20

struct _HirScriptText
{
  GtkWidget parent_instance;

  HirSelection *selection;
  HirSource *source;
  GtkWidget *box;
  GtkBox *errors;
  GtkTextView *text;
  GtkSourceBuffer *buffer;
};

G_DEFINE_FINAL_TYPE (HirScriptText, hir_script_text, GTK_TYPE_WIDGET)

static void
apply_to_line (HirScriptText *self, guint line, const char *tag)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  GtkTextIter start, end;

  if (line == 0 || (int) line > gtk_text_buffer_get_line_count (buffer))
    return;
  gtk_text_buffer_get_iter_at_line (buffer, &start, (int) line - 1);
  end = start;
  gtk_text_iter_forward_line (&end);
  gtk_text_buffer_apply_tag_by_name (buffer, tag, &start, &end);
}

static void
scroll_to_line (HirScriptText *self, guint line)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  GtkTextIter iter;

  gtk_text_buffer_get_iter_at_line (buffer, &iter, (int) line - 1);
  gtk_text_buffer_place_cursor (buffer, &iter);
  gtk_text_view_scroll_to_mark (self->text, gtk_text_buffer_get_insert (buffer), 0.1, TRUE, 0, 0.25);
}

static void
sync_node (HirScriptText *self)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  HirPos pos = hir_selection_get_script_pos (self->selection);
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  gtk_text_buffer_remove_tag_by_name (buffer, "selected-line", &start, &end);
  if (pos.line == 0)
    return;
  apply_to_line (self, pos.line, "selected-line");
  scroll_to_line (self, pos.line);
}

static void
on_error_clicked (GtkButton *button, gpointer user_data)
{
  HirScriptText *self = user_data;
  guint line = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "line"));

  scroll_to_line (self, MAX (line, 1));
}

static void
add_error (HirScriptText *self, HirPos pos, const char *message)
{
  g_autofree char *text =
      pos.line > 0 ? g_strdup_printf ("%u:%u  %s", pos.line, MAX (pos.column, 1), message)
                   : g_strdup (message);
  GtkWidget *label = gtk_label_new (text);
  GtkWidget *button = gtk_button_new ();

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_button_set_child (GTK_BUTTON (button), label);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, "script-error");
  g_object_set_data (G_OBJECT (button), "line", GUINT_TO_POINTER (pos.line));
  g_signal_connect (button, "clicked", G_CALLBACK (on_error_clicked), self);
  gtk_box_append (self->errors, button);
  apply_to_line (self, pos.line, "error");
}

static void
show (HirScriptText *self, HirSource *source)
{
  GtkWidget *child;

  if (source != NULL)
    hir_source_ref (source);
  g_clear_pointer (&self->source, hir_source_unref);
  self->source = source;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->errors))) != NULL)
    gtk_box_remove (self->errors, child);
  gtk_text_buffer_set_text (GTK_TEXT_BUFFER (self->buffer), source != NULL ? source->text : "", -1);
}

void
hir_script_text_set_source (HirScriptText *self, HirSource *source, GPtrArray *diagnostics)
{
  show (self, source);
  for (guint i = 0; diagnostics != NULL && i < MIN (diagnostics->len, MAX_LISTED); i++)
    {
      const HirDiagnostic *diagnostic = diagnostics->pdata[i];

      add_error (self, diagnostic->pos, diagnostic->message);
      if (i == 0 && diagnostic->pos.line > 0)
        scroll_to_line (self, diagnostic->pos.line);
    }
}

/* Where the function that was opened begins: 0 where it is not found. */
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

static void
rebuild (HirScriptText *self)
{
  HirProgram *program = hir_selection_get_program (self->selection);
  HirPos pos;

  if (program == NULL)
    return;
  /* The trace came, not another script: keep the place. */
  if (program->request == NULL || program->request->source != self->source)
    {
      guint line;

      show (self, program->request != NULL ? program->request->source : NULL);
      line = program->request != NULL ? find_function (self->source, program->request->function) : 0;
      if (line > 0)
        scroll_to_line (self, line);
    }
  if (program->error != NULL && gtk_widget_get_first_child (GTK_WIDGET (self->errors)) == NULL)
    {
      pos = hir_error_get_pos (program->error);
      add_error (self, pos, program->error->message);
      if (pos.line > 0)
        scroll_to_line (self, pos.line);
    }
  sync_node (self);
}

/* A line of the script selects what it defined: the first Expr or tensor of the step on show, else
 * of the fusion. */
static void
on_released (GtkGestureClick *gesture, int n_press, double x, double y, gpointer user_data)
{
  HirScriptText *self = user_data;
  HirProgramView *view = hir_selection_get_view (self->selection);
  GtkTextIter iter;
  guint line;
  int bx, by;

  if (view == NULL || gtk_text_buffer_get_has_selection (GTK_TEXT_BUFFER (self->buffer)))
    return;
  gtk_text_view_window_to_buffer_coords (self->text, GTK_TEXT_WINDOW_WIDGET, (int) x, (int) y, &bx,
                                         &by);
  gtk_text_view_get_iter_at_location (self->text, &iter, bx, by);
  line = (guint) gtk_text_iter_get_line (&iter) + 1;
  for (guint pass = 0; pass < 2; pass++)
    {
      for (guint i = 0; i < view->spans->len; i++)
        {
          const HirSpan *span = &g_array_index (view->spans, HirSpan, i);
          const HirNodeInfo *info = hir_program_view_lookup (view, span->id);

          if (info != NULL && info->is_expr == (pass == 0) && info->pos.line == line)
            {
              hir_selection_set_node (self->selection, info->id);
              return;
            }
        }
    }
}

static void
hir_script_text_dispose (GObject *object)
{
  HirScriptText *self = HIR_SCRIPT_TEXT (object);

  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  g_clear_object (&self->selection);
  g_clear_pointer (&self->source, hir_source_unref);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS (hir_script_text_parent_class)->dispose (object);
}

static void
hir_script_text_class_init (HirScriptTextClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_script_text_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
hir_script_text_init (HirScriptText *self)
{
  GtkGesture *click = gtk_gesture_click_new ();
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkSourceLanguage *python =
      gtk_source_language_manager_get_language (gtk_source_language_manager_get_default (),
                                                "python3");

  self->buffer = gtk_source_buffer_new (NULL);
  self->text = hir_code_style_create_view (self->buffer);
  gtk_source_buffer_set_language (self->buffer, python);
  gtk_source_view_set_show_line_numbers (GTK_SOURCE_VIEW (self->text), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->text), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Script", -1);
  g_signal_connect (click, "released", G_CALLBACK (on_released), self);
  gtk_widget_add_controller (GTK_WIDGET (self->text), GTK_EVENT_CONTROLLER (click));
  hir_code_style_set_scrolled (GTK_SCROLLED_WINDOW (scroller), self->text);
  gtk_widget_set_vexpand (scroller, TRUE);

  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  self->errors = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 0));
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->errors));
  gtk_box_append (GTK_BOX (self->box), scroller);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
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
  g_signal_connect_swapped (selection, "program-changed", G_CALLBACK (rebuild), self);
  g_signal_connect_swapped (selection, "node-changed", G_CALLBACK (sync_node), self);
  rebuild (self);
  return GTK_WIDGET (self);
}
