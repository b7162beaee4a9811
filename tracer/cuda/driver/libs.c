#include "cuda/driver/libs.h"

#include <dlfcn.h>
#include <string.h>

#include "cuda/driver/libs-private.h"

HirCudaLibs *
hir_cuda_libs_new (void)
{
  return g_new0 (HirCudaLibs, 1);
}

void
hir_cuda_libs_free (HirCudaLibs *libs)
{
  for (guint i = 0; i < HIR_N_LIBS; i++)
    g_free (libs->libs[i].path);
  g_free (libs);
}

static gboolean
fill_table (
    HirCudaLibs *libs, const HirLibInfo *info, gpointer handle, const char *path, GError **error)
{
  for (const HirLibSymbol *row = info->symbols; row->name != NULL; row++)
    {
      gpointer symbol = dlsym (handle, row->name);

      if (symbol == NULL && !row->is_optional)
        {
          hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                         "%s (%s) is too old: %s is missing; %s", info->label, path, row->name,
                         info->install);
          return FALSE;
        }
      memcpy ((guint8 *) libs + row->offset, &symbol, sizeof symbol);
    }
  return TRUE;
}

static const char *
error_name (const HirCudaLibs *libs, HirCuResult result)
{
  const char *name = NULL;

  if (libs->cuda.get_error_name (result, &name) != HIR_CU_SUCCESS || name == NULL)
    return "unknown error";
  return name;
}

static const char *
error_text (const HirCudaLibs *libs, HirCuResult result)
{
  const char *text = NULL;

  if (libs->cuda.get_error_string (result, &text) != HIR_CU_SUCCESS || text == NULL)
    return "no description";
  return text;
}

/* Initializes a library whose table is filled, and reads its version. */
static gboolean
start_library (HirCudaLibs *libs, HirLibId id, const char *path, GError **error)
{
  HirCuResult result;

  switch (id)
    {
    case HIR_LIB_CUDA:
      result = libs->cuda.init (0);
      if (result == HIR_CU_SUCCESS)
        result = libs->cuda.driver_get_version (&libs->driver_version);
      if (result == HIR_CU_SUCCESS)
        return TRUE;
      hir_set_error (
          error, HIR_ERROR_UNSUPPORTED, NULL,
          "the CUDA driver (%s) cannot be initialized: %s (%s); check that there is a GPU "
          "and that this user can access it",
          path, error_name (libs, result), error_text (libs, result));
      return FALSE;
    case HIR_LIB_NVRTC:
      if (libs->nvrtc.version (&libs->nvrtc_version[0], &libs->nvrtc_version[1]) == 0)
        return TRUE;
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL, "NVRTC (%s) does not report its version",
                     path);
      return FALSE;
    default:
      return TRUE;
    }
}

gboolean
hir_cuda_libs_open (HirCudaLibs *libs, HirLibId id, GError **error)
{
  const HirLibInfo *info = hir_lib_get_info (id);
  HirLib *lib = &libs->libs[id];
  g_autofree char *path = NULL;
  g_autofree char *tried = NULL;
  gpointer handle;

  if (lib->handle != NULL)
    return TRUE;
  handle = hir_lib_find (info, &path, &tried);
  if (handle == NULL)
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                     "%s (%s), needed for %s, was not found; %s. Looked in %s", info->label,
                     info->sonames[0], info->purpose, info->install, tried);
      return FALSE;
    }
  if (!fill_table (libs, info, handle, path, error) || !start_library (libs, id, path, error))
    return FALSE;
  lib->handle = handle;
  lib->path = g_steal_pointer (&path);
  return TRUE;
}

gboolean
hir_cuda_libs_open_backend (HirCudaLibs *libs, GError **error)
{
  return hir_cuda_libs_open (libs, HIR_LIB_CUDA, error) &&
         hir_cuda_libs_open (libs, HIR_LIB_NVRTC, error) &&
         hir_cuda_libs_open (libs, HIR_LIB_CUBLASLT, error);
}

char *
hir_cuda_libs_dup_missing_driver (void)
{
  const HirLibInfo *info = hir_lib_get_info (HIR_LIB_CUDA);
  g_autofree char *path = NULL;
  g_autofree char *tried = NULL;

  if (hir_lib_find (info, &path, &tried) != NULL)
    return NULL;
  return g_strdup_printf ("%s (%s) not found; %s", info->label, info->sonames[0], info->install);
}

static char *
dup_driver_version (const HirCudaLibs *libs)
{
  int n = 0;

  if (libs->cuda.device_get_count (&n) != HIR_CU_SUCCESS)
    n = 0;
  return g_strdup_printf ("CUDA %d.%d, %d device%s", libs->driver_version / 1000,
                          libs->driver_version % 1000 / 10, n, n == 1 ? "" : "s");
}

/* 22105 means 2.21.5. Before 2.9, the major number had the weight 1000. */
static char *
dup_nccl_version (gpointer handle)
{
  int (*get) (int *) = NULL;
  gpointer symbol = dlsym (handle, "ncclGetVersion");
  int v = 0;

  memcpy (&get, &symbol, sizeof get);
  if (get == NULL || get (&v) != 0)
    return NULL;
  return v < 10000 ? g_strdup_printf ("%d.%d.%d", v / 1000, v % 1000 / 100, v % 100)
                   : g_strdup_printf ("%d.%d.%d", v / 10000, v % 10000 / 100, v % 100);
}

static char *
dup_cupti_version (gpointer handle)
{
  int (*get) (guint32 *) = NULL;
  gpointer symbol = dlsym (handle, "cuptiGetVersion");
  guint32 v = 0;

  memcpy (&get, &symbol, sizeof get);
  return get != NULL && get (&v) == 0 ? g_strdup_printf ("API %u", v) : NULL;
}

char *
hir_cuda_libs_dup_version (HirCudaLibs *libs, HirLibId id)
{
  if (libs->libs[id].handle == NULL)
    return NULL;
  switch (id)
    {
    case HIR_LIB_CUDA:
      return dup_driver_version (libs);
    case HIR_LIB_NVRTC:
      return g_strdup_printf ("%d.%d", libs->nvrtc_version[0], libs->nvrtc_version[1]);
    case HIR_LIB_CUBLASLT:
      return g_strdup_printf ("%" G_GSIZE_FORMAT, libs->cublaslt.get_version ());
    case HIR_LIB_NCCL:
      return dup_nccl_version (libs->libs[id].handle);
    case HIR_LIB_CUPTI:
      return dup_cupti_version (libs->libs[id].handle);
    default:
      return NULL;
    }
}

gboolean
hir_cu_check (const HirCudaLibs *libs, HirCuResult result, GError **error, const char *what, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  if (G_LIKELY (result == HIR_CU_SUCCESS))
    return TRUE;
  va_start (args, what);
  text = g_strdup_vprintf (what, args);
  va_end (args);
  hir_set_error (error, result == HIR_CU_ERROR_OUT_OF_MEMORY ? HIR_ERROR_LIMIT : HIR_ERROR_RUN,
                 NULL, "%s: %s (%s)%s", text, error_name (libs, result), error_text (libs, result),
                 result == HIR_CU_ERROR_OUT_OF_MEMORY ? "; use smaller --input sizes" : "");
  return FALSE;
}

HirCuResult
hir_cu_copy_in (const HirCudaLibs *libs, HirCuAddress to, const void *from, gsize bytes)
{
  HirCuResult result = libs->cuda.memcpy_htod (to, from, bytes);

  return result == HIR_CU_SUCCESS ? libs->cuda.stream_synchronize (NULL) : result;
}
