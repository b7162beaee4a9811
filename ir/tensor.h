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

/* An ordered list of axes; the array is in the container's arena, replaced and never changed in place
 * where two domains may share it. */
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
  HirDomain root;       /* n = 0 and has_root FALSE: none */
  HirDomain logical;    /* with the reduction axes that the op reduces */
  HirDomain allocation; /* has_allocation FALSE: equals logical */
  HirDomain loop;       /* what prints */
  gint8 *contiguity;    /* HirContiguity, one an allocation (or logical) axis */
  gboolean has_root;
  gboolean has_allocation;
  gboolean is_cpu_scalar;
  HirMemoryType memory;
  const HirMesh *mesh;     /* nullable: on no mesh */
  HirExpr *definition;     /* nullable. In a host program one of several writers
                              (docs/host-ir.md#containers) */
  const char *script_name; /* nullable: the variable that the script bound it to first */
};

/* A tensor whose logical and loop domain are @ids (copied), contiguous, Local, without a mesh. Takes the
 * next tensor name. */
HirTensor *hir_tensor_new (HirContainer *container, HirDType dtype, HirIterDomain *const *ids, guint n);
/* The same with a root domain from which @ids derive. */
HirTensor *hir_tensor_new_with_root (HirContainer *container, HirDType dtype, HirIterDomain *const *root,
                                     guint n_root, HirIterDomain *const *ids, guint n);

/* Borrowed views. Root if there is one, else logical; allocation if there is one, else logical. */
const HirDomain *hir_tensor_get_maybe_root (const HirTensor *tensor);
const HirDomain *hir_tensor_get_maybe_allocation (const HirTensor *tensor);
/* Logical axes without reductions, newly allocated array (g_free), *@n of them: a run-time tensor's
 * dimensions. */
HirIterDomain **hir_tensor_dup_no_reductions (const HirTensor *tensor, guint *n);
/* Sets the loop domain, allocation domain (with default contiguity: TRUE, NONE for broadcast and
 * reduction). */
void hir_tensor_set_loop (HirTensor *tensor, HirIterDomain *const *ids, guint n);
void hir_tensor_set_allocation (HirTensor *tensor, HirIterDomain *const *ids, guint n);

/* -1 where @id is not in @domain. */
int hir_domain_find (const HirDomain *domain, const HirIterDomain *id);
const char *hir_memory_type_get_suffix (HirMemoryType memory);  /* "_g", "_l" */
const char *hir_memory_type_get_name (HirMemoryType memory);    /* "global": as in mem_type= */

G_END_DECLS
