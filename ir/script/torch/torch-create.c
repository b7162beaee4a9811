/* Creates torch tensors, of which shape, dtype and strides are known without running torch. */
#include "script/interp.h"
#include "script/parse/lex.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* torch's names of types; the first name of a type is its repr. */
static const struct
{
  const char *name;
  HirDType dtype;
} dtypes[] = {
  { "float32", HIR_DTYPE_FLOAT },
  { "float", HIR_DTYPE_FLOAT },
  { "float16", HIR_DTYPE_HALF },
  { "half", HIR_DTYPE_HALF },
  { "bfloat16", HIR_DTYPE_BFLOAT16 },
  { "float64", HIR_DTYPE_DOUBLE },
  { "double", HIR_DTYPE_DOUBLE },
  { "int8", HIR_DTYPE_CHAR },
  { "int16", HIR_DTYPE_SHORT },
  { "short", HIR_DTYPE_SHORT },
  { "int32", HIR_DTYPE_INT32 },
  { "int", HIR_DTYPE_INT32 },
  { "int64", HIR_DTYPE_INT },
  { "long", HIR_DTYPE_INT },
  { "uint8", HIR_DTYPE_BYTE },
  { "uint16", HIR_DTYPE_UINT16 },
  { "uint32", HIR_DTYPE_UINT32 },
  { "uint64", HIR_DTYPE_UINT64 },
  { "bool", HIR_DTYPE_BOOL },
  { "float8_e4m3fn", HIR_DTYPE_FLOAT8_E4M3FN },
  { "float8_e5m2", HIR_DTYPE_FLOAT8_E5M2 },
  { "float8_e8m0fnu", HIR_DTYPE_FLOAT8_E8M0FNU },
  { "float4_e2m1fn_x2", HIR_DTYPE_FLOAT4_E2M1FN },
  { "complex64", HIR_DTYPE_COMPLEX_FLOAT },
  { "cfloat", HIR_DTYPE_COMPLEX_FLOAT },
  { "complex128", HIR_DTYPE_COMPLEX_DOUBLE },
  { "cdouble", HIR_DTYPE_COMPLEX_DOUBLE },
};

gboolean
hir_py_torch_lookup_dtype (const char *name, HirDType *dtype)
{
  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    if (strcmp (dtypes[i].name, name) == 0)
      {
        *dtype = dtypes[i].dtype;
        return TRUE;
      }
  return FALSE;
}

HirPyValue
hir_py_torch_dtype (HirPy *py, HirDType dtype)
{
  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    if (dtypes[i].dtype == dtype)
      return hir_py_enum (py, HIR_PY_ENUM_TORCH, dtype,
                          hir_py_printf (py, "torch.%s", dtypes[i].name));
  return hir_py_opaque (py, NULL, "torch.dtype");
}

HirPyValue
hir_py_torch_new (
    HirPy *py, const gint64 *shape, guint n_dims, HirDType dtype, gboolean is_cpu, const char *path)
{
  HirPyTorch *torch = hir_py_new (py, HirPyTorch);
  HirPyValue value = hir_py_opaque (py, NULL, "%s", path);
  gint64 stride = 1;

  torch->shape = hir_py_alloc (py, MAX (n_dims, 1) * sizeof (gint64));
  torch->strides = hir_py_alloc (py, MAX (n_dims, 1) * sizeof (gint64));
  torch->n_dims = n_dims;
  torch->dtype = dtype;
  torch->is_cpu = is_cpu;
  for (guint i = n_dims; i-- > 0;)
    {
      torch->shape[i] = shape[i];
      torch->strides[i] = stride;
      if (shape[i] < 0 || __builtin_mul_overflow (stride, MAX (shape[i], 1), &stride))
        return hir_py_raise (py, "RuntimeError", "%s: these sizes are not those of a tensor", path);
    }
  value.opaque->torch = torch;
  return value;
}

/* Returns FALSE if the value is not a known int. */
static gboolean
to_size (HirPyValue value, gint64 *size)
{
  value = hir_py_torch_number (value);
  if (value.type != HIR_PY_INT && value.type != HIR_PY_BOOL)
    return FALSE;
  *size = value.i;
  return TRUE;
}

