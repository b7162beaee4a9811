/* Asks what would be different, predicts the run with it, and shows the result. */
#pragma once

#include <adwaita.h>

#include "explain/explain.h"
#include "program/program.h"

G_BEGIN_DECLS

#define HIR_TYPE_PREDICT_WINDOW (hir_predict_window_get_type ())
G_DECLARE_FINAL_TYPE (HirPredictWindow, hir_predict_window, HIR, PREDICT_WINDOW, AdwWindow)

/* Receives the recording of a predicted run, what is different in it, and the measured repetition.
 * The receiver deletes the file. */
typedef void (*HirPredictedFunc) (const char *path,
                                  const char *changes,
                                  HirTrace *measured,
                                  gpointer user_data);

/**
 * hir_predict_window_new:
 * @program: the program of @trace
 * @gain: (nullable): its change is entered
 * @predicted: called after each prediction
 * @user_data: must outlive @parent
 */
GtkWidget *hir_predict_window_new (GtkWindow *parent,
                                   HirProgram *program,
                                   HirTrace *trace,
                                   const HirGain *gain,
                                   HirPredictedFunc predicted,
                                   gpointer user_data);

/* Deletes a predicted recording and its folder. */
void hir_predict_window_delete_file (const char *path);

/* Returns the displayed result or general error, "" if there is none. For tests. */
const char *hir_predict_window_get_result (HirPredictWindow *self);
/* Returns the names of the fields with an error, and the errors: "Kernels: ...". Free with
 * g_free(). For tests. */
char *hir_predict_window_dup_errors (HirPredictWindow *self);

G_END_DECLS
