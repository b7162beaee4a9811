/* Parses names, brackets, calls, subscripts and comprehensions. */
#include "script/parse/parse-private.h"

static gboolean
at_comprehension (HirParser *parser)
{
  return hir_parser_peek (parser) == HIR_TOKEN_FOR ||
         (hir_parser_peek (parser) == HIR_TOKEN_ASYNC &&
          hir_parser_peek_at (parser, 1) == HIR_TOKEN_FOR);
}

static HirAst *
parse_comprehension (
    HirParser *parser, HirAstKind kind, guint start, HirAst *element, HirAst *value)
{
  HirAst *node = hir_parser_node (parser, kind, start);
  guint mark = parser->stack->len;

  if (element->kind == HIR_AST_STARRED)
    hir_parser_error (parser, element->start, "a comprehension cannot have a starred element");
  node->a = element;
  node->b = value;
  while (at_comprehension (parser) && !parser->panic)
    {
      HirAst *clause = hir_parser_node (parser, HIR_AST_COMP_FOR, hir_parser_token (parser)->start);
      guint conditions = parser->stack->len;

      if (hir_parser_accept (parser, HIR_TOKEN_ASYNC))
        clause->flags |= HIR_AST_FLAG_ASYNC;
      hir_parser_expect (parser, HIR_TOKEN_FOR, "of a comprehension");
      clause->a = hir_parse_targets (parser);
      hir_parser_expect (parser, HIR_TOKEN_IN, "of a comprehension");
      clause->b = hir_parse_disjunction (parser);
      while (hir_parser_accept (parser, HIR_TOKEN_IF))
        hir_parser_push (parser, hir_parse_disjunction (parser));
      hir_parser_take (parser, conditions, clause);
      hir_parser_push (parser, hir_parser_finish (parser, clause));
    }
  hir_parser_take (parser, mark, node);
  return node;
}

static HirAst *
parse_argument (HirParser *parser)
{
  HirTokenKind kind = hir_parser_peek (parser);
  guint start = hir_parser_token (parser)->start;
  HirAst *node;

  if (kind == HIR_TOKEN_STAR || kind == HIR_TOKEN_DOUBLE_STAR)
    {
      node = hir_parser_node (parser,
                              kind == HIR_TOKEN_STAR ? HIR_AST_STARRED : HIR_AST_DOUBLE_STARRED,
                              start);
      hir_parser_advance (parser);
      node->a = hir_parse_expression (parser);
      return hir_parser_finish (parser, node);
    }
  if (kind == HIR_TOKEN_NAME && hir_parser_peek_at (parser, 1) == HIR_TOKEN_ASSIGN)
    {
      node = hir_parser_node (parser, HIR_AST_KEYWORD, start);
      node->text = hir_parser_name (parser, "a name");
      hir_parser_advance (parser);
      node->a = hir_parse_expression (parser);
      return hir_parser_finish (parser, node);
    }
  node = hir_parse_named (parser);
  if (at_comprehension (parser))
    node = hir_parser_finish (parser,
                              parse_comprehension (parser, HIR_AST_GENERATOR, start, node, NULL));
  return node;
}

void
hir_parse_arguments (HirParser *parser)
{
  gboolean seen_keyword = FALSE, seen_double_star = FALSE;
  guint mark = parser->stack->len;
  HirAst *bare = NULL;

  while (hir_parser_peek (parser) != HIR_TOKEN_RPAREN && !parser->panic)
    {
      HirAst *node = parse_argument (parser);

      if (node->kind == HIR_AST_KEYWORD)
        seen_keyword = TRUE;
      else if (node->kind == HIR_AST_DOUBLE_STARRED)
        seen_double_star = TRUE;
      else if (seen_double_star || (seen_keyword && node->kind != HIR_AST_STARRED))
        hir_parser_error (parser, node->start,
                          "a positional argument cannot follow a keyword argument");
      else if (node->kind == HIR_AST_GENERATOR && (node->flags & HIR_AST_FLAG_PARENTHESES) == 0)
        bare = node;
      hir_parser_push (parser, node);
      if (!hir_parser_accept (parser, HIR_TOKEN_COMMA))
        break;
    }
  if (bare != NULL && parser->stack->len - mark > 1)
    hir_parser_error (parser, bare->start,
                      "a generator together with other arguments needs parentheses");
  hir_parser_expect (parser, HIR_TOKEN_RPAREN, "of a call");
}

