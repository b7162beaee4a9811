/* Names of device events: the instruction's label, followed by the kernel's short name if it
 * differs. Use on the decoding thread. */
#pragma once

#include "record/recorder.h"

G_BEGIN_DECLS

typedef struct _HirCuptiLabels HirCuptiLabels;

/* Creates an empty cache. @recorder is borrowed. */
HirCuptiLabels *hir_cupti_labels_new (HirRecorder *recorder);
/* Frees @labels. */
void hir_cupti_labels_free (HirCuptiLabels *labels);
/* Returns the recorder's string for the short name of @symbol, or for "kernel" if @symbol is
 * NULL. */
guint32 hir_cupti_labels_get_kernel (HirCuptiLabels *labels, const char *symbol);
/* Joins the strings of a label and a kernel: "T5_matmul (nvjet_hsh_128x256…)". Returns only one of
 * them if they are equal or the other one is 0. */
guint32 hir_cupti_labels_join (HirCuptiLabels *labels, guint32 label, guint32 kernel);
/* Returns a table from short name to symbol, for names that differ (borrowed). */
GHashTable *hir_cupti_labels_get_symbols (HirCuptiLabels *labels);

G_END_DECLS
