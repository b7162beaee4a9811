#include "cuda/backend/matmul.h"

#include <string.h>

#include "cuda/backend/matmul-shape.h"

#define MAX_DIMENSION ((gint64) G_MAXINT32)

/* A matrix for cuBLASLt, which stores matrices column-major. */
typedef struct
{
  gboolean transposed;
  gint64 ld; /* leading dimension, in elements */
} Operand;

struct _HirCudaMatmul
{
  const HirCudaLibs *libs;
  HirLtHandle handle;
  HirLtMatmulDesc desc;
  HirLtLayout layouts[3]; /* of the first and second operand and of the result */
  HirLtAlgo algo;
  size_t workspace_bytes;
  HirProduct product;
  gboolean swapped; /* the first operand is the second input; see place() */
  gsize element_bytes;
  gboolean is_double;
};

static gboolean
get_type (HirDType dtype, unsigned int *type)
{
  switch (dtype)
    {
    case HIR_DTYPE_FLOAT:
      *type = HIR_LT_R_32F;
      return TRUE;
    case HIR_DTYPE_DOUBLE:
      *type = HIR_LT_R_64F;
      return TRUE;
    case HIR_DTYPE_HALF:
      *type = HIR_LT_R_16F;
      return TRUE;
    case HIR_DTYPE_BFLOAT16:
      *type = HIR_LT_R_16BF;
      return TRUE;
    default:
      return FALSE;
    }
}

/* Describes a matrix of @rows x @columns with the given strides. Returns FALSE if neither stride is
 * 1, or if the other one is too small or too large. */
static gboolean
lay_out (gint64 rows, gint64 columns, gint64 row_stride, gint64 column_stride, Operand *operand)
{
  /* An axis of one element may have any stride. */
  if (rows == 1)
    row_stride = 1;
  if (columns == 1)
    column_stride = MAX (column_stride, rows * MAX (row_stride, 1));
  operand->transposed = FALSE;
  operand->ld = column_stride;
  if (row_stride == 1 && column_stride >= rows)
    return column_stride <= MAX_DIMENSION;
  if (columns == 1)
    column_stride = 1;
  operand->transposed = TRUE;
  operand->ld = row_stride;
  return column_stride == 1 && row_stride >= columns && row_stride <= MAX_DIMENSION;
}

/* Chooses the order of the operands. If the rows of C are dense, cuBLASLt computes the transpose of
 * C (n x m) from the swapped operands. If only the columns are dense, it computes C itself; a bias
 * is then not possible. */
static gboolean
place (const HirProduct *p, gboolean *swapped, Operand *first, Operand *second, Operand *result)
{
  *swapped = TRUE;
  if (lay_out (p->n, p->m, p->c.column, p->c.row, result) && !result->transposed)
    return lay_out (p->n, p->k, p->b.column, p->b.row, first) &&
           lay_out (p->k, p->m, p->a.column, p->a.row, second);
  *swapped = FALSE;
  return !p->has_bias && lay_out (p->m, p->n, p->c.row, p->c.column, result) &&
         !result->transposed && lay_out (p->m, p->k, p->a.row, p->a.column, first) &&
         lay_out (p->k, p->n, p->b.row, p->b.column, second);
}

gboolean
hir_cuda_matmul_takes (const HirOpCall *call)
{
  HirProduct product;
  Operand first, second, result;
  gboolean swapped;
  unsigned int type;

  if (call->n_inputs < 2 || call->planted > 0 || !get_type (call->output->dtype, &type))
    return FALSE;
  for (guint i = 0; i < call->n_inputs; i++)
    if (call->inputs[i]->is_scalar || call->inputs[i]->dtype != call->output->dtype)
      return FALSE;
  if (!hir_product_init (&product, call) || product.k == 0 ||
      hir_value_get_n_elements (call->output) == 0 || product.m > MAX_DIMENSION ||
      product.n > MAX_DIMENSION || product.k > MAX_DIMENSION)
    return FALSE;
  if (product.has_bias)
    {
      if (type == HIR_LT_R_64F || (product.bias_stride != 1 && product.n > 1))
        return FALSE;
      for (guint i = 0; i < product.n_batch; i++)
        if (product.bias_batch[i] != 0)
          return FALSE;
    }
  return place (&product, &swapped, &first, &second, &result);
}

