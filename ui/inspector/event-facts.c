#include "inspector/event-facts.h"

#include "draw/theme.h"
#include "draw/timeline/function-name.h"
#include "draw/timeline/ticks.h"
#include "draw/timeline/timeline-pointer.h"
#include "selection/instances.h"
#include "trace/collective.h"
#include "trace/comm-records.h"
#include "trace/event-args.h"

/* Longer lists are cut and counted. */
#define MAX_RANKS 16
#define MAX_WORKS 16
#define MAX_ARGS 100
#define MAX_ARG_CHARS 400

static void
clear_fact (gpointer data)
{
  HirFact *fact = data;

  g_free (fact->name);
  g_free (fact->value);
}

static GArray *
facts_new (void)
{
  GArray *facts = g_array_new (FALSE, FALSE, sizeof (HirFact));

  g_array_set_clear_func (facts, clear_fact);
  return facts;
}

/* Adds a fact (@value: transfer full). */
static void
add (GArray *facts, const char *name, char *value)
{
  HirFact fact = { g_strdup (name), value, 0 };

  g_array_append_val (facts, fact);
}

/* Returns @n per @ns, for example "3.49 GB/s" if @unit is "B". */
static char *
format_rate (gint64 n, gint64 ns, const char *unit)
{
  double giga = (double) n / (double) ns;

  return giga >= 1000     ? g_strdup_printf ("%.2f T%s/s", giga / 1000, unit)
         : giga >= 0.1    ? g_strdup_printf ("%.2f G%s/s", giga, unit)
         : giga >= 0.0001 ? g_strdup_printf ("%.2f M%s/s", giga * 1e3, unit)
                          : g_strdup_printf ("%.2f k%s/s", giga * 1e6, unit);
}

static char *
format_bytes (gint64 bytes)
{
  return g_format_size_full ((guint64) MAX (bytes, 0), G_FORMAT_SIZE_IEC_UNITS);
}

static void
add_collective (GArray *facts, const HirCollective *collective)
{
  add (facts, "collective",
       collective->n_messages > 1
           ? g_strdup_printf ("%s, %u messages", collective->op, collective->n_messages)
       : collective->sequence == HIR_COMM_RECORD_UNNUMBERED
           ? g_strdup_printf ("%s of %s", collective->op, collective->team)
           : g_strdup_printf ("%s, #%u of %s", collective->op, collective->sequence,
                              collective->team));
  if (collective->root >= 0)
    add (facts, "root", g_strdup_printf ("device %d", collective->root));
  add (facts, "elements in, out",
       g_strdup_printf ("%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT " of %s", collective->in_elements,
                        collective->out_elements, collective->dtype));
  add (facts, "message size", format_bytes (collective->message_bytes));
  if (collective->algbw > 0)
    add (facts, "algbw, busbw",
         g_strdup_printf ("%.2f, %.2f GB/s", collective->algbw, collective->busbw));
}

/* Adds the ranks of a communication, and the last rank to start, which the others waited for. */
static void
add_partners (GArray *facts, HirTrace *trace, guint track, guint index)
{
  g_autoptr (GArray) refs = hir_trace_dup_partners (trace, track, index, 1024);
  g_autoptr (GString) ranks = g_string_new (NULL);
  int last_rank = hir_trace_get_track (trace, track)->rank;
  gint64 start_ns, end_ns, first_ns, last_ns;

  if (refs->len == 0)
    return;
  hir_trace_get_interval (trace, track, index, &start_ns, &end_ns);
  first_ns = last_ns = start_ns;
  for (guint i = 0; i < refs->len; i++)
    {
      const HirEventRef *ref = &g_array_index (refs, HirEventRef, i);
      int rank = hir_trace_get_track (trace, ref->track)->rank;

      hir_trace_get_interval (trace, ref->track, ref->index, &start_ns, &end_ns);
      if (start_ns > last_ns)
        last_rank = rank;
      first_ns = MIN (first_ns, start_ns);
      last_ns = MAX (last_ns, start_ns);
      if (i < MAX_RANKS)
        g_string_append_printf (ranks, "%srank %d", i > 0 ? ", " : "", rank);
    }
  if (refs->len > MAX_RANKS)
    g_string_append_printf (ranks, " and %u more", refs->len - MAX_RANKS);
  add (facts, "with", g_strdup (ranks->str));
  if (last_ns > first_ns)
    {
      g_autofree char *late = hir_format_duration (last_ns - first_ns);

      add (facts, "last to start", g_strdup_printf ("rank %d, after %s", last_rank, late));
    }
}

