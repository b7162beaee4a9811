/* Iterates over several strided tensors of the same shape, in few long rows. */
#pragma once

#include "run/values/value.h"

G_BEGIN_DECLS

#define HIR_ITER_MAX_OPERANDS 5

typedef struct
{
  guint n_operands; /* [0] is written, the others are read */
  guint n_dims;     /* after merging axes that are adjacent in all operands; at least 1 */
  gint64 sizes[HIR_MAX_DIMS];
  gint64 strides[HIR_ITER_MAX_OPERANDS][HIR_MAX_DIMS]; /* elements */
  guint8 *data[HIR_ITER_MAX_OPERANDS];
  gsize element[HIR_ITER_MAX_OPERANDS]; /* bytes */
  gboolean is_empty;
} HirCpuIter;

/* Called with @n elements of each operand, strides[k] elements apart. Returns FALSE to stop. */
typedef gboolean (*HirCpuIterBody) (guint8 *const *data,
                                    const gint64 *strides,
                                    gsize n,
                                    gpointer user_data);

/* Axes of size 1 are broadcast to the size in operand 0; ranks must be equal. Returns FALSE if the
 * shapes do not match. Buffers must have memory. */
gboolean hir_cpu_iter_init (HirCpuIter *iter, const HirValue *const *operands, guint n);
/* Calls @body with rows of at most @max_row elements. Returns FALSE if a call returned FALSE. */
gboolean
hir_cpu_iter_run (const HirCpuIter *iter, gsize max_row, HirCpuIterBody body, gpointer user_data);

G_END_DECLS
