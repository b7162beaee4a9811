/* Implements the ops of fd.ops that the IR knows by name only: arguments and shapes of results. */
#include "script/bindings-private.h"

#include <string.h>

#define MAX_ARGS (16 + HIR_OPAQUE_MAX_AXES) /* arguments, and the items of a shape */

/* Shapes of the results of one op. */
typedef enum
{
  SHAPE_SAME,        /* of the first operand */
  SHAPE_SCATTER,     /* the same; `dim` is an axis */
  SHAPE_INDICES,     /* of the first operand, type Int */
  SHAPE_INDEX,       /* of the second operand */
  SHAPE_SELECT,      /* of the first operand; axis `dim` is the second operand */
  SHAPE_TOPK,        /* two: of the first operand with `k` along `dim` */
  SHAPE_EMBEDDING,   /* axes of the first operand, then the last of the second */
  SHAPE_SDPA,        /* output, log-sum-exp, seed, offset */
  SHAPE_SDPA_GRAD,   /* of the second, third and fourth operand */
  SHAPE_PRODUCT,     /* of a product of groups or of scaled matrices */
  SHAPE_SCALED,      /* the same, and two outputs that are not used */
  SHAPE_QUANTIZE,    /* of the first operand, and its blocks */
  SHAPE_RANDOM,      /* the given shape */
  SHAPE_RANDOM_LIKE, /* of the first operand */
} Shape;

/* Kinds of parameters: T tensor, t tensor or None, O tensor or number, o the same or None, i int,
 * d DataType, s shape, a anything without effect on the shape. */
typedef struct
{
  const char *name;
  const char *params; /* "name:kind ..." in order of position */
  Shape shape;
} Op;

static const Op ops[] = {
  { "cumsum", "arg:T dim:i", SHAPE_SAME },
  { "cumprod", "arg:T dim:i", SHAPE_SAME },
  { "cummin", "arg:T dim:i", SHAPE_SAME },
  { "cummax", "arg:T dim:i", SHAPE_SAME },
  { "triu", "arg:T diagonal:a", SHAPE_SAME },
  { "argsort", "arg:T dim:i descending:a stable:a", SHAPE_INDICES },
  { "rand_like", "arg:T rng_seed:o rng_offset:o", SHAPE_RANDOM_LIKE },
  { "randn_like", "arg:T rng_seed:o rng_offset:o", SHAPE_RANDOM_LIKE },
  { "sign", "arg:T", SHAPE_SAME },
  { "real", "arg:T", SHAPE_SAME },
  { "imag", "arg:T", SHAPE_SAME },
  { "complex", "real:T imag:T", SHAPE_SAME },
  { "logical_right_shift", "arg1:T arg2:O", SHAPE_SAME },
  { "scatter", "arg:T index:T src:O dim:i", SHAPE_SCATTER },
  { "index_put_accumulate", "arg:T index:T value:T", SHAPE_SAME },
  { "gather", "arg:T index:T dim:i", SHAPE_INDEX },
  { "take_along_axis", "arg:T index:T dim:i", SHAPE_INDEX },
  { "index_select", "arg:T index:T dim:i", SHAPE_SELECT },
  { "topk", "arg:T k:O dim:i largest:a sorted:a", SHAPE_TOPK },
  { "embedding_fwd",
    "input:T weight:T padding_idx:o max_norm:o norm_type:o scale_grad_by_freq:o sparse:o",
    SHAPE_EMBEDDING },
  { "sdpfa_fwd", "query:T key:T value:T bias:t mask:t dropout_p:o is_causal:o scale:o",
    SHAPE_SDPA },
  { "sdpfa_bwd",
    "grad_output:T query:T key:T value:T output:T logsumexp:T dropout_p:o is_causal:o "
    "philox_seed:T philox_offset:T scale:o",
    SHAPE_SDPA_GRAD },
  { "grouped_mm",
    "mat1:T mat2:T offsets:T scale1:t scale2:t alpha:t bias:t beta:t dtype:d "
    "output_block_scale_size:a output_block_scale_dtype:a output_gamma:a",
    SHAPE_PRODUCT },
  { "scaled_mm",
    "mat1:T mat2:T scale1:T scale2:T alpha:t bias:t beta:t dtype:d output_block_scale_size:a "
    "output_block_scale_dtype:a output_gamma:a",
    SHAPE_SCALED },
  { "cutlass_nvfp4_grouped_mm",
    "mat1:T mat2:T scale1:T scale2:T alpha:T problem_sizes:T expert_offsets:T sf_offsets:T dtype:d",
    SHAPE_PRODUCT },
  { "nv_block_quantize", "input:T global_scale:t swizzle_block_scales:a block_size:i dtype:d",
    SHAPE_QUANTIZE },
  { "nv_grouped_block_quantize",
    "input:T input_offsets:T output_offsets:T global_scale:t block_size:i dtype:d",
    SHAPE_QUANTIZE },
  { "preprocess_grouped_matmul_input_sf", "input:T input_offsets:T output_offsets:T", SHAPE_SAME },
  { "uniform", "minval:O maxval:O shape:s rng_seed:o rng_offset:o dtype:d", SHAPE_RANDOM },
  { "normal", "mean:O std:O shape:s rng_seed:o rng_offset:o dtype:d", SHAPE_RANDOM },
};

