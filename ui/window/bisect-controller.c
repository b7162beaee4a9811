#include "window/bisect-controller.h"

#include "bisect/bisect.h"
#include "debugger/bisect-strip.h"
#include "document/document-edit.h"
#include "passes/pass-list.h"
#include "window/window-panes.h"

struct _HirBisectController
{
  HirWindow *window; /* borrowed */
  HirBisectStrip *strip;
  GCancellable *running; /* nullable */
  char *guilty;          /* nullable: name of the pass that was found last */
  gpointer rejected;     /* nullable: the last rejected program, only for comparisons */
};

static HirPassList *
get_passes (HirBisectController *self)
{
  return HIR_PASS_LIST (self->window->passes);
}

static void
clear (HirBisectController *self)
{
  if (self->running != NULL)
    g_cancellable_cancel (self->running);
  g_clear_object (&self->running);
  g_clear_pointer (&self->guilty, g_free);
  hir_pass_list_set_verdict (get_passes (self), NULL, NULL, NULL);
  hir_bisect_strip_clear (self->strip);
}

/* A verdict does not apply to another program that is rejected. */
static void
on_state (HirBisectController *self)
{
  HirProgram *rejected = hir_document_get_rejected (self->window->document);

  if (rejected == self->rejected)
    return;
  self->rejected = rejected;
  if (rejected != NULL)
    clear (self);
}

/* Shows the changes of the pass that was found. */
static void
show_found_pass (HirBisectController *self)
{
  HirProgram *program = hir_selection_get_program (self->window->selection);
  int step =
      program != NULL && self->guilty != NULL ? hir_program_find_view (program, self->guilty) : -1;

  if (step < 0)
    {
      hir_text_pane_show (self->window->text, "script");
      return;
    }
  hir_selection_set_base (self->window->selection, NULL, NULL);
  hir_selection_set_step (self->window->selection, (guint) step);
  hir_text_pane_show (self->window->text, "diff");
}

static void
show_verdicts (HirBisectController *self, const HirBisect *bisect)
{
  static const char *const words[] = {
    [HIR_BISECT_SAME] = "same",         [HIR_BISECT_RIGHT] = "right",
    [HIR_BISECT_WRONG] = "wrong",       [HIR_BISECT_UNDECIDED] = "?",
    [HIR_BISECT_NOT_CHECKED] = "?",     [HIR_BISECT_MATCH] = "match",
    [HIR_BISECT_NO_MATCH] = "no match",
  };

  hir_pass_list_set_verdict (get_passes (self), NULL, NULL, NULL);
  for (guint i = 0; i < bisect->steps->len; i++)
    {
      const HirBisectStep *step = bisect->steps->pdata[i];

      if (step->verdict != HIR_BISECT_SAME)
        hir_pass_list_set_verdict (get_passes (self), step->pass_name, words[step->verdict],
                                   step->text);
    }
}

static void
show_found (HirBisectController *self, const HirBisect *bisect, const char *format)
{
  const HirBisectStep *guilty = bisect->steps->pdata[bisect->guilty];
  const HirBisectStep *right = bisect->steps->pdata[bisect->last_right];
  g_autofree char *suspects = hir_bisect_dup_suspects (bisect, "One of ");
  g_autofree char *heading = g_strdup_printf (format, suspects);
  g_autofree char *text =
      g_strdup_printf ("%s\nAfter %s: %s", guilty->text, right->pass_name, right->text);

  g_free (self->guilty);
  self->guilty = g_strdup (guilty->pass_name);
  hir_bisect_strip_show_result (self->strip, heading, text, NULL, TRUE);
  show_found_pass (self);
}

