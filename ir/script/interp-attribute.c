/* Attributes and methods of all types of values. */
#include "script/interp.h"

#include <string.h>

static HirPyValue
no_attribute (HirPy *py, HirPyValue object, const char *name)
{
  if (g_str_has_prefix (name, "__"))
    return hir_py_fail (py, HIR_ERROR_REFUSED, "'%s' of a %s is not available to a script", name,
                        hir_py_type_name (object));
  /* In fd.op.matmul, 'op' is the unknown attribute: any name may be a method until it is called. */
  if (object.type == HIR_PY_BOUND && object.bound->self.type == HIR_PY_DEFINITION)
    return hir_py_definition_no_attribute (py, object.bound->name);
  return hir_py_raise (py, "AttributeError", "%s has no supported attribute '%s'",
                       hir_py_type_name (object), name);
}

static HirPyValue
get_of_class (HirPy *py, HirPyValue object, HirPyClass *class, const char *name, gboolean *found)
{
  const HirPyValue *value = hir_py_class_lookup (py, class, name);
  HirPyMethod *method;

  *found = value != NULL;
  if (value == NULL)
    return hir_py_none ();
  if (value->type != HIR_PY_FUNCTION || value->function->is_static)
    return *value;
  if (object.type == HIR_PY_CLASS && !value->function->is_class_method)
    return *value;
  if (value->function->is_property)
    return hir_py_call_function (py, value->function, &object, &(HirPyArgs){ .callee = name },
                                 name);
  method = hir_py_new (py, HirPyMethod);
  method->self = object;
  if (value->function->is_class_method)
    method->self = (HirPyValue){ .type = HIR_PY_CLASS, .class = class };
  method->function = *value;
  return (HirPyValue){ .type = HIR_PY_METHOD, .method = method };
}

static HirPyValue
get_of_instance (HirPy *py, HirPyValue object, const char *name)
{
  HirPyInstance *instance = object.instance;
  const HirPyValue *own = hir_py_dict_get_name (py, &instance->attributes, name);
  gboolean found;
  HirPyValue value;

  if (own != NULL)
    return *own;
  value = get_of_class (py, object, instance->class, name, &found);
  if (found)
    return value;
  if (strcmp (name, "execute") == 0 && instance->definition != NULL)
    return hir_py_bound (py, HIR_PY_BOUND, object, "execute");
  if (instance->definition != NULL)
    return hir_py_definition_get (py, instance->definition, name);
  if (strcmp (name, "__class__") == 0)
    return (HirPyValue){ .type = HIR_PY_CLASS, .class = instance->class };
  if (instance->class->is_tuple &&
      (strcmp (name, "_replace") == 0 || strcmp (name, "_asdict") == 0))
    return hir_py_bound (py, HIR_PY_BOUND, object, name);
  /* An imported base class may define the attribute. */
  for (guint i = 0; i < instance->class->n_bases; i++)
    if (instance->class->bases[i].type == HIR_PY_OPAQUE)
      return hir_py_opaque (py, instance->class->bases[i].opaque, "%s.%s", instance->class->name,
                            name);
  return no_attribute (py, object, name);
}

static HirPyValue
get_of_array (HirPy *py, HirPyArray *array, const char *name)
{
  HirPyValue shape;

  if (strcmp (name, "ndim") == 0)
    return hir_py_int (array->n_dims);
  if (g_strv_contains ((const char *const[]){ "T", "mT", "dtype", "device", NULL }, name))
    return hir_py_torch_get (py,
                             hir_py_torch_new (py, array->shape, array->n_dims, HIR_DTYPE_INT,
                                               FALSE, "torch.arange()"),
                             name);
  if (strcmp (name, "shape") != 0)
    return hir_py_bound (py, HIR_PY_BOUND, (HirPyValue){ .type = HIR_PY_ARRAY, .array = array },
                         name);
  shape = hir_py_list (py, HIR_PY_TUPLE, array->n_dims);
  for (guint i = 0; i < shape.list->n; i++)
    shape.list->items[i] = hir_py_int (array->shape[i]);
  return shape;
}

