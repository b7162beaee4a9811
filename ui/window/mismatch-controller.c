#include "window/mismatch-controller.h"

#include "bisect/bisect-program.h"
#include "config.h"
#include "window/debug-controller.h"

#define PROGRESS_MS 200

struct _HirMismatchController
{
  HirWindow *window;         /* borrowed */
  GCancellable *cancellable; /* NULL if no search is running */
  HirProgramBisect *bisect;  /* nullable: the current search, or the last result */
  guint timeout;             /* updates the progress; 0 if no search is running */
};

static void
stop (HirMismatchController *self)
{
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_handle_id (&self->timeout, g_source_remove);
}

static HirMismatchStrip *
get_strip (HirWindow *window)
{
  return hir_debug_page_get_mismatch (hir_debug_controller_get_page (window->debugger));
}

static gboolean
on_timeout (gpointer user_data)
{
  HirMismatchController *self = user_data;

  hir_mismatch_strip_show_progress (get_strip (self->window),
                                    (guint) g_atomic_int_get (&self->bisect->n_compared));
  return G_SOURCE_CONTINUE;
}

static void
show_found (HirWindow *window, const HirProgramBisect *bisect)
{
  g_autofree char *iteration = bisect->iteration >= 0
                                   ? g_strdup_printf (" in iteration %d", bisect->iteration)
                                   : g_strdup ("");
  g_autofree char *heading =
      g_strdup_printf ("First incorrect result: program line %u, %s%s on rank %d", bisect->number,
                       bisect->label, iteration, bisect->rank);

  hir_mismatch_strip_show_result (get_strip (window), heading, NULL, bisect->report, TRUE);
  hir_window_find_mismatch_show (window, NULL, 0);
}

/* Shows what is wrong although no instruction is known, or that nothing is. */
static void
show_rest (HirWindow *window, const HirProgramBisect *bisect)
{
  HirMismatchStrip *strip = get_strip (window);
  gint n = g_atomic_int_get (&bisect->n_compared);
  g_autofree char *text =
      g_strdup_printf ("%d result%s compared with the sequential program; none exceeds its error "
                       "bound%s%s",
                       n, n == 1 ? "" : "s",
                       bisect->no_check != NULL ? ". Races were not searched: " : "",
                       bisect->no_check != NULL ? bisect->no_check : "");

  if (bisect->outputs != NULL)
    hir_mismatch_strip_show_result (strip, "The outputs differ from the fusion", NULL,
                                    bisect->outputs, FALSE);
  else if (bisect->races != NULL)
    hir_mismatch_strip_show_result (strip, "The program races: results depend on timing", text,
                                    bisect->races, FALSE);
  else
    hir_mismatch_strip_show_result (strip, "No incorrect result found", text, NULL, FALSE);
}

/* One search. The window may have started another one when it finishes. */
typedef struct
{
  HirWindow *window;
  GCancellable *cancellable;
} Search;

static void
on_done (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Search *search = user_data;
  HirWindow *window = search->window;
  HirMismatchController *self = window->mismatch;
  g_autoptr (GError) error = NULL;
  gboolean done = hir_program_bisect_finish (result, &error);

  if (self != NULL && self->cancellable == search->cancellable)
    {
      stop (self);
      if (!done)
        hir_mismatch_strip_show_result (get_strip (window), "Comparison Failed", error->message,
                                        NULL, FALSE);
      else if (self->bisect->id != 0)
        show_found (window, self->bisect);
      else
        show_rest (window, self->bisect);
    }
  g_object_unref (search->cancellable);
  g_object_unref (search->window);
  g_free (search);
}

void
hir_window_find_mismatch (HirWindow *window, GVariant *parameter, int argument)
{
  HirMismatchController *self = window->mismatch;
  HirProgram *program = hir_document_get_program (window->document);
  g_auto (HirRunSettings) settings = { 0 };
  Search *search;

  if (program == NULL || !hir_window_has_passes (window))
    return;
  stop (self);
  hir_run_settings_init (&settings);
  settings.n_streams = hir_run_controls_get_n_streams (&window->run_controls);
#if HIR_TESTING
  /* Correct programs have nothing to find. */
  settings.plant_op = g_strdup (g_getenv ("HIRSCOPE_TEST_PLANT"));
  settings.plant_scale = 0.1;
#endif
  self->cancellable = g_cancellable_new ();
  search = g_new (Search, 1);
  search->window = g_object_ref (window);
  search->cancellable = g_object_ref (self->cancellable);
  hir_debug_controller_show_panel (window->debugger);
  hir_mismatch_strip_show_progress (get_strip (window), 0);
  g_clear_pointer (&self->bisect, hir_program_bisect_unref);
  self->bisect =
      hir_program_bisect_new_async (program, &settings, self->cancellable, on_done, search);
  self->timeout = g_timeout_add (PROGRESS_MS, on_timeout, self);
}

void
hir_window_find_mismatch_end (HirWindow *window, GVariant *parameter, int argument)
{
  stop (window->mismatch);
  hir_mismatch_strip_clear (get_strip (window));
}

void
hir_window_find_mismatch_show (HirWindow *window, GVariant *parameter, int argument)
{
  const HirProgramBisect *bisect = window->mismatch->bisect;

  if (bisect == NULL || bisect->id == 0)
    return;
  hir_window_select_on_rank (window, bisect->rank, bisect->id);
  hir_text_pane_show (window->text, "ir");
}

void
hir_window_find_mismatch_break (HirWindow *window, GVariant *parameter, int argument)
{
  const HirProgramBisect *bisect = window->mismatch->bisect;
  g_autoptr (GString) text = g_string_new (NULL);

  if (bisect == NULL || bisect->id == 0)
    return;
  g_string_append_printf (text, "@%016" G_GINT64_MODIFIER "x", bisect->id);
  if (bisect->iteration >= 0)
    g_string_append_printf (text, " iteration %d", bisect->iteration);
  g_string_append_printf (text, " rank %d", bisect->rank);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.break-add", "s", text->str);
}

/* Instruction numbers refer to the previous program. */
static void
on_program (HirMismatchController *self)
{
  hir_window_find_mismatch_end (self->window, NULL, 0);
}

HirMismatchController *
hir_mismatch_controller_new (HirWindow *window)
{
  HirMismatchController *self = g_new0 (HirMismatchController, 1);

  self->window = window;
  g_signal_connect_swapped (window->document, "program-changed", G_CALLBACK (on_program), self);
  return self;
}

void
hir_mismatch_controller_free (HirMismatchController *self)
{
  g_signal_handlers_disconnect_by_data (self->window->document, self);
  stop (self);
  g_clear_pointer (&self->bisect, hir_program_bisect_unref);
  g_free (self);
}
