/* Parses statements without blocks. */
#include "script/parse/parse-private.h"

/* Parses the right side of an assignment or an expression statement. */
static HirAst *
parse_value (HirParser *parser)
{
  return hir_parser_peek (parser) == HIR_TOKEN_YIELD ? hir_parse_yield (parser)
                                                     : hir_parse_list_of_expressions (parser);
}

static HirAst *
parse_annotated (HirParser *parser, HirAst *target)
{
  HirAst *node = hir_parser_node (parser, HIR_AST_ANN_ASSIGN, target->start);

  if (target->kind != HIR_AST_NAME && target->kind != HIR_AST_ATTRIBUTE &&
      target->kind != HIR_AST_SUBSCRIPT)
    hir_parser_error (parser, target->start, "only a single target can be annotated");
  hir_parser_advance (parser);
  node->a = target;
  node->b = hir_parse_expression (parser);
  if (hir_parser_accept (parser, HIR_TOKEN_ASSIGN))
    node->c = parse_value (parser);
  return hir_parser_finish (parser, node);
}

static HirAst *
parse_expression_statement (HirParser *parser)
{
  guint start = hir_parser_token (parser)->start, mark = parser->stack->len;
  HirAst *value = parse_value (parser), *node;
  HirTokenKind kind = hir_parser_peek (parser);

  if (kind == HIR_TOKEN_COLON)
    return parse_annotated (parser, value);
  if (kind >= HIR_TOKEN_PLUS_ASSIGN && kind <= HIR_TOKEN_DOUBLE_STAR_ASSIGN)
    {
      if (value->kind == HIR_AST_TUPLE || value->kind == HIR_AST_LIST)
        hir_parser_error (parser, start, "a tuple or list cannot be the target of '%s'",
                          hir_token_kind_get_text (kind));
      hir_parse_check_target (parser, value, FALSE);
      hir_parser_advance (parser);
      node = hir_parser_node (parser, HIR_AST_AUG_ASSIGN, start);
      node->op = kind - HIR_TOKEN_PLUS_ASSIGN + HIR_TOKEN_PLUS;
      node->a = value;
      node->b = parse_value (parser);
      return hir_parser_finish (parser, node);
    }
  while (hir_parser_accept (parser, HIR_TOKEN_ASSIGN))
    {
      hir_parse_check_target (parser, value, FALSE);
      hir_parser_push (parser, value);
      value = parse_value (parser);
    }
  if (parser->stack->len == mark)
    {
      node = hir_parser_node (parser, HIR_AST_EXPRESSION, start);
      node->a = value;
    }
  else
    {
      node = hir_parser_node (parser, HIR_AST_ASSIGN, start);
      node->b = value;
      hir_parser_take (parser, mark, node);
    }
  return hir_parser_finish (parser, node);
}

static gboolean
at_end_of_simple (HirParser *parser)
{
  HirTokenKind kind = hir_parser_peek (parser);

  return kind == HIR_TOKEN_NEWLINE || kind == HIR_TOKEN_SEMICOLON || kind == HIR_TOKEN_END;
}

/* Parses `a` or `a.b.c`. */
static const char *
parse_dotted (HirParser *parser)
{
  const char *first = hir_parser_name (parser, "the name of a module");
  GString *all;
  const char *result;

  if (hir_parser_peek (parser) != HIR_TOKEN_DOT)
    return first;
  all = g_string_new (first);
  while (hir_parser_accept (parser, HIR_TOKEN_DOT))
    g_string_append_printf (all, ".%s", hir_parser_name (parser, "a name after '.'"));
  result = hir_parser_intern (parser, all->str, all->len);
  g_string_free (all, TRUE);
  return result;
}

static HirAst *
parse_alias (HirParser *parser, gboolean dotted)
{
  HirAst *node = hir_parser_node (parser, HIR_AST_ALIAS, hir_parser_token (parser)->start);

  node->text = dotted ? parse_dotted (parser) : hir_parser_name (parser, "a name to import");
  if (hir_parser_accept (parser, HIR_TOKEN_AS))
    node->a = hir_parse_name (parser, "a name after 'as'");
  return hir_parser_finish (parser, node);
}

static HirAst *
parse_import (HirParser *parser)
{
  HirAst *node = hir_parser_node (parser, HIR_AST_IMPORT, hir_parser_token (parser)->start);
  guint mark = parser->stack->len;

  hir_parser_advance (parser);
  do
    hir_parser_push (parser, parse_alias (parser, TRUE));
  while (hir_parser_accept (parser, HIR_TOKEN_COMMA));
  hir_parser_take (parser, mark, node);
  return hir_parser_finish (parser, node);
}

static HirAst *
parse_import_from (HirParser *parser)
{
  HirAst *node = hir_parser_node (parser, HIR_AST_IMPORT_FROM, hir_parser_token (parser)->start);
  guint mark = parser->stack->len;
  gint64 dots = 0;
  gboolean in_parentheses;

  hir_parser_advance (parser);
  for (;;)
    if (hir_parser_accept (parser, HIR_TOKEN_DOT))
      dots++;
    else if (hir_parser_accept (parser, HIR_TOKEN_ELLIPSIS))
      dots += 3;
    else
      break;
  node->text =
      dots > 0 && hir_parser_peek (parser) == HIR_TOKEN_IMPORT ? "" : parse_dotted (parser);
  node->i = dots;
  hir_parser_expect (parser, HIR_TOKEN_IMPORT, "after the module");
  if (hir_parser_peek (parser) == HIR_TOKEN_STAR)
    {
      HirAst *star = hir_parser_node (parser, HIR_AST_ALIAS, hir_parser_token (parser)->start);

      hir_parser_advance (parser);
      star->text = "*";
      hir_parser_push (parser, hir_parser_finish (parser, star));
      hir_parser_take (parser, mark, node);
      return hir_parser_finish (parser, node);
    }
  in_parentheses = hir_parser_accept (parser, HIR_TOKEN_LPAREN);
  do
    {
      if (in_parentheses && hir_parser_peek (parser) == HIR_TOKEN_RPAREN &&
          parser->stack->len > mark)
        break;
      hir_parser_push (parser, parse_alias (parser, FALSE));
    }
  while (hir_parser_accept (parser, HIR_TOKEN_COMMA));
  if (in_parentheses)
    hir_parser_expect (parser, HIR_TOKEN_RPAREN, "to close '('");
  hir_parser_take (parser, mark, node);
  return hir_parser_finish (parser, node);
}

