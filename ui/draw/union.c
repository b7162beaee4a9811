#include "draw/union.h"

#include <string.h>

/* What one snapshot has: indices into the union. */
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
  GHashTable *index; /* Key* -> index + 1; kinds of keys do not meet: see Key.what */
};

typedef struct
{
  guint64 id;
  gint64 where; /* group of a node or group; of an edge: its other end */
  guint32 what; /* 0 node, 1 group, 2 + kind: edge */
} Key;

static guint
hash_key (gconstpointer data)
{
  const Key *key = data;
  guint64 hash = key->id * 0x9e3779b97f4a7c15ull;

  hash = (hash ^ (hash >> 29) ^ (guint64) key->where) * 0xbf58476d1ce4e5b9ull;
  hash = (hash ^ (hash >> 32) ^ key->what) * 0x94d049bb133111ebull;
  return (guint) (hash >> 32);
}

static gboolean
equal_keys (gconstpointer a, gconstpointer b)
{
  const Key *x = a, *y = b;

  return x->id == y->id && x->where == y->where && x->what == y->what;
}

/* The index of @key, and whether it is new: then it is @next. */
static guint32
intern (HirUnion *self, Key key, guint32 next, gboolean *is_new)
{
  gpointer found = g_hash_table_lookup (self->index, &key);

  *is_new = found == NULL;
  if (found != NULL)
    return GPOINTER_TO_UINT (found) - 1;
  g_hash_table_insert (self->index, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (next + 1));
  return next;
}

static void
add_groups (HirUnion *self, Part *part, const HirGraph *graph)
{
  for (guint i = 0; i < graph->groups->len; i++)
    {
      const HirGraphGroup *group = &g_array_index (graph->groups, HirGraphGroup, i);
      HirSizesGroup size = g_array_index (part->sizes->groups, HirSizesGroup, i);
      gint32 parent =
          size.parent >= 0 ? (gint32) g_array_index (part->groups, guint32, size.parent) : -1;
      gboolean is_new;
      guint32 index =
          intern (self, (Key){ group->id, parent, 1 }, self->sizes->groups->len, &is_new);

      size.parent = parent;
      if (is_new)
        g_array_append_val (self->sizes->groups, size);
      else
        {
          HirSizesGroup *known = &g_array_index (self->sizes->groups, HirSizesGroup, index);

          known->title_width = MAX (known->title_width, size.title_width);
          known->title_height = MAX (known->title_height, size.title_height);
        }
      g_array_append_val (part->groups, index);
    }
}

static void
add_nodes (HirUnion *self, Part *part, const HirGraph *graph)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const HirGraphNode *node = &g_array_index (graph->nodes, HirGraphNode, i);
      HirSizesNode size = g_array_index (part->sizes->nodes, HirSizesNode, i);
      gboolean is_new;
      guint32 index;

      size.group =
          size.group >= 0 ? (gint32) g_array_index (part->groups, guint32, size.group) : -1;
      index = intern (self, (Key){ node->key, size.group, 0 }, self->sizes->nodes->len, &is_new);
      if (is_new)
        g_array_append_val (self->sizes->nodes, size);
      else
        {
          HirSizesNode *known = &g_array_index (self->sizes->nodes, HirSizesNode, index);

          known->width = MAX (known->width, size.width);
          known->height = MAX (known->height, size.height);
        }
      g_array_append_val (part->nodes, index);
    }
}

static void
add_edges (HirUnion *self, Part *part, const HirGraph *graph)
{
  for (guint i = 0; i < graph->edges->len; i++)
    {
      HirSizesEdge edge = g_array_index (part->sizes->edges, HirSizesEdge, i);
      gboolean is_new;
      guint32 index;

      edge.from = g_array_index (part->nodes, guint32, edge.from);
      edge.to = g_array_index (part->nodes, guint32, edge.to);
      index = intern (self, (Key){ edge.from, edge.to, 2 + edge.kind }, self->sizes->edges->len,
                      &is_new);
      if (is_new)
        g_array_append_val (self->sizes->edges, edge);
      g_array_append_val (part->edges, index);
    }
}

HirUnion *
hir_union_new (const HirGraph *const *graphs, guint n_graphs, HirMeasure *measure)
{
  HirUnion *self = g_new0 (HirUnion, 1);

  self->sizes = hir_sizes_new_empty ();
  self->parts = g_new0 (Part, n_graphs + 1);
  self->n_parts = n_graphs;
  self->index = g_hash_table_new_full (hash_key, equal_keys, g_free, NULL);
  for (guint i = 0; i < n_graphs; i++)
    {
      Part *part = &self->parts[i];

      part->nodes = g_array_new (FALSE, FALSE, sizeof (guint32));
      part->groups = g_array_new (FALSE, FALSE, sizeof (guint32));
      part->edges = g_array_new (FALSE, FALSE, sizeof (guint32));
      part->sizes = hir_sizes_new (graphs[i], measure);
      add_groups (self, part, graphs[i]);
      add_nodes (self, part, graphs[i]);
      add_edges (self, part, graphs[i]);
    }
  g_clear_pointer (&self->index, g_hash_table_unref);
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

guint
hir_union_get_node (const HirUnion *self, guint graph, guint node)
{
  g_return_val_if_fail (graph < self->n_parts && node < self->parts[graph].nodes->len, 0);

  return g_array_index (self->parts[graph].nodes, guint32, node);
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

      /* What is new stands where its predecessor in the program stood. */
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
