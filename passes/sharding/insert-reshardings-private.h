/* Internal declarations of InsertReshardings (docs/host-ir.md#insertreshardings). */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* Splits each op whose reduced axis is partly over devices into two: a local reduction on each
 * device, and a reduction over devices. Returns FALSE and @error if an op is rejected. */
gboolean hir_reshard_rfactor (HirContainer *fusion, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