static HirPyValue
get_of_enum (HirPy *py, HirPyEnum *enumeration, const char *name)
{
  const char *dot = strchr (enumeration->name, '.');

  if (strcmp (name, "name") == 0)
    return hir_py_text (py, dot != NULL ? dot + 1 : enumeration->name);
  if (enumeration->kind == HIR_PY_ENUM_TORCH)
    {
      if (strcmp (name, "itemsize") == 0)
        return hir_py_int ((gint64) hir_dtype_get_size_bytes (enumeration->value));
      if (strcmp (name, "is_floating_point") == 0)
        return hir_py_bool (hir_dtype_is_floating_point (enumeration->value));
      if (strcmp (name, "is_complex") == 0)
        return hir_py_bool (hir_dtype_is_complex (enumeration->value));
    }
  if (strcmp (name, "value") == 0)
    return hir_py_int (enumeration->value);
  return no_attribute (py, (HirPyValue){ .type = HIR_PY_ENUM, .enumeration = enumeration }, name);
}

/* Most names with double underscores are rejected because they give access to Python's internals.
 * */
static gboolean
is_refused_name (const char *name)
{
  static const char *const allowed[] = { "__init__", "__name__",      "__class__",   "__enter__",
                                         "__exit__", "__call__",      "__version__", "__doc__",
                                         "__len__",  "__post_init__", NULL };

  return g_str_has_prefix (name, "__") && g_str_has_suffix (name, "__") &&
         !g_strv_contains (allowed, name);
}

HirPyValue
hir_py_get_attribute (HirPy *py, HirPyValue object, const char *name)
{
  gboolean found;
  HirPyValue value, part;
  HirDType dtype;

  if (py->signal != HIR_PY_GO)
    return hir_py_none ();
  /* object.__setattr__ (self, name, value), of a frozen dataclass */
  if (object.type == HIR_PY_BUILTIN && strcmp (object.text, "object") == 0 &&
      strcmp (name, "__setattr__") == 0)
    return (HirPyValue){ .type = HIR_PY_BUILTIN, .text = "setattr" };
  if (is_refused_name (name) && object.type != HIR_PY_OPAQUE)
    return hir_py_fail (py, HIR_ERROR_REFUSED, "'%s' is not available to a script", name);
  switch (object.type)
    {
    case HIR_PY_OPAQUE:
      if (object.opaque->torch != NULL)
        return hir_py_torch_get (py, object, name);
      if (strcmp (object.opaque->path, "torch") == 0 && hir_py_torch_lookup_dtype (name, &dtype))
        return hir_py_torch_dtype (py, dtype);
      if (hir_py_torch_limit (object.opaque->path, name, &value))
        return value;
      return hir_py_opaque_get (py, object.opaque, name);
    case HIR_PY_MODULE:
    case HIR_PY_FILE:
      return hir_py_module_get (py, object, name);
    case HIR_PY_INSTANCE:
      return get_of_instance (py, object, name);
    case HIR_PY_CLASS:
      value = get_of_class (py, object, object.class, name, &found);
      if (found)
        return value;
      if (strcmp (name, "__name__") == 0)
        return hir_py_text (py, object.class->name);
      if (object.class->is_definition || object.class->n_bases > 0)
        return hir_py_opaque (py, NULL, "%s.%s", object.class->name, name);
      return no_attribute (py, object, name);
    case HIR_PY_SUPER:
      return hir_py_super_get (py, object, name);
    case HIR_PY_BUILTIN:
      return hir_py_enum_get (py, object.text, name);
    case HIR_PY_ENUM:
      return get_of_enum (py, object.enumeration, name);
    case HIR_PY_DEFINITION:
      return hir_py_definition_get (py, object.definition, name);
    case HIR_PY_TENSOR:
      return hir_py_tensor_get (py, object.tensor, name);
    case HIR_PY_MESH:
      return hir_py_mesh_get (py, object.mesh, name);
    case HIR_PY_FIXTURE:
      return hir_py_fixture_get (py, name);
    case HIR_PY_NAMESPACE:
    case HIR_PY_AXIS:
    case HIR_PY_SCALAR:
      return hir_py_bound (py, HIR_PY_BOUND, object, name);
    case HIR_PY_BOUND:
      return strcmp (name, "__name__") == 0 ? hir_py_text (py, object.bound->name)
                                            : no_attribute (py, object, name);
    case HIR_PY_FUNCTION:
      if (strcmp (name, "__name__") == 0)
        return hir_py_text (py, object.function->ast->name);
      if (object.function->ast->n_decorators > 0)
        return hir_py_opaque (py, NULL, "%s.%s", object.function->ast->name, name);
      return no_attribute (py, object, name);
    default:
      if (hir_py_complex_get (py, object, name, &part))
        return part;
      break;
    }
  if (hir_py_has_method (object.type, name))
    return hir_py_bound (py, HIR_PY_BOUND, object, name);
  if (object.type == HIR_PY_ARRAY)
    return get_of_array (py, object.array, name);
  return no_attribute (py, object, name);
}

