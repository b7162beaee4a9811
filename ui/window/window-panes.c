#include "window/window-panes.h"

#include "base/focus.h"
#include "window/window-layout.h"

/* Height of the line with tabs or the title above each pane, at a text size of 100%. */
#define HEAD_HEIGHT 38

static gboolean
is_wanted (HirWindow *self, HirPane pane)
{
  gboolean has_passes = hir_window_has_passes (self);

  if (pane == HIR_PANE_PASSES)
    return has_passes && hir_settings_get (self->settings, HIR_SETTING_SHOW_PASSES);
  if (pane == HIR_PANE_TEXT)
    return has_passes;
  return pane != HIR_PANE_INSPECTOR ||
         hir_settings_get (self->settings, HIR_SETTING_SHOW_INSPECTOR);
}

static gboolean
is_visible (HirWindow *self, HirPane pane)
{
  return gtk_widget_get_visible (self->layout.panes[pane]);
}

void
hir_window_arrange_panes (HirWindow *self)
{
  HirWindowLayout *layout = &self->layout;

  if (layout->maximized != HIR_PANE_NONE && !is_wanted (self, layout->maximized))
    layout->maximized = HIR_PANE_NONE;
  for (int i = 0; i < HIR_N_PANES; i++)
    {
      HirPane pane = (HirPane) i;
      gboolean is_shown = is_wanted (self, pane) &&
                          (layout->maximized == HIR_PANE_NONE || layout->maximized == pane);

      if (!is_shown)
        hir_focus_leave (layout->panes[i], layout->maximized != HIR_PANE_NONE
                                               ? layout->panes[layout->maximized]
                                               : NULL);
      gtk_widget_set_visible (layout->panes[i], is_shown);
    }
  gtk_widget_set_visible (GTK_WIDGET (layout->columns), is_visible (self, HIR_PANE_VIEWS) ||
                                                            is_visible (self, HIR_PANE_INSPECTOR));
  gtk_widget_set_visible (GTK_WIDGET (layout->middle),
                          is_visible (self, HIR_PANE_TEXT) ||
                              gtk_widget_get_visible (GTK_WIDGET (layout->columns)));
  gtk_widget_set_visible (GTK_WIDGET (layout->left),
                          is_visible (self, HIR_PANE_PASSES) ||
                              gtk_widget_get_visible (GTK_WIDGET (layout->middle)));
  gtk_widget_set_visible (self->restore, layout->maximized != HIR_PANE_NONE);
}

static void
maximize (HirWindow *self, HirPane pane)
{
  if (self->layout.maximized == HIR_PANE_NONE)
    hir_window_remember_sizes (self);
  self->layout.maximized = pane;
  hir_window_arrange_panes (self);
  hir_window_update_bottom (self);
}

gboolean
hir_window_restore_panes (HirWindow *self)
{
  if (self->layout.maximized == HIR_PANE_NONE)
    return FALSE;
  maximize (self, HIR_PANE_NONE);
  hir_window_share_room (self);
  return TRUE;
}

void
hir_window_reveal_pane (HirWindow *self, HirPane pane)
{
  if (self->layout.maximized != pane)
    hir_window_restore_panes (self);
}

/* Returns the pane that contains @widget, or HIR_PANE_NONE. */
static HirPane
find_pane (HirWindow *self, GtkWidget *widget)
{
  for (int i = 0; widget != NULL && i < HIR_N_PANES; i++)
    if (widget == self->layout.panes[i] || gtk_widget_is_ancestor (widget, self->layout.panes[i]))
      return (HirPane) i;
  return HIR_PANE_NONE;
}

void
hir_window_maximize_pane (HirWindow *self, GVariant *parameter, int argument)
{
  HirPane pane = find_pane (self, gtk_window_get_focus (GTK_WINDOW (self)));

  if (hir_window_in_workspace (self) && !hir_window_restore_panes (self))
    maximize (self, pane != HIR_PANE_NONE ? pane : HIR_PANE_VIEWS);
}

void
hir_window_show_all_panes (HirWindow *self, GVariant *parameter, int argument)
{
  hir_window_restore_panes (self);
}

/* Returns whether a click at the coordinates is on the head of @pane, and not on a control there.
 * The head of the passes has two lines. */
