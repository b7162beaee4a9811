#include "draw/graph/program-order.h"

#include <string.h>

/* A barrier next to many nodes constrains only some of them; the rest form a wide row anyway. */
#define MAX_TIES 12

/* Number of inputs and buffers in a row above a loop. */
#define MAX_FLOATING 6

/* State of a container during the traversal: the top level is 0, a group is its index + 1. */
typedef struct
{
  GArray *before;   /* guint32: last nodes above the barrier; later nodes are placed below them */
  GArray *since;    /* guint32: nodes after the barrier without a successor in the scope */
  guint serial;     /* number of the section after the barrier */
  guint n_works;    /* in this section */
  guint32 works[2]; /* the last two, older first */
  gboolean entered;
} Scope;

typedef struct
{
  HirSizes *sizes;
  Scope *scopes;
  guint32 *first_edge; /* per node: offset in tails; n_nodes + 1 entries */
  guint32 *tails;      /* source nodes of the edges to a node */
  guint *serials;      /* per node: the number of its section */
  guint last_serial;
} Walk;

static gint32
get_parent (const Walk *walk, gint32 group)
{
  return g_array_index (walk->sizes->groups, HirSizesGroup, group).parent;
}

static void
tie (Walk *walk, const GArray *from, guint32 to, gboolean to_group)
{
  for (guint i = 0; i < from->len && i < MAX_TIES; i++)
    {
      HirSizesConstraint constraint = { g_array_index (from, guint32, i), to, to_group };

      g_array_append_val (walk->sizes->constraints, constraint);
    }
}

static const GArray *
get_exits (const Scope *scope)
{
  return scope->since->len > 0 ? scope->since : scope->before;
}

/* Places later nodes of @scope below @exits. */
static void
set_barrier (Walk *walk, Scope *scope, const GArray *exits)
{
  g_array_set_size (scope->since, 0);
  if (exits != scope->before)
    {
      g_array_set_size (scope->before, 0);
      if (exits->len > 0)
        g_array_append_vals (scope->before, exits->data, exits->len);
    }
  scope->serial = ++walk->last_serial;
  scope->n_works = 0;
}

static void
index_edges (Walk *walk)
{
  const GArray *edges = walk->sizes->edges;
  guint n = walk->sizes->nodes->len;

  walk->first_edge = g_new0 (guint32, n + 2);
  walk->tails = g_new (guint32, edges->len + 1);
  for (guint i = 0; i < edges->len; i++)
    walk->first_edge[g_array_index (edges, HirSizesEdge, i).to + 2]++;
  for (guint i = 2; i < n + 2; i++)
    walk->first_edge[i] += walk->first_edge[i - 1];
  for (guint i = 0; i < edges->len; i++)
    {
      const HirSizesEdge *edge = &g_array_index (edges, HirSizesEdge, i);

      walk->tails[walk->first_edge[edge->to + 1]++] = edge->from;
    }
}

static void
enter (Walk *walk, gint32 group)
{
  Scope *scope = &walk->scopes[group + 1], *outside;

  if (scope->entered)
    return;
  scope->entered = TRUE;
  scope->serial = ++walk->last_serial;
  if (group < 0)
    return;
  outside = &walk->scopes[get_parent (walk, group) + 1];
  tie (walk, get_exits (outside), (guint32) group, TRUE);
}

static gboolean
is_within (const Walk *walk, gint32 group, gint32 of)
{
  for (; group >= 0 && group != of; group = get_parent (walk, group))
    ;
  return group == of;
}

/* Moves from the scope of @from to that of @to: leaves groups, innermost first, then enters
 * others. */
static void
move (Walk *walk, gint32 from, gint32 to)
{
  for (; !is_within (walk, to, from); from = get_parent (walk, from))
    set_barrier (walk, &walk->scopes[get_parent (walk, from) + 1],
                 get_exits (&walk->scopes[from + 1]));
  for (gint32 at = to; at != from; at = to)
    {
      while (get_parent (walk, at) != from)
        at = get_parent (walk, at);
      enter (walk, at);
      from = at;
    }
}

static void
drop (GArray *nodes, guint32 node)
{
  for (guint i = 0; i < nodes->len; i++)
    if (g_array_index (nodes, guint32, i) == node)
      {
        g_array_remove_index (nodes, i);
        return;
      }
}

/* Returns whether the node is an input or buffer that is placed directly above its first loop.
 * Above the code before that loop, its edges would run past all earlier loops. If there are many,
 * the others are placed next to the loop, near their users. */
static gboolean
is_floating (const Walk *walk, const HirGraph *graph, guint32 node)
{
  HirGraphNodeKind kind = g_array_index (graph->nodes, HirGraphNode, node).kind;

  return (kind == HIR_GRAPH_TENSOR || kind == HIR_GRAPH_MEMORY) &&
         walk->first_edge[node] == walk->first_edge[node + 1];
}

