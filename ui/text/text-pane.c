#include "text/text-pane.h"

#include "config.h"

#include <gtksourceview/gtksource.h>

#include "text/cuda-text.h"
#include "text/diff-text.h"
#include "text/ir-text.h"
#include "text/script-text.h"

#define WRAP_INDENT 32 /* of the rows of a wrapped line after the first one, in pixels */

struct _HirTextPane
{
  GtkWidget parent_instance;

  GtkWidget *box;
  GtkStack *stack;
  GtkToggleButton *edit;
  GtkBox *strip;
  HirScriptText *script;
  HirIrText *ir;
  HirDiffText *diff;
  HirCudaText *cuda;
  GtkSearchBar *search_bar;
  GtkEditable *search_entry;
  GtkLabel *search_count;
  GtkSourceSearchSettings *search_settings;
  GtkSourceSearchContext *search_context;
};

G_DEFINE_FINAL_TYPE (HirTextPane, hir_text_pane, GTK_TYPE_WIDGET)

GtkTextView *
hir_text_pane_get_text_view (HirTextPane *self)
{
  GtkWidget *child = gtk_stack_get_visible_child (self->stack);

  if (child == GTK_WIDGET (self->script))
    return hir_script_text_get_text_view (self->script);
  if (child == GTK_WIDGET (self->diff))
    return hir_diff_text_get_text_view (self->diff);
  if (child == GTK_WIDGET (self->cuda))
    return hir_cuda_text_get_text_view (self->cuda);
  return hir_ir_text_get_text_view (self->ir);
}

/* Shows the index of the selected match, such as "2 of 5". */
static void
show_count (HirTextPane *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (hir_text_pane_get_text_view (self));
  int n = self->search_context != NULL
              ? gtk_source_search_context_get_occurrences_count (self->search_context)
              : 0;
  int position = 0;
  GtkTextIter start, end;
  g_autofree char *text = NULL;

  if (self->search_context != NULL && gtk_text_buffer_get_selection_bounds (buffer, &start, &end))
    position =
        gtk_source_search_context_get_occurrence_position (self->search_context, &start, &end);
  if (*gtk_editable_get_text (self->search_entry) == '\0' || n < 0)
    text = g_strdup ("");
  else if (n == 0)
    text = g_strdup ("none");
  else
    text = position > 0 ? g_strdup_printf ("%d of %d", position, n) : g_strdup_printf ("%d", n);
  gtk_label_set_text (self->search_count, text);
}

/* Searches in the displayed page. */
static void
renew_context (HirTextPane *self)
{
  GtkTextView *view = hir_text_pane_get_text_view (self);

  g_clear_object (&self->search_context);
  self->search_context =
      gtk_source_search_context_new (GTK_SOURCE_BUFFER (gtk_text_view_get_buffer (view)),
                                     self->search_settings);
  gtk_source_search_context_set_highlight (self->search_context,
                                           gtk_search_bar_get_search_mode (self->search_bar));
  g_signal_connect_object (self->search_context, "notify::occurrences-count",
                           G_CALLBACK (show_count), self, G_CONNECT_SWAPPED);
}

/* Unfolds regions with matches, because the search skips hidden text. Returns FALSE if nothing was
 * folded. */
static gboolean
open_folds (HirTextPane *self)
{
  return gtk_stack_get_visible_child (self->stack) == GTK_WIDGET (self->ir) &&
         hir_ir_text_reveal_words (self->ir, gtk_editable_get_text (self->search_entry));
}

static void
find (HirTextPane *self, gboolean forward)
{
  GtkTextView *view = hir_text_pane_get_text_view (self);
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (view);
  GtkTextIter from, start, end;
  gboolean found;

  if (open_folds (self) || self->search_context == NULL)
    renew_context (self);
  gtk_text_buffer_get_selection_bounds (buffer, &start, &end);
  from = forward ? end : start;
  found =
      forward
          ? gtk_source_search_context_forward (self->search_context, &from, &start, &end, NULL)
          : gtk_source_search_context_backward (self->search_context, &from, &start, &end, NULL);
  if (!found)
    {
      show_count (self);
      return;
    }
  gtk_text_buffer_select_range (buffer, &start, &end);
  gtk_text_view_scroll_to_mark (view, gtk_text_buffer_get_insert (buffer), 0.1, FALSE, 0, 0);
  show_count (self);
}

