/* The libraries of a CUDA machine, opened at run time: nothing of them is needed to build or to
 * start. One object a process; immutable once a library in it is open, readable from any thread. */
#pragma once

#include "cuda/driver/abi-cublaslt.h"
#include "cuda/driver/abi-cuda.h"
#include "cuda/driver/abi-cupti.h"
#include "cuda/driver/abi-nccl.h"
#include "cuda/driver/abi-nvrtc.h"
#include "diagnostic.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_LIB_CUDA,
  HIR_LIB_NVRTC,
  HIR_LIB_CUBLASLT,
  HIR_LIB_NCCL,
  HIR_LIB_CUPTI,
  HIR_N_LIBS,
} HirLibId;

typedef struct
{
  gpointer handle; /* NULL: not open */
  char *path;      /* where it was found */
} HirLib;

typedef struct
{
  HirLib libs[HIR_N_LIBS];
  HirCudaApi cuda;
  HirNvrtcApi nvrtc;
  HirCublasLtApi cublaslt;
  HirNcclApi nccl;
  HirCuptiApi cupti;
  int driver_version;   /* 13000: what the driver can do */
  int nvrtc_version[2]; /* major, minor */
} HirCudaLibs;

HirCudaLibs *hir_cuda_libs_new (void);
/* The libraries stay open: some leave threads and exit handlers behind. */
void hir_cuda_libs_free (HirCudaLibs *libs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirCudaLibs, hir_cuda_libs_free)

/* Opens @id if it is not open and fills its table in (`libs->cuda.launch_kernel`); of the driver,
 * also cuInit(). Where it is looked for, in this order: the folders in
 * HIRSCOPE_CUDA_LIBRARY_PATH (and nowhere else where that is set and not empty), the loader's own
 * places, CUDA_HOME, /usr/local/cuda, pip's nvidia folders of the python3 that PATH names. FALSE
 * and HIR_ERROR_UNSUPPORTED where it is missing, too old (a symbol is not there) or does not work:
 * what was tried and what to install. Main thread. */
gboolean
hir_cuda_libs_open (HirCudaLibs *libs, HirLibId id, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The driver, NVRTC and cuBLASLt: what the back end needs. */
gboolean hir_cuda_libs_open_backend (HirCudaLibs *libs, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* NULL where the driver's library is there, which is not started; else what to install. Newly
 * allocated. */
char *hir_cuda_libs_dup_missing_driver (void);
/* "CUDA 13.0, 2 devices", "2.28.3": of an open library; newly allocated, nullable. */
char *hir_cuda_libs_dup_version (HirCudaLibs *libs, HirLibId id);
const char *hir_lib_get_label (HirLibId id); /* "CUPTI" */

/* TRUE for success. Else HIR_ERROR_LIMIT (out of memory), HIR_ERROR_RUN: "cuLaunchKernel for
 * T5_matmul in iteration 2 on rank 0: CUDA_ERROR_...: what it means". @what: what was done, for
 * which instruction. */
gboolean
hir_cu_check (const HirCudaLibs *libs, HirCuResult result, GError **error, const char *what, ...)
    G_GNUC_PRINTF (4, 5) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
