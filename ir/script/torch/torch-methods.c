/* Attributes, methods and operators of torch tensors: their effect on shape, dtype and strides. */
#include "script/interp.h"
#include "script/parse/lex.h"

#include <string.h>

static HirPyValue
make (HirPy *py, const HirPyTorch *torch, const char *path)
{
  HirPyValue value = hir_py_opaque (py, NULL, "%s", path);

  value.opaque->torch = torch;
  return value;
}

/* Returns a copy of @torch with room for @n_dims axes and unknown elements. */
static HirPyTorch *
copy (HirPy *py, const HirPyTorch *torch, guint n_dims)
{
  HirPyTorch *result = hir_py_new (py, HirPyTorch);
  gsize size = MAX (n_dims, 1) * sizeof (gint64);

  *result = *torch;
  result->data = NULL;
  result->shape = hir_py_alloc (py, size);
  result->strides = hir_py_alloc (py, size);
  result->n_dims = n_dims;
  for (guint i = 0; i < MIN (n_dims, torch->n_dims); i++)
    {
      result->shape[i] = torch->shape[i];
      result->strides[i] = torch->strides[i];
    }
  return result;
}

static HirPyValue
ints (HirPy *py, const gint64 *items, guint n)
{
  HirPyValue tuple = hir_py_list (py, HIR_PY_TUPLE, n);

  for (guint i = 0; i < tuple.list->n; i++)
    tuple.list->items[i] = hir_py_int (items[i]);
  return tuple;
}

static gint64
count (const HirPyTorch *torch)
{
  gint64 n = 1;

  for (guint i = 0; i < torch->n_dims; i++)
    n *= torch->shape[i];
  return n;
}

static gboolean
is_contiguous (const HirPyTorch *torch)
{
  gint64 stride = 1;

  for (guint i = torch->n_dims; i-- > 0;)
    {
      if (torch->shape[i] != 1 && torch->strides[i] != stride)
        return FALSE;
      stride *= torch->shape[i];
    }
  return TRUE;
}

HirPyValue
hir_py_torch_get (HirPy *py, HirPyValue tensor, const char *name)
{
  const HirPyTorch *torch = tensor.opaque->torch;
  HirPyValue value;

  if (strcmp (name, "shape") == 0)
    return ints (py, torch->shape, torch->n_dims);
  if (strcmp (name, "ndim") == 0)
    return hir_py_int (torch->n_dims);
  if (strcmp (name, "dtype") == 0)
    return hir_py_torch_dtype (py, torch->dtype);
  if (strcmp (name, "data") == 0)
    return tensor;
  if (strcmp (name, "itemsize") == 0)
    return hir_py_int ((gint64) hir_dtype_get_size_bytes (torch->dtype));
  if (strcmp (name, "is_cpu") == 0 || strcmp (name, "is_cuda") == 0)
    return hir_py_bool (torch->is_cpu == (name[4] == 'p'));
  if (strcmp (name, "T") == 0 || strcmp (name, "H") == 0 ||
      ((strcmp (name, "mT") == 0 || strcmp (name, "mH") == 0) && torch->n_dims >= 2))
    {
      guint n = torch->n_dims, first = name[0] == 'm' ? n - 2 : 0;
      HirPyTorch *result = copy (py, torch, n);

      for (guint i = first; i < n; i++)
        {
          result->shape[i] = torch->shape[n - 1 - (i - first)];
          result->strides[i] = torch->strides[n - 1 - (i - first)];
        }
      result->data = torch->data;
      return make (py, result, tensor.opaque->path);
    }
  value = hir_py_opaque (py, tensor.opaque, "%s.%s", tensor.opaque->path, name);
  value.opaque->of = torch;
  return value;
}

/* Sets @axis to a known axis argument. */
static gboolean
take_axis (HirPy *py, HirPyArgs *args, guint index, const char *name, guint n_dims, guint *axis)
{
  HirPyValue value = hir_py_none ();

  if (!hir_py_arg (py, args, index, name, &value) || value.type != HIR_PY_INT ||
      value.i < -(gint64) n_dims || value.i >= (gint64) n_dims)
    return FALSE;
  *axis = (guint) (value.i < 0 ? value.i + n_dims : value.i);
  return TRUE;
}

