/* Lookup of functions and classes in the syntax tree of a script. */
#pragma once

#include "script/parse/script-private.h"

G_BEGIN_DECLS

/* Returns the last top-level def or class called @name, or NULL. */
HirAstFunction *hir_script_lookup (const HirScript *script, const char *name);
/* Returns the last def called @name in the body of @class, or NULL. Base classes are not searched.
 */
HirAstFunction *
hir_script_lookup_method (const HirScript *script, const HirAstFunction *class, const char *name);
/* Returns TRUE if @param is a FusionDefinition: by its annotation, or if it is called `fd`. */
gboolean hir_script_is_definition_param (const HirAstParam *param);
/* Finds a function by the name that pytest prints: NAME, CLASS::NAME or CLASS.NAME. Also finds a
 * nested function that fills a definition, by its own name or as OUTER.NAME. Sets @class to
 * the class that it is a method of, or to NULL. Returns NULL if there is none. */
HirAstFunction *
hir_script_lookup_path (const HirScript *script, const char *path, HirAstFunction **class);
/* Returns the value of option @name of the fixture decorator of @function, or NULL. */
const HirAst *hir_script_get_fixture_option (const HirAstFunction *function, const char *name);
/* Returns TRUE if @function has a pytest fixture decorator. */
gboolean hir_script_is_fixture (const HirAstFunction *function);

G_END_DECLS
