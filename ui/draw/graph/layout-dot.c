#include "draw/graph/layout-dot.h"

#include "draw/graph/edge-routes.h"

#include <gvc.h>
#include <math.h>

/* Graphviz uses points and inches. One pixel is one point. */
#define PER_INCH 72.0

/* For more edges, curves take too long. */
#define MAX_CURVED_EDGES 1600
/* For more nodes, Graphviz gets limits on its iterations. */
#define MAX_PERFECT_NODES 300

typedef struct
{
  const HirSizes *sizes;
  Agraph_t *graph;
  Agraph_t **clusters; /* one per group */
  Agnode_t **nodes;    /* one per node, then one per group for its title */
  Agedge_t **edges;
} Dot;

/* Graphviz 2.42 declares read-only parameters as char*. */
static char *
text (const char *literal)
{
  return (char *) literal;
}

/* Suppresses messages on standard error. Failures are visible in the result. */
static int
swallow_message (char *message)
{
  return 0;
}

static void
set_number (gpointer object, const char *name, double value)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (number, sizeof number, "%.4f", value);
  agset (object, text (name), number);
}

static void
set_defaults (Dot *dot)
{
  Agraph_t *g = dot->graph;
  gboolean many = dot->sizes->edges->len > MAX_CURVED_EDGES;

  agattr (g, AGRAPH, text ("nodesep"), text ("0.2"));
  agattr (g, AGRAPH, text ("ranksep"), text ("0.25"));
  agattr (g, AGRAPH, text ("margin"), text ("11"));
  agattr (g, AGRAPH, text ("splines"), text (many ? "line" : "spline"));
  /* Network simplex iterates long after the result looks the same: 1,000 boxes took 17 s without
   * this limit, and 2 s with it. */
  if (dot->sizes->nodes->len > MAX_PERFECT_NODES)
    {
      agattr (g, AGRAPH, text ("mclimit"), text ("0.5"));
      agattr (g, AGRAPH, text ("nslimit"), text ("1"));
      agattr (g, AGRAPH, text ("nslimit1"), text ("1"));
    }
  agattr (g, AGNODE, text ("shape"), text ("box"));
  agattr (g, AGNODE, text ("label"), text (""));
  agattr (g, AGNODE, text ("fixedsize"), text ("true"));
  agattr (g, AGNODE, text ("width"), text ("1"));
  agattr (g, AGNODE, text ("height"), text ("1"));
  agattr (g, AGEDGE, text ("weight"), text ("1"));
  agattr (g, AGEDGE, text ("style"), text (""));
  agattr (g, AGEDGE, text ("arrowhead"), text ("none"));
}

static Agnode_t *
add_node (Dot *dot, guint index, gint32 group, double width, double height)
{
  char name[16];
  Agnode_t *node;

  g_snprintf (name, sizeof name, "n%u", index);
  node = agnode (dot->graph, name, 1);
  set_number (node, "width", width / PER_INCH);
  set_number (node, "height", height / PER_INCH);
  if (group >= 0)
    agsubnode (dot->clusters[group], node, 1);
  dot->nodes[index] = node;
  return node;
}

static void
add_groups (Dot *dot)
{
  const HirSizes *sizes = dot->sizes;

  for (guint i = 0; i < sizes->groups->len; i++)
    {
      const HirSizesGroup *group = &g_array_index (sizes->groups, HirSizesGroup, i);
      char name[24];

      g_snprintf (name, sizeof name, "cluster_%u", i);
      dot->clusters[i] =
          agsubg (group->parent >= 0 ? dot->clusters[group->parent] : dot->graph, name, 1);
    }
}

static void
add_edge (
    Dot *dot, guint from, guint to, guint key, const char *weight, gboolean hidden, Agedge_t **at)
{
  char name[16];
  Agedge_t *edge;

  g_snprintf (name, sizeof name, "e%u", key);
  edge = agedge (dot->graph, dot->nodes[from], dot->nodes[to], name, 1);
  agset (edge, text ("weight"), text (weight));
  if (hidden)
    agset (edge, text ("style"), text ("invis"));
  if (at != NULL)
    *at = edge;
}

static gboolean
is_within (const HirSizes *sizes, gint32 group, gint32 of)
{
  for (; group >= 0; group = g_array_index (sizes->groups, HirSizesGroup, group).parent)
    if (group == of)
      return TRUE;
  return FALSE;
}