static HirPyValue
permute (HirPy *py, const HirPyTorch *torch, HirPyArgs *args, const char *path)
{
  guint n;
  g_autofree gint64 *dims = hir_py_torch_take_sizes (py, args, 0, &n);
  HirPyTorch *result;

  if (dims == NULL || n != torch->n_dims)
    return hir_py_none ();
  result = copy (py, torch, n);
  for (guint i = 0; i < n; i++)
    {
      gint64 axis = dims[i] < 0 ? dims[i] + n : dims[i];

      if (axis < 0 || axis >= (gint64) n)
        return hir_py_none ();
      result->shape[i] = torch->shape[axis];
      result->strides[i] = torch->strides[axis];
    }
  return make (py, result, path);
}

static HirPyValue
transpose (HirPy *py, const HirPyTorch *torch, HirPyArgs *args, const char *name, const char *path)
{
  HirPyTorch *result;
  guint a = 0, b = 1;

  if (strcmp (name, "t") == 0 ? torch->n_dims != 2
                              : !take_axis (py, args, 0, "dim0", torch->n_dims, &a) ||
                                    !take_axis (py, args, 1, "dim1", torch->n_dims, &b))
    return hir_py_none ();
  result = copy (py, torch, torch->n_dims);
  result->shape[a] = torch->shape[b];
  result->strides[a] = torch->strides[b];
  result->shape[b] = torch->shape[a];
  result->strides[b] = torch->strides[a];
  return make (py, result, path);
}

static HirPyValue
reshape (HirPy *py, const HirPyTorch *torch, HirPyArgs *args, const char *path)
{
  guint n, unknown = G_MAXUINT;
  g_autofree gint64 *sizes = hir_py_torch_take_sizes (py, args, 0, &n);
  gint64 total = count (torch), product = 1;
  HirPyValue result;

  if (sizes == NULL)
    return hir_py_none ();
  for (guint i = 0; i < n; i++)
    if (sizes[i] == -1 && unknown == G_MAXUINT)
      unknown = i;
    else if (sizes[i] < 0 || __builtin_mul_overflow (product, sizes[i], &product))
      return hir_py_none ();
  if (unknown != G_MAXUINT && product > 0 && total % product == 0)
    {
      sizes[unknown] = total / product;
      product = total;
    }
  if (product != total)
    return hir_py_raise (py, "RuntimeError",
                         "the shape is not that of a tensor of %" G_GINT64_FORMAT " elements",
                         total);
  result = hir_py_torch_new (py, sizes, n, torch->dtype, torch->is_cpu, path);
  if (result.type == HIR_PY_OPAQUE && is_contiguous (torch))
    ((HirPyTorch *) result.opaque->torch)->data = torch->data;
  return result;
}

/* split (size, dim), chunk (n, dim) */
static HirPyValue
split (HirPy *py, const HirPyTorch *torch, HirPyArgs *args, gboolean is_chunk, const char *path)
{
  HirPyValue size = hir_py_none (), unused, parts = hir_py_list (py, HIR_PY_TUPLE, 0);
  guint axis = 0;
  gint64 each, length;

  if (torch->n_dims == 0 || !hir_py_arg (py, args, 0, is_chunk ? "chunks" : "split_size", &size) ||
      (hir_py_arg (py, args, 1, "dim", &unused) &&
       !take_axis (py, args, 1, "dim", torch->n_dims, &axis)))
    return hir_py_none ();
  length = torch->shape[axis];
  each = size.type != HIR_PY_INT  ? 0
         : is_chunk && size.i > 0 ? (length + size.i - 1) / size.i
                                  : size.i;
  if (size.type == HIR_PY_INT && each <= 0)
    return hir_py_none ();
  if (size.type != HIR_PY_INT && size.type != HIR_PY_LIST && size.type != HIR_PY_TUPLE)
    return hir_py_none ();
  for (guint i = 0; size.type == HIR_PY_INT ? length > 0 : i < size.list->n; i++)
    {
      HirPyTorch *part = copy (py, torch, torch->n_dims);
      HirPyValue own =
          size.type == HIR_PY_INT ? hir_py_int (MIN (each, length)) : size.list->items[i];

      if (own.type != HIR_PY_INT || own.i < 0 || own.i > length || !hir_py_step (py, 1))
        return hir_py_none ();
      part->shape[axis] = own.i;
      length -= own.i;
      hir_py_list_append (py, parts.list, make (py, part, path));
    }
  return parts;
}

