/* Compares values of a run with the reference evaluation. */
#include "debugger/debug-compare.h"

#include <math.h>

#include "debugger/breakpoint.h"
#include "debugger/debug-run-private.h"
#include "run/reference/reference-host.h"

typedef struct
{
  HirDebugRun *run;
  HirDebugMismatch *mismatch;
} Comparison;

void
hir_debug_mismatch_clear (HirDebugMismatch *mismatch)
{
  g_clear_pointer (&mismatch->report, g_free);
}

/* Returns the elements in row-major order, or NULL with @error. */
static guint8 *
dup_elements (const HirRank *rank, const HirValue *value, GError **error)
{
  g_autofree guint8 *elements = g_try_malloc (hir_value_get_size_bytes (value) + 1);

  if (elements == NULL)
    hir_set_error (error, HIR_ERROR_LIMIT, NULL, "out of memory: cannot compare values");
  else if (rank->backend->klass->read (rank->backend, value, elements, error))
    return g_steal_pointer (&elements);
  return NULL;
}

/* Returns the check report of @elements, the value, against @wanted. */
static char *
judge (const HirRank *rank,
       int name,
       const HirRefTensor *wanted,
       const HirValue *value,
       const guint8 *elements,
       gboolean *passed)
{
  g_autofree char *label = g_strdup_printf ("T%d", name);
  HirCheckOutput output = { .label = label, .ratio = -1, .rank = -1 };
  HirCheckReport judged = { .outputs = g_array_new (FALSE, FALSE, sizeof (HirCheckOutput)) };
  char *report;

  g_array_append_val (judged.outputs, output);
  hir_check_report_compare (&judged, 0, wanted, NULL, rank->rank, value, elements);
  *passed = hir_check_report_passed (&judged);
  report = hir_check_report_format (&judged);
  g_array_unref (judged.outputs);
  return report;
}

/* Compares @value with @reference. Sets @report if they differ. Returns FALSE on an error. */
static gboolean
compare (const HirRank *rank,
         const HirVal *val,
         const HirValue *value,
         const HirValue *reference,
         char **report,
         GError **error)
{
  g_autoptr (HirRefTensor) wanted = hir_reference_dup_tensor (reference, error);
  g_autofree guint8 *elements = wanted != NULL ? dup_elements (rank, value, error) : NULL;
  gboolean passed;

  if (elements == NULL)
    return FALSE;
  *report = judge (rank, val->name, wanted, value, elements, &passed);
  if (passed)
    g_clear_pointer (report, g_free);
  return TRUE;
}

/* Returns the instruction whose results are complete after @expr, or NULL. For a Wait, this is the
 * communication. */
static const HirExpr *
get_writer (const HirExpr *expr)
{
  switch (expr->kind)
    {
    case HIR_EXPR_WAIT:
      return expr->u.wait.of != NULL && expr->u.wait.of->kind == HIR_EXPR_COMMUNICATION
                 ? expr->u.wait.of
                 : NULL;
    case HIR_EXPR_POST_ON_STREAM:
    case HIR_EXPR_LAUNCH_KERNEL:
      return expr;
    default:
      return hir_expr_kind_get_info (expr->kind)->is_tensor_op ? expr : NULL;
    }
}

static gboolean
compare_results (Comparison *it,
                 guint i,
                 const HirExpr *expr,
                 HirEnv *env,
                 const HirProgramPoint *point,
                 GError **error)
{
  HirRankWorker *worker = hir_debug_run_get_worker (it->run, i);
  const HirExpr *writer = get_writer (expr);

  if (writer != NULL && writer->kind == HIR_EXPR_COMMUNICATION &&
      !hir_comm_writes (writer, worker->rank->rank))
    return TRUE;
  for (guint k = 0; writer != NULL && k < writer->n_outputs; k++)
    {
      const HirVal *val = writer->outputs[k];
      const HirValue *value = hir_evaluator_lookup (worker->rank->evaluator, val);
      const HirValue *reference = hir_env_lookup (env, val);

      if (value == NULL || reference == NULL || value->is_scalar)
        continue;
      it->mismatch->n_compared++;
      if (it->mismatch->progress != NULL)
        g_atomic_int_inc (it->mismatch->progress);
      if (!compare (worker->rank, val, value, reference, &it->mismatch->report, error))
        return FALSE;
      if (it->mismatch->report == NULL)
        continue;
      it->mismatch->expr = writer;
      it->mismatch->iteration = point->iteration;
      it->mismatch->rank = point->rank;
      return FALSE;
    }
  return TRUE;
}

static gboolean
follow (guint i, const HirExpr *expr, HirEnv *env, gpointer user_data, GError **error)
{
  Comparison *it = user_data;
  HirProgramPoint point = { .expr = NULL };

  (void) hir_debug_run_peek (it->run, i, &point);
  g_return_val_if_fail (point.expr == expr, FALSE);
  if (hir_debug_run_step (it->run, 1u << i, error) == HIR_STEP_FAILED)
    return FALSE;
  (void) hir_debug_run_quiesce (it->run);
  return compare_results (it, i, expr, env, &point, error);
}

