#include "trace/chrome/chrome-collective.h"

#include "trace/collective.h"

static void
write_text (HirTextOut *out, const char *key, const char *text)
{
  hir_text_out_printf (out, ",\"%s\":", key);
  hir_text_out_add_json_string (out, text);
}

static void
write_number (HirTextOut *out, const char *key, gint64 number)
{
  hir_text_out_printf (out, ",\"%s\":%" G_GINT64_FORMAT, key, number);
}

/* The group as PyTorch writes it: a list, in a string. */
static void
write_group (HirTextOut *out, const HirCollective *collective)
{
  guint n, size = hir_comm_record_get_key_size (collective->team);
  g_autofree gint64 *ranks = hir_comm_record_dup_key_ranks (collective->team, &n);
  g_autoptr (GString) list = g_string_new ("[");

  for (guint i = 0; i < n; i++)
    g_string_append_printf (list, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", ranks[i]);
  /* As it was cut short where it came from. */
  if (n > 0 && size != n)
    g_string_append (list, ", ...");
  g_string_append_c (list, ']');
  if (size > 0)
    write_number (out, "Group size", size);
  write_text (out, "Process Group Name", list->str);
  write_text (out, "Process Group Description", n == 2 && collective->peer >= 0 ? "pair" : "team");
  write_text (out, "Process Group Ranks", list->str);
  if (collective->peer >= 0 && n == 2)
    {
      write_number (out, "Src Rank", ranks[0]);
      write_number (out, "Dst Rank", ranks[1]);
    }
}

static void
write_bandwidth (HirTextOut *out, const char *key, double gb_per_s)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  hir_text_out_printf (out, ",\"%s\":%s", key,
                       g_ascii_formatd (text, sizeof text, "%.6g", gb_per_s));
}

gboolean
hir_chrome_write_collective (HirTextOut *out, const HirTrace *trace, guint track, guint index)
{
  HirCollective collective;

  if (!hir_trace_lookup_collective (trace, track, index, &collective) || collective.n_messages > 1)
    return FALSE;
  write_text (out, "Collective name", collective.op);
  write_number (out, "In msg nelems", collective.in_elements);
  write_number (out, "Out msg nelems", collective.out_elements);
  write_text (out, "dtype", collective.dtype);
  write_group (out, &collective);
  if (collective.sequence != HIR_COMM_RECORD_UNNUMBERED)
    write_number (out, "Seq", collective.sequence);
  if (collective.root >= 0)
    write_number (out, "Root Rank", collective.root);
  if (collective.algbw > 0)
    {
      write_bandwidth (out, "algbw (GB/s)", collective.algbw);
      write_bandwidth (out, "busbw (GB/s)", collective.busbw);
    }
  return TRUE;
}
