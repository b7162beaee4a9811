#include "view/text-diff.h"

#include <string.h>

/* Edits beyond which two texts count as unrelated; 20,000 lines of host IR differ by far less. */
#define DEFAULT_MAX_COST 4000

typedef struct
{
  guint start, end;
} Line;

/* The lines of both texts as numbers: equal lines have equal numbers. */
typedef struct
{
  Line *lines;
  guint *words;
  guint n;
} Side;

typedef struct
{
  const guint *a, *b;
  int max_cost;
  int *forward, *backward; /* furthest x on each diagonal; index 0 is diagonal -offset */
  int offset;
  gboolean *a_kept, *b_kept;
} Differ;

static Side
side_new (const char *text, GHashTable *numbers)
{
  g_autoptr (GArray) lines = g_array_new (FALSE, FALSE, sizeof (Line));
  g_autoptr (GArray) words = g_array_new (FALSE, FALSE, sizeof (guint));
  const char *at = text;
  Side side;

  while (*at != '\0')
    {
      const char *end = strchrnul (at, '\n');
      Line line = { (guint) (at - text), (guint) (end - text) };
      g_autofree char *copy = g_strndup (at, (gsize) (end - at));
      gpointer found = g_hash_table_lookup (numbers, copy);
      guint word;

      if (found == NULL)
        {
          found = GUINT_TO_POINTER (g_hash_table_size (numbers) + 1);
          g_hash_table_insert (numbers, g_steal_pointer (&copy), found);
        }
      word = GPOINTER_TO_UINT (found);
      g_array_append_val (lines, line);
      g_array_append_val (words, word);
      at = *end == '\n' ? end + 1 : end;
    }
  side.n = lines->len;
  side.lines = (Line *) g_array_free (g_steal_pointer (&lines), FALSE);
  side.words = (guint *) g_array_free (g_steal_pointer (&words), FALSE);
  return side;
}

/* One more step of the search from the start. TRUE where it met the other one: then (*x, *y) is a
 * point on a shortest path. */
static gboolean
step_forward (Differ *d, int cost, int n, int m, const guint *a, const guint *b, int *x, int *y)
{
  int *v = d->forward + d->offset;
  int *w = d->backward + d->offset;
  int delta = n - m;

  for (int k = -cost; k <= cost; k += 2)
    {
      int px = k == -cost || (k != cost && v[k - 1] < v[k + 1]) ? v[k + 1] : v[k - 1] + 1;
      int py = px - k;

      if (px > n || py > m || py < 0)
        {
          v[k] = px > n ? n + 1 : px;
          continue;
        }
      while (px < n && py < m && a[px] == b[py])
        px++, py++;
      v[k] = px;
      if ((delta & 1) && k >= delta - (cost - 1) && k <= delta + (cost - 1) && px >= w[k - delta])
        {
          *x = px;
          *y = py;
          return TRUE;
        }
    }
  return FALSE;
}

/* The same from the end; diagonals are counted from it, and w holds the smallest x. */
static gboolean
step_backward (Differ *d, int cost, int n, int m, const guint *a, const guint *b, int *x, int *y)
{
  int *v = d->forward + d->offset;
  int *w = d->backward + d->offset;
  int delta = n - m;

  for (int k = -cost; k <= cost; k += 2)
    {
      int px = k == cost || (k != -cost && w[k - 1] < w[k + 1]) ? w[k - 1] : w[k + 1] - 1;
      int py = px - (k + delta);

      if (px < 0 || py < 0 || py > m)
        {
          w[k] = px < 0 ? -1 : px;
          continue;
        }
      while (px > 0 && py > 0 && a[px - 1] == b[py - 1])
        px--, py--;
      w[k] = px;
      if (!(delta & 1) && k + delta >= -cost && k + delta <= cost && v[k + delta] >= px)
        {
          *x = px;
          *y = py;
          return TRUE;
        }
    }
  return FALSE;
}

/* Where to cut the two ranges in halves: a point on a shortest path, or FALSE past the cost. */
static gboolean
find_middle (Differ *d, int a0, int a1, int b0, int b1, int *x, int *y)
{
  int n = a1 - a0, m = b1 - b0;
  int limit = MIN ((n + m + 1) / 2, d->max_cost);

  for (int i = -limit - 1; i <= limit + 1; i++)
    {
      d->forward[d->offset + i] = -1;
      d->backward[d->offset + i] = n + 1;
    }
  d->forward[d->offset + 1] = 0;
  d->backward[d->offset - 1] = n;
  for (int cost = 0; cost <= limit; cost++)
    {
      if (step_forward (d, cost, n, m, d->a + a0, d->b + b0, x, y) ||
          step_backward (d, cost, n, m, d->a + a0, d->b + b0, x, y))
        {
          *x += a0;
          *y += b0;
          return TRUE;
        }
    }
  return FALSE;
}

