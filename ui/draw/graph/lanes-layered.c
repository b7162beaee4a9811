#include "draw/graph/lanes.h"

#include <math.h>
#include <string.h>

#define GAP_X 22.0f
#define GAP_Y 30.0f
/* Wider rows are wrapped, so that a thousand inputs do not form a line. */
#define MAX_ROW_WIDTH 2400.0f

/* An element of a group or of the top level: a node, or a group as a box. The index is that of a
 * node, or n_nodes + that of a group. */
typedef struct
{
  guint32 thing;
  guint32 rank;
  float centre; /* mean position of its predecessors */
} Item;

typedef struct
{
  guint32 container; /* 0 for the top level; otherwise group + 1 */
  guint32 from, to;  /* elements */
} Link;

typedef struct
{
  const HirSizes *sizes;
  guint n_nodes, n_things, n_containers;
  HirRect *boxes; /* per element, relative to its container */
  guint32 *first; /* per element: its first node, which determines the order */
  guint32 *ranks; /* per element */
  GArray **items; /* per container */
  GArray *links;  /* Link, sorted for the current step */
  float *sums;    /* per element: sum of the centers of its predecessors, and their number */
  guint *counts;
} Layered;

static gint32
get_parent (const Layered *layered, guint32 thing)
{
  return thing < layered->n_nodes
             ? g_array_index (layered->sizes->nodes, HirSizesNode, thing).group
             : g_array_index (layered->sizes->groups, HirSizesGroup, thing - layered->n_nodes)
                   .parent;
}

static guint
get_depth (const Layered *layered, guint32 thing)
{
  guint depth = 0;

  for (gint32 group = get_parent (layered, thing); group >= 0; depth++)
    group = g_array_index (layered->sizes->groups, HirSizesGroup, group).parent;
  return depth;
}

/* Converts an edge between elements @a and @b into a link between the two elements of one container
 * that contain its ends. */
static gboolean
lift (const Layered *layered, guint32 a, guint32 b, Link *link)
{
  guint depth_a = get_depth (layered, a), depth_b = get_depth (layered, b);

  for (; depth_a > depth_b; depth_a--)
    a = layered->n_nodes + (guint32) get_parent (layered, a);
  for (; depth_b > depth_a; depth_b--)
    b = layered->n_nodes + (guint32) get_parent (layered, b);
  while (get_parent (layered, a) != get_parent (layered, b))
    {
      a = layered->n_nodes + (guint32) get_parent (layered, a);
      b = layered->n_nodes + (guint32) get_parent (layered, b);
    }
  *link = (Link){ (guint32) (get_parent (layered, a) + 1), a, b };
  return a != b;
}

static int
compare_links (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const Layered *layered = user_data;
  const Link *x = a, *y = b;

  if (x->container != y->container)
    return x->container < y->container ? -1 : 1;
  if (layered->first[x->from] != layered->first[y->from])
    return layered->first[x->from] < layered->first[y->from] ? -1 : 1;
  return x->to < y->to ? -1 : x->to > y->to;
}

static int
compare_by_first (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const Layered *layered = user_data;
  guint32 x = layered->first[((const Item *) a)->thing],
          y = layered->first[((const Item *) b)->thing];

  return x < y ? -1 : x > y;
}

static void
collect (Layered *layered)
{
  const HirSizes *sizes = layered->sizes;

  for (guint i = 0; i < layered->n_things; i++)
    layered->first[i] = i < layered->n_nodes ? i : G_MAXUINT32;
  for (guint i = 0; i < layered->n_nodes; i++)
    for (gint32 g = get_parent (layered, i); g >= 0;
         g = g_array_index (sizes->groups, HirSizesGroup, g).parent)
      if (layered->first[layered->n_nodes + (guint) g] == G_MAXUINT32)
        layered->first[layered->n_nodes + (guint) g] = i;
  for (guint i = 0; i < layered->n_things; i++)
    {
      Item item = { .thing = i };

      if (layered->first[i] != G_MAXUINT32) /* an empty group has no position */
        g_array_append_val (layered->items[get_parent (layered, i) + 1], item);
    }
  for (guint i = 0; i < sizes->edges->len; i++)
    {
      const HirSizesEdge *edge = &g_array_index (sizes->edges, HirSizesEdge, i);
      Link link;

      if (lift (layered, edge->from, edge->to, &link))
        g_array_append_val (layered->links, link);
    }
  for (guint i = 0; i < sizes->constraints->len; i++)
    {
      const HirSizesConstraint *tie = &g_array_index (sizes->constraints, HirSizesConstraint, i);
      Link link;

      if (lift (layered, tie->from, tie->to_group ? layered->n_nodes + tie->to : tie->to, &link))
        g_array_append_val (layered->links, link);
    }
  g_array_sort_with_data (layered->links, compare_links, layered);
}

/* Ranks by the longest path. Ignores edges against the program order (values of a loop's last
 * iteration). */