typedef struct
{
  HirPyOpCall *call;
  const Op *op;
  HirVal *inputs[MAX_ARGS];
  guint n_inputs;
  HirTensor *tensors[MAX_ARGS]; /* in order of the parameters, without None */
  guint n_tensors;
  gint64 dim; /* of `dim` or `block_size` */
  guint axis; /* of an op that takes elements by index: `dim` counted from the start */
  HirPyValue k;
  HirDType dtype; /* NULL if it is not given */
  HirScalar *sizes[HIR_OPAQUE_MAX_AXES];
  guint n_sizes;
} Args;

static HirScalar *
size_of (HirTensor *tensor, guint axis)
{
  guint n;
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (tensor, &n);

  return ids[axis]->expanded_extent != NULL ? ids[axis]->expanded_extent : ids[axis]->extent;
}

static guint
rank_of (HirTensor *tensor)
{
  guint n;
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (tensor, &n);

  return n;
}

static void
take_shape (Args *args, HirPyValue value)
{
  HirPy *py = args->call->py;
  HirPyList *list = hir_py_to_list (py, value, "the shape");

  if (list->n > HIR_OPAQUE_MAX_AXES)
    {
      hir_py_fail (py, HIR_ERROR_UNSUPPORTED, "fd.ops.%s: more than %d axes", args->op->name,
                   HIR_OPAQUE_MAX_AXES);
      return;
    }
  /* Sizes are operands, as those of `full`, so that a HostUnit gets them. */
  for (guint i = 0; i < list->n && py->signal == HIR_PY_GO; i++)
    {
      HirScalar *size = hir_py_to_scalar (py, args->call->fusion, list->items[i], "a size");

      args->sizes[args->n_sizes++] = size;
      if (size != NULL)
        args->inputs[args->n_inputs++] = HIR_VAL (size);
    }
}

/* Reads one argument. @value is None if it is left out. */
static void
take_arg (Args *args, const char *name, char kind, HirPyValue value)
{
  HirPyOpCall *call = args->call;
  HirVal *operand;

  if (kind == 'a' || (value.type == HIR_PY_NONE && kind != 's'))
    return;
  switch (kind)
    {
    case 'i':
      args->dim = hir_py_to_int (call->py, value, name);
      return;
    case 'd':
      args->dtype = hir_py_to_dtype (call->py, value, args->op->name);
      return;
    case 's':
      take_shape (args, value);
      return;
    case 'T':
    case 't':
      operand = HIR_VAL (hir_py_op_to_tensor (call, value, name));
      if (operand != NULL)
        args->tensors[args->n_tensors++] = HIR_TENSOR (operand);
      break;
    default:
      if (strcmp (name, "k") == 0)
        args->k = value;
      operand = hir_py_op_to_operand (call, value, name);
    }
  if (operand != NULL)
    args->inputs[args->n_inputs++] = operand;
}