static void
describe_operand (GString *text,
                  const char *letter,
                  const char *what,
                  gint64 rows,
                  gint64 columns,
                  const Operand *operand)
{
  g_string_append_printf (text,
                          "%s: %s, %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT
                          " column-major, %sld %" G_GINT64_FORMAT "\n",
                          letter, what, rows, columns, operand->transposed ? "transposed, " : "",
                          operand->ld);
}

char *
hir_cuda_matmul_describe (const HirOpCall *call)
{
  GString *text = g_string_new (NULL);
  const char *type = hir_dtype_get_short_name (call->output->dtype);
  gint64 n_calls = 1;
  Operand first, second, result;
  HirProduct p;
  gboolean swapped;

  if (!hir_product_init (&p, call) || !place (&p, &swapped, &first, &second, &result))
    return g_string_free (text, FALSE);

  gint64 rows = swapped ? p.n : p.m, columns = swapped ? p.m : p.n;

  g_string_append_printf (text,
                          "m %" G_GINT64_FORMAT ", n %" G_GINT64_FORMAT ", k %" G_GINT64_FORMAT
                          ", batch %" G_GINT64_FORMAT "%s\n",
                          rows, columns, p.k, p.n_batch > 0 ? p.batch[p.n_batch - 1] : 1,
                          p.has_bias ? ", epilogue: bias" : "");
  for (guint i = 0; i + 1 < p.n_batch; i++)
    n_calls *= p.batch[i];
  if (n_calls > 1)
    g_string_append_printf (text,
                            "%" G_GINT64_FORMAT " calls, one per index of the outer batch axes\n",
                            n_calls);
  g_string_append_printf (text, "types: %s, computed in %s\n", type,
                          call->output->dtype == HIR_DTYPE_DOUBLE ? "double"
                                                                  : "float, without TF32");
  describe_operand (text, "A", swapped ? "input 1" : "input 0", rows, p.k, &first);
  describe_operand (text, "B", swapped ? "input 0" : "input 1", p.k, columns, &second);
  describe_operand (text, "C", swapped ? "output, transposed product" : "output", rows, columns,
                    &result);
  return g_string_free (text, FALSE);
}

static gboolean
check (const HirCudaLibs *libs, HirLtResult result, GError **error, const char *what)
{
  if (result == 0)
    return TRUE;
  hir_set_error (error, HIR_ERROR_RUN, NULL, "cuBLASLt failed while %s: %s", what,
                 libs->cublaslt.get_status_name (result));
  return FALSE;
}

static gint64
batch_stride (const HirProduct *p, const HirProductSide *side)
{
  return p->n_batch > 0 ? side->batch[p->n_batch - 1] : 0;
}

static gboolean
make_layout (HirCudaMatmul *matmul,
             guint i,
             unsigned int type,
             gint64 rows,
             gint64 columns,
             const Operand *operand,
             const HirProductSide *side,
             GError **error)
{
  const HirCublasLtApi *lt = &matmul->libs->cublaslt;
  const HirProduct *p = &matmul->product;
  int count = (int) (p->n_batch > 0 ? p->batch[p->n_batch - 1] : 1);
  gint64 stride = batch_stride (p, side);
  guint64 stored_rows = (guint64) (operand->transposed ? columns : rows);
  guint64 stored_columns = (guint64) (operand->transposed ? rows : columns);
  HirLtResult result =
      lt->layout_create (&matmul->layouts[i], type, stored_rows, stored_columns, operand->ld);

  if (result == 0 && p->n_batch > 0)
    result = lt->layout_set (matmul->layouts[i], HIR_LT_LAYOUT_BATCH_COUNT, &count, sizeof count);
  if (result == 0 && p->n_batch > 0)
    result =
        lt->layout_set (matmul->layouts[i], HIR_LT_LAYOUT_BATCH_STRIDE, &stride, sizeof stride);
  return check (matmul->libs, result, error, "creating a matrix layout");
}

static gboolean
make_desc (HirCudaMatmul *matmul, const Operand *first, const Operand *second, GError **error)
{
  const HirCublasLtApi *lt = &matmul->libs->cublaslt;
  gint32 op_a = first->transposed ? HIR_LT_OP_T : HIR_LT_OP_N;
  gint32 op_b = second->transposed ? HIR_LT_OP_T : HIR_LT_OP_N;
  guint32 epilogue = HIR_LT_EPILOGUE_BIAS;
  HirLtResult result =
      lt->matmul_desc_create (&matmul->desc,
                              matmul->is_double ? HIR_LT_COMPUTE_64F : HIR_LT_COMPUTE_32F,
                              matmul->is_double ? HIR_LT_R_64F : HIR_LT_R_32F);

  if (result == 0)
    result = lt->matmul_desc_set (matmul->desc, HIR_LT_DESC_TRANSA, &op_a, sizeof op_a);
  if (result == 0)
    result = lt->matmul_desc_set (matmul->desc, HIR_LT_DESC_TRANSB, &op_b, sizeof op_b);
  if (result == 0 && matmul->product.has_bias)
    result = lt->matmul_desc_set (matmul->desc, HIR_LT_DESC_EPILOGUE, &epilogue, sizeof epilogue);
  return check (matmul->libs, result, error, "creating a matmul descriptor");
}

