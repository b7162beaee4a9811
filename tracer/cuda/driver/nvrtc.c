#include "cuda/driver/nvrtc.h"

#include <glib/gstdio.h>
#include <string.h>

#include "cuda/codegen/codegen.h"
#include "cuda/driver/cubin-store.h"

struct _HirKernelCache
{
  HirCudaDevice *device;
  GHashTable *functions; /* char* source -> HirCuFunction */
  GPtrArray *modules;
};

/* Returns NVRTC's log, or NULL if it is empty. */
static char *
dup_log (const HirCudaLibs *libs, HirNvrtcProgram program)
{
  size_t bytes = 0;
  char *log;

  if (libs->nvrtc.get_log_size (program, &bytes) != 0 || bytes <= 1)
    return NULL;
  log = g_malloc0 (bytes + 1);
  if (libs->nvrtc.get_log (program, log) == 0)
    return g_strchomp (log);
  g_free (log);
  return NULL;
}

static void
set_compile_error (const HirCudaLibs *libs,
                   HirNvrtcProgram program,
                   HirNvrtcResult result,
                   const char *name,
                   int arch,
                   GError **error)
{
  g_autofree char *log = dup_log (libs, program);
  gboolean bad_arch = log == NULL || strstr (log, "gpu-architecture") != NULL;

  hir_set_error (error, bad_arch ? HIR_ERROR_UNSUPPORTED : HIR_ERROR_RUN, NULL,
                 "NVRTC %d.%d cannot compile %s for sm_%d: %s%s%s", libs->nvrtc_version[0],
                 libs->nvrtc_version[1], name, arch, libs->nvrtc.get_error_string (result),
                 log != NULL ? "\n" : "", log != NULL ? log : "");
}

static GBytes *
take_cubin (const HirCudaLibs *libs, HirNvrtcProgram program, const char *name, GError **error)
{
  size_t bytes = 0;
  g_autofree char *cubin = NULL;

  if (libs->nvrtc.get_cubin_size (program, &bytes) == 0 && bytes > 0)
    {
      cubin = g_malloc (bytes);
      if (libs->nvrtc.get_cubin (program, cubin) == 0)
        return g_bytes_new_take (g_steal_pointer (&cubin), bytes);
    }
  hir_set_error (error, HIR_ERROR_RUN, NULL, "NVRTC returned no machine code for %s", name);
  return NULL;
}

GBytes *
hir_nvrtc_compile_new (
    const HirCudaLibs *libs, const char *name, const char *source, int arch, GError **error)
{
  g_autofree char *text = g_strconcat (hir_codegen_get_device_prelude (), source, NULL);
  g_autofree char *file = g_strconcat (name, ".cu", NULL);
  g_autofree char *gpu = g_strdup_printf ("--gpu-architecture=sm_%d", arch);
  const char *options[] = { gpu, "--std=c++14", "-lineinfo" };
  HirNvrtcProgram program = NULL;
  GBytes *cubin = NULL;
  HirNvrtcResult result = libs->nvrtc.create_program (&program, text, file, 0, NULL, NULL);

  if (result != 0)
    {
      hir_set_error (error, HIR_ERROR_RUN, NULL, "NVRTC cannot create a program: %s",
                     libs->nvrtc.get_error_string (result));
      return NULL;
    }
  result = libs->nvrtc.compile_program (program, G_N_ELEMENTS (options), options);
  if (result == 0)
    cubin = take_cubin (libs, program, name, error);
  else
    set_compile_error (libs, program, result, name, arch, error);
  (void) libs->nvrtc.destroy_program (&program);
  return cubin;
}

/* Returns the path of the cached machine code of @source, or NULL if there is no cache folder. */
static char *
cache_path (const HirCudaLibs *libs, const char *source, int arch)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "hirscope", "kernels", NULL);
  g_autofree char *tail =
      g_strdup_printf ("sm_%d nvrtc %d.%d", arch, libs->nvrtc_version[0], libs->nvrtc_version[1]);
  g_autofree char *name = NULL;

  if (g_mkdir_with_parents (folder, 0700) != 0)
    return NULL;
  g_checksum_update (sum, (const guchar *) hir_codegen_get_device_prelude (), -1);
  g_checksum_update (sum, (const guchar *) source, -1);
  g_checksum_update (sum, (const guchar *) tail, -1);
  name = g_strconcat (g_checksum_get_string (sum), ".cubin", NULL);
  return g_build_filename (folder, name, NULL);
}

/* @again: replace the cached file, which is damaged. */
static GBytes *
hir_nvrtc_compile (const HirCudaLibs *libs,
                   const char *name,
                   const char *source,
                   int arch,
                   gboolean again,
                   GError **error)
{
  g_autofree char *path = cache_path (libs, source, arch);
  GBytes *cubin = path != NULL && !again ? hir_cubin_store_read (path) : NULL;

  if (cubin != NULL)
    return cubin;
  cubin = hir_nvrtc_compile_new (libs, name, source, arch, error);
  /* Write errors are ignored: without the file, the next run only compiles again. */
  if (cubin != NULL && path != NULL)
    hir_cubin_store_write (path, cubin, HIR_CUBIN_STORE_MAX_BYTES);
  return cubin;
}

HirKernelCache *
hir_kernel_cache_new (HirCudaDevice *device)
{
  HirKernelCache *cache = g_new0 (HirKernelCache, 1);

  cache->device = hir_cuda_device_ref (device);
  cache->functions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  cache->modules = g_ptr_array_new ();
  return cache;
}

void
hir_kernel_cache_free (HirKernelCache *cache)
{
  for (guint i = 0; i < cache->modules->len; i++)
    (void) cache->device->libs->cuda.module_unload (g_ptr_array_index (cache->modules, i));
  g_ptr_array_unref (cache->modules);
  g_hash_table_unref (cache->functions);
  hir_cuda_device_unref (cache->device);
  g_free (cache);
}

static HirCuResult
load (HirKernelCache *cache, GBytes *cubin, const char *name, HirCuFunction *function)
{
  const HirCudaApi *cuda = &cache->device->libs->cuda;
  HirCuModule module = NULL;
  HirCuResult result = cuda->module_load_data (&module, g_bytes_get_data (cubin, NULL));

  if (result != HIR_CU_SUCCESS)
    return result;
  g_ptr_array_add (cache->modules, module);
  return cuda->module_get_function (function, module, name);
}

HirCuFunction
hir_kernel_cache_get (HirKernelCache *cache, const char *name, const char *source, GError **error)
{
  const HirCudaLibs *libs = cache->device->libs;
  HirCuFunction function = g_hash_table_lookup (cache->functions, source);
  g_autoptr (GBytes) cubin = NULL;
  HirCuResult result;

  if (function != NULL)
    return function;
  cubin = hir_nvrtc_compile (libs, name, source, cache->device->arch, FALSE, error);
  if (cubin == NULL)
    return NULL;
  result = load (cache, cubin, name, &function);
  if (result != HIR_CU_SUCCESS)
    {
      /* The cached file may be damaged: compile the source again. */
      g_clear_pointer (&cubin, g_bytes_unref);
      cubin = hir_nvrtc_compile (libs, name, source, cache->device->arch, TRUE, error);
      if (cubin == NULL)
        return NULL;
      result = load (cache, cubin, name, &function);
    }
  if (!hir_cu_check (libs, result, error, "loading kernel %s", name))
    return NULL;
  g_hash_table_insert (cache->functions, g_strdup (source), function);
  return function;
}