static gboolean
take_args (Args *args)
{
  HirPyOpCall *call = args->call;
  g_auto (GStrv) params = g_strsplit (args->op->params, " ", 0);
  guint n = g_strv_length (params);

  for (guint i = 0; i < n && call->py->signal == HIR_PY_GO; i++)
    {
      char *kind = strchr (params[i], ':');
      HirPyValue value = hir_py_none ();
      gboolean found;

      *kind++ = '\0';
      found = hir_py_arg (call->py, call->args, i, params[i], &value);
      if (!found && (*kind == 'T' || *kind == 'O'))
        hir_py_arg_required (call->py, call->args, i, params[i]);
      take_arg (args, params[i], *kind, value);
    }
  return hir_py_op_begin (call, n);
}

/* One output under construction. */
typedef struct
{
  HirOpaqueSpec spec;
  gint8 map[MAX_ARGS * HIR_OPAQUE_MAX_AXES];
  HirScalar *extents[HIR_OPAQUE_MAX_AXES];
} Out;

static void
out_init (Out *out, Args *args, guint number, HirDType dtype)
{
  memset (out, 0, sizeof *out);
  memset (out->map, -1, sizeof out->map);
  out->spec = (HirOpaqueSpec){ .name = args->op->name,
                               .output = number,
                               .dim = args->axis,
                               .inputs = args->inputs,
                               .n_inputs = args->n_inputs,
                               .map = out->map,
                               .extents = out->extents,
                               .dtype = dtype };
}

/* Adds an axis that comes from axis @from of @tensor. */
static void
add_from (Out *out, HirTensor *tensor, guint from)
{
  for (guint i = 0; i < out->spec.n_inputs; i++)
    if (out->spec.inputs[i] == HIR_VAL (tensor) && from < HIR_OPAQUE_MAX_AXES)
      out->map[i * HIR_OPAQUE_MAX_AXES + from] = (gint8) out->spec.n_axes;
  out->spec.n_axes++;
}

static void
add_new (Out *out, HirScalar *extent)
{
  out->extents[out->spec.n_axes++] = extent;
}

/* Adds axes @first to @last - 1 of @tensor. */
static void
add_axes (Out *out, HirTensor *tensor, guint first, guint last)
{
  for (guint i = first; i < last; i++)
    add_from (out, tensor, i);
}

static HirPyValue
finish (Args *args, Out *out)
{
  return hir_py_op_result (args->call,
                           hir_op_opaque (args->call->fusion, &out->spec, &args->call->error));
}

static HirPyValue
same (Args *args, HirTensor *tensor, guint number, HirDType dtype)
{
  Out out;

  out_init (&out, args, number, dtype);
  add_axes (&out, tensor, 0, rank_of (tensor));
  return finish (args, &out);
}

static HirPyValue
tuple (Args *args, HirPyValue *items, guint n)
{
  HirPyValue result = hir_py_list (args->call->py, HIR_PY_TUPLE, n);

  for (guint i = 0; i < result.list->n; i++)
    result.list->items[i] = items[i];
  return args->call->py->signal == HIR_PY_GO ? result : hir_py_none ();
}

static HirPyValue
make_select (Args *args, guint axis)
{
  HirTensor *in = args->tensors[0];
  Out out;

  out_init (&out, args, 0, in->base.dtype);
  for (guint i = 0; i < rank_of (in); i++)
    if (i != axis)
      add_from (&out, in, i);
    else if (rank_of (args->tensors[1]) > 0)
      add_new (&out, size_of (args->tensors[1], 0));
    else
      add_new (&out, hir_scalar_get_one (args->call->fusion));
  return finish (args, &out);
}

