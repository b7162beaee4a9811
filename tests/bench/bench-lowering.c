/* Measures time and memory of lowering as a function of the number of ops, including snapshots.
 * Run it with `meson test --benchmark`, or by hand with the sizes as arguments. Prints one row
 * per shape and size, the best of three runs because other programs use the machine, too. Checks
 * nothing. */
#include <stdlib.h>

#include "ops/ops.h"
#include "pipeline.h"
#include "schedule/schedule.h"

typedef struct
{
  const char *name;
  /* Adds op @i, which reads @last and @first, at line i of the script. */
  HirTensor *(*add) (HirContainer *fusion, guint i, HirTensor *first, HirTensor *last);
  gboolean streamed;
  guint n_devices; /* 0: no mesh */
} Shape;

static HirTensor *
checked (HirTensor *tensor, GError *error)
{
  if (tensor == NULL)
    g_error ("%s", error->message);
  return tensor;
}

/* A chain of Sets: one segment per op, and one loop of all. */
static HirTensor *
add_set (HirContainer *fusion, guint i, HirTensor *first, HirTensor *last)
{
  GError *error = NULL;

  return checked (hir_op_set (fusion, last, &error), error);
}

/* Repeats a loop of five Sets and a relu. */
static HirTensor *
add_mixed (HirContainer *fusion, guint i, HirTensor *first, HirTensor *last)
{
  GError *error = NULL;

  if (i % 6 == 5)
    return checked (hir_op_unary (fusion, HIR_UNARY_RELU, last, &error), error);
  if (i % 6 == 2)
    return checked (hir_op_binary (fusion, HIR_BINARY_ADD, HIR_VAL (last), HIR_VAL (last), &error),
                    error);
  return checked (hir_op_set (fusion, last, &error), error);
}

/* A chain of unary ops: one HostUnit of all. */
static HirTensor *
add_unary (HirContainer *fusion, guint i, HirTensor *first, HirTensor *last)
{
  GError *error = NULL;

  return checked (hir_op_unary (fusion, HIR_UNARY_ABS, last, &error), error);
}

/* All ops read one tensor, and a final op reads all results: the segmenter merges one pair of
 * groups per iteration. */
static HirTensor *
add_star (HirContainer *fusion, guint i, HirTensor *first, HirTensor *last)
{
  HirTensor *centre = fusion->tensors.len > 1 ? fusion->tensors.items[1] : first;
  GError *error = NULL;
  HirTensor *tensor = checked (hir_op_unary (fusion, HIR_UNARY_ABS, centre, &error), error);

  hir_container_add_output (fusion, HIR_VAL (tensor));
  return tensor;
}

/* Repeats ag_matmul: a matrix product whose rows are gathered stream by stream, and a Set that
 * distributes the result over devices again. */
static HirTensor *
add_ag_matmul (HirContainer *fusion, guint i, HirTensor *first, HirTensor *last)
{
  static const gint64 sizes[] = { 64, 64 };
  static const gint8 contiguity[] = { HIR_CONTIGUITY_TRUE, HIR_CONTIGUITY_TRUE };
  GError *error = NULL;
  HirTensor *weight;

  if (i % 2 == 1)
    return checked (hir_op_set (fusion, last, &error), error);
  weight = checked (hir_define_tensor (fusion, sizes, 2, contiguity, HIR_DTYPE_FLOAT, FALSE, NULL,
                                       &error),
                    error);
  return checked (hir_op_matmul (fusion, last, weight, &error), error);
}

static const Shape shapes[] = {
  { "sets, one loop", add_set, TRUE },
  { "sets, adds, relus", add_mixed, TRUE },
  { "unary chain", add_unary, FALSE },
  { "unary star", add_star, FALSE },
  { "ag_matmul, 8 devices", add_ag_matmul, TRUE, 8 },
};

/* All tensors are on one mesh. Except for weights, tensors without stream axes are sharded along
 * their second axis. */
static void
spread (HirContainer *fusion, guint n_devices)
{
  gint64 devices[8], shape[] = { n_devices };
  GError *error = NULL;
  const HirMesh *mesh;

  for (guint i = 0; i < n_devices; i++)
    devices[i] = i;
  mesh = hir_mesh_new (fusion->arena, devices, n_devices, shape, 1, &error);
  for (guint i = 0; i < fusion->tensors.len; i++)
    {
      HirTensor *tensor = fusion->tensors.items[i];
      gboolean is_spread = tensor->logical.n == 4 &&
                           (tensor->definition == NULL || tensor->definition->kind == HIR_EXPR_SET);

      hir_schedule_set_device_mesh (tensor, mesh);
      if (is_spread && !hir_schedule_parallelize (tensor, 1, HIR_PARALLEL_DIDX, &error))
        g_error ("%s", error->message);
      if (tensor->definition != NULL && tensor->definition->kind == HIR_EXPR_MATMUL &&
          !hir_schedule_parallelize (tensor, 0, HIR_PARALLEL_STREAM, &error))
        g_error ("%s", error->message);
    }
}

