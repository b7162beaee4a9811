/* Writes a comparison as text or JSON. */
#include "analysis/compare.h"
#include "identity.h"
#include "print/printable.h"
#include "trace/duration.h"
#include "trace/event-names.h"
#include "trace/short-names.h"

#define MAX_NAME 70

/* Writes the times of A and B, and their difference absolute and in percent. */
static void
add_times (HirTextOut *out, gint64 a_ns, gint64 b_ns)
{
  g_autofree char *a = hir_format_duration (a_ns);
  g_autofree char *b = hir_format_duration (b_ns);
  g_autofree char *difference = hir_format_duration (b_ns - a_ns);
  g_autofree char *more = g_strconcat (b_ns >= a_ns ? "+" : "", difference, NULL);

  hir_text_out_add_padded (out, a, 12);
  hir_text_out_add_padded (out, b, 12);
  hir_text_out_add_padded (out, more, 13);
  if (a_ns != 0)
    hir_text_out_printf (out, " %+7.1f %%", 100.0 * (double) (b_ns - a_ns) / (double) a_ns);
  else
    hir_text_out_printf (out, " %9s", "-");
}

static void
add_line (HirTextOut *out, const char *name, gint64 a_ns, gint64 b_ns)
{
  hir_text_out_printf (out, "%-24s", name);
  add_times (out, a_ns, b_ns);
  hir_text_out_add (out, "\n");
}

static void
write_devices (const HirComparison *comparison, HirTextOut *out)
{
  guint n = MIN (comparison->a->gpus->len, comparison->b->gpus->len);

  for (guint side = 0; side < 2; side++)
    if (comparison->caveats[side] != NULL)
      hir_text_out_printf (out, "%s: %s\n", side == 0 ? "A" : "B", comparison->caveats[side]);
  hir_text_out_printf (out, "%-24s %11s %11s %12s %9s\n", "", "A", "B", "B - A", "");
  add_line (out, "one repetition", comparison->span_a_ns, comparison->span_b_ns);
  for (guint i = 0; i < n; i++)
    {
      const HirGpuStats *a = &g_array_index (comparison->a->gpus, HirGpuStats, i);
      const HirGpuStats *b = &g_array_index (comparison->b->gpus, HirGpuStats, i);

      hir_text_out_printf (out, "rank %d, device %d\n", a->rank, a->device);
      add_line (out, "  first to last work", a->total_ns, b->total_ns);
      add_line (out, "  busy", a->busy_ns, b->busy_ns);
      add_line (out, "  idle between", a->idle_ns, b->idle_ns);
      add_line (out, "  computation", a->computation_ns, b->computation_ns);
      add_line (out, "  communication", a->total_comm_ns, b->total_comm_ns);
      add_line (out, "  exposed communication", a->exposed_comm_ns, b->exposed_comm_ns);
      add_line (out, "  exposed copies", a->exposed_memcpy_ns, b->exposed_memcpy_ns);
    }
  if (comparison->a->gpus->len != comparison->b->gpus->len)
    hir_text_out_printf (out, "A has %u devices, B has %u\n", comparison->a->gpus->len,
                         comparison->b->gpus->len);
}

/* Returns the name without escapes. */
static char *
dup_plain_name (const HirCompareRow *row)
{
  if (row->label != NULL && row->has_twin)
    return g_strdup_printf ("%s: %s", row->label, row->name);
  return g_strdup (row->label != NULL ? row->label : row->name);
}

char *
hir_compare_row_dup_name (const HirCompareRow *row)
{
  g_autofree char *plain = dup_plain_name (row);
  g_autofree char *name = hir_printable_dup (plain);
  const char *kind = hir_event_kind_get_name (row->kind);

  if (!row->is_op)
    return g_steal_pointer (&name);
  return row->line > 0 ? g_strdup_printf ("script line %u, %s: %s", row->line, kind, name)
                       : g_strdup_printf ("%s: %s", kind, name);
}

char *
hir_comparison_dup_note (const HirComparison *comparison)
{
  const guint *n = comparison->n_runs;
  const gboolean *is_separate = comparison->is_separate;
  GString *note = g_string_new (NULL);

  if (n[0] == 1 && n[1] == 1)
    return g_string_free (note, TRUE);
  if (n[0] == n[1])
    g_string_printf (note, "A and B have %u repetitions each", n[0]);
  else
    g_string_printf (note, "A has %u repetition%s, B has %u", n[0], n[0] == 1 ? "" : "s", n[1]);
  g_string_append (note, ": times and counts are means of one repetition");
  if (!is_separate[0] || !is_separate[1])
    g_string_append_printf (note,
                            "; the repetitions of %s have different events, so that idle time "
                            "includes the time between repetitions",
                            is_separate[0]   ? "B"
                            : is_separate[1] ? "A"
                                             : "A and B");
  return g_string_free (note, FALSE);
}

static void
write_row (const HirCompareRow *row, const char *name, HirTextOut *out)
{
  hir_text_out_printf (out, "%6" G_GUINT64_FORMAT " %6" G_GUINT64_FORMAT, row->count_a,
                       row->count_b);
  add_times (out, row->sum_a_ns, row->sum_b_ns);
  hir_text_out_printf (out, "  %s%s\n", name,
                       row->count_b == 0   ? "  (only in A)"
                       : row->count_a == 0 ? "  (only in B)"
                                           : "");
}

static void
write_rows (const HirComparison *comparison, guint n, HirTextOut *out)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) shown = NULL;

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (names, hir_compare_row_dup_name (
                                &g_array_index (comparison->rows, HirCompareRow, i)));
  shown = hir_dup_short_names (names, MAX_NAME);
  for (guint i = 0; i < n; i++)
    write_row (&g_array_index (comparison->rows, HirCompareRow, i),
               g_hash_table_lookup (shown, g_ptr_array_index (names, i)), out);
}

