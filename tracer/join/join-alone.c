/* Gives device events without launch call a unit: by the ATen op of their External id, or by their
 * place between the correlations of other calls. */
#include <string.h>

#include "join/join-reader.h"
#include "trace/event-args.h"

typedef struct
{
  guint thread;
  gint64 start_ns;
} Op;

/* Returns the External id of an event, or 0. */
static guint32
get_external_id (const HirJoinReader *reader, guint track, guint index)
{
  g_autoptr (GArray) args = hir_trace_dup_event_args (reader->trace, track, index, NULL);
  guint64 id = 0;

  for (guint i = 0; args != NULL && i < args->len; i++)
    {
      const HirEventArg *arg = &g_array_index (args, HirEventArg, i);

      if (g_ascii_strcasecmp (arg->key, "External id") == 0)
        id = g_ascii_strtoull (arg->value, NULL, 10);
    }
  return id <= G_MAXUINT32 ? (guint32) id : 0;
}

/* Reads the External ids of all host events. */
static void
read_ops (HirJoinReader *reader)
{
  reader->ops = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  for (guint k = 0; k < reader->observed->threads->len; k++)
    {
      const HirJoinThread *thread = g_ptr_array_index (reader->observed->threads, k);

      for (guint i = 0; i < hir_trace_get_track_n_events (reader->trace, thread->track); i++)
        {
          HirEvent event;
          guint32 id;
          Op *op;

          hir_trace_get_event (reader->trace, thread->track, i, &event);
          if (event.kind != HIR_EVENT_HOST || event.source == 0)
            continue;
          id = get_external_id (reader, thread->track, i);
          if (id == 0 || g_hash_table_contains (reader->ops, GUINT_TO_POINTER (id)))
            continue;
          op = g_new (Op, 1);
          *op = (Op){ k, event.start_ns };
          g_hash_table_insert (reader->ops, GUINT_TO_POINTER (id), op);
        }
    }
}

/* Returns the last unit of @thread that starts at or before @start_ns, or HIR_JOIN_NONE. Only the
 * first @n units are in order. */
static guint
find_unit (const HirJoinThread *thread, guint n, gint64 start_ns)
{
  guint low = 0, high = n;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (thread->units, HirJoinUnit, middle).start_ns <= start_ns)
        low = middle + 1;
      else
        high = middle;
    }
  return low - 1;
}

/* Returns the last call before @correlation, or NULL. */
static const HirJoinLaunch *
find_call (const HirJoinReader *reader, guint32 correlation)
{
  guint low = 0, high = reader->calls->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (reader->calls, HirJoinLaunch, middle).correlation <= correlation)
        low = middle + 1;
      else
        high = middle;
    }
  return low > 0 ? &g_array_index (reader->calls, HirJoinLaunch, low - 1) : NULL;
}

/* Adds a unit for a work without launch call, at @start_ns of the host. */
static void
add_alone (HirJoinReader *reader, HirJoinWork *work, guint number, gint64 start_ns)
{
  HirJoinThread *thread = g_ptr_array_index (reader->observed->threads, number);
  const char *name = hir_trace_get_string (reader->trace, work->name);
  gboolean is_wait = work->kind == HIR_EVENT_SYNC;
  gboolean is_own_sync = is_wait && g_str_has_prefix (name, "Synchronize ");
  guint index;
  HirJoinUnit *unit;

  if (is_wait && !is_own_sync && !hir_join_is_own_wait (name) &&
      strcmp (name, "Stream Wait Event") != 0)
    return;
  if (is_own_sync)
    {
      index = hir_join_thread_add_unit (thread, HIR_JOIN_RECORD, HIR_JOIN_UNKNOWN, name);
      unit = &g_array_index (thread->units, HirJoinUnit, index);
      unit->start_ns = unit->end_ns = start_ns;
      unit->is_own = TRUE;
    }
  index = hir_join_thread_add_unit (thread,
                                    !is_wait                      ? HIR_JOIN_OP
                                    : hir_join_is_own_wait (name) ? HIR_JOIN_DONE
                                                                  : HIR_JOIN_WAIT,
                                    HIR_JOIN_UNKNOWN, is_wait ? name : "");
  unit = &g_array_index (thread->units, HirJoinUnit, index);
  unit->start_ns = unit->end_ns = start_ns;
  unit->is_own = is_own_sync || (is_wait && hir_join_is_own_wait (name));
  hir_join_reader_attach (reader, unit, work, number, index);
}

