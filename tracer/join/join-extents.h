/* Sizes of the inputs of a program, from what a trace recorded of the operands. */
#pragma once

#include "join/join.h"

G_BEGIN_DECLS

/* Fills in the sizes "?" of @inputs, shapes of the inputs of @fusion, from the tied events of
 * @join: shapes of ATen's operands ("Input Dims"), elements of communications, bytes of copies, and
 * grids of elementwise kernels. Sizes on which the events do not agree stay unknown. Returns a new
 * NULL-terminated array. */
char **hir_join_dup_recorded_inputs (const HirJoin *join,
                                     const HirContainer *fusion,
                                     const char *const *inputs);
/* join-grid.c: reads the lists of numbers in "[[8, 256], [], [256]]", without the empty ones.
 * Returns an array of GArrays of gint64. */
GPtrArray *hir_join_read_lists (const char *text);
/* Reads the grid of an elementwise kernel of PyTorch whose name tells how many elements a block
 * has. Returns FALSE if event @index of @track is none; then the sizes are undefined. */
gboolean hir_join_read_grid (
    const HirTrace *trace, guint track, guint index, gint64 *n_blocks, gint64 *per_block);
/* Returns whether two lists of shapes have different sizes where both are known. */
gboolean hir_join_sizes_differ (const char *const *found, const char *const *recorded);
/* Adds notes to @join: sizes that the trace gives, unlike @given, and those that nothing gives. The
 * latter do not decide what the program issues. */
void hir_join_note_sizes (HirJoin *join, const HirContainer *fusion, const char *const *given);

G_END_DECLS