static HirAst *
parse_names (HirParser *parser, HirAstKind kind)
{
  HirAst *node = hir_parser_node (parser, kind, hir_parser_token (parser)->start);
  guint mark = parser->stack->len;

  hir_parser_advance (parser);
  do
    hir_parser_push (parser, hir_parse_name (parser, "a name"));
  while (hir_parser_accept (parser, HIR_TOKEN_COMMA));
  hir_parser_take (parser, mark, node);
  return hir_parser_finish (parser, node);
}

static HirAst *
parse_delete (HirParser *parser)
{
  HirAst *node = hir_parser_node (parser, HIR_AST_DELETE, hir_parser_token (parser)->start);
  guint mark = parser->stack->len;

  hir_parser_advance (parser);
  do
    {
      HirAst *target;

      if (parser->stack->len > mark && at_end_of_simple (parser))
        break;
      target = hir_parse_binary (parser, 0);
      hir_parse_check_target (parser, target, FALSE);
      hir_parser_push (parser, target);
    }
  while (hir_parser_accept (parser, HIR_TOKEN_COMMA));
  hir_parser_take (parser, mark, node);
  return hir_parser_finish (parser, node);
}

static HirAst *
parse_with_operands (HirParser *parser, HirTokenKind kind)
{
  HirAst *node = hir_parser_node (parser, HIR_AST_RETURN, hir_parser_token (parser)->start);

  hir_parser_advance (parser);
  if (kind == HIR_TOKEN_RETURN)
    {
      if (!at_end_of_simple (parser))
        node->a = hir_parse_list_of_expressions (parser);
    }
  else if (kind == HIR_TOKEN_RAISE)
    {
      node->kind = HIR_AST_RAISE;
      if (!at_end_of_simple (parser))
        node->a = hir_parse_expression (parser);
      if (node->a != NULL && hir_parser_accept (parser, HIR_TOKEN_FROM))
        node->b = hir_parse_expression (parser);
    }
  else
    {
      node->kind = HIR_AST_ASSERT;
      node->a = hir_parse_expression (parser);
      if (hir_parser_accept (parser, HIR_TOKEN_COMMA))
        node->b = hir_parse_expression (parser);
    }
  return hir_parser_finish (parser, node);
}

static HirAst *
parse_word_statement (HirParser *parser, HirTokenKind kind)
{
  HirAst *node = hir_parser_node (parser,
                                  kind == HIR_TOKEN_PASS    ? HIR_AST_PASS
                                  : kind == HIR_TOKEN_BREAK ? HIR_AST_BREAK
                                                            : HIR_AST_CONTINUE,
                                  hir_parser_token (parser)->start);

  hir_parser_advance (parser);
  return hir_parser_finish (parser, node);
}

/* Parses `type X[T] = value`. `type` is a keyword only if a name follows. */
static HirAst *
parse_type_alias (HirParser *parser)
{
  HirAst *node = hir_parser_node (parser, HIR_AST_TYPE_ALIAS, hir_parser_token (parser)->start);

  hir_parser_advance (parser);
  node->a = hir_parse_name (parser, "a name");
  hir_parse_type_params (parser);
  hir_parser_expect (parser, HIR_TOKEN_ASSIGN, "of a type alias");
  node->b = hir_parse_expression (parser);
  return hir_parser_finish (parser, node);
}

static HirAst *
parse_one (HirParser *parser)
{
  HirTokenKind kind = hir_parser_peek (parser);

  switch (kind)
    {
    case HIR_TOKEN_RETURN:
    case HIR_TOKEN_RAISE:
    case HIR_TOKEN_ASSERT:
      return parse_with_operands (parser, kind);
    case HIR_TOKEN_PASS:
    case HIR_TOKEN_BREAK:
    case HIR_TOKEN_CONTINUE:
      return parse_word_statement (parser, kind);
    case HIR_TOKEN_DEL:
      return parse_delete (parser);
    case HIR_TOKEN_GLOBAL:
      return parse_names (parser, HIR_AST_GLOBAL);
    case HIR_TOKEN_NONLOCAL:
      return parse_names (parser, HIR_AST_NONLOCAL);
    case HIR_TOKEN_IMPORT:
      return parse_import (parser);
    case HIR_TOKEN_FROM:
      return parse_import_from (parser);
    default:
      if (hir_parser_is_word (parser, 0, "type") &&
          hir_parser_peek_at (parser, 1) == HIR_TOKEN_NAME)
        return parse_type_alias (parser);
      return parse_expression_statement (parser);
    }
}

void
hir_parse_simple (HirParser *parser)
{
  hir_parser_push (parser, parse_one (parser));
  while (hir_parser_accept (parser, HIR_TOKEN_SEMICOLON))
    {
      if (hir_parser_peek (parser) == HIR_TOKEN_NEWLINE)
        break;
      hir_parser_push (parser, parse_one (parser));
    }
  if (hir_parser_peek (parser) != HIR_TOKEN_END)
    hir_parser_expect (parser, HIR_TOKEN_NEWLINE, "");
}
