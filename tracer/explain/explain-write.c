/* Writes the critical path: as a table of its instructions, or as JSON with all parts. */
#include "explain/explain-write.h"

#include "explain/explain-private.h"
#include "identity.h"
#include "trace/duration.h"
#include "trace/short-names.h"

#define MAX_NAME 70

/* Parts of the path of one kind and name. */
typedef struct
{
  guint32 name;
  guint8 kind;
  gint64 ns;
  guint n_parts;
  GString *ranks; /* "0, 1" */
  int last_rank;
} Row;

static void
row_free (gpointer data)
{
  Row *row = data;

  g_string_free (row->ranks, TRUE);
  g_free (row);
}

static int
compare_rows (gconstpointer a, gconstpointer b)
{
  const Row *x = *(const Row *const *) a, *y = *(const Row *const *) b;

  if (x->ns != y->ns)
    return x->ns > y->ns ? -1 : 1;
  return x->name != y->name ? (x->name < y->name ? -1 : 1) : x->kind - y->kind;
}

static void
add_rank (Row *row, int rank)
{
  g_auto (GStrv) ranks = g_strsplit (row->ranks->str, ", ", -1);
  g_autofree char *text = g_strdup_printf ("%d", rank);

  if (rank == row->last_rank)
    return;
  row->last_rank = rank;
  if (!g_strv_contains ((const char *const *) ranks, text))
    g_string_append_printf (row->ranks, "%s%s", row->ranks->len > 0 ? ", " : "", text);
}

static GPtrArray *
dup_rows (const HirTrace *trace, const HirRepetition *repetition)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func (row_free);
  g_autoptr (GHashTable) numbers =
      g_hash_table_new_full (hir_word_hash, g_int64_equal, g_free, NULL);

  for (guint i = 0; i < repetition->path->len; i++)
    {
      const HirPathPart *part = &g_array_index (repetition->path, HirPathPart, i);
      HirEvent event;
      guint64 key;
      Row *row;

      hir_trace_get_event (trace, part->track, part->index, &event);
      key = (guint64) event.name << 8 | part->kind;
      row = g_hash_table_lookup (numbers, &key);
      if (row == NULL)
        {
          row = g_new0 (Row, 1);
          row->name = event.name;
          row->kind = part->kind;
          row->ranks = g_string_new (NULL);
          row->last_rank = G_MININT;
          g_ptr_array_add (rows, row);
          g_hash_table_insert (numbers, g_memdup2 (&key, sizeof key), row);
        }
      row->ns += part->end_ns - part->start_ns;
      row->n_parts++;
      add_rank (row, hir_trace_get_track (trace, part->track)->rank);
    }
  g_ptr_array_sort (rows, compare_rows);
  return rows;
}

static void
add_time (HirTextOut *out, gint64 ns)
{
  g_autofree char *text = hir_format_duration (ns);

  hir_text_out_add_padded (out, text, 12);
}

/* Returns the names of all @rows as the table shows them. */
static GHashTable *
dup_short_names (const HirTrace *trace, const GPtrArray *rows)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < rows->len; i++)
    g_ptr_array_add (names,
                     (gpointer)
                         hir_trace_get_string (trace,
                                               ((const Row *) g_ptr_array_index (rows, i))->name));
  return hir_dup_short_names (names, MAX_NAME);
}

static const char *
get_title (HirPathKind kind)
{
  static const char *const titles[] = {
    [HIR_PATH_WORK] = "",
    [HIR_PATH_TRANSFER] = "",
    [HIR_PATH_WAIT] = "resume after ",
    [HIR_PATH_HOST] = "host: ",
    [HIR_PATH_HOST_GAP] = "host before ",
    [HIR_PATH_LAUNCH] = "launch of ",
    [HIR_PATH_GAP] = "gap before ",
    [HIR_PATH_START] = "later start of ",
  };

  return titles[kind];
}

static void
write_path (const HirExplain *explain,
            const HirRepetition *repetition,
            guint max_rows,
            HirTextOut *out)
{
  g_autoptr (GPtrArray) rows = dup_rows (explain->trace, repetition);
  g_autoptr (GHashTable) names = dup_short_names (explain->trace, rows);
  gint64 total_ns = repetition->end_ns - repetition->start_ns;

  hir_text_out_printf (out, "%12s %8s %7s  %-10s %s\n", "on the path", "share", "parts", "ranks",
                       "what");
  for (guint i = 0; i < MIN (rows->len, max_rows); i++)
    {
      const Row *row = g_ptr_array_index (rows, i);
      const char *name =
          g_hash_table_lookup (names, hir_trace_get_string (explain->trace, row->name));

      add_time (out, row->ns);
      hir_text_out_printf (out, " %6.1f %% %7u  %-10s %s%s\n",
                           100.0 * (double) row->ns / (double) MAX (total_ns, 1), row->n_parts,
                           row->ranks->str, get_title (row->kind), name);
    }
  if (rows->len > max_rows)
    hir_text_out_printf (out, "%u more rows; --json has all parts\n", rows->len - max_rows);
}