gint64 *
hir_py_torch_take_sizes (HirPy *py, HirPyArgs *args, guint first, guint *n)
{
  HirPyValue value = hir_py_none ();
  HirPyValue *items = args->items + MIN (first, args->n);
  gint64 *sizes;

  *n = args->n > first ? args->n - first : 0;
  if (*n == 0)
    {
      if (!hir_py_arg (py, args, G_MAXUINT, "size", &value) &&
          !hir_py_arg (py, args, G_MAXUINT, "shape", &value))
        return NULL;
      items = &value;
      *n = 1;
    }
  if (items[0].type == HIR_PY_LIST || items[0].type == HIR_PY_TUPLE)
    {
      *n = items[0].list->n;
      items = items[0].list->items;
    }
  if (*n > HIR_PY_MAX_AXES)
    return NULL;
  sizes = g_new (gint64, MAX (*n, 1));
  for (guint i = 0; i < *n; i++)
    if (!to_size (items[i], &sizes[i]))
      {
        g_free (sizes);
        return NULL;
      }
  return sizes;
}

/* Reads dtype= and device=. Returns FALSE if the type is not known. */
static gboolean
take_options (HirPy *py, HirPyArgs *args, HirDType *dtype, gboolean *is_cpu)
{
  HirPyValue value = hir_py_none ();

  if (hir_py_arg (py, args, G_MAXUINT, "dtype", &value) && value.type != HIR_PY_NONE)
    {
      if (value.type != HIR_PY_ENUM || value.enumeration->kind != HIR_PY_ENUM_TORCH)
        return FALSE;
      *dtype = value.enumeration->value;
    }
  if (hir_py_arg (py, args, G_MAXUINT, "device", &value))
    *is_cpu = value.type == HIR_PY_STRING ? g_str_has_prefix (value.string->text, "cpu") : FALSE;
  return TRUE;
}

/* Sets the shape and the type of nested lists of numbers. Returns FALSE if they are not known. */
static gboolean
measure (HirPyValue value, GArray *shape, guint depth, HirDType *dtype)
{
  gint64 n;

  if (value.type == HIR_PY_LIST || value.type == HIR_PY_TUPLE)
    {
      n = value.list->n;
      if (depth >= 8)
        return FALSE;
      if (shape->len == depth)
        g_array_append_val (shape, n);
      for (guint i = 0; i < value.list->n; i++)
        if (!measure (value.list->items[i], shape, depth + 1, dtype))
          return FALSE;
      return g_array_index (shape, gint64, depth) == n;
    }
  if (!hir_py_is_number (value) || shape->len > depth)
    return FALSE;
  if (value.type == HIR_PY_FLOAT)
    *dtype = HIR_DTYPE_FLOAT;
  else if (value.type == HIR_PY_INT && *dtype != HIR_DTYPE_FLOAT)
    *dtype = HIR_DTYPE_INT;
  return TRUE;
}

static HirPyValue
from_data (HirPy *py, HirPyArgs *args)
{
  g_autoptr (GArray) shape = g_array_new (FALSE, FALSE, sizeof (gint64));
  HirDType dtype = HIR_DTYPE_BOOL;
  gboolean is_cpu = TRUE;
  HirPyValue data = hir_py_none (), tensor;

  if (!hir_py_arg (py, args, 0, "data", &data) || !measure (data, shape, 0, &dtype))
    return hir_py_none ();
  if (shape->len > 0 && g_array_index (shape, gint64, 0) == 0)
    dtype = HIR_DTYPE_FLOAT;
  if (!take_options (py, args, &dtype, &is_cpu))
    return hir_py_none ();
  tensor = hir_py_torch_new (py, (const gint64 *) shape->data, shape->len, dtype, is_cpu,
                             "torch.tensor()");
  if (tensor.type == HIR_PY_OPAQUE)
    hir_py_torch_set_list (py, tensor, data);
  return tensor;
}

static HirPyValue
like (HirPy *py, const char *name, HirPyArgs *args)
{
  HirPyValue of = hir_py_none ();
  HirDType dtype;
  gboolean is_cpu;

  if (!hir_py_arg (py, args, 0, "input", &of) || of.type != HIR_PY_OPAQUE ||
      of.opaque->torch == NULL)
    return hir_py_none ();
  dtype = of.opaque->torch->dtype;
  is_cpu = of.opaque->torch->is_cpu;
  if (!take_options (py, args, &dtype, &is_cpu))
    return hir_py_none ();
  return hir_py_torch_new (py, of.opaque->torch->shape, of.opaque->torch->n_dims, dtype, is_cpu,
                           hir_py_printf (py, "torch.%s()", name));
}