static gboolean
is_head (GtkWidget *pane, double x, double y, double height)
{
  GtkWidget *widget = gtk_widget_pick (pane, x, y, GTK_PICK_DEFAULT);
  gboolean is_inside = y <= height;

  for (; widget != NULL && widget != pane; widget = gtk_widget_get_parent (widget))
    {
      if (GTK_IS_BUTTON (widget) || GTK_IS_EDITABLE (widget) || GTK_IS_TEXT_VIEW (widget) ||
          GTK_IS_LIST_BOX_ROW (widget) || GTK_IS_DROP_DOWN (widget))
        return FALSE;
      is_inside |= gtk_widget_has_css_class (widget, "pass-header");
    }
  return is_inside;
}

static void
on_head_pressed (GtkGestureClick *gesture, int n_press, double x, double y, gpointer user_data)
{
  HirWindow *self = user_data;
  GtkWidget *pane = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (gesture));
  int size = hir_settings_get (self->settings, HIR_SETTING_TEXT_SIZE);

  if (n_press != 2 || !is_head (pane, x, y, HEAD_HEIGHT * size / 100.0))
    return;
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  if (!hir_window_restore_panes (self))
    maximize (self, find_pane (self, pane));
}

void
hir_window_watch_heads (HirWindow *self)
{
  for (int i = 0; i < HIR_N_PANES; i++)
    {
      GtkGesture *gesture = gtk_gesture_click_new ();

      g_signal_connect (gesture, "pressed", G_CALLBACK (on_head_pressed), self);
      gtk_widget_add_controller (self->layout.panes[i], GTK_EVENT_CONTROLLER (gesture));
    }
}

/* Returns whether @tab is the displayed one. */
static gboolean
is_displayed (HirWindow *self, HirBottomTab tab)
{
  const HirBottomPlace *bottom = &self->bottom;

  return bottom->n_opened > 0 && bottom->opened[bottom->n_opened - 1] == tab;
}

void
hir_window_toggle_pane (HirWindow *self, GVariant *parameter, int argument)
{
  HirSetting setting = (HirSetting) argument;

  hir_window_restore_panes (self);
  if (setting == HIR_SETTING_SHOW_TIMELINE)
    {
      if (is_displayed (self, HIR_BOTTOM_TIMELINE))
        hir_window_close_bottom (self, HIR_BOTTOM_TIMELINE);
      else
        hir_window_raise_bottom (self, HIR_BOTTOM_TIMELINE);
      return;
    }
  hir_settings_set (self->settings, setting, !hir_settings_get (self->settings, setting));
  hir_window_arrange_panes (self);
}

/* --- bottom place ------------------------------------------------------------------------- */

static const struct
{
  const char *label, *tooltip;
} kinds[HIR_N_BOTTOM_TABS] = {
  [HIR_BOTTOM_TIMELINE] = { "Timeline", "Show the timeline (F12)" },
  [HIR_BOTTOM_DEBUGGER] = { "Debugger", "Show the debugger" },
  [HIR_BOTTOM_CHECK] = { "Check", "Show the synchronization check" },
  [HIR_BOTTOM_BISECT] = { "Bisect", "Show the search for the first incorrect pass" },
};

static const char keys_hint[] =
    "WASD  zoom and move   \302\267   drag the ruler to measure   \302\267   F1  all keys";
static const char empty_hint[] = "Space  run   \302\267   F6  debug   \302\267   F1  all keys";

static gboolean
is_open (const HirBottomPlace *bottom, HirBottomTab tab)
{
  for (guint i = 0; i < bottom->n_opened; i++)
    if (bottom->opened[i] == tab)
      return TRUE;
  return FALSE;
}

static void
forget (HirBottomPlace *bottom, HirBottomTab tab)
{
  guint n = 0;

  for (guint i = 0; i < bottom->n_opened; i++)
    if (bottom->opened[i] != tab)
      bottom->opened[n++] = bottom->opened[i];
  bottom->n_opened = n;
}

void
hir_window_update_bottom (HirWindow *self)
{
  HirBottomPlace *bottom = &self->bottom;
  gboolean is_maximized = self->layout.maximized == HIR_PANE_BOTTOM;
  gboolean is_timeline = is_displayed (self, HIR_BOTTOM_TIMELINE);
  gboolean is_empty = hir_selection_get_trace (self->selection) == NULL;
  const char *obstacle = hir_document_get_obstacle (self->document);
  g_autofree char *hint =
      g_strdup_printf ("No recording   \302\267   %s", obstacle != NULL ? obstacle : empty_hint);
  gboolean is_shown = bottom->n_opened > 0 && (is_maximized || !is_timeline || !is_empty);

  hir_window_set_bottom_low (self, !is_maximized &&
                                       (!is_shown || is_displayed (self, HIR_BOTTOM_BISECT)));
  for (guint i = 0; i < HIR_N_BOTTOM_TABS; i++)
    gtk_toggle_button_set_active (bottom->tabs[i], is_displayed (self, (HirBottomTab) i));
  if (bottom->n_opened > 0)
    gtk_stack_set_visible_child (bottom->stack,
                                 bottom->pages[bottom->opened[bottom->n_opened - 1]]);
  gtk_widget_set_visible (GTK_WIDGET (bottom->stack), is_shown);
  gtk_widget_set_visible (self->timeline_tools, is_timeline && is_shown);
  gtk_label_set_text (GTK_LABEL (self->keys_hint), !is_timeline ? "" : is_empty ? hint : keys_hint);
}

