/* Splits the time of a repetition into causes (docs/explain.md#lost-time). */
#include "explain/explain-private.h"

#include <string.h>

#define SHORT_GAP_NS 20000 /* longer gaps are unexplained */
#define MAX_BACK 256       /* parts of the path to look through for a cause */
#define SLOW_PERCENT 10    /* smaller differences between executions count as compute */
#define HIDDEN_PERCENT 5   /* communication beside which kernels run for less counts as bare */
#define MAX_WAITS 8        /* waits in a row to look through for the work that they wait for */

/* First start and last end of the kernels of a GPU in a repetition. */
typedef struct
{
  gint64 first_ns, last_ns;
} Span;

typedef struct
{
  const HirExplainIndex *index;
  const GPtrArray *gpus;
  const GArray *path;
  guint number;
  guint at;                 /* part of the path */
  const HirGpu *gpu;        /* nullable: GPU that the part is about */
  GArray *spans;            /* Span, per GPU */
  gint64 first_ns, last_ns; /* span of the GPU */
  GArray *losses;
  GHashTable *events;    /* events that a loss has counted: "loss track index" */
  gint64 from_ns, to_ns; /* the interval that is split */
} Split;

static void
add_piece (Split *split, const HirLossPiece *piece, gint64 ns)
{
  hir_losses_add (split->losses, split->events, piece, split->from_ns, split->to_ns, ns);
}

static HirLossPiece
make_piece (const Split *split, HirLossCause cause)
{
  const HirPathPart *part = &g_array_index (split->path, HirPathPart, split->at);

  return (HirLossPiece){ .cause = cause,
                         .iteration = -1,
                         .rank = hir_trace_get_track (split->index->trace, part->track)->rank,
                         .track = part->track,
                         .index = part->index };
}

static void
name_by_work (HirLossPiece *piece, const HirGpuWork *work)
{
  piece->name = work->name;
  piece->instruction = work->instruction;
  piece->iteration = work->iteration;
  piece->track = work->track;
  piece->index = work->index;
  piece->duration_ns = work->end_ns - work->start_ns;
  piece->alone_ns = work->alone_ns;
  piece->alone_from = work->of_baseline   ? HIR_ALONE_BASELINE
                      : work->knows_alone ? HIR_ALONE_EXECUTIONS
                                          : HIR_ALONE_MEDIAN;
}

/* Returns @ns * @part / @whole. */
static gint64
scale (gint64 ns, gint64 part, gint64 whole)
{
  if (part >= whole)
    return ns;
  return part <= 0 ? 0 : (gint64) ((double) ns * ((double) part / (double) whole));
}

/* Time in which the kernel @number runs: as long as it takes alone, and the rest. The kernel is
 * charged for @owned_ns in total. */
static void
add_kernel (Split *split, guint number, gint64 owned_ns, gint64 start_ns, gint64 end_ns)
{
  gint64 ns = end_ns - start_ns;
  const HirGpuWork *work = &g_array_index (split->gpu->works, HirGpuWork, number);
  gint64 duration_ns = work->end_ns - work->start_ns;
  gint64 alone_ns = MIN (work->alone_ns, owned_ns), usual_ns = MIN (work->usual_ns, owned_ns);
  gint64 slow_rank_ns = 0, rest_ns;
  HirLossPiece piece = make_piece (split, HIR_LOSS_COMPUTE);

  split->from_ns = start_ns;
  split->to_ns = end_ns;
  name_by_work (&piece, work);
  if (usual_ns - alone_ns > alone_ns / 100 * SLOW_PERCENT)
    slow_rank_ns = scale (ns, usual_ns - alone_ns, owned_ns);
  rest_ns = scale (ns, owned_ns - usual_ns, owned_ns);
  if (work->knows_alone && !work->is_alone && duration_ns > work->usual_ns)
    piece.cause = HIR_LOSS_BESIDE;
  else if (duration_ns - work->usual_ns > work->usual_ns / 100 * SLOW_PERCENT)
    piece.cause = HIR_LOSS_SLOW;
  else
    rest_ns = 0;
  if (rest_ns > 0)
    {
      piece.by = piece.cause == HIR_LOSS_BESIDE ? hir_gpu_find_beside (split->gpu, number) : 0;
      piece.alone_ns = work->usual_ns;
      add_piece (split, &piece, rest_ns);
    }
  piece.by = 0;
  piece.alone_ns = work->alone_ns;
  piece.cause = HIR_LOSS_SLOW_RANK;
  add_piece (split, &piece, slow_rank_ns);
  piece.cause = HIR_LOSS_COMPUTE;
  add_piece (split, &piece, ns - rest_ns - slow_rank_ns);
}