/* The number of elements of arange (start, stop, step) of ints. */
static HirPyValue
range_of (HirPy *py, HirPyArgs *args)
{
  gint64 start = 0, stop = 0, step = 1, n;
  HirDType dtype = HIR_DTYPE_INT;
  gboolean is_cpu = TRUE;

  if (args->n == 0 || args->n > 3)
    return hir_py_none ();
  for (guint i = 0; i < args->n; i++)
    if (args->items[i].type != HIR_PY_INT)
      return hir_py_none ();
  stop = args->items[args->n > 1 ? 1 : 0].i;
  if (args->n > 1)
    start = args->items[0].i;
  if (args->n > 2)
    step = args->items[2].i;
  if (step == 0 || step == G_MININT64 || !take_options (py, args, &dtype, &is_cpu) ||
      __builtin_sub_overflow (stop, start, &n))
    return hir_py_none ();
  n = (n > 0) == (step > 0) ? n / step + (n % step != 0 ? 1 : 0) : 0;
  return hir_py_torch_new (py, &n, 1, dtype, is_cpu, "torch.arange()");
}

static HirPyValue
square (HirPy *py, const char *name, HirPyArgs *args, guint n_dims, HirDType dtype)
{
  gint64 shape[2];
  gboolean is_cpu = TRUE;

  if (args->n == 0 || !to_size (args->items[0], &shape[0]))
    return hir_py_none ();
  shape[1] = shape[0];
  if (args->n > 1 && !to_size (args->items[1], &shape[1]))
    return hir_py_none ();
  if (!take_options (py, args, &dtype, &is_cpu))
    return hir_py_none ();
  return hir_py_torch_new (py, shape, n_dims, dtype, is_cpu,
                           hir_py_printf (py, "torch.%s()", name));
}

#define COMMAND_LINE_SIZE 64

/* Replaces sizes from the command line of the script, which are unknown. */
static void
choose_sizes (HirPy *py, HirPyArgs *args, guint first)
{
  HirPyValue *items = hir_py_alloc (py, MAX (args->n, 1) * sizeof (HirPyValue));

  for (guint i = 0; items != NULL && i < args->n; i++)
    {
      const char *path = args->items[i].type == HIR_PY_OPAQUE ? args->items[i].opaque->path : "";

      items[i] = args->items[i];
      if (i < first || strstr (path, "parse_args()") == NULL)
        continue;
      items[i] = hir_py_int (COMMAND_LINE_SIZE);
      hir_py_note (py, "the size %s is not known here; %d is taken", path, COMMAND_LINE_SIZE);
    }
  args->items = items != NULL ? items : args->items;
}

/* The functions whose result has the given sizes. @sizes is the index of the sizes; @n_max of those
 * by position, or -1 if all that follow are sizes. */
