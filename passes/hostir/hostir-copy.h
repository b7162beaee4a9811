/* Copies that passes of the host-IR pipeline insert into a fusion. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* Inserts a set of @in with Serial axes on the mesh of @in; differs from hir_op_set(), which
 * rejects operands with stream axes and keeps device axes. The caller sets the maker's origins.
 * The result has the position of @in. */
HirTensor *hir_copy_new (HirTensor *in, HirSetKind kind);
/* Gives @copy, a copy of @in, the loop and allocation domain of @in, with its parallel types. */
void hir_copy_schedule (const HirTensor *in, HirTensor *copy);
/* Makes the Exprs of @exprs (HirExpr*, except those of NULL) and the outputs of the fusion read
 * @copy instead of @in. Keeps the definition of @copy. */
void hir_copy_take_readers (HirTensor *in, HirTensor *copy, GPtrArray *exprs);

G_END_DECLS
