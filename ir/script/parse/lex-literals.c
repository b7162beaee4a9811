/* Lexes indentation, numbers and strings. */
#include "script/parse/lex-private.h"

#include <string.h>

void
hir_lexer_push (HirLexer *lexer, HirTokenKind kind, guint start, guint end, const char *message)
{
  HirToken token = { kind, start, end, message };

  g_array_append_val (lexer->tokens, token);
}

void
hir_lexer_error (HirLexer *lexer, guint start, guint end, const char *message)
{
  hir_lexer_push (lexer, HIR_TOKEN_ERROR, start, end, message);
}

guint
hir_lexer_line_end (const HirLexer *lexer, guint pos)
{
  if (pos >= lexer->end)
    return 0;
  if (lexer->text[pos] == '\n')
    return 1;
  if (lexer->text[pos] == '\r')
    return pos + 1 < lexer->end && lexer->text[pos + 1] == '\n' ? 2 : 1;
  return 0;
}

/* Compares an indentation with that of the innermost block: -1 less, 0 equal, 1 more, -2 ambiguous.
 * */
static int
compare_indent (const HirLexer *lexer, guint column, guint alt_column)
{
  guint top = lexer->n_indents > 0 ? lexer->indents[lexer->n_indents - 1].column : 0;
  guint alt_top = lexer->n_indents > 0 ? lexer->indents[lexer->n_indents - 1].alt_column : 0;

  if (column == top)
    return alt_column == alt_top ? 0 : -2;
  if (column > top)
    return alt_column > alt_top ? 1 : -2;
  return alt_column < alt_top ? -1 : -2;
}

static void
apply_indent (HirLexer *lexer, guint column, guint alt_column)
{
  guint pos = lexer->pos;
  int order = compare_indent (lexer, column, alt_column);

  if (order == -2)
    {
      hir_lexer_error (lexer, lexer->line_start, pos,
                       "tabs and spaces are mixed in the indentation");
      return;
    }
  if (order == 1)
    {
      if (lexer->n_indents == HIR_LEX_MAX_INDENTS)
        {
          hir_lexer_error (lexer, pos, pos,
                           "nested too deeply: more than 100 levels of indentation");
          return;
        }
      lexer->indents[lexer->n_indents].column = column;
      lexer->indents[lexer->n_indents++].alt_column = alt_column;
      hir_lexer_push (lexer, HIR_TOKEN_INDENT, pos, pos, NULL);
      return;
    }
  while (lexer->n_indents > 0 && lexer->indents[lexer->n_indents - 1].column > column)
    {
      lexer->n_indents--;
      hir_lexer_push (lexer, HIR_TOKEN_DEDENT, pos, pos, NULL);
    }
  if ((lexer->n_indents > 0 ? lexer->indents[lexer->n_indents - 1].column : 0) != column)
    hir_lexer_error (lexer, pos, pos, "this indentation matches no block around it");
}

void
hir_lexer_indentation (HirLexer *lexer)
{
  guint column = 0, alt_column = 0, continued = 0, alt_continued = 0, line_end;

  lexer->line_start = lexer->pos;
  for (; lexer->pos < lexer->end; lexer->pos++)
    {
      char c = lexer->text[lexer->pos];

      if (c == ' ')
        column++, alt_column++;
      else if (c == '\t')
        column = (column / 8 + 1) * 8, alt_column++;
      else if (c == '\f')
        column = alt_column = 0;
      else if (c == '\\' && (line_end = hir_lexer_line_end (lexer, lexer->pos + 1)) > 0)
        {
          /* The indentation continues on the next line; the first part that is not empty counts. */
          if (continued == 0)
            continued = column, alt_continued = alt_column;
          column = alt_column = 0;
          lexer->pos += line_end;
        }
      else
        break;
    }
  if (lexer->pos >= lexer->end)
    return;
  if (continued > 0)
    column = continued, alt_column = alt_continued;
  if (lexer->text[lexer->pos] == '#')
    while (lexer->pos < lexer->end && hir_lexer_line_end (lexer, lexer->pos) == 0)
      lexer->pos++;
  line_end = hir_lexer_line_end (lexer, lexer->pos);
  if (line_end > 0 || lexer->pos >= lexer->end)
    {
      /* A blank line or a comment is not a logical line. */
      lexer->pos += line_end;
      return;
    }
  apply_indent (lexer, column, alt_column);
  lexer->at_line_start = FALSE;
  lexer->first_in_line = TRUE;
}

