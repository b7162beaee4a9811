/* Enumerations, meshes and fixtures; conversion of script values to IR values. */
#include "script/interp.h"

#include <string.h>

static const struct
{
  const char *type;
  const char *names[16];
} other_enums[] = {
  { "LoadStoreOpType", { "set", "load_matrix", "cp_async", "tma", "segment_set" } },
  { "CacheOp", { "unspecified", "all_levels", "streaming", "global_" } },
  { "SchedulerType",
    { "none", "no_op", "pointwise", "matmul", "reduction", "inner_persistent",
      "inner_outer_persistent", "outer_persistent", "transpose", "expr_eval", "resize" } },
  { "IdMappingMode", { "exact", "almost_exact", "broadcast", "permissive", "loop" } },
  { "CommunicatorBackend", { "nccl", "ucc", "cuda" } },
};

static HirPyValue
unknown_member (HirPy *py, const char *type, const char *name, GPtrArray *known)
{
  return hir_py_raise (py, "AttributeError", "%s has no '%s'%s", type, name,
                       hir_py_suggest (py, name, (const char *const *) known->pdata, known->len));
}

static HirPyValue
get_dtype (HirPy *py, const char *name)
{
  g_autoptr (GPtrArray) known = NULL;
  HirDType dtype;

  if (hir_dtype_lookup_script_name (name, &dtype))
    return hir_py_enum (py, HIR_PY_ENUM_DTYPE, dtype, hir_py_printf (py, "DataType.%s", name));
  /* Two numbers in a byte; only opaque ops read them. */
  if (strcmp (name, "Float4_e2m1fn_x2") == 0)
    return hir_py_enum (py, HIR_PY_ENUM_DTYPE, HIR_DTYPE_FLOAT4_E2M1FN,
                        "DataType.Float4_e2m1fn_x2");
  known = g_ptr_array_new ();
  for (guint i = 0; i < HIR_N_DTYPES; i++)
    g_ptr_array_add (known, (gpointer) hir_dtype_get_script_name (i));
  return unknown_member (py, "DataType", name, known);
}

static HirPyValue
get_parallel_type (HirPy *py, const char *name)
{
  g_autoptr (GPtrArray) known = NULL;
  HirParallelType type;

  if (hir_parallel_type_lookup_script_name (name, &type))
    return hir_py_enum (py, HIR_PY_ENUM_PARALLEL, type,
                        hir_py_printf (py, "ParallelType.%s", name));
  known = g_ptr_array_new ();
  for (guint i = 0; i < HIR_N_PARALLEL_TYPES; i++)
    if (hir_parallel_type_get_script_name (i) != NULL)
      g_ptr_array_add (known, (gpointer) hir_parallel_type_get_script_name (i));
  return unknown_member (py, "ParallelType", name, known);
}

static HirPyValue
get_memory_type (HirPy *py, const char *name)
{
  static const char *const names[] = { "local", "shared", "global_", "tensor", "symmetric" };
  static const HirMemoryType types[] = { HIR_MEMORY_LOCAL, HIR_MEMORY_SHARED, HIR_MEMORY_GLOBAL,
                                         HIR_MEMORY_TENSOR, HIR_MEMORY_SYMMETRIC };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (names[i], name) == 0 || (i == 2 && strcmp (name, "global") == 0))
      return hir_py_enum (py, HIR_PY_ENUM_MEMORY, types[i],
                          hir_py_printf (py, "MemoryType.%s", name));
  return hir_py_raise (py, "AttributeError", "MemoryType has no '%s'%s", name,
                       hir_py_suggest (py, name, names, G_N_ELEMENTS (names)));
}

/* The members of an enumeration of nvFuser by name, each with its documentation. */
static HirPyValue
get_entries (HirPy *py, const char *type)
{
  HirPyValue dict = hir_py_dict (py, HIR_PY_DICT);

  for (guint i = 0; i < G_N_ELEMENTS (other_enums); i++)
    for (guint j = 0; strcmp (other_enums[i].type, type) == 0 &&
                      j < G_N_ELEMENTS (other_enums[i].names) && other_enums[i].names[j] != NULL;
         j++)
      {
        const char *name = other_enums[i].names[j];
        HirPyValue pair = hir_py_list (py, HIR_PY_TUPLE, 2);

        pair.list->items[0] =
            hir_py_enum (py, HIR_PY_ENUM_OTHER, j, hir_py_printf (py, "%s.%s", type, name));
        hir_py_dict_set_name (py, dict.dict, name, pair);
      }
  return dict;
}