static void
find_next (HirTextPane *self)
{
  find (self, TRUE);
}

static void
find_previous (HirTextPane *self)
{
  find (self, FALSE);
}

static gboolean
on_shift_enter (GtkWidget *entry, GVariant *arguments, gpointer user_data)
{
  find_previous (user_data);
  return TRUE;
}

/* A search finds abbreviated text, too. */
static void
show_hidden (HirTextPane *self)
{
  hir_ir_text_set_searching (self->ir, gtk_search_bar_get_search_mode (self->search_bar) &&
                                           *gtk_editable_get_text (self->search_entry) != '\0');
}

/* Searches from the cursor, or from the present match while the word grows. */
static void
on_search_changed (HirTextPane *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (hir_text_pane_get_text_view (self));
  GtkTextIter start, end;

  gtk_source_search_settings_set_search_text (self->search_settings,
                                              gtk_editable_get_text (self->search_entry));
  show_hidden (self);
  renew_context (self);
  if (*gtk_editable_get_text (self->search_entry) == '\0')
    return;
  gtk_text_buffer_get_selection_bounds (buffer, &start, &end);
  gtk_text_buffer_place_cursor (buffer, &start);
  find (self, TRUE);
}

static void
on_page_changed (HirTextPane *self)
{
  if (gtk_search_bar_get_search_mode (self->search_bar))
    renew_context (self);
}

static void
on_search_mode (HirTextPane *self)
{
  show_hidden (self);
  renew_context (self);
}

/* Escape closes the search; the next keys are for the text, where the cursor is at the match. */
static void
on_stop_search (HirTextPane *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (hir_text_pane_get_text_view (self)));
}

static void
add_shift_enter (HirTextPane *self, GtkWidget *entry)
{
  GtkEventController *keys = gtk_shortcut_controller_new ();

  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (keys),
                                        gtk_shortcut_new (gtk_shortcut_trigger_parse_string (
                                                              "<Shift>Return|<Shift>KP_Enter"),
                                                          gtk_callback_action_new (on_shift_enter,
                                                                                   self, NULL)));
  gtk_widget_add_controller (entry, keys);
}

static GtkWidget *
create_search_bar (HirTextPane *self)
{
  GtkWidget *bar = gtk_search_bar_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *entry = gtk_search_entry_new ();
  GtkWidget *count = gtk_label_new ("");
  GtkWidget *up = gtk_button_new_from_icon_name ("go-up-symbolic");
  GtkWidget *down = gtk_button_new_from_icon_name ("go-down-symbolic");

  self->search_bar = GTK_SEARCH_BAR (bar);
  self->search_entry = GTK_EDITABLE (entry);
  self->search_count = GTK_LABEL (count);
  gtk_widget_set_hexpand (entry, TRUE);
  gtk_widget_set_tooltip_text (up, "Previous match (Shift+Enter)");
  gtk_widget_set_tooltip_text (down, "Next match (Enter)");
  gtk_widget_add_css_class (count, "dim-label");
  gtk_box_append (GTK_BOX (box), entry);
  gtk_box_append (GTK_BOX (box), count);
  gtk_box_append (GTK_BOX (box), up);
  gtk_box_append (GTK_BOX (box), down);
  gtk_search_bar_set_child (self->search_bar, box);
  gtk_search_bar_connect_entry (self->search_bar, self->search_entry);
  g_signal_connect_swapped (entry, "search-changed", G_CALLBACK (on_search_changed), self);
  g_signal_connect_swapped (entry, "activate", G_CALLBACK (find_next), self);
  g_signal_connect_swapped (entry, "next-match", G_CALLBACK (find_next), self);
  g_signal_connect_swapped (entry, "previous-match", G_CALLBACK (find_previous), self);
  g_signal_connect_swapped (entry, "stop-search", G_CALLBACK (on_stop_search), self);
  add_shift_enter (self, entry);
  g_signal_connect_swapped (up, "clicked", G_CALLBACK (find_previous), self);
  g_signal_connect_swapped (down, "clicked", G_CALLBACK (find_next), self);
  g_signal_connect_swapped (bar, "notify::search-mode-enabled", G_CALLBACK (on_search_mode), self);
  return bar;
}

