/* Compares the recorded results of two programs. */
#pragma once

#include "bisect/align.h"
#include "bisect/record.h"

G_BEGIN_DECLS

/**
 * hir_records_compare:
 * @ranks: the programs of @record; @wanted_ranks: those of @wanted
 * @n_compared: (inout): incremented by the number of compared results
 * @report: (out) (transfer full): how the entry differs, lines
 *
 * Pairs the ops of both programs, and compares what each execution computes, selects, or exchanges
 * with whom. Slices and partners are compared only if every op has a pair; otherwise programs may
 * differ in them and compute the same.
 *
 * Returns: the first entry of @record that differs (borrowed), or NULL
 */
const HirRecorded *hir_records_compare (const HirRecord *record,
                                        const HirReferenceRank *ranks,
                                        const HirRecord *wanted,
                                        const HirReferenceRank *wanted_ranks,
                                        guint64 *n_compared,
                                        char **report);

/**
 * hir_programs_compare_form:
 * @report: (out) (transfer full): how the instruction differs, lines
 *
 * Compares two programs without values: selected axes, and which axes of results are reduced or
 * broadcast.
 *
 * Returns: the first instruction of @program that differs (borrowed); NULL if there is none or some
 *   op has no pair
 */
const HirExpr *
hir_programs_compare_form (HirContainer *program, HirContainer *wanted, char **report);

G_END_DECLS