HirPyValue
hir_py_enum_get (HirPy *py, const char *type, const char *name)
{
  if (strcmp (name, "__init__") == 0)
    return (HirPyValue){ .type = HIR_PY_BUILTIN, .text = "object.__init__" };
  if (strcmp (name, "__name__") == 0)
    return hir_py_text (py, type);
  if (strcmp (name, "__entries") == 0 || strcmp (name, "__members__") == 0)
    return get_entries (py, type);
  if (strcmp (type, "DataType") == 0)
    return get_dtype (py, name);
  if (strcmp (type, "ParallelType") == 0)
    return get_parallel_type (py, name);
  if (strcmp (type, "MemoryType") == 0)
    return get_memory_type (py, name);
  if (strcmp (type, "Communicator") == 0 && strcmp (name, "instance") == 0)
    return (HirPyValue){ .type = HIR_PY_BUILTIN, .text = "Communicator.instance" };
  for (guint i = 0; i < G_N_ELEMENTS (other_enums); i++)
    if (strcmp (other_enums[i].type, type) == 0)
      for (guint j = 0; j < G_N_ELEMENTS (other_enums[i].names) && other_enums[i].names[j] != NULL;
           j++)
        if (strcmp (other_enums[i].names[j], name) == 0 ||
            (strcmp (name, "global") == 0 && strcmp (type, "CacheOp") == 0))
          return hir_py_enum (py, HIR_PY_ENUM_OTHER, j, hir_py_printf (py, "%s.%s", type, name));
  return hir_py_raise (py, "AttributeError", "'%s' has no supported attribute '%s'", type, name);
}

HirPyValue
hir_py_fixture_get (HirPy *py, const char *name)
{
  if (strcmp (name, "size") == 0 || strcmp (name, "local_size") == 0)
    return hir_py_int (py->n_devices);
  if (strcmp (name, "rank") == 0 || strcmp (name, "local_rank") == 0)
    return hir_py_int (0);
  if (strcmp (name, "communicator") == 0)
    return (HirPyValue){ .type = HIR_PY_FIXTURE, .text = "communicator" };
  return hir_py_opaque (py, NULL, "communicator.%s", name);
}

static gboolean
note_devices (HirPy *py, const gint64 *devices, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      if (py->options->n_devices > 0 && devices[i] >= py->options->n_devices)
        {
          hir_py_fail (py, HIR_ERROR_INPUT,
                       "the mesh names device %" G_GINT64_FORMAT ", and there are %" G_GINT64_FORMAT
                       " (from 0 on); give more with -d",
                       devices[i], py->options->n_devices);
          return FALSE;
        }
      py->max_device = MAX (py->max_device, devices[i]);
    }
  return TRUE;
}

#define MAX_DEVICES 4096

/* Flattens nested lists. All lists of one depth must have the same length. */
static gboolean
flatten (HirPy *py, HirPyValue value, guint depth, GArray *devices, GArray *shape)
{
  HirPyList *list;
  gint64 n, device;

  if (depth == 8 || devices->len > MAX_DEVICES)
    {
      hir_py_fail (py, HIR_ERROR_INPUT, "a DeviceMesh has at most 8 dimensions and %d devices",
                   MAX_DEVICES);
      return FALSE;
    }
  if ((value.type == HIR_PY_INT || value.type == HIR_PY_BOOL) && depth > 0)
    {
      device = value.i;
      g_array_append_val (devices, device);
      return TRUE;
    }
  list = hir_py_to_list (py, value, "DeviceMesh");
  if (py->signal != HIR_PY_GO)
    return FALSE;
  n = list->n;
  if (shape->len == depth)
    g_array_append_val (shape, n);
  else if (g_array_index (shape, gint64, depth) != n)
    {
      hir_py_raise (py, "ValueError", "DeviceMesh: the rows differ in length");
      return FALSE;
    }
  for (guint i = 0; i < list->n; i++)
    {
      if (list->items[i].type != HIR_PY_INT && list->items[i].type != HIR_PY_BOOL &&
          list->items[i].type != HIR_PY_LIST && list->items[i].type != HIR_PY_TUPLE &&
          list->items[i].type != HIR_PY_RANGE)
        {
          hir_py_to_int (py, list->items[i], "a device");
          return FALSE;
        }
      if (!flatten (py, list->items[i], depth + 1, devices, shape))
        return FALSE;
    }
  return TRUE;
}

HirPyValue
hir_py_mesh_new (HirPy *py, HirPyArgs *args)
{
  HirPyValue value = hir_py_arg_required (py, args, 0, "devices");
  g_autoptr (GArray) devices = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) shape = g_array_new (FALSE, FALSE, sizeof (gint64));
  GError *error = NULL;
  HirMesh *mesh;

  if (py->signal != HIR_PY_GO || !hir_py_args_finish (py, args, 1))
    return hir_py_none ();
  if (value.type == HIR_PY_OPAQUE)
    return hir_py_fail (py, HIR_ERROR_REFUSED,
                        "the devices of this mesh are %s, whose value is unknown; write range "
                        "(d), a list, or "
                        "torch.arange (d)",
                        value.opaque->path);
  if (value.type == HIR_PY_ARRAY && value.array->list->n <= MAX_DEVICES)
    {
      g_array_append_vals (shape, value.array->shape, value.array->n_dims);
      for (guint i = 0; i < value.array->list->n; i++)
        g_array_append_val (devices, value.array->list->items[i].i);
    }
  else if (!flatten (py,
                     value.type == HIR_PY_ARRAY
                         ? (HirPyValue){ .type = HIR_PY_LIST, .list = value.array->list }
                         : value,
                     0, devices, shape))
    return hir_py_none ();
  if (!note_devices (py, (const gint64 *) devices->data, devices->len))
    return hir_py_none ();
  py->used_bytes += 2 * devices->len * sizeof (gint64);
  if (!hir_py_step (py, devices->len))
    return hir_py_none ();
  mesh = hir_mesh_new (py->arena, (const gint64 *) devices->data, devices->len,
                       (const gint64 *) shape->data, shape->len, &error);
  if (mesh == NULL)
    {
      hir_py_fail (py, HIR_ERROR_INPUT, "%s", error->message);
      g_error_free (error);
      return hir_py_none ();
    }
  return (HirPyValue){ .type = HIR_PY_MESH, .mesh = mesh };
}

