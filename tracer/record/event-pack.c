/* Packs and merges recorded events. */
#include "record/event-pack.h"

#include <string.h>

#include "diagnostic.h"

#define PIECE_EVENTS 65536
#define NAMES_TYPE "(a(iiixs)asaya(qquu)a(tiay))"

typedef struct
{
  guint n;
  HirEvent events[PIECE_EVENTS];
} Piece;

struct _HirEventPack
{
  GPtrArray *tracks;  /* HirTrack* */
  GPtrArray *strings; /* char* */
  GPtrArray *pieces;  /* Piece* */
  GArray *meetings;   /* HirCommRecord */
  GArray *edges;      /* HirEdge */
  GPtrArray *values;  /* GVariant: (tiay), of HirTraceValue */
  guint64 n_dropped;
};

static void
track_free (gpointer data)
{
  g_free (((HirTrack *) data)->name);
  g_free (data);
}

static gboolean
take_track (guint number, const HirTrack *info, gpointer user_data, GError **error)
{
  HirEventPack *pack = user_data;
  HirTrack *track = g_memdup2 (info, sizeof *info);

  track->name = g_utf8_make_valid (info->name != NULL ? info->name : "", -1);
  g_ptr_array_add (pack->tracks, track);
  return TRUE;
}

static gboolean
take_string (guint32 number, const char *text, gpointer user_data, GError **error)
{
  g_ptr_array_add (((HirEventPack *) user_data)->strings, g_utf8_make_valid (text, -1));
  return TRUE;
}

static gboolean
take_events (const HirEvent *events, gsize n, gpointer user_data, GError **error)
{
  HirEventPack *pack = user_data;
  Piece *piece =
      pack->pieces->len > 0 ? g_ptr_array_index (pack->pieces, pack->pieces->len - 1) : NULL;

  for (gsize i = 0; i < n; i++)
    {
      if (piece == NULL || piece->n == PIECE_EVENTS)
        {
          piece = g_try_new (Piece, 1);
          if (piece == NULL)
            {
              pack->n_dropped += n - i;
              return TRUE; /* the run continues */
            }
          piece->n = 0;
          g_ptr_array_add (pack->pieces, piece);
        }
      piece->events[piece->n++] = events[i];
    }
  return TRUE;
}

static gboolean
take_meetings (const HirCommRecord *meetings, gsize n, gpointer user_data, GError **error)
{
  g_array_append_vals (((HirEventPack *) user_data)->meetings, meetings, (guint) n);
  return TRUE;
}

static gboolean
take_edges (const HirEdge *edges, gsize n, gpointer user_data, GError **error)
{
  g_array_append_vals (((HirEventPack *) user_data)->edges, edges, (guint) n);
  return TRUE;
}

static gboolean
take_value (const HirTraceValue *value, gpointer user_data, GError **error)
{
  GVariant *data = g_variant_new_from_bytes (G_VARIANT_TYPE_BYTESTRING, value->data, TRUE);

  g_ptr_array_add (((HirEventPack *) user_data)->values,
                   g_variant_ref_sink (
                       g_variant_new ("(ti@ay)", value->tensor_id, value->rank, data)));
  return TRUE;
}

HirEventPack *
hir_event_pack_new (HirRecorderSink *sink)
{
  HirEventPack *pack = g_new0 (HirEventPack, 1);

  pack->tracks = g_ptr_array_new_with_free_func (track_free);
  pack->strings = g_ptr_array_new_with_free_func (g_free);
  pack->pieces = g_ptr_array_new_with_free_func (g_free);
  pack->meetings = g_array_new (FALSE, FALSE, sizeof (HirCommRecord));
  pack->edges = g_array_new (FALSE, FALSE, sizeof (HirEdge));
  pack->values = g_ptr_array_new_with_free_func ((GDestroyNotify) g_variant_unref);
  *sink = (HirRecorderSink){ .track = take_track,
                             .string = take_string,
                             .events = take_events,
                             .meetings = take_meetings,
                             .edges = take_edges,
                             .value = take_value,
                             .user_data = pack };
  return pack;
}

void
hir_event_pack_free (HirEventPack *pack)
{
  g_ptr_array_unref (pack->tracks);
  g_ptr_array_unref (pack->strings);
  g_ptr_array_unref (pack->pieces);
  g_array_unref (pack->meetings);
  g_array_unref (pack->edges);
  g_ptr_array_unref (pack->values);
  g_free (pack);
}

