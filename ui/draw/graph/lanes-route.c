#include "draw/graph/lanes-route.h"

#include <math.h>

/* Number of parallel lines in one strip. Further lines share the last slots. */
#define N_SLOTS 8
#define SLOT_WIDTH 6.0f
#define FIRST_SLOT 12.0f
#define CORNER 6.0f

typedef struct
{
  guint edge;
  guint strip; /* right of this column */
  float top, bottom;
  guint slot;
} Run;

/* Returns for each node the number of nodes above it in its column. Nodes of a column are in
 * program order. */
static guint *
count_above (const HirLayout *layout, const guint *columns)
{
  g_autoptr (GArray) counts = g_array_new (FALSE, TRUE, sizeof (guint));
  guint *above = g_new0 (guint, layout->nodes->len + 1);

  for (guint i = 0; i < layout->nodes->len; i++)
    {
      if (columns[i] >= counts->len)
        g_array_set_size (counts, columns[i] + 1);
      above[i] = g_array_index (counts, guint, columns[i])++;
    }
  return above;
}

/* Returns the strip of the vertical part: next to the tensor, whose row is shared, otherwise next
 * to the edge's end. */
static guint
get_strip (const HirSizesEdge *edge, const guint *columns)
{
  guint from = columns[edge->from], to = columns[edge->to];

  if (from == to)
    return from;
  if (from == 0 || to == 0)
    return 0;
  return to > from ? to - 1 : to;
}

static int
compare_runs (gconstpointer a, gconstpointer b)
{
  const Run *x = a, *y = b;

  if (x->strip != y->strip)
    return x->strip < y->strip ? -1 : 1;
  if (x->top != y->top)
    return x->top < y->top ? -1 : 1;
  return x->edge < y->edge ? -1 : x->edge > y->edge;
}

/* Assigns slots first-fit, strip by strip from the top. */
static void
assign_slots (GArray *runs)
{
  float ends[N_SLOTS];
  guint strip = G_MAXUINT;

  g_array_sort (runs, compare_runs);
  for (guint i = 0; i < runs->len; i++)
    {
      Run *run = &g_array_index (runs, Run, i);

      if (run->strip != strip)
        for (guint k = 0; k < N_SLOTS; k++)
          ends[k] = -1;
      strip = run->strip;
      while (run->slot + 1 < N_SLOTS && ends[run->slot] >= run->top)
        run->slot++;
      ends[run->slot] = MAX (ends[run->slot], run->bottom + 2);
    }
}

static void
add_line (GArray *points, float x, float y)
{
  HirPoint from = g_array_index (points, HirPoint, points->len - 1);
  HirPoint piece[3] = { from, { x, y }, { x, y } };

  g_array_append_vals (points, piece, 3);
}

/* Adds a quarter circle around the corner (@x, @y) toward (@to_x, @to_y). */
static void
add_corner (GArray *points, float x, float y, float to_x, float to_y)
{
  HirPoint from = g_array_index (points, HirPoint, points->len - 1);
  float before = hypotf (x - from.x, y - from.y), after = hypotf (to_x - x, to_y - y);
  float radius = MIN (CORNER, MIN (before, after / 2));
  float ux = before > 0 ? (x - from.x) / before : 0, uy = before > 0 ? (y - from.y) / before : 0;
  float vx = after > 0 ? (to_x - x) / after : 0, vy = after > 0 ? (to_y - y) / after : 0;
  const float k = 0.45f; /* 1 - 0.55: the control points of a quarter circle */
  HirPoint start = { x - ux * radius, y - uy * radius };
  HirPoint turn[3] = { { x - ux * radius * k, y - uy * radius * k },
                       { x + vx * radius * k, y + vy * radius * k },
                       { x + vx * radius, y + vy * radius } };

  add_line (points, start.x, start.y);
  g_array_append_vals (points, turn, 3);
}

/* Separates lines at one side of a box: lines of later strips enter lower. */
static float
get_port (const HirRect *rect, guint slot)
{
  return rect->y + rect->height * (0.25f + 0.5f * (float) slot / (N_SLOTS - 1));
}

static void
add_run (HirLayout *layout,
         const HirSizesEdge *edge,
         const Run *run,
         const guint *columns,
         const HirRect *places,
         GArray *points)
{
  const HirRect *a = &g_array_index (layout->nodes, HirRect, edge->from);
  const HirRect *b = &g_array_index (layout->nodes, HirRect, edge->to);
  float x =
      places[run->strip].x + places[run->strip].width + FIRST_SLOT + SLOT_WIDTH * (float) run->slot;
  /* The side that faces the strip. */
  HirPoint start = { columns[edge->from] <= run->strip ? a->x + a->width : a->x,
                     get_port (a, run->slot) };
  HirPoint end = { columns[edge->to] <= run->strip ? b->x + b->width : b->x,
                   get_port (b, run->slot) };

  g_array_set_size (points, 0);
  g_array_append_val (points, start);
  add_corner (points, x, start.y, x, end.y);
  add_corner (points, x, end.y, end.x, end.y);
  add_line (points, end.x, end.y);
  hir_layout_add_edge (layout, (const HirPoint *) (gpointer) points->data, points->len);
}

static void
add_straight (HirLayout *layout, const HirSizesEdge *edge)
{
  const HirRect *a = &g_array_index (layout->nodes, HirRect, edge->from);
  const HirRect *b = &g_array_index (layout->nodes, HirRect, edge->to);
  float x = a->x + a->width / 2;
  HirPoint line[4] = { { x, a->y + a->height }, { x, a->y + a->height }, { x, b->y }, { x, b->y } };

  hir_layout_add_edge (layout, line, 4);
}

void
hir_lanes_route (HirLayout *layout,
                 const HirSizes *sizes,
                 const guint *columns,
                 const HirRect *places)
{
  g_autoptr (GArray) runs = g_array_new (FALSE, TRUE, sizeof (Run));
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (HirPoint));
  g_autofree guint *above = count_above (layout, columns);
  g_autofree guint *run_of = g_new0 (guint, sizes->edges->len + 1); /* index + 1; 0 for a straight
                                                                     * edge */

  for (guint i = 0; i < sizes->edges->len; i++)
    {
      const HirSizesEdge *edge = &g_array_index (sizes->edges, HirSizesEdge, i);
      float a = g_array_index (layout->nodes, HirRect, edge->from).y;
      float b = g_array_index (layout->nodes, HirRect, edge->to).y;
      Run run = {
        .edge = i, .strip = get_strip (edge, columns), .top = MIN (a, b), .bottom = MAX (a, b)
      };

      /* Neighbors in a column have a straight line. */
      if (columns[edge->from] != columns[edge->to] || above[edge->to] != above[edge->from] + 1)
        g_array_append_val (runs, run);
    }
  assign_slots (runs);
  for (guint i = 0; i < runs->len; i++)
    run_of[g_array_index (runs, Run, i).edge] = i + 1;
  for (guint i = 0; i < sizes->edges->len; i++)
    {
      const HirSizesEdge *edge = &g_array_index (sizes->edges, HirSizesEdge, i);

      if (run_of[i] == 0)
        add_straight (layout, edge);
      else
        add_run (layout, edge, &g_array_index (runs, Run, run_of[i] - 1), columns, places, points);
    }
}
