/* Declarations of the NCCL functions that Hirscope calls (libnccl.so.2, 2.18 and newer); see
 * abi-cuda.h. tests/tracer/cuda/driver/test-abi-nccl.c compares them with the vendor's header if it
 * is installed. */
#pragma once

#include "cuda/driver/abi-cuda.h"

G_BEGIN_DECLS

typedef unsigned int HirNcclResult; /* ncclResult_t */
#define HIR_NCCL_SUCCESS 0u
#define HIR_NCCL_UNHANDLED_CUDA_ERROR 1u
#define HIR_NCCL_SYSTEM_ERROR 2u
#define HIR_NCCL_INTERNAL_ERROR 3u
#define HIR_NCCL_INVALID_ARGUMENT 4u
#define HIR_NCCL_INVALID_USAGE 5u
#define HIR_NCCL_REMOTE_ERROR 6u
#define HIR_NCCL_IN_PROGRESS 7u

typedef unsigned int HirNcclType; /* ncclDataType_t */
#define HIR_NCCL_INT8 0u
#define HIR_NCCL_UINT8 1u
#define HIR_NCCL_INT32 2u
#define HIR_NCCL_UINT32 3u
#define HIR_NCCL_INT64 4u
#define HIR_NCCL_UINT64 5u
#define HIR_NCCL_FLOAT16 6u
#define HIR_NCCL_FLOAT32 7u
#define HIR_NCCL_FLOAT64 8u
#define HIR_NCCL_BFLOAT16 9u

typedef unsigned int HirNcclOp; /* ncclRedOp_t */
#define HIR_NCCL_SUM 0u
#define HIR_NCCL_PROD 1u
#define HIR_NCCL_MAX 2u
#define HIR_NCCL_MIN 3u

typedef struct ncclComm *HirNcclComm;

#define HIR_NCCL_ID_BYTES 128
#ifdef HIR_NCCL_REAL_HEADER
typedef ncclUniqueId HirNcclId;
#else
typedef struct
{
  char internal[HIR_NCCL_ID_BYTES];
} HirNcclId;
#endif

/* The fields of ncclConfig_t in NCCL 2.18. Newer versions read no further fields, because size and
 * version are those of 2.18. Set a field to HIR_NCCL_UNDEFINED to let NCCL choose its value. */
typedef struct
{
  size_t size;
  unsigned int magic;
  unsigned int version;
  int blocking;
  int cga_cluster_size;
  int min_ctas;
  int max_ctas;
  const char *net_name;
  int split_share;
} HirNcclConfig;
#define HIR_NCCL_CONFIG_MAGIC 0xcafebeefu
#define HIR_NCCL_CONFIG_VERSION 21800u
#define HIR_NCCL_UNDEFINED G_MININT
#ifdef HIR_NCCL_REAL_HEADER
typedef ncclConfig_t HirNcclConfigArgument;
#else
typedef HirNcclConfig HirNcclConfigArgument;
#endif

/* F (field, symbol, parameters); all functions return HirNcclResult. */
#define HIR_NCCL_FUNCTIONS(F)                                                                      \
  F (get_version, ncclGetVersion, (int *version))                                                  \
  F (get_unique_id, ncclGetUniqueId, (HirNcclId * id))                                             \
  F (comm_init_rank_config, ncclCommInitRankConfig,                                                \
     (HirNcclComm * comm, int n_ranks, HirNcclId id, int rank, HirNcclConfigArgument *config))     \
  F (comm_destroy, ncclCommDestroy, (HirNcclComm comm))                                            \
  F (comm_abort, ncclCommAbort, (HirNcclComm comm))                                                \
  F (comm_get_async_error, ncclCommGetAsyncError, (HirNcclComm comm, HirNcclResult * error))       \
  F (all_gather, ncclAllGather,                                                                    \
     (const void *in, void *out, size_t in_count, HirNcclType type, HirNcclComm comm,              \
      HirCuStream stream))                                                                         \
  F (all_reduce, ncclAllReduce,                                                                    \
     (const void *in, void *out, size_t count, HirNcclType type, HirNcclOp op, HirNcclComm comm,   \
      HirCuStream stream))                                                                         \
  F (reduce, ncclReduce,                                                                           \
     (const void *in, void *out, size_t count, HirNcclType type, HirNcclOp op, int root,           \
      HirNcclComm comm, HirCuStream stream))                                                       \
  F (reduce_scatter, ncclReduceScatter,                                                            \
     (const void *in, void *out, size_t out_count, HirNcclType type, HirNcclOp op,                 \
      HirNcclComm comm, HirCuStream stream))                                                       \
  F (broadcast, ncclBroadcast,                                                                     \
     (const void *in, void *out, size_t count, HirNcclType type, int root, HirNcclComm comm,       \
      HirCuStream stream))                                                                         \
  F (send, ncclSend,                                                                               \
     (const void *data, size_t count, HirNcclType type, int peer, HirNcclComm comm,                \
      HirCuStream stream))                                                                         \
  F (recv, ncclRecv,                                                                               \
     (void *data, size_t count, HirNcclType type, int peer, HirNcclComm comm, HirCuStream stream)) \
  F (group_start, ncclGroupStart, (void) )                                                         \
  F (group_end, ncclGroupEnd, (void) )

#define HIR_NCCL_FIELD(field, symbol, parameters) HirNcclResult (*field) parameters;
typedef struct
{
  const char *(*get_error_string) (HirNcclResult result); /* ncclGetErrorString */
  const char *(*get_last_error) (HirNcclComm comm);       /* ncclGetLastError */
  HIR_NCCL_FUNCTIONS (HIR_NCCL_FIELD)
} HirNcclApi;
#undef HIR_NCCL_FIELD

G_END_DECLS
