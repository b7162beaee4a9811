/* Writes statistics as text tables. */
#include <math.h>

#include "analysis/stats-write.h"
#include "print/printable.h"
#include "trace/duration.h"

#define MAX_NAME 90
#define MAX_MEETINGS 10

static void
add_time (HirTextOut *out, gint64 ns)
{
  g_autofree char *text = hir_format_duration (ns);

  hir_text_out_add_padded (out, text, 12);
}

static void
write_gpus (const HirStats *stats, HirTextOut *out)
{
  hir_text_out_printf (out, "%-12s %11s %11s %11s %11s %11s %11s %11s %8s\n", "device", "total",
                       "busy", "idle", "compute", "comm", "exposed", "exp. copy", "overlap");
  for (guint i = 0; i < stats->gpus->len; i++)
    {
      const HirGpuStats *gpu = &g_array_index (stats->gpus, HirGpuStats, i);
      g_autofree char *name = g_strdup_printf ("rank %d/%d", gpu->rank, gpu->device);

      hir_text_out_printf (out, "%-12s", name);
      add_time (out, gpu->total_ns);
      add_time (out, gpu->busy_ns);
      add_time (out, gpu->idle_ns);
      add_time (out, gpu->computation_ns);
      add_time (out, gpu->total_comm_ns);
      add_time (out, gpu->exposed_comm_ns);
      add_time (out, gpu->exposed_memcpy_ns);
      if (isnan (gpu->comm_overlap_percent))
        hir_text_out_printf (out, " %8s\n", "-");
      else
        hir_text_out_printf (out, " %6.1f %%\n", gpu->comm_overlap_percent);
    }
}

static void
write_kernels (const HirStats *stats, guint max_kernels, HirTextOut *out)
{
  g_autoptr (GHashTable) names = hir_stats_dup_kernel_names (stats, MAX_NAME);
  guint n = MIN (stats->kernels->len, max_kernels);

  if (n == 0)
    return;
  hir_text_out_printf (out, "\n" HIR_STATS_KERNELS_NOTE "\n%12s %9s %11s %11s %11s %11s  name\n",
                       "sum", "count", "mean", "p50", "p99", "max");
  for (guint i = 0; i < n; i++)
    {
      const HirKernelStats *kernel = &g_array_index (stats->kernels, HirKernelStats, i);

      add_time (out, kernel->sum_ns);
      hir_text_out_printf (out, " %9" G_GUINT64_FORMAT, kernel->count);
      add_time (out, (gint64) (kernel->mean_ns + 0.5));
      add_time (out, kernel->p50_ns);
      add_time (out, kernel->p99_ns);
      add_time (out, kernel->max_ns);
      hir_text_out_printf (out, "  %s\n", (char *) g_hash_table_lookup (names, kernel->name));
    }
  if (n < stats->kernels->len)
    hir_text_out_printf (out, "%u more names; --json has all\n", stats->kernels->len - n);
}

static void
write_collectives (const HirStats *stats, HirTextOut *out)
{
  if (stats->collectives->len == 0)
    return;
  hir_text_out_printf (out, "\n%12s %9s %11s %15s %9s %9s %11s %11s  communication\n", "sum",
                       "count", "mean", "size", "algbw", "busbw", "busbw range", "end skew");
  for (guint i = 0; i < stats->collectives->len; i++)
    {
      const HirCollectiveStats *row = &g_array_index (stats->collectives, HirCollectiveStats, i);
      g_autofree char *sizes = hir_collective_stats_dup_sizes (row);
      g_autofree char *range = hir_collective_stats_dup_busbw_range (row);

      add_time (out, row->sum_ns);
      hir_text_out_printf (out, " %9" G_GUINT64_FORMAT, row->count);
      add_time (out, (gint64) (row->mean_ns + 0.5));
      hir_text_out_printf (out, " %15s", sizes != NULL ? sizes : "-");
      if (range != NULL)
        hir_text_out_printf (out, " %9.2f %9.2f %11s", row->algbw, row->busbw, range);
      else
        hir_text_out_printf (out, " %9s %9s %11s", "-", "-", "-");
      if (row->n_matched > 0)
        add_time (out, (gint64) (row->mean_end_skew_ns + 0.5));
      else
        hir_text_out_printf (out, " %11s", "-");
      {
        g_autofree char *op = hir_printable_dup (row->op);
        g_autofree char *team = hir_printable_dup (row->team);

        hir_text_out_printf (out, "  %s, %s\n", op, team);
      }
    }
  hir_text_out_add (out,
                    HIR_STATS_BANDWIDTH_NOTE "\nsize, range: least and largest; end skew: mean "
                                             "between ranks\n");
}

/* Writes a time with the largest unit, or "-" if @ns is negative. */
static void
add_known_time (HirTextOut *out, gint64 ns)
{
  if (ns >= 0)
    add_time (out, ns);
  else
    hir_text_out_printf (out, " %11s", "-");
}

static void
write_ranks (const HirStats *stats, HirTextOut *out)
{
  if (stats->ranks->len == 0)
    return;
  hir_text_out_printf (out, "\n%12s %9s %11s %11s %11s %11s %11s  rank\n", "others wait", "last",
                       "of", "waits", "late start", "late end", "clock error");
  for (guint i = 0; i < stats->ranks->len; i++)
    {
      const HirRankStats *row = &g_array_index (stats->ranks, HirRankStats, i);

      add_time (out, row->waited_ns);
      hir_text_out_printf (out, " %9" G_GUINT64_FORMAT " %11" G_GUINT64_FORMAT, row->n_last,
                           row->count);
      add_time (out, row->waiting_ns);
      add_time (out, (gint64) (row->mean_start_ns + 0.5));
      add_time (out, (gint64) (row->mean_end_ns + 0.5));
      add_known_time (out, row->clock_error_ns);
      hir_text_out_printf (out, "  rank %d\n", row->rank);
    }
  hir_text_out_add (out, "last: started a communication after all others; late: mean time after "
                         "the first rank\n");
}

