/* Search for code that may call a function of a script. */
#pragma once

#include "script/parse/script-private.h"

G_BEGIN_DECLS

/* Code that names a function, directly or through other functions of its file. */
typedef struct
{
  HirAstFunction
      *function;         /* a top-level function, or a test method; NULL: a top-level statement */
  HirAstFunction *class; /* nullable: the class that the method belongs to */
  guint statement;       /* index of the top-level statement */
} HirScriptCaller;

/* Returns the names of @script through which its top-level name @name can be reached, itself
 * included: a set of borrowed strings. Only the syntax is searched. */
GHashTable *hir_script_dup_reaching (const HirScript *script, const char *name);
/* Adds names of @script to @names, and returns the tests that mention one of them, then top-level
 * statements, then other functions: an array of HirScriptCaller. */
GArray *hir_script_dup_callers (const HirScript *script, GHashTable *names);
/* Returns the names of the modules next to @script whose text has the name of its module and one of
 * @names: a sorted array of strings, at most 16. */
GPtrArray *hir_script_dup_importers (const HirScript *script, GHashTable *names);

G_END_DECLS
