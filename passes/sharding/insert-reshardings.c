#include "sharding/insert-reshardings-private.h"

#include "label.h"
#include "ops/ops.h"
#include "pass.h"
#include "print/print.h"
#include "sharding/shard-like.h"
#include "usage.h"

typedef struct
{
  HirContainer *fusion;
  GHashTable *uses; /* HirTensor* -> GPtrArray of HirExpr*, before the pass */
} Insertion;

/* Sets *@needs to TRUE if @expr reshards but is not itself a communication. */
static gboolean
needs_set (const HirExpr *expr, gboolean *needs, GError **error)
{
  gboolean resharding;

  *needs = FALSE;
  if (!hir_expr_is_resharding (expr, &resharding, error))
    return FALSE;
  *needs = resharding && !hir_expr_can_lower (expr, TRUE, NULL);
  return TRUE;
}

/* State of an output before hir_shard_like() was tried on it. */
typedef struct
{
  HirIterDomain **loop;
  HirParallelType *loop_types;
  HirParallelType *logical_types;
  guint n_loop;
} Saved;

static void
save (Saved *saved, const HirTensor *out)
{
  saved->n_loop = out->loop.n;
  saved->loop = g_memdup2 (out->loop.ids, sizeof out->loop.ids[0] * out->loop.n);
  saved->loop_types = g_new (HirParallelType, out->loop.n + 1);
  saved->logical_types = g_new (HirParallelType, out->logical.n + 1);
  for (guint i = 0; i < out->loop.n; i++)
    saved->loop_types[i] = out->loop.ids[i]->parallel_type;
  for (guint i = 0; i < out->logical.n; i++)
    saved->logical_types[i] = out->logical.ids[i]->parallel_type;
}

static void
restore (Saved *saved, HirTensor *out)
{
  hir_tensor_set_loop (out, saved->loop, saved->n_loop);
  for (guint i = 0; i < out->logical.n; i++)
    out->logical.ids[i]->parallel_type = saved->logical_types[i];
  for (guint i = 0; i < out->loop.n; i++)
    out->loop.ids[i]->parallel_type = saved->loop_types[i];
  g_free (saved->loop);
  g_free (saved->loop_types);
  g_free (saved->logical_types);
}

/* Returns TRUE if the result can have the sharding of the operand. A reshape may mix the shards; a
 * slice or pad cuts them differently. */
static gboolean
can_carry (const HirExpr *expr)
{
  HirTensor *in = HIR_TENSOR (expr->inputs[0]), *out = HIR_TENSOR (expr->outputs[0]);
  const HirMesh *mesh = out->mesh;
  gboolean resharding;
  Saved saved;

  if (expr->kind != HIR_EXPR_RESHAPE && expr->kind != HIR_EXPR_SLICE && expr->kind != HIR_EXPR_PAD)
    return TRUE;
  save (&saved, out);
  hir_unshard (out);
  out->mesh = in->mesh;
  hir_shard_like (expr, in, out, HIR_PARALLEL_DEVICES);
  if (!hir_expr_is_resharding (expr, &resharding, NULL))
    resharding = TRUE;
  out->mesh = mesh;
  restore (&saved, out);
  return !resharding;
}

static gboolean
goes_after (const HirExpr *expr)
{
  return expr->n_inputs == 1 && expr->n_outputs == 1 && can_carry (expr);
}

/* Refusal 22 of docs/host-ir.md#refusals: a set cannot copy axes that are parallelized over
 * anything other than devices. */
static gboolean
check_can_set (const HirExpr *expr, const HirTensor *tensor, GError **error)
{
  for (guint i = 0; i < tensor->logical.n; i++)
    {
      const HirIterDomain *id = tensor->logical.ids[i];
      g_autofree char *label = NULL;
      g_autofree char *axis = NULL;
      HirPos pos;

      if (!hir_iter_domain_is_parallelized (id) || hir_iter_domain_is_device (id) ||
          hir_iter_domain_is_reduction (id))
        continue;
      label = hir_tensor_dup_label (tensor);
      axis = hir_iter_domain_to_string (id);
      pos = hir_axis_get_pos (tensor, id);
      hir_set_error (error, HIR_ERROR_REFUSED, &pos,
                     "%s reshards, so a set of %s must be inserted %s it, but axis %s of %s is "
                     "%s-parallel, which a set cannot take over; add that set to the fusion, and "
                     "parallelize its result instead",
                     hir_expr_get_op_name (expr), label, goes_after (expr) ? "after" : "before",
                     axis, label, hir_parallel_type_get_script_name (id->parallel_type));
      return FALSE;
    }
  return TRUE;
}

static void
replace_everywhere (Insertion *insertion, HirTensor *old, HirTensor *new)
{
  GPtrArray *readers = g_hash_table_lookup (insertion->uses, old);
  int output = hir_vec_find (&insertion->fusion->outputs, old);

  for (guint i = 0; readers != NULL && i < readers->len; i++)
    hir_expr_replace_input (readers->pdata[i], old, new);
  if (output < 0)
    return;
  insertion->fusion->outputs.items[output] = new;
  new->memory = old->memory;
  old->memory = HIR_MEMORY_LOCAL;
}

/* Creates a set of @tensor for @expr, not sharded yet. */
static HirTensor *
set_new (Insertion *insertion, const HirExpr *expr, HirTensor *tensor, GError **error)
{
  const HirNode *origins[] = { &expr->node, &tensor->base.node };
  HirTensor *set;

  if (!check_can_set (expr, tensor, error))
    return NULL;
  hir_maker_set_origins (insertion->fusion, origins, 2);
  set = hir_op_set (insertion->fusion, tensor, error);
  if (set != NULL)
    hir_unshard (set);
  return set;
}

