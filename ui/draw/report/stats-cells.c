/* Contents of the statistics tables: headings, cells and sort order. */
#include "draw/report/stats-scene.h"
#include "trace/duration.h"

#include <math.h>
#include <string.h>

#define MAX_COLUMNS 9

typedef struct
{
  const char *title;
  guint n_columns;
  struct
  {
    const char *head, *help;
  } columns[MAX_COLUMNS];
} Section;

static const Section sections[HIR_N_STATS_SECTIONS] = {
  [HIR_STATS_DEVICES] = { "Devices",
                          9,
                          { { "device", NULL },
                            { "total",
                              "From the first start to the last end, or the length of the range" },
                            { "busy", "Time with any work; overlaps count once" },
                            { "idle", NULL },
                            { "compute", "Kernels and memset" },
                            { "comm", "Communication" },
                            { "exposed", "Communication while nothing is computed" },
                            { "exp. copy", "Copies while nothing is computed or communicated" },
                            { "overlap",
                              "Share of communication time that overlaps computation" } } },
  [HIR_STATS_COLLECTIVES] = { "Communication",
                              8,
                              { { "op, team", NULL },
                                { "count", "Parts, one per rank" },
                                { "size", "Size, or the least and the largest, as nccl-tests "
                                          "counts it" },
                                { "mean", "Mean time, with the wait for the last rank" },
                                { "algbw GB/s",
                                  "All bytes divided by all transfer time: the shortest of the "
                                  "ranks, which leaves out the wait for the last one" },
                                { "busbw GB/s", "algbw with the factor of nccl-tests for the op" },
                                { "range GB/s", "Least and largest busbw of one communication" },
                                { "end skew",
                                  "Mean time between the earliest and the latest end" } } },
  [HIR_STATS_RANKS] = { "Ranks that others wait for",
                        8,
                        { { "rank", NULL },
                          { "last", "Communications that this rank started last" },
                          { "of", "Communications that other ranks recorded, too" },
                          { "cost others", "Time that other ranks waited for this one" },
                          { "waits", "Time that this rank waited for the last one" },
                          { "late start", "Mean time from the first start to its own" },
                          { "late end", "Mean time from the first end to its own" },
                          { "clock \u00b1", "Error of its clock against the other ranks" } } },
  [HIR_STATS_HEAT] = { "Delay by rank and iteration", 1, { { "", NULL } } },
  [HIR_STATS_KERNELS] = { "Kernels by name",
                          7,
                          { { "name", NULL },
                            { "count", "Events of all ranks and repetitions" },
                            { "sum", "Sum of the durations of these events" },
                            { "mean", "Mean duration of one of these events" },
                            { "p50", "Half of the events take at most this long" },
                            { "p99", "99% of the events take at most this long" },
                            { "max", "Duration of the longest of these events" } } },
  [HIR_STATS_STREAMS] = { "Streams and communicators",
                          5,
                          { { "stream or communicator", NULL },
                            { "events", NULL },
                            { "busy", NULL },
                            { "waiting", "Time that the stream only waits for other streams" },
                            { "occupancy", "Busy time as a share of the device's total" } } },
  [HIR_STATS_QUEUE] = { "Queue delay",
                        7,
                        { { "from launch to start", NULL },
                          { "launches", NULL },
                          { "min", NULL },
                          { "mean", NULL },
                          { "p50", NULL },
                          { "p99", NULL },
                          { "max", NULL } } },
  [HIR_STATS_NOTES] = { "Account", 1, { { "", NULL } } },
};

guint
hir_stats_section_get_n_columns (HirStatsSection section)
{
  return sections[section].n_columns;
}

const char *
hir_stats_section_get_title (HirStatsSection section)
{
  return sections[section].title;
}

const char *
hir_stats_section_get_help (HirStatsSection section, guint column)
{
  return column < sections[section].n_columns ? sections[section].columns[column].help : NULL;
}

