/* Tests the detection of a GPU by device files. window/test-window.py tests the choice of the
 * renderer. */
#include <glib/gstdio.h>

#include "canvas/renderer.h"

static void
make_file (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_true (g_file_set_contents (path, "", 0, NULL));
}

static void
remove_file (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_cmpint (g_remove (path), ==, 0);
}

static void
test_device (void)
{
  g_autofree char *dev = g_dir_make_tmp ("hirscope-test-XXXXXX", NULL);
  g_autofree char *dri = g_build_filename (dev, "dri", NULL);

  g_assert_false (hir_renderer_has_device (dev));
  make_file (dev, "nvidia-uvm");
  g_assert_false (hir_renderer_has_device (dev));
  make_file (dev, "nvidiactl");
  g_assert_true (hir_renderer_has_device (dev));
  remove_file (dev, "nvidiactl");
  /* A display controller without a GPU has a card but no render node. */
  g_mkdir (dri, 0700);
  make_file (dri, "card0");
  g_assert_false (hir_renderer_has_device (dev));
  make_file (dri, "renderD128");
  g_assert_true (hir_renderer_has_device (dev));
  remove_file (dri, "renderD128");
  remove_file (dri, "card0");
  remove_file (dev, "dri");
  remove_file (dev, "nvidia-uvm");
  g_rmdir (dev);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/renderer/device", test_device);
  return g_test_run ();
}
