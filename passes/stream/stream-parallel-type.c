#include "pass.h"
#include "stream/stream-private.h"

/* Creates the loop of @item, derived from its axis and its ops. */
static HirExpr *
loop_new (HirStreamPass *pass, const HirStreamItem *item)
{
  HirContainer *program = pass->program;
  g_autoptr (GPtrArray) origins = g_ptr_array_new ();
  HirScalar *index = hir_scalar_get_named (program, HIR_NAME_STREAM_IDX, HIR_DTYPE_INDEX);

  g_ptr_array_add (origins, &item->axis->base.node);
  for (guint i = 0; i < item->exprs->len; i++)
    g_ptr_array_add (origins, &((HirExpr *) item->exprs->pdata[i])->node);
  hir_maker_set_origins (program, (const HirNode *const *) origins->pdata, origins->len);
  return hir_expr_new_for (program, item->axis, index);
}

static gboolean
add_loop (HirStreamPass *pass, const HirStreamItem *item, HirVec *top, GError **error)
{
  HirExpr *loop = loop_new (pass, item);

  if (!hir_stream_fill_loop (pass, item, top, &loop->u.loop.body, loop->u.loop.index, error))
    return FALSE;
  hir_stream_manage (pass, loop, top);
  return TRUE;
}

static gboolean
lower (HirStreamPass *pass, GError **error)
{
  HirContainer *program = pass->program;
  g_autoptr (GPtrArray) items = hir_stream_group (pass, error);
  HirVec top = { 0 };

  if (items == NULL)
    return FALSE;
  for (guint i = 0; i < items->len; i++)
    {
      const HirStreamItem *item = items->pdata[i];

      if (item->kept != NULL)
        hir_vec_push (program->arena, &top, item->kept);
      else if (!add_loop (pass, item, &top, error))
        return FALSE;
    }
  program->top.exprs = top;
  return TRUE;
}

static HirContainer *
run (HirContainer *taken, const HirPassContext *context, GError **error)
{
  g_autoptr (HirContainer) program = taken;
  HirStreamPass pass = { .program = program, .context = context };
  gboolean done;

  if (!hir_pass_context_check_host (context, program, error))
    return NULL;
  pass.map = hir_id_map_new (program);
  pass.fixed_slices = hir_stream_slices_new ();
  done = lower (&pass, error);
  g_hash_table_unref (pass.fixed_slices);
  hir_id_map_free (pass.map);
  hir_exact_map_free (pass.exact);
  return done ? g_steal_pointer (&program) : NULL;
}

static const char *const initial_syncs[] = { "separate", "in_loop", NULL };

static const HirPassOption options[] = {
  { .name = "initial_sync",
    .summary =
        "Where the streams wait for the original stream: in a separate loop before the main loop, "
        "or at the start of each iteration",
    .default_value = "separate",
    .choices = initial_syncs },
  { .name = NULL },
};

const HirPass hir_pass_stream_parallel_type = {
  .name = "StreamParallelType",
  .summary = "Turns stream axes into loops whose iterations run on different streams",
  .help =
      "An op whose result has a stream axis goes into a loop over that axis; an op that follows it "
      "immediately and has the same stream axis joins the loop. Results are allocated in full "
      "before the loop. In the loop, operands and results that have the axis are replaced by "
      "slices (one HirAliasSelect per slice and loop), and each iteration runs on stream StreamIdx "
      "% numberOfStreams.\n\nA set from a first axis over devices to a first axis over streams "
      "becomes a point-to-point gather: in iteration i, device i copies its own shard, and every "
      "other device receives that shard and sends its own to device i, in one coalesced group that "
      "it waits for. The predicate's deviceIdx.x is the rank, as nvFuser of June 2025 printed it. "
      "Iterations run in the same order on every device, so the two ends of an exchange are in "
      "different iterations.\n\nRejected: a stream axis of an input, two stream axes in one "
      "tensor, and a stream axis that results from a split or merge, that is reduced (by sum, or K "
      "of matmul and linear), or that belongs to an op inside a HostUnit; a HostUnit with two "
      "results; a tensor with two axes that belong to the loop's axis; an operand that is over "
      "devices along the loop's axis, unless the op is a set and the axis is the first one. A "
      "stream axis of a tensor that stays inside a HostUnit has no effect, as in "
      "nvFuser.\n\nDiffers from nvFuser, which slices literally: an op whose meaning a slice would "
      "change is rejected (N of a matmul whose second operand is batched, M if both are, N of a "
      "linear with a batched weight, a tensor multiplied with itself, an axis that slice cuts, an "
      "operand whose axis was split or merged). An op does not join a loop over a broadcast axis, "
      "which runs once, unless its own axis is a broadcast, nor a loop whose extent is related "
      "only through a broadcast. Attributes of slice and select follow the sliced operand. A "
      "linear streamed along N on several devices works here, whereas nvFuser's predicate reads a "
      "sliced weight out of bounds. The two SetCurrentStream of initial_sync=separate are two ops. "
      "The point-to-point form is rejected if the mesh is not the one-dimensional mesh of devices "
      "0, 1, 2, ..., if the two tensors have different meshes, or if the result is over devices "
      "too: nvFuser's program would exchange data with the wrong devices. A device neither "
      "allocates nor slices a tensor that it does not hold; nvFuser's program would fail on that "
      "device.",
  .options = options,
  .default_on = TRUE,
  .run = run,
};
