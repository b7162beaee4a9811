/* Tables of the programs of a trace: passes, nodes, instructions. */
#include <string.h>

#include "identity.h"
#include "query/query-private.h"

enum
{
  NODE_ID,
  OF_PROGRAM,
  STEP,
  PASS,
  DURATION,
  CHANGED,
  CREATED,
  MODIFIED,
  REMOVED,
  IS_HOST,
  IS_EXPR,
  NODE_KIND,
  LABEL,
  LINE,
  DEPTH,
  OP,
  SCRIPT_LINE,
  SCRIPT_COLUMN,
  ORIGINS,
};

static const HirQueryColumn pass_columns[] = {
  { "program", "INTEGER", OF_PROGRAM, "number of the program; ranks.program" },
  { "step", "INTEGER", STEP, "number of the snapshot; 0: the fusion" },
  { "name", "TEXT", PASS, "name of the pass" },
  { "dur_ns", "INTEGER", DURATION, "duration of the pass" },
  { "is_changed", "INTEGER", CHANGED, "1: the pass changed the program" },
  { "n_created", "INTEGER", CREATED, "tensors and expressions that it made" },
  { "n_changed", "INTEGER", MODIFIED, "tensors and expressions that it changed" },
  { "n_removed", "INTEGER", REMOVED, "tensors and expressions that it removed" },
  { "is_host", "INTEGER", IS_HOST, "1: a host program; 0: a fusion" },
  { "hash", "TEXT", NODE_ID, "equal programs have equal hashes" },
  { NULL, NULL, 0, NULL },
};
static const HirQueryColumn node_columns[] = {
  { "id", "TEXT", NODE_ID, "id, the same in all snapshots" },
  { "program", "INTEGER", OF_PROGRAM, "passes.program" },
  { "step", "INTEGER", STEP, "passes.step" },
  { "is_expr", "INTEGER", IS_EXPR, "1: an expression; 0: a tensor or an axis" },
  { "kind", "TEXT", NODE_KIND, "class of nvFuser" },
  { "label", "TEXT", LABEL, "one line" },
  { "script_line", "INTEGER", SCRIPT_LINE, "line of the script; NULL: unknown" },
  { "script_column", "INTEGER", SCRIPT_COLUMN, "column of the script; NULL: unknown" },
  { "origins", "TEXT", ORIGINS, "ids of the nodes that it was made from, separated by spaces" },
  { NULL, NULL, 0, NULL },
};
static const HirQueryColumn instruction_columns[] = {
  { "id", "TEXT", NODE_ID, "id; events.instruction" },
  { "program", "INTEGER", OF_PROGRAM, "passes.program" },
  { "line", "INTEGER", LINE, "line of the printed program, from 1" },
  { "depth", "INTEGER", DEPTH, "number of enclosing loops and branches" },
  { "kind", "TEXT", NODE_KIND, "class of nvFuser" },
  { "label", "TEXT", LABEL, "one line" },
  { "op", "TEXT", OP, "ops of the script that it computes; NULL: none" },
  { "script_line", "INTEGER", SCRIPT_LINE, "line of the script; NULL: unknown" },
  { "script_column", "INTEGER", SCRIPT_COLUMN, "column of the script; NULL: unknown" },
  { "origins", "TEXT", ORIGINS, "ids of the nodes that it was made from, separated by spaces" },
  { NULL, NULL, 0, NULL },
};

static const HirProgramView *
get_view (const HirQuery *query, const HirQueryNode *row)
{
  return g_ptr_array_index (query->programs[row->program].views, row->step);
}

/* Adds a row for @node (nullable) of a snapshot. */
static void
add_node (GArray *rows, const HirQueryNode *row, guint64 id)
{
  GString *origins = g_string_new (NULL);
  HirQueryNode node = *row;

  for (guint i = 0; row->node != NULL && i < row->node->n_origins; i++)
    {
      char hex[17];

      hir_id_to_hex (row->node->origins[i], hex);
      g_string_append_printf (origins, "%s%s", i > 0 ? " " : "", hex);
    }
  node.origins = g_string_free (origins, FALSE);
  hir_id_to_hex (id, node.hex);
  g_array_append_val (rows, node);
}

static void
clear_node (gpointer node)
{
  g_free (((HirQueryNode *) node)->origins);
}

static GArray *
new_rows (void)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (HirQueryNode));

  g_array_set_clear_func (rows, clear_node);
  return rows;
}

static guint
count_passes (HirQuery *query)
{
  if (query->passes != NULL)
    return query->passes->len;
  query->passes = new_rows ();
  for (guint p = 0; p < query->n_programs; p++)
    for (guint s = 0; query->programs[p].views != NULL && s < query->programs[p].views->len; s++)
      {
        HirQueryNode row = { .program = p, .step = s };

        add_node (query->passes, &row, get_view (query, &row)->hash);
      }
  return query->passes->len;
}

static int
compare_nodes (gconstpointer a, gconstpointer b)
{
  const HirQueryNode *x = a, *y = b;

  if (x->program != y->program)
    return x->program < y->program ? -1 : 1;
  if (x->step != y->step)
    return x->step < y->step ? -1 : 1;
  return strcmp (x->hex, y->hex);
}

