/* Lines and tokens of a dump. A token never spans lines. */
#include "dump/read-dump-internal.h"

#include <string.h>

HirDumpLines *
hir_dump_lines_new (HirSource *source)
{
  HirDumpLines *lines = g_new0 (HirDumpLines, 1);
  const char *text = source->text, *end = text + source->length;
  gsize start = 0;

  lines->source = hir_source_ref (source);
  lines->starts = g_array_new (FALSE, FALSE, sizeof (gsize));
  for (const char *at = text; at < end;)
    {
      const char *newline = memchr (at, '\n', (gsize) (end - at));

      g_array_append_val (lines->starts, start);
      at = newline != NULL ? newline + 1 : end;
      start = (gsize) (at - text);
    }
  start = source->length;
  g_array_append_val (lines->starts, start);
  lines->used = g_new0 (gboolean, lines->starts->len);
  return lines;
}

void
hir_dump_lines_free (HirDumpLines *lines)
{
  hir_source_unref (lines->source);
  g_array_unref (lines->starts);
  g_free (lines->used);
  g_free (lines);
}

guint
hir_dump_lines_get_n (const HirDumpLines *lines)
{
  return lines->starts->len - 1;
}

const char *
hir_dump_lines_get (const HirDumpLines *lines, guint i, gsize *length)
{
  gsize start = g_array_index (lines->starts, gsize, i);
  gsize end = g_array_index (lines->starts, gsize, i + 1);
  const char *text = lines->source->text;

  while (end > start && (text[end - 1] == '\n' || text[end - 1] == '\r'))
    end--;
  *length = end - start;
  return text + start;
}

gboolean
hir_dump_token_is (const HirDumpToken *token, const char *text)
{
  return strlen (text) == token->length && memcmp (token->text, text, token->length) == 0;
}

gboolean
hir_dump_split_number (const char *text, guint length, guint n_prefix, int *number)
{
  gint64 value = 0;

  if (length <= n_prefix || length - n_prefix > 10)
    return FALSE;
  for (guint i = n_prefix; i < length; i++)
    {
      if (!g_ascii_isdigit (text[i]))
        return FALSE;
      value = value * 10 + (text[i] - '0');
    }
  *number = (int) value;
  return value <= HIR_DUMP_MAX_NUMBER;
}

static gboolean
is_word_char (char c)
{
  return g_ascii_isalnum (c) || c == '_';
}

/* `%` is an operator except in two words of nvFuser. */
static gboolean
begins_word (const char *at, gsize left)
{
  static const char *const words[] = { "%HostIrContainer", "%kernel" };

  if (g_ascii_isalpha (*at) || *at == '_')
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (left >= strlen (words[i]) && memcmp (at, words[i], strlen (words[i])) == 0)
      return TRUE;
  return FALSE;
}

static gsize
word_length (const char *at, gsize left)
{
  static const char complex[] = "::complex<";
  gsize n = 1;

  while (n < left &&
         (is_word_char (at[n]) || (at[n] == '.' && n + 1 < left && g_ascii_isalpha (at[n + 1]))))
    n++;
  /* `T0_g_std::complex<float>`: the only type that contains punctuation. */
  if (n >= 3 && memcmp (at + n - 3, "std", 3) == 0 && left - n > strlen (complex) &&
      memcmp (at + n, complex, strlen (complex)) == 0)
    {
      const char *close = memchr (at + n, '>', left - n);

      if (close != NULL)
        n = (gsize) (close - at) + 1;
    }
  return n;
}

