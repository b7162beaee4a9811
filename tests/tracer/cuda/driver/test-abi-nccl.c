/* Tests the declarations of NCCL against the vendor's header, at compile time. */
#include <glib.h>

#ifdef HAVE_NCCL_HEADER
#define HIR_CU_REAL_HEADER
#define HIR_NCCL_REAL_HEADER
#include <cuda.h>
#include <nccl.h>

#include "cuda/driver/abi-nccl.h"

#define SAME(a, b) G_STATIC_ASSERT ((unsigned long long) (a) == (unsigned long long) (b))
#define FIELD(field, other)                                                                        \
  G_STATIC_ASSERT (offsetof (HirNcclConfig, field) == offsetof (ncclConfig_t, other) &&            \
                   sizeof (((HirNcclConfig *) 0)->field) == sizeof (((ncclConfig_t *) 0)->other))
#define FUNCTION(field, symbol, parameters)                                                        \
  G_STATIC_ASSERT (__builtin_types_compatible_p (__typeof__ (&symbol),                             \
                                                 __typeof__ (((HirNcclApi *) 0)->field)));

HIR_NCCL_FUNCTIONS (FUNCTION)
FUNCTION (get_error_string, ncclGetErrorString, )
FUNCTION (get_last_error, ncclGetLastError, )

SAME (HIR_NCCL_SUCCESS, ncclSuccess);
SAME (HIR_NCCL_UNHANDLED_CUDA_ERROR, ncclUnhandledCudaError);
SAME (HIR_NCCL_SYSTEM_ERROR, ncclSystemError);
SAME (HIR_NCCL_INTERNAL_ERROR, ncclInternalError);
SAME (HIR_NCCL_INVALID_ARGUMENT, ncclInvalidArgument);
SAME (HIR_NCCL_INVALID_USAGE, ncclInvalidUsage);
SAME (HIR_NCCL_REMOTE_ERROR, ncclRemoteError);
SAME (HIR_NCCL_IN_PROGRESS, ncclInProgress);
SAME (HIR_NCCL_INT8, ncclInt8);
SAME (HIR_NCCL_UINT8, ncclUint8);
SAME (HIR_NCCL_INT32, ncclInt32);
SAME (HIR_NCCL_UINT32, ncclUint32);
SAME (HIR_NCCL_INT64, ncclInt64);
SAME (HIR_NCCL_UINT64, ncclUint64);
SAME (HIR_NCCL_FLOAT16, ncclFloat16);
SAME (HIR_NCCL_FLOAT32, ncclFloat32);
SAME (HIR_NCCL_FLOAT64, ncclFloat64);
SAME (HIR_NCCL_BFLOAT16, ncclBfloat16);
SAME (HIR_NCCL_SUM, ncclSum);
SAME (HIR_NCCL_PROD, ncclProd);
SAME (HIR_NCCL_MAX, ncclMax);
SAME (HIR_NCCL_MIN, ncclMin);
SAME (HIR_NCCL_ID_BYTES, NCCL_UNIQUE_ID_BYTES);
SAME (HIR_NCCL_UNDEFINED, NCCL_CONFIG_UNDEF_INT);

FIELD (size, size);
FIELD (magic, magic);
FIELD (version, version);
FIELD (blocking, blocking);
FIELD (cga_cluster_size, cgaClusterSize);
FIELD (min_ctas, minCTAs);
FIELD (max_ctas, maxCTAs);
FIELD (net_name, netName);
FIELD (split_share, splitShare);

static void
test_config (void)
{
  const ncclConfig_t real = NCCL_CONFIG_INITIALIZER;

  g_assert_cmpuint (real.magic, ==, HIR_NCCL_CONFIG_MAGIC);
  g_assert_cmpuint (real.version, >=, HIR_NCCL_CONFIG_VERSION);
  g_assert_null (real.netName);
}
#else
static void
test_config (void)
{
  g_test_skip ("NCCL's header is not installed");
}
#endif

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/abi-nccl/config", test_config);
  return g_test_run ();
}
