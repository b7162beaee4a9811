#include "trace/baseline.h"

#include "trace/trace-builder-private.h"
#include "trace/track-gpu.h"

#define MAX_BASELINES (4 * 1024 * 1024)
#define MAX_BESIDE 1024 /* a sample with more neighbors is not alone */
#define ALONE_PERCENT 5 /* a sample beside which others run for at most this share is alone */

void
hir_baseline_sample_add (GArray *samples, const HirEvent *event)
{
  const HirBaselineSample sample = { event->start_ns, event->end_ns,    event->instruction,
                                     event->name,     event->iteration, event->track,
                                     event->kind };

  if (event->kind < HIR_EVENT_SYNC && event->instruction != 0)
    g_array_append_val (samples, sample);
}

#define COMPARE(x, y)                                                                              \
  if ((x) != (y))                                                                                  \
  return (x) < (y) ? -1 : 1

static int
compare_starts (gconstpointer a, gconstpointer b)
{
  const HirBaselineSample *x = a, *y = b;

  COMPARE (x->start_ns, y->start_ns);
  COMPARE (x->track, y->track);
  return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

static int
compare_baselines (gconstpointer a, gconstpointer b)
{
  const HirBaseline *x = a, *y = b;

  COMPARE (x->instruction, y->instruction);
  COMPARE (x->iteration, y->iteration);
  COMPARE (x->name, y->name);
  return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Samples of one piece of work. */
typedef struct
{
  HirBaseline baseline;
  guint8 kind;
  gint64 start_ns, end_ns;
  gboolean is_alone;
} Row;

static int
compare_rows (gconstpointer a, gconstpointer b)
{
  const Row *x = a, *y = b;
  int order = compare_baselines (&x->baseline, &y->baseline);

  return order != 0 ? order : (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static int
compare_ns (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

/* Returns whether two samples are pieces of one execution, or of one communication. */
static gboolean
belong_together (const HirBaselineSample *a, const HirBaselineSample *b)
{
  return a->instruction == b->instruction && a->iteration == b->iteration;
}

/* Marks the samples beside which other work of their GPU ran. @samples are sorted by start. */
static void
find_crowded (const GArray *samples, const GPtrArray *tracks, gboolean share, guint8 *crowded)
{
  for (guint i = 0; i < samples->len; i++)
    {
      const HirBaselineSample *a = &g_array_index (samples, HirBaselineSample, i);

      for (guint k = i + 1; k < samples->len; k++)
        {
          const HirBaselineSample *b = &g_array_index (samples, HirBaselineSample, k);
          gint64 beside_ns = MIN (a->end_ns, b->end_ns) - b->start_ns;

          if (beside_ns <= 0)
            break;
          if (k - i > MAX_BESIDE)
            {
              crowded[i] = TRUE;
              break;
            }
          if (belong_together (a, b) ||
              !hir_track_is_on_same_gpu (tracks->pdata[a->track], tracks->pdata[b->track], share))
            continue;
          crowded[i] |= beside_ns > (a->end_ns - a->start_ns) / (100 / ALONE_PERCENT);
          crowded[k] |= beside_ns > (b->end_ns - b->start_ns) / (100 / ALONE_PERCENT);
        }
    }
}

static GArray *
dup_rows (GArray *samples, const GPtrArray *tracks, gboolean share)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (Row));
  g_autofree guint8 *crowded = g_new0 (guint8, samples->len + 1);

  g_array_sort (samples, compare_starts);
  find_crowded (samples, tracks, share, crowded);
  for (guint i = 0; i < samples->len; i++)
    {
      const HirBaselineSample *sample = &g_array_index (samples, HirBaselineSample, i);
      const Row row = { { .instruction = sample->instruction,
                          .name = sample->name,
                          .iteration = sample->iteration,
                          .rank = ((const HirTrack *) tracks->pdata[sample->track])->rank },
                        sample->kind,
                        sample->start_ns,
                        sample->end_ns,
                        !crowded[i] };

      g_array_append_val (rows, row);
    }
  g_array_sort (rows, compare_rows);
  return rows;
}

/* Returns the end of the rows from @first on that are of one rank, or of one work on all ranks. */
static guint
find_end (const GArray *rows, guint first, gboolean of_all_ranks)
{
  const HirBaseline *own = &g_array_index (rows, Row, first).baseline;
  guint end = first + 1;

  for (; end < rows->len; end++)
    {
      const HirBaseline *other = &g_array_index (rows, Row, end).baseline;

      if (own->instruction != other->instruction || own->iteration != other->iteration ||
          own->name != other->name || (!of_all_ranks && own->rank != other->rank))
        break;
    }
  return end;
}

/* Moves the starts of each execution of a communication to that of its last member. The executions
 * of a rank are in the order of time. */
static void
move_to_last_member (GArray *rows, guint first, guint end)
{
  guint n_each = find_end (rows, first, FALSE) - first;

  for (guint i = first; i < end; i += n_each)
    if (find_end (rows, i, FALSE) - i != n_each)
      return; /* copies are recorded on one rank only */
  for (guint k = 0; k < n_each; k++)
    {
      gint64 last_ns = G_MININT64;

      for (guint i = first + k; i < end; i += n_each)
        last_ns = MAX (last_ns, g_array_index (rows, Row, i).start_ns);
      for (guint i = first + k; i < end; i += n_each)
        {
          Row *row = &g_array_index (rows, Row, i);

          if (last_ns < row->end_ns)
            row->start_ns = last_ns;
        }
    }
}

/* Appends the median of the rows of one rank, unless none of them is alone. */
static void
add_median (GArray *baselines, const GArray *rows, guint first, guint end)
{
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (gint64));
  HirBaseline baseline = g_array_index (rows, Row, first).baseline;

  for (guint i = first; i < end; i++)
    {
      const Row *row = &g_array_index (rows, Row, i);
      gint64 ns = row->end_ns - row->start_ns;

      if (row->is_alone)
        g_array_append_val (times, ns);
    }
  if (times->len == 0)
    return;
  g_array_sort (times, compare_ns);
  baseline.duration_ns = g_array_index (times, gint64, (times->len - 1) / 2);
  g_array_append_val (baselines, baseline);
}

GArray *
hir_baselines_reduce (GArray *samples, const GPtrArray *tracks, gboolean share)
{
  g_autoptr (GArray) rows = dup_rows (samples, tracks, share);
  GArray *baselines = g_array_new (FALSE, FALSE, sizeof (HirBaseline));
  guint end_of_work;

  for (guint first = 0; first < rows->len; first = end_of_work)
    {
      guint end;

      end_of_work = find_end (rows, first, TRUE);
      if (g_array_index (rows, Row, first).kind == HIR_EVENT_COMMUNICATION)
        move_to_last_member (rows, first, end_of_work);
      for (guint i = first; i < end_of_work; i = end)
        {
          end = find_end (rows, i, FALSE);
          add_median (baselines, rows, i, end);
        }
    }
  return baselines;
}

void
hir_trace_builder_add_baseline (HirTraceBuilder *builder, const HirBaseline *baseline)
{
  if (builder->trace == NULL)
    return;
  if (builder->trace->baselines->len >= MAX_BASELINES || baseline->duration_ns < 0)
    builder->counts[HIR_COUNT_NO_BASELINE]++;
  else
    g_array_append_val (builder->trace->baselines, *baseline);
}

void
hir_baselines_finish (HirTrace *trace)
{
  g_autoptr (GPtrArray) tracks = NULL;
  g_autoptr (GArray) reduced = NULL;

  if (trace->samples->len > 0)
    {
      tracks = g_ptr_array_new ();
      for (guint t = 0; t < trace->tracks->len; t++)
        g_ptr_array_add (tracks, &((HirTrackData *) trace->tracks->pdata[t])->info);
      reduced =
          hir_baselines_reduce (trace->samples, tracks,
                                hir_run_may_share_gpus (g_hash_table_lookup (trace->meta, "run")));
      g_array_append_vals (trace->baselines, reduced->data, reduced->len);
      g_array_set_size (trace->samples, 0);
    }
  g_array_sort (trace->baselines, compare_baselines);
}

guint
hir_trace_get_n_baselines (const HirTrace *trace)
{
  return trace->baselines->len;
}

const HirBaseline *
hir_trace_get_baseline (const HirTrace *trace, guint i)
{
  g_return_val_if_fail (i < trace->baselines->len, NULL);
  return &g_array_index (trace->baselines, HirBaseline, i);
}

gint64
hir_trace_lookup_baseline_ns (
    const HirTrace *trace, guint64 instruction, gint32 iteration, guint32 name, int rank)
{
  const HirBaseline wanted = {
    .instruction = instruction, .name = name, .iteration = iteration, .rank = rank
  };
  guint at;

  return g_array_binary_search (trace->baselines, &wanted, compare_baselines, &at)
             ? g_array_index (trace->baselines, HirBaseline, at).duration_ns
             : -1;
}
