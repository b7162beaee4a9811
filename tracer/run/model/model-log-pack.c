/* Serialization of logs of the modelled clock: logs of ranks in other processes are timed together
 * in one process. */
#include <string.h>

#include "diagnostic.h"
#include "run/model/model-log-private.h"

/* Kind, stream, channel, launches; bytes, flops; mark (0: none); event (empty: none); meetings. */
#define ENTRY_TYPE "(uuubxxuaya(syux))"

static guint
number_of (GHashTable *marks, const HirModelMark *mark)
{
  guint number;

  if (mark == NULL)
    return 0;
  number = GPOINTER_TO_UINT (g_hash_table_lookup (marks, mark));
  if (number == 0)
    {
      number = g_hash_table_size (marks) + 1;
      g_hash_table_insert (marks, (gpointer) mark, GUINT_TO_POINTER (number));
    }
  return number;
}

static GVariant *
pack_entry (const HirModelEntry *entry, GHashTable *marks)
{
  GVariantBuilder meetings;

  g_variant_builder_init (&meetings, G_VARIANT_TYPE ("a(syux)"));
  for (guint i = 0; entry->wanted != NULL && i < entry->wanted->len; i++)
    {
      const HirModelWanted *wanted = &g_array_index (entry->wanted, HirModelWanted, i);

      g_variant_builder_add (&meetings, "(syux)", wanted->key, wanted->side, wanted->n,
                             wanted->bytes);
    }
  return g_variant_new ("(uuubxxu@aya(syux))", (guint32) entry->kind, entry->stream, entry->channel,
                        entry->launches, entry->bytes, entry->flops, number_of (marks, entry->mark),
                        g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, &entry->event,
                                                   entry->has_event ? sizeof entry->event : 0, 1),
                        &meetings);
}

GVariant *
hir_model_log_pack (HirModelLog *log)
{
  g_autoptr (GHashTable) marks = g_hash_table_new (NULL, NULL);
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a" ENTRY_TYPE));
  g_mutex_lock (&log->group->lock);
  for (GList *link = log->entries.head; link != NULL; link = link->next)
    g_variant_builder_add_value (&builder, pack_entry (link->data, marks));
  g_mutex_unlock (&log->group->lock);
  return g_variant_builder_end (&builder);
}

/* Returns the mark with @number, which is created on first use. */
static HirModelMark *
get_mark (GHashTable *marks, guint number)
{
  HirModelMark *mark = g_hash_table_lookup (marks, GUINT_TO_POINTER (number));

  if (mark == NULL)
    {
      mark = hir_model_mark_new ();
      g_hash_table_insert (marks, GUINT_TO_POINTER (number), mark);
    }
  return mark;
}

/* Posts create their mark themselves. */
static void
unpack_post (HirModelLog *log,
             const HirModelEntry *entry,
             GVariant *packed,
             guint number,
             GHashTable *marks,
             const HirEvent *event)
{
  g_autoptr (GArray) meetings = g_array_new (FALSE, FALSE, sizeof (HirModelMeeting));
  GVariantIter iter;
  HirModelMeeting meeting;
  HirModelMark *mark;
  guint8 side;
  guint32 n;

  g_variant_iter_init (&iter, packed);
  while (g_variant_iter_next (&iter, "(&syux)", &meeting.key, &side, &n, &meeting.bytes))
    {
      meeting.side = (char) side;
      meeting.n = n;
      g_array_append_val (meetings, meeting);
    }
  mark = hir_model_log_post (log, entry->stream, entry->channel,
                             (const HirModelMeeting *) meetings->data, meetings->len, event);
  g_hash_table_replace (marks, GUINT_TO_POINTER (number), mark);
}

static gboolean
unpack_entry (HirModelLog *log,
              GVariant *packed,
              GHashTable *marks,
              HirModelTranslate translate,
              gpointer user_data)
{
  HirModelEntry entry = { 0 };
  HirEvent event;
  g_autoptr (GVariant) bytes = NULL;
  g_autoptr (GVariant) meetings = NULL;
  guint32 kind, stream, channel, number;

  g_variant_get (packed, "(uuubxxu@ay@a(syux))", &kind, &stream, &channel, &entry.launches,
                 &entry.bytes, &entry.flops, &number, &bytes, &meetings);
  if (kind > HIR_MODEL_ENTRY_COUNT_END)
    return FALSE;
  entry.kind = (HirModelEntryKind) kind;
  entry.stream = stream;
  entry.channel = channel;
  entry.has_event = g_variant_get_size (bytes) == sizeof event;
  if (entry.has_event)
    {
      memcpy (&event, g_variant_get_data (bytes), sizeof event);
      if (translate != NULL && !translate (&event, user_data))
        return FALSE;
    }
  if (entry.kind == HIR_MODEL_ENTRY_POST)
    {
      unpack_post (log, &entry, meetings, number, marks, entry.has_event ? &event : NULL);
      return TRUE;
    }
  entry.mark = number > 0 ? hir_model_mark_ref (get_mark (marks, number)) : NULL;
  hir_model_log_push (log, &entry, entry.has_event ? &event : NULL);
  return TRUE;
}

gboolean
hir_model_log_unpack (HirModelLog *log,
                      GVariant *packed,
                      HirModelTranslate translate,
                      gpointer user_data,
                      GError **error)
{
  g_autoptr (GHashTable) marks =
      g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) hir_model_mark_unref);
  gboolean fits = g_variant_is_of_type (packed, G_VARIANT_TYPE ("a" ENTRY_TYPE));

  for (gsize i = 0; fits && i < g_variant_n_children (packed); i++)
    {
      g_autoptr (GVariant) entry = g_variant_get_child_value (packed, i);

      fits = unpack_entry (log, entry, marks, translate, user_data);
    }
  if (!fits)
    hir_set_error (error, HIR_ERROR_RUN, NULL,
                   "cannot read the modelled clock of a rank; all ranks must use the same "
                   "version of Hirscope");
  return fits;
}
