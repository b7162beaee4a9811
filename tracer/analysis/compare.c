/* Matches the events of two traces, and merges two traces. */
#include "analysis/compare-private.h"

#include "diagnostic.h"
#include "trace/headroom.h"

#include <string.h>

/* One occurrence per event; arrays grow by doubling. */
#define BYTES_AN_EVENT (2 * sizeof (Occurrence))
#define EVENTS_A_LOOK 65536

/* The key of a match: an op and kind; an instruction, kind and name; an instruction and kind; or a
 * name and kind. */
typedef struct
{
  const HirOpGroup *op;
  guint64 instruction;
  const char *name; /* nullable */
  HirEventKind kind;
} Key;

typedef struct
{
  int rank;
  gint64 start_ns, duration_ns;
} Occurrence;

typedef struct
{
  HirCompareRow row;
  GArray *sides[2]; /* Occurrence */
} Entry;

typedef struct
{
  GHashTable *works[2];      /* Keys of instructions with and without name, per side */
  GHashTable *entries;       /* Key -> Entry */
  const HirOpTable *ops;     /* nullable */
  GCancellable *cancellable; /* nullable */
} Table;

static guint
key_hash (gconstpointer data)
{
  const Key *key = data;
  guint hash = g_direct_hash (key->op) ^ (guint) (key->instruction ^ key->instruction >> 32);

  return (key->name != NULL ? hash * 31 + g_str_hash (key->name) : hash) ^ key->kind;
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  const Key *x = a, *y = b;

  return x->op == y->op && x->instruction == y->instruction && x->kind == y->kind &&
         g_strcmp0 (x->name, y->name) == 0;
}

static void
entry_free (gpointer data)
{
  Entry *entry = data;

  g_array_unref (entry->sides[0]);
  g_array_unref (entry->sides[1]);
  g_free (entry);
}

typedef void (*Visit) (
    Table *table, const HirTrace *trace, guint side, int rank, const HirEvent *event);

static void
foreach_work (Table *table, const HirTrace *trace, guint side, Visit visit)
{
  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    {
      const HirTrack *track = hir_trace_get_track (trace, t);

      for (guint i = 0;
           hir_track_is_of_device (track) && i < hir_trace_get_track_n_events (trace, t); i++)
        {
          HirEvent event;

          if (i % EVENTS_A_LOOK == 0 && g_cancellable_is_cancelled (table->cancellable))
            return;
          hir_trace_get_event (trace, t, i, &event);
          if (hir_comparison_counts (&event))
            visit (table, trace, side, track->rank, &event);
        }
    }
}

static void
note_instruction (Table *table, const HirTrace *trace, guint side, int rank, const HirEvent *event)
{
  Key key = { .instruction = event->instruction,
              .name = hir_trace_get_string (trace, event->name),
              .kind = event->kind };

  if (event->instruction == 0 || g_hash_table_contains (table->works[side], &key))
    return;
  g_hash_table_add (table->works[side], g_memdup2 (&key, sizeof key));
  key.name = NULL;
  g_hash_table_add (table->works[side], g_memdup2 (&key, sizeof key));
}

static gboolean
is_on_both_sides (const Table *table, const Key *key)
{
  return g_hash_table_contains (table->works[0], key) &&
         g_hash_table_contains (table->works[1], key);
}

static Key
find_key (const Table *table, const HirTrace *trace, guint side, const HirEvent *event)
{
  Key key = { .name = hir_trace_get_string (trace, event->name), .kind = event->kind };
  Key of_instruction = { .instruction = event->instruction, .name = key.name, .kind = key.kind };
  int op = table->ops != NULL ? hir_op_table_find (table->ops, side, event->instruction) : -1;

  if (op >= 0)
    {
      key.op = g_ptr_array_index (hir_op_table_get_groups (table->ops), (guint) op);
      key.name = key.op->label;
      return key;
    }
  if (is_on_both_sides (table, &of_instruction))
    return of_instruction;
  of_instruction.name = NULL;
  return is_on_both_sides (table, &of_instruction) ? of_instruction : key;
}

static void
add_event (Table *table, const HirTrace *trace, guint side, int rank, const HirEvent *event)
{
  Key key = find_key (table, trace, side, event);
  Occurrence occurrence = { rank, event->start_ns, event->end_ns - event->start_ns };
  Entry *entry;

  entry = g_hash_table_lookup (table->entries, &key);
  if (entry == NULL)
    {
      entry = g_new0 (Entry, 1);
      entry->row.name = key.name != NULL ? key.name : hir_trace_get_string (trace, event->name);
      entry->row.kind = key.kind;
      entry->row.instruction = key.instruction;
      entry->row.has_other_names = key.name == NULL;
      entry->row.is_op = key.op != NULL;
      entry->row.line = key.op != NULL ? key.op->pos.line : 0;
      entry->sides[0] = g_array_new (FALSE, FALSE, sizeof (Occurrence));
      entry->sides[1] = g_array_new (FALSE, FALSE, sizeof (Occurrence));
      g_hash_table_insert (table->entries, g_memdup2 (&key, sizeof key), entry);
    }
  g_array_append_val (entry->sides[side], occurrence);
}