static guint32
alignment_of (HirCuAddress address)
{
  return (guint32) MIN (address & (~address + 1), 256);
}

/* Sets *@found to FALSE if cuBLASLt has no algorithm. */
static gboolean
choose_algorithm (HirCudaMatmul *matmul,
                  const HirCuAddress *first_second_result,
                  gboolean *found,
                  GError **error)
{
  static const unsigned int keys[] = { HIR_LT_PREF_ALIGNMENT_A, HIR_LT_PREF_ALIGNMENT_B,
                                       HIR_LT_PREF_ALIGNMENT_C, HIR_LT_PREF_ALIGNMENT_D };
  const HirCublasLtApi *lt = &matmul->libs->cublaslt;
  guint64 workspace = HIR_MATMUL_WORKSPACE_BYTES;
  guint32 schemes = HIR_LT_REDUCTION_SCHEME_COMPUTE_TYPE;
  HirLtPreference preference = NULL;
  HirLtHeuristic heuristic;
  int n = 0;
  HirLtResult result = lt->preference_create (&preference);

  memset (&heuristic, 0, sizeof heuristic);
  if (result == 0)
    result = lt->preference_set (preference, HIR_LT_PREF_MAX_WORKSPACE_BYTES, &workspace,
                                 sizeof workspace);
  /* Sums that are split along k must not round their parts to half or bfloat16. */
  if (result == 0)
    result =
        lt->preference_set (preference, HIR_LT_PREF_REDUCTION_SCHEMES, &schemes, sizeof schemes);
  for (guint i = 0; result == 0 && i < G_N_ELEMENTS (keys); i++)
    {
      /* The strides of batch axes that hir_cuda_matmul_run() iterates may break the alignment. */
      guint32 alignment = matmul->product.n_batch > 1
                              ? (guint32) matmul->element_bytes
                              : alignment_of (first_second_result[MIN (i, 2)]);

      result = lt->preference_set (preference, keys[i], &alignment, sizeof alignment);
    }
  if (result == 0)
    result =
        lt->get_heuristic (matmul->handle, matmul->desc, matmul->layouts[0], matmul->layouts[1],
                           matmul->layouts[2], matmul->layouts[2], preference, 1, &heuristic, &n);
  if (preference != NULL)
    (void) lt->preference_destroy (preference);
  *found = result == 0 && n > 0;
  g_debug ("cuBLASLt for %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT
           ": status %u, %d algorithms",
           matmul->product.m, matmul->product.n, matmul->product.k, result, n);
  matmul->algo = heuristic.algo;
  matmul->workspace_bytes = heuristic.workspace_bytes;
  return *found || result == HIR_LT_NOT_SUPPORTED || result == 0 ||
         check (matmul->libs, result, error, "choosing an algorithm");
}

static gboolean
describe (HirCudaMatmul *matmul, HirDType dtype, GError **error)
{
  HirProduct *p = &matmul->product;
  Operand first, second, result;
  unsigned int type;
  gboolean ok = place (p, &matmul->swapped, &first, &second, &result) && get_type (dtype, &type);
  gint64 rows = matmul->swapped ? p->n : p->m, columns = matmul->swapped ? p->m : p->n;

  g_return_val_if_fail (ok, FALSE);
  matmul->is_double = dtype == HIR_DTYPE_DOUBLE;
  return make_desc (matmul, &first, &second, error) &&
         make_layout (matmul, 0, type, rows, p->k, &first, matmul->swapped ? &p->b : &p->a,
                      error) &&
         make_layout (matmul, 1, type, p->k, columns, &second, matmul->swapped ? &p->a : &p->b,
                      error) &&
         make_layout (matmul, 2, type, rows, columns, &result, &p->c, error);
}

