#include "events/events-row.h"

#include "identity.h"

/* A row, and its place in the result that has it. */
typedef struct
{
  const HirQueryResult *result;
  guint at;
} Row;

/* Returns the text of the column @name, or NULL. */
static char *
dup_text (Row row, const char *name)
{
  int column = hir_query_result_find_column (row.result, name);

  return column >= 0 ? hir_query_result_dup_text (row.result, row.at, (guint) column) : NULL;
}

/* Gets the integer of the column @name. */
static gboolean
get_integer (Row row, const char *name, gint64 *value)
{
  int column = hir_query_result_find_column (row.result, name);

  if (column < 0 ||
      hir_query_result_get_type (row.result, row.at, (guint) column) != HIR_QUERY_INTEGER)
    return FALSE;
  *value = hir_query_result_get_integer (row.result, row.at, (guint) column);
  return TRUE;
}

/* Finds the events of the track with a name and a start. Returns how many there are, and sets
 * @index. */
static guint
find_on_track (const HirTrace *trace, guint track, const char *name, gint64 start_ns, guint *index)
{
  guint n = 0;

  for (guint i = hir_trace_find_first (trace, track, start_ns - 1);
       i < hir_trace_get_track_n_events (trace, track); i++)
    {
      HirEvent event;

      hir_trace_get_event (trace, track, i, &event);
      if (event.start_ns > start_ns)
        break;
      if (event.start_ns < start_ns ||
          g_strcmp0 (hir_trace_get_string (trace, event.name), name) != 0)
        continue;
      *index = i;
      n++;
    }
  return n;
}

/* Returns how many events have the name and the start of a row, and its rank and track if it has
 * them. Sets @link if there is one. */
static guint
find_event (const HirTrace *trace, Row row, char **link)
{
  g_autofree char *name = dup_text (row, "name");
  gint64 start_ns, rank, track;
  gboolean has_rank = get_integer (row, "rank", &rank);
  gboolean has_track = get_integer (row, "track", &track);
  guint n = 0, found = 0, index = 0;

  if (name == NULL || !get_integer (row, "start_ns", &start_ns))
    return 0;
  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    {
      guint more = 0;

      if ((has_rank && hir_trace_get_track (trace, t)->rank != rank) || (has_track && t != track))
        continue;
      more = find_on_track (trace, t, name, start_ns, &index);
      found = more > 0 ? t : found;
      n += more;
    }
  if (n == 1)
    *link = g_strdup_printf ("event/%u/%u", found, index);
  return n;
}

char *
hir_events_row_dup_link (HirEventsModel *model, const HirTrace *trace, guint row, const char **hint)
{
  static const char *const ids[] = { "instruction", "id" };
  Row at = { 0 };
  char *link = NULL;
  guint n;
  guint64 id;
  gint64 track;

  *hint = NULL;
  at.result = hir_events_model_lookup (model, row, &at.at);
  if (at.result == NULL)
    return NULL;
  n = find_event (trace, at, &link);
  if (link != NULL)
    return link;
  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      g_autofree char *hex = dup_text (at, ids[i]);

      if (hex != NULL && hir_id_from_hex (hex, &id))
        return g_strconcat ("node/", hex, NULL);
    }
  if (get_integer (at, "track", &track) && track >= 0 && track < hir_trace_get_n_tracks (trace))
    return g_strdup_printf ("track/%" G_GINT64_FORMAT, track);
  *hint = n > 1
              ? "several events have this name and start: add the column id, track or rank"
              : "to select something with a row, add the column id, instruction or track, or name "
                "and start_ns";
  return NULL;
}
