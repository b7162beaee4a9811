#include "view/device-grid.h"

#include "view/domain-tree.h"

#include <string.h>

/* Larger meshes are not drawn. */
#define MAX_DIMS 8
#define MAX_DEVICES 65536

static gboolean
read_number (const char **at, gint64 *number)
{
  char *end;

  if (!g_ascii_isdigit (**at))
    return FALSE;
  *number = g_ascii_strtoll (*at, &end, 10);
  *at = end;
  return TRUE;
}

/* Reads `{{0 1}{2 3}}` and counts the elements at each level. Returns FALSE if the levels are
 * uneven. Iterative, because the brackets of a broken recording may be nested deeply. */
static gboolean
read_levels (HirDeviceGrid *grid, const char *at)
{
  gint64 counts[MAX_DIMS] = { 0 }, sizes[MAX_DIMS] = { 0 };
  guint depth = 0, deepest = 0;

  for (; *at != '\0'; at++)
    {
      gint64 number;

      if (*at == '{')
        {
          if (depth > 0)
            counts[depth - 1]++;
          if (depth == MAX_DIMS)
            return FALSE;
          counts[depth++] = 0;
          deepest = MAX (deepest, depth);
        }
      else if (*at == '}' && depth > 0)
        {
          depth--;
          if (sizes[depth] != 0 && sizes[depth] != counts[depth])
            return FALSE;
          sizes[depth] = counts[depth];
        }
      else if (read_number (&at, &number))
        {
          if (depth == 0 || grid->devices->len == MAX_DEVICES)
            return FALSE;
          g_array_append_val (grid->devices, number);
          counts[depth - 1]++;
          at--;
        }
      else if (*at != ' ')
        return FALSE;
    }
  g_array_append_vals (grid->shape, sizes, deepest);
  grid->n_dims = deepest;
  return depth == 0 && deepest > 0;
}

static gboolean
check_shape (const HirDeviceGrid *grid)
{
  gint64 size = 1;

  for (guint i = 0; i < grid->n_dims; i++)
    size = MIN (size, MAX_DEVICES) * MIN (g_array_index (grid->shape, gint64, i), MAX_DEVICES);
  return size > 0 && size == (gint64) grid->devices->len;
}

HirDeviceGrid *
hir_device_grid_new (const HirNodeInfo *info)
{
  const char *mesh = hir_node_info_get_fact (info, "mesh");
  const char *team = hir_node_info_get_fact (info, "team");
  g_autoptr (HirDeviceGrid) grid = NULL;
  g_autofree char *text = NULL;

  if (mesh != NULL && g_str_has_prefix (mesh, "DeviceMesh{"))
    text = g_strdup (mesh + strlen ("DeviceMesh"));
  else if (team != NULL)
    text = g_strdup_printf ("{%s}", team);
  else
    return NULL;
  grid = g_new0 (HirDeviceGrid, 1);
  grid->shape = g_array_new (FALSE, FALSE, sizeof (gint64));
  grid->devices = g_array_new (FALSE, FALSE, sizeof (gint64));
  return read_levels (grid, text) && check_shape (grid) ? g_steal_pointer (&grid) : NULL;
}

void
hir_device_grid_free (HirDeviceGrid *grid)
{
  if (grid == NULL)
    return;
  g_array_unref (grid->shape);
  g_array_unref (grid->devices);
  g_free (grid);
}
