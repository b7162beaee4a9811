/* Shortens the names of a table, such as those of C++ kernels, so that what differs stays. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * hir_dup_short_names:
 * @names: (element-type utf8): names; equal ones may occur
 * @max_chars: largest length of a short name, at least 8
 *
 * Names that fit stay. Others lose namespaces, casts and lists of parameters, then their end. If
 * the short names of different names are equal, they keep their start and the part that differs,
 * or at last get a number.
 *
 * Returns: (transfer full): table from each of @names (borrowed) to its short name (owned)
 */
GHashTable *hir_dup_short_names (const GPtrArray *names, guint max_chars);

G_END_DECLS