static int
compare_occurrences (gconstpointer a, gconstpointer b)
{
  const Occurrence *x = a, *y = b;

  if (x->rank != y->rank)
    return x->rank - y->rank;
  return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static gint64
sum (const GArray *side)
{
  gint64 sum_ns = 0;

  for (guint i = 0; i < side->len; i++)
    sum_ns += g_array_index (side, Occurrence, i).duration_ns;
  return sum_ns;
}

static void
pair_up (Entry *entry, gint64 zero_b_ns)
{
  guint i = 0, j = 0;

  g_array_sort (entry->sides[0], compare_occurrences);
  g_array_sort (entry->sides[1], compare_occurrences);
  while (i < entry->sides[0]->len && j < entry->sides[1]->len)
    {
      const Occurrence *a = &g_array_index (entry->sides[0], Occurrence, i);
      const Occurrence *b = &g_array_index (entry->sides[1], Occurrence, j);
      gint64 slower_ns = b->duration_ns - a->duration_ns;

      if (a->rank != b->rank)
        {
          i += a->rank < b->rank;
          j += b->rank < a->rank;
          continue;
        }
      entry->row.n_pairs++;
      if (slower_ns > entry->row.max_slower_ns)
        {
          entry->row.max_slower_ns = slower_ns;
          entry->row.slowest_rank = b->rank;
          entry->row.slowest_start_ns = b->start_ns - zero_b_ns;
        }
      entry->row.max_faster_ns = MAX (entry->row.max_faster_ns, -slower_ns);
      i++;
      j++;
    }
}

static int
compare_rows (gconstpointer a, gconstpointer b)
{
  const HirCompareRow *x = a, *y = b;
  gint64 dx = ABS (x->sum_b_ns - x->sum_a_ns), dy = ABS (y->sum_b_ns - y->sum_a_ns);
  int by_name;

  if (dx != dy)
    return dx > dy ? -1 : 1;
  by_name = strcmp (x->name, y->name);
  if (by_name != 0)
    return by_name;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  return (x->instruction > y->instruction) - (x->instruction < y->instruction);
}

/* Returns the mean per repetition, which is at least 1 for what exists. */
static guint64
count_per_run (const GArray *side, guint n_runs)
{
  return side->len > 0 ? MAX ((side->len + n_runs / 2) / n_runs, 1) : 0;
}

static void
finish (Table *table, HirComparison *comparison, const HirTrace *b)
{
  const guint *n_runs = comparison->n_runs;
  gint64 zero_b_ns, end_b_ns;
  GHashTableIter iter;
  gpointer value;

  hir_trace_get_span (b, &zero_b_ns, &end_b_ns);
  g_hash_table_iter_init (&iter, table->entries);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      Entry *entry = value;
      HirCompareRow *row = &entry->row;

      row->count_a = count_per_run (entry->sides[0], n_runs[0]);
      row->count_b = count_per_run (entry->sides[1], n_runs[1]);
      row->sum_a_ns = sum (entry->sides[0]) / n_runs[0];
      row->sum_b_ns = sum (entry->sides[1]) / n_runs[1];
      pair_up (entry, zero_b_ns);
      if (row->count_b == 0)
        comparison->n_only_a += row->count_a;
      if (row->count_a == 0)
        comparison->n_only_b += row->count_b;
      g_array_append_val (comparison->rows, *row);
    }
  g_array_sort (comparison->rows, compare_rows);
}

static gboolean
check_room (const HirTrace *a, const HirTrace *b, GError **error)
{
  guint64 n_events = hir_trace_get_n_events (a) + hir_trace_get_n_events (b);

  if (!hir_stats_check_room (a, error) || !hir_stats_check_room (b, error))
    return FALSE;
  if (hir_has_room (n_events * BYTES_AN_EVENT))
    return TRUE;
  hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                 "out of memory: a comparison of %" G_GUINT64_FORMAT
                 " events takes up to %" G_GUINT64_FORMAT
                 " MB; use a machine with more memory, or shorter traces",
                 n_events, n_events * BYTES_AN_EVENT / 1000000);
  return FALSE;
}

static gboolean
check_cancelled (GCancellable *cancellable, GError **error)
{
  if (!g_cancellable_is_cancelled (cancellable))
    return TRUE;
  hir_set_error (error, HIR_ERROR_CANCELLED, NULL, "the comparison was cancelled");
  return FALSE;
}