static void
write_options (const char *which, const char *options, HirTextOut *out)
{
  if (options != NULL && *options != '\0')
    hir_text_out_printf (out, "%s: %s\n", which, options);
}

void
hir_comparison_write_text (const HirComparison *comparison, guint max_rows, HirTextOut *out)
{
  guint n = MIN (comparison->rows->len, max_rows);
  g_autofree char *note = hir_comparison_dup_note (comparison);

  if (note != NULL)
    hir_text_out_printf (out, "%s\n", note);
  write_options ("A", comparison->options_a, out);
  write_options ("B", comparison->options_b, out);
  write_devices (comparison, out);
  if (n == 0)
    {
      hir_text_out_add (out, "\nno device work in either trace: nothing to compare\n");
      return;
    }
  hir_text_out_printf (out, "\n%6s %6s %11s %11s %12s %9s  work\n", "n of A", "of B", "sum of A",
                       "sum of B", "B - A", "");
  write_rows (comparison, n, out);
  if (n < comparison->rows->len)
    hir_text_out_printf (out, "%u more; --json has all\n", comparison->rows->len - n);
  if (comparison->n_only_a > 0 || comparison->n_only_b > 0)
    hir_text_out_printf (out,
                         "%" G_GUINT64_FORMAT " events only in A, %" G_GUINT64_FORMAT
                         " only in B\n",
                         comparison->n_only_a, comparison->n_only_b);
}

static void
add_ints (HirJsonOut *json, const char *key, gint64 a, gint64 b)
{
  hir_json_out_begin (json, key, '[');
  hir_json_out_add_int (json, NULL, a);
  hir_json_out_add_int (json, NULL, b);
  hir_json_out_end (json, ']');
}

static void
write_device_json (const HirGpuStats *a, const HirGpuStats *b, HirJsonOut *json)
{
  hir_json_out_break (json);
  hir_json_out_begin (json, NULL, '{');
  hir_json_out_add_int (json, "rank", a->rank);
  hir_json_out_add_int (json, "device", a->device);
  add_ints (json, "total_ns", a->total_ns, b->total_ns);
  add_ints (json, "busy_ns", a->busy_ns, b->busy_ns);
  add_ints (json, "computation_ns", a->computation_ns, b->computation_ns);
  add_ints (json, "total_comm_ns", a->total_comm_ns, b->total_comm_ns);
  add_ints (json, "exposed_comm_ns", a->exposed_comm_ns, b->exposed_comm_ns);
  add_ints (json, "exposed_memcpy_ns", a->exposed_memcpy_ns, b->exposed_memcpy_ns);
  hir_json_out_end (json, '}');
}

void
hir_comparison_write_json (const HirComparison *comparison, HirTextOut *out)
{
  HirJsonOut *json = &out->json;
  g_autofree char *note = hir_comparison_dup_note (comparison);

  hir_json_out_begin (json, NULL, '{');
  add_ints (json, "span_ns", comparison->span_a_ns, comparison->span_b_ns);
  if (comparison->options_a != NULL)
    {
      hir_json_out_begin (json, "options", '[');
      hir_json_out_add_string (json, NULL, comparison->options_a);
      hir_json_out_add_string (json, NULL, comparison->options_b);
      hir_json_out_end (json, ']');
    }
  add_ints (json, "repetitions", comparison->n_runs[0], comparison->n_runs[1]);
  hir_json_out_add_string (json, "note", note);
  hir_json_out_begin (json, "notes", '[');
  for (guint side = 0; side < 2; side++)
    hir_json_out_add_string (json, NULL, comparison->caveats[side]);
  hir_json_out_end (json, ']');
  add_ints (json, "only", (gint64) comparison->n_only_a, (gint64) comparison->n_only_b);
  add_ints (json, "n_devices", comparison->a->gpus->len, comparison->b->gpus->len);
  hir_json_out_begin (json, "devices", '[');
  for (guint i = 0; i < MIN (comparison->a->gpus->len, comparison->b->gpus->len); i++)
    write_device_json (&g_array_index (comparison->a->gpus, HirGpuStats, i),
                       &g_array_index (comparison->b->gpus, HirGpuStats, i), json);
  hir_json_out_end (json, ']');
  hir_json_out_begin (json, "work", '[');
  for (guint i = 0; i < comparison->rows->len; i++)
    {
      const HirCompareRow *row = &g_array_index (comparison->rows, HirCompareRow, i);
      g_autofree char *name = dup_plain_name (row);
      char hex[17];

      hir_id_to_hex (row->instruction, hex);
      hir_json_out_break (json);
      hir_json_out_begin (json, NULL, '{');
      hir_json_out_add_string (json, "name", name);
      hir_json_out_add_string (json, "class", hir_event_kind_get_name (row->kind));
      hir_json_out_add_string (json, "instruction", row->instruction != 0 ? hex : NULL);
      if (row->is_op)
        hir_json_out_add_uint (json, "line", row->line);
      add_ints (json, "count", (gint64) row->count_a, (gint64) row->count_b);
      add_ints (json, "sum_ns", row->sum_a_ns, row->sum_b_ns);
      hir_json_out_add_uint (json, "pairs", row->n_pairs);
      hir_json_out_add_int (json, "max_slower_ns", row->max_slower_ns);
      hir_json_out_add_int (json, "max_faster_ns", row->max_faster_ns);
      hir_json_out_end (json, '}');
    }
  hir_json_out_end (json, ']');
  hir_json_out_end (json, '}');
  hir_text_out_add (out, "\n");
}