/* Writes the communications for which ranks waited longest. */
static void
write_meetings (const HirStats *stats, HirTextOut *out)
{
  guint n = MIN (stats->meetings->len, MAX_MEETINGS);

  if (n == 0 || g_array_index (stats->meetings, HirMeetingStats, 0).waited_ns == 0)
    return;
  hir_text_out_printf (out, "\n%12s %11s %11s %6s %9s  longest waits for a rank\n", "waited",
                       "start skew", "end skew", "last", "iteration");
  for (guint i = 0; i < n; i++)
    {
      const HirMeetingStats *row = &g_array_index (stats->meetings, HirMeetingStats, i);
      g_autofree char *op = hir_printable_dup (row->op);
      g_autofree char *team = hir_printable_dup (row->team);
      g_autofree char *iteration =
          row->iteration >= 0 ? g_strdup_printf ("%d", row->iteration) : g_strdup ("-");

      if (row->waited_ns == 0)
        break;
      add_time (out, row->waited_ns);
      add_time (out, row->start_skew_ns);
      add_time (out, row->end_skew_ns);
      hir_text_out_printf (out, " %6d %9s  %s, %s\n", row->last_rank, iteration, op, team);
    }
}

static void
write_streams (const HirStats *stats, const HirTrace *trace, HirTextOut *out)
{
  hir_text_out_printf (out, "\n%12s %11s %8s %9s  stream or communicator\n", "busy", "waiting",
                       "of total", "events");
  for (guint i = 0; i < stats->streams->len; i++)
    {
      const HirStreamStats *stream = &g_array_index (stats->streams, HirStreamStats, i);
      const HirTrack *info = hir_trace_get_track (trace, stream->track);
      g_autofree char *name = hir_printable_dup (info->name);

      add_time (out, stream->busy_ns);
      add_time (out, stream->waiting_ns);
      hir_text_out_printf (out, " %6.1f %% %9" G_GUINT64_FORMAT "  rank %d: %s\n",
                           stream->occupancy_percent, stream->n_events, info->rank, name);
    }
}

static void
write_rest (const HirStats *stats, HirTextOut *out)
{
  const HirQueueStats *queue = &stats->queue;

  if (queue->count > 0)
    {
      g_autofree char *p50 = hir_format_duration (queue->p50_ns);
      g_autofree char *p99 = hir_format_duration (queue->p99_ns);
      g_autofree char *max = hir_format_duration (queue->max_ns);

      hir_text_out_printf (out,
                           "\nfrom launch to start: p50 %s, p99 %s, max %s (%" G_GUINT64_FORMAT
                           " launches)\n",
                           p50, p99, max, queue->count);
    }
  hir_text_out_printf (out, "\n%" G_GUINT64_FORMAT " events counted", stats->n_counted);
  if (stats->n_not_launched > 0)
    hir_text_out_printf (out, ", %" G_GUINT64_FORMAT " excluded: no launch in the trace",
                         stats->n_not_launched);
  else if (stats->n_unmatched > 0 && stats->n_unmatched < stats->n_counted)
    hir_text_out_printf (out, ", %" G_GUINT64_FORMAT " of them without a launch in the trace",
                         stats->n_unmatched);
  if (stats->n_cut > 0)
    hir_text_out_printf (out, ", %" G_GUINT64_FORMAT " of them cut at an end of the range",
                         stats->n_cut);
  if (stats->n_other_phases > 0)
    hir_text_out_printf (out,
                         ", %" G_GUINT64_FORMAT " of setup, warm-up or check excluded (see --all)",
                         stats->n_other_phases);
  if (stats->n_left_out > 0)
    hir_text_out_printf (out, ", %" G_GUINT64_FORMAT " with impossible times left out",
                         stats->n_left_out);
  if (stats->n_outside > 0)
    hir_text_out_printf (out, ", %" G_GUINT64_FORMAT " outside the range", stats->n_outside);
  if (stats->n_other_tracks > 0)
    hir_text_out_printf (out, ", %" G_GUINT64_FORMAT " on other tracks", stats->n_other_tracks);
  if (stats->n_backwards > 0)
    hir_text_out_printf (out,
                         ", %" G_GUINT64_FORMAT " started before their launch (clocks disagree)",
                         stats->n_backwards);
  hir_text_out_add (out, "\n");
}

void
hir_stats_write_text (const HirStats *stats,
                      const HirTrace *trace,
                      guint max_kernels,
                      HirTextOut *out)
{
  g_auto (GStrv) notes = hir_stats_dup_notes (stats, trace);

  if (stats->gpus->len == 0 && stats->n_other_tracks > 0)
    hir_text_out_add (out, "no device work on these tracks\n");
  else if (stats->gpus->len == 0)
    hir_text_out_printf (out,
                         "no device work in the trace; it has %" G_GUINT64_FORMAT " host events\n",
                         hir_trace_get_n_events (trace));
  else
    write_gpus (stats, out);
  write_kernels (stats, max_kernels, out);
  write_collectives (stats, out);
  write_ranks (stats, out);
  write_meetings (stats, out);
  if (stats->streams->len > 0)
    write_streams (stats, trace, out);
  write_rest (stats, out);
  for (guint i = 0; notes[i] != NULL; i++)
    {
      g_autofree char *note = hir_printable_dup (notes[i]);

      hir_text_out_printf (out, "note: %s\n", note);
    }
}
