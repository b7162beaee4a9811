#include "base/focus.h"

void
hir_focus_leave (GtkWidget *inside, GtkWidget *heir)
{
  GtkRoot *root = gtk_widget_get_root (inside);
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  if (focus == NULL || (focus != inside && !gtk_widget_is_ancestor (focus, inside)))
    return;
  if (heir == NULL || !gtk_widget_grab_focus (heir))
    gtk_root_set_focus (root, NULL);
}

/* Of a window. */
typedef struct
{
  GtkWindow *window;     /* borrowed: owner */
  GtkWidget *before;     /* weak: the last focus outside of popovers and their buttons */
  gboolean in_popover;   /* the focus is in a popover */
  gboolean uses_pointer; /* the last press was one of a button, not of a key */
  gboolean is_clicked;   /* the focus is on a button of a popover that was clicked */
  guint idle;            /* idle source that returns the focus; 0: none */
} Return;

static GtkWidget *
get_menu_button (GtkWidget *focus)
{
  return GTK_IS_MENU_BUTTON (focus) ? focus : gtk_widget_get_ancestor (focus, GTK_TYPE_MENU_BUTTON);
}

static GtkWidget *
get_popover (GtkWidget *focus)
{
  return focus != NULL ? gtk_widget_get_ancestor (focus, GTK_TYPE_POPOVER) : NULL;
}

/* Also a widget in a closed popover: where a menu with an open submenu closes, GTK 4.8 focuses the
 * row of the submenu in the hidden menu, and every key is lost there. */
static gboolean
is_opener (GtkWidget *focus)
{
  GtkWidget *popover = get_popover (focus);

  if (popover != NULL)
    return !gtk_widget_is_visible (popover);
  return focus == NULL || GTK_IS_DROP_DOWN (focus) || get_menu_button (focus) != NULL ||
         gtk_widget_get_ancestor (focus, GTK_TYPE_DROP_DOWN) != NULL;
}

/* Not while the popover is open: a menu that was clicked leaves the focus on its button. */
static gboolean
return_in_idle (gpointer user_data)
{
  Return *self = user_data;
  GtkWidget *focus = gtk_window_get_focus (self->window);
  GtkWidget *button = focus != NULL ? get_menu_button (focus) : NULL;
  GtkPopover *popover =
      button != NULL ? gtk_menu_button_get_popover (GTK_MENU_BUTTON (button)) : NULL;

  self->idle = 0;
  if (is_opener (focus) && (popover == NULL || !gtk_widget_get_visible (GTK_WIDGET (popover))))
    gtk_window_set_focus (self->window, self->before != NULL && gtk_widget_get_mapped (self->before)
                                            ? self->before
                                            : NULL);
  return G_SOURCE_REMOVE;
}

/* Deferred: the focus must not change while GTK changes it or before Escape is handled. Runs
 * before the next key is. */
static void
return_soon (Return *self)
{
  if (self->idle == 0)
    self->idle = g_idle_add_full (G_PRIORITY_HIGH, return_in_idle, self, NULL);
}

static void
on_focus (GtkWindow *window, GParamSpec *spec, gpointer user_data)
{
  Return *self = user_data;
  GtkWidget *focus = gtk_window_get_focus (window);
  GtkWidget *popover = get_popover (focus);
  gboolean was_in_popover = self->in_popover || popover != NULL;

  self->in_popover = popover != NULL && !is_opener (focus);
  if (self->in_popover)
    return;
  /* A button that was reached with Tab is a place, one that was clicked is not. */
  self->is_clicked = is_opener (focus) && self->uses_pointer;
  if (was_in_popover && is_opener (focus))
    return_soon (self);
  else if (!self->is_clicked)
    g_set_weak_pointer (&self->before, focus);
}

/* Not the visibility of the focus: it stays for some seconds after a key. */
static gboolean
on_event (GtkEventControllerLegacy *controller, GdkEvent *event, gpointer user_data)
{
  Return *self = user_data;
  GdkEventType type = gdk_event_get_event_type (event);

  if (type == GDK_BUTTON_PRESS || type == GDK_TOUCH_BEGIN)
    self->uses_pointer = TRUE;
  else if (type == GDK_KEY_PRESS)
    {
      self->uses_pointer = FALSE;
      if (self->is_clicked)
        return_soon (self);
    }
  return FALSE;
}

static void
return_free (gpointer data)
{
  Return *self = data;

  g_clear_handle_id (&self->idle, g_source_remove);
  g_clear_weak_pointer (&self->before);
  g_free (self);
}

void
hir_focus_return_from_popovers (GtkWindow *window)
{
  Return *self = g_new0 (Return, 1);
  GtkEventController *events = gtk_event_controller_legacy_new ();

  self->window = window;
  g_signal_connect (window, "notify::focus-widget", G_CALLBACK (on_focus), self);
  gtk_event_controller_set_propagation_phase (events, GTK_PHASE_CAPTURE);
  g_signal_connect (events, "event", G_CALLBACK (on_event), self);
  gtk_widget_add_controller (GTK_WIDGET (window), events);
  g_object_set_data_full (G_OBJECT (window), "hir-focus-return", self, return_free);
}
