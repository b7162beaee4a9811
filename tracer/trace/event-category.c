#include "trace/event-category.h"

#include <string.h>

#include "trace/event-source.h"
#include "trace/json-out.h"

/* Returns Kineto's category for a call of the CUDA or HIP runtime or driver with this name, or NULL
 * for other names. */
static const char *
lookup_call_category (const char *name)
{
  if (g_str_has_prefix (name, "cuda") || g_str_has_prefix (name, "hip"))
    return g_ascii_isupper (name[*name == 'c' ? 4 : 3]) ? "cuda_runtime" : NULL;
  return g_str_has_prefix (name, "cu") && g_ascii_isupper (name[2]) ? "cuda_driver" : NULL;
}

/* Returns the category of host work. The issue of an instruction is an op, like an operator of a
 * framework ("aten::mm"). Ranges and Python frames are not ops. */
static const char *
get_host_category (const HirTrack *track, HirEventKind kind, const char *name)
{
  const char *call = lookup_call_category (name);

  if (hir_track_is_of_notes (track))
    return "gpu_user_annotation";
  if (call != NULL)
    return call;
  if (kind == HIR_EVENT_SYNC)
    return "cuda_runtime";
  if (kind != HIR_EVENT_HOST || strstr (name, "::") != NULL)
    return "cpu_op";
  return strstr (name, ".py(") != NULL ? "python_function" : "user_annotation";
}

const char *
hir_event_category_derive (const HirTrack *track, HirEventKind kind, const char *name)
{
  if (!hir_track_is_of_device (track))
    return get_host_category (track, kind, name);
  switch (kind)
    {
    /* A kernel would count as work. */
    case HIR_EVENT_HOST:
      return "gpu_user_annotation";
    case HIR_EVENT_MEMCPY:
      return "gpu_memcpy";
    case HIR_EVENT_MEMSET:
      return "gpu_memset";
    case HIR_EVENT_SYNC:
      return "cuda_sync";
    case HIR_EVENT_ISSUE:
      return "cpu_op";
    default:
      return "kernel";
    }
}

const char *
hir_event_category_modernize (const char *category)
{
  static const char *const names[][2] = {
    { "Operator", "cpu_op" },      { "Kernel", "kernel" },
    { "Memcpy", "gpu_memcpy" },    { "Memset", "gpu_memset" },
    { "Runtime", "cuda_runtime" }, { "User Annotation", "user_annotation" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (category, names[i][0]) == 0)
      return names[i][1];
  return category;
}

gboolean
hir_event_category_read_json (
    HirEventJson *json, const HirTrace *trace, guint track, guint index, GError **error)
{
  HirJsonOut out = { .out = json->json };
  gboolean is_stated;
  HirEvent event;

  if (!hir_event_json_read (json, trace, track, index, error))
    return FALSE;
  hir_trace_get_event (trace, track, index, &event);
  is_stated = json->has_category &&
              strcmp (json->category->str,
                      hir_event_category_derive (hir_trace_get_track (trace, track), event.kind,
                                                 hir_trace_get_string (trace, event.name))) != 0;
  if (!is_stated && json->instant == 0)
    return TRUE;
  out.needs_comma = json->json->len > 0;
  hir_json_out_begin (&out, HIR_EVENT_OWN_ARGS, '{');
  if (is_stated)
    hir_json_out_add_string (&out, HIR_EVENT_CATEGORY, json->category->str);
  if (json->instant != 0)
    hir_json_out_add_string (&out, HIR_EVENT_INSTANT, (const char[]){ json->instant, '\0' });
  hir_json_out_end (&out, '}');
  return TRUE;
}
