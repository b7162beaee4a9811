/* What differs between two snapshots, by the ids of their nodes: one answer for the text, for the graph and
 * for `--diff`. The snapshots may be any two: neighbours, far apart, of two pipelines. Ids are the same
 * wherever a node is the same, so what only moved is not taken for removed and added. Immutable once made;
 * any thread. */
#pragma once

#include "view/program-view.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_ROW_SAME,
  HIR_ROW_MOVED,    /* says the same at another place, or inside another loop */
  HIR_ROW_REWORDED, /* prints otherwise, but is the same: an operand changed, or got another name */
  HIR_ROW_CHANGED,
  HIR_ROW_REMOVED, /* of the old text only */
  HIR_ROW_ADDED,   /* of the new text only */
} HirRowKind;

/* A line of the old text beside its counterpart of the new one. Offsets are bytes, without the newline; line
 * numbers count from 0, -1 where that side has none. What moved has two rows: the first in the order of the
 * old text (is_departure), the other in that of the new one; both name both lines. */
typedef struct
{
  HirRowKind kind;
  gboolean is_moved; /* also with CHANGED and REWORDED */
  gboolean is_departure;
  guint64 id; /* the Expr whose line it is; 0: none, a head or an end */
  int old_line, new_line;
  guint old_start, old_end, new_start, new_end;
} HirDiffRow;

typedef struct
{
  gatomicrefcount ref_count;
  HirProgramView *before, *after;
  GHashTable *changes; /* const gint64* id -> GUINT_TO_POINTER (HirChange); unchanged ones left out */
  GHashTable *moved;   /* set of const gint64*: Exprs that are in both, elsewhere */
  GHashTable *remade;  /* set of const gint64*: Exprs that did not change, but make a tensor that did */
  GArray *rows;        /* HirDiffRow */
  /* Tensors and Exprs; Exprs for n_moved. */
  guint n_created, n_changed, n_removed, n_moved;
} HirProgramDiff;

/* Keeps references to both. O(n log n) in the lines. */
HirProgramDiff *hir_program_diff_new (HirProgramView *before, HirProgramView *after);
HirProgramDiff *hir_program_diff_ref (HirProgramDiff *diff);
void hir_program_diff_unref (HirProgramDiff *diff);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirProgramDiff, hir_program_diff_unref)

/* REMOVED where only the one before has @id; NONE also where neither has. */
HirChange hir_program_diff_get_change (const HirProgramDiff *diff, guint64 id);

/* As `diff -u` shows it, with the names of the two passes in its head and @context lines around each
 * difference. Besides ' ', '-' and '+' a line may begin with '>' (moved here as it is) or '~' (changed in what
 * is not printed). Empty text where nothing differs. */
char *hir_program_diff_to_unified (const HirProgramDiff *diff, guint context);

/* "2 added, 1 removed, 3 changed, 1 moved"; "no difference". Newly allocated. */
char *hir_program_diff_to_summary (const HirProgramDiff *diff);

G_END_DECLS