/* Finds an op without launch call, into which a work between two calls belongs. */
static guint
find_open_op (const HirJoinReader *reader, const HirJoinLaunch *before, guint n)
{
  const HirJoinThread *thread = g_ptr_array_index (reader->observed->threads, before->thread);
  guint last = reader->calls->len - 1;
  const HirJoinLaunch *next =
      before < &g_array_index (reader->calls, HirJoinLaunch, last) ? before + 1 : NULL;

  for (guint i = find_unit (thread, n, before->start_ns); i < n; i++)
    {
      const HirJoinUnit *unit = &g_array_index (thread->units, HirJoinUnit, i);

      if (next != NULL && next->thread == before->thread && unit->start_ns > next->start_ns)
        break;
      if (unit->kind != HIR_JOIN_OP || !unit->is_op)
        continue;
      /* Both calls are in the op, or the op has none. */
      if (unit->n_calls == 0 ||
          (unit->end_ns > before->start_ns && next != NULL && unit->start_ns <= before->start_ns &&
           unit->end_ns > next->start_ns))
        return i;
    }
  return HIR_JOIN_NONE;
}

static void
place_alone (HirJoinReader *reader, HirJoinWork *work, const guint *n_units)
{
  guint32 id = work->kind != HIR_EVENT_SYNC && reader->ops != NULL
                   ? get_external_id (reader, work->track, work->index)
                   : 0;
  const Op *op = id != 0 ? g_hash_table_lookup (reader->ops, GUINT_TO_POINTER (id)) : NULL;
  const HirJoinLaunch *before = work->correlation != 0 && reader->calls->len > 0
                                    ? find_call (reader, work->correlation)
                                    : NULL;
  guint number = op != NULL ? op->thread : before != NULL ? before->thread : 0;
  HirJoinThread *thread = g_ptr_array_index (reader->observed->threads, number);
  guint index = HIR_JOIN_NONE;

  if (op != NULL)
    {
      index = find_unit (thread, n_units[number], op->start_ns);
      if (index != HIR_JOIN_NONE &&
          g_array_index (thread->units, HirJoinUnit, index).kind != HIR_JOIN_OP)
        index = HIR_JOIN_NONE;
      if (index != HIR_JOIN_NONE &&
          g_array_index (thread->units, HirJoinUnit, index).end_ns < op->start_ns)
        index = HIR_JOIN_NONE;
    }
  if (index == HIR_JOIN_NONE && op == NULL && before != NULL && work->kind != HIR_EVENT_SYNC)
    index = find_open_op (reader, before, n_units[number]);
  if (index != HIR_JOIN_NONE)
    hir_join_reader_attach (reader, &g_array_index (thread->units, HirJoinUnit, index), work,
                            number, index);
  else
    add_alone (reader, work, number,
               op != NULL                                       ? op->start_ns
               : before != NULL                                 ? before->start_ns
               : reader->calls->len > 0 || reader->is_by_number ? G_MININT64
                                                                : work->start_ns);
}

static int
compare_by_start (gconstpointer a, gconstpointer b)
{
  const HirJoinWork *x = *(const HirJoinWork *const *) a, *y = *(const HirJoinWork *const *) b;

  if (x->start_ns != y->start_ns)
    return x->start_ns < y->start_ns ? -1 : 1;
  return x < y ? -1 : x > y;
}

/* Places the works of a launch of a CUDA graph whose call is not in the trace. Returns their
 * number, or 0 if @alone does not continue at @first with such works. */
static guint
place_replay (HirJoinReader *reader, const GPtrArray *alone, guint first)
{
  g_autoptr (GPtrArray) works = g_ptr_array_new ();
  guint32 correlation = ((HirJoinWork *) g_ptr_array_index (alone, first))->correlation;
  const HirJoinLaunch *before = reader->calls->len > 0 ? find_call (reader, correlation) : NULL;

  for (guint i = first; i < alone->len && correlation != 0; i++)
    {
      HirJoinWork *work = g_ptr_array_index (alone, i);

      if (work->correlation != correlation || work->kind == HIR_EVENT_SYNC)
        break;
      g_ptr_array_add (works, work);
    }
  if (works->len < HIR_JOIN_MANY_WORKS &&
      (works->len < 2 || !hir_join_is_node (reader->trace, g_ptr_array_index (works, 0))))
    return 0;
  hir_join_reader_add_replay (reader, before != NULL ? before->thread : 0, works,
                              before != NULL ? before->start_ns : G_MININT64, NULL, 0);
  return works->len;
}

