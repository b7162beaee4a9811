/* Methods of FusionDefinition: inputs, outputs and execution (docs/host-ir.md#definitions). */
#include "script/bindings-private.h"

#include <string.h>

static const char *const methods[] = { "define_tensor", "define_scalar",    "define_constant",
                                       "define_vector", "add_output",       "from_pytorch",
                                       "execute",       "manual_execute",   "validate",
                                       "fusion_ir",     "repro_script_for", "inputs",
                                       "outputs" };

HirPyValue
hir_py_definition_new (HirPy *py, HirPyInstance *instance)
{
  HirPyDefinition *definition = hir_py_new (py, HirPyDefinition);

  /* Count the growth of the previous definition since its last op. */
  if (py->definitions->len > 0)
    hir_py_account (py, py->definitions->pdata[py->definitions->len - 1]);
  definition->container = hir_container_new (HIR_CONTAINER_FUSION, py->main_file->script->source);
  hir_py_account (py, definition);
  g_ptr_array_add (py->definitions, definition);
  if (instance != NULL)
    {
      instance->definition = definition;
      definition->instance = instance;
      return (HirPyValue){ .type = HIR_PY_INSTANCE, .instance = instance };
    }
  return (HirPyValue){ .type = HIR_PY_DEFINITION, .definition = definition };
}

HirPyValue
hir_py_definition_no_attribute (HirPy *py, const char *name)
{
  static const char *const namespaces[] = { "ops", "sched", "fusion" };
  const char *known[G_N_ELEMENTS (methods) + G_N_ELEMENTS (namespaces)];

  memcpy (known, namespaces, sizeof namespaces);
  memcpy (known + G_N_ELEMENTS (namespaces), methods, sizeof methods);
  return hir_py_raise (py, "AttributeError", "FusionDefinition has no supported attribute '%s'%s",
                       name, hir_py_suggest (py, name, known, G_N_ELEMENTS (known)));
}

HirPyValue
hir_py_definition_get (HirPy *py, HirPyDefinition *definition, const char *name)
{
  HirPyValue self = { .type = HIR_PY_DEFINITION, .definition = definition };
  const HirPyValue *own = hir_py_dict_get_name (py, &definition->attributes, name);

  if (own != NULL)
    return *own;
  if (strcmp (name, "ops") == 0 || strcmp (name, "sched") == 0 || strcmp (name, "fusion") == 0)
    return hir_py_bound (py, HIR_PY_NAMESPACE, self, name);
  return hir_py_bound (py, HIR_PY_BOUND, self, name);
}

/* Returns one contiguity per axis in memory order. A bool applies to all axes except broadcast
 * axes. */
static gint8 *
to_contiguity (
    HirPy *py, HirPyValue value, const gint64 *shape, const gint64 *stride_order, guint n)
{
  g_autofree gint8 *contiguity = g_new (gint8, MAX (n, 1));
  HirPyList *list = NULL;

  if (value.type != HIR_PY_BOOL && value.type != HIR_PY_NONE)
    {
      list = hir_py_to_list (py, value, "contiguity");
      if (py->signal != HIR_PY_GO)
        return NULL;
      if (list->n != n)
        {
          hir_py_raise (py, "ValueError",
                        "define_tensor: %u axes and %u values for their contiguity", n, list->n);
          return NULL;
        }
    }
  for (guint i = 0; i < n; i++)
    {
      /* Index in the shape of the axis at memory position i. */
      guint axis = i;

      for (guint j = 0; stride_order != NULL && j < n; j++)
        if (stride_order[j] == (gint64) (n - 1 - i))
          axis = j;
      if (list == NULL)
        contiguity[i] =
            shape[axis] == 1 ? HIR_CONTIGUITY_NONE : value.type == HIR_PY_BOOL && value.i;
      else if (list->items[i].type == HIR_PY_NONE)
        contiguity[i] = HIR_CONTIGUITY_NONE;
      else if (list->items[i].type == HIR_PY_BOOL)
        contiguity[i] = list->items[i].i != 0;
      else
        {
          hir_py_raise (py, "TypeError", "define_tensor: contiguity is True, False or None, not %s",
                        hir_py_type_name (list->items[i]));
          return NULL;
        }
    }
  return g_steal_pointer (&contiguity);
}

typedef struct
{
  gint64 *shape;
  gint64 *stride_order; /* nullable */
  gint8 *contiguity;
  guint n;
} Layout;

static void
layout_clear (Layout *layout)
{
  g_free (layout->shape);
  g_free (layout->stride_order);
  g_free (layout->contiguity);
}

