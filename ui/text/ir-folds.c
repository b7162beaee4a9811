#include "text/ir-folds.h"

#include <string.h>

#define UNIT_END "} // %kernel"

/* A head whose body has not ended yet. */
typedef struct
{
  guint region;
  guint indent;
  gboolean is_unit;
} Open;

/* Returns the node whose text starts at byte @at, or 0. *@span is the index where the search
 * continues. */
static guint64
find_id (const HirProgramView *view, guint at, guint *span)
{
  for (; *span < view->spans->len; (*span)++)
    {
      const HirSpan *found = &g_array_index (view->spans, HirSpan, *span);

      if (found->start > at)
        break;
      if (found->start == at && found->is_expr)
        return found->id;
    }
  return 0;
}

static gboolean
is_head (const char *line, const char *end, gboolean *is_unit)
{
  *is_unit = g_str_has_prefix (line, "HostUnit");
  return *is_unit || (end > line && end[-1] == ':' &&
                      (g_str_has_prefix (line, "FOR ") || g_str_has_prefix (line, "IF ") ||
                       g_str_has_prefix (line, "ELSE:")));
}

/* Closes the regions that end before or in line @row. A HostUnit ends with its own last line, a
 * loop before the first line that is not indented more than its head. */
static void
close_over (GArray *open, GArray *regions, guint row, guint indent, const char *line)
{
  while (open->len > 0)
    {
      const Open *top = &g_array_index (open, Open, open->len - 1);
      HirFoldRegion *region = &g_array_index (regions, HirFoldRegion, top->region);

      if (top->is_unit ? !g_str_has_prefix (line, UNIT_END) : indent > top->indent)
        return;
      region->last = top->is_unit ? row : row - 1;
      g_array_set_size (open, open->len - 1);
    }
}

/* Removes regions without lines to hide. */
static void
remove_empty (GArray *regions)
{
  for (guint i = regions->len; i-- > 0;)
    {
      const HirFoldRegion *region = &g_array_index (regions, HirFoldRegion, i);

      if (region->last <= region->head)
        g_array_remove_index (regions, i);
    }
}

static const char *
find_end (const char *line)
{
  const char *newline = strchr (line, '\n');

  return newline != NULL ? newline : line + strlen (line);
}

GArray *
hir_ir_folds_find (const HirProgramView *view)
{
  GArray *regions = g_array_new (FALSE, FALSE, sizeof (HirFoldRegion));
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (Open));
  const char *next;
  guint span = 0, row = 0;

  for (const char *at = view->text; *at != '\0'; at = next, row++)
    {
      const char *end = find_end (at);
      guint indent = (guint) strspn (at, " ");
      Open head = { regions->len, indent, FALSE };
      guint64 id;

      next = *end == '\n' ? end + 1 : end;
      if (at + indent >= end)
        continue;
      close_over (open, regions, row, indent, at);
      id = find_id (view, (guint) (at - view->text) + indent, &span);
      if (id != 0 && is_head (at + indent, end, &head.is_unit))
        {
          HirFoldRegion region = { row, row, id };

          region.key += g_str_has_prefix (at + indent, "ELSE:") ? 1 : 0;
          g_array_append_val (regions, region);
          g_array_append_val (open, head);
        }
    }
  close_over (open, regions, row, 0, UNIT_END);
  remove_empty (regions);
  return regions;
}