/* Returns the inputs of the reference, one entry per rank; the contents are borrowed from @run. */
static HirReferenceRank *
dup_ranks (HirDebugRun *run)
{
  guint n = hir_debug_run_get_n_ranks (run);
  HirReferenceRank *ranks = g_new0 (HirReferenceRank, n);

  for (guint i = 0; i < n; i++)
    {
      const HirRank *rank = hir_debug_run_get_worker (run, i)->rank;

      ranks[i] = (HirReferenceRank){ rank->program, rank->rank, (HirValue **) rank->inputs->pdata,
                                     rank->inputs->len, rank->symbols };
    }
  return ranks;
}

gboolean
hir_debug_run_find_mismatch (HirDebugRun *run,
                             gint64 n_streams,
                             GCancellable *cancellable,
                             HirDebugMismatch *mismatch,
                             GError **error)
{
  g_autofree HirReferenceRank *ranks = dup_ranks (run);
  g_autoptr (GPtrArray) numbers = NULL;
  Comparison it = { run, mismatch };
  gboolean ok;

  hir_debug_run_set_keeps (run, FALSE);
  ok = hir_reference_watch_host (ranks, hir_debug_run_get_n_ranks (run), n_streams, follow, &it,
                                 cancellable, error);
  if (mismatch->expr == NULL)
    return ok;
  numbers = hir_instruction_numbers (
      hir_debug_run_get_program (run, (guint) hir_debug_run_find_rank (run, mismatch->rank)));
  mismatch->number = hir_instruction_find (numbers, mismatch->expr->node.id);
  return TRUE;
}

/* A value to find in the sequential program, at the position of a rank. */
typedef struct
{
  guint i;
  guint64 n_left; /* steps of the rank to its position */
  const HirTensor *tensor;
  HirRefTensor *found; /* nullable */
} Wanted;

static gboolean
find_value (guint i, const HirExpr *expr, HirEnv *env, gpointer user_data, GError **error)
{
  Wanted *wanted = user_data;
  const HirValue *value;

  if (i != wanted->i || --wanted->n_left > 0)
    return TRUE;
  value = hir_env_lookup (env, HIR_VAL (wanted->tensor));
  if (value != NULL && !value->is_scalar)
    wanted->found = hir_reference_dup_tensor (value, error);
  return FALSE;
}

/* Advances the sequential program to the position of @run. Returns FALSE on failure, without @error
 * if the position cannot be reached. */
static gboolean
follow_run (HirDebugRun *run, gint64 n_streams, GCancellable *cancellable, GError **error)
{
  guint n = hir_debug_run_get_n_ranks (run);
  g_autofree guint64 *n_steps = g_new (guint64, n);
  g_autofree HirReferenceRank *ranks = dup_ranks (run);
  GError *cause = NULL;

  for (guint i = 0; i < n; i++)
    n_steps[i] = hir_evaluator_get_n_steps (hir_debug_run_get_evaluator (run, i));
  if (run->play != NULL && hir_reference_play_to (run->play, n_steps, cancellable, &cause))
    return TRUE;
  g_clear_pointer (&run->play, hir_reference_play_free);
  if (cause == NULL)
    run->play = hir_reference_play_new (ranks, n, n_streams, &cause);
  if (run->play != NULL && hir_reference_play_to (run->play, n_steps, cancellable, &cause))
    return TRUE;
  g_clear_pointer (&run->play, hir_reference_play_free);
  g_propagate_error (error, cause);
  return FALSE;
}

/* Evaluates ahead of @run for a rank that waits for a held one: the held rank continues in the
 * sequential program only. */
static HirRefTensor *
dup_ahead (HirDebugRun *run,
           guint i,
           const HirTensor *tensor,
           gint64 n_streams,
           GCancellable *cancellable,
           GError **error)
{
  g_autofree HirReferenceRank *ranks = dup_ranks (run);
  Wanted wanted = { i, hir_evaluator_get_n_steps (hir_debug_run_get_evaluator (run, i)), tensor,
                    NULL };
  g_autoptr (GError) cause = NULL;

  if (wanted.n_left > 0)
    (void) hir_reference_watch_host (ranks, hir_debug_run_get_n_ranks (run), n_streams, find_value,
                                     &wanted, cancellable, &cause);
  if (wanted.found == NULL && cause != NULL)
    g_propagate_error (error, g_steal_pointer (&cause));
  return wanted.found;
}

