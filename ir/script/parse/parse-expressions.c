/* Parses expressions by precedence, from `:=` to unary operators and `**`. */
#include "script/parse/parse-private.h"

static HirAst *
parse_conditional (HirParser *parser)
{
  guint start = hir_parser_token (parser)->start;
  HirAst *then = hir_parse_disjunction (parser), *node;

  if (!hir_parser_accept (parser, HIR_TOKEN_IF))
    return then;
  node = hir_parser_node (parser, HIR_AST_CONDITIONAL, start);
  node->b = then;
  node->a = hir_parse_disjunction (parser);
  hir_parser_expect (parser, HIR_TOKEN_ELSE, "of a conditional expression");
  node->c = hir_parse_expression (parser);
  return hir_parser_finish (parser, node);
}

HirAst *
hir_parse_expression (HirParser *parser)
{
  HirAst *node;

  if (!hir_parser_enter (parser))
    return parser->error_node;
  node = hir_parser_peek (parser) == HIR_TOKEN_LAMBDA ? hir_parse_lambda (parser)
                                                      : parse_conditional (parser);
  hir_parser_leave (parser);
  return node;
}

HirAst *
hir_parse_named (HirParser *parser)
{
  guint start = hir_parser_token (parser)->start;
  HirAst *node = hir_parse_expression (parser), *named;

  if (hir_parser_peek (parser) != HIR_TOKEN_WALRUS)
    return node;
  if (node->kind != HIR_AST_NAME || (node->flags & HIR_AST_FLAG_PARENTHESES) != 0)
    hir_parser_error (parser, start, "':=' can assign only to a plain name");
  hir_parser_advance (parser);
  named = hir_parser_node (parser, HIR_AST_NAMED, start);
  named->a = node;
  named->b = hir_parse_expression (parser);
  return hir_parser_finish (parser, named);
}

/* Parses `*x` or a named expression. */
HirAst *
hir_parse_star_or_named (HirParser *parser)
{
  HirAst *node;

  if (hir_parser_peek (parser) != HIR_TOKEN_STAR)
    return hir_parse_named (parser);
  node = hir_parser_node (parser, HIR_AST_STARRED, hir_parser_token (parser)->start);
  hir_parser_advance (parser);
  node->a = hir_parse_binary (parser, 0);
  return hir_parser_finish (parser, node);
}

static HirAst *
parse_bool (HirParser *parser, HirTokenKind op, HirAst *(*operand) (HirParser *) )
{
  guint start = hir_parser_token (parser)->start, mark = parser->stack->len;
  HirAst *node = operand (parser), *all;

  if (hir_parser_peek (parser) != op || parser->panic)
    return node;
  hir_parser_push (parser, node);
  while (hir_parser_accept (parser, op))
    hir_parser_push (parser, operand (parser));
  all = hir_parser_node (parser, HIR_AST_BOOL, start);
  all->op = op;
  hir_parser_take (parser, mark, all);
  return hir_parser_finish (parser, all);
}

/* Consumes a comparison operator, including `not in` and `is not`. Returns FALSE if none follows.
 * */
static gboolean
accept_comparison (HirParser *parser, HirTokenKind *op, gboolean *negated)
{
  *negated = FALSE;
  *op = hir_parser_peek (parser);
  if (*op >= HIR_TOKEN_EQ && *op <= HIR_TOKEN_GE)
    hir_parser_advance (parser);
  else if (*op == HIR_TOKEN_IN)
    hir_parser_advance (parser);
  else if (*op == HIR_TOKEN_NOT && hir_parser_peek_at (parser, 1) == HIR_TOKEN_IN)
    {
      *op = HIR_TOKEN_IN;
      *negated = TRUE;
      hir_parser_advance (parser);
      hir_parser_advance (parser);
    }
  else if (*op == HIR_TOKEN_IS)
    {
      hir_parser_advance (parser);
      *negated = hir_parser_accept (parser, HIR_TOKEN_NOT);
    }
  else
    return FALSE;
  return TRUE;
}

static HirAst *
parse_comparison (HirParser *parser)
{
  guint start = hir_parser_token (parser)->start, mark = parser->stack->len;
  HirAst *left = hir_parse_binary (parser, 0), *node;
  HirTokenKind op;
  gboolean negated;

  while (accept_comparison (parser, &op, &negated))
    {
      HirAst *step = hir_parser_node (parser, HIR_AST_COMPARISON, hir_parser_last_end (parser));

      step->op = op;
      step->flags = negated ? HIR_AST_FLAG_NOT : 0;
      step->a = hir_parse_binary (parser, 0);
      hir_parser_push (parser, hir_parser_finish (parser, step));
    }
  if (parser->stack->len == mark)
    return left;
  node = hir_parser_node (parser, HIR_AST_COMPARE, start);
  node->a = left;
  hir_parser_take (parser, mark, node);
  return hir_parser_finish (parser, node);
}

