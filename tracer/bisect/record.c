/* Stores results while programs are evaluated. */
#include "bisect/record.h"

#include "diagnostic.h"
#include "run/values/odometer.h"

static gboolean
is_op (const HirExpr *expr)
{
  switch (expr->kind)
    {
    case HIR_EXPR_ALIAS_SELECT:
    case HIR_EXPR_SHARD_BY_STREAM:
    case HIR_EXPR_POST_ON_STREAM:
    case HIR_EXPR_LAUNCH_KERNEL:
    case HIR_EXPR_COMMUNICATION:
    case HIR_EXPR_COLLECTIVE_PERMUTE:
    case HIR_EXPR_P2P:
      return TRUE;
    default:
      return hir_expr_kind_get_info (expr->kind)->is_tensor_op;
    }
}

static void
op_free (gpointer data)
{
  HirRecordedOp *op = data;

  g_array_unref (op->indices);
  g_free (op);
}

/* Adds the ops of @scope; @indices are those of the loops around it. */
static void
add_ops (GPtrArray *ops, const HirScope *scope, guint depth, GArray *indices)
{
  for (guint i = 0; i < scope->exprs.len; i++)
    {
      const HirExpr *expr = scope->exprs.items[i];

      if (expr->kind == HIR_EXPR_FOR)
        {
          g_array_append_val (indices, expr->u.loop.index);
          add_ops (ops, &expr->u.loop.body, depth + 1, indices);
          g_array_set_size (indices, indices->len - 1);
        }
      else if (expr->kind == HIR_EXPR_IF)
        {
          add_ops (ops, &expr->u.branch.then_body, depth + 1, indices);
          add_ops (ops, &expr->u.branch.else_body, depth + 1, indices);
        }
      else if (is_op (expr))
        {
          HirRecordedOp *op = g_new0 (HirRecordedOp, 1);

          *op = (HirRecordedOp){ expr, depth, g_array_copy (indices) };
          g_ptr_array_add (ops, op);
        }
    }
}

GPtrArray *
hir_recorded_ops_new (const HirContainer *program)
{
  GPtrArray *ops = g_ptr_array_new_with_free_func (op_free);
  g_autoptr (GArray) indices = g_array_new (FALSE, FALSE, sizeof (HirScalar *));

  add_ops (ops, &program->top, 0, indices);
  return ops;
}

/* Stores the messages of each group. */
static void
find_groups (GHashTable *groups, const HirScope *scope)
{
  GPtrArray *group = NULL;

  for (guint i = 0; i < scope->exprs.len; i++)
    {
      HirExpr *expr = scope->exprs.items[i];

      if (expr->kind == HIR_EXPR_START_COALESCING)
        {
          g_clear_pointer (&group, g_ptr_array_unref);
          group = g_ptr_array_new ();
        }
      else if (expr->kind == HIR_EXPR_END_COALESCING && group != NULL)
        g_hash_table_insert (groups, expr, g_steal_pointer (&group));
      else if (expr->kind == HIR_EXPR_P2P && group != NULL)
        g_ptr_array_add (group, expr);
      else if (expr->kind == HIR_EXPR_FOR)
        find_groups (groups, &expr->u.loop.body);
      else if (expr->kind == HIR_EXPR_IF)
        {
          find_groups (groups, &expr->u.branch.then_body);
          find_groups (groups, &expr->u.branch.else_body);
        }
    }
  g_clear_pointer (&group, g_ptr_array_unref);
}

/* Tables of one program, which several ranks may run. */
typedef struct
{
  const HirContainer *program;
  GPtrArray *ops;
  GHashTable *positions; /* const HirExpr* -> position in ops, plus 1 */
  GHashTable *groups;    /* EndCoalescing -> GPtrArray of its P2Ps */
} Tables;

static void
tables_free (gpointer data)
{
  Tables *tables = data;

  g_ptr_array_unref (tables->ops);
  g_hash_table_unref (tables->positions);
  g_hash_table_unref (tables->groups);
  g_free (tables);
}

static Tables *
tables_new (const HirContainer *program)
{
  Tables *tables = g_new0 (Tables, 1);

  tables->program = program;
  tables->ops = hir_recorded_ops_new (program);
  tables->positions = g_hash_table_new (NULL, NULL);
  tables->groups = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);
  for (guint i = 0; i < tables->ops->len; i++)
    g_hash_table_insert (tables->positions,
                         (gpointer) ((HirRecordedOp *) tables->ops->pdata[i])->expr,
                         GUINT_TO_POINTER (i + 1));
  find_groups (tables->groups, &program->top);
  return tables;
}

typedef struct
{
  HirRecord *record;
  const HirReferenceRank *ranks;
  GPtrArray *tables; /* Tables*, one per rank; ranks may share one */
  GPtrArray *posted; /* one GHashTable per rank: tensor of a posted communication -> HirValue* */
} Recorder;

static void
recorded_free (gpointer data)
{
  HirRecorded *entry = data;

  g_free (entry->loops);
  hir_ref_tensor_unref (entry->value);
  g_clear_pointer (&entry->view, hir_value_unref);
  g_free (entry);
}

