/* DecomposeReshardings (docs/hostir.md#decomposereshardings). */
#include "hostir/communication-info.h"
#include "hostir/hostir-copy.h"
#include "label.h"
#include "pass.h"
#include "schedule/rfactor.h"
#include "sharding/insert-reshardings-private.h"
#include "sharding/shard-like.h"
#include "usage.h"

#include <string.h>

typedef struct
{
  HirContainer *fusion;
  const HirPassContext *context;
  gboolean after; /* insert_resharding_after */
} Decomposition;

static void
set_origins (Decomposition *d, const HirExpr *expr, const HirTensor *tensor)
{
  const HirNode *origins[] = { &expr->node, &tensor->base.node };

  hir_maker_set_origins (d->fusion, origins, 2);
}

/* Sets *@needs to TRUE if @expr reshards but is not itself a communication. */
static gboolean
needs_set (const HirExpr *expr, gboolean *needs, GError **error)
{
  if (!hir_expr_is_resharding (expr, needs, error))
    return FALSE;
  *needs = *needs && !hir_expr_is_communication (expr);
  return TRUE;
}

static gboolean
goes_after (const Decomposition *d, const HirExpr *expr)
{
  return d->after || (expr->n_inputs == 1 && expr->n_outputs == 1);
}

/* Finds the first operand whose sharding differs. */
static gboolean
find_different (const HirExpr *expr, HirTensor *out, HirTensor **found, GError **error)
{
  *found = NULL;
  for (guint i = 0; i < expr->n_inputs && *found == NULL; i++)
    {
      HirTensor *in = HIR_TENSOR (expr->inputs[i]);
      gboolean different;

      if (!HIR_IS_TENSOR (in))
        continue;
      if (!hir_expr_have_different_shardings (expr, in, out, HIR_PARALLEL_DEVICES, &different,
                                              error))
        return FALSE;
      if (different)
        *found = in;
    }
  return TRUE;
}

/* The op computes its result with the sharding of its operand, but keeps the streams; a set
 * changes it to the requested sharding. */
static gboolean
insert_after (Decomposition *d, HirExpr *expr, GPtrArray *exprs, GError **error)
{
  HirTensor *out = HIR_TENSOR (expr->outputs[0]);
  HirTensor *in, *set;

  if (!find_different (expr, out, &in, error))
    return FALSE;
  if (in == NULL)
    return TRUE;
  set_origins (d, expr, out);
  set = hir_copy_new (out, HIR_SET_SET);
  hir_copy_take_readers (out, set, exprs);
  if (!hir_shard_loop_like (set->definition, out, set, HIR_PARALLEL_DEVICES_AND_STREAM, error))
    return FALSE;
  out->mesh = NULL;
  hir_unshard_types (out, HIR_PARALLEL_DEVICES_AND_STREAM);
  return hir_shard_loop_like (expr, in, out, HIR_PARALLEL_DEVICES_AND_STREAM, error) &&
         hir_shard_loop_like (set->definition, set, out, HIR_PARALLEL_BIT (HIR_PARALLEL_STREAM),
                              error);
}

/* A buffer of a communication is symmetric, not the result of the op. */
static void
move_symmetric (HirTensor *out, HirTensor *set)
{
  if (out->memory != HIR_MEMORY_SYMMETRIC)
    return;
  set->memory = HIR_MEMORY_SYMMETRIC;
  out->memory = HIR_MEMORY_GLOBAL;
}

