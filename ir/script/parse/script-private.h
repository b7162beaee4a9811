/* HirScript as the parser makes it and the interpreter reads it. */
#pragma once

#include "arena.h"
#include "script/parse/ast.h"
#include "script/parse/parse.h"

G_BEGIN_DECLS

struct _HirScript
{
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
/* Parses one literal of the command line: a container of its own. NULL where it is no expression.
 */
HirScript *hir_script_parse_expression (const char *text, HirAst **expression);

G_END_DECLS
