/* Blocks are found from the indentation of lines. */
#include "program/repair-free.h"

#include <string.h>

static const char *
get_text (const HirRepairText *text, int line)
{
  return line < (int) text->lines->len ? g_ptr_array_index (text->lines, line) : "";
}

static guint
get_indent (const HirRepairText *text, int line)
{
  return (guint) strspn (get_text (text, line), " ");
}

/* Returns the line after the block of @allocation. */
static int
find_end (const HirRepairText *text, const HirExpr *allocation)
{
  int line = (int) allocation->node.pos.line - 1, end = line + 1;

  while (end < (int) text->lines->len &&
         (*get_text (text, end) == '\0' || get_indent (text, end) >= get_indent (text, line)))
    end++;
  return end;
}

/* Appends the Deallocate of the tensor of @allocation. */
static void
append_free (const HirRepairText *text, const HirExpr *allocation, GString *lines, GString *names)
{
  int line = (int) allocation->node.pos.line - 1;
  const char *tensor = get_text (text, line) + get_indent (text, line);
  const char *end = strstr (tensor, " = ALLOCATE(");

  if (end == NULL)
    return;
  g_string_append_printf (lines, "%sDeallocate {\n  %.*s\n}", lines->len > 0 ? "\n" : "",
                          (int) (end - tensor), tensor);
  g_string_append_printf (names, "%sT%d", names->len > 0 ? ", " : "Deallocate ",
                          allocation->u.allocate.buffer->base.name);
}

void
hir_repair_free_add_edits (const HirRepairText *text,
                           const GPtrArray *allocations,
                           GPtrArray *edits)
{
  for (guint i = 0; i < allocations->len; i++)
    {
      const HirExpr *first = g_ptr_array_index (allocations, i);
      int end = find_end (text, first);
      g_autoptr (GString) lines = g_string_new (NULL);
      g_autoptr (GString) names = g_string_new (NULL);
      gboolean is_new = first->node.pos.line > 0;

      for (guint k = 0; k < i; k++)
        is_new &= find_end (text, g_ptr_array_index (allocations, k)) != end;
      for (guint k = i; k < allocations->len && is_new; k++)
        if (find_end (text, g_ptr_array_index (allocations, k)) == end)
          append_free (text, g_ptr_array_index (allocations, k), lines, names);
      if (lines->len > 0)
        {
          HirRepairEdit *edit =
              hir_repair_edit_new (end, get_indent (text, (int) first->node.pos.line - 1),
                                   lines->str, -1);

          edit->frees = g_string_free (g_steal_pointer (&names), FALSE);
          g_ptr_array_add (edits, edit);
        }
    }
}
