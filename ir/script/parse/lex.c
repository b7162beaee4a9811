#include "script/parse/lex-private.h"

#include <string.h>

static const char *const token_texts[HIR_N_TOKENS] = {
  [HIR_TOKEN_END] = "end of file",
  [HIR_TOKEN_NEWLINE] = "end of line",
  [HIR_TOKEN_INDENT] = "indentation",
  [HIR_TOKEN_DEDENT] = "end of the block",
  [HIR_TOKEN_ERROR] = "error",
  [HIR_TOKEN_NAME] = "a name",
  [HIR_TOKEN_NUMBER] = "a number",
  [HIR_TOKEN_STRING] = "a string",
  [HIR_TOKEN_FSTRING] = "an f-string",
  [HIR_TOKEN_FALSE] = "False",
  [HIR_TOKEN_NONE] = "None",
  [HIR_TOKEN_TRUE] = "True",
  [HIR_TOKEN_AND] = "and",
  [HIR_TOKEN_AS] = "as",
  [HIR_TOKEN_ASSERT] = "assert",
  [HIR_TOKEN_ASYNC] = "async",
  [HIR_TOKEN_AWAIT] = "await",
  [HIR_TOKEN_BREAK] = "break",
  [HIR_TOKEN_CLASS] = "class",
  [HIR_TOKEN_CONTINUE] = "continue",
  [HIR_TOKEN_DEF] = "def",
  [HIR_TOKEN_DEL] = "del",
  [HIR_TOKEN_ELIF] = "elif",
  [HIR_TOKEN_ELSE] = "else",
  [HIR_TOKEN_EXCEPT] = "except",
  [HIR_TOKEN_FINALLY] = "finally",
  [HIR_TOKEN_FOR] = "for",
  [HIR_TOKEN_FROM] = "from",
  [HIR_TOKEN_GLOBAL] = "global",
  [HIR_TOKEN_IF] = "if",
  [HIR_TOKEN_IMPORT] = "import",
  [HIR_TOKEN_IN] = "in",
  [HIR_TOKEN_IS] = "is",
  [HIR_TOKEN_LAMBDA] = "lambda",
  [HIR_TOKEN_NONLOCAL] = "nonlocal",
  [HIR_TOKEN_NOT] = "not",
  [HIR_TOKEN_OR] = "or",
  [HIR_TOKEN_PASS] = "pass",
  [HIR_TOKEN_RAISE] = "raise",
  [HIR_TOKEN_RETURN] = "return",
  [HIR_TOKEN_TRY] = "try",
  [HIR_TOKEN_WHILE] = "while",
  [HIR_TOKEN_WITH] = "with",
  [HIR_TOKEN_YIELD] = "yield",
  [HIR_TOKEN_LPAREN] = "(",
  [HIR_TOKEN_RPAREN] = ")",
  [HIR_TOKEN_LBRACKET] = "[",
  [HIR_TOKEN_RBRACKET] = "]",
  [HIR_TOKEN_LBRACE] = "{",
  [HIR_TOKEN_RBRACE] = "}",
  [HIR_TOKEN_COMMA] = ",",
  [HIR_TOKEN_COLON] = ":",
  [HIR_TOKEN_SEMICOLON] = ";",
  [HIR_TOKEN_DOT] = ".",
  [HIR_TOKEN_ELLIPSIS] = "...",
  [HIR_TOKEN_ARROW] = "->",
  [HIR_TOKEN_WALRUS] = ":=",
  [HIR_TOKEN_ASSIGN] = "=",
  [HIR_TOKEN_PLUS] = "+",
  [HIR_TOKEN_MINUS] = "-",
  [HIR_TOKEN_STAR] = "*",
  [HIR_TOKEN_SLASH] = "/",
  [HIR_TOKEN_DOUBLE_SLASH] = "//",
  [HIR_TOKEN_PERCENT] = "%",
  [HIR_TOKEN_AT] = "@",
  [HIR_TOKEN_AMPERSAND] = "&",
  [HIR_TOKEN_BAR] = "|",
  [HIR_TOKEN_CARET] = "^",
  [HIR_TOKEN_LSHIFT] = "<<",
  [HIR_TOKEN_RSHIFT] = ">>",
  [HIR_TOKEN_DOUBLE_STAR] = "**",
  [HIR_TOKEN_PLUS_ASSIGN] = "+=",
  [HIR_TOKEN_MINUS_ASSIGN] = "-=",
  [HIR_TOKEN_STAR_ASSIGN] = "*=",
  [HIR_TOKEN_SLASH_ASSIGN] = "/=",
  [HIR_TOKEN_DOUBLE_SLASH_ASSIGN] = "//=",
  [HIR_TOKEN_PERCENT_ASSIGN] = "%=",
  [HIR_TOKEN_AT_ASSIGN] = "@=",
  [HIR_TOKEN_AMPERSAND_ASSIGN] = "&=",
  [HIR_TOKEN_BAR_ASSIGN] = "|=",
  [HIR_TOKEN_CARET_ASSIGN] = "^=",
  [HIR_TOKEN_LSHIFT_ASSIGN] = "<<=",
  [HIR_TOKEN_RSHIFT_ASSIGN] = ">>=",
  [HIR_TOKEN_DOUBLE_STAR_ASSIGN] = "**=",
  [HIR_TOKEN_TILDE] = "~",
  [HIR_TOKEN_EQ] = "==",
  [HIR_TOKEN_NE] = "!=",
  [HIR_TOKEN_LT] = "<",
  [HIR_TOKEN_LE] = "<=",
  [HIR_TOKEN_GT] = ">",
  [HIR_TOKEN_GE] = ">=",
};

