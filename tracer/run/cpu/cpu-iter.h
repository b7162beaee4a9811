/* Walking several strided tensors of the same shape together, as few long rows. */
#pragma once

#include "run/values/value.h"

G_BEGIN_DECLS

#define HIR_ITER_MAX_OPERANDS 5

typedef struct
{
  guint n_operands; /* [0] is written, the others read */
  guint n_dims;     /* after joining axes that are adjacent in all of them; at least 1 */
  gint64 sizes[HIR_MAX_DIMS];
  gint64 strides[HIR_ITER_MAX_OPERANDS][HIR_MAX_DIMS]; /* elements */
  guint8 *data[HIR_ITER_MAX_OPERANDS];
  gsize element[HIR_ITER_MAX_OPERANDS]; /* bytes */
  gboolean is_empty;
} HirCpuIter;

/* @n elements of each operand, strides[k] elements apart. FALSE ends the walk. */
typedef gboolean (*HirCpuIterBody) (guint8 *const *data,
                                    const gint64 *strides,
                                    gsize n,
                                    gpointer user_data);

/* Axes of size 1 are repeated to the size of operand 0's; ranks must be equal. FALSE where a shape
 * does not fit. Buffers must be there. */
gboolean hir_cpu_iter_init (HirCpuIter *iter, const HirValue *const *operands, guint n);
/* Rows of at most @max_row elements. FALSE if a body gave FALSE. */
gboolean
hir_cpu_iter_run (const HirCpuIter *iter, gsize max_row, HirCpuIterBody body, gpointer user_data);

G_END_DECLS