/* Goes back from the current part, over parts without kernels, to what delayed it: a Synchronize, a
 * call of the host that waited, or a kernel that occupied the device. Returns the cause, and sets
 * @by. */
static HirLossCause
find_delay (const Split *split, guint32 *by)
{
  const HirPathPart *own = &g_array_index (split->path, HirPathPart, split->at);
  HirEvent own_event;

  hir_trace_get_event (split->index->trace, own->track, own->index, &own_event);
  for (guint i = split->at + 1; i-- > 0 && i + MAX_BACK > split->at;)
    {
      const HirPathPart *part = &g_array_index (split->path, HirPathPart, i);
      HirEvent event, before;

      hir_trace_get_event (split->index->trace, part->track, part->index, &event);
      if (i < split->at &&
          (part->kind == HIR_PATH_WORK ||
           (part->kind == HIR_PATH_TRANSFER && (event.instruction != own_event.instruction ||
                                                event.iteration != own_event.iteration))))
        break;
      if (part->kind == HIR_PATH_WAIT &&
          g_str_has_prefix (hir_trace_get_string (split->index->trace, event.name), "Synchronize"))
        {
          *by = event.name;
          return HIR_LOSS_SYNC;
        }
      if (part->kind == HIR_PATH_HOST && part->reason == HIR_REASON_HOST_WAIT)
        {
          *by = event.name;
          return HIR_LOSS_SYNC;
        }
      if (part->reason == HIR_REASON_DEVICE && i > 0)
        {
          const HirPathPart *work = &g_array_index (split->path, HirPathPart, i - 1);

          hir_trace_get_event (split->index->trace, work->track, work->index, &before);
          *by = before.name;
          return HIR_LOSS_LATE;
        }
    }
  return HIR_LOSS_TRANSFER;
}

/* Returns whether kernels run beside @work for a part of its time that counts. */
static gboolean
is_beside_kernels (const HirGpu *gpu, const HirGpuWork *work)
{
  gint64 beside_ns = 0;

  for (guint i = hir_gpu_find_owner (gpu->compute, work->start_ns); i < gpu->compute->len; i++)
    {
      const HirGpuOwner *owner = &g_array_index (gpu->compute, HirGpuOwner, i);

      if (owner->start_ns >= work->end_ns)
        break;
      beside_ns += MIN (owner->end_ns, work->end_ns) - MAX (owner->start_ns, work->start_ns);
    }
  return beside_ns > (work->end_ns - work->start_ns) / 100 * HIDDEN_PERCENT;
}

/* Returns the name of the kernel of the same GPU whose end released @work, or 0. */
static guint32
find_released_by (const HirExplainIndex *index, const HirGpuWork *work)
{
  HirPredecessor before =
      hir_predecessor_of_start (index, work->track, work->index, work->start_ns);

  for (guint i = 0; i < MAX_WAITS && before.is_known; i++)
    {
      HirEvent event;

      hir_trace_get_event (index->trace, before.track, before.index, &event);
      if (event.kind == HIR_EVENT_SYNC)
        before = hir_predecessor_of_wait (index, before.track, before.index, event.end_ns);
      else
        return event.kind == HIR_EVENT_KERNEL && hir_explain_index_get_gpu (index, before.track) ==
                                                     hir_explain_index_get_gpu (index, work->track)
                   ? event.name
                   : 0;
    }
  return 0;
}

/* Returns the cause for a copy that @cause is for a communication. */
static HirLossCause
get_copy_cause (HirLossCause cause)
{
  switch (cause)
    {
    case HIR_LOSS_FIRST:
      return HIR_LOSS_FIRST_COPY;
    case HIR_LOSS_LAST:
      return HIR_LOSS_LAST_COPY;
    case HIR_LOSS_LATE:
      return HIR_LOSS_LATE_COPY;
    case HIR_LOSS_LIMIT:
      return HIR_LOSS_LIMIT_COPY;
    case HIR_LOSS_TRANSFER:
    case HIR_LOSS_ORDER:
      return HIR_LOSS_COPY;
    default:
      return cause;
    }
}

