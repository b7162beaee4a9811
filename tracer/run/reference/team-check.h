/* Check of teams against meshes before a run. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* Checks the teams of @programs[i], the program of rank @first + i. Returns FALSE and sets
 * HIR_ERROR_RUN, at the communication, if a rank that sends or must receive a part
 * (docs/host-ir.md#communication, by the meshes of its tensors) is not in the team, or if a member
 * holds neither tensor. The message names rank, instruction and tensor. */
gboolean hir_teams_check (HirContainer *const *programs,
                          guint n_ranks,
                          gint64 first,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
