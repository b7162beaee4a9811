/* Keeps cairo's shared memory segment for an X server alive between frames. cairo frees the
 * segment when it holds no image, which is after each frame; the kernel then clears all pages of
 * a new segment. That was a third of the time of a frame. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Allocates a small image in a segment that is large enough for @display's largest monitor,
 * until @display is closed. Does nothing if cairo does not draw or if the display is not an X
 * server with shared memory. Call after hir_renderer_choose(). */
void hir_shared_pixels_keep (GdkDisplay *display);

G_END_DECLS
