/* What the files of the lexer share. */
#pragma once

#include "script/parse/lex.h"

G_BEGIN_DECLS

typedef struct
{
  const char *text;
  guint pos, end;
  HirArena *arena;
  GArray *tokens;                       /* HirToken */
  guint brackets[HIR_LEX_MAX_BRACKETS]; /* offsets of the open ones */
  guint n_brackets;
  struct
  {
    guint column;     /* tabs go to the next multiple of 8 */
    guint alt_column; /* tabs count 1: where the two disagree the indentation is ambiguous */
  } indents[HIR_LEX_MAX_INDENTS];
  guint n_indents;
  guint line_start;
  guint wasted;           /* bytes scanned in vain for the ends of broken f-strings */
  gboolean at_line_start; /* the indentation of a logical line is next */
  gboolean first_in_line; /* no token of this physical line was seen */
  gboolean in_field;      /* of an f-string: line ends are space */
} HirLexer;

void
hir_lexer_push (HirLexer *lexer, HirTokenKind kind, guint start, guint end, const char *message);
void hir_lexer_error (HirLexer *lexer, guint start, guint end, const char *message);
guint hir_lexer_line_end (const HirLexer *lexer, guint pos);
/* Each reads on from `pos`. */
void hir_lexer_indentation (HirLexer *lexer);
void hir_lexer_number (HirLexer *lexer);
/* The prefix is [@start, @quote). */
void hir_lexer_string (HirLexer *lexer, guint start, guint quote, gboolean is_f);

G_END_DECLS
