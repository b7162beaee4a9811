/* Executes the steps of a HirSyncTrace in different orders. */
#include "sync-schedule.h"

#include <stdlib.h>
#include <string.h>

/* A cell is a range of bytes that every access of the buffer covers completely or not at all. */
struct _SyncSchedule
{
  const HirSyncTrace *trace;
  GArray **bounds;    /* per buffer: gint64, sorted; cell i is from bound i to bound i + 1 */
  guint64 **versions; /* per buffer: one per cell */
  guint *queue_first; /* per queue: index in queued */
  guint *queued;      /* steps by queue */
  guint *at;          /* per queue: number of executed steps */
  guint8 *is_done;    /* a step */
  guint64 *given;     /* per GIVE step: hash of the data it has read */
  guint64 *seen;      /* a step */
  guint n_done;
};

static int
compare_offsets (gconstpointer a, gconstpointer b)
{
  const gint64 *x = a, *y = b;

  return *x < *y ? -1 : *x > *y;
}

static guint64
mix (guint64 hash, guint64 value)
{
  hash = (hash ^ value) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return hash ^ (hash >> 29);
}

static void
make_cells (SyncSchedule *schedule)
{
  const HirSyncTrace *trace = schedule->trace;

  for (guint i = 0; i < trace->buffers->len; i++)
    schedule->bounds[i] = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint i = 0; i < trace->accesses->len; i++)
    {
      const HirSyncAccess *access = hir_sync_trace_get_access (trace, i);

      for (guint k = 0; k < access->n_ranges; k++)
        {
          const HirByteRange *range =
              &g_array_index (trace->ranges, HirByteRange, access->first_range + k);

          g_array_append_vals (schedule->bounds[access->buffer], range, 2);
        }
    }
  for (guint i = 0; i < trace->buffers->len; i++)
    {
      GArray *bounds = schedule->bounds[i];
      gint64 *all = (gint64 *) (gpointer) bounds->data;
      guint n = 0;

      g_array_sort (bounds, compare_offsets);
      for (guint k = 0; k < bounds->len; k++)
        if (n == 0 || all[n - 1] != all[k])
          all[n++] = all[k];
      g_array_set_size (bounds, n);
      schedule->versions[i] = g_new0 (guint64, n + 1);
    }
}

static void
make_queues (SyncSchedule *schedule)
{
  const HirSyncTrace *trace = schedule->trace;
  g_autofree guint *n = g_new0 (guint, trace->queues->len);

  for (guint i = 0; i < trace->steps->len; i++)
    schedule->queue_first[hir_sync_trace_get_step (trace, i)->queue + 1]++;
  for (guint q = 0; q < trace->queues->len; q++)
    schedule->queue_first[q + 1] += schedule->queue_first[q];
  for (guint i = 0; i < trace->steps->len; i++)
    {
      guint queue = hir_sync_trace_get_step (trace, i)->queue;

      schedule->queued[schedule->queue_first[queue] + n[queue]++] = i;
    }
}

SyncSchedule *
sync_schedule_new (const HirSyncTrace *trace)
{
  SyncSchedule *schedule = g_new0 (SyncSchedule, 1);

  schedule->trace = trace;
  schedule->bounds = g_new0 (GArray *, trace->buffers->len + 1);
  schedule->versions = g_new0 (guint64 *, trace->buffers->len + 1);
  schedule->queue_first = g_new0 (guint, trace->queues->len + 2);
  schedule->queued = g_new0 (guint, trace->steps->len + 1);
  schedule->at = g_new0 (guint, trace->queues->len + 1);
  schedule->is_done = g_new0 (guint8, trace->steps->len + 1);
  schedule->given = g_new0 (guint64, trace->steps->len + 1);
  schedule->seen = g_new0 (guint64, trace->steps->len + 1);
  make_cells (schedule);
  make_queues (schedule);
  return schedule;
}

