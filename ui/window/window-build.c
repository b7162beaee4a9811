#include "inspector/inspector.h"
#include "window/export-strip.h"
#include "window/load-strip.h"
#include "passes/pass-list.h"
#include "passes/rank-switch.h"
#include "program/run-engine.h"
#include "canvas/scaler.h"
#include "window/window-home.h"
#include "window/window-layout.h"
#include "window/window-check.h"
#include "window/window-debug.h"
#include "window/window-narrow.h"
#include "window/window-private.h"

/* What a new window measures, and how its panes share that. */
#define DEFAULT_WIDTH 1480
#define DEFAULT_HEIGHT 920
#define PASSES_WIDTH 284
#define TEXT_WIDTH 440
#define INSPECTOR_WIDTH 272
#define TIMELINE_HEIGHT 304

static const char *const stream_choices[] = { "1 stream",  "2 streams", "3 streams", "4 streams",
                                              "6 streams", "8 streams", NULL };
static const char *const clock_choices[] = { "Modelled clock", "Wall clock", NULL };

static GtkWidget *
icon_button (const char *icon, const char *action, const char *tooltip)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);

  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_set_tooltip_text (button, tooltip);
  return button;
}

/* Of a strip above a pane: small, without a frame; the keys stay with the pane. */
static GtkWidget *
flat_button (const char *icon, const char *action, const char *tooltip)
{
  GtkWidget *button = icon_button (icon, action, tooltip);

  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_focus_on_click (button, FALSE);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  return button;
}

/* Whoever has no program is not offered pictures of it. */
static void
append_if_enabled (GMenu *menu, const char *label, const char *action)
{
  g_autoptr (GMenuItem) item = g_menu_item_new (label, action);

  g_menu_item_set_attribute (item, "hidden-when", "s", "action-disabled");
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
  g_menu_append (recording, "CSV Table\xe2\x80\xa6", "win.export::csv");
  g_menu_append (recording, "HTML Report\xe2\x80\xa6", "win.export::html");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (recording));
  g_menu_append (figures, "Timeline as SVG, PDF or PNG\xe2\x80\xa6", "win.export::timeline");
  append_if_enabled (figures, "Graph as SVG, PDF or PNG\xe2\x80\xa6", "win.export-program::graph");
  g_menu_append (figures, "Copy Timeline Picture", "win.copy-timeline");
  append_if_enabled (figures, "Copy Graph Picture", "win.copy-graph");
  append_if_enabled (figures, "Program Text\xe2\x80\xa6", "win.export-program::text");
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

  g_menu_append (menu, "Gallery of Examples", "win.gallery");
  g_menu_append (menu, "Command Palette", "win.palette");
  g_menu_append_submenu (menu, "Panes", G_MENU_MODEL (panes));
  g_menu_append (menu, "Compare the Trace With\342\200\246", "win.compare-trace");
  g_menu_append (menu, "Check Synchronisation", "win.check");
  g_menu_append (menu, "Debug: Step the Program", "win.debug");
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

/* A GPU has its own clock: then there is none to choose. */
static GtkToggleButton *
create_gpu_button (GtkDropDown *clock)
{
  GtkWidget *button = gtk_toggle_button_new_with_label ("GPU");
  g_autofree char *missing = hir_run_engine_dup_missing (HIR_BACKEND_CUDA);

  gtk_widget_set_sensitive (button, missing == NULL);
  gtk_widget_set_tooltip_text (
      button, missing != NULL ? missing : "Run on GPUs, one for each device; times are measured");
  g_object_bind_property (button, "active", clock, "sensitive",
                          G_BINDING_INVERT_BOOLEAN | G_BINDING_SYNC_CREATE);
  return GTK_TOGGLE_BUTTON (button);
}