void
hir_window_raise_bottom (HirWindow *self, HirBottomTab tab)
{
  HirBottomPlace *bottom = &self->bottom;

  forget (bottom, tab);
  bottom->opened[bottom->n_opened++] = tab;
  gtk_widget_set_visible (bottom->pages[tab], TRUE);
  gtk_widget_set_visible (GTK_WIDGET (bottom->tabs[tab]), TRUE);
  if (tab == HIR_BOTTOM_TIMELINE)
    hir_settings_set (self->settings, HIR_SETTING_SHOW_TIMELINE, TRUE);
  hir_window_reveal_pane (self, HIR_PANE_BOTTOM);
  hir_window_update_bottom (self);
}

/* The tab of the timeline remains, so that a click can show it again. */
void
hir_window_close_bottom (HirWindow *self, HirBottomTab tab)
{
  HirBottomPlace *bottom = &self->bottom;

  hir_focus_leave (bottom->pages[tab], NULL);
  forget (bottom, tab);
  if (tab == HIR_BOTTOM_TIMELINE)
    hir_settings_set (self->settings, HIR_SETTING_SHOW_TIMELINE, FALSE);
  hir_window_update_bottom (self);
  gtk_widget_set_visible (bottom->pages[tab], FALSE);
  gtk_widget_set_visible (GTK_WIDGET (bottom->tabs[tab]), tab == HIR_BOTTOM_TIMELINE);
}

void
hir_window_raise_timeline (HirWindow *self)
{
  if (is_open (&self->bottom, HIR_BOTTOM_TIMELINE))
    hir_window_raise_bottom (self, HIR_BOTTOM_TIMELINE);
}

static void
on_tab (GtkToggleButton *button, gpointer user_data)
{
  HirWindow *self = user_data;

  for (guint i = 0; i < HIR_N_BOTTOM_TABS; i++)
    if (self->bottom.tabs[i] == button)
      hir_window_raise_bottom (self, (HirBottomTab) i);
}

void
hir_window_add_bottom_page (HirWindow *self, HirBottomTab tab, GtkWidget *page)
{
  gtk_widget_set_visible (page, FALSE);
  gtk_stack_add_child (self->bottom.stack, page);
  self->bottom.pages[tab] = page;
}

GtkWidget *
hir_window_create_bottom (HirWindow *self)
{
  HirBottomPlace *bottom = &self->bottom;
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  bottom->strip = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  gtk_widget_add_css_class (bottom->strip, "strip");
  gtk_widget_add_css_class (bottom->strip, "tabs");
  bottom->kinds = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_widget_add_css_class (bottom->kinds, "views");
  for (guint i = 0; i < HIR_N_BOTTOM_TABS; i++)
    {
      GtkWidget *tab = gtk_toggle_button_new_with_label (kinds[i].label);

      gtk_widget_set_focus_on_click (tab, FALSE);
      gtk_widget_set_tooltip_text (tab, kinds[i].tooltip);
      gtk_widget_set_visible (tab, i == HIR_BOTTOM_TIMELINE);
      gtk_box_append (GTK_BOX (bottom->kinds), tab);
      bottom->tabs[i] = GTK_TOGGLE_BUTTON (tab);
      /* "clicked", because "toggled" is emitted while the tabs are updated, too. */
      g_signal_connect (tab, "clicked", G_CALLBACK (on_tab), self);
    }
  gtk_box_append (GTK_BOX (bottom->strip), bottom->kinds);
  bottom->stack = GTK_STACK (gtk_stack_new ());
  gtk_stack_set_vhomogeneous (bottom->stack, FALSE);
  gtk_stack_set_hhomogeneous (bottom->stack, FALSE);
  gtk_widget_set_vexpand (GTK_WIDGET (bottom->stack), TRUE);
  gtk_box_append (GTK_BOX (box), bottom->strip);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (bottom->stack));
  return box;
}
