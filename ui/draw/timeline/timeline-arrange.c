#include "draw/timeline/timeline-arrange.h"

#define KEY_ORDER "order"
#define KEY_FOLDED_RANKS "folded-ranks"
#define KEY_HEIGHTS "heights" /* height:key of a track */
#define MIN_HEIGHT 22.0

static const struct
{
  HirTrackFlags flag;
  const char *key;
} flag_keys[] = {
  { HIR_TRACK_PINNED, "pinned" },
  { HIR_TRACK_HIDDEN, "hidden" },
  { HIR_TRACK_FOLDED, "folded" },
};

gboolean
hir_timeline_rows_get_flag (const HirTimelineRows *rows, guint track, HirTrackFlags flag)
{
  return (rows->flags[track] & flag) != 0;
}

void
hir_timeline_rows_set_flag (HirTimelineRows *rows, guint track, HirTrackFlags flag, gboolean is_set)
{
  rows->flags[track] = (guint8) (is_set ? rows->flags[track] | flag : rows->flags[track] & ~flag);
  hir_timeline_rows_update (rows);
}

void
hir_timeline_rows_set_height (HirTimelineRows *rows, guint track, double height)
{
  double full = hir_timeline_rows_get_full_height (rows, track);

  rows->heights[track] =
      (guint16) (height == 0 || full <= MIN_HEIGHT ? 0 : CLAMP (height, MIN_HEIGHT, full));
  hir_timeline_rows_update (rows);
}

static HirTimelineRow *
get (const HirTimelineRows *rows, guint i)
{
  return &g_array_index (rows->all, HirTimelineRow, i);
}

void
hir_timeline_rows_clear_flag (HirTimelineRows *rows, HirTrackFlags flag)
{
  for (guint i = 0; i < hir_trace_get_n_tracks (rows->trace); i++)
    rows->flags[i] &= (guint8) ~flag;
  hir_timeline_rows_update (rows);
}

gboolean
hir_timeline_rows_move_track (HirTimelineRows *rows, guint track, int by)
{
  guint8 wanted = rows->flags[track] & (HIR_TRACK_PINNED | HIR_TRACK_HIDDEN);
  guint from = 0;

  while (from < rows->all->len && (get (rows, from)->is_header || get (rows, from)->track != track))
    from++;
  if (from == rows->all->len)
    return FALSE;
  /* Skips rows that are displayed elsewhere: pinned rows are at the top, hidden rows nowhere. */
  for (gint64 to = (gint64) from + by; to >= 0 && to < rows->all->len; to += by)
    {
      HirTimelineRow row = *get (rows, from);

      if (get (rows, (guint) to)->is_header)
        return FALSE;
      if ((rows->flags[get (rows, (guint) to)->track] & (HIR_TRACK_PINNED | HIR_TRACK_HIDDEN)) !=
          wanted)
        continue;
      g_array_remove_index (rows->all, from);
      g_array_insert_val (rows->all, (guint) to, row);
      hir_timeline_rows_update (rows);
      return TRUE;
    }
  return FALSE;
}

/* Finds the rows [*@from, *@to) of a rank. */
static gboolean
find_rank (const HirTimelineRows *rows, int rank, guint *from, guint *to)
{
  for (*from = 0; *from < rows->all->len && get (rows, *from)->rank != rank;)
    (*from)++;
  for (*to = *from; *to < rows->all->len && get (rows, *to)->rank == rank;)
    (*to)++;
  return *from < *to;
}

/* Swaps rows [from, middle) with rows [middle, to). */
static void
swap (HirTimelineRows *rows, guint from, guint middle, guint to)
{
  g_autoptr (GArray) moved = g_array_new (FALSE, FALSE, sizeof (HirTimelineRow));

  g_array_append_vals (moved, get (rows, middle), to - middle);
  g_array_append_vals (moved, get (rows, from), middle - from);
  for (guint i = 0; i < moved->len; i++)
    *get (rows, from + i) = g_array_index (moved, HirTimelineRow, i);
  hir_timeline_rows_update (rows);
}