HirCudaMatmul *
hir_cuda_matmul_new (const HirCudaLibs *libs,
                     HirLtHandle handle,
                     const HirOpCall *call,
                     const HirCuAddress *addresses,
                     GError **error)
{
  HirCudaMatmul *matmul = g_new0 (HirCudaMatmul, 1);
  gboolean found = FALSE;

  matmul->libs = libs;
  matmul->handle = handle;
  matmul->element_bytes = hir_dtype_get_size_bytes (call->output->dtype);
  if (hir_product_init (&matmul->product, call) && describe (matmul, call->output->dtype, error))
    {
      HirCuAddress ordered[3] = { addresses[matmul->swapped], addresses[!matmul->swapped],
                                  addresses[call->n_inputs] };

      if (matmul->product.has_bias)
        (void) libs->cublaslt.matmul_desc_set (matmul->desc, HIR_LT_DESC_BIAS_POINTER,
                                               &addresses[2], sizeof addresses[2]);
      (void) choose_algorithm (matmul, ordered, &found, error);
    }
  if (found)
    return matmul;
  hir_cuda_matmul_free (matmul);
  return NULL;
}

void
hir_cuda_matmul_free (HirCudaMatmul *matmul)
{
  const HirCublasLtApi *lt = &matmul->libs->cublaslt;

  for (guint i = 0; i < 3; i++)
    if (matmul->layouts[i] != NULL)
      (void) lt->layout_destroy (matmul->layouts[i]);
  if (matmul->desc != NULL)
    (void) lt->matmul_desc_destroy (matmul->desc);
  g_free (matmul);
}

static gboolean
run_one (HirCudaMatmul *matmul,
         const HirCuAddress *abc,
         HirCuAddress workspace,
         HirCuStream stream,
         GError **error)
{
  const HirCublasLtApi *lt = &matmul->libs->cublaslt;
  float one = 1, zero = 0;
  double one_d = 1, zero_d = 0;
  gconstpointer alpha = matmul->is_double ? (gconstpointer) &one_d : &one;
  gconstpointer beta = matmul->is_double ? (gconstpointer) &zero_d : &zero;
  gpointer c = (gpointer) (guintptr) abc[2];
  HirLtResult result =
      lt->matmul (matmul->handle, matmul->desc, alpha,
                  (gconstpointer) (guintptr) abc[matmul->swapped], matmul->layouts[0],
                  (gconstpointer) (guintptr) abc[!matmul->swapped], matmul->layouts[1], beta, c,
                  matmul->layouts[2], c, matmul->layouts[2], &matmul->algo,
                  (gpointer) (guintptr) workspace, matmul->workspace_bytes, stream);

  return check (matmul->libs, result, error, "launching a matmul");
}

/* Advances @index along all batch axes but the last, which cuBLASLt iterates. Returns FALSE at the
 * end. */
static gboolean
next_batch (const HirProduct *p, gint64 *index)
{
  for (guint i = p->n_batch > 0 ? p->n_batch - 1 : 0; i-- > 0;)
    {
      if (++index[i] < p->batch[i])
        return TRUE;
      index[i] = 0;
    }
  return FALSE;
}

static HirCuAddress
at_batch (const HirCudaMatmul *matmul,
          HirCuAddress address,
          const HirProductSide *side,
          const gint64 *index)
{
  gint64 offset = 0;

  for (guint i = 0; i + 1 < matmul->product.n_batch; i++)
    offset += index[i] * side->batch[i];
  return address + (guint64) offset * matmul->element_bytes;
}

gboolean
hir_cuda_matmul_run (HirCudaMatmul *matmul,
                     const HirCuAddress *addresses,
                     HirCuAddress workspace,
                     HirCuStream stream,
                     guint64 *n_launches,
                     GError **error)
{
  const HirProduct *p = &matmul->product;
  gint64 index[HIR_MAX_DIMS] = { 0 };

  if (p->has_bias &&
      !check (matmul->libs,
              matmul->libs->cublaslt.matmul_desc_set (matmul->desc, HIR_LT_DESC_BIAS_POINTER,
                                                      &addresses[2], sizeof addresses[2]),
              error, "setting the bias"))
    return FALSE;
  do
    {
      HirCuAddress abc[3] = { at_batch (matmul, addresses[0], &p->a, index),
                              at_batch (matmul, addresses[1], &p->b, index),
                              at_batch (matmul, addresses[p->has_bias ? 3 : 2], &p->c, index) };

      if (!run_one (matmul, abc, workspace, stream, error))
        return FALSE;
      (*n_launches)++;
    }
  while (next_batch (p, index));
  return TRUE;
}
