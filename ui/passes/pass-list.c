#include "passes/pass-list.h"

#include <string.h>

#include "passes/pass-list-rows.h"

struct _HirPassList
{
  GtkWidget parent_instance;

  HirSelection *selection;
  HirDocument *document;
  GtkWidget *box;
  GtkListBox *list;
  GtkAdjustment *scroll; /* borrowed from the scrolled window */
  GtkToggleButton *quiet;
  GtkSearchBar *search_bar;
  GtkEditable *search;
  GtkLabel *hidden;    /* number of hidden rows */
  GtkLabel *outdated;  /* whose passes these are after a failed change */
  guint scroll_idle;   /* id of the GSource that scrolls to the selected row; 0: none */
  guint idle;          /* id of the GSource that updates the rows; 0: none */
  gboolean is_syncing; /* the list follows the selection; its signals are ignored */
  char *toggled;       /* nullable: the pass that the key toggles again until the user moves */
  guint step;          /* the last displayed step */
};

G_DEFINE_FINAL_TYPE (HirPassList, hir_pass_list, GTK_TYPE_WIDGET)

static GtkWidget *
row_at (HirPassList *self, int index)
{
  return (GtkWidget *) gtk_list_box_get_row_at_index (self->list, index);
}

static GtkWidget *
row_of_step (HirPassList *self)
{
  int step = (int) hir_selection_get_step (self->selection);
  GtkWidget *row;

  for (int i = 0; (row = row_at (self, i)) != NULL; i++)
    if (hir_pass_row_get_step (row) == step)
      return row;
  return NULL;
}

static void
forget_toggled (HirPassList *self)
{
  g_clear_pointer (&self->toggled, g_free);
}

static gboolean
scroll_to_selected (gpointer user_data)
{
  HirPassList *self = user_data;
  GtkWidget *row = (GtkWidget *) gtk_list_box_get_selected_row (self->list);
  graphene_rect_t rect;

  self->scroll_idle = 0;
  if (row != NULL && gtk_widget_get_mapped (row) &&
      gtk_widget_compute_bounds (row, gtk_widget_get_parent (GTK_WIDGET (self->list)), &rect))
    gtk_adjustment_clamp_page (self->scroll, rect.origin.y, rect.origin.y + rect.size.height);
  return G_SOURCE_REMOVE;
}

/* Deferred: rows get their places after they are selected, and the height of the list changes while
 * it is allocated. */
static void
queue_scroll (HirPassList *self)
{
  if (self->scroll_idle == 0)
    self->scroll_idle = g_idle_add (scroll_to_selected, self);
}

static void
sync_step (HirPassList *self)
{
  GtkWidget *row = row_of_step (self);

  self->is_syncing = TRUE;
  gtk_list_box_select_row (self->list, (GtkListBoxRow *) row);
  /* Up and Down start from the focused row. */
  if (row != NULL && gtk_widget_get_focus_child (GTK_WIDGET (self->list)) != NULL)
    gtk_widget_grab_focus (row);
  self->is_syncing = FALSE;
  queue_scroll (self);
}

static void
on_step_changed (HirPassList *self)
{
  /* Otherwise the program has changed, see rebuild(). */
  if (self->step != hir_selection_get_step (self->selection))
    forget_toggled (self);
  self->step = hir_selection_get_step (self->selection);
  sync_step (self);
}

static gboolean
is_quiet (GtkWidget *row)
{
  HirPassRowKind kind = hir_pass_row_get_kind (row);

  return kind == HIR_PASS_ROW_UNCHANGED || kind == HIR_PASS_ROW_OFF ||
         kind == HIR_PASS_ROW_NOT_REACHED;
}

static gboolean
contains (const char *text, const char *words)
{
  g_autofree char *folded_text = g_utf8_casefold (text, -1);
  g_autofree char *folded_words = g_utf8_casefold (words, -1);

  return strstr (folded_text, folded_words) != NULL;
}

static gboolean
is_shown (GtkListBoxRow *row, gpointer user_data)
{
  HirPassList *self = user_data;
  const char *words = gtk_editable_get_text (self->search);

  if (gtk_toggle_button_get_active (self->quiet) && is_quiet (GTK_WIDGET (row)))
    return FALSE;
  return !gtk_search_bar_get_search_mode (self->search_bar) ||
         contains (hir_pass_row_get_title (GTK_WIDGET (row)), words);
}

