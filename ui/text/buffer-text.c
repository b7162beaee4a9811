#include "text/buffer-text.h"

#include <string.h>

char *
hir_buffer_dup_text (GtkTextBuffer *buffer)
{
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  return gtk_text_buffer_get_text (buffer, &start, &end, TRUE);
}

/* Returns the length in bytes of the common prefix, without partial characters. */
static gsize
common_start (const char *a, const char *b)
{
  gsize n = 0;

  while (a[n] != '\0' && a[n] == b[n])
    n++;
  while (n > 0 && ((guchar) a[n] & 0xc0) == 0x80)
    n--;
  return n;
}

/* Returns the length in bytes of the common suffix after the first @n_start bytes. */
static gsize
common_end (const char *a, const char *b, gsize n_start)
{
  gsize n_a = strlen (a), n_b = strlen (b);
  gsize limit = MIN (n_a, n_b) - n_start;
  gsize n = 0;

  while (n < limit && a[n_a - n - 1] == b[n_b - n - 1])
    n++;
  while (n > 0 && ((guchar) a[n_a - n] & 0xc0) == 0x80)
    n--;
  return n;
}

gboolean
hir_buffer_set_text (GtkTextBuffer *buffer, const char *text)
{
  g_autofree char *before = hir_buffer_dup_text (buffer);
  gsize n_start = common_start (before, text);
  gsize n_before = strlen (before), n_text = strlen (text);
  GtkTextIter start, end;
  gsize n_end;

  if (n_start == n_before && n_start == n_text)
    return FALSE;
  n_end = common_end (before, text, n_start);
  gtk_text_buffer_get_iter_at_offset (buffer, &start,
                                      (int) g_utf8_strlen (before, (gssize) n_start));
  end = start;
  gtk_text_iter_forward_chars (&end, (int) g_utf8_strlen (before + n_start,
                                                          (gssize) (n_before - n_end - n_start)));
  gtk_text_buffer_delete (buffer, &start, &end);
  gtk_text_buffer_insert (buffer, &start, text + n_start, (int) (n_text - n_end - n_start));
  return TRUE;
}

static guint
count_lines (const char *text, gsize length)
{
  guint n = 0;

  for (const char *at = text; (at = memchr (at, '\n', length - (gsize) (at - text))) != NULL; at++)
    n++;
  return n;
}

guint
hir_text_find_change (const char *from, const char *to)
{
  return count_lines (to, common_start (from, to)) + 1;
}

guint
hir_text_map_line (const char *from, const char *to, guint line)
{
  gsize n_start = common_start (from, to);
  gsize n_from = strlen (from), n_to = strlen (to);
  guint n_before, n_lines_from, n_lines_to, n_after;
  gsize n_end;

  if (n_start == n_from && n_start == n_to)
    return line;
  n_end = common_end (from, to, n_start);
  n_before = count_lines (from, n_start);
  /* Number of complete lines in the common suffix. */
  n_after = count_lines (from + n_from - n_end, n_end);
  n_lines_from = count_lines (from, n_from) + 1;
  n_lines_to = count_lines (to, n_to) + 1;
  if (line <= n_before)
    return line;
  if (line > n_lines_from - n_after && line <= n_lines_from)
    return n_lines_to - (n_lines_from - line);
  return 0;
}
