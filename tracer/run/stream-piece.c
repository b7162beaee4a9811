/* Tensors distributed over streams. */
#include "run/stream-piece.h"

typedef struct
{
  GHashTable *slices; /* HirTensor*: results of ShardByStream */
  GHashTable *whole;  /* HirTensor*: operands that are split */
} Cuts;

static gboolean
collect_cut (HirExpr *expr, guint depth, gpointer user_data)
{
  Cuts *cuts = user_data;

  if (expr->kind == HIR_EXPR_SHARD_BY_STREAM)
    {
      g_hash_table_add (cuts->slices, expr->u.shard.out);
      g_hash_table_add (cuts->whole, expr->inputs[0]);
    }
  else if (expr->kind == HIR_EXPR_ALIAS_SELECT)
    g_hash_table_add (cuts->whole, expr->inputs[0]);
  return TRUE;
}

GHashTable *
hir_stream_pieces_new (HirContainer *program)
{
  Cuts cuts = { g_hash_table_new (NULL, NULL), g_hash_table_new (NULL, NULL) };

  hir_container_foreach_expr (program, collect_cut, &cuts);
  if (g_hash_table_size (cuts.slices) > 0)
    for (guint i = 0; i < program->tensors.len; i++)
      {
        HirTensor *tensor = program->tensors.items[i];
        const HirScalar *extent;
        guint axis;

        if (hir_stream_piece_find (tensor, &axis, &extent) &&
            !g_hash_table_contains (cuts.whole, tensor) &&
            !hir_container_is_input (program, HIR_VAL (tensor)) &&
            !hir_container_is_output (program, HIR_VAL (tensor)))
          g_hash_table_add (cuts.slices, tensor);
      }
  g_hash_table_unref (cuts.whole);
  return cuts.slices;
}

gboolean
hir_stream_piece_find (const HirTensor *tensor, guint *axis, const HirScalar **extent)
{
  guint n;
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (tensor, &n);

  for (guint i = 0; i < tensor->loop.n; i++)
    {
      const HirIterDomain *id = tensor->loop.ids[i];

      if (!hir_iter_domain_is_stream (id) || hir_iter_domain_is_reduction (id))
        continue;
      *extent = id->extent;
      while (id != NULL)
        {
          for (*axis = 0; *axis < n; ++*axis)
            if (ids[*axis] == id)
              return TRUE;
          id = id->definition != NULL ? id->definition->in[0] : NULL;
        }
    }
  return FALSE;
}

/* Adds the position of this device on the mesh axis that the stream axis of @view is rotated by
 * (swizzle1d). */
static gboolean
rotate (const HirTensor *view, HirEnv *env, gint64 n_pieces, gint64 *index, GError **error)
{
  static const HirScalar rank_name = { .base = { .kind = HIR_VAL_SCALAR },
                                       .kind = HIR_SCALAR_NAMED,
                                       .named = HIR_NAME_RANK };

  for (guint i = 0; i < view->loop.n; i++)
    {
      const HirIterDomain *id = view->loop.ids[i];
      g_autofree gint64 *line = NULL;
      gint64 rank;
      guint n = 0;

      if (!hir_iter_domain_is_stream (id) || id->definition == NULL ||
          id->definition->kind != HIR_TRANSFORM_SWIZZLE || view->mesh == NULL)
        continue;
      if (!hir_env_evaluate_int (env, &rank_name, &rank, error))
        return FALSE;
      line = hir_mesh_dup_slice (view->mesh, rank,
                                 (int) id->definition->mesh_axis - HIR_PARALLEL_DIDX, &n);
      for (guint k = 0; line != NULL && k < n; k++)
        {
          if (line[k] == rank)
            *index = (*index + k) % n_pieces;
        }
    }
  return TRUE;
}

gboolean
hir_stream_piece_get (const HirExpr *expr,
                      HirEnv *env,
                      guint n_dims,
                      const gint64 *sizes,
                      guint *axis,
                      gint64 *start,
                      gint64 *size,
                      GError **error)
{
  const HirTensor *out = expr->u.shard.out;
  const HirScalar *extent;
  gint64 n_pieces, index;

  if (!hir_stream_piece_find (out, axis, &extent) || *axis >= n_dims)
    {
      hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                     "T%d is sharded by stream, but none of its axes is over streams",
                     out->base.name);
      return FALSE;
    }
  if (!hir_env_evaluate_int (env, extent, &n_pieces, error) ||
      !hir_env_evaluate_int (env, expr->u.shard.index, &index, error))
    return FALSE;
  if (n_pieces < 1 || sizes[*axis] % n_pieces != 0)
    {
      hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                     "axis %u of T%d has the size %" G_GINT64_FORMAT
                     ", which cannot be split into %" G_GINT64_FORMAT " equal pieces",
                     *axis, expr->inputs[0]->name, sizes[*axis], n_pieces);
      return FALSE;
    }
  if (index < 0 || index >= n_pieces)
    {
      hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                     "piece %" G_GINT64_FORMAT " of T%d is out of range; pieces: %" G_GINT64_FORMAT,
                     index, expr->inputs[0]->name, n_pieces);
      return FALSE;
    }
  if (!rotate (out, env, n_pieces, &index, error))
    return FALSE;
  *size = sizes[*axis] / n_pieces;
  *start = index * *size;
  return TRUE;
}