const char *
hir_token_kind_get_text (HirTokenKind kind)
{
  g_return_val_if_fail ((guint) kind < HIR_N_TOKENS, "");
  return token_texts[kind];
}

static gboolean
is_name_start (guchar c)
{
  return g_ascii_isalpha (c) || c == '_' || c >= 0x80;
}

static HirTokenKind
lookup_keyword (const char *text, guint length)
{
  if (length < 2 || length > 8)
    return HIR_TOKEN_NAME;
  for (guint kind = HIR_TOKEN_FALSE; kind <= HIR_TOKEN_YIELD; kind++)
    if (token_texts[kind][0] == text[0] && strncmp (token_texts[kind], text, length) == 0 &&
        token_texts[kind][length] == '\0')
      return kind;
  return HIR_TOKEN_NAME;
}

/* Returns TRUE for keywords that start a statement and never occur in an expression. Such a keyword
 * as the first token of a line inside brackets means that a bracket was not closed. */
static gboolean
starts_statement (HirTokenKind kind)
{
  switch (kind)
    {
    case HIR_TOKEN_ASSERT:
    case HIR_TOKEN_BREAK:
    case HIR_TOKEN_CLASS:
    case HIR_TOKEN_CONTINUE:
    case HIR_TOKEN_DEF:
    case HIR_TOKEN_DEL:
    case HIR_TOKEN_ELIF:
    case HIR_TOKEN_EXCEPT:
    case HIR_TOKEN_FINALLY:
    case HIR_TOKEN_GLOBAL:
    case HIR_TOKEN_IMPORT:
    case HIR_TOKEN_NONLOCAL:
    case HIR_TOKEN_PASS:
    case HIR_TOKEN_RAISE:
    case HIR_TOKEN_RETURN:
    case HIR_TOKEN_TRY:
    case HIR_TOKEN_WHILE:
    case HIR_TOKEN_WITH:
      return TRUE;
    default:
      return FALSE;
    }
}

/* XID_Start and XID_Continue of UAX 31, by general category. */
static gboolean
is_identifier_char (gunichar c, gboolean first)
{
  switch (g_unichar_type (c))
    {
    case G_UNICODE_LOWERCASE_LETTER:
    case G_UNICODE_MODIFIER_LETTER:
    case G_UNICODE_OTHER_LETTER:
    case G_UNICODE_TITLECASE_LETTER:
    case G_UNICODE_UPPERCASE_LETTER:
    case G_UNICODE_LETTER_NUMBER:
      return TRUE;
    case G_UNICODE_SPACING_MARK:
    case G_UNICODE_NON_SPACING_MARK:
    case G_UNICODE_DECIMAL_NUMBER:
    case G_UNICODE_CONNECT_PUNCTUATION:
      return !first;
    default:
      return c == 0x2118 || c == 0x212e || c == 0x309b || c == 0x309c ||
             (!first && (c == 0xb7 || c == 0x387 || c == 0x19da || (c >= 0x1369 && c <= 0x1371)));
    }
}

/* Returns the end of the name at @pos. */
static guint
scan_name (HirLexer *lexer, guint pos)
{
  const char *text = lexer->text;
  gboolean first = TRUE;

  while (pos < lexer->end)
    {
      guchar c = text[pos];

      if (g_ascii_isalnum (c) || c == '_')
        pos++;
      else if (c >= 0x80)
        {
          gunichar u = g_utf8_get_char_validated (text + pos, lexer->end - pos);

          if (u == (gunichar) -1 || u == (gunichar) -2 || !is_identifier_char (u, first))
            break;
          pos = g_utf8_next_char (text + pos) - text;
        }
      else
        break;
      first = FALSE;
    }
  return pos;
}

