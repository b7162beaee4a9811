/* The two steps of InsertReshardings (docs/host-ir.md#insertreshardings); no other file includes
 * it. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* Cuts each op whose reduced axis is split, one part of it over devices, in two: what each device
 * reduces by itself, and a reduction over devices. FALSE: refused. */
gboolean hir_reshard_rfactor (HirContainer *fusion, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
