#include "generate.h"

const char *
hir_random_dtype_get_name (HirRandomDType dtype)
{
  static const char *const names[] = { "Float", "Double", "BFloat16" };

  g_return_val_if_fail ((guint) dtype < G_N_ELEMENTS (names), "Float");
  return names[dtype];
}

static void
print_ints (GString *out, const gint64 *values, guint n)
{
  g_string_append_c (out, '[');
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, "%s%" G_GINT64_FORMAT, i == 0 ? "" : ", ", values[i]);
  g_string_append_c (out, ']');
}

static void
print_input (const HirRandomFusion *fusion, const HirRandomStep *step, GString *out)
{
  gint64 shape[HIR_RANDOM_MAX_RANK + 1];

  for (guint i = 0; i < step->n_axes; i++)
    shape[i] = fusion->is_symbolic ? -1 : step->axes[i].size;
  g_string_append (out, "fd.define_tensor(shape=");
  print_ints (out, shape, step->n_axes);
  g_string_append_printf (out, ", contiguity=True, dtype=DataType.%s)",
                          hir_random_dtype_get_name (step->dtype));
}

static const char *
get_op_name (const HirRandomStep *step)
{
  switch (step->kind)
    {
    case HIR_RANDOM_SET:
      return "set";
    case HIR_RANDOM_SUM:
      return "sum";
    case HIR_RANDOM_MATMUL:
      return "matmul";
    case HIR_RANDOM_LINEAR:
      return "linear";
    case HIR_RANDOM_BROADCAST:
      return "broadcast";
    case HIR_RANDOM_SQUEEZE:
      return "squeeze";
    case HIR_RANDOM_PERMUTE:
      return "permute";
    case HIR_RANDOM_RESHAPE:
      return "reshape";
    case HIR_RANDOM_CAST:
      return "cast";
    case HIR_RANDOM_SLICE:
      return "slice";
    case HIR_RANDOM_INPUT:
    case HIR_RANDOM_UNARY:
    case HIR_RANDOM_BINARY:
    case HIR_RANDOM_BINARY_SCALAR:
    default:
      return step->op;
    }
}

static void
print_attributes (const HirRandomStep *step, GString *out)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  switch (step->kind)
    {
    case HIR_RANDOM_BINARY_SCALAR:
      g_ascii_formatd (number, sizeof number, "%.2f", step->value);
      g_string_append_printf (out, ", %s", number);
      break;
    case HIR_RANDOM_SUM:
    case HIR_RANDOM_SQUEEZE:
    case HIR_RANDOM_PERMUTE:
      g_string_append (out, ", dims=");
      print_ints (out, step->dims, step->n_dims);
      break;
    case HIR_RANDOM_RESHAPE:
      g_string_append (out, ", new_shape=");
      print_ints (out, step->dims, step->n_dims);
      break;
    case HIR_RANDOM_BROADCAST:
      g_string_append (out, ", is_broadcast_dim=[");
      for (guint i = 0; i < step->n_dims; i++)
        g_string_append_printf (out, "%s%s", i == 0 ? "" : ", ", step->flags[i] ? "True" : "False");
      g_string_append_c (out, ']');
      break;
    case HIR_RANDOM_CAST:
      g_string_append_printf (out, ", dtype=DataType.%s", hir_random_dtype_get_name (step->dtype));
      break;
    case HIR_RANDOM_SLICE:
      g_string_append (out, ", start_indices=");
      print_ints (out, step->dims, step->n_dims);
      g_string_append (out, ", end_indices=");
      print_ints (out, step->stops, step->n_dims);
      break;
    default:
      break;
    }
}

static void
print_step (const HirRandomFusion *fusion, guint i, GString *out)
{
  const HirRandomStep *step = &g_array_index (fusion->steps, HirRandomStep, i);

  g_string_append_printf (out, "        t%u = ", i);
  if (step->kind == HIR_RANDOM_INPUT)
    print_input (fusion, step, out);
  else
    {
      g_string_append_printf (out, "fd.ops.%s(", get_op_name (step));
      for (guint k = 0; k < step->n_inputs; k++)
        g_string_append_printf (out, "%st%u", k == 0 ? "" : ", ", step->inputs[k]);
      print_attributes (step, out);
      g_string_append_c (out, ')');
    }
  g_string_append_c (out, '\n');
}

