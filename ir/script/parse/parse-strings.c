/* Parses literals: numbers, strings, bytes, and f-strings with their fields. */
#include "script/parse/parse-private.h"

#include <errno.h>
#include <math.h>
#include <string.h>

HirAst *
hir_parse_number (HirParser *parser)
{
  const HirToken *token = hir_parser_token (parser);
  HirAst *node = hir_parser_node (parser, HIR_AST_INT, token->start);
  GString *digits = g_string_new (NULL);
  gboolean hex;
  guint base = 10;
  char last;

  for (guint i = token->start; i < token->end; i++)
    if (parser->text[i] != '_')
      g_string_append_c (digits, parser->text[i]);
  hir_parser_advance (parser);
  last = digits->str[digits->len - 1];
  hex = digits->str[0] == '0' && strchr ("xX", digits->str[1]) != NULL && digits->len > 2;
  if (!hex && strchr ("jJ", last) != NULL)
    {
      node->kind = HIR_AST_IMAGINARY;
      node->d = g_ascii_strtod (digits->str, NULL);
    }
  else if (!hex && strpbrk (digits->str, ".eE") != NULL)
    {
      node->kind = HIR_AST_FLOAT;
      node->d = g_ascii_strtod (digits->str, NULL);
    }
  else
    {
      const char *start = digits->str;
      guint64 value;

      if (digits->len > 2 && digits->str[0] == '0' && g_ascii_isalpha (digits->str[1]))
        {
          base = hex ? 16 : strchr ("oO", digits->str[1]) != NULL ? 8 : 2;
          start += 2;
        }
      errno = 0;
      value = g_ascii_strtoull (start, NULL, base);
      node->i = (gint64) value;
      if (errno != 0 || value > G_MAXINT64)
        node->flags |= HIR_AST_FLAG_BIG;
    }
  g_string_free (digits, TRUE);
  return hir_parser_finish (parser, node);
}

static gboolean
append_code_point (HirParser *parser, GString *out, guint pos, guint64 code)
{
  if (code > 0x10ffff)
    {
      hir_parser_error (parser, pos, "this escape names no character");
      return FALSE;
    }
  /* UTF-8 cannot represent a lone surrogate. */
  g_string_append_unichar (out, code >= 0xd800 && code <= 0xdfff ? 0xfffd : code);
  return TRUE;
}

/* Decodes `\x41`, `\u0041` or `\U00000041`. Returns its end, or 0 after an error. */
static guint
decode_hex (
    HirParser *parser, GString *out, guint pos, guint end, guint n_digits, gboolean is_bytes)
{
  guint64 code = 0;

  for (guint i = 0; i < n_digits; i++)
    {
      int digit = pos + 2 + i < end ? g_ascii_xdigit_value (parser->text[pos + 2 + i]) : -1;

      if (digit < 0)
        {
          hir_parser_error (parser, pos, "the escape '\\%c' needs %u hexadecimal digits",
                            parser->text[pos + 1], n_digits);
          return 0;
        }
      code = code * 16 + digit;
    }
  if (is_bytes)
    g_string_append_c (out, (char) code);
  else if (!append_code_point (parser, out, pos, code))
    return 0;
  return pos + 2 + n_digits;
}

static guint
decode_octal (GString *out, const char *text, guint pos, guint end, gboolean is_bytes)
{
  guint code = 0, i;

  for (i = pos + 1; i < end && i < pos + 4 && text[i] >= '0' && text[i] <= '7'; i++)
    code = code * 8 + (text[i] - '0');
  if (is_bytes)
    g_string_append_c (out, (char) code);
  else
    g_string_append_unichar (out, code);
  return i;
}

/* Decodes the escape at @pos. Returns its end, or 0 after an error. */
static guint
decode_escape (HirParser *parser, GString *out, guint pos, guint end, gboolean is_bytes)
{
  static const char from[] = "\\'\"abfnrtv", to[] = "\\'\"\a\b\f\n\r\t\v";
  const char *text = parser->text;
  char c = pos + 1 < end ? text[pos + 1] : '\\';
  const char *found = c != '\0' ? strchr (from, c) : NULL;

  if (found != NULL)
    {
      g_string_append_c (out, to[found - from]);
      return pos + 2;
    }
  if (c == '\n')
    return pos + 2;
  if (c == '\r')
    return text[pos + 2] == '\n' ? pos + 3 : pos + 2;
  if (c >= '0' && c <= '7')
    return decode_octal (out, text, pos, end, is_bytes);
  if (c == 'x')
    return decode_hex (parser, out, pos, end, 2, is_bytes);
  if (!is_bytes && (c == 'u' || c == 'U'))
    return decode_hex (parser, out, pos, end, c == 'u' ? 4 : 8, FALSE);
  if (!is_bytes && c == 'N')
    {
      const char *close =
          pos + 2 < end && text[pos + 2] == '{' ? memchr (text + pos, '}', end - pos) : NULL;

      if (close == NULL)
        {
          hir_parser_error (parser, pos, "the escape '\\N' needs a name in braces");
          return 0;
        }
      /* Character names are not implemented because fusions do not need them; the escape is kept.
       * */
      g_string_append_len (out, text + pos, close + 1 - text - pos);
      return close + 1 - text;
    }
  g_string_append_c (out, '\\');
  return pos + 1;
}