/* Computes the layout from sizes and strides, the third form of docs/host-ir.md#definitions. */
static gboolean
layout_from_strides (HirPy *py, Layout *layout, HirPyValue strides_value, gboolean static_sizes)
{
  guint n, size = layout->n;
  g_autofree gint64 *strides = hir_py_to_ints (py, strides_value, "strides", &n);
  g_autofree guint *order = g_new (guint, MAX (size, 1));
  gint64 expected = 1;

  if (strides == NULL)
    return FALSE;
  if (n != size)
    {
      hir_py_raise (py, "ValueError", "define_tensor: %u sizes and %u strides", size, n);
      return FALSE;
    }
  /* Sort by decreasing stride, outermost axis first; the sort is stable. */
  for (guint i = 0; i < n; i++)
    {
      guint at = i;

      for (; at > 0 && strides[order[at - 1]] < strides[i]; at--)
        order[at] = order[at - 1];
      order[at] = i;
    }
  layout->contiguity = g_new (gint8, MAX (n, 1));
  layout->stride_order = g_new (gint64, MAX (n, 1));
  for (guint i = n; i-- > 0;)
    {
      guint axis = order[i];

      layout->stride_order[axis] = n - 1 - i;
      if (layout->shape[axis] == 1 || strides[axis] == 0)
        {
          layout->contiguity[i] = HIR_CONTIGUITY_NONE;
          continue;
        }
      layout->contiguity[i] = strides[axis] == expected;
      if (layout->shape[axis] > 0 &&
          __builtin_mul_overflow (strides[axis], layout->shape[axis], &expected))
        {
          hir_py_raise (py, "ValueError", "define_tensor: these strides are beyond 64 bits");
          return FALSE;
        }
    }
  for (guint i = 0; i < n && !static_sizes; i++)
    if (layout->shape[i] != 1)
      layout->shape[i] = -1;
  return TRUE;
}

static gboolean
layout_from_contiguity (HirPy *py, Layout *layout, HirPyValue contiguity, HirPyValue stride_order)
{
  if (stride_order.type != HIR_PY_NONE)
    {
      guint n;

      layout->stride_order = hir_py_to_ints (py, stride_order, "stride_order", &n);
      if (layout->stride_order == NULL)
        return FALSE;
      if (n == 0)
        g_clear_pointer (&layout->stride_order, g_free);
      else if (n != layout->n)
        {
          hir_py_raise (py, "ValueError", "define_tensor: %u axes and %u values of stride_order",
                        layout->n, n);
          return FALSE;
        }
    }
  layout->contiguity =
      to_contiguity (py, contiguity, layout->shape, layout->stride_order, layout->n);
  return layout->contiguity != NULL;
}

/* After the shape, a list of ints means strides; a list of bools and None means contiguity. */
static gboolean
is_strides (HirPyValue value)
{
  return (value.type == HIR_PY_LIST || value.type == HIR_PY_TUPLE) && value.list->n > 0 &&
         value.list->items[0].type == HIR_PY_INT;
}

/* Replaces the symbolic sizes of the next input by the known ones. */
static void
use_sizes (HirPy *py, HirPyDefinition *definition, Layout *layout)
{
  const HirVec *inputs = &definition->container->inputs;
  const GArray *sizes;
  guint n = 0;

  for (guint i = 0; i < inputs->len; i++)
    n += HIR_IS_TENSOR (inputs->items[i]);
  if (py->sizes == NULL || n >= py->sizes->len)
    return;
  sizes = py->sizes->pdata[n];
  for (guint i = 0; i < layout->n && sizes->len == layout->n; i++)
    if (layout->shape[i] == -1 && g_array_index (sizes, gint64, i) != 1)
      layout->shape[i] = g_array_index (sizes, gint64, i);
}

static HirPyValue
make_tensor (
    HirPy *py, HirPyDefinition *definition, Layout *layout, HirDType dtype, gboolean is_cpu)
{
  g_autofree int *order = layout->stride_order != NULL ? g_new (int, MAX (layout->n, 1)) : NULL;
  GError *error = NULL;
  HirTensor *tensor;

  use_sizes (py, definition, layout);
  for (guint i = 0; order != NULL && i < layout->n; i++)
    order[i] = (int) CLAMP (layout->stride_order[i], -1, G_MAXINT);
  if (py->options->dtype != HIR_DTYPE_NULL && hir_dtype_is_floating_point (dtype))
    dtype = py->options->dtype;
  hir_py_begin_node (py, definition->container);
  if (py->signal != HIR_PY_GO)
    return hir_py_none ();
  tensor = hir_define_tensor (definition->container, layout->shape, layout->n, layout->contiguity,
                              dtype, is_cpu, order, &error);
  return tensor != NULL ? hir_py_tensor (tensor) : hir_py_take_error (py, error);
}