/* hir_text_pane_set_editing() sets the state of the button. */
static void
on_edit_clicked (GtkToggleButton *button)
{
  gtk_widget_activate_action (GTK_WIDGET (button), "win.edit", NULL);
}

static GtkWidget *
create_edit_button (HirTextPane *self)
{
  GtkWidget *button = gtk_toggle_button_new_with_label ("Edit");

  self->edit = GTK_TOGGLE_BUTTON (button);
  /* In a narrow pane with large text, the tabs need the space. */
  gtk_label_set_ellipsize (GTK_LABEL (gtk_button_get_child (GTK_BUTTON (button))),
                           PANGO_ELLIPSIZE_END);
  gtk_widget_set_focus_on_click (button, FALSE);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  g_signal_connect (button, "clicked", G_CALLBACK (on_edit_clicked), NULL);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (
      button, "Edit the script; the program is lowered as you type (F2, Escape to "
              "finish). On the tab Program: edit a copy of the host program in a new window");
  return button;
}

static void
hir_text_pane_dispose (GObject *object)
{
  HirTextPane *self = HIR_TEXT_PANE (object);

  g_clear_object (&self->search_context);
  g_clear_object (&self->search_settings);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS (hir_text_pane_parent_class)->dispose (object);
}

static void
hir_text_pane_class_init (HirTextPaneClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_text_pane_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
hir_text_pane_init (HirTextPane *self)
{
  self->search_settings = gtk_source_search_settings_new ();
  gtk_source_search_settings_set_wrap_around (self->search_settings, TRUE);
}

GtkWidget *
hir_text_pane_new (HirSelection *selection)
{
  HirTextPane *self = g_object_new (HIR_TYPE_TEXT_PANE, NULL);
  GtkWidget *switcher = gtk_stack_switcher_new ();
  GtkWidget *tabs = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 2);
  GtkWidget *search_bar;

  self->stack = GTK_STACK (gtk_stack_new ());
  self->script = HIR_SCRIPT_TEXT (hir_script_text_new (selection));
  self->ir = HIR_IR_TEXT (hir_ir_text_new (selection));
  self->diff = HIR_DIFF_TEXT (hir_diff_text_new (selection));
  self->cuda = HIR_CUDA_TEXT (hir_cuda_text_new (selection));
  gtk_stack_add_titled (self->stack, GTK_WIDGET (self->script), "script", "Script");
  gtk_stack_add_titled (self->stack, GTK_WIDGET (self->ir), "ir", "Program");
  gtk_stack_add_titled (self->stack, GTK_WIDGET (self->diff), "diff", "Diff");
  gtk_stack_add_titled (self->stack, GTK_WIDGET (self->cuda), "cuda", "CUDA");
  gtk_widget_set_vexpand (GTK_WIDGET (self->stack), TRUE);
  gtk_stack_switcher_set_stack (GTK_STACK_SWITCHER (switcher), self->stack);
  gtk_widget_add_css_class (tabs, "tabs");
  gtk_widget_add_css_class (tabs, "text-tabs");
  gtk_widget_set_hexpand (switcher, TRUE);
  gtk_widget_set_halign (switcher, GTK_ALIGN_START);
  gtk_box_append (GTK_BOX (tabs), switcher);
  gtk_box_append (GTK_BOX (tabs), create_edit_button (self));
  search_bar = create_search_bar (self);
  g_signal_connect_swapped (self->stack, "notify::visible-child", G_CALLBACK (on_page_changed),
                            self);

  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_box_append (GTK_BOX (self->box), tabs);
  self->strip = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 0));
  gtk_box_append (GTK_BOX (self->box), search_bar);
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->stack));
  /* Below, so that the text does not move while the user types. */
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->strip));
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  return GTK_WIDGET (self);
}

void
hir_text_pane_set_source (HirTextPane *self,
                          HirSource *source,
                          const char *function,
                          GPtrArray *diagnostics)
{
  gboolean is_script = source == NULL || g_str_has_suffix (source->path, ".py");

  hir_script_text_set_source (self->script, source, function, diagnostics);
  gtk_stack_page_set_title (gtk_stack_get_page (self->stack, GTK_WIDGET (self->script)),
                            is_script ? "Script" : "Printed");
}