static HirContainer *
fusion_new (const Shape *shape, guint n_ops)
{
  static const gint64 sizes[] = { -1, -1 }, blocks[] = { 4, 8, 2, 64 };
  static const gint8 contiguity[] = { HIR_CONTIGUITY_TRUE, HIR_CONTIGUITY_TRUE, HIR_CONTIGUITY_TRUE,
                                      HIR_CONTIGUITY_TRUE };
  HirContainer *fusion = hir_container_new (HIR_CONTAINER_FUSION, NULL);
  GError *error = NULL;
  HirTensor *first, *last;

  hir_maker_begin (fusion, "script", 0);
  first = last = checked (hir_define_tensor (fusion, shape->n_devices > 0 ? blocks : sizes,
                                             shape->n_devices > 0 ? 4 : 2, contiguity,
                                             HIR_DTYPE_FLOAT, FALSE, NULL, &error),
                          error);
  for (guint i = 0; i < n_ops; i++)
    {
      hir_maker_set_pos (fusion, (HirPos){ i + 2, 1 });
      last = shape->add (fusion, i, first, last);
    }
  hir_container_add_output (fusion, HIR_VAL (last));
  if (shape->n_devices > 0)
    {
      spread (fusion, shape->n_devices);
      return fusion;
    }
  for (guint i = 0; shape->streamed && i < fusion->exprs.len; i++)
    {
      const HirExpr *expr = fusion->exprs.items[i];

      if (hir_expr_is_standalone (expr) &&
          !hir_schedule_parallelize (HIR_TENSOR (expr->outputs[0]), 0, HIR_PARALLEL_STREAM, &error))
        g_error ("%s", error->message);
    }
  return fusion;
}

static void
print_row (const Shape *shape, guint n_ops, HirLowering *lowering, gint64 total_us)
{
  g_autoptr (GString) passes = g_string_new (NULL);
  gsize bytes = 0;
  guint n_top = hir_lowering_get_last (lowering)->program->top.exprs.len;

  for (guint i = 0; i < lowering->snapshots->len; i++)
    {
      const HirSnapshot *snapshot = lowering->snapshots->pdata[i];

      if (!snapshot->is_shared)
        bytes += hir_arena_get_size_bytes (snapshot->program->arena);
      if (i > 0)
        g_string_append_printf (passes, "\t%.3f", (double) snapshot->duration_ns / 1e6);
    }
  g_print ("%s\t%u\t%.3f%s\t%.2f\t%u\n", shape->name, n_ops, (double) total_us / 1e3, passes->str,
           (double) bytes / (1024 * 1024), n_top);
}

static void
measure (const Shape *shape, guint n_ops)
{
  g_autoptr (HirContainer) fusion = fusion_new (shape, n_ops);
  g_autoptr (HirPipeline) pipeline = hir_pipeline_new (HIR_PIPELINE_EXECUTOR);
  g_autoptr (HirLowering) best = NULL;
  gint64 best_us = G_MAXINT64;

  for (guint i = 0; i < 3; i++)
    {
      gint64 start = g_get_monotonic_time ();
      HirLowering *lowering =
          hir_pipeline_run (pipeline, fusion, 0, MAX (shape->n_devices, 1), NULL);
      gint64 took = g_get_monotonic_time () - start;

      /* The single HostUnit of "star" has one result per op. StreamParallelType rejects it, as
       * in nvFuser. */
      if (lowering->error != NULL && lowering->failed_pass != &hir_pass_stream_parallel_type)
        g_error ("%s", lowering->error->message);
      if (took < best_us)
        {
          best_us = took;
          g_clear_pointer (&best, hir_lowering_free);
          best = lowering;
        }
      else
        hir_lowering_free (lowering);
    }
  print_row (shape, n_ops, best, best_us);
}

int
main (int argc, char **argv)
{
  static const guint usual[] = { 10, 100, 1000, 2000, 10000 };
  const HirPass *const *table = hir_pass_get_table (HIR_PIPELINE_EXECUTOR);

  g_print ("shape\tops\tlowering_ms");
  for (guint i = 0; table[i] != NULL; i++)
    {
      if (table[i]->default_on)
        g_print ("\t%s_ms", table[i]->name);
    }
  g_print ("\tsnapshots_MiB\ttop_level\n");
  for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
    {
      for (guint i = 0; argc < 2 && i < G_N_ELEMENTS (usual); i++)
        measure (&shapes[s], usual[i]);
      for (int i = 1; i < argc; i++)
        measure (&shapes[s], (guint) strtoul (argv[i], NULL, 10));
    }
  return EXIT_SUCCESS;
}