/* Adds the title of each group as an invisible node above nodes without another predecessor in the
 * group, which reserves its width and height. */
static void
add_titles (Dot *dot)
{
  const HirSizes *sizes = dot->sizes;
  guint n = sizes->nodes->len, key = sizes->edges->len;
  g_autofree guint8 *has_predecessor = g_new0 (guint8, n + 1);
  g_autofree guint8 *has_member = g_new0 (guint8, sizes->groups->len + 1);

  for (guint i = 0; i < n; i++)
    for (gint32 group = g_array_index (sizes->nodes, HirSizesNode, i).group;
         group >= 0 && !has_member[group];
         group = g_array_index (sizes->groups, HirSizesGroup, group).parent)
      has_member[group] = 1;
  for (guint i = 0; i < sizes->edges->len; i++)
    {
      const HirSizesEdge *edge = &g_array_index (sizes->edges, HirSizesEdge, i);
      gint32 from = g_array_index (sizes->nodes, HirSizesNode, edge->from).group;
      gint32 to = g_array_index (sizes->nodes, HirSizesNode, edge->to).group;

      if (edge->from != edge->to && to >= 0 && is_within (sizes, from, to))
        has_predecessor[edge->to] = 1;
    }
  for (guint i = 0; i < sizes->constraints->len; i++)
    {
      const HirSizesConstraint *tie = &g_array_index (sizes->constraints, HirSizesConstraint, i);
      guint to = tie->to_group ? n + tie->to : tie->to;
      gint32 from = g_array_index (sizes->nodes, HirSizesNode, tie->from).group;

      if (!tie->to_group && tie->from != to &&
          is_within (sizes, from, g_array_index (sizes->nodes, HirSizesNode, to).group))
        has_predecessor[to] = 1;
    }
  for (guint i = 0; i < sizes->groups->len; i++)
    {
      const HirSizesGroup *group = &g_array_index (sizes->groups, HirSizesGroup, i);

      if (!has_member[i])
        continue;
      add_node (dot, n + i, (gint32) i, group->title_width, MAX (group->title_height, 1));
      if (group->parent >= 0)
        add_edge (dot, n + (guint) group->parent, n + i, key++, "0", TRUE, NULL);
    }
  for (guint i = 0; i < sizes->constraints->len; i++)
    {
      const HirSizesConstraint *tie = &g_array_index (sizes->constraints, HirSizesConstraint, i);

      if (!tie->to_group || has_member[tie->to])
        add_edge (dot, tie->from, tie->to_group ? n + tie->to : tie->to, key++, "1", TRUE, NULL);
    }
  for (guint i = 0; i < n; i++)
    {
      gint32 group = g_array_index (sizes->nodes, HirSizesNode, i).group;

      if (group >= 0 && !has_predecessor[i])
        add_edge (dot, n + (guint) group, i, key++, "0", TRUE, NULL);
    }
}

static void
build (Dot *dot)
{
  const HirSizes *sizes = dot->sizes;
  static const char *const weights[] = {
    [HIR_EDGE_DATA] = "3", [HIR_EDGE_ALIAS] = "2", [HIR_EDGE_ORDER] = "1",
    [HIR_EDGE_SYNC] = "1", [HIR_EDGE_COMM] = "3",
  };

  set_defaults (dot);
  add_groups (dot);
  for (guint i = 0; i < sizes->nodes->len; i++)
    {
      guint index = sizes->order->len > 0 ? g_array_index (sizes->order, guint32, i) : i;
      const HirSizesNode *node = &g_array_index (sizes->nodes, HirSizesNode, index);

      add_node (dot, index, node->group, node->width, node->height);
    }
  for (guint i = 0; i < sizes->edges->len; i++)
    {
      const HirSizesEdge *edge = &g_array_index (sizes->edges, HirSizesEdge, i);

      add_edge (dot, edge->from, edge->to, i, weights[edge->kind], FALSE, &dot->edges[i]);
    }
  add_titles (dot);
}

static HirPoint
flip (const Dot *dot, double x, double y)
{
  return (HirPoint){ (float) x, (float) (GD_bb (dot->graph).UR.y - y) };
}

