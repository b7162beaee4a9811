/* Compares two traces of the same work. */
#pragma once

#include "analysis/stats.h"
#include "trace/text-out.h"
#include "view/op-table.h"

G_BEGIN_DECLS

/* The same work in both traces: matched by op of the script and kind if there is a table of ops;
 * otherwise by instruction, kind and, if both traces have it, name (Hirscope recordings of the same
 * program or an edited one); otherwise by name and kind. */
typedef struct
{
  const char *name; /* that in A, or else in B, or label of the op; owned by trace or table */
  /* Nullable: of the instruction, in a joined trace. Displayed instead of the name. */
  const char *label;
  gboolean has_twin; /* the instruction has other rows: display label and name */
  HirEventKind kind;
  guint64 instruction; /* 0: matched by name or op */
  gboolean is_op;
  gboolean has_other_names; /* matched by instruction and kind: @name is one of several */
  guint line;               /* of the op in the script; 0 if unknown */
  guint64 count_a, count_b;
  gint64 sum_a_ns, sum_b_ns;
  /* Pairs: the n-th event of A on a rank and the n-th of B on this rank, in order of time. */
  guint64 n_pairs;
  gint64 max_slower_ns, max_faster_ns; /* of B compared with A in one pair; 0: never */
  /* The event of B in the pair of max_slower_ns; its start is from the start of B. */
  int slowest_rank;
  gint64 slowest_start_ns;
} HirCompareRow;

/* All times and counts are means of one repetition, without setup, warm-up runs and checks. The
 * total of a device is the time from the first to the last work of a repetition. A trace of another
 * profiler is one repetition. */
typedef struct
{
  HirStats *a, *b;
  GArray *rows; /* HirCompareRow, sorted by difference of sums (largest first), then by name */
  /* From the first instruction of a host to the last end, as in explain/explain.h. */
  gint64 span_a_ns, span_b_ns;
  guint64 n_only_a, n_only_b; /* events of rows that only one trace has */
  /* Options and inputs of A that differ from those of B, and those of B; both NULL or "" if none
   * are known to differ. Not set by hir_comparison_new(). */
  char *options_a, *options_b;
  guint n_runs[2]; /* repetitions of A and B; 1 for a part of a run */
  /* FALSE: the repetitions of this trace have different events, so that totals and idle times
   * include the time between repetitions. */
  gboolean is_separate[2];
  char *caveats[2]; /* of A and B, nullable; see hir_trace_dup_caveat() */
} HirComparison;

/**
 * hir_comparison_new:
 * @ops: (nullable): the ops of the two programs, if the traces are runs of different programs of
 * one script
 *
 * Compares the device work of two traces, which must outlive the result, as must @ops.
 *
 * Returns: (transfer full): NULL with HIR_ERROR_LIMIT if memory is short, or HIR_ERROR_CANCELLED
 */
HirComparison *hir_comparison_new (const HirTrace *a,
                                   const HirTrace *b,
                                   const HirOpTable *ops,
                                   GCancellable *cancellable,
                                   GError **error);
void hir_comparison_free (HirComparison *comparison);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirComparison, hir_comparison_free)

/* Returns the printable name of a row (transfer full); that of an op includes its line and the kind
 * of work. */
char *hir_compare_row_dup_name (const HirCompareRow *row);
/* Returns a sentence if a trace has several repetitions (transfer full), or NULL. */
char *hir_comparison_dup_note (const HirComparison *comparison);
/* Writes tables for a terminal, with at most @max_rows rows. */
void hir_comparison_write_text (const HirComparison *comparison, guint max_rows, HirTextOut *out);
/* Writes one JSON object. */
void hir_comparison_write_json (const HirComparison *comparison, HirTextOut *out);

/**
 * hir_comparison_merge:
 * @names: (nullable): names of A and B, such as those of their files
 *
 * Creates one trace with the tracks of A, then those of B. Ranks of B are numbered after those of
 * A, track names start with "A: " or "B: ", and both traces start at 0. The meta value "ranks_of_a"
 * is the number of ranks of A, "name_of_a" and "name_of_b" are @names.
 *
 * Returns: (transfer full): NULL with HIR_ERROR_LIMIT or HIR_ERROR_CANCELLED
 */
HirTrace *hir_comparison_merge (const HirTrace *a,
                                const HirTrace *b,
                                const char *const *names,
                                GCancellable *cancellable,
                                GError **error);

G_END_DECLS
