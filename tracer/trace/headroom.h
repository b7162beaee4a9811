/* Memory reserve for small allocations. GLib aborts if a list, task or message cannot be allocated.
 * Large columns and tables therefore stop growing, with an error, while some memory is left. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns whether a reserve of 8 MiB is available. Call before a large allocation; a call costs two
 * system calls. */
gboolean hir_has_headroom (void);
/* Returns whether @bytes are available in addition to the reserve. Call before GLib allocates them,
 * because GLib aborts on failure. */
gboolean hir_has_room (gsize bytes);

G_END_DECLS