static HirAst *
parse_inversion (HirParser *parser)
{
  HirAst *node;

  if (hir_parser_peek (parser) != HIR_TOKEN_NOT)
    return parse_comparison (parser);
  if (!hir_parser_enter (parser))
    return parser->error_node;
  node = hir_parser_node (parser, HIR_AST_UNARY, hir_parser_token (parser)->start);
  hir_parser_advance (parser);
  node->op = HIR_TOKEN_NOT;
  node->a = parse_inversion (parser);
  hir_parser_leave (parser);
  return hir_parser_finish (parser, node);
}

static HirAst *
parse_conjunction (HirParser *parser)
{
  return parse_bool (parser, HIR_TOKEN_AND, parse_inversion);
}

HirAst *
hir_parse_disjunction (HirParser *parser)
{
  return parse_bool (parser, HIR_TOKEN_OR, parse_conjunction);
}

static int
get_level (HirTokenKind kind)
{
  switch (kind)
    {
    case HIR_TOKEN_BAR:
      return 0;
    case HIR_TOKEN_CARET:
      return 1;
    case HIR_TOKEN_AMPERSAND:
      return 2;
    case HIR_TOKEN_LSHIFT:
    case HIR_TOKEN_RSHIFT:
      return 3;
    case HIR_TOKEN_PLUS:
    case HIR_TOKEN_MINUS:
      return 4;
    case HIR_TOKEN_STAR:
    case HIR_TOKEN_SLASH:
    case HIR_TOKEN_DOUBLE_SLASH:
    case HIR_TOKEN_PERCENT:
    case HIR_TOKEN_AT:
      return 5;
    default:
      return -1;
    }
}

static HirAst *parse_unary (HirParser *parser);

/* `await` binds tighter than `**`, whose right operand may have unary operators. */
static HirAst *
parse_power (HirParser *parser)
{
  guint start = hir_parser_token (parser)->start;
  HirAst *base, *node;

  if (hir_parser_accept (parser, HIR_TOKEN_AWAIT))
    {
      base = hir_parser_node (parser, HIR_AST_AWAIT, start);
      base->a = hir_parse_primary (parser);
      base = hir_parser_finish (parser, base);
    }
  else
    base = hir_parse_primary (parser);
  if (!hir_parser_accept (parser, HIR_TOKEN_DOUBLE_STAR))
    return base;
  node = hir_parser_node (parser, HIR_AST_BINARY, start);
  node->op = HIR_TOKEN_DOUBLE_STAR;
  node->a = base;
  node->b = parse_unary (parser);
  return hir_parser_finish (parser, node);
}

static HirAst *
parse_unary (HirParser *parser)
{
  HirTokenKind kind = hir_parser_peek (parser);
  HirAst *node;

  if (!hir_parser_enter (parser))
    return parser->error_node;
  if (kind == HIR_TOKEN_PLUS || kind == HIR_TOKEN_MINUS || kind == HIR_TOKEN_TILDE)
    {
      node = hir_parser_node (parser, HIR_AST_UNARY, hir_parser_token (parser)->start);
      hir_parser_advance (parser);
      node->op = kind;
      node->a = parse_unary (parser);
      node = hir_parser_finish (parser, node);
    }
  else
    node = parse_power (parser);
  hir_parser_leave (parser);
  return node;
}

HirAst *
hir_parse_binary (HirParser *parser, int level)
{
  guint start = hir_parser_token (parser)->start;
  HirAst *left = parse_unary (parser);

  for (;;)
    {
      HirTokenKind op = hir_parser_peek (parser);
      int op_level = get_level (op);
      HirAst *node;

      if (op_level < level || parser->panic)
        return left;
      hir_parser_advance (parser);
      node = hir_parser_node (parser, HIR_AST_BINARY, start);
      node->op = op;
      node->a = left;
      node->b = hir_parse_binary (parser, op_level + 1);
      left = hir_parser_finish (parser, node);
    }
}

