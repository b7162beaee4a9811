/* Sequential evaluation of a host program in double: the reference of `--check` for printed
 * programs. One thread interprets the programs of all ranks in turn, each until it is blocked.
 * There are no streams and no communicator: a collective is a loop over arrays, executed once all
 * members have posted it. Values have error bounds as in reference.h. Unwritten memory is NaN, or
 * 0xa5 bytes, as in checked runs. */
#pragma once

#include "run/reference/inputs.h"
#include "run/reference/reference.h"

G_BEGIN_DECLS

typedef struct
{
  HirContainer *program;
  int rank;
  HirValue *const *inputs; /* its parts of the inputs, by position, in host memory */
  guint n_inputs;
  const GArray *symbols; /* nullable: see hir_env_bind_symbols() */
} HirReferenceRank;

/* Evaluates all ranks. Returns one entry per rank: a GPtrArray of its outputs in order
 * (HirRefTensor* of its part; NULL if never bound or a scalar). @max_steps: limit of instructions
 * per rank; 0: none. Errors: HIR_ERROR_RUN if sizes do not match; HIR_ERROR_UNSUPPORTED, also if
 * ranks block each other, because some programs end only thanks to concurrent streams;
 * HIR_ERROR_LIMIT, HIR_ERROR_CANCELLED. Blocks; any thread. */
GPtrArray *hir_reference_evaluate_host (const HirReferenceRank *ranks,
                                        guint n_ranks,
                                        gint64 n_streams,
                                        guint64 max_steps,
                                        GCancellable *cancellable,
                                        GError **error);

/* Called after each instruction of rank @i of @ranks with its environment, whose tensors have
 * memory of the reference. Returns FALSE, with or without @error, to stop. */
typedef gboolean (*HirReferenceWatch) (
    guint i, const HirExpr *expr, HirEnv *env, gpointer user_data, GError **error);

/* Like hir_reference_evaluate_host(), but calls @watch and returns no outputs. Returns FALSE if it
 * was stopped or failed. */
gboolean hir_reference_watch_host (const HirReferenceRank *ranks,
                                   guint n_ranks,
                                   gint64 n_streams,
                                   HirReferenceWatch watch,
                                   gpointer user_data,
                                   GCancellable *cancellable,
                                   GError **error);
/* An evaluation that runs to given positions and continues from there. Borrows the data of
 * @ranks. */
typedef struct _HirReferencePlay HirReferencePlay;
/* Creates an evaluation of all ranks, at the start of their programs. */
HirReferencePlay *hir_reference_play_new (const HirReferenceRank *ranks,
                                          guint n_ranks,
                                          gint64 n_streams,
                                          GError **error);
/* Frees @play. */
void hir_reference_play_free (HirReferencePlay *play);
/* Runs until each rank i has executed @n_steps[i] instructions or is blocked by a rank at its
 * limit. Returns FALSE, without @error, if a rank has executed more already, because it cannot go
 * back. */
gboolean hir_reference_play_to (HirReferencePlay *play,
                                const guint64 *n_steps,
                                GCancellable *cancellable,
                                GError **error);
/* Returns TRUE if rank @i has reached its limit. */
gboolean hir_reference_play_has_come (const HirReferencePlay *play, guint i);
/* Returns the value of @val on rank @i (borrowed until it continues), or NULL if it is not
 * known. */
const HirValue *hir_reference_play_lookup (HirReferencePlay *play, guint i, const HirVal *val);

/* Returns the elements of a tensor of this evaluation, row-major, with their bounds; newly
 * allocated. */
HirRefTensor *hir_reference_dup_tensor (const HirValue *value, GError **error);

G_END_DECLS
