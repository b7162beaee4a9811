/* Tests the JSON scanner: values, exact times, and invalid text. */
#include "trace/json-scan.h"

#include <string.h>

static HirJson
scan (const char *text)
{
  HirJson json;

  hir_json_init (&json, text, strlen (text));
  return json;
}

static void
test_microseconds (void)
{
  static const struct
  {
    const char *text;
    gint64 ns;
  } rows[] = {
    { "0", 0 },
    { "1", 1000 },
    { "1.5", 1500 },
    { "4458676522690.655", G_GINT64_CONSTANT (4458676522690655) },
    { "1712867402348256", G_GINT64_CONSTANT (1712867402348256000) },
    { "1712867402348256.789", G_GINT64_CONSTANT (1712867402348256789) },
    { "0.0004", 0 },
    { "0.0005", 1 },
    { "-2.25", -2250 },
    { "1e3", 1000000 },
    { "25E-1", 2500 },
    { "\"12.5\"", 12500 },
    { "1e300", G_MAXINT64 },
    { "-1e300", G_MININT64 + 1 },
    { "1e-300", 0 },
    { "99999999999999999999999999999999.5", G_MAXINT64 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      HirJson json = scan (rows[i].text);
      gint64 ns = -1;

      g_assert_true (hir_json_read_us (&json, &ns));
      if (rows[i].ns == G_MININT64 + 1)
        g_assert_cmpint (ns, <=, rows[i].ns);
      else
        g_assert_cmpint (ns, ==, rows[i].ns);
      g_assert_true (json.at == json.end);
    }
}

/* The fast path for short numbers needs text after the number. */
static void
test_number_before_text (void)
{
  static const struct
  {
    const char *text;
    gint64 ns;
  } rows[] = {
    { "1", 1000 },      { "1.5", 1500 },    { "1e3", 1000000 },
    { "25E-1", 2500 },  { "1.5e1", 15000 }, { "4458676522690.655", 4458676522690655 },
    { "1.0005", 1001 }, { "-2.25", -2250 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text =
          g_strconcat (rows[i].text, ", \"name\": \"a name of a kernel\"", NULL);
      HirJson json = scan (text);
      gint64 ns = -1;

      g_assert_true (hir_json_read_us (&json, &ns));
      g_assert_cmpint (ns, ==, rows[i].ns);
      g_assert_cmpint (*json.at, ==, ',');
    }
}

static void
test_no_numbers (void)
{
  static const char *const rows[] = { "null", "\"seven\"", "[1]", "{}", "\"\"", "-", "\"1e\"" };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      HirJson json = scan (rows[i]);
      gint64 value = 5;

      g_assert_false (hir_json_read_int (&json, &value));
      g_assert_cmpint (value, ==, 5);
      g_assert_null (json.error);
      g_assert_true (json.at == json.end);
    }
}

static void
test_strings (void)
{
  static const struct
  {
    const char *text, *value;
  } rows[] = {
    { "\"plain\"", "plain" },
    { "\"a\\\"b\\\\\"", "a\"b\\" },
    { "\"\\u00e9\\n\\t\\/\"", "\u00e9\n\t/" },
    { "\"\\ud83d\\ude00\"", "\U0001F600" },
    { "\"\\ud83d!\"", "\uFFFD!" },
    { "\"\\uz\"", "\uFFFDz" },
    { "\"\xff\"", "\uFFFD" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      HirJson json = scan (rows[i].text);
      g_autofree char *value = hir_json_dup_value (&json);

      g_assert_cmpstr (value, ==, rows[i].value);
      g_assert_true (g_utf8_validate (value, -1, NULL));
      g_assert_null (json.error);
    }
}

static void
test_members (void)
{
  HirJson json = scan (" { \"a\" : 1 , \"b\":[ 2, {\"c\":\"]}\"}, ] ,\"d\":true,} tail");
  gboolean first = TRUE;
  HirJsonText key;
  gint64 value;

  g_assert_true (hir_json_enter (&json));
  g_assert_true (hir_json_next_member (&json, &first, &key));
  g_assert_true (hir_json_text_is (&key, "a"));
  g_assert_true (hir_json_read_int (&json, &value));
  g_assert_true (hir_json_next_member (&json, &first, &key));
  g_assert_true (hir_json_text_is (&key, "b"));
  g_assert_true (hir_json_skip (&json));
  g_assert_true (hir_json_next_member (&json, &first, &key));
  g_assert_true (hir_json_text_is (&key, "d"));
  g_assert_true (hir_json_skip (&json));
  g_assert_false (hir_json_next_member (&json, &first, &key));
  g_assert_null (json.error);
  g_assert_cmpstr (json.at, ==, " tail");
}

static void
test_broken (void)
{
  static const struct
  {
    const char *text;
    gsize at; /* offset of the error */
  } rows[] = {
    { "", 0 },           { "[1", 2 },     { "[1 2]", 3 }, { "{\"a\" 1}", 5 }, { "{1:2}", 1 },
    { "[{\"a\":1]", 7 }, { "[\"abc", 1 }, { "[1,", 3 },   { "[&]", 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      HirJson json = scan (rows[i].text);
      gboolean first = TRUE;
      HirJsonText key;

      if (hir_json_enter (&json))
        {
          if (rows[i].text[0] == '[')
            while (hir_json_next_element (&json, &first))
              hir_json_skip (&json);
          else
            while (hir_json_next_member (&json, &first, &key))
              hir_json_skip (&json);
        }
      g_assert_nonnull (json.error);
      g_assert_cmpuint (json.error_at - json.start, ==, rows[i].at);
      g_assert_false (hir_json_skip (&json));
    }
}

/* 100,000 brackets give an error, not a stack overflow. */
static void
test_deep (void)
{
  g_autofree char *text = g_strnfill (100000, '[');
  HirJson json = scan (text);

  g_assert_false (hir_json_skip (&json));
  g_assert_nonnull (strstr (json.error, "512"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json-scan/microseconds", test_microseconds);
  g_test_add_func ("/json-scan/number-before-text", test_number_before_text);
  g_test_add_func ("/json-scan/no-numbers", test_no_numbers);
  g_test_add_func ("/json-scan/strings", test_strings);
  g_test_add_func ("/json-scan/members", test_members);
  g_test_add_func ("/json-scan/broken", test_broken);
  g_test_add_func ("/json-scan/deep", test_deep);
  return g_test_run ();
}
