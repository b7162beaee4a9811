#include "run/env.h"

#include <math.h>

#include "run/stream-piece.h"

struct _HirEnv
{
  GHashTable *values; /* const HirVal* -> HirValue* */
  GHashTable *named;  /* name -> HirValue* */
  GHashTable *slices; /* borrowed; nullable */
  GArray *journal;    /* borrowed; nullable */
  gint64 device;
};

HirEnv *
hir_env_new (void)
{
  HirEnv *env = g_new0 (HirEnv, 1);

  env->device = -1;
  env->values = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) hir_value_unref);
  env->named =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) hir_value_unref);
  return env;
}

void
hir_env_free (HirEnv *env)
{
  g_hash_table_unref (env->values);
  g_hash_table_unref (env->named);
  g_free (env);
}

void
hir_env_set_device (HirEnv *env, gint64 device)
{
  env->device = device;
}

gint64
hir_env_get_device (const HirEnv *env)
{
  return env->device;
}

void
hir_env_set_pieces (HirEnv *env, GHashTable *slices)
{
  env->slices = slices;
}

void
hir_env_reset (HirEnv *env)
{
  g_hash_table_remove_all (env->values);
}

static const char *
name_of (const HirVal *val)
{
  if (!HIR_IS_SCALAR (val))
    return NULL;
  return ((const HirScalar *) val)->kind == HIR_SCALAR_NAMED ? ((const HirScalar *) val)->named
                                                             : NULL;
}

static void
note_change (HirEnv *env, const HirVal *val, const char *name)
{
  HirEnvChange change = { .val = name == NULL ? val : NULL, .name = g_strdup (name) };
  HirValue *old;

  old = name != NULL ? g_hash_table_lookup (env->named, name)
                     : g_hash_table_lookup (env->values, val);
  change.old = old != NULL ? hir_value_ref (old) : NULL;
  g_array_append_val (env->journal, change);
}

void
hir_env_bind (HirEnv *env, const HirVal *val, HirValue *value)
{
  const char *name = name_of (val);

  if (env->journal != NULL)
    note_change (env, val, name);
  if (name != NULL)
    g_hash_table_replace (env->named, g_strdup (name), hir_value_ref (value));
  else
    g_hash_table_replace (env->values, (gpointer) val, hir_value_ref (value));
}

void
hir_env_bind_named (HirEnv *env, const char *name, gint64 value)
{
  if (env->journal != NULL)
    note_change (env, NULL, name);
  g_hash_table_replace (env->named, g_strdup (name), hir_value_new_int (value, HIR_DTYPE_INT));
}

void
hir_env_bind_symbols (HirEnv *env, const GArray *symbols)
{
  for (guint i = 0; symbols != NULL && i < symbols->len; i++)
    {
      const HirSymbolValue *symbol = &g_array_index (symbols, HirSymbolValue, i);
      g_autoptr (HirValue) value = hir_value_new_int (symbol->value, HIR_DTYPE_INDEX);

      hir_env_bind (env, HIR_VAL (symbol->symbol), value);
    }
}

void
hir_env_unbind (HirEnv *env, const HirVal *val)
{
  if (env->journal != NULL)
    note_change (env, val, name_of (val));
  if (name_of (val) != NULL)
    g_hash_table_remove (env->named, name_of (val));
  else
    g_hash_table_remove (env->values, val);
}

HirValue *
hir_env_lookup (HirEnv *env, const HirVal *val)
{
  if (name_of (val) != NULL)
    return g_hash_table_lookup (env->named, name_of (val));
  return g_hash_table_lookup (env->values, val);
}

static void
change_clear (gpointer data)
{
  HirEnvChange *change = data;

  g_clear_pointer (&change->name, g_free);
  g_clear_pointer (&change->old, hir_value_unref);
}

GArray *
hir_env_journal_new (void)
{
  GArray *journal = g_array_new (FALSE, FALSE, sizeof (HirEnvChange));

  g_array_set_clear_func (journal, change_clear);
  return journal;
}

void
hir_env_set_journal (HirEnv *env, GArray *journal)
{
  env->journal = journal;
}

