/* Schedule functions: methods of TensorView and IterDomain in the direct front end, fd.sched in the
 * older one (docs/host-ir.md#schedules). */
#include "schedule/schedule.h"
#include "script/bindings-private.h"

#include <string.h>

/* Schedules that affect only kernels; the host program does not depend on them. */
static const char *const kernel_only[] = { "inline_most",
                                           "inline_at",
                                           "user_schedule_ir",
                                           "schedule_hyperparameters",
                                           "warp_specialize",
                                           "swizzle",
                                           "vectorize",
                                           "compute_at",
                                           "compute_with",
                                           "circular_buffer",
                                           "schedule",
                                           "can_schedule",
                                           "find_compatible_schedulers",
                                           "compute_heuristics",
                                           "compute_pointwise_heuristics",
                                           "compute_reduction_heuristics",
                                           "compute_matmul_heuristics",
                                           NULL };

static gboolean
is_distributed (const HirTensor *tensor)
{
  for (guint i = 0; i < tensor->loop.n; i++)
    if (hir_iter_domain_is_stream (tensor->loop.ids[i]))
      return TRUE;
  return tensor->mesh != NULL;
}

void
hir_py_fix_allocations (const HirContainer *container)
{
  for (guint i = 0; i < container->tensors.len; i++)
    if (is_distributed (container->tensors.items[i]))
      return;
  for (guint i = 0; i < container->tensors.len; i++)
    {
      HirTensor *tensor = container->tensors.items[i];
      const HirDomain *logical = &tensor->logical;
      g_autofree gint8 *contiguity = g_memdup2 (tensor->contiguity, logical->n);

      if (tensor->has_allocation || logical->n == 0 ||
          (tensor->loop.n == logical->n &&
           memcmp (tensor->loop.ids, logical->ids, logical->n * sizeof *logical->ids) == 0))
        continue;
      hir_tensor_set_allocation (tensor, logical->ids, logical->n);
      memcpy (tensor->contiguity, contiguity, logical->n);
    }
}

/* The result, if any, is opaque: using it in a decision stops the run. */
static HirPyValue
kernel_schedule (HirPy *py, const char *prefix, const char *name)
{
  hir_py_note (py, "%s%s has no effect here: it is about the inside of a kernel", prefix, name);
  return g_str_has_prefix (name, "inline") || strcmp (name, "schedule") == 0
             ? hir_py_none ()
             : hir_py_opaque (py, NULL, "%s%s()", prefix, name);
}

static HirPyValue
take_result (HirPy *py, gboolean done, GError **error)
{
  return done ? hir_py_none () : hir_py_take_error (py, *error);
}

static gboolean
to_parallel_type (HirPy *py, HirPyValue value, HirParallelType *type)
{
  if (value.type != HIR_PY_ENUM || value.enumeration->kind != HIR_PY_ENUM_PARALLEL)
    {
      if (py->signal == HIR_PY_GO)
        hir_py_raise (py, "TypeError", "parallelize needs a ParallelType, not %s",
                      hir_py_type_name (value));
      return FALSE;
    }
  *type = value.enumeration->value;
  return TRUE;
}

static HirScalar *
to_factor (HirPy *py, HirContainer *container, HirPyValue value)
{
  if (value.type == HIR_PY_INT || value.type == HIR_PY_BOOL)
    return hir_scalar_new_int (container, value.i, HIR_DTYPE_INDEX);
  if (value.type == HIR_PY_SCALAR)
    return hir_py_to_scalar (py, container, value, "the factor of a split");
  hir_py_to_int (py, value, "the factor of a split");
  return NULL;
}

static HirPyValue
split (HirPy *py, HirTensor *tensor, HirPyArgs *args, guint first, int inner)
{
  gint64 axis =
      hir_py_arg_int (py, args, first, args->n_named > 0 && first > 0 ? "dim" : "axis", NULL);
  HirPyValue value = hir_py_arg_required (py, args, first + 1, "factor");
  gboolean inner_split =
      inner >= 0 ? inner : hir_py_arg_bool (py, args, first + 2, "inner_split", TRUE);
  GError *error = NULL;
  HirScalar *factor;

  if (!hir_py_args_finish (py, args, first + (inner >= 0 ? 2 : 3)))
    return hir_py_none ();
  factor = to_factor (py, tensor->base.container, value);
  if (factor == NULL)
    return hir_py_none ();
  return take_result (py, hir_schedule_split (tensor, axis, factor, inner_split, &error), &error);
}

