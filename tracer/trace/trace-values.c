#include "trace/trace-values.h"

#include "trace/trace-builder-private.h"

static void
clear_value (gpointer data)
{
  g_bytes_unref (((HirTraceValue *) data)->data);
}

GArray *
hir_trace_values_new (void)
{
  GArray *values = g_array_new (FALSE, FALSE, sizeof (HirTraceValue));

  g_array_set_clear_func (values, clear_value);
  return values;
}

void
hir_trace_builder_add_value (HirTraceBuilder *builder, guint64 tensor_id, int rank, GBytes *data)
{
  HirTraceValue value = { tensor_id, rank, NULL };

  if (builder->trace == NULL)
    return;
  if (builder->trace->values->len >= HIR_TRACE_MAX_VALUES ||
      g_bytes_get_size (data) > HIR_TRACE_MAX_VALUE_BYTES)
    {
      builder->counts[HIR_COUNT_NO_VALUE]++;
      return;
    }
  value.data = g_bytes_ref (data);
  g_array_append_val (builder->trace->values, value);
}

guint
hir_trace_get_n_values (const HirTrace *trace)
{
  return trace->values->len;
}

const HirTraceValue *
hir_trace_get_value (const HirTrace *trace, guint i)
{
  g_return_val_if_fail (i < trace->values->len, NULL);
  return &g_array_index (trace->values, HirTraceValue, i);
}

GBytes *
hir_trace_lookup_value (const HirTrace *trace, guint64 tensor_id, int rank)
{
  /* A linear search is enough: there is one lookup per click, in some hundred values. */
  for (guint i = trace->values->len; i-- > 0;)
    {
      const HirTraceValue *value = &g_array_index (trace->values, HirTraceValue, i);

      if (value->tensor_id == tensor_id && value->rank == rank)
        return value->data;
    }
  return NULL;
}