/* squeeze () */
static HirPyValue
squeeze_all (HirPy *py, const HirPyTorch *torch, const char *path)
{
  HirPyTorch *result = copy (py, torch, torch->n_dims);

  result->n_dims = 0;
  for (guint i = 0; i < torch->n_dims; i++)
    if (torch->shape[i] != 1)
      {
        result->shape[result->n_dims] = torch->shape[i];
        result->strides[result->n_dims++] = torch->strides[i];
      }
  return make (py, result, path);
}

/* Returns @result, a dense copy of @torch, with its elements. */
static HirPyValue
keep_data (HirPy *py, const HirPyTorch *torch, HirPyValue result)
{
  if (result.type == HIR_PY_OPAQUE)
    hir_py_torch_copy_data (py, torch, result);
  return result;
}

/* flatten (start_dim, end_dim): a view or a copy, of which only a contiguous one is known. */
static HirPyValue
flatten (HirPy *py, const HirPyTorch *torch, HirPyArgs *args, const char *path)
{
  guint start = 0, end = torch->n_dims - 1, n = 0;
  g_autofree gint64 *shape = g_new0 (gint64, torch->n_dims + 1);
  HirPyValue unused;

  if (torch->n_dims == 0 ||
      (hir_py_arg (py, args, 0, "start_dim", &unused) &&
       !take_axis (py, args, 0, "start_dim", torch->n_dims, &start)) ||
      (hir_py_arg (py, args, 1, "end_dim", &unused) &&
       !take_axis (py, args, 1, "end_dim", torch->n_dims, &end)) ||
      end < start)
    return hir_py_none ();
  for (guint i = 0; i < torch->n_dims; i++)
    if (i > start && i <= end)
      shape[n - 1] *= torch->shape[i];
    else
      shape[n++] = torch->shape[i];
  return keep_data (py, torch, hir_py_torch_new (py, shape, n, torch->dtype, torch->is_cpu, path));
}

/* squeeze (dim), unsqueeze (dim) */
static HirPyValue
change_axis (HirPy *py, const HirPyTorch *torch, HirPyArgs *args, gboolean adds, const char *path)
{
  HirPyTorch *result;
  guint n = torch->n_dims, axis = 0, to = 0;

  if (!take_axis (py, args, 0, "dim", adds ? n + 1 : n, &axis))
    return hir_py_none ();
  if (!adds && torch->shape[axis] != 1)
    return make (py, torch, path);
  result = copy (py, torch, adds ? n + 1 : n - 1);
  for (guint i = 0; i < n; i++)
    {
      if (adds && i == axis)
        to++;
      if (!adds && i == axis)
        continue;
      result->shape[to] = torch->shape[i];
      result->strides[to++] = torch->strides[i];
    }
  if (adds)
    {
      result->shape[axis] = 1;
      result->strides[axis] = axis < n ? torch->shape[axis] * torch->strides[axis] : 1;
    }
  return make (py, result, path);
}

static HirPyValue
expand (HirPy *py, const HirPyTorch *torch, HirPyArgs *args, const char *path)
{
  guint n, lead;
  g_autofree gint64 *sizes = hir_py_torch_take_sizes (py, args, 0, &n);
  HirPyTorch *result;

  if (sizes == NULL || n < torch->n_dims)
    return hir_py_none ();
  lead = n - torch->n_dims;
  result = copy (py, torch, n);
  for (guint i = 0; i < n; i++)
    {
      gint64 old = i < lead ? 1 : torch->shape[i - lead];

      if (old != 1 && sizes[i] != -1 && sizes[i] != old)
        return hir_py_none ();
      result->shape[i] = sizes[i] == -1 ? old : sizes[i];
      result->strides[i] =
          i >= lead && (old != 1 || result->shape[i] == 1) ? torch->strides[i - lead] : 0;
    }
  return make (py, result, path);
}

static HirPyValue
as_strided (HirPy *py, const HirPyTorch *torch, HirPyArgs *args, const char *path)
{
  HirPyValue size = hir_py_none (), stride = hir_py_none ();
  HirPyTorch *result;
  guint n, m;
  g_autofree gint64 *sizes = NULL, *strides = NULL;

  hir_py_arg (py, args, 0, "size", &size);
  hir_py_arg (py, args, 1, "stride", &stride);
  sizes = hir_py_torch_take_sizes (py, &(HirPyArgs){ .items = &size, .n = 1 }, 0, &n);
  strides = hir_py_torch_take_sizes (py, &(HirPyArgs){ .items = &stride, .n = 1 }, 0, &m);
  if (sizes == NULL || strides == NULL || n != m)
    return hir_py_none ();
  result = copy (py, torch, n);
  memcpy (result->shape, sizes, n * sizeof (gint64));
  memcpy (result->strides, strides, n * sizeof (gint64));
  return make (py, result, path);
}

