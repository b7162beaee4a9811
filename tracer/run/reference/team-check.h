/* Teams against meshes, before anything runs. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* @programs[i] is what rank @first + i runs. FALSE and HIR_ERROR_RUN, at the communication, where a
 * rank that gives or must get a part (docs/host-ir.md#communication; by the meshes of its tensors)
 * is not in the team, or one in the team holds neither; the message names rank, instruction and
 * tensor. */
gboolean hir_teams_check (HirContainer *const *programs, guint n_ranks, gint64 first, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
