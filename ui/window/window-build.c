#include "canvas/scaler.h"
#include "inspector/inspector.h"
#include "passes/pass-list.h"
#include "passes/pipeline-switch.h"
#include "passes/program-menu.h"
#include "passes/rank-switch.h"
#include "timeline/explain-tools.h"
#include "timeline/mark-list.h"
#include "timeline/run-list.h"
#include "window/check-controller.h"
#include "window/debug-controller.h"
#include "window/export-controller.h"
#include "window/load-strip.h"
#include "window/parameter-menu.h"
#include "window/text-file-controller.h"
#include "window/window-events.h"
#include "window/window-home.h"
#include "window/window-layout.h"
#include "window/window-panes.h"

/* Initial sizes of the window and its panes, in pixels. */
#define DEFAULT_WIDTH 1480
#define DEFAULT_HEIGHT 920
#define PASSES_WIDTH 284
#define TEXT_WIDTH 440
#define INSPECTOR_WIDTH 272
#define TIMELINE_HEIGHT 304

/* Appends an item that is hidden while its action is disabled. @key (nullable) belongs to another
 * action that does the same. */
static void
append_possible (GMenu *menu, const char *label, const char *action, const char *key)
{
  g_autoptr (GMenuItem) item = g_menu_item_new (label, action);

  g_menu_item_set_attribute (item, "hidden-when", "s", "action-disabled");
  if (key != NULL)
    g_menu_item_set_attribute (item, "accel", "s", key);
  g_menu_append_item (menu, item);
}

static GMenu *
create_export_menu (void)
{
  GMenu *menu = g_menu_new ();
  GMenu *recording = g_menu_new ();
  GMenu *figures = g_menu_new ();

  g_menu_append (recording, "Save Recording\xe2\x80\xa6", "win.save");
  g_menu_append (recording, "Chrome Trace\xe2\x80\xa6", "win.export::chrome");
  g_menu_append (recording, "Perfetto Trace\xe2\x80\xa6", "win.export::perfetto");
  g_menu_append (recording, "Nsight Tables\xe2\x80\xa6", "win.export::nsight");
  g_menu_append (recording, "All Events as CSV\xe2\x80\xa6", "win.export::csv");
  g_menu_append (recording, "HTML Report\xe2\x80\xa6", "win.export::html");
  g_menu_append (recording, "Explanation\xe2\x80\xa6", "win.export::explanation");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (recording));
  g_menu_append (figures, "Timeline as SVG, PDF or PNG\xe2\x80\xa6", "win.export::timeline");
  append_possible (figures, "Graph as SVG, PDF or PNG\xe2\x80\xa6", "win.export-program::graph",
                   NULL);
  g_menu_append (figures, "Copy Timeline Picture", "win.copy-timeline");
  append_possible (figures, "Copy Graph Picture", "win.copy-graph", NULL);
  append_possible (figures, "Program Text\xe2\x80\xa6", "win.export-program::text", NULL);
  g_menu_append_section (menu, NULL, G_MENU_MODEL (figures));
  g_object_unref (recording);
  g_object_unref (figures);
  return menu;
}

