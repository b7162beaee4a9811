#include "draw/graph/lanes.h"

#include "draw/graph/lanes-route.h"

#include <math.h>
#include <string.h>

#define ROW_GAP 14.0f
#define COLUMN_GAP 64.0f /* space for the lines of lanes-route.h */
#define HEADER_HEIGHT 34.0f

typedef struct
{
  const HirGraph *graph;
  const HirSizes *sizes;
  guint *columns;     /* per node; 0 for tensors */
  GPtrArray *titles;  /* titles of the columns */
  HirRect *columns_x; /* left edge and width of each column */
} Lanes;

/* Converts "-> Stream 0" and "to Stream ( i % 4 )" to "Stream 0" and "Stream ( i % 4 )". */
static const char *
skip_arrow (const char *text)
{
  static const char *const lead[] = { "→", "->", "to ", "into ", " " };

  for (gboolean again = TRUE; again;)
    {
      again = FALSE;
      for (guint i = 0; i < G_N_ELEMENTS (lead); i++)
        if (g_str_has_prefix (text, lead[i]))
          {
            text += strlen (lead[i]);
            again = TRUE;
          }
    }
  return text;
}

static guint
get_column (Lanes *lanes, const char *title)
{
  for (guint i = 1; i < lanes->titles->len; i++)
    if (strcmp (g_ptr_array_index (lanes->titles, i), title) == 0)
      return i;
  g_ptr_array_add (lanes->titles, g_strdup (title));
  return lanes->titles->len - 1;
}

static void
assign_columns (Lanes *lanes)
{
  guint current = 1;

  g_ptr_array_add (lanes->titles, g_strdup ("Tensors"));
  g_ptr_array_add (lanes->titles, g_strdup ("Default stream"));
  for (guint i = 0; i < lanes->graph->nodes->len; i++)
    {
      const HirGraphNode *node = &g_array_index (lanes->graph->nodes, HirGraphNode, i);
      const char *stream = node->subtitle != NULL ? skip_arrow (node->subtitle) : "";

      if (node->kind == HIR_GRAPH_TENSOR)
        continue;
      if (node->kind == HIR_GRAPH_STREAM && *stream != '\0' &&
          g_str_has_prefix (node->title, "SetCurrentStream"))
        current = get_column (lanes, stream);
      lanes->columns[i] = current;
    }
}

static gboolean
is_in (const HirSizes *sizes, gint32 group, gint32 of)
{
  for (; group >= 0; group = g_array_index (sizes->groups, HirSizesGroup, group).parent)
    if (group == of)
      return TRUE;
  return FALSE;
}

/* Returns the height of titles and borders between a node of @before and the next node, of
 * @after. */
static float
get_border_gap (const HirSizes *sizes, gint32 before, gint32 after)
{
  float gap = 0;

  for (gint32 g = before; g >= 0; g = g_array_index (sizes->groups, HirSizesGroup, g).parent)
    if (!is_in (sizes, after, g))
      gap += HIR_GROUP_PADDING;
  for (gint32 g = after; g >= 0; g = g_array_index (sizes->groups, HirSizesGroup, g).parent)
    if (!is_in (sizes, before, g))
      gap +=
          g_array_index (sizes->groups, HirSizesGroup, g).title_height + (float) HIR_GROUP_PADDING;
  return gap;
}

static void
place_instructions (Lanes *lanes, HirLayout *layout)
{
  float y = HEADER_HEIGHT;
  gint32 before = -1;

  for (guint i = 0; i < lanes->graph->nodes->len; i++)
    {
      const HirSizesNode *size = &g_array_index (lanes->sizes->nodes, HirSizesNode, i);

      if (lanes->columns[i] == 0)
        continue;
      y += get_border_gap (lanes->sizes, before, size->group);
      before = size->group;
      g_array_index (layout->nodes, HirRect, i) = (HirRect){ 0, y, size->width, size->height };
      y += size->height + ROW_GAP;
    }
}