static gboolean
is_digit_of (char c, guint base)
{
  int value = g_ascii_xdigit_value (c);

  return value >= 0 && (guint) value < base;
}

/* Scans digits with single underscores between them. Returns FALSE if an underscore is misplaced.
 * */
static gboolean
scan_digits (HirLexer *lexer, guint base)
{
  const char *text = lexer->text;
  guint start = lexer->pos;

  while (lexer->pos < lexer->end)
    {
      if (is_digit_of (text[lexer->pos], base))
        lexer->pos++;
      else if (text[lexer->pos] == '_')
        {
          lexer->pos++;
          if (lexer->pos >= lexer->end || !is_digit_of (text[lexer->pos], base))
            return FALSE;
        }
      else
        break;
    }
  return lexer->pos > start;
}

static gboolean
peek_is (const HirLexer *lexer, guint offset, const char *set)
{
  guint pos = lexer->pos + offset;

  return pos < lexer->end && lexer->text[pos] != '\0' && strchr (set, lexer->text[pos]) != NULL;
}

/* A keyword may follow a number without a space (`1if x else y`); other letters may not. */
static gboolean
may_follow_number (const HirLexer *lexer)
{
  static const char *const words[] = { "and", "else", "for", "if", "in", "is", "not", "or" };
  guint pos = lexer->pos;
  guchar c = pos < lexer->end ? lexer->text[pos] : ' ';

  if (!g_ascii_isalnum (c) && c != '_' && c < 0x80)
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (lexer->end - pos >= strlen (words[i]) &&
        strncmp (lexer->text + pos, words[i], strlen (words[i])) == 0)
      return TRUE;
  return FALSE;
}

static const char *
scan_decimal (HirLexer *lexer)
{
  guint start = lexer->pos;
  gboolean is_float = FALSE;

  if (!peek_is (lexer, 0, ".") && !scan_digits (lexer, 10))
    return "an underscore in a number must be between two digits";
  if (peek_is (lexer, 0, "."))
    {
      is_float = TRUE;
      lexer->pos++;
      if (peek_is (lexer, 0, "0123456789") && !scan_digits (lexer, 10))
        return "an underscore in a number must be between two digits";
    }
  if (peek_is (lexer, 0, "eE") && (peek_is (lexer, 1, "0123456789") ||
                                   (peek_is (lexer, 1, "+-") && peek_is (lexer, 2, "0123456789"))))
    {
      is_float = TRUE;
      lexer->pos += peek_is (lexer, 1, "+-") ? 2 : 1;
      if (!scan_digits (lexer, 10))
        return "an underscore in a number must be between two digits";
    }
  if (peek_is (lexer, 0, "jJ"))
    {
      is_float = TRUE;
      lexer->pos++;
    }
  if (!is_float && lexer->text[start] == '0')
    for (guint i = start; i < lexer->pos; i++)
      if (lexer->text[i] != '0' && lexer->text[i] != '_')
        return "a decimal number cannot begin with 0; write 0o for octal";
  return NULL;
}