/* to (dtype), to (device), to (device, dtype), type (dtype), view (dtype) of one size. Returns None
 * if a type is not known. */
static HirPyValue
convert (HirPy *py, const HirPyTorch *torch, HirPyArgs *args, gboolean is_view, const char *path)
{
  HirPyTorch *result = copy (py, torch, torch->n_dims);
  HirPyValue value = hir_py_none ();
  gboolean known = FALSE;

  for (guint i = 0; i <= args->n; i++)
    {
      if (i < args->n)
        value = args->items[i];
      else if (!hir_py_arg (py, args, G_MAXUINT, "dtype", &value))
        break;
      if (value.type == HIR_PY_ENUM && value.enumeration->kind == HIR_PY_ENUM_TORCH)
        result->dtype = value.enumeration->value;
      else if (value.type == HIR_PY_OPAQUE && value.opaque->torch != NULL)
        result->dtype = value.opaque->torch->dtype;
      else if (value.type == HIR_PY_OPAQUE && g_str_has_prefix (value.opaque->path, "torch.float"))
        return hir_py_none ();
      if (value.type == HIR_PY_STRING)
        {
          result->is_cpu = g_str_has_prefix (value.string->text, "cpu");
          known = TRUE;
        }
    }
  if (hir_py_arg (py, args, G_MAXUINT, "device", &value))
    result->is_cpu = value.type == HIR_PY_STRING && g_str_has_prefix (value.string->text, "cpu");
  else if (!known && args->n > 0 && args->items[0].type == HIR_PY_OPAQUE)
    result->is_cpu = FALSE;
  if (!is_view && is_contiguous (torch))
    hir_py_torch_copy_data (py, torch, make (py, result, path));
  return make (py, result, path);
}

/* Reductions: sum, mean, amax, ... over dim with keepdim. */
static HirPyValue
reduce (HirPy *py, const HirPyTorch *torch, HirPyArgs *args, const char *path)
{
  HirPyValue dim = hir_py_none ();
  gboolean keep = hir_py_arg_bool (py, args, 1, "keepdim", FALSE), all, *gone;
  gint64 shape[HIR_PY_MAX_AXES];
  guint n = 0, n_dims = 0;
  g_autofree gint64 *dims = NULL;

  all = !hir_py_arg (py, args, 0, "dim", &dim) || dim.type == HIR_PY_NONE;
  if (!all)
    dims = hir_py_torch_take_sizes (py, &(HirPyArgs){ .items = &dim, .n = 1 }, 0, &n_dims);
  if (!all && dims == NULL)
    return hir_py_none ();
  gone = hir_py_alloc (py, (torch->n_dims + 1) * sizeof (gboolean));
  for (guint i = 0; i < n_dims; i++)
    if (dims[i] < -(gint64) torch->n_dims || dims[i] >= (gint64) torch->n_dims)
      return hir_py_none ();
    else
      gone[dims[i] < 0 ? dims[i] + torch->n_dims : dims[i]] = TRUE;
  for (guint i = 0; i < torch->n_dims; i++)
    if (!all && !gone[i])
      shape[n++] = torch->shape[i];
    else if (keep)
      shape[n++] = 1;
  return hir_py_torch_new (py, shape, n, torch->dtype, torch->is_cpu, path);
}

static gboolean
lookup_cast (const char *name, HirDType *dtype)
{
  static const char *const casts[] = { "float", "half",  "double", "bfloat16", "int",
                                       "long",  "short", "bool",   "cfloat",   NULL };

  return g_strv_contains (casts, name) && hir_py_torch_lookup_dtype (name, dtype);
}

