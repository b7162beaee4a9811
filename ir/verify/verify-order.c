/* Rules for order: a fusion defines every value once and without cycles; a host program uses
 * nothing before it exists. */
#include "verify/verify-internal.h"

#include "schedule/sharding.h"
#include "usage.h"

/* @inputs is a set, because searching the list at each use is quadratic. */
static gboolean
collect_definitions (HirVerifier *v, GHashTable *definitions, GHashTable *inputs)
{
  for (guint i = 0; i < v->container->inputs.len; i++)
    g_hash_table_add (inputs, v->container->inputs.items[i]);
  for (guint i = 0; i < v->container->exprs.len; i++)
    {
      HirExpr *expr = v->container->exprs.items[i];

      for (guint k = 0; k < expr->n_outputs; k++)
        {
          HirVal *out = expr->outputs[k];
          g_autofree char *name = hir_verifier_name_val (out);

          if (!g_hash_table_insert (definitions, out, expr))
            return hir_verifier_fail (v, &expr->node, name, "it is defined twice");
          if (g_hash_table_contains (inputs, out))
            return hir_verifier_fail (v, &expr->node, name,
                                      "it is an input but is also defined by "
                                      "an Expr");
        }
    }
  return TRUE;
}

static gboolean
check_definitions (HirVerifier *v, GHashTable *definitions)
{
  GHashTableIter iter;
  gpointer val, expr;

  g_hash_table_iter_init (&iter, definitions);
  while (g_hash_table_iter_next (&iter, &val, &expr))
    {
      g_autofree char *name = hir_verifier_name_val (val);

      if (HIR_IS_TENSOR (val) && HIR_TENSOR (val)->definition != expr)
        return hir_verifier_fail (v, &((HirExpr *) expr)->node, name,
                                  "its definition is not the Expr that writes it");
    }
  return TRUE;
}

static gboolean
check_defined (
    HirVerifier *v, GHashTable *definitions, GHashTable *inputs, HirVal *val, const HirNode *user)
{
  g_autofree char *name = NULL;

  if (!HIR_IS_TENSOR (val) || g_hash_table_contains (definitions, val) ||
      g_hash_table_contains (inputs, val))
    return TRUE;
  name = hir_verifier_name_val (val);
  return hir_verifier_fail (v, user, name, "it is used but nothing defines it");
}

/* Kahn's algorithm: Exprs that remain are on a cycle. */
static gboolean
check_acyclic (HirVerifier *v, GHashTable *definitions)
{
  const HirVec *exprs = &v->container->exprs;
  g_autoptr (GHashTable) place = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) ready = g_ptr_array_new ();
  g_autofree guint *n_open = g_new0 (guint, MAX (exprs->len, 1));
  g_autofree GPtrArray **users = g_new0 (GPtrArray *, MAX (exprs->len, 1));
  guint n_done = 0;
  gboolean ok = TRUE;

  for (guint i = 0; i < exprs->len; i++)
    {
      g_hash_table_insert (place, exprs->items[i], GUINT_TO_POINTER (i));
      users[i] = g_ptr_array_new ();
    }
  for (guint i = 0; i < exprs->len; i++)
    {
      HirExpr *expr = exprs->items[i];

      for (guint k = 0; k < expr->n_inputs; k++)
        {
          HirExpr *definition = g_hash_table_lookup (definitions, expr->inputs[k]);

          if (definition == NULL)
            continue;
          n_open[i]++;
          g_ptr_array_add (users[GPOINTER_TO_UINT (g_hash_table_lookup (place, definition))],
                           GUINT_TO_POINTER (i));
        }
      if (n_open[i] == 0)
        g_ptr_array_add (ready, GUINT_TO_POINTER (i));
    }
  for (; n_done < ready->len; n_done++)
    {
      GPtrArray *next = users[GPOINTER_TO_UINT (g_ptr_array_index (ready, n_done))];

      for (guint k = 0; k < next->len; k++)
        if (--n_open[GPOINTER_TO_UINT (g_ptr_array_index (next, k))] == 0)
          g_ptr_array_add (ready, g_ptr_array_index (next, k));
    }
  for (guint i = 0; i < exprs->len; i++)
    {
      HirExpr *expr = exprs->items[i];
      g_autofree char *what = hir_verifier_name_expr (expr);

      if (n_open[i] > 0 && ok)
        ok = hir_verifier_fail (v, &expr->node, what, "it is computed from its own result");
      g_ptr_array_unref (users[i]);
    }
  return ok;
}