guint64
hir_event_pack_get_n_dropped (const HirEventPack *pack)
{
  return pack->n_dropped;
}

GVariant *
hir_event_pack_dup_names (const HirEventPack *pack)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE (NAMES_TYPE));
  g_variant_builder_open (&builder, G_VARIANT_TYPE ("a(iiixs)"));
  for (guint i = 0; i < pack->tracks->len; i++)
    {
      const HirTrack *track = g_ptr_array_index (pack->tracks, i);

      g_variant_builder_add (&builder, "(iiixs)", (gint32) track->kind, track->rank, track->device,
                             track->stream, track->name);
    }
  g_variant_builder_close (&builder);
  g_variant_builder_open (&builder, G_VARIANT_TYPE ("as"));
  for (guint i = 0; i < pack->strings->len; i++)
    g_variant_builder_add (&builder, "s", g_ptr_array_index (pack->strings, i));
  g_variant_builder_close (&builder);
  g_variant_builder_add_value (&builder,
                               g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, pack->meetings->data,
                                                          pack->meetings->len *
                                                              sizeof (HirCommRecord),
                                                          1));
  g_variant_builder_open (&builder, G_VARIANT_TYPE ("a(qquu)"));
  for (guint i = 0; i < pack->edges->len; i++)
    {
      const HirEdge *edge = &g_array_index (pack->edges, HirEdge, i);

      g_variant_builder_add (&builder, "(qquu)", edge->from_track, edge->to_track,
                             edge->from_correlation, edge->to_correlation);
    }
  g_variant_builder_close (&builder);
  g_variant_builder_add_value (&builder, g_variant_new_array (G_VARIANT_TYPE ("(tiay)"),
                                                              (GVariant **) pack->values->pdata,
                                                              pack->values->len));
  return g_variant_builder_end (&builder);
}

guint
hir_event_pack_get_n_pieces (const HirEventPack *pack)
{
  return pack->pieces->len;
}

GBytes *
hir_event_pack_dup_piece (const HirEventPack *pack, guint i)
{
  const Piece *piece;

  if (i >= pack->pieces->len)
    return NULL;
  piece = g_ptr_array_index (pack->pieces, i);
  return g_bytes_new (piece->events, piece->n * sizeof (HirEvent));
}

struct _HirEventMerge
{
  HirRecorder *recorder;
  GArray *tracks;  /* guint */
  GArray *strings; /* guint32 */
};

static void
add_tracks (HirEventMerge *merge, GVariant *tracks)
{
  GVariantIter iter;
  HirTrack track;
  gint32 kind;
  const char *name;

  g_variant_iter_init (&iter, tracks);
  while (g_variant_iter_next (&iter, "(iiix&s)", &kind, &track.rank, &track.device, &track.stream,
                              &name))
    {
      guint number;

      track.kind = (HirTrackKind) CLAMP (kind, 0, HIR_N_TRACK_KINDS - 1);
      track.name = (char *) name;
      number = hir_recorder_add_track (merge->recorder, &track);
      g_array_append_val (merge->tracks, number);
    }
}

/* Translates a name. Returns FALSE if it is unknown. */
static gboolean
translate_name (const HirEventMerge *merge, guint32 *name)
{
  if (*name >= merge->strings->len)
    return FALSE;
  *name = g_array_index (merge->strings, guint32, *name);
  return TRUE;
}

static gboolean
add_meetings (HirEventMerge *merge, GVariant *packed)
{
  gsize size = g_variant_get_size (packed);
  const guint8 *data = g_variant_get_data (packed);

  if (size % sizeof (HirCommRecord) != 0)
    return FALSE;
  for (gsize at = 0; at < size; at += sizeof (HirCommRecord))
    {
      HirCommRecord record;

      memcpy (&record, data + at, sizeof record);
      if (!translate_name (merge, &record.key) || !translate_name (merge, &record.op))
        return FALSE;
      hir_recorder_add_meeting (merge->recorder, &record);
    }
  return TRUE;
}