void
hir_env_undo (HirEnv *env, const GArray *journal)
{
  for (guint i = journal->len; i-- > 0;)
    {
      const HirEnvChange *change = &g_array_index (journal, HirEnvChange, i);
      GHashTable *table = change->name != NULL ? env->named : env->values;

      if (change->old == NULL)
        g_hash_table_remove (table, change->name != NULL ? change->name : (gconstpointer) change->val);
      else
        g_hash_table_replace (table,
                              change->name != NULL ? g_strdup (change->name) : (gpointer) change->val,
                              hir_value_ref (change->old));
    }
}

void
hir_env_foreach (HirEnv *env,
                 void (*visit) (const HirVal *val, HirValue *value, gpointer user_data),
                 gpointer user_data)
{
  GHashTableIter iter;
  gpointer val, value;

  g_hash_table_iter_init (&iter, env->values);
  while (g_hash_table_iter_next (&iter, &val, &value))
    visit (val, value, user_data);
}

static gboolean
lookup_leaf (const HirScalar *leaf, gint64 *result, gpointer user_data)
{
  HirValue *value = hir_env_lookup (user_data, HIR_VAL (leaf));

  if (value == NULL || !value->is_scalar)
    return FALSE;
  *result = value->i;
  return TRUE;
}

gboolean
hir_env_evaluate_int (HirEnv *env, const HirScalar *scalar, gint64 *value, GError **error)
{
  if (scalar->kind == HIR_SCALAR_CONST && hir_dtype_is_floating_point (scalar->base.dtype))
    {
      *value = hir_dtype_saturate (HIR_DTYPE_INT, scalar->d);
      return TRUE;
    }
  return hir_scalar_evaluate (scalar, lookup_leaf, env, value, error);
}

static HirValue *
evaluate_double_op (HirEnv *env, const HirScalar *scalar, GError **error)
{
  g_autoptr (HirValue) a = hir_env_evaluate (env, scalar->a, error);
  g_autoptr (HirValue) b = a != NULL ? hir_env_evaluate (env, scalar->b, error) : NULL;
  double x, y, result;

  if (a == NULL || b == NULL)
    return NULL;
  x = a->d;
  y = b->d;
  switch (scalar->op)
    {
    case HIR_SCALAR_OP_ADD:
      result = x + y;
      break;
    case HIR_SCALAR_OP_SUB:
      result = x - y;
      break;
    case HIR_SCALAR_OP_MUL:
      result = x * y;
      break;
    case HIR_SCALAR_OP_DIV:
      result = x / y;
      break;
    case HIR_SCALAR_OP_MOD:
      result = fmod (x, y);
      break;
    case HIR_SCALAR_OP_CEIL_DIV:
      result = ceil (x / y);
      break;
    case HIR_SCALAR_OP_MAX:
      result = MAX (x, y);
      break;
    case HIR_SCALAR_OP_MIN:
      result = MIN (x, y);
      break;
    default:
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, &scalar->base.node.pos,
                     "the scalar operator %s of floating-point values is not run yet",
                     hir_scalar_op_get_token (scalar->op));
      return NULL;
    }
  return hir_value_new_double (result, scalar->base.dtype);
}

HirValue *
hir_env_evaluate (HirEnv *env, const HirScalar *scalar, GError **error)
{
  HirValue *known;
  gint64 i;

  if (scalar->kind == HIR_SCALAR_CONST)
    return hir_dtype_is_floating_point (scalar->base.dtype)
               ? hir_value_new_double (scalar->d, scalar->base.dtype)
               : hir_value_new_int (scalar->i, scalar->base.dtype);
  known = hir_env_lookup (env, HIR_VAL (scalar));
  if (known != NULL)
    return hir_value_ref (known);
  if (scalar->kind == HIR_SCALAR_OP && hir_dtype_is_floating_point (scalar->base.dtype))
    return evaluate_double_op (env, scalar, error);
  if (!hir_env_evaluate_int (env, scalar, &i, error))
    return NULL;
  return hir_value_new_int (i, scalar->base.dtype);
}

static const HirScalar *
size_scalar (const HirIterDomain *id)
{
  return id->expanded_extent != NULL ? id->expanded_extent : id->extent;
}

