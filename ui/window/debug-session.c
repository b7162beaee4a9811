#include "window/debug-controller-private.h"
#include "window/window-panes.h"

/* Most steps take less than this and show no progress. */
#define SLOW_MS 250

void
hir_debug_sent_free (HirDebugSent *sent)
{
  g_free (sent->text);
  g_free (sent);
}

static gboolean
on_slow (gpointer user_data)
{
  HirDebugController *self = user_data;

  self->slow = 0;
  self->is_slow = TRUE;
  hir_window_update (self->window);
  return G_SOURCE_REMOVE;
}

void
hir_debug_controller_update_slow (HirDebugController *self)
{
  if (g_queue_is_empty (self->sent))
    {
      g_clear_handle_id (&self->slow, g_source_remove);
      self->is_slow = FALSE;
    }
  else if (self->slow == 0 && !self->is_slow)
    {
      self->slow = g_timeout_add (SLOW_MS, on_slow, self);
    }
}

void
hir_debug_controller_send (HirDebugController *self, const char *line, guint key)
{
  guint number = hir_document_debug (self->window->document, line);
  HirDebugSent *sent;

  if (number == 0)
    return;
  sent = g_new (HirDebugSent, 1);
  sent->number = number;
  sent->key = key;
  sent->text = g_strdup (line);
  g_queue_push_tail (self->sent, sent);
  hir_debug_controller_update_slow (self);
  hir_window_update (self->window);
}

void
hir_debug_controller_show_panel (HirDebugController *self)
{
  hir_window_raise_bottom (self->window, HIR_BOTTOM_DEBUGGER);
}

HirDebugPage *
hir_debug_controller_get_page (HirDebugController *self)
{
  return self->page;
}
