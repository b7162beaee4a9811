/* Writes statistics as JSON. */
#include "analysis/stats-write.h"

#include <math.h>

#include "identity.h"
#include "trace/event-names.h"

#define RATIO "%.6g"

/* Adds a member for each row of @rows, by @write. */
static void
write_rows (HirJsonOut *json,
            const char *key,
            const GArray *rows,
            void (*write) (HirJsonOut *json, gconstpointer row, const HirTrace *trace),
            const HirTrace *trace)
{
  hir_json_out_begin (json, key, '[');
  for (guint i = 0; i < rows->len; i++)
    {
      hir_json_out_break (json);
      hir_json_out_begin (json, NULL, '{');
      write (json, rows->data + (gsize) i * g_array_get_element_size ((GArray *) rows), trace);
      hir_json_out_end (json, '}');
    }
  hir_json_out_end (json, ']');
  hir_json_out_break (json);
}

static void
write_gpu (HirJsonOut *json, gconstpointer row, const HirTrace *trace)
{
  const HirGpuStats *gpu = row;

  hir_json_out_add_int (json, "rank", gpu->rank);
  hir_json_out_add_int (json, "device", gpu->device);
  hir_json_out_add_uint (json, "events", gpu->n_events);
  hir_json_out_add_int (json, "total_ns", gpu->total_ns);
  hir_json_out_add_int (json, "busy_ns", gpu->busy_ns);
  hir_json_out_add_int (json, "idle_ns", gpu->idle_ns);
  hir_json_out_add_int (json, "computation_ns", gpu->computation_ns);
  hir_json_out_add_int (json, "exposed_comm_ns", gpu->exposed_comm_ns);
  hir_json_out_add_int (json, "exposed_memcpy_ns", gpu->exposed_memcpy_ns);
  hir_json_out_add_int (json, "total_comm_ns", gpu->total_comm_ns);
  hir_json_out_add_int (json, "total_memcpy_ns", gpu->total_memcpy_ns);
  hir_json_out_add_int (json, "fused_ns", gpu->fused_ns);
  hir_json_out_add_double (json, "comm_overlap_percent", RATIO, gpu->comm_overlap_percent);
}

static void
write_kernel (HirJsonOut *json, gconstpointer row, const HirTrace *trace)
{
  const HirKernelStats *kernel = row;

  char hex[17];

  hir_json_out_add_string (json, "name", kernel->name);
  if (kernel->instruction != 0)
    {
      hir_id_to_hex (kernel->instruction, hex);
      hir_json_out_add_string (json, "instruction", hex);
    }
  hir_json_out_add_string (json, "class", hir_event_kind_get_name (kernel->kind));
  hir_json_out_add_uint (json, "count", kernel->count);
  hir_json_out_add_int (json, "sum_ns", kernel->sum_ns);
  hir_json_out_add_double (json, "mean_ns", RATIO, kernel->mean_ns);
  hir_json_out_add_int (json, "min_ns", kernel->min_ns);
  hir_json_out_add_int (json, "p50_ns", kernel->p50_ns);
  hir_json_out_add_int (json, "p99_ns", kernel->p99_ns);
  hir_json_out_add_int (json, "max_ns", kernel->max_ns);
  hir_json_out_add_int (json, "bytes", kernel->bytes);
  hir_json_out_add_int (json, "flops", kernel->flops);
}