static void
rank_all (Layered *layered)
{
  for (guint i = 0; i < layered->links->len; i++)
    {
      const Link *link = &g_array_index (layered->links, Link, i);

      if (layered->first[link->from] < layered->first[link->to])
        layered->ranks[link->to] = MAX (layered->ranks[link->to], layered->ranks[link->from] + 1);
    }
}

static int
compare_links_by_rank (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const Layered *layered = user_data;
  const Link *x = a, *y = b;

  if (x->container != y->container)
    return x->container < y->container ? -1 : 1;
  if (layered->ranks[x->to] != layered->ranks[y->to])
    return layered->ranks[x->to] < layered->ranks[y->to] ? -1 : 1;
  return compare_links (a, b, user_data);
}

/* Compares by rank, then by the position of the predecessors, then by program order. */
static int
compare_items (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const Item *x = a, *y = b;

  if (x->rank != y->rank)
    return x->rank < y->rank ? -1 : 1;
  if (x->centre != y->centre)
    return x->centre < y->centre ? -1 : 1;
  return compare_by_first (a, b, user_data);
}

/* Places items [from, to) in wrapped rows. Returns the y below them. */
static float
place_rank (Layered *layered, GArray *items, guint from, guint to, float y, float *width)
{
  float x = 0, tallest = 0;

  for (guint i = from; i < to; i++)
    {
      HirRect *box = &layered->boxes[g_array_index (items, Item, i).thing];

      if (x > 0 && x + box->width > MAX_ROW_WIDTH)
        {
          x = 0;
          y += tallest + GAP_Y / 2;
          tallest = 0;
        }
      box->x = x;
      box->y = y;
      x += box->width + GAP_X;
      tallest = MAX (tallest, box->height);
      *width = MAX (*width, x - GAP_X);
    }
  return y + tallest;
}

/* Averages the centers of the predecessors of elements with @rank in @container. @link is the first
 * unprocessed link. */
static void
pull_centres (Layered *layered, guint container, guint32 rank, guint *link)
{
  for (; *link < layered->links->len; (*link)++)
    {
      const Link *l = &g_array_index (layered->links, Link, *link);

      if (l->container != container || layered->ranks[l->to] > rank)
        return;
      if (layered->ranks[l->from] >= layered->ranks[l->to])
        continue;
      layered->sums[l->to] += layered->boxes[l->from].x + layered->boxes[l->from].width / 2;
      layered->counts[l->to]++;
    }
}

/* Centers narrow rows below the widest one. */
static void
centre_row (Layered *layered, GArray *items, guint from, guint to, float width)
{
  for (guint i = from; i < to;)
    {
      const HirRect *head = &layered->boxes[g_array_index (items, Item, i).thing];
      guint end = i;
      float right = 0, shift;

      for (; end < to && layered->boxes[g_array_index (items, Item, end).thing].y == head->y; end++)
        {
          const HirRect *box = &layered->boxes[g_array_index (items, Item, end).thing];

          right = box->x + box->width;
        }
      shift = floorf ((width - right) / 2);
      for (; i < end; i++)
        layered->boxes[g_array_index (items, Item, i).thing].x += shift;
    }
}

static void
place_container (Layered *layered, guint container, guint link)
{
  GArray *items = layered->items[container];
  float y = 0, width = 0;

  for (guint i = 0; i < items->len; i++)
    g_array_index (items, Item, i).rank = layered->ranks[g_array_index (items, Item, i).thing];
  g_array_sort_with_data (items, compare_items, layered);
  for (guint from = 0, to; from < items->len; from = to)
    {
      guint32 rank = g_array_index (items, Item, from).rank;
      g_autoptr (GArray) row = NULL;

      pull_centres (layered, container, rank, &link);
      for (to = from; to < items->len && g_array_index (items, Item, to).rank == rank; to++)
        {
          Item *item = &g_array_index (items, Item, to);
          guint n = layered->counts[item->thing];

          item->centre = n > 0 ? layered->sums[item->thing] / (float) n : 0;
        }
      row = g_array_sized_new (FALSE, FALSE, sizeof (Item), to - from);
      g_array_append_vals (row, &g_array_index (items, Item, from), to - from);
      g_array_sort_with_data (row, compare_items, layered);
      memcpy (&g_array_index (items, Item, from), row->data, (to - from) * sizeof (Item));
      y = place_rank (layered, items, from, to, y, &width) + GAP_Y;
    }
  centre_row (layered, items, 0, items->len, width);
  if (container > 0)
    {
      const HirSizesGroup *group =
          &g_array_index (layered->sizes->groups, HirSizesGroup, container - 1);
      HirRect *box = &layered->boxes[layered->n_nodes + container - 1];

      box->width = MAX (width, group->title_width) + 2 * (float) HIR_GROUP_PADDING;
      box->height = MAX (y - GAP_Y, 0) + group->title_height + 2 * (float) HIR_GROUP_PADDING;
    }
}

/* Innermost containers first, because the size of a group must be known before its parent places
 * it. */
