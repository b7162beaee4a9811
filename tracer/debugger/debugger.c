/* The debugger object: programs, current run, displayed rank, breakpoints. */
#include "debugger/debugger.h"

#include "debugger/debugger-private.h"

void
hir_debug_stop_clear (HirDebugStop *stop)
{
  g_clear_pointer (&stop->error, g_free);
}

static void
update_view (HirDebugger *debugger)
{
  debugger->view =
      (HirDebugView){ debugger->run, debugger->rank,
                      (HirContainer *const *) debugger->programs->pdata, debugger->programs->len };
}

HirDebugger *
hir_debugger_new (HirContainer *const *programs,
                  guint n_programs,
                  HirDebugMake make,
                  gpointer user_data)
{
  HirDebugger *debugger = g_new0 (HirDebugger, 1);

  debugger->programs = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_container_unref);
  debugger->numbers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  for (guint i = 0; i < n_programs; i++)
    {
      g_ptr_array_add (debugger->programs, hir_container_ref (programs[i]));
      g_ptr_array_add (debugger->numbers, hir_instruction_numbers (programs[i]));
    }
  debugger->make = make;
  debugger->user_data = user_data;
  debugger->undo_bytes = HIR_DEBUG_UNDO_BYTES;
  debugger->breakpoints = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_breakpoint_free);
  update_view (debugger);
  return debugger;
}

void
hir_debugger_set_sizes (HirDebugger *debugger, HirEnv *sizes)
{
  g_clear_pointer (&debugger->sizes, hir_env_free);
  debugger->sizes = sizes;
}

void
hir_debugger_free (HirDebugger *debugger)
{
  g_clear_pointer (&debugger->run, hir_debug_run_free);
  g_clear_pointer (&debugger->sizes, hir_env_free);
  g_ptr_array_unref (debugger->breakpoints);
  g_ptr_array_unref (debugger->numbers);
  g_ptr_array_unref (debugger->programs);
  g_free (debugger->failure);
  g_free (debugger);
}

gboolean
hir_debugger_start (HirDebugger *debugger, GError **error)
{
  g_clear_pointer (&debugger->run, hir_debug_run_free);
  g_clear_pointer (&debugger->failure, g_free);
  debugger->run =
      hir_debug_run_new (debugger->make, debugger->user_data, debugger->undo_bytes, error);
  if (debugger->run != NULL)
    hir_debug_run_set_checkpoints (debugger->run, debugger->undo_bytes > 0, debugger->every);
  update_view (debugger);
  return debugger->run != NULL;
}

HirDebugRun *
hir_debugger_get_run (HirDebugger *debugger)
{
  return debugger->run;
}

void
hir_debugger_set_undo_bytes (HirDebugger *debugger, gsize n_bytes)
{
  debugger->undo_bytes = n_bytes;
  if (debugger->run == NULL)
    return;
  hir_undo_log_set_max_bytes (hir_debug_run_get_log (debugger->run), n_bytes);
  hir_debug_run_set_keeps (debugger->run, n_bytes > 0);
}

void
hir_debugger_set_checkpoints (HirDebugger *debugger, guint64 every)
{
  debugger->every = every;
  if (debugger->run != NULL)
    hir_debug_run_set_checkpoints (debugger->run, debugger->undo_bytes > 0, every);
}

void
hir_debugger_request_stop (HirDebugger *debugger)
{
  g_atomic_int_set (&debugger->stop, 1);
  if (debugger->run != NULL)
    hir_debug_run_request_stop (debugger->run);
}

void
hir_debugger_clear_stop (HirDebugger *debugger)
{
  g_atomic_int_set (&debugger->stop, 0);
  if (debugger->run != NULL)
    hir_debug_run_clear_stop (debugger->run);
}

const char *
hir_debugger_get_failure (const HirDebugger *debugger)
{
  return debugger->failure;
}

guint
hir_debugger_get_rank (const HirDebugger *debugger)
{
  return debugger->rank;
}

void
hir_debugger_set_rank (HirDebugger *debugger, guint i)
{
  g_return_if_fail (i < debugger->programs->len);
  debugger->rank = i;
  update_view (debugger);
}

gboolean
hir_debugger_get_alone (const HirDebugger *debugger)
{
  return debugger->alone;
}

void
hir_debugger_set_alone (HirDebugger *debugger, gboolean alone)
{
  debugger->alone = alone;
}

guint32
hir_debugger_get_moving (const HirDebugger *debugger)
{
  return debugger->alone ? 1u << debugger->rank : HIR_DEBUG_ALL_RANKS;
}

const HirDebugView *
hir_debugger_get_view (HirDebugger *debugger)
{
  return &debugger->view;
}

guint
hir_debugger_get_n_ranks (const HirDebugger *debugger)
{
  return debugger->programs->len;
}

HirContainer *
hir_debugger_get_program (const HirDebugger *debugger, guint i)
{
  return g_ptr_array_index (debugger->programs, i);
}

const GPtrArray *
hir_debugger_get_numbers (const HirDebugger *debugger, guint i)
{
  return g_ptr_array_index (debugger->numbers, i);
}

HirBreakpoint *
hir_debugger_add_breakpoint (HirDebugger *debugger,
                             HirBreakKind kind,
                             const char *text,
                             GError **error)
{
  g_autoptr (GPtrArray) programs = g_ptr_array_new ();
  HirBreakScope scope = { .sizes = debugger->sizes };
  HirDebugNames names;
  HirBreakpoint *breakpoint;

  /* Instruction numbers refer to the displayed rank. */
  g_ptr_array_add (programs, g_ptr_array_index (debugger->programs, debugger->rank));
  for (guint i = 0; i < debugger->programs->len; i++)
    if (i != debugger->rank)
      g_ptr_array_add (programs, g_ptr_array_index (debugger->programs, i));
  hir_debug_view_init_names (&debugger->view, &names);
  scope.programs = (HirContainer *const *) programs->pdata;
  scope.n_programs = programs->len;
  breakpoint = hir_breakpoint_new (kind, text, &scope, &names, error);
  if (breakpoint == NULL)
    return NULL;
  breakpoint->number = ++debugger->n_breakpoints;
  g_ptr_array_add (debugger->breakpoints, breakpoint);
  return breakpoint;
}

const GPtrArray *
hir_debugger_get_breakpoints (const HirDebugger *debugger)
{
  return debugger->breakpoints;
}

HirBreakpoint *
hir_debugger_lookup_breakpoint (HirDebugger *debugger, guint number)
{
  for (guint i = 0; i < debugger->breakpoints->len; i++)
    {
      HirBreakpoint *breakpoint = g_ptr_array_index (debugger->breakpoints, i);

      if (breakpoint->number == number)
        return breakpoint;
    }
  return NULL;
}

gboolean
hir_debugger_delete_breakpoint (HirDebugger *debugger, guint number)
{
  return g_ptr_array_remove (debugger->breakpoints,
                             hir_debugger_lookup_breakpoint (debugger, number));
}