static void
write_loss_row (const HirExplain *explain, const HirLoss *loss, gint64 total_ns, HirTextOut *out)
{
  g_autofree char *iterations = hir_loss_dup_iterations (loss);
  g_autofree char *ranks = hir_loss_dup_ranks (loss);
  g_autofree char *sentence = hir_loss_dup_sentence (explain, loss);

  add_time (out, loss->ns);
  hir_text_out_printf (out, " %6.1f %%  %-10s %-10s %s\n",
                       100.0 * (double) loss->ns / (double) MAX (total_ns, 1), iterations, ranks,
                       sentence);
}

static void
write_losses (const HirExplain *explain,
              const HirRepetition *repetition,
              guint max_rows,
              HirTextOut *out)
{
  gint64 total_ns = repetition->end_ns - repetition->start_ns, rest_ns = 0;
  guint n_lost = 0, n_compute = 0;

  hir_text_out_printf (out, "%12s %8s  %-10s %-10s %s\n", "on the path", "share", "iterations",
                       "ranks", "where it went");
  for (guint i = 0; i < repetition->losses->len; i++)
    {
      const HirLoss *loss = &g_array_index (repetition->losses, HirLoss, i);

      if ((loss->cause == HIR_LOSS_COMPUTE ? n_compute++ : n_lost++) >= max_rows)
        rest_ns += loss->ns;
      else
        write_loss_row (explain, loss, total_ns, out);
    }
  if (rest_ns > 0)
    {
      add_time (out, rest_ns);
      hir_text_out_add (out, "  in more rows; --json has all\n");
    }
  if (repetition->waits->len > 0)
    hir_text_out_add (out, "\nnot part of the total, because other work may hide it:\n");
  for (guint i = 0; i < MIN (repetition->waits->len, max_rows); i++)
    write_loss_row (explain, &g_array_index (repetition->waits, HirLoss, i), total_ns, out);
  hir_text_out_add (out, "\n");
}

void
hir_explain_write_text (const HirExplain *explain, guint max_rows, HirTextOut *out)
{
  g_autofree char *caveat = hir_trace_dup_caveat (explain->trace);

  if (caveat != NULL)
    hir_text_out_printf (out, "%s\n\n", caveat);
  for (guint i = 0; i < explain->repetitions->len; i++)
    {
      const HirRepetition *repetition = &g_array_index (explain->repetitions, HirRepetition, i);
      g_autofree char *total = hir_format_duration (repetition->end_ns - repetition->start_ns);

      hir_text_out_printf (out,
                           "%sRepetition %u of %u: %s, rank %d ends last; " HIR_EXPLAIN_SUM_NOTE
                           "\n",
                           i > 0 ? "\n" : "", i + 1, explain->repetitions->len, total,
                           repetition->last_rank);
      write_losses (explain, repetition, max_rows, out);
      write_path (explain, repetition, max_rows, out);
    }
  hir_gains_write_text (explain, max_rows, out);
  for (guint i = caveat != NULL ? 1 : 0; i < explain->notes->len; i++)
    hir_text_out_printf (out, "note: %s\n", (const char *) g_ptr_array_index (explain->notes, i));
}

static void
write_part (const HirExplain *explain, const HirPathPart *part, HirTextOut *out)
{
  const HirTrack *track = hir_trace_get_track (explain->trace, part->track);
  HirJsonOut *json = &out->json;
  HirEvent event;

  hir_trace_get_event (explain->trace, part->track, part->index, &event);
  hir_json_out_break (json);
  hir_json_out_begin (json, NULL, '{');
  hir_json_out_add_int (json, "start_ns", part->start_ns);
  hir_json_out_add_int (json, "end_ns", part->end_ns);
  hir_json_out_add_string (json, "kind", hir_path_kind_get_name (part->kind));
  hir_json_out_add_string (json, "reason", hir_path_reason_get_name (part->reason));
  hir_json_out_add_string (json, "name", hir_trace_get_string (explain->trace, event.name));
  hir_json_out_add_int (json, "rank", track->rank);
  hir_json_out_add_string (json, "track", track->name);
  hir_json_out_add_int (json, "event_start_ns", event.start_ns);
  if (event.instruction != 0)
    {
      char hex[17];

      hir_id_to_hex (event.instruction, hex);
      hir_json_out_add_string (json, "instruction", hex);
      hir_json_out_add_int (json, "iteration", event.iteration);
    }
  hir_json_out_end (json, '}');
}

