/* Writes the results as JSON. */
#include "analysis/sync-observed.h"

#include "identity.h"
#include "trace/text-out.h"

static void
add_string (HirTextOut *out, const char *key, const char *value)
{
  hir_text_out_printf (out, "\"%s\":", key);
  if (value != NULL)
    hir_text_out_add_json_string (out, value);
  else
    hir_text_out_add (out, "null");
}

/* Writes id, text and position of an instruction; null for the caller. */
static void
add_instruction (HirTextOut *out, const HirExpr *expr)
{
  g_autofree char *label = expr != NULL ? hir_sync_dup_label (expr) : NULL;
  char hex[17];

  if (expr == NULL)
    {
      hir_text_out_add (out, "\"instruction\":null");
      return;
    }
  hir_id_to_hex (expr->node.id, hex);
  add_string (out, "instruction", hex);
  hir_text_out_add (out, ",");
  add_string (out, "text", label);
  hir_text_out_printf (out, ",\"line\":%u,\"column\":%u", expr->node.pos.line,
                       expr->node.pos.column);
}

static void
add_access (HirTextOut *out, const HirSyncCheck *check, const char *key, guint index, guint access)
{
  static const char *const kinds[] = { "entry", "exit", "work", "give",
                                       "take",  "post", "wait", "release" };
  const HirSyncStep *step = hir_sync_trace_get_step (check->trace, index);
  const HirSyncAccess *touch = hir_sync_trace_get_access (check->trace, access);

  hir_text_out_printf (out, "\"%s\":{\"kind\":\"%s\",", key, kinds[step->kind]);
  add_instruction (out, step->expr);
  hir_text_out_printf (out, ",\"rank\":%d,\"iteration\":%d,\"access\":\"%s\",\"tensor\":\"T%d\",",
                       step->rank, step->iteration, touch->is_write ? "write" : "read",
                       touch->tensor);
  add_string (out, "stream", hir_sync_trace_get_queue (check->trace, step->queue)->name);
  hir_text_out_add (out, "}");
}

static void
add_missing (HirTextOut *out, const HirSyncCheck *check, const HirSyncMissing *missing)
{
  hir_text_out_printf (out, "{\"hazard\":\"%s\",", hir_hazard_get_name (missing->hazard));
  add_access (out, check, "first", missing->first, missing->first_access);
  hir_text_out_add (out, ",");
  add_access (out, check, "second", missing->second, missing->second_access);
  hir_text_out_printf (out,
                       ",\"bytes\":[%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT
                       "],\"count\":%u,\"ranks\":%u,",
                       missing->bytes.from, missing->bytes.to, missing->n, missing->n_ranks);
  add_string (out, "suggestion", missing->suggestion);
  if (check->has_recording)
    hir_text_out_printf (out,
                         ",\"recording\":{\"seen\":%u,\"overlapped\":%u,\"nearest_ns\":"
                         "%" G_GINT64_FORMAT ",\"ordered_by_luck\":%s}",
                         missing->seen, missing->overlapped, missing->nearest_ns,
                         hir_sync_missing_is_latent (missing) ? "true" : "false");
  hir_text_out_add (out, "}");
}

static void
write_findings (const HirSyncCheck *check, HirTextOut *out)
{
  const GPtrArray *mismatches = check->trace->mismatches;

  hir_text_out_add (out, "\"mismatches\":[");
  for (guint i = 0; i < mismatches->len; i++)
    {
      const HirDiagnostic *diagnostic = g_ptr_array_index (mismatches, i);

      hir_text_out_printf (out, "%s\n{\"line\":%u,\"column\":%u,", i > 0 ? "," : "",
                           diagnostic->pos.line, diagnostic->pos.column);
      add_string (out, "message", diagnostic->message);
      hir_text_out_add (out, "}");
    }
  hir_text_out_add (out, "],\n\"missing\":[");
  for (guint i = 0; i < check->missing->len; i++)
    {
      hir_text_out_add (out, i > 0 ? ",\n" : "\n");
      add_missing (out, check, &g_array_index (check->missing, HirSyncMissing, i));
    }
  hir_text_out_add (out, "],\n");
}

static void
write_uses (const HirSyncCheck *check, HirTextOut *out)
{
  hir_text_out_add (out, "\"synchronisations\":[");
  for (guint i = 0; i < check->uses->len; i++)
    {
      const HirSyncUse *use = &g_array_index (check->uses, HirSyncUse, i);

      hir_text_out_add (out, i > 0 ? ",\n{" : "\n{");
      add_instruction (out, use->expr);
      hir_text_out_printf (out, ",\"waits\":%u,\"idle\":%u,\"needless\":%s", use->n, use->n_idle,
                           use->is_needless ? "true" : "false");
      if (use->has_cost)
        hir_text_out_printf (out,
                             ",\"cost_ns\":%" G_GINT64_FORMAT ",\"overlap_cost_ns\":%" G_GINT64_FORMAT,
                             use->cost_ns, use->cost_overlap_ns);
      hir_text_out_add (out, "}");
    }
  hir_text_out_add (out, "]");
}

/* Writes the object without its closing brace. */
static void
write_check (const HirSyncCheck *check, HirTextOut *out)
{
  hir_text_out_printf (out, "{\"ranks\":%u,\"streams\":%" G_GINT64_FORMAT ",\"pairs\":%u,\n",
                       check->trace->programs->len, check->n_streams, check->n_pairs);
  if (check->is_timed)
    hir_text_out_printf (out,
                         "\"modelled\":{\"total_ns\":%" G_GINT64_FORMAT
                         ",\"overlap_ns\":%" G_GINT64_FORMAT
                         ",\"without_needless\":{\"total_ns\":%" G_GINT64_FORMAT
                         ",\"overlap_ns\":%" G_GINT64_FORMAT "}},\n",
                         check->times.total_ns, check->times.overlap_ns, check->without.total_ns,
                         check->without.overlap_ns);
  write_findings (check, out);
  write_uses (check, out);
}

char *
hir_sync_check_to_json (const HirSyncCheck *check, const HirSyncCheck *fixed)
{
  g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();
  HirTextOut out;

  hir_text_out_init (&out, stream, NULL);
  write_check (check, &out);
  if (fixed != NULL)
    {
      hir_text_out_add (&out, ",\n\"fixed\":");
      write_check (fixed, &out);
      hir_text_out_add (&out, "}");
    }
  hir_text_out_add (&out, "}\n");
  /* A memory stream does not fail. */
  if (!hir_text_out_finish (&out, NULL) ||
      !g_output_stream_write_all (stream, "", 1, NULL, NULL, NULL) ||
      !g_output_stream_close (stream, NULL, NULL))
    return NULL;
  return g_memory_output_stream_steal_data (G_MEMORY_OUTPUT_STREAM (stream));
}
