/* Rules for values: scalars, axes, domains. */
#include "verify/verify-internal.h"

#include "print/print.h"
#include "transforms.h"

/* In `scalars`, a scalar maps to itself while it is open, and to the table when it is checked. */
static gboolean
check_one_scalar (HirVerifier *v, HirScalar *scalar, const HirNode *user, const char *what)
{
  if (!HIR_IS_SCALAR (scalar))
    return hir_verifier_fail (v, user, what, "a value that must be a scalar is not a scalar");
  if (scalar->base.container != v->container)
    return hir_verifier_fail (v, user, what, "scalar %s%d belongs to another container",
                              hir_dtype_get_prefix (scalar->base.dtype), scalar->base.name);
  if (scalar->kind == HIR_SCALAR_NAMED && scalar->named == NULL)
    return hir_verifier_fail (v, user, what, "a named scalar has no name");
  if (scalar->kind == HIR_SCALAR_OP && (scalar->a == NULL || scalar->b == NULL))
    return hir_verifier_fail (v, user, what, "scalar i%d has a missing operand", scalar->base.name);
  return TRUE;
}

gboolean
hir_verifier_check_scalar (HirVerifier *v, HirScalar *scalar, const HirNode *user, const char *what)
{
  g_autoptr (GPtrArray) stack = NULL;

  if (scalar == NULL)
    return hir_verifier_fail (v, user, what, "a scalar is missing");
  if (g_hash_table_lookup (v->scalars, scalar) == v->scalars)
    return TRUE;

  stack = g_ptr_array_new ();
  g_ptr_array_add (stack, scalar);
  while (stack->len > 0)
    {
      HirScalar *top = g_ptr_array_index (stack, stack->len - 1);
      HirScalar *operands[2];
      guint n_pushed = 0;

      if (!g_hash_table_contains (v->scalars, top))
        {
          if (!check_one_scalar (v, top, user, what))
            return FALSE;
          g_hash_table_insert (v->scalars, top, top);
        }
      operands[0] = top->kind == HIR_SCALAR_OP ? top->a : NULL;
      operands[1] = top->kind == HIR_SCALAR_OP ? top->b : NULL;
      for (guint i = 0; i < 2 && n_pushed == 0; i++)
        {
          gpointer state =
              operands[i] != NULL ? g_hash_table_lookup (v->scalars, operands[i]) : v->scalars;

          if (state == operands[i])
            return hir_verifier_fail (v, user, what, "scalar i%d is computed from itself",
                                      operands[i]->base.name);
          if (state == NULL)
            {
              g_ptr_array_add (stack, operands[i]);
              n_pushed++;
            }
        }
      if (n_pushed == 0)
        {
          g_hash_table_insert (v->scalars, top, v->scalars);
          g_ptr_array_set_size (stack, (int) stack->len - 1);
        }
    }
  return TRUE;
}

static gboolean
check_axis (HirVerifier *v, const HirTensor *tensor, const char *what, HirIterDomain *id)
{
  const HirNode *user = &tensor->base.node;
  g_autofree char *axis = NULL;
  gpointer other;

  if (id == NULL || !HIR_IS_ITER_DOMAIN (id))
    return hir_verifier_fail (v, user, what, "a domain contains a missing axis");
  if (g_hash_table_contains (v->axes, id))
    return TRUE;
  if (id->base.container != v->container)
    return hir_verifier_fail (v, user, what, "axis %d belongs to another container", id->base.name);
  if (id->extent == NULL || id->start == NULL)
    return hir_verifier_fail (v, user, what, "axis %d has no extent", id->base.name);
  if (!hir_verifier_check_scalar (v, id->extent, user, what) ||
      !hir_verifier_check_scalar (v, id->start, user, what) ||
      (id->expanded_extent != NULL &&
       !hir_verifier_check_scalar (v, id->expanded_extent, user, what)))
    return FALSE;
  if ((guint) id->parallel_type >= HIR_N_PARALLEL_TYPES ||
      (guint) id->iter_type > HIR_ITER_SYMBOLIC)
    return hir_verifier_fail (v, user, what, "axis %d has an invalid type", id->base.name);

  axis = hir_iter_domain_to_string (id);
  if (id->expanded_extent != NULL && !hir_iter_domain_is_broadcast (id))
    return hir_verifier_fail (v, user, what, "axis %s is expanded but is not a broadcast", axis);
  other = g_hash_table_lookup (v->axis_names, GINT_TO_POINTER (id->base.name + 1));
  if (other != NULL && !hir_verifier_may_share_names (v))
    return hir_verifier_fail (v, user, what, "axis %s has the number of another axis", axis);
  g_hash_table_insert (v->axis_names, GINT_TO_POINTER (id->base.name + 1), id);
  g_hash_table_add (v->axes, id);
  return hir_verifier_check_node (v, &id->base.node, axis);
}