static void
print_schedule (const HirRandomSchedule *schedule, GString *out)
{
  if (schedule->kind == HIR_RANDOM_ALLOCATION_AS_LOOP)
    {
      g_string_append_printf (out, "        fd.sched.set_allocation_as_loop(t%u)\n",
                              schedule->tensor);
      return;
    }
  if (schedule->kind == HIR_RANDOM_ALLOCATION_REVERSED)
    {
      g_string_append_printf (out,
                              "        t%u.set_allocation_domain(t%u.get_logical_domain()[::-1], "
                              "True)\n",
                              schedule->tensor, schedule->tensor);
      return;
    }
  g_string_append_printf (out, "        t%u.", schedule->tensor);
  switch (schedule->kind)
    {
    case HIR_RANDOM_CACHE_AFTER:
      g_string_append (out, "cache_after()\n");
      break;
    case HIR_RANDOM_CACHE_BEFORE:
      g_string_append (out, "cache_before()\n");
      break;
    case HIR_RANDOM_CACHE_FORK:
      g_string_append (out, "cache_fork()\n");
      break;
    case HIR_RANDOM_RFACTOR:
      g_string_append_printf (out, "rfactor([%d])\n", schedule->axis);
      break;
    case HIR_RANDOM_ALLOCATION_REVERSED:
    case HIR_RANDOM_SPLIT:
      g_string_append_printf (out, "split(%d, 2)\n", schedule->axis);
      break;
    case HIR_RANDOM_MERGE:
      g_string_append_printf (out, "merge(%d, %d)\n", schedule->axis, schedule->axis + 1);
      break;
    case HIR_RANDOM_SET_MESH:
      g_string_append_printf (out, "set_device_mesh(mesh%u)\n", schedule->value);
      break;
    case HIR_RANDOM_OUTER_SPLIT:
      g_string_append_printf (out, "outer_split(%d, %u)\n", schedule->axis, schedule->value);
      break;
    case HIR_RANDOM_ALLOCATION_AS_LOOP:
    case HIR_RANDOM_PARALLELIZE:
    case HIR_RANDOM_MESH_X:
    case HIR_RANDOM_MESH_Y:
    default:
      g_string_append_printf (out, "axis(%d).parallelize(ParallelType.%s)\n", schedule->axis,
                              schedule->kind == HIR_RANDOM_PARALLELIZE ? "stream"
                              : schedule->kind == HIR_RANDOM_MESH_X    ? "mesh_x"
                                                                       : "mesh_y");
      break;
    }
}

static void
print_mesh (const HirRandomMesh *mesh, guint i, GString *out)
{
  g_string_append_printf (out, "        mesh%u = multidevice.DeviceMesh(torch.tensor([", i);
  for (guint k = 0; k < mesh->n_devices; k++)
    g_string_append_printf (out, "%s%d", k == 0 ? "" : ", ", mesh->devices[k]);
  g_string_append (out, "])");
  if (mesh->n_rows > 1)
    g_string_append_printf (out, ".reshape(%u, %u)", mesh->n_rows, mesh->n_devices / mesh->n_rows);
  g_string_append (out, ")\n");
}

char *
hir_random_fusion_to_script (const HirRandomFusion *fusion)
{
  GString *out = g_string_new (NULL);
  g_auto (GStrv) shapes = hir_random_fusion_dup_input_shapes (fusion);

  g_string_append_printf (out,
                          "# seed %" G_GUINT64_FORMAT ": hirscope run THIS::random_fusion --check",
                          fusion->seed);
  for (guint i = 0; shapes[i] != NULL; i++)
    g_string_append_printf (out, " --input %s", shapes[i]);
  if (fusion->n_devices > 0)
    g_string_append_printf (out, " -d %u", fusion->n_devices);
  g_string_append (out, "\nimport torch\n"
                        "from nvfuser_direct import DataType, FusionDefinition, ParallelType, "
                        "multidevice\n"
                        "\n\n"
                        "def random_fusion():\n"
                        "    with FusionDefinition() as fd:\n");
  for (guint i = 0; i < fusion->n_meshes; i++)
    print_mesh (&fusion->meshes[i], i, out);
  for (guint i = 0; i < fusion->steps->len; i++)
    print_step (fusion, i, out);
  for (guint i = 0; i < fusion->steps->len; i++)
    {
      if (g_array_index (fusion->steps, HirRandomStep, i).is_output)
        g_string_append_printf (out, "        fd.add_output(t%u)\n", i);
    }
  for (guint i = 0; i < fusion->schedule->len; i++)
    print_schedule (&g_array_index (fusion->schedule, HirRandomSchedule, i), out);
  g_string_append (out, "    return fd\n");
  return g_string_free (out, FALSE);
}

char **
hir_random_fusion_dup_input_shapes (const HirRandomFusion *fusion)
{
  GPtrArray *shapes = g_ptr_array_new ();

  for (guint i = 0; i < fusion->steps->len; i++)
    {
      const HirRandomStep *step = &g_array_index (fusion->steps, HirRandomStep, i);
      GString *shape;

      if (step->kind != HIR_RANDOM_INPUT)
        continue;
      shape = g_string_new (NULL);
      for (guint k = 0; k < step->n_axes; k++)
        g_string_append_printf (shape, "%s%" G_GINT64_FORMAT, k == 0 ? "" : "x",
                                step->axes[k].size);
      g_ptr_array_add (shapes, g_string_free (shape, FALSE));
    }
  g_ptr_array_add (shapes, NULL);
  return (char **) g_ptr_array_free (shapes, FALSE);
}