static void
refilter (HirPassList *self)
{
  guint n_hidden = 0;
  gboolean is_empty = row_at (self, 0) == NULL;
  g_autofree char *text = NULL;
  GtkWidget *row;

  gtk_list_box_invalidate_filter (self->list);
  for (int i = 0; (row = row_at (self, i)) != NULL; i++)
    n_hidden += !is_shown (GTK_LIST_BOX_ROW (row), self);
  text = is_empty ? g_strdup ("Passes appear when the script is valid")
                  : g_strdup_printf ("%u hidden", n_hidden);
  gtk_label_set_text (self->hidden, text);
  gtk_widget_set_visible (GTK_WIDGET (self->hidden), is_empty || n_hidden > 0);
}

/* After a failed change, says that the passes are not those of the request. */
static void
update_outdated (HirPassList *self)
{
  HirProgram *program = hir_selection_get_program (self->selection);
  gboolean is_outdated = hir_document_is_outdated (self->document) &&
                         !hir_document_shows_rejected (self->document) &&
                         !hir_document_shows_run (self->document);
  HirRequest *request = program != NULL ? program->request : NULL;
  HirRequest *edit = hir_document_get_edit (self->document);
  const char *pipeline = request == NULL || edit == NULL || request->pipeline == edit->pipeline ? ""
                         : request->pipeline == HIR_PIPELINE_HOSTIR ? " (Host IR)"
                                                                    : " (Executor)";
  g_autofree char *text = g_strdup_printf ("Passes of the last valid program%s", pipeline);

  gtk_label_set_text (self->outdated, text);
  gtk_widget_set_visible (GTK_WIDGET (self->outdated), is_outdated && request != NULL);
}

static gboolean
update (gpointer user_data)
{
  HirPassList *self = user_data;

  self->idle = 0;
  update_outdated (self);
  hir_pass_list_update_rows (self->list, self->selection, self->document);
  refilter (self);
  sync_step (self);
  return G_SOURCE_REMOVE;
}

/* Must not run in the frame in which the program text is replaced, see rank-switch.c. */
static void
queue_update (HirPassList *self)
{
  if (self->idle == 0)
    self->idle = g_idle_add (update, self);
}

static void
rebuild (HirPassList *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  gboolean had_focus = focus != NULL && gtk_widget_is_ancestor (focus, GTK_WIDGET (self->list));

  self->step = hir_selection_get_step (self->selection);
  /* Keep the rows if the passes are the same, and with them focus and scroll position. */
  if (hir_pass_list_has_rows (self->list, self->selection, self->document))
    {
      queue_update (self);
      return;
    }
  /* Do not remove a focused row. */
  if (had_focus)
    gtk_root_set_focus (root, NULL);
  self->is_syncing = TRUE;
  hir_pass_list_make_rows (self->list, self->selection, self->document);
  self->is_syncing = FALSE;
  g_clear_handle_id (&self->idle, g_source_remove);
  update (self);
  if (had_focus)
    hir_pass_list_focus (self);
}

static void
on_row_selected (GtkListBox *list, GtkListBoxRow *row, gpointer user_data)
{
  HirPassList *self = user_data;

  if (self->is_syncing)
    return;
  forget_toggled (self);
  if (row != NULL && hir_pass_row_get_step (GTK_WIDGET (row)) >= 0)
    hir_selection_set_step (self->selection, (guint) hir_pass_row_get_step (GTK_WIDGET (row)));
}

/* Shows the input of the failed pass. */
static void
on_row_activated (GtkListBox *list, GtkListBoxRow *row, gpointer user_data)
{
  HirPassList *self = user_data;
  HirProgram *program;

  if (hir_pass_row_get_kind (GTK_WIDGET (row)) != HIR_PASS_ROW_FAILED)
    return;
  hir_document_show_rejected (self->document, TRUE);
  program = hir_selection_get_program (self->selection);
  if (program != NULL && program->views->len > 0)
    hir_selection_set_step (self->selection, program->views->len - 1);
  gtk_widget_activate_action (GTK_WIDGET (self), "win.page", "s", "script");
}

static void
hir_pass_list_dispose (GObject *object)
{
  HirPassList *self = HIR_PASS_LIST (object);

  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  if (self->document != NULL)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_clear_object (&self->selection);
  g_clear_object (&self->document);
  g_clear_handle_id (&self->idle, g_source_remove);
  g_clear_handle_id (&self->scroll_idle, g_source_remove);
  forget_toggled (self);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS (hir_pass_list_parent_class)->dispose (object);
}

static void
hir_pass_list_class_init (HirPassListClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hir_pass_list_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "passlist");
}

static GtkWidget *
header_button (GtkWidget *button, const char *icon, const char *tooltip)
{
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_focus_on_click (button, FALSE);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  if (GTK_IS_MENU_BUTTON (button))
    gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (button), icon);
  else
    gtk_button_set_icon_name (GTK_BUTTON (button), icon);
  return button;
}

