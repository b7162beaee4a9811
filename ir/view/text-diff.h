/* The lines that differ between two printed programs, for `--diff` and for the window. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  HIR_LINE_SAME,
  HIR_LINE_REMOVED, /* of the old text only */
  HIR_LINE_ADDED,   /* of the new text only */
} HirLineKind;

/* One line of the merged listing. Offsets are bytes into the text that the line is of (the new one for
 * SAME), without its newline. Line numbers count from 0; -1 where the line is not in that text. */
typedef struct
{
  HirLineKind kind;
  guint start, end;
  int old_line, new_line;
} HirDiffLine;

/* A shortest edit script by E. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), in linear
 * space; of equally short ones, removals before additions. Past @max_cost edits (0: a sensible bound)
 * the middle is given as all removed, all added, so that two unrelated texts cost no quadratic time.
 * Newly allocated array of HirDiffLine. */
GArray *hir_text_diff (const char *old_text, const char *new_text, guint max_cost);

/* As `diff -u` shows it, @context lines around each change, with the two labels in its head. Empty text
 * where nothing differs. */
char *hir_text_diff_unified (const char *old_text,
                             const char *new_text,
                             const char *old_label,
                             const char *new_label,
                             guint context);

G_END_DECLS
