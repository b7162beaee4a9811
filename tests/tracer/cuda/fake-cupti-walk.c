#include "fake-cupti-walk.h"

gsize
fake_cupti_get_size (guint32 api_version, guint32 kind)
{
  gboolean is_new = hir_cupti_has_event_sync (api_version);

  switch (kind)
    {
    case HIR_CUPTI_KIND_CONCURRENT_KERNEL:
      return api_version >= 130000 ? 216 : 208;
    case HIR_CUPTI_KIND_MEMCPY:
      return is_new ? 96 : 88;
    case HIR_CUPTI_KIND_MEMCPY2:
      return 96;
    case HIR_CUPTI_KIND_MEMSET:
      return 88;
    case HIR_CUPTI_KIND_DRIVER:
    case HIR_CUPTI_KIND_RUNTIME:
      return 40;
    case HIR_CUPTI_KIND_EXTERNAL_CORRELATION:
      return 24;
    case HIR_CUPTI_KIND_SYNCHRONIZATION:
      return is_new ? 56 : 40;
    case HIR_CUPTI_KIND_CUDA_EVENT:
      return is_new ? 56 : 24;
    case HIR_CUPTI_KIND_OVERHEAD:
      return api_version >= 130000 ? 56 : 48;
    case HIR_CUPTI_KIND_MARKER:
      return 56;
    case HIR_CUPTI_KIND_INTERNAL_LAUNCH_API: /* not requested by Hirscope */
      return 40;
    default:
      return 0;
    }
}

HirCuptiResult
fake_cupti_walk (guint32 api_version, guint8 *bytes, gsize valid, HirCuptiActivity **record)
{
  guint8 *next = bytes;

  if (*record != NULL)
    next = (guint8 *) *record + fake_cupti_get_size (api_version, (*record)->kind);
  if (next >= bytes + valid)
    return HIR_CUPTI_ERROR_MAX_LIMIT_REACHED;
  if ((gsize) (bytes + valid - next) <
      MAX (fake_cupti_get_size (api_version, ((HirCuptiActivity *) next)->kind), 1))
    return HIR_CUPTI_ERROR_INVALID_KIND;
  if (fake_cupti_get_size (api_version, ((HirCuptiActivity *) next)->kind) == 0)
    return HIR_CUPTI_ERROR_INVALID_KIND;
  *record = (HirCuptiActivity *) next;
  return HIR_CUPTI_SUCCESS;
}
