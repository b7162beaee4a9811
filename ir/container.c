#include "container.h"

static HirContainer *
container_new (HirContainerKind kind, HirSource *source)
{
  HirContainer *container = g_new0 (HirContainer, 1);

  container->kind = kind;
  g_atomic_ref_count_init (&container->ref_count);
  if (source != NULL)
    container->source = hir_source_ref (source);
  return container;
}

HirContainer *
hir_container_new (HirContainerKind kind, HirSource *source)
{
  HirContainer *container = container_new (kind, source);

  container->arena = hir_arena_new ();
  container->owns_arena = TRUE;
  return container;
}

HirContainer *
hir_container_new_nested (HirContainer *parent)
{
  HirContainer *container = container_new (HIR_CONTAINER_FUSION, parent->source);

  container->arena = parent->arena;
  container->function = parent->function;
  return container;
}

HirContainer *
hir_container_ref (HirContainer *container)
{
  g_atomic_ref_count_inc (&container->ref_count);
  return container;
}

void
hir_container_unref (HirContainer *container)
{
  if (container == NULL || !g_atomic_ref_count_dec (&container->ref_count))
    return;

  for (guint i = 0; i < container->units.len; i++)
    {
      HirHostUnit *unit = container->units.items[i];

      hir_container_unref (unit->fusion);
    }
  g_clear_pointer (&container->maker.ordinals, g_hash_table_unref);
  hir_source_unref (container->source);
  if (container->owns_arena)
    hir_arena_free (container->arena);
  g_free (container);
}

static void
make_global (HirVal *val)
{
  if (HIR_IS_TENSOR (val))
    HIR_TENSOR (val)->memory = HIR_MEMORY_GLOBAL;
}

void
hir_container_add_input (HirContainer *container, HirVal *val)
{
  make_global (val);
  hir_vec_push (container->arena, &container->inputs, val);
}

void
hir_container_add_output (HirContainer *container, HirVal *val)
{
  make_global (val);
  if (hir_vec_find (&container->outputs, val) < 0)
    hir_vec_push (container->arena, &container->outputs, val);
}

gboolean
hir_container_is_input (const HirContainer *container, const HirVal *val)
{
  return hir_vec_find (&container->inputs, val) >= 0;
}

gboolean
hir_container_is_output (const HirContainer *container, const HirVal *val)
{
  return hir_vec_find (&container->outputs, val) >= 0;
}

void
hir_container_add_expr (HirContainer *container, HirExpr *expr)
{
  hir_vec_push (container->arena,
                container->kind == HIR_CONTAINER_FUSION ? &container->exprs : &container->top.exprs,
                expr);
}

HirHostUnit *
hir_container_add_unit (HirContainer *container)
{
  HirHostUnit *unit = hir_arena_new0 (container->arena, HirHostUnit);

  unit->index = (int) container->units.len;
  unit->fusion = hir_container_new_nested (container);
  hir_maker_stamp (container, &unit->node, "host_unit");
  hir_vec_push (container->arena, &container->units, unit);
  return unit;
}

static HirExpr *
definition_of (const HirVal *val)
{
  return HIR_IS_TENSOR (val) ? HIR_TENSOR (val)->definition : NULL;
}

typedef struct
{
  HirExpr *expr;
  guint next; /* index of the operand to visit next */
} Frame;

/* Depth-first search from @root. Appends each Expr after the definitions of its operands. */
static void
visit_backwards (HirExpr *root, GHashTable *seen, GPtrArray *out)
{
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (Frame));
  Frame first = { root, 0 };

  if (root == NULL || !g_hash_table_add (seen, root))
    return;
  g_array_append_val (stack, first);
  while (stack->len > 0)
    {
      Frame *top = &g_array_index (stack, Frame, stack->len - 1);

      if (top->next == top->expr->n_inputs)
        {
          g_ptr_array_add (out, top->expr);
          g_array_set_size (stack, stack->len - 1);
        }
      else
        {
          HirExpr *definition = definition_of (top->expr->inputs[top->next++]);

          if (definition != NULL && g_hash_table_add (seen, definition))
            {
              Frame frame = { definition, 0 };

              g_array_append_val (stack, frame);
            }
        }
    }
}

/* Returns the outputs that no other output is computed from, in order (docs/host-ir.md#containers).
 */
static GPtrArray *
dup_terminating_outputs (HirContainer *fusion)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) exprs = g_ptr_array_new ();
  g_autoptr (GHashTable) read = g_hash_table_new (NULL, NULL);
  GPtrArray *result = g_ptr_array_new ();

  for (guint i = 0; i < fusion->outputs.len; i++)
    visit_backwards (definition_of (fusion->outputs.items[i]), seen, exprs);
  for (guint i = 0; i < exprs->len; i++)
    {
      HirExpr *expr = exprs->pdata[i];

      for (guint j = 0; j < expr->n_inputs; j++)
        g_hash_table_add (read, expr->inputs[j]);
    }
  for (guint i = 0; i < fusion->outputs.len; i++)
    {
      if (!g_hash_table_contains (read, fusion->outputs.items[i]))
        g_ptr_array_add (result, fusion->outputs.items[i]);
    }
  return result;
}

