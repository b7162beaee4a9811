#include "trace/event-source.h"

#include <sys/stat.h>

#include "trace/trace-builder-private.h"

void
hir_event_source_init (HirEventSource *source, const HirEventSourceClass *klass)
{
  source->klass = klass;
  g_atomic_ref_count_init (&source->ref_count);
}

HirEventSource *
hir_event_source_ref (HirEventSource *source)
{
  g_atomic_ref_count_inc (&source->ref_count);
  return source;
}

void
hir_event_source_unref (HirEventSource *source)
{
  if (source != NULL && g_atomic_ref_count_dec (&source->ref_count))
    source->klass->free (source);
}

gsize
hir_event_source_get_size_bytes (const HirEventSource *source)
{
  return sizeof *source +
         (source->klass->get_size_bytes != NULL ? source->klass->get_size_bytes (source) : 0);
}

guint64
hir_trace_builder_add_source (HirTraceBuilder *builder, HirEventSource *source)
{
  if (builder->trace == NULL)
    {
      hir_event_source_unref (source);
      return 0;
    }
  g_ptr_array_add (builder->trace->sources, source);
  return (guint64) (builder->trace->sources->len - 1) << HIR_EVENT_SOURCE_SHIFT;
}

static void
read_own_args (HirJson *json, HirArgFunc func, gpointer user_data)
{
  gboolean first = TRUE;
  HirJsonText key;

  if (!hir_json_try_enter (json, HIR_JSON_OBJECT))
    return;
  while (hir_json_next_member (json, &first, &key))
    {
      const char *value;

      hir_json_peek (json);
      value = json->at;
      if (!hir_json_skip (json))
        return;
      if (hir_json_text_is (&key, HIR_EVENT_CATEGORY))
        func (HIR_EVENT_CATEGORY, 0, value, (gsize) (json->at - value), user_data);
      else if (hir_json_text_is (&key, HIR_EVENT_INSTANT))
        func (HIR_EVENT_INSTANT, 0, value, (gsize) (json->at - value), user_data);
    }
}

void
hir_event_source_read_args (HirJson *json, HirArgFunc func, gpointer user_data)
{
  gboolean first = TRUE;
  HirJsonText key;

  if (!hir_json_try_enter (json, HIR_JSON_OBJECT))
    return;
  while (hir_json_next_member (json, &first, &key))
    {
      const char *value;

      hir_json_peek (json);
      value = json->at;
      if (hir_json_text_is (&key, HIR_EVENT_OWN_ARGS))
        read_own_args (json, func, user_data);
      else if (hir_json_skip (json))
        func (key.at - 1, key.length + 2, value, json->at - value, user_data);
    }
}

gboolean
hir_file_stamp_read (HirFileStamp *stamp, const char *path)
{
  struct stat st;

  if (stat (path, &st) != 0)
    return FALSE;
  *stamp =
      (HirFileStamp){ st.st_size, st.st_dev, st.st_ino, st.st_mtim.tv_sec, st.st_mtim.tv_nsec };
  return TRUE;
}

gboolean
hir_file_stamp_equal (const HirFileStamp *a, const HirFileStamp *b)
{
  return a->size == b->size && a->changed_s == b->changed_s && a->changed_ns == b->changed_ns;
}
