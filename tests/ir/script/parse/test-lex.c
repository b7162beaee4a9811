#include "script/parse/lex.h"
#include "script/script.h"

#include <string.h>

/* Returns the kinds of the tokens of @text, separated by spaces. */
static char *
lex_kinds (const char *text)
{
  HirArena *arena = hir_arena_new ();
  g_autoptr (GArray) tokens = hir_lex (text, 0, strlen (text), FALSE, arena);
  GString *kinds = g_string_new (NULL);

  for (guint i = 0; i < tokens->len; i++)
    {
      const HirToken *token = &g_array_index (tokens, HirToken, i);

      g_string_append_printf (kinds, "%s%s", i > 0 ? " | " : "",
                              token->kind == HIR_TOKEN_ERROR
                                  ? token->message
                                  : hir_token_kind_get_text (token->kind));
    }
  hir_arena_free (arena);
  return g_string_free (kinds, FALSE);
}

static void
assert_kinds (const char *text, const char *expected)
{
  g_autofree char *kinds = lex_kinds (text);

  g_assert_cmpstr (kinds, ==, expected);
}

#define NL " | end of line | end of file"

static void
test_operators (void)
{
  assert_kinds ("a **= b // c << d", "a name | **= | a name | // | a name | << | a name" NL);
  assert_kinds ("a:=b", "a name | := | a name" NL);
  assert_kinds ("x[1:-1]", "a name | [ | a number | : | - | a number | ]" NL);
  assert_kinds ("f(...) -> y", "a name | ( | ... | ) | -> | a name" NL);
  assert_kinds ("a != b == c <= d", "a name | != | a name | == | a name | <= | a name" NL);
  assert_kinds ("match = async_", "a name | = | a name" NL);
}

static void
test_numbers (void)
{
  assert_kinds ("1 1_000 0x_ff 0o17 0b1 1. .5 1e10 1E-3 1j 0_0 000",
                "a number | a number | a number | a number | a number | "
                "a number | a number | a number | a number | a number | a number | a number" NL);
  assert_kinds ("1if x else 2", "a number | if | a name | else | a number" NL);
  assert_kinds ("1__0", "an underscore in a number must be between two digits" NL);
  assert_kinds ("012", "a decimal number cannot begin with 0; write 0o for octal" NL);
  assert_kinds ("0x", "this number lacks its digits" NL);
  assert_kinds ("1abc", "letters follow this number directly; separate them" NL);
}

static void
test_strings (void)
{
  assert_kinds ("'a' \"b\" r'\\' '' x",
                "a string | a string | a string | this string is not closed on its line" NL);
  assert_kinds ("rb'\\x' Rb\"\" u'' bR''", "a string | a string | a string | a string" NL);
  assert_kinds ("'''a\n'b''\n'''", "a string" NL);
  assert_kinds ("'a\\\nb'", "a string" NL);
  assert_kinds ("'''open", "this triple-quoted string is never closed" NL);
  assert_kinds ("'open\nx", "this string is not closed on its line | end of line | a name" NL);
}

static void
test_fstrings (void)
{
  assert_kinds ("f'{a}' rf'{b!r:>{w}}' F'{{'", "an f-string | an f-string | an f-string" NL);
  /* Python 3.12 allows the same quotes, line ends and comments in a field. */
  assert_kinds ("f'{d['k']}' + 1", "an f-string | + | a number" NL);
  assert_kinds ("f'{f'{f'{1}'}'}'", "an f-string" NL);
  assert_kinds ("f'{x # it is\n}'", "an f-string" NL);
  assert_kinds ("f'{d[\"}\"]}'", "an f-string" NL);
  assert_kinds ("f'\\N{BULLET}'", "an f-string" NL);
  /* An invalid f-string ends at the first quote; lexing continues after it. */
  assert_kinds ("f'{a' + b", "an f-string | + | a name" NL);
}

static void
test_indentation (void)
{
  assert_kinds ("if a:\n  b\n\n  # c\n  d\ne", "if | a name | : | end of line | indentation | a "
                                               "name | end of line | a name | end of line | "
                                               "end of the block | a name" NL);
  assert_kinds ("if a:\n\tb\n        c",
                "if | a name | : | end of line | indentation | a name | end of line | "
                "tabs and spaces are mixed in the indentation | a name | end of line | end of the "
                "block | end of file");
  assert_kinds ("if a:\n    b\n  c\n",
                "if | a name | : | end of line | indentation | a name | end of line | end of the "
                "block | "
                "this indentation matches no block around it | a name | end of line | end of file");
  assert_kinds ("(a,\n   b\n)", "( | a name | , | a name | )" NL);
  assert_kinds ("a \\\n  + b", "a name | + | a name" NL);
  assert_kinds ("\f  \\\n  a\n",
                "indentation | a name | end of line | end of the block | end of file");
  assert_kinds ("a\r\nb\rc", "a name | end of line | a name | end of line | a name" NL);
  assert_kinds ("\xef\xbb\xbf"
                "a",
                "a name" NL);
}

