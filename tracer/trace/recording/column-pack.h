/* Packs a column of a chunk into a BLOB of n big-endian unsigned integers. All have the width of
 * the largest one: 0, 1, 2, 4 or 8 bytes. With width 0, all values are zero and the BLOB is
 * empty. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Packs @n values and returns the number of bytes written. @blob has a capacity of 8 * @n bytes.
 * @min_width is 0 or 1. */
gsize hir_column_pack (const guint64 *values, guint n, guint min_width, guint8 *blob);
/* Unpacks @n values (n > 0). Returns FALSE if @size does not match @n. */
gboolean hir_column_unpack (const guint8 *blob, gsize size, guint n, guint64 *values);

G_END_DECLS
