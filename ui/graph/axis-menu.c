#include "graph/axis-menu.h"

#include "base/names.h"
#include "inspector/fact-card.h"
#include "script/edit-schedule.h"
#include "view/domain-tree.h"

#define MAX_AXES 16

static const struct
{
  const char *label;
  HirParallelType type;
} types[] = {
  { "Stream", HIR_PARALLEL_STREAM },
  { "mesh_x, over the Devices", HIR_PARALLEL_DIDX },
  { "Serial", HIR_PARALLEL_SERIAL },
};

static const gint64 factors[] = { 2, 4, 8, 16 };

static const HirFact *
find_axis (const HirNodeInfo *info, guint axis)
{
  g_autofree char *name = g_strdup_printf ("axis %u", axis);

  return hir_fact_find (info, name);
}

static const HirNodeInfo *
as_tensor (const HirProgramView *view, const HirNodeInfo *info)
{
  if (info == NULL || g_str_equal (info->kind, "TensorView"))
    return info;
  for (guint i = 0; i < info->facts->len; i++)
    {
      const HirFact *fact = &g_array_index (info->facts, HirFact, i);

      if (fact->id != 0 &&
          (g_str_equal (fact->name, "output") || g_str_equal (fact->name, "axis of")))
        return hir_program_view_lookup (view, fact->id);
    }
  return NULL;
}

const HirNodeInfo *
hir_axis_menu_find_tensor (HirSelection *selection)
{
  const HirProgram *program = hir_selection_get_program (selection);
  GArray *ids = hir_selection_get_nodes_at (selection, 0);

  for (guint i = 0; program != NULL && i < ids->len; i++)
    {
      const HirProgramView *view = program->views->pdata[0];
      const HirNodeInfo *info =
          as_tensor (view, hir_program_view_lookup (view, g_array_index (ids, guint64, i)));

      if (info != NULL && g_str_equal (info->kind, "TensorView") && !view->is_host)
        return info;
    }
  return NULL;
}

/* Appends an entry that does nothing. */
static void
append_note (GMenu *menu, const char *text)
{
  g_autoptr (GMenuItem) item = g_menu_item_new (text, "win.none");

  g_menu_append_item (menu, item);
}

static void
append (GMenu *menu, const char *label, guint64 tensor, guint kind, guint axis, gint64 value)
{
  g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);

  g_menu_item_set_action_and_target (item, "win.edit-axis", "(tuux)", tensor, kind, axis, value);
  g_menu_append_item (menu, item);
}

static GMenu *
create_splits (guint64 tensor, HirScheduleEditKind kind, guint axis)
{
  GMenu *menu = g_menu_new ();
  g_autoptr (GMenuItem) item = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (factors); i++)
    {
      g_autofree char *label = g_strdup_printf ("By %" G_GINT64_FORMAT, factors[i]);

      append (menu, label, tensor, kind, axis, factors[i]);
    }
  item = g_menu_item_new ("By Another Number\xe2\x80\xa6", NULL);
  g_menu_item_set_action_and_target (item, "win.split-axis", "(tuu)", tensor, kind, axis);
  g_menu_append_item (menu, item);
  return menu;
}

static GMenu *
create_axis (const HirProgramView *view, const HirNodeInfo *info, guint axis, guint n_axes)
{
  GMenu *menu = g_menu_new ();
  g_autoptr (GMenu) kinds = g_menu_new ();
  g_autoptr (GMenu) shapes = g_menu_new ();
  g_autoptr (GMenu) outer = create_splits (info->id, HIR_SCHEDULE_EDIT_OUTER_SPLIT, axis);
  g_autoptr (GMenu) inner = create_splits (info->id, HIR_SCHEDULE_EDIT_INNER_SPLIT, axis);
  g_autofree char *outer_label = g_strdup_printf ("Split Axis %u, Outer", axis);
  g_autofree char *inner_label = g_strdup_printf ("Split Axis %u, Inner", axis);
  const HirNodeInfo *id = hir_program_view_lookup (view, find_axis (info, axis)->id);
  const char *now = id != NULL ? hir_node_info_get_fact (id, "parallel type") : NULL;

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      gboolean is_now = g_strcmp0 (now, hir_parallel_type_get_script_name (types[i].type)) == 0;
      g_autofree char *text = g_strconcat (types[i].label, is_now ? "  (current)" : NULL, NULL);
      g_autofree char *label = hir_names_dup_menu_label (text);

      if (is_now)
        append_note (kinds, label);
      else
        append (kinds, label, info->id, HIR_SCHEDULE_EDIT_PARALLELIZE, axis, types[i].type);
    }
  g_menu_append_section (menu, NULL, G_MENU_MODEL (kinds));
  /* Submenus of a nested popover menu are found by label, so labels must be unique in the whole
   * menu. */
  g_menu_append_submenu (shapes, outer_label, G_MENU_MODEL (outer));
  g_menu_append_submenu (shapes, inner_label, G_MENU_MODEL (inner));
  if (axis + 1 < n_axes)
    append (shapes, "Merge with Next Axis", info->id, HIR_SCHEDULE_EDIT_MERGE, axis, 0);
  if (axis > 0)
    append (shapes, "Move to Front", info->id, HIR_SCHEDULE_EDIT_TO_FRONT, axis, 0);
  g_menu_append_section (menu, NULL, G_MENU_MODEL (shapes));
  return menu;
}