GPtrArray *
hir_fusion_dup_exprs (HirContainer *fusion)
{
  g_autoptr (GPtrArray) outputs = NULL;
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  GPtrArray *exprs = g_ptr_array_new ();

  g_return_val_if_fail (fusion->kind == HIR_CONTAINER_FUSION, exprs);

  outputs = dup_terminating_outputs (fusion);
  for (guint i = 0; i < outputs->len; i++)
    visit_backwards (definition_of (outputs->pdata[i]), seen, exprs);
  return exprs;
}

GHashTable *
hir_fusion_dup_uses (HirContainer *fusion)
{
  g_autoptr (GPtrArray) exprs = hir_fusion_dup_exprs (fusion);
  GHashTable *uses = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);

  for (guint i = 0; i < exprs->len; i++)
    {
      HirExpr *expr = exprs->pdata[i];

      for (guint j = 0; j < expr->n_inputs; j++)
        {
          GPtrArray *readers;

          if (!HIR_IS_TENSOR (expr->inputs[j]))
            continue;
          readers = g_hash_table_lookup (uses, expr->inputs[j]);
          if (readers == NULL)
            {
              readers = g_ptr_array_new ();
              g_hash_table_insert (uses, expr->inputs[j], readers);
            }
          /* An operand that one Expr uses twice counts once. */
          if (readers->len == 0 || readers->pdata[readers->len - 1] != expr)
            g_ptr_array_add (readers, expr);
        }
    }
  return uses;
}

static gboolean
visit_scope (HirScope *scope, guint depth, HirExprVisitor visit, gpointer user_data)
{
  for (guint i = 0; i < scope->exprs.len; i++)
    {
      HirExpr *expr = scope->exprs.items[i];
      HirScope *inner;

      if (!visit (expr, depth, user_data))
        return FALSE;
      for (guint j = 0; (inner = hir_expr_get_scope (expr, j)) != NULL; j++)
        {
          if (!visit_scope (inner, depth + 1, visit, user_data))
            return FALSE;
        }
    }
  return TRUE;
}

void
hir_container_foreach_expr (HirContainer *container, HirExprVisitor visit, gpointer user_data)
{
  g_autoptr (GPtrArray) exprs = NULL;

  if (container->kind == HIR_CONTAINER_HOST)
    {
      visit_scope (&container->top, 0, visit, user_data);
      return;
    }

  exprs = hir_fusion_dup_exprs (container);
  for (guint i = 0; i < exprs->len; i++)
    {
      if (!visit (exprs->pdata[i], 0, user_data))
        return;
    }
}

typedef struct
{
  const HirStream *wanted;
  GHashTable *defaults; /* names of the default stream so far */
  gboolean is_default;  /* the current stream is the default stream */
  gboolean is_found;
} StreamSearch;

static gboolean
follow_stream (HirExpr *expr, guint depth, gpointer user_data)
{
  StreamSearch *search = user_data;

  if (expr->kind == HIR_EXPR_SET_CURRENT_STREAM)
    search->is_default = g_hash_table_contains (search->defaults, expr->u.stream.stream);
  else if (expr->kind == HIR_EXPR_GET_CURRENT_STREAM && search->is_default)
    g_hash_table_add (search->defaults, expr->u.stream.stream);
  search->is_found |=
      expr->kind == HIR_EXPR_GET_CURRENT_STREAM && expr->u.stream.stream == search->wanted;
  return !search->is_found;
}

gboolean
hir_stream_is_default (const HirStream *stream)
{
  g_autoptr (GHashTable) defaults = g_hash_table_new (NULL, NULL);
  StreamSearch search = { stream, defaults, TRUE, FALSE };

  if (stream->index == NULL && stream->base.container->kind == HIR_CONTAINER_HOST)
    hir_container_foreach_expr (stream->base.container, follow_stream, &search);
  return g_hash_table_contains (defaults, stream);
}

typedef struct
{
  guint64 id;
  HirExpr *found;
} Lookup;

static gboolean
match_expr (HirExpr *expr, guint depth, gpointer user_data)
{
  Lookup *lookup = user_data;

  if (expr->node.id == lookup->id)
    lookup->found = expr;
  return lookup->found == NULL;
}

HirExpr *
hir_container_lookup_expr (HirContainer *container, guint64 id)
{
  Lookup lookup = { id, NULL };

  hir_container_foreach_expr (container, match_expr, &lookup);
  for (guint i = 0; i < container->units.len && lookup.found == NULL; i++)
    {
      HirHostUnit *unit = container->units.items[i];

      hir_container_foreach_expr (unit->fusion, match_expr, &lookup);
    }
  return lookup.found;
}

HirTensor *
hir_container_lookup_tensor (HirContainer *container, guint64 id)
{
  for (guint i = 0; i < container->tensors.len; i++)
    {
      HirTensor *tensor = container->tensors.items[i];

      if (tensor->base.node.id == id)
        return tensor;
    }
  for (guint i = 0; i < container->units.len; i++)
    {
      HirHostUnit *unit = container->units.items[i];
      HirTensor *tensor = hir_container_lookup_tensor (unit->fusion, id);

      if (tensor != NULL)
        return tensor;
    }
  return NULL;
}
