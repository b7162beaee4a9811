/* IterDomain: one axis of a tensor, and the transforms between axes (docs/host-ir.md#axes,
 * docs/host-ir.md#splits-and-merges). */
#pragma once

#include "scalar.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_ITER_ITERATION,
  HIR_ITER_REDUCTION,
  HIR_ITER_BROADCAST,
  HIR_ITER_STRIDE,
  HIR_ITER_GATHER_SCATTER,
  HIR_ITER_VECTOR_COMPONENT,
  HIR_ITER_SYMBOLIC,
} HirIterType;

typedef enum
{
  HIR_PARALLEL_DIDX,
  HIR_PARALLEL_DIDY,
  HIR_PARALLEL_DIDZ,
  HIR_PARALLEL_BIDZ,
  HIR_PARALLEL_BIDY,
  HIR_PARALLEL_BIDX,
  HIR_PARALLEL_TIDZ,
  HIR_PARALLEL_TIDY,
  HIR_PARALLEL_TIDX,
  HIR_PARALLEL_STREAM,
  HIR_PARALLEL_VECTORIZE,
  HIR_PARALLEL_UNROLL,
  HIR_PARALLEL_UNSWITCH,
  HIR_PARALLEL_MMA,
  HIR_PARALLEL_GROUP,
  HIR_PARALLEL_BULK,
  HIR_PARALLEL_SERIAL,
  HIR_N_PARALLEL_TYPES,
} HirParallelType;

typedef enum
{
  HIR_TRANSFORM_SPLIT,  /* in[0] -> out[0] (outer), out[1] (inner) */
  HIR_TRANSFORM_MERGE,  /* in[0] (outer), in[1] (inner) -> out[0] */
  HIR_TRANSFORM_RESIZE, /* in[0] -> out[0]; slice and pad */
  /* in[0] -> out[0]: element (k + position on the mesh axis) mod extent of in[0] is element k; 2026
   */
  HIR_TRANSFORM_SWIZZLE,
} HirTransformKind;

typedef struct
{
  HirTransformKind kind;
  HirIterDomain *in[2];
  HirIterDomain *out[2];
  HirScalar *factor;         /* split: as given */
  gboolean inner_split;      /* split: the factor is the inner extent */
  HirScalar *left, *right;   /* resize */
  HirParallelType mesh_axis; /* swizzle: a device type */
  HirNode node;
} HirTransform;

struct _HirIterDomain
{
  HirVal base;
  HirScalar *start;
  HirScalar *extent;
  HirScalar *expanded_extent; /* extent of an expanded broadcast (nullable) */
  HirIterType iter_type;
  HirParallelType parallel_type;
  gboolean is_rfactor;
  HirTransform *definition; /* transform that created the axis (nullable) */
};

/* Creates an axis from 0 to @extent; Serial. */
HirIterDomain *
hir_iter_domain_new (HirContainer *container, HirScalar *extent, HirIterType iter_type);
/* Creates an axis with the extents (shared) and type of @source, which must belong to @container.
 * Copies the parallel type if @keep_parallel; never copies the rfactor flag. */
HirIterDomain *
hir_iter_domain_dup (HirContainer *container, const HirIterDomain *source, gboolean keep_parallel);

/* Splits @in by @factor into two new axes. @error: HIR_ERROR_REFUSED (refusal 24 of
 * docs/host-ir.md#refusals) if @in is not Serial or @factor is below 1. The message does not name
 * the tensor; schedule.h adds the name. */
gboolean hir_iter_domain_split (HirIterDomain *in,
                                HirScalar *factor,
                                gboolean inner_split,
                                HirIterDomain **outer,
                                HirIterDomain **inner,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Merges two axes into a new one. @error: HIR_ERROR_REFUSED if neither axis is Serial, or if only
 * one is a reduction. */
HirIterDomain *hir_iter_domain_merge (HirIterDomain *outer,
                                      HirIterDomain *inner,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Creates the axis that results from a slice or pad: extent = in + left + right (negative widths
 * cut). Sets its rfactor flag. */
HirIterDomain *hir_iter_domain_resize (HirIterDomain *in, HirScalar *left, HirScalar *right);

/* Creates the axis that rotates the elements of @in by the position of the device on @mesh_axis (a
 * device type). */
HirIterDomain *hir_iter_domain_swizzle (HirIterDomain *in, HirParallelType mesh_axis);

gboolean hir_iter_domain_is_reduction (const HirIterDomain *id);
gboolean hir_iter_domain_is_broadcast (const HirIterDomain *id);
gboolean hir_iter_domain_is_stream (const HirIterDomain *id);
gboolean hir_iter_domain_is_device (const HirIterDomain *id);
gboolean hir_iter_domain_is_parallelized (const HirIterDomain *id);

/* Returns 'i', 'r', 'b', ..., as printed in 2025. */
char hir_iter_type_get_letter (HirIterType type);
/* Returns `S`, `StreamIdx`, `deviceIdx.x`, ..., as printed in 2025. */
const char *hir_parallel_type_get_text (HirParallelType type);
/* Sets *@type for `mesh_x`, `stream`, `serial`, ...; returns FALSE if @name is not listed in
 * docs/host-ir.md#enum-spellings. */
gboolean hir_parallel_type_lookup_script_name (const char *name, HirParallelType *type);
/* Returns the name that scripts use; the printed text if scripts have none. */
const char *hir_parallel_type_get_script_name (HirParallelType type);

G_END_DECLS