void
hir_text_pane_set_wraps (HirTextPane *self, gboolean wraps)
{
  GtkTextView *views[] = { hir_script_text_get_text_view (self->script),
                           hir_ir_text_get_text_view (self->ir),
                           hir_cuda_text_get_text_view (self->cuda) };

  for (guint i = 0; i < G_N_ELEMENTS (views); i++)
    {
      gtk_text_view_set_wrap_mode (views[i], wraps ? GTK_WRAP_WORD_CHAR : GTK_WRAP_NONE);
      gtk_text_view_set_indent (views[i], wraps ? -WRAP_INDENT : 0);
    }
}

void
hir_text_pane_set_abbreviates (HirTextPane *self, gboolean abbreviates)
{
  hir_ir_text_set_abbreviates (self->ir, abbreviates);
}

GtkBox *
hir_text_pane_get_strip (HirTextPane *self)
{
  return self->strip;
}

HirScriptText *
hir_text_pane_get_script (HirTextPane *self)
{
  return self->script;
}

void
hir_text_pane_set_editing (HirTextPane *self, gboolean editing)
{
  hir_script_text_set_editable (self->script, editing);
  gtk_toggle_button_set_active (self->edit, editing);
  if (!editing)
    return;
  hir_text_pane_show (self, "script");
  gtk_widget_grab_focus (GTK_WIDGET (hir_script_text_get_text_view (self->script)));
}

gboolean
hir_text_pane_get_editing (HirTextPane *self)
{
  return hir_script_text_get_editable (self->script);
}

void
hir_text_pane_show (HirTextPane *self, const char *page)
{
  /* Otherwise, GTK would move the focus to the first button of the new page. */
  gboolean had_focus = gtk_widget_get_focus_child (GTK_WIDGET (self->stack)) != NULL;

  gtk_stack_set_visible_child_name (self->stack, page);
  if (had_focus)
    gtk_widget_grab_focus (GTK_WIDGET (hir_text_pane_get_text_view (self)));
}

void
hir_text_pane_go_to (HirTextPane *self, guint line)
{
  hir_text_pane_show (self, "script");
  hir_script_text_go_to (self->script, line);
}

const char *
hir_text_pane_get_page (HirTextPane *self)
{
  return gtk_stack_get_visible_child_name (self->stack);
}

gboolean
hir_text_pane_fold (HirTextPane *self)
{
  hir_text_pane_show (self, "ir");
  return hir_ir_text_fold (self->ir);
}

GArray *
hir_text_pane_dup_folded (HirTextPane *self, const HirProgramView *view)
{
  return hir_ir_text_dup_folded (self->ir, view);
}

void
hir_text_pane_unfold_all (HirTextPane *self)
{
  hir_text_pane_show (self, "ir");
  hir_ir_text_unfold_all (self->ir);
}

void
hir_text_pane_find (HirTextPane *self)
{
  gtk_search_bar_set_search_mode (self->search_bar, TRUE);
  gtk_widget_grab_focus (GTK_WIDGET (self->search_entry));
}

#if HIR_TESTING
const char *
hir_text_pane_get_search_count (HirTextPane *self)
{
  return gtk_search_bar_get_search_mode (self->search_bar) ? gtk_label_get_text (self->search_count)
                                                           : NULL;
}
#endif

void
hir_text_pane_toggle_sides (HirTextPane *self)
{
  hir_diff_text_set_sides (self->diff, !hir_diff_text_get_sides (self->diff));
}

#if HIR_TESTING
gboolean
hir_text_pane_get_sides (HirTextPane *self)
{
  return hir_diff_text_get_sides (self->diff);
}
#endif

void
hir_text_pane_go_difference (HirTextPane *self, gboolean forward)
{
  hir_diff_text_go (self->diff, forward);
}

#if HIR_TESTING
const char *
hir_text_pane_get_summary (HirTextPane *self)
{
  return hir_diff_text_get_summary (self->diff);
}
#endif

HirCudaText *
hir_text_pane_get_cuda (HirTextPane *self)
{
  return self->cuda;
}
