/* Programs whose transfers between devices are no communications. */
#pragma once

#include "pipeline.h"

G_BEGIN_DECLS

/* Returns the first op of @program that transfers data between devices and is no communication
 * (borrowed), or NULL. */
const HirExpr *hir_transfer_find (HirContainer *program);

/**
 * hir_lowering_find_lost_transfer:
 *
 * Finds an op that transfers data between devices in a program of the executor pipeline without
 * communications, because ConvertOpToCommunication is disabled. Each device then computes with its
 * own shard only, so that results are incorrect.
 *
 * Returns: (transfer full) (nullable): the op, at its position in the script, and what to do
 */
HirDiagnostic *hir_lowering_find_lost_transfer (HirLowering *lowering, gint64 n_devices);

G_END_DECLS