static HirPyValue
define_tensor (HirPy *py, HirPyDefinition *definition, HirPyArgs *args)
{
  HirPyValue shape = hir_py_none (), second = hir_py_bool (FALSE), dtype = hir_py_none (),
             order = hir_py_none ();
  gboolean with_strides, static_sizes = FALSE, is_cpu;
  HirPyValue result = hir_py_none ();
  Layout layout = { 0 };

  if (!hir_py_arg (py, args, 0, "shape", &shape) && !hir_py_arg (py, args, 0, "sizes", &shape) &&
      !hir_py_arg (py, args, 0, "symbolic_sizes", &shape))
    return hir_py_arg_required (py, args, 0, "shape");
  with_strides = hir_py_arg (py, args, G_MAXUINT, "strides", &second);
  if (!with_strides && hir_py_arg (py, args, 1, "contiguity", &second))
    with_strides = is_strides (second);
  hir_py_arg (py, args, 2, "dtype", &dtype);
  if (with_strides)
    static_sizes = hir_py_arg_bool (py, args, 3, "static_sizes", FALSE);
  is_cpu = hir_py_arg_bool (py, args, with_strides ? 4 : 3, "is_cpu", FALSE);
  hir_py_arg (py, args, with_strides ? G_MAXUINT : 4, "stride_order", &order);
  if (!hir_py_args_finish (py, args, 5))
    return result;
  layout.shape = hir_py_to_ints (py, shape, "the shape of define_tensor", &layout.n);
  if (layout.shape != NULL &&
      (with_strides ? layout_from_strides (py, &layout, second, static_sizes)
                    : layout_from_contiguity (py, &layout, second, order)))
    {
      HirDType type = dtype.type == HIR_PY_NONE ? HIR_DTYPE_FLOAT
                                                : hir_py_to_dtype (py, dtype, "define_tensor");

      if (py->signal == HIR_PY_GO)
        result = make_tensor (py, definition, &layout, type, is_cpu);
    }
  layout_clear (&layout);
  return result;
}

/* from_pytorch (tensor, static_sizes=False) */
static HirPyValue
from_pytorch (HirPy *py, HirPyDefinition *definition, HirPyArgs *args)
{
  HirPyValue value = hir_py_arg_required (py, args, 0, "tensor"), strides, result = hir_py_none ();
  gboolean static_sizes = hir_py_arg_bool (py, args, 1, "static_sizes", FALSE) || py->sizes != NULL;
  const HirPyTorch *torch;
  Layout layout = { 0 };

  if (!hir_py_args_finish (py, args, 2))
    return hir_py_none ();
  if (value.type == HIR_PY_ARRAY)
    value = hir_py_torch_new (py, value.array->shape, value.array->n_dims, HIR_DTYPE_INT, FALSE,
                              "torch.arange()");
  if (value.type != HIR_PY_OPAQUE)
    return hir_py_raise (py, "TypeError", "from_pytorch: a torch tensor is expected, not %s",
                         hir_py_type_name (value));
  torch = value.opaque->torch;
  if (torch == NULL)
    return hir_py_fail (py, HIR_ERROR_REFUSED,
                        "from_pytorch: the shape of %s is not known here; write "
                        "fd.define_tensor() with the shape",
                        value.opaque->path);
  if (torch->is_cpu && torch->n_dims > 0)
    return hir_py_raise (py, "ValueError",
                         "from_pytorch: %s is on the CPU, where only scalars can be inputs",
                         value.opaque->path);
  layout.n = torch->n_dims;
  layout.shape = g_memdup2 (torch->shape, MAX (layout.n, 1) * sizeof (gint64));
  /* Two numbers in a byte. */
  if (torch->dtype == HIR_DTYPE_FLOAT4_E2M1FN && layout.n > 0)
    layout.shape[layout.n - 1] *= 2;
  strides = hir_py_list (py, HIR_PY_LIST, layout.n);
  for (guint i = 0; i < strides.list->n; i++)
    strides.list->items[i] = hir_py_int (torch->strides[i]);
  if (definition->given == NULL)
    definition->given = hir_py_list (py, HIR_PY_LIST, 0).list;
  hir_py_list_append (py, definition->given, value);
  if (layout_from_strides (py, &layout, strides, static_sizes))
    result = make_tensor (py, definition, &layout, torch->dtype, torch->is_cpu);
  layout_clear (&layout);
  return result;
}

