/* Implements fd.ops.var and fd.ops.var_mean with other ops of the IR. The result equals that of
 * nvFuser's Welford algorithm, but the operand is read twice. */
#include "script/bindings-private.h"

/* State of one call. */
typedef struct
{
  HirPyOpCall *call;
  HirTensor *in;
  gint64 *dims; /* reduced axes; empty means all axes */
  guint n_dims;
  gboolean *reduced; /* one per axis */
  guint rank;
  HirScalar *count; /* number of elements per result */
} Moments;

static void
moments_clear (Moments *self)
{
  g_free (self->dims);
  g_free (self->reduced);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Moments, moments_clear)

/* Call after a reduction has validated the axes. */
static void
count_elements (Moments *self)
{
  HirContainer *fusion = self->call->fusion;
  g_autofree HirIterDomain **axes = hir_tensor_dup_no_reductions (self->in, &self->rank);

  self->reduced = g_new0 (gboolean, MAX (self->rank, 1));
  for (guint i = 0; i < self->n_dims && self->rank > 0; i++)
    self->reduced[self->dims[i] < 0 ? self->dims[i] + self->rank : self->dims[i]] = TRUE;
  self->count = hir_scalar_new_int (fusion, 1, HIR_DTYPE_INDEX);
  for (guint i = 0; i < self->rank; i++)
    {
      const HirIterDomain *axis = axes[i];

      if (self->n_dims == 0)
        self->reduced[i] = TRUE;
      if (self->reduced[i])
        self->count = hir_scalar_new_op (fusion, HIR_SCALAR_OP_MUL, self->count,
                                         axis->expanded_extent != NULL ? axis->expanded_extent
                                                                       : axis->extent);
    }
}

static HirTensor *
sum (Moments *self, HirTensor *in)
{
  return hir_op_reduction (self->call->fusion, HIR_BINARY_ADD, in, self->dims, self->n_dims, FALSE,
                           HIR_DTYPE_NULL, &self->call->error);
}

/* Restores the reduced axes of @in with size 1. Returns NULL if @in is NULL. */
static HirTensor *
keep_axes (Moments *self, HirTensor *in)
{
  if (in == NULL || self->rank == 0)
    return in;
  return hir_op_broadcast (self->call->fusion, in, self->reduced, self->rank, &self->call->error);
}

static HirTensor *
divide (Moments *self, HirTensor *in, HirScalar *by)
{
  return in != NULL ? hir_op_binary (self->call->fusion, HIR_BINARY_TRUEDIV, HIR_VAL (in),
                                     HIR_VAL (by), &self->call->error)
                    : NULL;
}

/* Divides the sum of squared differences from @mean, which has all axes, by count - correction. As
 * in PyTorch, the divisor is 0 if the correction is larger than the count. */
static HirTensor *
make_var (Moments *self, HirTensor *mean, gint64 correction)
{
  HirContainer *fusion = self->call->fusion;
  GError **error = &self->call->error;
  HirTensor *distance, *square;
  HirScalar *by = self->count;

  distance = hir_op_binary (fusion, HIR_BINARY_SUB, HIR_VAL (self->in), HIR_VAL (mean), error);
  if (distance == NULL)
    return NULL;
  square = hir_op_binary (fusion, HIR_BINARY_MUL, HIR_VAL (distance), HIR_VAL (distance), error);
  if (square == NULL)
    return NULL;
  if (correction > 0)
    {
      by = hir_scalar_new_op (fusion, HIR_SCALAR_OP_SUB, by,
                              hir_scalar_new_int (fusion, correction, HIR_DTYPE_INDEX));
      by = hir_scalar_new_op (fusion, HIR_SCALAR_OP_MAX, by,
                              hir_scalar_new_int (fusion, 0, HIR_DTYPE_INDEX));
    }
  return divide (self, sum (self, square), by);
}

