/* Infers axes of one tensor from those of another by what each op does to axes
 * (docs/host-ir.md#logical-domain-map). */
#include "dump/read-dump-infer.h"

int
hir_dump_compare_names (gconstpointer a, gconstpointer b)
{
  return (*(HirVal *const *) a)->name - (*(HirVal *const *) b)->name;
}

HirDumpSlot
hir_dump_slot_of (const HirIterDomain *id)
{
  return (HirDumpSlot){ .extent = id->extent, .type = id->iter_type };
}

/* Returns slots for the logical axes of @val without reductions. */
static GArray *
dup_slots (const HirVal *val)
{
  GArray *slots = g_array_new (FALSE, TRUE, sizeof (HirDumpSlot));
  guint n = 0;
  g_autofree HirIterDomain **ids = NULL;

  if (!HIR_IS_TENSOR (val))
    return slots;
  ids = hir_tensor_dup_no_reductions (HIR_TENSOR (val), &n);
  for (guint i = 0; i < n; i++)
    {
      HirDumpSlot slot = hir_dump_slot_of (ids[i]);

      g_array_append_val (slots, slot);
    }
  return slots;
}

static HirDumpSlot
new_slot (HirDumpInference *inference, HirIterType type)
{
  return (HirDumpSlot){ .extent = hir_scalar_get_one (inference->container), .type = type };
}

/* Joins the axes of all operands from the right; an iteration axis wins over a broadcast. */
static GArray *
join (const HirExpr *expr)
{
  GArray *slots = NULL;

  for (guint i = 0; i < expr->n_inputs; i++)
    {
      GArray *other;

      if (!HIR_IS_TENSOR (expr->inputs[i]))
        continue;
      other = dup_slots (expr->inputs[i]);
      if (slots == NULL)
        {
          slots = other;
          continue;
        }
      for (guint k = 0; k < slots->len && slots->len == other->len; k++)
        if (g_array_index (slots, HirDumpSlot, k).type == HIR_ITER_BROADCAST)
          g_array_index (slots, HirDumpSlot, k) = g_array_index (other, HirDumpSlot, k);
      g_array_unref (other);
    }
  return slots;
}

/* Returns the axes of the output of a matmul or linear: batch, M, N, K. */
static GArray *
multiply (const HirExpr *expr)
{
  gboolean is_linear = expr->kind == HIR_EXPR_LINEAR;
  g_autoptr (GArray) a = dup_slots (expr->inputs[0]);
  g_autoptr (GArray) b = dup_slots (expr->inputs[1]);
  GArray *slots = g_array_new (FALSE, TRUE, sizeof (HirDumpSlot));
  HirDumpSlot k;

  if (a->len == 0 || b->len == 0)
    return slots;
  if (!is_linear && b->len > a->len)
    g_array_append_vals (slots, b->data, b->len - 2);
  else
    g_array_append_vals (slots, a->data, a->len - MIN (a->len, is_linear ? 1 : 2));
  for (guint i = 0; !is_linear && i < slots->len && a->len == b->len; i++)
    if (g_array_index (slots, HirDumpSlot, i).type == HIR_ITER_BROADCAST)
      g_array_index (slots, HirDumpSlot, i) = g_array_index (b, HirDumpSlot, i);
  if (!is_linear && a->len >= 2)
    g_array_append_vals (slots, &g_array_index (a, HirDumpSlot, a->len - 2), 1);
  if (b->len >= 2)
    g_array_append_vals (slots, &g_array_index (b, HirDumpSlot, is_linear ? 0 : b->len - 1), 1);
  k = g_array_index (a, HirDumpSlot, a->len - 1);
  if (k.type == HIR_ITER_BROADCAST)
    k = g_array_index (b, HirDumpSlot, is_linear || b->len < 2 ? b->len - 1 : b->len - 2);
  if (k.type != HIR_ITER_BROADCAST)
    {
      k.type = HIR_ITER_REDUCTION;
      g_array_append_val (slots, k);
    }
  return slots;
}

/* Inserts (@insert) or removes an axis of size 1 where @flags is TRUE. Returns an empty array if
 * @flags does not match. */
static GArray *
apply_flags (
    HirDumpInference *inference, GArray *from, const gboolean *flags, guint n, gboolean insert)
{
  GArray *slots = g_array_new (FALSE, TRUE, sizeof (HirDumpSlot));
  HirDumpSlot one = new_slot (inference, HIR_ITER_BROADCAST);

  for (guint i = 0, at = 0; i < n; i++)
    {
      if (!flags[i] || !insert)
        {
          if (at == from->len)
            return g_array_set_size (slots, 0);
          if (!flags[i])
            g_array_append_vals (slots, &g_array_index (from, HirDumpSlot, at), 1);
          at++;
        }
      else
        g_array_append_val (slots, one);
    }
  return slots;
}

/* Returns TRUE if @tensor is the first step of an rfactor. */
static gboolean
is_first_step (const HirTensor *tensor)
{
  const HirExpr *expr = tensor->definition;

  return expr != NULL && (expr->kind == HIR_EXPR_REDUCTION || expr->kind == HIR_EXPR_MATMUL ||
                          expr->kind == HIR_EXPR_LINEAR);
}

