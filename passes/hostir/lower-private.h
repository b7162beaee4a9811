/* Internal declarations of LowerSegmentedFusionToHostIr
 * (docs/hostir.md#lowersegmentedfusiontohostir). */
#pragma once

#include "clone.h"
#include "hostir/communication-info.h"
#include "pass.h"
#include "segment/segmenter.h"

G_BEGIN_DECLS

typedef struct
{
  const HirPassContext *context;
  HirContainer *fusion;
  HirContainer *host;
  HirCloner *cloner;           /* fusion -> host */
  GHashTable *pieces;          /* HirTensor* of @host that are allocated anew in each iteration */
  HirExpr *loop;               /* the open loop (nullable); loops are not nested */
  const HirIterDomain *stream; /* the axis of the fusion that it runs over, or NULL */
  const HirTensor *reference;  /* the tensor of that axis */
} HirLowerSegments;

/* Appends @expr to the open loop, or to the top level. */
void hir_lower_emit (HirLowerSegments *lower, HirExpr *expr);
/* Inserts @expr in front of the open loop. */
void hir_lower_emit_before_loop (HirLowerSegments *lower, HirExpr *expr);
/* Creates the Allocate of @tensor. */
HirExpr *hir_lower_new_allocate (HirLowerSegments *lower, HirTensor *tensor);

/* Replaces @source, an operand or result of @expr, by a view of its shard of the current iteration,
 * and emits the ShardByStream. Sets *@view to NULL if @source is an operand that cannot be cut like
 * the result. */
gboolean hir_lower_shard (HirLowerSegments *lower,
                          HirTensor *source,
                          const HirExpr *expr,
                          HirTensor **view,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Sets *@different if operand @in lies in memory whole, but @out has a stream axis that @expr
 * relates to an axis of @in, or the reverse. */
gboolean hir_lower_needs_shard (HirLowerSegments *lower,
                                const HirExpr *expr,
                                HirTensor *in,
                                HirTensor *out,
                                gboolean *different,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Returns the stream axis of @tensor's loop domain that is not reduced, or NULL. */
HirIterDomain *hir_lower_get_stream (const HirTensor *tensor);

/* Rejects @view, a piece of @source, if the parts of its stream axis are not contiguous. */
gboolean hir_lower_check_piece (const HirTensor *source,
                                const HirTensor *view,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Rejects @tensor, which is allocated whole, if an axis over devices lies inside its stream axis.
 */
gboolean hir_lower_check_whole (const HirTensor *tensor, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Emits resharding @expr as communications. */
gboolean hir_lower_communication (HirLowerSegments *lower,
                                  HirExpr *expr,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