static HirPyValue
of_sizes (HirPy *py, const char *name, HirPyArgs *args)
{
  static const struct
  {
    const char *name;
    guint first;
    gboolean has_more; /* the sizes are one sequence and other arguments may follow */
    HirDType dtype;
  } functions[] = {
    { "randn", 0, FALSE, HIR_DTYPE_FLOAT },      { "rand", 0, FALSE, HIR_DTYPE_FLOAT },
    { "empty", 0, FALSE, HIR_DTYPE_FLOAT },      { "zeros", 0, FALSE, HIR_DTYPE_FLOAT },
    { "ones", 0, FALSE, HIR_DTYPE_FLOAT },       { "full", 0, TRUE, HIR_DTYPE_NULL },
    { "make_tensor", 0, FALSE, HIR_DTYPE_NULL }, { "randint", 1, TRUE, HIR_DTYPE_INT },
    { "normal", 2, TRUE, HIR_DTYPE_FLOAT },
  };

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    if (strcmp (functions[i].name, name) == 0)
      {
        HirPyArgs given = *args;
        guint first = functions[i].first, n = 0;
        HirDType dtype = functions[i].dtype;
        gboolean is_cpu = TRUE;
        g_autofree gint64 *sizes = NULL;
        HirPyValue fill = hir_py_none (), tensor;

        /* randint ([low,] high, size) */
        if (strcmp (name, "randint") == 0 && args->n > 1 && args->items[1].type != HIR_PY_LIST &&
            args->items[1].type != HIR_PY_TUPLE)
          first = 2;
        if (dtype == HIR_DTYPE_NULL && strcmp (name, "full") == 0)
          {
            hir_py_arg (py, args, 1, "fill_value", &fill);
            dtype = fill.type == HIR_PY_FLOAT  ? HIR_DTYPE_FLOAT
                    : fill.type == HIR_PY_INT  ? HIR_DTYPE_INT
                    : fill.type == HIR_PY_BOOL ? HIR_DTYPE_BOOL
                                               : HIR_DTYPE_NULL;
          }
        if (functions[i].has_more)
          given.n = MIN (args->n, first + 1);
        choose_sizes (py, &given, first);
        sizes = hir_py_torch_take_sizes (py, &given, first, &n);
        if (sizes == NULL || !take_options (py, args, &dtype, &is_cpu) || dtype == HIR_DTYPE_NULL)
          return hir_py_none ();
        tensor =
            hir_py_torch_new (py, sizes, n, dtype, is_cpu, hir_py_printf (py, "torch.%s()", name));
        if (strcmp (name, "zeros") == 0 || strcmp (name, "ones") == 0)
          fill = hir_py_int (name[0] == 'o');
        if (tensor.type == HIR_PY_OPAQUE)
          hir_py_torch_fill (py, tensor, fill);
        return tensor;
      }
  return hir_py_none ();
}

/* Element by element functions of one or two tensors. */
static HirPyValue
elementwise (HirPy *py, const char *name, HirPyArgs *args)
{
  static const char *const one[] = { "abs",     "exp",  "log",  "neg",     "relu",       "sigmoid",
                                     "sin",     "cos",  "tanh", "sqrt",    "rsqrt",      "round",
                                     "sign",    "erf",  "gelu", "silu",    "clone",      "clamp",
                                     "softmax", "triu", "tril", "squeeze", "reciprocal", NULL };
  static const struct
  {
    const char *name;
    HirTokenKind op;
  } two[] = {
    { "add", HIR_TOKEN_PLUS },  { "sub", HIR_TOKEN_MINUS }, { "mul", HIR_TOKEN_STAR },
    { "div", HIR_TOKEN_SLASH }, { "eq", HIR_TOKEN_EQ },     { "gt", HIR_TOKEN_GT },
    { "lt", HIR_TOKEN_LT },     { "ge", HIR_TOKEN_GE },     { "le", HIR_TOKEN_LE },
    { "matmul", HIR_TOKEN_AT },
  };

  if (strcmp (name, "_f32_to_floatx_unpacked") == 0)
    {
      HirPyArgs first = { .items = args->items, .n = MIN (args->n, 1), .callee = name };
      HirPyValue bytes = like (py, name, &first);

      if (bytes.type == HIR_PY_OPAQUE)
        bytes = hir_py_torch_new (py, bytes.opaque->torch->shape, bytes.opaque->torch->n_dims,
                                  HIR_DTYPE_BYTE, FALSE, "torch.uint8");
      return bytes;
    }
  if (args->n >= 1 && g_strv_contains (one, name) && strcmp (name, "squeeze") != 0)
    return like (py, name, args);
  for (guint i = 0; i < G_N_ELEMENTS (two) && args->n == 2; i++)
    if (strcmp (two[i].name, name) == 0)
      return hir_py_torch_operator (py, two[i].op, args->items[0], args->items[1]);
  return hir_py_none ();
}

/* torch.permute (x, ...) is x.permute (...). */
static HirPyValue
as_method (HirPy *py, const char *name, HirPyArgs *args)
{
  static const char *const methods[] = { "permute",   "transpose", "reshape",    "squeeze",
                                         "unsqueeze", "flatten",   "as_strided", "sum",
                                         "mean",      "amax",      "unflatten",  "numel",
                                         "narrow",    "split",     "chunk",      NULL };
  HirPyArgs rest = *args;
  HirPyValue method, result;

  if (args->n == 0 || args->items[0].type != HIR_PY_OPAQUE ||
      args->items[0].opaque->torch == NULL || !g_strv_contains (methods, name))
    return hir_py_none ();
  method = hir_py_torch_get (py, args->items[0], name);
  rest.items++;
  rest.n--;
  return hir_py_torch_method (py, method, &rest, &result) ? result : hir_py_none ();
}