gboolean
hir_verifier_check_fusion_order (HirVerifier *v)
{
  g_autoptr (GHashTable) definitions = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) inputs = g_hash_table_new (NULL, NULL);

  if (!collect_definitions (v, definitions, inputs) || !check_definitions (v, definitions))
    return FALSE;
  for (guint i = 0; i < v->container->exprs.len; i++)
    {
      HirExpr *expr = v->container->exprs.items[i];

      for (guint k = 0; k < expr->n_inputs; k++)
        if (!check_defined (v, definitions, inputs, expr->inputs[k], &expr->node))
          return FALSE;
    }
  for (guint i = 0; i < v->container->outputs.len; i++)
    {
      HirVal *out = v->container->outputs.items[i];

      if (!check_defined (v, definitions, inputs, out, &out->node))
        return FALSE;
    }
  return check_acyclic (v, definitions);
}

/* State at a point of a host program. `known` contains tensors with a buffer, streams that were
 * assigned, and communications that are posted but not waited for. */
typedef struct
{
  HirVerifier *v;
  GHashTable *known;
  GPtrArray *log;      /* additions to `known`, so that a branch can be undone */
  GHashTable *indices; /* scalars that a loop sets */
  GHashTable *bound;   /* those that an enclosing loop sets, with a count */
  GArray *accesses;    /* scratch */
  HirExpr *group;      /* open StartCoalescing, or NULL */
} Flow;

static gboolean check_flow (Flow *flow, HirScope *scope);

static void
add_known (Flow *flow, gpointer thing)
{
  if (g_hash_table_add (flow->known, thing))
    g_ptr_array_add (flow->log, thing);
}

static gboolean
check_indices (Flow *flow, const HirExpr *expr, HirScalar *scalar, const char *what)
{
  g_autoptr (GHashTable) seen = NULL;
  g_autoptr (GPtrArray) stack = NULL;

  if (scalar == NULL || g_hash_table_size (flow->indices) == 0)
    return TRUE;
  seen = g_hash_table_new (NULL, NULL);
  stack = g_ptr_array_new ();
  g_ptr_array_add (stack, scalar);
  while (stack->len > 0)
    {
      HirScalar *top = g_ptr_array_steal_index_fast (stack, stack->len - 1);

      if (g_hash_table_contains (flow->indices, top) && !g_hash_table_contains (flow->bound, top))
        return hir_verifier_fail (flow->v, &expr->node, what,
                                  "it uses the index of a loop outside of that loop");
      if (top->kind != HIR_SCALAR_OP || !g_hash_table_add (seen, top))
        continue;
      g_ptr_array_add (stack, top->a);
      g_ptr_array_add (stack, top->b);
    }
  return TRUE;
}

/* A rank without a tensor's data posts the communication without a buffer
 * (docs/host-ir.md#communication). This includes ops that will be lowered to communication. */
static gboolean
is_communication (const HirExpr *expr)
{
  gboolean resharding = FALSE;

  if (expr->kind == HIR_EXPR_COMMUNICATION || expr->kind == HIR_EXPR_P2P ||
      expr->kind == HIR_EXPR_COLLECTIVE_PERMUTE)
    return TRUE;
  return hir_expr_kind_get_info (expr->kind)->is_tensor_op &&
         hir_expr_is_resharding (expr, &resharding, NULL) && resharding;
}

static gboolean
check_reads (Flow *flow, const HirExpr *expr, const char *what)
{
  g_array_set_size (flow->accesses, 0);
  hir_expr_collect_accesses (expr, flow->accesses);
  for (guint i = 0; i < flow->accesses->len; i++)
    {
      HirAccess *access = &g_array_index (flow->accesses, HirAccess, i);

      if (access->kind == HIR_ACCESS_READ || access->kind == HIR_ACCESS_FREE)
        {
          if (!g_hash_table_contains (flow->known, access->tensor) && !is_communication (expr))
            return hir_verifier_fail (flow->v, &expr->node, what,
                                      "T%d is used before it is written or allocated",
                                      access->tensor->base.name);
        }
    }
  for (guint i = 0; i < flow->accesses->len; i++)
    {
      HirAccess *access = &g_array_index (flow->accesses, HirAccess, i);

      /* Uses after a Deallocate are found by check and run, with the line of both. */
      if (access->kind == HIR_ACCESS_WRITE || access->kind == HIR_ACCESS_BIND)
        add_known (flow, access->tensor);
    }
  return TRUE;
}

static gboolean
check_expr_indices (Flow *flow, const HirExpr *expr, const char *what)
{
  g_autoptr (GPtrArray) scalars = hir_expr_dup_scalars (expr);

  for (guint i = 0; i < scalars->len; i++)
    if (!check_indices (flow, expr, g_ptr_array_index (scalars, i), what))
      return FALSE;
  return TRUE;
}

