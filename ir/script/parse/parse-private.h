/* What the files of the parser share. A recursive descent over an array of tokens.
 *
 * After a syntax error the parser panics: every token reads as HIR_TOKEN_ERROR, which nothing
 * accepts, so that all calls return at once; the statement loop then goes on at the next line. No
 * call returns NULL in place of a node: errors give `error_node`. */
#pragma once

#include "script/parse/ast.h"
#include "script/parse/lex.h"
#include "script/parse/parse.h"

G_BEGIN_DECLS

/* Parentheses, unary operators, lambdas and the like within each other: the C stack is bounded by
 * it. */
#define HIR_PARSE_MAX_DEPTH 400
#define HIR_PARSE_MAX_ERRORS 20

typedef struct
{
  HirScript *script;
  const char *text;
  HirArena *arena;
  GArray *tokens; /* HirToken */
  guint pos;
  gboolean panic;
  guint depth;
  GPtrArray *diagnostics; /* HirDiagnostic, nullable */
  guint n_errors;
  HirAst *error_node;
  GPtrArray *stack;         /* nodes of the lists that are being read */
  HirAstFunction *function; /* nullable: the one around */
} HirParser;

/* Tokens. */
HirTokenKind hir_parser_peek (HirParser *parser);
HirTokenKind hir_parser_peek_at (HirParser *parser, guint offset);
const HirToken *hir_parser_token (HirParser *parser);
gboolean hir_parser_accept (HirParser *parser, HirTokenKind kind);
/* Panics where another token comes. @what says what is being read: "a call". */
gboolean hir_parser_expect (HirParser *parser, HirTokenKind kind, const char *what);
void hir_parser_advance (HirParser *parser);
gboolean hir_parser_is_word (HirParser *parser, guint offset, const char *word);
guint hir_parser_last_end (HirParser *parser);

/* Reports and panics; reports alone. */
void
hir_parser_error (HirParser *parser, guint offset, const char *format, ...) G_GNUC_PRINTF (3, 4);
void
hir_parser_report (HirParser *parser, guint offset, const char *format, ...) G_GNUC_PRINTF (3, 4);
void hir_parser_unexpected (HirParser *parser, const char *wanted);
/* After a panic: goes on behind the line of the error. A block that belongs to it is read, so that
 * what is wrong in it shows too. */
void hir_parser_recover (HirParser *parser);
/* FALSE and a panic where it is too deep; else pair it with hir_parser_leave(). */
gboolean hir_parser_enter (HirParser *parser);
void hir_parser_leave (HirParser *parser);

/* Nodes. finish() sets end and height. */
HirAst *hir_parser_node (HirParser *parser, HirAstKind kind, guint start);
HirAst *hir_parser_finish (HirParser *parser, HirAst *node);
/* Reads a name, interned; "" in a panic. */
const char *hir_parser_name (HirParser *parser, const char *what);
/* Reads a name into a NAME node; @what names it in error messages. */
HirAst *hir_parse_name (HirParser *parser, const char *what);
const char *hir_parser_intern (HirParser *parser, const char *text, gsize length);
/* Nodes pushed since @mark (= stack->len before) become the items of @node. */
void hir_parser_push (HirParser *parser, HirAst *node);
void hir_parser_take (HirParser *parser, guint mark, HirAst *node);
HirAst **hir_parser_take_array (HirParser *parser, guint mark, guint *n);

/* Expressions. */
HirAst *hir_parse_expression (HirParser *parser);        /* with conditional and lambda */
HirAst *hir_parse_named (HirParser *parser);             /* the same, or `name := expression` */
HirAst *hir_parse_disjunction (HirParser *parser);       /* no conditional, no lambda */
HirAst *hir_parse_binary (HirParser *parser, int level); /* level 0: from `|` on */
HirAst *hir_parse_star_or_named (HirParser *parser);
/* One, or a tuple of several without parentheses; starred ones too. */
HirAst *hir_parse_list_of_expressions (HirParser *parser);
HirAst *hir_parse_list_of_named (HirParser *parser); /* each may be `name := expression` */
/* What stands between `for` and `in`. */
HirAst *hir_parse_targets (HirParser *parser);
HirAst *hir_parse_yield (HirParser *parser);
HirAst *hir_parse_primary (HirParser *parser);
HirAst *hir_parse_strings (HirParser *parser);
HirAst *hir_parse_number (HirParser *parser);
/* Up to the closing parenthesis, which it takes; pushes the arguments. */
void hir_parse_arguments (HirParser *parser);
/* Panics where it cannot be assigned to (or deleted). */
void hir_parse_check_target (HirParser *parser, HirAst *target, gboolean allow_star);

/* Statements. */
void hir_parse_simple (HirParser *parser);
/* Parses an indented block and pushes its statements. The next token must be INDENT. */
void hir_parse_indented (HirParser *parser);
void hir_parse_compound (HirParser *parser);
/* `:` and a block; becomes the items of @node. */
void hir_parse_body (HirParser *parser, HirAst *node, const char *what);
gboolean hir_parse_at_match (HirParser *parser);
HirAst *hir_parse_match (HirParser *parser);
HirAst *hir_parse_def (HirParser *parser, guint start, guint decorators_mark, gboolean is_async);
HirAst *hir_parse_class (HirParser *parser, guint start, guint decorators_mark);
HirAst *hir_parse_lambda (HirParser *parser);
void hir_parse_type_params (HirParser *parser);

G_END_DECLS
