#include "draw/cards/device-scene.h"

#include <math.h>
#include <string.h>

#define CELL_HEIGHT 22.0
#define MAX_CELL 34.0
#define MIN_CELL 20.0
#define GAP 3.0
#define LINE_HEIGHT 15.0
#define SMALL_PX 10.0
#define LABEL_PX 11.0

static gint64
get_device (const HirDeviceScene *scene, guint cell)
{
  return g_array_index (scene->grid->devices, gint64, cell);
}

/* Returns the number of cells per row of the mesh. A mesh of one axis and a team are one row. */
static guint
get_n_columns (const HirDeviceScene *scene)
{
  return (guint) g_array_index (scene->grid->shape, gint64, scene->grid->n_dims - 1);
}

static double
get_cell_width (const HirDeviceScene *scene)
{
  double each = (scene->width + GAP) / get_n_columns (scene) - GAP;

  return CLAMP (floor (each), MIN_CELL, MAX_CELL);
}

/* Rows that exceed the width wrap. */
static guint
get_per_line (const HirDeviceScene *scene)
{
  guint fits = (guint) MAX (floor ((scene->width + GAP) / (get_cell_width (scene) + GAP)), 1);

  return MIN (fits, get_n_columns (scene));
}

static guint
get_lines_per_row (const HirDeviceScene *scene)
{
  guint per_line = get_per_line (scene);

  return (get_n_columns (scene) + per_line - 1) / per_line;
}

static guint
get_n_rows (const HirDeviceScene *scene)
{
  return scene->grid->devices->len / get_n_columns (scene);
}

static HirRect
get_rect (const HirDeviceScene *scene, guint cell)
{
  guint row = cell / get_n_columns (scene), column = cell % get_n_columns (scene);
  guint line = row * get_lines_per_row (scene) + column / get_per_line (scene);
  double width = get_cell_width (scene);

  return hir_rect (1 + (column % get_per_line (scene)) * (width + GAP),
                   1 + line * (CELL_HEIGHT + GAP), width, CELL_HEIGHT);
}

static double
get_grid_height (const HirDeviceScene *scene)
{
  return get_n_rows (scene) * get_lines_per_row (scene) * (CELL_HEIGHT + GAP) + 2;
}

static guint
get_n_axis_lines (const HirDeviceScene *scene)
{
  return scene->tree != NULL ? MIN (scene->grid->n_dims, 3) : 0;
}

double
hir_device_scene_get_height (const HirDeviceScene *scene)
{
  return get_grid_height (scene) + 4 + (get_n_axis_lines (scene) + 1) * LINE_HEIGHT;
}

/* Returns the axis of the loop domain on this axis of the mesh. */
static const HirDomainBox *
find_axis (const HirDomainTree *tree, const char *parallel)
{
  for (guint i = 0; i < tree->boxes->len; i++)
    {
      const HirDomainBox *box = hir_domain_tree_get_box (tree, i);

      if (g_str_equal (hir_domain_tree_get_row (tree, box->row)->title, "loop") &&
          g_str_equal (box->parallel, parallel))
        return box;
    }
  return NULL;
}

static char *
dup_axis_text (const HirDeviceScene *scene, guint from_last)
{
  /* The script's name, and those of the program text and of nvFuser's documents. */
  static const char *const names[] = { "mesh_x (deviceIdx.x, DIDx)", "mesh_y (deviceIdx.y, DIDy)",
                                       "mesh_z (deviceIdx.z, DIDz)" };
  static const char *const types[] = { "deviceIdx.x", "deviceIdx.y", "deviceIdx.z" };
  const HirDomainBox *box = find_axis (scene->tree, types[from_last]);
  gint64 size = g_array_index (scene->grid->shape, gint64, scene->grid->n_dims - 1 - from_last);

  if (box != NULL)
    return g_strdup_printf ("%s: %" G_GINT64_FORMAT " device%s, split along %s", names[from_last],
                            size, size == 1 ? "" : "s", box->name);
  return g_strdup_printf ("%s: %" G_GINT64_FORMAT " device%s, %s", names[from_last], size,
                          size == 1 ? "" : "s", size == 1 ? "nothing split" : "replicated");
}

