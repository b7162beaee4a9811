/* Compares a printed program with the fusion that it should compute. Both are evaluated in double
 * and in sequence, so a race does not affect the result. */
#pragma once

#include "program/program.h"
#include "program/run-settings.h"

G_BEGIN_DECLS

/* The first difference. */
typedef struct
{
  char *inputs;       /* shapes, one per line */
  guint64 n_compared; /* number of compared results of instructions */
  char *outputs;      /* outputs that differ, one per line; NULL: all are right */
  /* The instruction, borrowed from @program; NULL if it is unknown.
   * This and the members below are set only if an output differs or the program fails. */
  const HirExpr *expr;
  HirContainer *program; /* nullable: the program of @rank */
  gint32 iteration;
  int rank;
  char *report;    /* nullable: how the result differs, lines */
  GError *failure; /* nullable: why the program ends early */
} HirAgainst;

/* Frees the members. */
void hir_against_clear (HirAgainst *against);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HirAgainst, hir_against_clear)

/**
 * hir_against_find:
 * @fusion: the fusion
 * @against: (out): the difference
 *
 * Compares the outputs of @program with those of @fusion. If they differ, lowers @fusion with the
 * options of @program, pairs its instructions with those of @program, and finds the first one with
 * another result, slice or peer. If the programs are too different for this, finds the instruction
 * that wrote the first wrong element of an output. Blocks; any thread.
 *
 * Returns: FALSE and sets @error if the two have other inputs or outputs, or cannot be evaluated
 */
gboolean hir_against_find (HirProgram *program,
                           HirContainer *fusion,
                           const HirRunSettings *settings,
                           GCancellable *cancellable,
                           HirAgainst *against,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
