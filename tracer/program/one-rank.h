/* Printed programs of one rank: nvFuser prints the peers of some messages as they are on the rank
 * that prints. */
#pragma once

#include "container.h"
#include "diagnostic.h"

G_BEGIN_DECLS

/* Returns the position of the printing rank in the team of @permute, a CollectivePermute, if its
 * peers have the form of nvFuser: for a team of n ranks, `( n + ( position - index ) ) % n` and
 * `( index + position ) % n`. Otherwise returns -1. */
gint64 hir_permute_get_position (const HirExpr *permute);
/* Sets the peers of @permute, which have that form, to those of the rank at @position of its team.
 * Its container must not be shared. */
void hir_permute_set_position (HirExpr *permute, gint64 position);

/* Returns a diagnostic if @program, printed for @n_devices ranks, can be that of one rank only: a
 * note if those of the other ranks follow from it, otherwise a warning. Otherwise returns NULL. */
HirDiagnostic *hir_one_rank_dup_note (HirContainer *program, gint64 n_devices);

/**
 * hir_one_rank_check:
 * @program: a printed host program
 * @n_devices: number of ranks
 *
 * Checks whether all ranks can have printed @program, except for positions that
 * hir_permute_get_position() returns. A CollectivePermute whose peers are the same on all ranks is
 * no permutation. If all sends and receives have constant peers, each rank must be one. Messages in
 * an IF are not checked.
 *
 * Returns: FALSE and sets HIR_ERROR_INPUT if only one rank can have printed it
 */
gboolean hir_one_rank_check (HirContainer *program,
                             gint64 n_devices,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
