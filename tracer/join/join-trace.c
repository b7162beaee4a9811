/* The trace of a join, with the instruction of each event. */
#include "join/join.h"
#include "program/run-settings.h"
#include "trace/trace-tie.h"

#define MAX_NOTES 30

static guint64
make_key (guint track, guint index)
{
  return (guint64) track << 32 | index;
}

static HirTraceTie
tie (guint track, guint index, HirEvent *event, gpointer user_data)
{
  GHashTable *events = user_data;
  const guint64 key = make_key (track, index);
  const HirJoinedEvent *joined = g_hash_table_lookup (events, &key);
  gboolean is_tied = joined != NULL && joined->confidence > 0;

  event->instruction = is_tied ? joined->expr->node.id : 0;
  event->iteration = is_tied ? joined->iteration : -1;
  if (joined != NULL && joined->is_replay)
    return (HirTraceTie){ joined->repetition, HIR_JOIN_GUESSED };
  return is_tied ? (HirTraceTie){ joined->repetition, joined->confidence }
                 : (HirTraceTie){ .repetition = -1 };
}

/* Describes the run as our own recordings do, for commands that unroll the program again. */
static char *
dup_run (const HirJoin *join)
{
  g_auto (HirRunSettings) settings = { 0 };
  g_autoptr (GVariant) variant = NULL;

  hir_run_settings_init (&settings);
  settings.n_streams = join->n_streams;
  settings.n_repeat = MAX (join->n_repetitions, 1);
  variant = g_variant_ref_sink (hir_run_settings_to_variant (&settings));
  return g_variant_print (variant, TRUE);
}

HirTrace *
hir_join_dup_trace (const HirJoin *join, GError **error)
{
  g_autoptr (GHashTable) events = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autofree char *text = hir_join_format (join);
  g_autofree char *run = dup_run (join);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint n = g_strv_length (lines);

  for (guint i = 0; i < join->events->len; i++)
    {
      const HirJoinedEvent *joined = &g_array_index (join->events, HirJoinedEvent, i);
      guint64 key = make_key (joined->track, joined->index);

      g_hash_table_insert (events, g_memdup2 (&key, sizeof key), (gpointer) joined);
    }
  /* The account of the recording has what the summary says; its last line is empty. */
  for (guint i = 0; i < n; i++)
    {
      char *line = lines[i];

      lines[i] = *line != '\0' && i < MAX_NOTES ? g_strconcat ("join: ", line, NULL) : NULL;
      g_free (line);
    }
  return hir_trace_dup_tied (join->trace, (const char *const *) lines, run, tie, events, error);
}
