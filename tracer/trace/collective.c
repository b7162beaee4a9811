#include "trace/collective.h"

#include <string.h>

#include "trace/trace-private.h"

gint64
hir_collective_count_bytes (const char *op, gint64 bytes_in, gint64 bytes_out, guint n_members)
{
  gint64 whole, piece, all;

  switch (hir_collective_get_kind (op))
    {
    case HIR_COLLECTIVE_ALL_GATHER:
    case HIR_COLLECTIVE_GATHER:
      whole = bytes_out;
      piece = bytes_in;
      break;
    case HIR_COLLECTIVE_REDUCE_SCATTER:
    case HIR_COLLECTIVE_SCATTER:
      whole = bytes_in;
      piece = bytes_out;
      break;
    default:
      return MAX (bytes_in, bytes_out);
    }
  /* Only the root of a rooted op has all of it. */
  if (whole > 0)
    return whole;
  return __builtin_mul_overflow (piece, n_members, &all) ? 0 : all;
}

/* Returns busbw / algbw as in the tables of nccl-tests. */
static double
get_factor (const char *op, double n_members)
{
  double others = (n_members - 1) / n_members;

  switch (hir_collective_get_kind (op))
    {
    case HIR_COLLECTIVE_ALL_REDUCE:
      return 2 * others;
    case HIR_COLLECTIVE_ALL_GATHER:
    case HIR_COLLECTIVE_REDUCE_SCATTER:
    case HIR_COLLECTIVE_ALL_TO_ALL:
    case HIR_COLLECTIVE_GATHER:
    case HIR_COLLECTIVE_SCATTER:
      return others;
    default:
      return 1;
    }
}

gboolean
hir_collective_get_bandwidth (const char *op,
                              guint n_members,
                              gint64 message_bytes,
                              gint64 duration_ns,
                              double *algbw,
                              double *busbw)
{
  *algbw = 0;
  *busbw = 0;
  if (duration_ns <= 0 || message_bytes <= 0 || n_members == 0)
    return FALSE;
  /* Bytes per ns equal GB per s. */
  *algbw = (double) message_bytes / (double) duration_ns;
  *busbw = *algbw * get_factor (op, n_members);
  return TRUE;
}

#define SIZE_WORD " of "
/* Key of a group without a list: its name, which may contain digits, and an empty list. */
#define GROUP_WORD "group "
#define MAX_RANGE 65536 /* ranks of "0-65535" */

/* Returns the end of the rank list if the key states a size, otherwise the end of the key. */
static const char *
find_size (const char *key)
{
  const char *word = g_strrstr (key, SIZE_WORD);

  return word != NULL ? word : key + strlen (key);
}

static gboolean
is_cut_short (const char *key)
{
  /* A list without its end was cut by a limit of the length. */
  if (strchr (key, '[') != NULL && strchr (key, ']') == NULL)
    return TRUE;
  return strstr (key, "...") != NULL || strstr (key, "\342\200\246") != NULL;
}

guint
hir_comm_record_get_key_size (const char *key)
{
  const char *word = find_size (key);
  guint64 size;
  guint n;

  if (*word != '\0')
    return g_ascii_string_to_unsigned (word + strlen (SIZE_WORD), 10, 1, G_MAXINT32, &size, NULL)
               ? (guint) size
               : 0;
  if (is_cut_short (key))
    return 0;
  g_free (hir_comm_record_dup_key_ranks (key, &n));
  return n;
}

char *
hir_comm_record_dup_group_key (const char *list, const char *name, gint64 size)
{
  guint n;

  if (*list == '\0')
    return size > 0 && size <= G_MAXINT32
               ? g_strdup_printf (GROUP_WORD "%s []" SIZE_WORD "%" G_GINT64_FORMAT, name, size)
               : g_strdup_printf (GROUP_WORD "%s []", name);
  g_free (hir_comm_record_dup_key_ranks (list, &n));
  if (size <= 0 || size > G_MAXINT32 || size < n || (n > 0 && !is_cut_short (list)))
    return g_strdup (list);
  return g_strdup_printf ("%s" SIZE_WORD "%" G_GINT64_FORMAT, list, size);
}

