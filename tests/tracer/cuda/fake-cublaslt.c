/* cuBLASLt for tests: a matmul is a kernel that does nothing. */
#include <dlfcn.h>
#include <string.h>

#include "cuda/abi-cublaslt.h"
#include "fake-cuda.h"

#define FAKE_EXPORT __attribute__ ((visibility ("default")))
#define DECLARE(field, symbol, parameters) FAKE_EXPORT HirLtResult symbol parameters;
HIR_LT_FUNCTIONS (DECLARE)
#undef DECLARE
FAKE_EXPORT size_t cublasLtGetVersion (void);
FAKE_EXPORT const char *cublasLtGetStatusName (HirLtResult result);

size_t
cublasLtGetVersion (void)
{
  return 130000;
}

const char *
cublasLtGetStatusName (HirLtResult result)
{
  return result == 0 ? "CUBLAS_STATUS_SUCCESS" : "CUBLAS_STATUS_OTHER";
}

/* Handles and descriptors are pieces of memory. */
static gpointer
new_thing (void)
{
  return g_malloc0 (16);
}

#define CREATE(out) (*(out) = new_thing (), 0u)
#define DESTROY(thing) (g_free (thing), 0u)

HirLtResult
cublasLtCreate (HirLtHandle *handle)
{
  return CREATE (handle);
}

HirLtResult
cublasLtDestroy (HirLtHandle handle)
{
  return DESTROY (handle);
}

HirLtResult
cublasLtMatmulDescCreate (HirLtMatmulDesc *desc, unsigned int compute, unsigned int scale_type)
{
  return CREATE (desc);
}

HirLtResult
cublasLtMatmulDescDestroy (HirLtMatmulDesc desc)
{
  return DESTROY (desc);
}

HirLtResult
cublasLtMatmulDescSetAttribute (HirLtMatmulDesc desc,
                                unsigned int attribute,
                                const void *value,
                                size_t bytes)
{
  return 0;
}

HirLtResult
cublasLtMatrixLayoutCreate (
    HirLtLayout *layout, unsigned int type, guint64 rows, guint64 columns, gint64 ld)
{
  return CREATE (layout);
}

HirLtResult
cublasLtMatrixLayoutDestroy (HirLtLayout layout)
{
  return DESTROY (layout);
}

HirLtResult
cublasLtMatrixLayoutSetAttribute (HirLtLayout layout,
                                  unsigned int attribute,
                                  const void *value,
                                  size_t bytes)
{
  return 0;
}

HirLtResult
cublasLtMatmulPreferenceCreate (HirLtPreference *preference)
{
  return CREATE (preference);
}

HirLtResult
cublasLtMatmulPreferenceDestroy (HirLtPreference preference)
{
  return DESTROY (preference);
}

HirLtResult
cublasLtMatmulPreferenceSetAttribute (HirLtPreference preference,
                                      unsigned int attribute,
                                      const void *value,
                                      size_t bytes)
{
  return 0;
}

HirLtResult
cublasLtMatmulAlgoGetHeuristic (HirLtHandle handle,
                                HirLtMatmulDesc desc,
                                HirLtLayout a,
                                HirLtLayout b,
                                HirLtLayout c,
                                HirLtLayout d,
                                HirLtPreference preference,
                                int n_requested,
                                HirLtHeuristic *results,
                                int *n_found)
{
  memset (results, 0, sizeof *results);
  *n_found = 1;
  return 0;
}

HirLtResult
cublasLtMatmul (HirLtHandle handle,
                HirLtMatmulDesc desc,
                const void *alpha,
                const void *a,
                HirLtLayout a_layout,
                const void *b,
                HirLtLayout b_layout,
                const void *beta,
                const void *c,
                HirLtLayout c_layout,
                void *d,
                HirLtLayout d_layout,
                const HirLtAlgo *algo,
                void *workspace,
                size_t workspace_bytes,
                HirCuStream stream)
{
  gpointer driver, symbol;
  FakeLaunch launch;

  if (fake_cuda_is_idle ())
    return 0;
  driver = dlopen ("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  symbol = driver != NULL ? dlsym (driver, "fake_cuda_launch") : NULL;
  if (symbol == NULL)
    return 1;
  memcpy (&launch, &symbol, sizeof launch);
  return launch (stream, "cudaLaunchKernelExC", "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NNT", NULL,
                 NULL, NULL);
}