static gboolean
add_edges (HirEventMerge *merge, GVariant *edges)
{
  GVariantIter iter;
  HirEdge edge;

  g_variant_iter_init (&iter, edges);
  while (g_variant_iter_next (&iter, "(qquu)", &edge.from_track, &edge.to_track,
                              &edge.from_correlation, &edge.to_correlation))
    {
      if (edge.from_track >= merge->tracks->len || edge.to_track >= merge->tracks->len)
        return FALSE;
      edge.from_track = (guint16) g_array_index (merge->tracks, guint, edge.from_track);
      edge.to_track = (guint16) g_array_index (merge->tracks, guint, edge.to_track);
      hir_recorder_add_edge (merge->recorder, &edge);
    }
  return TRUE;
}

static void
add_values (HirEventMerge *merge, GVariant *values)
{
  for (gsize i = 0; i < g_variant_n_children (values); i++)
    {
      g_autoptr (GVariant) value = g_variant_get_child_value (values, i);
      g_autoptr (GVariant) data = NULL;
      g_autoptr (GBytes) bytes = NULL;
      guint64 tensor_id;
      gint32 rank;

      g_variant_get (value, "(ti@ay)", &tensor_id, &rank, &data);
      bytes = g_variant_get_data_as_bytes (data);
      hir_recorder_add_value (merge->recorder, tensor_id, rank, bytes);
    }
}

static void
set_unreadable (GError **error)
{
  hir_set_error (error, HIR_ERROR_RUN, NULL,
                 "cannot read the events of a rank; all ranks must have the same version of "
                 "Hirscope");
}

HirEventMerge *
hir_event_merge_new (HirRecorder *recorder, GVariant *names, GError **error)
{
  g_autoptr (GVariant) tracks = NULL;
  g_autoptr (GVariant) strings = NULL;
  g_autoptr (GVariant) meetings = NULL;
  g_autoptr (GVariant) edges = NULL;
  g_autoptr (GVariant) values = NULL;
  HirEventMerge *merge;
  GVariantIter iter;
  const char *text;

  if (!g_variant_is_of_type (names, G_VARIANT_TYPE (NAMES_TYPE)))
    {
      set_unreadable (error);
      return NULL;
    }
  merge = g_new0 (HirEventMerge, 1);
  merge->recorder = recorder;
  merge->tracks = g_array_new (FALSE, FALSE, sizeof (guint));
  merge->strings = g_array_new (FALSE, FALSE, sizeof (guint32));
  tracks = g_variant_get_child_value (names, 0);
  strings = g_variant_get_child_value (names, 1);
  add_tracks (merge, tracks);
  g_variant_iter_init (&iter, strings);
  while (g_variant_iter_next (&iter, "&s", &text))
    {
      guint32 number = hir_recorder_intern (recorder, text);
      g_array_append_val (merge->strings, number);
    }
  meetings = g_variant_get_child_value (names, 2);
  edges = g_variant_get_child_value (names, 3);
  values = g_variant_get_child_value (names, 4);
  add_values (merge, values);
  if (add_meetings (merge, meetings) && add_edges (merge, edges))
    return merge;
  set_unreadable (error);
  hir_event_merge_free (merge);
  return NULL;
}

void
hir_event_merge_free (HirEventMerge *merge)
{
  g_array_unref (merge->tracks);
  g_array_unref (merge->strings);
  g_free (merge);
}

gboolean
hir_event_merge_translate (HirEventMerge *merge, HirEvent *event)
{
  if (event->track >= merge->tracks->len)
    return FALSE;
  event->track = (guint16) g_array_index (merge->tracks, guint, event->track);
  return translate_name (merge, &event->name);
}

gboolean
hir_event_merge_add (HirEventMerge *merge,
                     GBytes *piece,
                     const HirClockFit *fit,
                     gint64 remote_zero_ns,
                     gint64 local_zero_ns,
                     GError **error)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (piece, &size);
  gboolean fits = size % sizeof (HirEvent) == 0;

  for (gsize at = 0; fits && at < size; at += sizeof (HirEvent))
    {
      HirEvent event;

      memcpy (&event, data + at, sizeof event);
      fits = hir_event_merge_translate (merge, &event);
      if (!fits)
        break;
      event.start_ns =
          hir_clock_fit_to_local (fit, event.start_ns + remote_zero_ns) - local_zero_ns;
      event.end_ns = hir_clock_fit_to_local (fit, event.end_ns + remote_zero_ns) - local_zero_ns;
      event.end_ns = MAX (event.end_ns, event.start_ns); /* rounding */
      hir_recorder_add (merge->recorder, &event);
    }
  if (!fits)
    hir_set_error (error, HIR_ERROR_RUN, NULL, "the events of a rank are damaged");
  return fits;
}
