/* Verifier: invariants of every snapshot, whatever created it. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* Checks ownership, domains (transforms lead from root to logical, and from logical to loop and
 * allocation), definitions before uses, scopes, HostUnit bindings, waits, unique ids and names, and
 * origins. @error: HIR_ERROR_INVALID_IR for the first violation; the message names node and rule.
 * Never crashes on a broken program whose nodes the arena owns. */
gboolean hir_container_verify (HirContainer *container, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