static HirPyValue
make_topk (Args *args, guint axis)
{
  HirTensor *in = args->tensors[0];
  HirPyValue results[2];

  for (guint number = 0; number < 2; number++)
    {
      HirScalar *k = hir_py_to_scalar (args->call->py, args->call->fusion, args->k, "k");
      Out out;

      if (k == NULL)
        return hir_py_none ();
      out_init (&out, args, number, number == 0 ? in->base.dtype : HIR_DTYPE_INT);
      for (guint i = 0; i < rank_of (in); i++)
        if (i != axis)
          add_from (&out, in, i);
        else
          add_new (&out, k);
      results[number] = finish (args, &out);
    }
  return tuple (args, results, 2);
}

static HirPyValue
make_embedding (Args *args)
{
  HirTensor *weight = args->tensors[1];
  Out out;

  out_init (&out, args, 0, weight->base.dtype);
  add_axes (&out, args->tensors[0], 0, rank_of (args->tensors[0]));
  add_from (&out, weight, rank_of (weight) - 1);
  return finish (args, &out);
}

/* Maps the batch and head axes of key and value to those of the query. */
static void
map_batches (Out *out, Args *args, guint n)
{
  for (guint t = 1; t < 3; t++)
    for (guint i = 0; i < out->spec.n_inputs; i++)
      for (guint j = 0; out->spec.inputs[i] == HIR_VAL (args->tensors[t]) && j < n; j++)
        out->map[i * HIR_OPAQUE_MAX_AXES + j] = (gint8) j;
}

static HirPyValue
make_sdpa (Args *args)
{
  HirTensor *query = args->tensors[0], *value = args->tensors[2];
  HirContainer *fusion = args->call->fusion;
  guint n = rank_of (query);
  HirPyValue results[4];
  Out out;

  out_init (&out, args, 0, query->base.dtype);
  add_axes (&out, query, 0, n - 1);
  add_from (&out, value, n - 1);
  map_batches (&out, args, n - 2);
  results[0] = finish (args, &out);
  out_init (&out, args, 1, HIR_DTYPE_FLOAT);
  add_axes (&out, query, 0, n - 1);
  map_batches (&out, args, n - 2);
  results[1] = finish (args, &out);
  out_init (&out, args, 2, HIR_DTYPE_UINT64);
  add_new (&out, hir_scalar_new_int (fusion, 2, HIR_DTYPE_INDEX));
  results[2] = finish (args, &out);
  out_init (&out, args, 3, HIR_DTYPE_UINT64);
  results[3] = finish (args, &out);
  return tuple (args, results, 4);
}

static HirPyValue
make_sdpa_grad (Args *args)
{
  HirPyValue results[3];

  for (guint i = 0; i < 3; i++)
    results[i] = same (args, args->tensors[i + 1], i, args->tensors[i + 1]->base.dtype);
  return tuple (args, results, 3);
}

/* [M, K] x [G, K, N] is [M, N]; [G, M, K] x [K, N] is [M, N]; [M, K] x [K, N] is [G, M, N] by
 * groups, and [M, N] without them. CUTLASS has the second matrix as [G, N, K]. */
static void
add_product (Out *out, Args *args)
{
  HirTensor *a = args->tensors[0], *b = args->tensors[1];
  guint n_a = rank_of (a), n_b = rank_of (b);
  gboolean grouped = args->op->shape == SHAPE_PRODUCT;
  gboolean transposed = g_str_has_prefix (args->op->name, "cutlass");

  if (grouped && n_a == 2 && n_b == 2)
    add_new (out, size_of (args->tensors[2], 0));
  add_from (out, a, n_a - 2);
  add_from (out, b, transposed ? n_b - 2 : n_b - 1);
}

static HirPyValue
make_product (Args *args)
{
  HirTensor *a = args->tensors[0], *b = args->tensors[1];
  HirDType dtype = args->dtype != HIR_DTYPE_NULL ? args->dtype : a->base.dtype;
  HirPyValue results[3] = { hir_py_none (), hir_py_none (), hir_py_none () };
  gboolean has_scales = strcmp (args->op->name, "grouped_mm") == 0 && args->n_tensors > 3;
  Out out;

  if (rank_of (a) < 2 || rank_of (b) < 2)
    return hir_py_raise (args->call->py, "ValueError", "fd.ops.%s takes matrices", args->op->name);
  out_init (&out, args, 0, dtype);
  add_product (&out, args);
  results[0] = finish (args, &out);
  if (args->op->shape == SHAPE_SCALED || has_scales)
    return tuple (args, results, 3);
  return results[0];
}

