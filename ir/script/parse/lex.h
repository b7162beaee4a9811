/* Splits Python 3 source text into tokens. */
#pragma once

#include "arena.h"

G_BEGIN_DECLS

/* Each keyword and operator has its own kind. Soft keywords (match, case, type, _) are names. */
typedef enum
{
  HIR_TOKEN_END,
  HIR_TOKEN_NEWLINE,
  HIR_TOKEN_INDENT,
  HIR_TOKEN_DEDENT,
  HIR_TOKEN_ERROR, /* `message` describes the error */
  HIR_TOKEN_NAME,
  HIR_TOKEN_NUMBER,
  HIR_TOKEN_STRING,  /* a string or bytes literal with prefix and quotes */
  HIR_TOKEN_FSTRING, /* the whole literal; its fields are lexed when it is parsed */
  /* keywords, in alphabetical order */
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
  /* operators; compound assignments have the same order as their operators */
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
  guint start, end;    /* byte range; end is exclusive */
  const char *message; /* text of an ERROR; in the arena or static */
} HirToken;

/* Limits of nested brackets and blocks, as in CPython. */
#define HIR_LEX_MAX_BRACKETS 200
#define HIR_LEX_MAX_INDENTS 100

/**
 * hir_lex:
 * @text: UTF-8; the byte at @end must be readable
 * @in_brackets: treat line ends as white space, as in a field of an f-string
 * @arena: owner of error messages
 *
 * Returns the tokens of the bytes [@start, @end) of @text. The last one has kind END. After an
 * error
 * the lexer continues at the next token or line. Time and memory are linear in the length.
 *
 * Returns: (transfer full) (element-type HirToken): free with g_array_unref()
 */
GArray *hir_lex (const char *text, guint start, guint end, gboolean in_brackets, HirArena *arena);

/**
 * hir_lex_field:
 * @start: offset after the opening brace of an f-string field
 * @limit: end of the contents of the f-string
 * @colon: (out): offset of the colon before the format, or 0
 * @bang: (out): offset of the `!` of a conversion, or 0
 * @message: (out): error text if the result is 0
 *
 * Returns: the offset of the closing brace, or 0
 */
guint hir_lex_field (
    const char *text, guint start, guint limit, guint *colon, guint *bang, const char **message);

/* Returns the text of @kind for messages: "def", "**=", "end of line". */
const char *hir_token_kind_get_text (HirTokenKind kind);

G_END_DECLS
