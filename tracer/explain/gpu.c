/* Collects the work of each GPU, and what each piece of work takes with nothing beside it. */
#include "explain/explain-private.h"
#include "trace/baseline.h"
#include "trace/left-out.h"

#define ALONE_PERCENT 5 /* work beside which others run for at most this share counts as alone */
#define SPREAD_PERCENT                                                                             \
  30 /* without a program, kernels of one name whose times differ more differ in                   \
      * size */

static void
gpu_free (gpointer data)
{
  HirGpu *gpu = data;

  g_array_unref (gpu->works);
  g_array_unref (gpu->compute);
  g_array_unref (gpu->transfer);
  g_free (gpu);
}

static HirGpu *
ensure_gpu (const HirExplainIndex *index, GPtrArray *gpus, guint at, gboolean of_all_ranks)
{
  const HirTrack *track = hir_trace_get_track (index->trace, at);
  guint number = hir_explain_index_get_gpu (index, at);
  HirGpu *gpu;

  for (guint i = 0; i < gpus->len; i++)
    {
      gpu = g_ptr_array_index (gpus, i);
      if (gpu->number == number && (of_all_ranks || gpu->rank == track->rank))
        return gpu;
    }
  gpu = g_new0 (HirGpu, 1);
  gpu->number = number;
  gpu->rank = track->rank;
  gpu->device = track->device;
  gpu->works = g_array_new (FALSE, FALSE, sizeof (HirGpuWork));
  gpu->compute = g_array_new (FALSE, FALSE, sizeof (HirGpuOwner));
  gpu->transfer = g_array_new (FALSE, FALSE, sizeof (HirGpuOwner));
  g_ptr_array_add (gpus, gpu);
  return gpu;
}

static int
compare_works (gconstpointer a, gconstpointer b)
{
  const HirGpuWork *x = a, *y = b;

  if (x->start_ns != y->start_ns)
    return x->start_ns < y->start_ns ? -1 : 1;
  return x->track != y->track ? (x->track < y->track ? -1 : 1)
                              : (x->index > y->index) - (x->index < y->index);
}

static void
collect (const HirExplainIndex *index, guint track, GArray *works)
{
  for (guint i = 0; i < hir_trace_get_track_n_events (index->trace, track) &&
                    !hir_explain_index_is_cancelled (index);
       i++)
    {
      HirEvent event;
      HirGpuWork work;

      hir_trace_get_event (index->trace, track, i, &event);
      if (event.kind >= HIR_EVENT_SYNC || hir_trace_is_left_out (index->trace, track, i))
        continue;
      work = (HirGpuWork){
        .start_ns = event.start_ns,
        .end_ns = event.end_ns,
        .track = track,
        .index = i,
        .name = event.name,
        .iteration = event.iteration,
        .instruction = event.instruction,
        .bytes = event.bytes,
        .flops = event.flops,
        .kind = event.kind,
        .is_program = event.phase == HIR_PHASE_PROGRAM,
      };
      g_array_append_val (works, work);
    }
}

static gboolean
is_compute (const HirGpuWork *work)
{
  return work->kind == HIR_EVENT_KERNEL || work->kind == HIR_EVENT_MEMSET;
}

/* At each time, the oldest running work of a class owns the GPU. */
static void
find_owners (HirGpu *gpu, GArray *owners, gboolean of_compute)
{
  gint64 end_ns = G_MININT64;

  for (guint i = 0; i < gpu->works->len; i++)
    {
      HirGpuWork *work = &g_array_index (gpu->works, HirGpuWork, i);
      HirGpuOwner owner = { MAX (work->start_ns, end_ns), work->end_ns, i };

      if (!work->is_program || is_compute (work) != of_compute)
        continue;
      if (owner.start_ns < owner.end_ns)
        {
          g_array_append_val (owners, owner);
          work->owned_ns = owner.end_ns - owner.start_ns;
        }
      end_ns = MAX (end_ns, work->end_ns);
    }
}

/* Sets is_alone. On the modelled clock, other work makes no difference. */
static void
find_alone (const HirExplainIndex *index, HirGpu *gpu)
{
  gboolean is_model = g_strcmp0 (hir_trace_get_meta (index->trace, "clock"), "model") == 0;
  gint64 end_ns = G_MININT64 / 2; /* last end of earlier works; differences do not overflow */

  for (guint i = 0; i < gpu->works->len; i++)
    {
      HirGpuWork *work = &g_array_index (gpu->works, HirGpuWork, i);
      gint64 covered_ns = MAX (MIN (end_ns, work->end_ns) - work->start_ns, 0);
      gint64 until_ns = work->start_ns + covered_ns;
      gint64 allowed_ns = (work->end_ns - work->start_ns) / (100 / ALONE_PERCENT);

      for (guint k = i + 1; k < gpu->works->len && covered_ns <= allowed_ns; k++)
        {
          const HirGpuWork *other = &g_array_index (gpu->works, HirGpuWork, k);
          gint64 from_ns = MAX (other->start_ns, until_ns);
          gint64 to_ns = MIN (other->end_ns, work->end_ns);

          if (other->start_ns >= work->end_ns)
            break;
          covered_ns += MAX (to_ns - from_ns, 0);
          until_ns = MAX (until_ns, to_ns);
        }
      work->is_alone = is_model || covered_ns <= allowed_ns;
      end_ns = MAX (end_ns, work->end_ns);
    }
}

