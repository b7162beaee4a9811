/* Tests the inspector's drawings of a tensor's domains and of a mesh. */
#include "draw/cards/device-scene.h"
#include "draw/cards/domain-scene.h"

#include "timeline-rig.h"

#include <string.h>

static HirNodeInfo *
new_info (void)
{
  HirNodeInfo *info = hir_node_info_new (1, FALSE);

  info->kind = g_strdup ("TensorView");
  hir_node_info_add_fact (info, "mesh", "DeviceMesh{{0 1 2}{3 4 5}}", 0);
  hir_node_info_add_fact (info, "logical domain", "[iS2{i0}, iS3{i2}, rS4{7}]", 0);
  hir_node_info_add_fact (info, "loop domain",
                          "[ideviceIdx.x10{3}, iS11{( ceilDiv(i0, 3) )}, iStreamIdx3{i2}, rS4{7}]",
                          0);
  hir_node_info_add_fact (info, "transform",
                          "Outer split: iS2{i0} by factor 3 -> ideviceIdx.x10{3}, iS11{( "
                          "ceilDiv(i0, 3) )}",
                          0);
  return info;
}

/* At any width, all parts are inside the drawing and do not overlap. */
static void
check_parts (const HirDisplayList *list, double width, double height, guint n)
{
  g_assert_cmpuint (list->hits->len, ==, n);
  for (guint i = 0; i < n; i++)
    {
      HirRect a = g_array_index (list->hits, HirHit, i).rect;

      g_assert_cmpuint (g_array_index (list->hits, HirHit, i).id, ==, i);
      g_assert_cmpfloat (a.x, >=, -0.01);
      g_assert_cmpfloat (a.x + a.width, <=, width + 1.01);
      g_assert_cmpfloat (a.y + a.height, <=, height + 0.01);
      g_assert_cmpfloat (a.width, >=, 19);
      for (guint j = 0; j < i; j++)
        {
          HirRect b = g_array_index (list->hits, HirHit, j).rect;

          g_assert_true (a.x >= b.x + b.width || b.x >= a.x + a.width || a.y >= b.y + b.height ||
                         b.y >= a.y + a.height);
        }
    }
}

static void
test_domains (void)
{
  HirNodeInfo *info = new_info ();
  g_autoptr (HirDomainTree) tree = hir_domain_tree_new (info);
  g_autoptr (HirMeasure) measure = hir_measure_new ();
  g_autoptr (HirDisplayList) list = hir_display_list_new ();
  double before = 0;

  for (guint dark = 0; dark < 2; dark++)
    for (double width = 500; width >= 60; width -= 20)
      {
        HirDomainScene scene = { tree, hir_theme_get (dark == 1), measure, width, -1 };
        double height = hir_domain_scene_get_height (&scene);

        hir_display_list_clear (list);
        hir_domain_scene_draw (&scene, list);
        check_parts (list, width, height, 7);
        g_assert_true (list_has_text (list, "i10") && list_has_text (list, "mesh_x"));
        g_assert_true (list_has_text (list, "Stream") && list_has_text (list, "outer split 3"));
        g_assert_true (list_has_text (list, "logical") && list_has_text (list, "loop"));
        /* A narrower drawing is never lower. */
        if (width < 500)
          g_assert_cmpfloat (height, >=, before - 0.01);
        before = height;
      }
  hir_node_info_free (info);
}

static void
test_domain_keys (void)
{
  HirNodeInfo *info = new_info ();
  g_autoptr (HirDomainTree) tree = hir_domain_tree_new (info);
  HirDomainScene scene = { tree, hir_theme_get (TRUE), NULL, 300, 3 };
  g_autofree char *text = hir_domain_scene_dup_text (&scene, 3);

  g_assert_cmpint (hir_domain_scene_step (&scene, -1, 0, 1), ==, 0);
  g_assert_cmpint (hir_domain_scene_step (&scene, 0, 1, 0), ==, 1);
  g_assert_cmpint (hir_domain_scene_step (&scene, 2, 1, 0), ==, 2); /* does not move into the next
                                                                     * row */
  g_assert_cmpint (hir_domain_scene_step (&scene, 0, 0, 1), ==, 3);
  g_assert_cmpint (hir_domain_scene_step (&scene, 6, 0, -1), ==, 2);
  g_assert_cmpint (hir_domain_scene_step (&scene, 6, 0, 1), ==, 6);
  g_assert_nonnull (strstr (text, "loop i10: extent 3, mesh_x"));
  g_assert_nonnull (strstr (text, "Outer split: iS2{i0}"));
  hir_node_info_free (info);
}

static void
test_devices (void)
{
  HirNodeInfo *info = new_info ();
  g_autoptr (HirDomainTree) tree = hir_domain_tree_new (info);
  g_autoptr (HirDeviceGrid) grid = hir_device_grid_new (info);
  g_autoptr (HirMeasure) measure = hir_measure_new ();
  g_autoptr (HirDisplayList) list = hir_display_list_new ();

  for (double width = 300; width >= 40; width -= 20)
    {
      HirDeviceScene scene = { grid, tree, hir_theme_get (TRUE), measure, width, 4, -1, -1 };

      hir_display_list_clear (list);
      hir_device_scene_draw (&scene, list);
      check_parts (list, width, hir_device_scene_get_height (&scene), 6);
      g_assert_true (list_has_text (list, "5"));
      g_assert_true (
          list_has_text (list, "mesh_x (deviceIdx.x, DIDx): 3 devices, split along i10"));
      g_assert_true (list_has_text (list, "mesh_y (deviceIdx.y, DIDy): 2 devices, replicated"));
      g_assert_true (list_has_text (list, "filled: rank 4"));
    }
  hir_node_info_free (info);
}

static void
test_device_keys (void)
{
  HirNodeInfo *info = new_info ();
  g_autoptr (HirDeviceGrid) grid = hir_device_grid_new (info);
  HirDeviceScene scene = { grid, NULL, hir_theme_get (TRUE), NULL, 300, 4, 2, -1 };
  g_autofree char *shown = hir_device_scene_dup_text (&scene, 4);
  g_autofree char *root = hir_device_scene_dup_text (&scene, 2);

  g_assert_cmpstr (shown, ==, "device 4 at (1, 1), the displayed rank");
  g_assert_cmpstr (root, ==, "device 2 at (0, 2), the root");
  g_assert_cmpint (hir_device_scene_step (&scene, 0, 0, 1), ==, 3);
  g_assert_cmpint (hir_device_scene_step (&scene, 2, 1, 0), ==, 2);
  g_assert_cmpint (hir_device_scene_step (&scene, 5, 0, 1), ==, 5);
  hir_node_info_free (info);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/scenes/domains", test_domains);
  g_test_add_func ("/scenes/domain-keys", test_domain_keys);
  g_test_add_func ("/scenes/devices", test_devices);
  g_test_add_func ("/scenes/device-keys", test_device_keys);
  return g_test_run ();
}
