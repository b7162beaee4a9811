/* Tests regressions found by random fusions over devices, one script each: lowered for every
 * device, run, and compared with the fusion; or rejected with a message at a line. */
#include <string.h>

#include "fixture-devices.h"
#include "run-fixture.h"
#include "script/script.h"

#define HEAD                                                                                       \
  "import torch\n"                                                                                 \
  "from nvfuser_direct import DataType, FusionDefinition, ParallelType, multidevice\n"             \
  "def case():\n"                                                                                  \
  "  with FusionDefinition() as fd:\n"                                                             \
  "    one = multidevice.DeviceMesh(torch.tensor([0]))\n"                                          \
  "    two = multidevice.DeviceMesh(torch.tensor([0, 1]))\n"
#define ROWS(name, shape, type)                                                                    \
  "    " name " = fd.define_tensor(shape=" shape ", contiguity=True, dtype=DataType." type ")\n"
#define ON(name, mesh) "    " name ".set_device_mesh(" mesh ")\n"
#define OVER(name, axis, type) "    " name ".axis(" axis ").parallelize(ParallelType." type ")\n"
#define SPLIT(name, axis) "    " name ".outer_split(" axis ", 2)\n" OVER (name, axis, "mesh_x")
#define OUT(name) "    fd.add_output(" name ")\n"
#define TAIL "  return fd\n"

typedef struct
{
  const char *name, *script;
  const char *has;     /* nullable: text in the program of rank 0, as fix_brief() prints it */
  const char *refusal; /* nullable: `Pass|fragment|fragment` */
} Case;

static const Case cases[] = {
  { "/run/sharded/permute-that-reshards-gets-a-set",
    HEAD ROWS ("a", "[2, 6, 5]", "Float") "    b = fd.ops.permute(a, dims=[0, 2, 1])\n" OUT ("b")
        ON ("a", "two") OVER ("a", "0", "mesh_x") ON ("b", "two") TAIL,
    "PostOnStream(T1) ALLOCATE(T2) Allgather(0 1)" },
  { "/run/sharded/permute-on-to-other-devices",
    HEAD ROWS ("a", "[4, 6]", "Float") "    b = fd.ops.permute(a, dims=[1, 0])\n" OUT ("b")
        ON ("a", "one") ON ("b", "two") TAIL,
    "Broadcast" },
  { "/run/sharded/stream-slice-keeps-the-split",
    HEAD ROWS ("a", "[5, 8]", "Float") "    b = fd.ops.relu(a)\n    c = fd.ops.add(b, a)\n" OUT (
        "c") ON ("a", "two") SPLIT ("a", "1") ON ("c", "two") OVER ("c", "0", "stream") TAIL,
    "ALLOCATE(T6) Allgather(0 1) Wait" },
  { "/run/sharded/stream-slice-of-a-split-is-gathered",
    HEAD ROWS ("a", "[5, 8]", "Float") "    b = fd.ops.set(a)\n    c = fd.ops.set(b)\n" OUT ("c")
        ON ("a", "two") SPLIT ("a", "1") ON ("b", "two") SPLIT ("b", "1") ON ("c", "two")
            OVER ("b", "0", "stream") OVER ("c", "0", "stream") TAIL,
    "Set(T4) HirAliasSelect(T5) ALLOCATE(T5) Allgather(0 1) Wait" },
  { "/run/sharded/rfactored-sum",
    HEAD ROWS ("a", "[5, 8]", "Float") "    b = fd.ops.sum(a, dims=[1])\n" OUT ("b") ON ("a", "two")
        SPLIT ("a", "1") TAIL,
    "Allreduce" },
  { "/run/sharded/rfactored-sum-in-a-loop",
    HEAD ROWS ("a", "[5, 8]", "Float") "    b = fd.ops.sum(a, dims=[1])\n" OUT ("b") ON ("a", "two")
        SPLIT ("a", "1") ON ("b", "two") SPLIT ("b", "1") OVER ("b", "0", "stream") TAIL,
    "Allreduce" },
  { "/run/sharded/rfactored-product-in-a-loop",
    HEAD ROWS ("a", "[5, 8]", "Float")
        ROWS ("w", "[8, 3]", "Float") "    b = fd.ops.matmul(a, w)\n" OUT ("b") ON ("a", "two")
            SPLIT ("a", "1") ON ("w", "two") SPLIT ("w", "0") ON ("b", "two") SPLIT ("b", "2")
                OVER ("b", "0", "stream") TAIL,
    "Allreduce" },
  /* Seed 3374: each device rounds its part of a sum to bfloat16, although the script splits only an
   * operand. */
  { "/run/sharded/sums-in-parts-of-bfloat16",
    HEAD ROWS ("a", "[40, 8]", "BFloat16")
        ROWS ("w", "[8, 30]", "BFloat16") "    b = fd.ops.matmul(a, w)\n" OUT ("b") ON ("a", "two")
            SPLIT ("a", "1") ON ("w", "two") TAIL,
    "Allreduce" },
  { "/run/sharded/column-major-in-a-collective",
    HEAD
    "    a = fd.define_tensor(shape=[4, 6], contiguity=True, dtype=DataType.Float, "
    "stride_order=[0, 1])\n    b = fd.ops.set(a)\n" OUT ("b") ON ("a", "two")
        ON ("b", "two") "    b.set_allocation_domain([b.axis(1), b.axis(0)], True)\n" SPLIT ("a",
                                                                                             "1")
            TAIL,
    "Allgather" },
  { "/run/sharded/one-device-has-the-whole-axis",
    HEAD ROWS ("a", "[4, 6]", "Float") "    b = fd.ops.set(a)\n" OUT ("b")
        ON ("a", "one") "    a.outer_split(0, 1)\n" OVER ("a", "0", "mesh_x") ON ("b", "two")
            SPLIT ("b", "0") TAIL,
    "Scatter" },
  { "/run/sharded/gather-to-one-device",
    HEAD ROWS ("a", "[4, 6]", "Float") "    b = fd.ops.set(a)\n" OUT ("b") ON ("a", "two")
        SPLIT ("a", "0") ON ("b", "one") "    b.outer_split(0, 1)\n" OVER ("b", "0", "mesh_x") TAIL,
    "Gather(0 1)@0" },
  { "/run/sharded/one-device-inner-gather",
    HEAD ROWS ("a", "[4, 6]", "Float") "    b = fd.ops.set(a)\n" OUT ("b") ON ("a", "two")
        SPLIT ("a", "1") ON ("b", "one") "    b.outer_split(1, 1)\n" OVER ("b", "1", "mesh_x") TAIL,
    NULL, "ConvertOpToCommunication|would gather axis|not the outermost axis in memory" },
  { "/run/sharded/scatter-of-a-broadcast-axis",
    HEAD ROWS ("a", "[6]", "Float") "    b = fd.ops.broadcast(a, [True, False])\n"
                                    "    c = fd.ops.set(b)\n" OUT ("c") ON ("a", "one")
                                        ON ("b", "one") ON ("c", "two") SPLIT ("c", "0") TAIL,
    "Broadcast" },
  { "/run/sharded/collective-in-a-loop-with-an-exchange",
    HEAD ROWS ("a", "[2, 6, 4]", "Float")
        ROWS ("p", "[2, 6, 4]", "Float") "    b = fd.ops.set(a)\n    q = fd.ops.set(p)\n    d = "
                                         "fd.ops.add(b, q)\n" OUT ("d") ON ("a", "two")
                                             OVER ("a", "0", "mesh_x") ON ("p", "two")
                                                 SPLIT ("p", "1") ON ("b", "two")
                                                     OVER ("b", "0", "stream") ON ("q", "two")
                                                         OVER ("q", "0", "stream") ON ("d", "two")
                                                             OVER ("d", "0", "stream") TAIL,
    NULL, "ConvertOpToCommunication|in the same loop as an exchange|block each other" },
};

