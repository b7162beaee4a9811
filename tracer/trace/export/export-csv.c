#include "trace/export/export-csv.h"
#include "trace/collective.h"
#include "trace/event-names.h"
#include "trace/text-out.h"

#include "identity.h"

static void
write_event (HirTextOut *out, const HirTrace *trace, const HirTrack *track, const HirEvent *event)
{
  char hex[17], number[G_ASCII_DTOSTR_BUF_SIZE];

  hir_text_out_printf (out, "%d,%d,%" G_GINT64_FORMAT ",", track->rank, track->device,
                       track->stream);
  hir_text_out_add_csv_field (out, track->name);
  hir_text_out_printf (out, ",%s,", hir_event_kind_get_name (event->kind));
  hir_text_out_add_csv_field (out, hir_trace_get_string (trace, event->name));
  hir_text_out_printf (out, ",%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",", event->start_ns,
                       event->end_ns - event->start_ns);
  /* The column of bytes contains the value of a counter sample. */
  if (event->kind == HIR_EVENT_COUNTER)
    hir_text_out_add (out, g_ascii_dtostr (number, sizeof number, hir_event_get_value (event)));
  else
    hir_text_out_printf (out, "%" G_GINT64_FORMAT, event->bytes);
  hir_text_out_printf (out, ",%" G_GINT64_FORMAT ",", event->flops);
  if (event->instruction != 0)
    {
      hir_id_to_hex (event->instruction, hex);
      hir_text_out_add (out, hex);
    }
  hir_text_out_add (out, ",");
  if (event->iteration >= 0)
    hir_text_out_printf (out, "%d", event->iteration);
  hir_text_out_add (out, ",");
  if (event->correlation != 0)
    hir_text_out_printf (out, "%u", event->correlation);
  hir_text_out_printf (out, ",%s", hir_phase_get_name (event->phase));
}

/* Writes operation, team, number in the team, root, size and bandwidths of a collective. */
static void
write_collective (HirTextOut *out, const HirTrace *trace, guint track, guint index)
{
  HirCollective it;
  char algbw[G_ASCII_DTOSTR_BUF_SIZE], busbw[G_ASCII_DTOSTR_BUF_SIZE];

  if (!hir_trace_lookup_collective (trace, track, index, &it))
    {
      hir_text_out_add (out, ",,,,,,,\r\n");
      return;
    }
  hir_text_out_printf (out, ",%s,", it.op);
  hir_text_out_add_csv_field (out, it.team);
  hir_text_out_add (out, ",");
  if (it.sequence != HIR_COMM_RECORD_UNNUMBERED)
    hir_text_out_printf (out, "%u", it.sequence);
  hir_text_out_add (out, ",");
  if (it.root >= 0)
    hir_text_out_printf (out, "%d", it.root);
  hir_text_out_printf (out, ",%" G_GINT64_FORMAT ",%s,%s\r\n", it.message_bytes,
                       g_ascii_formatd (algbw, sizeof algbw, "%.6g", it.algbw),
                       g_ascii_formatd (busbw, sizeof busbw, "%.6g", it.busbw));
}

static gboolean
write_csv (gconstpointer data, GOutputStream *stream, HirExportProgress *progress, GError **error)
{
  const HirTrace *trace = data;
  HirTextOut out;

  hir_export_progress_expect (progress, hir_trace_get_n_events (trace));
  hir_text_out_init (&out, stream, progress);
  hir_text_out_add (&out,
                    "rank,device,stream,track,kind,name,start_ns,duration_ns,bytes,flops,"
                    "instruction,iteration,correlation,phase,op,team,sequence,root,message_bytes,"
                    "algbw_gb_s,busbw_gb_s\r\n");
  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (trace, t) && out.error == NULL; i++)
      {
        HirEvent event;

        hir_trace_get_event (trace, t, i, &event);
        write_event (&out, trace, hir_trace_get_track (trace, t), &event);
        write_collective (&out, trace, t, i);
        hir_text_out_step (&out);
      }
  return hir_text_out_finish (&out, error);
}

gboolean
hir_export_csv_file (const HirTrace *trace,
                     const char *path,
                     HirExportProgress *progress,
                     GError **error)
{
  return hir_text_out_write_file (path, write_csv, trace, progress, error);
}