static void
test_brackets (void)
{
  assert_kinds ("a)", "a name | this bracket was never opened" NL);
  assert_kinds ("(a]\nb",
                "( | a name | ']' does not close the '(' that is open | end of line | a name" NL);
  /* A statement keyword at the start of a line reveals the bracket that was not closed. */
  assert_kinds ("f(a,\ndef g(): pass", "a name | ( | a name | , | this bracket is never closed | "
                                       "end of line | def | a name | ( | ) | : | pass" NL);
}

/* The error token of an unclosed bracket can move the token array. AddressSanitizer detects a
 * pointer to the old last token. */
static void
test_open_bracket_at_end (void)
{
  HirArena *arena = hir_arena_new ();
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint n = 1; n < 600; n++)
    {
      g_autoptr (GArray) tokens = NULL;

      g_string_truncate (text, text->len > 0 ? text->len - 1 : 0);
      g_string_append (text, "a (");
      tokens = hir_lex (text->str, 0, text->len, FALSE, arena);
      /* Names, the bracket, its error, the end of the line and the end of the file. */
      g_assert_cmpuint (tokens->len, ==, n + 4);
      g_assert_cmpint (g_array_index (tokens, HirToken, n + 1).kind, ==, HIR_TOKEN_ERROR);
      g_assert_cmpint (g_array_index (tokens, HirToken, n + 2).kind, ==, HIR_TOKEN_NEWLINE);
    }
  hir_arena_free (arena);
}

static void
test_bad_characters (void)
{
  assert_kinds ("a ? b", "a name | the character '?' (U+003F) is not allowed here | a name" NL);
  assert_kinds ("a = \xe2\x82\xac",
                "a name | = | the character '\xe2\x82\xac' (U+20AC) is not allowed here" NL);
  assert_kinds ("\xff", "this byte is not valid UTF-8" NL);
  assert_kinds ("gr\xc3\xb6\xc3\x9f"
                "e",
                "a name" NL);
}

/* Lexing is linear for every input: these took minutes when ends of f-strings were searched
 * repeatedly. */
static void
test_linear (void)
{
  static const char *const pieces[] = {
    "f\"{(", "f'''{", "'''", "((", "f\"{f'{", "\\\n", "rf\"{\""
  };

  for (guint i = 0; i < G_N_ELEMENTS (pieces); i++)
    {
      GString *text = g_string_new (NULL);
      HirArena *arena = hir_arena_new ();
      GArray *tokens;

      while (text->len < 1000000)
        g_string_append (text, pieces[i]);
      tokens = hir_lex (text->str, 0, text->len, FALSE, arena);
      g_assert_cmpint (g_array_index (tokens, HirToken, tokens->len - 1).kind, ==, HIR_TOKEN_END);
      g_array_unref (tokens);
      hir_arena_free (arena);
      g_string_free (text, TRUE);
    }
}

static void
assert_source (const char *bytes, gssize length, const char *expected, const char *message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HirSource) source =
      hir_script_source_from_bytes ("test.py", bytes, length < 0 ? strlen (bytes) : (gsize) length,
                                    &error);

  if (expected != NULL)
    {
      g_assert_no_error (error);
      g_assert_cmpstr (source->text, ==, expected);
      return;
    }
  g_assert_null (source);
  g_assert_nonnull (strstr (error->message, message));
}

static void
test_encodings (void)
{
  assert_source ("# coding: latin-1\n'\xe4'", -1, "# coding: latin-1\n'\xc3\xa4'", NULL);
  assert_source ("#!/bin/x\n# -*- coding: koi8-r -*-\n'\xc1'", -1,
                 "#!/bin/x\n# -*- coding: koi8-r -*-\n'\xd0\xb0'", NULL);
  assert_source ("\xef\xbb\xbf# coding: utf-8\nx", -1, "# coding: utf-8\nx", NULL);
  assert_source ("a\r\nb\rc", -1, "a\nb\nc", NULL);
  /* Only in the first two lines, and only after comments. */
  assert_source ("x = 1\n# coding: latin-1\n", -1, "x = 1\n# coding: latin-1\n", NULL);
  assert_source ("'\xe4'", -1, NULL, "not UTF-8");
  assert_source ("# coding: klingon\n", -1, NULL, "klingon");
  assert_source ("\xef\xbb\xbf# coding: latin-1\n", -1, NULL, "UTF-8 mark");
  assert_source ("a\0b", 3, NULL, "NUL");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/script/lex/operators", test_operators);
  g_test_add_func ("/script/lex/numbers", test_numbers);
  g_test_add_func ("/script/lex/strings", test_strings);
  g_test_add_func ("/script/lex/fstrings", test_fstrings);
  g_test_add_func ("/script/lex/indentation", test_indentation);
  g_test_add_func ("/script/lex/brackets", test_brackets);
  g_test_add_func ("/script/lex/open-bracket-at-end", test_open_bracket_at_end);
  g_test_add_func ("/script/lex/bad-characters", test_bad_characters);
  g_test_add_func ("/script/lex/linear", test_linear);
  g_test_add_func ("/script/lex/encodings", test_encodings);
  return g_test_run ();
}
