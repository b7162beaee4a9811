/* Internal declarations of ConvertOpToCommunication (docs/host-ir.md#convertoptocommunication). */
#pragma once

#include <gio/gio.h>

#include "container.h"

G_BEGIN_DECLS

/* Parameters of one Communication. */
typedef struct
{
  HirCommType type;
  gint64 *team; /* device ids; owned */
  guint n_team;
  gint64 root; /* a device id, or -1 if the type has no root */
} HirCommChoice;

/* Returns the communications for @expr, a resharding op, on device @rank. If @check_layout, rejects
 * shards that are not contiguous in memory. The choice is one communication, or one per receiver
 * (Gather, Reduce) or pair (SendRecv), by the choice table of 2025. @error: HIR_ERROR_REFUSED
 * (refusals 12 to 14 and 19 of docs/host-ir.md#refusals); the message names tensor and axis. New
 * array of HirCommChoice*. */
GPtrArray *hir_comm_choose (const HirExpr *expr, gint64 rank, gboolean check_layout, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Sets the error `the sum that computes out (T1) cannot become a communication: ...`, with the
 * script position of @axis. */
void hir_comm_refuse (const HirExpr *expr,
                      const HirTensor *tensor,   /* nullable */
                      const HirIterDomain *axis, /* nullable */
                      GError **error,
                      const char *format,
                      ...) G_GNUC_PRINTF (5, 6);
/* Returns `axis iS0{i0} of tv0 (T0)`, or `tv0 (T0)` if @axis is NULL. Newly allocated. */
char *hir_comm_dup_axis_label (const HirTensor *tensor, const HirIterDomain *axis /* nullable */);

G_END_DECLS
