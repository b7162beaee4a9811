/* Parser of the debugger's expressions: recursive descent with a table of operators. */
#include "debugger/debug-expr.h"

#include <errno.h>
#include <string.h>

#include "debugger/debug-expr-private.h"
#include "diagnostic.h"

/* Deep enough for any real expression, and safe for small stacks. */
#define MAX_DEPTH 100
#define MAX_BYTES 4096

typedef struct
{
  const char *text, *at;
  guint depth;
  GError **error;
} Parser;

static const char *const function_names[HIR_N_DEBUG_FUNCTIONS] = {
  "isnan", "isinf", "min", "max", "mean", "std", "size", "abs", "sqrt",
};

/* In order of precedence, lowest first; operators of one level have equal precedence. */
static const struct
{
  guint level;
  const char *token;
  HirDebugOp op;
} operators[] = {
  { 0, "||", HIR_DEBUG_OR }, { 1, "&&", HIR_DEBUG_AND }, { 2, "==", HIR_DEBUG_EQ },
  { 2, "!=", HIR_DEBUG_NE }, { 3, "<=", HIR_DEBUG_LE },  { 3, ">=", HIR_DEBUG_GE },
  { 3, "<", HIR_DEBUG_LT },  { 3, ">", HIR_DEBUG_GT },   { 4, "+", HIR_DEBUG_ADD },
  { 4, "-", HIR_DEBUG_SUB }, { 5, "*", HIR_DEBUG_MUL },  { 5, "/", HIR_DEBUG_DIV },
  { 5, "%", HIR_DEBUG_MOD },
};
#define N_LEVELS 6

static HirDebugNode *parse_level (Parser *parser, guint level);

static void
node_free (gpointer data)
{
  HirDebugNode *node = data;

  g_clear_pointer (&node->children, g_ptr_array_unref);
  g_free (node->name);
  g_free (node);
}

static void
skip_space (Parser *parser)
{
  while (g_ascii_isspace (*parser->at))
    parser->at++;
}

static guint
get_column (const Parser *parser)
{
  return 1 + (guint) g_utf8_pointer_to_offset (parser->text, parser->at);
}

/* Sets a syntax error at the current position. Returns NULL. */
static HirDebugNode *
reject (Parser *parser, const char *what)
{
  const HirPos pos = { 1, get_column (parser) };

  if (parser->error != NULL && *parser->error == NULL)
    hir_set_error (parser->error, HIR_ERROR_SYNTAX, &pos, "%s", what);
  return NULL;
}

static HirDebugNode *
reject_found (Parser *parser, const char *expected)
{
  g_autofree char *found =
      *parser->at == '\0'
          ? g_strdup ("the end")
          : g_strdup_printf ("'%.*s'", (int) (g_utf8_next_char (parser->at) - parser->at),
                             parser->at);
  g_autofree char *what = g_strdup_printf ("expected %s, found %s", expected, found);

  return reject (parser, what);
}

static HirDebugNode *
new_node (const Parser *parser, HirDebugNodeKind kind)
{
  HirDebugNode *node = g_new0 (HirDebugNode, 1);

  node->kind = kind;
  node->column = get_column (parser);
  node->children = g_ptr_array_new_with_free_func (node_free);
  return node;
}

static gboolean
take (Parser *parser, const char *token)
{
  skip_space (parser);
  if (!g_str_has_prefix (parser->at, token))
    return FALSE;
  parser->at += strlen (token);
  return TRUE;
}

static HirDebugNode *
parse_number (Parser *parser)
{
  HirDebugNode *node = new_node (parser, HIR_DEBUG_NUMBER);
  char *end_whole, *end;

  errno = 0;
  node->number.i = g_ascii_strtoll (parser->at, &end_whole, 10);
  node->number.is_int = errno == 0;
  node->number.d = g_ascii_strtod (parser->at, &end);
  if (end > end_whole || !node->number.is_int)
    node->number.is_int = FALSE;
  else
    node->number.d = (double) node->number.i;
  parser->at = MAX (end, end_whole);
  if (!g_ascii_isalnum (*parser->at) && *parser->at != '_')
    return node;
  node_free (node);
  return reject_found (parser, "an operator");
}

/* Consumes and returns the name at the current position, or returns NULL. */
static char *
take_name (Parser *parser)
{
  const char *begin = parser->at;

  if (!g_ascii_isalpha (*begin) && *begin != '_')
    return NULL;
  while (g_ascii_isalnum (*parser->at) || *parser->at == '_' || *parser->at == '.')
    parser->at++;
  return g_strndup (begin, (gsize) (parser->at - begin));
}