static GMenu *
create_main_menu (void)
{
  GMenu *menu = g_menu_new ();
  GMenu *style = g_menu_new ();
  GMenu *about = g_menu_new ();
  g_autoptr (GMenu) panes = g_menu_new ();

  g_menu_append (panes, "Passes", "win.toggle-passes");
  g_menu_append (panes, "Inspector", "win.toggle-inspector");
  g_menu_append (panes, "Timeline", "win.toggle-timeline");
  g_menu_append (panes, "Maximize Pane", "win.maximize-pane");
  g_menu_append (panes, "Wrap Long Lines", "win.text-wrap");
  g_menu_append (panes, "Abbreviate Tensors", "win.text-abbreviate");

  g_menu_append (menu, "Gallery of Examples", "win.gallery");
  g_menu_append (menu, "Command Palette", "win.palette");
  g_menu_append_submenu (menu, "Panes", G_MENU_MODEL (panes));
  append_possible (menu, "Attach Trace\342\200\246", "win.attach-trace", "<Control>j");
  append_possible (menu, "Attach Program\342\200\246", "win.attach-program", "<Control>j");
  g_menu_append (menu, "Compare the Trace With\342\200\246", "win.compare-trace");
  append_possible (menu, "Compare with Previous Run", "win.compare-previous", NULL);
  g_menu_append (menu, "Predict Changes\342\200\246", "win.predict");
  g_menu_append (menu, "Check Synchronization", "win.check");
  g_menu_append (menu, "Debug Program", "win.debug");
  g_menu_append (style, "Follow System Style", "app.style::default");
  g_menu_append (style, "Light", "app.style::light");
  g_menu_append (style, "Dark", "app.style::dark");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (style));
  g_menu_append (about, "Preferences", "win.preferences");
  g_menu_append (about, "Take the Tour", "win.tour");
  g_menu_append (about, "Keyboard Shortcuts", "win.shortcuts");
  g_menu_append (about, "About Hirscope", "app.about");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (about));
  g_object_unref (style);
  g_object_unref (about);
  return menu;
}

static GtkWidget *
create_header (HirWindow *self)
{
  GtkWidget *header = adw_header_bar_new ();
  GtkWidget *open = adw_split_button_new ();
  g_autoptr (GMenu) main_menu = create_main_menu ();
  g_autoptr (GMenu) export_menu = create_export_menu ();
  g_autoptr (GMenu) open_menu = g_menu_new ();
  g_autoptr (GMenuModel) recent_menu = NULL;
  g_autoptr (GMenu) save_menu = g_menu_new ();

  g_menu_append (open_menu, "Script or Recording\xe2\x80\xa6", "win.open");
  g_menu_append (open_menu, "Gallery of Examples", "win.gallery");
  recent_menu = hir_window_create_recent_menu (self);
  g_menu_append_section (open_menu, "Recent", recent_menu);
  g_menu_append (save_menu, "Save Text", "win.save-text");
  g_menu_append (save_menu, "Save Text As\xe2\x80\xa6", "win.save-text-as");
  g_menu_append_section (open_menu, NULL, G_MENU_MODEL (save_menu));
  adw_split_button_set_label (ADW_SPLIT_BUTTON (open), "Open");
  adw_split_button_set_menu_model (ADW_SPLIT_BUTTON (open), G_MENU_MODEL (open_menu));
  adw_split_button_set_dropdown_tooltip (ADW_SPLIT_BUTTON (open), "More ways to open and save");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (open), "win.open");
  gtk_widget_set_tooltip_text (open, "Open a script or a recording (Ctrl+O)");
  self->history_buttons = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_widget_add_css_class (self->history_buttons, "linked");
  gtk_box_append (GTK_BOX (self->history_buttons),
                  hir_icon_button_new ("go-previous-symbolic", "win.selection-back",
                                       "Previous selection (Alt+Left)"));
  gtk_box_append (GTK_BOX (self->history_buttons),
                  hir_icon_button_new ("go-next-symbolic", "win.selection-forward",
                                       "Next selection (Alt+Right)"));
  adw_header_bar_pack_start (ADW_HEADER_BAR (header), open);
  adw_header_bar_pack_start (ADW_HEADER_BAR (header), self->history_buttons);
  self->parameters = hir_parameter_menu_new ();
  adw_header_bar_pack_start (ADW_HEADER_BAR (header), self->parameters);

  self->title = ADW_WINDOW_TITLE (adw_window_title_new ("Hirscope", ""));
  adw_header_bar_set_title_widget (ADW_HEADER_BAR (header), GTK_WIDGET (self->title));

  self->menu = gtk_menu_button_new ();
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (self->menu), "open-menu-symbolic");
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (self->menu), G_MENU_MODEL (main_menu));
  gtk_menu_button_set_primary (GTK_MENU_BUTTON (self->menu), TRUE);
  self->export = gtk_menu_button_new ();
  gtk_menu_button_set_label (GTK_MENU_BUTTON (self->export), "Export");
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (self->export), G_MENU_MODEL (export_menu));

  self->run = GTK_BUTTON (gtk_button_new_with_label ("Run"));
  gtk_widget_add_css_class (GTK_WIDGET (self->run), "suggested-action");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->run), "Run the program and record it (Space)");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->run), "win.run");
  self->debug = gtk_button_new_with_label ("Debug");
  gtk_widget_set_tooltip_text (self->debug,
                               "Debug the program, starting before its first instruction (F6)");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->debug), "win.debug");
  hir_run_controls_init (&self->run_controls);
  self->program_menu = hir_program_menu_new (self->document);
  self->restore = hir_icon_button_new ("view-restore-symbolic", "win.restore-panes",
                                       "Show all panes (Escape or Ctrl+M)");
  adw_header_bar_pack_start (ADW_HEADER_BAR (header), self->restore);
  adw_header_bar_pack_end (ADW_HEADER_BAR (header), self->menu);
  adw_header_bar_pack_end (ADW_HEADER_BAR (header), self->export);
  adw_header_bar_pack_end (ADW_HEADER_BAR (header), GTK_WIDGET (self->run));
  adw_header_bar_pack_end (ADW_HEADER_BAR (header), self->debug);
  adw_header_bar_pack_end (ADW_HEADER_BAR (header), GTK_WIDGET (self->run_controls.baseline));
  adw_header_bar_pack_end (ADW_HEADER_BAR (header), GTK_WIDGET (self->run_controls.gpu));
  adw_header_bar_pack_end (ADW_HEADER_BAR (header), GTK_WIDGET (self->run_controls.clock));
  adw_header_bar_pack_end (ADW_HEADER_BAR (header), GTK_WIDGET (self->run_controls.streams));
  adw_header_bar_pack_end (ADW_HEADER_BAR (header), self->program_menu);
  return header;
}

