/* Writes statistics as JSON. */
#include "analysis/stats-write.h"

#include <math.h>

#include "trace/event-names.h"

/* Writes a number with a decimal point in any locale; null if it is not finite. */
static void
add_double (HirTextOut *out, const char *key, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  hir_text_out_printf (out, "\"%s\":%s", key,
                       isfinite (value) ? g_ascii_formatd (buffer, sizeof buffer, "%.6g", value)
                                        : "null");
}

static void
add_ns (HirTextOut *out, const char *key, gint64 ns)
{
  hir_text_out_printf (out, "\"%s\":%" G_GINT64_FORMAT ",", key, ns);
}

static void
write_gpus (const HirStats *stats, HirTextOut *out)
{
  hir_text_out_add (out, "{\"gpus\":[");
  for (guint i = 0; i < stats->gpus->len; i++)
    {
      const HirGpuStats *gpu = &g_array_index (stats->gpus, HirGpuStats, i);

      hir_text_out_printf (out, "%s\n{\"rank\":%d,\"device\":%d,\"events\":%" G_GUINT64_FORMAT ",",
                           i > 0 ? "," : "", gpu->rank, gpu->device, gpu->n_events);
      add_ns (out, "total_ns", gpu->total_ns);
      add_ns (out, "busy_ns", gpu->busy_ns);
      add_ns (out, "idle_ns", gpu->idle_ns);
      add_ns (out, "computation_ns", gpu->computation_ns);
      add_ns (out, "exposed_comm_ns", gpu->exposed_comm_ns);
      add_ns (out, "exposed_memcpy_ns", gpu->exposed_memcpy_ns);
      add_ns (out, "total_comm_ns", gpu->total_comm_ns);
      add_ns (out, "total_memcpy_ns", gpu->total_memcpy_ns);
      add_double (out, "comm_overlap_percent", gpu->comm_overlap_percent);
      hir_text_out_add (out, "}");
    }
  hir_text_out_add (out, "],\n");
}

static void
write_kernels (const HirStats *stats, HirTextOut *out)
{
  hir_text_out_add (out, "\"kernels\":[");
  for (guint i = 0; i < stats->kernels->len; i++)
    {
      const HirKernelStats *kernel = &g_array_index (stats->kernels, HirKernelStats, i);

      hir_text_out_add (out, i > 0 ? ",\n{\"name\":" : "\n{\"name\":");
      hir_text_out_add_json_string (out, kernel->name);
      hir_text_out_printf (out, ",\"class\":\"%s\",\"count\":%" G_GUINT64_FORMAT ",",
                           hir_event_kind_get_name (kernel->kind), kernel->count);
      add_ns (out, "sum_ns", kernel->sum_ns);
      add_double (out, "mean_ns", kernel->mean_ns);
      hir_text_out_add (out, ",");
      add_ns (out, "min_ns", kernel->min_ns);
      add_ns (out, "p50_ns", kernel->p50_ns);
      add_ns (out, "p99_ns", kernel->p99_ns);
      add_ns (out, "max_ns", kernel->max_ns);
      add_ns (out, "bytes", kernel->bytes);
      hir_text_out_printf (out, "\"flops\":%" G_GINT64_FORMAT "}", kernel->flops);
    }
  hir_text_out_add (out, "],\n");
}

