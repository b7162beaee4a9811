#include "draw/cards/domain-scene.h"

#include <math.h>
#include <string.h>

#define TITLE_HEIGHT 15.0
#define BOX_HEIGHT 32.0
#define TAG_HEIGHT 11.0
#define GAP_X 6.0
#define GAP_Y 22.0
#define LINE_GAP 4.0
#define MIN_BOX 46.0
#define MAX_BOX 104.0
#define NOTE_HEIGHT 32.0
#define NAME_PX 10.5
#define SMALL_PX 9.5

static gboolean
row_has_parallel (const HirDomainScene *scene, const HirDomainRow *row)
{
  for (guint i = row->first; i < row->first + row->n; i++)
    if (*hir_domain_tree_get_box (scene->tree, i)->parallel != '\0')
      return TRUE;
  return FALSE;
}

static double
get_box_height (const HirDomainScene *scene, const HirDomainRow *row)
{
  return BOX_HEIGHT + (row_has_parallel (scene, row) ? TAG_HEIGHT : 0);
}

static guint
get_per_line (const HirDomainScene *scene)
{
  return (guint) MAX (floor ((scene->width + GAP_X) / (MIN_BOX + GAP_X)), 1);
}

static guint
get_n_lines (const HirDomainScene *scene, const HirDomainRow *row)
{
  guint per_line = get_per_line (scene);

  return (row->n + per_line - 1) / per_line;
}

static double
get_row_height (const HirDomainScene *scene, const HirDomainRow *row)
{
  guint n = get_n_lines (scene, row);

  return (*row->title != '\0' ? TITLE_HEIGHT : 0) + n * get_box_height (scene, row) +
         (n - 1) * LINE_GAP;
}

static double
get_row_y (const HirDomainScene *scene, guint row)
{
  double y = 2;

  for (guint i = 0; i < row; i++)
    y += get_row_height (scene, hir_domain_tree_get_row (scene->tree, i)) + GAP_Y;
  return y;
}

double
hir_domain_scene_get_height (const HirDomainScene *scene)
{
  return get_row_y (scene, scene->tree->rows->len) - GAP_Y + 6 + NOTE_HEIGHT;
}

/* Distributes a row over the width; wrapped lines have equal lengths. */
static HirRect
get_box_rect (const HirDomainScene *scene, guint i)
{
  const HirDomainBox *box = hir_domain_tree_get_box (scene->tree, i);
  const HirDomainRow *row = hir_domain_tree_get_row (scene->tree, box->row);
  guint per_line = MIN (get_per_line (scene), row->n);
  /* Whole pixels make the boxes sharp and of equal width. */
  double width = floor (MIN ((scene->width - (per_line - 1) * GAP_X) / per_line, MAX_BOX));
  double used = per_line * width + (per_line - 1) * GAP_X;
  double x = floor ((scene->width - used) / 2) + (box->place % per_line) * (width + GAP_X);
  double y = get_row_y (scene, box->row) + (*row->title != '\0' ? TITLE_HEIGHT : 0) +
             (box->place / per_line) * (get_box_height (scene, row) + LINE_GAP);

  return hir_rect (x, y, width, get_box_height (scene, row));
}

static HirBoxColors
get_colors (const HirDomainScene *scene, const HirDomainBox *box)
{
  if (g_str_has_prefix (box->parallel, "deviceIdx"))
    return scene->theme->node[HIR_GRAPH_COMM];
  if (g_str_equal (box->parallel, "StreamIdx"))
    return scene->theme->node[HIR_GRAPH_STREAM];
  return scene->theme->node[*box->parallel != '\0' ? HIR_GRAPH_OP : HIR_GRAPH_TENSOR];
}

static char *
dup_bare (const char *extent)
{
  gsize n = strlen (extent);

  if (n > 4 && g_str_has_prefix (extent, "( ") && g_str_has_suffix (extent, " )"))
    return g_strndup (extent + 2, n - 4);
  return g_strdup (extent);
}

