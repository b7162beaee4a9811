/* Internal declarations of the parser, a recursive descent over an array of tokens.
 *
 * A syntax error sets `panic`. Every token then reads as HIR_TOKEN_ERROR, which no rule accepts, so
 * all functions return at once, and the statement loop continues at the next line. Functions return
 * `error_node` instead of NULL. */
#pragma once

#include "script/parse/ast.h"
#include "script/parse/lex.h"
#include "script/parse/parse.h"

G_BEGIN_DECLS

/* Maximum nesting of parentheses, unary operators, lambdas and so on. Limits the use of the C
 * stack. */
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
  GPtrArray *diagnostics; /* nullable: HirDiagnostic* */
  guint n_errors;
  HirAst *error_node;
  GPtrArray *stack;         /* nodes of unfinished lists */
  HirAstFunction *function; /* nullable: the enclosing function */
} HirParser;

/* Returns the kind of the next token. Reports an ERROR token and panics. */
HirTokenKind hir_parser_peek (HirParser *parser);
/* Returns the kind of the token @offset tokens ahead without reporting errors; END after the end.
 * */
HirTokenKind hir_parser_peek_at (HirParser *parser, guint offset);
const HirToken *hir_parser_token (HirParser *parser);
/* Consumes the next token if it is a @kind. */
gboolean hir_parser_accept (HirParser *parser, HirTokenKind kind);
/* Consumes a token of @kind. Otherwise reports an error, panics and returns FALSE. @what completes
 * the message: "')' of a call was expected". */
gboolean hir_parser_expect (HirParser *parser, HirTokenKind kind, const char *what);
void hir_parser_advance (HirParser *parser);
/* Returns TRUE if the token @offset tokens ahead is the name @word. */
gboolean hir_parser_is_word (HirParser *parser, guint offset, const char *word);
/* Returns the end of the last consumed token. */
guint hir_parser_last_end (HirParser *parser);

/* Reports a syntax error at byte @offset and panics. Later errors of a panic are dropped. */
void
hir_parser_error (HirParser *parser, guint offset, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* Like hir_parser_error(), but does not panic. */
void
hir_parser_report (HirParser *parser, guint offset, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* Reports that @wanted was expected instead of the next token, and panics. */
void hir_parser_unexpected (HirParser *parser, const char *wanted);
/* Ends a panic: continues after the line of the error. If an indented block follows, parses it so
 * that errors in it are reported, too. */
void hir_parser_recover (HirParser *parser);
/* Enters one nesting level; pair with hir_parser_leave(). Panics and returns FALSE if nested too
 * deeply. */
gboolean hir_parser_enter (HirParser *parser);
void hir_parser_leave (HirParser *parser);

/* Returns a new node that starts at byte @start. */
HirAst *hir_parser_node (HirParser *parser, HirAstKind kind, guint start);
/* Sets the end and the height of @node. Returns `error_node` if the tree is too deep. */
HirAst *hir_parser_finish (HirParser *parser, HirAst *node);
/* Consumes a name and returns it interned; "" in a panic. @what names it in messages. */
const char *hir_parser_name (HirParser *parser, const char *what);
/* Like hir_parser_name(), but returns a NAME node. */
HirAst *hir_parse_name (HirParser *parser, const char *what);
/* Returns the interned copy of @text, in normal form KC. */
const char *hir_parser_intern (HirParser *parser, const char *text, gsize length);
/* Pushes @node onto the stack of list items. */
void hir_parser_push (HirParser *parser, HirAst *node);
/* Pops the nodes pushed since @mark (an earlier value of stack->len) into the items of @node. */
void hir_parser_take (HirParser *parser, guint mark, HirAst *node);
/* Like hir_parser_take(), but returns the nodes as an array in the arena. */
HirAst **hir_parser_take_array (HirParser *parser, guint mark, guint *n);

/* Expressions. */
HirAst *hir_parse_expression (HirParser *parser);        /* with conditional and lambda */
HirAst *hir_parse_named (HirParser *parser);             /* an expression or `name := expression` */
HirAst *hir_parse_disjunction (HirParser *parser);       /* without conditional and lambda */
HirAst *hir_parse_binary (HirParser *parser, int level); /* level 0: operators from `|` */
HirAst *hir_parse_star_or_named (HirParser *parser);
/* Parses one expression, or several without parentheses as a tuple. They may be starred. */
HirAst *hir_parse_list_of_expressions (HirParser *parser);
HirAst *hir_parse_list_of_named (HirParser *parser); /* allows `name := expression` */
/* Parses the targets between `for` and `in`. */
HirAst *hir_parse_targets (HirParser *parser);
HirAst *hir_parse_yield (HirParser *parser);
HirAst *hir_parse_primary (HirParser *parser);
HirAst *hir_parse_strings (HirParser *parser);
HirAst *hir_parse_number (HirParser *parser);
/* Parses arguments, pushes them and consumes the closing parenthesis. */
void hir_parse_arguments (HirParser *parser);
/* Panics if @target cannot be assigned to or deleted. */
void hir_parse_check_target (HirParser *parser, HirAst *target, gboolean allow_star);

/* Statements. */
void hir_parse_simple (HirParser *parser);
/* Parses an indented block and pushes its statements. The next token must be INDENT. */
void hir_parse_indented (HirParser *parser);
void hir_parse_compound (HirParser *parser);
/* Parses `:` and a block into the items of @node. */
void hir_parse_body (HirParser *parser, HirAst *node, const char *what);
/* Returns TRUE if a match statement follows: `match ...:` at the end of a line and `case` as the
 * first word of an indented block. */
gboolean hir_parse_at_match (HirParser *parser);
HirAst *hir_parse_match (HirParser *parser);
HirAst *hir_parse_def (HirParser *parser, guint start, guint decorators_mark, gboolean is_async);
HirAst *hir_parse_class (HirParser *parser, guint start, guint decorators_mark);
HirAst *hir_parse_lambda (HirParser *parser);
void hir_parse_type_params (HirParser *parser);

G_END_DECLS
