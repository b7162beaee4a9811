#include "single-device.h"

#include "label.h"
#include "print.h"

static gboolean
check_domain (const HirTensor *tensor, const HirDomain *domain, GError **error)
{
  for (guint i = 0; i < domain->n; i++)
    {
      const HirIterDomain *id = domain->ids[i];
      g_autofree char *label = NULL;
      g_autofree char *axis = NULL;
      HirPos pos;

      if (!hir_iter_domain_is_device (id))
        continue;
      label = hir_tensor_dup_label (tensor);
      axis = hir_iter_domain_to_string (id);
      pos = hir_axis_get_pos (tensor, id);
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, &pos,
                     "axis %s of %s is spread over devices, and multi-device lowering is not "
                     "implemented yet; leave %s out to lower for one device",
                     axis, label, hir_parallel_type_get_script_name (id->parallel_type));
      return FALSE;
    }
  return TRUE;
}

static gboolean
check_mesh (const HirTensor *tensor, const HirMesh **common, GError **error)
{
  g_autofree char *label = NULL;
  g_autoptr (GString) mesh = NULL;

  if (tensor->mesh == NULL)
    return TRUE;
  if (tensor->mesh->size == 1 && (*common == NULL || hir_mesh_equal (tensor->mesh, *common)))
    {
      *common = tensor->mesh;
      return TRUE;
    }

  label = hir_tensor_dup_label (tensor);
  mesh = g_string_new (NULL);
  hir_mesh_print (tensor->mesh, mesh);
  hir_set_error (error, HIR_ERROR_UNSUPPORTED, &tensor->base.node.pos,
                 "%s is on %s%s, and multi-device lowering is not implemented yet; leave "
                 "set_device_mesh out, or give all tensors one device",
                 label, mesh->str, tensor->mesh->size == 1 ? ", others on another device" : "");
  return FALSE;
}

gboolean
hir_check_single_device (HirContainer *program, GError **error)
{
  const HirMesh *mesh = NULL;

  for (guint i = 0; i < program->tensors.len; i++)
    {
      const HirTensor *tensor = program->tensors.items[i];

      if (!check_domain (tensor, &tensor->loop, error) ||
          !check_domain (tensor, hir_tensor_get_maybe_allocation (tensor), error) ||
          !check_mesh (tensor, &mesh, error))
        return FALSE;
    }
  return TRUE;
}