/* A set changes each operand with another sharding to that of the result. */
static gboolean
insert_before (Decomposition *d, HirExpr *expr, GError **error)
{
  HirTensor *out = HIR_TENSOR (expr->outputs[0]);

  if (!hir_reshard_check_one_output (expr, error))
    return FALSE;
  for (guint i = 0; i < expr->n_inputs; i++)
    {
      HirTensor *in = HIR_TENSOR (expr->inputs[i]);
      HirTensor *set;
      gboolean different;

      if (!HIR_IS_TENSOR (in))
        continue;
      if (!hir_expr_have_different_shardings (expr, in, out, HIR_PARALLEL_DEVICES, &different,
                                              error))
        return FALSE;
      if (!different)
        continue;
      set_origins (d, expr, in);
      set = hir_copy_new (in, HIR_SET_SET);
      hir_expr_replace_input (expr, in, set);
      set->mesh = out->mesh;
      move_symmetric (out, set);
      if (!hir_shard_loop_like (expr, out, set, HIR_PARALLEL_DEVICES_AND_STREAM, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
insert_sets (Decomposition *d, GError **error)
{
  g_autoptr (GPtrArray) exprs = hir_fusion_dup_exprs (d->fusion);
  gboolean needs;

  for (guint i = exprs->len; i > 0; i--)
    {
      HirExpr *expr = exprs->pdata[i - 1];

      if (hir_pass_context_is_cancelled (d->context, exprs->len - i, error) ||
          !needs_set (expr, &needs, error) ||
          (needs && goes_after (d, expr) && !insert_after (d, expr, exprs, error)))
        return FALSE;
    }
  for (guint i = 0; i < exprs->len; i++)
    {
      HirExpr *expr = exprs->pdata[i];

      if (hir_pass_context_is_cancelled (d->context, i, error) ||
          !needs_set (expr, &needs, error) ||
          (needs && !goes_after (d, expr) && !insert_before (d, expr, error)))
        return FALSE;
    }
  return TRUE;
}

/* Returns TRUE for a loop axis that was split off a reduced axis. */
static gboolean
is_piece (const HirTensor *tensor, const HirIterDomain *id)
{
  return hir_iter_domain_is_reduction (id) && hir_domain_find (&tensor->logical, id) < 0;
}

static gboolean
is_local (const HirIterDomain *id, gpointer user_data)
{
  return !hir_iter_domain_is_parallelized (id);
}

/* Axes that are not reduced lose a parallel type that a part of the reduced axis has, because the
 * first step turns this part into a separate axis with this type. */
static void
rfactor (Decomposition *d, HirTensor *tensor, HirParallelSet types)
{
  HirTensor *local;

  set_origins (d, tensor->definition, tensor);
  local = hir_tensor_rfactor (tensor, is_local, NULL, TRUE);
  for (guint i = 0; i < local->loop.n; i++)
    {
      HirIterDomain *id = local->loop.ids[i];

      if (!id->is_rfactor && (types & HIR_PARALLEL_BIT (id->parallel_type)) != 0)
        id->parallel_type = HIR_PARALLEL_SERIAL;
    }
  hir_canonicalize_loop (local);
}

/* Divides reductions of an axis that is split over devices in two (docs/host-ir.md#rfactor). */
static void
rfactor_all (Decomposition *d)
{
  guint n = d->fusion->tensors.len;

  for (guint i = 0; i < n; i++)
    {
      HirTensor *tensor = d->fusion->tensors.items[i];
      HirParallelSet types = 0;
      gboolean any_serial = FALSE;

      if (tensor->definition == NULL || tensor->has_root)
        continue;
      for (guint k = 0; k < tensor->loop.n; k++)
        {
          const HirIterDomain *id = tensor->loop.ids[k];

          if (!is_piece (tensor, id))
            continue;
          if (hir_iter_domain_is_parallelized (id))
            types |= HIR_PARALLEL_BIT (id->parallel_type);
          else
            any_serial = TRUE;
        }
      if (any_serial)
        rfactor (d, tensor, types);
    }
}

static gboolean
validate (Decomposition *d, GError **error)
{
  g_autoptr (GPtrArray) exprs = hir_fusion_dup_exprs (d->fusion);
  HirCommInfo info;
  gboolean found;

  for (guint i = 0; i < exprs->len; i++)
    {
      if (!hir_comm_info_get (exprs->pdata[i], &found, &info, error))
        return FALSE;
    }
  return TRUE;
}

static const char *const off_on[] = { "off", "on", NULL };

static const HirPassOption options[] = {
  { .name = "insert_resharding_after",
    .summary = "Puts every set behind its op, as nvFuser's option of this name",
    .default_value = "off",
    .choices = off_on },
  { .name = NULL },
};

static HirContainer *
run (HirContainer *taken, const HirPassContext *context, GError **error)
{
  g_autoptr (HirContainer) fusion = taken;
  Decomposition d = { fusion, context, FALSE };

  if (!hir_pass_context_check_fusion (context, fusion, error))
    return NULL;
  d.after = strcmp (hir_pass_context_get_option (context, options[0].name), "on") == 0;
  if (!hir_reshard_bias (fusion, error))
    return NULL;
  rfactor_all (&d);
  return insert_sets (&d, error) && validate (&d, error) ? g_steal_pointer (&fusion) : NULL;
}

const HirPass hir_pass_hostir_decompose_reshardings = {
  .name = "DecomposeReshardings",
  .summary = "Inserts sets at ops whose operands and result have different shardings",
  .help =
      "First, a linear with a bias whose K axis is over devices becomes a linear without bias, a "
      "broadcast of the bias and an add. Then a reduction, matmul or linear whose reduced axis is "
      "split over devices is divided in two: each device reduces its part, and a reduction over "
      "devices adds the parts.\n\nThen each op that changes the sharding and is not itself a "
      "communication (a set, or a reduction of one axis over devices) gets sets. An op with one "
      "operand and one result gets a set after it: the op computes with the sharding of its "
      "operand, keeps its stream axis, and the set changes the sharding. Otherwise sets go before "
      "the op: each operand with a different sharding is copied to the mesh, devices and stream of "
      "the result. insert_resharding_after=on puts every set after its op. Sets after ops come "
      "first, in reverse order of ops.\n\nRejected: an op with several results that reshards, and "
      "an op whose sharding changes along two axes of the mesh.\n\nDiffers from nvFuser: all "
      "serial reduced axes are reduced in the first step, not only those that a split made. A permute "
      "that changes the sharding gets a set. Sets "
      "before an op are made in operand order; in nvFuser their order is not defined.",
  .options = options,
  .default_on = TRUE,
  .applies = hir_sharding_applies,
  .run = run,
};
