/* Compares the texts of two snapshots side by side. Each text is cut into blocks: the lines of one
 * Expr, or one line that belongs to no Expr (a header, an end, a tensor in a list). Blocks with the
 * same key belong together, wherever they are. The longest run of them that is in the same order in
 * both texts stays in place; the others have moved. */
#include "view/program-diff.h"

#include <string.h>

static void
note_change (HirProgramDiff *diff, const HirNodeInfo *info)
{
  HirChange change = hir_program_view_get_change (diff->before, diff->after, info->id);

  if (hir_node_info_is_part (info) || change == HIR_CHANGE_NONE)
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

HirChange
hir_program_diff_get_change (const HirProgramDiff *diff, guint64 id)
{
  return (HirChange) GPOINTER_TO_UINT (g_hash_table_lookup (diff->changes, &id));
}

typedef struct
{
  guint64 key;
  guint64 id;      /* the Expr, or 0 */
  guint64 subject; /* the tensor that it defines or lists, or 0 */
  guint64 parent;  /* key of the enclosing loop, or 0 */
  guint first_line, n_lines;
  guint indent;
  int partner; /* index in the other text, or -1 */
  gboolean is_anchor;
} Block;

typedef struct
{
  const HirProgramView *view;
  const char *text;
  GArray *starts; /* guint: start of each line, and one past the last */
  GArray *owners; /* int: span that a line belongs to, or -1 */
  GArray *blocks; /* Block */
} Side;

static guint
n_lines (const Side *side)
{
  return side->starts->len - 1;
}

static guint
line_start (const Side *side, guint line)
{
  return g_array_index (side->starts, guint, line);
}

/* Returns the end of @line without its newline. */
static guint
line_end (const Side *side, guint line)
{
  return line_start (side, line + 1) - 1;
}

static void
split_lines (Side *side)
{
  guint start = 0, length = (guint) strlen (side->text);

  g_array_append_val (side->starts, start);
  while (start < length)
    {
      const char *end = strchr (side->text + start, '\n');

      /* A last line without a newline ends where its newline would be. */
      start = end != NULL ? (guint) (end - side->text) + 1 : length + 1;
      g_array_append_val (side->starts, start);
    }
}

/* Spans and lines are both in ascending order: continue the search from the previous line. */
static void
find_owners (Side *side)
{
  const GArray *spans = side->view->spans;
  int none = -1;
  guint line = 0;

  for (guint i = 0; i < n_lines (side); i++)
    g_array_append_val (side->owners, none);
  for (guint i = 0; i < spans->len; i++)
    {
      const HirSpan *span = &g_array_index (spans, HirSpan, i);

      if (!span->is_expr)
        continue;
      while (line + 1 < n_lines (side) && line_start (side, line + 1) <= span->start)
        line++;
      for (guint k = line; k < n_lines (side) && line_start (side, k) < span->end; k++)
        g_array_index (side->owners, int, k) = (int) i;
    }
}

static guint
get_indent (const Side *side, guint line)
{
  guint start = line_start (side, line), end = line_end (side, line), at = start;

  while (at < end && side->text[at] == ' ')
    at++;
  return at - start;
}

/* Hashes the first word of a line that belongs to no Expr. */
static guint64
hash_first_word (const Side *side, guint line)
{
  const char *word = side->text + line_start (side, line) + get_indent (side, line);
  const char *end = side->text + line_end (side, line);
  guint64 hash = 0x9e3779b97f4a7c15u;

  for (; word < end && *word != ' '; word++)
    hash = hir_hash_mix (hash, (guint8) *word);
  return hash;
}

/* Returns the tensor whose name is at byte @at, or 0. Spans are sorted. */
static guint64
find_subject (const Side *side, guint at)
{
  const GArray *spans = side->view->spans;
  guint low = 0, high = spans->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (spans, HirSpan, middle).start < at)
        low = middle + 1;
      else
        high = middle;
    }
  for (; low < spans->len && g_array_index (spans, HirSpan, low).start == at; low++)
    {
      const HirSpan *span = &g_array_index (spans, HirSpan, low);
      const HirNodeInfo *info = hir_program_view_lookup (side->view, span->id);

      if (!span->is_expr && info != NULL && g_strcmp0 (info->kind, "IterDomain") != 0)
        return span->id;
    }
  return 0;
}

