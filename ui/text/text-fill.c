#include "text/text-fill.h"

#include <string.h>

/* Maximum number of visible lines, and size of the following slices, which take a few
 * milliseconds. */
#define FIRST_LINES 160
#define SLICE_BYTES 24576
/* Texts up to this size are inserted at once. */
#define SMALL_BYTES 32768

struct _HirTextFill
{
  GtkTextBuffer *buffer;
  void (*filled) (guint first, guint end, gpointer user_data);
  gpointer user_data;
  char *text;
  gsize at, length;
  guint line; /* number of inserted lines */
  guint idle;
};

HirTextFill *
hir_text_fill_new (GtkTextBuffer *buffer,
                   void (*filled) (guint first, guint end, gpointer user_data),
                   gpointer user_data)
{
  HirTextFill *fill = g_new0 (HirTextFill, 1);

  fill->buffer = g_object_ref (buffer);
  fill->filled = filled;
  fill->user_data = user_data;
  return fill;
}

static void
cancel (HirTextFill *fill)
{
  g_clear_handle_id (&fill->idle, g_source_remove);
  g_clear_pointer (&fill->text, g_free);
  fill->at = fill->length = 0;
}

void
hir_text_fill_free (HirTextFill *fill)
{
  if (fill == NULL)
    return;
  cancel (fill);
  g_object_unref (fill->buffer);
  g_free (fill);
}

/* Returns the end of the line that contains the byte @bytes after the current one. */
static gsize
find_end (const HirTextFill *fill, gsize bytes)
{
  const char *newline;

  if (fill->at + bytes >= fill->length)
    return fill->length;
  newline = strchr (fill->text + fill->at + bytes, '\n');
  return newline != NULL ? (gsize) (newline - fill->text) + 1 : fill->length;
}

static void
add_slice (HirTextFill *fill, gsize end)
{
  guint first = fill->line;
  GtkTextIter iter;

  gtk_text_buffer_get_end_iter (fill->buffer, &iter);
  gtk_text_buffer_insert (fill->buffer, &iter, fill->text + fill->at, (int) (end - fill->at));
  for (gsize i = fill->at; i < end; i++)
    fill->line += fill->text[i] == '\n';
  fill->at = end;
  if (fill->filled != NULL)
    fill->filled (first, fill->line, fill->user_data);
}

static gboolean
on_idle (gpointer user_data)
{
  HirTextFill *fill = user_data;

  add_slice (fill, find_end (fill, SLICE_BYTES));
  if (fill->at < fill->length)
    return G_SOURCE_CONTINUE;
  fill->idle = 0;
  cancel (fill);
  return G_SOURCE_REMOVE;
}

void
hir_text_fill_start (HirTextFill *fill, char *text)
{
  gsize first = 0;

  cancel (fill);
  gtk_text_buffer_set_text (fill->buffer, "", 0);
  fill->text = text;
  fill->length = strlen (text);
  fill->line = 0;
  if (fill->length <= SMALL_BYTES)
    first = fill->length;
  for (guint i = 0; i < FIRST_LINES && first < fill->length; i++)
    {
      const char *newline = strchr (text + first, '\n');

      first = newline != NULL ? (gsize) (newline - text) + 1 : fill->length;
    }
  add_slice (fill, first);
  if (fill->at < fill->length)
    fill->idle = g_idle_add_full (G_PRIORITY_LOW, on_idle, fill, NULL);
  else
    cancel (fill);
}

void
hir_text_fill_finish (HirTextFill *fill)
{
  if (fill->text == NULL)
    return;
  add_slice (fill, fill->length);
  cancel (fill);
}

gboolean
hir_text_fill_get_is_done (const HirTextFill *fill)
{
  return fill->text == NULL;
}
