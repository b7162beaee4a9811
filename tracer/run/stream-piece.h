/* Tensors distributed over streams (ShardByStream of 2026, docs/host-ir.md#memory). An iteration of
 * a loop over streams uses one piece of such a tensor. */
#pragma once

#include "run/env.h"

G_BEGIN_DECLS

/* Returns the set (HirTensor*) of the tensors of which memory contains only one piece at a time,
 * for the current iteration. These are the results of ShardByStream, and tensors distributed over
 * streams that are neither inputs nor outputs and that no instruction splits. The set is empty if
 * the program has no ShardByStream. */
GHashTable *hir_stream_pieces_new (HirContainer *program);

/* Finds the run-time axis of @tensor that contains its Stream axis, and the number of its pieces
 * (@extent, borrowed). Returns FALSE if no axis is over streams. */
gboolean hir_stream_piece_find (const HirTensor *tensor, guint *axis, const HirScalar **extent);

/* Computes the piece that the ShardByStream @expr selects from a tensor of @sizes: elements *@start
 * to *@start + *@size of *@axis. Sets HIR_ERROR_RUN if the axis does not split evenly or the piece
 * does not exist. */
gboolean hir_stream_piece_get (const HirExpr *expr,
                               HirEnv *env,
                               guint n_dims,
                               const gint64 *sizes,
                               guint *axis,
                               gint64 *start,
                               gint64 *size,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