gboolean
hir_timeline_rows_move_rank (HirTimelineRows *rows, int rank, int by)
{
  guint from, to, other_from, other_to;

  if (!find_rank (rows, rank, &from, &to) || (by < 0 ? from == 0 : to == rows->all->len))
    return FALSE;
  find_rank (rows, get (rows, by < 0 ? from - 1 : to)->rank, &other_from, &other_to);
  if (by < 0)
    swap (rows, other_from, from, to);
  else
    swap (rows, from, to, other_to);
  return TRUE;
}

gboolean
hir_timeline_rows_show_both (HirTimelineRows *rows)
{
  const char *ranks_of_a = hir_trace_get_meta (rows->trace, "ranks_of_a");
  gint64 n_of_a = ranks_of_a != NULL ? g_ascii_strtoll (ranks_of_a, NULL, 10) : 0;
  gboolean has_device = FALSE, has_seen[2] = { FALSE, FALSE };

  for (guint i = 0; i < hir_trace_get_n_tracks (rows->trace); i++)
    has_device |= hir_track_is_of_device (hir_trace_get_track (rows->trace, i));
  if (ranks_of_a == NULL || !has_device)
    return FALSE;
  for (guint i = 0; i < hir_trace_get_n_tracks (rows->trace); i++)
    if (hir_trace_get_track (rows->trace, i)->kind == HIR_TRACK_HOST)
      rows->flags[i] |= HIR_TRACK_HIDDEN;
  for (guint i = 0; i < rows->all->len; i++)
    if (get (rows, i)->is_header)
      {
        int of = get (rows, i)->rank >= n_of_a;

        if (has_seen[of])
          g_hash_table_add (rows->collapsed, GINT_TO_POINTER (get (rows, i)->rank));
        has_seen[of] = TRUE;
      }
  hir_timeline_rows_update (rows);
  return TRUE;
}

static char *
dup_key (const HirTimelineRows *rows, guint track)
{
  const HirTrack *info = hir_trace_get_track (rows->trace, track);

  return g_strdup_printf ("%d/%d/%d/%" G_GINT64_FORMAT "/%s", info->rank, info->device,
                          (int) info->kind, info->stream, info->name);
}

static void
save_list (GKeyFile *file, const char *group, const char *key, GPtrArray *keys)
{
  if (keys->len > 0)
    g_key_file_set_string_list (file, group, key, (const char *const *) keys->pdata, keys->len);
  else
    g_key_file_remove_key (file, group, key, NULL);
}

void
hir_timeline_rows_save_arrangement (const HirTimelineRows *rows, GKeyFile *file, const char *group)
{
  g_autoptr (GArray) ranks = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GPtrArray) order = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) heights = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < rows->all->len; i++)
    if (!get (rows, i)->is_header)
      g_ptr_array_add (order, dup_key (rows, get (rows, i)->track));
    else if (hir_timeline_rows_get_collapsed (rows, get (rows, i)->rank))
      g_array_append_val (ranks, get (rows, i)->rank);
  save_list (file, group, KEY_ORDER, order);
  if (ranks->len > 0)
    g_key_file_set_integer_list (file, group, KEY_FOLDED_RANKS, (int *) (gpointer) ranks->data,
                                 ranks->len);
  else
    g_key_file_remove_key (file, group, KEY_FOLDED_RANKS, NULL);
  for (guint i = 0; i < hir_trace_get_n_tracks (rows->trace); i++)
    if (rows->heights[i] != 0)
      {
        g_autofree char *key = dup_key (rows, i);

        g_ptr_array_add (heights, g_strdup_printf ("%u:%s", rows->heights[i], key));
      }
  save_list (file, group, KEY_HEIGHTS, heights);
  for (guint f = 0; f < G_N_ELEMENTS (flag_keys); f++)
    {
      g_autoptr (GPtrArray) keys = g_ptr_array_new_with_free_func (g_free);

      for (guint i = 0; i < hir_trace_get_n_tracks (rows->trace); i++)
        if (hir_timeline_rows_get_flag (rows, i, flag_keys[f].flag))
          g_ptr_array_add (keys, dup_key (rows, i));
      save_list (file, group, flag_keys[f].key, keys);
    }
}

