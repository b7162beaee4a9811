/* Writes a prediction as text or JSON. */
#pragma once

#include "predict/predict.h"
#include "trace/text-out.h"

G_BEGIN_DECLS

/* Writes the times of each repetition, what is different, and the notes. */
void hir_predict_write_text (const HirPrediction *prediction, HirTextOut *out);
/* Writes one JSON object, with times in nanoseconds. */
void hir_predict_write_json (const HirPrediction *prediction, HirTextOut *out);

G_END_DECLS
