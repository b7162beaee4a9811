#include "trace/chrome/chrome-collective.h"

#include "trace/chrome/chrome-event.h"
#include "trace/collective.h"

/* Writes the group as PyTorch does: as a list inside a string. */
static void
write_group (HirJsonOut *json, const HirCollective *collective)
{
  guint n, size = hir_comm_record_get_key_size (collective->team);
  g_autofree gint64 *ranks = hir_comm_record_dup_key_ranks (collective->team, &n);
  g_autoptr (GString) list = g_string_new ("[");

  for (guint i = 0; i < n; i++)
    g_string_append_printf (list, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", ranks[i]);
  /* The imported list was truncated. */
  if (n > 0 && size != n)
    g_string_append (list, ", ...");
  g_string_append_c (list, ']');
  if (size > 0)
    hir_json_out_add_int (json, "Group size", size);
  hir_json_out_add_string (json, "Process Group Name", list->str);
  hir_json_out_add_string (json, "Process Group Description",
                           n == 2 && collective->peer >= 0 ? "pair" : "team");
  hir_json_out_add_string (json, "Process Group Ranks", list->str);
  if (collective->peer >= 0 && n == 2)
    {
      hir_json_out_add_int (json, "Src Rank", ranks[0]);
      hir_json_out_add_int (json, "Dst Rank", ranks[1]);
    }
}

/* Kineto's format has no list of messages: each is an object with the names of a single one. */
static void
write_messages (HirJsonOut *json, const HirTrace *trace, guint track, guint index)
{
  g_autoptr (GPtrArray) records = hir_trace_dup_event_records (trace, track, index);

  hir_json_out_begin (json, HIR_CHROME_MESSAGES, '[');
  for (guint i = 0; i < records->len; i++)
    {
      const HirCommRecord *record = g_ptr_array_index (records, i);
      guint n;
      g_autofree gint64 *ranks =
          hir_comm_record_dup_key_ranks (hir_trace_get_string (trace, record->key), &n);

      if (n != 2)
        continue;
      hir_json_out_begin (json, NULL, '{');
      hir_json_out_add_string (json, "Collective name", hir_trace_get_string (trace, record->op));
      hir_json_out_add_int (json, "In msg nelems", record->in_elements);
      hir_json_out_add_int (json, "Out msg nelems", record->out_elements);
      hir_json_out_add_string (json, "dtype", hir_collective_get_dtype_name (record->dtype));
      hir_json_out_add_int (json, "bytes", record->bytes);
      hir_json_out_add_int (json, "Src Rank", ranks[0]);
      hir_json_out_add_int (json, "Dst Rank", ranks[1]);
      if (record->sequence != HIR_COMM_RECORD_UNNUMBERED)
        hir_json_out_add_int (json, "Seq", record->sequence);
      hir_json_out_end (json, '}');
    }
  hir_json_out_end (json, ']');
}

gboolean
hir_chrome_write_collective (HirJsonOut *json, const HirTrace *trace, guint track, guint index)
{
  HirCollective collective;

  if (!hir_trace_lookup_collective (trace, track, index, &collective))
    return FALSE;
  hir_json_out_add_string (json, "Collective name", collective.op);
  hir_json_out_add_int (json, "In msg nelems", collective.in_elements);
  hir_json_out_add_int (json, "Out msg nelems", collective.out_elements);
  hir_json_out_add_string (json, "dtype", collective.dtype);
  if (collective.n_messages > 1)
    {
      write_messages (json, trace, track, index);
      return TRUE;
    }
  write_group (json, &collective);
  if (collective.sequence != HIR_COMM_RECORD_UNNUMBERED)
    hir_json_out_add_int (json, "Seq", collective.sequence);
  if (collective.root >= 0)
    hir_json_out_add_int (json, "Root Rank", collective.root);
  if (collective.algbw > 0)
    {
      hir_json_out_add_double (json, "algbw (GB/s)", "%.6g", collective.algbw);
      hir_json_out_add_double (json, "busbw (GB/s)", "%.6g", collective.busbw);
    }
  return TRUE;
}