static HirPyValue
make_quantize (Args *args)
{
  HirTensor *in = args->tensors[0];
  HirContainer *fusion = args->call->fusion;
  gint64 block = args->dim > 0 ? args->dim : 16;
  HirDType dtype = args->dtype != HIR_DTYPE_NULL ? args->dtype : HIR_DTYPE_FLOAT4_E2M1FN;
  guint n = rank_of (in);
  HirPyValue results[2];
  Out out;

  if (n == 0)
    return hir_py_raise (args->call->py, "ValueError", "fd.ops.%s takes a tensor with axes",
                         args->op->name);
  results[0] = same (args, in, 0, dtype);
  out_init (&out, args, 1,
            dtype == HIR_DTYPE_FLOAT4_E2M1FN ? HIR_DTYPE_FLOAT8_E4M3FN : HIR_DTYPE_FLOAT8_E8M0FNU);
  add_axes (&out, in, 0, n - 1);
  add_new (&out, hir_scalar_new_op (fusion, HIR_SCALAR_OP_CEIL_DIV, size_of (in, n - 1),
                                    hir_scalar_new_int (fusion, block, HIR_DTYPE_INDEX)));
  results[1] = finish (args, &out);
  return tuple (args, results, 2);
}

/* The numbers of a random op depend on its place among those of the fusion. */
static guint
count_random (const HirContainer *fusion)
{
  guint n = 0;

  for (guint i = 0; i < fusion->exprs.len; i++)
    n += hir_expr_is_random (fusion->exprs.items[i]);
  return n;
}

static HirPyValue
make_random (Args *args)
{
  Out out;

  args->axis = count_random (args->call->fusion);
  if (args->op->shape == SHAPE_RANDOM_LIKE)
    return same (args, args->tensors[0], 0, args->tensors[0]->base.dtype);
  out_init (&out, args, 0, args->dtype != HIR_DTYPE_NULL ? args->dtype : HIR_DTYPE_FLOAT);
  for (guint i = 0; i < args->n_sizes; i++)
    add_new (&out, args->sizes[i]);
  return finish (args, &out);
}

static HirDType
same_type (const Args *args)
{
  HirDType dtype = args->tensors[0]->base.dtype;
  const char *name = args->op->name;

  if (strcmp (name, "real") == 0 || strcmp (name, "imag") == 0)
    return dtype == HIR_DTYPE_COMPLEX_DOUBLE  ? HIR_DTYPE_DOUBLE
           : dtype == HIR_DTYPE_COMPLEX_FLOAT ? HIR_DTYPE_FLOAT
                                              : dtype;
  if (strcmp (name, "complex") == 0)
    return dtype == HIR_DTYPE_DOUBLE ? HIR_DTYPE_COMPLEX_DOUBLE : HIR_DTYPE_COMPLEX_FLOAT;
  if (g_str_has_prefix (name, "cum") && !hir_dtype_is_floating_point (dtype) &&
      (strcmp (name, "cumsum") == 0 || strcmp (name, "cumprod") == 0))
    return HIR_DTYPE_INT;
  return dtype;
}

/* Sets @axis to args->dim. */
static gboolean
get_axis (Args *args, guint *axis)
{
  gint64 n = rank_of (args->tensors[0]), dim = args->dim + (args->dim < 0 ? n : 0);

  if (dim >= 0 && dim < n)
    {
      *axis = (guint) dim;
      return TRUE;
    }
  hir_py_raise (args->call->py, "IndexError",
                "fd.ops.%s: axis %" G_GINT64_FORMAT
                " is out of range: the tensor has %" G_GINT64_FORMAT " axes",
                args->op->name, args->dim, n);
  return FALSE;
}