/* Exposed communication, or an exposed copy. */
static void
add_transfer (Split *split, guint number, gint64 start_ns, gint64 end_ns)
{
  const HirGpuWork *work = &g_array_index (split->gpu->works, HirGpuWork, number);
  const HirPathPart *part = &g_array_index (split->path, HirPathPart, split->at);
  HirPredecessor last =
      hir_predecessor_of_transfer (split->index, work->track, work->index, work->end_ns);
  gint64 ready_ns = last.is_known ? CLAMP (last.ready_ns, start_ns, end_ns) : start_ns;
  HirLossPiece piece = make_piece (split, HIR_LOSS_SLOWEST);

  split->from_ns = start_ns;
  split->to_ns = end_ns;
  name_by_work (&piece, work);
  if (start_ns >= split->first_ns)
    add_piece (split, &piece, ready_ns - start_ns);
  else
    ready_ns = start_ns;
  piece.cause = HIR_LOSS_TRANSFER;
  if (start_ns < split->first_ns)
    piece.cause = HIR_LOSS_FIRST;
  else if (start_ns >= split->last_ns)
    piece.cause = HIR_LOSS_LAST;
  else if (part->kind == HIR_PATH_TRANSFER || part->kind == HIR_PATH_WORK)
    piece.cause = find_delay (split, &piece.by);
  if (piece.cause == HIR_LOSS_TRANSFER && !is_beside_kernels (split->gpu, work))
    {
      piece.cause = HIR_LOSS_ORDER;
      piece.by = find_released_by (split->index, work);
    }
  if (work->kind == HIR_EVENT_MEMCPY)
    piece.cause = get_copy_cause (piece.cause);
  add_piece (split, &piece, end_ns - ready_ns);
}

/* Time in which the device is idle. */
static void
add_idle (Split *split, gint64 start_ns, gint64 end_ns)
{
  const HirPathPart *part = &g_array_index (split->path, HirPathPart, split->at);
  HirLossPiece piece = make_piece (split, HIR_LOSS_HOST);

  split->from_ns = start_ns;
  split->to_ns = end_ns;
  switch (part->kind)
    {
    case HIR_PATH_HOST:
    case HIR_PATH_HOST_GAP:
      piece.cause = find_delay (split, &piece.by) == HIR_LOSS_SYNC && !split->index->is_recording
                        ? HIR_LOSS_SYNC
                        : HIR_LOSS_HOST;
      piece.by = piece.cause == HIR_LOSS_SYNC ? piece.by : 0;
      break;

    case HIR_PATH_LAUNCH:
      piece.cause = HIR_LOSS_LAUNCH;
      break;

    case HIR_PATH_WAIT:
      piece.cause = HIR_LOSS_RESUME;
      break;

    case HIR_PATH_START:
      piece.cause = HIR_LOSS_START;
      break;

    default:
      /* Without host events, a gap may be the host's. */
      piece.cause = part->end_ns - part->start_ns <= SHORT_GAP_NS ? HIR_LOSS_LAUNCH
                    : split->index->has_issues                    ? HIR_LOSS_UNEXPLAINED
                                                                  : HIR_LOSS_HOST;
      break;
    }
  add_piece (split, &piece, end_ns - start_ns);
}

static gboolean
is_of_host (const HirPathPart *part)
{
  return part->kind == HIR_PATH_HOST || part->kind == HIR_PATH_HOST_GAP;
}

/* Returns whether other work of the GPU makes no difference to the current part: streams run
 * independently, and it is known what the path waits for. */
static gboolean
is_independent (const Split *split)
{
  const HirPathPart *part = &g_array_index (split->path, HirPathPart, split->at);

  return !split->index->has_contention &&
         (is_of_host (part) || part->kind == HIR_PATH_LAUNCH || part->kind == HIR_PATH_WAIT);
}

/* Time of an independent part beside other work of the GPU. */
static void
add_beside (Split *split, gint64 start_ns, gint64 end_ns)
{
  HirLossPiece piece = make_piece (split, HIR_LOSS_FEED);

  if (!is_of_host (&g_array_index (split->path, HirPathPart, split->at)))
    {
      add_idle (split, start_ns, end_ns);
      return;
    }
  split->from_ns = start_ns;
  split->to_ns = end_ns;
  add_piece (split, &piece, end_ns - start_ns);
}

/* Returns the number of the work of the GPU that the current part is, or G_MAXUINT. */
static guint
find_own_work (const Split *split)
{
  const HirPathPart *part = &g_array_index (split->path, HirPathPart, split->at);

  if (split->gpu == NULL ||
      split->gpu->number != hir_explain_index_get_gpu (split->index, part->track) ||
      (part->kind != HIR_PATH_WORK && part->kind != HIR_PATH_TRANSFER))
    return G_MAXUINT;
  return hir_gpu_find_work (split->index, split->gpu, part->track, part->index);
}

