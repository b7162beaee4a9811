/* Parses statements with blocks, except def, class and match. */
#include "script/parse/parse-private.h"

void
hir_parse_body (HirParser *parser, HirAst *node, const char *what)
{
  guint mark = parser->stack->len, start = node->start;

  hir_parser_expect (parser, HIR_TOKEN_COLON, what);
  if (parser->panic)
    return;
  if (!hir_parser_accept (parser, HIR_TOKEN_NEWLINE))
    {
      /* Only simple statements may follow on the same line. */
      if (hir_parser_peek (parser) != HIR_TOKEN_NEWLINE)
        hir_parse_simple (parser);
    }
  else if (hir_parser_peek_at (parser, 0) != HIR_TOKEN_INDENT)
    {
      if (hir_parser_peek (parser) != HIR_TOKEN_ERROR)
        hir_parser_report (parser, start, "an indented block must follow the ':' %s", what);
    }
  else
    hir_parse_indented (parser);
  hir_parser_take (parser, mark, node);
}

static HirAst *
parse_block (HirParser *parser, const char *what)
{
  HirAst *node = hir_parser_node (parser, HIR_AST_BLOCK, hir_parser_token (parser)->start);

  hir_parse_body (parser, node, what);
  return hir_parser_finish (parser, node);
}

static HirAst *
parse_clause (HirParser *parser, gboolean has_condition, const char *what)
{
  HirAst *node = hir_parser_node (parser, HIR_AST_CLAUSE, hir_parser_token (parser)->start);

  hir_parser_advance (parser);
  if (has_condition)
    node->a = hir_parse_named (parser);
  hir_parse_body (parser, node, what);
  return hir_parser_finish (parser, node);
}

static HirAst *
parse_if (HirParser *parser)
{
  HirAst *node = hir_parser_node (parser, HIR_AST_IF, hir_parser_token (parser)->start);
  guint mark = parser->stack->len;

  hir_parser_push (parser, parse_clause (parser, TRUE, "of an if"));
  while (hir_parser_peek (parser) == HIR_TOKEN_ELIF)
    hir_parser_push (parser, parse_clause (parser, TRUE, "of an elif"));
  if (hir_parser_peek (parser) == HIR_TOKEN_ELSE)
    hir_parser_push (parser, parse_clause (parser, FALSE, "of an else"));
  hir_parser_take (parser, mark, node);
  return hir_parser_finish (parser, node);
}

static HirAst *
parse_else (HirParser *parser)
{
  return hir_parser_accept (parser, HIR_TOKEN_ELSE) ? parse_block (parser, "of an else") : NULL;
}

static HirAst *
parse_while (HirParser *parser)
{
  HirAst *node = hir_parser_node (parser, HIR_AST_WHILE, hir_parser_token (parser)->start);

  hir_parser_advance (parser);
  node->a = hir_parse_named (parser);
  hir_parse_body (parser, node, "of a while");
  node->c = parse_else (parser);
  return hir_parser_finish (parser, node);
}

static HirAst *
parse_for (HirParser *parser, guint start, gboolean is_async)
{
  HirAst *node = hir_parser_node (parser, HIR_AST_FOR, start);

  node->flags = is_async ? HIR_AST_FLAG_ASYNC : 0;
  hir_parser_advance (parser);
  node->a = hir_parse_targets (parser);
  hir_parser_expect (parser, HIR_TOKEN_IN, "of a for");
  node->b = hir_parse_list_of_expressions (parser);
  hir_parse_body (parser, node, "of a for");
  node->c = parse_else (parser);
  return hir_parser_finish (parser, node);
}

/* Returns TRUE if the next parenthesis encloses all items of a with: it closes directly before the
 * ':' and contains `as` at its top level. */
