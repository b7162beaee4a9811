/* Copying nodes from one container to another, names and ids kept (docs/host-ir.md#cloning). */
#pragma once

#include "container.h"

G_BEGIN_DECLS

typedef struct _HirCloner HirCloner;

/* Copies into @to, which may be nested in, or unrelated to, the source's container; each source node is
 * copied once and found again. Counters of @to are raised above every copied name, so that what is made
 * later never collides. */
HirCloner *hir_cloner_new (HirContainer *to);
void hir_cloner_free (HirCloner *cloner);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirCloner, hir_cloner_free)

/* NULL gives NULL. A tensor brings its axes, their transforms and extents, but not its definition. */
HirVal *hir_cloner_val (HirCloner *cloner, const HirVal *val);
#define hir_cloner_scalar(c, v) HIR_SCALAR (hir_cloner_val ((c), (const HirVal *) (v)))
#define hir_cloner_iter_domain(c, v) HIR_ITER_DOMAIN (hir_cloner_val ((c), (const HirVal *) (v)))
#define hir_cloner_tensor(c, v) HIR_TENSOR (hir_cloner_val ((c), (const HirVal *) (v)))
/* With operands, nested scopes and HostUnit; sets the definitions of its outputs' copies. Put it into
 * the container with hir_container_add_expr(). */
HirExpr *hir_cloner_expr (HirCloner *cloner, const HirExpr *expr);
/* From here on @val's copy is @copy: used where a HostUnit's input gets axes of its own. */
void hir_cloner_substitute (HirCloner *cloner, const HirVal *val, HirVal *copy);

G_END_DECLS
