/* The verifier: what must hold of every snapshot, whoever made it. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* Checks ownership, domains (logical derives from root, loop and allocation from logical by
 * transforms), operands defined before they are used, scopes, HostUnit bindings, waits, unique ids
 * and names, origins. Errors: HIR_ERROR_INVALID_IR, the first finding, naming node and rule. Never
 * crashes on a broken program that the arena owns. */
gboolean hir_container_verify (HirContainer *container, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
