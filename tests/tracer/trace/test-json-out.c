/* Tests the text of exports against simple implementations, for random values. */
#include "trace/json-out.h"

#include <gio/gio.h>

#include "print/printable.h"
#include "trace/text-out.h"

#define N_VALUES 20000

/* One character at a time, as RFC 8259 describes it. */
static char *
dup_escaped (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  GString *out = g_string_new ("\"");

  for (const char *at = valid; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);

      if (c == '"' || c == '\\')
        g_string_append_printf (out, "\\%c", (char) c);
      else if (c == '\n')
        g_string_append (out, "\\n");
      else if (hir_printable_is_hostile (c))
        g_string_append_printf (out, "\\u%04x", c);
      else
        g_string_append_unichar (out, c);
    }
  g_string_append_c (out, '"');
  return g_string_free (out, FALSE);
}

static void
test_strings (void)
{
  static const char *const pieces[] = {
    "a",      "kernel<float, 4>", "\"",   "\\",       "\n", "\x01", "\x7f",    "é",
    "\u200f", "\u2028",           "\xff", "\xe2\x82", "😀",  " ",    "\xc2\x80"
  };
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);

  for (guint i = 0; i < N_VALUES; i++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      g_autoptr (GString) out = g_string_new (NULL);
      g_autofree char *wanted = NULL;

      for (gint32 n = g_rand_int_range (rand, 0, 9); n > 0; n--)
        g_string_append (text, pieces[g_rand_int_range (rand, 0, G_N_ELEMENTS (pieces))]);
      wanted = dup_escaped (text->str);
      hir_json_append_string (out, text->str);
      g_assert_cmpstr (out->str, ==, wanted);
    }
}

/* Every byte stops the scan for plain text at every distance from the start of a word. */
static void
test_plain (void)
{
  for (guint byte = 1; byte < 256; byte++)
    for (guint before = 0; before < 20; before++)
      {
        g_autofree char *text = g_strnfill (30, 'x');
        gboolean is_plain =
            byte >= 0x20 && byte < 0x7f && byte != (guint) '"' && byte != (guint) '\\';

        text[before] = (char) byte;
        g_assert_cmpuint (hir_json_count_plain (text, 30), ==, is_plain ? 30 : before);
        g_assert_cmpuint (hir_json_count_plain (text, before), ==, before);
      }
}

static void
test_numbers (void)
{
  static const gint64 edges[] = { 0,    1,     -1,   9,          10,         999,           1000,
                                  -999, -1000, 1001, G_MAXINT64, G_MININT64, G_MININT64 + 1 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (6);
  g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();

  for (guint i = 0; i < N_VALUES; i++)
    {
      gint64 value = (gint64) ((guint64) g_rand_int (rand) << 32 | g_rand_int (rand)) >>
                     g_rand_int_range (rand, 0, 64);
      guint64 size;
      g_autofree char *wanted = NULL;
      HirTextOut out;

      if (i < G_N_ELEMENTS (edges))
        value = edges[i];
      size = value < 0 ? -(guint64) value : (guint64) value;
      wanted = g_strdup_printf ("%" G_GINT64_FORMAT " %s%" G_GUINT64_FORMAT ".%03u", value,
                                value < 0 ? "-" : "", size / 1000, (guint) (size % 1000));
      hir_text_out_init (&out, stream, NULL);
      hir_json_out_add_int (&out.json, NULL, value);
      hir_text_out_add (&out, " ");
      hir_text_out_add_us (&out, value);
      g_assert_cmpstr (out.pending->str, ==, wanted);
      g_assert_true (hir_text_out_finish (&out, NULL));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json-out/strings", test_strings);
  g_test_add_func ("/json-out/plain", test_plain);
  g_test_add_func ("/json-out/numbers", test_numbers);
  return g_test_run ();
}
