/* CUDA libraries, opened at run time: neither the build nor the start of the program requires them.
 * There is one HirCudaLibs per process. The fields of a library do not change after it is open and
 * can be read from any thread. */
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
  gpointer handle; /* NULL if not open */
  char *path;      /* file that was opened */
} HirLib;

typedef struct
{
  HirLib libs[HIR_N_LIBS];
  HirCudaApi cuda;
  HirNvrtcApi nvrtc;
  HirCublasLtApi cublaslt;
  HirNcclApi nccl;
  HirCuptiApi cupti;
  int driver_version;   /* latest CUDA version that the driver supports; 13000 is 13.0 */
  int nvrtc_version[2]; /* major, minor */
} HirCudaLibs;

/* Creates an object without open libraries. */
HirCudaLibs *hir_cuda_libs_new (void);
/* Frees @libs. The libraries stay open, because some have running threads and exit handlers. */
void hir_cuda_libs_free (HirCudaLibs *libs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirCudaLibs, hir_cuda_libs_free)

/* Opens @id unless it is open, and fills its function table (`libs->cuda.launch_kernel`). For the
 * driver, also calls cuInit(). If HIRSCOPE_CUDA_LIBRARY_PATH is set and not empty, searches only
 * its folders. Otherwise searches in this order: the folders of the dynamic loader, CUDA_HOME,
 * CUDA_PATH, /usr/local/cuda, the nvidia packages of the python3 in PATH. Returns FALSE and sets
 * HIR_ERROR_UNSUPPORTED if the library is missing, too old (a symbol is missing) or does not start;
 * if it is missing, the message says where it was searched and what to install. Main thread. */
gboolean
hir_cuda_libs_open (HirCudaLibs *libs, HirLibId id, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Opens the libraries that the back end needs: driver, NVRTC and cuBLASLt. */
gboolean hir_cuda_libs_open_backend (HirCudaLibs *libs, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Returns NULL if the library of the driver can be loaded; otherwise a message with what to install
 * (newly allocated). Does not start the driver. */
char *hir_cuda_libs_dup_missing_driver (void);
/* Returns the version of @id (newly allocated), for example "CUDA 13.0, 2 devices" or "2.28.3".
 * NULL if the library is not open or does not report its version. */
char *hir_cuda_libs_dup_version (HirCudaLibs *libs, HirLibId id);
/* Returns the name of @id for messages, for example "CUPTI". */
const char *hir_lib_get_label (HirLibId id);

/* Returns TRUE if @result is a success. Otherwise sets HIR_ERROR_LIMIT if the GPU is out of memory,
 * or HIR_ERROR_RUN. The message is @what, a format that describes the action, with the name and the
 * description of the error: "finding GPU 3: CUDA_ERROR_INVALID_DEVICE (invalid device ordinal)". */
gboolean
hir_cu_check (const HirCudaLibs *libs, HirCuResult result, GError **error, const char *what, ...)
    G_GNUC_PRINTF (4, 5) G_GNUC_WARN_UNUSED_RESULT;

/* Copies @bytes of host memory to the current device and waits until they have arrived. From
 * pageable memory, cuMemcpyHtoD can return earlier (CUDA Driver API, API synchronization behavior),
 * and non-blocking streams do not wait for the default stream. */
HirCuResult
hir_cu_copy_in (const HirCudaLibs *libs, HirCuAddress to, const void *from, gsize bytes);

G_END_DECLS
