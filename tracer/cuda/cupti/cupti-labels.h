/* What device events are called: the instruction's label, and the kernel's short name where that is
 * another. Decoding thread. */
#pragma once

#include "record/recorder.h"

G_BEGIN_DECLS

typedef struct _HirCuptiLabels HirCuptiLabels;

HirCuptiLabels *hir_cupti_labels_new (HirRecorder *recorder);
void hir_cupti_labels_free (HirCuptiLabels *labels);
/* The recorder's string of @symbol's short name; "kernel" for NULL. */
guint32 hir_cupti_labels_get_kernel (HirCuptiLabels *labels, const char *symbol);
/* "T5_matmul (nvjet_hsh_128x256…)" of the string of a label and that of a kernel; one of them alone
 * where they are equal or the other is 0. */
guint32 hir_cupti_labels_join (HirCuptiLabels *labels, guint32 label, guint32 kernel);
/* Short name -> symbol, where they differ. Borrowed. */
GHashTable *hir_cupti_labels_get_symbols (HirCuptiLabels *labels);

G_END_DECLS