static void
write_loss (const HirExplain *explain, const HirLoss *loss, gint64 total_ns, HirTextOut *out)
{
  g_autofree char *sentence = hir_loss_dup_sentence (explain, loss);
  HirJsonOut *json = &out->json;

  hir_json_out_break (json);
  hir_json_out_begin (json, NULL, '{');
  hir_json_out_add_string (json, "cause", hir_loss_cause_get_name (loss->cause));
  hir_json_out_add_int (json, "ns", loss->ns);
  hir_json_out_add_double (json, "share", "%.6f", (double) loss->ns / (double) MAX (total_ns, 1));
  hir_json_out_add_string (json, "name",
                           loss->name != 0 ? hir_trace_get_string (explain->trace, loss->name)
                                           : NULL);
  hir_json_out_add_string (json, "by",
                           loss->by != 0 ? hir_trace_get_string (explain->trace, loss->by) : NULL);
  if (loss->instruction != 0)
    {
      char hex[17];

      hir_id_to_hex (loss->instruction, hex);
      hir_json_out_add_string (json, "instruction", hex);
    }
  hir_json_out_add_int (json, "first_iteration", loss->first_iteration);
  hir_json_out_add_int (json, "last_iteration", loss->last_iteration);
  hir_json_out_begin (json, "ranks", '[');
  for (guint i = 0; i < loss->ranks->len; i++)
    hir_json_out_add_int (json, NULL, g_array_index (loss->ranks, int, i));
  hir_json_out_end (json, ']');
  if (loss->n_events > 0)
    {
      hir_json_out_add_int (json, "events", loss->n_events);
      hir_json_out_add_int (json, "mean_ns", loss->sum_ns / loss->n_events);
      hir_json_out_add_int (json, "alone_ns", loss->sum_alone_ns / loss->n_events);
      hir_json_out_add_string (json, "alone_from", hir_alone_source_get_name (loss->alone_from));
    }
  hir_json_out_add_string (json, "text", sentence);
  hir_json_out_end (json, '}');
}

static void
write_repetition (const HirExplain *explain, const HirRepetition *repetition, HirTextOut *out)
{
  HirJsonOut *json = &out->json;

  hir_json_out_break (json);
  hir_json_out_begin (json, NULL, '{');
  hir_json_out_add_int (json, "start_ns", repetition->start_ns);
  hir_json_out_add_int (json, "end_ns", repetition->end_ns);
  hir_json_out_add_int (json, "total_ns", repetition->end_ns - repetition->start_ns);
  hir_json_out_add_int (json, "last_rank", repetition->last_rank);
  hir_json_out_begin (json, "losses", '[');
  for (guint i = 0; i < repetition->losses->len; i++)
    write_loss (explain, &g_array_index (repetition->losses, HirLoss, i),
                repetition->end_ns - repetition->start_ns, out);
  hir_json_out_end (json, ']');
  hir_json_out_begin (json, "waits", '[');
  for (guint i = 0; i < repetition->waits->len; i++)
    write_loss (explain, &g_array_index (repetition->waits, HirLoss, i),
                repetition->end_ns - repetition->start_ns, out);
  hir_json_out_end (json, ']');
  hir_json_out_begin (json, "path", '[');
  for (guint i = 0; i < repetition->path->len; i++)
    {
      write_part (explain, &g_array_index (repetition->path, HirPathPart, i), out);
      hir_text_out_step (out);
    }
  hir_json_out_end (json, ']');
  hir_json_out_end (json, '}');
}

void
hir_explain_write_json (const HirExplain *explain, HirTextOut *out)
{
  HirJsonOut *json = &out->json;

  hir_json_out_begin (json, NULL, '{');
  hir_json_out_begin (json, "repetitions", '[');
  for (guint i = 0; i < explain->repetitions->len; i++)
    write_repetition (explain, &g_array_index (explain->repetitions, HirRepetition, i), out);
  hir_json_out_end (json, ']');
  hir_gains_write_json (explain, out);
  hir_json_out_begin (json, "notes", '[');
  for (guint i = 0; i < explain->notes->len; i++)
    hir_json_out_add_string (json, NULL, g_ptr_array_index (explain->notes, i));
  hir_json_out_end (json, ']');
  hir_json_out_end (json, '}');
  hir_text_out_add (out, "\n");
}
