/* Compares two programs step by step, by hash and by node. */
#include "program/program-effect.h"

static const HirProgramView *
last_view (const HirProgram *program)
{
  return program->views->len > 0 ? program->views->pdata[program->views->len - 1] : NULL;
}

/* Passes of the same name do other work in the other pipeline. */
static gboolean
has_other_pipeline (const HirProgram *before, const HirProgram *after)
{
  return before->request != NULL && after->request != NULL &&
         before->request->pipeline != after->request->pipeline;
}

gboolean
hir_program_step_differs (const HirProgram *before, const HirProgram *after, guint step)
{
  const HirProgramView *view = after->views->pdata[step];
  int i = has_other_pipeline (before, after) ? -1 : hir_program_find_view (before, view->pass_name);

  return i >= 0 && ((HirProgramView *) before->views->pdata[i])->hash != view->hash;
}

gboolean
hir_program_same_end (const HirProgram *before, const HirProgram *after)
{
  const HirProgramView *a = last_view (before), *b = last_view (after);
  GHashTableIter iter;
  gpointer id;

  if (a == NULL || b == NULL || a->hash != b->hash ||
      g_hash_table_size (a->nodes) != g_hash_table_size (b->nodes))
    return FALSE;
  /* Another function name gives the same program with other node ids. */
  g_hash_table_iter_init (&iter, b->nodes);
  while (g_hash_table_iter_next (&iter, &id, NULL))
    if (!g_hash_table_contains (a->nodes, id))
      return FALSE;
  return TRUE;
}

/* The sum makes the order of the ids irrelevant; the factor spreads them. */
guint64
hir_program_get_end_hash (const HirProgram *program)
{
  const HirProgramView *view = last_view (program);
  guint64 hash = view != NULL ? view->hash : 0;
  GHashTableIter iter;
  gpointer id;

  if (view == NULL)
    return 0;
  g_hash_table_iter_init (&iter, view->nodes);
  while (g_hash_table_iter_next (&iter, &id, NULL))
    {
      guint64 mixed = *(const guint64 *) id * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

      hash += mixed ^ (mixed >> 29);
    }
  return hash;
}

static void
append_counts (GString *out, guint n_created, guint n_removed, guint n_changed)
{
  const struct
  {
    guint n;
    const char *what;
  } counts[] = { { n_created, "added" }, { n_removed, "removed" }, { n_changed, "changed" } };
  const char *separator = "";

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    if (counts[i].n > 0)
      {
        g_string_append_printf (out, "%s%u %s", separator, counts[i].n, counts[i].what);
        separator = ", ";
      }
}

char *
hir_program_dup_effect (const HirProgram *before, const HirProgram *after)
{
  const HirProgramView *a = last_view (before), *b = last_view (after);
  guint n_differ = 0, n_created, n_changed, n_removed;
  GString *out;

  for (guint i = 0; i < after->views->len; i++)
    n_differ += hir_program_step_differs (before, after, i);
  if (a == NULL || b == NULL)
    return g_strdup ("another program");
  /* A printed copy has other node ids, so counts would be meaningless. */
  if ((before->printed != NULL) != (after->printed != NULL))
    return g_strdup (after->printed != NULL ? "now a printed program without passes"
                                            : "back to the script and its passes");
  if (has_other_pipeline (before, after))
    return g_strdup_printf ("the %u programs of the pipeline %s replace those of the other one",
                            after->views->len,
                            after->request->pipeline == HIR_PIPELINE_HOSTIR ? "Host IR"
                                                                            : "Executor");
  if (n_differ == 0 && a->hash == b->hash)
    return g_strdup ("the programs are unchanged");
  out = g_string_new (NULL);
  /* If only the last effective pass was toggled, no common step differs. */
  if (n_differ == 0)
    g_string_append (out, "the other passes give the same programs");
  else
    g_string_append_printf (out, "%u of %u programs differ", n_differ, after->views->len);
  hir_program_view_count_changes (a, b, &n_created, &n_changed, &n_removed);
  if (a->hash == b->hash)
    {
      g_string_append (out, ", the last one does not");
    }
  else if (n_created + n_changed + n_removed > 0)
    {
      g_string_append (out, n_differ == 0 ? "; tensors and instructions of the last program: "
                                          : "; tensors and instructions of the last one: ");
      append_counts (out, n_created, n_removed, n_changed);
    }
  return g_string_free (out, FALSE);
}

static guint64
group_id (const HirGraph *graph, const HirGraphNode *node)
{
  return node->group >= 0 ? g_array_index (graph->groups, HirGraphGroup, node->group).id : 0;
}

/* Returns a map from id to index + 1 for the nodes of @graph that are executed. */
static GHashTable *
index_nodes (const HirGraph *graph)
{
  GHashTable *table = g_hash_table_new (g_int64_hash, g_int64_equal);

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      HirGraphNode *node = &g_array_index (graph->nodes, HirGraphNode, i);

      if (node->kind != HIR_GRAPH_TENSOR)
        g_hash_table_insert (table, &node->id, GUINT_TO_POINTER (i + 1));
    }
  return table;
}

/* Returns the length of the longest increasing subsequence of @values. */
static guint
longest_rise (const GArray *values)
{
  g_autoptr (GArray) ends = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < values->len; i++)
    {
      guint value = g_array_index (values, guint, i);
      guint low = 0, high = ends->len;

      while (low < high)
        {
          guint middle = low + (high - low) / 2;

          if (g_array_index (ends, guint, middle) < value)
            low = middle + 1;
          else
            high = middle;
        }
      if (low == ends->len)
        g_array_append_val (ends, value);
      else
        g_array_index (ends, guint, low) = value;
    }
  return ends->len;
}

guint
hir_program_view_count_moved (const HirProgramView *before, const HirProgramView *after)
{
  g_autoptr (GHashTable) table = index_nodes (before->graph);
  g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (guint));
  guint n_moved = 0;

  for (guint i = 0; i < after->graph->nodes->len; i++)
    {
      const HirGraphNode *node = &g_array_index (after->graph->nodes, HirGraphNode, i);
      guint index = GPOINTER_TO_UINT (g_hash_table_lookup (table, &node->id));

      if (index == 0 || node->kind == HIR_GRAPH_TENSOR)
        continue;
      if (group_id (after->graph, node) !=
          group_id (before->graph, &g_array_index (before->graph->nodes, HirGraphNode, index - 1)))
        n_moved++;
      else
        g_array_append_val (order, index);
    }
  return n_moved + order->len - longest_rise (order);
}