/* Decodes the bytes [@start, @end). In an f-string, `{{` means `{`. */
static void
decode (HirParser *parser,
        GString *out,
        guint start,
        guint end,
        gboolean raw,
        gboolean is_bytes,
        gboolean is_f)
{
  const char *text = parser->text;

  for (guint pos = start; pos < end;)
    {
      if (text[pos] == '\\' && !raw)
        {
          pos = decode_escape (parser, out, pos, end, is_bytes);
          if (pos == 0)
            return;
          continue;
        }
      if (is_bytes && (guchar) text[pos] >= 0x80)
        {
          hir_parser_error (parser, pos, "bytes hold ASCII characters only; write others as \\x..");
          return;
        }
      g_string_append_c (out, text[pos]);
      if (is_f && (text[pos] == '{' || text[pos] == '}') && pos + 1 < end &&
          text[pos + 1] == text[pos])
        pos++;
      pos++;
    }
}

static HirAst *
make_string (HirParser *parser, HirAstKind kind, guint start, GString *value)
{
  HirAst *node = hir_parser_node (parser, kind, start);
  char *copy;

  /* Characters of invalid UTF-8 (including NUL) cannot be counted. */
  if (kind == HIR_AST_STRING && !g_utf8_validate_len (value->str, value->len, NULL))
    {
      g_autofree char *valid = g_utf8_make_valid (value->str, value->len);

      g_string_assign (value, valid);
    }
  copy = hir_arena_alloc (parser->arena, value->len + 1);
  memcpy (copy, value->str, value->len);
  node->text = copy;
  node->length = value->len;
  return hir_parser_finish (parser, node);
}

/* State of parsing an f-string: `literal` collects text until the next field. */
typedef struct
{
  GString *literal;
  guint literal_start;
  gboolean raw;
} Pieces;

static void
flush_literal (HirParser *parser, Pieces *pieces)
{
  if (pieces->literal->len == 0)
    return;
  hir_parser_push (parser,
                   make_string (parser, HIR_AST_STRING, pieces->literal_start, pieces->literal));
  g_string_truncate (pieces->literal, 0);
}

static void
parse_pieces (HirParser *parser, Pieces *pieces, guint start, guint end, gboolean in_format);

/* Parses the expression of a field, the bytes [@start, @end). */
static HirAst *
parse_field_expression (HirParser *parser, guint start, guint end, gboolean *is_debug)
{
  GArray *tokens = parser->tokens;
  guint pos = parser->pos;
  HirAst *node;

  parser->tokens = hir_lex (parser->text, start, end, TRUE, parser->arena);
  parser->pos = 0;
  if (hir_parser_peek_at (parser, 0) == HIR_TOKEN_END)
    hir_parser_error (parser, start, "a field of an f-string needs an expression");
  node = hir_parser_peek (parser) == HIR_TOKEN_YIELD ? hir_parse_yield (parser)
                                                     : hir_parse_list_of_expressions (parser);
  *is_debug = hir_parser_accept (parser, HIR_TOKEN_ASSIGN);
  if (hir_parser_peek (parser) != HIR_TOKEN_END)
    hir_parser_unexpected (parser, "the end of the field");
  g_array_unref (parser->tokens);
  parser->tokens = tokens;
  parser->pos = pos;
  return node;
}

static void
parse_conversion (HirParser *parser, HirAst *field, guint bang, guint end)
{
  g_autofree char *text = g_strstrip (g_strndup (parser->text + bang + 1, end - bang - 1));

  if (strlen (text) != 1 || strchr ("rsa", text[0]) == NULL)
    hir_parser_error (parser, bang, "after '!' one of r, s, a is expected");
  else
    field->op = text[0];
}