/* Returns FALSE after raising an error if types of operands do not fit each other. */
static gboolean
check_types (Args *args)
{
  const Shape shape = args->op->shape;
  HirDType first = args->n_tensors > 0 ? args->tensors[0]->base.dtype : HIR_DTYPE_NULL;
  HirTensor *index = shape == SHAPE_INDEX || shape == SHAPE_SELECT || shape == SHAPE_SCATTER
                         ? args->tensors[1]
                         : NULL;
  HirVal *other = shape == SHAPE_SCATTER ? args->inputs[2] : NULL;

  if (strcmp (args->op->name, "complex") == 0)
    other = HIR_VAL (args->tensors[1]);
  if (index != NULL && !hir_dtype_is_integral (index->base.dtype))
    hir_py_raise (args->call->py, "TypeError", "fd.ops.%s: the index has type %s, not int",
                  args->op->name, hir_dtype_get_short_name (index->base.dtype));
  else if (other != NULL && (HIR_IS_TENSOR (other) ? other->dtype != first
                                                   : hir_dtype_is_floating_point (other->dtype) &&
                                                         hir_dtype_is_integral (first)))
    hir_py_raise (args->call->py, "TypeError",
                  "fd.ops.%s: operands of type %s and %s; cast one of them", args->op->name,
                  hir_dtype_get_short_name (first), hir_dtype_get_short_name (other->dtype));
  return args->call->py->signal == HIR_PY_GO;
}

static HirPyValue
dispatch (Args *args)
{
  const Shape shape = args->op->shape;
  guint axis = 0;

  if ((shape == SHAPE_SELECT || shape == SHAPE_TOPK || shape == SHAPE_INDEX ||
       shape == SHAPE_SCATTER) &&
      !get_axis (args, &axis))
    return hir_py_none ();
  if (!check_types (args))
    return hir_py_none ();
  args->axis = axis;
  switch (shape)
    {
    case SHAPE_SAME:
    case SHAPE_SCATTER:
      return same (args, args->tensors[0], 0, same_type (args));
    case SHAPE_INDICES:
      return same (args, args->tensors[0], 0, HIR_DTYPE_INT);
    case SHAPE_INDEX:
      return same (args, args->tensors[1], 0, args->tensors[0]->base.dtype);
    case SHAPE_SELECT:
      return make_select (args, axis);
    case SHAPE_TOPK:
      return make_topk (args, axis);
    case SHAPE_EMBEDDING:
      return rank_of (args->tensors[1]) > 0
                 ? make_embedding (args)
                 : hir_py_raise (args->call->py, "ValueError",
                                 "embedding_fwd: the weight has no axes");
    case SHAPE_SDPA:
      return rank_of (args->tensors[0]) >= 3 &&
                     rank_of (args->tensors[2]) == rank_of (args->tensors[0])
                 ? make_sdpa (args)
                 : hir_py_raise (args->call->py, "ValueError",
                                 "sdpfa_fwd takes query, key and value of the same number of axes");
    case SHAPE_SDPA_GRAD:
      return make_sdpa_grad (args);
    case SHAPE_PRODUCT:
    case SHAPE_SCALED:
      return make_product (args);
    case SHAPE_QUANTIZE:
      return make_quantize (args);
    case SHAPE_RANDOM:
    default:
      return make_random (args);
    }
}

gboolean
hir_py_op_is_opaque (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
    if (strcmp (ops[i].name, name) == 0)
      return TRUE;
  return FALSE;
}

HirPyValue
hir_py_op_opaque (HirPyOpCall *call)
{
  Args args = { .call = call, .k = hir_py_none () };

  for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
    if (strcmp (ops[i].name, call->name) == 0)
      args.op = &ops[i];
  if (!take_args (&args))
    return hir_py_none ();
  for (guint i = 0; i < args.n_tensors; i++)
    if (rank_of (args.tensors[i]) > HIR_OPAQUE_MAX_AXES - 2)
      return hir_py_fail (call->py, HIR_ERROR_UNSUPPORTED,
                          "fd.ops.%s: a tensor has more than %d axes", call->name,
                          HIR_OPAQUE_MAX_AXES - 2);
  return dispatch (&args);
}
