/* Internal declarations of InsertReshardings (docs/host-ir.md#insertreshardings). */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* Returns FALSE and @error if @expr, which reshards, has several results. */
gboolean
hir_reshard_check_one_output (const HirExpr *expr, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Takes the bias out of each linear whose K axis is over devices, and adds it to the result.
 * Returns FALSE and @error if an op cannot be made. */
gboolean hir_reshard_bias (HirContainer *fusion, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Splits each op whose reduced axis is partly over devices into two: a local reduction on each
 * device, and a reduction over devices. Returns FALSE and @error if an op is rejected. */
gboolean hir_reshard_rfactor (HirContainer *fusion, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
