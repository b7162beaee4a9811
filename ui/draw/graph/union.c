#include "draw/graph/union.h"

#include "draw/graph/edge-routes.h"

#include <string.h>

/* The part of one snapshot: indices in the union. */
typedef struct
{
  GArray *nodes;  /* guint32 */
  GArray *groups; /* guint32 */
  GArray *edges;  /* guint32 */
  HirSizes *sizes;
} Part;

struct _HirUnion
{
  HirSizes *sizes;
  Part *parts;
  guint n_parts;
};

#define NOWHERE G_MAXUINT32

/* State during the construction of a union. */
typedef struct
{
  HirUnion *self;
  const HirGraph *const *graphs;
  const HirProgramView *const *views;
  GHashTable *nodes;  /* const gint64* key -> index + 1 */
  GHashTable *groups; /* const gint64* -> index + 1; keys owned */
  GHashTable *edges;  /* set of const gint64*; owned */
  GArray *is_taken;   /* gboolean per index: used by a node of the current part */
  GArray *next;       /* guint32 per index + 1: next node in the combined program order */
} Making;

static const HirGraphNode *
get_node (const HirGraph *graph, guint i)
{
  return &g_array_index (graph->nodes, HirGraphNode, i);
}

static gboolean
add_packed (GHashTable *set, guint64 packed)
{
  return g_hash_table_add (set, g_memdup2 (&packed, sizeof packed));
}

/* An IF and its ELSE have the same id. A repeated id is another group. */
static void
add_groups (Making *making, Part *part, const HirGraph *graph)
{
  HirSizes *sizes = making->self->sizes;
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  for (guint i = 0; i < graph->groups->len; i++)
    {
      HirSizesGroup size = g_array_index (part->sizes->groups, HirSizesGroup, i);
      guint64 key = g_array_index (graph->groups, HirGraphGroup, i).id;
      guint32 index;

      while (!add_packed (seen, key))
        key = hir_hash_mix (key, 1);
      index = GPOINTER_TO_UINT (g_hash_table_lookup (making->groups, &key));
      if (index == 0)
        {
          size.parent =
              size.parent >= 0 ? (gint32) g_array_index (part->groups, guint32, size.parent) : -1;
          g_array_append_val (sizes->groups, size);
          index = sizes->groups->len;
          g_hash_table_insert (making->groups, g_memdup2 (&key, sizeof key),
                               GUINT_TO_POINTER (index));
        }
      else
        {
          HirSizesGroup *known = &g_array_index (sizes->groups, HirSizesGroup, index - 1);

          known->title_width = MAX (known->title_width, size.title_width);
          known->title_height = MAX (known->title_height, size.title_height);
        }
      index--;
      g_array_append_val (part->groups, index);
    }
}

static gboolean
has_origin (const HirProgramView *view, guint64 id, guint64 origin)
{
  const HirNodeInfo *info = hir_program_view_lookup (view, id);

  for (guint i = 0; info != NULL && i < info->n_origins; i++)
    if (info->origins[i] == origin)
      return TRUE;
  return FALSE;
}

/* Returns the position of the operation in the next snapshot that replaced @node of graph @k, so
 * that a rewritten operation stays in place. Prefers an operation with the same name; otherwise
 * takes the first operation derived from @node. */
static guint32
find_successor (const Making *making, guint k, const HirGraphNode *node)
{
  const HirGraph *after = making->graphs[k + 1];
  guint32 best = NOWHERE;

  for (guint i = 0; i < after->nodes->len; i++)
    {
      const HirGraphNode *candidate = get_node (after, i);
      guint32 position = g_array_index (making->self->parts[k + 1].nodes, guint32, i);
      gboolean same = g_strcmp0 (candidate->title, node->title) == 0;

      if ((candidate->kind != HIR_GRAPH_OP && candidate->kind != HIR_GRAPH_COMM) ||
          candidate->id == node->id || (best != NOWHERE && !same) ||
          g_array_index (making->is_taken, gboolean, position) ||
          !has_origin (making->views[k + 1], candidate->id, node->id))
        continue;
      best = position;
      if (same)
        break;
    }
  return best;
}

