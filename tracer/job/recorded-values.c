/* Encodes summaries, and takes those of a finished run. */
#include "job/recorded-values.h"

#include <string.h>

#include "diagnostic.h"
#include "record/clock.h"

/* About 3 kB per tensor. */
#define MAP_CELLS 24
#define PAGE_ROWS 10
#define PAGE_COLUMNS 8
/* Upper bound of a decoded summary. */
#define MAX_INFLATED_BYTES (4 * 1024 * 1024)

static GBytes *
convert (GConverter *converter, gconstpointer data, gsize n, gsize max, GError **error)
{
  g_autoptr (GInputStream) memory = g_memory_input_stream_new_from_data (data, (gssize) n, NULL);
  g_autoptr (GInputStream) in = g_converter_input_stream_new (memory, converter);
  g_autoptr (GByteArray) out = g_byte_array_new ();
  guint8 buffer[8192];
  gssize n_read;

  while ((n_read = g_input_stream_read (in, buffer, sizeof buffer, NULL, error)) > 0)
    {
      g_byte_array_append (out, buffer, (guint) n_read);
      if (out->len <= max)
        continue;
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "a recorded value exceeds the size limit");
      return NULL;
    }
  return n_read < 0 ? NULL : g_byte_array_free_to_bytes (g_steal_pointer (&out));
}

GBytes *
hir_recorded_value_pack (const HirValueSummary *summary)
{
  g_autoptr (HirValueSummary) rough = hir_value_summary_copy (summary);
  g_autoptr (GVariant) variant = NULL;
  g_autoptr (GVariant) little = NULL;
  g_autoptr (GConverter) deflate =
      G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_RAW, 6));

  /* Map cells are only colors: rounding them to float halves the compressed size. */
  for (gsize i = 0; i < (gsize) rough->map_rows * rough->map_columns; i++)
    rough->map[i] = (double) (float) rough->map[i];
  variant = g_variant_ref_sink (hir_value_summary_to_variant (rough));
  little = G_BYTE_ORDER == G_LITTLE_ENDIAN ? g_variant_ref (variant) : g_variant_byteswap (variant);
  return convert (deflate, g_variant_get_data (little), g_variant_get_size (little),
                  MAX_INFLATED_BYTES, NULL);
}

HirValueSummary *
hir_recorded_value_unpack (GBytes *data, GError **error)
{
  g_autoptr (GConverter) inflate =
      G_CONVERTER (g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_RAW));
  g_autoptr (GError) why = NULL;
  g_autoptr (GBytes) bytes = convert (inflate, g_bytes_get_data (data, NULL),
                                      g_bytes_get_size (data), MAX_INFLATED_BYTES, &why);
  g_autoptr (GVariant) variant = NULL;
  g_autoptr (GVariant) native = NULL;

  if (bytes == NULL)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "cannot read the recorded value: %s",
                     why->message);
      return NULL;
    }
  variant = g_variant_ref_sink (
      g_variant_new_from_bytes (hir_value_summary_get_variant_type (), bytes, FALSE));
  native = G_BYTE_ORDER == G_LITTLE_ENDIAN ? g_variant_get_normal_form (variant)
                                           : g_variant_byteswap (variant);
  return hir_value_summary_new_from_variant (native, error);
}

HirValueSummary *
hir_recorded_values_dup (const HirTrace *trace, int rank, guint64 tensor_id, GError **error)
{
  GBytes *data = hir_trace_lookup_value (trace, tensor_id, rank);

  return data != NULL ? hir_recorded_value_unpack (data, error) : NULL;
}

guint
hir_recorded_values_take (HirSession *session, HirRecorder *recorder, GCancellable *cancellable)
{
  gint64 end_ns = hir_clock_now_ns () + HIR_RECORDED_VALUES_MAX_NS;
  g_autoptr (GArray) held = hir_session_dup_held (session);
  gsize n_bytes = 0;
  guint n_left_out = 0;
  HirValueQuery query;

  hir_value_query_init (&query);
  query.map_rows = query.map_columns = MAP_CELLS;
  query.page_rows = PAGE_ROWS;
  query.page_columns = PAGE_COLUMNS;
  for (guint i = 0; i < held->len; i++)
    {
      const HirHeldValue *value = &g_array_index (held, HirHeldValue, i);
      g_autoptr (HirValueSummary) summary = NULL;
      g_autoptr (GBytes) data = NULL;

      if (n_bytes >= HIR_RECORDED_VALUES_MAX_BYTES || hir_clock_now_ns () > end_ns ||
          value->n_elements > HIR_RECORDED_VALUES_MAX_ELEMENTS)
        {
          n_left_out++;
          continue;
        }
      summary = hir_session_dup_summary (session, value->rank, value->tensor_id, &query,
                                         cancellable, NULL);
      if (summary == NULL)
        continue;
      data = hir_recorded_value_pack (summary);
      n_bytes += g_bytes_get_size (data);
      hir_recorder_add_value (recorder, value->tensor_id, value->rank, data);
    }
  return n_left_out;
}
