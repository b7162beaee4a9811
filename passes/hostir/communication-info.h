/* Which communication an op becomes, by the rules of 2026 (docs/hostir.md#communications).
 */
#pragma once

#include "hostir/shard-loop-like.h"

G_BEGIN_DECLS

/* How the data moves. The others are those of the executor pipeline's table. */
typedef enum
{
  HIR_COMM_FORM_OTHER,
  HIR_COMM_FORM_ALL_TO_ALL, /* over devices along another axis */
  HIR_COMM_FORM_BROADCAST,  /* each iteration of a stream loop takes the shard of one device */
  HIR_COMM_FORM_COLLECTIVE_PERMUTE, /* likewise, each device from another one */
} HirCommForm;

/* Change of the sharding over the devices of one type. */
typedef struct
{
  HirParallelType type;
  HirCommForm form;
  HirIterDomain *in_axis; /* logical axis of the operand whose place in memory matters (nullable) */
  HirIterDomain *out_axis; /* likewise of the result */
} HirCommInfo;

/* Finds the change that @expr makes; sets *@found. Only a set, reduction or squeeze can be a
 * communication. @error: HIR_ERROR_REFUSED if @expr changes more than one type, or if a reduction
 * has no shards to combine. */
gboolean hir_comm_info_get (HirExpr *expr, gboolean *found, HirCommInfo *info, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Returns TRUE if DecomposeReshardings leaves resharding op @expr as it is: a set, or a reduction
 * or squeeze of exactly one axis, which is over devices. */
gboolean hir_expr_is_communication (const HirExpr *expr);

G_END_DECLS
