/* Chooses GTK's renderer. If GL is emulated by the processor, cairo takes less than half of the
 * time. Querying GL would need a context, about 0.1 s at each start; this code only queries the
 * display once. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Chooses the renderer of @display. Call before its first window is created. GSK_RENDERER has
 * priority. */
void hir_renderer_choose (GdkDisplay *display);
/* Returns whether there is a GPU that can draw: a device file of Linux DRM, NVIDIA or WSL. @dev
 * is "/dev" except in tests. */
gboolean hir_renderer_has_device (const char *dev);

G_END_DECLS
