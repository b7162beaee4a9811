#include "view/program-diff.h"

#include <string.h>

#include "view/program-diff-internal.h"

/* Axes and HostUnits are part of what they belong to: to tell them too would tell everything twice.
 */
static gboolean
is_told (const HirNodeInfo *info)
{
  return g_strcmp0 (info->kind, "IterDomain") != 0 && g_strcmp0 (info->kind, "HostUnit") != 0;
}

static void
note_change (HirProgramDiff *diff, const HirNodeInfo *info)
{
  HirChange change = hir_program_view_get_change (diff->before, diff->after, info->id);

  if (!is_told (info) || change == HIR_CHANGE_NONE)
    return;
  /* The key lives as long as the view. */
  g_hash_table_insert (diff->changes, (gpointer) &info->id, GUINT_TO_POINTER (change));
  diff->n_created += change == HIR_CHANGE_CREATED;
  diff->n_changed += change == HIR_CHANGE_CHANGED;
  diff->n_removed += change == HIR_CHANGE_REMOVED;
}

static void
add_changes (HirProgramDiff *diff)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, diff->after->nodes);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    note_change (diff, value);
  g_hash_table_iter_init (&iter, diff->before->nodes);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (hir_program_view_lookup (diff->after, ((const HirNodeInfo *) value)->id) == NULL)
      note_change (diff, value);
}

HirProgramDiff *
hir_program_diff_new (HirProgramView *before, HirProgramView *after)
{
  HirProgramDiff *diff;

  g_return_val_if_fail (before != NULL && after != NULL, NULL);

  diff = g_new0 (HirProgramDiff, 1);
  g_atomic_ref_count_init (&diff->ref_count);
  diff->before = hir_program_view_ref (before);
  diff->after = hir_program_view_ref (after);
  diff->changes = g_hash_table_new (g_int64_hash, g_int64_equal);
  diff->moved = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  diff->remade = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  diff->rows = g_array_new (FALSE, FALSE, sizeof (HirDiffRow));
  add_changes (diff);
  hir_program_diff_add_rows (diff);
  diff->n_moved = g_hash_table_size (diff->moved);
  return diff;
}

HirProgramDiff *
hir_program_diff_ref (HirProgramDiff *diff)
{
  g_atomic_ref_count_inc (&diff->ref_count);
  return diff;
}

void
hir_program_diff_unref (HirProgramDiff *diff)
{
  if (diff == NULL || !g_atomic_ref_count_dec (&diff->ref_count))
    return;
  g_hash_table_unref (diff->changes);
  g_hash_table_unref (diff->moved);
  g_hash_table_unref (diff->remade);
  g_array_unref (diff->rows);
  hir_program_view_unref (diff->before);
  hir_program_view_unref (diff->after);
  g_free (diff);
}

HirChange
hir_program_diff_get_change (const HirProgramDiff *diff, guint64 id)
{
  return (HirChange) GPOINTER_TO_UINT (g_hash_table_lookup (diff->changes, &id));
}

gboolean
hir_program_diff_has_moved (const HirProgramDiff *diff, guint64 id)
{
  return g_hash_table_contains (diff->moved, &id);
}

char *
hir_program_diff_to_summary (const HirProgramDiff *diff)
{
  const struct
  {
    guint n;
    const char *what;
  } parts[] = {
    { diff->n_created, "added" },
    { diff->n_removed, "removed" },
    { diff->n_changed, "changed" },
    { diff->n_moved, "moved" },
  };
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (parts[i].n > 0)
      g_string_append_printf (out, "%s%u %s", out->len > 0 ? ", " : "", parts[i].n, parts[i].what);
  if (out->len == 0)
    g_string_append (out, "no difference");
  return g_string_free (out, FALSE);
}

/* A row takes one line of `--diff`, or two where the old and the new wording both are shown. */
static void
append_line (GString *out, char sign, const char *text, guint start, guint end)
{
  g_string_append_c (out, sign);
  g_string_append_len (out, text + start, end - start);
  g_string_append_c (out, '\n');
}

static gboolean
is_quiet (const HirDiffRow *row)
{
  return row->kind == HIR_ROW_SAME || row->is_departure;
}

static gboolean
has_equal_texts (const HirProgramDiff *diff, const HirDiffRow *row)
{
  return row->old_line >= 0 && row->new_line >= 0 &&
         row->old_end - row->old_start == row->new_end - row->new_start &&
         memcmp (diff->before->text + row->old_start, diff->after->text + row->new_start,
                 row->old_end - row->old_start) == 0;
}

static void
append_row (GString *out, const HirProgramDiff *diff, const HirDiffRow *row)
{
  const char *old_text = diff->before->text, *new_text = diff->after->text;

  if (row->is_departure)
    return;
  if (row->kind == HIR_ROW_SAME)
    append_line (out, ' ', new_text, row->new_start, row->new_end);
  else if (row->kind == HIR_ROW_MOVED)
    append_line (out, '>', new_text, row->new_start, row->new_end);
  else if (has_equal_texts (diff, row))
    append_line (out, '~', new_text, row->new_start, row->new_end);
  else
    {
      if (row->old_line >= 0)
        append_line (out, '-', old_text, row->old_start, row->old_end);
      if (row->new_line >= 0)
        append_line (out, '+', new_text, row->new_start, row->new_end);
    }
}

/* A run of rows that is shown together. */
static void
append_hunk (GString *out, const HirProgramDiff *diff, guint from, guint to)
{
  int old_first = -1, new_first = -1, n_old = 0, n_new = 0;

  for (guint i = from; i < to; i++)
    {
      const HirDiffRow *row = &g_array_index (diff->rows, HirDiffRow, i);
      gboolean counts_old = row->old_line >= 0 && (row->is_departure || !row->is_moved);

      if (counts_old && n_old++ == 0)
        old_first = row->old_line;
      if (row->new_line >= 0 && !row->is_departure && n_new++ == 0)
        new_first = row->new_line;
    }
  g_string_append_printf (out, "@@ -%d,%d +%d,%d @@\n", old_first + 1, n_old, new_first + 1, n_new);
  for (guint i = from; i < to; i++)
    append_row (out, diff, &g_array_index (diff->rows, HirDiffRow, i));
}

char *
hir_program_diff_to_unified (const HirProgramDiff *diff, guint context)
{
  GString *out = g_string_new (NULL);
  guint i = 0;

  while (i < diff->rows->len)
    {
      guint from, to, quiet = 0;

      if (is_quiet (&g_array_index (diff->rows, HirDiffRow, i)))
        {
          i++;
          continue;
        }
      from = i > context ? i - context : 0;
      /* The hunk goes on while the next difference is near enough for the contexts to touch. */
      for (to = i; to < diff->rows->len && quiet <= 2 * context; to++)
        quiet = is_quiet (&g_array_index (diff->rows, HirDiffRow, to)) ? quiet + 1 : 0;
      to -= quiet > context ? quiet - context : 0;
      if (out->len == 0)
        g_string_append_printf (out, "--- %s\n+++ %s\n", diff->before->pass_name,
                                diff->after->pass_name);
      append_hunk (out, diff, from, to);
      i = to;
    }
  return g_string_free (out, FALSE);
}
