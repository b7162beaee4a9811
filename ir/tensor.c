#include "tensor.h"

#include "container.h"

static HirDomain
domain_new (HirContainer *container, HirIterDomain *const *ids, guint n)
{
  return (HirDomain){ hir_arena_memdup (container->arena, ids, sizeof *ids * n), n };
}

static gint8 *
default_contiguity (HirContainer *container, const HirDomain *domain)
{
  gint8 *contiguity = hir_arena_alloc (container->arena, domain->n);

  for (guint i = 0; i < domain->n; i++)
    contiguity[i] = hir_iter_domain_is_broadcast (domain->ids[i]) ||
                            hir_iter_domain_is_reduction (domain->ids[i])
                        ? HIR_CONTIGUITY_NONE
                        : HIR_CONTIGUITY_TRUE;
  return contiguity;
}

HirTensor *
hir_tensor_new (HirContainer *container, HirDType dtype, HirIterDomain *const *ids, guint n)
{
  HirTensor *tensor = hir_arena_new0 (container->arena, HirTensor);

  tensor->base.kind = HIR_VAL_TENSOR;
  tensor->base.dtype = dtype;
  tensor->base.container = container;
  tensor->base.name = container->val_counter[HIR_VAL_TENSOR]++;
  tensor->logical = domain_new (container, ids, n);
  tensor->loop = tensor->logical;
  tensor->contiguity = default_contiguity (container, &tensor->logical);
  tensor->memory = HIR_MEMORY_LOCAL;
  hir_maker_stamp (container, &tensor->base.node, "tensor");
  hir_vec_push (container->arena, &container->tensors, tensor);
  return tensor;
}

HirTensor *
hir_tensor_new_with_root (HirContainer *container,
                          HirDType dtype,
                          HirIterDomain *const *root,
                          guint n_root,
                          HirIterDomain *const *ids,
                          guint n)
{
  HirTensor *tensor = hir_tensor_new (container, dtype, ids, n);

  tensor->root = domain_new (container, root, n_root);
  tensor->has_root = TRUE;
  return tensor;
}

const HirDomain *
hir_tensor_get_maybe_root (const HirTensor *tensor)
{
  return tensor->has_root ? &tensor->root : &tensor->logical;
}

const HirDomain *
hir_tensor_get_maybe_allocation (const HirTensor *tensor)
{
  return tensor->has_allocation ? &tensor->allocation : &tensor->logical;
}

HirIterDomain **
hir_tensor_dup_no_reductions (const HirTensor *tensor, guint *n)
{
  HirIterDomain **ids = g_new (HirIterDomain *, MAX (tensor->logical.n, 1));

  *n = 0;
  for (guint i = 0; i < tensor->logical.n; i++)
    {
      if (!hir_iter_domain_is_reduction (tensor->logical.ids[i]))
        ids[(*n)++] = tensor->logical.ids[i];
    }
  return ids;
}

void
hir_tensor_set_loop (HirTensor *tensor, HirIterDomain *const *ids, guint n)
{
  tensor->loop = domain_new (tensor->base.container, ids, n);
}

void
hir_tensor_set_allocation (HirTensor *tensor, HirIterDomain *const *ids, guint n)
{
  tensor->allocation = domain_new (tensor->base.container, ids, n);
  tensor->has_allocation = TRUE;
  tensor->contiguity = default_contiguity (tensor->base.container, &tensor->allocation);
}

int
hir_domain_find (const HirDomain *domain, const HirIterDomain *id)
{
  for (guint i = 0; i < domain->n; i++)
    {
      if (domain->ids[i] == id)
        return (int) i;
    }
  return -1;
}

typedef struct
{
  const char *suffix;
  const char *name;
} MemoryInfo;

static const MemoryInfo memory_infos[] = {
  [HIR_MEMORY_LOCAL] = { "_l", "register" },        [HIR_MEMORY_SHARED] = { "_s", "shared" },
  [HIR_MEMORY_GLOBAL] = { "_g", "global" },         [HIR_MEMORY_TENSOR] = { "_t", "tensor" },
  [HIR_MEMORY_SYMMETRIC] = { "_sym", "symmetric" },
};

const char *
hir_memory_type_get_suffix (HirMemoryType memory)
{
  g_return_val_if_fail ((guint) memory < G_N_ELEMENTS (memory_infos), "_l");
  return memory_infos[memory].suffix;
}

const char *
hir_memory_type_get_name (HirMemoryType memory)
{
  g_return_val_if_fail ((guint) memory < G_N_ELEMENTS (memory_infos), "register");
  return memory_infos[memory].name;
}