static GtkWidget *
create_header (HirWindow *self)
{
  GtkWidget *header = adw_header_bar_new ();
  GtkWidget *open = adw_split_button_new ();
  GtkWidget *menu = gtk_menu_button_new ();
  g_autoptr (GMenu) main_menu = create_main_menu ();
  g_autoptr (GMenu) export_menu = create_export_menu ();
  g_autoptr (GMenu) open_menu = g_menu_new ();
  g_autoptr (GMenuModel) recent_menu = NULL;
  g_autoptr (GMenu) save_menu = g_menu_new ();

  g_menu_append (open_menu, "Script or Recording\xe2\x80\xa6", "win.open");
  g_menu_append (open_menu, "Gallery of Examples", "win.gallery");
  recent_menu = hir_window_create_recent_menu (self);
  g_menu_append_section (open_menu, "Recent", recent_menu);
  g_menu_append (save_menu, "Save the Text", "win.save-text");
  g_menu_append (save_menu, "Save the Text As\xe2\x80\xa6", "win.save-text-as");
  g_menu_append_section (open_menu, NULL, G_MENU_MODEL (save_menu));
  adw_split_button_set_label (ADW_SPLIT_BUTTON (open), "Open");
  adw_split_button_set_menu_model (ADW_SPLIT_BUTTON (open), G_MENU_MODEL (open_menu));
  adw_split_button_set_dropdown_tooltip (ADW_SPLIT_BUTTON (open), "More to open, and to save");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (open), "win.open");
  gtk_widget_set_tooltip_text (open, "Open a script or a recording (Ctrl+O)");
  self->steps = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_widget_add_css_class (self->steps, "linked");
  gtk_box_append (GTK_BOX (self->steps),
                  icon_button ("go-previous-symbolic", "win.previous-step", "Previous pass (k)"));
  gtk_box_append (GTK_BOX (self->steps),
                  icon_button ("go-next-symbolic", "win.next-step", "Next pass (j)"));
  adw_header_bar_pack_start (ADW_HEADER_BAR (header), open);
  adw_header_bar_pack_start (ADW_HEADER_BAR (header), self->steps);

  self->title = ADW_WINDOW_TITLE (adw_window_title_new ("Hirscope", ""));
  adw_header_bar_set_title_widget (ADW_HEADER_BAR (header), GTK_WIDGET (self->title));

  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (menu), "open-menu-symbolic");
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (menu), G_MENU_MODEL (main_menu));
  gtk_menu_button_set_primary (GTK_MENU_BUTTON (menu), TRUE);
  gtk_widget_set_tooltip_text (menu, "Menu (F10)");
  self->export = gtk_menu_button_new ();
  gtk_menu_button_set_label (GTK_MENU_BUTTON (self->export), "Export");
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (self->export), G_MENU_MODEL (export_menu));

  self->run = GTK_BUTTON (gtk_button_new_with_label ("Run"));
  gtk_widget_add_css_class (GTK_WIDGET (self->run), "suggested-action");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->run), "Run the program and record it (space)");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->run), "win.run");
  self->debug = gtk_button_new_with_label ("Debug");
  gtk_widget_set_tooltip_text (self->debug, "Step the program, from before its first instruction (F6)");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->debug), "win.debug");
  self->streams = GTK_DROP_DOWN (gtk_drop_down_new_from_strings (stream_choices));
  gtk_drop_down_set_selected (self->streams, 3);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->streams), "numberOfStreams of the next run");
  self->clock = GTK_DROP_DOWN (gtk_drop_down_new_from_strings (clock_choices));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->clock),
                               "Modelled: times from bytes and flops, the same on every machine. "
                               "Wall: as measured here.");
  self->gpu = create_gpu_button (self->clock);
  adw_header_bar_pack_end (ADW_HEADER_BAR (header), menu);
  adw_header_bar_pack_end (ADW_HEADER_BAR (header), self->export);
  adw_header_bar_pack_end (ADW_HEADER_BAR (header), GTK_WIDGET (self->run));
  adw_header_bar_pack_end (ADW_HEADER_BAR (header), self->debug);
  adw_header_bar_pack_end (ADW_HEADER_BAR (header), GTK_WIDGET (self->gpu));
  adw_header_bar_pack_end (ADW_HEADER_BAR (header), GTK_WIDGET (self->clock));
  adw_header_bar_pack_end (ADW_HEADER_BAR (header), GTK_WIDGET (self->streams));
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