static HirAst *
parse_slice (HirParser *parser)
{
  guint start = hir_parser_token (parser)->start;
  HirAst *first = NULL, *node;
  HirTokenKind kind = hir_parser_peek (parser);

  if (kind == HIR_TOKEN_STAR)
    return hir_parse_star_or_named (parser);
  if (kind != HIR_TOKEN_COLON)
    {
      first = hir_parse_named (parser);
      if (hir_parser_peek (parser) != HIR_TOKEN_COLON)
        return first;
    }
  node = hir_parser_node (parser, HIR_AST_SLICE, start);
  node->a = first;
  hir_parser_expect (parser, HIR_TOKEN_COLON, "of a slice");
  kind = hir_parser_peek (parser);
  if (kind != HIR_TOKEN_COLON && kind != HIR_TOKEN_COMMA && kind != HIR_TOKEN_RBRACKET)
    node->b = hir_parse_expression (parser);
  if (hir_parser_accept (parser, HIR_TOKEN_COLON))
    {
      kind = hir_parser_peek (parser);
      if (kind != HIR_TOKEN_COMMA && kind != HIR_TOKEN_RBRACKET)
        node->c = hir_parse_expression (parser);
    }
  return hir_parser_finish (parser, node);
}

static HirAst *
parse_subscript (HirParser *parser)
{
  guint start = hir_parser_token (parser)->start, mark = parser->stack->len;
  HirAst *first = parse_slice (parser), *tuple;

  if (hir_parser_peek (parser) == HIR_TOKEN_COMMA || first->kind == HIR_AST_STARRED)
    {
      hir_parser_push (parser, first);
      while (hir_parser_accept (parser, HIR_TOKEN_COMMA))
        {
          if (hir_parser_peek (parser) == HIR_TOKEN_RBRACKET)
            break;
          hir_parser_push (parser, parse_slice (parser));
        }
      tuple = hir_parser_node (parser, HIR_AST_TUPLE, start);
      hir_parser_take (parser, mark, tuple);
      first = hir_parser_finish (parser, tuple);
    }
  hir_parser_expect (parser, HIR_TOKEN_RBRACKET, "of a subscript");
  return first;
}

static HirAst *parse_atom (HirParser *parser);

HirAst *
hir_parse_primary (HirParser *parser)
{
  guint start = hir_parser_token (parser)->start;
  HirAst *left = parse_atom (parser);

  for (;;)
    {
      HirAst *node;
      guint mark = parser->stack->len;

      if (hir_parser_accept (parser, HIR_TOKEN_DOT))
        {
          node = hir_parser_node (parser, HIR_AST_ATTRIBUTE, start);
          node->i = hir_parser_token (parser)->start;
          node->text = hir_parser_name (parser, "a name after '.'");
        }
      else if (hir_parser_accept (parser, HIR_TOKEN_LPAREN))
        {
          node = hir_parser_node (parser, HIR_AST_CALL, start);
          hir_parse_arguments (parser);
          hir_parser_take (parser, mark, node);
        }
      else if (hir_parser_accept (parser, HIR_TOKEN_LBRACKET))
        {
          node = hir_parser_node (parser, HIR_AST_SUBSCRIPT, start);
          node->b = parse_subscript (parser);
        }
      else
        return left;
      node->a = left;
      left = hir_parser_finish (parser, node);
    }
}

static HirAst *
parse_parentheses (HirParser *parser)
{
  guint start = hir_parser_token (parser)->start, mark = parser->stack->len;
  HirAst *node, *first;

  hir_parser_advance (parser);
  if (hir_parser_accept (parser, HIR_TOKEN_RPAREN))
    {
      node = hir_parser_node (parser, HIR_AST_TUPLE, start);
      node->flags = HIR_AST_FLAG_PARENTHESES;
      return hir_parser_finish (parser, node);
    }
  if (hir_parser_peek (parser) == HIR_TOKEN_YIELD)
    first = hir_parse_yield (parser);
  else
    first = hir_parse_star_or_named (parser);
  if (at_comprehension (parser))
    first = parse_comprehension (parser, HIR_AST_GENERATOR, start, first, NULL);
  else if (hir_parser_peek (parser) == HIR_TOKEN_COMMA)
    {
      hir_parser_push (parser, first);
      while (hir_parser_accept (parser, HIR_TOKEN_COMMA))
        {
          if (hir_parser_peek (parser) == HIR_TOKEN_RPAREN)
            break;
          hir_parser_push (parser, hir_parse_star_or_named (parser));
        }
      first = hir_parser_node (parser, HIR_AST_TUPLE, start);
      hir_parser_take (parser, mark, first);
    }
  else if (first->kind == HIR_AST_STARRED)
    hir_parser_error (parser, first->start, "a starred expression in parentheses needs a comma");
  hir_parser_expect (parser, HIR_TOKEN_RPAREN, "to close '('");
  if (parser->panic)
    return parser->error_node;
  if (first->kind == HIR_AST_TUPLE || first->kind == HIR_AST_GENERATOR)
    {
      first->start = start;
      first = hir_parser_finish (parser, first);
    }
  first->flags |= HIR_AST_FLAG_PARENTHESES;
  return first;
}

