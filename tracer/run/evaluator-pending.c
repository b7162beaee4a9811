/* Posts without a Wait so far: their memory must not be used, and they must not be posted again. */
#include "run/evaluator-private.h"
#include "run/values/overlap.h"

/* @label is a GRefString. */
static HirPending *
pending_new (HirEvaluator *evaluator, const HirExpr *expr, char *label)
{
  GPtrArray *spare = evaluator->spare_pending;
  HirPending *pending;

  if (spare->len > 0)
    pending = g_ptr_array_steal_index_fast (spare, spare->len - 1);
  else
    {
      pending = g_new0 (HirPending, 1);
      pending->reads = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_value_unref);
      pending->writes = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_value_unref);
    }
  pending->n_refs = 1;
  pending->expr = hir_comm_get_base (expr);
  pending->label = g_ref_string_acquire (label);
  pending->iteration = hir_evaluator_get_iteration (evaluator);
  return pending;
}

HirPending *
hir_pending_ref (HirPending *pending)
{
  pending->n_refs++;
  return pending;
}

void
hir_pending_unref (HirEvaluator *evaluator, HirPending *pending)
{
  HirBackend *backend = evaluator->options.backend;

  if (--pending->n_refs > 0)
    return;
  if (pending->event != NULL)
    backend->klass->drop_event (backend, pending->event);
  pending->event = NULL;
  g_clear_pointer (&pending->mark, hir_model_mark_unref);
  g_ptr_array_set_size (pending->reads, 0);
  g_ptr_array_set_size (pending->writes, 0);
  g_clear_pointer (&pending->label, g_ref_string_release);
  g_ptr_array_add (evaluator->spare_pending, pending);
}

HirBackendEvent *
hir_pending_take_event (HirEvaluator *evaluator, HirPending *pending)
{
  HirBackend *backend = evaluator->options.backend;

  return pending->n_refs > 1 ? backend->klass->ref_event (backend, pending->event)
                             : g_steal_pointer (&pending->event);
}

static void
pending_destroy (gpointer data)
{
  HirPending *pending = data;

  g_ptr_array_unref (pending->reads);
  g_ptr_array_unref (pending->writes);
  g_free (pending);
}

static char *
dup_where (HirEvaluator *evaluator, const HirExpr *expr)
{
  return hir_comm_dup_where (hir_evaluator_get_label (evaluator, expr),
                             hir_evaluator_get_iteration (evaluator), evaluator->options.rank);
}

/* Fails with @cause (owned), or keeps it if missing Waits are allowed. */
static gboolean
fail_unless_allowed (HirEvaluator *evaluator,
                     const HirPending *pending,
                     gboolean is_used,
                     GError *cause,
                     GError **error)
{
  GArray *missing = evaluator->missing_waits;
  HirMissingWait entry = { pending->expr,
                           pending->iteration,
                           is_used,
                           hir_error_get_pos (cause),
                           g_strdup (cause->message),
                           1 };

  if (!evaluator->options.allow_missing_waits)
    {
      g_free (entry.message);
      g_propagate_error (error, cause);
      return hir_evaluator_fail_located (evaluator);
    }
  g_error_free (cause);
  for (guint i = 0; i < missing->len; i++)
    {
      HirMissingWait *known = &g_array_index (missing, HirMissingWait, i);

      if (known->posted != entry.posted || known->is_used != is_used ||
          known->pos.line != entry.pos.line || known->pos.column != entry.pos.column)
        continue;
      known->n++;
      g_free (entry.message);
      return TRUE;
    }
  g_array_append_val (missing, entry);
  return TRUE;
}

static char *
dup_pending_where (HirEvaluator *evaluator, const HirPending *pending)
{
  return hir_comm_dup_where (pending->label, pending->iteration, evaluator->options.rank);
}

static gboolean
any_overlap (GPtrArray *values, const HirValue *value)
{
  for (guint i = 0; i < values->len; i++)
    if (hir_value_overlaps (g_ptr_array_index (values, i), value))
      return TRUE;
  return FALSE;
}

