/* Which of GTK's renderers draws the windows. Where GL can only be done by the processor, cairo costs less than half of
 * it. Asking GL itself would cost a context, a tenth of a second at each start; what is looked at here costs one
 * question to the display. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Before the first window of @display. What GSK_RENDERER asks for stays. */
void hir_renderer_choose (GdkDisplay *display);
/* Whether there is a GPU that may draw: a device file of Linux' DRM, NVIDIA's or WSL's. @dev: "/dev". */
gboolean hir_renderer_has_device (const char *dev);

G_END_DECLS
