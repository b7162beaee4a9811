/* Tests differences by identity, with views built by hand: each line of a text is one Expr. */
#include "view/program-diff.h"

#include <string.h>

typedef struct
{
  guint64 id; /* 0 for a line that belongs to no Expr */
  const char *text;
  guint64 hash; /* 0: derived from the id */
} Line;

static void
add_span (HirProgramView *view, guint start, guint end, guint64 id, gboolean is_expr)
{
  HirSpan span = { start, end, id, is_expr };

  g_array_append_val (view->spans, span);
}

static HirProgramView *
make_view (const char *name, const Line *lines, guint n)
{
  HirProgramView *view = hir_program_view_new_empty ();
  g_autoptr (GString) text = g_string_new (NULL);

  view->pass_name = g_strdup (name);
  view->spans = g_array_new (FALSE, FALSE, sizeof (HirSpan));
  view->graph = hir_graph_new_empty ();
  for (guint i = 0; i < n; i++)
    {
      guint start = (guint) text->len + (guint) strspn (lines[i].text, " ");

      g_string_append (text, lines[i].text);
      /* A line with the id of the previous line continues its span. */
      if (lines[i].id != 0 && i > 0 && lines[i - 1].id == lines[i].id)
        g_array_index (view->spans, HirSpan, view->spans->len - 1).end = (guint) text->len;
      else if (lines[i].id != 0)
        {
          HirNodeInfo *info = hir_node_info_new (lines[i].id, TRUE);

          info->kind = g_strdup ("Set");
          info->content_hash = lines[i].hash != 0 ? lines[i].hash : lines[i].id;
          hir_program_view_add_node (view, info);
          add_span (view, start, (guint) text->len, lines[i].id, TRUE);
        }
      g_string_append_c (text, '\n');
    }
  view->text = g_strdup (text->str);
  return view;
}

/* Describes the rows, "=a >b -c +d": a sign per row, then the text of the displayed side;
 * departures in brackets. */
static char *
describe (const HirProgramDiff *diff)
{
  static const char signs[] = "=>~!-+";
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < diff->rows->len; i++)
    {
      const HirDiffRow *row = &g_array_index (diff->rows, HirDiffRow, i);
      gboolean is_old = row->is_departure || row->new_line < 0;
      const char *text =
          is_old ? diff->before->text + row->old_start : diff->after->text + row->new_start;
      guint length = is_old ? row->old_end - row->old_start : row->new_end - row->new_start;

      if (out->len > 0)
        g_string_append_c (out, ' ');
      if (row->is_departure)
        g_string_append_c (out, '(');
      g_string_append_c (out, signs[row->kind]);
      if (row->is_moved && row->kind != HIR_ROW_MOVED)
        g_string_append_c (out, '>');
      for (; length > 0 && *text == ' '; text++)
        length--;
      g_string_append_len (out, text, length);
      if (row->is_departure)
        g_string_append_c (out, ')');
    }
  return g_string_free (out, FALSE);
}

static gboolean
has_moved (const HirProgramDiff *diff, guint64 id)
{
  return g_hash_table_contains (diff->moved, &id);
}

static HirProgramDiff *
diff_of (const Line *old, guint n_old, const Line *new, guint n_new)
{
  g_autoptr (HirProgramView) a = make_view ("Before", old, n_old);
  g_autoptr (HirProgramView) b = make_view ("After", new, n_new);

  return hir_program_diff_new (a, b);
}

#define DIFF(old, new) diff_of (old, G_N_ELEMENTS (old), new, G_N_ELEMENTS (new))

static void
assert_rows (const HirProgramDiff *diff, const char *want)
{
  g_autofree char *got = describe (diff);

  g_assert_cmpstr (got, ==, want);
}

static void
test_moved (void)
{
  const Line old[] = { { 1, "a" }, { 2, "b" }, { 3, "c" }, { 4, "d" } };
  const Line new[] = { { 2, "b" }, { 3, "c" }, { 4, "d" }, { 1, "a" } };
  g_autoptr (HirProgramDiff) diff = DIFF (old, new);
  g_autofree char *unified = hir_program_diff_to_unified (diff, 1);
  g_autofree char *summary = hir_program_diff_to_summary (diff);

  assert_rows (diff, "(>a) =b =c =d >a");
  g_assert_cmpuint (diff->n_moved, ==, 1);
  g_assert_cmpuint (diff->n_created + diff->n_removed + diff->n_changed, ==, 0);
  g_assert_true (has_moved (diff, 1));
  g_assert_false (has_moved (diff, 2));
  g_assert_cmpstr (unified, ==, "--- Before\n+++ After\n@@ -4,1 +3,2 @@\n d\n>a\n");
  g_assert_cmpstr (summary, ==, "1 moved");
}

/* A line with the same text but another node is another line; a line with the same node is the same
 * line. */
