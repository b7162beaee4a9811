#include "trace/export/export-args.h"

#include <string.h>

#include "identity.h"
#include "trace/chrome/chrome-collective.h"
#include "trace/event-category.h"
#include "trace/event-names.h"
#include "trace/event-source.h"

/* Writes the fields of an event for our own import. */
static void
write_own (HirJsonOut *json, const HirTrace *trace, guint t, guint index, const HirEvent *event)
{
  const HirTrack *track = hir_trace_get_track (trace, t);
  char hex[17];

  hir_json_out_add_int (json, "rank", track->rank);
  hir_json_out_add_int (json, "device", track->device);
  if (track->kind != HIR_TRACK_HOST || hir_track_is_of_notes (track))
    hir_json_out_add_int (json, "stream", track->stream);
  if (event->instruction != 0)
    {
      hir_id_to_hex (event->instruction, hex);
      hir_json_out_add_string (json, "instruction", hex);
      hir_json_out_add_int (json, "iteration", event->iteration);
    }
  if (event->phase != HIR_PHASE_PROGRAM)
    hir_json_out_add_string (json, "phase", hir_phase_get_name (event->phase));
  if (event->correlation != 0)
    {
      hir_json_out_add_int (json, "correlation", event->correlation);
      hir_json_out_add_int (json, "External id", event->correlation);
    }
  if (event->bytes != 0)
    hir_json_out_add_int (json, "bytes", event->bytes);
  if (event->flops != 0)
    hir_json_out_add_int (json, "flops", event->flops);
  hir_json_out_add_string (json, "kind", hir_event_kind_get_name (event->kind));
  if (event->kind != HIR_EVENT_COMMUNICATION || hir_chrome_write_collective (json, trace, t, index))
    return;
  hir_json_out_add_string (json, "Collective name", hir_trace_get_string (trace, event->name));
  /* The event has bytes, not elements. A size in elements of one byte is correct for both. */
  hir_json_out_add_string (json, "dtype", "Byte");
  hir_json_out_add_int (json, "In msg nelems", event->bytes);
  hir_json_out_add_int (json, "Out msg nelems", event->bytes);
}

void
hir_export_args_init (HirExportArgs *args)
{
  *args = (HirExportArgs){ 0 };
  hir_event_json_init (&args->source);
}

void
hir_export_args_clear (HirExportArgs *args)
{
  hir_event_json_clear (&args->source);
}

gboolean
hir_export_args_read (HirExportArgs *args,
                      const HirTrace *trace,
                      guint track,
                      guint index,
                      const HirEvent *event,
                      GError **error)
{
  const HirTrack *info = hir_trace_get_track (trace, track);
  const char *derived =
      hir_event_category_derive (info, event->kind, hir_trace_get_string (trace, event->name));
  const char *stated;
  gboolean is_stated;

  args->category = derived;
  args->is_foreign = FALSE;
  args->instant = 0;
  if (event->source == 0)
    return TRUE;
  if (!hir_event_json_read (&args->source, trace, track, index, error))
    return FALSE;
  /* The category of device work follows from its kind, which users can change. */
  stated = args->source.category->str;
  is_stated = *stated != '\0' && !hir_track_is_of_device (info) && strcmp (stated, derived) != 0;
  if (is_stated)
    args->category = hir_event_category_modernize (stated);
  if (event->end_ns == event->start_ns)
    args->instant = args->source.instant;
  args->is_foreign = is_stated || args->instant != 0 || args->source.json->len > 0;
  return TRUE;
}

void
hir_export_args_write (const HirExportArgs *args,
                       HirJsonOut *json,
                       const HirTrace *trace,
                       guint track,
                       guint index,
                       const HirEvent *event)
{
  if (!args->is_foreign)
    {
      write_own (json, trace, track, index, event);
      return;
    }
  if (args->source.json->len > 0)
    hir_json_out_add_raw (json, NULL, args->source.json->str);
  hir_json_out_begin (json, HIR_EVENT_OWN_ARGS, '{');
  write_own (json, trace, track, index, event);
  hir_json_out_end (json, '}');
}