static guint
count_nodes (HirQuery *query)
{
  if (query->nodes != NULL)
    return query->nodes->len;
  query->nodes = new_rows ();
  for (guint i = 0; i < count_passes (query); i++)
    {
      HirQueryNode row = g_array_index (query->passes, HirQueryNode, i);
      GHashTableIter iter;
      gpointer node;

      g_hash_table_iter_init (&iter, get_view (query, &row)->nodes);
      while (g_hash_table_iter_next (&iter, NULL, &node))
        {
          row.node = node;
          add_node (query->nodes, &row, row.node->id);
        }
    }
  g_array_sort (query->nodes, compare_nodes);
  return query->nodes->len;
}

static int
compare_lines (gconstpointer a, gconstpointer b)
{
  const HirQueryNode *x = a, *y = b;

  if (x->program != y->program)
    return x->program < y->program ? -1 : 1;
  return (x->line > y->line) - (x->line < y->line);
}

static void
add_instructions (HirQuery *query, guint program)
{
  GPtrArray *views = (GPtrArray *) query->programs[program].views;
  HirOpTable *table = hir_op_table_new (views, NULL);
  const GPtrArray *groups = hir_op_table_get_groups (table);
  HirQueryNode row = { .program = program, .step = views->len - 1 };

  for (guint g = 0; g < groups->len; g++)
    {
      const HirOpGroup *group = g_ptr_array_index (groups, g);

      for (guint i = 0; i < group->lines[0]->len; i++)
        {
          const HirOpLine *line = &g_array_index (group->lines[0], HirOpLine, i);

          row.line = line->line;
          row.depth = line->depth;
          row.op = group->label;
          row.node = hir_program_view_lookup (get_view (query, &row), line->id);
          if (row.node != NULL)
            add_node (query->instruction_rows, &row, line->id);
        }
    }
  g_ptr_array_add (query->op_tables, table);
}

static guint
count_instructions (HirQuery *query)
{
  if (query->instruction_rows != NULL)
    return query->instruction_rows->len;
  query->instruction_rows = new_rows ();
  query->op_tables = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_op_table_free);
  for (guint p = 0; p < query->n_programs; p++)
    if (query->programs[p].views != NULL && query->programs[p].views->len > 0)
      add_instructions (query, p);
  g_array_sort (query->instruction_rows, compare_lines);
  return query->instruction_rows->len;
}

static void
get_snapshot_value (const HirProgramView *view, int column, HirQueryValue *value)
{
  switch (column)
    {
    case PASS:
      hir_query_value_set_text (value, view->pass_name);
      break;
    case DURATION:
      hir_query_value_set_integer (value, view->duration_ns);
      break;
    case CHANGED:
      hir_query_value_set_integer (value, view->changed);
      break;
    case CREATED:
      hir_query_value_set_integer (value, view->n_created);
      break;
    case MODIFIED:
      hir_query_value_set_integer (value, view->n_changed);
      break;
    case REMOVED:
      hir_query_value_set_integer (value, view->n_removed);
      break;
    case IS_HOST:
      hir_query_value_set_integer (value, view->is_host);
      break;
    default:
      break;
    }
}

static void
get_node_value (const HirQuery *query, const HirQueryNode *row, int column, HirQueryValue *value)
{
  const HirNodeInfo *node = row->node;

  switch (column)
    {
    case NODE_ID:
      hir_query_value_set_text (value, row->hex);
      break;
    case OF_PROGRAM:
      hir_query_value_set_integer (value, row->program);
      break;
    case STEP:
      hir_query_value_set_integer (value, row->step);
      break;
    case IS_EXPR:
      hir_query_value_set_integer (value, node->is_expr);
      break;
    case NODE_KIND:
      hir_query_value_set_text (value, node->kind);
      break;
    case LABEL:
      hir_query_value_set_text (value, node->label);
      break;
    case LINE:
      hir_query_value_set_integer (value, row->line);
      break;
    case DEPTH:
      hir_query_value_set_integer (value, row->depth);
      break;
    case OP:
      hir_query_value_set_text (value, row->op);
      break;
    case SCRIPT_LINE:
    case SCRIPT_COLUMN:
      if (node->pos.line > 0)
        hir_query_value_set_integer (value,
                                     column == SCRIPT_LINE ? node->pos.line : node->pos.column);
      break;
    case ORIGINS:
      hir_query_value_set_text (value, row->origins);
      break;
    default:
      get_snapshot_value (get_view (query, row), column, value);
      break;
    }
}

static void
get_pass_value (HirQuery *query, guint row, int column, HirQueryValue *value)
{
  get_node_value (query, &g_array_index (query->passes, HirQueryNode, row), column, value);
}

static void
get_any_node_value (HirQuery *query, guint row, int column, HirQueryValue *value)
{
  get_node_value (query, &g_array_index (query->nodes, HirQueryNode, row), column, value);
}

static void
get_instruction_value (HirQuery *query, guint row, int column, HirQueryValue *value)
{
  get_node_value (query, &g_array_index (query->instruction_rows, HirQueryNode, row), column,
                  value);
}

static const HirQueryTable program_tables[] = {
  { "instructions", "instructions of the last snapshot of each program", instruction_columns, 0, 0,
    count_instructions, get_instruction_value },
  { "passes", "snapshots of each program", pass_columns, 0, 0, count_passes, get_pass_value },
  { "nodes", "nodes of all snapshots", node_columns, 0, 0, count_nodes, get_any_node_value },
  { NULL, NULL, NULL, 0, 0, NULL, NULL },
};

const HirQueryTable *
hir_query_get_program_tables (void)
{
  return program_tables;
}