static HirPyValue
ask (HirPy *py, const HirPyTorch *torch, const char *name, HirPyArgs *args, gboolean *known)
{
  guint axis;

  *known = TRUE;
  if (strcmp (name, "size") == 0 || strcmp (name, "stride") == 0)
    {
      const gint64 *numbers = name[1] == 'i' ? torch->shape : torch->strides;

      if (args->n == 0 && args->n_named == 0)
        return ints (py, numbers, torch->n_dims);
      if (take_axis (py, args, 0, "dim", torch->n_dims, &axis))
        return hir_py_int (numbers[axis]);
    }
  if (strcmp (name, "dim") == 0 || strcmp (name, "ndimension") == 0)
    return hir_py_int (torch->n_dims);
  if (strcmp (name, "numel") == 0 || strcmp (name, "nelement") == 0)
    return hir_py_int (count (torch));
  if (strcmp (name, "element_size") == 0)
    return hir_py_int ((gint64) hir_dtype_get_size_bytes (torch->dtype));
  if (strcmp (name, "is_contiguous") == 0 && args->n_named == 0)
    return hir_py_bool (is_contiguous (torch));
  if (strcmp (name, "is_floating_point") == 0)
    return hir_py_bool (hir_dtype_is_floating_point (torch->dtype));
  *known = FALSE;
  return hir_py_none ();
}

static HirPyValue
call (HirPy *py, const HirPyTorch *torch, const char *name, HirPyArgs *args, const char *path)
{
  static const char *const same[] = { "cuda",  "clone", "detach",  "requires_grad_", "uniform_",
                                      "fill_", "zero_", "normal_", "random_",        "abs",
                                      "exp",   "neg",   "relu",    "clamp",          "sigmoid",
                                      "triu",  "tril",  "copy_",   "mul_",           "add_",
                                      "div_",  "sub_",  "clamp_",  "abs_",           "round",
                                      "sign",  "sqrt",  "rsqrt",   "tanh",           NULL };
  static const char *const reductions[] = { "sum", "mean", "amax", "amin", "prod",
                                            "std", "var",  "max",  "min",  NULL };
  HirPyTorch *result;
  gboolean is_view = strcmp (name, "view") == 0;
  HirDType dtype;

  if (strcmp (name, "cuda") == 0 || strcmp (name, "cpu") == 0 || g_strv_contains (same, name))
    {
      gboolean is_device = strcmp (name, "cuda") == 0 || strcmp (name, "cpu") == 0;

      result = copy (py, torch, torch->n_dims);
      if (is_device)
        result->is_cpu = name[1] == 'p';
      if (is_device || strcmp (name, "detach") == 0 || strcmp (name, "requires_grad_") == 0)
        result->data = torch->data;
      else if (g_str_has_suffix (name, "_"))
        hir_py_torch_set_all (torch, hir_py_none ());
      else if (strcmp (name, "clone") == 0 && is_contiguous (torch))
        hir_py_torch_copy_data (py, torch, make (py, result, path));
      return make (py, result, path);
    }
  if (strcmp (name, "contiguous") == 0 && args->n_named == 0)
    return keep_data (py, torch,
                      hir_py_torch_new (py, torch->shape, torch->n_dims, torch->dtype,
                                        torch->is_cpu, path));
  if (strcmp (name, "to") == 0 || strcmp (name, "type") == 0 ||
      (is_view && args->n == 1 && args->items[0].type == HIR_PY_ENUM))
    return convert (py, torch, args, is_view, path);
  if (lookup_cast (name, &dtype))
    {
      result = copy (py, torch, torch->n_dims);
      result->dtype = dtype;
      if (is_contiguous (torch))
        hir_py_torch_copy_data (py, torch, make (py, result, path));
      return make (py, result, path);
    }
  if (is_view || strcmp (name, "reshape") == 0)
    return reshape (py, torch, args, path);
  if (strcmp (name, "split") == 0 || strcmp (name, "chunk") == 0)
    return split (py, torch, args, name[0] == 'c', path);
  if (strcmp (name, "flatten") == 0)
    return flatten (py, torch, args, path);
  if (strcmp (name, "squeeze") == 0 && args->n == 0 && args->n_named == 0)
    return squeeze_all (py, torch, path);
  if (strcmp (name, "permute") == 0)
    return permute (py, torch, args, path);
  if (strcmp (name, "t") == 0 || strcmp (name, "transpose") == 0)
    return transpose (py, torch, args, name, path);
  if (strcmp (name, "unsqueeze") == 0 || strcmp (name, "squeeze") == 0)
    return change_axis (py, torch, args, name[0] == 'u', path);
  if (strcmp (name, "expand") == 0)
    return expand (py, torch, args, path);
  if (strcmp (name, "as_strided") == 0)
    return as_strided (py, torch, args, path);
  /* max (dim) returns a pair. */
  if (g_strv_contains (reductions, name) &&
      (name[0] != 'm' || name[2] == 'a' || (args->n == 0 && args->n_named == 0)))
    return reduce (py, torch, args, path);
  return hir_py_none ();
}

