/* Commands that print values: print, x. */
#include <string.h>

#include "debugger/console-private.h"
#include "diagnostic.h"
#include "run/cpu/cpu-ops.h"

gboolean
hir_console_read_whose (const HirConsoleCall *call,
                        const char **text,
                        HirConsoleWhose *whose,
                        GError **error)
{
  *whose = HIR_OF_THIS;
  if (**text != '/')
    return TRUE;
  if ((*text)[1] != 'a' && (*text)[1] != 'g')
    return hir_console_reject (call, 1, error,
                               "unknown option; use /a for all devices or /g for gathered values");
  *whose = (*text)[1] == 'a' ? HIR_OF_ALL : HIR_GATHERED;
  *text += 2;
  while (g_ascii_isspace (**text))
    (*text)++;
  return TRUE;
}

/* A tensor or a slice of it. */
typedef struct
{
  int name;
  HirValueQuery query;
  gint64 first[HIR_MAX_DIMS], stop[HIR_MAX_DIMS];
} Wanted;

/* Returns a digest of the elements of @value at the single indices of @query. */
static guint64
digest_elements (const HirValue *value, const HirValueQuery *query)
{
  const HirDebugSlice slice = { query, NULL, NULL };
  g_autoptr (HirValue) part = hir_debug_dup_slice (value, &slice, TRUE);
  g_autoptr (HirBuffer) buffer = NULL;
  g_autoptr (HirValue) dense = NULL;
  guint64 digest = 14695981039346656037u;
  gsize size_bytes;

  if (part == NULL)
    return digest;
  size_bytes = hir_value_get_size_bytes (part);
  buffer = hir_buffer_new (size_bytes, NULL);
  if (buffer == NULL)
    return digest;
  dense = hir_value_new_tensor (part->dtype, part->n_dims, part->sizes, NULL, buffer);
  if (!hir_cpu_copy (dense, part))
    return digest;
  for (gsize i = 0; i < size_bytes; i++)
    digest = (digest ^ buffer->data[i]) * 1099511628211u;
  return digest;
}

/* @digest: (out) (optional): of the elements */
static HirValueSummary *
summarise (const HirDebugView *view,
           const Wanted *wanted,
           HirConsoleWhose whose,
           guint64 *digest,
           GError **error)
{
  g_autoptr (HirValue) value = whose == HIR_GATHERED
                                   ? hir_debug_view_dup_gathered (view, wanted->name, error)
                                   : hir_debug_view_dup_value (view, wanted->name, error);
  const HirDebugSlice slice = { &wanted->query, wanted->first, wanted->stop };
  g_autoptr (HirValue) missing = NULL;
  g_autoptr (HirValue) part = NULL;
  g_autoptr (HirValue) missing_part = NULL;
  g_autoptr (GError) cause = NULL;

  if (value == NULL)
    return NULL;
  missing = whose == HIR_GATHERED ? hir_debug_view_dup_missing_gathered (view, wanted->name, &cause)
                                  : hir_debug_view_dup_missing (view, wanted->name, &cause);
  if (cause != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return NULL;
    }
  for (guint axis = value->n_dims; axis < HIR_MAX_DIMS; axis++)
    if (wanted->query.at[axis] >= 0 || wanted->first[axis] > 0 || wanted->stop[axis] >= 0)
      {
        hir_set_error (error, HIR_ERROR_INPUT, NULL, "T%d has %u axes", wanted->name,
                       value->n_dims);
        return NULL;
      }
  part = hir_debug_dup_slice (value, &slice, FALSE);
  if (part != NULL && missing != NULL)
    missing_part = hir_debug_dup_slice (missing, &slice, FALSE);
  if (part != NULL && digest != NULL)
    *digest = digest_elements (part, &wanted->query);
  if (part != NULL)
    return hir_value_summary_new_without (part, missing_part, &wanted->query, NULL, error);
  g_autofree char *shape = hir_value_describe (value);
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "T%d is %s; the range is out of bounds",
                 wanted->name, shape);
  return NULL;
}