static gboolean
at_with_parentheses (HirParser *parser)
{
  guint depth = 0;
  gboolean has_as = FALSE;

  for (guint i = 0;; i++)
    {
      HirTokenKind kind = hir_parser_peek_at (parser, i);

      if (kind == HIR_TOKEN_LPAREN || kind == HIR_TOKEN_LBRACKET || kind == HIR_TOKEN_LBRACE)
        depth++;
      else if (kind == HIR_TOKEN_RPAREN || kind == HIR_TOKEN_RBRACKET || kind == HIR_TOKEN_RBRACE)
        {
          if (--depth == 0)
            return has_as && hir_parser_peek_at (parser, i + 1) == HIR_TOKEN_COLON;
        }
      else if (kind == HIR_TOKEN_AS && depth == 1)
        has_as = TRUE;
      else if (kind == HIR_TOKEN_END || kind == HIR_TOKEN_NEWLINE || kind == HIR_TOKEN_ERROR)
        return FALSE;
    }
}

static HirAst *
parse_with_item (HirParser *parser)
{
  HirAst *node = hir_parser_node (parser, HIR_AST_WITH_ITEM, hir_parser_token (parser)->start);

  node->a = hir_parse_expression (parser);
  if (hir_parser_accept (parser, HIR_TOKEN_AS))
    {
      node->b = hir_parse_binary (parser, 0);
      hir_parse_check_target (parser, node->b, TRUE);
    }
  return hir_parser_finish (parser, node);
}

/* `with (a, b):` has two items, not a tuple. */
static void
push_tuple_items (HirParser *parser, HirAst *tuple)
{
  for (guint i = 0; i < tuple->n_items; i++)
    {
      HirAst *item = hir_parser_node (parser, HIR_AST_WITH_ITEM, tuple->items[i]->start);

      item->a = tuple->items[i];
      hir_parser_push (parser, hir_parser_finish (parser, item));
    }
}

static HirAst *
parse_with (HirParser *parser, guint start, gboolean is_async)
{
  HirAst *node = hir_parser_node (parser, HIR_AST_WITH, start), *first;
  guint mark = parser->stack->len;

  node->flags = is_async ? HIR_AST_FLAG_ASYNC : 0;
  hir_parser_advance (parser);
  if (hir_parser_peek (parser) == HIR_TOKEN_LPAREN && at_with_parentheses (parser))
    {
      hir_parser_advance (parser);
      do
        {
          if (hir_parser_peek (parser) == HIR_TOKEN_RPAREN && parser->stack->len > mark)
            break;
          hir_parser_push (parser, parse_with_item (parser));
        }
      while (hir_parser_accept (parser, HIR_TOKEN_COMMA));
      hir_parser_expect (parser, HIR_TOKEN_RPAREN, "to close '('");
    }
  else
    {
      first = parse_with_item (parser);
      if (first->a != NULL && first->b == NULL && first->a->kind == HIR_AST_TUPLE &&
          first->a->n_items > 0 && hir_parser_peek (parser) == HIR_TOKEN_COLON)
        push_tuple_items (parser, first->a);
      else
        hir_parser_push (parser, first);
      while (hir_parser_accept (parser, HIR_TOKEN_COMMA))
        hir_parser_push (parser, parse_with_item (parser));
    }
  hir_parser_take (parser, mark, node);
  node->c = parse_block (parser, "of a with");
  return hir_parser_finish (parser, node);
}

static HirAst *
parse_handler (HirParser *parser, gboolean *is_star)
{
  HirAst *node = hir_parser_node (parser, HIR_AST_HANDLER, hir_parser_token (parser)->start);

  hir_parser_advance (parser);
  if (hir_parser_accept (parser, HIR_TOKEN_STAR))
    *is_star = TRUE;
  if (hir_parser_peek (parser) != HIR_TOKEN_COLON)
    {
      node->a = hir_parse_expression (parser);
      if (hir_parser_accept (parser, HIR_TOKEN_AS))
        node->text = hir_parser_name (parser, "a name after 'as'");
    }
  else if (*is_star)
    hir_parser_unexpected (parser, "an exception type after 'except*'");
  hir_parse_body (parser, node, "of an except");
  return hir_parser_finish (parser, node);
}