gboolean
hir_py_torch_method (HirPy *py, HirPyValue method, HirPyArgs *args, HirPyValue *result)
{
  const HirPyTorch *torch = method.opaque->of;
  const char *name = strrchr (method.opaque->path, '.');
  gboolean known;

  name = name != NULL ? name + 1 : method.opaque->path;
  *result = ask (py, torch, name, args, &known);
  if (known || hir_py_torch_read (py, torch, name, result))
    return TRUE;
  *result = call (py, torch, name, args, hir_py_printf (py, "%s()", method.opaque->path));
  return result->type != HIR_PY_NONE || py->signal != HIR_PY_GO;
}

static gboolean
is_comparison (guint op)
{
  return op == HIR_TOKEN_EQ || op == HIR_TOKEN_NE || op == HIR_TOKEN_LT || op == HIR_TOKEN_LE ||
         op == HIR_TOKEN_GT || op == HIR_TOKEN_GE;
}

/* Sets @shape to the batch axes and the rows and columns of a @ b. */
static gboolean
matmul (const HirPyTorch *a, const HirPyTorch *b, gint64 *shape, guint *n)
{
  guint longest = MAX (a->n_dims, b->n_dims);

  if (a->n_dims < 2 || b->n_dims < 2 || a->shape[a->n_dims - 1] != b->shape[b->n_dims - 2] ||
      longest > HIR_PY_MAX_AXES)
    return FALSE;
  for (guint i = 0; i + 2 < longest; i++)
    {
      gint64 x = i + a->n_dims >= longest ? a->shape[i + a->n_dims - longest] : 1;
      gint64 y = i + b->n_dims >= longest ? b->shape[i + b->n_dims - longest] : 1;

      if (x != y && x != 1 && y != 1)
        return FALSE;
      shape[i] = MAX (x, y);
    }
  shape[longest - 2] = a->shape[a->n_dims - 2];
  shape[longest - 1] = b->shape[b->n_dims - 1];
  *n = longest;
  return TRUE;
}

static gboolean
broadcast (const HirPyTorch *a, const HirPyTorch *b, gint64 *shape, guint *n)
{
  *n = MAX (a->n_dims, b->n_dims);
  for (guint i = 0; i < *n; i++)
    {
      gint64 x = i + a->n_dims >= *n ? a->shape[i + a->n_dims - *n] : 1;
      gint64 y = i + b->n_dims >= *n ? b->shape[i + b->n_dims - *n] : 1;

      if (x != y && x != 1 && y != 1)
        return FALSE;
      shape[i] = x == 1 ? y : x;
    }
  return TRUE;
}

/* Returns TRUE for a number whose value is not known. */
static gboolean
is_unknown_number (HirPyValue value)
{
  return value.type == HIR_PY_OPAQUE && value.opaque->torch == NULL &&
         (strstr (value.opaque->path, "finfo") != NULL ||
          g_str_has_suffix (value.opaque->path, ".item()"));
}

/* Returns the result of an operator with numbers or tensors of one element; None if it is not
 * known.
 */
static HirPyValue
evaluate (HirPy *py, guint op, HirPyValue a, HirPyValue b)
{
  gboolean divides =
      op == HIR_TOKEN_SLASH || op == HIR_TOKEN_DOUBLE_SLASH || op == HIR_TOKEN_PERCENT;

  a = hir_py_torch_number (a);
  b = hir_py_torch_number (b);
  if (!hir_py_is_number (a) || !hir_py_is_number (b) ||
      !(ABS (hir_py_to_double (a)) < G_MAXINT32 && ABS (hir_py_to_double (b)) < G_MAXINT32) ||
      (divides && hir_py_to_double (b) == 0))
    return hir_py_none ();
  if (divides || op == HIR_TOKEN_PLUS || op == HIR_TOKEN_MINUS || op == HIR_TOKEN_STAR)
    return hir_py_binary (py, op, a, b);
  return is_comparison (op) ? hir_py_compare (py, op, FALSE, a, b) : hir_py_none ();
}

