/* A host program evaluated in double, in sequence: what `--check` compares the run of a printed
 * program with. All ranks' programs are interpreted by one thread, rank after rank, each as far as
 * the others let it; there are no streams and no communicator: a collective is a loop over arrays,
 * done once all members have posted it. Values carry bounds as in reference.h. What nothing wrote
 * is NaN, or 0xa5 bytes, as in a run that is checked. */
#pragma once

#include "run/reference/inputs.h"
#include "run/reference/reference.h"

G_BEGIN_DECLS

typedef struct
{
  HirContainer *program;
  int rank;
  HirValue *const *inputs; /* its parts, by position, in host memory */
  guint n_inputs;
  const GArray *symbols; /* nullable: see hir_env_bind_symbols() */
} HirReferenceRank;

/* One entry a rank: GPtrArray of its outputs in order (HirRefTensor*, its part; NULL for what was
 * never bound or is a scalar). @max_steps: instructions a rank, 0: no limit. Errors: HIR_ERROR_RUN
 * where sizes do not fit; HIR_ERROR_UNSUPPORTED, where ranks wait for each other too: some programs
 * end only because streams run side by side; HIR_ERROR_LIMIT, HIR_ERROR_CANCELLED. Blocks; any
 * thread. */
GPtrArray *hir_reference_evaluate_host (const HirReferenceRank *ranks,
                                        guint n_ranks,
                                        gint64 n_streams,
                                        guint64 max_steps,
                                        GCancellable *cancellable,
                                        GError **error);

/* Told after each instruction of rank @i of @ranks: what it knows then, tensors with memory of the
 * reference's own. FALSE, with @error or without, ends it. */
typedef gboolean (*HirReferenceWatch) (
    guint i, const HirExpr *expr, HirEnv *env, gpointer user_data, GError **error);

/* The same, watched, without the outputs. FALSE where it was ended or failed. */
gboolean hir_reference_watch_host (const HirReferenceRank *ranks,
                                   guint n_ranks,
                                   gint64 n_streams,
                                   HirReferenceWatch watch,
                                   gpointer user_data,
                                   GCancellable *cancellable,
                                   GError **error);
/* The same, as far as is asked for, then on from there. Borrows what @ranks point to. */
typedef struct _HirReferencePlay HirReferencePlay;
HirReferencePlay *hir_reference_play_new (const HirReferenceRank *ranks,
                                          guint n_ranks,
                                          gint64 n_streams,
                                          GError **error);
void hir_reference_play_free (HirReferencePlay *play);
/* Until rank i has taken @n_steps[i] instructions, or waits for what another one posts behind its own. FALSE, without
 * @error, where one has taken more already: it can't go back. */
gboolean hir_reference_play_to (HirReferencePlay *play,
                                const guint64 *n_steps,
                                GCancellable *cancellable,
                                GError **error);
/* It does not wait. */
gboolean hir_reference_play_has_come (const HirReferencePlay *play, guint i);
/* Borrowed, until it goes on; NULL where it is not known. */
const HirValue *hir_reference_play_lookup (HirReferencePlay *play, guint i, const HirVal *val);

/* The elements of a tensor of such an env, row-major, with their bounds: newly made. */
HirRefTensor *hir_reference_dup_tensor (const HirValue *value, GError **error);

G_END_DECLS
