/* Fake cuBLASLt for tests: a matmul is a fake kernel that computes the product on the CPU. */
#include <dlfcn.h>
#include <string.h>

#include "cuda/driver/abi-cublaslt.h"
#include "fake-cuda.h"
#include "run/values/half.h"

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

/* Layout of a matrix, column-major. */
typedef struct
{
  unsigned int type;
  gint64 rows, columns, ld;
  gint64 stride; /* from matrix to matrix of the batch */
  gint32 n;
} Layout;

typedef struct
{
  gint32 transposed[2];
  guint32 epilogue;
  gconstpointer bias;
} Desc;

/* Work of a kernel. */
typedef struct
{
  Desc desc;
  Layout layouts[3]; /* a, b, d */
  gconstpointer a, b;
  gpointer d;
} Product;

static gpointer
new_thing (void)
{
  return g_malloc0 (MAX (sizeof (Layout), sizeof (Desc)));
}

#define CREATE(out) (*(out) = new_thing (), 0u)
#define DESTROY(thing) (g_free (thing), 0u)

static double
get (unsigned int type, gconstpointer data, gint64 i)
{
  switch (type)
    {
    case HIR_LT_R_32F:
      return ((const float *) data)[i];
    case HIR_LT_R_64F:
      return ((const double *) data)[i];
    case HIR_LT_R_16F:
      return hir_half_to_float (((const guint16 *) data)[i]);
    default:
      return hir_bfloat16_to_float (((const guint16 *) data)[i]);
    }
}

static void
set (unsigned int type, gpointer data, gint64 i, double value)
{
  switch (type)
    {
    case HIR_LT_R_32F:
      ((float *) data)[i] = (float) value;
      break;
    case HIR_LT_R_64F:
      ((double *) data)[i] = value;
      break;
    case HIR_LT_R_16F:
      ((guint16 *) data)[i] = hir_half_from_float ((float) value);
      break;
    default:
      ((guint16 *) data)[i] = hir_bfloat16_from_float ((float) value);
    }
}

static void
multiply_one (const Product *product, gint64 n)
{
  const Layout *a = &product->layouts[0], *b = &product->layouts[1], *d = &product->layouts[2];
  gboolean a_t = product->desc.transposed[0] == HIR_LT_OP_T;
  gboolean b_t = product->desc.transposed[1] == HIR_LT_OP_T;
  gint64 size = a_t ? a->rows : a->columns;

  for (gint64 column = 0; column < d->columns; column++)
    for (gint64 row = 0; row < d->rows; row++)
      {
        double sum = product->desc.epilogue == HIR_LT_EPILOGUE_BIAS
                         ? get (d->type, product->desc.bias, row)
                         : 0;

        for (gint64 k = 0; k < size; k++)
          sum +=
              get (a->type, product->a, n * a->stride + (a_t ? row * a->ld + k : k * a->ld + row)) *
              get (b->type, product->b,
                   n * b->stride + (b_t ? k * b->ld + column : column * b->ld + k));
        set (d->type, product->d, n * d->stride + column * d->ld + row, sum);
      }
}

static void
multiply (gpointer data)
{
  const Product *product = data;

  for (gint64 n = 0; n < MAX (product->layouts[2].n, 1); n++)
    multiply_one (product, n);
}

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
  Desc *self = (Desc *) desc;

  if (attribute == HIR_LT_DESC_TRANSA || attribute == HIR_LT_DESC_TRANSB)
    memcpy (&self->transposed[attribute == HIR_LT_DESC_TRANSB], value, bytes);
  else if (attribute == HIR_LT_DESC_EPILOGUE)
    memcpy (&self->epilogue, value, bytes);
  else if (attribute == HIR_LT_DESC_BIAS_POINTER)
    memcpy (&self->bias, value, bytes);
  return 0;
}

HirLtResult
cublasLtMatrixLayoutCreate (
    HirLtLayout *layout, unsigned int type, guint64 rows, guint64 columns, gint64 ld)
{
  Layout *self = new_thing ();

  *self = (Layout){ type, (gint64) rows, (gint64) columns, ld, 0, 1 };
  *layout = (HirLtLayout) self;
  return 0;
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
  Layout *self = (Layout *) layout;

  if (attribute == HIR_LT_LAYOUT_BATCH_COUNT)
    memcpy (&self->n, value, bytes);
  else if (attribute == HIR_LT_LAYOUT_BATCH_STRIDE)
    memcpy (&self->stride, value, bytes);
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
  Product *product;

  if (fake_cuda_is_idle ())
    return 0;
  driver = dlopen ("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  symbol = driver != NULL ? dlsym (driver, "fake_cuda_launch") : NULL;
  if (symbol == NULL)
    return 1;
  memcpy (&launch, &symbol, sizeof launch);
  product = g_new (Product, 1);
  *product = (Product){
    *(Desc *) desc, { *(Layout *) a_layout, *(Layout *) b_layout, *(Layout *) d_layout }, a, b, d
  };
  return launch (stream, "cudaLaunchKernelExC", "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NNT",
                 multiply, product, g_free);
}
