/* Tensors distributed over streams (ShardByStream of 2026, docs/host-ir.md#memory). An iteration of
 * a loop over streams uses one piece of such a tensor. */
#pragma once

#include "run/env.h"

G_BEGIN_DECLS

/* Returns the tensors of a host program of which only the piece of one iteration is ever in memory:
 * results of ShardByStream, and tensors over streams that are neither inputs nor outputs nor split
 * by an instruction. A set of HirTensor*; empty for programs without ShardByStream. */
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