/* Marks what both have. Recursion halves the cost each time: depth is logarithmic. */
static void
compare (Differ *d, int a0, int a1, int b0, int b1)
{
  int x, y;

  while (a0 < a1 && b0 < b1 && d->a[a0] == d->b[b0])
    {
      d->a_kept[a0++] = TRUE;
      d->b_kept[b0++] = TRUE;
    }
  while (a0 < a1 && b0 < b1 && d->a[a1 - 1] == d->b[b1 - 1])
    {
      d->a_kept[--a1] = TRUE;
      d->b_kept[--b1] = TRUE;
    }
  if (a0 == a1 || b0 == b1)
    return;
  if (!find_middle (d, a0, a1, b0, b1, &x, &y))
    return;
  if ((x == a0 && y == b0) || (x == a1 && y == b1))
    return;
  compare (d, a0, x, b0, y);
  compare (d, x, a1, y, b1);
}

static GArray *
merge_lines (const Side *a, const Side *b, const Differ *d)
{
  GArray *result = g_array_new (FALSE, FALSE, sizeof (HirDiffLine));
  guint i = 0, j = 0;

  while (i < a->n || j < b->n)
    {
      HirDiffLine line;

      if (i < a->n && !d->a_kept[i])
        {
          line = (HirDiffLine){ HIR_LINE_REMOVED, a->lines[i].start, a->lines[i].end, (int) i, -1 };
          i++;
        }
      else if (j < b->n && !d->b_kept[j])
        {
          line = (HirDiffLine){ HIR_LINE_ADDED, b->lines[j].start, b->lines[j].end, -1, (int) j };
          j++;
        }
      else
        {
          g_assert (i < a->n && j < b->n && a->words[i] == b->words[j]);
          line =
              (HirDiffLine){ HIR_LINE_SAME, b->lines[j].start, b->lines[j].end, (int) i, (int) j };
          i++;
          j++;
        }
      g_array_append_val (result, line);
    }
  return result;
}

GArray *
hir_text_diff (const char *old_text, const char *new_text, guint max_cost)
{
  g_autoptr (GHashTable) numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Side a = side_new (old_text, numbers);
  Side b = side_new (new_text, numbers);
  Differ d = { a.words, b.words, (int) (max_cost > 0 ? max_cost : DEFAULT_MAX_COST) };
  int span = MIN ((int) (a.n + b.n + 1) / 2, d.max_cost) + 2;
  GArray *result;

  d.offset = span;
  d.forward = g_new (int, 2 * span + 1);
  d.backward = g_new (int, 2 * span + 1);
  d.a_kept = g_new0 (gboolean, a.n + 1);
  d.b_kept = g_new0 (gboolean, b.n + 1);
  compare (&d, 0, (int) a.n, 0, (int) b.n);
  result = merge_lines (&a, &b, &d);

  g_free (d.forward);
  g_free (d.backward);
  g_free (d.a_kept);
  g_free (d.b_kept);
  g_free (a.lines);
  g_free (a.words);
  g_free (b.lines);
  g_free (b.words);
  return result;
}

/* A run of lines of the listing that is shown together. */
static void
append_hunk (
    GString *out, GArray *lines, guint from, guint to, const char *old_text, const char *new_text)
{
  int old_first = -1, new_first = -1, n_old = 0, n_new = 0;

  for (guint i = from; i < to; i++)
    {
      const HirDiffLine *line = &g_array_index (lines, HirDiffLine, i);

      if (line->old_line >= 0 && n_old++ == 0)
        old_first = line->old_line;
      if (line->new_line >= 0 && n_new++ == 0)
        new_first = line->new_line;
    }
  g_string_append_printf (out, "@@ -%d,%d +%d,%d @@\n", old_first + 1, n_old, new_first + 1, n_new);
  for (guint i = from; i < to; i++)
    {
      const HirDiffLine *line = &g_array_index (lines, HirDiffLine, i);
      const char *text = line->kind == HIR_LINE_REMOVED ? old_text : new_text;

      g_string_append_c (out, " -+"[line->kind]);
      g_string_append_len (out, text + line->start, line->end - line->start);
      g_string_append_c (out, '\n');
    }
}

char *
hir_text_diff_unified (const char *old_text,
                       const char *new_text,
                       const char *old_label,
                       const char *new_label,
                       guint context)
{
  g_autoptr (GArray) lines = hir_text_diff (old_text, new_text, 0);
  GString *out = g_string_new (NULL);
  guint i = 0;

  while (i < lines->len)
    {
      guint from, to, quiet = 0;

      if (g_array_index (lines, HirDiffLine, i).kind == HIR_LINE_SAME)
        {
          i++;
          continue;
        }
      from = i > context ? i - context : 0;
      /* The hunk goes on while the next change is near enough for the contexts to touch. */
      for (to = i; to < lines->len && quiet <= 2 * context; to++)
        quiet = g_array_index (lines, HirDiffLine, to).kind == HIR_LINE_SAME ? quiet + 1 : 0;
      to -= quiet > context ? quiet - context : 0;
      if (out->len == 0)
        g_string_append_printf (out, "--- %s\n+++ %s\n", old_label, new_label);
      append_hunk (out, lines, from, to, old_text, new_text);
      i = to;
    }
  return g_string_free (out, FALSE);
}
