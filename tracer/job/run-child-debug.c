/* Debugging the process of a run: lines to it, states from it. */
#include "job/run-child-private.h"

guint
hir_run_child_debug (HirRunChild *self, const char *line)
{
  g_autofree char *valid = g_utf8_make_valid (line, -1);

  if (self->fd < 0 ||
      !hir_run_child_queue_frame (self, HIR_CONTROL_DEBUG,
                                  g_variant_new ("(us)", self->n_debug_lines + 1, valid), NULL))
    return 0;
  return ++self->n_debug_lines;
}

void
hir_run_child_pause (HirRunChild *self)
{
  if (self->fd >= 0)
    hir_run_child_queue_frame (self, HIR_CONTROL_PAUSE, g_variant_new_boolean (TRUE), NULL);
}

void
hir_run_child_take_state (HirRunChild *self, GVariant *payload)
{
  g_autoptr (GVariant) variant = g_variant_get_child_value (payload, 1);
  g_autoptr (HirDebugState) state = hir_debug_state_new_from_variant (variant);
  guint number;

  g_variant_get_child (payload, 0, "u", &number);
  self->has_stood |= state->is_running;
  if (self->callbacks.debugged != NULL)
    self->callbacks.debugged (number, state, self->user_data);
}

gboolean
hir_run_child_has_stood (const HirRunChild *self)
{
  return self->has_stood && self->fd >= 0;
}