guint
hir_stats_scene_get_n_rows (const HirStatsScene *scene, HirStatsSection section)
{
  switch (section)
    {
    case HIR_STATS_DEVICES:
      return scene->stats->gpus->len;
    case HIR_STATS_COLLECTIVES:
      return scene->stats->collectives->len;
    case HIR_STATS_RANKS:
      return scene->stats->ranks->len;
    case HIR_STATS_HEAT:
      return scene->stats->iterations->len > 0 ? scene->stats->ranks->len : 0;
    case HIR_STATS_KERNELS:
      return scene->order->len;
    case HIR_STATS_STREAMS:
      return scene->stats->streams->len;
    case HIR_STATS_QUEUE:
      return scene->stats->queue.count > 0 ? 1 : 0;
    case HIR_STATS_NOTES:
      return g_strv_length ((char **) scene->notes);
    case HIR_N_STATS_SECTIONS:
    default:
      return 0;
    }
}

/* "1,234,567" */
static char *
dup_count (guint64 n)
{
  g_autofree char *digits = g_strdup_printf ("%" G_GUINT64_FORMAT, n);
  GString *text = g_string_new (NULL);
  gsize length = strlen (digits);

  for (gsize i = 0; i < length; i++)
    {
      if (i > 0 && (length - i) % 3 == 0)
        g_string_append_c (text, ',');
      g_string_append_c (text, digits[i]);
    }
  return g_string_free (text, FALSE);
}

static char *
dup_mean (double ns)
{
  return hir_format_duration ((gint64) (ns + 0.5));
}

static char *
dup_device_cell (const HirGpuStats *gpu, guint column)
{
  const gint64 times[] = { gpu->total_ns,       gpu->busy_ns,       gpu->idle_ns,
                           gpu->computation_ns, gpu->total_comm_ns, gpu->exposed_comm_ns };

  if (column == 0)
    return g_strdup_printf ("rank %d / %d", gpu->rank, gpu->device);
  if (column <= G_N_ELEMENTS (times))
    return hir_format_duration (times[column - 1]);
  if (column == 7)
    return hir_format_duration (gpu->exposed_memcpy_ns);
  return isnan (gpu->comm_overlap_percent) ? g_strdup ("\u2013")
                                           : g_strdup_printf ("%.1f %%", gpu->comm_overlap_percent);
}

static char *
dup_collective_cell (const HirCollectiveStats *row, guint column)
{
  char *text;

  switch (column)
    {
    case 0:
      return g_strdup_printf ("%s, %s", row->op, row->team);
    case 1:
      return dup_count (row->count);
    case 2:
      text = hir_collective_stats_dup_sizes (row);
      return text != NULL ? text : g_strdup ("\u2013");
    case 3:
      return dup_mean (row->mean_ns);
    case 4:
      return row->algbw > 0 ? g_strdup_printf ("%.2f", row->algbw) : g_strdup ("\u2013");
    case 5:
      return row->busbw > 0 ? g_strdup_printf ("%.2f", row->busbw) : g_strdup ("\u2013");
    case 6:
      text = hir_collective_stats_dup_busbw_range (row);
      return text != NULL ? text : g_strdup ("\u2013");
    default:
      return row->n_matched > 0 ? dup_mean (row->mean_end_skew_ns) : g_strdup ("\u2013");
    }
}

static char *
dup_rank_cell (const HirRankStats *row, guint column)
{
  switch (column)
    {
    case 0:
      return g_strdup_printf ("rank %d", row->rank);
    case 1:
      return dup_count (row->n_last);
    case 2:
      return dup_count (row->count);
    case 3:
      return hir_format_duration (row->waited_ns);
    case 4:
      return hir_format_duration (row->waiting_ns);
    case 5:
      return dup_mean (row->mean_start_ns);
    case 6:
      return dup_mean (row->mean_end_ns);
    default:
      return row->clock_error_ns >= 0 ? hir_format_duration (row->clock_error_ns)
                                      : g_strdup ("\u2013");
    }
}