/* Parses T5, t5 or a printed name, T5_g_float. Returns -1 for other names. */
static int
read_tensor_name (const char *name)
{
  gint64 number;
  char *end;

  if ((name[0] != 'T' && name[0] != 't') || !g_ascii_isdigit (name[1]))
    return -1;
  number = g_ascii_strtoll (name + 1, &end, 10);
  return (*end == '\0' || *end == '_') && number <= G_MAXINT ? (int) number : -1;
}

/* Parses a bound of a range, which may be empty. */
static gboolean
parse_bound (Parser *parser, HirDebugNode *parent)
{
  HirDebugNode *node;

  skip_space (parser);
  node = *parser->at == ':' || *parser->at == ',' || *parser->at == ']'
             ? new_node (parser, HIR_DEBUG_NOTHING)
             : parse_level (parser, 0);
  if (node == NULL)
    return FALSE;
  g_ptr_array_add (parent->children, node);
  return TRUE;
}

/* Parses an index or a range. */
static gboolean
parse_index (Parser *parser, HirDebugNode *tensor)
{
  HirDebugNode *range;

  skip_space (parser);
  if (*parser->at == ']' || *parser->at == ',')
    return reject_found (parser, "an index or a range") != NULL;
  range = new_node (parser, HIR_DEBUG_RANGE);
  g_ptr_array_add (tensor->children, range);
  if (!parse_bound (parser, range))
    return FALSE;
  return !take (parser, ":") || parse_bound (parser, range);
}

static gboolean
parse_indices (Parser *parser, HirDebugNode *tensor)
{
  do
    {
      if (tensor->children->len == HIR_MAX_DIMS)
        return reject (parser, "too many indices") != NULL;
      if (!parse_index (parser, tensor))
        return FALSE;
    }
  while (take (parser, ","));
  return take (parser, "]") || reject_found (parser, "',' or ']'") != NULL;
}

static gboolean
parse_arguments (Parser *parser, HirDebugNode *call)
{
  do
    {
      HirDebugNode *argument;

      if (call->children->len == 8)
        return reject (parser, "too many arguments") != NULL;
      argument = parse_level (parser, 0);
      if (argument == NULL)
        return FALSE;
      g_ptr_array_add (call->children, argument);
    }
  while (take (parser, ","));
  return take (parser, ")") || reject_found (parser, "',' or ')'") != NULL;
}

static gboolean
lookup_function (Parser *parser, HirDebugNode *call)
{
  g_autofree char *known = NULL;
  g_autofree char *what = NULL;

  for (guint i = 0; i < HIR_N_DEBUG_FUNCTIONS; i++)
    if (g_str_equal (function_names[i], call->name))
      {
        call->function = (HirDebugFunction) i;
        return TRUE;
      }
  parser->at = g_utf8_offset_to_pointer (parser->text, (glong) call->column - 1);
  what = g_strdup_printf ("unknown function %s; functions are isnan, isinf, min, max, mean, std, "
                          "size, abs and sqrt",
                          call->name);
  return reject (parser, what) != NULL;
}

static gboolean
check_call (Parser *parser, const HirDebugNode *call)
{
  const HirDebugNode *first = g_ptr_array_index (call->children, 0);
  gboolean takes_tensor = call->function <= HIR_DEBUG_SIZE;
  gboolean is_plain = (call->function == HIR_DEBUG_MIN || call->function == HIR_DEBUG_MAX) &&
                      call->children->len == 2;
  g_autofree char *what = NULL;

  if (is_plain || ((!takes_tensor || first->kind == HIR_DEBUG_TENSOR ||
                    call->function == HIR_DEBUG_ISNAN || call->function == HIR_DEBUG_ISINF) &&
                   call->children->len == (call->function == HIR_DEBUG_SIZE ? 2 : 1)))
    return TRUE;
  what = g_strdup_printf (call->function == HIR_DEBUG_SIZE
                              ? "%s takes a tensor and an axis: size(T5, 0)"
                          : takes_tensor ? "%s takes one tensor: %s(T5)"
                                         : "%s takes one number",
                          call->name, call->name);
  return reject (parser, what) != NULL;
}