static void
on_lanes_toggled (GtkToggleButton *button, gpointer user_data)
{
  HirWindow *self = user_data;

  hir_graph_view_set_lanes (self->graph, gtk_toggle_button_get_active (button));
}

static void
on_stats_toggled (GtkToggleButton *button, gpointer user_data)
{
  HirWindow *self = user_data;
  gboolean is_active = gtk_toggle_button_get_active (button);

  gtk_stack_set_visible_child_name (self->views, is_active ? "statistics" : "graph");
  gtk_widget_set_visible (self->graph_tools, !is_active);
}

static GtkToggleButton *
add_kind (HirWindow *self, const char *label, const char *tooltip, GCallback toggled)
{
  GtkWidget *button = gtk_toggle_button_new_with_label (label);

  gtk_widget_set_focus_on_click (button, FALSE);
  gtk_widget_set_tooltip_text (button, tooltip);
  if (self->show_graph != NULL)
    gtk_toggle_button_set_group (GTK_TOGGLE_BUTTON (button), self->show_graph);
  if (toggled != NULL)
    g_signal_connect (button, "toggled", toggled, self);
  gtk_box_append (GTK_BOX (self->kinds), button);
  return GTK_TOGGLE_BUTTON (button);
}

static void
on_diff_toggled (GtkToggleButton *button, gpointer user_data)
{
  HirWindow *self = user_data;

  hir_graph_view_set_diff (self->graph, gtk_toggle_button_get_active (button));
}

static void
on_near_toggled (GtkToggleButton *button, gpointer user_data)
{
  HirWindow *self = user_data;

  hir_graph_view_set_near (self->graph, gtk_toggle_button_get_active (button));
}

static GtkToggleButton *
add_tool_toggle (HirWindow *self, const char *label, const char *tooltip, GCallback toggled)
{
  GtkWidget *button = gtk_toggle_button_new_with_label (label);

  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_focus_on_click (button, FALSE);
  gtk_widget_set_tooltip_text (button, tooltip);
  g_signal_connect (button, "toggled", toggled, self);
  gtk_box_append (GTK_BOX (self->graph_tools), button);
  return GTK_TOGGLE_BUTTON (button);
}

/* What is done now and then. */
static GtkWidget *
create_graph_menu (void)
{
  GtkWidget *button = gtk_menu_button_new ();
  g_autoptr (GMenu) menu = g_menu_new ();
  g_autoptr (GMenu) folds = g_menu_new (), marks = g_menu_new (), look = g_menu_new ();

  g_menu_append (folds, "Fold or Unfold the Loop", "win.graph-fold");
  g_menu_append (folds, "Unfold All", "win.graph-unfold-all");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (folds));
  g_menu_append (marks, "Highlight the Selection", "win.graph-mark");
  g_menu_append (marks, "No Longer Highlight It", "win.graph-unmark");
  g_menu_append (marks, "Card of the Selection", "win.graph-card");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (marks));
  g_menu_append (look, "Compare with\xe2\x80\xa6", "win.compare");
  g_menu_append (look, "Compare with the Step Before", "win.compare-end");
  g_menu_append (look, "Legend", "win.graph-legend");
  g_menu_append (look, "Map", "win.graph-map");
  g_menu_append (look, "Animation", "win.animate");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (look));
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (button), "view-more-symbolic");
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (button), G_MENU_MODEL (menu));
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (button, "More of the graph");
  return button;
}