static GtkWidget *
paned_new (GtkOrientation orientation, GtkWidget *start, GtkWidget *end, int position)
{
  GtkWidget *paned = gtk_paned_new (orientation);

  gtk_paned_set_start_child (GTK_PANED (paned), start);
  gtk_paned_set_end_child (GTK_PANED (paned), end);
  gtk_paned_set_position (GTK_PANED (paned), position);
  gtk_paned_set_shrink_start_child (GTK_PANED (paned), FALSE);
  gtk_paned_set_shrink_end_child (GTK_PANED (paned), FALSE);
  gtk_paned_set_resize_start_child (GTK_PANED (paned), FALSE);
  return paned;
}

/* Creates the place at the bottom: the status and the tools of the timeline are in its line. */
static GtkWidget *
create_bottom (HirWindow *self)
{
  GtkWidget *box = hir_window_create_bottom (self);
  GtkWidget *strip = self->bottom.strip;
  GtkWidget *tools = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *status = gtk_label_new ("");
  GtkWidget *keys = gtk_label_new ("");

  self->spinner = GTK_SPINNER (gtk_spinner_new ());
  self->status = GTK_LABEL (status);
  gtk_label_set_xalign (self->status, 0);
  gtk_label_set_ellipsize (self->status, PANGO_ELLIPSIZE_END);
  gtk_label_set_lines (self->status, 6);
  gtk_widget_set_margin_top (status, 4);
  gtk_widget_set_margin_bottom (status, 4);
  gtk_widget_set_hexpand (status, TRUE);
  self->keys_hint = keys;
  gtk_label_set_ellipsize (GTK_LABEL (keys), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (keys, "dim-label");
  gtk_box_append (GTK_BOX (strip), GTK_WIDGET (self->spinner));
  gtk_box_append (GTK_BOX (strip), status);
  self->account = HIR_ACCOUNT_BUTTON (hir_account_button_new (self->selection));
  gtk_box_append (GTK_BOX (strip), GTK_WIDGET (self->account));
  self->run_list = hir_run_list_new (self->document);
  gtk_box_append (GTK_BOX (strip), GTK_WIDGET (self->run_list));
  gtk_box_append (GTK_BOX (strip), keys);
  gtk_box_append (GTK_BOX (tools), hir_explain_tools_new (self->explaining, self->selection));
  gtk_box_append (GTK_BOX (tools), hir_flat_button_new ("view-list-symbolic", "win.timeline-fold",
                                                        "Fold or unfold all ranks (e)"));
  gtk_box_append (GTK_BOX (tools),
                  hir_flat_button_new ("list-remove-symbolic", "win.timeline-zoom-out",
                                       "Zoom out the timeline (-)"));
  gtk_box_append (GTK_BOX (tools), hir_flat_button_new ("list-add-symbolic", "win.timeline-zoom-in",
                                                        "Zoom in the timeline (+)"));
  gtk_box_append (GTK_BOX (tools),
                  hir_flat_button_new ("zoom-fit-best-symbolic", "win.timeline-fit",
                                       "Show the whole trace (0)"));
  self->timeline_pane = HIR_TIMELINE_PANE (hir_timeline_pane_new (self->selection));
  self->timeline = hir_timeline_pane_get_view (self->timeline_pane);
  self->search = hir_timeline_pane_get_search (self->timeline_pane);
  hir_timeline_view_set_explaining (self->timeline, self->explaining);
  self->marks = hir_mark_list_new (self->timeline, self->document);
  gtk_box_append (GTK_BOX (tools), self->marks);
  gtk_box_append (GTK_BOX (strip), tools);
  self->timeline_tools = tools;
  hir_window_add_bottom_page (self, HIR_BOTTOM_TIMELINE, GTK_WIDGET (self->timeline_pane));
  hir_window_add_bottom_page (self, HIR_BOTTOM_DEBUGGER,
                              GTK_WIDGET (hir_debug_controller_get_page (self->debugger)));
  hir_window_add_bottom_page (self, HIR_BOTTOM_CHECK,
                              GTK_WIDGET (hir_check_controller_get_page (self->check)));
  return box;
}

static GtkWidget *
create_workspace (HirWindow *self)
{
  GtkWidget *passes = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *inspector = hir_inspector_new (self->selection, self->document);
  GtkWidget *top, *right, *middle;

  self->text = HIR_TEXT_PANE (hir_text_pane_new (self->selection));
  self->passes = hir_pass_list_new (self->selection, self->document);
  gtk_widget_set_vexpand (self->passes, TRUE);
  gtk_box_append (GTK_BOX (passes), hir_pipeline_switch_new (self->selection, self->document));
  gtk_box_append (GTK_BOX (passes), hir_rank_switch_new (self->selection));
  gtk_box_append (GTK_BOX (passes), self->passes);
  gtk_widget_set_size_request (passes, 160, -1);
  self->layout.panes[HIR_PANE_PASSES] = passes;
  gtk_widget_set_size_request (inspector, 200, -1);
  self->layout.panes[HIR_PANE_INSPECTOR] = inspector;
  self->layout.panes[HIR_PANE_TEXT] = GTK_WIDGET (self->text);
  gtk_widget_set_size_request (GTK_WIDGET (self->text), 220, -1);

  self->graph_pane = HIR_GRAPH_PANE (hir_graph_pane_new (self->selection));
  self->graph = hir_graph_pane_get_view (self->graph_pane);
  self->stats = HIR_STATS_PAGE (hir_stats_page_new (self->selection));
  self->explain = HIR_EXPLAIN_PAGE (hir_explain_page_new (self->selection, self->explaining));
  self->events = hir_window_create_events (self);
  self->layout.panes[HIR_PANE_VIEWS] =
      hir_graph_tabs_init (&self->graph_tabs, self->graph_pane, self->stats, self->explain,
                           self->events);
  right = paned_new (GTK_ORIENTATION_HORIZONTAL, self->layout.panes[HIR_PANE_VIEWS], inspector,
                     DEFAULT_WIDTH - PASSES_WIDTH - TEXT_WIDTH - INSPECTOR_WIDTH);
  gtk_paned_set_resize_start_child (GTK_PANED (right), TRUE);
  gtk_paned_set_resize_end_child (GTK_PANED (right), FALSE);
  self->layout.columns = GTK_PANED (right);
  middle = paned_new (GTK_ORIENTATION_HORIZONTAL, GTK_WIDGET (self->text), right, TEXT_WIDTH);
  gtk_paned_set_resize_start_child (GTK_PANED (middle), TRUE);
  self->layout.middle = GTK_PANED (middle);
  top = paned_new (GTK_ORIENTATION_HORIZONTAL, passes, middle, PASSES_WIDTH);
  self->layout.left = GTK_PANED (top);
  self->layout.panes[HIR_PANE_BOTTOM] = create_bottom (self);
  top = paned_new (GTK_ORIENTATION_VERTICAL, top, self->layout.panes[HIR_PANE_BOTTOM],
                   DEFAULT_HEIGHT - TIMELINE_HEIGHT - 48);
  gtk_paned_set_resize_start_child (GTK_PANED (top), TRUE);
  gtk_paned_set_resize_end_child (GTK_PANED (top), FALSE);
  self->layout.rows = GTK_PANED (top);
  self->layout.maximized = HIR_PANE_NONE;
  return top;
}

void
hir_window_build (HirWindow *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *header;

  gtk_window_set_title (GTK_WINDOW (self), "Hirscope");
  gtk_widget_add_css_class (GTK_WIDGET (self), "hirscope");
  self->pages = GTK_STACK (gtk_stack_new ());
  self->gallery = hir_gallery_new (self->host->cards, self->host->n_cards);
  gtk_stack_add_named (self->pages, self->gallery, "gallery");
  gtk_stack_add_named (self->pages, create_workspace (self), "workspace");
  gtk_widget_set_vexpand (GTK_WIDGET (self->pages), TRUE);
  self->overlay = GTK_OVERLAY (gtk_overlay_new ());
  gtk_overlay_set_child (self->overlay, GTK_WIDGET (self->pages));
  self->toasts = ADW_TOAST_OVERLAY (adw_toast_overlay_new ());
  adw_toast_overlay_set_child (self->toasts, GTK_WIDGET (self->overlay));
  header = create_header (self);
  gtk_box_append (GTK_BOX (box), header);
  self->load_strip = hir_load_strip_new (self->document);
  gtk_box_append (GTK_BOX (box), self->load_strip);
  gtk_box_append (GTK_BOX (box), hir_text_file_controller_get_draft_strip (self->text_file));
  gtk_box_append (GTK_BOX (box), hir_text_file_controller_get_changed_strip (self->text_file));
  gtk_box_append (GTK_BOX (box), hir_export_controller_get_strip (self->export_controller));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->toasts));
  adw_application_window_set_content (ADW_APPLICATION_WINDOW (self), box);
  hir_window_watch_heads (self);
  hir_window_restore_layout (self);
  hir_window_arrange_panes (self);
  if (hir_settings_get (self->settings, HIR_SETTING_SHOW_TIMELINE))
    hir_window_raise_bottom (self, HIR_BOTTOM_TIMELINE);
  else
    hir_window_update_bottom (self);
  hir_window_watch_width (self, header, self->keys_hint);
  hir_window_follow_settings (self);
}