static char *
dup_kernel_cell (const HirKernelStats *kernel, guint column)
{
  switch (column)
    {
    case 0:
      return g_strdup (kernel->name);
    case 1:
      return dup_count (kernel->count);
    case 2:
      return hir_format_duration (kernel->sum_ns);
    case 3:
      return dup_mean (kernel->mean_ns);
    case 4:
      return hir_format_duration (kernel->p50_ns);
    case 5:
      return hir_format_duration (kernel->p99_ns);
    default:
      return hir_format_duration (kernel->max_ns);
    }
}

static char *
dup_stream_cell (const HirTrace *trace, const HirStreamStats *stream, guint column)
{
  const HirTrack *info = hir_trace_get_track (trace, stream->track);

  switch (column)
    {
    case 0:
      return g_strdup_printf ("rank %d: %s", info->rank, info->name);
    case 1:
      return dup_count (stream->n_events);
    case 2:
      return hir_format_duration (stream->busy_ns);
    case 3:
      return hir_format_duration (stream->waiting_ns);
    default:
      return g_strdup_printf ("%.1f %%", stream->occupancy_percent);
    }
}

static char *
dup_queue_cell (const HirQueueStats *queue, guint column)
{
  const gint64 times[] = { queue->min_ns, (gint64) (queue->mean_ns + 0.5), queue->p50_ns,
                           queue->p99_ns, queue->max_ns };

  if (column == 0)
    return g_strdup ("all devices");
  if (column == 1)
    return dup_count (queue->count);
  return hir_format_duration (times[column - 2]);
}

char *
hir_stats_scene_dup_cell (const HirStatsScene *scene,
                          HirStatsSection section,
                          int row,
                          guint column)
{
  const HirStats *stats = scene->stats;

  if (column >= sections[section].n_columns ||
      row >= (int) hir_stats_scene_get_n_rows (scene, section))
    return g_strdup ("");
  if (row < 0)
    return g_strdup (sections[section].columns[column].head);
  switch (section)
    {
    case HIR_STATS_DEVICES:
      return dup_device_cell (&g_array_index (stats->gpus, HirGpuStats, row), column);
    case HIR_STATS_COLLECTIVES:
      return dup_collective_cell (&g_array_index (stats->collectives, HirCollectiveStats, row),
                                  column);
    case HIR_STATS_RANKS:
    case HIR_STATS_HEAT:
      return dup_rank_cell (&g_array_index (stats->ranks, HirRankStats, row), column);
    case HIR_STATS_KERNELS:
      return dup_kernel_cell (&g_array_index (stats->kernels, HirKernelStats,
                                              g_array_index (scene->order, guint, row)),
                              column);
    case HIR_STATS_STREAMS:
      return dup_stream_cell (scene->trace, &g_array_index (stats->streams, HirStreamStats, row),
                              column);
    case HIR_STATS_QUEUE:
      return dup_queue_cell (&stats->queue, column);
    case HIR_STATS_NOTES:
      return g_strdup (scene->notes[row]);
    case HIR_N_STATS_SECTIONS:
    default:
      return g_strdup ("");
    }
}

static double
get_share_of_sums (const GArray *kernels, guint row)
{
  double all = 0;

  for (guint i = 0; i < kernels->len; i++)
    all += (double) g_array_index (kernels, HirKernelStats, i).sum_ns;
  return all > 0 ? (double) g_array_index (kernels, HirKernelStats, row).sum_ns / all : 0;
}

