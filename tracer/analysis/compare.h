/* Two traces of what should be the same work, side by side. */
#pragma once

#include "analysis/stats.h"
#include "trace/text-out.h"

G_BEGIN_DECLS

/* Work of one kind on both sides: by the instruction where both traces have it (recordings of ours
 * of the same program, or of one that was edited elsewhere), else by name and class. */
typedef struct
{
  const char *name; /* A's, else B's */
  HirEventKind kind;
  guint64 instruction; /* 0: matched by name */
  guint64 count_a, count_b;
  gint64 sum_a_ns, sum_b_ns;
  /* Of the pairs: the n-th of A on a rank with the n-th of B on that rank, in order of time. */
  guint64 n_pairs;
  gint64 max_slower_ns, max_faster_ns; /* of B against A in one pair; 0: never */
} HirCompareRow;

typedef struct
{
  HirStats *a, *b;
  GArray *rows; /* HirCompareRow: largest difference of sums first, then by name */
  gint64 span_a_ns, span_b_ns;
  guint64 n_only_a, n_only_b; /* events of rows that the other side has none of */
} HirComparison;

/* Strings are the traces': both must outlive the result. Device work only. NULL with HIR_ERROR_LIMIT where there is no memory
 * for it, or with HIR_ERROR_CANCELLED; @cancellable is nullable. */
HirComparison *
hir_comparison_new (const HirTrace *a, const HirTrace *b, GCancellable *cancellable, GError **error);
void hir_comparison_free (HirComparison *comparison);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirComparison, hir_comparison_free)

/* Tables for a terminal, at most @max_rows rows; or one JSON object. */
void hir_comparison_write_text (const HirComparison *comparison, guint max_rows, HirTextOut *out);
void hir_comparison_write_json (const HirComparison *comparison, HirTextOut *out);

/* One trace with the tracks of both, A's above: ranks of B count on from A's, names say which is
 * which, and each begins at 0; meta "ranks_of_a" is how many ranks A has. NULL and HIR_ERROR_LIMIT or, where @cancellable
 * (nullable) is cancelled, HIR_ERROR_CANCELLED. */
HirTrace *
hir_comparison_merge (const HirTrace *a, const HirTrace *b, GCancellable *cancellable, GError **error);

G_END_DECLS
