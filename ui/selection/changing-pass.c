#include "selection/changing-pass.h"

static gboolean
changes_selection (HirSelection *selection, guint step)
{
  const GPtrArray *views = hir_selection_get_program (selection)->views;
  const HirProgramView *before = views->pdata[step - 1], *after = views->pdata[step];
  GArray *ids = hir_selection_get_nodes_at (selection, step);

  if (!after->changed)
    return FALSE;
  for (guint i = 0; i < ids->len; i++)
    if (hir_program_view_get_change (before, after, g_array_index (ids, guint64, i)) !=
        HIR_CHANGE_NONE)
      return TRUE;
  return ids->len == 0 && hir_selection_get_nodes_at (selection, step - 1)->len > 0;
}

int
hir_selection_find_changing_pass (HirSelection *selection, int after)
{
  const HirProgram *program = hir_selection_get_program (selection);

  if (program == NULL || hir_selection_get_node (selection) == 0)
    return -1;
  for (guint step = (guint) MAX (after + 1, 1); step < program->views->len; step++)
    if (changes_selection (selection, step))
      return (int) step;
  return -1;
}