static HirAst *
parse_tuple_of (HirParser *parser, HirAst *(*element) (HirParser *) )
{
  guint start = hir_parser_token (parser)->start, mark = parser->stack->len;
  HirAst *first = element (parser), *tuple;

  if (hir_parser_peek (parser) != HIR_TOKEN_COMMA)
    return first;
  hir_parser_push (parser, first);
  while (hir_parser_accept (parser, HIR_TOKEN_COMMA))
    {
      HirTokenKind next = hir_parser_peek (parser);

      /* A trailing comma. */
      if (next == HIR_TOKEN_NEWLINE || next == HIR_TOKEN_ASSIGN || next == HIR_TOKEN_COLON ||
          next == HIR_TOKEN_RPAREN || next == HIR_TOKEN_RBRACKET || next == HIR_TOKEN_RBRACE ||
          next == HIR_TOKEN_SEMICOLON || next == HIR_TOKEN_IN || next == HIR_TOKEN_END ||
          (next >= HIR_TOKEN_PLUS_ASSIGN && next <= HIR_TOKEN_DOUBLE_STAR_ASSIGN))
        break;
      hir_parser_push (parser, element (parser));
    }
  tuple = hir_parser_node (parser, HIR_AST_TUPLE, start);
  hir_parser_take (parser, mark, tuple);
  return hir_parser_finish (parser, tuple);
}

static HirAst *
parse_star_or_expression (HirParser *parser)
{
  return hir_parser_peek (parser) == HIR_TOKEN_STAR ? hir_parse_star_or_named (parser)
                                                    : hir_parse_expression (parser);
}

HirAst *
hir_parse_list_of_expressions (HirParser *parser)
{
  return parse_tuple_of (parser, parse_star_or_expression);
}

HirAst *
hir_parse_list_of_named (HirParser *parser)
{
  return parse_tuple_of (parser, hir_parse_star_or_named);
}

static HirAst *
parse_target (HirParser *parser)
{
  HirAst *node;

  if (hir_parser_peek (parser) != HIR_TOKEN_STAR)
    return hir_parse_binary (parser, 0);
  node = hir_parser_node (parser, HIR_AST_STARRED, hir_parser_token (parser)->start);
  hir_parser_advance (parser);
  node->a = hir_parse_binary (parser, 0);
  return hir_parser_finish (parser, node);
}

HirAst *
hir_parse_targets (HirParser *parser)
{
  HirAst *node = parse_tuple_of (parser, parse_target);

  hir_parse_check_target (parser, node, FALSE);
  return node;
}

HirAst *
hir_parse_yield (HirParser *parser)
{
  guint start = hir_parser_token (parser)->start;
  HirTokenKind next;
  HirAst *node;

  hir_parser_expect (parser, HIR_TOKEN_YIELD, "");
  if (parser->function != NULL)
    parser->function->is_generator = TRUE;
  next = hir_parser_peek (parser);
  if (next == HIR_TOKEN_FROM)
    {
      hir_parser_advance (parser);
      node = hir_parser_node (parser, HIR_AST_YIELD_FROM, start);
      node->a = hir_parse_expression (parser);
      return hir_parser_finish (parser, node);
    }
  node = hir_parser_node (parser, HIR_AST_YIELD, start);
  if (next != HIR_TOKEN_NEWLINE && next != HIR_TOKEN_RPAREN && next != HIR_TOKEN_ASSIGN &&
      next != HIR_TOKEN_SEMICOLON && next != HIR_TOKEN_RBRACE && next != HIR_TOKEN_END)
    node->a = hir_parse_list_of_expressions (parser);
  return hir_parser_finish (parser, node);
}

static const char *
describe (const HirAst *node)
{
  switch (node->kind)
    {
    case HIR_AST_CALL:
      return "a call";
    case HIR_AST_INT:
    case HIR_AST_FLOAT:
    case HIR_AST_IMAGINARY:
    case HIR_AST_STRING:
    case HIR_AST_BYTES:
    case HIR_AST_FSTRING:
      return "a literal";
    case HIR_AST_TRUE:
    case HIR_AST_FALSE:
    case HIR_AST_NONE:
    case HIR_AST_ELLIPSIS:
      return "a constant";
    case HIR_AST_COMPARE:
      return "a comparison";
    case HIR_AST_STARRED:
      return "a starred expression";
    default:
      return "an expression";
    }
}

void
hir_parse_check_target (HirParser *parser, HirAst *target, gboolean allow_star)
{
  if (parser->panic)
    return;
  switch (target->kind)
    {
    case HIR_AST_NAME:
    case HIR_AST_ATTRIBUTE:
    case HIR_AST_SUBSCRIPT:
      return;
    case HIR_AST_TUPLE:
    case HIR_AST_LIST:
      for (guint i = 0; i < target->n_items; i++)
        hir_parse_check_target (parser, target->items[i], TRUE);
      return;
    case HIR_AST_STARRED:
      if (allow_star)
        {
          hir_parse_check_target (parser, target->a, FALSE);
          return;
        }
      break;
    default:
      break;
    }
  hir_parser_error (parser, target->start, "%s cannot be assigned to", describe (target));
}