/* Reduced axes are dashed and broadcast axes dotted, because they take no memory. */
static HirDash
get_dash (const HirDomainBox *box)
{
  return *box->name == 'r' ? HIR_DASH_DASHED : *box->name == 'b' ? HIR_DASH_DOTTED : HIR_DASH_NONE;
}

static void
draw_box (const HirDomainScene *scene, HirDisplayList *list, guint i)
{
  const HirDomainBox *box = hir_domain_tree_get_box (scene->tree, i);
  const char *parallel = hir_domain_box_get_parallel_name (box);
  g_autofree char *extent = dup_bare (box->extent);
  HirBoxColors colors = get_colors (scene, box);
  HirRect rect = get_box_rect (scene, i);
  gboolean current = scene->current == (int) i;
  double x = rect.x + 5, room = rect.width - 10, y = rect.y + 2;

  hir_display_list_add_round_rect (list, rect, 4, colors.fill,
                                   current ? scene->theme->accent : colors.stroke, current ? 2 : 1,
                                   current ? HIR_DASH_NONE : get_dash (box));
  hir_display_list_add_text (list, hir_rect (x, y, room, 15), box->name, HIR_FONT_SANS_BOLD,
                             NAME_PX, scene->theme->text, HIR_ALIGN_CENTER);
  hir_display_list_add_text (list, hir_rect (x, y + 14, room, 13), extent, HIR_FONT_SANS, SMALL_PX,
                             scene->theme->text, HIR_ALIGN_CENTER);
  if (*parallel != '\0')
    hir_display_list_add_text (list, hir_rect (x, y + 26, room, 13), parallel, HIR_FONT_SANS_BOLD,
                               SMALL_PX, scene->theme->text, HIR_ALIGN_CENTER);
  hir_display_list_add_hit (list, rect, i, 0);
}

static void
draw_edge (const HirDomainScene *scene, HirDisplayList *list, const HirDomainEdge *edge)
{
  HirRect from = get_box_rect (scene, edge->from), to = get_box_rect (scene, edge->to);
  gboolean is_highlighted = scene->current == (int) edge->from || scene->current == (int) edge->to;
  HirPoint curve[4] = { { from.x + from.width / 2, from.y + from.height } };
  float bend;

  curve[3] = (HirPoint){ to.x + to.width / 2, to.y };
  bend = (curve[3].y - curve[0].y) / 2;
  curve[1] = (HirPoint){ curve[0].x, curve[0].y + bend };
  curve[2] = (HirPoint){ curve[3].x, curve[3].y - bend };
  hir_display_list_add_bezier (list, curve, 4,
                               is_highlighted ? scene->theme->accent
                                              : scene->theme->edge[HIR_EDGE_DATA],
                               is_highlighted ? 1.8 : 1.2,
                               edge->is_same ? HIR_DASH_DOTTED : HIR_DASH_NONE);
}

/* Draws the label below the box of a split axis or above a merged one, over the lines. */
static void
draw_edge_label (const HirDomainScene *scene, HirDisplayList *list, const HirDomainEdge *edge)
{
  HirRect from = get_box_rect (scene, edge->from), to = get_box_rect (scene, edge->to);
  gboolean is_merge = g_str_equal (edge->label, "merge");
  double middle = is_merge ? to.x + to.width / 2 : from.x + from.width / 2;
  double width = hir_measure_get_width (scene->measure, HIR_FONT_SANS, SMALL_PX, edge->label) + 6;
  double y = is_merge ? to.y - 14 : from.y + from.height + 2;
  double x;

  width = MIN (ceil (width), scene->width);
  x = CLAMP (floor (middle - width / 2), 0, scene->width - width);
  hir_display_list_add_round_rect (list, hir_rect (x, y, width, 12), 3,
                                   hir_color_fade (scene->theme->background, 0.85), 0, 0,
                                   HIR_DASH_NONE);
  hir_display_list_add_text (list, hir_rect (x + 3, y, width - 4, 12), edge->label, HIR_FONT_SANS,
                             SMALL_PX, scene->theme->dim_text, HIR_ALIGN_CENTER);
}