static void
place_all (Layered *layered)
{
  guint link = layered->links->len;

  for (guint container = layered->n_containers; container > 0; container--)
    {
      while (link > 0 && g_array_index (layered->links, Link, link - 1).container >= container - 1)
        link--;
      place_container (layered, container - 1, link);
    }
  /* Outermost first: converts relative positions to absolute ones. */
  for (guint g = 0; g < layered->sizes->groups->len; g++)
    {
      gint32 parent = g_array_index (layered->sizes->groups, HirSizesGroup, g).parent;
      HirRect *box = &layered->boxes[layered->n_nodes + g];

      if (parent >= 0)
        {
          box->x += layered->boxes[layered->n_nodes + (guint) parent].x + (float) HIR_GROUP_PADDING;
          box->y += layered->boxes[layered->n_nodes + (guint) parent].y +
                    (float) HIR_GROUP_PADDING +
                    g_array_index (layered->sizes->groups, HirSizesGroup, parent).title_height;
        }
    }
}

static void
init (Layered *layered, const HirSizes *sizes)
{
  layered->sizes = sizes;
  layered->n_nodes = sizes->nodes->len;
  layered->n_things = sizes->nodes->len + sizes->groups->len;
  layered->n_containers = sizes->groups->len + 1;
  layered->boxes = g_new0 (HirRect, layered->n_things + 1);
  layered->first = g_new0 (guint32, layered->n_things + 1);
  layered->ranks = g_new0 (guint32, layered->n_things + 1);
  layered->sums = g_new0 (float, layered->n_things + 1);
  layered->counts = g_new0 (guint, layered->n_things + 1);
  layered->items = g_new0 (GArray *, layered->n_containers);
  layered->links = g_array_new (FALSE, FALSE, sizeof (Link));
  for (guint i = 0; i < layered->n_containers; i++)
    layered->items[i] = g_array_new (FALSE, FALSE, sizeof (Item));
  for (guint i = 0; i < layered->n_nodes; i++)
    {
      layered->boxes[i].width = g_array_index (sizes->nodes, HirSizesNode, i).width;
      layered->boxes[i].height = g_array_index (sizes->nodes, HirSizesNode, i).height;
    }
}

static void
clear (Layered *layered)
{
  for (guint i = 0; i < layered->n_containers; i++)
    g_array_unref (layered->items[i]);
  g_array_unref (layered->links);
  g_free (layered->items);
  g_free (layered->boxes);
  g_free (layered->first);
  g_free (layered->ranks);
  g_free (layered->sums);
  g_free (layered->counts);
}

/* Leads the edge from bottom to top, steep at both ends. An upward edge goes around the side. */
static void
add_edge (HirLayout *layout, guint from, guint to)
{
  const HirRect *a = &g_array_index (layout->nodes, HirRect, from);
  const HirRect *b = &g_array_index (layout->nodes, HirRect, to);
  float ax = a->x + a->width / 2, bx = b->x + b->width / 2, bottom = a->y + a->height;
  float reach = CLAMP (b->y - bottom, 13, 100) * 0.6f;
  float side = MAX (a->x + a->width, b->x + b->width) + 24;
  HirPoint down[4] = { { ax, bottom }, { ax, bottom + reach }, { bx, b->y - reach }, { bx, b->y } };
  HirPoint around[4] = { { a->x + a->width, a->y + a->height / 2 },
                         { side, a->y + a->height / 2 },
                         { side, b->y + b->height / 2 },
                         { b->x + b->width, b->y + b->height / 2 } };

  hir_layout_add_edge (layout, b->y >= bottom ? down : around, 4);
}

HirLayout *
hir_lanes_new_layered (const HirSizes *sizes)
{
  HirLayout *layout = hir_layout_new (HIR_LAYOUT_LANES);
  Layered layered = { 0 };

  g_return_val_if_fail (sizes != NULL, NULL);

  init (&layered, sizes);
  collect (&layered);
  rank_all (&layered);
  g_array_sort_with_data (layered.links, compare_links_by_rank, &layered);
  place_all (&layered);
  for (guint i = 0; i < layered.n_nodes; i++)
    {
      HirRect box = layered.boxes[i];
      gint32 group = get_parent (&layered, i);

      if (group >= 0)
        {
          box.x += layered.boxes[layered.n_nodes + (guint) group].x + (float) HIR_GROUP_PADDING;
          box.y += layered.boxes[layered.n_nodes + (guint) group].y + (float) HIR_GROUP_PADDING +
                   g_array_index (sizes->groups, HirSizesGroup, group).title_height;
        }
      g_array_append_val (layout->nodes, box);
    }
  for (guint i = 0; i < sizes->groups->len; i++)
    {
      HirRect box = layered.boxes[layered.n_nodes + i];

      if (layered.first[layered.n_nodes + i] == G_MAXUINT32)
        box = hir_rect (0, 0, 0, 0);
      g_array_append_val (layout->groups, box);
    }
  for (guint i = 0; i < sizes->edges->len; i++)
    {
      const HirSizesEdge *edge = &g_array_index (sizes->edges, HirSizesEdge, i);

      add_edge (layout, edge->from, edge->to);
    }
  hir_layout_fit_origin (layout);
  clear (&layered);
  return layout;
}