HirPyValue
hir_py_torch_operator (HirPy *py, guint op, HirPyValue a, HirPyValue b)
{
  static const HirPyTorch number = { .n_dims = 0 };
  const HirPyTorch *x = a.type == HIR_PY_OPAQUE ? a.opaque->torch : &number;
  const HirPyTorch *y = b.type == HIR_PY_OPAQUE ? b.opaque->torch : &number;
  HirPyValue unknown = hir_py_opaque (py, NULL, "a %s of tensors", hir_token_kind_get_text (op));
  HirPyValue result;
  gint64 shape[HIR_PY_MAX_AXES];
  HirDType dtype;
  guint n = 0;

  if (is_unknown_number (a) || is_unknown_number (b))
    {
      x = is_unknown_number (a) ? &number : x;
      y = is_unknown_number (b) ? &number : y;
      a = is_unknown_number (a) ? hir_py_float (0) : a;
      b = is_unknown_number (b) ? hir_py_float (0) : b;
    }
  if (x == NULL || y == NULL || (x == &number && !hir_py_is_number (a)) ||
      (y == &number && !hir_py_is_number (b)))
    return unknown;
  if (op == HIR_TOKEN_AT ? !matmul (x, y, shape, &n) : !broadcast (x, y, shape, &n))
    return unknown;
  if (x == &number || y == &number)
    {
      HirPyValue scalar = x == &number ? a : b;
      HirDType type = scalar.type == HIR_PY_FLOAT ? HIR_DTYPE_FLOAT
                      : scalar.type == HIR_PY_INT ? HIR_DTYPE_INT
                                                  : HIR_DTYPE_BOOL;

      dtype = hir_dtype_promote (x == &number ? y->dtype : x->dtype, FALSE, type, TRUE);
    }
  else
    dtype = hir_dtype_promote (x->dtype, x->n_dims == 0 && y->n_dims > 0, y->dtype,
                               y->n_dims == 0 && x->n_dims > 0);
  if (is_comparison (op))
    dtype = HIR_DTYPE_BOOL;
  else if (op == HIR_TOKEN_SLASH && !hir_dtype_is_floating_point (dtype) &&
           !hir_dtype_is_complex (dtype))
    dtype = HIR_DTYPE_FLOAT;
  result = hir_py_torch_new (py, shape, n, dtype, x != &number ? x->is_cpu : y->is_cpu,
                             unknown.opaque->path);
  if (n == 0 && result.type == HIR_PY_OPAQUE)
    hir_py_torch_fill (py, result, evaluate (py, op, a, b));
  return result;
}

/* Applies one index to axis @axis. Returns FALSE if the result is not known. */
static gboolean
take_index (HirPyTorch *torch, guint *axis, HirPyValue index)
{
  gint64 size = torch->shape[*axis], start = 0, stop = size, step = 1;
  HirPyValue at[3];

  index = hir_py_torch_number (index);
  if (index.type == HIR_PY_INT)
    {
      if (torch->data != NULL && index.i >= -size && index.i < size)
        torch->data += (index.i < 0 ? index.i + size : index.i) * torch->strides[*axis];
      else
        torch->data = NULL;
      for (guint i = *axis; i + 1 < torch->n_dims; i++)
        {
          torch->shape[i] = torch->shape[i + 1];
          torch->strides[i] = torch->strides[i + 1];
        }
      torch->n_dims--;
      return TRUE;
    }
  if (index.type != HIR_PY_SLICE)
    return FALSE;
  at[0] = hir_py_torch_number (index.slice->start);
  at[1] = hir_py_torch_number (index.slice->stop);
  at[2] = hir_py_torch_number (index.slice->step);
  for (guint i = 0; i < G_N_ELEMENTS (at); i++)
    if (at[i].type == HIR_PY_INT)
      *(i == 0 ? &start : i == 1 ? &stop : &step) = at[i].i;
    else if (at[i].type != HIR_PY_NONE)
      return FALSE;
  if (step < 1 || start < -size - 1 || stop < -size - 1)
    return FALSE;
  start = CLAMP (start < 0 ? start + size : start, 0, size);
  stop = CLAMP (stop < 0 ? stop + size : stop, start, size);
  if (torch->data != NULL)
    torch->data += start * torch->strides[*axis];
  torch->shape[*axis] = (stop - start) / step + ((stop - start) % step != 0);
  torch->strides[*axis] *= MIN (step, MAX (size, 1));
  (*axis)++;
  return TRUE;
}