static HirAst *
parse_list (HirParser *parser)
{
  guint start = hir_parser_token (parser)->start, mark = parser->stack->len;
  HirAst *node;

  hir_parser_advance (parser);
  while (hir_parser_peek (parser) != HIR_TOKEN_RBRACKET && !parser->panic)
    {
      HirAst *element = hir_parse_star_or_named (parser);

      if (at_comprehension (parser) && parser->stack->len == mark)
        {
          node = parse_comprehension (parser, HIR_AST_LIST_COMP, start, element, NULL);
          hir_parser_expect (parser, HIR_TOKEN_RBRACKET, "to close '['");
          return hir_parser_finish (parser, node);
        }
      hir_parser_push (parser, element);
      if (!hir_parser_accept (parser, HIR_TOKEN_COMMA))
        break;
    }
  hir_parser_expect (parser, HIR_TOKEN_RBRACKET, "to close '['");
  node = hir_parser_node (parser, HIR_AST_LIST, start);
  hir_parser_take (parser, mark, node);
  return hir_parser_finish (parser, node);
}

/* Parses one entry of a dict or set. Returns FALSE after a comprehension, which is the only entry.
 * */
static gboolean
parse_brace_entry (
    HirParser *parser, guint mark, HirAst **comprehension, gboolean *is_dict, gboolean *is_set)
{
  guint start = hir_parser_token (parser)->start;
  HirAst *key, *value = NULL;
  gboolean first = parser->stack->len == mark;

  if (hir_parser_accept (parser, HIR_TOKEN_DOUBLE_STAR))
    {
      *is_dict = TRUE;
      hir_parser_push (parser, NULL);
      hir_parser_push (parser, hir_parse_binary (parser, 0));
      return TRUE;
    }
  key = hir_parse_star_or_named (parser);
  if (hir_parser_accept (parser, HIR_TOKEN_COLON))
    value = hir_parse_expression (parser);
  *is_dict = *is_dict || value != NULL;
  *is_set = *is_set || value == NULL;
  if (*is_dict && *is_set)
    hir_parser_error (parser, start,
                      "every entry of a dict needs ':', and no member of a set may have one");
  if (first && at_comprehension (parser))
    {
      *comprehension =
          parse_comprehension (parser, value != NULL ? HIR_AST_DICT_COMP : HIR_AST_SET_COMP, start,
                               key, value);
      return FALSE;
    }
  hir_parser_push (parser, key);
  if (value != NULL)
    hir_parser_push (parser, value);
  return TRUE;
}

static HirAst *
parse_braces (HirParser *parser)
{
  guint start = hir_parser_token (parser)->start, mark = parser->stack->len;
  gboolean is_dict = FALSE, is_set = FALSE;
  HirAst *node = NULL;

  hir_parser_advance (parser);
  while (hir_parser_peek (parser) != HIR_TOKEN_RBRACE && !parser->panic)
    if (!parse_brace_entry (parser, mark, &node, &is_dict, &is_set) ||
        !hir_parser_accept (parser, HIR_TOKEN_COMMA))
      break;
  hir_parser_expect (parser, HIR_TOKEN_RBRACE, "to close '{'");
  if (node == NULL)
    {
      node = hir_parser_node (parser, is_set ? HIR_AST_SET : HIR_AST_DICT, start);
      hir_parser_take (parser, mark, node);
    }
  node->start = start;
  return hir_parser_finish (parser, node);
}

static HirAst *
parse_word (HirParser *parser, HirTokenKind kind)
{
  HirAst *node = hir_parser_node (parser, HIR_AST_NAME, hir_parser_token (parser)->start);

  if (kind == HIR_TOKEN_NAME)
    node->text = hir_parser_name (parser, "a name");
  else
    {
      node->kind = kind == HIR_TOKEN_TRUE    ? HIR_AST_TRUE
                   : kind == HIR_TOKEN_FALSE ? HIR_AST_FALSE
                   : kind == HIR_TOKEN_NONE  ? HIR_AST_NONE
                                             : HIR_AST_ELLIPSIS;
      hir_parser_advance (parser);
    }
  return hir_parser_finish (parser, node);
}

static HirAst *
parse_atom (HirParser *parser)
{
  HirTokenKind kind = hir_parser_peek (parser);

  switch (kind)
    {
    case HIR_TOKEN_NAME:
    case HIR_TOKEN_TRUE:
    case HIR_TOKEN_FALSE:
    case HIR_TOKEN_NONE:
    case HIR_TOKEN_ELLIPSIS:
      return parse_word (parser, kind);
    case HIR_TOKEN_NUMBER:
      return hir_parse_number (parser);
    case HIR_TOKEN_STRING:
    case HIR_TOKEN_FSTRING:
      return hir_parse_strings (parser);
    case HIR_TOKEN_LPAREN:
      return parse_parentheses (parser);
    case HIR_TOKEN_LBRACKET:
      return parse_list (parser);
    case HIR_TOKEN_LBRACE:
      return parse_braces (parser);
    default:
      hir_parser_unexpected (parser, "an expression");
      return parser->error_node;
    }
}