static void
write_collective (HirJsonOut *json, gconstpointer data, const HirTrace *trace)
{
  const HirCollectiveStats *row = data;

  hir_json_out_add_string (json, "name", row->op);
  hir_json_out_add_string (json, "team", row->team);
  hir_json_out_add_uint (json, "group_size", row->n_members);
  hir_json_out_add_uint (json, "count", row->count);
  hir_json_out_add_int (json, "bytes", row->bytes);
  hir_json_out_add_int (json, "message_bytes_min", row->min_bytes);
  hir_json_out_add_int (json, "message_bytes_max", row->max_bytes);
  hir_json_out_add_int (json, "sum_ns", row->sum_ns);
  hir_json_out_add_double (json, "mean_ns", RATIO, row->mean_ns);
  hir_json_out_add_int (json, "max_ns", row->max_ns);
  hir_json_out_add_double (json, "algbw_gbps", RATIO, row->algbw > 0 ? row->algbw : NAN);
  /* The bus bandwidth of a single rank is 0, which is a known value. */
  hir_json_out_add_double (json, "busbw_gbps", RATIO, row->algbw > 0 ? row->busbw : NAN);
  hir_json_out_add_double (json, "busbw_min_gbps", RATIO, row->algbw > 0 ? row->min_busbw : NAN);
  hir_json_out_add_double (json, "busbw_max_gbps", RATIO, row->algbw > 0 ? row->max_busbw : NAN);
  hir_json_out_add_uint (json, "matched", row->n_matched);
  hir_json_out_add_double (json, "start_skew_mean_ns", RATIO, row->mean_start_skew_ns);
  hir_json_out_add_int (json, "start_skew_max_ns", row->max_start_skew_ns);
  hir_json_out_add_double (json, "end_skew_mean_ns", RATIO, row->mean_end_skew_ns);
  hir_json_out_add_int (json, "end_skew_max_ns", row->max_end_skew_ns);
}

static void
write_rank (HirJsonOut *json, gconstpointer data, const HirTrace *trace)
{
  const HirRankStats *row = data;

  hir_json_out_add_int (json, "rank", row->rank);
  hir_json_out_add_uint (json, "communications", row->count);
  hir_json_out_add_uint (json, "last", row->n_last);
  hir_json_out_add_int (json, "waited_for_ns", row->waited_ns);
  hir_json_out_add_int (json, "waiting_ns", row->waiting_ns);
  hir_json_out_add_double (json, "late_start_mean_ns", RATIO, row->mean_start_ns);
  hir_json_out_add_double (json, "late_end_mean_ns", RATIO, row->mean_end_ns);
  if (row->clock_error_ns >= 0)
    hir_json_out_add_int (json, "clock_error_ns", row->clock_error_ns);
}

static void
write_meeting (HirJsonOut *json, gconstpointer data, const HirTrace *trace)
{
  const HirMeetingStats *row = data;

  hir_json_out_add_string (json, "name", row->op);
  hir_json_out_add_string (json, "team", row->team);
  if (row->instruction != 0)
    {
      char hex[17];

      hir_id_to_hex (row->instruction, hex);
      hir_json_out_add_string (json, "instruction", hex);
    }
  hir_json_out_add_int (json, "iteration", row->iteration);
  hir_json_out_add_int (json, "start_ns", row->start_ns);
  hir_json_out_add_int (json, "start_skew_ns", row->start_skew_ns);
  hir_json_out_add_int (json, "end_skew_ns", row->end_skew_ns);
  hir_json_out_add_int (json, "waited_ns", row->waited_ns);
  hir_json_out_add_int (json, "last_rank", row->last_rank);
}

/* The delays are in the order of the ranks. */
static void
write_iterations (HirJsonOut *json, const HirStats *stats)
{
  hir_json_out_begin (json, "iterations", '[');
  for (guint i = 0; i < stats->iterations->len; i++)
    {
      const HirIterationStats *row = &g_array_index (stats->iterations, HirIterationStats, i);

      hir_json_out_break (json);
      hir_json_out_begin (json, NULL, '{');
      hir_json_out_add_int (json, "iteration", row->iteration);
      hir_json_out_add_uint (json, "round", row->round);
      hir_json_out_add_uint (json, "communications", row->n);
      hir_json_out_add_int (json, "start_ns", row->start_ns);
      hir_json_out_add_int (json, "start_skew_ns", row->start_skew_ns);
      hir_json_out_add_int (json, "end_skew_ns", row->end_skew_ns);
      hir_json_out_begin (json, "late_ns", '[');
      for (guint k = 0; k < stats->ranks->len; k++)
        hir_json_out_add_int (json, NULL, row->late_ns[k]);
      hir_json_out_end (json, ']');
      hir_json_out_end (json, '}');
    }
  hir_json_out_end (json, ']');
  hir_json_out_break (json);
}

