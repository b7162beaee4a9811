/* Parses match statements. `match` and `case` are ordinary names unless a block of cases follows.
 * */
#include "script/parse/parse-private.h"

#include <string.h>

gboolean
hir_parse_at_match (HirParser *parser)
{
  HirTokenKind next;

  if (!hir_parser_is_word (parser, 0, "match"))
    return FALSE;
  next = hir_parser_peek_at (parser, 1);
  if (next == HIR_TOKEN_ASSIGN || next == HIR_TOKEN_DOT || next == HIR_TOKEN_COMMA ||
      next == HIR_TOKEN_COLON)
    return FALSE;
  for (guint i = 1;; i++)
    {
      HirTokenKind kind = hir_parser_peek_at (parser, i);

      if (kind == HIR_TOKEN_END || kind == HIR_TOKEN_ERROR)
        return FALSE;
      if (kind == HIR_TOKEN_NEWLINE)
        return hir_parser_peek_at (parser, i - 1) == HIR_TOKEN_COLON &&
               hir_parser_peek_at (parser, i + 1) == HIR_TOKEN_INDENT &&
               hir_parser_is_word (parser, i + 2, "case");
    }
}

static HirAst *parse_pattern (HirParser *parser);

static HirAst *
value_pattern (HirParser *parser, HirAst *value)
{
  HirAst *node = hir_parser_node (parser, HIR_AST_PATTERN_VALUE, value->start);

  node->a = value;
  return hir_parser_finish (parser, node);
}

/* A member of a sequence: a pattern or `*name`. */
static HirAst *
parse_member_pattern (HirParser *parser)
{
  HirAst *node = hir_parser_node (parser, HIR_AST_PATTERN_STAR, hir_parser_token (parser)->start);

  if (!hir_parser_accept (parser, HIR_TOKEN_STAR))
    return parse_pattern (parser);
  node->text = hir_parser_name (parser, "a name after '*'");
  return hir_parser_finish (parser, node);
}

/* Parses patterns separated by commas and consumes @end. @n_commas distinguishes `(a)` and `(a,)`.
 * */
static HirAst *
parse_sequence (HirParser *parser, guint start, HirTokenKind end, guint *n_commas)
{
  HirAst *node = hir_parser_node (parser, HIR_AST_PATTERN_SEQUENCE, start);
  guint mark = parser->stack->len;

  *n_commas = 0;
  while (hir_parser_peek (parser) != end && !parser->panic)
    {
      hir_parser_push (parser, parse_member_pattern (parser));
      if (!hir_parser_accept (parser, HIR_TOKEN_COMMA))
        break;
      ++*n_commas;
    }
  hir_parser_expect (parser, end, "to close the pattern");
  hir_parser_take (parser, mark, node);
  return hir_parser_finish (parser, node);
}

static HirAst *
parse_mapping (HirParser *parser)
{
  HirAst *node =
      hir_parser_node (parser, HIR_AST_PATTERN_MAPPING, hir_parser_token (parser)->start);
  guint mark = parser->stack->len;

  hir_parser_advance (parser);
  while (hir_parser_peek (parser) != HIR_TOKEN_RBRACE && !parser->panic)
    {
      if (hir_parser_accept (parser, HIR_TOKEN_DOUBLE_STAR))
        node->text = hir_parser_name (parser, "a name after '**'");
      else
        {
          hir_parser_push (parser, hir_parse_binary (parser, 4));
          hir_parser_expect (parser, HIR_TOKEN_COLON, "after the key of a pattern");
          hir_parser_push (parser, parse_pattern (parser));
        }
      if (!hir_parser_accept (parser, HIR_TOKEN_COMMA))
        break;
    }
  hir_parser_expect (parser, HIR_TOKEN_RBRACE, "to close the pattern");
  hir_parser_take (parser, mark, node);
  return hir_parser_finish (parser, node);
}

/* Parses the parentheses of `Point(0, y=z)`. */
static HirAst *
parse_class_pattern (HirParser *parser, HirAst *name)
{
  HirAst *node = hir_parser_node (parser, HIR_AST_PATTERN_CLASS, name->start);
  guint mark = parser->stack->len;

  node->a = name;
  hir_parser_advance (parser);
  while (hir_parser_peek (parser) != HIR_TOKEN_RPAREN && !parser->panic)
    {
      if (hir_parser_peek (parser) == HIR_TOKEN_NAME &&
          hir_parser_peek_at (parser, 1) == HIR_TOKEN_ASSIGN)
        {
          HirAst *keyword =
              hir_parser_node (parser, HIR_AST_KEYWORD, hir_parser_token (parser)->start);

          keyword->text = hir_parser_name (parser, "a name");
          hir_parser_advance (parser);
          keyword->a = parse_pattern (parser);
          hir_parser_push (parser, hir_parser_finish (parser, keyword));
        }
      else
        hir_parser_push (parser, parse_pattern (parser));
      if (!hir_parser_accept (parser, HIR_TOKEN_COMMA))
        break;
    }
  hir_parser_expect (parser, HIR_TOKEN_RPAREN, "to close the pattern");
  hir_parser_take (parser, mark, node);
  return hir_parser_finish (parser, node);
}

static HirAst *
parse_name_pattern (HirParser *parser)
{
  guint start = hir_parser_token (parser)->start;
  HirAst *name = hir_parse_name (parser, "a name"), *node;

  while (hir_parser_accept (parser, HIR_TOKEN_DOT))
    {
      node = hir_parser_node (parser, HIR_AST_ATTRIBUTE, start);
      node->a = name;
      node->text = hir_parser_name (parser, "a name after '.'");
      name = hir_parser_finish (parser, node);
    }
  if (hir_parser_peek (parser) == HIR_TOKEN_LPAREN)
    return parse_class_pattern (parser, name);
  if (name->kind != HIR_AST_NAME)
    return value_pattern (parser, name);
  node = hir_parser_node (parser, HIR_AST_PATTERN_CAPTURE, start);
  node->text = name->text;
  return hir_parser_finish (parser, node);
}

