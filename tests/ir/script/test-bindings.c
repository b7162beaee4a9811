#include "print/print.h"
#include "script-fixture.h"
#include "verify/verify.h"

#include <string.h>

/* Runs @statements (one line, `;` between) in a definition with tensors a [i0, i2], b [i2, i3], s
 * [4, 6], t [4, 1], the scalar n; the tensor `o` is the output. */
static HirContainer *
build_with (const char *statements, const HirScriptOptions *options)
{
  g_autofree char *text = g_strdup_printf (
      "import nvfuser_direct as nvfuser, torch\n"
      "from nvfuser_direct import FusionDefinition, DataType, ParallelType, MemoryType\n"
      "def f():\n"
      "    with FusionDefinition() as fd:\n"
      "        a = fd.define_tensor([-1, -1], [True, True])\n"
      "        b = fd.define_tensor([-1, -1], contiguity=True)\n"
      "        s = fd.define_tensor(shape=[4, 6], contiguity=True, dtype=DataType.Half)\n"
      "        t = fd.define_tensor([4, 1], [True, None])\n"
      "        n = fd.define_scalar(dtype=DataType.Int)\n"
      "        %s\n"
      "        fd.add_output(o)\n",
      statements);
  HirContainer *container = run_good_with (text, "f", options, NULL);
  g_autoptr (GError) error = NULL;
  gboolean good = hir_container_verify (container, &error);

  g_assert_no_error (error);
  g_assert_true (good);
  return container;
}

static char *
build_output (const char *statements)
{
  g_autoptr (HirContainer) container = build_with (statements, NULL);

  return hir_tensor_to_string (container->outputs.items[0]);
}

/* Returns the printed output without the numbers of names, which depend on earlier ops. */
static char *
strip_names (const char *printed)
{
  GString *out = g_string_new (NULL);

  for (const char *p = printed; *p != '\0';)
    {
      g_string_append_c (out, *p++);
      if ((p[-1] == 'T' || p[-1] == 'S' || p[-1] == 'x') && g_ascii_isdigit (*p))
        while (g_ascii_isdigit (*p))
          p++;
    }
  return g_string_free (out, FALSE);
}

typedef struct
{
  const char *statements, *expected;
} Case;

static void
assert_cases (const Case *cases, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *printed = build_output (cases[i].statements),
                      *stripped = strip_names (printed);

      if (strcmp (stripped, cases[i].expected) != 0)
        g_error ("%s: %s; expected %s", cases[i].statements, stripped, cases[i].expected);
    }
}