/* Appends a note if an unfinished communication writes some of the printed elements. */
static void
append_transfer (const HirDebugView *view,
                 const Wanted *wanted,
                 HirConsoleWhose whose,
                 GString *out)
{
  const HirDebugSlice slice = { &wanted->query, wanted->first, wanted->stop };
  g_autofree char *note =
      hir_debug_view_dup_transfer_note (view, wanted->name, &slice, whose == HIR_GATHERED);

  if (note != NULL)
    g_string_append_printf (out, "(%s)\n", note);
}

/* Returns TRUE if every axis has a single index. */
static gboolean
is_single (const HirValueSummary *summary)
{
  for (guint axis = 0; axis < summary->n_dims; axis++)
    if (summary->at[axis] < 0)
      return FALSE;
  return summary->n_dims > 0 && summary->page_rows == 1 && summary->page_columns == 1;
}

static void
add_brief (HirConsoleBrief *brief, const char *line, guint64 digest)
{
  if (brief->line->len > 0)
    g_string_append (brief->line, " | ");
  g_string_append (brief->line, line);
  brief->digest = brief->digest * 31 + digest;
}

static gboolean
append_tensor (const HirDebugView *view,
               const Wanted *wanted,
               const char *asked,
               HirConsoleWhose whose,
               GString *out,
               HirConsoleBrief *brief,
               GError **error)
{
  guint64 digest = 0;
  g_autoptr (HirValueSummary) summary =
      summarise (view, wanted, whose, brief != NULL ? &digest : NULL, error);
  g_autofree char *text = NULL;

  if (summary == NULL)
    return FALSE;
  text = hir_value_summary_format (summary);
  if (brief != NULL)
    {
      g_autofree char *line = hir_value_summary_dup_line (summary);

      add_brief (brief, line, digest);
    }
  if (is_single (summary) && whose == HIR_GATHERED)
    g_string_append_printf (out, "%s, gathered = %s\n", asked, summary->page[0]);
  else if (is_single (summary))
    g_string_append_printf (out, "%s on rank %d = %s\n", asked,
                            hir_debug_run_get_rank (view->run, view->i), summary->page[0]);
  else if (whose == HIR_GATHERED)
    g_string_append_printf (out, "%s, gathered: %s", asked, text);
  else
    g_string_append_printf (out, "%s on rank %d: %s", asked,
                            hir_debug_run_get_rank (view->run, view->i), text);
  if (!is_single (summary) && summary->note != NULL)
    g_string_append_printf (out, "(%s)\n", summary->note);
  append_transfer (view, wanted, whose, out);
  return TRUE;
}

static gboolean
append_number (const HirDebugView *view,
               const HirDebugExpr *expr,
               const char *text,
               HirConsoleWhose whose,
               GString *out,
               HirConsoleBrief *brief,
               GError **error)
{
  HirDebugNames names;
  HirDebugNumber number;
  g_autofree char *value = NULL;

  hir_debug_view_init_names (view, &names);
  if (!hir_debug_expr_evaluate (expr, &names, &number, error))
    return FALSE;
  value = hir_debug_number_format (&number);
  if (brief != NULL)
    add_brief (brief, value, g_str_hash (value));
  if (whose == HIR_OF_ALL)
    g_string_append_printf (out, "%s on rank %d = %s\n", text,
                            hir_debug_run_get_rank (view->run, view->i), value);
  else
    g_string_append_printf (out, "%s = %s\n", text, value);
  return TRUE;
}