void
sync_schedule_free (SyncSchedule *schedule)
{
  for (guint i = 0; i < schedule->trace->buffers->len; i++)
    {
      g_array_unref (schedule->bounds[i]);
      g_free (schedule->versions[i]);
    }
  g_free (schedule->bounds);
  g_free (schedule->versions);
  g_free (schedule->queue_first);
  g_free (schedule->queued);
  g_free (schedule->at);
  g_free (schedule->is_done);
  g_free (schedule->given);
  g_free (schedule->seen);
  g_free (schedule);
}

static void
begin (SyncSchedule *schedule)
{
  const HirSyncTrace *trace = schedule->trace;

  memset (schedule->at, 0, sizeof (guint) * trace->queues->len);
  memset (schedule->is_done, 0, trace->steps->len);
  for (guint i = 0; i < trace->buffers->len; i++)
    memset (schedule->versions[i], 0, sizeof (guint64) * schedule->bounds[i]->len);
  schedule->n_done = 0;
}

static guint
find_cell (const GArray *bounds, gint64 offset)
{
  const gint64 *found =
      bsearch (&offset, bounds->data, bounds->len, sizeof offset, compare_offsets);

  return (guint) (found - (const gint64 *) (gconstpointer) bounds->data);
}

/* Hashes all cells of @access, and sets them to the hash with @value if it writes. */
static guint64
touch (SyncSchedule *schedule, const HirSyncAccess *access, guint64 hash, const guint64 *value)
{
  const HirByteRange *ranges =
      &g_array_index (schedule->trace->ranges, HirByteRange, access->first_range);
  const GArray *bounds = schedule->bounds[access->buffer];
  guint64 *versions = schedule->versions[access->buffer];

  for (guint i = 0; i < access->n_ranges; i++)
    {
      guint to = find_cell (bounds, ranges[i].to);

      for (guint cell = find_cell (bounds, ranges[i].from); cell < to; cell++)
        {
          hash = mix (hash, versions[cell]);
          if (value != NULL)
            versions[cell] = mix (*value, cell);
        }
    }
  return hash;
}

static void
run_step (SyncSchedule *schedule, guint index)
{
  const HirSyncTrace *trace = schedule->trace;
  const HirSyncStep *step = hir_sync_trace_get_step (trace, index);
  const HirSyncStep *own =
      step->previous != HIR_SYNC_NONE ? hir_sync_trace_get_step (trace, step->previous) : NULL;
  guint end = step->first_access + step->n_accesses;
  guint64 read = mix (index, 1), seen;

  for (guint i = 0; i < step->n_needs; i++)
    read = mix (read, schedule->given[g_array_index (trace->needs, guint, step->first_need + i)]);
  /* Adds the data that a rank of a team sends to itself. */
  if (own != NULL && step->kind == HIR_SYNC_TAKE && own->kind == HIR_SYNC_GIVE &&
      own->expr == step->expr && own->iteration == step->iteration)
    read = mix (read, schedule->given[step->previous]);
  for (guint i = step->first_access; i < end; i++)
    if (!hir_sync_trace_get_access (trace, i)->is_write)
      read = touch (schedule, hir_sync_trace_get_access (trace, i), read, NULL);
  seen = read;
  for (guint i = step->first_access; i < end; i++)
    if (hir_sync_trace_get_access (trace, i)->is_write)
      seen = touch (schedule, hir_sync_trace_get_access (trace, i), seen, &read);
  schedule->given[index] = read;
  schedule->seen[index] = seen;
  schedule->is_done[index] = 1;
  schedule->at[step->queue]++;
  schedule->n_done++;
}

static gboolean
can_run (const SyncSchedule *schedule, guint index)
{
  const HirSyncTrace *trace = schedule->trace;
  const HirSyncStep *step = hir_sync_trace_get_step (trace, index);

  if (schedule->is_done[index] ||
      (step->previous != HIR_SYNC_NONE && !schedule->is_done[step->previous]) ||
      (step->after != HIR_SYNC_NONE && !schedule->is_done[step->after]))
    return FALSE;
  for (guint i = 0; i < step->n_needs; i++)
    if (!schedule->is_done[g_array_index (trace->needs, guint, step->first_need + i)])
      return FALSE;
  return TRUE;
}

