/* Pairs the ops of two programs that should be the same. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  int *other;        /* for each op of the first program, its partner in the second; -1: none */
  gboolean is_whole; /* each op of both programs has a partner */
  guint n_paired;
} HirAlignment;

/**
 * hir_alignment_new:
 * @ops: HirRecordedOp*
 * @others: HirRecordedOp* of the other program
 *
 * Pairs ops in program order by kind and nesting. An op between pairs whose kind differs is paired
 * with its counterpart, if both programs have the same number of ops there.
 *
 * Returns: (transfer full): the pairs; none if the programs are too large and different
 */
HirAlignment *hir_alignment_new (const GPtrArray *ops, const GPtrArray *others);
/* Frees @alignment. */
void hir_alignment_free (HirAlignment *alignment);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirAlignment, hir_alignment_free)

G_END_DECLS
