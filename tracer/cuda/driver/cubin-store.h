/* Cache folder for compiled kernels, shared by several processes. The least recently used files are
 * removed when the folder exceeds a size limit. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Limit for the folder in the user's cache. */
#define HIR_CUBIN_STORE_MAX_BYTES ((guint64) 256 << 20)

/* Returns the content of @path and marks the file as used now. Returns NULL if the file does not
 * exist or is not an ELF image. Any thread. */
GBytes *hir_cubin_store_read (const char *path);
/* Writes @cubin to @path atomically. If the files of the folder then exceed @max_bytes, removes the
 * least recently used ones, but not @path, until the total is at most 7/8 of the limit. Ignores
 * errors, because the folder is only a cache. Any thread, any process. */
void hir_cubin_store_write (const char *path, GBytes *cubin, guint64 max_bytes);

G_END_DECLS
