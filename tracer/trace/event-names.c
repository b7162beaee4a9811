#include "trace/event-names.h"

const char *
hir_event_kind_get_name (HirEventKind kind)
{
  static const char *const names[HIR_N_EVENT_KINDS] = { "kernel",        "memcpy", "memset",
                                                        "communication", "sync",   "issue",
                                                        "host" };

  g_return_val_if_fail ((guint) kind < HIR_N_EVENT_KINDS, "");
  return names[kind];
}

const char *
hir_phase_get_name (HirPhase phase)
{
  static const char *const names[HIR_N_PHASES] = { "program", "setup", "warmup", "check" };

  g_return_val_if_fail ((guint) phase < HIR_N_PHASES, "");
  return names[phase];
}
