/* Internal declarations of the lexer. */
#pragma once

#include "script/parse/lex.h"

G_BEGIN_DECLS

typedef struct
{
  const char *text;
  guint pos, end;
  HirArena *arena;
  GArray *tokens;                       /* HirToken */
  guint brackets[HIR_LEX_MAX_BRACKETS]; /* offsets of the open brackets */
  guint n_brackets;
  struct
  {
    guint column;     /* a tab advances to the next multiple of 8 */
    guint alt_column; /* a tab counts as 1; indentation is ambiguous if the two disagree */
  } indents[HIR_LEX_MAX_INDENTS];
  guint n_indents;
  guint line_start;
  guint wasted;           /* bytes scanned without finding the end of an f-string */
  gboolean at_line_start; /* next is the indentation of a logical line */
  gboolean first_in_line; /* the physical line has no token yet */
  gboolean in_field;      /* lexing a field of an f-string: line ends are white space */
} HirLexer;

/* Appends a token for the bytes [@start, @end). */
void
hir_lexer_push (HirLexer *lexer, HirTokenKind kind, guint start, guint end, const char *message);
/* Appends an ERROR token. */
void hir_lexer_error (HirLexer *lexer, guint start, guint end, const char *message);
/* Returns the length in bytes of the line end at @pos: 0, 1 or 2. */
guint hir_lexer_line_end (const HirLexer *lexer, guint pos);
/* Each of these lexes one construct at `pos` and advances `pos`. */
void hir_lexer_indentation (HirLexer *lexer);
void hir_lexer_number (HirLexer *lexer);
/* @start is the offset of the prefix, @quote that of the first quote. */
void hir_lexer_string (HirLexer *lexer, guint start, guint quote, gboolean is_f);

G_END_DECLS
