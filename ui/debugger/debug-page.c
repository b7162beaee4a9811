#include "debugger/debug-page.h"

#include "base/links.h"
#include "base/names.h"
#include "config.h"
#include "debugger/debug-status.h"
#include "debugger/debug-values.h"

#define BREAKS_WIDTH 290
#define CONSOLE_WIDTH 360

struct _HirDebugPage
{
  GtkWidget parent_instance;

  GtkWidget *box;
  GtkLabel *place;
  GtkDropDown *ranks;
  GtkToggleButton *alone;
  guint n_ranks;
  gboolean is_following; /* the controls are being updated, not used */
  HirBreakList *breaks;
  GtkStack *pages; /* state, values, watch */
  HirDebugStatus *status;
  HirDebugValues *values;
  HirWatchList *watches;
  HirDebugConsole *console;
  HirMismatchStrip *mismatch;
};

G_DEFINE_FINAL_TYPE (HirDebugPage, hir_debug_page, GTK_TYPE_WIDGET)

static void
on_rank (HirDebugPage *self)
{
  g_autofree char *line =
      g_strdup_printf ("rank %u", (guint) gtk_drop_down_get_selected (self->ranks));

  if (!self->is_following)
    gtk_widget_activate_action (GTK_WIDGET (self), "win.debug-line", "s", line);
}

static void
on_alone (HirDebugPage *self)
{
  if (!self->is_following)
    gtk_widget_activate_action (GTK_WIDGET (self), "win.debug-line", "s",
                                gtk_toggle_button_get_active (self->alone) ? "rank alone"
                                                                           : "rank together");
}

static void
show_ranks (HirDebugPage *self, const HirDebugState *state)
{
  guint n = state != NULL ? state->ranks->len : 0;

  self->is_following = TRUE;
  if (n != self->n_ranks)
    {
      g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);

      for (guint i = 0; i < n; i++)
        gtk_string_list_take (names, g_strdup_printf ("Rank %u", i));
      gtk_drop_down_set_model (self->ranks, G_LIST_MODEL (names));
      self->n_ranks = n;
    }
  gtk_widget_set_visible (GTK_WIDGET (self->ranks), n > 1);
  gtk_widget_set_visible (GTK_WIDGET (self->alone), n > 1);
  if (n > 1)
    {
      gtk_drop_down_set_selected (self->ranks, state->focus);
      gtk_toggle_button_set_active (self->alone, state->is_alone);
    }
  self->is_following = FALSE;
}

void
hir_debug_page_set_state (HirDebugPage *self, const HirDebugState *state)
{
  g_autofree char *text = NULL;

  if (state == NULL)
    text = g_strdup ("Not running. Debug (F6) stops before the first instruction.");
  else if (!state->is_running || state->focus >= state->ranks->len)
    text = g_strdup ("Starting\xe2\x80\xa6");
  else if (*state->failure != '\0')
    text = g_strdup_printf ("Failed: %s", state->failure);
  else if (state->is_over)
    text = g_strdup ("The program has ended. You can step back.");
  else
    {
      const HirDebugStateRank *rank = state->ranks->pdata[state->focus];

      text = g_strdup_printf ("Rank %d, %s", rank->rank, rank->place);
    }
  if (state != NULL && *state->failure != '\0')
    gtk_widget_add_css_class (GTK_WIDGET (self->place), "error");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->place), "error");
  hir_links_set_text (self->place, text, NULL, NULL);
  hir_names_set_tooltip (GTK_WIDGET (self->place), text);
  show_ranks (self, state != NULL && state->is_running ? state : NULL);
  hir_debug_status_set (self->status, state);
  hir_debug_values_set (self->values, state);
}

HirBreakList *
hir_debug_page_get_breaks (HirDebugPage *self)
{
  return self->breaks;
}

HirDebugConsole *
hir_debug_page_get_console (HirDebugPage *self)
{
  return self->console;
}

#if HIR_TESTING
const char *
hir_debug_page_get_place (HirDebugPage *self)
{
  return gtk_label_get_text (self->place);
}

const char *
hir_debug_page_get_waits (HirDebugPage *self)
{
  return hir_debug_status_get_waits (self->status);
}
#endif

static void
add_button (GtkWidget *bar, const char *label, const char *action, const char *tooltip)
{
  GtkWidget *button = gtk_button_new_with_label (label);

  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_widget_set_focus_on_click (button, FALSE);
  gtk_widget_add_css_class (button, "flat");
  gtk_box_append (GTK_BOX (bar), button);
}