static gsize
number_length (const char *at, gsize left)
{
  gsize n = 1;

  if (left > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
    {
      for (n = 2; n < left && g_ascii_isxdigit (at[n]);)
        n++;
      return n;
    }
  while (n < left && g_ascii_isdigit (at[n]))
    n++;
  if (n + 1 < left && at[n] == '.' && g_ascii_isdigit (at[n + 1]))
    for (n++; n < left && g_ascii_isdigit (at[n]);)
      n++;
  if (n + 1 < left && (at[n] == 'e' || at[n] == 'E'))
    {
      gsize sign = at[n + 1] == '-' || at[n + 1] == '+' ? 2 : 1;

      if (n + sign < left && g_ascii_isdigit (at[n + sign]))
        for (n += sign; n < left && g_ascii_isdigit (at[n]);)
          n++;
    }
  return n;
}

static gsize
punct_length (const char *at, gsize left)
{
  static const char *const pairs[] = { "->", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "//" };

  for (guint i = 0; left > 1 && i < G_N_ELEMENTS (pairs); i++)
    if (memcmp (at, pairs[i], 2) == 0)
      return 2;
  return MIN (left, (gsize) (g_utf8_next_char (at) - at));
}

/* Returns the length of a blank at @at: also a no-break space, as copied from a web page, or an
 * escape sequence of a terminal (ECMA-48 CSI). 0: it is no blank. */
static gsize
blank_length (const char *at, gsize left)
{
  gsize n = 2;

  if (g_ascii_isspace (*at))
    return 1;
  if (left >= 2 && memcmp (at, "\xc2\xa0", 2) == 0)
    return 2;
  if (left < 2 || memcmp (at, "\x1b[", 2) != 0)
    return 0;
  while (n < left && (g_ascii_isdigit (at[n]) || strchr (";:?", at[n]) != NULL))
    n++;
  return n < left && g_ascii_isalpha (at[n]) ? n + 1 : 0;
}

/* Returns TRUE if the line is a message of another library or of Python, which a log can contain
 * between the lines of a program. */
static gboolean
is_message (const char *text, gsize length)
{
  static const char *const words[] = { "NCCL INFO", "NCCL WARN",  "NCCL TRACE",     "UCX  INFO",
                                       "UCX  WARN", "UCX  DIAG",  "warnings.warn(", "Warning: ",
                                       "WARNING: ", "[WARNING] ", "[INFO] ",        NULL };
  static const char *const starts[] = { "INFO:", "WARNING:", "DEBUG:", "ERROR:", NULL };
  gsize blanks = 0;

  while (blanks < length && g_ascii_isspace (text[blanks]))
    blanks++;
  text += blanks;
  length -= blanks;
  for (guint i = 0; words[i] != NULL; i++)
    if (g_strstr_len (text, (gssize) length, words[i]) != NULL)
      return TRUE;
  for (guint i = 0; starts[i] != NULL; i++)
    if (length >= strlen (starts[i]) && memcmp (text, starts[i], strlen (starts[i])) == 0)
      return TRUE;
  /* [W403 10:00:00.123 File.cpp:33] of torch */
  return length > 5 && text[0] == '[' && strchr ("IWEF", text[1]) != NULL &&
         g_ascii_isdigit (text[2]) && g_ascii_isdigit (text[3]) && g_ascii_isdigit (text[4]);
}

/* Appends the tokens of a line behind @from bytes, @stamps of which are time stamps and do not
 * count as indentation. */
static void
lex_line (GArray *tokens, const char *text, gsize from, gsize stamps, gsize length, guint line)
{
  guint column = (guint) g_utf8_strlen (text, (gssize) from) + 1, indent = 0;
  gboolean glued = FALSE;
  gsize n;

  for (gsize at = from; at < length; at += n)
    {
      HirDumpToken token = { .text = text + at, .glued = glued };
      gsize left = length - at;

      n = blank_length (text + at, left);
      glued = n == 0;
      if (glued)
        {
          if (begins_word (text + at, left))
            {
              token.kind = HIR_DUMP_WORD;
              n = word_length (text + at, left);
            }
          else if (g_ascii_isdigit (text[at]))
            {
              token.kind = HIR_DUMP_NUMBER;
              n = number_length (text + at, left);
            }
          else
            {
              token.kind = HIR_DUMP_PUNCT;
              n = punct_length (text + at, left);
            }
          indent = indent == 0 ? column - (guint) stamps : indent;
          token.length = (guint) n;
          token.pos = (HirPos){ line, column };
          token.indent = indent;
          g_array_append_val (tokens, token);
        }
      column += (guint) g_utf8_strlen (text + at, (gssize) n);
    }
}

/* Returns TRUE at the comment after the last brace, or at the start of another dump (*@cut: this
 * one is incomplete). */
static gboolean
ends (const GArray *tokens, guint n_before, gboolean is_host, gboolean *cut)
{
  for (guint i = n_before; i < tokens->len; i++)
    {
      const HirDumpToken *token = &g_array_index (tokens, HirDumpToken, i);
      gboolean is_comment = i > 0 && hir_dump_token_is (token - 1, "//");

      if (is_comment && hir_dump_token_is (token, "%HostIrContainer"))
        return TRUE;
      if (is_comment && !is_host &&
          (hir_dump_token_is (token, "%kernel_math") || hir_dump_token_is (token, "%kernel")))
        return TRUE;
      *cut = i > 0 && !is_comment && hir_dump_token_is (token, "%HostIrContainer");
      if (*cut ||
          (i >= 2 && hir_dump_token_is (token, "pass") && hir_dump_token_is (token - 1, "after") &&
           hir_dump_token_is (token - 2, "Fusion")))
        {
          *cut = TRUE;
          return TRUE;
        }
    }
  return FALSE;
}

/* Appends the index definitions that follow the program which ends in @line. */
static void
lex_index_block (HirDumpLines *lines, const HirDumpHead *head, GArray *tokens, guint line)
{
  guint n_lines = hir_dump_lines_get_n (lines), n_before = tokens->len;

  for (guint i = line + 1; i < n_lines; i++)
    {
      guint n = tokens->len;
      gsize length, from, stamps;
      const char *text = hir_dump_lines_get (lines, i, &length);
      const HirDumpToken *added;

      if (!hir_dump_skip_tag (head->tag, text, length, &from, &stamps))
        continue;
      lex_line (tokens, text, from, stamps, length, i + 1);
      if (tokens->len == n && n == n_before)
        continue; /* blank lines precede the heading */
      added = &g_array_index (tokens, HirDumpToken, n);
      if (tokens->len < n + 3 || (n == n_before ? !hir_dump_token_is (added, "Index") ||
                                                      !hir_dump_token_is (added + 1, "definitions")
                                                : !hir_dump_token_is (added + 1, "=")))
        {
          g_array_set_size (tokens, n);
          return;
        }
      lines->used[i] = TRUE;
    }
}

GArray *
hir_dump_lex (HirDumpLines *lines, const HirDumpHead *head)
{
  GArray *tokens = g_array_new (FALSE, FALSE, sizeof (HirDumpToken));
  HirDumpToken last = { .kind = HIR_DUMP_END, .text = "", .pos = { head->line + 1, 1 } };
  gboolean cut = FALSE;

  for (guint i = head->line; i < hir_dump_lines_get_n (lines); i++)
    {
      guint n_before = tokens->len;
      gsize length, from, stamps;
      const char *text = hir_dump_lines_get (lines, i, &length);

      if (!hir_dump_skip_tag (head->tag, text, length, &from, &stamps) ||
          (i > head->line && is_message (text + from, length - from)))
        continue;
      lex_line (tokens, text, i == head->line ? head->offset : from, stamps, length, i + 1);
      if (ends (tokens, n_before, head->is_host, &cut))
        {
          if (cut)
            g_array_set_size (tokens, n_before);
          else
            {
              lines->used[i] = TRUE;
              if (head->is_host)
                lex_index_block (lines, head, tokens, i);
            }
          break;
        }
      lines->used[i] = TRUE;
    }
  lines->used[head->line] = TRUE;
  if (tokens->len > 0)
    {
      const HirDumpToken *end = &g_array_index (tokens, HirDumpToken, tokens->len - 1);

      last.pos = end->pos;
      last.pos.column += (guint) g_utf8_strlen (end->text, end->length);
    }
  g_array_append_val (tokens, last);
  return tokens;
}