static GMenu *
create_menu (void)
{
  GMenu *menu = g_menu_new ();
  g_autoptr (GMenu) look = g_menu_new ();
  g_autoptr (GMenu) change = g_menu_new ();

  g_menu_append (look, "Go to First Pass That Changed the Selection", "win.first-touch");
  g_menu_append (look, "Find First Incorrect Pass", "win.bisect");
  g_menu_append (look, "Find Pass by Pattern\xe2\x80\xa6", "win.bisect-ask");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (look));
  g_menu_append (change, "Enable or Disable This Pass", "win.toggle-pass");
  g_menu_append (change, "Pass Options\xe2\x80\xa6", "win.pass-options");
  g_menu_append (change, "Reset All Passes", "win.default-passes");
  g_menu_append (change, "Copy Command Line", "win.copy-command");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (change));
  return menu;
}

static GtkWidget *
create_header (HirPassList *self)
{
  GtkWidget *header = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 2);
  GtkWidget *heading = gtk_label_new ("PASSES");
  GtkWidget *find = header_button (gtk_button_new (), "edit-find-symbolic",
                                   "Find a pass by its name (Ctrl+Shift+F)");
  GtkWidget *more = header_button (gtk_menu_button_new (), "view-more-symbolic", "Pass actions");
  g_autoptr (GMenu) menu = create_menu ();

  self->quiet = GTK_TOGGLE_BUTTON (header_button (gtk_toggle_button_new (), "view-conceal-symbolic",
                                                  "Hide passes without effect (Ctrl+H)"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (find), "win.find-pass");
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (more), G_MENU_MODEL (menu));
  g_signal_connect_swapped (self->quiet, "toggled", G_CALLBACK (refilter), self);
  gtk_label_set_xalign (GTK_LABEL (heading), 0);
  gtk_widget_set_css_classes (heading, (const char *[]){ "pane-heading", "dim-label", NULL });
  gtk_widget_set_hexpand (heading, TRUE);
  gtk_widget_set_margin_start (heading, 12);
  gtk_widget_add_css_class (header, "pass-header");
  gtk_box_append (GTK_BOX (header), heading);
  gtk_box_append (GTK_BOX (header), find);
  gtk_box_append (GTK_BOX (header), GTK_WIDGET (self->quiet));
  gtk_box_append (GTK_BOX (header), more);
  return header;
}

/* Enter selects the first matching row. */
static void
on_search_activate (HirPassList *self)
{
  GtkWidget *row;

  for (int i = 0; (row = row_at (self, i)) != NULL; i++)
    if (is_shown (GTK_LIST_BOX_ROW (row), self) && hir_pass_row_get_step (row) >= 0)
      {
        hir_selection_set_step (self->selection, (guint) hir_pass_row_get_step (row));
        gtk_widget_grab_focus (row);
        return;
      }
}

static GtkWidget *
create_search (HirPassList *self)
{
  GtkWidget *bar = gtk_search_bar_new ();
  GtkWidget *entry = gtk_search_entry_new ();

  self->search_bar = GTK_SEARCH_BAR (bar);
  self->search = GTK_EDITABLE (entry);
  gtk_widget_set_hexpand (entry, TRUE);
  gtk_editable_set_width_chars (self->search, 8);
  gtk_search_bar_set_child (self->search_bar, entry);
  gtk_search_bar_connect_entry (self->search_bar, self->search);
  g_signal_connect_swapped (entry, "search-changed", G_CALLBACK (refilter), self);
  g_signal_connect_swapped (entry, "activate", G_CALLBACK (on_search_activate), self);
  g_signal_connect_swapped (bar, "notify::search-mode-enabled", G_CALLBACK (refilter), self);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Find a pass", -1);
  return bar;
}