static void
add_block (Side *side, guint first, guint n, GHashTable *seen)
{
  int owner = g_array_index (side->owners, int, first);
  Block block = {
    .first_line = first, .n_lines = n, .indent = get_indent (side, first), .partner = -1
  };
  guint64 *key;

  block.subject = find_subject (side, line_start (side, first) + block.indent);
  if (owner >= 0)
    block.id = g_array_index (side->view->spans, HirSpan, owner).id;
  block.key = block.id != 0        ? block.id
              : block.subject != 0 ? hir_hash_mix (block.subject, 2)
                                   : hash_first_word (side, first);
  /* A second block with the same key (an ELSE, an output that is an input) gets another key. */
  while (g_hash_table_contains (seen, &block.key))
    block.key = hir_hash_mix (block.key, 1);
  key = g_memdup2 (&block.key, sizeof block.key);
  g_hash_table_insert (seen, key, GUINT_TO_POINTER (side->blocks->len + 1));
  g_array_append_val (side->blocks, block);
}

static void
find_parents (Side *side)
{
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < side->blocks->len; i++)
    {
      Block *block = &g_array_index (side->blocks, Block, i);

      while (
          open->len > 0 &&
          g_array_index (side->blocks, Block, g_array_index (open, guint, open->len - 1)).indent >=
              block->indent)
        g_array_set_size (open, open->len - 1);
      if (open->len > 0)
        {
          const Block *parent =
              &g_array_index (side->blocks, Block, g_array_index (open, guint, open->len - 1));

          /* Only a loop counts as a parent, not the top level. */
          block->parent = parent->id != 0 ? parent->key : 0;
        }
      g_array_append_val (open, i);
    }
}

static void
side_init (Side *side, const HirProgramView *view, GHashTable *seen)
{
  side->view = view;
  side->text = view->text != NULL ? view->text : "";
  side->starts = g_array_new (FALSE, FALSE, sizeof (guint));
  side->owners = g_array_new (FALSE, FALSE, sizeof (int));
  side->blocks = g_array_new (FALSE, FALSE, sizeof (Block));
  split_lines (side);
  find_owners (side);
  for (guint line = 0; line < n_lines (side);)
    {
      int owner = g_array_index (side->owners, int, line);
      guint next = line + 1;

      while (owner >= 0 && next < n_lines (side) &&
             g_array_index (side->owners, int, next) == owner)
        next++;
      add_block (side, line, next - line, seen);
      line = next;
    }
  find_parents (side);
}

static void
side_clear (Side *side)
{
  g_array_unref (side->starts);
  g_array_unref (side->owners);
  g_array_unref (side->blocks);
}

static void
match (Side *old, Side *new, GHashTable *old_keys)
{
  for (guint j = 0; j < new->blocks->len; j++)
    {
      Block *block = &g_array_index (new->blocks, Block, j);
      guint found = GPOINTER_TO_UINT (g_hash_table_lookup (old_keys, &block->key));

      if (found == 0)
        continue;
      block->partner = (int) found - 1;
      g_array_index (old->blocks, Block, found - 1).partner = (int) j;
    }
}

/* Finds the blocks that keep their order: the longest ascending subsequence of partners (patience
 * sorting). A block whose loop changed never stays in place. */
