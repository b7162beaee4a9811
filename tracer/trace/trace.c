#include "trace/trace-private.h"

#include <stdlib.h>
#include <string.h>

#define MAX_REPETITIONS 1000000

static void
track_data_free (gpointer data)
{
  HirTrackData *track = data;

  hir_pyramid_clear (&track->pyramid);
  hir_columns_clear (&track->columns);
  g_free (track->info.name);
  g_free (track);
}

HirTrace *
hir_trace_new_empty (void)
{
  HirTrace *trace = g_new0 (HirTrace, 1);
  guint32 zero;

  g_atomic_ref_count_init (&trace->ref_count);
  trace->tracks = g_ptr_array_new_with_free_func (track_data_free);
  trace->sources = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_event_source_unref);
  trace->account = g_ptr_array_new_with_free_func (g_free);
  trace->meetings = g_array_new (FALSE, FALSE, sizeof (HirCommRecordRow));
  trace->left_out = g_array_new (FALSE, FALSE, sizeof (HirEventRef));
  trace->values = hir_trace_values_new ();
  trace->baselines = g_array_new (FALSE, FALSE, sizeof (HirBaseline));
  trace->samples = g_array_new (FALSE, FALSE, sizeof (HirBaselineSample));
  trace->edges = g_array_new (FALSE, FALSE, sizeof (HirEdgeRow));
  trace->edges_by_event = g_array_new (FALSE, FALSE, sizeof (guint));
  trace->flows = g_array_new (FALSE, FALSE, sizeof (HirFlowPoint));
  trace->meetings_by_event = g_array_new (FALSE, FALSE, sizeof (guint));
  trace->meetings_by_call = g_array_new (FALSE, FALSE, sizeof (guint));
  trace->fused = g_hash_table_new (NULL, NULL);
  trace->meta = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  if (!hir_string_table_intern (&trace->strings, "", &zero) ||
      !hir_id_table_intern (&trace->instructions, 0, &zero))
    g_clear_pointer (&trace, hir_trace_unref);
  return trace;
}

HirTrace *
hir_trace_ref (HirTrace *trace)
{
  g_atomic_ref_count_inc (&trace->ref_count);
  return trace;
}

void
hir_trace_unref (HirTrace *trace)
{
  if (!g_atomic_ref_count_dec (&trace->ref_count))
    return;
  g_ptr_array_unref (trace->tracks);
  g_ptr_array_unref (trace->account);
  g_ptr_array_unref (trace->sources);
  g_array_unref (trace->meetings);
  g_array_unref (trace->left_out);
  g_array_unref (trace->values);
  g_array_unref (trace->baselines);
  g_array_unref (trace->samples);
  g_array_unref (trace->edges);
  g_array_unref (trace->edges_by_event);
  g_array_unref (trace->flows);
  g_array_unref (trace->meetings_by_event);
  g_array_unref (trace->meetings_by_call);
  g_hash_table_unref (trace->meta);
  g_hash_table_unref (trace->fused);
  hir_string_table_clear (&trace->strings);
  hir_id_table_clear (&trace->instructions);
  g_free (trace);
}

static const HirTrackData *
get_track (const HirTrace *trace, guint track)
{
  return g_ptr_array_index (trace->tracks, track);
}

guint
hir_trace_get_n_tracks (const HirTrace *trace)
{
  return trace->tracks->len;
}

const HirTrack *
hir_trace_get_track (const HirTrace *trace, guint track)
{
  g_return_val_if_fail (track < trace->tracks->len, NULL);
  return &get_track (trace, track)->info;
}

guint64
hir_trace_get_n_events (const HirTrace *trace)
{
  return trace->n_events;
}

guint
hir_trace_get_track_n_events (const HirTrace *trace, guint track)
{
  g_return_val_if_fail (track < trace->tracks->len, 0);
  return get_track (trace, track)->columns.n;
}

const HirColumns *
hir_trace_get_columns (const HirTrace *trace, guint track)
{
  g_return_val_if_fail (track < trace->tracks->len, NULL);
  return &get_track (trace, track)->columns;
}