/* Splits time without kernels: other copies and communications do not delay one on the path. */
static void
add_quiet (Split *split, gint64 start_ns, gint64 end_ns)
{
  const GArray *owners = split->gpu != NULL ? split->gpu->transfer : NULL;
  guint own = find_own_work (split);

  if (own != G_MAXUINT)
    {
      add_transfer (split, own, start_ns, end_ns);
      return;
    }
  for (guint i = owners != NULL ? hir_gpu_find_owner (owners, start_ns) : 0;
       owners != NULL && i < owners->len && start_ns < end_ns; i++)
    {
      const HirGpuOwner *owner = &g_array_index (owners, HirGpuOwner, i);

      if (owner->start_ns >= end_ns)
        break;
      add_idle (split, start_ns, owner->start_ns);
      start_ns = MAX (start_ns, owner->start_ns);
      if (is_independent (split))
        add_beside (split, start_ns, MIN (end_ns, owner->end_ns));
      else
        add_transfer (split, owner->work, start_ns, MIN (end_ns, owner->end_ns));
      start_ns = MIN (end_ns, owner->end_ns);
    }
  add_idle (split, start_ns, end_ns);
}

/* Returns the index of the GPU of a part; of a part of the host, of the next work of its rank. */
static guint
find_gpu (const Split *split, guint at)
{
  const HirTrace *trace = split->index->trace;
  const HirTrack *own =
      hir_trace_get_track (trace, g_array_index (split->path, HirPathPart, at).track);
  const HirTrack *device = own;

  for (guint i = at; i < MIN (split->path->len, at + MAX_BACK) && !hir_track_is_of_device (device);
       i++)
    {
      device = hir_trace_get_track (trace, g_array_index (split->path, HirPathPart, i).track);
      if (device->rank != own->rank)
        break;
    }
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < split->gpus->len; i++)
      {
        const HirGpu *gpu = g_ptr_array_index (split->gpus, i);

        if (gpu->rank == own->rank &&
            (pass == 1 || (device->rank == own->rank && gpu->device == device->device)))
          return i;
      }
  return G_MAXUINT;
}

static Span
find_span (const Split *split, const HirGpu *gpu)
{
  Span span = { G_MININT64, G_MAXINT64 };

  for (guint i = 0; i < gpu->compute->len; i++)
    {
      const HirGpuOwner *owner = &g_array_index (gpu->compute, HirGpuOwner, i);
      const HirGpuWork *work = &g_array_index (gpu->works, HirGpuWork, owner->work);

      if (!hir_explain_index_is_in (split->index, work->track, work->start_ns, split->number))
        continue;
      if (span.first_ns == G_MININT64)
        span.first_ns = owner->start_ns;
      span.last_ns = owner->end_ns;
    }
  return span;
}

static void
set_gpu (Split *split, guint number)
{
  const Span none = { G_MININT64, G_MAXINT64 };
  Span span = number != G_MAXUINT ? g_array_index (split->spans, Span, number) : none;

  split->gpu = number != G_MAXUINT ? g_ptr_array_index (split->gpus, number) : NULL;
  split->first_ns = span.first_ns;
  split->last_ns = span.last_ns;
}

/* Time in which kernels run, of them @oldest first. */
static void
add_busy (Split *split, guint oldest, gint64 start_ns, gint64 end_ns)
{
  guint number = split->index->has_contention ? G_MAXUINT : find_own_work (split);
  const HirGpuWork *work;

  if (is_independent (split))
    {
      add_beside (split, start_ns, end_ns);
      return;
    }
  if (number == G_MAXUINT)
    number = oldest;
  work = &g_array_index (split->gpu->works, HirGpuWork, number);
  if (work->kind == HIR_EVENT_KERNEL || work->kind == HIR_EVENT_MEMSET)
    add_kernel (split, number, number == oldest ? work->owned_ns : work->end_ns - work->start_ns,
                start_ns, end_ns);
  else
    {
      HirLossPiece piece =
          make_piece (split, work->kind == HIR_EVENT_MEMCPY ? HIR_LOSS_LIMIT_COPY : HIR_LOSS_LIMIT);

      name_by_work (&piece, work);
      split->from_ns = start_ns;
      split->to_ns = end_ns;
      add_piece (split, &piece, end_ns - start_ns);
    }
}

static void
add_part (Split *split)
{
  const HirPathPart *part = &g_array_index (split->path, HirPathPart, split->at);
  const GArray *owners = split->gpu != NULL ? split->gpu->compute : NULL;
  gint64 start_ns = part->start_ns;

  for (guint i = owners != NULL ? hir_gpu_find_owner (owners, start_ns) : 0;
       owners != NULL && i < owners->len && start_ns < part->end_ns; i++)
    {
      const HirGpuOwner *owner = &g_array_index (owners, HirGpuOwner, i);

      if (owner->start_ns >= part->end_ns)
        break;
      if (owner->start_ns > start_ns)
        add_quiet (split, start_ns, owner->start_ns);
      start_ns = MAX (start_ns, owner->start_ns);
      add_busy (split, owner->work, start_ns, MIN (part->end_ns, owner->end_ns));
      start_ns = MIN (part->end_ns, owner->end_ns);
    }
  if (start_ns < part->end_ns)
    add_quiet (split, start_ns, part->end_ns);
}