/* Returns TRUE for a string prefix: r, b, u, f, br, rb, fr or rf in any case. */
static gboolean
is_string_prefix (const char *text, guint length, gboolean *is_f)
{
  char a = g_ascii_tolower (text[0]), b = length > 1 ? g_ascii_tolower (text[1]) : 0;

  *is_f = a == 'f' || b == 'f';
  if (length == 1)
    return strchr ("rbuf", a) != NULL;
  return length == 2 &&
         ((a == 'r' && (b == 'b' || b == 'f')) || (b == 'r' && (a == 'b' || a == 'f')));
}

static void
lex_bad_char (HirLexer *lexer)
{
  guint start = lexer->pos;
  gunichar u = g_utf8_get_char_validated (lexer->text + start, lexer->end - start);
  g_autofree char *message = NULL;

  if (lexer->text[start] == '\0')
    {
      hir_lexer_error (lexer, start, start + 1, "a script cannot contain a NUL byte");
      lexer->pos++;
      return;
    }
  if (u == (gunichar) -1 || u == (gunichar) -2)
    {
      hir_lexer_error (lexer, start, start + 1, "this byte is not valid UTF-8");
      lexer->pos++;
      return;
    }
  lexer->pos = g_utf8_next_char (lexer->text + start) - lexer->text;
  if (g_unichar_isprint (u))
    message = g_strdup_printf ("the character '%.*s' (U+%04X) is not allowed here",
                               (int) (lexer->pos - start), lexer->text + start, u);
  else
    message = g_strdup_printf ("the character U+%04X is not allowed here", u);
  hir_lexer_error (lexer, start, lexer->pos, hir_arena_strdup (lexer->arena, message));
}

static void
lex_name (HirLexer *lexer)
{
  guint start = lexer->pos, end = scan_name (lexer, start);
  const char *text = lexer->text;
  gboolean is_f = FALSE;
  HirTokenKind kind;

  if (end == start)
    {
      lex_bad_char (lexer);
      return;
    }
  if (end - start <= 2 && end < lexer->end && (text[end] == '"' || text[end] == '\'') &&
      is_string_prefix (text + start, end - start, &is_f))
    {
      hir_lexer_string (lexer, start, end, is_f);
      return;
    }
  kind = lookup_keyword (text + start, end - start);
  if (lexer->n_brackets > 0 && !lexer->in_field && lexer->first_in_line && starts_statement (kind))
    {
      hir_lexer_error (lexer, lexer->brackets[lexer->n_brackets - 1],
                       lexer->brackets[lexer->n_brackets - 1] + 1, "this bracket is never closed");
      lexer->n_brackets = 0;
      hir_lexer_push (lexer, HIR_TOKEN_NEWLINE, start, start, NULL);
      lexer->pos = lexer->line_start;
      lexer->at_line_start = TRUE;
      return;
    }
  hir_lexer_push (lexer, kind, start, end, NULL);
  lexer->pos = end;
}

static void
lex_bracket (HirLexer *lexer, char c, HirTokenKind kind)
{
  guint start = lexer->pos++;

  if (strchr ("([{", c) != NULL)
    {
      if (lexer->n_brackets == HIR_LEX_MAX_BRACKETS)
        {
          hir_lexer_error (lexer, start, start + 1,
                           "nested too deeply: more than " G_STRINGIFY (
                               HIR_LEX_MAX_BRACKETS) " brackets are open here");
          return;
        }
      lexer->brackets[lexer->n_brackets++] = start;
    }
  else if (lexer->n_brackets == (lexer->in_field ? 1 : 0))
    {
      hir_lexer_error (lexer, start, start + 1, "this bracket was never opened");
      return;
    }
  else
    {
      char open = lexer->text[lexer->brackets[--lexer->n_brackets]];

      if (open != (c == ')' ? '(' : c == ']' ? '[' : '{'))
        {
          g_autofree char *message =
              g_strdup_printf ("'%c' does not close the '%c' that is open", c, open);

          hir_lexer_error (lexer, start, start + 1, hir_arena_strdup (lexer->arena, message));
          return;
        }
    }
  hir_lexer_push (lexer, kind, start, start + 1, NULL);
}

/* Takes the longest operator at the position. */
static void
lex_operator (HirLexer *lexer)
{
  const char *text = lexer->text + lexer->pos;
  guint left = lexer->end - lexer->pos, best_length = 0;
  HirTokenKind best = HIR_TOKEN_ERROR;

  for (guint kind = HIR_TOKEN_LPAREN; kind < HIR_N_TOKENS; kind++)
    {
      guint length = strlen (token_texts[kind]);

      if (token_texts[kind][0] == text[0] && length > best_length && length <= left &&
          strncmp (token_texts[kind], text, length) == 0)
        {
          best = kind;
          best_length = length;
        }
    }
  if (best == HIR_TOKEN_ERROR)
    lex_bad_char (lexer);
  else if (best <= HIR_TOKEN_RBRACE)
    lex_bracket (lexer, text[0], best);
  else
    {
      hir_lexer_push (lexer, best, lexer->pos, lexer->pos + best_length, NULL);
      lexer->pos += best_length;
    }
}