double
hir_stats_scene_get_share (const HirStatsScene *scene,
                           HirStatsSection section,
                           int row,
                           guint column)
{
  const HirStats *stats = scene->stats;
  double share = -1;

  if (row < 0 || row >= (int) hir_stats_scene_get_n_rows (scene, section))
    return -1;
  if (section == HIR_STATS_RANKS && column == 1)
    share = (double) g_array_index (stats->ranks, HirRankStats, row).n_last /
            (double) g_array_index (stats->ranks, HirRankStats, row).count;
  else if (section == HIR_STATS_KERNELS && column == 2)
    share = get_share_of_sums (stats->kernels, g_array_index (scene->order, guint, row));
  else if (section == HIR_STATS_STREAMS && column == 4)
    share = g_array_index (stats->streams, HirStreamStats, row).occupancy_percent / 100;
  else if (section == HIR_STATS_DEVICES && (column == 2 || column == 8))
    {
      const HirGpuStats *gpu = &g_array_index (stats->gpus, HirGpuStats, row);

      if (column == 8)
        share = isnan (gpu->comm_overlap_percent) ? -1 : gpu->comm_overlap_percent / 100;
      else if (gpu->total_ns > 0)
        share = (double) gpu->busy_ns / (double) gpu->total_ns;
    }
  return MIN (share, 1);
}

G_GNUC_PRINTF (3, 4)
static void
add_note (GPtrArray *notes, guint64 n, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list arguments;

  if (n == 0)
    return;
  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_ptr_array_add (notes, g_strdup_printf ("%" G_GUINT64_FORMAT " event%s %s", n, n == 1 ? "" : "s",
                                           text));
}

char **
hir_stats_scene_dup_notes (const HirStats *stats, const HirTrace *trace)
{
  g_auto (GStrv) rest = hir_stats_dup_notes (stats, trace);
  GPtrArray *notes = g_ptr_array_new ();

  if (stats->n_counted > 0)
    add_note (notes, stats->n_counted, "counted");
  else
    g_ptr_array_add (notes, g_strdup ("No device work is counted here"));
  add_note (notes, stats->n_other_phases, "of setup, warm-up or check left out");
  add_note (notes, stats->n_cut, "cut at an end of the range");
  add_note (notes, stats->n_outside, "outside the range");
  add_note (notes, stats->n_other_tracks, "on other tracks");
  add_note (notes, stats->n_not_launched, "left out: no launch in the trace");
  if (stats->n_unmatched < stats->n_counted)
    add_note (notes, stats->n_unmatched, "without a launch in the trace");
  add_note (notes, stats->n_backwards, "started before their launch: the clocks disagree");
  for (guint i = 0; rest[i] != NULL; i++)
    g_ptr_array_add (notes, g_strdup (rest[i]));
  g_ptr_array_add (notes, NULL);
  return (char **) g_ptr_array_free (notes, FALSE);
}

typedef struct
{
  const GArray *kernels;
  guint column;
  gboolean is_descending;
} Order;

static double
get_value (const HirKernelStats *kernel, guint column)
{
  const double values[] = { 0,
                            (double) kernel->count,
                            (double) kernel->sum_ns,
                            kernel->mean_ns,
                            (double) kernel->p50_ns,
                            (double) kernel->p99_ns,
                            (double) kernel->max_ns };

  return values[MIN (column, G_N_ELEMENTS (values) - 1)];
}

static int
compare_kernels (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const Order *order = user_data;
  guint i = *(const guint *) a, j = *(const guint *) b;
  const HirKernelStats *x = &g_array_index (order->kernels, HirKernelStats, i);
  const HirKernelStats *y = &g_array_index (order->kernels, HirKernelStats, j);
  double u = get_value (x, order->column), v = get_value (y, order->column);
  int by_name = order->column == 0 ? strcmp (x->name, y->name) : 0;
  int sign = order->is_descending ? -1 : 1;

  if (by_name != 0)
    return sign * by_name;
  if (u != v)
    return u < v ? -sign : sign;
  /* By default, the largest sum comes first. */
  return i < j ? -1 : i > j;
}

GArray *
hir_stats_scene_dup_order (const HirStats *stats, guint column, gboolean is_descending)
{
  GArray *indices = g_array_sized_new (FALSE, FALSE, sizeof (guint), stats->kernels->len);
  Order order = { stats->kernels, column, is_descending };

  for (guint i = 0; i < stats->kernels->len; i++)
    g_array_append_val (indices, i);
  g_array_sort_with_data (indices, compare_kernels, &order);
  return indices;
}
