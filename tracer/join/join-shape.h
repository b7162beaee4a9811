/* Extents and number of streams of a run, as far as the number of its steps depends on them. */
#pragma once

#include "join/join-private.h"

G_BEGIN_DECLS

/* Runs a program without computing. */
typedef struct
{
  HirContainer *fusion;
  HirContainer *const *hosts;
  guint n_ranks;
  int rank; /* of the program, if there is only one */
  GCancellable *cancellable;
} HirJoinProgram;

/* What is not given by the user. */
typedef struct
{
  char **inputs;        /* shapes with "?" for unknown sizes, NULL-terminated */
  gint64 n_streams;     /* 0: unknown */
  gboolean has_sizes;   /* all sizes are given */
  GPtrArray *ambiguous; /* char*: "axis 0 of T0: 4, 8 or 24" */
  GPtrArray *notes;     /* char* */
} HirJoinShape;

/* Unrolls @program with @shape. */
HirSyncTrace *
hir_join_program_run (const HirJoinProgram *program, const HirJoinShape *shape, GError **error);
/* Returns one shape per input of @fusion: those in @given (nullable), then the others with "?" for
 * each size that is no constant. */
char **hir_join_shape_dup_inputs (const char *const *given, const HirContainer *fusion);
/* Finds the sizes and the number of streams that @shape lacks, so that rank @rank of the program
 * fits @thread best. Orders the replays of the thread. */
gboolean hir_join_shape_find (HirJoinShape *shape,
                              const HirJoinProgram *program,
                              int rank,
                              HirJoinThread *thread,
                              GError **error);
void hir_join_shape_clear (HirJoinShape *shape);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HirJoinShape, hir_join_shape_clear)

G_END_DECLS