static HirScalar *
constant_of_type (HirPy *py, HirContainer *container, HirPyValue value, HirDType dtype)
{
  if (dtype == HIR_DTYPE_NULL)
    return hir_py_to_scalar (py, container, value, "define_scalar");
  if (value.type == HIR_PY_COMPLEX && hir_dtype_is_complex (dtype))
    return hir_scalar_new_complex (container, value.z->re, value.z->im, dtype);
  if (value.type == HIR_PY_COMPLEX)
    {
      hir_py_raise (py, "ValueError", "define_scalar: %s is not a value of type %s",
                    hir_py_repr (py, value, FALSE), hir_dtype_get_script_name (dtype));
      return NULL;
    }
  if (!hir_py_is_number (value))
    return hir_py_to_scalar (py, container, value, "define_scalar");
  if (hir_dtype_is_complex (dtype))
    return hir_scalar_new_complex (container, hir_py_to_double (value), 0, dtype);
  if (hir_dtype_is_floating_point (dtype))
    return hir_scalar_new_double (container, hir_py_to_double (value), dtype);
  if (value.type == HIR_PY_FLOAT && (value.d != (double) (gint64) CLAMP (value.d, -9e15, 9e15)))
    {
      hir_py_raise (py, "ValueError", "define_scalar: %g is not a value of type %s", value.d,
                    hir_dtype_get_script_name (dtype));
      return NULL;
    }
  return hir_scalar_new_int (container, value.type == HIR_PY_FLOAT ? (gint64) value.d : value.i,
                             dtype);
}

/* Defines a scalar input; a constant if the run is repeated with the inputs of the script. */
static HirScalar *
define_input (HirPy *py, HirContainer *container, HirDType dtype)
{
  if (py->numbers == NULL || py->n_numbers >= py->numbers->len)
    return hir_define_scalar (container, dtype);
  return constant_of_type (py, container, g_array_index (py->numbers, HirPyValue, py->n_numbers++),
                           dtype);
}

static HirPyValue
define_scalar (HirPy *py, HirPyDefinition *definition, HirPyArgs *args)
{
  HirPyValue value = hir_py_none (), dtype = hir_py_none ();
  gboolean has_value = hir_py_arg (py, args, 0, "value", &value);
  HirDType type;
  HirScalar *scalar;

  /* define_scalar (DataType.Int) also defines a symbolic scalar. */
  if (has_value && value.type == HIR_PY_ENUM)
    {
      dtype = value;
      has_value = FALSE;
    }
  hir_py_arg (py, args, 1, "dtype", &dtype);
  type = hir_py_to_dtype (py, dtype, "define_scalar");
  if (!hir_py_args_finish (py, args, 2))
    return hir_py_none ();
  hir_py_begin_node (py, definition->container);
  if (has_value && value.type != HIR_PY_NONE)
    scalar = constant_of_type (py, definition->container, value, type);
  else
    scalar =
        define_input (py, definition->container, type == HIR_DTYPE_NULL ? HIR_DTYPE_DOUBLE : type);
  return scalar != NULL ? hir_py_scalar (scalar) : hir_py_none ();
}

/* Returns a list: of a number of symbolic ints, or of the given constants and scalars. */
static HirPyValue
define_vector (HirPy *py, HirPyDefinition *definition, HirPyArgs *args)
{
  HirPyValue value = hir_py_none (), dtype = hir_py_none (), result;
  HirPyList *list;
  HirDType type;

  if (!hir_py_arg (py, args, 0, "size", &value) && !hir_py_arg (py, args, 0, "values", &value))
    return hir_py_arg_required (py, args, 0, "values");
  hir_py_arg (py, args, 1, "dtype", &dtype);
  type = hir_py_to_dtype (py, dtype, "define_vector");
  if (!hir_py_args_finish (py, args, 2))
    return hir_py_none ();
  if (value.type == HIR_PY_INT)
    {
      if (value.i < 0 || value.i > HIR_PY_MAX_AXES)
        return hir_py_raise (py, "ValueError", "define_vector: 0 to %d values", HIR_PY_MAX_AXES);
      result = hir_py_list (py, HIR_PY_LIST, (guint) value.i);
      hir_py_begin_node (py, definition->container);
      for (guint i = 0; i < result.list->n; i++)
        result.list->items[i] =
            hir_py_scalar (define_input (py, definition->container, HIR_DTYPE_INT));
      return result;
    }
  list = hir_py_to_list (py, value, "define_vector");
  if (py->signal != HIR_PY_GO)
    return hir_py_none ();
  result = hir_py_list (py, HIR_PY_LIST, list->n);
  hir_py_begin_node (py, definition->container);
  for (guint i = 0; i < result.list->n && py->signal == HIR_PY_GO; i++)
    result.list->items[i] =
        hir_py_scalar (constant_of_type (py, definition->container, list->items[i],
                                         type == HIR_DTYPE_NULL ? HIR_DTYPE_INT : type));
  return py->signal == HIR_PY_GO ? result : hir_py_none ();
}

