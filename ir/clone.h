/* Copies nodes from one container to another and keeps their names and ids
 * (docs/host-ir.md#cloning). */
#pragma once

#include "container.h"

G_BEGIN_DECLS

typedef struct _HirCloner HirCloner;

/* Creates a cloner that copies into @to, which may be nested in the source's container or unrelated
 * to it. Each source node is copied once; later requests return the same copy. Raises the counters
 * of @to above every copied name, so that new names never collide with copied ones. */
HirCloner *hir_cloner_new (HirContainer *to);
void hir_cloner_free (HirCloner *cloner);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirCloner, hir_cloner_free)

/* Returns the copy of @val, or NULL if @val is NULL. A tensor is copied with its axes, their
 * transforms and extents, but without its definition. */
HirVal *hir_cloner_val (HirCloner *cloner, const HirVal *val);
#define hir_cloner_scalar(c, v) HIR_SCALAR (hir_cloner_val ((c), (const HirVal *) (v)))
#define hir_cloner_iter_domain(c, v) HIR_ITER_DOMAIN (hir_cloner_val ((c), (const HirVal *) (v)))
#define hir_cloner_tensor(c, v) HIR_TENSOR (hir_cloner_val ((c), (const HirVal *) (v)))
/* Returns the copy of @expr with its operands, nested scopes and HostUnit, and makes it the
 * definition of the copied outputs. The caller adds the copy to the container with
 * hir_container_add_expr(). */
HirExpr *hir_cloner_expr (HirCloner *cloner, const HirExpr *expr);
/* Uses @copy as the copy of @val from now on. Needed if an input of a HostUnit gets its own axes.
 */
void hir_cloner_substitute (HirCloner *cloner, const HirVal *val, HirVal *copy);

G_END_DECLS