static void
test_identity (void)
{
  const Line old[] = { { 1, "x = f(y)" }, { 2, "wait" } };
  const Line new[] = { { 7, "x = f(y)" }, { 2, "wait" } };
  const Line renamed[] = { { 1, "z = f(y)" }, { 2, "wait" } };
  const Line changed[] = { { 1, "x = g(y)", 99 }, { 2, "wait" } };
  const Line hidden[] = { { 1, "x = f(y)", 99 }, { 2, "wait" } };
  g_autoptr (HirProgramDiff) other = DIFF (old, new);
  g_autoptr (HirProgramDiff) reworded = DIFF (old, renamed);
  g_autoptr (HirProgramDiff) edited = DIFF (old, changed);
  g_autoptr (HirProgramDiff) unseen = DIFF (old, hidden);
  g_autofree char *unified = hir_program_diff_to_unified (unseen, 0);

  assert_rows (other, "-x = f(y) +x = f(y) =wait");
  assert_rows (reworded, "~z = f(y) =wait");
  g_assert_cmpuint (reworded->n_changed, ==, 0);
  assert_rows (edited, "!x = g(y) =wait");
  g_assert_cmpuint (edited->n_changed, ==, 1);
  assert_rows (unseen, "!x = f(y) =wait");
  g_assert_cmpstr (unified, ==, "--- Before\n+++ After\n@@ -1,1 +1,1 @@\n~x = f(y)\n");
}

/* Moved into a loop: the loop is new, its contents have moved, and a change of indentation does not
 * count. */
static void
test_nesting (void)
{
  const Line old[] = { { 0, "head {" }, { 1, "  a" }, { 2, "  b" }, { 0, "}" } };
  const Line new[] = { { 0, "head {" }, { 9, "  FOR" }, { 1, "    a" }, { 2, "  b" }, { 0, "}" } };
  const Line deeper[] = { { 0, "head {" },  { 8, "  IF" }, { 9, "    FOR" },
                          { 1, "      a" }, { 2, "  b" },  { 0, "}" } };
  g_autoptr (HirProgramDiff) diff = DIFF (old, new);
  g_autoptr (HirProgramDiff) again = DIFF (new, deeper);

  assert_rows (diff, "=head { (>a) +FOR >a =b =}");
  g_assert_cmpuint (diff->n_created, ==, 1);
  g_assert_cmpuint (diff->n_moved, ==, 1);
  /* The loop moved into the IF; its body stayed in the loop. */
  g_assert_true (has_moved (again, 9));
  g_assert_false (has_moved (again, 1));
}

static void
test_blocks (void)
{
  const Line old[] = { { 1, "T1" }, { 1, "  = f(T0)" }, { 2, "b" }, { 3, "c" } };
  const Line new[] = { { 1, "T1" }, { 1, "  = f(T0," }, { 1, "     T2)" }, { 2, "b" }, { 3, "c" } };
  const Line both[] = { { 2, "b" }, { 3, "c" }, { 1, "T1", 5 }, { 1, "  = g(T0)" } };
  const Line way[] = { { 1, "IF" }, { 2, "b" } };
  const Line ways[] = { { 1, "IF" }, { 2, "b" }, { 1, "ELSE" } };
  g_autoptr (HirProgramDiff) longer = DIFF (old, new);
  g_autoptr (HirProgramDiff) gone = DIFF (old, both);
  g_autoptr (HirProgramDiff) branch = DIFF (way, ways);
  g_autofree char *unified = hir_program_diff_to_unified (gone, 3);

  assert_rows (longer, "=T1 ~= f(T0, !T2) =b =c");
  /* Moved and changed: the changed line is shown with its old text at its new position. */
  assert_rows (gone, "(>T1) (!>= f(T0)) =b =c >T1 !>= g(T0)");
  g_assert_cmpstr (unified, ==,
                   "--- Before\n+++ After\n@@ -2,3 +1,4 @@\n b\n c\n>T1\n-  = f(T0)\n+  = g(T0)\n");
  /* The second span of an Expr is another line, but not a new Expr. */
  assert_rows (branch, "=IF =b +ELSE");
  g_assert_cmpuint (branch->n_created, ==, 0);
}

static void
test_nothing (void)
{
  const Line lines[] = { { 1, "a" }, { 2, "b" } };
  g_autoptr (HirProgramDiff) same = DIFF (lines, lines);
  g_autoptr (HirProgramDiff) made = diff_of (lines, 0, lines, 2);
  g_autoptr (HirProgramDiff) gone = diff_of (lines, 2, lines, 0);
  g_autofree char *unified = hir_program_diff_to_unified (same, 3);
  g_autofree char *summary = hir_program_diff_to_summary (same);
  g_autofree char *all = hir_program_diff_to_summary (gone);

  assert_rows (same, "=a =b");
  g_assert_cmpstr (unified, ==, "");
  g_assert_cmpstr (summary, ==, "no difference");
  assert_rows (made, "+a +b");
  assert_rows (gone, "-a -b");
  g_assert_cmpstr (all, ==, "2 removed");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/program-diff/moved", test_moved);
  g_test_add_func ("/program-diff/identity", test_identity);
  g_test_add_func ("/program-diff/nesting", test_nesting);
  g_test_add_func ("/program-diff/blocks", test_blocks);
  g_test_add_func ("/program-diff/nothing", test_nothing);
  return g_test_run ();
}
