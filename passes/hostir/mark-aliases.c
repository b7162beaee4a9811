/* MarkAliasesPrepare (docs/hostir.md#markaliasesprepare). */
#include "hostir/alias.h"
#include "hostir/hostir-copy.h"
#include "hostir/layout.h"
#include "pass.h"
#include "usage.h"

typedef struct
{
  HirContainer *fusion;
  GHashTable *uses;
  GHashTable *depended; /* HirExpr* that a tensor with memory of its own depends on */
} Bookend;

/* A tensor and the alias op that reads it. */
typedef struct
{
  HirTensor *tensor;
  HirExpr *user;
} Use;

static void
mark_depended (Bookend *b, GPtrArray *exprs)
{
  g_autoptr (GHashTable) wanted = g_hash_table_new (NULL, NULL); /* HirVal* */

  for (guint i = exprs->len; i > 0; i--)
    {
      HirExpr *expr = exprs->pdata[i - 1];
      gboolean depended = !hir_expr_is_alias (expr);

      for (guint k = 0; k < expr->n_outputs; k++)
        depended = depended || g_hash_table_contains (wanted, expr->outputs[k]);
      if (!depended)
        continue;
      g_hash_table_add (b->depended, expr);
      for (guint k = 0; k < expr->n_inputs; k++)
        g_hash_table_add (wanted, expr->inputs[k]);
    }
}

static Use
find_use (Bookend *b, HirTensor *out)
{
  Use use = { out, NULL };

  while (use.tensor->definition != NULL && hir_expr_is_alias (use.tensor->definition) &&
         !g_hash_table_contains (b->depended, use.tensor->definition))
    {
      use.user = use.tensor->definition;
      use.tensor = HIR_TENSOR (use.user->inputs[0]);
    }
  return use;
}

static gint
compare_uses (gconstpointer a, gconstpointer b)
{
  const Use *x = a, *y = b;

  if (x->tensor != y->tensor)
    return x->tensor->base.name - y->tensor->base.name;
  return x->user->name - y->user->name;
}

static gboolean
is_segment_set (const HirExpr *expr)
{
  return expr != NULL && expr->kind == HIR_EXPR_SET && expr->u.set.kind == HIR_SET_SEGMENTER;
}

/* Ends the segment that computes @uses[0].tensor; the alias ops behind it need no kernel. */
static void
insert (Bookend *b, const Use *uses, guint n)
{
  HirTensor *tensor = uses[0].tensor, *copy;
  GPtrArray *readers = g_hash_table_lookup (b->uses, tensor);
  const HirNode *origins[] = { &tensor->base.node };
  gboolean all_sets = TRUE;
  int output;

  if (readers != NULL && readers->len == n &&
      (hir_container_is_input (b->fusion, HIR_VAL (tensor)) || is_segment_set (tensor->definition)))
    return;
  for (guint i = 0; i < n; i++)
    all_sets = all_sets && is_segment_set (uses[i].user);
  if (all_sets)
    return;
  hir_maker_set_origins (b->fusion, origins, 1);
  copy = hir_copy_new (tensor, HIR_SET_SEGMENTER);
  hir_copy_schedule (tensor, copy);
  for (guint i = 0; i < n; i++)
    hir_expr_replace_input (uses[i].user, tensor, copy);
  output = hir_vec_find (&b->fusion->outputs, tensor);
  if (output < 0)
    return;
  b->fusion->outputs.items[output] = copy;
  copy->memory = tensor->memory;
}

static void
insert_all (Bookend *b)
{
  g_autoptr (GArray) uses = g_array_new (FALSE, FALSE, sizeof (Use));

  for (guint i = 0; i < b->fusion->outputs.len; i++)
    {
      HirTensor *out = b->fusion->outputs.items[i];
      Use use;

      if (!HIR_IS_TENSOR (out))
        continue;
      use = find_use (b, out);
      if (use.tensor != out)
        g_array_append_val (uses, use);
    }
  g_array_sort (uses, compare_uses);
  for (guint i = 0, n; i < uses->len; i += n)
    {
      g_autoptr (GArray) distinct = g_array_new (FALSE, FALSE, sizeof (Use));
      const Use *first = &g_array_index (uses, Use, i);

      for (n = 0; i + n < uses->len && first[n].tensor == first->tensor; n++)
        {
          if (n == 0 || first[n].user != first[n - 1].user)
            g_array_append_val (distinct, first[n]);
        }
      insert (b, (const Use *) distinct->data, distinct->len);
    }
}

/* An alias that is not told how to lie in memory lies as its operand does. */
static void
set_layout (const HirExpr *expr)
{
  HirTensor *in = HIR_TENSOR (expr->inputs[0]), *out = HIR_TENSOR (expr->outputs[0]);
  g_autoptr (GPtrArray) order = NULL;
  g_autoptr (GPtrArray) mapped = NULL;
  g_autoptr (GPtrArray) own = NULL;

  if (!hir_expr_is_alias (expr) || out->has_allocation || expr->kind == HIR_EXPR_RESHAPE)
    return;
  order = hir_layout_dup (in);
  mapped = hir_layout_dup_mapped (expr, in, order);
  own = hir_layout_dup (out);
  if (!hir_layout_equal (mapped, own))
    hir_tensor_set_allocation (out, (HirIterDomain *const *) mapped->pdata, mapped->len);
}

static HirContainer *
run (HirContainer *taken, const HirPassContext *context, GError **error)
{
  g_autoptr (HirContainer) fusion = taken;
  g_autoptr (GPtrArray) exprs = NULL;
  g_autoptr (GHashTable) uses = NULL;
  g_autoptr (GHashTable) depended = g_hash_table_new (NULL, NULL);
  Bookend b = { fusion, NULL, depended };

  if (!hir_pass_context_check_fusion (context, fusion, error))
    return NULL;
  for (guint i = 0; i < fusion->tensors.len; i++)
    {
      HirTensor *tensor = fusion->tensors.items[i];

      if (tensor->has_allocation)
        tensor->memory = HIR_MEMORY_GLOBAL;
    }
  exprs = hir_fusion_dup_exprs (fusion);
  for (guint i = 0; i < exprs->len; i++)
    set_layout (exprs->pdata[i]);
  uses = hir_fusion_dup_uses (fusion);
  b.uses = uses;
  mark_depended (&b, exprs);
  insert_all (&b);
  return g_steal_pointer (&fusion);
}

const HirPass hir_pass_hostir_mark_aliases_prepare = {
  .name = "MarkAliasesPrepare",
  .summary = "Separates alias ops before outputs from the kernel that computes their operand",
  .help =
      "A set, broadcast, squeeze, expand, reshape or slice whose result can keep the memory layout "
      "of its operand is an alias: it needs no kernel. From each output, the pass walks up through "
      "such ops. Before the first of them it inserts a SegmenterSet, which ends the segment, so "
      "that the aliases get a segment of their own. A communication behind an op counts as alias "
      "too.\n\nNothing is inserted behind an input or a SegmenterSet that only these ops read, and "
      "where a tensor with memory of its own depends on the alias op. Tensors with an allocation "
      "domain become Global. An alias whose operand lies in another order than its own axes gets "
      "that order as allocation domain.",
  .options = NULL,
  .default_on = TRUE,
  .run = run,
};