static HirAst *
parse_closed_pattern (HirParser *parser)
{
  guint start = hir_parser_token (parser)->start, n_commas;
  HirAst *node;

  switch (hir_parser_peek (parser))
    {
    case HIR_TOKEN_NAME:
      return parse_name_pattern (parser);
    case HIR_TOKEN_LPAREN:
      hir_parser_advance (parser);
      node = parse_sequence (parser, start, HIR_TOKEN_RPAREN, &n_commas);
      if (node->n_items == 1 && n_commas == 0 && node->items[0]->kind != HIR_AST_PATTERN_STAR)
        return node->items[0];
      return node;
    case HIR_TOKEN_LBRACKET:
      hir_parser_advance (parser);
      return parse_sequence (parser, start, HIR_TOKEN_RBRACKET, &n_commas);
    case HIR_TOKEN_LBRACE:
      return parse_mapping (parser);
    case HIR_TOKEN_MINUS:
    case HIR_TOKEN_NUMBER:
    case HIR_TOKEN_STRING:
    case HIR_TOKEN_TRUE:
    case HIR_TOKEN_FALSE:
    case HIR_TOKEN_NONE:
      /* Includes complex literals such as `1 + 2j`. */
      return value_pattern (parser, hir_parse_binary (parser, 4));
    default:
      hir_parser_unexpected (parser, "a pattern");
      return parser->error_node;
    }
}

static HirAst *
parse_or_pattern (HirParser *parser)
{
  guint start = hir_parser_token (parser)->start, mark = parser->stack->len;
  HirAst *first = parse_closed_pattern (parser), *node;

  if (hir_parser_peek (parser) != HIR_TOKEN_BAR)
    return first;
  hir_parser_push (parser, first);
  while (hir_parser_accept (parser, HIR_TOKEN_BAR))
    hir_parser_push (parser, parse_closed_pattern (parser));
  node = hir_parser_node (parser, HIR_AST_PATTERN_OR, start);
  hir_parser_take (parser, mark, node);
  return hir_parser_finish (parser, node);
}

static HirAst *
parse_pattern (HirParser *parser)
{
  guint start = hir_parser_token (parser)->start;
  HirAst *pattern, *node;

  if (!hir_parser_enter (parser))
    return parser->error_node;
  pattern = parse_or_pattern (parser);
  hir_parser_leave (parser);
  if (!hir_parser_accept (parser, HIR_TOKEN_AS))
    return pattern;
  node = hir_parser_node (parser, HIR_AST_PATTERN_AS, start);
  node->a = pattern;
  node->text = hir_parser_name (parser, "a name after 'as'");
  return hir_parser_finish (parser, node);
}

/* Parses the pattern of a case, which may be a sequence without brackets. */
static HirAst *
parse_open_pattern (HirParser *parser)
{
  guint start = hir_parser_token (parser)->start, mark = parser->stack->len;
  gboolean star = hir_parser_peek (parser) == HIR_TOKEN_STAR;
  HirAst *first = parse_member_pattern (parser), *node;

  if (hir_parser_peek (parser) != HIR_TOKEN_COMMA && !star)
    return first;
  hir_parser_push (parser, first);
  while (hir_parser_accept (parser, HIR_TOKEN_COMMA))
    {
      if (hir_parser_peek (parser) == HIR_TOKEN_COLON || hir_parser_peek (parser) == HIR_TOKEN_IF)
        break;
      hir_parser_push (parser, parse_member_pattern (parser));
    }
  node = hir_parser_node (parser, HIR_AST_PATTERN_SEQUENCE, start);
  hir_parser_take (parser, mark, node);
  return hir_parser_finish (parser, node);
}

static HirAst *
parse_case (HirParser *parser)
{
  HirAst *node = hir_parser_node (parser, HIR_AST_CASE, hir_parser_token (parser)->start);

  hir_parser_advance (parser);
  node->a = parse_open_pattern (parser);
  if (hir_parser_accept (parser, HIR_TOKEN_IF))
    node->b = hir_parse_named (parser);
  hir_parse_body (parser, node, "of a case");
  return hir_parser_finish (parser, node);
}

HirAst *
hir_parse_match (HirParser *parser)
{
  HirAst *node = hir_parser_node (parser, HIR_AST_MATCH, hir_parser_token (parser)->start);
  guint mark = parser->stack->len;

  hir_parser_advance (parser);
  node->a = hir_parse_list_of_named (parser);
  hir_parser_expect (parser, HIR_TOKEN_COLON, "of a match");
  hir_parser_expect (parser, HIR_TOKEN_NEWLINE, "");
  hir_parser_expect (parser, HIR_TOKEN_INDENT, "of the cases");
  while (!parser->panic && hir_parser_is_word (parser, 0, "case"))
    {
      guint count = parser->stack->len;
      HirAst *clause = parse_case (parser);

      g_ptr_array_set_size (parser->stack, count);
      if (parser->panic)
        hir_parser_recover (parser);
      else
        hir_parser_push (parser, clause);
    }
  hir_parser_take (parser, mark, node);
  hir_parser_expect (parser, HIR_TOKEN_DEDENT, "after the cases");
  return hir_parser_finish (parser, node);
}