static GtkWidget *
create_bar (HirDebugPage *self)
{
  GtkWidget *bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 2);
  GtkWidget *place = gtk_label_new ("");
  GtkWidget *close = gtk_button_new_from_icon_name ("window-close-symbolic");

  gtk_widget_add_css_class (bar, "debug-bar");
  add_button (bar, "Continue", "win.debug-continue", "Run to the next breakpoint or the end (F8)");
  add_button (bar, "Pause", "win.debug-pause", "Pause the program (Shift+F8)");
  add_button (bar, "Over", "win.debug-over", "Step to the next instruction, over loops (F10)");
  add_button (bar, "Into", "win.debug-into", "Step to the next instruction, into loops (F11)");
  add_button (bar, "Finish", "win.debug-finish",
              "Run to the end of the loop or branch (Shift+F11)");
  add_button (bar, "Back", "win.debug-back", "Step back one instruction (Ctrl+F10)");
  add_button (bar, "Back One Iteration", "win.debug-back-iteration",
              "Go back to the start of the iteration (Ctrl+Shift+F10)");
  add_button (bar, "Find Mismatch", "win.find-wrong",
              "Find the first instruction whose result differs from sequential execution "
              "(Ctrl+F6)");
  add_button (bar, "Stop", "win.debug-stop", "Stop the run and keep its recording (Shift+F5)");
  self->ranks = GTK_DROP_DOWN (gtk_drop_down_new (NULL, NULL));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->ranks), "Displayed rank");
  self->alone = GTK_TOGGLE_BUTTON (gtk_toggle_button_new_with_label ("Alone"));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->alone), "Step only this rank and hold the others");
  self->place = GTK_LABEL (place);
  gtk_label_set_xalign (self->place, 0);
  gtk_label_set_ellipsize (self->place, PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (place, TRUE);
  gtk_widget_add_css_class (place, "debug-place");
  gtk_box_append (GTK_BOX (bar), GTK_WIDGET (self->ranks));
  gtk_box_append (GTK_BOX (bar), GTK_WIDGET (self->alone));
  gtk_box_append (GTK_BOX (bar), place);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (close), "win.debug-close");
  gtk_widget_set_tooltip_text (close, "Stop and close the debugger");
  gtk_widget_add_css_class (close, "flat");
  gtk_box_append (GTK_BOX (bar), close);
  g_signal_connect_swapped (self->ranks, "notify::selected", G_CALLBACK (on_rank), self);
  g_signal_connect_swapped (self->alone, "toggled", G_CALLBACK (on_alone), self);
  return bar;
}

static void
hir_debug_page_dispose (GObject *object)
{
  g_clear_pointer (&HIR_DEBUG_PAGE (object)->box, gtk_widget_unparent);
  G_OBJECT_CLASS (hir_debug_page_parent_class)->dispose (object);
}

static void
hir_debug_page_class_init (HirDebugPageClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_debug_page_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "debugpage");
}

/* The switcher is vertical, at the side, so that it takes no line. */
static GtkWidget *
create_pages (HirDebugPage *self, HirSelection *selection, HirDocument *document)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *names = gtk_stack_switcher_new ();

  self->status = HIR_DEBUG_STATUS (hir_debug_status_new ());
  self->values = HIR_DEBUG_VALUES (hir_debug_values_new (selection, document));
  self->watches = HIR_WATCH_LIST (hir_watch_list_new ());
  self->pages = GTK_STACK (gtk_stack_new ());
  gtk_stack_add_titled (self->pages, GTK_WIDGET (self->status), "state", "State");
  gtk_stack_add_titled (self->pages, GTK_WIDGET (self->values), "values", "Values");
  gtk_stack_add_titled (self->pages, GTK_WIDGET (self->watches), "watch", "Watch");
  gtk_stack_switcher_set_stack (GTK_STACK_SWITCHER (names), self->pages);
  gtk_orientable_set_orientation (GTK_ORIENTABLE (names), GTK_ORIENTATION_VERTICAL);
  gtk_widget_set_valign (names, GTK_ALIGN_START);
  gtk_widget_add_css_class (names, "debug-pages");
  gtk_widget_set_hexpand (GTK_WIDGET (self->pages), TRUE);
  gtk_box_append (GTK_BOX (box), names);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->pages));
  return box;
}

static void
hir_debug_page_init (HirDebugPage *self)
{
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
}

GtkWidget *
hir_debug_page_new (HirSelection *selection, HirDocument *document)
{
  HirDebugPage *self = g_object_new (HIR_TYPE_DEBUG_PAGE, NULL);
  GtkWidget *body = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  self->breaks = HIR_BREAK_LIST (hir_break_list_new ());
  gtk_widget_set_size_request (GTK_WIDGET (self->breaks), BREAKS_WIDTH, -1);
  gtk_box_append (GTK_BOX (body), GTK_WIDGET (self->breaks));
  gtk_box_append (GTK_BOX (body), gtk_separator_new (GTK_ORIENTATION_VERTICAL));
  gtk_box_append (GTK_BOX (body), create_pages (self, selection, document));
  gtk_box_append (GTK_BOX (body), gtk_separator_new (GTK_ORIENTATION_VERTICAL));
  self->console = HIR_DEBUG_CONSOLE (hir_debug_console_new ());
  gtk_widget_set_size_request (GTK_WIDGET (self->console), CONSOLE_WIDTH, -1);
  gtk_box_append (GTK_BOX (body), GTK_WIDGET (self->console));
  gtk_widget_set_vexpand (body, TRUE);
  gtk_box_append (GTK_BOX (self->box), create_bar (self));
  self->mismatch = HIR_MISMATCH_STRIP (hir_mismatch_strip_new ());
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->mismatch));
  gtk_box_append (GTK_BOX (self->box), body);
  hir_debug_page_set_state (self, NULL);
  return GTK_WIDGET (self);
}

HirMismatchStrip *
hir_debug_page_get_mismatch (HirDebugPage *self)
{
  return self->mismatch;
}

HirWatchList *
hir_debug_page_get_watches (HirDebugPage *self)
{
  return self->watches;
}

void
hir_debug_page_focus_watches (HirDebugPage *self, const char *text)
{
  gtk_stack_set_visible_child (self->pages, GTK_WIDGET (self->watches));
  hir_watch_list_focus (self->watches, text);
}

#if HIR_TESTING
char *
hir_debug_page_dup_values (HirDebugPage *self)
{
  return hir_debug_values_dup_text (self->values);
}
#endif
