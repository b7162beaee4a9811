/* Ops that add, remove, permute or expand axes; squeeze is in ops-reduce.c, broadcast in
 * ops-elementwise.c. */
#include "label.h"
#include "ops/ops-private.h"

/* Checks @dims and sets @is_new to TRUE for each output axis that has no input axis. */
static gboolean
find_input_axes (HirContainer *fusion,
                 HirTensor *in,
                 const gint64 *dims,
                 guint n_dims,
                 guint n,
                 gboolean *is_new,
                 GError **error)
{
  guint rank = hir_op_get_rank (in);
  g_autofree char *label = hir_tensor_dup_label (in);

  if (n_dims != rank)
    {
      hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                     "broadcast_in_dim: got %u dimensions, but %s has %u axes; give one dimension "
                     "per axis",
                     n_dims, label, rank);
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    is_new[i] = TRUE;
  for (guint i = 0; i < n_dims; i++)
    {
      if (dims[i] < 0 || dims[i] >= (gint64) n || (i > 0 && dims[i] <= dims[i - 1]))
        {
          hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                         "broadcast_in_dim: axis %u of %s cannot map to dimension %" G_GINT64_FORMAT
                         "; the dimensions must increase and be below %u",
                         i, label, dims[i], n);
          return FALSE;
        }
      is_new[dims[i]] = FALSE;
    }
  return TRUE;
}

HirTensor *
hir_op_broadcast_in_dim (HirContainer *fusion,
                         HirTensor *in,
                         HirScalar *const *shape,
                         guint n,
                         const gint64 *dims,
                         guint n_dims,
                         GError **error)
{
  g_autofree gboolean *is_new = g_new0 (gboolean, MAX (n, 1));
  g_autofree HirIterDomain **axes = NULL;
  g_autofree HirScalar **sizes = g_new0 (HirScalar *, MAX (n, 1));
  gboolean expands = FALSE;
  guint rank;
  HirTensor *out;

  if (!find_input_axes (fusion, in, dims, n_dims, n, is_new, error))
    return NULL;
  axes = hir_tensor_dup_no_reductions (in, &rank);
  for (guint i = 0, axis = 0; i < n; i++)
    {
      const HirIterDomain *id = is_new[i] ? NULL : axes[axis++];

      /* Only a broadcast takes the requested size. */
      if ((id == NULL || hir_iter_domain_is_broadcast (id)) && shape[i] != NULL &&
          !hir_scalar_is_const_int (shape[i], 1))
        {
          sizes[i] = shape[i];
          expands = TRUE;
        }
      else if (id != NULL && shape[i] != NULL && hir_scalar_is_const (shape[i]) &&
               hir_scalar_is_const (id->extent) && shape[i]->i != id->extent->i)
        {
          sizes[i] = shape[i]; /* hir_op_expand() rejects it */
          expands = TRUE;
        }
    }

  out = hir_op_broadcast (fusion, in, is_new, n, error);
  return out != NULL && expands ? hir_op_expand (fusion, out, sizes, n, error) : out;
}

/* Returns the output axis for @id expanded to @size. Sets *@expands to TRUE if the size differs. */
static HirIterDomain *
expand_axis (HirContainer *fusion, const HirIterDomain *id, HirScalar *size, gboolean *expands)
{
  HirIterDomain *out = hir_iter_domain_dup (fusion, id, FALSE);

  if (size == NULL || hir_scalar_equal (size, hir_op_get_size (id)))
    return out;
  if (hir_iter_domain_is_broadcast (id))
    {
      out->expanded_extent = size;
      *expands = TRUE;
    }
  else if (hir_scalar_is_const (size))
    {
      /* A symbol gets a known size. */
      out->extent = size;
      *expands = TRUE;
    }
  return out;
}

static gboolean
check_expand (HirContainer *fusion,
              const HirTensor *in,
              HirIterDomain *const *axes,
              guint rank,
              HirScalar *const *shape,
              guint n,
              GError **error)
{
  g_autofree char *label = hir_tensor_dup_label (in);

  if (n != rank)
    {
      hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                     "expand: got %u sizes, but %s has %u axes; give one size per axis, or -1 to "
                     "keep an axis",
                     n, label, rank);
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    {
      const HirScalar *size = hir_op_get_size (axes[i]);

      if (shape[i] == NULL || !hir_scalar_is_const (shape[i]) || !hir_scalar_is_const (size) ||
          shape[i]->i == size->i ||
          (hir_iter_domain_is_broadcast (axes[i]) && axes[i]->expanded_extent == NULL &&
           shape[i]->i >= 0))
        continue;
      hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                     "expand: axis %u of %s has %" G_GINT64_FORMAT
                     " elements, not %" G_GINT64_FORMAT "; only an axis of size 1 can be expanded",
                     i, label, size->i, shape[i]->i);
      return FALSE;
    }
  return TRUE;
}

