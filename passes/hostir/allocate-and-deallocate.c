/* AllocateAndDeallocate (docs/hostir.md#allocateanddeallocate). */
#include "pass.h"
#include "usage.h"

typedef struct
{
  HirContainer *program;
  GHashTable *defined; /* HirTensor* that a dominating Expr creates */
} Allocation;

static void allocate_scope (Allocation *a, HirScope *scope);

/* Only these write into memory that must exist. */
static gboolean
needs_allocate (const Allocation *a, const HirExpr *expr)
{
  return (expr->kind == HIR_EXPR_MATMUL || expr->kind == HIR_EXPR_LINEAR) &&
         !g_hash_table_contains (a->defined, expr->outputs[0]);
}

static void
define (Allocation *a, HirTensor *tensor, GPtrArray *added)
{
  if (tensor != NULL && g_hash_table_add (a->defined, tensor))
    g_ptr_array_add (added, tensor);
}

static void
allocate_expr (Allocation *a, HirVec *to, HirExpr *expr, GPtrArray *added)
{
  HirContainer *program = a->program;
  HirScope *nested;

  if (needs_allocate (a, expr))
    {
      HirTensor *out = HIR_TENSOR (expr->outputs[0]);
      HirExpr *allocate;

      hir_maker_set_origins (program, (const HirNode *[]){ &out->base.node, &expr->node }, 2);
      allocate = hir_expr_new_allocate (program, out, out->memory);
      allocate->u.allocate.always = TRUE;
      hir_vec_push (program->arena, to, allocate);
    }
  hir_vec_push (program->arena, to, expr);
  for (guint i = 0; i < expr->n_outputs; i++)
    {
      if (HIR_IS_TENSOR (expr->outputs[i]))
        define (a, HIR_TENSOR (expr->outputs[i]), added);
    }
  if (expr->kind == HIR_EXPR_SHARD_BY_STREAM)
    define (a, expr->u.shard.out, added);
  for (guint k = 0; (nested = hir_expr_get_scope (expr, k)) != NULL; k++)
    allocate_scope (a, nested);
}

/* Tensors that a body defines are undefined after the body. */
static void
allocate_scope (Allocation *a, HirScope *scope)
{
  g_autoptr (GPtrArray) added = g_ptr_array_new ();
  HirVec to = { 0 };

  for (guint i = 0; i < scope->exprs.len; i++)
    allocate_expr (a, &to, scope->exprs.items[i], added);
  scope->exprs = to;
  for (guint i = 0; i < added->len; i++)
    g_hash_table_remove (a->defined, added->pdata[i]);
}

/* Uses of a tensor in one scope. */
typedef struct
{
  HirTensor *tensor;
  guint n_uses; /* with nested scopes */
  guint last;   /* position of the last statement with a use */
} Uses;

typedef struct
{
  HirContainer *program;
  GHashTable *totals; /* HirTensor* -> number of uses */
  GHashTable *owned;  /* HirTensor* that this device has */
  GHashTable *freed;  /* HirTensor* */
} Deallocation;

/* @owned (nullable): receives the tensors that @expr creates or writes. */
static void
collect_tensors (const HirExpr *expr, GPtrArray *tensors, GHashTable *owned)
{
  g_autoptr (GArray) accesses = g_array_new (FALSE, FALSE, sizeof (HirAccess));

  /* A Wait refers to its communication, which holds the memory. */
  if (expr->kind == HIR_EXPR_WAIT)
    return;
  hir_expr_collect_accesses (expr, accesses);
  for (guint i = 0; i < accesses->len; i++)
    {
      const HirAccess *access = &g_array_index (accesses, HirAccess, i);

      g_ptr_array_add (tensors, access->tensor);
      if (owned != NULL && access->kind != HIR_ACCESS_READ)
        g_hash_table_add (owned, access->tensor);
    }
}

static gboolean
count_uses (HirExpr *expr, guint depth, gpointer user_data)
{
  Deallocation *d = user_data;
  g_autoptr (GPtrArray) tensors = g_ptr_array_new ();

  collect_tensors (expr, tensors, d->owned);
  for (guint i = 0; i < tensors->len; i++)
    {
      guint n = GPOINTER_TO_UINT (g_hash_table_lookup (d->totals, tensors->pdata[i]));

      g_hash_table_insert (d->totals, tensors->pdata[i], GUINT_TO_POINTER (n + 1));
    }
  return TRUE;
}

