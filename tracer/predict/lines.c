/* Finds the lines of instructions. */
#include "predict/lines.h"

#include "brief.h"
#include "print/print.h"

GArray *
hir_program_dup_lines (HirProgram *program)
{
  HirContainer *host = hir_program_get_host (program);
  GArray *lines = g_array_new (FALSE, FALSE, sizeof (HirProgramLine));
  g_autoptr (GArray) spans = NULL;
  g_autofree char *text = hir_container_print (host, program->request->format, &spans);
  guint line = 1, offset = 0;

  for (guint i = 0; i < spans->len; i++)
    {
      const HirSpan *span = &g_array_index (spans, HirSpan, i);
      HirProgramLine found;

      for (; offset < span->start; offset++)
        line += text[offset] == '\n';
      found = (HirProgramLine){ line,
                                span->is_expr ? hir_container_lookup_expr (host, span->id) : NULL };
      if (found.expr != NULL)
        g_array_append_val (lines, found);
    }
  return lines;
}

char *
hir_program_line_dup_text (const HirProgramLine *line)
{
  gboolean is_default = line->expr->kind == HIR_EXPR_SYNCHRONIZE &&
                        hir_stream_is_default (line->expr->u.stream.stream);
  g_autofree char *text =
      is_default ? hir_brief_expr_label (line->expr) : hir_expr_to_string (line->expr);

  return g_strdup_printf ("%s in program line %u", text, line->line);
}

const HirProgramLine *
hir_program_lines_find (const GArray *lines, guint number)
{
  for (guint i = 0; i < lines->len; i++)
    if (g_array_index (lines, HirProgramLine, i).line == number)
      return &g_array_index (lines, HirProgramLine, i);
  return NULL;
}