/* Stores a field of MultiDeviceExecutorParams that has an effect here, or says that it has none.
 * Defaults of nvFuser are the defaults here, and need no note. */
static void
take_executor_param (HirPy *py, const char *name, HirPyValue value)
{
  g_autofree char *text = g_strdup (hir_py_repr (py, value, FALSE));

  if (strcmp (name, "number_of_streams") == 0 && value.type == HIR_PY_INT && value.i >= 1 &&
      value.i <= 64)
    {
      py->executor.n_streams = value.i;
      hir_py_note (py, "number_of_streams = %s is the default of --streams for this script", text);
    }
  else if (strcmp (name, "backend_type") == 0 &&
           (g_str_has_suffix (text, ".nccl") || g_str_has_suffix (text, ".cuda")))
    {
      py->executor.transport = g_str_has_suffix (text, ".nccl") ? "nccl" : "copy";
      if (g_str_has_suffix (text, ".cuda"))
        hir_py_note (py, "backend_type = %s is --comm copy for runs of this script on GPUs", text);
    }
  else if (strcmp (name, "backend_type") == 0)
    hir_py_note (py, "backend_type = %s has no effect here; --comm is nccl, p2p or copy", text);
  else if (strcmp (name, "offset_stream_indexing_by_rank") == 0 ||
           strcmp (name, "inter_stream_synchronization") == 0)
    {
      if (hir_py_truth (py, value, name))
        hir_py_note (py,
                     "%s has no effect here: StreamParallelType follows nvFuser of 2025, which has "
                     "no such option",
                     name);
    }
  else if (value.type == HIR_PY_BOOL && value.i)
    hir_py_note (py, "%s = %s has no effect here", name, text);
}

/* Takes one of nvFuser's EnableOptions. Returns its effect here. */
static const char *
take_enable_option (HirPy *py, const char *option)
{
  if (g_str_has_prefix (option, "host_ir_lowering"))
    {
      py->executor.host_ir_lowering = TRUE;
      return "selects --pipeline hostir, unless --pipeline is given";
    }
  if (g_str_has_prefix (option, "insert_resharding_after"))
    {
      py->executor.insert_resharding_after = TRUE;
      return "sets that option of DecomposeReshardings (--pipeline hostir)";
    }
  return "has no effect here";
}

void
hir_py_take_enable_options (HirPy *py, HirPyArgs *args)
{
  static const char *const names[] = { "_enable_options", "enable_options" };
  g_autoptr (GString) text = g_string_new (NULL);
  HirPyValue value = hir_py_none ();

  for (guint i = 0; i < G_N_ELEMENTS (names) && value.type == HIR_PY_NONE; i++)
    hir_py_arg (py, args, G_MAXUINT, names[i], &value);
  for (guint i = 0; value.type == HIR_PY_LIST && i < value.list->n; i++)
    {
      const char *option = hir_py_repr (py, value.list->items[i], FALSE);

      g_string_append_printf (text, "%s%s %s", text->len > 0 ? "; " : "", option,
                              take_enable_option (py, option));
    }
  if (text->len > 0)
    hir_py_note (py, "enable options: %s", text->str);
}