void
hir_lexer_number (HirLexer *lexer)
{
  guint start = lexer->pos;
  const char *message = NULL;

  if (peek_is (lexer, 0, "0") && peek_is (lexer, 1, "xXoObB"))
    {
      char c = g_ascii_tolower (lexer->text[lexer->pos + 1]);

      lexer->pos += 2;
      if (peek_is (lexer, 0, "_"))
        lexer->pos++;
      if (!scan_digits (lexer, c == 'x' ? 16 : c == 'o' ? 8 : 2))
        message = "this number lacks its digits";
    }
  else
    message = scan_decimal (lexer);
  if (message == NULL && !may_follow_number (lexer))
    message = "letters follow this number directly; separate them";
  if (message != NULL)
    {
      while (lexer->pos < lexer->end &&
             (g_ascii_isalnum (lexer->text[lexer->pos]) || lexer->text[lexer->pos] == '_'))
        lexer->pos++;
      hir_lexer_error (lexer, start, MAX (lexer->pos, start + 1), message);
      lexer->pos = MAX (lexer->pos, start + 1);
      return;
    }
  hir_lexer_push (lexer, HIR_TOKEN_NUMBER, start, lexer->pos, NULL);
}

static gboolean
is_quote_at (const char *text, guint pos, guint end, char quote, guint n)
{
  return text[pos] == quote &&
         (n == 1 || (end - pos >= 3 && text[pos + 1] == quote && text[pos + 2] == quote));
}

/* Returns the offset of the closing quote, or 0. @n is the number of quotes, 1 or 3. */
static guint
find_plain_end (const char *text, guint pos, guint end, char quote, guint n)
{
  for (; pos < end; pos++)
    {
      if (text[pos] == '\\')
        pos += text[pos + 1] == '\r' && pos + 2 < end && text[pos + 2] == '\n' ? 2 : 1;
      else if (n == 1 && (text[pos] == '\n' || text[pos] == '\r'))
        return 0;
      else if (is_quote_at (text, pos, end, quote, n))
        return pos;
    }
  return 0;
}

/* State of the search for the end of an f-string or a field. */
typedef struct
{
  const char *text;
  guint end;
  guint depth; /* nesting of f-strings and fields */
  guint seen;  /* end of the scanned text */
} Scan;

#define MAX_F_DEPTH 50

static guint scan_field (Scan *scan, guint pos, char quote, guint n, guint *colon, guint *bang);

/* Like find_plain_end(), but for an f-string. As in Python 3.12, a quote inside a field does not
 * end the string; text that was valid before 3.12 is unaffected. */
static guint
find_f_end (Scan *scan, guint pos, char quote, guint n, gboolean raw)
{
  const char *text = scan->text;
  guint colon, bang;

  while (pos < scan->end)
    {
      char c = text[pos];

      if (c == '\\' && !raw && text[pos + 1] == 'N' && pos + 2 < scan->end && text[pos + 2] == '{')
        pos += 3;
      else if (c == '\\')
        pos += text[pos + 1] == '{' || text[pos + 1] == '}' ? 1 : 2;
      else if (n == 1 && (c == '\n' || c == '\r'))
        break;
      else if (is_quote_at (text, pos, scan->end, quote, n))
        return pos;
      else if (c == '{' && pos + 1 < scan->end && text[pos + 1] == '{')
        pos += 2;
      else if (c == '{')
        {
          pos = scan_field (scan, pos + 1, quote, n, &colon, &bang);
          if (pos == 0)
            return 0;
          pos++;
        }
      else
        pos++;
    }
  scan->seen = MAX (scan->seen, pos);
  return 0;
}

/* Returns the offset after the string whose quote is at @pos, or 0 if it has no end. */
static guint
skip_string (Scan *scan, guint pos)
{
  const char *text = scan->text;
  char quote = text[pos];
  guint n = is_quote_at (text, pos, scan->end, quote, 3) ? 3 : 1, end;
  char before = pos > 0 ? g_ascii_tolower (text[pos - 1]) : 0;
  char before2 = pos > 1 ? g_ascii_tolower (text[pos - 2]) : 0;
  gboolean raw = before == 'r' || (before == 'f' && before2 == 'r');

  if (before == 'f' || (before == 'r' && before2 == 'f'))
    {
      if (scan->depth++ == MAX_F_DEPTH)
        return 0;
      end = find_f_end (scan, pos + n, quote, n, raw);
      scan->depth--;
    }
  else
    end = find_plain_end (text, pos + n, scan->end, quote, n);
  return end == 0 ? 0 : end + n;
}

/* Returns the offset of the `}` of the field that starts at @pos, or 0. @quote and @n describe the
 * enclosing f-string, whose quote ends a format. */
