#include "structural-hash.h"

#include "hasher.h"
#include "usage.h"

#define MAX_NESTING 512

static guint64 container_hash (HirHasher *hasher, HirContainer *container);

static guint64
scope_hash (HirHasher *hasher, const HirScope *scope, guint depth)
{
  guint64 hash = hir_hash_mix (depth, scope->exprs.len);

  for (guint i = 0; i < scope->exprs.len && depth < MAX_NESTING; i++)
    {
      HirExpr *expr = scope->exprs.items[i];
      HirScope *inner;
      gboolean is_new_unit =
          hir_expr_posts_unit (expr) && !g_hash_table_contains (hasher->numbers, expr->u.post.unit);

      /* Waits refer to an Expr by its number. */
      hash = hir_hash_mix (hash, hir_hasher_token (hasher, expr, expr->node.id, NULL));
      hash = hir_hash_mix (hash, hir_hasher_expr_content (hasher, expr));
      if (is_new_unit)
        hash = hir_hash_mix (hash, container_hash (hasher, expr->u.post.unit->fusion));
      for (guint k = 0; (inner = hir_expr_get_scope (expr, k)) != NULL; k++)
        hash = hir_hash_mix (hash, scope_hash (hasher, inner, depth + 1));
    }
  return hash;
}

static guint64
vals_hash (HirHasher *hasher, guint64 hash, const HirVec *vals)
{
  hash = hir_hash_mix (hash, vals->len);
  for (guint i = 0; i < vals->len; i++)
    hash = hir_hash_mix (hash, hir_hasher_operand (hasher, vals->items[i]));
  return hash;
}

static guint64
container_hash (HirHasher *hasher, HirContainer *container)
{
  guint64 hash = vals_hash (hasher, container->kind, &container->inputs);

  if (container->kind == HIR_CONTAINER_HOST)
    hash = hir_hash_mix (hash, scope_hash (hasher, &container->top, 0));
  else
    {
      g_autoptr (GPtrArray) exprs = hir_fusion_dup_exprs (container);

      for (guint i = 0; i < exprs->len; i++)
        hash = hir_hash_mix (hash, hir_hasher_expr_content (hasher, g_ptr_array_index (exprs, i)));
    }
  return vals_hash (hasher, hash, &container->outputs);
}

guint64
hir_container_hash (HirContainer *container)
{
  HirHasher hasher;
  guint64 hash;

  hir_hasher_init (&hasher, FALSE);
  hash = container_hash (&hasher, container);
  hir_hasher_clear (&hasher);
  return hash;
}

typedef struct
{
  HirHasher hasher;
  GHashTable *table;
} NodeHashes;

/* The first entry wins: the program's own node before its copy in a HostUnit. */
static void
put (NodeHashes *hashes, guint64 id, guint64 hash)
{
  if (!g_hash_table_contains (hashes->table, &id))
    g_hash_table_insert (hashes->table, g_memdup2 (&id, sizeof id), g_memdup2 (&hash, sizeof hash));
}

static gboolean
put_expr (HirExpr *expr, guint depth, gpointer user_data)
{
  NodeHashes *hashes = user_data;

  put (hashes, expr->node.id, hir_hasher_expr_content (&hashes->hasher, expr));
  return TRUE;
}

GHashTable *
hir_container_dup_node_hashes (HirContainer *container)
{
  g_autoptr (GPtrArray) tensors = hir_container_dup_used_tensors (container);
  NodeHashes hashes = {
    .table = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free),
  };

  hir_hasher_init (&hashes.hasher, TRUE);
  for (guint i = 0; i < tensors->len; i++)
    {
      const HirTensor *tensor = g_ptr_array_index (tensors, i);

      put (&hashes, tensor->base.node.id, hir_hasher_tensor_content (&hashes.hasher, tensor));
    }
  hir_container_foreach_expr (container, put_expr, &hashes);
  for (guint i = 0; i < container->units.len; i++)
    {
      HirHostUnit *unit = container->units.items[i];

      hir_container_foreach_expr (unit->fusion, put_expr, &hashes);
    }
  hir_hasher_clear (&hashes.hasher);
  return hashes.table;
}