static HirPyValue
add_output (HirPy *py, HirPyDefinition *definition, HirPyArgs *args)
{
  HirPyValue value = hir_py_none (), other, order = hir_py_none ();
  gboolean has_order;

  if (!hir_py_arg (py, args, 0, "output", &value))
    hir_py_arg (py, args, 0, "arg", &value);
  if (hir_py_arg (py, args, 1, "alias_input", &other) && other.type == HIR_PY_TENSOR)
    hir_py_note (py, "alias_input: the output gets new memory here; the input keeps its values");
  has_order = hir_py_arg (py, args, G_MAXUINT, "stride_order", &order) && order.type != HIR_PY_NONE;
  if (value.type == HIR_PY_SCALAR)
    return hir_py_fail (py, HIR_ERROR_UNSUPPORTED,
                        "a scalar as an output is not implemented; make a tensor of "
                        "it with "
                        "fd.ops.full");
  if (hir_py_to_tensor (py, value, "the output") == NULL || !hir_py_args_finish (py, args, 2))
    return hir_py_none ();
  if (value.tensor->base.container != definition->container)
    return hir_py_raise (py, "ValueError",
                         "add_output: the tensor belongs to another FusionDefinition");
  if (has_order && !hir_py_set_stride_order (py, value.tensor, order))
    return hir_py_none ();
  hir_py_begin_node (py, definition->container);
  hir_container_add_output (definition->container, HIR_VAL (value.tensor));
  return hir_py_none ();
}

static HirPyValue
list_values (HirPy *py, const HirVec *values)
{
  HirPyValue list = hir_py_list (py, HIR_PY_LIST, values->len);

  for (guint i = 0; i < list.list->n; i++)
    list.list->items[i] = HIR_IS_TENSOR (values->items[i]) ? hir_py_tensor (values->items[i])
                                                           : hir_py_scalar (values->items[i]);
  return list;
}

HirPyValue
hir_py_definition_method (HirPy *py, HirPyDefinition *definition, const char *name, HirPyArgs *args)
{
  if (strcmp (name, "define_tensor") == 0)
    return define_tensor (py, definition, args);
  if (strcmp (name, "define_scalar") == 0 || strcmp (name, "define_constant") == 0)
    return define_scalar (py, definition, args);
  if (strcmp (name, "define_vector") == 0)
    return define_vector (py, definition, args);
  if (strcmp (name, "add_output") == 0)
    return add_output (py, definition, args);
  if (g_strv_contains ((const char *const[]){ "execute", "manual_execute", "validate",
                                              "manual_validate", NULL },
                       name))
    {
      hir_py_take_enable_options (py, args);
      if (args->n > 0)
        py->run_inputs = args->items[0];
      if (py->wanted != NULL && !py->was_called)
        return hir_py_opaque (py, NULL, "fd.%s()", name);
      return hir_py_stop (py, "the fusion is executed");
    }
  if (strcmp (name, "_origins") == 0) /* for modules.py */
    return hir_py_definition_get_origins (py, definition);
  if (strcmp (name, "from_pytorch") == 0)
    return from_pytorch (py, definition, args);
  if (strcmp (name, "inputs") == 0 || strcmp (name, "outputs") == 0)
    return list_values (py, name[0] == 'i' ? &definition->container->inputs
                                           : &definition->container->outputs);
  if (g_strv_contains ((const char *const[]){ "validate", "fusion_ir", "repro_script_for",
                                              "__enter__", "__exit__", "profile",
                                              "last_repro_script", "validate_definition", NULL },
                       name))
    return hir_py_opaque (py, NULL, "fd.%s()", name);
  return hir_py_definition_no_attribute (py, name);
}

HirPyValue
hir_py_fusion_method (HirPy *py, HirPyDefinition *definition, const char *name, HirPyArgs *args)
{
  HirContainer *container = definition->container;

  if (strcmp (name, "inputs") == 0)
    return list_values (py, &container->inputs);
  if (strcmp (name, "outputs") == 0)
    return list_values (py, &container->outputs);
  if (strcmp (name, "vals") == 0)
    return list_values (py, &container->tensors);
  return hir_py_opaque (py, NULL, "fd.fusion.%s()", name);
}