static guint
scan_field (Scan *scan, guint pos, char quote, guint n, guint *colon, guint *bang)
{
  const char *text = scan->text;
  guint brackets = 0, inner_colon, inner_bang;

  *colon = *bang = 0;
  if (scan->depth++ >= MAX_F_DEPTH)
    return 0;
  for (; pos < scan->end; pos++)
    {
      char c = text[pos];

      if (*colon != 0 ? c == '}' : c == '}' && brackets == 0)
        {
          scan->depth--;
          return pos;
        }
      if (*colon != 0)
        {
          if (quote != 0 && is_quote_at (text, pos, scan->end, quote, n))
            break;
          if (c == '{' &&
              (pos = scan_field (scan, pos + 1, quote, n, &inner_colon, &inner_bang)) == 0)
            break;
        }
      else if (c == '"' || c == '\'')
        {
          guint after = skip_string (scan, pos);

          if (after == 0)
            break;
          pos = after - 1;
        }
      else if (c == '#')
        {
          while (pos + 1 < scan->end && text[pos + 1] != '\n' && text[pos + 1] != '\r')
            pos++;
        }
      else if (c == '(' || c == '[' || c == '{')
        brackets++;
      else if (brackets > 0 && (c == ')' || c == ']' || c == '}'))
        brackets--;
      else if (c == '!' && brackets == 0 && text[pos + 1] != '=' && *bang == 0)
        *bang = pos;
      else if (c == ':' && brackets == 0)
        *colon = pos;
    }
  scan->depth--;
  scan->seen = MAX (scan->seen, pos);
  return 0;
}

guint
hir_lex_field (
    const char *text, guint start, guint limit, guint *colon, guint *bang, const char **message)
{
  Scan scan = { .text = text, .end = limit };
  guint end = scan_field (&scan, start, 0, 0, colon, bang);

  if (end == 0)
    *message = "a field of this f-string is never closed: '}' is missing";
  return end;
}

/* Limit of the bytes scanned in vain for ends of invalid f-strings, which keeps lexing linear.
 * Beyond it, f-strings end at the first quote. */
#define MAX_WASTED (1u << 22)

static guint
find_end (HirLexer *lexer, guint pos, char quote, guint n, gboolean is_f, gboolean raw)
{
  Scan scan = { .text = lexer->text, .end = lexer->end };
  guint end = 0;

  if (is_f && lexer->wasted < MAX_WASTED)
    {
      end = find_f_end (&scan, pos, quote, n, raw);
      if (end == 0)
        lexer->wasted += MAX (scan.seen, pos) - pos;
    }
  /* An f-string with an invalid field ends like a plain string; the parser then reports the field.
   * */
  if (end == 0)
    end = find_plain_end (lexer->text, pos, lexer->end, quote, n);
  return end;
}

void
hir_lexer_string (HirLexer *lexer, guint start, guint quote, gboolean is_f)
{
  const char *text = lexer->text;
  char c = text[quote];
  guint n = lexer->end - quote >= 3 && text[quote + 1] == c && text[quote + 2] == c ? 3 : 1;
  gboolean raw = quote > start &&
                 (g_ascii_tolower (text[start]) == 'r' || g_ascii_tolower (text[quote - 1]) == 'r');
  guint end = find_end (lexer, quote + n, c, n, is_f, raw);

  if (end == 0 || end >= lexer->end)
    {
      hir_lexer_error (lexer, start, quote + n,
                       n == 3 ? "this triple-quoted string is never closed"
                              : "this string is not closed on its line");
      if (n == 3)
        lexer->pos = lexer->end;
      else
        for (lexer->pos = quote + 1;
             lexer->pos < lexer->end && hir_lexer_line_end (lexer, lexer->pos) == 0;)
          lexer->pos++;
      return;
    }
  hir_lexer_push (lexer, is_f ? HIR_TOKEN_FSTRING : HIR_TOKEN_STRING, start, end + n, NULL);
  lexer->pos = end + n;
}
