#include "base/long-text.h"

#include <string.h>

/* Combining marks belong to the preceding letter. */
static gboolean
is_mark (const char *at)
{
  return g_unichar_ismark (g_utf8_get_char (at));
}

char *
hir_long_text_dup (const char *text, guint max_chars, gboolean *was_cut)
{
  glong n_chars = g_utf8_strlen (text, -1);
  const char *head, *tail, *end = text + strlen (text);

  if (was_cut != NULL)
    *was_cut = n_chars > (glong) max_chars;
  if (n_chars <= (glong) max_chars)
    return g_strdup (text);
  head = g_utf8_offset_to_pointer (text, (glong) max_chars * 2 / 3);
  while (head > text && is_mark (head))
    head = g_utf8_prev_char (head);
  tail = g_utf8_offset_to_pointer (text,
                                   n_chars - ((glong) max_chars - (glong) max_chars * 2 / 3 - 1));
  while (tail < end && is_mark (tail))
    tail = g_utf8_next_char (tail);
  return g_strdup_printf ("%.*s\xe2\x80\xa6%s", (int) (head - text), text, tail);
}
