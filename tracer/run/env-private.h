/* Shared by the files of the environment. */
#pragma once

#include "run/env.h"

G_BEGIN_DECLS

/* Returns what hir_env_set_pieces() set. */
GHashTable *hir_env_get_pieces (const HirEnv *env);
/* A HirScalarLookup. */
gboolean hir_env_lookup_leaf (const HirScalar *leaf, gint64 *result, gpointer env);

G_END_DECLS
