/* Shared by the files of the environment. */
#pragma once

#include "run/env.h"

G_BEGIN_DECLS

/* How many elements of @id, one of @tensor's axes, the environment's device holds. */
gboolean hir_env_get_local_size (
    HirEnv *env, const HirTensor *tensor, const HirIterDomain *id, gint64 *size, GError **error);

G_END_DECLS
