/* Difference between two snapshots by node id, for the text, the graph and `--diff`. Any two
 * snapshots can be compared, even from different pipelines. A node has the same id in all of them,
 * so a moved node is not reported as removed and added. Immutable; any thread may read it. */
#pragma once

#include "view/program-view.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_ROW_SAME,
  HIR_ROW_MOVED, /* same text at another position or in another loop */
  /* prints differently but did not change: an operand changed or has another name */
  HIR_ROW_REWORDED,
  HIR_ROW_CHANGED,
  HIR_ROW_REMOVED, /* only in the old text */
  HIR_ROW_ADDED,   /* only in the new text */
} HirRowKind;

/* A line of the old text next to its counterpart in the new text. Offsets are in bytes and exclude
 * the newline. Lines count from 0, -1 if that side has no line. A moved line has two rows: the
 * first in the order of the old text (is_departure), the second in that of the new text. Both
 * contain both lines. */
typedef struct
{
  HirRowKind kind;
  gboolean is_moved; /* possibly together with CHANGED and REWORDED */
  gboolean is_departure;
  guint64 id; /* Expr that the line belongs to; 0 for a header or end line */
  int old_line, new_line;
  guint old_start, old_end, new_start, new_end;
} HirDiffRow;

typedef struct
{
  gatomicrefcount ref_count;
  HirProgramView *before, *after;
  /* const gint64* id -> GUINT_TO_POINTER (HirChange), without unchanged nodes */
  GHashTable *changes;
  GHashTable *moved; /* set of const gint64*: Exprs at different positions in the two snapshots */
  GArray *rows;      /* HirDiffRow */
  /* numbers of tensors and Exprs; n_moved counts Exprs only */
  guint n_created, n_changed, n_removed, n_moved;
} HirProgramDiff;

/* Compares @before with @after and takes references to both. O(n log n) in the number of lines. */
HirProgramDiff *hir_program_diff_new (HirProgramView *before, HirProgramView *after);
HirProgramDiff *hir_program_diff_ref (HirProgramDiff *diff);
void hir_program_diff_unref (HirProgramDiff *diff);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirProgramDiff, hir_program_diff_unref)

/* Returns REMOVED if only the snapshot before has @id, NONE if neither has it. */
HirChange hir_program_diff_get_change (const HirProgramDiff *diff, guint64 id);

/* Returns a unified diff with the names of the two passes and @context lines around each
 * difference. In addition to ' ', '-' and '+', a line may start with '>' (moved here unchanged) or
 * '~' (changed in a property that is not printed). Empty if nothing differs. */
char *hir_program_diff_to_unified (const HirProgramDiff *diff, guint context);

/* Returns "2 added, 1 removed, 3 changed, 1 moved" or "no difference". Newly allocated. */
char *hir_program_diff_to_summary (const HirProgramDiff *diff);

G_END_DECLS
