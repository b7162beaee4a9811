/* rfactor in schedules (docs/host-ir.md#schedules): argument checks. */
#include "label.h"
#include "print/print.h"
#include "schedule/rfactor.h"
#include "schedule/schedule.h"
#include "transforms.h"

#define REFUSE(tensor, error, ...)                                                                 \
  hir_set_error (error, HIR_ERROR_REFUSED, &(tensor)->base.container->maker.pos,                   \
                 "rfactor: " __VA_ARGS__)

static gboolean
check_tensor (const HirTensor *tensor, GError **error)
{
  const HirExpr *expr = tensor->definition;
  g_autofree char *label = hir_tensor_dup_label (tensor);

  gboolean is_product =
      expr != NULL && (expr->kind == HIR_EXPR_MATMUL || expr->kind == HIR_EXPR_LINEAR);

  if (is_product && tensor->mesh == NULL)
    REFUSE (tensor, error,
            "%s is the result of %s, which can be computed in parts only over devices; call "
            "set_device_mesh first, and parallelize the part of K that remains over devices",
            label, hir_expr_get_op_name (expr));
  else if (is_product && expr->n_inputs > 2)
    REFUSE (tensor, error,
            "%s is the result of a linear with a bias, which each part would add; do not call "
            "rfactor, but parallelize a part of K over devices: InsertReshardings then creates the "
            "two steps and adds the bias once",
            label);
  else if (!is_product && (expr == NULL || expr->kind != HIR_EXPR_REDUCTION))
    REFUSE (tensor, error,
            "%s is not the result of a reduction; call rfactor on the result of a sum, max, min or "
            "prod",
            label);
  else if (tensor->has_root)
    REFUSE (tensor, error, "%s is already the result of rfactor; name all axes in one call", label);
  else
    return TRUE;
  return FALSE;
}

/* Adds the given axes to @selected. */
static gboolean
select_axes (
    HirTensor *tensor, const gint64 *axes, guint n_axes, GHashTable *selected, GError **error)
{
  g_autofree char *label = hir_tensor_dup_label (tensor);

  for (guint i = 0; i < n_axes; i++)
    {
      HirIterDomain *id = hir_schedule_axis (tensor, axes[i], error);
      g_autofree char *axis = NULL;

      if (id == NULL)
        {
          g_prefix_error (error, "rfactor: ");
          return FALSE;
        }
      axis = hir_iter_domain_to_string (id);
      if (!hir_iter_domain_is_reduction (id))
        {
          REFUSE (tensor, error, "axis %s of %s is not reduced; name pieces of a reduced axis",
                  axis, label);
          return FALSE;
        }
      g_hash_table_add (selected, id);
    }
  if (n_axes > 0)
    return TRUE;
  REFUSE (tensor, error, "name at least one reduced axis of %s", label);
  return FALSE;
}

/* At least one axis must remain for the second step. */
static gboolean
check_rest (const HirTensor *tensor, GHashTable *selected, GError **error)
{
  g_autofree char *label = hir_tensor_dup_label (tensor);

  for (guint i = 0; i < tensor->loop.n; i++)
    {
      const HirIterDomain *id = tensor->loop.ids[i];

      if (hir_iter_domain_is_reduction (id) && !g_hash_table_contains (selected, id))
        return TRUE;
    }
  REFUSE (tensor, error,
          "all reduced axes of %s are named, but one must remain for the second step; split the "
          "axis, and name one of the pieces",
          label);
  return FALSE;
}

/* All devices have parts of equal length. */
static gboolean
check_splits (const HirTensor *tensor, GError **error)
{
  g_autoptr (GPtrArray) transforms = hir_domain_dup_transforms (&tensor->logical, &tensor->loop);

  for (guint i = 0; i < transforms->len; i++)
    {
      const HirTransform *split = transforms->pdata[i];
      g_autofree char *label = NULL;
      g_autofree char *axis = NULL;

      if (split->kind != HIR_TRANSFORM_SPLIT || !hir_iter_domain_is_reduction (split->in[0]) ||
          !hir_scalar_is_const (split->in[0]->extent) || !hir_scalar_is_const (split->factor) ||
          split->in[0]->extent->i % split->factor->i == 0 ||
          !(hir_iter_domain_is_device (split->out[0]) || hir_iter_domain_is_device (split->out[1])))
        continue;
      label = hir_tensor_dup_label (tensor);
      axis = hir_iter_domain_to_string (split->in[0]);
      REFUSE (tensor, error,
              "the split of %s of %s by %" G_GINT64_FORMAT
              " leaves a device a shorter piece; split by a number that divides the axis",
              axis, label, split->factor->i);
      return FALSE;
    }
  return TRUE;
}

static gboolean
is_selected (const HirIterDomain *id, gpointer user_data)
{
  return g_hash_table_contains (user_data, id);
}

HirTensor *
hir_schedule_rfactor (HirTensor *tensor, const gint64 *axes, guint n_axes, GError **error)
{
  g_autoptr (GHashTable) selected = g_hash_table_new (NULL, NULL);

  if (!check_tensor (tensor, error) || !select_axes (tensor, axes, n_axes, selected, error) ||
      !check_rest (tensor, selected, error) || !check_splits (tensor, error))
    return NULL;
  return hir_tensor_rfactor (tensor, is_selected, selected, TRUE);
}