static HirAst *
parse_try (HirParser *parser)
{
  guint start = hir_parser_token (parser)->start, mark = parser->stack->len;
  HirAst *node = hir_parser_node (parser, HIR_AST_TRY, start);
  gboolean is_star = FALSE;

  hir_parser_advance (parser);
  node->a = parse_block (parser, "of a try");
  while (hir_parser_peek (parser) == HIR_TOKEN_EXCEPT)
    hir_parser_push (parser, parse_handler (parser, &is_star));
  hir_parser_take (parser, mark, node);
  if (node->n_items > 0)
    node->b = parse_else (parser);
  if (hir_parser_accept (parser, HIR_TOKEN_FINALLY))
    node->c = parse_block (parser, "of a finally");
  if (node->n_items == 0 && node->c == NULL)
    hir_parser_report (parser, start, "a try needs an except or a finally");
  node->flags = is_star ? HIR_AST_FLAG_STAR : 0;
  return hir_parser_finish (parser, node);
}

static void
parse_decorated (HirParser *parser)
{
  guint mark = parser->stack->len, start;
  gboolean is_async = FALSE;
  HirAst *node;

  while (hir_parser_accept (parser, HIR_TOKEN_AT))
    {
      hir_parser_push (parser, hir_parse_named (parser));
      hir_parser_expect (parser, HIR_TOKEN_NEWLINE, "");
    }
  if (parser->panic)
    return;
  start = hir_parser_token (parser)->start;
  if (hir_parser_peek (parser) == HIR_TOKEN_CLASS)
    node = hir_parse_class (parser, start, mark);
  else
    {
      is_async = hir_parser_accept (parser, HIR_TOKEN_ASYNC);
      if (hir_parser_peek (parser) != HIR_TOKEN_DEF)
        {
          hir_parser_unexpected (parser, "a def or class after the decorators");
          return;
        }
      node = hir_parse_def (parser, start, mark, is_async);
    }
  hir_parser_push (parser, node);
}

static void
parse_async (HirParser *parser)
{
  guint start = hir_parser_token (parser)->start;

  hir_parser_advance (parser);
  switch (hir_parser_peek (parser))
    {
    case HIR_TOKEN_DEF:
      hir_parser_push (parser, hir_parse_def (parser, start, parser->stack->len, TRUE));
      break;
    case HIR_TOKEN_FOR:
      hir_parser_push (parser, parse_for (parser, start, TRUE));
      break;
    case HIR_TOKEN_WITH:
      hir_parser_push (parser, parse_with (parser, start, TRUE));
      break;
    default:
      hir_parser_unexpected (parser, "def, for or with after 'async'");
    }
}

void
hir_parse_compound (HirParser *parser)
{
  guint start = hir_parser_token (parser)->start, mark = parser->stack->len;

  switch (hir_parser_peek (parser))
    {
    case HIR_TOKEN_IF:
      hir_parser_push (parser, parse_if (parser));
      break;
    case HIR_TOKEN_WHILE:
      hir_parser_push (parser, parse_while (parser));
      break;
    case HIR_TOKEN_FOR:
      hir_parser_push (parser, parse_for (parser, start, FALSE));
      break;
    case HIR_TOKEN_WITH:
      hir_parser_push (parser, parse_with (parser, start, FALSE));
      break;
    case HIR_TOKEN_TRY:
      hir_parser_push (parser, parse_try (parser));
      break;
    case HIR_TOKEN_AT:
      parse_decorated (parser);
      break;
    case HIR_TOKEN_ASYNC:
      parse_async (parser);
      break;
    case HIR_TOKEN_DEF:
      hir_parser_push (parser, hir_parse_def (parser, start, mark, FALSE));
      break;
    case HIR_TOKEN_CLASS:
      hir_parser_push (parser, hir_parse_class (parser, start, mark));
      break;
    default:
      if (hir_parse_at_match (parser))
        hir_parser_push (parser, hir_parse_match (parser));
      else
        hir_parse_simple (parser);
    }
}