static void
lex_line_end (HirLexer *lexer, guint length)
{
  if (lexer->n_brackets == 0)
    {
      hir_lexer_push (lexer, HIR_TOKEN_NEWLINE, lexer->pos, lexer->pos + length, NULL);
      lexer->at_line_start = TRUE;
    }
  lexer->pos += length;
  lexer->line_start = lexer->pos;
  lexer->first_in_line = TRUE;
}

static void
lex_backslash (HirLexer *lexer)
{
  guint length = hir_lexer_line_end (lexer, lexer->pos + 1);

  if (length > 0 && lexer->pos + 1 + length < lexer->end)
    lexer->pos += 1 + length;
  else if (length > 0 || lexer->pos + 1 >= lexer->end)
    {
      hir_lexer_error (lexer, lexer->pos, lexer->pos + 1,
                       "the file ends after a backslash that continues the line");
      lexer->pos = lexer->end;
    }
  else
    {
      hir_lexer_error (lexer, lexer->pos, lexer->pos + 1,
                       "a backslash continues a line and must be its last character");
      while (lexer->pos < lexer->end && hir_lexer_line_end (lexer, lexer->pos) == 0)
        lexer->pos++;
    }
}

static void
lex_token (HirLexer *lexer)
{
  guchar c = lexer->text[lexer->pos];
  guint line_end = hir_lexer_line_end (lexer, lexer->pos);

  if (line_end > 0)
    lex_line_end (lexer, line_end);
  else if (c == ' ' || c == '\t' || c == '\f')
    lexer->pos++;
  else if (c == '#')
    while (lexer->pos < lexer->end && hir_lexer_line_end (lexer, lexer->pos) == 0)
      lexer->pos++;
  else if (c == '\\')
    lex_backslash (lexer);
  else
    {
      if (is_name_start (c))
        lex_name (lexer);
      else if (g_ascii_isdigit (c) || (c == '.' && lexer->pos + 1 < lexer->end &&
                                       g_ascii_isdigit (lexer->text[lexer->pos + 1])))
        hir_lexer_number (lexer);
      else if (c == '"' || c == '\'')
        hir_lexer_string (lexer, lexer->pos, lexer->pos, FALSE);
      else
        lex_operator (lexer);
      lexer->first_in_line = FALSE;
    }
}

static void
lex_end (HirLexer *lexer)
{
  guint end = lexer->end;
  /* A copy, because an error appends a token, which can move the array. */
  HirToken last = { .kind = HIR_TOKEN_NEWLINE };

  if (lexer->tokens->len > 0)
    last = g_array_index (lexer->tokens, HirToken, lexer->tokens->len - 1);

  if (lexer->in_field)
    {
      if (lexer->n_brackets > 1)
        hir_lexer_error (lexer, lexer->brackets[lexer->n_brackets - 1],
                         lexer->brackets[lexer->n_brackets - 1] + 1,
                         "this bracket is never closed");
      hir_lexer_push (lexer, HIR_TOKEN_END, end, end, NULL);
      return;
    }
  if (lexer->n_brackets > 0)
    hir_lexer_error (lexer, lexer->brackets[lexer->n_brackets - 1],
                     lexer->brackets[lexer->n_brackets - 1] + 1, "this bracket is never closed");
  if (last.kind != HIR_TOKEN_NEWLINE && last.kind != HIR_TOKEN_DEDENT)
    hir_lexer_push (lexer, HIR_TOKEN_NEWLINE, end, end, NULL);
  for (; lexer->n_indents > 0; lexer->n_indents--)
    hir_lexer_push (lexer, HIR_TOKEN_DEDENT, end, end, NULL);
  hir_lexer_push (lexer, HIR_TOKEN_END, end, end, NULL);
}

GArray *
hir_lex (const char *text, guint start, guint end, gboolean in_brackets, HirArena *arena)
{
  HirLexer lexer = { .text = text,
                     .pos = start,
                     .end = end,
                     .arena = arena,
                     .in_field = in_brackets,
                     .at_line_start = !in_brackets,
                     .line_start = start,
                     .first_in_line = TRUE };

  lexer.tokens =
      g_array_sized_new (FALSE, FALSE, sizeof (HirToken), in_brackets ? 8 : (end - start) / 4 + 8);
  if (in_brackets)
    {
      /* The opening brace of the field. */
      lexer.brackets[0] = start;
      lexer.n_brackets = 1;
    }
  else if (end - start >= 3 && memcmp (text + start, "\xef\xbb\xbf", 3) == 0)
    lexer.pos = lexer.line_start = start + 3;
  while (lexer.pos < lexer.end)
    if (lexer.at_line_start)
      hir_lexer_indentation (&lexer);
    else
      lex_token (&lexer);
  lex_end (&lexer);
  return lexer.tokens;
}
