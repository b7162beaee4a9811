#include "canvas/renderer.h"

#include "config.h"
#if HIR_HAVE_X11
#include <X11/Xlib.h>
#include <gdk/x11/gdkx.h>
#endif

gboolean
hir_renderer_has_device (const char *dev)
{
  static const char *const single[] = { "nvidiactl", "dxg" };
  g_autofree char *path = g_build_filename (dev, "dri", NULL);
  g_autoptr (GDir) dri = g_dir_open (path, 0, NULL);
  const char *name;

  while (dri != NULL && (name = g_dir_read_name (dri)) != NULL)
    if (g_str_has_prefix (name, "renderD"))
      return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (single); i++)
    {
      g_autofree char *file = g_build_filename (dev, single[i], NULL);

      if (g_file_test (file, G_FILE_TEST_EXISTS))
        return TRUE;
    }
  return FALSE;
}

/* Returns TRUE if the X server has no GPU for this program. Mesa's drivers need DRI2 or DRI3,
 * NVIDIA's driver its own extension; servers on other machines have neither. Xvfb and most
 * remote desktops have none, however many GPUs the machine has. */
static gboolean
is_display_without_gpu (GdkDisplay *display)
{
#if HIR_HAVE_X11
  static const char *const extensions[] = { "DRI3", "DRI2", "NV-GLX" };
  const char *name = gdk_display_get_name (display);

  if (!GDK_IS_X11_DISPLAY (display))
    return FALSE;
  if (name != NULL && *name != ':' && !g_str_has_prefix (name, "unix:"))
    return TRUE;
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  for (guint i = 0; i < G_N_ELEMENTS (extensions); i++)
    {
      int opcode, event, error;

      if (XQueryExtension (gdk_x11_display_get_xdisplay (display), extensions[i], &opcode, &event,
                           &error))
        return FALSE;
    }
  G_GNUC_END_IGNORE_DEPRECATIONS
  return TRUE;
#else
  return FALSE;
#endif
}

static gboolean
is_set (const char *variable)
{
  const char *value = g_getenv (variable);

  return value != NULL && *value != '\0' && !g_str_equal (value, "0");
}

void
hir_renderer_choose (GdkDisplay *display)
{
  /* VirtualGL redirects GL to a GPU that the display does not know. */
  if (g_getenv ("GSK_RENDERER") != NULL || is_set ("VGL_ISACTIVE"))
    return;
  /* The same key that GTK's tools use. Setting the environment variable instead would race with
   * threads that read the environment. A GTK without this key chooses a renderer itself. */
  if (is_set ("LIBGL_ALWAYS_SOFTWARE") || !hir_renderer_has_device ("/dev") ||
      is_display_without_gpu (display))
    g_object_set_data (G_OBJECT (display), "gsk-renderer", (gpointer) "cairo");
}
