/* Tests schedule edits: the edited text, and that it has the requested effect. */
#include <string.h>

#include "script/edit-schedule.h"
#include "script/parse/callers.h"
#include "tensor.h"

#define HEAD                                                                                       \
  "from nvfuser_direct import DataType, FusionDefinition, ParallelType\n"                          \
  "def f():\n"                                                                                     \
  "    with FusionDefinition() as fd:\n"                                                           \
  "        a = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float)\n"
#define TAIL "    return fd\n"

static HirContainer *
run (const char *text, const char *function, HirScript **script)
{
  g_autoptr (HirSource) source = hir_source_new ("f.py", text, -1);
  g_autoptr (HirScript) parsed = hir_script_parse (source, NULL);
  HirScriptOptions options = { .n_devices = 2 };
  g_autoptr (GError) error = NULL;
  HirContainer *fusion = hir_script_run (parsed, function, &options, NULL, &error);

  if (script != NULL)
    *script = g_steal_pointer (&parsed);
  return fusion;
}

static HirTensor *
find_tensor (HirContainer *fusion, const char *name)
{
  HirTensor *found = NULL;

  for (guint i = 0; i < fusion->tensors.len; i++)
    if (g_strcmp0 (((HirTensor *) fusion->tensors.items[i])->script_name, name) == 0)
      found = fusion->tensors.items[i];
  return found;
}

static char *
edit (const char *text,
      const char *function,
      const char *name,
      HirScheduleEdit change,
      GError **error)
{
  g_autoptr (HirScript) script = NULL;
  g_autoptr (HirContainer) fusion = run (text, function, &script);
  HirTensor *tensor;
  HirScriptTensor which;
  guint line = 0;
  char *edited;

  g_assert_nonnull (fusion);
  tensor = find_tensor (fusion, name);
  g_assert_nonnull (tensor);
  which = (HirScriptTensor){ function, name, tensor->base.node.pos, tensor->loop.n };
  edited = hir_script_edit_schedule (script, &which, &change, &line, error);
  g_assert_true ((edited != NULL) == (line > 0));
  return edited;
}

static HirScheduleEdit
parallelize (gint64 axis, HirParallelType type)
{
  return (HirScheduleEdit){ .axis = axis, .type = type };
}

