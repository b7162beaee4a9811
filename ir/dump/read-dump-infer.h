/* What is shared by the two files that find logical domains again. */
#pragma once

#include "dump/read-dump-internal.h"

G_BEGIN_DECLS

typedef struct
{
  HirDumpReader *reader;
  HirDumpNames *names;
  HirContainer *container;
  GHashTable *unresolved;    /* HirTensor*: scheduled, and its logical axes not found yet */
  GHashTable *resolved; /* those that were open */
  GPtrArray *exprs;    /* HirExpr*, of all scopes */
  gboolean changed;
} HirDumpInference;

/* Tensors of more axes are left as they print. */
#define HIR_DUMP_MAX_AXES 16

/* Finds the logical axes of tensors whose printed numbers tell their splits; those are settled. */
void hir_dump_pair_splits (HirDumpInference *inference);
/* What is printed of @id: the slot that a dump shows for it. */
HirDumpSlot hir_dump_slot_of (const HirIterDomain *id);
/* By number: for qsort() and g_ptr_array_sort() of values. */
int hir_dump_compare_names (gconstpointer a, gconstpointer b);
/* The logical axes of the output, from those of the inputs; of the first input, from those of the
 * output. Array of HirDumpSlot; NULL or empty where that can't be told. */
GArray *hir_dump_infer_output (HirDumpInference *inference, const HirExpr *expr);
GArray *hir_dump_infer_input (HirDumpInference *inference, const HirExpr *expr, const HirTensor *out);
/* The axes that the loop domain itself shows to be split or merged. @rank: how many there must be
 * (0: that is not known, and constants, which could be anything, stay). */
GArray *hir_dump_infer_from_loop (HirDumpInference *inference, const HirTensor *tensor, guint rank);

G_END_DECLS