/* Works of one name and size. */
typedef struct
{
  guint32 name;
  guint8 kind;
  gint64 bytes, flops;
} Type;

typedef struct
{
  Type type;
  GArray *alone, *usual; /* gint64: durations */
  gboolean of_baseline;  /* alone is measured by --baseline */
} TypeTimes;

static guint
type_hash (gconstpointer data)
{
  const Type *type = data;

  return (type->name * 31u + type->kind) * 31u + (guint) type->bytes * 7919u +
         (guint) type->flops * 104729u;
}

static gboolean
type_equal (gconstpointer a, gconstpointer b)
{
  const Type *x = a, *y = b;

  return x->name == y->name && x->kind == y->kind && x->bytes == y->bytes && x->flops == y->flops;
}

static void
times_free (gpointer data)
{
  TypeTimes *times = data;

  g_array_unref (times->alone);
  g_array_unref (times->usual);
  g_free (times);
}

static TypeTimes *
ensure_times (GHashTable *table, const HirGpuWork *work)
{
  const Type type = { work->name, work->kind, work->bytes, work->flops };
  TypeTimes *times = g_hash_table_lookup (table, &type);

  if (times != NULL)
    return times;
  times = g_new0 (TypeTimes, 1);
  times->type = type;
  times->alone = g_array_new (FALSE, FALSE, sizeof (gint64));
  times->usual = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_hash_table_insert (table, &times->type, times);
  return times;
}

static int
compare_ns (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

/* Returns the lower median of sorted @values; -1 if there are none. */
static gint64
get_median (const GArray *values)
{
  if (values->len == 0)
    return -1;
  return g_array_index (values, gint64, (values->len - 1) / 2);
}

/* Takes what --baseline has measured, if it has: then executions beside which nothing runs by
 * chance do not count. */
static void
take_baselines (const HirTrace *trace, const HirGpu *gpu, GHashTable *table)
{
  for (guint i = 0; i < gpu->works->len && hir_trace_get_n_baselines (trace) > 0; i++)
    {
      const HirGpuWork *work = &g_array_index (gpu->works, HirGpuWork, i);
      gint64 ns =
          work->is_program
              ? hir_trace_lookup_baseline_ns (trace, work->instruction, work->iteration, work->name,
                                              hir_trace_get_track (trace, work->track)->rank)
              : -1;
      TypeTimes *times;

      if (ns < 0)
        continue;
      times = ensure_times (table, work);
      times->of_baseline = TRUE;
      g_array_append_val (times->alone, ns);
    }
}

static GHashTable *
dup_times (const HirTrace *trace, HirGpu *gpu)
{
  GHashTable *table = g_hash_table_new_full (type_hash, type_equal, NULL, times_free);
  GHashTableIter iter;
  gpointer value;

  take_baselines (trace, gpu, table);
  for (guint i = 0; i < gpu->works->len; i++)
    {
      const HirGpuWork *work = &g_array_index (gpu->works, HirGpuWork, i);
      TypeTimes *times = ensure_times (table, work);
      gint64 ns = work->end_ns - work->start_ns;

      if (work->is_alone && !times->of_baseline)
        g_array_append_val (times->alone, ns);
      if (work->is_program)
        g_array_append_val (times->usual, ns);
    }
  g_hash_table_iter_init (&iter, table);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      TypeTimes *times = value;

      g_array_sort (times->alone, compare_ns);
      g_array_sort (times->usual, compare_ns);
    }
  return table;
}

/* What works of a type take on all GPUs. */
typedef struct
{
  gint64 ns; /* median of the GPUs; of two, the smaller */
  gboolean knows_alone, of_baseline;
} Reference;

static gint64
get_reference_ns (const GPtrArray *tables, const Type *type, gboolean of_alone)
{
  g_autoptr (GArray) medians = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint i = 0; i < tables->len; i++)
    {
      const TypeTimes *times = g_hash_table_lookup (g_ptr_array_index (tables, i), type);
      gint64 ns = times != NULL ? get_median (of_alone ? times->alone : times->usual) : -1;

      if (ns >= 0)
        g_array_append_val (medians, ns);
    }
  g_array_sort (medians, compare_ns);
  return get_median (medians);
}

static gboolean
is_of_baseline (const GPtrArray *tables, const Type *type)
{
  for (guint i = 0; i < tables->len; i++)
    {
      const TypeTimes *times = g_hash_table_lookup (g_ptr_array_index (tables, i), type);

      if (times != NULL && times->of_baseline)
        return TRUE;
    }
  return FALSE;
}