gboolean
hir_evaluator_check_use (HirEvaluator *evaluator,
                         const HirExpr *expr,
                         const HirValue *value,
                         const char *use,
                         gboolean is_write,
                         GError **error)
{
  if (value == NULL || value->is_scalar)
    return TRUE;
  for (guint i = 0; i < evaluator->pending->len; i++)
    {
      const HirPending *pending = g_ptr_array_index (evaluator->pending, i);
      gboolean fills = any_overlap (pending->writes, value);

      if (!fills && !(is_write && any_overlap (pending->reads, value)))
        continue;
      g_autofree char *where = dup_where (evaluator, expr);
      g_autofree char *other = dup_pending_where (evaluator, pending);
      GError *cause = NULL;

      hir_set_error (&cause, HIR_ERROR_RUN, &expr->node.pos,
                     "%s %s memory that %s %s; insert a Wait for it first", where, use, other,
                     fills ? "is still writing" : "is still sending");
      if (!fail_unless_allowed (evaluator, pending, TRUE, cause, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
hir_evaluator_add_pending (HirEvaluator *evaluator, const HirExpr *expr, char *label)
{
  g_ptr_array_add (evaluator->pending, pending_new (evaluator, expr, label));
  return TRUE;
}

int
hir_evaluator_find_pending (HirEvaluator *evaluator, const HirExpr *expr)
{
  for (guint i = 0; i < evaluator->pending->len; i++)
    if (((HirPending *) g_ptr_array_index (evaluator->pending, i))->expr == expr)
      return (int) i;
  return -1;
}

gboolean
hir_evaluator_check_posted_once (HirEvaluator *evaluator, const HirExpr *expr, GError **error)
{
  int found = hir_evaluator_find_pending (evaluator, expr);
  GError *cause = NULL;

  if (found < 0)
    return TRUE;
  g_autofree char *where = dup_where (evaluator, expr);
  g_autofree char *before =
      dup_pending_where (evaluator, g_ptr_array_index (evaluator->pending, found));
  hir_set_error (&cause, HIR_ERROR_RUN, &expr->node.pos,
                 "%s posts it again, but %s was not waited for; insert a Wait for it in between",
                 where, before);
  if (!fail_unless_allowed (evaluator, g_ptr_array_index (evaluator->pending, found), FALSE, cause,
                            error))
    return FALSE;
  hir_pending_unref (evaluator, g_ptr_array_steal_index (evaluator->pending, (guint) found));
  return TRUE;
}

gboolean
hir_evaluator_check_all_waited (HirEvaluator *evaluator, GError **error)
{
  for (guint i = 0; i < evaluator->pending->len; i++)
    {
      const HirPending *pending = g_ptr_array_index (evaluator->pending, i);
      g_autofree char *where = NULL;
      GError *cause = NULL;

      if (pending->event == NULL)
        continue;
      where = dup_pending_where (evaluator, pending);
      hir_set_error (&cause, HIR_ERROR_RUN, &pending->expr->node.pos,
                     "the program ends, but %s was not waited for; insert a Wait for it", where);
      if (!fail_unless_allowed (evaluator, pending, FALSE, cause, error))
        return FALSE;
    }
  return TRUE;
}

static void
clear_missing_wait (gpointer data)
{
  g_free (((HirMissingWait *) data)->message);
}

const GArray *
hir_evaluator_get_missing_waits (const HirEvaluator *evaluator)
{
  return evaluator->missing_waits;
}

static gboolean
check_values (HirEvaluator *evaluator, const HirExpr *expr, HirPending *pending, GError **error)
{
  for (guint i = 0; i < pending->reads->len; i++)
    if (!hir_evaluator_check_use (evaluator, expr, g_ptr_array_index (pending->reads, i), "sends",
                                  FALSE, error))
      return FALSE;
  for (guint i = 0; i < pending->writes->len; i++)
    if (!hir_evaluator_check_use (evaluator, expr, g_ptr_array_index (pending->writes, i),
                                  "receives into", TRUE, error))
      return FALSE;
  return TRUE;
}

HirPending *
hir_evaluator_enter_post (HirEvaluator *evaluator, const HirCommPost *post, GError **error)
{
  HirPending *pending = pending_new (evaluator, post->expr, post->label);

  if (post->in != NULL)
    g_ptr_array_add (pending->reads, hir_value_ref (post->in));
  if (post->out != NULL)
    g_ptr_array_add (pending->writes, hir_value_ref (post->out));
  for (guint i = 0; post->messages != NULL && i < post->messages->len; i++)
    {
      const HirCommMessage *message = &g_array_index (post->messages, HirCommMessage, i);

      g_ptr_array_add (message->is_send ? pending->reads : pending->writes,
                       hir_value_ref (message->value));
    }
  if (check_values (evaluator, post->expr, pending, error))
    {
      g_ptr_array_add (evaluator->pending, pending);
      return pending;
    }
  hir_pending_unref (evaluator, pending);
  return NULL;
}

void
hir_evaluator_init_pending (HirEvaluator *evaluator)
{
  evaluator->pending = g_ptr_array_new ();
  evaluator->missing_waits = g_array_new (FALSE, FALSE, sizeof (HirMissingWait));
  g_array_set_clear_func (evaluator->missing_waits, clear_missing_wait);
  evaluator->spare_pending = g_ptr_array_new_with_free_func (pending_destroy);
}

void
hir_evaluator_reset_pending (HirEvaluator *evaluator)
{
  for (guint i = 0; i < evaluator->pending->len; i++)
    hir_pending_unref (evaluator, g_ptr_array_index (evaluator->pending, i));
  g_ptr_array_set_size (evaluator->pending, 0);
}

void
hir_evaluator_clear_pending (HirEvaluator *evaluator)
{
  hir_evaluator_reset_pending (evaluator);
  g_clear_pointer (&evaluator->pending, g_ptr_array_unref);
  g_clear_pointer (&evaluator->spare_pending, g_ptr_array_unref);
  g_clear_pointer (&evaluator->missing_waits, g_array_unref);
}
