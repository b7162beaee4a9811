/* Reads options of a prediction from text. */
#pragma once

#include "predict/predict.h"

G_BEGIN_DECLS

/* Parses a factor from 0 to 1e6. HIR_ERROR_INPUT names @option and the range. */
gboolean
hir_predict_parse_factor (const char *option, const char *text, double *factor, GError **error);
/* Parses "NAME=FACTOR" texts, the values of --kernel. @texts: (nullable) (array zero-terminated=1).
 * Returns: (transfer full): array of HirPredictScale, or NULL and sets HIR_ERROR_INPUT */
GArray *hir_predict_parse_scales (char *const *texts, GError **error);
/* Splits "NAME=FACTOR, NAME=FACTOR" at the commas after a factor, because names of messages have
 * commas, too: "recv T6, send T0=0". Free with g_strfreev(). */
char **hir_predict_split_scales (const char *text);
/* Returns the options that make the change of @gain, initialized for hir_predict_options_clear(),
 * or FALSE if no option does. */
gboolean hir_gain_get_options (const HirGain *gain, HirPredictOptions *options);
/* Sets the options of an unchanged run. */
void hir_predict_options_init (HirPredictOptions *options);
/* Frees the members of @options. */
void hir_predict_options_clear (HirPredictOptions *options);

G_END_DECLS