gboolean
hir_event_lookup_counterpart (
    const HirTrace *trace, guint track, guint index, guint *other_track, guint *other_index)
{
  gboolean is_launch = hir_trace_get_track (trace, track)->kind == HIR_TRACK_HOST;
  int rank = hir_trace_get_track (trace, track)->rank;
  guint at_track = 0, at_index = HIR_NO_EVENT;
  gboolean found = FALSE;
  gint64 best_ns = 0;
  HirEvent event, other;

  hir_trace_get_event (trace, track, index, &event);
  if (event.correlation == 0 || (is_launch && event.kind != HIR_EVENT_ISSUE))
    return FALSE;
  while (hir_trace_next_of_correlation (trace, event.correlation, &at_track, &at_index))
    {
      const HirTrack *info = hir_trace_get_track (trace, at_track);

      hir_trace_get_event (trace, at_track, at_index, &other);
      if (info->rank != rank || (info->kind == HIR_TRACK_HOST) == is_launch ||
          (!is_launch && other.kind != HIR_EVENT_ISSUE) ||
          (is_launch ? other.start_ns < event.start_ns : other.start_ns > event.start_ns) ||
          (found && (is_launch ? other.start_ns >= best_ns : other.start_ns <= best_ns)))
        continue;
      found = TRUE;
      best_ns = other.start_ns;
      *other_track = at_track;
      *other_index = at_index;
    }
  return found;
}

/* Adds the exact value of a counter sample and its duration. */
static void
add_sample (GArray *facts, HirTrace *trace, guint track, guint index, const HirEvent *event)
{
  guint n = hir_trace_get_track_n_events (trace, track);
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  double least, largest;
  HirEvent next;

  add (facts, "value",
       g_strdup (g_ascii_formatd (number, sizeof number, "%.15g", hir_event_get_value (event))));
  hir_trace_get_counter_range (trace, track, &least, &largest);
  {
    g_autofree char *low = hir_number_dup_text (least), *high = hir_number_dup_text (largest);

    add (facts, "least, largest", g_strdup_printf ("%s, %s of %u samples", low, high, n));
  }
  if (index + 1 >= n)
    return;
  hir_trace_get_event (trace, track, index + 1, &next);
  add (facts, "holds for", hir_format_duration (next.start_ns - event->start_ns));
  add (facts, "then",
       g_strdup (g_ascii_formatd (number, sizeof number, "%.15g", hir_event_get_value (&next))));
}

GArray *
hir_event_dup_facts (HirTrace *trace, guint track, guint index, char **title)
{
  const HirTrack *info = hir_trace_get_track (trace, track);
  GArray *facts = facts_new ();
  gint64 start_ns, end_ns;
  const char *abbreviation;
  HirCollective collective;
  HirEvent event;

  hir_trace_get_event (trace, track, index, &event);
  hir_trace_get_span (trace, &start_ns, &end_ns);
  *title = event.iteration >= 0
               ? g_strdup_printf ("%s, iteration %d", hir_trace_get_string (trace, event.name),
                                  event.iteration)
               : g_strdup (hir_trace_get_string (trace, event.name));
  abbreviation = hir_get_abbreviation (hir_trace_get_string (trace, event.name));
  if (abbreviation != NULL)
    add (facts, "short name", g_strdup (abbreviation));
  add (facts, "class", g_strdup (hir_event_kind_get_label (event.kind)));
  add (facts, "track", g_strdup (info->name));
  if (info->device >= 0)
    add (facts, "rank, device", g_strdup_printf ("%d, %d", info->rank, info->device));
  else
    add (facts, "rank", g_strdup_printf ("%d", info->rank));
  add (facts, "start", hir_format_duration (event.start_ns - start_ns));
  if (event.kind == HIR_EVENT_COUNTER)
    {
      add_sample (facts, trace, track, index, &event);
      g_free (*title);
      *title = g_strdup (info->name);
      return facts;
    }
  add (facts, "duration", hir_format_duration (event.end_ns - event.start_ns));
  if (event.bytes > 0)
    add (facts, "bytes", format_bytes (event.bytes));
  if (hir_trace_lookup_collective (trace, track, index, &collective))
    add_collective (facts, &collective);
  else if (event.bytes > 0 && event.end_ns > event.start_ns)
    add (facts, "bandwidth", format_rate (event.bytes, event.end_ns - event.start_ns, "B"));
  if (event.flops > 0 && event.end_ns > event.start_ns)
    add (facts, "rate", format_rate (event.flops, event.end_ns - event.start_ns, "FLOP"));
  add_partners (facts, trace, track, index);
  if (event.correlation != 0)
    add (facts, "correlation id", g_strdup_printf ("%u", event.correlation));
  return facts;
}

GArray *
hir_event_dup_arg_facts (HirTrace *trace, guint track, guint index)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) args = hir_trace_dup_event_args (trace, track, index, &error);
  GArray *facts;

  if (args != NULL && args->len == 0)
    return NULL;
  facts = facts_new ();
  if (args == NULL)
    add (facts, "error", g_strdup (error->message));
  for (guint i = 0; args != NULL && i < args->len && i < MAX_ARGS; i++)
    {
      const HirEventArg *arg = &g_array_index (args, HirEventArg, i);
      gboolean is_long = g_utf8_strlen (arg->value, -1) > MAX_ARG_CHARS;
      g_autofree char *head =
          is_long ? g_utf8_substring (arg->value, 0, MAX_ARG_CHARS) : g_strdup (arg->value);

      add (facts, arg->key, g_strdup_printf ("%s%s", head, is_long ? "\xe2\x80\xa6" : ""));
    }
  if (args != NULL && args->len > MAX_ARGS)
    add (facts, "", g_strdup_printf ("and %u more", args->len - MAX_ARGS));
  return facts;
}