HirTensor *
hir_op_expand (
    HirContainer *fusion, HirTensor *in, HirScalar *const *shape, guint n, GError **error)
{
  guint rank;
  g_autofree HirIterDomain **axes = hir_tensor_dup_no_reductions (in, &rank);
  g_autofree HirIterDomain **ids = NULL;
  HirVal *inputs[] = { HIR_VAL (in) };
  gboolean expands = FALSE;
  HirTensor *out;
  HirExpr *expr;

  if (!check_expand (fusion, in, axes, rank, shape, n, error))
    return NULL;
  for (guint i = 0; i < n && !expands; i++)
    expands = shape[i] != NULL && !hir_scalar_equal (shape[i], hir_op_get_size (axes[i])) &&
              (hir_iter_domain_is_broadcast (axes[i]) || hir_scalar_is_const (shape[i]));
  if (!expands)
    return hir_op_set (fusion, in, error);

  ids = g_new (HirIterDomain *, MAX (n, 1));
  for (guint i = 0; i < n; i++)
    ids[i] = expand_axis (fusion, axes[i], shape[i], &expands);
  out = hir_tensor_new (fusion, in->base.dtype, ids, n);
  hir_op_inherit (out, inputs, 1);
  expr = hir_op_add (fusion, HIR_EXPR_EXPAND, inputs, 1, out);
  expr->u.expand.extents = hir_arena_array0 (fusion->arena, HirScalar *, n);
  expr->u.expand.n = n;
  for (guint i = 0; i < n; i++)
    expr->u.expand.extents[i] = hir_op_get_size (ids[i]);
  return out;
}

/* Returns FALSE and @error unless each input axis occurs once. */
static gboolean
check_permutation (HirContainer *fusion,
                   const HirTensor *in,
                   const gint64 *dims,
                   guint n,
                   guint *order,
                   GError **error)
{
  g_autofree char *label = hir_tensor_dup_label (in);
  guint rank = hir_op_get_rank (in);

  if (n != rank)
    {
      hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                     "permute: got %u axes, but %s has %u; name each axis once", n, label, rank);
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    {
      if (!hir_op_normalize_axis (fusion, "permute", in, dims[i], &order[i], error))
        return FALSE;
      for (guint j = 0; j < i; j++)
        {
          if (order[j] != order[i])
            continue;
          hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                         "permute: axis %u of %s is given twice; name each once", order[i], label);
          return FALSE;
        }
    }
  return TRUE;
}

HirTensor *
hir_op_permute (HirContainer *fusion, HirTensor *in, const gint64 *dims, guint n, GError **error)
{
  guint rank;
  g_autofree HirIterDomain **axes = hir_tensor_dup_no_reductions (in, &rank);
  g_autofree HirIterDomain **root = g_new (HirIterDomain *, MAX (rank, 1));
  g_autofree HirIterDomain **logical = g_new (HirIterDomain *, MAX (rank, 1));
  g_autofree guint *order = g_new (guint, MAX (n, 1));
  HirVal *inputs[] = { HIR_VAL (in) };
  HirTensor *out;
  HirExpr *expr;

  if (!check_permutation (fusion, in, dims, n, order, error))
    return NULL;
  if (n == 0)
    return hir_op_set (fusion, in, error);

  for (guint i = 0; i < n; i++)
    root[i] = hir_iter_domain_dup (fusion, axes[i], TRUE);
  for (guint i = 0; i < n; i++)
    logical[i] = root[order[i]];
  out = hir_tensor_new_with_root (fusion, in->base.dtype, root, n, logical, n);
  hir_op_inherit (out, inputs, 1);
  expr = hir_op_add (fusion, HIR_EXPR_SET, inputs, 1, out);
  expr->u.set.kind = HIR_SET_SET;
  expr->u.set.streaming = TRUE;
  return out;
}
