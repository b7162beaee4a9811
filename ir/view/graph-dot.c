#include "view/graph.h"

typedef struct
{
  const HirGraph *graph;
  GString *out;
  /* GArray* of node indices, one per group; the last holds the nodes outside groups */
  GPtrArray *members;
  GPtrArray *children; /* GArray* of group indices, likewise */
} Dot;

/* Escapes everything that has a meaning inside a quoted DOT string: the quote, the backslash (also
 * of \N, \G), entities, and line ends. Invalid UTF-8 is replaced; other control characters become
 * spaces. */
static void
append_quoted (GString *out, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text != NULL ? text : "", -1);

  g_string_append_c (out, '"');
  for (const char *at = valid; *at != '\0'; at++)
    switch (*at)
      {
      case '"':
        g_string_append (out, "\\\"");
        break;
      case '\\':
        g_string_append (out, "\\\\");
        break;
      case '&':
        g_string_append (out, "&amp;");
        break;
      case '\n':
        g_string_append (out, "\\n");
        break;
      default:
        g_string_append_c (out, g_ascii_iscntrl (*at) ? ' ' : *at);
        break;
      }
  g_string_append_c (out, '"');
}

static const char *
node_style (HirGraphNodeKind kind)
{
  switch (kind)
    {
    case HIR_GRAPH_TENSOR:
      return "shape=box, style=\"rounded,filled\", fillcolor=\"#e8e8ee\"";
    case HIR_GRAPH_MEMORY:
      return "shape=box, style=filled, fillcolor=\"#dfe9f2\"";
    case HIR_GRAPH_STREAM:
      return "shape=box, style=filled, fillcolor=\"#f3ecd2\"";
    case HIR_GRAPH_COMM:
      return "shape=box, style=filled, fillcolor=\"#f6ddc9\"";
    case HIR_GRAPH_FOLD:
      return "shape=box3d, style=filled, fillcolor=\"#eeecf5\"";
    case HIR_GRAPH_OP:
    default:
      return "shape=box, style=filled, fillcolor=\"#cfe2ff\"";
    }
}

static const char *
edge_style (HirEdgeKind kind)
{
  switch (kind)
    {
    case HIR_EDGE_ALIAS:
      return "color=\"#8a8a94\", arrowhead=empty";
    case HIR_EDGE_ORDER:
      return "color=\"#b8b8c0\", style=dotted, constraint=false";
    case HIR_EDGE_COMM:
      return "color=\"#c4561a\", penwidth=1.6";
    case HIR_EDGE_SYNC:
      return "color=\"#b58900\", style=dashed";
    case HIR_EDGE_DATA:
    default:
      return "color=\"#33333a\"";
    }
}

static void
append_node (Dot *dot, guint index)
{
  const HirGraphNode *node = &g_array_index (dot->graph->nodes, HirGraphNode, index);
  g_autofree char *label =
      node->subtitle != NULL && *node->subtitle != '\0'
          ? g_strconcat (node->title != NULL ? node->title : "", "\n", node->subtitle, NULL)
          : g_strdup (node->title);

  g_string_append_printf (dot->out, "n%u [id=\"%016" G_GINT64_MODIFIER "x\", label=", index,
                          node->id);
  append_quoted (dot->out, label);
  g_string_append_printf (dot->out, ", %s];\n", node_style (node->kind));
}

static void
append_members (Dot *dot, guint slot)
{
  const GArray *members = g_ptr_array_index (dot->members, slot);

  for (guint i = 0; i < members->len; i++)
    append_node (dot, g_array_index (members, guint, i));
}

static void
open_group (Dot *dot, guint index)
{
  const HirGraphGroup *group = &g_array_index (dot->graph->groups, HirGraphGroup, index);

  g_string_append_printf (dot->out, "subgraph cluster_%u {\nlabel=", index);
  append_quoted (dot->out, group->title);
  g_string_append (dot->out, ";\nlabeljust=l;\nstyle=\"dashed,rounded\";\ncolor=\"#3f9d5f\";\n");
  append_members (dot, index);
}

typedef struct
{
  guint slot;
  guint next;
} Frame;

/* Writes nested groups without recursion, because a recording may nest them to any depth. */
static void
append_groups (Dot *dot)
{
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (Frame));
  Frame root = { dot->graph->groups->len, 0 };

  g_array_append_val (stack, root);
  while (stack->len > 0)
    {
      Frame *top = &g_array_index (stack, Frame, stack->len - 1);
      const GArray *children = g_ptr_array_index (dot->children, top->slot);

      if (top->next < children->len)
        {
          Frame frame = { g_array_index (children, guint, top->next++), 0 };

          open_group (dot, frame.slot);
          g_array_append_val (stack, frame);
          continue;
        }
      if (top->slot < dot->graph->groups->len)
        g_string_append (dot->out, "}\n");
      g_array_set_size (stack, stack->len - 1);
    }
}

static void
sort_into_groups (Dot *dot)
{
  guint n_groups = dot->graph->groups->len;

  for (guint i = 0; i <= n_groups; i++)
    {
      g_ptr_array_add (dot->members, g_array_new (FALSE, FALSE, sizeof (guint)));
      g_ptr_array_add (dot->children, g_array_new (FALSE, FALSE, sizeof (guint)));
    }
  for (guint i = 0; i < dot->graph->nodes->len; i++)
    {
      int group = g_array_index (dot->graph->nodes, HirGraphNode, i).group;
      guint slot = group >= 0 && (guint) group < n_groups ? (guint) group : n_groups;

      g_array_append_val ((GArray *) g_ptr_array_index (dot->members, slot), i);
    }
  for (guint i = 0; i < n_groups; i++)
    {
      int parent = g_array_index (dot->graph->groups, HirGraphGroup, i).parent;
      /* Accept only parents that precede their children, so that there is no cycle. */
      guint slot = parent >= 0 && (guint) parent < i ? (guint) parent : n_groups;

      g_array_append_val ((GArray *) g_ptr_array_index (dot->children, slot), i);
    }
}

char *
hir_graph_to_dot (const HirGraph *graph, const char *name)
{
  g_autoptr (GPtrArray) members = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  g_autoptr (GPtrArray) children = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  Dot dot = { graph, g_string_new ("digraph "), members, children };

  sort_into_groups (&dot);
  append_quoted (dot.out, name);
  g_string_append (dot.out, " {\ngraph [fontname=\"sans-serif\", rankdir=TB];\n"
                            "node [fontname=\"sans-serif\", fontsize=11];\n"
                            "edge [arrowsize=0.7];\n");
  append_members (&dot, graph->groups->len);
  append_groups (&dot);
  for (guint i = 0; i < graph->edges->len; i++)
    {
      const HirGraphEdge *edge = &g_array_index (graph->edges, HirGraphEdge, i);

      if (edge->from < graph->nodes->len && edge->to < graph->nodes->len)
        g_string_append_printf (dot.out, "n%u -> n%u [%s];\n", edge->from, edge->to,
                                edge_style (edge->kind));
    }
  g_string_append (dot.out, "}\n");
  return g_string_free (dot.out, FALSE);
}