/* Adds an entry for @expr, or returns NULL if it is not an op. */
static HirRecorded *
add_entry (Recorder *it, guint rank, const HirExpr *expr, HirRecordKind kind, HirEnv *env)
{
  Tables *tables = it->tables->pdata[rank];
  guint position = GPOINTER_TO_UINT (g_hash_table_lookup (tables->positions, expr));
  const HirRecordedOp *op = position > 0 ? tables->ops->pdata[position - 1] : NULL;
  g_autoptr (GString) loops = g_string_new (NULL);
  HirRecorded *entry;

  if (op == NULL)
    return NULL;
  entry = g_new0 (HirRecorded, 1);
  entry->kind = kind;
  entry->rank = rank;
  entry->op = position - 1;
  entry->iteration = -1;
  entry->peers[0] = entry->peers[1] = -1;
  for (guint i = 0; i < op->indices->len; i++)
    {
      const HirValue *index = hir_env_lookup (env, g_array_index (op->indices, HirVal *, i));

      g_string_append_printf (loops, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "",
                              index != NULL ? index->i : -1);
      entry->iteration = index != NULL ? (gint32) index->i : -1;
    }
  entry->loops = g_string_free (g_steal_pointer (&loops), FALSE);
  g_ptr_array_add (it->record->entries, entry);
  return entry;
}

/* Stores the tensor that the posted @expr writes: nvFuser deallocates it before the Wait. */
static void
keep_posted (Recorder *it, guint rank, const HirExpr *expr, HirEnv *env)
{
  const HirVal *val = expr->kind == HIR_EXPR_P2P ? HIR_VAL (expr->u.p2p.buffer)
                      : expr->n_outputs > 0      ? expr->outputs[0]
                                                 : NULL;
  HirValue *value = val != NULL ? hir_env_lookup (env, val) : NULL;

  if (value != NULL)
    g_hash_table_insert (it->posted->pdata[rank], (gpointer) val, hir_value_ref (value));
}

/* Adds the value of @val, if it is a tensor. */
static gboolean
add_value (Recorder *it,
           guint rank,
           const HirExpr *expr,
           guint output,
           const HirVal *val,
           HirRecordKind kind,
           HirEnv *env,
           GError **error)
{
  const HirValue *found = hir_env_lookup (env, val);
  const HirValue *value =
      found != NULL ? found : g_hash_table_lookup (it->posted->pdata[rank], val);
  HirRecorded *entry =
      value != NULL && !value->is_scalar ? add_entry (it, rank, expr, kind, env) : NULL;

  if (entry == NULL)
    return TRUE;
  entry->output = output;
  entry->view = hir_value_ref ((HirValue *) value);
  entry->value = hir_reference_dup_tensor (value, error);
  return entry->value != NULL;
}

static gboolean
add_results (Recorder *it, guint rank, const HirExpr *expr, HirEnv *env, GError **error)
{
  for (guint k = 0; k < expr->n_outputs; k++)
    if (!add_value (it, rank, expr, k, expr->outputs[k], HIR_RECORD_RESULT, env, error))
      return FALSE;
  return expr->kind != HIR_EXPR_P2P || expr->u.p2p.is_send ||
         add_value (it, rank, expr, 0, HIR_VAL (expr->u.p2p.buffer), HIR_RECORD_RESULT, env, error);
}

static void
add_post (Recorder *it, guint rank, const HirExpr *expr, HirEnv *env)
{
  HirRecorded *entry = add_entry (it, rank, expr, HIR_RECORD_POST, env);
  gboolean known = TRUE;

  g_return_if_fail (entry != NULL);
  if (expr->kind == HIR_EXPR_COMMUNICATION && expr->u.comm.root_index != NULL)
    known = hir_env_evaluate_int (env, expr->u.comm.root_index, &entry->peers[0], NULL);
  else if (expr->kind == HIR_EXPR_COMMUNICATION)
    entry->peers[0] = expr->u.comm.root;
  else if (expr->kind == HIR_EXPR_P2P)
    known = hir_env_evaluate_int (env, expr->u.p2p.peer, &entry->peers[0], NULL);
  else
    known = hir_env_evaluate_int (env, expr->u.permute.send_peer, &entry->peers[0], NULL) &&
            hir_env_evaluate_int (env, expr->u.permute.recv_peer, &entry->peers[1], NULL);
  if (!known)
    entry->peers[0] = entry->peers[1] = -1;
}

/* Adds the results that @wait completes. */
static gboolean
add_waited (Recorder *it, guint rank, const HirExpr *wait, HirEnv *env, GError **error)
{
  const Tables *tables = it->tables->pdata[rank];
  const HirExpr *of = wait->u.wait.of;
  const GPtrArray *group = of != NULL ? g_hash_table_lookup (tables->groups, of) : NULL;

  for (guint i = 0; group != NULL && i < group->len; i++)
    if (!add_results (it, rank, group->pdata[i], env, error))
      return FALSE;
  return of == NULL || group != NULL || add_results (it, rank, of, env, error);
}