char *
hir_device_scene_dup_text (const HirDeviceScene *scene, int cell)
{
  GString *text;
  guint rest = (guint) cell;

  if (cell < 0 || (guint) cell >= scene->grid->devices->len)
    return g_strdup ("");
  text = g_string_new (NULL);
  for (guint i = scene->grid->n_dims; i-- > 0;)
    {
      guint size = (guint) g_array_index (scene->grid->shape, gint64, i);
      g_autofree char *coordinate =
          g_strdup_printf ("%u%s", rest % size, text->len > 0 ? ", " : "");

      g_string_prepend (text, coordinate);
      rest /= size;
    }
  g_string_prepend (text, " at (");
  g_string_append_c (text, ')');
  {
    g_autofree char *device =
        g_strdup_printf ("device %" G_GINT64_FORMAT, get_device (scene, (guint) cell));

    g_string_prepend (text, device);
  }
  if (get_device (scene, (guint) cell) == scene->rank)
    g_string_append (text, ", the displayed rank");
  if (get_device (scene, (guint) cell) == scene->root)
    g_string_append (text, ", the root");
  return g_string_free (text, FALSE);
}

static void
draw_cell (const HirDeviceScene *scene, HirDisplayList *list, guint cell)
{
  const HirTheme *theme = scene->theme;
  gint64 device = get_device (scene, cell);
  gboolean shown = device == scene->rank, root = device == scene->root;
  HirRect rect = get_rect (scene, cell);
  HirBoxColors colors = theme->node[HIR_GRAPH_TENSOR];
  g_autofree char *label = g_strdup_printf ("%" G_GINT64_FORMAT, device);
  HirColor stroke = scene->current == (int) cell ? theme->text
                    : root                       ? theme->link
                    : shown                      ? theme->accent
                                                 : colors.stroke;

  hir_display_list_add_round_rect (list, rect, 4, shown ? theme->accent_fill : colors.fill, stroke,
                                   shown || root || scene->current == (int) cell ? 2 : 1,
                                   HIR_DASH_NONE);
  hir_display_list_add_text (list, rect, label, shown ? HIR_FONT_SANS_BOLD : HIR_FONT_SANS,
                             LABEL_PX, theme->text, HIR_ALIGN_CENTER);
  hir_display_list_add_hit (list, rect, cell, 0);
}

/* Returns the text for the hovered cell, otherwise for the displayed rank, otherwise the legend of
 * the marks. */
static char *
dup_note (const HirDeviceScene *scene)
{
  gboolean has_rank = FALSE;

  if (scene->current >= 0)
    return hir_device_scene_dup_text (scene, scene->current);
  for (guint i = 0; i < scene->grid->devices->len; i++)
    has_rank |= get_device (scene, i) == scene->rank;
  if (!has_rank)
    return g_strdup_printf ("rank %" G_GINT64_FORMAT " is not one of these devices", scene->rank);
  if (scene->root >= 0)
    return g_strdup_printf ("filled: rank %" G_GINT64_FORMAT ", outlined: root %" G_GINT64_FORMAT,
                            scene->rank, scene->root);
  return g_strdup_printf ("filled: rank %" G_GINT64_FORMAT, scene->rank);
}

void
hir_device_scene_draw (const HirDeviceScene *scene, HirDisplayList *list)
{
  double y = get_grid_height (scene) + 2;
  g_autofree char *note = dup_note (scene);

  for (guint i = 0; i < scene->grid->devices->len; i++)
    draw_cell (scene, list, i);
  for (guint i = 0; i < get_n_axis_lines (scene); i++, y += LINE_HEIGHT)
    {
      g_autofree char *text = dup_axis_text (scene, i);

      hir_display_list_add_text (list, hir_rect (0, y, scene->width, LINE_HEIGHT), text,
                                 HIR_FONT_SANS, SMALL_PX, scene->theme->text, HIR_ALIGN_START);
    }
  hir_display_list_add_text (list, hir_rect (0, y, scene->width, LINE_HEIGHT), note, HIR_FONT_SANS,
                             SMALL_PX, scene->theme->dim_text, HIR_ALIGN_START);
}

int
hir_device_scene_step (const HirDeviceScene *scene, int current, int dx, int dy)
{
  int n = (int) scene->grid->devices->len, columns = (int) get_n_columns (scene);
  int to = current + dx + dy * columns;

  if (current < 0 || current >= n)
    return 0;
  if (to < 0 || to >= n || (dx != 0 && to / columns != current / columns))
    return current;
  return to;
}
