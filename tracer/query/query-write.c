#include "query/query-write.h"

#include <math.h>
#include <string.h>

#include "print/printable.h"

#define N_MEASURED 1000 /* rows of a table that determine the widths of its columns */
#define MAX_WIDTH 100

char *
hir_query_dup_real (double real)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  for (int digits = 15; digits <= 17; digits++)
    {
      char format[8];

      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (buffer, sizeof buffer, format, real);
      if (g_ascii_strtod (buffer, NULL) == real)
        break;
    }
  return g_strdup (buffer);
}

char *
hir_query_dup_value (sqlite3_stmt *statement, int column)
{
  const guchar *bytes;
  GString *hex;
  int n;

  switch (sqlite3_column_type (statement, column))
    {
    case SQLITE_NULL:
      return NULL;

    case SQLITE_FLOAT:
      return hir_query_dup_real (sqlite3_column_double (statement, column));

    case SQLITE_BLOB:
      bytes = sqlite3_column_blob (statement, column);
      n = sqlite3_column_bytes (statement, column);
      hex = g_string_new (NULL);
      for (int i = 0; i < n; i++)
        g_string_append_printf (hex, "%02x", bytes[i]);
      return g_string_free (hex, FALSE);

    case SQLITE_TEXT:
    case SQLITE_INTEGER:
    default:
      return g_utf8_make_valid ((const char *) sqlite3_column_text (statement, column), -1);
    }
}

static const char *
get_name (sqlite3_stmt *statement, int column)
{
  const char *name = sqlite3_column_name (statement, column);

  return name != NULL ? name : "";
}

/* --- JSON and CSV ------------------------------------------------------------------------- */

static void
write_json_value (sqlite3_stmt *statement, int column, HirJsonOut *json)
{
  int type = sqlite3_column_type (statement, column);
  g_autofree char *text = hir_query_dup_value (statement, column);

  if (type == SQLITE_INTEGER)
    hir_json_out_add_int (json, NULL, sqlite3_column_int64 (statement, column));
  else if (type == SQLITE_FLOAT)
    hir_json_out_add_raw (json, NULL,
                          isfinite (sqlite3_column_double (statement, column)) ? text : "null");
  else
    hir_json_out_add_string (json, NULL, text);
}

static int
write_json (sqlite3_stmt *statement, HirTextOut *out)
{
  HirJsonOut *json = &out->json;
  int n = sqlite3_column_count (statement), code;

  hir_json_out_begin (json, NULL, '{');
  hir_json_out_begin (json, "columns", '[');
  for (int i = 0; i < n; i++)
    hir_json_out_add_string (json, NULL, get_name (statement, i));
  hir_json_out_end (json, ']');
  hir_json_out_break (json);
  hir_json_out_begin (json, "rows", '[');
  while ((code = sqlite3_step (statement)) == SQLITE_ROW && out->error == NULL)
    {
      hir_json_out_break (json);
      hir_json_out_begin (json, NULL, '[');
      for (int i = 0; i < n; i++)
        write_json_value (statement, i, json);
      hir_json_out_end (json, ']');
      hir_text_out_add (out, ""); /* writes the rows so far, if they are many */
    }
  hir_json_out_end (json, ']');
  hir_json_out_end (json, '}');
  hir_text_out_add (out, "\n");
  return code;
}

static int
write_csv (sqlite3_stmt *statement, HirTextOut *out)
{
  int n = sqlite3_column_count (statement), code;

  for (int i = 0; i < n; i++)
    {
      hir_text_out_add (out, i > 0 ? "," : "");
      hir_text_out_add_csv_field (out, get_name (statement, i));
    }
  hir_text_out_add (out, "\n");
  while ((code = sqlite3_step (statement)) == SQLITE_ROW && out->error == NULL)
    {
      for (int i = 0; i < n; i++)
        {
          g_autofree char *text = hir_query_dup_value (statement, i);

          hir_text_out_add (out, i > 0 ? "," : "");
          if (text != NULL)
            hir_text_out_add_csv_field (out, text);
        }
      hir_text_out_add (out, "\n");
    }
  return code;
}

/* --- table -------------------------------------------------------------------------------- */

typedef struct
{
  HirTextOut *out;
  int n_columns;
  int *widths;
  gboolean *are_numbers;
  GPtrArray *cells; /* char*: the rows that are not written yet */
} Grid;

static char *
dup_cell (sqlite3_stmt *statement, int column)
{
  g_autofree char *text = hir_query_dup_value (statement, column);

  return text != NULL ? hir_printable_dup (text) : g_strdup ("NULL");
}

static void
write_cell (Grid *grid, int column, const char *text)
{
  int length = (int) g_utf8_strlen (text, -1), width = grid->widths[column];
  gboolean is_last = column == grid->n_columns - 1;

  if (grid->are_numbers[column])
    hir_text_out_add_padded (grid->out, text, width);
  else
    {
      hir_text_out_add (grid->out, text);
      if (!is_last && length < width)
        hir_text_out_printf (grid->out, "%*s", width - length, "");
    }
  hir_text_out_add (grid->out, is_last ? "\n" : "  ");
}

static void
write_cells (Grid *grid)
{
  for (guint i = 0; i < grid->cells->len; i++)
    write_cell (grid, (int) (i % (guint) grid->n_columns), grid->cells->pdata[i]);
  g_ptr_array_set_size (grid->cells, 0);
}

static void
measure (Grid *grid, sqlite3_stmt *statement, int column, const char *text)
{
  int type = sqlite3_column_type (statement, column);

  grid->widths[column] =
      MAX (grid->widths[column], (int) MIN (g_utf8_strlen (text, -1), MAX_WIDTH));
  grid->are_numbers[column] &=
      type == SQLITE_INTEGER || type == SQLITE_FLOAT || type == SQLITE_NULL;
}

static int
write_table (sqlite3_stmt *statement, HirTextOut *out)
{
  int n = sqlite3_column_count (statement), code;
  g_autofree int *widths = g_new0 (int, n);
  g_autofree gboolean *are_numbers = g_new (gboolean, n);
  g_autoptr (GPtrArray) cells = g_ptr_array_new_with_free_func (g_free);
  Grid grid = { out, n, widths, are_numbers, cells };
  guint64 n_rows = 0;

  for (int i = 0; i < n; i++)
    {
      char *name = hir_printable_dup (get_name (statement, i));

      widths[i] = (int) g_utf8_strlen (name, -1);
      are_numbers[i] = TRUE;
      g_ptr_array_add (cells, name);
    }
  while ((code = sqlite3_step (statement)) == SQLITE_ROW && out->error == NULL)
    {
      for (int i = 0; i < n; i++)
        {
          char *text = dup_cell (statement, i);

          if (n_rows < N_MEASURED)
            measure (&grid, statement, i, text);
          g_ptr_array_add (cells, text);
        }
      if (++n_rows >= N_MEASURED)
        write_cells (&grid);
    }
  if (code == SQLITE_DONE)
    write_cells (&grid);
  return code;
}

int
hir_query_write_rows (sqlite3_stmt *statement, HirQueryFormat format, HirTextOut *out)
{
  switch (format)
    {
    case HIR_QUERY_AS_JSON:
      return write_json (statement, out);

    case HIR_QUERY_AS_CSV:
      return write_csv (statement, out);

    case HIR_QUERY_AS_TABLE:
    default:
      return write_table (statement, out);
    }
}