/* The op gets the sharding of its operand; a set then changes it to the requested one. */
static gboolean
insert_after (Insertion *insertion, HirExpr *expr, GError **error)
{
  HirTensor *in = HIR_TENSOR (expr->inputs[0]);
  HirTensor *out = HIR_TENSOR (expr->outputs[0]);
  HirTensor *set = set_new (insertion, expr, out, error);

  if (set == NULL)
    return FALSE;
  replace_everywhere (insertion, out, set);
  set->mesh = out->mesh;
  hir_shard_like (set->definition, out, set, HIR_PARALLEL_DEVICES_AND_STREAM);
  hir_unshard (out);
  out->mesh = in->mesh;
  hir_shard_like (expr, in, out, HIR_PARALLEL_ALL);
  return TRUE;
}

gboolean
hir_reshard_check_one_output (const HirExpr *expr, GError **error)
{
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;

  if (expr->n_outputs == 1)
    return TRUE;
  first = hir_tensor_dup_label (HIR_TENSOR (expr->outputs[0]));
  second = hir_tensor_dup_label (HIR_TENSOR (expr->outputs[1]));
  hir_set_error (error, HIR_ERROR_REFUSED, &expr->node.pos,
                 "%s reshards and has several results (%s, %s), but operands can be resharded for "
                 "only one result; use sets to give its operands the sharding of the results",
                 hir_expr_get_op_name (expr), first, second);
  return FALSE;
}

/* A set changes each operand with a different sharding to that of the result. */
static gboolean
insert_before (Insertion *insertion, HirExpr *expr, GError **error)
{
  HirTensor *out;

  if (!hir_reshard_check_one_output (expr, error))
    return FALSE;
  out = HIR_TENSOR (expr->outputs[0]);
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
      set = set_new (insertion, expr, in, error);
      if (set == NULL)
        return FALSE;
      set->mesh = out->mesh;
      hir_expr_replace_input (expr, in, set);
      hir_shard_like (expr, out, set, HIR_PARALLEL_ALL);
    }
  return TRUE;
}

static gboolean
insert_sets (Insertion *insertion, GPtrArray *exprs, const HirPassContext *context, GError **error)
{
  gboolean needs;

  for (guint i = exprs->len; i > 0; i--)
    {
      HirExpr *expr = exprs->pdata[i - 1];

      if (hir_pass_context_is_cancelled (context, exprs->len - i, error) ||
          !needs_set (expr, &needs, error) ||
          (needs && goes_after (expr) && !insert_after (insertion, expr, error)))
        return FALSE;
    }
  for (guint i = 0; i < exprs->len; i++)
    {
      HirExpr *expr = exprs->pdata[i];

      if (hir_pass_context_is_cancelled (context, i, error) || !needs_set (expr, &needs, error) ||
          (needs && !goes_after (expr) && !insert_before (insertion, expr, error)))
        return FALSE;
    }
  return TRUE;
}

static HirContainer *
run (HirContainer *taken, const HirPassContext *context, GError **error)
{
  g_autoptr (HirContainer) fusion = taken;
  g_autoptr (GPtrArray) exprs = NULL;
  g_autoptr (GHashTable) uses = NULL;
  Insertion insertion = { fusion, NULL };

  if (!hir_pass_context_check_fusion (context, fusion, error))
    return NULL;
  if (!hir_reshard_bias (fusion, error) || !hir_reshard_rfactor (fusion, error))
    return NULL;
  exprs = hir_fusion_dup_exprs (fusion);
  uses = hir_fusion_dup_uses (fusion);
  insertion.uses = uses;
  if (!insert_sets (&insertion, exprs, context, error))
    return NULL;
  return g_steal_pointer (&fusion);
}

const HirPass hir_pass_insert_reshardings = {
  .name = "InsertReshardings",
  .summary = "Inserts sets at ops whose operands and result have different shardings",
  .help =
      "First, a linear with a bias whose K axis is over devices is computed without the bias, which "
      "is added to the result: otherwise each device would add it. Then a sum, matmul or linear "
      "whose reduced axis is split, with one part over devices, is divided in two: each device reduces its part, and a reduction over devices adds the partial "
      "results.\n\nFinally each op that changes the sharding and is not itself a communication (a "
      "set, or a reduction of one axis over devices) gets a set. An op with one operand and one "
      "result gets the set after it, if possible: the op computes its result with the sharding of "
      "its operand, and the set converts it to the requested sharding. Readers and outputs use the "
      "result of the set. Otherwise sets go before the op: each operand with a different sharding "
      "is copied to the mesh and all parallel types of the result, including the stream axis. This "
      "is how a gather gets into the stream loop of the op that reads it. All sets after ops are "
      "inserted first, in reverse order of ops, then all sets before ops.\n\nThe pass does nothing "
      "if no tensor of the fusion has a mesh. Rejected: a set of a tensor with a stream axis, and "
      "an op with several results.\n\nDiffers from nvFuser of 2025: the sharding of a set is derived through its op "
      "alone; splits over devices are repeated on the set; a tensor that is two operands of an op "
      "gets one set; a permute that changes the sharding gets a set, whereas nvFuser takes the "
      "permute for the communication; a reshape, slice or pad whose result cannot have the "
      "sharding of its operand gets its set before; a set of a broadcast axis gets no stream axis "
      "from the axis that it is expanded to, because the loop would then run only once.",
  .options = NULL,
  .default_on = TRUE,
  .applies = hir_sharding_applies,
  .run = run,
};
