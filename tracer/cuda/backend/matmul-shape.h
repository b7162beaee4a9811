/* A matmul or linear as products of matrices: which strides lead where. */
#pragma once

#include "run/op-call.h"

G_BEGIN_DECLS

/* One of the three, strides in elements. */
typedef struct
{
  gint64 row, column;         /* of a matrix */
  gint64 batch[HIR_MAX_DIMS]; /* of each batch axis; 0: repeated */
} HirProductSide;

/* C[m, n] = A[m, k] B[k, n] (+ a bias of n), for each element of the batch axes, slowest first. */
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

/* FALSE where the shapes do not fit or rows can't be walked with one stride. Batch axes that can be
 * rows of one product are, others are joined where memory allows. */
gboolean hir_product_init (HirProduct *product, const HirOpCall *call);

G_END_DECLS
