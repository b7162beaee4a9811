/* Memory that the program holds until its end, and Deallocates that release nothing. */
#include "analysis/sync-check.h"
#include "analysis/sync-trace-private.h"
#include "usage.h"

/* A Deallocate whose tensor has not been bound again, of memory that is still in use. */
typedef struct
{
  const HirExpr *expr;
  guint buffer;
} Pending;

/* A tensor that has memory at the end. */
typedef struct
{
  guint buffer;
  const HirVal *tensor;
} Holder;

static HirSyncFree *
get_free (HirSyncLog *log, const HirExpr *expr)
{
  HirSyncFree new = { .expr = expr };

  for (guint i = 0; i < log->frees->len; i++)
    {
      HirSyncFree *other = &g_array_index (log->frees, HirSyncFree, i);

      if (other->expr == expr)
        return other;
    }
  g_array_append_val (log->frees, new);
  return &g_array_index (log->frees, HirSyncFree, log->frees->len - 1);
}

void
hir_sync_held_before (HirSyncLog *log, const HirExpr *expr)
{
  const HirVal *tensor;
  guint buffer;

  if (expr->kind != HIR_EXPR_DEALLOCATE)
    return;
  tensor = HIR_VAL (expr->u.deallocate.buffer);
  buffer = hir_sync_log_get_buffer (hir_evaluator_lookup (log->evaluator, tensor));
  if (buffer == HIR_SYNC_NONE)
    return;
  Pending *pending = g_new (Pending, 1);
  *pending = (Pending){ expr, buffer };
  g_hash_table_insert (log->pending, (gpointer) tensor, pending);
  get_free (log, expr)->n++;
}

/* The Deallocates of memory that was released are needed. */
static void
take_released (HirSyncLog *log)
{
  for (guint i = 0; i < log->released->len; i++)
    {
      GHashTableIter iter;
      gpointer value;

      g_hash_table_iter_init (&iter, log->pending);
      while (g_hash_table_iter_next (&iter, NULL, &value))
        {
          const Pending *pending = value;

          if (pending->buffer != g_array_index (log->released, guint, i))
            continue;
          get_free (log, pending->expr)->n_needed++;
          g_hash_table_iter_remove (&iter);
        }
    }
  g_array_set_size (log->released, 0);
}

/* Returns TRUE if @access binds its tensor to other memory, whether or not it has memory. */
static gboolean
binds_always (const HirExpr *expr, const HirAccess *access)
{
  return access->kind == HIR_ACCESS_BIND &&
         (expr->kind != HIR_EXPR_ALLOCATE || expr->u.allocate.always);
}

/* A tensor that is bound again would have dropped the memory now, without its Deallocate, or would
 * not have been bound, but written in place. */
void
hir_sync_held_after (HirSyncLog *log, const HirExpr *expr)
{
  g_autoptr (GArray) accesses = NULL;

  take_released (log);
  if (g_hash_table_size (log->pending) == 0 || expr->kind == HIR_EXPR_DEALLOCATE)
    return;
  accesses = g_array_new (FALSE, FALSE, sizeof (HirAccess));
  hir_expr_collect_accesses (expr, accesses);
  for (guint i = 0; i < accesses->len; i++)
    {
      const HirAccess *access = &g_array_index (accesses, HirAccess, i);
      const HirVal *tensor = HIR_VAL (access->tensor);
      const Pending *pending = g_hash_table_lookup (log->pending, tensor);

      if (pending == NULL || hir_evaluator_lookup (log->evaluator, tensor) == NULL)
        continue;
      get_free (log, pending->expr)->n_needed += !binds_always (expr, access);
      g_hash_table_remove (log->pending, tensor);
    }
}

static int
compare_holders (gconstpointer a, gconstpointer b)
{
  const Holder *x = a, *y = b;

  if (x->buffer != y->buffer)
    return x->buffer < y->buffer ? -1 : 1;
  return (x->tensor->name > y->tensor->name) - (x->tensor->name < y->tensor->name);
}

static void
add_holder (const HirVal *val, HirValue *value, gpointer user_data)
{
  GArray *holders = user_data;
  Holder holder = { hir_sync_log_get_buffer (value), val };

  if (holder.buffer != HIR_SYNC_NONE)
    g_array_append_val (holders, holder);
}

