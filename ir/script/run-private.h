/* Internal declarations for running a script. */
#pragma once

#include "script/functions.h"
#include "script/interp.h"

G_BEGIN_DECLS

/* Checks that each --arg names a parameter of @function (NULL has none). Returns FALSE after a
 * signal otherwise. */
gboolean hir_py_check_args (HirPy *py, const HirAstFunction *function, guint first);
/* Returns FALSE if parameter @index of @function has no value but that of a caller. */
gboolean hir_py_has_value (HirPy *py, const HirAstFunction *function, guint index);
/* Fills @args with values for the parameters of @function from index @first. Returns FALSE after a
 * signal. */
gboolean hir_py_make_args (HirPy *py, const HirAstFunction *function, guint first, HirPyArgs *args);

G_END_DECLS
