/* Tests the instances of instructions and loops. */
#include "selection/instances.h"

static const char script[] =
    "from nvfuser_direct import FusionDefinition, DataType, ParallelType\n"
    "def f():\n"
    "    with FusionDefinition() as fd:\n"
    "        a = fd.define_tensor(shape=[8, 8], contiguity=True, dtype=DataType.Float)\n"
    "        c = fd.ops.set(a)\n"
    "        fd.add_output(c)\n"
    "        c.axis(0).parallelize(ParallelType.stream)\n"
    "    return fd\n";

typedef struct
{
  HirProgram *program;
  HirSelection *selection;
  HirTraceBuilder *builder;
  guint stream, other_stream, host, other_rank;
  guint64 loop, set, sync; /* the last loop and instructions in it */
} Fixture;

static guint
add_track (Fixture *f, HirTrackKind kind, int rank, int stream)
{
  HirTrack track = { kind, rank, rank, stream, (char *) "track" };

  return hir_trace_builder_add_track (f->builder, &track);
}

/* Returns a node of kind @kind directly inside @inside, or anywhere if @inside is 0. */
static guint64
find (const HirProgramView *view, const char *kind, guint64 inside)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, view->nodes);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const HirNodeInfo *info = value;

      for (guint i = 0; g_str_equal (info->kind, kind) && i < info->facts->len; i++)
        {
          const HirFact *fact = &g_array_index (info->facts, HirFact, i);

          if (g_str_equal (fact->name, "inside") && (inside == 0 || fact->id == inside))
            return inside == 0 ? fact->id : info->id;
        }
    }
  return 0;
}