/* Returns the next step of @queue if it can run, or HIR_SYNC_NONE. */
static guint
get_head (const SyncSchedule *schedule, guint queue)
{
  guint at = schedule->queue_first[queue] + schedule->at[queue];
  guint head = at < schedule->queue_first[queue + 1] ? schedule->queued[at] : HIR_SYNC_NONE;

  return head != HIR_SYNC_NONE && can_run (schedule, head) ? head : HIR_SYNC_NONE;
}

static SyncResult
sum_up (const SyncSchedule *schedule)
{
  const HirSyncTrace *trace = schedule->trace;
  SyncResult result = { 0, 0 };

  g_assert_cmpuint (schedule->n_done, ==, trace->steps->len);
  for (guint i = 0; i < trace->steps->len; i++)
    {
      result.seen = mix (result.seen, schedule->seen[i]);
      if (hir_sync_trace_get_step (trace, i)->kind == HIR_SYNC_EXIT)
        result.outputs = mix (result.outputs, schedule->seen[i]);
    }
  return result;
}

/* Runs steps of rank @rank in host order as far as possible. */
static gboolean
advance (SyncSchedule *schedule, guint *next, int rank)
{
  const HirSyncTrace *trace = schedule->trace;
  gboolean moved = FALSE;

  while (*next < trace->steps->len && hir_sync_trace_get_step (trace, *next)->rank == rank &&
         can_run (schedule, *next))
    {
      run_step (schedule, (*next)++);
      moved = TRUE;
    }
  return moved;
}

SyncResult
sync_schedule_run_in_order (SyncSchedule *schedule)
{
  const HirSyncTrace *trace = schedule->trace;
  guint n = trace->programs->len;
  g_autofree guint *next = g_new0 (guint, n);
  g_autofree int *ranks = g_new0 (int, n);
  gboolean moved = TRUE;

  begin (schedule);
  for (guint i = trace->steps->len, r = n; i-- > 0;)
    {
      int rank = hir_sync_trace_get_step (trace, i)->rank;

      if (r == n || ranks[r] != rank)
        ranks[--r] = rank;
      next[r] = i;
    }
  while (moved)
    {
      moved = FALSE;
      for (guint r = 0; r < n; r++)
        moved |= advance (schedule, &next[r], ranks[r]);
    }
  return sum_up (schedule);
}

SyncResult
sync_schedule_run_delaying (SyncSchedule *schedule, guint queue)
{
  const HirSyncTrace *trace = schedule->trace;
  guint head;

  begin (schedule);
  while (schedule->n_done < trace->steps->len)
    {
      gboolean moved = FALSE;

      for (guint q = 0; q < trace->queues->len; q++)
        while (q != queue && (head = get_head (schedule, q)) != HIR_SYNC_NONE)
          {
            run_step (schedule, head);
            moved = TRUE;
          }
      if (moved)
        continue;
      head = get_head (schedule, queue);
      g_assert_cmpuint (head, !=, HIR_SYNC_NONE);
      run_step (schedule, head);
    }
  return sum_up (schedule);
}

SyncResult
sync_schedule_run_random (SyncSchedule *schedule, GRand *rand)
{
  const HirSyncTrace *trace = schedule->trace;
  guint n = trace->queues->len, slow = (guint) g_rand_int_range (rand, 0, (gint32) n);

  begin (schedule);
  while (schedule->n_done < trace->steps->len)
    {
      guint queue = (guint) g_rand_int_range (rand, 0, (gint32) n);
      guint head = get_head (schedule, queue);
      guint burst = (guint) g_rand_int_range (rand, 1, 8);

      if (queue % 7 == slow % 7 && g_rand_int_range (rand, 0, 20) > 0)
        continue;
      for (; head != HIR_SYNC_NONE && burst-- > 0; head = get_head (schedule, queue))
        run_step (schedule, head);
    }
  return sum_up (schedule);
}
