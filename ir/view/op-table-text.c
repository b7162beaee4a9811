/* Prints an op table side by side. */
#include "view/op-table.h"

#include <string.h>

#define INDENT 2

static const HirOpLine *
get_line (const HirOpGroup *group, guint side, guint i)
{
  return &g_array_index (group->lines[side], HirOpLine, i);
}

static char *
dup_cell (const HirOpLine *line)
{
  return g_strdup_printf ("%4u  %*s%s", line->line, (int) (INDENT * line->depth), "", line->label);
}

static guint
get_width (const GPtrArray *groups, const char *heading)
{
  guint width = (guint) g_utf8_strlen (heading, -1);

  for (guint g = 0; g < groups->len; g++)
    {
      const HirOpGroup *group = g_ptr_array_index (groups, g);

      for (guint i = 0; i < group->lines[0]->len; i++)
        {
          g_autofree char *cell = dup_cell (get_line (group, 0, i));

          width = MAX (width, (guint) g_utf8_strlen (cell, -1));
        }
    }
  return width;
}

static void
append_cells (GString *out, const char *left, const char *right, guint width)
{
  gsize n = (gsize) g_utf8_strlen (left, -1);

  g_string_append (out, left);
  if (*right != '\0')
    g_string_append_printf (out, "%*s | %s", (int) (width - n), "", right);
  else if (*left != '\0')
    g_string_append_printf (out, "%*s |", (int) (width - n), "");
  g_string_append_c (out, '\n');
}

static void
append_row (GString *out, const HirOpGroup *group, gboolean has[2], const guint at[2], guint width)
{
  g_autofree char *left = has[0] ? dup_cell (get_line (group, 0, at[0])) : g_strdup ("");
  g_autofree char *right = has[1] ? dup_cell (get_line (group, 1, at[1])) : g_strdup ("");

  append_cells (out, left, right, width);
}

/* Returns the lengths of the longest common subsequences of roles: [i * (m + 1) + j] is that of the
 * lines from i on the left and from j on the right. */
static guint *
measure (const HirOpGroup *group)
{
  guint n = group->lines[0]->len, m = group->lines[1]->len;
  guint *length = g_new0 (guint, (gsize) (n + 1) * (m + 1));

  for (guint i = n; i-- > 0;)
    for (guint j = m; j-- > 0;)
      length[i * (m + 1) + j] =
          strcmp (get_line (group, 0, i)->role, get_line (group, 1, j)->role) == 0
              ? length[(i + 1) * (m + 1) + j + 1] + 1
              : MAX (length[(i + 1) * (m + 1) + j], length[i * (m + 1) + j + 1]);
  return length;
}

/* Instructions of one role are next to each other, as far as the order of both programs allows. */
static void
append_rows (GString *out, const HirOpGroup *group, guint width)
{
  guint n = group->lines[0]->len, m = group->lines[1]->len;
  g_autofree guint *length = measure (group);
  guint at[2] = { 0, 0 };

  if (n == 0 && m == 0)
    g_string_append (out, "      (no instruction)\n");
  while (at[0] < n || at[1] < m)
    {
      guint here = at[0] * (m + 1) + at[1];
      gboolean both = at[0] < n && at[1] < m;
      gboolean is_pair =
          both && strcmp (get_line (group, 0, at[0])->role, get_line (group, 1, at[1])->role) == 0;
      gboolean is_left =
          is_pair || at[1] == m || (both && length[here + m + 1] >= length[here + 1]);
      gboolean has[2] = { is_left, is_pair || !is_left };

      append_row (out, group, has, at, width);
      at[0] += has[0];
      at[1] += has[1];
    }
}

char *
hir_op_table_to_text (const HirOpTable *table, const char *path, const char *const names[2])
{
  const GPtrArray *groups = hir_op_table_get_groups (table);
  GString *out = g_string_new (NULL);
  g_autofree char *left = g_strconcat ("      ", names[0], NULL);
  g_autofree char *right = g_strconcat ("      ", names[1], NULL);
  guint width = get_width (groups, left);

  append_cells (out, left, right, width);
  for (guint i = 0; i < groups->len; i++)
    {
      const HirOpGroup *group = g_ptr_array_index (groups, i);

      if (group->label == NULL && group->lines[0]->len + group->lines[1]->len == 0)
        continue;
      g_string_append_c (out, '\n');
      if (group->label == NULL)
        g_string_append (out, "loops and streams\n");
      else if (group->pos.line > 0)
        g_string_append_printf (out, "%s:%u: %s\n", path, group->pos.line, group->label);
      else
        g_string_append_printf (out, "%s\n", group->label);
      append_rows (out, group, width);
    }
  return g_string_free (out, FALSE);
}