static guint32
add_place (Making *making, HirSizesNode size, guint32 after)
{
  GArray *nodes = making->self->sizes->nodes;
  gboolean taken = FALSE;
  guint32 index = nodes->len, next = g_array_index (making->next, guint32, after);

  g_array_append_val (nodes, size);
  g_array_append_val (making->is_taken, taken);
  g_array_append_val (making->next, next);
  g_array_index (making->next, guint32, after) = index + 1;
  return index;
}

/* First assigns positions to nodes with a known key, then to nodes that may share a position of the
 * next snapshot, so that no node loses its own. */
static void
find_places (Making *making, guint k)
{
  const HirGraph *graph = making->graphs[k];
  Part *part = &making->self->parts[k];

  for (guint i = 0; i < making->is_taken->len; i++)
    g_array_index (making->is_taken, gboolean, i) = FALSE;
  g_array_set_size (part->nodes, graph->nodes->len);
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < graph->nodes->len; i++)
      {
        const HirGraphNode *node = get_node (graph, i);
        guint32 *position = &g_array_index (part->nodes, guint32, i);

        if (pass == 0)
          {
            guint found = GPOINTER_TO_UINT (g_hash_table_lookup (making->nodes, &node->key));

            *position = found > 0 ? found - 1 : NOWHERE;
          }
        else if (*position == NOWHERE && node->kind == HIR_GRAPH_OP &&
                 k + 1 < making->self->n_parts)
          *position = find_successor (making, k, node);
        else
          continue;
        if (*position != NOWHERE)
          g_array_index (making->is_taken, gboolean, *position) = TRUE;
      }
}

static void
add_nodes (Making *making, guint k)
{
  const HirGraph *graph = making->graphs[k];
  Part *part = &making->self->parts[k];
  guint32 last = 0;

  find_places (making, k);
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const HirGraphNode *node = get_node (graph, i);
      HirSizesNode size = g_array_index (part->sizes->nodes, HirSizesNode, i);
      guint32 *position = &g_array_index (part->nodes, guint32, i);

      if (*position == NOWHERE)
        {
          size.group =
              size.group >= 0 ? (gint32) g_array_index (part->groups, guint32, size.group) : -1;
          *position = add_place (making, size, last);
        }
      else
        {
          HirSizesNode *known =
              &g_array_index (making->self->sizes->nodes, HirSizesNode, *position);

          known->width = MAX (known->width, size.width);
          known->height = MAX (known->height, size.height);
        }
      if (!g_hash_table_contains (making->nodes, &node->key))
        g_hash_table_insert (making->nodes, (gpointer) &node->key,
                             GUINT_TO_POINTER (*position + 1));
      last = *position + 1;
    }
}

static void
add_edges (Making *making, Part *part)
{
  HirSizes *sizes = making->self->sizes;

  for (guint i = 0; i < part->sizes->edges->len; i++)
    {
      HirSizesEdge edge = g_array_index (part->sizes->edges, HirSizesEdge, i);
      guint64 packed;
      guint32 index;

      edge.from = g_array_index (part->nodes, guint32, edge.from);
      edge.to = g_array_index (part->nodes, guint32, edge.to);
      packed = (guint64) edge.from << 34 | (guint64) edge.to << 3 | edge.kind;
      index = GPOINTER_TO_UINT (g_hash_table_lookup (making->edges, &packed));
      if (index == 0)
        {
          g_array_append_val (sizes->edges, edge);
          index = sizes->edges->len;
          g_hash_table_insert (making->edges, g_memdup2 (&packed, sizeof packed),
                               GUINT_TO_POINTER (index));
        }
      index--;
      g_array_append_val (part->edges, index);
    }
}

/* Uses all constraints of the last snapshot, which is the largest. From other snapshots, uses only
 * those for nodes that are not in it, because two orders could conflict. */
