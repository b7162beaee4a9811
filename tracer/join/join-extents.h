/* Sizes of the inputs of a program, from what a trace recorded of the operands. */
#pragma once

#include "join/join.h"

G_BEGIN_DECLS

/* Fills in the sizes "?" of @inputs, shapes of the inputs of @fusion, from the tied events of
 * @join: shapes of ATen's operands ("Input Dims"), elements of communications, and bytes of copies.
 * Sizes on which the events do not agree stay unknown. Returns a new NULL-terminated array. */
char **hir_join_dup_recorded_inputs (const HirJoin *join,
                                     const HirContainer *fusion,
                                     const char *const *inputs);
/* Returns whether two lists of shapes have different sizes where both are known. */
gboolean hir_join_sizes_differ (const char *const *found, const char *const *recorded);
/* Adds notes to @join: sizes that the trace gives, unlike @given, and those that nothing gives. The
 * latter do not decide what the program issues. */
void hir_join_note_sizes (HirJoin *join, const HirContainer *fusion, const char *const *given);

G_END_DECLS