static void
show_none_found (HirBisectController *self, const HirBisect *bisect, HirProgram *program)
{
  g_autofree char *heading = NULL;

  if (bisect->lost_transfer != NULL)
    {
      hir_bisect_strip_show_result (
          self->strip,
          "On whole tensors, no enabled pass changes the results; a disabled one is required",
          bisect->lost_transfer, bisect->races, FALSE);
      return;
    }
  if (bisect->races != NULL)
    {
      hir_bisect_strip_show_result (self->strip,
                                    "No pass changes the results, but the program races", NULL,
                                    bisect->races, FALSE);
      return;
    }
  if (program->error == NULL && bisect->n_undecided > 0)
    {
      heading = g_strdup_printf ("%u pass%s could not be decided", bisect->n_undecided,
                                 bisect->n_undecided == 1 ? "" : "es");
      hir_bisect_strip_show_result (self->strip, heading,
                                    "Rounding may change the results too much to compare them. No "
                                    "other pass changes them.",
                                    NULL, FALSE);
      return;
    }
  if (program->error == NULL)
    {
      hir_bisect_strip_show_result (self->strip, "No pass changes the results",
                                    "All programs that can be run give the results of the fusion.",
                                    NULL, FALSE);
      return;
    }
  /* A pass that failed needs no comparison of results. */
  heading = g_strdup_printf ("%s failed",
                             program->failed_pass != NULL ? program->failed_pass : "The fusion");
  hir_bisect_strip_show_result (self->strip, heading, program->error->message, NULL, FALSE);
  g_free (self->guilty);
  self->guilty = g_strdup (program->failed_pass);
  show_found_pass (self);
}

/* One bisection. */
typedef struct
{
  HirWindow *window;
  HirProgram *program;
  GCancellable *cancellable;
} Run;

static Run *
run_new (HirBisectController *self, HirProgram *program, const char *what)
{
  Run *run = g_new (Run, 1);

  clear (self);
  run->window = g_object_ref (self->window);
  run->program = hir_program_ref (program);
  run->cancellable = g_cancellable_new ();
  self->running = g_object_ref (run->cancellable);
  hir_bisect_strip_show_progress (self->strip, what, 0, 1);
  return run;
}

static void
run_free (Run *run)
{
  hir_program_unref (run->program);
  g_object_unref (run->cancellable);
  g_object_unref (run->window);
  g_free (run);
}

static void
on_progress (const char *pass_name, guint index, guint n, gpointer user_data)
{
  Run *run = user_data;
  HirBisectController *self = run->window->bisect;

  if (self != NULL && self->running == run->cancellable)
    hir_bisect_strip_show_progress (self->strip, pass_name, index, n);
}

/* Returns the result, or NULL if there is none or if the bisection was cancelled or replaced. */
static HirBisect *
take_result (const Run *run, GAsyncResult *result, const char *failure)
{
  HirBisectController *self = run->window->bisect;
  g_autoptr (GError) error = NULL;
  g_autoptr (HirBisect) bisect = hir_bisect_new_finish (result, &error);

  if (self == NULL || self->running != run->cancellable)
    return NULL;
  g_clear_object (&self->running);
  if (bisect == NULL)
    hir_bisect_strip_show_result (self->strip, failure, error->message, NULL, FALSE);
  else
    show_verdicts (self, bisect);
  return g_steal_pointer (&bisect);
}

static void
on_done (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Run *run = user_data;
  g_autoptr (HirBisect) bisect = take_result (run, result, "Check Failed");

  if (bisect != NULL && bisect->guilty >= 0)
    show_found (run->window->bisect, bisect, "%s made the results incorrect");
  else if (bisect != NULL)
    show_none_found (run->window->bisect, bisect, run->program);
  run_free (run);
}

void
hir_window_bisect (HirWindow *window, GVariant *parameter, int argument)
{
  HirProgram *program = hir_document_get_rejected (window->document);
  g_auto (HirRunSettings) settings = { 0 };
  Run *run;

  if (program == NULL)
    program = hir_document_get_program (window->document);
  if (program == NULL)
    return;
  hir_run_settings_init (&settings);
  settings.check = TRUE;
  run = run_new (window->bisect, program, "the fusion");
  hir_bisect_new_async (program, &settings, on_progress, run->cancellable, on_done, run);
}

