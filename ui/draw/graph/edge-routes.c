#include "draw/graph/edge-routes.h"

#include "draw/graph/group-titles.h"

#include <math.h>

/* Minimum distance of a line from boxes, of two edge ends at one box, and of an edge end from the
 * corners. */
#define CLEARANCE 5.0f
#define PORT_GAP 16.0f
#define CORNER 10.0f
#define N_SAMPLES 24

/* A box with more edges, for example a folded loop, has no ordered operands. */
#define MAX_OPERANDS 16

/* Two boxes that are closer leave no space for a curve. */
#define NEAR 40.0f

typedef struct
{
  guint32 edge;
  guint32 node;
  float toward; /* center x of the other end */
} Port;

static const HirRect *
get_rect (const HirLayout *layout, guint32 node)
{
  return &g_array_index (layout->nodes, HirRect, node);
}

static int
compare_ports (gconstpointer a, gconstpointer b)
{
  const Port *x = a, *y = b;

  if (x->node != y->node)
    return x->node < y->node ? -1 : 1;
  if (x->toward != y->toward)
    return x->toward < y->toward ? -1 : 1;
  return x->edge < y->edge ? -1 : x->edge > y->edge;
}

/* Assigns the ports of a box to values in operand order. The edges are in this order. */
static void
order_operands (const GArray *edges, Port *ports, guint n)
{
  for (guint i = 0; i < n; i++)
    for (guint k = i + 1; k < n; k++)
      {
        guint32 kind = g_array_index (edges, HirSizesEdge, ports[i].edge).kind;
        guint32 other = g_array_index (edges, HirSizesEdge, ports[k].edge).kind;
        guint32 edge = ports[i].edge;

        if (kind == HIR_EDGE_SYNC || kind == HIR_EDGE_ORDER || other == HIR_EDGE_SYNC ||
            other == HIR_EDGE_ORDER || edge < ports[k].edge)
          continue;
        ports[i].edge = ports[k].edge;
        ports[k].edge = edge;
      }
}

/* Distributes the edges on one side of each box in the order of their other ends, so that they do
 * not cross. */
static float *
place_ports (const HirLayout *layout, const GArray *edges, gboolean heads)
{
  float *places = g_new0 (float, edges->len + 1);
  g_autoptr (GArray) ports = g_array_new (FALSE, FALSE, sizeof (Port));

  for (guint i = 0; i < edges->len; i++)
    {
      const HirSizesEdge *edge = &g_array_index (edges, HirSizesEdge, i);
      const HirRect *other = get_rect (layout, heads ? edge->from : edge->to);
      Port port = { i, heads ? edge->to : edge->from, other->x + other->width / 2 };

      g_array_append_val (ports, port);
    }
  g_array_sort (ports, compare_ports);
  for (guint from = 0, to; from < ports->len; from = to)
    {
      guint32 node = g_array_index (ports, Port, from).node;
      const HirRect *rect = get_rect (layout, node);
      float gap;

      for (to = from; to < ports->len && g_array_index (ports, Port, to).node == node; to++)
        ;
      if (heads && to - from <= MAX_OPERANDS)
        order_operands (edges, &g_array_index (ports, Port, from), to - from);
      gap = MIN (PORT_GAP, MAX (rect->width - 2 * CORNER, 0) / MAX ((float) (to - from) - 1, 1));
      for (guint i = from; i < to; i++)
        places[g_array_index (ports, Port, i).edge] =
            rect->x + rect->width / 2 + gap * ((float) (i - from) - (float) (to - from - 1) / 2);
    }
  return places;
}

static HirPoint
get_point (const HirPoint *p, float t)
{
  float u = 1 - t, a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;

  return (HirPoint){ a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
                     a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y };
}

static gboolean
crosses (const HirPoint *samples, const HirRect *rect)
{
  for (guint k = 0; k <= N_SAMPLES; k++)
    if (samples[k].x > rect->x - CLEARANCE && samples[k].x < rect->x + rect->width + CLEARANCE &&
        samples[k].y > rect->y - CLEARANCE && samples[k].y < rect->y + rect->height + CLEARANCE)
      return TRUE;
  return FALSE;
}

static gboolean
is_free (const HirLayout *layout,
         const GArray *titles,
         const HirSizesEdge *edge,
         const HirPoint *curve)
{
  HirPoint samples[N_SAMPLES + 1];
  float left = MIN (curve[0].x, curve[3].x) - CLEARANCE;
  float right = MAX (curve[0].x, curve[3].x) + CLEARANCE;

  for (guint i = 0; i <= N_SAMPLES; i++)
    samples[i] = get_point (curve, (float) i / N_SAMPLES);
  for (guint i = 0; i < layout->nodes->len; i++)
    {
      const HirRect *rect = get_rect (layout, i);

      if (rect->width <= 0 || i == edge->from || i == edge->to || rect->x > right ||
          rect->x + rect->width < left || rect->y > curve[3].y ||
          rect->y + rect->height < curve[0].y)
        continue;
      if (crosses (samples, rect))
        return FALSE;
    }
  for (guint i = 0; i < titles->len; i++)
    {
      const HirRect *rect = &g_array_index (titles, HirRect, i);

      if (rect->width > 0 && crosses (samples, rect))
        return FALSE;
    }
  return TRUE;
}

/* Makes a curve that is steep at both ends; longer curves have longer steep parts. */
static void
make_sweep (HirPoint from, HirPoint to, HirPoint *curve)
{
  float reach = (to.y - from.y) * 0.45f;

  curve[0] = from;
  curve[1] = (HirPoint){ from.x, from.y + reach };
  curve[2] = (HirPoint){ to.x, to.y - reach };
  curve[3] = to;
}

/* A curve to a near box at the side would be a hook. The existing straight line looks better. */
static gboolean
is_flat (float dx, float dy)
{
  return fabsf (dx) > (dy < NEAR ? 0.8f : 2.5f) * dy;
}

void
hir_layout_shorten_edges (HirLayout *layout, const HirSizes *sizes)
{
  const GArray *edges = sizes->edges;
  g_autofree float *tails = NULL, *heads = NULL;
  g_autoptr (GArray) titles = NULL;

  g_return_if_fail (layout->edges->len == edges->len);

  if (layout->kind != HIR_LAYOUT_DOT || layout->nodes->len > HIR_ROUTES_MAX_NODES)
    return;
  titles = hir_group_title_dup_rects (layout, sizes);
  tails = place_ports (layout, edges, FALSE);
  heads = place_ports (layout, edges, TRUE);
  for (guint i = 0; i < edges->len; i++)
    {
      const HirSizesEdge *edge = &g_array_index (edges, HirSizesEdge, i);
      HirLayoutEdge *route = &g_array_index (layout->edges, HirLayoutEdge, i);
      const HirRect *a = get_rect (layout, edge->from), *b = get_rect (layout, edge->to);
      float bottom = a->y + a->height;
      HirPoint curve[4];

      if (route->n_points < 4 || a->width <= 0 || b->width <= 0 || b->y < bottom + 8)
        continue;
      make_sweep ((HirPoint){ tails[i], bottom }, (HirPoint){ heads[i], b->y }, curve);
      if (is_flat (heads[i] - tails[i], b->y - bottom) || !is_free (layout, titles, edge, curve))
        continue;
      /* The points of the old route stay unused, because they are few. */
      route->first_point = layout->points->len;
      route->n_points = 4;
      g_array_append_vals (layout->points, curve, 4);
    }
}