static HirPyValue
merge (HirPy *py, HirTensor *tensor, HirPyArgs *args, guint first)
{
  gint64 outer, inner;
  HirPyValue value;
  GError *error = NULL;

  outer = hir_py_arg_int (py, args, first, first > 0 && args->n_named > 0 ? "dim" : "axis_o", NULL);
  inner = outer + 1;
  if (hir_py_arg (py, args, first + 1, "axis_i", &value))
    inner = hir_py_to_int (py, value, "axis_i");
  else if (outer == -1)
    inner = G_MAXINT32; /* no axis follows the last one */
  if (!hir_py_args_finish (py, args, first + 2))
    return hir_py_none ();
  return take_result (py, hir_schedule_merge (tensor, outer, inner, &error), &error);
}

static HirPyValue
swizzle (HirPy *py, HirTensor *tensor, HirPyArgs *args)
{
  gint64 axis = hir_py_arg_int (py, args, 0, "x", NULL);
  HirPyValue value = hir_py_arg_required (py, args, 1, "parallel_type");
  HirParallelType type;
  GError *error = NULL;

  if (!hir_py_args_finish (py, args, 2) || !to_parallel_type (py, value, &type))
    return hir_py_none ();
  return take_result (py, hir_schedule_swizzle (tensor, axis, type, &error), &error);
}

/* Takes `{old: new}`, or a list with the new position of each axis. */
static HirPyValue
reorder (HirPy *py, HirTensor *tensor, HirPyArgs *args, guint first)
{
  HirPyValue value = hir_py_none ();
  gint64 old_positions[HIR_PY_MAX_AXES], new_positions[HIR_PY_MAX_AXES];
  GError *error = NULL;
  guint n = 0;

  if (!hir_py_arg (py, args, first, "old2new", &value))
    value = hir_py_dict (py, HIR_PY_DICT);
  if (!hir_py_args_finish (py, args, first + 1))
    return hir_py_none ();
  if (value.type == HIR_PY_DICT)
    {
      for (guint i = 0; i < value.dict->n && n < HIR_PY_MAX_AXES; i++)
        {
          if (value.dict->entries[i].deleted)
            continue;
          old_positions[n] = hir_py_to_int (py, value.dict->entries[i].key, "an axis of reorder");
          new_positions[n++] =
              hir_py_to_int (py, value.dict->entries[i].value, "an axis of reorder");
        }
    }
  else
    {
      g_autofree gint64 *places = hir_py_to_ints (py, value, "the axes of reorder", &n);

      for (guint i = 0; places != NULL && i < n; i++)
        {
          old_positions[i] = i;
          new_positions[i] = places[i];
        }
    }
  if (py->signal != HIR_PY_GO)
    return hir_py_none ();
  return take_result (py, hir_schedule_reorder (tensor, old_positions, new_positions, n, &error),
                      &error);
}

static HirPyValue
set_device_mesh (HirPy *py, HirTensor *tensor, HirPyArgs *args, guint first)
{
  HirPyValue value = hir_py_arg_required (py, args, first, "mesh");

  if (!hir_py_args_finish (py, args, first + 1))
    return hir_py_none ();
  if (value.type == HIR_PY_NONE)
    hir_schedule_set_device_mesh (tensor, NULL);
  else if (value.type == HIR_PY_MESH)
    hir_schedule_set_device_mesh (tensor, hir_mesh_dup (tensor->base.container->arena, value.mesh));
  else
    return hir_py_raise (py, "TypeError", "set_device_mesh needs a DeviceMesh, not %s",
                         hir_py_type_name (value));
  return hir_py_none ();
}

static HirPyValue
set_memory_type (HirPy *py, HirTensor *tensor, HirPyArgs *args, guint first)
{
  HirPyValue value = hir_py_arg_required (py, args, first, "memory_type");
  GError *error = NULL;

  if (!hir_py_args_finish (py, args, first + 1))
    return hir_py_none ();
  if (value.type != HIR_PY_ENUM || value.enumeration->kind != HIR_PY_ENUM_MEMORY)
    return hir_py_raise (py, "TypeError", "set_memory_type needs a MemoryType, not %s",
                         hir_py_type_name (value));
  return take_result (py, hir_schedule_set_memory_type (tensor, value.enumeration->value, &error),
                      &error);
}

