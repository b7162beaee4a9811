/* Machine code in files of a folder that several processes use at once, and that does not grow
 * without end: what was not used for longest goes first. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Of the user's cache folder. */
#define HIR_CUBIN_STORE_MAX_BYTES ((guint64) 256 << 20)

/* What file @path holds, and that it was used now; NULL where it is no ELF image, or is not there
 * (any more). Any thread. */
GBytes *hir_cubin_store_read (const char *path);
/* Writes @cubin to @path at once or not at all; then, where the files of its folder have more than
 * @max_bytes together, removes those that were not used for longest until they have 7/8 of that.
 * What can't be done is left: it is a cache. @cubin's own file stays. Any thread, any process. */
void hir_cubin_store_write (const char *path, GBytes *cubin, guint64 max_bytes);

G_END_DECLS
