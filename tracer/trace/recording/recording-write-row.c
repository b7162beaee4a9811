/* Transactions and rows of a recording that is written. */
#include "diagnostic.h"
#include "trace/recording/recording-write-private.h"

static const char *const tables[HIR_N_WRITER_TABLES] = {
  "meta",  "strings", "tracks",        "chunks", "account",  "meetings",
  "edges", "flows",   "tensor_values", "args",   "baseline",
};

gboolean
hir_writer_prepare (HirRecordingWriter *writer, GError **error)
{
  for (guint t = 0; t < HIR_N_WRITER_TABLES; t++)
    {
      writer->insert[t] = hir_db_prepare_insert (writer->db, writer->path, tables[t], error);
      if (writer->insert[t] == NULL)
        return FALSE;
    }
  return TRUE;
}

void
hir_writer_begin_row (const HirRecordingWriter *writer, HirWriterTable table, HirRow *row)
{
  hir_row_begin (row, writer->insert[table], writer->path, tables[table]);
}

gboolean
hir_writer_begin (HirRecordingWriter *writer, GError **error)
{
  return hir_db_exec (writer->db, writer->path, "BEGIN IMMEDIATE", error);
}

gboolean
hir_writer_end (HirRecordingWriter *writer, gboolean is_good, GError **error)
{
  if (is_good && hir_db_exec (writer->db, writer->path, "COMMIT", error))
    return TRUE;
  if (!sqlite3_get_autocommit (writer->db))
    sqlite3_exec (writer->db, "ROLLBACK", NULL, NULL, NULL);
  return FALSE;
}

gboolean
hir_writer_check_open (HirRecordingWriter *writer, GError **error)
{
  if (writer->db != NULL)
    return TRUE;
  hir_set_error (error, HIR_ERROR_RUN, NULL, "%s: the recording is already closed", writer->path);
  return FALSE;
}

gboolean
hir_writer_insert_meta (HirRecordingWriter *writer,
                        const char *key,
                        const char *value,
                        GError **error)
{
  HirRow row;

  hir_writer_begin_row (writer, HIR_WRITER_META, &row);
  hir_row_put_text (&row, key);
  hir_row_put_text (&row, value);
  return hir_row_insert (&row, error);
}

gboolean
hir_writer_insert_account (HirRecordingWriter *writer, const char *text, GError **error)
{
  HirRow row;

  hir_writer_begin_row (writer, HIR_WRITER_ACCOUNT, &row);
  hir_row_put_text (&row, text);
  return hir_row_insert (&row, error);
}

gboolean
hir_writer_intern (HirRecordingWriter *writer, const char *text, guint32 *index, GError **error)
{
  if (hir_string_table_intern (&writer->strings, text, index))
    return TRUE;
  hir_set_error (error, HIR_ERROR_LIMIT, NULL, "%s: out of memory for the names of a recording",
                 writer->path);
  return FALSE;
}

gboolean
hir_writer_insert_meeting (HirRecordingWriter *writer,
                           const HirCommRecord *record,
                           const char *key,
                           const char *op,
                           GError **error)
{
  HirRow row;

  hir_writer_begin_row (writer, HIR_WRITER_MEETINGS, &row);
  hir_row_put_text (&row, key);
  hir_row_put_int (&row, record->sequence);
  hir_row_put_int (&row, record->side);
  hir_row_put_int (&row, record->rank);
  hir_row_put_int (&row, record->correlation);
  hir_row_put_int (&row, record->bytes);
  hir_row_put_text (&row, op);
  hir_row_put_text (&row, hir_dtype_get_short_name (record->dtype));
  hir_row_put_int (&row, record->root);
  hir_row_put_int (&row, record->message_bytes);
  hir_row_put_int (&row, record->in_elements);
  hir_row_put_int (&row, record->out_elements);
  return hir_row_insert (&row, error);
}

gboolean
hir_writer_insert_edge (HirRecordingWriter *writer, const HirEdge *edge, GError **error)
{
  HirRow row;

  hir_writer_begin_row (writer, HIR_WRITER_EDGES, &row);
  hir_row_put_int (&row, edge->from_track);
  hir_row_put_int (&row, edge->from_correlation);
  hir_row_put_int (&row, edge->to_track);
  hir_row_put_int (&row, edge->to_correlation);
  return hir_row_insert (&row, error);
}

gboolean
hir_writer_insert_value (HirRecordingWriter *writer, const HirTraceValue *value, GError **error)
{
  gsize n;
  gconstpointer data = g_bytes_get_data (value->data, &n);
  HirRow row;

  hir_writer_begin_row (writer, HIR_WRITER_VALUES, &row);
  hir_row_put_id (&row, value->tensor_id);
  hir_row_put_int (&row, value->rank);
  hir_row_put_blob (&row, data, n);
  return hir_row_insert (&row, error);
}

gboolean
hir_writer_insert_baseline (HirRecordingWriter *writer,
                            const HirBaseline *baseline,
                            const char *name,
                            GError **error)
{
  HirRow row;

  hir_writer_begin_row (writer, HIR_WRITER_BASELINE, &row);
  hir_row_put_id (&row, baseline->instruction);
  hir_row_put_int (&row, baseline->iteration);
  hir_row_put_int (&row, baseline->duration_ns);
  hir_row_put_int (&row, baseline->rank);
  hir_row_put_text (&row, name);
  return hir_row_insert (&row, error);
}
