#include "trace/event-names.h"

#include <string.h>

const char *
hir_event_kind_get_name (HirEventKind kind)
{
  static const char *const names[HIR_N_EVENT_KINDS] = { "kernel",        "memcpy", "memset",
                                                        "communication", "sync",   "issue",
                                                        "host",          "counter" };

  g_return_val_if_fail ((guint) kind < HIR_N_EVENT_KINDS, "");
  return names[kind];
}

const char *
hir_phase_get_name (HirPhase phase)
{
  static const char *const names[HIR_N_PHASES] = { "program", "setup", "warmup", "check",
                                                   "baseline" };

  g_return_val_if_fail ((guint) phase < HIR_N_PHASES, "");
  return names[phase];
}

#define BETWEEN " \302\267 "

char *
hir_counter_dup_track_name (const char *name, const char *series)
{
  if (*series == '\0' || strcmp (series, "value") == 0)
    return g_strdup (name);
  return g_strconcat (name, BETWEEN, series, NULL);
}

const char *
hir_counter_get_series (const char *track_name, const char *name)
{
  gsize n = strlen (name);

  if (strncmp (track_name, name, n) == 0 && g_str_has_prefix (track_name + n, BETWEEN))
    return track_name + n + strlen (BETWEEN);
  return "value";
}
