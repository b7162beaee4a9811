/* A hash of what a program says, names and ids left out: equal before and after a pass that did
 * nothing. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* Of the whole program; the same in every process. */
guint64 hir_container_hash (HirContainer *container);

/* HirNode id -> hash of that node's own content (type, domains, operands' ids, attributes), as a
 * table from gint64* keys to guint64* values, both owned by it. Two snapshots of one program are
 * compared by it: an id in both with another hash changed. Tensors and Exprs only. */
GHashTable *hir_container_dup_node_hashes (HirContainer *container);

G_END_DECLS
