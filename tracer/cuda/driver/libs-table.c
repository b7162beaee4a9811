/* Names, functions and installation advice of the libraries. */
#include "cuda/driver/libs-private.h"

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

#define CUDA_ROW(field, symbol, parameters) { #symbol, G_STRUCT_OFFSET (HirCudaLibs, cuda.field) },
static const HirLibSymbol cuda_symbols[] = { HIR_CU_FUNCTIONS (CUDA_ROW){ NULL } };

#define NVRTC_ROW(field, symbol, parameters)                                                       \
  { #symbol, G_STRUCT_OFFSET (HirCudaLibs, nvrtc.field) },
static const HirLibSymbol nvrtc_symbols[] = {
  { "nvrtcGetErrorString", G_STRUCT_OFFSET (HirCudaLibs, nvrtc.get_error_string) },
  HIR_NVRTC_FUNCTIONS (NVRTC_ROW){ NULL }
};

#define LT_ROW(field, symbol, parameters)                                                          \
  { #symbol, G_STRUCT_OFFSET (HirCudaLibs, cublaslt.field) },
static const HirLibSymbol cublaslt_symbols[] = {
  { "cublasLtGetVersion", G_STRUCT_OFFSET (HirCudaLibs, cublaslt.get_version) },
  { "cublasLtGetStatusName", G_STRUCT_OFFSET (HirCudaLibs, cublaslt.get_status_name) },
  HIR_LT_FUNCTIONS (LT_ROW){ NULL }
};

#define CUPTI_ROW(field, symbol, parameters)                                                       \
  { #symbol, G_STRUCT_OFFSET (HirCudaLibs, cupti.field) },
#define CUPTI_NEWER_ROW(field, symbol, parameters)                                                 \
  { #symbol, G_STRUCT_OFFSET (HirCudaLibs, cupti.field), TRUE },
static const HirLibSymbol cupti_symbols[] = { HIR_CUPTI_FUNCTIONS (
    CUPTI_ROW) HIR_CUPTI_NEWER_FUNCTIONS (CUPTI_NEWER_ROW){ NULL } };

#define NCCL_ROW(field, symbol, parameters) { #symbol, G_STRUCT_OFFSET (HirCudaLibs, nccl.field) },
static const HirLibSymbol nccl_symbols[] = {
  { "ncclGetErrorString", G_STRUCT_OFFSET (HirCudaLibs, nccl.get_error_string) },
  { "ncclGetLastError", G_STRUCT_OFFSET (HirCudaLibs, nccl.get_last_error) },
  HIR_NCCL_FUNCTIONS (NCCL_ROW){ NULL }
};

static const HirLibInfo infos[HIR_N_LIBS] = {
  [HIR_LIB_CUDA] = { "CUDA driver", "the CUDA back end",
                     "install NVIDIA's driver (on Debian: nvidia-driver)", NAMES ("libcuda.so.1"),
                     NAMES (NULL), cuda_symbols },
  [HIR_LIB_NVRTC] = { "NVRTC", "compiling kernels",
                      "install NVIDIA's package cuda-nvrtc (with pip: nvidia-cuda-nvrtc), or set "
                      "CUDA_HOME",
                      NAMES ("libnvrtc.so.13", "libnvrtc.so.12"), NAMES ("cu13", "cuda_nvrtc"),
                      nvrtc_symbols },
  [HIR_LIB_CUBLASLT] = { "cuBLASLt", "matmul on a GPU",
                         "install NVIDIA's package libcublas (with pip: nvidia-cublas), or set "
                         "CUDA_HOME",
                         NAMES ("libcublasLt.so.13", "libcublasLt.so.12"), NAMES ("cu13", "cublas"),
                         cublaslt_symbols },
  [HIR_LIB_NCCL] = { "NCCL", "collectives between GPUs",
                     "install NVIDIA's package libnccl2 (with pip: nvidia-nccl)",
                     NAMES ("libnccl.so.2"), NAMES ("nccl"), nccl_symbols },
  [HIR_LIB_CUPTI] = { "CUPTI", "traces of GPU work",
                      "install NVIDIA's package cuda-cupti (with pip: nvidia-cuda-cupti), or set "
                      "CUDA_HOME",
                      NAMES ("libcupti.so.13", "libcupti.so.12"), NAMES ("cu13", "cuda_cupti"),
                      cupti_symbols },
};

const HirLibInfo *
hir_lib_get_info (HirLibId id)
{
  return &infos[id];
}

const char *
hir_lib_get_label (HirLibId id)
{
  return infos[id].label;
}
