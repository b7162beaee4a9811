/* Lines that are sent to the debugged program, and watched expressions. */
#include "debugger/break-memory.h"
#include "window/debug-controller-private.h"
#include "window/window-panes.h"

#include <string.h>

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
hir_debug_controller_store (HirDebugController *self)
{
  if (self->document != NULL)
    hir_break_memory_keep (self->memory, self->document, self->breaks, self->watches);
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

#define DISPLAY "display "

static void
send_watch (HirDebugController *self, const HirWatch *watch)
{
  g_autofree char *line = g_strconcat (DISPLAY, watch->text, NULL);

  hir_debug_controller_send (self, line, 0);
}

void
hir_debug_watches_send (HirDebugController *self)
{
  const GPtrArray *watches = hir_debug_watches_get (self->watches);

  for (guint i = 0; i < watches->len; i++)
    send_watch (self, watches->pdata[i]);
}

void
hir_debug_watches_show (HirDebugController *self)
{
  hir_watch_list_set (hir_debug_page_get_watches (self->page),
                      hir_debug_watches_get (self->watches));
}

void
hir_debug_watches_answer (HirDebugController *self,
                          const char *line,
                          const HirDebugState *state,
                          gboolean has_moved)
{
  hir_debug_watches_take (self->watches, state, has_moved);
  if (line != NULL && state->error != NULL && g_str_has_prefix (line, DISPLAY))
    hir_debug_watches_reject (self->watches, line + strlen (DISPLAY), state->error);
  hir_debug_watches_show (self);
}

/* Returns the name of the selected tensor of the host program, such as "T5", or NULL. */
static char *
dup_selected_tensor (HirWindow *window)
{
  HirProgram *program = hir_document_get_program (window->document);
  HirContainer *host = program != NULL ? hir_program_get_host (program) : NULL;
  GArray *ids;

  if (host == NULL)
    return NULL;
  ids = hir_selection_get_nodes_at (window->selection, program->views->len - 1);
  for (guint i = 0; i < ids->len; i++)
    {
      const HirTensor *tensor = hir_container_lookup_tensor (host, g_array_index (ids, guint64, i));

      if (tensor != NULL)
        return g_strdup_printf ("T%d", tensor->base.name);
    }
  return NULL;
}

void
hir_window_watch (HirWindow *window, GVariant *parameter, int argument)
{
  g_autofree char *text = dup_selected_tensor (window);

  hir_debug_controller_show_panel (window->debugger);
  hir_debug_page_focus_watches (window->debugger->page, text);
}

void
hir_window_watch_add (HirWindow *window, GVariant *parameter, int argument)
{
  HirDebugController *self = window->debugger;
  const HirWatch *watch =
      hir_debug_watches_add (self->watches, g_variant_get_string (parameter, NULL));

  if (watch != NULL && self->is_debugging)
    send_watch (self, watch);
  hir_debug_watches_show (self);
  hir_debug_controller_store (self);
}

void
hir_window_watch_delete (HirWindow *window, GVariant *parameter, int argument)
{
  HirDebugController *self = window->debugger;
  guint number = hir_debug_watches_remove (self->watches, g_variant_get_string (parameter, NULL));
  g_autofree char *line = g_strdup_printf ("undisplay %u", number);

  if (self->is_debugging && number > 0)
    hir_debug_controller_send (self, line, 0);
  hir_debug_watches_show (self);
  hir_debug_controller_store (self);
}
