#include "trace/track-ids.h"

#include <string.h>

#include "trace/json-scan.h"

#define MAX_IDS_BYTES (16 * 1024 * 1024)

void
hir_track_ids_clear (HirTrackIds *ids)
{
  g_free (ids->pid);
  g_free (ids->tid);
  g_free (ids->process);
  g_free (ids->thread);
  *ids = (HirTrackIds){ 0 };
}

/* The metadata has a line per track: a list of the texts, or nothing. */
void
hir_track_ids_set (HirTraceBuilder *builder, const HirTrackIds *ids, guint n)
{
  g_autoptr (GString) lines = g_string_new (NULL);
  gboolean has_any = FALSE;

  for (guint t = 0; t < n && lines->len < MAX_IDS_BYTES; t++)
    {
      const char *const texts[] = { ids[t].pid, ids[t].tid, ids[t].process, ids[t].thread };

      if (t > 0)
        g_string_append_c (lines, '\n');
      if (ids[t].pid == NULL)
        continue;
      has_any = TRUE;
      for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
        {
          g_string_append_c (lines, i == 0 ? '[' : ',');
          g_string_append (lines, texts[i] != NULL ? texts[i] : "null");
        }
      g_string_append_c (lines, ']');
    }
  if (has_any)
    hir_trace_builder_set_meta (builder, HIR_META_TRACK_IDS, lines->str);
}

void
hir_track_ids_add (HirTraceBuilder *builder, const char *value, guint first_track)
{
  const char *before = hir_trace_builder_get_meta (builder, HIR_META_TRACK_IDS);
  g_autoptr (GString) lines = g_string_new (before);
  guint n = 0;

  for (const char *at = lines->str; (at = strchr (at, '\n')) != NULL; at++)
    n++;
  for (; n < first_track; n++)
    g_string_append_c (lines, '\n');
  g_string_append (lines, value);
  hir_trace_builder_set_meta (builder, HIR_META_TRACK_IDS, lines->str);
}

static void
read_line (const char *line, HirTrackIds *ids)
{
  char **texts[] = { &ids->pid, &ids->tid, &ids->process, &ids->thread };
  gboolean first = TRUE;
  HirJson json;

  hir_json_init (&json, line, strlen (line));
  if (!hir_json_enter (&json))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (texts) && hir_json_next_element (&json, &first); i++)
    {
      HirJsonKind kind = hir_json_peek (&json);
      const char *from = json.at;

      if (!hir_json_skip (&json))
        break;
      if (kind == HIR_JSON_STRING || (kind == HIR_JSON_NUMBER && i < 2))
        *texts[i] = g_strndup (from, (gsize) (json.at - from));
    }
  if (ids->pid == NULL)
    hir_track_ids_clear (ids);
}

GArray *
hir_trace_dup_track_ids (const HirTrace *trace)
{
  const char *value = hir_trace_get_meta (trace, HIR_META_TRACK_IDS);
  g_auto (GStrv) lines = value != NULL ? g_strsplit (value, "\n", -1) : NULL;
  guint n = hir_trace_get_n_tracks (trace);
  GArray *ids = g_array_sized_new (FALSE, TRUE, sizeof (HirTrackIds), n);

  g_array_set_clear_func (ids, (GDestroyNotify) hir_track_ids_clear);
  g_array_set_size (ids, n);
  for (guint t = 0; lines != NULL && t < n && lines[t] != NULL; t++)
    read_line (lines[t], &g_array_index (ids, HirTrackIds, t));
  return ids;
}

gboolean
hir_track_id_to_int (const char *text, int *number)
{
  gint64 value;

  if (text == NULL || !g_ascii_string_to_signed (text, 10, 0, G_MAXINT32, &value, NULL))
    return FALSE;
  *number = (int) value;
  return TRUE;
}