/* dot sometimes draws an upward edge from head to tail. */
static gboolean
is_backwards (const Dot *dot, Agedge_t *edge, const GArray *points)
{
  HirPoint first = g_array_index (points, HirPoint, 0);
  HirPoint last = g_array_index (points, HirPoint, points->len - 1);
  HirPoint tail = flip (dot, ND_coord (agtail (edge)).x, ND_coord (agtail (edge)).y);
  HirPoint head = flip (dot, ND_coord (aghead (edge)).x, ND_coord (aghead (edge)).y);

  return hypotf (first.x - head.x, first.y - head.y) + hypotf (last.x - tail.x, last.y - tail.y) <
         hypotf (first.x - tail.x, first.y - tail.y) + hypotf (last.x - head.x, last.y - head.y);
}

/* An edge is one Bézier curve here; dot gives several only if it splits parallel edges. */
static void
read_edge (const Dot *dot, Agedge_t *edge, GArray *points)
{
  g_array_set_size (points, 0);
  if (ED_spl (edge) == NULL || ED_spl (edge)->size < 1)
    return;
  const bezier *curve = &ED_spl (edge)->list[0];
  for (guint i = 0; i < (guint) curve->size; i++)
    {
      HirPoint at = flip (dot, curve->list[i].x, curve->list[i].y);

      g_array_append_val (points, at);
    }
  if (is_backwards (dot, edge, points))
    for (guint i = 0, j = points->len - 1; i < j; i++, j--)
      {
        HirPoint current = g_array_index (points, HirPoint, i);

        g_array_index (points, HirPoint, i) = g_array_index (points, HirPoint, j);
        g_array_index (points, HirPoint, j) = current;
      }
  if (points->len % 3 != 1)
    g_array_set_size (points, 0);
}

static HirLayout *
read_back (const Dot *dot)
{
  const HirSizes *sizes = dot->sizes;
  HirLayout *layout = hir_layout_new (HIR_LAYOUT_DOT);
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (HirPoint));
  g_autofree HirRect *limits = g_new0 (HirRect, sizes->groups->len + 1);

  for (guint i = 0; i < sizes->nodes->len; i++)
    {
      const HirSizesNode *size = &g_array_index (sizes->nodes, HirSizesNode, i);
      HirPoint centre = flip (dot, ND_coord (dot->nodes[i]).x, ND_coord (dot->nodes[i]).y);
      HirRect rect = hir_rect (centre.x - size->width / 2, centre.y - size->height / 2, size->width,
                               size->height);

      g_array_append_val (layout->nodes, rect);
    }
  for (guint i = 0; i < sizes->edges->len; i++)
    {
      read_edge (dot, dot->edges[i], points);
      hir_layout_add_edge (layout, (const HirPoint *) points->data, points->len);
    }
  for (guint i = 0; i < sizes->groups->len; i++)
    {
      boxf bounds = GD_bb (dot->clusters[i]);

      if (dot->nodes[sizes->nodes->len + i] == NULL)
        continue;
      HirPoint corner = flip (dot, bounds.LL.x, bounds.UR.y);

      limits[i] =
          hir_rect (corner.x, corner.y, bounds.UR.x - bounds.LL.x, bounds.UR.y - bounds.LL.y);
    }
  hir_layout_fit_groups (layout, sizes, limits);
  hir_layout_shorten_edges (layout, sizes);
  hir_layout_fit_origin (layout);
  return layout;
}

HirLayout *
hir_layout_dot (const HirSizes *sizes, GError **error)
{
  Dot dot = { .sizes = sizes };
  HirLayout *layout = NULL;
  GVC_t *context;

  g_return_val_if_fail (sizes != NULL, NULL);

  agseterrf (swallow_message);
  agseterr (AGMAX);
  context = gvContext ();
  dot.graph = agopen (text ("g"), Agdirected, NULL);
  dot.clusters = g_new0 (Agraph_t *, sizes->groups->len + 1);
  dot.nodes = g_new0 (Agnode_t *, sizes->nodes->len + sizes->groups->len + 1);
  dot.edges = g_new0 (Agedge_t *, sizes->edges->len + 1);
  build (&dot);
  if (gvLayout (context, dot.graph, "dot") == 0)
    {
      layout = read_back (&dot);
      gvFreeLayout (context, dot.graph);
    }
  else
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                     "Graphviz returned no layout; install the package \"graphviz\"");
    }
  agclose (dot.graph);
  gvFreeContext (context);
  g_free (dot.clusters);
  g_free (dot.nodes);
  g_free (dot.edges);
  return layout;
}