static void
keep_outputs (Recorder *it, guint rank, HirEnv *env)
{
  const HirVec *outputs = &it->ranks[rank].program->outputs;
  GPtrArray *kept = it->record->outputs->pdata[rank];

  for (guint k = 0; k < outputs->len; k++)
    {
      HirValue *value = hir_env_lookup (env, outputs->items[k]);

      if (value == NULL || value == kept->pdata[k])
        continue;
      g_clear_pointer (&kept->pdata[k], hir_value_unref);
      kept->pdata[k] = hir_value_ref (value);
    }
}

static gboolean
watch (guint i, const HirExpr *expr, HirEnv *env, gpointer user_data, GError **error)
{
  Recorder *it = user_data;

  keep_outputs (it, i, env);
  switch (expr->kind)
    {
    case HIR_EXPR_WAIT:
      return add_waited (it, i, expr, env, error);
    case HIR_EXPR_ALIAS_SELECT:
      return add_value (it, i, expr, 0, HIR_VAL (expr->u.alias_select.out), HIR_RECORD_VIEW, env,
                        error);
    case HIR_EXPR_SHARD_BY_STREAM:
      return add_value (it, i, expr, 0, HIR_VAL (expr->u.shard.out), HIR_RECORD_VIEW, env, error);
    case HIR_EXPR_COMMUNICATION:
    case HIR_EXPR_COLLECTIVE_PERMUTE:
    case HIR_EXPR_P2P:
      add_post (it, i, expr, env);
      keep_posted (it, i, expr, env);
      return TRUE;
    default:
      return !is_op (expr) || add_results (it, i, expr, env, error);
    }
}

static void
clear_value (gpointer value)
{
  if (value != NULL)
    hir_value_unref (value);
}

static void
find_tables (Recorder *it, guint n, GPtrArray *owned)
{
  it->tables = g_ptr_array_new ();
  it->posted = g_ptr_array_new_with_free_func ((GDestroyNotify) g_hash_table_unref);
  for (guint i = 0; i < n; i++)
    {
      Tables *tables = NULL;
      GPtrArray *kept = g_ptr_array_new_with_free_func (clear_value);

      g_ptr_array_set_size (kept, (int) it->ranks[i].program->outputs.len);
      g_ptr_array_add (it->record->outputs, kept);
      for (guint k = 0; k < owned->len && tables == NULL; k++)
        if (((Tables *) owned->pdata[k])->program == it->ranks[i].program)
          tables = owned->pdata[k];
      if (tables == NULL)
        {
          tables = tables_new (it->ranks[i].program);
          g_ptr_array_add (owned, tables);
        }
      g_ptr_array_add (it->tables, tables);
      g_ptr_array_add (it->posted,
                       g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) hir_value_unref));
      g_ptr_array_add (it->record->ops, g_ptr_array_ref (tables->ops));
    }
}

HirRecord *
hir_record_new (const HirReferenceRank *ranks,
                guint n,
                gint64 n_streams,
                GCancellable *cancellable,
                GError **error)
{
  g_autoptr (HirRecord) record = g_new0 (HirRecord, 1);
  g_autoptr (GPtrArray) owned = g_ptr_array_new_with_free_func (tables_free);
  Recorder it = { record, ranks, NULL, NULL };

  record->ops = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  record->outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  record->entries = g_ptr_array_new_with_free_func (recorded_free);
  find_tables (&it, n, owned);
  (void) hir_reference_watch_host (ranks, n, n_streams, watch, &it, cancellable, &record->failure);
  g_ptr_array_unref (it.tables);
  g_ptr_array_unref (it.posted);
  if (record->failure == NULL ||
      !(g_error_matches (record->failure, HIR_ERROR, HIR_ERROR_CANCELLED) ||
        g_error_matches (record->failure, HIR_ERROR, HIR_ERROR_LIMIT)))
    return g_steal_pointer (&record);
  g_propagate_error (error, g_steal_pointer (&record->failure));
  return NULL;
}

/* Returns the position of element @i of @value in its memory. */
static gint64
locate (const HirValue *value, gint64 i)
{
  return value->offset + hir_odometer_locate (i, value->sizes, value->strides, value->n_dims);
}

const HirRecorded *
hir_record_find_writer (const HirRecord *record, guint rank, guint output, gint64 element)
{
  const GPtrArray *outputs = record->outputs->pdata[rank];
  const HirValue *value = outputs->pdata[output];

  for (guint k = record->entries->len; value != NULL && k-- > 0;)
    {
      const HirRecorded *entry = record->entries->pdata[k];

      if (entry->kind != HIR_RECORD_RESULT || entry->rank != rank ||
          entry->view->buffer != value->buffer)
        continue;
      for (gint64 i = 0, n = hir_value_get_n_elements (entry->view); i < n; i++)
        if (locate (entry->view, i) == locate (value, element))
          return entry;
    }
  return NULL;
}

void
hir_record_free (HirRecord *record)
{
  g_ptr_array_unref (record->ops);
  g_ptr_array_unref (record->outputs);
  g_ptr_array_unref (record->entries);
  g_clear_error (&record->failure);
  g_free (record);
}
