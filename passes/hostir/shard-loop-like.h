/* Propagation of shardings by the rules of 2026 (docs/hostir.md#propagateshardings). */
#pragma once

#include "pass.h"
#include "schedule/sharding.h"

G_BEGIN_DECLS

/* Gives @target the mesh of @ref if it has none, and the parallel @types of @ref's loop domain, by
 * repeating the splits and swizzles that lead to each such axis. @ref and @target are on different
 * sides of @expr. Skips an axis that @expr does not relate, that is transformed further or
 * parallelized in @target, or whose mesh axis has another size. The caller sets the maker's
 * origins. @error: HIR_ERROR_REFUSED if an axis derives from several, or a transform cannot be
 * repeated. */
gboolean hir_shard_loop_like (const HirExpr *expr,
                              const HirTensor *ref,
                              HirTensor *target,
                              HirParallelSet types,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Makes the loop axes of @types Serial, and undoes the splits and swizzles whose results are all
 * Serial. */
void hir_unshard_types (HirTensor *tensor, HirParallelSet types);
/* Undoes the splits and swizzles whose results are all Serial loop axes. */
void hir_canonicalize_loop (HirTensor *tensor);

/* Returns the types of @tensor's loop axes that are over devices or streams. With
 * @with_reductions, reduced axes count too. */
HirParallelSet hir_get_loop_types (const HirTensor *tensor, gboolean with_reductions);
/* Returns the loop axis of @tensor that is not reduced and has @type, or NULL. */
HirIterDomain *hir_domain_lookup_type (const HirDomain *domain, HirParallelType type);
/* Returns the output of @expr with most parallelized loop axes, the first of equals; NULL if no
 * output is a tensor. */
HirTensor *hir_expr_get_most_parallel_output (const HirExpr *expr);

G_END_DECLS
