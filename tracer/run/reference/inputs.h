/* The inputs of a run: shapes as --input gives them, unified over the whole fusion, the rest
 * chosen; values from a seed, rounded to each input's type. */
#pragma once

#include "container.h"
#include "run/env.h"

G_BEGIN_DECLS

typedef struct
{
  GPtrArray *values; /* HirValue*, one an input of the fusion, in order; in host memory */
  char *text;        /* one line an input: "T0 float[16, 64] (chosen)"; never NULL */
  GArray *symbols;   /* HirSymbolValue: all extents of a host program; NULL for a fusion */
} HirRunInputs;

/* Of a fusion, or of a host program that no fusion is known of (a printed one).
 *
 * @shapes: NULL-terminated, in input order ("4x8", of a scalar "2.0"); nullable; a missing one is
 * chosen. Errors (HIR_ERROR_INPUT): a shape that does not parse, of another rank, or that
 * contradicts a constant, a mesh or another input that must be equal; the message names both. */
HirRunInputs *
hir_run_inputs_new (HirContainer *fusion, const char *const *shapes, guint64 seed, GError **error);
/* The same where nobody looks at the values: tensors are on deferred buffers. */
HirRunInputs *hir_run_inputs_new_dry (HirContainer *fusion,
                                      const char *const *shapes,
                                      guint64 seed,
                                      GError **error);
/* The same extents for @program, which another rank printed: by number. NULL for a fusion. */
GArray *hir_run_inputs_dup_symbols (const HirRunInputs *inputs, HirContainer *program);
void hir_run_inputs_free (HirRunInputs *inputs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRunInputs, hir_run_inputs_free)

G_END_DECLS