static void
test_ops (void)
{
  static const Case cases[] = {
    { "o = fd.ops.set(a)", "T_g_float[iS{i0}, iS{i2}]" },
    { "o = fd.ops.relu(s)", "T_g___half[iS{4}, iS{6}]" },
    { "o = fd.ops.gelu(fd.ops.exp(s))", "T_g___half[iS{4}, iS{6}]" },
    { "o = fd.ops.add(a, 1.0)", "T_g_float[iS{i0}, iS{i2}]" },
    { "o = fd.ops.mul(2, s)", "T_g___half[iS{4}, iS{6}]" },
    { "o = fd.ops.sub(t, s)", "T_g_float[iS{4}, iS{6}]" },
    { "o = fd.ops.gt(s, 0)", "T_g_bool[iS{4}, iS{6}]" },
    { "o = fd.ops.where(fd.ops.gt(s, 0), s, 1.0)", "T_g___half[iS{4}, iS{6}]" },
    { "o = fd.ops.clamp(s, 0.0, 1.0)", "T_g___half[iS{4}, iS{6}]" },
    { "o = fd.ops.cast(s, dtype=DataType.Float)", "T_g_float[iS{4}, iS{6}]" },
    { "o = fd.ops.cast(s, DataType.BFloat16)", "T_g___bfloat[iS{4}, iS{6}]" },
    { "o = fd.ops.sum(a, [1])", "T_g_float[iS{i0}, rS{i2}]" },
    { "o = fd.ops.sum(a, dims=[-1])", "T_g_float[iS{i0}, rS{i2}]" },
    { "o = fd.ops.sum(a, dim=0)", "T_g_float[rS{i0}, iS{i2}]" },
    { "o = fd.ops.max(a)", "T_g_float[rS{i0}, rS{i2}]" },
    { "o = fd.ops.sum(s, dims=[0], keepdim=True, dtype=DataType.Float)",
      "T_g_float[bS{1}, iS{6}]" },
    { "v, o = fd.ops.var_mean(a, dims=[1], correction=0, keepdim=False)", "T_g_float[iS{i0}]" },
    { "v, o = fd.ops.var_mean(a, [-1], 1, True)", "T_g_float[iS{i0}, bS{1}]" },
    { "o, m = fd.ops.var_mean(t, [0, 1], correction=1, keepdim=True)", "T_g_float[bS{1}, bS{1}]" },
    { "o = fd.ops.var(t, [0], correction=0)", "T_g_float[bS{1}]" },
    { "o = fd.ops.matmul(a, b)", "T_g_float[iS{i0}, iS{i4}, rS{i2}]" },
    { "o = fd.ops.linear(a, fd.ops.permute(b, [1, 0]))", "T_g_float[iS{i0}, iS{i4}, rS{i2}]" },
    { "o = fd.ops.broadcast(s, is_broadcast_dim=[False, True, False])",
      "T_g___half[iS{4}, bS{1}, iS{6}]" },
    { "o = fd.ops.broadcast_in_dim(s, shape=[2, 4, 6], broadcast_dims=[1, 2])",
      "T_g___half[bS{1 ex 2}, iS{4}, iS{6}]" },
    { "o = fd.ops.expand(t, [4, 5])", "T_g_float[iS{4}, bS{1 ex 5}]" },
    { "o = fd.ops.squeeze(t, dims=[1])", "T_g_float[iS{4}]" },
    { "o = fd.ops.permute(s, dims=[1, 0])", "T_g___half[iS{6}, iS{4}]" },
    { "o = fd.ops.reshape(s, new_shape=[2, 2, -1])", "T_g___half[iS{2}rf, iS{2}rf, iS{6}]" },
    { "o = fd.ops.slice(s, start_indices=[0, 1], end_indices=[4, 3])",
      "T_g___half[iS{4}, iS{2}rf]" },
    { "o = fd.ops.pad(s, [1, 2])", "T_g___half[iS{4}, iS{9}rf]" },
    { "o = fd.ops.cat([s, s], dim=0)", "T_g___half[iS{8}, iS{6}]" },
    { "o = fd.ops.select(s, 1, dim=0)", "T_g___half[iS{6}]" },
    { "o = fd.ops.full(shape=[2, 3], fill_value=1.5, dtype=DataType.Float)",
      "T_g_float[iS{2}, iS{3}]" },
    { "o = fd.ops.full([True, 3], 1, DataType.Float)", "T_g_float[bS{1}, iS{3}]" },
    { "o = fd.ops.iota(5, dtype=DataType.Int)", "T_g_int64_t[iS{5}]" },
    { "o = fd.ops.reshape(s, [fd.ops.size(s, 0) * 6])", "T_g___half[iS{24}rf]" },
  };

  assert_cases (cases, G_N_ELEMENTS (cases));
}

static void
test_operators (void)
{
  static const Case cases[] = {
    { "o = a + a * 2.0 - 1", "T_g_float[iS{i0}, iS{i2}]" },
    { "o = -s / 3", "T_g___half[iS{4}, iS{6}]" },
    { "o = a @ b", "T_g_float[iS{i0}, iS{i4}, rS{i2}]" },
    { "o = (s > 0) & (s < 1.0)", "T_g_bool[iS{4}, iS{6}]" },
    { "o = 2 ** s", "T_g___half[iS{4}, iS{6}]" },
    { "o = a\n        o += 1.0", "T_g_float[iS{i0}, iS{i2}]" },
  };

  assert_cases (cases, G_N_ELEMENTS (cases));
}

