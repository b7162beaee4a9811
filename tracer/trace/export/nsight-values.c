#include "trace/export/nsight-values.h"

#include <string.h>

#include "trace/json-scan.h"
#include "trace/nsight/nsys-names.h"

#define COPY_DEVICE_TO_DEVICE 8
#define SYNC_STREAM_WAITS 2

/* Arguments, as Kineto's traces and the reader of Nsight's tables name them. */
static const struct
{
  const char *key;
  HirNsightValue first;
  guint n;
} known[] = {
  { "context", HIR_NSIGHT_CONTEXT, 1 },
  { "grid", HIR_NSIGHT_GRID_X, 3 },
  { "block", HIR_NSIGHT_BLOCK_X, 3 },
  { "registers per thread", HIR_NSIGHT_REGISTERS, 1 },
  { "staticSharedMemory", HIR_NSIGHT_STATIC_MEMORY, 1 },
  { "dynamicSharedMemory", HIR_NSIGHT_DYNAMIC_MEMORY, 1 },
  { "copyKind", HIR_NSIGHT_COPY_KIND, 1 },
  { "srcKind", HIR_NSIGHT_COPY_FROM, 1 },
  { "dstKind", HIR_NSIGHT_COPY_TO, 1 },
  { "value", HIR_NSIGHT_FILL_VALUE, 1 },
  { "memKind", HIR_NSIGHT_FILL_MEMORY, 1 },
  { "syncType", HIR_NSIGHT_SYNC_TYPE, 1 },
  { "event_id", HIR_NSIGHT_EVENT_ID, 1 },
};

/* Reads a number, or a list of @n numbers. */
static void
read_numbers (HirJson *json, gint64 *values, guint n)
{
  gboolean first = TRUE;

  if (n == 1)
    {
      hir_json_read_int (json, values);
      return;
    }
  if (!hir_json_try_enter (json, HIR_JSON_ARRAY))
    return;
  for (guint i = 0; hir_json_next_element (json, &first); i++)
    if (i < n)
      hir_json_read_int (json, &values[i]);
    else
      hir_json_skip (json);
}

static void
read_args (gint64 *values, const char *args)
{
  g_autofree char *object = g_strdup_printf ("{%s}", args);
  gint64 shared_bytes = 0;
  gboolean first = TRUE;
  HirJsonText key;
  HirJson json;

  hir_json_init (&json, object, strlen (object));
  hir_json_enter (&json);
  while (hir_json_next_member (&json, &first, &key))
    {
      guint i = 0;

      while (i < G_N_ELEMENTS (known) && !hir_json_text_is (&key, known[i].key))
        i++;
      if (i < G_N_ELEMENTS (known))
        read_numbers (&json, &values[known[i].first], known[i].n);
      else if (hir_json_text_is (&key, "shared memory"))
        hir_json_read_int (&json, &shared_bytes);
      else
        hir_json_skip (&json);
    }
  /* Kineto gives the sum of static and dynamic memory. */
  if (values[HIR_NSIGHT_STATIC_MEMORY] == 0 && values[HIR_NSIGHT_DYNAMIC_MEMORY] == 0)
    values[HIR_NSIGHT_DYNAMIC_MEMORY] = shared_bytes;
}

void
hir_nsight_values_read (gint64 *values, HirEventKind kind, const char *name, const char *args)
{
  memset (values, 0, HIR_N_NSIGHT_VALUES * sizeof *values);
  values[HIR_NSIGHT_FILL_MEMORY] = -1;
  hir_nsys_parse_copy_name (name, &values[HIR_NSIGHT_COPY_KIND], &values[HIR_NSIGHT_COPY_FROM],
                            &values[HIR_NSIGHT_COPY_TO]);
  if (kind == HIR_EVENT_MEMSET)
    values[HIR_NSIGHT_FILL_MEMORY] = hir_nsys_parse_fill_name (name);
  if (kind == HIR_EVENT_SYNC)
    values[HIR_NSIGHT_SYNC_TYPE] = hir_nsys_parse_sync_name (name);
  if (args != NULL && *args != '\0')
    read_args (values, args);
  /* Our own copies are between devices, and our own waits are those of streams. */
  if (values[HIR_NSIGHT_COPY_KIND] == 0)
    values[HIR_NSIGHT_COPY_KIND] = COPY_DEVICE_TO_DEVICE;
  if (values[HIR_NSIGHT_SYNC_TYPE] == 0)
    values[HIR_NSIGHT_SYNC_TYPE] = SYNC_STREAM_WAITS;
}
