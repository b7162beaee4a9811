/* Finds names that a script uses but never binds, as pyflakes does, without running it. */
#pragma once

#include "script/parse/parse.h"

G_BEGIN_DECLS

/**
 * HirNamesAttribute:
 * @module: the module, such as "nvfuser_direct"
 * @name: an attribute of it, or a name that is imported from it
 *
 * Returns: (nullable): the attribute that is meant if @module has no @name, static
 */
typedef const char *(*HirNamesAttribute) (const char *module, const char *name);

/**
 * hir_names_dup_undefined:
 * @script: a script without syntax errors
 * @attribute: (nullable): finds misspelled attributes of modules
 *
 * Finds names that no statement of an enclosing scope binds; the order of the statements does not
 * count. Finds none in a file with a star import. Each message suggests a similar name.
 *
 * Returns: (transfer full) (element-type HirDiagnostic): at most 20, with the code HIR_WARNING
 */
GPtrArray *hir_names_dup_undefined (HirScript *script, HirNamesAttribute attribute);

/* Returns the entry of @known that is within two edits of @name and nearest to it (borrowed), or
 * NULL. */
const char *hir_names_find_similar (const char *name, const char *const *known, guint n);

G_END_DECLS