/* Replaces @n_old axes from @axis on by dense ones of @shape. */
static HirPyTorch *
replace_axes (
    HirPy *py, const HirPyTorch *torch, guint axis, guint n_old, const gint64 *shape, guint n)
{
  HirPyTorch *result = copy (py, torch, torch->n_dims - n_old + n);
  gint64 stride = 1;

  for (guint i = result->n_dims; i-- > 0;)
    {
      result->shape[i] = i < axis       ? torch->shape[i]
                         : i < axis + n ? shape[i - axis]
                                        : torch->shape[i - n + n_old];
      if (n_old == 0 && (i < axis || i >= axis + n)) /* a view */
        result->strides[i] = torch->strides[i < axis ? i : i - n];
      else if (n_old == 0)
        result->strides[i] = axis < torch->n_dims ? torch->shape[axis] * torch->strides[axis] : 1;
      else
        result->strides[i] = stride;
      stride *= MAX (result->shape[i], 1);
    }
  return result;
}

/* Applies None, which adds an axis, or a tensor of indices. Returns FALSE for other indices. */
static gboolean
take_axes (HirPy *py, HirPyTorch **torch, guint *axis, HirPyValue index)
{
  const gint64 one = 1;
  const HirPyTorch *indices;
  struct _HirPyValue *data = (*torch)->data;

  if (index.type == HIR_PY_ARRAY)
    index = hir_py_torch_new (py, index.array->shape, index.array->n_dims, HIR_DTYPE_INT, FALSE,
                              "torch.tensor()");
  indices = index.type == HIR_PY_OPAQUE ? index.opaque->torch : NULL;
  if (index.type == HIR_PY_NONE && (*torch)->n_dims < HIR_PY_MAX_AXES)
    {
      *torch = replace_axes (py, *torch, (*axis)++, 0, &one, 1);
      (*torch)->data = data;
    }
  else if (indices != NULL && indices->dtype != HIR_DTYPE_BOOL && *axis < (*torch)->n_dims &&
           (*torch)->n_dims + indices->n_dims <= HIR_PY_MAX_AXES)
    {
      *torch = replace_axes (py, *torch, *axis, 1, indices->shape, indices->n_dims);
      *axis += indices->n_dims;
    }
  else
    return FALSE;
  return TRUE;
}

/* Returns how many of @items select from an axis. */
static guint
count_selections (const HirPyValue *items, guint n)
{
  guint count = 0;

  for (guint i = 0; i < n; i++)
    count += items[i].type != HIR_PY_NONE;
  return count;
}

HirPyValue
hir_py_torch_item (HirPy *py, HirPyValue tensor, HirPyValue index)
{
  HirPyTorch *torch = copy (py, tensor.opaque->torch, tensor.opaque->torch->n_dims);
  HirPyValue unknown = hir_py_opaque (py, NULL, "%s[...]", tensor.opaque->path);
  const HirPyValue *items = index.type == HIR_PY_TUPLE ? index.list->items : &index;
  guint n = index.type == HIR_PY_TUPLE ? index.list->n : 1, axis = 0;

  torch->data = tensor.opaque->torch->data;
  for (guint i = 0; i < n; i++)
    if (items[i].type == HIR_PY_ELLIPSIS &&
        torch->n_dims >= axis + count_selections (items + i + 1, n - i - 1))
      axis = torch->n_dims - count_selections (items + i + 1, n - i - 1);
    else if (hir_py_torch_number (items[i]).type != HIR_PY_INT &&
             take_axes (py, &torch, &axis, items[i]))
      continue;
    else if (axis >= torch->n_dims || !take_index (torch, &axis, items[i]))
      return unknown;
  return make (py, torch, unknown.opaque->path);
}

void
hir_py_torch_set_item (HirPy *py, HirPyValue tensor, HirPyValue index, HirPyValue value)
{
  const HirPyTorch *torch = tensor.opaque->torch, *part;

  if (torch->data == NULL)
    return;
  part = hir_py_torch_item (py, tensor, index).opaque->torch;
  if (part != NULL && part->data != NULL)
    hir_py_torch_set_all (part, value);
  else /* any element may have changed */
    hir_py_torch_set_all (torch, hir_py_none ());
}