/* Collects all events by key. Stops early if cancelled. */
static void
match (Table *table, const HirTrace *traces[2])
{
  for (guint side = 0; side < 2; side++)
    {
      table->works[side] = g_hash_table_new_full (key_hash, key_equal, g_free, NULL);
      foreach_work (table, traces[side], side, note_instruction);
    }
  for (guint side = 0; side < 2; side++)
    foreach_work (table, traces[side], side, add_event);
}

HirComparison *
hir_comparison_new (const HirTrace *a,
                    const HirTrace *b,
                    const HirOpTable *ops,
                    GCancellable *cancellable,
                    GError **error)
{
  const HirStatsOptions options = { .cancellable = cancellable };
  g_autoptr (HirComparison) comparison = NULL;
  const HirTrace *traces[] = { a, b };
  Table table = { .cancellable = cancellable, .ops = ops };

  if (!check_room (a, b, error))
    return NULL;
  comparison = g_new0 (HirComparison, 1);
  comparison->a = hir_stats_new (a, &options);
  comparison->b = hir_stats_new (b, &options);
  for (guint side = 0; side < 2; side++)
    {
      comparison->caveats[side] = hir_trace_dup_caveat (traces[side]);
      hir_comparison_average (comparison, side, traces[side], cancellable);
    }
  comparison->rows = g_array_new (FALSE, FALSE, sizeof (HirCompareRow));
  table.entries = g_hash_table_new_full (key_hash, key_equal, g_free, entry_free);
  match (&table, traces);
  finish (&table, comparison, b);
  g_hash_table_unref (table.works[0]);
  g_hash_table_unref (table.works[1]);
  g_hash_table_unref (table.entries);
  return check_cancelled (cancellable, error) ? g_steal_pointer (&comparison) : NULL;
}

void
hir_comparison_free (HirComparison *comparison)
{
  g_clear_pointer (&comparison->a, hir_stats_free);
  g_clear_pointer (&comparison->b, hir_stats_free);
  g_array_unref (comparison->rows);
  g_free (comparison->options_a);
  g_free (comparison->options_b);
  g_free (comparison->caveats[0]);
  g_free (comparison->caveats[1]);
  g_free (comparison);
}

static gboolean
add_side (HirTraceBuilder *builder,
          const HirTrace *trace,
          const char *which,
          int first_rank,
          GCancellable *cancellable,
          GError **error)
{
  guint n_strings = hir_trace_get_n_strings (trace);
  g_autofree guint32 *names = g_new (guint32, n_strings);
  gint64 start_ns, end_ns;

  hir_trace_get_span (trace, &start_ns, &end_ns);
  for (guint32 i = 0; i < n_strings; i++)
    names[i] = hir_trace_builder_intern (builder, hir_trace_get_string (trace, i));
  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    {
      HirTrack track = *hir_trace_get_track (trace, t);
      g_autofree char *name = g_strdup_printf ("%s: %s", which, track.name);
      guint track_index;

      track.rank += first_rank;
      track.name = name;
      track_index = hir_trace_builder_add_track (builder, &track);
      for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
        {
          HirEvent event;

          if (i % EVENTS_A_LOOK == 0 && !check_cancelled (cancellable, error))
            return FALSE;
          hir_trace_get_event (trace, t, i, &event);
          event.start_ns -= start_ns;
          event.end_ns -= start_ns;
          event.track = (guint16) track_index;
          event.name = names[event.name];
          if (!hir_trace_builder_add (builder, &event, error))
            return FALSE;
        }
    }
  return TRUE;
}

HirTrace *
hir_comparison_merge (const HirTrace *a,
                      const HirTrace *b,
                      const char *const *names,
                      GCancellable *cancellable,
                      GError **error)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  int n_ranks = 0;
  g_autofree char *ranks_of_a = NULL;

  for (guint t = 0; t < hir_trace_get_n_tracks (a); t++)
    n_ranks = MAX (n_ranks, hir_trace_get_track (a, t)->rank + 1);
  ranks_of_a = g_strdup_printf ("%d", n_ranks);
  hir_trace_builder_set_meta (builder, "ranks_of_a", ranks_of_a);
  if (names != NULL)
    {
      hir_trace_builder_set_meta (builder, "name_of_a", names[0]);
      hir_trace_builder_set_meta (builder, "name_of_b", names[1]);
    }
  if (add_side (builder, a, "A", 0, cancellable, error) &&
      add_side (builder, b, "B", n_ranks, cancellable, error))
    return hir_trace_builder_try_finish (builder, error);
  hir_trace_builder_free (builder);
  return NULL;
}