static HirPyValue
make_axis (HirPy *py, HirTensor *tensor, HirIterDomain *id)
{
  HirPyAxis *axis = hir_py_new (py, HirPyAxis);

  axis->tensor = tensor;
  axis->id = id;
  return (HirPyValue){ .type = HIR_PY_AXIS, .axis = axis };
}

static HirPyValue
get_axis (HirPy *py, HirTensor *tensor, HirPyArgs *args)
{
  gint64 index = hir_py_arg_int (py, args, 0, "index", NULL);
  HirIterDomain *id;
  GError *error = NULL;

  if (!hir_py_args_finish (py, args, 1))
    return hir_py_none ();
  id = hir_schedule_axis (tensor, index, &error);
  return id != NULL ? make_axis (py, tensor, id) : hir_py_take_error (py, error);
}

static HirPyValue
list_domain (HirPy *py, HirTensor *tensor, const HirDomain *domain)
{
  HirPyValue list = hir_py_list (py, HIR_PY_LIST, domain->n);

  for (guint i = 0; i < list.list->n; i++)
    list.list->items[i] = make_axis (py, tensor, domain->ids[i]);
  return list;
}

/* Returns the number of loop axes without those that the tensor's op has reduced. */
static guint
count_axes (const HirTensor *tensor)
{
  guint n = 0;

  for (guint i = 0; i < tensor->loop.n; i++)
    n += !hir_iter_domain_is_reduction (tensor->loop.ids[i]);
  return n;
}

HirPyValue
hir_py_tensor_get (HirPy *py, HirTensor *tensor, const char *name)
{
  if (strcmp (name, "ndim") == 0)
    return hir_py_int (count_axes (tensor));
  return hir_py_bound (py, HIR_PY_BOUND, hir_py_tensor (tensor), name);
}

static HirPyValue
query_tensor (HirPy *py, HirTensor *tensor, const char *name, HirPyArgs *args, gboolean *known)
{
  *known = TRUE;
  if (strcmp (name, "axis") == 0)
    return get_axis (py, tensor, args);
  if (strcmp (name, "size") == 0)
    return hir_py_tensor_size (py, tensor, hir_py_arg_int (py, args, 0, "dim", NULL));
  if (strcmp (name, "shape") == 0)
    return hir_py_tensor_shape (py, tensor);
  if (strcmp (name, "dtype") == 0)
    return hir_py_enum (py, HIR_PY_ENUM_DTYPE, tensor->base.dtype,
                        hir_py_printf (py, "DataType.%s",
                                       hir_dtype_get_script_name (tensor->base.dtype)));
  if (strcmp (name, "has_root") == 0)
    return hir_py_bool (tensor->has_root);
  if (strcmp (name, "get_loop_domain") == 0)
    return list_domain (py, tensor, &tensor->loop);
  if (strcmp (name, "get_logical_domain") == 0)
    return list_domain (py, tensor, &tensor->logical);
  if (strcmp (name, "get_root_domain") == 0)
    return list_domain (py, tensor, &tensor->root);
  if (strcmp (name, "get_allocation_domain") == 0)
    return list_domain (py, tensor, hir_tensor_get_maybe_allocation (tensor));
  if (strcmp (name, "domain") == 0)
    return hir_py_opaque (py, NULL, "tensor.domain()");
  *known = FALSE;
  return hir_py_none ();
}

