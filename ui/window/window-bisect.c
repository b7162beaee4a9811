#include "window/window-bisect.h"

#include "debugger/bisect-strip.h"
#include "bisect/bisect.h"
#include "document/document-edit.h"
#include "passes/pass-list.h"

/* Of a window, freed with it. */
typedef struct
{
  HirWindow *window; /* borrowed */
  HirBisectStrip *strip;
  GCancellable *running; /* nullable */
  char *guilty;          /* nullable: what was found last */
} Bisecting;

static void
bisecting_free (gpointer data)
{
  Bisecting *self = data;

  if (self->running != NULL)
    g_cancellable_cancel (self->running);
  g_clear_object (&self->running);
  g_free (self->guilty);
  g_free (self);
}

static Bisecting *
get_bisecting (HirWindow *window)
{
  return g_object_get_data (G_OBJECT (window), "hir-bisecting");
}

static HirPassList *
get_passes (Bisecting *self)
{
  return HIR_PASS_LIST (self->window->passes);
}

static void
clear (Bisecting *self)
{
  if (self->running != NULL)
    g_cancellable_cancel (self->running);
  g_clear_object (&self->running);
  g_clear_pointer (&self->guilty, g_free);
  hir_pass_list_set_verdict (get_passes (self), NULL, NULL, NULL);
  hir_bisect_strip_clear (self->strip);
}

/* The pass's row and what it did: that is what was looked for. */
static void
open_guilty (Bisecting *self)
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
show_verdicts (Bisecting *self, const HirBisect *bisect)
{
  static const char *const words[] = {
    [HIR_BISECT_SAME] = "same",
    [HIR_BISECT_RIGHT] = "right",
    [HIR_BISECT_WRONG] = "wrong",
    [HIR_BISECT_NOT_CHECKED] = "?",
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

/* "SwapOperands", or, where some before it could not be checked, "One of A, B". */
static char *
dup_suspects (const HirBisect *bisect)
{
  GString *names = g_string_new (NULL);
  guint n = 0;

  for (int i = bisect->last_right + 1; i <= bisect->guilty; i++)
    {
      const HirBisectStep *step = bisect->steps->pdata[i];

      if (step->verdict == HIR_BISECT_SAME)
        continue;
      g_string_append_printf (names, "%s%s", n > 0 ? ", " : "", step->pass_name);
      n++;
    }
  if (n > 1)
    g_string_prepend (names, "One of ");
  return g_string_free (names, FALSE);
}

static void
show_guilty (Bisecting *self, const HirBisect *bisect, const char *format)
{
  const HirBisectStep *guilty = bisect->steps->pdata[bisect->guilty];
  const HirBisectStep *right = bisect->steps->pdata[bisect->last_right];
  g_autofree char *suspects = dup_suspects (bisect);
  g_autofree char *heading = g_strdup_printf (format, suspects);
  g_autofree char *text =
      g_strdup_printf ("%s\nAfter %s: %s", guilty->text, right->pass_name, right->text);

  g_free (self->guilty);
  self->guilty = g_strdup (guilty->pass_name);
  hir_bisect_strip_show_result (self->strip, heading, text, TRUE);
  open_guilty (self);
}

static void
show_innocent (Bisecting *self, HirProgram *program)
{
  g_autofree char *heading = NULL;

  if (program->error == NULL)
    {
      hir_bisect_strip_show_result (self->strip, "No pass changes the numbers",
                                    "Every program that can be run gives those of the fusion.",
                                    FALSE);
      return;
    }
  /* A pass that fails is found without any numbers: by its refusal, or by the verifier after it. */
  heading = g_strdup_printf ("%s failed",
                             program->failed_pass != NULL ? program->failed_pass : "The fusion");
  hir_bisect_strip_show_result (self->strip, heading, program->error->message, FALSE);
  g_free (self->guilty);
  self->guilty = g_strdup (program->failed_pass);
  open_guilty (self);
}

/* Of one bisection. */
typedef struct
{
  HirWindow *window;
  HirProgram *program;
  GCancellable *cancellable;
} Run;

static Run *
run_new (HirWindow *window, HirProgram *program)
{
  Run *run = g_new (Run, 1);

  run->window = g_object_ref (window);
  run->program = hir_program_ref (program);
  run->cancellable = g_cancellable_new ();
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
  Bisecting *self = get_bisecting (run->window);

  if (self != NULL && self->running == run->cancellable)
    hir_bisect_strip_show_progress (self->strip, pass_name, index, n);
}

static void
on_done (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Run *run = user_data;
  Bisecting *self = get_bisecting (run->window);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirBisect) bisect = hir_bisect_new_finish (result, &error);

  /* Cancelled, or the program is another one by now. */
  if (self != NULL && self->running == run->cancellable)
    {
      g_clear_object (&self->running);
      if (bisect == NULL)
        {
          hir_bisect_strip_show_result (self->strip, "It can't be checked", error->message, FALSE);
        }
      else
        {
          show_verdicts (self, bisect);
          if (bisect->guilty >= 0)
            show_guilty (self, bisect, "%s made the numbers wrong");
          else
            show_innocent (self, run->program);
        }
    }
  run_free (run);
}

void
hir_window_bisect (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *window = HIR_WINDOW (widget);
  Bisecting *self = get_bisecting (window);
  HirProgram *program = hir_document_get_rejected (window->document);
  g_auto (HirRunSettings) settings = { 0 };
  Run *run;

  if (program == NULL)
    program = hir_document_get_program (window->document);
  if (program == NULL)
    return;
  clear (self);
  hir_run_settings_init (&settings);
  settings.check = TRUE;
  run = run_new (window, program);
  self->running = g_object_ref (run->cancellable);
  hir_bisect_strip_show_progress (self->strip, "the fusion", 0, 1);
  hir_bisect_new_async (program, &settings, on_progress, run->cancellable, on_done, run);
}

void
hir_window_bisect_ask (GtkWidget *widget, const char *name, GVariant *parameter)
{
  Bisecting *self = get_bisecting (HIR_WINDOW (widget));

  clear (self);
  hir_bisect_strip_ask (self->strip);
}

static void
show_unchanged (Bisecting *self, const HirBisect *bisect)
{
  const HirBisectStep *first = bisect->steps->len > 0 ? bisect->steps->pdata[0] : NULL;

  hir_bisect_strip_show_result (self->strip, "No pass changes that",
                                first != NULL ? first->text : "", FALSE);
}

static void
on_searched (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Run *run = user_data;
  Bisecting *self = get_bisecting (run->window);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirBisect) bisect = hir_bisect_new_finish (result, &error);

  if (self != NULL && self->running == run->cancellable)
    {
      g_clear_object (&self->running);
      if (bisect == NULL)
        {
          hir_bisect_strip_show_result (self->strip, "That is no pattern", error->message, FALSE);
        }
      else
        {
          show_verdicts (self, bisect);
          if (bisect->guilty >= 0)
            show_guilty (self, bisect, "%s is the first");
          else
            show_unchanged (self, bisect);
          hir_pass_list_focus (get_passes (self));
        }
    }
  run_free (run);
}

