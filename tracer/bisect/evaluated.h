/* The outputs of a host program, evaluated in sequence on inputs that suit another program too. */
#pragma once

#include "program/program.h"
#include "program/run-settings.h"
#include "run/session/session.h"

G_BEGIN_DECLS

typedef struct
{
  HirSession *session;     /* nullable: distributes the inputs; never run */
  HirRunInputs *inputs;    /* nullable: the inputs without a session */
  GPtrArray *values;       /* inputs, HirValue* (borrowed) */
  const char *text;        /* shapes of the inputs, lines */
  HirReferenceRank *ranks; /* one per rank; contents borrowed */
  guint n;
  GPtrArray *parts; /* outputs of each rank, see hir_reference_evaluate_host(); nullable */
} HirEvaluated;

/**
 * hir_evaluated_new:
 * @hosts: HirContainer*, one per rank
 * @like: a fusion or host program with the same inputs and outputs, which gives their shapes and
 *   the range of their values
 * @inputs: (nullable): shapes from --input
 *
 * Distributes the inputs, and evaluates nothing yet.
 *
 * Returns: (transfer full): NULL and sets @error if inputs or outputs differ from those of @like
 */
HirEvaluated *hir_evaluated_new (const GPtrArray *hosts,
                                 HirContainer *like,
                                 char *const *inputs,
                                 const HirRunSettings *settings,
                                 GCancellable *cancellable,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Like hir_evaluated_new(), but for one host program on whole tensors: it has rank -1, which holds
 * all parts. Sets between devices that are not communications yet then copy. */
HirEvaluated *hir_evaluated_new_gathered (HirContainer *host,
                                          HirContainer *like,
                                          char *const *inputs,
                                          const HirRunSettings *settings,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Sets the parts. Returns FALSE and sets @error if the programs fail. Blocks; any thread. */
gboolean hir_evaluated_run (HirEvaluated *evaluated,
                            const HirRunSettings *settings,
                            GCancellable *cancellable,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Returns the outputs of @fusion for the same inputs, HirRefTensor*, or NULL and sets @error. */
GPtrArray *hir_evaluated_dup_wanted (const HirEvaluated *evaluated,
                                     HirContainer *fusion,
                                     GCancellable *cancellable,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Frees @evaluated. */
void hir_evaluated_free (HirEvaluated *evaluated);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirEvaluated, hir_evaluated_free)

G_END_DECLS
