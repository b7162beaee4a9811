#include "trace/recording/recording-args.h"

#include <string.h>
#include <zlib.h>

#include "diagnostic.h"
#include "trace/recording/column-pack.h"

/* Limits the time to read one event to 1 ms, because a whole row is unpacked. */
#define MAX_EVENTS 1024
#define ENOUGH_BYTES (256 * 1024)
/* On traces, this takes a third of the time of level 6 and gives 10% more bytes. */
#define ZLIB_LEVEL 3

typedef struct
{
  guint64 first, size;
  guint n;
  guint8 *lengths, *text;
  gsize n_lengths, n_text;
} Row;

static void
row_free (gpointer data)
{
  Row *row = data;

  g_free (row->lengths);
  g_free (row->text);
  g_free (row);
}

void
hir_args_packer_init (HirArgsPacker *packer)
{
  packer->first = 0;
  packer->lengths = g_array_new (FALSE, FALSE, sizeof (guint64));
  packer->text = g_string_new (NULL);
  packer->rows = g_ptr_array_new_with_free_func (row_free);
  packer->n_written = 0;
}

void
hir_args_packer_clear (HirArgsPacker *packer)
{
  g_array_unref (packer->lengths);
  g_string_free (packer->text, TRUE);
  g_ptr_array_unref (packer->rows);
}

static gboolean
pack (const GString *text, Row *row)
{
  uLongf size = compressBound (text->len);
  g_autofree guint8 *packed = g_try_malloc (size);

  if (packed == NULL ||
      compress2 (packed, &size, (const guint8 *) text->str, text->len, ZLIB_LEVEL) != Z_OK)
    return FALSE;
  row->text = g_try_malloc (MAX (size, 1));
  if (row->text == NULL)
    return FALSE;
  memcpy (row->text, packed, size);
  row->n_text = size;
  return TRUE;
}

/* Creates a row from the collected texts. */
static gboolean
end_row (HirArgsPacker *packer, GError **error)
{
  Row *row;

  /* Rows without text are omitted. Recordings of our own runs have no rows. */
  if (packer->text->len > 0)
    {
      row = g_new0 (Row, 1);
      row->first = packer->first;
      row->size = packer->text->len;
      row->n = packer->lengths->len;
      row->lengths = g_malloc_n (row->n, sizeof (guint64));
      row->n_lengths =
          hir_column_pack ((const guint64 *) packer->lengths->data, row->n, 0, row->lengths);
      if (!pack (packer->text, row))
        {
          row_free (row);
          hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                         "out of memory for the args of events; close other programs");
          return FALSE;
        }
      g_ptr_array_add (packer->rows, row);
    }
  g_array_set_size (packer->lengths, 0);
  g_string_truncate (packer->text, 0);
  return TRUE;
}

gboolean
hir_args_packer_add (HirArgsPacker *packer, guint64 number, const char *json, GError **error)
{
  guint64 length = strlen (json);

  if ((packer->lengths->len >= MAX_EVENTS || packer->text->len >= ENOUGH_BYTES ||
       number != packer->first + packer->lengths->len) &&
      !end_row (packer, error))
    return FALSE;
  if (packer->lengths->len == 0)
    packer->first = number;
  g_array_append_val (packer->lengths, length);
  g_string_append_len (packer->text, json, (gssize) length);
  return TRUE;
}

gboolean
hir_args_packer_insert (HirArgsPacker *packer, sqlite3_stmt *stmt, const char *path, GError **error)
{
  HirRow out;

  if (!end_row (packer, error))
    return FALSE;
  hir_row_begin (&out, stmt, path, "args");
  for (guint i = 0; i < packer->rows->len; i++)
    {
      const Row *row = packer->rows->pdata[i];

      hir_row_put_int (&out, (gint64) row->first);
      hir_row_put_int (&out, row->n);
      hir_row_put_int (&out, (gint64) row->size);
      hir_row_put_blob (&out, row->lengths, row->n_lengths);
      hir_row_put_blob (&out, row->text, row->n_text);
      if (!hir_row_insert (&out, error))
        return FALSE;
    }
  return TRUE;
}

void
hir_args_packer_drop (HirArgsPacker *packer)
{
  packer->n_written += packer->rows->len;
  g_ptr_array_set_size (packer->rows, 0);
}