/* Of a tensor that is in memory a piece at a time, the size of a piece. */
static gboolean
cut_axis (HirEnv *env,
          const HirTensor *tensor,
          const HirIterDomain *id,
          HirShardAxis *axis,
          GError **error)
{
  guint n, cut;
  const HirScalar *extent;
  gint64 n_pieces;
  g_autofree HirIterDomain **ids = NULL;

  if (env->slices == NULL || !g_hash_table_contains (env->slices, tensor) ||
      !hir_stream_piece_find (tensor, &cut, &extent))
    return TRUE;
  ids = hir_tensor_dup_no_reductions (tensor, &n);
  if (ids[cut] != id)
    return TRUE;
  if (!hir_env_evaluate_int (env, extent, &n_pieces, error))
    return FALSE;
  if (n_pieces < 1 || axis->size % n_pieces != 0)
    {
      hir_set_error (error, HIR_ERROR_RUN, &tensor->base.node.pos,
                     "axis %u of T%d has the size %" G_GINT64_FORMAT
                     ", which does not split into %" G_GINT64_FORMAT " pieces, one a stream",
                     cut, tensor->base.name, axis->size, n_pieces);
      return FALSE;
    }
  axis->size /= n_pieces;
  return TRUE;
}

static gboolean
get_axis (HirEnv *env,
          const HirTensor *tensor,
          const HirIterDomain *id,
          HirShardAxis *axis,
          GError **error)
{
  gint64 whole;

  if (!hir_env_evaluate_int (env, size_scalar (id), &whole, error))
    return FALSE;
  *axis = (HirShardAxis){ 0, 1, whole };
  return (env->device < 0 ||
          hir_shard_axis (tensor, id, env->device, whole, lookup_leaf, env, axis, error)) &&
         cut_axis (env, tensor, id, axis, error);
}

static gboolean
get_local_size (
    HirEnv *env, const HirTensor *tensor, const HirIterDomain *id, gint64 *size, GError **error)
{
  HirShardAxis axis;

  if (!get_axis (env, tensor, id, &axis, error))
    return FALSE;
  *size = axis.size;
  return TRUE;
}

gboolean
hir_env_get_shard (HirEnv *env, const HirTensor *tensor, HirShardAxis *shard, GError **error)
{
  guint n;
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (tensor, &n);

  for (guint i = 0; i < n && i < HIR_MAX_DIMS; i++)
    if (!get_axis (env, tensor, ids[i], &shard[i], error))
      return FALSE;
  return TRUE;
}