static void
find_anchors (Side *old, Side *new)
{
  guint n = new->blocks->len;
  /* by length: the block that ends the best subsequence */
  g_autofree int *tails = g_new (int, n + 1);
  g_autofree int *before = g_new (int, n + 1);
  int length = 0;

  for (guint j = 0; j < n; j++)
    {
      const Block *block = &g_array_index (new->blocks, Block, j);
      int low = 0, high = length;

      if (block->partner < 0 ||
          g_array_index (old->blocks, Block, block->partner).parent != block->parent)
        continue;
      while (low < high)
        {
          int middle = low + (high - low) / 2;

          if (g_array_index (new->blocks, Block, tails[middle]).partner < block->partner)
            low = middle + 1;
          else
            high = middle;
        }
      before[j] = low > 0 ? tails[low - 1] : -1;
      tails[low] = (int) j;
      length = MAX (length, low + 1);
    }
  for (int j = length > 0 ? tails[length - 1] : -1; j >= 0; j = before[j])
    {
      Block *block = &g_array_index (new->blocks, Block, j);

      block->is_anchor = TRUE;
      g_array_index (old->blocks, Block, block->partner).is_anchor = TRUE;
    }
}

static gboolean
is_same_text (const Side *old, guint old_line, const Side *new, guint new_line)
{
  guint a = line_start (old, old_line) + get_indent (old, old_line);
  guint b = line_start (new, new_line) + get_indent (new, new_line);
  guint length = line_end (old, old_line) - a;

  return length == line_end (new, new_line) - b &&
         memcmp (old->text + a, new->text + b, length) == 0;
}

static void
set_old (HirDiffRow *row, const Side *side, guint line)
{
  row->old_line = (int) line;
  row->old_start = line_start (side, line);
  row->old_end = line_end (side, line);
}

static void
set_new (HirDiffRow *row, const Side *side, guint line)
{
  row->new_line = (int) line;
  row->new_start = line_start (side, line);
  row->new_end = line_end (side, line);
}

/* Adds a block that only one text has: an Expr, an ELSE, or another copy of an op in another
 * HostUnit. */
static void
add_single (HirProgramDiff *diff, const Side *side, const Block *block, gboolean is_old)
{
  for (guint i = 0; i < block->n_lines; i++)
    {
      HirDiffRow row = { .id = block->id, .old_line = -1, .new_line = -1 };

      row.kind = is_old ? HIR_ROW_REMOVED : HIR_ROW_ADDED;
      if (is_old)
        set_old (&row, side, block->first_line + i);
      else
        set_new (&row, side, block->first_line + i);
      g_array_append_val (diff->rows, row);
    }
}

static gboolean
has_changed (const HirProgramDiff *diff, const Block *block)
{
  return (block->id != 0 && hir_program_diff_get_change (diff, block->id) != HIR_CHANGE_NONE) ||
         (block->subject != 0 &&
          hir_program_diff_get_change (diff, block->subject) != HIR_CHANGE_NONE);
}

static HirRowKind
get_pair_kind (const HirDiffRow *row, gboolean is_changed, gboolean is_same, gboolean none_differs)
{
  if (row->old_line < 0 || row->new_line < 0)
    return is_changed || row->id != 0 ? HIR_ROW_CHANGED
           : row->old_line < 0        ? HIR_ROW_ADDED
                                      : HIR_ROW_REMOVED;
  /* The change is not visible in any line: mark all lines. */
  if (is_changed && (!is_same || none_differs))
    return HIR_ROW_CHANGED;
  if (!is_same)
    return HIR_ROW_REWORDED;
  return row->is_moved ? HIR_ROW_MOVED : HIR_ROW_SAME;
}