void
hir_trace_get_event (const HirTrace *trace, guint track, guint index, HirEvent *event)
{
  const HirColumns *columns;
  guint32 instruction;
  guint8 flags;

  memset (event, 0, sizeof *event);
  g_return_if_fail (track < trace->tracks->len);
  columns = &get_track (trace, track)->columns;
  g_return_if_fail (index < columns->n);
  flags = hir_column_value (columns, HIR_COLUMN_FLAGS, guint8, index);
  instruction = hir_column_value (columns, HIR_COLUMN_INSTRUCTION, guint32, index);
  event->start_ns = hir_columns_get_start (columns, index);
  event->end_ns = hir_columns_get_end (columns, index);
  event->bytes = hir_columns_get_bytes (columns, index);
  event->flops = hir_columns_get_amount (columns, HIR_COLUMN_FLOPS, index);
  event->instruction = trace->instructions.ids[instruction];
  event->name = hir_column_value (columns, HIR_COLUMN_NAME, guint32, index);
  event->correlation = hir_column_value (columns, HIR_COLUMN_CORRELATION, guint32, index);
  event->iteration =
      (gint32) (hir_column_value (columns, HIR_COLUMN_ITERATION, guint32, index) - 1);
  event->track = (guint16) track;
  event->kind = flags & 0xf;
  event->phase = flags >> 4 & 0x7;
  event->source = hir_column_value (columns, HIR_COLUMN_SOURCE, guint64, index);
}

void
hir_trace_get_interval (
    const HirTrace *trace, guint track, guint index, gint64 *start_ns, gint64 *end_ns)
{
  const HirColumns *columns = &get_track (trace, track)->columns;

  g_return_if_fail (index < columns->n);
  *start_ns = hir_columns_get_start (columns, index);
  *end_ns = hir_columns_get_end (columns, index);
}

void
hir_trace_get_brief (const HirTrace *trace, guint track, guint index, HirEventBrief *brief)
{
  const HirColumns *columns = &get_track (trace, track)->columns;
  guint8 flags;

  g_return_if_fail (index < columns->n);
  flags = hir_column_value (columns, HIR_COLUMN_FLAGS, guint8, index);
  brief->start_ns = hir_columns_get_start (columns, index);
  brief->end_ns = hir_columns_get_end (columns, index);
  brief->name = hir_column_value (columns, HIR_COLUMN_NAME, guint32, index);
  brief->kind = flags & 0xf;
  brief->phase = flags >> 4 & 0x7;
}

void
hir_trace_get_briefs (
    const HirTrace *trace, guint track, guint first, guint n, HirEventBrief *briefs)
{
  const HirColumns *columns = &get_track (trace, track)->columns;
  const guint8 *flags = columns->data[HIR_COLUMN_FLAGS];
  const guint32 *durations = columns->data[HIR_COLUMN_DURATION];
  const guint32 *names = columns->data[HIR_COLUMN_NAME];

  g_return_if_fail (first <= columns->n && n <= columns->n - first);
  for (guint i = 0; i < n; i++)
    {
      guint at = first + i;
      guint8 flag = flags != NULL ? flags[at] : 0;
      guint32 duration = durations != NULL ? durations[at] : 0;
      gint64 start_ns = hir_columns_get_start (columns, at);

      briefs[i].start_ns = start_ns;
      briefs[i].end_ns = start_ns + ((flag & HIR_FLAG_LONG) != 0 ? columns->longs.values[duration]
                                                                 : (gint64) duration);
      briefs[i].name = names != NULL ? names[at] : 0;
      briefs[i].kind = flag & 0xf;
      briefs[i].phase = flag >> 4 & 0x7;
    }
}

guint
hir_trace_get_n_lanes (const HirTrace *trace, guint track)
{
  g_return_val_if_fail (track < trace->tracks->len, 1);
  return get_track (trace, track)->n_lanes;
}

guint
hir_trace_get_lane (const HirTrace *trace, guint track, guint index)
{
  const HirColumns *columns = &get_track (trace, track)->columns;

  g_return_val_if_fail (index < columns->n, 0);
  return hir_column_value (columns, HIR_COLUMN_LANE, guint8, index);
}

void
hir_trace_get_counter_range (const HirTrace *trace, guint track, double *least, double *largest)
{
  const HirTrackData *data;

  *least = *largest = 0;
  g_return_if_fail (track < trace->tracks->len);
  data = get_track (trace, track);
  g_return_if_fail (data->info.kind == HIR_TRACK_COUNTER);
  *least = data->least;
  *largest = data->largest;
}

