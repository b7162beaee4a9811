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

GArray *
hir_instances_dup (HirTrace *trace, HirSelection *selection, int rank)
{
  HirProgram *program = hir_selection_get_program (selection);
  guint last = program != NULL && program->views->len > 0 ? program->views->len - 1 : 0;
  GArray *ids = hir_selection_get_nodes_at (selection, last);
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
