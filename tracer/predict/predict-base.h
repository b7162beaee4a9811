/* The recorded program that predictions start from. */
#pragma once

#include "predict/plan.h"
#include "program/document-recording.h"
#include "program/run-settings.h"

G_BEGIN_DECLS

/* Initialize with zeros. */
typedef struct
{
  HirRunSettings settings;
  HirRequest *request; /* borrowed from the recording */
  HirProgram *program;
  HirRecorder *recorder;
  HirPlan *plan; /* of the recorded program */
} HirPredictBase;

/* Lowers the program of @opened again and makes its plan, without durations. Returns FALSE and sets
 * HIR_ERROR_INPUT if there is no program, or the error of lowering or of the dry run. */
gboolean hir_predict_base_open (HirPredictBase *base,
                                const HirOpened *opened,
                                GCancellable *cancellable,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
void hir_predict_base_clear (HirPredictBase *base);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HirPredictBase, hir_predict_base_clear)

/* Returns a copy of @request (transfer full) with further options of passes, "Pass.option=value";
 * @set is nullable. */
HirRequest *hir_predict_dup_request (const HirRequest *request, char *const *set);
/* Lowers @request, or reads its printed program. Returns NULL and sets @error if a pass fails, too.
 */
HirProgram *hir_predict_open_program (const HirRequest *request,
                                      GCancellable *cancellable,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