static HirContainer *
read_fusion (const Case *self)
{
  const HirScriptOptions options = { .n_devices = 2 };
  GError *error = NULL;
  HirSource *source = hir_source_new ("case.py", self->script, -1);
  g_autoptr (HirScript) script = hir_script_parse (source, NULL);
  HirContainer *fusion = hir_script_run (script, "case", &options, NULL, &error);

  hir_source_unref (source);
  g_assert_no_error (error);
  return fusion;
}

static void
assert_rejected (const Case *self, HirContainer *fusion)
{
  g_auto (GStrv) words = g_strsplit (self->refusal, "|", -1);
  g_autoptr (GError) error = fix_refusal_of (fusion, NULL, 0, words[0]);

  g_assert_error (error, HIR_ERROR, HIR_ERROR_REFUSED);
  g_assert_cmpuint (hir_error_get_pos (error).line, >, 0);
  for (guint i = 1; words[i] != NULL; i++)
    if (strstr (error->message, words[i]) == NULL)
      g_error ("no '%s' in: %s", words[i], error->message);
}

static void
test_case (gconstpointer data)
{
  const Case *self = data;
  g_autoptr (HirContainer) fusion = read_fusion (self);
  HirRunOptions options = run_options ();
  HirContainer *programs[2];
  g_autofree char *brief = NULL;

  if (self->refusal != NULL)
    {
      assert_rejected (self, fusion);
      return;
    }
  for (guint rank = 0; rank < 2; rank++)
    programs[rank] = fix_program (fusion, NULL, rank);
  brief = fix_brief (&programs[0]->top);
  g_test_message ("%s", brief);
  if (self->has != NULL && strstr (brief, self->has) == NULL)
    g_error ("no '%s' in: %s", self->has, brief);
  options.max_delay_us = 100;
  for (guint seed = 1; seed <= 5; seed++)
    {
      RunResult result;

      options.seed = seed;
      result = run_programs (fusion, programs, 2, &options, FALSE);
      g_assert_no_error (result.error);
      if (!result.passed)
        g_test_message ("%s", result.report);
      g_assert_true (result.passed);
      run_result_clear (&result);
    }
  for (guint rank = 0; rank < 2; rank++)
    hir_container_unref (programs[rank]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_test_add_data_func (cases[i].name, &cases[i], test_case);
  return g_test_run ();
}
