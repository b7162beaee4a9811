#include "long-text.h"

#include <string.h>

/* A mark belongs to the letter before it. */
static gboolean
is_mark (const char *at)
{
  return g_unichar_ismark (g_utf8_get_char (at));
}

/* So many on a letter have languages; a higher tower would reach into the lines above. */
#define MAX_MARKS 4

static gboolean
is_tower (const char *text)
{
  guint n_marks = 0;

  for (const char *at = text; *at != '\0' && n_marks <= MAX_MARKS; at = g_utf8_next_char (at))
    n_marks = is_mark (at) ? n_marks + 1 : 0;
  return n_marks > MAX_MARKS;
}

static char *
dup_low (const char *text)
{
  GString *low = g_string_new (NULL);
  guint n_marks = 0;

  for (const char *at = text; *at != '\0'; at = g_utf8_next_char (at))
    {
      n_marks = is_mark (at) ? n_marks + 1 : 0;
      if (n_marks <= MAX_MARKS)
        g_string_append_unichar (low, g_utf8_get_char (at));
    }
  return g_string_free (low, FALSE);
}

char *
hir_long_text_dup (const char *text, guint max_chars, gboolean *was_cut)
{
  if (is_tower (text))
    {
      g_autofree char *low = dup_low (text);
      char *shown = hir_long_text_dup (low, max_chars, NULL);

      if (was_cut != NULL)
        *was_cut = TRUE;
      return shown;
    }
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
