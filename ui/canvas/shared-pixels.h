/* Pictures go to an X server through memory that both share. cairo takes it from a segment, and gives the segment back
 * to the system when nothing lies in it, which is after each frame: so each frame would be written into new pages, of
 * which the kernel clears every one. That was a third of what a frame of a whole window costs. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Keeps a little in such a segment, which is large enough for windows as large as @display's largest monitor, until
 * @display is closed. Does nothing where cairo does not draw, or the display is no X server, or shares no memory.
 * After hir_renderer_choose(). */
void hir_shared_pixels_keep (GdkDisplay *display);

G_END_DECLS