static void
test_schedules (void)
{
  static const Case cases[] = {
    { "o = fd.ops.set(s); o.split(0, 2)", "T_g___half[iS{2}, iS{2}, iS{6}]" },
    { "o = fd.ops.set(a); o.split(1, 3, inner_split=False)",
      "T_g_float[iS{i0}, iS{3}, iS{( ceilDiv(i2, 3) )}]" },
    { "o = fd.ops.set(a); o.inner_split(0, 3)",
      "T_g_float[iS{( ceilDiv(i0, 3) )}, iS{3}, iS{i2}]" },
    { "o = fd.ops.set(a); o.outer_split(-1, factor=3)",
      "T_g_float[iS{i0}, iS{3}, iS{( ceilDiv(i2, 3) )}]" },
    { "o = fd.ops.set(s); o.merge(0, 1)", "T_g___half[iS{24}]" },
    { "o = fd.ops.set(s); o.merge(0)", "T_g___half[iS{24}]" },
    { "o = fd.ops.set(s); o.reorder({0: 1})", "T_g___half[iS{6}, iS{4}]" },
    { "o = fd.ops.set(s); o.axis(-1).parallelize(ParallelType.stream)",
      "T_g___half[iS{4}, iStreamIdx{6}]" },
    { "o = fd.ops.set(s); "
      "o.set_device_mesh(nvfuser.multidevice.DeviceMesh(torch.arange(4).reshape(2, 2)))",
      "T_g___half[iS{4}, iS{6}] (DeviceMesh{{0 1}{2 3}})" },
    { "o = fd.ops.set(s); o.set_device_mesh(nvfuser.DeviceMesh([[3, 1]]))",
      "T_g___half[iS{4}, iS{6}] (DeviceMesh{{3 1}})" },
    { "o = fd.ops.set(s); o.set_device_mesh(nvfuser.DeviceMesh([False, True]))",
      "T_g___half[iS{4}, iS{6}] (DeviceMesh{0 1})" },
    { "o = fd.ops.set(s); fd.sched.split(o, 0, 2)", "T_g___half[iS{2}, iS{2}, iS{6}]" },
    { "o = fd.ops.set(s); fd.sched.split(o, dim=0, factor=2, inner_split=False)",
      "T_g___half[iS{2}, iS{2}, iS{6}]" },
    { "o = fd.ops.set(s); fd.sched.merge(o, 0)", "T_g___half[iS{24}]" },
    { "o = fd.ops.set(s); fd.sched.reorder(o, {0: 1}); fd.sched.parallelize(o, 0, "
      "ParallelType.mesh_x); "
      "fd.sched._set_device_mesh(o, nvfuser.DeviceMesh(range(6)))",
      "T_g___half[ideviceIdx.x{6}, iS{4}] (DeviceMesh{0 1 2 3 4 5})" },
    { "o = fd.ops.set(s); o.split(0, 2); o.set_allocation_domain(o.get_loop_domain(), True); "
      "fd.sched.inline_most()",
      "T_g___half[iS{2}, iS{2}, iS{6}]" },
    { "o = fd.ops.set(s); assert o.ndim == 2 and s.dtype() == DataType.Half and len(s.shape()) == "
      "2",
      "T_g___half[iS{4}, iS{6}]" },
  };

  assert_cases (cases, G_N_ELEMENTS (cases));
}

/* The three overloads of define_tensor, by position and by name. */
static void
test_define_tensor (void)
{
  static const Case cases[] = {
    { "o = fd.define_tensor([2, 1], True, DataType.Int)", "T_g_int64_t[iS{2}, bS{1}]" },
    { "o = fd.define_tensor(shape=(2, 3), contiguity=[None, True], dtype=DataType.Float)",
      "T_g_float[bS{1 ex 2}, iS{3}]" },
    { "o = fd.define_tensor([2, 3], [3, 1], DataType.Float, True)", "T_g_float[iS{2}, iS{3}]" },
    { "o = fd.define_tensor(sizes=[2, 3], strides=[1, 2], dtype=DataType.Half, static_sizes=True)",
      "T_g___half[iS{2}, iS{3}]" },
    { "o = fd.define_tensor(shape=[], contiguity=[], dtype=DataType.Double, is_cpu=True)",
      "T_g_double[]" },
    { "o = fd.define_tensor([2, 3], [True, True], DataType.Float, False, [0, 1])",
      "T_g_float[iS{2}, iS{3}]" },
  };

  assert_cases (cases, G_N_ELEMENTS (cases));
}

