/* Writes the result of a join as a table, for people and as JSON. */
#include "join/join.h"

#include "trace/json-out.h"

#define LEAST_COST 0.4 /* of a wait; views and allocations cost less */

static const HirJoinedEvent *
get_event (const HirJoin *join, guint i)
{
  return &g_array_index (join->events, HirJoinedEvent, i);
}

/* Appends @name without tabs and line ends. */
static void
append_name (GString *tsv, const char *name)
{
  gsize from = tsv->len;

  g_string_append (tsv, name);
  for (gsize i = from; i < tsv->len; i++)
    if ((guchar) tsv->str[i] < ' ')
      tsv->str[i] = ' ';
}

char *
hir_join_format_tsv (const HirJoin *join)
{
  GString *tsv =
      g_string_new ("correlation\tline\titeration\trepetition\tconfidence\trank\tdevice\t"
                    "stream\tstart_ns\tname\n");

  for (guint i = 0; i < join->n_device; i++)
    {
      const HirJoinedEvent *joined = get_event (join, i);
      const HirTrack *track = hir_trace_get_track (join->trace, joined->track);
      HirEvent event;

      hir_trace_get_event (join->trace, joined->track, joined->index, &event);
      if (event.correlation != 0)
        g_string_append_printf (tsv, "%u\t", event.correlation);
      else
        g_string_append (tsv, "-\t");
      if (joined->is_replay)
        g_string_append_printf (tsv, "-\t-\t%u\t%g\t", joined->repetition, HIR_JOIN_GUESSED);
      else if (joined->confidence > 0)
        g_string_append_printf (tsv, "%u\t%d\t%u\t%g\t", joined->expr->node.pos.line,
                                joined->iteration, joined->repetition, joined->confidence);
      else
        g_string_append (tsv, "-\t-\t-\t-\t");
      g_string_append_printf (tsv, "%d\t%d\t%" G_GINT64_FORMAT "\t%" G_GINT64_FORMAT "\t",
                              track->rank, track->device, track->stream, event.start_ns);
      append_name (tsv, hir_trace_get_string (join->trace, event.name));
      g_string_append_c (tsv, '\n');
    }
  return g_string_free (tsv, FALSE);
}

/* Counts of the device events by confidence or by reason. */
typedef struct
{
  guint certain, by_order, guessed;
  GHashTable *reasons; /* reason -> count */
} Counts;

static void
count (const HirJoin *join, Counts *counts)
{
  counts->reasons = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < join->n_device; i++)
    {
      const HirJoinedEvent *event = get_event (join, i);

      counts->certain += event->confidence == HIR_JOIN_CERTAIN;
      counts->by_order += event->confidence == HIR_JOIN_BY_ORDER;
      counts->guessed += event->confidence == HIR_JOIN_GUESSED;
      if (event->reason != NULL)
        g_hash_table_insert (counts->reasons, (gpointer) event->reason,
                             GUINT_TO_POINTER (
                                 GPOINTER_TO_UINT (
                                     g_hash_table_lookup (counts->reasons, event->reason)) +
                                 1));
    }
}

/* Returns the start on the rank that has what @finding lacks. */
static gint64
get_other_start (const HirJoin *join, const HirJoinFinding *finding)
{
  gint64 start_ns, end_ns;

  hir_trace_get_interval (join->trace, finding->other_track, finding->other_index, &start_ns,
                          &end_ns);
  return start_ns;
}

static void
append_finding (GString *text, const HirJoin *join, const HirJoinFinding *finding)
{
  if (finding->expr != NULL)
    g_string_append_printf (text, "line %u: ", finding->expr->node.pos.line);
  g_string_append_printf (text, "%s", finding->text);
  g_string_append_printf (text, " (rank %d, repetition %u", finding->rank, finding->repetition);
  if (finding->iteration >= 0)
    g_string_append_printf (text, ", iteration %d", finding->iteration);
  if (finding->track != G_MAXUINT)
    {
      gint64 start_ns, end_ns;

      hir_trace_get_interval (join->trace, finding->track, finding->index, &start_ns, &end_ns);
      g_string_append_printf (text, ", before %" G_GINT64_FORMAT " ns of the trace", start_ns);
    }
  if (finding->n > 1)
    g_string_append_printf (text, "; %u times", finding->n);
  if (finding->other_rank >= 0)
    g_string_append_printf (text, "; rank %d has it at %" G_GINT64_FORMAT " ns",
                            finding->other_rank, get_other_start (join, finding));
  g_string_append (text, ")\n");
}

/* Writes how well the repetitions fit the program. */
static void
append_repetitions (GString *text, const HirJoin *join)
{
  gboolean is_one = join->n_repetitions == 1;

  g_string_append_printf (text, "%u repetition%s, ", join->n_repetitions, is_one ? "" : "s");
  if (join->cost < LEAST_COST)
    g_string_append_printf (text, "which fit%s the program", is_one ? "s" : "");
  else
    g_string_append_printf (text,
                            "which differ%s from the program by %.2f%s (1: about one op too many "
                            "or too few; a wait, or another name or size, counts less)",
                            is_one ? "s" : "", join->cost, is_one ? "" : " each");
  g_string_append_printf (text, "; %" G_GINT64_FORMAT " stream%s\n", join->n_streams,
                          join->n_streams == 1 ? "" : "s");
}

