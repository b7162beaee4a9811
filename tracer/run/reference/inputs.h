/* Inputs of a run: shapes from --input, unified over the whole fusion, with missing ones chosen;
 * values from a seed, rounded to the type of the input. */
#pragma once

#include "container.h"
#include "run/env.h"

G_BEGIN_DECLS

typedef struct
{
  GPtrArray *values; /* HirValue*, one per input of the fusion, in order; in host memory */
  char *text;        /* one line an input: "T0 float[16, 64] (chosen)"; never NULL */
  gboolean *chosen;  /* one per input: whether a size, or the scalar, was chosen */
  GArray *symbols;   /* HirSymbolValue: all extents of a host program; NULL for a fusion */
} HirRunInputs;

/* Creates the inputs of a fusion or of a printed host program. @shapes are in input order ("4x8";
 * "2.0" for a scalar), NULL-terminated, nullable; missing ones and sizes "?" are chosen. Sets
 * HIR_ERROR_INPUT if a shape is invalid, has another rank, or contradicts a constant, a mesh or a
 * related input; the message names both. */
HirRunInputs *
hir_run_inputs_new (HirContainer *fusion, const char *const *shapes, guint64 seed, GError **error);
/* Like hir_run_inputs_new(), but with deferred buffers instead of values. */
HirRunInputs *hir_run_inputs_new_dry (HirContainer *fusion,
                                      const char *const *shapes,
                                      guint64 seed,
                                      GError **error);
/* Returns FALSE and sets HIR_ERROR_INPUT if the inputs or outputs of the two have other numbers,
 * types or ranks. */
gboolean hir_run_inputs_check_like (HirContainer *program,
                                    HirContainer *like,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Creates inputs of @program with the shapes and values that hir_run_inputs_new() creates for
 * @like, a fusion or host program that computes the same: chosen sizes and the range of values
 * depend on its ops. Fails also if hir_run_inputs_check_like() does. */
HirRunInputs *hir_run_inputs_new_like (HirContainer *program,
                                       HirContainer *like,
                                       const char *const *shapes,
                                       guint64 seed,
                                       GError **error);
/* Returns the extents for @program of another rank, matched by name. NULL for a fusion. */
GArray *hir_run_inputs_dup_symbols (const HirRunInputs *inputs, HirContainer *program);
/* Returns the text of --input for the value of input @position (transfer full): "4x8", "2.5" for a
 * scalar,
 * "" for a tensor without axes. */
char *hir_run_inputs_dup_shape (const HirRunInputs *inputs, guint position);
void hir_run_inputs_free (HirRunInputs *inputs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRunInputs, hir_run_inputs_free)

G_END_DECLS