static void
add_uses (GPtrArray *uses, GHashTable *index, HirTensor *tensor, guint n, guint position)
{
  Uses *entry = g_hash_table_lookup (index, tensor);

  if (entry == NULL)
    {
      entry = g_new0 (Uses, 1);
      entry->tensor = tensor;
      g_hash_table_insert (index, tensor, entry);
      g_ptr_array_add (uses, entry);
    }
  entry->n_uses += n;
  entry->last = position;
}

static gboolean
is_to_free (Deallocation *d, const Uses *entry)
{
  HirVal *val = HIR_VAL (entry->tensor);

  return entry->n_uses == GPOINTER_TO_UINT (g_hash_table_lookup (d->totals, entry->tensor)) &&
         g_hash_table_contains (d->owned, entry->tensor) &&
         !hir_container_is_input (d->program, val) && !hir_container_is_output (d->program, val) &&
         g_hash_table_add (d->freed, entry->tensor);
}

static void
insert_frees (Deallocation *d, HirScope *scope, GPtrArray *uses)
{
  g_autoptr (GPtrArray) here = g_ptr_array_new (); /* Uses*, in order of first use */
  HirVec to = { 0 };

  for (guint i = 0; i < uses->len; i++)
    {
      if (is_to_free (d, uses->pdata[i]))
        g_ptr_array_add (here, uses->pdata[i]);
    }
  if (here->len == 0)
    return;
  for (guint i = 0; i < scope->exprs.len; i++)
    {
      HirExpr *expr = scope->exprs.items[i];

      hir_vec_push (d->program->arena, &to, expr);
      for (guint k = 0; k < here->len; k++)
        {
          const Uses *entry = here->pdata[k];

          if (entry->last != i)
            continue;
          hir_maker_set_origins (d->program,
                                 (const HirNode *[]){ &entry->tensor->base.node, &expr->node }, 2);
          hir_vec_push (d->program->arena, &to,
                        hir_expr_new_deallocate (d->program, entry->tensor));
        }
    }
  scope->exprs = to;
}

/* Frees a tensor in the innermost scope that contains all its uses, behind the last statement with
 * one. Returns the uses in @scope. */
static GPtrArray *
free_scope (Deallocation *d, HirScope *scope)
{
  GPtrArray *uses = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) index = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < scope->exprs.len; i++)
    {
      HirExpr *expr = scope->exprs.items[i];
      g_autoptr (GPtrArray) tensors = g_ptr_array_new ();
      HirScope *nested;

      collect_tensors (expr, tensors, NULL);
      for (guint k = 0; k < tensors->len; k++)
        add_uses (uses, index, tensors->pdata[k], 1, i);
      for (guint k = 0; (nested = hir_expr_get_scope (expr, k)) != NULL; k++)
        {
          g_autoptr (GPtrArray) inner = free_scope (d, nested);

          for (guint j = 0; j < inner->len; j++)
            {
              const Uses *entry = inner->pdata[j];

              add_uses (uses, index, entry->tensor, entry->n_uses, i);
            }
        }
    }
  insert_frees (d, scope, uses);
  return uses;
}

static void
deallocate (HirContainer *program)
{
  g_autoptr (GHashTable) totals = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) owned = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) freed = g_hash_table_new (NULL, NULL);
  Deallocation d = { program, totals, owned, freed };

  hir_container_foreach_expr (program, count_uses, &d);
  g_ptr_array_unref (free_scope (&d, &program->top));
}

static HirContainer *
run (HirContainer *taken, const HirPassContext *context, GError **error)
{
  g_autoptr (HirContainer) program = taken;
  g_autoptr (GHashTable) defined = g_hash_table_new (NULL, NULL);
  Allocation allocation = { program, defined };

  if (!hir_pass_context_check_host (context, program, error))
    return NULL;
  allocate_scope (&allocation, &program->top);
  deallocate (program);
  return g_steal_pointer (&program);
}

const HirPass hir_pass_hostir_allocate_and_deallocate = {
  .name = "AllocateAndDeallocate",
  .summary =
      "Allocates the results of matmul and linear, and frees every tensor after its last use",
  .help = "A matmul or linear writes into existing memory, so an Allocate precedes it unless a "
          "ShardByStream or an earlier op has created its result. Then every tensor except inputs "
          "and outputs gets a Deallocate in the innermost scope that contains all its uses, behind "
          "the last statement with a use: in a loop body if only that body uses it, otherwise "
          "behind the loop. A Wait is no use, so operands of a communication are freed before it; "
          "the transfer keeps the memory.",
  .options = NULL,
  .default_on = TRUE,
  .run = run,
};