/* Returns a table from the key of a track to its index + 1. */
static GHashTable *
new_tracks (const HirTimelineRows *rows)
{
  GHashTable *tracks = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < hir_trace_get_n_tracks (rows->trace); i++)
    g_hash_table_insert (tracks, dup_key (rows, i), GUINT_TO_POINTER (i + 1));
  return tracks;
}

typedef struct
{
  HirTimelineRow row;
  guint rank_place; /* position of the rank's first track in the file; also for headers */
  guint place;
} Placed;

static int
compare_placed (gconstpointer a, gconstpointer b)
{
  const Placed *x = a, *y = b;

  if (x->rank_place != y->rank_place)
    return x->rank_place < y->rank_place ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

/* Tracks that are not in the file follow the others in their old order. */
static void
load_order (HirTimelineRows *rows, GHashTable *tracks, char **order)
{
  guint n = hir_trace_get_n_tracks (rows->trace), n_rows = rows->all->len;
  g_autofree guint *places = g_new0 (guint, n + 1);
  g_autofree Placed *placed = g_new0 (Placed, n_rows + 1);
  guint first = 0;

  for (guint i = 0; order[i] != NULL; i++)
    {
      guint track = GPOINTER_TO_UINT (g_hash_table_lookup (tracks, order[i]));

      if (track > 0 && places[track - 1] == 0)
        places[track - 1] = i + 1;
    }
  for (guint i = 0; i < n_rows; i++)
    {
      HirTimelineRow row = *get (rows, i);

      placed[i].row = row;
      if (row.is_header)
        first = i;
      else
        placed[i].place = places[row.track] > 0 ? places[row.track] : G_MAXUINT / 2 + i;
      if (row.is_header)
        placed[i].rank_place = G_MAXUINT / 2 + i;
      else
        placed[first].rank_place = MIN (placed[first].rank_place, placed[i].place);
    }
  for (guint i = 0; i < n_rows; i++)
    {
      first = placed[i].row.is_header ? i : first;
      placed[i].rank_place = placed[first].rank_place;
    }
  qsort (placed, n_rows, sizeof *placed, compare_placed);
  for (guint i = 0; i < n_rows; i++)
    *get (rows, i) = placed[i].row;
}

static void
load_heights (HirTimelineRows *rows, GHashTable *tracks, char **heights)
{
  for (guint i = 0; heights[i] != NULL; i++)
    {
      char *key;
      guint64 height = g_ascii_strtoull (heights[i], &key, 10);
      guint track = *key == ':' ? GPOINTER_TO_UINT (g_hash_table_lookup (tracks, key + 1)) : 0;

      if (track > 0)
        hir_timeline_rows_set_height (rows, track - 1, (double) MIN (height, G_MAXUINT16));
    }
}

gboolean
hir_timeline_rows_load_arrangement (HirTimelineRows *rows, GKeyFile *file, const char *group)
{
  g_autoptr (GHashTable) tracks = NULL;
  g_auto (GStrv) order = NULL;
  g_auto (GStrv) heights = NULL;
  g_autofree int *ranks = NULL;
  gsize n_ranks = 0;

  if (!g_key_file_has_group (file, group))
    return FALSE;
  tracks = new_tracks (rows);
  order = g_key_file_get_string_list (file, group, KEY_ORDER, NULL, NULL);
  if (order != NULL)
    load_order (rows, tracks, order);
  heights = g_key_file_get_string_list (file, group, KEY_HEIGHTS, NULL, NULL);
  if (heights != NULL)
    load_heights (rows, tracks, heights);
  for (guint f = 0; f < G_N_ELEMENTS (flag_keys); f++)
    {
      g_auto (GStrv) keys = g_key_file_get_string_list (file, group, flag_keys[f].key, NULL, NULL);

      for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
        {
          guint track = GPOINTER_TO_UINT (g_hash_table_lookup (tracks, keys[i]));

          if (track > 0)
            rows->flags[track - 1] |= (guint8) flag_keys[f].flag;
        }
    }
  ranks = g_key_file_get_integer_list (file, group, KEY_FOLDED_RANKS, &n_ranks, NULL);
  for (gsize i = 0; i < n_ranks; i++)
    g_hash_table_add (rows->collapsed, GINT_TO_POINTER (ranks[i]));
  hir_timeline_rows_update (rows);
  return TRUE;
}
