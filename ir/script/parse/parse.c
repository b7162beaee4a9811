/* Core of the parser: tokens, errors, nodes and the statement loop. */
#include "script/parse/parse-private.h"
#include "script/parse/script-private.h"

#include <string.h>

HirTokenKind
hir_parser_peek (HirParser *parser)
{
  const HirToken *token;

  if (parser->panic)
    return HIR_TOKEN_ERROR;
  token = hir_parser_token (parser);
  if (token->kind == HIR_TOKEN_ERROR)
    {
      hir_parser_error (parser, token->start, "%s", token->message);
      parser->pos++;
    }
  return token->kind;
}

const HirToken *
hir_parser_token (HirParser *parser)
{
  return &g_array_index (parser->tokens, HirToken, parser->pos);
}

HirTokenKind
hir_parser_peek_at (HirParser *parser, guint offset)
{
  if (parser->panic)
    return HIR_TOKEN_ERROR;
  if (parser->pos + offset >= parser->tokens->len)
    return HIR_TOKEN_END;
  return g_array_index (parser->tokens, HirToken, parser->pos + offset).kind;
}

void
hir_parser_advance (HirParser *parser)
{
  if (!parser->panic && hir_parser_token (parser)->kind != HIR_TOKEN_END)
    parser->pos++;
}

gboolean
hir_parser_accept (HirParser *parser, HirTokenKind kind)
{
  if (hir_parser_peek (parser) != kind || parser->panic)
    return FALSE;
  hir_parser_advance (parser);
  return TRUE;
}

void
hir_parser_unexpected (HirParser *parser, const char *wanted)
{
  const HirToken *token;
  HirTokenKind kind = hir_parser_peek (parser);

  if (parser->panic)
    return;
  token = hir_parser_token (parser);
  if (kind == HIR_TOKEN_NEWLINE || kind == HIR_TOKEN_INDENT || kind == HIR_TOKEN_DEDENT ||
      kind == HIR_TOKEN_END)
    hir_parser_error (parser, token->start, "%s was expected, not the %s", wanted,
                      hir_token_kind_get_text (kind));
  else
    hir_parser_error (parser, token->start, "%s was expected, not '%.*s'", wanted,
                      (int) MIN (token->end - token->start, 40), parser->text + token->start);
}

gboolean
hir_parser_expect (HirParser *parser, HirTokenKind kind, const char *what)
{
  g_autofree char *wanted = NULL;

  if (hir_parser_accept (parser, kind))
    return TRUE;
  if (parser->panic)
    return FALSE;
  wanted = g_strdup_printf (kind == HIR_TOKEN_NEWLINE ? "the %s%s" : "'%s' %s",
                            hir_token_kind_get_text (kind), what);
  hir_parser_unexpected (parser, wanted);
  return FALSE;
}

gboolean
hir_parser_is_word (HirParser *parser, guint offset, const char *word)
{
  const HirToken *token;

  if (hir_parser_peek_at (parser, offset) != HIR_TOKEN_NAME)
    return FALSE;
  token = &g_array_index (parser->tokens, HirToken, parser->pos + offset);
  return token->end - token->start == strlen (word) &&
         memcmp (parser->text + token->start, word, token->end - token->start) == 0;
}

guint
hir_parser_last_end (HirParser *parser)
{
  return parser->pos > 0 ? g_array_index (parser->tokens, HirToken, parser->pos - 1).end
                         : hir_parser_token (parser)->start;
}

static void
report (HirParser *parser, guint offset, const char *format, va_list args)
{
  g_autofree char *raw = NULL, *message = NULL;

  parser->n_errors++;
  if (parser->diagnostics == NULL || parser->n_errors > HIR_PARSE_MAX_ERRORS)
    return;
  raw = g_strdup_vprintf (format, args);
  message = g_utf8_make_valid (raw, -1);
  g_ptr_array_add (parser->diagnostics,
                   hir_diagnostic_new (HIR_ERROR_SYNTAX,
                                       hir_script_get_pos (parser->script, offset), "%s",
                                       g_strdelimit (message, "\r\n", ' ')));
}

void
hir_parser_report (HirParser *parser, guint offset, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  if (!parser->panic)
    report (parser, offset, format, args);
  va_end (args);
}

void
hir_parser_error (HirParser *parser, guint offset, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  if (!parser->panic)
    report (parser, offset, format, args);
  va_end (args);
  parser->panic = TRUE;
}