/* torch.cat (tensors, dim), torch.stack (tensors, dim) */
static HirPyValue
join (HirPy *py, HirPyArgs *args, gboolean is_stack)
{
  const gint64 zero = 0;
  HirPyValue value = hir_py_none ();
  gint64 dim = hir_py_arg_int (py, args, 1, "dim", &zero), shape[HIR_PY_MAX_AXES], total = 0;
  const HirPyTorch *first;
  HirPyList *list;
  guint n = 0;

  if (!hir_py_arg (py, args, 0, "tensors", &value) ||
      (value.type != HIR_PY_LIST && value.type != HIR_PY_TUPLE) || value.list->n == 0)
    return hir_py_none ();
  list = value.list;
  for (guint i = 0; i < list->n; i++)
    if (list->items[i].type != HIR_PY_OPAQUE || list->items[i].opaque->torch == NULL)
      return hir_py_none ();
  first = list->items[0].opaque->torch;
  if (dim < 0)
    dim += first->n_dims + is_stack;
  if (dim < 0 || dim >= (gint64) first->n_dims + is_stack || first->n_dims + 1 > HIR_PY_MAX_AXES)
    return hir_py_none ();
  for (guint i = 0; i < list->n; i++)
    {
      const HirPyTorch *torch = list->items[i].opaque->torch;

      if (torch->n_dims != first->n_dims)
        return hir_py_none ();
      total += is_stack ? 1 : torch->shape[dim];
    }
  for (guint i = 0; i < first->n_dims; i++)
    {
      if (is_stack && (gint64) i == dim)
        shape[n++] = total;
      shape[n++] = !is_stack && (gint64) i == dim ? total : first->shape[i];
    }
  if (n < first->n_dims + is_stack)
    shape[n++] = total;
  return hir_py_torch_new (py, shape, n, first->dtype, first->is_cpu,
                           is_stack ? "torch.stack()" : "torch.cat()");
}

/* Replaces arrays of known ints, such as torch.arange (8), by tensors. */
static void
forget_data (HirPy *py, HirPyArgs *args)
{
  HirPyValue *items = hir_py_alloc (py, MAX (args->n, 1) * sizeof (HirPyValue));

  for (guint i = 0; items != NULL && i < args->n; i++)
    items[i] =
        args->items[i].type == HIR_PY_ARRAY
            ? hir_py_torch_new (py, args->items[i].array->shape, args->items[i].array->n_dims,
                                HIR_DTYPE_INT, FALSE, "torch.arange()")
            : args->items[i];
  args->items = items;
}

/* torch.finfo (dtype), torch.iinfo (dtype): see hir_py_torch_limit(). */
static HirPyValue
limits_of (HirPy *py, const char *name, HirPyArgs *args)
{
  HirPyValue dtype = hir_py_none ();

  if (!hir_py_arg (py, args, 0, "type", &dtype) && name[0] == 'f')
    dtype = hir_py_torch_dtype (py, HIR_DTYPE_FLOAT);
  return dtype.type == HIR_PY_ENUM && dtype.enumeration->kind == HIR_PY_ENUM_TORCH
             ? hir_py_opaque (py, NULL, "torch.%s(%d)", name, dtype.enumeration->value)
             : hir_py_none ();
}

typedef struct
{
  HirDType dtype;
  double max, tiny, eps;
} Limits;

static const Limits limits[] = {
  { HIR_DTYPE_DOUBLE, DBL_MAX, DBL_MIN, DBL_EPSILON },
  { HIR_DTYPE_FLOAT, FLT_MAX, FLT_MIN, FLT_EPSILON },
  { HIR_DTYPE_HALF, 65504, 0x1p-14, 0x1p-10 },
  { HIR_DTYPE_BFLOAT16, 0x1.fep127, 0x1p-126, 0x1p-7 },
  { HIR_DTYPE_FLOAT8_E4M3FN, 448, 0x1p-6, 0x1p-3 },
  { HIR_DTYPE_FLOAT8_E5M2, 57344, 0x1p-14, 0x1p-2 },
  { HIR_DTYPE_FLOAT4_E2M1FN, 6, 1, 0.5 },
};