/* Parses the field whose contents start at @start. Returns the offset after its brace. */
static guint
parse_field (HirParser *parser, Pieces *pieces, guint start, guint limit)
{
  const char *message = NULL;
  guint colon, bang, end = hir_lex_field (parser->text, start, limit, &colon, &bang, &message),
                     stop;
  HirAst *field = hir_parser_node (parser, HIR_AST_FIELD, start);
  gboolean is_debug = FALSE;

  if (end == 0)
    {
      hir_parser_error (parser, start - 1, "%s", message);
      return limit;
    }
  stop = bang != 0 ? bang : colon != 0 ? colon : end;
  if (!hir_parser_enter (parser))
    return limit;
  field->a = parse_field_expression (parser, start, stop, &is_debug);
  if (is_debug)
    field->text = hir_arena_memdup (parser->arena, parser->text + start, stop - start + 1);
  if (is_debug)
    ((char *) field->text)[stop - start] = '\0';
  if (bang != 0)
    parse_conversion (parser, field, bang, colon != 0 ? colon : end);
  if (colon != 0)
    {
      Pieces format = { g_string_new (NULL), colon + 1, pieces->raw };
      guint mark = parser->stack->len;

      field->b = hir_parser_node (parser, HIR_AST_FSTRING, colon + 1);
      parse_pieces (parser, &format, colon + 1, end, TRUE);
      flush_literal (parser, &format);
      hir_parser_take (parser, mark, field->b);
      field->b = hir_parser_finish (parser, field->b);
      g_string_free (format.literal, TRUE);
    }
  hir_parser_leave (parser);
  field = hir_parser_finish (parser, field);
  if (!parser->panic)
    field->end = end;
  hir_parser_push (parser, field);
  return end + 1;
}

static void
parse_pieces (HirParser *parser, Pieces *pieces, guint start, guint end, gboolean in_format)
{
  const char *text = parser->text;
  guint from = start;

  for (guint pos = start; pos < end && !parser->panic;)
    {
      char c = text[pos];

      if (c == '\\' && !pieces->raw && pos + 2 < end && text[pos + 1] == 'N' &&
          text[pos + 2] == '{')
        {
          const char *close = memchr (text + pos, '}', end - pos);

          pos = close != NULL ? close + 1 - text : end;
        }
      else if (c == '\\')
        pos += pos + 1 < end && strchr ("{}", text[pos + 1]) != NULL ? 1 : 2;
      else if (!in_format && (c == '{' || c == '}') && pos + 1 < end && text[pos + 1] == c)
        pos += 2;
      else if (c == '{')
        {
          decode (parser, pieces->literal, from, pos, pieces->raw, FALSE, !in_format);
          flush_literal (parser, pieces);
          pos = from = parse_field (parser, pieces, pos + 1, end);
          pieces->literal_start = from;
        }
      else if (c == '}')
        hir_parser_error (parser, pos, "a lone '}' in an f-string; write '}}'");
      else
        pos++;
    }
  if (!parser->panic)
    decode (parser, pieces->literal, MIN (from, end), end, pieces->raw, FALSE, !in_format);
}

/* Finds the contents and the prefix flags of a string token. */
static void
split_token (HirParser *parser,
             const HirToken *token,
             guint *start,
             guint *end,
             gboolean *raw,
             gboolean *is_bytes)
{
  const char *text = parser->text;
  guint pos = token->start, n;

  *raw = *is_bytes = FALSE;
  for (; text[pos] != '"' && text[pos] != '\''; pos++)
    {
      *raw = *raw || text[pos] == 'r' || text[pos] == 'R';
      *is_bytes = *is_bytes || text[pos] == 'b' || text[pos] == 'B';
    }
  n = token->end - pos >= 6 && text[pos + 1] == text[pos] && text[pos + 2] == text[pos] ? 3 : 1;
  *start = pos + n;
  *end = token->end - n;
}

HirAst *
hir_parse_strings (HirParser *parser)
{
  guint token_start = hir_parser_token (parser)->start, mark = parser->stack->len;
  Pieces pieces = { g_string_new (NULL), token_start, FALSE };
  gboolean any_f = FALSE, any_bytes = FALSE, any_text = FALSE;
  HirAst *node;

  while ((hir_parser_peek (parser) == HIR_TOKEN_STRING ||
          hir_parser_peek (parser) == HIR_TOKEN_FSTRING) &&
         !parser->panic)
    {
      HirToken token = *hir_parser_token (parser);
      guint start, end;
      gboolean is_bytes;

      split_token (parser, &token, &start, &end, &pieces.raw, &is_bytes);
      any_bytes = any_bytes || is_bytes;
      any_text = any_text || !is_bytes;
      if (any_bytes && any_text)
        hir_parser_error (parser, token.start, "bytes and text cannot be joined");
      hir_parser_advance (parser);
      if (token.kind == HIR_TOKEN_FSTRING)
        {
          any_f = TRUE;
          parse_pieces (parser, &pieces, start, end, FALSE);
        }
      else
        decode (parser, pieces.literal, start, end, pieces.raw, is_bytes, FALSE);
    }
  if (!any_f)
    node = make_string (parser, any_bytes ? HIR_AST_BYTES : HIR_AST_STRING, token_start,
                        pieces.literal);
  else
    {
      flush_literal (parser, &pieces);
      node = hir_parser_node (parser, HIR_AST_FSTRING, token_start);
      hir_parser_take (parser, mark, node);
      node = hir_parser_finish (parser, node);
    }
  g_string_free (pieces.literal, TRUE);
  return node;
}
