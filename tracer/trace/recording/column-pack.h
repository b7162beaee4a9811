/* A column of a chunk as a BLOB: n unsigned integers, big-endian, all as wide as the widest needs:
 * 0, 1, 2, 4 or 8 bytes. Width 0: all are zero, the BLOB is empty. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Bytes written to @blob, which has room for 8 * @n. @min_width: 0 or 1. */
gsize hir_column_pack (const guint64 *values, guint n, guint min_width, guint8 *blob);
/* FALSE where @size does not fit @n (n > 0). */
gboolean hir_column_unpack (const guint8 *blob, gsize size, guint n, guint64 *values);

G_END_DECLS