static int
compare_numbers (gconstpointer a, gconstpointer b)
{
  guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;

  return x < y ? -1 : x > y;
}

/* Returns the numbers of the calls of which the trace has nothing; NULL if they do not tell. */
static GArray *
list_lost (const HirJoinReader *reader)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint i = 0; i < reader->calls->len; i++)
    g_array_append_val (numbers, g_array_index (reader->calls, HirJoinLaunch, i).correlation);
  for (guint i = 0; i < reader->observed->works->len && reader->calls->len > 0; i++)
    {
      const HirJoinWork *work = &g_array_index (reader->observed->works, HirJoinWork, i);

      if (work->correlation != 0)
        g_array_append_val (numbers, work->correlation);
    }
  g_array_sort (numbers, compare_numbers);
  return hir_join_list_lost (numbers);
}

/* Adds units for the lost calls from number @next on that are before @end. Returns the next one. */
static guint
place_lost (const HirJoinReader *reader, const GArray *lost, guint next, guint32 end)
{
  for (; lost != NULL && next < lost->len && g_array_index (lost, guint32, next) < end; next++)
    {
      const HirJoinLaunch *before = find_call (reader, g_array_index (lost, guint32, next));
      HirJoinThread *thread =
          g_ptr_array_index (reader->observed->threads, before != NULL ? before->thread : 0);
      guint u = hir_join_thread_add_unit (thread, HIR_JOIN_LOST, HIR_JOIN_UNKNOWN, "");
      HirJoinUnit *unit = &g_array_index (thread->units, HirJoinUnit, u);

      unit->is_own = reader->is_own;
      unit->start_ns = unit->end_ns = before != NULL ? before->start_ns : G_MININT64;
    }
  return next;
}

void
hir_join_reader_place_alone (HirJoinReader *reader)
{
  HirJoinObserved *observed = reader->observed;
  g_autoptr (GPtrArray) alone = g_ptr_array_new ();
  g_autoptr (GArray) lost = list_lost (reader);
  g_autofree guint *n_units = NULL;
  gboolean has_numbers = TRUE;
  guint n_nodes, next = 0;

  for (guint i = 0; i < observed->works->len; i++)
    {
      HirJoinWork *work = &g_array_index (observed->works, HirJoinWork, i);

      if (work->unit != HIR_JOIN_NONE)
        continue;
      has_numbers &= work->correlation != 0 || work->kind == HIR_EVENT_SYNC;
      g_ptr_array_add (alone, work);
    }
  if (observed->threads->len == 0 && alone->len > 0)
    hir_join_observed_add_thread (observed, reader->trace, HIR_JOIN_NONE);
  else if (alone->len > 0)
    read_ops (reader);
  if (!has_numbers)
    g_ptr_array_sort (alone, compare_by_start);
  n_units = g_new (guint, observed->threads->len);
  reader->is_by_number = has_numbers && reader->calls->len == 0;
  for (guint i = 0; i < observed->threads->len; i++)
    {
      HirJoinThread *thread = g_ptr_array_index (observed->threads, i);

      thread->is_dense = lost != NULL && has_numbers;
      n_units[i] = thread->units->len;
      reader->is_by_number &= n_units[i] == 0;
    }
  for (guint i = 0; i < alone->len; i++)
    {
      HirJoinWork *work = g_ptr_array_index (alone, i);

      if (reader->is_by_number && work->correlation == 0)
        continue;
      if (has_numbers && work->correlation != 0)
        next = place_lost (reader, lost, next, work->correlation);
      n_nodes = has_numbers ? place_replay (reader, alone, i) : 0;
      if (n_nodes > 0)
        {
          observed->n_alone += n_nodes;
          i += n_nodes - 1;
          continue;
        }
      observed->n_alone += work->kind != HIR_EVENT_SYNC;
      place_alone (reader, work, n_units);
    }
  if (has_numbers)
    (void) place_lost (reader, lost, next, G_MAXUINT32);
}
