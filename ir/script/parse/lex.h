/* Tokens of a Python 3 text. */
#pragma once

#include "arena.h"

G_BEGIN_DECLS

/* Keywords and operators have kinds of their own. Soft keywords (match, case, type, _) are names.
 */
typedef enum
{
  HIR_TOKEN_END,
  HIR_TOKEN_NEWLINE,
  HIR_TOKEN_INDENT,
  HIR_TOKEN_DEDENT,
  HIR_TOKEN_ERROR, /* message says what is wrong */
  HIR_TOKEN_NAME,
  HIR_TOKEN_NUMBER,
  HIR_TOKEN_STRING,  /* with prefix and quotes; bytes too */
  HIR_TOKEN_FSTRING, /* the whole of it; its fields are lexed when it is parsed */
  /* keywords, alphabetical as text */
  HIR_TOKEN_FALSE,
  HIR_TOKEN_NONE,
  HIR_TOKEN_TRUE,
  HIR_TOKEN_AND,
  HIR_TOKEN_AS,
  HIR_TOKEN_ASSERT,
  HIR_TOKEN_ASYNC,
  HIR_TOKEN_AWAIT,
  HIR_TOKEN_BREAK,
  HIR_TOKEN_CLASS,
  HIR_TOKEN_CONTINUE,
  HIR_TOKEN_DEF,
  HIR_TOKEN_DEL,
  HIR_TOKEN_ELIF,
  HIR_TOKEN_ELSE,
  HIR_TOKEN_EXCEPT,
  HIR_TOKEN_FINALLY,
  HIR_TOKEN_FOR,
  HIR_TOKEN_FROM,
  HIR_TOKEN_GLOBAL,
  HIR_TOKEN_IF,
  HIR_TOKEN_IMPORT,
  HIR_TOKEN_IN,
  HIR_TOKEN_IS,
  HIR_TOKEN_LAMBDA,
  HIR_TOKEN_NONLOCAL,
  HIR_TOKEN_NOT,
  HIR_TOKEN_OR,
  HIR_TOKEN_PASS,
  HIR_TOKEN_RAISE,
  HIR_TOKEN_RETURN,
  HIR_TOKEN_TRY,
  HIR_TOKEN_WHILE,
  HIR_TOKEN_WITH,
  HIR_TOKEN_YIELD,
  /* punctuation */
  HIR_TOKEN_LPAREN,
  HIR_TOKEN_RPAREN,
  HIR_TOKEN_LBRACKET,
  HIR_TOKEN_RBRACKET,
  HIR_TOKEN_LBRACE,
  HIR_TOKEN_RBRACE,
  HIR_TOKEN_COMMA,
  HIR_TOKEN_COLON,
  HIR_TOKEN_SEMICOLON,
  HIR_TOKEN_DOT,
  HIR_TOKEN_ELLIPSIS,
  HIR_TOKEN_ARROW,
  HIR_TOKEN_WALRUS,
  HIR_TOKEN_ASSIGN,
  /* operators; those with a compound assignment in the order of the assignments below */
  HIR_TOKEN_PLUS,
  HIR_TOKEN_MINUS,
  HIR_TOKEN_STAR,
  HIR_TOKEN_SLASH,
  HIR_TOKEN_DOUBLE_SLASH,
  HIR_TOKEN_PERCENT,
  HIR_TOKEN_AT,
  HIR_TOKEN_AMPERSAND,
  HIR_TOKEN_BAR,
  HIR_TOKEN_CARET,
  HIR_TOKEN_LSHIFT,
  HIR_TOKEN_RSHIFT,
  HIR_TOKEN_DOUBLE_STAR,
  HIR_TOKEN_PLUS_ASSIGN,
  HIR_TOKEN_MINUS_ASSIGN,
  HIR_TOKEN_STAR_ASSIGN,
  HIR_TOKEN_SLASH_ASSIGN,
  HIR_TOKEN_DOUBLE_SLASH_ASSIGN,
  HIR_TOKEN_PERCENT_ASSIGN,
  HIR_TOKEN_AT_ASSIGN,
  HIR_TOKEN_AMPERSAND_ASSIGN,
  HIR_TOKEN_BAR_ASSIGN,
  HIR_TOKEN_CARET_ASSIGN,
  HIR_TOKEN_LSHIFT_ASSIGN,
  HIR_TOKEN_RSHIFT_ASSIGN,
  HIR_TOKEN_DOUBLE_STAR_ASSIGN,
  HIR_TOKEN_TILDE,
  HIR_TOKEN_EQ,
  HIR_TOKEN_NE,
  HIR_TOKEN_LT,
  HIR_TOKEN_LE,
  HIR_TOKEN_GT,
  HIR_TOKEN_GE,
  HIR_N_TOKENS,
} HirTokenKind;

typedef struct
{
  HirTokenKind kind;
  guint start, end;    /* bytes, end exclusive */
  const char *message; /* ERROR: in the arena or static */
} HirToken;

/* Brackets, and blocks, that are nested deeper are an error, as in CPython. */
#define HIR_LEX_MAX_BRACKETS 200
#define HIR_LEX_MAX_INDENTS 100

/* All tokens of @text[@start, @end), the last of kind END. In @in_brackets, line ends are space:
 * for a field of an f-string. After an error it goes on at the next line or token. @text is UTF-8
 * and @text[@end] may be read. Array of HirToken, to be freed with g_array_unref(). Linear in time
 * and space. */
GArray *hir_lex (const char *text, guint start, guint end, gboolean in_brackets, HirArena *arena);

/* Where the f-string field that begins at @start (after its brace) ends: offset of the `}`, or 0
 * with
 * *@message set. *@colon is the offset of the colon before the format, or 0; *@bang of the `!` of a
 * conversion, or 0. @limit: end of the f-string's contents. */
guint hir_lex_field (
    const char *text, guint start, guint limit, guint *colon, guint *bang, const char **message);

/* "def", "**=", "end of line": for messages. */
const char *hir_token_kind_get_text (HirTokenKind kind);

G_END_DECLS
