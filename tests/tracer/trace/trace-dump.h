/* Dumps a trace as text for comparisons. */
#pragma once

#include "trace/comm-records.h"
#include "trace/edge.h"
#include "trace/event-args.h"
#include "trace/trace.h"

static inline void
test_append_event (GString *text, const HirTrace *trace, guint t, guint i)
{
  HirEvent event;
  g_autofree char *args = NULL;

  hir_trace_get_event (trace, t, i, &event);
  /* Reading the file for each event would take too long. */
  if (event.source != 0 && i % 16 == 0)
    args = hir_trace_dup_event_json (trace, t, i, NULL, NULL);
  g_string_append_printf (text,
                          "%" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT
                          " %" G_GINT64_FORMAT " %" G_GINT64_MODIFIER "x %u %d %u %u %u %s\n",
                          event.start_ns, event.end_ns, event.bytes, event.flops, event.instruction,
                          event.correlation, event.iteration, event.kind, event.phase,
                          hir_trace_get_lane (trace, t, i),
                          hir_trace_get_string (trace, event.name));
  if (args != NULL)
    g_string_append_printf (text, "  {%s}\n", args);
}

static inline void
test_append_comm_record (GString *text, const HirTrace *trace, guint i)
{
  const HirCommRecord *record = hir_trace_get_comm_record (trace, i);
  guint track = 0, index = 0;
  gboolean has_event = hir_trace_get_comm_record_event (trace, i, &track, &index);

  g_string_append_printf (text, "meeting %s %u %d %u %" G_GINT64_FORMAT " %s: %d %u %u\n",
                          hir_trace_get_string (trace, record->key), record->sequence, record->rank,
                          record->side, record->message_bytes,
                          hir_trace_get_string (trace, record->op), has_event, track, index);
}

/* Returns the whole trace as text (transfer full). */
static inline char *
test_dup_trace_text (const HirTrace *trace)
{
  GString *text = g_string_new (NULL);
  g_autofree const char **keys = hir_trace_dup_meta_keys (trace);

  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    {
      const HirTrack *track = hir_trace_get_track (trace, t);

      g_string_append_printf (text, "track %d %d %d %" G_GINT64_FORMAT " %u %s\n", track->kind,
                              track->rank, track->device, track->stream,
                              hir_trace_get_n_lanes (trace, t), track->name);
      for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
        test_append_event (text, trace, t, i);
    }
  for (guint i = 0; i < hir_trace_get_n_comm_records (trace); i++)
    test_append_comm_record (text, trace, i);
  for (guint i = 0; keys[i] != NULL; i++)
    g_string_append_printf (text, "%s: %s\n", keys[i], hir_trace_get_meta (trace, keys[i]));
  for (const char *const *line = hir_trace_get_account (trace); *line != NULL; line++)
    g_string_append_printf (text, "%s\n", *line);
  return g_string_free (text, FALSE);
}