static void
add_constraints (Making *making, guint k, guint n_last_nodes, guint n_last_groups)
{
  const Part *part = &making->self->parts[k];

  for (guint i = 0; i < part->sizes->constraints->len; i++)
    {
      HirSizesConstraint tie = g_array_index (part->sizes->constraints, HirSizesConstraint, i);

      tie.from = g_array_index (part->nodes, guint32, tie.from);
      tie.to = g_array_index (tie.to_group ? part->groups : part->nodes, guint32, tie.to);
      if (k + 1 < making->self->n_parts && tie.from < n_last_nodes &&
          tie.to < (tie.to_group ? n_last_groups : n_last_nodes))
        continue;
      g_array_append_val (making->self->sizes->constraints, tie);
    }
}

static gint32
get_common (const HirSizes *sizes, gint32 a, gint32 b)
{
  while (a != b)
    if (a > b)
      a = g_array_index (sizes->groups, HirSizesGroup, a).parent;
    else
      b = g_array_index (sizes->groups, HirSizesGroup, b).parent;
  return a;
}

/* If all operations of a fusion's tensor are in one loop, puts the tensor into the loop. Outside,
 * it would reserve space next to the loop. */
static void
settle_groups (Making *making, guint first)
{
  HirSizes *sizes = making->self->sizes;
  guint n = sizes->nodes->len;
  g_autofree gint32 *common = g_new (gint32, n + 1);
  g_autofree guint8 *known = g_new0 (guint8, n + 1);

  memset (known, 1, first);
  for (guint i = 0; i < first; i++)
    common[i] = g_array_index (sizes->nodes, HirSizesNode, i).group;
  for (guint i = 0; i < 2 * sizes->edges->len; i++)
    {
      const HirSizesEdge *edge = &g_array_index (sizes->edges, HirSizesEdge, i / 2);
      guint32 inner = i % 2 ? edge->from : edge->to, other = i % 2 ? edge->to : edge->from;

      if (inner < first || other >= first)
        continue;
      common[inner] =
          known[inner] ? get_common (sizes, common[inner], common[other]) : common[other];
      known[inner] = 1;
    }
  for (guint i = first; i < n; i++)
    {
      HirSizesNode *node = &g_array_index (sizes->nodes, HirSizesNode, i);

      if (known[i] && node->group < 0)
        node->group = common[i];
    }
}

static void
set_order (Making *making)
{
  HirSizes *sizes = making->self->sizes;

  for (guint32 at = g_array_index (making->next, guint32, 0); at != 0;
       at = g_array_index (making->next, guint32, at))
    {
      guint32 node = at - 1;

      g_array_append_val (sizes->order, node);
    }
}

/* Starts with the last snapshot: it determines the loop of each node and most positions. */
static void
make (Making *making, HirMeasure *measure)
{
  HirUnion *self = making->self;
  guint n_last_nodes = 0, n_last_groups = 0;
  guint32 none = 0;

  g_array_append_val (making->next, none);
  for (guint k = self->n_parts; k-- > 0;)
    {
      Part *part = &self->parts[k];

      part->nodes = g_array_new (FALSE, FALSE, sizeof (guint32));
      part->groups = g_array_new (FALSE, FALSE, sizeof (guint32));
      part->edges = g_array_new (FALSE, FALSE, sizeof (guint32));
      part->sizes = hir_sizes_new (making->graphs[k], measure);
      add_groups (making, part, making->graphs[k]);
      add_nodes (making, k);
      add_edges (making, part);
      if (k + 1 == self->n_parts)
        {
          n_last_nodes = self->sizes->nodes->len;
          n_last_groups = self->sizes->groups->len;
        }
      add_constraints (making, k, n_last_nodes, n_last_groups);
    }
  settle_groups (making, n_last_nodes);
  set_order (making);
}

HirUnion *
hir_union_new_from_views (const GPtrArray *views,
                          const HirGraph *const *graphs,
                          HirMeasure *measure)
{
  g_autofree const HirGraph **own = g_new0 (const HirGraph *, views->len + 1);
  HirUnion *self = g_new0 (HirUnion, 1);
  Making making = { .self = self,
                    .graphs = own,
                    .views = (const HirProgramView *const *) views->pdata };

  for (guint i = 0; i < views->len; i++)
    own[i] = graphs != NULL ? graphs[i] : making.views[i]->graph;
  self->sizes = hir_sizes_new_empty ();
  self->parts = g_new0 (Part, views->len + 1);
  self->n_parts = views->len;
  making.nodes = g_hash_table_new (g_int64_hash, g_int64_equal);
  making.groups = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  making.edges = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  making.is_taken = g_array_new (FALSE, TRUE, sizeof (gboolean));
  making.next = g_array_new (FALSE, FALSE, sizeof (guint32));
  make (&making, measure);
  g_hash_table_unref (making.nodes);
  g_hash_table_unref (making.groups);
  g_hash_table_unref (making.edges);
  g_array_unref (making.is_taken);
  g_array_unref (making.next);
  return self;
}