static gboolean
finish_name (Parser *parser, HirDebugNode *node)
{
  node->tensor = read_tensor_name (node->name);
  if (node->tensor >= 0)
    {
      node->kind = HIR_DEBUG_TENSOR;
      return !take (parser, "[") || parse_indices (parser, node);
    }
  skip_space (parser);
  if (*parser->at != '(')
    return TRUE;
  node->kind = HIR_DEBUG_CALL;
  if (!lookup_function (parser, node))
    return FALSE;
  (void) take (parser, "(");
  return parse_arguments (parser, node) && check_call (parser, node);
}

static HirDebugNode *
parse_atom (Parser *parser)
{
  HirDebugNode *node;

  skip_space (parser);
  if (g_ascii_isdigit (*parser->at) || (*parser->at == '.' && g_ascii_isdigit (parser->at[1])))
    return parse_number (parser);
  if (take (parser, "("))
    {
      node = parse_level (parser, 0);
      if (node == NULL || take (parser, ")"))
        return node;
      node_free (node);
      return reject_found (parser, "')'");
    }
  node = new_node (parser, HIR_DEBUG_NAME);
  node->name = take_name (parser);
  if (node->name == NULL)
    {
      node_free (node);
      return reject_found (parser, "a number, a name, a tensor or '('");
    }
  if (finish_name (parser, node))
    return node;
  node_free (node);
  return NULL;
}

static HirDebugNode *
parse_unary (Parser *parser)
{
  HirDebugNode *node, *operand;
  gboolean is_not;

  skip_space (parser);
  is_not = *parser->at == '!';
  if (!is_not && *parser->at != '-' && *parser->at != '+')
    return parse_atom (parser);
  if (++parser->depth > MAX_DEPTH)
    return reject (parser, "expression nested too deeply");
  node = new_node (parser, HIR_DEBUG_UNARY);
  node->op = is_not ? HIR_DEBUG_NOT : *parser->at == '-' ? HIR_DEBUG_NEG : HIR_DEBUG_ADD;
  parser->at++;
  operand = parse_unary (parser);
  parser->depth--;
  if (operand != NULL)
    {
      g_ptr_array_add (node->children, operand);
      return node;
    }
  node_free (node);
  return NULL;
}

/* Consumes an operator of @level. Returns it, or -1 if there is none. */
static int
take_operator (Parser *parser, guint level)
{
  skip_space (parser);
  for (guint i = 0; i < G_N_ELEMENTS (operators); i++)
    if (operators[i].level == level && g_str_has_prefix (parser->at, operators[i].token))
      {
        parser->at += strlen (operators[i].token);
        return (int) operators[i].op;
      }
  return -1;
}

static HirDebugNode *
parse_level (Parser *parser, guint level)
{
  HirDebugNode *left, *right, *node;
  guint column;
  int op;

  if (level == N_LEVELS)
    return parse_unary (parser);
  if (level == 0 && ++parser->depth > MAX_DEPTH)
    return reject (parser, "expression nested too deeply");
  left = parse_level (parser, level + 1);
  while (left != NULL)
    {
      skip_space (parser);
      column = get_column (parser);
      op = take_operator (parser, level);
      if (op < 0)
        break;
      node = new_node (parser, HIR_DEBUG_BINARY);
      node->column = column;
      node->op = (HirDebugOp) op;
      g_ptr_array_add (node->children, left);
      right = parse_level (parser, level + 1);
      left = node;
      if (right != NULL)
        g_ptr_array_add (node->children, right);
      else
        g_clear_pointer (&left, node_free);
    }
  parser->depth -= level == 0;
  return left;
}

HirDebugExpr *
hir_debug_expr_parse (const char *text, GError **error)
{
  g_autoptr (GError) local = NULL;
  Parser parser = { .text = text, .at = text, .error = &local };
  HirDebugNode *root;
  HirDebugExpr *expr;

  if (strlen (text) > MAX_BYTES || !g_utf8_validate (text, -1, NULL))
    {
      hir_set_error (error, HIR_ERROR_SYNTAX, NULL, "invalid expression: too long or not UTF-8");
      return NULL;
    }
  root = parse_level (&parser, 0);
  skip_space (&parser);
  if (root != NULL && *parser.at != '\0')
    {
      reject_found (&parser, "an operator or the end");
      g_clear_pointer (&root, node_free);
    }
  if (root == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return NULL;
    }
  expr = g_new0 (HirDebugExpr, 1);
  expr->root = root;
  return expr;
}

void
hir_debug_expr_free (HirDebugExpr *expr)
{
  node_free (expr->root);
  g_free (expr);
}
