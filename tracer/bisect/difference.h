/* Comparison of values that were evaluated in double. */
#pragma once

#include "run/reference/reference-host.h"

G_BEGIN_DECLS

/* Returns the number of elements in which @a and @b differ by more than the sum of their error
 * bounds; if they have other sizes, the number
 * of elements of the larger one. Sets @first (nullable) to the first one, or -1. */
gint64 hir_difference_count (const HirRefTensor *a, const HirRefTensor *b, gint64 *first);
/* Appends element @i of @tensor: "0.25", or "no value" if it was never written. */
void hir_difference_append_element (const HirRefTensor *tensor, gint64 i, GString *text);
/* Appends the position of element @i of @tensor: "[0, 2]". */
void hir_difference_append_index (const HirRefTensor *tensor, gint64 i, GString *text);

/* An element of an output that differs from the fusion. */
typedef struct
{
  guint output;   /* position among the outputs */
  guint rank;     /* index of the rank */
  gint64 element; /* row-major in the rank's part; -1: the output has no value */
} HirWrongOutput;

/**
 * hir_difference_of_outputs:
 * @ranks: (array length=n): the evaluated programs
 * @parts: one entry per rank, from hir_reference_evaluate_host()
 * @wanted: HirRefTensor*: the outputs of the fusion
 * @first: (out): the first wrong element
 *
 * Compares the parts of all ranks with the outputs of the fusion.
 *
 * Returns: (transfer full): one line per wrong output, or NULL with *@error unset if all are right;
 *   NULL with @error if the part of a rank cannot be computed
 */
char *hir_difference_of_outputs (const HirReferenceRank *ranks,
                                 guint n,
                                 const GPtrArray *parts,
                                 const GPtrArray *wanted,
                                 HirWrongOutput *first,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
