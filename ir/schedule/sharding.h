/* Sharding of tensors over devices and its consequences for ops: the predicates of
 * docs/host-ir.md#sharding, by the rules of 2025.
 *
 * A function with an error returns FALSE and sets HIR_ERROR_REFUSED with the script position of the
 * schedule; the message names tensor and axis. All functions only read the program and may be
 * called from any thread while it does not change. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* Set of parallel types: HIR_PARALLEL_BIT (type) flags. */
typedef guint HirParallelSet;
#define HIR_PARALLEL_BIT(type) (1u << (type))
#define HIR_PARALLEL_DEVICES                                                                       \
  (HIR_PARALLEL_BIT (HIR_PARALLEL_DIDX) | HIR_PARALLEL_BIT (HIR_PARALLEL_DIDY) |                   \
   HIR_PARALLEL_BIT (HIR_PARALLEL_DIDZ))
#define HIR_PARALLEL_DEVICES_AND_STREAM                                                            \
  (HIR_PARALLEL_DEVICES | HIR_PARALLEL_BIT (HIR_PARALLEL_STREAM))

/* One axis per type, or NULL. */
typedef struct
{
  HirIterDomain *ids[HIR_N_PARALLEL_TYPES];
} HirParallelIds;

/* Maps the axes of one of @tensor's domains by device and stream type. Ignores reductions: a
 * reduced device axis counts as replicated. Returns FALSE if two axes have the same type (refusal
 * 15 of docs/host-ir.md#refusals). */
gboolean hir_domain_map_parallel (const HirTensor *tensor,
                                  const HirDomain *domain,
                                  HirParallelIds *map,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Sets *@different to TRUE if @producer, an operand of @expr, and @consumer, its output, are on
 * different meshes, or if the axes of a type in @types are not provably the same. Compares loop
 * domains. Errors as hir_domain_map_parallel(). */
gboolean hir_expr_have_different_shardings (const HirExpr *expr,
                                            const HirTensor *producer,
                                            const HirTensor *consumer,
                                            HirParallelSet types,
                                            gboolean *different,
                                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Like hir_expr_have_different_shardings(), but compares @producer_domain with @consumer_domain:
 * the loop or allocation domain of the tensors. */
gboolean hir_expr_have_different_domains (const HirExpr *expr,
                                          const HirTensor *producer,
                                          const HirDomain *producer_domain,
                                          const HirTensor *consumer,
                                          const HirDomain *consumer_domain,
                                          HirParallelSet types,
                                          gboolean *different,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Sets *@resharding to TRUE if @expr is a tensor op with an operand whose sharding over devices
 * differs from the output's. Differences in streams only do not count. Errors as
 * hir_domain_map_parallel(). */
gboolean hir_expr_is_resharding (const HirExpr *expr,
                                 gboolean *resharding,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Change of one axis by an op: over devices in @producer only (a gather) or in @consumer only (a
 * scatter). A set may gather one axis and scatter another (an all-to-all) over the same devices. */
typedef struct
{
  HirTensor *producer;
  HirTensor *consumer;
  HirIterDomain *producer_axis; /* logical */
  HirIterDomain *consumer_axis; /* root or logical */
  HirIterDomain *device_axis;   /* the loop axis over devices, of either tensor */
  gboolean is_gather;
  HirIterDomain *scattered; /* all-to-all: the other axis, of @consumer; otherwise NULL */
} HirShardingChange;

/* Finds the one such change of a tensor op; sets *@found. Returns FALSE if there are several
 * changes that are not an all-to-all, or if an axis changes from one device type to another
 * (refusal 12 of docs/host-ir.md#refusals). A reduction of a device axis is not a change. Differs
 * from nvFuser: an axis of which a split is over devices counts too. */
gboolean hir_expr_get_sharding_change (const HirExpr *expr,
                                       gboolean *found,
                                       HirShardingChange *change,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Sets *@inner to TRUE if the changed axis is not the outermost axis of each device's data, so that
 * shards are not contiguous. Reductions, broadcasts and device axes do not count; stream axes do,
 * so call this after stream loops have removed theirs. Differs from nvFuser, which checks only the
 * side that is over devices: both sides are checked, because a device axis may have been moved to
 * the front. Always FALSE for an all-to-all. Errors as hir_expr_get_sharding_change(). */
gboolean hir_expr_is_inner_resharding (const HirExpr *expr,
                                       gboolean *inner,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Returns TRUE if @expr needs no communication or is itself one: a set that does not permute, or a
 * reduction of exactly one axis, which is over devices. Otherwise returns FALSE and the reason in
 * @why. InsertReshardings passes @ignore_inner; ConvertOpToCommunication does not. Then axes must
 * also be in the same order in both tensors, because a collective copies shards as they are in
 * memory, and the pieces of an all-to-all must be contiguous; nvFuser checks neither. */
gboolean hir_expr_can_lower (const HirExpr *expr,
                             gboolean ignore_inner,
                             GError **why) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