static void
create_graph_tools (HirWindow *self)
{
  self->graph_tools = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 2);
  self->show_diff = add_tool_toggle (
      self, "Diff", "What differs from what the step is compared with (g)",
      G_CALLBACK (on_diff_toggled));
  self->show_near = add_tool_toggle (
      self, "Near", "Only what is near the selection (n); more or less of it (. ,); one way (u)",
      G_CALLBACK (on_near_toggled));
  gtk_box_append (GTK_BOX (self->graph_tools), create_graph_menu ());
  gtk_box_append (GTK_BOX (self->graph_tools),
                  flat_button ("list-remove-symbolic", "win.graph-zoom-out", "Zoom out (-)"));
  gtk_box_append (GTK_BOX (self->graph_tools),
                  flat_button ("list-add-symbolic", "win.graph-zoom-in", "Zoom in (+)"));
  gtk_box_append (GTK_BOX (self->graph_tools),
                  flat_button ("zoom-fit-best-symbolic", "win.graph-fit", "Show all of it (f)"));
}

static GtkWidget *
create_graph_pane (HirWindow *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *spring = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  self->graph_pane = HIR_GRAPH_PANE (hir_graph_pane_new (self->selection));
  self->graph = hir_graph_pane_get_view (self->graph_pane);
  self->stats = HIR_STATS_PAGE (hir_stats_page_new (self->selection));
  self->views = GTK_STACK (gtk_stack_new ());
  gtk_stack_add_named (self->views, GTK_WIDGET (self->graph_pane), "graph");
  gtk_stack_add_named (self->views, GTK_WIDGET (self->stats), "statistics");
  gtk_widget_set_vexpand (GTK_WIDGET (self->views), TRUE);
  gtk_widget_set_hexpand (GTK_WIDGET (self->views), TRUE);
  create_graph_tools (self);
  self->tabs = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  self->kinds = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_widget_add_css_class (self->kinds, "views");
  self->show_graph = add_kind (self, "Graph", NULL, NULL);
  gtk_toggle_button_set_active (self->show_graph, TRUE);
  self->show_lanes = add_kind (self, "Lanes", "Streams as columns, program order as rows (v)",
                               G_CALLBACK (on_lanes_toggled));
  self->show_stats = add_kind (self, "Statistics",
                               "Numbers of the recording, or of the range that is chosen in it",
                               G_CALLBACK (on_stats_toggled));
  gtk_widget_set_hexpand (spring, TRUE);
  gtk_widget_add_css_class (self->tabs, "tabs");
  gtk_box_append (GTK_BOX (self->tabs), self->kinds);
  gtk_box_append (GTK_BOX (self->tabs), spring);
  gtk_box_append (GTK_BOX (self->tabs), self->graph_tools);
  gtk_box_append (GTK_BOX (box), self->tabs);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->views));
  return box;
}

static GtkWidget *
create_timeline_pane (HirWindow *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *strip = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *status = gtk_label_new ("");
  GtkWidget *keys = gtk_label_new ("WASD  zoom and move   \302\267   drag the ruler to measure   \302\267   F1  all keys");

  self->spinner = GTK_SPINNER (gtk_spinner_new ());
  self->status = GTK_LABEL (status);
  gtk_label_set_xalign (self->status, 0);
  gtk_label_set_ellipsize (self->status, PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (status, TRUE);
  self->keys_hint = keys;
  gtk_label_set_ellipsize (GTK_LABEL (keys), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (keys, "dim-label");
  gtk_widget_add_css_class (strip, "strip");
  gtk_box_append (GTK_BOX (strip), GTK_WIDGET (self->spinner));
  gtk_box_append (GTK_BOX (strip), status);
  self->account = HIR_ACCOUNT_BUTTON (hir_account_button_new (self->selection));
  gtk_box_append (GTK_BOX (strip), GTK_WIDGET (self->account));
  gtk_box_append (GTK_BOX (strip), keys);
  gtk_box_append (GTK_BOX (strip), flat_button ("view-list-symbolic", "win.timeline-fold",
                                                "Fold or unfold all ranks (e)"));
  gtk_box_append (GTK_BOX (strip), flat_button ("list-remove-symbolic", "win.timeline-zoom-out",
                                                "Zoom the timeline out (-)"));
  gtk_box_append (GTK_BOX (strip), flat_button ("list-add-symbolic", "win.timeline-zoom-in",
                                                "Zoom the timeline in (+)"));
  gtk_box_append (GTK_BOX (strip), flat_button ("zoom-fit-best-symbolic", "win.timeline-fit",
                                                "All of the trace (f)"));
  self->timeline_pane = HIR_TIMELINE_PANE (hir_timeline_pane_new (self->selection));
  self->timeline = hir_timeline_pane_get_view (self->timeline_pane);
  self->search = hir_timeline_pane_get_search (self->timeline_pane);
  gtk_widget_set_vexpand (GTK_WIDGET (self->timeline_pane), TRUE);
  gtk_box_append (GTK_BOX (box), strip);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->timeline_pane));
  return box;
}

