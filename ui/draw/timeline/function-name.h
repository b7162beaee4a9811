/* Shortens names of events: C++ kernel names, which are long and start with common namespaces, and
 * those of instructions. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns "reduce_kernel" for "void at::native::reduce_kernel<512, ...>(...)" (transfer full), or
 * NULL if @name is not such a name. */
char *hir_dup_function_name (const char *name);

/* Returns the operation of a name that contains its tensor, such as "Set T4" or "T4_matmul", or the
 * end that distinguishes a name such as "evaluate_function: AddmmBackward0" (transfer full), or
 * NULL. */
char *hir_dup_op_name (const char *name);

/* Returns the label of a narrow bar: "AG" for "Allgather T5", or NULL if there is none. */
const char *hir_get_abbreviation (const char *name);

G_END_DECLS
