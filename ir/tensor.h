/* TensorView: a tensor with its domains (docs/host-ir.md#tensors). */
#pragma once

#include "iter-domain.h"
#include "mesh.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_MEMORY_LOCAL,
  HIR_MEMORY_SHARED,
  HIR_MEMORY_GLOBAL,
  HIR_MEMORY_TENSOR,
  HIR_MEMORY_SYMMETRIC,
} HirMemoryType;

/* Ordered list of axes. The array is in the container's arena. Replace it; never change it in
 * place, because two domains may share it. */
typedef struct
{
  HirIterDomain **ids;
  guint n;
} HirDomain;

typedef enum
{
  HIR_CONTIGUITY_NONE = -1, /* broadcast and reduction axes */
  HIR_CONTIGUITY_FALSE = 0,
  HIR_CONTIGUITY_TRUE = 1,
} HirContiguity;

struct _HirTensor
{
  HirVal base;
  HirDomain root;       /* unless has_root: n = 0 */
  HirDomain logical;    /* includes the axes that the op reduces */
  HirDomain allocation; /* unless has_allocation: same as logical */
  HirDomain loop;       /* the domain that prints */
  gint8 *contiguity;    /* HirContiguity, one per allocation (or logical) axis */
  gboolean has_root;
  gboolean has_allocation;
  gboolean is_cpu_scalar;
  HirMemoryType memory;
  const HirMesh *mesh; /* NULL if it is on no mesh */
  /* nullable; in a host program, one of several writers (docs/host-ir.md#containers) */
  HirExpr *definition;
  const char *script_name; /* the first script variable bound to it (nullable) */
};

/* Creates a tensor with logical and loop domain @ids (copied): contiguous, Local, on no mesh. Takes
 * the next tensor number. */
HirTensor *
hir_tensor_new (HirContainer *container, HirDType dtype, HirIterDomain *const *ids, guint n);
/* Like hir_tensor_new(), with a root domain that @ids derive from. */
HirTensor *hir_tensor_new_with_root (HirContainer *container,
                                     HirDType dtype,
                                     HirIterDomain *const *root,
                                     guint n_root,
                                     HirIterDomain *const *ids,
                                     guint n);

/* Returns the root domain if there is one, otherwise the logical domain (borrowed). */
const HirDomain *hir_tensor_get_maybe_root (const HirTensor *tensor);
/* Returns the allocation domain if there is one, otherwise the logical domain (borrowed). */
const HirDomain *hir_tensor_get_maybe_allocation (const HirTensor *tensor);
/* Returns the logical axes without reductions: the dimensions of a run-time tensor. New array
 * (g_free) of *@n axes. */
HirIterDomain **hir_tensor_dup_no_reductions (const HirTensor *tensor, guint *n);
/* Sets the loop domain. */
void hir_tensor_set_loop (HirTensor *tensor, HirIterDomain *const *ids, guint n);
/* Sets the allocation domain with default contiguity: TRUE, or NONE for broadcasts and reductions.
 */
void hir_tensor_set_allocation (HirTensor *tensor, HirIterDomain *const *ids, guint n);

/* Returns the position of @id in @domain, or -1. */
int hir_domain_find (const HirDomain *domain, const HirIterDomain *id);
const char *hir_memory_type_get_suffix (HirMemoryType memory); /* "_g", "_l" */
const char *hir_memory_type_get_name (HirMemoryType memory);   /* "global": as in mem_type= */

G_END_DECLS