HirPyValue
hir_py_mesh_get (HirPy *py, const HirMesh *mesh, const char *name)
{
  HirPyValue shape;

  if (strcmp (name, "size") == 0)
    return hir_py_int (mesh->size);
  if (strcmp (name, "ndim") == 0)
    return hir_py_int (mesh->n_dims);
  if (strcmp (name, "shape") != 0)
    return hir_py_opaque (py, NULL, "mesh.%s", name);
  shape = hir_py_list (py, HIR_PY_TUPLE, mesh->n_dims);
  for (guint i = 0; i < shape.list->n; i++)
    shape.list->items[i] = hir_py_int (mesh->shape[i]);
  return shape;
}

HirDType
hir_py_to_dtype (HirPy *py, HirPyValue value, const char *what)
{
  if (value.type == HIR_PY_NONE)
    return HIR_DTYPE_NULL;
  if (value.type == HIR_PY_ENUM && (value.enumeration->kind == HIR_PY_ENUM_DTYPE ||
                                    value.enumeration->kind == HIR_PY_ENUM_TORCH))
    return value.enumeration->value;
  if (value.type == HIR_PY_OPAQUE)
    hir_py_fail (py, HIR_ERROR_REFUSED, "%s: the type is %s, whose value is unknown", what,
                 value.opaque->path);
  else
    hir_py_raise (py, "TypeError", "%s: a DataType is expected, not %s", what,
                  hir_py_type_name (value));
  return HIR_DTYPE_NULL;
}

HirScalar *
hir_py_to_scalar (HirPy *py, HirContainer *container, HirPyValue value, const char *what)
{
  if (value.type == HIR_PY_SCALAR && value.scalar->base.container == container)
    return value.scalar;
  if (value.type == HIR_PY_INT)
    return hir_scalar_new_int (container, value.i, HIR_DTYPE_INT);
  if (value.type == HIR_PY_BOOL)
    return hir_scalar_new_int (container, value.i, HIR_DTYPE_BOOL);
  if (value.type == HIR_PY_FLOAT)
    return hir_scalar_new_double (container, value.d, HIR_DTYPE_DOUBLE);
  if (value.type == HIR_PY_COMPLEX)
    return hir_scalar_new_complex (container, value.z->re, value.z->im, HIR_DTYPE_COMPLEX_DOUBLE);
  if (value.type == HIR_PY_OPAQUE)
    hir_py_fail (py, HIR_ERROR_REFUSED, "%s is %s, whose value is unknown", what,
                 value.opaque->path);
  else
    hir_py_raise (py, "TypeError", "%s must be a number or a scalar of this fusion, not %s", what,
                  hir_py_type_name (value));
  return NULL;
}

HirTensor *
hir_py_to_tensor (HirPy *py, HirPyValue value, const char *what)
{
  if (value.type == HIR_PY_TENSOR)
    return value.tensor;
  if (value.type == HIR_PY_OPAQUE)
    hir_py_fail (py, HIR_ERROR_REFUSED,
                 "%s is %s, whose value is unknown; pass a tensor of the fusion", what,
                 value.opaque->path);
  else
    hir_py_raise (py, "TypeError", "%s must be a tensor of the fusion, not %s", what,
                  hir_py_type_name (value));
  return NULL;
}

void
hir_py_account (HirPy *py, HirPyDefinition *definition)
{
  gsize size = hir_arena_get_size_bytes (definition->container->arena) + sizeof (HirContainer);

  py->used_bytes += size - definition->accounted_bytes;
  definition->accounted_bytes = size;
  hir_py_alloc (py, 1); /* sets a signal if the limit is exceeded */
}

void
hir_py_begin_node (HirPy *py, HirContainer *container)
{
  for (guint i = py->definitions->len; i-- > 0;)
    {
      HirPyDefinition *definition = py->definitions->pdata[i];

      if (definition->container == container)
        {
          hir_py_account (py, definition);
          break;
        }
    }
  hir_maker_begin (container, "script", py->frame != NULL ? py->frame->path : 0);
  hir_maker_set_pos (container, hir_py_get_pos (py));
}