static gboolean
check_domain (HirVerifier *v,
              const HirTensor *tensor,
              const char *what,
              const HirDomain *domain,
              const char *name)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  if (domain->n > 0 && domain->ids == NULL)
    return hir_verifier_fail (v, &tensor->base.node, what, "its %s domain is missing", name);
  for (guint i = 0; i < domain->n; i++)
    {
      if (!check_axis (v, tensor, what, domain->ids[i]))
        return FALSE;
      if (!g_hash_table_add (seen, domain->ids[i]))
        {
          g_autofree char *axis = hir_iter_domain_to_string (domain->ids[i]);

          return hir_verifier_fail (v, &tensor->base.node, what,
                                    "axis %s is twice in its %s domain", axis, name);
        }
    }
  return TRUE;
}

static gboolean
check_transform (HirVerifier *v, const HirTensor *tensor, const char *what, const HirTransform *t)
{
  guint n_in = t->kind == HIR_TRANSFORM_MERGE ? 2 : 1;
  guint n_out = t->kind == HIR_TRANSFORM_SPLIT ? 2 : 1;
  gboolean complete = TRUE;

  for (guint i = 0; i < 2; i++)
    {
      complete = complete && (t->in[i] != NULL) == (i < n_in) && (t->out[i] != NULL) == (i < n_out);
      if (t->out[i] != NULL && t->out[i]->definition != t)
        return hir_verifier_fail (v, &tensor->base.node, what,
                                  "axis %d has another definition than the transform that creates "
                                  "it",
                                  t->out[i]->base.name);
    }
  if (t->kind == HIR_TRANSFORM_SPLIT)
    complete = complete && t->factor != NULL;
  if (t->kind == HIR_TRANSFORM_RESIZE)
    complete = complete && t->left != NULL && t->right != NULL;
  if (!complete)
    return hir_verifier_fail (v, &tensor->base.node, what,
                              "a transform between its domains is incomplete");
  for (guint i = 0; i < 2; i++)
    if ((t->in[i] != NULL && !check_axis (v, tensor, what, t->in[i])) ||
        (t->out[i] != NULL && !check_axis (v, tensor, what, t->out[i])))
      return FALSE;
  return TRUE;
}

/* @to must contain exactly the axes that remain of @from after the transforms between them, in any
 * order. If @broadcasts_are_free, axes of size 1 may be added or removed between root and logical.
 */
static gboolean
check_derivation (HirVerifier *v,
                  const HirTensor *tensor,
                  const char *what,
                  const HirDomain *from,
                  const HirDomain *to,
                  const char *names,
                  gboolean broadcasts_are_free)
{
  const HirNode *node = &tensor->base.node;
  g_autoptr (GPtrArray) transforms = NULL;
  g_autoptr (GHashTable) left = g_hash_table_new (NULL, NULL);
  GHashTableIter iter;
  gpointer rest;

  if (from->n == to->n && from->ids == to->ids)
    return TRUE;
  transforms = hir_domain_dup_transforms (from, to);
  for (guint i = 0; i < from->n; i++)
    g_hash_table_add (left, from->ids[i]);
  for (guint i = 0; i < transforms->len; i++)
    {
      const HirTransform *t = g_ptr_array_index (transforms, i);

      if (!check_transform (v, tensor, what, t))
        return FALSE;
      for (guint k = 0; k < 2; k++)
        if (t->in[k] != NULL && !g_hash_table_remove (left, t->in[k]))
          return hir_verifier_fail (v, node, what,
                                    "%s: axis %d is transformed but is not in the "
                                    "domain",
                                    names, t->in[k]->base.name);
      for (guint k = 0; k < 2; k++)
        if (t->out[k] != NULL)
          g_hash_table_add (left, t->out[k]);
    }

  for (guint i = 0; i < to->n; i++)
    {
      g_autofree char *axis = hir_iter_domain_to_string (to->ids[i]);

      if (!g_hash_table_remove (left, to->ids[i]) &&
          !(broadcasts_are_free && hir_iter_domain_is_broadcast (to->ids[i])))
        return hir_verifier_fail (v, node, what, "%s: axis %s derives from nothing", names, axis);
    }
  g_hash_table_iter_init (&iter, left);
  while (g_hash_table_iter_next (&iter, &rest, NULL))
    {
      g_autofree char *axis = hir_iter_domain_to_string (rest);

      if (!broadcasts_are_free || !hir_iter_domain_is_broadcast (rest))
        return hir_verifier_fail (v, node, what, "%s: axis %s is lost", names, axis);
    }
  return TRUE;
}