gboolean
hir_parser_enter (HirParser *parser)
{
  if (parser->panic)
    return FALSE;
  if (parser->depth >= HIR_PARSE_MAX_DEPTH)
    {
      hir_parser_error (parser, hir_parser_token (parser)->start,
                        "nested too deeply: more than %d levels", HIR_PARSE_MAX_DEPTH);
      return FALSE;
    }
  parser->depth++;
  return TRUE;
}

void
hir_parser_leave (HirParser *parser)
{
  parser->depth--;
}

HirAst *
hir_parser_node (HirParser *parser, HirAstKind kind, guint start)
{
  HirAst *node = hir_arena_new0 (parser->arena, HirAst);

  node->kind = kind;
  node->start = node->end = start;
  return node;
}

HirAst *
hir_parser_finish (HirParser *parser, HirAst *node)
{
  HirAst *const children[] = { node->a, node->b, node->c };
  guint height = 0;

  for (guint i = 0; i < G_N_ELEMENTS (children); i++)
    if (children[i] != NULL)
      height = MAX (height, children[i]->height);
  for (guint i = 0; i < node->n_items; i++)
    if (node->items[i] != NULL)
      height = MAX (height, node->items[i]->height);
  node->end = MAX (hir_parser_last_end (parser), node->start);
  node->height = MIN (height + 1, G_MAXUINT16);
  if (node->height > HIR_AST_MAX_HEIGHT)
    {
      hir_parser_error (parser, node->start, "nested too deeply: more than %d levels",
                        HIR_AST_MAX_HEIGHT);
      return parser->error_node;
    }
  return node;
}

const char *
hir_parser_intern (HirParser *parser, const char *text, gsize length)
{
  GHashTable *names = parser->script->names;
  g_autofree char *key = NULL;
  const char *found;
  char small[64];

  for (gsize i = 0; i < length; i++)
    if ((guchar) text[i] >= 0x80)
      {
        /* As Python: names that are equal in normal form KC are the same. */
        key = g_utf8_normalize (text, length, G_NORMALIZE_ALL_COMPOSE);
        break;
      }
  if (key == NULL && length < sizeof small)
    {
      memcpy (small, text, length);
      small[length] = '\0';
    }
  else if (key == NULL)
    key = g_strndup (text, length);
  found = g_hash_table_lookup (names, key != NULL ? key : small);
  if (found == NULL)
    {
      found = hir_arena_strdup (parser->arena, key != NULL ? key : small);
      g_hash_table_add (names, (gpointer) found);
    }
  return found;
}

const char *
hir_parser_name (HirParser *parser, const char *what)
{
  const HirToken *token;

  if (hir_parser_peek (parser) != HIR_TOKEN_NAME)
    {
      hir_parser_unexpected (parser, what);
      return "";
    }
  token = hir_parser_token (parser);
  parser->pos++;
  return hir_parser_intern (parser, parser->text + token->start, token->end - token->start);
}

HirAst *
hir_parse_name (HirParser *parser, const char *what)
{
  HirAst *node = hir_parser_node (parser, HIR_AST_NAME, hir_parser_token (parser)->start);

  node->text = hir_parser_name (parser, what);
  return hir_parser_finish (parser, node);
}

void
hir_parser_push (HirParser *parser, HirAst *node)
{
  g_ptr_array_add (parser->stack, node);
}

HirAst **
hir_parser_take_array (HirParser *parser, guint mark, guint *n)
{
  HirAst **items;

  *n = parser->stack->len - mark;
  items = *n == 0 ? NULL
                  : hir_arena_memdup (parser->arena, parser->stack->pdata + mark,
                                      *n * sizeof (HirAst *));
  g_ptr_array_set_size (parser->stack, mark);
  return items;
}

void
hir_parser_take (HirParser *parser, guint mark, HirAst *node)
{
  node->items = hir_parser_take_array (parser, mark, &node->n_items);
}

void
hir_parser_recover (HirParser *parser)
{
  parser->panic = FALSE;
  while (hir_parser_token (parser)->kind != HIR_TOKEN_NEWLINE &&
         hir_parser_token (parser)->kind != HIR_TOKEN_END)
    parser->pos++;
  hir_parser_accept (parser, HIR_TOKEN_NEWLINE);
  if (hir_parser_peek_at (parser, 0) == HIR_TOKEN_INDENT)
    hir_parse_indented (parser);
}

static void parse_statement (HirParser *parser);

