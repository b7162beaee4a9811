/* Tests the declarations of the driver, NVRTC and cuBLASLt against the vendor's headers, at compile
 * time. */
#include <glib.h>

#ifdef HAVE_CUDA_HEADERS
#define HIR_CU_REAL_HEADER
#define HIR_LT_REAL_HEADER
#include <cublasLt.h>
#include <cuda.h>
#include <nvrtc.h>

#include "cuda/driver/abi-cublaslt.h"
#include "cuda/driver/abi-cuda.h"
#include "cuda/driver/abi-nvrtc.h"

#define SAME(a, b) G_STATIC_ASSERT ((unsigned long long) (a) == (unsigned long long) (b))
/* Function types are compatible if enums have the integer type that the table declares. */
#define FUNCTION(table, field, symbol)                                                             \
  G_STATIC_ASSERT (                                                                                \
      __builtin_types_compatible_p (__typeof__ (&symbol), __typeof__ (((table *) 0)->field)));
#define CU(field, symbol, parameters) FUNCTION (HirCudaApi, field, symbol)
#define NVRTC(field, symbol, parameters) FUNCTION (HirNvrtcApi, field, symbol)
#define LT(field, symbol, parameters) FUNCTION (HirCublasLtApi, field, symbol)

HIR_CU_FUNCTIONS (CU)
HIR_NVRTC_FUNCTIONS (NVRTC)
HIR_LT_FUNCTIONS (LT)
FUNCTION (HirNvrtcApi, get_error_string, nvrtcGetErrorString)
FUNCTION (HirCublasLtApi, get_version, cublasLtGetVersion)
FUNCTION (HirCublasLtApi, get_status_name, cublasLtGetStatusName)

SAME (HIR_CU_SUCCESS, CUDA_SUCCESS);
SAME (HIR_CU_ERROR_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY);
SAME (HIR_CU_ERROR_DEINITIALIZED, CUDA_ERROR_DEINITIALIZED);
SAME (HIR_CU_ERROR_NO_DEVICE, CUDA_ERROR_NO_DEVICE);
SAME (HIR_CU_ERROR_INVALID_IMAGE, CUDA_ERROR_INVALID_IMAGE);
SAME (HIR_CU_ERROR_NOT_READY, CUDA_ERROR_NOT_READY);
SAME (HIR_CU_ERROR_PEER_ACCESS_ALREADY_ENABLED, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
SAME (HIR_CU_STREAM_NON_BLOCKING, CU_STREAM_NON_BLOCKING);
SAME (HIR_CU_EVENT_DISABLE_TIMING, CU_EVENT_DISABLE_TIMING);
SAME (HIR_CU_REGISTER_PORTABLE, CU_MEMHOSTREGISTER_PORTABLE);
SAME (HIR_CU_REGISTER_DEVICEMAP, CU_MEMHOSTREGISTER_DEVICEMAP);
SAME (HIR_CU_WAIT_VALUE_GEQ, CU_STREAM_WAIT_VALUE_GEQ);
SAME (HIR_CU_WRITE_VALUE_DEFAULT, CU_STREAM_WRITE_VALUE_DEFAULT);
SAME (HIR_CU_IPC_LAZY_PEER_ACCESS, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
SAME (HIR_CU_ATTRIBUTE_SM_COUNT, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME (HIR_CU_ATTRIBUTE_CC_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME (HIR_CU_ATTRIBUTE_CC_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME (HIR_CU_ATTRIBUTE_PCI_BUS_ID, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
SAME (HIR_CU_ATTRIBUTE_PCI_DEVICE_ID, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID);
SAME (HIR_CU_IPC_HANDLE_BYTES, CU_IPC_HANDLE_SIZE);
SAME (HIR_CU_IPC_HANDLE_BYTES, sizeof (CUipcMemHandle));

SAME (HIR_LT_COMPUTE_32F, CUBLAS_COMPUTE_32F);
SAME (HIR_LT_COMPUTE_64F, CUBLAS_COMPUTE_64F);
SAME (HIR_LT_R_32F, CUDA_R_32F);
SAME (HIR_LT_R_64F, CUDA_R_64F);
SAME (HIR_LT_R_16F, CUDA_R_16F);
SAME (HIR_LT_R_16BF, CUDA_R_16BF);
SAME (HIR_LT_OP_N, CUBLAS_OP_N);
SAME (HIR_LT_OP_T, CUBLAS_OP_T);
SAME (HIR_LT_NOT_SUPPORTED, CUBLAS_STATUS_NOT_SUPPORTED);
SAME (HIR_LT_DESC_TRANSA, CUBLASLT_MATMUL_DESC_TRANSA);
SAME (HIR_LT_DESC_TRANSB, CUBLASLT_MATMUL_DESC_TRANSB);
SAME (HIR_LT_DESC_EPILOGUE, CUBLASLT_MATMUL_DESC_EPILOGUE);
SAME (HIR_LT_DESC_BIAS_POINTER, CUBLASLT_MATMUL_DESC_BIAS_POINTER);
SAME (HIR_LT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_BIAS);
SAME (HIR_LT_LAYOUT_BATCH_COUNT, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
SAME (HIR_LT_LAYOUT_BATCH_STRIDE, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
SAME (HIR_LT_PREF_MAX_WORKSPACE_BYTES, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
SAME (HIR_LT_PREF_REDUCTION_SCHEMES, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK);
SAME (HIR_LT_REDUCTION_SCHEME_COMPUTE_TYPE, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
SAME (HIR_LT_PREF_ALIGNMENT_A, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
SAME (HIR_LT_PREF_ALIGNMENT_B, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
SAME (HIR_LT_PREF_ALIGNMENT_C, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
SAME (HIR_LT_PREF_ALIGNMENT_D, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);

/* Copy of HirLtHeuristic as declared without the vendor headers. */
typedef struct
{
  guint64 algo[8];
  size_t workspace_bytes;
  HirLtResult state;
  float n_waves;
  int reserved[4];
} Mirror;
SAME (sizeof (Mirror), sizeof (cublasLtMatmulHeuristicResult_t));
SAME (G_STRUCT_OFFSET (Mirror, workspace_bytes),
      G_STRUCT_OFFSET (cublasLtMatmulHeuristicResult_t, workspaceSize));
SAME (G_STRUCT_OFFSET (Mirror, state), G_STRUCT_OFFSET (cublasLtMatmulHeuristicResult_t, state));
SAME (sizeof (cublasLtMatmulAlgo_t), 64);

static void
test_abi (void)
{
  g_test_message ("compared with CUDA %d", CUDA_VERSION);
}
#else
static void
test_abi (void)
{
  g_test_skip ("the headers of CUDA (13) are not installed: set CUDA_HOME and configure again");
}
#endif

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda/abi/cuda", test_abi);
  return g_test_run ();
}