static void
tie_floating (Walk *walk, const HirGraph *graph)
{
  g_autofree guint32 *user = g_new (guint32, walk->sizes->nodes->len + 1);
  g_autofree guint *n_tied = g_new0 (guint, walk->sizes->groups->len + 1);

  memset (user, 0xff, (walk->sizes->nodes->len + 1) * sizeof *user);
  for (guint i = 0; i < walk->sizes->edges->len; i++)
    {
      const HirSizesEdge *edge = &g_array_index (walk->sizes->edges, HirSizesEdge, i);

      user[edge->from] = MIN (user[edge->from], edge->to);
    }
  for (guint32 i = 0; i < walk->sizes->nodes->len; i++)
    {
      gint32 own = g_array_index (walk->sizes->nodes, HirSizesNode, i).group, group;

      if (user[i] == G_MAXUINT32 || !is_floating (walk, graph, i))
        continue;
      group = g_array_index (walk->sizes->nodes, HirSizesNode, user[i]).group;
      if (group == own || !is_within (walk, group, own))
        continue;
      while (get_parent (walk, group) != own)
        group = get_parent (walk, group);
      if (n_tied[group]++ >= MAX_FLOATING)
        continue;
      HirSizesConstraint constraint = { i, (guint32) group, TRUE };
      g_array_append_val (walk->sizes->constraints, constraint);
    }
}

static void
note_work (Scope *scope, guint32 node)
{
  if (scope->n_works >= 2)
    scope->works[0] = scope->works[1];
  scope->works[MIN (scope->n_works, 1)] = node;
  scope->n_works++;
}

/* Places a node that reads nothing in its scope, such as a slice of a buffer, next to the work
 * before its user. Bound only to the barrier, each such node would get a long edge. */
static void
tie_source (Walk *walk, const Scope *scope, guint32 node)
{
  HirSizesConstraint constraint = { scope->works[0], node, FALSE };

  if (scope->n_works >= 2)
    g_array_append_val (walk->sizes->constraints, constraint);
  else
    tie (walk, scope->before, node, FALSE);
}

static void
add_node (Walk *walk, guint32 node, gboolean is_barrier, gboolean is_work)
{
  Scope *scope = &walk->scopes[g_array_index (walk->sizes->nodes, HirSizesNode, node).group + 1];
  gboolean follows = FALSE;

  if (is_barrier)
    {
      tie (walk, get_exits (scope), node, FALSE);
      set_barrier (walk, scope, scope->before);
      g_array_set_size (scope->before, 0);
      g_array_append_val (scope->before, node);
      return;
    }
  walk->serials[node] = scope->serial;
  for (guint32 i = walk->first_edge[node]; i < walk->first_edge[node + 1]; i++)
    if (walk->serials[walk->tails[i]] == scope->serial && walk->tails[i] != node)
      {
        follows = TRUE;
        drop (scope->since, walk->tails[i]);
      }
  if (!follows)
    tie_source (walk, scope, node);
  if (is_work)
    note_work (scope, node);
  g_array_append_val (scope->since, node);
}

void
hir_sizes_add_program_order (HirSizes *sizes, const HirGraph *graph)
{
  Walk walk = { .sizes = sizes };
  gboolean has_stream = FALSE;
  gint32 at = -1;

  g_return_if_fail (sizes->nodes->len == graph->nodes->len);

  walk.scopes = g_new0 (Scope, sizes->groups->len + 1);
  walk.serials = g_new0 (guint, sizes->nodes->len + 1);
  index_edges (&walk);
  for (guint i = 0; i <= sizes->groups->len; i++)
    {
      walk.scopes[i].before = g_array_new (FALSE, FALSE, sizeof (guint32));
      walk.scopes[i].since = g_array_new (FALSE, FALSE, sizeof (guint32));
    }
  enter (&walk, -1);
  for (guint i = 0; i < sizes->nodes->len; i++)
    {
      HirGraphNodeKind kind = g_array_index (graph->nodes, HirGraphNode, i).kind;
      gboolean is_stream = kind == HIR_GRAPH_STREAM;
      gint32 group = g_array_index (sizes->nodes, HirSizesNode, i).group;

      move (&walk, at, group);
      at = group;
      /* The first GetCurrentStream at the top level only names the current stream. */
      if (!is_floating (&walk, graph, i))
        add_node (&walk, i, is_stream && (has_stream || group >= 0),
                  kind == HIR_GRAPH_OP || kind == HIR_GRAPH_COMM);
      has_stream |= is_stream;
    }
  tie_floating (&walk, graph);
  for (guint i = 0; i <= sizes->groups->len; i++)
    {
      g_array_unref (walk.scopes[i].before);
      g_array_unref (walk.scopes[i].since);
    }
  g_free (walk.scopes);
  g_free (walk.serials);
  g_free (walk.first_edge);
  g_free (walk.tails);
}
