/* The index along a loop axis as an expression of indices along the axes that it was made from: what
 * tells whether two tensors split an axis alike. Used by sharding.c. */
#pragma once

#include "tensor.h"

G_BEGIN_DECLS

/* Immutable; owned by the arena it was made in. */
typedef struct _HirAxisIndex HirAxisIndex;

/* Indices of a producer's and a consumer's axes; axes that are mapped to each other share one. */
typedef struct
{
  HirArena *arena;
  GHashTable *shared; /* HirIterDomain* of a consumer -> the producer's axis it is; borrowed */
  GHashTable *sizes;  /* HirScalar*, an extent -> the one of what its axis is mapped to; borrowed */
  GHashTable *known;  /* HirIterDomain* -> HirAxisIndex* made so far, empty at first; borrowed */
} HirAxisIndexer;

/* Of @id in terms of the axes of @base, which it derives from by splits and merges
 * (docs/host-ir.md#different-shardings step 4: outer = i / inner extent, inner = i mod inner
 * extent, merged = outer * inner extent + inner), simplified as far as sizes allow. A resize keeps
 * its input's index apart from all others. */
HirAxisIndex *
hir_axis_index_new (HirAxisIndexer *indexer, const HirDomain *base, const HirIterDomain *id);

/* TRUE where the two are provably equal. */
gboolean
hir_axis_index_equal (HirAxisIndexer *indexer, const HirAxisIndex *a, const HirAxisIndex *b);

/* The axis of @base that @id is the outermost piece of; NULL where it derives from none. Every
 * split goes to what was split, every merge to the outer one. */
HirIterDomain *hir_axis_find_outermost_base (const HirDomain *base, HirIterDomain *id);

G_END_DECLS