void
hir_py_set_attribute (HirPy *py, HirPyValue object, const char *name, HirPyValue value)
{
  switch (object.type)
    {
    case HIR_PY_INSTANCE:
      if (value.type == HIR_PY_TENSOR && value.tensor->script_name == NULL)
        value.tensor->script_name = hir_arena_strdup (value.tensor->base.container->arena, name);
      hir_py_dict_set_name (py, &object.instance->attributes, name, value);
      return;
    case HIR_PY_CLASS:
      hir_py_dict_set_name (py, &object.class->attributes, name, value);
      return;
    case HIR_PY_DEFINITION:
      if (value.type == HIR_PY_TENSOR && value.tensor->script_name == NULL)
        value.tensor->script_name = hir_arena_strdup (value.tensor->base.container->arena, name);
      hir_py_dict_set_name (py, &object.definition->attributes, name, value);
      return;
    case HIR_PY_OPAQUE:
      if (g_str_has_prefix (object.opaque->path, "nvfuser.MultiDeviceExecutorParams"))
        take_executor_param (py, name, value);
      return; /* no effect on the fusion */
    case HIR_PY_FUNCTION:
      return;
    default:
      hir_py_raise (py, "AttributeError", "'%s' of a %s cannot be set", name,
                    hir_py_type_name (object));
    }
}

static HirPyValue
call_method (HirPy *py, HirPyValue object, const char *name, HirPyArgs *args)
{
  switch (object.type)
    {
    case HIR_PY_LIST:
    case HIR_PY_TUPLE:
      return hir_py_list_method (py, object, name, args);
    case HIR_PY_DICT:
    case HIR_PY_SET:
      return hir_py_dict_method (py, object, name, args);
    case HIR_PY_STRING:
      return hir_py_string_method (py, object, name, args);
    case HIR_PY_COMPLEX:
      return hir_py_complex (py, object.z->re, -object.z->im);
    case HIR_PY_ARRAY:
      return hir_py_array_method (py, object, name, args);
    case HIR_PY_INSTANCE:
      if (strcmp (name, "_replace") == 0)
        return hir_py_replace_fields (py, object, args);
      if (strcmp (name, "_asdict") == 0)
        return hir_py_fields_to_dict (py, object);
      if (object.instance->definition != NULL)
        {
          hir_py_define_instance (py, object.instance);
          return hir_py_definition_method (py, object.instance->definition, name, args);
        }
      break;
    case HIR_PY_DEFINITION:
      return hir_py_definition_method (py, object.definition, name, args);
    case HIR_PY_NAMESPACE:
      if (strcmp (object.bound->name, "ops") == 0)
        return hir_py_call_op (py, object.bound->self.definition, name, args);
      if (strcmp (object.bound->name, "sched") == 0)
        return hir_py_call_sched (py, object.bound->self.definition, name, args);
      return hir_py_fusion_method (py, object.bound->self.definition, name, args);
    case HIR_PY_TENSOR:
      return hir_py_tensor_method (py, object.tensor, name, args);
    case HIR_PY_AXIS:
      return hir_py_axis_method (py, object.axis, name, args);
    case HIR_PY_SCALAR:
      return hir_py_scalar_method (py, object.scalar, name, args);
    case HIR_PY_MODULE:
      return hir_py_call_math (py, name, args);
    default:
      break;
    }
  return no_attribute (py, object, name);
}

HirPyValue
hir_py_call_method (HirPy *py, HirPyValue object, const char *name, HirPyArgs *args)
{
  HirPyValue result = call_method (py, object, name, args);

  if ((py->signal == HIR_PY_RAISING || py->signal == HIR_PY_FAILED) &&
      (object.type == HIR_PY_DEFINITION || object.type == HIR_PY_NAMESPACE ||
       object.type == HIR_PY_TENSOR || object.type == HIR_PY_AXIS))
    py->fusion_failed = TRUE;
  return result;
}
