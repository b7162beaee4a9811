/* Writes the results as JSON. */
#include "analysis/sync-observed.h"

#include "identity.h"
#include "trace/json-out.h"

/* Writes id, text and position of an instruction; null for the caller. */
static void
add_instruction (HirJsonOut *json, const HirExpr *expr)
{
  g_autofree char *label = expr != NULL ? hir_sync_dup_label (expr) : NULL;
  char hex[17];

  if (expr == NULL)
    {
      hir_json_out_add_string (json, "instruction", NULL);
      return;
    }
  hir_id_to_hex (expr->node.id, hex);
  hir_json_out_add_string (json, "instruction", hex);
  hir_json_out_add_string (json, "text", label);
  hir_json_out_add_uint (json, "line", expr->node.pos.line);
  hir_json_out_add_uint (json, "column", expr->node.pos.column);
}

static void
add_access (HirJsonOut *json, const HirSyncCheck *check, const char *key, guint index, guint access)
{
  static const char *const kinds[] = { "entry", "exit", "work", "give",
                                       "take",  "post", "wait", "release" };
  const HirSyncStep *step = hir_sync_trace_get_step (check->trace, index);
  const HirSyncAccess *touch = hir_sync_trace_get_access (check->trace, access);
  g_autofree char *tensor = g_strdup_printf ("T%d", touch->tensor);

  hir_json_out_begin (json, key, '{');
  hir_json_out_add_string (json, "kind", kinds[step->kind]);
  add_instruction (json, step->expr);
  hir_json_out_add_int (json, "rank", step->rank);
  hir_json_out_add_int (json, "iteration", step->iteration);
  hir_json_out_add_string (json, "access", touch->is_write ? "write" : "read");
  hir_json_out_add_string (json, "tensor", tensor);
  hir_json_out_add_string (json, "stream",
                           hir_sync_trace_get_queue (check->trace, step->queue)->name);
  hir_json_out_end (json, '}');
}

static void
add_missing (HirJsonOut *json, const HirSyncCheck *check, const HirSyncMissing *missing)
{
  g_autofree char *cause = hir_sync_check_dup_cause (check, missing);

  hir_json_out_begin (json, NULL, '{');
  hir_json_out_add_string (json, "hazard", hir_hazard_get_name (missing->hazard));
  add_access (json, check, "first", missing->first, missing->first_access);
  add_access (json, check, "second", missing->second, missing->second_access);
  hir_json_out_begin (json, "bytes", '[');
  hir_json_out_add_int (json, NULL, missing->bytes.from);
  hir_json_out_add_int (json, NULL, missing->bytes.to);
  hir_json_out_end (json, ']');
  hir_json_out_add_uint (json, "count", missing->n);
  hir_json_out_add_uint (json, "ranks", missing->n_ranks);
  if (cause != NULL)
    hir_json_out_add_string (json, "cause", cause);
  hir_json_out_add_string (json, "suggestion", missing->suggestion);
  if (check->has_recording)
    {
      hir_json_out_begin (json, "recording", '{');
      hir_json_out_add_uint (json, "seen", missing->seen);
      hir_json_out_add_uint (json, "overlapped", missing->overlapped);
      hir_json_out_add_int (json, "nearest_ns", missing->nearest_ns);
      hir_json_out_add_bool (json, "ordered_by_luck", hir_sync_missing_is_latent (missing));
      hir_json_out_end (json, '}');
    }
  hir_json_out_end (json, '}');
}

static void
add_place (HirJsonOut *json, const HirSyncPlace *place)
{
  hir_json_out_begin (json, NULL, '{');
  hir_json_out_add_int (json, "rank", place->rank);
  hir_json_out_add_int (json, "iteration", place->iteration);
  add_instruction (json, place->expr);
  hir_json_out_add_string (json, "what", place->text);
  hir_json_out_end (json, '}');
}

static void
add_fault (HirJsonOut *json, const HirSyncFault *fault)
{
  hir_json_out_begin (json, NULL, '{');
  hir_json_out_add_string (json, "kind", hir_sync_fault_kind_get_name (fault->kind));
  hir_json_out_add_uint (json, "line", fault->pos.line);
  hir_json_out_add_uint (json, "column", fault->pos.column);
  hir_json_out_add_string (json, "message", fault->message);
  if (fault->tensor >= 0)
    hir_json_out_add_int (json, "tensor", fault->tensor);
  if (fault->n_elements > 0)
    hir_json_out_add_int (json, "elements", fault->n_elements);
  hir_json_out_add_uint (json, "count", fault->n);
  hir_json_out_begin (json, "places", '[');
  for (guint i = 0; i < fault->places->len; i++)
    add_place (json, &g_array_index (fault->places, HirSyncPlace, i));
  hir_json_out_end (json, ']');
  hir_json_out_end (json, '}');
}