static HirRefTensor *
dup_reference (HirDebugRun *run,
               guint i,
               const HirTensor *tensor,
               gint64 n_streams,
               GCancellable *cancellable,
               GError **error)
{
  HirRefTensor *found = NULL;
  GError *cause = NULL;

  if (!follow_run (run, n_streams, cancellable, &cause))
    found = NULL;
  else if (!hir_reference_play_has_come (run->play, i))
    found = dup_ahead (run, i, tensor, n_streams, cancellable, &cause);
  else
    {
      const HirValue *value = hir_reference_play_lookup (run->play, i, HIR_VAL (tensor));

      found = value != NULL && !value->is_scalar ? hir_reference_dup_tensor (value, &cause) : NULL;
    }
  if (found == NULL && cause == NULL)
    hir_set_error (&cause, HIR_ERROR_RUN, NULL,
                   "T%d cannot be compared here: the sequential program has not computed it yet",
                   tensor->base.name);
  if (cause != NULL)
    g_propagate_error (error, cause);
  return found;
}

static double
get_wanted (const HirRefTensor *reference, gint64 at)
{
  return reference->values != NULL ? reference->values[at] : (double) reference->ints[at];
}

/* Appends "first at [0, 2]: 0.5, and 0.25 is right". */
static void
append_first_mismatch (GString *note,
                       const HirValue *value,
                       const guint8 *elements,
                       const HirRefTensor *reference)
{
  gsize size = hir_dtype_get_size_bytes (value->dtype);

  for (gint64 at = 0; at < reference->count; at++)
    {
      double is = hir_element_get_double (value->dtype, elements + (gsize) at * size);
      double should = get_wanted (reference, at);
      double bound = reference->errors != NULL ? reference->errors[at] : 0;
      gint64 rest = at, index[HIR_MAX_DIMS];

      if (fabs (is - should) <= bound || (isnan (is) && isnan (should)))
        continue;
      g_string_append (note, "first at [");
      for (guint d = value->n_dims; d-- > 0; rest /= value->sizes[d])
        index[d] = rest % value->sizes[d];
      for (guint d = 0; d < value->n_dims; d++)
        g_string_append_printf (note, "%s%" G_GINT64_FORMAT, d > 0 ? ", " : "", index[d]);
      g_string_append_printf (note, "]: %.9g instead of %.9g\n", is, should);
      return;
    }
}

static HirValue *
subtract (const HirValue *value,
          const guint8 *elements,
          const HirRefTensor *reference,
          GError **error)
{
  gsize size = hir_dtype_get_size_bytes (value->dtype);
  g_autoptr (HirBuffer) buffer = hir_buffer_new ((gsize) reference->count * sizeof (double), error);
  double *out;

  if (buffer == NULL)
    return NULL;
  out = (double *) (gpointer) buffer->data;
  for (gint64 at = 0; at < reference->count; at++)
    {
      double is = hir_element_get_double (value->dtype, elements + (gsize) at * size);
      double should = get_wanted (reference, at);

      out[at] = is == should || (isnan (is) && isnan (should)) ? 0 : is - should;
    }
  return hir_value_new_tensor (HIR_DTYPE_DOUBLE, value->n_dims, value->sizes, NULL, buffer);
}

static char *
dup_note (HirDebugRun *run,
          const HirRank *rank,
          const HirTensor *tensor,
          const HirValue *value,
          const guint8 *elements,
          HirRefTensor *reference)
{
  gboolean passed, all_rest = FALSE;
  g_autofree char *report = judge (rank, tensor->base.name, reference, value, elements, &passed);
  GString *note = g_string_new (report);

  if (!passed)
    append_first_mismatch (note, value, elements, reference);
  (void) hir_debug_run_is_quiescent (run, &all_rest);
  if (!all_rest)
    g_string_append (note, "Some streams are still waiting; their results are missing\n");
  return g_strchomp (g_string_free (note, FALSE));
}

HirValue *
hir_debug_run_dup_difference (HirDebugRun *run,
                              guint i,
                              const HirTensor *tensor,
                              gint64 n_streams,
                              GCancellable *cancellable,
                              char **note,
                              GError **error)
{
  const HirRank *rank = hir_debug_run_get_worker (run, i)->rank;
  const HirValue *value = hir_evaluator_lookup (rank->evaluator, HIR_VAL (tensor));
  g_autoptr (HirRefTensor) reference = NULL;
  g_autofree guint8 *elements = NULL;

  if (value == NULL || value->is_scalar || value->buffer->place != HIR_PLACE_HOST)
    {
      hir_set_error (error, value == NULL ? HIR_ERROR_RUN : HIR_ERROR_UNSUPPORTED, NULL,
                     value == NULL ? "T%d has no value here"
                                   : "T%d cannot be compared: it is not in host memory",
                     tensor->base.name);
      return NULL;
    }
  reference = dup_reference (run, i, tensor, n_streams, cancellable, error);
  elements = reference != NULL ? dup_elements (rank, value, error) : NULL;
  if (elements == NULL)
    return NULL;
  if (reference->count != hir_value_get_n_elements (value))
    {
      hir_set_error (error, HIR_ERROR_RUN, NULL, "T%d has another shape in the sequential program",
                     tensor->base.name);
      return NULL;
    }
  *note = dup_note (run, rank, tensor, value, elements, reference);
  return subtract (value, elements, reference, error);
}
