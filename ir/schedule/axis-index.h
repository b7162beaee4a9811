/* Expresses the index of a loop axis in terms of the axes it derives from. Used by sharding.c to
 * decide whether two tensors split an axis in the same way. */
#pragma once

#include "tensor.h"

G_BEGIN_DECLS

/* Immutable; owned by the indexer's arena. */
typedef struct _HirAxisIndex HirAxisIndex;

/* Context for the axes of a producer and a consumer. Mapped axes share one index. */
typedef struct
{
  HirArena *arena;
  /* HirIterDomain* of the consumer -> corresponding axis of the producer; borrowed */
  GHashTable *shared;
  GHashTable *sizes; /* extent (HirScalar*) -> extent of the axis it is mapped to; borrowed */
  /* HirIterDomain* -> HirAxisIndex* created so far, initially empty; borrowed */
  GHashTable *known;
} HirAxisIndexer;

/* Returns the index of @id in terms of the axes of @base, from which it derives by splits and
 * merges (docs/host-ir.md#different-shardings step 3: outer = i / inner extent, inner = i mod inner
 * extent, merged = outer * inner extent + inner), simplified as far as the sizes allow. The result
 * of a resize has an index that differs from all others. */
HirAxisIndex *
hir_axis_index_new (HirAxisIndexer *indexer, const HirDomain *base, const HirIterDomain *id);

/* Returns TRUE if the two indices are provably equal. */
gboolean
hir_axis_index_equal (HirAxisIndexer *indexer, const HirAxisIndex *a, const HirAxisIndex *b);

/* Returns the axis of @base whose outermost part is @id, or NULL. Follows every split to its input,
 * every merge to its outer input. */
HirIterDomain *hir_axis_find_outermost_base (const HirDomain *base, HirIterDomain *id);

G_END_DECLS
