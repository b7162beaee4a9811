#include "inspector/inspector-scenes.h"

#include "draw/cards/device-scene.h"
#include "draw/cards/domain-scene.h"
#include "inspector/scene-card.h"

/* Data of both drawings. */
typedef struct
{
  HirDomainTree *tree; /* NULL for a team */
  HirDeviceGrid *grid; /* NULL without a mesh */
  gint64 rank, root;
  int axis; /* box of the selected axis, or -1 */
  guint64 tensor;
  HirProgramView *view;
  HirSelection *selection; /* borrowed from the inspector */
} Data;

static void
data_free (gpointer user_data)
{
  Data *data = user_data;

  hir_domain_tree_free (data->tree);
  hir_device_grid_free (data->grid);
  hir_program_view_unref (data->view);
  g_free (data);
}

static HirDomainScene
get_domain_scene (const Data *data, HirMeasure *measure, double width, int current)
{
  return (HirDomainScene){ data->tree, NULL, measure, width, current >= 0 ? current : data->axis };
}

static double
get_domain_height (gpointer data, HirMeasure *measure, double width)
{
  HirDomainScene scene = get_domain_scene (data, measure, width, -1);

  return hir_domain_scene_get_height (&scene);
}

static void
draw_domains (gpointer data,
              HirDisplayList *list,
              const HirTheme *theme,
              HirMeasure *measure,
              double width,
              int current)
{
  HirDomainScene scene = get_domain_scene (data, measure, width, current);

  scene.theme = theme;
  hir_domain_scene_draw (&scene, list);
}

static int
step_domains (gpointer data, HirMeasure *measure, double width, int current, int dx, int dy)
{
  HirDomainScene scene = get_domain_scene (data, measure, width, current);

  return hir_domain_scene_step (&scene, scene.current, dx, dy);
}

static char *
dup_domain_text (gpointer data, int part)
{
  HirDomainScene scene = get_domain_scene (data, NULL, 0, part);

  return hir_domain_scene_dup_text (&scene, part);
}

static HirDeviceScene
get_device_scene (const Data *data, HirMeasure *measure, double width, int current)
{
  return (HirDeviceScene){ data->grid, data->tree, NULL,       measure,
                           width,      data->rank, data->root, current };
}

static double
get_device_height (gpointer data, HirMeasure *measure, double width)
{
  HirDeviceScene scene = get_device_scene (data, measure, width, -1);

  return hir_device_scene_get_height (&scene);
}

static void
draw_devices (gpointer data,
              HirDisplayList *list,
              const HirTheme *theme,
              HirMeasure *measure,
              double width,
              int current)
{
  HirDeviceScene scene = get_device_scene (data, measure, width, current);

  scene.theme = theme;
  hir_device_scene_draw (&scene, list);
}

static int
step_devices (gpointer data, HirMeasure *measure, double width, int current, int dx, int dy)
{
  HirDeviceScene scene = get_device_scene (data, measure, width, current);

  return hir_device_scene_step (&scene, current, dx, dy);
}

static char *
dup_device_text (gpointer data, int part)
{
  HirDeviceScene scene = get_device_scene (data, NULL, 0, part);

  return hir_device_scene_dup_text (&scene, part);
}

static const HirSceneCardClassTable domain_table = {
  "Domains", get_domain_height, draw_domains, step_domains, dup_domain_text, data_free,
};
static const HirSceneCardClassTable mesh_table = {
  "Mesh", get_device_height, draw_devices, step_devices, dup_device_text, data_free,
};
static const HirSceneCardClassTable team_table = {
  "Team", get_device_height, draw_devices, step_devices, dup_device_text, data_free,
};

/* Returns the id of the axis @text of @tensor, or 0. Each axis of each tensor is a node. */
static guint64
find_axis (HirProgramView *view, guint64 tensor, const char *text)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, view->nodes);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const HirNodeInfo *info = value;

      if (!g_str_equal (info->kind, "IterDomain") || !g_str_equal (info->label, text))
        continue;
      for (guint i = 0; i < info->facts->len; i++)
        {
          const HirFact *fact = &g_array_index (info->facts, HirFact, i);

          if (fact->id == tensor && g_str_equal (fact->name, "axis of"))
            return info->id;
        }
    }
  return 0;
}

static void
on_axis (HirSceneCard *card, int part, gpointer user_data)
{
  const Data *data = user_data;
  guint64 id = find_axis (data->view, data->tensor,
                          hir_domain_tree_get_box (data->tree, (guint) part)->text);

  if (id != 0)
    hir_selection_set_node (data->selection, id);
}

/* A click on a device displays the program of its rank. */
static void
on_device (HirSceneCard *card, int part, gpointer user_data)
{
  const Data *data = user_data;
  HirRankPrograms *ranks = hir_selection_get_ranks (data->selection);
  int found =
      ranks != NULL
          ? hir_rank_programs_find (ranks, (int) g_array_index (data->grid->devices, gint64, part))
          : -1;

  if (found >= 0)
    hir_selection_set_rank_program (data->selection, (guint) found);
}

static Data *
data_new (HirSelection *selection, HirProgramView *view, const HirNodeInfo *info)
{
  Data *data = g_new0 (Data, 1);
  const char *root = hir_node_info_get_fact (info, "root");

  data->tree = hir_domain_tree_new (info);
  data->grid = hir_device_grid_new (info);
  data->rank = hir_selection_get_rank (selection);
  data->root = root != NULL ? g_ascii_strtoll (root, NULL, 10) : -1;
  data->axis = -1;
  data->tensor = info->id;
  data->view = hir_program_view_ref (view);
  data->selection = selection;
  return data;
}

static GtkWidget *
card_new (const HirSceneCardClassTable *table, Data *data, GCallback activated)
{
  GtkWidget *card = hir_scene_card_new (table, data);

  g_signal_connect (card, "activate-part", activated, data);
  return card;
}

/* Returns the tensor of an axis, or NULL. */
static const HirNodeInfo *
get_tensor (HirProgramView *view, const HirNodeInfo *info)
{
  for (guint i = 0; i < info->facts->len; i++)
    {
      const HirFact *fact = &g_array_index (info->facts, HirFact, i);

      if (g_str_equal (fact->name, "axis of") && fact->id != 0)
        return hir_program_view_lookup (view, fact->id);
    }
  return NULL;
}

void
hir_inspector_scenes_add (HirSelection *selection,
                          HirProgramView *view,
                          const HirNodeInfo *info,
                          HirOverviewFunc add,
                          gpointer user_data)
{
  const HirNodeInfo *tensor =
      g_str_equal (info->kind, "IterDomain") ? get_tensor (view, info) : info;
  Data *data;

  if (tensor == NULL)
    return;
  data = data_new (selection, view, tensor);
  for (guint i = 0; data->tree != NULL && tensor != info && i < data->tree->boxes->len; i++)
    if (g_str_equal (hir_domain_tree_get_box (data->tree, i)->text, info->label))
      data->axis = (int) i;
  if (data->tree != NULL)
    add ("Domains", card_new (&domain_table, data, G_CALLBACK (on_axis)), user_data);
  else
    data_free (data);
  data = data_new (selection, view, tensor);
  if (data->grid != NULL)
    {
      const HirSceneCardClassTable *table = data->tree != NULL ? &mesh_table : &team_table;

      add (table->name, card_new (table, data, G_CALLBACK (on_device)), user_data);
    }
  else
    data_free (data);
}