static gboolean
check_operand (HirPyOpCall *call, const HirTensor *in, gint64 correction)
{
  HirDType dtype = in->base.dtype;

  if (correction < 0)
    hir_py_raise (call->py, "ValueError", "fd.ops.%s: correction must not be negative", call->name);
  else if (!hir_dtype_is_floating_point (dtype) || hir_dtype_get_size_bytes (dtype) < 4)
    hir_py_fail (call->py, HIR_ERROR_REFUSED,
                 "fd.ops.%s is not taken of %s; cast it first: fd.ops.cast(x, "
                 "dtype=DataType.Float)",
                 call->name, hir_dtype_get_script_name (dtype));
  return call->py->signal == HIR_PY_GO;
}

/* Arguments: (arg, dims, correction[, keepdim]). The correction has no default because the defaults
 * of the two dialects differ. */
static gboolean
call_moments (HirPyOpCall *call, HirTensor **var, HirTensor **mean)
{
  g_auto (Moments) self = { .call = call };
  gint64 correction;
  gboolean keepdim;
  HirTensor *total, *kept;

  self.in = hir_py_op_tensor (call, 0, "arg");
  hir_py_op_take_axes (call, 1, &self.dims, &self.n_dims);
  correction = hir_py_arg_int (call->py, call->args, 2, "correction", NULL);
  keepdim = hir_py_arg_bool (call->py, call->args, 3, "keepdim", FALSE);
  if (!hir_py_op_begin (call, 4) || !check_operand (call, self.in, correction))
    return FALSE;
  total = sum (&self, self.in);
  if (total == NULL)
    return FALSE;
  count_elements (&self);
  *mean = divide (&self, total, self.count);
  kept = keep_axes (&self, *mean);
  *var = kept != NULL ? make_var (&self, kept, correction) : NULL;
  if (keepdim)
    {
      *mean = kept;
      *var = keep_axes (&self, *var);
    }
  return *var != NULL;
}

HirPyValue
hir_py_op_var (HirPyOpCall *call)
{
  HirTensor *var = NULL, *mean;

  if (!call_moments (call, &var, &mean) && call->error == NULL)
    return hir_py_none ();
  return hir_py_op_result (call, call->error == NULL ? var : NULL);
}

HirPyValue
hir_py_op_var_mean (HirPyOpCall *call)
{
  HirTensor *var = NULL, *mean = NULL;
  HirPyValue result;

  if (!call_moments (call, &var, &mean))
    return call->error != NULL ? hir_py_op_result (call, NULL) : hir_py_none ();
  result = hir_py_list (call->py, HIR_PY_TUPLE, 2);
  result.list->items[0] = hir_py_tensor (var);
  result.list->items[1] = hir_py_tensor (mean);
  return result;
}

/* Arguments: (arg, dims). */
HirPyValue
hir_py_op_welford (HirPyOpCall *call)
{
  g_auto (Moments) self = { .call = call };
  HirTensor *total, *mean = NULL, *kept, *distance = NULL, *square = NULL;
  HirPyValue result;

  self.in = hir_py_op_tensor (call, 0, "arg");
  hir_py_op_take_axes (call, 1, &self.dims, &self.n_dims);
  if (!hir_py_op_begin (call, 2) || !check_operand (call, self.in, 0))
    return hir_py_none ();
  total = sum (&self, self.in);
  if (total != NULL)
    {
      count_elements (&self);
      mean = divide (&self, total, self.count);
    }
  kept = keep_axes (&self, mean);
  if (kept != NULL)
    distance = hir_op_binary (call->fusion, HIR_BINARY_SUB, HIR_VAL (self.in), HIR_VAL (kept),
                              &call->error);
  if (distance != NULL)
    square = hir_op_binary (call->fusion, HIR_BINARY_MUL, HIR_VAL (distance), HIR_VAL (distance),
                            &call->error);
  if (square != NULL)
    square = sum (&self, square);
  if (square == NULL)
    return hir_py_op_result (call, NULL);
  result = hir_py_list (call->py, HIR_PY_TUPLE, 3);
  result.list->items[0] = hir_py_tensor (mean);
  result.list->items[1] = hir_py_tensor (square);
  result.list->items[2] = hir_py_scalar (self.count);
  return result;
}