gint64 *
hir_comm_record_dup_key_ranks (const char *key, guint *n)
{
  GArray *ranks = g_array_new (FALSE, FALSE, sizeof (gint64));
  const char *size = find_size (key);

  if (g_str_has_prefix (key, GROUP_WORD))
    key = size;
  while (key < size)
    {
      char *end = NULL;
      gint64 rank, last;

      if (!g_ascii_isdigit (*key))
        {
          key++;
          continue;
        }
      rank = g_ascii_strtoll (key, &end, 10);
      g_array_append_val (ranks, rank);
      key = end;
      /* "0-7" */
      if (*key != '-' || !g_ascii_isdigit (key[1]))
        continue;
      last = g_ascii_strtoll (key + 1, &end, 10);
      for (key = end; rank < last && ranks->len < MAX_RANGE;)
        {
          rank++;
          g_array_append_val (ranks, rank);
        }
    }
  *n = ranks->len;
  return (gint64 *) g_array_free (ranks, FALSE);
}

static guint64
call_key (gint32 rank, guint32 correlation)
{
  return (guint64) (guint32) rank << 32 | correlation;
}

static const HirCommRecordRow *
get_call (const HirTrace *trace, guint i)
{
  guint at = g_array_index (trace->meetings_by_call, guint, i);

  return &g_array_index (trace->meetings, HirCommRecordRow, at);
}

/* Returns the first index in meetings_by_call with this rank and correlation. */
static guint
find_call (const HirTrace *trace, guint64 key)
{
  guint low = 0, high = trace->meetings_by_call->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      const HirCommRecord *record = &get_call (trace, middle)->record;

      if (call_key (record->rank, record->correlation) < key)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static void
begin_collective (const HirTrace *trace, const HirCommRecordRow *row, HirCollective *collective)
{
  const HirCommRecord *record = &row->record;
  g_autofree gint64 *ranks = NULL;
  guint n_ranks;

  *collective = (HirCollective){
    .op = hir_trace_get_string (trace, record->op),
    .team = hir_trace_get_string (trace, record->key),
    .dtype = hir_collective_get_dtype_name (record->dtype),
    .rank = record->rank,
    .root = record->root,
    .peer = -1,
    .sequence = record->sequence,
  };
  ranks = hir_comm_record_dup_key_ranks (collective->team, &n_ranks);
  collective->n_members = hir_comm_record_get_key_size (collective->team);
  if (record->side != HIR_COMM_SIDE_TEAM && n_ranks == 2)
    collective->peer = (int) ranks[record->side == HIR_COMM_SIDE_SEND ? 1 : 0];
}

static void
add_saturated (gint64 *sum, gint64 n)
{
  if (__builtin_add_overflow (*sum, n, sum))
    *sum = G_MAXINT64;
}

static void
add_row (HirCollective *collective, const HirCommRecord *record)
{
  add_saturated (&collective->in_elements, record->in_elements);
  add_saturated (&collective->out_elements, record->out_elements);
  if (record->side == HIR_COMM_SIDE_TEAM)
    {
      collective->message_bytes = record->message_bytes;
      return;
    }
  /* The group transfers in both directions at once: the larger size determines the time, as for
   * sendrecv in nccl-tests. */
  collective->message_bytes = MAX (collective->message_bytes, record->message_bytes);
  if (++collective->n_messages > 1)
    {
      collective->op = "coalesced";
      collective->peer = -1;
    }
}

gboolean
hir_trace_lookup_collective (const HirTrace *trace,
                             guint track,
                             guint index,
                             HirCollective *collective)
{
  const HirTrack *info = hir_trace_get_track (trace, track);
  HirEvent event;
  guint64 key;
  guint first;

  hir_trace_get_event (trace, track, index, &event);
  key = call_key (info->rank, event.correlation);
  if (trace->meetings_by_call->len == 0 || !hir_track_is_of_device (info) ||
      (event.kind != HIR_EVENT_COMMUNICATION && event.kind != HIR_EVENT_MEMCPY))
    return FALSE;
  first = find_call (trace, key);
  for (guint i = first; i < trace->meetings_by_call->len; i++)
    {
      const HirCommRecordRow *row = get_call (trace, i);

      if (call_key (row->record.rank, row->record.correlation) != key || row->record.op == 0)
        break;
      if (i == first)
        begin_collective (trace, row, collective);
      add_row (collective, &row->record);
      collective->transfer_ns =
          MAX (collective->transfer_ns,
               hir_comm_records_get_transfer_ns (trace, g_array_index (trace->meetings_by_call,
                                                                       guint, i)));
    }
  if (first == trace->meetings_by_call->len || get_call (trace, first)->record.op == 0 ||
      call_key (get_call (trace, first)->record.rank,
                get_call (trace, first)->record.correlation) != key)
    return FALSE;
  hir_collective_get_bandwidth (collective->op, collective->n_members, collective->message_bytes,
                                collective->transfer_ns, &collective->algbw, &collective->busbw);
  return TRUE;
}
