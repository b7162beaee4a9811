/* Internal declarations for the inference of logical domains. */
#pragma once

#include "dump/read-dump-internal.h"

G_BEGIN_DECLS

typedef struct
{
  HirDumpReader *reader;
  HirDumpNames *names;
  HirContainer *container;
  /* HirTensor*: scheduled tensors whose logical axes are not known yet */
  GHashTable *unresolved;
  GHashTable *resolved; /* HirTensor* that were unresolved before */
  GPtrArray *exprs;     /* HirExpr* of all scopes */
  gboolean changed;
} HirDumpInference;

/* Tensors with more axes keep their printed domain as the logical domain. */
#define HIR_DUMP_MAX_AXES 16

/* Finds the logical axes of tensors whose axis numbers reveal their splits, and marks the tensors
 * as resolved. */
void hir_dump_pair_splits (HirDumpInference *inference);
/* Returns the slot for @id as printed. */
HirDumpSlot hir_dump_slot_of (const HirIterDomain *id);
/* Compares values by number; for qsort() and g_ptr_array_sort(). */
int hir_dump_compare_names (gconstpointer a, gconstpointer b);
/* Infers the logical axes of the output of @expr from those of the inputs. Returns an array of
 * HirDumpSlot; NULL or empty if they cannot be inferred. */
GArray *hir_dump_infer_output (HirDumpInference *inference, const HirExpr *expr);
/* Infers the logical axes of the first input of @expr from those of output @out, like
 * hir_dump_infer_output(). */
GArray *
hir_dump_infer_input (HirDumpInference *inference, const HirExpr *expr, const HirTensor *out);
/* Infers the axes of @tensor from its loop domain alone, which may show splits and merges. @rank:
 * the expected number of axes; 0 if it is unknown. Then constants are kept, because they could be
 * anything. */
GArray *hir_dump_infer_from_loop (HirDumpInference *inference, const HirTensor *tensor, guint rank);

G_END_DECLS