static HirPyValue
int_limit (HirDType dtype, gboolean is_max)
{
  guint bits = 8 * (guint) hir_dtype_get_size_bytes (dtype);
  gboolean is_unsigned = dtype == HIR_DTYPE_BYTE || dtype == HIR_DTYPE_UINT16 ||
                         dtype == HIR_DTYPE_UINT32 || dtype == HIR_DTYPE_UINT64;
  gint64 largest = (gint64) (G_MAXUINT64 >> (64 - bits + !is_unsigned));

  return hir_py_int (is_max ? largest : is_unsigned ? 0 : -largest - 1);
}

gboolean
hir_py_torch_limit (const char *path, const char *name, HirPyValue *value)
{
  HirDType dtype;

  if (!g_str_has_prefix (path, "torch.finfo(") && !g_str_has_prefix (path, "torch.iinfo("))
    return FALSE;
  dtype = (HirDType) atoi (path + strlen ("torch.finfo("));
  if (path[6] == 'i' && dtype != HIR_DTYPE_UINT64 &&
      (strcmp (name, "max") == 0 || strcmp (name, "min") == 0))
    {
      *value = int_limit (dtype, strcmp (name, "max") == 0);
      return TRUE;
    }
  for (guint i = 0; i < G_N_ELEMENTS (limits) && path[6] == 'f'; i++)
    if (limits[i].dtype == dtype)
      {
        gboolean is_tiny = strcmp (name, "tiny") == 0 || strcmp (name, "smallest_normal") == 0;

        *value = hir_py_float (strcmp (name, "max") == 0   ? limits[i].max
                               : strcmp (name, "min") == 0 ? -limits[i].max
                               : is_tiny                   ? limits[i].tiny
                                                           : limits[i].eps);
        return is_tiny ||
               g_strv_contains ((const char *const[]){ "max", "min", "eps", NULL }, name);
      }
  return FALSE;
}

gboolean
hir_py_torch_call (HirPy *py, const char *name, HirPyArgs *args, HirPyValue *result)
{
  if (strcmp (name, "Size") == 0 && args->n == 1)
    {
      *result = (HirPyValue){ .type = HIR_PY_TUPLE,
                              .list = hir_py_to_list (py, args->items[0], "torch.Size") };
      return TRUE;
    }
  /* torch.ones_like (x), where x is a DTensor */
  if (args->n > 0 && args->items[0].type == HIR_PY_INSTANCE &&
      hir_py_class_lookup (py, args->items[0].instance->class, name) != NULL)
    {
      HirPyValue method = hir_py_get_attribute (py, args->items[0], name);

      args->items++;
      args->n--;
      *result = hir_py_call (py, method, args);
      return TRUE;
    }
  forget_data (py, args);
  *result = of_sizes (py, name, args);
  if (result->type == HIR_PY_NONE && g_str_has_suffix (name, "_like"))
    *result = like (py, name, args);
  if (result->type == HIR_PY_NONE &&
      (strcmp (name, "tensor") == 0 || strcmp (name, "as_tensor") == 0))
    *result = from_data (py, args);
  if (strcmp (name, "finfo") == 0 || strcmp (name, "iinfo") == 0)
    *result = limits_of (py, name, args);
  if (result->type == HIR_PY_NONE && strcmp (name, "arange") == 0)
    *result = range_of (py, args);
  if (result->type == HIR_PY_NONE && (strcmp (name, "eye") == 0 || strcmp (name, "randperm") == 0))
    *result = square (py, name, args, name[0] == 'e' ? 2 : 1,
                      name[0] == 'e' ? HIR_DTYPE_FLOAT : HIR_DTYPE_INT);
  if (result->type == HIR_PY_NONE &&
      (strcmp (name, "cat") == 0 || strcmp (name, "concat") == 0 || strcmp (name, "stack") == 0))
    *result = join (py, args, name[0] == 's');
  if (result->type == HIR_PY_NONE)
    *result = elementwise (py, name, args);
  if (result->type == HIR_PY_NONE)
    *result = as_method (py, name, args);
  return result->type != HIR_PY_NONE || py->signal != HIR_PY_GO;
}