static void
test_layouts (void)
{
  g_autoptr (HirContainer) strided =
      build_with ("o = fd.define_tensor([4, 8, 2], [1, 8, 4], DataType.Float, True)", NULL);
  g_autoptr (HirContainer) ordered =
      build_with ("o = fd.define_tensor([4, 8], [True, False], stride_order=[0, 1])", NULL);
  g_autoptr (HirContainer) symbolic = build_with ("o = fd.define_tensor([4, 1], [1, 1])", NULL);
  const HirTensor *c = symbolic->inputs.items[5], *a = strided->inputs.items[5],
                  *b = ordered->inputs.items[5];

  /* Sizes given with strides are only examples, except 1. */
  g_assert_cmpint (c->logical.ids[0]->extent->kind, ==, HIR_SCALAR_SYMBOL);
  g_assert_cmpint (c->logical.ids[1]->iter_type, ==, HIR_ITER_BROADCAST);
  /* Strides 1, 8, 4 of 4 x 8 x 2: axis 1 is outermost, axis 0 innermost, without gaps. */
  g_assert_true (a->has_allocation);
  g_assert_true (a->allocation.ids[0] == a->logical.ids[1]);
  g_assert_true (a->allocation.ids[1] == a->logical.ids[2]);
  g_assert_true (a->allocation.ids[2] == a->logical.ids[0]);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpint (a->contiguity[i], ==, HIR_CONTIGUITY_TRUE);
  g_assert_true (b->allocation.ids[0] == b->logical.ids[1]);
  g_assert_cmpint (b->contiguity[0], ==, HIR_CONTIGUITY_TRUE);
  g_assert_cmpint (b->contiguity[1], ==, HIR_CONTIGUITY_FALSE);
}

static void
test_scalars (void)
{
  g_autoptr (HirContainer) container =
      build_with ("v = fd.define_vector([2, n], dtype=DataType.Int); c = fd.define_scalar(2.5); d "
                  "= fd.define_scalar(3, "
                  "dtype=DataType.Double); o = fd.ops.mul(fd.ops.add(a, c), d)",
                  NULL);
  const HirExpr *mul = ((HirTensor *) container->outputs.items[0])->definition;

  g_assert_cmpuint (container->inputs.len, ==, 5); /* four tensors and n; constants are not inputs
                                                    */
  g_assert_true (HIR_IS_SCALAR (mul->inputs[1]));
  g_assert_cmpfloat (HIR_SCALAR (mul->inputs[1])->d, ==, 3);
}

