#include "trace/chrome/import-chrome.h"

#include "trace/chrome/chrome-event.h"

static void
read_distributed (HirJson *json, HirChromeHeader *header)
{
  gboolean first = TRUE;
  HirJsonText key;
  gint64 value;

  if (!hir_json_try_enter (json, HIR_JSON_OBJECT))
    return;
  while (hir_json_next_member (json, &first, &key))
    if (hir_json_text_is (&key, "rank"))
      {
        if (hir_json_read_int (json, &value) && value >= 0 && value < G_MAXINT)
          {
            header->has_rank = TRUE;
            header->rank = (int) value;
          }
      }
    else if (hir_json_text_is (&key, "world_size"))
      {
        if (hir_json_read_int (json, &value))
          header->world_size = value;
      }
    else
      hir_json_skip (json);
}

gboolean
hir_chrome_take_root_member (HirJson *json, const HirJsonText *key, HirChromeHeader *header)
{
  if (hir_json_text_is (key, "baseTimeNanoseconds"))
    header->has_base_time = hir_json_read_int (json, &header->base_time_ns);
  else if (hir_json_text_is (key, "distributedInfo"))
    read_distributed (json, header);
  else
    return FALSE;
  return TRUE;
}

static void
take_meta (HirJson *json, HirTraceBuilder *builder)
{
  gboolean first = TRUE;
  HirJsonText key;

  if (!hir_json_try_enter (json, HIR_JSON_OBJECT))
    return;
  while (hir_json_next_member (json, &first, &key))
    {
      g_autofree char *name = hir_json_text_dup (&key);
      g_autofree char *value = hir_json_dup_value (json);

      if (value != NULL)
        hir_trace_builder_set_meta (builder, name, value);
    }
}

static void
take_account (HirJson *json, HirTraceBuilder *builder)
{
  gboolean first = TRUE;

  if (!hir_json_try_enter (json, HIR_JSON_ARRAY))
    return;
  while (hir_json_next_element (json, &first))
    {
      g_autofree char *line = hir_json_dup_value (json);

      if (line != NULL)
        hir_trace_builder_add_account (builder, "%s", line);
    }
}

void
hir_chrome_take_own_root (HirJson *json, HirTraceBuilder *builder)
{
  gboolean first = TRUE;
  HirJsonText key;

  if (!hir_json_try_enter (json, HIR_JSON_OBJECT))
    return;
  while (hir_json_next_member (json, &first, &key))
    if (hir_json_text_is (&key, "meta"))
      take_meta (json, builder);
    else if (hir_json_text_is (&key, "account"))
      take_account (json, builder);
    else
      hir_json_skip (json);
}