static void
write_stream (HirJsonOut *json, gconstpointer row, const HirTrace *trace)
{
  const HirStreamStats *stream = row;
  const HirTrack *info = hir_trace_get_track (trace, stream->track);

  hir_json_out_add_int (json, "rank", info->rank);
  hir_json_out_add_int (json, "device", info->device);
  hir_json_out_add_int (json, "stream", info->stream);
  hir_json_out_add_string (json, "name", info->name);
  hir_json_out_add_uint (json, "events", stream->n_events);
  hir_json_out_add_int (json, "busy_ns", stream->busy_ns);
  hir_json_out_add_int (json, "waiting_ns", stream->waiting_ns);
  hir_json_out_add_double (json, "occupancy_percent", RATIO, stream->occupancy_percent);
}

static void
write_queue (const HirQueueStats *queue, HirJsonOut *json)
{
  hir_json_out_begin (json, "queue_delay", '{');
  hir_json_out_add_uint (json, "count", queue->count);
  hir_json_out_add_double (json, "mean_ns", RATIO, queue->count > 0 ? queue->mean_ns : NAN);
  hir_json_out_add_int (json, "min_ns", queue->min_ns);
  hir_json_out_add_int (json, "p50_ns", queue->p50_ns);
  hir_json_out_add_int (json, "p99_ns", queue->p99_ns);
  hir_json_out_add_int (json, "max_ns", queue->max_ns);
  hir_json_out_end (json, '}');
  hir_json_out_break (json);
}

static void
write_account (const HirStats *stats, const HirTrace *trace, HirJsonOut *json)
{
  g_auto (GStrv) notes = hir_stats_dup_notes (stats, trace);

  hir_json_out_begin (json, "account", '{');
  hir_json_out_add_uint (json, "counted", stats->n_counted);
  hir_json_out_add_uint (json, "left_out_not_launched", stats->n_not_launched);
  hir_json_out_add_uint (json, "left_out_phases", stats->n_other_phases);
  hir_json_out_add_uint (json, "left_out_range", stats->n_outside);
  hir_json_out_add_uint (json, "left_out_tracks", stats->n_other_tracks);
  hir_json_out_add_uint (json, "left_out_impossible", stats->n_left_out);
  hir_json_out_add_uint (json, "cut_by_range", stats->n_cut);
  hir_json_out_add_uint (json, "began_before_range", stats->n_before);
  hir_json_out_add_uint (json, "without_launch", stats->n_unmatched);
  hir_json_out_add_uint (json, "started_before_launch", stats->n_backwards);
  hir_json_out_begin (json, "notes", '[');
  for (guint i = 0; notes[i] != NULL; i++)
    hir_json_out_add_string (json, NULL, notes[i]);
  hir_json_out_end (json, ']');
  hir_json_out_end (json, '}');
}

void
hir_stats_write_json (const HirStats *stats, const HirTrace *trace, HirTextOut *out)
{
  HirJsonOut *json = &out->json;

  hir_json_out_begin (json, NULL, '{');
  write_rows (json, "gpus", stats->gpus, write_gpu, trace);
  write_rows (json, "kernels", stats->kernels, write_kernel, trace);
  write_rows (json, "collectives", stats->collectives, write_collective, trace);
  write_rows (json, "ranks", stats->ranks, write_rank, trace);
  write_rows (json, "longest_waits", stats->meetings, write_meeting, trace);
  write_iterations (json, stats);
  write_rows (json, "streams", stats->streams, write_stream, trace);
  write_queue (&stats->queue, json);
  write_account (stats, trace, json);
  hir_json_out_end (json, '}');
  hir_text_out_add (out, "\n");
}