static void
check (const char *before, const char *name, HirScheduleEdit change, const char *after)
{
  g_autofree char *text = g_strconcat (HEAD, before, TAIL, NULL);
  g_autofree char *wanted = g_strconcat (HEAD, after, TAIL, NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *edited = edit (text, "f", name, change, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (edited, ==, wanted);
}

#define SET "        b = fd.ops.set(a)\n        fd.add_output(b)\n"

static void
test_insert (void)
{
  check (SET, "b", parallelize (0, HIR_PARALLEL_STREAM),
         SET "        b.axis(0).parallelize(ParallelType.stream)\n");
  check (SET, "a", parallelize (1, HIR_PARALLEL_DIDX),
         "        b = fd.ops.set(a)\n        a.axis(1).parallelize(ParallelType.mesh_x)\n"
         "        fd.add_output(b)\n");
  check (SET, "b", (HirScheduleEdit){ HIR_SCHEDULE_EDIT_OUTER_SPLIT, 1, 0, 4 },
         SET "        b.outer_split(1, 4)\n");
  check (SET, "b", (HirScheduleEdit){ HIR_SCHEDULE_EDIT_INNER_SPLIT, 0, 0, 2 },
         SET "        b.inner_split(0, 2)\n");
  check (SET, "b", (HirScheduleEdit){ .kind = HIR_SCHEDULE_EDIT_MERGE },
         SET "        b.merge(0)\n");
  check (SET, "b", (HirScheduleEdit){ HIR_SCHEDULE_EDIT_TO_FRONT, 1, 0, 0 },
         SET "        b.reorder({1: 0})\n");
  /* After other statements about the tensor, also those after the `with`. */
  check (SET "        for t in (a, b):\n            t.split(0, 2)\n", "b",
         parallelize (0, HIR_PARALLEL_STREAM),
         SET "        for t in (a, b):\n            t.split(0, 2)\n"
             "        b.axis(0).parallelize(ParallelType.stream)\n");
  check (SET "    b.split(0, 2)  # so\n", "b", parallelize (0, HIR_PARALLEL_STREAM),
         SET "    b.split(0, 2)  # so\n    b.axis(0).parallelize(ParallelType.stream)\n");
}

#define LINE(type) "        b.axis(0).parallelize(ParallelType." type ")\n"

static void
test_change (void)
{
  check (SET LINE ("stream"), "b", parallelize (0, HIR_PARALLEL_DIDX), SET LINE ("mesh_x"));
  check (SET LINE ("stream"), "b", parallelize (0, HIR_PARALLEL_SERIAL), SET);
  check (SET LINE ("stream") "        b.axis(1).parallelize(ParallelType.mesh_x)\n", "b",
         parallelize (0, HIR_PARALLEL_SERIAL),
         SET "        b.axis(1).parallelize(ParallelType.mesh_x)\n");
  check (SET "        b.axis(-1).parallelize(ParallelType.stream)\n", "b",
         parallelize (1, HIR_PARALLEL_DIDX),
         SET "        b.axis(-1).parallelize(ParallelType.mesh_x)\n");
  /* The axis has changed since the existing line, so another line is added. */
  check (SET LINE ("stream") "        b.split(1, 2)\n", "b", parallelize (0, HIR_PARALLEL_SERIAL),
         SET LINE ("stream") "        b.split(1, 2)\n" LINE ("serial"));
}

static void
test_names (void)
{
  /* A name assigned twice: edits affect the range in which it refers to the tensor. */
  const char *twice = "        x = fd.ops.set(a)\n        x = fd.ops.neg(x)\n"
                      "        fd.add_output(x)\n";
  g_autofree char *text = g_strconcat (HEAD, twice, TAIL, NULL);
  g_autoptr (HirScript) script = NULL;
  g_autoptr (HirContainer) fusion = run (text, "f", &script);
  HirScheduleEdit change = parallelize (0, HIR_PARALLEL_STREAM);
  HirScriptTensor first = { "f", "x", { 5, 13 }, 2 };
  g_autoptr (GError) error = NULL;
  guint line;
  g_autofree char *edited = hir_script_edit_schedule (script, &first, &change, &line, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (line, ==, 6);
  g_assert_nonnull (strstr (edited, "x = fd.ops.set(a)\n        x.axis(0)"));
  first.pos = (HirPos){ 0, 0 };
  g_assert_null (hir_script_edit_schedule (script, &first, &change, NULL, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  g_clear_error (&error);
  first.variable = "y";
  g_assert_null (hir_script_edit_schedule (script, &first, &change, NULL, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
}

static void
test_type_name (void)
{
  g_autofree char *edited = NULL, *none = NULL;
  g_autoptr (GError) error = NULL;

  edited = edit ("import nvfuser_direct as nvf\n"
                 "from nvfuser_direct import DataType, FusionDefinition\n"
                 "def f():\n"
                 "    with FusionDefinition() as fd:\n"
                 "        a = fd.define_tensor(shape=[-1], dtype=DataType.Float)\n"
                 "        b = fd.ops.set(a)\n"
                 "        fd.add_output(b)\n"
                 "    return fd\n",
                 "f", "b", parallelize (0, HIR_PARALLEL_STREAM), &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (edited, "b.axis(0).parallelize(nvf.ParallelType.stream)\n"));
  none = edit ("from nvfuser_direct import DataType, FusionDefinition\n"
               "def f():\n"
               "    with FusionDefinition() as fd:\n"
               "        a = fd.define_tensor(shape=[-1], dtype=DataType.Float)\n"
               "        b = fd.ops.set(a)\n"
               "        fd.add_output(b)\n"
               "    return fd\n",
               "f", "b", parallelize (0, HIR_PARALLEL_STREAM), &error);
  g_assert_null (none);
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
}

/* --- every axis of every tensor of the examples ------------------------------------------------
 * */

/* Finds the same tensor after the script has run again, by name and order. */
static HirTensor *
find_same (HirContainer *fusion, const HirTensor *tensor)
{
  for (guint i = 0; i < fusion->tensors.len; i++)
    {
      HirTensor *other = fusion->tensors.items[i];

      if (other->base.name == tensor->base.name)
        return other;
    }
  return NULL;
}

static guint
check_axis (
    HirScript *script, const char *function, HirTensor *tensor, guint axis, HirParallelType type)
{
  HirScriptTensor which = { function, tensor->script_name, tensor->base.node.pos, tensor->loop.n };
  HirScheduleEdit change = parallelize (axis, type);
  g_autoptr (GError) error = NULL;
  g_autofree char *edited = hir_script_edit_schedule (script, &which, &change, NULL, &error);
  g_autoptr (HirContainer) after = NULL;

  if (edited == NULL)
    {
      g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
      return 0;
    }
  after = run (edited, function, NULL);
  if (after == NULL)
    g_error ("%s: %s axis %u: the edited script does not run:\n%s", function, tensor->script_name,
             axis, edited);
  g_assert_cmpint (find_same (after, tensor)->loop.ids[axis]->parallel_type, ==, type);
  return 1;
}

static void
test_examples (gconstpointer data)
{
  static const HirParallelType types[] = { HIR_PARALLEL_STREAM, HIR_PARALLEL_DIDX,
                                           HIR_PARALLEL_SERIAL };
  const char *name = data;
  g_autofree char *path =
      g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "app", "examples", name, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirSource) source = hir_script_load (path, &error);
  g_autoptr (HirScript) script = NULL;
  g_autoptr (GPtrArray) functions = NULL;
  guint n_done = 0, n_all = 0;

  g_assert_no_error (error);
  script = hir_script_parse (source, NULL);
  functions = hir_script_dup_candidates (script);
  for (guint i = 0; i < functions->len; i++)
    {
      const HirScriptFunction *function = functions->pdata[i];
      g_autoptr (HirContainer) fusion = run (source->text, function->name, NULL);

      for (guint k = 0; fusion != NULL && k < fusion->tensors.len; k++)
        {
          HirTensor *tensor = fusion->tensors.items[k];

          for (guint axis = 0; tensor->script_name != NULL && axis < tensor->loop.n * 3; axis++)
            {
              n_all++;
              n_done += check_axis (script, function->name, tensor, axis / 3, types[axis % 3]);
            }
        }
    }
  g_test_message ("%u of %u edits", n_done, n_all);
  g_assert_cmpuint (n_all, >, 50);
  g_assert_cmpuint (n_done * 10, >=, n_all * 8);
}

/* Searches visit the body of a lambda once, not twice per level. */
static void
test_nested_lambdas (void)
{
  g_autoptr (GString) lambdas = g_string_new ("        c = ");
  g_autofree char *before = NULL, *after = NULL, *text = NULL;
  g_autoptr (HirScript) script = NULL;
  g_autoptr (HirSource) source = NULL;
  g_autoptr (GHashTable) names = NULL;

  for (guint i = 0; i < 100; i++)
    g_string_append (lambdas, "lambda: ");
  g_string_append (lambdas, "0\n");
  before = g_strconcat (SET, lambdas->str, NULL);
  after =
      g_strconcat (SET "        b.axis(0).parallelize(ParallelType.stream)\n", lambdas->str, NULL);
  check (before, "b", parallelize (0, HIR_PARALLEL_STREAM), after);
  text = g_strconcat (HEAD, before, TAIL, "def g():\n    f()\n", NULL);
  source = hir_source_new ("f.py", text, -1);
  script = hir_script_parse (source, NULL);
  names = hir_script_dup_reaching (script, "f");
  g_assert_cmpuint (g_hash_table_size (names), ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/edit-schedule/insert", test_insert);
  g_test_add_func ("/edit-schedule/change", test_change);
  g_test_add_func ("/edit-schedule/names", test_names);
  g_test_add_func ("/edit-schedule/type-name", test_type_name);
  g_test_add_func ("/edit-schedule/nested-lambdas", test_nested_lambdas);
  g_test_add_data_func ("/edit-schedule/single-device", "single_device.py", test_examples);
  g_test_add_data_func ("/edit-schedule/multi-device", "multi_device.py", test_examples);
  return g_test_run ();
}
