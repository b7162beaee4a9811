/* What a C++ compiler calls a kernel is long, and begins with what many have in common. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* "reduce_kernel" of "void at::native::reduce_kernel<512, ...>(...)". NULL where @name is no such
 * name. */
char *hir_dup_function_name (const char *name);

G_END_DECLS