static gboolean
follow_room (gpointer user_data)
{
  hir_window_follow_room (user_data);
  return G_SOURCE_REMOVE;
}

static void
on_room (GtkPaned *rows, GParamSpec *pspec, gpointer user_data)
{
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, follow_room, g_object_ref (user_data), g_object_unref);
}

/* At the first allocation, whatever size the window got: timeline and inspector have the size they
 * are made for, the others what is left. Not in the allocation itself, which a new position would
 * begin again. */
static void
on_first_room (GtkPaned *rows, GParamSpec *pspec, gpointer user_data)
{
  HirWindow *self = user_data;

  g_signal_handlers_disconnect_by_func (rows, on_first_room, self);
  hir_window_share_room (self);
  g_signal_connect (rows, "notify::max-position", G_CALLBACK (on_room), self);
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
  gtk_box_append (GTK_BOX (passes), hir_rank_switch_new (self->selection));
  gtk_box_append (GTK_BOX (passes), self->passes);
  gtk_widget_set_size_request (passes, 160, -1);
  self->passes_pane = passes;
  gtk_widget_set_size_request (inspector, 200, -1);
  self->inspector = inspector;
  gtk_widget_set_size_request (GTK_WIDGET (self->text), 220, -1);

  right = paned_new (GTK_ORIENTATION_HORIZONTAL, create_graph_pane (self), inspector,
                     DEFAULT_WIDTH - PASSES_WIDTH - TEXT_WIDTH - INSPECTOR_WIDTH);
  gtk_paned_set_resize_start_child (GTK_PANED (right), TRUE);
  gtk_paned_set_resize_end_child (GTK_PANED (right), FALSE);
  self->columns = GTK_PANED (right);
  middle = paned_new (GTK_ORIENTATION_HORIZONTAL, GTK_WIDGET (self->text), right, TEXT_WIDTH);
  gtk_paned_set_resize_start_child (GTK_PANED (middle), TRUE);
  self->middle = GTK_PANED (middle);
  top = paned_new (GTK_ORIENTATION_HORIZONTAL, passes, middle, PASSES_WIDTH);
  self->left = GTK_PANED (top);
  self->bottom = create_timeline_pane (self);
  top = hir_window_create_check (self, top);
  top = hir_window_create_debug (self, top);
  top = paned_new (GTK_ORIENTATION_VERTICAL, top, self->bottom,
                   DEFAULT_HEIGHT - TIMELINE_HEIGHT - 48);
  gtk_paned_set_resize_start_child (GTK_PANED (top), TRUE);
  gtk_paned_set_resize_end_child (GTK_PANED (top), FALSE);
  self->rows = GTK_PANED (top);
  g_signal_connect (top, "notify::max-position", G_CALLBACK (on_first_room), self);
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
  self->export_strip = hir_export_strip_new ();
  gtk_box_append (GTK_BOX (box), self->export_strip);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->toasts));
  adw_application_window_set_content (ADW_APPLICATION_WINDOW (self), box);
  hir_window_restore_layout (self);
  hir_window_watch_width (self, header, self->keys_hint);
  hir_window_follow_settings (self);
}