static gboolean
check_contiguity (HirVerifier *v, const HirTensor *tensor, const char *what)
{
  const HirDomain *domain = hir_tensor_get_maybe_allocation (tensor);

  if (domain->n > 0 && tensor->contiguity == NULL)
    return hir_verifier_fail (v, &tensor->base.node, what, "it has no contiguity");
  for (guint i = 0; i < domain->n; i++)
    {
      gboolean is_none = tensor->contiguity[i] == HIR_CONTIGUITY_NONE;
      gboolean wants_none = hir_iter_domain_is_broadcast (domain->ids[i]) ||
                            hir_iter_domain_is_reduction (domain->ids[i]);
      g_autofree char *axis = hir_iter_domain_to_string (domain->ids[i]);

      if (is_none != wants_none)
        return hir_verifier_fail (v, &tensor->base.node, what,
                                  "axis %s must%s have a contiguity: only broadcast and reduction "
                                  "axes have none",
                                  axis, wants_none ? " not" : "");
      if (!is_none && tensor->contiguity[i] != HIR_CONTIGUITY_TRUE &&
          tensor->contiguity[i] != HIR_CONTIGUITY_FALSE)
        return hir_verifier_fail (v, &tensor->base.node, what,
                                  "axis %s has the invalid contiguity %d", axis,
                                  tensor->contiguity[i]);
    }
  return TRUE;
}

gboolean
hir_verifier_check_tensor (HirVerifier *v, HirTensor *tensor)
{
  g_autofree char *what = hir_verifier_name_val (HIR_VAL (tensor));

  if (tensor->base.container != v->container)
    return hir_verifier_fail (v, &tensor->base.node, what, "it belongs to another container");
  if (!hir_verifier_check_node (v, &tensor->base.node, what))
    return FALSE;
  if ((guint) tensor->base.dtype >= HIR_N_DTYPES || (guint) tensor->memory > HIR_MEMORY_SYMMETRIC)
    return hir_verifier_fail (v, &tensor->base.node, what,
                              "its element type or memory type is invalid");
  if (tensor->mesh != NULL && (tensor->mesh->size < 0 || tensor->mesh->n_dims < 1))
    return hir_verifier_fail (v, &tensor->base.node, what, "its mesh is empty");

  return check_domain (v, tensor, what, &tensor->logical, "logical") &&
         check_domain (v, tensor, what, &tensor->loop, "loop") &&
         (!tensor->has_root || check_domain (v, tensor, what, &tensor->root, "root")) &&
         (!tensor->has_allocation ||
          check_domain (v, tensor, what, &tensor->allocation, "allocation")) &&
         (!tensor->has_root || check_derivation (v, tensor, what, &tensor->root, &tensor->logical,
                                                 "root to logical", TRUE)) &&
         (!tensor->has_allocation ||
          check_derivation (v, tensor, what, &tensor->logical, &tensor->allocation,
                            "logical to allocation", FALSE)) &&
         check_derivation (v, tensor, what, &tensor->logical, &tensor->loop, "logical to loop",
                           FALSE) &&
         check_contiguity (v, tensor, what);
}
