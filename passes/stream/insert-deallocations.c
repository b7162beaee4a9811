#include "pass.h"
#include "usage.h"

/* Lifetime of a tensor. */
typedef struct
{
  HirTensor *tensor;
  guint last;          /* last position at the top level that accesses it, including nested Exprs */
  gboolean is_read;    /* by an Expr of the top level */
  gboolean has_buffer; /* on this device */
} Life;

typedef struct
{
  HirContainer *program;
  GHashTable *lives; /* HirTensor* -> Life* */
  /* Life*, in order of first use, so that the order of frees at one position is stable */
  GPtrArray *in_order;
  GArray *accesses; /* scratch */
  guint place;
  gboolean is_top;
  const HirExpr *freed; /* first Deallocate found (nullable) */
} Lives;

static Life *
get_life (Lives *lives, HirTensor *tensor)
{
  Life *life = g_hash_table_lookup (lives->lives, tensor);

  if (life != NULL)
    return life;
  life = g_new0 (Life, 1);
  life->tensor = tensor;
  g_hash_table_insert (lives->lives, tensor, life);
  g_ptr_array_add (lives->in_order, life);
  return life;
}

static void
visit_accesses (Lives *lives, const HirExpr *expr, gboolean is_top)
{
  g_array_set_size (lives->accesses, 0);
  hir_expr_collect_accesses (expr, lives->accesses);
  for (guint i = 0; i < lives->accesses->len; i++)
    {
      const HirAccess *access = &g_array_index (lives->accesses, HirAccess, i);
      Life *life = get_life (lives, access->tensor);

      life->last = lives->place;
      if (access->kind == HIR_ACCESS_READ)
        life->is_read = life->is_read || is_top;
      /* A device that only takes part in a communication may have no buffers for it. */
      else if (expr->kind != HIR_EXPR_COMMUNICATION && expr->kind != HIR_EXPR_P2P)
        life->has_buffer = TRUE;
    }
}

/* A communication accesses its buffers until the Wait. */
static void
visit_wait (Lives *lives, const HirExpr *expr)
{
  const HirExpr *of = expr->u.wait.of;

  if (of == NULL)
    return;
  g_array_set_size (lives->accesses, 0);
  hir_expr_collect_accesses (of, lives->accesses);
  for (guint i = 0; i < lives->accesses->len; i++)
    get_life (lives, g_array_index (lives->accesses, HirAccess, i).tensor)->last = lives->place;
}

static void
visit_scope (Lives *lives, const HirScope *scope, gboolean is_top)
{
  for (guint i = 0; i < scope->exprs.len; i++)
    {
      HirExpr *expr = scope->exprs.items[i];
      HirScope *nested;

      if (is_top)
        lives->place = i;
      if (expr->kind == HIR_EXPR_DEALLOCATE && lives->freed == NULL)
        lives->freed = expr;
      if (expr->kind == HIR_EXPR_WAIT)
        visit_wait (lives, expr);
      else
        visit_accesses (lives, expr, is_top);
      for (guint k = 0; (nested = hir_expr_get_scope (expr, k)) != NULL; k++)
        visit_scope (lives, nested, FALSE);
    }
}

static gboolean
is_to_free (const Lives *lives, const Life *life)
{
  const HirVal *val = HIR_VAL (life->tensor);

  return life->is_read && life->has_buffer && !hir_container_is_input (lives->program, val) &&
         !hir_container_is_output (lives->program, val);
}

static void
insert (Lives *lives)
{
  HirContainer *program = lives->program;
  const HirVec *exprs = &program->top.exprs;
  g_autofree GPtrArray **freed = g_new0 (GPtrArray *, MAX (exprs->len, 1));
  HirVec to = { 0 };

  for (guint i = 0; i < lives->in_order->len; i++)
    {
      Life *life = lives->in_order->pdata[i];

      if (!is_to_free (lives, life))
        continue;
      if (freed[life->last] == NULL)
        freed[life->last] = g_ptr_array_new ();
      g_ptr_array_add (freed[life->last], life->tensor);
    }
  for (guint i = 0; i < exprs->len; i++)
    {
      HirExpr *expr = exprs->items[i];

      hir_vec_push (program->arena, &to, expr);
      for (guint k = 0; freed[i] != NULL && k < freed[i]->len; k++)
        {
          HirTensor *tensor = freed[i]->pdata[k];

          hir_maker_set_origins (program, (const HirNode *[]){ &tensor->base.node, &expr->node },
                                 2);
          hir_vec_push (program->arena, &to, hir_expr_new_deallocate (program, tensor));
        }
      g_clear_pointer (&freed[i], g_ptr_array_unref);
    }
  program->top.exprs = to;
}

static HirContainer *
run (HirContainer *taken, const HirPassContext *context, GError **error)
{
  g_autoptr (HirContainer) program = taken;
  g_autoptr (GHashTable) table = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (GPtrArray) in_order = g_ptr_array_new ();
  g_autoptr (GArray) accesses = g_array_new (FALSE, FALSE, sizeof (HirAccess));
  Lives lives = { .program = program, .lives = table, .in_order = in_order, .accesses = accesses };

  if (!hir_pass_context_check_host (context, program, error))
    return NULL;
  visit_scope (&lives, &program->top, TRUE);
  if (lives.freed != NULL)
    {
      hir_set_error (error, HIR_ERROR_REFUSED, &lives.freed->node.pos,
                     "T%d is already deallocated, but InsertDeallocations requires a program "
                     "without Deallocate; remove the Deallocate instructions, or disable this pass",
                     lives.freed->u.deallocate.buffer->base.name);
      return NULL;
    }
  insert (&lives);
  return g_steal_pointer (&program);
}

const HirPass hir_pass_insert_deallocations = {
  .name = "InsertDeallocations",
  .summary = "Frees each tensor after its last use",
  .help =
      "Deallocates each tensor that an op of the top level reads, after the last op of the top "
      "level that uses it. Off by default, because nvFuser's MultiDeviceExecutor does not run this "
      "pass. A program that already has a Deallocate is rejected.\n\nDiffers from nvFuser of 2025, "
      "which also frees inputs and outputs of the program, does not look into loops, and frees "
      "tensors that a communication still reads. Here inputs and outputs are never deallocated, a "
      "use inside a loop or an IF counts as a use by that loop or IF, and a Wait counts as a use "
      "by the communication that it waits for. A tensor without a buffer on this device is "
      "skipped. As in nvFuser, tensors that only loops read are not freed.",
  .options = NULL,
  .default_on = FALSE,
  .run = run,
};