void
hir_window_bisect_ask (HirWindow *window, GVariant *parameter, int argument)
{
  clear (window->bisect);
  hir_bisect_strip_ask (window->bisect->strip);
}

static void
show_unchanged (HirBisectController *self, const HirBisect *bisect)
{
  const HirBisectStep *first = bisect->steps->len > 0 ? bisect->steps->pdata[0] : NULL;

  hir_bisect_strip_show_result (self->strip, "No pass changes this",
                                first != NULL ? first->text : "", NULL, FALSE);
}

static void
on_searched (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Run *run = user_data;
  HirBisectController *self = run->window->bisect;
  g_autoptr (HirBisect) bisect = take_result (run, result, "Invalid pattern");

  if (bisect != NULL && bisect->guilty >= 0)
    {
      const HirBisectStep *found = bisect->steps->pdata[bisect->guilty];

      show_found (self, bisect,
                  found->verdict == HIR_BISECT_MATCH ? "%s is the first match"
                                                     : "%s is the first without a match");
    }
  else if (bisect != NULL)
    show_unchanged (self, bisect);
  if (bisect != NULL)
    hir_pass_list_focus (get_passes (self));
  run_free (run);
}

void
hir_window_bisect_text (HirWindow *window, GVariant *parameter, int argument)
{
  HirProgram *program = hir_selection_get_program (window->selection);
  Run *run;

  if (program == NULL)
    return;
  run = run_new (window->bisect, program, "the text of each step");
  hir_bisect_new_by_text_async (program, g_variant_get_string (parameter, NULL), run->cancellable,
                                on_searched, run);
}

void
hir_window_bisect_stop (HirWindow *window, GVariant *parameter, int argument)
{
  clear (window->bisect);
  hir_pass_list_focus (HIR_PASS_LIST (window->passes));
}

void
hir_window_bisect_diff (HirWindow *self, GVariant *parameter, int argument)
{
  show_found_pass (self->bisect);
}

/* Offers a bisection after incorrect results. */
static void
on_run_finished (HirBisectController *self, const HirRunOutcome *outcome)
{
  AdwToast *toast;

  if (outcome->check_outcome != HIR_CHECK_WRONG)
    return;
  toast = adw_toast_new ("The results are incorrect");
  adw_toast_set_button_label (toast, "Find Pass");
  adw_toast_set_action_name (toast, "win.bisect");
  adw_toast_set_timeout (toast, 8);
  adw_toast_overlay_add_toast (self->window->toasts, toast);
}

/* Opens or closes the tab. */
static void
on_visible (HirWindow *window)
{
  if (gtk_widget_get_visible (GTK_WIDGET (window->bisect->strip)))
    hir_window_raise_bottom (window, HIR_BOTTOM_BISECT);
  else
    hir_window_close_bottom (window, HIR_BOTTOM_BISECT);
}

HirBisectController *
hir_bisect_controller_new (HirWindow *window)
{
  HirBisectController *self = g_new0 (HirBisectController, 1);

  self->window = window;
  self->strip = HIR_BISECT_STRIP (hir_bisect_strip_new ());
  hir_window_add_bottom_page (window, HIR_BOTTOM_BISECT, GTK_WIDGET (self->strip));
  g_signal_connect_object (self->strip, "notify::visible", G_CALLBACK (on_visible), window,
                           G_CONNECT_SWAPPED);
  g_signal_connect_swapped (window->document, "program-changed", G_CALLBACK (clear), self);
  g_signal_connect_swapped (window->document, "state-changed", G_CALLBACK (on_state), self);
  g_signal_connect_swapped (window->document, "run-finished", G_CALLBACK (on_run_finished), self);
  return self;
}

void
hir_bisect_controller_free (HirBisectController *self)
{
  g_signal_handlers_disconnect_by_data (self->window->document, self);
  if (self->running != NULL)
    g_cancellable_cancel (self->running);
  g_clear_object (&self->running);
  g_free (self->guilty);
  g_free (self);
}
