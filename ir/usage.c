#include "usage.h"

static void
add (GArray *accesses, HirVal *val, HirAccessKind kind)
{
  HirAccess access = { HIR_TENSOR (val), kind };

  if (val != NULL && HIR_IS_TENSOR (val))
    g_array_append_val (accesses, access);
}

void
hir_expr_collect_accesses (const HirExpr *expr, GArray *accesses)
{
  for (guint i = 0; i < expr->n_inputs; i++)
    add (accesses, expr->inputs[i], HIR_ACCESS_READ);
  for (guint i = 0; i < expr->n_outputs; i++)
    add (accesses, expr->outputs[i],
         expr->kind == HIR_EXPR_SYMMETRIC_VIEW ? HIR_ACCESS_BIND : HIR_ACCESS_WRITE);

  switch (expr->kind)
    {
    case HIR_EXPR_ALLOCATE:
      add (accesses, HIR_VAL (expr->u.allocate.buffer), HIR_ACCESS_BIND);
      break;
    case HIR_EXPR_ALIAS_SELECT:
      add (accesses, HIR_VAL (expr->u.alias_select.out), HIR_ACCESS_BIND);
      break;
    case HIR_EXPR_SHARD_BY_STREAM:
      add (accesses, HIR_VAL (expr->u.shard.out), HIR_ACCESS_BIND);
      break;
    case HIR_EXPR_DEALLOCATE:
      add (accesses, HIR_VAL (expr->u.deallocate.buffer), HIR_ACCESS_FREE);
      break;
    case HIR_EXPR_P2P:
      add (accesses, HIR_VAL (expr->u.p2p.buffer),
           expr->u.p2p.is_send ? HIR_ACCESS_READ : HIR_ACCESS_WRITE);
      break;
    default:
      break;
    }
}

GPtrArray *
hir_expr_dup_scalars (const HirExpr *expr)
{
  GPtrArray *scalars = g_ptr_array_new ();
  HirScalar *found[2] = { NULL, NULL };

  for (guint i = 0; i < expr->n_inputs; i++)
    if (expr->inputs[i] != NULL && HIR_IS_SCALAR (expr->inputs[i]))
      g_ptr_array_add (scalars, expr->inputs[i]);
  for (guint i = 0; i < expr->n_outputs; i++)
    if (expr->outputs[i] != NULL && HIR_IS_SCALAR (expr->outputs[i]))
      g_ptr_array_add (scalars, expr->outputs[i]);
  switch (expr->kind)
    {
    case HIR_EXPR_SELECT:
      found[0] = expr->u.select.index;
      break;
    case HIR_EXPR_FOR:
      found[0] = expr->u.loop.start;
      found[1] = expr->u.loop.stop;
      break;
    case HIR_EXPR_IF:
      found[0] = expr->u.branch.condition;
      break;
    case HIR_EXPR_P2P:
      found[0] = expr->u.p2p.peer;
      break;
    case HIR_EXPR_COMMUNICATION:
      found[0] = expr->u.comm.root_index;
      break;
    case HIR_EXPR_COLLECTIVE_PERMUTE:
      found[0] = expr->u.permute.send_peer;
      found[1] = expr->u.permute.recv_peer;
      break;
    case HIR_EXPR_SET_CURRENT_STREAM:
    case HIR_EXPR_SYNCHRONIZE:
      found[0] = expr->u.stream.stream->index;
      break;
    default:
      break;
    }
  for (guint i = 0; i < G_N_ELEMENTS (found); i++)
    if (found[i] != NULL)
      g_ptr_array_add (scalars, found[i]);
  return scalars;
}

typedef struct
{
  GHashTable *seen;
  GPtrArray *tensors;
  GArray *accesses; /* scratch */
} Collector;

static void
collect_val (Collector *collector, HirVal *val)
{
  if (val != NULL && HIR_IS_TENSOR (val) && g_hash_table_add (collector->seen, val))
    g_ptr_array_add (collector->tensors, val);
}

static gboolean
collect_expr (HirExpr *expr, guint depth, gpointer user_data)
{
  Collector *collector = user_data;

  g_array_set_size (collector->accesses, 0);
  hir_expr_collect_accesses (expr, collector->accesses);
  for (guint i = 0; i < collector->accesses->len; i++)
    collect_val (collector, HIR_VAL (g_array_index (collector->accesses, HirAccess, i).tensor));
  return TRUE;
}

static void
collect_container (Collector *collector, HirContainer *container)
{
  for (guint i = 0; i < container->inputs.len; i++)
    collect_val (collector, container->inputs.items[i]);
  hir_container_foreach_expr (container, collect_expr, collector);
  for (guint i = 0; i < container->outputs.len; i++)
    collect_val (collector, container->outputs.items[i]);
  for (guint i = 0; i < container->units.len; i++)
    {
      HirHostUnit *unit = container->units.items[i];

      collect_container (collector, unit->fusion);
    }
}

GPtrArray *
hir_container_dup_used_tensors (HirContainer *container)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) accesses = g_array_new (FALSE, FALSE, sizeof (HirAccess));
  Collector collector = { seen, g_ptr_array_new (), accesses };

  collect_container (&collector, container);
  return collector.tensors;
}

/* Returns the axis of @new at the position of @axis in @old, or @axis if it is not an axis of @old.
 */
static HirIterDomain *
find_same_position (const HirTensor *old, const HirTensor *new, HirIterDomain *axis)
{
  guint n_old, n_new;
  g_autofree HirIterDomain **old_ids = hir_tensor_dup_no_reductions (old, &n_old);
  g_autofree HirIterDomain **new_ids = hir_tensor_dup_no_reductions (new, &n_new);

  for (guint i = 0; i < n_old && i < n_new; i++)
    {
      if (old_ids[i] == axis)
        return new_ids[i];
    }
  return axis;
}

void
hir_expr_replace_input (HirExpr *expr, const HirTensor *old, HirTensor *new)
{
  for (guint i = 0; i < expr->n_inputs; i++)
    {
      if (expr->inputs[i] != HIR_VAL (old))
        continue;
      expr->inputs[i] = HIR_VAL (new);
      if (expr->kind == HIR_EXPR_SELECT)
        expr->u.select.axis = find_same_position (old, new, expr->u.select.axis);
    }
}
