#include "selection/instances.h"

typedef struct
{
  HirTrace *trace;
  int rank;
  GArray *found;
} Search;

static void
add_events (Search *search, guint64 instruction)
{
  guint track = 0, index = HIR_NO_EVENT;

  while (hir_trace_next_of_instruction (search->trace, instruction, &track, &index))
    {
      const HirTrack *info = hir_trace_get_track (search->trace, track);
      HirInstance instance;
      HirEvent event;

      hir_trace_get_event (search->trace, track, index, &event);
      if (event.phase != HIR_PHASE_PROGRAM || !hir_track_is_of_device (info) ||
          info->rank != search->rank)
        continue;
      instance = (HirInstance){ track, index, event.iteration, event.start_ns, event.end_ns };
      g_array_append_val (search->found, instance);
    }
}

static gint
compare_starts (gconstpointer a, gconstpointer b)
{
  const HirInstance *left = a, *right = b;

  return left->start_ns < right->start_ns ? -1 : left->start_ns > right->start_ns;
}

static gboolean
is_inside (const HirNodeInfo *info, guint64 loop)
{
  for (guint i = 0; i < info->facts->len; i++)
    {
      const HirFact *fact = &g_array_index (info->facts, HirFact, i);

      /* The first is the innermost. */
      if (g_str_equal (fact->name, "inside"))
        return fact->id == loop;
    }
  return FALSE;
}

/* Ranks events within an iteration: kernels first, then communications. */
static int
get_weight (HirTrace *trace, const HirInstance *instance)
{
  HirEvent event;

  hir_trace_get_event (trace, instance->track, instance->index, &event);
  return event.kind == HIR_EVENT_KERNEL          ? 3
         : event.kind == HIR_EVENT_COMMUNICATION ? 2
         : event.kind != HIR_EVENT_SYNC          ? 1
                                                 : 0;
}

/* Returns the most important instance of each iteration. @found is sorted by start. */
static GArray *
choose_of_iterations (HirTrace *trace, GArray *found)
{
  GArray *chosen = g_array_new (FALSE, FALSE, sizeof (HirInstance));
  g_autoptr (GHashTable) at = g_hash_table_new (g_direct_hash, g_direct_equal);

  for (guint i = 0; i < found->len; i++)
    {
      const HirInstance *instance = &g_array_index (found, HirInstance, i);
      gpointer key = GINT_TO_POINTER (instance->iteration), place;

      if (instance->iteration < 0)
        continue;
      if (!g_hash_table_lookup_extended (at, key, NULL, &place))
        {
          g_hash_table_insert (at, key, GUINT_TO_POINTER (chosen->len));
          g_array_append_vals (chosen, instance, 1);
          continue;
        }
      HirInstance *best = &g_array_index (chosen, HirInstance, GPOINTER_TO_UINT (place));

      if (get_weight (trace, instance) > get_weight (trace, best))
        *best = *instance;
    }
  return chosen;
}

static void
add_body (Search *search, const HirProgramView *view, guint64 loop)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, view->nodes);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (((HirNodeInfo *) value)->is_expr && is_inside (value, loop))
      add_events (search, ((HirNodeInfo *) value)->id);
}

/* Adds the HostUnit that @info is or is inside of, if there is one. */
static void
add_unit (const HirProgramView *view, const HirNodeInfo *info, GHashTable *units)
{
  const HirNodeInfo *unit = info;

  for (guint i = 0; i < info->facts->len && unit == info; i++)
    {
      const HirFact *fact = &g_array_index (info->facts, HirFact, i);

      if (g_str_equal (fact->name, "inside"))
        unit = hir_program_view_lookup (view, fact->id);
    }
  if (unit != NULL && g_str_equal (unit->kind, "HostUnit"))
    g_hash_table_add (units, (gpointer) &unit->id);
}

/* Adds the instructions that launch one of @units, in the order of the text. */
static void
add_launches (const HirProgramView *view, GHashTable *units, GArray *ids)
{
  for (guint i = 0; view->spans != NULL && i < view->spans->len; i++)
    {
      const HirSpan *span = &g_array_index (view->spans, HirSpan, i);
      const HirNodeInfo *info = span->is_expr ? hir_program_view_lookup (view, span->id) : NULL;

      for (guint f = 0; info != NULL && f < info->facts->len; f++)
        {
          const HirFact *fact = &g_array_index (info->facts, HirFact, f);

          if ((g_str_equal (fact->name, "unit") || g_str_equal (fact->name, "group")) &&
              g_hash_table_contains (units, &fact->id))
            g_array_append_val (ids, info->id);
        }
    }
}

GArray *
hir_instances_dup_instructions (HirSelection *selection)
{
  HirProgram *program = hir_selection_get_program (selection);
  guint n = program != NULL ? program->views->len : 0;
  const HirProgramView *view = n > 0 ? program->views->pdata[n - 1] : NULL;
  GArray *nodes = hir_selection_get_nodes_at (selection, MAX (n, 1) - 1);
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autoptr (GHashTable) units = g_hash_table_new (g_int64_hash, g_int64_equal);

  g_array_append_vals (ids, nodes->data, nodes->len);
  for (guint i = 0; view != NULL && i < nodes->len; i++)
    {
      const HirNodeInfo *info = hir_program_view_lookup (view, g_array_index (nodes, guint64, i));

      if (info != NULL && info->is_expr)
        add_unit (view, info, units);
    }
  if (g_hash_table_size (units) > 0)
    add_launches (view, units, ids);
  return ids;
}

GArray *
hir_instances_dup (HirTrace *trace, HirSelection *selection, int rank)
{
  HirProgram *program = hir_selection_get_program (selection);
  guint last = program != NULL && program->views->len > 0 ? program->views->len - 1 : 0;
  g_autoptr (GArray) ids = hir_instances_dup_instructions (selection);
  Search search = { trace, rank, g_array_new (FALSE, FALSE, sizeof (HirInstance)) };
  gboolean has_loop = FALSE;

  for (guint i = 0; i < ids->len; i++)
    {
      guint64 id = g_array_index (ids, guint64, i);
      const HirNodeInfo *info = program != NULL && program->views->len > 0
                                    ? hir_program_view_lookup (program->views->pdata[last], id)
                                    : NULL;

      if (info != NULL && g_str_equal (info->kind, "ForLoop"))
        {
          has_loop = TRUE;
          add_body (&search, program->views->pdata[last], id);
        }
      else
        {
          add_events (&search, id);
        }
    }
  g_array_sort (search.found, compare_starts);
  if (has_loop)
    {
      GArray *chosen = choose_of_iterations (trace, search.found);

      g_array_unref (search.found);
      return chosen;
    }
  return search.found;
}