void
hir_parse_indented (HirParser *parser)
{
  hir_parser_advance (parser);
  while (hir_parser_peek_at (parser, 0) != HIR_TOKEN_DEDENT &&
         hir_parser_peek_at (parser, 0) != HIR_TOKEN_END)
    parse_statement (parser);
  hir_parser_accept (parser, HIR_TOKEN_DEDENT);
}

static void
parse_statement (HirParser *parser)
{
  guint start = parser->pos, mark = parser->stack->len;

  if (hir_parser_peek (parser) == HIR_TOKEN_INDENT)
    {
      hir_parser_report (parser, hir_parser_token (parser)->start,
                         "this line is indented without need");
      hir_parser_recover (parser);
      return;
    }
  if (!parser->panic && hir_parser_enter (parser))
    {
      hir_parse_compound (parser);
      hir_parser_leave (parser);
    }
  if (parser->panic)
    {
      g_ptr_array_set_size (parser->stack, mark);
      hir_parser_recover (parser);
    }
  if (parser->pos == start)
    parser->pos++;
}

static void
find_lines (HirScript *script)
{
  const char *text = script->source->text;
  guint zero = 0;

  g_array_append_val (script->line_starts, zero);
  for (guint i = 0; i < script->source->length; i++)
    {
      guint next = i + 1;

      if (text[i] == '\n' || (text[i] == '\r' && text[i + 1] != '\n'))
        g_array_append_val (script->line_starts, next);
    }
}

static HirScript *
script_new (HirSource *source)
{
  HirScript *script = g_new0 (HirScript, 1);

  script->source = hir_source_ref (source);
  script->arena = hir_arena_new ();
  script->names = g_hash_table_new (g_str_hash, g_str_equal);
  script->top_level = g_hash_table_new (g_str_hash, g_str_equal);
  script->functions = g_ptr_array_new ();
  script->line_starts = g_array_new (FALSE, FALSE, sizeof (guint));
  find_lines (script);
  return script;
}

static void
parser_init (HirParser *parser, HirScript *script, GPtrArray *diagnostics)
{
  *parser = (HirParser){ .script = script,
                         .text = script->source->text,
                         .arena = script->arena,
                         .diagnostics = diagnostics,
                         .stack = g_ptr_array_new () };
  parser->error_node = hir_parser_node (parser, HIR_AST_ERROR, 0);
  parser->tokens = hir_lex (parser->text, 0, script->source->length, FALSE, script->arena);
}

HirScript *
hir_script_parse (HirSource *source, GPtrArray *diagnostics)
{
  HirScript *script;
  HirParser parser;

  g_return_val_if_fail (source != NULL, NULL);
  script = script_new (source);
  parser_init (&parser, script, diagnostics);
  while (parser.pos < parser.tokens->len && hir_parser_peek_at (&parser, 0) != HIR_TOKEN_END)
    if (!hir_parser_accept (&parser, HIR_TOKEN_DEDENT)) /* left after an error */
      parse_statement (&parser);
  script->body = hir_parser_take_array (&parser, 0, &script->n_body);
  script->n_errors = parser.n_errors;
  for (guint i = 0; i < script->functions->len; i++)
    {
      HirAstFunction *function = script->functions->pdata[i];

      if (function->parent == NULL)
        g_hash_table_insert (script->top_level, (gpointer) function->name, function);
    }
  if (script->n_body > 0)
    {
      script->program = hir_arena_new0 (script->arena, HirAstFunction);
      script->program->name = HIR_SCRIPT_PROGRAM;
      script->program->node = script->body[0];
      script->program->body = script->body;
      script->program->n_body = script->n_body;
    }
  g_array_unref (parser.tokens);
  g_ptr_array_unref (parser.stack);
  return script;
}

HirScript *
hir_script_parse_expression (const char *text, HirAst **expression)
{
  HirSource *source = hir_source_new ("<text>", text, -1);
  HirScript *script = script_new (source);
  HirParser parser;

  hir_source_unref (source);
  parser_init (&parser, script, NULL);
  *expression = hir_parse_list_of_expressions (&parser);
  hir_parser_expect (&parser, HIR_TOKEN_NEWLINE, "");
  hir_parser_expect (&parser, HIR_TOKEN_END, "");
  g_array_unref (parser.tokens);
  g_ptr_array_unref (parser.stack);
  if (parser.n_errors > 0)
    g_clear_pointer (&script, hir_script_free);
  return script;
}
