/* Predicts a recorded run with changes. */
#include "predict/predict.h"

#include <string.h>

#include "diagnostic.h"
#include "predict/lines.h"
#include "predict/match.h"
#include "predict/predict-base.h"
#include "print/print.h"

static void G_GNUC_PRINTF (2, 3) add_text (GPtrArray *texts, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_ptr_array_add (texts, g_strdup_vprintf (format, args));
  va_end (args);
}

/* Returns the program with the options of passes of @options. */
static HirProgram *
open_changed (const HirPredictBase *base,
              const HirPredictOptions *options,
              GCancellable *cancellable,
              GError **error)
{
  g_autoptr (HirRequest) request = hir_predict_dup_request (base->request, options->set);

  if (options->set == NULL)
    return hir_program_ref (base->program);
  return hir_predict_open_program (request, cancellable, error);
}

/* Makes the plan of the changed program, with the durations of the recorded one. */
static gboolean
make_plan (HirPrediction *prediction,
           const HirPredictBase *base,
           const HirPredictOptions *options,
           GCancellable *cancellable,
           GError **error)
{
  HirMatchCounts counts;

  prediction->program = open_changed (base, options, cancellable, error);
  if (prediction->program == NULL)
    return FALSE;
  prediction->n_streams = options->n_streams > 0 ? options->n_streams : base->settings.n_streams;
  prediction->recorder = hir_recorder_new ();
  prediction->plan = hir_plan_new (prediction->program, prediction->n_streams, prediction->recorder,
                                   cancellable, error);
  if (prediction->plan == NULL)
    return FALSE;
  hir_plan_match (base->plan, prediction->plan, &counts);
  if (counts.n_scaled > 0)
    add_text (prediction->notes,
              "%u work%s another size than in the recording: the time is scaled by bytes or flops",
              counts.n_scaled, counts.n_scaled == 1 ? " has" : "s have");
  if (counts.n_unknown > 0)
    add_text (prediction->notes, "%u work%s not in the recording, so no time is counted for %s",
              counts.n_unknown, counts.n_unknown == 1 ? " is" : "s are",
              counts.n_unknown == 1 ? "it" : "them");
  if (options->set != NULL)
    {
      g_autofree char *text = g_strjoinv (", ", options->set);

      add_text (prediction->changes, "lowered with %s", text);
    }
  if (options->n_streams > 0)
    add_text (prediction->changes, "%" G_GINT64_FORMAT " stream%s instead of %" G_GINT64_FORMAT,
              options->n_streams, options->n_streams == 1 ? "" : "s", base->settings.n_streams);
  return TRUE;
}

static gboolean
drop_line (HirPrediction *prediction, guint line, GError **error)
{
  g_autoptr (GArray) lines = hir_program_dup_lines (prediction->program);
  const HirProgramLine *found = hir_program_lines_find (lines, line);
  const HirExpr *expr = found != NULL ? found->expr : NULL;
  g_autofree char *text = NULL;
  guint n;

  if (expr == NULL || (expr->kind != HIR_EXPR_SYNCHRONIZE && expr->kind != HIR_EXPR_WAIT))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "--drop-sync: program line %u is no Synchronize or Wait%s%s; "
                     "hirscope lower prints the program",
                     line, expr != NULL ? ", but " : "",
                     expr != NULL ? hir_expr_get_op_name (expr) : "");
      return FALSE;
    }
  text = hir_program_line_dup_text (found);
  n = hir_plan_drop (prediction->plan, expr->node.id);
  add_text (prediction->changes, "without %s, which runs %u time%s", text, n, n == 1 ? "" : "s");
  return TRUE;
}

static gboolean
change_works (HirPrediction *prediction, const HirPredictOptions *options, GError **error)
{
  for (guint i = 0; options->scales != NULL && i < options->scales->len; i++)
    {
      const HirPredictScale *scale = &g_array_index (options->scales, HirPredictScale, i);
      guint n = hir_plan_scale (prediction->plan, scale->name, scale->factor);

      if (n == 0)
        {
          g_autofree char *names = hir_plan_dup_names (prediction->plan);

          hir_set_error (error, HIR_ERROR_INPUT, NULL,
                         "--kernel: no work is named '%s'; the program has %s", scale->name, names);
          return FALSE;
        }
      add_text (prediction->changes, "%u execution%s of %s take%s %g times as long", n,
                n == 1 ? "" : "s", scale->name, n == 1 ? "s" : "", scale->factor);
    }
  for (guint i = 0; options->drop_lines != NULL && i < options->drop_lines->len; i++)
    if (!drop_line (prediction, g_array_index (options->drop_lines, guint, i), error))
      return FALSE;
  if (options->comm_scale < 1 || options->comm_scale > 1)
    {
      hir_plan_scale_transfers (prediction->plan, options->comm_scale);
      add_text (prediction->changes, "transfers take %g times as long", options->comm_scale);
    }
  if (options->transport != HIR_COMM_TRANSPORT_DEFAULT && !prediction->measure->is_gpu)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "--comm changes how GPUs communicate, but the trace is of the CPU back end; "
                     "use --comm-scale");
      return FALSE;
    }
  if (options->transport != HIR_COMM_TRANSPORT_DEFAULT)
    {
      hir_plan_set_transport (prediction->plan, options->transport);
      add_text (prediction->changes, "communication by %s",
                hir_comm_transport_get_name (options->transport));
      add_text (prediction->notes,
                "transfers are assumed to take as long as those of the recording do alone");
    }
  return TRUE;
}