/* The divisor of a variance is the number of reduced elements minus the correction, at least 0. */
static void
test_variance_count (void)
{
  static const struct
  {
    const char *statement;
    double count;
  } cases[] = {
    { "o = fd.ops.var(t, [0], 0)", 4 },
    { "o = fd.ops.var(t, [0, 1], 1)", 3 },
    { "o = fd.ops.var(t, [1], 1)", 0 },
    { "o = fd.ops.var(t, [0], 9)", 0 },
    { "o, m = fd.ops.var_mean(fd.ops.cast(s, DataType.Float), [0, -1], 2)", 22 },
    { "v, o = fd.ops.var_mean(fd.ops.cast(s, DataType.Float), [1], 2)", 6 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (HirContainer) container = build_with (cases[i].statement, NULL);
      const HirExpr *divide = ((HirTensor *) container->outputs.items[0])->definition;
      double value = -1;

      g_assert_true (HIR_IS_SCALAR (divide->inputs[1]));
      g_assert_cmpint (HIR_SCALAR (divide->inputs[1])->kind, ==, HIR_SCALAR_CONST);
      value = hir_dtype_is_floating_point (divide->inputs[1]->dtype)
                  ? HIR_SCALAR (divide->inputs[1])->d
                  : (double) HIR_SCALAR (divide->inputs[1])->i;
      g_assert_cmpfloat (value, ==, cases[i].count);
    }
}

/* --dtype changes only floating-point types. */
static void
test_retype (void)
{
  HirScriptOptions options = { .dtype = HIR_DTYPE_BFLOAT16 };
  g_autoptr (HirContainer) container =
      build_with ("i = fd.define_tensor([2], True, DataType.Int); o = fd.ops.set(i)", &options);

  for (guint i = 0; i < 4; i++)
    g_assert_cmpint (HIR_VAL (container->inputs.items[i])->dtype, ==, HIR_DTYPE_BFLOAT16);
  g_assert_cmpint (HIR_VAL (container->inputs.items[5])->dtype, ==, HIR_DTYPE_INT);
}

/* Unimplemented, unknown and invalid names and arguments are reported by name and line. */
static void
test_refused (void)
{
  static const struct
  {
    const char *statement;
    HirErrorCode code;
    const char *what;
  } cases[] = {
    { "fd.ops.batch_norm(x, 2)", HIR_ERROR_UNSUPPORTED, "fd.ops.batch_norm is not implemented" },
    { "fd.ops.batch_norm(x, 2)", HIR_ERROR_UNSUPPORTED,
      "define its result as an input with define_tensor" },
    { "fd.ops.var_mean(x, [0])", HIR_ERROR_INPUT, "'correction' is missing" },
    { "fd.ops.var_mean(x, [2], 0)", HIR_ERROR_INPUT, "no axis 2" },
    { "fd.ops.var(x, [0, 0], 0)", HIR_ERROR_INPUT, "twice" },
    { "fd.ops.var(x, [0], -1)", HIR_ERROR_INPUT, "negative" },
    { "fd.ops.var_mean(fd.ops.cast(x, DataType.Half), [0], correction=0)", HIR_ERROR_REFUSED,
      "cast it first" },
    { "fd.ops.var(fd.ops.cast(x, DataType.Int), [0], correction=0)", HIR_ERROR_REFUSED,
      "cast it first" },
    { "fd.ops.matmull(x, x)", HIR_ERROR_INPUT, "did you mean 'matmul'?" },
    { "fd.ops.reul(x)", HIR_ERROR_INPUT, "did you mean 'relu'?" },
    { "x.swizzle1d(0, ParallelType.stream)", HIR_ERROR_REFUSED, "name an axis of the mesh" },
    { "x.splitt(0, 2)", HIR_ERROR_INPUT, "did you mean 'split'?" },
    { "fd.op.matmul(x, x)", HIR_ERROR_INPUT,
      "FusionDefinition has no supported attribute 'op'; did you mean 'ops'?" },
    { "fd.add_ouput(x)", HIR_ERROR_INPUT, "did you mean 'add_output'?" },
    { "x.axis(0).parallelise(ParallelType.stream)", HIR_ERROR_INPUT,
      "did you mean 'parallelize'?" },
    { "ParallelType.streem", HIR_ERROR_INPUT, "did you mean 'stream'?" },
    { "DataType.Floot", HIR_ERROR_INPUT, "did you mean 'Float'?" },
    { "x.split(5, 2)", HIR_ERROR_REFUSED, "no axis 5" },
    { "x.axis(0).parallelize(3)", HIR_ERROR_INPUT, "ParallelType" },
    { "fd.ops.add(x)", HIR_ERROR_INPUT, "'arg2' is missing" },
    { "fd.ops.set(x, x)", HIR_ERROR_INPUT, "by position" },
    { "fd.ops.sum(x, dimension=[0])", HIR_ERROR_INPUT, "no argument 'dimension'" },
    { "fd.ops.matmul(x, fd.define_tensor([5, 3], True))", HIR_ERROR_INPUT, "" },
    { "fd.define_tensor([2, 3], [True])", HIR_ERROR_INPUT, "2 axes and 1" },
    { "fd.from_pytorch(1)", HIR_ERROR_INPUT, "from_pytorch" },
    { "fd.ops.set(FusionDefinition().define_tensor([2], True))", HIR_ERROR_INPUT,
      "another FusionDefinition" },
    { "nvfuser.DeviceMesh([1, 1])", HIR_ERROR_INPUT, "twice" },
    { "nvfuser.DeviceMesh([[0, 1], [2]])", HIR_ERROR_INPUT, "differ in length" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text =
          g_strdup_printf ("import nvfuser\nfrom nvfuser import *\ndef f():\n    with "
                           "FusionDefinition() as fd:\n"
                           "        x = fd.define_tensor([4, 6], True)\n        %s\n",
                           cases[i].statement);

      run_bad (text, "f", cases[i].code, 6, cases[i].what);
    }
}

static void
test_devices (void)
{
  const char *text = "import nvfuser\ndef f():\n    with nvfuser.FusionDefinition() as fd:\n"
                     "        x = fd.define_tensor([4, 6], True)\n"
                     "        x.set_device_mesh(nvfuser.DeviceMesh([0, 5]))\n"
                     "        fd.add_output(fd.ops.set(x))\n";
  HirScriptOptions options = { .n_devices = 4 };
  g_auto (HirScriptResult) result = { 0 };
  g_autoptr (HirContainer) container = run_good_with (text, "f", NULL, &result);

  g_assert_nonnull (container);
  g_assert_cmpint (result.n_devices, ==, 6);
  g_assert_cmpstr (result.function, ==, "f");
  run_bad_with (text, "f", &options, HIR_ERROR_INPUT, 5, "device 5");
}

/* A call of a local import with a tensor adds a note. */
static void
test_notes (void)
{
  const char *text = "import nvfuser\nfrom helpers import shard\ndef f():\n    with "
                     "nvfuser.FusionDefinition() as fd:\n"
                     "        x = fd.define_tensor([4, 6], True)\n"
                     "        shard(x)\n"
                     "        fd.sched.inline_most()\n"
                     "        fd.add_output(fd.ops.set(x))\n";
  g_auto (HirScriptResult) result = { 0 };
  g_autoptr (HirContainer) container = run_good_with (text, "f", NULL, &result);

  g_assert_nonnull (container);
  g_assert_cmpuint (result.notes->len, ==, 2);
  g_assert_cmpuint (((HirDiagnostic *) result.notes->pdata[0])->pos.line, ==, 6);
  g_assert_nonnull (
      strstr (((HirDiagnostic *) result.notes->pdata[0])->message, "helpers.shard()"));
}

/* Every function of the example scripts builds a valid fusion. */
static void
test_examples (void)
{
  static const char *const files[] = { "single_device.py", "multi_device.py",
                                       "as_people_write_tests.py" };
  const char *args[] = { NULL, NULL, NULL };
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path =
          g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "app", "examples", files[i], NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (HirSource) source = hir_script_load (path, &error);
      g_autoptr (HirScript) script = hir_script_parse (source, NULL);
      g_autoptr (GPtrArray) candidates = hir_script_dup_candidates (script);

      for (guint j = 0; j < candidates->len; j++, n++)
        {
          const char *name = ((HirScriptFunction *) candidates->pdata[j])->name;
          HirScriptOptions options = { .n_devices = 4, .args = args };
          g_autoptr (HirContainer) container = NULL;

          args[0] = strcmp (name, "row_parallel") == 0                ? "h=12"
                    : strcmp (name, "matmul_over") == 0               ? "rank=2"
                    : strcmp (name, "test_allreduce_by_streams") == 0 ? "s=8"
                                                                      : NULL;
          args[1] = strcmp (name, "row_parallel") == 0  ? "num_chunks=2"
                    : strcmp (name, "matmul_over") == 0 ? "axis=0"
                                                        : NULL;
          container = hir_script_run (script, name, &options, NULL, &error);
          g_assert_no_error (error);
          g_assert_true (hir_container_verify (container, &error));
          g_assert_no_error (error);
          g_assert_cmpuint (container->outputs.len, ==, 1);
        }
    }
  g_assert_cmpuint (n, ==, 28);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/script/bindings/ops", test_ops);
  g_test_add_func ("/script/bindings/operators", test_operators);
  g_test_add_func ("/script/bindings/schedules", test_schedules);
  g_test_add_func ("/script/bindings/define-tensor", test_define_tensor);
  g_test_add_func ("/script/bindings/layouts", test_layouts);
  g_test_add_func ("/script/bindings/scalars", test_scalars);
  g_test_add_func ("/script/bindings/variance-count", test_variance_count);
  g_test_add_func ("/script/bindings/retype", test_retype);
  g_test_add_func ("/script/bindings/refused", test_refused);
  g_test_add_func ("/script/bindings/devices", test_devices);
  g_test_add_func ("/script/bindings/notes", test_notes);
  g_test_add_func ("/script/bindings/examples", test_examples);
  return g_test_run ();
}