static int
compare_losses (gconstpointer a, gconstpointer b)
{
  const HirLoss *x = a, *y = b;

  if ((x->cause == HIR_LOSS_COMPUTE) != (y->cause == HIR_LOSS_COMPUTE))
    return x->cause == HIR_LOSS_COMPUTE ? 1 : -1;
  if (x->ns != y->ns)
    return x->ns > y->ns ? -1 : 1;
  return x->cause != y->cause ? x->cause - y->cause : (x->name > y->name) - (x->name < y->name);
}

static int
compare_spans (gconstpointer a, gconstpointer b)
{
  const HirLostSpan *x = a, *y = b;

  if (x->start_ns != y->start_ns)
    return x->start_ns < y->start_ns ? -1 : 1;
  return (x->track > y->track) - (x->track < y->track);
}

static void
loss_clear (gpointer data)
{
  g_array_unref (((HirLoss *) data)->ranks);
  g_array_unref (((HirLoss *) data)->pieces);
}

/* Finds the communications that were ready, but waited for multiprocessors. */
static void
find_waits (Split *split, const HirGpu *gpu)
{
  for (guint i = 0; i < gpu->works->len && !hir_explain_index_is_cancelled (split->index); i++)
    {
      const HirGpuWork *work = &g_array_index (gpu->works, HirGpuWork, i);
      HirLossPiece piece = { .cause = HIR_LOSS_DEVICE, .rank = gpu->rank };
      HirPredecessor before;
      HirEvent event;

      if (!work->is_program || work->kind != HIR_EVENT_COMMUNICATION ||
          !hir_explain_index_is_in (split->index, work->track, work->start_ns, split->number))
        continue;
      before = hir_predecessor_of_start (split->index, work->track, work->index, work->start_ns);
      if (!before.is_known || before.reason != HIR_REASON_DEVICE)
        continue;
      hir_trace_get_event (split->index->trace, before.track, before.index, &event);
      name_by_work (&piece, work);
      piece.by = event.name;
      piece.duration_ns = work->end_ns - before.since_ns;
      piece.alone_ns = work->of_baseline ? work->alone_ns : work->median_ns;
      piece.alone_from = work->of_baseline ? HIR_ALONE_BASELINE : HIR_ALONE_MEDIAN;
      split->from_ns = before.since_ns;
      split->to_ns = work->end_ns;
      add_piece (split, &piece, work->start_ns - before.since_ns);
    }
}

void
hir_losses_find (const HirExplainIndex *index,
                 const GPtrArray *gpus,
                 guint number,
                 HirRepetition *repetition)
{
  Split split = { .index = index,
                  .gpus = gpus,
                  .path = repetition->path,
                  .number = number,
                  .spans = g_array_new (FALSE, FALSE, sizeof (Span)),
                  .losses = repetition->losses,
                  .events = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL) };

  g_array_set_clear_func (repetition->losses, loss_clear);
  g_array_set_clear_func (repetition->waits, loss_clear);
  for (guint i = 0; i < gpus->len; i++)
    {
      Span span = find_span (&split, g_ptr_array_index (gpus, i));

      g_array_append_val (split.spans, span);
    }
  for (split.at = 0; split.at < repetition->path->len && !hir_explain_index_is_cancelled (index);
       split.at++)
    {
      set_gpu (&split, find_gpu (&split, split.at));
      add_part (&split);
    }
  split.losses = repetition->waits;
  g_hash_table_remove_all (split.events);
  for (guint i = 0; i < gpus->len; i++)
    find_waits (&split, g_ptr_array_index (gpus, i));
  /* Ranks wait at the same time. */
  for (guint i = 0; i < repetition->waits->len; i++)
    g_array_index (repetition->waits, HirLoss, i).ns /=
        g_array_index (repetition->waits, HirLoss, i).ranks->len;
  g_array_unref (split.spans);
  g_hash_table_unref (split.events);
  g_array_sort (repetition->losses, compare_losses);
  g_array_sort (repetition->waits, compare_losses);
  for (guint i = 0; i < repetition->waits->len; i++)
    g_array_sort (g_array_index (repetition->waits, HirLoss, i).pieces, compare_spans);
}
