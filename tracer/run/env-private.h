/* Internal declarations of the environment. */
#pragma once

#include "run/env.h"

G_BEGIN_DECLS

/* Returns the set passed to hir_env_set_pieces(). */
GHashTable *hir_env_get_pieces (const HirEnv *env);
/* Looks up @leaf in @env; a HirScalarLookup. */
gboolean hir_env_lookup_leaf (const HirScalar *leaf, gint64 *result, gpointer env);

G_END_DECLS
