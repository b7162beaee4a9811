/* rFactor: a reduction in two steps (docs/host-ir.md#rfactor).
 *
 *   before:  T2[i{m}, r{a}, r{b}] = op (...)       a and b: pieces of one reduced axis
 *   after:   T3[i{m}, i{a}, r{b}] = op (...)       root [i{m}, r{k}], logical as written
 *            T2[i{m}, r{a}]       = reduction (T3) */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* TRUE for a reduced loop axis that the first step is to reduce. */
typedef gboolean (*HirRfactorSelect) (const HirIterDomain *id, gpointer user_data);

/* Inserts the first step before @tensor, whose definition (a reduction, matmul or linear without bias)
 * goes over to the result: a new tensor with a root domain, on @tensor's mesh. Of @tensor's reduced
 * axes those stay, each as a new logical axis, that are not selected; the first step keeps them as
 * iterations. The maker's origins are the caller's. @with_loop: the new tensor's loop domain is
 * transformed as @tensor's was, with the types of its axes; else it is its logical domain, with the
 * types of pieces over devices alone. Cannot fail: @tensor has no root domain, and what is selected is
 * reduced and a loop axis. */
HirTensor *hir_tensor_rfactor (HirTensor *tensor, HirRfactorSelect select, gpointer user_data,
                               gboolean with_loop);

G_END_DECLS
