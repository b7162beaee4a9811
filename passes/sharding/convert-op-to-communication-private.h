/* The parts of ConvertOpToCommunication (docs/host-ir.md#convertoptocommunication); no other file
 * includes it. */
#pragma once

#include <gio/gio.h>

#include "container.h"

G_BEGIN_DECLS

/* What one Communication is to be. */
typedef struct
{
  HirCommType type;
  gint64 *team; /* device ids; owned */
  guint n_team;
  gint64 root; /* a device id, -1 where the type has none */
} HirCommChoice;

/* What @expr, a resharding op, becomes on device @rank: one Communication, or one for each receiver
 * (Gather, Reduce) or pair (SendRecv); the choice table of 2025. NULL and a refusal
 * (HIR_ERROR_REFUSED, refusals 12 to 14 and 19 of docs/host-ir.md#refusals) that names tensor and
 * axis. Newly allocated array of HirCommChoice*. */
GPtrArray *
hir_comm_choose (const HirExpr *expr, gint64 rank, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
