/* Shortens C++ kernel names, which are long and start with common namespaces. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns "reduce_kernel" for "void at::native::reduce_kernel<512, ...>(...)" (transfer full), or
 * NULL if @name is not such a name. */
char *hir_dup_function_name (const char *name);

G_END_DECLS