gboolean
hir_env_bind_input (HirEnv *env, const HirTensor *tensor, HirValue *value, GError **error)
{
  guint n;
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (tensor, &n);

  if (value->is_scalar || value->n_dims != n || value->dtype != tensor->base.dtype)
    {
      g_autofree char *got = hir_value_describe (value);
      hir_set_error (error, HIR_ERROR_RUN, &tensor->base.node.pos,
                     "T%d is given %s, and needs a tensor of %s with %u axes", tensor->base.name,
                     got, hir_dtype_get_short_name (tensor->base.dtype), n);
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    {
      const HirScalar *extent = size_scalar (ids[i]);
      gint64 expected;

      if (extent->kind == HIR_SCALAR_SYMBOL && hir_env_lookup (env, HIR_VAL (extent)) == NULL)
        {
          gint64 n_parts = env->device < 0 ? 1 : hir_shard_count (tensor, ids[i]);
          gint64 whole = value->sizes[i] * n_parts;
          g_autoptr (HirValue) size = hir_value_new_int (whole, extent->base.dtype);
          hir_env_bind (env, HIR_VAL (extent), size);
          continue;
        }
      if (!get_local_size (env, tensor, ids[i], &expected, error))
        return FALSE;
      if (expected == value->sizes[i])
        continue;
      hir_set_error (error, HIR_ERROR_RUN, &tensor->base.node.pos,
                     "axis %u of T%d has the size %" G_GINT64_FORMAT
                     ", and needs %" G_GINT64_FORMAT,
                     i, tensor->base.name, value->sizes[i], expected);
      return FALSE;
    }
  hir_env_bind (env, HIR_VAL (tensor), value);
  return TRUE;
}

/* The logical axis that @id came of: up through splits, the outer way through merges. */
static const HirIterDomain *
logical_source (const HirDomain *logical, const HirIterDomain *id)
{
  while (id != NULL && hir_domain_find (logical, id) < 0)
    id = id->definition != NULL ? id->definition->in[0] : NULL;
  return id;
}

/* Tensor axes from the outermost in memory to the innermost. A tiled allocation keeps the order in
 * which its axes first occur: what is computed does not depend on it. What is over devices takes no
 * place in a device's memory. */
static void
memory_order (const HirTensor *tensor, HirIterDomain **ids, guint n, guint *order)
{
  const HirDomain *allocation = hir_tensor_get_maybe_allocation (tensor);
  gboolean placed[HIR_MAX_DIMS] = { FALSE };
  guint count = 0;

  for (guint k = 0; k < allocation->n; k++)
    {
      const HirIterDomain *source = logical_source (&tensor->logical, allocation->ids[k]);
      for (guint i = 0; i < n; i++)
        if (ids[i] == source && !placed[i] && !hir_iter_domain_is_device (allocation->ids[k]))
          {
            placed[i] = TRUE;
            order[count++] = i;
          }
    }
  for (guint i = 0; i < n; i++)
    if (!placed[i])
      order[count++] = i;
}

HirValue *
hir_env_view_as_allocated (const HirTensor *tensor, HirValue *value)
{
  guint n, order[HIR_MAX_DIMS];
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (tensor, &n);

  if (!tensor->has_allocation || n != value->n_dims || n > HIR_MAX_DIMS)
    return hir_value_ref (value);
  memory_order (tensor, ids, n, order);
  return hir_value_permute (value, order);
}

gboolean
hir_env_infer (
    HirEnv *env, const HirTensor *tensor, guint *n, gint64 *sizes, gint64 *strides, GError **error)
{
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (tensor, n);
  guint order[HIR_MAX_DIMS];
  gint64 stride = 1;
  gsize size_bytes;

  if (!hir_dtype_is_executable (tensor->base.dtype))
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, &tensor->base.node.pos,
                     "T%d is of %s, which is not computed with; use --dtype", tensor->base.name,
                     hir_dtype_get_short_name (tensor->base.dtype));
      return FALSE;
    }
  if (*n > HIR_MAX_DIMS)
    {
      hir_set_error (error, HIR_ERROR_LIMIT, &tensor->base.node.pos,
                     "T%d has %u axes; at most %d are run", tensor->base.name, *n, HIR_MAX_DIMS);
      return FALSE;
    }
  for (guint i = 0; i < *n; i++)
    if (!get_local_size (env, tensor, ids[i], &sizes[i], error))
      {
        g_prefix_error (error, "axis %u of T%d: ", i, tensor->base.name);
        return FALSE;
      }
  if (!hir_sizes_check (sizes, *n, tensor->base.dtype, &size_bytes, error))
    {
      g_prefix_error (error, "T%d: ", tensor->base.name);
      return FALSE;
    }
  memory_order (tensor, ids, *n, order);
  for (guint k = *n; k-- > 0;)
    {
      strides[order[k]] = stride;
      stride *= MAX (sizes[order[k]], 1);
    }
  return TRUE;
}

HirValue *
hir_env_new_tensor (HirEnv *env, const HirTensor *tensor, HirBuffer *buffer, GError **error)
{
  gint64 sizes[HIR_MAX_DIMS], strides[HIR_MAX_DIMS];
  gsize size_bytes;
  guint n;

  if (!hir_env_infer (env, tensor, &n, sizes, strides, error) ||
      !hir_sizes_check (sizes, n, tensor->base.dtype, &size_bytes, error))
    return NULL;

  g_autoptr (HirBuffer) storage =
      buffer != NULL ? hir_buffer_ref (buffer) : hir_buffer_new_deferred (size_bytes);
  return hir_value_new_tensor (tensor->base.dtype, n, sizes, strides, storage);
}
