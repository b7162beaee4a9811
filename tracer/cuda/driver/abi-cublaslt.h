/* Declarations of the cuBLASLt functions that Hirscope calls (libcublasLt.so.12 and .13); see
 * abi-cuda.h. cuBLASLt matrices are column-major. */
#pragma once

#include "cuda/driver/abi-cuda.h"

G_BEGIN_DECLS

typedef unsigned int HirLtResult; /* cublasStatus_t; 0: success */
typedef struct cublasLtContext *HirLtHandle;

/* cublasComputeType_t, cudaDataType_t, cublasOperation_t */
#define HIR_LT_COMPUTE_32F 68u
#define HIR_LT_COMPUTE_64F 70u
#define HIR_LT_R_32F 0u
#define HIR_LT_R_64F 1u
#define HIR_LT_R_16F 2u
#define HIR_LT_R_16BF 14u
#define HIR_LT_OP_N 0
#define HIR_LT_OP_T 1
#define HIR_LT_NOT_SUPPORTED 15u

/* cublasLtMatmulDescAttributes_t */
#define HIR_LT_DESC_TRANSA 3u
#define HIR_LT_DESC_TRANSB 4u
#define HIR_LT_DESC_EPILOGUE 7u
#define HIR_LT_DESC_BIAS_POINTER 8u
#define HIR_LT_EPILOGUE_BIAS 4u
/* cublasLtMatrixLayoutAttribute_t */
#define HIR_LT_LAYOUT_BATCH_COUNT 5u
#define HIR_LT_LAYOUT_BATCH_STRIDE 6u
/* cublasLtMatmulPreferenceAttributes_t */
#define HIR_LT_PREF_MAX_WORKSPACE_BYTES 1u
#define HIR_LT_PREF_REDUCTION_SCHEMES 3u
#define HIR_LT_PREF_ALIGNMENT_A 5u
#define HIR_LT_PREF_ALIGNMENT_B 6u
#define HIR_LT_PREF_ALIGNMENT_C 7u
#define HIR_LT_PREF_ALIGNMENT_D 8u
#define HIR_LT_REDUCTION_SCHEME_COMPUTE_TYPE 2u

#ifdef HIR_LT_REAL_HEADER /* the vendor's structs have no tags: use its types */
typedef cublasLtMatmulDesc_t HirLtMatmulDesc;
typedef cublasLtMatrixLayout_t HirLtLayout;
typedef cublasLtMatmulPreference_t HirLtPreference;
typedef cublasLtMatmulAlgo_t HirLtAlgo;
typedef cublasLtMatmulHeuristicResult_t HirLtHeuristic;
#else
typedef struct _HirLtMatmulDesc *HirLtMatmulDesc;
typedef struct _HirLtLayout *HirLtLayout;
typedef struct _HirLtPreference *HirLtPreference;
typedef struct
{
  guint64 data[8];
} HirLtAlgo;
typedef struct
{
  HirLtAlgo algo;
  size_t workspace_bytes;
  HirLtResult state;
  float n_waves;
  int reserved[4];
} HirLtHeuristic;
#endif

/* F (field, symbol, parameters); all functions return HirLtResult. */
#define HIR_LT_FUNCTIONS(F)                                                                        \
  F (create, cublasLtCreate, (HirLtHandle * handle))                                               \
  F (destroy, cublasLtDestroy, (HirLtHandle handle))                                               \
  F (matmul_desc_create, cublasLtMatmulDescCreate,                                                 \
     (HirLtMatmulDesc * desc, unsigned int compute, unsigned int scale_type))                      \
  F (matmul_desc_destroy, cublasLtMatmulDescDestroy, (HirLtMatmulDesc desc))                       \
  F (matmul_desc_set, cublasLtMatmulDescSetAttribute,                                              \
     (HirLtMatmulDesc desc, unsigned int attribute, const void *value, size_t bytes))              \
  F (layout_create, cublasLtMatrixLayoutCreate,                                                    \
     (HirLtLayout * layout, unsigned int type, guint64 rows, guint64 columns, gint64 ld))          \
  F (layout_destroy, cublasLtMatrixLayoutDestroy, (HirLtLayout layout))                            \
  F (layout_set, cublasLtMatrixLayoutSetAttribute,                                                 \
     (HirLtLayout layout, unsigned int attribute, const void *value, size_t bytes))                \
  F (preference_create, cublasLtMatmulPreferenceCreate, (HirLtPreference * preference))            \
  F (preference_destroy, cublasLtMatmulPreferenceDestroy, (HirLtPreference preference))            \
  F (preference_set, cublasLtMatmulPreferenceSetAttribute,                                         \
     (HirLtPreference preference, unsigned int attribute, const void *value, size_t bytes))        \
  F (get_heuristic, cublasLtMatmulAlgoGetHeuristic,                                                \
     (HirLtHandle handle, HirLtMatmulDesc desc, HirLtLayout a, HirLtLayout b, HirLtLayout c,       \
      HirLtLayout d, HirLtPreference preference, int n_requested, HirLtHeuristic *results,         \
      int *n_found))                                                                               \
  F (matmul, cublasLtMatmul,                                                                       \
     (HirLtHandle handle, HirLtMatmulDesc desc, const void *alpha, const void *a,                  \
      HirLtLayout a_layout, const void *b, HirLtLayout b_layout, const void *beta, const void *c,  \
      HirLtLayout c_layout, void *d, HirLtLayout d_layout, const HirLtAlgo *algo, void *workspace, \
      size_t workspace_bytes, HirCuStream stream))

#define HIR_LT_FIELD(field, symbol, parameters) HirLtResult (*field) parameters;
typedef struct
{
  size_t (*get_version) (void);                        /* cublasLtGetVersion */
  const char *(*get_status_name) (HirLtResult result); /* cublasLtGetStatusName */
  HIR_LT_FUNCTIONS (HIR_LT_FIELD)
} HirCublasLtApi;
#undef HIR_LT_FIELD

G_END_DECLS