static void
write_collectives (const HirStats *stats, HirTextOut *out)
{
  hir_text_out_add (out, "\"collectives\":[");
  for (guint i = 0; i < stats->collectives->len; i++)
    {
      const HirCollectiveStats *row = &g_array_index (stats->collectives, HirCollectiveStats, i);

      hir_text_out_add (out, i > 0 ? ",\n{\"name\":" : "\n{\"name\":");
      hir_text_out_add_json_string (out, row->op);
      hir_text_out_add (out, ",\"team\":");
      hir_text_out_add_json_string (out, row->team);
      hir_text_out_printf (out, ",\"group_size\":%u,\"count\":%" G_GUINT64_FORMAT ",",
                           row->n_members, row->count);
      add_ns (out, "bytes", row->bytes);
      add_ns (out, "sum_ns", row->sum_ns);
      add_double (out, "mean_ns", row->mean_ns);
      hir_text_out_add (out, ",");
      add_ns (out, "max_ns", row->max_ns);
      add_double (out, "algbw_gbps", row->algbw > 0 ? row->algbw : NAN);
      hir_text_out_add (out, ",");
      /* busbw is known to be 0 for one rank. */
      add_double (out, "busbw_gbps", row->algbw > 0 ? row->busbw : NAN);
      hir_text_out_printf (out, ",\"matched\":%" G_GUINT64_FORMAT ",", row->n_matched);
      add_double (out, "start_skew_mean_ns", row->mean_start_skew_ns);
      hir_text_out_printf (out, ",\"start_skew_max_ns\":%" G_GINT64_FORMAT ",",
                           row->max_start_skew_ns);
      add_double (out, "end_skew_mean_ns", row->mean_end_skew_ns);
      hir_text_out_printf (out, ",\"end_skew_max_ns\":%" G_GINT64_FORMAT "}", row->max_end_skew_ns);
    }
  hir_text_out_add (out, "],\n");
}

static void
write_streams (const HirStats *stats, const HirTrace *trace, HirTextOut *out)
{
  hir_text_out_add (out, "\"streams\":[");
  for (guint i = 0; i < stats->streams->len; i++)
    {
      const HirStreamStats *stream = &g_array_index (stats->streams, HirStreamStats, i);
      const HirTrack *info = hir_trace_get_track (trace, stream->track);

      hir_text_out_printf (out,
                           "%s\n{\"rank\":%d,\"device\":%d,\"stream\":%" G_GINT64_FORMAT
                           ",\"name\":",
                           i > 0 ? "," : "", info->rank, info->device, info->stream);
      hir_text_out_add_json_string (out, info->name);
      hir_text_out_printf (out, ",\"events\":%" G_GUINT64_FORMAT ",", stream->n_events);
      add_ns (out, "busy_ns", stream->busy_ns);
      add_ns (out, "waiting_ns", stream->waiting_ns);
      add_double (out, "occupancy_percent", stream->occupancy_percent);
      hir_text_out_add (out, "}");
    }
  hir_text_out_add (out, "],\n");
}

static void
write_queue (const HirQueueStats *queue, HirTextOut *out)
{
  hir_text_out_printf (out, "\"queue_delay\":{\"count\":%" G_GUINT64_FORMAT ",", queue->count);
  add_double (out, "mean_ns", queue->count > 0 ? queue->mean_ns : NAN);
  hir_text_out_add (out, ",");
  add_ns (out, "min_ns", queue->min_ns);
  add_ns (out, "p50_ns", queue->p50_ns);
  add_ns (out, "p99_ns", queue->p99_ns);
  hir_text_out_printf (out, "\"max_ns\":%" G_GINT64_FORMAT "},\n", queue->max_ns);
}

static void
write_account (const HirStats *stats, const HirTrace *trace, HirTextOut *out)
{
  const char *const *notes = hir_trace_get_account (trace);

  hir_text_out_printf (out,
                       "\"account\":{\"counted\":%" G_GUINT64_FORMAT
                       ",\"left_out_not_launched\":%" G_GUINT64_FORMAT
                       ",\"left_out_phases\":%" G_GUINT64_FORMAT
                       ",\"left_out_range\":%" G_GUINT64_FORMAT
                       ",\"began_before_range\":%" G_GUINT64_FORMAT
                       ",\"without_launch\":%" G_GUINT64_FORMAT
                       ",\"started_before_launch\":%" G_GUINT64_FORMAT ",\"notes\":[",
                       stats->n_counted, stats->n_not_launched, stats->n_other_phases,
                       stats->n_outside, stats->n_before, stats->n_unmatched, stats->n_backwards);
  for (guint i = 0; notes[i] != NULL; i++)
    {
      if (i > 0)
        hir_text_out_add (out, ",");
      hir_text_out_add_json_string (out, notes[i]);
    }
  hir_text_out_add (out, "]}}\n");
}

void
hir_stats_write_json (const HirStats *stats, const HirTrace *trace, HirTextOut *out)
{
  write_gpus (stats, out);
  write_kernels (stats, out);
  write_collectives (stats, out);
  write_streams (stats, trace, out);
  write_queue (&stats->queue, out);
  write_account (stats, trace, out);
}