/* Places tensors next to their producers, or at the top for inputs, one below the other. */
static void
place_tensors (Lanes *lanes, HirLayout *layout)
{
  g_autofree float *wish = g_new0 (float, lanes->sizes->nodes->len + 1);
  float y = HEADER_HEIGHT;

  for (guint i = 0; i < lanes->sizes->edges->len; i++)
    {
      const HirSizesEdge *edge = &g_array_index (lanes->sizes->edges, HirSizesEdge, i);

      if (lanes->columns[edge->from] != 0)
        wish[edge->to] = MAX (wish[edge->to], g_array_index (layout->nodes, HirRect, edge->from).y);
    }
  for (guint i = 0; i < lanes->graph->nodes->len; i++)
    {
      const HirSizesNode *size = &g_array_index (lanes->sizes->nodes, HirSizesNode, i);

      if (lanes->columns[i] != 0)
        continue;
      y = MAX (y, wish[i]);
      g_array_index (layout->nodes, HirRect, i) = (HirRect){ 0, y, size->width, size->height };
      y += size->height + ROW_GAP;
    }
}

static void
place_columns (Lanes *lanes, HirLayout *layout)
{
  g_autofree float *widths = g_new0 (float, lanes->titles->len);
  float x = 0;

  for (guint i = 0; i < layout->nodes->len; i++)
    {
      float width = g_array_index (layout->nodes, HirRect, i).width;

      widths[lanes->columns[i]] = MAX (widths[lanes->columns[i]], width);
    }
  for (guint c = 0; c < lanes->titles->len; c++)
    {
      HirLane lane = { x, widths[c], NULL };

      lanes->columns_x[c] = hir_rect (x, 0, widths[c], 0);
      if (widths[c] <= 0)
        {
          /* The column has no boxes: lines right of it run right of the previous column. */
          if (c > 0)
            lanes->columns_x[c] = lanes->columns_x[c - 1];
          continue;
        }
      lane.title = g_strdup (g_ptr_array_index (lanes->titles, c));
      g_array_append_val (layout->lanes, lane);
      for (guint i = 0; i < layout->nodes->len; i++)
        if (lanes->columns[i] == c)
          {
            HirRect *rect = &g_array_index (layout->nodes, HirRect, i);

            rect->x = x + floorf ((widths[c] - rect->width) / 2);
          }
      x += widths[c] + COLUMN_GAP;
    }
}

gboolean
hir_lanes_has_streams (const HirGraph *graph)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    if (g_array_index (graph->nodes, HirGraphNode, i).kind == HIR_GRAPH_STREAM)
      return TRUE;
  return FALSE;
}

HirLayout *
hir_lanes_new (const HirGraph *graph, const HirSizes *sizes)
{
  Lanes lanes = { .graph = graph, .sizes = sizes };
  HirLayout *layout;

  g_return_val_if_fail (graph != NULL && sizes != NULL, NULL);
  g_return_val_if_fail (graph->nodes->len == sizes->nodes->len, NULL);

  if (!hir_lanes_has_streams (graph))
    return hir_lanes_new_layered (sizes);
  layout = hir_layout_new (HIR_LAYOUT_LANES);
  g_array_set_size (layout->nodes, graph->nodes->len);
  lanes.columns = g_new0 (guint, graph->nodes->len + 1);
  lanes.titles = g_ptr_array_new_with_free_func (g_free);
  assign_columns (&lanes);
  lanes.columns_x = g_new0 (HirRect, lanes.titles->len);
  place_instructions (&lanes, layout);
  place_tensors (&lanes, layout);
  place_columns (&lanes, layout);
  hir_lanes_route (layout, sizes, lanes.columns, lanes.columns_x);
  hir_layout_fit_groups (layout, sizes, NULL);
  hir_layout_fit_origin (layout);
  g_free (lanes.columns);
  g_free (lanes.columns_x);
  g_ptr_array_unref (lanes.titles);
  return layout;
}