HirUndone
hir_undone_find (HirTrace *trace, HirSelection *selection, int rank)
{
  HirUndone undone = { rank, G_MAXINT64, G_MAXUINT32 };
  HirDebugPlace place;
  gboolean is_behind;
  HirEvent event;
  guint track;

  if (!hir_selection_get_debug_place (selection, rank, &place, &is_behind) || !is_behind ||
      place.instruction == 0 ||
      !hir_timeline_find_pointer (trace, rank, place.instruction, place.iteration, TRUE, &track,
                                  &undone.start_ns))
    return undone;
  for (guint i = hir_trace_get_track_n_events (trace, track); i-- > 0;)
    {
      hir_trace_get_event (trace, track, i, &event);
      if (event.start_ns < undone.start_ns)
        break;
      if (event.correlation != 0)
        undone.correlation = event.correlation;
    }
  return undone;
}

gboolean
hir_undone_has (const HirUndone *undone, HirTrace *trace, guint track, guint index)
{
  HirEvent event;

  hir_trace_get_event (trace, track, index, &event);
  return hir_track_is_of_device (hir_trace_get_track (trace, track))
             ? event.correlation >= undone->correlation
             : event.start_ns >= undone->start_ns;
}

/* The durations of one kind of work of a node. */
typedef struct
{
  guint32 name;
  guint8 kind;
  guint n;
  gint64 total_ns, shortest_ns, longest_ns;
} Durations;

static Durations *
ensure_durations (GArray *all, const HirEvent *event)
{
  Durations own = { .name = event->name, .kind = event->kind, .shortest_ns = G_MAXINT64 };

  for (guint i = 0; i < all->len; i++)
    {
      Durations *found = &g_array_index (all, Durations, i);

      if (found->name == event->name && found->kind == event->kind)
        return found;
    }
  g_array_append_val (all, own);
  return &g_array_index (all, Durations, all->len - 1);
}

/* Adds the events of @instruction to @all. */
static void
add_durations (GArray *all, HirTrace *trace, HirSelection *selection, guint64 instruction)
{
  HirUndone undone = { .rank = -1 };
  guint track = 0, index = HIR_NO_EVENT;

  while (hir_trace_next_of_instruction (trace, instruction, &track, &index))
    {
      const HirTrack *info = hir_trace_get_track (trace, track);
      Durations *durations;
      HirEvent event;
      gint64 ns;

      hir_trace_get_event (trace, track, index, &event);
      if (event.phase != HIR_PHASE_PROGRAM || !hir_track_is_of_device (info))
        continue;
      if (info->rank != undone.rank)
        undone = hir_undone_find (trace, selection, info->rank);
      if (hir_undone_has (&undone, trace, track, index))
        continue;
      durations = ensure_durations (all, &event);
      ns = event.end_ns - event.start_ns;
      durations->n++;
      durations->total_ns += ns;
      durations->shortest_ns = MIN (durations->shortest_ns, ns);
      durations->longest_ns = MAX (durations->longest_ns, ns);
    }
}

GArray *
hir_instances_dup_facts (HirTrace *trace, HirSelection *selection)
{
  GArray *facts = facts_new ();
  g_autoptr (GArray) ids = hir_instances_dup_instructions (selection);
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Durations));
  guint track, index;
  HirEvent event;

  /* Work like the selected event comes first. */
  if (hir_selection_get_event (selection, &track, &index))
    {
      hir_trace_get_event (trace, track, index, &event);
      ensure_durations (all, &event);
    }
  for (guint i = 0; i < ids->len; i++)
    add_durations (all, trace, selection, g_array_index (ids, guint64, i));
  if (all->len > 0 && g_array_index (all, Durations, 0).n == 0)
    g_array_remove_index (all, 0);
  for (guint i = 0; i < MIN (all->len, MAX_WORKS); i++)
    {
      const Durations *durations = &g_array_index (all, Durations, i);

      if (all->len > 1)
        add (facts, "work", g_strdup (hir_trace_get_string (trace, durations->name)));
      add (facts, "events", g_strdup_printf ("%u", durations->n));
      add (facts, "sum", hir_format_duration (durations->total_ns));
      add (facts, "mean", hir_format_duration (durations->total_ns / durations->n));
      add (facts, "shortest", hir_format_duration (durations->shortest_ns));
      add (facts, "longest", hir_format_duration (durations->longest_ns));
    }
  if (all->len > MAX_WORKS)
    add (facts, "", g_strdup_printf ("and %u more", all->len - MAX_WORKS));
  return facts;
}