static Reference *
ensure_reference (GHashTable *references, const GPtrArray *tables, const Type *type)
{
  Reference *reference = g_hash_table_lookup (references, type);

  if (reference != NULL)
    return reference;
  reference = g_new0 (Reference, 1);
  reference->ns = get_reference_ns (tables, type, TRUE);
  reference->knows_alone = reference->ns >= 0;
  reference->of_baseline = is_of_baseline (tables, type);
  if (!reference->knows_alone)
    reference->ns = get_reference_ns (tables, type, FALSE);
  g_hash_table_insert (references, (gpointer) type, reference);
  return reference;
}

/* Without sizes, kernels of one name can only be compared if they take about the same time. */
static gboolean
is_comparable (const HirGpuWork *work, const TypeTimes *times)
{
  const GArray *values = times->alone->len > 0 ? times->alone : times->usual;
  gint64 least_ns = g_array_index (values, gint64, 0);
  gint64 largest_ns = g_array_index (values, gint64, values->len - 1);

  return work->instruction != 0 || work->bytes != 0 || work->flops != 0 ||
         largest_ns <= least_ns + least_ns / 100 * SPREAD_PERCENT;
}

static void
set_times (HirGpu *gpu, const GPtrArray *tables, GHashTable *table, GHashTable *references)
{
  for (guint i = 0; i < gpu->works->len; i++)
    {
      HirGpuWork *work = &g_array_index (gpu->works, HirGpuWork, i);
      TypeTimes *times;
      const Reference *reference;
      gint64 own_ns;

      if (!work->is_program)
        continue;
      times = ensure_times (table, work);
      reference = ensure_reference (references, tables, &times->type);
      work->knows_alone = reference->knows_alone;
      work->of_baseline = times->of_baseline || (times->alone->len == 0 && reference->of_baseline);
      work->median_ns = get_median (times->usual);
      work->least_ns = g_array_index (times->usual, gint64, 0);
      work->usual_ns = work->alone_ns = work->end_ns - work->start_ns;
      if (!is_comparable (work, times))
        continue;
      own_ns = get_median (reference->knows_alone ? times->alone : times->usual);
      work->usual_ns = own_ns >= 0 ? own_ns : reference->ns;
      work->alone_ns = MIN (reference->ns, work->usual_ns);
    }
}

GPtrArray *
hir_gpus_new (const HirExplainIndex *index, gboolean of_all_ranks)
{
  GPtrArray *gpus = g_ptr_array_new_with_free_func (gpu_free);
  g_autoptr (GPtrArray) tables =
      g_ptr_array_new_with_free_func ((GDestroyNotify) g_hash_table_unref);
  g_autoptr (GHashTable) references = g_hash_table_new_full (type_hash, type_equal, NULL, g_free);

  for (guint t = 0; t < hir_trace_get_n_tracks (index->trace); t++)
    if (hir_track_is_of_device (hir_trace_get_track (index->trace, t)))
      collect (index, t, ensure_gpu (index, gpus, t, of_all_ranks)->works);
  for (guint i = 0; i < gpus->len; i++)
    {
      HirGpu *gpu = g_ptr_array_index (gpus, i);

      g_array_sort (gpu->works, compare_works);
      find_owners (gpu, gpu->compute, TRUE);
      find_owners (gpu, gpu->transfer, FALSE);
      find_alone (index, gpu);
      g_ptr_array_add (tables, dup_times (index->trace, gpu));
    }
  for (guint i = 0; i < gpus->len; i++)
    set_times (g_ptr_array_index (gpus, i), tables, g_ptr_array_index (tables, i), references);
  return gpus;
}

guint
hir_gpu_find_owner (const GArray *owners, gint64 time_ns)
{
  guint low = 0, high = owners->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (owners, HirGpuOwner, middle).end_ns <= time_ns)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

guint
hir_gpu_find_work (const HirExplainIndex *index, const HirGpu *gpu, guint track, guint at)
{
  HirGpuWork wanted = { .track = track, .index = at };
  HirEvent event;
  guint number = 0;

  hir_trace_get_event (index->trace, track, at, &event);
  wanted.start_ns = event.start_ns;
  return g_array_binary_search (gpu->works, &wanted, compare_works, &number) ? number : 0;
}

guint32
hir_gpu_find_beside (const HirGpu *gpu, guint work)
{
  const HirGpuWork *own = &g_array_index (gpu->works, HirGpuWork, work);
  gint64 longest_ns = 0;
  guint32 name = 0;

  /* Works that started long before and still run are rare: a few hundred are enough. */
  for (guint i = work > 256 ? work - 256 : 0; i < gpu->works->len; i++)
    {
      const HirGpuWork *other = &g_array_index (gpu->works, HirGpuWork, i);
      gint64 ns = MIN (own->end_ns, other->end_ns) - MAX (own->start_ns, other->start_ns);

      if (other->start_ns >= own->end_ns)
        break;
      if (i == work || ns <= longest_ns)
        continue;
      longest_ns = ns;
      name = other->name;
    }
  return name;
}