char *
hir_domain_scene_dup_text (const HirDomainScene *scene, int i)
{
  const HirDomainBox *box;
  const HirDomainRow *row;
  const char *parallel, *kind;
  g_autofree char *extent = NULL;

  if (i < 0 || (guint) i >= scene->tree->boxes->len)
    return g_strdup ("");
  box = hir_domain_tree_get_box (scene->tree, (guint) i);
  row = hir_domain_tree_get_row (scene->tree, box->row);
  parallel = hir_domain_box_get_parallel_name (box);
  kind = *box->name == 'r' ? ", reduced" : *box->name == 'b' ? ", broadcast" : "";
  extent = dup_bare (box->extent);
  return g_strdup_printf ("%s%s%s: extent %s, %s%s\n%s", *row->title != '\0' ? row->title : "",
                          *row->title != '\0' ? " " : "", box->name, extent,
                          *parallel != '\0' ? parallel : "serial", kind,
                          box->made_by != NULL ? box->made_by : "");
}

static void
draw_note (const HirDomainScene *scene, HirDisplayList *list)
{
  g_autofree char *text = hir_domain_scene_dup_text (scene, scene->current);
  g_auto (GStrv) lines = g_strsplit (text, "\n", 2);
  double y = hir_domain_scene_get_height (scene) - NOTE_HEIGHT + 2;

  for (guint i = 0; lines[i] != NULL; i++)
    hir_display_list_add_text (list, hir_rect (0, y + 14 * i, scene->width, 14), lines[i],
                               HIR_FONT_SANS, SMALL_PX + 0.5,
                               i == 0 ? scene->theme->text : scene->theme->dim_text,
                               HIR_ALIGN_START);
}

void
hir_domain_scene_draw (const HirDomainScene *scene, HirDisplayList *list)
{
  const HirDomainTree *tree = scene->tree;

  for (guint i = 0; i < tree->edges->len; i++)
    draw_edge (scene, list, &g_array_index (tree->edges, HirDomainEdge, i));
  for (guint i = 0; i < tree->rows->len; i++)
    {
      const HirDomainRow *row = hir_domain_tree_get_row (tree, i);

      if (*row->title != '\0')
        hir_display_list_add_text (list, hir_rect (0, get_row_y (scene, i) - 2, scene->width, 14),
                                   row->title, HIR_FONT_SANS, SMALL_PX, scene->theme->dim_text,
                                   HIR_ALIGN_START);
    }
  for (guint i = 0; i < tree->boxes->len; i++)
    draw_box (scene, list, i);
  for (guint i = 0; i < tree->edges->len; i++)
    {
      const HirDomainEdge *edge = &g_array_index (tree->edges, HirDomainEdge, i);

      if (edge->label != NULL)
        draw_edge_label (scene, list, edge);
    }
  draw_note (scene, list);
}

/* Returns the nearest box in the next row with boxes above or below. */
static int
step_row (const HirDomainScene *scene, int current, int dy)
{
  const HirDomainBox *box = hir_domain_tree_get_box (scene->tree, (guint) current);
  HirRect own = get_box_rect (scene, (guint) current);
  int row = (int) box->row + dy, nearest = current;
  double best = G_MAXDOUBLE;

  if (row < 0 || row >= (int) scene->tree->rows->len)
    return current;
  for (guint i = 0; i < scene->tree->boxes->len; i++)
    {
      HirRect rect = get_box_rect (scene, i);
      double distance = fabs (rect.x + rect.width / 2 - own.x - own.width / 2);

      if ((int) hir_domain_tree_get_box (scene->tree, i)->row != row || distance >= best)
        continue;
      best = distance;
      nearest = (int) i;
    }
  return nearest;
}

int
hir_domain_scene_step (const HirDomainScene *scene, int current, int dx, int dy)
{
  int n = (int) scene->tree->boxes->len, to = current + dx;

  if (current < 0 || current >= n)
    return 0;
  if (dy != 0)
    return step_row (scene, current, dy);
  if (to < 0 || to >= n)
    return current;
  return hir_domain_tree_get_box (scene->tree, (guint) to)->row ==
                 hir_domain_tree_get_box (scene->tree, (guint) current)->row
             ? to
             : current;
}
