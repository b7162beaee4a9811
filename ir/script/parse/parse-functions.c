/* Parses def, class and lambda with parameters, type parameters and decorators. */
#include "script/parse/parse-private.h"
#include "script/parse/script-private.h"

static HirAstFunction *
function_new (HirParser *parser, HirAst *node, const char *name)
{
  HirAstFunction *function = hir_arena_new0 (parser->arena, HirAstFunction);

  function->name = name;
  function->node = node;
  function->parent = parser->function;
  node->function = function;
  return function;
}

/* State for checking the order of parameters. */
typedef struct
{
  GArray *params; /* HirAstParam */
  HirScriptParamKind kind;
  gboolean seen_default, seen_star, bare_star, done;
} Params;

static void
add_param (HirParser *parser, Params *params, HirScriptParamKind kind, gboolean annotated)
{
  HirAstParam param = { .kind = kind, .start = hir_parser_token (parser)->start };

  param.name = hir_parser_name (parser, "the name of a parameter");
  if (annotated && hir_parser_accept (parser, HIR_TOKEN_COLON))
    param.annotation = kind == HIR_SCRIPT_PARAM_VAR_POSITIONAL ? hir_parse_star_or_named (parser)
                                                               : hir_parse_expression (parser);
  if ((kind == HIR_SCRIPT_PARAM_NORMAL || kind == HIR_SCRIPT_PARAM_KEYWORD_ONLY) &&
      hir_parser_accept (parser, HIR_TOKEN_ASSIGN))
    {
      param.default_value = hir_parse_expression (parser);
      params->seen_default = params->seen_default || kind == HIR_SCRIPT_PARAM_NORMAL;
    }
  else if (kind == HIR_SCRIPT_PARAM_NORMAL && params->seen_default)
    hir_parser_error (parser, param.start,
                      "a parameter without default cannot follow one with a default");
  for (guint i = 0; i < params->params->len && !parser->panic; i++)
    if (g_array_index (params->params, HirAstParam, i).name == param.name)
      hir_parser_report (parser, param.start, "there are two parameters '%s'", param.name);
  g_array_append_val (params->params, param);
}

static void
parse_slash (HirParser *parser, Params *params)
{
  guint start = hir_parser_token (parser)->start;

  hir_parser_advance (parser);
  if (params->params->len == 0 || params->seen_star)
    {
      hir_parser_error (parser, start, "'/' must follow parameters and precede '*'");
      return;
    }
  for (guint i = 0; i < params->params->len; i++)
    {
      HirAstParam *param = &g_array_index (params->params, HirAstParam, i);

      if (param->kind == HIR_SCRIPT_PARAM_POSITIONAL_ONLY)
        hir_parser_error (parser, start, "'/' can occur only once");
      param->kind = HIR_SCRIPT_PARAM_POSITIONAL_ONLY;
    }
}

static void
parse_param (HirParser *parser, Params *params, gboolean annotated)
{
  HirTokenKind kind = hir_parser_peek (parser);
  guint start = hir_parser_token (parser)->start;

  if (params->done)
    hir_parser_error (parser, start, "nothing can follow the '**' parameter");
  else if (kind == HIR_TOKEN_SLASH)
    parse_slash (parser, params);
  else if (kind == HIR_TOKEN_STAR)
    {
      hir_parser_advance (parser);
      if (params->seen_star)
        hir_parser_error (parser, start, "'*' can occur only once");
      params->seen_star = TRUE;
      params->bare_star = hir_parser_peek (parser) == HIR_TOKEN_COMMA;
      if (!params->bare_star)
        add_param (parser, params, HIR_SCRIPT_PARAM_VAR_POSITIONAL, annotated);
      params->kind = HIR_SCRIPT_PARAM_KEYWORD_ONLY;
    }
  else if (kind == HIR_TOKEN_DOUBLE_STAR)
    {
      hir_parser_advance (parser);
      if (params->bare_star)
        hir_parser_error (parser, start, "parameters with names must follow the lone '*'");
      add_param (parser, params, HIR_SCRIPT_PARAM_VAR_KEYWORD, annotated);
      params->done = TRUE;
    }
  else
    {
      add_param (parser, params, params->kind, annotated);
      params->bare_star = FALSE;
    }
}

/* Parses parameters up to @end without consuming it. */
static void
parse_params (HirParser *parser, HirAstFunction *function, HirTokenKind end, gboolean annotated)
{
  Params params = { .params = g_array_new (FALSE, FALSE, sizeof (HirAstParam)),
                    .kind = HIR_SCRIPT_PARAM_NORMAL };

  while (hir_parser_peek (parser) != end && !parser->panic)
    {
      parse_param (parser, &params, annotated);
      if (!hir_parser_accept (parser, HIR_TOKEN_COMMA))
        break;
    }
  if (params.bare_star)
    hir_parser_error (parser, hir_parser_token (parser)->start,
                      "parameters with names must follow the lone '*'");
  function->n_params = params.params->len;
  if (function->n_params > 0)
    function->params = hir_arena_memdup (parser->arena, params.params->data,
                                         params.params->len * sizeof (HirAstParam));
  g_array_unref (params.params);
}

