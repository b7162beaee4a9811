/* Expresses a matmul or linear op as a batch of strided matrix products. */
#pragma once

#include "run/op-call.h"

G_BEGIN_DECLS

/* Strides of A, B or C, in elements. */
typedef struct
{
  gint64 row, column;         /* from row to row, and from column to column */
  gint64 batch[HIR_MAX_DIMS]; /* one per batch axis; 0: broadcast */
} HirProductSide;

/* C[m, n] = A[m, k] B[k, n] (+ bias[n]) for each index of the batch axes, slowest first. */
typedef struct
{
  gint64 m, n, k;
  guint n_batch;
  gint64 batch[HIR_MAX_DIMS];
  HirProductSide a, b, c;
  gboolean has_bias;
  gint64 bias_stride;
  gint64 bias_batch[HIR_MAX_DIMS];
} HirProduct;

/* Sets @product from @call. Batch axes become rows of one larger product, or are merged with each
 * other, if the strides permit. Returns FALSE if the shapes do not match. */
gboolean hir_product_init (HirProduct *product, const HirOpCall *call);

G_END_DECLS
