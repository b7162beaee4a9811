/* The parts of ConvertOpToCommunication (reference 3.4); no other file includes it. */
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
 * (HIR_ERROR_REFUSED, reference 3.8 #12-#14, #19) that names tensor and axis. Newly allocated array
 * of HirCommChoice*. */
GPtrArray *
hir_comm_choose (const HirExpr *expr, gint64 rank, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
