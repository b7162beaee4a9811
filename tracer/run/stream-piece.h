/* Tensors that are over streams (ShardByStream of 2026, docs/host-ir.md#memory): of such a tensor a
 * loop over streams sees one piece an iteration. */
#pragma once

#include "run/env.h"

G_BEGIN_DECLS

/* Tensors of a host program of which only the piece of one iteration is ever in memory: what a
 * ShardByStream gives, and what is over streams, is neither input nor output of the program and is
 * cut nowhere. A set of HirTensor*; empty for programs without a ShardByStream. */
GHashTable *hir_stream_pieces_new (HirContainer *program);

/* The run-time axis of @tensor that its Stream axis comes of, and into how many pieces that cuts it
 * (@extent, borrowed). FALSE where no axis is over streams. */
gboolean hir_stream_piece_find (const HirTensor *tensor, guint *axis, const HirScalar **extent);

/* What the ShardByStream @expr takes of a tensor of @whole's sizes: elements *@start to *@start +
 * *@size of *@axis. Errors: HIR_ERROR_RUN where it does not split evenly, or there is no such
 * piece. */
gboolean hir_stream_piece_get (const HirExpr *expr,
                               HirEnv *env,
                               guint n_dims,
                               const gint64 *sizes,
                               guint *axis,
                               gint64 *start,
                               gint64 *size,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