HirPyValue
hir_py_tensor_method (HirPy *py, HirTensor *tensor, const char *name, HirPyArgs *args)
{
  static const char *const names[] = { "split",
                                       "inner_split",
                                       "outer_split",
                                       "merge",
                                       "swizzle1d",
                                       "reorder",
                                       "axis",
                                       "set_device_mesh",
                                       "set_memory_type",
                                       "set_allocation_domain",
                                       "cache_after",
                                       "cache_before",
                                       "cache_fork",
                                       "rfactor",
                                       "ndim",
                                       "size",
                                       "shape",
                                       "dtype" };
  gboolean known;
  HirPyValue value;

  hir_py_begin_node (py, tensor->base.container);
  if (py->signal != HIR_PY_GO)
    return hir_py_none ();
  if (strcmp (name, "split") == 0)
    return split (py, tensor, args, 0, -1);
  if (strcmp (name, "inner_split") == 0 || strcmp (name, "outer_split") == 0)
    return split (py, tensor, args, 0, name[0] == 'i');
  if (strcmp (name, "merge") == 0)
    return merge (py, tensor, args, 0);
  if (strcmp (name, "swizzle1d") == 0)
    return swizzle (py, tensor, args);
  if (strcmp (name, "reorder") == 0)
    {
      reorder (py, tensor, args, 0);
      return hir_py_tensor (tensor);
    }
  if (strcmp (name, "set_device_mesh") == 0 || strcmp (name, "_set_device_mesh") == 0)
    return set_device_mesh (py, tensor, args, 0);
  if (strcmp (name, "set_memory_type") == 0)
    return set_memory_type (py, tensor, args, 0);
  if (hir_py_is_schedule_copy (name))
    return hir_py_schedule_copy (py, tensor, name, args, 0);
  if (strcmp (name, "is_tensor") == 0)
    return hir_py_bool (TRUE);
  if (strcmp (name, "definition") == 0)
    return hir_py_opaque (py, &(HirPyOpaque){ .expr = tensor->definition },
                          "TensorView.definition()");
  if (strcmp (name, "uses") == 0)
    return hir_py_opaque (py, NULL, "TensorView.uses()");
  value = query_tensor (py, tensor, name, args, &known);
  if (known)
    return value;
  if (g_strv_contains (kernel_only, name))
    return kernel_schedule (py, "TensorView.", name);
  return hir_py_raise (py, "AttributeError", "TensorView has no supported attribute '%s'%s", name,
                       hir_py_suggest (py, name, names, G_N_ELEMENTS (names)));
}

HirPyValue
hir_py_axis_method (HirPy *py, HirPyAxis *axis, const char *name, HirPyArgs *args)
{
  static const char *const names[] = { "parallelize",   "extent",         "is_reduction",
                                       "is_broadcast",  "is_iteration",   "is_stream",
                                       "is_device_dim", "is_parallelized" };
  HirIterDomain *id = axis->id;
  HirParallelType type;
  GError *error = NULL;
  int position;

  if (strcmp (name, "parallelize") == 0)
    {
      if (!to_parallel_type (py, hir_py_arg_required (py, args, 0, "parallel_type"), &type) ||
          !hir_py_args_finish (py, args, 1))
        return hir_py_none ();
      position = hir_domain_find (&axis->tensor->loop, id);
      if (position < 0)
        return hir_py_fail (py, HIR_ERROR_REFUSED,
                            "parallelize: the axis was split, merged or replaced since; ask for it "
                            "again with axis()");
      hir_py_begin_node (py, axis->tensor->base.container);
      return take_result (py, hir_schedule_parallelize (axis->tensor, position, type, &error),
                          &error);
    }
  if (strcmp (name, "definition") == 0 || strcmp (name, "uses") == 0)
    return hir_py_opaque (py, NULL, "IterDomain.%s()", name);
  if (strcmp (name, "extent") == 0)
    return hir_py_scalar (id->extent);
  if (strcmp (name, "is_reduction") == 0)
    return hir_py_bool (hir_iter_domain_is_reduction (id));
  if (strcmp (name, "is_broadcast") == 0)
    return hir_py_bool (hir_iter_domain_is_broadcast (id));
  if (strcmp (name, "is_iteration") == 0)
    return hir_py_bool (id->iter_type == HIR_ITER_ITERATION);
  if (strcmp (name, "is_stream") == 0)
    return hir_py_bool (hir_iter_domain_is_stream (id));
  if (strcmp (name, "is_device_dim") == 0)
    return hir_py_bool (hir_iter_domain_is_device (id));
  if (strcmp (name, "is_parallelized") == 0)
    return hir_py_bool (hir_iter_domain_is_parallelized (id));
  return hir_py_raise (py, "AttributeError", "IterDomain has no supported attribute '%s'%s", name,
                       hir_py_suggest (py, name, names, G_N_ELEMENTS (names)));
}

HirPyValue
hir_py_scalar_method (HirPy *py, HirScalar *scalar, const char *name, HirPyArgs *args)
{
  if (strcmp (name, "dtype") == 0)
    return hir_py_enum (py, HIR_PY_ENUM_DTYPE, scalar->base.dtype,
                        hir_py_printf (py, "DataType.%s",
                                       hir_dtype_get_script_name (scalar->base.dtype)));
  if (strcmp (name, "is_tensor") == 0)
    return hir_py_bool (FALSE);
  if (strcmp (name, "is_const") == 0)
    return hir_py_bool (hir_scalar_is_const (scalar));
  return hir_py_raise (py, "AttributeError",
                       "a scalar of the fusion has no supported attribute '%s'", name);
}

