/* Serializes the state; state-read.c reads it. */
#include "debugger/state.h"

#include "brief.h"
#include "diagnostic.h"

static GVariant *
new_text (const char *text)
{
  return g_variant_new_take_string (g_utf8_make_valid (text != NULL ? text : "", -1));
}

static GVariant *
pack_streams (HirDebugRun *run, guint i)
{
  g_autoptr (GPtrArray) streams = hir_debug_run_dup_streams (run, i);
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(sbysisu)"));
  for (guint k = 0; k < streams->len; k++)
    {
      const HirDebugStream *stream = g_ptr_array_index (streams, k);

      g_variant_builder_add (&builder, "(@sby@si@su)", new_text (stream->name), stream->is_current,
                             (guint8) stream->doing, new_text (stream->label), stream->iteration,
                             new_text (stream->waits_for), stream->n_queued);
    }
  return g_variant_builder_end (&builder);
}

static GVariant *
pack_buffers (HirDebugRun *run, guint i)
{
  g_autoptr (GPtrArray) buffers = hir_debug_run_dup_buffers (run, i);
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(tbai)"));
  for (guint k = 0; k < buffers->len; k++)
    {
      const HirDebugBuffer *buffer = g_ptr_array_index (buffers, k);

      g_variant_builder_add (&builder, "(tb@ai)", (guint64) buffer->size_bytes, buffer->is_input,
                             g_variant_new_fixed_array (G_VARIANT_TYPE_INT32, buffer->names->data,
                                                        buffer->names->len, sizeof (int)));
    }
  return g_variant_builder_end (&builder);
}

static GVariant *
pack_pending (HirDebugRun *run, guint i)
{
  g_autoptr (GPtrArray) pending = hir_debug_run_dup_pending (run, i);
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(ts)"));
  for (guint k = 0; k < pending->len; k++)
    {
      const HirExpr *expr = pending->pdata[k];
      g_autofree char *label = hir_brief_expr_label (expr);

      g_variant_builder_add (&builder, "(t@s)", expr->node.id, new_text (label));
    }
  return g_variant_builder_end (&builder);
}

static GVariant *
pack_rank (HirDebugger *debugger, guint i)
{
  HirDebugRun *run = hir_debugger_get_run (debugger);
  HirProgramPoint point = { .iteration = -1 };
  gboolean has_next = hir_debug_run_peek (run, i, &point);
  g_autofree char *text = hir_debug_run_describe_place (run, i);
  guint64 id = has_next ? point.expr->node.id : 0;
  guint number = has_next ? hir_instruction_find (hir_debugger_get_numbers (debugger, i), id) : 0;

  return g_variant_new ("(ituiut@s@a(sbysisu)@a(tbai)@a(ts))", hir_debug_run_get_rank (run, i), id,
                        number, point.iteration, point.depth,
                        hir_evaluator_get_n_steps (hir_debug_run_get_evaluator (run, i)),
                        new_text (text), pack_streams (run, i), pack_buffers (run, i),
                        pack_pending (run, i));
}

static GVariant *
pack_comms (HirDebugRun *run)
{
  g_autoptr (GPtrArray) statuses = hir_debug_run_look_at_comms (run);
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(stbaxax)"));
  for (guint i = 0; i < statuses->len; i++)
    {
      const HirCommStatus *status = g_ptr_array_index (statuses, i);

      g_variant_builder_add (&builder, "(@stb@ax@ax)", new_text (status->where),
                             status->expr != NULL ? status->expr->node.id : 0, status->is_waited_in,
                             g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, status->posted->data,
                                                        status->posted->len, sizeof (gint64)),
                             g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, status->missing->data,
                                                        status->missing->len, sizeof (gint64)));
    }
  return g_variant_builder_end (&builder);
}

static GVariant *
pack_breakpoints (HirDebugger *debugger)
{
  const GPtrArray *all = hir_debugger_get_breakpoints (debugger);
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(ubbbusat)"));
  for (guint i = 0; i < all->len; i++)
    {
      const HirBreakpoint *breakpoint = g_ptr_array_index (all, i);
      GVariantBuilder ids;
      GHashTableIter iter;
      gpointer id;

      g_variant_builder_init (&ids, G_VARIANT_TYPE ("at"));
      if (breakpoint->ids != NULL)
        {
          g_hash_table_iter_init (&iter, breakpoint->ids);
          while (g_hash_table_iter_next (&iter, &id, NULL))
            g_variant_builder_add (&ids, "t", *(guint64 *) id);
        }
      g_variant_builder_add (&builder, "(ubbbu@sat)", breakpoint->number,
                             breakpoint->kind == HIR_WATCH, breakpoint->is_temporary,
                             breakpoint->is_disabled, breakpoint->n_hits,
                             new_text (breakpoint->text), &ids);
    }
  return g_variant_builder_end (&builder);
}

static void
pack_run (HirDebugger *debugger, GVariantDict *dict)
{
  HirDebugRun *run = hir_debugger_get_run (debugger);
  GVariantBuilder ranks;

  g_variant_dict_insert (dict, "running", "b", TRUE);
  g_variant_dict_insert (dict, "over", "b", hir_debug_run_is_finished (run));
  g_variant_dict_insert_value (dict, "failure", new_text (hir_debugger_get_failure (debugger)));
  g_variant_dict_insert (dict, "round", "t", hir_debug_run_get_round (run));
  g_variant_builder_init (&ranks, G_VARIANT_TYPE ("a(ituiutsa(sbysisu)a(tbai)a(ts))"));
  for (guint i = 0; i < hir_debug_run_get_n_ranks (run); i++)
    g_variant_builder_add_value (&ranks, pack_rank (debugger, i));
  g_variant_dict_insert_value (dict, "ranks", g_variant_builder_end (&ranks));
  g_variant_dict_insert_value (dict, "comms", pack_comms (run));
}

GVariant *
hir_debug_state_to_variant (HirDebugger *debugger,
                            const char *text,
                            const GError *error,
                            GVariant *displays)
{
  HirDebugRun *run = hir_debugger_get_run (debugger);
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "text", new_text (text));
  if (error != NULL)
    {
      g_variant_dict_insert_value (&dict, "error", new_text (error->message));
      g_variant_dict_insert (&dict, "column", "u", hir_error_get_pos (error).column);
    }
  g_variant_dict_insert (&dict, "focus", "u", hir_debugger_get_rank (debugger));
  g_variant_dict_insert (&dict, "alone", "b", hir_debugger_get_alone (debugger));
  g_variant_dict_insert_value (&dict, "breakpoints", pack_breakpoints (debugger));
  if (displays != NULL)
    g_variant_dict_insert_value (&dict, "displays", displays);
  /* A run whose session could not be created again has no ranks. */
  if (run != NULL && hir_debug_run_get_session (run) != NULL)
    pack_run (debugger, &dict);
  return g_variant_dict_end (&dict);
}
