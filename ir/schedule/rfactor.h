/* rFactor: a reduction in two steps (docs/host-ir.md#rfactor).
 *
 *   before:  T2[i{m}, r{a}, r{b}] = op (...)       a and b: pieces of one reduced axis
 *   after:   T3[i{m}, i{a}, r{b}] = op (...)       root [i{m}, r{k}], logical as written
 *            T2[i{m}, r{a}]       = reduction (T3) */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* Returns TRUE for a reduced loop axis that the first step must reduce. */
typedef gboolean (*HirRfactorSelect) (const HirIterDomain *id, gpointer user_data);

/* Inserts a first step before @tensor, which takes over its definition (a reduction, or a matmul or
 * linear without bias). The result, a new tensor on @tensor's mesh, has a root domain. The reduced
 * axes that are not selected remain reductions of @tensor, as new logical axes, and are iterations
 * in the first step. The caller sets the maker's origins. If @with_loop, the loop domain of the new
 * tensor is transformed like @tensor's, with the types of its axes; otherwise it is its logical
 * domain, with the types of axes over devices only. Cannot fail: @tensor must have no root domain,
 * and selected axes must be reduced loop axes. */
HirTensor *hir_tensor_rfactor (HirTensor *tensor,
                               HirRfactorSelect select,
                               gpointer user_data,
                               gboolean with_loop);

G_END_DECLS