static gboolean
check_streams (Flow *flow, const HirExpr *expr, const char *what)
{
  switch (expr->kind)
    {
    case HIR_EXPR_GET_CURRENT_STREAM:
      add_known (flow, expr->u.stream.stream);
      return TRUE;
    case HIR_EXPR_SET_CURRENT_STREAM:
    case HIR_EXPR_SYNCHRONIZE:
      if (expr->u.stream.stream->index == NULL &&
          !g_hash_table_contains (flow->known, expr->u.stream.stream))
        return hir_verifier_fail (flow->v, &expr->node, what,
                                  "Stream %d is used before a GetCurrentStream sets it",
                                  expr->u.stream.stream->base.name);
      return TRUE;
    default:
      return TRUE;
    }
}

static gboolean
check_coalescing (Flow *flow, HirExpr *expr, const char *what)
{
  if (expr->kind == HIR_EXPR_START_COALESCING)
    {
      if (flow->group != NULL)
        return hir_verifier_fail (flow->v, &expr->node, what, "the previous group is still open");
      flow->group = expr;
    }
  else if (expr->kind == HIR_EXPR_END_COALESCING)
    {
      if (flow->group == NULL)
        return hir_verifier_fail (flow->v, &expr->node, what, "no StartCoalescing precedes it");
      flow->group = NULL;
    }
  return TRUE;
}

static gboolean
check_loop_flow (Flow *flow, HirExpr *expr)
{
  HirScalar *index = expr->u.loop.index;
  guint count = GPOINTER_TO_UINT (g_hash_table_lookup (flow->bound, index));
  gboolean ok;

  g_hash_table_insert (flow->bound, index, GUINT_TO_POINTER (count + 1));
  ok = check_flow (flow, &expr->u.loop.body);
  if (count == 0)
    g_hash_table_remove (flow->bound, index);
  else
    g_hash_table_insert (flow->bound, index, GUINT_TO_POINTER (count));
  return ok;
}

/* Removes the additions to `known` since @mark and returns them. */
static GPtrArray *
undo (Flow *flow, guint mark)
{
  GPtrArray *added = g_ptr_array_new ();

  while (flow->log->len > mark)
    {
      gpointer thing = g_ptr_array_steal_index_fast (flow->log, flow->log->len - 1);

      if (g_hash_table_remove (flow->known, thing))
        g_ptr_array_add (added, thing);
    }
  return added;
}

/* After an IF, only what both branches added is known. */
static gboolean
check_branch_flow (Flow *flow, HirExpr *expr)
{
  guint mark = flow->log->len;
  g_autoptr (GPtrArray) then_added = NULL;
  g_autoptr (GPtrArray) else_learnt = NULL;

  if (!check_flow (flow, &expr->u.branch.then_body))
    return FALSE;
  then_added = undo (flow, mark);
  if (!check_flow (flow, &expr->u.branch.else_body))
    return FALSE;
  else_learnt = undo (flow, mark);
  for (guint i = 0; i < then_added->len; i++)
    if (g_ptr_array_find (else_learnt, g_ptr_array_index (then_added, i), NULL))
      add_known (flow, g_ptr_array_index (then_added, i));
  return TRUE;
}

static gboolean
check_flow (Flow *flow, HirScope *scope)
{
  HirExpr *group = flow->group;

  flow->group = NULL;
  for (guint i = 0; i < scope->exprs.len; i++)
    {
      HirExpr *expr = scope->exprs.items[i];
      g_autofree char *what = hir_verifier_name_expr (expr);

      if (!check_reads (flow, expr, what) || !check_expr_indices (flow, expr, what) ||
          !check_streams (flow, expr, what) || !check_coalescing (flow, expr, what))
        return FALSE;
      if (expr->kind == HIR_EXPR_FOR && !check_loop_flow (flow, expr))
        return FALSE;
      if (expr->kind == HIR_EXPR_IF && !check_branch_flow (flow, expr))
        return FALSE;
    }
  if (flow->group != NULL)
    {
      g_autofree char *what = hir_verifier_name_expr (flow->group);

      return hir_verifier_fail (flow->v, &flow->group->node, what,
                                "no EndCoalescing follows it in its scope");
    }
  flow->group = group;
  return TRUE;
}

static gboolean
collect_index (HirExpr *expr, guint depth, gpointer user_data)
{
  if (expr->kind == HIR_EXPR_FOR)
    g_hash_table_add (user_data, expr->u.loop.index);
  return TRUE;
}

gboolean
hir_verifier_check_host_order (HirVerifier *v)
{
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) indices = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) bound = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) log = g_ptr_array_new ();
  g_autoptr (GArray) accesses = g_array_new (FALSE, FALSE, sizeof (HirAccess));
  Flow flow = { v, known, log, indices, bound, accesses, NULL };

  for (guint i = 0; i < v->container->inputs.len; i++)
    add_known (&flow, v->container->inputs.items[i]);
  hir_container_foreach_expr (v->container, collect_index, indices);
  return check_flow (&flow, &v->container->top);
}