/* Writes @faults as member @key: all, or those of communications that do not match. */
static void
write_faults (const GPtrArray *faults, const char *key, gboolean all, HirJsonOut *json)
{
  hir_json_out_begin (json, key, '[');
  for (guint i = 0; i < faults->len; i++)
    {
      const HirSyncFault *fault = g_ptr_array_index (faults, i);

      if (!all && fault->kind != HIR_SYNC_FAULT_MISMATCH && fault->kind != HIR_SYNC_FAULT_DEADLOCK)
        continue;
      hir_json_out_break (json);
      add_fault (json, fault);
    }
  hir_json_out_end (json, ']');
  hir_json_out_break (json);
}

static void
write_findings (const HirSyncCheck *check, HirJsonOut *json)
{
  write_faults (check->trace->faults, "faults", TRUE, json);
  write_faults (check->trace->faults, "mismatches", FALSE, json);
  write_faults (check->trace->held, "held", TRUE, json);
  hir_json_out_begin (json, "missing", '[');
  for (guint i = 0; i < check->missing->len; i++)
    {
      hir_json_out_break (json);
      add_missing (json, check, &g_array_index (check->missing, HirSyncMissing, i));
    }
  hir_json_out_end (json, ']');
  hir_json_out_break (json);
}

static void
write_uses (const HirSyncCheck *check, HirJsonOut *json)
{
  hir_json_out_begin (json, "synchronisations", '[');
  for (guint i = 0; i < check->uses->len; i++)
    {
      const HirSyncUse *use = &g_array_index (check->uses, HirSyncUse, i);

      hir_json_out_break (json);
      hir_json_out_begin (json, NULL, '{');
      add_instruction (json, use->expr);
      hir_json_out_add_uint (json, "waits", use->n);
      hir_json_out_add_uint (json, "idle", use->n_idle);
      hir_json_out_add_bool (json, "needless", use->is_redundant);
      if (use->has_cost)
        {
          hir_json_out_add_int (json, "cost_ns", use->cost_ns);
          hir_json_out_add_int (json, "overlap_cost_ns", use->cost_overlap_ns);
        }
      hir_json_out_end (json, '}');
    }
  hir_json_out_end (json, ']');
}

static void
write_frees (const HirSyncCheck *check, HirJsonOut *json)
{
  const GArray *frees = check->trace->frees;

  hir_json_out_begin (json, "deallocations", '[');
  for (guint i = 0; i < frees->len; i++)
    {
      const HirSyncFree *use = &g_array_index (frees, HirSyncFree, i);

      hir_json_out_break (json);
      hir_json_out_begin (json, NULL, '{');
      add_instruction (json, use->expr);
      hir_json_out_add_int (json, "tensor", use->expr->u.deallocate.buffer->base.name);
      hir_json_out_add_uint (json, "count", use->n);
      hir_json_out_add_bool (json, "needless", use->n_needed == 0);
      hir_json_out_end (json, '}');
    }
  hir_json_out_end (json, ']');
}

/* Writes the object without its closing brace. */
static void
write_check (const HirSyncCheck *check, const char *key, HirJsonOut *json)
{
  hir_json_out_begin (json, key, '{');
  hir_json_out_add_uint (json, "ranks", check->trace->programs->len);
  hir_json_out_add_int (json, "streams", check->n_streams);
  hir_json_out_add_uint (json, "pairs", check->n_pairs);
  hir_json_out_break (json);
  if (check->is_timed)
    {
      hir_json_out_begin (json, "modelled", '{');
      hir_json_out_add_int (json, "total_ns", check->times.total_ns);
      hir_json_out_add_int (json, "overlap_ns", check->times.overlap_ns);
      hir_json_out_begin (json, "without_needless", '{');
      hir_json_out_add_int (json, "total_ns", check->without.total_ns);
      hir_json_out_add_int (json, "overlap_ns", check->without.overlap_ns);
      hir_json_out_end (json, '}');
      hir_json_out_end (json, '}');
      hir_json_out_break (json);
    }
  write_findings (check, json);
  write_uses (check, json);
  hir_json_out_break (json);
  write_frees (check, json);
}

char *
hir_sync_check_to_json (const HirSyncCheck *check, const HirSyncCheck *fixed)
{
  GString *out = g_string_new (NULL);
  HirJsonOut json = { .out = out };

  write_check (check, NULL, &json);
  if (fixed != NULL)
    {
      hir_json_out_break (&json);
      write_check (fixed, "fixed", &json);
      hir_json_out_end (&json, '}');
    }
  hir_json_out_end (&json, '}');
  g_string_append_c (out, '\n');
  return g_string_free (out, FALSE);
}
