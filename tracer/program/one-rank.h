/* Printed programs of one rank: nvFuser prints the peers of some messages as they are on the rank
 * that prints. */
#pragma once

#include "container.h"
#include "diagnostic.h"

G_BEGIN_DECLS

/**
 * hir_one_rank_find:
 * @program: a printed host program
 * @n_devices: number of ranks
 *
 * Finds a message whose peers show that not all ranks can have printed @program: a
 * CollectivePermute whose peers are the same on all ranks is no permutation; and if all messages
 * have constant peers, each rank must be one. Messages in an IF show nothing.
 *
 * Returns: (nullable): the first such message, borrowed
 */
const HirExpr *hir_one_rank_find (HirContainer *program, gint64 n_devices);

/* Returns a warning that @program is that of one rank, or NULL if hir_one_rank_find() finds no
 * message. */
HirDiagnostic *hir_one_rank_dup_warning (HirContainer *program, gint64 n_devices);

/* Returns FALSE and sets HIR_ERROR_INPUT if @program is that of one rank and blocks if all ranks
 * run it. A CollectivePermute of two ranks does not: it may match that of another iteration. */
gboolean hir_one_rank_check (HirContainer *program,
                             gint64 n_devices,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
