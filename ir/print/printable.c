#include "print/printable.h"

gboolean
hir_printable_is_hostile (gunichar c)
{
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e || c == 0x200f ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

static void
append_escape (GString *out, gunichar c)
{
  if (c == '\n')
    g_string_append (out, "\\n");
  else if (c == '\t')
    g_string_append (out, "\\t");
  else if (c == '\r')
    g_string_append (out, "\\r");
  else if (c < 0x80)
    g_string_append_printf (out, "\\x%02x", c);
  else
    g_string_append_printf (out, "\\u%04x", c);
}

static char *
dup_printable (const char *text, gboolean keeps_lines)
{
  GString *out = g_string_new (NULL);

  while (*text != '\0')
    {
      gunichar c = g_utf8_get_char_validated (text, -1);

      if (c == (gunichar) -1 || c == (gunichar) -2)
        {
          g_string_append_printf (out, "\\x%02x", (guint) (guchar) *text++);
          continue;
        }
      if (!hir_printable_is_hostile (c) || (keeps_lines && (c == '\n' || c == '\t')))
        g_string_append_unichar (out, c);
      else
        append_escape (out, c);
      text = g_utf8_next_char (text);
    }
  return g_string_free (out, FALSE);
}

char *
hir_printable_dup (const char *text)
{
  return dup_printable (text, FALSE);
}

char *
hir_printable_dup_lines (const char *text)
{
  return dup_printable (text, TRUE);
}