char *
hir_join_format (const HirJoin *join)
{
  GString *text = g_string_new (NULL);
  Counts counts = { 0 };
  GHashTableIter iter;
  gpointer reason, n;

  count (join, &counts);
  g_string_append_printf (text,
                          "%u of %u device events are tied: %u certain, %u by order, %u guessed\n",
                          join->n_tied, join->n_device, counts.certain, counts.by_order,
                          counts.guessed);
  g_hash_table_iter_init (&iter, counts.reasons);
  while (g_hash_table_iter_next (&iter, &reason, &n))
    g_string_append_printf (text, "not tied: %u, because %s\n", GPOINTER_TO_UINT (n),
                            (const char *) reason);
  g_hash_table_unref (counts.reasons);
  if (join->difference != NULL && join->n_tied + join->n_replays == 0)
    {
      g_string_append_printf (text, "the program did not run in this trace; %s\n",
                              join->difference);
      return g_string_free (text, FALSE);
    }
  append_repetitions (text, join);
  for (guint i = 0; i < join->findings->len; i++)
    append_finding (text, join, g_ptr_array_index (join->findings, i));
  return g_string_free (text, FALSE);
}

static void
add_finding (HirJsonOut *json, const HirJoin *join, const HirJoinFinding *finding)
{
  gint64 start_ns = -1, end_ns;

  if (finding->track != G_MAXUINT)
    hir_trace_get_interval (join->trace, finding->track, finding->index, &start_ns, &end_ns);
  hir_json_out_begin (json, NULL, '{');
  hir_json_out_add_int (json, "line", finding->expr != NULL ? finding->expr->node.pos.line : 0);
  hir_json_out_add_int (json, "iteration", finding->iteration);
  hir_json_out_add_int (json, "repetition", finding->repetition);
  hir_json_out_add_int (json, "rank", finding->rank);
  hir_json_out_add_int (json, "start_ns", start_ns);
  hir_json_out_add_int (json, "count", finding->n);
  hir_json_out_add_string (json, "text", finding->text);
  if (finding->other_rank >= 0)
    {
      hir_json_out_add_int (json, "other_rank", finding->other_rank);
      hir_json_out_add_int (json, "other_start_ns", get_other_start (join, finding));
    }
  hir_json_out_end (json, '}');
}

char *
hir_join_to_json (const HirJoin *join)
{
  GString *text = g_string_new (NULL);
  HirJsonOut json = { text };
  Counts counts = { 0 };
  GHashTableIter iter;
  gpointer reason, n;

  count (join, &counts);
  hir_json_out_begin (&json, NULL, '{');
  hir_json_out_add_int (&json, "device_events", join->n_device);
  hir_json_out_add_int (&json, "tied", join->n_tied);
  hir_json_out_add_int (&json, "certain", counts.certain);
  hir_json_out_add_int (&json, "by_order", counts.by_order);
  hir_json_out_add_int (&json, "guessed", counts.guessed);
  hir_json_out_add_int (&json, "repetition_only", join->n_replays);
  hir_json_out_add_int (&json, "repetitions", join->n_repetitions);
  hir_json_out_add_int (&json, "streams", join->n_streams);
  hir_json_out_begin (&json, "inputs", '[');
  for (guint i = 0; join->inputs != NULL && join->inputs[i] != NULL; i++)
    hir_json_out_add_string (&json, NULL, join->inputs[i]);
  hir_json_out_end (&json, ']');
  hir_json_out_begin (&json, "not_tied", '{');
  g_hash_table_iter_init (&iter, counts.reasons);
  while (g_hash_table_iter_next (&iter, &reason, &n))
    hir_json_out_add_int (&json, reason, GPOINTER_TO_UINT (n));
  hir_json_out_end (&json, '}');
  g_hash_table_unref (counts.reasons);
  hir_json_out_begin (&json, "notes", '[');
  for (guint i = 0; i < join->notes->len; i++)
    hir_json_out_add_string (&json, NULL, g_ptr_array_index (join->notes, i));
  hir_json_out_end (&json, ']');
  if (join->n_tied + join->n_replays == 0 && join->difference != NULL)
    hir_json_out_add_string (&json, "difference", join->difference);
  hir_json_out_begin (&json, "findings", '[');
  for (guint i = 0; i < join->findings->len; i++)
    add_finding (&json, join, g_ptr_array_index (join->findings, i));
  hir_json_out_end (&json, ']');
  hir_json_out_end (&json, '}');
  g_string_append_c (text, '\n');
  return g_string_free (text, FALSE);
}