void
hir_window_bisect_text (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *window = HIR_WINDOW (widget);
  Bisecting *self = get_bisecting (window);
  HirProgram *program = hir_selection_get_program (window->selection);
  Run *run;

  if (program == NULL)
    return;
  clear (self);
  run = run_new (window, program);
  self->running = g_object_ref (run->cancellable);
  hir_bisect_strip_show_progress (self->strip, "the text of each step", 0, 1);
  hir_bisect_new_by_text_async (program, g_variant_get_string (parameter, NULL), run->cancellable,
                                on_searched, run);
}

void
hir_window_bisect_stop (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *window = HIR_WINDOW (widget);

  clear (get_bisecting (window));
  hir_pass_list_focus (HIR_PASS_LIST (window->passes));
}

void
hir_window_bisect_diff (GtkWidget *widget, const char *name, GVariant *parameter)
{
  open_guilty (get_bisecting (HIR_WINDOW (widget)));
}

static void
on_program (HirWindow *window)
{
  clear (get_bisecting (window));
}

/* Wrong numbers lead to the pass that made them wrong. */
static void
on_run_finished (HirWindow *window, const HirRunOutcome *outcome)
{
  AdwToast *toast;

  if (!outcome->check_failed)
    return;
  toast = adw_toast_new ("The numbers are wrong");
  adw_toast_set_button_label (toast, "Find the Pass");
  adw_toast_set_action_name (toast, "win.bisect");
  adw_toast_set_timeout (toast, 8);
  adw_toast_overlay_add_toast (window->toasts, toast);
}

void
hir_window_bisect_connect (HirWindow *window)
{
  Bisecting *self = g_new0 (Bisecting, 1);

  self->window = window;
  self->strip = HIR_BISECT_STRIP (hir_bisect_strip_new ());
  g_object_set_data_full (G_OBJECT (window), "hir-bisecting", self, bisecting_free);
  gtk_box_append (hir_pass_list_get_strip (HIR_PASS_LIST (window->passes)),
                  GTK_WIDGET (self->strip));
  g_signal_connect_swapped (window->document, "program-changed", G_CALLBACK (on_program), window);
  g_signal_connect_swapped (window->document, "run-finished", G_CALLBACK (on_run_finished), window);
}
