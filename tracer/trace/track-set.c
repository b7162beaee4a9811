#include "trace/track-set.h"

#include "diagnostic.h"

#define MAX_NAMES 3 /* in a text */

static int
compare (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *) a, y = *(const guint *) b;

  return (x > y) - (x < y);
}

gboolean
hir_track_set_has (const GArray *set, guint track)
{
  return set == NULL || g_array_binary_search ((GArray *) set, &track, compare, NULL);
}

GArray *
hir_track_set_new_take (GArray *tracks)
{
  guint n = 0;

  g_array_sort (tracks, compare);
  for (guint i = 0; i < tracks->len; i++)
    {
      guint track = g_array_index (tracks, guint, i);

      if (n == 0 || g_array_index (tracks, guint, n - 1) != track)
        g_array_index (tracks, guint, n++) = track;
    }
  g_array_set_size (tracks, n);
  return tracks;
}

static gboolean
matches (const HirTrack *track, const char *const *globs)
{
  g_autofree char *full = g_strdup_printf ("%d/%s", track->rank, track->name);

  for (; *globs != NULL; globs++)
    if (g_pattern_match_simple (*globs, track->name) || g_pattern_match_simple (*globs, full))
      return TRUE;
  return FALSE;
}

gboolean
hir_track_set_find (const HirTrace *trace, const char *const *globs, GArray **set, GError **error)
{
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (guint));

  *set = NULL;
  if (globs == NULL)
    return TRUE;
  for (guint track = 0; track < hir_trace_get_n_tracks (trace); track++)
    if (matches (hir_trace_get_track (trace, track), globs))
      g_array_append_val (found, track);
  if (found->len == 0)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "no track's name matches \"%s\"; try \"*Stream*\" or \"0/*\"", globs[0]);
      return FALSE;
    }
  *set = g_steal_pointer (&found);
  return TRUE;
}

/* Returns whether the tracks of @set (nullable) belong to several ranks. */
static gboolean
has_ranks (const GArray *set, const HirTrace *trace)
{
  const HirTrack *first = NULL;

  for (guint track = 0; track < hir_trace_get_n_tracks (trace); track++)
    if (hir_track_set_has (set, track))
      {
        const HirTrack *info = hir_trace_get_track (trace, track);

        if (first != NULL && info->rank != first->rank)
          return TRUE;
        first = info;
      }
  return FALSE;
}

char *
hir_track_set_dup_text (const GArray *set, const HirTrace *trace)
{
  GString *text = g_string_new (NULL);
  gboolean has_rank = has_ranks (set, trace);

  g_string_printf (text, "%u track%s", set->len, set->len == 1 ? "" : "s");
  if (!has_rank && has_ranks (NULL, trace))
    g_string_append_printf (text, " of rank %d",
                            hir_trace_get_track (trace, g_array_index (set, guint, 0))->rank);
  g_string_append (text, ": ");
  for (guint i = 0; i < MIN (set->len, MAX_NAMES); i++)
    {
      const HirTrack *track = hir_trace_get_track (trace, g_array_index (set, guint, i));

      g_string_append (text, i > 0 ? ", " : "");
      if (has_rank)
        g_string_append_printf (text, "%d/", track->rank);
      g_string_append (text, track->name);
    }
  if (set->len > MAX_NAMES)
    g_string_append_printf (text, " and %u more", set->len - MAX_NAMES);
  return g_string_free (text, FALSE);
}
