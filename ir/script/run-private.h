/* What the files that run a script share. */
#pragma once

#include "script/functions.h"
#include "script/interp.h"

G_BEGIN_DECLS

/* FALSE and a signal where --arg names no parameter of @function (NULL: it has none). */
gboolean hir_py_check_args (HirPy *py, const HirAstFunction *function, guint first);
/* Values for the parameters of @function from @first on. */
gboolean hir_py_make_args (HirPy *py, const HirAstFunction *function, guint first, HirPyArgs *args);

G_END_DECLS