GArray *
hir_dump_infer_output (HirDumpInference *inference, const HirExpr *expr)
{
  g_autoptr (GArray) in = expr->n_inputs > 0 ? dup_slots (expr->inputs[0]) : NULL;
  g_autofree HirIterDomain **kept = NULL;
  GArray *slots;
  guint n;

  switch (expr->kind)
    {
    case HIR_EXPR_SET:
    case HIR_EXPR_UNARY:
    case HIR_EXPR_BINARY:
    case HIR_EXPR_TERNARY:
    case HIR_EXPR_EXPAND:
    case HIR_EXPR_SHARD_BY_STREAM:
      return join (expr);
    case HIR_EXPR_REDUCTION:
    case HIR_EXPR_COMMUNICATION:
      slots = join (expr);
      kept = hir_tensor_dup_no_reductions (HIR_TENSOR (expr->inputs[0]), &n);
      /* A communication reduces over devices only, the second step of an rfactor over the new axes.
       */
      for (guint i = 0; i < slots->len; i++)
        if (is_first_step (HIR_TENSOR (expr->inputs[0])) && kept[i]->is_rfactor)
          g_array_index (slots, HirDumpSlot, i).type = HIR_ITER_REDUCTION;
        else
          g_array_index (slots, HirDumpSlot, i).any_type =
              expr->kind == HIR_EXPR_REDUCTION || hir_iter_domain_is_device (kept[i]);
      return slots;
    case HIR_EXPR_MATMUL:
    case HIR_EXPR_LINEAR:
      return multiply (expr);
    case HIR_EXPR_BROADCAST:
      return apply_flags (inference, in, expr->u.broadcast.flags, expr->u.broadcast.n, TRUE);
    case HIR_EXPR_SQUEEZE:
      return apply_flags (inference, in, expr->u.squeeze.flags, expr->u.squeeze.n, FALSE);
    default:
      return NULL;
    }
}

GArray *
hir_dump_infer_input (HirDumpInference *inference, const HirExpr *expr, const HirTensor *out)
{
  g_autoptr (GArray) all = g_array_new (FALSE, TRUE, sizeof (HirDumpSlot));
  const HirDomain *domain = hir_tensor_get_maybe_root (out);
  guint n;
  g_autofree HirIterDomain **ids = g_memdup2 (domain->ids, sizeof (HirIterDomain *) * domain->n);

  /* A permutation prints in its new order, but the input has the order of the root domain, which is
   * that of the numbers. */
  if (!out->has_root && g_hash_table_contains (inference->reader->permuted, out))
    qsort (ids, domain->n, sizeof *ids, hir_dump_compare_names);
  for (guint i = 0; i < domain->n; i++)
    {
      HirDumpSlot slot = hir_dump_slot_of (ids[i]);

      /* A reduced axis was an iteration or a broadcast before. */
      slot.any_type = slot.type == HIR_ITER_REDUCTION;
      if (slot.any_type)
        slot.type = HIR_ITER_ITERATION;
      g_array_append_val (all, slot);
    }
  switch (expr->kind)
    {
    case HIR_EXPR_SET:
    case HIR_EXPR_UNARY:
    case HIR_EXPR_REDUCTION:
    case HIR_EXPR_BINARY:
    case HIR_EXPR_EXPAND:
      return g_steal_pointer (&all);
    case HIR_EXPR_COMMUNICATION:
      g_free (hir_tensor_dup_no_reductions (out, &n));
      return n == domain->n ? g_steal_pointer (&all) : NULL;
    case HIR_EXPR_BROADCAST:
      return apply_flags (inference, all, expr->u.broadcast.flags, expr->u.broadcast.n, FALSE);
    case HIR_EXPR_SQUEEZE:
      return apply_flags (inference, all, expr->u.squeeze.flags, expr->u.squeeze.n, TRUE);
    default:
      return NULL;
    }
}

/* Returns the extent that was split into @a and @b, or NULL if they do not show a split. */
static HirScalar *
unsplit (HirDumpInference *inference, HirScalar *a, HirScalar *b)
{
  if (a->kind == HIR_SCALAR_OP && a->op == HIR_SCALAR_OP_CEIL_DIV && hir_scalar_equal (a->b, b))
    return a->a;
  if (b->kind == HIR_SCALAR_OP && b->op == HIR_SCALAR_OP_CEIL_DIV && hir_scalar_equal (b->b, a))
    return b->a;
  return hir_scalar_is_const (a) && hir_scalar_is_const (b)
             ? hir_scalar_new_op (inference->container, HIR_SCALAR_OP_MUL, a, b)
             : NULL;
}

GArray *
hir_dump_infer_from_loop (HirDumpInference *inference, const HirTensor *tensor, guint rank)
{
  GArray *slots = g_array_new (FALSE, TRUE, sizeof (HirDumpSlot));

  for (guint i = 0; i < tensor->loop.n; i++)
    {
      HirIterDomain *id = tensor->loop.ids[i];
      HirIterDomain *next = i + 1 < tensor->loop.n ? tensor->loop.ids[i + 1] : NULL;
      HirDumpSlot slot = hir_dump_slot_of (id);
      HirScalar *whole = NULL;

      if (next != NULL && next->base.name == id->base.name + 1 &&
          next->iter_type == id->iter_type && (rank == 0 || rank < tensor->loop.n) &&
          (rank != 0 || !hir_scalar_is_const (id->extent) || !hir_scalar_is_const (next->extent)))
        whole = unsplit (inference, id->extent, next->extent);
      /* With a rank, look for one split only: the one numbered last. */
      for (guint k = 0; whole != NULL && rank != 0 && k < tensor->loop.n; k++)
        if (tensor->loop.ids[k]->base.name > next->base.name)
          whole = NULL;
      if (whole != NULL)
        {
          slot.extent = whole;
          i++;
        }
      else if (id->extent->kind == HIR_SCALAR_OP && id->extent->op == HIR_SCALAR_OP_MUL &&
               (rank == 0 || rank > tensor->loop.n))
        {
          HirDumpSlot outer = { .extent = id->extent->a, .type = id->iter_type };

          g_array_append_val (slots, outer);
          slot.extent = id->extent->b;
        }
      g_array_append_val (slots, slot);
    }
  if (rank != 0 && slots->len != rank)
    g_array_set_size (slots, 0);
  return slots;
}
