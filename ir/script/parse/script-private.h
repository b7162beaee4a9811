/* The fields of HirScript, shared by the parser and the interpreter. */
#pragma once

#include "arena.h"
#include "script/parse/ast.h"
#include "script/parse/parse.h"

G_BEGIN_DECLS

/* Names what `python FILE` runs: the top level. */
#define HIR_SCRIPT_PROGRAM "__main__"

struct _HirScript
{
  HirSource *source;
  HirArena *arena;
  GHashTable *names; /* interned names: equal names have one pointer */
  HirAst **body;     /* top-level statements */
  guint n_body;
  HirAstFunction *program; /* nullable: the top level as a function, HIR_SCRIPT_PROGRAM */
  GPtrArray *functions;    /* HirAstFunction*: defs and classes in order, without lambdas */
  GHashTable
      *top_level; /* name -> HirAstFunction*; the last definition of a name counts, as in Python */
  GArray *line_starts; /* guint: byte offsets */
  guint n_errors;
  gboolean has_type_params; /* `def f[T]`: the parser discards them */
};

/* Returns the line and column of byte @offset. */
HirPos hir_script_get_pos (const HirScript *script, guint offset);
/* Returns a copy of the source text of @node. */
char *hir_script_dup_text (const HirScript *script, const HirAst *node);
/* Parses one expression from the command line into a separate script. Returns NULL if @text is not
 * an expression. */
HirScript *hir_script_parse_expression (const char *text, HirAst **expression);

G_END_DECLS