/* Returns for each buffer whether it is memory of an input or output, which the caller holds. */
static guint8 *
dup_callers (const HirSyncLog *log, const GArray *holders)
{
  guint8 *is_callers = g_new0 (guint8, log->buffers->len + 1);

  for (guint i = 0; i < log->n_inputs; i++)
    is_callers[i] = TRUE;
  for (guint i = 0; i < holders->len; i++)
    {
      const Holder *holder = &g_array_index (holders, Holder, i);

      if (hir_container_is_output (log->program, holder->tensor))
        is_callers[holder->buffer] = TRUE;
    }
  return is_callers;
}

static void
add_held (HirSyncLog *log, const Holder *holder, GPtrArray *held)
{
  const HirSyncBuffer *buffer = &g_array_index (log->buffers, HirSyncBuffer, holder->buffer);
  HirPos pos = buffer->expr != NULL ? buffer->expr->node.pos : holder->tensor->node.pos;
  int view = holder->tensor->name;
  g_autofree char *message =
      view == buffer->tensor || buffer->tensor < 0
          ? g_strdup_printf ("T%d is held until the end; add a Deallocate after its last use", view)
          : g_strdup_printf ("the memory of T%d is held until the end by T%d, a view of it; add a "
                             "Deallocate of T%d after its last use",
                             buffer->tensor, view, view);
  g_autofree char *text = g_strdup_printf ("holds %" G_GSIZE_FORMAT " bytes", buffer->size_bytes);
  HirSyncFault *fault = hir_sync_faults_add (held, HIR_SYNC_FAULT_HELD, pos, view, message);

  hir_sync_fault_add_place (fault, log->rank, buffer->expr, -1, text);
}

/* Returns TRUE for programs that manage memory explicitly, as those of 2026 do: without an
 * instruction of this kind, all programs of 2025 hold their memory. */
static gboolean
manages_memory (HirExpr *expr, guint depth, gpointer user_data)
{
  gboolean *is_found = user_data;

  *is_found |= expr->kind == HIR_EXPR_DEALLOCATE ||
               (expr->kind == HIR_EXPR_ALLOCATE && expr->u.allocate.always);
  return !*is_found;
}

void
hir_sync_held_close (HirSyncLog *log, GPtrArray *held)
{
  g_autoptr (GArray) holders = g_array_new (FALSE, FALSE, sizeof (Holder));
  g_autofree guint8 *is_callers = NULL;
  gboolean is_managed = FALSE;
  GHashTableIter iter;
  gpointer value;

  hir_container_foreach_expr (log->program, manages_memory, &is_managed);
  if (!is_managed)
    return;
  hir_env_foreach (hir_evaluator_get_env (log->evaluator), add_holder, holders);
  g_array_sort (holders, compare_holders);
  is_callers = dup_callers (log, holders);
  for (guint i = 0; i < holders->len; i++)
    {
      const Holder *holder = &g_array_index (holders, Holder, i);

      if (!is_callers[holder->buffer] &&
          g_array_index (log->buffers, HirSyncBuffer, holder->buffer).size_bytes > 0)
        add_held (log, holder, held);
    }
  /* Memory that another tensor holds would be released if that one had its Deallocate. */
  g_hash_table_iter_init (&iter, log->pending);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (!is_callers[((const Pending *) value)->buffer])
      get_free (log, ((const Pending *) value)->expr)->n_needed++;
}

void
hir_sync_held_merge (HirSyncTrace *trace, const HirSyncLog *log)
{
  for (guint i = 0; i < log->frees->len; i++)
    {
      const HirSyncFree *mine = &g_array_index (log->frees, HirSyncFree, i);
      HirSyncFree *known = NULL;

      for (guint k = 0; k < trace->frees->len && known == NULL; k++)
        {
          HirSyncFree *other = &g_array_index (trace->frees, HirSyncFree, k);

          known = other->expr->node.id == mine->expr->node.id ? other : NULL;
        }
      if (known == NULL)
        {
          g_array_append_val (trace->frees, *mine);
          continue;
        }
      known->n += mine->n;
      known->n_needed += mine->n_needed;
    }
}
