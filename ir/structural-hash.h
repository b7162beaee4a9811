/* Hash of the content of a program, without names and ids: equal before and after a pass that did
 * nothing. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* Returns the hash of the whole program; equal in every process. */
guint64 hir_container_hash (HirContainer *container);

/* Returns a table from each node id (gint64*) to the hash of that node's content (guint64*): type,
 * domains, ids of operands, attributes. The table owns both. Two snapshots are compared by these
 * tables: an id with different hashes changed. Contains tensors and Exprs only. */
GHashTable *hir_container_dup_node_hashes (HirContainer *container);

G_END_DECLS