static guint
get_param_height (const HirAstFunction *function)
{
  guint height = 0;

  for (guint i = 0; i < function->n_params; i++)
    {
      if (function->params[i].annotation != NULL)
        height = MAX (height, function->params[i].annotation->height);
      if (function->params[i].default_value != NULL)
        height = MAX (height, function->params[i].default_value->height);
    }
  return height;
}

HirAst *
hir_parse_lambda (HirParser *parser)
{
  HirAst *node = hir_parser_node (parser, HIR_AST_LAMBDA, hir_parser_token (parser)->start);
  HirAstFunction *function = function_new (parser, node, "<lambda>"), *outer = parser->function;
  HirAst *body;

  hir_parser_advance (parser);
  parse_params (parser, function, HIR_TOKEN_COLON, FALSE);
  hir_parser_expect (parser, HIR_TOKEN_COLON, "of a lambda");
  body = hir_parser_node (parser, HIR_AST_RETURN, hir_parser_token (parser)->start);
  parser->function = function;
  body->a = hir_parse_expression (parser);
  parser->function = outer;
  body = hir_parser_finish (parser, body);
  function->body = hir_arena_memdup (parser->arena, &body, sizeof body);
  function->n_body = 1;
  node->a = body; /* included in the height */
  node = hir_parser_finish (parser, node);
  node->height = MAX (node->height, get_param_height (function) + 1);
  return node;
}

/* Parses and discards `[T: int, *Ts, **P, U = str]` (PEP 695, 696). */
void
hir_parse_type_params (HirParser *parser)
{
  if (!hir_parser_accept (parser, HIR_TOKEN_LBRACKET))
    return;
  parser->script->has_type_params = TRUE;
  do
    {
      if (hir_parser_peek (parser) == HIR_TOKEN_RBRACKET)
        break;
      if (!hir_parser_accept (parser, HIR_TOKEN_STAR))
        hir_parser_accept (parser, HIR_TOKEN_DOUBLE_STAR);
      hir_parser_name (parser, "the name of a type parameter");
      if (hir_parser_accept (parser, HIR_TOKEN_COLON))
        hir_parse_expression (parser);
      if (hir_parser_accept (parser, HIR_TOKEN_ASSIGN))
        hir_parse_star_or_named (parser);
    }
  while (hir_parser_accept (parser, HIR_TOKEN_COMMA));
  hir_parser_expect (parser, HIR_TOKEN_RBRACKET, "to close '['");
}

static void
parse_function_body (HirParser *parser, HirAst *node, HirAstFunction *function, const char *what)
{
  HirAstFunction *outer = parser->function;

  parser->function = function;
  hir_parse_body (parser, node, what);
  parser->function = outer;
  function->body = node->items;
  function->n_body = node->n_items;
}

HirAst *
hir_parse_def (HirParser *parser, guint start, guint decorators_mark, gboolean is_async)
{
  HirAst *node = hir_parser_node (parser, HIR_AST_DEF, start);
  HirAstFunction *function = function_new (parser, node, "");

  function->is_async = is_async;
  function->decorators = hir_parser_take_array (parser, decorators_mark, &function->n_decorators);
  hir_parser_expect (parser, HIR_TOKEN_DEF, "");
  function->name = hir_parser_name (parser, "the name of the function");
  hir_parse_type_params (parser);
  hir_parser_expect (parser, HIR_TOKEN_LPAREN, "after the function's name");
  parse_params (parser, function, HIR_TOKEN_RPAREN, TRUE);
  hir_parser_expect (parser, HIR_TOKEN_RPAREN, "after the parameters");
  if (hir_parser_accept (parser, HIR_TOKEN_ARROW))
    function->returns = hir_parse_list_of_expressions (parser);
  if (!parser->panic)
    g_ptr_array_add (parser->script->functions, function);
  parse_function_body (parser, node, function, "of a def");
  return hir_parser_finish (parser, node);
}

HirAst *
hir_parse_class (HirParser *parser, guint start, guint decorators_mark)
{
  HirAst *node = hir_parser_node (parser, HIR_AST_CLASS, start);
  HirAstFunction *function = function_new (parser, node, "");
  guint mark;

  function->is_class = TRUE;
  function->decorators = hir_parser_take_array (parser, decorators_mark, &function->n_decorators);
  hir_parser_advance (parser);
  function->name = node->text = hir_parser_name (parser, "the name of the class");
  hir_parse_type_params (parser);
  mark = parser->stack->len;
  node->a = hir_parser_node (parser, HIR_AST_BLOCK, hir_parser_token (parser)->start);
  if (hir_parser_accept (parser, HIR_TOKEN_LPAREN))
    hir_parse_arguments (parser);
  hir_parser_take (parser, mark, node->a);
  node->a = hir_parser_finish (parser, node->a);
  if (!parser->panic)
    g_ptr_array_add (parser->script->functions, function);
  parse_function_body (parser, node, function, "of a class");
  return hir_parser_finish (parser, node);
}