static void
add_pair (HirProgramDiff *diff,
          const Side *old,
          const Block *old_block,
          const Side *new,
          const Block *new_block,
          gboolean is_departure)
{
  gboolean is_changed = has_changed (diff, new_block);
  gboolean none_differs = old_block->n_lines == new_block->n_lines;

  for (guint i = 0; none_differs && i < new_block->n_lines; i++)
    none_differs = is_same_text (old, old_block->first_line + i, new, new_block->first_line + i);
  for (guint i = 0; i < MAX (old_block->n_lines, new_block->n_lines); i++)
    {
      HirDiffRow row = { .id = new_block->id, .old_line = -1, .new_line = -1 };
      gboolean is_same = FALSE;

      row.is_moved = !new_block->is_anchor;
      row.is_departure = is_departure;
      if (i < old_block->n_lines)
        set_old (&row, old, old_block->first_line + i);
      if (i < new_block->n_lines)
        set_new (&row, new, new_block->first_line + i);
      if (row.old_line >= 0 && row.new_line >= 0)
        is_same = is_same_text (old, (guint) row.old_line, new, (guint) row.new_line);
      row.kind = get_pair_kind (&row, is_changed, is_same, none_differs);
      if (is_departure ? row.old_line >= 0 : row.new_line >= 0 || !row.is_moved)
        g_array_append_val (diff->rows, row);
    }
  if (!new_block->is_anchor && new_block->id != 0 && !is_departure)
    g_hash_table_add (diff->moved, g_memdup2 (&new_block->id, sizeof new_block->id));
}

static void
merge (HirProgramDiff *diff, const Side *old, const Side *new)
{
  guint i = 0, j = 0;

  while (i < old->blocks->len || j < new->blocks->len)
    {
      const Block *a = i < old->blocks->len ? &g_array_index (old->blocks, Block, i) : NULL;
      const Block *b = j < new->blocks->len ? &g_array_index (new->blocks, Block, j) : NULL;

      if (a != NULL && !a->is_anchor)
        {
          if (a->partner < 0)
            add_single (diff, old, a, TRUE);
          else
            add_pair (diff, old, a, new, &g_array_index (new->blocks, Block, a->partner), TRUE);
          i++;
        }
      else if (b != NULL && !b->is_anchor)
        {
          if (b->partner < 0)
            add_single (diff, new, b, FALSE);
          else
            add_pair (diff, old, &g_array_index (old->blocks, Block, b->partner), new, b, FALSE);
          j++;
        }
      else
        {
          g_assert (a != NULL && b != NULL && a->partner == (int) j);
          add_pair (diff, old, a, new, b, FALSE);
          i++;
          j++;
        }
    }
}

static void
add_rows (HirProgramDiff *diff)
{
  g_autoptr (GHashTable) old_keys =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autoptr (GHashTable) new_keys =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  Side old, new;

  side_init (&old, diff->before, old_keys);
  side_init (&new, diff->after, new_keys);
  match (&old, &new, old_keys);
  find_anchors (&old, &new);
  merge (diff, &old, &new);
  side_clear (&old);
  side_clear (&new);
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
  diff->rows = g_array_new (FALSE, FALSE, sizeof (HirDiffRow));
  add_changes (diff);
  add_rows (diff);
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
  g_array_unref (diff->rows);
  hir_program_view_unref (diff->before);
  hir_program_view_unref (diff->after);
  g_free (diff);
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

/* Appends one line of `--diff`. */
static void
append_line (GString *out, char sign, const char *text, guint start, guint end)
{
  g_string_append_c (out, sign);
  g_string_append_len (out, text + start, end - start);
  g_string_append_c (out, '\n');
}

static gboolean
is_context (const HirDiffRow *row)
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

/* Appends rows that are shown together, with their header. */
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
      guint from, to, n_context = 0;

      if (is_context (&g_array_index (diff->rows, HirDiffRow, i)))
        {
          i++;
          continue;
        }
      from = i > context ? i - context : 0;
      /* Extend the hunk while the next difference is close enough for the contexts to touch. */
      for (to = i; to < diff->rows->len && n_context <= 2 * context; to++)
        n_context = is_context (&g_array_index (diff->rows, HirDiffRow, to)) ? n_context + 1 : 0;
      to -= n_context > context ? n_context - context : 0;
      if (out->len == 0)
        g_string_append_printf (out, "--- %s\n+++ %s\n", diff->before->pass_name,
                                diff->after->pass_name);
      append_hunk (out, diff, from, to);
      i = to;
    }
  return g_string_free (out, FALSE);
}