static HirPyValue
sched_parallelize (HirPy *py, HirTensor *tensor, HirPyArgs *args)
{
  gint64 axis = hir_py_arg_int (py, args, 1, "axis", NULL);
  HirParallelType type;
  GError *error = NULL;

  if (!to_parallel_type (py, hir_py_arg_required (py, args, 2, "parallel_type"), &type) ||
      !hir_py_args_finish (py, args, 3))
    return hir_py_none ();
  return take_result (py, hir_schedule_parallelize (tensor, axis, type, &error), &error);
}

/* Names of fd.sched that schedule no tensor, and unknown names. */
static HirPyValue
sched_other (HirPy *py, const char *name)
{
  static const char *const names[] = { "parallelize",
                                       "split",
                                       "merge",
                                       "reorder",
                                       "_set_device_mesh",
                                       "set_device_mesh",
                                       "set_allocation_as_loop",
                                       "set_memory_type",
                                       "set_allocation_domain",
                                       "cache_after",
                                       "cache_before",
                                       "cache_fork",
                                       "rfactor",
                                       "transform_like",
                                       "parallelize_like",
                                       "inline_most" };

  if (g_strv_contains (kernel_only, name))
    return kernel_schedule (py, "fd.sched.", name);
  return hir_py_fail (py, HIR_ERROR_INPUT, "fd.sched has no '%s'%s", name,
                      hir_py_suggest (py, name, names, G_N_ELEMENTS (names)));
}

/* A script may call fd.sched of another definition than that of the tensor. */
static void
note_kernel (HirPy *py, const HirContainer *container)
{
  for (guint i = 0; i < py->definitions->len; i++)
    {
      HirPyDefinition *definition = py->definitions->pdata[i];

      definition->is_kernel = definition->is_kernel || definition->container == container;
    }
}

HirPyValue
hir_py_call_sched (HirPy *py, HirPyDefinition *definition, const char *name, HirPyArgs *args)
{
  HirPyValue value = hir_py_none ();
  HirTensor *tensor;

  definition->is_kernel = definition->is_kernel || g_str_has_prefix (name, "inline_");
  if (strcmp (name, "tensors") == 0)
    return hir_py_fusion_method (py, definition, "vals", args);
  if (!hir_py_is_schedule_copy (name) &&
      !g_strv_contains ((const char *const[]){ "parallelize", "split", "merge", "reorder",
                                               "_set_device_mesh", "set_device_mesh",
                                               "set_allocation_as_loop", "set_memory_type",
                                               "is_reduction", "to_string", NULL },
                        name))
    return sched_other (py, name);
  if (!hir_py_arg (py, args, 0, "arg", &value) && !hir_py_arg (py, args, 0, "tensor", &value))
    return hir_py_arg_required (py, args, 0, "arg");
  tensor = hir_py_to_tensor (py, value, "the tensor to schedule");
  if (tensor == NULL)
    return hir_py_none ();
  hir_py_begin_node (py, tensor->base.container);
  if (py->signal != HIR_PY_GO)
    return hir_py_none ();
  if (strcmp (name, "transform_like") == 0 && args->n == 1) /* of all tensors */
    note_kernel (py, tensor->base.container);
  if (hir_py_is_schedule_copy (name))
    return hir_py_schedule_copy (py, tensor, name, args, 1);
  if (strcmp (name, "parallelize") == 0)
    return sched_parallelize (py, tensor, args);
  if (strcmp (name, "split") == 0)
    return split (py, tensor, args, 1, -1);
  if (strcmp (name, "merge") == 0)
    return merge (py, tensor, args, 1);
  if (strcmp (name, "reorder") == 0)
    return reorder (py, tensor, args, 1);
  if (strcmp (name, "set_memory_type") == 0)
    return set_memory_type (py, tensor, args, 1);
  if (strcmp (name, "is_reduction") == 0)
    return hir_py_bool (tensor->definition != NULL &&
                        tensor->definition->kind == HIR_EXPR_REDUCTION);
  if (strcmp (name, "to_string") == 0)
    return hir_py_text (py, hir_py_repr (py, value, FALSE));
  if (strcmp (name, "set_allocation_as_loop") == 0)
    {
      if (hir_py_args_finish (py, args, 1))
        hir_schedule_set_allocation_as_loop (tensor);
      return hir_py_none ();
    }
  return set_device_mesh (py, tensor, args, 1);
}