static void
hir_pass_list_init (HirPassList *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkWidget *inside = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  self->hidden = GTK_LABEL (gtk_label_new (""));
  gtk_widget_set_css_classes (GTK_WIDGET (self->hidden),
                              (const char *[]){ "dim-label", "pass-note", "pass-hidden", NULL });
  gtk_label_set_wrap (self->hidden, TRUE);
  gtk_label_set_xalign (self->hidden, 0);
  gtk_widget_set_visible (GTK_WIDGET (self->hidden), FALSE);
  self->outdated = GTK_LABEL (gtk_label_new (""));
  gtk_widget_set_css_classes (GTK_WIDGET (self->outdated),
                              (const char *[]){ "warning", "pass-note", "pass-outdated", NULL });
  gtk_label_set_wrap (self->outdated, TRUE);
  gtk_label_set_xalign (self->outdated, 0);
  gtk_widget_set_visible (GTK_WIDGET (self->outdated), FALSE);
  self->list = GTK_LIST_BOX (gtk_list_box_new ());
  gtk_widget_add_css_class (GTK_WIDGET (self->list), "navigation-sidebar");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Passes", -1);
  g_signal_connect (self->list, "row-selected", G_CALLBACK (on_row_selected), self);
  g_signal_connect (self->list, "row-activated", G_CALLBACK (on_row_activated), self);
  gtk_box_append (GTK_BOX (inside), GTK_WIDGET (self->list));
  gtk_box_append (GTK_BOX (inside), GTK_WIDGET (self->hidden));
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), inside);
  self->scroll = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scroller));
  g_signal_connect_object (self->scroll, "notify::page-size", G_CALLBACK (queue_scroll), self,
                           G_CONNECT_SWAPPED);
  gtk_widget_set_vexpand (scroller, TRUE);
  gtk_box_append (GTK_BOX (self->box), create_header (self));
  gtk_box_append (GTK_BOX (self->box), create_search (self));
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->outdated));
  gtk_box_append (GTK_BOX (self->box), scroller);
  gtk_list_box_set_filter_func (self->list, is_shown, self, NULL);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
}

void
hir_pass_list_focus (HirPassList *self)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row (self->list);

  if (row != NULL)
    gtk_widget_grab_focus (GTK_WIDGET (row));
}

int
hir_pass_list_get_next (HirPassList *self, int by)
{
  int step = (int) hir_selection_get_step (self->selection);
  int best = -1;
  GtkWidget *row;

  for (int i = 0; (row = row_at (self, i)) != NULL; i++)
    {
      int there = hir_pass_row_get_step (row);

      if (there < 0 || (there - step) * by <= 0 || !is_shown (GTK_LIST_BOX_ROW (row), self))
        continue;
      if (best < 0 || ABS (there - step) < ABS (best - step))
        best = there;
    }
  return best;
}

void
hir_pass_list_toggle_quiet (HirPassList *self)
{
  gtk_toggle_button_set_active (self->quiet, !gtk_toggle_button_get_active (self->quiet));
}

void
hir_pass_list_find (HirPassList *self)
{
  gtk_search_bar_set_search_mode (self->search_bar, TRUE);
  gtk_widget_grab_focus (GTK_WIDGET (self->search));
}

static GtkWidget *
get_current (HirPassList *self)
{
  GtkWidget *row = gtk_widget_get_focus_child (GTK_WIDGET (self->list));

  return row != NULL ? row : row_of_step (self);
}

/* Returns the row whose pass was toggled last, or the current one. When a pass is switched off, the
 * list displays an earlier step, but the key toggles the same pass again. */
static GtkWidget *
get_toggled (HirPassList *self)
{
  GtkWidget *row;

  for (int i = 0; self->toggled != NULL && (row = row_at (self, i)) != NULL; i++)
    if (g_str_equal (hir_pass_row_get_title (row), self->toggled))
      return row;
  return get_current (self);
}

gboolean
hir_pass_list_toggle_pass (HirPassList *self)
{
  GtkWidget *row = get_toggled (self);

  if (row == NULL || hir_pass_row_get_pass (row) == NULL ||
      hir_document_get_edit (self->document) == NULL)
    return FALSE;
  forget_toggled (self);
  self->toggled = g_strdup (hir_pass_row_get_title (row));
  return gtk_widget_activate_action (GTK_WIDGET (self), "win.pass-enable", "(sb)",
                                     hir_pass_row_get_title (row), !hir_pass_row_get_enabled (row));
}

gboolean
hir_pass_list_open_options (HirPassList *self)
{
  GtkWidget *row = get_current (self);

  return row != NULL && hir_pass_row_open_options (row);
}

void
hir_pass_list_set_verdict (HirPassList *self,
                           const char *title,
                           const char *verdict,
                           const char *text)
{
  GtkWidget *row;

  for (int i = 0; (row = row_at (self, i)) != NULL; i++)
    if (title == NULL || g_str_equal (hir_pass_row_get_title (row), title))
      hir_pass_row_set_verdict (row, verdict, text);
}

GtkWidget *
hir_pass_list_new (HirSelection *selection, HirDocument *document)
{
  HirPassList *self = g_object_new (HIR_TYPE_PASS_LIST, NULL);

  self->selection = g_object_ref (selection);
  self->document = g_object_ref (document);
  g_signal_connect_swapped (selection, "program-changed", G_CALLBACK (rebuild), self);
  g_signal_connect_swapped (selection, "step-changed", G_CALLBACK (on_step_changed), self);
  g_signal_connect_swapped (document, "edited", G_CALLBACK (rebuild), self);
  rebuild (self);
  return GTK_WIDGET (self);
}