static gboolean
simulate (HirPrediction *prediction, const HirPlan *base, GCancellable *cancellable, GError **error)
{
  for (guint i = 0; i < prediction->measure->n_repetitions; i++)
    {
      HirSimulationOptions options = { prediction->measure, i, prediction->measure->is_gpu };
      HirPredicted predicted = { .measured_ns =
                                     g_array_index (prediction->measure->totals, gint64, i) };

      if (g_cancellable_is_cancelled (cancellable))
        {
          hir_set_error (error, HIR_ERROR_CANCELLED, NULL, "cancelled");
          return FALSE;
        }
      if (!hir_simulate (base, &options, NULL, NULL, &predicted.unchanged_ns, error))
        return FALSE;
      options.interference = prediction->interference;
      if (!hir_simulate (prediction->plan, &options, NULL, NULL, &predicted.predicted_ns, error))
        return FALSE;
      g_array_append_val (prediction->repetitions, predicted);
    }
  return TRUE;
}

static void
add_notes (HirPrediction *prediction)
{
  const HirMeasured *measure = prediction->measure;

  if (!measure->has_issues && !measure->is_model)
    add_text (prediction->notes, "the trace has no host events: the host is assumed to be ahead "
                                 "of the streams; record with --trace full");
  if (measure->n_baselines > 0)
    add_text (prediction->notes, "what work takes alone was measured by --baseline");
  if (measure->n_unknown > 0)
    add_text (prediction->notes,
              "%u work%s of the program missing in the trace, so no time is counted for %s",
              measure->n_unknown, measure->n_unknown == 1 ? " is" : "s are",
              measure->n_unknown == 1 ? "it" : "them");
}

HirPrediction *
hir_predict_new (const HirOpened *opened,
                 const HirPredictOptions *options,
                 GCancellable *cancellable,
                 GError **error)
{
  g_auto (HirPredictBase) base = { 0 };
  g_autoptr (HirPrediction) prediction = g_new0 (HirPrediction, 1);

  prediction->repetitions = g_array_new (FALSE, FALSE, sizeof (HirPredicted));
  prediction->changes = g_ptr_array_new_with_free_func (g_free);
  prediction->notes = g_ptr_array_new_with_free_func (g_free);
  if (!hir_predict_base_open (&base, opened, cancellable, error))
    return NULL;
  prediction->measure = hir_measured_new (opened->trace, base.plan, error);
  if (prediction->measure == NULL || !make_plan (prediction, &base, options, cancellable, error) ||
      !change_works (prediction, options, error))
    return NULL;
  prediction->interference = prediction->measure->is_gpu && !options->no_interference;
  if (options->no_interference)
    add_text (prediction->changes, "communication and kernels do not slow each other down");
  add_notes (prediction);
  return simulate (prediction, base.plan, cancellable, error) ? g_steal_pointer (&prediction)
                                                              : NULL;
}

void
hir_prediction_free (HirPrediction *prediction)
{
  g_array_unref (prediction->repetitions);
  g_ptr_array_unref (prediction->changes);
  g_ptr_array_unref (prediction->notes);
  g_clear_pointer (&prediction->plan, hir_plan_free);
  g_clear_pointer (&prediction->recorder, hir_recorder_free);
  g_clear_pointer (&prediction->program, hir_program_unref);
  g_clear_pointer (&prediction->measure, hir_measured_free);
  g_free (prediction);
}

static int
compare_ns (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

gint64
hir_prediction_get_median (const HirPrediction *prediction, gsize of)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint i = 0; i < prediction->repetitions->len; i++)
    {
      const HirPredicted *predicted = &g_array_index (prediction->repetitions, HirPredicted, i);

      g_array_append_val (values, G_STRUCT_MEMBER (gint64, predicted, of));
    }
  g_array_sort (values, compare_ns);
  if (values->len == 0)
    return 0;
  /* Of an even number, the mean of the two in the middle; both are positive. */
  return (g_array_index (values, gint64, (values->len - 1) / 2) +
          g_array_index (values, gint64, values->len / 2)) /
         2;
}