void
hir_union_free (HirUnion *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n_parts; i++)
    {
      g_array_unref (self->parts[i].nodes);
      g_array_unref (self->parts[i].groups);
      g_array_unref (self->parts[i].edges);
      hir_sizes_free (self->parts[i].sizes);
    }
  g_free (self->parts);
  hir_sizes_free (self->sizes);
  g_free (self);
}

const HirSizes *
hir_union_get_sizes (const HirUnion *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->sizes;
}

gboolean
hir_union_is_too_large (const HirUnion *self)
{
  return self->sizes->nodes->len > HIR_UNION_MAX_NODES;
}

HirLayout *
hir_union_project (const HirUnion *self, const HirLayout *layout, guint graph)
{
  HirLayout *part_layout;
  g_autofree HirRect *limits = NULL;
  const Part *part;

  g_return_val_if_fail (self != NULL && layout != NULL && graph < self->n_parts, NULL);

  part = &self->parts[graph];
  part_layout = hir_layout_new (layout->kind);
  part_layout->note = g_strdup (layout->note);
  for (guint i = 0; i < part->nodes->len; i++)
    g_array_append_val (part_layout->nodes,
                        g_array_index (layout->nodes, HirRect,
                                       g_array_index (part->nodes, guint32, i)));
  for (guint i = 0; i < part->edges->len; i++)
    {
      const HirLayoutEdge *edge =
          &g_array_index (layout->edges, HirLayoutEdge, g_array_index (part->edges, guint32, i));

      hir_layout_add_edge (part_layout, (const HirPoint *) layout->points->data + edge->first_point,
                           edge->n_points);
    }
  limits = g_new0 (HirRect, part->groups->len + 1);
  for (guint i = 0; i < part->groups->len; i++)
    limits[i] = g_array_index (layout->groups, HirRect, g_array_index (part->groups, guint32, i));
  hir_layout_fit_groups (part_layout, part->sizes, limits);
  hir_layout_shorten_edges (part_layout, part->sizes);
  part_layout->width = layout->width;
  part_layout->height = layout->height;
  return part_layout;
}

typedef struct
{
  guint32 node;
  float x;
} Seed;

static int
compare_seeds (gconstpointer a, gconstpointer b)
{
  const Seed *x = a, *y = b;

  if (x->x != y->x)
    return x->x < y->x ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

void
hir_sizes_seed (HirSizes *sizes,
                const HirGraph *graph,
                const HirGraph *before_graph,
                const HirLayout *before)
{
  g_autoptr (GHashTable) places = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autoptr (GArray) seeds = g_array_new (FALSE, FALSE, sizeof (Seed));
  float last = 0;

  g_return_if_fail (graph->nodes->len == sizes->nodes->len);

  for (guint i = 0; i < before_graph->nodes->len; i++)
    g_hash_table_insert (places, &g_array_index (before_graph->nodes, HirGraphNode, i).key,
                         GUINT_TO_POINTER (i + 1));
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      guint found = GPOINTER_TO_UINT (
          g_hash_table_lookup (places, &g_array_index (graph->nodes, HirGraphNode, i).key));
      Seed seed = { .node = i };

      /* A new node is placed after its predecessor in the program. */
      if (found > 0)
        last = g_array_index (before->nodes, HirRect, found - 1).x;
      seed.x = last;
      g_array_append_val (seeds, seed);
    }
  g_array_sort (seeds, compare_seeds);
  g_array_set_size (sizes->order, 0);
  for (guint i = 0; i < seeds->len; i++)
    g_array_append_val (sizes->order, g_array_index (seeds, Seed, i).node);
}
