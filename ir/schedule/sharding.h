/* How tensors are spread over devices, and what that makes of an op: the predicates of
 * docs/host-ir.md#sharding, by the rules of 2025.
 *
 * Every function that has an error gives HIR_ERROR_REFUSED with the script line of the schedule,
 * and names tensor and axis. All are pure: any thread may ask, of a program that nobody changes. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* A set of parallel types: HIR_PARALLEL_BIT (type) or'ed. */
typedef guint HirParallelSet;
#define HIR_PARALLEL_BIT(type) (1u << (type))
#define HIR_PARALLEL_DEVICES                                                                       \
  (HIR_PARALLEL_BIT (HIR_PARALLEL_DIDX) | HIR_PARALLEL_BIT (HIR_PARALLEL_DIDY) |                   \
   HIR_PARALLEL_BIT (HIR_PARALLEL_DIDZ))
#define HIR_PARALLEL_DEVICES_AND_STREAM                                                            \
  (HIR_PARALLEL_DEVICES | HIR_PARALLEL_BIT (HIR_PARALLEL_STREAM))

/* One axis a type, NULL where there is none. */
typedef struct
{
  HirIterDomain *ids[HIR_N_PARALLEL_TYPES];
} HirParallelIds;

/* The axes of one of @tensor's domains by device and stream type, reductions left out (a reduced
 * device axis counts as replicated). FALSE where two have one type (refusal 15 of
 * docs/host-ir.md#refusals). */
gboolean hir_domain_map_parallel (const HirTensor *tensor,
                                  const HirDomain *domain,
                                  HirParallelIds *map,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* *@different: @producer, an operand of @expr, and @consumer, its output, are on different meshes,
 * or some type of @types lies on axes that are not provably the same. Loop domains are compared.
 * FALSE as above. */
gboolean hir_expr_have_different_shardings (const HirExpr *expr,
                                            const HirTensor *producer,
                                            const HirTensor *consumer,
                                            HirParallelSet types,
                                            gboolean *different,
                                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* *@resharding: a tensor op some operand of which is sharded over devices otherwise than its
 * output. What only streams differ in is none. FALSE as above. */
gboolean hir_expr_is_resharding (const HirExpr *expr,
                                 gboolean *resharding,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* What an op changes about one axis: over devices in @producer only (a gather), or in @consumer
 * only (a scatter). */
typedef struct
{
  HirTensor *producer;
  HirTensor *consumer;
  HirIterDomain *producer_axis; /* logical */
  HirIterDomain *consumer_axis; /* root or logical */
  HirIterDomain *device_axis;   /* the loop axis that is over devices: of one of the two */
  gboolean is_gather;
} HirShardingChange;

/* *@found and @change: the one such change of a tensor op. FALSE where there are several, or where
 * an axis goes from one device type to another (refusal 12 of docs/host-ir.md#refusals). A
 * reduction of a device axis is no change. Differs from nvFuser: an axis whose split is over
 * devices counts too. */
gboolean hir_expr_get_sharding_change (const HirExpr *expr,
                                       gboolean *found,
                                       HirShardingChange *change,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* *@inner: the changed axis is not the outermost one of what each device holds, reductions,
 * broadcasts and device axes not counted; so the shards are no contiguous pieces. Stream axes count:
 * ask once the stream loop has taken its axis away. Differs from nvFuser, which asks only on the
 * side that is over devices: both are asked here, since a device axis may have been moved to the
 * front. FALSE as hir_expr_get_sharding_change(). */
gboolean hir_expr_is_inner_resharding (const HirExpr *expr,
                                       gboolean *inner,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* TRUE where @expr needs no communication or is one by itself: a set that permutes nothing, or a
 * reduction of exactly one axis which is over devices. FALSE and the reason otherwise. InsertReshardings asks with
 * @ignore_inner, ConvertOpToCommunication without: then axes must also lie in one order in both
 * tensors, which nvFuser does not ask (a collective copies pieces as they lie in memory). */
gboolean hir_expr_can_lower (const HirExpr *expr,
                             gboolean ignore_inner,
                             GError **why) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