static GMenuModel *
create_menu (HirSelection *selection)
{
  const HirProgram *program = hir_selection_get_program (selection);
  const HirNodeInfo *info = hir_axis_menu_find_tensor (selection);
  const char *variable = info != NULL ? hir_node_info_get_fact (info, "script variable") : NULL;
  GMenu *menu = g_menu_new ();
  g_autoptr (GMenu) axes = g_menu_new ();
  g_autofree char *title = NULL;
  guint n_axes = 0;

  if (variable == NULL)
    {
      append_note (menu, info != NULL ? "This tensor has no name in the script"
                                      : "No tensor of the script is selected");
      return G_MENU_MODEL (menu);
    }
  title = g_strdup_printf ("Schedule of %s", variable);
  while (n_axes < MAX_AXES && find_axis (info, n_axes) != NULL)
    n_axes++;
  for (guint i = 0; i < n_axes; i++)
    {
      g_autofree char *text = g_strdup_printf ("Axis %u:  %s", i, find_axis (info, i)->value);
      g_autofree char *label = hir_names_dup_menu_label (text);
      g_autoptr (GMenu) axis = create_axis (program->views->pdata[0], info, i, n_axes);

      g_menu_append_submenu (axes, label, G_MENU_MODEL (axis));
    }
  if (n_axes == 0)
    append_note (axes, "This tensor has no axes");
  g_menu_append_section (menu, title, G_MENU_MODEL (axes));
  return G_MENU_MODEL (menu);
}

/* Returns the nearest box above @widget. A box allocates and unparents its popovers; a widget
 * that draws itself does neither. */
static GtkWidget *
find_host (GtkWidget *widget)
{
  while (!GTK_IS_BOX (widget))
    widget = gtk_widget_get_parent (widget);
  return widget;
}

/* Returns the popover of @host. There is one popover per host and it is never destroyed, because
 * GTK 4.8 keeps sending pointer events to a destroyed surface. Nested popovers are used because
 * a sliding submenu does not grow the popover. */
static GtkWidget *
get_popover (GtkWidget *host)
{
  GtkWidget *popover = g_object_get_data (G_OBJECT (host), "hir-axis-menu");

  if (popover != NULL)
    return popover;
  popover = gtk_popover_menu_new_from_model_full (NULL, GTK_POPOVER_MENU_NESTED);
  gtk_popover_set_has_arrow (GTK_POPOVER (popover), FALSE);
  gtk_widget_set_halign (popover, GTK_ALIGN_START);
  gtk_widget_set_parent (popover, host);
  g_object_set_data (G_OBJECT (host), "hir-axis-menu", popover);
  return popover;
}

void
hir_axis_menu_popup (GtkWidget *parent, double x, double y, HirSelection *selection)
{
  g_autoptr (GMenuModel) model = create_menu (selection);
  GtkWidget *host = find_host (parent);
  GtkWidget *popover = get_popover (host);

  gtk_widget_translate_coordinates (parent, host, x, y, &x, &y);
  gtk_popover_menu_set_menu_model (GTK_POPOVER_MENU (popover), model);
  hir_names_fill (popover);
  gtk_popover_set_pointing_to (GTK_POPOVER (popover), &(GdkRectangle){ (int) x, (int) y, 1, 1 });
  gtk_popover_popup (GTK_POPOVER (popover));
}
