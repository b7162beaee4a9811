#include "trace/trace-header.h"

#include <string.h>

#include "trace/json-out.h"

void
hir_trace_header_set (HirTraceBuilder *builder, const char *members)
{
  g_autofree char *text = g_strdup_printf ("{%s}", members);

  if (*members != '\0')
    hir_trace_builder_set_meta (builder, HIR_META_HEADER, text);
}

gboolean
hir_trace_header_open (const HirTrace *trace, HirJson *json)
{
  const char *text = hir_trace_get_meta (trace, HIR_META_HEADER);

  if (text == NULL || !hir_json_is_object (text, strlen (text)))
    return FALSE;
  hir_json_init (json, text, strlen (text));
  return hir_json_enter (json);
}

/* Finds member @name. Returns FALSE if there is none. */
static gboolean
find_member (const HirTrace *trace, const char *name, HirJson *json)
{
  gboolean first = TRUE;
  HirJsonText key;

  if (!hir_trace_header_open (trace, json))
    return FALSE;
  while (hir_json_next_member (json, &first, &key))
    {
      hir_json_peek (json);
      if (hir_json_text_is (&key, name))
        return TRUE;
      hir_json_skip (json);
    }
  return FALSE;
}

char *
hir_trace_header_dup (const HirTrace *trace, const char *key)
{
  HirJson json;
  const char *from;

  if (!find_member (trace, key, &json))
    return NULL;
  from = json.at;
  return hir_json_skip (&json) ? g_strndup (from, (gsize) (json.at - from)) : NULL;
}

static void
read_gpu (HirJson *json, HirTraceGpu *gpu)
{
  const struct
  {
    const char *key;
    gint64 *value;
  } fields[] = {
    { "id", &gpu->id },
    { "totalGlobalMem", &gpu->memory_bytes },
    { "numSms", &gpu->n_processors },
    { "computeMajor", &gpu->major },
    { "computeMinor", &gpu->minor },
  };
  gboolean first = TRUE;
  HirJsonText key;

  while (hir_json_next_member (json, &first, &key))
    {
      guint i = 0;

      while (i < G_N_ELEMENTS (fields) && !hir_json_text_is (&key, fields[i].key))
        i++;
      if (i < G_N_ELEMENTS (fields))
        hir_json_read_int (json, fields[i].value);
      else if (hir_json_text_is (&key, "name"))
        {
          g_free (gpu->name);
          gpu->name = hir_json_dup_value (json);
        }
      else
        hir_json_skip (json);
    }
}

static void
clear_gpu (gpointer data)
{
  g_free (((HirTraceGpu *) data)->name);
}

GArray *
hir_trace_gpus_new (void)
{
  GArray *gpus = g_array_new (FALSE, FALSE, sizeof (HirTraceGpu));

  g_array_set_clear_func (gpus, clear_gpu);
  return gpus;
}

GArray *
hir_trace_header_dup_gpus (const HirTrace *trace)
{
  GArray *gpus = hir_trace_gpus_new ();
  gboolean first = TRUE;
  HirJson json;

  if (!find_member (trace, "deviceProperties", &json) ||
      !hir_json_try_enter (&json, HIR_JSON_ARRAY))
    return gpus;
  while (hir_json_next_element (&json, &first))
    {
      HirTraceGpu gpu = { .name = NULL };

      if (!hir_json_try_enter (&json, HIR_JSON_OBJECT))
        continue;
      read_gpu (&json, &gpu);
      g_array_append_val (gpus, gpu);
    }
  return gpus;
}

void
hir_trace_header_set_gpus (HirTraceBuilder *builder, const GArray *gpus)
{
  g_autoptr (GString) text = g_string_new (NULL);
  HirJsonOut json = { .out = text };

  if (gpus->len == 0)
    return;
  hir_json_out_begin (&json, "deviceProperties", '[');
  for (guint i = 0; i < gpus->len; i++)
    {
      const HirTraceGpu *gpu = &g_array_index (gpus, HirTraceGpu, i);

      hir_json_out_begin (&json, NULL, '{');
      hir_json_out_add_int (&json, "id", gpu->id);
      hir_json_out_add_string (&json, "name", gpu->name != NULL ? gpu->name : "");
      hir_json_out_add_int (&json, "totalGlobalMem", gpu->memory_bytes);
      hir_json_out_add_int (&json, "computeMajor", gpu->major);
      hir_json_out_add_int (&json, "computeMinor", gpu->minor);
      hir_json_out_add_int (&json, "numSms", gpu->n_processors);
      hir_json_out_end (&json, '}');
    }
  hir_json_out_end (&json, ']');
  hir_trace_header_set (builder, text->str);
}