/* Reads the slice if @expr is a tensor; sets wanted->name to -1 if it is a number. */
static gboolean
read_wanted (const HirDebugView *view, const HirDebugExpr *expr, Wanted *wanted, GError **error)
{
  HirDebugNames names;
  g_autoptr (GError) cause = NULL;

  hir_debug_view_init_names (view, &names);
  hir_value_query_init (&wanted->query);
  wanted->query.map_rows = wanted->query.map_columns = 0;
  wanted->name =
      hir_debug_expr_get_tensor (expr, &names, &wanted->query, wanted->first, wanted->stop, &cause);
  if (cause == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

gboolean
hir_console_append_value (HirConsole *console,
                          const char *text,
                          HirConsoleWhose whose,
                          GString *out,
                          HirConsoleBrief *brief,
                          GError **error)
{
  HirDebugView view = *hir_debugger_get_view (console->debugger);
  g_autoptr (HirDebugExpr) expr = hir_debug_expr_parse (text, error);
  guint begin = whose == HIR_OF_ALL && view.run != NULL ? 0 : view.i;
  guint end = whose == HIR_OF_ALL && view.run != NULL ? view.n_programs : view.i + 1;
  Wanted wanted;

  if (expr == NULL)
    return FALSE;
  if (view.run != NULL)
    (void) hir_debug_run_quiesce (view.run);
  for (view.i = begin; view.i < end; view.i++)
    if (!read_wanted (&view, expr, &wanted, error) ||
        !(wanted.name >= 0 ? append_tensor (&view, &wanted, text, whose, out, brief, error)
                           : append_number (&view, expr, text, whose, out, brief, error)))
      return FALSE;
  return TRUE;
}

gboolean
hir_console_print (const HirConsoleCall *call, int data, GError **error)
{
  const char *text = call->arguments;
  GError *cause = NULL;
  HirConsoleWhose whose;

  if (!hir_console_read_whose (call, &text, &whose, error))
    return FALSE;
  if (*text == '\0')
    return hir_console_reject (call, 0, error,
                               "no expression given; for example: print T5, print StreamIdx");
  if (hir_console_append_value (call->console, text, whose, call->out, NULL, &cause))
    return TRUE;
  return hir_console_pass_error (call, (guint) g_utf8_pointer_to_offset (call->arguments, text),
                                 cause, error);
}

/* Splits "EXPR [ROW [COLUMN]]". Returns EXPR. */
static char *
split_page (const char *arguments, gint64 *row, gint64 *column)
{
  g_auto (GStrv) words = g_strsplit_set (arguments, " \t", -1);
  guint n = g_strv_length (words);
  gint64 numbers[2] = { 0, 0 };
  guint n_numbers = 0;

  while (n > 1 && n_numbers < 2 &&
         (*words[n - 1] == '\0' ||
          g_ascii_string_to_signed (words[n - 1], 10, 0, G_MAXINT64, &numbers[n_numbers], NULL)))
    {
      n_numbers += *words[n - 1] != '\0';
      g_clear_pointer (&words[--n], g_free);
    }
  *row = n_numbers > 0 ? numbers[n_numbers - 1] : -1;
  *column = n_numbers > 1 ? numbers[0] : 0;
  return g_strjoinv (" ", words);
}

gboolean
hir_console_page (const HirConsoleCall *call, int data, GError **error)
{
  HirConsole *console = call->console;
  HirDebugView view = *hir_debugger_get_view (console->debugger);
  g_autoptr (HirValueSummary) summary = NULL;
  g_autoptr (HirDebugExpr) expr = NULL;
  g_autofree char *text = NULL;
  GError *cause = NULL;
  gint64 row, column;
  Wanted wanted;

  if (hir_console_get_run (call, error) == NULL)
    return FALSE;
  text = split_page (call->arguments, &row, &column);
  expr = hir_debug_expr_parse (text, &cause);
  if (expr == NULL || !read_wanted (&view, expr, &wanted, &cause))
    return hir_console_pass_error (call, 0, cause, error);
  if (wanted.name < 0)
    return hir_console_reject (call, 0, error, "x requires a tensor, for example: x T5");
  row = console->page_row >= 0 ? console->page_row : MAX (row, 0);
  wanted.query.page_row = row;
  wanted.query.page_column = column;
  (void) hir_debug_run_quiesce (view.run);
  summary = summarise (&view, &wanted, HIR_OF_THIS, NULL, &cause);
  if (summary == NULL)
    return hir_console_pass_error (call, 0, cause, error);
  for (guint i = 0; i < summary->page_rows; i++)
    {
      g_string_append_printf (call->out, "%8" G_GINT64_FORMAT ":", summary->page_row + i);
      for (guint k = 0; k < summary->page_columns; k++)
        g_string_append_printf (call->out, " %12s", summary->page[i * summary->page_columns + k]);
      g_string_append_c (call->out, '\n');
    }
  append_transfer (&view, &wanted, HIR_OF_THIS, call->out);
  console->page_row = summary->page_row + summary->page_rows < summary->n_rows
                          ? summary->page_row + summary->page_rows
                          : 0;
  return TRUE;
}
