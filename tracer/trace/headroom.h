/* Room that is left for what must not fail. Columns and tables grow so that too much data is an error;
 * but lists, tasks and messages of GLib end the program where they get no memory. So the large ones stop
 * while there is still some for the small. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Whether some megabytes more could be had. To be asked before something large grows: cheap, not free. */
gboolean hir_has_headroom (void);
/* Whether @bytes could be had beside that, for what asks GLib for them and so ends the program where they can't. */
gboolean hir_has_room (gsize bytes);

G_END_DECLS