static void
set_up (Fixture *f)
{
  g_autoptr (HirSource) source = hir_source_new ("f.py", script, -1);
  g_autoptr (HirRequest) request = hir_request_new (source, "f");
  g_autoptr (GError) error = NULL;
  const HirProgramView *last;

  f->program = hir_program_new (request, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_no_error (f->program->error);
  last = f->program->views->pdata[f->program->views->len - 1];
  f->loop = find (last, "LoadStoreOp", 0);
  g_assert_cmpuint (f->loop, !=, 0);
  f->set = find (last, "LoadStoreOp", f->loop);
  f->sync = find (last, "Synchronize", f->loop);
  g_assert_cmpuint (f->set, !=, 0);
  g_assert_cmpuint (f->sync, !=, 0);
  f->selection = hir_selection_new ();
  hir_selection_set_program (f->selection, f->program);
  f->builder = hir_trace_builder_new ();
  f->stream = add_track (f, HIR_TRACK_STREAM, 0, 1);
  f->other_stream = add_track (f, HIR_TRACK_STREAM, 0, 2);
  f->host = add_track (f, HIR_TRACK_HOST, 0, -1);
  f->other_rank = add_track (f, HIR_TRACK_STREAM, 1, 1);
}

static void
tear_down (Fixture *f)
{
  g_object_unref (f->selection);
  hir_program_unref (f->program);
}

static void
add (
    Fixture *f, guint track, guint64 instruction, HirEventKind kind, gint64 start_ns, int iteration)
{
  HirEvent event = { .start_ns = start_ns,
                     .end_ns = start_ns + 5,
                     .instruction = instruction,
                     .iteration = iteration,
                     .kind = kind,
                     .phase = HIR_PHASE_PROGRAM,
                     .track = (guint16) track };

  g_assert_true (hir_trace_builder_add (f->builder, &event, NULL));
}

static const HirInstance *
get (GArray *found, guint i)
{
  return &g_array_index (found, HirInstance, i);
}

/* Device events of one rank, sorted by start over all streams, without warm-ups. */
static void
test_instruction (void)
{
  Fixture f;
  g_autoptr (HirTrace) trace = NULL;
  g_autoptr (GArray) found = NULL, elsewhere = NULL, none = NULL;
  HirEvent warm_up = { .start_ns = 1, .end_ns = 2, .iteration = 0, .phase = HIR_PHASE_WARMUP };

  set_up (&f);
  add (&f, f.stream, f.set, HIR_EVENT_KERNEL, 30, 2);
  add (&f, f.other_stream, f.set, HIR_EVENT_KERNEL, 20, 1);
  add (&f, f.stream, f.set, HIR_EVENT_KERNEL, 10, 0);
  add (&f, f.stream, f.sync, HIR_EVENT_SYNC, 15, 0);
  add (&f, f.host, f.set, HIR_EVENT_ISSUE, 5, 0);
  add (&f, f.other_rank, f.set, HIR_EVENT_KERNEL, 12, 0);
  warm_up.instruction = f.set;
  warm_up.track = (guint16) f.stream;
  g_assert_true (hir_trace_builder_add (f.builder, &warm_up, NULL));
  trace = hir_trace_builder_finish (f.builder);

  none = hir_instances_dup (trace, f.selection, 0);
  g_assert_cmpuint (none->len, ==, 0);
  hir_selection_set_node (f.selection, f.set);
  found = hir_instances_dup (trace, f.selection, 0);
  g_assert_cmpuint (found->len, ==, 3);
  for (guint i = 0; i < 3; i++)
    {
      g_assert_cmpint (get (found, i)->iteration, ==, i);
      g_assert_cmpint (get (found, i)->start_ns, ==, 10 + 10 * i);
      g_assert_cmpint (get (found, i)->end_ns, ==, 15 + 10 * i);
    }
  g_assert_cmpuint (get (found, 1)->track, ==, f.other_stream);
  elsewhere = hir_instances_dup (trace, f.selection, 1);
  g_assert_cmpuint (elsewhere->len, ==, 1);
  g_assert_cmpint (get (elsewhere, 0)->start_ns, ==, 12);
  tear_down (&f);
}

/* A loop has one instance per iteration: the first kernel, even after a wait. */
static void
test_loop (void)
{
  Fixture f;
  g_autoptr (HirTrace) trace = NULL;
  g_autoptr (GArray) found = NULL;

  set_up (&f);
  for (int i = 0; i < 4; i++)
    {
      add (&f, f.stream, f.sync, HIR_EVENT_SYNC, 100 * i, i);
      if (i != 3)
        add (&f, f.stream, f.set, HIR_EVENT_KERNEL, 100 * i + 10, i);
      if (i == 1)
        add (&f, f.other_stream, f.set, HIR_EVENT_KERNEL, 100 * i + 5, i);
    }
  add (&f, f.stream, f.set, HIR_EVENT_KERNEL, 900, -1);
  trace = hir_trace_builder_finish (f.builder);
  hir_selection_set_node (f.selection, f.loop);
  found = hir_instances_dup (trace, f.selection, 0);
  g_assert_cmpuint (found->len, ==, 4);
  g_assert_cmpint (get (found, 0)->start_ns, ==, 10);
  g_assert_cmpint (get (found, 1)->start_ns, ==, 105);
  g_assert_cmpint (get (found, 2)->start_ns, ==, 210);
  /* An iteration without a kernel is represented by its first event. */
  g_assert_cmpint (get (found, 3)->start_ns, ==, 300);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpint (get (found, i)->iteration, ==, i);
  tear_down (&f);
}

static const char fused_script[] =
    "from nvfuser_direct import FusionDefinition, DataType\n"
    "def f():\n"
    "    with FusionDefinition() as fd:\n"
    "        a = fd.define_tensor(shape=[8, 8], contiguity=True, dtype=DataType.Float)\n"
    "        b = fd.ops.exp(fd.ops.neg(a))\n"
    "        fd.add_output(b)\n"
    "    return fd\n";

/* The instruction that launches a HostUnit executes the ops in it, in both pipelines. */
static void
test_unit (gconstpointer pipeline)
{
  g_autoptr (HirSource) source = hir_source_new ("f.py", fused_script, -1);
  g_autoptr (HirRequest) request = hir_request_new (source, "f");
  g_autoptr (HirSelection) selection = hir_selection_new ();
  g_autoptr (HirProgram) program = NULL;
  g_autoptr (GArray) ids = NULL, of_unit = NULL;
  g_autoptr (GError) error = NULL;
  const HirNodeInfo *launch;
  const HirProgramView *last;
  guint64 op, unit;

  request->pipeline = (HirPipelineKind) GPOINTER_TO_INT (pipeline);
  request->pipeline_given = TRUE;
  program = hir_program_new (request, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_no_error (program->error);
  last = program->views->pdata[program->views->len - 1];
  unit = find (last, "UnaryOp", 0);
  op = find (last, "UnaryOp", unit);
  g_assert_cmpstr (hir_program_view_lookup (last, unit)->kind, ==, "HostUnit");
  hir_selection_set_program (selection, program);
  hir_selection_set_step (selection, program->views->len - 1);
  hir_selection_set_node (selection, op);
  ids = hir_instances_dup_instructions (selection);
  g_assert_cmpuint (ids->len, ==, 2);
  g_assert_cmpuint (g_array_index (ids, guint64, 0), ==, op);
  launch = hir_program_view_lookup (last, g_array_index (ids, guint64, 1));
  g_assert_cmpstr (launch->kind, ==,
                   request->pipeline == HIR_PIPELINE_HOSTIR ? "LaunchKernel" : "PostOnStream");
  hir_selection_set_node (selection, unit);
  of_unit = hir_instances_dup_instructions (selection);
  g_assert_cmpuint (of_unit->len, ==, 2);
  g_assert_cmpuint (g_array_index (of_unit, guint64, 1), ==, launch->id);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/instances/instruction", test_instruction);
  g_test_add_func ("/instances/loop", test_loop);
  g_test_add_data_func ("/instances/unit/executor", GINT_TO_POINTER (HIR_PIPELINE_EXECUTOR),
                        test_unit);
  g_test_add_data_func ("/instances/unit/hostir", GINT_TO_POINTER (HIR_PIPELINE_HOSTIR), test_unit);
  return g_test_run ();
}