const char *
hir_trace_get_string (const HirTrace *trace, guint32 index)
{
  return hir_string_table_get (&trace->strings, index);
}

guint32
hir_trace_get_n_strings (const HirTrace *trace)
{
  return trace->strings.n;
}

const char *
hir_trace_get_meta (const HirTrace *trace, const char *key)
{
  return g_hash_table_lookup (trace->meta, key);
}

static int
compare_keys (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

const char **
hir_trace_dup_meta_keys (const HirTrace *trace)
{
  guint n;
  const char **keys = (const char **) g_hash_table_get_keys_as_array (trace->meta, &n);

  qsort (keys, n, sizeof *keys, compare_keys);
  return keys;
}

void
hir_trace_get_span (const HirTrace *trace, gint64 *start_ns, gint64 *end_ns)
{
  *start_ns = trace->start_ns;
  *end_ns = trace->end_ns;
}

guint
hir_trace_find_first (const HirTrace *trace, guint track, gint64 time_ns)
{
  const HirTrackData *data;

  g_return_val_if_fail (track < trace->tracks->len, 0);
  data = get_track (trace, track);
  if (time_ns == G_MAXINT64)
    return data->columns.n;
  return hir_pyramid_first_ending (&data->pyramid, 0, data->columns.n, time_ns + 1);
}

/* Requires that events [0, @after) start at or before @time and end at or before it, and that the
 * others start later. */
static gboolean
find_nearest (const HirTrackData *data, guint after, gint64 time, gint64 slack, guint *index)
{
  gint64 best = G_MAXINT64;
  gboolean found = FALSE;

  if (after > 0)
    {
      gint64 latest = hir_pyramid_max_end (&data->pyramid, 0, after);

      best = time - latest;
      *index = hir_pyramid_last_ending (&data->pyramid, 0, after, latest);
      found = best <= slack;
    }
  if (after < data->columns.n)
    {
      gint64 distance = hir_columns_get_start (&data->columns, after) - time;

      if (distance < best && distance <= slack)
        {
          *index = after;
          found = TRUE;
        }
    }
  return found;
}

gboolean
hir_trace_lookup_at (
    const HirTrace *trace, guint track, gint64 time_ns, gint64 slack_ns, guint *index)
{
  const HirTrackData *data;
  guint n, after, last;

  g_return_val_if_fail (track < trace->tracks->len, FALSE);
  data = get_track (trace, track);
  n = data->columns.n;
  /* No event is beyond 2^61, so clamping does not change the nearest event. */
  time_ns = CLAMP (time_ns, -(G_GINT64_CONSTANT (1) << 62), (G_GINT64_CONSTANT (1) << 62) - 2);
  after = hir_pyramid_lower_bound (&data->pyramid, 0, n, time_ns + 1);
  last = hir_pyramid_last_ending (&data->pyramid, 0, after, time_ns + 1);
  if (last < after)
    {
      *index = last;
      return TRUE;
    }
  return find_nearest (data, after, time_ns, slack_ns, index);
}

static gboolean
next_with (const HirTrace *trace, HirColumn column, guint32 value, guint *track, guint *index)
{
  for (; *track < trace->tracks->len; *track += 1, *index = HIR_NO_EVENT)
    {
      const HirColumns *columns = &get_track (trace, *track)->columns;
      const guint32 *values = columns->data[column];

      if (values == NULL)
        continue;
      for (guint i = *index == HIR_NO_EVENT ? 0 : *index + 1; i < columns->n; i++)
        if (values[i] == value)
          {
            *index = i;
            return TRUE;
          }
    }
  return FALSE;
}

gboolean
hir_trace_next_of_instruction (const HirTrace *trace,
                               guint64 instruction,
                               guint *track,
                               guint *index)
{
  guint32 value_index;

  if (instruction == 0 || !hir_id_table_find (&trace->instructions, instruction, &value_index))
    return FALSE;
  return next_with (trace, HIR_COLUMN_INSTRUCTION, value_index, track, index);
}

gboolean
hir_trace_next_of_correlation (const HirTrace *trace,
                               guint32 correlation,
                               guint *track,
                               guint *index)
{
  if (correlation == 0)
    return FALSE;
  return next_with (trace, HIR_COLUMN_CORRELATION, correlation, track, index);
}

static int
compare_numbers (gconstpointer a, gconstpointer b)
{
  const guint32 *x = a, *y = b;

  return *x < *y ? -1 : *x > *y;
}

gboolean
hir_trace_next_of_correlations (
    const HirTrace *trace, const guint32 *correlations, guint n, guint *track, guint *index)
{
  /* Most events are of none: the lowest bits tell without a search. */
  guint8 has_low[1024] = { 0 };

  for (guint i = 0; i < n; i++)
    has_low[correlations[i] % sizeof has_low] = TRUE;
  for (; *track < trace->tracks->len; *track += 1, *index = HIR_NO_EVENT)
    {
      const HirColumns *columns = &get_track (trace, *track)->columns;
      const guint32 *values = columns->data[HIR_COLUMN_CORRELATION];

      for (guint i = *index == HIR_NO_EVENT ? 0 : *index + 1; values != NULL && i < columns->n; i++)
        if (has_low[values[i] % sizeof has_low] &&
            bsearch (&values[i], correlations, n, sizeof *values, compare_numbers) != NULL)
          {
            *index = i;
            return TRUE;
          }
    }
  return FALSE;
}

gsize
hir_trace_get_size_bytes (const HirTrace *trace)
{
  gsize size = hir_string_table_get_size_bytes (&trace->strings);

  size += trace->meetings->len * (sizeof (HirCommRecordRow) + 2 * sizeof (guint)) +
          trace->edges->len * (sizeof (HirEdgeRow) + 2 * sizeof (guint)) +
          trace->flows->len * sizeof (HirFlowPoint) + trace->baselines->len * sizeof (HirBaseline);
  for (guint t = 0; t < trace->tracks->len; t++)
    size += hir_columns_get_size_bytes (&get_track (trace, t)->columns) +
            hir_pyramid_get_size_bytes (&get_track (trace, t)->pyramid);
  for (guint i = 0; i < trace->sources->len; i++)
    size += hir_event_source_get_size_bytes (g_ptr_array_index (trace->sources, i));
  return size;
}

void
hir_trace_add_account (HirTrace *trace, char *line)
{
  /* The last entry is NULL. */
  g_ptr_array_insert (trace->account, (int) trace->account->len - 1, line);
}

const char *
hir_trace_get_verdict (const HirTrace *trace)
{
  const char *outcome = hir_trace_get_meta (trace, HIR_META_CHECK);

  return g_strcmp0 (outcome, HIR_CHECK_META_RIGHT) == 0       ? "Correct"
         : g_strcmp0 (outcome, HIR_CHECK_META_WRONG) == 0     ? "Incorrect"
         : g_strcmp0 (outcome, HIR_CHECK_META_UNDECIDED) == 0 ? "Undecided"
                                                              : NULL;
}

guint
hir_trace_get_n_repetitions (const HirTrace *trace)
{
  const char *text = hir_trace_get_meta (trace, "run");
  g_autoptr (GVariant) run =
      text != NULL ? g_variant_parse (G_VARIANT_TYPE_VARDICT, text, NULL, NULL, NULL) : NULL;
  gint64 n = 1;

  if (run == NULL || !g_variant_lookup (run, "repeat", "x", &n))
    return 1;
  return (guint) CLAMP (n, 1, MAX_REPETITIONS);
}

char *
hir_trace_dup_caveat (const HirTrace *trace)
{
  const char *outcome = hir_trace_get_meta (trace, HIR_META_CHECK);
  const char *stopped = hir_trace_get_meta (trace, HIR_META_STOPPED);

  if (stopped != NULL && *stopped != '\0')
    return g_strdup_printf ("This is only a part of the run: %c%s", g_ascii_tolower (*stopped),
                            stopped + 1);
  if (g_strcmp0 (outcome, HIR_CHECK_META_WRONG) == 0)
    return g_strdup ("The results of this run are incorrect: its check found outputs that differ "
                     "from the reference");
  if (g_strcmp0 (outcome, HIR_CHECK_META_UNDECIDED) == 0)
    return g_strdup ("The check of this run could not decide whether its results are correct");
  return NULL;
}

const char *const *
hir_trace_get_account (const HirTrace *trace)
{
  return (const char *const *) trace->account->pdata;
}
