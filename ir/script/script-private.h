/* HirScript as the parser makes it and the interpreter reads it. */
#pragma once

#include "script/parse/ast.h"
#include "script/script.h"

G_BEGIN_DECLS

struct _HirScript
{
  gatomicrefcount ref_count;
  HirSource *source;
  HirArena *arena;
  GHashTable *names; /* interned: equal names are one pointer */
  HirAst **body;     /* statements of the file */
  guint n_body;
  GPtrArray *functions; /* HirAstFunction*: defs and classes in order, lambdas not */
  GHashTable *
      top_level; /* name -> HirAstFunction*: the last one of a name, as when Python runs the file */
  GArray *line_starts; /* guint */
  guint n_errors;
};

/* Line and column of a byte offset. */
HirPos hir_script_get_pos (const HirScript *script, guint offset);
/* The text of @node, newly allocated. */
char *hir_script_dup_text (const HirScript *script, const HirAst *node);
/* The def or class of the top level; NULL where there is none. */
HirAstFunction *hir_script_lookup (const HirScript *script, const char *name);
HirAstFunction *
hir_script_lookup_method (const HirScript *script, const HirAstFunction *class, const char *name);
gboolean hir_script_is_fixture (const HirAstFunction *function); /* decorated as one of pytest's */
/* Parses one literal of the command line: a container of its own. NULL where it is no expression.
 */
HirScript *hir_script_parse_expression (const char *text, HirAst **expression);

G_END_DECLS
