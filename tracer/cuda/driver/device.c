#include "cuda/driver/device.h"

/* Returns the serial of the device whose context is current on this thread, or 0. Cached, because
 * it is checked before most driver calls. */
static gsize *
get_current (void)
{
  static _Thread_local gsize serial;

  return &serial;
}

static gsize
new_serial (void)
{
  static gsize last;

  return (gsize) g_atomic_pointer_add (&last, 1) + 1;
}

int
hir_cuda_device_count (const HirCudaLibs *libs, GError **error)
{
  int n = 0;

  return hir_cu_check (libs, libs->cuda.device_get_count (&n), error, "counting the GPUs") ? n : 0;
}

static gboolean
ask_attributes (HirCudaDevice *device, GError **error)
{
  const HirCudaApi *cuda = &device->libs->cuda;
  int major = 0, minor = 0;
  char name[256] = "";
  HirCuResult result = cuda->device_get_name (name, sizeof name, device->device);

  if (result == HIR_CU_SUCCESS)
    result = cuda->device_get_attribute (&device->n_sms, HIR_CU_ATTRIBUTE_SM_COUNT, device->device);
  if (result == HIR_CU_SUCCESS)
    result = cuda->device_get_attribute (&major, HIR_CU_ATTRIBUTE_CC_MAJOR, device->device);
  if (result == HIR_CU_SUCCESS)
    result = cuda->device_get_attribute (&minor, HIR_CU_ATTRIBUTE_CC_MINOR, device->device);
  device->arch = major * 10 + minor;
  device->name = g_utf8_make_valid (name, -1);
  return hir_cu_check (device->libs, result, error, "querying the attributes of GPU %d",
                       device->ordinal);
}

static gboolean
retain_context (HirCudaDevice *device, GError **error)
{
  const HirCudaApi *cuda = &device->libs->cuda;

  return hir_cu_check (device->libs, cuda->primary_ctx_retain (&device->context, device->device),
                       error, "retaining the context of GPU %d (%s)", device->ordinal,
                       device->name) &&
         hir_cuda_device_make_current (device, error) &&
         hir_cu_check (device->libs,
                       cuda->ctx_get_stream_priority_range (&device->least_priority,
                                                            &device->top_priority),
                       error, "querying the stream priorities of GPU %d", device->ordinal);
}

HirCudaDevice *
hir_cuda_device_new (const HirCudaLibs *libs, int ordinal, GError **error)
{
  g_autoptr (HirCudaDevice) device = g_new0 (HirCudaDevice, 1);

  g_atomic_ref_count_init (&device->ref_count);
  device->serial = new_serial ();
  device->libs = libs;
  device->ordinal = ordinal;
  if (!hir_cu_check (libs, libs->cuda.device_get (&device->device, ordinal), error,
                     "finding GPU %d", ordinal) ||
      !ask_attributes (device, error) || !retain_context (device, error))
    return NULL;
  return g_steal_pointer (&device);
}

HirCudaDevice *
hir_cuda_device_ref (HirCudaDevice *device)
{
  g_atomic_ref_count_inc (&device->ref_count);
  return device;
}

void
hir_cuda_device_unref (HirCudaDevice *device)
{
  if (!g_atomic_ref_count_dec (&device->ref_count))
    return;
  if (device->context != NULL)
    (void) device->libs->cuda.primary_ctx_release (device->device);
  g_free (device->name);
  g_free (device);
}

gboolean
hir_cuda_device_make_current (HirCudaDevice *device, GError **error)
{
  if (*get_current () == device->serial)
    return TRUE;
  if (!hir_cu_check (device->libs, device->libs->cuda.ctx_set_current (device->context), error,
                     "making GPU %d current", device->ordinal))
    return FALSE;
  *get_current () = device->serial;
  return TRUE;
}

void
hir_cuda_device_forget_current (void)
{
  *get_current () = 0;
}
