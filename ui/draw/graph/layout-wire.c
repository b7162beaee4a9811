#include "draw/graph/layout-wire.h"

#include <math.h>
#include <string.h>

#define SIZES_MAGIC 0x327a5348u  /* "HSz2" */
#define LAYOUT_MAGIC 0x314c5948u /* "HYL1" */

typedef struct
{
  const guint8 *data;
  gsize left;
} Reader;

static void
put_array (GByteArray *out, const GArray *array)
{
  guint32 n = array->len;

  g_byte_array_append (out, (const guint8 *) &n, sizeof n);
  if (n > 0)
    g_byte_array_append (out, (const guint8 *) array->data,
                         n * g_array_get_element_size ((GArray *) array));
}

static gboolean
get_bytes (Reader *reader, gpointer to, gsize size)
{
  if (reader->left < size)
    return FALSE;
  memcpy (to, reader->data, size);
  reader->data += size;
  reader->left -= size;
  return TRUE;
}

static gboolean
get_array (Reader *reader, GArray *array)
{
  guint32 n;
  gsize size = g_array_get_element_size (array);

  if (!get_bytes (reader, &n, sizeof n) || n > reader->left / size)
    return FALSE;
  g_array_set_size (array, n);
  return n == 0 || get_bytes (reader, array->data, n * size);
}

GBytes *
hir_sizes_to_bytes (const HirSizes *sizes)
{
  GByteArray *out = g_byte_array_new ();
  guint32 magic = SIZES_MAGIC;

  g_byte_array_append (out, (const guint8 *) &magic, sizeof magic);
  put_array (out, sizes->nodes);
  put_array (out, sizes->groups);
  put_array (out, sizes->edges);
  put_array (out, sizes->constraints);
  put_array (out, sizes->order);
  return g_byte_array_free_to_bytes (out);
}

static gboolean
is_length (float value)
{
  return isfinite (value) && value >= 0 && value < 1e6f;
}

static gboolean
check_sizes (const HirSizes *sizes)
{
  guint n_nodes = sizes->nodes->len;

  for (guint i = 0; i < n_nodes; i++)
    {
      const HirSizesNode *node = &g_array_index (sizes->nodes, HirSizesNode, i);

      if (!is_length (node->width) || !is_length (node->height) || node->group < -1 ||
          node->group >= (gint32) sizes->groups->len)
        return FALSE;
    }
  for (guint i = 0; i < sizes->groups->len; i++)
    {
      const HirSizesGroup *group = &g_array_index (sizes->groups, HirSizesGroup, i);

      if (!is_length (group->title_width) || !is_length (group->title_height) ||
          group->parent < -1 || group->parent >= (gint32) i)
        return FALSE;
    }
  for (guint i = 0; i < sizes->edges->len; i++)
    {
      const HirSizesEdge *edge = &g_array_index (sizes->edges, HirSizesEdge, i);

      if (edge->from >= n_nodes || edge->to >= n_nodes || edge->kind >= HIR_EDGE_N_KINDS)
        return FALSE;
    }
  for (guint i = 0; i < sizes->constraints->len; i++)
    {
      const HirSizesConstraint *constraint =
          &g_array_index (sizes->constraints, HirSizesConstraint, i);

      if (constraint->from >= n_nodes ||
          constraint->to >= (constraint->to_group ? sizes->groups->len : n_nodes))
        return FALSE;
    }
  for (guint i = 0; i < sizes->order->len; i++)
    if (g_array_index (sizes->order, guint32, i) >= n_nodes)
      return FALSE;
  return sizes->order->len == 0 || sizes->order->len == n_nodes;
}

HirSizes *
hir_sizes_new_from_bytes (GBytes *bytes, GError **error)
{
  g_autoptr (HirSizes) sizes = hir_sizes_new_empty ();
  Reader reader;
  guint32 magic = 0;

  reader.data = g_bytes_get_data (bytes, &reader.left);
  if (get_bytes (&reader, &magic, sizeof magic) && magic == SIZES_MAGIC &&
      get_array (&reader, sizes->nodes) && get_array (&reader, sizes->groups) &&
      get_array (&reader, sizes->edges) && get_array (&reader, sizes->constraints) &&
      get_array (&reader, sizes->order) && reader.left == 0 && check_sizes (sizes))
    return g_steal_pointer (&sizes);
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "the layout worker received no graph; hirscope starts it itself when needed");
  return NULL;
}

GBytes *
hir_layout_to_bytes (const HirLayout *layout)
{
  GByteArray *out = g_byte_array_new ();
  guint32 head[2] = { LAYOUT_MAGIC, layout->kind };
  float size[2] = { layout->width, layout->height };

  g_byte_array_append (out, (const guint8 *) head, sizeof head);
  g_byte_array_append (out, (const guint8 *) size, sizeof size);
  put_array (out, layout->nodes);
  put_array (out, layout->groups);
  put_array (out, layout->edges);
  put_array (out, layout->points);
  return g_byte_array_free_to_bytes (out);
}

static gboolean
check_rects (const GArray *rects, guint n)
{
  for (guint i = 0; i < rects->len; i++)
    {
      const HirRect *r = &g_array_index (rects, HirRect, i);

      if (!isfinite (r->x) || !isfinite (r->y) || !isfinite (r->width) || !isfinite (r->height))
        return FALSE;
    }
  return rects->len == n;
}

static gboolean
check_layout (const HirLayout *layout, const HirSizes *sizes)
{
  if (!check_rects (layout->nodes, sizes->nodes->len) ||
      !check_rects (layout->groups, sizes->groups->len) ||
      layout->edges->len != sizes->edges->len || !isfinite (layout->width) ||
      !isfinite (layout->height))
    return FALSE;
  for (guint i = 0; i < layout->edges->len; i++)
    {
      const HirLayoutEdge *edge = &g_array_index (layout->edges, HirLayoutEdge, i);

      if (edge->first_point > layout->points->len ||
          edge->n_points > layout->points->len - edge->first_point ||
          (edge->n_points > 0 && (edge->n_points % 3 != 1 || edge->n_points < 4)))
        return FALSE;
    }
  for (guint i = 0; i < layout->points->len; i++)
    {
      const HirPoint *point = &g_array_index (layout->points, HirPoint, i);

      if (!isfinite (point->x) || !isfinite (point->y))
        return FALSE;
    }
  return TRUE;
}

HirLayout *
hir_layout_new_from_bytes (GBytes *bytes, const HirSizes *sizes, GError **error)
{
  g_autoptr (HirLayout) layout = hir_layout_new (HIR_LAYOUT_DOT);
  Reader reader;
  guint32 head[2] = { 0, 0 };
  float size[2] = { 0, 0 };

  reader.data = g_bytes_get_data (bytes, &reader.left);
  if (get_bytes (&reader, head, sizeof head) && head[0] == LAYOUT_MAGIC &&
      head[1] <= HIR_LAYOUT_LANES && get_bytes (&reader, size, sizeof size) &&
      get_array (&reader, layout->nodes) && get_array (&reader, layout->groups) &&
      get_array (&reader, layout->edges) && get_array (&reader, layout->points) && reader.left == 0)
    {
      layout->kind = (HirLayoutKind) head[1];
      layout->width = size[0];
      layout->height = size[1];
      if (check_layout (layout, sizes))
        return g_steal_pointer (&layout);
    }
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "the reply of the layout worker cannot be read");
  return NULL;
}
