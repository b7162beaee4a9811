#include "base/trace-memory.h"

#define KEY "hir-timeline-indexes"

static void
unref_indexes (gpointer indexes)
{
  hir_timeline_indexes_unref (indexes);
}

static gboolean
emit_changed (gpointer selection)
{
  g_signal_emit_by_name (selection, "drawing-changed");
  return G_SOURCE_REMOVE;
}

void
hir_trace_memory_set (HirSelection *selection, HirTimelineIndexes *indexes)
{
  g_object_set_data_full (G_OBJECT (selection), KEY, hir_timeline_indexes_ref (indexes),
                          unref_indexes);
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, emit_changed, g_object_ref (selection), g_object_unref);
}

char *
hir_trace_memory_dup_text (HirSelection *selection)
{
  HirTrace *trace = hir_selection_get_trace (selection);
  HirTimelineIndexes *indexes = g_object_get_data (G_OBJECT (selection), KEY);
  g_autofree char *size = NULL, *drawing = NULL;
  gsize drawing_bytes = 0;

  if (trace == NULL)
    return NULL;
  size = g_format_size_full (hir_trace_get_size_bytes (trace), G_FORMAT_SIZE_IEC_UNITS);
  if (indexes != NULL && hir_timeline_indexes_get_trace (indexes) == trace)
    drawing_bytes = hir_timeline_indexes_get_size_bytes (indexes);
  if (drawing_bytes == 0)
    return g_strdup_printf ("%s for events", size);
  drawing = g_format_size_full (drawing_bytes, G_FORMAT_SIZE_IEC_UNITS);
  return g_strdup_printf ("%s for events, %s for the timeline", size, drawing);
}
